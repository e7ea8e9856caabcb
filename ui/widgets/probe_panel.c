/* probe_panel.c - see probe_panel.h. probe_panel_draw.c draws the box.
 *
 * Problem: the cost of a probe is known only after its place was found and its calls were counted,
 * which takes longer than a key may. And experienced users press p and Enter at once.
 *
 * Idea: every choice is sent to be examined as soon as it differs from the one examined last, and
 * the panel shows what is known so far. Enter before the verdict is remembered and carried out when
 * the verdict arrives: so p, Enter attaches, but nothing hot or dangerous without a question.
 */
#include "probe_panel.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/sanitize.h"
#include "format.h"
#include "probe/probe_spec.h"

#define PANEL_VALUE_BYTES 64	/* an offered value, as text in a spec */

static const struct panel_item attach_button = { PANEL_BUTTON, BUTTON_ATTACH };

static bool is_same(struct panel_item a, struct panel_item b)
{
	return a.part == b.part && a.index == b.index;
}

bool probe_panel_is_focus(const struct probe_panel *panel, enum panel_part part, int index)
{
	return is_same(panel->focus, (struct panel_item){ part, index });
}

static size_t add_item(struct panel_item *out, size_t count, enum panel_part part, int index)
{
	if (count < PANEL_ITEMS)
		out[count++] = (struct panel_item){ part, index };
	return count;
}

static size_t probe_panel_items(const struct probe_panel *panel, struct panel_item *out)
{
	static const enum probe_edge edges[] = { PROBE_LATENCY, PROBE_ENTRY, PROBE_RETURN };
	size_t count = 0;

	for (size_t i = 0; i < sizeof(edges) / sizeof(edges[0]); i++)
		if (panel->edges & 1u << edges[i])
			count = add_item(out, count, PANEL_WHAT, (int)edges[i]);
	if (panel->pid > 0)
		count = add_item(out, count, PANEL_WHERE, REACH_PROCESS);
	count = add_item(out, count, PANEL_WHERE, REACH_ALL);
	count = add_item(out, count, PANEL_STACKS, 0);
	for (uint32_t i = 0; panel->has_reply && i < panel->reply.offered_count; i++)
		if (probe_panel_has_value(panel, &panel->reply.offered[i]))
			count = add_item(out, count, PANEL_VALUE, (int)i);
	for (int i = 0; probe_panel_has_caps(panel) && i <= panel->cap_count; i++)
		count = add_item(out, count, PANEL_CAP, i);
	count = add_item(out, count, PANEL_FILTER, 0);
	if (panel->has_reply && panel->reply.must_type)
		count = add_item(out, count, PANEL_CONFIRM, 0);
	for (int i = 0; i < BUTTONS; i++)
		count = add_item(out, count, PANEL_BUTTON, i);
	return count;
}

static void examine(struct ui_state *state)
{
	struct probe_panel *panel = probe_panel_of(state);
	struct probe_request request = { .kind = PROBE_EXAMINE };
	uint64_t number;

	probe_panel_choice(panel, false, &request.choice, NULL);
	number = state_probe_request(state, &request);
	if (!number)
		return;		/* the next key tries again */
	panel->examined = request.choice;
	panel->number = number;
	panel->is_stale = panel->has_reply;
}

/* True if two choices are equal. Their place is the same, and the spec's text has all the rest. */
static bool is_same_choice(const struct probe_choice *a, const struct probe_choice *b)
{
	return a->reach == b->reach && a->with_stacks == b->with_stacks &&
	       a->spec.argument_count == b->spec.argument_count &&
	       !strcmp(a->spec.text, b->spec.text);
}

/* Checks the choices; false: they can't be attached, and the panel shows why. */
static bool is_sound(struct probe_panel *panel, bool counts_only)
{
	struct probe_choice choice;
	struct diag why;
	const int err = probe_panel_choice(panel, counts_only, &choice, &why);

	snprintf(panel->filter_why, sizeof(panel->filter_why), "%s", err ? why.text : "");
	return !err;
}

static void examine_if_changed(struct ui_state *state)
{
	struct probe_choice now;

	probe_panel_choice(probe_panel_of(state), false, &now, NULL);
	if (!is_same_choice(&now, &probe_panel_of(state)->examined))
		examine(state);
}

static void offer_cap(struct probe_panel *panel, double pct)
{
	panel->caps_pct[panel->cap_count++] = pct;
}

