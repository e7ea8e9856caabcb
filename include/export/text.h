/* text.h - a snapshot as plain text lines, for pipes, logs and dumb terminals. Thread: any. */
#ifndef EXPORT_TEXT_H
#define EXPORT_TEXT_H

#include <stdio.h>

#include "analyzer/snapshot.h"
#include "fold/filter.h"

struct export_options {
	struct filter filter;	/* the snapshot's filter, for the header */
	bool show_idle;		/* include rows of idle samples */
	bool has_period;	/* add the sum of each row's periods */
	bool has_source;	/* add each row's source line */
	bool has_groups;	/* a tree of groups was requested: text shows it instead of rows */
	bool by_total;		/* sort rows of a compared snapshot by the change of total */
	size_t max_rows;	/* SIZE_MAX: all; else the output says how many are left out */
};

/* Writes header and table of one snapshot, without the chain behind it; see text_has_all_events().
 * Errors stay in @out (ferror(3)). */
void text_write(FILE *out, const struct snapshot *snapshot, const struct export_options *options);
/* True if the table of @snapshot has all events of its chain as groups: the snapshots after it in
 * the chain then have no groups. */
bool text_has_all_events(const struct snapshot *snapshot, const struct export_options *options);

#endif
