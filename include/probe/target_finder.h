/* target_finder.h - the thread that knows every name that can be probed, and searches as one types.
 *
 * Knows:  kernel functions (kallsyms, available_filter_functions), tracepoints, presets; USDT
 *         probes and functions of the mapped objects and of a file that is named. Names are loaded
 *         in the background; a reply covers what is loaded.
 * Search: fuzzy (the letters in order; word beginnings, adjacency and shortness count), ranked,
 *         under 50 ms a key over 150,000 names.
 * Thread: request and reply from one thread (the ui's); the work is done in a thread of its own.
 */
#ifndef PROBE_TARGET_FINDER_H
#define PROBE_TARGET_FINDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "probe/probe_attach.h"
#include "sandbox/sandbox.h"

#define TARGET_RESULTS_MAX 100
#define TARGET_SPEC_BYTES  320
#define TARGET_NOTE_BYTES  208	/* fits a reason of struct probe_abilities, and more */
#define TARGET_QUERY_BYTES 128

enum target_kind_found {
	TARGET_KERNEL_FUNCTION, TARGET_USER_FUNCTION, TARGET_TRACEPOINT, TARGET_USDT,
	TARGET_PRESET, TARGET_TYPED,	/* TARGET_TYPED: the query is itself a spec */
	TARGET_LEFTOVER,	/* a dynamic event that another tool, or a dead flametop, left */
};

struct target_result {
	enum target_kind_found kind;
	char spec[TARGET_SPEC_BYTES];	/* ready to parse: "lat:vfs_read", "t:sched:sched_switch" */
	char shown[TARGET_SPEC_BYTES];	/* display text: sanitized, demangled */
	char note[TARGET_NOTE_BYTES];	/* "kernel", "libc.so.6", or a preset's description */
	uint64_t matched;	/* bit i: character i of `shown` matched, for highlighting */
	bool is_able;		/* false: shown greyed; `note` has reason and remedy */
	bool is_stale;		/* TARGET_LEFTOVER from a dead flametop: may be removed */
};

struct target_reply {
	uint64_t number;	/* number of the request */
	size_t matches;		/* number of all matches */
	bool is_loading;	/* more names are being loaded */
	size_t count;		/* number of `results`, which are sorted best first */
	struct target_result results[TARGET_RESULTS_MAX];
};

struct target_finder;

struct target_finder_config {
	struct sandbox *sandbox;	/* BORROWED; used by nobody else; must outlive the finder */
	pid_t pid;			/* process whose objects come first; 0: those of all */
	const struct probe_abilities *abilities;	/* greys targets that lack one; must outlive
							 * the finder. NULL: tried */
};

int target_finder_create(struct target_finder **out, const struct target_finder_config *config,
			 struct diag *why);
/* False: its thread hangs in a file system and is left behind, with the sandbox. NULL is fine. */
bool target_finder_destroy(struct target_finder *finder);

/* Requests the matches for @text; replaces an older request without a reply. @pid: the process
 * whose program a source line is in; 0: none. Loading begins with the first request: no cost
 * without a search. */
void target_finder_ask(struct target_finder *finder, uint64_t number, const char *text,
		       pid_t pid);
/* Loads the leftovers again, after they have changed. A reply comes without a request. */
void target_finder_renew(struct target_finder *finder);
/* Returns the newest reply, once; else NULL. BORROWED until the next one is taken. Also comes
 * without a request, when more names were loaded. */
const struct target_reply *target_finder_reply(struct target_finder *finder);
int target_finder_fd(const struct target_finder *finder);	/* readable when a reply waits */

#endif
