/* view_table.c - see view_table.h. */
#include "view_table.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/request.h"
#include "command_line.h"
#include "command_list.h"
#include "ui/views.h"
#include "view_help.h"
#include "widgets/detail.h"
#include "widgets/empty.h"
#include "widgets/format.h"
#include "term/utf8.h"
#include "widgets/search.h"

#define MARKER_CELLS	 2
#define MENU_TITLE_CELLS 12
#define SUMS_HEIGHT	 20	/* a lower screen needs all of its lines for rows */

static void refresh_table(struct view *view, const struct ui_state *state)
{
	struct table_view *table = (struct table_view *)view;

	table_rows_collect(&table->rows, state->shown, state->query.show_idle,
			   *state_order(state));
}

static void move_cursor(struct view *view, enum view_move move)
{
	table_rows_move(&((struct table_view *)view)->rows, move);
}

/* Returns the title, or the name of a column without one. */
static const char *title_of(const struct ui_state *state, enum column_id id)
{
	const char *title = columns_title(id, state->shown);

	return title[0] ? title : columns_name(id);
}

static void draw_titles(struct ui_state *state, const struct column_layout *layout,
			struct canvas *canvas, int y)
{
	const struct table_order *order = state_order(state);
	char text[64];

	table_view_of(state)->drawn = 0;
	for (size_t i = 0; i < layout->count; i++) {
		const struct column *column = &columns[layout->places[i].id];
		const char *title = columns_title(layout->places[i].id, state->shown);
		const struct canvas_area area = { layout->places[i].x, y, layout->places[i].width };
		const bool is_sorted = layout->places[i].id == order->column;
		const char *arrow = order->is_reversed ? "\u25b2" : "\u25bc";

		if (column->align == ALIGN_RIGHT) {
			snprintf(text, sizeof(text), "%s%s", is_sorted ? arrow : "", title);
			canvas_put_right(canvas, area, canvas_clean(text), ROLE_HEADING);
		} else {
			snprintf(text, sizeof(text), "%s%s", title, is_sorted ? arrow : "");
			canvas_put_text(canvas, area, canvas_clean(text), ROLE_HEADING);
		}
		hits_add(&state->display.hits, (struct hit){ HIT_TITLE, area.x, y, area.width, 1,
						     layout->places[i].id });
		table_view_of(state)->drawn |= COLUMN_BIT(layout->places[i].id);
	}
}

static void draw_cells(const struct column_layout *layout, struct column_row of,
		       struct canvas *canvas, int y)
{
	for (size_t i = 0; i < layout->count; i++) {
		const struct canvas_area area = { layout->places[i].x, y, layout->places[i].width };

		of.id = layout->places[i].id;
		columns[of.id].put(canvas, area, &of);
	}
}

static void select_row(const struct column_layout *layout, struct canvas *canvas, int y)
{
	canvas_select_line(canvas, y);
	for (size_t i = 0; i < layout->count; i++)
		if (layout->places[i].id == COL_BAR)
			canvas_set_role(canvas, (struct canvas_area){ layout->places[i].x, y,
								      layout->places[i].width },
					ROLE_SELECTED_BAR);
}

static void draw_rows(const struct ui_state *state, const struct column_layout *layout,
		      struct canvas *canvas, int y)
{
	const struct table_rows *rows = &table_view_of(state)->rows;
	const size_t first = rows->place.top;

	for (size_t i = first; i < rows->count && i < first + rows->page; i++, y++) {
		const struct column_row of = {
			.snapshot = state->shown, .row = rows->rows[i],
			.is_unfolded = table_rows_is_unfolded(rows, rows->rows[i]->id),
		};

		draw_cells(layout, of, canvas, y);
		if (i == rows->place.cursor)
			select_row(layout, canvas, y);
		search_highlight(canvas, (struct canvas_area){ 0, y, canvas->width },
				 state->search);
	}
}

/* Draws of which parts the wall clock of the threads consists. Returns the lines that it takes
 * from the rows. */
