/* probe_engine.c - see probe/probe_engine.h.
 *
 * Problem: a breakpoint is set in a millisecond and removed in 90 ms, debug information may take
 * seconds, and a probe that costs too much must be off within one: none of these may wait for
 * another, and keys for none of them.
 *
 * Idea: each probe has a wanted state; the thread takes one blocking step at a time towards it
 * (engine_probe.c), first for probes that are to be detached, and reads orders, meters and leases
 * between two steps. Specs are resolved in a thread of its own (probe_examiner.c).
 *
 * Invariant: an order to switch off is carried out (hits ignored, counting stopped) before the next
 * step; a probe has a slot exactly as long as it has a row.
 */
#include "probe/probe_engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/whole_io.h"
#include "engine_state.h"
#include "probe_pmu.h"

#define ORDER_BYTES   (1u << 20)	/* an order has 10 KB: room for more orders than probes */
#define ANSWER_BYTES  (1u << 17)	/* an answer has 5 KB */
#define NEWS_BYTES    (1u << 20)	/* status of all probes, four times a second, for seconds */
#define RECORD_BYTES  (1u << 24)	/* 16 MiB: half a second of 300,000 hits/s */
#define WATCH_MS      100
#define RATE_MS	      10
#define FILE_WAIT_MS  100		/* like a step: delays governor and orders */

static void tell(void *owner, struct probe_news *news)
{
	struct probe_engine *engine = owner;
	struct probe_news *slot = spsc_reserve(&engine->news, sizeof(*slot));

	/* The analyzer reads news first: if the queue is full, the reader is gone. */
	if (!slot) {
		probe_reading_destroy(news->reading);
		free(news->spec);
		return;
	}
	*slot = *news;
	spsc_commit(&engine->news);
	whole_eventfd_write(engine->analyzer_fd, 1);
}

static bool send_answer(struct probe_engine *engine, const struct probe_answer *answer)
{
	struct probe_answer *slot = spsc_reserve(&engine->service->replies, sizeof(*slot));

	if (!slot)
		return false;
	*slot = *answer;
	spsc_commit(&engine->service->replies);
	service_notify(engine->service);
	return true;
}

void engine_answer(struct probe_engine *engine, const struct probe_answer *answer)
{
	struct late_answer *late;

	if (!engine->late_first && send_answer(engine, answer))
		return;
	late = answer->is_done ? malloc(sizeof(*late)) : NULL;
	if (!late)
		return;
	*late = (struct late_answer){ .answer = *answer };
	if (engine->late_first)
		engine->late_last->next = late;
	else
		engine->late_first = late;
	engine->late_last = late;
}

static void drop_first_late(struct probe_engine *engine)
{
	struct late_answer *late = engine->late_first;

	engine->late_first = late->next;
	free(late);
}

void engine_send_late_answers(struct probe_engine *engine)
{
	while (engine->late_first && send_answer(engine, &engine->late_first->answer))
		drop_first_late(engine);
}

static int serve(void *owner)
{
	struct probe_engine *engine = owner;
	uint64_t now_ns;

	engine_send_late_answers(engine);
	engine_take_orders(engine);
	engine_take_findings(engine);
	now_ns = clock_now_ns();
	engine_watch(engine, now_ns);
	engine_continue_examination(engine, now_ns);
	if (engine_take_step(engine))
		return SERVICE_AGAIN;
	if (engine->examination.is_counting)
		return RATE_MS;
	return engine_has_probes(engine) ? WATCH_MS : SERVICE_SLEEP;
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
	engine->has_news = spsc_init(&engine->news, NEWS_BYTES) == 0;
	engine->has_records = spsc_init(&engine->records, RECORD_BYTES) == 0;
	if (!engine->has_news || !engine->has_records)
		return diag_set(why, -ENOMEM, "no memory for probes");
	return 0;
}

static int create_threads(struct probe_engine *engine, struct diag *why)
{
	const struct probe_examiner_config examiner = {
		.sandbox = engine->config.sandbox, .found = wake, .owner = engine,
	};
	const struct service_plan plan = {
		.name = "ft-probes", .request_bytes = ORDER_BYTES, .reply_bytes = ANSWER_BYTES,
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
	engine->errands.wait_ms = FILE_WAIT_MS;
	governor_open(&engine->account, config->cap_sum_pct, clock_now_ns());
	err = create_queues(engine, why);
	if (!err) {
		open_group(engine);
		err = create_threads(engine, why);
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

static void drop_news(struct probe_engine *engine)
{
	struct probe_news news;

	while (engine->has_news && probe_engine_news(engine, &news)) {
		probe_reading_destroy(news.reading);
		free(news.spec);
	}
}

bool probe_engine_destroy(struct probe_engine *engine)
{
	if (!engine)
		return true;
	service_stop(engine->service);
	detach_all(engine);
	probe_rings_close(engine->kernel.rings);
	trace_group_close(engine->kernel.group);
	if (!probe_examiner_destroy(engine->examiner))
		return false;	/* its thread may still call wake() */
	service_destroy(engine->service);
	while (engine->late_first)
		drop_first_late(engine);
	errands_finish(&engine->errands);
	drop_news(engine);
	if (engine->has_news)
		spsc_finish(&engine->news);
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

bool probe_engine_order(struct probe_engine *engine, const struct probe_order *order)
{
	struct probe_order *slot = spsc_reserve(&engine->service->requests, sizeof(*slot));

	if (!slot)
		return false;
	*slot = *order;
	spsc_commit(&engine->service->requests);
	service_wake(engine->service);
	return true;
}

bool probe_engine_answer(struct probe_engine *engine, struct probe_answer *out)
{
	const struct probe_answer *answer;
	size_t bytes;

	answer = service_reply(engine->service, &bytes);
	if (!answer)
		return false;
	*out = *answer;
	spsc_release(&engine->service->replies);
	service_wake(engine->service);	/* late answers may now fit */
	return true;
}

int probe_engine_answer_fd(const struct probe_engine *engine)
{
	return service_fd(engine->service);
}

bool probe_engine_news(struct probe_engine *engine, struct probe_news *out)
{
	const struct probe_news *news;
	size_t bytes;

	news = spsc_peek(&engine->news, &bytes);
	if (!news)
		return false;
	*out = *news;
	spsc_release(&engine->news);
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
