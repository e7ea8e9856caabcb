/* capture_plan.c - see capture_plan.h.
 *
 * Problem: what may be sampled depends on the kernel, the machine, the privileges and the limits,
 * and the kernel only returns an error, one call at a time.
 *
 * Idea: opening the plan either works, or fails at one known place; concede() then gives up the one
 * thing that this failure is about (a step of precision, the counters, the kernel's code, other
 * people's processes, half of the ring) and all is opened anew. Each concession is made at most
 * once, or halves something, and only where the user did not ask for the thing by name: this ends.
 */
#include "capture_plan.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/scope.h"
#include "capture/tracefs.h"
#include "proc/process_stat.h"

#define OTHER_DESCRIPTORS 128	/* for files, workers and eventfds */
#define ATTACH_PASSES_MAX 16	/* for a process that starts threads faster than /proc shows them */

bool capture_plan_has_tasks(const struct capture_plan *plan)
{
	return !plan->is_cpu_wide && (plan->kind == TARGET_PROCESSES ||
				      plan->kind == TARGET_THREADS || plan->kind == TARGET_COMMAND);
}

bool capture_plan_chains_hits(const struct capture_plan *plan, const struct event_spec *spec)
{
	return plan->is_auto_stacks && !spec->attr.freq && spec->attr.sample_period == 1 &&
	       !event_is_off_cpu(&spec->attr) &&
	       (spec->attr.type != PERF_TYPE_TRACEPOINT || plan->are_hits_too_many);
}

size_t capture_plan_count_chained(const struct capture_plan *plan)
{
	size_t count = 0;

	for (size_t i = 0; i < plan->events.count; i++)
		if (capture_plan_chains_hits(plan, &plan->events.specs[i]))
			count++;
	return count;
}

/* Returns the option by which samples have what the CPU records; NULL: they have nothing of it. */
static const char *recorded_by(uint64_t branch_filter, enum call_graph_mode mode)
{
	return branch_filter ? "-b" : mode == CALL_GRAPH_LBR ? "--call-graph lbr" : NULL;
}

static bool needs_counter(const struct capture_plan *plan, const struct event_spec *spec)
{
	const uint32_t type = spec->attr.type;

	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW ||
	       core_pmus_of_type(&plan->pmus, type) != CORE_PMU_NONE;
}

static struct event_sampling make_sampling(const struct capture_plan *plan)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	bool on_tasks = capture_plan_has_tasks(plan) || plan->kind == TARGET_OWN;

	return (struct event_sampling){
		.features = plan->features,
		.call_graph = plan->call_graph,
		.inherit = on_tasks && !plan->target.no_inherit,
		.enable_on_exec = plan->kind == TARGET_COMMAND,
		.exclude_kernel = plan->exclude_kernel,
		.all_maps = plan->all_maps,
		.ring_bytes = plan->rings.sample_pages * page_bytes,
		.sideband_ring_bytes = plan->rings.sideband_pages * page_bytes,
	};
}

/* Sets *@code to that of event @at on @cpu. False: it does not exist there; a group that is read
 * together exists where all of its events do, so that the order of its values is the list's. */
static bool find_code(const struct capture_plan *plan, size_t at, int cpu, struct event_code *code)
{
	const struct event_spec_list *events = &plan->events;
	const size_t leader = event_spec_leader(events, at);
	struct event_code other;

	if (!event_spec_code(&events->specs[at], &plan->pmus, cpu, code))
		return false;
	for (size_t i = leader; events->specs[at].is_read_together && i < events->count &&
				event_spec_leader(events, i) == leader; i++)
		if (!event_spec_code(&events->specs[i], &plan->pmus, cpu, &other))
			return false;
	return true;
}

/* Returns the place of event @event on @cpu among the first @count; 0, which is one of the
 * side-band: there is none. */
static size_t find_place(const struct event_place *places, size_t count, size_t event, int cpu)
{
	while (count-- > 0)
		if (places[count].event == event && places[count].cpu == cpu)
			return count;
	return 0;
}

/* Appends the places of event @at to the first @used. Returns the new number. */
static size_t append_places(const struct capture_plan *plan, size_t at, struct event_place *places,
			    size_t used)
{
	const struct event_spec_list *events = &plan->events;
	const size_t leader = event_spec_leader(events, at);

	for (size_t i = 0; i < plan->cpu_count; i++) {
		const int cpu = plan->cpus[i];
		struct event_place place = { .event = (uint16_t)at, .cpu = cpu };

		if (!find_code(plan, at, cpu, &place.code))
			continue;
		if (leader != at)
			place.leader = find_place(places, used, leader, cpu);
		place.is_read = event_spec_is_read(events, at);
		places[used++] = place;
	}
	return used;
}

/* Lists the places of the side-band, then those of the events in their order. Returns their number;
 * 0: no memory, or, with *@absent, *@event exists on no CPU, or on a part of them and is the
 * default. */
