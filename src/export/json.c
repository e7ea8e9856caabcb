/* json.c - a snapshot as JSON: json_write() of export/print.h.
 *
 * A value not in the key, or unknown, is null: absent is not zero.
 */
#include "export/print.h"

#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/snapshot.h"
#include "base/safe_print.h"
#include "base/sanitize.h"
#include "fold/query.h"
#include "fold/tree.h"
#include "group_lines.h"
#include "hit_group_lines.h"
#include "ingest/snapshot_probes.h"
#include "json.h"

#define LINE_BYTES 4096	/* a longer line is cut */

/* Writes @lines, one sentence each, as one string, after sanitizing each. */
static void put_lines(FILE *out, const char *lines)
{
	char line[LINE_BYTES];

	safe_put(out, "\"");
	while (*lines) {
		const size_t length = strcspn(lines, "\n");

		safe_put_escaped(out, sanitize(line, sizeof(line), lines, length), "\"\\");
		lines += length;
		if (*lines) {
			safe_put(out, "\\u000a");
			lines++;
		}
	}
	safe_put(out, "\"");
}

static void put_string_or_null(FILE *out, bool is_there, const char *text)
{
	if (is_there)
		safe_put_json(out, sanitize_checked(text));
	else
		safe_put(out, "null");
}

static void put_number_or_null(FILE *out, bool is_there, int64_t number)
{
	if (is_there)
		safe_print(out, "%" PRId64, number);
	else
		safe_put(out, "null");
}

static void put_tenths_or_null(FILE *out, double number)
{
	if (number < 0)
		safe_put(out, "null");
	else
		safe_print(out, "%.1f", number);
}

static void put_pct(FILE *out, struct safe_text prefix, const char *name, double pct)
{
	safe_print(out, ",\"%s%s\":", prefix, sanitize_checked(name));
	if (pct < 0)
		safe_put(out, "null");
	else
		safe_print(out, "%.4f", pct);
}

/* Writes "self":...,"total":... and so on, without a comma at either end; each name begins with
 * @prefix. The shares are of the samples shown; < 0: idle, no share. */
static void put_stats(FILE *out, struct safe_text prefix, const struct stats *stats,
		      double self_pct, double total_pct)
{
	safe_print(out, "\"%sself\":%" PRIu64 ",\"%stotal\":%" PRIu64, prefix,
		   stats->self.samples, prefix, stats->total.samples);
	put_pct(out, prefix, "self_pct", self_pct);
	put_pct(out, prefix, "total_pct", total_pct);
	safe_print(out, ",\"%sself_period\":%.0f,\"%stotal_period\":%.0f", prefix,
		   stats->self.weight, prefix, stats->total.weight);
}

/* Writes ,"ratios":{"IPC":0.5000}, if the events have some. Null: the divisor is 0. */
static void put_ratios(FILE *out, const struct event_columns *columns, const struct stats *by_event)
{
	double value;
	bool is_rough;

	if (!columns->ratio_count || !by_event)
		return;
	safe_put(out, ",\"ratios\":{");
	for (uint32_t i = 0; i < columns->ratio_count; i++) {
		value = event_ratio_of(&columns->ratios[i], by_event, false, &is_rough);
		if (i)
			safe_put(out, ",");
		safe_put_json(out, sanitize_checked(columns->ratios[i].title));
		safe_put(out, ":");
		if (value < 0)
			safe_put(out, "null");
		else
			safe_print(out, "%.4f", value);
	}
	safe_put(out, "}");
}

static const char *kind_name(enum probe_kind kind)
{
	switch (kind) {
	case PROBE_KERNEL:     return "kernel";
	case PROBE_USER:       return "user";
	case PROBE_TRACEPOINT: return "tracepoint";
	case PROBE_USDT:       break;
	}
	return "usdt";
}

static const char *edge_name(enum probe_edge edge)
{
	switch (edge) {
	case PROBE_ENTRY:   return "entry";
	case PROBE_RETURN:  return "return";
	case PROBE_LATENCY: break;
	}
	return "latency";
}

