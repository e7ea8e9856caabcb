/* snapshot_build.c - see model/snapshot_build.h.
 *
 * Text is copied once per different string: thousands of rows share few comms and objects. The
 * block is [snapshot | rows | nodes | probes | strip, heat | text]; text is collected first:
 * pointers into it must not move.
 */
#include "model/snapshot_build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"
#include "model/call_tree_arrange.h"
#include "model/filter.h"
#include "model/fold_groups.h"

#define KEYS_CODE (KEY_OBJECT | KEY_SYMBOL | KEY_ADDRESS)

struct text_block {
	char *bytes;
	size_t used, capacity;
	struct id_map of_string;	/* str id -> offset */
	struct id_map of_process;	/* pid -> offset of its command line */
	struct id_map of_object;	/* object -> offset of its build-id */
	bool is_out_of_memory;
};

/* Offset of a copy of the clean form of @text. Offset 0 is "". */
static size_t put_text(struct text_block *block, const char *text)
{
	const size_t room = text ? 12 * strlen(text) + 1 : 1;	/* the worst: "<U+NNNN>" per byte */
	const size_t at = block->used;

	if (block->capacity - block->used < room) {
		size_t capacity = (block->capacity + room) * 2;
		char *bigger = realloc(block->bytes, capacity);

		if (!bigger) {
			block->is_out_of_memory = true;
			return 0;
		}
		block->bytes = bigger;
		block->capacity = capacity;
	}
	block->used += 1 + (text ? sanitize_text(block->bytes + at, room, text, strlen(text)) : 0);
	block->bytes[block->used - 1] = '\0';
	return at;
}

/* The same for lines: their newlines stay. */
static size_t put_lines(struct text_block *block, const char *lines)
{
	char line[1024];
	size_t at = put_text(block, "");

	for (size_t len; lines && *lines; lines += len + (lines[len] == '\n')) {
		len = strcspn(lines, "\n");
		if (block->is_out_of_memory)
			return 0;
		snprintf(line, sizeof(line), "%.*s", (int)len, lines);
		block->bytes[block->used - 1] = '\n';	/* in place of the terminator before */
		put_text(block, line);
	}
	return at + (block->bytes && block->bytes[at] == '\n');
}

static size_t put_string(struct text_block *block, const struct strpool *strings,
			 struct str_id id)
{
	uint32_t at = id_map_get(&block->of_string, id.v);

	if (at != ID_MAP_NONE)
		return at;
	at = (uint32_t)put_text(block, strpool_get(strings, id));
	id_map_put(&block->of_string, id.v, at);
	return at;
}

/* Once per process: its threads have the same. */
static size_t put_command_line(struct text_block *block, const struct task_stat *process)
{
	uint32_t at = id_map_get(&block->of_process, process->pid);

	if (at != ID_MAP_NONE)
		return at;
	at = (uint32_t)put_text(block, process->command_line);
	id_map_put(&block->of_process, process->pid, at);
	return at;
}

/* Once per object: it has many symbols. */
static size_t put_build_id(struct text_block *block, uint32_t id, const struct build_id *build_id)
{
	uint32_t at = id_map_get(&block->of_object, id);
	char hex[BUILD_ID_HEX_BYTES];

	if (at != ID_MAP_NONE)
		return at;
	at = (uint32_t)put_text(block, build_id_format(build_id, hex));
	id_map_put(&block->of_object, id, at);
	return at;
}

/* Offsets while the text still grows; pointers at the end. */
struct row_text {
	size_t symbol, raw_symbol, object, object_path, build_id, comm, reason, command_line;
	size_t source, source_reason;
};

/* The rows while they are made. */
struct row_list {
	const struct fold *fold;
	const struct row_sources *sources;
	struct snapshot_row *rows;	/* owned, as the next */
	struct row_text *texts;
	uint32_t count;
	struct text_block block;
};