static size_t list_places(const struct capture_plan *plan, struct event_place **out,
			  uint16_t *event, bool *absent)
{
	const struct perf_event_attr dummy = { .type = PERF_TYPE_SOFTWARE,
					       .config = PERF_COUNT_SW_DUMMY };
	struct event_place *places = calloc((plan->events.count + 1) * plan->cpu_count,
					    sizeof(*places));
	size_t used = 0;

	*out = places;
	*absent = false;
	for (size_t i = 0; places && i < plan->cpu_count; i++)
		places[used++] = (struct event_place){ .event = (uint16_t)plan->events.count,
						       .cpu = plan->cpus[i],
						       .code = event_code_of(&dummy) };
	for (size_t at = 0; places && at < plan->events.count; at++) {
		const size_t before = used;

		*event = (uint16_t)at;
		used = append_places(plan, at, places, used);
		*absent = used == before ||
			  (plan->is_default_event && used < before + plan->cpu_count);
		if (*absent)
			return 0;
	}
	return used;
}

/* Returns true when the samples of event @at hold the counters of its group. */
static bool is_leading(const struct event_spec_list *events, size_t at)
{
	return at + 1 < events->count && event_spec_is_read(events, at + 1) &&
	       !event_spec_is_read(events, at);
}

static void fill_attr(const struct capture_plan *plan, size_t at, struct perf_event_attr *attr)
{
	const struct event_spec *spec = &plan->events.specs[at];
	struct event_sampling sampling = make_sampling(plan);

	if (capture_plan_chains_hits(plan, spec))
		sampling.call_graph = (struct call_graph){ .mode = CALL_GRAPH_FP };
	if (needs_counter(plan, spec))
		sampling.branch_filter = plan->branch_filter;
	else if (sampling.call_graph.mode == CALL_GRAPH_LBR)
		sampling.call_graph = (struct call_graph){ .mode = CALL_GRAPH_FP };
	if (event_is_off_cpu(&spec->attr) && plan->has_switches &&
	    sampling.call_graph.mode == CALL_GRAPH_FP && plan->is_auto_stacks)
		sampling.call_graph = (struct call_graph){ .mode = CALL_GRAPH_DWARF,
							   .copy_bytes = CALL_GRAPH_COPY_BYTES };
	*attr = spec->attr;
	event_attr_complete(attr, &sampling);
	if (plan->has_raw && attr->type == PERF_TYPE_TRACEPOINT)
		attr->sample_type |= PERF_SAMPLE_RAW;
	if (event_is_off_cpu(attr))	/* an exit is the last switch of a thread */
		attr->context_switch = attr->task = plan->has_switches;
	if (is_leading(&plan->events, at))
		event_attr_lead(attr);
	else if (event_spec_is_read(&plan->events, at))
		event_attr_follow(attr);
}

static int init_set(struct capture_plan *plan, struct event_failure *failure)
{
	struct event_sampling sampling = make_sampling(plan);
	size_t count = plan->events.count + 1;
	struct perf_event_attr *attrs = calloc(count, sizeof(*attrs));
	struct event_place *places = NULL;
	bool is_absent = false;
	size_t place_count = attrs ? list_places(plan, &places, &failure->event, &is_absent) : 0;
	int err;

	failure->cpu = plan->cpus[0];
	if (!place_count) {
		free(attrs);
		free(places);
		return is_absent ? -ENODEV : -ENOMEM;
	}
	for (size_t i = 0; i < plan->events.count; i++)
		fill_attr(plan, i, &attrs[i]);
	event_attr_sideband(&attrs[count - 1], &sampling);
	err = event_set_init_at(&plan->set, attrs, count, places, place_count, &plan->rings);
	for (size_t i = 0; !err && i < plan->events.count; i++)
		plan->set.filters[i] = plan->events.specs[i].filter;
	free(places);
	free(attrs);
	return err;
}

/* Opens events on all tasks that have none; *@found is their number. A task that ends meanwhile is
 * not an error. */
static int open_tasks_once(struct capture_plan *plan, size_t *found, struct event_failure *failure)
{
	struct event_set *set = &plan->set;
	pid_t *tids;
	size_t count;
	int err = target_list_tasks(&plan->target, plan->kind, &tids, &count);

	*found = 0;
	/* A single task takes no more descriptors than all tasks would. */
	if (!err && set->row_count == 0 && count > 1 &&
	    count * set->lane_count > plan->descriptors_max)
		err = -EMFILE;
	for (size_t i = 0; !err && i < count; i++) {
		if (event_set_has_task(set, tids[i]) ||
		    (set->row_count && event_set_saw_fork(set, tids[i])))
			continue;
		err = event_set_add_row(set, tids[i], failure);
		*found += err == 0;
		if (err == -ESRCH)
			err = 0;
	}
	free(tids);
	return err;
}

/* Another pass finds threads that were started during the previous one; those that inherited events
 * have FORK records in the side-band. */
static int open_tasks(struct capture_plan *plan, struct event_failure *failure)
{
	bool finds_more = target_has_processes(&plan->target, plan->kind);
	size_t found;
	int err, pass = 0;

	do
		err = open_tasks_once(plan, &found, failure);
	while (!err && finds_more && found > 0 && ++pass < ATTACH_PASSES_MAX);
	if (!err && plan->set.row_count == 0)
		err = -ESRCH;
	return err;
}

