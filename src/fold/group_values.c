/* group_values.c - see fold/groups.h.
 *
 * An identity hashes the text that the user reads and whatever distinguishes equal names: so a
 * node keeps its id through compactions, and has the same id in another recording.
 */
#include "fold/groups.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "fold/filter.h"

/* Returns a value without text; its identity is constant, too. */
static struct group_value no_value(uint32_t why)
{
	return (struct group_value){ id_map_mix(why), why };
}

bool group_key_is_of_code(enum group_key key)
{
	switch (key) {
	case GROUP_DSO:
	case GROUP_SYMBOL:
	case GROUP_ADDRESS:
	case GROUP_SOURCE:
	case GROUP_PARENT:
		return true;
	default:
		return false;
	}
}

/* Tasks are numbered in the order of their arrival, so the last name of a process wins; names of
 * live threads are newer still. */
int group_sources_name_processes(struct group_sources *sources)
{
	const struct task_table *tasks = sources->tasks;

	for (uint32_t i = 0; i < tasks->task_count; i++) {
		const struct task *task = &tasks->tasks[i];

		if (task->pid == task->tid &&
		    id_map_put(&sources->process_comms, task->pid, task->comm.v))
			return -ENOMEM;
	}
	for (uint32_t i = 0; i < tasks->thread_count; i++) {
		const struct thread *thread = &tasks->threads[i];
		struct str_id comm;

		if (thread->pid != thread->tid || !thread->has_comm)
			continue;
		comm = strpool_intern_passing(sources->names->strings, thread->comm,
					      thread->comm_len);
		if (id_map_put(&sources->process_comms, thread->pid, comm.v))
			return -ENOMEM;
	}
	return 0;
}

static uint64_t hash_of(const struct group_sources *sources, struct str_id text)
{
	return strpool_hash(sources->names->strings, text);
}

/* Returns the comm of the task's process, unless the task is its main thread. */
static uint32_t comm_of_process(const struct group_sources *sources, const struct task *task)
{
	return task->pid == task->tid ? ID_MAP_NONE
				      : id_map_get(&sources->process_comms, task->pid);
}

static struct group_value value_of_thread(const struct group_sources *sources, uint32_t task_id)
{
	const struct task *task = &sources->tasks->tasks[task_id];
	const uint32_t process = comm_of_process(sources, task);
	uint64_t identity = hash_of(sources, task->comm);

	if (process != ID_MAP_NONE)
		identity = id_set_mix(identity, hash_of(sources, (struct str_id){ process }));
	else if (task->pid != task->tid)
		identity = id_set_mix(identity, task->pid);
	return (struct group_value){ identity, task_id };
}

static struct group_value value_of_number(uint32_t number, uint32_t unknown)
{
	return number == unknown ? no_value(GROUP_VALUE_UNKNOWN)
				 : (struct group_value){ number, number };
}

static struct group_value value_of_socket(const struct group_sources *sources, uint32_t cpu)
{
	if (cpu >= sources->socket_count || sources->sockets[cpu] < 0)
		return no_value(GROUP_VALUE_UNKNOWN);
	return value_of_number((uint32_t)sources->sockets[cpu], GROUP_VALUE_NONE);
}

/* Returns the PMU of the CPU. Where a recording has no CPUs its events name the PMU:
 * "cpu_atom/cycles/". */
static size_t find_pmu(const struct group_sources *sources, const struct slice_entry *entry)
{
	const struct core_pmus *pmus = sources->pmus;
	const char *event;

	if (entry->cpu != SLICE_CPU_UNKNOWN || !sources->event_name)
		return core_pmus_of_cpu(pmus, entry->cpu);
	event = sources->event_name(sources->owner, entry->event);
	for (size_t i = 0; i < pmus->count; i++) {
		const size_t len = strlen(pmus->list[i].name);

		if (!strncmp(event, pmus->list[i].name, len) && event[len] == '/')
			return i;
	}
	return CORE_PMU_NONE;
}

static struct group_value value_of_pmu(const struct group_sources *sources,
				       const struct slice_entry *entry)
{
	size_t pmu;

	if (!sources->pmus || !sources->pmus->count)
		return no_value(GROUP_VALUE_NONE);
	pmu = find_pmu(sources, entry);
	if (pmu == CORE_PMU_NONE)
		return no_value(GROUP_VALUE_UNKNOWN);
	return (struct group_value){ filter_hash(sources->pmus->list[pmu].name), (uint32_t)pmu };
}

