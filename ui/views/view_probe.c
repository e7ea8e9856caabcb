/* view_probe.c - see view_probe.h.
 *
 * Rejected: a view per pane. The panes have the same probe and the same keys, and users go to and
 * fro between them.
 */
#include "view_probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analyzer/request.h"
#include "state.h"
#include "term/text_lines.h"
#include "view_help.h"
#include "widgets/change.h"
#include "widgets/charts.h"
#include "widgets/format.h"
#include "widgets/header.h"
#include "widgets/hit_weight.h"
#include "widgets/pieces.h"
#include "widgets/probe_columns.h"
#include "widgets/probe_stats.h"

#define LEFT_X	    2
#define STACK_LINES 4		/* at least, for the stack of a slow call */
#define NARROW_WIDTH 100	/* on narrower screens the log of all probes has no CPU and TID */

const char *const probe_pane_names[PANE_COUNT] = {
	[PANE_LATENCY] = "Latency", [PANE_VALUES] = "Values", [PANE_SLOWEST] = "Slowest",
	[PANE_GROUPS] = "Groups", [PANE_LOG] = "Log",
};

static void forget_places(struct probe_view *view, uint32_t id)
{
	view->id = id;
	memset(view->top, 0, sizeof(view->top));
	view->slow_cursor = 0;
	view->slow_number = 0;
	view->groups = (struct group_table){ .page = view->groups.page };
	view->log = (struct probe_log){ .page = view->log.page };
	view->pane = id == PROBE_ALL ? PANE_LOG : view->wanted;
	view->is_chosen = id == PROBE_ALL;
}

/* True if the view shows, or showed last, the log of all probes. */
static bool probe_view_is_of_all(const struct probe_view *view)
{
	return view->id == PROBE_ALL;
}

static bool has_groups(const struct snapshot_probe *probe)
{
	return probe && (probe->key_count || probe->aggregate_count);
}

/* Returns the pane to open on. Groups were asked for with the probe. Without latencies two of the
 * panes stay empty. Whether a probe has values is known only once it is attached. */
static enum probe_pane first_pane(const struct snapshot_probe *probe, enum probe_pane wanted)
{
	const bool may_have_values = probe->value_count || probe->state == PROBE_ATTACHING ||
				     probe->state == PROBE_RECORDED;

	if (has_groups(probe))
		return PANE_GROUPS;
	if (wanted == PANE_GROUPS)
		wanted = PANE_LATENCY;
	if (probe->has_latency || (wanted != PANE_LATENCY && wanted != PANE_SLOWEST))
		return wanted;
	return may_have_values ? PANE_VALUES : PANE_LOG;
}

/* Moves the cursor to its hit, whose line changes with slower calls; stays if the hit is gone. */
static void follow_slow(struct probe_view *view)
{
	const struct snapshot_probes *of = &view->snapshot->probes;

	for (uint32_t i = 0; i < of->slowest_count; i++)
		if (of->slowest[i].number == view->slow_number)
			view->slow_cursor = i;
}

static void refresh_probe(struct view *view, const struct ui_state *state)
{
	struct probe_view *probe = (struct probe_view *)view;
	const uint32_t id = state_probe_here(state);
	const bool is_there = state->shown && state->shown_kind == VIEW_PROBES && id;

	if (id && id != probe->id)
		forget_places(probe, id);
	probe->snapshot = is_there && state->shown->probes.detail == id ? state->shown : NULL;
	probe->probe = snapshot_probes_find(probe->snapshot ? &probe->snapshot->probes : NULL,
					    probe->id);
	if (probe->probe && !probe->is_chosen)
		probe->pane = first_pane(probe->probe, probe->wanted);
	if (probe->probe && probe->slow_number)
		follow_slow(probe);
	probe->groups.until = probe->snapshot && probe->snapshot->is_frozen ? "its end" : "now";
	group_table_refresh(&probe->groups, probe->snapshot ? &probe->snapshot->probes : NULL,
			    probe->probe, state_hit_weight(state));
	probe->log.wall_offset_ns = state->display.wall_offset_ns;
	probe->log.is_narrow = state->display.width < NARROW_WIDTH;
	probe_log_refresh(&probe->log,
			  probe->probe || (probe->snapshot && probe_view_is_of_all(probe))
			  ? &probe->snapshot->probes : NULL);
}

void probe_view_show_pane(struct probe_view *view, enum probe_pane pane)
{
	view->pane = view->wanted = pane;
	view->is_chosen = true;
}

