/* text_groups.c - see text_groups.h. */
#include "text_groups.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/snapshot.h"
#include "base/safe_print.h"
#include "fold/group_keys.h"
#include "group_lines.h"

#define INDENT 2

static void put_titles(FILE *out, const struct group_tree *tree, bool is_compared)
{
	if (is_compared)
		safe_put(out,
			 "  CHANGE        SELF%  A SELF%  TOTAL%  A TOTAL%  SAMPLES  A SAMPLES  ");
	else
		safe_put(out, "  SELF%  TOTAL%  SAMPLES  ");
	for (uint32_t i = 0; i < tree->level_count; i++)
		safe_print(out, "%s%s", i ? SAFE_TEXT(" > ") : SAFE_TEXT(""),
			   sanitize_checked(group_key_name(tree->keys[i])));
	safe_put(out, "\n");
}

/* As in tables, functions have their level. */
static bool has_level(enum group_key key, const struct group_node *node)
{
	return !node->is_unknown &&
	       (key == GROUP_SYMBOL || key == GROUP_ADDRESS || key == GROUP_PARENT);
}

static void put_figures(FILE *out, const struct group_node *node)
{
	safe_print(out, " %6.2f  %6.2f  %7" PRIu64, group_node_pct(node, node->self_weight),
		   group_node_pct(node, node->total_weight), node->self_samples);
}

/* Writes "-" for a group whose event is not in the baseline, as that is not 0. */
static void put_without_base(FILE *out, const struct group_node *node)
{
	safe_print(out, " %7s  %-4s  %6.2f  %7s  %6.2f  %8s  %7" PRIu64 "  %9s", SAFE_TEXT("-"),
		   SAFE_TEXT(""),
		   group_node_pct(node, node->self_weight), SAFE_TEXT("-"),
		   group_node_pct(node, node->total_weight), SAFE_TEXT("-"), node->self_samples,
		   SAFE_TEXT("-"));
}

static void put_changes(FILE *out, const struct group_node *node)
{
	const double self = group_node_pct(node, node->self_weight);
	const double base_self = group_node_base_pct(node, node->base_self_weight);
	const char *mark = !node->total_samples ? "gone" : !node->base_total_samples ? "new" : "";

	safe_print(out, " %+7.2f  %-4s  %6.2f  %7.2f  %6.2f  %8.2f  %7" PRIu64 "  %9" PRIu64,
		   self - base_self, sanitize_checked(mark), self, base_self,
		   group_node_pct(node, node->total_weight),
		   group_node_base_pct(node, node->base_total_weight), node->self_samples,
		   node->base_self_samples);
}

static void put_node(FILE *out, enum group_key key, const struct group_node *node,
		     bool is_compared)
{
	if (is_compared && node->has_base)
		put_changes(out, node);
	else if (is_compared)
		put_without_base(out, node);
	else
		put_figures(out, node);
	safe_print(out, "  %*s", INDENT * (int)node->depth, SAFE_TEXT(""));
	if (has_level(key, node))
		safe_print(out, "[%c] ", snapshot_level(node->mode));
	safe_print(out, "%s\n", sanitize_checked(node->text));
}

void text_put_groups(FILE *out, const struct group_tree *tree, size_t max_rows)
{
	bool *is_printed;
	const size_t more = group_lines_choose(tree, max_rows, &is_printed);

	put_titles(out, tree, tree->is_compared);
	for (uint32_t i = 0; i < tree->node_count; i++)
		if (!is_printed || is_printed[i])
			put_node(out, tree->keys[tree->nodes[i].depth], &tree->nodes[i],
				 tree->is_compared);
	if (more)
		safe_print(out, "  ... %zu more groups (-E shows more)\n", more);
	if (tree->hidden_samples)
		safe_print(out, "  %" PRIu64 " samples of smaller groups are not shown\n",
			   tree->hidden_samples);
	free(is_printed);
}
