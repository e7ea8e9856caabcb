/* engine_watch.c - see engine_state.h: takes the steps of all probes in order of urgency, and
 * ends probes without a request: by cost, lease, burst. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/diag.h"
#include "engine_state.h"

#define WATCH_NS     (100 * CLOCK_NS_PER_MS)
#define REPORT_NS    (250 * CLOCK_NS_PER_MS)
#define FILES_NS     (1 * CLOCK_NS_PER_S)
#define BURST_OFF_NS (9 * CLOCK_NS_PER_S)
#define BURST_ON_NS  (1 * CLOCK_NS_PER_S)

/* Opens the rings with the first probe, so that they cost nothing without one. */
static bool has_rings(struct probe_engine *engine)
{
	struct engine_kernel *kernel = &engine->kernel;
	struct engine_event event = { .kind = ENGINE_EVENT_RINGS };
	struct diag why = { .err = 0 };

	if (kernel->rings)
		return true;
	if (probe_rings_open(&kernel->rings, &engine->records, engine->analyzer_fd, &why)) {
		for (uint32_t i = 0; i < PROBE_SLOTS; i++)
			if (engine->probes[i] && engine->probes[i]->wants_on)
				engine_probe_fail(engine->probes[i], kernel, &why);
		return false;
	}
	kernel->tell(engine, &event);
	return true;
}

/* Returns the probe with the most urgent step; detaching goes first. NULL: nothing is due. */
static struct engine_probe *choose_step(struct probe_engine *engine)
{
	struct engine_probe *chosen = NULL;

	for (uint32_t i = 0; i < PROBE_SLOTS; i++) {
		struct engine_probe *probe = engine->probes[i];

		if (!probe || !engine_probe_is_due(probe))
			continue;
		if (probe->is_retired && probe->rest == PROBE_CAPPED)
			return probe;
		if (!chosen || (probe->is_retired && !chosen->is_retired))
			chosen = probe;
	}
	return chosen;
}

static void bury(struct probe_engine *engine)
{
	for (uint32_t i = 0; i < PROBE_SLOTS; i++) {
		struct engine_probe *probe = engine->probes[i];
		struct engine_event event = { .kind = ENGINE_EVENT_REMOVED };

		if (!probe || !probe->is_removed || probe->live.part_count)
			continue;
		event.probe = probe->id;
		event.slot = probe->slot;
		engine->kernel.tell(engine, &event);
		engine_probe_destroy(probe);
		engine->probes[i] = NULL;
	}
}

/* No probe writes to the rings any more: closing them reads what is left in them. */
static void end_records(struct probe_engine *engine)
{
	const struct probe_reply done = { .number = engine->finish_number, .is_done = true,
					   .kind = PROBE_FINISH };

	probe_rings_close(engine->kernel.rings);
	engine->kernel.rings = NULL;
	engine->finish_number = 0;
	engine->is_finished = true;
	engine_reply(engine, &done);
}

bool engine_take_step(struct probe_engine *engine)
{
	struct engine_probe *probe = choose_step(engine);

	if (probe && (probe->is_retired || has_rings(engine)))
		engine_probe_step(probe, &engine->kernel);
	engine_settle(engine);
	bury(engine);
	probe = choose_step(engine);
	if (!probe && engine->finish_number)
		end_records(engine);
	return probe;
}

void engine_finish(struct probe_engine *engine, uint64_t number)
{
	const uint64_t now_ns = clock_now_ns();

	engine_drop_examination(engine);
	for (uint32_t i = 0; i < PROBE_SLOTS; i++) {
		struct engine_probe *probe = engine->probes[i];
		struct probe_status as_it_was;

		if (!probe)
			continue;
		as_it_was = probe->status;
		probe->keeps_state = true;
		probe->status.read_ns = UINT64_MAX;	/* these counts are final */
		engine_probe_switch_off(probe, &engine->kernel, probe->rest, as_it_was.reason,
					now_ns);
	}
	engine->finish_number = number;
}

/* The reason is short: it shares one line of a screen with the remedy. */
static void cap(struct probe_engine *engine, struct engine_probe *probe,
		const struct governor_account *account, uint64_t now_ns)
{
	const char *whose = account == &probe->account ? "its cap" : "all may take";
	char reason[160];

	snprintf(reason, sizeof(reason), "%.0f hits/s of %.1f us are over %s, %g %%",
		 probe->status.hits_per_s, probe->cost_ns / 1e3, whose, account->share * 100);
	log_warn("probe %s: %s", probe->points->spec.text, reason);
	engine_probe_switch_off(probe, &engine->kernel, PROBE_CAPPED, reason, now_ns);
}

