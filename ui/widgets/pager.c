/* pager.c - see pager.h. Lines are wrapped again at each draw and whenever a line's position is
 * needed: there are a few hundred at most. A match is scrolled to at once, for the keys that come
 * next, and again by the next draw, which knows the present size of the screen. */
#include "pager.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "search.h"
#include "state.h"
#include "term/utf8.h"

#define TEXT_X 2		/* before it is the mark of the line that was found */

void pager_init(struct view *view)
{
	((struct pager *)view)->found = PAGER_NOWHERE;
}

void pager_finish(struct view *view)
{
	free(((struct pager *)view)->lines);
}

void pager_clear(struct pager *pager)
{
	pager->count = 0;
}

void pager_add(struct pager *pager, enum role role, int indent, const char *format, ...)
{
	const size_t room = pager->room ? pager->room * 2 : 64;
	struct pager_line *lines;
	va_list args;

	if (pager->count == pager->room) {
		lines = reallocarray(pager->lines, room, sizeof(*lines));
		if (!lines)
			return;
		pager->lines = lines;
		pager->room = room;
	}
	pager->lines[pager->count].role = role;
	pager->lines[pager->count].indent = indent;
	pager->lines[pager->count].second_cell = 0;
	va_start(args, format);
	vsnprintf(pager->lines[pager->count].text, PAGER_LINE_BYTES, format, args);
	va_end(args);
	pager->count++;
}

/* Bytes of @text that go on one line of @width cells; at least one character. */
static size_t wrap_bytes(const struct canvas *shape, const char *text, int width)
{
	char one[UTF8_MAX_BYTES + 1];
	size_t at = 0, space = 0, bytes;
	uint32_t code;
	int used = 0;

	while ((bytes = utf8_decode(text + at, &code)) > 0) {
		memcpy(one, text + at, bytes);
		one[bytes] = '\0';
		used += canvas_text_width(shape, one);
		if (used > width && at > 0)
			return space ? space : at;
		at += bytes;
		if (code == ' ')
			space = at;
	}
	return at;
}

/* The part of a line that is on one line of the screen. */
struct pager_piece {
	const char *text;
	size_t bytes;
	int x, width;
};

/* Advances *@piece (all zero at first) to the next piece of @line; false: no more. */
static bool next_piece(const struct canvas *shape, const struct pager_line *line,
		       struct pager_piece *piece)
{
	const bool is_first = !piece->text;

	piece->text = is_first ? line->text : piece->text + piece->bytes;
	if (!is_first && *piece->text == '\0')
		return false;
	piece->x = TEXT_X + (is_first ? 0 : line->indent);
	piece->width = shape->width - 1 - piece->x;
	piece->bytes = wrap_bytes(shape, piece->text, piece->width);
	return true;
}

/* Returns how many pieces of @line, without the first, begin at or before its byte @at. */
static int pieces_before(const struct canvas *shape, const struct pager_line *line, const char *at)
{
	struct pager_piece piece = { .text = NULL };
	int count = -1;

	while (next_piece(shape, line, &piece) && piece.text <= at)
		count++;
	return count;
}

static int count_pieces(const struct canvas *shape, const struct pager_line *line)
{
	return pieces_before(shape, line, line->text + PAGER_LINE_BYTES) + 1;
}

static int height_of(const struct pager *pager, size_t count)
{
	int height = 0;

	for (size_t i = 0; i < count; i++)
		height += count_pieces(&pager->shape, &pager->lines[i]);
	return height;
}

/* Returns the first line that begins at or below screen line @top. */
static size_t line_at(const struct pager *pager, int top)
{
	size_t index = 0;

	for (int y = 0; y < top && index < pager->count; index++)
		y += count_pieces(&pager->shape, &pager->lines[index]);
	return index;
}

static void clamp_top(struct pager *pager)
{
	const int last = pager->height > pager->page ? pager->height - pager->page : 0;

	if (pager->top > last)
		pager->top = last;
	if (pager->top < 0)
		pager->top = 0;
	pager->is_away = pager->top < last;
}

void pager_drop(struct pager *pager, size_t count)
{
	const int height = height_of(pager, count);

	pager->top = pager->top > height ? pager->top - height : 0;
	pager->marked = pager->marked > height ? pager->marked - height : 0;
	pager->height -= height;
	if (pager->found != PAGER_NOWHERE)
		pager->found = pager->found >= count ? pager->found - count : PAGER_NOWHERE;
	pager->count -= count;
	memmove(pager->lines, pager->lines + count, pager->count * sizeof(pager->lines[0]));
}

void pager_mark(struct view *view)
{
	struct pager *pager = (struct pager *)view;

	pager->marked = pager->top;
}

void pager_unmark(struct view *view)
{
	struct pager *pager = (struct pager *)view;

	pager->top = pager->marked;
	pager->found = PAGER_NOWHERE;
	pager->is_seeking = false;
	clamp_top(pager);
}

