/* state_probes.c - what of the screen's state is about probes: orders out, answers in. */
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "ui/probe_columns.h"
#include "ui/state.h"

#define ORDER_NS (2 * CLOCK_NS_PER_S)	/* by then it is carried out, or without any effect */

static const struct snapshot_probe *find_probe(const struct snapshot *snapshot, uint32_t id)
{
	for (uint32_t i = 0; i < snapshot->probes.count; i++)
		if (snapshot->probes.list[i].id == id)
			return &snapshot->probes.list[i];
	return NULL;
}

const char *state_probe_refusal(const struct ui_state *state)
{
	if (!state->probe_control)
		return "a recording has no probes: they are for what runs";
	return state->probe_control->refusal ? state->probe_control->refusal : "";
}

/* PROBE_SLOTS: there is none. */
static size_t find_ordered(const struct ui_state *state, uint32_t probe)
{
	size_t i = 0;

	while (i < PROBE_SLOTS && state->ordered[i].probe != probe)
		i++;
	return i;
}

const struct probe_ordered *state_probe_ordered(const struct ui_state *state,
						const struct snapshot_probe *probe)
{
	const size_t at = find_ordered(state, probe->id);

	return at < PROBE_SLOTS ? &state->ordered[at] : NULL;
}

static bool is_outcome_shown(const struct probe_ordered *ordered, const struct snapshot *fresh)
{
	const struct snapshot_probe *probe = find_probe(fresh, ordered->probe);

	if (!probe)
		return true;
	if (ordered->kind == PROBE_REMOVE)
		return false;
	return probe->state != ordered->state || fresh->time_ns > ordered->time_ns + ORDER_NS;
}

void state_probes_shown(struct ui_state *state, const struct snapshot *fresh)
{
	for (size_t i = 0; i < PROBE_SLOTS; i++)
		if (state->ordered[i].probe && is_outcome_shown(&state->ordered[i], fresh))
			state->ordered[i].probe = 0;
}

static void remember_order(struct ui_state *state, const struct probe_order *order)
{
	const struct snapshot_probe *probe = find_probe(state->shown, order->probe);
	size_t at = find_ordered(state, order->probe);

	if (at == PROBE_SLOTS)
		at = find_ordered(state, 0);
	if (probe && at < PROBE_SLOTS)
		state->ordered[at] = (struct probe_ordered){
			.probe = probe->id, .kind = order->kind, .state = probe->state,
			.time_ns = order->time_ns,
		};
}

static bool changes_state(enum probe_order_kind kind)
{
	return kind == PROBE_OFF || kind == PROBE_ON || kind == PROBE_REMOVE ||
	       kind == PROBE_LIFT || kind == PROBE_BURSTS;
}

uint64_t state_probe_order(struct ui_state *state, const struct probe_order *order)
{
	struct probe_order *slot = &state->orders_out[state->order_count];

	if (state_probe_refusal(state)[0]) {
		state_say(state, "%s", state_probe_refusal(state));
		return 0;
	}
	if (state->order_count == STATE_ORDERS) {
		state_say(state, "the orders before are still under way");
		return 0;
	}
	*slot = *order;
	if (order->kind != PROBE_CANCEL)
		slot->number = ++state->order_number;
	slot->time_ns = clock_now_ns();
	state->order_count++;
	if (order->kind == PROBE_ADD)
		state->adding = slot->number;
	if (changes_state(order->kind))
		remember_order(state, slot);
	return slot->number;
}

static void tell_added(struct ui_state *state, const struct probe_answer *answer)
{
	if (answer->is_done)
		state->adding = 0;
	if (answer->why.err)
		state_say(state, "%s", answer->why.text);
	else if (answer->is_done && answer->verdict >= VERDICT_ASKS)
		state_say(state, "not attached: %s", answer->reason);
	else if (answer->is_done)
		state_say(state, "attached%s%s \u00b7 8 shows it", answer->place[0] ? ": " : "",
			  answer->place);
	else if (answer->all > 1)
		state_say(state, "attached to %" PRIu32 " of %" PRIu32 "\u2026", answer->done,
			  answer->all);
}

void state_probe_answered(struct ui_state *state, const struct probe_answer *answer)
{
	state->is_changed = true;
	switch (answer->kind) {
	case PROBE_EXAMINE:
		probe_panel_answered(state, answer);
		break;
	case PROBE_ADD:
		tell_added(state, answer);
		break;
	case PROBE_SWEEP:
		if (!answer->why.err)
			state_say(state, "removed %" PRIu32 " probe%s of dead instances",
				  answer->done, answer->done == 1 ? "" : "s");
		else
			state_say(state, "%s", answer->why.text);
		break;
	default:	/* what became of the others is in the snapshots, but for failures */
		if (answer->why.err)
			state_say(state, "%s", answer->why.text);
	}
}

const struct snapshot_probe *state_probe(const struct ui_state *state)
{
	if (state->shown_kind != VIEW_PROBES)
		return NULL;
	if (state->trail.levels[state->trail.count - 1].probe)
		return state->probe.probe;
	return probes_view_cursor(&state->probes);
}

uint32_t state_probe_here(const struct ui_state *state)
{
	return state->trail.levels[state->trail.count - 1].probe;
}

bool state_probe_hits(const struct ui_state *state)
{
	return state_probe_here(state) && state_kind(state) != VIEW_PROBES;
}

void state_tell_capped(struct ui_state *state, const struct snapshot *old,
		       const struct snapshot *fresh)
{
	for (uint32_t i = 0; old && i < fresh->probes.count; i++) {
		const struct snapshot_probe *now = &fresh->probes.list[i];
		const struct snapshot_probe *before = find_probe(old, now->id);

		if (now->state == PROBE_CAPPED && (!before || before->state != PROBE_CAPPED))
			state_say(state, "%s: off: %s \u00b7 8, Enter: what helps",
				  probe_plain_name(now), now->reason);
	}
}
