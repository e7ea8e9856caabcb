/* target_finder.h - the thread that knows every name that can be probed, and finds as one types.
 *
 * Knows:  kernel functions (kallsyms, available_filter_functions), tracepoints, presets; USDT marks
 *         and functions of the mapped objects and of a file that is named. Loaded in the
 *         background, answers over what is there.
 * Search: fuzzy (the letters in order; word beginnings, adjacency and shortness count), ranked,
 *         under 50 ms a key over 150,000 names.
 * Thread: request and reply from one thread (the ui's); the work is a thread's of its own.
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
#define TARGET_NOTE_BYTES  208	/* a reason of struct probe_abilities and more */
#define TARGET_QUERY_BYTES 128

enum target_kind_found {
	TARGET_KERNEL_FUNCTION, TARGET_USER_FUNCTION, TARGET_TRACEPOINT, TARGET_USDT,
	TARGET_PRESET, TARGET_TYPED,	/* what was typed is itself a spec */
	TARGET_LEFTOVER,	/* a dynamic event that another tool, or a dead flametop, left */
};

struct target_result {
	enum target_kind_found kind;
	char spec[TARGET_SPEC_BYTES];	/* "lat:vfs_read", "t:sched:sched_switch": ready to parse */
	char shown[TARGET_SPEC_BYTES];	/* sanitized, demangled */
	char note[TARGET_NOTE_BYTES];	/* "kernel", "libc.so.6", a preset's description */
	uint64_t matched;	/* bit i: character i of `shown` matched, for highlighting */
	bool is_able;		/* false: greyed, `note` says why and what helps */
	bool is_stale;		/* TARGET_LEFTOVER of a dead flametop: may be removed */
};

struct target_reply {
	uint64_t number;	/* of the request */
	size_t matches;		/* in all */
	bool is_loading;	/* more names are on their way */
	size_t count;		/* of `results`, best first */
	struct target_result results[TARGET_RESULTS_MAX];
};

struct target_finder;

struct target_finder_config {
	struct sandbox *sandbox;	/* the caller's, used by nobody else, must outlive it */
	pid_t pid;			/* whose objects come first; 0: those of all processes */
	const struct probe_abilities *abilities;	/* what can't be is greyed with its reason;
							 * must outlive it. NULL: it tries them */
};

int target_finder_create(struct target_finder **out, const struct target_finder_config *config,
			 struct diag *why);
/* False: its thread hangs in a file system and is left behind, with the sandbox. NULL is fine. */
bool target_finder_destroy(struct target_finder *finder);

/* Asks for what matches @text; an older request that was not answered is forgotten. @pid: the
 * process whose program a line of a source file is in; 0: none. Loading begins with the first
 * request: who never searches pays nothing. */
void target_finder_ask(struct target_finder *finder, uint64_t number, const char *text,
		       pid_t pid);
/* The leftovers have changed: they are looked up anew. An answer comes unasked. */
void target_finder_renew(struct target_finder *finder);
/* The newest reply, if it was not taken yet. BORROWED until the next is taken. NULL: none. Comes
 * unasked, too, when more names were loaded. */
const struct target_reply *target_finder_reply(struct target_finder *finder);
int target_finder_fd(const struct target_finder *finder);	/* readable when a reply waits */

#endif
