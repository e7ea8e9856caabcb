/* text.c - a snapshot as plain text: text_write() of export/print.h. */
#include "export/print.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/snapshot.h"
#include "base/clock.h"
#include "base/safe_print.h"
#include "fold/query.h"
#include "fold/tree.h"
#include "group_lines.h"
#include "hit_group_lines.h"
#include "ingest/snapshot_probes.h"
#include "text.h"

#define MISSING_PCT 10	/* a smaller share of missing ticks is not in the header */
#define MOMENT_S 0.1	/* a shorter window is shown to the millisecond */
#define NOTICE_LINE_BYTES 4096	/* a longer line is cut */
#define TOP_SHOWN   8		/* most frequent values shown per line, of 20 */
#define BAR_CELLS   40
#define GAP_OCTAVES 3		/* consecutive empty octaves that one line replaces */
#define FROM_CELLS  40		/* a longer one moves what follows it */
#define LEVEL_CELLS 4
#define PLACE_BYTES 1100	/* the longest name of a function, and an offset */
#define INDENT	    2		/* cells by depth of a group */

static void format_time(char text[32], uint64_t ns)
{
	static const struct { uint64_t ns; const char *unit; } units[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" },
	};

	snprintf(text, 32, "%" PRIu64 "ns", ns);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns < units[i].ns)
			continue;
		snprintf(text, 32, "%.1f%s", (double)ns / (double)units[i].ns, units[i].unit);
		break;
	}
}

static void put_time(FILE *out, uint64_t ns)
{
	char text[32];

	format_time(text, ns);
	safe_print(out, "  %8s", sanitize_checked(text));
}

/* A bound is 2^@octave. */
static void format_bound(char text[32], int octave, bool is_time)
{
	if (octave >= LATENCY_OCTAVES)
		text[0] = '\0';
	else if (is_time)
		format_time(text, 1ull << octave);
	else
		snprintf(text, 32, "%" PRIu64, (uint64_t)1 << octave);
}

static void put_bar(FILE *out, const char *range, uint64_t count, uint64_t most)
{
	char bar[BAR_CELLS + 1];
	const size_t cells = (size_t)((double)count * BAR_CELLS / (double)most + 0.5);

	memset(bar, ' ', BAR_CELLS);
	memset(bar, '#', cells < BAR_CELLS ? cells : BAR_CELLS);
	bar[BAR_CELLS] = '\0';
	safe_print(out, "      %24s  %9" PRIu64 "  |%s|\n", sanitize_checked(range), count,
		   sanitize_checked(bar));
}

static int count_empty(const uint64_t *octaves, int octave)
{
	int count = 0;

	while (octave + count < LATENCY_OCTAVES && !octaves[octave + count])
		count++;
	return count;
}

/* From the first octave that has any to the last. */
static void put_histogram(FILE *out, const uint64_t *octaves, uint64_t zeros, bool is_time)
{
	uint64_t most = zeros;
	int last = -1;

	for (int i = 0; i < LATENCY_OCTAVES; i++) {
		most = octaves[i] > most ? octaves[i] : most;
		last = octaves[i] ? i : last;
	}
	if (zeros)
		put_bar(out, "0", zeros, most);
	for (int i = count_empty(octaves, 0); i <= last;) {
		const int empty = count_empty(octaves, i);
		char begin[32], end[32], range[70];

		if (empty >= GAP_OCTAVES) {
			safe_print(out, "      %24s\n", SAFE_TEXT("..."));
			i += empty;
			continue;
		}
		format_bound(begin, i, is_time);
		format_bound(end, i + 1, is_time);
		snprintf(range, sizeof(range), "%s..%s", begin, end);
		put_bar(out, range, octaves[i], most);
		i++;
	}
}

static void put_latency(FILE *out, const struct snapshot_probe *probe)
{
	const struct snapshot_latency *latency = &probe->latency;

	if (!latency->count) {
		safe_put(out, "         -         -         -         -");
		return;
	}
	put_time(out, latency->p50_ns);
	put_time(out, latency->p90_ns);
	put_time(out, latency->p99_ns);
	put_time(out, latency->max_ns);
}

static void put_counter(FILE *out, const char *name, uint64_t count)
{
	if (count)
		safe_print(out, "  %s %" PRIu64, sanitize_checked(name), count);
}

static bool is_number(const struct snapshot_value *value)
{
	return value->numbers &&
	       (value->kind == VALUE_SIGNED || value->kind == VALUE_UNSIGNED);
}