/* True if the pane is there; those that stay empty say why. */
static bool has_pane(const struct probe_view *view, int pane)
{
	return pane != PANE_GROUPS || has_groups(view->probe) || view->pane == PANE_GROUPS;
}

enum probe_pane probe_view_next_pane(const struct probe_view *view, int step)
{
	int pane = (int)view->pane;

	do
		pane = (pane + PANE_COUNT + step) % PANE_COUNT;
	while (!has_pane(view, pane));
	return (enum probe_pane)pane;
}

static void set_top(struct probe_view *view, int top)
{
	const int last = view->height > view->page ? view->height - view->page : 0;

	view->top[view->pane] = top > last ? last : top < 0 ? 0 : top;
}

/* Moves the cursor to line @index of the slowest calls or the log. */
static void probe_view_select(struct probe_view *view, size_t index)
{
	const size_t count = view->probe ? view->snapshot->probes.slowest_count : 0;

	if (view->pane == PANE_LOG)
		probe_log_select(&view->log, index);
	if (view->pane == PANE_GROUPS)
		group_table_select(&view->groups, index);
	if (view->pane != PANE_SLOWEST || !count)
		return;
	view->slow_cursor = index < count ? index : count - 1;
	view->slow_number = view->snapshot->probes.slowest[view->slow_cursor].number;
}

const struct snapshot_hit *probe_view_hit(const struct probe_view *view)
{
	const struct snapshot_probes *of = view->snapshot ? &view->snapshot->probes : NULL;

	if (of && view->pane == PANE_SLOWEST && view->slow_cursor < of->slowest_count)
		return &of->slowest[view->slow_cursor];
	return of && view->pane == PANE_LOG ? probe_log_cursor(&view->log) : NULL;
}

const struct snapshot_group *probe_view_group(const struct probe_view *view)
{
	return view->pane == PANE_GROUPS && view->snapshot ? group_table_cursor(&view->groups)
							   : NULL;
}

void probe_view_format_row(const struct probe_view *view, char *out, size_t room)
{
	char text[PROBE_LOG_TEXT];

	snprintf(out, room, "%s", view->probe ? view->probe->spec : "");
	if (probe_view_group(view))
		group_table_format(&view->groups, probe_view_group(view), out, room);
	else if (probe_view_hit(view)) {
		probe_log_format(&view->log, probe_view_hit(view), text);
		snprintf(out, room, "%s", text + strspn(text, " "));
	}
}

static void move_slow(struct probe_view *view, long lines)
{
	const size_t up = lines < 0 ? (size_t)-lines : 0;

	probe_view_select(view, up > view->slow_cursor
					? 0 : view->slow_cursor - up +
						      (lines > 0 ? (size_t)lines : 0));
}

/* Scrolls the pane; in the slowest calls and the log it moves the cursor. */
static void probe_view_scroll(struct probe_view *view, int lines)
{
	if (view->pane == PANE_LOG)
		probe_log_scroll(&view->log, lines);
	else if (view->pane == PANE_GROUPS)
		group_table_scroll(&view->groups, lines);
	else if (view->pane == PANE_SLOWEST)
		move_slow(view, lines);
	else
		set_top(view, view->top[view->pane] + lines);
}

/* Returns how many lines @move goes. */
static long move_lines(const struct probe_view *view, enum view_move move)
{
	const long page = view->page > 1 ? view->page - 1 : 1;
	const long all = PROBE_LOG_LINES;	/* more than any page has */

	switch (move) {
	case MOVE_UP:	     return -1;
	case MOVE_DOWN:	     return 1;
	case MOVE_PAGE_UP:   return -page;
	case MOVE_PAGE_DOWN: return page;
	case MOVE_HALF_UP:   return -(page + 1) / 2;
	case MOVE_HALF_DOWN: return (page + 1) / 2;
	case MOVE_FIRST:     return -all;
	case MOVE_LAST:	     break;
	}
	return all;
}

static void move_probe(struct view *view, enum view_move move)
{
	struct probe_view *probe = (struct probe_view *)view;

	if (probe->pane == PANE_GROUPS)
		group_table_move(&probe->groups, move);
	else
		probe_view_scroll(probe, (int)move_lines(probe, move));
}

static void add_rate_change(struct pieces *line, const struct snapshot_probe *probe)
{
	const double change = probe->hits_per_s - probe->base_hits_per_s;
	char text[FORMAT_BYTES];

	if (probe->base_hits_per_s < 0)
		pieces_add(line, 2, ROLE_MORE, "new");
	else
		pieces_add(line, 2, change_role(change), "(%s)",
			   change_format_per_s(text, change));
}

