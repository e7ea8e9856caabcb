/* snapshot_build.c - see snapshot_build.h.
 *
 * The block is [snapshot | rows | nodes | groups | probes | strip, heat | text]; text is collected
 * first: pointers into it must not move.
 */
#include "snapshot_build.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fold/call_tree_arrange.h"
#include "fold/group_arrange.h"
#include "snapshot_rows.h"

/* The tree, while its text is collected. */
struct tree_list {
	struct call_tree_draft draft;
	struct snapshot_row_text *texts;		/* owned; of the nodes */
};

static void put_inlined_text(struct snapshot_rows *list, uint32_t symbol,
			     struct snapshot_row_text *text)
{
	const struct tree_inlined *function = tree_inlined_get(list->sources->tree, symbol);
	const struct symbol_names *names = list->fold->names;
	const struct object *object = &names->objects->objects[function->object];

	text->symbol = text->raw_symbol = snapshot_text_put_string(&list->block, names->strings,
								   function->name);
	text->object = snapshot_text_put_string(&list->block, names->strings,
						object_shown_name(object));
	text->object_path = snapshot_text_put_string(&list->block, names->strings, object->path);
}

static void put_node_text(struct snapshot_rows *list, const struct tree_node *node,
			  uint32_t symbol_id,
			  struct snapshot_row_text *text)
{
	const struct symbol_names *names = list->fold->names;
	const struct symbol *symbol;

	if (node->is_command) {
		text->symbol = text->raw_symbol = snapshot_text_put_string(&list->block,
									   names->strings,
							     (struct str_id){ symbol_id });
		return;
	}
	if (node->is_inlined) {
		put_inlined_text(list, symbol_id, text);
		return;
	}
	symbol = &names->symbols[symbol_id];
	text->raw_symbol = snapshot_text_put_string(&list->block, names->strings, symbol->name);
	text->symbol = text->raw_symbol;
	if (!list->sources->raw_names)
		text->symbol = snapshot_text_put_string(&list->block, names->strings,
					  symbol_names_shown(names, symbol));
	text->object = snapshot_text_put_string(&list->block, names->strings, symbol->object_name);
	text->object_path = snapshot_text_put_string(&list->block, names->strings,
						     symbol->object_path);
}

static int fill_tree(struct snapshot_rows *list, struct tree_list *out)
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

/* The tree of groups, while its text is collected. */
struct group_list {
	struct group_draft draft;
	struct group_offsets {
		size_t text, object_path, name;
	} * texts; /* owned; of the nodes */
};

static void put_group_text(struct snapshot_rows *list, const struct group_text *from,
			   struct group_node *node, struct group_offsets *out)
{
	const struct strpool *strings = list->fold->names->strings;
	char number[24];

	node->mode = from->mode;
	node->is_unknown = from->is_unknown;
	out->text = from->own[0] ? snapshot_text_put(&list->block, from->own)
				 : snapshot_text_put_string(&list->block, strings, from->pooled);
	out->object_path = snapshot_text_put_string(&list->block, strings, from->object_path);
	out->name = snapshot_text_put_string(&list->block, strings, from->name);
	node->number = from->number;
	if (!from->has_number)
		return;
	snprintf(number, sizeof(number), "%u", from->number);
	out->name = snapshot_text_put(&list->block, number);
}

static int fill_groups(struct snapshot_rows *list, struct group_list *out)
{
	const struct group_fold *fold = list->sources->groups;
	struct group_text text;

	if (!fold)
		return 0;
	if (group_arrange(fold, &out->draft))
		return -ENOMEM;
	out->texts = calloc(out->draft.tree.node_count + 1, sizeof(*out->texts));
	if (!out->texts)
		return -ENOMEM;
	for (uint32_t i = 0; i < out->draft.tree.node_count; i++) {
		group_draft_text(&out->draft, fold, i, &text);
		put_group_text(list, &text, &out->draft.nodes[i], &out->texts[i]);
	}
	return list->block.is_out_of_memory ? -ENOMEM : 0;
}

static void group_list_finish(struct group_list *list)
{
	group_draft_finish(&list->draft);
	free(list->texts);
}

static void join_groups(const struct group_list *from, struct group_tree *out,
			struct group_node *own_nodes, const char *text)
{
	*out = from->draft.tree;
	out->nodes = own_nodes;
	for (uint32_t i = 0; i < out->node_count; i++) {
		own_nodes[i] = from->draft.nodes[i];
		own_nodes[i].text = text + from->texts[i].text;
		own_nodes[i].object_path = text + from->texts[i].object_path;
		own_nodes[i].name = text + from->texts[i].name;
	}
}

/* The last step: one block, offsets become pointers. */
static struct snapshot *join(const struct snapshot *head, struct snapshot_rows *list,
			     const struct tree_list *tree, const struct group_list *groups,
			     const size_t head_text[8])
{
	const size_t rows_bytes = list->count * sizeof(*list->rows);
	const size_t nodes_bytes = tree->draft.tree.node_count * sizeof(struct tree_node);
	const size_t points_bytes = head->strip_count * sizeof(*head->strip);
	const size_t strip_bytes = head->heat ? points_bytes * (1 + HEAT_ROWS) : points_bytes;
	const size_t group_bytes = groups->draft.tree.node_count * sizeof(struct group_node);
	const struct probe_draft *draft = list->sources->probes;
	const size_t probe_bytes = draft ? probe_draft_bytes(draft) : 0;
	struct snapshot *out = malloc(sizeof(*out) + rows_bytes + nodes_bytes + group_bytes +
				      probe_bytes + strip_bytes + list->block.used);
	char *own_rows, *own_nodes, *own_groups, *probes, *strip, *text;

	if (!out)
		return NULL;
	own_rows = (char *)(out + 1);
	own_nodes = own_rows + rows_bytes;
	own_groups = own_nodes + nodes_bytes;
	probes = own_groups + group_bytes;
	strip = probes + probe_bytes;
	text = strip + strip_bytes;
	memcpy(text, list->block.bytes, list->block.used);
	snapshot_rows_join(list, text, (struct snapshot_row *)(void *)own_rows);
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
	out->baseline.label = text + head_text[5];
	out->baseline.notice = text + head_text[6];
	out->absent_events = text + head_text[7];
	out->next_event = NULL;
	out->folded = NULL;
	out->events = NULL;
	out->strip = (const float *)(const void *)strip;
	if (head->heat)
		out->heat = out->strip + head->strip_count;
	out->rows = (const struct snapshot_row *)(const void *)own_rows;
	out->row_count = list->count;
	if (draft)
		probe_draft_join(draft, probes, &out->probes);
	join_tree(tree, &out->tree, (struct tree_node *)(void *)own_nodes, text);
	join_groups(groups, &out->groups, (struct group_node *)(void *)own_groups, text);
	return out;
}

struct snapshot *snapshot_build(const struct snapshot *head, const struct fold *fold,
				const struct row_sources *sources)
{
	struct snapshot_rows list = { .fold = fold, .sources = sources };
	struct tree_list tree = { .texts = NULL };
	struct group_list groups = { .texts = NULL };
	struct snapshot *out = NULL;
	size_t head_text[8];

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
	if (!list.block.is_out_of_memory && !snapshot_rows_fill(&list) && !fill_tree(&list,
										     &tree) &&
	    !fill_groups(&list, &groups))
		out = join(head, &list, &tree, &groups, head_text);
	tree_list_finish(&tree);
	group_list_finish(&groups);
	snapshot_rows_finish(&list);
	return out;
}