static void put_value(FILE *out, const struct snapshot_value *value)
{
	char min[SNAPSHOT_NUMBER_BYTES], max[SNAPSHOT_NUMBER_BYTES];

	safe_print(out, "      %s %s: %" PRIu64, sanitize_checked(value->name),
		   sanitize_checked(value->type), value->count);
	put_counter(out, "unknown", value->unknown);
	if (is_number(value))
		safe_print(out, ", min %s, mean %.1f, max %s",
			   sanitize_checked(snapshot_number(value->is_signed, value->min, min)),
			   value->mean,
			   sanitize_checked(snapshot_number(value->is_signed, value->max, max)));
	for (uint32_t i = 0; i < value->top_count && i < TOP_SHOWN; i++)
		safe_print(out, "%s %s x%" PRIu64, i ? SAFE_TEXT(",") : SAFE_TEXT(":"),
			   sanitize_checked(value->top[i].text),
			   value->top[i].count);
	safe_put(out, "\n");
	if (is_number(value))	/* negative numbers are in the octave of their magnitude */
		put_histogram(out, value->octaves, value->zeros, false);
}

static void put_probe(FILE *out, const struct snapshot_probe *probe,
		      const struct snapshot_groups *groups)
{
	safe_print(out, "  %-32s  %-9s  %9" PRIu64, sanitize_checked(probe->name),
		   sanitize_checked(probe_state_name(probe->state)), probe->hits);
	if (probe->hits_per_s < 0)
		safe_print(out, "  %9s", SAFE_TEXT("-"));
	else
		safe_print(out, "  %9.1f", probe->hits_per_s);
	put_latency(out, probe);
	put_counter(out, "unpaired", probe->unpaired);
	put_counter(out, "filtered", probe->filtered);
	put_counter(out, "missed", probe->missed_since);
	put_counter(out, "lost", probe->lost_since);
	safe_put(out, "\n");
	if (probe->latency.count && probe->own_ns)
		safe_print(out, "      of each latency about %.1f us are the probe\n",
			   (double)probe->own_ns / 1e3);
	if (probe->reason[0])
		safe_print(out, "      %s\n", sanitize_checked(probe->reason));
	if (probe->has_latency)
		put_histogram(out, probe->latency.octaves, 0, true);
	for (uint32_t i = 0; i < probe->value_count; i++)
		put_value(out, &probe->values[i]);
	if (groups)
		text_put_hit_groups(out, groups);
}

/*
 *   PROBE                     STATE       HITS    HITS/s       P50       P90       P99       MAX
 *   lat:libc.so.6:malloc      attached  120034   60017.0     1.2us     1.5us     9.8us     1.2ms
 *                   1.0us..2.0us     110034  |########################################|
 *                   2.0us..4.1us      10000  |####                                    |
 *       size s64: 120034, min 1, mean 93.1, max 65536: 16 50000, 32 20000
 *                         16..32      50000  |########################################|
 */
void text_put_probes(FILE *out, const struct snapshot_probes *probes)
{
	if (!probes->count)
		return;
	safe_print(out, "  %-32s  %-9s  %9s  %9s  %8s  %8s  %8s  %8s\n", SAFE_TEXT("PROBE"),
		   SAFE_TEXT("STATE"), SAFE_TEXT("HITS"),
		   SAFE_TEXT("HITS/s"), SAFE_TEXT("P50"), SAFE_TEXT("P90"), SAFE_TEXT("P99"),
		   SAFE_TEXT("MAX"));
	for (uint32_t i = 0; i < probes->count; i++)
		put_probe(out, &probes->list[i],
			  snapshot_groups_find(probes, probes->list[i].id));
	safe_put(out, "\n");
}

static void put_group_titles(FILE *out, const struct group_tree *tree, bool is_compared)
{
	if (is_compared)
		safe_put(out,
			 "  CHANGE        SELF%  A SELF%  TOTAL%  A TOTAL%  SAMPLES  A SAMPLES  ");
	else
		safe_put(out, "  SELF%  TOTAL%  SAMPLES  ");
	if (tree->is_of_waits)
		safe_put(out, "    TIME  ");
	for (uint32_t i = 0; i < tree->level_count; i++)
		safe_print(out, "%s%s", i ? SAFE_TEXT(" > ") : SAFE_TEXT(""),
			   sanitize_checked(group_tree_key_name(tree, i)));
	safe_put(out, "\n");
}

