/* view_table.c - see view_table.h. */
#include "view_table.h"

#include <stdio.h>

#include "state.h"
#include "ui/columns.h"
#include "widgets/detail.h"
#include "widgets/empty.h"
#include "widgets/search.h"

#define MARKER_CELLS 2

static void refresh_table(struct view *view, const struct ui_state *state)
{
	struct table_view *table = (struct table_view *)view;

	table_rows_collect(&table->rows, state->shown, state->show_idle,
			   *state_order(state));
}

static void move_cursor(struct view *view, enum view_move move)
{
	table_rows_move(&((struct table_view *)view)->rows, move);
}

static void draw_titles(struct ui_state *state, const struct column_layout *layout,
			struct canvas *canvas, int y)
{
	const struct table_order *order = state_order(state);
	char text[64];

	state->table.drawn = 0;
	for (size_t i = 0; i < layout->count; i++) {
		const struct column *column = &columns[layout->places[i].id];
		const struct canvas_area area = { layout->places[i].x, y, layout->places[i].width };
		const bool is_sorted = layout->places[i].id == order->column;
		const char *arrow = order->is_reversed ? "\u25b2" : "\u25bc";

		if (column->align == ALIGN_RIGHT) {
			snprintf(text, sizeof(text), "%s%s", is_sorted ? arrow : "", column->title);
			canvas_put_right(canvas, area, canvas_clean(text), ROLE_HEADING);
		} else {
			snprintf(text, sizeof(text), "%s%s", column->title, is_sorted ? arrow : "");
			canvas_put_text(canvas, area, canvas_clean(text), ROLE_HEADING);
		}
		hits_add(&state->hits, (struct hit){ HIT_TITLE, area.x, y, area.width, 1,
						     layout->places[i].id });
		state->table.drawn |= 1u << layout->places[i].id;
	}
}

static void draw_cells(const struct column_layout *layout, const struct column_row *of,
		       struct canvas *canvas, int y)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct canvas_area area = { layout->places[i].x, y, layout->places[i].width };

		columns[layout->places[i].id].put(canvas, area, of);
	}
}

static void select_row(const struct column_layout *layout, struct canvas *canvas, int y)
{
	int x = 0;

	for (size_t i = 0; i < layout->count; i++) {
		if (layout->places[i].id != COL_BAR)
			continue;
		canvas_set_role(canvas, (struct canvas_area){ x, y, layout->places[i].x - x },
				ROLE_SELECTED);
		canvas_set_role(canvas, (struct canvas_area){ layout->places[i].x, y,
							      layout->places[i].width },
				ROLE_SELECTED_BAR);
		x = layout->places[i].x + layout->places[i].width;
	}
	canvas_set_role(canvas, (struct canvas_area){ x, y, canvas->width - x }, ROLE_SELECTED);
	canvas_put_text(canvas, (struct canvas_area){ 0, y, 1 }, SAFE_TEXT("\u25b8"),
			ROLE_SELECTED);
}

static void draw_rows(const struct ui_state *state, const struct column_layout *layout,
		      struct canvas *canvas, int y)
{
	const struct table_rows *rows = &state->table.rows;
	const size_t first = rows->place.top;

	for (size_t i = first; i < rows->count && i < first + rows->page; i++, y++) {
		const struct column_row of = {
			state->shown, rows->rows[i],
			table_rows_is_unfolded(rows, rows->rows[i]->id),
		};

		draw_cells(layout, &of, canvas, y);
		if (i == rows->place.cursor)
			select_row(layout, canvas, y);
		search_highlight(canvas, (struct canvas_area){ 0, y, canvas->width },
				 state->search);
	}
}

static void draw_table(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
		       int lines)
{
	const struct column_set set = state_columns(state);
	struct table_rows *rows = &((struct table_view *)view)->rows;
	const int detail = detail_lines(state, canvas->height);
	struct column_layout layout;

	lines -= detail;
	table_rows_set_page(rows, lines > 1 ? (size_t)(lines - 1) : 0);
	columns_fit(&layout, MARKER_CELLS, canvas->width - MARKER_CELLS, &set);
	draw_titles(state, &layout, canvas, top);
	if (rows->count == 0)
		empty_draw(state, canvas, top + 2, top + lines);
	draw_rows(state, &layout, canvas, top + 1);
	hits_add(&state->hits, (struct hit){ HIT_ROWS, 0, top + 1, canvas->width, (int)rows->page,
					     rows->place.top });
	detail_draw(state, canvas, top + lines, detail);
}

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
	table_rows_finish(&table->rows);
}
