/* What is sampled, and when it is less than was asked for: numbers worked out by hand. */
#include "capture/event.h"
#include "unit_tests.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static struct call_graph chosen;

static enum call_graph_concession choose(enum call_graph_mode mode, uint32_t copy_bytes,
					 size_t cpus, uint64_t hz)
{
	const struct call_graph asked = { mode, copy_bytes };
	const struct call_graph_load load = { .has_copies = true, .cpus = cpus, .max_hz = hz,
					      .sum_hz = hz };

	return call_graph_choose(&asked, &load, &chosen);
}

static void check_chosen(enum call_graph_mode mode, uint32_t copy_bytes)
{
	assert_int_equal(chosen.mode, mode);
	assert_int_equal(chosen.copy_bytes, copy_bytes);
}

static void check_parsed(const char *text, enum call_graph_mode mode, uint32_t copy_bytes)
{
	struct diag why = { .err = 0 };

	if (call_graph_parse(text, "--call-graph", &chosen, &why))
		fail_msg("%s: %s", text, why.text);
	check_chosen(mode, copy_bytes);
}

static void check_refused(const char *text, const char *sentence)
{
	struct diag why = { .err = 0 };

	assert_int_equal(call_graph_parse(text, "--call-graph", &chosen, &why), -EINVAL);
	assert_string_equal(why.text, sentence);
}

static void test_every_mode_has_a_word(void **state)
{
	(void)state;
	check_parsed("auto", CALL_GRAPH_AUTO, 0);
	check_parsed("fp", CALL_GRAPH_FP, 0);
	check_parsed("dwarf", CALL_GRAPH_DWARF, 0);
	check_parsed("off", CALL_GRAPH_OFF, 0);
	check_parsed("lbr", CALL_GRAPH_LBR, 0);
	check_parsed("dwarf,8192", CALL_GRAPH_DWARF, 8192);
	check_parsed("dwarf,65528", CALL_GRAPH_DWARF, 65528);
}

static void test_what_cannot_be_is_refused_with_what_can(void **state)
{
	(void)state;
	check_refused("lbr,16", "--call-graph lbr,16: only dwarf takes a size, as in dwarf,16384");
	check_refused("cgx", "--call-graph cgx: not known; there are auto, fp, dwarf, dwarf,BYTES,"
			     " lbr, off");
	check_refused("", "--call-graph : not known; there are auto, fp, dwarf, dwarf,BYTES, lbr,"
			  " off");
	check_refused("fp,8192", "--call-graph fp,8192: only dwarf takes a size, as in"
				 " dwarf,16384");
	check_refused("dwarf,65536", "--call-graph dwarf,65536: the copy of a stack has a multiple"
				     " of 8 bytes, 65528 at most");
	check_refused("dwarf,1001", "--call-graph dwarf,1001: the copy of a stack has a multiple of"
				    " 8 bytes, 65528 at most");
	check_refused("dwarf,", "--call-graph dwarf,: the copy of a stack has a multiple of 8"
				" bytes, 65528 at most");
	check_refused("dwarf,-8", "--call-graph dwarf,-8: the copy of a stack has a multiple of 8"
				  " bytes, 65528 at most");
	check_refused("dwarf,16K", "--call-graph dwarf,16K: the copy of a stack has a multiple of 8"
				   " bytes, 65528 at most");
}

static void test_auto_copies_stacks(void **state)
{
	(void)state;
	assert_int_equal(choose(CALL_GRAPH_AUTO, 0, 2, 997), CALL_GRAPH_AS_ASKED);
	check_chosen(CALL_GRAPH_DWARF, 16384);
	assert_int_equal(choose(CALL_GRAPH_AUTO, 32768, 2, 997), CALL_GRAPH_AS_ASKED);
	check_chosen(CALL_GRAPH_DWARF, 32768);	/* an adapted size */
}

static void test_auto_takes_frame_pointers_above_4_khz(void **state)
{
	(void)state;
	assert_int_equal(choose(CALL_GRAPH_AUTO, 0, 1, 4000), CALL_GRAPH_AS_ASKED);
	check_chosen(CALL_GRAPH_DWARF, 16384);
	assert_int_equal(choose(CALL_GRAPH_AUTO, 0, 1, 4001), CALL_GRAPH_TOO_OFTEN);
	check_chosen(CALL_GRAPH_FP, 0);
}

