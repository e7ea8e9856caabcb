/* ingest.h - records in time order -> counts in the timeline: who ran which code.
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
 * Live and replayed records take the same way; a replay asks nothing of /proc, and waits for tables
 * with all that comes after.
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

struct ingest_build_id {	/* of a recording: which file an object was */
	const char *path;
	struct build_id build_id;
	bool is_kernel;
};

struct ingest_config {
	const struct event_desc *const *events;	/* borrowed, as everything here */
	uint32_t event_count;
	uint32_t copy_bytes;	/* of user stacks, where that can be adapted; else 0 */
	bool is_replay;
	const struct ingest_build_id *build_ids;	/* of the recording */
	size_t build_id_count;
	struct build_id running_kernel;	/* its names are used in a replay only if it was recorded */
	uint32_t kernel_number;	/* replay: of a kernel that is not the one that another recording
				 * gets names from; else 0 */
	struct recorded_names kernel_names;	/* replay: the list in the recording; none: 0 */
	bool is_this_boot;	/* replay: the recording says that it was made here, since the
				 * machine was started; needed if it has no kernel build-id */
	uint64_t written_ns;	/* replay: when it was written last, by CLOCK_REALTIME */
	bool has_uid_filter;		/* keep only samples of processes of `uid` */
	uint32_t uid;
	const uint32_t *target_pids, *target_tids;	/* whom the user asked for; what they */
	size_t target_pid_count, target_tid_count;	/* start belongs to them, */
	bool no_inherit;				/* unless this says no */
	bool has_task_filter;		/* keep only samples of these */
	/* Flametop's processes, main first; they and what they fork are left out, unless they are
	 * targets. The same for every source. */
	const uint32_t *own_pids;
	size_t own_pid_count;
	uint32_t launcher_pid;		/* it waits for the exec of the command; 0: none does */
	uint32_t whole_cpus;		/* live: CPUs sampled whole; 0: single tasks are */
};

/* Could name and maps of a sample's task be had? If not: why not. */
enum attribution {
	ATTRIBUTED,
	UNATTRIBUTED_LATE,	/* /proc did not answer in time */
	UNATTRIBUTED_FORKLESS,	/* it ended before it was read, and no FORK record told whose child
				 * it was */
	UNATTRIBUTED_ENDED,	/* its FORK record came, but its parent was not known */
};

/* What a worker is asked, and says, of a stack that no row can lead through. */
struct sample_callers {
	enum {
		CALLERS_UNASKED,	/* nobody needed it, as far as it was walked */
		CALLERS_WANTED,		/* to be asked for; the code is there */
		CALLERS_ASKED,
		CALLERS_KNOWN,		/* the frames are there */
		CALLERS_NONE,		/* it failed */
	} state;
	uint64_t ticket;
	struct mapping code[RARE_MAPPINGS_MAX];	/* that must be known */
	uint32_t code_count;
	struct remote_frame *frames;	/* owned; leaf first */
	size_t frame_count;
};

/* How a record is read, and what it is counted as. */
struct sample_form {
	struct record_format format;
	uint32_t copy_bytes;	/* of the user stack, at most, where that can be adapted; else 0 */
	uint16_t event;		/* as in struct slice_entry, */
	uint8_t bucket;		/* as there */
	bool is_hit;		/* of a probe: whom the user asked for is the probe's matter, */
	uint64_t time_ns;	/* when it counts: with the return, when that comes, */
	uint64_t leaf_ip;	/* where: of a return the function, not its caller; 0: sample.ip; */
	uint64_t number;	/* its line in the probe's log; 0: none waits for the stack */
	struct event_line *line;	/* the hit as it will be printed, until it is counted;
					 * NULL: it is not printed */
};

/* A sample whose process or thread the reader is still asked about, or whose stack needs a table
 * or callers that are still to come. */
