/* state_probes.c - what of the screen's state is about probes: orders out, answers in. */
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "ui/probe_columns.h"
#include "ui/state.h"

const char *state_probe_refusal(const struct ui_state *state)
{
	if (!state->probe_control)
		return "a recording has no probes: they are for what runs";
	return state->probe_control->refusal ? state->probe_control->refusal : "";
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

static const struct snapshot_probe *find_probe(const struct snapshot *snapshot, uint32_t id)
{
	for (uint32_t i = 0; i < snapshot->probes.count; i++)
		if (snapshot->probes.list[i].id == id)
			return &snapshot->probes.list[i];
	return NULL;
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