/* Up to the last octave that counts. */
static void put_octaves(FILE *out, const uint64_t *octaves)
{
	int count = LATENCY_OCTAVES;

	while (count && !octaves[count - 1])
		count--;
	safe_put(out, ",\"log2\":[");
	for (int i = 0; i < count; i++)
		safe_print(out, "%s%" PRIu64, i ? SAFE_TEXT(",") : SAFE_TEXT(""), octaves[i]);
	safe_put(out, "]");
}

static void put_latency(FILE *out, const struct snapshot_probe *probe)
{
	const struct snapshot_latency *latency = &probe->latency;

	safe_put(out, ",\"latency_ns\":");
	if (!probe->has_latency) {
		safe_put(out, "null");
		return;
	}
	safe_print(out, "{\"count\":%" PRIu64, latency->count);
	if (latency->count)
		safe_print(out,
			   ",\"p50\":%" PRIu64 ",\"p90\":%" PRIu64 ",\"p99\":%" PRIu64
			   ",\"max\":%" PRIu64, latency->p50_ns, latency->p90_ns, latency->p99_ns,
			   latency->max_ns);
	else
		safe_put(out, ",\"p50\":null,\"p90\":null,\"p99\":null,\"max\":null");
	safe_put(out, ",\"own\":");
	put_number_or_null(out, probe->own_ns, probe->own_ns);
	put_octaves(out, latency->octaves);
	safe_put(out, "}");
}

static void put_top(FILE *out, const struct snapshot_value *value)
{
	safe_put(out, ",\"top\":[");
	for (uint32_t i = 0; i < value->top_count; i++) {
		const struct snapshot_top *top = &value->top[i];

		safe_put_text(out, i ? SAFE_TEXT(",[") : SAFE_TEXT("["));
		if (top->is_named)
			safe_put_json(out, sanitize_checked(top->text));
		else if (top->is_number && value->kind == VALUE_UNSIGNED)
			safe_print(out, "%" PRIu64, (uint64_t)top->number);
		else if (top->is_number && value->kind == VALUE_SIGNED)
			safe_print(out, "%" PRId64, top->number);
		else
			safe_put_json(out, sanitize_checked(top->text));
		safe_print(out, ",%" PRIu64 "]", top->count);
	}
	safe_print(out, "],\"other\":%" PRIu64, value->other);
}

static void put_value(FILE *out, const struct snapshot_value *value)
{
	char min[SNAPSHOT_NUMBER_BYTES], max[SNAPSHOT_NUMBER_BYTES];

	safe_put_json(out, sanitize_checked(value->name));
	safe_print(out, ":{\"count\":%" PRIu64 ",\"unknown\":%" PRIu64 ",\"type\":", value->count,
		   value->unknown);
	safe_put_json(out, sanitize_checked(value->type));
	safe_put(out, ",\"origin\":");
	safe_put_json(out, sanitize_checked(value->origin));
	if (value->numbers)
		safe_print(out, ",\"min\":%s,\"max\":%s,\"mean\":%.3f",
			   sanitize_checked(snapshot_number(value->is_signed, value->min, min)),
			   sanitize_checked(snapshot_number(value->is_signed, value->max, max)),
			   value->mean);
	else
		safe_put(out, ",\"min\":null,\"max\":null,\"mean\":null");
	safe_print(out, ",\"zeros\":%" PRIu64 ",\"negatives\":%" PRIu64, value->zeros,
		   value->negatives);
	put_octaves(out, value->octaves);
	put_top(out, value);
	safe_put(out, "}");
}

