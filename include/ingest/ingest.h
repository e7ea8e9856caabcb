/* ingest.h - turns records in time order into counts in the timeline: which task ran which code.
 *
 *   queue -> ingest_push() -> reorder -> ingest.c: tasks and comms (ingest/task_table.h)
 *                                        ingest_answers.c: what /proc says of a process
 *                                        ingest_objects.c: mappings -> objects
 *                                        ingest_kernel_maps.c: the kernel's mappings
 *                                        ingest_tables.c: objects -> tables
 *                                        ingest_stacks.c: chain, registers, stack copy ->
 *                                        ingest_frames.c: addresses -> stack
 *                                        ingest_rare.c: callers that a worker must find
 *                                        ingest_hits.c: hits of probes, paired
 *                                        ingest_repeat.c: a sample like others a moment ago, else
 *                                        ingest_samples.c: stacks -> timeline, or parked until the
 *                                                          process reader has answered, or a
 *                                                          table or callers have come
 * Live and replayed records take the same path; a replay reads nothing from /proc, and when a
 * sample waits for a table, all later records wait, too.
 *
 * Thread: the analyzer's.
 */
#ifndef INGEST_INGEST_H
#define INGEST_INGEST_H

#include "capture/event_desc.h"
#include "capture/record_queue.h"
#include "capture/stack_ends.h"
#include "ingest/baseline.h"
#include "ingest/clock_ticks.h"
#include "ingest/event_lines.h"
#include "ingest/probe_hits.h"
#include "ingest/reorder.h"
#include "ingest/stack_enders.h"
#include "ingest/stack_memo.h"
#include "ingest/symbol_names.h"
#include "ingest/task_table.h"
#include "proc/process_reader.h"
#include "symbols/object_opener.h"
#include "symbols/rare_server.h"
#include "symbols/table_set.h"
#include "timeline/timeline.h"
#include "unwind/unwind_set.h"
#include "unwind/walker.h"

struct source;	/* ingest/source.h */

struct ingest_build_id {	/* a recording's statement which file was mapped at a path */
	const char *path;
	struct build_id build_id;
	bool is_kernel;
};

struct ingest_config {
	const struct event_desc *const *events;	/* borrowed, as all pointers in this struct */
	uint32_t event_count;
	uint32_t copy_bytes;	/* size of user stack copies where it can be adapted; else 0 */
	bool is_replay;
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
};

/* Whether name and maps of a sample's task are known, and if not, why. */
enum attribution {
	ATTRIBUTED,
	UNATTRIBUTED_LATE,	/* /proc did not answer in time */
	UNATTRIBUTED_FORKLESS,	/* the process ended before it was read, and no FORK record named
				 * its parent */
	UNATTRIBUTED_ENDED,	/* its FORK record came, but its parent was not known */
};

/* Request to a worker, and its result, for a stack that unwind rows can't unwind. */
struct sample_callers {
	enum {
		CALLERS_UNASKED,	/* not needed by any walk so far */
		CALLERS_WANTED,		/* `code` is filled in; not requested yet */
		CALLERS_ASKED,
		CALLERS_KNOWN,		/* `frames` is filled in */
		CALLERS_NONE,		/* the worker failed */
	} state;
	uint64_t ticket;
	struct mapping code[RARE_MAPPINGS_MAX];	/* mappings whose files the worker needs */
	uint32_t code_count;
	struct remote_frame *frames;	/* owned; leaf first */
	size_t frame_count;
};

/* How a record is read, and what it is counted as. */
struct sample_form {
	struct record_format format;
	uint32_t copy_bytes;	/* size limit of the user stack copy if it is adaptable; else 0 */
	uint16_t event;		/* see struct slice_entry */
	uint8_t bucket;		/* see struct slice_entry */
	bool is_hit;		/* probe hit: the target filter does not apply */
	uint64_t time_ns;	/* time it is counted at; of a call with latency, its return */
	uint64_t leaf_ip;	/* address it is counted at; of a return, the function, not its
				 * caller; 0: sample.ip */
	uint64_t number;	/* line in the probe's log that waits for the stack; 0: none */
	struct event_line *line;	/* the hit as it will be printed, until it is counted;
					 * NULL: it is not printed */
};

