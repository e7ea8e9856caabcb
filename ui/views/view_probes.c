/* view_probes.c - see view_probes.h. */
#include "view_probes.h"

#include <stdio.h>

#include "command_line.h"
#include "term/text_lines.h"
#include "widgets/format.h"
#include "widgets/pieces.h"
#include "widgets/probe_columns.h"
#include "widgets/search.h"

#define MARKER_CELLS	 2
#define DETAIL_HEIGHT	 16	/* a screen of so many lines has room for one of detail */
#define DETAIL_GAP	 " \u00b7 "

const struct snapshot_probe *probes_view_get(const struct probes_view *view, uint32_t id)
{
	return snapshot_probes_find(view->probes, id);
}

/* Returns the probe under the cursor, or NULL. BORROWED until the next refresh. */
static const struct snapshot_probe *probes_view_cursor(const struct probes_view *view)
{
	if (!view->probes || view->place.cursor >= view->probes->count)
		return NULL;
	return &view->probes->list[view->place.cursor];
}

static struct table_extent extent_of(const struct probes_view *view)
{
	return (struct table_extent){ view->probes ? view->probes->count : 0, view->page };
}

/* Records the id of the probe under the cursor, which the cursor follows. */
static void keep_id(struct probes_view *view)
{
	const struct snapshot_probe *probe = probes_view_cursor(view);

	if (probe)
		view->place.cursor_id = probe->id;
}

static void probes_view_select(struct probes_view *view, size_t index)
{
	table_place_set(&view->place, extent_of(view), index);
	keep_id(view);
}

static void refresh_probes(struct view *view, const struct ui_state *state)
{
	struct probes_view *probes = (struct probes_view *)view;
	const struct snapshot_probe *found;

	probes->probes = state->shown ? &state->shown->probes : NULL;
	found = probes_view_get(probes, (uint32_t)probes->place.cursor_id);
	probes_view_select(probes, found ? (size_t)(found - probes->probes->list)
					 : probes->place.cursor);
	probes->probe.view.ops->refresh(&probes->probe.view, state);
}

static void restore_list(struct view *view, const struct table_place *place)
{
	struct probes_view *probes = (struct probes_view *)view;
	const struct snapshot_probe *found = probes_view_get(probes, (uint32_t)place->cursor_id);

	probes->place = *place;
	table_place_carry(&probes->place, extent_of(probes),
			  found ? (size_t)(found - probes->probes->list) : place->cursor);
	keep_id(probes);
}

static void move_probes(struct view *view, enum view_move move)
{
	struct probes_view *probes = (struct probes_view *)view;

	table_place_move(&probes->place, extent_of(probes), move);
	keep_id(probes);
}

static void scroll_list(struct view *view, int lines)
{
	struct probes_view *probes = (struct probes_view *)view;

	table_place_scroll(&probes->place, extent_of(probes), lines);
	keep_id(probes);
}

static bool probe_matches(const struct snapshot_probe *probe, const char *search)
{
	return search_matches(search, probe->name) || search_matches(search, probe->dso) ||
	       search_matches(search, probe->scope) || search_matches(search, probe->spec);
}

/* A search wraps around; as text is typed it begins at the cursor. */
static bool find_in_list(struct view *view, const struct ui_state *state, const char *text,
			 int step)
{
	struct probes_view *probes = (struct probes_view *)view;
	const size_t count = text[0] && probes->probes ? probes->probes->count : 0;
	const size_t each = step < 0 ? count - 1 : 1;
	size_t at = probes->place.cursor + (step < 0 ? count - 1 : (size_t)step);

	(void)state;
	for (size_t i = 0; i < count; i++, at += each) {
		if (!probe_matches(&probes->probes->list[at % count], text))
			continue;
		probes_view_select(probes, at % count);
		return true;
	}
	return false;
}

static void draw_titles(const struct probe_layout *layout, struct canvas *canvas, int y)
{
	for (int id = 0; id < PROBE_COL_COUNT; id++) {
		const struct canvas_area area = { layout->places[id].x, y,
						  layout->places[id].width };

		if (probe_list_columns[id].align == ALIGN_RIGHT)
			canvas_put_right(canvas, area, canvas_clean(probe_list_columns[id].title),
					 ROLE_HEADING);
		else
			canvas_put_text(canvas, area, canvas_clean(probe_list_columns[id].title),
					ROLE_HEADING);
	}
}

