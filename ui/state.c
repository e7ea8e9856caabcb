/* state.c - see state.h. Commands are in ui/command_*.c; ui/input.c maps keys to commands. */
#include "state.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id_map.h"
#include "ui/views.h"
#include "widgets/event_cells.h"
#include "widgets/hit_weight.h"
#include "widgets/probe_columns.h"

#define REQUEST_NS (2 * CLOCK_NS_PER_S)	/* by then a request has taken effect, or never will */

static struct view *create_view(const struct view_ops *ops)
{
	struct view *view = calloc(1, ops->bytes);

	if (!view)
		return NULL;
	view->ops = ops;
	if (ops->init)
		ops->init(view);
	return view;
}

static void destroy_view(struct view *view)
{
	if (view && view->ops->finish)
		view->ops->finish(view);
	free(view);
}

/* Creates a view for each kind whose functions no kind before has. */
static int create_views(struct ui_state *state)
{
	for (int kind = 0; kind < VIEW_COUNT; kind++) {
		const struct view_ops *ops = state->specs[kind].ops;
		int other = 0;

		while (state->specs[other].ops != ops)
			other++;
		state->views[kind] = other < kind ? state->views[other] : create_view(ops);
		if (!state->views[kind])
			return -ENOMEM;
	}
	return 0;
}

static int create_pages(struct ui_state *state, const struct view_ops *const *pages)
{
	for (int page = 0; page < PAGE_COUNT; page++) {
		state->pages[page] = create_view(pages[page]);
		if (!state->pages[page])
			return -ENOMEM;
	}
	return 0;
}

static int create_overlays(struct ui_state *state)
{
	for (int kind = 0; kind < OVERLAY_COUNT; kind++) {
		const size_t bytes = state->overlay_ops[kind]->bytes;

		if (bytes)
			state->overlays[kind] = calloc(1, bytes);
		if (bytes && !state->overlays[kind])
			return -ENOMEM;
	}
	return 0;
}

int state_init(struct ui_state *state, const struct view_spec *specs,
	       const struct view_ops *const *pages, const struct overlay_ops *const *overlays)
{
	int err;

	*state = (struct ui_state){ .specs = specs, .overlay_ops = overlays, .is_changed = true,
				    .display.choice = columns_at_first,
				    .query.groups = group_order_at_first };
	for (int kind = 0; kind < VIEW_COUNT; kind++) {
		state->query.keys[kind] = specs[kind].keys;
		state->display.orders[kind].column = specs[kind].order;
		state->display.compared_orders[kind].column = COL_CHANGE;
	}
	breadcrumbs_init(&state->query.breadcrumbs, VIEW_SYMBOLS);
	err = create_views(state);
	if (!err)
		err = create_pages(state, pages);
	if (!err)
		err = create_overlays(state);
	state->view = state->views[VIEW_SYMBOLS];
	return err;
}

/* The view of kinds that share one is destroyed with the first of them. */
static bool is_shared(const struct ui_state *state, int kind)
{
	for (int other = 0; other < kind; other++)
		if (state->views[other] == state->views[kind])
			return true;
	return false;
}

void state_finish(struct ui_state *state)
{
	for (int kind = 0; kind < VIEW_COUNT; kind++)
		if (!is_shared(state, kind))
			destroy_view(state->views[kind]);
	for (int page = 0; page < PAGE_COUNT; page++)
		destroy_view(state->pages[page]);
	for (int kind = 0; kind < OVERLAY_COUNT; kind++)
		free(state->overlays[kind]);
	menu_finish(&state->menu);
}

struct tree_rows *state_tree_rows(struct ui_state *state)
{
	const struct view_ops *ops = state->view->ops;

	return ops->tree_rows ? ops->tree_rows(state->view) : NULL;
}

bool state_is_page(const struct ui_state *state)
{
	return state->view->opener;
}

enum view_kind state_kind(const struct ui_state *state)
{
	return state->query.breadcrumbs.levels[state->query.breadcrumbs.count - 1].kind;
}

bool state_shows_samples(const struct ui_state *state)
{
	return state->specs[state_kind(state)].ops->place & IN_SAMPLES;
}

enum view_place state_place(const struct ui_state *state)
{
	return state_is_page(state) ? state->view->ops->place
				    : state->specs[state_kind(state)].ops->place;
}

static bool has_probes(const struct ui_state *state)
{
	return state->shown && state->shown->probes.count;
}

bool state_is_compared(const struct ui_state *state)
{
	return state->shown && state->shown->is_compared;
}

static const struct table_order *chosen_order(const struct ui_state *state)
{
	return state_is_compared(state) ? &state->display.compared_orders[state->shown_kind]
					: &state->display.orders[state->shown_kind];
}