/* Draws the line about the probe that all panes have. */
static void draw_front(const struct snapshot_probe *probe, bool is_compared,
		       struct canvas *canvas, int y)
{
	struct pieces line = { .gap = "  " };
	char text[FORMAT_BYTES];

	pieces_add(&line, 1, probe_state_role(probe->state), "%s %s",
		   probe_mark(probe), probe_word(probe));
	pieces_add(&line, 1, ROLE_NAME, "%s", probe_plain_name(probe));
	pieces_add(&line, 3, ROLE_DIM, "%s", probe->dso);
	pieces_add(&line, 4, ROLE_DIM, "%s", probe->scope);
	if (probe->hits_per_s >= 0)
		pieces_add(&line, 2, ROLE_TEXT, "%s hits/s",
			   format_count(text, (uint64_t)(probe->hits_per_s + 0.5)));
	if (is_compared && probe->hits_per_s >= 0)
		add_rate_change(&line, probe);
	pieces_add(&line, 2, ROLE_TEXT, "%s hits", format_count(text, probe->hits));
	if (probe->lost_since)
		pieces_add(&line, 1, ROLE_LOSS, "%s lost", format_count(text, probe->lost_since));
	if (probe->missed_since)
		pieces_add(&line, 1, ROLE_LOSS, "%s missed",
			   format_count(text, probe->missed_since));
	if (probe->unpaired)
		pieces_add(&line, 1, ROLE_LOSS, "%s unpaired",
			   format_count(text, probe->unpaired));
	if (probe->in_flight)
		pieces_add(&line, 5, ROLE_DIM, "%s in flight",
			   format_count(text, probe->in_flight));
	if (probe->filtered)
		pieces_add(&line, 5, ROLE_DIM, "%s filtered",
			   format_count(text, probe->filtered));
	if (probe->lease_s >= 0)
		pieces_add(&line, 5, ROLE_DIM, "lease %s", format_lease(text, probe->lease_s));
	if (probe->state != PROBE_RECORDED)
		pieces_add(&line, 4, ROLE_DIM, "cost %.1f %%", probe->cost_pct);
	pieces_fit(canvas, &line, canvas->width - LEFT_X - 1);
	pieces_put(canvas, (struct canvas_area){ LEFT_X, y, canvas->width - LEFT_X - 1 }, &line);
}

/* "by lock, comm · weight: sum of latency (W)" */
static void draw_grouping(const struct probe_view *view, struct canvas *canvas,
			  struct canvas_area area)
{
	const struct snapshot_groups *groups = view->groups.groups;
	struct pieces line = { .gap = " \u00b7 " };
	char name[HIT_WEIGHT_BYTES], keys[PIECE_BYTES] = "";
	size_t used = 0;

	if (!groups)
		return;
	for (uint32_t i = 0; i < groups->key_count && used < sizeof(keys); i++)
		used += (size_t)snprintf(keys + used, sizeof(keys) - used, "%s%s",
					 i ? ", " : "by ", groups->key_names[i]);
	if (keys[0])
		pieces_add(&line, 2, ROLE_DIM, "%s", keys);
	pieces_add(&line, 1, ROLE_STATE, "weight: %s (W)",
		   hit_weight_name(name, view->probe, view->groups.weight));
	used = (size_t)pieces_fit(canvas, &line, area.width);
	if ((int)used < area.width) {
		area.x += area.width - (int)used;
		area.width = (int)used;
	}
	pieces_put(canvas, area, &line);
}

static void draw_panes(const struct probe_view *view, struct ui_state *state,
		       struct canvas *canvas, int y)
{
	static const char hint[] = "Left Right: page \u00b7 1-7: its hits";
	struct canvas_area area = { 1, y, canvas->width - 2 };
	char text[PROMPT_BYTES + 4];	/* also for the filter */