/* A sample that waits for the process reader's reply about its process or thread, or whose stack
 * needs a table or callers that have not arrived. */
struct parked_sample {
	uint64_t deadline_ns;
	unsigned char *bytes;	/* owned copy of the raw record */
	uint32_t size;
	struct sample_form form;
	struct address_map *maps;	/* owned reference, as at the time of the sample; NULL: it
					 * waits for the process reader, next 5 fields unset */
	struct thread thread;		/* copy, as at the time of the sample */
	enum attribution attribution;
	uint64_t tables;		/* ingest_stacks.last_tables at the last walk */
	struct sample_callers callers;
	bool has_news;			/* callers were answered since the last walk */
	struct probe_calls calls;	/* owned; probed calls that its thread was in */
};

/* The task that a sample belongs to, and what else its stack depends on. */
struct sample_origin {
	struct thread *thread;
	struct address_map *maps;	/* NULL: none known */
	enum attribution attribution;
	struct sample_callers *callers;
	const struct probe_calls *calls;	/* NULL: the calls pending now */
	const struct sample_form *form;
};

/* A sample's stack, as far as it is known. */
struct sample_stack {
	uint32_t leaf, node;		/* ID_SET_NONE: out of memory */
	uint32_t id;			/* stack id of (leaf, node), once counted */
	struct stack_counts counts;	/* this sample's contribution */
};

#define INGEST_KERNEL_CHAIN_MAX 127	/* default of kernel.perf_event_max_stack */

/* The addresses of a sample, before frames are looked up for them. */
struct sample_chain {
	uint64_t leaf_ip;
	enum cpu_mode leaf_mode;
	const uint64_t *words;	/* borrowed; its callers, leaf first, with the kernel's markers */
	uint32_t count;
	uint32_t walked;	/* words from this index on are all user addresses; count: none */
	enum cpu_mode mode;	/* mode of the first word */
};

struct ingest_stacks {
	struct walker walker;
	struct stack_ends *ends;	/* borrowed; NULL: not collected */
	struct stack_memo memo;
	uint64_t changes, kernel_shift;	/* values that `memo` is valid for: ingest_frames.c */
	uint64_t last_number;	/* newest number given to an address map */
	uint64_t last_tables;	/* last_number when the newest table came: map numbers up to it are
				 * stale */
	uint64_t *walked;	/* owned: user addresses of the current sample */
	uint64_t *words;	/* owned: chain of the current sample, if it was walked */
	uint32_t *callers;	/* owned: frames of the current sample's callers */
};

#define INGEST_RECENT 64	/* rows; threads with equal tid % INGEST_RECENT share one */

struct recent_thread {		/* row tid % INGEST_RECENT; see ingest_repeat.c */
	uint64_t epoch;		/* valid while it equals ingest_repeat.epoch */
	uint64_t until_ns;	/* a later sample of it may need a request to the process reader */
	uint64_t space;		/* space number of its maps, see struct stack_memo */
	uint32_t pid, tid;
	uint32_t task;
	enum attribution attribution;
};

struct seen_thread {		/* row tid % INGEST_RECENT: threads that ingest_look_ahead() met */
	uint64_t epoch, time_ns;
	uint32_t pid, tid;
};

struct ingest_repeat {
	uint64_t epoch;		/* incremented by everything but a plain sample */
	struct recent_thread recent[INGEST_RECENT];
	struct seen_thread seen[INGEST_RECENT];
};

struct ingest_rare {
	struct rare_server *server;	/* borrowed; NULL: no requests are sent */
	uint32_t waiting;	/* parked samples with a request sent or to be sent */
	uint64_t slice;		/* replay: slice number (time / SLICE_NS) of the waiting samples */
	uint64_t last_ticket;
	uint64_t next_ns;	/* earliest time of the next batch */
	bool has_answered;	/* a reply came since the flag was cleared */
};

