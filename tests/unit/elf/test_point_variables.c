/* Variables in scope at a line, the lines that a query names by number, and the source file that a
 * name means, as a worker reports them. The source was written for it, at -O0, where each variable
 * has a location of its own; what is where is known by its text. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "elf_fixture.h"
#include "sandbox/probe_points.h"
#include "sandbox/sandbox.h"
#include "unit_tests.h"

static const char one_source[] =
	"extern int elsewhere; int shared = 5; static long own;\n"		/* 1 */
	"static int pick(int n) { return n + 1; }\n"				/* 2 */
	"static inline __attribute__((always_inline)) int twice(int x)\n"	/* 3 */
	"{\n"									/* 4 */
	"	int y = x * 2;\n"						/* 5 */
	"	return y;\n"							/* 6 */
	"}\n"									/* 7 */
	"int work(int count, const char *text)\n"				/* 8 */
	"{\n"									/* 9 */
	"	int sum = pick(count);\n"					/* 10 */
	"	for (int i = 0; i < count; i++) {\n"				/* 11 */
	"		long count = text[i];\n"				/* 12 */
	"		sum += count + twice(i);\n"				/* 13 */
	"	}\n"								/* 14 */
	"	own += elsewhere;\n"						/* 15 */
	"	return twice(sum);\n"						/* 16 */
	"}\n";									/* 17 */

static const char other_source[] =
	"int work(int count, const char *text); int elsewhere;\n"
	"static int pick(char c) { return c; }\n"
	"int main(int argc, char **argv) { return work(argc, *argv) + pick(**argv); }\n";

/* Where gcc -O0 stores the argument `count` of work(). */
#ifdef __aarch64__
#define COUNT_PLACE "+28(%sp):s32"
#else
#define COUNT_PLACE "-36(%bp):s32"
#endif

static struct sandbox *sandbox;

static int set_up(void **state)
{
	if (elf_fixture_make_directory(state) || sandbox_start(&sandbox, worker_run, NULL))
		return -1;
	elf_fixture_write("one.c", one_source, sizeof(one_source) - 1);
	elf_fixture_write("other.c", other_source, sizeof(other_source) - 1);
	return elf_fixture_run("cc -O0 -g -o two one.c other.c") ? 0 : -1;
}

static int tear_down(void **state)
{
	sandbox_stop(sandbox);
	return elf_fixture_remove_directory(state);
}

static struct point_query query;
static struct point_reply reply;
static struct sandbox_bytes sealed;
static struct diag why;

/* Sends `query`, whose request is @request; the reply lives until the next one. */
static int ask(enum point_request request)
{
	struct sandbox_request job = { .kind = SANDBOX_POINTS, .input_count = 2 };
	int err;

	query.functions_max = 1;
	query.memory_bytes = UINT64_MAX;
	query.request = (uint8_t)request;
	why.err = 0;
	sandbox_bytes_finish(&sealed);
	job.inputs[0] = open(elf_fixture_path("two"), O_RDONLY | O_CLOEXEC);
	job.inputs[1] = memfd_create("query", MFD_CLOEXEC);
	assert_int_equal(write(job.inputs[1], &query, sizeof(query)), sizeof(query));
	err = sandbox_run(sandbox, &job, &sealed, &why);
	if (!err)
		err = point_reply_check(&reply, sealed.bytes, sealed.count, &query, &why);
	close(job.inputs[0]);
	close(job.inputs[1]);
	return err;
}

static const char *text(uint32_t offset)
{
	return point_reply_text(&reply, offset);
}

/* "NAME TYPE; NAME TYPE; " of the variables of the first site. */
static const char *variables(void)
{
	static char out[1024];
	const struct point_site *site = reply.sites;
	size_t used = 0;

	out[0] = '\0';
	for (uint32_t i = 0; i < site->value_count; i++) {
		const struct point_value *value = &reply.values[site->first_value + i];

		used += (size_t)snprintf(out + used, sizeof(out) - used, "%s %s; ",
					 text(value->name), text(value->type));
	}
	return out;
}

static void expect_variables(const char *function, uint32_t line, enum point_request request,
			     const char *wanted)
{
	query = (struct point_query){ .line = line };
	strcpy(query.function, function);
	if (ask(request))
		fail_msg("%s:%u: %s", function, line, why.text);
	assert_string_equal(variables(), wanted);
}

static void test_variables_are_those_of_the_blocks_around_a_line(void **state)
{
	(void)state;
	expect_variables("work", 2, POINT_REQUEST_VARIABLES,
			 "count int; text const char *; sum int; ");
	expect_variables("work", 4, POINT_REQUEST_VARIABLES,	/* the argument count is hidden */
			 "count int; text const char *; sum int; i int; count long int; ");
	expect_variables("pick", 0, POINT_REQUEST_VARIABLES, "n int; ");
	expect_variables("twice", 3, POINT_REQUEST_VARIABLES, "x int; y int; ");
	assert_int_equal(reply.header->site_count, 2);
	assert_true(reply.sites[1].is_inlined);
	assert_int_equal(reply.sites[1].value_count, 2);
}

static void test_externs_are_those_that_the_unit_defines(void **state)
{
	(void)state;
	expect_variables("pick", 0, POINT_REQUEST_EXTERNS, "n int; shared int; own long int; ");
}

