/* event_set.c - see event_set.h. */
#include "capture/event_set.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "capture/event.h"
#include "capture/record.h"

/* A ring buffers records while the reader does not get a CPU. Records without copies have some
 * hundred bytes: 512 KiB last for seconds at 997 Hz. With 16 KiB of stack each, 8 MiB last for half
 * a second; the rings of all CPUs together may not take more than 1/100 of the memory.
 * The side-band beside them has a quarter: a large one need not be looked at often. */
#define SMALL_BYTES (512u * 1024)
#define COPY_BYTES  (8u * 1024 * 1024)
/* Above EVENTS_FEW, as with a pattern, most tracepoints are rarely hit: 64 KiB hold 500 hits. */
#define EVENTS_FEW  8
#define LEAST_BYTES (64u * 1024)
/* Above EVENTS_MANY nearly all are, and on many CPUs there are tens of thousands of rings. */
#define EVENTS_MANY 64
#define LEAST_OF_MANY_BYTES (16u * 1024)
#define TOTAL_MAX_BYTES (256u * 1024 * 1024)

#define LOOK_MIN_MS	4	/* rings that must be looked at more often are polled */
#define LOOK_MAX_MS	250	/* the longest time between two rounds of a sampler */
/* A loop of mmap(2) writes 75 KiB in a millisecond if the file's path has 600 bytes. 3/4 of a side-
 * band ring are free at a look that finds it below its watermark, which is 1/4. */
#define FLOOD_BYTES_MS	(32u * 1024)
#define SAMPLE_BYTES	2048	/* a sample at a frequency has at most, beside its copy */

#define ANY_CPU (-1)

static uint64_t count_pages(const struct ring_size *size, size_t cpus, size_t events)
{
	return cpus * (events * size->sample_pages + size->sideband_pages);
}

struct ring_size ring_size_choose(bool has_copies, size_t cpus, size_t events,
				  uint64_t memory_bytes, size_t page_bytes)
{
	const size_t small_pages = SMALL_BYTES / page_bytes;
	const uint64_t share = memory_bytes / 100;
	const uint64_t pages_max = (share < TOTAL_MAX_BYTES ? share : TOTAL_MAX_BYTES) / page_bytes;
	struct ring_size size = { small_pages, small_pages };

	const size_t least_pages = events > EVENTS_MANY ? LEAST_OF_MANY_BYTES / page_bytes
				 : events > EVENTS_FEW ? LEAST_BYTES / page_bytes : small_pages;

	if (has_copies) {
		size.sample_pages = COPY_BYTES / page_bytes;
		size.sideband_pages = size.sample_pages / 4;
	}
	while (size.sample_pages > least_pages && count_pages(&size, cpus, events) > pages_max) {
		size.sample_pages /= 2;
		if (size.sideband_pages > small_pages)
			size.sideband_pages /= 2;
	}
	return size;
}

/* The side-band needs less room than samples: limits its ring to a quarter of a sample ring. */
bool ring_size_lower(struct ring_size *size)
{
	size_t sideband_pages;

	if (size->sample_pages == 1)
		return false;
	size->sample_pages /= 2;
	sideband_pages = size->sample_pages > 4 ? size->sample_pages / 4 : 1;
	if (sideband_pages < size->sideband_pages)
		size->sideband_pages = sideband_pages;
	return true;
}

int event_set_init_at(struct event_set *set, const struct perf_event_attr *attrs,
		      size_t event_count, const struct event_place *places, size_t place_count,
		      const struct ring_size *rings)
{
	*set = (struct event_set){
		.attrs = calloc(event_count, sizeof(*set->attrs)),
		.filters = calloc(event_count, sizeof(*set->filters)),
		.event_count = event_count,
		.lanes = calloc(place_count, sizeof(*set->lanes)),
		.lane_count = place_count,
		.rings = *rings,
		.cgroup_fd = -1,
	};
	if (!set->attrs || !set->filters || !set->lanes) {
		event_set_finish(set);
		return -ENOMEM;
	}
	memcpy(set->attrs, attrs, event_count * sizeof(*attrs));
	for (size_t i = 0; i < place_count; i++) {
		set->lanes[i].event = places[i].event;
		set->lanes[i].cpu = places[i].cpu;
		set->lanes[i].code = places[i].code;
		set->lanes[i].leader = places[i].leader;
		set->lanes[i].is_read = places[i].is_read;
	}
	return 0;
}