/* 200 MB/s are 12 CPUs x 997 Hz x 16 KiB (196.0 MB/s; 13: 212.4), or 24 of 8 KiB (25: 204.2). */
static void test_auto_copies_less_before_it_gives_up_at_200_mb_a_second(void **state)
{
	(void)state;
	assert_int_equal(choose(CALL_GRAPH_AUTO, 0, 12, 997), CALL_GRAPH_AS_ASKED);
	check_chosen(CALL_GRAPH_DWARF, 16384);
	assert_int_equal(choose(CALL_GRAPH_AUTO, 0, 13, 997), CALL_GRAPH_AS_ASKED);
	check_chosen(CALL_GRAPH_DWARF, 8192);
	assert_int_equal(choose(CALL_GRAPH_AUTO, 0, 24, 997), CALL_GRAPH_AS_ASKED);
	check_chosen(CALL_GRAPH_DWARF, 8192);
	assert_int_equal(choose(CALL_GRAPH_AUTO, 0, 25, 997), CALL_GRAPH_TOO_MUCH);
	check_chosen(CALL_GRAPH_FP, 0);
}

static void test_dwarf_insists(void **state)
{
	(void)state;
	assert_int_equal(choose(CALL_GRAPH_DWARF, 0, 64, 10000), CALL_GRAPH_AS_ASKED);
	check_chosen(CALL_GRAPH_DWARF, 16384);
	assert_int_equal(choose(CALL_GRAPH_DWARF, 65528, 64, 10000), CALL_GRAPH_AS_ASKED);
	check_chosen(CALL_GRAPH_DWARF, 65528);
}

static void test_a_kernel_without_copies_leaves_frame_pointers(void **state)
{
	static const struct call_graph_load load = { .cpus = 2, .max_hz = 997, .sum_hz = 997 };
	const struct call_graph asked = { .mode = CALL_GRAPH_DWARF, .copy_bytes = 8192 };

	(void)state;
	assert_int_equal(call_graph_choose(&asked, &load, &chosen), CALL_GRAPH_NOT_HERE);
	check_chosen(CALL_GRAPH_FP, 0);
}

static void test_a_fixed_period_has_copies(void **state)
{
	(void)state;
	assert_int_equal(choose(CALL_GRAPH_AUTO, 0, 256, 0), CALL_GRAPH_AS_ASKED);
	check_chosen(CALL_GRAPH_DWARF, 16384);
}

static void test_fp_and_off_stay_what_they_are(void **state)
{
	(void)state;
	assert_int_equal(choose(CALL_GRAPH_FP, 0, 64, 10000), CALL_GRAPH_AS_ASKED);
	check_chosen(CALL_GRAPH_FP, 0);
	assert_int_equal(choose(CALL_GRAPH_OFF, 0, 64, 10000), CALL_GRAPH_AS_ASKED);
	check_chosen(CALL_GRAPH_OFF, 0);
}

static uint64_t parse_filter(const char *text)
{
	struct diag why = { .err = 0 };
	uint64_t out = 0;

	if (branch_filter_parse(text, "-j", &out, &why))
		fail_msg("%s: %s", text, why.text);
	return out;
}

static void test_branches_are_chosen_by_kind_and_level(void **state)
{
	struct diag why = { .err = 0 };
	uint64_t out;

	(void)state;
	assert_int_equal(parse_filter("any"), PERF_SAMPLE_BRANCH_ANY);
	assert_int_equal(parse_filter("u"), PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER);
	assert_int_equal(parse_filter("any_call,any_ret,k"),
			 PERF_SAMPLE_BRANCH_ANY_CALL | PERF_SAMPLE_BRANCH_ANY_RETURN |
			 PERF_SAMPLE_BRANCH_KERNEL);
	assert_int_equal(branch_filter_parse("any,calls", "-j", &out, &why), -EINVAL);
	assert_string_equal(why.text, "-j any,calls: \"calls\" is no filter of branches; there "
			    "are any, any_call, any_ret, ind_call, ind_jmp, call, cond, and the "
			    "levels u, k, hv");
	assert_int_equal(branch_filter_parse("", "-j", &out, &why), -EINVAL);
}

UNIT_TESTS(test_call_graph)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_mode_has_a_word),
		cmocka_unit_test(test_what_cannot_be_is_refused_with_what_can),
		cmocka_unit_test(test_auto_copies_stacks),
		cmocka_unit_test(test_auto_takes_frame_pointers_above_4_khz),
		cmocka_unit_test(test_auto_copies_less_before_it_gives_up_at_200_mb_a_second),
		cmocka_unit_test(test_dwarf_insists),
		cmocka_unit_test(test_a_kernel_without_copies_leaves_frame_pointers),
		cmocka_unit_test(test_a_fixed_period_has_copies),
		cmocka_unit_test(test_fp_and_off_stay_what_they_are),
		cmocka_unit_test(test_branches_are_chosen_by_kind_and_level),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
