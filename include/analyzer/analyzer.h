/* analyzer.h - the thread between the record queue and the snapshots: time order, maps, stacks,
 * slices, folds.
 *
 * Crossings: record queues (in), requests (in), snapshot mailbox + eventfd (out), nothing else.
 * Thread:    create/start/stop/destroy from main; the rest as stated.
 */
#ifndef ANALYZER_ANALYZER_H
#define ANALYZER_ANALYZER_H

#include "analyzer/request.h"
#include "analyzer/snapshot.h"
#include "analyzer/source_change.h"
#include "base/diag.h"
#include "base/spsc.h"
#include "ingest/ingest.h"
#include "ingest/probe_source.h"

struct analyzer;
struct second_recording;	/* analyzer/second_recording.h */

struct analyzer_config {
	struct ingest_config ingest;	/* the data it points to must outlive the analyzer */
	struct spsc *queue;		/* records in; the analyzer is its consumer */
	int queue_fd;			/* readable when records wait */
	void (*queue_drained)(void *source);	/* reports free room in `queue`; NULL: not needed */
	void *source;			/* argument of queue_drained() */
	struct object_opener *opener;	/* NULL: no names */
	struct process_reader *reader;	/* NULL in a replay */
	struct line_server *line_server;	/* NULL: no source lines */
	struct rare_server *rare_server;	/* slow path; NULL: unwind rows only */
	struct stack_ends *stack_ends;	/* written here, read by the sampler; NULL: unused */
	struct demangler *demangler;	/* NULL: names stay mangled */
	const char *host, *target, *notice;	/* for the header; raw */
	const char *absent_events;	/* see struct source; NULL: none */
	uint32_t target_pid;		/* see struct source */
	bool offers_children;		/* see struct source */
	uint32_t cpus;
	const int *sockets;		/* by CPU; < 0, and CPUs beyond socket_count: unknown */
	uint32_t socket_count;
	bool has_busy;			/* /proc/stat means something: live, whole machine */
	bool begins_on_request;		/* no snapshot, and no interval, before REQUEST_BEGIN */
	bool wants_all_events;		/* batch: a chain of snapshots, one per event */
	bool wants_events;		/* batch: snapshots only have the losses, and each hit and
					 * sample once */
	bool wants_event_stacks;	/* wants_events: add each event's stack */
	bool shows_idle_events;		/* wants_events: include samples of the idle task */
	bool wants_sources;		/* batch: wait for source lines, which can't be filled in
					 * after printing */
	size_t source_rows;		/* wants_sources: rows to wait for, per event */
	struct copy_control copies;
	struct probe_source probes;	/* news NULL: no probes */
	const struct second_recording *second;	/* read after the first recording, and compared
						 * with it; NULL: none */
	struct query query;		/* the first query */
	enum window_kind window;
	uint64_t window_ns, interval_ns;
	size_t memory_bytes;		/* budget for the timeline and all it refers to */
};

#define ANALYZER_DEFAULT_MEMORY_BYTES (64u * 1024 * 1024)

int analyzer_create(struct analyzer **out, const struct analyzer_config *config,
		    struct diag *why);
int analyzer_start(struct analyzer *analyzer, struct diag *why);
/* Ends the thread at once, without counting queued records. To count everything first stop the
 * source, wait for the snapshot with is_last, then call this. */
void analyzer_stop(struct analyzer *analyzer);
void analyzer_destroy(struct analyzer *analyzer);	/* stops it too; NULL is fine */

/* Screen side (one thread). */

/* Returns the newest snapshot not taken yet, or NULL. The caller owns it: snapshot_destroy(). */
struct snapshot *analyzer_take_snapshot(struct analyzer *analyzer);
/* Returns a descriptor that is readable when a snapshot waits; analyzer_take_snapshot() resets
 * it. */
int analyzer_fd(const struct analyzer *analyzer);
/* Queues a request; false when the queue is full (the analyzer is that far behind). */
bool analyzer_request(struct analyzer *analyzer, const struct request *request);

#endif
