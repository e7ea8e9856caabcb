/* task_stats.c - see task_stats.h.
 *
 * Problem: a pid is used again, and a reading of the old task must not become the CPU share of the
 * new one. Idea: (pid, start time) is the identity; any other start time begins anew. exec keeps
 * both and is seen by the comm.
 */
#include "task_stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

#define ASKED_MAX	 500	/* tasks a refresh; each takes the kernel about 20 us */
#define ASK_EVERY_NS	 (500 * CLOCK_NS_PER_MS)
#define STAY_NS		 (60 * CLOCK_NS_PER_S)
#define ROWS_MAX	 2048	/* with the longest command lines 8 MiB */
#define COMMAND_LINE_NS	 (10 * CLOCK_NS_PER_S)	/* programs show their status there */

void task_stats_init(struct task_stats *stats, struct process_reader *reader)
{
	*stats = (struct task_stats){
		.reader = reader, .ticks_per_s = (uint64_t)sysconf(_SC_CLK_TCK),
	};
}

void task_stats_finish(struct task_stats *stats)
{
	for (uint32_t i = 0; i < stats->count; i++)
		free(stats->rows[i].command_line);
	free(stats->rows);
	id_map_finish(&stats->by_task);
	memset(stats, 0, sizeof(*stats));
}

static uint64_t key_of(uint32_t pid, uint32_t tid)
{
	return (uint64_t)pid << 32 | tid;
}

static struct task_stat *find(const struct task_stats *stats, uint32_t pid, uint32_t tid)
{
	const uint32_t at = id_map_get(&stats->by_task, key_of(pid, tid));

	return at == ID_MAP_NONE ? NULL : &stats->rows[at];
}

const struct task_stat *task_stats_find(const struct task_stats *stats, uint32_t pid, uint32_t tid)
{
	return find(stats, pid, tid);
}

/* Forgets tasks that were last requested before @since_ns. */
static void forget(struct task_stats *stats, uint64_t since_ns)
{
	uint32_t i = 0;

	while (i < stats->count) {
		struct task_stat *row = &stats->rows[i];

		if (row->asked_ns >= since_ns) {
			i++;
			continue;
		}
		free(row->command_line);
		id_map_remove(&stats->by_task, key_of(row->pid, row->tid));
		*row = stats->rows[--stats->count];
		if (i < stats->count)	/* can't fail: the key is there */
			id_map_put(&stats->by_task, key_of(row->pid, row->tid), i);
	}
}

/* Returns the task's row, adding it if needed; NULL: no room. */
static struct task_stat *row_of(struct task_stats *stats, uint32_t pid, uint32_t tid,
				uint64_t now_ns)
{
	struct task_stat *row = find(stats, pid, tid);

	if (row)
		return row;
	if (stats->count == ROWS_MAX)
		forget(stats, now_ns);
	if (stats->count == stats->capacity) {
		const uint32_t capacity = stats->capacity ? stats->capacity * 2 : 64;

		row = realloc(stats->rows, capacity * sizeof(*row));
		if (!row)
			return NULL;
		stats->rows = row;
		stats->capacity = capacity;
	}
	if (stats->count == ROWS_MAX ||
	    id_map_put(&stats->by_task, key_of(pid, tid), stats->count))
		return NULL;
	row = &stats->rows[stats->count++];
	*row = (struct task_stat){ .pid = pid, .tid = tid, .asked_ns = now_ns, .cpu_pct = -1 };
	return row;
}

static void ask(struct task_stats *stats, uint32_t pid, uint32_t tid, uint64_t now_ns)
{
	struct task_stat *row = row_of(stats, pid, tid, now_ns);
	struct process_stat_request request = { .pid = pid, .tid = tid };

	if (!row)
		return;
	row->asked_ns = now_ns;
	if (row->is_asked)
		return;
	request.wants_command_line = !tid && (!row->command_line_ns ||
					      now_ns > row->command_line_ns + COMMAND_LINE_NS);
	row->is_asked = process_reader_request_stat(stats->reader, &request);
}