static void put_probe(FILE *out, const struct snapshot_probe *probe,
		      const struct snapshot_groups *groups)
{
	safe_put(out, "{\"spec\":");
	safe_put_json(out, sanitize_checked(probe->spec));
	safe_put(out, ",\"name\":");
	safe_put_json(out, sanitize_checked(probe->name));
	safe_put(out, ",\"dso\":");
	safe_put_json(out, sanitize_checked(probe->dso));
	safe_put(out, ",\"scope\":");
	safe_put_json(out, sanitize_checked(probe->scope));
	safe_print(out, ",\"kind\":\"%s\",\"edge\":\"%s\",\"state\":\"%s\",\"reason\":",
		   sanitize_checked(kind_name(probe->kind)),
		   sanitize_checked(edge_name(probe->edge)),
		   sanitize_checked(probe_state_name(probe->state)));
	put_string_or_null(out, probe->reason[0], probe->reason);
	safe_print(out, ",\"hits\":%" PRIu64 ",\"hits_per_s\":", probe->hits);
	put_tenths_or_null(out, probe->hits_per_s);
	safe_print(out, ",\"missed\":%" PRIu64 ",\"lost\":%" PRIu64 ",\"hits_since\":%" PRIu64,
		   probe->missed_since, probe->lost_since, probe->hits_since);
	safe_print(out, ",\"unpaired\":%" PRIu64 ",\"filtered\":%" PRIu64 ",\"in_flight\":%" PRIu64,
		   probe->unpaired, probe->filtered, probe->in_flight);
	safe_print(out, ",\"cost_pct\":%.3f,\"in_bursts\":%s", probe->cost_pct,
		   probe->is_in_bursts ? SAFE_TEXT("true") : SAFE_TEXT("false"));
	put_latency(out, probe);
	safe_put(out, ",\"values\":{");
	for (uint32_t i = 0; i < probe->value_count; i++) {
		if (i)
			safe_put(out, ",");
		put_value(out, &probe->values[i]);
	}
	safe_put(out, "}");
	if (groups)
		json_put_hit_groups(out, groups);
	safe_put(out, "}");
}

void json_put_probes(FILE *out, const struct snapshot_probes *probes)
{
	if (!probes->count)
		return;
	safe_put(out, ",\"probes\":[");
	for (uint32_t i = 0; i < probes->count; i++) {
		if (i)
			safe_put(out, ",");
		put_probe(out, &probes->list[i],
			  snapshot_groups_find(probes, probes->list[i].id));
	}
	safe_put(out, "]");
}

static void put_group_base(FILE *out, const struct group_node *node)
{
	if (!node->has_base) {
		safe_put(out, ",\"base_self\":null,\"base_total\":null,\"base_self_pct\":null,"
			      "\"base_total_pct\":null,\"base_self_period\":null,"
			      "\"base_total_period\":null");
		return;
	}
	safe_put(out, ",");
	put_stats(out, SAFE_TEXT("base_"), &node->base,
		  group_node_base_pct(node, node->base.self.weight),
		  group_node_base_pct(node, node->base.total.weight));
}

static void put_group_code(FILE *out, const struct group_node *node)
{
	safe_put(out, ",\"dso\":");
	safe_put_json(out, sanitize_checked(node->dso_path));
	safe_print(out, ",\"level\":\"%c\"", snapshot_level(node->mode));
}

/* Open: what is below it follows. */
static void put_node(FILE *out, const struct group_tree *tree, const struct group_node *node)
{
	safe_put(out, "{\"key\":");
	safe_put_json(out, sanitize_checked(group_tree_key_name(tree, node->depth)));
	safe_put(out, ",\"value\":");
	safe_put_json(out, sanitize_checked(node->text));
	safe_print(out, ",\"known\":%s,\"name\":", node->is_unknown ? SAFE_TEXT("false")
		   : SAFE_TEXT("true"));
	put_string_or_null(out, node->name[0], node->name);
	if (node->dso_path[0])
		put_group_code(out, node);
	safe_put(out, ",");
	put_stats(out, SAFE_TEXT(""), &node->now, group_node_pct(node, node->now.self.weight),
		  group_node_pct(node, node->now.total.weight));
	if (tree->is_compared)
		put_group_base(out, node);
	safe_put(out, ",\"groups\":[");
}

/* Ends groups, the innermost first, until @depth of them are open. */
static uint32_t close_to(FILE *out, uint32_t open, uint32_t depth)
{
	for (; open > depth; open--)
		safe_put(out, "]}");
	return open;
}

/* Writes groups in their order, and closes one when a group of no greater depth follows: no
 * recursion. */
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
		put_node(out, tree, node);
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
	for (uint32_t i = 0; i < tree->level_count; i++) {
		safe_print(out, "%s", i ? SAFE_TEXT(",") : SAFE_TEXT(""));
		safe_put_json(out, sanitize_checked(group_tree_key_name(tree, i)));
	}
	safe_print(out, "],\"hidden_samples\":%" PRIu64 ",\"groups\":[", tree->hidden_samples);
	put_nodes(out, tree, is_printed);
	safe_put(out, "]}");
	free(is_printed);
}