int event_set_init(struct event_set *set, const struct perf_event_attr *attrs, size_t event_count,
		   const int *cpus, size_t cpu_count, const struct ring_size *rings)
{
	struct event_place *places = calloc(event_count * cpu_count, sizeof(*places)), *place;
	int err;

	place = places;
	for (size_t event = event_count; places && event-- > 0;)
		for (size_t i = 0; i < cpu_count; i++, place++)
			*place = (struct event_place){ .event = (uint16_t)event, .cpu = cpus[i],
						       .code = event_code_of(&attrs[event]) };
	*set = (struct event_set){ .cgroup_fd = -1 };
	err = !places ? -ENOMEM
		      : event_set_init_at(set, attrs, event_count, places,
					  event_count * cpu_count, rings);
	free(places);
	return err;
}

static void close_row(const int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++)
		close(fds[i]);
}

void event_set_finish(struct event_set *set)
{
	for (size_t i = 0; set->lanes && i < set->lane_count; i++)
		perf_ring_destroy(set->lanes[i].ring);
	close_row(set->fds, set->row_count * set->lane_count);
	free(set->attrs);
	free(set->filters);
	free(set->lanes);
	free(set->fds);
	free(set->tids);
	*set = (struct event_set){ 0 };
}

static int join_ring(struct event_set *set, size_t at, int fd)
{
	struct event_lane *lane = &set->lanes[at];

	if (lane->is_read)
		return 0;
	if (!lane->ring)	/* row 0 */
		return perf_ring_create(&lane->ring, fd, lane->event == set->event_count - 1
					? set->rings.sideband_pages : set->rings.sample_pages,
					NULL);
	return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, set->fds[at]) ? -errno : 0;
}

static int make_room(struct event_set *set)
{
	size_t room = set->row_room ? set->row_room * 2 : 8;
	int *fds;
	pid_t *tids;

	if (set->row_count < set->row_room)
		return 0;
	fds = realloc(set->fds, room * set->lane_count * sizeof(*fds));
	if (fds)
		set->fds = fds;
	tids = realloc(set->tids, room * sizeof(*tids));
	if (tids)
		set->tids = tids;
	if (!fds || !tids)
		return -ENOMEM;
	set->row_room = room;
	return 0;
}

static struct perf_event_attr attr_of(const struct event_set *set, const struct event_lane *lane)
{
	struct perf_event_attr attr = set->attrs[lane->event];

	attr.type = lane->code.type;
	attr.config = lane->code.config;
	attr.config1 = lane->code.config1;
	attr.config2 = lane->code.config2;
	return attr;
}

/* @fds: the row's; those of the lanes before @lane are open. */
static int open_lane(const struct event_set *set, const struct event_lane *lane,
		     const struct perf_event_attr *attr, pid_t tid, const int *fds)
{
	/* The programs of off-cpu find the cgroup by themselves. */
	const bool is_of_cgroup = tid == -1 && lane->event != set->event_count - 1 &&
				  !event_is_off_cpu(attr);

	return event_open_member(attr, is_of_cgroup ? set->cgroup_fd : -1, tid, lane->cpu,
				 lane->leader ? fds[lane->leader] : -1);
}

static int set_filter(const struct event_set *set, const struct event_lane *lane, int fd)
{
	const char *filter = set->filters[lane->event];

	return filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) ? -errno : 0;
}

