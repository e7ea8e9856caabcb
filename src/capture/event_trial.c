/* event_trial.c - see capture/event.h.
 *
 * Each event of the catalogue is opened once, as sampling would do it, and where that is refused as
 * counting would. A counter that opens may still count nothing: event_try() looks.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "bpf/off_cpu.h"
#include "capture/event.h"
#include "capture/event_set.h"
#include "capture/tracefs.h"

#define OPENING_PERIOD (1u << 30)	/* the event is closed long before */

/* Whether the events of the catalogue open. */

typedef int event_opener(const struct perf_event_attr *attr, pid_t tid, int cpu);

static void explain_permission(const struct event_entry *entry, char *out, size_t room)
{
	const long paranoid = event_sysctl("paranoid", 2);
	char remedy[300];
	const char *what = "it is";

	if (entry->kind == EVENT_TRACEPOINT)
		what = "tracepoints are";
	else if (entry->cpu >= 0)
		what = "counters of whole CPUs are";
	snprintf(out, room, "%s not permitted (kernel.perf_event_paranoid is %ld): %s", what,
		 paranoid, event_permission_remedy(entry->kind == EVENT_TRACEPOINT ? -1
						   : entry->cpu >= 0 ? 0 : 2,
						   remedy, sizeof(remedy)));
}

static bool is_of_counters(const struct event_entry *entry)
{
	return entry->kind == EVENT_HARDWARE || entry->kind == EVENT_CACHE ||
	       (entry->kind == EVENT_FORM && entry->attr.type == PERF_TYPE_RAW);
}

static void explain(const struct event_catalogue *catalogue, const struct event_entry *entry,
		    int err, char *out, size_t room)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		explain_permission(entry, out, room);
		return;
	case EBUSY:
	case ENOSPC:
		snprintf(out, room, "%s", entry->attr.type == PERF_TYPE_BREAKPOINT
			 ? "all breakpoint registers of the CPU are taken, by a debugger perhaps"
			 : "no counter is free: another profiler or the NMI watchdog holds it "
			   "(sudo sysctl kernel.nmi_watchdog=0)");
		return;
	case EMFILE:
	case ENFILE:
		snprintf(out, room, "no file descriptor is left: raise the limit (ulimit -n)");
		return;
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
	case EINVAL:
		if (is_of_counters(entry))
			snprintf(out, room, "%s", catalogue->has_counters
				 ? "the counters of this CPU do not have it"
				 : "this machine has no hardware counters: virtual machines often "
				   "have none");
		else if (entry->kind == EVENT_PMU)
			snprintf(out, room, "its PMU counts it only in a group, or not at all (%s)",
				 strerror(-err));
		else
			snprintf(out, room, "this kernel does not have it");
		return;
	default:
		snprintf(out, room, "it can't be opened: %s", strerror(-err));
	}
}

/* Returns the catalogue's copy of @text; NULL: no memory. When there are too many reasons the last
 * is for all others. */
static const char *keep_reason(struct event_catalogue *catalogue, const char *text)
{
	size_t i = 0;

	while (i < EVENT_REASONS_MAX - 1 && catalogue->reasons[i] &&
	       strcmp(catalogue->reasons[i], text) != 0)
		i++;
	if (!catalogue->reasons[i])
		catalogue->reasons[i] = strdup(i < EVENT_REASONS_MAX - 1 ? text
					       : "it can't be opened: --stat -e says why");
	return catalogue->reasons[i];
}

