/* snapshot.h - one finished fold: everything a screen or an export needs, and immutable.
 *
 * Owns:   all its rows and text, in one block. The analyzer makes it, whoever takes it out of the
 *         mailbox frees it with snapshot_destroy().
 * Text:   sanitized, terminated, never NULL ("" = does not apply).
 * Thread: immutable; any.
 */
#ifndef ANALYZER_SNAPSHOT_H
#define ANALYZER_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/condition.h"
#include "capture/counter_set.h"
#include "fold/query.h"
#include "fold/stack_samples.h"
#include "fold/tree.h"
#include "ingest/losses.h"
#include "ingest/snapshot_probes.h"
#include "listing/listing.h"
#include "timeline/timeline.h"

/* Several events side by side: the loads of each in every row, and ratios of two
 * of them, such as instructions per cycle.
 *
 *   events  cycles | instructions | cache-misses          up to EVENT_COLUMNS
 *   ratios  IPC = instructions / cycles, MISS/K = 1,000 * cache-misses / instructions
 *
 * Weights, not samples, are divided: a weight estimates how often the event happened, whatever its
 * rate of sampling.
 *
 * Thread: any; plain values.
 */

#define EVENT_COLUMNS	  8	/* most events side by side */
#define EVENT_RATIOS	  6
#define EVENT_TITLE_BYTES 14	/* mostly 8 characters */

/* A value of fewer samples than this, and of more than none, is a rough estimate. */
#define EVENT_RATIO_SAMPLES 10

struct event_column {
	char name[96];		/* as shown; sanitized */
	char title[EVENT_TITLE_BYTES];	/* "INSTRUC%" is the title of its shares */
	double weight;		/* 100 % of its shares; 0 unless has_loads */
};

/* @factor * weight of event @part / weight of event @whole. */
struct event_ratio {
	uint32_t part, whole;	/* indices in event_columns.events */
	double factor;
	bool is_ipc;		/* instructions per cycle; then it is the first ratio */
	char title[EVENT_TITLE_BYTES];	/* no two ratios have the same */
	char help[224];		/* "cache-misses per 1,000 instructions" */
};

struct event_columns {
	uint32_t count;		/* number of events; 0: there is one, or more than EVENT_COLUMNS */
	struct event_column events[EVENT_COLUMNS];	/* in the order of the source's events */
	uint32_t ratio_count;
	struct event_ratio ratios[EVENT_RATIOS];
	/* The rows and nodes have `by_event`: query.event_columns */
	bool has_loads;
};

struct event_desc;

/* Fills names, titles and ratios for @events[@count], which are sampled together. */
void event_columns_describe(struct event_columns *out, const struct event_desc *const *events,
			    uint32_t count);

/* Returns the ratio in a row's or node's @by_event, of its self loads or (@is_total) its total
 * ones; < 0: there is none, as the divisor is 0 or @by_event is NULL. *@is_rough: few samples. */
double event_ratio_of(const struct event_ratio *ratio, const struct stats *by_event, bool is_total,
		      bool *is_rough);