static int draw_wait_sums(const struct ui_state *state, struct canvas *canvas, int y)
{
	const struct snapshot *shown = state->shown;
	char text[5 * FORMAT_BYTES], on[FORMAT_BYTES], off[FORMAT_BYTES], ready[FORMAT_BYTES];
	char whole[FORMAT_BYTES];
	double sum_ns;

	if (!shown || !shown->is_of_waits || canvas->height < SUMS_HEIGHT)
		return 0;
	sum_ns = (double)(shown->waits.on_ns + shown->waits.blocked_ns + shown->waits.run_queue_ns);
	if (!(sum_ns > 0))
		return 0;
	snprintf(text, sizeof(text), "threads: on CPU %s + waited %s + run queue %s = wall %s",
		 format_wait(on, (double)shown->waits.on_ns),
		 format_wait(off, (double)shown->waits.blocked_ns),
		 format_wait(ready, (double)shown->waits.run_queue_ns), format_wait(whole, sum_ns));
	canvas_put_text(canvas, (struct canvas_area){ MARKER_CELLS, y, canvas->width - 3 },
			canvas_clean(text), ROLE_DIM);
	return 1;
}

static void draw_table(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
		       int lines)
{
	const struct column_set set = state_columns(state);
	struct table_rows *rows = &((struct table_view *)view)->rows;
	const int detail = detail_lines(state, canvas->height);
	struct column_layout layout;
	int detail_y;

	lines -= detail;
	detail_y = top + lines;
	lines -= draw_wait_sums(state, canvas, top + lines - 1);
	table_rows_set_page(rows, lines > 1 ? (size_t)(lines - 1) : 0);
	columns_fit(&layout, MARKER_CELLS, canvas->width - MARKER_CELLS, &set);
	draw_titles(state, &layout, canvas, top);
	if (rows->count == 0)
		empty_draw(state, canvas, top + 2, top + lines);
	draw_rows(state, &layout, canvas, top + 1);
	hits_add(&state->display.hits, (struct hit){ HIT_ROWS, 0, top + 1, canvas->width,
						     (int)rows->page, rows->place.top });
	detail_draw(state, canvas, detail_y, detail, NULL);
}

/* Orders rows by descending heat: the change while they are compared, of several events the
 * samples, else SELF%. */
static int compare_heat(const struct ui_state *state, const struct snapshot_row *a,
			const struct snapshot_row *b)
{
	const enum column_id column = state_is_compared(state) ? COL_CHANGE
				    : state->shown->keys & KEY_EVENT ? COL_SAMPLES : COL_SELF;
	const int result = columns_compare(column, state->shown, a, b);

	return result ? result : (a->id > b->id) - (a->id < b->id);
}

/* Excludes idle rows, and threads, which are part of their process's row. */
static bool can_be_hot(const struct snapshot_row *row)
{
	return !row->is_idle && !row->group_id;
}

/* Returns the index of the hottest row that is less hot than @after (NULL: of all rows), or the
 * number of rows. */
