/* pager.c - see ui/pager.h. Lines are wrapped anew at each draw: there are a few hundred at most,
 * and so no width is remembered that a resize could make wrong. */
#include "ui/pager.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/utf8.h"

void pager_init(struct pager *pager, const struct view_ops *ops)
{
	*pager = (struct pager){ .view.ops = ops };
}

void pager_finish(struct pager *pager)
{
	free(pager->lines);
	pager->lines = NULL;
	pager->count = pager->room = 0;
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
	va_start(args, format);
	vsnprintf(pager->lines[pager->count].text, PAGER_LINE_BYTES, format, args);
	va_end(args);
	pager->count++;
}

/* Bytes of @text that go on one line of @width cells; at least one character. */
static size_t wrap_bytes(const struct canvas *canvas, const char *text, int width)
{
	char one[UTF8_MAX_BYTES + 1];
	size_t at = 0, space = 0, bytes;
	uint32_t code;
	int used = 0;

	while ((bytes = utf8_decode(text + at, &code)) > 0) {
		memcpy(one, text + at, bytes);
		one[bytes] = '\0';
		used += canvas_text_width(canvas, one);
		if (used > width && at > 0)
			return space ? space : at;
		at += bytes;
		if (code == ' ')
			space = at;
	}
	return at;
}

struct pager_brush {
	struct canvas *canvas;
	int y, end;	/* y below the first line shown: still scrolled away */
	int first;
};

static void draw_line(struct pager_brush *brush, const struct pager_line *line)
{
	struct canvas_area area = { 2, 0, brush->canvas->width - 3 };
	const char *text = line->text;
	char part[PAGER_LINE_BYTES];
	size_t bytes;

	do {
		bytes = wrap_bytes(brush->canvas, text, area.width);
		if (brush->y >= brush->first && brush->y < brush->end) {
			memcpy(part, text, bytes);
			part[bytes] = '\0';
			area.y = brush->y;
			canvas_put_text(brush->canvas, area, part, line->role);
		}
		brush->y++;
		text += bytes;
		area.x = 2 + line->indent;
		area.width = brush->canvas->width - 1 - area.x;
	} while (*text);
}

static void clamp_top(struct pager *pager)
{
	if (pager->top > pager->height - pager->page)
		pager->top = pager->height - pager->page;
	if (pager->top < 0)
		pager->top = 0;
}

static int draw_lines(struct pager *pager, struct canvas *canvas, int top, int rows)
{
	struct pager_brush brush = { canvas, top - pager->top, top + rows, top };

	for (size_t i = 0; i < pager->count; i++)
		draw_line(&brush, &pager->lines[i]);
	return brush.y - (top - pager->top);
}

void pager_draw(struct view *view, struct ui_state *state, struct canvas *canvas, int top, int rows)
{
	struct pager *pager = (struct pager *)view;

	(void)state;
	pager->page = rows;
	pager->height = draw_lines(pager, canvas, top, 0);	/* measures only */
	clamp_top(pager);
	draw_lines(pager, canvas, top, rows);
}

void pager_move(struct view *view, enum view_move move)
{
	struct pager *pager = (struct pager *)view;

	switch (move) {
	case MOVE_UP:	     pager->top--; break;
	case MOVE_DOWN:	     pager->top++; break;
	case MOVE_PAGE_UP:   pager->top -= pager->page; break;
	case MOVE_PAGE_DOWN: pager->top += pager->page; break;
	case MOVE_FIRST:     pager->top = 0; break;
	case MOVE_LAST:	     pager->top = pager->height; break;
	}
	clamp_top(pager);
}

bool pager_find(struct pager *pager, const char *text, enum pager_find how)
{
	(void)pager;
	(void)text;
	(void)how;
	return false;
}
