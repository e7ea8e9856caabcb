/* Names that are packed come out as they went in; what a search narrows it does not lose. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probe/probe_spec.h"
#include "finder/target_index.h"
#include "finder/target_match.h"
#include "unit_tests.h"

static struct target_match_work work;
static struct target_ranking ranking;
static _Atomic uint64_t newest = 7;

static void add(struct target_index *index, const char *raw, const char *shown)
{
	const struct target_name name = { .raw = raw, .shown = shown };

	assert_int_equal(target_index_add(index, &name), 0);
}

static bool search(struct target_index *index, const char *text, uint64_t number)
{
	static struct target_pattern pattern;
	const struct target_search request = {
		.pattern = &pattern, .text = text, .work = &work, .ranking = &ranking,
		.newest = &newest, .number = number,
	};

	target_pattern_make(&pattern, text);
	ranking.count = ranking.matches = 0;
	return target_index_search(index, &request);
}

static struct target_result result_of(size_t hit, const char *text, const char *prefix)
{
	static struct target_pattern pattern;
	struct target_result result;

	target_pattern_make(&pattern, text);
	target_index_result(&ranking.hits[hit], &pattern, &work, prefix, &result);
	return result;
}

static void expect_spec(const char *path, const char *raw, const char *wanted)
{
	struct target_index *index = target_index_create(TARGET_USER_FUNCTION, path, "");
	struct target_result result;
	struct probe_spec spec;
	struct diag why;

	add(index, raw, NULL);
	assert_true(search(index, "", 7));
	result = result_of(0, "", "lat:");
	assert_string_equal(result.spec, wanted);
	if (probe_spec_parse(&spec, result.spec, &why))
		fail_msg("%s: %s", result.spec, why.text);
	assert_string_equal(spec.file, path);
	assert_string_equal(spec.function, raw);
	target_index_destroy(index);
}

static void test_a_result_is_a_spec_that_says_the_same_file_and_function(void **state)
{
	(void)state;
	expect_spec("/usr/bin/perl", "main", "lat:/usr/bin/perl:main");
	expect_spec("/opt/My App/run", "main", "lat:\"/opt/My App/run\":main");
	expect_spec("/tmp/a:b", "f.isra.0", "lat:\"/tmp/a:b\":f.isra.0");
	expect_spec("/tmp/a\"b\\c", "f", "lat:\"/tmp/a\\\"b\\\\c\":f");
	expect_spec("/tmp/x", "operator*", "lat:/tmp/x:\"operator*\"");
	expect_spec("/tmp/x", "a+b%c", "lat:/tmp/x:\"a+b%c\"");
	expect_spec("/tmp/it's", "f", "lat:\"/tmp/it's\":f");
}

static void test_what_is_shown_is_clean_and_demangled(void **state)
{
	struct target_index *index = target_index_create(TARGET_USER_FUNCTION, "/lib/x\x1b.so", "");
	struct target_result result;

	(void)state;
	add(index, "_ZN1a1bEv", "a::b()");
	assert_true(search(index, "b(", 7));
	assert_int_equal(ranking.matches, 1);
	result = result_of(0, "b(", "lat:");
	assert_string_equal(result.shown, "x\\x1b.so:a::b()");
	assert_string_equal(result.spec, "lat:\"/lib/x\x1b.so\":_ZN1a1bEv");
	assert_int_equal(result.matched, 3u << 12);
	assert_true(search(index, "_ZN", 7));
	assert_int_equal(ranking.matches, 0);
	target_index_destroy(index);
}

static void test_the_best_come_first_and_the_rest_is_counted(void **state)
{
	struct target_index *index = target_index_create(TARGET_TRACEPOINT, "", "");
	char name[64];

	(void)state;
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "group%d:some_switch%d", i % 7, i);
		add(index, name, NULL);
	}
	add(index, "sched:switch", NULL);
	assert_true(search(index, "switch", 7));
	assert_int_equal(ranking.matches, 5001);
	assert_int_equal(ranking.count, TARGET_RESULTS_MAX);
	assert_string_equal(result_of(0, "switch", "t:").spec, "t:sched:switch");
	for (size_t i = 1; i < ranking.count; i++)
		assert_true(ranking.hits[i - 1].score >= ranking.hits[i].score);
	target_index_destroy(index);
}

/* The function of the process that is looked at, not one with a shorter name elsewhere. */
static void test_preferred_names_come_first_among_as_good_ones(void **state)
{
	static struct target_pattern pattern;
	struct target_index *other = target_index_create(TARGET_USER_FUNCTION, "/bin/other", "");
	struct target_index *own = target_index_create(TARGET_USER_FUNCTION, "/bin/own", "");
	struct target_search request = {
		.pattern = &pattern, .text = "nap", .work = &work, .ranking = &ranking,
		.newest = &newest, .number = 7,
	};

	(void)state;
	add(other, "nap", NULL);
	add(own, "_Z3napiPKc", "nap(int, char const*)");
	add(own, "snapshot", NULL);
	target_index_prefer(own);
	target_pattern_make(&pattern, "nap");
	ranking.count = ranking.matches = 0;
	assert_true(target_index_search(other, &request));
	assert_true(target_index_search(own, &request));
	assert_int_equal(ranking.count, 3);
	assert_string_equal(result_of(0, "nap", "").shown, "own:nap(int, char const*)");
	assert_string_equal(result_of(1, "nap", "").shown, "other:nap");
	target_index_destroy(other);
	target_index_destroy(own);
}