static size_t find_hot(const struct ui_state *state, const struct snapshot_row *after)
{
	const struct table_rows *rows = &table_view_of(state)->rows;
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
	const struct table_rows *rows = &table_view_of(state)->rows;
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

static void go_to_hottest(struct view *view, struct ui_state *state)
{
	struct table_view *table = (struct table_view *)view;
	struct table_rows *rows = &table->rows;
	const struct snapshot_row *here = table_rows_cursor(rows);
	const bool is_again = here && can_be_hot(here) && here->id == table->hottest_row;
	size_t index = find_hot(state, is_again ? here : NULL);

	if (index == rows->count)
		index = find_hot(state, NULL);
	if (index == rows->count)
		return;
	table_rows_select_index(rows, index);
	table->hottest_row = rows->rows[index]->id;
	say_rank(state, rows->rows[index]);
}

/* Search. */

/* True if @text is all of the row's id: 77 does not match 4177. */
static bool is_id_of(const struct ui_state *state, const char *text,
		     const struct snapshot_row *row)
{
	char id[24];

	if (!(state->shown->keys & (KEY_PID | KEY_TID)))
		return false;
	snprintf(id, sizeof(id), "%" PRId64, snapshot_row_is_thread(row) ? row->tid : row->pid);
	return !strcmp(text, id);
}

static bool row_matches(const struct ui_state *state, const char *text,
			const struct snapshot_row *row)
{
	return search_matches(text, row->symbol) ||
	       search_matches(text, row->raw_symbol) ||
	       search_matches(text, row->event) ||
	       search_matches(text, row->dso) ||
	       search_matches(text, row->comm) ||
	       search_matches(text, row->command_line) ||
	       is_id_of(state, text, row);
}

/* Moves the cursor to the next match, in steps of @step rows from index @from, wrapping around. */
static bool find_row(struct table_rows *rows, const struct ui_state *state, const char *text,
		     size_t from, size_t step)
{
	for (size_t i = 0; i < rows->count; i++) {
		const size_t at = (from + i * step) % rows->count;

		if (row_matches(state, text, rows->rows[at])) {
			table_rows_select_index(rows, at);
			return true;
		}
	}
	return false;
}

static void mark_row(struct view *view)
{
	struct table_view *table = (struct table_view *)view;
	const struct snapshot_row *row = table_rows_cursor(&table->rows);

	table->marked = row ? row->id : 0;
}

static void unmark_row(struct view *view)
{
	struct table_view *table = (struct table_view *)view;

	table_rows_select(&table->rows, table->marked);
}

/* While the text is typed the number of matches says that there is none. */
static bool find_in_rows(struct view *view, const struct ui_state *state, const char *text,
			 int step)
{
	struct table_rows *rows = &((struct table_view *)view)->rows;
	const size_t last = rows->count ? rows->count - 1 : 0;

	if (step)
		return find_row(rows, state, text, rows->place.cursor + (step > 0 ? 1 : last),
				step > 0 ? 1 : last);
	unmark_row(view);
	if (text[0])
		find_row(rows, state, text, rows->place.cursor, 1);
	return true;
}

static size_t count_rows(const struct view *view, const struct ui_state *state, const char *text,
			 size_t *of)
{
	const struct table_rows *rows = &((const struct table_view *)view)->rows;
	size_t count = 0;

	*of = rows->count;
	for (size_t i = 0; i < rows->count; i++)
		count += row_matches(state, text, rows->rows[i]);
	return count;
}

static bool is_at_match(const struct view *view, const struct ui_state *state, const char *text)
{
	const struct snapshot_row *row =
		table_rows_cursor(&((const struct table_view *)view)->rows);

	return !row || row_matches(state, text, row);
}

static void scroll_rows(struct view *view, int lines)
{
	table_rows_scroll(&((struct table_view *)view)->rows, lines);
}

static bool select_hit(struct view *view, const struct hit *hit, const struct mouse *mouse)
{
	struct table_rows *rows = &((struct table_view *)view)->rows;

	(void)mouse;
	if (hit->number >= rows->count)
		return false;
	table_rows_select_index(rows, hit->number);
	return true;
}

static struct table_place *place_of_rows(struct view *view)
{
	return &((struct table_view *)view)->rows.place;
}

static void restore_row(struct view *view, const struct table_place *place)
{
	table_rows_restore(&((struct table_view *)view)->rows, place);
}

static bool cursor_row(const struct view *view, const struct ui_state *state,
		       struct snapshot_row *out)
{
	const struct snapshot_row *row =
		table_rows_cursor(&((const struct table_view *)view)->rows);

	(void)state;
	if (row)
		*out = *row;
	return row;
}

/* What it asks for. */

static bool can_be_requested(const struct snapshot_row *row)
{
	return row->dso_id != UINT32_MAX &&
	       (row->mode == MODE_USER || row->mode == MODE_KERNEL) &&
	       row->state != SYMBOL_LOADING && row->state != SYMBOL_UNREADABLE &&
	       row->state != SYMBOL_NO_MAP &&
	       !row->source[0] && !row->source_reason[0];
}

static void add_source(struct request *request, const struct snapshot_row *row)
{
	if (request->value < SOURCE_REQUESTS_MAX && can_be_requested(row))
		request->requests[request->value++] =
			(struct source_request){ row->address, row->dso_id };
}

/* Requests the row under the cursor and, if SOURCE is drawn, all rows on the screen. */
static void add_sources(const struct view *view, struct request *out)
{
	const struct table_view *table = (const struct table_view *)view;
	const struct table_rows *rows = &table->rows;

	if (rows->place.cursor < rows->count)
		add_source(out, rows->rows[rows->place.cursor]);
	if (table->drawn & COLUMN_BIT(COL_SOURCE))
		for (size_t i = 0; i < rows->page && rows->place.top + i < rows->count; i++)
			if (rows->place.top + i != rows->place.cursor)
				add_source(out, rows->rows[rows->place.top + i]);
}

static const struct {
	unsigned int key;
	const char *name;
} row_keys[] = {
	{ KEY_EVENT, "event" },
	{ KEY_PID, "pid" }, { KEY_TID, "tid" }, { KEY_COMM, "comm" }, { KEY_DSO, "dso" },
	{ KEY_SYMBOL, "symbol" }, { KEY_CPU, "cpu" }, { KEY_ADDRESS, "address" },
	{ KEY_FROM, "from" },
};

static void add_row_keys(struct command_line *line, unsigned int keys)
{
	char text[80] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof(row_keys) / sizeof(row_keys[0]); i++)
		if (keys & row_keys[i].key)
			used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s",
						 used ? "," : "", row_keys[i].name);
	command_line_option(line, "-s", text);
}

