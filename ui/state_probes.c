/* state_probes.c - the part of the screen's state about probes: requests out, replies in. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "state.h"
#include "widgets/probe_columns.h"

#define ORDER_NS (2 * CLOCK_NS_PER_S)	/* by then a request has taken effect, or never will */

pid_t state_target_pid(const struct ui_state *state)
{
	return state->shown ? (pid_t)state->shown->target_pid : 0;
}

const char *state_probe_refusal(const struct ui_state *state)
{
	if (!state->probe_control)
		return "a recording can't be probed: start flametop without -i";
	return state->probe_control->refusal ? state->probe_control->refusal : "";
}

/* Returns the index of the last request for @probe (0: of a free entry); PROBE_SLOTS: none. */
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

/* True if @fresh shows the outcome. States of probes are current even if stats are of the past. */
static bool is_outcome_shown(const struct probe_ordered *ordered, const struct snapshot *fresh)
{
	const struct snapshot_probe *probe = snapshot_probes_find(&fresh->probes, ordered->probe);

	if (!probe)
		return true;
	if (ordered->kind == PROBE_REMOVE)
		return false;
	return probe->state != ordered->state || fresh->newest_ns > ordered->time_ns + ORDER_NS;
}

void state_probes_shown(struct ui_state *state, const struct snapshot *fresh)
{
	for (size_t i = 0; i < PROBE_SLOTS; i++)
		if (state->ordered[i].probe && is_outcome_shown(&state->ordered[i], fresh))
			state->ordered[i].probe = 0;
}

static void remember_order(struct ui_state *state, const struct probe_order *order)
{
	const struct snapshot_probe *probe =
		snapshot_probes_find(&state->shown->probes, order->probe);
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

static void tell_one(struct ui_state *state, const struct probe_answer *answer)
{
	if (answer->why.err)
		state_say(state, "%s", answer->why.text);
	else if (answer->reason[0])
		state_say(state, "not attached: %s", answer->reason);
	else
		state_say(state, "attached \u00b7 8 shows it");
}

/* Returns the tally of a request, begun anew if needed: several requests may be under way. */
static struct probe_tally *tally_of(struct ui_state *state, uint64_t number)
{
	struct probe_tally *tally = &state->tallies[number % STATE_ORDERS];

	if (tally->number != number)
		*tally = (struct probe_tally){ .number = number };
	return tally;
}

static void count_answer(struct probe_tally *tally, const struct probe_answer *answer)
{
	if (answer->why.err == -ECANCELED)
		tally->cancelled++;
	else if (answer->why.err)
		tally->failed++;
	else if (answer->reason[0])
		tally->refused++;
}

static void add_count(char *text, size_t room, uint32_t count, const char *what)
{
	const size_t length = strlen(text);

	if (count)
		snprintf(text + length, room - length, ", %" PRIu32 " %s", count, what);
}

/* Shows the progress of a wildcard, which gets a reply per function, in any order. */
static void tell_many(struct ui_state *state, const struct probe_answer *answer,
		      const struct probe_tally *tally)
{
	const bool has_reasons = tally->refused || tally->failed;
	const uint32_t attached =
		answer->done - tally->refused - tally->failed - tally->cancelled;
	char others[96] = "";

	add_count(others, sizeof(others), tally->refused, "refused");
	add_count(others, sizeof(others), tally->failed, "failed");
	add_count(others, sizeof(others), tally->cancelled, "cancelled");
	if (answer->is_done)
		state_say(state, "%" PRIu32 " attached%s \u00b7 8 shows %s", attached, others,
			  has_reasons ? "why" : "them");
	else
		state_say(state, "attached to %" PRIu32 " of %" PRIu32 "%s\u2026", attached,
			  answer->all, others);
}

static void tell_added(struct ui_state *state, const struct probe_answer *answer)
{
	struct probe_tally *tally = tally_of(state, answer->number);

	if (answer->is_done && answer->number == state->adding)
		state->adding = 0;
	count_answer(tally, answer);
	if (answer->all > 1)
		tell_many(state, answer, tally);
	else
		tell_one(state, answer);
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
		finder_swept(state);
		if (!answer->why.err)
			state_say(state, "removed %" PRIu32 " probe%s of dead instances",
				  answer->done, answer->done == 1 ? "" : "s");
		else
			state_say(state, "%s", answer->why.text);
		break;
	default:	/* snapshots show the outcome of other requests, except failures */
		if (answer->why.err)
			state_say(state, "%s", answer->why.text);
	}
}

/* Returns the probe whose hit is at the cursor of the log of all probes, or NULL. */
static const struct snapshot_probe *probe_of_line(const struct ui_state *state)
{
	const struct snapshot_hit *hit = probe_view_hit(&state->probe);

	return hit ? snapshot_probes_find(&state->shown->probes, hit->probe) : NULL;
}

const struct snapshot_probe *state_probe(const struct ui_state *state)
{
	if (state->shown_kind != VIEW_PROBES)
		return NULL;
	if (state_probe_here(state) == PROBE_ALL)
		return probe_of_line(state);
	if (state_probe_here(state))
		return state->probe.probe;
	return probes_view_cursor(&state->probes);
}

void state_open_hit(struct ui_state *state, const struct snapshot_hit *hit)
{
	state->hit_probe = hit->probe;
	state->hit_number = hit->number;
	snprintf(state->hit_comm, sizeof(state->hit_comm), "%s", hit->comm);
	snprintf(state->hit_values, sizeof(state->hit_values), "%s", hit->values);
	state->hit_line = *hit;
	state->hit_line.comm = state->hit_comm;
	state->hit_line.values = state->hit_values;
	state->hit_line.stack = "";
	state->hit.seen = 0;
	state->hit.top = 0;
	state_open_view(state, &state->hit.view);
	state_ask(state);
	state_refresh_view(state);	/* it waits for the answer */
}

uint32_t state_probe_here(const struct ui_state *state)
{
	return state->trail.levels[state->trail.count - 1].probe;
}

void state_leave_probe(struct ui_state *state)
{
	while (state_probe_here(state) && state_go_back(state))
		;
}

void state_leave_removed(struct ui_state *state)
{
	const struct snapshot_probes *probes = &state->shown->probes;
	const uint32_t probe = state_probe_here(state);

	if (!probe || (probe == PROBE_ALL ? probes->count > 0
					  : snapshot_probes_find(probes, probe) != NULL))
		return;
	state_leave_probe(state);
	state_say(state, "the probe was removed, and its hits with it");
}

bool state_probe_hits(const struct ui_state *state)
{
	return state_probe_here(state) && state_kind(state) != VIEW_PROBES;
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

void state_tell_trouble(struct ui_state *state, const struct snapshot *old,
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
