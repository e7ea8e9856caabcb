/* sparkline.c - see ui/sparkline.h. Busy % stands for itself; a rate, which has no natural top, is
 * measured by the highest that is shown. */
#include "ui/sparkline.h"

#include "ui/utf8.h"

#define STEPS	 8
#define HIGH_PCT 80.0f		/* of all CPUs: little is left */

static float highest(const struct snapshot *snapshot, uint32_t first)
{
	float top = 0;

	if (snapshot->strip_kind == STRIP_BUSY)
		return 100;
	for (uint32_t i = first; i < snapshot->strip_count; i++)
		if (snapshot->strip[i] > top)
			top = snapshot->strip[i];
	return top;
}

static void put_bar(struct canvas *canvas, int x, int y, float fraction, enum role role)
{
	char text[UTF8_MAX_BYTES + 1];
	int step = (int)(fraction * STEPS + 0.5f);

	step = step < 1 ? 1 : step > STEPS ? STEPS : step;
	utf8_encode(text, 0x2580u + (uint32_t)step);	/* U+2581..2588: one to eight eighths */
	canvas_put_text(canvas, (struct canvas_area){ x, y, 1 }, text, role);
}

void sparkline_draw(const struct snapshot *snapshot, struct canvas *canvas,
		    struct canvas_area area)
{
	const uint32_t room = area.width > 0 ? (uint32_t)area.width : 0;
	const uint32_t first = snapshot->strip_count > room ? snapshot->strip_count - room : 0;
	const float top = highest(snapshot, first);
	int x = area.x + area.width - (int)(snapshot->strip_count - first);

	for (uint32_t i = first; i < snapshot->strip_count; i++, x++) {
		const float value = snapshot->strip[i];
		const bool is_high = snapshot->strip_kind == STRIP_BUSY && value >= HIGH_PCT;

		if (value >= 0)
			put_bar(canvas, x, area.y, top > 0 ? value / top : 0,
				is_high ? ROLE_STRIP_HIGH : ROLE_STRIP);
	}
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
		put_bar(canvas, area.x + area.width - (int)(count - i), area.y,
			top > 0 ? counts[i] / top : 0, ROLE_STRIP);
}
