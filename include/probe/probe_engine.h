/* probe_engine.h - the thread that attaches, watches and removes probes.
 *
 *   ui, main --orders--> engine --news--> analyzer          records: probe_rings -> their queue
 *            <-answers--    |  places, links, governor, leases
 *
 * The ui never waits: it orders and goes on; what became of it is in an answer (the panel) and in
 * the snapshots (the analyzer has the news). "Off" holds from the order's time: younger hits are
 * not counted, whatever the kernel still sends.
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

/* What the panel, the finder or the command line wants. */
struct probe_choice {
	struct probe_spec spec;
	char shown[PROBE_FUNCTION_BYTES];	/* its function as people know it, demangled; "": as
						 * the spec has it */
	enum probe_reach reach;
	pid_t pid;		/* REACH_PROCESS; else whose mapped file is meant, or 0 */
	bool with_stacks;
	bool insists;		/* on what VERDICT_ASKS, and over the cap once */
	double cap_pct;		/* of one CPU; 0: the default */
	uint64_t lease_ns;	/* 0: the default; UINT64_MAX: as long as flametop runs */
	bool in_bursts;		/* attached 1 s in 10 */
};

enum probe_order_kind {
	PROBE_EXAMINE,		/* only tell: places, arguments, verdict, rate (counted up to 200 ms
				 * or 500 hits) */
	PROBE_ADD,
	PROBE_OFF, PROBE_ON,	/* definition and history stay */
	PROBE_REMOVE, PROBE_REMOVE_ALL,
	PROBE_EXTEND,		/* the lease, by its length */
	PROBE_LIFT,		/* cap_pct of the choice is the new cap; on again */
	PROBE_BURSTS,		/* attached 1 s in 10 from now on */
	PROBE_CANCEL,		/* what PROBE_ADD or _EXAMINE `number` still does: what is not
				 * attached yet is removed. Older _EXAMINEs, too */
	PROBE_SWEEP,		/* remove what dead instances of flametop left: answered with how
				 * many probes are `done`, of `all` */
	PROBE_FINISH,		/* detach all; the rows stay as they are, and the records end with
				 * QUEUE_END. Answered when that is done; no ADD after it */
};

struct probe_order {
	enum probe_order_kind kind;
	uint64_t number;	/* the asker's; comes back in answers. Rises */
	uint64_t time_ns;	/* CLOCK_MONOTONIC of the key */
	uint32_t probe;		/* its id, of the snapshot; not of EXAMINE, ADD, REMOVE_ALL */
	struct probe_choice choice;
};

/* What came of EXAMINE (done: all of it; before that: what is known so far), of ADD (done: all are
 * attached, refused or failed) or FINISH. */
struct probe_answer {
	uint64_t number;
	enum probe_order_kind kind;
	bool is_done;		/* no other answer to that number comes */
	struct diag why;	/* err 0: fine */
	enum probe_verdict verdict;
	char reason[256];
	char place[PROBE_FILE_BYTES];	/* "libc.so.6 at 0x8b1c0", "vfs_read", "3 inlined copies" */
	uint32_t functions, sites;	/* how many it would attach to */
	struct probe_fetch offered[PROBE_VALUES_MAX];
	uint32_t offered_count;
	bool has_rate;
	double hits_per_s;	/* counted for whom the probe will be attached */
	bool is_rate_of_all;	/* one process is meant, but the kernel can only attach to all */
	double cost_ns, cost_pct;	/* of a hit, predicted; of one CPU at that rate */
	uint32_t other_processes;	/* that map the file and will trap, too */
	bool must_type;		/* system-wide, and hot or too many to be counted: the user must
				 * type the function's name */
	uint32_t done, all;	/* ADD: progress over functions, SWEEP: removed and found; `why`
				 * is of the last that failed, `reason` of the last refused */
	uint32_t probe;		/* ADD: the id of the (first) new one */
};

struct probe_engine;

struct probe_engine_config {
	struct sandbox *sandbox;	/* the caller's, used by nobody else, must outlive it */
	bool is_readonly;		/* --readonly: every attach is refused */
	double cap_pct, cap_sum_pct;	/* defaults of the governor; of one CPU */
	uint64_t lease_ns;
	uint32_t copy_bytes;		/* of user stacks; 0: kernel's chains only */
};

#define PROBE_CAP_PCT	  5.0
#define PROBE_LEASE_NS	  (600ull * 1000000000)

int probe_engine_create(struct probe_engine **out, const struct probe_engine_config *config,
			struct diag *why);
/* Detaches everything; waits until nothing is left in the kernel. False: a thread that looks up
 * names hangs in a file system and is left behind, with the sandbox. NULL is fine. */
bool probe_engine_destroy(struct probe_engine *engine);

/* Why no probe can be attached at all; "" there is no reason. Lives as long as the engine. */
const char *probe_engine_refusal(const struct probe_engine *engine);

/* False: too many orders wait. */
bool probe_engine_order(struct probe_engine *engine, const struct probe_order *order);
bool probe_engine_answer(struct probe_engine *engine, struct probe_answer *out);
int probe_engine_answer_fd(const struct probe_engine *engine);

/* Analyzer's side: news before the records that need it (look again when a record has an unknown
 * id), and the records. */
bool probe_engine_news(struct probe_engine *engine, struct probe_news *out);
struct spsc *probe_engine_queue(struct probe_engine *engine);
int probe_engine_fd(const struct probe_engine *engine);	/* news or records wait */

#endif