struct ingest_counters {
	uint64_t lost_kernel;	/* from PERF_FORMAT_LOST and LOST records, each loss once */
	uint64_t lost_counted, lost_recorded;	/* raw sums of PERF_FORMAT_LOST, of LOST records */
	uint64_t stalled_rounds, throttled_ns;
	uint64_t malformed, malformed_rings;	/* records; ring positions that held no record */
	uint64_t unattributed;
	uint64_t unattributed_late, unattributed_forkless;	/* parts of unattributed */
	uint64_t filtered_unknown_uid;
	uint64_t left_out_own;		/* samples and hits of flametop's own processes */
	uint64_t copied_hits;		/* samples with a stack copy, of period-1 events only */
	uint64_t dropped_no_memory;	/* counted as lost: flametop itself had no memory */
	uint64_t unkept_mappings;	/* dropped: over the limit of one process or of all */
	uint64_t tables_let_go;		/* symbol tables evicted: see ingest/table_budget.h */
	uint64_t trimmed_stacks;	/* cut because too little of the copy was kept */
	struct stack_counts stacks;	/* sums over all counted samples */
};

struct ingest_loss {		/* losses of one (event, cpu) */
	uint64_t last_total;	/* cumulative; records already in lost_kernel */
	bool is_exact;		/* PERF_FORMAT_LOST works: LOST records are not added besides */
	uint64_t read_total;	/* newest value of PERF_FORMAT_LOST */
	uint64_t in_records, in_samples;	/* a recording's sums of LOST and LOST_SAMPLES */
};

/* Limit for all parked samples: 997 Hz on two busy CPUs park 6 MiB before their tables are there;
 * more CPUs park more. */
#define INGEST_PARKED_BYTES_MAX (16u * 1024 * 1024)
#define INGEST_WAITING_MAX 1024	/* 4 MiB; the opener's queue has room for as many more */

struct jit_code;	/* ingest_jit.c */

struct ingest_jit {		/* code that processes made at run time */
	struct jit_code *codes;	/* owned; an object's `code` is the index + 1 */
	uint32_t count, capacity;
	uint32_t last_number;
	uint64_t forgotten;	/* how often rows of `codes` became free for reuse */
	uint64_t swept_ns;
};

struct ingest_kernel {		/* live: kernel symbols are read again when its code changes */
	bool is_wanted;		/* a sample hit code that the kernel's table does not know */
	bool is_asked;
	uint64_t requests;	/* requests sent so far */
	uint64_t due_ns, wait_ns;	/* earliest time of the next request; pause after it */
};

struct ingest {
	struct ingest_config config;
	struct strpool *strings;
	size_t swept_bytes;	/* strpool_passing_bytes() after the last sweep */
	struct object_table objects;
	struct task_table tasks;
	struct stack_trie trie;
	struct symbol_names names;
	struct timeline timeline;
	struct baseline baseline;	/* what windows of the timeline are compared with */
	struct reorder reorder;
	struct object_opener *opener;	/* borrowed; NULL: no names at all */
	struct process_reader *reader;	/* borrowed; NULL in a replay */
	struct probe_hits *hits;	/* owned; NULL: no probes so far */
	struct event_lines lines;	/* output of single hits and samples */
	struct ingest_counters counters;
	struct stack_enders stack_enders;
	struct clock_ticks clock;

	struct address_map *kernel_maps;	/* replay: the kernel's mappings in the recording */
	struct address_map *kernel_overlay;	/* BPF programs loaded while flametop runs */
	uint64_t recorded_text_address;		/* replay: address of _text; 0: not recorded */
	uint64_t kernel_shift;			/* replay: added to kernel addresses if the kernel's
						 * address differs from the first recording's */
	bool is_kernel_recorded;		/* replay: the running kernel is the recorded one */
	bool is_kernel_assumed;			/* replay: is_kernel_recorded without a build-id;
						 * the address of _text must match, too */
	bool is_kernel_slid;			/* replay: names were requested with a slide */

	struct parked_sample *parked;	/* owned; oldest first */
	uint64_t parked_due_ns;		/* earliest deadline at the last ingest_poll() */
	uint32_t parked_count, parked_capacity;
	size_t parked_bytes;
	bool parked_much;		/* many were parked: malloc_trim() once none is */
	struct open_request *waiting;	/* owned; requests that wait for room in the opener's queue:
					 * INGEST_WAITING_MAX files and those of run-time code */
	uint32_t waiting_count, waiting_capacity;
	uint32_t opening;		/* requests sent to the opener, not answered yet */
	struct id_map program_names;	/* (object, comm) already requested: ingest_programs.c */
	uint64_t refused_due_ns;	/* when to retry objects whose file systems did not answer;
					 * 0: there are none */
	struct ingest_jit jit;
	struct ingest_kernel kernel;
	struct unwind_set unwind;
	struct table_set tables;
	bool wants_unwind;		/* an event copies stacks */