/* Offers the usual caps and that of the command line, in order; the latter is the default. */
static void offer_caps(struct probe_panel *panel, double own_pct)
{
	static const double usual_pct[] = { 5, 10, 25, 100 };
	double below_pct = 0;

	for (size_t i = 0; i < sizeof(usual_pct) / sizeof(usual_pct[0]); i++) {
		if (own_pct > below_pct && own_pct < usual_pct[i])
			offer_cap(panel, own_pct);
		offer_cap(panel, usual_pct[i]);
		below_pct = usual_pct[i];
	}
	if (own_pct > below_pct)
		offer_cap(panel, own_pct);
	while (panel->caps_pct[panel->default_cap] < own_pct)
		panel->default_cap++;
	panel->cap = panel->default_cap;
}

static void open_panel(struct ui_state *state, const struct probe_spec *spec, pid_t pid)
{
	struct probe_panel *panel = probe_panel_of(state);
	const struct probe_control *control = state->probe_control;

	*panel = (struct probe_panel){
		.is_open = true, .spec = *spec, .pid = pid,
		.edges = probe_panel_edges(spec),
		.edge = spec->edge, .reach = pid > 0 ? REACH_PROCESS : REACH_ALL,
		.with_stacks = true, .focus = attach_button,
		.may_ease = !spec->argument_count && !spec->condition.count &&
			    !spec->key_count && !spec->aggregate_count && !spec->format[0],
	};
	offer_caps(panel, control && control->cap_pct > 0 ? control->cap_pct : PROBE_CAP_PCT);
	for (uint32_t i = 0; i < spec->argument_count; i++)
		panel->grouped |= (uint32_t)probe_spec_groups_use(spec, i) << i;
	probe_spec_groups_write(spec, panel->groups, sizeof(panel->groups));
	probe_spec_rewrite(&panel->spec, "", "", NULL);	/* the filter is in its line */
	if (!(panel->edges & 1u << panel->edge))
		panel->edge = panel->edges & 1u << PROBE_ENTRY ? PROBE_ENTRY : PROBE_LATENCY;
	prompt_open(&panel->filter, "", "");
	prompt_open(&panel->confirm, "", "");
	state->is_changed = true;
}

void probe_panel_open_row(struct ui_state *state, const struct snapshot_row *row, pid_t pid)
{
	struct probe_spec spec;

	probe_panel_row_spec(row, &spec);
	open_panel(state, &spec, pid);
	if (row->is_inlined)
		probe_panel_of(state)->edges = 1u << PROBE_ENTRY;
	snprintf(probe_panel_of(state)->name, PANEL_NAME_BYTES, "%s", row->symbol);
	snprintf(probe_panel_of(state)->dso, PANEL_NAME_BYTES, "%s", row->dso);
	examine(state);
}

static void name_spec(struct probe_panel *panel, const struct probe_spec *spec)
{
	const bool is_mark = spec->kind == PROBE_TRACEPOINT || spec->kind == PROBE_USDT;
	const char *what = spec->source[0] ? spec->source : spec->function;

	if (spec->line)
		snprintf(panel->name, PANEL_NAME_BYTES, "%.140s:%" PRIu32, what, spec->line);
	else if (spec->pattern[0])
		snprintf(panel->name, PANEL_NAME_BYTES, "%.60s;%.80s", what, spec->pattern);
	else
		snprintf(panel->name, PANEL_NAME_BYTES, "%s%s%s", is_mark ? spec->group : "",
			 is_mark ? ":" : "", what);
}

void probe_panel_open_spec(struct ui_state *state, const struct probe_spec *spec, pid_t pid)
{
	const char *base = strrchr(spec->file, '/');
	struct probe_panel *panel = probe_panel_of(state);

	open_panel(state, spec, pid);
	name_spec(panel, spec);
	snprintf(panel->dso, PANEL_NAME_BYTES, "%s",
		 base ? base + 1 : spec->file[0] ? spec->file : "[kernel]");
	if (spec->condition.count) {
		char condition[PROBE_SPEC_BYTES];

		snprintf(condition, sizeof(condition), "%.*s", (int)spec->condition_bytes,
			 spec->text + spec->condition_from);
		prompt_open(&panel->filter, "", condition);
	}
	is_sound(panel, false);
	examine(state);
}

void probe_panel_call(struct probe_panel *panel, const char *name)
{
	snprintf(panel->name, PANEL_NAME_BYTES, "%s", name);
}

void probe_panel_close(struct ui_state *state)
{
	struct probe_panel *panel = probe_panel_of(state);
	const struct probe_request request = { .kind = PROBE_CANCEL, .number = panel->number };

	panel->is_open = false;
	state->is_changed = true;
	if (panel->number && (!panel->has_reply || panel->is_stale || !panel->reply.is_done))
		state_probe_request(state, &request);
}

