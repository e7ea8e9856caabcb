/* probe_panel_draw.c - draws the panel's box.
 *
 *   ╭ probe hash_search in postgres ───────────────────────────╮
 *   │  what     (•) calls and latency  ( ) calls  ( ) returns  │
 *   │  ...                                                     │
 *   │           [ Attach ]  Count only   Dry run   Cancel      │
 *   ╰──────────────────────────────────────────────────────────╯
 *
 * Idea: a pen writes the lines one below the other and knows which of them are on the screen. It
 * goes through them twice: to count them and find the focus, then to draw.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "pieces.h"
#include "probe/probe_spec.h"
#include "probe_panel.h"
#include "term/text_lines.h"

#define MOST_CELLS  104
#define LABEL_CELLS 9
#define EDGE_CELLS  2		/* frame and a blank */
#define ITEM_GAP    2
#define LINE_BYTES  320

struct pen {
	struct probe_panel *panel;
	struct canvas *canvas;	/* its cells are left alone while measuring */
	bool is_drawing;
	int left, right;	/* columns for text; right is exclusive */
	int top, bottom;	/* lines of the screen within the frame; bottom is exclusive */
	int line, x;		/* present line of the panel; next column */
	int focus_line;
};

/* The cells from here to the end of the line; false: the line is not on the screen. */
static bool pen_area(const struct pen *pen, struct canvas_area *out)
{
	const int y = pen->top + pen->line - pen->panel->top;

	*out = (struct canvas_area){ pen->x, y, pen->right - pen->x };
	return pen->is_drawing && y >= pen->top && y < pen->bottom;
}

static void put(struct pen *pen, const char *text, enum role role)
{
	struct canvas_area area;

	if (pen_area(pen, &area))
		canvas_put_text(pen->canvas, area, canvas_clean(text), role);
	pen->x += canvas_text_width(pen->canvas, text);
}

static void begin_line(struct pen *pen, const char *label)
{
	pen->x = pen->left;
	put(pen, label, ROLE_BOX_DIM);
	pen->x = pen->left + LABEL_CELLS;
}

static void end_line(struct pen *pen)
{
	pen->line++;
	pen->x = pen->left + LABEL_CELLS;
}

static void note_place(struct pen *pen, const struct canvas_area *area, struct panel_item item)
{
	struct probe_panel *panel = pen->panel;

	if (panel->place_count == PANEL_ITEMS)
		return;
	panel->places[panel->place_count].item = item;
	panel->places[panel->place_count].x = area->x;
	panel->places[panel->place_count].y = area->y;
	panel->places[panel->place_count++].width = area->width;
}

/* Draws an item that can have the focus; wraps to the next line. */
static void put_item(struct pen *pen, struct panel_item item, const char *text, bool is_able)
{
	const bool is_focus = probe_panel_is_focus(pen->panel, item.part, item.index);
	const int width = canvas_text_width(pen->canvas, text);
	struct canvas_area area;

	if (pen->x > pen->left + LABEL_CELLS && pen->x + width > pen->right)
		end_line(pen);
	if (is_focus)
		pen->focus_line = pen->line;
	if (pen_area(pen, &area)) {
		area.width = width < area.width ? width : area.width;
		canvas_put_text(pen->canvas, area, canvas_clean(text), is_focus ? ROLE_BOX_CURSOR
							 : is_able ? ROLE_BOX : ROLE_BOX_DIM);
		if (is_able)
			note_place(pen, &area, item);
	}
	pen->x += width + ITEM_GAP;
}

static void put_radio(struct pen *pen, enum panel_part part, int index, bool is_on,
		      const char *label)
{
	char text[LINE_BYTES];

	snprintf(text, sizeof(text), "(%s) %s", is_on ? "\u2022" : " ", label);
	put_item(pen, (struct panel_item){ part, index }, text, true);
}

static void put_check(struct pen *pen, enum panel_part part, int index, bool is_on,
		      const char *label)
{
	char text[LINE_BYTES];

	snprintf(text, sizeof(text), "[%s] %s", is_on ? "x" : " ", label);
	put_item(pen, (struct panel_item){ part, index }, text, true);
}

