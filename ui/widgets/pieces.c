/* pieces.c - see pieces.h. */
#include "pieces.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void pieces_add(struct pieces *pieces, int rank, enum role role, const char *format, ...)
{
	struct piece *piece;
	va_list args;

	if (pieces->count == PIECE_COUNT)
		return;
	piece = &pieces->list[pieces->count++];
	piece->role = role;
	piece->rank = rank;
	va_start(args, format);
	vsnprintf(piece->text, sizeof(piece->text), format, args);
	va_end(args);
}

int pieces_width(const struct canvas *canvas, const struct pieces *pieces)
{
	int width = 0;

	for (size_t i = 0; i < pieces->count; i++)
		width += canvas_text_width(canvas, pieces->list[i].text) +
			 (i ? canvas_text_width(canvas, pieces->gap) : 0);
	return width;
}

/* Drops the last of the pieces with the largest rank. */
static void drop_one(struct pieces *pieces)
{
	size_t least = 0;

	for (size_t i = 1; i < pieces->count; i++)
		if (pieces->list[i].rank >= pieces->list[least].rank)
			least = i;
	pieces->count--;
	memmove(&pieces->list[least], &pieces->list[least + 1],
		(pieces->count - least) * sizeof(pieces->list[0]));
}

int pieces_fit(const struct canvas *canvas, struct pieces *pieces, int width)
{
	while (pieces->count > 1 && pieces_width(canvas, pieces) > width)
		drop_one(pieces);
	return pieces_width(canvas, pieces);
}

int pieces_put(struct canvas *canvas, struct canvas_area area, const struct pieces *pieces)
{
	const int end = area.x + area.width;

	for (size_t i = 0; i < pieces->count && area.width > 0; i++) {
		if (i)
			area.x +=
				canvas_put_text(canvas, area, canvas_clean(pieces->gap), ROLE_DIM);
		area.width = end - area.x;
		area.x += canvas_put_text(canvas, area, canvas_clean(pieces->list[i].text),
					  pieces->list[i].role);
		area.width = end - area.x;
	}
	return area.x;
}

void pieces_draw_keys(struct canvas *canvas, int y, const char *const *keys, int count)
{
	struct pieces line = { .gap = " \u00b7 " };

	for (int i = 0; i < count; i++)
		pieces_add(&line, i, ROLE_TEXT, "%s", keys[i]);
	pieces_fit(canvas, &line, canvas->width - 2);
	pieces_put(canvas, (struct canvas_area){ 1, y, canvas->width - 2 }, &line);
}
