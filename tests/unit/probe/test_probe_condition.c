/* A condition is parsed with the precedence of every language, true of exactly the hits it says,
 * told to the kernel in the kernel's words, and a wrong one is refused where it is wrong. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "probe/probe_condition.h"
#include "unit_tests.h"

/* The hit that conditions are asked of. */
struct hit {
	const char *name;
	struct probe_value value;
};

#define NUMBER(n)   { .is_known = true, .number = (n) }
#define NEGATIVE(n) { .is_known = true, .is_signed = true, .number = (uint64_t)(n) }
#define TEXT(t)	    { .is_known = true, .is_text = true, .text = (t), .text_bytes = sizeof(t) - 1 }

static const struct hit hit[] = {
	{ "comm", TEXT("nginx") },  { "pid", NUMBER(100) },   { "tid", NUMBER(101) },
	{ "cpu", NUMBER(3) },	    { "lat", NUMBER(5000000) }, { "ret", NEGATIVE(-2) },
	{ "count", NUMBER(4096) },  { "flags", NUMBER(0x41) }, { "path", TEXT("/etc/passwd") },
	{ "big", NUMBER(UINT64_MAX) }, { "offset", NEGATIVE(-4096) }, { "word", TEXT("42") },
	{ "gone", { .is_known = false } }, { "a->b.c[1]", NUMBER(7) }, { "%di", NUMBER(8) },
	{ NULL, { 0 } },
};

/* args.pid is another value than pid. */
static void look_up(const void *context, enum probe_operand operand, const char *name,
		    struct probe_value *out)
{
	const struct hit *from = context;

	if (operand == OPERAND_VALUE && !strcmp(name, "pid")) {
		*out = (struct probe_value)NUMBER(9);
		return;
	}
	if (operand == OPERAND_RETURN)
		name = "ret";
	while (from->name && strcmp(from->name, name) != 0)
		from++;
	*out = from->value;
}

static bool holds(const char *text)
{
	struct probe_condition condition;
	struct diag why = { 0 };

	if (probe_condition_parse(&condition, text, &why))
		fail_msg("%s: %s", text, why.text);
	return probe_condition_holds(&condition, look_up, hit);
}

static void test_no_condition_holds_always(void **state)
{
	const struct probe_condition none = { .count = 0 };

	(void)state;
	assert_true(probe_condition_holds(&none, look_up, hit));
}

static void test_numbers_compare(void **state)
{
	(void)state;
	assert_true(holds("count == 4096"));
	assert_false(holds("count != 4096"));
	assert_true(holds("count > 4095"));
	assert_false(holds("count > 4096"));
	assert_true(holds("count >= 4096"));
	assert_true(holds("count < 4097"));
	assert_false(holds("count < 4096"));
	assert_true(holds("count <= 4096"));
	assert_true(holds("count==0x1000"));
	assert_true(holds("big == 18446744073709551615"));
	assert_true(holds("big == 0xffffffffffffffff"));
	assert_true(holds("pid == 100 && tid == 101 && cpu == 3"));
}

static void test_signs_count_as_in_arithmetic(void **state)
{
	(void)state;
	assert_true(holds("ret < 0"));
	assert_true(holds("ret == -2"));
	assert_true(holds("$retval == -2"));
	assert_true(holds("ret > -3"));
	assert_false(holds("ret > 1"));
	assert_true(holds("offset < -4095"));
	assert_true(holds("offset == -4k"));
	assert_false(holds("big < 0"));
	assert_false(holds("big == -1"));
	assert_true(holds("count > -1"));
	assert_false(holds("count == -0"));
	assert_true(holds("cpu > -0"));
}

static void test_bits_are_any_of_the_mask(void **state)
{
	(void)state;
	assert_true(holds("flags & 0x40"));
	assert_true(holds("flags & 0x42"));
	assert_false(holds("flags & 2"));
	assert_true(holds("flags & -1"));
}

static void test_units_multiply(void **state)
{
	(void)state;
	assert_true(holds("lat == 5ms"));
	assert_true(holds("lat == 5000us"));
	assert_true(holds("lat == 5000000ns"));
	assert_true(holds("lat == 0.005s"));
	assert_true(holds("lat > 4.999ms"));
	assert_false(holds("lat > 5.000001ms"));
	assert_true(holds("lat > 0"));
	assert_true(holds("count == 4k"));
	assert_true(holds("count == 4K"));
	assert_true(holds("count < 1M && count < 1G"));
	assert_true(holds("count == 0.00390625M"));
	assert_true(holds("count < 4.25k && count > 3.999k"));
}

