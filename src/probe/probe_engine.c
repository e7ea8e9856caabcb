/* probe_engine.c - see probe/probe_engine.h.
 *
 * Problem: a breakpoint is set in a millisecond and removed in 90 ms, debug information may take
 * seconds, and a probe that costs too much must be off within one: none of these may wait for
 * another, and keys for none of them.
 *
 * Idea: each probe has a wanted state; the thread takes one blocking step at a time towards it
 * (engine_probe.c), first for probes that are to be detached, and reads requests, meters and leases
 * between two steps. Specs are resolved in a thread of its own (probe_examiner.c).
 *
 * Invariant: a request to switch off is carried out (hits ignored, counting stopped) before the
 * next step; a probe has a slot exactly as long as it has a row.
 */
#include "probe/probe_engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/whole_io.h"
#include "engine_state.h"
#include "probe_pmu.h"

#define REQUEST_BYTES (2u << 20)	/* a request has 18 KB: room for more than probes */
#define REPLY_BYTES  (1u << 17)		/* a reply has 5 KB */
#define EVENT_BYTES    (1u << 20)	/* status of all probes, four times a second, for seconds */
#define RECORD_BYTES  (1u << 24)	/* 16 MiB: half a second of 300,000 hits/s */
#define WATCH_MS      100
#define RATE_MS	      10
#define KEPT_MS	      1000	/* as long as points are kept that were examined */
#define FILE_WAIT_MS  100		/* like a step: delays governor and requests */

static void tell(void *owner, struct engine_event *event)
{
	struct probe_engine *engine = owner;
	struct engine_event *slot = spsc_reserve(&engine->events, sizeof(*slot));

	/* The analyzer reads events first: if the queue is full, the reader is gone. */
	if (!slot) {
		probe_reading_destroy(event->reading);
		free(event->spec);
		return;
	}
	*slot = *event;
	spsc_commit(&engine->events);
	whole_eventfd_write(engine->analyzer_fd, 1);
}

static int serve(void *owner)
{
	struct probe_engine *engine = owner;
	uint64_t now_ns;

	engine_send_late_replies(engine);
	engine_take_requests(engine);
	engine_take_examined(engine);
	now_ns = clock_now_ns();
	engine_watch(engine, now_ns);
	engine_continue_examination(engine, now_ns);
	if (engine_take_step(engine))
		return SERVICE_AGAIN;
	if (engine->examination.is_counting)
		return RATE_MS;
	if (engine_has_probes(engine))
		return WATCH_MS;
	return engine->examination.examined.point_count ? KEPT_MS : SERVICE_SLEEP;
}

static void wake(void *owner)
{
	struct probe_engine *engine = owner;

	service_wake(engine->service);
}

static int create_queues(struct probe_engine *engine, struct diag *why)
{
	engine->analyzer_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (engine->analyzer_fd < 0)
		return diag_set(why, -errno, "no descriptors left for probes: raise ulimit -n");
	engine->has_events = spsc_init(&engine->events, EVENT_BYTES) == 0;
	engine->has_records = spsc_init(&engine->records, RECORD_BYTES) == 0;
	if (!engine->has_events || !engine->has_records)
		return diag_set(why, -ENOMEM, "no memory for probes");
	return 0;
}

static int create_threads(struct probe_engine *engine, struct diag *why)
{
	const struct probe_examiner_config examiner = {
		.sandbox = engine->config.sandbox, .found = wake, .owner = engine,
	};
	const struct service_plan plan = {
		.name = "ft-probes", .request_bytes = REQUEST_BYTES, .reply_bytes = REPLY_BYTES,
		.serve = serve, .owner = engine,
	};
	int err = probe_examiner_create(&engine->examiner, &examiner, why);

	if (err)
		return err;
	err = service_create(&engine->service, &plan);
	if (err)
		return diag_set(why, err, "cannot start the thread of probes: %s", strerror(-err));
	return 0;
}

/* Opens the tracefs group. Without it, those who may sample the whole system can use the PMUs. */
static void open_group(struct probe_engine *engine)
{
	if (trace_group_open(&engine->kernel.group, &engine->group_why) == 0)
		return;
	engine->has_pmus = probe_pmu_try(true, NULL) == 0 || probe_pmu_try(false, NULL) == 0;
	log_note("%s: %s", engine->has_pmus ? "probes only of functions and registers"
					    : "no probes", engine->group_why.text);
}

