/* table_writer.c - rows and groups of a snapshot as CSV and Markdown, and the columns of a run: see
 * export/print.h.
 *
 * The columns are chosen at the first refresh. The rows of all events and refreshes then have them
 * all, with empty cells where one does not apply: a reader of CSV relies on that.
 */
#include "table_columns.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_print.h"
#include "group_lines.h"
#include "text.h"

#define PCT_DIGITS 4		/* as in JSON */
#define MANY_BYTES 24

static int add_name(struct column_names *names, const char *name)
{
	char **bigger;

	for (uint32_t i = 0; i < names->count; i++)
		if (!strcmp(names->list[i], name))
			return 0;
	bigger = realloc(names->list, (names->count + 1) * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	names->list = bigger;
	bigger[names->count] = strdup(name);
	return bigger[names->count++] ? 0 : -ENOMEM;
}

static void finish_names(struct column_names *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
}

static int add_clean_name(struct column_names *names, const char *raw)
{
	char clean[PROBE_SPEC_BYTES];

	sanitize_text(clean, sizeof(clean), raw, strlen(raw));
	return add_name(names, clean);
}

static int add_names_of_spec(struct table_columns *columns, const struct probe_spec *spec)
{
	char text[PROBE_SPEC_BYTES];
	int err = 0;

	for (uint32_t i = 0; i < spec->key_count && !err; i++) {
		probe_key_write(spec, &spec->keys[i], text, sizeof(text));
		err = add_clean_name(&columns->keys_of_hits, text);
	}
	for (uint32_t i = 0; i < spec->aggregate_count && !err; i++) {
		probe_aggregate_write(spec, &spec->aggregates[i], text, sizeof(text));
		err = add_clean_name(&columns->aggregates, text);
	}
	columns->has_latency |= spec->edge == PROBE_LATENCY;
	return err;
}

static int add_names_of_groups(struct table_columns *columns, const struct snapshot_groups *groups)
{
	int err = 0;

	for (uint32_t i = 0; i < groups->key_count && !err; i++)
		err = add_name(&columns->keys_of_hits, groups->key_names[i]);
	for (uint32_t i = 0; i < groups->aggregate_count && !err; i++)
		err = add_name(&columns->aggregates, groups->aggregates[i].name);
	columns->has_latency |= groups->has_latency;
	return err;
}

struct table_writer {
	struct table_columns columns;
	bool has_columns;	/* the first refresh was seen */
};

int table_writer_create(struct table_writer **out, const struct table_options *options)
{
	struct table_writer *writer = calloc(1, sizeof(*writer));
	int err = writer ? 0 : -ENOMEM;

	*out = writer;
	if (err)
		return err;
	writer->columns.options = *options;
	for (size_t i = 0; options->probes && i < options->probe_count && !err; i++)
		err = add_names_of_spec(&writer->columns, &options->probes[i]);
	writer->columns.options.probe_count = options->probes ? options->probe_count : 0;
	writer->columns.options.probes = NULL;
	if (err) {
		table_writer_destroy(writer);
		*out = NULL;
	}
	return err;
}

void table_writer_destroy(struct table_writer *writer)
{
	if (!writer)
		return;
	finish_names(&writer->columns.keys_of_hits);
	finish_names(&writer->columns.aggregates);
	free(writer);
}

static int choose_columns(struct table_columns *columns, const struct snapshot *snapshot)
{
	const struct event_columns *events = &snapshot->event_columns;
	int err = 0;

	columns->keys = snapshot->keys;
	for (const struct snapshot *at = snapshot; at; at = at->next_event) {
		columns->is_compared |= at->has_baseline || at->is_compared;
		columns->has_waits |= at->is_of_waits;
		columns->has_time |= at->is_of_waits || at->is_hit_time;
		columns->has_weight |= snapshot_is_by_weight(at);
	}
	columns->has_weight &= !columns->has_time;
	columns->ratio_count = events->has_loads ? events->ratio_count : 0;
	for (uint32_t i = 0; i < columns->ratio_count; i++)
		memcpy(columns->ratios[i], events->ratios[i].title, sizeof(columns->ratios[i]));
	if (columns->options.probe_count)
		return 0;
	for (uint32_t i = 0; i < snapshot->probes.group_count && !err; i++)
		err = add_names_of_groups(columns, &snapshot->probes.groups[i]);
	return err;
}

/* An idle row has no share that could change. */
static void put_change(struct cells *cells, const struct table_columns *columns,
		       const struct snapshot *snapshot, const struct snapshot_row *row)
{
	static const char *const marks[] = { [ROW_IN_BOTH] = "", [ROW_NEW] = "new",
					     [ROW_GONE] = "gone" };
	const bool of_total = columns->options.print.by_total;
	const bool has_change = snapshot->is_compared && !row->is_idle;
	const double sigmas = has_change ? row_changes_sigmas(snapshot, row, of_total) : NAN;

	cells_change(cells, "change_points", "CHANGE", has_change,
		     has_change ? row_changes_points(snapshot, row, of_total) : 0, PCT_DIGITS);
	cells_word(cells, NULL, "",
		   has_change && row_changes_is_noise(snapshot, row, of_total) ? "~" : "");
	cells_word(cells, "change", "",
		   snapshot->is_compared ? marks[row_changes_presence(row)] : "");
	cells_real(cells, "change_sigmas", NULL, has_change && !isnan(sigmas), sigmas, 2);
}

static void put_stats(struct cells *cells, const struct table_columns *columns,
		      const struct snapshot *snapshot, const struct snapshot_row *row)
{
	struct cells_stats of = {
		.now = &row->now, .base = &row->base, .self_pct = -1, .total_pct = -1,
		.base_self_pct = -1, .base_total_pct = -1, .is_compared = columns->is_compared,
		.has_base = snapshot->is_compared,
	};

	if (!row->is_idle) {
		of.self_pct = snapshot_row_pct(snapshot, row, row->now.self.weight);
		of.total_pct = snapshot_row_pct(snapshot, row, row->now.total.weight);
	}
	if (of.has_base && !row->is_idle) {
		of.base_self_pct =
			row_changes_row_base_pct(snapshot, row, row->base.self.weight);
		of.base_total_pct =
			row_changes_row_base_pct(snapshot, row, row->base.total.weight);
	}
	cells_stats(cells, &of);
	if (!columns->is_compared)
		return;
	cells_real(cells, "self_per_s", NULL, true,
		   row_changes_per_s(row->now.self.samples, snapshot->window_s), 3);
	cells_real(cells, "base_self_per_s", NULL, snapshot->is_compared,
		   row_changes_per_s(row->base.self.samples, snapshot->baseline.window_s), 3);
}

static void put_ratios(struct cells *cells, const struct table_columns *columns,
		       const struct snapshot *snapshot, const struct snapshot_row *row)
{
	const struct event_columns *events = &snapshot->event_columns;

	for (uint32_t i = 0; i < columns->ratio_count; i++) {
		double value = -1;
		bool is_rough;

		for (uint32_t j = 0; j < events->ratio_count; j++)
			if (!strcmp(events->ratios[j].title, columns->ratios[i]))
				value = event_ratio_of(&events->ratios[j], row->by_event, false,
						       &is_rough);
		cells_real(cells, columns->ratios[i], columns->ratios[i], value >= 0, value, 4);
	}
}

static void put_command(struct cells *cells, const struct snapshot_row *row)
{
	char many[MANY_BYTES];

	cells_text(cells, "comm", NULL, row->comm);
	cells_number(cells, "tasks", NULL, row->tasks, row->tasks);
	if (row->comm[0]) {
		cells_text(cells, NULL, "COMMAND", row->comm);
		return;
	}
	snprintf(many, sizeof(many), row->tasks ? "%u tasks" : "several", row->tasks);
	cells_word(cells, NULL, "COMMAND", row->id == ROW_OF_SHORT_WAITS ? "" : many);
}

static void put_from(struct cells *cells, const struct snapshot_row *row)
{
	const double pct = snapshot_row_mispredicted_pct(row);
	const bool is_known = row->from_dso_path[0];

	cells_real(cells, "mispredicted_pct", "MISPRED%", pct >= 0, pct, PCT_DIGITS);
	cells_real(cells, "predicted", NULL, true, row->predicted, 0);
	cells_real(cells, "mispredicted", NULL, true, row->mispredicted, 0);
	cells_text(cells, "from_dso", NULL, row->from_dso_path);
	cells_text(cells, "from_symbol", "FROM", row->from_symbol);
	cells_address(cells, "from_address", NULL, is_known, row->from_address);
}

/* What has no name has an address, unless its code is not known at all. */
static void put_code(struct cells *cells, const struct table_columns *columns,
		     const struct snapshot_row *row)
{
	const unsigned int keys = columns->keys;
	const bool is_loading = row->state == SYMBOL_LOADING;
	const bool has_code = row->id != ROW_OF_SHORT_WAITS;
	const char level[] = { has_code ? snapshot_level(row->mode) : '\0', '\0' };

	if (keys & KEY_DSO) {
		cells_text(cells, "dso", NULL, row->dso_path);
		cells_text(cells, NULL, "DSO", row->dso);
		cells_text(cells, "build_id", NULL, row->build_id);
	}
	if (keys & (KEY_DSO | KEY_SYMBOL | KEY_ADDRESS))
		cells_word(cells, "level", NULL, level);
	if (keys & KEY_SYMBOL)
		cells_text(cells, "symbol", "SYMBOL", is_loading ? "(loading)" : row->symbol);
	if (keys & (KEY_ADDRESS | KEY_SYMBOL))
		cells_address(cells, "address", keys & KEY_ADDRESS ? "ADDRESS" : NULL,
			      keys & KEY_ADDRESS || (keys & KEY_DSO && has_code && !is_loading &&
						     row->state != SYMBOL_NO_MAP),
			      row->address);
	if (columns->options.print.has_source && keys & (KEY_SYMBOL | KEY_ADDRESS))
		cells_text(cells, "source", "SOURCE", row->source);
}

static void put_weight(struct cells *cells, const struct table_columns *columns,
		       const struct snapshot_row *row)
{
	const double weight = row->now.self.weight;

	if (columns->has_time)
		cells_time(cells, NULL, "TIME", true, (uint64_t)weight);
	else if (columns->has_weight)
		cells_real(cells, NULL, "WEIGHT", true, weight, 0);
	if (columns->options.print.has_period)
		cells_real(cells, NULL, "PERIOD", true, weight, 0);
}

static void put_row(struct cells *cells, const struct table_columns *columns,
		    const struct snapshot *snapshot, const struct snapshot_row *row)
{
	const unsigned int keys = columns->keys;

	cells_count(cells, "time_ns", NULL, snapshot->time_ns);
	cells_text(cells, "event", keys & KEY_EVENT ? "EVENT" : NULL,
		   keys & KEY_EVENT ? row->event : snapshot->event);
	if (columns->is_compared) {
		cells_text(cells, "target", NULL, snapshot->target);
		put_change(cells, columns, snapshot, row);
	}
	put_stats(cells, columns, snapshot, row);
	put_ratios(cells, columns, snapshot, row);
	put_weight(cells, columns, row);
	if (columns->has_waits) {
		cells_text(cells, "wait", "WAIT", row->wait);
		cells_text(cells, "wait_state", NULL, row->wait_state);
		cells_text(cells, "waker", NULL, row->waker);
	}
	put_command(cells, row);
	if (keys & KEY_PID)
		cells_number(cells, "pid", "PID", row->pid >= 0, row->pid);
	if (keys & KEY_TID)
		cells_number(cells, "tid", "TID", row->tid >= 0, row->tid);
	if (keys & KEY_CPU)
		cells_number(cells, "cpu", "CPU", row->cpu >= 0, row->cpu);
	if (keys & KEY_FROM)
		put_from(cells, row);
	put_code(cells, columns, row);
	if (columns->options.print.show_idle)
		cells_word(cells, "idle", "IDLE", row->is_idle ? "true" : "false");
	cells_end(cells);
}

/* Returns how many rows there was no room for. */
static size_t put_rows(struct cells *cells, const struct table_columns *columns,
		       const struct snapshot *snapshot)
{
	const struct export_options *print = &columns->options.print;
	size_t *order = snapshot->is_compared ? row_changes_order(snapshot, print->by_total) : NULL;
	size_t written = 0, more = 0;

	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct snapshot_row *row = &snapshot->rows[order ? order[i] : i];

		if (row->is_idle && !print->show_idle)
			continue;
		if (written == print->max_rows) {
			more++;
			continue;
		}
		put_row(cells, columns, snapshot, row);
		written++;
	}
	free(order);
	return more;
}