static int open_and_close(event_opener *opener, const struct perf_event_attr *attr, int cpu)
{
	const int fd = opener(attr, cpu < 0 ? 0 : -1, cpu);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

static bool is_permission(int err)
{
	return err == -EACCES || err == -EPERM;
}

/* Opens the event with less and less: to be sampled, only for user code, to be counted. */
static int try_one(struct event_entry *entry, event_opener *opener)
{
	struct perf_event_attr attr = entry->attr;
	int err;

	attr.disabled = 1;
	if (entry->cost != EVENT_COUNTS) {
		attr.sample_period = OPENING_PERIOD;
		attr.sample_type = PERF_SAMPLE_IP;
	}
	err = open_and_close(opener, &attr, entry->cpu);
	if (is_permission(err) && entry->cpu < 0 && entry->kind != EVENT_TRACEPOINT) {
		attr.exclude_kernel = attr.exclude_hv = 1;
		err = open_and_close(opener, &attr, entry->cpu);
	}
	if ((err == -EINVAL || err == -EOPNOTSUPP) && attr.sample_period) {
		attr.sample_period = attr.sample_type = 0;
		err = open_and_close(opener, &attr, entry->cpu);
		if (!err)
			entry->cost = EVENT_COUNTS;
	}
	if (!err)
		entry->state = attr.exclude_kernel ? EVENT_OPENS_FOR_USER : EVENT_OPENS;
	return err;
}

static bool needs_programs(const struct event_entry *entry)
{
	return event_is_off_cpu(&entry->attr) || !strcmp(entry->name, EVENT_WALL);
}

/* Loads the programs of off-cpu and attaches them, without events to write into. */
static int try_programs(struct diag *why)
{
	const struct off_cpu_config config = { .cgroup_fd = -1 };
	struct off_cpu *programs;
	const int err = off_cpu_open(&programs, &config, why);

	off_cpu_close(programs);
	return err;
}

static int refuse(struct event_catalogue *catalogue, struct event_entry *entry, const char *reason)
{
	entry->state = EVENT_REFUSED;
	entry->reason = keep_reason(catalogue, reason);
	return entry->reason ? 0 : -ENOMEM;
}

/* Says in its sentence that the event is there without programs. Returns 0 or -ENOMEM. */
static int remark_switches(struct event_entry *entry)
{
	char *longer;

	if (asprintf(&longer, "%s; here without BPF: no wakers, no kernel functions",
		     entry->sentence) < 0)
		return -ENOMEM;
	free(entry->sentence);
	entry->sentence = longer;
	entry->state = EVENT_OPENS_FOR_USER;
	return 0;
}

static int try_and_explain(struct event_catalogue *catalogue, struct event_entry *entry,
			   event_opener *opener)
{
	const int err = try_one(entry, opener);
	char reason[480];
	struct diag why, no_switches;

	if (!err && needs_programs(entry) && opener == event_open && try_programs(&why))
		return event_check_switches(&no_switches) ? refuse(catalogue, entry, why.text)
							 : remark_switches(entry);
	if (!err) {
		catalogue->has_counters |= entry->kind == EVENT_HARDWARE;
		return 0;
	}
	explain(catalogue, entry, err, reason, sizeof(reason));
	return refuse(catalogue, entry, reason);
}

/* Reads the number of the tracepoint: only of the one that is tried. */
static void number_tracepoint(struct event_entry *entry, int tracefs)
{
	const int dir = tracefs >= 0 ? tracefs : tracefs_open(NULL);
	const char *colon = strchr(entry->name, ':');
	char group[NAME_MAX];
	uint64_t id;

	snprintf(group, sizeof(group), "%.*s", (int)(colon - entry->name), entry->name);
	if (dir >= 0 && !tracefs_read_id(dir, group, colon + 1, &id))
		entry->attr.config = id;
	if (dir >= 0 && tracefs < 0)
		close(dir);
}

/* Hardware events come first: they tell whether there are counters. */
static int try_kind(struct event_catalogue *catalogue, enum event_kind kind, event_opener *opener,
		    int tracefs)
{
	const struct event_entry *first = NULL;
	int err = 0;

	for (size_t i = 0; !err && i < catalogue->count; i++) {
		struct event_entry *entry = &catalogue->list[i];

		if (entry->kind != kind || (kind == EVENT_FORM && strchr(entry->name, '/') &&
					    entry->attr.type != PERF_TYPE_BREAKPOINT))
			continue;
		if (first) {
			entry->state = first->state;
			entry->reason = first->reason;
			continue;
		}
		if (kind == EVENT_TRACEPOINT)
			number_tracepoint(entry, tracefs);
		err = try_and_explain(catalogue, entry, opener);
		if (kind == EVENT_TRACEPOINT)
			first = entry;
	}
	return err;
}

int event_catalogue_try(struct event_catalogue *catalogue,
			const struct event_surroundings *surroundings)
{
	event_opener *opener = surroundings && surroundings->open ? surroundings->open
								   : event_open;
	int err = 0;

	for (enum event_kind kind = 0; !err && kind < EVENT_KINDS; kind++)
		err = try_kind(catalogue, kind, opener, surroundings ? surroundings->tracefs : -1);
	return err;
}

/* Whether a counter counts. */

/* 0.1 ms at 1 GHz: hundreds of samples in TRIAL_NS. */
#define TRIAL_PERIOD 100000
#define TRIAL_NS     (20 * CLOCK_NS_PER_S / 1000)
#define TRIAL_ROUNDS 10000	/* between two looks at ring and clock: some 10 us */

static uint64_t thread_ns(void)
{
	struct timespec now = { .tv_sec = 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}

/* Computes until the ring has a record. Returns false when there is none in TRIAL_NS. */
static bool compute_until_sampled(struct perf_ring *ring)
{
	const uint64_t end_ns = thread_ns() + TRIAL_NS;

	while (!perf_ring_begin(ring)) {
		if (thread_ns() >= end_ns)
			return false;
		for (volatile unsigned int i = 0; i < TRIAL_ROUNDS; i++)
			;
	}
	return true;
}

enum event_trial event_try(const struct perf_event_attr *attr)
{
	const struct perf_event_attr trial = {
		.size = sizeof(trial), .type = attr->type, .config = attr->config,
		.config1 = attr->config1, .config2 = attr->config2,
		.sample_period = TRIAL_PERIOD, .sample_type = PERF_SAMPLE_IP,
		.exclude_kernel = 1, .exclude_hv = 1,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
	struct { uint64_t value, enabled_ns, running_ns; } counts = { 0 };
	const int fd = event_open(&trial, 0, -1);
	enum event_trial result = EVENT_TRIAL_PASSED;
	struct perf_ring *ring = NULL;

	if (fd >= 0 && perf_ring_create(&ring, fd, 1, NULL) == 0 &&
	    !compute_until_sampled(ring) &&
	    read(fd, &counts, sizeof(counts)) == (ssize_t)sizeof(counts) && counts.running_ns) {
		if (!counts.value)
			result = EVENT_COUNTS_NOTHING;
		else if (counts.value / TRIAL_PERIOD >= 10)
			result = EVENT_GIVES_NO_SAMPLES;
	}
	perf_ring_destroy(ring);
	if (fd >= 0)
		close(fd);
	return result;
}