struct snapshot_row {
	uint64_t id;		/* identity: equal in all snapshots for equal keys */
	struct stats now;
	struct stats base;	/* is_compared: in the baseline; all 0: the row is new. A row that
				 * is only there has only these */
	const struct stats *by_event;	/* in the window, of each of snapshot.event_columns; NULL:
					 * not requested. BORROWED from the snapshot */
	const char *event;	/* KEY_EVENT: name of the samples' event; else "" */
	uint32_t event_index;	/* KEY_EVENT: its number, as in REQUEST_EVENT */
	double whole, base_whole;	/* KEY_EVENT: weight of the event, in the window and in the
					 * baseline: 100 % of the row's shares */
	const char *symbol;	/* demangled, unless raw names are shown; "" while loading;
				 * "0x..." when unknown */
	const char *raw_symbol;	/* symbol name as in its file; often equal to `symbol` */
	const char *dso;	/* short: base name, "[kernel]", "[vdso]", "[anon]", "[unknown]" */
	const char *dso_path;		/* whole path, or equal to `dso` */
	const char *build_id;	/* hex or "" */
	const char *comm;	/* comm that all samples share, else "" (see tasks); with KEY_GROUP
				 * the present comm of the thread or process, if known */
	const char *reason;	/* SYMBOL_UNREADABLE: why; else "" */
	const char *source;	/* source line of the function, "file.c:12", once requested by
				 * REQUEST_SOURCES; with KEY_ADDRESS that of the address, followed
				 * by the calls inlined there in brackets; "" unknown */
	const char *source_reason;	/* why `source` will stay unknown; else "" */
	uint64_t address;	/* start of the symbol, or the address; in a file: its offset */
	uint64_t offset;	/* KEY_ADDRESS: of the address in its symbol; 0 if it has no name */
	/* KEY_FROM: where the branch, or the call, comes from; the texts as those of the row. ""
	 * and MODE_UNKNOWN: there is no caller. */
	const char *from_symbol, *from_dso_path;
	uint64_t from_address, from_offset;
	enum cpu_mode from_mode;
	bool is_from_named;	/* from_symbol is the name of a function, not "0x..." */
	double predicted, mispredicted;	/* KEY_FROM: parts of the row's self weight: branches that
					 * were predicted rightly, or wrongly */
	uint32_t dso_id;	/* DSO of the code, for struct source_request; UINT32_MAX: not keyed
				 * by code */
	int64_t pid, tid;	/* if all samples share it, else -1 (pid 0 is the idle task) */
	int64_t cpu;		/* if all samples share it, else -1 */
	uint32_t tasks;		/* number of different tasks (pid, tid, comm, cgroup); 0: several,
				 * not counted */
	enum cpu_mode mode;	/* [k] [.] [g] [u] [H]; MODE_UNKNOWN: not keyed by code */
	enum symbol_state state;
	bool is_synthetic;	/* the symbol is named by its address: its file does not say more */
	bool is_inlined;	/* tree node of an inlined function: no sample has its name */
	double inlined_weight;	/* tree node: self of functions inlined into it */
	bool is_idle;		/* idle task or idle loop: not in shares, shown with `i` */
	uint64_t group_id;	/* KEY_GROUP: `id` of the parent row: for a thread its process's,
				 * for one of several ended processes of one name their common
				 * row's; else 0 */
	uint32_t ended_processes;	/* KEY_GROUP: number of ended processes of one name, 2 or
					 * more, that the row sums; it has no pid. Else 0 */

	/* Rows keyed by pid or tid: cgroup of the process, or the last known if it was moved. "":
	 * in none; all four "": unknown. See struct cgroup_name. */
	const char *cgroup, *unit, *container, *pod;

	/* Of an event that counts waits: what they wait for, and their states, each name once,
	 * separated by ", "; and who woke those that somebody ended, if it was always the same. "":
	 * none, or another event. */
	const char *wait, *wait_state, *waker;

	/* Rows keyed by pid or tid, live, once /proc was read: of the row's thread or process. */
	const char *command_line;	/* arguments separated by spaces; "" unknown, or none */
	double cpu_pct;		/* % of one CPU since the previous reading; < 0: absent */
	uint32_t threads;	/* threads of the process, in its own row; 0: absent */
	char task_state;	/* R S D Z T I ... as in /proc/PID/stat; 0: absent, X: has ended */

	double busy_pct;	/* rows keyed by CPU: busy % in the window; < 0: absent */
};

/* Returns the share of the row's branches that were mispredicted, 0..100; < 0: the CPU says of none
 * how it was predicted. */
static inline double snapshot_row_mispredicted_pct(const struct snapshot_row *row)
{
	const double known = row->predicted + row->mispredicted;

	return known > 0 ? 100 * row->mispredicted / known : -1;
}