/* A group has its own value and those of the groups that it is in. */
static void put_path(struct cells *cells, const struct group_tree *tree,
		     const struct group_node *node)
{
	const char *texts[GROUP_LEVELS] = { "", "", "", "", "", "", "", "" };

	for (const struct group_node *at = node; at && tree->node_count;
	     at = at->parent == UINT32_MAX ? NULL : &tree->nodes[at->parent])
		texts[at->depth] = at->text;
	for (uint32_t i = 0; i < tree->level_count; i++) {
		const char *name = group_key_name(tree->keys[i]);

		cells_text(cells, name, name, texts[i]);
	}
}

static void put_group(struct cells *cells, const struct table_columns *columns,
		      const struct snapshot *snapshot, const struct group_node *node)
{
	const struct group_tree *tree = &snapshot->groups;
	const bool is_compared = columns->is_compared;
	const bool has_base = is_compared && tree->is_compared && node->has_base;
	const struct cells_stats stats = {
		.now = &node->now, .base = &node->base,
		.self_pct = group_node_pct(node, node->now.self.weight),
		.total_pct = group_node_pct(node, node->now.total.weight),
		.base_self_pct = group_node_base_pct(node, node->base.self.weight),
		.base_total_pct = group_node_base_pct(node, node->base.total.weight),
		.is_compared = is_compared, .has_base = has_base,
	};
	const char *mark = !has_base ? "" : !node->now.total.samples ? "gone"
					  : !node->base.total.samples ? "new" : "";

	cells_count(cells, "time_ns", NULL, snapshot->time_ns);
	if (tree->keys[0] != GROUP_EVENT)
		cells_text(cells, "event", NULL, snapshot->event);
	cells_word(cells, "level", NULL,
		   tree->level_count ? group_key_name(tree->keys[node->depth]) : "");
	if (is_compared) {
		cells_change(cells, "change_points", "CHANGE", has_base,
			     stats.self_pct - stats.base_self_pct, PCT_DIGITS);
		cells_word(cells, "change", "", mark);
	}
	cells_stats(cells, &stats);
	if (columns->has_time)
		cells_time(cells, NULL, "TIME", true, (uint64_t)node->now.total.weight);
	put_path(cells, tree, node);
	cells_end(cells);
}

