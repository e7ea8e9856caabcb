/* What a person means by a few letters: orders that one would agree on without having read the
 * code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "finder/target_match.h"
#include "unit_tests.h"

static struct target_match_work work;

static struct target_text text_of(const char *name)
{
	const char *colon = strrchr(name, ':');

	return (struct target_text){ name, strlen(name), colon ? (size_t)(colon + 1 - name) : 0 };
}

static int32_t score(const char *typed, const char *name)
{
	struct target_text text = text_of(name);
	struct target_pattern pattern;

	target_pattern_make(&pattern, typed);
	return target_match_score(&pattern, &text, &work);
}

static void expect_match(const char *typed, const char *name, bool is_one)
{
	if ((score(typed, name) != TARGET_NO_MATCH) != is_one)
		fail_msg("\"%s\" %s %s", typed, is_one ? "should match" : "should not match", name);
}

static void expect_order(const char *typed, const char *const *names)
{
	for (; names[1]; names++)
		if (score(typed, names[0]) <= score(typed, names[1]))
			fail_msg("\"%s\": %s (%d) should be before %s (%d)", typed, names[0],
				 score(typed, names[0]), names[1], score(typed, names[1]));
}

#define ORDER(typed, ...) expect_order(typed, (const char *const[]){ __VA_ARGS__, NULL })

/* The letters that matched, as marks below the name. */
static void expect_places(const char *typed, const char *name, const char *marks)
{
	struct target_text text = text_of(name);
	struct target_pattern pattern;
	uint64_t matched;
	char got[65] = "";

	target_pattern_make(&pattern, typed);
	assert_int_not_equal(target_match_score(&pattern, &text, &work), TARGET_NO_MATCH);
	matched = target_match_places(&pattern, &text, &work);
	for (size_t i = 0; i < strlen(marks); i++)
		got[i] = matched >> i & 1 ? '^' : ' ';
	assert_string_equal(got, marks);
	assert_int_equal(strlen(marks) < 64 ? matched >> strlen(marks) : 0, 0);
}

static void test_letters_match_in_their_order_with_gaps(void **state)
{
	(void)state;
	expect_match("vr", "vfs_read", true);
	expect_match("vfsread", "vfs_read", true);
	expect_match("rv", "vfs_read", false);
	expect_match("vfs_reads", "vfs_read", false);
	expect_match("aa", "a", false);
	expect_match("", "anything", true);
}

static void test_every_word_must_match_in_any_order(void **state)
{
	(void)state;
	expect_match("read vfs", "vfs_read", true);
	expect_match("  vfs   read ", "vfs_read", true);
	expect_match("vfs write", "vfs_read", false);
	expect_match("libc mal", "libc.so.6:malloc", true);
}

static void test_case_counts_only_when_a_capital_was_typed(void **state)
{
	(void)state;
	expect_match("pyeval", "PyEval_EvalFrame", true);
	expect_match("PyEval", "PyEval_EvalFrame", true);
	expect_match("PyEval", "pyeval_evalframe", false);
	expect_match("Read", "vfs_read", false);
}

static void test_the_exact_name_is_first_then_a_prefix_then_a_word(void **state)
{
	(void)state;
	ORDER("read", "read", "readv", "vfs_read", "thread_stop");
	ORDER("malloc", "libc.so.6:malloc", "libc.so.6:malloc_trim", "libc.so.6:__libc_malloc");
	ORDER("sched_switch", "sched:sched_switch", "sched:sched_switch_mm",
	      "sched:sched_wait_task");
	ORDER("nap", "walk:nap(int, char const*)", "walk:naps", "walk:napms(int)");
}

static void test_of_equal_matches_the_shorter_is_first(void **state)
{
	(void)state;
	ORDER("tcp_send", "tcp_sendmsg", "tcp_sendmsg_locked", "tcp_sendmsg_locked_and_loaded");
}

static void test_begins_of_words_beat_letters_inside(void **state)
{
	(void)state;
	ORDER("tsm", "tcp_send_msg", "itsmine");
	ORDER("ef", "EvalFrame", "xeyfz");
	ORDER("gs", "GetSpeed", "dogs_");
}

static void test_neighbours_beat_gaps(void **state)
{
	(void)state;
	ORDER("alloc", "kalloc", "ka_l_l_o_c");
	ORDER("lock", "spinlock", "slowacky");
}

/* Whatever letters elsewhere add: "futex" is in f(u)nction names of C++ that have hundreds. */
static void test_words_found_whole_beat_scattered_letters(void **state)
{
	static const char scattered[] =
		"node:std::_Function_handler<void(), node::wasi::Unit_Timer_Exception>::file_opens"
		"_Pairs_Each_Name(Sink, file_utf8_text_extra)";

	(void)state;
	ORDER("fup", "zzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzzfupz", scattered);
	ORDER("le op", "zzzzzzzzzzzzzzzle_zzzzzzzzzzzzzop", "libc.so.6:l_ea_o_xp");
	ORDER("vfre", "vfs_read", "vafarae");		/* pieces that begin words */
	ORDER("vfsread", "vfs_read", "vfssroead");
	ORDER("ef", "zzzzzzzzzzzzzzzzzzzzEval_zzzzzzzzzzzzzFrame", "elf");
	ORDER("read_ vd", "vfs_read_v_data", "vfs_read_video");
	ORDER("aab", "aa_xxxxxxxx_b", "aa_xb");
}

static void test_what_matched_is_marked(void **state)
{
	(void)state;
	expect_places("vr", "vfs_read",
			    "^   ^   ");
	expect_places("re", "core_read",
			    "     ^^  ");
	expect_places("read vfs", "vfs_read",
				  "^^^ ^^^^");
	expect_places("mal", "libc.so.6:malloc",
			     "          ^^^   ");
}