static void put_symbol(FILE *out, const struct snapshot_row *row, bool is_named)
{
	safe_put(out, ",\"symbol\":");
	put_string_or_null(out, is_named, row->symbol);
	safe_put(out, ",\"raw_symbol\":");
	put_string_or_null(out, is_named, row->raw_symbol);
	safe_print(out, ",\"synthetic\":%s",
		   !is_named ? SAFE_TEXT("null") : row->is_synthetic ? SAFE_TEXT("true")
								     : SAFE_TEXT("false"));
}

static void put_code(FILE *out, const struct snapshot_row *row, unsigned int keys)
{
	/* Functions of one name in several DSOs have no address in common. */
	const bool has_one = (keys & KEY_DSO) || row->state != SYMBOL_NAMED;
	const bool has_address = (keys & KEY_ADDRESS) || ((keys & KEY_SYMBOL) && has_one &&
							  row->state != SYMBOL_LOADING &&
							  row->state != SYMBOL_NO_MAP);

	safe_put(out, ",\"dso\":");
	put_string_or_null(out, keys & KEY_DSO, row->dso_path);
	safe_put(out, ",\"build_id\":");
	put_string_or_null(out, (keys & KEY_DSO) && row->build_id[0], row->build_id);
	put_symbol(out, row, (keys & KEY_SYMBOL) && (row->state == SYMBOL_NAMED ||
						     row->state == SYMBOL_NO_MAP));
	safe_put(out, ",\"unreadable\":");
	put_string_or_null(out, row->reason[0], row->reason);
	safe_put(out, ",\"address\":");
	if (has_address)
		safe_print(out, "\"0x%" PRIx64 "\"", row->address);
	else
		safe_put(out, "null");
	safe_put(out, ",\"level\":");
	if (keys & (KEY_DSO | KEY_SYMBOL | KEY_ADDRESS) && row->id != ROW_OF_SHORT_WAITS)
		safe_print(out, "\"%c\"", snapshot_level(row->mode));
	else
		safe_put(out, "null");
}

/* Writes where a branch comes from. */
static void put_from(FILE *out, const struct snapshot_row *row)
{
	const bool is_known = row->from_dso_path[0];
	const char level[] = { snapshot_level(row->from_mode), '\0' };

	safe_print(out, ",\"predicted\":%.0f,\"mispredicted\":%.0f,\"from_dso\":", row->predicted,
		   row->mispredicted);
	put_string_or_null(out, is_known, row->from_dso_path);
	safe_put(out, ",\"from_symbol\":");
	put_string_or_null(out, is_known && row->is_from_named, row->from_symbol);
	safe_put(out, ",\"from_address\":");
	if (is_known)
		safe_print(out, "\"0x%" PRIx64 "\"", row->from_address);
	else
		safe_put(out, "null");
	safe_put(out, ",\"from_level\":");
	put_string_or_null(out, is_known, level);
}

/* Each null: in none, all: unknown. */
static void put_cgroup(FILE *out, const struct snapshot_row *row)
{
	safe_put(out, ",\"cgroup\":");
	put_string_or_null(out, row->cgroup[0], row->cgroup);
	safe_put(out, ",\"unit\":");
	put_string_or_null(out, row->unit[0], row->unit);
	safe_put(out, ",\"container\":");
	put_string_or_null(out, row->container[0], row->container);
	safe_put(out, ",\"pod\":");
	put_string_or_null(out, row->pod[0], row->pod);
}

static void put_wait(FILE *out, const struct snapshot_row *row)
{
	safe_put(out, ",\"wait\":");
	put_string_or_null(out, row->wait[0], row->wait);
	safe_put(out, ",\"wait_state\":");
	put_string_or_null(out, row->wait_state[0], row->wait_state);
	safe_put(out, ",\"waker\":");
	put_string_or_null(out, row->waker[0], row->waker);
}