/* Returns the number of descriptors that events may use. */
static size_t descriptors_for_events(const struct capture_plan *plan)
{
	const size_t half = plan->descriptors_limit / 2;

	return plan->descriptors_limit - (half < OTHER_DESCRIPTORS ? half : OTHER_DESCRIPTORS);
}

static int try_plan(struct capture_plan *plan, struct event_failure *failure)
{
	int err;

	event_set_finish(&plan->set);
	*failure = (struct event_failure){ 0 };
	err = init_set(plan, failure);
	if (err)
		return err;
	plan->set.cgroup_fd = plan->cgroup_fd;
	/* Check before opening: closing a tracepoint takes 40 ms. */
	if (plan->set.lane_count > descriptors_for_events(plan))
		return -EMFILE;
	if (capture_plan_has_tasks(plan))
		return open_tasks(plan, failure);
	return event_set_add_row(&plan->set,
				 plan->kind == TARGET_OWN ? getpid() : -1, failure);
}

static bool is_unsupported(int err)
{
	return err == -ENOENT || err == -EOPNOTSUPP || err == -ENODEV || err == -EINVAL;
}

static bool is_forbidden(int err)
{
	return err == -EACCES || err == -EPERM;
}

/* Gives up the PMU's type in the config, then the event on the PMU of @cpu, where another kind of
 * cores may have it. */
static bool concede_core_pmu(const struct capture_plan *plan, struct event_spec *spec, int cpu)
{
	const size_t pmu = core_pmus_of_cpu(&plan->pmus, (uint32_t)cpu);
	const bool has_type = !spec->is_of_pmu && (spec->attr.type == PERF_TYPE_HARDWARE ||
						   spec->attr.type == PERF_TYPE_HW_CACHE);

	if (plan->pmus.count < 2 || pmu == CORE_PMU_NONE || spec->absent_from & 1u << pmu)
		return false;
	if (has_type && !spec->has_plain_type) {
		spec->has_plain_type = true;
		return true;
	}
	if (plan->is_default_event)	/* one clock for all cores says more than a part of them */
		return false;
	spec->absent_from |= 1u << pmu;
	return true;
}

static bool replace_by_clock(const struct capture_plan *plan, struct event_spec *spec)
{
	const struct perf_event_attr before = spec->attr;
	struct event_spec clock;

	if (!plan->is_default_event || before.type == PERF_TYPE_SOFTWARE ||
	    recorded_by(plan->branch_filter, plan->call_graph.mode) ||
	    event_spec_parse("cpu-clock", &clock, NULL) != 0)
		return false;
	clock.attr.freq = before.freq;
	clock.attr.sample_period = before.sample_period;
	*spec = clock;
	return true;
}

static bool concede_event(struct capture_plan *plan, struct event_spec *spec, int cpu)
{
	if (spec->wants_max_precise && spec->attr.precise_ip > 0) {
		spec->attr.precise_ip = (spec->attr.precise_ip - 1) & 3;
		return true;
	}
	return concede_core_pmu(plan, spec, cpu) || replace_by_clock(plan, spec);
}

void capture_plan_fit_copies(struct capture_plan *plan)
{
	const size_t ring_bytes = plan->rings.sample_pages * (size_t)sysconf(_SC_PAGESIZE);
	struct call_graph *graph = &plan->call_graph;

	if (!plan->is_auto_stacks || graph->mode != CALL_GRAPH_DWARF)
		return;
	while (graph->copy_bytes > CALL_GRAPH_COPY_MIN_BYTES &&
	       ring_bytes / graph->copy_bytes < RING_SIZE_COPIES)
		graph->copy_bytes /= 2;
	if (ring_bytes / graph->copy_bytes < RING_SIZE_COPIES)
		*graph = (struct call_graph){ .mode = CALL_GRAPH_FP };
}

static bool needs_kernel(const struct capture_plan *plan)
{
	for (size_t i = 0; i < plan->events.count; i++)
		if (plan->events.specs[i].attr.exclude_user)
			return true;
	return false;
}

static bool concede_privilege(struct capture_plan *plan)
{
	bool is_own = plan->kind == TARGET_SYSTEM ||
		      (plan->kind == TARGET_USER && plan->target.uid == geteuid());

	if (needs_kernel(plan))
		return false;
	if (!plan->exclude_kernel) {
		plan->exclude_kernel = true;
		return true;
	}
	if (plan->cant_inherit_reads)
		return false;
	if (plan->is_cpu_wide) {	/* back to single tasks, as many as the limit allows */
		plan->was_refused_cpu_wide = true;
		plan->is_cpu_wide = false;
		plan->exclude_kernel = false;
		plan->descriptors_max = plan->descriptors_limit / 2;
		return true;
	}
	if (!is_own || (plan->insists_on_all && plan->kind == TARGET_SYSTEM))
		return false;
	plan->kind = TARGET_OWN;
	plan->are_hits_too_many = true;	/* its events can't be reopened later */
	plan->exclude_kernel = false;
	return true;
}