static void test_narrower_searches_find_what_a_whole_one_finds(void **state)
{
	struct target_index *index = target_index_create(TARGET_KERNEL_FUNCTION, "", "");
	struct target_index *fresh;
	static const char *const typed[] = { "a", "a1", "a1_", "a1_b", "a1", "a1_b 2", "b", "" };
	char name[64];

	(void)state;
	fresh = target_index_create(TARGET_KERNEL_FUNCTION, "", "");
	for (int i = 0; i < 3000; i++) {
		snprintf(name, sizeof(name), "a%d_b%x", i * 7919 % 1000, i);
		add(index, name, NULL);
		add(fresh, name, NULL);
	}
	for (size_t i = 0; i < sizeof(typed) / sizeof(typed[0]); i++) {
		size_t narrowed;

		assert_true(search(index, typed[i], 7));
		narrowed = ranking.matches;
		assert_true(search(fresh, "", 7));	/* so that the next looks at all */
		assert_true(search(fresh, typed[i], 7));
		assert_int_equal(narrowed, ranking.matches);
	}
	target_index_destroy(index);
	target_index_destroy(fresh);
}

static void test_a_search_that_nobody_waits_for_ends_and_spoils_nothing(void **state)
{
	struct target_index *index = target_index_create(TARGET_KERNEL_FUNCTION, "", "");

	(void)state;
	add(index, "vfs_read", NULL);
	add(index, "vfs_write", NULL);
	assert_true(search(index, "vfs", 7));
	assert_false(search(index, "vfs_r", 6));
	assert_true(search(index, "vfs_", 7));
	assert_int_equal(ranking.matches, 2);
	target_index_destroy(index);
}

static void test_what_can_not_be_probed_comes_later_with_its_reason(void **state)
{
	struct target_index *index = target_index_create(TARGET_KERNEL_FUNCTION, "", "kernel");
	struct target_name name = { .raw = "vfs_rea" };
	struct target_result result;

	(void)state;
	name.reason = target_index_reason(index, "notrace");
	assert_int_equal(name.reason, 1);
	assert_int_equal(target_index_reason(index, "notrace"), 1);	/* each once */
	assert_int_equal(target_index_add(index, &name), 0);
	add(index, "vfs_ready", NULL);
	assert_true(search(index, "vfs_re", 7));
	result = result_of(0, "vfs_re", "k:");
	assert_string_equal(result.spec, "k:vfs_ready");
	assert_string_equal(result.note, "kernel");
	assert_true(result.is_able);
	result = result_of(1, "vfs_re", "k:");
	assert_false(result.is_able);
	assert_string_equal(result.note, "notrace");
	target_index_destroy(index);
}

