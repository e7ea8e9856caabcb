/* analyzer_config.h - what an analyzer reads, and what its snapshots have.
 *
 * With two recordings, B is shown after A was read, and compared with it: everything counted in A
 * becomes the baseline.
 *
 *   A's reader ---> queue ---> analyzer     | A has ended and is counted: B begins
 *                    B's reader ---> queue -'
 *
 * DSOs, names and the tasks of counts are shared by both; processes, clocks, events and losses
 * are each recording's own.
 */
#ifndef ANALYZER_ANALYZER_CONFIG_H
#define ANALYZER_ANALYZER_CONFIG_H

#include "analyzer/condition.h"
#include "analyzer/request.h"
#include "base/diag.h"
#include "base/thread.h"
#include "ingest/ingest.h"
#include "ingest/source.h"

/* The second recording. */
struct second_recording {
	struct ingest_config ingest;	/* the data it points to outlives the analyzer */
	const char *host, *target;	/* for the header; raw */
	uint32_t cpus;
	const int *sockets;	/* see struct analyzer_config */
	uint32_t socket_count;
	const struct core_pmus *pmus;
	const char *first_name, *name;	/* names of the first and of this recording */
	int queue_fd;			/* readable when records wait */
	void *source;			/* argument of start() and of queue_drained() */
	/* Begins to read records into @queue, whose former producer has ended. 0 or -errno. */
	int (*start)(void *source, struct spsc *queue, struct diag *why);
};

struct analyzer_config {
	struct ingest_config ingest;	/* the data it points to must outlive the analyzer */
	struct spsc *queue;		/* records in; the analyzer is its consumer */
	int queue_fd;			/* readable when records wait */
	void (*queue_drained)(void *source);	/* reports free room in `queue`; NULL: not needed */
	/* Lets the source end early; what is in `queue` is the last. NULL: it can't. */
	void (*queue_stop)(void *source);
	void *source;			/* argument of queue_drained() and queue_stop() */
	struct dso_opener *opener;	/* NULL: no names */
	struct process_reader *reader;	/* NULL in a replay */
	struct line_server *line_server;	/* NULL: no source lines */
	struct listing_server *listing_server;	/* NULL: no listings */
	struct slow_unwinder *slow_unwinder;	/* slow path; NULL: unwind rows only */
	struct stack_ends *stack_ends;	/* written here, read by the sampler; NULL: unused */
	struct demangler *demangler;	/* NULL: names stay mangled */
	const char *host, *target, *notice;	/* for the header; raw */
	const char *absent_events;	/* see struct source; NULL: none */
	const char *counted_events;	/* see struct source; NULL: none */
	uint32_t target_pid;		/* see struct source */
	bool offers_children;		/* see struct source */
	uint32_t cpus;
	const int *sockets;		/* by CPU; < 0, and CPUs beyond socket_count: unknown */
	uint32_t socket_count;
	const struct core_pmus *pmus;	/* kinds of cores; outlives the analyzer; NULL: unknown */
	bool has_busy;			/* /proc/stat means something: live, whole machine */
	bool has_everything;		/* see struct source */
	bool can_count;			/* live: events can be counted beside the samples */
	bool begins_on_request;		/* no snapshot, and no interval, before REQUEST_BEGIN */
	bool wants_all_events;		/* batch: a chain of snapshots, one per event */
	bool wants_events;		/* batch: snapshots only have the losses, and each hit and
					 * sample once */
	bool wants_event_stacks;	/* wants_events: add each event's stack */
	bool wants_event_places;	/* wants_event_stacks: with the place of each frame, and
					 * what tracepoints wrote */
	bool wants_event_source;	/* wants_event_places: with each frame's source line */
	bool wants_event_branches;	/* wants_events: add each sample's branches */
	bool shows_idle_events;		/* wants_events: include samples of the idle task */
	bool wants_sources;		/* batch: wait for source lines, which can't be filled in
					 * after printing */
	size_t source_rows;		/* wants_sources: rows to wait for, per event */
	struct copy_control copies;
	const struct record_tee *tee;	/* gets all that is counted from the start; NULL: nobody
					 * does */
	struct probe_source probes;	/* event NULL: no probes */
	const struct record_tee *keeper;	/* gets the same as `tee`; NULL: nothing is held */
	struct condition_list conditions;	/* looked at once a second, live */
	const struct second_recording *second;	/* read after the first recording, and compared
						 * with it; NULL: none */
	struct query query;		/* the first query */
	enum window_kind window;
	uint64_t window_ns, interval_ns;
	size_t memory_bytes;		/* budget for the timeline and all it refers to */
};

#define ANALYZER_DEFAULT_MEMORY_BYTES (64u * 1024 * 1024)

#endif
