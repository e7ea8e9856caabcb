/* engine_requests.c - see engine_state.h: carries out requests to the probe engine. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine_state.h"

static void refuse(struct probe_engine *engine, const struct probe_request *request,
		   const struct diag *why)
{
	struct probe_reply refusal = { .number = request->number, .kind = request->kind,
					.is_done = true, .why = *why };

	engine_reply(engine, &refusal);
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
static const char *objection(const struct probe_engine *engine, const struct probe_point *points,
			     const struct probe_choice *choice)
{
	if (!engine_can_attach(engine))
		return engine->group_why.text;
	if (points->verdict == VERDICT_REFUSED || points->verdict == VERDICT_UNABLE ||
	    (points->verdict == VERDICT_ASKS && !choice->insists))
		return points->reason;
	return NULL;
}

/* Raises the cap of the sum if one probe's own cap is above it. */
static void make_cap_room(struct probe_engine *engine, double cap_pct, uint64_t now_ns)
{
	if (engine->account.share < cap_pct / 100)
		governor_open(&engine->account, cap_pct, now_ns);
}

/* Adds one probe with its row. Takes over the contents of *@points. */
static struct engine_probe *add_one(struct probe_engine *engine,
				    const struct examined_point *examined,
				    struct probe_point *points, struct diag *why)
{
	const struct probe_choice *choice = &examined->request.choice;
	const uint32_t slot = free_slot(engine);
	struct probe_point *own = malloc(sizeof(*own));
	struct engine_probe *probe;

	probe = own ? engine_probe_create(choice, own, engine->last_id + 1, slot) : NULL;
	if (!probe) {
		diag_set(why, -ENOMEM, "no memory for a probe");
		free(own);
		return NULL;
	}
	*own = *points;
	*points = (struct probe_point){ .file = -1 };
	engine->last_id++;
	if (probe->choice.cap_pct <= 0)
		probe->choice.cap_pct = engine->config.cap_pct;
	if (probe->choice.cap_pct > engine->config.cap_pct)
		make_cap_room(engine, probe->choice.cap_pct, clock_now_ns());
	if (!probe->choice.lease_ns)
		probe->choice.lease_ns = engine->config.lease_ns;
	probe->process_ticks = examined->process_ticks;
	probe->status.own_ns = own->own_ns;
	probe->cost_ns = probe_cost_of_hit(&examined->cost, own, choice->with_stacks);
	probe->end_cost_ns = probe_cost_of_end(&examined->cost, own) /
			     (own->spec.middle_count + 1);
	engine->probes[slot] = probe;
	engine_probe_announce(probe, &engine->kernel);
	return probe;
}

