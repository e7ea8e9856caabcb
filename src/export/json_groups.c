/* json_groups.c - see json_groups.h. Groups are written in their order, and closed when a
 * group of no greater depth follows: no recursion. */
#include "json_groups.h"

#include <inttypes.h>
#include <stdlib.h>

#include "analyzer/snapshot.h"
#include "base/safe_print.h"
#include "fold/group_keys.h"
#include "group_lines.h"
#include "json_shares.h"
#include "json_text.h"

static void put_base(FILE *out, const struct group_node *node)
{
	const struct json_shares shares = {
		.self_samples = node->base_self_samples, .total_samples = node->base_total_samples,
		.self_pct = group_node_base_pct(node, node->base_self_weight),
		.total_pct = group_node_base_pct(node, node->base_total_weight),
		.self_period = node->base_self_weight, .total_period = node->base_total_weight,
	};

	if (!node->has_base) {
		safe_put(out, ",\"base_self\":null,\"base_total\":null,\"base_self_pct\":null,"
			      "\"base_total_pct\":null,\"base_self_period\":null,"
			      "\"base_total_period\":null");
		return;
	}
	safe_put(out, ",");
	json_put_shares(out, SAFE_TEXT("base_"), &shares);
}

static void put_code(FILE *out, const struct group_node *node)
{
	safe_put(out, ",\"dso\":");
	json_put_string(out, sanitize_checked(node->object_path));
	safe_print(out, ",\"level\":\"%c\"", snapshot_level(node->mode));
}

/* Open: what is below it follows. */
static void put_node(FILE *out, enum group_key key, const struct group_node *node,
		     bool is_compared)
{
	const struct json_shares shares = {
		.self_samples = node->self_samples, .total_samples = node->total_samples,
		.self_pct = group_node_pct(node, node->self_weight),
		.total_pct = group_node_pct(node, node->total_weight),
		.self_period = node->self_weight, .total_period = node->total_weight,
	};

	safe_print(out, "{\"key\":\"%s\",\"value\":", sanitize_checked(group_key_name(key)));
	json_put_string(out, sanitize_checked(node->text));
	safe_print(out, ",\"known\":%s,\"name\":", node->is_unknown ? SAFE_TEXT("false")
		   : SAFE_TEXT("true"));
	if (node->name[0])
		json_put_string(out, sanitize_checked(node->name));
	else
		safe_put(out, "null");
	if (node->object_path[0])
		put_code(out, node);
	safe_put(out, ",");
	json_put_shares(out, SAFE_TEXT(""), &shares);
	if (is_compared)
		put_base(out, node);
	safe_put(out, ",\"groups\":[");
}

/* Ends groups, the innermost first, until @depth of them are open. */
static uint32_t close_to(FILE *out, uint32_t open, uint32_t depth)
{
	for (; open > depth; open--)
		safe_put(out, "]}");
	return open;
}

static void put_nodes(FILE *out, const struct group_tree *tree, const bool *is_printed)
{
	uint32_t open = 0;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct group_node *node = &tree->nodes[i];
		const bool has_one = open > node->depth;	/* before it, of the same parent */

		if (is_printed && !is_printed[i])
			continue;
		open = close_to(out, open, node->depth);
		if (has_one)
			safe_put(out, ",");
		put_node(out, tree->keys[node->depth], node, tree->is_compared);
		open++;
	}
	close_to(out, open, 0);
}

void json_put_groups(FILE *out, const struct group_tree *tree, size_t max_rows)
{
	bool *is_printed;

	if (!tree->level_count)
		return;
	group_lines_choose(tree, max_rows, &is_printed);
	safe_put(out, ",\"groups\":{\"keys\":[");
	for (uint32_t i = 0; i < tree->level_count; i++)
		safe_print(out, "%s\"%s\"", i ? SAFE_TEXT(",") : SAFE_TEXT(""),
			   sanitize_checked(group_key_name(tree->keys[i])));
	safe_print(out, "],\"hidden_samples\":%" PRIu64 ",\"groups\":[", tree->hidden_samples);
	put_nodes(out, tree, is_printed);
	safe_put(out, "]}");
	free(is_printed);
}
