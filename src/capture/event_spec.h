/* event_spec.h - parses the argument of -e into perf_event_attrs.
 *
 *   list:   element[,element...]; a comma between slashes belongs to the spec
 *   element: spec | {spec,spec,...}[:modifiers]; the modifiers are those of each event in braces
 *   spec:   name[:modifiers] | rNNN[:modifiers] | pmu/terms/[modifiers] | group:tracepoint[:mods]
 *           | mem:ADDR[/LEN][:ACCESS][:modifiers]
 *           Group and tracepoint may be patterns (*, ?, [...]): all that match, by name.
 *           A PMU that is not there stands for all PMUs of cores called PMU_x: "cpu" for cpu_core
 *           and cpu_atom.
 *           One outside the cores that is not there stands for all PMUs of that name with a
 *           number, "uncore_" in front or not: "uncore_imc", "imc" for uncore_imc_0, uncore_imc_1.
 *           LEN is 1, 2, 4 (the default) or 8 bytes, ACCESS r, w, rw (the default) or x.
 *   modifiers: u k h (only these levels), p pp ppp (precise), P (as precise as it goes),
 *              G (guest only), H (host only); S, only after a brace: the first event of the group
 *              is sampled, and the others are read with each of its samples
 *
 * Source: perf_event_open(2); perf-list(1) for the names.
 * Thread: any. Reads sysfs and tracefs where a spec needs them, opens no event.
 */
#ifndef CAPTURE_EVENT_SPEC_H
#define CAPTURE_EVENT_SPEC_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "capture/scope.h"
#include "capture/event.h"
#include "capture/event_set.h"

#define EVENT_NAME_BYTES 96

struct event_spec {
	struct perf_event_attr attr;	/* type, config*, bp_*, exclude_*, precise_ip; else 0 */
	char name[EVENT_NAME_BYTES];	/* as the user wrote it; cut when longer */
	bool wants_max_precise;		/* P: lower precise_ip from 3 until the kernel accepts it */
	bool has_level_modifier;	/* u, k or h was given */
	bool is_wall;		/* cpu-clock that also counts what the part of the list counts */
	bool is_part;		/* off-cpu as a part of wall; the list has at most one of each */
	/* "armv8_pmuv3/terms/" where PMUs of cores are called armv8_pmuv3_0, armv8_pmuv3_1, or
	 * "cpu/terms/" for cpu_core and cpu_atom: one code for each of them, in place of the
	 * attr's. None: part_count is 0. */
	struct event_code parts[CORE_PMUS_MAX];
	size_t part_count;
	unsigned int absent_from;	/* bits of the PMUs of cores that lack the event */
	bool is_of_pmu;		/* pmu/terms/: cpu_core has the type that rNNN has, 4 */
	char pmu[48];		/* its directory in sysfs; "": none, or a family's */
	struct event_unit unit;
	bool has_plain_type;	/* the kernel knows no PMU type in the upper half of a config */
	uint32_t group;		/* number of its braces in the list, from 1; 0: none */
	bool is_read_together;	/* S: see above */
	const char *filter;	/* --filter text for a tracepoint, checked by the kernel;
				 * BORROWED; NULL: none */
};

/* An event that the user named and that this machine does not have or can't sample. */
struct event_absence {
	char name[EVENT_NAME_BYTES];
	bool is_counted;	/* it can't be sampled, and is counted beside the samples */
	struct diag why;
};

struct event_spec_list {
	struct event_spec *specs;	/* owned */
	size_t count;
	size_t last;			/* index of the first event from the last element of the
					 * last list: a pattern or a group yields several */
	struct event_absence *absent;	/* owned */
	size_t absent_count;
	uint32_t group_count;
	char *patterns;			/* owned; a line per pattern: "sched:*: 24 tracepoints" */
	const char *devices;	/* BORROWED; directory of PMUs; NULL: EVENT_PMU_DEVICES */
};

/* Parses one list, as the user wrote it, and appends to @list. A tracepoint, PMU or PMU event that
 * this machine lacks is appended to the absent ones. Call event_spec_list_finish() in every case.
 * Returns 0, -EINVAL (syntax), -ENOENT (no such name; @why has a near one or how to list them),
 * -EACCES, -ENOMEM, ... */
int event_spec_parse_list(const char *text, struct event_spec_list *list, struct diag *why);
void event_spec_list_finish(struct event_spec_list *list);	/* a zeroed one is fine */
/* Appends off-cpu as a part of the event wall, if the list has that. Returns 0; -EINVAL: the list
 * has wall twice, or off-cpu as well; -ENOMEM. */
int event_spec_list_add_part(struct event_spec_list *list, struct diag *why);
/* Moves spec @index to the absent ones; wall goes with its part, and the part with wall. 0 or
 * -ENOMEM. */
int event_spec_list_drop(struct event_spec_list *list, size_t index, const struct diag *reason);
/* Moves spec @index to the absent ones as one that is counted. 0; -EINVAL: its name alone does not
 * name it, as with a name= term; or -ENOMEM. */
int event_spec_list_drop_counted(struct event_spec_list *list, size_t index);

/* Sets *@out to what perf_event_open(2) needs on @cpu, where PMUs of cores differ in it. False: the
 * event does not exist there. */
bool event_spec_code(const struct event_spec *spec, const struct core_pmus *pmus, int cpu,
		     struct event_code *out);

/* Returns the index of the event that leads the group of event @index: the first of it. An event
 * that is in no group leads itself. */
size_t event_spec_leader(const struct event_spec_list *list, size_t index);

/* Returns true when event @index has no samples of its own: it is read with its leader's. */
bool event_spec_is_read(const struct event_spec_list *list, size_t index);

/* Parses one spec without a pattern. Errors as event_spec_parse_list(). */
int event_spec_parse(const char *text, struct event_spec *out, struct diag *why);

#endif
