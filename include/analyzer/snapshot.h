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
	uint64_t id;		/* identity: equal in every snapshot for the same keys */
	uint64_t self_samples, total_samples;
	double self_weight, total_weight;	/* summed period (times decay in a decay window) */
	const char *symbol;	/* demangled, if that is wanted; "" while loading; "0x..." when
				 * unknown */
	const char *raw_symbol;	/* the same as its file has it; often equal */
	const char *object;	/* short: base name, "[kernel]", "[vdso]", "[anon]", "[unknown]" */
	const char *object_path;	/* whole path, or as `object` */
	const char *build_id;	/* hex or "" */
	const char *comm;	/* of the samples if all share it, else "" (see tasks); with
				 * KEY_GROUP the present one of the thread or process, if known */
	const char *reason;	/* SYMBOL_UNREADABLE, else "" */
	const char *source;	/* "file.c:12", once it was wished for (REQUEST_SOURCES): of the
				 * function; with KEY_ADDRESS of the address, and behind it in
				 * brackets the calls that were inlined there; "" unknown */
	const char *source_reason;	/* why it will stay unknown; "" else */
	uint64_t address;	/* start of the symbol, or the address; of a file: its offset */
	uint32_t object_id;	/* of the code, for struct source_wish; UINT32_MAX: keyed by none */
	int64_t pid, tid;	/* if all samples share it, else -1 (pid 0 is the idle task) */
	int64_t cpu;		/* if all samples share it, else -1 */
	uint32_t tasks;		/* different ones (pid, tid, comm, cgroup); 0: several, not
				 * counted */
	enum cpu_mode mode;	/* [k] [.] [g] [u] [H]; MODE_UNKNOWN: keyed by no code */
	enum symbol_state state;
	bool is_synthetic;	/* the symbol is named by its address: its file does not say more */
	bool is_inlined;	/* a tree's node: no samples are of it by its name */
	double inlined_weight;	/* a tree's node: self of functions inlined into it */
	bool is_idle;		/* idle task or idle loop: not in shares, shown with `i` */
	uint64_t group_id;	/* KEY_GROUP, a thread's row: `id` of its process's row; the row
				 * of one of several ended processes: `id` of their common row;
				 * else 0 */
	uint32_t ended_processes;	/* KEY_GROUP: the row is the sum of that many ended
					 * processes of one name, 2 or more, and has no pid;
					 * else 0 */

	/* Of rows keyed by pid or tid: where the process is, the last known when it was moved. "":
	 * in none, or, all of them, unknown. See proc/cgroup_name.h. */
	const char *cgroup, *unit, *container, *pod;

	/* Of rows keyed by pid or tid, live, once /proc was read; the process's in its own row. */
	const char *command_line;	/* arguments with a space between; "" unknown, or none */
	double cpu_pct;		/* of one CPU since the reading before; < 0: absent */
	uint32_t threads;	/* 0: absent */
	char task_state;	/* R S D Z T I ... as in /proc/PID/stat; 0: absent, X: has ended */

	double busy_pct;	/* of rows keyed by CPU, in the window; < 0: absent */

	/* is_compared: the same row's in the baseline; all 0: it is new. A row that is gone has
	 * only these. */
	uint64_t base_self_samples, base_total_samples;
	double base_self_weight, base_total_weight;
};

/* KEY_GROUP: a thread among those of its process, not a process. */
static inline bool snapshot_row_is_thread(const struct snapshot_row *row)
{
	return row->group_id && row->tid >= 0;
}

/* What the window is compared with. */
struct snapshot_baseline {
	uint64_t begin_ns, end_ns;	/* of recordings: by its own clock */
	double window_s;
	uint64_t samples;	/* idle included; 0 unless it is compared with, as the next */
	double weight;		/* without idle: 100 % of its shares, unless is_relative */
	double shown_weight;	/* what the filter leaves of it */
	const char *label;	/* of another recording its name; "" else: its time says it */
	const char *notice;	/* why there is none, or no newer one, or what it lacks; "" */
};

