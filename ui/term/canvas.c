/* canvas.c - draws text into cells.
 *
 * Problem: bytes, characters and cells are three different counts; cutting columns by the wrong one
 * misaligns a table.
 *
 * Invariant: a cell that holds a wide character is always followed by its tail, and a tail never
 * stands without its character: whoever overwrites one half blanks the other.
 */
#include "canvas.h"

#include <errno.h>
#include <stdlib.h>
#include <wchar.h>

#include "utf8.h"

#define CLEAN_BYTES 4096	/* more than any screen is wide */

/* What our own marks look like where only ASCII may be sent. */
static const struct {
	uint32_t code;
	char stand_in;
} stand_ins[] = {
	{ 0x00b7, '-' },	/* middle dot */
	{ 0x00b5, 'u' },	/* micro */
	{ 0x00d7, 'x' },	/* times */
	{ 0x0394, 'd' },	/* change */
	{ 0x2013, '-' },	/* from, to */
	{ 0x2022, '*' },	/* chosen of several */
	{ 0x2013, '-' },	/* from - to */
	{ 0x2039, '<' },	/* goes on to the left */
	{ 0x203a, '>' },	/* breadcrumb, to the right */
	{ 0x2026, '~' },	/* ellipsis */
	{ 0x2192, '>' },	/* leads to */
	{ 0x2212, '-' },	/* minus */
	{ 0x22ee, ':' },	/* lines left out */
	{ 0x2500, '-' },	/* box drawing */
	{ 0x2502, '|' },
	{ 0x250c, '+' },
	{ 0x2510, '+' },
	{ 0x2514, '+' },
	{ 0x2518, '+' },
	{ 0x251c, '|' },
	{ 0x253c, '+' },
	{ 0x256d, '+' },
	{ 0x256e, '+' },
	{ 0x256f, '+' },
	{ 0x2570, '+' },
	{ 0x2581, '.' },	/* one to eight eighths, by how much ink there is */
	{ 0x2582, ':' },
	{ 0x2583, '-' },
	{ 0x2584, '=' },
	{ 0x2585, '+' },
	{ 0x2586, '*' },
	{ 0x2587, '%' },
	{ 0x2588, '#' },
	{ 0x25b2, '^' },	/* ascending */
	{ 0x25b8, '>' },	/* cursor, folded */
	{ 0x25ba, '>' },	/* where a jump leads */
	{ 0x25be, 'v' },	/* unfolded */
	{ 0x25bc, 'v' },	/* descending */
	{ 0x25c6, '#' },	/* probed */
	{ 0x25cb, 'o' },	/* off */
	{ 0x25cf, '*' },	/* on */
	{ 0x25d0, '%' },	/* on in turns */
};

static const struct canvas_cell blank = { .code = ' ', .role = ROLE_TEXT };

int canvas_resize(struct canvas *canvas, int width, int height)
{
	canvas_finish(canvas);
	if (width <= 0 || height <= 0)
		return 0;
	canvas->cells = calloc((size_t)width * (size_t)height, sizeof(*canvas->cells));
	if (!canvas->cells)
		return -ENOMEM;
	canvas->width = width;
	canvas->height = height;
	canvas_clear(canvas);
	return 0;
}

void canvas_finish(struct canvas *canvas)
{
	free(canvas->cells);
	canvas->cells = NULL;
	canvas->width = canvas->height = 0;
}

void canvas_clear(struct canvas *canvas)
{
	for (int i = 0; i < canvas->width * canvas->height; i++)
		canvas->cells[i] = blank;
}

static uint32_t stand_in(uint32_t code)
{
	if (code == ' ')
		return code;
	for (size_t i = 0; i < sizeof(stand_ins) / sizeof(stand_ins[0]); i++)
		if (stand_ins[i].code == code)
			return (unsigned char)stand_ins[i].stand_in;
	return '?';
}

/* Reads one character as it will be drawn: *@code and how many cells it takes (0: a combining
 * mark). Returns its bytes, 0 at the end of @text. */
static size_t next_char(const struct canvas *canvas, const char *text, uint32_t *code, int *cells)
{
	const size_t bytes = utf8_decode(text, code);

	*cells = 1;
	if (*code >= 0x20 && *code < 0x7f)
		return bytes;
	if (canvas->is_ascii || *code < 0xa0) {
		*code = stand_in(*code);
		return bytes;
	}
	*cells = sanitize_is_hidden(*code) ? -1 : wcwidth((wchar_t)*code);
	if (*cells < 0) {
		*code = '?';
		*cells = 1;
	}
	return bytes;
}

int canvas_text_width(const struct canvas *canvas, const char *text)
{
	int width = 0, cells;
	uint32_t code;
	size_t bytes;

	while ((bytes = next_char(canvas, text, &code, &cells)) > 0) {
		width += cells;
		text += bytes;
	}
	return width;
}

/* Cuts @area to the canvas; false when nothing of it is left. */
static bool clip_area(const struct canvas *canvas, struct canvas_area *area)
{
	if (area->y < 0 || area->y >= canvas->height || area->x < 0 || area->x >= canvas->width)
		return false;
	if (area->width > canvas->width - area->x)
		area->width = canvas->width - area->x;
	return area->width > 0;
}

static struct canvas_cell *cell_at(struct canvas *canvas, int x, int y)
{
	return &canvas->cells[y * canvas->width + x];
}

