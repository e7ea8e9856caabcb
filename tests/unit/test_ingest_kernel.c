/* The running kernel's names, and when they are read again. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ingest_stage.h"

#define NO_CODE	       0xffff800000001000ull	/* of the kernel's half, and no code is there */
#define REPLY_LIMIT_MS 60000			/* only reached when something hangs */

static struct ingest_stage stage;
static struct sandbox *sandbox;
static struct object_opener *opener;

static void take_replies(void)
{
	struct pollfd wait = { .fd = object_opener_fd(opener), .events = POLLIN };

	while (stage.ingest.opening) {
		assert_int_equal(poll(&wait, 1, REPLY_LIMIT_MS), 1);
		ingest_opener_replies(&stage.ingest);
	}
}

static int set_up(void **state)
{
	const struct ingest_config config = { .is_replay = false };

	(void)state;
	if (sandbox_start(&sandbox, NULL) || object_opener_create(&opener, sandbox, NULL, NULL))
		return -1;
	stage_init(&stage, &config, NULL);
	stage.ingest.opener = opener;
	ingest_ask_kernel(&stage.ingest);
	take_replies();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	stage_finish(&stage);
	object_opener_destroy(opener);
	sandbox_stop(sandbox);
	return 0;
}

static const struct object *kernel(void)
{
	return &stage.ingest.objects.objects[OBJECT_KERNEL];
}

static void sample(uint64_t ip)
{
	assert_int_not_equal(ingest_frame(&stage.ingest, NULL, MODE_KERNEL, ip), ID_SET_NONE);
}

static enum symbol_state fold(uint64_t ip)
{
	uint32_t frame = ingest_frame(&stage.ingest, NULL, MODE_KERNEL, ip);
	uint32_t symbol = symbol_names_of_frame(&stage.ingest.names, &stage.ingest.trie, frame);

	return stage.ingest.names.symbols[symbol].state;
}

static void test_code_without_a_name_has_the_names_read_again_and_then_seldom(void **state)
{
	const struct flat_header *before = kernel()->table.header;

	(void)state;
	if (kernel()->state != OBJECT_READY)
		skip();
	sample(NO_CODE);
	ingest_kernel_poll(&stage.ingest);
	assert_int_equal(stage.ingest.opening, 0);	/* no fold has looked for its name yet */
	assert_int_equal(fold(NO_CODE), SYMBOL_UNKNOWN);
	sample(NO_CODE);
	ingest_kernel_poll(&stage.ingest);
	assert_int_equal(stage.ingest.opening, 1);
	assert_int_equal(kernel()->state, OBJECT_READY);	/* the names in use stay */
	take_replies();
	assert_ptr_not_equal(kernel()->table.header, before);
	assert_int_equal(fold(NO_CODE), SYMBOL_UNKNOWN);
	sample(NO_CODE);
	stage.ingest.kernel.due_ns = UINT64_MAX;
	ingest_kernel_poll(&stage.ingest);
	assert_int_equal(stage.ingest.opening, 0);	/* not before its time */
	stage.ingest.kernel.due_ns = 0;
	before = kernel()->table.header;
	ingest_kernel_poll(&stage.ingest);
	take_replies();
	assert_ptr_not_equal(kernel()->table.header, before);
	assert_int_equal(stage.ingest.kernel.wait_ns, 4000000000);
}

static void test_code_with_a_name_is_no_reason(void **state)
{
	uint64_t named;

	(void)state;
	if (kernel()->state != OBJECT_READY)
		skip();
	named = kernel()->table.rows[1000].start;
	sample(named);
	assert_int_equal(fold(named), SYMBOL_NAMED);
	sample(named);
	ingest_kernel_poll(&stage.ingest);
	assert_int_equal(stage.ingest.opening, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_code_without_a_name_has_the_names_read_again_and_then_seldom),
		TEST(test_code_with_a_name_is_no_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