/* Returns the columns that the event has nothing for. Of rows of several events each has its own
 * unit. */
static uint64_t columns_without_event(const struct snapshot *shown)
{
	const uint64_t of_events = columns_of_absent_events(shown);

	if (!hit_weight_is_shown(shown))
		return of_events | COLUMNS_OF_WAITS;
	if (!shown->is_of_waits)
		return of_events | (COLUMNS_OF_WAITS & ~COLUMN_BIT(COL_TIME)) |
		       COLUMN_BIT(COL_PERIOD);
	return of_events | COLUMN_BIT(shown->keys & KEY_EVENT ? COL_TIME : COL_PERIOD);
}

/* Without the column that was chosen, as the events are others now, the hottest row comes first. */
const struct table_order *state_order(const struct ui_state *state)
{
	static const struct table_order hottest = { .column = COL_SELF };
	static const struct table_order most = { .column = COL_SAMPLES };
	const struct table_order *order = chosen_order(state);

	if (state->shown && state->shown->keys & KEY_EVENT &&
	    COLUMN_WEIGHTS & COLUMN_BIT(order->column))
		return &most;
	return columns_without_event(state->shown) & COLUMN_BIT(order->column) ? &hottest : order;
}

void state_set_order(struct ui_state *state, struct table_order order)
{
	if (state_is_compared(state))
		state->display.compared_orders[state->shown_kind] = order;
	else
		state->display.orders[state->shown_kind] = order;
}

static bool has_column(const struct view_spec *spec, enum column_id id)
{
	for (const enum column_id *at = spec->columns; at && *at != COL_COUNT; at++)
		if (*at == id)
			return true;
	return false;
}

/* The hits of a probe are of one event. */
unsigned int state_row_keys(const struct ui_state *state)
{
	const enum view_kind kind = state_kind(state);
	const unsigned int keys = state->query.keys[kind];
	const bool is_shown = has_column(&state->specs[kind], COL_EVENT) &&
			      !(state->display.choice.hidden[kind] & COLUMN_BIT(COL_EVENT));

	if (state_probe_hits(state))
		return keys == KEY_EVENT ? keys : keys & ~(unsigned int)KEY_EVENT;
	return is_shown && state->shown && state->shown->event_count > 1 ? keys | KEY_EVENT : keys;
}

uint32_t state_row_event(const struct ui_state *state, const struct snapshot_row *row)
{
	return state->shown && state->shown->keys & KEY_EVENT ? row->event_index
							      : state->query.sample_event;
}

static bool has_several_events(const struct ui_state *state)
{
	return state->shown && (state->shown->event_count > 1 || state->shown->keys & KEY_EVENT);
}

uint64_t state_unable_columns(const struct ui_state *state)
{
	return (has_several_events(state) ? 0 : COLUMN_BIT(COL_EVENT)) |
	       (has_probes(state) ? 0 : COLUMN_BIT(COL_PROBE)) |
	       (state_is_compared(state) ? 0 : COLUMN_CHANGES) |
	       columns_without_event(state->shown);
}

const struct event_ratio *state_tree_ratio(const struct ui_state *state)
{
	const uint64_t hidden = state->display.choice.events_hidden;
	const struct event_ratio *ratio = NULL;

	if (!state->shown || !state->shown->event_columns.has_loads)
		return NULL;
	for (enum column_id id = COL_IPC; id <= COL_RATIO_5 && !ratio; id++)
		if (!(hidden & COLUMN_BIT(id)))
			ratio = event_cells_ratio(id, state->shown);
	return ratio;
}

struct column_set state_columns(const struct ui_state *state)
{
	const enum view_kind kind = state->shown_kind;

	return (struct column_set){
		.ids = state->specs[kind].columns, .fill = state->specs[kind].fill,
		.asked = state->display.choice.asked,
		/* -s event shows it, too. */
		.hidden = (state->display.choice.hidden[kind] & ~COLUMN_BIT(COL_EVENT)) |
			  state->display.choice.events_hidden | state_unable_columns(state),
		.keys = state->shown ? state->shown->keys : state->query.keys[kind],
	};
}

static void refresh_view(struct view *view, const struct ui_state *state)
{
	if (view->ops->refresh)
		view->ops->refresh(view, state);
}

void state_refresh_view(struct ui_state *state)
{
	/* Views point into the snapshot, so they are refreshed even while they are covered. */
	for (int kind = 0; kind < VIEW_COUNT; kind++)
		if (!is_shared(state, kind))
			refresh_view(state->views[kind], state);
	if (state_is_page(state))
		refresh_view(state->view, state);
	state->is_changed = true;
}

