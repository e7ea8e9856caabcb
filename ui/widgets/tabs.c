/* tabs.c - see tabs.h.
 *
 * If there is no room for both, long breadcrumbs are cut first: an ellipsis replaces the beginning.
 * Then the gaps between view names shrink, then all names become short, then shorter; then all but
 * the present one become numbers, whose gaps shrink, too; at last only the present name is left.
 */
#include "tabs.h"

#include <stdio.h>
#include <string.h>

#include "format.h"
#include "probe_columns.h"

#define CRUMB_GAP   " \u203a "
#define CRUMB_SHARE 40		/* % of a narrow room, for each: a long name leaves some */
#define CRUMB_COUNT (FILTER_PARTS + 8)	/* "all", a probe, its group, inside calls, the parts, what
					 * is hidden, the share, a listing's function */
#define INSIDE_NAME_BYTES 60		/* a longer name leaves room for which calls */
#define CRUMB_CELLS 9		/* but not less: "no kernel" */
#define CRUMBS_GOOD 40		/* a longer path is cut before names of views are */
#define CRUMBS_MIN  18		/* left by short names of views: eight letters and a share */
#define TAB_BYTES   32
#define WITHOUT	    "without "

/* Each takes less room than the one before it. */
enum tabs_form {
	TABS_NAMED, TABS_CLOSE, TABS_SHORT, TABS_SHORTEST, TABS_NUMBERED, TABS_DIGITS, TABS_ALONE,
};

struct crumb {
	char text[FILTER_PART_BYTES];
	enum role role;
	size_t parts;		/* filter parts that a click on it keeps */
	enum hit_kind hit;
	bool is_negated;	/* the text begins with WITHOUT */
};

struct crumbs {
	struct crumb list[CRUMB_COUNT];
	size_t count;
	size_t first;		/* those before it have no room */
	int most;		/* cells that one may have */
};

static void add_crumb(struct crumbs *crumbs, enum role role, size_t parts, const char *text)
{
	struct crumb *crumb = &crumbs->list[crumbs->count++];

	snprintf(crumb->text, sizeof(crumb->text), "%s", text);
	crumb->role = role;
	crumb->parts = parts;
	crumb->hit = HIT_CRUMB;
	crumb->is_negated = false;
}

/* Adds the probe whose hits stand for the samples, or whose stats are shown, and the group. */
static void add_probe(const struct ui_state *state, struct crumbs *crumbs)
{
	const struct snapshot_probe *probe =
		snapshot_probes_find(state->shown ? &state->shown->probes : NULL,
				     state_probe_here(state));
	const struct breadcrumbs *breadcrumbs = &state->query.breadcrumbs;
	const struct breadcrumbs_level *here = &breadcrumbs->levels[breadcrumbs->count - 1];
	char text[FILTER_PART_BYTES];

	if (!state_probe_here(state))
		return;
	if (state_probe_here(state) == PROBE_ALL)
		snprintf(text, sizeof(text), "all hits");
	else
		snprintf(text, sizeof(text), state_probe_hits(state) ? "hits of %s" : "probe %s",
			 probe ? probe_plain_name(probe) : "\u2026");
	add_crumb(crumbs, ROLE_STATE, 0, text);
	crumbs->list[crumbs->count - 1].hit = HIT_PROBE;
	if (!here->group)
		return;
	add_crumb(crumbs, ROLE_STATE, 0, here->group_name);
	crumbs->list[crumbs->count - 1].hit = HIT_NOTHING;
}

/* "inside serve, slowest 1 % (>= 41 ms)"; the least latency is that of the rows on the screen. */
static void add_inside(const struct ui_state *state, struct crumbs *crumbs)
{
	const struct breadcrumbs *breadcrumbs = &state->query.breadcrumbs;
	const struct breadcrumbs_level *here = &breadcrumbs->levels[breadcrumbs->count - 1];
	const struct snapshot_probe *probe = state_inside_probe(state);
	const struct snapshot *shown = state->shown;
	char text[FILTER_PART_BYTES], number[FORMAT_BYTES], least[FORMAT_BYTES + 8] = "";

	if (here->inside == INSIDE_NONE || !state_shows_samples(state))
		return;
	if (shown && shown->inside == here->inside_probe && shown->inside_from_ns &&
	    !state_is_waiting(state))
		snprintf(least, sizeof(least), " (\u2265 %s)",
			 format_wait(number, (double)shown->inside_from_ns));
	snprintf(text, sizeof(text), "inside %.*s%s%s", INSIDE_NAME_BYTES,
		 probe ? probe_plain_name(probe) : "\u2026",
		 here->inside == INSIDE_SLOWEST ? ", slowest 1 %" : "", least);
	add_crumb(crumbs, ROLE_STATE, 0, text);
	crumbs->list[crumbs->count - 1].hit = HIT_NOTHING;
}