/* Writes the stats from /proc, in rows keyed by tasks or by CPU. */
static void put_load(FILE *out, const struct snapshot_row *row, unsigned int keys)
{
	const char state[] = { row->task_state, '\0' };

	if (keys & KEY_PID) {
		safe_put(out, ",\"state\":");
		put_string_or_null(out, row->task_state, state);
		safe_put(out, ",\"cpu_pct\":");
		put_tenths_or_null(out, row->cpu_pct);
		safe_put(out, ",\"threads\":");
		put_number_or_null(out, row->threads, row->threads);
		safe_put(out, ",\"command_line\":");
		put_string_or_null(out, row->command_line[0], row->command_line);
	}
	if (keys == KEY_CPU) {
		safe_put(out, ",\"busy_pct\":");
		put_tenths_or_null(out, row->busy_pct);
	}
}

static void put_sigmas(FILE *out, struct safe_text name, double sigmas)
{
	safe_print(out, ",\"%s\":", name);
	if (isnan(sigmas))
		safe_put(out, "null");
	else
		safe_print(out, "%.2f", sigmas);
}

/* Writes the row's stats in the baseline. */
static void put_base(FILE *out, const struct snapshot *snapshot, const struct snapshot_row *row)
{
	static const char *const changes[] = { [ROW_IN_BOTH] = "null", [ROW_NEW] = "\"new\"",
					       [ROW_GONE] = "\"gone\"" };

	double self_pct = -1, total_pct = -1;

	if (!row->is_idle) {
		self_pct = row_changes_row_base_pct(snapshot, row, row->base.self.weight);
		total_pct = row_changes_row_base_pct(snapshot, row, row->base.total.weight);
	}
	safe_put(out, ",");
	put_stats(out, SAFE_TEXT("base_"), &row->base, self_pct, total_pct);
	safe_print(out, ",\"change\":%s", sanitize_checked(changes[row_changes_presence(row)]));
	put_sigmas(out, SAFE_TEXT("self_sigmas"), row_changes_sigmas(snapshot, row, false));
	put_sigmas(out, SAFE_TEXT("total_sigmas"), row_changes_sigmas(snapshot, row, true));
}

static void put_row(FILE *out, const struct snapshot *snapshot, const struct snapshot_row *row,
		    bool has_source)
{
	const unsigned int keys = snapshot->keys;

	safe_put(out, "{");
	put_stats(out, SAFE_TEXT(""), &row->now,
		  row->is_idle ? -1 : snapshot_row_pct(snapshot, row, row->now.self.weight),
		  row->is_idle ? -1 : snapshot_row_pct(snapshot, row, row->now.total.weight));
	put_ratios(out, &snapshot->event_columns, row->by_event);
	if (keys & KEY_EVENT) {
		safe_put(out, ",\"event\":");
		safe_put_json(out, sanitize_checked(row->event));
	}
	safe_put(out, ",\"comm\":");
	put_string_or_null(out, keys & KEY_COMM, row->comm);
	safe_put(out, ",\"pid\":");
	put_number_or_null(out, keys & KEY_PID, row->pid);
	safe_put(out, ",\"tid\":");
	put_number_or_null(out, keys & KEY_TID, row->tid);
	safe_put(out, ",\"cpu\":");
	put_number_or_null(out, (keys & KEY_CPU) && row->cpu >= 0, row->cpu);
	put_code(out, row, keys);
	if (keys & KEY_FROM)
		put_from(out, row);
	if (has_source) {
		safe_put(out, ",\"source\":");
		put_string_or_null(out, row->source[0], row->source);
	}
	if (keys & (KEY_PID | KEY_TID))
		put_cgroup(out, row);
	put_load(out, row, keys);
	if (snapshot->is_of_waits)
		put_wait(out, row);
	if (snapshot->is_compared)
		put_base(out, snapshot, row);
	safe_print(out, ",\"idle\":%s}", row->is_idle ? SAFE_TEXT("true") : SAFE_TEXT("false"));
}

