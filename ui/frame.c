/* frame.c - see frame.h. */
#include "frame.h"

#include <stdio.h>

#include "command_list.h"
#include "ui/commands.h"
#include "ui/keys.h"
#include "widgets/group_panel.h"
#include "widgets/header.h"
#include "widgets/pager.h"
#include "widgets/pieces.h"

#define LABEL_GAP " \u00b7 "

static bool is_of_past(const struct command *command)
{
	return command->run == cmd_earlier || command->run == cmd_later ||
	       command->run == cmd_live;
}

static bool makes_or_changes_probes(const struct command *command)
{
	return command->run == cmd_probe || command->run == cmd_find_target ||
	       command->run == cmd_probe_toggle || command->run == cmd_probe_remove;
}

/* "back" leads nowhere from the first level, without rows there is none to open, and where there
 * can be no probe none is offered. */
static bool is_offered(const struct ui_state *state, const struct command *command, int max_rank)
{
	const bool is_of_probes = state->view->ops->place == IN_PROBES;
	struct snapshot_row row;

	if (!command->label || command->label_rank > max_rank ||
	    !keymap_key(state->keymap, command))
		return false;
	if (!(command->where & state->view->ops->place))
		return false;
	if (makes_or_changes_probes(command) && state_probe_refusal(state)[0])
		return false;
	if ((command->traits & COMMAND_NEEDS_ROWS) &&
	    (is_of_probes ? !state_probe(state) : !state_cursor_row(state, &row)))
		return false;
	if (command->run == cmd_pause && state->time.end_ns)
		return false;	/* "live" says it */
	if (is_of_past(command) && !state->time.end_ns)
		return false;
	return command->run != cmd_back || state->view->opener || state->search[0] ||
	       trail_leads_back(&state->trail) ||
	       (state_is_flame(state) && state->flame.zoom.count);
}

static int label_width(const struct ui_state *state, const struct canvas *canvas,
		       const struct command *command)
{
	char key[KEYS_NAME_BYTES];

	return canvas_text_width(canvas, keys_format(keymap_key(state->keymap, command), key)) +
	       1 + canvas_text_width(canvas, command->label);
}

static int labels_width(const struct ui_state *state, const struct canvas *canvas, int max_rank)
{
	int width = 0;

	for (size_t i = 0; i < command_count; i++)
		if (is_offered(state, &commands[i], max_rank))
			width += (width ? canvas_text_width(canvas, LABEL_GAP) : 0) +
				 label_width(state, canvas, &commands[i]);
	return width;
}

/* Returns the column behind it. */
static int put_label(struct ui_state *state, struct canvas *canvas, struct canvas_area area,
		     size_t number)
{
	const struct command *command = &commands[number];
	const int begin = area.x, end = area.x + area.width;
	char key[KEYS_NAME_BYTES];

	keys_format(keymap_key(state->keymap, command), key);
	area.x += canvas_put_text(canvas, area, canvas_clean(key), ROLE_KEY) + 1;
	area.width = end - area.x;
	area.x += canvas_put_text(canvas, area, canvas_clean(command->label), ROLE_TEXT);
	hits_add(&state->hits, (struct hit){ HIT_COMMAND, begin, area.y, area.x - begin, 1,
					     number });
	return area.x;
}

/* Draws "page N of M" for a page of text longer than the screen; returns the cells used. */
static int draw_position(const struct ui_state *state, struct canvas *canvas, int y)
{
	const struct pager *pager = (const struct pager *)state->view;
	char text[48];
	int pages, page, width;

	if (!state_is_page(state) || pager->page <= 0 || pager->height <= pager->page)
		return 0;
	pages = (pager->height + pager->page - 1) / pager->page;
	page = pager->top + pager->page >= pager->height ? pages : pager->top / pager->page + 1;
	snprintf(text, sizeof(text), "page %d of %d", page, pages);
	width = canvas_text_width(canvas, text);
	canvas_put_text(canvas, (struct canvas_area){ canvas->width - 1 - width, y, width },
			canvas_clean(text), ROLE_DIM);
	return width + 2;
}

static void draw_labels(struct ui_state *state, struct canvas *canvas, int y)
{
	struct canvas_area area = { 1, y, canvas->width - 2 - draw_position(state, canvas, y) };
	const int end = area.x + area.width;
	int max_rank = 1;

	for (size_t i = 0; i < command_count; i++)
		if (commands[i].label_rank > max_rank)
			max_rank = commands[i].label_rank;
	while (max_rank > 1 && labels_width(state, canvas, max_rank) > area.width)
		max_rank--;

	for (size_t i = 0; i < command_count; i++) {
		if (!is_offered(state, &commands[i], max_rank))
			continue;
		if (area.x > 1)
			area.x += canvas_put_text(canvas, area, SAFE_TEXT(LABEL_GAP), ROLE_DIM);
		area.width = end - area.x;
		area.x = put_label(state, canvas, area, i);
		area.width = end - area.x;
	}
}