struct parked_sample {
	uint64_t deadline_ns;
	unsigned char *bytes;	/* owned copy of the raw record */
	uint32_t size;
	struct sample_form form;
	struct address_map *maps;	/* owned reference; NULL: the reader is waited for. Else */
	struct thread thread;		/* these two, as they were at the sample, */
	enum attribution attribution;	/* how its task's name and maps were got, */
	uint64_t tables;		/* ingest_stacks.last_tables when it was walked last, */
	struct sample_callers callers;	/* and these, */
	bool has_news;			/* which came since then */
	struct probe_calls calls;	/* owned: that its thread was in */
};

/* Whose sample it is. */
struct sample_origin {
	struct thread *thread;
	struct address_map *maps;	/* NULL: none known */
	enum attribution attribution;
	struct sample_callers *callers;
	const struct probe_calls *calls;	/* NULL: those of now */
	const struct sample_form *form;
};

/* What is known of a sample's stack. */
struct sample_stack {
	uint32_t leaf, node;		/* ID_SET_NONE: out of memory */
	uint32_t id;			/* of both, once it is counted */
	struct stack_counts counts;	/* of this one sample */
};

#define INGEST_KERNEL_CHAIN_MAX 127	/* kernel.perf_event_max_stack, its default */

/* The addresses of a sample: what its frames are is still to be looked up. */
struct sample_chain {
	uint64_t leaf_ip;
	enum cpu_mode leaf_mode;
	const uint64_t *words;	/* borrowed; its callers, leaf first, with the kernel's markers */
	uint32_t count;
	uint32_t walked;	/* from here on all are addresses of user code; count: none is */
	enum cpu_mode mode;	/* of the first */
};

struct ingest_stacks {
	struct walker walker;
	struct stack_ends *ends;	/* borrowed; NULL: nobody asks for them */
	struct stack_memo memo;
	uint64_t changes, kernel_shift;	/* as of what `memo` keeps: ingest_frames.c */
	uint64_t last_number;	/* that an address map got */
	uint64_t last_tables;	/* the same when the newest table came: older numbers are stale */
	uint64_t *walked;	/* owned: addresses of the sample in hand, user part */
	uint64_t *words;	/* owned: the chain of the sample in hand, if it was walked, */
	uint32_t *callers;	/* owned: and its frames */
};

#define INGEST_RECENT 64	/* threads; more than that take turns */

struct recent_thread {		/* by its tid's rest; ingest_repeat.c */
	uint64_t epoch;		/* as ingest_repeat.epoch: of another one, it is of the past */
	uint64_t until_ns;	/* a later sample of it may have to ask /proc */
	uint64_t space;		/* number of its maps' content, as of struct stack_memo */
	uint32_t pid, tid;
	uint32_t task;
	enum attribution attribution;	/* how its name and maps were got */
};

struct seen_thread {		/* likewise: it was asked about when a sample of it came in */
	uint64_t epoch, time_ns;
	uint32_t pid, tid;
};

struct ingest_repeat {
	uint64_t epoch;		/* one more whenever anything happens but one more sample */
	struct recent_thread recent[INGEST_RECENT];
	struct seen_thread seen[INGEST_RECENT];
};

struct ingest_rare {
	struct rare_server *server;	/* borrowed; NULL: nobody is asked */
	uint32_t waiting;	/* parked samples that a worker is or will be asked about */
	uint64_t slice;		/* replay: of those, by SLICE_NS */
	uint64_t last_ticket;
	uint64_t next_ns;	/* no batch before */
	bool has_answered;	/* since the flag was cleared */
};

struct ingest_counters {
	uint64_t lost_kernel;	/* by what counts and records say together */
	uint64_t lost_counted, lost_recorded;	/* PERF_FORMAT_LOST; LOST records: as they came */
	uint64_t stalled_rounds, throttled_ns;
	uint64_t malformed, malformed_rings;	/* records; ring positions that held no record */
	uint64_t unattributed;
	uint64_t unattributed_late, unattributed_forkless;	/* parts of unattributed */
	uint64_t filtered_unknown_uid;
	uint64_t left_out_own;		/* samples and hits of flametop's own processes */
	uint64_t copied_hits;		/* samples with a stack copy, of period-1 events only */
	uint64_t dropped_no_memory;	/* counted as lost: flametop itself had no memory */
	uint64_t unkept_mappings;	/* beyond what one process, or all, may have */
	uint64_t tables_let_go;		/* symbol tables: see ingest/table_budget.h */
	uint64_t trimmed_stacks;	/* cut because too little of the copy was kept */
	struct stack_counts stacks;	/* of all samples that were counted */
};

