/* snapshot_build.c - see snapshot_build.h.
 *
 * The block is [snapshot | rows | nodes | groups | probes | activity graph, heat | text]; text is
 * collected first: pointers into it must not move.
 */
#include "snapshot_build.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/id_map.h"
#include "fold/groups.h"
#include "fold/tree_fold.h"

/* A tree of calls, while its text is collected. */
struct tree_list {
	struct tree_fold *fold;		/* borrowed; NULL: not requested */
	struct call_tree_builder builder;
	struct snapshot_row_text *texts;		/* owned; of the nodes */
};

static void put_inlined_text(struct snapshot_rows *list, const struct tree_fold *fold,
			     uint32_t symbol, struct snapshot_row_text *text)
{
	const struct tree_inlined *function = tree_inlined_get(fold, symbol);
	const struct symbol_names *names = list->fold->names;
	const struct dso *dso = &names->dsos->dsos[function->dso];

	text->symbol = text->raw_symbol = snapshot_text_put_string(&list->block, names->strings,
								   function->name);
	text->dso = snapshot_text_put_string(&list->block, names->strings,
					     dso_shown_name(dso));
	text->dso_path = snapshot_text_put_string(&list->block, names->strings, dso->path);
}

static void put_node_text(struct snapshot_rows *list, const struct tree_fold *fold,
			  const struct tree_node *node, uint32_t symbol_id,
			  struct snapshot_row_text *text)
{
	const struct symbol_names *names = list->fold->names;
	const struct symbol *symbol;

	if (node->is_command) {
		text->symbol = snapshot_text_put_string(&list->block, names->strings,
							(struct str_id){ symbol_id });
		text->raw_symbol = text->symbol;
		return;
	}
	if (node->is_inlined) {
		put_inlined_text(list, fold, symbol_id, text);
		return;
	}
	symbol = &names->symbols[symbol_id];
	text->raw_symbol = snapshot_text_put_string(&list->block, names->strings, symbol->name);
	text->symbol = text->raw_symbol;
	if (!list->sources->raw_names)
		text->symbol = snapshot_text_put_string(&list->block, names->strings,
							symbol_names_shown(names, symbol));
	text->dso = snapshot_text_put_string(&list->block, names->strings, symbol->dso_name);
	text->dso_path = snapshot_text_put_string(&list->block, names->strings,
						  symbol->dso_path);
}

static int fill_tree(struct snapshot_rows *list, struct tree_list *out)
{
	if (!out->fold)
		return 0;
	if (call_tree_arrange(out->fold, &out->builder))
		return -ENOMEM;
	out->texts = calloc(out->builder.tree.node_count + 1, sizeof(*out->texts));
	if (!out->texts)
		return -ENOMEM;
	for (uint32_t i = 0; i < out->builder.tree.node_count; i++)
		put_node_text(list, out->fold, &out->builder.nodes[i], out->builder.symbols[i],
			      &out->texts[i]);
	return list->block.is_out_of_memory ? -ENOMEM : 0;
}

static void tree_list_finish(struct tree_list *list)
{
	call_tree_builder_finish(&list->builder);
	free(list->texts);
}

static void join_tree(const struct tree_list *from, struct call_tree *out,
		      struct tree_node *own_nodes, const char *text)
{
	*out = from->builder.tree;
	out->nodes = own_nodes;
	for (uint32_t i = 0; i < out->node_count; i++) {
		own_nodes[i] = from->builder.nodes[i];
		own_nodes[i].symbol = text + from->texts[i].symbol;
		own_nodes[i].raw_symbol = text + from->texts[i].raw_symbol;
		own_nodes[i].dso = text + from->texts[i].dso;
		own_nodes[i].dso_path = text + from->texts[i].dso_path;
	}
}

/* The tree of groups, while its text is collected. */
struct group_list {
	struct group_builder builder;
	struct group_offsets {
		size_t text, dso_path, name;
	} * texts; /* owned; of the nodes */
};

static void put_group_text(struct snapshot_rows *list, const struct group_text *from,
			   struct group_node *node, struct group_offsets *out)
{
	const struct strpool *strings = list->fold->names->strings;
	char number[24];

