/* pair_cost.c - see pair_cost.h.
 *
 * The entry is stamped before its record is written and its instruction is emulated or stepped, and
 * the return when its breakpoint was hit: what lies between is in every latency.
 *
 *	call   |entry|record, stack, instruction|  body  |trap|return|
 *	       ^ stamped <-------------- latency -------------> ^ stamped
 *
 * Idea: this thread probes itself, by the same events with the same records, and calls a function
 * without a body. The median is taken, so that an interrupt does not count.
 *
 * Cost: opening takes a few ms, closing 90 ms for each event, as the kernel waits until nobody is
 * in the probe. So the events stay open, on functions that nobody calls, until there is time.
 */
#include "pair_cost.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "capture/event.h"
#include "capture/event_set.h"
#include "capture/stack_copy.h"
#include "capture/tracefs.h"
#include "probe_cost.h"
#include "probe_pmu.h"

#define CALLS	    8	/* calls between two reads of the rings */
#define ROUNDS	    5	/* the first one only warms up */
#define RING_PAGES  64	/* 256 KiB: CALLS records with their stacks, and more */
#define STACK_BYTES 8192	/* bytes of stack that probes copy by default */

#if defined(__x86_64__)
#define EMPTY_CALL "__x64_sys_getppid"
#else
#define EMPTY_CALL "__arm64_sys_getppid"
#endif

struct edge {
	int fd;
	struct perf_ring *ring;		/* owned */
	uint64_t times[CALLS * ROUNDS];
	uint32_t count;
};

struct measurement {
	enum pair_kind kind;
	bool with_stacks;
	struct edge entry, leave;
};

static void call_getppid(void)
{
	syscall(SYS_getppid);
}

static void call_nothing(enum pair_kind kind)
{
	if (kind == PAIR_USER_EMULATED || kind == PAIR_USER_STEPPED)
		probe_cost_call(kind == PAIR_USER_STEPPED);
	else
		call_getppid();
}

/* Sets the probe point of @attr. @name is BORROWED until the event is open. */
static bool point_at(const struct measurement *measurement, bool is_return,
		     struct perf_event_attr *attr)
{
	const enum pair_kind kind = measurement->kind;
	struct probe_pmu_site point = { .is_user = kind != PAIR_KERNEL, .is_return = is_return,
					 .name = kind == PAIR_KERNEL ? EMPTY_CALL
								     : "/proc/self/exe" };
	struct probe_link_config config = { 0 };
	uint64_t id;

	if (kind == PAIR_TRACEPOINT) {
		attr->type = PERF_TYPE_TRACEPOINT;
		if (tracefs_event_id("syscalls", is_return ? "sys_exit_getppid"
							    : "sys_enter_getppid", &id, NULL))
			return false;
		attr->config = id;
		return true;
	}
	if (kind != PAIR_KERNEL &&
	    !probe_cost_find_call(kind == PAIR_USER_STEPPED, &point.offset))
		return false;
	if (probe_pmu_point_at(&config, &point, NULL))
		return false;
	attr->type = config.type;
	attr->config = config.config;
	attr->config1 = config.config1;
	attr->config2 = config.config2;
	return true;
}

static bool open_edge(struct measurement *measurement, bool is_return)
{
	struct edge *edge = is_return ? &measurement->leave : &measurement->entry;
	struct perf_event_attr attr = {
		.size = sizeof(attr), .sample_period = 1, .watermark = 1, .disabled = 1,
		.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_RAW | PERF_SAMPLE_REGS_INTR,
		.sample_regs_intr = user_registers_mask(),
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
	};

	if (measurement->with_stacks && !is_return) {
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
				    PERF_SAMPLE_STACK_USER;
		attr.exclude_callchain_user = 1;
		attr.sample_regs_user = user_registers_mask();
		attr.sample_stack_user = STACK_BYTES;
	}
	if (!point_at(measurement, is_return, &attr))
		return false;
	edge->fd = event_open(&attr, 0, -1);
	return edge->fd >= 0 && !perf_ring_create(&edge->ring, edge->fd, RING_PAGES, NULL);
}

