/* folded.c - a call tree as folded stacks, and as a table with the same paths: see export/print.h.
 *
 * The tree is in preorder: the line of a node is the line of its parent and its own name. So the
 * text of the present path is kept, with the place where each depth's name ends.
 */
#include "export/print.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_print.h"
#include "table_columns.h"

struct path {
	char *text;	/* owned; names with ';' between */
	size_t room;
	size_t *ends;	/* owned; of the name at each depth */
	size_t event;	/* bytes of the event's name before the root's; 0: there is none */
};

static bool reserve(struct path *path, size_t room)
{
	char *bigger;

	if (room <= path->room)
		return true;
	bigger = realloc(path->text, room * 2);
	if (!bigger)
		return false;
	path->text = bigger;
	path->room = room * 2;
	return true;
}

static bool is_kernel(const struct tree_node *node)
{
	return !node->is_command &&
	       (node->mode == MODE_KERNEL || node->mode == MODE_GUEST_KERNEL);
}

static void replace_semicolons(char *name)
{
	while ((name = strchr(name, ';')) != NULL)
		*name = ':';
}

/* The name of the event, if there is one, before those of the roots. */
static bool put_event(struct path *path, const char *event)
{
	if (!reserve(path, strlen(event) + 1))
		return false;
	path->event = (size_t)sprintf(path->text, "%s", event);
	replace_semicolons(path->text);
	return true;
}

/* The name of @node after that of its parent. */
static bool put_name(struct path *path, const struct tree_node *node, bool marks_kernel)
{
	const bool has_name = node->is_command || node->state == SYMBOL_NAMED ||
			      node->state == SYMBOL_NO_MAP;
	const char *name = has_name ? node->symbol : node->dso;
	const bool has_brackets = has_name || name[0] == '[';
	size_t at = node->depth ? path->ends[node->depth - 1] : path->event;
	char *own;

	if (!reserve(path, at + strlen(name) + sizeof(";[]_[k]")))
		return false;
	if (at)
		path->text[at++] = ';';
	own = path->text + at;
	at += (size_t)sprintf(own, has_brackets ? "%s" : "[%s]", name);
	replace_semicolons(own);
	if (marks_kernel && is_kernel(node))
		at += (size_t)sprintf(path->text + at, "_[k]");
	path->ends[node->depth] = at;
	return true;
}

/* Samples, or by weight ns of waits and what hits weigh, in the window and in its baseline. */
struct counts {
	uint64_t now, base;
};

static uint64_t count_of(const struct load *load, bool by_weight)
{
	return by_weight ? (uint64_t)load->weight : load->samples;
}

/* Counts what ends here: also samples of a leaf that a filter hides. */
static struct counts ended_here(const struct call_tree *tree, uint32_t index, bool by_weight)
{
	const struct tree_node *node = &tree->nodes[index];
	struct counts ended = { count_of(&node->now.total, by_weight),
				count_of(&node->base.total, by_weight) };

	for (uint32_t child = index + 1; child < index + node->size;
	     child += tree->nodes[child].size) {
		ended.now -= count_of(&tree->nodes[child].now.total, by_weight);
		ended.base -= count_of(&tree->nodes[child].base.total, by_weight);
	}
	return ended;
}

static void put_line(FILE *out, const struct path *path, const struct tree_node *node,
		     struct counts counts, bool is_compared)
{
	if (!counts.now && !counts.base)
		return;
	path->text[path->ends[node->depth]] = '\0'; /* names of deeper ones stay after it */
	safe_put_text(out, sanitize_checked(path->text));
	if (is_compared)
		safe_print(out, " %" PRIu64, counts.base);
	safe_print(out, " %" PRIu64 "\n", counts.now);
}

static uint32_t deepest(const struct call_tree *tree)
{
	uint32_t depth = 0;

	for (uint32_t i = 0; i < tree->node_count; i++)
		if (tree->nodes[i].depth > depth)
			depth = tree->nodes[i].depth;
	return depth;
}

int folded_write(FILE *out, const struct call_tree *tree, const char *event, bool marks_kernel,
		 bool is_compared, bool by_weight)
{
	struct path path = { .ends = calloc(deepest(tree) + 1, sizeof(*path.ends)) };
	int err = path.ends && put_event(&path, event) ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < tree->node_count; i++) {
		if (!put_name(&path, &tree->nodes[i], marks_kernel))
			err = -ENOMEM;
		else
			put_line(out, &path, &tree->nodes[i], ended_here(tree, i, by_weight),
				 is_compared);
	}
	free(path.text);
	free(path.ends);
	return err;
}

/* The table has a row for each node, with its path from the command or the outermost function. */