/* Attaches unless forbidden, which is checked each time. A refused probe's row shows the reason. */
static void start(struct probe_engine *engine, struct engine_probe *probe)
{
	const char *reason = objection(engine, probe->points, &probe->choice);

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

/* Refuses a second probe with the name that the user gave to one. */
static int check_name(const struct probe_engine *engine, const char *name, struct diag *why)
{
	for (uint32_t i = 0; name[0] && i < PROBE_SLOTS; i++)
		if (engine->probes[i] && !strcmp(engine->probes[i]->choice.spec.name, name))
			return diag_set(why, -EEXIST, "there is a probe %s already: give this one "
					"another name, or remove that one", name);
	return 0;
}

static void add_found(struct probe_engine *engine, struct examined_point *examined)
{
	struct engine_probe *added[PROBE_SLOTS];
	struct diag why = { .err = 0 };
	uint32_t count = 0;

	if (!check_name(engine, examined->request.choice.spec.name, &why))
		check_room(engine, examined->point_count, &why);
	while (!why.err && count < examined->point_count) {
		added[count] = add_one(engine, examined, &examined->points[count], &why);
		if (!added[count])
			break;
		count++;
	}
	for (uint32_t i = 0; i < count; i++) {
		added[i]->request = examined->request.number;
		added[i]->request_probes = count;
	}
	for (uint32_t i = 0; i < count; i++)
		start(engine, added[i]);
	engine_settle(engine);
	if (why.err)
		refuse(engine, &examined->request, &why);
	probe_point_free(examined->points, examined->point_count);
}

void engine_take_examined(struct probe_engine *engine)
{
	struct examined_point examined;

	while (probe_examiner_take(engine->examiner, &examined)) {
		if (!examined.why.err && engine_is_ending(engine)) {
			probe_point_free(examined.points, examined.point_count);
			diag_set(&examined.why, -ESHUTDOWN, "flametop ends");
		}
		if (examined.why.err)
			refuse(engine, &examined.request, &examined.why);
		else if (examined.request.kind == PROBE_ADD)
			add_found(engine, &examined);
		else
			engine_examine(engine, &examined);
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

/* Carries out a request for one existing probe. */
static void change_probe(struct probe_engine *engine, struct engine_probe *probe,
			 const struct probe_request *request)
{
	const uint64_t now_ns = clock_now_ns();

	switch (request->kind) {
	case PROBE_OFF:
		if (probe->rest != PROBE_REFUSED)
			engine_probe_switch_off(probe, &engine->kernel, PROBE_IS_OFF, "",
						request->time_ns);
		break;
	case PROBE_REMOVE:
		engine_remove(engine, probe, request->time_ns);
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
		lift(engine, probe, request->choice.cap_pct, now_ns);
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
		if (engine->probes[i] && engine->probes[i]->request == number)
			engine_remove(engine, engine->probes[i], now_ns);
	if (engine->examination.reply.number && engine->examination.reply.number <= number)
		engine_drop_examination(engine);
}

static void look_up(struct probe_engine *engine, const struct probe_request *request)
{
	struct examined_point *known =
		request->kind == PROBE_ADD ? &engine->examination.examined : NULL;
	struct diag why = { .err = 0 };

	if (engine_is_ending(engine))
		diag_set(&why, -ESHUTDOWN, "flametop ends");
	else if (engine->config.is_readonly && request->kind == PROBE_ADD)
		diag_set(&why, -EPERM, "started with --readonly: no probe is attached");
	else if (!probe_examiner_ask(engine->examiner, request, known))
		diag_set(&why, -EAGAIN, "too much is being looked up: try again in a moment");
	if (why.err)
		refuse(engine, request, &why);
}

static void sweep(struct probe_engine *engine, const struct probe_request *request)
{
	struct probe_reply out = { .number = request->number, .kind = PROBE_SWEEP,
				    .is_done = true, .why = engine->group_why };

	if (engine->kernel.group)
		out.done = trace_group_sweep(engine->kernel.group, &out.all, &out.why);
	engine_reply(engine, &out);
}

static void carry_out(struct probe_engine *engine, const struct probe_request *request)
{
	struct engine_probe *probe;

	switch (request->kind) {
	case PROBE_EXAMINE:
	case PROBE_ADD:
		look_up(engine, request);
		return;
	case PROBE_CANCEL:
		cancel(engine, request->number);
		return;
	case PROBE_FINISH:
		engine_finish(engine, request->number);
		return;
	case PROBE_REMOVE_ALL:
		for (uint32_t i = 0; i < PROBE_SLOTS; i++)
			if (engine->probes[i])
				engine_remove(engine, engine->probes[i], request->time_ns);
		return;
	case PROBE_SWEEP:
		sweep(engine, request);
		return;
	default:
		probe = find(engine, request->probe);
		if (probe && !probe->is_removed && !engine_is_ending(engine))
			change_probe(engine, probe, request);
		return;
	}
}

void engine_take_requests(struct probe_engine *engine)
{
	const struct probe_request *request;
	size_t bytes;

	while ((request = spsc_peek(&engine->service->requests, &bytes))) {
		carry_out(engine, request);
		spsc_release(&engine->service->requests);
	}
}
