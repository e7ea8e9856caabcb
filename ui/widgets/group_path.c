/* group_path.c - see group_path.h. */
#include "group_path.h"

#include "ui/views.h"

/* What a node's key says of a row. */
static void take_level(struct snapshot_row *row, enum group_key key, const struct group_node *node)
{
	switch (key) {
	case GROUP_COMM:
		row->comm = node->name;
		break;
	case GROUP_PID:
		row->pid = node->name[0] ? (int64_t)node->number : -1;
		break;
	case GROUP_TID:
		row->tid = node->name[0] ? (int64_t)node->number : -1;
		break;
	case GROUP_CPU:
		row->cpu = node->name[0] ? (int64_t)node->number : -1;
		break;
	case GROUP_CGROUP:
		row->cgroup = node->name;
		break;
	case GROUP_UNIT:
		row->unit = node->name;
		break;
	case GROUP_CONTAINER:
		row->container = node->name;
		break;
	case GROUP_POD:
		row->pod = node->name;
		break;
	case GROUP_OBJECT:
		row->object = node->text;
		row->object_path = node->name;
		break;
	case GROUP_SYMBOL:
		row->symbol = node->text;
		row->raw_symbol = node->name;
		row->state = node->name[0] ? SYMBOL_NAMED : SYMBOL_UNKNOWN;
		row->mode = node->mode;
		row->object_path = node->object_path;
		if (!row->object[0])
			row->object = node->object_path;
		break;
	default:
		break;
	}
}

/* From the root down to @node; returns how many. */
static uint32_t list_path(const struct group_tree *tree, uint32_t node,
			  const struct group_node *out[GROUP_LEVELS])
{
	const uint32_t count = tree->nodes[node].depth + 1;

	for (uint32_t at = node; at != UINT32_MAX; at = tree->nodes[at].parent)
		out[tree->nodes[at].depth] = &tree->nodes[at];
	return count;
}

struct snapshot_row group_path_row(const struct group_tree *tree, uint32_t number)
{
	const struct group_node *path[GROUP_LEVELS], *node = &tree->nodes[number];
	const uint32_t count = list_path(tree, number, path);
	struct snapshot_row row = {
		.id = node->id, .self_samples = node->self_samples,
		.total_samples = node->total_samples, .self_weight = node->self_weight,
		.total_weight = node->total_weight, .symbol = "", .raw_symbol = "", .object = "",
		.object_path = "", .build_id = "", .comm = "", .reason = "", .source = "",
		.source_reason = "", .command_line = "", .cgroup = "", .unit = "",
		.container = "", .pod = "", .object_id = UINT32_MAX, .pid = -1,
		.tid = -1, .cpu = -1, .mode = MODE_UNKNOWN, .cpu_pct = -1, .busy_pct = -1,
		.base_self_samples = node->base_self_samples,
		.base_total_samples = node->base_total_samples,
		.base_self_weight = node->base_self_weight,
		.base_total_weight = node->base_total_weight,
	};

	for (uint32_t i = 0; i < count; i++)
		take_level(&row, tree->keys[i], path[i]);
	return row;
}

/* -1: no filter can tell. */
static int field_of(enum group_key key)
{
	switch (key) {
	case GROUP_COMM:      return FILTER_COMMAND;
	case GROUP_PID:	      return FILTER_PID;
	case GROUP_TID:	      return FILTER_TID;
	case GROUP_CGROUP:    return FILTER_CGROUP;
	case GROUP_UNIT:      return FILTER_UNIT;
	case GROUP_CONTAINER: return FILTER_CONTAINER;
	case GROUP_POD:	      return FILTER_POD;
	case GROUP_CPU:	      return FILTER_CPU;
	case GROUP_OBJECT:    return FILTER_OBJECT;
	case GROUP_SYMBOL:    return FILTER_SYMBOL;
	default:	      return -1;
	}
}

/* Elsewhere than below its object a function is all those of its name. */
static bool is_below_object(const struct group_tree *tree, uint32_t level)
{
	while (level-- > 0)
		if (tree->keys[level] == GROUP_OBJECT)
			return true;
	return false;
}

uint32_t group_path_event(const struct group_tree *tree, uint32_t node, uint32_t shown)
{
	const struct group_node *path[GROUP_LEVELS];

	list_path(tree, node, path);
	return tree->keys[0] == GROUP_EVENT ? (uint32_t)path[0]->number : shown;
}

size_t group_path_parts(const struct group_tree *tree, uint32_t node, struct filter_part *out,
			unsigned int *left_out)
{
	const struct snapshot_row row = group_path_row(tree, node);
	size_t count = 0;

	*left_out = 0;
	for (uint32_t i = 0; i <= tree->nodes[node].depth; i++) {
		const int field = field_of(tree->keys[i]);

		if (tree->keys[i] == GROUP_EVENT)
			continue;	/* which is chosen, see group_path_event() */
		if (field < 0 || !views_row_part((enum filter_field)field, &row, &out[count])) {
			*left_out |= 1u << tree->keys[i];
			continue;
		}
		if (field == FILTER_SYMBOL && !is_below_object(tree, i))
			out[count].number = 0;
		count++;
	}
	return count;
}