/* Draws a refused or failed probe: it has no stats, so its reason takes their place. */
static void draw_dead(const struct probe_layout *layout, const struct snapshot_probe *probe,
		      struct canvas *canvas, int y)
{
	struct canvas_area area = { layout->places[PROBE_COL_NAME].x, y, 0 };
	struct pieces line = { .gap = " " };

	area.width = canvas->width - area.x - 1;
	pieces_add(&line, 1, ROLE_TEXT, "%s", probe_plain_name(probe));
	pieces_add(&line, 1, ROLE_DIM, "%s", probe->dso);
	pieces_add(&line, 1, ROLE_LOSS, "%s:", probe_state_word(probe->state));
	pieces_add(&line, 1, ROLE_TEXT, "%s", probe->reason);
	pieces_put(canvas, area, &line);
}

static void draw_row(const struct probe_layout *layout, const struct snapshot_probe *probe,
		     struct canvas *canvas, int y)
{
	const bool is_dead = probe_state_is_dead(probe->state);

	for (int id = 0; id < PROBE_COL_COUNT; id++)
		if (layout->places[id].width && (!is_dead || id < PROBE_COL_NAME))
			probe_list_columns[id].put(canvas,
					      (struct canvas_area){ layout->places[id].x, y,
								    layout->places[id].width },
					      probe);
	if (is_dead)
		draw_dead(layout, probe, canvas, y);
}

static void draw_rows(struct probes_view *view, const struct ui_state *state,
		      const struct probe_layout *layout, struct canvas *canvas, int y)
{
	for (size_t i = view->place.top;
	     i < view->probes->count && i < view->place.top + view->page; i++) {
		const int at = y + (int)(i - view->place.top);
		const struct canvas_area area = { 0, at, canvas->width };

		draw_row(layout, &view->probes->list[i], canvas, at);
		if (i == view->place.cursor)
			canvas_select_line(canvas, at);
		search_highlight(canvas, area, state->search);
	}
}

/* What helps with a state is a key away. */
static const char *remedy_of(const struct snapshot_probe *probe)
{
	switch (probe->state) {
	case PROBE_CAPPED:  return "Enter: bursts, a higher cap";
	case PROBE_EXPIRED: return "t switches it on again";
	case PROBE_REFUSED:
	case PROBE_FAILED:  return "d removes the row";
	case PROBE_ATTACHING:
	case PROBE_ATTACHED:
	case PROBE_IS_OFF:
	case PROBE_DETACHING:
	case PROBE_RECORDED:
	case PROBE_PAUSED:  break;
	}
	return "";
}

/* What is wrong first, then what it is. */
static void draw_detail(const struct snapshot_probe *probe, struct canvas *canvas, int y)
{
	struct pieces line = { .gap = DETAIL_GAP };
	char text[FORMAT_BYTES];

	if (probe->reason[0])
		pieces_add(&line, 1, probe_state_is_dead(probe->state) ? ROLE_LOSS : ROLE_STATE,
			   "%s", probe->reason);
	if (remedy_of(probe)[0])
		pieces_add(&line, 1, ROLE_TEXT, "%s", remedy_of(probe));
	pieces_add(&line, 2, ROLE_TEXT, "%s", probe->spec);
	if (probe->lost_since)
		pieces_add(&line, 2, ROLE_LOSS, "%s lost", format_count(text, probe->lost_since));
	if (probe->missed_since)
		pieces_add(&line, 2, ROLE_LOSS, "%s missed",
			   format_count(text, probe->missed_since));
	if (probe->unpaired)
		pieces_add(&line, 2, ROLE_LOSS, "%s unpaired",
			   format_count(text, probe->unpaired));
	pieces_add(&line, 3, ROLE_DIM, "%s", probe->scope);
	if (probe->in_flight)
		pieces_add(&line, 4, ROLE_DIM, "%s in flight",
			   format_count(text, probe->in_flight));
	if (probe->filtered)
		pieces_add(&line, 4, ROLE_DIM, "%s filtered",
			   format_count(text, probe->filtered));
	if (probe->state != PROBE_RECORDED)
		pieces_add(&line, 5, ROLE_DIM, "%s hits since it was added",
			   format_count(text, probe->hits_since));
	if (!probe->with_stacks)
		pieces_add(&line, 6, ROLE_DIM, "without stacks");
	if (probe->is_in_bursts)
		pieces_add(&line, 3, ROLE_STATE,
			   "in bursts: on 1 s in 10, its statistics are a sample");
	pieces_fit(canvas, &line, canvas->width - 4);
	canvas_put_text(canvas, (struct canvas_area){ 1, y, 1 }, SAFE_TEXT("\u25b8"), ROLE_DIM);
	pieces_put(canvas, (struct canvas_area){ 3, y, canvas->width - 4 }, &line);
}

