/* target_query.h - what was typed into the finder, taken apart.
 *
 *   "vfs re"                   words, over all kinds
 *   "kr:vfs_re"                only kernel functions; what is found becomes "kr:vfs_read"
 *   "t:sched:sw"               only tracepoints
 *   "/usr/bin/perl:pp_ma"      functions and marks of that file, which is read for it; the path may
 *                              be relative
 *
 * Thread: any, pure.
 */
#ifndef PROBE_TARGET_QUERY_H
#define PROBE_TARGET_QUERY_H

#include <stdbool.h>

#include "probe/target_finder.h"
#include "probe/target_match.h"

struct target_query {
	char text[TARGET_QUERY_BYTES];	/* as typed, without blanks at the begin */
	char prefix[8];			/* "kr:", as a spec begins with; "": none was typed */
	unsigned int kinds;		/* a bit of each enum target_kind_found that is meant */
	char path[TARGET_QUERY_BYTES];	/* as typed; "": no file is named */
	char words[TARGET_QUERY_BYTES];	/* what is searched */
	struct target_pattern pattern;	/* of them */
};

/* @text is cut to TARGET_QUERY_BYTES - 1. */
void target_query_make(struct target_query *out, const char *text);

/* How the spec of a result of @kind begins: as typed, or with what is of most use. */
const char *target_query_prefix(const struct target_query *query, enum target_kind_found kind);

#endif
