/* command_probes.c - commands to add probes, to list them and to change one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command_list.h"
#include "views/view_hit.h"
#include "views/view_probes.h"
#include "widgets/finder.h"
#include "widgets/hit_weight.h"
#include "widgets/probe_columns.h"
#include "widgets/probe_panel.h"

/* Returns the process to probe a row's function in: the row's, the one that the filter selects, or
 * the only one sampled. */
static pid_t pid_of(const struct ui_state *state, const struct snapshot_row *row)
{
	const struct filter *filter = &state->query.breadcrumbs.filter;

	if (row->pid > 0)
		return (pid_t)row->pid;
	for (uint32_t i = 0; i < filter->count; i++)
		if (filter->parts[i].field == FILTER_PID && !filter->parts[i].is_negated)
			return (pid_t)filter->parts[i].number;
	return state_target_pid(state);
}

void cmd_probe(struct ui_state *state)
{
	char why[PANEL_WHY_BYTES];
	struct snapshot_row row;

	if (!state_cursor_row(state, &row))
		return;
	if (state_probe_refusal(state)[0])
		state_say(state, "%s", state_probe_refusal(state));
	else if (probe_panel_row_refusal(&row, why)[0])
		state_say(state, "%s", why);
	else if (state->view->ops->probe)
		state->view->ops->probe(state->view, state);
	else
		probe_panel_open_row(state, &row, pid_of(state, &row));
}

void cmd_find_target(struct ui_state *state)
{
	finder_open(state);
}

void cmd_probes(struct ui_state *state)
{
	while (state_is_page(state))
		state_close_view(state);
	state_leave_probe(state);
	state_show_kind(state, VIEW_PROBES);
}

/* Queues a request that needs only the probe's id. */
static bool request_probe(struct ui_state *state, const struct snapshot_probe *probe,
			  enum probe_request_kind kind, const char *said)
{
	const struct probe_request request = { .kind = kind, .probe = probe->id };

	if (!state_probe_request(state, &request))
		return false;
	state_say(state, "%s: %s", probe_plain_name(probe), said);
	return true;
}

/* True if the probe is on, by the last request, which the row may not show yet. */
static bool is_on(const struct ui_state *state, const struct snapshot_probe *probe)
{
	const struct probe_sent *sent = state_probe_sent(state, probe);

	if (sent)
		return sent->kind != PROBE_OFF;
	return probe->state == PROBE_ATTACHED || probe->state == PROBE_ATTACHING ||
	       probe->state == PROBE_PAUSED;
}

static bool is_leaving(struct ui_state *state, const struct snapshot_probe *probe)
{
	const struct probe_sent *sent = state_probe_sent(state, probe);

	if (!sent || sent->kind != PROBE_REMOVE)
		return false;
	state_say(state, "%s is being removed", probe_plain_name(probe));
	return true;
}

static bool is_recorded(struct ui_state *state, const struct snapshot_probe *probe)
{
	if (probe->state != PROBE_RECORDED)
		return false;
	state_say(state, "%s was recorded: it can be looked at, not changed",
		  probe_plain_name(probe));
	return true;
}

/* True if no key can change the probe; shows why. */
static bool is_final(struct ui_state *state, const struct snapshot_probe *probe)
{
	if (is_leaving(state, probe) || is_recorded(state, probe))
		return true;
	if (probe->state != PROBE_REFUSED)
		return false;
	state_say(state, "%s: refused: %s", probe_plain_name(probe), probe->reason);
	return true;
}

static void toggle(struct ui_state *state, const struct snapshot_probe *probe)
{
	if (is_final(state, probe))
		return;
	if (is_on(state, probe))
		request_probe(state, probe, PROBE_OFF, "off from now on; its statistics stay");
	else
		request_probe(state, probe, PROBE_ON, "attaching\u2026");
}

static void remove_probe(struct ui_state *state, const struct snapshot_probe *probe)
{
	if (!is_leaving(state, probe) && !is_recorded(state, probe) &&
	    request_probe(state, probe, PROBE_REMOVE, "removed") &&
	    state_probe_here(state) == probe->id)
		state_leave_probe(state);
}

static void extend(struct ui_state *state, const struct snapshot_probe *probe)
{
	if (is_final(state, probe))
		return;
	if (probe->lease_s < 0)
		state_say(state, "%s has no lease: it stays until it is removed",
			  probe_plain_name(probe));
	else if (!is_on(state, probe))
		state_say(state, "%s is %s: t switches it on with a new lease",
			  probe_plain_name(probe), state_probe_sent(state, probe)
						   ? "off" : probe_state_word(probe->state));
	else
		request_probe(state, probe, PROBE_EXTEND, "its lease is longer now");
}

