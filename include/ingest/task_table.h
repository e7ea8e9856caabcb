/* task_table.h - processes with their maps, threads with their names, and tasks.
 *
 * A task is (pid, tid, comm, cgroup), interned: samples are counted for tasks. A thread that
 * renames itself or calls exec becomes another task from then on; so do all threads of a process
 * that is moved to another cgroup. After fork and exec, until the cgroup is read, samples are
 * counted for a task with an assumed cgroup, which is corrected then.
 * Thread: the analyzer's.
 */
#ifndef INGEST_TASK_TABLE_H
#define INGEST_TASK_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "proc/process_reader.h"

/* The cgroups of sampled processes: each path once, with the names found in it.
 *
 * Rows stay for the life of the table, as interned text does: only cgroups of sampled processes are
 * added, up to the limits below.
 */
#define CGROUP_TABLE_ROWS	16384u
#define CGROUP_TABLE_TEXT_BYTES (4u * 1024 * 1024)

#define CGROUP_UNKNOWN 0	/* row without names: not read yet, or the process ended before */

/* See struct cgroup_name. Id 0, "": the path has no such name, or is "" (unknown) itself. */
struct cgroup_names {
	struct str_id path, unit, container, pod;
};

struct cgroup_table {
	struct cgroup_names *rows;	/* owned */
	uint32_t count, capacity;
	struct id_map by_path;		/* str id -> row */
	size_t text_bytes;		/* length of all paths */
	uint64_t refused;		/* how often there was no room for a new row */
	struct strpool *strings;	/* borrowed */
};

void cgroup_table_init(struct cgroup_table *table, struct strpool *strings);
void cgroup_table_finish(struct cgroup_table *table);

/* Returns the row of the raw @path[0..@len), adding it if need be. CGROUP_UNKNOWN: empty path, out
 * of memory, or over CGROUP_TABLE_ROWS or CGROUP_TABLE_TEXT_BYTES (counted in `refused`). */
uint32_t cgroup_table_intern(struct cgroup_table *table, const char *path, size_t len);

/* BORROWED until the next cgroup_table_intern(). */
const struct cgroup_names *cgroup_table_get(const struct cgroup_table *table, uint32_t cgroup);

#define TASK_PID_UNKNOWN UINT32_MAX /* pid of a target thread given by its tid; also the kernel's
				     * "none" */

#define TASK_RECENT 64

/* Limit for threads, and for processes: 20 MiB; the kernel's default limit is 32,768 pids. */
#define TASK_TABLE_ROWS	     65536u
#define TASK_TABLE_MAP_BYTES (12u * 1024 * 1024) /* limit for all maps: 300,000 code mappings */

enum maps_state {
	MAPS_UNREAD,		/* no record had them: read /proc/PID/maps at its first sample */
	MAPS_ASKED,		/* the process reader is reading them */
	MAPS_KNOWN,
	MAPS_MISSED,		/* the process ended before the reader came to it */
};

struct process {
	uint32_t pid, parent_pid;	/* parent_pid: by its FORK; 0: none was seen */
	uint32_t read_parent_pid;	/* by /proc, when its uid was read last; 0: unknown */
	uint32_t cgroup;	/* row of task_table.cgroups; threads may have other cgroups, which
				 * are ignored */
	bool is_cgroup_read;	/* `cgroup` was read since fork and exec; else it is assumed */
	bool is_cgroup_inherited;	/* `cgroup` is the parent's, read or inherited */
	bool is_cgroup_asked;	/* the process reader is reading `cgroup` */
	bool is_cgroup_stale;	/* the reader's reply may be older than fork or exec */
	bool is_fork_seen;	/* its FORK has arrived, but not had its turn in time order */
	bool has_program;	/* the file of its program has been mapped */
	uint64_t cgroup_ns;	/* when `cgroup` was read */
	enum maps_state maps_state;
	struct process_maps *maps;	/* owned reference; NULL before the first mapping */
	uint32_t code;		/* id of its run-time code (struct jit); 0: none yet */
	uint32_t dsos;		/* DSOs that it was the first to map, and, until
				 * src/analyzer/budget.c recounts, its parent's at the fork */
	uint32_t uid;		/* effective uid: the parent's at first, then read from /proc */
	bool has_uid;
	bool is_uid_asked;	/* the process reader is reading `uid` */
	uint8_t uid_reads;	/* readings of uid since fork or exec */
	uint64_t uid_read_ns;	/* time of the last reading of uid */
	uint64_t exec_ns;	/* time of its last exec; 0: none was seen */
	uint64_t own_until_ns;	/* UINT64_MAX: flametop or a child of it; 0: any other process; else
				 * time of the exec by which it stopped being flametop's */
	bool is_target;		/* it is a target of the user, or a child of one */
	bool is_alive;		/* its first thread has not ended */
	bool has_threads;	/* threads stayed when dead ones were last dropped */
	uint32_t seen_round;	/* newest seen_round of its threads at the last trim */
	uint64_t ended_ns;	/* valid unless is_alive */
	uint64_t probes;	/* bit mask of slots with probes for it and its children only */
};

