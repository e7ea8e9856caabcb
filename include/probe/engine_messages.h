/* engine_messages.h - what goes to the probe engine and comes from it: requests of the ui and their
 * replies, and events to the analyzer: which probes exist, how their records are read, their state
 * and counts.
 *
 * A probe is an event of the timeline: number PROBE_EVENT_FIRST + slot (timeline/timeline.h). Slots
 * are reused in rotation; on ENGINE_EVENT_REMOVED the analyzer drops what was counted under one.
 * Thread: a message is made by its sender's thread and owned by its receiver's once taken.
 */
#ifndef PROBE_ENGINE_MESSAGES_H
#define PROBE_ENGINE_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "probe/probe_definition.h"

#define PROBE_SLOTS 64		/* probes at a time, functions of wildcards included */

enum probe_state {
	PROBE_ATTACHING, PROBE_ATTACHED, PROBE_IS_OFF, PROBE_DETACHING,
	PROBE_REFUSED, PROBE_FAILED,	/* `reason` says why */
	PROBE_CAPPED,		/* switched off by the governor */
	PROBE_EXPIRED,		/* its lease is over */
	PROBE_PAUSED,		/* between two bursts */
	PROBE_RECORDED,		/* an event of a recording: nothing is attached */
};

/* The state of a probe that changes while it runs; each ENGINE_EVENT_STATUS has all of it. */
struct probe_status {
	enum probe_state state;
	char reason[200];
	uint64_t hits, lost, missed;	/* counted by the kernel since the probe was added: entries,
					 * or returns for a PROBE_RETURN */
	uint64_t filtered;	/* hits that the kernel dropped because of the condition */
	uint64_t absent;	/* texts of a system call that were not in memory */
	uint64_t read_ns;	/* time when the five counts were read, only if ATTACHED.
				 * UINT64_MAX: they are final */
	uint64_t lease_until_ns;	/* UINT64_MAX: none */
	double cost_pct;		/* % of one CPU, now: hits/s by measured cost of a hit */
	double hits_per_s;		/* rate over the last second */
	bool is_in_bursts;
	uint32_t sites, functions;
	uint32_t own_ns;	/* latency probe: its own time within each latency; 0: unknown */
};

enum engine_event_kind {
	ENGINE_EVENT_RINGS,	/* the rings run: wait for their QUEUE_ROUND_END from now on */
	ENGINE_EVENT_ADDED,	/* `name`, `spec`: a new row */
	ENGINE_EVENT_READING,	/* `reading` is for the records from time_ns on */
	ENGINE_EVENT_IGNORE,	/* do not count hits later than time_ns */
	ENGINE_EVENT_STATUS,
	ENGINE_EVENT_REMOVED,	/* drop its row and counts */
};

struct engine_event {
	enum engine_event_kind kind;
	uint32_t probe;		/* id: rises, never reused */
	uint32_t slot;
	uint64_t time_ns;
	struct probe_status status;
	struct probe_reading *reading;	/* owned by the receiver */
	/* Only for ENGINE_EVENT_ADDED: */
	struct probe_spec *spec;	/* owned by the receiver */
	char name[PROBE_FUNCTION_BYTES];	/* sanitized: as shown */
	char dso[PROBE_FILE_BYTES];	/* base name of the file; "[kernel]"; sanitized */
	char scope[64];			/* "pid 4121", "every nginx", "whole system" */
	bool with_stacks;
};

enum probe_reach {
	REACH_ALL,		/* whole system, or every process of the file */
	REACH_PROCESS,		/* `pid`, and what it starts */
};

/* A probe as the panel, the finder or the command line wants it. */
struct probe_choice {
	struct probe_spec spec;
	char shown[PROBE_FUNCTION_BYTES];	/* its function as shown to people, demangled; "":
						 * as in the spec */
	enum probe_reach reach;
	pid_t pid;		/* REACH_PROCESS: the target; else the process whose mapped file is
				 * probed, or 0 */
	bool with_stacks;
	bool insists;		/* attach even if VERDICT_ASKS, and exceed the cap once */
	double cap_pct;		/* % of one CPU; 0: the default */
	uint64_t lease_ns;	/* 0: the default; UINT64_MAX: as long as flametop runs */
	bool in_bursts;		/* attached 1 s in 10 */
};

enum probe_request_kind {
	PROBE_EXAMINE,		/* attach nothing; reply with points, arguments, verdict and rate
				 * (counted up to 200 ms, 1 s without a hit, or 500 hits) */
	PROBE_ADD,
	PROBE_OFF, PROBE_ON,	/* keep definition and history */
	PROBE_REMOVE, PROBE_REMOVE_ALL,
	PROBE_EXTEND,		/* restart the lease with its whole length */
	PROBE_LIFT,		/* make choice.cap_pct the new cap, and switch on again */
	PROBE_BURSTS,		/* from now on attach for 1 s in 10 */
	PROBE_CANCEL,		/* stop PROBE_ADD or _EXAMINE `number`: remove its probes that are
				 * not attached yet. Cancels older _EXAMINEs, too */
	PROBE_SWEEP,		/* remove the events of dead flametop instances: the reply has how
				 * many are `done`, of `all` */
	PROBE_FINISH,		/* detach all; rows stay as they are, and the records end with
				 * QUEUE_END. The reply comes then; no ADD after it */
};

struct probe_request {
	enum probe_request_kind kind;
	uint64_t number;	/* chosen by the caller, rising; comes back in the replies */
	uint64_t time_ns;	/* CLOCK_MONOTONIC of the key */
	uint32_t probe;		/* id from the snapshot; unused by EXAMINE, ADD, REMOVE_ALL */
	struct probe_choice choice;
};

/* The outcome of EXAMINE (is_done: complete; before that, what is known so far), of ADD (is_done:
 * all probes are attached, refused or failed), SWEEP or FINISH. */
struct probe_reply {
	uint64_t number;
	enum probe_request_kind kind;
	bool is_done;		/* the last reply to `number` */
	struct diag why;	/* err 0: fine */
	enum probe_verdict verdict;
	char reason[256];
	char point[PROBE_FILE_BYTES];	/* "libc.so.6 at 0x8b1c0", "vfs_read", "3 inlined copies" */
	uint32_t functions, sites;	/* number of functions and sites it would attach to */
	struct probe_fetch offered[PROBE_OFFERED_MAX];
	uint32_t offered_count;
	bool has_rate;
	double hits_per_s;	/* counted for the processes that the probe will be attached to */
	bool is_rate_of_all;	/* one process is meant, but the kernel can only attach to all */
	double cost_ns, cost_pct;	/* predicted cost of one hit; % of one CPU at that rate */
	uint32_t other_processes;	/* other processes that map the file and will trap, too */
	bool must_type;		/* system-wide, and hot or with too many sites to count: the user
				 * must type the function's name */
	uint32_t done, all;	/* ADD: progress over functions; SWEEP: removed and found. `why` is
				 * from the last failure, `reason` from the last refusal */
	uint32_t probe;		/* ADD: id of the probe that this reply is about */
};

struct probe_engine_config {
	struct sandbox *sandbox;	/* BORROWED; used by nobody else; must outlive the engine */
	bool is_unused;			/* nothing will be requested: it has no threads */
	bool is_readonly;		/* --readonly: every attach is refused */
	double cap_pct, cap_sum_pct;	/* governor defaults, % of one CPU: each, and all */
	uint64_t lease_ns;
	uint32_t copy_bytes;		/* copied of a user stack; 0: kernel call chains only */
};

#endif
