/* ingest_samples.c - samples in time order -> entries of the timeline.
 *
 * Problem: a process that ran before flametop has neither maps nor comm until /proc was read, which
 * may be slow. Idea: a request is sent to the reader when the record arrives (it still has a round
 * to wait in the reorder stage), and the sample is parked for a second at most; then it is
 * counted with what is known. If name or maps are missing, because /proc was too slow or the
 * process had ended, it is also counted as "unattributed".
 *
 * A stack may need a table that is still being built. Live, the sample is parked, too, with maps
 * and name as of its own time, so that an exec in between can't change them. A recording is read
 * faster than tables come, and parking would fill the memory: there all later records are held.
 * Samples that need callers from a worker are parked in both cases.
 */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ingest/ingest.h"

/* With hundreds of runnable threads the process reader gets a CPU only after half a second. */
#define ANSWER_WAIT_NS	 (CLOCK_NS_PER_S)
/* At the start the tables of all running programs are requested at once, after the kernel's names,
 * which take 100 ms alone and 300 ms on a busy machine; under ThreadSanitizer all of it takes over
 * half a second. */
#define TABLE_WAIT_NS	 (2 * CLOCK_NS_PER_S)
/* Interval at which the cgroup of a sampled process is read again: reading costs 15 us. */
#define CGROUP_HOLDS_NS	 (10 * CLOCK_NS_PER_S)
#define PARKED_MUCH_BYTES (2u * 1024 * 1024)

/* Pid UINT32_MAX, the kernel's "none", has nothing in /proc. */
static enum attribution attribution_of(const struct ingest *ingest, const struct process *process,
				       const struct thread *thread)
{
	if (!ingest->reader || process->pid == UINT32_MAX ||
	    (process->maps_state == MAPS_KNOWN && thread->has_comm))
		return ATTRIBUTED;
	if (process->maps_state == MAPS_UNREAD || process->maps_state == MAPS_ASKED ||
	    !(thread->is_answered || thread->has_comm))
		return UNATTRIBUTED_LATE;
	return process->parent_pid ? UNATTRIBUTED_ENDED : UNATTRIBUTED_FORKLESS;
}

void ingest_count_attribution(struct ingest *ingest, enum attribution attribution)
{
	struct ingest_counters *counters = &ingest->counters;

	counters->unattributed += attribution != ATTRIBUTED;
	counters->unattributed_late += attribution == UNATTRIBUTED_LATE;
	counters->unattributed_forkless += attribution == UNATTRIBUTED_FORKLESS;
}

/* Adds to totals and log. Samples of the idle task are not busy time, but its probe hits are. */
static void note_counted(struct ingest *ingest, const struct sample_form *form,
			 const struct slice_entry *entry)
{
	const struct task *task = &ingest->tasks.tasks[entry->task];

	tick_totals_add(&ingest->timeline.totals, entry->event, form->time_ns, entry->count,
			form->is_hit || task->pid);
	if (form->number)
		ingest_hit_stack(ingest, form, entry->stack);
}

static void count(struct ingest *ingest, const struct event_record *record,
		  const struct sample_origin *origin, struct sample_stack *stack)
{
	const struct sample_form *form = origin->form;
	struct slice_entry entry = {
		.task = task_table_task(&ingest->tasks, origin->thread), .count = 1,
		.bucket = form->bucket,
		.weight = form->is_hit ? 1 : record->sample.period,
	};

	slice_entry_set_event(&entry, form->event);
	slice_entry_set_cpu(&entry, record->has_cpu, record->cpu);
	ingest_count_attribution(ingest, origin->attribution);
	stack->id = ID_SET_NONE;
	if (stack->leaf != ID_SET_NONE && stack->node != ID_SET_NONE)
		stack->id = stack_trie_stack(&ingest->trie, stack->node, stack->leaf);
	entry.stack = stack->id;
	if (entry.stack == ID_SET_NONE || entry.task == ID_SET_NONE ||
	    timeline_add(&ingest->timeline, form->time_ns, &entry, &stack->counts)) {
		ingest->counters.dropped_no_memory++;
	} else {
		note_counted(ingest, form, &entry);
		if (form->is_hit)
			ingest_line_counted(ingest, form->line, &entry);
		else
			ingest_hit_fields(ingest, record, &entry);
	}
	stack_counts_add(&ingest->counters.stacks, &stack->counts);
}

/* Counts a sample. False, only if @may_wait: a table or callers have not arrived. */
static bool count_stack(struct ingest *ingest, const struct event_record *record,
			const struct sample_origin *origin, bool may_wait,
			struct sample_stack *stack)
{
	if (!ingest_stack(ingest, record, origin, may_wait, stack))
		return false;
	count(ingest, record, origin, stack);
	return true;
}

