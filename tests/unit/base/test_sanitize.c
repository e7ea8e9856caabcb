/* What foreign text looks like after the door. Expected values are written out by hand from the
 * rules in base/sanitize.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/sanitize.h"
#include "unit_tests.h"

static void expect(const char *in, size_t len, const char *wanted)
{
	char out[256];
	size_t got = sanitize_text(out, sizeof(out), in, len);

	assert_string_equal(out, wanted);
	assert_int_equal(got, strlen(wanted));
	assert_int_equal(sanitize_is_clean(in, len),
			 len == strlen(wanted) && !memcmp(in, wanted, len));
}

static void expect_text(const char *in, const char *wanted)
{
	expect(in, strlen(in), wanted);
}

static void test_every_single_byte_is_printable_ascii_or_escaped(void **state)
{
	(void)state;
	for (unsigned int byte = 1; byte < 256; byte++) {
		char in = (char)byte, wanted[8];

		if (byte >= 0x20 && byte < 0x7f)
			snprintf(wanted, sizeof(wanted), "%c", (int)byte);
		else
			snprintf(wanted, sizeof(wanted), "\\x%02x", byte);
		expect(&in, 1, wanted);
	}
}

static void test_nul_ends_the_text(void **state)
{
	char out[8];

	(void)state;
	assert_int_equal(sanitize_text(out, sizeof(out), "ab\0cd", 5), 2);
	assert_string_equal(out, "ab");
	assert_false(sanitize_is_clean("ab\0cd", 5));
	assert_true(sanitize_is_clean("", 0));
}

static void test_letters_of_the_world_stay(void **state)
{
	(void)state;
	expect_text("std::vector<int>::at(size_t) [clone .isra.0]",
		    "std::vector<int>::at(size_t) [clone .isra.0]");
	expect_text("Größe", "Größe");
	expect_text("日本語", "日本語");
	expect_text("\xf0\x9f\x94\xa5", "\xf0\x9f\x94\xa5");		/* U+1F525, four bytes */
	expect_text("C:\\x", "C:\\x");
}

static void test_terminal_sequences_lose_their_lead(void **state)
{
	(void)state;
	expect_text("\033[2J", "\\x1b[2J");
	expect_text("\033]0;title\007", "\\x1b]0;title\\x07");
	expect_text("\xc2\x9b" "2J", "\\x9b2J");	/* C1 CSI as UTF-8 */
	expect_text("\x9b" "2J", "\\x9b2J");		/* C1 CSI as a raw byte */
	expect_text("a\r\nb\tc", "a\\x0d\\x0ab\\x09c");
}

static void test_bidi_and_invisible_characters_are_written_out(void **state)
{
	static const struct {
		uint32_t code;
		const char *utf8;
	} cases[] = {
		{ 0x00ad, "\xc2\xad" },		{ 0x061c, "\xd8\x9c" },
		{ 0x200b, "\xe2\x80\x8b" },	{ 0x200d, "\xe2\x80\x8d" },
		{ 0x200e, "\xe2\x80\x8e" },	{ 0x200f, "\xe2\x80\x8f" },
		{ 0x2028, "\xe2\x80\xa8" },	{ 0x2029, "\xe2\x80\xa9" },
		{ 0x202a, "\xe2\x80\xaa" },	{ 0x202e, "\xe2\x80\xae" },
		{ 0x2060, "\xe2\x81\xa0" },	{ 0x2066, "\xe2\x81\xa6" },
		{ 0x2069, "\xe2\x81\xa9" },	{ 0xfeff, "\xef\xbb\xbf" },
		{ 0xe000, "\xee\x80\x80" },	{ 0xfffe, "\xef\xbf\xbe" },
		{ 0xd800, "\xed\xa0\x80" },	{ 0xdfff, "\xed\xbf\xbf" },
		{ 0xe0041, "\xf3\xa0\x81\x81" },	/* a tag character */
		{ 0x10ffff, "\xf4\x8f\xbf\xbf" },
		{ 0x40000, "\xf1\x80\x80\x80" },	/* an empty plane */
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char in[16], wanted[24];

		snprintf(in, sizeof(in), "a%sb", cases[i].utf8);
		snprintf(wanted, sizeof(wanted), "a<U+%04X>b", (unsigned int)cases[i].code);
		expect_text(in, wanted);
	}
}