	bool is_held;			/* replay: records wait for a stack's table or callers */
	uint64_t held_limit_ns;		/* limit of the release that was interrupted by is_held */
	uint64_t held_tables;		/* ingest_stacks.last_tables when it was interrupted */
	bool is_forced;			/* count everything now, without waiting */

	struct id_map recorded_cgroups;	/* replay: the kernel's id -> row of tasks.cgroups */
	struct id_map throttled_since;	/* (event, cpu) -> row of throttles */
	uint64_t *throttles;		/* owned; begin of the throttling, 0: not throttled */
	uint32_t throttle_count, throttle_capacity;
	struct id_map loss_of;		/* (event, cpu) -> row of losses */
	struct ingest_loss *losses;	/* owned */
	uint32_t loss_count, loss_capacity;

	struct ingest_stacks stacks;
	struct ingest_repeat repeat;
	struct ingest_rare rare;
	uint64_t limit_ns;		/* limit of the last round, probe rings excluded */
	uint64_t watermark_ns;		/* everything older has been counted */
	uint64_t begin_ns;		/* begin of this source; records up to it are dropped */
	uint64_t tasks_since_ns;	/* older replies of the process reader are ignored */
	uint64_t stalled_before, malformed_before;	/* in earlier sources */
	bool has_new_names;		/* tables or demangled names came since it was cleared */
};

/* Counts one sample of a task with that @attribution. */
void ingest_count_attribution(struct ingest *ingest, enum attribution attribution);

/* 0, -ENOMEM, or -E2BIG: more than TIMELINE_MAX_EVENTS. */
int ingest_init(struct ingest *ingest, const struct ingest_config *config,
		struct object_opener *opener, struct process_reader *reader, struct diag *why);
void ingest_finish(struct ingest *ingest);

/* Adds the raw records of a QUEUE_RECORD item of @bytes. Returns how many they are. */
int ingest_push_item(struct ingest *ingest, const struct queue_item *item, size_t bytes);
/* Adds one raw record. */
void ingest_push(struct ingest *ingest, const void *record, size_t size, uint16_t event,
		 uint32_t cpu);
/* QUEUE_ROUND_END: counts the records that no earlier one can precede any more. */
void ingest_round_end(struct ingest *ingest, const struct queue_round_end *mark);
/* QUEUE_LOST. */
void ingest_lost_total(struct ingest *ingest, uint16_t event, uint32_t cpu, uint64_t total);
/* QUEUE_SOURCE: records belong to @source from now on; those up to @begin_ns are dropped. */
void ingest_switch(struct ingest *ingest, struct source *source, uint64_t begin_ns);
/* Replay: begins another recording, which has its own clock, tasks and events. Drops all counts but
 * the baseline. 0 or -ENOMEM. */
int ingest_next_recording(struct ingest *ingest, const struct ingest_config *config);
/* Handles replies of reader and opener, and parked samples that are ready or overdue. Call it when
 * the descriptors of both are readable and at least every 100 ms while something is parked. @force:
 * count all that is parked or held now, as it is. */
void ingest_poll(struct ingest *ingest, bool force);

/* Probe hits, which have rings and rounds of their own (ingest_hits.c). */

#define INGEST_HIT_EVENT PROBE_EVENT_FIRST	/* event number of hits in the reorder stage */

/* Applies @news and takes what it owns. True: counts were dropped, kept windows must start over. */
bool ingest_hit_news(struct ingest *ingest, struct probe_news *news);
/* Adds one raw record from a probe ring. False: its id is not known, nothing was done. */
bool ingest_hit_push(struct ingest *ingest, const void *record, size_t size, uint32_t cpu);
void ingest_hit_round_end(struct ingest *ingest, const struct queue_round_end *mark);
/* Time before which every hit record has been pushed; UINT64_MAX: no rings run. */
uint64_t ingest_hit_limit_ns(const struct ingest *ingest);

