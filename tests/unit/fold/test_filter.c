/* A filter is a list of parts that can be compared, read and taken out one by one. What they leave
 * of samples: test_fold_filter.c. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fold/filter.h"
#include "unit_tests.h"

static struct filter_part text_part(const char *text)
{
	struct filter_part part = { .field = FILTER_TEXT };

	snprintf(part.text, sizeof(part.text), "%s", text);
	return part;
}

static struct filter_part named_part(enum filter_field field, const char *name)
{
	struct filter_part part = text_part(name);

	part.field = field;
	part.hash = filter_hash(name);
	return part;
}

static struct filter_part number_part(enum filter_field field, uint64_t number)
{
	return (struct filter_part){ .field = field, .number = number };
}

static bool matches(const char *text, const char *name)
{
	struct filter_text compiled;
	bool result;

	assert_int_equal(filter_text_init(&compiled, text, NULL), 0);
	result = filter_text_matches(&compiled, name);
	filter_text_finish(&compiled);
	return result;
}

static void test_no_text_is_in_every_name(void **state)
{
	(void)state;
	assert_true(matches("", "Hash_Search"));
	assert_true(matches("", ""));
	assert_true(matches("~", "x"));
}

static void test_capitals_count_only_when_typed(void **state)
{
	(void)state;
	assert_true(matches("hash", "Hash_Search"));
	assert_true(matches("Hash", "Hash_Search"));
	assert_false(matches("HASH", "Hash_Search"));
	assert_false(matches("Search", "hash_search"));
}

static void test_a_tilde_begins_a_regular_expression(void **state)
{
	(void)state;
	assert_true(matches("~^tcp_(send|recv)", "tcp_sendmsg"));
	assert_false(matches("~^tcp_(send|recv)", "do_tcp_sendpages"));
	assert_true(matches("~^hash", "Hash_Search"));
	assert_false(matches("~^HASH", "Hash_Search"));
	assert_false(matches("^hash", "hash"));
	assert_true(matches("a~", "a~b"));
}

static void test_letters_beyond_ascii_match_themselves(void **state)
{
	(void)state;
	assert_true(matches("\u00e9t", "qu\u00e9t\u00e9"));
	assert_false(matches("\u00e9t", "qu\u00e8t"));
}

static void test_a_text_that_can_not_be_looked_for_is_refused_with_the_reason(void **state)
{
	struct diag why = { 0 };
	char longest[FILTER_TEXT_BYTES + 1];

	(void)state;
	assert_int_equal(filter_check_text("~a(b", &why), -EINVAL);
	assert_string_equal(why.text, "\"a(b\" is no regular expression (Unmatched ( or \\(): "
			    "correct it, or leave the ~ out to look for plain text");
	assert_int_equal(filter_check_text("a(b", &why), 0);
	memset(longest, 'x', sizeof(longest));
	longest[FILTER_TEXT_BYTES] = '\0';
	assert_int_equal(filter_check_text(longest, &why), -EINVAL);
	assert_string_equal(why.text, "a filter's text has at most 127 bytes");
	longest[FILTER_TEXT_BYTES - 1] = '\0';
	assert_int_equal(filter_check_text(longest, &why), 0);
}

/* Known answers of FNV-1a 64 (draft-eastlake-fnv, "Test values"). */
static void test_the_hash_is_the_same_everywhere(void **state)
{
	(void)state;
	assert_true(filter_hash("") == 0xcbf29ce484222325ull);
	assert_true(filter_hash("a") == 0xaf63dc4c8601ec8cull);
	assert_true(filter_hash("foobar") == 0x85944171f73967e8ull);
}

static void test_a_part_is_added_once(void **state)
{
	struct filter filter = { .count = 0 };
	struct filter_part part = number_part(FILTER_PID, 7);
	struct diag why;

	(void)state;
	assert_int_equal(filter_add(&filter, &part, &why), 0);
	assert_int_equal(filter_add(&filter, &part, &why), 0);
	assert_int_equal(filter.count, 1);
	part.is_negated = true;
	assert_int_equal(filter_add(&filter, &part, &why), 0);
	part.field = FILTER_TID;
	assert_int_equal(filter_add(&filter, &part, &why), 0);
	assert_int_equal(filter.count, 3);
	assert_int_equal(filter_find(&filter, &part), 2);
	part.number = 8;
	assert_int_equal(filter_find(&filter, &part), -1);
}

