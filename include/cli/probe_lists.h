/* probe_lists.h - --list-targets and --list-probes: the possible and the present probes.
 * Thread: main. */
#ifndef CLI_PROBE_LISTS_H
#define CLI_PROBE_LISTS_H

#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/diag.h"

/* Prints the finder's results for @pattern, best first, as lines "SPEC<tab>where or what it is" or
 * "SPEC<tab>cannot: reason": at most @max (0: TARGET_RESULTS_MAX), then the number of further ones
 * in a line that begins with "#". If a name equals the pattern, merely similar ones are left out.
 * Waits until all names are loaded. The files of process @pid (0: none) come first.
 * 0; -ENOENT: nothing matches; or -errno of the finder. No thread may run yet. */
int probe_lists_print_targets(FILE *out, const char *pattern, size_t max, pid_t pid,
			      struct diag *why);

/* Prints the definitions of all dynamic events in the system, a line each; those of flametop are
 * followed by a tab and their owner. 0 or -errno of trace_group_list_all(). */
int probe_lists_print_probes(FILE *out, struct diag *why);

#endif