static void put_text(struct pen *pen, const char *text, enum role role)
{
	const int width = pen->right - pen->left - LABEL_CELLS;
	struct canvas_area area = { pen->left + LABEL_CELLS, 0, width };
	const int lines = text_lines_count(pen->canvas, width, text);

	area.y = pen->top + pen->line - pen->panel->top;
	if (pen->is_drawing)
		text_lines_put_part(pen->canvas, area, pen->top, pen->bottom, text, role);
	pen->line += lines;
	pen->x = area.x;
}

static void put_what(struct pen *pen)
{
	const struct probe_panel *panel = pen->panel;
	static const struct {
		enum probe_edge edge;
		const char *label;
	} ways[] = {
		{ PROBE_LATENCY, "calls and latency" }, { PROBE_ENTRY, "calls only" },
		{ PROBE_RETURN, "returns" },
	};
	const bool is_mark = panel->spec.kind == PROBE_TRACEPOINT || panel->spec.kind == PROBE_USDT;
	char text[LINE_BYTES];

	begin_line(pen, "what");
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const char *label = ways[i].label;

		if (!(panel->edges & 1u << ways[i].edge))
			continue;
		if (is_mark)
			label = ways[i].edge == PROBE_LATENCY ? "time from one to the other"
							      : "hits";
		put_radio(pen, PANEL_WHAT, (int)ways[i].edge, panel->edge == ways[i].edge, label);
	}
	end_line(pen);
	if (panel->caution[0] && panel->edge == PROBE_ENTRY) {
		snprintf(text, sizeof(text), "latency asks for caution: %s", panel->caution);
		put_text(pen, text, ROLE_STATE);
	}
}

static void put_where(struct pen *pen)
{
	const struct probe_panel *panel = pen->panel;
	const bool is_of_file = panel->spec.kind == PROBE_USER || panel->spec.kind == PROBE_USDT;
	char text[PANEL_NAME_BYTES + 32];

	begin_line(pen, "where");
	if (panel->pid > 0) {
		snprintf(text, sizeof(text), "this process %d", (int)panel->pid);
		put_radio(pen, PANEL_WHERE, REACH_PROCESS, panel->reach == REACH_PROCESS, text);
	}
	snprintf(text, sizeof(text), is_of_file ? "every process of %s" : "whole system",
		 panel->dso);
	put_radio(pen, PANEL_WHERE, REACH_ALL, panel->reach == REACH_ALL, text);
	end_line(pen);
}

static const char *origin_word(enum probe_origin origin)
{
	return origin == ORIGIN_ABI ? " (a guess)" : "";
}

/* True if it is fetched with a type that the user typed. */
static bool is_retyped(const struct probe_panel *panel, const struct probe_fetch *fetch)
{
	const struct probe_argument *typed = probe_panel_typed(panel, fetch);

	return typed && typed->type[0];
}

/* Inside of a function variables move: a line or instruction shows where each is. */
static bool shows_location(const struct probe_panel *panel)
{
	return panel->spec.line || panel->spec.offset || panel->spec.pattern[0];
}

/* Formats a value as the user typed it, or as it is offered. */
static void format_value(const struct probe_panel *panel, const struct probe_fetch *fetch,
			 char out[LINE_BYTES])
{
	const struct probe_argument *typed = probe_panel_typed(panel, fetch);
	const char *name = probe_panel_is_returned(fetch) ? "return" : fetch->name;

	if (typed)
		probe_argument_write(typed, out, LINE_BYTES);
	if (!typed || !strcmp(out, typed->value))
		snprintf(out, LINE_BYTES, "%s%s%s%s%s%s", name, fetch->type[0] ? ": " : "",
			 fetch->type, shows_location(panel) ? " at " : "",
			 shows_location(panel) ? fetch->fetch : "", origin_word(fetch->origin));
}

static void put_extras(struct pen *pen)
{
	const struct probe_spec *spec = &pen->panel->spec;
	char text[LINE_BYTES];

	for (uint32_t i = 0; i < spec->argument_count; i++) {
		if (!probe_panel_is_extra(pen->panel, &spec->arguments[i]))
			continue;
		probe_argument_write(&spec->arguments[i], text, sizeof(text));
		put_item(pen, (struct panel_item){ PANEL_VALUE, -1 }, text, false);
	}
}