/* A process has one row in the output, which includes its threads. */
static void add_options(const struct ui_state *state, struct command_line *line)
{
	const enum view_kind kind = state_kind(state);
	const unsigned int keys = state_row_keys(state);

	add_row_keys(line, keys & KEY_GROUP ? KEY_PID : keys);
	if (keys & KEY_GROUP)
		command_line_note(line, "There is a row for each process, also of ended ones of "
				  "one name.");
	command_line_order(line, state);
	if (keys & KEY_SYMBOL && state_has_lines(state))
		command_line_option(line, "--source", NULL);
	if (!(state->display.choice.hidden[kind] & COLUMN_BIT(COL_PERIOD)))
		command_line_option(line, "--show-total-period", NULL);
}

static void add_help(const struct ui_state *state, struct help_page *page)
{
	const struct column_set set = state_columns(state);
	char help[COLUMN_HELP_BYTES];

	view_help_heading(page, "Columns");
	for (const enum column_id *id = set.ids; *id != COL_COUNT; id++)
		if (*id == set.fill || columns_is_shown(&set, *id))
			view_help_line(page, title_of(state, *id),
				       columns_help(*id, state->shown, help), true);
}

static void finish_table(struct view *view)
{
	table_rows_finish(&((struct table_view *)view)->rows);
}

const struct view_ops view_table_ops = {
	.place = IN_TABLE,
	.open = "open",
	.menu = "row-menu",
	.found = "rows",
	.bytes = sizeof(struct table_view),
	.finish = finish_table,
	.refresh = refresh_table,
	.draw = draw_table,
	.add_sources = add_sources,
	.add_options = add_options,
	.move = move_cursor,
	.scroll = scroll_rows,
	.select = select_hit,
	.place_of = place_of_rows,
	.restore = restore_row,
	.hottest = go_to_hottest,
	.cursor_row = cursor_row,
	.mark = mark_row,
	.unmark = unmark_row,
	.find = find_in_rows,
	.count = count_rows,
	.is_at_match = is_at_match,
	.add_help = add_help,
};

/* Commands: order, columns, threads. */

static bool is_sortable(const struct ui_state *state, enum column_id id)
{
	const struct column_set set = state_columns(state);

	if (state->shown && state->shown->keys & KEY_EVENT && COLUMN_WEIGHTS & COLUMN_BIT(id))
		return false;
	return columns_is_order(id) && columns_is_shown(&set, id);
}

/* Sets the order and scrolls to the first rows, as far as the cursor's row allows. */
static void set_order(struct ui_state *state, struct table_order order)
{
	state_set_order(state, order);
	table_view_of(state)->rows.place.top = 0;
	state_refresh_view(state);
}

static void sort_by(struct ui_state *state, enum column_id id, bool is_reversed)
{
	set_order(state, (struct table_order){ id, is_reversed });
	state_say(state, "sorted by %s \u00b7 s next column \u00b7 S reverse",
		  title_of(state, id));
}

void command_sort_by(struct ui_state *state, enum column_id id)
{
	const struct table_order *order = state_order(state);

	if (is_sortable(state, id))
		sort_by(state, id, id == order->column && !order->is_reversed);
}

/* True if the column was drawn last; before the first draw all count as drawn. */
static bool has_room(const struct ui_state *state, enum column_id id)
{
	return !table_view_of(state)->drawn || (table_view_of(state)->drawn & COLUMN_BIT(id));
}

void cmd_sort(struct ui_state *state)
{
	const enum column_id before = state_order(state)->column;
	enum column_id id = before;

	do
		id = (enum column_id)((id + 1) % COL_COUNT);
	while (id != before && !(is_sortable(state, id) && has_room(state, id)));
	sort_by(state, id, false);
}

void cmd_reverse(struct ui_state *state)
{
	struct table_order order = *state_order(state);

	order.is_reversed = !order.is_reversed;
	set_order(state, order);
}