/* The name as shown may be cut, and differs where a path is longer: only the whole one counts. */
static void test_filters_are_the_same_by_their_parts(void **state)
{
	const struct filter_part pid = { .field = FILTER_PID, .number = 7 };
	const struct filter_part no_pid = { .field = FILTER_PID, .number = 7, .is_negated = true };
	struct filter a = { .count = 1, .parts = { pid } }, b = a;

	(void)state;
	snprintf(b.parts[0].text, sizeof(b.parts[0].text), "of another command");
	assert_true(filter_is_same(&a, &b));	/* the text of a number is for reading */
	b.parts[0] = no_pid;
	assert_false(filter_is_same(&a, &b));
	b.count = 0;
	assert_false(filter_is_same(&a, &b));
}

static void test_exact_parts_are_equal_by_the_whole_name(void **state)
{
	struct filter filter = { .count = 0 };
	struct filter_part part = named_part(FILTER_DSO, "/lib/libc.so.6");

	(void)state;
	filter_add(&filter, &part, NULL);
	strcpy(part.text, "libc.so.6");
	assert_int_equal(filter_find(&filter, &part), 0);
	part.hash = filter_hash("/usr/lib/libc.so.6");
	assert_int_equal(filter_find(&filter, &part), -1);
}

static void test_an_exclamation_mark_negates_text(void **state)
{
	struct filter_part part;
	char shown[FILTER_PART_BYTES];

	(void)state;
	assert_int_equal(filter_parse_text("memcpy", &part, NULL), 0);
	assert_string_equal(filter_format_part(&part, shown), "\"memcpy\"");
	assert_int_equal(filter_parse_text("!memcpy", &part, NULL), 0);
	assert_int_equal(part.field, FILTER_TEXT);
	assert_string_equal(filter_format_part(&part, shown), "without \"memcpy\"");
	assert_int_equal(filter_parse_text("!~^mem", &part, NULL), 0);
	assert_string_equal(filter_format_part(&part, shown), "without ~^mem");
	assert_int_equal(filter_parse_text("!", &part, NULL), 0);
	assert_string_equal(part.text, "");
	assert_int_equal(filter_parse_text("!~a(", &part, NULL), -EINVAL);
}

static void test_a_full_or_wrong_filter_stays_as_it_is(void **state)
{
	const struct filter_part wrong = text_part("~[");
	struct filter filter = { .count = 0 }, before;
	struct filter_part part;
	struct diag why;

	(void)state;
	assert_int_equal(filter_add(&filter, &wrong, &why), -EINVAL);
	assert_int_equal(filter.count, 0);
	for (uint32_t i = 0; i < FILTER_PARTS; i++) {
		part = number_part(FILTER_CPU, i);
		assert_int_equal(filter_add(&filter, &part, &why), 0);
	}
	memcpy(&before, &filter, sizeof(before));	/* padding, too */
	assert_int_equal(filter_add(&filter, &part, &why), 0);	/* is there already */
	part.number = FILTER_PARTS;
	assert_int_equal(filter_add(&filter, &part, &why), -ENOSPC);
	assert_string_equal(why.text, "a filter has at most 16 parts: remove one first");
	assert_memory_equal(&filter, &before, sizeof(filter));
}

static void test_parts_leave_one_by_one(void **state)
{
	static const enum filter_field fields[] = { FILTER_KERNEL, FILTER_USER, FILTER_PID };
	struct filter filter = { .count = 0 };
	struct filter_part part;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		part = number_part(fields[i], 0);
		filter_add(&filter, &part, NULL);
	}
	filter_remove(&filter, 1);
	assert_int_equal(filter.count, 2);
	assert_int_equal(filter.parts[0].field, FILTER_KERNEL);
	assert_int_equal(filter.parts[1].field, FILTER_PID);
	filter_remove(&filter, 1);
	filter_remove(&filter, 1);	/* there is none */
	filter_remove(&filter, 0);
	assert_int_equal(filter.count, 0);
}

static void assert_format(struct filter_part part, const char *plain, const char *negated)
{
	char text[FILTER_PART_BYTES];

	assert_string_equal(filter_format_part(&part, text), plain);
	part.is_negated = true;
	assert_string_equal(filter_format_part(&part, text), negated);
}