/* Without an identifier the time is the first field of a sample. */
static void read_times(struct edge *edge)
{
	const struct perf_event_header *header;

	perf_ring_begin(edge->ring);
	while ((header = perf_ring_peek(edge->ring)) != NULL) {
		if (header->type == PERF_RECORD_SAMPLE && edge->count < CALLS * ROUNDS &&
		    header->size >= sizeof(*header) + sizeof(uint64_t))
			memcpy(&edge->times[edge->count++], header + 1, sizeof(uint64_t));
		perf_ring_consume(edge->ring);
	}
}

static int by_size(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Returns the median latency in ns; 0: a record is missing. */
static uint32_t median_of(const struct measurement *measurement)
{
	const struct edge *entry = &measurement->entry, *leave = &measurement->leave;
	uint64_t spans[CALLS * (ROUNDS - 1)];
	const size_t count = sizeof(spans) / sizeof(spans[0]);

	if (entry->count != CALLS * ROUNDS || leave->count != CALLS * ROUNDS)
		return 0;
	for (size_t i = 0; i < count; i++)
		spans[i] = leave->times[CALLS + i] - entry->times[CALLS + i];
	qsort(spans, count, sizeof(spans[0]), by_size);
	return spans[count / 2] < UINT32_MAX ? (uint32_t)spans[count / 2] : 0;
}

static uint32_t measure(struct measurement *measurement)
{
	measurement->entry.fd = measurement->leave.fd = -1;
	if (!open_edge(measurement, true) || !open_edge(measurement, false))
		return 0;
	ioctl(measurement->leave.fd, PERF_EVENT_IOC_ENABLE, 0);
	ioctl(measurement->entry.fd, PERF_EVENT_IOC_ENABLE, 0);
	for (int round = 0; round < ROUNDS; round++) {
		for (int i = 0; i < CALLS; i++)
			call_nothing(measurement->kind);
		read_times(&measurement->entry);
		read_times(&measurement->leave);
	}
	ioctl(measurement->entry.fd, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(measurement->leave.fd, PERF_EVENT_IOC_DISABLE, 0);
	return median_of(measurement);
}

static uint32_t cost_of_kind(struct pair_costs *costs, enum pair_kind kind, bool with_stacks)
{
	struct measurement *measurement;

	if (costs->is_known[kind][with_stacks])
		return costs->ns[kind][with_stacks];
	pair_cost_close(costs);
	measurement = calloc(1, sizeof(*measurement));
	if (!measurement)
		return 0;
	measurement->kind = kind;
	measurement->with_stacks = with_stacks;
	costs->is_known[kind][with_stacks] = true;
	costs->ns[kind][with_stacks] = measure(measurement);
	perf_ring_destroy(measurement->entry.ring);
	perf_ring_destroy(measurement->leave.ring);
	costs->open[0] = measurement->entry.fd;
	costs->open[1] = measurement->leave.fd;
	free(measurement);
	return costs->ns[kind][with_stacks];
}

void pair_costs_init(struct pair_costs *costs)
{
	*costs = (struct pair_costs){ .open = { -1, -1 } };
}

void pair_cost_close(struct pair_costs *costs)
{
	for (int i = 0; i < 2; i++) {
		if (costs->open[i] >= 0)
			close(costs->open[i]);
		costs->open[i] = -1;
	}
}

uint32_t pair_cost_of(struct pair_costs *costs, const struct probe_point *points, bool with_stacks)
{
	const struct probe_spec *spec = &points->spec;
	bool is_stepped = false;

	if (spec->edge != PROBE_LATENCY || probe_spec_is_interval(spec) || spec->middle_count ||
	    (points->end && (spec->kind != PROBE_TRACEPOINT ||
			     points->end->spec.kind != PROBE_TRACEPOINT)))
		return 0;
	if (spec->kind == PROBE_TRACEPOINT)
		return cost_of_kind(costs, PAIR_TRACEPOINT, with_stacks);
	if (spec->kind == PROBE_KERNEL)
		return cost_of_kind(costs, PAIR_KERNEL, with_stacks);
	for (uint32_t i = 0; i < points->site_count; i++)
		is_stepped |= !points->sites[i].is_emulated;
	return cost_of_kind(costs, is_stepped ? PAIR_USER_STEPPED : PAIR_USER_EMULATED,
			    with_stacks);
}
