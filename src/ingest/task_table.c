/* task_table.c - see ingest/task_table.h.
 *
 * The kernel's rules: fork copies the comm of the parent's thread, and the whole address space if
 * it creates a process (pid differs from the parent's); exec sets the name in its COMM record and
 * drops the address space; pids and tids are reused, a FORK resets their rows.
 *
 * Names stay raw bytes until a sample is counted for them. Then they are interned as passing text,
 * which is freed with the tasks: a program may rename itself as fast as it likes.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ingest/task_table.h"
#include "proc/process_stat.h"

void task_table_init(struct task_table *table, struct strpool *strings)
{
	*table = (struct task_table){ .strings = strings, .round = 2 };
	cgroup_table_init(&table->cgroups, strings);
}

void task_table_finish(struct task_table *table)
{
	for (uint32_t i = 0; i < table->process_count; i++)
		process_maps_release(table->processes[i].maps);
	free(table->processes);
	free(table->threads);
	free(table->tasks);
	free(table->open_tasks);
	id_map_finish(&table->process_by_pid);
	id_map_finish(&table->thread_by_tid);
	id_set_finish(&table->task_index);
	cgroup_table_finish(&table->cgroups);
	memset(table, 0, sizeof(*table));
}

/* Room for one more row of @row_bytes in *@rows. */
static int reserve_row(void *rows, uint32_t count, uint32_t *capacity, size_t row_bytes)
{
	void **array = rows;
	uint32_t larger = *capacity ? *capacity * 2 : 64;
	void *bigger;

	if (count < *capacity)
		return 0;
	bigger = realloc(*array, larger * row_bytes);
	if (!bigger)
		return -ENOMEM;
	*array = bigger;
	*capacity = larger;
	return 0;
}

/* Shrinks an array after many of its rows were dropped. */
static void fit_rows(void *rows, uint32_t count, uint32_t *capacity, size_t row_bytes)
{
	void **array = rows;
	const uint32_t smaller = count < 32 ? 64 : count * 2;
	void *fitting;

	if (smaller > *capacity / 2)
		return;
	fitting = realloc(*array, smaller * row_bytes);
	if (!fitting)
		return;		/* the larger array stays */
	*array = fitting;
	*capacity = smaller;
}

/* Empties @map and, if memory allows, shrinks it. It keeps room for @count rows, as it had them. */
static void empty_map(struct id_map *map, uint32_t count)
{
	struct id_map fitting = { 0 };

	if (id_map_reserve(&fitting, count)) {
		id_map_clear(map);
		return;
	}
	id_map_finish(map);
	*map = fitting;
}

struct process *task_table_find_process(const struct task_table *table, uint32_t pid)
{
	uint32_t at = table->recent_process[pid % TASK_RECENT];

	if (at >= table->process_count || table->processes[at].pid != pid)
		at = id_map_get(&table->process_by_pid, pid);
	return at == ID_MAP_NONE ? NULL : &table->processes[at];
}

struct process *task_table_process(struct task_table *table, uint32_t pid)
{
	struct process *process = task_table_find_process(table, pid);

	if (process) {
		table->recent_process[pid % TASK_RECENT] = (uint32_t)(process - table->processes);
		return process;
	}
	if (reserve_row(&table->processes, table->process_count, &table->process_capacity,
			sizeof(*process)) ||
	    id_map_put(&table->process_by_pid, pid, table->process_count))
		return NULL;
	process = &table->processes[table->process_count++];
	*process = (struct process){ .pid = pid, .is_alive = true, .seen_round = table->round - 2 };
	if (!pid) {		/* the idle task has no user memory and belongs to root */
		process->maps_state = MAPS_KNOWN;
		process->has_uid = true;
	}
	return process;
}

struct thread *task_table_find_thread(const struct task_table *table, uint32_t tid)
{
	uint32_t at = table->recent_thread[tid % TASK_RECENT];

	if (at >= table->thread_count || table->threads[at].tid != tid)
		at = id_map_get(&table->thread_by_tid, tid);
	return at == ID_MAP_NONE ? NULL : &table->threads[at];
}

void thread_set_comm(struct thread *thread, const char *comm, size_t len)
{
	thread->comm_len = (uint8_t)(len < sizeof(thread->comm) ? len : sizeof(thread->comm));
	memcpy(thread->comm, comm, thread->comm_len);
	thread->has_comm = true;
	thread->task = ID_SET_NONE;
}