/* What a probe is, for who has none; or why there can't be any. */
static void draw_empty(const struct ui_state *state, struct canvas *canvas, int y, int end)
{
	static const char *const lessons[] = {
		"No probe yet. A probe counts every single call of a function, or hit of a "
		"tracepoint, and times it: how often, how long, with which arguments, called by "
		"whom.",
		"p on a function in a table, the tree or the flame graph puts one there. Ctrl-P "
		"finds any function, tracepoint or USDT probe by its name.",
		"Each one says what it costs, is switched off above its cap, and goes when its "
		"lease ends. Nothing is left behind.",
	};

	if (!state->probe_control) {
		y = text_lines_draw(canvas, y, end, "No event of this recording is a tracepoint "
				    "or a probe whose fields are known.", ROLE_TEXT);
		text_lines_draw(canvas, y, end, "Only what runs can be probed: start flametop "
				"without -i.", ROLE_DIM);
		return;
	}
	if (state_probe_refusal(state)[0]) {
		y = text_lines_draw(canvas, y, end, "There can be no probes here:", ROLE_TEXT);
		text_lines_draw(canvas, y, end, state_probe_refusal(state), ROLE_STATE);
		return;
	}
	for (size_t i = 0; i < sizeof(lessons) / sizeof(lessons[0]); i++)
		y = text_lines_draw(canvas, y, end, lessons[i], i ? ROLE_DIM : ROLE_TEXT);
}

static void draw_probes(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
			int lines)
{
	struct probes_view *probes = (struct probes_view *)view;
	const int detail = canvas->height >= DETAIL_HEIGHT;
	struct probe_layout layout;

	probes->page = lines - detail > 1 ? (size_t)(lines - detail - 1) : 1;
	if (!probes->probes || !probes->probes->count) {
		draw_empty(state, canvas, top + 1, top + lines);
		return;
	}
	table_place_fit(&probes->place, extent_of(probes));
	probe_columns_fit(&layout, MARKER_CELLS, canvas->width - MARKER_CELLS - 1,
			  probes->probes, state_is_compared(state));
	draw_titles(&layout, canvas, top);
	draw_rows(probes, state, &layout, canvas, top + 1);
	hits_add(&state->display.hits, (struct hit){ HIT_ROWS, 0, top + 1, canvas->width,
					     (int)probes->page, probes->place.top });
	if (detail)
		draw_detail(probes_view_cursor(probes), canvas, top + lines - 1);
}

static struct view *view_of_level(struct view *view, const struct ui_state *state)
{
	return state_probe_here(state) ? &((struct probes_view *)view)->probe.view : view;
}

static void add_options(const struct ui_state *state, struct command_line *line)
{
	(void)state;
	command_line_note(line, "The probes follow the rows.");
}

static bool select_hit(struct view *view, const struct hit *hit, const struct mouse *mouse)
{
	struct probes_view *probes = (struct probes_view *)view;

	(void)mouse;
	if (!probes->probes || hit->number >= probes->probes->count)
		return false;
	probes_view_select(probes, hit->number);
	return true;
}

static struct table_place *place_of_list(struct view *view)
{
	return &((struct probes_view *)view)->place;
}

static const struct snapshot_probe *cursor_probe(const struct view *view,
						 const struct ui_state *state)
{
	(void)state;
	return probes_view_cursor((const struct probes_view *)view);
}

static void init_probes(struct view *view)
{
	probe_view_init(&((struct probes_view *)view)->probe);
}

const struct view_ops view_probes_ops = {
	.place = IN_PROBES,
	.open = "open-probe",
	.menu = "probe-menu",
	.bytes = sizeof(struct probes_view),
	.init = init_probes,
	.of_level = view_of_level,
	.refresh = refresh_probes,
	.draw = draw_probes,
	.add_options = add_options,
	.move = move_probes,
	.scroll = scroll_list,
	.select = select_hit,
	.place_of = place_of_list,
	.restore = restore_list,
	.cursor_probe = cursor_probe,
	.find = find_in_list,
	.add_help = probe_view_add_help,
};