static void test_texts_compare_whole_or_by_pattern(void **state)
{
	(void)state;
	assert_true(holds("comm == nginx"));
	assert_true(holds("comm == \"nginx\""));
	assert_false(holds("comm == ngin"));
	assert_true(holds("comm != ngin"));
	assert_false(holds("comm == ng*"));
	assert_true(holds("comm ~ ng*"));
	assert_true(holds("comm ~ n?i*x"));
	assert_true(holds("comm ~ *"));
	assert_false(holds("comm ~ gin"));
	assert_true(holds("comm ~ *gin*"));
	assert_true(holds("path ~ /etc/*"));
	assert_true(holds("path ~ *s*s?d"));
	assert_false(holds("path ~ *s*s?d?"));
	assert_false(holds("comm ~ ?????? "));
}

static void test_a_text_of_digits_compares_with_digits(void **state)
{
	(void)state;
	assert_true(holds("word == 42"));
	assert_true(holds("word != 43"));
	assert_true(holds("word ~ 4?"));
	assert_false(holds("word > 41"));
}

static void test_of_what_is_unknown_only_not_is_true(void **state)
{
	(void)state;
	assert_false(holds("gone == 1"));
	assert_false(holds("gone != 1"));
	assert_false(holds("gone != x"));
	assert_false(holds("nothing != 1"));
	assert_true(holds("not gone == 1"));
	assert_true(holds("!(gone > 1)"));
	assert_false(holds("count == four"));
	assert_false(holds("count != four"));
}

static void test_and_binds_closer_than_or_and_not_closest(void **state)
{
	(void)state;
	assert_true(holds("cpu == 3 or cpu == 4 and pid == 1"));
	assert_false(holds("(cpu == 3 or cpu == 4) and pid == 1"));
	assert_true(holds("pid == 1 and cpu == 4 or cpu == 3"));
	assert_false(holds("pid == 1 and (cpu == 4 or cpu == 3)"));
	assert_false(holds("not cpu == 3 and pid == 1"));
	assert_true(holds("not (cpu == 3 and pid == 1)"));
	assert_true(holds("not not cpu == 3"));
	assert_true(holds("!!cpu == 3||pid==1"));
	assert_true(holds("!(cpu==4)&&pid==100"));
}

static void test_names_are_as_typed_of_arguments(void **state)
{
	(void)state;
	assert_true(holds("a->b.c[1] == 7"));
	assert_true(holds("%di == 8"));
	assert_true(holds("args.pid == 9 and pid == 100"));
	assert_true(holds("args->pid == 9"));
	assert_true(holds("args->count == 4096"));
}

static void test_a_quoted_text_may_hold_anything(void **state)
{
	struct probe_condition condition;

	(void)state;
	assert_int_equal(probe_condition_parse(&condition, "comm == \"a \\\"b\\\" (c) or\"", NULL),
			 0);
	assert_int_equal(condition.count, 1);
	assert_string_equal(condition.nodes[0].text, "a \"b\" (c) or");
	assert_int_equal(probe_condition_parse(&condition, "comm == a\\ b\\", NULL), 0);
	assert_string_equal(condition.nodes[0].text, "a b\\");	/* nothing is after the last */
	assert_int_equal(probe_condition_parse(&condition, "name == \"12\"", NULL), 0);
	assert_true(condition.nodes[0].is_text);
}

static void refuses(const char *text, const char *sentence)
{
	struct probe_condition condition;
	struct diag why = { 0 };

	assert_int_equal(probe_condition_parse(&condition, text, &why), -EINVAL);
	if (!strstr(why.text, sentence))
		fail_msg("%s: \"%s\" is not in \"%s\"", text, sentence, why.text);
	assert_int_equal(condition.count, 0);
}

static void test_a_mistake_is_shown_with_its_column_and_what_is_right(void **state)
{
	(void)state;
	refuses("", "column 1: the condition ends too early");
	refuses("count > 1 and", "column 14: the condition ends too early");
	refuses("count = 1", "column 7: = does not compare: write count == ...");
	refuses("count", "column 6: after count one of == != < <= > >= & ~ is needed");
	refuses("count && cpu == 1", "column 7: after count one of");
	refuses("count > ", "column 9: a number or a word is missing");
	refuses("5 < count", "column 1: a name comes first");
	refuses("count > 5x", "column 9: \"5x\" is no number");
	refuses("count > 1.5", "column 9: \"1.5\" is no number");
	refuses("count > 0xfg", "column 9: \"0xfg\" is no number");
	refuses("count > 18446744073709551616", "is no number");
	refuses("count > 99999999999G", "is no number");
	refuses("count > -9223372036854775809", "is no number");
	refuses("lat > 5", "column 7: 5: a time is needed, as in lat > 5ms");
	refuses("lat > fast", "column 7: fast: a time is needed");
	refuses("pid == nginx", "column 8: pid is a number, \"nginx\" is none");
	refuses("cpu ~ 1*", "column 7: cpu is a number");
	refuses("comm > nginx", "column 8: \"nginx\" is no number, and texts compare with ==");
	refuses("comm == systemd-networkd", "column 9: commands are cut to 15 bytes: write comm "
		"== \"systemd-network\"");
	refuses("comm == \"nginx", "column 9: the quote does not end");
	refuses("(cpu == 1", "column 10: a ) is missing, for the ( in column 1");
	refuses("cpu == 1)", "column 9: and, or or the end is needed before \")\"");
	refuses("cpu == 1 cpu == 2", "column 10: and, or or the end is needed before \"cpu");
}

