/* pager.h - a view of lines that scroll; long ones wrap at spaces. Matches of the state's search
 * are highlighted.
 * Thread: the ui's. */
#ifndef UI_PAGER_H
#define UI_PAGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "view.h"

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

/* What the view_ops of all pagers have. A page that is more than a pager has it as its first
 * member. */
#define PAGER_OPS(page)                                                                            \
	.place = IN_PAGER, .bytes = sizeof(page), .init = pager_init, .finish = pager_finish,      \
	.move = pager_move, .mark = pager_mark, .unmark = pager_unmark, .find = pager_find,        \
	.position = pager_position
void pager_init(struct view *view);
void pager_finish(struct view *view);

void pager_clear(struct pager *pager);	/* keeps the scroll position */
/* Removes the first @count lines; the lines on the screen stay where they are. */
void pager_drop(struct pager *pager, size_t count);
/* Adds a line; out of memory it is left out. */
void pager_add(struct pager *pager, enum role role, int indent, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* Remember the scroll position; return to the remembered one. */
void pager_mark(struct view *view);
void pager_unmark(struct view *view);

/* The steps of pager_find(), which are view_ops.find's. */
enum pager_find {
	PAGER_FIND_PREVIOUS = -1,	/* from the found line, if on the screen */
	PAGER_FIND_HERE = 0,	/* from the marked position on, while the user types */
	PAGER_FIND_NEXT = 1,
};

/* Scrolls to a line that contains @text (see search.h), wrapping around. False: there is none; the
 * position is unchanged, or with PAGER_FIND_HERE the marked one. */
bool pager_find(struct view *view, const struct ui_state *state, const char *text, int step);

/* Sets *@page of *@pages, from 1; false: there is one page. */
bool pager_position(const struct view *view, int *page, int *pages);

void pager_draw(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
		int rows);
void pager_move(struct view *view, enum view_move move);

#endif