static void test_a_place_is_reported_from_what_can_be_fetched(void **state)
{
	(void)state;
	expect_variables("work", 2, POINT_REQUEST_VARIABLES,
			 "count int; text const char *; sum int; ");
	for (uint32_t i = 0; i < 3; i++)
		assert_true(reply.values[reply.sites->first_value + i].is_located);
	assert_string_equal(text(reply.values[reply.sites->first_value].fetch), COUNT_PLACE);
	expect_variables("work", 0, POINT_REQUEST_VARIABLES,
			 "count int; text const char *; sum int; ");
	assert_false(reply.values[reply.sites->first_value + 2].is_located);
}

/* The line has a row of its own only after the copy, or none. */
static void test_a_line_that_calls_what_is_inlined_begins_with_it(void **state)
{
	uint64_t copy;

	(void)state;
	query = (struct point_query){ .line = 0 };
	strcpy(query.function, "twice");
	assert_int_equal(ask(POINT_REQUEST_SITES), 0);
	assert_int_equal(reply.header->site_count, 2);
	copy = reply.sites[1].offset;
	query.line = 8;			/* "return twice(sum)" in work() */
	strcpy(query.function, "work");
	assert_int_equal(ask(POINT_REQUEST_VARIABLES), 0);
	assert_int_equal(reply.header->site_count, 1);
	assert_int_equal(reply.sites[0].offset, copy);
	assert_false(reply.sites[0].is_inlined);
	assert_string_equal(variables(), "count int; text const char *; sum int; ");
	query = (struct point_query){ .lines = { 16 }, .line_count = 1 };
	strcpy(query.source, "one.c");
	assert_int_equal(ask(POINT_REQUEST_SITES), 0);
	assert_int_equal(reply.header->site_count, 1);
	assert_int_equal(reply.sites[0].offset, copy);
}

static void test_lines_by_number_have_a_site_each(void **state)
{
	(void)state;
	query = (struct point_query){ .lines = { 5, 10, 13, 17 }, .line_count = 4 };
	strcpy(query.function, "work");
	if (ask(POINT_REQUEST_SITES))	/* line 5 is inlined there, not its own; 17 is "}" */
		fail_msg("%s", why.text);
	assert_int_equal(reply.header->site_count, 3);
	query.function[0] = '\0';
	strcpy(query.source, "one.c");
	assert_int_equal(ask(POINT_REQUEST_SITES), 0);
	assert_int_equal(reply.header->site_count, 4);	/* 5 in two copies: 13 begins with one */
	query = (struct point_query){ .lines = { 1, 4 }, .line_count = 2 };
	strcpy(query.function, "work");
	assert_int_equal(ask(POINT_REQUEST_SITES), -ENOENT);
	assert_string_equal(why.text, "no code at the lines that match in work");
}

static void test_the_source_file_tells_functions_of_one_name_apart(void **state)
{
	(void)state;
	query = (struct point_query){ .request = 0 };
	strcpy(query.function, "pick");
	assert_int_equal(ask(POINT_REQUEST_SITES), 0);
	assert_int_equal(reply.header->site_count, 2);
	strcpy(query.declared_in, "other.c");
	assert_int_equal(ask(POINT_REQUEST_VARIABLES), 0);
	assert_int_equal(reply.header->site_count, 1);
	assert_string_equal(variables(), "c char; ");
	strcpy(query.declared_in, "her.c");
	assert_int_equal(ask(POINT_REQUEST_SITES), -ENOENT);
	assert_string_equal(why.text, "no function 'pick' that her.c declares in its debug "
			    "information");
	query.line = 1;
	assert_int_equal(ask(POINT_REQUEST_SITES), -ENOENT);
	assert_string_equal(why.text, "no function 'pick' that her.c declares in its debug "
			    "information");
}

static void test_the_source_file_of_a_name_is_reported(void **state)
{
	(void)state;
	query = (struct point_query){ .request = 0 };
	strcpy(query.function, "twice");
	assert_int_equal(ask(POINT_REQUEST_SOURCE), 0);
	assert_int_equal(reply.header->function_count, 1);
	assert_non_null(strstr(text(reply.functions[0].file), "/one.c"));
	assert_int_equal(reply.functions[0].line, 3);
	query.function[0] = '\0';
	strcpy(query.source, "other.c");
	assert_int_equal(ask(POINT_REQUEST_SOURCE), 0);
	assert_non_null(strstr(text(reply.functions[0].file), "/other.c"));
	strcpy(query.source, "none.c");
	assert_int_equal(ask(POINT_REQUEST_SOURCE), -ENOENT);
	assert_string_equal(why.text, "no source file 'none.c' in its debug information");
}

UNIT_TESTS(test_point_variables)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_variables_are_those_of_the_blocks_around_a_line),
		cmocka_unit_test(test_externs_are_those_that_the_unit_defines),
		cmocka_unit_test(test_a_place_is_reported_from_what_can_be_fetched),
		cmocka_unit_test(test_a_line_that_calls_what_is_inlined_begins_with_it),
		cmocka_unit_test(test_lines_by_number_have_a_site_each),
		cmocka_unit_test(test_the_source_file_tells_functions_of_one_name_apart),
		cmocka_unit_test(test_the_source_file_of_a_name_is_reported),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