/* Returns the probe under the cursor; NULL, with a message: there is none. */
static const struct snapshot_probe *chosen_probe(struct ui_state *state)
{
	const struct snapshot_probe *probe = state_probe(state);

	if (!probe && state_probe_refusal(state)[0])
		state_say(state, "%s", state_probe_refusal(state));
	else if (!probe && state_probe_here(state) == PROBE_ALL)
		state_say(state, "there is no hit yet");
	else if (!probe)
		state_say(state, "there is no probe \u00b7 Ctrl-P finds a target");
	return probe;
}

static void on_probe(struct ui_state *state,
		     void (*act)(struct ui_state *, const struct snapshot_probe *))
{
	const struct snapshot_probe *probe = chosen_probe(state);

	if (probe)
		act(state, probe);
}

void cmd_probe_toggle(struct ui_state *state)
{
	on_probe(state, toggle);
}

/* On a probe that is being attached, cancels all that are being attached. */
void cmd_probe_remove(struct ui_state *state)
{
	const struct snapshot_probe *probe = state_probe(state);

	if (state->out.adding && (!probe || probe->state == PROBE_ATTACHING))
		cmd_probe_cancel(state);
	else
		on_probe(state, remove_probe);
}

void cmd_probe_extend(struct ui_state *state)
{
	on_probe(state, extend);
}

void cmd_probe_cancel(struct ui_state *state)
{
	const struct probe_request request = { .kind = PROBE_CANCEL, .number = state->out.adding };

	if (!state->out.adding)
		state_say(state, "nothing is being attached");
	else if (state_probe_request(state, &request))
		state_say(state, "what is not attached yet will not be");
}

static void remove_chosen(struct ui_state *state, const struct menu_item *item)
{
	const struct probe_request request = { .kind = PROBE_REMOVE_ALL };

	if (!item->id || !state_probe_request(state, &request))
		return;
	state_leave_probe(state);
	state_say(state, "removing all probes\u2026");
}

void cmd_probe_remove_all(struct ui_state *state)
{
	static const struct menu_use use = { remove_chosen };
	const uint32_t count = state->shown ? state->shown->probes.count : 0;
	char label[MENU_LABEL_BYTES];

	if (!count) {
		state_say(state, "there is no probe");
		return;
	}
	if (state_probe_refusal(state)[0]) {
		state_say(state, "%s", state_probe_refusal(state));
		return;
	}
	state_open_menu(state, &use, "remove all probes, with their statistics", false);
	snprintf(label, sizeof(label), "keep %s", count == 1 ? "it" : "them");
	menu_add(&state->menu, 0, MENU_PLAIN, label, "Esc");
	snprintf(label, sizeof(label), "remove %" PRIu32 " probe%s", count, count == 1 ? "" : "s");
	menu_add(&state->menu, 1, MENU_PLAIN, label, "");
}

/* The menu of a probe. */

enum probe_action {
	ACTION_OPEN, ACTION_GROUP_TREE, ACTION_GROUP_FLAME, ACTION_GROUP_TABLE,
	ACTION_TREE, ACTION_FLAME, ACTION_INSIDE, ACTION_INSIDE_SLOWEST,
	ACTION_TOGGLE, ACTION_BURSTS, ACTION_EXTEND, ACTION_REMOVE,
	ACTION_CAP,		/* and after it the caps of the table */
};

static const double caps_pct[] = { 10, 25, 100 };
#define CAP_COUNT (sizeof(caps_pct) / sizeof(caps_pct[0]))

static void lift_cap(struct ui_state *state, const struct snapshot_probe *probe, double cap_pct)
{
	struct probe_request request = { .kind = PROBE_LIFT, .probe = probe->id };

	request.choice.cap_pct = cap_pct;
	if (state_probe_request(state, &request))
		state_say(state, "%s: on again, up to %.0f %% of one CPU",
			  probe_plain_name(probe), cap_pct);
}

