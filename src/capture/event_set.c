/* event_set.c - see event_set.h. */
#include "capture/event_set.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "capture/event_open.h"
#include "capture/record.h"

int event_set_init(struct event_set *set, const struct perf_event_attr *attrs, size_t event_count,
		   const int *cpus, size_t cpu_count, const struct ring_size *rings)
{
	struct event_lane *lane;

	*set = (struct event_set){
		.attrs = calloc(event_count, sizeof(*set->attrs)),
		.filters = calloc(event_count, sizeof(*set->filters)),
		.event_count = event_count,
		.lanes = calloc(event_count * cpu_count, sizeof(*set->lanes)),
		.lane_count = event_count * cpu_count,
		.rings = *rings,
		.cgroup_fd = -1,
	};
	if (!set->attrs || !set->filters || !set->lanes) {
		event_set_finish(set);
		return -ENOMEM;
	}
	memcpy(set->attrs, attrs, event_count * sizeof(*attrs));
	lane = set->lanes;
	for (size_t event = event_count; event-- > 0;)
		for (size_t i = 0; i < cpu_count; i++, lane++) {
			lane->event = (uint16_t)event;
			lane->cpu = cpus[i];
		}
	return 0;
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

static int open_lane(const struct event_set *set, const struct event_lane *lane, pid_t tid)
{
	const struct perf_event_attr *attr = &set->attrs[lane->event];

	if (set->cgroup_fd < 0 || tid != -1 || lane->event == set->event_count - 1)
		return event_open(attr, tid, lane->cpu);
	return event_open_cgroup(attr, set->cgroup_fd, lane->cpu);
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

		failure->event = lane->event;
		failure->cpu = lane->cpu;
		failure->is_mapping = failure->is_filter = false;
		fds[i] = open_lane(set, lane, tid);
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
		struct perf_event_attr attr = set->attrs[lane->event];
		int err = 0;

		*failure = (struct event_failure){ .event = lane->event, .cpu = lane->cpu,
						   .tid = tid };
		attr.disabled = set->filters[lane->event] != NULL;
		fds[i] = event_open(&attr, tid, lane->cpu);
		err = fds[i] < 0 ? fds[i] : set_filter(set, lane, fds[i]);
		if (!err && ioctl(fds[i], PERF_EVENT_IOC_SET_OUTPUT, set->fds[i]))
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

static void control_events(const struct event_set *set, unsigned long request)
{
	for (size_t i = 0; i < set->row_count * set->lane_count; i++)
		if (set->lanes[i % set->lane_count].event != set->event_count - 1)
			ioctl(set->fds[i], request, 0);	/* fails only if the task has ended */
}

void event_set_enable(const struct event_set *set)
{
	control_events(set, PERF_EVENT_IOC_ENABLE);
}

void event_set_disable(const struct event_set *set)
{
	control_events(set, PERF_EVENT_IOC_DISABLE);
}

void event_set_add_counts(int fd, struct event_counts *sum)
{
	struct { uint64_t value, id, lost; } counts;	/* PERF_FORMAT_ID | PERF_FORMAT_LOST */

	if (read(fd, &counts, sizeof(counts)) != (ssize_t)sizeof(counts))
		return;
	sum->value += counts.value;
	sum->lost += counts.lost;
}

bool event_set_is_over(int fd)
{
	struct pollfd state = { .fd = fd, .events = POLLIN };

	return poll(&state, 1, 0) == 1 && (state.revents & POLLHUP);
}
