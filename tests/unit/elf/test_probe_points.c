/* The check of what a worker replies about probe sites: one good reply made by hand, and everything
 * that may be wrong with it; and the names that are meant by a name. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "elf/point_symbols.h"
#include "sandbox/probe_points.h"
#include "unit_tests.h"

/* work() at 0x1139, where n is in esi; it offers its return value. */
struct reply {
	struct point_header header;
	struct point_function functions[1];
	uint32_t gap;
	struct point_site sites[1];
	struct point_value values[2];
	char strings[37];
};

static const struct reply good = {
	.header = { .magic = POINT_REPLY_MAGIC, .version = POINT_REPLY_VERSION,
		    .function_count = 1, .site_count = 1, .value_count = 2,
		    .string_bytes = sizeof(good.strings) },
	.functions = { { .name = 1, .site_count = 1, .first_offered = 1, .offered_count = 1 } },
	.sites = { { .offset = 0x1139, .begin = 0x1139, .bytes = 40, .value_count = 1 } },
	.values = { { 6, 8, 12, 0, FETCH_SIGNED, POINT_ORIGIN_DWARF, 0, 0 },
		    { 20, 8, 20, 0, FETCH_SIGNED, POINT_ORIGIN_DWARF, 1, 0 } },
	.strings = "\0work\0n\0int\0%si:s32\0$retval:s32",
};

static const struct point_query query = { .functions_max = 16, .argument_count = 1 };
static struct reply reply;
static struct point_reply sites;

static int check_bytes(size_t bytes)
{
	return point_reply_check(&sites, &reply, bytes, &query, NULL);
}

static int check(void)
{
	return check_bytes(offsetof(struct reply, strings) + sizeof(reply.strings));
}

static int set_up(void **state)
{
	(void)state;
	reply = good;
	return 0;
}

static void test_a_good_reply_is_read(void **state)
{
	(void)state;
	assert_int_equal(check(), 0);
	assert_string_equal(point_reply_text(&sites, sites.functions[0].name), "work");
	assert_int_equal(sites.sites[0].offset, 0x1139);
	assert_string_equal(point_reply_text(&sites, sites.values[0].fetch), "%si:s32");
	assert_string_equal(point_reply_text(&sites, sites.values[1].fetch), "$retval:s32");
}

static void test_a_reply_of_another_size_is_refused(void **state)
{
	const size_t bytes = offsetof(struct reply, strings) + sizeof(reply.strings);

	(void)state;
	for (size_t cut = 0; cut < bytes; cut++)
		assert_int_equal(check_bytes(cut), -EBADMSG);
}

static void test_counts_must_fit_the_size(void **state)
{
	uint32_t *const counts[] = { &reply.header.function_count, &reply.header.site_count,
				     &reply.header.value_count, &reply.header.string_bytes };

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
		&reply.functions[0].name, &reply.functions[0].file, &reply.sites[0].symbol,
		&reply.values[0].name, &reply.values[0].type, &reply.values[1].fetch,
		&reply.values[1].reason, &reply.header.no_debug_reason,
		&reply.sites[0].instruction, &reply.sites[0].first,
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		const uint32_t before = *texts[i];

		*texts[i] = sizeof(reply.strings);
		assert_int_equal(check(), -EBADMSG);
		*texts[i] = before;
	}
	reply.strings[sizeof(reply.strings) - 1] = 'x';
	assert_int_equal(check(), -EBADMSG);
}

static void test_rows_belong_to_those_that_name_them(void **state)
{
	(void)state;
	reply.functions[0].first_site = 1;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.functions[0].offered_count = 2;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.functions[0].first_offered = UINT32_MAX;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.sites[0].value_count = 0;	/* one value was asked for */
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.sites[0].first_value = 2;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.sites[0].begin = 0x113a;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.sites[0].code = POINT_CODE_FLAGS + 1;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.sites[0].skip = POINT_SKIP_MAX + 1;
	assert_int_equal(check(), -EBADMSG);
}

static void test_kinds_and_names_of_files_are_known_ones(void **state)
{
	(void)state;
	reply.values[0].kind = FETCH_SYMBOL + 1;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.values[1].origin = POINT_ORIGIN_ABI + 1;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.values[1].is_located = 2;
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	memset(reply.header.debug_link, 'x', sizeof(reply.header.debug_link));
	assert_int_equal(check(), -EBADMSG);
	reply = good;
	reply.header.build_id.count = BUILD_ID_MAX_BYTES + 1;
	assert_int_equal(check(), -EBADMSG);
}

static void test_a_machine_must_exist(void **state)
{
	(void)state;
	reply.header.machine = MACHINES - 1;
	assert_int_equal(check(), 0);
	reply.header.machine = MACHINES;
	assert_int_equal(check(), -EBADMSG);
}

static bool means(const char *pattern, const char *name)
{
	return point_name_matches(pattern, strchr(pattern, '*') != NULL, false, name, strlen(name));
}

static void test_variables_are_as_many_as_there_are(void **state)
{
	const struct point_query request = { .functions_max = 16,
					     .request = POINT_REQUEST_VARIABLES };
	const size_t bytes = offsetof(struct reply, strings) + sizeof(reply.strings);

	(void)state;
	for (uint32_t count = 0; count < 4; count++) {
		reply.sites[0].value_count = count;	/* the reply has two values */
		assert_int_equal(point_reply_check(&sites, &reply, bytes, &request, NULL),
				 count > 2 ? -EBADMSG : 0);
	}
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

UNIT_TESTS(test_probe_points)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_a_good_reply_is_read, set_up),
		cmocka_unit_test_setup(test_a_reply_of_another_size_is_refused, set_up),
		cmocka_unit_test_setup(test_counts_must_fit_the_size, set_up),
		cmocka_unit_test_setup(test_texts_lie_inside_and_end, set_up),
		cmocka_unit_test_setup(test_rows_belong_to_those_that_name_them, set_up),
		cmocka_unit_test_setup(test_kinds_and_names_of_files_are_known_ones, set_up),
		cmocka_unit_test_setup(test_a_machine_must_exist, set_up),
		cmocka_unit_test_setup(test_variables_are_as_many_as_there_are, set_up),
		cmocka_unit_test(test_a_name_means_its_function_and_clones_that_are_called_for_it),
		cmocka_unit_test(test_a_name_of_cpp_means_it_with_and_without_parameters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