/* As in tables, functions have their level. */
static bool has_level(enum group_key key, const struct group_node *node)
{
	return !node->is_unknown &&
	       (key == GROUP_SYMBOL || key == GROUP_ADDRESS || key == GROUP_PARENT);
}

static void put_group_stats(FILE *out, const struct group_node *node)
{
	safe_print(out, " %6.2f  %6.2f  %7" PRIu64, group_node_pct(node, node->now.self.weight),
		   group_node_pct(node, node->now.total.weight), node->now.self.samples);
}

/* Writes "-" for a group whose event is not in the baseline, as that is not 0. */
static void put_without_base(FILE *out, const struct group_node *node)
{
	safe_print(out, " %7s  %-4s  %6.2f  %7s  %6.2f  %8s  %7" PRIu64 "  %9s", SAFE_TEXT("-"),
		   SAFE_TEXT(""),
		   group_node_pct(node, node->now.self.weight), SAFE_TEXT("-"),
		   group_node_pct(node, node->now.total.weight), SAFE_TEXT("-"),
		   node->now.self.samples, SAFE_TEXT("-"));
}

static void put_group_changes(FILE *out, const struct group_node *node)
{
	const double self = group_node_pct(node, node->now.self.weight);
	const double base_self = group_node_base_pct(node, node->base.self.weight);
	const char *mark = !node->now.total.samples ? "gone"
			   : !node->base.total.samples ? "new" : "";

	safe_print(out, " %+7.2f  %-4s  %6.2f  %7.2f  %6.2f  %8.2f  %7" PRIu64 "  %9" PRIu64,
		   self - base_self, sanitize_checked(mark), self, base_self,
		   group_node_pct(node, node->now.total.weight),
		   group_node_base_pct(node, node->base.total.weight), node->now.self.samples,
		   node->base.self.samples);
}

static void put_node(FILE *out, const struct group_tree *tree, const struct group_node *node)
{
	const enum group_key key = tree->keys[node->depth];
	const bool is_compared = tree->is_compared;

	if (is_compared && node->has_base)
		put_group_changes(out, node);
	else if (is_compared)
		put_without_base(out, node);
	else
		put_group_stats(out, node);
	if (tree->is_of_waits)
		put_time(out, (uint64_t)node->now.total.weight);
	safe_print(out, "  %*s", INDENT * (int)node->depth, SAFE_TEXT(""));
	if (has_level(key, node))
		safe_print(out, "[%c] ", snapshot_level(node->mode));
	safe_print(out, "%s\n", sanitize_checked(node->text));
}

void text_put_groups(FILE *out, const struct group_tree *tree, size_t max_rows)
{
	bool *is_printed;
	const size_t more = group_lines_choose(tree, max_rows, &is_printed);

	put_group_titles(out, tree, tree->is_compared);
	for (uint32_t i = 0; i < tree->node_count; i++)
		if (!is_printed || is_printed[i])
			put_node(out, tree, &tree->nodes[i]);
	if (more)
		safe_print(out, "  ... %zu more groups (-E shows more)\n", more);
	if (tree->hidden_samples)
		safe_print(out, "  %" PRIu64 " samples of smaller groups are not shown\n",
			   tree->hidden_samples);
	free(is_printed);
}

/* True: weights are ns. */
static bool has_time(const struct snapshot *snapshot)
{
	return snapshot->is_of_waits || snapshot->is_hit_time;
}

static void put_weight(FILE *out, const struct snapshot *snapshot)
{
	if (snapshot->hit_weight && snapshot->hit_weight[0])
		safe_print(out, " by %s", sanitize_checked(snapshot->hit_weight));
}

void text_put_rate(FILE *out, const struct snapshot *snapshot)
{
	if (snapshot->freq_hz)
		safe_print(out, " %" PRIu64 " Hz", snapshot->freq_hz);
	else if (snapshot->fixed_period && snapshot->is_of_waits)
		safe_print(out, " from %g ms", (double)snapshot->fixed_period / 1e6);
	else if (snapshot->fixed_period)
		safe_print(out, " every %" PRIu64, snapshot->fixed_period);
}

