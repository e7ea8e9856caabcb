/* tasks.c - see tasks.h.
 *
 * Problem: a process that ran before flametop has neither maps nor comm until /proc was read, which
 * may be slow. Idea: a request is sent to the reader when the record arrives: it still has a round
 * to wait in the reorder stage.
 *
 * A reply shows /proc at the moment it was read: later mappings take precedence over it. If an exec
 * or a fork came in between, the reply is outdated and the request is repeated.
 */
#include "tasks.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

/* Interval at which the cgroup of a sampled process is read again: reading costs 15 us. */
#define CGROUP_HOLDS_NS	 (10 * CLOCK_NS_PER_S)

void task_reads_destroy(struct task_reads *reads)
{
	if (reads)
		id_map_finish(&reads->recorded_cgroups);
	free(reads);
}

void tasks_forget(struct ingest *ingest, uint64_t since_ns)
{
	task_table_forget(&ingest->tasks);
	ingest->task_reads->since_ns = since_ns;
}

static void mark_targets(struct ingest *ingest)
{
	const struct ingest_config *config = &ingest->config;

	for (size_t i = 0; i < config->target_pid_count; i++) {
		struct process *process = task_table_process(&ingest->tasks,
							     config->target_pids[i]);

		if (process)
			process->is_target = true;
	}
	for (size_t i = 0; i < config->target_tid_count; i++) {
		struct thread *thread = task_table_thread(&ingest->tasks, TASK_PID_UNKNOWN,
							  config->target_tids[i]);

		if (thread)
			thread->is_target = true;
	}
}

static bool is_asked_for(const struct ingest_config *config, uint32_t pid)
{
	for (size_t i = 0; i < config->target_pid_count; i++)
		if (config->target_pids[i] == pid)
			return true;
	return false;
}

/* The command is a target from its exec on. */
static void mark_own(struct ingest *ingest)
{
	const struct ingest_config *config = &ingest->config;

	for (size_t i = 0; i < config->own_pid_count; i++)
		if (!is_asked_for(config, config->own_pids[i]))
			task_table_mark_own(&ingest->tasks, config->own_pids[i]);
	if (config->launcher_pid)
		task_table_mark_own(&ingest->tasks, config->launcher_pid);
}

void tasks_look_at_config(struct ingest *ingest)
{
	mark_targets(ingest);
	mark_own(ingest);
}

/* With no_inherit: children of targets are no targets. */
static void take_mark(struct ingest *ingest, const struct event_record *record)
{
	struct process *process = task_table_find_process(&ingest->tasks, record->pid);
	struct thread *thread = task_table_find_thread(&ingest->tasks, record->tid);

	if (process && record->pid != record->task.parent_pid)
		process->is_target = false;
	if (thread)
		thread->is_target = false;
}

void tasks_fork(struct ingest *ingest, const struct event_record *record)
{
	/* perf record describes tasks that ran already by FORK records without a time. */
	task_table_fork(&ingest->tasks, record->task.parent_pid, record->task.parent_tid,
			record->pid, record->tid, !record->time_ns);
	if (ingest->config.no_inherit)
		take_mark(ingest, record);
}

void tasks_cgroup(struct ingest *ingest, const struct record_cgroup *cgroup)
{
	const uint32_t row = cgroup_table_intern(&ingest->tasks.cgroups, cgroup->path.bytes,
						 cgroup->path.len);

	if (id_map_put(&ingest->task_reads->recorded_cgroups, cgroup->id, row))
		ingest->counters.dropped_no_memory++;
}

/* Pid UINT32_MAX, the kernel's "none", has nothing in /proc. */
enum attribution tasks_attribution(const struct ingest *ingest, const struct process *process,
				   const struct thread *thread)
{
	if (!ingest->reader || process->pid == UINT32_MAX ||
	    (process->maps_state == MAPS_KNOWN && thread->has_comm))
		return ATTRIBUTED;
	if (process->maps_state == MAPS_UNREAD || process->maps_state == MAPS_ASKED ||
	    !(thread->is_replied || thread->has_comm))
		return UNATTRIBUTED_LATE;
	return process->parent_pid ? UNATTRIBUTED_ENDED : UNATTRIBUTED_FORKLESS;
}

