/* filter.h - which samples a fold counts: a stack of parts, all of which must hold.
 *
 *   A sample is (task, CPU, frames). A part holds for a frame of it when the part's field, of the
 *   task, the CPU or that frame's code, is what the part says; a negated part when it is not.
 *   self:  the sample counts for its leaf's row when every part holds for the leaf.
 *   total: it counts once for each row that has a frame for which every part holds.
 * So "command nginx" shows all code of nginx, kernel included, and "object libc.so.6" in the view
 * of commands who uses libc.
 *
 * Use:    data, not code paths: copied into requests, edited part by part by the screen.
 * Thread: the owner's. Pure.
 */
#ifndef FOLD_FILTER_H
#define FOLD_FILTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "capture/event_record.h"

#define FILTER_TEXT_BYTES 128
#define FILTER_PARTS	  16

enum filter_field {
	FILTER_TEXT,		/* symbol (demangled or as in its file), object or command contains
				 * `text`, or matches it (fold/filter_text.h) */
	FILTER_COMMAND,		/* is exactly the one with `hash` */
	FILTER_OBJECT,		/* by path, exactly */
	FILTER_SYMBOL,		/* by name as in its file, exactly; with `number` only in
				 * the object that has it as its hash: every program has a
				 * main */
	FILTER_PID, FILTER_TID, FILTER_CPU,	/* is `number`; unknown pids, the -1 of a row, are
						 * UINT32_MAX, CPUs SLICE_CPU_UNKNOWN */
	FILTER_CGROUP, FILTER_UNIT, FILTER_CONTAINER, FILTER_POD,	/* the process's, exactly;
						 * `hash` of "": those that are in none */
	FILTER_KERNEL, FILTER_USER,	/* code of that level, guests' too */
};

struct filter_part {
	enum filter_field field;
	bool is_negated;
	uint64_t number;
	uint64_t hash;			/* filter_hash() of the whole name */
	char text[FILTER_TEXT_BYTES];	/* FILTER_TEXT: what is looked for; of the exact ones: the
					 * name as shown, cut when longer */
};

struct filter {
	struct filter_part parts[FILTER_PARTS];
	uint32_t count;
};

/* What the exact fields compare. @name: sanitized, as in a snapshot. */
uint64_t filter_hash(const char *name);

/* Adds a part at the end unless an equal one is there. -ENOSPC: FILTER_PARTS are there already;
 * -EINVAL: a regular expression that is none, or text that is too long, with the reason. */
int filter_add(struct filter *filter, const struct filter_part *part, struct diag *why);
void filter_remove(struct filter *filter, uint32_t index);
/* The same parts in the same order. */
bool filter_is_same(const struct filter *a, const struct filter *b);
/* Index of a part that says the same, or -1. */
int filter_find(const struct filter *filter, const struct filter_part *part);

/* Checks the text of a FILTER_TEXT part. 0 or -EINVAL with the reason. */
int filter_check_text(const char *text, struct diag *why);
/* A FILTER_TEXT part as the user writes it: "TEXT", "~RE", and each with a '!' before it, which
 * negates it. @out's text may be empty: there is nothing to look for. 0 or -EINVAL. */
int filter_parse_text(const char *text, struct filter_part *out, struct diag *why);

#define FILTER_PART_BYTES (FILTER_TEXT_BYTES + 24)
/* As the header and the breadcrumb show it: "postgres", "without libc.so.6", "pid 4121",
 * "CPU 3", "\"hash\"", "~^tcp_", "no kernel". Into @out[FILTER_PART_BYTES]; returns @out. */
char *filter_format_part(const struct filter_part *part, char *out);

#endif