struct ingest_loss {		/* per (event, cpu): the kernel's own cumulative count */
	uint64_t last_total;
	bool is_exact;		/* PERF_FORMAT_LOST works: LOST records are not added besides */
	uint64_t read_total;	/* what that has told of so far */
	uint64_t in_records, in_samples;	/* a recording's sums of LOST and LOST_SAMPLES */
};

/* Of parked samples: 997 Hz on two busy CPUs come to 6 MiB before their tables are there; more CPUs
 * to more. */
#define INGEST_PARKED_BYTES_MAX (16u * 1024 * 1024)
#define INGEST_WAITING_MAX 1024	/* 4 MiB; the opener holds as many besides */

struct jit_code;	/* ingest_jit.c */

struct ingest_jit {		/* code that processes made at run time */
	struct jit_code *codes;	/* owned; an object's `code` is the index + 1 */
	uint32_t count, capacity;
	uint32_t last_number;
	uint64_t forgotten;	/* how often numbers of codes got free to be used again */
	uint64_t swept_ns;
};

struct ingest_kernel {		/* live: its code changes, too */
	bool is_wanted;		/* a sample hit code that its table does not know */
	bool is_asked;
	uint64_t requests;	/* how often the wish was granted */
	uint64_t due_ns, wait_ns;	/* as of struct jit_code */
};

struct ingest {
	struct ingest_config config;
	struct strpool *strings;
	size_t swept_bytes;	/* of passing text, that stayed when it was swept last */
	struct object_table objects;
	struct task_table tasks;
	struct stack_trie trie;
	struct symbol_names names;
	struct timeline timeline;
	struct baseline baseline;	/* what windows of the timeline are compared with */
	struct reorder reorder;
	struct object_opener *opener;	/* borrowed; NULL: no names at all */
	struct process_reader *reader;	/* borrowed; NULL in a replay */
	struct probe_hits *hits;	/* owned; NULL: nothing was heard of probes */
	struct event_lines lines;	/* for who prints hits and samples one by one */
	struct ingest_counters counters;
	struct stack_enders stack_enders;
	struct clock_ticks clock;

	struct address_map *kernel_maps;	/* replay: what the recording says of its kernel */
	struct address_map *kernel_overlay;	/* programs that were loaded while we look */
	uint64_t recorded_text_address;		/* replay: of _text; 0: not recorded */
	uint64_t kernel_shift;			/* replay: added to addresses of a kernel that lay
						 * elsewhere in the recording before */
	bool is_kernel_recorded;		/* replay: the running kernel is the recorded one */
	bool is_kernel_assumed;			/* replay: is_kernel_recorded is said by no
						 * build-id; its address is compared */
	bool is_kernel_slid;			/* replay: its names were asked for slid */

	struct parked_sample *parked;	/* owned; oldest first */
	uint64_t parked_due_ns;		/* the first deadline, as of ingest_poll() */
	uint32_t parked_count, parked_capacity;
	size_t parked_bytes;
	bool parked_much;		/* since none was parked: there is memory to give back */
	struct open_request *waiting;	/* owned; the opener's queue was full. INGEST_WAITING_MAX
					 * files at most, and what run-time code asks for */
	uint32_t waiting_count, waiting_capacity;
	uint32_t opening;		/* asked, not answered yet */
	struct id_map program_names;	/* (object, comm) that were asked for: ingest_programs.c */
	uint64_t refused_due_ns;	/* objects whose file systems did not answer are asked
					 * for again then; 0: there are none */
	struct ingest_jit jit;
	struct ingest_kernel kernel;
	struct unwind_set unwind;
	struct table_set tables;
	bool wants_unwind;		/* an event copies stacks */

