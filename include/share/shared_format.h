/* shared_format.h - formats in which others can open a window: stacks, text, tables or a flame
 * graph. The end of a file's name says which.
 *
 * Thread: any. */
#ifndef SHARE_SHARED_FORMAT_H
#define SHARE_SHARED_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "analyzer/snapshot.h"
#include "export/print.h"

enum shared_format {
	SHARED_FOLDED,		/* .folded, and every other end */
	SHARED_TEXT,		/* .txt: the table that --format text prints */
	SHARED_JSON,		/* .json */
	SHARED_CSV,		/* .csv */
	SHARED_MARKDOWN,	/* .md */
	SHARED_FLAME_GRAPH,	/* .svg */
	SHARED_PAGE,		/* .html: activity graph, table and flame graph for a browser */
	SHARED_PPROF,		/* .pb.gz: pprof's profile.proto, compressed by gzip */
};

/* Parts that a format takes from a snapshot. */
enum shared_needs {
	SHARED_NEEDS_SHOWN,	/* rows, or the tree that is shown */
	SHARED_NEEDS_STACKS,	/* the tree of all callees, below commands */
	SHARED_NEEDS_TASKS,	/* the samples by task and stack */
	SHARED_NEEDS_PAGE,	/* that tree, rows by DSO and symbol, and the activity graph */
};

struct shared_options {
	enum shared_format format;
	struct table_options table;	/* .print and .layer hold for all formats */
	bool marks_kernel;	/* folded: see folded_write() */
	const char *command;	/* command line that prints the same; "": unknown. BORROWED */
};

/* Returns the format of a file named @path. *@is_known: its end is one of those above. */
enum shared_format shared_format_find(const char *path, bool *is_known);
/* Returns the ends that formats have, one for each index from 0 on; NULL: there are no more. */
const char *shared_format_end(size_t index);
/* Returns what the format with that end has, in few words. */
const char *shared_format_words(size_t index);
enum shared_needs shared_format_needs(enum shared_format format);
/* Returns the value of the REQUEST_STACKS whose reply has what @needs says. */
uint32_t shared_format_request(enum shared_needs needs, bool with_idle, bool with_inlined);

/* Chooses how the tables of @out are written in its format: the style, and unless @max_rows says it
 * the number of rows. Markdown is for people, who get 40. */
void shared_options_choose(struct shared_options *out, size_t max_rows);

/* Writes @snapshot, and for most formats the chain after it; it has what its format needs. 0 or
 * -errno; errors of @out stay in @out, too (ferror(3)). */
int shared_write(FILE *out, const struct snapshot *snapshot, const struct shared_options *options);

#endif
