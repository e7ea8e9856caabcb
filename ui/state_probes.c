/* state_probes.c - the part of the screen's state about probes: requests out, replies in. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "state.h"

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
static size_t find_sent(const struct ui_state *state, uint32_t probe)
{
	size_t i = 0;

	while (i < PROBE_SLOTS && state->out.sent[i].probe != probe)
		i++;
	return i;
}

const struct probe_sent *state_probe_sent(const struct ui_state *state,
					  const struct snapshot_probe *probe)
{
	const size_t at = find_sent(state, probe->id);

	return at < PROBE_SLOTS ? &state->out.sent[at] : NULL;
}

static void remember_request(struct ui_state *state, const struct probe_request *request)
{
	const struct snapshot_probe *probe =
		snapshot_probes_find(&state->shown->probes, request->probe);
	size_t at = find_sent(state, request->probe);

	if (at == PROBE_SLOTS)
		at = find_sent(state, 0);
	if (probe && at < PROBE_SLOTS)
		state->out.sent[at] = (struct probe_sent){
			.probe = probe->id, .kind = request->kind, .state = probe->state,
			.time_ns = request->time_ns,
		};
}

static bool changes_state(enum probe_request_kind kind)
{
	return kind == PROBE_OFF || kind == PROBE_ON || kind == PROBE_REMOVE ||
	       kind == PROBE_LIFT || kind == PROBE_BURSTS;
}

uint64_t state_probe_request(struct ui_state *state, const struct probe_request *request)
{
	struct probe_request *slot = &state->out.probe_requests[state->out.probe_count];

	if (state_probe_refusal(state)[0]) {
		state_say(state, "%s", state_probe_refusal(state));
		return 0;
	}
	if (state->out.probe_count == STATE_REQUESTS) {
		state_say(state, "earlier requests are still under way");
		return 0;
	}
	*slot = *request;
	if (request->kind != PROBE_CANCEL)
		slot->number = ++state->out.probe_number;
	slot->time_ns = clock_now_ns();
	state->out.probe_count++;
	if (request->kind == PROBE_ADD)
		state->out.adding = slot->number;
	if (changes_state(request->kind))
		remember_request(state, slot);
	return slot->number;
}

static void tell_one(struct ui_state *state, const struct probe_reply *reply)
{
	if (reply->why.err)
		state_say(state, "%s", reply->why.text);
	else if (reply->reason[0])
		state_say(state, "not attached: %s", reply->reason);
	else
		state_say(state, "attached \u00b7 8 shows it");
}

/* Returns the tally of a request, begun anew if needed: several requests may be under way. */
static struct probe_tally *tally_of(struct ui_state *state, uint64_t number)
{
	struct probe_tally *tally = &state->out.tallies[number % STATE_REQUESTS];

	if (tally->number != number)
		*tally = (struct probe_tally){ .number = number };
	return tally;
}

static void count_reply(struct probe_tally *tally, const struct probe_reply *reply)
{
	if (reply->why.err == -ECANCELED)
		tally->cancelled++;
	else if (reply->why.err)
		tally->failed++;
	else if (reply->reason[0])
		tally->refused++;
}

static void add_count(char *text, size_t room, uint32_t count, const char *what)
{
	const size_t length = strlen(text);

	if (count)
		snprintf(text + length, room - length, ", %" PRIu32 " %s", count, what);
}

/* Shows the progress of a wildcard, which gets a reply per function, in any order. */
static void tell_many(struct ui_state *state, const struct probe_reply *reply,
		      const struct probe_tally *tally)
{
	const bool has_reasons = tally->refused || tally->failed;
	const uint32_t attached =
		reply->done - tally->refused - tally->failed - tally->cancelled;
	char others[96] = "";

	add_count(others, sizeof(others), tally->refused, "refused");
	add_count(others, sizeof(others), tally->failed, "failed");
	add_count(others, sizeof(others), tally->cancelled, "cancelled");
	if (reply->is_done)
		state_say(state, "%" PRIu32 " attached%s \u00b7 8 shows %s", attached, others,
			  has_reasons ? "why" : "them");
	else
		state_say(state, "attached to %" PRIu32 " of %" PRIu32 "%s\u2026", attached,
			  reply->all, others);
}

static void tell_added(struct ui_state *state, const struct probe_reply *reply)
{
	struct probe_tally *tally = tally_of(state, reply->number);

	if (reply->is_done && reply->number == state->out.adding)
		state->out.adding = 0;
	count_reply(tally, reply);
	if (reply->all > 1)
		tell_many(state, reply, tally);
	else
		tell_one(state, reply);
}

void state_probe_replied(struct ui_state *state, const struct probe_reply *reply)
{
	state->is_changed = true;
	switch (reply->kind) {
	case PROBE_EXAMINE:	/* the panel's */
		break;
	case PROBE_ADD:
		tell_added(state, reply);
		break;
	case PROBE_SWEEP:
		if (!reply->why.err)
			state_say(state, "removed %" PRIu32 " probe%s of dead instances",
				  reply->done, reply->done == 1 ? "" : "s");
		else
			state_say(state, "%s", reply->why.text);
		break;
	default:	/* snapshots show the outcome of other requests, except failures */
		if (reply->why.err)
			state_say(state, "%s", reply->why.text);
	}
}

const struct snapshot_probe *state_probe(const struct ui_state *state)
{
	const struct view *view = state->views[state->shown_kind];

	if (view->ops->of_level)
		view = view->ops->of_level(state->views[state->shown_kind], state);
	return view->ops->cursor_probe ? view->ops->cursor_probe(view, state) : NULL;
}
