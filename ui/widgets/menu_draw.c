/* menu_draw.c - draws the menu's box.
 *
 *   ╭ libc.so.6: ob_ ─────────────╮     The size comes from all lines, even those that do not
 *   │▸ Only this object   libc.so │     match: a box that shrinks during typing is restless, and
 *   │  [x] OBJECT                 │     so is what it uncovers.
 *   ╰─────────────────────── 3/27 ╯
 */
#include "menu.h"

#include <stdio.h>
#include <string.h>

#include "search.h"
#include "term/utf8.h"

#define FRAME		2	/* cells and lines of the frame */
#define CURSOR_CELLS	2
#define MARK_CELLS	4	/* "[x] " */
#define NOTE_GAP	2
#define TITLE_EDGES	5	/* what " : _ " has besides title and text */
#define HINT_TEXT	"type to filter"	/* until something is typed */
#define TYPED_CELLS	((int)strlen(HINT_TEXT) + 1)
#define MIN_WIDTH	12
#define REASON_CELLS	46	/* that the box grows for: choosing the line says all of it */
#define NO_MATCH_TEXT	"nothing matches; Esc clears"
/* The palette leaves half of the view visible, to see what a command acts on. */
#define PALETTE_SHARE	2
#define PALETTE_MIN	6

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

static int note_cells(const struct canvas *canvas, const struct menu_item *item)
{
	return item->note[0] ? NOTE_GAP + canvas_text_width(canvas, item->note) : 0;
}

/* Returns the cells of a note that the box is made wide enough for. */
static int note_wish(const struct canvas *canvas, const struct menu_item *item)
{
	const int cells = note_cells(canvas, item);

	return item->is_disabled ? smaller(cells, NOTE_GAP + REASON_CELLS) : cells;
}

static int label_begin(const struct menu_item *item)
{
	return CURSOR_CELLS + (item->mark == MENU_PLAIN ? 0 : MARK_CELLS);
}

static int cells_wanted(const struct menu *menu, const struct canvas *canvas)
{
	int wanted = canvas_text_width(canvas, menu->title) + TITLE_EDGES + TYPED_CELLS;

	wanted = larger(wanted, CURSOR_CELLS + (int)strlen(NO_MATCH_TEXT) + 1);
	for (size_t i = 0; i < menu->count; i++) {
		const struct menu_item *item = &menu->items[i];

		wanted = larger(wanted, label_begin(item) +
					canvas_text_width(canvas, item->label) +
					note_wish(canvas, item) + 1);
	}
	return wanted + FRAME;
}

/* False: there is no room for a box. */
static bool place_box(struct menu *menu, const struct canvas *canvas, int top, int bottom)
{
	const int rows = bottom - top;
	int room = rows;

	if (menu->is_bottom)
		room = smaller(rows, larger(rows / PALETTE_SHARE, PALETTE_MIN));
	menu->width = smaller(cells_wanted(menu, canvas), canvas->width);
	menu->height = menu->count < (size_t)room ? larger((int)menu->count, 1) + FRAME : room;
	menu->height = smaller(menu->height, room);
	if (menu->height <= FRAME || menu->width < MIN_WIDTH) {
		menu->width = menu->height = 0;
		return false;
	}
	menu->x = menu->is_bottom ? 0 : (canvas->width - menu->width) / 2;
	menu->y = menu->is_bottom ? bottom - menu->height : top + (rows - menu->height) / 2;
	return true;
}

static void scroll_to_cursor(struct menu *menu, size_t page)
{
	const size_t last_top = menu->shown_count > page ? menu->shown_count - page : 0;

	if (menu->cursor < menu->top)
		menu->top = menu->cursor;
	if (menu->cursor >= menu->top + page)
		menu->top = menu->cursor - page + 1;
	if (menu->top > last_top)
		menu->top = last_top;
}

/* When both are too long, the title loses its end and the text its begin: one types at its end.
 * The hint stands where typed text will, and is left out where it would take more than half. */
