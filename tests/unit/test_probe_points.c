/* The check of what a worker answers about places: one good answer made by hand, and everything
 * that may be wrong with it; and the names that are meant by a name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "elf/point_symbols.h"
#include "sandbox/fetch_text.h"
#include "sandbox/probe_points.h"

/* work() at 0x1139, where n is in esi; it offers its return value. */
struct answer {
	struct point_header header;
	struct point_function functions[1];
	uint32_t gap;
	struct point points[1];
	struct point_value values[2];
	char strings[37];
};

static const struct answer good = {
	.header = { .magic = POINT_ANSWER_MAGIC, .version = POINT_ANSWER_VERSION,
		    .function_count = 1, .point_count = 1, .value_count = 2,
		    .string_bytes = sizeof(good.strings) },
	.functions = { { .name = 1, .point_count = 1, .first_offered = 1, .offered_count = 1 } },
	.points = { { .offset = 0x1139, .begin = 0x1139, .bytes = 40, .value_count = 1 } },
	.values = { { 6, 8, 12, 0, FETCH_SIGNED, POINT_ORIGIN_DWARF, 0, 0 },
		    { 20, 8, 20, 0, FETCH_SIGNED, POINT_ORIGIN_DWARF, 1, 0 } },
	.strings = "\0work\0n\0int\0%si:s32\0$retval:s32",
};

static const struct point_query query = { .functions_max = 16, .argument_count = 1 };
static struct answer answer;
static struct point_answer points;

static int check_bytes(size_t bytes)
{
	return point_answer_check(&points, &answer, bytes, &query, NULL);
}

static int check(void)
{
	return check_bytes(offsetof(struct answer, strings) + sizeof(answer.strings));
}

static int set_up(void **state)
{
	(void)state;
	answer = good;
	return 0;
}

static void test_a_good_answer_is_read(void **state)
{
	(void)state;
	assert_int_equal(check(), 0);
	assert_string_equal(point_answer_text(&points, points.functions[0].name), "work");
	assert_int_equal(points.points[0].offset, 0x1139);
	assert_string_equal(point_answer_text(&points, points.values[0].fetch), "%si:s32");
	assert_string_equal(point_answer_text(&points, points.values[1].fetch), "$retval:s32");
}

static void test_an_answer_of_another_size_is_refused(void **state)
{
	const size_t bytes = offsetof(struct answer, strings) + sizeof(answer.strings);

	(void)state;
	for (size_t cut = 0; cut < bytes; cut++)
		assert_int_equal(check_bytes(cut), -EBADMSG);
}

static void test_counts_must_fit_the_size(void **state)
{
	uint32_t *const counts[] = { &answer.header.function_count, &answer.header.point_count,
				     &answer.header.value_count, &answer.header.string_bytes };

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		const uint32_t before = *counts[i];

		for (uint32_t other = 0; other < 3; other++) {
			*counts[i] = other == 0 ? before + 1 : other == 1 ? before - 1 : UINT32_MAX;
			assert_int_equal(check(), -EBADMSG);
		}
		*counts[i] = before;
	}
	assert_int_equal(check(), 0);
}

static void test_texts_lie_inside_and_end(void **state)
{
	uint32_t *const texts[] = {
		&answer.functions[0].name, &answer.functions[0].file, &answer.points[0].symbol,
		&answer.values[0].name, &answer.values[0].type, &answer.values[1].fetch,
		&answer.values[1].reason, &answer.header.no_debug_reason,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const uint32_t before = *texts[i];

		*texts[i] = sizeof(answer.strings);
		assert_int_equal(check(), -EBADMSG);
		*texts[i] = before;
	}
	answer.strings[sizeof(answer.strings) - 1] = 'x';
	assert_int_equal(check(), -EBADMSG);
}

static void test_rows_belong_to_those_that_name_them(void **state)
{
	(void)state;
	answer.functions[0].first_point = 1;
	assert_int_equal(check(), -EBADMSG);
	answer = good;
	answer.functions[0].offered_count = 2;
	assert_int_equal(check(), -EBADMSG);
	answer = good;
	answer.functions[0].first_offered = UINT32_MAX;
	assert_int_equal(check(), -EBADMSG);
	answer = good;
	answer.points[0].value_count = 0;	/* one value was asked for */
	assert_int_equal(check(), -EBADMSG);
	answer = good;
	answer.points[0].first_value = 2;
	assert_int_equal(check(), -EBADMSG);
	answer = good;
	answer.points[0].begin = 0x113a;
	assert_int_equal(check(), -EBADMSG);
}

static void test_kinds_and_names_of_files_are_known_ones(void **state)
{
	(void)state;
	answer.values[0].kind = FETCH_SYMBOL + 1;
	assert_int_equal(check(), -EBADMSG);
	answer = good;
	answer.values[1].origin = POINT_ORIGIN_ABI + 1;
	assert_int_equal(check(), -EBADMSG);
	answer = good;
	memset(answer.header.debug_link, 'x', sizeof(answer.header.debug_link));
	assert_int_equal(check(), -EBADMSG);
	answer = good;
	answer.header.build_id.count = BUILD_ID_MAX_BYTES + 1;
	assert_int_equal(check(), -EBADMSG);
}

static bool means(const char *pattern, const char *name)
{
	return point_name_matches(pattern, strchr(pattern, '*') != NULL, false, name, strlen(name));
}

static void test_a_name_means_its_function_and_clones_that_are_called_for_it(void **state)
{
	(void)state;
	assert_true(means("work", "work"));
	assert_true(means("work", "work.isra.0"));
	assert_true(means("work", "work.constprop.1"));
	assert_true(means("work", "work.constprop.0.isra.0"));
	assert_true(means("work.isra.0", "work.isra.0"));
	assert_false(means("work", "work.cold"));
	assert_false(means("work", "work.part.0"));
	assert_false(means("work", "work.isra.0.cold"));
	assert_false(means("work", "worker"));
	assert_true(means("work*", "worker"));
}

static void test_a_name_of_cpp_means_it_with_and_without_parameters(void **state)
{
	static const char name[] = "_ZN2ns1fEiPKc";	/* ns::f(int, char const*) */
	static const char call[] = "_ZN2ns1gclEv";	/* ns::g::operator()() */

	(void)state;
	assert_true(point_name_matches("ns::f", false, true, name, strlen(name)));
	assert_true(point_name_matches("ns::f(int, char const*)", false, true, name,
				       strlen(name)));
	assert_true(point_name_matches("ns::*", true, true, name, strlen(name)));
	assert_true(point_name_matches("ns::g::operator()", false, true, call, strlen(call)));
	assert_false(point_name_matches("f", false, true, name, strlen(name)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_good_answer_is_read, set_up),
		cmocka_unit_test_setup(test_an_answer_of_another_size_is_refused, set_up),
		cmocka_unit_test_setup(test_counts_must_fit_the_size, set_up),
		cmocka_unit_test_setup(test_texts_lie_inside_and_end, set_up),
		cmocka_unit_test_setup(test_rows_belong_to_those_that_name_them, set_up),
		cmocka_unit_test_setup(test_kinds_and_names_of_files_are_known_ones, set_up),
		cmocka_unit_test(test_a_name_means_its_function_and_clones_that_are_called_for_it),
		cmocka_unit_test(test_a_name_of_cpp_means_it_with_and_without_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
