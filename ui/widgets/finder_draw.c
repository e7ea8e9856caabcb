/* finder_draw.c - draws the finder's box. Its size does not depend on the results: a box that
 * shrinks during typing is restless. */
#include "ui/finder.h"

#include <stdio.h>
#include <string.h>

#include "format.h"
#include "term/utf8.h"

#define FRAME	    2	/* lines and cells of the frame */
#define OTHER_LINES 2	/* the input, the spec of the chosen line */
#define WIDTH_MAX   116	/* names of 60 letters and where they are from */
#define HEIGHT_MAX  30
#define HEIGHT_MIN  (FRAME + OTHER_LINES + 1)
#define WIDTH_MIN   30
#define CURSOR_CELLS 2
#define KIND_CELLS  8
#define GAP	    2
#define NOTE_SHARE  3	/* a note gets at least 1/NOTE_SHARE of the line, if it needs it */

static const char *const kinds[] = {
	[TARGET_KERNEL_FUNCTION] = "kernel", [TARGET_USER_FUNCTION] = "user",
	[TARGET_TRACEPOINT] = "trace", [TARGET_USDT] = "mark", [TARGET_PRESET] = "preset",
	[TARGET_TYPED] = "typed", [TARGET_LEFTOVER] = "left",
};

static int smaller(int a, int b)
{
	return a < b ? a : b;
}

static int larger(int a, int b)
{
	return a > b ? a : b;
}

size_t finder_page(const struct finder *finder)
{
	return finder->height >= HEIGHT_MIN ? (size_t)(finder->height - FRAME - OTHER_LINES) : 1;
}

/* False: there is no room. */
static bool place_box(struct finder *finder, const struct canvas *canvas, int top, int bottom)
{
	finder->width = smaller(canvas->width - 2, WIDTH_MAX);
	finder->height = smaller(bottom - top, HEIGHT_MAX);
	if (finder->width < WIDTH_MIN)
		finder->width = canvas->width;
	if (finder->width < WIDTH_MIN || finder->height < HEIGHT_MIN) {
		finder->width = finder->height = 0;
		return false;
	}
	finder->x = (canvas->width - finder->width) / 2;
	finder->y = top + (bottom - top - finder->height) / 2;
	return true;
}

static void scroll_to_cursor(struct finder *finder)
{
	const size_t page = finder_page(finder);

	if (finder->cursor < finder->top)
		finder->top = finder->cursor;
	if (finder->cursor >= finder->top + page)
		finder->top = finder->cursor - page + 1;
}

static void draw_frame(const struct finder *finder, struct canvas *canvas)
{
	static const char keys[] = " Enter probe \u00b7 Tab edit \u00b7 Esc back ";
	struct canvas_area area = { finder->x + 2, finder->y, finder->width - 4 };
	char text[48];

	canvas_put_box(canvas, finder->x, finder->y, finder->width, finder->height, ROLE_BOX_DIM);
	for (int y = finder->y + 1; y < finder->y + finder->height - 1; y++)
		canvas_set_role(canvas, (struct canvas_area){ finder->x + 1, y, finder->width - 2 },
				ROLE_BOX);
	canvas_put_text(canvas, area, SAFE_TEXT(" find what to probe "), ROLE_BOX);
	area.y += finder->height - 1;
	canvas_put_text(canvas, area, canvas_clean(keys), ROLE_BOX_DIM);
	if (!finder->reply || finder->reply->count <= finder_page(finder))
		return;
	snprintf(text, sizeof(text), " %zu/%zu ", finder->cursor + 1, finder->reply->count);
	if (canvas_text_width(canvas, text) + canvas_text_width(canvas, keys) <= area.width)
		canvas_put_right(canvas, area, canvas_clean(text), ROLE_BOX);
}

static void describe_count(const struct finder *finder, char *out, size_t room)
{
	char count[FORMAT_BYTES];
	const struct target_reply *reply = finder->reply;
	const bool is_old = reply && reply->number != finder->asked;

	if (!reply)
		snprintf(out, room, "loading names\u2026");
	else
		snprintf(out, room, "%s found%s%s", format_count(count, reply->matches),
			 is_old ? "\u2026" : "", reply->is_loading ? " \u00b7 loading\u2026" : "");
}

static void draw_input(const struct finder *finder, struct canvas *canvas)
{
	struct canvas_area area = { finder->x + 1 + CURSOR_CELLS, finder->y + 1,
				    finder->width - 2 - CURSOR_CELLS - 1 };
	char text[64];
	int count;

	describe_count(finder, text, sizeof(text));
	count = smaller(canvas_text_width(canvas, text), area.width / 2);
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_BOX_DIM);
	area.width -= count + GAP;
	prompt_draw_text(&finder->input, canvas, area);
}

