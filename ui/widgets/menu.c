/* menu.c - see menu.h.
 *
 * Problem: in a menu of sixty commands typing is quicker than moving, but a line must not move away
 * from the cursor for any reason other than typing.
 *
 * Idea: `shown` has the indices of the lines that match, in the order of the screen; only typing
 * rebuilds it, and then the cursor is on the best match.
 *
 * Rejected: fuzzy matching (any letters in order). With a few words typed it finds lines for no
 * obvious reason, and the lines here are short.
 */
#include "menu.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wctype.h>

#include "base/sanitize.h"
#include "search.h"
#include "term/utf8.h"

/* How well a word matches a line: best first. */
enum rank { RANK_NAME, RANK_BEGIN, RANK_WORD_BEGIN, RANK_ANYWHERE, RANK_NONE };

void menu_finish(struct menu *menu)
{
	free(menu->items);
	free(menu->shown);
	*menu = (struct menu){ .is_open = false };
}

static void copy_text(char *out, size_t cap, const char *text)
{
	sanitize_text(out, cap, text, strlen(text));
}

void menu_open(struct menu *menu, const char *title, bool is_bottom)
{
	copy_text(menu->title, sizeof(menu->title), title);
	menu->is_open = true;
	menu->is_bottom = is_bottom;
	menu->count = menu->shown_count = 0;
	menu->cursor = menu->top = 0;
	menu->typed[0] = menu->words[0] = '\0';
	menu->chosen = -1;
	menu->x = menu->y = menu->width = menu->height = 0;
}

static bool make_room(struct menu *menu)
{
	const size_t room = menu->room ? menu->room * 2 : 32;
	struct menu_item *items;
	size_t *shown;

	if (menu->count < menu->room)
		return true;
	items = reallocarray(menu->items, room, sizeof(*items));
	if (!items)
		return false;
	menu->items = items;
	shown = reallocarray(menu->shown, room, sizeof(*shown));
	if (!shown)
		return false;
	menu->shown = shown;
	menu->room = room;
	return true;
}

static void split_words(struct menu *menu)
{
	char *word = menu->words;
	uint32_t code;

	for (const char *rest = menu->typed + strspn(menu->typed, " "); *rest;
	     rest += strspn(rest, " ")) {
		while (*rest && *rest != ' ') {
			rest += utf8_decode(rest, &code);
			word += utf8_encode(word, (uint32_t)towlower((wint_t)code));
		}
		*word++ = '\0';
	}
	*word = '\0';
}

static bool is_word_begin(const char *label, const char *at)
{
	return at == label || ((unsigned char)at[-1] < 0x80 && !isalnum((unsigned char)at[-1]));
}

/* Ranks a match at the beginning of a label or synonym: its whole first word, or part of it. */
static enum rank rank_name(const char *name, const char *word)
{
	if (search_find(word, name) != name)
		return RANK_NONE;
	return strcspn(name, " :") == strlen(word) ? RANK_NAME : RANK_BEGIN;
}

static enum rank rank_label(const char *label, const char *word)
{
	const char *at = search_find(word, label);

	if (!at)
		return RANK_NONE;
	if (at == label)
		return rank_name(label, word);
	for (; at; at = search_find(word, at + 1))
		if (is_word_begin(label, at))
			return RANK_WORD_BEGIN;
	return RANK_ANYWHERE;
}

static enum rank rank_word(const struct menu_item *item, const char *word)
{
	enum rank best = rank_label(item->label, word), rank;
	const char *name = item->synonyms;

	for (; *name; name += strspn(name, " ")) {
		rank = rank_name(name, word);
		if (rank < best)
			best = rank;
		name += strcspn(name, " ");
	}
	return best;
}

/* Whether @word is the whole name of an item that takes what follows. */
static bool is_before_argument(const struct menu_item *item, const char *word)
{
	return item->takes_argument && rank_name(item->label, word) == RANK_NAME;
}

/* Ranks an item; false: a word is neither in its label nor at the beginning of a synonym. */
static bool rank_item(struct menu_item *item, const char *words)
{
	enum rank rank;

	item->rank = 0;
	for (const char *word = words; *word; word += strlen(word) + 1) {
		rank = rank_word(item, word);
		if (rank == RANK_NONE)
			return false;
		item->rank += rank;
		if (word == words && is_before_argument(item, word))
			break;
	}
	return true;
}