/* Returns the width of a column title, in which each character is one cell wide. */
static int cells_of(const char *text)
{
	uint32_t code;
	size_t length;
	int cells = 0;

	while ((length = utf8_decode(text, &code))) {
		text += length;
		cells++;
	}
	return cells;
}

/* Adds the line of a column to a menu. */
static void add_column(struct ui_state *state, enum column_id id, enum menu_mark mark)
{
	const char *title = title_of(state, id);
	const int blanks = MENU_TITLE_CELLS - cells_of(title);
	char label[MENU_LABEL_BYTES], help[COLUMN_HELP_BYTES];

	snprintf(label, sizeof(label), "%s%*s  %s", title, blanks > 0 ? blanks : 0, "",
		 columns_help(id, state->shown, help));
	menu_add(&state->menu, (int)id, mark, label, "");
}

static void order_chosen(struct ui_state *state, const struct menu_item *item)
{
	sort_by(state, (enum column_id)item->id, false);
}

void cmd_order(struct ui_state *state)
{
	static const struct menu_use use = { order_chosen };

	state_open_menu(state, &use, "sort by", false);
	for (int id = 0; id < COL_COUNT; id++)
		if (is_sortable(state, (enum column_id)id))
			add_column(state, (enum column_id)id, MENU_PLAIN);
	menu_select(&state->menu, (int)state_order(state)->column);
}

/* Returns the set in which the column is hidden: that of several events is one for all views. */
static uint64_t *hidden_of(struct ui_state *state, enum column_id id)
{
	struct column_choice *choice = &state->display.choice;

	return COLUMNS_OF_EVENTS & COLUMN_BIT(id) ? &choice->events_hidden
						  : &choice->hidden[state->shown_kind];
}

static enum menu_mark mark_of(struct ui_state *state, enum column_id id)
{
	if (id == COL_EVENT)
		return state_row_keys(state) & KEY_EVENT ? MENU_ON : MENU_OFF;
	return *hidden_of(state, id) & COLUMN_BIT(id) ? MENU_OFF : MENU_ON;
}

/* Shows rows by event, or no longer: then -s event, too, is forgotten. */
static void switch_events(struct ui_state *state)
{
	const enum view_kind kind = state_kind(state);
	uint64_t *hidden = &state->display.choice.hidden[kind];

	if (!(state_row_keys(state) & KEY_EVENT)) {
		*hidden &= ~COLUMN_BIT(COL_EVENT);
	} else if (state->query.keys[kind] == KEY_EVENT) {
		state_say(state, "event is the only key of these rows (-s)");
	} else {
		*hidden |= COLUMN_BIT(COL_EVENT);
		state->query.keys[kind] &= ~(unsigned int)KEY_EVENT;
	}
}

static void column_chosen(struct ui_state *state, const struct menu_item *item)
{
	const enum column_id id = (enum column_id)item->id;

	if (id == COL_EVENT)
		switch_events(state);
	else
		*hidden_of(state, id) ^= COLUMN_BIT(id);
	if ((COLUMNS_OF_EVENTS | COLUMN_BIT(COL_EVENT)) & COLUMN_BIT(id))
		state_ask(state);	/* a column is only counted while it is shown */
	menu_set_mark(&state->menu, mark_of(state, id));
}

void cmd_columns(struct ui_state *state)
{
	static const struct menu_use use = { column_chosen };
	struct column_set set = state_columns(state);

	set.hidden = state_unable_columns(state);
	set.keys |= KEY_EVENT;		/* its column adds the key */
	state_open_menu(state, &use, "columns", false);
	for (const enum column_id *id = set.ids; *id != COL_COUNT; id++)
		if (*id != set.fill && columns_is_shown(&set, *id))
			add_column(state, *id, mark_of(state, *id));
}

void cmd_unfold(struct ui_state *state, int is_unfolded)
{
	struct table_rows *rows = &table_view_of(state)->rows;
	const struct snapshot_row *row = table_rows_cursor(rows);
	uint64_t process;

	if (!row)
		return;
	process = row->group_id ? row->group_id : row->id;
	if (!(state->shown->keys & KEY_GROUP)) {
		state_say(state, "threads fold out in the view of tasks");
		return;
	}
	if (is_unfolded && row->threads == 1 && row->tasks == 1) {
		state_say(state, "it has one thread");
		return;
	}
	table_rows_set_unfolded(rows, process, is_unfolded);
	if (!is_unfolded)
		table_rows_select(rows, process);
	state_refresh_view(state);
}