/* KEY_GROUP: true for the row of a thread, false for the row of a process. */
static inline bool snapshot_row_is_thread(const struct snapshot_row *row)
{
	return row->group_id && row->tid >= 0;
}

/* The stretch of time that the window is compared with. */
struct snapshot_baseline {
	uint64_t begin_ns, end_ns;	/* on the clock of its recording, or CLOCK_MONOTONIC */
	double window_s;	/* its length */
	uint64_t samples;	/* including idle; 0 unless is_compared */
	double weight;		/* without idle, 100 % of its shares unless is_relative; 0 unless
				 * is_compared */
	double shown_weight;	/* part of `weight` that passes the filter */
	double sample_weight;	/* mean of a sample in the rows, without idle; 0: there is none */
	const char *label;	/* name of another recording; "": identified by its time */
	const char *notice;	/* why there is none or no newer one, or what is missing; else "" */
};

/* --format events: hits and samples one by one, by time, over all events and probes and over the
 * snapshots of a run. They own one block with all text, sanitized, never NULL. */
struct snapshot_field {		/* a value that a hit carries */
	const char *name, *text;	/* text if !is_known: why, or "" */
	bool is_known, is_number;	/* is_number: `text` is a decimal number */
	bool is_ns;			/* the number is the time of a stage of the latency */
};

/* Where a frame is. */
struct snapshot_place {
	uint64_t address;	/* in its DSO, as perf-script(1) has it; of the kernel: in memory */
	uint64_t offset;	/* from the start of its function, or of the one that it was inlined
				 * into; UINT64_MAX: not known */
	bool is_named;		/* the function is known */
	const char *dso;	/* path; "": unknown */
	bool is_inlined;	/* into the function of the next frame */
	const char *source;	/* "file.c:12", as recorded; "": unknown, or not requested */
};

/* The kernel's function at an address that a field holds. */
struct snapshot_symbol {
	uint64_t address, start;
	const char *name;
};

struct snapshot_event {
	uint64_t time_ns;	/* end of the event: CLOCK_MONOTONIC, or the recording's clock */
	uint32_t cpu;		/* UINT32_MAX: unknown */
	uint32_t pid, tid, parent_pid;	/* parent_pid 0: unknown, or it had ended */
	const char *comm, *event;
	uint64_t period;
	bool has_period;	/* true for a sample, false for a probe hit */
	int64_t latency_ns;	/* < 0: none */
	const char *symbol, *dso;	/* location of the leaf; "" unknown */
	const char *const *frames;	/* symbol names, else addresses; the leaf first */
	uint32_t frame_count;	/* 0: no stack was requested, or it is unknown */
	const struct snapshot_field *fields;
	uint32_t field_count;
	const char *format;	/* how a hit is printed: probe_spec.format; "": its fields are */
	const struct perf_branch_entry *branches;	/* the newest first; NULL: none */
	uint32_t branch_count;
	/* The next are set for a request with wants_event_places. */
	const struct snapshot_place *places;	/* one for each frame; NULL: not requested */
	bool has_chain;		/* its event samples callers */
	uint64_t ip;		/* address of the sample in the memory of its process */
	uint64_t addr;		/* has_addr: the address that the sample is about */
	bool has_addr;
	uint32_t number;	/* its event's in the source's list; UINT32_MAX: a probe's hit */
	const void *raw;	/* bytes that a tracepoint wrote, 8-byte aligned; NULL: none */
	uint32_t raw_bytes;
	const struct snapshot_symbol *symbols;	/* for fields in `raw` that are printed as such */
	uint32_t symbol_count;
};

struct snapshot_events {
	uint32_t count;
	const struct snapshot_event *list;
	uint32_t name_width;	/* bytes of the longest name of an event of the source */
	uint64_t dropped;	/* events dropped since start, as the reader was too slow */
};

/* Counters of the window: events that are counted, not sampled (capture/counter_set.h). They own
 * one block. */