	bool is_held;			/* replay: a stack needs a table, or callers; records */
	uint64_t held_limit_ns;		/* wait for it, to this, that was as of */
	uint64_t held_tables;		/* ingest_stacks.last_tables, unless */
	bool is_forced;			/* nothing is waited for now */

	struct id_map recorded_cgroups;	/* replay: the kernel's id -> row of tasks.cgroups */
	struct id_map throttled_since;	/* (event, cpu) -> row of throttles */
	uint64_t *throttles;		/* owned; when it began, 0: not throttled */
	uint32_t throttle_count, throttle_capacity;
	struct id_map loss_of;		/* (event, cpu) -> row of losses */
	struct ingest_loss *losses;	/* owned */
	uint32_t loss_count, loss_capacity;

	struct ingest_stacks stacks;
	struct ingest_repeat repeat;
	struct ingest_rare rare;
	uint64_t limit_ns;		/* of the last round, hits of probes excluded */
	uint64_t watermark_ns;		/* everything older has been counted */
	uint64_t begin_ns;		/* of this source; what is not younger is dropped */
	uint64_t tasks_since_ns;	/* answers of the reader before it are of no use */
	uint64_t stalled_before, malformed_before;	/* in earlier sources */
	bool has_new_names;		/* since the flag was cleared: tables, demangled names */
};

/* One more sample of a task about which that is known. */
void ingest_count_attribution(struct ingest *ingest, enum attribution attribution);

/* 0, -ENOMEM, or -E2BIG: more than TIMELINE_MAX_EVENTS. */
int ingest_init(struct ingest *ingest, const struct ingest_config *config,
		struct object_opener *opener, struct process_reader *reader, struct diag *why);
void ingest_finish(struct ingest *ingest);

/* Takes the raw records of a QUEUE_RECORD item of @bytes. Returns how many they are. */
int ingest_push_item(struct ingest *ingest, const struct queue_item *item, size_t bytes);
/* Takes one raw record. */
void ingest_push(struct ingest *ingest, const void *record, size_t size, uint16_t event,
		 uint32_t cpu);
/* QUEUE_ROUND_END: counts what has become orderly. */
void ingest_round_end(struct ingest *ingest, const struct queue_round_end *mark);
/* QUEUE_LOST. */
void ingest_lost_total(struct ingest *ingest, uint16_t event, uint32_t cpu, uint64_t total);
/* QUEUE_SOURCE: records are @source's from now on, and older ones than @begin_ns nobody's. */
void ingest_switch(struct ingest *ingest, struct source *source, uint64_t begin_ns);
/* Replay: records of another recording follow, whose clock, tasks and events are its own; what was
 * counted goes, but for the baseline. 0 or -ENOMEM. */
int ingest_next_recording(struct ingest *ingest, const struct ingest_config *config);
/* Replies of reader and opener, parked samples whose time has come. Call it when their descriptors
 * are readable and at least every 100 ms while something is parked. @force: count all that is
 * parked or held now, as it is. */
void ingest_poll(struct ingest *ingest, bool force);

/* Hits of probes, which have rings and rounds of their own (ingest_hits.c). */

#define INGEST_HIT_EVENT PROBE_EVENT_FIRST	/* of their records in the reorder stage */

/* Takes @news, and what it owns. True: counts were dropped, kept windows must start over. */
bool ingest_hit_news(struct ingest *ingest, struct probe_news *news);
/* Takes one raw record of their rings. False: no news told of its id, nothing was done. */
bool ingest_hit_push(struct ingest *ingest, const void *record, size_t size, uint32_t cpu);
void ingest_hit_round_end(struct ingest *ingest, const struct queue_round_end *mark);
/* Every record of them before this time has been pushed; UINT64_MAX: no rings run. */
uint64_t ingest_hit_limit_ns(const struct ingest *ingest);