static bool is_in_line(const struct probe_panel *panel)
{
	return panel->focus.part == PANEL_FILTER || panel->focus.part == PANEL_CONFIRM;
}

bool probe_panel_takes_text(const struct probe_panel *panel)
{
	return panel->is_open && (is_in_line(panel) || probe_panel_wants_word(panel));
}

static bool is_known(const struct probe_panel *panel)
{
	return panel->has_reply && !panel->is_stale && panel->reply.is_done;
}

static void request_probe(struct ui_state *state)
{
	struct probe_panel *panel = probe_panel_of(state);
	struct probe_request request = { .kind = PROBE_ADD };

	probe_panel_choice(panel, panel->counts_only, &request.choice, NULL);
	request.choice.insists = panel->has_warned || panel->reply.must_type;
	if (!state_probe_request(state, &request))
		return;
	panel->is_open = false;
	if (panel->caution[0] && panel->edge == PROBE_ENTRY)
		state_say(state, "attaching %s, calls only: its latency asks for caution",
			  panel->name);
	else if (panel->filter.text[0] && !request.choice.spec.condition.count)
		state_say(state, "counting all of %s: its filter needs values", panel->name);
	else
		state_say(state, "attaching %s\u2026", panel->name);
}

const char *probe_panel_word(const struct probe_panel *panel)
{
	const size_t bytes = strlen(panel->name);

	return bytes && bytes < PANEL_WORD_BYTES && sanitize_is_clean(panel->name, bytes)
		       ? panel->name : "yes";
}

bool probe_panel_wants_word(const struct probe_panel *panel)
{
	return panel->has_reply && panel->reply.must_type &&
	       strcmp(panel->confirm.text, probe_panel_word(panel));
}

bool probe_panel_has_caps(const struct probe_panel *panel)
{
	return !panel->has_reply ||
	       (!panel->reply.why.err && panel->reply.verdict < VERDICT_REFUSED);
}

static bool is_enough(const struct probe_panel *panel, int cap)
{
	const bool in_bursts = cap == panel->cap_count;
	const double pct = panel->reply.has_rate ? panel->reply.cost_pct : 0;

	return pct / (in_bursts ? 10 : 1) <=
	       panel->caps_pct[in_bursts ? panel->default_cap : cap];
}

bool probe_panel_is_over_cap(const struct probe_panel *panel)
{
	return !is_enough(panel, panel->cap);
}

/* True if the cost exceeds a cap that the user did not choose. */
static bool exceeds_cap(const struct probe_panel *panel)
{
	return probe_panel_is_over_cap(panel) && !panel->has_chosen_cap;
}

/* "with cap 25 %", "in bursts": how the probe is attached with the cap at @index. */
static const char *cap_words(const struct probe_panel *panel, int index, char out[FORMAT_BYTES])
{
	if (index == panel->cap_count)
		return "in bursts";
	if (isinf(panel->caps_pct[index]))
		return "without a cap";
	snprintf(out, FORMAT_BYTES, "with cap %g %%", panel->caps_pct[index]);
	return out;
}

/* Asks one question about caution and cost, and moves the focus to where it is answered: for the
 * cost to the lowest cap that is enough, or else to bursts. */
static void warn_of_all(struct ui_state *state)
{
	struct probe_panel *panel = probe_panel_of(state);
	char words[FORMAT_BYTES];
	int cap = 0;

	panel->has_warned = true;
	panel->focus = attach_button;
	if (!exceeds_cap(panel)) {
		state_say(state, "Enter once more attaches it all the same");
		return;
	}
	while (cap < panel->cap_count && !is_enough(panel, cap))
		cap++;
	panel->focus = (struct panel_item){ PANEL_CAP, cap };
	state_say(state, "%sit would take %.1f %%: Enter attaches %s, Left Right choose",
		  panel->reply.verdict == VERDICT_ASKS ? "caution, and " : "",
		  panel->reply.cost_pct, cap_words(panel, cap, words));
}

