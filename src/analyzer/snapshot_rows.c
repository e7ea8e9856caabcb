/* snapshot_rows.c - see snapshot_rows.h. */
#include "snapshot_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"
#include "fold/filter.h"
#include "fold/fold.h"

static void snapshot_text_finish(struct snapshot_text *block)
{
	free(block->bytes);
	id_map_finish(&block->of_string);
	id_map_finish(&block->of_process);
	id_map_finish(&block->of_dso);
	id_map_finish(&block->of_event);
	memset(block, 0, sizeof(*block));
}

/* Room for @room more bytes. */
static bool reserve(struct snapshot_text *block, size_t room)
{
	const size_t capacity = (block->capacity + room) * 2;
	char *bigger;

	if (block->capacity - block->used >= room)
		return true;
	bigger = realloc(block->bytes, capacity);
	block->is_out_of_memory |= !bigger;
	if (!bigger)
		return false;
	block->bytes = bigger;
	block->capacity = capacity;
	return true;
}

size_t snapshot_text_put(struct snapshot_text *block, const char *text)
{
	const size_t room = text ? 12 * strlen(text) + 1 : 1;	/* the worst: "<U+NNNN>" per byte */
	const size_t at = block->used;

	if (!reserve(block, room))
		return 0;
	block->used += 1 + (text ? sanitize_text(block->bytes + at, room, text, strlen(text)) : 0);
	block->bytes[block->used - 1] = '\0';
	return at;
}

/* Adds a copy of text that is sanitized already. */
static size_t put_clean(struct snapshot_text *block, const char *text)
{
	const size_t room = strlen(text) + 1, at = block->used;

	if (!reserve(block, room))
		return 0;
	memcpy(block->bytes + at, text, room);
	block->used += room;
	return at;
}

size_t snapshot_text_put_lines(struct snapshot_text *block, const char *lines)
{
	char line[1024];
	size_t at = snapshot_text_put(block, "");

	for (size_t len; lines && *lines; lines += len + (lines[len] == '\n')) {
		len = strcspn(lines, "\n");
		if (block->is_out_of_memory)
			return 0;
		snprintf(line, sizeof(line), "%.*s", (int)len, lines);
		block->bytes[block->used - 1] = '\n';	/* in place of the terminator before */
		snapshot_text_put(block, line);
	}
	return at + (block->bytes && block->bytes[at] == '\n');
}

size_t snapshot_text_put_string(struct snapshot_text *block, const struct strpool *strings,
				struct str_id id)
{
	uint32_t at = id_map_get(&block->of_string, id.v);

	if (at != ID_MAP_NONE)
		return at;
	at = (uint32_t)put_clean(block, strpool_get(strings, id));
	id_map_put(&block->of_string, id.v, at);
	return at;
}

#define KEYS_CODE (KEY_DSO | KEY_SYMBOL | KEY_ADDRESS)

/* Adds a command line once per process, as all its threads share it. */
static size_t put_command_line(struct snapshot_text *block, const struct task_stat *process)
{
	uint32_t at = id_map_get(&block->of_process, process->pid);

	if (at != ID_MAP_NONE)
		return at;
	at = (uint32_t)snapshot_text_put(block, process->command_line);
	id_map_put(&block->of_process, process->pid, at);
	return at;
}

/* Adds a build-id once per DSO, as many symbols share it. */
static size_t put_build_id(struct snapshot_text *block, uint32_t id,
			   const struct build_id *build_id)
{
	uint32_t at = id_map_get(&block->of_dso, id);
	char hex[BUILD_ID_HEX_BYTES];

	if (at != ID_MAP_NONE)
		return at;
	at = (uint32_t)snapshot_text_put(block, build_id_format(build_id, hex));
	id_map_put(&block->of_dso, id, at);
	return at;
}

/* Adds an event's name once, as many rows share it. */
static size_t put_event(struct snapshot_text *block, const struct row_sources *sources,
			uint32_t event)
{
	uint32_t at = id_map_get(&block->of_event, event);

	if (at != ID_MAP_NONE)
		return at;
	at = (uint32_t)snapshot_text_put(block, sources->event_name(sources->owner, event));
	id_map_put(&block->of_event, event, at);
	return at;
}

/* Returns an id that is equal for equal keys in every snapshot: made of no ids that compaction may
 * change. */
