/* search.c - smart-case search, in text and in the cells of the screen.
 *
 * Problem: a row is found by its whole text, but highlighted by its cells: these are cut, a wide
 * character has two, a letter with its accent has one.
 *
 * Idea: both searches go character by character; a cell is one character, or two if it has a mark.
 *
 * Rejected: recording at draw time which bytes went into which cell: every view would have to.
 */
#include "search.h"

#include <stddef.h>
#include <string.h>
#include <wctype.h>

#include "term/utf8.h"

static uint32_t lower_case(uint32_t code)
{
	return (uint32_t)towlower((wint_t)code);
}

static bool has_capitals(const char *search)
{
	uint32_t code;
	size_t bytes;

	for (; (bytes = utf8_decode(search, &code)) > 0; search += bytes)
		if (lower_case(code) != code)
			return true;
	return false;
}

static bool is_same(uint32_t wanted, uint32_t code, bool is_exact)
{
	return wanted == code || (!is_exact && wanted == lower_case(code));
}

static bool begins_with(const char *text, const char *search, bool is_exact)
{
	uint32_t wanted, code;
	size_t bytes;

	while ((bytes = utf8_decode(search, &wanted)) > 0) {
		search += bytes;
		bytes = utf8_decode(text, &code);
		if (bytes == 0 || !is_same(wanted, code, is_exact))
			return false;
		text += bytes;
	}
	return true;
}

static bool is_ascii(const char *text)
{
	for (; *text; text++)
		if (*text & 0x80)
			return false;
	return true;
}

const char *search_find(const char *search, const char *text)
{
	const bool is_exact = has_capitals(search);
	uint32_t code;
	size_t bytes;

	if (search[0] == '\0')
		return NULL;
	if (is_ascii(search))	/* as nearly always: a call tree has many thousand names */
		return is_exact ? strstr(text, search) : strcasestr(text, search);
	for (; (bytes = utf8_decode(text, &code)) > 0; text += bytes)
		if (begins_with(text, search, is_exact))
			return text;
	return NULL;
}

bool search_matches(const char *search, const char *text)
{
	return search_find(search, text) != NULL;
}

/* How many of @cells[0..@width) show @search from the first on; 0: it is not there. */
static int match_cells(const struct canvas_cell *cells, int width, const char *search,
		       bool is_exact)
{
	uint32_t wanted, mark = 0;
	size_t bytes;
	int x = 0;

	for (; (bytes = utf8_decode(search, &wanted)) > 0; search += bytes) {
		if (mark) {
			if (wanted != mark)
				return 0;
			mark = 0;
			continue;
		}
		if (x == width || !is_same(wanted, cells[x].code, is_exact))
			return 0;
		mark = cells[x++].mark;
		if (x < width && cells[x].code == CANVAS_TAIL)
			x++;
	}
	return x;
}

void search_highlight(struct canvas *canvas, struct canvas_area area, const char *search)
{
	const bool is_exact = has_capitals(search);
	const struct canvas_cell *cells;
	int found;

	if (!*search || area.y < 0 || area.y >= canvas->height || area.x < 0 ||
	    area.x >= canvas->width)
		return;
	if (area.width > canvas->width - area.x)
		area.width = canvas->width - area.x;
	cells = canvas->cells + area.y * canvas->width + area.x;
	for (int x = 0; x < area.width; x += found ? found : 1) {
		found = match_cells(cells + x, area.width - x, search, is_exact);
		canvas_set_role(canvas, (struct canvas_area){ area.x + x, area.y, found },
				ROLE_MATCH);
	}
}
