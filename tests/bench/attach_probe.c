/* How long it takes from the order to put a latency probe on a function until it counts, with what
 * is looked up for it and (switched on again) without; and from the order to switch it off, and to
 * remove it, until its breakpoints are gone.
 *
 * usage: attach_probe      prints them in ms, the median and the longest of 20; needs root
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "elf/file_jobs.h"
#include "probe/probe_engine.h"

#define RUNS 20

static struct probe_engine *engine;
static uint64_t number;

static uint64_t wait_for(enum engine_event_kind kind, enum probe_state state, uint32_t *id)
{
	struct pollfd ready = { .fd = probe_engine_fd(engine), .events = POLLIN };
	struct engine_event event;

	for (;;) {
		while (probe_engine_event(engine, &event)) {
			const bool is_it = event.kind == kind && (kind != ENGINE_EVENT_STATUS ||
								  event.status.state == state);

			*id = event.probe ? event.probe : *id;
			probe_reading_destroy(event.reading);
			free(event.spec);
			if (kind == ENGINE_EVENT_STATUS && event.kind == ENGINE_EVENT_STATUS &&
			    event.status.state == PROBE_FAILED) {
				fprintf(stderr, "attach_probe: %s\n", event.status.reason);
				exit(1);
			}
			if (is_it)
				return clock_now_ns();
		}
		poll(&ready, 1, 10);
	}
}

static double give(enum probe_request_kind kind, const struct probe_spec *spec, uint32_t *id)
{
	const enum probe_state state = kind == PROBE_OFF ? PROBE_IS_OFF : PROBE_ATTACHED;
	struct probe_request order = { .kind = kind, .number = ++number, .probe = *id,
				     .time_ns = clock_now_ns(), .choice.insists = true };

	if (spec)
		order.choice.spec = *spec;
	probe_engine_request(engine, &order);
	return (double)(wait_for(kind == PROBE_REMOVE ? ENGINE_EVENT_REMOVED : ENGINE_EVENT_STATUS,
				 state, id) - order.time_ns) / CLOCK_NS_PER_MS;
}

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print(const char *what, double *times)
{
	qsort(times, RUNS, sizeof(*times), compare);
	printf("%s: %.1f ms, at most %.1f\n", what, times[RUNS / 2], times[RUNS - 1]);
}

int main(void)
{
	struct probe_engine_config config = { .cap_pct = 100, .cap_sum_pct = 100,
					      .lease_ns = UINT64_MAX };
	double added[RUNS], off[RUNS], on[RUNS], removed[RUNS];
	struct probe_spec spec;
	struct diag why;
	uint32_t id = 0;

	if (probe_spec_parse(&spec, "lat:libc.so.6:getaddrinfo", &why) ||
	    sandbox_start(&config.sandbox, worker_run, &why) ||
	    probe_engine_create(&engine, &config, &why)) {
		fprintf(stderr, "attach_probe: %s\n", why.text);
		return 1;
	}
	give(PROBE_ADD, &spec, &id);	/* the first one measures what hits cost, and opens rings */
	give(PROBE_REMOVE, NULL, &id);
	for (int i = 0; i < RUNS; i++) {
		added[i] = give(PROBE_ADD, &spec, &id);
		off[i] = give(PROBE_OFF, NULL, &id);
		on[i] = give(PROBE_ON, NULL, &id);
		removed[i] = give(PROBE_REMOVE, NULL, &id);
	}
	print("added", added);
	print("switched off", off);
	print("switched on", on);
	print("removed", removed);
	probe_engine_destroy(engine);
	sandbox_stop(config.sandbox);
	return 0;
}
