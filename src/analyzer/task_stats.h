/* task_stats.h - stats from /proc for the processes and threads shown: state, CPU time, threads,
 * command line.
 *
 * Use:    task_stats_ask() for the rows of each snapshot that is keyed by tasks; the process reader
 *         replies meanwhile; task_stats_take() before the next snapshot, task_stats_find() for its
 *         rows. So a number is one refresh old, and CPU % comes with the second reading.
 * Thread: the analyzer's. Touches no file.
 */
#ifndef ANALYZER_TASK_STATS_H
#define ANALYZER_TASK_STATS_H

#include "analyzer/snapshot.h"
#include "base/id_map.h"
#include "proc/process_reader.h"

struct task_stat {
	uint32_t pid, tid;	/* tid 0: the process */
	char state;		/* see snapshot_row.task_state; 0: not known yet */
	double cpu_pct;		/* % of one CPU since the previous reading; < 0: absent */
	uint32_t threads;
	char comm[16];		/* raw */
	char *command_line;	/* owned; raw; NULL: unknown, or a thread */

	uint64_t command_line_ns;	/* when it was read; 0: read it again */
	uint64_t time_ns, cpu_ticks, start_ticks;	/* newest reading; time 0: none */
	uint64_t asked_ns;		/* last request for it, sent or not */
	bool is_asked;			/* a request is under way */
};

struct task_stats {
	struct process_reader *reader;	/* borrowed; NULL: a replay, everything is absent */
	struct task_stat *rows;		/* owned */
	uint32_t count, capacity;
	struct id_map by_task;		/* (pid, tid) -> row */
	uint64_t ticks_per_s;
	uint64_t asked_ns;		/* last time that requests were sent */
};

void task_stats_init(struct task_stats *stats, struct process_reader *reader);
void task_stats_finish(struct task_stats *stats);

/* Requests stats for the rows of @snapshot if it is keyed by pid or tid: hottest first, at most 500
 * tasks, and no sooner than half a second after the last time, so that ticks of 10 ms make a share.
 * Forgets tasks not requested for a minute. */
void task_stats_ask(struct task_stats *stats, const struct snapshot *snapshot, uint64_t now_ns);
/* Applies the replies that have come. */
void task_stats_take(struct task_stats *stats);
/* Applies one reply and takes ownership of its command line; drops it if the task was forgotten. */
void task_stats_apply(struct task_stats *stats, const struct process_stat_reply *reply);

/* Returns the stats of a thread or, with @tid 0, of a process; NULL: none. BORROWED until another
 * function is called. */
const struct task_stat *task_stats_find(const struct task_stats *stats, uint32_t pid, uint32_t tid);

#endif