static void add_share(const struct ui_state *state, struct crumbs *crumbs)
{
	const struct snapshot *snapshot = state->shown;
	char pct[FORMAT_BYTES] = "\u2026", text[FORMAT_BYTES + 2];

	if (!snapshot || crumbs->count < 2 || !state_shows_samples(state) ||
	    state_kind(state) == VIEW_LISTING)	/* it says its own */
		return;
	/* The hits of a group, or what is inside calls, are all that there is: the share is of
	 * them. */
	if (crumbs->list[crumbs->count - 1].hit == HIT_NOTHING)
		return;
	if (state_is_waiting(state))	/* the shown rows' share is of another filter */
		snprintf(text, sizeof(text), "    %s %%", pct);
	else
		snprintf(text, sizeof(text), "%5s %%",
			 format_pct(pct, snapshot_shown_pct(snapshot)));
	add_crumb(crumbs, ROLE_STATE, state->query.breadcrumbs.filter.count, text);
}

/* Adds the function whose code is listed. */
static void add_function(const struct ui_state *state, struct crumbs *crumbs)
{
	const struct breadcrumbs *breadcrumbs = &state->query.breadcrumbs;
	const struct breadcrumbs_level *here = &breadcrumbs->levels[breadcrumbs->count - 1];
	const struct listing *listing = state->shown ? state->shown->listing : NULL;
	const bool is_named = listing && listing->symbol[0] && !state_is_waiting(state);

	if (here->kind != VIEW_LISTING || !here->function[0])
		return;
	add_crumb(crumbs, ROLE_STATE, 0, is_named ? listing->symbol : here->function);
	crumbs->list[crumbs->count - 1].hit = HIT_NOTHING;
}

static void list_crumbs(const struct ui_state *state, struct crumbs *crumbs)
{
	const struct filter *filter = &state->query.breadcrumbs.filter;
	const struct filter_part *part;
	char text[FILTER_PART_BYTES];

	add_crumb(crumbs, ROLE_DIM, 0, "all");
	add_probe(state, crumbs);
	add_inside(state, crumbs);
	for (uint32_t i = 0; i < filter->count; i++) {
		part = &filter->parts[i];
		add_crumb(crumbs, ROLE_STATE, i + 1, filter_format_part(part, text));
		crumbs->list[crumbs->count - 1].is_negated =
			part->is_negated && !strncmp(text, WITHOUT, strlen(WITHOUT));
	}
	if (state->query.hide_kernel)
		add_crumb(crumbs, ROLE_STATE, filter->count, "no kernel");
	if (state->query.hide_user)
		add_crumb(crumbs, ROLE_STATE, filter->count, "no user");
	add_function(state, crumbs);
	add_share(state, crumbs);
}

/* Returns the crumb's text; where "without" would leave no room for the name, with "not" instead,
 * in @room[FILTER_PART_BYTES]. */
static const char *crumb_text(const struct canvas *canvas, const struct crumb *crumb, int most,
			      char *room)
{
	if (!crumb->is_negated || canvas_text_width(canvas, crumb->text) <= most)
		return crumb->text;
	snprintf(room, FILTER_PART_BYTES, "not %s", crumb->text + strlen(WITHOUT));
	return room;
}

static int crumb_width(const struct canvas *canvas, const struct crumbs *crumbs, size_t index)
{
	char room[FILTER_PART_BYTES];
	const int width = canvas_text_width(canvas, crumb_text(canvas, &crumbs->list[index],
							       crumbs->most, room));

	return width < crumbs->most ? width : crumbs->most;
}

