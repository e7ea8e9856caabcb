/* state.c - see state.h. Commands are in ui/command_*.c; ui/state_keys.c maps keys to commands. */
#include "state.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "term/mouse.h"
#include "ui/column_changes.h"
#include "ui/commands.h"
#include "views/view_command_line.h"
#include "views/view_help.h"
#include "views/view_hit.h"
#include "views/view_log.h"
#include "views/view_losses.h"
#include "views/view_messages.h"
#include "widgets/group_path.h"

void state_init(struct ui_state *state)
{
	*state = (struct ui_state){ .symbol_keys = KEY_OBJECT | KEY_SYMBOL, .is_changed = true,
				     .choice = columns_at_first,
				     .groups = group_order_at_first };
	for (int kind = 0; kind < VIEW_COUNT; kind++) {
		state->orders[kind].column = table_specs[kind].order;
		state->compared_orders[kind].column = COL_CHANGE;
	}
	trail_init(&state->trail, VIEW_SYMBOLS);
	table_view_init(&state->table);
	tree_view_init(&state->tree);
	flame_view_init(&state->flame);
	groups_view_init(&state->groups_view);
	probes_view_init(&state->probes);
	probe_view_init(&state->probe);
	pager_init(&state->help, &view_help_ops);
	pager_init(&state->messages, &view_messages_ops);
	pager_init(&state->losses, &view_losses_ops);
	pager_init(&state->log, &view_log_ops);
	pager_init(&state->hit, &view_hit_ops);
	pager_init(&state->line_page, &view_command_line_ops);
	state->view = &state->table.view;
}

void state_finish(struct ui_state *state)
{
	table_view_finish(&state->table);
	tree_view_finish(&state->tree);
	flame_view_finish(&state->flame);
	groups_view_finish(&state->groups_view);
	pager_finish(&state->help);
	pager_finish(&state->messages);
	pager_finish(&state->losses);
	pager_finish(&state->log);
	pager_finish(&state->hit);
	pager_finish(&state->line_page);
	menu_finish(&state->menu);
}

bool state_is_table(const struct ui_state *state)
{
	return state->view == &state->table.view;
}

bool state_is_tree(const struct ui_state *state)
{
	return state->view == &state->tree.view;
}

bool state_is_flame(const struct ui_state *state)
{
	return state->view == &state->flame.view;
}

bool state_is_groups(const struct ui_state *state)
{
	return state->view == &state->groups_view.view;
}

struct tree_rows *state_tree_rows(struct ui_state *state)
{
	if (state_is_groups(state))
		return &state->groups_view.rows;
	return state_is_tree(state) ? &state->tree.rows : NULL;
}

bool state_is_probes(const struct ui_state *state)
{
	return state->view == &state->probes.view;
}

bool state_is_probe(const struct ui_state *state)
{
	return state->view == &state->probe.view;
}

bool state_is_page(const struct ui_state *state)
{
	return state->view->opener;
}

enum view_kind state_kind(const struct ui_state *state)
{
	return state->trail.levels[state->trail.count - 1].kind;
}

static unsigned int keys_of_view(const struct ui_state *state, enum view_kind kind)
{
	return kind == VIEW_SYMBOLS ? state->symbol_keys : table_specs[kind].keys;
}

static bool has_probes(const struct ui_state *state)
{
	return state->shown && state->shown->probes.count;
}

bool state_is_compared(const struct ui_state *state)
{
	return state->shown && state->shown->is_compared;
}

const struct table_order *state_order(const struct ui_state *state)
{
	return state_is_compared(state) ? &state->compared_orders[state->shown_kind]
					: &state->orders[state->shown_kind];
}

void state_set_order(struct ui_state *state, struct table_order order)
{
	if (state_is_compared(state))
		state->compared_orders[state->shown_kind] = order;
	else
		state->orders[state->shown_kind] = order;
}

unsigned int state_unable_columns(const struct ui_state *state)
{
	return (has_probes(state) ? 0 : 1u << COL_PROBE) |
	       (state_is_compared(state) ? 0 : COLUMN_CHANGES);
}

struct column_set state_columns(const struct ui_state *state)
{
	const enum view_kind kind = state->shown_kind;

