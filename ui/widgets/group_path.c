/* group_path.c - see group_path.h. */
#include "group_path.h"

#include <stdio.h>

#include "fold/query.h"
#include "ui/views.h"

/* Sets what the key of a node says about the row. */
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
	case GROUP_WAIT:
		row->wait = node->text;
		break;
	case GROUP_STATE:
		row->wait_state = node->text;
		break;
	case GROUP_WAKER:
		row->waker = node->name;
		break;
	case GROUP_DSO:
		row->dso = node->text;
		row->dso_path = node->name;
		break;
	case GROUP_SYMBOL:
		row->symbol = node->text;
		row->raw_symbol = node->name;
		row->state = node->name[0] ? SYMBOL_NAMED : SYMBOL_UNKNOWN;
		row->mode = node->mode;
		row->address = node->address;
		row->dso_id = node->dso_id;
		row->dso_path = node->dso_path;
		if (!row->dso[0])
			row->dso = node->dso_path;
		break;
	default:
		break;
	}
}

/* Lists the nodes from the root down to @node; returns how many there are. */
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
		.id = node->id, .now = node->now, .base = node->base,
		.symbol = "", .raw_symbol = "", .dso = "",
		.dso_path = "", .build_id = "", .comm = "", .event = "", .reason = "", .source = "",
		.source_reason = "", .command_line = "", .cgroup = "", .unit = "",
		.container = "", .pod = "", .wait = "",
		.wait_state = "", .waker = "", .dso_id = UINT32_MAX, .pid = -1,
		.tid = -1, .cpu = -1, .mode = MODE_UNKNOWN, .cpu_pct = -1, .busy_pct = -1,
	};

	for (uint32_t i = 0; i < count; i++)
		take_level(&row, tree->keys[i], path[i]);
	return row;
}

/* Returns the filter field of a key; -1: no filter can express it. */
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
	case GROUP_WAIT:      return FILTER_WAIT;
	case GROUP_STATE:     return FILTER_STATE;
	case GROUP_WAKER:     return FILTER_WAKER;
	case GROUP_CPU:	      return FILTER_CPU;
	case GROUP_DSO:    return FILTER_DSO;
	case GROUP_SYMBOL:    return FILTER_SYMBOL;
	default:	      return -1;
	}
}

/* "lock WALWrite" */
static struct filter_part part_by(const struct group_tree *tree, uint32_t level,
				  const struct group_node *node)
{
	struct filter_part part = {
		.field = FILTER_BY, .number = (uint64_t)(tree->keys[level] - GROUP_BY1),
		.hash = node->number,
	};

	snprintf(part.text, sizeof(part.text), "%s %s", group_tree_key_name(tree, level),
		 node->text);
	return part;
}

/* True if a DSO is above: elsewhere a function stands for all functions of its name. */
static bool is_below_dso(const struct group_tree *tree, uint32_t level)
{
	while (level-- > 0)
		if (tree->keys[level] == GROUP_DSO)
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
	const struct group_node *path[GROUP_LEVELS];
	size_t count = 0;

	list_path(tree, node, path);

	*left_out = 0;
	for (uint32_t i = 0; i <= tree->nodes[node].depth; i++) {
		const int field = field_of(tree->keys[i]);

		if (tree->keys[i] == GROUP_EVENT)
			continue;	/* which is chosen, see group_path_event() */
		if (group_key_is_by(tree->keys[i])) {
			out[count++] = part_by(tree, i, path[i]);
			continue;
		}
		if (field < 0 || !views_row_part((enum filter_field)field, &row, &out[count])) {
			*left_out |= 1u << tree->keys[i];
			continue;
		}
		if (field == FILTER_SYMBOL && !is_below_dso(tree, i))
			out[count].number = 0;
		count++;
	}
	return count;
}