/* Without a path the value is unknown: /proc was not read yet, or the task ended before. */
static struct group_value value_of_cgroup(const struct group_sources *sources, enum group_key key,
					  uint32_t task)
{
	const struct cgroup_names *names = task_table_cgroup(sources->tasks, task);
	const struct str_id text = key == GROUP_CGROUP ? names->path
				 : key == GROUP_UNIT ? names->unit
				 : key == GROUP_CONTAINER ? names->container : names->pod;

	if (!names->path.v)
		return no_value(GROUP_VALUE_UNKNOWN);
	if (!text.v)
		return no_value(GROUP_VALUE_NONE);
	return (struct group_value){ hash_of(sources, text), text.v };
}

static struct group_value value_of_event(const struct group_sources *sources, uint32_t event)
{
	const char *name = sources->event_name ? sources->event_name(sources->owner, event) : "";

	return (struct group_value){ id_set_mix(filter_hash(name), event), event };
}

static struct group_value value_of_wait(const struct group_sources *sources, enum group_key key,
					const struct slice_entry *entry)
{
	const struct wait_stacks *waits = wait_stacks_of(sources->waits, entry->event);
	const struct wait_tuple *tuple;
	enum wait_state state;
	enum wait_kind kind;

	if (!waits)
		return no_value(GROUP_VALUE_NONE);
	tuple = wait_stacks_tuple(waits, entry);
	kind = wait_stacks_kind(waits, entry);
	state = wait_stacks_state(waits, entry);
	if (key == GROUP_WAIT)
		return (struct group_value){ filter_hash(wait_kind_name(kind)), kind };
	if (key == GROUP_STATE)
		return (struct group_value){ filter_hash(wait_state_name(state)), state };
	return tuple->waker.v ? (struct group_value){ hash_of(sources, tuple->waker),
						      tuple->waker.v }
			      : no_value(GROUP_VALUE_NONE);
}

static struct group_value value_of_hit(const struct group_sources *sources, enum group_key key,
				       const struct slice_entry *entry, uint32_t tuple)
{
	if (!sources->hit_value || tuple == SLICE_TUPLE_NONE)
		return no_value(GROUP_VALUE_NONE);
	return sources->hit_value(sources->owner, tuple, entry->stack, key - GROUP_BY1);
}

struct group_value group_value_of_sample(const struct group_sources *sources, enum group_key key,
					 const struct slice_entry *entry, uint32_t tuple)
{
	const struct task *task = &sources->tasks->tasks[entry->task];

	switch (key) {
	case GROUP_EVENT:
		return value_of_event(sources, entry->event);
	case GROUP_COMM:
		return (struct group_value){ hash_of(sources, task->comm), task->comm.v };
	case GROUP_PID:
		return value_of_number(task->pid, TASK_PID_UNKNOWN);
	case GROUP_TID:
		return value_of_number(task->tid, TASK_PID_UNKNOWN);
	case GROUP_THREAD:
		return value_of_thread(sources, entry->task);
	case GROUP_CGROUP:
	case GROUP_UNIT:
	case GROUP_CONTAINER:
	case GROUP_POD:
		return value_of_cgroup(sources, key, entry->task);
	case GROUP_CPU:
		return value_of_number(entry->cpu, SLICE_CPU_UNKNOWN);
	case GROUP_SOCKET:
		return value_of_socket(sources, entry->cpu);
	case GROUP_PMU:
		return value_of_pmu(sources, entry);
	case GROUP_WAIT:
	case GROUP_STATE:
	case GROUP_WAKER:
		return value_of_wait(sources, key, entry);
	case GROUP_BY1:
	case GROUP_BY2:
	case GROUP_BY3:
	case GROUP_BY4:
		return value_of_hit(sources, key, entry, tuple);
	default:
		return no_value(GROUP_VALUE_UNKNOWN);
	}
}

/* Distinguishes symbols like the rows in fold.c: an address is no name, as several DSOs may have
 * it; symbols that are loading are one per DSO. */
static uint64_t symbol_identity(const struct group_sources *sources, uint32_t id, bool is_of_dso)
{
	const struct symbol *symbol = &sources->names->symbols[id];
	uint64_t identity = id_set_mix(hash_of(sources, symbol->name), symbol->mode);

	if (is_of_dso || symbol->state != SYMBOL_NAMED)
		identity = id_set_mix(id_set_mix(identity, symbol->address),
				      hash_of(sources, symbol->dso_path));
	if (symbol->state == SYMBOL_NO_MAP)	/* another process's is another, whatever it runs */
		identity = id_set_mix(identity, symbol->dso);
	return id_set_mix(identity, symbol->state == SYMBOL_LOADING);
}