/* The load of the last seconds, a point each, oldest first. */
enum strip_kind {
	STRIP_BUSY,		/* busy % of all CPUs, from /proc/stat */
	STRIP_RATE,		/* samples a second: where busy means nothing (tasks, replay) */
};

#define STRIP_POINTS 1200	/* 20 minutes */
#define HEAT_ROWS    20

/* How the callers of samples are known. */
enum stack_kind {
	STACKS_CHAINED,		/* the kernel followed frame pointers: nobody knows how well */
	STACKS_COPIED,		/* unwound from copies */
	STACKS_OFF,		/* not at all: total is self */
};

struct snapshot {
	/* what is sampled */
	const char *host;
	const char *event;	/* name of the event shown */
	const char *target;	/* "8 CPUs", "pid 4121", ... */
	uint32_t target_pid;	/* the one process that is sampled; 0: none, or several */
	uint32_t target_children;	/* processes that it has started, where it does next to
					 * nothing itself and those from before are not sampled */
	uint64_t freq_hz;	/* 0: a fixed period or a probe-like event */
	uint64_t fixed_period;	/* 0: a frequency */
	uint32_t event_index, event_count;
	uint32_t next_shown;	/* the event after it; of many the next that has samples */
	uint32_t cpus;		/* 0: unknown */
	bool is_replay;
	bool is_target_gone;	/* every profiled process has ended: the picture is its last */
	bool is_last;		/* the data has ended: no other time will be shown */
	int end_err;		/* is_last: -errno when it ended by an error, see end_reason */
	const char *end_reason;	/* of events also, without an error: which probes were stopped */
	struct snapshot *next_event;	/* batch mode: the same window of the next event, or NULL.
					 * snapshot_destroy() frees the whole chain */

	/* which time */
	uint64_t seq;		/* grows by one per snapshot */
	uint64_t time_ns;	/* end of the window; CLOCK_MONOTONIC, or the recording's clock */
	enum window_kind window;
	double window_s;	/* length really covered */
	unsigned int keys;	/* enum row_key bits of the rows; 0: there are none */
	uint64_t query;		/* number of the struct query that this answers */
	bool is_frozen;		/* the window's end stands still: REQUEST_FREEZE */
	bool is_selected;	/* and its begin, too: a time that was chosen */
	uint64_t asked_begin_ns, asked_end_ns;	/* is_selected: as REQUEST_FREEZE said. What was
						 * rolled up is shown whole, or not: see begin_ns */
	uint64_t begin_ns;	/* of the window */
	uint64_t newest_ns;	/* the newest time that is counted, whatever the window */
	uint64_t known_ns;	/* history reaches back to here */
	bool is_history_cut;	/* older was counted, and has left for want of memory */
	bool has_baseline;	/* there is one, be it compared with or not */
	bool is_compared;	/* rows, nodes and probes have their figures in `baseline` */
	struct snapshot_baseline baseline;

	/* how much */
	uint64_t samples;	/* in the window, idle included */
	double samples_per_s;	/* < 0: the window is too short, see snapshot_per_s() */
	uint64_t idle_samples;
	double weight;		/* of the window without idle: 100 %, unless is_relative */
	double idle_weight;
	uint64_t shown_samples;	/* those of them that the filter leaves (self), idle excluded */
	double shown_weight;
	bool is_relative;	/* as the query: shown_weight is 100 %, of the baseline its own */
	uint64_t unresolved;	/* samples without a symbol name, in the window, idle excluded */
	uint64_t truncated_stacks;
	enum stack_kind stacks;
	uint32_t stack_copy_bytes;	/* STACKS_COPIED: of each copy, at most */
	/* STACKS_COPIED, in the window: samples with a user stack; those whose walk reached
	 * the outermost frame, and those whose stack goes on beyond the copy. */
	uint64_t user_stacks, complete_stacks, cut_stacks;
	uint64_t no_map_stacks;	/* stacks that end in run-time code without a map */
	uint32_t clock_cpus;	/* CPUs that cpu-clock samples whole; 0: none */
	uint64_t clock_period_ns;	/* of cpu-clock; 0: not known */
	double missing_ticks_pct;	/* LOSS_TICKS in the window: of whole CPUs a lower bound,
					 * % of their busy time; else % of the CPU time of the
					 * sampled tasks. < 0: absent */
	double busy_pct;	/* of all CPUs; < 0: absent (per-process target, replay) */