/* Parts, for the files of this module. */
void ingest_hit(struct ingest *ingest, const void *raw, size_t size);	/* in time order */
/* Counts the fields of the sample @record, which was counted as @entry, if its event is a recorded
 * one whose fields are known. */
void ingest_hit_fields(struct ingest *ingest, const struct event_record *record,
		       const struct slice_entry *entry);
/* Output of single hits and samples (ingest_lines.c). Creates the line of a hit that ended with
 * @end and carried @values[@count]; NULL: lines are off, or there is no room. */
struct event_line *ingest_line_begin(struct ingest *ingest, const struct event_record *end,
				     int64_t latency_ns, const struct probe_value *values,
				     uint32_t count);
/* Appends a line for the sample @record, which was counted as @entry. */
void ingest_line_of_sample(struct ingest *ingest, const struct event_record *record,
			   const struct slice_entry *entry, const struct probe_value *values,
			   uint32_t count);
/* Destroys @line if its hit was neither counted nor parked. NULL is fine. */
void ingest_line_end(struct ingest *ingest, struct event_line *line);
/* Publishes @line (NULL is fine), whose hit was counted as @entry. */
void ingest_line_counted(struct ingest *ingest, struct event_line *line,
			 const struct slice_entry *entry);
/* Time before which all lines are complete: no pending sample is older. */
uint64_t ingest_lines_limit_ns(const struct ingest *ingest);
/* Ends the pending calls of the thread of @record, which exited or called exec. */
void ingest_hit_gone(struct ingest *ingest, const struct event_record *record);
void ingest_hit_targets(struct ingest *ingest);	/* marks them, after tasks were forgotten */
/* Returns the return address that a probe replaced by @replaced on the stack at @slot; 0: no known
 * probe did. @calls: those at the time of the sample @record; NULL: the calls pending now. */
uint64_t ingest_hit_return_address(const struct ingest *ingest, const struct event_record *record,
				   const struct probe_calls *calls, uint64_t slot,
				   uint64_t replaced);
/* Copies the probed calls that the thread is in. @out->list is the caller's to free; often NULL. */
void ingest_hit_calls(const struct ingest *ingest, const struct event_record *record,
		      struct probe_calls *out);
/* Sets the stack of the log line form.number, which is not 0. */
void ingest_hit_stack(struct ingest *ingest, const struct sample_form *form, uint32_t stack);
void ingest_look_at_config(struct ingest *ingest);	/* call it after `config` has changed */
void ingest_mmap(struct ingest *ingest, const struct event_record *record);
/* Replay: applies an MMAP record of the kernel or a module. */
void ingest_kernel_mmap(struct ingest *ingest, const struct event_record *record);
void ingest_ksymbol(struct ingest *ingest, const struct event_record *record);
/* Inserts @row over older ones into *@map, created if NULL. Counts refused rows as unkept. */
void ingest_insert_mapping(struct ingest *ingest, struct address_map **map,
			   const struct mapping *row);
/* Inserts @row, read from /proc for @process at @time_ns, into *@map. */
void ingest_read_mapping(struct ingest *ingest, struct process *process, struct address_map **map,
			 const struct process_mapping *row, uint64_t time_ns);
void ingest_ask_kernel(struct ingest *ingest);	/* at start: requests the live kernel's names */
/* Replay: if the recorded kernel's address differs from the one in @reply (KASLR), requests the
 * names again with a slide, or refuses them where a match is required, and returns true. */
bool ingest_slide_kernel(struct ingest *ingest, const struct open_reply *reply);
/* Replay: modules share the kernel's table, which has their symbols. */
void ingest_share_kernel_table(struct ingest *ingest, uint32_t id_of_kernel);
/* Requests the kernel's names anew if @frame has none (a module was loaded, or kernel memory was
 * reused); the interval between requests doubles each time. */
