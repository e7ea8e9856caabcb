/* tasks.h - what records and /proc say of processes and threads, and what is asked of the process
 * reader. Thread: the analyzer's. */
#ifndef INGEST_TASKS_H
#define INGEST_TASKS_H

#include "ingest/ingest.h"

/* Whether name and maps of a sample's task are known, and if not, why. */
enum attribution {
	ATTRIBUTED,
	UNATTRIBUTED_LATE,	/* /proc did not reply in time */
	UNATTRIBUTED_FORKLESS,	/* the process ended before it was read, and no FORK record named
				 * its parent */
	UNATTRIBUTED_ENDED,	/* its FORK record came, but its parent was not known */
};

#define TASKS_RECENT 64	/* rows; threads with equal tid % TASKS_RECENT share one */

struct seen_thread {		/* row tid % TASKS_RECENT: threads that tasks_look_ahead() met */
	uint64_t epoch, time_ns;
	uint32_t pid, tid;
};

struct task_reads {
	struct seen_thread seen[TASKS_RECENT];
	struct id_map recorded_cgroups;	/* replay: the kernel's id -> row of tasks.cgroups */
	uint64_t since_ns;	/* older replies of the process reader are ignored */
};

void task_reads_destroy(struct task_reads *reads);	/* NULL is fine */
void tasks_forget(struct ingest *ingest, uint64_t since_ns);
/* Marks the targets and flametop's own processes; call it after `config` has changed. */
void tasks_look_at_config(struct ingest *ingest);
void tasks_fork(struct ingest *ingest, const struct event_record *record);
/* perf record --all-cgroups; the id is used in samples, and may be used again. */
void tasks_cgroup(struct ingest *ingest, const struct record_cgroup *cgroup);
/* Requests a new process or thread from the reader before the turn of @record in time order. */
void tasks_look_ahead(struct ingest *ingest, const struct event_record *record);
/* Does the same for a sample whose record need not be parsed for it. */
void tasks_look_ahead_of_sample(struct ingest *ingest, uint32_t pid, uint32_t tid,
				uint64_t time_ns);
/* Applies @reply, but for its maps. Returns the process that is to have these; NULL: none. */
struct process *tasks_reply(struct ingest *ingest, const struct process_reply *reply);
/* Requests what is not known of a task that is sampled at @now_ns, unless it was requested. */
void tasks_request(struct ingest *ingest, struct process *process, struct thread *thread,
		   uint64_t now_ns);
/* Whether a sample at @time_ns needs something from /proc that has not been read yet. */
bool tasks_need_reply(const struct ingest *ingest, const struct process *process,
		      const struct thread *thread, uint64_t time_ns);
/* Time until which @thread needs no request, if nothing else happens; 0: it needs one now. */
uint64_t tasks_request_nothing_until(const struct ingest *ingest, const struct process *process,
				     const struct thread *thread, uint64_t time_ns);
enum attribution tasks_attribution(const struct ingest *ingest, const struct process *process,
				   const struct thread *thread);
/* Sets the thread's cgroup: live, the one from /proc; in a replay, the sample's, if it has one. */
void tasks_place(struct ingest *ingest, const struct event_record *record, struct process *process,
		 struct thread *thread);
/* Updates the cgroup of @thread, a copy, which may have been read since it was made. */
void tasks_settle(const struct ingest *ingest, struct thread *thread);

#endif