	for (int pane = 0; pane < PANE_COUNT; pane++) {
		const bool is_here = pane == (int)view->pane;
		int used;

		if (!has_pane(view, pane))
			continue;
		snprintf(text, sizeof(text), is_here ? "[%s]" : " %s ", probe_pane_names[pane]);
		used = canvas_put_text(canvas, area, canvas_clean(text),
				       is_here ? ROLE_TAB : ROLE_DIM);
		hits_add(&state->display.hits,
			 (struct hit){ HIT_PANE, area.x, y, used, 1, (size_t)pane });
		area.x += used + 1;
		area.width -= used + 1;
	}
	if (view->pane == PANE_LOG && view->log.filter[0]) {
		snprintf(text, sizeof(text), "\\ %s", view->log.filter);
		canvas_put_right(canvas, area, canvas_clean(text), ROLE_STATE);
	} else if (view->pane == PANE_GROUPS) {
		draw_grouping(view, canvas, area);
	} else if (area.width > canvas_text_width(canvas, hint)) {
		canvas_put_right(canvas, area, canvas_clean(hint), ROLE_DIM);
	}
}

/* Returns why there are no groups, in @out[@room]; "": there are some. */
static const char *why_no_groups(const struct probe_view *view, char *out, size_t room)
{
	const struct snapshot *shown = view->snapshot;
	char window[HEADER_WINDOW_BYTES];

	if (view->groups.count)
		return "";
	if (!has_groups(view->probe))
		return "It has neither keys nor aggregates: \"by KEY : AGGREGATE\" in the spec of "
		       "a new probe (p) adds some.";
	if (shown->is_frozen || shown->window != WINDOW_SECONDS)
		return "No hit in the window.";
	snprintf(out, room, "No hits in the %s.",
		 header_window_name(window, shown->window, shown->window_s, false));
	return out;
}

/* Returns why the pane has nothing to show; "": it has something. The text may be in
 * @out[@room]. */
static const char *why_empty(const struct probe_view *view, char *out, size_t room)
{
	const struct snapshot_probe *probe = view->probe;

	switch (view->pane) {
	case PANE_LATENCY:
		if (!probe->has_latency)
			return "It counts calls or returns alone: a probe of calls and latency "
			       "measures how long they take.";
		return probe->latency.count ||
				       heat_map_most(&view->snapshot->probes.heat,
						     PROBE_HEAT_SECONDS)
			       ? "" : "No call has returned in the window.";
	case PANE_VALUES:
		if (!probe->value_count && probe->state == PROBE_RECORDED)
			return "It has no fields.";
		return probe->value_count ? "" : "It brings no values: choose some in the panel "
						 "of a new probe (p), where there are any.";
	case PANE_SLOWEST:
		if (!probe->has_latency)
			return "It measures no latency, so no call is the slowest.";
		return view->snapshot->probes.slowest_count ? "" : "No call has returned yet.";
	case PANE_GROUPS:
		return why_no_groups(view, out, room);
	case PANE_LOG:
		if (view->log.count)
			return "";
		return view->log.filter[0] ? "No hit passes the filter: \\ changes it."
					   : "No hit yet. Each one will be a line here.";
	case PANE_COUNT:
		break;
	}
	return "";
}

/* Draws the line above the log of all probes. */
static void draw_all(const struct probe_view *view, struct canvas *canvas, int y)
{
	const struct snapshot_probes *of = &view->snapshot->probes;
	struct pieces line = { .gap = "  " };
	char text[FORMAT_BYTES];
	double hits_per_s = 0;

	for (uint32_t i = 0; i < of->count; i++)
		hits_per_s += of->list[i].hits_per_s > 0 ? of->list[i].hits_per_s : 0;
	pieces_add(&line, 1, ROLE_NAME, "hits of %" PRIu32 " probe%s in time order", of->count,
		   of->count == 1 ? "" : "s");
	pieces_add(&line, 2, ROLE_TEXT, "%s hits/s",
		   format_count(text, (uint64_t)(hits_per_s + 0.5)));
	if (view->log.filter[0])
		pieces_add(&line, 1, ROLE_STATE, "\\ %s", view->log.filter);
	pieces_fit(canvas, &line, canvas->width - LEFT_X - 1);
	pieces_put(canvas, (struct canvas_area){ LEFT_X, y, canvas->width - LEFT_X - 1 }, &line);
}

static int count_lines(const char *text)
{
	int count = *text != '\0';

	for (; *text; text++)
		count += *text == '\n';
	return count;
}