static void test_a_name_too_long_for_a_spec_is_left_out(void **state)
{
	struct target_index *index = target_index_create(TARGET_KERNEL_FUNCTION, "", "");
	char name[PROBE_FUNCTION_BYTES + 1];

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	add(index, name, NULL);
	add(index, "", NULL);
	assert_int_equal(target_index_count(index), 0);
	name[sizeof(name) - 2] = '\0';
	add(index, name, NULL);
	assert_int_equal(target_index_count(index), 1);
	target_index_destroy(index);
}

/* 64 MiB of names with 255 letters, a terminator, and up to 64 bytes for the row of each. */
static void test_an_index_is_full_some_day_and_keeps_what_it_has(void **state)
{
	struct target_index *index = target_index_create(TARGET_USER_FUNCTION, "/bin/huge", "");
	char text[PROBE_FUNCTION_BYTES];
	const struct target_name name = { .raw = text };
	uint32_t added = 0;
	int err = 0;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	while (!err && added < TARGET_INDEX_BYTES_MAX / 256 + 1) {
		err = target_index_add(index, &name);
		added += !err;
	}
	assert_int_equal(err, -E2BIG);
	assert_in_range(added, TARGET_INDEX_BYTES_MAX / (256 + 64), TARGET_INDEX_BYTES_MAX / 256);
	assert_int_equal(target_index_count(index), added);
	assert_int_equal(target_index_add(index, &name), -E2BIG);
	target_index_destroy(index);
}

static void expect_query(const char *text, const char *prefix, const char *path, const char *words)
{
	struct target_query query;

	target_query_make(&query, text);
	assert_string_equal(query.prefix, prefix);
	assert_string_equal(query.path, path);
	assert_string_equal(query.words, words);
}

static void test_a_query_may_say_the_kind_and_the_file(void **state)
{
	struct target_query query;

	(void)state;
	expect_query("vfs re", "", "", "vfs re");
	expect_query("  kr:vfs_re", "kr:", "", "vfs_re");
	expect_query("/usr/bin/perl:pp_ma", "", "/usr/bin/perl", "pp_ma");
	expect_query("ur:/usr/bin/perl pp ma", "ur:", "/usr/bin/perl", " pp ma");
	expect_query("/", "", "", "/");
	expect_query("sched:sw", "", "", "sched:sw");
	target_query_make(&query, "t:sched");
	assert_int_equal(query.kinds, 1u << TARGET_TRACEPOINT);
	assert_string_equal(target_query_prefix(&query, TARGET_TRACEPOINT), "t:");
	target_query_make(&query, "kr:x");
	assert_string_equal(target_query_prefix(&query, TARGET_KERNEL_FUNCTION), "kr:");
	target_query_make(&query, "x");
	assert_string_equal(target_query_prefix(&query, TARGET_KERNEL_FUNCTION), "lat:");
	assert_string_equal(target_query_prefix(&query, TARGET_USDT), "U:");
}

UNIT_TESTS(test_target_index)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_result_is_a_spec_that_says_the_same_file_and_function),
		cmocka_unit_test(test_what_is_shown_is_clean_and_demangled),
		cmocka_unit_test(test_the_best_come_first_and_the_rest_is_counted),
		cmocka_unit_test(test_preferred_names_come_first_among_as_good_ones),
		cmocka_unit_test(test_narrower_searches_find_what_a_whole_one_finds),
		cmocka_unit_test(test_a_search_that_nobody_waits_for_ends_and_spoils_nothing),
		cmocka_unit_test(test_what_can_not_be_probed_comes_later_with_its_reason),
		cmocka_unit_test(test_a_name_too_long_for_a_spec_is_left_out),
		cmocka_unit_test(test_an_index_is_full_some_day_and_keeps_what_it_has),
		cmocka_unit_test(test_a_query_may_say_the_kind_and_the_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