static void test_every_part_can_be_read(void **state)
{
	char longest[FILTER_TEXT_BYTES], quoted[FILTER_PART_BYTES];

	(void)state;
	assert_format(text_part("hash"), "\"hash\"", "without \"hash\"");
	assert_format(text_part("~^tcp_"), "~^tcp_", "without ~^tcp_");
	assert_format(named_part(FILTER_COMMAND, "postgres"), "postgres", "without postgres");
	assert_format(named_part(FILTER_DSO, "libc.so.6"), "libc.so.6", "without libc.so.6");
	assert_format(named_part(FILTER_SYMBOL, "main"), "main", "without main");
	assert_format(named_part(FILTER_UNIT, "a.service"), "a.service", "without a.service");
	assert_format(named_part(FILTER_CONTAINER, "web"), "container web",
		      "without container web");
	assert_format(named_part(FILTER_POD, "ff"), "pod ff", "without pod ff");
	assert_format(named_part(FILTER_CGROUP, "/a"), "cgroup /a", "without cgroup /a");
	assert_format(number_part(FILTER_PID, 4121), "pid 4121", "without pid 4121");
	assert_format(number_part(FILTER_TID, 1), "tid 1", "without tid 1");
	assert_format(number_part(FILTER_CPU, 3), "CPU 3", "without CPU 3");
	assert_format(number_part(FILTER_KERNEL, 0), "kernel code", "no kernel");
	assert_format(number_part(FILTER_USER, 0), "user code", "no user");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	snprintf(quoted, sizeof(quoted), "without \"%s\"", longest);
	assert_int_equal(strlen(quoted), 127 + 10);
	assert_format(text_part(longest), quoted + 8, quoted);
}

/* A key waits while it is compiled, and the names that it is matched with are strangers'. */
static void test_expressions_that_take_too_long_are_refused(void **state)
{
	struct diag why;

	(void)state;
	assert_int_equal(filter_check_text("~(a{1,255}){1,255}", &why), -EINVAL);
	assert_string_equal(why.text, "\"(a{1,255}){1,255}\" repeats too often: its braces may ask "
				      "for 100 times in all");
	assert_int_equal(filter_check_text("~a{,101}", &why), -EINVAL);
	assert_int_equal(filter_check_text("~(a{51,}){2}", &why), -EINVAL);
	assert_int_equal(filter_check_text("~a{99999999999999999999}", &why), -EINVAL);
	assert_int_equal(filter_check_text("~[\\]{2}{2}{2}{2}{2}{2}{2}", &why), -EINVAL);
	assert_int_equal(filter_check_text("~(.*)x\\1", &why), -EINVAL);
	assert_string_equal(why.text, "\"(.*)x\\1\" refers back to what it found, which may take "
				      "hours: write it out");
	assert_int_equal(filter_check_text("~(a{20}){5}", &why), 0);
	assert_int_equal(filter_check_text("~\\{9999\\}", &why), 0);	/* the characters */
	assert_int_equal(filter_check_text("(a{1,255}){1,255}\\1", &why), 0);	/* plain text */
}

UNIT_TESTS(test_filter)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_text_is_in_every_name),
		cmocka_unit_test(test_capitals_count_only_when_typed),
		cmocka_unit_test(test_a_tilde_begins_a_regular_expression),
		cmocka_unit_test(test_letters_beyond_ascii_match_themselves),
		cmocka_unit_test(test_a_text_that_can_not_be_looked_for_is_refused_with_the_reason),
		cmocka_unit_test(test_expressions_that_take_too_long_are_refused),
		cmocka_unit_test(test_the_hash_is_the_same_everywhere),
		cmocka_unit_test(test_a_part_is_added_once),
		cmocka_unit_test(test_filters_are_the_same_by_their_parts),
		cmocka_unit_test(test_exact_parts_are_equal_by_the_whole_name),
		cmocka_unit_test(test_an_exclamation_mark_negates_text),
		cmocka_unit_test(test_a_full_or_wrong_filter_stays_as_it_is),
		cmocka_unit_test(test_parts_leave_one_by_one),
		cmocka_unit_test(test_every_part_can_be_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