static void test_what_is_too_long_is_refused(void **state)
{
	char text[4000];

	(void)state;
	strcpy(text, "name == ");
	memset(text + 8, 'x', 64);
	text[8 + 64] = '\0';
	refuses(text, "column 9: a text of more than 63 bytes");
	memset(text, 'n', 96);
	strcpy(text + 96, " == 1");
	refuses(text, "column 1: a name of more than 95 bytes");
	strcpy(text, "a == 1");
	for (int i = 0; i < 16; i++)
		strcat(text, " and a == 1");
	refuses(text, "more than 32 comparisons");
	memset(text, '(', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	refuses(text, "column 65: more than 64 parentheses");
}

static void test_columns_count_from_the_begin_of_the_line(void **state)
{
	struct probe_condition condition;
	struct diag why;

	(void)state;
	assert_int_equal(probe_condition_parse_from(&condition, "k:f if n = 1", 7, &why), -EINVAL);
	assert_string_equal(why.text, "column 10: = does not compare: write n == ...");
	assert_int_equal(probe_condition_parse_from(&condition, "k:f if n == 1", 7, &why), 0);
	assert_string_equal(condition.nodes[0].name, "n");
}

static const char *kernel_text(const char *text)
{
	static char out[400];
	struct probe_condition condition;

	assert_int_equal(probe_condition_parse(&condition, text, NULL), 0);
	return probe_condition_kernel_text(&condition, out, sizeof(out)) ? out : NULL;
}

/* As Documentation/trace/events.rst "Event filtering" has it. */
/* Part @index of @text in the kernel's words; "" if there are no more. */
static const char *part_of(const char *text, uint32_t index)
{
	static char out[256];
	struct probe_condition condition, part;

	assert_int_equal(probe_condition_parse(&condition, text, NULL), 0);
	if (!probe_condition_part(&condition, index, &part))
		return "";
	assert_true(probe_condition_kernel_text(&part, out, sizeof(out)));
	return out;
}

static void test_the_parts_of_a_condition_are_those_that_and_joins(void **state)
{
	static const char text[] = "a == 1 and (b == 2 or c == 3) and not (d == 4 and e == 5)";
	struct probe_condition condition, part, joined = { .count = 0 };
	char out[256];

	(void)state;
	assert_string_equal(part_of(text, 0), "a == 1");
	assert_string_equal(part_of(text, 1), "(b == 2) || (c == 3)");
	assert_string_equal(part_of(text, 2), "!((d == 4) && (e == 5))");
	assert_string_equal(part_of(text, 3), "");
	assert_string_equal(part_of("a == 1 or b == 2", 0), "(a == 1) || (b == 2)");
	assert_string_equal(part_of("a == 1 or b == 2", 1), "");
	assert_int_equal(probe_condition_parse(&condition, text, NULL), 0);
	for (uint32_t i = 0; probe_condition_part(&condition, i, &part); i++)
		if (i != 1)
			probe_condition_join(&joined, &part);
	assert_true(probe_condition_kernel_text(&joined, out, sizeof(out)));
	assert_string_equal(out, "(a == 1) && (!((d == 4) && (e == 5)))");
}

static void test_an_address_of_the_network_is_no_number(void **state)
{
	struct probe_condition condition;

	(void)state;
	assert_int_equal(probe_condition_parse(&condition, "daddr == 127.0.0.1", NULL), 0);
	assert_true(condition.nodes[0].is_text);
	assert_string_equal(condition.nodes[0].text, "127.0.0.1");
}

static void test_the_kernel_gets_its_own_words(void **state)
{
	(void)state;
	assert_string_equal(kernel_text("count > 4k"), "count > 4096");
	assert_string_equal(kernel_text("ret < 0"), "ret < 0");
	assert_string_equal(kernel_text("ret == -2"), "ret == -2");
	assert_string_equal(kernel_text("flags & 64"), "flags & 0x40");
	assert_string_equal(kernel_text("comm == nginx"), "COMM == \"nginx\"");
	assert_string_equal(kernel_text("comm ~ \"a\\\"*\""), "COMM ~ 'a\"*'");
	assert_string_equal(kernel_text("n != 7 and cpu >= 1"), "(n != 7) && (CPU >= 1)");
	assert_string_equal(kernel_text("a == 1 or b == 2 and not c <= 3"),
			    "(a == 1) || ((b == 2) && (!(c <= 3)))");
	assert_string_equal(kernel_text("(a == 1 or b == 2) and c == 3"),
			    "((a == 1) || (b == 2)) && (c == 3)");
	assert_string_equal(kernel_text("args.pid == 1"), "pid == 1");
}

static void test_what_the_kernel_cannot_say_is_left_to_the_analyzer(void **state)
{
	struct probe_condition condition;
	char small[12];

	(void)state;
	assert_null(kernel_text("pid == 1"));
	assert_null(kernel_text("tid == 1"));
	assert_null(kernel_text("count == 1 and lat > 1ms"));
	assert_null(kernel_text("a->b == 1"));
	assert_null(kernel_text("comm ~ [ab]*"));
	assert_null(kernel_text("comm == \"a\\\"b'c\""));
	assert_null(kernel_text("flags & -1"));
	assert_int_equal(probe_condition_parse(&condition, "count > 1000", NULL), 0);
	assert_false(probe_condition_kernel_text(&condition, small, sizeof(small)));
	condition.count = 0;
	assert_false(probe_condition_kernel_text(&condition, small, sizeof(small)));
}

static void writes(const char *text, const char *wanted)
{
	struct probe_condition condition, again;
	char out[256];

	assert_int_equal(probe_condition_parse(&condition, text, NULL), 0);
	assert_true(probe_condition_write(&condition, out, sizeof(out)));
	assert_string_equal(out, wanted);
	assert_int_equal(probe_condition_parse(&again, out, NULL), 0);
	assert_memory_equal(&again, &condition, sizeof(again));
}

static void test_a_condition_is_written_as_it_could_be_typed(void **state)
{
	struct probe_condition condition;
	char out[9];

	(void)state;
	writes("count > 1k", "count > 1k");
	writes("args.pid == 5 and pid==6", "(args.pid == 5) && (pid == 6)");
	writes("a->b.c & 0x40 or lat >= 1.5ms", "(a->b.c & 0x40) || (lat >= 1.5ms)");
	writes("not ret == -2", "!(ret == -2)");
	writes("comm ~ ngin* and path != \"a \\\"b\\\\\"",
	       "(comm ~ \"ngin*\") && (path != \"a \\\"b\\\\\")");
	writes("cpu != 3 and tid < 9", "(cpu != 3) && (tid < 9)");
	assert_int_equal(probe_condition_parse(&condition, "count > 1", NULL), 0);
	assert_false(probe_condition_write(&condition, out, sizeof(out)));
	condition.count = 0;
	assert_true(probe_condition_write(&condition, out, sizeof(out)));
	assert_string_equal(out, "");
}

UNIT_TESTS(test_probe_condition)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_condition_is_written_as_it_could_be_typed),
		cmocka_unit_test(test_no_condition_holds_always),
		cmocka_unit_test(test_numbers_compare),
		cmocka_unit_test(test_signs_count_as_in_arithmetic),
		cmocka_unit_test(test_bits_are_any_of_the_mask),
		cmocka_unit_test(test_units_multiply),
		cmocka_unit_test(test_texts_compare_whole_or_by_pattern),
		cmocka_unit_test(test_a_text_of_digits_compares_with_digits),
		cmocka_unit_test(test_of_what_is_unknown_only_not_is_true),
		cmocka_unit_test(test_and_binds_closer_than_or_and_not_closest),
		cmocka_unit_test(test_names_are_as_typed_of_arguments),
		cmocka_unit_test(test_a_quoted_text_may_hold_anything),
		cmocka_unit_test(test_a_mistake_is_shown_with_its_column_and_what_is_right),
		cmocka_unit_test(test_what_is_too_long_is_refused),
		cmocka_unit_test(test_columns_count_from_the_begin_of_the_line),
		cmocka_unit_test(test_the_parts_of_a_condition_are_those_that_and_joins),
		cmocka_unit_test(test_an_address_of_the_network_is_no_number),
		cmocka_unit_test(test_the_kernel_gets_its_own_words),
		cmocka_unit_test(test_what_the_kernel_cannot_say_is_left_to_the_analyzer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
