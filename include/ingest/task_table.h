/* task_table.h - who runs: processes with their maps, threads with their names, and tasks.
 *
 * A task is (pid, tid, comm, cgroup), interned once: what a sample is counted for. A thread that
 * renames itself or calls exec becomes another task from then on; so do all of a process that is
 * moved to another cgroup. Until a cgroup is read, after fork and exec, samples are counted for a
 * task of the one that is assumed, which is corrected then: names come after counting.
 * Thread: the analyzer's.
 */
#ifndef INGEST_TASK_TABLE_H
#define INGEST_TASK_TABLE_H

#include <stdbool.h>

#include "base/id_set.h"
#include "base/strpool.h"
#include "ingest/cgroup_table.h"
#include "proc/address_map.h"

#define TASK_PID_UNKNOWN UINT32_MAX /* of a thread that was asked for by its tid; also the kernel's
				     * "none" */

#define TASK_RECENT 64

/* Threads, and processes: 20 MiB; kernels begin with 32,768 pids. */
#define TASK_TABLE_ROWS	     65536u
#define TASK_TABLE_MAP_BYTES (12u * 1024 * 1024) /* of all maps: 300,000 mappings of code */

enum maps_state {
	MAPS_UNREAD,		/* was there before us: read /proc/PID/maps at its first sample */
	MAPS_ASKED,		/* the process reader is reading it */
	MAPS_KNOWN,
	MAPS_MISSED,		/* it ended before the reader came to it */
};

struct process {
	uint32_t pid, parent_pid;
	uint32_t cgroup;	/* row of task_table.cgroups; a thread's own, which may be another,
				 * is not looked at */
	bool is_cgroup_read;	/* since fork and exec; else it is the parent's, or of before, */
	bool is_cgroup_told;	/* and that was read, or told by a fork in its turn */
	bool is_cgroup_asked;	/* the process reader is reading it */
	bool is_cgroup_stale;	/* and its answer may be of before fork or exec */
	bool is_fork_seen;	/* its FORK has been seen, but had no turn yet */
	bool has_program;	/* the file of its program has been mapped */
	uint64_t cgroup_ns;	/* when it was read */
	enum maps_state maps_state;
	struct address_map *maps;	/* owned reference; NULL before the first mapping */
	uint32_t code;		/* of its anonymous executable memory; 0: none yet. See ingest.h */
	uint32_t objects;	/* that it mapped first; besides, those that who forked it had,
				 * until they are counted anew: analyzer/reclaim.h */
	uint32_t uid;		/* effective: its parent's at first, then as /proc had it last */
	bool has_uid;
	bool is_uid_asked;	/* the process reader is reading it */
	uint8_t uid_reads;	/* readings of uid since fork or exec */
	uint64_t uid_read_ns;	/* time of the last reading of uid */
	uint64_t exec_ns;	/* time of its last exec; 0: none was seen */
	uint64_t own_until_ns;	/* flametop itself and what it forks: UINT64_MAX; 0: a stranger;
				 * else the time of the exec that made it one */
	bool is_target;		/* when single processes were asked for: one of them or its child */
	bool is_alive;		/* its first thread has not ended */
	bool has_threads;	/* when the dead were last dropped: threads that stayed */
	uint32_t seen_round;	/* when rows were last trimmed: its threads' newest */
	uint64_t ended_ns;	/* unless is_alive */
	uint64_t probes;	/* a bit per slot whose probe is for it and its children alone */
};

#define THREAD_COMM_BYTES 16	/* the kernel's TASK_COMM_LEN */

struct thread {
	uint32_t pid, tid;
	char comm[THREAD_COMM_BYTES];	/* raw, not terminated */
	uint8_t comm_len;
	uint32_t cgroup;	/* the process's, as it was at the last sample, */
	bool is_cgroup_open;	/* and that it was not read yet */
	uint32_t task;		/* of the present comm and cgroup; ID_SET_NONE: not interned yet */
	bool has_comm;
	bool is_asked, is_answered;	/* by the process reader, for its comm */
	bool is_target;
	bool is_alive;
	uint32_t seen_round;	/* task_table.round when a sample of it was counted last */
	uint64_t ended_ns;	/* unless is_alive */
};

struct task {
	uint32_t pid, tid;
	struct str_id comm;
	uint32_t cgroup;
	bool is_cgroup_open;	/* an assumption, to be corrected */
};

struct task_table {
	struct process *processes;	/* owned */
	struct thread *threads;		/* owned */
	struct task *tasks;		/* owned */
	uint32_t process_count, process_capacity;
	uint32_t thread_count, thread_capacity;
	uint32_t *open_tasks;		/* owned; those whose cgroup is open */
	uint32_t task_count, task_capacity;
	uint32_t open_count, open_capacity;
	uint64_t settled;	/* how often tasks got another cgroup: who keeps what was told by
				 * it must look again */
	struct id_map process_by_pid, thread_by_tid;
	/* By the lowest bits of pid and tid: the row that was asked for last. It is asked who it
	 * is; one number has one row. */
	uint32_t recent_process[TASK_RECENT], recent_thread[TASK_RECENT];
	struct id_set task_index;
	struct cgroup_table cgroups;
	uint32_t round;		/* how often rows were trimmed, + 2 */
	size_t comm_bytes;	/* of the tasks' comms, as far as they can be swept */
	uint64_t forgotten;	/* processes, threads, maps that left alive: no room */
	struct strpool *strings;	/* borrowed */
};