/* Equal for equal keys in every snapshot: no ids that compaction may change. */
static uint64_t row_id(const struct fold *fold, const struct fold_row *row)
{
	const struct symbol *symbol = &fold->names->symbols[row->symbol];
	const struct strpool *strings = fold->names->strings;
	const struct str_id comm = { row->key.comm };
	uint64_t id = row->is_idle;

	if (fold->keys & KEYS_CODE)
		id = id_set_mix(id, symbol->mode);
	if (fold->keys & KEY_SYMBOL)
		id = id_set_mix(id, filter_hash(strpool_get(strings, symbol->name)));
	if (fold->keys & KEY_OBJECT)
		id = id_set_mix(id, filter_hash(strpool_get(strings, symbol->object_path)));
	if ((fold->keys & KEY_SYMBOL) && (fold->keys & KEY_OBJECT || symbol_is_bare(symbol)))
		id = id_set_mix(id_set_mix(id, symbol->address), symbol->object);
	if (fold->keys & KEY_COMM)
		id = id_set_mix(id, filter_hash(strpool_get(strings, comm)));
	return id_set_mix(id_set_mix(id, row->key.address),
			  id_set_mix((uint64_t)row->key.pid << 32 | row->key.tid,
				     row->key.cpu_and_idle));
}

/* The process's alone, so that it is the same whichever threads were hit. */
static uint64_t group_id(const struct fold_row *row)
{
	return id_set_mix(id_set_mix(KEY_GROUP, row->is_idle), row->key.pid);
}

static int64_t part_or_none(uint32_t part)
{
	return part == FOLD_MIXED || part == FOLD_NONE ? -1 : (int64_t)part;
}

/* An EXIT record is news, /proc was read a refresh ago. */
static bool has_ended_since(const struct fold *fold, const struct snapshot_row *row,
			    bool is_thread, uint64_t read_ns)
{
	const struct process *process = task_table_find_process(fold->tasks, (uint32_t)row->pid);
	const struct thread *thread = task_table_find_thread(fold->tasks, (uint32_t)row->tid);

	if (is_thread)
		return thread && !thread->is_alive && thread->ended_ns > read_ns;
	return process && !process->is_alive && process->ended_ns > read_ns;
}

/* What /proc says of the row's task. */
static void put_task(struct row_list *list, struct snapshot_row *row, struct row_text *text)
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

static void put_load(struct row_list *list, struct snapshot_row *row, struct row_text *text)
{
	const struct row_sources *sources = list->sources;
	const unsigned int keys = list->fold->keys;

	if (keys == KEY_CPU && sources->busy && row->cpu >= 0)
		row->busy_pct = busy_cpu_pct(sources->busy, (uint32_t)row->cpu, sources->since_ns,
					     sources->until_ns);
	if ((keys & (KEY_PID | KEY_TID)) && sources->tasks && row->pid > 0)
		put_task(list, row, text);
}

/* A task that became another program has samples under both names: it is called what it is now, or
 * by one of them when it ended long ago. */
static size_t put_present_comm(struct row_list *list, uint32_t tid, const struct fold_row *from)
{
	const struct fold *fold = list->fold;
	const struct thread *thread = task_table_find_thread(fold->tasks, tid);
	char comm[THREAD_COMM_BYTES + 1] = "";

	if (thread && thread->has_comm) {
		memcpy(comm, thread->comm, thread->comm_len);
		return put_text(&list->block, comm);
	}
	if (from->task == FOLD_NONE)
		return 0;
	return put_string(&list->block, fold->names->strings,
			  fold->tasks->tasks[from->task].comm);
}

static void put_symbol(struct row_list *list, const struct symbol *symbol,
		       struct snapshot_row *row, struct row_text *text)
{
	const struct strpool *strings = list->fold->names->strings;

	text->raw_symbol = put_string(&list->block, strings, symbol->name);
	text->symbol = list->sources->raw_names
		       ? text->raw_symbol : put_string(&list->block, strings,
				    symbol_names_shown(list->fold->names, symbol));
	row->is_synthetic = symbol->is_synthetic;
}