/* Limited, as cgroups are read again from time to time. */
#define SEEN_HOLDS_NS SLICE_NS

/* Whether a sample of the thread came before in this epoch; notes that one has now. */
static bool was_seen(struct ingest *ingest, uint32_t pid, uint32_t tid, uint64_t time_ns)
{
	struct seen_thread *seen = &ingest->task_reads->seen[tid % TASKS_RECENT];
	const uint64_t epoch = ingest->sample_epoch;

	if (seen->epoch == epoch && seen->tid == tid && seen->pid == pid &&
	    time_ns - seen->time_ns < SEEN_HOLDS_NS)
		return true;
	*seen = (struct seen_thread){ epoch, time_ns, pid, tid };
	return false;
}

/* Whether users are filtered, or are a key of a probe. */
static bool wants_uids(const struct ingest *ingest)
{
	return ingest->config.has_uid_filter || (ingest->hits && ingest->hits->has_uid_keys);
}

/* Whether the uid must be read first: samples from its due time on get the uid in the reply. */
static bool needs_user(const struct ingest *ingest, const struct process *process, uint64_t time_ns)
{
	return wants_uids(ingest) &&
	       (process->is_uid_asked || time_ns >= process_uid_due_ns(process));
}

bool tasks_need_reply(const struct ingest *ingest, const struct process *process,
		      const struct thread *thread, uint64_t time_ns)
{
	if (!ingest->reader || process->pid == UINT32_MAX)
		return false;
	return process->maps_state == MAPS_UNREAD || process->maps_state == MAPS_ASKED ||
	       (!thread->is_replied && !thread->has_comm) ||
	       needs_user(ingest, process, time_ns);
}

static bool is_cgroup_open(const struct ingest *ingest, const struct process *process)
{
	return ingest->reader && !ingest->config.only_records && process->pid &&
	       process->pid != UINT32_MAX && !process->is_cgroup_read;
}

/* Whether to read the cgroup; no sample waits for it. The kernel does not report cgroup moves. */
static bool wants_cgroup(const struct ingest *ingest, const struct process *process,
			 uint64_t now_ns)
{
	if (process->is_cgroup_asked || process->own_until_ns == UINT64_MAX)
		return false;
	return is_cgroup_open(ingest, process) ||
	       (process->is_cgroup_read && now_ns > process->cgroup_ns + CGROUP_HOLDS_NS);
}

/* Time until which the uid need not be read again. */
static uint64_t user_holds_until(const struct ingest *ingest, const struct process *process)
{
	const uint64_t due_ns = process_uid_due_ns(process);

	return ingest->reader && wants_uids(ingest) && due_ns ? due_ns - 1 : UINT64_MAX;
}

uint64_t tasks_request_nothing_until(const struct ingest *ingest, const struct process *process,
				     const struct thread *thread, uint64_t time_ns)
{
	const uint64_t user_ns = user_holds_until(ingest, process);
	const uint64_t cgroup_ns = process->cgroup_ns + CGROUP_HOLDS_NS;

	if (tasks_need_reply(ingest, process, thread, time_ns))
		return 0;
	if (process->is_cgroup_asked)
		return user_ns;
	if (is_cgroup_open(ingest, process))
		return 0;
	return process->is_cgroup_read && cgroup_ns < user_ns ? cgroup_ns : user_ns;
}

#define FORKS_MAX 16	/* a compiler and the passes that it starts come within a round */

/* Whether its FORK, which has its turn first, gives it the parent's maps and name: these may come
 * from the parent's own FORK. */
static bool will_inherit(const struct ingest *ingest, const struct process *process)
{
	const struct thread *first;
	int forks = 0;

	while (process && process->is_fork_seen && forks++ < FORKS_MAX)
		process = task_table_find_process(&ingest->tasks, process->parent_pid);
	if (!process || !forks || process->is_fork_seen)
		return false;
	first = task_table_find_thread(&ingest->tasks, process->pid);
	return first && first->has_comm && process->maps_state == MAPS_KNOWN;
}

