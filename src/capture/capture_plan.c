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
#include <unistd.h>

#include "capture/capture.h"
#include "capture/tracefs.h"
#include "proc/task_list.h"

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
	       (spec->attr.type != PERF_TYPE_TRACEPOINT || plan->are_hits_too_many);
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
		.ring_bytes = plan->rings.sample_pages * page_bytes,
		.sideband_ring_bytes = plan->rings.sideband_pages * page_bytes,
	};
}

static int init_set(struct capture_plan *plan)
{
	struct event_sampling sampling = make_sampling(plan);
	size_t count = plan->events.count + 1;
	struct perf_event_attr *attrs = calloc(count, sizeof(*attrs));
	int err;

	if (!attrs)
		return -ENOMEM;
	for (size_t i = 0; i < plan->events.count; i++) {
		struct event_sampling own = sampling;

		if (capture_plan_chains_hits(plan, &plan->events.specs[i]))
			own.call_graph = (struct call_graph){ .mode = CALL_GRAPH_FP };
		attrs[i] = plan->events.specs[i].attr;
		event_attr_complete(&attrs[i], &own);
	}
	event_attr_sideband(&attrs[count - 1], &sampling);
	err = event_set_init(&plan->set, attrs, count, plan->cpus, plan->cpu_count,
			     &plan->rings);
	for (size_t i = 0; !err && i < plan->events.count; i++)
		plan->set.filters[i] = plan->events.specs[i].filter;
	free(attrs);
	return err;
}

/* Returns true when the target is whole processes, which may start threads during the scan. */
static bool has_processes(const struct capture_plan *plan)
{
	return plan->kind == TARGET_PROCESSES ||
	       (plan->kind == TARGET_COMMAND && plan->target.since_ticks);
}

static int list_threads(const pid_t *pids, size_t pid_count, pid_t **tids, size_t *count)
{
	for (size_t i = 0; i < pid_count; i++)
		if (task_list_threads(pids[i], tids, count) == -ENOMEM)
			return -ENOMEM;
	return 0;
}

/* Appends the threads of the descendants that belong to @target, see target_started_since(). */
static int list_started(const struct target *target, pid_t **tids, size_t *count)
{
	const uint64_t since_ticks = target_started_since(target);
	pid_t *pids = NULL;
	size_t pid_count = 0;
	int err;

	if (!since_ticks)
		return 0;
	err = task_list_descendants(target->ids, target->id_count, since_ticks, &pids,
				    &pid_count);
	if (!err)
		err = list_threads(pids, pid_count, tids, count);
	free(pids);
	return err;
}

/* Lists the tasks of the target that exist now. Leaves out processes that have ended. */
static int list_tasks(const struct capture_plan *plan, pid_t **tids, size_t *count)
{
	const struct target *target = &plan->target;
	int err = 0;

	*tids = NULL;
	*count = 0;
	if (has_processes(plan)) {
		err = list_threads(target->ids, target->id_count, tids, count);
		return err ? err : list_started(target, tids, count);
	}
	*tids = calloc(target->id_count, sizeof(**tids));
	if (!*tids)
		return -ENOMEM;
	memcpy(*tids, target->ids, target->id_count * sizeof(**tids));
	*count = target->id_count;
	return 0;
}

/* Opens events on all tasks that have none; *@found is their number. A task that ends meanwhile is
 * not an error. */
static int open_tasks_once(struct capture_plan *plan, size_t *found, struct event_failure *failure)
{
	struct event_set *set = &plan->set;
	pid_t *tids;
	size_t count;
	int err = list_tasks(plan, &tids, &count);

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
	bool finds_more = has_processes(plan);
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
	err = init_set(plan);
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

static bool concede_event(struct capture_plan *plan, struct event_spec *spec)
{
	const struct perf_event_attr before = spec->attr;
	struct event_spec clock;

	if (spec->wants_max_precise && spec->attr.precise_ip > 0) {
		spec->attr.precise_ip = (spec->attr.precise_ip - 1) & 3;
		return true;
	}
	if (!plan->is_default_event || spec->attr.type == PERF_TYPE_SOFTWARE ||
	    event_spec_parse("cpu-clock", &clock, NULL) != 0)
		return false;
	clock.attr.freq = before.freq;
	clock.attr.sample_period = before.sample_period;
	*spec = clock;
	return true;
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

/* Drops the event that can't be sampled, if another one is left. */
static bool drop_event(struct capture_plan *plan, int err, const struct event_failure *failure)
{
	struct diag reason = { .err = 0 };

	if (plan->events.count < 2)
		return false;
	event_explain(err, plan->events.specs[failure->event].name, -1, failure->cpu, &reason);
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
	       (concede_event(plan, &plan->events.specs[failure->event]) ||
		drop_event(plan, err, failure));
}

static int explain_descriptors(const struct capture_plan *plan, struct diag *why)
{
	const size_t fit = descriptors_for_events(plan) / plan->cpu_count;
	size_t lanes = (plan->events.count + 1) * plan->cpu_count;
	size_t count = 0;
	pid_t *tids = NULL;

	if (!capture_plan_has_tasks(plan))
		return diag_set(why, -EMFILE, "%zu events on %zu CPUs need %zu descriptors, the"
				" limit is %zu: raise it (ulimit -n %zu), name at most %zu events,"
				" or sample fewer CPUs (-C)", plan->events.count, plan->cpu_count,
				lanes, plan->descriptors_limit, lanes + OTHER_DESCRIPTORS,
				fit ? fit - 1 : 0);
	list_tasks(plan, &tids, &count);
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
	return event_explain(err, name_failed(plan, failure), is_task_refused ? failure->tid : -1,
			     failure->cpu, why);
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

int capture_plan_parse(struct capture_plan *plan, const struct capture_config *config,
		       struct diag *why)
{
	struct event_spec_list *events = &plan->events;
	struct diag reason = { .err = 0 };
	int err;

	if (config->has_no_event)
		return 0;
	plan->is_default_event = config->event_text_count == 0;
	if (plan->is_default_event)
		err = event_spec_parse_list("cycles:P", events, &reason);
	else
		err = parse_asked(events, config, &reason);
	if (err)
		return diag_set(why, err, "%s", reason.text);
	if (events->count > CAPTURE_MAX_EVENTS)
		return diag_set(why, -E2BIG, "%zu events: at most %d can be sampled at once; name "
				"fewer, or a narrower pattern", events->count, CAPTURE_MAX_EVENTS);
	if (plan->is_default_event)	/* name to show: the user did not ask for :P */
		snprintf(events->specs[0].name, EVENT_NAME_BYTES, "cycles");
	return 0;
}

int capture_plan_open(struct capture_plan *plan, struct diag *why)
{
	struct event_failure failure;
	int err;

	plan->cgroup_fd = -1;
	err = plan->kind == TARGET_CGROUP ? open_cgroup(plan, why) : 0;
	if (!err) {
		err = try_plan(plan, &failure);
		while (err && concede(plan, err, &failure))
			err = try_plan(plan, &failure);
		if (err)
			err = explain(plan, err, &failure, why);
	}
	if (plan->cgroup_fd >= 0)
		close(plan->cgroup_fd);	/* the events know it now */
	return err;
}

void capture_plan_finish(struct capture_plan *plan)
{
	event_set_finish(&plan->set);
	target_finish(&plan->target);
	event_spec_list_finish(&plan->events);
	free(plan->cpus);
	*plan = (struct capture_plan){ 0 };
}
