/* menu.h - a list to choose from, in a box over the view: the row menu, columns, the palette...
 *
 * Use:    menu_open(), menu_add() for each line, then keys and mouse until it is closed. What is
 *         typed narrows the list to the lines that contain all its words, in any case and order;
 *         the best match first when something is typed (the label's first word or a synonym
 *         whole, then its begin, then the begin of any word, then anywhere), else in the order
 *         they were added. The refresh goes on underneath.
 * Thread: the ui's.
 */
#ifndef UI_MENU_H
#define UI_MENU_H

#include <stdbool.h>
#include <stddef.h>

#include "term/canvas.h"
#include "term/keys.h"

#define MENU_LABEL_BYTES 160
#define MENU_NOTE_BYTES	 200
#define MENU_TYPED_BYTES 160	/* with a path after a command's name */

enum menu_mark {
	MENU_PLAIN,
	MENU_OFF, MENU_ON,	/* a choice of several: [ ] [x]; Enter and Space change it and the
				 * menu stays open */
};

struct menu_item {
	char label[MENU_LABEL_BYTES];
	char note[MENU_NOTE_BYTES];	/* at the right edge: a key, a value, why it is disabled */
	enum menu_mark mark;
	bool is_disabled;	/* it is shown dim, and choosing it is refused */
	bool takes_argument;	/* see menu_take_argument() */
	const char *synonyms;	/* BORROWED, never NULL; see menu_set_synonyms() */
	int id;			/* for the opener's use */
	unsigned int rank;	/* set by the menu: match with the typed text, 0 is best */
};

enum menu_result {
	MENU_IGNORED,		/* not a key of the menu */
	MENU_TAKEN,		/* the menu changed and must be drawn */
	MENU_CHOSEN,		/* menu_chosen() says what; closed unless the line has a mark */
	MENU_REFUSED,		/* the line is disabled: menu_chosen()'s note says why; it stays
				 * open */
	MENU_CLOSED,
};

struct menu {
	bool is_open;
	bool is_bottom;		/* the palette: grows up from the bottom line; else in the middle */
	char title[MENU_LABEL_BYTES];
	struct menu_item *items;	/* owned */
	size_t count, room;
	size_t *shown;		/* owned; indices of the items that match what was typed */
	size_t shown_count;
	size_t cursor, top;	/* in shown */
	char typed[MENU_TYPED_BYTES];
	/* Words of `typed`, in lower case: matching ignores case. Terminated; "" ends the list. */
	char words[2 * MENU_TYPED_BYTES + 1];
	int chosen;		/* index into items; -1: none yet */
	int x, y, width, height;	/* the box at the last draw */
};

void menu_finish(struct menu *menu);	/* a zeroed one is fine */

/* Empties and opens it; @title is copied. */
void menu_open(struct menu *menu, const char *title, bool is_bottom);
/* Adds a line. @label and @note (NULL: none) are copied and cut. Out of memory: it is left out. */
void menu_add(struct menu *menu, int id, enum menu_mark mark, const char *label,
	      const char *note);
/* Adds a line that can't be chosen now, with the reason @why. Both are copied and cut. */
void menu_add_disabled(struct menu *menu, const char *label, const char *why);
/* Adds search words, separated by blanks, to the line added last; their beginning ranks like the
 * label's. BORROWED until the menu is opened again. Call before anything is typed. */
void menu_set_synonyms(struct menu *menu, const char *synonyms);
/* Lets the line added last be found by the first word of its label alone, whatever is typed after
 * that: an argument. */
void menu_take_argument(struct menu *menu);
/* Returns what was typed after the first word of the chosen line, BORROWED until menu_open(); "":
 * nothing, or it takes no argument. */
const char *menu_argument(const struct menu *menu);
/* Moves the cursor to the line with @id, if there is one. */
void menu_select(struct menu *menu, int id);

/* Up, Down, Tab, PgUp, PgDn, Home, End move; Enter (and Space on a mark) chooses; Esc closes, or
 * first clears what was typed; Backspace erases; characters narrow. */
enum menu_result menu_press(struct menu *menu, int key);
/* A click on a line chooses it, the wheel moves, a click outside closes. The box is where the last
 * draw put it. */
enum menu_result menu_click(struct menu *menu, const struct mouse *mouse);
/* Returns the chosen line, BORROWED until the next menu_open() or menu_add(); NULL: none yet. */
const struct menu_item *menu_chosen(const struct menu *menu);
/* Sets the mark of the chosen line to on or off. */
void menu_set_mark(struct menu *menu, enum menu_mark mark);

/* Draws the box within the lines @top..@bottom (exclusive), as wide as its lines need; typing does
 * not change its size. Draws nothing if there is no room for a line in a frame. */
void menu_draw(struct menu *menu, struct canvas *canvas, int top, int bottom);

#endif