static void put_source(struct row_list *list, const struct symbol *symbol,
		       struct snapshot_row *row, struct row_text *text)
{
	const struct source_wish of = { row->address, symbol->object };
	struct source_text source;

	row->object_id = symbol->object;
	if (!list->sources->lines)
		return;
	source = source_lines_find(list->sources->lines, &of, list->fold->keys & KEY_ADDRESS);
	if (source.line[0])
		text->source = put_text(&list->block, source.line);
	else if (source.reason[0])
		text->source_reason = put_text(&list->block, source.reason);
}

static void fill_row(struct row_list *list, const struct fold_row *from)
{
	const struct fold *fold = list->fold;
	struct text_block *block = &list->block;
	struct row_text *text = &list->texts[list->count];
	struct snapshot_row *row = &list->rows[list->count++];
	const struct symbol *symbol = &fold->names->symbols[from->symbol];
	const struct object *object = &fold->names->objects->objects[symbol->object];
	const struct strpool *strings = fold->names->strings;

	*row = (struct snapshot_row){
		.id = row_id(fold, from), .tasks = from->tasks, .is_idle = from->is_idle,
		.self_samples = from->self_samples, .total_samples = from->total_samples,
		.self_weight = from->self_weight, .total_weight = from->total_weight,
		.pid = part_or_none(from->pid), .tid = part_or_none(from->tid),
		.cpu = from->cpu == UINT16_MAX ? -1 : part_or_none(from->cpu),
		.mode = fold->keys & KEYS_CODE ? symbol->mode : MODE_UNKNOWN,
		.state = SYMBOL_NAMED, .cpu_pct = -1, .busy_pct = -1,
		.object_id = UINT32_MAX,
	};
	if (fold->keys & (KEY_SYMBOL | KEY_ADDRESS)) {
		row->address = fold->keys & KEY_ADDRESS ? from->address : symbol->address;
		row->state = symbol->state;
		put_source(list, symbol, row, text);
	}
	if (fold->keys & KEY_SYMBOL)
		put_symbol(list, symbol, row, text);
	if (fold->keys & KEY_OBJECT) {
		text->object = put_string(block, strings, symbol->object_name);
		text->object_path = put_string(block, strings, symbol->object_path);
		text->build_id = put_build_id(block, symbol->object, &object->build_id);
	}
	if (row->state == SYMBOL_UNREADABLE)
		text->reason = put_string(block, strings, object->reason);
	if (from->comm != FOLD_MIXED && from->comm != FOLD_NONE)
		text->comm = put_string(block, strings, (struct str_id){ from->comm });
	else if ((fold->keys & KEY_GROUP) && row->tid > 0)
		text->comm = put_present_comm(list, (uint32_t)row->tid, from);
	put_load(list, row, text);
}

/* A process above its threads. */
static void fill_group(struct row_list *list, const struct fold_group *group)
{
	struct row_text *text = &list->texts[list->count];
	struct snapshot_row *row = &list->rows[list->count];
	const struct task_stats *tasks = list->sources->tasks;
	const struct task_stat *process;

	fill_row(list, &group->sum);
	row->id = group_id(&group->sum);
	if (group->has_own_comm || row->pid <= 0)
		return;
	process = tasks ? task_stats_find(tasks, (uint32_t)row->pid, 0) : NULL;
	if (process && process->comm[0])
		text->comm = put_text(&list->block, process->comm);
	else if (!text->comm)
		text->comm = put_present_comm(list, (uint32_t)row->pid, &group->sum);
}

static int hottest_first(const void *a, const void *b)
{
	const struct snapshot_row *left = a, *right = b;

	if (left->self_weight != right->self_weight)
		return left->self_weight > right->self_weight ? -1 : 1;
	if (left->total_weight != right->total_weight)
		return left->total_weight > right->total_weight ? -1 : 1;
	return left->id < right->id ? -1 : left->id > right->id;
}

static int largest_total_first(const void *a, const void *b)
{
	const struct snapshot_row *left = a, *right = b;

	if (left->total_weight != right->total_weight)
		return left->total_weight > right->total_weight ? -1 : 1;
	return hottest_first(a, b);
}