int probe_engine_create(struct probe_engine **out, const struct probe_engine_config *config,
			struct diag *why)
{
	struct probe_engine *engine;
	int err;

	*out = NULL;
	engine = aligned_alloc(_Alignof(struct probe_engine), sizeof(*engine));
	if (!engine)
		return diag_set(why, -ENOMEM, "no memory for probes");
	memset(engine, 0, sizeof(*engine));
	engine->config = *config;
	engine->analyzer_fd = -1;
	engine->kernel = (struct engine_kernel){ .copy_bytes = config->copy_bytes, .tell = tell,
						 .owner = engine };
	engine->blocking_calls.wait_ms = FILE_WAIT_MS;
	governor_open(&engine->account, config->cap_sum_pct, clock_now_ns());
	err = create_queues(engine, why);
	if (!err) {
		open_group(engine);
		err = config->is_unused ? 0 : create_threads(engine, why);
	}
	if (err) {
		probe_engine_destroy(engine);
		return err;
	}
	*out = engine;
	return 0;
}

static void detach_all(struct probe_engine *engine)
{
	engine_drop_examination(engine);
	for (uint32_t i = 0; i < PROBE_SLOTS; i++)
		if (engine->probes[i])
			engine_remove(engine, engine->probes[i], 0);
	while (engine_take_step(engine))
		;
}

static void drop_events(struct probe_engine *engine)
{
	struct engine_event event;

	while (engine->has_events && probe_engine_event(engine, &event)) {
		probe_reading_destroy(event.reading);
		free(event.spec);
	}
}

void probe_engine_end(struct probe_engine *engine)
{
	if (!engine)
		return;
	service_stop(engine->service);
	detach_all(engine);
	probe_rings_close(engine->kernel.rings);
	trace_group_close(engine->kernel.group);
	engine->kernel.rings = NULL;
	engine->kernel.group = NULL;
}

bool probe_engine_destroy(struct probe_engine *engine)
{
	if (!engine)
		return true;
	probe_engine_end(engine);
	if (!probe_examiner_destroy(engine->examiner))
		return false;	/* its thread may still call wake() */
	service_destroy(engine->service);
	engine_drop_late_replies(engine);
	blocking_calls_finish(&engine->blocking_calls);
	drop_events(engine);
	if (engine->has_events)
		spsc_finish(&engine->events);
	if (engine->has_records)
		spsc_finish(&engine->records);
	if (engine->analyzer_fd >= 0)
		close(engine->analyzer_fd);
	free(engine);
	return true;
}

const char *probe_engine_refusal(const struct probe_engine *engine)
{
	return engine_can_attach(engine) ? "" : engine->group_why.text;
}

bool probe_engine_request(struct probe_engine *engine, const struct probe_request *request)
{
	struct probe_request *slot = NULL;

	if (engine->service)
		slot = spsc_reserve(&engine->service->requests, sizeof(*slot));
	if (!slot)
		return false;
	*slot = *request;
	spsc_commit(&engine->service->requests);
	service_wake(engine->service);
	return true;
}

bool probe_engine_reply(struct probe_engine *engine, struct probe_reply *out)
{
	const struct probe_reply *reply;
	size_t bytes;

	reply = service_reply(engine->service, &bytes);
	if (!reply)
		return false;
	*out = *reply;
	spsc_release(&engine->service->replies);
	service_wake(engine->service);	/* late replies may now fit */
	return true;
}

int probe_engine_reply_fd(const struct probe_engine *engine)
{
	return engine->service ? service_fd(engine->service) : -1;
}

bool probe_engine_event(struct probe_engine *engine, struct engine_event *out)
{
	const struct engine_event *event;
	size_t bytes;

	event = spsc_peek(&engine->events, &bytes);
	if (!event)
		return false;
	*out = *event;
	spsc_release(&engine->events);
	return true;
}

struct spsc *probe_engine_queue(struct probe_engine *engine)
{
	return &engine->records;
}

int probe_engine_fd(const struct probe_engine *engine)
{
	return engine->analyzer_fd;
}