bool state_is_waiting(const struct ui_state *state)
{
	return !state->shown || state->shown->query != state->query.number;
}

/* Returns the view of the last level of the breadcrumbs as @kind. */
static struct view *view_of(const struct ui_state *state, enum view_kind kind)
{
	struct view *view = state->views[kind];

	return view->ops->of_level ? view->ops->of_level(view, state) : view;
}

/* Returns the place of the rows on the screen; NULL: their view has none. */
static struct table_place *shown_place(struct ui_state *state)
{
	struct view *view = state->views[state->shown_kind];

	return view->ops->place_of ? view->ops->place_of(view) : NULL;
}

/* Switches to another view of rows; under a page of text, only the view beneath the page. */
static void show_kind(struct ui_state *state, enum view_kind kind)
{
	struct view *view = view_of(state, kind);

	if ((kind == VIEW_SYMBOLS || kind == VIEW_TREE || kind == VIEW_FLAME) &&
	    !state_probe_here(state))
		state->query.call_kind = kind;
	state->shown_kind = kind;
	if (state_is_page(state))
		state->view->opener = view;
	else
		state->view = view;
}

void state_begin_with(struct ui_state *state, enum view_kind kind)
{
	breadcrumbs_init(&state->query.breadcrumbs, kind);
	show_kind(state, kind);
}

void state_begin_inside(struct ui_state *state, enum inside_calls calls)
{
	struct diag why;

	if (calls != INSIDE_NONE)
		breadcrumbs_push_inside(&state->query.breadcrumbs, state_kind(state), calls, 0,
					&why);
}

uint32_t state_probe_here(const struct ui_state *state)
{
	return state->query.breadcrumbs.levels[state->query.breadcrumbs.count - 1].probe;
}

void state_leave_probe(struct ui_state *state)
{
	while (state_probe_here(state) && state_go_back(state))
		;
}

bool state_probe_hits(const struct ui_state *state)
{
	return state_probe_here(state) && state_shows_samples(state);
}

static void restore_place(struct ui_state *state)
{
	const struct table_place *place = breadcrumbs_place(&state->query.breadcrumbs);
	struct view *view = state->views[state->shown_kind];

	state->query.wants_restore = false;
	if (shown_place(state))
		*shown_place(state) = *place;
	state_refresh_view(state);
	if (view->ops->restore)
		view->ops->restore(view, place);
}

/* True if @fresh shows the outcome. States of probes are current even if stats are of the past. */
static bool is_outcome_shown(const struct probe_sent *sent, const struct snapshot *fresh)
{
	const struct snapshot_probe *probe = snapshot_probes_find(&fresh->probes, sent->probe);

	if (!probe)
		return true;
	if (sent->kind == PROBE_REMOVE)
		return false;
	return probe->state != sent->state || fresh->newest_ns > sent->time_ns + REQUEST_NS;
}

/* Forgets the requests whose outcome is in @fresh. */
static void state_probes_shown(struct ui_state *state, const struct snapshot *fresh)
{
	for (size_t i = 0; i < PROBE_SLOTS; i++)
		if (state->out.sent[i].probe && is_outcome_shown(&state->out.sent[i], fresh))
			state->out.sent[i].probe = 0;
}

static bool is_same_listing(const struct listing *a, const struct listing *b)
{
	return !a || !b ? a == b : listing_function_is_equal(&a->function, &b->function);
}

/* True if @fresh has the rows or the tree of a view that was left before they arrived. */
static bool is_of_another_view(const struct snapshot *fresh, const struct snapshot *old)
{
	return fresh->keys != old->keys || fresh->tree.direction != old->tree.direction ||
	       !is_same_listing(fresh->listing, old->listing) ||
	       fresh->callees.direction != old->callees.direction ||
	       fresh->tree.limit_pct != old->tree.limit_pct ||
	       !fresh->groups.level_count != !old->groups.level_count;
}

/* True if @fresh was made before the analyzer got the pause or the selected time. Any selected
 * window is accepted, so that each window on the way shows while a stepping key is held. */
static bool is_of_another_time(const struct ui_state *state, const struct snapshot *fresh)
{
	if (state->query.time.end_ns)
		return !fresh->is_selected;
	return state->query.is_paused && (!fresh->is_frozen || fresh->is_selected);
}

/* Updates the baseline from the snapshot: another recording is announced only there (it may lack
 * the first event), and the analyzer may refuse a marked window, or have lost its history. */
