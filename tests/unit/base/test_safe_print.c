/* What reaches a stream is what was clean, and nothing else. That a char * does not compile is
 * tests/check_doors' to show. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/safe_print.h"
#include "unit_tests.h"

static char *printed;
static size_t printed_bytes;

static FILE *start(void)
{
	FILE *out = open_memstream(&printed, &printed_bytes);

	assert_non_null(out);
	return out;
}

static void expect(FILE *out, const char *wanted)
{
	assert_int_equal(fclose(out), 0);
	assert_string_equal(printed, wanted);
	free(printed);
}

static void test_numbers_and_safe_text_are_printed_as_by_fprintf(void **state)
{
	const uint64_t large = UINT64_MAX;
	const uint8_t small = 255;
	FILE *out = start();

	(void)state;
	safe_print(out, "%s|%-4s|%.2s|", SAFE_TEXT("name"), SAFE_TEXT("ab"), SAFE_TEXT("cdef"));
	safe_print(out, "%d %u %lu %zu %ld %.1f %*d", -1, small + 1u, large, sizeof(large), -2L,
		   1.25, 3, 7);
	safe_put(out, "\n");
	expect(out, "name|ab  |cd|-1 256 18446744073709551615 8 -2 1.2   7\n");
}

static void test_foreign_text_passes_the_sanitizer_first(void **state)
{
	char clean[64];
	FILE *out = start();

	(void)state;
	safe_put_text(out, sanitize(clean, sizeof(clean), "a\033[2J\nb", 7));
	expect(out, "a\\x1b[2J\\x0ab");
}

static void test_text_that_should_be_clean_but_is_not_is_left_out(void **state)
{
	FILE *out = start();

	(void)state;
	safe_print(out, "%s %s", sanitize_checked("clean"), sanitize_checked("un\033clean"));
	expect(out, "clean (unclean text)");
}

static void test_a_character_that_steers_is_a_question_mark(void **state)
{
	FILE *out = start();

	(void)state;
	safe_print(out, "%c%c%c", (char)'k', (char)0x1b, (char)0x9b);
	expect(out, "k??");
}

static void test_special_characters_get_a_backslash(void **state)
{
	FILE *out = start();

	(void)state;
	safe_put_escaped(out, SAFE_TEXT("a\"b\\c"), "\"\\");
	expect(out, "a\\\"b\\\\c");
}

/* RFC 4180; what a spreadsheet takes for a formula, or what looks like our mark, is marked. */
static void test_csv_quotes_and_marks_formulas(void **state)
{
	static const struct { const char *text, *field; } known[] = {
		{ "plain name", "plain name" }, { "", "" },
		{ "a,b", "\"a,b\"" }, { "say \"x\"", "\"say \"\"x\"\"\"" },
		{ " x ", "\" x \"" },
		{ "=1+1", "'=1+1" }, { "+f", "'+f" },
		{ "-[View draw]", "'-[View draw]" }, { "@SUM(A1)", "'@SUM(A1)" },
		{ "'x", "''x" }, { "=HYPERLINK(\"a\",1)",
		"\"'=HYPERLINK(\"\"a\"\",1)\"" }, { "\uff1d1", "'\uff1d1" },
		{ "a=b", "a=b" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		FILE *out = start();

		safe_put_csv(out, sanitize_checked(known[i].text));
		expect(out, known[i].field);
	}
}

/* XML 1.0, 2.4 and 2.2: what it forbids never passes the sanitizer. */
static void test_xml_has_entities_for_markup(void **state)
{
	char clean[64];
	FILE *out = start();

	(void)state;
	safe_put_xml(out, SAFE_TEXT("<a b='c' d=\"e\">]]>&amp; \u6f22"));
	expect(out, "&lt;a b=&#39;c&#39; d=&quot;e&quot;&gt;]]&gt;&amp;amp; \u6f22");
	out = start();
	safe_put_xml(out, sanitize(clean, sizeof(clean), "\x01\xef\xbf\xbe\xef\xbf\xbf\xff", 8));
	expect(out, "\\x01&lt;U+FFFE&gt;&lt;U+FFFF&gt;\\xff");
}

static void test_markdown_shows_text_as_code(void **state)
{
	static const struct { const char *text, *cell; } known[] = {
		{ "", "" }, { "f<int>&&*_@u", "`f<int>&&*_@u`" },
		{ "a|b", "<code>a&#124;b</code>" },
		{ "`x` <b>@u", "<code>&#96;x&#96; &#60;b&#62;&#64;u</code>" },
		{ "a\\", "<code>a&#92;</code>" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		FILE *out = start();

		safe_put_markdown(out, sanitize_checked(known[i].text));
		expect(out, known[i].cell);
	}
}

UNIT_TESTS(test_safe_print)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_and_safe_text_are_printed_as_by_fprintf),
		cmocka_unit_test(test_foreign_text_passes_the_sanitizer_first),
		cmocka_unit_test(test_text_that_should_be_clean_but_is_not_is_left_out),
		cmocka_unit_test(test_a_character_that_steers_is_a_question_mark),
		cmocka_unit_test(test_special_characters_get_a_backslash),
		cmocka_unit_test(test_csv_quotes_and_marks_formulas),
		cmocka_unit_test(test_xml_has_entities_for_markup),
		cmocka_unit_test(test_markdown_shows_text_as_code),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