	node->mode = from->mode;
	node->address = from->address;
	node->dso_id = from->dso;
	node->is_unknown = from->is_unknown;
	out->text = from->own[0] ? snapshot_text_put(&list->block, from->own)
				 : snapshot_text_put_string(&list->block, strings, from->pooled);
	out->dso_path = snapshot_text_put_string(&list->block, strings, from->dso_path);
	out->name = snapshot_text_put_string(&list->block, strings, from->name);
	node->number = from->number;
	if (!from->has_number)
		return;
	snprintf(number, sizeof(number), "%" PRIu64, from->number);
	out->name = snapshot_text_put(&list->block, number);
}

static int fill_groups(struct snapshot_rows *list, struct group_list *out)
{
	const struct group_fold *fold = list->sources->groups;
	struct group_text text;

	if (!fold)
		return 0;
	if (group_arrange(fold, &out->builder))
		return -ENOMEM;
	out->texts = calloc(out->builder.tree.node_count + 1, sizeof(*out->texts));
	if (!out->texts)
		return -ENOMEM;
	for (uint32_t i = 0; i < out->builder.tree.node_count; i++) {
		group_builder_text(&out->builder, fold, i, &text);
		put_group_text(list, &text, &out->builder.nodes[i], &out->texts[i]);
	}
	return list->block.is_out_of_memory ? -ENOMEM : 0;
}

static void group_list_finish(struct group_list *list)
{
	group_builder_finish(&list->builder);
	free(list->texts);
}

static void join_groups(const struct group_list *from, struct group_tree *out,
			struct group_node *own_nodes, const char *text)
{
	*out = from->builder.tree;
	out->nodes = own_nodes;
	for (uint32_t i = 0; i < out->node_count; i++) {
		own_nodes[i] = from->builder.nodes[i];
		own_nodes[i].text = text + from->texts[i].text;
		own_nodes[i].dso_path = text + from->texts[i].dso_path;
		own_nodes[i].name = text + from->texts[i].name;
	}
}

/* Names the keys of `by` after the probe whose hits the groups are of. */
static void name_keys(const struct snapshot *of, struct group_tree *out)
{
	for (uint32_t i = 0; i < of->probes.count; i++) {
		const struct snapshot_probe *probe = &of->probes.list[i];

		for (uint32_t k = 0; probe->event == of->event_index && k < probe->key_count; k++)
			out->by_names[k] = probe->key_names[k];
	}
}

/* The last step: one block, offsets become pointers. */
static struct snapshot *join(const struct snapshot *head, struct snapshot_rows *list,
			     const struct tree_list *tree, const struct tree_list *callees,
			     const struct group_list *groups, const size_t head_text[9])
{
	const size_t rows_bytes = list->count * sizeof(*list->rows);
	const size_t tree_bytes = tree->builder.tree.node_count * sizeof(struct tree_node);
	const size_t nodes_bytes = tree_bytes + callees->builder.tree.node_count *
				   sizeof(struct tree_node);
	const size_t points_bytes = head->activity_count * sizeof(*head->activity);
	const size_t activity_bytes = head->heat ? points_bytes * (1 + HEAT_ROWS) : points_bytes;
	const size_t group_bytes = groups->builder.tree.node_count * sizeof(struct group_node);
	const struct probe_builder *builder = list->sources->probes;
	const size_t probe_bytes = builder ? probe_builder_bytes(builder) : 0;
	struct snapshot *out = malloc(sizeof(*out) + rows_bytes + nodes_bytes + group_bytes +
				      probe_bytes + activity_bytes + list->block.used);
	char *own_rows, *own_nodes, *own_groups, *probes, *activity, *text;

	if (!out)
		return NULL;
	own_rows = (char *)(out + 1);
	own_nodes = own_rows + rows_bytes;
	own_groups = own_nodes + nodes_bytes;
	probes = own_groups + group_bytes;
	activity = probes + probe_bytes;
	text = activity + activity_bytes;
	memcpy(text, list->block.bytes, list->block.used);
	snapshot_rows_join(list, text, (struct snapshot_row *)(void *)own_rows);
	if (points_bytes)
		memcpy(activity, head->activity, points_bytes);
	if (activity_bytes > points_bytes)
		memcpy(activity + points_bytes, head->heat, activity_bytes - points_bytes);
	*out = *head;
	out->host = text + head_text[0];
	out->event = text + head_text[1];
	out->target = text + head_text[2];
	out->notice = text + head_text[3];
	out->end_reason = text + head_text[4];
	out->baseline.label = text + head_text[5];
	out->baseline.notice = text + head_text[6];
	out->absent_events = text + head_text[7];
	out->hit_weight = text + head_text[8];
	out->next_event = NULL;
	out->folded = NULL;
	out->events = NULL;
	out->stack_samples = NULL;
	out->activity = (const float *)(const void *)activity;
	if (head->heat)
		out->heat = out->activity + head->activity_count;
	out->rows = (const struct snapshot_row *)(const void *)own_rows;
	out->row_count = list->count;
	if (out->is_compared)
		row_changes_weigh_samples(out);
	if (builder)
		probe_builder_join(builder, probes, &out->probes);
	join_tree(tree, &out->tree, (struct tree_node *)(void *)own_nodes, text);
	join_tree(callees, &out->callees, (struct tree_node *)(void *)(own_nodes + tree_bytes),
		  text);
	join_groups(groups, &out->groups, (struct group_node *)(void *)own_groups, text);
	name_keys(out, &out->groups);
	return out;
}

