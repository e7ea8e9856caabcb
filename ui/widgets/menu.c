/* menu.c - see menu.h. ui/widgets/menu_draw.c draws it.
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

	for (const char *rest = menu->typed + strspn(menu->typed, " "); *rest;
	     rest += strspn(rest, " ")) {
		const size_t length = strcspn(rest, " ");

		memcpy(word, rest, length);
		word[length] = '\0';
		word += length + 1;
		rest += length;
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

/* False: a word is neither in the label nor the begin of a synonym. */
static bool rank_item(struct menu_item *item, const char *words)
{
	enum rank rank;

	item->rank = 0;
	for (const char *word = words; *word; word += strlen(word) + 1) {
		rank = rank_word(item, word);
		if (rank == RANK_NONE)
			return false;
		item->rank += rank;
	}
	return true;
}

/* Behind all that match as well: of equal ones, what was added first is first. */
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
	item->is_disabled = false;
	item->synonyms = "";
	copy_text(item->label, sizeof(item->label), label);
	copy_text(item->note, sizeof(item->note), note ? note : "");
	if (rank_item(item, menu->words))
		show_item(menu, menu->count - 1);
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

void menu_close(struct menu *menu)
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
	bytes = utf8_encode(text + length, (uint32_t)towlower((wint_t)key));
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

/* To line number @cursor, or to the last. */
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