void tasks_request(struct ingest *ingest, struct process *process, struct thread *thread,
		   uint64_t now_ns)
{
	const bool is_waited_for = tasks_need_reply(ingest, process, thread, now_ns) &&
				   !will_inherit(ingest, process) &&
				   !task_is_own(process, thread, now_ns);
	const bool wants_user = is_waited_for && !process->is_uid_asked &&
				needs_user(ingest, process, now_ns);
	const struct process_request request = {
		.pid = process->pid, .tid = thread->tid, .parent_pid = process->parent_pid,
		.wants_maps = is_waited_for && process->maps_state == MAPS_UNREAD,
		.wants_cgroup = wants_cgroup(ingest, process, now_ns),
		.has_names = !wants_user &&
			     (!is_waited_for ||
			      (thread->is_asked && process->maps_state != MAPS_UNREAD)),
	};

	if (!request.wants_cgroup && request.has_names)
		return;
	if (!process_reader_request(ingest->reader, &request))
		return;		/* repeated by the next sample, or by this one in its turn */
	thread->is_asked |= is_waited_for;
	if (request.wants_maps)
		process->maps_state = MAPS_ASKED;
	process->is_cgroup_asked |= request.wants_cgroup;
	process->is_uid_asked |= !request.has_names;
}

/* Requests the parent. A shell that only waits is never sampled itself, and each of its children
 * would need a request; once the shell is known they inherit from it. */
static void ask_parent(struct ingest *ingest, uint32_t pid, uint64_t now_ns)
{
	struct process *process = task_table_process(&ingest->tasks, pid);
	struct thread *thread = task_table_thread(&ingest->tasks, pid, pid);

	if (process && thread && process->is_alive)
		tasks_request(ingest, process, thread, now_ns);
}

static void request_of_sample(struct ingest *ingest, uint32_t pid, uint32_t tid,
			      uint64_t time_ns)
{
	struct process *process = task_table_process(&ingest->tasks, pid);
	struct thread *thread = task_table_thread(&ingest->tasks, pid, tid);
	uint32_t parent_pid;

	if (!process || !thread)
		return;
	parent_pid = process->maps_state == MAPS_UNREAD ? process->parent_pid : 0;
	tasks_request(ingest, process, thread, time_ns);
	if (parent_pid)
		ask_parent(ingest, parent_pid, time_ns);
}

void tasks_look_ahead_of_sample(struct ingest *ingest, uint32_t pid, uint32_t tid,
				uint64_t time_ns)
{
	if (ingest->reader && !was_seen(ingest, pid, tid, time_ns))
		request_of_sample(ingest, pid, tid, time_ns);
}

void tasks_look_ahead(struct ingest *ingest, const struct event_record *record)
{
	if (record->kind == RECORD_SAMPLE) {
		tasks_look_ahead_of_sample(ingest, record->pid, record->tid, record->time_ns);
		return;
	}
	if (!ingest->reader)
		return;
	ingest->sample_epoch++;
	if (record->kind == RECORD_FORK && record->pid != record->task.parent_pid)
		task_table_see_fork(&ingest->tasks, record->task.parent_pid, record->pid);
	else if (record->kind == RECORD_COMM && record->comm.is_exec)
		task_table_see_exec(&ingest->tasks, record->pid);
}

void tasks_place(struct ingest *ingest, const struct event_record *record, struct process *process,
		 struct thread *thread)
{
	if (!ingest->reader && record->sample.has_cgroup) {
		const uint32_t known =
			id_map_get(&ingest->task_reads->recorded_cgroups, record->sample.cgroup);

		process->cgroup = known == ID_MAP_NONE ? CGROUP_UNKNOWN : known;
	}
	thread_set_cgroup(thread, process->cgroup, is_cgroup_open(ingest, process));
}

void tasks_settle(const struct ingest *ingest, struct thread *thread)
{
	const struct process *process = task_table_find_process(&ingest->tasks, thread->pid);

	if (thread->is_cgroup_open && process && process->is_cgroup_read)
		thread_set_cgroup(thread, process->cgroup, false);
}

