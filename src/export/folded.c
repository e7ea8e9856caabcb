/* folded.c - see export/folded.h.
 *
 * The tree is in preorder: the line of a node is the line of its parent and its own name. So the
 * text of the present path is kept, with the place where each depth's name ends.
 */
#include "export/folded.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_print.h"

struct path {
	char *text;	/* owned; names with ';' between */
	size_t room;
	size_t *ends;	/* owned; of the name at each depth */
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

/* The name of @node behind that of its parent. */
static bool put_name(struct path *path, const struct tree_node *node, bool marks_kernel)
{
	const bool has_name = node->is_command || node->state == SYMBOL_NAMED ||
			      node->state == SYMBOL_NO_MAP;
	const char *name = has_name ? node->symbol : node->object;
	const bool has_brackets = has_name || name[0] == '[';
	size_t at = node->depth ? path->ends[node->depth - 1] : 0;
	char *own;

	if (!reserve(path, at + strlen(name) + sizeof(";[]_[k]")))
		return false;
	if (node->depth)
		path->text[at++] = ';';
	own = path->text + at;
	at += (size_t)sprintf(own, has_brackets ? "%s" : "[%s]", name);
	while ((own = strchr(own, ';')) != NULL)
		*own = ':';
	if (marks_kernel && is_kernel(node))
		at += (size_t)sprintf(path->text + at, "_[k]");
	path->ends[node->depth] = at;
	return true;
}

/* Samples in the window and in its baseline. */
struct counts {
	uint64_t samples, base;
};

/* Samples whose path ends here: also those of a leaf that a filter hides. */
static struct counts ended_samples(const struct call_tree *tree, uint32_t index)
{
	const struct tree_node *node = &tree->nodes[index];
	struct counts ended = { node->total_samples, node->base_total_samples };

	for (uint32_t child = index + 1; child < index + node->size;
	     child += tree->nodes[child].size) {
		ended.samples -= tree->nodes[child].total_samples;
		ended.base -= tree->nodes[child].base_total_samples;
	}
	return ended;
}

static void put_line(FILE *out, const struct path *path, const struct tree_node *node,
		     struct counts counts, bool is_compared)
{
	if (!counts.samples && !counts.base)
		return;
	path->text[path->ends[node->depth]] = '\0'; /* names of deeper ones stay behind it */
	safe_put_text(out, sanitize_checked(path->text));
	if (is_compared)
		safe_print(out, " %" PRIu64, counts.base);
	safe_print(out, " %" PRIu64 "\n", counts.samples);
}

static uint32_t deepest(const struct call_tree *tree)
{
	uint32_t depth = 0;

	for (uint32_t i = 0; i < tree->node_count; i++)
		if (tree->nodes[i].depth > depth)
			depth = tree->nodes[i].depth;
	return depth;
}

int folded_write(FILE *out, const struct call_tree *tree, bool marks_kernel, bool is_compared)
{
	struct path path = { .ends = calloc(deepest(tree) + 1, sizeof(*path.ends)) };
	int err = path.ends ? 0 : -ENOMEM;

	for (uint32_t i = 0; !err && i < tree->node_count; i++) {
		if (!put_name(&path, &tree->nodes[i], marks_kernel))
			err = -ENOMEM;
		else
			put_line(out, &path, &tree->nodes[i], ended_samples(tree, i), is_compared);
	}
	free(path.text);
	free(path.ends);
	return err;
}
