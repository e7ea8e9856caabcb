/* Waits without BPF over a hand-made ring: what its records lose is counted. */
#include "capture/switch_waits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "record_bytes.h"
#include "unit_tests.h"

/* The pid and the time of a record of a switch: its sample_id trailer. */
#define SAMPLE_TYPE (PERF_SAMPLE_TID | PERF_SAMPLE_TIME)

static size_t append(struct perf_event_mmap_page *control, size_t at, const void *bytes,
		     size_t count)
{
	memcpy((char *)control + sysconf(_SC_PAGESIZE) + at, bytes, count);
	control->data_head = at + count;
	return at + count;
}

static void test_records_that_cannot_be_parsed_are_counted(void **state)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct perf_event_mmap_page *control = aligned_alloc(page_bytes, 2 * page_bytes);
	struct perf_event_attr attr = { .sample_type = SAMPLE_TYPE, .sample_id_all = 1 };
	struct event_lane lane = { .cpu = 0 };
	struct event_set set = { .attrs = &attr, .event_count = 1, .lanes = &lane,
				 .lane_count = 1 };
	const struct switch_waits_config config = { .set = &set, .period_ns = CLOCK_NS_PER_S };
	const struct perf_event_header cut = { .type = PERF_RECORD_SWITCH,
					       .misc = PERF_RECORD_MISC_SWITCH_OUT,
					       .size = sizeof(cut) };
	struct switch_waits *waits;
	struct record_bytes whole;
	size_t at = 0;

	(void)state;
	assert_non_null(control);
	memset(control, 0, 2 * page_bytes);
	assert_int_equal(perf_ring_create_over(&lane.ring, control, 1, NULL), 0);
	record_begin(&whole, PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT);
	record_add(&whole, (const uint64_t[]){ PAIR(7, 7), 1000 }, 2);
	record_close(&whole);
	at = append(control, at, whole.words, whole.count * 8);
	at = append(control, at, &cut, sizeof(cut));	/* without its trailer */
	at = append(control, at, whole.words, whole.count * 8);
	append(control, at, &cut, sizeof(cut));

	assert_int_equal(switch_waits_create(&waits, &config), 0);
	assert_int_equal(switch_waits_malformed(waits), 0);
	assert_int_equal(switch_waits_start(waits), 0);
	switch_waits_end(waits);	/* it empties the ring */
	assert_int_equal(switch_waits_malformed(waits), 2);
	switch_waits_destroy(waits);
	perf_ring_destroy(lane.ring);
	free(control);
}

UNIT_TESTS(test_switch_waits)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_that_cannot_be_parsed_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
