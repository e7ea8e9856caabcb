/* targets.h - what can be probed or sampled, and the thread that finds it by name. */
#ifndef FINDER_TARGETS_H
#define FINDER_TARGETS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "sandbox/sandbox.h"

/* What can be probed or sampled: the kinds of targets, how one is shown, and where they are looked
 * for. Thread: constant; any.
 */

#define TARGET_RESULTS_MAX 100
#define TARGET_SPEC_BYTES  1024	/* fits the specs of a preset */
#define TARGET_SHOWN_BYTES 320
#define TARGET_NOTE_BYTES  208	/* fits a reason of struct probe_abilities, and more */
#define TARGET_QUERY_BYTES 384	/* one-liners of bpftrace have 50 to 300 */
#define TARGET_EVENTS	   "e:"	/* begins a query for events to be sampled */

enum target_kind_found {
	TARGET_KERNEL_FUNCTION, TARGET_USER_FUNCTION, TARGET_TRACEPOINT, TARGET_USDT,
	TARGET_PRESET, TARGET_TYPED,	/* TARGET_TYPED: the query is itself a spec */
	TARGET_LEFTOVER,	/* a dynamic event that another tool, or a dead flametop, left */
	/* Events to be sampled, of capture/event.h; tracepoints are found twice: as an event and as
	 * a probe. */
	TARGET_HARDWARE_EVENT, TARGET_SOFTWARE_EVENT, TARGET_CACHE_EVENT, TARGET_PMU_EVENT,
	TARGET_EVENT_FORM, TARGET_TRACEPOINT_EVENT,
	TARGET_PROBE,		/* a probe of this run: the screen knows them, the finder not */
};

static inline bool target_is_event(enum target_kind_found kind)
{
	return kind >= TARGET_HARDWARE_EVENT && kind <= TARGET_TRACEPOINT_EVENT;
}

struct target_result {
	enum target_kind_found kind;
	char spec[TARGET_SPEC_BYTES];	/* ready to parse: "lat:vfs_read", "t:sched:sched_switch";
					 * of a preset of several probes a line each; of one that
					 * needs a value: the text before it */
	char shown[TARGET_SHOWN_BYTES];	/* display text: sanitized, demangled */
	char note[TARGET_NOTE_BYTES];	/* "kernel", "libc.so.6", or what a preset shows */
	uint64_t matched;	/* bit i: character i of `shown` matched, for highlighting */
	bool is_able;		/* false: shown greyed; `note` has reason and remedy */
	bool is_event;		/* `spec` is for -e */
	bool is_counted;	/* is_event: it can't be sampled, but counted beside samples */
	bool is_stale;		/* TARGET_LEFTOVER from a dead flametop: may be removed */
};

struct probe_abilities;
struct presets;

/* Where targets are looked for. */
struct target_config {
	struct sandbox *sandbox;	/* BORROWED; used by nobody else; must outlive the finder */
	const struct presets *presets;	/* BORROWED, must outlive the finder; NULL: those that
					 * flametop comes with */
	pid_t pid;			/* process whose DSOs come first; 0: those of all */
	const struct probe_abilities *abilities;	/* greys targets that lack one; must outlive
							 * the finder. NULL: tried */
	bool has_events;	/* events to be sampled are found, too */
};

/* The thread that knows every name that can be probed, and searches as one types.
 *
 * Knows:  kernel functions (kallsyms, available_filter_functions), tracepoints, presets; USDT
 *         probes and functions of the mapped DSOs and of a file that is named; events to be
 *         sampled, which alone are loaded for a query that begins with TARGET_EVENTS. Names are
 *         loaded in the background; a reply covers what is loaded.
 * Search: fuzzy (the letters in order; word beginnings, adjacency and shortness count), ranked,
 *         under 50 ms a key over 150,000 names.
 * Thread: request and reply from one thread (the ui's); the work is done in a thread of its own.
 */

struct target_reply {
	uint64_t number;	/* number of the request */
	size_t matches;		/* number of all matches */
	bool is_loading;	/* more names are being loaded */
	char words[TARGET_QUERY_BYTES];	/* words that were searched for: @text but kind and file */
	size_t count;		/* number of `results`, which are sorted best first */
	struct target_result results[TARGET_RESULTS_MAX];
};

struct target_finder;

int target_finder_create(struct target_finder **out, const struct target_config *config,
			 struct diag *why);
/* False: its thread hangs in a file system and is left behind, with the sandbox. NULL is fine. */
bool target_finder_destroy(struct target_finder *finder);

/* Requests the matches for @text; replaces an older request without a reply. @pid: the process
 * whose program a source line is in; 0: none. Loading begins with the first request: no cost
 * without a search. */
void target_finder_ask(struct target_finder *finder, uint64_t number, const char *text, pid_t pid);
/* Loads the leftovers again, after they have changed. A reply comes without a request. */
void target_finder_renew(struct target_finder *finder);
/* Returns the newest reply, once; else NULL. BORROWED until the next one is taken. Also comes
 * without a request, when more names were loaded. */
const struct target_reply *target_finder_reply(struct target_finder *finder);
int target_finder_fd(const struct target_finder *finder);	/* readable when a reply waits */

#endif