/* Parts, for the files of this module. */
void ingest_hit(struct ingest *ingest, const void *raw, size_t size);	/* its turn has come */
/* The sample @record was counted as @entry: so are its fields, if it is of a recorded event whose
 * fields are known. */
void ingest_hit_fields(struct ingest *ingest, const struct event_record *record,
		       const struct slice_entry *entry);
/* Lines for who prints hits and samples one by one (ingest_lines.c). Of a hit that ended with @end
 * and carried @values[@count]; NULL: nobody prints it, or there is no room. */
struct event_line *ingest_line_begin(struct ingest *ingest, const struct event_record *end,
				     int64_t latency_ns, const struct probe_value *values,
				     uint32_t count);
/* The sample @record was counted as @entry. */
void ingest_line_of_sample(struct ingest *ingest, const struct event_record *record,
			   const struct slice_entry *entry, const struct probe_value *values,
			   uint32_t count);
/* The hit of @line goes if it was neither counted nor parked. NULL is fine. */
void ingest_line_end(struct ingest *ingest, struct event_line *line);
/* The hit whose line that is, or NULL, was counted as @entry. */
void ingest_line_counted(struct ingest *ingest, struct event_line *line,
			 const struct slice_entry *entry);
/* Lines older than this are all there: nothing that is parked comes before them. */
uint64_t ingest_lines_limit_ns(const struct ingest *ingest);
/* The thread of @record has ended, or its program. */
void ingest_hit_gone(struct ingest *ingest, const struct event_record *record);
void ingest_hit_targets(struct ingest *ingest);	/* marks them, after tasks were forgotten */
/* Of the sample @record: what was on the stack at @slot before a probe put @replaced there; 0: none
 * did that is known. @calls: as they were when its turn came; NULL: it has come now. */
uint64_t ingest_hit_return_address(const struct ingest *ingest, const struct event_record *record,
				   const struct probe_calls *calls, uint64_t slot,
				   uint64_t replaced);
/* The calls that its thread is in. @out->list is the caller's; often NULL. */
void ingest_hit_calls(const struct ingest *ingest, const struct event_record *record,
		      struct probe_calls *out);
/* The stack of a hit is known, whose form.number is not 0. */
void ingest_hit_stack(struct ingest *ingest, const struct sample_form *form, uint32_t stack);
void ingest_look_at_config(struct ingest *ingest);	/* when it is another one */
void ingest_mmap(struct ingest *ingest, const struct event_record *record);
/* Of the kernel or a module; replay. */
void ingest_kernel_mmap(struct ingest *ingest, const struct event_record *record);
void ingest_ksymbol(struct ingest *ingest, const struct event_record *record);
/* Lays @row over *@map, which is made if it is NULL. What is refused is counted. */
void ingest_insert_mapping(struct ingest *ingest, struct address_map **map,
			   const struct mapping *row);
/* Lays @row, which /proc had of @process at @time_ns, over *@map. */
void ingest_read_mapping(struct ingest *ingest, struct process *process, struct address_map **map,
			 const struct process_mapping *row, uint64_t time_ns);
void ingest_ask_kernel(struct ingest *ingest);	/* start: live kernel names */
/* Replay: the recorded kernel lay elsewhere (KASLR) than @reply has it. True: it is asked for
 * again, slid. */