/* Returns the width of the crumbs from @first on. */
static int bare_width(const struct canvas *canvas, const struct crumbs *crumbs, size_t first)
{
	const int gap = canvas_text_width(canvas, CRUMB_GAP);
	int width = 0;

	for (size_t i = first; i < crumbs->count; i++)
		width += crumb_width(canvas, crumbs, i) + (i > first ? gap : 0);
	return width;
}

/* Returns the width of the crumbs from @first on, with the ellipsis if some are left out. */
static int crumbs_width(const struct canvas *canvas, const struct crumbs *crumbs, size_t first)
{
	return bare_width(canvas, crumbs, first) +
	       (first ? canvas_text_width(canvas, "\u2026" CRUMB_GAP) : 0);
}

/* One name and its share are left: the name may have all that the share leaves. */
static void widen_name(const struct canvas *canvas, struct crumbs *crumbs, int room)
{
	const int share = canvas_text_width(canvas, crumbs->list[crumbs->count - 1].text);
	const int most = room - share - canvas_text_width(canvas, CRUMB_GAP);

	if (most > crumbs->most)
		crumbs->most = most;
}

/* The last crumb may have all that the one before it leaves. */
static void widen_last(const struct canvas *canvas, struct crumbs *crumbs, int room)
{
	const int gap = canvas_text_width(canvas, CRUMB_GAP);
	const int before = crumbs->first + 1 == crumbs->count
			   ? 0 : crumb_width(canvas, crumbs, crumbs->first) + gap;

	if (room - before > crumbs->most)
		crumbs->most = room - before;
}

static void fit_crumbs(const struct canvas *canvas, struct crumbs *crumbs, int room)
{
	const struct crumb *last = &crumbs->list[crumbs->count - 1];

	/* A share is last, or else a name, which may be cut. */
	if (crumbs->count > 1 && last->hit != HIT_NOTHING &&
	    canvas_text_width(canvas, last->text) > room)
		crumbs->count--;		/* half a number is none */
	crumbs->most = room;
	if (crumbs_width(canvas, crumbs, 0) <= room)
		return;
	crumbs->most = room * CRUMB_SHARE / 100;
	if (crumbs->most < CRUMB_CELLS)
		crumbs->most = CRUMB_CELLS;
	while (crumbs->first + 1 < crumbs->count &&
	       crumbs_width(canvas, crumbs, crumbs->first) > room)
		crumbs->first++;
	if (crumbs->first && crumbs->first + 1 == crumbs->count &&
	    bare_width(canvas, crumbs, crumbs->first - 1) <= room)
		crumbs->first--;	/* the name matters more than the ellipsis before it */
	if (last->hit != HIT_NOTHING && crumbs->first + 2 == crumbs->count)
		widen_name(canvas, crumbs, room);
	if (last->hit == HIT_NOTHING && crumbs->first + 2 >= crumbs->count)
		widen_last(canvas, crumbs, room);
}

/* Draws a crumb; returns the column after it. */
static int put_crumb(struct ui_state *state, struct canvas *canvas, struct canvas_area area,
		     const struct crumb *crumb, int most)
{
	char room[FILTER_PART_BYTES];
	const char *text = crumb_text(canvas, crumb, most, room);
	int used;

	if (area.width > most)
		area.width = most;
	used = canvas_put_text(canvas, area, canvas_clean(text), crumb->role);
	hits_add(&state->display.hits,
		 (struct hit){ crumb->hit, area.x, area.y, used, 1, crumb->parts });
	return area.x + used;
}

/* Draws the breadcrumbs right-aligned: they end at column @end and begin at @begin or later. */
static void draw_crumbs(struct ui_state *state, struct canvas *canvas, int y, int begin, int end)
{
	const int room = end - begin;
	struct canvas_area area = { begin, y, room };
	struct crumb left_out = { "\u2026", ROLE_DIM, 0, HIT_CRUMB, false };
	struct crumbs crumbs = { .count = 0 };
	bool has_ellipsis;
	int width;

	list_crumbs(state, &crumbs);
	fit_crumbs(canvas, &crumbs, room);
	width = crumbs_width(canvas, &crumbs, crumbs.first);
	has_ellipsis = crumbs.first && width <= room;
	if (!has_ellipsis)
		width = bare_width(canvas, &crumbs, crumbs.first);
	if (width < room)
		area.x = end - width;
	if (has_ellipsis) {
		left_out.parts = crumbs.list[crumbs.first - 1].parts;
		area.x = put_crumb(state, canvas, area, &left_out, crumbs.most);
	}
	for (size_t i = crumbs.first; i < crumbs.count && area.x < end; i++) {
		area.width = end - area.x;
		if (i > crumbs.first || has_ellipsis)
			area.x += canvas_put_text(canvas, area, SAFE_TEXT(CRUMB_GAP), ROLE_DIM);
		area.width = end - area.x;
		area.x = put_crumb(state, canvas, area, &crumbs.list[i], crumbs.most);
	}
}