void thread_set_cgroup(struct thread *thread, uint32_t cgroup, bool is_open)
{
	if (thread->cgroup == cgroup && thread->is_cgroup_open == is_open)
		return;
	thread->cgroup = cgroup;
	thread->is_cgroup_open = is_open;
	thread->task = ID_SET_NONE;
}

static void start_thread_row(struct thread *thread, uint32_t pid, uint32_t tid)
{
	*thread = (struct thread){ .pid = pid, .tid = tid, .task = ID_SET_NONE, .is_alive = true };
	if (!tid)
		thread_set_comm(thread, "swapper", 7);
}

struct thread *task_table_thread(struct task_table *table, uint32_t pid, uint32_t tid)
{
	struct thread *thread = task_table_find_thread(table, tid);

	if (thread) {
		if (thread->pid == TASK_PID_UNKNOWN && thread->task == ID_SET_NONE)
			thread->pid = pid;
		else if (thread->pid != pid)	/* tid was reused, and its FORK was lost */
			start_thread_row(thread, pid, tid);
		table->recent_thread[tid % TASK_RECENT] = (uint32_t)(thread - table->threads);
		return thread;
	}
	if (reserve_row(&table->threads, table->thread_count, &table->thread_capacity,
			sizeof(*thread)) ||
	    id_map_put(&table->thread_by_tid, tid, table->thread_count))
		return NULL;
	thread = &table->threads[table->thread_count++];
	start_thread_row(thread, pid, tid);
	thread->seen_round = table->round - 2;	/* sampled threads stay longer */
	return thread;
}

static void read_cgroup_again(struct process *process)
{
	process->is_cgroup_stale = process->is_cgroup_asked;
	process->is_cgroup_read = process->is_cgroup_inherited = false;
}

uint32_t task_table_parent(const struct task_table *table, uint32_t pid, uint64_t time_ns)
{
	const struct process *process = task_table_find_process(table, pid), *parent;
	uint32_t parent_pid = 0;

	if (process)
		parent_pid = process->parent_pid ? process->parent_pid : process->read_parent_pid;
	parent = parent_pid ? task_table_find_process(table, parent_pid) : NULL;
	return parent && !parent->is_alive && parent->ended_ns < time_ns ? 0 : parent_pid;
}

void task_table_see_fork(struct task_table *table, uint32_t parent_pid, uint32_t pid)
{
	struct process *child = task_table_process(table, pid);

	if (!child)
		return;
	read_cgroup_again(child);
	child->cgroup = CGROUP_UNKNOWN;
	child->parent_pid = parent_pid;
	child->is_fork_seen = true;
}

void task_table_see_exec(struct task_table *table, uint32_t pid)
{
	struct process *process = task_table_find_process(table, pid);

	if (process)
		read_cgroup_again(process);
}

/* Sets the child's cgroup: the one read since the fork was seen, else the parent's. */
static void inherit_cgroup(struct process *child, const struct process *before,
			   const struct process *parent)
{
	if (before->is_fork_seen) {
		child->cgroup = before->cgroup;
		child->cgroup_ns = before->cgroup_ns;
		child->is_cgroup_read = before->is_cgroup_read;
		child->is_cgroup_asked = before->is_cgroup_asked;
		child->is_cgroup_stale = before->is_cgroup_stale;
	}
	if (child->is_cgroup_read || !parent)
		return;
	child->cgroup = parent->cgroup;
	child->is_cgroup_inherited = parent->is_cgroup_read || parent->is_cgroup_inherited;
}

/* Resets the child's row and copies address space, uid and target mark from the parent. */
static void fork_process(struct task_table *table, uint32_t parent_pid, uint32_t pid,
			 bool is_synthesized)
{
	struct process *child = task_table_process(table, pid);
	const struct process *parent;
	struct process before;

	if (!child)
		return;
	before = *child;
	process_maps_release(child->maps);
	*child = (struct process){ .pid = pid, .parent_pid = parent_pid, .is_alive = true,
				   .seen_round = table->round - 2 };
	parent = task_table_find_process(table, parent_pid);
	inherit_cgroup(child, &before, parent);
	if (!parent)
		return;
	if (!is_synthesized) {
		child->maps = parent->maps ? process_maps_share(parent->maps) : NULL;
		child->maps_state = parent->maps_state == MAPS_KNOWN ? MAPS_KNOWN : MAPS_UNREAD;
	}
	child->dsos = parent->dsos;
	child->uid = parent->uid;
	child->has_uid = parent->has_uid;
	child->is_target = parent->is_target;
	child->has_program = parent->has_program && !is_synthesized;
	child->probes = parent->probes;
	child->own_until_ns = parent->own_until_ns == UINT64_MAX ? UINT64_MAX : 0;
}

