/* view_table.c - see ui/view_table.h. */
#include "ui/view_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/filter_text.h"
#include "ui/format.h"
#include "ui/header.h"
#include "ui/state.h"

#define MARKER_CELLS 2

static void refresh_table(struct view *view, const struct ui_state *state);
static void draw_table(struct view *view, const struct ui_state *state, struct canvas *canvas,
		       int top, int rows);
static void move_cursor(struct view *view, enum view_move move);

static const struct view_ops table_ops = {
	.place = IN_TABLE,
	.refresh = refresh_table,
	.draw = draw_table,
	.move = move_cursor,
};

void table_view_init(struct table_view *table)
{
	*table = (struct table_view){ .view.ops = &table_ops };
}

void table_view_finish(struct table_view *table)
{
	free(table->rows);
	*table = (struct table_view){ .view.ops = &table_ops };
}

const struct snapshot_row *table_view_cursor(const struct table_view *table)
{
	return table->cursor < table->count ? table->rows[table->cursor] : NULL;
}

void table_view_columns(struct column_layout *out, int width, unsigned int keys)
{
	columns_fit(out, MARKER_CELLS, width - MARKER_CELLS, keys);
}

static int compare_rows(const void *a, const void *b, void *context)
{
	const struct snapshot_row *left = *(const struct snapshot_row *const *)a;
	const struct snapshot_row *right = *(const struct snapshot_row *const *)b;
	const struct table_order *order = context;
	int result = columns[order->column].compare(left, right);

	if (result)
		return order->is_reversed ? -result : result;
	return (left->id > right->id) - (left->id < right->id);
}

/* Room for all rows of the snapshot; without memory as many as there was room for before. */
static size_t reserve_rows(struct table_view *table, size_t wanted)
{
	const struct snapshot_row **rows;

	if (wanted > table->room) {
		rows = reallocarray(table->rows, wanted, sizeof(*rows));
		if (!rows)
			return table->room;
		table->rows = rows;
		table->room = wanted;
	}
	return wanted;
}

static bool is_kernel_mode(enum cpu_mode mode)
{
	return mode == MODE_KERNEL || mode == MODE_GUEST_KERNEL || mode == MODE_HYPERVISOR;
}

static bool is_user_mode(enum cpu_mode mode)
{
	return mode == MODE_USER || mode == MODE_GUEST_USER;
}

static bool is_shown(const struct row_filter *filter, const struct filter_text *text,
		     const struct snapshot_row *row)
{
	if (row->is_idle && !filter->show_idle)
		return false;
	if (filter->hide_kernel && is_kernel_mode(row->mode))
		return false;
	if (filter->hide_user && is_user_mode(row->mode))
		return false;
	return filter_text_matches(text, row->symbol) || filter_text_matches(text, row->object) ||
	       filter_text_matches(text, row->comm);
}

static void collect_rows(struct table_view *table, const struct ui_state *state)
{
	const struct snapshot *snapshot = state->shown;
	struct table_order order = state->order;
	struct filter_text text;
	size_t room;

	table->count = 0;
	if (!snapshot || filter_text_init(&text, state->filter.text, NULL))
		return;
	room = reserve_rows(table, snapshot->row_count);
	for (size_t i = 0; i < snapshot->row_count && table->count < room; i++)
		if (is_shown(&state->filter, &text, &snapshot->rows[i]))
			table->rows[table->count++] = &snapshot->rows[i];
	filter_text_finish(&text);
	if (table->count)
		qsort_r(table->rows, table->count, sizeof(table->rows[0]), compare_rows, &order);
}

static void scroll_to_cursor(struct table_view *table)
{
	const size_t page = table->page ? table->page : 1;

	if (table->cursor < table->top)
		table->top = table->cursor;
	else if (table->cursor >= table->top + page)
		table->top = table->cursor + 1 - page;
	if (table->top + page > table->count)	/* no blank lines while there are rows above */
		table->top = table->count > page ? table->count - page : 0;
}

static void set_cursor(struct table_view *table, size_t cursor)
{
	const size_t last = table->count ? table->count - 1 : 0;

	table->cursor = cursor < last ? cursor : last;
	if (table->count)
		table->cursor_id = table->rows[table->cursor]->id;
	scroll_to_cursor(table);
}

static bool find_row(const struct table_view *table, uint64_t id, size_t *out)
{
	for (size_t i = 0; i < table->count; i++) {
		if (table->rows[i]->id == id) {
			*out = i;
			return true;
		}
	}
	return false;
}

static void refresh_table(struct view *view, const struct ui_state *state)
{
	struct table_view *table = (struct table_view *)view;
	size_t cursor = table->cursor;
	size_t found;

	collect_rows(table, state);
	if (find_row(table, table->cursor_id, &found) &&
	    (table->is_moved || found < table->top + table->page))
		cursor = found;
	if (table->count)	/* an empty picture forgets nothing: its row may come back */
		set_cursor(table, cursor);
}

void table_view_select(struct table_view *table, uint64_t id)
{
	size_t found;

	if (find_row(table, id, &found))
		set_cursor(table, found);
}

