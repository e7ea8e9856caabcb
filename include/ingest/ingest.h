/* ingest.h - turns records in time order into counts in the timeline: which task ran which code.
 *
 *   queue -> intake: reorder -> samples: task and stack -> timeline, or pending
 *                            -> probe_records: paired, decoded -> samples
 *   samples -> stacks: chain, registers, copy -> addresses -> frames -> stack
 *   stacks  -> mappings: files, kernel: its code, jit: run-time code, tables: unwind rows
 *           -> requests: to the opener of files; tasks: what /proc says of a process
 *
 * Each part is src/ingest/PART.c and calls only parts further down. What a lower one changes, an
 * upper one notices by an epoch: a counter that it compares with the one of its last look.
 * Live and replayed records take the same path; a replay reads nothing from /proc.
 *
 * Thread: the analyzer's.
 */
#ifndef INGEST_INGEST_H
#define INGEST_INGEST_H

#include "capture/event.h"
#include "capture/record.h"
#include "capture/stack_copy.h"
#include "ingest/baseline.h"
#include "ingest/probe_state.h"
#include "ingest/record_tee.h"
#include "ingest/symbol_names.h"
#include "ingest/task_table.h"
#include "proc/process_reader.h"
#include "symbols/dso_table.h"
#include "symbols/slow_unwinder.h"
#include "timeline/timeline.h"

struct source;	/* ingest/source.h */

/* Limits: for all pending samples (997 Hz on two busy CPUs make 6 MiB before tables come), and
 * for requests that wait for room in the opener's queue (4 MiB). */
#define INGEST_PENDING_BYTES_MAX (16u * 1024 * 1024)
#define INGEST_WAITING_MAX	 1024

struct ingest_build_id {	/* recorded: which file was mapped at a path */
	const char *path;
	struct build_id build_id;
	bool is_kernel;
};

struct ingest_config {
	const struct event_desc *const *events;	/* borrowed, as all pointers in this struct */
	uint32_t event_count;
	uint32_t branch_event;	/* index of the event that ingest_config_add_branches() has added;
				 * 0: none */
	uint32_t copy_bytes;	/* size of user stack copies where it can be adapted; else 0 */
	bool is_replay;
	bool can_wait;		/* live: the source waits for room in the queue, and loses nothing
				 * by it, so samples wait for tables and callers until they come */
	const struct ingest_build_id *build_ids;	/* build-ids in the recording */
	size_t build_id_count;
	struct build_id running_kernel;	/* its names are used in a replay only if it was recorded */
	uint32_t kernel_number;	/* replay of two recordings: identifies a kernel whose names must
				 * not be the running kernel's; else 0 */
	struct recorded_names kernel_names;	/* replay: the list in the recording; none: 0 */
	bool is_this_boot;	/* replay: the recording says that it was made on this machine
				 * since it booted; needed if it has no kernel build-id */
	uint64_t written_ns;	/* replay: last modification of the file, CLOCK_REALTIME */
	bool has_uid_filter;		/* keep only samples of processes of `uid` */
	uint32_t uid;
	const uint32_t *target_pids, *target_tids;	/* the user's targets */
	size_t target_pid_count, target_tid_count;
	bool no_inherit;		/* children of targets are no targets */
	bool has_task_filter;		/* keep only samples of the targets */
	/* Flametop's processes, main first; they and what they fork are left out, unless they are
	 * targets. Equal in every source. */
	const uint32_t *own_pids;
	size_t own_pid_count;
	uint32_t launcher_pid;		/* process that waits to exec the command; 0: none */
	uint32_t whole_cpus;		/* live: CPUs sampled whole; 0: single tasks are */
	/* Live: only the tees get what is counted. Samples are counted as one stack of one task,
	 * and nothing is read that would only be shown: the kernel's names, cgroups, what programs
	 * are called. */
	bool only_records;
};

#define BRANCH_EVENT_NAME "taken-branches"

/* Adds the event that counts the branches beside samples to @events, if these have any. @events is
 * the list of @config, filled in, and has room for one more. The side-band at its end stays last;
 * records have the events' numbers without the added one. */