/* True if something prevents attaching now: shows it and moves the focus to the remedy. */
static bool is_held_back(struct ui_state *state)
{
	struct probe_panel *panel = probe_panel_of(state);
	const struct probe_reply *reply = &panel->reply;

	if (reply->why.err) {
		state_say(state, "%s", reply->why.text);
	} else if (reply->verdict >= VERDICT_REFUSED) {
		state_say(state, "%s", reply->reason);
	} else if (probe_panel_wants_word(panel)) {
		panel->focus = (struct panel_item){ PANEL_CONFIRM, 0 };
		state_say(state, "to insist, type %s, then Enter",
			  probe_panel_word(panel));
	} else if (!reply->must_type && !panel->has_warned &&
		   (reply->verdict == VERDICT_ASKS || exceeds_cap(panel))) {
		warn_of_all(state);
	} else {
		return false;
	}
	return true;
}

static void attach(struct ui_state *state)
{
	struct probe_panel *panel = probe_panel_of(state);

	if (!is_sound(panel, panel->counts_only)) {
		panel->focus = (struct panel_item){ PANEL_FILTER, 0 };
		state_say(state, "%s", panel->filter_why);
		return;
	}
	examine_if_changed(state);
	panel->is_attaching = !is_known(panel);
	if (!panel->is_attaching && !is_held_back(state))
		request_probe(state);
}

static void press_button(struct ui_state *state, enum panel_button button)
{
	switch (button) {
	case BUTTON_ATTACH:
	case BUTTON_COUNT:
		probe_panel_of(state)->counts_only = button == BUTTON_COUNT;
		attach(state);
		break;
	case BUTTON_DRY_RUN:
		probe_panel_of(state)->shows_plan = !probe_panel_of(state)->shows_plan;
		break;
	case BUTTON_CANCEL:
		probe_panel_close(state);
		break;
	case BUTTONS:
		break;
	}
}

/* Forgets a pressed Enter and a warning, which were for another choice. */
static void choice_changed(struct probe_panel *panel)
{
	panel->is_attaching = panel->has_warned = false;
	is_sound(panel, false);
}

static void choose_cap(struct probe_panel *panel, int cap)
{
	panel->cap = cap;
	panel->has_chosen_cap = true;
}

/* Chooses or presses an item, by Space or a click. */
static void use_item(struct ui_state *state, struct panel_item item)
{
	struct probe_panel *panel = probe_panel_of(state);

	switch (item.part) {
	case PANEL_WHAT:
		panel->edge = (enum probe_edge)item.index;
		panel->may_ease = false;
		break;
	case PANEL_CAP:    choose_cap(panel, item.index); return;
	case PANEL_WHERE:  panel->reach = (enum probe_reach)item.index; break;
	case PANEL_STACKS: panel->with_stacks = !panel->with_stacks; break;
	case PANEL_VALUE:  panel->is_chosen[item.index] = !panel->is_chosen[item.index]; break;
	case PANEL_BUTTON: press_button(state, (enum panel_button)item.index); return;
	case PANEL_FILTER:
	case PANEL_CONFIRM:
		return;
	}
	choice_changed(panel);
	examine_if_changed(state);
}

static void move_focus(struct probe_panel *panel, size_t steps)
{
	struct panel_item items[PANEL_ITEMS];
	const size_t count = probe_panel_items(panel, items);
	size_t at = 0;

	while (at + 1 < count && !is_same(items[at], panel->focus))
		at++;
	panel->focus = items[(at + steps) % count];
}

/* True if @item is the chosen one of several alternatives. */
static bool is_taken(const struct probe_panel *panel, struct panel_item item)
{
	return (item.part == PANEL_WHAT && panel->edge == (enum probe_edge)item.index) ||
	       (item.part == PANEL_WHERE && panel->reach == (enum probe_reach)item.index) ||
	       (item.part == PANEL_CAP && panel->cap == item.index);
}

/* STACKS and VALUE share their lines. */
static int row_of(enum panel_part part)
{
	return part == PANEL_VALUE ? PANEL_STACKS : (int)part;
}

/* Moves the focus to the next or previous row: to the item chosen there, or to its first. */
static void move_row(struct probe_panel *panel, bool is_down)
{
	struct panel_item items[PANEL_ITEMS];
	const size_t count = probe_panel_items(panel, items);
	const int from = row_of(panel->focus.part);
	bool is_there = false;
	int to = -1;

	for (size_t i = 0; i < count; i++) {
		const int row = row_of(items[i].part);

		if (is_down ? row > from && (to < 0 || row < to) : row < from && row > to)
			to = row;
	}
	for (size_t i = 0; i < count; i++) {
		if (row_of(items[i].part) != to || (is_there && !is_taken(panel, items[i])))
			continue;
		panel->focus = items[i];
		is_there = true;
	}
}