static void take_baseline(struct ui_state *state, const struct snapshot *old,
			  const struct snapshot *fresh)
{
	const char *notice = fresh->baseline.notice;
	const bool is_reply = state->query.compare.marked.end_ns;
	const bool is_gone = state->query.compare.has_baseline && !fresh->has_baseline;
	const bool is_refused = is_reply && notice && notice[0];

	if (fresh->query != state->query.number)
		return;
	if (!old)
		state->query.compare.is_on = fresh->has_baseline;
	if ((is_reply || is_gone) && notice && notice[0])
		state_say(state, "%s", notice);
	else if (is_gone)
		state_say(state, "the baseline has left the history: m marks another");
	if (is_gone)
		state->query.compare.is_on = false;
	if (is_reply && !is_refused)
		state->query.compare.is_selected = state->query.compare.is_marked_selected;
	state->query.compare.has_baseline = fresh->has_baseline;
	state->query.compare.is_rest &= fresh->has_baseline;
	state->query.compare.marked = (struct time_range){ 0, 0 };
}

/* Calls state_leave_probe() if the snapshot on the screen, which must be of the last query, has no
 * such probe any more: its levels would show samples instead. */
static void state_leave_removed(struct ui_state *state)
{
	const struct snapshot_probes *probes = &state->shown->probes;
	const uint32_t probe = state_probe_here(state);

	if (!probe || (probe == PROBE_ALL ? probes->count > 0
					  : snapshot_probes_find(probes, probe) != NULL))
		return;
	state_leave_probe(state);
	state_say(state, "the probe was removed, and its hits with it");
}

/* Notes which probe "the first of a latency" is. */
static void learn_inside(struct breadcrumbs *breadcrumbs, uint32_t probe)
{
	for (size_t i = 0; probe && i < breadcrumbs->count; i++)
		if (breadcrumbs->levels[i].inside != INSIDE_NONE &&
		    !breadcrumbs->levels[i].inside_probe)
			breadcrumbs->levels[i].inside_probe = probe;
}

/* Leaves the levels of samples inside calls of a probe that is gone. */
static void leave_inside_removed(struct ui_state *state)
{
	const struct breadcrumbs *breadcrumbs = &state->query.breadcrumbs;
	const uint32_t probe = breadcrumbs->levels[breadcrumbs->count - 1].inside_probe;

	if (!probe || snapshot_probes_find(&state->shown->probes, probe))
		return;
	while (breadcrumbs->levels[breadcrumbs->count - 1].inside_probe == probe &&
	       state_go_back(state))
		;
	state_say(state, "the probe was removed, and with it what is inside its calls");
}

/* True if a probe that was on failed, or got another reason, without a request of the user. */
static bool has_new_trouble(const struct snapshot_probe *before, const struct snapshot_probe *now)
{
	if (!before || !now->reason[0])
		return false;
	if (now->state == PROBE_FAILED)
		return before->state == PROBE_ATTACHED || before->state == PROBE_DETACHING;
	return now->state == PROBE_ATTACHED && before->state == PROBE_ATTACHED &&
	       strcmp(before->reason, now->reason) != 0;
}

/* Shows a message about a probe that went over its cap, failed or got a new reason between @old
 * (NULL: none) and @fresh. */
static void state_tell_trouble(struct ui_state *state, const struct snapshot *old,
			       const struct snapshot *fresh)
{
	for (uint32_t i = 0; old && i < fresh->probes.count; i++) {
		const struct snapshot_probe *now = &fresh->probes.list[i];
		const struct snapshot_probe *before = snapshot_probes_find(&old->probes, now->id);

		if (now->state == PROBE_CAPPED && (!before || before->state != PROBE_CAPPED))
			state_say(state, "%s: off: %s \u00b7 8, Enter: what helps",
				  probe_plain_name(now), now->reason);
		else if (has_new_trouble(before, now))
			state_say(state, "%s: %s", probe_plain_name(now), now->reason);
	}
}

static void refresh_overlays(struct ui_state *state)
{
	for (int kind = 0; kind < OVERLAY_COUNT; kind++) {
		const struct overlay_ops *ops = state->overlay_ops[kind];

		if (ops->refresh && ops->is_open(state))
			ops->refresh(state);
	}
}

/* Returns whether the view shows several events side by side. The snapshot says whether there are
 * any. */
static bool wants_event_columns(const struct ui_state *state)
{
	const enum view_kind kind = state_kind(state);
	const uint64_t absent = state->shown ? columns_of_absent_events(state->shown) : 0;

	if (kind >= VIEW_TABLES && kind != VIEW_TREE && kind != VIEW_GROUPS && kind != VIEW_LISTING)
		return false;
	if (state_row_keys(state) & KEY_EVENT)
		return false;
	return COLUMNS_OF_EVENTS & ~state->display.choice.events_hidden & ~absent;
}