static size_t put_groups(struct cells *cells, const struct table_columns *columns,
			 const struct snapshot *snapshot)
{
	const struct group_tree *tree = &snapshot->groups;
	bool *is_printed;
	const size_t more = group_lines_choose(tree, columns->options.print.max_rows, &is_printed);

	for (uint32_t i = 0; i < tree->node_count; i++)
		if (!is_printed || is_printed[i])
			put_group(cells, columns, snapshot, &tree->nodes[i]);
	free(is_printed);
	return more;
}

/* Writes a line of titles or rules. */
static int put_heading(struct cells *cells, enum cells_line line,
		       const struct table_columns *columns, const struct snapshot *snapshot)
{
	static const struct snapshot_row row = {
		.event = "", .comm = "", .symbol = "", .dso = "", .dso_path = "", .build_id = "",
		.source = "", .from_symbol = "", .from_dso_path = "", .wait = "", .wait_state = "",
		.waker = "",
	};
	static const struct group_node node = { .parent = UINT32_MAX, .text = "" };
	size_t more = 0;
	int err = 0;

	cells->line = line;
	switch (columns->options.kind) {
	case TABLE_ROWS:	put_row(cells, columns, snapshot, &row); break;
	case TABLE_GROUPS:	put_group(cells, columns, snapshot, &node); break;
	case TABLE_TREE:	err = tree_table_write(cells, columns, NULL, &more); break;
	case TABLE_LISTING:	err = listing_table_write(cells, columns, NULL); break;
	case TABLE_PROBES:	probe_table_write(cells, NULL); break;
	case TABLE_HIT_GROUPS:	hit_group_table_write(cells, columns, NULL); break;
	case TABLE_HISTOGRAMS:	histogram_table_write(cells, columns, NULL); break;
	}
	cells->line = CELLS_VALUES;
	return err;
}