bool ingest_slide_kernel(struct ingest *ingest, const struct open_reply *reply);
/* Replay: its modules are in the kernel's table. */
void ingest_share_kernel_table(struct ingest *ingest, uint32_t id_of_kernel);
/* A module came, or memory of the kernel was used again: reads its names anew, ever more seldom. */
void ingest_kernel_sample(struct ingest *ingest, uint32_t frame);
void ingest_kernel_poll(struct ingest *ingest);
void ingest_kernel_reply(struct ingest *ingest);
void ingest_maps_reply(struct ingest *ingest, const struct process_reply *reply);
void ingest_opener_replies(struct ingest *ingest);
/* Fills in the serial. */
void ingest_request_open(struct ingest *ingest, struct open_request *request);
void ingest_retry_requests(struct ingest *ingest);	/* those that wait for the opener */
/* The table of the object at @mapping in process @pid, which lives, was let go: asks for it. */
void ingest_load_again(struct ingest *ingest, uint32_t pid, const struct mapping *mapping);
/* Fills in what is wanted of @request->object, of which some may be here. */
void ingest_wish_for_tables(const struct ingest *ingest, struct open_request *request);
/* Names by which programs were started (ingest_programs.c): @request says where the file of a
 * process's program is mapped; what came of it. */
void ingest_program_mapped(struct ingest *ingest, struct open_request *request);
void ingest_program_reply(struct ingest *ingest, const struct open_reply *reply);
void ingest_program_not_asked(struct ingest *ingest, const struct open_request *request);
/* Objects whose file systems did not answer, or had no turn (ingest_refused.c). One that has its
 * tables is none: only whether its file has changed is not known. */
void ingest_refused_note(struct ingest *ingest, struct object *object, bool is_refused);
void ingest_refused_poll(struct ingest *ingest);

/* The unwind table of the file mapped at @mapping in process @pid. NULL: there is none, or it still
 * comes (*@is_loading): it is asked for, also when it was there before and had to go. Valid until
 * the next ingest_poll(). */
const struct unwind_table *ingest_unwind_find(struct ingest *ingest, uint32_t pid,
					      const struct mapping *mapping, bool *is_loading);
/* Its code has rows, known or not: it is a file that can be read. */
bool ingest_unwind_is_expected(const struct object *object);
void ingest_unwind_reply(struct ingest *ingest, const struct open_reply *reply);

/* Where the file mapped at @mapping in process @pid is. */
void ingest_mapping_place(const struct ingest *ingest, uint32_t pid, const struct mapping *mapping,
			  struct open_request *out);

/* Stacks that need a worker. Of the stack in hand, @count frames of ingest_stacks.walked: true if
 * its sample is to be parked for callers, @callers then say for which; false: there is no room, or
 * nobody knows them. */
bool ingest_rare_want(const struct ingest *ingest, const struct address_map *maps, size_t count,
		      struct sample_callers *callers);
/* Replay: a record of that time must wait until those who wait have been answered. */
bool ingest_rare_holds(const struct ingest *ingest, uint64_t time_ns);
void ingest_rare_take(struct ingest *ingest);	/* the answer that came */
void ingest_rare_ask(struct ingest *ingest);	/* the next batch, if its time has come */

/* Names of run-time code. What makes anonymous memory of @process another than everybody else's,
 * as struct object_key.place; 0: no memory. */
uint64_t ingest_jit_place(struct ingest *ingest, struct process *process);
/* @object is memory of @process for which ingest_jit_place() was asked. */
void ingest_jit_add_object(struct ingest *ingest, const struct process *process, uint32_t object,
			   uint64_t bias);
/* @object has no symbols of its own. */
void ingest_jit_object_failed(struct ingest *ingest, uint32_t object);
void ingest_jit_add_dump(struct ingest *ingest, struct process *process,
			 const struct open_request *mapping);
/* A sample hit the run-time code @code, as of struct object. */
void ingest_jit_sample(struct ingest *ingest, uint32_t code);
/* The unwind rows of the run-time code @code, if they may hold @ip: at *@address. NULL: none. They
 * are valid until the next reply of the opener. */
const struct unwind_table *ingest_jit_unwind(const struct ingest *ingest, uint32_t code,
					     uint64_t ip, uint64_t *address);
/* Whether the files that may name the run-time code @code (as in struct object, not 0) have been
 * looked for, found or not; always true of recordings, for which nobody looks. After false,
 * ingest_stacks_tables_changed() is called as soon as they have been. */
