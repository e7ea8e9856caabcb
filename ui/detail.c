/* detail.c - see ui/detail.h. One line is the name and what has room behind it. Of three the last
 * is what else there is to say, the one above it the name, and the first its beginning where it is
 * long: so they lie together at the bottom, and what is said in each stays there. */
#include "ui/detail.h"

#include <stdio.h>
#include <string.h>

#include "ui/search.h"
#include "ui/utf8.h"

#define ONE_LINE_HEIGHT	   20	/* of the screen: below it each row counts */
#define THREE_LINES_HEIGHT 30
#define MARK		   "\u25b8 "	/* as at the row */
#define GAP		   " \u00b7 "
#define MORE_CELLS	   12	/* less is not worth a cut path */
#define MORE_TEXTS	   4
#define LINE_BYTES	   4096

/* What is said of a row. */
struct detail {
	const char *text;		/* never cut before the others are */
	const char *more[MORE_TEXTS];	/* "": nothing */
};

/* Commands and CPUs have nothing that their row does not show. */
static bool has_detail(enum view_kind kind)
{
	return kind == VIEW_SYMBOLS || kind == VIEW_OBJECTS || kind == VIEW_TASKS ||
	       kind == VIEW_TREE || kind == VIEW_GROUPS;
}

int detail_lines(const struct ui_state *state, int height)
{
	if (!has_detail(state->shown_kind) || height < ONE_LINE_HEIGHT)
		return 0;
	return height < THREE_LINES_HEIGHT ? 1 : 3;
}

static const char *state_text(const struct snapshot_row *row)
{
	switch (row->state) {
	case SYMBOL_LOADING:	return "its names are being read";
	case SYMBOL_UNKNOWN:	return "no symbol covers this address";
	case SYMBOL_UNREADABLE: return row->reason;
	case SYMBOL_NAMED:	break;
	}
	return row->is_synthetic ? "no symbol: named by its address" : "";
}

static const char *source_text(const struct snapshot_row *row)
{
	return row->source[0] ? row->source : row->source_reason;
}

static struct detail describe(const struct snapshot_row *row)
{
	if (row->command_line[0])
		return (struct detail){ row->command_line, { "", "", "", "" } };
	if (row->symbol[0])
		return (struct detail){ row->symbol, { source_text(row), state_text(row),
						       row->object_path, "" } };
	if (row->object_path[0])
		return (struct detail){ row->object_path, { state_text(row), row->reason,
							    row->build_id, "" } };
	return (struct detail){ row->comm, { "", "", "", "" } };
}

/* Of a group its name whole, what it is, and where its code is. */
static struct detail describe_group(const struct ui_state *state)
{
	const struct tree_rows *rows = &state->groups_view.rows;
	const struct group_node *node = tree_rows_group(rows, tree_rows_cursor(rows)->first);
	const bool has_path = strcmp(node->object_path, node->text) != 0;

	return (struct detail){
		node->text, { group_key_helps[rows->groups->keys[node->depth]],
			      has_path ? node->object_path : "", "", "" },
	};
}

/* How many bytes of @text fit into @width cells. */
static size_t bytes_that_fit(const struct canvas *canvas, const char *text, int width)
{
	size_t used = 0, bytes;
	uint32_t code;

	while ((bytes = utf8_decode(text + used, &code)) > 0 && used + bytes < LINE_BYTES) {
		char letter[8];

		snprintf(letter, sizeof(letter), "%.*s", (int)bytes, text + used);
		width -= canvas_text_width(canvas, letter);
		if (width < 0)
			break;
		used += bytes;
	}
	return used;
}

/* The same, up to a comma if there is one near the end. */
static size_t bytes_of_line(const struct canvas *canvas, const char *text, int width)
{
	const size_t most = bytes_that_fit(canvas, text, width);

	for (size_t bytes = most; bytes > most / 2 && text[most]; bytes--)
		if (text[bytes - 1] == ' ' && text[bytes - 2] == ',')
			return bytes;
	return most;
}

static void put_mark(struct canvas *canvas, int y)
{
	canvas_put_text(canvas, (struct canvas_area){ 1, y, canvas->width - 2 }, MARK, ROLE_DIM);
}

/* On the second of two lines, and on the first what has no room there. */
static void put_text(struct canvas *canvas, struct canvas_area area, const char *text)
{
	const size_t bytes = bytes_of_line(canvas, text, area.width);
	char line[LINE_BYTES];

	put_mark(canvas, area.y + !text[bytes]);
	if (text[bytes]) {
		snprintf(line, sizeof(line), "%.*s", (int)bytes, text);
		canvas_put_text(canvas, area, line, ROLE_TEXT);
		text += bytes;
	}
	area.y++;
	canvas_put_text(canvas, area, text, ROLE_TEXT);
}

static void put_more(struct canvas *canvas, struct canvas_area area, const struct detail *detail,
		     const char *gap)
{
	for (size_t i = 0; i < MORE_TEXTS; i++) {
		int used;

		if (!detail->more[i][0] || area.width < MORE_CELLS)
			continue;
		used = canvas_put_text(canvas, area, gap, ROLE_DIM);
		area.x += used;
		area.width -= used;
		used = canvas_put_text(canvas, area, detail->more[i], ROLE_DIM);
		area.x += used;
		area.width -= used;
		gap = GAP;
	}
}

void detail_draw(const struct ui_state *state, struct canvas *canvas, int y, int lines)
{
	struct snapshot_row row;
	struct canvas_area area = { 1, y, canvas->width - 2 };
	struct detail detail;
	int used;

	if (!lines || !state_cursor_row(state, &row))
		return;
	detail = state->shown_kind == VIEW_GROUPS ? describe_group(state) : describe(&row);
	used = canvas_text_width(canvas, MARK);
	area.x += used;
	area.width -= used;
	if (lines == 1) {
		put_mark(canvas, y);
		used = canvas_put_text(canvas, area, detail.text, ROLE_TEXT);
		area.x += used;
		area.width -= used;
		put_more(canvas, area, &detail, GAP);
	} else {
		put_text(canvas, area, detail.text);
		area.y += 2;
		put_more(canvas, area, &detail, "");
	}
	for (int line = 0; line < lines; line++)
		search_highlight(canvas, (struct canvas_area){ 0, y + line, canvas->width },
				 state->search);
}