void task_table_fork(struct task_table *table, uint32_t parent_pid, uint32_t parent_tid,
		     uint32_t pid, uint32_t tid, bool is_synthesized)
{
	const struct thread *parent;
	struct thread *child;

	if (pid != parent_pid)
		fork_process(table, parent_pid, pid, is_synthesized);
	child = task_table_thread(table, pid, tid);
	if (!child)
		return;
	start_thread_row(child, pid, tid);
	child->seen_round = table->round - 2;
	parent = task_table_find_thread(table, parent_tid);
	if (!parent)
		return;
	child->is_target = parent->is_target;
	if (parent->has_comm)
		thread_set_comm(child, parent->comm, parent->comm_len);
}

void task_table_set_comm(struct task_table *table, uint32_t pid, uint32_t tid, const char *comm,
			 size_t len, bool is_exec)
{
	struct thread *thread = task_table_thread(table, pid, tid);
	struct process *process;

	if (!thread)
		return;
	thread_set_comm(thread, comm, len);
	if (!is_exec)
		return;
	thread->is_alive = true;	/* exec gives it the tid of the first thread, which ended */
	process = task_table_process(table, pid);
	if (!process)
		return;
	process->is_alive = true;
	/* A fork that had its turn since the exec was seen may have set it. */
	process->is_cgroup_inherited = false;
	process_maps_release(process->maps);
	process->maps = NULL;
	process->code = 0;
	process->has_program = false;
	process->maps_state = MAPS_KNOWN;
}

void task_table_exec(struct task_table *table, uint32_t pid, uint64_t time_ns)
{
	struct process *process = task_table_find_process(table, pid);

	if (!process)
		return;
	process->exec_ns = time_ns;
	process->uid_reads = 0;
	if (process->own_until_ns == UINT64_MAX)
		process->own_until_ns = time_ns;
}

void task_table_mark_own(struct task_table *table, uint32_t pid)
{
	struct process *process = task_table_process(table, pid);

	if (process)
		process->own_until_ns = UINT64_MAX;
}

void process_set_uid(struct process *process, bool has_uid, uint32_t uid, uint64_t time_ns)
{
	if (has_uid) {
		process->uid = uid;
		process->has_uid = true;
	}
	process->uid_read_ns = time_ns;
	if (process->uid_reads < UINT8_MAX)
		process->uid_reads++;
}

/* A server's worker is forked as root and drops its privileges as it begins; no record reports it,
 * and a tracepoint of setuid(2) slows every system call of the machine by a third. So the uid is
 * read at the first sample, 0.1, 1 and 10 s later, which is the least time in which a thread can
 * have used as much of a CPU, and then each minute. */
uint64_t process_uid_due_ns(const struct process *process)
{
	static const uint32_t wait_ms[] = { 100, 900, 9000, 60000 };
	const size_t last = sizeof(wait_ms) / sizeof(wait_ms[0]) - 1;
	const size_t reads = process->uid_reads;

	if (!process->pid || process->pid == UINT32_MAX)
		return UINT64_MAX;	/* the idle task; the kernel's "none" */
	if (!reads)
		return 0;
	return process->uid_read_ns + wait_ms[reads - 1 < last ? reads - 1 : last] *
	       CLOCK_NS_PER_MS;
}

void task_table_exit(struct task_table *table, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct process *process = pid == tid ? task_table_find_process(table, pid) : NULL;
	struct thread *thread = task_table_find_thread(table, tid);

	if (thread) {
		thread->is_alive = false;
		thread->ended_ns = time_ns;
	}
	if (process) {
		process->is_alive = false;
		process->ended_ns = time_ns;
	}
}

/* Hashes a task without its cgroup, which may be corrected later. */
static uint64_t hash_of(const struct task *task)
{
	return id_set_mix((uint64_t)task->pid << 32 | task->tid, task->comm.v);
}

static uint64_t task_hash(const void *owner, uint32_t id)
{
	return hash_of(&((const struct task_table *)owner)->tasks[id]);
}