#define THREAD_COMM_BYTES 16	/* the kernel's TASK_COMM_LEN */

struct thread {
	uint32_t pid, tid;
	char comm[THREAD_COMM_BYTES];	/* raw, not terminated */
	uint8_t comm_len;
	uint32_t cgroup;	/* the process's cgroup at the last sample */
	bool is_cgroup_open;	/* `cgroup` was an assumption at the last sample */
	uint32_t task;		/* id for the present comm and cgroup; ID_SET_NONE: not interned */
	bool has_comm;
	bool is_asked, is_replied;	/* request to the process reader for its comm */
	bool is_target;
	bool is_alive;
	uint32_t seen_round;	/* task_table.round when a sample of it was counted last */
	uint64_t ended_ns;	/* valid unless is_alive */
};

struct task {
	uint32_t pid, tid;
	struct str_id comm;
	uint32_t cgroup;
	bool is_cgroup_open;	/* `cgroup` is an assumption, to be corrected */
};

struct task_table {
	struct process *processes;	/* owned */
	struct thread *threads;		/* owned */
	struct task *tasks;		/* owned */
	uint32_t process_count, process_capacity;
	uint32_t thread_count, thread_capacity;
	uint32_t *open_tasks;		/* owned; ids of tasks with is_cgroup_open */
	uint32_t task_count, task_capacity;
	uint32_t open_count, open_capacity;
	uint64_t settled;	/* how often cgroups of tasks were corrected: results cached by
				 * cgroup are invalid when it changes */
	struct id_map process_by_pid, thread_by_tid;
	/* At index pid or tid % TASK_RECENT, the row looked up last; its pid or tid must be
	 * compared, as several share an index. */
	uint32_t recent_process[TASK_RECENT], recent_thread[TASK_RECENT];
	struct id_set task_index;
	struct cgroup_table cgroups;
	uint32_t round;		/* how often rows were trimmed, + 2 */
	size_t comm_bytes;	/* text of the tasks' comms that strpool_sweep() can free */
	uint64_t forgotten;	/* living processes and threads, and maps, dropped: no room */
	struct strpool *strings;	/* borrowed */
};

void task_table_init(struct task_table *table, struct strpool *strings);
void task_table_finish(struct task_table *table);

/* Each returns the row, adding it if need be (pid 0 and tid 0 are the idle task "swapper"), or
 * NULL: out of memory. BORROWED until the next call that adds a row of the same kind. A thread
 * added for TASK_PID_UNKNOWN gets the pid of the next call for its tid. */
struct process *task_table_process(struct task_table *table, uint32_t pid);
struct thread *task_table_thread(struct task_table *table, uint32_t pid, uint32_t tid);
/* Each returns the row, or NULL: there is none. */
struct process *task_table_find_process(const struct task_table *table, uint32_t pid);
struct thread *task_table_find_thread(const struct task_table *table, uint32_t tid);
/* Sets the thread's name, cut to THREAD_COMM_BYTES. */
void thread_set_comm(struct thread *thread, const char *comm, size_t len);