static void put_head(FILE *out, const struct snapshot *snapshot)
{
	safe_print(out, "{\"time_ns\":%" PRIu64 ",\"host\":", snapshot->time_ns);
	safe_put_json(out, sanitize_checked(snapshot->host));
	safe_put(out, ",\"event\":");
	safe_put_json(out, sanitize_checked(snapshot->event));
	safe_put(out, ",\"freq_hz\":");
	put_number_or_null(out, snapshot->freq_hz, (int64_t)snapshot->freq_hz);
	safe_put(out, ",\"period\":");
	put_number_or_null(out, snapshot->fixed_period, (int64_t)snapshot->fixed_period);
	if (snapshot->is_of_waits)
		safe_print(out, ",\"unit\":\"ns\",\"on_cpu_ns\":%" PRIu64 ",\"blocked_ns\":%" PRIu64
			   ",\"run_queue_ns\":%" PRIu64 ",\"unrecorded_ns\":%" PRIu64,
			   snapshot->waits.on_ns, snapshot->waits.blocked_ns,
			   snapshot->waits.run_queue_ns, snapshot->waits.short_ns);
	if (snapshot->hit_weight && snapshot->hit_weight[0]) {
		safe_put(out, ",\"hit_weight\":");
		safe_put_json(out, sanitize_checked(snapshot->hit_weight));
	}
	if (snapshot->inside)
		safe_print(out, ",\"inside_from_ns\":%" PRIu64, snapshot->inside_from_ns);
	safe_put(out, ",\"target\":");
	safe_put_json(out, sanitize_checked(snapshot->target));
	safe_print(out, ",\"window_s\":%.3f,\"samples\":%" PRIu64 ",\"samples_per_s\":",
		   snapshot->window_s, snapshot->samples);
	put_tenths_or_null(out, snapshot->samples_per_s);
	safe_put(out, ",\"busy_pct\":");
	put_tenths_or_null(out, snapshot->busy_pct);
	safe_print(out, ",\"idle_samples\":%" PRIu64 ",\"unresolved\":%" PRIu64,
		   snapshot->idle_samples, snapshot->unresolved);
	safe_print(out, ",\"own_cpu_pct\":%.2f,\"own_rss_bytes\":%" PRIu64, snapshot->own_cpu_pct,
		   snapshot->own_rss_bytes);
}

/* The conditions of --keep-when, if there are any. */
static void put_conditions(FILE *out, const struct snapshot *snapshot)
{
	for (uint32_t i = 0; i < snapshot->condition_count; i++) {
		const struct snapshot_condition *row = &snapshot->conditions[i];
		const struct condition_state *state = &row->state;

		safe_put_text(out, i ? SAFE_TEXT(",{\"condition\":")
				     : SAFE_TEXT(",\"conditions\":[{\"condition\":"));
		safe_put_json(out, sanitize_checked(row->condition->text));
		safe_put(out, ",\"is_true\":");
		if (state->is_known)
			safe_put_text(out, state->is_true ? SAFE_TEXT("true") : SAFE_TEXT("false"));
		else
			safe_put(out, "null");
		safe_put(out, ",\"value\":");
		if (state->is_known)
			safe_print(out, "%.6g", state->value);
		else
			safe_put(out, "null");
		safe_print(out, ",\"fired\":%" PRIu64 ",\"fired_ns\":", state->fired);
		put_number_or_null(out, state->fired_ns, (int64_t)state->fired_ns);
		safe_put(out, "}");
	}
	if (snapshot->condition_count)
		safe_put(out, "]");
}

static void put_stacks(FILE *out, const struct snapshot *snapshot)
{
	static const char *const kinds[] = { [STACKS_CHAINED] = "fp", [STACKS_COPIED] = "copies",
					     [STACKS_OFF] = "off" };
	const bool is_copied = snapshot->stacks == STACKS_COPIED;

	safe_print(out, ",\"stacks\":{\"kind\":\"%s\",\"copy_bytes\":",
		   sanitize_checked(kinds[snapshot->stacks]));
	put_number_or_null(out, is_copied && snapshot->stack_copy_bytes > 0,
			   snapshot->stack_copy_bytes);
	safe_put(out, ",\"user\":");
	put_number_or_null(out, is_copied, (int64_t)snapshot->user_stacks);
	safe_put(out, ",\"complete\":");
	put_number_or_null(out, is_copied, (int64_t)snapshot->complete_stacks);
	safe_put(out, ",\"cut\":");
	put_number_or_null(out, is_copied, (int64_t)snapshot->cut_stacks);
	safe_put(out, "}");
}

