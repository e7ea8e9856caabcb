/* engine_orders.c - see probe/engine_state.h: carries out orders to the probe engine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine_state.h"

static void refuse(struct probe_engine *engine, const struct probe_order *order,
		   const struct diag *why)
{
	struct probe_answer refusal = { .number = order->number, .kind = order->kind,
					.is_done = true, .why = *why };

	engine_answer(engine, &refusal);
}

static struct engine_probe *find(struct probe_engine *engine, uint32_t id)
{
	for (uint32_t i = 0; i < PROBE_SLOTS; i++)
		if (engine->probes[i] && engine->probes[i]->id == id)
			return engine->probes[i];
	return NULL;
}

static uint32_t count_free_slots(const struct probe_engine *engine)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < PROBE_SLOTS; i++)
		count += !engine->probes[i];
	return count;
}

/* Rotates slots: the counts under a freed one need time to be dropped. One must be free. */
static uint32_t free_slot(struct probe_engine *engine)
{
	uint32_t slot = engine->next_slot;

	while (engine->probes[slot])
		slot = (slot + 1) % PROBE_SLOTS;
	engine->next_slot = (slot + 1) % PROBE_SLOTS;
	return slot;
}

/* Returns why the probe must not be attached; NULL: it may be. */
static const char *objection(const struct probe_engine *engine, const struct probe_places *places,
			     const struct probe_choice *choice)
{
	if (!engine_can_attach(engine))
		return engine->group_why.text;
	if (places->verdict == VERDICT_REFUSED || places->verdict == VERDICT_UNABLE ||
	    (places->verdict == VERDICT_ASKS && !choice->insists))
		return places->reason;
	return NULL;
}

/* Raises the cap of the sum if one probe's own cap is above it. */
static void make_cap_room(struct probe_engine *engine, double cap_pct, uint64_t now_ns)
{
	if (engine->account.share < cap_pct / 100)
		governor_open(&engine->account, cap_pct, now_ns);
}

/* Adds one probe with its row. Takes over the contents of *@places. */
static struct engine_probe *add_one(struct probe_engine *engine,
				    const struct probe_finding *finding,
				    struct probe_places *places, struct diag *why)
{
	const struct probe_choice *choice = &finding->order.choice;
	const uint32_t slot = free_slot(engine);
	struct probe_places *own = malloc(sizeof(*own));
	struct engine_probe *probe;

	probe = own ? engine_probe_create(choice, own, engine->last_id + 1, slot) : NULL;
	if (!probe) {
		diag_set(why, -ENOMEM, "no memory for a probe");
		free(own);
		return NULL;
	}
	*own = *places;
	*places = (struct probe_places){ .file = -1 };
	engine->last_id++;
	if (probe->choice.cap_pct <= 0)
		probe->choice.cap_pct = engine->config.cap_pct;
	if (probe->choice.cap_pct > engine->config.cap_pct)
		make_cap_room(engine, probe->choice.cap_pct, clock_now_ns());
	if (!probe->choice.lease_ns)
		probe->choice.lease_ns = engine->config.lease_ns;
	probe->status.own_ns = own->own_ns;
	probe->cost_ns = probe_cost_of_hit(&finding->cost, own, choice->with_stacks);
	engine->probes[slot] = probe;
	engine_probe_announce(probe, &engine->kernel);
	return probe;
}

static uint32_t count_waiting(const struct probe_engine *engine, uint64_t order)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < PROBE_SLOTS; i++)
		count += engine->probes[i] && engine->probes[i]->order == order;
	return count;
}

static void settle_one(struct probe_engine *engine, struct engine_probe *probe)
{
	struct probe_answer out = { .number = probe->order, .kind = PROBE_ADD,
				    .probe = probe->id, .all = probe->order_probes };
	uint32_t waiting;

	probe->order = 0;
	waiting = count_waiting(engine, out.number);
	out.done = out.all - waiting;
	out.is_done = !waiting;
	if (probe->rest == PROBE_REFUSED) {
		out.verdict = probe->places->verdict;
		snprintf(out.reason, sizeof(out.reason), "%s", probe->status.reason);
	} else if (probe->rest == PROBE_FAILED) {
		out.why = probe->failure;
	} else if (!probe->live.part_count) {
		diag_set(&out.why, -ECANCELED, "not attached: it was switched off before");
	}
	engine_answer(engine, &out);
}

void engine_settle(struct probe_engine *engine)
{
	for (uint32_t i = 0; i < PROBE_SLOTS; i++) {
		struct engine_probe *probe = engine->probes[i];

		if (probe && probe->order && !engine_probe_is_due(probe))
			settle_one(engine, probe);
	}
}

/* Attaches unless forbidden, which is checked each time. A refused probe's row shows the reason. */
static void start(struct probe_engine *engine, struct engine_probe *probe)
{
	const char *reason = objection(engine, probe->places, &probe->choice);

	if (reason) {
		engine_probe_switch_off(probe, &engine->kernel, PROBE_REFUSED, reason, 0);
	} else {
		engine_probe_switch_on(probe, clock_now_ns());
		engine_probe_report(probe, &engine->kernel);
	}
}

/* All or none: attaching only some functions of a pattern would pick them at random. */
static int check_room(const struct probe_engine *engine, uint32_t wanted, struct diag *why)
{
	const uint32_t left = count_free_slots(engine);

	if (wanted <= left)
		return 0;
	if (wanted == 1)
		return diag_set(why, -ENOSPC, "%d probes are the limit: remove some", PROBE_SLOTS);
	return diag_set(why, -ENOSPC, "%u functions, and there is room for %u of at most %d "
			"probes: remove some, or name fewer", wanted, left, PROBE_SLOTS);
}