void thread_set_cgroup(struct thread *thread, uint32_t cgroup, bool is_open);

/* Returns the process that started process @pid, unless it ended before @time_ns; 0: unknown. */
uint32_t task_table_parent(const struct task_table *table, uint32_t pid, uint64_t time_ns);

/* Notes that the FORK of @pid, or its exec, has arrived, before its turn in time order. Container
 * runtimes move the child between the two, so its cgroup must be read again, and soon. */
void task_table_see_fork(struct task_table *table, uint32_t parent_pid, uint32_t pid);
void task_table_see_exec(struct task_table *table, uint32_t pid);
/* Sets the cgroup of @process and corrects tasks with an assumed one. True: there were such. */
bool task_table_settle(struct task_table *table, struct process *process, uint32_t cgroup);

/* Applies a FORK: the child gets the parent's comm; a new process also uid, cgroup, target mark
 * and, unless @is_synthesized (perf record's description of what ran already), the maps. */
void task_table_fork(struct task_table *table, uint32_t parent_pid, uint32_t parent_tid,
		     uint32_t pid, uint32_t tid, bool is_synthesized);
/* Applies a COMM. After exec the process has no maps, and all later mappings are reported. */
void task_table_set_comm(struct task_table *table, uint32_t pid, uint32_t tid, const char *comm,
			 size_t len, bool is_exec);
/* Applies the exec of the preceding task_table_set_comm() at @time_ns: the uid is to be read again,
 * and the process is no longer flametop's. */
void task_table_exec(struct task_table *table, uint32_t pid, uint64_t time_ns);
/* Sets the uid of @process, read at @time_ns; !@has_uid: reading failed, the uid stays. */
void process_set_uid(struct process *process, bool has_uid, uint32_t uid, uint64_t time_ns);
/* Time from which a sample of @process must read its uid again, as it may have dropped privileges.
 * UINT64_MAX: never. */
uint64_t process_uid_due_ns(const struct process *process);
/* Marks process @pid, adding it if need be, as flametop's; later children inherit the mark. */
void task_table_mark_own(struct task_table *table, uint32_t pid);
/* Whether @process was flametop's own at @time_ns, and @thread is no target of the user. */
static inline bool task_is_own(const struct process *process, const struct thread *thread,
			       uint64_t time_ns)
{
	return time_ns < process->own_until_ns && !thread->is_target;
}
/* Applies an EXIT of a thread. A process ends with its first thread and all others that were seen.
 * The rows stay until task_table_drop_dead(): samples of the exit path come later. */
void task_table_exit(struct task_table *table, uint32_t pid, uint32_t tid, uint64_t time_ns);
/* Forgets threads that ended before @before_ns, and then ended processes without threads. */
void task_table_drop_dead(struct task_table *table, uint64_t before_ns);

/* While there are more than @rows threads or processes, or their maps take more than @map_bytes,
 * forgets those that have ended, then the least recently sampled ones, except for targets of the
 * user and of probes. A forgotten process is read again when it is sampled again. Call it about
 * once a second. */
void task_table_trim(struct task_table *table, uint32_t rows, size_t map_bytes);

/* Forgets processes and threads; tasks stay. */
void task_table_forget(struct task_table *table);

/* Task id for @thread with its present name; ":TID" when its comm is not known. */
uint32_t task_table_task(struct task_table *table, struct thread *thread);

/* Names in the cgroup of @task; all "" if unknown. BORROWED until another cgroup is interned. */
const struct cgroup_names *task_table_cgroup(const struct task_table *table, uint32_t task);

/* Forgets tasks with !used[task]. @renumbered[old] = new, or ID_SET_NONE. Both arrays have
 * task_count elements. */
int task_table_compact(struct task_table *table, const unsigned char *used, uint32_t *renumbered);

/* Sets @used[id] of each comm that a task has (strpool_sweep()). */
void task_table_mark_text(struct task_table *table, unsigned char *used);

/* Bytes of tasks and their comms, which a compaction can free. Processes and threads are bounded by
 * task_table_trim(). */
size_t task_table_bytes(const struct task_table *table);

#endif