/* Inserts an item after all that match as well: of equal ones, the first added is first. */
static void show_item(struct menu *menu, size_t index)
{
	size_t at = menu->shown_count++;

	for (; at > 0 && menu->items[menu->shown[at - 1]].rank > menu->items[index].rank; at--)
		menu->shown[at] = menu->shown[at - 1];
	menu->shown[at] = index;
}

void menu_add(struct menu *menu, int id, enum menu_mark mark, const char *label, const char *note)
{
	struct menu_item *item;

	if (!make_room(menu))
		return;
	item = &menu->items[menu->count++];
	item->id = id;
	item->mark = mark;
	item->is_disabled = item->takes_argument = false;
	item->synonyms = "";
	copy_text(item->label, sizeof(item->label), label);
	copy_text(item->note, sizeof(item->note), note ? note : "");
	if (rank_item(item, menu->words))
		show_item(menu, menu->count - 1);
}

void menu_take_argument(struct menu *menu)
{
	if (menu->count)
		menu->items[menu->count - 1].takes_argument = true;
}

const char *menu_argument(const struct menu *menu)
{
	const struct menu_item *item = menu_chosen(menu);
	const char *text = menu->typed + strspn(menu->typed, " ");

	if (!item || !is_before_argument(item, menu->words))
		return "";
	text += strcspn(text, " ");
	return text + strspn(text, " ");
}

void menu_add_disabled(struct menu *menu, const char *label, const char *why)
{
	const size_t count = menu->count;

	menu_add(menu, -1, MENU_PLAIN, label, why);
	if (menu->count > count)
		menu->items[count].is_disabled = true;
}

void menu_set_synonyms(struct menu *menu, const char *synonyms)
{
	if (menu->count)
		menu->items[menu->count - 1].synonyms = synonyms;
}

void menu_select(struct menu *menu, int id)
{
	for (size_t i = 0; i < menu->shown_count; i++)
		if (menu->items[menu->shown[i]].id == id)
			menu->cursor = i;
}

static void menu_close(struct menu *menu)
{
	menu->is_open = false;
}

static enum menu_result narrow(struct menu *menu)
{
	split_words(menu);
	menu->shown_count = 0;
	menu->cursor = menu->top = 0;
	for (size_t i = 0; i < menu->count; i++)
		if (rank_item(&menu->items[i], menu->words))
			show_item(menu, i);
	return MENU_TAKEN;
}

static enum menu_result type_character(struct menu *menu, int key)
{
	const size_t length = strlen(menu->typed);
	char text[MENU_TYPED_BYTES + UTF8_MAX_BYTES];
	size_t bytes;

	if (key < ' ' || key >= UI_KEY_SPECIAL)
		return MENU_IGNORED;
	memcpy(text, menu->typed, length);
	bytes = utf8_encode(text + length, (uint32_t)key);
	if (length + bytes >= sizeof(menu->typed) || !sanitize_is_clean(text, length + bytes))
		return MENU_TAKEN;
	memcpy(menu->typed, text, length + bytes + 1);
	return narrow(menu);
}

static enum menu_result erase_character(struct menu *menu)
{
	size_t length = strlen(menu->typed);

	if (length == 0)
		return MENU_TAKEN;
	while (((unsigned char)menu->typed[--length] & 0xc0) == 0x80)
		;
	menu->typed[length] = '\0';
	return narrow(menu);
}

static enum menu_result leave(struct menu *menu)
{
	if (menu->typed[0]) {
		menu->typed[0] = '\0';
		return narrow(menu);
	}
	menu_close(menu);
	return MENU_CLOSED;
}

static enum menu_result choose(struct menu *menu)
{
	if (menu->cursor >= menu->shown_count)
		return MENU_TAKEN;
	menu->chosen = (int)menu->shown[menu->cursor];
	if (menu->items[menu->chosen].is_disabled)
		return MENU_REFUSED;
	menu->is_open = menu->items[menu->chosen].mark != MENU_PLAIN;
	return MENU_CHOSEN;
}

/* Moves to line number @cursor, or to the last. */
static enum menu_result move_to(struct menu *menu, size_t cursor)
{
	const size_t last = menu->shown_count ? menu->shown_count - 1 : 0;