	return (struct column_set){
		.ids = table_specs[kind].columns, .fill = table_specs[kind].fill,
		.asked = state->choice.asked,
		.hidden = state->choice.hidden[kind] | state_unable_columns(state),
		.keys = state->shown ? state->shown->keys : keys_of_view(state, kind),
	};
}

void state_refresh_view(struct ui_state *state)
{
	/* Views point into the snapshot, so they are refreshed even while they are covered. */
	state->table.view.ops->refresh(&state->table.view, state);
	state->tree.view.ops->refresh(&state->tree.view, state);
	state->flame.view.ops->refresh(&state->flame.view, state);
	state->groups_view.view.ops->refresh(&state->groups_view.view, state);
	state->probes.view.ops->refresh(&state->probes.view, state);
	state->probe.view.ops->refresh(&state->probe.view, state);
	if (state_is_page(state))
		state->view->ops->refresh(state->view, state);
	state->is_changed = true;
}

bool state_is_waiting(const struct ui_state *state)
{
	return !state->shown || state->shown->query != state->query;
}

/* Presses the deferred keys; those that still have to wait are deferred again, in order. */
static void press_deferred(struct ui_state *state)
{
	const size_t count = state->deferred_count;
	int keys[STATE_DEFERRED];

	memcpy(keys, state->deferred, count * sizeof(keys[0]));
	state->deferred_count = 0;
	for (size_t i = 0; i < count; i++)
		state_press_key(state, keys[i], NULL);
}

static struct table_place *shown_place(struct ui_state *state)
{
	switch (state->shown_kind) {
	case VIEW_PROBES: return &state->probes.place;
	case VIEW_TREE:	  return &state->tree.rows.place;
	case VIEW_GROUPS: return &state->groups_view.rows.place;
	default:	  return &state->table.rows.place;
	}
}

static struct view *view_of(struct ui_state *state, enum view_kind kind)
{
	switch (kind) {
	case VIEW_TREE:	  return &state->tree.view;
	case VIEW_FLAME:  return &state->flame.view;
	case VIEW_GROUPS: return &state->groups_view.view;
	case VIEW_PROBES: return trail_here(&state->trail)->probe ? &state->probe.view
								  : &state->probes.view;
	default:	  return &state->table.view;
	}
}

/* Switches to another view of rows; under a page of text, only the view beneath the page. */
static void show_kind(struct ui_state *state, enum view_kind kind)
{
	struct view *view = view_of(state, kind);

	state->shown_kind = kind;
	if (state_is_page(state))
		state->view->opener = view;
	else
		state->view = view;
}

void state_begin_with(struct ui_state *state, enum view_kind kind)
{
	trail_init(&state->trail, kind);
	show_kind(state, kind);
}

static void restore_place(struct ui_state *state)
{
	state->wants_restore = false;
	*shown_place(state) = *trail_place(&state->trail);
	state_refresh_view(state);
	if (state->shown_kind == VIEW_TREE)
		tree_rows_restore(&state->tree.rows, trail_place(&state->trail));
	else if (state->shown_kind == VIEW_GROUPS)
		tree_rows_restore(&state->groups_view.rows, trail_place(&state->trail));
	else if (state->shown_kind == VIEW_PROBES)
		probes_view_restore(&state->probes, trail_place(&state->trail));
	else
		table_rows_restore(&state->table.rows, trail_place(&state->trail));
}

/* True if @fresh has the rows or the tree of a view that was left before they arrived. */
static bool is_of_another_view(const struct snapshot *fresh, const struct snapshot *old)
{
	return fresh->keys != old->keys || fresh->tree.direction != old->tree.direction ||
	       fresh->tree.limit_pct != old->tree.limit_pct ||
	       !fresh->groups.level_count != !old->groups.level_count;
}

/* True if @fresh was made before the analyzer got the pause or the selected time. Any selected
 * window is accepted, so that each window on the way shows while a stepping key is held. */
static bool is_of_another_time(const struct ui_state *state, const struct snapshot *fresh)
{
	if (state->time.end_ns)
		return !fresh->is_selected;
	return state->is_paused && (!fresh->is_frozen || fresh->is_selected);
}

/* Updates the baseline from the snapshot: another recording is announced only there (it may lack
 * the first event), and the analyzer may refuse a marked window, or have lost its history. */