static void put_losses(FILE *out, const struct snapshot *snapshot)
{
	const struct loss_count *counts = snapshot->losses.counts;

	put_counter(out, "lost", snapshot->lost_kernel);
	put_counter(out, "malformed", snapshot->lost_malformed);
	put_counter(out, "late", snapshot->lost_late);
	put_counter(out, "unattributed", snapshot->unattributed);
	put_counter(out, "unknown-uid", snapshot->filtered_unknown_uid);
	put_counter(out, "refused-threads", counts[LOSS_WAIT_THREADS].since_start);
	put_counter(out, "unwatched-children", counts[LOSS_WAIT_CHILDREN].since_start);
	put_counter(out, "unseen-switches-ms", counts[LOSS_WAIT_TIME].since_start / 1000000);
	put_counter(out, "unseen-wakeups", counts[LOSS_WAKEUPS].since_start);
	put_counter(out, "stackless-waits-ms", counts[LOSS_WAIT_STACKS].since_start / 1000000);
	put_counter(out, "absent-texts", counts[LOSS_TEXTS].since_start);
	put_counter(out, "inside-unheld", counts[LOSS_INSIDE].since_start);
	put_counter(out, "unpaired-waits", counts[LOSS_WAITS].since_start);
	put_counter(out, "shortened-waits", counts[LOSS_WAIT_ENDS].since_start);
	put_counter(out, "left-out-own", counts[LOSS_OWN].since_start);
	put_counter(out, "stalled-rounds", snapshot->stalled_rounds);
	put_counter(out, "throttled-ms", snapshot->throttled_ns / 1000000);
	if (snapshot->missing_ticks_pct > MISSING_PCT)
		safe_print(out, "  ticks-missing %.0f %%", snapshot->missing_ticks_pct);
	put_counter(out, "truncated-stacks", snapshot->truncated_stacks);
	put_counter(out, "evicted", snapshot->evicted_samples);
	put_counter(out, "missed-hits", counts[LOSS_PROBE_MISSED].since_start);
	put_counter(out, "forgotten-tasks", counts[LOSS_TASKS].since_start);
	put_counter(out, "unkept-mappings", counts[LOSS_MAPPINGS].since_start);
	put_counter(out, "unkept-dsos", counts[LOSS_DSOS].since_start);
	put_counter(out, "unkept-names", counts[LOSS_NAMES].since_start);
	put_counter(out, "let-go-tables", counts[LOSS_TABLES].since_start);
	put_counter(out, "not-recorded", counts[LOSS_RECORDER].since_start);
}

bool text_has_all_events(const struct snapshot *snapshot, const struct export_options *options)
{
	if (!options->has_groups)
		return snapshot->keys & KEY_EVENT;
	return snapshot->groups.level_count && snapshot->groups.keys[0] == GROUP_EVENT;
}

/* Writes the events in the table and the number of their samples. */
static void put_events(FILE *out, const struct snapshot *snapshot, bool is_of_all)
{
	uint64_t samples = 0, idle_samples = 0;
	double waited_ns = 0;
	char text[32];
	bool is_wall = false;
	const struct snapshot *event = snapshot;

	safe_print(out, "# flametop  %s ", sanitize_checked(snapshot->host));
	for (; event; event = is_of_all ? event->next_event : NULL) {
		safe_print(out, "%s %s", event == snapshot ? SAFE_TEXT("") : SAFE_TEXT(","),
			   sanitize_checked(event->event));
		put_weight(out, event);
		text_put_rate(out, event);
		samples += event->samples;
		idle_samples += event->idle_samples;
		waited_ns += event->is_of_waits ? event->weight : 0;
		is_wall |= event->is_wall;
	}
	safe_print(out, "  %s  last %.*f s  %" PRIu64 " samples",
		   sanitize_checked(snapshot->target), snapshot->window_s < MOMENT_S ? 3 : 1,
		   snapshot->window_s, samples);
	put_counter(out, "idle", idle_samples);
	if (!(waited_ns > 0))
		return;
	format_time(text, (uint64_t)waited_ns);
	safe_print(out, "  %s %s", sanitize_checked(text),
		   is_wall ? SAFE_TEXT("on and off CPU") : SAFE_TEXT("off CPU"));
}

static void put_head(FILE *out, const struct snapshot *snapshot, bool is_of_all)
{
	const double complete_pct = snapshot_complete_pct(snapshot);

	put_events(out, snapshot, is_of_all);
	put_losses(out, snapshot);
	if (snapshot->busy_pct >= 0)
		safe_print(out, "  busy %.0f %%", snapshot->busy_pct);
	if (snapshot->stacks == STACKS_OFF)
		safe_put(out, "  no stacks");
	else if (complete_pct >= 0)
		safe_print(out, "  stacks %.0f %%", complete_pct);
	safe_print(out, "  own %.1f %%\n", snapshot->own_cpu_pct);
}

