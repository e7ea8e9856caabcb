/* text.c - see export/text.h. */
#include "export/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_print.h"
#include "export/row_changes.h"
#include "text_groups.h"
#include "text_probes.h"

#define MISSING_PCT 10	/* a smaller share of missing ticks is not in the header */
#define MOMENT_S 0.1	/* a shorter window is shown to the millisecond */
#define NOTICE_LINE_BYTES 4096	/* what is longer is cut */

static void put_rate(FILE *out, const struct snapshot *snapshot)
{
	if (snapshot->freq_hz)
		safe_print(out, " %" PRIu64 " Hz", snapshot->freq_hz);
	else if (snapshot->fixed_period)
		safe_print(out, " every %" PRIu64, snapshot->fixed_period);
}

static void put_counter(FILE *out, const char *name, uint64_t count)
{
	if (count)
		safe_print(out, "  %s %" PRIu64, sanitize_checked(name), count);
}

static void put_losses(FILE *out, const struct snapshot *snapshot)
{
	const struct loss_count *counts = snapshot->ledger.counts;

	put_counter(out, "lost", snapshot->lost_kernel);
	put_counter(out, "malformed", snapshot->lost_malformed);
	put_counter(out, "late", snapshot->lost_late);
	put_counter(out, "unattributed", snapshot->unattributed);
	put_counter(out, "unknown-uid", snapshot->filtered_unknown_uid);
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
	put_counter(out, "unkept-objects", counts[LOSS_OBJECTS].since_start);
	put_counter(out, "unkept-names", counts[LOSS_NAMES].since_start);
	put_counter(out, "let-go-tables", counts[LOSS_TABLES].since_start);
}

bool text_has_all_events(const struct snapshot *snapshot, const struct export_options *options)
{
	return options->has_groups && snapshot->groups.level_count &&
	       snapshot->groups.keys[0] == GROUP_EVENT;
}

