/* ingest_answers.c - applies the process reader's replies about processes.
 *
 * A reply shows /proc at the moment it was read: later mappings take precedence over it. If an exec
 * or a fork came in between, the reply is outdated and the request is repeated.
 */
#include <string.h>

#include "ingest/ingest.h"

/* Replaces the maps by those in @reply, and inserts later mappings over them. */
static void apply_maps(struct ingest *ingest, struct process *process,
		       const struct process_reply *reply)
{
	struct address_map *fresh = address_map_create(), *newer = process->maps;

	if (!fresh) {
		ingest->counters.dropped_no_memory++;
		return;
	}
	for (uint32_t i = 0; i < reply->row_count; i++)
		ingest_read_mapping(ingest, process, &fresh, &reply->rows[i], reply->time_ns);
	for (uint32_t i = 0; newer && i < newer->count; i++)
		if (newer->rows[i].since_ns > reply->time_ns)
			ingest_insert_mapping(ingest, &fresh, &newer->rows[i]);
	address_map_release(process->maps);
	process->maps = fresh;
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
	if (path && !(reply->is_parents_cgroup && process->is_cgroup_told))
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

void ingest_maps_reply(struct ingest *ingest, const struct process_reply *reply)
{
	struct process *process = task_table_find_process(&ingest->tasks, reply->pid);
	struct thread *thread = task_table_find_thread(&ingest->tasks, reply->tid);

	ingest_repeat_forget(ingest);
	if (reply->time_ns < ingest->tasks_since_ns)
		return;		/* asked before all was forgotten: it is asked again */
	if (thread && thread->pid == reply->pid && !reply->has_names) {
		thread->is_answered = true;
		if (!thread->has_comm && reply->has_comm)
			thread_set_comm(thread, reply->comm, strlen(reply->comm));
	}
	if (!process)
		return;
	if (!reply->has_names) {
		apply_uid(process, reply);
		apply_parent(ingest, process, reply);
	}
	if (reply->process_comm[0])
		apply_process_comm(ingest, reply);
	if (reply->wants_cgroup)
		apply_cgroup(ingest, process, reply);
	if (!reply->wants_maps || process->maps_state != MAPS_ASKED)
		return;		/* an exec came in between: the reply is of the past */
	if (!reply->has_maps && reply->parent_pid != process->parent_pid) {
		process->maps_state = MAPS_UNREAD;	/* asked before its fork's turn came */
		return;
	}
	process->maps_state = reply->has_maps ? MAPS_KNOWN : MAPS_MISSED;
	if (reply->has_maps)
		apply_maps(ingest, process, reply);
}