/* Writes a line of each condition of --keep-when. */
static void put_conditions(FILE *out, const struct snapshot *snapshot)
{
	char value[CONDITION_VALUE_BYTES];

	for (uint32_t i = 0; i < snapshot->condition_count; i++) {
		const struct snapshot_condition *condition = &snapshot->conditions[i];
		const struct condition_state *state = &condition->state;

		safe_print(out, "# keep-when %s: %s (%s), fired %" PRIu64 " times\n",
			   sanitize_checked(condition->condition->text),
			   !state->is_known ? SAFE_TEXT("unknown")
			   : state->is_true ? SAFE_TEXT("true") : SAFE_TEXT("false"),
			   !state->is_known ? SAFE_TEXT("no value") :
			   sanitize_checked(condition_format(value, condition->condition,
							     state->value)), state->fired);
	}
}

/* Writes refusals and fallbacks with their remedies, one comment line each. */
static void put_notice(FILE *out, const char *notice)
{
	while (*notice) {
		const size_t length = strcspn(notice, "\n");
		char line[NOTICE_LINE_BYTES];

		safe_print(out, "# %s\n", sanitize(line, sizeof(line), notice, length));
		notice += length + (notice[length] == '\n');
	}
}

/* A server's work may be that of workers which were there before. */
static void put_children(FILE *out, const struct snapshot *snapshot)
{
	const uint32_t pid = snapshot->target_pid, count = snapshot->target_children;

	if (count)
		safe_print(out, "# process %" PRIu32 " does next to nothing itself; children: %"
			   PRIu32 " (-p %" PRIu32 "+ samples them, too)\n", pid, count, pid);
}

/* The parts are those of the threads' wall clock. */
static void put_wait_sums(FILE *out, const struct snapshot *snapshot)
{
	const struct wait_sums *waits = &snapshot->waits;
	const uint64_t whole_ns = waits->on_ns + waits->blocked_ns + waits->run_queue_ns;
	char on[32], blocked[32], run_queue[32], whole[32];

	if (!snapshot->is_of_waits || !whole_ns)
		return;
	format_time(on, waits->on_ns);
	format_time(blocked, waits->blocked_ns);
	format_time(run_queue, waits->run_queue_ns);
	format_time(whole, whole_ns);
	safe_print(out, "# threads: on CPU %s + waited %s + run queue %s = wall %s\n",
		   sanitize_checked(on), sanitize_checked(blocked), sanitize_checked(run_queue),
		   sanitize_checked(whole));
}

static void put_absent(FILE *out, const struct snapshot *snapshot)
{
	const char *at = snapshot->absent_events;
	struct snapshot_absence absence;
	char event[NOTICE_LINE_BYTES], reason[NOTICE_LINE_BYTES];

	while (snapshot_next_absence(&at, &absence))
		safe_print(out, "# %s  <not supported>  %s\n",
			   sanitize(event, sizeof(event), absence.event,
				    (size_t)absence.event_bytes),
			   sanitize(reason, sizeof(reason), absence.reason,
				    (size_t)absence.reason_bytes));
}

/* Shares stay those of the window, unless what is left is 100 %: so the line says how much of it is
 * left. */
static void put_filter(FILE *out, const struct snapshot *snapshot, const struct filter *filter)
{
	char part[FILTER_PART_BYTES], text[12 * FILTER_PART_BYTES];

	if (!filter->count)
		return;
	safe_put(out, "# filter");
	for (uint32_t i = 0; i < filter->count; i++) {
		filter_format_part(&filter->parts[i], part);
		safe_print(out, "%s %s", i ? SAFE_TEXT(",") : SAFE_TEXT(""),
			   sanitize(text, sizeof(text), part, strlen(part)));
	}
	safe_print(out, "  %" PRIu64 " of %" PRIu64 " samples%s\n", snapshot->shown_samples,
		   snapshot->samples - snapshot->idle_samples,
		   snapshot->is_relative ? SAFE_TEXT(", these are 100 %") : SAFE_TEXT(""));
}

/* A moment in local time, of a recording in seconds from its start. */
static void put_moment(FILE *out, const struct snapshot *snapshot, uint64_t ns)
{
	const time_t wall = (time_t)((ns + clock_wall_offset_ns()) / CLOCK_NS_PER_S);
	struct tm local;

	if (snapshot->is_replay)
		safe_print(out, "%.1f s",
			   ns > snapshot->known_ns ? (double)(ns - snapshot->known_ns) / 1e9 : 0);
	else if (localtime_r(&wall, &local))
		safe_print(out, "%02d:%02d:%02d", local.tm_hour, local.tm_min, local.tm_sec);
}

