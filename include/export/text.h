/* text.h - a snapshot as plain text lines, for pipes, logs and dumb terminals. Thread: any. */
#ifndef EXPORT_TEXT_H
#define EXPORT_TEXT_H

#include <stdio.h>

#include "analyzer/snapshot.h"
#include "fold/filter.h"

struct export_options {
	struct filter filter;	/* the snapshot's: told in the head */
	bool show_idle;		/* rows of idle samples, too */
	bool has_period;	/* the sum of each row's periods, too */
	bool has_source;	/* where each row comes from, too */
	bool has_groups;	/* the tree of groups was asked for: text has it in place of rows */
	bool by_total;		/* rows of a compared snapshot: by the change of their total */
	size_t max_rows;	/* SIZE_MAX: all; what is left out is said */
};

/* Header and table of one snapshot (not of the chain, but see below). Errors stay in @out
 * (ferror(3)). */
void text_write(FILE *out, const struct snapshot *snapshot, const struct export_options *options);
/* True when its table has the events of the whole chain as groups: those behind @snapshot in the
 * chain have none of their own. */
bool text_has_all_events(const struct snapshot *snapshot, const struct export_options *options);

#endif