bool ingest_jit_is_read(struct ingest *ingest, uint32_t code);
/* @request, with `jit` set, could not be sent: it is made again later. */
void ingest_jit_not_asked(struct ingest *ingest, const struct open_request *request);
void ingest_jit_exit(struct ingest *ingest, const struct event_record *record);
void ingest_jit_poll(struct ingest *ingest);	/* asks for what is due */
void ingest_jit_reply(struct ingest *ingest, const struct open_reply *reply);
void ingest_jit_finish(struct ingest_jit *jit);
/* False: its stack needs a table that is still to come, and is to be taken again after that; only
 * if @can_hold, else it is parked. */
bool ingest_sample(struct ingest *ingest, const struct event_record *record,
		   const struct sample_form *form, const void *raw, size_t size, bool can_hold);
/* Counts @record if what it would be counted as is known from samples since the last change. False:
 * nothing was done, it is one for ingest_sample(). */
bool ingest_repeat_sample(struct ingest *ingest, const struct event_record *record);
/* @record was counted for @stack as ingest_sample() does, without waiting. @until_ns: before that
 * nothing needs to be asked about its thread, as far as is known now. */
void ingest_repeat_learn(struct ingest *ingest, const struct event_record *record,
			 const struct sample_origin *origin, const struct sample_stack *stack,
			 uint64_t until_ns);
/* What was known of threads may be of the past. */
static inline void ingest_repeat_forget(struct ingest *ingest)
{
	ingest->repeat.epoch++;
}
/* A sample of its thread has come in since then; from now on one has. */
bool ingest_repeat_saw(struct ingest *ingest, const struct event_record *sample);
struct ingest_ring {	/* that a record came from, as in struct reorder_span */
	uint16_t event;
	uint32_t cpu;
};
/* @raw, of @format and with the time @time_ns, stays in the reorder stage until its turn comes. */
void ingest_put_in_order(struct ingest *ingest, const struct record_format *format,
			 const struct perf_event_header *raw, const struct ingest_ring *ring,
			 uint64_t time_ns);
/* Asks the reader as soon as a process or thread is seen, before its sample is due. */
void ingest_look_ahead(struct ingest *ingest, const struct event_record *record);
void ingest_parked(struct ingest *ingest, bool force);
void ingest_park_finish(struct ingest *ingest, struct parked_sample *parked);
/* Which frame an address is: ID_SET_NONE: out of memory. @maps: NULL if none are known. */
uint32_t ingest_frame(struct ingest *ingest, const struct address_map *maps, enum cpu_mode mode,
		      uint64_t ip);
/* Leaf and node of @chain, for whose user part @maps holds (NULL: none are known). */
void ingest_chain_frames(struct ingest *ingest, struct address_map *maps,
			 const struct sample_chain *chain, struct sample_stack *out);
/* The kernel's chain of @record from the sample's own address (@out->leaf_ip) on. */
void ingest_take_chain(const struct event_record *record, struct sample_chain *out);
/* A value that is no address but says where the next ones are: PERF_CONTEXT_*. */
static inline bool ingest_is_marker(uint64_t word)
{
	return word >= (uint64_t)-4095;
}
/* Where the next address of a chain is, behind @word. */
enum cpu_mode ingest_chain_mode(uint64_t word, enum cpu_mode before);

int ingest_stacks_init(struct ingest_stacks *stacks);	/* 0 or -ENOMEM */
/* The thread of @record has ended, or its program. */
void ingest_stacks_gone(struct ingest_stacks *stacks, const struct event_record *record);
void ingest_stacks_finish(struct ingest_stacks *stacks);	/* of a zeroed one, too */
/* Of some object there is another table, or it is known that there is none. */
void ingest_stacks_tables_changed(struct ingest_stacks *stacks);
/* False, and nothing was done: it needs a table that is still to come, or callers (which @origin
 * then says), and @may_wait. */
bool ingest_stack(struct ingest *ingest, const struct event_record *record,
		  const struct sample_origin *origin, bool may_wait, struct sample_stack *out);

#endif
