/* counter_set.h - counts events without sampling: which events, on what, and what they read.
 *
 *   counter_list_parse()   -e texts, or the default -> a list of events
 *   counter_set_open()     descriptors, disabled: one per event and place
 *   counter_set_enable() ... counter_set_read() ... counter_set_disable()
 *
 * A place is what one descriptor counts: a task on every CPU, or every task (of a cgroup) on one
 * CPU. A row is what the user sees as one: the sum of one or more places.
 *
 * Source: perf_event_open(2), "Reading results", PERF_FORMAT_GROUP.
 * Thread: one at a time.
 */
#ifndef CAPTURE_COUNTER_SET_H
#define CAPTURE_COUNTER_SET_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "capture/scope.h"
#include "capture/event.h"

struct event_spec;		/* src/capture/event_spec.h */

struct counter_event {
	char name[96];		/* as the user wrote it, sanitized */
	struct perf_event_attr attr;
	const char *filter;	/* BORROWED from the configuration; NULL: none */
	uint32_t group;		/* events of one {group} have the same; 0: none */
	bool has_level;		/* u, k or h was given */
	bool is_asked;		/* -e named it: it is not one of those that are always counted */
	struct event_unit unit;
	uint32_t cpu_count;	/* CPUs that count for all others, as a PMU outside the cores
				 * says by its cpumask; 0: each CPU counts its own */
	uint32_t package_count;	/* they are one of each of so many packages; 0: they are not */
	struct diag absent;	/* why this machine does not count it, sanitized;
				 * err 0: it does */
};

/* The CPUs that count for all others. */
struct counter_cpus {
	int *list;		/* owned; NULL: each CPU counts its own */
	size_t count;
};

struct counter_list {
	struct counter_event *events;	/* owned */
	struct event_spec *specs;	/* owned; one for each event */
	struct counter_cpus *cpus;	/* owned; of each event */
	size_t count;
	uint32_t group_count;
	struct core_pmus pmus;		/* owned */
	const char *devices;		/* BORROWED; directory of the PMUs */
};

/* What is counted when no event is named; LESS is `perf stat`, the others its -d, -dd and -ddd. */
enum counter_detail { COUNTER_DETAIL_LESS, COUNTER_DETAIL_CACHE, COUNTER_DETAIL_TLB,
		      COUNTER_DETAIL_PREFETCH };

/* Parses the texts of -e in @config, with groups in braces: "{cycles,instructions}:u,page-faults";
 * without any the default of @detail. @is_cpu_wide: whole CPUs are counted, by cpu-clock in place
 * of task-clock. An event that this machine lacks is in the list as absent. Call
 * counter_list_finish() in every case.
 * Returns 0, -EINVAL, -ENOENT (no such name), -ENOMEM ... */
int counter_list_parse(struct counter_list *out, const struct capture_config *config,
		       enum counter_detail detail, bool is_cpu_wide, struct diag *why);
void counter_list_finish(struct counter_list *list);	/* a zeroed one is fine */

/* Writes texts for -e, each after a comma, of what the PMUs in @devices have and most machines
 * don't: top-down level 1, a group for each kind of cores, and with @is_cpu_wide the energy of the
 * packages. "": there is nothing, or no room. */
void counter_list_find_more(char *out, size_t room, const char *devices, bool is_cpu_wide);

/* Writes the paths of at most @most cgroups with tasks, with commas between them, for
 * counter_set_open(); the root is none of them. Of more those that have used the most CPU time are
 * taken, as far as the kernel tells. *@out is the caller's; *@found is how many there are. Returns
 * 0; -ENOENT: none has tasks; -ENODEV: no cgroups are mounted; -ENOMEM. */
int counter_cgroups_find(char **out, size_t most, size_t *found, struct diag *why);

enum counter_rows { COUNTER_ONE_ROW, COUNTER_PER_CPU, COUNTER_PER_SOCKET, COUNTER_PER_THREAD,
		    COUNTER_PER_CGROUP };

struct counter_row {
	int number;		/* CPU, socket (< 0: unknown) or thread, as the rows are */
	char text[64];		/* comm of the thread or name of the cgroup, unsanitized */
};

/* Sums over the places of a row, since the counters were opened. */
struct counter_value {
	uint64_t value, enabled_ns, running_ns;
};

/* Writes what @count values have more than at the reading before. They may shrink, when a thread
 * ends or a CPU is switched off while they are read: that is none. */
void counter_values_subtract(const struct counter_value *now, const struct counter_value *before,
			     struct counter_value *out, size_t count);

/* Returns the count scaled to the whole time, if it was counted for a part of it
 * (multiplexing). */
static inline double counter_value_scaled(const struct counter_value *value)
{
	if (!value->running_ns || value->running_ns >= value->enabled_ns)
		return (double)value->value;
	return (double)value->value * (double)value->enabled_ns / (double)value->running_ns;
}

/* Returns what one count of @event is in its unit. */
static inline double counter_event_scale(const struct counter_event *event)
{
	return event->unit.scale > 0 ? event->unit.scale : 1;
}

/* Makes @event absent if it is one that any code causes, and @value says that none came while code
 * ran: hypervisors may accept every event and count nothing. */
void counter_event_refuse_zero(struct counter_event *event, const struct counter_value *value);

struct counter_set;

/* Opens the events of @list that are not absent, disabled, on @target, or on each of @cgroups
 * (a list of names and of patterns of paths, for COUNTER_PER_CGROUP; else NULL). TARGET_COMMAND:
 * its exec enables them, and what it starts is counted, too. What the machine refuses becomes
 * absent in @list, with the reason; so do events of a PMU outside the cores, which counts for whole
 * packages, where tasks or cgroups are counted.
 * Where kernel code may not be counted, events without levels become user-only, which is in
 * counter_set_notice(). On TARGET_SYSTEM software events and tracepoints are counted for this
 * process, too: counter_set_read_own().
 * *@out is the caller's and NULL on failure. @list is BORROWED until counter_set_destroy().
 * Returns 0, -EACCES or -EPERM, -EMFILE, -ESRCH (the target has ended), -EINVAL (filter), ... */
int counter_set_open(struct counter_set **out, struct counter_list *list,
		     const struct target *target, enum counter_rows rows, const char *cgroups,
		     struct diag *why);
void counter_set_destroy(struct counter_set *set);	/* NULL is fine */

void counter_set_enable(const struct counter_set *set);
void counter_set_disable(const struct counter_set *set);

size_t counter_set_row_count(const struct counter_set *set);
const struct counter_row *counter_set_row(const struct counter_set *set, size_t row);
/* Returns what the user should know of the counters, a sentence a line; "": nothing. */
const char *counter_set_notice(const struct counter_set *set);

/* Reads all counters into @values: a row after the other, an event after the other. */
void counter_set_read(const struct counter_set *set, struct counter_value *values);
/* Reads what this process itself has of them, an event after the other. Returns false when that is
 * not counted. */
bool counter_set_read_own(const struct counter_set *set, struct counter_value *values);

#endif