static void watch_lease(struct probe_engine *engine, struct engine_probe *probe, uint64_t now_ns)
{
	if (probe->wants_on && now_ns >= probe->status.lease_until_ns)
		engine_probe_switch_off(probe, &engine->kernel, PROBE_EXPIRED,
					"its lease is over: t switches it on again", now_ns);
}

static void watch_burst(struct probe_engine *engine, struct engine_probe *probe, uint64_t now_ns)
{
	const uint64_t lease_until_ns = probe->status.lease_until_ns;

	if (!probe->choice.in_bursts || now_ns < probe->switch_ns)
		return;
	if (probe->wants_on && probe->live.part_count) {
		engine_probe_switch_off(probe, &engine->kernel, PROBE_PAUSED, "", now_ns);
		probe->switch_ns = now_ns + BURST_OFF_NS;
	} else if (!probe->wants_on && probe->rest == PROBE_PAUSED) {
		engine_probe_switch_on(probe, now_ns);
		probe->status.lease_until_ns = lease_until_ns;
		probe->switch_ns = now_ns + BURST_ON_NS;
	}
}

/* Finds what became of the probe's files: of several, of one that is not the same any more. False:
 * it has none, or that is not known. */
static bool find_fate(struct probe_engine *engine, const struct engine_probe *probe,
		      enum file_fate *out)
{
	const struct probe_point *point;
	bool has_file = false;

	*out = FILE_IS_SAME;
	for (uint32_t i = 0; (point = probe_point_at(probe->points, i)) != NULL; i++) {
		enum file_fate fate;

		if (!point->watch)
			continue;
		if (file_watch_look(point->watch, &engine->blocking_calls, &fate))
			return false;
		if (*out == FILE_IS_SAME || fate == FILE_IS_REWRITTEN)
			*out = fate;
		has_file = true;
	}
	return has_file;
}

/* After a rewrite, a breakpoint may be inside of an instruction and crash the program. */
static void watch_file(struct probe_engine *engine, struct engine_probe *probe)
{
	struct diag why = { .err = 0 };
	enum file_fate fate;
	const char *text;

	if (!probe->live.part_count || probe->is_retired || !find_fate(engine, probe, &fate))
		return;
	text = file_fate_text(fate);
	if (text[0] && strcmp(probe->status.reason, text) != 0)
		log_warn("probe %s: %s", probe->points->spec.text, text);
	if (fate == FILE_IS_REWRITTEN) {
		diag_set(&why, -ESTALE, "%s", text);
		engine_probe_fail(probe, &engine->kernel, &why);
		return;
	}
	snprintf(probe->status.reason, sizeof(probe->status.reason), "%s", text);
}

/* Reads all probes; ends those with an empty account, and if the sum's is, the most expensive. */
static void govern(struct probe_engine *engine, uint64_t now_ns)
{
	struct engine_probe *most = NULL;
	double all_ns = 0, most_ns = 0;

	for (uint32_t i = 0; i < PROBE_SLOTS; i++) {
		struct engine_probe *probe = engine->probes[i];
		double ns;

		if (!probe || !probe->live.part_count || probe->is_retired)
			continue;
		ns = engine_probe_read(probe, &engine->kernel, now_ns);
		all_ns += ns;
		if (ns > most_ns) {
			most = probe;
			most_ns = ns;
		}
		if (!governor_take(&probe->account, ns, now_ns))
			cap(engine, probe, &probe->account, now_ns);
	}
	if (!governor_take(&engine->account, all_ns, now_ns) && most && !most->is_retired)
		cap(engine, most, &engine->account, now_ns);
}

void engine_watch(struct probe_engine *engine, uint64_t now_ns)
{
	/* Periodic counts must leave room in the queue for events that are sent only once. */
	const bool reports = now_ns >= engine->report_ns &&
			     spsc_used(&engine->events) < engine->events.capacity / 2;
	const bool looks = now_ns >= engine->files_ns;

	if (now_ns < engine->tick_ns || engine_is_ending(engine))
		return;
	engine->tick_ns = now_ns + WATCH_NS;
	if (reports)
		engine->report_ns = now_ns + REPORT_NS;
	govern(engine, now_ns);
	if (looks)
		engine->files_ns = now_ns + FILES_NS;
	for (uint32_t i = 0; i < PROBE_SLOTS; i++) {
		struct engine_probe *probe = engine->probes[i];

		if (!probe)
			continue;
		watch_lease(engine, probe, now_ns);
		watch_burst(engine, probe, now_ns);
		if (looks)
			watch_file(engine, probe);
		if (reports)
			engine_probe_report(probe, &engine->kernel);
	}
}
