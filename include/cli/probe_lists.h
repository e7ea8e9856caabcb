/* probe_lists.h - --list-targets and --list-probes: what can be probed, and what is.
 * Thread: main. */
#ifndef CLI_PROBE_LISTS_H
#define CLI_PROBE_LISTS_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/diag.h"

/* Prints what the finder finds for @pattern, best first: a line "SPEC<tab>where or what it is", or
 * "SPEC<tab>cannot: reason"; at most @max of them (0: TARGET_RESULTS_MAX), and how many more there
 * are in a line that begins with "#". Where a name is what was asked for, none that is merely like
 * it. Waits until all names are loaded. @pid: whose files come first, 0: nobody's.
 * 0; -ENOENT nothing matches; or -errno of the finder. No thread may run yet. */
int probe_lists_print_targets(FILE *out, const char *pattern, size_t max, pid_t pid,
			      struct diag *why);

/* Prints the dynamic events of everybody as their definitions, a line each; behind those of
 * flametop a tab and whose they are. 0 or -errno of trace_group_list_all(). */
int probe_lists_print_probes(FILE *out, struct diag *why);

#endif