const struct snapshot *state_offer_snapshot(struct ui_state *state, const struct snapshot *fresh)
{
	const struct snapshot *old = state->shown;

	if (old && is_of_another_time(state, fresh))
		return fresh;
	if (old && fresh->query != state->query.number && is_of_another_view(fresh, old))
		return fresh;
	if (!old)
		state->query.sample_event = state->query.asked_event = fresh->event_index;
	take_baseline(state, old, fresh);
	state_tell_trouble(state, old, fresh);
	state_probes_shown(state, fresh);
	breadcrumbs_demangle(&state->query.breadcrumbs, fresh);
	state->shown = fresh;
	learn_inside(&state->query.breadcrumbs, fresh->inside);
	if (fresh->query == state->query.number) {
		show_kind(state, state_kind(state));
		if (state->query.wants_restore)
			restore_place(state);
		leave_inside_removed(state);
		state_leave_removed(state);
	}
	state_refresh_view(state);
	refresh_overlays(state);
	/* The query was made before it was known that there are several events. */
	if (fresh->query == state->query.number &&
	    ((!fresh->event_columns.has_loads && wants_event_columns(state)) ||
	     (state_row_keys(state) & ~fresh->keys & KEY_EVENT)))
		state_ask(state);
	return old;
}

void state_request(struct ui_state *state, enum request_kind kind, uint32_t value,
		   uint64_t value_ns)
{
	struct request *slot = state->out.requests;
	struct request *end = state->out.requests + state->out.count;

	while (slot < end && slot->kind != kind)
		slot++;
	/* The newest goes last: zero after freeze is not freeze after zero. */
	if (slot < end)
		memmove(slot, slot + 1, (size_t)(--end - slot) * sizeof(*slot));
	else	/* there is room: as many as there are kinds */
		state->out.count++;
	*end = (struct request){ .kind = kind, .value = value, .value_ns = value_ns };
}

uint32_t state_stacks_wanted(const struct ui_state *state)
{
	return shared_format_request(shared_format_needs(state->out.save_format),
				     state->query.show_idle, state_has_lines(state));
}

void state_request_stacks(struct ui_state *state)
{
	state_request(state, REQUEST_STACKS, state_stacks_wanted(state), 0);
}

/* Returns a hash that tells lists apart; 0: an empty list. */
static uint64_t hash_of(const struct request *request)
{
	uint64_t hash = request->value;

	for (uint32_t i = 0; i < request->value; i++)
		hash = id_map_mix(hash ^ request->requests[i].address ^
				  id_map_mix(request->requests[i].dso + 1ull));
	return hash;
}

void state_request_sources(struct ui_state *state)
{
	const struct view_ops *ops = state->view->ops;
	struct request request = { .kind = REQUEST_SOURCES };
	uint64_t hash;

	if (!ops->add_sources)
		state->out.sources_hash = 0;	/* a tree's own requests may have replaced these */
	if (!ops->add_sources || !state->shown)
		return;
	ops->add_sources(state->view, &request);
	hash = hash_of(&request);
	if (!hash || hash == state->out.sources_hash)
		return;
	state->out.sources_hash = hash;
	state_request(state, REQUEST_SOURCES, request.value, 0);
	state->out.requests[state->out.count - 1] = request;
}

void state_show_time(struct ui_state *state, struct time_range range)
{
	state->query.time = range;
	state->query.is_paused = false;
	state->is_on_time = range.end_ns;
	if (!range.end_ns)
		state->visited_count = 0;
	state_request(state, REQUEST_FREEZE, 0, range.end_ns);
	state->out.requests[state->out.count - 1].begin_ns = range.begin_ns;
	state->is_changed = true;
}

bool state_is_time_waiting(const struct ui_state *state)
{
	const struct snapshot *shown = state->shown;

	if (!shown || !state->query.time.end_ns)
		return shown && shown->is_selected;
	return shown->asked_begin_ns != state->query.time.begin_ns ||
	       shown->asked_end_ns != state->query.time.end_ns;
}

struct time_range state_shown_time(const struct ui_state *state)
{
	const struct snapshot *shown = state->shown;

	if (!state->query.time.end_ns || state_is_time_waiting(state) ||
	    shown->begin_ns >= shown->time_ns)
		return state->query.time;
	return (struct time_range){ shown->begin_ns, shown->time_ns };
}

struct time_bounds state_time_bounds(const struct ui_state *state)
{
	return (struct time_bounds){ state->shown->known_ns, state->shown->newest_ns };
}

struct time_zero state_time_zero(const struct ui_state *state)
{
	return (struct time_zero){
		.is_replay = state->shown->is_replay, .begin_ns = state->shown->known_ns,
		.wall_offset_ns = state->display.wall_offset_ns,
	};
}