static uint64_t row_id(const struct fold *fold, const struct row_sources *sources,
		       const struct fold_row *row)
{
	const struct symbol *symbol = &fold->names->symbols[row->symbol];
	const struct strpool *strings = fold->names->strings;
	const struct str_id comm = { row->key.comm };
	uint64_t id = row->is_idle;

	if (fold->keys & KEYS_CODE)
		id = id_set_mix(id, symbol->mode);
	if (fold->keys & KEY_SYMBOL)
		id = id_set_mix(id, strpool_hash(strings, symbol->name));
	if (fold->keys & KEY_DSO)
		id = id_set_mix(id, strpool_hash(strings, symbol->dso_path));
	if ((fold->keys & KEY_SYMBOL) && (fold->keys & KEY_DSO || symbol_is_bare(symbol)))
		id = id_set_mix(id_set_mix(id, symbol->address), symbol->dso);
	if (fold->keys & KEY_COMM)
		id = id_set_mix(id, strpool_hash(strings, comm));
	if (fold->keys & KEY_FROM)
		id = id_set_mix(id, id_set_mix(row->key.from, row->key.from_dso));
	if (fold->keys & KEY_EVENT)
		id = id_set_mix(id, filter_hash(sources->event_name(sources->owner,
								    (uint32_t)row->key.event)));
	return id_set_mix(id_set_mix(id, row->key.address),
			  id_set_mix((uint64_t)row->key.pid << 32 | row->key.tid,
				     row->key.cpu_and_idle));
}

/* Returns the id of a process's row, independent of which threads have samples. */
static uint64_t group_id(const struct fold_row *row)
{
	return id_set_mix(id_set_mix(KEY_GROUP, row->is_idle), row->key.pid);
}

static int64_t part_or_none(uint32_t part)
{
	return part == FOLD_MIXED || part == FOLD_NONE ? -1 : (int64_t)part;
}

/* True if an EXIT record is newer than the reading of /proc, which was a refresh ago. */
static bool has_ended_since(const struct fold *fold, const struct snapshot_row *row,
			    bool is_thread, uint64_t read_ns)
{
	const struct process *process = task_table_find_process(fold->tasks, (uint32_t)row->pid);
	const struct thread *thread = task_table_find_thread(fold->tasks, (uint32_t)row->tid);

	if (is_thread)
		return thread && !thread->is_alive && thread->ended_ns > read_ns;
	return process && !process->is_alive && process->ended_ns > read_ns;
}

/* Adds the stats from /proc for the row's task. */
static void put_task(struct snapshot_rows *list, struct snapshot_row *row,
		     struct snapshot_row_text *text)
{
	const struct task_stats *tasks = list->sources->tasks;
	const bool is_thread = (list->fold->keys & KEY_TID) && row->tid > 0;
	const struct task_stat *process = task_stats_find(tasks, (uint32_t)row->pid, 0);
	const struct task_stat *own = process;

	if (is_thread)
		own = task_stats_find(tasks, (uint32_t)row->pid, (uint32_t)row->tid);
	if (process && process->command_line)
		text->command_line = put_command_line(&list->block, process);
	if (list->sources->is_past)
		return;
	if (has_ended_since(list->fold, row, is_thread, own ? own->time_ns : 0)) {
		row->task_state = 'X';
	} else if (own) {
		row->task_state = own->state;
		row->cpu_pct = own->cpu_pct;
		row->threads = is_thread ? 0 : own->threads;
	}
}

static void put_cgroup(struct snapshot_rows *list, const struct snapshot_row *row,
		       const struct fold_row *from, struct snapshot_row_text *text)
{
	const struct task_table *tasks = list->fold->tasks;
	const struct process *process = task_table_find_process(tasks, (uint32_t)row->pid);
	const struct strpool *strings = list->fold->names->strings;
	const struct cgroup_names *names;
	uint32_t cgroup = from->cgroup;

	if (cgroup == FOLD_NONE)
		return;
	if (cgroup == FOLD_MIXED && row->pid >= 0 && process)
		cgroup = process->cgroup;
	else if (cgroup == FOLD_MIXED)
		cgroup = from->task == FOLD_NONE ? CGROUP_UNKNOWN
						 : tasks->tasks[from->task].cgroup;
	names = cgroup_table_get(&tasks->cgroups, cgroup);
	text->cgroup = snapshot_text_put_string(&list->block, strings, names->path);
	text->unit = snapshot_text_put_string(&list->block, strings, names->unit);
	text->container = snapshot_text_put_string(&list->block, strings, names->container);
	text->pod = snapshot_text_put_string(&list->block, strings, names->pod);
}

