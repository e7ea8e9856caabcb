/* probe_abilities.c - see probe/probe_engine.h.
 *
 * Idea: each ability is tried as a probe would use it, and undone. No version is compared: kernels
 * are patched, containers forbid some of it, and lockdown changes at run time. An event of tracefs
 * is only defined: its breakpoint would come with the first descriptor. A PMU gets a point that
 * can't exist (probe_pmu_try()): it checks privileges before it looks up the point.
 */
#include "probe/probe_engine.h"

#include <stdio.h>
#include <unistd.h>

#include "capture/scope.h"
#include "capture/event.h"
#include "capture/tracefs.h"
#include "probe_pmu.h"

#define ANY_SYMBOL "vfs_read"	/* exists in every kernel, and none forbids to probe it */

static void set_ability(struct probe_abilities *out, enum probe_ability ability, int err,
			const struct diag *why)
{
	out->list[ability].is_there = err == 0;
	snprintf(out->list[ability].reason, sizeof(out->list[ability].reason), "%s",
		 err ? why->text : "");
}

static int try_definition(struct trace_group *group, enum trace_type type, const char *point,
			  struct diag *why)
{
	const struct trace_definition definition = { .type = type, .site = point,
						     .fetch_args = "" };
	struct trace_event event;
	int err = trace_group_add(group, &definition, &event, why);

	return err ? err : trace_group_remove(group, &event, why);
}

/* Tries to sample a tracepoint in all tasks. */
static int try_tracepoint(struct trace_group *group, struct diag *why)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_TRACEPOINT,
					.sample_period = 1, .sample_type = PERF_SAMPLE_RAW,
					.disabled = 1 };
	const int cpu = cpu_list_first_online();
	struct trace_event event;
	int err = trace_group_find(group, "sched", "sched_process_exit", &event, why);
	int fd;

	if (err)
		return err;
	raw_fields_finish(&event.fields);
	attr.config = event.id;
	fd = event_open(&attr, -1, cpu);
	if (fd < 0)
		return event_explain(fd, "sched:sched_process_exit", -1, cpu, why);
	close(fd);
	return 0;
}

static void try_tracefs(struct probe_abilities *out)
{
	struct trace_group *group;
	struct diag why = { 0 }, sampling = { 0 };
	int err = trace_group_open(&group, &why), no_samples;

	if (err) {
		set_ability(out, PROBE_CAN_TRACEFS_KPROBE, err, &why);
		set_ability(out, PROBE_CAN_TRACEFS_UPROBE, err, &why);
		set_ability(out, PROBE_CAN_TRACEPOINT, err, &why);
		return;
	}
	no_samples = try_tracepoint(group, &sampling);
	set_ability(out, PROBE_CAN_TRACEPOINT, no_samples, &sampling);
	err = try_definition(group, TRACE_KPROBE, ANY_SYMBOL, &why);
	set_ability(out, PROBE_CAN_TRACEFS_KPROBE, err ? err : no_samples,
		    err ? &why : &sampling);
	err = try_definition(group, TRACE_UPROBE, "/proc/self/exe:0x0", &why);
	set_ability(out, PROBE_CAN_TRACEFS_UPROBE, err ? err : no_samples,
		    err ? &why : &sampling);
	trace_group_close(group);
}

void probe_abilities_try(struct probe_abilities *out)
{
	struct diag why = { 0 };
	int err;

	*out = (struct probe_abilities){ 0 };
	try_tracefs(out);
	err = probe_pmu_try(false, &why);
	set_ability(out, PROBE_CAN_KPROBE_PMU, err, &why);
	err = probe_pmu_try(true, &why);
	set_ability(out, PROBE_CAN_UPROBE_PMU, err, &why);
}
