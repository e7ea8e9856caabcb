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
	struct ingest_config ingest;	/* what it points to must outlive the analyzer */
	struct spsc *queue;		/* records in; the analyzer is its consumer */
	int queue_fd;			/* readable when records wait */
	void (*queue_drained)(void *source);	/* room was made; NULL: the source need not know */
	void *source;
	struct object_opener *opener;	/* NULL: no names */
	struct process_reader *reader;	/* NULL in a replay */
	struct line_server *line_server;	/* NULL: no source lines */
	struct rare_server *rare_server;	/* NULL: no callers beyond what rows can say */
	struct stack_ends *stack_ends;	/* it writes what the sampler reads; NULL: nobody does */
	struct demangler *demangler;	/* NULL: names stay as they are */
	const char *host, *target, *notice;	/* for the header; raw */
	const char *absent_events;	/* as in struct source; NULL: none */
	uint32_t target_pid;	/* as in struct source */
	bool offers_children;	/* as in struct source */
	uint32_t cpus;
	const int *sockets;		/* of each CPU; < 0, and CPUs beyond: not known */
	uint32_t socket_count;
	bool has_busy;			/* /proc/stat means something: live, whole machine */
	bool begins_on_request;		/* no snapshot, and no interval, before REQUEST_BEGIN */
	bool wants_all_events;		/* batch: a chain of snapshots, one per event */
	bool wants_events;		/* batch: snapshots have hits and samples one by one, each
					 * once, and nothing else but what was lost */
	bool wants_event_stacks;	/* wants_events: each with its stack */
	bool shows_idle_events;		/* wants_events: samples of the idle task, too */
	bool wants_sources;		/* batch: source lines of source_rows rows an event are */
	size_t source_rows;		/* waited for: what is printed can't be filled in later */
	struct copy_control copies;
	struct probe_source probes;	/* news NULL: there are none */
	const struct second_recording *second;	/* shown after the one that comes first, and
						 * compared with it; NULL: none */
	struct query query;		/* the first one */
	enum window_kind window;
	uint64_t window_ns, interval_ns;
	size_t memory_bytes;		/* budget of the timeline and all it refers to */
};

#define ANALYZER_DEFAULT_MEMORY_BYTES (64u * 1024 * 1024)

int analyzer_create(struct analyzer **out, const struct analyzer_config *config,
		    struct diag *why);
int analyzer_start(struct analyzer *analyzer, struct diag *why);
/* Ends the thread at once; what is queued is not counted. For an end with everything counted stop
 * the source, wait for the snapshot with is_last, then call this. */
void analyzer_stop(struct analyzer *analyzer);
void analyzer_destroy(struct analyzer *analyzer);	/* stops it too; NULL is fine */

/* Screen side (one thread). */

/* The newest snapshot that was not taken yet, or NULL. The caller's: snapshot_destroy(). */
struct snapshot *analyzer_take_snapshot(struct analyzer *analyzer);
/* Readable when a snapshot waits; analyzer_take_snapshot() resets it. */
int analyzer_fd(const struct analyzer *analyzer);
/* Queues a request; false when the queue is full (the analyzer is that far behind). */
bool analyzer_request(struct analyzer *analyzer, const struct request *request);

#endif
