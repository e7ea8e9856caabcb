/* snapshot_lines.c - see snapshot_lines.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/diag.h"
#include "snapshot_lines.h"

__attribute__((format(printf, 2, 3)))
static void put(struct snapshot_lines *lines, const char *format, ...)
{
	va_list arguments;

	assert_true(lines->count < LINES_MAX);
	va_start(arguments, format);
	assert_true(vasprintf(&lines->list[lines->count++], format, arguments) >= 0);
	va_end(arguments);
}

static void put_rows(struct snapshot_lines *lines, const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct snapshot_row *row = &snapshot->rows[i];

		put(lines, "row %s|%s|%s|%s|%d %ld:%ld %u tasks, self %lu %g total %lu %g, base "
		    "%lu %lu, state %d %s #%lx", row->symbol, row->dso, row->dso_path,
		    row->comm, row->mode, (long)row->pid, (long)row->tid, row->tasks,
		    row->now.self.samples, row->now.self.weight, row->now.total.samples,
		    row->now.total.weight,
		    row->base.self.samples, row->base.total.samples, (int)row->state, row->reason,
		    lines->has_ids ? row->id : 0);
	}
}

static void put_tree(struct snapshot_lines *lines, const struct call_tree *tree)
{
	for (uint32_t n = 0; n < tree->node_count; n++) {
		const struct tree_node *node = &tree->nodes[n];
		char path[1024] = "";
		size_t len = 0;

		for (uint32_t at = n; at != UINT32_MAX; at = tree->nodes[at].parent)
			len += (size_t)snprintf(path + len, sizeof(path) - len, "%s(%s);",
						tree->nodes[at].symbol, tree->nodes[at].dso);
		put(lines, "tree %s self %lu total %lu %g base %lu #%lx", path,
		    node->now.self.samples, node->now.total.samples, node->now.total.weight,
		    node->base.total.samples, lines->has_ids ? node->id : 0);
	}
}

static void put_groups(struct snapshot_lines *lines, const struct group_tree *tree)
{
	for (uint32_t n = 0; n < tree->node_count; n++) {
		const struct group_node *node = &tree->nodes[n];
		char path[1024] = "";
		size_t len = 0;

		for (uint32_t at = n; at != UINT32_MAX; at = tree->nodes[at].parent)
			len += (size_t)snprintf(path + len, sizeof(path) - len, "%s;",
						tree->nodes[at].text);
		put(lines, "group %s self %lu total %lu %g base %lu #%lx", path,
		    node->now.self.samples, node->now.total.samples, node->now.total.weight,
		    node->base.total.samples, lines->has_ids ? node->id : 0);
	}
}

static void put_values(struct snapshot_lines *lines, const struct snapshot_probe *probe)
{
	for (uint32_t v = 0; v < probe->value_count; v++) {
		const struct snapshot_value *value = &probe->values[v];

		for (uint32_t t = 0; t < value->top_count; t++)
			put(lines, "value %s %s %lu", value->name, value->top[t].text,
			    value->top[t].count);
	}
}

static void put_probes(struct snapshot_lines *lines, const struct snapshot_probes *probes)
{
	for (uint32_t i = 0; i < probes->count; i++) {
		const struct snapshot_probe *probe = &probes->list[i];

		put(lines, "probe %s hits %lu p50 %lu max %lu", probe->name, probe->hits,
		    probe->latency.p50_ns, probe->latency.max_ns);
		put_values(lines, probe);
	}
	for (uint32_t i = 0; i < probes->slowest_count; i++)
		put(lines, "slow %s %ld %s %s", probes->slowest[i].comm,
		    (long)probes->slowest[i].latency_ns, probes->slowest[i].values,
		    probes->slowest[i].stack);
	for (uint32_t i = 0; i < probes->log_count; i++)
		put(lines, "hit %lu %s %s", probes->log[i].number, probes->log[i].comm,
		    probes->log[i].values);
}

static int by_text(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

void snapshot_lines_add(struct snapshot_lines *lines, const struct snapshot *snapshot)
{
	put(lines, "samples %lu %g idle %lu, unresolved %lu, evicted %lu, unattributed %lu, base "
	    "%lu %g", snapshot->samples, snapshot->weight, snapshot->idle_samples,
	    snapshot->unresolved, snapshot->evicted_samples, snapshot->unattributed,
	    snapshot->baseline.samples, snapshot->baseline.weight);
	put_rows(lines, snapshot);
	put_tree(lines, &snapshot->tree);
	put_tree(lines, &snapshot->folded->tree);
	put_groups(lines, &snapshot->groups);
	put_probes(lines, &snapshot->probes);
}

void snapshot_lines_sort(struct snapshot_lines *lines)
{
	qsort(lines->list, lines->count, sizeof(*lines->list), by_text);
}

/* Prints why a name may be missing, say. */
static void print_log(void)
{
	static struct log_line lines[LOG_LINES];
	const size_t count = log_tail(lines, LOG_LINES);

	for (size_t i = 0; i < count; i++)
		print_message("log: %s\n", lines[i].text);
}

void snapshot_lines_expect_same(const struct snapshot_lines *left,
				const struct snapshot_lines *right)
{
	for (uint32_t i = 0; i < left->count && i < right->count; i++) {
		if (strcmp(left->list[i], right->list[i]) != 0)
			print_log();
		assert_string_equal(left->list[i], right->list[i]);
	}
	assert_int_equal(left->count, right->count);
}

void snapshot_lines_free(const struct snapshot_lines *lines)
{
	for (uint32_t i = 0; i < lines->count; i++)
		free(lines->list[i]);
}