/* Repeats the request at once: there may be no later sample to trigger it. */
static void ask_cgroup_again(struct ingest *ingest, struct process *process)
{
	const struct process_request request = {
		.pid = process->pid, .tid = process->pid, .parent_pid = process->parent_pid,
		.wants_cgroup = true, .has_names = true,
	};

	process->is_cgroup_stale = false;
	process->is_cgroup_asked = process_reader_request(ingest->reader, &request);
}

/* Sets the cgroup from @reply. The parent's present cgroup in /proc is ignored if the one at the
 * fork was known. */
static void apply_cgroup(struct ingest *ingest, struct process *process,
			 const struct process_reply *reply)
{
	struct cgroup_table *cgroups = &ingest->tasks.cgroups;
	const char *path = reply->cgroup;

	if (!process->is_cgroup_asked)
		return;
	process->is_cgroup_asked = false;
	if (!path && reply->parent_pid != process->parent_pid)
		return;		/* asked before its fork's turn came: it is asked again */
	if (path && !(reply->is_parents_cgroup && process->is_cgroup_inherited))
		process->cgroup = cgroup_table_intern(cgroups, path, strlen(path));
	process->cgroup_ns = reply->time_ns;
	if (process->is_cgroup_stale)
		ask_cgroup_again(ingest, process);
	else if (task_table_settle(&ingest->tasks, process, process->cgroup))
		ingest->has_new_names = true;
}

/* Sets the comm of the first thread, which may sleep for ever and never be sampled. */
static void apply_process_comm(struct ingest *ingest, const struct process_reply *reply)
{
	struct thread *first = task_table_thread(&ingest->tasks, reply->pid, reply->pid);

	if (first && !first->has_comm)
		thread_set_comm(first, reply->process_comm, strlen(reply->process_comm));
}

/* Sets the uid, unless the reply is from before the exec, or before the fork's turn: then the next
 * sample requests it again. */
static void apply_uid(struct process *process, const struct process_reply *reply)
{
	process->is_uid_asked = false;
	if (reply->time_ns >= process->exec_ns && reply->parent_pid == process->parent_pid)
		process_set_uid(process, reply->has_uid, reply->uid, reply->time_ns);
}

/* Marks a child of flametop whose FORK was not recorded, as another target was sampled then. Not
 * those of main, which are marked at the start: main may have other children, of the program that
 * called exec to become flametop. */
static void apply_parent(struct ingest *ingest, struct process *process,
			 const struct process_reply *reply)
{
	const struct process *parent = task_table_find_process(&ingest->tasks, reply->found_parent);

	if (!parent || parent->own_until_ns != UINT64_MAX || process->exec_ns ||
	    parent->pid == ingest->config.own_pids[0])
		return;
	process->own_until_ns = UINT64_MAX;
}

struct process *tasks_reply(struct ingest *ingest, const struct process_reply *reply)
{
	struct process *process = task_table_find_process(&ingest->tasks, reply->pid);
	struct thread *thread = task_table_find_thread(&ingest->tasks, reply->tid);

	ingest->sample_epoch++;
	if (reply->time_ns < ingest->task_reads->since_ns)
		return NULL;		/* asked before all was forgotten: it is asked again */
	if (thread && thread->pid == reply->pid && !reply->has_names) {
		thread->is_replied = true;
		if (!thread->has_comm && reply->has_comm)
			thread_set_comm(thread, reply->comm, strlen(reply->comm));
	}
	if (!process)
		return NULL;
	if (!reply->has_names) {
		if (reply->found_parent)
			process->read_parent_pid = reply->found_parent;
		apply_uid(process, reply);
		apply_parent(ingest, process, reply);
	}
	if (reply->process_comm[0])
		apply_process_comm(ingest, reply);
	if (reply->wants_cgroup)
		apply_cgroup(ingest, process, reply);
	if (!reply->wants_maps || process->maps_state != MAPS_ASKED)
		return NULL;		/* an exec came in between: the reply is of the past */
	if (!reply->has_maps && reply->parent_pid != process->parent_pid) {
		process->maps_state = MAPS_UNREAD;	/* asked before its fork's turn came */
		return NULL;
	}
	process->maps_state = reply->has_maps ? MAPS_KNOWN : MAPS_MISSED;
	return reply->has_maps ? process : NULL;
}