static void take_baseline(struct ui_state *state, const struct snapshot *old,
			  const struct snapshot *fresh)
{
	const char *notice = fresh->baseline.notice;
	const bool is_answer = state->compare.marked.end_ns;
	const bool is_gone = state->compare.has_baseline && !fresh->has_baseline;
	const bool is_refused = is_answer && notice && notice[0];

	if (fresh->query != state->query)
		return;
	if (!old)
		state->compare.is_on = fresh->has_baseline;
	if ((is_answer || is_gone) && notice && notice[0])
		state_say(state, "%s", notice);
	else if (is_gone)
		state_say(state, "the baseline has left the history: m marks another");
	if (is_gone)
		state->compare.is_on = false;
	if (is_answer && !is_refused)
		state->compare.is_selected = state->compare.is_marked_selected;
	state->compare.has_baseline = fresh->has_baseline;
	state->compare.is_rest &= fresh->has_baseline;
	state->compare.marked = (struct time_range){ 0, 0 };
}

const struct snapshot *state_offer_snapshot(struct ui_state *state, const struct snapshot *fresh)
{
	const struct snapshot *old = state->shown;

	if (old && is_of_another_time(state, fresh))
		return fresh;
	if (old && fresh->query != state->query && is_of_another_view(fresh, old))
		return fresh;
	if (!old)
		state->sample_event = state->asked_event = fresh->event_index;
	take_baseline(state, old, fresh);
	state_tell_trouble(state, old, fresh);
	state_probes_shown(state, fresh);
	trail_demangle(&state->trail, fresh);
	state->shown = fresh;
	if (fresh->query == state->query) {
		show_kind(state, state_kind(state));
		if (state->wants_restore)
			restore_place(state);
		state_leave_removed(state);
	}
	state_refresh_view(state);
	if (state->prompt.is_open && state->prompt_use->refreshed)
		state->prompt_use->refreshed(state);
	press_deferred(state);
	return old;
}

void state_request(struct ui_state *state, enum request_kind kind, uint32_t value,
		   uint64_t value_ns)
{
	struct request *slot = state->outbox;
	struct request *end = state->outbox + state->outbox_count;

	while (slot < end && slot->kind != kind)
		slot++;
	/* The newest goes last: zero after freeze is not freeze after zero. */
	if (slot < end)
		memmove(slot, slot + 1, (size_t)(--end - slot) * sizeof(*slot));
	else	/* there is room: as many as there are kinds */
		state->outbox_count++;
	*end = (struct request){ .kind = kind, .value = value, .value_ns = value_ns };
}

void state_show_time(struct ui_state *state, struct time_range range)
{
	state->time = range;
	state->is_paused = false;
	state->is_on_time = range.end_ns;
	if (!range.end_ns)
		state->visited_count = 0;
	state_request(state, REQUEST_FREEZE, 0, range.end_ns);
	state->outbox[state->outbox_count - 1].begin_ns = range.begin_ns;
	state->is_changed = true;
}

bool state_is_time_waiting(const struct ui_state *state)
{
	const struct snapshot *shown = state->shown;

	if (!shown || !state->time.end_ns)
		return shown && shown->is_selected;
	return shown->asked_begin_ns != state->time.begin_ns ||
	       shown->asked_end_ns != state->time.end_ns;
}

struct time_range state_shown_time(const struct ui_state *state)
{
	const struct snapshot *shown = state->shown;

	if (!state->time.end_ns || state_is_time_waiting(state) ||
	    shown->begin_ns >= shown->time_ns)
		return state->time;
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
		.wall_offset_ns = state->wall_offset_ns,
	};
}

void state_forget_baseline(struct ui_state *state)
{
	state->compare = (struct comparing){ .has_baseline = false };
	state_request(state, REQUEST_BASELINE, 0, 0);
}

static void add_level(struct filter *filter, enum filter_field field)
{
	const struct filter_part part = { .field = field, .is_negated = true };
	struct diag why;

	filter_add(filter, &part, &why);	/* there is room: see TRAIL_PARTS */
}

enum tree_direction state_tree_direction(const struct ui_state *state)
{
	const struct trail *trail = &state->trail;