static void add_found(struct probe_engine *engine, struct probe_finding *finding)
{
	struct engine_probe *added[PROBE_SLOTS];
	struct diag why = { .err = 0 };
	uint32_t count = 0;

	check_room(engine, finding->place_count, &why);
	while (!why.err && count < finding->place_count) {
		added[count] = add_one(engine, finding, &finding->places[count], &why);
		if (!added[count])
			break;
		count++;
	}
	for (uint32_t i = 0; i < count; i++) {
		added[i]->order = finding->order.number;
		added[i]->order_probes = count;
	}
	for (uint32_t i = 0; i < count; i++)
		start(engine, added[i]);
	engine_settle(engine);
	if (why.err)
		refuse(engine, &finding->order, &why);
	probe_places_free(finding->places, finding->place_count);
}

void engine_take_findings(struct probe_engine *engine)
{
	struct probe_finding finding;

	while (probe_examiner_take(engine->examiner, &finding)) {
		if (!finding.why.err && engine_is_ending(engine)) {
			probe_places_free(finding.places, finding.place_count);
			diag_set(&finding.why, -ESHUTDOWN, "flametop ends");
		}
		if (finding.why.err)
			refuse(engine, &finding.order, &finding.why);
		else if (finding.order.kind == PROBE_ADD)
			add_found(engine, &finding);
		else
			engine_examine(engine, &finding);
	}
}

void engine_remove(struct probe_engine *engine, struct engine_probe *probe, uint64_t time_ns)
{
	probe->is_removed = true;
	engine_probe_switch_off(probe, &engine->kernel, PROBE_IS_OFF, "", time_ns);
}

static void lift(struct probe_engine *engine, struct engine_probe *probe, double cap_pct,
		 uint64_t now_ns)
{
	probe->choice.cap_pct = cap_pct;
	make_cap_room(engine, cap_pct, now_ns);
	governor_open(&probe->account, cap_pct, now_ns);
	start(engine, probe);
}

/* Carries out an order for one existing probe. */
static void order_probe(struct probe_engine *engine, struct engine_probe *probe,
			const struct probe_order *order)
{
	const uint64_t now_ns = clock_now_ns();

	switch (order->kind) {
	case PROBE_OFF:
		if (probe->rest != PROBE_REFUSED)
			engine_probe_switch_off(probe, &engine->kernel, PROBE_IS_OFF, "",
						order->time_ns);
		break;
	case PROBE_REMOVE:
		engine_remove(engine, probe, order->time_ns);
		return;
	case PROBE_ON:
		start(engine, probe);
		break;
	case PROBE_EXTEND:
		if (probe->choice.lease_ns == UINT64_MAX)
			break;
		probe->status.lease_until_ns = now_ns + probe->choice.lease_ns;
		engine_probe_report(probe, &engine->kernel);
		break;
	case PROBE_LIFT:
		lift(engine, probe, order->choice.cap_pct, now_ns);
		break;
	case PROBE_BURSTS:
		probe->status.is_in_bursts = probe->choice.in_bursts = true;
		start(engine, probe);
		break;
	default:
		break;
	}
}

static void cancel(struct probe_engine *engine, uint64_t number)
{
	const uint64_t now_ns = clock_now_ns();

	probe_examiner_cancel(engine->examiner, number);
	for (uint32_t i = 0; i < PROBE_SLOTS; i++)
		if (engine->probes[i] && engine->probes[i]->order == number)
			engine_remove(engine, engine->probes[i], now_ns);
	if (engine->examination.answer.number && engine->examination.answer.number <= number)
		engine_drop_examination(engine);
}

static void look_up(struct probe_engine *engine, const struct probe_order *order)
{
	struct diag why = { .err = 0 };

	if (engine_is_ending(engine))
		diag_set(&why, -ESHUTDOWN, "flametop ends");
	else if (engine->config.is_readonly && order->kind == PROBE_ADD)
		diag_set(&why, -EPERM, "started with --readonly: no probe is attached");
	else if (!probe_examiner_ask(engine->examiner, order))
		diag_set(&why, -EAGAIN, "too much is being looked up: try again in a moment");
	if (why.err)
		refuse(engine, order, &why);
}

static void sweep(struct probe_engine *engine, const struct probe_order *order)
{
	struct probe_answer out = { .number = order->number, .kind = PROBE_SWEEP,
				    .is_done = true, .why = engine->group_why };

	if (engine->kernel.group)
		out.done = trace_group_sweep(engine->kernel.group, &out.all, &out.why);
	engine_answer(engine, &out);
}

static void take_order(struct probe_engine *engine, const struct probe_order *order)
{
	struct engine_probe *probe;

	switch (order->kind) {
	case PROBE_EXAMINE:
	case PROBE_ADD:
		look_up(engine, order);
		return;
	case PROBE_CANCEL:
		cancel(engine, order->number);
		return;
	case PROBE_FINISH:
		engine_finish(engine, order->number);
		return;
	case PROBE_REMOVE_ALL:
		for (uint32_t i = 0; i < PROBE_SLOTS; i++)
			if (engine->probes[i])
				engine_remove(engine, engine->probes[i], order->time_ns);
		return;
	case PROBE_SWEEP:
		sweep(engine, order);
		return;
	default:
		probe = find(engine, order->probe);
		if (probe && !probe->is_removed && !engine_is_ending(engine))
			order_probe(engine, probe, order);
		return;
	}
}

void engine_take_orders(struct probe_engine *engine)
{
	const struct probe_order *order;
	size_t bytes;

	while ((order = spsc_peek(&engine->service->requests, &bytes))) {
		take_order(engine, order);
		spsc_release(&engine->service->requests);
	}
}