void task_table_init(struct task_table *table, struct strpool *strings);
void task_table_finish(struct task_table *table);

/* Each returns the row, made when there was none (pid 0 and tid 0 are the idle task "swapper"),
 * or NULL: out of memory. BORROWED until the next call that makes a row of the same kind. A thread
 * made for TASK_PID_UNKNOWN takes the first pid that it is asked for with. */
struct process *task_table_process(struct task_table *table, uint32_t pid);
struct thread *task_table_thread(struct task_table *table, uint32_t pid, uint32_t tid);
/* The row if there is one, never made. */
struct process *task_table_find_process(const struct task_table *table, uint32_t pid);
struct thread *task_table_find_thread(const struct task_table *table, uint32_t tid);
/* Names the thread; of a longer name the first THREAD_COMM_BYTES. */
void thread_set_comm(struct thread *thread, const char *comm, size_t len);

void thread_set_cgroup(struct thread *thread, uint32_t cgroup, bool is_open);

/* A FORK of @pid, or its exec, has been seen, whose turn is still to come: whoever makes a
 * container moves the child in between, so its cgroup is to be read again, and soon. */
void task_table_see_fork(struct task_table *table, uint32_t parent_pid, uint32_t pid);
void task_table_see_exec(struct task_table *table, uint32_t pid);
/* The cgroup of @process is known: what was counted for an assumption counts for it. True: there
 * was such. */
bool task_table_settle(struct task_table *table, struct process *process, uint32_t cgroup);

/* FORK: the child gets the parent's comm; a new process also uid, cgroup, target mark and, unless
 * @is_synthesized (perf record's description of what ran already), the maps. */
void task_table_fork(struct task_table *table, uint32_t parent_pid, uint32_t parent_tid,
		     uint32_t pid, uint32_t tid, bool is_synthesized);
/* COMM. After exec the process starts with no maps, and what follows is all reported. */
void task_table_set_comm(struct task_table *table, uint32_t pid, uint32_t tid, const char *comm,
			 size_t len, bool is_exec);
/* The exec that set_comm() told of happened at @time_ns: it may give the process other rights, and
 * it is no longer flametop's. */
void task_table_exec(struct task_table *table, uint32_t pid, uint64_t time_ns);
/* The uid of @process was read at @time_ns; !@has_uid: it could not be, and stays as it was. */
void process_set_uid(struct process *process, bool has_uid, uint32_t uid, uint64_t time_ns);
/* The time of the next sample of @process at which its uid is to be read again: it may have
 * dropped its rights since. UINT64_MAX: never. */
uint64_t process_uid_due_ns(const struct process *process);
/* Marks @pid, which is made if need be, as flametop's; what it forks later inherits the mark. */
void task_table_mark_own(struct task_table *table, uint32_t pid);
/* Was @process flametop's own at @time_ns, and @thread is not one that was asked for? */
static inline bool task_is_own(const struct process *process, const struct thread *thread,
			       uint64_t time_ns)
{
	return time_ns < process->own_until_ns && !thread->is_target;
}
/* EXIT of a thread. A process ends with its first thread and all the others that were seen. The
 * rows stay, samples of the way out come after it: task_table_drop_dead(). */
void task_table_exit(struct task_table *table, uint32_t pid, uint32_t tid, uint64_t time_ns);
/* Forgets threads that ended before @before_ns, and processes of which none stays. */
void task_table_drop_dead(struct task_table *table, uint64_t before_ns);

/* While there are more than @rows threads or processes, or their maps take more than @map_bytes,
 * forgets those that have ended, then those that were not sampled for longest, targets of names or
 * probes excepted. Who is
 * sampled again is read again. Call it about once a second. */
void task_table_trim(struct task_table *table, uint32_t rows, size_t map_bytes);

/* Forgets processes and threads; tasks stay. */
void task_table_forget(struct task_table *table);

/* Task id for @thread as it is named now: ":TID" when its comm is not known. */
uint32_t task_table_task(struct task_table *table, struct thread *thread);

/* What the cgroup of @task says; all "" if it is not known. BORROWED until another is interned. */
const struct cgroup_names *task_table_cgroup(const struct task_table *table, uint32_t task);

/* Forgets tasks with !used[task]. @renumbered[old] = new, or
 * ID_SET_NONE. Both arrays have task_count elements. */
int task_table_compact(struct task_table *table, const unsigned char *used, uint32_t *renumbered);

/* Sets @used[id] of each comm that a task has (strpool_sweep()). */
void task_table_mark_text(struct task_table *table, unsigned char *used);

/* Of the tasks and their comms: what a compaction can free. Processes and threads are bounded by
 * task_table_trim(). */
size_t task_table_bytes(const struct task_table *table);

#endif