void ingest_config_add_branches(struct ingest_config *config, const struct event_desc **events);

struct ingest_counters {
	uint64_t lost_kernel;	/* from PERF_FORMAT_LOST and LOST records, each loss once */
	uint64_t lost_counted, lost_recorded;	/* raw sums of PERF_FORMAT_LOST, of LOST records */
	uint64_t stalled_rounds, throttled_ns;
	uint64_t malformed, malformed_rings;	/* records; ring positions that held no record */
	uint64_t unattributed;
	uint64_t unattributed_late, unattributed_forkless;	/* parts of unattributed */
	uint64_t filtered_unknown_uid;
	uint64_t left_out_time;		/* replay: samples outside --begin and --end */
	uint64_t left_out_own;		/* samples and hits of flametop's own processes */
	uint64_t unpaired_waits, shortened_waits;	/* see ingest/waits.h */
	uint64_t copied_hits;		/* samples with a stack copy, of period-1 events only */
	uint64_t dropped_no_memory;	/* counted as lost: flametop itself had no memory */
	uint64_t unkept_mappings;	/* dropped: over the limit of one process or of all */
	uint64_t tables_let_go;		/* symbol tables evicted by ingest_limit_tables() */
	uint64_t unrecorded;		/* records that earlier tees had no room for */
	uint64_t trimmed_stacks;	/* cut because too little of the copy was kept */
	struct stack_counts stacks;	/* sums over all counted samples */
};

struct ingest {
	struct ingest_config config;
	struct strpool *strings;
	size_t swept_bytes;	/* strpool_passing_bytes() after the last sweep */
	struct dso_table dsos;
	struct task_table tasks;
	struct stack_trie trie;
	struct symbol_names names;
	struct timeline timeline;
	struct baseline baseline;	/* compared with windows of the timeline */
	struct probe_hits *hits;	/* owned; NULL: no probes so far */
	struct event_lines lines;	/* output of single hits and samples */
	struct ingest_counters counters;
	struct dso_opener *opener;	/* borrowed; NULL: no names at all */
	struct process_reader *reader;	/* borrowed; NULL in a replay */
	struct slow_unwinder *slow_unwinder;	/* borrowed; NULL: no callers are requested */
	struct stack_ends *stack_ends;	/* borrowed; NULL: not collected */
	const struct record_tee *tee;	/* borrowed; NULL: nothing is recorded */
	struct ingest_tees tees;

	uint64_t watermark_ns;		/* everything older has been counted */
	uint32_t opening;		/* requests sent to the opener, without a reply so far */
	uint32_t pending_count;		/* samples that wait for a reply, a table or callers */
	uint64_t pending_due_ns;	/* earliest deadline at the last ingest_poll() */
	bool has_waiting;		/* replay: records wait for a stack's table or callers */
	bool is_forced;			/* count everything now, without waiting */
	bool wants_unwind;		/* an event copies stacks, or lr */
	bool has_new_names;		/* tables or demangled names came since it was cleared */
	uint64_t sample_epoch;	/* incremented by everything but a plain sample */
	uint64_t tables_epoch;	/* incremented when a DSO gets another table, or none: walk again */

	/* Parts; owned, each declared in src/ingest/PART.h. */
	struct intake *intake;
	struct reorder *reorder;
	struct losses *losses;
	struct task_reads *task_reads;
	struct requests *requests;
	struct kernel *kernel;
	struct jit *jit;
	struct tables *tables;
	struct stacks *stacks;
	struct pending *pending;
	struct samples *samples;
	struct waits *waits;	/* ingest/waits.h */
};

/* Number of the event in the list that has the reader's number @event. */
static inline uint16_t ingest_event_of(const struct ingest *ingest, uint16_t event)
{
	const uint32_t added = ingest->config.branch_event;

	return added && event >= added ? (uint16_t)(event + 1) : event;
}

/* 0, -ENOMEM, or -E2BIG: more than TIMELINE_MAX_EVENTS. */
int ingest_init(struct ingest *ingest, const struct ingest_config *config,
		struct dso_opener *opener, struct process_reader *reader, struct diag *why);
void ingest_finish(struct ingest *ingest);