void state_forget_baseline(struct ui_state *state)
{
	state->query.compare = (struct comparing){ .has_baseline = false };
	state_request(state, REQUEST_BASELINE, 0, 0);
}

static void add_level(struct filter *filter, enum filter_field field)
{
	const struct filter_part part = { .field = field, .is_negated = true };
	struct diag why;

	filter_add(filter, &part, &why);	/* there is room: see BREADCRUMBS_PARTS */
}

enum tree_direction state_tree_direction(const struct ui_state *state)
{
	const struct breadcrumbs *breadcrumbs = &state->query.breadcrumbs;

	if (breadcrumbs->levels[breadcrumbs->count - 1].direction != TREE_NONE)
		return breadcrumbs->levels[breadcrumbs->count - 1].direction;
	if (state_probe_hits(state))
		return TREE_CALLERS;	/* all stacks end in the probed function */
	for (uint32_t i = 0; i < breadcrumbs->filter.count; i++)
		if (breadcrumbs->filter.parts[i].field == FILTER_SYMBOL &&
		    !breadcrumbs->filter.parts[i].is_negated)
			return TREE_CALLERS;	/* for one function its callers matter */
	return TREE_CALLEES;
}

bool state_cursor_row(const struct ui_state *state, struct snapshot_row *out)
{
	const struct view *view = view_of(state, state->shown_kind);

	return view->ops->cursor_row && view->ops->cursor_row(view, state, out);
}

bool state_cursor_way(const struct ui_state *state, struct cursor_way *out)
{
	const struct view *view = view_of(state, state->shown_kind);
	struct snapshot_row row;

	out->count = out->left_out = 0;
	out->event = state->query.sample_event;
	if (view->ops->cursor_way)
		return view->ops->cursor_way(view, state, out);
	if (!state_cursor_row(state, &row))
		return false;
	out->event = state_row_event(state, &row);
	out->count = views_opening_part(state->shown_kind, &row, out->parts);
	return out->count || state->shown->keys == KEY_EVENT;
}

bool state_has_lines(const struct ui_state *state)
{
	return !(state->display.choice.hidden[VIEW_SYMBOLS] & COLUMN_BIT(COL_SOURCE));
}

/* Requests the event of the samples or of the level's probe, before the query, so that the query's
 * reply is of this event. */
static void ask_event(struct ui_state *state)
{
	const uint32_t event = state_probe_hits(state)
				       ? breadcrumbs_here(&state->query.breadcrumbs)->event
				       : state->query.sample_event;

	if (event == state->query.asked_event)
		return;
	state->query.asked_event = event;
	state_request(state, REQUEST_EVENT, event, 0);
}

/* Asks for counters, if some are shown: of the process or thread that the breadcrumbs lead to. */
static void ask_counters(const struct ui_state *state, struct query *query)
{
	const struct filter *filter = &state->query.breadcrumbs.filter;

	if (!state->display.choice.counter_line && state_kind(state) != VIEW_COUNTERS)
		return;
	query->counters = COUNTERS_OF_ALL;
	for (uint32_t i = 0; i < filter->count; i++) {
		const struct filter_part *part = &filter->parts[i];

		if (part->is_negated || part->number >= UINT32_MAX ||
		    (part->field != FILTER_PID && part->field != FILTER_TID))
			continue;
		query->counters = part->field == FILTER_TID ? COUNTERS_OF_THREAD
							    : COUNTERS_OF_PROCESS;
		query->counters_id = (uint32_t)part->number;
	}
}

void state_ask(struct ui_state *state)
{
	const struct breadcrumbs_level *here;
	const struct view *view;
	struct request *request;

	ask_event(state);
	state->query.number++;
	state_request(state, REQUEST_QUERY, 0, 0);
	request = &state->out.requests[state->out.count - 1];
	request->query = (struct query){
		.number = state->query.number, .keys = state_row_keys(state),
		.filter = state->query.breadcrumbs.filter, .raw_names = state->query.raw_names,
		.raw_waits = state->query.raw_names,
		.tree_inlined = state_has_lines(state), .compare = state->query.compare.is_on,
		.is_relative = state->query.is_relative,
		.heat = state->query.wants_heat, .event_columns = wants_event_columns(state),
	};
	request->query.hit_weight = state_hit_weight(state);
	here = breadcrumbs_here(&state->query.breadcrumbs);
	request->query.hit_group = here->group;
	request->query.inside = here->inside;
	request->query.inside_probe = here->inside_probe;
	ask_counters(state, &request->query);
	view = view_of(state, state_kind(state));
	if (view->ops->query)
		view->ops->query(view, state, &request->query);
	if (state_is_page(state) && state->view->ops->query)
		state->view->ops->query(state->view, state, &request->query);
	if (state->query.hide_kernel)
		add_level(&request->query.filter, FILTER_KERNEL);
	if (state->query.hide_user)
		add_level(&request->query.filter, FILTER_USER);
	state->is_changed = true;
}