struct snapshot *snapshot_build(const struct snapshot *head, const struct fold *fold,
				const struct row_sources *sources)
{
	struct snapshot_rows list = { .fold = fold, .sources = sources, .head = head };
	struct tree_list tree = { .fold = sources->tree };
	struct tree_list callees = { .fold = sources->callees };
	struct group_list groups = { .texts = NULL };
	struct snapshot *out = NULL;
	size_t head_text[9];

	snapshot_text_put(&list.block, "");
	head_text[0] = snapshot_text_put(&list.block, head->host);
	head_text[1] = snapshot_text_put(&list.block, head->event);
	head_text[2] = snapshot_text_put(&list.block, head->target);
	head_text[3] = snapshot_text_put_lines(&list.block, head->notice);
	head_text[4] = snapshot_text_put(&list.block, head->end_reason);
	head_text[5] = snapshot_text_put(&list.block, head->baseline.label);
	head_text[6] = snapshot_text_put(&list.block, head->baseline.notice);
	head_text[7] = snapshot_text_put_lines(&list.block,
					       head->absent_events ? head->absent_events : "");
	head_text[8] = snapshot_text_put(&list.block, head->hit_weight ? head->hit_weight : "");
	if (!list.block.is_out_of_memory && !snapshot_rows_fill(&list) &&
	    !fill_tree(&list, &tree) && !fill_tree(&list, &callees) &&
	    !fill_groups(&list, &groups))
		out = join(head, &list, &tree, &callees, &groups, head_text);
	tree_list_finish(&tree);
	tree_list_finish(&callees);
	group_list_finish(&groups);
	snapshot_rows_finish(&list);
	return out;
}

/* Events side by side: a row has the same id in the snapshots of all events, so one of each is
 * made, by the same fold as always, and joined by id. */

/* A list of rows or nodes in a snapshot, and where their members lie. Until a snapshot is published
 * its rows may still change. */
struct joined {
	unsigned char *first;
	size_t count, bytes;
	size_t id, now, by_event;	/* offsets in a row */
};

#define JOINED_LISTS 4
#define JOINED(type, list, rows) \
	{ (unsigned char *)(uintptr_t)(list), rows, sizeof(type), offsetof(type, id), \
	  offsetof(type, now), offsetof(type, by_event) }