static void action_chosen(struct ui_state *state, const struct menu_item *item)
{
	const struct snapshot_probe *probe =
		probes_view_get(probes_view_of(state), state->menu_probe);

	if (!probe) {
		state_say(state, "the probe was removed");
		return;
	}
	switch (item->id) {
	case ACTION_OPEN:   state_open_probe(state, probe); break;
	case ACTION_GROUP_TREE:	 state_open_group(state, VIEW_TREE, &state->menu_group); break;
	case ACTION_GROUP_FLAME: state_open_group(state, VIEW_FLAME, &state->menu_group); break;
	case ACTION_GROUP_TABLE: state_open_group(state, VIEW_SYMBOLS, &state->menu_group); break;
	case ACTION_TREE:   command_open_hits(state, probe, VIEW_TREE); break;
	case ACTION_FLAME:  command_open_hits(state, probe, VIEW_FLAME); break;
	case ACTION_INSIDE: state_open_inside(state, INSIDE_ALL, probe); break;
	case ACTION_INSIDE_SLOWEST: state_open_inside(state, INSIDE_SLOWEST, probe); break;
	case ACTION_TOGGLE: toggle(state, probe); break;
	case ACTION_EXTEND: extend(state, probe); break;
	case ACTION_REMOVE: remove_probe(state, probe); break;
	case ACTION_BURSTS:
		request_probe(state, probe, PROBE_BURSTS, "in bursts: on 1 s in 10, its statistics "
			      "are a sample");
		break;
	default:
		lift_cap(state, probe, caps_pct[item->id - ACTION_CAP]);
	}
}

/* What ends a probe's being capped comes first then. */
static void add_caps(struct ui_state *state, const struct snapshot_probe *probe)
{
	char label[MENU_LABEL_BYTES], note[MENU_NOTE_BYTES] = "";

	if (probe->cost_pct > 0)	/* the cost of a probe that is off is unknown */
		snprintf(note, sizeof(note), "it takes %.1f %%", probe->cost_pct);
	if (!probe->is_in_bursts)
		menu_add(&state->menu, ACTION_BURSTS, MENU_PLAIN,
			 "in bursts: attached 1 s in 10", "a sample of the hits");
	for (size_t i = 0; i < CAP_COUNT; i++) {
		snprintf(label, sizeof(label), "a cap of %.0f %% of one CPU", caps_pct[i]);
		menu_add(&state->menu, ACTION_CAP + (int)i, MENU_PLAIN, label, note);
	}
}

static void add_group(struct ui_state *state)
{
	static const struct { enum probe_action action; const char *what, *key; } ways[] = {
		{ ACTION_GROUP_TREE, "the tree of its hits", "Enter" },
		{ ACTION_GROUP_FLAME, "the flame graph of its hits", "7" },
		{ ACTION_GROUP_TABLE, "the functions of its hits", "" },
	};
	char label[MENU_LABEL_BYTES];

	if (!command_copy_group(state, &state->menu_group))
		return;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		snprintf(label, sizeof(label), "only %.80s: %s", state->menu_group.name,
			 ways[i].what);
		menu_add(&state->menu, (int)ways[i].action, MENU_PLAIN, label, ways[i].key);
	}
}

/* True at one of the slowest calls. */
static bool is_at_slow_call(const struct ui_state *state)
{
	return probe_view_has_panes(state) && probe_view_of(state)->pane == PANE_SLOWEST &&
	       probe_view_hit(probe_view_of(state));
}

/* Why no sample is inside the calls of a latency that is_joined. */
static const char no_thread[] = "joined by fields, a call is of no thread";

static void add_inside(struct ui_state *state, const struct snapshot_probe *probe)
{
	if (probe->is_joined) {
		menu_add_disabled(&state->menu, "inside its calls", no_thread);
		return;
	}
	menu_add(&state->menu, ACTION_INSIDE_SLOWEST, MENU_PLAIN, "inside the slowest 1 %",
		 "samples and waits in them");
	menu_add(&state->menu, ACTION_INSIDE, MENU_PLAIN, "inside its calls",
		 "samples and waits in them");
}

/* Adds the actions that need a probe that is or was attached. */
static void add_uses(struct ui_state *state, const struct snapshot_probe *probe)
{
	menu_add(&state->menu, ACTION_TREE, MENU_PLAIN, "who calls it: the tree of its hits", "");
	menu_add(&state->menu, ACTION_FLAME, MENU_PLAIN, "the flame graph of its hits", "");
	if (probe->has_latency && !is_at_slow_call(state))
		add_inside(state, probe);
	if (probe->state == PROBE_RECORDED)
		return;
	menu_add(&state->menu, ACTION_TOGGLE, MENU_PLAIN, is_on(state, probe) ? "off" : "on", "t");
	menu_add(&state->menu, ACTION_EXTEND, MENU_PLAIN, "extend its lease", "+");
	if (probe->state != PROBE_CAPPED)
		add_caps(state, probe);
}