static void put_load(struct snapshot_rows *list, struct snapshot_row *row,
		     struct snapshot_row_text *text)
{
	const struct row_sources *sources = list->sources;
	const unsigned int keys = list->fold->keys;

	if ((keys & ~(unsigned int)KEY_EVENT) == KEY_CPU && sources->busy && row->cpu >= 0)
		row->busy_pct = busy_cpu_pct(sources->busy, (uint32_t)row->cpu, sources->since_ns,
					     sources->until_ns);
	if ((keys & (KEY_PID | KEY_TID)) && sources->tasks && row->pid > 0)
		put_task(list, row, text);
}

/* A task that became another program has samples under both names: adds its present name, or one of
 * them if it ended long ago. */
static size_t put_present_comm(struct snapshot_rows *list, uint32_t tid,
			       const struct fold_row *from)
{
	const struct fold *fold = list->fold;
	const struct thread *thread = task_table_find_thread(fold->tasks, tid);
	char comm[THREAD_COMM_BYTES + 1] = "";

	if (thread && thread->has_comm) {
		memcpy(comm, thread->comm, thread->comm_len);
		return snapshot_text_put(&list->block, comm);
	}
	if (from->task == FOLD_NONE)
		return 0;
	return snapshot_text_put_string(&list->block, fold->names->strings,
					fold->tasks->tasks[from->task].comm);
}

/* Returns the text of @symbol, as rows show it. */
static size_t put_shown(struct snapshot_rows *list, const struct symbol *symbol)
{
	const struct strpool *strings = list->fold->names->strings;

	return snapshot_text_put_string(&list->block, strings,
					list->sources->raw_names
					? symbol->name
					: symbol_names_shown(list->fold->names, symbol));
}

static void put_symbol(struct snapshot_rows *list, const struct symbol *symbol,
		       struct snapshot_row *row, struct snapshot_row_text *text)
{
	const struct strpool *strings = list->fold->names->strings;

	text->raw_symbol = snapshot_text_put_string(&list->block, strings, symbol->name);
	text->symbol = text->raw_symbol;
	if (!list->sources->raw_names)
		text->symbol = put_shown(list, symbol);
	row->is_synthetic = symbol->is_synthetic;
}

static void put_source(struct snapshot_rows *list, const struct symbol *symbol,
		       struct snapshot_row *row, struct snapshot_row_text *text)
{
	const struct source_request of = { row->address, symbol->dso };
	struct source_text source;

	row->dso_id = symbol->dso;
	if (!list->sources->lines)
		return;
	source = source_lines_find(list->sources->lines, &of, list->fold->keys & KEY_ADDRESS);
	if (source.line[0])
		text->source = snapshot_text_put(&list->block, source.line);
	else if (source.reason[0])
		text->source_reason = snapshot_text_put(&list->block, source.reason);
}

static uint64_t offset_of(const struct symbol *symbol, uint64_t address)
{
	return symbol->state == SYMBOL_NAMED ? address - symbol->address : 0;
}

static void put_from(struct snapshot_rows *list, const struct fold_row *from,
		     struct snapshot_row *row, struct snapshot_row_text *text)
{
	const struct symbol *symbol;

	row->predicted = from->predicted;
	row->mispredicted = from->mispredicted;
	if (from->from_symbol == ID_SET_NONE)
		return;
	symbol = &list->fold->names->symbols[from->from_symbol];
	row->from_address = from->key.from;
	row->from_offset = offset_of(symbol, from->key.from);
	row->from_mode = symbol->mode;
	row->is_from_named = symbol->state == SYMBOL_NAMED;
	text->from_symbol = put_shown(list, symbol);
	text->from_dso_path = snapshot_text_put_string(&list->block, list->fold->names->strings,
						  symbol->dso_path);
}

static double whole_of(const struct fold *fold, const struct fold_row *row, bool is_relative)
{
	const struct fold_whole *whole = &fold->wholes[row->key.event];

	return is_relative ? whole->shown_weight : whole->weight;
}