/* False: filtered out by -u, or no target where there are too many threads for an event each. */
static bool is_wanted(struct ingest *ingest, const struct process *process,
		      const struct thread *thread)
{
	const struct ingest_config *config = &ingest->config;

	if (config->has_task_filter &&
	    !(config->target_tid_count ? thread->is_target : process->is_target))
		return false;
	if (!config->has_uid_filter)
		return true;
	if (!process->has_uid)
		ingest->counters.filtered_unknown_uid++;
	return process->has_uid && process->uid == config->uid;
}

/* Whether the uid must be read first: samples from its due time on get the uid in the reply. */
static bool needs_user(const struct ingest *ingest, const struct process *process,
		       uint64_t time_ns)
{
	return ingest->config.has_uid_filter &&
	       (process->is_uid_asked || time_ns >= process_uid_due_ns(process));
}

/* Whether a sample at @time_ns needs something from /proc that has not been read yet. */
static bool needs_answer(const struct ingest *ingest, const struct process *process,
			 const struct thread *thread, uint64_t time_ns)
{
	if (!ingest->reader || process->pid == UINT32_MAX)
		return false;
	return process->maps_state == MAPS_UNREAD || process->maps_state == MAPS_ASKED ||
	       (!thread->is_answered && !thread->has_comm) ||
	       needs_user(ingest, process, time_ns);
}

static bool is_cgroup_open(const struct ingest *ingest, const struct process *process)
{
	return ingest->reader && process->pid && process->pid != UINT32_MAX &&
	       !process->is_cgroup_read;
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

	return ingest->reader && ingest->config.has_uid_filter && due_ns ? due_ns - 1 : UINT64_MAX;
}

/* Time until which @thread needs no request, if nothing else happens; 0: it needs one now. */
static uint64_t asks_nothing_until(const struct ingest *ingest, const struct process *process,
				   const struct thread *thread, uint64_t time_ns)
{
	const uint64_t user_ns = user_holds_until(ingest, process);
	const uint64_t cgroup_ns = process->cgroup_ns + CGROUP_HOLDS_NS;

	if (needs_answer(ingest, process, thread, time_ns))
		return 0;
	if (process->is_cgroup_asked)
		return user_ns;
	if (is_cgroup_open(ingest, process))
		return 0;
	return process->is_cgroup_read && cgroup_ns < user_ns ? cgroup_ns : user_ns;
}

/* Whether its FORK, which has its turn first, gives it the parent's maps and name. */
static bool will_inherit(const struct ingest *ingest, const struct process *process)
{
	const struct process *parent =
		process->is_fork_seen ? task_table_find_process(&ingest->tasks, process->parent_pid)
				      : NULL;
	const struct thread *first =
		parent ? task_table_find_thread(&ingest->tasks, parent->pid) : NULL;

	return first && first->has_comm && parent->maps_state == MAPS_KNOWN;
}

static void ask(struct ingest *ingest, struct process *process, struct thread *thread,
		uint64_t now_ns)
{
	const bool is_waited_for = needs_answer(ingest, process, thread, now_ns) &&
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
		ask(ingest, process, thread, now_ns);
}

void ingest_look_ahead(struct ingest *ingest, const struct event_record *record)
{
	struct process *process;
	struct thread *thread;
	uint32_t parent_pid;

	if (!ingest->reader)
		return;
	if (record->kind == RECORD_SAMPLE && ingest_repeat_saw(ingest, record))
		return;
	if (record->kind != RECORD_SAMPLE)
		ingest_repeat_forget(ingest);
	if (record->kind == RECORD_FORK && record->pid != record->task.parent_pid)
		task_table_see_fork(&ingest->tasks, record->task.parent_pid, record->pid);
	else if (record->kind == RECORD_COMM && record->comm.is_exec)
		task_table_see_exec(&ingest->tasks, record->pid);
	if (record->kind != RECORD_SAMPLE)
		return;
	process = task_table_process(&ingest->tasks, record->pid);
	thread = task_table_thread(&ingest->tasks, record->pid, record->tid);
	if (!process || !thread)
		return;
	parent_pid = process->maps_state == MAPS_UNREAD ? process->parent_pid : 0;
	ask(ingest, process, thread, record->time_ns);
	if (parent_pid)
		ask_parent(ingest, parent_pid, record->time_ns);
}

