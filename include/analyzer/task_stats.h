/* task_stats.h - what /proc says of the processes and threads that are shown: state, CPU time,
 * threads, command line.
 *
 * Use:    task_stats_ask() for the rows of each snapshot that is keyed by tasks; the process reader
 *         answers while nobody waits; task_stats_take() before the next one, task_stats_find() for
 *         its rows. So a figure is one refresh old, and CPU % comes with the second reading.
 * Thread: the analyzer's. Touches no file.
 */
#ifndef ANALYZER_TASK_STATS_H
#define ANALYZER_TASK_STATS_H

#include "analyzer/snapshot.h"
#include "base/id_map.h"
#include "proc/process_reader.h"

struct task_stat {
	uint32_t pid, tid;	/* tid 0: the process */
	char state;		/* as in struct snapshot_row; 0: not known yet */
	double cpu_pct;		/* likewise; < 0: absent */
	uint32_t threads;
	char comm[16];		/* raw */
	char *command_line;	/* owned; raw; NULL: not known. Only the process has it */

	uint64_t command_line_ns;	/* when it was read; 0: read it again */
	uint64_t time_ns, cpu_ticks, start_ticks;	/* of the newest reading; time 0: none */
	uint64_t asked_ns;		/* last time that it was of interest */
	bool is_asked;			/* the reader is at it */
};

struct task_stats {
	struct process_reader *reader;	/* borrowed; NULL: a replay, everything is absent */
	struct task_stat *rows;		/* owned */
	uint32_t count, capacity;
	struct id_map by_task;
	uint64_t ticks_per_s;
	uint64_t asked_ns;
};

void task_stats_init(struct task_stats *stats, struct process_reader *reader);
void task_stats_finish(struct task_stats *stats);

/* Asks for the rows of @snapshot if it is keyed by pid or tid: hottest first, at most 500
 * tasks, and only half a second after the last time, so that ticks of 10 ms make a share. Forgets
 * what was not asked for during a minute. */
void task_stats_ask(struct task_stats *stats, const struct snapshot *snapshot, uint64_t now_ns);
/* Takes the answers that have come. */
void task_stats_take(struct task_stats *stats);
/* One of them; its command line is taken over. Of what is not asked for any more it is dropped. */
void task_stats_apply(struct task_stats *stats, const struct process_stat_reply *reply);

/* What is known of a thread, or with @tid 0 of a process; NULL: nothing. BORROWED until the next
 * call of another function. */
const struct task_stat *task_stats_find(const struct task_stats *stats, uint32_t pid, uint32_t tid);

#endif