static void put_values(struct pen *pen)
{
	const struct probe_panel *panel = pen->panel;
	char text[LINE_BYTES];

	begin_line(pen, "show");
	put_check(pen, PANEL_STACKS, 0, panel->with_stacks, "callers");
	put_extras(pen);
	for (uint32_t i = 0; panel->has_reply && i < panel->reply.offered_count; i++) {
		const struct probe_fetch *fetch = &panel->reply.offered[i];

		if (probe_panel_has_value(panel, fetch)) {
			format_value(panel, fetch, text);
			put_check(pen, PANEL_VALUE, (int)i, panel->is_chosen[i], text);
		} else if (!fetch->fetch[0]) {
			snprintf(text, sizeof(text), "[-] %s: %s", fetch->name, fetch->reason);
			put_item(pen, (struct panel_item){ PANEL_VALUE, (int)i }, text, false);
		}
	}
	end_line(pen);
}

static void put_caps(struct pen *pen)
{
	const struct probe_panel *panel = pen->panel;
	char text[LINE_BYTES];

	if (!probe_panel_has_caps(panel))
		return;
	begin_line(pen, "cap");
	for (int i = 0; i < panel->cap_count; i++) {
		if (isinf(panel->caps_pct[i]))
			snprintf(text, sizeof(text), "none");
		else
			snprintf(text, sizeof(text), "%g %%", panel->caps_pct[i]);
		put_radio(pen, PANEL_CAP, i, panel->cap == i, text);
	}
	put_radio(pen, PANEL_CAP, panel->cap_count, panel->cap == panel->cap_count,
		  "bursts: 1 s in 10");
	end_line(pen);
}

/* Draws a line of input; with the focus its text has a cursor. */
static void put_input(struct pen *pen, const char *label, struct panel_item item,
		      const struct prompt *line, const char *hint)
{
	const bool is_focus = probe_panel_is_focus(pen->panel, item.part, item.index);
	struct canvas_area area;

	begin_line(pen, label);
	if (is_focus)
		pen->focus_line = pen->line;
	if (pen_area(pen, &area)) {
		note_place(pen, &area, item);
		if (is_focus)
			prompt_draw_text(line, pen->canvas, area);
		else if (line->text[0])
			canvas_put_text(pen->canvas, area, canvas_clean(line->text), ROLE_BOX);
		else
			canvas_put_text(pen->canvas, area, canvas_clean(hint), ROLE_BOX_DIM);
	}
	end_line(pen);
}

/* Draws keys and aggregates, which the panel keeps and does not change. */
static void put_groups(struct pen *pen)
{
	if (!pen->panel->groups[0])
		return;
	begin_line(pen, "groups");
	put_text(pen, pen->panel->groups + 1, ROLE_BOX);
}

static void put_filter(struct pen *pen)
{
	put_input(pen, "filter", (struct panel_item){ PANEL_FILTER, 0 }, &pen->panel->filter,
		  "none; as in: lat > 5ms and comm == nginx");
	if (pen->panel->filter_why[0])
		put_text(pen, pen->panel->filter_why, ROLE_LOSS);
}

static void format_verdict(const struct probe_reply *reply, char *out)
{
	static const char *const words[] = {
		[VERDICT_OK] = "ok", [VERDICT_COSTLY] = "costly", [VERDICT_ASKS] = "caution",
		[VERDICT_REFUSED] = "refused", [VERDICT_UNABLE] = "not possible here",
	};
	char cost[FORMAT_BYTES + 16] = "", latency[FORMAT_BYTES];

	if (reply->why.err) {
		snprintf(out, LINE_BYTES, "%s", reply->why.text);
		return;
	}
	if (reply->cost_ns > 0 && reply->verdict < VERDICT_REFUSED)
		snprintf(cost, sizeof(cost), " \u00b7 about %s a hit",
			 format_latency(latency, (uint64_t)reply->cost_ns));
	snprintf(out, LINE_BYTES, "%s%s%s%s%s%s", words[reply->verdict],
		 reply->reason[0] ? ": " : "", reply->reason,
		 reply->point[0] ? " \u00b7 " : "", reply->point, cost);
}