static struct parked_sample *park(struct ingest *ingest, const struct event_record *record,
				  const struct sample_form *form, const void *raw, size_t size)
{
	struct parked_sample *slot;

	if (ingest->parked_bytes + size > INGEST_PARKED_BYTES_MAX)
		return NULL;
	if (ingest->parked_count == ingest->parked_capacity) {
		uint32_t capacity = ingest->parked_capacity ? ingest->parked_capacity * 2 : 64;

		slot = realloc(ingest->parked, capacity * sizeof(*slot));
		if (!slot)
			return NULL;
		ingest->parked = slot;
		ingest->parked_capacity = capacity;
	}
	slot = &ingest->parked[ingest->parked_count];
	*slot = (struct parked_sample){
		.bytes = malloc(size), .size = (uint32_t)size, .form = *form,
		.deadline_ns = clock_now_ns() + ANSWER_WAIT_NS,
	};
	if (!slot->bytes)
		return NULL;
	memcpy(slot->bytes, raw, size);
	if (form->line)
		form->line->is_parked = true;
	ingest_hit_calls(ingest, record, &slot->calls);
	ingest->parked_bytes += size;
	ingest->parked_much |= ingest->parked_bytes > PARKED_MUCH_BYTES;
	ingest->parked_count++;
	return slot;
}

static void wait_for_callers(struct ingest *ingest, struct parked_sample *parked,
			     const struct event_record *record)
{
	struct ingest_rare *rare = &ingest->rare;

	parked->callers.ticket = ++rare->last_ticket;
	if (!rare->waiting++)
		rare->slice = record->time_ns / SLICE_NS;
}

static void wait_for_stack(struct ingest *ingest, struct parked_sample *parked,
			   const struct event_record *record, const struct sample_origin *origin)
{
	parked->tables = ingest->stacks.last_tables;
	parked->has_news = false;
	parked->callers = *origin->callers;
	if (parked->callers.state == CALLERS_WANTED)
		wait_for_callers(ingest, parked, record);
	if (parked->maps)
		return;
	parked->maps = address_map_share(origin->maps);
	/* In a replay a deadline would make the counts depend on timing. */
	parked->deadline_ns = ingest->config.is_replay ? UINT64_MAX
						       : clock_now_ns() + TABLE_WAIT_NS;
	parked->thread = *origin->thread;
	parked->thread.task = ID_SET_NONE;	/* tasks may be renumbered meanwhile */
	parked->attribution = origin->attribution;
}

void ingest_park_finish(struct ingest *ingest, struct parked_sample *parked)
{
	const struct sample_callers *callers = &parked->callers;

	if (callers->state == CALLERS_WANTED || callers->state == CALLERS_ASKED)
		ingest->rare.waiting--;
	if (parked->form.line && !parked->form.line->is_counted)
		event_lines_destroy(&ingest->lines, parked->form.line);
	ingest->parked_bytes -= parked->size;
	free(parked->calls.list);
	free(parked->callers.frames);
	address_map_release(parked->maps);
	free(parked->bytes);
}

/* Sets the thread's cgroup: live, the one from /proc; in a replay, the sample's, if it has one. */
static void place_thread(struct ingest *ingest, const struct event_record *record,
			 struct process *process, struct thread *thread)
{
	if (!ingest->reader && record->sample.has_cgroup) {
		const uint32_t known =
			id_map_get(&ingest->recorded_cgroups, record->sample.cgroup);

		process->cgroup = known == ID_MAP_NONE ? CGROUP_UNKNOWN : known;
	}
	thread_set_cgroup(thread, process->cgroup, is_cgroup_open(ingest, process));
}

bool ingest_sample(struct ingest *ingest, const struct event_record *record,
		   const struct sample_form *form, const void *raw, size_t size, bool can_hold)
{
	struct process *process = task_table_process(&ingest->tasks, record->pid);
	struct thread *thread = task_table_thread(&ingest->tasks, record->pid, record->tid);
	struct sample_callers callers = { .state = CALLERS_UNASKED };
	struct sample_origin origin = { .thread = thread, .callers = &callers, .form = form };
	struct parked_sample *parked;
	struct sample_stack stack;

	if (!process || !thread) {
		ingest->counters.dropped_no_memory++;
		return true;
	}
	if (task_is_own(process, thread, record->time_ns)) {
		ingest->counters.left_out_own++;
		return true;
	}
	ask(ingest, process, thread, record->time_ns);
	if (needs_answer(ingest, process, thread, record->time_ns) &&
	    park(ingest, record, form, raw, size))
		return true;
	if (!form->is_hit && !is_wanted(ingest, process, thread))
		return true;
	place_thread(ingest, record, process, thread);
	origin.maps = process->maps;
	origin.attribution = attribution_of(ingest, process, thread);
	if (thread->task == ID_SET_NONE)	/* it was renamed, or is another one */
		ingest_repeat_forget(ingest);
	if (count_stack(ingest, record, &origin, !ingest->is_forced, &stack)) {
		ingest_repeat_learn(ingest, record, &origin, &stack,
				    asks_nothing_until(ingest, process, thread,
						       record->time_ns));
		return true;
	}
	if (can_hold && callers.state != CALLERS_WANTED)
		return false;
	parked = park(ingest, record, form, raw, size);
	if (parked)
		wait_for_stack(ingest, parked, record, &origin);
	else
		count_stack(ingest, record, &origin, false, &stack);
	return true;
}