static bool is_same(const struct task *a, const struct task *b)
{
	return a->pid == b->pid && a->tid == b->tid && a->comm.v == b->comm.v &&
	       a->cgroup == b->cgroup && a->is_cgroup_open == b->is_cgroup_open;
}

static uint32_t task_intern(struct task_table *table, const struct task *wanted)
{
	const uint64_t hash = hash_of(wanted);
	uint32_t slot, id;

	if (id_set_reserve(&table->task_index, task_hash, table) ||
	    reserve_row(&table->tasks, table->task_count, &table->task_capacity, sizeof(*wanted)))
		return ID_SET_NONE;
	for (slot = id_set_first(&table->task_index, hash);
	     (id = id_set_at(&table->task_index, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&table->task_index, slot))
		if (is_same(&table->tasks[id], wanted))
			return id;
	if (wanted->is_cgroup_open) {
		if (reserve_row(&table->open_tasks, table->open_count, &table->open_capacity,
				sizeof(*table->open_tasks)))
			return ID_SET_NONE;
		table->open_tasks[table->open_count++] = table->task_count;
	}
	id = table->task_count++;
	table->tasks[id] = *wanted;
	id_set_add(&table->task_index, hash, id);
	return id;
}

uint32_t task_table_task(struct task_table *table, struct thread *thread)
{
	struct task task = { .pid = thread->pid, .tid = thread->tid, .cgroup = thread->cgroup,
			     .is_cgroup_open = thread->is_cgroup_open };
	const char *comm = thread->comm;
	size_t len = thread->comm_len, passing_bytes;
	char nameless[16];

	thread->seen_round = table->round;
	if (thread->task != ID_SET_NONE)
		return thread->task;
	if (!thread->has_comm) {
		/* signed, as perf(1): the kernel says -1 of a task that is already gone */
		len = (size_t)snprintf(nameless, sizeof(nameless), ":%d", (int32_t)thread->tid);
		comm = nameless;
	}
	passing_bytes = strpool_passing_bytes(table->strings);
	task.comm = strpool_intern_passing(table->strings, comm, len);
	table->comm_bytes += strpool_passing_bytes(table->strings) - passing_bytes;
	thread->task = task_intern(table, &task);
	return thread->task;
}

bool task_table_settle(struct task_table *table, struct process *process, uint32_t cgroup)
{
	const uint32_t before = table->open_count;
	uint32_t kept = 0;

	process->cgroup = cgroup;
	process->is_cgroup_read = true;
	for (uint32_t i = 0; i < table->open_count; i++) {
		struct task *task = &table->tasks[table->open_tasks[i]];

		if (task->pid != process->pid) {
			table->open_tasks[kept++] = table->open_tasks[i];
			continue;
		}
		task->cgroup = cgroup;
		task->is_cgroup_open = false;
	}
	table->open_count = kept;
	table->settled += kept < before;
	return kept < before;
}

const struct cgroup_names *task_table_cgroup(const struct task_table *table, uint32_t task)
{
	return cgroup_table_get(&table->cgroups, table->tasks[task].cgroup);
}

static void index_threads(struct task_table *table, uint32_t kept)
{
	table->thread_count = kept;
	fit_rows(&table->threads, kept, &table->thread_capacity, sizeof(*table->threads));
	empty_map(&table->thread_by_tid, kept);
	for (uint32_t i = 0; i < kept; i++)
		id_map_put(&table->thread_by_tid, table->threads[i].tid, i);	/* has room */
}

static void index_processes(struct task_table *table, uint32_t kept)
{
	table->process_count = kept;
	fit_rows(&table->processes, kept, &table->process_capacity, sizeof(*table->processes));
	empty_map(&table->process_by_pid, kept);
	for (uint32_t i = 0; i < kept; i++)
		id_map_put(&table->process_by_pid, table->processes[i].pid, i);	/* has room */
}

static void drop_dead_threads(struct task_table *table, uint64_t before_ns)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < table->process_count; i++)
		table->processes[i].has_threads = false;
	for (uint32_t i = 0; i < table->thread_count; i++) {
		const struct thread *thread = &table->threads[i];
		struct process *process = task_table_find_process(table, thread->pid);

		if (!thread->is_alive && thread->ended_ns < before_ns)
			continue;
		if (process)
			process->has_threads = true;
		table->threads[kept++] = *thread;
	}
	if (kept < table->thread_count)
		index_threads(table, kept);
}