static bool concede_descriptors(struct capture_plan *plan)
{
	if (!capture_plan_has_tasks(plan) || plan->was_refused_cpu_wide)
		return false;
	plan->is_cpu_wide = true;
	return true;
}

/* Explains why the event of @failure, of a counter, can't be opened with branches. False: it is for
 * another reason. */
static bool explain_branches(const struct capture_plan *plan, int err,
			     const struct event_failure *failure, const char *name,
			     struct diag *why)
{
	const char *option = recorded_by(plan->branch_filter, plan->call_graph.mode);

	if (!option || failure->event >= plan->events.count ||
	    !needs_counter(plan, &plan->events.specs[failure->event]))
		return false;
	if (err == -ENOENT || err == -ENODEV)
		diag_set(why, err, "%s: this machine cannot sample event %s on CPU %d (virtual "
			 "machines often have no hardware counters), and only hardware events have "
			 "branches: leave out %s, or read a recording of perf record %s (-i)",
			 option, name, failure->cpu, option, option);
	else if (err == -EOPNOTSUPP)
		diag_set(why, err, "%s: the processor records no branches beside event %s on CPU "
			 "%d, or a hypervisor hides it: leave out %s, or read a recording of perf "
			 "record %s (-i)", option, name, failure->cpu, option, option);
	else if (err == -EINVAL)
		diag_set(why, err, "%s: the processor or the kernel cannot record such branches "
			 "beside event %s on CPU %d: try other filters (-j), an event without "
			 "modifiers, or leave out %s", option, name, failure->cpu, option);
	else
		return false;
	return true;
}

/* Opens the event of @spec without sampling, on a CPU that counts it or on this thread. Returns 0
 * or -errno. */
static int try_counting(const struct capture_plan *plan, const struct event_spec *spec)
{
	const char *devices = plan->events.devices ? plan->events.devices : EVENT_PMU_DEVICES;
	struct perf_event_attr attr = spec->attr;
	size_t count = 0;
	int *cpus = NULL;
	int fd;

	attr.freq = 0;
	attr.sample_period = 0;
	attr.disabled = 1;
	if (spec->pmu[0])
		pmu_cpumask_read(devices, spec->pmu, &cpus, &count);
	fd = event_open(&attr, count ? -1 : 0, count ? cpus[0] : -1);
	free(cpus);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : 0;
}

/* Returns 0 when event @at, which can't be sampled, can be counted; -errno. An event of a group or
 * a precise one might be sampled alone or without modifiers: -EINVAL. */
static int check_counting(const struct capture_plan *plan, size_t at)
{
	if (at >= plan->events.count || event_spec_leader(&plan->events, at) != at ||
	    plan->events.specs[at].attr.precise_ip)
		return -EINVAL;
	return try_counting(plan, &plan->events.specs[at]);
}

/* Explains why the event of @failure can't be opened. @tid as event_explain() has it. */
static int explain_event(const struct capture_plan *plan, int err,
			 const struct event_failure *failure, const char *name, pid_t tid,
			 struct diag *why)
{
	const struct event_spec_list *events = &plan->events;
	const size_t leader = failure->event < events->count
			      ? event_spec_leader(events, failure->event) : failure->event;
	int counted;

	if (leader == failure->event && explain_branches(plan, err, failure, name, why))
		return err;
	counted = is_unsupported(err) ? check_counting(plan, failure->event) : err;
	if (is_forbidden(counted))
		return event_explain(counted, name, tid, failure->cpu, why);
	if (!counted)
		return diag_set(why, err, "%s can be counted, not sampled: flametop --stat -e %s "
				"counts it, and so does the screen beside samples of another event "
				"(-e cpu-clock,%s)", name, name, name);
	if (err != -EINVAL || leader == failure->event)
		return event_explain(err, name, tid, failure->cpu, why);
	return diag_set(why, err, "the kernel does not take %s into a group with %s on CPU %d: it"
			" is of another PMU, or the group has more events than the PMU has"
			" counters; name it outside of the braces", name,
			events->specs[leader].name, failure->cpu);
}

/* Returns true when another event is left without the one at @index. */
static bool can_lack(const struct capture_plan *plan, size_t index)
{
	const struct event_spec *spec = &plan->events.specs[index];

	return plan->events.count > (spec->is_wall || spec->is_part ? 2 : 1);
}

/* Drops the event that can't be sampled, if another one is left. */
static bool drop_event(struct capture_plan *plan, int err, const struct event_failure *failure)
{
	struct diag reason = { .err = 0 };

	if (!can_lack(plan, failure->event))
		return false;
	if (plan->can_count && !check_counting(plan, failure->event) &&
	    !event_spec_list_drop_counted(&plan->events, failure->event))
		return true;
	explain_event(plan, err, failure, plan->events.specs[failure->event].name, -1, &reason);
	return !event_spec_list_drop(&plan->events, failure->event, &reason);
}