static void put_rate(struct pen *pen)
{
	const struct probe_reply *reply = &pen->panel->reply;
	const bool is_over = probe_panel_is_over_cap(pen->panel);
	char text[LINE_BYTES], rate[FORMAT_BYTES];

	if (reply->why.err || reply->verdict >= VERDICT_REFUSED)
		return;
	if (!reply->has_rate) {
		put_text(pen, reply->is_done ? "how often it is called is not known"
					      : "counting its calls\u2026", ROLE_BOX_DIM);
		return;
	}
	snprintf(text, sizeof(text), "counted %s calls/s%s \u2192 about %.1f %% of one CPU%s",
		 format_count(rate, (uint64_t)(reply->hits_per_s + 0.5)),
		 reply->is_rate_of_all ? " of all processes" : "", reply->cost_pct,
		 is_over ? ": over its cap" : "");
	put_text(pen, text, is_over ? ROLE_LOSS : ROLE_BOX);
}

static void put_spread(struct pen *pen)
{
	const struct probe_reply *reply = &pen->panel->reply;
	char text[LINE_BYTES];

	if (reply->functions > 1 || reply->sites > 1) {
		snprintf(text, sizeof(text), "%" PRIu32 " function%s, %" PRIu32 " breakpoints",
			 reply->functions, reply->functions == 1 ? "" : "s", reply->sites);
		put_text(pen, text, ROLE_BOX);
	}
	if (reply->other_processes) {
		snprintf(text, sizeof(text), "%" PRIu32 " other process%s of the file will trap, "
			 "too", reply->other_processes,
			 reply->other_processes == 1 ? "" : "es");
		put_text(pen, text, ROLE_STATE);
	}
}

static void put_verdict(struct pen *pen)
{
	const struct probe_panel *panel = pen->panel;
	char text[LINE_BYTES];
	bool is_bad;

	begin_line(pen, "verdict");
	if (!panel->has_reply) {
		put_text(pen, panel->is_attaching ? "attaches as soon as the verdict is there\u2026"
						  : "looking at it\u2026", ROLE_BOX_DIM);
		return;
	}
	is_bad = panel->reply.why.err || panel->reply.verdict >= VERDICT_ASKS;
	format_verdict(&panel->reply, text);
	put_text(pen, text, is_bad ? ROLE_LOSS : panel->is_stale ? ROLE_BOX_DIM : ROLE_BOX);
	put_spread(pen);
	put_rate(pen);
	if (panel->is_attaching)
		put_text(pen, "attaches as soon as the verdict is there\u2026", ROLE_STATE);
}

static void put_confirm(struct pen *pen)
{
	const struct probe_panel *panel = pen->panel;
	char text[LINE_BYTES];

	if (!panel->has_reply || !panel->reply.must_type)
		return;
	snprintf(text, sizeof(text), "%s, and for the whole system: to insist type %s",
		 panel->reply.has_rate ? "hot" : "not counted", probe_panel_word(panel));
	begin_line(pen, "confirm");
	put_text(pen, text, ROLE_LOSS);
	put_input(pen, "", (struct panel_item){ PANEL_CONFIRM, 0 }, &panel->confirm, "\u2026");
}

/* Quotes text as one word of a shell. */
static void quote_for_shell(const char *text, char *out, size_t room)
{
	size_t used = (size_t)snprintf(out, room, "'");

	for (; *text && used < room; text++)
		used += (size_t)snprintf(out + used, room - used, *text == '\'' ? "'\\''" : "%c",
					 *text);
	if (used < room)
		snprintf(out + used, room - used, "'");
}

/* Draws what would be done, in the syntax of perf probe and the kernel. */
static void put_plan(struct pen *pen)
{
	const struct probe_panel *panel = pen->panel;
	char text[TEXT_LINES_BYTES] = "--probe ";
	struct probe_choice choice;

	if (!panel->shows_plan)
		return;
	probe_panel_choice(panel, false, &choice, NULL);
	begin_line(pen, "dry run");
	quote_for_shell(choice.spec.text, text + strlen(text), sizeof(text) - strlen(text));
	put_text(pen, text, ROLE_BOX);
	for (uint32_t i = 0; panel->has_reply && i < panel->reply.offered_count; i++) {
		const struct probe_fetch *fetch = &panel->reply.offered[i];

		if (!panel->is_chosen[i] || !probe_panel_has_value(panel, fetch) ||
		    is_retyped(panel, fetch))
			continue;
		snprintf(text, sizeof(text), "%s = %s",
			 probe_panel_is_returned(fetch) ? "return" : fetch->name, fetch->fetch);
		put_text(pen, text, ROLE_BOX_DIM);
	}
}