/* With what A counted, what follows is of both. */
static void put_baseline(FILE *out, const struct snapshot *snapshot)
{
	const struct snapshot_baseline *baseline = &snapshot->baseline;

	if (!snapshot->is_compared)
		return;
	safe_put(out, "# compared with A: ");
	if (baseline->label && baseline->label[0]) {
		safe_put_text(out, sanitize_checked(baseline->label));
	} else {
		put_moment(out, snapshot, baseline->begin_ns);
		safe_put(out, " to ");
		put_moment(out, snapshot, baseline->end_ns);
	}
	safe_print(out, "  %.1f s  %" PRIu64 " samples%s\n", baseline->window_s, baseline->samples,
		   snapshot_is_by_weight(snapshot) ? SAFE_TEXT("")
						   : SAFE_TEXT("  (~ chance explains the change)"));
}

/* Returns the ratio of instructions and cycles, if the rows have it; NULL: they don't. */
static const struct event_ratio *ipc_of(const struct snapshot *snapshot)
{
	const struct event_columns *columns = &snapshot->event_columns;

	if (!columns->has_loads || snapshot->keys & KEY_EVENT)
		return NULL;
	return columns->ratio_count && columns->ratios[0].is_ipc ? &columns->ratios[0] : NULL;
}

static void put_titles(FILE *out, const struct snapshot *snapshot,
		       const struct export_options *options)
{
	const unsigned int keys = snapshot->keys;

	if (snapshot->is_compared)
		safe_put(out,
			 "  CHANGE        SELF%  A SELF%  TOTAL%  A TOTAL%  SAMPLES/s  A SAMPLES/s"
			      "  CHANGE/s");
	else
		safe_put(out, "  SELF%  TOTAL%  SAMPLES");
	if (ipc_of(snapshot))
		safe_put(out, "     IPC");
	if (keys & KEY_FROM)
		safe_put(out, "  MISPRED%");
	if (has_time(snapshot))
		safe_put(out, "      TIME");
	else if (snapshot_is_by_weight(snapshot))
		safe_put(out, "            WEIGHT");
	if (options->has_period)
		safe_put(out, "            PERIOD");
	if (snapshot->is_of_waits)
		safe_put(out, "  WAIT          ");
	if (keys & KEY_EVENT)
		safe_put(out, "  EVENT                       ");
	safe_put(out, "  COMMAND         ");
	if (keys & KEY_PID)
		safe_put(out, "     PID");
	if (keys & KEY_TID)
		safe_put(out, "     TID");
	if (keys & KEY_CPU)
		safe_put(out, "  CPU");
	if (keys & KEY_FROM)
		safe_print(out, "  %-*s", LEVEL_CELLS + FROM_CELLS, SAFE_TEXT("FROM"));
	if (keys & KEY_DSO)
		safe_put(out, "  DSO                     ");
	if (keys & KEY_SYMBOL)
		safe_put(out, "  SYMBOL");
	else if (keys & KEY_ADDRESS)
		safe_put(out, "  ADDRESS");
	if (options->has_source && (keys & (KEY_SYMBOL | KEY_ADDRESS)))
		safe_put(out, "  SOURCE");
	safe_put(out, "\n");
}

static void put_command(FILE *out, const struct snapshot_row *row)
{
	char many[24];

	if (row->comm[0]) {
		safe_print(out, "  %-16s", sanitize_checked(row->comm));
	} else if (row->tasks) {
		snprintf(many, sizeof(many), "%" PRIu32 " tasks", row->tasks);
		safe_print(out, "  %-16s", sanitize_checked(many));
	} else {
		safe_print(out, "  %-16s", row->id == ROW_OF_SHORT_WAITS ? SAFE_TEXT("-")
									 : SAFE_TEXT("several"));
	}
}

static void put_number(FILE *out, int width, int64_t number)
{
	if (number < 0)
		safe_print(out, "%*s", width, SAFE_TEXT("-"));
	else
		safe_print(out, "%*" PRId64, width, number);
}