/* Returns true when the plan has changed and is worth another attempt. */
static bool concede(struct capture_plan *plan, int err, const struct event_failure *failure)
{
	if (failure->is_filter)
		return false;
	if (failure->is_mapping) {
		if ((err != -EPERM && err != -ENOMEM) || !ring_size_lower(&plan->rings))
			return false;
		capture_plan_fit_copies(plan);
		return true;
	}
	if (err == -EMFILE || err == -ENFILE)
		return concede_descriptors(plan);
	if (is_forbidden(err))
		return concede_privilege(plan);
	return is_unsupported(err) && failure->event < plan->events.count &&
	       (concede_event(plan, &plan->events.specs[failure->event], failure->cpu) ||
		drop_event(plan, err, failure));
}

static int explain_descriptors(const struct capture_plan *plan, struct diag *why)
{
	const size_t fit = descriptors_for_events(plan) / plan->cpu_count;
	size_t lanes = (plan->events.count + 1) * plan->cpu_count;
	size_t count = 0;
	pid_t *tids = NULL;

	if (!capture_plan_has_tasks(plan) && plan->set.lane_count <= descriptors_for_events(plan))
		return diag_set(why, -EMFILE, "the system has no descriptors left (fs.file-max) for"
				" %zu events on %zu CPUs: end other programs, name fewer events, or"
				" sample fewer CPUs (-C)", plan->events.count, plan->cpu_count);
	if (!capture_plan_has_tasks(plan))
		return diag_set(why, -EMFILE, "%zu events on %zu CPUs need %zu descriptors, the"
				" limit is %zu: raise it (ulimit -n %zu), name at most %zu events,"
				" or sample fewer CPUs (-C)", plan->events.count, plan->cpu_count,
				lanes, plan->descriptors_limit, lanes + OTHER_DESCRIPTORS,
				fit ? fit - 1 : 0);
	target_list_tasks(&plan->target, plan->kind, &tids, &count);
	free(tids);
	return diag_set(why, -EMFILE, "%zu threads on %zu CPUs with %zu events need %zu"
			" descriptors, %zu of %zu may be used: raise the limit (ulimit -n %zu), or"
			" sample fewer threads (-t), CPUs (-C) or events (-e), or all processes"
			" (sudo flametop -a)", count, plan->cpu_count, plan->events.count,
			count * lanes, plan->descriptors_max, plan->descriptors_limit,
			2 * count * lanes);
}

static int explain_mapping(const struct capture_plan *plan, int err, struct diag *why)
{
	if (err != -EPERM)
		return diag_set(why, err, "cannot map %zu ring buffers of %zu pages, one for each "
				"of %zu events on each of %zu CPUs: %s: name fewer events (-e), or "
				"sample fewer CPUs (-C)", plan->events.count * plan->cpu_count,
				plan->rings.sample_pages, plan->events.count, plan->cpu_count,
				strerror(-err));
	return diag_set(why, err, "no locked memory left for %zu ring buffers (kernel."
			"perf_event_mlock_kb is %ld): end other profilers, name fewer events (-e),"
			" or sudo sysctl kernel.perf_event_mlock_kb=2048",
			(plan->events.count + 1) * plan->cpu_count, event_sysctl("mlock_kb", 516));
}

static int explain_filter(const struct event_spec *spec, int err, struct diag *why)
{
	char fields[200];

	if (err != -EINVAL)
		return diag_set(why, err, "cannot filter %s by \"%s\": %s", spec->name,
				spec->filter, strerror(-err));
	tracefs_list_fields(spec->name, fields, sizeof(fields));
	return diag_set(why, err, "the kernel refuses --filter \"%s\" of %s: it compares a field "
			"with a number, or with a pattern in quotation marks; its fields are %s",
			spec->filter, spec->name, fields);
}

/* Names the event that failed. The user did not ask for the side-band: names instead the event that
 * excludes user code, and so allowed no fallback, or else the first. */
static const char *name_failed(const struct capture_plan *plan, const struct event_failure *failure)
{
	if (failure->event < plan->events.count)
		return plan->events.specs[failure->event].name;
	for (size_t i = 0; i < plan->events.count; i++)
		if (plan->events.specs[i].attr.exclude_user)
			return plan->events.specs[i].name;
	return plan->events.count ? plan->events.specs[0].name : "dummy";
}

static int explain(const struct capture_plan *plan, int err, const struct event_failure *failure,
		   struct diag *why)
{
	/* The side-band is opened first: if it could be opened, the task may be sampled. */
	bool is_task_refused = capture_plan_has_tasks(plan) && failure->event == plan->events.count;

	if (failure->is_mapping)
		return explain_mapping(plan, err, why);
	if (failure->is_filter)
		return explain_filter(&plan->events.specs[failure->event], err, why);
	if (err == -ENOMEM)
		return diag_set(why, err, "no memory for the events");
	if (err == -EMFILE || err == -ENFILE)
		return explain_descriptors(plan, why);
	if (err == -ESRCH)
		return diag_set(why, err, "the process to sample has ended");
	if (plan->cant_inherit_reads && is_forbidden(err))
		return diag_set(why, err, "before Linux 6.12 counters can't be read with samples of"
				" what a task starts, and whole CPUs may not be sampled here: leave"
				" out what it starts (--no-inherit), or run flametop as root");
	return explain_event(plan, err, failure, name_failed(plan, failure),
			     is_task_refused ? failure->tid : -1, why);
}