#define SNAPSHOT_COUNTERS_TEXT 1024
#define SNAPSHOT_COUNTERS_SECONDS 120
#define SNAPSHOT_COUNTERS_EVENTS 64	/* most events: 29, and those of CAPTURE_MAX_COUNTED */

enum counters_state {
	COUNTERS_OPENING,	/* no reading yet */
	COUNTERS_COUNTED,	/* there are values; `counted_s` says for how much of the window */
	COUNTERS_NOT_THEN,	/* they are counted, but were not in this window */
	COUNTERS_ENDED,		/* the task has ended, and was not counted in this window */
	COUNTERS_REFUSED,	/* `reason` says why */
};

struct snapshot_counters {
	enum counters_state state;
	enum counters_of of;	/* COUNTERS_OF_ALL: of the machine */
	uint32_t id;		/* pid or tid, else 0 */
	bool is_of_more;	/* the machine is counted, and less than that is sampled */
	bool has_nmi_watchdog;	/* the NMI watchdog holds a hardware counter */
	char reason[sizeof(((struct diag *)0)->text)];	/* cause and remedy; "": none */
	char notice[SNAPSHOT_COUNTERS_TEXT];	/* sentences; "": none */
	double counted_s;	/* how much of the window was counted */
	double rows_counted_s;	/* how much of it is known by row */
	uint32_t event_count, row_count;
	enum counter_rows rows_are;	/* COUNTER_PER_CPU, _PER_THREAD or _PER_CGROUP */
	const struct counter_event *events;	/* names and reasons are sanitized */
	const struct counter_row *rows;		/* row_count; texts are sanitized */
	/* Row 0 is the sum, then those of `rows`: event by event, summed over the window. */
	const struct counter_value *values;
	/* Event by event the scaled counts a second, in each of the SNAPSHOT_COUNTERS_SECONDS up to
	 * the window's end, oldest first; < 0: not counted then. */
	const float *rates;
};

/* What the points of the activity graph are. */
enum activity_kind {
	ACTIVITY_BUSY,		/* busy % of all CPUs, from /proc/stat */
	ACTIVITY_RATE,		/* samples a second: where busy means nothing (tasks, replay) */
};

#define ACTIVITY_POINTS 1200	/* 20 minutes */
#define HEAT_ROWS    20

/* Source of the samples' callers. */
enum stack_kind {
	STACKS_CHAINED,		/* the kernel follows frame pointers; completeness is unknown */
	STACKS_COPIED,		/* flametop unwinds copies of user stacks */
	STACKS_OFF,		/* callers are unknown: total is self */
};

/* Time of all threads in the window, by the kernel's programs: on + blocked + run queue is the wall
 * clock of the threads that are watched. All 0: not known, as in recordings. */
struct wait_sums {
	uint64_t on_ns, blocked_ns, run_queue_ns;
	uint64_t short_ns;	/* part of the waits that is in no record: short ones */
};

struct snapshot_condition {
	const struct condition *condition;	/* BORROWED: it lives as long as the session */
	struct condition_state state;		/* since start, whatever the window */
};

#define ROW_OF_SHORT_WAITS UINT64_MAX	/* id of the row that has wait_sums.short_ns */

