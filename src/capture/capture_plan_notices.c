/* capture_plan_notices.c - see capture_plan.h. What a plan has given up, in sentences for the user:
 * each names the cause and what would help. */
#include "capture_plan.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "proc/process_stat.h"

void capture_plan_tell(struct capture_plan *plan, const char *format, ...)
{
	char *line = NULL, *longer = NULL;
	va_list args;

	va_start(args, format);
	if (vasprintf(&line, format, args) < 0)
		line = NULL;
	va_end(args);
	if (line && asprintf(&longer, "%s%s%s", plan->notice ? plan->notice : "",
			     plan->notice ? "\n" : "", line) >= 0) {
		free(plan->notice);
		plan->notice = longer;
	}
	free(line);
}

static size_t count_tasks(const struct target *target)
{
	pid_t *tids = NULL;
	size_t count = 0;

	if (target->kind != TARGET_PROCESSES)
		return target->id_count;
	for (size_t i = 0; i < target->id_count; i++)
		task_list_threads(target->ids[i], &tids, &count);
	free(tids);
	return count;
}

static void tell_cpu_wide(struct capture_plan *plan)
{
	const size_t threads = count_tasks(&plan->target);
	const size_t needed = threads * (plan->events.count + 1) * plan->cpu_count;
	char cause[100];

	if (plan->cant_inherit_reads) {
		capture_plan_tell(plan, "before Linux 6.12 counters can't be read with samples of"
				  " what a task starts (--no-inherit leaves it out): sampling all"
				  " CPUs and keeping the processes asked for");
		return;
	}
	if (needed > TASK_DESCRIPTORS_WANTED)
		snprintf(cause, sizeof(cause), "and over %d cost more than they save",
			 TASK_DESCRIPTORS_WANTED);
	else
		snprintf(cause, sizeof(cause), "%zu of %zu may be used (raise it: ulimit -n %zu)",
			 plan->descriptors_max, plan->descriptors_limit, 2 * needed);
	capture_plan_tell(plan, "%zu threads need %zu descriptors, %s: sampling all CPUs and"
			  " keeping the processes asked for", threads, needed, cause);
}

/* Returns true when the rings hold switches alone: thousands of them even if they are small. */
static bool are_rings_of_switches(const struct capture_plan *plan)
{
	return plan->has_switches && plan->events.count == 1;
}

static void tell_rings(struct capture_plan *plan)
{
	const struct ring_size *wanted = &plan->wanted_rings, *rings = &plan->rings;
	const size_t page_kib = (size_t)sysconf(_SC_PAGESIZE) / 1024;

	if (rings->sample_pages < wanted->sample_pages && !are_rings_of_switches(plan))
		capture_plan_tell(plan, "ring buffers of %zu instead of %zu KiB"
				  " (kernel.perf_event_mlock_kb is %ld): bursts may be lost; sudo"
				  " sysctl kernel.perf_event_mlock_kb=%zu",
				  rings->sample_pages * page_kib, wanted->sample_pages * page_kib,
				  event_sysctl("mlock_kb", 516),
				  page_kib * ((wanted->sample_pages + 1) * plan->events.count +
					      wanted->sideband_pages + 1));
	if (plan->are_copies_wanted && plan->call_graph.mode == CALL_GRAPH_FP)
		capture_plan_tell(plan, "stacks by frame pointers: a ring of %zu KiB holds too few"
				  " copies of stacks (-m is its size in pages)",
				  rings->sample_pages * page_kib);
}

static void tell_chained(struct capture_plan *plan)
{
	if (!capture_plan_count_chained(plan))
		return;
	if (plan->are_hits_too_many)
		capture_plan_tell(plan, "stacks by frame pointers where every hit is a sample: over"
				  " %d a second, or more than the rings hold, are too many to copy;"
				  " --call-graph dwarf copies them nevertheless",
				  CALL_GRAPH_COPY_MAX_HITS);
	else
		capture_plan_tell(plan, "stacks by frame pointers where every hit is a sample,"
				  " which may be too many to copy; --call-graph dwarf copies them"
				  " nevertheless");
}

static void tell_patterns(struct capture_plan *plan)
{
	if (plan->events.patterns)
		capture_plan_tell(plan, "%s", plan->events.patterns);
}