void ingest_kernel_sample(struct ingest *ingest, uint32_t frame);
void ingest_kernel_poll(struct ingest *ingest);
void ingest_kernel_reply(struct ingest *ingest);
void ingest_maps_reply(struct ingest *ingest, const struct process_reply *reply);
void ingest_opener_replies(struct ingest *ingest);
/* Sends @request to the opener, or queues it in `waiting`; fills in its serial. */
void ingest_request_open(struct ingest *ingest, struct open_request *request);
void ingest_retry_requests(struct ingest *ingest);	/* sends those in `waiting` */
/* Requests the evicted table of the object at @mapping in the living process @pid. */
void ingest_load_again(struct ingest *ingest, uint32_t pid, const struct mapping *mapping);
/* Fills in which tables of @request->object are needed and not loaded yet. */
void ingest_wish_for_tables(const struct ingest *ingest, struct open_request *request);
/* Names by which programs were started (ingest_programs.c). @request: where the file of a process's
 * program is mapped; then the opener's reply, or that no request was sent. */
void ingest_program_mapped(struct ingest *ingest, struct open_request *request);
void ingest_program_reply(struct ingest *ingest, const struct open_reply *reply);
void ingest_program_not_asked(struct ingest *ingest, const struct open_request *request);
/* Objects whose file systems did not answer, or whose requests were dropped for want of room
 * (ingest_refused.c). An object that has its tables is not marked: it only may be outdated. */
void ingest_refused_note(struct ingest *ingest, struct object *object, bool is_refused);
void ingest_refused_poll(struct ingest *ingest);

/* Returns the unwind table of the file mapped at @mapping in process @pid. NULL: there is none, or
 * it is loading (*@is_loading): the table is requested, also after an eviction. Valid until the
 * next ingest_poll(). */
const struct unwind_table *ingest_unwind_find(struct ingest *ingest, uint32_t pid,
					      const struct mapping *mapping, bool *is_loading);
/* Whether @object has unwind rows, loaded or not: it is a file that can be read. */
bool ingest_unwind_is_expected(const struct object *object);
void ingest_unwind_reply(struct ingest *ingest, const struct open_reply *reply);

/* Fills in @out with the location of the file mapped at @mapping in process @pid. */
void ingest_mapping_place(const struct ingest *ingest, uint32_t pid, const struct mapping *mapping,
			  struct open_request *out);

/* Stacks that need a worker. True if the sample whose stack is the first @count addresses of
 * ingest_stacks.walked is to be parked for its callers; fills in @callers. False: there is no room,
 * or a worker can't find them either. */
bool ingest_rare_want(const struct ingest *ingest, const struct address_map *maps, size_t count,
		      struct sample_callers *callers);
/* Replay: whether a record of @time_ns must wait for the callers of parked samples. */
bool ingest_rare_holds(const struct ingest *ingest, uint64_t time_ns);
void ingest_rare_take(struct ingest *ingest);	/* handles the worker's reply, if there is one */
void ingest_rare_ask(struct ingest *ingest);	/* sends the next batch, if it is due */

/* Names of run-time code. Returns a number that tells anonymous memory of @process apart from that
 * of all others, for struct object_key.place; 0: out of memory. */
uint64_t ingest_jit_place(struct ingest *ingest, struct process *process);
/* Adds @object, memory of @process with the place that ingest_jit_place() returned. */
void ingest_jit_add_object(struct ingest *ingest, const struct process *process, uint32_t object,
			   uint64_t bias);
/* @object has no symbols of its own. */
void ingest_jit_object_failed(struct ingest *ingest, uint32_t object);
void ingest_jit_add_dump(struct ingest *ingest, struct process *process,
			 const struct open_request *mapping);
/* Notes that a sample hit the run-time code @code (see struct object). */
void ingest_jit_sample(struct ingest *ingest, uint32_t code);
/* The unwind rows of the run-time code @code that may cover @ip, which is *@address in them. NULL:
 * none. Valid until the opener's next reply. */
const struct unwind_table *ingest_jit_unwind(const struct ingest *ingest, uint32_t code,
					     uint64_t ip, uint64_t *address);
/* Whether the files that may name the run-time code @code (as in struct object, not 0) have been
 * looked for, found or not; always true in a replay, which never looks. After false,
 * ingest_stacks_tables_changed() is called as soon as they have been. */
