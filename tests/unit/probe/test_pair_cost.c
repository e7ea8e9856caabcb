/* What a probe itself adds to a latency, measured on this machine. How much that is nobody knows
 * beforehand; that it is measured once, and leaves nothing open, is known. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "probe/pair_cost.h"
#include "probe/probe_pmu.h"
#include "unit_tests.h"

static uint32_t count_descriptors(void)
{
	DIR *list = opendir("/proc/self/fd");
	uint32_t count = 0;

	while (readdir(list))
		count++;
	closedir(list);
	return count;
}

static struct probe_point places_of(enum probe_kind kind, enum probe_edge edge,
				    struct probe_site *site)
{
	*site = (struct probe_site){ .is_emulated = true };
	return (struct probe_point){ .spec.kind = kind, .spec.edge = edge, .file = -1,
				      .sites = site, .site_count = 1 };
}

static void test_an_empty_call_in_user_space_is_measured_once(void **state)
{
	const uint32_t before = count_descriptors();
	struct probe_site site;
	const struct probe_point places = places_of(PROBE_USER, PROBE_LATENCY, &site);
	struct pair_costs costs;
	uint32_t ns;

	(void)state;
	if (probe_pmu_try(true, NULL))
		skip();
	pair_costs_init(&costs);
	ns = pair_cost_of(&costs, &places, true);
	assert_true(ns > 0);
	assert_int_equal(count_descriptors(), before + 2);
	pair_cost_close(&costs);
	assert_int_equal(count_descriptors(), before);
	assert_int_equal(pair_cost_of(&costs, &places, true), ns);	/* from memory */
	assert_int_equal(count_descriptors(), before);
}

static void test_kinds_and_stacks_are_measured_by_themselves(void **state)
{
	struct probe_site site;
	const struct probe_point places = places_of(PROBE_USER, PROBE_LATENCY, &site);
	struct pair_costs costs;

	(void)state;
	if (probe_pmu_try(true, NULL))
		skip();
	pair_costs_init(&costs);
	assert_true(pair_cost_of(&costs, &places, false) > 0);
	assert_true(costs.is_known[PAIR_USER_EMULATED][false]);
	assert_false(costs.is_known[PAIR_USER_EMULATED][true]);
	site.is_emulated = false;
	assert_true(pair_cost_of(&costs, &places, false) > 0);
	assert_true(costs.is_known[PAIR_USER_STEPPED][false]);
	pair_cost_close(&costs);
}

static void test_what_is_no_pair_costs_no_latency(void **state)
{
	const uint32_t before = count_descriptors();
	struct probe_site site;
	struct probe_point places = places_of(PROBE_USER, PROBE_ENTRY, &site);
	struct pair_costs costs;

	(void)state;
	pair_costs_init(&costs);
	assert_int_equal(pair_cost_of(&costs, &places, true), 0);
	places = places_of(PROBE_TRACEPOINT, PROBE_LATENCY, &site);	/* an interval */
	strcpy(places.spec.group, "sched");
	strcpy(places.spec.function, "sched_switch");
	places.spec.end.kind = PROBE_TRACEPOINT;
	strcpy(places.spec.end.group, "sched");
	strcpy(places.spec.end.function, "sched_switch");
	assert_int_equal(pair_cost_of(&costs, &places, true), 0);
	assert_int_equal(count_descriptors(), before);
}

UNIT_TESTS(test_pair_cost)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_call_in_user_space_is_measured_once),
		cmocka_unit_test(test_kinds_and_stacks_are_measured_by_themselves),
		cmocka_unit_test(test_what_is_no_pair_costs_no_latency),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