/* Formats the name of a view in the line of views; "": it is not shown. */
static void format_tab(const struct ui_state *state, enum tabs_form form, int kind, char *out)
{
	const bool is_here = kind == (int)state_kind(state);
	const struct view_spec *spec = &state->specs[kind];

	out[0] = '\0';
	if (spec->is_unlisted && !is_here)
		return;
	if (state_is_page(state) && is_here)
		snprintf(out, TAB_BYTES, " %s ", state->view->ops->title);
	else if (spec->is_unlisted)
		snprintf(out, TAB_BYTES, " %s ", form == TABS_SHORTEST ? spec->shortest_title
								     : spec->title);
	else if (form >= TABS_CLOSE && form <= TABS_SHORTEST)
		snprintf(out, TAB_BYTES, " %d %s%s", kind + 1,
			 form == TABS_CLOSE ? spec->title
			 : form == TABS_SHORT ? spec->short_title : spec->shortest_title,
			 is_here ? " " : "");
	else if (is_here || form == TABS_NAMED)
		snprintf(out, TAB_BYTES, " %d %s ", kind + 1, spec->title);
	else if (form == TABS_NUMBERED)
		snprintf(out, TAB_BYTES, " %d ", kind + 1);
	else if (form == TABS_DIGITS)
		snprintf(out, TAB_BYTES, " %d", kind + 1);
}

/* Draws the name of a view; returns the column after it. */
static int draw_tab(struct ui_state *state, struct canvas *canvas, struct canvas_area area,
		    enum tabs_form form, int kind)
{
	const bool is_here = kind == (int)state_kind(state);
	char text[TAB_BYTES];
	int used;

	format_tab(state, form, kind, text);
	if (!text[0])
		return area.x;
	used = canvas_put_text(canvas, area, canvas_clean(text), is_here ? ROLE_TAB : ROLE_DIM);
	hits_add(&state->display.hits,
		 (struct hit){ HIT_TAB, area.x, area.y, used, 1, (size_t)kind });
	return area.x + used;
}

static int tabs_width(const struct ui_state *state, const struct canvas *canvas,
		      enum tabs_form form)
{
	char text[TAB_BYTES];
	int width = 0;

	for (int kind = 0; kind < VIEW_COUNT; kind++) {
		format_tab(state, form, kind, text);
		width += canvas_text_width(canvas, text);
	}
	return width;
}

static enum tabs_form choose_form(const struct ui_state *state, const struct canvas *canvas,
				  int width)
{
	struct crumbs crumbs = { .count = 0 };
	enum tabs_form form = TABS_NAMED;
	int path;

	if (state_is_page(state))
		return TABS_ALONE;
	list_crumbs(state, &crumbs);
	crumbs.most = width;
	path = crumbs_width(canvas, &crumbs, 0);
	if (tabs_width(state, canvas, form) + path + 2 <= width)
		return form;
	if (path > CRUMBS_GOOD)
		path = CRUMBS_GOOD;
	if (tabs_width(state, canvas, TABS_CLOSE) + path + 2 <= width)
		return TABS_CLOSE;
	if (path > CRUMBS_MIN)
		path = CRUMBS_MIN;
	form = TABS_SHORT;
	while (form < TABS_ALONE && tabs_width(state, canvas, form) + path + 2 > width)
		form++;
	return form;
}

void tabs_draw(struct ui_state *state, struct canvas *canvas, int y, int width)
{
	const enum tabs_form form = choose_form(state, canvas, width);
	const int end = 1 + width;
	int x = 1;

	for (int kind = 0; kind < VIEW_COUNT; kind++)
		x = draw_tab(state, canvas, (struct canvas_area){ x, y, end - x }, form, kind);
	if (!state_is_page(state))
		draw_crumbs(state, canvas, y, x + 1, end);
}