/* Moves the focus to the word to be typed: letters mean nothing else in the panel. */
static void go_to_word(struct probe_panel *panel, int key)
{
	if (probe_panel_wants_word(panel) && !is_in_line(panel) && key > ' ' &&
	    key < UI_KEY_SPECIAL && key != UI_KEY_BACKSPACE)
		panel->focus = (struct panel_item){ PANEL_CONFIRM, 0 };
}

/* Passes the key to the focused line of input; true if it used it. Keys that leave it are not. */
static bool type_into(struct ui_state *state, int key)
{
	struct probe_panel *panel = probe_panel_of(state);
	const bool is_filter = panel->focus.part == PANEL_FILTER;
	struct prompt *line = is_filter ? &panel->filter : &panel->confirm;

	if (!is_in_line(panel) || key == UI_KEY_UP || key == UI_KEY_DOWN ||
	    key == UI_KEY_ENTER || key == UI_KEY_ESCAPE)
		return false;
	switch (prompt_press(line, key)) {
	case PROMPT_IGNORED:
		return false;
	case PROMPT_EDITED:
		if (is_filter)
			choice_changed(panel);
		return true;
	default:
		return true;
	}
}

static void press_enter(struct ui_state *state)
{
	struct probe_panel *panel = probe_panel_of(state);

	if (panel->focus.part == PANEL_FILTER) {
		panel->focus = attach_button;
		examine_if_changed(state);
	} else if (panel->focus.part == PANEL_CAP) {
		choose_cap(panel, panel->focus.index);
		press_button(state, BUTTON_ATTACH);
	} else if (panel->focus.part == PANEL_BUTTON) {
		press_button(state, (enum panel_button)panel->focus.index);
	} else {
		press_button(state, BUTTON_ATTACH);
	}
}

/* Moves the focus; false: @key does not move it. */
static bool move_by(struct probe_panel *panel, int key)
{
	struct panel_item items[PANEL_ITEMS];

	switch (key) {
	case UI_KEY_TAB:
	case UI_KEY_RIGHT:
		move_focus(panel, 1);
		return true;
	case UI_KEY_BACKTAB:
	case UI_KEY_LEFT:
		move_focus(panel, probe_panel_items(panel, items) - 1);
		return true;
	case UI_KEY_UP:
	case UI_KEY_DOWN:
		move_row(panel, key == UI_KEY_DOWN);
		return true;
	default:
		return false;
	}
}

void probe_panel_press(struct ui_state *state, int key)
{
	struct probe_panel *panel = probe_panel_of(state);

	state->is_changed = true;
	go_to_word(panel, key);
	if (type_into(state, key))
		return;
	if (move_by(panel, key)) {
		if (!is_in_line(panel))
			examine_if_changed(state);	/* the filter may have been edited */
		return;
	}
	switch (key) {
	case UI_KEY_ENTER:
		press_enter(state);
		break;
	case UI_KEY_ESCAPE:
		probe_panel_close(state);
		break;
	case ' ':
		use_item(state, panel->focus);
		break;
	default:
		break;
	}
}

bool probe_panel_click(struct ui_state *state, const struct mouse *mouse)
{
	struct probe_panel *panel = probe_panel_of(state);

	if (mouse->action != MOUSE_PRESS && mouse->action != MOUSE_DOUBLE)
		return state->display.is_click_spent;
	for (size_t i = 0; i < panel->place_count; i++) {
		if (mouse->y != panel->places[i].y || mouse->x < panel->places[i].x ||
		    mouse->x >= panel->places[i].x + panel->places[i].width)
			continue;
		panel->focus = panel->places[i].item;
		state->is_changed = true;
		use_item(state, panel->focus);
		break;
	}
	return state->display.is_click_spent;
}

/* True if a value is chosen at first: one the user typed, or without any typed every reliable one.
 * Guesses by the calling convention must be chosen. */
static bool is_chosen_at_first(const struct probe_panel *panel, const struct probe_fetch *fetch)
{
	if (panel->spec.argument_count)
		return probe_panel_typed(panel, fetch);
	return fetch->fetch[0] && fetch->origin != ORIGIN_ABI;
}

/* Reduces the probe to calls only if returns ask for caution: p, Enter must not attach those. */
static void ease(struct ui_state *state)
{
	struct probe_panel *panel = probe_panel_of(state);
	const bool can_ease = panel->may_ease && !panel->filter.text[0] &&
			      panel->reply.verdict == VERDICT_ASKS &&
			      panel->edge != PROBE_ENTRY && panel->edges & 1u << PROBE_ENTRY;

	panel->may_ease = false;
	if (!can_ease)
		return;
	panel->edge = PROBE_ENTRY;
	memcpy(panel->caution, panel->reply.reason, sizeof(panel->caution));
	is_sound(panel, false);
	examine_if_changed(state);
}