static void put_buttons(struct pen *pen)
{
	static const char *const labels[BUTTONS] = {
		[BUTTON_ATTACH] = "[ Attach ]", [BUTTON_COUNT] = "[ Count only ]",
		[BUTTON_DRY_RUN] = "[ Dry run ]", [BUTTON_CANCEL] = "[ Cancel ]",
	};
	const struct probe_reply *reply = &pen->panel->reply;
	const bool is_able = !pen->panel->has_reply ||
			     (!reply->why.err && reply->verdict < VERDICT_REFUSED);

	pen->x = pen->left + LABEL_CELLS;
	for (int i = 0; i < BUTTONS; i++)
		put_item(pen, (struct panel_item){ PANEL_BUTTON, i }, labels[i],
			 is_able || i == BUTTON_DRY_RUN || i == BUTTON_CANCEL);
	end_line(pen);
}

static void put_panel(struct pen *pen)
{
	pen->line = 0;
	put_what(pen);
	put_where(pen);
	put_values(pen);
	put_caps(pen);
	put_filter(pen);
	put_groups(pen);
	put_verdict(pen);
	put_confirm(pen);
	put_plan(pen);
	put_buttons(pen);
}

static void draw_title(const struct probe_panel *panel, struct canvas *canvas, int x, int y,
		       int width)
{
	const struct canvas_area area = { x + 1, y, width - 2 };
	char text[2 * PANEL_NAME_BYTES + 16];

	snprintf(text, sizeof(text), " probe %s in %s ", panel->name, panel->dso);
	canvas_put_text(canvas, area, canvas_clean(text), ROLE_BOX);
}

/* Scrolls so that the line with the focus is on the screen. */
static void choose_top(struct probe_panel *panel, const struct pen *pen, int page)
{
	const int last = pen->line > page ? pen->line - page : 0;

	if (pen->focus_line < panel->top)
		panel->top = pen->focus_line;
	if (pen->focus_line >= panel->top + page)
		panel->top = pen->focus_line - page + 1;
	panel->top = panel->top > last ? last : panel->top;
}

static void draw_panel(struct ui_state *state, struct canvas *canvas, int top, int bottom)
{
	struct probe_panel *panel = probe_panel_of(state);
	const int width = canvas->width < MOST_CELLS ? canvas->width : MOST_CELLS;
	const int x = (canvas->width - width) / 2;
	struct pen pen = {
		.panel = panel, .canvas = canvas, .left = x + EDGE_CELLS,
		.right = x + width - EDGE_CELLS,
	};
	int height;

	panel->place_count = 0;
	put_panel(&pen);
	height = pen.line + 2 < bottom - top ? pen.line + 2 : bottom - top;
	if (height < 3)
		return;
	choose_top(panel, &pen, height - 2);
	top += (bottom - top - height) / 2;
	canvas_put_box(canvas, x, top, width, height, ROLE_BOX_DIM);
	for (int y = top + 1; y < top + height - 1; y++)
		canvas_set_role(canvas, (struct canvas_area){ x + 1, y, width - 2 }, ROLE_BOX);
	draw_title(panel, canvas, x, top, width);
	pen.is_drawing = true;
	pen.top = top + 1;
	pen.bottom = top + height - 1;
	put_panel(&pen);
}

static void draw_keys(struct ui_state *state, struct canvas *canvas, int y)
{
	char texts[PANEL_HINTS][PANEL_HINT_BYTES];
	const int count = probe_panel_hints(probe_panel_of(state), texts);
	const char *keys[PANEL_HINTS];

	for (int i = 0; i < count; i++)
		keys[i] = texts[i];
	pieces_draw_keys(canvas, y, keys, count);
}

static bool takes_text(const struct ui_state *state)
{
	return probe_panel_takes_text(probe_panel_of(state));
}

static bool is_panel_open(const struct ui_state *state)
{
	return probe_panel_of(state)->is_open;
}

const struct overlay_ops probe_panel_ops = {
	.bytes = sizeof(struct probe_panel),
	.is_open = is_panel_open,
	.press = probe_panel_press,
	.click = probe_panel_click,
	.takes_text = takes_text,
	.replied = probe_panel_replied,
	.draw = draw_panel,
	.draw_keys = draw_keys,
};
