/* pieces.h - a line made of pieces of text with ranks: if they don't fit, the least important are
 * dropped.
 * Thread: the owner's. */
#ifndef UI_PIECES_H
#define UI_PIECES_H

#include <stddef.h>

#include "term/canvas.h"

#define PIECE_BYTES 192
#define PIECE_COUNT 32

struct piece {
	char text[PIECE_BYTES];
	enum role role;
	int rank;		/* the largest is dropped first, of equal ones the last */
};

struct pieces {
	const char *gap;	/* text between two pieces; BORROWED */
	struct piece list[PIECE_COUNT];
	size_t count;
};

/* Adds a piece; text beyond PIECE_BYTES and pieces beyond PIECE_COUNT are left out. */
void pieces_add(struct pieces *pieces, int rank, enum role role, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

int pieces_width(const struct canvas *canvas, const struct pieces *pieces);

/* Drops pieces until the rest fits into @width cells, or one is left. Returns the width. */
int pieces_fit(const struct canvas *canvas, struct pieces *pieces, int width);

/* Draws from the left edge of @area; returns the column after the last cell used. */
int pieces_put(struct canvas *canvas, struct canvas_area area, const struct pieces *pieces);

/* Draws the @count texts at the left of line @y, as many as there is room for. */
void pieces_draw_keys(struct canvas *canvas, int y, const char *const *keys, int count);

#endif