/* Carries the chosen values over to a new reply by their names: their order may have changed. */
static void take_offers(struct probe_panel *panel, const struct probe_reply *reply)
{
	bool is_chosen[PROBE_OFFERED_MAX] = { false };
	uint32_t count = 0;

	for (uint32_t i = 0; i < reply->offered_count; i++) {
		const struct probe_fetch *fetch = &reply->offered[i];

		is_chosen[i] = count < PROBE_VALUES_MAX && is_chosen_at_first(panel, fetch);
		for (uint32_t k = 0; panel->has_reply && k < panel->reply.offered_count; k++)
			if (!strcmp(panel->reply.offered[k].name, fetch->name) &&
			    panel->reply.offered[k].is_return == fetch->is_return)
				is_chosen[i] = panel->is_chosen[k];
		count += is_chosen[i];
	}
	memcpy(panel->is_chosen, is_chosen, sizeof(is_chosen));
}

void probe_panel_replied(struct ui_state *state, const struct probe_reply *reply)
{
	struct probe_panel *panel = probe_panel_of(state);
	struct probe_reply fresh = *reply;
	struct probe_choice choice;
	bool is_examined;

	if (!panel->is_open || reply->kind != PROBE_EXAMINE || reply->number != panel->number)
		return;
	if (fresh.offered_count > PROBE_OFFERED_MAX)
		fresh.offered_count = PROBE_OFFERED_MAX;
	probe_panel_choice(panel, false, &choice, NULL);
	is_examined = is_same_choice(&choice, &panel->examined);
	take_offers(panel, &fresh);
	panel->reply = fresh;
	panel->has_reply = true;
	panel->is_stale = false;
	is_sound(panel, false);
	if (is_examined)	/* values chosen by default need no new examination */
		probe_panel_choice(panel, false, &panel->examined, NULL);
	ease(state);
	if (panel->is_attaching && is_known(panel)) {
		panel->is_attaching = false;
		attach(state);
	}
}

/* Writes the hint about what Enter does at the focus. */
static void put_enter(const struct probe_panel *panel, char out[PANEL_HINT_BYTES])
{
	static const char *const buttons[BUTTONS] = {
		[BUTTON_ATTACH] = "Enter attach", [BUTTON_COUNT] = "Enter attach, count only",
		[BUTTON_DRY_RUN] = "Enter show what would be done", [BUTTON_CANCEL] = "Enter close",
	};
	const struct panel_item focus = panel->focus;
	const int button = focus.part == PANEL_BUTTON ? focus.index : BUTTON_ATTACH;
	const bool attaches = button == BUTTON_ATTACH || button == BUTTON_COUNT;
	char words[FORMAT_BYTES];

	if (focus.part == PANEL_FILTER)
		snprintf(out, PANEL_HINT_BYTES, "Enter to Attach");
	else if (attaches && !probe_panel_has_caps(panel))
		snprintf(out, PANEL_HINT_BYTES, "it can't be attached");
	else if (attaches && probe_panel_wants_word(panel))
		snprintf(out, PANEL_HINT_BYTES, "type %s, then Enter attaches",
			 probe_panel_word(panel));
	else if (focus.part == PANEL_CAP)
		snprintf(out, PANEL_HINT_BYTES, "Enter attach %s",
			 cap_words(panel, focus.index, words));
	else if (focus.part == PANEL_CONFIRM)
		snprintf(out, PANEL_HINT_BYTES, "Enter attach it all the same");
	else
		snprintf(out, PANEL_HINT_BYTES, "%s", buttons[button]);
}

int probe_panel_hints(const struct probe_panel *panel, char out[PANEL_HINTS][PANEL_HINT_BYTES])
{
	int count = 0;

	put_enter(panel, out[count++]);
	snprintf(out[count++], PANEL_HINT_BYTES, "Esc cancel");
	if (!is_in_line(panel))
		snprintf(out[count++], PANEL_HINT_BYTES, "Space choose");
	snprintf(out[count++], PANEL_HINT_BYTES, "Tab Shift-Tab move");
	return count;
}

/* Rows, choices and specs. */

static bool is_of_file(const struct snapshot_row *row)
{
	return row->dso_path[0] == '/';
}

