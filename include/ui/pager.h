/* pager.h - a view of lines that scroll; longer ones wrap at spaces.
 * Thread: the ui's. */
#ifndef UI_PAGER_H
#define UI_PAGER_H

#include <stdbool.h>
#include <stddef.h>

#include "ui/view.h"

#define PAGER_LINE_BYTES 512	/* more than a diag or a log line; longer text is cut */

struct pager_line {
	enum role role;
	int indent;		/* of the lines that a wrapped one goes on with */
	char text[PAGER_LINE_BYTES];
};

struct pager {
	struct view view;
	struct pager_line *lines;	/* owned */
	size_t count, room;
	int top;		/* in screen lines, after wrapping */
	int page, height;	/* at the last draw: lines shown, lines in all */
};

/* @ops is one with pager_draw() and pager_move(). */
void pager_init(struct pager *pager, const struct view_ops *ops);
void pager_finish(struct pager *pager);

void pager_clear(struct pager *pager);	/* keeps the place */
/* Out of memory: the line is left out. */
void pager_add(struct pager *pager, enum role role, int indent, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

void pager_draw(struct view *view, struct ui_state *state, struct canvas *canvas, int top, int rows);
enum pager_find { PAGER_FIND_HERE, PAGER_FIND_NEXT, PAGER_FIND_PREVIOUS };
bool pager_find(struct pager *pager, const char *text, enum pager_find how);
void pager_move(struct view *view, enum view_move move);

#endif