/* Writes the events in the table and the number of their samples. */
static void put_events(FILE *out, const struct snapshot *snapshot, bool is_of_all)
{
	uint64_t samples = 0, idle_samples = 0;
	const struct snapshot *event = snapshot;

	safe_print(out, "# flametop  %s ", sanitize_checked(snapshot->host));
	for (; event; event = is_of_all ? event->next_event : NULL) {
		safe_print(out, "%s %s", event == snapshot ? SAFE_TEXT("") : SAFE_TEXT(","),
			   sanitize_checked(event->event));
		put_rate(out, event);
		samples += event->samples;
		idle_samples += event->idle_samples;
	}
	safe_print(out, "  %s  last %.*f s  %" PRIu64 " samples",
		   sanitize_checked(snapshot->target), snapshot->window_s < MOMENT_S ? 3 : 1,
		   snapshot->window_s, samples);
	put_counter(out, "idle", idle_samples);
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

/* With what A counted, what follows is of both. */
static void put_baseline(FILE *out, const struct snapshot *snapshot)
{
	const struct snapshot_baseline *baseline = &snapshot->baseline;

	if (snapshot->is_compared)
		safe_print(out, "# compared with A: %s  %.1f s  %" PRIu64 " samples\n",
			   sanitize_checked(baseline->label), baseline->window_s,
			   baseline->samples);
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
	if (options->has_period)
		safe_put(out, "            PERIOD");
	safe_put(out, "  COMMAND         ");
	if (keys & KEY_PID)
		safe_put(out, "     PID");
	if (keys & KEY_TID)
		safe_put(out, "     TID");
	if (keys & KEY_CPU)
		safe_put(out, "  CPU");
	if (keys & KEY_OBJECT)
		safe_put(out, "  OBJECT                  ");
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
		safe_print(out, "  %-16s", SAFE_TEXT("several"));
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
static void put_figures(FILE *out, const struct snapshot *snapshot,
			const struct snapshot_row *row)
{
	if (row->is_idle) {
		safe_print(out, "   idle    idle  %7" PRIu64, row->self_samples);
		return;
	}
	safe_print(out, " %6.2f  %6.2f  %7" PRIu64, snapshot_pct(snapshot, row->self_weight),
		   snapshot_pct(snapshot, row->total_weight), row->self_samples);
}

static void put_changed_shares(FILE *out, const struct snapshot *snapshot,
			       const struct snapshot_row *row, bool of_total, const char *mark)
{
	safe_print(out, " %+7.2f  %-4s", row_changes_points(snapshot, row, of_total),
		   sanitize_checked(mark));
	safe_print(out, "  %6.2f  %7.2f  %6.2f  %8.2f", snapshot_pct(snapshot, row->self_weight),
		   row_changes_base_pct(snapshot, row->base_self_weight),
		   snapshot_pct(snapshot, row->total_weight),
		   row_changes_base_pct(snapshot, row->base_total_weight));
}

/* Writes the changes of a row. An idle row has no shares that could change. */
static void put_changes(FILE *out, const struct snapshot *snapshot, const struct snapshot_row *row,
			bool of_total)
{
	static const char *const marks[] = { [ROW_IN_BOTH] = "", [ROW_NEW] = "new",
					     [ROW_GONE] = "gone" };
	const double now = row_changes_per_s(of_total ? row->total_samples : row->self_samples,
					     snapshot->window_s);
	const double then = row_changes_per_s(of_total ? row->base_total_samples
						       : row->base_self_samples,
					      snapshot->baseline.window_s);

	if (row->is_idle)
		safe_print(out, "       -  %-4s    idle     idle    idle      idle",
			   sanitize_checked(marks[row_changes_presence(row)]));
	else
		put_changed_shares(out, snapshot, row, of_total, marks[row_changes_presence(row)]);
	safe_print(out, "  %9.1f  %11.1f  %+8.1f", now, then, now - then);
}

static void put_row(FILE *out, const struct snapshot *snapshot, const struct snapshot_row *row,
		    const struct export_options *options)
{
	const unsigned int keys = snapshot->keys;

	if (snapshot->is_compared)
		put_changes(out, snapshot, row, options->by_total);
	else
		put_figures(out, snapshot, row);
	if (options->has_period)
		safe_print(out, "  %16.0f", row->self_weight);
	put_command(out, row);
	if (keys & KEY_PID)
		put_number(out, 8, row->pid);
	if (keys & KEY_TID)
		put_number(out, 8, row->tid);
	if (keys & KEY_CPU)
		put_number(out, 5, row->cpu);
	if (keys & KEY_OBJECT)
		safe_print(out, "  %-24s", sanitize_checked(row->object));
	if (keys & (KEY_SYMBOL | KEY_ADDRESS))
		safe_print(out, "  [%c] ", snapshot_level(row->mode));
	if (keys & KEY_SYMBOL)
		safe_put_text(out, row->state == SYMBOL_LOADING
					   ? SAFE_TEXT("(loading)")
					   : sanitize_checked(row->symbol));
	if (keys & KEY_ADDRESS)
		safe_print(out, "%s0x%" PRIx64, keys & KEY_SYMBOL ? SAFE_TEXT(" ") : SAFE_TEXT(""),
			   row->address);
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

void text_write(FILE *out, const struct snapshot *snapshot, const struct export_options *options)
{
	size_t written;

	put_head(out, snapshot, text_has_all_events(snapshot, options));
	put_baseline(out, snapshot);
	put_notice(out, snapshot->notice);
	put_absent(out, snapshot);
	put_filter(out, snapshot, &options->filter);
	put_children(out, snapshot);
	written = options->has_groups ? put_groups(out, snapshot, options)
				      : put_table(out, snapshot, options);
	if (!written)
		safe_put_text(out, options->filter.count
			      ? SAFE_TEXT("  nothing matches the filter\n")
							 : SAFE_TEXT("  nothing hot\n"));
	safe_put(out, "\n");
	text_put_probes(out, &snapshot->probes);
}