/* Counts a sample that waits for its process. False: it goes on waiting, maybe for its stack. */
static bool unpark_for_answer(struct ingest *ingest, struct parked_sample *parked,
			      const struct event_record *record, bool is_due)
{
	struct process *process = task_table_process(&ingest->tasks, record->pid);
	struct thread *thread = task_table_thread(&ingest->tasks, record->pid, record->tid);
	struct sample_origin origin = { .thread = thread, .callers = &parked->callers,
					.calls = &parked->calls, .form = &parked->form };
	struct sample_stack stack;

	if (!process || !thread) {
		ingest->counters.dropped_no_memory++;
		return true;
	}
	ask(ingest, process, thread, record->time_ns);
	if (!is_due && needs_answer(ingest, process, thread, record->time_ns))
		return false;
	if (task_is_own(process, thread, record->time_ns)) {
		ingest->counters.left_out_own++;
		return true;
	}
	if (!parked->form.is_hit && !is_wanted(ingest, process, thread))
		return true;
	place_thread(ingest, record, process, thread);
	origin.maps = process->maps;
	origin.attribution = attribution_of(ingest, process, thread);
	if (count_stack(ingest, record, &origin, !is_due, &stack))
		return true;
	wait_for_stack(ingest, parked, record, &origin);
	return false;
}

/* Updates the cgroup, which may have been read while the sample waited for something else. */
static void settle_parked(const struct ingest *ingest, struct thread *thread)
{
	const struct process *process = task_table_find_process(&ingest->tasks, thread->pid);

	if (thread->is_cgroup_open && process && process->is_cgroup_read)
		thread_set_cgroup(thread, process->cgroup, false);
}

static bool unpark_for_stack(struct ingest *ingest, struct parked_sample *parked,
			     const struct event_record *record, bool is_due)
{
	const struct sample_origin origin = {
		.thread = &parked->thread, .maps = parked->maps,
		.attribution = parked->attribution,
		.callers = &parked->callers, .calls = &parked->calls, .form = &parked->form,
	};
	struct sample_stack stack;

	settle_parked(ingest, &parked->thread);
	if (count_stack(ingest, record, &origin, !is_due, &stack))
		return true;
	wait_for_stack(ingest, parked, record, &origin);
	return false;
}

static bool has_what_it_waits_for(const struct ingest *ingest, const struct parked_sample *parked)
{
	if (parked->callers.state == CALLERS_WANTED || parked->callers.state == CALLERS_ASKED)
		return false;
	return parked->has_news || parked->tables != ingest->stacks.last_tables;
}

/* Counts the parked sample if what it waits for is there, or has been waited for long enough. */
static bool unpark(struct ingest *ingest, struct parked_sample *parked, bool is_due)
{
	struct event_record record;

	if (!is_due && parked->maps && !has_what_it_waits_for(ingest, parked))
		return false;
	if (record_parse(&parked->form.format, parked->bytes, parked->size, &record))
		return true;	/* can't be: it was parsed before */
	return parked->maps ? unpark_for_stack(ingest, parked, &record, is_due)
			    : unpark_for_answer(ingest, parked, &record, is_due);
}

/* Parked records lie between memory in use, so free() alone returns none of it to the system. */
static void give_memory_back(struct ingest *ingest)
{
	if (!ingest->parked_much || ingest->parked_count)
		return;
	ingest->parked_much = false;
	malloc_trim(0);
}

void ingest_parked(struct ingest *ingest, bool force)
{
	const uint64_t now_ns = ingest->parked_count ? clock_now_ns() : 0;
	uint32_t kept = 0;

	ingest->parked_due_ns = UINT64_MAX;
	for (uint32_t i = 0; i < ingest->parked_count; i++) {
		struct parked_sample *parked = &ingest->parked[i];

		if (unpark(ingest, parked, force || now_ns >= parked->deadline_ns)) {
			ingest_park_finish(ingest, parked);
			continue;
		}
		if (parked->deadline_ns < ingest->parked_due_ns)
			ingest->parked_due_ns = parked->deadline_ns;
		ingest->parked[kept++] = *parked;
	}
	ingest->parked_count = kept;
	give_memory_back(ingest);
}
