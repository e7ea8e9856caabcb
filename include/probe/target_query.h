/* target_query.h - parses what was typed into the finder.
 *
 *   "vfs re"                   words, searched in all kinds of targets
 *   "kr:vfs_re"                only kernel functions; a result's spec is "kr:vfs_read"
 *   "t:sched:sw"               only tracepoints
 *   "/usr/bin/perl:pp_ma"      functions and USDT probes of that file, which is loaded for it; the
 *                              path may be relative
 *
 * Thread: any, pure.
 */
#ifndef PROBE_TARGET_QUERY_H
#define PROBE_TARGET_QUERY_H

#include <stdbool.h>

#include "probe/target_finder.h"
#include "probe/target_match.h"

struct target_query {
	char text[TARGET_QUERY_BYTES];	/* as typed, without leading blanks */
	char prefix[8];			/* prefix of a spec, as typed: "kr:"; "": none */
	unsigned int kinds;		/* one bit per enum target_kind_found to search */
	char path[TARGET_QUERY_BYTES];	/* file to search, as typed; "": none is named */
	char words[TARGET_QUERY_BYTES];	/* words to search for */
	struct target_pattern pattern;	/* pattern made of `words` */
};

/* Parses @text, which is cut to TARGET_QUERY_BYTES - 1. */
void target_query_make(struct target_query *out, const char *text);

/* Returns the prefix for the spec of a result of @kind: as typed, or the most useful one. */
const char *target_query_prefix(const struct target_query *query, enum target_kind_found kind);

#endif