struct snapshot {
	/* target and event */
	const char *host;
	const char *event;	/* name of the event shown */
	bool is_of_waits;	/* the event counts waits: weights are ns */
	const char *hit_weight;	/* name of the weight of hits, "lat", "sum(bytes)", as
				 * query.hit_weight asks; "": their number */
	bool is_hit_time;	/* that is a latency: weights are ns */
	uint32_t inside;	/* probe of a latency, inside whose calls all is that is shown, as
				 * query.inside asks; 0: none */
	uint64_t inside_from_ns;	/* the shortest of these calls, to 9 %; 0: all calls */
	uint64_t hit_group;	/* query.hit_group, if the event has it; 0: all hits are shown */
	bool is_wall;		/* is_of_waits, and has time on a CPU as well */
	const char *target;	/* "8 CPUs", "pid 4121", ... */
	uint32_t target_pid;	/* the only process that is sampled; 0: none, or several */
	uint32_t target_children;	/* children of a nearly idle target_pid, where children
					 * started before sampling are not sampled; else 0 */
	uint64_t freq_hz;	/* 0: a fixed period or a probe-like event */
	uint64_t fixed_period;	/* 0: a frequency */
	uint32_t event_index, event_count;
	uint32_t next_shown;	/* index of the next event; among many the next with samples */
	uint32_t cpus;		/* 0: unknown */
	bool is_replay;
	bool is_target_gone;	/* every profiled process has ended: the data is final */
	bool is_last;		/* the data has ended: no later window will follow */
	/* A recording: how many of its bytes the snapshot has; total 0: unknown, or none. */
	uint64_t read_bytes, read_total_bytes;
	bool is_reading;	/* the recording is still being read */
	bool is_cut_short;	/* REQUEST_STOP ended the reading */
	int end_err;		/* is_last: -errno when it ended by an error, see end_reason */
	const char *end_reason;	/* text for end_err; for --format events, without an error, which
				 * probes were stopped */
	struct snapshot *next_event;	/* batch mode: the same window for the next event, or NULL.
					 * snapshot_destroy() frees the whole chain */

	/* which time */
	uint64_t seq;		/* grows by one per snapshot */
	uint64_t time_ns;	/* end of the window; CLOCK_MONOTONIC, or the recording's clock */
	enum window_kind window;
	double window_s;	/* length actually covered */
	unsigned int keys;	/* enum row_key bits of the rows; 0: there are none */
	uint64_t query;		/* query.number of the query that this replies to */
	bool is_frozen;		/* the window's end is fixed: REQUEST_FREEZE */
	bool is_selected;	/* the window's begin and end were chosen: REQUEST_FREEZE */
	uint64_t asked_begin_ns, asked_end_ns;	/* is_selected: times in REQUEST_FREEZE. A rolled up
						 * slice is in as a whole or not, see begin_ns */
	uint64_t begin_ns;	/* begin of the window */
	uint64_t newest_ns;	/* the newest time counted, whatever the window */
	uint64_t known_ns;	/* begin of history */
	bool is_history_cut;	/* older samples were evicted for want of memory */
	bool has_baseline;	/* a baseline exists, compared with or not */
	bool is_compared;	/* rows, nodes and probes also have their stats in the baseline */
	struct snapshot_baseline baseline;

	/* how much */
	uint64_t samples;	/* in the window, including idle */
	double samples_per_s;	/* < 0: the window is too short, see snapshot_per_s() */
	uint64_t idle_samples;
	double weight;		/* in the window, without idle: 100 % unless is_relative */
	double idle_weight;
	struct wait_sums waits;
	uint64_t shown_samples;	/* samples whose leaf passes the filter, without idle */
	double shown_weight;
	double sample_weight;	/* is_compared: see struct snapshot_baseline */
	bool is_relative;	/* shown_weight is 100 %; in the baseline its own shown_weight */
	uint64_t unresolved;	/* samples without a symbol name, in the window, without idle */
	uint64_t truncated_stacks;
	enum stack_kind stacks;
	uint32_t stack_copy_bytes;	/* STACKS_COPIED: the most a copy can have */
	/* STACKS_COPIED, in the window: samples with a user stack; those unwound to the outermost
	 * frame; those whose stack is longer than the copy. */
	uint64_t user_stacks, complete_stacks, cut_stacks;
	uint64_t no_map_stacks;	/* stacks that end in run-time code without a map */
	uint32_t clock_cpus;	/* CPUs that cpu-clock samples as a whole; 0: none */
	uint64_t clock_period_ns;	/* period of cpu-clock; 0: not known */
	double missing_ticks_pct;	/* LOSS_TICKS in the window: for whole CPUs a lower bound,
					 * % of their busy time; else % of the CPU time of the
					 * sampled tasks. < 0: absent */
	double busy_pct;	/* busy % of all CPUs; < 0: absent (per-process target, replay) */

