/* frame.c - see frame.h. */
#include "frame.h"

#include <stdio.h>

#include "command_list.h"
#include "overlays.h"
#include "ui/keymap.h"
#include "term/keys.h"
#include "widgets/counter_line.h"
#include "widgets/header.h"

#define LABEL_GAP " \u00b7 "

/* True if the bottom line offers the command: "back" leads nowhere from the first level, without
 * rows there is none to open, and where there can be no probe none is offered. */
static bool is_offered(const struct ui_state *state, const struct command *command, int max_rank)
{
	const bool is_of_probes = state->view->ops->cursor_probe;
	struct snapshot_row row;

	if (!command->label || command->label_rank > max_rank ||
	    !keymap_key(state->keymap, command))
		return false;
	if (!(command->where & state->view->ops->place))
		return false;
	if ((command->traits & COMMAND_PROBES) && state_probe_refusal(state)[0])
		return false;
	if ((command->traits & COMMAND_NEEDS_ROWS) &&
	    (is_of_probes ? !state_probe(state) : !state_cursor_row(state, &row)))
		return false;
	if (command->action.run == cmd_listing &&
	    (is_of_probes || (state_cursor_row(state, &row) && !row.symbol[0])))
		return false;	/* no function, or other keys are of more use */
	if (command->traits & (state->query.time.end_ns ? COMMAND_OF_NOW : COMMAND_OF_PAST))
		return false;
	return command->action.run != cmd_back || command_leads_back(state);
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

	for (size_t i = 0; i < state->keymap->count; i++)
		if (is_offered(state, &state->keymap->commands[i], max_rank))
			width += (width ? canvas_text_width(canvas, LABEL_GAP) : 0) +
				 label_width(state, canvas, &state->keymap->commands[i]);
	return width;
}

/* Draws the key and the label of a command; returns the column after them. */
static int put_label(struct ui_state *state, struct canvas *canvas, struct canvas_area area,
		     size_t number)
{
	const struct command *command = &state->keymap->commands[number];
	const int begin = area.x, end = area.x + area.width;
	char key[KEYS_NAME_BYTES];

	keys_format(keymap_key(state->keymap, command), key);
	area.x += canvas_put_text(canvas, area, canvas_clean(key), ROLE_KEY) + 1;
	area.width = end - area.x;
	area.x += canvas_put_text(canvas, area, canvas_clean(command->label), ROLE_TEXT);
	hits_add(&state->display.hits, (struct hit){ HIT_COMMAND, begin, area.y, area.x - begin, 1,
					     number });
	return area.x;
}

/* Draws "page N of M" for a page of text longer than the screen; returns the cells used. */
static int draw_position(const struct ui_state *state, struct canvas *canvas, int y)
{
	const struct view_ops *ops = state->view->ops;
	char text[48];
	int pages, page, width;

	if (!ops->position || !ops->position(state->view, &page, &pages))
		return 0;
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

	for (size_t i = 0; i < state->keymap->count; i++)
		if (state->keymap->commands[i].label_rank > max_rank)
			max_rank = state->keymap->commands[i].label_rank;
	while (max_rank > 1 && labels_width(state, canvas, max_rank) > area.width)
		max_rank--;

	for (size_t i = 0; i < state->keymap->count; i++) {
		if (!is_offered(state, &state->keymap->commands[i], max_rank))
			continue;
		if (area.x > 1)
			area.x += canvas_put_text(canvas, area, SAFE_TEXT(LABEL_GAP), ROLE_DIM);
		area.width = end - area.x;
		area.x = put_label(state, canvas, area, i);
		area.width = end - area.x;
	}
}

static void draw_bottom(struct ui_state *state, struct canvas *canvas)
{
	const int y = canvas->height - 1;

	if (overlays_draw_keys(state, canvas, y))
		return;
	if (state->message[0])
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
			(state->query.wants_heat ? heat : 0) +
			counter_line_height(state, canvas->height);

	canvas_clear(canvas);
	state->display.heat_room = heat;
	state->display.width = canvas->width;
	state->display.height = canvas->height;
	state->display.activity.width = state->display.heat.width = 0;
	state->display.hits.count = 0;
	if (canvas->width < FRAME_MIN_WIDTH || canvas->height < FRAME_MIN_HEIGHT) {
		draw_too_small(canvas);
		return;
	}
	header_draw(state, canvas);
	state->view->ops->draw(state->view, state, canvas, top, canvas->height - top - 1);
	draw_bottom(state, canvas);
	overlays_draw(state, canvas, top, canvas->height - 1);
}
