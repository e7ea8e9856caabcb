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

#include "analyzer/snapshot_events.h"
#include "fold/call_tree.h"
#include "fold/group_tree.h"
#include "fold/query.h"
#include "ingest/loss_ledger.h"
#include "ingest/snapshot_probes.h"
#include "timeline/window_span.h"

struct snapshot_row {
	uint64_t id;		/* identity: equal in all snapshots for equal keys */
	uint64_t self_samples, total_samples;
	double self_weight, total_weight;	/* summed period (times decay in a decay window) */
	const char *symbol;	/* demangled, unless raw names are shown; "" while loading;
				 * "0x..." when unknown */
	const char *raw_symbol;	/* symbol name as in its file; often equal to `symbol` */
	const char *object;	/* short: base name, "[kernel]", "[vdso]", "[anon]", "[unknown]" */
	const char *object_path;	/* whole path, or equal to `object` */
	const char *build_id;	/* hex or "" */
	const char *comm;	/* comm that all samples share, else "" (see tasks); with KEY_GROUP
				 * the present comm of the thread or process, if known */
	const char *reason;	/* SYMBOL_UNREADABLE: why; else "" */
	const char *source;	/* source line of the function, "file.c:12", once requested by
				 * REQUEST_SOURCES; with KEY_ADDRESS that of the address, followed
				 * by the calls inlined there in brackets; "" unknown */
	const char *source_reason;	/* why `source` will stay unknown; else "" */
	uint64_t address;	/* start of the symbol, or the address; in a file: its offset */
	uint32_t object_id;	/* DSO of the code, for struct source_wish; UINT32_MAX: not keyed
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
	 * in none; all four "": unknown. See proc/cgroup_name.h. */
	const char *cgroup, *unit, *container, *pod;

	/* Rows keyed by pid or tid, live, once /proc was read: of the row's thread or process. */
	const char *command_line;	/* arguments separated by spaces; "" unknown, or none */
	double cpu_pct;		/* % of one CPU since the previous reading; < 0: absent */
	uint32_t threads;	/* threads of the process, in its own row; 0: absent */
	char task_state;	/* R S D Z T I ... as in /proc/PID/stat; 0: absent, X: has ended */

	double busy_pct;	/* rows keyed by CPU: busy % in the window; < 0: absent */

	/* is_compared: stats of the row in the baseline; all 0: the row is new. A row that is only
	 * in the baseline has only these. */
	uint64_t base_self_samples, base_total_samples;
	double base_self_weight, base_total_weight;
};

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
	const char *label;	/* name of another recording; "": identified by its time */
	const char *notice;	/* why there is none or no newer one, or what is missing; else "" */
};

/* What the points of the activity graph are. */
enum strip_kind {
	STRIP_BUSY,		/* busy % of all CPUs, from /proc/stat */
	STRIP_RATE,		/* samples a second: where busy means nothing (tasks, replay) */
};

#define STRIP_POINTS 1200	/* 20 minutes */
#define HEAT_ROWS    20

/* Source of the samples' callers. */
enum stack_kind {
	STACKS_CHAINED,		/* the kernel follows frame pointers; completeness is unknown */
	STACKS_COPIED,		/* flametop unwinds copies of user stacks */
	STACKS_OFF,		/* callers are unknown: total is self */
};

struct snapshot {
	/* target and event */
	const char *host;
	const char *event;	/* name of the event shown */
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
	uint64_t query;		/* query.number of the query that this answers */
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
	uint64_t shown_samples;	/* samples whose leaf passes the filter, without idle */
	double shown_weight;
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

	enum strip_kind strip_kind;
	uint32_t strip_count;	/* at most STRIP_POINTS */
	double strip_step_s;	/* seconds between two points */
	uint64_t strip_end_ns;	/* end of the newest point */
	const float *strip;	/* the points, oldest first; < 0: unknown */
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
	struct loss_ledger ledger;	/* losses by cause, including those above */

	/* cost of flametop itself */
	double own_cpu_pct;	/* % of one CPU, over 50 ms or more */
	uint64_t own_rss_bytes;

	const char *notice;	/* fallbacks, refusals: one line each, '\n' between; "" none */
	const char *absent_events;	/* requested, but unavailable: snapshot_next_absence() */
	char *source_text;	/* owned: text for `source` of rows, or for end_reason, that came
				 * after the block was built; NULL: none */
	size_t row_count;
	const struct snapshot_row *rows;	/* by self_weight, largest first; ties by
						 * total_weight, then id. query.by_total: by
						 * total_weight first */
	struct snapshot *folded;	/* owned; REQUEST_STACKS: the same window and filter, with a
				 * tree of all callees below their commands. Else NULL */
	struct snapshot_probes probes;	/* count 0: there are none */
	struct snapshot_events *events;	/* owned; --format events only, else NULL */
	struct group_tree groups;	/* level_count 0: not requested */
	struct call_tree tree;	/* direction TREE_NONE: not requested */
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

#endif