static const struct tree_node no_node = { .symbol = "", .dso = "", .dso_path = "" };

static double pct_of(double weight, double whole)
{
	return whole > 0 ? 100.0 * weight / whole : 0;
}

static void put_node(struct cells *cells, const struct table_columns *columns,
		     const struct snapshot *snapshot, const struct tree_node *node,
		     const char *path)
{
	const struct call_tree *tree = &snapshot->tree;
	const bool has_base = snapshot->is_compared;
	const struct cells_stats stats = {
		.now = &node->now, .base = &node->base,
		.self_pct = pct_of(node->now.self.weight, tree->weight),
		.total_pct = pct_of(node->now.total.weight, tree->weight),
		.base_self_pct = pct_of(node->base.self.weight, tree->base_weight),
		.base_total_pct = pct_of(node->base.total.weight, tree->base_weight),
		.is_compared = columns->is_compared, .has_base = has_base,
	};
	const char level[] = { node->is_command ? '\0' : snapshot_level(node->mode), '\0' };
	const char *mark = !has_base ? "" : !node->now.total.samples ? "gone"
					  : !node->base.total.samples ? "new" : "";

	cells_count(cells, "time_ns", NULL, snapshot->time_ns);
	cells_text(cells, "event", NULL, snapshot->event);
	if (columns->is_compared) {
		cells_change(cells, "change_points", "CHANGE", has_base,
			     stats.total_pct - stats.base_total_pct, 4);
		cells_word(cells, "change", "", mark);
	}
	cells_stats(cells, &stats);
	if (columns->has_time)
		cells_time(cells, NULL, "TIME", true, (uint64_t)node->now.total.weight);
	cells_count(cells, "depth", "DEPTH", node->depth);
	cells_text(cells, "dso", NULL, node->is_command ? "" : node->dso_path);
	cells_word(cells, "level", NULL, level);
	cells_text(cells, "symbol", "FUNCTION",
		   node->symbol[0] || node->is_command ? node->symbol : node->dso);
	cells_text(cells, "path", NULL, path);
	cells_end(cells);
}

static double weight_of(const struct tree_node *node)
{
	const double now = node->now.total.weight, base = node->base.total.weight;

	return now > base ? now : base;
}

static int heaviest_first(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;

	return (left < right) - (left > right);
}

/* The nodes that have room: all that weigh more than `least`, and so many of that weight. */
struct heaviest {
	double least;
	size_t equal;
};

/* Finds the @max heaviest nodes; all, if they have room or memory is out. A node is not heavier
 * than its parent, which comes before it, so the first of equal ones are a tree with the heavier
 * ones. */
static struct heaviest find_heaviest(const struct call_tree *tree, size_t max)
{
	struct heaviest out = { .least = -1 };
	double *weights;

	if (max >= tree->node_count || !max)
		return out;
	weights = malloc(tree->node_count * sizeof(*weights));
	if (!weights)
		return out;
	for (uint32_t i = 0; i < tree->node_count; i++)
		weights[i] = weight_of(&tree->nodes[i]);
	qsort(weights, tree->node_count, sizeof(*weights), heaviest_first);
	out.least = weights[max - 1];
	while (out.equal < max && weights[max - 1 - out.equal] == out.least)
		out.equal++;
	free(weights);
	return out;
}

/* Whether @node, the next one, has room in @left. */
static bool takes_room(struct heaviest *left, const struct tree_node *node)
{
	const double weight = weight_of(node);

	if (weight > left->least)
		return true;
	if (weight < left->least || !left->equal)
		return false;
	left->equal--;
	return true;
}

int tree_table_write(struct cells *cells, const struct table_columns *columns,
		     const struct snapshot *snapshot, size_t *more)
{
	static const struct snapshot nothing = { .event = "" };
	const struct call_tree *tree = snapshot ? &snapshot->tree : &nothing.tree;
	struct heaviest left = find_heaviest(tree, columns->options.print.max_rows);
	struct path path = { .ends = calloc(deepest(tree) + 1, sizeof(*path.ends)) };
	int err = path.ends ? 0 : -ENOMEM;

	if (!snapshot)
		put_node(cells, columns, &nothing, &no_node, "");
	for (uint32_t i = 0; i < tree->node_count && !err; i++) {
		const struct tree_node *node = &tree->nodes[i];

		if (!put_name(&path, node, false)) {
			err = -ENOMEM;
		} else if (takes_room(&left, node)) {
			path.text[path.ends[node->depth]] = '\0';
			put_node(cells, columns, snapshot, node, path.text);
		} else {
			(*more)++;
		}
	}
	free(path.text);
	free(path.ends);
	return err;
}
