/* Mappings beyond what one map may have are in the loss counters, whoever reports them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ingest/losses.h"
#include "ingest_fixture.h"
#include "unit_tests.h"

#define KEPT   (PROCESS_MAPS_MAX_ROWS - 1)	/* one that cuts another in two needs two more */
#define BEYOND 7u
#define PID    5000001u	/* the kernel gives no such number */
#define MODULE 0xffffffffc0000000u

static struct ingest_fixture feed;

static uint64_t losses(void)
{
	uint64_t sums[SUMS];

	loss_sums_read(&feed.ingest, sums);
	assert_int_equal(sums[LOSS_NO_MEMORY], 0);
	return sums[LOSS_MAPPINGS];
}

static uint64_t page(uint64_t i)
{
	return 0x400000 + i * 0x1000;
}

static void test_a_process_that_maps_more_than_it_may_have(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < KEPT; i++)
		feed_mmap(&feed, 0, PID, page(i), 0x1000, 0, "/bin/p");
	assert_int_equal(losses(), 0);
	for (uint64_t i = KEPT; i < KEPT + BEYOND; i++)
		feed_mmap(&feed, 0, PID, page(i), 0x1000, 0, "/bin/p");
	assert_int_equal(losses(), BEYOND);
}

static void test_a_recorded_kernel_of_more_modules_than_it_may_have(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < KEPT + BEYOND; i++)
		feed_kernel(&feed, MODULE + i * 0x100, 0x100, "/lib/modules/6.1/m.ko");
	assert_int_equal(losses(), BEYOND);
}

static void test_more_programs_of_the_kernel_than_it_may_have(void **state)
{
	(void)state;
	for (uint64_t i = 0; i < KEPT + BEYOND; i++)
		feed_ksymbol(&feed, 0, MODULE + i * 0x100, 0x100, false, "bpf_prog");
	assert_int_equal(losses(), BEYOND);
}

/* /proc has as many as are kept; some more were mapped since then, one that was is of before. */
static void test_what_was_mapped_since_proc_was_read_has_no_room(void **state)
{
	static char path[] = "/bin/p";
	struct process_mapping *rows = calloc(KEPT, sizeof(*rows));
	struct process_reply reply = { .pid = PID, .tid = PID, .wants_maps = true,
				       .has_maps = true, .time_ns = 100, .rows = rows,
				       .row_count = KEPT };
	const struct process *process;

	(void)state;
	assert_non_null(rows);
	for (uint64_t i = 0; i < KEPT; i++)
		rows[i] = (struct process_mapping){ .start = page(i), .end = page(i + 1),
						    .path = path };
	feed_mmap(&feed, 99, PID, page(2 * KEPT), 0x1000, 0, "/lib/of_before.so");
	for (uint64_t i = 0; i < BEYOND; i++)
		feed_mmap(&feed, 101, PID, page(KEPT + i), 0x1000, 0, "/lib/since.so");
	feed_round(&feed, 102);
	process = task_table_find_process(&feed.ingest.tasks, PID);
	task_table_process(&feed.ingest.tasks, PID)->maps_state = MAPS_ASKED;
	intake_take_reply(&feed.ingest, &reply);
	assert_int_equal(process->maps->count, KEPT);
	assert_int_equal(losses(), BEYOND);
	free(rows);
}

#define TEST(name) FEED_TEST(name, feed_set_up_replay)

UNIT_TESTS(test_mapping_losses)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_process_that_maps_more_than_it_may_have),
		TEST(test_a_recorded_kernel_of_more_modules_than_it_may_have),
		TEST(test_more_programs_of_the_kernel_than_it_may_have),
		TEST(test_what_was_mapped_since_proc_was_read_has_no_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
