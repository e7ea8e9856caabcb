/* pager.h - a view of lines that scroll; long ones wrap at spaces. Matches of the state's search
 * are highlighted.
 * Thread: the ui's. */
#ifndef UI_PAGER_H
#define UI_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ui/view.h"

#define PAGER_LINE_BYTES 512	/* more than a diag or a log line; longer text is cut */

struct pager_line {
	enum role role;
	int indent;		/* cells before the continuation of a wrapped line */
	int second_cell;	/* first cell of a second column; 0: there is none */
	enum role second_role;	/* role of the second column */
	char text[PAGER_LINE_BYTES];
};

struct pager {
	struct view view;
	struct pager_line *lines;	/* owned */
	size_t count, room;
	int top;		/* first line shown, in screen lines after wrapping */
	int page, height;	/* at the last draw: lines shown, lines in all */
	struct canvas shape;	/* width and is_ascii of the last draw, which decide wrapping */
	bool follows_end;	/* set by the view: keep the last lines visible */
	bool is_away;		/* the user scrolled up, so follows_end is suspended */
	uint64_t seen;		/* used by the view: how far it has read its source */
	size_t found;		/* index of the line found by the search; PAGER_NOWHERE: none */
	bool is_seeking;	/* the next draw scrolls to `found`: no key has moved since */
	int marked;		/* `top` as pager_mark() remembered it */
};

#define PAGER_NOWHERE SIZE_MAX

/* @ops must use pager_draw() and pager_move(). */
void pager_init(struct pager *pager, const struct view_ops *ops);
void pager_finish(struct pager *pager);

void pager_clear(struct pager *pager);	/* keeps the scroll position */
/* Removes the first @count lines; the lines on the screen stay where they are. */
void pager_drop(struct pager *pager, size_t count);
/* Adds a line; out of memory it is left out. */
void pager_add(struct pager *pager, enum role role, int indent, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

enum pager_find {
	PAGER_FIND_HERE,	/* from the marked position on, while the user types */
	PAGER_FIND_NEXT, PAGER_FIND_PREVIOUS,	/* from the found line, if on the screen */
};

/* Remember the scroll position; return to the remembered one. */
void pager_mark(struct pager *pager);
void pager_return(struct pager *pager);

/* Scrolls to a line that contains @text (see search.h), wrapping around. False: there is none; the
 * position is unchanged, or with PAGER_FIND_HERE the marked one. */
bool pager_find(struct pager *pager, const char *text, enum pager_find how);

void pager_draw(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
		int rows);
void pager_move(struct view *view, enum view_move move);

#endif