static void put_pointers(struct snapshot_row *row, const struct row_text *from, const char *text)
{
	row->symbol = text + from->symbol;
	row->raw_symbol = text + from->raw_symbol;
	row->object = text + from->object;
	row->object_path = text + from->object_path;
	row->build_id = text + from->build_id;
	row->comm = text + from->comm;
	row->reason = text + from->reason;
	row->command_line = text + from->command_line;
	row->source = text + from->source;
	row->source_reason = text + from->source_reason;
}

/* The tree, while its text is collected. */
struct tree_list {
	struct call_tree_draft draft;
	struct row_text *texts;		/* owned; of the nodes */
};

static void put_inlined_text(struct row_list *list, uint32_t symbol, struct row_text *text)
{
	const struct tree_inlined *function = tree_inlined_get(list->sources->tree, symbol);
	const struct symbol_names *names = list->fold->names;
	const struct object *object = &names->objects->objects[function->object];

	text->symbol = text->raw_symbol = put_string(&list->block, names->strings, function->name);
	text->object = put_string(&list->block, names->strings, object->name);
	text->object_path = put_string(&list->block, names->strings, object->path);
}

static void put_node_text(struct row_list *list, const struct tree_node *node, uint32_t symbol_id,
			  struct row_text *text)
{
	const struct symbol_names *names = list->fold->names;
	const struct symbol *symbol;

	if (node->is_command) {
		text->symbol = text->raw_symbol = put_string(&list->block, names->strings,
							     (struct str_id){ symbol_id });
		return;
	}
	if (node->is_inlined) {
		put_inlined_text(list, symbol_id, text);
		return;
	}
	symbol = &names->symbols[symbol_id];
	text->raw_symbol = put_string(&list->block, names->strings, symbol->name);
	text->symbol = text->raw_symbol;
	if (!list->sources->raw_names)
		text->symbol = put_string(&list->block, names->strings,
					  symbol_names_shown(names, symbol));
	text->object = put_string(&list->block, names->strings, symbol->object_name);
	text->object_path = put_string(&list->block, names->strings, symbol->object_path);
}

static int fill_tree(struct row_list *list, struct tree_list *out)
{
	if (!list->sources->tree)
		return 0;
	if (call_tree_arrange(list->sources->tree, &out->draft))
		return -ENOMEM;
	out->texts = calloc(out->draft.tree.node_count + 1, sizeof(*out->texts));
	if (!out->texts)
		return -ENOMEM;
	for (uint32_t i = 0; i < out->draft.tree.node_count; i++)
		put_node_text(list, &out->draft.nodes[i], out->draft.symbols[i], &out->texts[i]);
	return list->block.is_out_of_memory ? -ENOMEM : 0;
}

static void tree_list_finish(struct tree_list *list)
{
	call_tree_draft_finish(&list->draft);
	free(list->texts);
}

static void join_tree(const struct tree_list *from, struct call_tree *out,
		      struct tree_node *own_nodes, const char *text)
{
	*out = from->draft.tree;
	out->nodes = own_nodes;
	for (uint32_t i = 0; i < out->node_count; i++) {
		own_nodes[i] = from->draft.nodes[i];
		own_nodes[i].symbol = text + from->texts[i].symbol;
		own_nodes[i].raw_symbol = text + from->texts[i].raw_symbol;
		own_nodes[i].object = text + from->texts[i].object;
		own_nodes[i].object_path = text + from->texts[i].object_path;
	}
}