	enum strip_kind strip_kind;
	uint32_t strip_count;	/* at most STRIP_POINTS */
	double strip_step_s;	/* seconds between two points */
	uint64_t strip_end_ns;	/* end of the newest point */
	const float *strip;	/* < 0: nothing known of that second */
	const float *heat;	/* query.heat: of each point HEAT_ROWS values, the earliest first:
				 * busy samples (or hits) of each 50 ms; < 0: not known. NULL: not
				 * asked for, or points are longer than a second */
	float heat_most;	/* the largest of them */

	/* what was lost, since start */
	uint64_t lost_kernel, lost_malformed, lost_late;
	uint64_t unattributed;	/* samples whose task ended before /proc told name and maps */
	uint64_t filtered_unknown_uid;	/* -u: left out because the uid could not be read */
	uint64_t evicted_samples;	/* older than the memory budget holds; only in WINDOW_ALL */
	uint64_t stalled_rounds, throttled_ns;
	struct loss_ledger ledger;	/* all causes, those above among them */

	/* what flametop itself costs */
	double own_cpu_pct;	/* of one CPU, over 50 ms or more */
	uint64_t own_rss_bytes;

	const char *notice;	/* fallbacks, refusals: one line each, '\n' between; "" none */
	const char *absent_events;	/* asked for, and not to be had: snapshot_next_absence() */
	char *source_text;	/* owned: what `source` of rows points to if it came late; NULL */
	size_t row_count;
	const struct snapshot_row *rows;	/* by self_weight, largest first; ties by
						 * total_weight, then id. Or as the query says */
	struct snapshot *folded;	/* owned; REQUEST_STACKS: of the same window and filter, its
				 * tree has all callees beneath their commands. Else NULL */
	struct snapshot_probes probes;	/* count 0: there are none */
	struct snapshot_events *events;	/* owned; NULL but where they are printed one by one */
	struct group_tree groups;	/* level_count 0: none was asked for */
	struct call_tree tree;	/* direction TREE_NONE: none was asked for */
};

void snapshot_destroy(struct snapshot *snapshot);	/* NULL is fine */
/* The last one of a run that has no memory for another: made while there is some. The caller's;
 * NULL: there is none already. */
struct snapshot *snapshot_create_failure(void);

/* An event of `absent_events`; the texts are not terminated. */
struct snapshot_absence {
	const char *event, *reason;
	int event_bytes, reason_bytes;
};

/* Reads one from *@at, which begins as `absent_events` (NULL: there are none), and moves it on.
 * False: that was the last one. */
bool snapshot_next_absence(const char **at, struct snapshot_absence *out);

/* Share of @weight in the window, or in what the filter leaves of it (is_relative), 0..100; 0 when
 * that is empty. */
double snapshot_pct(const struct snapshot *snapshot, double weight);
/* Share in the whole window of what the filter leaves. */
double snapshot_shown_pct(const struct snapshot *snapshot);
/* How many of @count a second there were in @seconds; below 0: not known, as the time is a moment
 * (under 0.1 s), of which a single one would be a high rate. */
double snapshot_per_s(uint64_t count, double seconds);

/* Share of user stacks that are known to their outermost frame, 0..100, never rounded up to 100;
 * < 0: absent (not copied, or no user stack in the window). */
double snapshot_complete_pct(const struct snapshot *snapshot);

/* How a symbol's level is written, as perf(1) does: k . g u H. */
char snapshot_level(enum cpu_mode mode);

#endif