static void draw_stack(const char *stack, struct canvas *canvas, int y, int end)
{
	const struct canvas_area title = { LEFT_X, y++, canvas->width - LEFT_X - 1 };
	int left = count_lines(stack);
	char line[256];

	if (y > end)
		return;
	canvas_put_text(canvas, title, canvas_clean(stack[0] ? "ITS STACK" : "WITHOUT A STACK"),
			ROLE_HEADING);
	for (; left && y < end; y++, left--) {
		const struct canvas_area area = { LEFT_X + 2, y, canvas->width - LEFT_X - 3 };
		const size_t bytes = strcspn(stack, "\n");

		if (y == end - 1 && left > 1) {
			snprintf(line, sizeof(line), "\u2026 %d more callers", left);
			canvas_put_text(canvas, area, canvas_clean(line), ROLE_DIM);
			return;
		}
		snprintf(line, sizeof(line), "%.*s", (int)bytes, stack);
		canvas_put_text(canvas, area, canvas_clean(line), ROLE_TEXT);
		stack += bytes + (stack[bytes] == '\n');
	}
}

static int scroll_slowest(struct probe_view *view, int page)
{
	const int cursor = (int)view->slow_cursor;
	int top = view->top[PANE_SLOWEST];

	if (cursor < top)
		top = cursor;
	if (page > 0 && cursor >= top + page)
		top = cursor - page + 1;
	return view->top[PANE_SLOWEST] = top;
}

static void draw_slowest(struct probe_view *view, struct ui_state *state, struct canvas *canvas,
			 int y, int end)
{
	const struct snapshot_probes *of = &view->snapshot->probes;
	const int room = (end - y - STACK_LINES) / 2 > 1 ? (end - y - STACK_LINES) / 2 : 1;
	const int page = (int)of->slowest_count < room ? (int)of->slowest_count : room;
	char text[PROBE_LOG_TEXT];
	int top;

	if (view->slow_cursor >= of->slowest_count)
		view->slow_cursor = of->slowest_count - 1;
	view->slow_number = of->slowest[view->slow_cursor].number;
	top = scroll_slowest(view, page);
	probe_log_draw_titles(&view->log, canvas,
			      (struct canvas_area){ LEFT_X, y++, canvas->width - 3 });
	hits_add(&state->display.hits,
		 (struct hit){ HIT_ROWS, 0, y, canvas->width, page, (size_t)top });
	for (int i = top; i < top + page && i < (int)of->slowest_count; i++, y++) {
		probe_log_format(&view->log, &of->slowest[i], text);
		canvas_put_text(canvas, (struct canvas_area){ LEFT_X, y, canvas->width - 3 },
				canvas_clean(text), ROLE_TEXT);
		if (i == (int)view->slow_cursor)
			canvas_select_line(canvas, y);
	}
	view->page = page;
	view->height = (int)of->slowest_count;
	draw_stack(of->slowest[view->slow_cursor].stack, canvas, y + 1, end);
}

static void draw_pane(struct probe_view *view, struct ui_state *state, struct canvas *canvas,
		      int y, int end)
{
	struct stat_page page = { canvas, y, end - y, view->top[view->pane],
				    view->snapshot->is_frozen ? "the end of the window" : "now" };

	char text[128];
	const char *why = why_empty(view, text, sizeof(text));

	if (why[0]) {
		text_lines_draw(canvas, y + 1, end, why, ROLE_DIM);
		return;
	}
	view->page = end - y;
	switch (view->pane) {
	case PANE_LATENCY:
		view->height = probe_stats_latency(view->probe, &view->snapshot->probes.heat,
						   &page);
		set_top(view, view->top[PANE_LATENCY]);	/* it may have become shorter */
		break;
	case PANE_VALUES:
		view->height = probe_stats_values(view->probe, &page);
		set_top(view, view->top[PANE_VALUES]);
		break;
	case PANE_SLOWEST:
		draw_slowest(view, state, canvas, y, end);
		break;
	case PANE_GROUPS:
		group_table_draw(&view->groups, state->search, canvas, y, end,
				 &state->display.hits);
		break;
	case PANE_LOG:
		probe_log_draw_titles(&view->log, canvas,
				      (struct canvas_area){ LEFT_X, y, canvas->width - 3 });
		view->page = end - y - 1;
		probe_log_draw(&view->log, state->search, canvas, y + 1, end - y - 1);
		hits_add(&state->display.hits, (struct hit){ HIT_ROWS, 0, y + 1, canvas->width,
							     view->page, view->log.top });
		break;
	case PANE_COUNT:
		break;
	}
}

static void draw_probe(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
		       int lines)
{
	struct probe_view *probe = (struct probe_view *)view;
	const int end = top + lines;

	if (probe->snapshot && probe_view_is_of_all(probe)) {
		draw_all(probe, canvas, top);
		draw_pane(probe, state, canvas, top + 1, end);
		return;
	}
	if (!probe->probe) {
		text_lines_draw(canvas, top + 1, end, "Counting\u2026", ROLE_TEXT);
		return;
	}
	draw_front(probe->probe, state_is_compared(state), canvas, top++);
	if (probe->probe->reason[0])
		top = text_lines_draw(canvas, top, end, probe->probe->reason, ROLE_STATE);
	draw_panes(probe, state, canvas, top++);
	draw_pane(probe, state, canvas, top, end);
}