static void drop_dead_processes(struct task_table *table, uint64_t before_ns)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < table->process_count; i++) {
		const struct process *process = &table->processes[i];

		if (!process->is_alive && process->ended_ns < before_ns && !process->has_threads)
			process_maps_release(process->maps);
		else
			table->processes[kept++] = *process;
	}
	if (kept < table->process_count)
		index_processes(table, kept);
}

void task_table_drop_dead(struct task_table *table, uint64_t before_ns)
{
	drop_dead_threads(table, before_ns);
	drop_dead_processes(table, before_ns);
}

/* Whether the thread may be forgotten: no sample of it was counted in the last @rounds rounds. */
static bool is_idle_thread(const struct task_table *table, const struct thread *thread,
			   uint32_t rounds)
{
	return thread->tid && !thread->is_target && table->round - thread->seen_round >= rounds;
}

/* Forgets idle threads while there are more than @rows. Ended ones don't count as forgotten. */
static void forget_threads(struct task_table *table, uint32_t rows, uint32_t rounds, bool dead_only)
{
	uint32_t excess = table->thread_count > rows ? table->thread_count - rows : 0, kept = 0;

	for (uint32_t i = 0; i < table->thread_count; i++) {
		const bool is_alive = table->threads[i].is_alive;

		if (excess && !(dead_only && is_alive) &&
		    is_idle_thread(table, &table->threads[i], rounds)) {
			excess--;
			table->forgotten += is_alive;
			continue;
		}
		table->threads[kept++] = table->threads[i];
	}
	if (kept < table->thread_count)
		index_threads(table, kept);
}

static bool is_idle_process(const struct task_table *table, const struct process *process,
			    uint32_t rounds)
{
	const bool is_own = process->is_alive && process->own_until_ns == UINT64_MAX;

	return process->pid && !process->is_target && !process->probes && !is_own &&
	       table->round - process->seen_round >= rounds;
}

static void forget_processes(struct task_table *table, uint32_t rows, uint32_t rounds,
			     bool dead_only)
{
	uint32_t excess = table->process_count > rows ? table->process_count - rows : 0, kept = 0;

	for (uint32_t i = 0; i < table->process_count; i++) {
		const bool is_alive = table->processes[i].is_alive;

		if (excess && !(dead_only && is_alive) &&
		    is_idle_process(table, &table->processes[i], rounds)) {
			excess--;
			table->forgotten += is_alive;
			process_maps_release(table->processes[i].maps);
			continue;
		}
		table->processes[kept++] = table->processes[i];
	}
	if (kept < table->process_count)
		index_processes(table, kept);
}

/* Memory of the process's map; of a shared map, its share. */
static size_t map_bytes_of(const struct process *process)
{
	const struct process_maps *map = process->maps;

	return map ? map->capacity * sizeof(*map->rows) / map->refs : 0;
}

static size_t forget_maps(struct task_table *table, size_t bytes, size_t limit, uint32_t rounds)
{
	for (uint32_t i = 0; i < table->process_count && bytes > limit; i++) {
		struct process *process = &table->processes[i];
		const size_t own = map_bytes_of(process);

		if (!own || process->maps_state != MAPS_KNOWN ||
		    !is_idle_process(table, process, rounds))
			continue;
		process_maps_release(process->maps);
		process->maps = NULL;
		process->maps_state = MAPS_UNREAD;
		table->forgotten += process->is_alive;
		bytes -= own;
	}
	return bytes;
}

#define DEAD_ROUNDS 2u	/* until then samples of the exit path may still be pending */

void task_table_trim(struct task_table *table, uint32_t rows, size_t map_bytes)
{
	static const uint32_t idle_rounds[] = { 60, 10, 2, 0 };
	size_t bytes = 0;

	for (uint32_t i = 0; i < table->thread_count; i++) {
		const struct thread *thread = &table->threads[i];
		struct process *process = task_table_find_process(table, thread->pid);

		if (process && thread->seen_round > process->seen_round)
			process->seen_round = thread->seen_round;
	}
	for (uint32_t i = 0; i < table->process_count; i++)
		bytes += map_bytes_of(&table->processes[i]);
	forget_threads(table, rows, DEAD_ROUNDS, true);
	forget_processes(table, rows, DEAD_ROUNDS, true);
	for (size_t i = 0; i < sizeof(idle_rounds) / sizeof(idle_rounds[0]); i++) {
		forget_threads(table, rows, idle_rounds[i], false);
		bytes = forget_maps(table, bytes, map_bytes, idle_rounds[i]);
		forget_processes(table, rows, idle_rounds[i], false);
	}
	table->round++;
}

