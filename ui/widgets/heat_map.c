/* heat_map.c - see heat_map.h. */
#include "heat_map.h"

#include <math.h>
#include <stdio.h>

#include "format.h"

static const struct {
	const char *mark, *ascii;
	enum role role;
} levels[HEAT_LEVELS] = {
	{ " ", " ", ROLE_TEXT },	{ "\u00b7", ".", ROLE_COOL }, { "\u2591", ":", ROLE_COOL },
	{ "\u2592", "+", ROLE_WARM },	{ "\u2593", "#", ROLE_WARM }, { "\u2588", "@", ROLE_HOT },
};

/* The step is 1 + 4 log(count) / log(most), by powers instead: exact where they are whole. */
unsigned int heat_map_level(uint32_t count, uint32_t most)
{
	const double power = (double)count * count * count * count;
	unsigned int level = 1;

	if (!count)
		return 0;
	if (count >= most)
		return HEAT_LEVELS - 1;
	for (double bound = most; level < HEAT_LEVELS - 1 && power >= bound; bound *= most)
		level++;
	return level;
}

/* Index of the first of the newest @seconds. */
static uint32_t first_of(const struct snapshot_heat *heat, uint32_t seconds)
{
	return heat->seconds > seconds ? heat->seconds - seconds : 0;
}

uint32_t heat_map_most(const struct snapshot_heat *heat, uint32_t seconds)
{
	uint32_t most = 0;

	for (uint32_t second = first_of(heat, seconds); second < heat->seconds; second++)
		for (int octave = 0; octave < LATENCY_OCTAVES; octave++)
			if (heat->counts[second][octave] > most)
				most = heat->counts[second][octave];
	return most;
}

int heat_map_put_level(struct canvas *canvas, struct canvas_area area, unsigned int level)
{
	return canvas_put_text(
		canvas, area,
		canvas_clean(canvas->is_ascii ? levels[level].ascii : levels[level].mark),
		levels[level].role);
}

void heat_map_draw_line(const struct snapshot_heat *heat, int octave, uint32_t most,
			struct canvas *canvas, struct canvas_area area)
{
	const uint32_t room = area.width > 0 ? (uint32_t)area.width : 0;
	struct canvas_area cell = { 0, area.y, 1 };

	for (uint32_t second = first_of(heat, room); second < heat->seconds; second++) {
		cell.x = area.x + area.width - (int)(heat->seconds - second);
		heat_map_put_level(canvas, cell,
				   heat_map_level(heat->counts[second][octave], most));
	}
}

void heat_map_draw_title(const struct snapshot_heat *heat, const char *until,
			 struct canvas *canvas, struct canvas_area area)
{
	const uint32_t room = area.width > 0 ? (uint32_t)area.width : 0;
	const uint32_t seconds = heat->seconds < room ? heat->seconds : room;
	char text[64], number[FORMAT_BYTES];

	snprintf(text, sizeof(text), "a column a second, %s to %s",
		 format_duration(number, seconds), until);
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_HEADING);
}

void heat_map_draw_scale(const double from[HEAT_LEVELS], const char *unit, struct canvas *canvas,
			 struct canvas_area area)
{
	char text[FORMAT_BYTES + 8], number[FORMAT_BYTES];
	int used;

	for (unsigned int level = 1; level < HEAT_LEVELS && area.width > 0; level++) {
		used = heat_map_put_level(canvas, area, level);
		area.x += used;
		area.width -= used;
		snprintf(text, sizeof(text), " %s  ",
			 format_count(number, (uint64_t)ceil(from[level])));
		used = canvas_put_text(canvas, area, canvas_clean(text), ROLE_DIM);
		area.x += used;
		area.width -= used;
	}
	canvas_put_text(canvas, area, canvas_clean(unit), ROLE_DIM);
}

void heat_map_draw_legend(uint32_t most, struct canvas *canvas, struct canvas_area area)
{
	double from[HEAT_LEVELS] = { 0 };

	for (unsigned int level = 1; level < HEAT_LEVELS; level++)
		from[level] = pow(most, (level - 1) / (HEAT_LEVELS - 2.0));
	heat_map_draw_scale(from, "hits", canvas, area);
}