/* Adds the event of rows of several. */
static void put_event_of(struct snapshot_rows *list, const struct fold_row *from,
			 struct snapshot_row *row, struct snapshot_row_text *text)
{
	const struct row_sources *sources = list->sources;

	row->event_index = (uint32_t)from->key.event;
	row->whole = whole_of(list->fold, from, sources->is_relative);
	if (sources->base)
		row->base_whole = whole_of(sources->base, from, sources->is_relative);
	text->event = put_event(&list->block, sources, row->event_index);
}

/* Adds the names of the values that have a bit in @set. Returns their offset. */
static size_t put_names(struct snapshot_text *block, uint32_t set, uint32_t count,
			const char *(*name_of)(uint32_t value))
{
	char names[256] = "";
	size_t used = 0;

	for (uint32_t value = 0; value < count; value++)
		if (set & 1u << value && used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
						 used ? ", " : "", name_of(value));
	return snapshot_text_put(block, names);
}

static const char *name_of_kind(uint32_t kind)
{
	return wait_kind_name((enum wait_kind)kind);
}

static const char *name_of_state(uint32_t state)
{
	return wait_state_name((enum wait_state)state);
}

static void put_wait(struct snapshot_rows *list, const struct fold_row *from,
		     struct snapshot_row_text *text)
{
	/* Beside its time there is what that time was for. */
	const uint16_t kinds = from->self_wait_kinds ? from->self_wait_kinds : from->wait_kinds;

	if (!kinds)
		return;
	text->wait = put_names(&list->block, kinds, WAIT_KINDS, name_of_kind);
	text->wait_state = put_names(&list->block, from->wait_states, WAIT_STATES, name_of_state);
	if (from->waker != FOLD_MIXED)
		text->waker = snapshot_text_put_string(&list->block, list->fold->names->strings,
						       (struct str_id){ from->waker });
}

static void fill_row(struct snapshot_rows *list, const struct fold_row *from)
{
	const struct fold *fold = list->fold;
	struct snapshot_text *block = &list->block;
	struct snapshot_row_text *text = &list->texts[list->count];
	struct snapshot_row *row = &list->rows[list->count++];
	const struct symbol *symbol = &fold->names->symbols[from->symbol];
	const struct dso *dso = &fold->names->dsos->dsos[symbol->dso];
	const struct strpool *strings = fold->names->strings;

	*row = (struct snapshot_row){
		.id = row_id(fold, list->sources, from), .tasks = from->tasks,
		.is_idle = from->is_idle, .now = from->stats,
		.pid = part_or_none(from->pid), .tid = part_or_none(from->tid),
		.cpu = from->cpu == SLICE_CPU_UNKNOWN ? -1 : part_or_none(from->cpu),
		.mode = fold->keys & KEYS_CODE ? symbol->mode : MODE_UNKNOWN,
		.state = SYMBOL_NAMED, .cpu_pct = -1, .busy_pct = -1,
		.dso_id = UINT32_MAX,
	};
	if (fold->keys & KEY_EVENT)
		put_event_of(list, from, row, text);
	if (fold->keys & (KEY_SYMBOL | KEY_ADDRESS)) {
		row->address = fold->keys & KEY_ADDRESS ? from->address : symbol->address;
		row->state = symbol->state;
		put_source(list, symbol, row, text);
	}
	if (fold->keys & KEY_ADDRESS)
		row->offset = offset_of(symbol, from->address);
	if (fold->keys & KEY_FROM)
		put_from(list, from, row, text);
	if (fold->keys & KEY_SYMBOL)
		put_symbol(list, symbol, row, text);
	if (fold->keys & KEY_DSO) {
		text->dso = snapshot_text_put_string(block, strings, symbol->dso_name);
		text->dso_path = snapshot_text_put_string(block, strings, symbol->dso_path);
		text->build_id = put_build_id(block, symbol->dso, &dso->build_id);
	}
	if (row->state == SYMBOL_UNREADABLE)
		text->reason = snapshot_text_put_string(block, strings, dso->reason);
	if (from->comm != FOLD_MIXED && from->comm != FOLD_NONE)
		text->comm = snapshot_text_put_string(block, strings,
						      (struct str_id){ from->comm });
	else if ((fold->keys & KEY_GROUP) && row->tid > 0)
		text->comm = put_present_comm(list, (uint32_t)row->tid, from);
	if (fold->keys & (KEY_PID | KEY_TID))
		put_cgroup(list, row, from, text);
	put_load(list, row, text);
	put_wait(list, from, text);
}

