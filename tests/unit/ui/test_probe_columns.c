/* What the list of probes says of each, and which of its columns have room. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probe_fixture.h"
#include "ui/widgets/probe_columns.h"
#include "unit_tests.h"

static void check_plain(enum probe_kind kind, const char *name, const char *dso,
			const char *plain)
{
	const struct snapshot_probe probe = { .kind = kind, .name = name, .dso = dso };

	assert_string_equal(probe_plain_name(&probe), plain);
}

static void test_a_plain_name_is_without_kind_and_dso(void **state)
{
	(void)state;
	check_plain(PROBE_USER, "lat:libc.so.6:malloc", "libc.so.6", "malloc");
	check_plain(PROBE_USER, "ur:k:main", "k", "main");
	check_plain(PROBE_KERNEL, "kr:vfs_read", "[kernel]", "vfs_read");
	check_plain(PROBE_KERNEL, "k:k", "[kernel]", "k");
	check_plain(PROBE_TRACEPOINT, "t:sched:sched_switch", "[kernel]", "sched:sched_switch");
	check_plain(PROBE_TRACEPOINT, "lat:t:block:issue->complete", "[kernel]",
		    "block:issue->complete");
	check_plain(PROBE_USDT, "U:libc.so.6:libc:setjmp", "libc.so.6", "libc:setjmp");
	check_plain(PROBE_USER, "malloc", "libc.so.6", "malloc");
	check_plain(PROBE_USER, "std::sort", "a", "std::sort");
}

static void test_every_state_has_its_own_word_and_a_mark(void **state)
{
	(void)state;
	for (int i = PROBE_ATTACHING; i <= PROBE_PAUSED; i++) {
		assert_true(strlen(probe_state_mark((enum probe_state)i)) > 0);
		for (int k = PROBE_ATTACHING; k < i; k++)
			assert_string_not_equal(probe_state_word((enum probe_state)i),
						probe_state_word((enum probe_state)k));
	}
}

static void test_the_columns_fill_the_width_without_overlapping(void **state)
{
	const struct snapshot_probes probes = probe_fixture(0);
	struct probe_layout layout;

	(void)state;
	for (int width = 30; width < 300; width++) {
		int end = 2;

		probe_columns_fit(&layout, 2, width, &probes, false);
		for (int id = 0; id < PROBE_COL_COUNT; id++) {
			if (!layout.places[id].width)
				continue;
			assert_true(layout.places[id].x == end);
			end += layout.places[id].width + 1;
		}
		assert_int_equal(end - 1, 2 + width);
		assert_true(layout.places[PROBE_COL_NAME].width >= 20 || width < 36);
	}
}

static void test_losses_have_room_once_there_are_any(void **state)
{
	struct snapshot_probe probe = { .name = "", .dso = "" };
	const struct snapshot_probes probes = { .count = 1, .list = &probe };
	struct probe_layout layout;

	(void)state;
	probe_columns_fit(&layout, 2, 77, &probes, false);
	assert_int_equal(layout.places[PROBE_COL_MISSED].width, 0);
	assert_true(layout.places[PROBE_COL_SPARK].width > 0);
	probe.missed_since = 1;
	probe_columns_fit(&layout, 2, 77, &probes, false);
	assert_int_equal(layout.places[PROBE_COL_MISSED].width, 6);
	assert_true(layout.places[PROBE_COL_RATE].width > 0);
}

static void test_room_that_no_name_needs_goes_to_what_can_use_it(void **state)
{
	struct snapshot_probe probe = { .name = "lat:turn", .dso = "" };
	const struct snapshot_probes probes = { .count = 1, .list = &probe };
	struct probe_layout layout;
	int spark;

	(void)state;
	probe_columns_fit(&layout, 2, 150, &probes, false);
	assert_int_equal(layout.places[PROBE_COL_NAME].width, 20);
	spark = layout.places[PROBE_COL_SPARK].width;
	probe.name = "lat:hash_search_with_hash_value";
	probe_columns_fit(&layout, 2, 150, &probes, false);
	assert_true(layout.places[PROBE_COL_NAME].width > 20);
	assert_true(layout.places[PROBE_COL_SPARK].width < spark);
}

/* On or between two bursts: the numbers are a sample, and it must not flicker. */
static void test_a_probe_in_bursts_is_marked_all_the_time(void **state)
{
	struct snapshot_probe probe = { .state = PROBE_ATTACHED, .is_in_bursts = true,
					.reason = "" };

	(void)state;
	assert_string_equal(probe_word(&probe), "in bursts");
	assert_string_equal(probe_mark(&probe), "\u25d0");
	probe.state = PROBE_PAUSED;
	assert_string_equal(probe_word(&probe), "in bursts");
	assert_string_equal(probe_mark(&probe), "\u25d0");
	probe.state = PROBE_IS_OFF;
	assert_string_equal(probe_word(&probe), "off");
	probe = (struct snapshot_probe){ .state = PROBE_ATTACHED };
	assert_string_equal(probe_word(&probe), "on");
}

static void test_one_that_is_on_with_a_reason_is_marked(void **state)
{
	const struct snapshot_probe fine = { .state = PROBE_ATTACHED, .reason = "" };
	const struct snapshot_probe replaced = { .state = PROBE_ATTACHED,
						 .reason = "its file was replaced" };

	(void)state;
	assert_string_equal(probe_mark(&fine), "\u25cf");
	assert_string_equal(probe_mark(&replaced), "!");
	assert_string_equal(probe_word(&replaced), "on");
}

UNIT_TESTS(test_probe_columns)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_probe_in_bursts_is_marked_all_the_time),
		cmocka_unit_test(test_one_that_is_on_with_a_reason_is_marked),
		cmocka_unit_test(test_a_plain_name_is_without_kind_and_dso),
		cmocka_unit_test(test_every_state_has_its_own_word_and_a_mark),
		cmocka_unit_test(test_the_columns_fill_the_width_without_overlapping),
		cmocka_unit_test(test_losses_have_room_once_there_are_any),
		cmocka_unit_test(test_room_that_no_name_needs_goes_to_what_can_use_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