/* The last step: one block, offsets become pointers. */
static struct snapshot *join(const struct snapshot *head, struct row_list *list,
			     const struct tree_list *tree, const size_t head_text[5])
{
	const size_t rows_bytes = list->count * sizeof(*list->rows);
	const size_t nodes_bytes = tree->draft.tree.node_count * sizeof(struct tree_node);
	const size_t points_bytes = head->strip_count * sizeof(*head->strip);
	const size_t strip_bytes = head->heat ? points_bytes * (1 + HEAT_ROWS) : points_bytes;
	const struct probe_draft *draft = list->sources->probes;
	const size_t probe_bytes = draft ? probe_draft_bytes(draft) : 0;
	struct snapshot *out = malloc(sizeof(*out) + rows_bytes + nodes_bytes + probe_bytes +
				      strip_bytes + list->block.used);
	char *own_rows, *own_nodes, *probes, *strip, *text;

	if (!out)
		return NULL;
	own_rows = (char *)(out + 1);
	own_nodes = own_rows + rows_bytes;
	probes = own_nodes + nodes_bytes;
	strip = probes + probe_bytes;
	text = strip + strip_bytes;
	memcpy(text, list->block.bytes, list->block.used);
	for (uint32_t i = 0; i < list->count; i++)
		put_pointers(&list->rows[i], &list->texts[i], text);
	if (list->count) {
		qsort(list->rows, list->count, sizeof(*list->rows),
		      list->sources->by_total ? largest_total_first : hottest_first);
		memcpy(own_rows, list->rows, rows_bytes);
	}
	if (points_bytes)
		memcpy(strip, head->strip, points_bytes);
	if (strip_bytes > points_bytes)
		memcpy(strip + points_bytes, head->heat, strip_bytes - points_bytes);
	*out = *head;
	out->host = text + head_text[0];
	out->event = text + head_text[1];
	out->target = text + head_text[2];
	out->notice = text + head_text[3];
	out->end_reason = text + head_text[4];
	out->next_event = NULL;
	out->folded = NULL;
	out->strip = (const float *)(const void *)strip;
	if (head->heat)
		out->heat = out->strip + head->strip_count;
	out->rows = (const struct snapshot_row *)(const void *)own_rows;
	out->row_count = list->count;
	if (draft)
		probe_draft_join(draft, probes, &out->probes);
	join_tree(tree, &out->tree, (struct tree_node *)(void *)own_nodes, text);
	return out;
}

/* All rows of the fold, and those of processes. */
static int fill_rows(struct row_list *list)
{
	const struct fold *fold = list->fold;
	struct fold_group *groups = NULL;
	uint32_t group_count = 0;

	if (fold_is_grouped(fold->keys) && fold_groups(fold, &groups, &group_count))
		return -ENOMEM;
	list->rows = malloc((fold->row_count + group_count + 1) * sizeof(*list->rows));
	list->texts = calloc(fold->row_count + group_count + 1, sizeof(*list->texts));
	for (uint32_t i = 0; list->rows && list->texts && i < fold->row_count; i++) {
		fill_row(list, &fold->rows[i]);
		if (groups)
			list->rows[i].group_id = group_id(&fold->rows[i]);
	}
	for (uint32_t i = 0; list->rows && list->texts && i < group_count; i++)
		fill_group(list, &groups[i]);
	free(groups);
	return list->rows && list->texts && !list->block.is_out_of_memory ? 0 : -ENOMEM;
}

struct snapshot *snapshot_build(const struct snapshot *head, const struct fold *fold,
				const struct row_sources *sources)
{
	struct row_list list = { .fold = fold, .sources = sources };
	struct tree_list tree = { .texts = NULL };
	struct snapshot *out = NULL;
	size_t head_text[5];

	put_text(&list.block, "");
	head_text[0] = put_text(&list.block, head->host);
	head_text[1] = put_text(&list.block, head->event);
	head_text[2] = put_text(&list.block, head->target);
	head_text[3] = put_lines(&list.block, head->notice);
	head_text[4] = put_text(&list.block, head->end_reason);
	if (!list.block.is_out_of_memory && !fill_rows(&list) && !fill_tree(&list, &tree))
		out = join(head, &list, &tree, head_text);
	tree_list_finish(&tree);
	free(list.rows);
	free(list.texts);
	free(list.block.bytes);
	id_map_finish(&list.block.of_string);
	id_map_finish(&list.block.of_process);
	id_map_finish(&list.block.of_object);
	return out;
}