	if (trail->levels[trail->count - 1].direction != TREE_NONE)
		return trail->levels[trail->count - 1].direction;
	if (state_probe_hits(state))
		return TREE_CALLERS;	/* all stacks end in the probed function */
	for (uint32_t i = 0; i < trail->filter.count; i++)
		if (trail->filter.parts[i].field == FILTER_SYMBOL &&
		    !trail->filter.parts[i].is_negated)
			return TREE_CALLERS;	/* for one function its callers matter */
	return TREE_CALLEES;
}

static struct snapshot_row row_of_node(const struct tree_node *node)
{
	return (struct snapshot_row){
		.id = node->id, .self_samples = node->self_samples,
		.total_samples = node->total_samples, .self_weight = node->self_weight,
		.total_weight = node->total_weight, .inlined_weight = node->inlined_weight,
		.base_self_samples = node->base_self_samples,
		.base_total_samples = node->base_total_samples,
		.base_self_weight = node->base_self_weight,
		.base_total_weight = node->base_total_weight, .symbol = node->symbol,
		.raw_symbol = node->raw_symbol, .object = node->object,
		.object_path = node->object_path, .build_id = "",
		.comm = node->is_command ? node->symbol : "", .reason = "", .source = "",
		.source_reason = "", .command_line = "", .cgroup = "", .unit = "",
		.container = "", .pod = "", .address = node->address,
		.object_id = node->object_id, .pid = -1, .tid = -1, .cpu = -1,
		.mode = node->mode, .state = node->state, .is_synthetic = node->is_synthetic,
		.is_inlined = node->is_inlined,
		.cpu_pct = -1, .busy_pct = -1,
	};
}

bool state_cursor_row(const struct ui_state *state, struct snapshot_row *out)
{
	const struct tree_row *line = tree_rows_cursor(&state->tree.rows);
	const uint32_t node = flame_view_selected_node(&state->flame);
	const struct snapshot_row *row = table_rows_cursor(&state->table.rows);

	if (state->shown_kind == VIEW_PROBES)
		return false;
	if (state->shown_kind == VIEW_GROUPS) {
		line = tree_rows_cursor(&state->groups_view.rows);
		if (line)
			*out = group_path_row(state->groups_view.rows.groups, line->first);
		return line;
	}
	if (state->shown_kind == VIEW_TREE) {
		if (line)
			*out = row_of_node(tree_rows_node(&state->tree.rows, line->first));
		return line;
	}
	if (state->shown_kind == VIEW_FLAME) {
		if (node != FLAME_NONE)
			*out = row_of_node(&state->flame.tree->nodes[node]);
		return node != FLAME_NONE;
	}
	if (row)
		*out = *row;
	return row;
}

bool state_cursor_way(const struct ui_state *state, struct cursor_way *out)
{
	const struct group_tree *groups = state->groups_view.rows.groups;
	const struct tree_row *line = tree_rows_cursor(&state->groups_view.rows);
	struct snapshot_row row;

	out->count = out->left_out = 0;
	out->event = state->sample_event;
	if (state->shown_kind != VIEW_GROUPS) {
		out->count = state_cursor_row(state, &row) &&
			     views_opening_part(state->shown_kind, &row, out->parts);
		return out->count;
	}
	if (!line)
		return false;
	out->count = group_path_parts(groups, line->first, out->parts, &out->left_out);
	out->event = group_path_event(groups, line->first, state->sample_event);
	return out->count || !out->left_out;
}

bool state_has_lines(const struct ui_state *state)
{
	return !(state->choice.hidden[VIEW_SYMBOLS] & 1u << COL_SOURCE);
}

/* Requests the event of the samples or of the level's probe, before the query, so that the query's
 * answer is of this event. */
static void ask_event(struct ui_state *state)
{
	const uint32_t event = state_probe_hits(state) ? trail_here(&state->trail)->event
						       : state->sample_event;

	if (event == state->asked_event)
		return;
	state->asked_event = event;
	state_request(state, REQUEST_EVENT, event, 0);
}