void cmd_probe_menu(struct ui_state *state)
{
	static const struct menu_use use = { action_chosen };
	const struct snapshot_probe *probe = chosen_probe(state);

	if (!probe || is_leaving(state, probe))
		return;
	state->menu_probe = probe->id;
	state_open_menu(state, &use, probe_plain_name(probe), false);
	if (probe->state == PROBE_CAPPED)
		add_caps(state, probe);
	if (probe_view_has_panes(state))
		add_group(state);
	if (is_at_slow_call(state))
		add_inside(state, probe);
	if (state_probe_here(state) != probe->id)
		menu_add(&state->menu, ACTION_OPEN, MENU_PLAIN, "latency, values, slowest, log",
			 "Enter");
	if (probe->state != PROBE_REFUSED)
		add_uses(state, probe);
	if (probe->state != PROBE_RECORDED)
		menu_add(&state->menu, ACTION_REMOVE, MENU_PLAIN, "remove", "d");
}

void cmd_inside(struct ui_state *state, int calls)
{
	const struct snapshot_probe *probe = chosen_probe(state);

	if (!probe)
		return;
	if (probe->is_joined)
		state_say(state, "nothing is inside the calls of %s: %s", probe_plain_name(probe),
			  no_thread);
	else if (probe->has_latency)
		state_open_inside(state, (enum inside_calls)calls, probe);
	else
		state_say(state, "%s measures no latency: samples are inside calls of a lat: probe",
			  probe_plain_name(probe));
}

static bool has_by(const struct group_order *order)
{
	for (uint32_t i = 0; i < order->count; i++)
		if (group_key_is_by(order->keys[i]))
			return true;
	return false;
}

/* The groups of the page go on as a tree: by the same keys, unless some of them were chosen. */
void cmd_group_hits(struct ui_state *state)
{
	const struct snapshot_probe *probe = chosen_probe(state);
	struct group_order order;

	if (!probe)
		return;
	order = group_order_of(&state->query.groups, probe);
	if (group_order_by_count(probe) && !has_by(&order))
		state->query.groups = group_order_by(probe);
	command_open_hits(state, probe, VIEW_GROUPS);
	cmd_group_keys(state);
}

void cmd_probe_open(struct ui_state *state)
{
	const struct snapshot_probe *probe = chosen_probe(state);

	if (!probe)
		return;
	if (state_probe_here(state) && probe_view_hit(probe_view_of(state))) {
		probe_log_stay(&probe_view_of(state)->log);
		view_hit_open(state, probe_view_hit(probe_view_of(state)));
	} else if (command_open_group(state, VIEW_TREE))
		return;
	else if (state_probe_here(state))
		state_show_kind(state, VIEW_TREE);
	else if (probe->state == PROBE_CAPPED)
		cmd_probe_menu(state);
	else
		state_open_probe(state, probe);
}

void cmd_probes_log(struct ui_state *state)
{
	if (state_probe_here(state) == PROBE_ALL)
		state_say(state, "these are the hits of all probes");
	else if (chosen_probe(state))
		state_open_probe(state, NULL);
}

void command_show_pane(struct ui_state *state, int pane)
{
	probe_view_show_pane(probe_view_of(state), (enum probe_pane)pane);
	state->is_changed = true;
}

void cmd_next_pane(struct ui_state *state)
{
	if (!probe_view_has_panes(state))
		cmd_probe_open(state);
	else
		command_show_pane(state, (int)probe_view_next_pane(probe_view_of(state), 1));
}

void cmd_previous_pane(struct ui_state *state)
{
	if (!probe_view_has_panes(state))
		cmd_back(state);
	else
		command_show_pane(state, (int)probe_view_next_pane(probe_view_of(state), -1));
}

/* The groups of its hits, and what each hit weighs. */

static bool has_groups_here(struct ui_state *state)
{
	if (probe_view_has_panes(state) && probe_view_of(state)->pane == PANE_GROUPS)
		return true;
	state_say(state, "only the groups of a probe's hits are sorted");
	return false;
}

/* Shows a message with the column that sorts the groups. */
static void say_order(struct ui_state *state)
{
	const struct group_table *table = &probe_view_of(state)->groups;
	char title[GROUP_TITLE_BYTES];

	if (table->groups)
		state_say(state, "sorted by %s%s",
			  group_table_title(table, table->sort, title),
			  table->is_reversed ? ", reversed" : "");
}