/* Blanks the other half of a wide character whose one half is about to be overwritten. */
static void break_pair(struct canvas *canvas, int x, int y)
{
	if (cell_at(canvas, x, y)->code == CANVAS_TAIL && x > 0)
		cell_at(canvas, x - 1, y)->code = ' ';
	if (x + 1 < canvas->width && cell_at(canvas, x + 1, y)->code == CANVAS_TAIL)
		cell_at(canvas, x + 1, y)->code = ' ';
}

static void put_cell(struct canvas *canvas, int x, int y, uint32_t code, enum role role)
{
	break_pair(canvas, x, y);
	*cell_at(canvas, x, y) = (struct canvas_cell){ .code = code, .role = role };
}

static void put_char(struct canvas *canvas, int x, int y, uint32_t code, int cells, enum role role)
{
	put_cell(canvas, x, y, code, role);
	if (cells != 2)
		return;
	break_pair(canvas, x + 1, y);
	*cell_at(canvas, x + 1, y) = (struct canvas_cell){ .code = CANVAS_TAIL, .role = role };
}

struct safe_text canvas_clean(const char *text)
{
	static _Thread_local char line[CLEAN_BYTES];
	uint32_t code;
	size_t bytes;

	while (*text & 0x80 && (bytes = utf8_decode(text, &code)) > 0 &&
	       !sanitize_is_hidden(code) && wcwidth((wchar_t)code) == 0)
		text += bytes;
	return sanitize_lazily(line, sizeof(line), text);
}

int canvas_put_text(struct canvas *canvas, struct canvas_area area, struct safe_text safe,
		    enum role role)
{
	const char *text = safe.chars;
	const uint32_t ellipsis = canvas->is_ascii ? stand_in(0x2026) : 0x2026;
	int used = 0, room, cells;
	struct canvas_cell *last = NULL;
	uint32_t code;
	size_t bytes;

	if (!clip_area(canvas, &area))
		return 0;
	room = canvas_text_width(canvas, text) <= area.width ? area.width : area.width - 1;
	while ((bytes = next_char(canvas, text, &code, &cells)) > 0) {
		text += bytes;
		if (cells == 0) {
			if (last && last->mark == 0)
				last->mark = code;
			continue;
		}
		if (used + cells > room)
			break;
		put_char(canvas, area.x + used, area.y, code, cells, role);
		last = cell_at(canvas, area.x + used, area.y);
		used += cells;
	}
	if (room == area.width)
		return used;
	for (; used < room; used++)
		put_cell(canvas, area.x + used, area.y, ' ', role);
	put_cell(canvas, area.x + used, area.y, ellipsis, role);
	return area.width;
}

int canvas_put_right(struct canvas *canvas, struct canvas_area area, struct safe_text text,
		     enum role role)
{
	const int spare = area.width - canvas_text_width(canvas, text.chars);

	if (spare > 0) {
		area.x += spare;
		area.width -= spare;
	}
	return canvas_put_text(canvas, area, text, role);
}

static void put_line(struct canvas *canvas, struct canvas_area area, const uint32_t *codes,
		     enum role role)
{
	const int end = area.x + area.width;

	for (int x = area.x; x < end; x++) {
		const uint32_t code = codes[x == area.x ? 0 : x == end - 1 ? 2 : 1];
		struct canvas_area cell = { x, area.y, 1 };

		if (clip_area(canvas, &cell))
			put_cell(canvas, x, area.y, canvas->is_ascii ? stand_in(code) : code, role);
	}
}

void canvas_put_box(struct canvas *canvas, int x, int y, int width, int height, enum role role)
{
	static const uint32_t top[] = { 0x256d, 0x2500, 0x256e };
	static const uint32_t side[] = { 0x2502, ' ', 0x2502 };
	static const uint32_t bottom[] = { 0x2570, 0x2500, 0x256f };

	if (width < 2 || height < 2)
		return;
	for (int line = 0; line < height; line++)
		put_line(canvas, (struct canvas_area){ x, y + line, width },
			 line == 0 ? top : line == height - 1 ? bottom : side, role);
}

void canvas_put_fill(struct canvas *canvas, int x, int end, int y, enum role role)
{
	for (int at = x / 2; 2 * at < end; at++) {
		struct canvas_area cell = { at, y, 1 };
		const bool has_left = 2 * at >= x, has_right = 2 * at + 2 <= end;

		if (!clip_area(canvas, &cell))
			continue;
		if (has_left && has_right) {
			put_cell(canvas, at, y, ' ', role);
		} else if (!canvas->is_ascii) {
			put_cell(canvas, at, y, has_left ? 0x258c : 0x2590, role);
			cell_at(canvas, at, y)->ink = INK_FILL;
		}
	}
}

void canvas_set_role(struct canvas *canvas, struct canvas_area area, enum role role)
{
	if (!clip_area(canvas, &area))
		return;
	for (int i = 0; i < area.width; i++)
		cell_at(canvas, area.x + i, area.y)->role = role;
}

void canvas_select_line(struct canvas *canvas, int y)
{
	canvas_set_role(canvas, (struct canvas_area){ 0, y, canvas->width }, ROLE_SELECTED);
	canvas_put_text(canvas, (struct canvas_area){ 0, y, 1 }, SAFE_TEXT("\u25b8"),
			ROLE_SELECTED);
}