/* Idle is not part of 100 %, so an idle row has no share. */
static void put_stats(FILE *out, const struct snapshot *snapshot,
		      const struct snapshot_row *row)
{
	if (row->is_idle) {
		safe_print(out, "   idle    idle  %7" PRIu64, row->now.self.samples);
		return;
	}
	safe_print(out, " %6.2f  %6.2f  %7" PRIu64,
		   snapshot_row_pct(snapshot, row, row->now.self.weight),
		   snapshot_row_pct(snapshot, row, row->now.total.weight), row->now.self.samples);
}

static void put_changed_shares(FILE *out, const struct snapshot *snapshot,
			       const struct snapshot_row *row, bool of_total, const char *mark)
{
	safe_print(out, " %+7.2f%s %-4s", row_changes_points(snapshot, row, of_total),
		   row_changes_is_noise(snapshot, row, of_total) ? SAFE_TEXT("~") : SAFE_TEXT(" "),
		   sanitize_checked(mark));
	safe_print(out, "  %6.2f  %7.2f  %6.2f  %8.2f",
		   snapshot_row_pct(snapshot, row, row->now.self.weight),
		   row_changes_row_base_pct(snapshot, row, row->base.self.weight),
		   snapshot_row_pct(snapshot, row, row->now.total.weight),
		   row_changes_row_base_pct(snapshot, row, row->base.total.weight));
}

/* Writes the changes of a row. An idle row has no shares that could change. */
static void put_changes(FILE *out, const struct snapshot *snapshot, const struct snapshot_row *row,
			bool of_total)
{
	static const char *const marks[] = { [ROW_IN_BOTH] = "", [ROW_NEW] = "new",
					     [ROW_GONE] = "gone" };
	const struct load *load = of_total ? &row->now.total : &row->now.self;
	const struct load *base = of_total ? &row->base.total : &row->base.self;
	const double now = row_changes_per_s(load->samples, snapshot->window_s);
	const double then = row_changes_per_s(base->samples, snapshot->baseline.window_s);

	if (row->is_idle)
		safe_print(out, "       -  %-4s    idle     idle    idle      idle",
			   sanitize_checked(marks[row_changes_presence(row)]));
	else
		put_changed_shares(out, snapshot, row, of_total, marks[row_changes_presence(row)]);
	safe_print(out, "  %9.1f  %11.1f  %+8.1f", now, then, now - then);
}

/* "~": of few samples. */
static void put_ratio(FILE *out, const struct event_ratio *ratio, const struct stats *by_event)
{
	bool is_rough;
	const double value = event_ratio_of(ratio, by_event, false, &is_rough);

	if (value < 0)
		safe_put(out, "      - ");
	else
		safe_print(out, "  %5.2f%s", value, is_rough ? SAFE_TEXT("~") : SAFE_TEXT(" "));
}

static void put_mispredicted(FILE *out, const struct snapshot_row *row)
{
	const double pct = snapshot_row_mispredicted_pct(row);

	if (pct < 0)
		safe_print(out, "  %8s", SAFE_TEXT("-"));
	else
		safe_print(out, "  %8.2f", pct);
}

/* "schedule+0x1c" */
static void format_place(char text[PLACE_BYTES], const char *symbol, uint64_t offset)
{
	if (offset)
		snprintf(text, PLACE_BYTES, "%s+0x%" PRIx64, symbol, offset);
	else
		snprintf(text, PLACE_BYTES, "%s", symbol);
}

static void put_from(FILE *out, const struct snapshot_row *row)
{
	char text[PLACE_BYTES];

	if (!row->from_dso_path[0]) {
		safe_print(out, "  %-*s", LEVEL_CELLS + FROM_CELLS, SAFE_TEXT("-"));
		return;
	}
	format_place(text, row->from_symbol, row->from_offset);
	safe_print(out, "  [%c] %-*s", snapshot_level(row->from_mode), FROM_CELLS,
		   sanitize_checked(text));
}

/* Writes the function, its address, or both. */
static void put_symbol(FILE *out, const struct snapshot_row *row, unsigned int keys)
{
	char text[PLACE_BYTES];

	if (keys & KEY_FROM && keys & KEY_ADDRESS && keys & KEY_SYMBOL) {
		format_place(text, row->symbol, row->offset);
		safe_put_text(out, row->state == SYMBOL_LOADING ? SAFE_TEXT("(loading)")
								: sanitize_checked(text));
		return;
	}
	if (keys & KEY_SYMBOL)
		safe_put_text(out, row->state == SYMBOL_LOADING
					   ? SAFE_TEXT("(loading)")
					   : sanitize_checked(row->symbol));
	if (keys & KEY_ADDRESS)
		safe_print(out, "%s0x%" PRIx64, keys & KEY_SYMBOL ? SAFE_TEXT(" ") : SAFE_TEXT(""),
			   row->address);
}

