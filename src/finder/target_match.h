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
#ifndef FINDER_TARGET_MATCH_H
#define FINDER_TARGET_MATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "finder/targets.h"

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

/* What was typed into the finder.
 *
 *   "vfs re"                   words, searched in all kinds of targets
 *   "kr:vfs_re"                only kernel functions; a result's spec is "kr:vfs_read"
 *   "t:sched:sw"               only tracepoints
 *   "e:cache miss"             events to be sampled, tracepoints among them
 *   "/usr/bin/perl:pp_ma"      functions and USDT probes of that file, which is loaded for it; the
 *                              path may be relative
 *   "kprobe:f { @ = count(); }"   a one-liner of bpftrace or ply */
struct target_query {
	char text[TARGET_QUERY_BYTES];	/* as typed, without leading blanks */
	char prefix[8];			/* prefix of a spec, as typed: "kr:"; "": none */
	unsigned int kinds;		/* one bit per enum target_kind_found to search */
	char path[TARGET_QUERY_BYTES];	/* file to search, as typed; "": none is named */
	char words[TARGET_QUERY_BYTES];	/* words to search for */
	struct target_pattern pattern;	/* pattern made of `words` */
	bool is_one_liner;		/* `text` is to be translated: nothing is searched */
};

/* Parses @text, which is cut to TARGET_QUERY_BYTES - 1. */
void target_query_make(struct target_query *out, const char *text);

/* Returns the prefix for the spec of a result of @kind: as typed, or the most useful one. */
const char *target_query_prefix(const struct target_query *query, enum target_kind_found kind);

#endif
