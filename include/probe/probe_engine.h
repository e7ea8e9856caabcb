/* probe_engine.h - the thread that attaches, watches and removes probes.
 *
 *   ui, main --orders--> engine --news--> analyzer          records: probe_rings -> their queue
 *            <-answers--    |  places, links, governor, leases
 *
 * The ui never waits: it sends an order and goes on; the outcome comes in an answer (for the panel)
 * and in the snapshots (the analyzer gets the news). "Off" counts from the order's time: later hits
 * are not counted, whatever the kernel still sends.
 *
 * Thread: orders and answers from one thread (the ui's, or main's in batch); news from the
 *         analyzer's. All calls return at once.
 */
#ifndef PROBE_PROBE_ENGINE_H
#define PROBE_PROBE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "base/spsc.h"
#include "probe/probe_news.h"
#include "probe/probe_places.h"

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

enum probe_order_kind {
	PROBE_EXAMINE,		/* attach nothing; answer with places, arguments, verdict and rate
				 * (counted up to 200 ms or 500 hits) */
	PROBE_ADD,
	PROBE_OFF, PROBE_ON,	/* keep definition and history */
	PROBE_REMOVE, PROBE_REMOVE_ALL,
	PROBE_EXTEND,		/* restart the lease with its whole length */
	PROBE_LIFT,		/* make choice.cap_pct the new cap, and switch on again */
	PROBE_BURSTS,		/* from now on attach for 1 s in 10 */
	PROBE_CANCEL,		/* stop PROBE_ADD or _EXAMINE `number`: remove its probes that are
				 * not attached yet. Cancels older _EXAMINEs, too */
	PROBE_SWEEP,		/* remove the events of dead flametop instances: the answer has how
				 * many are `done`, of `all` */
	PROBE_FINISH,		/* detach all; rows stay as they are, and the records end with
				 * QUEUE_END. Answered when that is done; no ADD after it */
};

struct probe_order {
	enum probe_order_kind kind;
	uint64_t number;	/* chosen by the caller, rising; comes back in the answers */
	uint64_t time_ns;	/* CLOCK_MONOTONIC of the key */
	uint32_t probe;		/* id from the snapshot; unused by EXAMINE, ADD, REMOVE_ALL */
	struct probe_choice choice;
};

/* The outcome of EXAMINE (is_done: complete; before that, what is known so far), of ADD (is_done:
 * all probes are attached, refused or failed), SWEEP or FINISH. */
struct probe_answer {
	uint64_t number;
	enum probe_order_kind kind;
	bool is_done;		/* the last answer to `number` */
	struct diag why;	/* err 0: fine */
	enum probe_verdict verdict;
	char reason[256];
	char place[PROBE_FILE_BYTES];	/* "libc.so.6 at 0x8b1c0", "vfs_read", "3 inlined copies" */
	uint32_t functions, sites;	/* number of functions and sites it would attach to */
	struct probe_fetch offered[PROBE_VALUES_MAX];
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
	uint32_t probe;		/* ADD: id of the probe that this answer is about */
};

struct probe_engine;

struct probe_engine_config {
	struct sandbox *sandbox;	/* BORROWED; used by nobody else; must outlive the engine */
	bool is_readonly;		/* --readonly: every attach is refused */
	double cap_pct, cap_sum_pct;	/* governor defaults, % of one CPU: each, and all */
	uint64_t lease_ns;
	uint32_t copy_bytes;		/* copied of a user stack; 0: kernel call chains only */
};

#define PROBE_CAP_PCT	  5.0
#define PROBE_LEASE_NS	  (600ull * 1000000000)

int probe_engine_create(struct probe_engine **out, const struct probe_engine_config *config,
			struct diag *why);
/* Detaches everything; waits until nothing is left in the kernel. False: the examiner's thread
 * hangs in a file system and is left behind, with the sandbox. NULL is fine. */
bool probe_engine_destroy(struct probe_engine *engine);

/* Returns why no probe can be attached at all; "": probes can be. Lives as long as the engine. */
const char *probe_engine_refusal(const struct probe_engine *engine);

/* Queues a copy of @order. False: too many orders wait. */
bool probe_engine_order(struct probe_engine *engine, const struct probe_order *order);
bool probe_engine_answer(struct probe_engine *engine, struct probe_answer *out);
int probe_engine_answer_fd(const struct probe_engine *engine);

/* For the analyzer: news is queued before the records that need it (read news again when a record
 * has an unknown id). */
bool probe_engine_news(struct probe_engine *engine, struct probe_news *out);
struct spsc *probe_engine_queue(struct probe_engine *engine);
int probe_engine_fd(const struct probe_engine *engine);	/* readable: news or records wait */

#endif
