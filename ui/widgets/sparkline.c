/* sparkline.c - see sparkline.h. */
#include "sparkline.h"

#include "term/utf8.h"

#define STEPS 8

void sparkline_put_bar(struct canvas *canvas, int x, int y, float fraction, enum role role)
{
	char text[UTF8_MAX_BYTES + 1];
	int step = (int)(fraction * STEPS + 0.5f);

	step = step < 1 ? 1 : step > STEPS ? STEPS : step;
	utf8_encode(text, 0x2580u + (uint32_t)step);	/* U+2581..2588: one to eight eighths */
	canvas_put_text(canvas, (struct canvas_area){ x, y, 1 }, canvas_clean(text), role);
}

void sparkline_draw_counts(const float *counts, uint32_t count, struct canvas *canvas,
			   struct canvas_area area)
{
	const uint32_t room = area.width > 0 ? (uint32_t)area.width : 0;
	const uint32_t first = count > room ? count - room : 0;
	float top = 0;

	for (uint32_t i = first; i < count; i++)
		top = counts[i] > top ? counts[i] : top;
	for (uint32_t i = first; i < count; i++)
		sparkline_put_bar(canvas, area.x + area.width - (int)(count - i), area.y,
				  top > 0 ? counts[i] / top : 0, ROLE_STRIP);
}
