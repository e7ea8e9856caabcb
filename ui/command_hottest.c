/* command_hottest.c - J: to the hottest row, path or frame, or the busiest time.
 *
 * What it goes to depends on the last key: after a key of time ([ ] { } ( ) H, a click on the
 * activity graph) to a time, until a key acts on rows again.
 * Again: pressed where it led to, it goes on to the next; after the last it starts over.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "command_list.h"
#include "widgets/format.h"

/* Orders rows by descending heat: the change while they are compared, else SELF%. */
static int compare_heat(const struct ui_state *state, const struct snapshot_row *a,
			const struct snapshot_row *b)
{
	const enum column_id column = state_is_compared(state) ? COL_CHANGE : COL_SELF;
	const int result = columns_compare(column, state->shown, a, b);

	return result ? result : (a->id > b->id) - (a->id < b->id);
}

/* Excludes idle rows, and threads, which are part of their process's row. */
static bool can_be_hot(const struct snapshot_row *row)
{
	return !row->is_idle && !row->group_id;
}

/* The hottest row that is less hot than @after (NULL: than none). Of @rows->count: there is none.
 */
static size_t find_row(const struct ui_state *state, const struct snapshot_row *after)
{
	const struct table_rows *rows = &state->table.rows;
	size_t found = rows->count;

	for (size_t i = 0; i < rows->count; i++) {
		const struct snapshot_row *row = rows->rows[i];

		if (!can_be_hot(row) || (after && compare_heat(state, after, row) >= 0))
			continue;
		if (found == rows->count || compare_heat(state, row, rows->rows[found]) < 0)
			found = i;
	}
	return found;
}

/* Shows the rank of the row and the number of rows. */
static void say_rank(struct ui_state *state, const struct snapshot_row *here)
{
	const struct table_rows *rows = &state->table.rows;
	size_t rank = 1, all = 0;

	for (size_t i = 0; i < rows->count; i++) {
		if (!can_be_hot(rows->rows[i]))
			continue;
		all++;
		rank += compare_heat(state, rows->rows[i], here) < 0;
	}
	state_say(state, "%s row %zu of %zu \u00b7 J the next",
		  state_is_compared(state) ? "most changed" : "hottest", rank, all);
}

static void go_to_row(struct ui_state *state)
{
	struct table_rows *rows = &state->table.rows;
	const struct snapshot_row *here = table_rows_cursor(rows);
	const bool is_again = here && can_be_hot(here) && here->id == state->hottest_row;
	size_t index = find_row(state, is_again ? here : NULL);

	if (index == rows->count)
		index = find_row(state, NULL);
	if (index == rows->count)
		return;
	table_rows_select_index(rows, index);
	state->hottest_row = rows->rows[index]->id;
	say_rank(state, rows->rows[index]);
}

/* Equal parts of the activity graph's time, oldest first: its points, or parts of them. */
struct slices {
	const struct snapshot *snapshot;
	size_t parts;		/* slices per point */
	bool is_heat;		/* values are those of the heat map's cells */
};

static struct slices slices_of(const struct ui_state *state)
{
	const bool is_heat = state->wants_heat && state->shown->heat && state->heat.width > 0;

	return (struct slices){
		.snapshot = state->shown, .is_heat = is_heat,
		.parts = is_heat ? (size_t)state->heat.height : 1,
	};
}

/* Returns the load of a slice; < 0: unknown. */
static double value_of(const struct slices *slices, size_t index)
{
	const size_t point = index / slices->parts, ticks = HEAT_ROWS / slices->parts;
	double sum = -1;

	if (!slices->is_heat)
		return (double)slices->snapshot->strip[point];
	for (size_t i = 0; i < ticks; i++) {
		const float value = slices->snapshot->heat[point * HEAT_ROWS +
							   index % slices->parts * ticks + i];

		if (value >= 0)
			sum = (sum < 0 ? 0 : sum) + (double)value;
	}
	return sum;
}

static struct time_range range_of(const struct slices *slices, size_t index)
{
	const struct snapshot *shown = slices->snapshot;
	const uint64_t step_ns = (uint64_t)(shown->strip_step_s * 1e9 + 0.5);
	const uint64_t length_ns = step_ns / slices->parts;
	const uint64_t back_ns = step_ns * shown->strip_count - length_ns * index;

	if (back_ns > shown->strip_end_ns)
		return (struct time_range){ 0, 0 };
	return (struct time_range){ shown->strip_end_ns - back_ns,
				    shown->strip_end_ns - back_ns + length_ns };
}

static bool is_visited(const struct ui_state *state, struct time_range range)
{
	for (size_t i = 0; i < state->visited_count; i++)
		if (range.begin_ns < state->visited[i].end_ns &&
		    state->visited[i].begin_ns < range.end_ns)
			return true;
	return false;
}

/* Finds the busiest slice not visited, of equal ones the latest. False: there is none. */
static bool find_slice(const struct ui_state *state, const struct slices *slices, size_t *out)
{
	const struct time_bounds bounds = state_time_bounds(state);
	double most = 0;

	for (size_t i = 0; i < slices->snapshot->strip_count * slices->parts; i++) {
		const double value = value_of(slices, i);
		const struct time_range range = range_of(slices, i);

		if (value <= 0 || value < most || range.begin_ns < bounds.known_ns ||
		    range.end_ns > bounds.newest_ns || is_visited(state, range))
			continue;
		most = value;
		*out = i;
	}
	return most > 0;
}

static void visit(struct ui_state *state, struct time_range range)
{
	if (state->visited_count == STATE_VISITED)
		memmove(state->visited, state->visited + 1,
			--state->visited_count * sizeof(state->visited[0]));
	state->visited[state->visited_count++] = range;
}

static void say_slice(struct ui_state *state, const struct slices *slices, size_t index)
{
	const double value = value_of(slices, index);
	const struct time_range range = range_of(slices, index);
	const double length_s = (double)(range.end_ns - range.begin_ns) / 1e9;
	char length[FORMAT_BYTES], count[FORMAT_BYTES], text[64];

	format_count(count, (uint64_t)(value + 0.5));
	if (slices->is_heat)
		snprintf(text, sizeof(text), "%s busy samples", count);
	else if (slices->snapshot->strip_kind == STRIP_BUSY)
		snprintf(text, sizeof(text), "%.0f %% busy", value);
	else
		snprintf(text, sizeof(text), "%s samples a second", count);
	state_say(state, "%s in %s \u00b7 J the next busiest \u00b7 x compares with the rest",
		  text, format_duration(length, length_s));
}

static void go_to_slice(struct ui_state *state)
{
	const struct slices slices = slices_of(state);
	bool is_found;
	size_t index;

	is_found = find_slice(state, &slices, &index);
	if (!is_found && state->visited_count) {
		state->visited_count = 0;	/* all were visited: start over at the busiest */
		is_found = find_slice(state, &slices, &index);
	}
	if (!is_found) {
		state_say(state, "there is no whole second of history yet");
		return;
	}
	visit(state, range_of(&slices, index));
	command_choose_time(state, range_of(&slices, index));
	command_compare_rest(state);
	say_slice(state, &slices, index);
}

void cmd_hottest(struct ui_state *state)
{
	struct tree_rows *tree = state_tree_rows(state);

	if (state->is_on_time && state->shown)
		go_to_slice(state);
	else if (state_is_flame(state))
		flame_view_follow(&state->flame);
	else if (tree)
		tree_rows_open_hottest(tree);
	else
		go_to_row(state);
}
