/* target_match.h - does a name match what was typed, and how well: fuzzy, ranked, pure.
 *
 *   typed "vf re"      two words: each must match, anywhere and in any order
 *   name  vfs_read     the letters of a word in their order, with gaps
 *         ^^  ^^       best where words begin (_ . : / or a capital), where letters are neighbours,
 *                      where nothing is left over; the exact name is first
 *
 * A word is found whole when its letters stand together ("fs_r"), or in pieces of which each begins
 * a word ("vfre"). Names in which every word is found whole come before all others: some letters of
 * a name that has 200 make up nearly every word.
 *
 * Case counts only when a capital was typed.
 * Thread: any; a struct target_match_work is one thread's.
 */
#ifndef PROBE_TARGET_MATCH_H
#define PROBE_TARGET_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TARGET_WORDS_MAX	8
#define TARGET_WORD_BYTES	64	/* more letters of a word are not looked at */
#define TARGET_TEXT_BYTES	256	/* of a name, too */
#define TARGET_NO_MATCH		INT32_MIN
#define TARGET_SCATTERED	(1 << 20)	/* what a word that is not found whole takes off the
						 * score: more than all else can add or take */

struct target_word {
	char letters[TARGET_WORD_BYTES];	/* lower case unless case counts */
	size_t length;
};

struct target_pattern {
	struct target_word words[TARGET_WORDS_MAX];
	size_t count;		/* 0: everything matches, equally well */
	uint64_t letters;	/* that a name must have: target_match_letters() */
	bool has_case;
	bool is_glob;		/* one word with *, ? or [: the whole name, or that behind
				 * "libc.so.6:" or "sched:", is like it (fnmatch(3)) */
};

/* A name to look at, not terminated. */
struct target_text {
	const char *at;
	size_t length;
	size_t name_at;		/* where the name proper begins, behind "libc.so.6:" or "sched:" */
};

/* Room that is used again for each name: 200 KB. */
struct target_match_work {
	int32_t ends[TARGET_WORD_BYTES][TARGET_TEXT_BYTES];	/* letter i is at j: score so far */
	int32_t best[TARGET_WORD_BYTES][TARGET_TEXT_BYTES];	/* letter i is at j or before */
	int32_t bonus[TARGET_TEXT_BYTES];
	uint16_t first[TARGET_WORD_BYTES], last[TARGET_WORD_BYTES];	/* where letter i can be */
	bool whole[2][TARGET_TEXT_BYTES];	/* the letters up to one that is there are found
						 * whole: of the letter before, of this one */
};

/* @text: what was typed; words beyond TARGET_WORDS_MAX are left out. */
void target_pattern_make(struct target_pattern *out, const char *text);

/* A bit for each kind of letter that is in @text[@length], whatever its case: a name whose bits
 * lack one of a pattern's can't match. */
uint64_t target_match_letters(const char *text, size_t length);

/* How well @text matches; TARGET_NO_MATCH: not. Higher is better, among all names. */
int32_t target_match_score(const struct target_pattern *pattern, const struct target_text *text,
			   struct target_match_work *work);
/* Does every word stand in @text, letter by letter? */
bool target_match_has_words(const struct target_pattern *pattern, const struct target_text *text);
/* Which of the first 64 characters (UTF-8) of a @text that matches do so: bit i is character i. */
uint64_t target_match_places(const struct target_pattern *pattern, const struct target_text *text,
			     struct target_match_work *work);

#endif