/* Returns why the row can't be probed, or NULL. */
static const char *refusal_of(const struct snapshot_row *row)
{
	switch (row->state) {
	case SYMBOL_LOADING:	return "its names are being read: try again in a moment";
	case SYMBOL_UNKNOWN:	return "no symbol covers this address: there is no function to "
				       "probe";
	case SYMBOL_UNREADABLE: return "its file could not be read, so its functions are unknown";
	case SYMBOL_NO_MAP:	return "no map says which functions this memory holds";
	case SYMBOL_NAMED:	break;
	}
	if (!row->symbol[0])
		return "this row is no function: Enter leads to its functions, p probes one";
	switch (row->mode) {
	case MODE_KERNEL:
		return NULL;
	case MODE_USER:
		return is_of_file(row) ? NULL : "code that was made at run time is in no file: "
						"there is no probe point";
	case MODE_GUEST_KERNEL:
	case MODE_GUEST_USER:
		return "it runs in a guest: a probe would have to be made in there";
	case MODE_HYPERVISOR:
	case MODE_UNKNOWN:
		break;
	}
	return "this is no function of a program or of the kernel";
}

char *probe_panel_row_refusal(const struct snapshot_row *row, char *out)
{
	const char *why = refusal_of(row);

	snprintf(out, PANEL_WHY_BYTES, "%s", why ? why : "");
	return out;
}

/* "[ext4]" is module ext4, "[kernel]" none. */
static void set_module(struct probe_spec *spec, const char *dso)
{
	if (dso[0] == '[' && strcmp(dso, "[kernel]"))
		snprintf(spec->file, sizeof(spec->file), "%.*s", (int)strcspn(dso + 1, "]"),
			 dso + 1);
}

/* What has no symbol is shown as "libfoo.so!fn_1a2b30". */
static const char *function_of(const struct snapshot_row *row)
{
	const char *mark = row->is_synthetic ? strrchr(row->raw_symbol, '!') : NULL;

	return mark ? mark + 1 : row->raw_symbol;
}

void probe_panel_row_spec(const struct snapshot_row *row, struct probe_spec *out)
{
	*out = (struct probe_spec){
		.kind = row->mode == MODE_KERNEL ? PROBE_KERNEL : PROBE_USER,
		.edge = row->is_inlined ? PROBE_ENTRY : PROBE_LATENCY,
	};
	if (out->kind == PROBE_KERNEL)
		set_module(out, row->dso);
	else
		snprintf(out->file, sizeof(out->file), "%s", row->dso_path);
	snprintf(out->function, sizeof(out->function), "%s", function_of(row));
}

unsigned int probe_panel_edges(const struct probe_spec *spec)
{
	if (spec->end.function[0])
		return 1u << PROBE_LATENCY;	/* from one tracepoint to another */
	if (spec->kind == PROBE_TRACEPOINT || spec->kind == PROBE_USDT || spec->offset ||
	    spec->line || spec->pattern[0])
		return 1u << PROBE_ENTRY;	/* only a function's begin has a return */
	return PANEL_EDGES_ALL;
}

bool probe_panel_is_returned(const struct probe_fetch *fetch)
{
	return !strcmp(fetch->name, "$retval");
}

/* Formats a value as text of a spec. Those of the calling convention and of USDT probes have a
 * number for a name; what a function returns has none, and the second of two tracepoints has
 * fields. */
static void put_value(const struct probe_fetch *fetch, char out[PANEL_VALUE_BYTES])
{
	const bool is_numbered = fetch->origin == ORIGIN_ABI || fetch->origin == ORIGIN_NOTE;

	if (probe_panel_is_returned(fetch))
		snprintf(out, PANEL_VALUE_BYTES, "$retval");
	else
		snprintf(out, PANEL_VALUE_BYTES, "%s%s",
			 is_numbered && fetch->name[0] != '$' ? "$" : "", fetch->name);
}

/* Adds the type that asks for the text, not for its address. */
static void put_type(const struct probe_fetch *fetch, char value[PANEL_VALUE_BYTES])
{
	const size_t used = strlen(value);

	if (fetch->is_copied)
		snprintf(value + used, PANEL_VALUE_BYTES - used, "%s",
			 fetch->text.kind == SYSCALL_ADDRESS ? ":sockaddr" : ":ustring");
}

const struct probe_argument *probe_panel_typed(const struct probe_panel *panel,
					       const struct probe_fetch *fetch)
{
	char value[PANEL_VALUE_BYTES];

	put_value(fetch, value);
	for (uint32_t i = 0; i < panel->spec.argument_count; i++)
		if (!strcmp(panel->spec.arguments[i].value, value))
			return &panel->spec.arguments[i];
	return NULL;
}