	enum activity_kind activity_kind;
	uint32_t activity_count;	/* at most ACTIVITY_POINTS */
	double activity_step_s;	/* seconds between two points */
	uint64_t activity_end_ns;	/* end of the newest point */
	const float *activity;	/* the points, oldest first; < 0: unknown */
	const float *heat;	/* query.heat: HEAT_ROWS values per point, the earliest first: busy
				 * samples (or hits) in each 50 ms; < 0: unknown. NULL: not
				 * requested, or points are longer than a second */
	float heat_most;	/* the largest value in `heat` */

	/* losses since start */
	uint64_t lost_kernel, lost_malformed, lost_late;
	uint64_t unattributed;	/* samples of tasks that ended before name and maps were read */
	uint64_t filtered_unknown_uid;	/* -u: left out because the uid could not be read */
	uint64_t evicted_samples;	/* evicted for the memory budget; only in WINDOW_ALL */
	uint64_t stalled_rounds, throttled_ns;
	uint32_t condition_count;
	struct snapshot_condition conditions[CONDITIONS_MAX];	/* those that --keep-when named */
	struct loss_counters losses;	/* losses by cause, including those above */

	/* cost of flametop itself */
	double own_cpu_pct;	/* % of one CPU, over 50 ms or more */
	uint64_t own_rss_bytes;

	const char *notice;	/* fallbacks, refusals: one line each, '\n' between; "" none */
	const char *absent_events;	/* requested, but unavailable: snapshot_next_absence() */
	char *source_text;	/* owned: text for `source` of rows, or for end_reason, that came
				 * after the block was built; NULL: none */
	size_t row_count;
	const struct snapshot_row *rows;	/* by self weight, largest first; ties by
						 * total weight, then id. query.by_total: by
						 * total weight first. KEY_EVENT: by samples, as
						 * weights of different events can't be compared */
	struct snapshot *folded;	/* owned; REQUEST_STACKS: the same window and filter, with a
				 * tree of all callees below their commands, or with all that
				 * the query shows. Else NULL */
	uint32_t stacks_wanted;		/* `folded`: value of the REQUEST_STACKS it answers */
	struct stack_samples *stack_samples;	/* owned; NULL: not requested */
	struct snapshot_probes probes;	/* count 0: there are none */
	struct snapshot_events *events;	/* owned; --format events only, else NULL */
	struct listing *listing;	/* owned; NULL: not requested */
	struct event_columns event_columns;	/* the events side by side, if there are several */
	struct stats *loads_by_event;	/* owned: `by_event` of rows and nodes; NULL: none */
	struct snapshot_counters *counters;	/* owned; NULL: not requested, or a recording */
	struct group_tree groups;	/* level_count 0: not requested */
	struct call_tree tree;	/* direction TREE_NONE: not requested */
	struct call_tree callees;	/* if the query's tree is TREE_BOTH; `tree` then has the
					 * callers of the same samples */
};

void snapshot_destroy(struct snapshot *snapshot);	/* NULL is fine */
/* Creates an empty last snapshot with end_err -ENOMEM, ahead of time so that running out of memory
 * can be reported. The caller owns it; NULL: no memory. */
struct snapshot *snapshot_create_failure(void);

/* An event from `absent_events`; the texts are not terminated. */
struct snapshot_absence {
	const char *event, *reason;
	int event_bytes, reason_bytes;
};

/* Reads the event at *@at, initially `absent_events` (may be NULL), and advances *@at. False: there
 * was none left. */
bool snapshot_next_absence(const char **at, struct snapshot_absence *out);

/* Returns the share of @weight in the window, or if is_relative in shown_weight, 0..100; 0 when
 * that is empty. */