	menu->cursor = cursor < last ? cursor : last;
	return MENU_TAKEN;
}

static enum menu_result move_up(struct menu *menu, size_t lines)
{
	return move_to(menu, menu->cursor > lines ? menu->cursor - lines : 0);
}

static bool is_on_mark(const struct menu *menu)
{
	return menu->cursor < menu->shown_count &&
	       menu->items[menu->shown[menu->cursor]].mark != MENU_PLAIN;
}

enum menu_result menu_press(struct menu *menu, int key)
{
	const size_t page = menu->height > 3 ? (size_t)menu->height - 2 : 1;

	switch (key) {
	case UI_KEY_UP:
	case UI_KEY_BACKTAB:	return move_up(menu, 1);
	case UI_KEY_DOWN:
	case UI_KEY_TAB:	return move_to(menu, menu->cursor + 1);
	case UI_KEY_PAGE_UP:	return move_up(menu, page);
	case UI_KEY_PAGE_DOWN:	return move_to(menu, menu->cursor + page);
	case UI_KEY_HOME:	return move_to(menu, 0);
	case UI_KEY_END:	return move_to(menu, menu->count);
	case UI_KEY_ENTER:	return choose(menu);
	case UI_KEY_ESCAPE:	return leave(menu);
	case UI_KEY_BACKSPACE:	return erase_character(menu);
	case ' ':
		return is_on_mark(menu) ? choose(menu) : type_character(menu, key);
	default:		return type_character(menu, key);
	}
}

static bool is_inside(const struct menu *menu, const struct mouse *mouse)
{
	return mouse->x >= menu->x && mouse->x < menu->x + menu->width && mouse->y >= menu->y &&
	       mouse->y < menu->y + menu->height;
}

static enum menu_result press_button(struct menu *menu, const struct mouse *mouse)
{
	const int line = mouse->y - menu->y - 1;

	if (!is_inside(menu, mouse)) {
		menu_close(menu);
		return MENU_CLOSED;
	}
	if (mouse->action == MOUSE_MENU || line < 0 || line >= menu->height - 2 ||
	    mouse->x == menu->x || mouse->x == menu->x + menu->width - 1 ||
	    menu->top + (size_t)line >= menu->shown_count)
		return MENU_TAKEN;
	menu->cursor = menu->top + (size_t)line;
	return choose(menu);
}

enum menu_result menu_click(struct menu *menu, const struct mouse *mouse)
{
	switch (mouse->action) {
	case MOUSE_PRESS:
	case MOUSE_DOUBLE:	/* on a mark the second press changes it back, as two presses do */
	case MOUSE_MENU:
		return press_button(menu, mouse);
	case MOUSE_WHEEL_UP:
		return move_up(menu, 1);
	case MOUSE_WHEEL_DOWN:
		return move_to(menu, menu->cursor + 1);
	case MOUSE_DRAG:
	case MOUSE_RELEASE:
		break;
	}
	return MENU_IGNORED;
}

const struct menu_item *menu_chosen(const struct menu *menu)
{
	return menu->chosen < 0 ? NULL : &menu->items[menu->chosen];
}

void menu_set_mark(struct menu *menu, enum menu_mark mark)
{
	if (menu->chosen >= 0)
		menu->items[menu->chosen].mark = mark;
}

/* Draws the menu's box.
 *
 *   ╭ libc.so.6: ds_ ──────────╮     The size comes from all lines, even those that do not
 *   │▸ Only this DSO   libc.so │     match: a box that shrinks during typing is restless, and
 *   │  [x] DSO                 │     so is what it uncovers.
 *   ╰──────────────────── 3/27 ╯
 */
#define FRAME		2	/* cells and lines of the frame */
#define CURSOR_CELLS	2
#define MARK_CELLS	4	/* "[x] " */
#define NOTE_GAP	2
#define TITLE_EDGES	5	/* " : _ " besides title and text */
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
static int note_request(const struct canvas *canvas, const struct menu_item *item)
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
					note_request(canvas, item) + 1);
	}
	return wanted + FRAME;
}

/* Computes the box; false: there is no room. */
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

/* When both are too long, the title loses its end and the text its beginning: one types at its end.
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