/* Highlights the letters that matched, as far as they are drawn. */
static void mark_matched(struct canvas *canvas, struct canvas_area area,
			 const struct target_result *result)
{
	const char *text = result->shown;
	const int end = area.x + area.width -
			(canvas_text_width(canvas, text) > area.width);	/* the ellipsis */
	uint32_t code;

	for (unsigned int i = 0; i < 64 && *text && area.x < end; i++) {
		char letter[UTF8_MAX_BYTES + 1];
		const size_t bytes = utf8_decode(text, &code);

		memcpy(letter, text, bytes);
		letter[bytes] = '\0';
		text += bytes;
		area.width = canvas_text_width(canvas, letter);
		if (result->matched >> i & 1 && area.width)
			canvas_set_role(canvas, area, ROLE_MATCH);
		area.x += area.width;
	}
}

static void draw_result(struct canvas *canvas, struct canvas_area line,
			const struct target_result *result, bool is_cursor)
{
	const enum role plain = result->is_able ? ROLE_BOX : ROLE_BOX_DIM;
	const enum role role = is_cursor ? ROLE_BOX_CURSOR : plain;
	const int name_x = line.x + CURSOR_CELLS + KIND_CELLS;
	const int room = line.x + line.width - 1 - name_x;
	const int name = canvas_text_width(canvas, result->shown);
	const int wanted = result->note[0] ? GAP + canvas_text_width(canvas, result->note) : 0;
	const int note = smaller(wanted, larger(room - name, room / NOTE_SHARE));
	struct canvas_area area = { line.x, line.y, CURSOR_CELLS };

	canvas_set_role(canvas, line, role);
	if (is_cursor || !result->is_able)
		canvas_put_text(canvas, area, canvas_clean(is_cursor ? "\u25b8" : "!"), role);
	area = (struct canvas_area){ line.x + CURSOR_CELLS, line.y, KIND_CELLS - 1 };
	canvas_put_text(canvas, area, canvas_clean(kinds[result->kind]),
			is_cursor ? role : ROLE_BOX_DIM);
	area = (struct canvas_area){ name_x, line.y, room - note };
	canvas_put_text(canvas, area, canvas_clean(result->shown), role);
	mark_matched(canvas, area, result);
	if (!note)
		return;
	area = (struct canvas_area){ name_x + room - note + GAP, line.y, note - GAP };
	canvas_put_right(canvas, area, canvas_clean(result->note), is_cursor ? role : ROLE_BOX_DIM);
}

/* Where nothing is found: what could be typed. */
static void draw_nothing(const struct finder *finder, struct canvas *canvas)
{
	static const char *const lines[] = {
		"Nothing is called that. Words may stand in any order, letters may be left out.",
		"k: kr: u: ur: t: U: lat: as the first letters choose a kind,",
		"/usr/bin/perl:pp_ searches a file that nobody runs,",
		"file.c:42, func+8, func%return, u:FILE:FUNC are taken as typed.",
	};
	struct canvas_area line = { finder->x + 1 + CURSOR_CELLS, finder->y + 2,
				    finder->width - 2 - CURSOR_CELLS - 1 };

	if (!finder->reply || finder->reply->is_loading)
		return;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]) && i < finder_page(finder); i++) {
		canvas_put_text(canvas, line, canvas_clean(lines[i]), ROLE_BOX_DIM);
		line.y++;
	}
}

static void draw_chosen(const struct finder *finder, struct canvas *canvas)
{
	struct canvas_area line = { finder->x + 1 + CURSOR_CELLS, finder->y + finder->height - 2,
				    finder->width - 2 - CURSOR_CELLS - 1 };
	const struct target_result *result = &finder->reply->results[finder->cursor];

	canvas_put_text(canvas, line, canvas_clean(result->is_able ? result->spec : result->note),
			ROLE_BOX_DIM);
}

void finder_draw(struct finder *finder, struct canvas *canvas, int top, int bottom)
{
	struct canvas_area line;

	if (!place_box(finder, canvas, top, bottom))
		return;
	scroll_to_cursor(finder);
	draw_frame(finder, canvas);
	draw_input(finder, canvas);
	if (!finder->reply || !finder->reply->count) {
		draw_nothing(finder, canvas);
		return;
	}
	line = (struct canvas_area){ finder->x + 1, finder->y + 2, finder->width - 2 };
	for (size_t i = 0; i < finder_page(finder); i++, line.y++)
		if (finder->top + i < finder->reply->count)
			draw_result(canvas, line, &finder->reply->results[finder->top + i],
				    finder->top + i == finder->cursor);
	draw_chosen(finder, canvas);
}