/* Names the events that have no samples of their own: "cycles, read with: instructions". */
static void tell_read(struct capture_plan *plan)
{
	const struct event_spec_list *events = &plan->events;
	char names[512];
	size_t used;

	for (size_t leader = 0, i; leader < events->count; leader = i) {
		used = 0;
		for (i = leader + 1; i < events->count && event_spec_is_read(events, i); i++)
			if (used < sizeof(names))
				used += (size_t)snprintf(names + used, sizeof(names) - used,
							 "%s%s", used ? ", " : "",
							 events->specs[i].name);
		if (used)
			capture_plan_tell(plan, "%s, read with: %s%s", events->specs[leader].name,
					  names, used < sizeof(names) ? "" : "...");
	}
}

static void tell_filters(struct capture_plan *plan)
{
	for (size_t i = 0; i < plan->events.count; i++)
		if (plan->events.specs[i].filter)
			capture_plan_tell(plan, "only hits of %s with %s",
					  plan->events.specs[i].name, plan->events.specs[i].filter);
}

static void tell_counters(struct capture_plan *plan)
{
	static const char *const troubles[] = {
		[EVENT_COUNTS_NOTHING] = "stay at 0",
		[EVENT_GIVES_NO_SAMPLES] = "count but give no samples",
	};

	if (plan->trial != EVENT_TRIAL_PASSED && plan->tried)
		capture_plan_tell(plan, "the hardware counters %s here (virtual machine?), so %s"
				  " may have no samples: -e cpu-clock", troubles[plan->trial],
				  plan->tried);
	else if (plan->trial != EVENT_TRIAL_PASSED)
		capture_plan_tell(plan, "the hardware counters %s here (virtual machine?):"
				  " cpu-clock instead", troubles[plan->trial]);
	else if (plan->is_default_event && plan->events.specs[0].attr.type == PERF_TYPE_SOFTWARE)
		capture_plan_tell(plan, "no hardware counters here (virtual machine?): cpu-clock"
				  " instead");
	if (plan->are_counters_few)
		capture_plan_tell(plan, "more hardware events than the processor has counters: they"
				  " are sampled in turns, so each lacks samples; name fewer (-e)");
}

/* Names the kinds of cores that lack an event which others have. */
static void tell_core_pmus(struct capture_plan *plan)
{
	for (size_t i = 0; i < plan->events.count; i++)
		for (size_t pmu = 0; pmu < plan->pmus.count; pmu++)
			if (plan->events.specs[i].absent_from & 1u << pmu)
				capture_plan_tell(plan, "no event %s on the CPUs of %s: only the"
						  " others are sampled",
						  plan->events.specs[i].name,
						  plan->pmus.list[pmu].name);
}

/* Says what off-cpu lacks without programs. */
static void tell_switches(struct capture_plan *plan)
{
	if (plan->has_switches && capture_plan_has_off_cpu(plan))
		capture_plan_tell(plan, "waits without BPF: exact times, stacks read while threads"
				  " wait; no wakers, no kernel functions (%s)",
				  plan->no_programs.text);
}

void capture_plan_tell_concessions(struct capture_plan *plan)
{
	const long paranoid = event_sysctl("paranoid", 2);
	char remedy[300];

	tell_counters(plan);
	tell_core_pmus(plan);
	if (plan->kind == TARGET_OWN)
		capture_plan_tell(plan, "own processes only, %s (kernel.perf_event_paranoid is"
				  " %ld); for everything: %s",
				  plan->exclude_kernel ? "user code only" : "with kernel",
				  paranoid, event_permission_remedy(-1, remedy, sizeof(remedy)));
	else if (plan->exclude_kernel)
		capture_plan_tell(plan, "without kernel code (kernel.perf_event_paranoid is %ld):"
				  " %s", paranoid,
				  event_permission_remedy(1, remedy, sizeof(remedy)));
	if (plan->is_cpu_wide && !plan->target.has_descendants && !plan->off_cpu)
		tell_cpu_wide(plan);
	if (plan->kind == TARGET_SYSTEM && capture_is_in_pid_namespace())
		capture_plan_tell(plan, "in a PID namespace: processes outside of it are counted as"
				  " process 0; run in the host's (a container with --pid=host)");
	tell_switches(plan);
	tell_patterns(plan);
	tell_read(plan);
	tell_filters(plan);
	tell_rings(plan);
	tell_chained(plan);
}
