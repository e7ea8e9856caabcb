/* pager.h - a view of lines that scroll; longer ones wrap at spaces. What the state's search is for
 * is highlighted.
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
	int indent;		/* of the lines that a wrapped one goes on with */
	int second_cell;	/* where the text of a second column begins, 0: there is none; */
	enum role second_role;	/* and its role */
	char text[PAGER_LINE_BYTES];
};

struct pager {
	struct view view;
	struct pager_line *lines;	/* owned */
	size_t count, room;
	int top;		/* in screen lines, after wrapping */
	int page, height;	/* at the last draw: lines shown, lines in all */
	struct canvas shape;	/* of the last draw: width and is_ascii, by which lines wrap */
	bool follows_end;	/* the view's: shows what is added last, */
	bool is_away;		/* unless the user has scrolled up */
	uint64_t seen;		/* the view's: up to where it has read what it shows */
	size_t found;		/* line that the search has found, PAGER_NOWHERE: none */
	bool is_seeking;	/* no key has moved since: the next draw shows it */
	int marked;		/* top that pager_mark() remembered */
};

#define PAGER_NOWHERE SIZE_MAX

/* @ops is one with pager_draw() and pager_move(). */
void pager_init(struct pager *pager, const struct view_ops *ops);
void pager_finish(struct pager *pager);

void pager_clear(struct pager *pager);	/* keeps the place */
/* Takes the first @count lines away; what is on the screen stays where it is. */
void pager_drop(struct pager *pager, size_t count);
/* Out of memory: the line is left out. */
void pager_add(struct pager *pager, enum role role, int indent, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

enum pager_find {
	PAGER_FIND_HERE,	/* from the marked place on: while one types */
	PAGER_FIND_NEXT, PAGER_FIND_PREVIOUS,	/* than the one found, if that is on the screen */
};

/* Remembers the place, and goes back to it. */
void pager_mark(struct pager *pager);
void pager_return(struct pager *pager);

/* Scrolls to a line that @text is in (see ui/search.h), round the end. False: there is none; the
 * place stays, or with PAGER_FIND_HERE is the marked one again. */
bool pager_find(struct pager *pager, const char *text, enum pager_find how);

void pager_draw(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
		int rows);
void pager_move(struct view *view, enum view_move move);

#endif
