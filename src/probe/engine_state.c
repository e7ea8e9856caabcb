/* engine_state.c - see engine_state.h: the replies that leave the engine. */
#include "engine_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static bool send_reply(struct probe_engine *engine, const struct probe_reply *reply)
{
	struct probe_reply *slot = spsc_reserve(&engine->service->replies, sizeof(*slot));

	if (!slot)
		return false;
	*slot = *reply;
	spsc_commit(&engine->service->replies);
	service_notify(engine->service);
	return true;
}

void engine_reply(struct probe_engine *engine, const struct probe_reply *reply)
{
	struct late_reply *late;

	if (!engine->late_first && send_reply(engine, reply))
		return;
	late = reply->is_done ? malloc(sizeof(*late)) : NULL;
	if (!late)
		return;
	*late = (struct late_reply){ .reply = *reply };
	if (engine->late_first)
		engine->late_last->next = late;
	else
		engine->late_first = late;
	engine->late_last = late;
}

static void drop_first_late(struct probe_engine *engine)
{
	struct late_reply *late = engine->late_first;

	engine->late_first = late->next;
	free(late);
}

void engine_send_late_replies(struct probe_engine *engine)
{
	while (engine->late_first && send_reply(engine, &engine->late_first->reply))
		drop_first_late(engine);
}

void engine_drop_late_replies(struct probe_engine *engine)
{
	while (engine->late_first)
		drop_first_late(engine);
}

static uint32_t count_waiting(const struct probe_engine *engine, uint64_t request)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < PROBE_SLOTS; i++)
		count += engine->probes[i] && engine->probes[i]->request == request;
	return count;
}

static void settle_one(struct probe_engine *engine, struct engine_probe *probe)
{
	struct probe_reply out = { .number = probe->request, .kind = PROBE_ADD,
				    .probe = probe->id, .all = probe->request_probes };
	uint32_t waiting;

	probe->request = 0;
	waiting = count_waiting(engine, out.number);
	out.done = out.all - waiting;
	out.is_done = !waiting;
	if (probe->rest == PROBE_REFUSED) {
		out.verdict = probe->points->verdict;
		snprintf(out.reason, sizeof(out.reason), "%s", probe->status.reason);
	} else if (probe->rest == PROBE_FAILED) {
		out.why = probe->failure;
	} else if (!probe->live.part_count) {
		diag_set(&out.why, -ECANCELED, "not attached: it was switched off before");
	}
	engine_reply(engine, &out);
}

void engine_settle(struct probe_engine *engine)
{
	for (uint32_t i = 0; i < PROBE_SLOTS; i++) {
		struct engine_probe *probe = engine->probes[i];

		if (probe && probe->request && !engine_probe_is_due(probe))
			settle_one(engine, probe);
	}
}

bool engine_is_ending(const struct probe_engine *engine)
{
	return engine->finish_number || engine->is_finished;
}

bool engine_has_probes(const struct probe_engine *engine)
{
	for (uint32_t i = 0; i < PROBE_SLOTS; i++)
		if (engine->probes[i])
			return true;
	return false;
}
