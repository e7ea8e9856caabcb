/* json_groups.c - see export/json_groups.h. Groups are written in their order, and closed when one
 * of no greater depth follows: no recursion. */
#include "export/json_groups.h"

#include <inttypes.h>
#include <stdlib.h>

#include "export/group_lines.h"
#include "export/json_text.h"
#include "model/group_keys.h"
#include "model/snapshot.h"

static void put_base(FILE *out, const struct group_node *node)
{
	if (!node->has_base) {
		fputs(",\"base_self\":null,\"base_total\":null,\"base_self_pct\":null,"
		      "\"base_total_pct\":null,\"base_self_period\":null,"
		      "\"base_total_period\":null", out);
		return;
	}
	fprintf(out, ",\"base_self\":%" PRIu64 ",\"base_total\":%" PRIu64, node->base_self_samples,
		node->base_total_samples);
	fprintf(out, ",\"base_self_pct\":%.4f,\"base_total_pct\":%.4f",
		group_node_base_pct(node, node->base_self_weight),
		group_node_base_pct(node, node->base_total_weight));
	fprintf(out, ",\"base_self_period\":%.0f,\"base_total_period\":%.0f",
		node->base_self_weight, node->base_total_weight);
}

static void put_code(FILE *out, const struct group_node *node)
{
	fputs(",\"dso\":", out);
	json_put_string(out, node->object_path);
	fprintf(out, ",\"level\":\"%c\"", snapshot_level(node->mode));
}

/* Open: what is below it follows. */
static void put_node(FILE *out, enum group_key key, const struct group_node *node,
		     bool is_compared)
{
	fprintf(out, "{\"key\":\"%s\",\"value\":", group_key_name(key));
	json_put_string(out, node->text);
	fprintf(out, ",\"known\":%s,\"name\":", node->is_unknown ? "false" : "true");
	if (node->name[0])
		json_put_string(out, node->name);
	else
		fputs("null", out);
	if (node->object_path[0])
		put_code(out, node);
	fprintf(out, ",\"self\":%" PRIu64 ",\"total\":%" PRIu64, node->self_samples,
		node->total_samples);
	fprintf(out, ",\"self_pct\":%.4f,\"total_pct\":%.4f",
		group_node_pct(node, node->self_weight), group_node_pct(node, node->total_weight));
	fprintf(out, ",\"self_period\":%.0f,\"total_period\":%.0f", node->self_weight,
		node->total_weight);
	if (is_compared)
		put_base(out, node);
	fputs(",\"groups\":[", out);
}

/* Ends groups, the innermost first, until @depth of them are open. */
static uint32_t close_to(FILE *out, uint32_t open, uint32_t depth)
{
	for (; open > depth; open--)
		fputs("]}", out);
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
			putc(',', out);
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
	fputs(",\"groups\":{\"keys\":[", out);
	for (uint32_t i = 0; i < tree->level_count; i++)
		fprintf(out, "%s\"%s\"", i ? "," : "", group_key_name(tree->keys[i]));
	fprintf(out, "],\"hidden_samples\":%" PRIu64 ",\"groups\":[", tree->hidden_samples);
	put_nodes(out, tree, is_printed);
	fputs("]}", out);
	free(is_printed);
}