/* Requests stats for rows until ASKED_MAX were requested. Returns how many were. */
static uint32_t ask_rows(struct task_stats *stats, const struct snapshot *snapshot, uint64_t now_ns,
			 uint32_t asked)
{
	const bool by_thread = snapshot->keys & KEY_TID;

	for (size_t i = 0; i < snapshot->row_count && asked < ASKED_MAX; i++) {
		const struct snapshot_row *row = &snapshot->rows[i];

		if (row->pid <= 0)	/* the idle task, or unknown */
			continue;
		ask(stats, (uint32_t)row->pid, 0, now_ns);
		if (by_thread && row->tid > 0)
			ask(stats, (uint32_t)row->pid, (uint32_t)row->tid, now_ns);
		asked += 1 + by_thread;
	}
	return asked;
}

void task_stats_ask(struct task_stats *stats, const struct snapshot *snapshot, uint64_t now_ns)
{
	uint32_t asked = 0;

	if (now_ns > STAY_NS)
		forget(stats, now_ns - STAY_NS);
	if (!stats->reader || !(snapshot->keys & (KEY_PID | KEY_TID)) ||
	    (stats->asked_ns && now_ns - stats->asked_ns < ASK_EVERY_NS))
		return;
	stats->asked_ns = now_ns;
	for (; snapshot; snapshot = snapshot->next_event)
		asked = ask_rows(stats, snapshot, now_ns, asked);
}

void task_stats_take(struct task_stats *stats)
{
	struct process_stat_reply reply;

	while (stats->reader && process_reader_stat_reply(stats->reader, &reply))
		task_stats_apply(stats, &reply);
}

static void set_command_line(struct task_stat *row, char *text, uint64_t time_ns)
{
	free(row->command_line);
	row->command_line = text;
	row->command_line_ns = time_ns;
}

static double share(const struct task_stats *stats, const struct task_stat *row,
		    const struct process_stat_reply *reply)
{
	const double seconds = (double)(reply->time_ns - row->time_ns) / 1e9;
	double pct;

	if (reply->stat.cpu_ticks < row->cpu_ticks)	/* a thread ended in between: a race */
		return 0;
	pct = 100.0 * (double)(reply->stat.cpu_ticks - row->cpu_ticks) /
	      (double)stats->ticks_per_s / seconds;
	/* Ticks are coarse: one thread may seem to have run for longer than there was time. */
	return row->tid && pct > 100 ? 100 : pct;
}

void task_stats_apply(struct task_stats *stats, const struct process_stat_reply *reply)
{
	struct task_stat *row = find(stats, reply->pid, reply->tid);
	const struct process_stat *stat = &reply->stat;
	bool is_same;

	if (!row) {
		free(reply->command_line);
		return;
	}
	row->is_asked = false;
	if (reply->err) {	/* its comm is kept */
		if (reply->err == -ESRCH)
			row->state = 'X';
		row->cpu_pct = -1;
		row->threads = 0;
		row->time_ns = 0;
		return;
	}
	is_same = row->time_ns && row->start_ticks == stat->start_ticks;
	row->cpu_pct = is_same && reply->time_ns > row->time_ns ? share(stats, row, reply) : -1;
	if (!is_same || strcmp(row->comm, stat->comm))
		row->command_line_ns = 0;	/* another program: read it again */
	if (!is_same)
		set_command_line(row, NULL, 0);
	if (reply->command_line)
		set_command_line(row, reply->command_line, reply->time_ns);
	memcpy(row->comm, stat->comm, sizeof(row->comm));
	row->state = stat->state;
	row->threads = stat->threads;
	row->time_ns = reply->time_ns;
	row->cpu_ticks = stat->cpu_ticks;
	row->start_ticks = stat->start_ticks;
}