/* Makes a row that is only in the baseline: its counts are the baseline's. */
static void leave_to_base(struct snapshot_row *row, const struct fold_row *base)
{
	row->base = base->stats;
	row->predicted = row->mispredicted = 0;
	row->now = (struct stats){ .self = { .samples = 0 } };
}

/* Adds the row of a process, besides those of its threads. */
static void fill_group(struct snapshot_rows *list, const struct fold_group *group)
{
	struct snapshot_row_text *text = &list->texts[list->count];
	struct snapshot_row *row = &list->rows[list->count];
	const struct task_stats *tasks = list->sources->tasks;
	const struct task_stat *process;

	fill_row(list, &group->sum);
	row->id = group_id(&group->sum);
	if (group->has_own_comm || row->pid <= 0)
		return;
	process = tasks ? task_stats_find(tasks, (uint32_t)row->pid, 0) : NULL;
	if (process && process->comm[0])
		text->comm = snapshot_text_put(&list->block, process->comm);
	else if (!text->comm)
		text->comm = put_present_comm(list, (uint32_t)row->pid, &group->sum);
}

/* Adds the processes of the baseline: to the rows from @first on, or as new rows. */
static void fill_base_groups(struct snapshot_rows *list, uint32_t first,
			     const struct fold_group *groups, uint32_t count)
{
	const uint32_t end = list->count;
	struct id_map present = { 0 };

	if (id_map_reserve(&present, end - first)) {
		list->block.is_out_of_memory = true;
		return;
	}
	for (uint32_t i = first; i < end; i++)
		id_map_put(&present, list->rows[i].id, i);	/* has room */
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t at = id_map_get(&present, group_id(&groups[i].sum));

		if (at != ID_MAP_NONE) {
			list->rows[at].base = groups[i].sum.stats;
			continue;
		}
		fill_group(list, &groups[i]);
		leave_to_base(&list->rows[list->count - 1], &groups[i].sum);
	}
	id_map_finish(&present);
}

static int hottest_first(const void *a, const void *b)
{
	const struct snapshot_row *left = a, *right = b;

	if (left->now.self.weight != right->now.self.weight)
		return left->now.self.weight > right->now.self.weight ? -1 : 1;
	if (left->now.total.weight != right->now.total.weight)
		return left->now.total.weight > right->now.total.weight ? -1 : 1;
	if (left->base.self.weight != right->base.self.weight)	/* rows only there, mostly */
		return left->base.self.weight > right->base.self.weight ? -1 : 1;
	return left->id < right->id ? -1 : left->id > right->id;
}

static int largest_total_first(const void *a, const void *b)
{
	const struct snapshot_row *left = a, *right = b;

	if (left->now.total.weight != right->now.total.weight)
		return left->now.total.weight > right->now.total.weight ? -1 : 1;
	return hottest_first(a, b);
}

/* Orders rows of several events: their weights can't be compared, the numbers of samples can. */
static int most_samples_first(const void *a, const void *b)
{
	const struct snapshot_row *left = a, *right = b;

	if (left->now.self.samples != right->now.self.samples)
		return left->now.self.samples > right->now.self.samples ? -1 : 1;
	if (left->now.total.samples != right->now.total.samples)
		return left->now.total.samples > right->now.total.samples ? -1 : 1;
	return left->id < right->id ? -1 : left->id > right->id;
}

static int most_total_samples_first(const void *a, const void *b)
{
	const struct snapshot_row *left = a, *right = b;

	if (left->now.total.samples != right->now.total.samples)
		return left->now.total.samples > right->now.total.samples ? -1 : 1;
	return most_samples_first(a, b);
}

static void sort_rows(struct snapshot_rows *list)
{
	const bool by_total = list->sources->by_total;

	if (list->fold->keys & KEY_EVENT)
		qsort(list->rows, list->count, sizeof(*list->rows),
		      by_total ? most_total_samples_first : most_samples_first);
	else
		qsort(list->rows, list->count, sizeof(*list->rows),
		      by_total ? largest_total_first : hottest_first);
}