/* Writes the process with most losses of a cause, if there is one. */
static void put_process(FILE *out, const struct loss_process *process)
{
	if (!process->pid)
		return;
	safe_print(out, ",\"mostly_in\":{\"pid\":%" PRIu32 ",\"program\":", process->pid);
	safe_put_json(out, sanitize_checked(process->program));
	safe_put(out, "}");
}

/* All causes; what the kernel does not count, or nobody has kept, is null. */
static void put_loss_counters(FILE *out, const struct loss_counters *losses)
{
	safe_put(out, ",\"losses\":");
	if (!losses->is_set) {
		safe_put(out, "null");
		return;
	}
	for (size_t cause = 0; cause < LOSS_CAUSES; cause++) {
		const struct loss_count *count = &losses->counts[cause];

		safe_print(out, "%c\"%s%s\":{\"since_start\":", (char)(cause ? ',' : '{'),
			   sanitize_checked(loss_descriptions[cause].name),
			   sanitize_checked(loss_descriptions[cause].is_time ? "_ns" : ""));
		put_number_or_null(out, count->has_start, (int64_t)count->since_start);
		safe_put(out, ",\"in_window\":");
		put_number_or_null(out, count->has_window, (int64_t)count->in_window);
		put_process(out, &losses->processes[cause]);
		safe_put(out, "}");
	}
	safe_put(out, "}");
}

static void put_losses(FILE *out, const struct snapshot *snapshot)
{
	safe_print(out,
		   ",\"lost\":{\"kernel\":%" PRIu64 ",\"malformed\":%" PRIu64
		   ",\"late\":%" PRIu64 "}",
		   snapshot->lost_kernel, snapshot->lost_malformed, snapshot->lost_late);
	safe_print(out, ",\"stalled_rounds\":%" PRIu64 ",\"throttled_ns\":%" PRIu64,
		   snapshot->stalled_rounds, snapshot->throttled_ns);
	safe_print(out, ",\"truncated_stacks\":%" PRIu64 ",\"unattributed\":%" PRIu64,
		   snapshot->truncated_stacks, snapshot->unattributed);
	safe_print(out, ",\"unknown_uid\":%" PRIu64 ",\"evicted\":%" PRIu64,
		   snapshot->filtered_unknown_uid, snapshot->evicted_samples);
	put_loss_counters(out, &snapshot->losses);
	safe_put(out, ",\"notice\":");
	if (snapshot->notice[0])
		put_lines(out, snapshot->notice);
	else
		safe_put(out, "null");
}

static void put_absent(FILE *out, const struct snapshot *snapshot)
{
	const char *at = snapshot->absent_events;
	struct snapshot_absence absence;
	char text[LINE_BYTES];
	bool has_one = false;

	safe_put(out, ",\"not_supported\":[");
	for (; snapshot_next_absence(&at, &absence); has_one = true) {
		safe_put_text(out, has_one ? SAFE_TEXT(",{\"event\":") : SAFE_TEXT("{\"event\":"));
		safe_put_json(out, sanitize(text, sizeof(text), absence.event,
					    (size_t)absence.event_bytes));
		safe_put(out, ",\"reason\":");
		safe_put_json(out, sanitize(text, sizeof(text), absence.reason,
					    (size_t)absence.reason_bytes));
		safe_put(out, "}");
	}
	safe_put(out, "]");
}

static const char *field_name(enum filter_field field)
{
	switch (field) {
	case FILTER_TEXT:    return "text";
	case FILTER_COMMAND: return "comm";
	case FILTER_DSO:     return "dso";
	case FILTER_SYMBOL:  return "symbol";
	case FILTER_PID:     return "pid";
	case FILTER_TID:     return "tid";
	case FILTER_CPU:     return "cpu";
	case FILTER_CGROUP:  return "cgroup";
	case FILTER_UNIT:    return "unit";
	case FILTER_CONTAINER: return "container";
	case FILTER_POD:     return "pod";
	case FILTER_WAIT:    return "wait";
	case FILTER_STATE:   return "state";
	case FILTER_WAKER:   return "waker";
	case FILTER_BY:	     return "by";
	case FILTER_KERNEL:  return "kernel";
	case FILTER_USER:    break;
	}
	return "user";
}