double snapshot_pct(const struct snapshot *snapshot, double weight);
/* True: weights mean more than numbers of samples: they are times of waits, or what hits weigh. */
bool snapshot_is_by_weight(const struct snapshot *snapshot);
/* Returns the share of @weight, a part of @row, as snapshot_pct() does; KEY_EVENT: in the samples
 * of the row's event. */
double snapshot_row_pct(const struct snapshot *snapshot, const struct snapshot_row *row,
			double weight);
/* Returns the share of shown_weight in the whole window, 0..100. */
double snapshot_shown_pct(const struct snapshot *snapshot);
/* Returns the rate @count / @seconds; < 0: unknown, since in less than 0.1 s a single sample would
 * be a high rate. */
double snapshot_per_s(uint64_t count, double seconds);

/* Returns the share of user stacks unwound to their outermost frame, 0..100, rounded down; < 0:
 * absent (not copied, or no user stack in the window). */
double snapshot_complete_pct(const struct snapshot *snapshot);

/* Returns the letter for a symbol's level, as in perf(1): k . g u H. */
char snapshot_level(enum cpu_mode mode);

/* How much the rows of a compared snapshot have changed since its baseline.
 *
 * Units:  shares and rates, each relative to its own window, as the lengths may differ.
 * Thread: any, no state.
 */

enum row_presence {
	ROW_IN_BOTH,
	ROW_NEW,		/* not in the baseline */
	ROW_GONE,		/* only in the baseline */
};

enum row_presence row_changes_presence(const struct snapshot_row *row);

/* Returns the share of @weight in the baseline, 0..100; 0 when that is empty. */
double row_changes_base_pct(const struct snapshot *snapshot, double weight);
/* Returns the share of @weight, a part of @row, in the baseline; KEY_EVENT: in the row's event. */
double row_changes_row_base_pct(const struct snapshot *snapshot, const struct snapshot_row *row,
				double weight);
/* Returns the change of the row's share of self, or with @of_total of total, in percentage
 * points. */
double row_changes_points(const struct snapshot *snapshot, const struct snapshot_row *row,
			  bool of_total);

/* A change of fewer standard deviations than this may be chance: of 10,000 rows that did not
 * change, fewer than one reaches it. */
#define ROW_CHANGES_SIGMAS 4.0

/* Sets sample_weight of @snapshot, which has its rows, and of its baseline. */
void row_changes_weigh_samples(struct snapshot *snapshot);
/* Returns the change of the row's share in standard deviations of what chance alone does to it;
 * > 0: the share rose. Samples are taken for independent (Poisson). NAN: not known, since the row
 * is idle, has weights that are no counts of samples (waits, values of hits), or a side is empty.
 */
double row_changes_sigmas(const struct snapshot *snapshot, const struct snapshot_row *row,
			  bool of_total);
/* Returns true if chance explains the change of the row's share: |row_changes_sigmas()| is below
 * ROW_CHANGES_SIGMAS. False, too, where that is not known. */
bool row_changes_is_noise(const struct snapshot *snapshot, const struct snapshot_row *row,
			  bool of_total);

/* Returns the row that grew most, if its share rose by more than @points percentage points and its
 * weight rose, too (where another row shrinks, all shares rise), neither by chance; NULL: none
 * did. *@count: how many rows did. BORROWED from the snapshot. */
const struct snapshot_row *row_changes_worst(const struct snapshot *snapshot, double points,
					     bool of_total, size_t *count);

/* Returns @samples / @window_s; 0 for an empty window. */
double row_changes_per_s(uint64_t samples, double window_s);

/* Returns the indices of all rows, sorted by the change of their share, largest first, up or down;
 * ties by the change of the other share (self or total), then in the order of the snapshot. Without
 * a comparison: all in that order. The caller must free() them; NULL: out of memory. */
size_t *row_changes_order(const struct snapshot *snapshot, bool of_total);

#endif