static void put_pointers(struct snapshot_row *row, const struct snapshot_row_text *from,
			 const char *text)
{
	row->event = text + from->event;
	row->symbol = text + from->symbol;
	row->raw_symbol = text + from->raw_symbol;
	row->dso = text + from->dso;
	row->dso_path = text + from->dso_path;
	row->build_id = text + from->build_id;
	row->comm = text + from->comm;
	row->reason = text + from->reason;
	row->command_line = text + from->command_line;
	row->from_symbol = text + from->from_symbol;
	row->from_dso_path = text + from->from_dso_path;
	row->source = text + from->source;
	row->source_reason = text + from->source_reason;
	row->cgroup = text + from->cgroup;
	row->unit = text + from->unit;
	row->container = text + from->container;
	row->pod = text + from->pod;
	row->wait = text + from->wait;
	row->wait_state = text + from->wait_state;
	row->waker = text + from->waker;
}

/* Adds each row of the fold, with its stats in the baseline, then rows only in the baseline. */
static void fill_each(struct snapshot_rows *list, bool is_grouped)
{
	const struct fold *fold = list->fold, *base = list->sources->base;

	for (uint32_t i = 0; i < fold->row_count; i++) {
		const struct fold_row *then =
			base ? fold_find_row(base, &fold->rows[i].key) : NULL;

		fill_row(list, &fold->rows[i]);
		if (then)
			list->rows[list->count - 1].base = then->stats;
		if (is_grouped)
			list->rows[list->count - 1].group_id = group_id(&fold->rows[i]);
	}
	for (uint32_t i = 0; base && i < base->row_count; i++) {
		if (fold_find_row(fold, &base->rows[i].key))
			continue;
		fill_row(list, &base->rows[i]);
		leave_to_base(&list->rows[list->count - 1], &base->rows[i]);
		if (is_grouped)
			list->rows[list->count - 1].group_id = group_id(&base->rows[i]);
	}
}

/* The processes of a grouped fold, and those of the baseline. */
struct row_groups {
	struct fold_group *now, *base;	/* owned */
	uint32_t now_count, base_count;
};

static int find_groups(const struct snapshot_rows *list, struct row_groups *out)
{
	if (!fold_is_grouped(list->fold->keys))
		return 0;
	if (fold_groups(list->fold, &out->now, &out->now_count))
		return -ENOMEM;
	return list->sources->base
	       ? fold_groups(list->sources->base, &out->base, &out->base_count) : 0;
}

static void fill_groups(struct snapshot_rows *list, const struct row_groups *groups)
{
	const uint32_t first = list->count;

	for (uint32_t i = 0; i < groups->now_count; i++)
		fill_group(list, &groups->now[i]);
	if (groups->base_count)
		fill_base_groups(list, first, groups->base, groups->base_count);
}

/* /proc takes precedence: a process can outlive its main thread, and the task table forgets ended
 * processes before their samples leave history. */
static bool is_ended_process(const struct snapshot_rows *list, const struct snapshot_row *row)
{
	const struct process *process;

	if (row->pid <= 0)
		return false;
	if (row->task_state)
		return row->task_state == 'X';
	process = task_table_find_process(list->fold->tasks, (uint32_t)row->pid);
	return process && !process->is_alive;
}

/* Appends the sum of the ended processes at indices @members[0 .. @count), which becomes the row
 * that they fold out from. */
static void join_ended(struct snapshot_rows *list, const uint32_t *members, uint32_t count,
		       const char *comm)
{
	struct snapshot_row *sum = &list->rows[list->count];

	list->texts[list->count++] = (struct snapshot_row_text){
		.comm = list->texts[members[0]].comm,
	};
	*sum = (struct snapshot_row){
		.id = id_set_mix(KEY_GROUP, filter_hash(comm)),
		.pid = -1, .tid = -1, .cpu = -1, .tasks = count, .ended_processes = count,
		.mode = MODE_UNKNOWN, .state = SYMBOL_NAMED, .dso_id = UINT32_MAX,
		.cpu_pct = -1, .busy_pct = -1,
		.task_state = list->sources->is_past ? 0 : 'X',
	};
	for (uint32_t i = 0; i < count; i++) {
		struct snapshot_row *member = &list->rows[members[i]];

		stats_add(&sum->now, &member->now);
		stats_add(&sum->base, &member->base);
		member->group_id = sum->id;
		member->tid = -1;
	}
}