/* True if an earlier value has the same name: both places of a latency may have it, and a spec
 * means the first. */
static bool is_hidden(const struct probe_panel *panel, const struct probe_fetch *fetch)
{
	for (const struct probe_fetch *other = panel->reply.offered; other < fetch; other++)
		if ((fetch->origin == ORIGIN_FORMAT || fetch->is_return) &&
		    !strcmp(other->name, fetch->name))
			return true;
	return false;
}

/* A return value is available only at a return, an argument only at a call. */
bool probe_panel_has_value(const struct probe_panel *panel, const struct probe_fetch *fetch)
{
	return fetch->fetch[0] && panel->edge != (fetch->is_return ? PROBE_ENTRY : PROBE_RETURN) &&
	       !is_hidden(panel, fetch);
}

bool probe_panel_is_extra(const struct probe_panel *panel, const struct probe_argument *argument)
{
	struct probe_spec spec = panel->spec;

	spec.edge = panel->edge;
	if (!probe_argument_fits(&spec, argument))
		return false;
	for (uint32_t i = 0; panel->has_reply && i < panel->reply.offered_count; i++)
		if (probe_panel_typed(panel, &panel->reply.offered[i]) == argument)
			return false;
	return true;
}

/* A value that a key or an aggregate uses stays. */
static bool is_wanted(const struct probe_panel *panel, const struct probe_argument *argument)
{
	if (panel->grouped & 1u << (argument - panel->spec.arguments))
		return true;
	for (uint32_t i = 0; panel->has_reply && i < panel->reply.offered_count; i++) {
		const struct probe_fetch *fetch = &panel->reply.offered[i];

		if (panel->is_chosen[i] && probe_panel_has_value(panel, fetch) &&
		    probe_panel_typed(panel, fetch) == argument)
			return true;
	}
	return probe_panel_is_extra(panel, argument);
}

/* What was typed stays as it is, with its name and type; what is offered beside it comes after. */
static int take_arguments(const struct probe_panel *panel, struct probe_spec *spec,
			  struct diag *why)
{
	char value[PANEL_VALUE_BYTES];
	int err = 0;

	spec->argument_count = 0;
	for (uint32_t i = 0; i < panel->spec.argument_count; i++)
		if (is_wanted(panel, &panel->spec.arguments[i]))
			spec->arguments[spec->argument_count++] = panel->spec.arguments[i];
	for (uint32_t i = 0; panel->has_reply && i < panel->reply.offered_count && !err; i++) {
		const struct probe_fetch *fetch = &panel->reply.offered[i];

		if (!panel->is_chosen[i] || !probe_panel_has_value(panel, fetch) ||
		    probe_panel_typed(panel, fetch))
			continue;
		put_value(fetch, value);
		put_type(fetch, value);
		err = probe_argument_add(spec, value, 0, strlen(value), why);
	}
	return err;
}

/* To count takes no values: then a filter that asks for one is none. */
static const char *filter_of(const struct probe_panel *panel, bool counts_only)
{
	struct probe_condition condition;

	if (counts_only && !probe_condition_parse(&condition, panel->filter.text, NULL) &&
	    probe_condition_needs_values(&condition))
		return "";
	return panel->filter.text;
}

int probe_panel_choice(const struct probe_panel *panel, bool counts_only, struct probe_choice *out,
		       struct diag *why)
{
	struct probe_spec *spec = &out->spec;
	int err = 0, filter_err;

	*out = (struct probe_choice){ .reach = panel->reach };
	*spec = panel->spec;
	spec->edge = panel->edge;
	if (counts_only) {
		spec->edge = spec->is_from_return ? PROBE_RETURN : PROBE_ENTRY;
		spec->argument_count = spec->on_count = spec->middle_count = 0;
		spec->end.function[0] = '\0';
		spec->is_from_return = false;
	} else {
		err = take_arguments(panel, spec, why);
	}
	filter_err = probe_spec_rewrite(spec, filter_of(panel, counts_only),
					counts_only ? "" : panel->groups, err ? NULL : why);
	if (spec->kind == PROBE_USER && !spec->is_wildcard && !spec->offset && !spec->line &&
	    !spec->pattern[0] && strcmp(panel->name, spec->function))
		snprintf(out->shown, sizeof(out->shown), "%s", panel->name);
	out->pid = panel->pid;
	out->with_stacks = panel->with_stacks && !counts_only;
	out->in_bursts = panel->cap == panel->cap_count;
	out->cap_pct = panel->caps_pct[out->in_bursts ? panel->default_cap : panel->cap];
	return err ? err : filter_err;
}