void task_table_forget(struct task_table *table)
{
	for (uint32_t i = 0; i < table->process_count; i++)
		process_maps_release(table->processes[i].maps);
	table->process_count = 0;
	table->thread_count = 0;
	table->open_count = 0;
	id_map_clear(&table->process_by_pid);
	id_map_clear(&table->thread_by_tid);
}

/* Renumbers open_tasks, without tasks of dropped processes, for which no reply will come. */
static void compact_open_tasks(struct task_table *table, const uint32_t *renumbered)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < table->open_count; i++) {
		const uint32_t task = renumbered[table->open_tasks[i]];

		if (task != ID_SET_NONE &&
		    task_table_find_process(table, table->tasks[task].pid))
			table->open_tasks[kept++] = task;
	}
	table->open_count = kept;
}

void task_table_mark_text(struct task_table *table, unsigned char *used)
{
	table->comm_bytes = 0;
	for (uint32_t i = 0; i < table->task_count; i++) {
		const struct str_id comm = table->tasks[i].comm;

		if (!used[comm.v])
			table->comm_bytes += strpool_passing_cost(table->strings, comm);
		used[comm.v] = 1;
	}
}

int task_table_compact(struct task_table *table, const unsigned char *used, uint32_t *renumbered)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < table->task_count; i++) {
		renumbered[i] = ID_SET_NONE;
		if (!used[i])
			continue;
		table->tasks[kept] = table->tasks[i];
		renumbered[i] = kept++;
	}
	table->task_count = kept;
	compact_open_tasks(table, renumbered);
	fit_rows(&table->tasks, kept, &table->task_capacity, sizeof(*table->tasks));
	for (uint32_t i = 0; i < table->thread_count; i++)
		table->threads[i].task = ID_SET_NONE;
	return id_set_rebuild(&table->task_index, kept, task_hash, table);
}

size_t task_table_bytes(const struct task_table *table)
{
	return table->task_count * sizeof(*table->tasks) + id_set_bytes(&table->task_index) +
	       table->comm_bytes;
}

static const struct cgroup_names unknown;

void cgroup_table_init(struct cgroup_table *table, struct strpool *strings)
{
	*table = (struct cgroup_table){ .strings = strings };
}

void cgroup_table_finish(struct cgroup_table *table)
{
	free(table->rows);
	id_map_finish(&table->by_path);
	memset(table, 0, sizeof(*table));
}

static struct str_id intern(const struct cgroup_table *table, const char *text)
{
	return strpool_intern(table->strings, text, strlen(text));
}

static int reserve_cgroup(struct cgroup_table *table)
{
	const uint32_t larger = table->capacity ? table->capacity * 2 : 16;
	struct cgroup_names *bigger;

	if (table->count < table->capacity)
		return 0;
	bigger = realloc(table->rows, larger * sizeof(*bigger));
	if (!bigger)
		return -1;
	table->rows = bigger;
	table->capacity = larger;
	return 0;
}

uint32_t cgroup_table_intern(struct cgroup_table *table, const char *path, size_t len)
{
	const bool is_full = table->count >= CGROUP_TABLE_ROWS ||
			     table->text_bytes >= CGROUP_TABLE_TEXT_BYTES;
	const struct str_id id = is_full ? strpool_find(table->strings, path, len)
					 : strpool_intern(table->strings, path, len);
	const uint32_t known = id_map_get(&table->by_path, id.v);
	struct cgroup_name name;

	if (known != ID_MAP_NONE)
		return known;
	if (is_full && len) {
		table->refused++;
		return CGROUP_UNKNOWN;
	}
	if (!id.v || reserve_cgroup(table) || id_map_put(&table->by_path, id.v, table->count + 1))
		return CGROUP_UNKNOWN;
	table->text_bytes += len;
	cgroup_name_parse(&name, path, len);
	table->rows[table->count++] = (struct cgroup_names){
		.path = id, .unit = intern(table, name.unit),
		.container = intern(table, name.container), .pod = intern(table, name.pod),
	};
	return table->count;	/* the first is 1 */
}

const struct cgroup_names *cgroup_table_get(const struct cgroup_table *table, uint32_t cgroup)
{
	return cgroup == CGROUP_UNKNOWN ? &unknown : &table->rows[cgroup - 1];
}
