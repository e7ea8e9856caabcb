/* flame_draw.h - draws a flame graph: boxes with their names, above them the zoomed frame and the
 * search matches, below them the stats of the selected frame.
 * Thread: the ui's. */
#ifndef UI_FLAME_DRAW_H
#define UI_FLAME_DRAW_H

#include "state.h"
#include "ui/canvas.h"

/* How many lines each part of the flame graph gets in a view of @rows lines. */
struct flame_lines {
	int info, boxes, detail;
};
struct flame_lines flame_draw_lines(int rows);

/* Draws the state's flame graph, which must be laid out, on @lines from @top on. */
void flame_draw(struct ui_state *state, struct canvas *canvas, int top, struct flame_lines lines);

#endif