bool ingest_jit_is_read(struct ingest *ingest, uint32_t code);
/* Repeats @request, with `jit` set, later: it could not be sent. */
void ingest_jit_not_asked(struct ingest *ingest, const struct open_request *request);
void ingest_jit_exit(struct ingest *ingest, const struct event_record *record);
void ingest_jit_poll(struct ingest *ingest);	/* sends the requests that are due */
void ingest_jit_reply(struct ingest *ingest, const struct open_reply *reply);
void ingest_jit_finish(struct ingest_jit *jit);
/* Counts the sample @record, or parks it. False, only if @can_hold: its stack needs a table that
 * has not arrived; nothing was done, pass it again after that. */
bool ingest_sample(struct ingest *ingest, const struct event_record *record,
		   const struct sample_form *form, const void *raw, size_t size, bool can_hold);
/* Counts @record if its task and stack are cached from earlier samples of this epoch. False:
 * nothing was done, pass it to ingest_sample(). */
bool ingest_repeat_sample(struct ingest *ingest, const struct event_record *record);
/* Caches that @record was counted for @stack by ingest_sample() without waiting. @until_ns: before
 * it no request about its thread is due, as far as is known now. */
void ingest_repeat_learn(struct ingest *ingest, const struct event_record *record,
			 const struct sample_origin *origin, const struct sample_stack *stack,
			 uint64_t until_ns);
/* Begins a new epoch: what was cached about threads may be outdated. */
static inline void ingest_repeat_forget(struct ingest *ingest)
{
	ingest->repeat.epoch++;
}
/* Whether a sample of the thread of @sample came before in this epoch; notes that one has now. */
bool ingest_repeat_saw(struct ingest *ingest, const struct event_record *sample);
struct ingest_ring {	/* the ring that a record came from, see struct reorder_span */
	uint16_t event;
	uint32_t cpu;
};
/* Adds @raw, of @format and with the time @time_ns, to the reorder stage. */
void ingest_put_in_order(struct ingest *ingest, const struct record_format *format,
			 const struct perf_event_header *raw, const struct ingest_ring *ring,
			 uint64_t time_ns);
/* Requests a new process or thread from the reader before the turn of @record in time order. */
void ingest_look_ahead(struct ingest *ingest, const struct event_record *record);
void ingest_parked(struct ingest *ingest, bool force);
void ingest_park_finish(struct ingest *ingest, struct parked_sample *parked);
/* The frame of an address; ID_SET_NONE: out of memory. @maps: NULL if none are known. */
uint32_t ingest_frame(struct ingest *ingest, const struct address_map *maps, enum cpu_mode mode,
		      uint64_t ip);
/* Finds leaf and node of @chain; @maps: the maps for its user part (NULL: none are known). */
void ingest_chain_frames(struct ingest *ingest, struct address_map *maps,
			 const struct sample_chain *chain, struct sample_stack *out);
/* Fills in @out with the kernel's chain of @record without the leaf, @out->leaf_ip. */
void ingest_take_chain(const struct event_record *record, struct sample_chain *out);
/* Whether @word is no address but a marker of the context of the next ones: PERF_CONTEXT_*. */
static inline bool ingest_is_marker(uint64_t word)
{
	return word >= (uint64_t)-4095;
}
/* Mode of the address after @word in a chain: that of a marker, else @before. */
enum cpu_mode ingest_chain_mode(uint64_t word, enum cpu_mode before);

int ingest_stacks_init(struct ingest_stacks *stacks);	/* 0 or -ENOMEM */
/* The thread of @record has exited or called exec. */
void ingest_stacks_gone(struct ingest_stacks *stacks, const struct event_record *record);
void ingest_stacks_finish(struct ingest_stacks *stacks);	/* a zeroed struct is fine */
/* Invalidates cached walks: an object got another table, or turned out to have none. */
void ingest_stacks_tables_changed(struct ingest_stacks *stacks);
/* Finds the stack of @record. False, only if @may_wait: nothing was done, it needs a table that has
 * not arrived, or callers (see @origin->callers). */
bool ingest_stack(struct ingest *ingest, const struct event_record *record,
		  const struct sample_origin *origin, bool may_wait, struct sample_stack *out);

#endif