static void test_marks_are_of_characters_not_of_bytes(void **state)
{
	(void)state;
	expect_places("b", "\xc3\xa4\xc3\xb6" "b",
			   "  ^");
}

static void test_long_names_and_words_do_no_harm(void **state)
{
	char name[600], typed[600];

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	memcpy(typed, name, sizeof(typed));
	expect_match(typed, name, true);
	expect_match("b", name, false);
	name[0] = '\0';
	expect_match("b", name, false);
}

/* With bits that are too few nothing would be lost, with wrong ones names would. */
static void test_a_name_that_matches_has_all_letters_of_the_pattern(void **state)
{
	static const char *const pairs[][2] = { { "vr", "VFS_READ" }, { "a.b", "xa.cB" },
						{ "0_9", "z0__9" }, { "\xc3\xa4", "k\xc3\xa4se" } };

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct target_pattern pattern;

		target_pattern_make(&pattern, pairs[i][0]);
		expect_match(pairs[i][0], pairs[i][1], true);
		assert_int_equal(pattern.letters &
				 ~target_match_letters(pairs[i][1], strlen(pairs[i][1])), 0);
	}
}

/* Every score against the definition: the best over all ways to place the letters. */
static int32_t best_by_trying(const char *typed, const char *name, size_t letter, size_t from,
			      int32_t sum, bool is_adjacent)
{
	const size_t length = strlen(name);
	int32_t best = TARGET_NO_MATCH;

	if (!typed[letter])
		return sum - (int32_t)(length - from);	/* one for each that trails */
	for (size_t j = from; j < length; j++) {
		const int32_t gap = letter ? 2 * (int32_t)(j - from) : (int32_t)j;
		int32_t bonus = j == 0 ? 190 : name[j - 1] == '_' && name[j] != '_' ? 160 : 0;
		int32_t here;

		if (name[j] != typed[letter])
			continue;
		if (j == from && is_adjacent && bonus < 200)
			bonus = 200;
		here = best_by_trying(typed, name, letter + 1, j + 1, sum + bonus - gap, true);
		best = here > best ? here : best;
	}
	return best;
}

/* Found whole: the letters stand together, or in pieces of which each begins a word. */
static bool is_in_pieces(const char *typed, const char *name, size_t from)
{
	if (!*typed)
		return true;
	for (size_t j = from; name[j]; j++) {
		if (j > 0 && (name[j - 1] != '_' || name[j] == '_'))
			continue;	/* no word begins here */
		for (size_t n = 0; typed[n] && typed[n] == name[j + n]; n++)
			if (is_in_pieces(typed + n + 1, name, j + n + 1))
				return true;
	}
	return false;
}

static int32_t score_by_trying(const char *typed, const char *name)
{
	const int32_t best = best_by_trying(typed, name, 0, 0, 0, false);

	if (best == TARGET_NO_MATCH || strstr(name, typed) || is_in_pieces(typed, name, 0))
		return best;
	return best - TARGET_SCATTERED;
}

static void test_scores_are_the_best_over_all_ways_to_match(void **state)
{
	static const char *const letters = "ab_";
	char name[8], typed[5];

	(void)state;
	for (int i = 0; i < 3 * 3 * 3 * 3 * 3 * 3 * 3; i++) {
		for (int j = 0, rest = i; j < 7; j++, rest /= 3)
			name[j] = letters[rest % 3];
		name[7] = '\0';
		for (int k = 0; k < 3 * 3 * 3 * 3; k++) {
			for (int j = 0, rest = k; j < 4; j++, rest /= 3)
				typed[j] = letters[rest % 3];
			typed[4] = '\0';
			if (score(typed, name) != score_by_trying(typed, name))
				fail_msg("%s in %s: %d, not %d", typed, name, score(typed, name),
					 score_by_trying(typed, name));
		}
	}
}

static void test_a_pattern_is_one_of_the_whole_name(void **state)
{
	(void)state;
	expect_match("sched:*", "sched:sched_switch", true);
	expect_match("sched_*", "sched:sched_switch", true);	/* without its group */
	expect_match("sched:sched_wak?", "sched:sched_waki", true);
	expect_match("sched:sched_wak?", "sched:sched_waking", false);
	expect_match("sched:*", "Check:Sched", false);
	expect_match("*switch", "sched:sched_switch", true);
	expect_match("mall[op]c", "libc.so.6:malloc", true);
	expect_match("mall[op]c", "libc.so.6:mallinfo", false);
	expect_match("VFS_*", "vfs_read", false);
	expect_match("vfs_*", "VFS_READ", true);	/* capitals count if one has any */
}

UNIT_TESTS(test_target_match)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_pattern_is_one_of_the_whole_name),
		cmocka_unit_test(test_letters_match_in_their_order_with_gaps),
		cmocka_unit_test(test_every_word_must_match_in_any_order),
		cmocka_unit_test(test_case_counts_only_when_a_capital_was_typed),
		cmocka_unit_test(test_the_exact_name_is_first_then_a_prefix_then_a_word),
		cmocka_unit_test(test_of_equal_matches_the_shorter_is_first),
		cmocka_unit_test(test_begins_of_words_beat_letters_inside),
		cmocka_unit_test(test_neighbours_beat_gaps),
		cmocka_unit_test(test_words_found_whole_beat_scattered_letters),
		cmocka_unit_test(test_what_matched_is_marked),
		cmocka_unit_test(test_marks_are_of_characters_not_of_bytes),
		cmocka_unit_test(test_long_names_and_words_do_no_harm),
		cmocka_unit_test(test_a_name_that_matches_has_all_letters_of_the_pattern),
		cmocka_unit_test(test_scores_are_the_best_over_all_ways_to_match),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