/* Writes a part of the filter; its text may be the user's. */
static void put_part(FILE *out, const struct filter_part *part)
{
	char text[12 * FILTER_TEXT_BYTES];	/* the worst: "<U+NNNN>" per byte */

	safe_print(out, "{\"field\":\"%s\",\"negated\":%s",
		   sanitize_checked(field_name(part->field)),
		   part->is_negated ? SAFE_TEXT("true") : SAFE_TEXT("false"));
	switch (part->field) {
	case FILTER_TEXT:
	case FILTER_COMMAND:
	case FILTER_DSO:
	case FILTER_SYMBOL:
	case FILTER_CGROUP:
	case FILTER_UNIT:
	case FILTER_CONTAINER:
	case FILTER_POD:
	case FILTER_WAIT:
	case FILTER_STATE:
	case FILTER_WAKER:
	case FILTER_BY:
		safe_put(out, ",\"value\":");
		safe_put_json(out, sanitize(text, sizeof(text), part->text, strlen(part->text)));
		break;
	case FILTER_PID:
	case FILTER_TID:
	case FILTER_CPU:
		safe_print(out, ",\"value\":%" PRIu64, part->number);
		break;
	case FILTER_KERNEL:
	case FILTER_USER:
		break;
	}
	safe_put(out, "}");
}

static void put_filter(FILE *out, const struct snapshot *snapshot, const struct filter *filter)
{
	if (snapshot->is_relative)
		safe_put(out, ",\"percentage\":\"relative\"");
	safe_print(out, ",\"shown_samples\":%" PRIu64 ",\"filter\":[", snapshot->shown_samples);
	for (uint32_t i = 0; i < filter->count; i++) {
		if (i)
			safe_put(out, ",");
		put_part(out, &filter->parts[i]);
	}
	safe_put(out, "]");
}

/* Writes the baseline of the rows; null if there is one, but without this event. */
static void put_baseline(FILE *out, const struct snapshot *snapshot)
{
	const struct snapshot_baseline *baseline = &snapshot->baseline;

	if (!snapshot->has_baseline)
		return;
	safe_put(out, ",\"baseline\":");
	if (!snapshot->is_compared) {
		safe_put(out, "null");
		return;
	}
	safe_put(out, "{\"label\":");
	put_string_or_null(out, baseline->label[0], baseline->label);
	safe_print(out, ",\"begin_ns\":%" PRIu64 ",\"end_ns\":%" PRIu64 ",\"window_s\":%.3f",
		   baseline->begin_ns, baseline->end_ns, baseline->window_s);
	safe_print(out, ",\"samples\":%" PRIu64 ",\"samples_per_s\":%.1f,\"period\":%.0f}",
		   baseline->samples, row_changes_per_s(baseline->samples, baseline->window_s),
		   baseline->weight);
}

static void put_rows(FILE *out, const struct snapshot *snapshot,
		     const struct export_options *options, const size_t *order)
{
	size_t written = 0;

	for (size_t i = 0; i < snapshot->row_count && written < options->max_rows; i++) {
		const struct snapshot_row *row = &snapshot->rows[order ? order[i] : i];

		if (row->is_idle && !options->show_idle)
			continue;
		if (written++)
			safe_put(out, ",");
		put_row(out, snapshot, row, options->has_source);
	}
}

void json_write(FILE *out, const struct snapshot *snapshot, const struct export_options *options)
{
	size_t *order = NULL;	/* without memory: as they stand */

	if (snapshot->is_compared)
		order = row_changes_order(snapshot, options->by_total);
	put_head(out, snapshot);
	if (options->command && options->command[0]) {
		safe_put(out, ",\"command\":");
		safe_put_json(out, sanitize_checked(options->command));
	}
	put_conditions(out, snapshot);
	put_stacks(out, snapshot);
	put_losses(out, snapshot);
	put_absent(out, snapshot);
	put_filter(out, snapshot, &options->filter);
	put_baseline(out, snapshot);
	safe_put(out, ",\"rows\":[");
	put_rows(out, snapshot, options, order);
	safe_put(out, "]");
	json_put_groups(out, &snapshot->groups, options->max_rows);
	json_put_probes(out, &snapshot->probes);
	safe_put(out, "}\n");
	free(order);
}