static void fill_query(const struct view *view, const struct ui_state *state, struct query *out)
{
	const struct probe_view *probe = (const struct probe_view *)view;
	const unsigned int weight =
		probe->probe ? hit_weight_of(probe->probe, state_hit_weight(state)) : 0;

	out->probe = state_probe_here(state);
	out->hit_order = group_table_hit_order(&probe->groups, weight, out->compare,
					       &out->is_hit_order_reversed);
}

static void scroll_pane(struct view *view, int lines)
{
	probe_view_scroll((struct probe_view *)view, lines);
}

/* Of the rows of one probe's page its groups and its slowest calls have a menu. */
static bool select_hit(struct view *view, const struct hit *hit, const struct mouse *mouse)
{
	struct probe_view *probe = (struct probe_view *)view;

	probe_view_select(probe, hit->number);
	return mouse->action != MOUSE_MENU || probe->pane == PANE_GROUPS ||
	       probe->pane == PANE_SLOWEST || probe_view_is_of_all(probe);
}

/* The probe of the page; in the log of all probes that of the hit at the cursor. */
static const struct snapshot_probe *cursor_probe(const struct view *view,
						 const struct ui_state *state)
{
	const struct probe_view *probe = (const struct probe_view *)view;
	const struct snapshot_hit *hit;

	if (state_probe_here(state) != PROBE_ALL)
		return probe->probe;
	hit = probe_view_hit(probe);
	return hit ? snapshot_probes_find(&state->shown->probes, hit->probe) : NULL;
}

static bool find_hit(struct view *view, const struct ui_state *state, const char *text, int step)
{
	struct probe_view *probe = (struct probe_view *)view;

	(void)state;	/* only the log and the groups are searched */
	if (probe->pane == PANE_GROUPS)
		return text[0] && group_table_find(&probe->groups, text, step);
	return text[0] && probe->pane == PANE_LOG && probe_log_find(&probe->log, text, step);
}

/* True if the column is there only while probes are compared. */
static bool is_change(size_t id)
{
	static const char delta[] = "\u0394";

	return !strncmp(probe_list_columns[id].title, delta, sizeof(delta) - 1);
}

void probe_view_add_help(const struct ui_state *state, struct help_page *page)
{
	static const char *const names[PROBE_COL_COUNT] = {
		[PROBE_COL_STATE] = "first mark", [PROBE_COL_KIND] = "letters",
		[PROBE_COL_SPARK] = "bars",
	};

	view_help_heading(page, "Columns");
	for (size_t i = 0; i < PROBE_COL_COUNT; i++)
		if (!is_change(i) || state_is_compared(state))
			view_help_line(page, names[i] ? names[i] : probe_list_columns[i].title,
				       probe_list_columns[i].help, true);
}

static void add_help(const struct ui_state *state, struct help_page *page)
{
	struct view *probes = state->views[VIEW_PROBES];
	const struct probe_view *view =
		(const struct probe_view *)probes->ops->of_level(probes, state);
	char title[GROUP_TITLE_BYTES];

	if (view->pane != PANE_GROUPS || !view->groups.groups) {
		probe_view_add_help(state, page);
		return;
	}
	view_help_heading(page, "Columns of the groups");
	for (int id = 0; id <= GROUP_COL_KEY; id++) {
		const enum group_table_column column = (enum group_table_column)id;

		if (group_table_help(column)[0] && group_table_has(&view->groups, column))
			view_help_line(page, group_table_title(&view->groups, column, title),
				       group_table_help(column), true);
	}
}

/* It is a member of the list of probes. */
static const struct view_ops probe_ops = {
	.place = IN_PROBES,
	.open = "open-probe",
	.menu = "probe-menu",
	.refresh = refresh_probe,
	.draw = draw_probe,
	.query = fill_query,
	.move = move_probe,
	.scroll = scroll_pane,
	.select = select_hit,
	.cursor_probe = cursor_probe,
	.find = find_hit,
	.add_help = add_help,
};

void probe_view_init(struct probe_view *view)
{
	*view = (struct probe_view){ .view.ops = &probe_ops };
}