int event_set_add_row(struct event_set *set, pid_t tid, struct event_failure *failure)
{
	int err = make_room(set);
	int *fds;

	*failure = (struct event_failure){ .tid = tid };
	if (err)
		return err;
	fds = set->fds + set->row_count * set->lane_count;
	for (size_t i = 0; i < set->lane_count; i++) {
		const struct event_lane *lane = &set->lanes[i];
		const struct perf_event_attr attr = attr_of(set, lane);

		failure->event = lane->event;
		failure->cpu = lane->cpu;
		failure->is_mapping = failure->is_filter = false;
		fds[i] = open_lane(set, lane, &attr, tid, fds);
		err = fds[i] < 0 ? fds[i] : 0;
		if (!err) {
			err = set_filter(set, lane, fds[i]);
			failure->is_filter = err;
		}
		if (!err) {
			failure->is_mapping = true;
			err = join_ring(set, i, fds[i]);
		}
		if (!err)
			continue;
		close_row(fds, fds[i] < 0 ? i : i + 1);
		for (size_t k = 0; set->row_count == 0 && k < i; k++) {
			perf_ring_destroy(set->lanes[k].ring);
			set->lanes[k].ring = NULL;
		}
		return err;
	}
	set->tids[set->row_count++] = tid;
	return 0;
}

int event_set_open_row(const struct event_set *set, pid_t tid, int *fds,
		       struct event_failure *failure)
{
	for (size_t i = 0; i < set->lane_count; i++) {
		const struct event_lane *lane = &set->lanes[i];
		struct perf_event_attr attr = attr_of(set, lane);
		int err = 0;

		*failure = (struct event_failure){ .event = lane->event, .cpu = lane->cpu,
						   .tid = tid };
		attr.disabled = set->filters[lane->event] != NULL;
		fds[i] = open_lane(set, lane, &attr, tid, fds);
		err = fds[i] < 0 ? fds[i] : set_filter(set, lane, fds[i]);
		if (!err && !lane->is_read &&
		    ioctl(fds[i], PERF_EVENT_IOC_SET_OUTPUT, set->fds[i]))
			err = -errno;
		if (!err && attr.disabled && ioctl(fds[i], PERF_EVENT_IOC_ENABLE, 0))
			err = -errno;
		if (err) {
			close_row(fds, fds[i] < 0 ? i : i + 1);
			return err;
		}
	}
	return 0;
}

static bool ring_has_fork(struct perf_ring *ring, const struct record_format *format, pid_t tid)
{
	const struct perf_event_header *header;
	uint64_t offset = 0;

	perf_ring_begin(ring);
	while ((header = perf_ring_walk(ring, &offset)) != NULL) {
		struct event_record record;

		if (header->type == PERF_RECORD_FORK &&
		    record_parse(format, header, header->size, &record) == 0 &&
		    record.tid == (uint32_t)tid)
			return true;
	}
	return false;
}

bool event_set_saw_fork(struct event_set *set, pid_t tid)
{
	const uint16_t sideband = (uint16_t)(set->event_count - 1);
	struct record_format format;

	record_format_init(&format, &set->attrs[sideband]);
	for (size_t i = 0; i < set->lane_count && set->lanes[i].event == sideband; i++)
		if (ring_has_fork(set->lanes[i].ring, &format, tid))
			return true;
	return false;
}

bool event_set_has_task(const struct event_set *set, pid_t tid)
{
	for (size_t i = 0; i < set->row_count; i++)
		if (set->tids[i] == tid)
			return true;
	return false;
}

static void control_events(const struct event_set *set, int cpu, unsigned long request)
{
	for (size_t i = 0; i < set->row_count * set->lane_count; i++) {
		const struct event_lane *lane = &set->lanes[i % set->lane_count];

		if (lane->event != set->event_count - 1 && !lane->is_read &&
		    (cpu == ANY_CPU || lane->cpu == cpu))
			ioctl(set->fds[i], request, 0);	/* fails only if the task has ended */
	}
}