static uint64_t dso_identity(const struct group_sources *sources, uint32_t id)
{
	const struct symbol *symbol = &sources->names->symbols[id];

	return id_set_mix(hash_of(sources, symbol->dso_path), symbol->mode);
}

/* "a.h:3 (inlined < caller b.c:12)": the address's own line alone. */
static struct group_value value_of_source(const struct group_sources *sources,
					  const struct group_frame *frame)
{
	const struct source_request of = source_lines_of_frame(sources->names, sources->trie,
							       frame->frame, frame->is_leaf);
	struct source_text text = { "", "" };
	const char *chain;
	struct str_id line;
	uint64_t identity;

	if (sources->lines)
		text = source_lines_find(sources->lines, &of, true);
	if (!text.line[0])
		return no_value(GROUP_VALUE_UNKNOWN);
	chain = strstr(text.line, " (");
	line = strpool_intern(sources->names->strings, text.line,
			      chain ? (size_t)(chain - text.line) : strlen(text.line));
	identity = dso_identity(sources, frame->symbol);
	return (struct group_value){ id_set_mix(identity, hash_of(sources, line)), line.v };
}

struct group_value group_value_of_frame(const struct group_sources *sources, enum group_key key,
					const struct group_frame *frame, bool is_of_dso)
{
	uint64_t identity;

	switch (key) {
	case GROUP_DSO:
		return (struct group_value){ dso_identity(sources, frame->symbol),
					     frame->symbol };
	case GROUP_SYMBOL:
		identity = symbol_identity(sources, frame->symbol, is_of_dso);
		return (struct group_value){ identity, frame->symbol };
	case GROUP_ADDRESS:
		identity = id_set_mix(dso_identity(sources, frame->symbol),
				      sources->trie->frames.address[frame->frame]);
		return (struct group_value){ identity, frame->frame };
	case GROUP_SOURCE:
		return value_of_source(sources, frame);
	case GROUP_PARENT:
		if (frame->caller == ID_SET_NONE)
			return no_value(GROUP_VALUE_NONE);
		identity = symbol_identity(sources, frame->caller, false);
		return (struct group_value){ identity, frame->caller };
	default:
		return no_value(GROUP_VALUE_UNKNOWN);
	}
}

static const char *unknown_text(enum group_key key, uint32_t why)
{
	switch (key) {
	case GROUP_SOURCE:
		return "[no line]";
	case GROUP_UNIT:
		return why == GROUP_VALUE_NONE ? "[no unit]" : "[unknown]";
	case GROUP_CONTAINER:
		return why == GROUP_VALUE_NONE ? "[no container]" : "[unknown]";
	case GROUP_POD:
		return why == GROUP_VALUE_NONE ? "[no pod]" : "[unknown]";
	case GROUP_PMU:
		return why == GROUP_VALUE_NONE ? "[no PMU]" : "[unknown]";
	case GROUP_WAKER:
		return "[no waker]";
	case GROUP_BY1:
	case GROUP_BY2:
	case GROUP_BY3:
	case GROUP_BY4:
		return why == GROUP_VALUE_NONE ? "[none]"
		       : why == GROUP_VALUE_UNKNOWN ? "(other)" : "[empty]";
	default:
		return why == GROUP_VALUE_NONE ? "[none]" : "[unknown]";
	}
}

static void put_code(const struct symbol *symbol, struct group_text *out)
{
	out->dso_path = symbol->dso_path;
	out->mode = symbol->mode;
}

static void put_number(uint32_t number, const char *text, struct group_text *out)
{
	snprintf(out->own, sizeof(out->own), "%s%u", text, number);
	out->number = number;
	out->has_number = true;
}

static void put_dso(const struct symbol *symbol, struct group_text *out)
{
	put_code(symbol, out);
	out->pooled = symbol->dso_name;
	out->name = symbol->dso_path;
}

static void put_symbol(const struct group_sources *sources, uint32_t id, bool is_of_dso,
		       struct group_text *out)
{
	const struct symbol *symbol = &sources->names->symbols[id];

	put_code(symbol, out);
	out->dso = symbol->dso;
	out->address = symbol->address;
	if (symbol->state != SYMBOL_LOADING)
		out->pooled = sources->raw_names ? symbol->name
						 : symbol_names_shown(sources->names, symbol);
	else if (is_of_dso)
		snprintf(out->own, sizeof(out->own), "(loading)");
	else
		snprintf(out->own, sizeof(out->own), "%.*s (loading)", GROUP_TEXT_BYTES - 16,
			 strpool_get(sources->names->strings, symbol->dso_name));
}