static int open_cgroup(struct capture_plan *plan, struct diag *why)
{
	const char *path = plan->target.cgroup;

	plan->cgroup_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (plan->cgroup_fd < 0)
		return diag_set(why, -errno, "cannot open cgroup %s: %s", path, strerror(errno));
	return event_check_cgroup(plan->cgroup_fd, path, plan->cpus[0], why);
}

static int set_filter(struct event_spec *spec, const char *filter, struct diag *why)
{
	if (spec->attr.type != PERF_TYPE_TRACEPOINT)
		return diag_set(why, -EINVAL, "--filter %s: %s is no tracepoint, and has no fields;"
				" --match is for the text of rows", filter, spec->name);
	spec->filter = filter;
	return 0;
}

static int parse_asked(struct event_spec_list *events, const struct capture_config *config,
		       struct diag *why)
{
	int err = 0;

	for (size_t i = 0; !err && i < config->event_text_count; i++) {
		const char *filter = config->event_filters ? config->event_filters[i] : NULL;

		err = event_spec_parse_list(config->events[i], events, why);
		for (size_t k = events->last; filter && !err && k < events->count; k++)
			err = set_filter(&events->specs[k], filter, why);
	}
	if (!err && !events->count) {
		*why = events->absent[0].why;
		err = why->err;
	}
	return err;
}

/* Checks that samples can have the branches or calls asked for. 0, or -EINVAL with the reason. */
static int check_branches(const struct capture_plan *plan, const struct capture_config *config,
			  struct diag *why)
{
	const char *option = recorded_by(config->branch_filter, config->call_graph.mode);
	bool is_any = !option;

	for (size_t i = 0; i < plan->events.count; i++)
		is_any |= needs_counter(plan, &plan->events.specs[i]);
	return is_any ? 0
		      : diag_set(why, -EINVAL, "%s: the CPU records branches beside samples of "
				 "hardware events only, and %s is none: -e cycles", option,
				 plan->events.specs[0].name);
}

/* Checks what is read with the samples of one. 0, or -E2BIG or -EINVAL with the reason. */
static int check_read(const struct event_spec_list *events, struct diag *why)
{
	for (size_t i = 0; i < events->count; i++) {
		const struct event_spec *spec = &events->specs[i];

		if (!spec->is_read_together)
			continue;
		if (i - event_spec_leader(events, i) >= EVENT_SET_READ_MAX)
			return diag_set(why, -E2BIG, "%s: at most %d events can be read with the"
					" samples of one", spec->name, EVENT_SET_READ_MAX - 1);
		if (event_is_off_cpu(&spec->attr) || spec->is_wall)
			return diag_set(why, -EINVAL, "%s has a stack of its own for each wait, and"
					" is not read with samples: name it outside of the braces",
					spec->name);
	}
	return 0;
}

int capture_plan_parse(struct capture_plan *plan, const struct capture_config *config,
		       struct diag *why)
{
	struct event_spec_list *events = &plan->events;
	struct diag reason = { .err = 0 };
	int err;

	if (config->has_no_event)
		return 0;
	plan->is_default_event = config->event_text_count == 0;
	events->devices = config->pmu_devices;
	if (plan->is_default_event)
		err = event_spec_parse_list("cycles:P", events, &reason);
	else
		err = parse_asked(events, config, &reason);
	if (!err)
		err = event_spec_list_add_part(events, &reason);
	if (err)
		return diag_set(why, err, "%s", reason.text);
	if (events->count > CAPTURE_MAX_EVENTS)
		return diag_set(why, -E2BIG, "%zu events: at most %d can be sampled at once; name "
				"fewer, or a narrower pattern", events->count, CAPTURE_MAX_EVENTS);
	err = check_read(events, why);
	if (err)
		return err;
	if (plan->is_default_event)	/* name to show: the user did not ask for :P */
		snprintf(events->specs[0].name, EVENT_NAME_BYTES, "cycles");
	plan->branch_filter = config->branch_filter;
	plan->all_maps = config->wants_all_maps;
	plan->is_unwatched = config->is_unwatched;
	plan->has_raw = config->has_raw;
	return check_branches(plan, config, why);
}

/* True for the events that all code causes. */
static bool can_be_tried(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_HARDWARE && (attr->config == PERF_COUNT_HW_CPU_CYCLES ||
						    attr->config == PERF_COUNT_HW_INSTRUCTIONS);
}

/* Tries the first counter that can be. Returns true when the plan has changed: the default event
 * gave way to cpu-clock. A thread can run on one kind of cores only: with several, no counter is
 * tried. */