/* Where events are keys of rows or groups, each of these is of one event. */
static void find_lists(const struct snapshot *snapshot, struct joined out[JOINED_LISTS])
{
	const struct call_tree *tree = &snapshot->tree, *callees = &snapshot->callees;
	const struct group_tree *groups = &snapshot->groups;
	const struct joined lists[JOINED_LISTS] = {
		JOINED(struct snapshot_row, snapshot->rows, snapshot->row_count),
		JOINED(struct tree_node, tree->nodes, tree->node_count),
		JOINED(struct tree_node, callees->nodes, callees->node_count),
		JOINED(struct group_node, groups->nodes, groups->node_count),
	};

	memcpy(out, lists, sizeof(lists));
	if (snapshot->keys & KEY_EVENT)
		out[0].count = 0;
	if (groups->level_count && groups->keys[0] == GROUP_EVENT)
		out[JOINED_LISTS - 1].count = 0;
}

static uint64_t id_of(const struct joined *list, size_t row)
{
	uint64_t id;

	memcpy(&id, list->first + row * list->bytes + list->id, sizeof(id));
	return id;
}

/* Copies the loads that @part has in @event to @loads, where @rows finds their row by its id. */
static void take_loads(const struct joined *part, const struct id_map *rows, struct stats *loads,
		       uint32_t event, uint32_t count)
{
	for (size_t i = 0; i < part->count; i++) {
		const uint32_t row = id_map_get(rows, id_of(part, i));

		if (row != ID_MAP_NONE)
			memcpy(&loads[(size_t)row * count + event],
			       part->first + i * part->bytes + part->now, sizeof(*loads));
	}
}

/* Fills @loads for the rows of list number @at in @snapshot. 0 or -ENOMEM. */
static int join_list(const struct snapshot *snapshot, const struct snapshot *const *parts,
		     size_t at, struct stats *loads)
{
	const uint32_t count = snapshot->event_columns.count;
	struct joined lists[JOINED_LISTS];
	struct id_map rows = { 0 };

	find_lists(snapshot, lists);
	if (!lists[at].count)
		return 0;
	if (id_map_reserve(&rows, (uint32_t)lists[at].count))
		return -ENOMEM;
	for (size_t i = 0; i < lists[at].count; i++)
		id_map_put(&rows, id_of(&lists[at], i), (uint32_t)i);	/* has room */
	for (uint32_t event = 0; event < count; event++) {
		find_lists(parts[event], lists);
		take_loads(&lists[at], &rows, loads, event, count);
	}
	id_map_finish(&rows);
	return 0;
}

/* Points each row of @list to its part of @loads; returns the loads after them. */
static struct stats *point_to(const struct joined *list, struct stats *loads, uint32_t count)
{
	for (size_t i = 0; i < list->count; i++, loads += count) {
		const struct stats *own = loads;

		memcpy(list->first + i * list->bytes + list->by_event, &own, sizeof(own));
	}
	return loads;
}

int snapshot_build_join_events(struct snapshot *snapshot, const struct snapshot *const *parts)
{
	struct event_columns *columns = &snapshot->event_columns;
	struct joined lists[JOINED_LISTS];
	struct stats *loads, *next;
	size_t rows = 0;

	find_lists(snapshot, lists);
	for (size_t i = 0; i < JOINED_LISTS; i++)
		rows += lists[i].count;
	next = loads = calloc(rows * columns->count + 1, sizeof(*loads));
	if (!loads)
		return -ENOMEM;
	for (size_t i = 0; i < JOINED_LISTS; i++) {
		if (join_list(snapshot, parts, i, next)) {
			free(loads);
			return -ENOMEM;
		}
		next += lists[i].count * columns->count;
	}
	next = loads;
	for (size_t i = 0; i < JOINED_LISTS; i++)
		next = point_to(&lists[i], next, columns->count);
	for (uint32_t event = 0; event < columns->count; event++)
		columns->events[event].weight = snapshot->is_relative ? parts[event]->shown_weight
								      : parts[event]->weight;
	snapshot->loads_by_event = loads;
	columns->has_loads = true;
	return 0;
}

int snapshot_build_join_chain(struct snapshot *first)
{
	const struct snapshot *parts[EVENT_COLUMNS];
	uint32_t count = 0;
	int err = 0;

	for (const struct snapshot *part = first; part; part = part->next_event)
		parts[count++] = part;
	for (struct snapshot *part = first; part && !err; part = part->next_event)
		err = snapshot_build_join_events(part, parts);
	return err;
}