/* Adds the raw records of a QUEUE_RECORD item of @bytes. Returns how many they are. */
int ingest_push_item(struct ingest *ingest, const struct queue_item *item, size_t bytes);
/* With config.can_wait: true while no record shall be pushed, as its sample might find no room to
 * wait for what it needs. */
bool ingest_is_full(const struct ingest *ingest);
/* Adds one raw record. */
void ingest_push(struct ingest *ingest, const void *record, size_t size, uint16_t event,
		 uint32_t cpu);
/* QUEUE_ROUND_END: counts the records that no earlier one can precede any more. */
void ingest_round_end(struct ingest *ingest, const struct queue_round_end *mark);
/* ingest_round_end() for the probes' rings. */
void ingest_hit_round_end(struct ingest *ingest, const struct queue_round_end *mark);
/* QUEUE_LOST. */
void ingest_lost_total(struct ingest *ingest, uint16_t event, uint32_t cpu, uint64_t total);
/* QUEUE_SOURCE: records belong to @source from now on; those up to @begin_ns are dropped. */
void ingest_switch(struct ingest *ingest, struct source *source, uint64_t begin_ns);
/* Replay: begins another recording, which has its own clock, tasks and events. Drops all counts but
 * the baseline. 0 or -ENOMEM. */
int ingest_next_recording(struct ingest *ingest, const struct ingest_config *config);
/* Handles replies of reader and opener, and pending samples that are ready or overdue. Call it when
 * the descriptors of both are readable and at least every 100 ms while something is pending.
 * @force: count all that is pending now, as it is. */
void ingest_poll(struct ingest *ingest, bool force);

/* Passes everything on to @tee from now on, or no longer to the present one (NULL). ingest_finish()
 * ends it, too. */
void ingest_set_tee(struct ingest *ingest, const struct record_tee *tee);
/* The same for what holds the last seconds, beside a recording. */
void ingest_set_keeper(struct ingest *ingest, const struct record_tee *tee);

/* Time before which every record of a probe has been pushed; UINT64_MAX: no rings run. */
uint64_t ingest_hit_limit_ns(const struct ingest *ingest);
/* Time before which all lines are complete: no pending sample is older. */
uint64_t ingest_lines_limit_ns(const struct ingest *ingest);
/* The frame of an address; ID_SET_NONE: out of memory. @maps: NULL if none are known. */
uint32_t ingest_frame(struct ingest *ingest, const struct process_maps *maps, enum cpu_mode mode,
		      uint64_t ip);
/* Fills in @out with the location of the file mapped at @mapping in process @pid. */
void ingest_mapping_place(const struct ingest *ingest, uint32_t pid, const struct mapping *mapping,
			  struct open_request *out);
/* Fills in @out, zeroed, with the process of the run-time code in @dso and the mapping of its
 * jitdump, if there is one; *@is_ended: the process has ended. False: it is unknown by now. */
bool ingest_run_time_place(struct ingest *ingest, uint32_t dso, struct open_request *out,
			   bool *is_ended);
/* Sets @used[id] of each key that a pending hit has, and renumbers them
 * (probe_values_compact()). */
void ingest_mark_hit_values(const struct ingest *ingest, unsigned char *used);
void ingest_renumber_hit_values(struct ingest *ingest, const uint32_t *new_value);
/* Returns whether the kernel that runs is the one that was sampled, at the same addresses. */
bool ingest_has_running_kernel(const struct ingest *ingest);
/* Sets @used[DSO] for the DSOs that pending samples and the kernel's maps refer to. */
void ingest_mark_dsos(const struct ingest *ingest, unsigned char *used);
/* Records that came too late to be put in order. */
uint64_t ingest_late_records(const struct ingest *ingest);

#define INGEST_TABLE_BYTES ((size_t)20 << 20)	/* the usual sum over a machine's programs */

/* Evicts symbol tables while they take more than @limit_bytes: first those that no living process
 * has mapped, least recently needed first; never the last one. Requests those that are needed
 * again. Call it about once a second; not in a replay, whose files may be gone. */
void ingest_limit_tables(struct ingest *ingest, size_t limit_bytes);

#endif