static bool concede_counter(struct capture_plan *plan)
{
	struct event_spec *spec = plan->events.specs;
	size_t i = 0;

	while (i < plan->events.count && !can_be_tried(&spec[i].attr))
		i++;
	if (i == plan->events.count || plan->pmus.count > 1)
		return false;
	plan->trial = event_try(&spec[i].attr);
	plan->tried = spec[i].name;
	if (plan->trial == EVENT_TRIAL_PASSED || !replace_by_clock(plan, &spec[i]))
		return false;
	plan->tried = NULL;
	return true;
}

/* Opens an event on this thread in the group of @leader, -1: as a leader; enabled, as the kernel
 * takes a disabled one for one that needs no counter. */
static int open_in_group(const struct event_code *code, int leader)
{
	const struct perf_event_attr attr = {
		.size = sizeof(attr), .type = code->type, .config = code->config,
		.config1 = code->config1, .config2 = code->config2,
		.exclude_kernel = 1, .exclude_hv = 1,
	};

	return event_open_member(&attr, -1, 0, -1, leader);
}

/* Returns true when the PMU can't count all events at once: the kernel refuses a group of events
 * that it could never schedule together. Counters that others hold, as the NMI watchdog does, are
 * not known to it. With several kinds of cores nothing is known. */
static bool are_counters_few(const struct capture_plan *plan)
{
	int fds[CAPTURE_MAX_EVENTS];
	size_t opened = 0;
	bool are_few = false;

	for (size_t i = 0; plan->pmus.count < 2 && !are_few && i < plan->events.count; i++) {
		const struct event_spec *spec = &plan->events.specs[i];
		const struct event_code code = event_code_of(&spec->attr);
		int fd = needs_counter(plan, spec) ? open_in_group(&code, opened ? fds[0] : -1)
						   : -ENOENT;

		if (fd < 0 && (fd == -EINVAL || fd == -ENOSPC) && opened) {
			fd = open_in_group(&code, -1);	/* alone it is accepted */
			are_few = fd >= 0;
		}
		if (fd >= 0)
			fds[opened++] = fd;
	}
	while (opened > 0)
		close(fds[--opened]);
	return are_few;
}

/* Returns the index of off-cpu; the number of events: it is none of them. */
static size_t find_off_cpu(const struct capture_plan *plan)
{
	size_t at = 0;

	while (at < plan->events.count && !event_is_off_cpu(&plan->events.specs[at].attr))
		at++;
	return at;
}

bool capture_plan_has_off_cpu(const struct capture_plan *plan)
{
	return find_off_cpu(plan) < plan->events.count;
}

/* The inode of the initial PID namespace is fixed: linux/proc_ns.h, PROC_PID_INIT_INO. */
bool capture_is_in_pid_namespace(void)
{
	struct stat found;

	return !stat("/proc/self/ns/pid", &found) && found.st_ino != 0xeffffffcu;
}

/* What the programs of off-cpu watch: the target, or the whole machine where only the analyzer can
 * tell its tasks: children that exist already, or ids that mean others in the first PID namespace,
 * which is that of the programs. */
static void choose_watched(const struct capture_plan *plan, const pid_t *own,
			   struct off_cpu_config *config)
{
	const struct target *target = &plan->target;
	const bool has_ids = plan->kind == TARGET_PROCESSES || plan->kind == TARGET_THREADS ||
			     plan->kind == TARGET_COMMAND;

	config->cgroup_fd = plan->cgroup_fd;
	if (capture_is_in_pid_namespace())
		return;
	config->left_out = own;
	config->left_out_count = 1;
	if (!has_ids || target_started_since(target))
		return;
	config->watched = target->ids;
	config->watched_count = target->id_count;
	config->are_threads = plan->kind == TARGET_THREADS;
	config->has_no_children = target->no_inherit;
}

/* The CPUs of off-cpu, and the descriptor on each of them. */
struct outputs {
	int *cpus, *fds;	/* owned */
	size_t count;
};

static void finish_outputs(struct outputs *outputs)
{
	free(outputs->cpus);
	free(outputs->fds);
}

/* The caller frees *@out by finish_outputs(). Returns 0 or -ENOMEM. */
static int list_outputs(const struct capture_plan *plan, struct outputs *out)
{
	const struct event_set *set = &plan->set;
	const size_t event = find_off_cpu(plan);

	*out = (struct outputs){ .cpus = calloc(set->lane_count, sizeof(*out->cpus)),
				 .fds = calloc(set->lane_count, sizeof(*out->fds)) };
	if (!out->cpus || !out->fds) {
		finish_outputs(out);
		return -ENOMEM;
	}
	for (size_t i = 0; i < set->lane_count; i++)
		if (set->lanes[i].event == event) {
			out->cpus[out->count] = set->lanes[i].cpu;
			out->fds[out->count++] = set->fds[i];	/* row 0 is the only one */
		}
	return 0;
}