/* Writes the lines of one snapshot. *@more: how many there was no room for. */
static int put_lines(struct cells *cells, const struct table_columns *columns,
		     const struct snapshot *snapshot, size_t *more)
{
	switch (columns->options.kind) {
	case TABLE_ROWS:	*more = put_rows(cells, columns, snapshot); break;
	case TABLE_GROUPS:	*more = put_groups(cells, columns, snapshot); break;
	case TABLE_TREE:	return tree_table_write(cells, columns, snapshot, more);
	case TABLE_LISTING:	return listing_table_write(cells, columns, snapshot);
	case TABLE_PROBES:	probe_table_write(cells, snapshot); break;
	case TABLE_HIT_GROUPS:	hit_group_table_write(cells, columns, snapshot); break;
	case TABLE_HISTOGRAMS:	histogram_table_write(cells, columns, snapshot); break;
	}
	return 0;
}

/* What stands above a table in text is code here: it is of strangers, too. */
static int put_section(struct cells *cells, const struct table_columns *columns,
		       const struct snapshot *snapshot)
{
	size_t more = 0;
	int err;

	safe_put(cells->out, "```text\n");
	text_put_head(cells->out, snapshot, &columns->options.print);
	safe_put(cells->out, "```\n\n");
	err = put_heading(cells, CELLS_TITLES, columns, snapshot);
	if (!err)
		err = put_heading(cells, CELLS_RULES, columns, snapshot);
	if (!err)
		err = put_lines(cells, columns, snapshot, &more);
	if (more)
		safe_print(cells->out, "\n%zu more rows (-E shows more)\n", more);
	safe_put(cells->out, "\n");
	return err;
}

int table_writer_write(struct table_writer *writer, FILE *out, const struct snapshot *snapshot)
{
	struct table_columns *columns = &writer->columns;
	const enum table_kind kind = columns->options.kind;
	struct cells cells = { .out = out, .style = columns->options.style, .line = CELLS_VALUES };
	const bool is_csv = cells.style == TABLE_CSV, is_first = !writer->has_columns;
	int err = is_first ? choose_columns(columns, snapshot) : 0;

	writer->has_columns = true;
	if (!err && is_csv && is_first && !columns->options.continues)
		err = put_heading(&cells, CELLS_TITLES, columns, snapshot);
	for (; snapshot && !err; snapshot = snapshot->next_event) {
		size_t more = 0;

		err = is_csv ? put_lines(&cells, columns, snapshot, &more)
			     : put_section(&cells, columns, snapshot);
		/* The first snapshot has those of all events. */
		if (kind == TABLE_PROBES || kind == TABLE_HIT_GROUPS || kind == TABLE_HISTOGRAMS ||
		    ((kind == TABLE_ROWS || kind == TABLE_GROUPS) &&
		     text_has_all_events(snapshot, &columns->options.print)))
			break;
	}
	return err;
}