static void save_place(struct ui_state *state)
{
	if (!state_is_waiting(state) && shown_place(state))
		*breadcrumbs_place(&state->query.breadcrumbs) = *shown_place(state);
}

static void go_through(struct ui_state *state, enum view_kind kind,
		       const struct filter_part *parts, size_t count)
{
	struct diag why = { 0 };

	if (!state_is_waiting(state) && shown_place(state))
		shown_place(state)->is_moved = true;	/* opening a row selects it */
	save_place(state);
	if (breadcrumbs_push_parts(&state->query.breadcrumbs, kind, parts, count, &why)) {
		state_say(state, "%s", why.text);
		return;
	}
	state->query.wants_restore = true;
	state_ask(state);
}

void state_go(struct ui_state *state, enum view_kind kind, const struct filter_part *part)
{
	go_through(state, kind, part, part ? 1 : 0);
}

void state_go_way(struct ui_state *state, enum view_kind kind, const struct cursor_way *way)
{
	const uint32_t event = state->query.sample_event;
	const uint64_t query = state->query.number;

	state->query.sample_event = way->event;
	go_through(state, kind, way->parts, way->count);
	if (state->query.number == query)	/* it failed */
		state->query.sample_event = event;
}

void state_show_kind(struct ui_state *state, enum view_kind kind)
{
	if (state_kind(state) == kind)
		return;
	if (state_probe_here(state) == PROBE_ALL)
		state_leave_probe(state);	/* its log has no samples */
	if (state_probe_here(state) &&
	    (!state_shows_samples(state) || !(state->specs[kind].ops->place & IN_SAMPLES))) {
		state_go(state, kind, NULL);	/* between the probe's page and its hits */
		return;
	}
	save_place(state);
	breadcrumbs_show(&state->query.breadcrumbs, kind);
	state->query.wants_restore = true;
	state_ask(state);
}

void state_open_probe(struct ui_state *state, const struct snapshot_probe *probe)
{
	struct diag why = { 0 };

	save_place(state);
	if (breadcrumbs_push_probe(&state->query.breadcrumbs, probe ? probe->id : PROBE_ALL,
				   probe ? probe->event : 0, &why)) {
		state_say(state, "%s", why.text);
		return;
	}
	state->query.wants_restore = true;
	state_ask(state);
	state_refresh_view(state);	/* keys for its panes may come before the reply */
}

void state_open_group(struct ui_state *state, enum view_kind kind, const struct menu_group *group)
{
	struct diag why = { 0 };

	save_place(state);
	if (breadcrumbs_push_group(&state->query.breadcrumbs, kind, group->id, group->name,
				   &why)) {
		state_say(state, "%s", why.text);
		return;
	}
	state->search[0] = '\0';
	state->query.wants_restore = true;
	state_ask(state);
}

static bool is_event_of_probe(const struct snapshot_probes *probes, uint32_t event)
{
	for (uint32_t i = 0; i < probes->count; i++)
		if (probes->list[i].event == event)
			return true;
	return false;
}

/* Returns the event that is shown, or the first, of those that are no probes; UINT32_MAX: there is
 * none. */
static uint32_t find_sampled_event(const struct ui_state *state)
{
	const struct snapshot *shown = state->shown;
	uint32_t event = state->query.sample_event;

	if (event < shown->event_count && !is_event_of_probe(&shown->probes, event))
		return event;
	for (event = 0; event < shown->event_count; event++)
		if (!is_event_of_probe(&shown->probes, event))
			return event;
	return UINT32_MAX;
}

void state_open_inside(struct ui_state *state, enum inside_calls calls,
		       const struct snapshot_probe *probe)
{
	const uint32_t event = find_sampled_event(state);
	struct diag why = { 0 };

	if (event == UINT32_MAX) {
		state_say(state, state->source
			  ? "only probes are sampled: 1, then e and cpu-clock (or -e cpu-clock) "
			    "samples what is inside calls"
			  : "the recording has only hits of probes, no samples inside calls");
		return;
	}
	save_place(state);
	if (breadcrumbs_push_inside(&state->query.breadcrumbs, state->query.call_kind, calls,
				    probe->id, &why)) {
		state_say(state, "%s", why.text);
		return;
	}
	state->query.sample_event = event;
	state->search[0] = '\0';
	state->query.wants_restore = true;
	state_ask(state);
}