/* Loads the programs that write the records of off-cpu, if that is one of the events. */
static int open_off_cpu(struct capture_plan *plan, struct diag *why)
{
	const pid_t own = getpid();
	struct off_cpu_config config = { .period_ns = plan->off_cpu_period_ns,
					 .are_cpus_chosen = plan->target.cpus,
					 .has_kernel_threads = true };
	struct outputs outputs;
	int err;

	if (!capture_plan_has_off_cpu(plan))
		return 0;
	err = list_outputs(plan, &outputs);
	if (err)
		return diag_set(why, err, "no memory for the events");
	choose_watched(plan, &own, &config);
	config.cpus = outputs.cpus;
	config.events = outputs.fds;
	config.event_count = outputs.count;
	/* Of chosen CPUs there are records, but no sums. */
	plan->has_wait_sums = !plan->target.cpus &&
			      (config.watched_count || config.cgroup_fd >= 0 ||
			       plan->kind == TARGET_SYSTEM);
	err = off_cpu_open(&plan->off_cpu, &config, why);
	finish_outputs(&outputs);
	return err;
}

static bool has_same_tasks(const struct capture_plan *plan, const struct capture_plan *other)
{
	const struct target *a = &plan->target, *b = &other->target;

	return plan->kind == other->kind && a->id_count == b->id_count &&
	       (plan->kind != TARGET_CGROUP || !strcmp(a->cgroup, b->cgroup)) &&
	       a->has_descendants == b->has_descendants && !a->cpus == !b->cpus &&
	       (!a->id_count || !memcmp(a->ids, b->ids, a->id_count * sizeof(*a->ids)));
}

void capture_plan_take_off_cpu(struct capture_plan *plan, struct capture_plan *old)
{
	const bool has_own_sums = plan->has_wait_sums;
	struct off_cpu *own = plan->off_cpu;
	struct outputs outputs;

	if (!own || !old->off_cpu || !has_same_tasks(plan, old) || list_outputs(plan, &outputs))
		return;
	off_cpu_redirect(own, NULL, NULL, 0);	/* else both write until these are closed */
	if (!off_cpu_redirect(old->off_cpu, outputs.cpus, outputs.fds, outputs.count)) {
		plan->off_cpu = old->off_cpu;
		old->off_cpu = own;
		plan->has_wait_sums = old->has_wait_sums;
		old->has_wait_sums = has_own_sums;
	} else {
		off_cpu_redirect(own, outputs.cpus, outputs.fds, outputs.count);
	}
	finish_outputs(&outputs);
}

/* Opens the events, conceding what has to be. */
static int open_events(struct capture_plan *plan, struct diag *why)
{
	struct event_failure failure;
	int err = try_plan(plan, &failure);

	while (err ? concede(plan, err, &failure) : concede_counter(plan))
		err = try_plan(plan, &failure);
	return err ? explain(plan, err, &failure, why) : 0;
}

/* Opens the events anew, without programs: those on single tasks have the switches of no others.
 * @no_programs says why there are none. */
static int open_with_switches(struct capture_plan *plan, const struct diag *no_programs,
			      struct diag *why)
{
	plan->has_switches = true;
	plan->no_programs = *no_programs;
	plan->is_cpu_wide = plan->target.has_descendants && !plan->was_refused_cpu_wide;
	plan->has_wait_sums = !plan->target.cpus && !plan->is_cpu_wide;
	return open_events(plan, why);
}

/* Returns true where @err of loading the programs is the kernel's or a matter of rights. The
 * switches of a cgroup's tasks are not recorded for it. */
static bool can_use_switches(const struct capture_plan *plan, int err)
{
	return plan->kind != TARGET_CGROUP && (is_forbidden(err) || err == -ENOENT ||
					       err == -ENOSYS || err == -EOPNOTSUPP);
}

/* Loads the programs, or does without. Else drops off-cpu or wall, if another event is left, and
 * opens the others anew. */
static int begin_off_cpu(struct capture_plan *plan, struct diag *why)
{
	struct event_failure failure;
	int err = open_off_cpu(plan, why);
	struct diag no_switches;

	if (!err)
		return 0;
	if (can_use_switches(plan, err) && !event_check_switches(&no_switches))
		return open_with_switches(plan, why, why);
	if (!can_lack(plan, find_off_cpu(plan)) ||
	    event_spec_list_drop(&plan->events, find_off_cpu(plan), why))
		return err;
	err = try_plan(plan, &failure);
	return err ? explain(plan, err, &failure, why) : 0;
}

int capture_plan_open(struct capture_plan *plan, struct diag *why)
{
	int err;

	plan->cgroup_fd = -1;
	err = plan->kind == TARGET_CGROUP ? open_cgroup(plan, why) : 0;
	if (!err) {
		err = open_events(plan, why);
		if (!err)
			err = begin_off_cpu(plan, why);
		if (!err)
			plan->are_counters_few = are_counters_few(plan);
	}
	if (plan->cgroup_fd >= 0)
		close(plan->cgroup_fd);	/* the events know it now */
	return err;
}

void capture_plan_finish(struct capture_plan *plan)
{
	off_cpu_close(plan->off_cpu);	/* it writes into the set's events */
	event_set_finish(&plan->set);
	target_finish(&plan->target);
	event_spec_list_finish(&plan->events);
	core_pmus_finish(&plan->pmus);
	free(plan->cpus);
	free(plan->notice);
	*plan = (struct capture_plan){ 0 };
}
