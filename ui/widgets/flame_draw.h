/* flame_draw.h - the picture of a flame graph: boxes with their names, what is zoomed and found
 * above them, the selected frame's numbers below.
 * Thread: the ui's. */
#ifndef UI_FLAME_DRAW_H
#define UI_FLAME_DRAW_H

#include "state.h"
#include "ui/canvas.h"

/* The lines of a view that has @rows. */
struct flame_lines {
	int info, boxes, detail;
};
struct flame_lines flame_draw_lines(int rows);

/* The state's flame graph, laid out, on @lines from @top on. */
void flame_draw(struct ui_state *state, struct canvas *canvas, int top, struct flame_lines lines);

#endif