void event_set_enable(const struct event_set *set)
{
	control_events(set, ANY_CPU, PERF_EVENT_IOC_ENABLE);
}

void event_set_disable(const struct event_set *set)
{
	control_events(set, ANY_CPU, PERF_EVENT_IOC_DISABLE);
}

/* Lets the calling thread run on @cpu alone. Returns false where that is not permitted. */
static bool run_on(size_t cpu)
{
	const size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
	cpu_set_t *one = CPU_ALLOC(cpu + 1);
	bool is_there;

	if (!one)
		return false;
	CPU_ZERO_S(bytes, one);
	CPU_SET_S(cpu, bytes, one);
	is_there = !sched_setaffinity(0, bytes, one);
	CPU_FREE(one);
	return is_there;
}

size_t event_set_exchange(const struct event_set *old, const struct event_set *next)
{
	cpu_set_t permitted;
	const bool is_known = !sched_getaffinity(0, sizeof(permitted), &permitted);
	const uint16_t sideband = (uint16_t)(old->event_count - 1);
	size_t unreached = 0;

	/* The side-band has a lane on each CPU, before all others. */
	for (size_t i = 0; i < old->lane_count && old->lanes[i].event == sideband; i++) {
		const int cpu = old->lanes[i].cpu;

		unreached += !run_on((size_t)cpu);
		control_events(next, cpu, PERF_EVENT_IOC_ENABLE);
		control_events(old, cpu, PERF_EVENT_IOC_DISABLE);
	}
	if (is_known)
		sched_setaffinity(0, sizeof(permitted), &permitted);
	event_set_enable(next);		/* on CPUs that @old has not */
	return unreached;
}

void event_set_add_counts(int fd, struct event_counts *sum)
{
	/* value, id, lost of the event; or, with PERF_FORMAT_GROUP, the number of events (two or
	 * more) and these three of each, those of the event first. Before Linux 6.0 there is no
	 * `lost`. */
	uint64_t words[1 + 3 * EVENT_SET_READ_MAX];
	const ssize_t bytes = read(fd, words, sizeof(words));
	const size_t count = bytes < 0 ? 0 : (size_t)bytes / sizeof(*words);
	const bool is_group = count > 3;

	if (count < 2)
		return;
	sum->value += words[is_group];
	if (count == (is_group ? 1 + 3 * words[0] : 3))
		sum->lost += words[is_group + 2];
}

bool event_set_is_over(int fd)
{
	struct pollfd state = { .fd = fd, .events = POLLIN };

	return poll(&state, 1, 0) == 1 && (state.revents & POLLHUP);
}

uint64_t event_set_watermark(const struct event_set *set, const struct event_lane *lane)
{
	return set->attrs[lane->event].wakeup_watermark;
}

/* Returns in how many milliseconds the records can come that a ring below its watermark has room
 * for. Hits with a fixed period have no limit: a program can cause a million in a second. */
static uint64_t fill_ms(const struct event_set *set, const struct event_lane *lane)
{
	const struct perf_event_attr *attr = &set->attrs[lane->event];
	const uint64_t watermark = event_set_watermark(set, lane);

	if (lane->event == set->event_count - 1)
		return watermark / FLOOD_BYTES_MS;
	if (!attr->freq)
		return 0;
	return watermark / (SAMPLE_BYTES + attr->sample_stack_user) * 1000 / attr->sample_freq / 2;
}

uint64_t event_set_look_interval_ns(const struct event_set *set)
{
	uint64_t least_ms = LOOK_MAX_MS;

	for (size_t i = 0; i < set->lane_count; i++) {
		const uint64_t ms = set->lanes[i].is_read ? least_ms
							  : fill_ms(set, &set->lanes[i]);

		if (ms < least_ms)
			least_ms = ms;
	}
	return set->attrs[0].inherit && least_ms >= LOOK_MIN_MS ? least_ms * CLOCK_NS_PER_MS : 0;
}