void state_ask(struct ui_state *state)
{
	struct request *request;

	ask_event(state);
	state->query++;
	state_request(state, REQUEST_QUERY, 0, 0);
	request = &state->outbox[state->outbox_count - 1];
	request->query = (struct query){
		.number = state->query, .keys = keys_of_view(state, state_kind(state)),
		.filter = state->trail.filter, .raw_names = state->raw_names,
		.tree_inlined = state_has_lines(state), .compare = state->compare.is_on,
		.is_relative = state->is_relative,
		.heat = state->wants_heat,
		.probe = state_kind(state) == VIEW_PROBES ? state_probe_here(state) : 0,
	};
	if (state->view == &state->hit.view) {
		request->query.hit_probe = state->hit_probe;
		request->query.hit = state->hit_number;
	}
	if (state_kind(state) == VIEW_TREE) {
		request->query.tree = state_tree_direction(state);
		request->query.tree_limit_pct = state->tree.limit_pct;
	} else if (state_kind(state) == VIEW_FLAME) {
		request->query.tree = TREE_CALLEES;
		request->query.tree_commands = true;
		request->query.tree_limit_pct = flame_view_limit_pct(&state->flame);
	}
	if (state_kind(state) == VIEW_GROUPS) {
		request->query.group_count = state->groups.count;
		memcpy(request->query.groups, state->groups.keys, sizeof(state->groups.keys));
	}
	if (state->hide_kernel)
		add_level(&request->query.filter, FILTER_KERNEL);
	if (state->hide_user)
		add_level(&request->query.filter, FILTER_USER);
	state->is_changed = true;
}

static void save_place(struct ui_state *state)
{
	if (!state_is_waiting(state))
		*trail_place(&state->trail) = *shown_place(state);
}

static void go_through(struct ui_state *state, enum view_kind kind,
		       const struct filter_part *parts, size_t count)
{
	struct diag why = { 0 };

	if (!state_is_waiting(state))
		shown_place(state)->is_moved = true;	/* opening a row selects it */
	save_place(state);
	if (trail_push_parts(&state->trail, kind, parts, count, &why)) {
		state_say(state, "%s", why.text);
		return;
	}
	state->wants_restore = true;
	state_ask(state);
}

void state_go(struct ui_state *state, enum view_kind kind, const struct filter_part *part)
{
	go_through(state, kind, part, part ? 1 : 0);
}

void state_go_way(struct ui_state *state, enum view_kind kind, const struct cursor_way *way)
{
	const uint32_t event = state->sample_event;
	const uint64_t query = state->query;

	state->sample_event = way->event;
	go_through(state, kind, way->parts, way->count);
	if (state->query == query)	/* it failed */
		state->sample_event = event;
}

void state_show_kind(struct ui_state *state, enum view_kind kind)
{
	if (state_kind(state) == kind)
		return;
	if (state_probe_here(state) == PROBE_ALL)
		state_leave_probe(state);	/* its log has no samples */
	if (state_probe_here(state) && (kind == VIEW_PROBES || state_kind(state) == VIEW_PROBES)) {
		state_go(state, kind, NULL);	/* between the probe's page and its hits */
		return;
	}
	save_place(state);
	trail_show(&state->trail, kind);
	state->wants_restore = true;
	state_ask(state);
}

void state_open_probe(struct ui_state *state, const struct snapshot_probe *probe)
{
	struct diag why = { 0 };

	save_place(state);
	if (trail_push_probe(&state->trail, probe ? probe->id : PROBE_ALL,
			     probe ? probe->event : 0, &why)) {
		state_say(state, "%s", why.text);
		return;
	}
	state->wants_restore = true;
	state_ask(state);
	state_refresh_view(state);	/* keys for its panes may come before the answer */
}

bool state_show_table(struct ui_state *state)
{
	save_place(state);
	if (!trail_show_table(&state->trail))
		return false;
	state->wants_restore = true;
	state_ask(state);
	return true;
}

bool state_go_back(struct ui_state *state)
{
	if (!trail_pop(&state->trail))
		return false;
	state->wants_restore = true;
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
	if (!err && (state->is_paused || state->time.end_ns))
		state_show_time(state, (struct time_range){ 0, 0 });
	if (!err) {
		command_line_change_source(&state->launch, &state->change);
		state->is_command_ended = state->is_zeroed = false;
		state->sample_event = state->asked_event = 0;	/* others are sampled now */
		ask_event(state);
	}
	if (!err && state->compare.has_baseline) {
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