struct ended_by_name {
	const char *comm;
	uint32_t row;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct ended_by_name *)a)->comm,
		      ((const struct ended_by_name *)b)->comm);
}

/* Ended processes of one name, two or more, get a common row: a build leaves hundreds. @first:
 * index of the first process's row; all after it are processes. */
static void join_ended_by_name(struct snapshot_rows *list, uint32_t first)
{
	const uint32_t end = list->count;
	struct ended_by_name *ended = malloc((end - first + 1) * sizeof(*ended));
	uint32_t *members = malloc((end - first + 1) * sizeof(*members));
	uint32_t count = 0, same;

	if (!ended || !members)
		list->block.is_out_of_memory = true;
	for (uint32_t i = first; ended && members && i < end; i++)
		if (is_ended_process(list, &list->rows[i]))
			ended[count++] = (struct ended_by_name){
				list->block.bytes + list->texts[i].comm, i };
	if (count)
		qsort(ended, count, sizeof(*ended), by_name);
	for (uint32_t i = 0; i < count; i += same) {
		for (same = 0; i + same < count && !by_name(&ended[i], &ended[i + same]); same++)
			members[same] = ended[i + same].row;
		if (same > 1 && ended[i].comm[0])
			join_ended(list, members, same, ended[i].comm);
	}
	free(ended);
	free(members);
}

/* Adds the row of waits that are in no record, named where rows have their names. */
static void fill_short_waits(struct snapshot_rows *list)
{
	const struct snapshot *head = list->head;
	const unsigned int keys = list->fold->keys;
	struct snapshot_row_text *text = &list->texts[list->count];
	char name[48];
	size_t at;

	snprintf(name, sizeof(name), "(below %g ms)", (double)head->fixed_period / 1e6);
	at = snapshot_text_put(&list->block, name);
	*(keys & KEY_SYMBOL ? &text->symbol : keys & KEY_DSO ? &text->dso : &text->comm) = at;
	list->rows[list->count++] = (struct snapshot_row){
		.id = ROW_OF_SHORT_WAITS, .now.self.weight = (double)head->waits.short_ns,
		.now.total.weight = (double)head->waits.short_ns,
		.pid = -1, .tid = -1, .cpu = -1, .mode = MODE_UNKNOWN, .state = SYMBOL_NAMED,
		.dso_id = UINT32_MAX, .cpu_pct = -1, .busy_pct = -1,
	};
}

int snapshot_rows_fill(struct snapshot_rows *list)
{
	const struct fold *base = list->sources->base;
	struct row_groups groups = { .now = NULL };
	int err = find_groups(list, &groups);
	size_t processes = groups.now_count, most;
	uint32_t first_process;

	if (base)
		processes += groups.base_count;
	/* Two ended processes have at most one common row. */
	most = (size_t)list->fold->row_count + (base ? base->row_count : 0) + processes +
	       processes / 2 + 2;
	if (!err) {
		list->rows = malloc(most * sizeof(*list->rows));
		list->texts = calloc(most, sizeof(*list->texts));
		err = list->rows && list->texts ? 0 : -ENOMEM;
	}
	if (!err) {
		fill_each(list, fold_is_grouped(list->fold->keys));
		first_process = list->count;
		fill_groups(list, &groups);
		join_ended_by_name(list, first_process);
		if (list->fold->keys && list->head->waits.short_ns)
			fill_short_waits(list);
	}
	free(groups.now);
	free(groups.base);
	return err || list->block.is_out_of_memory ? -ENOMEM : 0;
}

void snapshot_rows_join(struct snapshot_rows *list, const char *text, struct snapshot_row *out)
{
	for (uint32_t i = 0; i < list->count; i++)
		put_pointers(&list->rows[i], &list->texts[i], text);
	if (!list->count)
		return;
	sort_rows(list);
	memcpy(out, list->rows, list->count * sizeof(*list->rows));
}

void snapshot_rows_finish(struct snapshot_rows *list)
{
	free(list->rows);
	free(list->texts);
	snapshot_text_finish(&list->block);
}
