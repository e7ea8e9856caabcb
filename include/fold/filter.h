/* filter.h - selects the samples that a fold counts: a list of parts, all of which must hold.
 *
 *   A sample is (task, CPU, frames). A part holds for a frame when its field, of the task, the CPU
 *   or that frame's code, has the part's value; a negated part when it has not.
 *   self:  the sample counts for its leaf's row when every part holds for the leaf.
 *   total: it counts once for each row that has a frame for which every part holds.
 * So "command nginx" shows all code of nginx, kernel included, and "DSO libc.so.6" in the view
 * of commands shows which commands use libc.
 *
 * Use:    a plain value: copied into requests, edited part by part by the screen.
 * Thread: the owner's. Pure.
 */
#ifndef FOLD_FILTER_H
#define FOLD_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "capture/record.h"

#define FILTER_TEXT_BYTES 128
#define FILTER_PARTS	  16

enum filter_field {
	FILTER_TEXT,		/* symbol (demangled or as in its file), DSO or command contains
				 * `text`, or matches it (struct filter_text) */
	FILTER_COMMAND,		/* the command's name has `hash` */
	FILTER_DSO,		/* the DSO's path has `hash` */
	FILTER_SYMBOL,		/* the symbol's name, as in its file, has `hash`; `number`
				 * not 0: and its DSO's path has that hash, as every program
				 * has a main */
	FILTER_PID, FILTER_TID, FILTER_CPU,	/* equals `number`; UINT32_MAX is an unknown pid
						 * (-1 in a row), SLICE_CPU_UNKNOWN such a CPU */
	FILTER_CGROUP, FILTER_UNIT, FILTER_CONTAINER, FILTER_POD,	/* name for the process has
						 * `hash`; hash of "": the process has none */
	/* The name of the wait's kind or state, or the comm of its waker, has `hash`; "": none. */
	FILTER_WAIT, FILTER_STATE, FILTER_WAKER,
	FILTER_BY,		/* for hits: the value of key `number` (from 0) of `by` has the
				 * identity `hash` */
	FILTER_KERNEL, FILTER_USER,	/* code of that level, guests included */
};

struct filter_part {
	enum filter_field field;
	bool is_negated;
	uint64_t number;
	uint64_t hash;			/* filter_hash() of the whole name */
	char text[FILTER_TEXT_BYTES];	/* FILTER_TEXT: the text to look for; exact fields: the
					 * name as shown, cut when longer */
};

/* Most parts of FILTER_BY: an entry of a hit has a bit for each that it satisfies. */
#define FILTER_BY_PARTS 8

struct filter {
	struct filter_part parts[FILTER_PARTS];
	uint32_t count;
};

/* Returns the hash that exact fields compare. @name: sanitized, as in a snapshot. */
uint64_t filter_hash(const char *name);

/* Adds a part at the end unless an equal one is there. -ENOSPC: FILTER_PARTS are there already, or
 * FILTER_BY_PARTS of that field;
 * -EINVAL: a regular expression that is none, or text that is too long, with the reason. */
int filter_add(struct filter *filter, const struct filter_part *part, struct diag *why);
void filter_remove(struct filter *filter, uint32_t index);
/* True if both have equal parts in equal order. */
bool filter_is_same(const struct filter *a, const struct filter *b);
/* Returns the index of a part equal to @part, or -1. */
int filter_find(const struct filter *filter, const struct filter_part *part);

/* Checks the text of a FILTER_TEXT part. 0 or -EINVAL with the reason. */
int filter_check_text(const char *text, struct diag *why);
/* Parses a FILTER_TEXT part as the user writes it: "TEXT" or "~RE", or either after a '!', which
 * negates it. @out's text may be empty: there is nothing to look for. 0 or -EINVAL. */
int filter_parse_text(const char *text, struct filter_part *out, struct diag *why);

#define FILTER_PART_BYTES (FILTER_TEXT_BYTES + 24)
/* Formats @part as in the header and the breadcrumbs: "postgres", "without libc.so.6", "pid 4121",
 * "CPU 3", "\"hash\"", "~^tcp_", "no kernel". Into @out[FILTER_PART_BYTES]; returns @out. */
char *filter_format_part(const struct filter_part *part, char *out);

/* The text of a FILTER_TEXT part, compiled for matching.
 *
 * Plain text is a substring; "~..." is a POSIX extended regular expression (regex(7)) without
 * references back (\1), whose braces multiply to at most 100. Smart case: without a capital letter
 * in it, capitals make no difference. */
struct filter_text {
	const char *text;	/* BORROWED */
	bool is_regex, has_capital;
	regex_t regex;		/* owned, if is_regex */
};

/* Compiles @text, which must outlive @out. 0: filter_text_finish() is needed; -EINVAL: a bad
 * regular expression, with the reason; -ENOMEM. After a failure there is nothing to finish. */
int filter_text_init(struct filter_text *out, const char *text, struct diag *why);
void filter_text_finish(struct filter_text *text);

bool filter_text_matches(const struct filter_text *text, const char *name);

#endif