static void test_one_combining_mark_stays_and_a_second_is_written_out(void **state)
{
	(void)state;
	expect_text("e\xcc\x81", "e\xcc\x81");
	expect_text("e\xcc\x81\xcc\x82", "e\xcc\x81<U+0302>");
	expect_text("e\xcc\x81" "e\xcc\x81", "e\xcc\x81" "e\xcc\x81");
	expect_text("\xcc\x81" "e", "<U+0301>e");	/* nothing to sit on */
	expect_text("\xc3\xa9\xcc\x81", "\xc3\xa9\xcc\x81");
}

static void test_overlong_and_broken_sequences_are_bytes(void **state)
{
	(void)state;
	expect_text("\xc0\xaf", "\\xc0\\xaf");			/* '/' in two bytes */
	expect_text("\xc1\x9b", "\\xc1\\x9b");			/* '[' in two bytes */
	expect_text("\xe0\x80\x9b", "\\xe0\\x80\\x9b");		/* ESC's friend in three */
	expect_text("\xf0\x80\x80\x9b", "\\xf0\\x80\\x80\\x9b");
	expect_text("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");	/* above U+10FFFF */
	expect_text("\xf8\x88\x80\x80\x80", "\\xf8\\x88\\x80\\x80\\x80");
	expect_text("\xe2\x82", "\\xe2\\x82");			/* ends too early */
	expect_text("\xe2\x82" "A", "\\xe2\\x82" "A");
	expect_text("\x80\x80", "\\x80\\x80");
	expect("\xe2\x82\xac", 2, "\\xe2\\x82");		/* @len cuts the character */
}

static void test_output_is_cut_between_characters(void **state)
{
	static const char *const wanted[] = {
		"", "", "\xc3\xa9", "\xc3\xa9", "\xc3\xa9", "\xc3\xa9", "\xc3\xa9\\x1b",
		("\xc3\xa9\\x1b" "a"),
	};
	const char in[] = "\xc3\xa9\033a";
	char out[16];

	(void)state;
	for (size_t room = 0; room < sizeof(wanted) / sizeof(wanted[0]); room++) {
		memset(out, '#', sizeof(out));
		assert_int_equal(sanitize_text(out, room + 1, in, sizeof(in) - 1),
				 strlen(wanted[room]));
		assert_string_equal(out, wanted[room]);
		assert_int_equal(out[room + 1], '#');
	}
}

/* xorshift64: any stream of bytes will do, but the same one each time. */
static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void test_its_own_output_is_clean_whatever_came_in(void **state)
{
	/* Bytes that begin, continue and end the sequences of interest. */
	static const unsigned char alphabet[] = {
		'a', '<', '\\', 0x1b, 0x7f, 0x80, 0x81, 0x8b, 0x9b, 0xa0, 0xac, 0xae, 0xbf,
		0xc0, 0xc2, 0xcc, 0xcd, 0xd8, 0xe0, 0xe2, 0xed, 0xee, 0xef, 0xf0, 0xf3, 0xf4, 0xff,
	};
	uint64_t seed = 0x9e3779b97f4a7c15ull;

	(void)state;
	for (int round = 0; round < 200000; round++) {
		char in[24], out[64], again[64];
		size_t len = next_random(&seed) % sizeof(in), cap = 1 + next_random(&seed) % 64;
		size_t used;

		for (size_t i = 0; i < len; i++)
			in[i] = (char)alphabet[next_random(&seed) % sizeof(alphabet)];
		used = sanitize_text(out, cap, in, len);
		assert_true(used < cap);
		assert_true(sanitize_is_clean(out, used));
		assert_int_equal(sanitize_text(again, sizeof(again), out, used), used);
		assert_memory_equal(out, again, used);
	}
}

UNIT_TESTS(test_sanitize)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_single_byte_is_printable_ascii_or_escaped),
		cmocka_unit_test(test_nul_ends_the_text),
		cmocka_unit_test(test_letters_of_the_world_stay),
		cmocka_unit_test(test_terminal_sequences_lose_their_lead),
		cmocka_unit_test(test_bidi_and_invisible_characters_are_written_out),
		cmocka_unit_test(test_one_combining_mark_stays_and_a_second_is_written_out),
		cmocka_unit_test(test_overlong_and_broken_sequences_are_bytes),
		cmocka_unit_test(test_output_is_cut_between_characters),
		cmocka_unit_test(test_its_own_output_is_clean_whatever_came_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