bool pager_position(const struct view *view, int *page, int *pages)
{
	const struct pager *pager = (const struct pager *)view;

	if (pager->page <= 0 || pager->height <= pager->page)
		return false;
	*pages = (pager->height + pager->page - 1) / pager->page;
	*page = pager->top + pager->page >= pager->height ? *pages
							  : pager->top / pager->page + 1;
	return true;
}

static bool is_found_shown(const struct pager *pager)
{
	int y;

	if (pager->found >= pager->count)
		return false;
	y = height_of(pager, pager->found);
	return pager->is_seeking ||
	       (y < pager->top + pager->page &&
		y + count_pieces(&pager->shape, &pager->lines[pager->found]) > pager->top);
}

/* Returns the line that a search begins at, modulo the number of lines. */
static size_t first_candidate(const struct pager *pager, int step)
{
	const bool is_shown = is_found_shown(pager);
	const size_t here = is_shown ? pager->found : line_at(pager, pager->top);

	if (step == PAGER_FIND_HERE)
		return line_at(pager, pager->marked);
	return step > 0 ? here + (is_shown ? 1 : 0) : here + pager->count - 1;
}

/* Scrolls the found line into the upper half, unless it is on the screen anyway. */
static void seek(struct pager *pager, const char *search)
{
	const struct pager_line *line = &pager->lines[pager->found];
	const char *at = search_find(search, line->text);
	const int y = height_of(pager, pager->found) +
		      pieces_before(&pager->shape, line, at ? at : line->text);

	if (y < pager->top || y >= pager->top + pager->page)
		pager->top = y - pager->page / 3;
}

bool pager_find(struct view *view, const struct ui_state *state, const char *text, int step)
{
	struct pager *pager = (struct pager *)view;
	const size_t each = step < 0 ? pager->count - 1 : 1;
	size_t at = pager->count ? first_candidate(pager, step) : 0;

	(void)state;
	for (size_t i = 0; i < pager->count; i++, at += each) {
		if (!search_matches(text, pager->lines[at % pager->count].text))
			continue;
		pager->found = at % pager->count;
		pager->is_seeking = true;
		if (pager->page)
			seek(pager, text);
		return true;
	}
	if (step == PAGER_FIND_HERE)
		pager_unmark(view);
	return false;
}

static void draw_piece(struct canvas *canvas, const struct pager_piece *piece, int y,
		       const struct pager_line *line, const char *search)
{
	const struct canvas_area area = { piece->x, y, piece->width };
	const int second = line->second_cell;
	char text[PAGER_LINE_BYTES];

	memcpy(text, piece->text, piece->bytes);
	text[piece->bytes] = '\0';
	canvas_put_text(canvas, area, canvas_clean(text), line->role);
	if (second)
		canvas_set_role(canvas, (struct canvas_area){ area.x + second, y,
							      area.width - second },
				line->second_role);
	search_highlight(canvas, area, search);
}

static void draw_lines(const struct pager *pager, struct canvas *canvas, int top,
		       const char *search)
{
	int y = top - pager->top;

	for (size_t i = 0; i < pager->count; i++) {
		struct pager_piece piece = { .text = NULL };

		if (i == pager->found && search[0] && y >= top && y < top + pager->page)
			canvas_put_text(canvas, (struct canvas_area){ 0, y, 1 },
					SAFE_TEXT("\u25b8"), ROLE_MATCH);
		for (; next_piece(&pager->shape, &pager->lines[i], &piece); y++)
			if (y >= top && y < top + pager->page)
				draw_piece(canvas, &piece, y, &pager->lines[i], search);
	}
}

void pager_draw(struct view *view, struct ui_state *state, struct canvas *canvas, int top, int rows)
{
	struct pager *pager = (struct pager *)view;

	pager->shape = (struct canvas){ .width = canvas->width, .is_ascii = canvas->is_ascii };
	pager->page = rows;
	pager->height = height_of(pager, pager->count);
	if (pager->is_seeking && pager->found < pager->count)
		seek(pager, state->search);
	else if (pager->follows_end && !pager->is_away)
		pager->top = pager->height;
	pager->is_seeking = false;
	clamp_top(pager);
	draw_lines(pager, canvas, top, state->search);
}

void pager_move(struct view *view, enum view_move move)
{
	struct pager *pager = (struct pager *)view;

	pager->is_seeking = false;
	switch (move) {
	case MOVE_UP:	     pager->top--; break;
	case MOVE_DOWN:	     pager->top++; break;
	case MOVE_PAGE_UP:   pager->top -= pager->page; break;
	case MOVE_PAGE_DOWN: pager->top += pager->page; break;
	case MOVE_HALF_UP:   pager->top -= (pager->page + 1) / 2; break;
	case MOVE_HALF_DOWN: pager->top += (pager->page + 1) / 2; break;
	case MOVE_FIRST:     pager->top = 0; break;
	case MOVE_LAST:	     pager->top = pager->height; break;
	}
	clamp_top(pager);
}