static void put_row(FILE *out, const struct snapshot *snapshot, const struct snapshot_row *row,
		    const struct export_options *options)
{
	const unsigned int keys = snapshot->keys;

	if (snapshot->is_compared)
		put_changes(out, snapshot, row, options->by_total);
	else
		put_stats(out, snapshot, row);
	if (ipc_of(snapshot))
		put_ratio(out, ipc_of(snapshot), row->by_event);
	if (keys & KEY_FROM)
		put_mispredicted(out, row);
	if (has_time(snapshot))
		put_time(out, (uint64_t)row->now.self.weight);
	else if (snapshot_is_by_weight(snapshot))
		safe_print(out, "  %16.0f", row->now.self.weight);
	if (options->has_period)
		safe_print(out, "  %16.0f", row->now.self.weight);
	if (snapshot->is_of_waits)
		safe_print(out, "  %-14.14s", sanitize_checked(row->wait));
	if (keys & KEY_EVENT)
		safe_print(out, "  %-28s", sanitize_checked(row->event));
	put_command(out, row);
	if (keys & KEY_PID)
		put_number(out, 8, row->pid);
	if (keys & KEY_TID)
		put_number(out, 8, row->tid);
	if (keys & KEY_CPU)
		put_number(out, 5, row->cpu);
	if (keys & KEY_FROM)
		put_from(out, row);
	if (keys & KEY_DSO)
		safe_print(out, "  %-24s", sanitize_checked(row->dso));
	if (row->id == ROW_OF_SHORT_WAITS && keys & (KEY_SYMBOL | KEY_ADDRESS))
		safe_put(out, "      ");
	else if (keys & (KEY_SYMBOL | KEY_ADDRESS))
		safe_print(out, "  [%c] ", snapshot_level(row->mode));
	put_symbol(out, row, keys);
	if (options->has_source && row->source[0])
		safe_print(out, "  %s", sanitize_checked(row->source));
	safe_put(out, "\n");
}

/* Returns how many rows were written. */
static size_t put_rows(FILE *out, const struct snapshot *snapshot,
		       const struct export_options *options, const size_t *order)
{
	size_t written = 0, more = 0;

	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct snapshot_row *row = &snapshot->rows[order ? order[i] : i];

		if (row->is_idle && !options->show_idle)
			continue;
		if (written < options->max_rows) {
			put_row(out, snapshot, row, options);
			written++;
		} else {
			more++;
		}
	}
	if (more)
		safe_print(out, "  ... %zu more rows (-E shows more)\n", more);
	return written;
}

/* Writes groups. If events are groups, the first snapshot of a chain has them all. */
static size_t put_groups(FILE *out, const struct snapshot *snapshot,
			 const struct export_options *options)
{
	if (!snapshot->groups.level_count)
		return 1;
	text_put_groups(out, &snapshot->groups, options->max_rows);
	return snapshot->groups.node_count;
}

static size_t put_table(FILE *out, const struct snapshot *snapshot,
			const struct export_options *options)
{
	size_t *order = NULL;	/* without memory: as they stand */
	size_t written;

	if (snapshot->is_compared)
		order = row_changes_order(snapshot, options->by_total);
	put_titles(out, snapshot, options);
	written = put_rows(out, snapshot, options, order);
	free(order);
	return written;
}

void text_put_head(FILE *out, const struct snapshot *snapshot,
		   const struct export_options *options)
{
	put_head(out, snapshot, text_has_all_events(snapshot, options));
	put_conditions(out, snapshot);
	put_baseline(out, snapshot);
	put_notice(out, snapshot->notice);
	put_absent(out, snapshot);
	put_wait_sums(out, snapshot);
	put_filter(out, snapshot, &options->filter);
	put_children(out, snapshot);
}

void text_write(FILE *out, const struct snapshot *snapshot, const struct export_options *options)
{
	size_t written;

	text_put_head(out, snapshot, options);
	written = options->has_groups ? put_groups(out, snapshot, options)
				      : put_table(out, snapshot, options);
	if (!written)
		safe_put_text(out, options->filter.count
			      ? SAFE_TEXT("  nothing matches the filter\n")
							 : SAFE_TEXT("  nothing hot\n"));
	safe_put(out, "\n");
	text_put_probes(out, &snapshot->probes);
}