/* In another order, other groups may be the first. */
static void ask_groups(struct ui_state *state)
{
	const struct snapshot_groups *groups = probe_view_of(state)->groups.groups;

	if (groups && groups->left_out)
		state_ask(state);
}

void cmd_sort_groups(struct ui_state *state)
{
	if (!has_groups_here(state))
		return;
	group_table_sort_next(&probe_view_of(state)->groups);
	ask_groups(state);
	say_order(state);
}

void cmd_reverse_groups(struct ui_state *state)
{
	if (!has_groups_here(state))
		return;
	group_table_reverse(&probe_view_of(state)->groups);
	ask_groups(state);
	say_order(state);
}

void command_sort_groups(struct ui_state *state, int column)
{
	group_table_sort_by(&probe_view_of(state)->groups, (enum group_table_column)column);
	ask_groups(state);
}

void cmd_copy_row(struct ui_state *state)
{
	const struct snapshot_probe *probe = state_probe(state);
	char *out = state->out.clipboard;

	out[0] = '\0';
	if (state_probe_here(state))
		probe_view_format_row(probe_view_of(state), out, sizeof(state->out.clipboard));
	else if (probe)
		snprintf(out, sizeof(state->out.clipboard), "%s", probe->spec);
	if (out[0])
		state->out.wants_clipboard = true;
	else
		state_say(state, "there is no row to copy");
}

static void weight_chosen(struct ui_state *state, const struct menu_item *item)
{
	const struct snapshot_probe *probe = state_weighed_probe(state);
	char name[HIT_WEIGHT_BYTES];

	if (!probe)
		return;
	state_set_hit_weight(state, (unsigned int)item->id);
	state_say(state, "weight: %s", hit_weight_name(name, probe, state_hit_weight(state)));
}

static void add_weight(struct ui_state *state, const struct snapshot_probe *probe,
		       unsigned int weight)
{
	const char *what = weight == HIT_WEIGHT_COUNT ? "each hit counts 1"
			   : weight == HIT_WEIGHT_LATENCY ? "the time that calls took" : "a value";
	const bool is_here = weight == hit_weight_of(probe, state_hit_weight(state));
	char name[HIT_WEIGHT_BYTES], note[MENU_NOTE_BYTES];

	snprintf(note, sizeof(note), "%s%s", what, is_here ? " \u00b7 now" : "");
	menu_add(&state->menu, (int)weight, MENU_PLAIN, hit_weight_name(name, probe, weight), note);
}

void cmd_weight(struct ui_state *state)
{
	static const struct menu_use use = { weight_chosen };
	const struct snapshot_probe *probe = state_weighed_probe(state);
	unsigned int weight = HIT_WEIGHT_COUNT, now;

	if (!probe) {
		state_say(state, "hits of one probe can weigh more than 1: 8, Enter opens a probe");
		return;
	}
	if (hit_weight_next(probe, weight) == HIT_WEIGHT_COUNT) {
		state_say(state, "each hit weighs 1: a probe of latencies, or with sum(VALUE) in "
			  "its spec, has other weights");
		return;
	}
	now = hit_weight_of(probe, state_hit_weight(state));
	state_open_menu(state, &use, "what a hit weighs", false);
	do {
		add_weight(state, probe, weight);
		weight = hit_weight_next(probe, weight);
	} while (weight != HIT_WEIGHT_COUNT);
	menu_select(&state->menu, (int)hit_weight_next(probe, now));
}

/* The filter of the log. */

static void log_filter_typed(struct ui_state *state)
{
	probe_log_set_filter(&probe_view_of(state)->log, state->prompt.text);
}

static void log_filter_cancelled(struct ui_state *state)
{
	probe_log_set_filter(&probe_view_of(state)->log, state->filter_before);
}

void cmd_log_filter(struct ui_state *state)
{
	static const struct prompt_use use = {
		.label = "hits with:", .edited = log_filter_typed, .accepted = log_filter_typed,
		.cancelled = log_filter_cancelled,
	};

	if (!state_probe_here(state)) {
		state_say(state, "it filters a log: L opens that of all probes, Enter a probe");
		return;
	}
	if (probe_view_has_panes(state))
		command_show_pane(state, PANE_LOG);
	memcpy(state->filter_before, probe_view_of(state)->log.filter,
	       sizeof(state->filter_before));
	state_open_prompt(state, &use, probe_view_of(state)->log.filter);
}