#define HINTS 6

/* Draws the keys of the prompt, menu or panel in front. */
static void draw_hints(struct canvas *canvas, int y, const char *const hints[HINTS])
{
	struct pieces line = { .gap = LABEL_GAP };

	for (int i = 0; i < HINTS && hints[i]; i++)
		pieces_add(&line, i, ROLE_TEXT, "%s", hints[i]);
	pieces_fit(canvas, &line, canvas->width - 2);
	pieces_put(canvas, (struct canvas_area){ 1, y, canvas->width - 2 }, &line);
}

/* What the key under the cursor is comes first, where the panel has no room for it. */
static void draw_group_hints(const struct ui_state *state, struct canvas *canvas, int y)
{
	static const char *const keys[] = { "Space in or out", "Esc close", "< > move", "1-8 level",
					    "r reset" };
	const char *help = group_panel_help(state, canvas->width);
	const char *hints[HINTS] = { help };
	int count = help ? 1 : 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]) && count < HINTS; i++)
		hints[count++] = keys[i];
	draw_hints(canvas, y, hints);
}

static void draw_panel_hints(const struct ui_state *state, struct canvas *canvas, int y)
{
	char texts[PANEL_HINTS][PANEL_HINT_BYTES];
	const int count = probe_panel_hints(&state->panel, texts);
	const char *hints[HINTS] = { NULL };

	for (int i = 0; i < count; i++)
		hints[i] = texts[i];
	draw_hints(canvas, y, hints);
}

static void draw_bottom(struct ui_state *state, struct canvas *canvas)
{
	/* The keys are in the finder's frame. */
	static const char *const finder[HINTS] = { "u: k: functions", "t: tracepoints",
						   "U: marks", "/FILE: of a file",
						   "file.c:42" };
	const int y = canvas->height - 1;

	if (state->prompt.is_open)
		prompt_draw(&state->prompt, canvas, y);
	else if (state->panel.is_open && !state->message[0])
		draw_panel_hints(state, canvas, y);
	else if (state->finder.is_open && !state->message[0])
		draw_hints(canvas, y, finder);
	else if (state->group_panel.is_open && !state->message[0])
		draw_group_hints(state, canvas, y);
	else if (state->message[0])
		canvas_put_text(canvas, (struct canvas_area){ 1, y, canvas->width - 2 },
				canvas_clean(state->message), ROLE_STATE);
	else
		draw_labels(state, canvas, y);
}

static void draw_too_small(struct canvas *canvas)
{
	const struct canvas_area line = { 0, canvas->height / 2, canvas->width };
	char text[64];

	snprintf(text, sizeof(text), "%dx%d: flametop needs %dx%d", canvas->width, canvas->height,
		 FRAME_MIN_WIDTH, FRAME_MIN_HEIGHT);
	if (canvas_text_width(canvas, text) > canvas->width)
		snprintf(text, sizeof(text), "needs %dx%d", FRAME_MIN_WIDTH, FRAME_MIN_HEIGHT);
	canvas_put_text(canvas, line, canvas_clean(text), ROLE_TEXT);
}

void frame_draw(struct ui_state *state, struct canvas *canvas)
{
	const int heat = header_heat_lines(canvas->width, canvas->height);
	const int top = header_lines(canvas->width, canvas->height) +
			(state->wants_heat ? heat : 0);

	canvas_clear(canvas);
	state->heat_room = heat;
	state->screen_width = canvas->width;
	state->strip.width = state->heat.width = 0;
	state->hits.count = 0;
	if (canvas->width < FRAME_MIN_WIDTH || canvas->height < FRAME_MIN_HEIGHT) {
		draw_too_small(canvas);
		return;
	}
	header_draw(state, canvas);
	state->view->ops->draw(state->view, state, canvas, top, canvas->height - top - 1);
	draw_bottom(state, canvas);
	if (state->finder.is_open)
		finder_draw(&state->finder, canvas, top, canvas->height - 1);
	if (state->panel.is_open)
		probe_panel_draw(&state->panel, canvas, top, canvas->height - 1);
	if (state->group_panel.is_open)
		group_panel_draw(state, canvas, top, canvas->height - 1);
	if (state->menu.is_open)
		menu_draw(&state->menu, canvas, top, canvas->height - 1);
}
