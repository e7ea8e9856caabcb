/* target_match.h - whether a name matches what was typed, and how well: fuzzy, ranked, pure.
 *
 *   typed "vf re"      two words: each must match, anywhere and in any order
 *   name  vfs_read     the letters of a word in their order, with gaps
 *         ^^  ^^       best where words begin (_ . : / or a capital), where letters are neighbours,
 *                      where nothing is left over; the exact name is first
 *
 * A word is found whole when its letters stand together ("fs_r"), or in pieces of which each begins
 * a word ("vfre"). Names in which every word is found whole come before all others: in a name of
 * 200 letters, some letters make up nearly every word.
 *
 * Case counts only when a capital was typed.
 * Thread: any; each thread needs its own struct target_match_work.
 */
#ifndef PROBE_TARGET_MATCH_H
#define PROBE_TARGET_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TARGET_WORDS_MAX	8
#define TARGET_WORD_BYTES	64	/* later letters of a word are ignored */
#define TARGET_TEXT_BYTES	256	/* later bytes of a name are ignored */
#define TARGET_NO_MATCH		INT32_MIN
#define TARGET_SCATTERED	(1 << 20)	/* score penalty for a word not found whole: more
						 * than all else can add or subtract */

struct target_word {
	char letters[TARGET_WORD_BYTES];	/* lower case unless case counts */
	size_t length;
};

struct target_pattern {
	struct target_word words[TARGET_WORDS_MAX];
	size_t count;		/* number of words; 0: everything matches, equally well */
	uint64_t letters;	/* letters that a name must have: target_match_letters() */
	bool has_case;
	bool is_glob;		/* the only word has *, ? or [: it must match the whole name, or the
				 * part after "libc.so.6:" or "sched:" (fnmatch(3)) */
};

/* A name to match against, not terminated. */
struct target_text {
	const char *at;
	size_t length;
	size_t name_at;		/* where the name proper begins, after "libc.so.6:" or "sched:" */
};

/* Work memory, reused for each name: 200 KB. */
struct target_match_work {
	int32_t ends[TARGET_WORD_BYTES][TARGET_TEXT_BYTES];	/* best score: letter i at j */
	int32_t best[TARGET_WORD_BYTES][TARGET_TEXT_BYTES];	/* best score: letter i at j or
								 * before */
	int32_t bonus[TARGET_TEXT_BYTES];
	uint16_t first[TARGET_WORD_BYTES], last[TARGET_WORD_BYTES];	/* where letter i can be */
	bool whole[2][TARGET_TEXT_BYTES];	/* [1][j]: the letters up to the current one, at j,
						 * are found whole; [0]: up to the one before */
};

/* Parses @text as typed; words beyond TARGET_WORDS_MAX are left out. */
void target_pattern_make(struct target_pattern *out, const char *text);

/* Returns one bit per kind of letter in @text[@length], ignoring case: a name that lacks one of a
 * pattern's bits can't match. */
uint64_t target_match_letters(const char *text, size_t length);

/* Scores the match of @text, comparable between names, higher is better. TARGET_NO_MATCH: none. */
int32_t target_match_score(const struct target_pattern *pattern, const struct target_text *text,
			   struct target_match_work *work);
/* True: every word occurs in @text with its letters adjacent. */
bool target_match_has_words(const struct target_pattern *pattern, const struct target_text *text);
/* Returns which of the first 64 characters (UTF-8) of a matching @text match: bit i for i. */
uint64_t target_match_places(const struct target_pattern *pattern, const struct target_text *text,
			     struct target_match_work *work);

#endif