static void draw_title(const struct menu *menu, struct canvas *canvas)
{
	const int room = menu->width - FRAME - TITLE_EDGES;
	struct canvas_area area = { menu->x + 1, menu->y, menu->width - FRAME };
	int title = canvas_text_width(canvas, menu->title);
	const bool has_hint = !menu->typed[0] &&
			      (title + TYPED_CELLS <= room || room / 2 >= TYPED_CELLS);
	const char *typed = menu->typed;
	const int wanted = has_hint ? TYPED_CELLS : canvas_text_width(canvas, typed);
	char text[MENU_LABEL_BYTES + 8];
	uint32_t code;

	title = smaller(title, larger(room - wanted, room / 2));
	while (canvas_text_width(canvas, typed) > room - title)
		typed += utf8_decode(typed, &code);
	canvas_put_text(canvas, area, SAFE_TEXT(" "), ROLE_BOX);
	area.x += 1;
	area.width = title;
	area.x += canvas_put_text(canvas, area, canvas_clean(menu->title), ROLE_BOX);
	area.width = menu->x + menu->width - 1 - area.x;
	snprintf(text, sizeof(text), ": %s_ ", typed);
	area.x += canvas_put_text(canvas, area, canvas_clean(text), ROLE_BOX);
	area.width = menu->x + menu->width - 1 - area.x;
	if (has_hint)
		canvas_put_text(canvas, area, SAFE_TEXT(HINT_TEXT " "), ROLE_BOX_DIM);
}

/* Draws the position, only if some lines are out of sight. */
static void draw_position(const struct menu *menu, struct canvas *canvas, size_t page)
{
	struct canvas_area area = { menu->x + 1, menu->y + menu->height - 1, menu->width - 3 };
	char text[48];

	if (menu->shown_count <= page)
		return;
	snprintf(text, sizeof(text), " %zu/%zu ", menu->cursor + 1, menu->shown_count);
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_BOX);
}

static void draw_item(const struct menu *menu, struct canvas *canvas, const struct menu_item *item,
		      int y, bool is_cursor)
{
	const enum role role = is_cursor	   ? ROLE_BOX_CURSOR
			       : item->is_disabled ? ROLE_BOX_DIM
						   : ROLE_BOX;
	const struct canvas_area line = { menu->x + 1, y, menu->width - FRAME };
	const int begin = label_begin(item), room = line.width - begin - 1;
	const int label = canvas_text_width(canvas, item->label);
	const int note = smaller(note_cells(canvas, item), larger(room - label, room / 2));
	struct canvas_area area = line;

	canvas_set_role(canvas, line, role);
	if (is_cursor)
		canvas_put_text(canvas, area, SAFE_TEXT("\u25b8"), role);
	area.x = line.x + CURSOR_CELLS;
	if (item->mark != MENU_PLAIN)
		canvas_put_text(canvas, area, canvas_clean(item->mark == MENU_ON ? "[x]" : "[ ]"),
				role);
	area.x = line.x + begin;
	area.width = room - note;
	canvas_put_text(canvas, area, canvas_clean(item->label), role);
	for (const char *word = menu->words; *word; word += strlen(word) + 1)
		search_highlight(canvas, area, word);
	if (note == 0)
		return;
	area.x += area.width + NOTE_GAP;
	area.width = note - NOTE_GAP;
	canvas_put_right(canvas, area, canvas_clean(item->note), is_cursor ? role : ROLE_BOX_DIM);
}

void menu_draw(struct menu *menu, struct canvas *canvas, int top, int bottom)
{
	struct canvas_area line;
	size_t page;

	if (!menu->is_open || !place_box(menu, canvas, top, bottom))
		return;
	page = (size_t)menu->height - FRAME;
	scroll_to_cursor(menu, page);
	canvas_put_box(canvas, menu->x, menu->y, menu->width, menu->height, ROLE_BOX_DIM);
	draw_title(menu, canvas);
	draw_position(menu, canvas, page);
	for (size_t i = 0; i < page && menu->top + i < menu->shown_count; i++)
		draw_item(menu, canvas, &menu->items[menu->shown[menu->top + i]],
			  menu->y + 1 + (int)i, menu->top + i == menu->cursor);
	if (menu->shown_count > 0)
		return;
	line = (struct canvas_area){ menu->x + 1 + CURSOR_CELLS, menu->y + 1,
				     menu->width - FRAME - CURSOR_CELLS };
	canvas_put_text(canvas, line,
			canvas_clean(menu->typed[0] ? NO_MATCH_TEXT : "nothing here; Esc closes"),
			ROLE_BOX_DIM);
}