static void move_cursor(struct view *view, enum view_move move)
{
	struct table_view *table = (struct table_view *)view;
	const size_t page = table->page ? table->page : 1;
	size_t cursor = table->cursor;

	switch (move) {
	case MOVE_UP:	     cursor -= cursor > 0; break;
	case MOVE_DOWN:	     cursor++; break;
	case MOVE_PAGE_UP:   cursor -= cursor > page ? page : cursor; break;
	case MOVE_PAGE_DOWN: cursor += page; break;
	case MOVE_FIRST:     cursor = 0; break;
	case MOVE_LAST:	     cursor = table->count; break;
	}
	table->is_moved = move != MOVE_FIRST;	/* the top again: follows nothing */
	set_cursor(table, cursor);
}

static void draw_titles(const struct column_layout *layout, const struct table_order *order,
			struct canvas *canvas, int y)
{
	char text[64];

	for (size_t i = 0; i < layout->count; i++) {
		const struct column *column = &columns[layout->places[i].id];
		const struct canvas_area area = { layout->places[i].x, y, layout->places[i].width };
		const bool is_sorted = layout->places[i].id == order->column;
		const char *arrow = order->is_reversed ? "\u25b2" : "\u25bc";

		if (column->align == ALIGN_RIGHT) {
			snprintf(text, sizeof(text), "%s%s", is_sorted ? arrow : "", column->title);
			canvas_put_right(canvas, area, text, ROLE_HEADING);
		} else {
			snprintf(text, sizeof(text), "%s%s", column->title, is_sorted ? arrow : "");
			canvas_put_text(canvas, area, text, ROLE_HEADING);
		}
	}
}

static void draw_row(const struct column_layout *layout, const struct snapshot *snapshot,
		     const struct snapshot_row *row, struct canvas *canvas, int y)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct canvas_area area = { layout->places[i].x, y, layout->places[i].width };

		columns[layout->places[i].id].put(canvas, area, snapshot, row);
	}
}

/* The whole line but the bar: reversed, its blocks would be holes. */
static void select_row(const struct column_layout *layout, struct canvas *canvas, int y)
{
	int x = 0;

	for (size_t i = 0; i < layout->count; i++) {
		if (layout->places[i].id != COL_BAR)
			continue;
		canvas_set_role(canvas, (struct canvas_area){ 0, y, layout->places[i].x },
				ROLE_SELECTED);
		x = layout->places[i].x + layout->places[i].width;
	}
	canvas_set_role(canvas, (struct canvas_area){ x, y, canvas->width - x }, ROLE_SELECTED);
}

/* Why there is no row, and what to do about it. */
static void explain_empty(const struct ui_state *state, char *out, size_t cap)
{
	const struct snapshot *snapshot = state->shown;
	const struct row_filter *filter = &state->filter;
	char number[FORMAT_BYTES];

	if (!snapshot)
		snprintf(out, cap, "Collecting: the first picture comes with the first refresh.");
	else if (filter->text[0])
		snprintf(out, cap, "No row contains \"%s\". Esc clears the filter.", filter->text);
	else if (filter->hide_kernel || filter->hide_user)
		snprintf(out, cap, "%s code is hidden and there is nothing else. %s shows it.",
			 filter->hide_kernel && filter->hide_user ? "Kernel and user"
			 : filter->hide_kernel			  ? "Kernel"
								  : "User",
			 filter->hide_kernel && filter->hide_user ? "K, U"
			 : filter->hide_kernel			  ? "K"
								  : "U");
	else if (snapshot->is_target_gone)
		snprintf(out, cap, "The target ended before a sample hit it. q quits.");
	else if (snapshot->idle_samples)
		snprintf(out, cap, "Nothing is hot: all %s samples were idle. i shows them.",
			 format_count(number, snapshot->idle_samples));
	else
		snprintf(out, cap, "Nothing is hot: no sample, %s. w takes a longer window.",
			 header_window_name(snapshot->window, snapshot->window_s,
					    state->is_zeroed));
}

static void draw_table(struct view *view, const struct ui_state *state, struct canvas *canvas,
		       int top, int rows)
{
	const unsigned int keys = state->shown ? state->shown->keys : KEY_OBJECT | KEY_SYMBOL;
	struct table_view *table = (struct table_view *)view;
	struct column_layout layout;
	char sentence[256];

	table->page = rows > 1 ? (size_t)(rows - 1) : 0;
	scroll_to_cursor(table);
	table_view_columns(&layout, canvas->width, keys);
	draw_titles(&layout, &state->order, canvas, top);
	if (table->count == 0) {
		explain_empty(state, sentence, sizeof(sentence));
		canvas_put_text(canvas,
				(struct canvas_area){ MARKER_CELLS, top + 2, canvas->width - 3 },
				sentence, ROLE_TEXT);
	}
	for (size_t i = 0; i < table->page && table->top + i < table->count; i++) {
		const int y = top + 1 + (int)i;

		draw_row(&layout, state->shown, table->rows[table->top + i], canvas, y);
		if (table->top + i != table->cursor)
			continue;
		canvas_put_text(canvas, (struct canvas_area){ 0, y, 1 }, "\u25b8", ROLE_SELECTED);
		select_row(&layout, canvas, y);
	}
}