static void put_address(const struct group_sources *sources, uint32_t frame,
			struct group_text *out)
{
	const uint32_t id = symbol_names_of_frame(sources->names, sources->trie, frame);

	if (id != ID_SET_NONE)
		put_code(&sources->names->symbols[id], out);
	snprintf(out->own, sizeof(out->own), "0x%llx",
		 (unsigned long long)sources->trie->frames.address[frame]);
}

static void put_process(const struct group_sources *sources, uint32_t pid, struct group_text *out)
{
	const uint32_t comm = id_map_get(&sources->process_comms, pid);

	put_number(pid, "", out);
	if (comm != ID_MAP_NONE)
		snprintf(out->own, sizeof(out->own), "%u %s", pid,
			 strpool_get(sources->names->strings, (struct str_id){ comm }));
}

static void put_thread(const struct group_sources *sources, uint32_t task_id,
		       struct group_text *out)
{
	const struct task *task = &sources->tasks->tasks[task_id];
	const struct strpool *strings = sources->names->strings;
	const uint32_t process = comm_of_process(sources, task);

	if (process != ID_MAP_NONE)
		snprintf(out->own, sizeof(out->own), "%s of %s", strpool_get(strings, task->comm),
			 strpool_get(strings, (struct str_id){ process }));
	else if (task->pid != task->tid && task->pid != TASK_PID_UNKNOWN)
		snprintf(out->own, sizeof(out->own), "%s of pid %u",
			 strpool_get(strings, task->comm), task->pid);
	else
		out->pooled = task->comm;
}

static void put_value(const struct group_sources *sources, enum group_key key, uint32_t of,
		      bool is_of_dso, struct group_text *out)
{
	switch (key) {
	case GROUP_EVENT:
		snprintf(out->own, sizeof(out->own), "%s",
			 sources->event_name ? sources->event_name(sources->owner, of) : "");
		out->number = of;
		break;
	case GROUP_PID:
		put_process(sources, of, out);
		break;
	case GROUP_TID:
		put_number(of, "", out);
		break;
	case GROUP_THREAD:
		put_thread(sources, of, out);
		break;
	case GROUP_CPU:
		put_number(of, "CPU ", out);
		break;
	case GROUP_SOCKET:
		snprintf(out->own, sizeof(out->own), "socket %u", of);
		break;
	case GROUP_PMU:
		snprintf(out->own, sizeof(out->own), "%s", sources->pmus->list[of].name);
		break;
	case GROUP_WAIT:
		snprintf(out->own, sizeof(out->own), "%s", wait_kind_name((enum wait_kind)of));
		break;
	case GROUP_STATE:
		snprintf(out->own, sizeof(out->own), "%s", wait_state_name((enum wait_state)of));
		break;
	case GROUP_BY1:
	case GROUP_BY2:
	case GROUP_BY3:
	case GROUP_BY4:
		out->pooled = out->name = sources->hit_text(sources->owner, of, key - GROUP_BY1);
		break;
	case GROUP_DSO:
		put_dso(&sources->names->symbols[of], out);
		break;
	case GROUP_SYMBOL:
		put_symbol(sources, of, is_of_dso, out);
		out->name = sources->names->symbols[of].name;
		break;
	case GROUP_PARENT:
		put_symbol(sources, of, false, out);
		break;
	case GROUP_ADDRESS:
		put_address(sources, of, out);
		break;
	case GROUP_SOURCE:
		out->pooled = (struct str_id){ of };
		break;
	default:	/* keys of tasks that are names */
		out->pooled = out->name = (struct str_id){ of };
		break;
	}
}

void group_value_text(const struct group_sources *sources, enum group_key key,
		      struct group_value value, bool is_of_dso, struct group_text *out)
{
	out->pooled = out->dso_path = out->name = (struct str_id){ 0 };
	out->own[0] = '\0';
	out->number = group_key_is_by(key) ? value.identity : 0;
	out->has_number = false;
	out->mode = MODE_UNKNOWN;
	out->address = 0;
	out->dso = UINT32_MAX;
	out->is_unknown = value.of >= GROUP_VALUE_UNKNOWN;
	if (!out->is_unknown)
		put_value(sources, key, value.of, is_of_dso, out);
	if (!out->own[0] && !strpool_get(sources->names->strings, out->pooled)[0]) {
		snprintf(out->own, sizeof(out->own), "%s", unknown_text(key, value.of));
		out->is_unknown = true;		/* a program can call itself nothing, too */
	}
}