const struct snapshot_probe *state_inside_probe(const struct ui_state *state)
{
	const struct breadcrumbs *breadcrumbs = &state->query.breadcrumbs;
	const struct breadcrumbs_level *here = &breadcrumbs->levels[breadcrumbs->count - 1];

	return snapshot_probes_find(state->shown ? &state->shown->probes : NULL,
				    here->inside_probe);
}

const struct snapshot_probe *state_weighed_probe(const struct ui_state *state)
{
	const struct snapshot_probes *of = state->shown ? &state->shown->probes : NULL;

	if (state_probe_here(state) || !state_shows_samples(state))
		return snapshot_probes_find(of, state_probe_here(state));
	for (uint32_t i = 0; of && i < of->count; i++)
		if (of->list[i].event == state->query.sample_event)
			return &of->list[i];
	return NULL;
}

unsigned int state_hit_weight(const struct ui_state *state)
{
	const struct snapshot_probe *probe = state_weighed_probe(state);

	if (!probe)
		return HIT_WEIGHT_COUNT;
	if (state->query.weighed_probe == probe->id)
		return state->query.hit_weight;
	return hit_weight_find(probe, state->query.first_weight);
}

void state_set_hit_weight(struct ui_state *state, unsigned int weight)
{
	const struct snapshot_probe *probe = state_weighed_probe(state);

	state->query.weighed_probe = probe ? probe->id : 0;
	state->query.hit_weight = weight;
	state_ask(state);
	state_refresh_view(state);
}

void state_open_listing(struct ui_state *state, const struct source_request *of, const char *listed,
			const char *name)
{
	struct diag why = { 0 };

	if (!state_is_waiting(state) && shown_place(state))
		shown_place(state)->is_moved = true;	/* opening a row selects it */
	save_place(state);
	if (breadcrumbs_push_listing(&state->query.breadcrumbs, of, listed, name, &why)) {
		state_say(state, "%s", why.text);
		return;
	}
	state->search[0] = '\0';
	state->query.wants_restore = true;
	state_ask(state);
}

bool state_show_table(struct ui_state *state)
{
	save_place(state);
	if (!breadcrumbs_show_table(&state->query.breadcrumbs))
		return false;
	state->query.wants_restore = true;
	state_ask(state);
	return true;
}

bool state_go_back(struct ui_state *state)
{
	if (!breadcrumbs_pop(&state->query.breadcrumbs))
		return false;
	state->query.wants_restore = true;
	state_ask(state);
	return true;
}

void state_open_view(struct ui_state *state, struct view *view)
{
	if (state->view == view)
		return;
	/* One page of text takes the place of another: back always leads to the table. */
	view->opener = state->view->opener ? state->view->opener : state->view;
	state->view = view;
	state_refresh_view(state);
}

void state_close_view(struct ui_state *state)
{
	if (!state->view->opener)
		return;
	state->view = state->view->opener;
	state->is_changed = true;
}

void state_open_prompt(struct ui_state *state, const struct prompt_use *use, const char *text)
{
	state->prompt_use = use;
	prompt_open(&state->prompt, use->label, text);
	state->is_changed = true;
}

void state_open_menu(struct ui_state *state, const struct menu_use *use, const char *title,
		     bool is_bottom)
{
	state->menu_use = use;
	menu_open(&state->menu, title, is_bottom);
	state->is_changed = true;
}

void state_change_source(struct ui_state *state, enum source_change_kind kind, const char *text)
{
	struct source_change change = { .kind = kind };

	snprintf(change.text, sizeof(change.text), "%s", text);
	if (!state->source->ask(state->source->owner, &change)) {
		state_say(state, "the change before is still under way");
		return;
	}
	state->change = change;
	state->is_source_changing = true;
	state_say(state, "changing what is sampled\u2026");
}

void state_source_changed(struct ui_state *state, int err, const struct diag *why)
{
	state->is_source_changing = false;
	state_say(state, "%s", err ? why->text : "changed: the window begins now");
	if (!err && (state->query.is_paused || state->query.time.end_ns))
		state_show_time(state, (struct time_range){ 0, 0 });
	if (!err) {
		launch_change_source(&state->launch, &state->change);
		state->is_command_ended = state->query.is_zeroed = false;
		state->query.sample_event = state->query.asked_event = 0;	/* other events */
		ask_event(state);
	}
	if (!err && state->query.compare.has_baseline) {
		state_forget_baseline(state);
		state_ask(state);
	}
	state_request(state, REQUEST_REFRESH, 0, 0);
}

void state_say(struct ui_state *state, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(state->message, sizeof(state->message), format, args);
	va_end(args);
	state->is_changed = true;
}
