/* engine_probe.c - see engine_probe.h. */
#include "engine_probe.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/diag.h"
#include "base/sanitize.h"
#include "point_tracepoint.h"
#include "proc/process_stat.h"

#define BURST_NS (1 * CLOCK_NS_PER_S)
#define SCOPE_TRIES 2	/* a failed try must be closed: 90 ms for each site */

static void tell(const struct engine_probe *probe, const struct engine_kernel *kernel,
		 struct engine_event *event)
{
	event->probe = probe->id;
	event->slot = probe->slot;
	kernel->tell(kernel->owner, event);
}

void engine_probe_report(struct engine_probe *probe, const struct engine_kernel *kernel)
{
	struct engine_event event = { .kind = ENGINE_EVENT_STATUS };
	struct probe_status *status = &probe->status;

	if (probe->keeps_state)
		;	/* the last snapshot keeps the state from before PROBE_FINISH */
	else if (probe->live.part_count)
		status->state = probe->is_retired ? PROBE_DETACHING : PROBE_ATTACHED;
	else
		status->state = probe->wants_on ? PROBE_ATTACHING : probe->rest;
	event.status = *status;
	tell(probe, kernel, &event);
}

static void put_scope(const struct probe_choice *choice, const struct probe_point *points,
		      char *out, size_t room)
{
	const struct probe_point *point = probe_point_of_edge(points, points->file < 0);
	const char *slash = strrchr(point->path, '/');

	if (choice->reach == REACH_PROCESS)
		snprintf(out, room, "pid %d", (int)choice->pid);
	else if (point->file >= 0)
		snprintf(out, room, "every %s", slash ? slash + 1 : point->path);
	else
		snprintf(out, room, "whole system");
}

/* The user's name for several functions is followed by that of each. */
static void put_name(const struct engine_probe *probe, char *out, size_t room)
{
	const struct probe_spec *spec = &probe->points->spec;

	if (spec->name[0] && probe->choice.spec.is_wildcard)
		snprintf(out, room, "%s:%s", spec->name, spec->function);
	else if (!spec->name[0] && probe->choice.shown[0])
		snprintf(out, room, "%s", probe->choice.shown);
	else
		probe_spec_name(spec, out, room);
}

void engine_probe_announce(const struct engine_probe *probe, const struct engine_kernel *kernel)
{
	struct engine_event event = { .kind = ENGINE_EVENT_ADDED,
				   .with_stacks = probe->choice.with_stacks };
	const struct probe_point *points = probe->points;
	const char *slash = strrchr(points->path, '/');
	const char *dso = slash ? slash + 1 : points->path;
	char text[PROBE_FUNCTION_BYTES];

	event.spec = malloc(sizeof(*event.spec));
	if (!event.spec)
		return;		/* the row will be missing: there is no memory for it either */
	*event.spec = points->spec;
	put_name(probe, text, sizeof(text));
	sanitize_text(event.name, sizeof(event.name), text, strlen(text));
	if (points->file < 0)
		dso = "[kernel]";
	sanitize_text(event.dso, sizeof(event.dso), dso, strlen(dso));
	put_scope(&probe->choice, points, text, sizeof(text));
	sanitize_text(event.scope, sizeof(event.scope), text, strlen(text));
	tell(probe, kernel, &event);
}

struct engine_probe *engine_probe_create(const struct probe_choice *choice,
					 struct probe_point *points, uint32_t id, uint32_t slot)
{
	struct engine_probe *probe = calloc(1, sizeof(*probe));

	if (!probe)
		return NULL;
	*probe = (struct engine_probe){
		.id = id, .slot = slot, .choice = *choice, .points = points,
		.rest = PROBE_IS_OFF, .status.sites = points->site_count,
		.status.functions = 1, .status.lease_until_ns = UINT64_MAX,
		.status.is_in_bursts = choice->in_bursts,
	};
	return probe;
}

void engine_probe_destroy(struct engine_probe *probe)
{
	if (!probe)
		return;
	probe_point_free(probe->points, 1);
	free(probe);
}

void engine_probe_switch_on(struct engine_probe *probe, uint64_t now_ns)
{
	const uint64_t lease_ns = probe->choice.lease_ns;

	probe->wants_on = true;
	probe->rest = PROBE_IS_OFF;
	probe->status.reason[0] = '\0';
	probe->status.lease_until_ns = lease_ns == UINT64_MAX ? UINT64_MAX : now_ns + lease_ns;
}

static void put_counts(struct probe_status *status, const struct live_counts *counts)
{
	status->hits = counts->hits;
	status->lost = counts->lost;
	status->missed = counts->missed;
	status->filtered = counts->filtered;
	status->absent = counts->absent;
}

void engine_probe_switch_off(struct engine_probe *probe, const struct engine_kernel *kernel,
			     enum probe_state rest, const char *reason, uint64_t time_ns)
{
	struct engine_event event = { .kind = ENGINE_EVENT_IGNORE, .time_ns = time_ns };

	probe->wants_on = false;
	probe->rest = rest;
	snprintf(probe->status.reason, sizeof(probe->status.reason), "%s", reason);
	if (probe->live.part_count && !probe->is_retired) {
		live_probe_retire(&probe->live, kernel->group);
		probe->is_retired = true;
		put_counts(&probe->status, &probe->live.before);
		tell(probe, kernel, &event);
	}
	probe->status.hits_per_s = probe->status.cost_pct = 0;
	engine_probe_report(probe, kernel);
}

void engine_probe_fail(struct engine_probe *probe, const struct engine_kernel *kernel,
		       const struct diag *why)
{
	probe->failure = *why;
	engine_probe_switch_off(probe, kernel, PROBE_FAILED, why->text, 0);
}

bool engine_probe_is_due(const struct engine_probe *probe)
{
	return probe->is_retired || (probe->wants_on && !probe->live.part_count);
}

/* Closes the next part; after the last one, removes the definitions. */
static void close_next(struct engine_probe *probe, const struct engine_kernel *kernel)
{
	struct live_probe *live = &probe->live;
	struct diag why = { .err = 0 };

	for (uint32_t i = 0; i < live->part_count; i++)
		if (live->parts[i].link) {
			live_part_close(&live->parts[i]);
			if (i + 1 < live->part_count)
				return;
		}
	if (live_probe_undefine(live, kernel->group, &why))
		log_warn("a probe is not removed yet: %s", why.text);
	probe->is_retired = false;
	engine_probe_report(probe, kernel);
}

/* Since the user chose it, the pid may have been reused for another process. */
static int check_process(struct engine_probe *probe, struct diag *why)
{
	const pid_t pid = probe->choice.pid;
	uint64_t start_ticks;
	pid_t parent;

	if (task_list_origin(pid, &parent, &start_ticks) ||
	    (probe->process_ticks && probe->process_ticks != start_ticks))
		return diag_set(why, -ESRCH, "process %d is gone", (int)pid);
	probe->process_ticks = start_ticks;
	return 0;
}

int engine_probe_scope(const struct probe_choice *choice, bool has_group, struct probe_scope *out,
		       pid_t **tids, struct diag *why)
{
	size_t count = 0;
	int err;

	*out = (struct probe_scope){ .kind = PROBE_SCOPE_ALL };
	*tids = NULL;
	/* If keys pair two tracepoints, any process may hit the second one: the analyzer checks
	 * which process hit the first one. */
	if (choice->reach != REACH_PROCESS || choice->spec.on_count)
		return 0;
	err = task_list_threads(choice->pid, tids, &count);
	if (err)
		return diag_set(why, err, "process %d is gone", (int)choice->pid);
	if (has_group && count <= PROBE_SCOPE_TASKS_MAX)
		*out = (struct probe_scope){ .kind = PROBE_SCOPE_TASKS, .tids = *tids,
					     .tid_count = count };
	return 0;
}

static bool has_thread(const struct probe_scope *scope, pid_t tid)
{
	for (size_t i = 0; i < scope->tid_count; i++)
		if (scope->tids[i] == tid)
			return true;
	return false;
}

/* A thread that started meanwhile inherits the descriptors only if its creator had them already,
 * which can't be found out. */
static bool has_new_threads(const struct probe_choice *choice, const struct probe_scope *scope)
{
	pid_t *tids = NULL;
	size_t count = 0;
	bool has_new = false;

	if (scope->kind == PROBE_SCOPE_ALL)
		return false;
	if (task_list_threads(choice->pid, &tids, &count) == 0)
		for (size_t i = 0; i < count && !has_new; i++)
			has_new = !has_thread(scope, tids[i]);
	free(tids);
	return has_new;
}

static void close_unused(struct live_probe *live, struct trace_group *group,
			 struct probe_reading **reading)
{
	struct diag ignored;

	for (uint32_t i = 0; i < live->part_count; i++)
		live_part_close(&live->parts[i]);
	live_probe_undefine(live, group, &ignored);
	probe_reading_destroy(*reading);
	*reading = NULL;
}

static bool copies_texts(const struct probe_point *point)
{
	struct syscall_texts_config ignored;

	return point && point->spec.kind == PROBE_TRACEPOINT &&
	       point_tracepoint_texts(point, false, &ignored);
}

/* A process that keeps starting threads is probed CPU-wide, so that no thread is missed; so is one
 * whose records a BPF program writes, which runs for all. */
static int open_for_process(struct engine_probe *probe, struct live_request *request,
			    struct probe_reading **reading, struct diag *why)
{
	const bool is_wide = copies_texts(probe->points) || copies_texts(probe->points->end);
	int err = check_process(probe, why);

	for (int tries = 1; !err; tries++) {
		pid_t *tids = NULL;
		bool has_new;

		request->scope = (struct probe_scope){ .kind = PROBE_SCOPE_ALL };
		if (tries <= SCOPE_TRIES && !is_wide)
			err = engine_probe_scope(&probe->choice, request->group, &request->scope,
						 &tids, why);
		if (!err)
			err = live_probe_open(&probe->live, request, reading, why);
		has_new = !err && has_new_threads(&probe->choice, &request->scope);
		free(tids);
		if (err || !has_new)
			break;
		close_unused(&probe->live, request->group, reading);
	}
	if (!err && request->scope.kind == PROBE_SCOPE_ALL)
		(*reading)->pid = (uint32_t)probe->choice.pid;
	return err;
}

static int open_live(struct engine_probe *probe, const struct engine_kernel *kernel,
		     struct probe_reading **reading, struct diag *why)
{
	struct live_request request = {
		.group = kernel->group, .rings = kernel->rings, .points = probe->points,
		.scope.kind = PROBE_SCOPE_ALL, .with_stacks = probe->choice.with_stacks,
		.copy_bytes = kernel->copy_bytes,
	};

	if (probe->choice.reach == REACH_PROCESS)
		return open_for_process(probe, &request, reading, why);
	return live_probe_open(&probe->live, &request, reading, why);
}

/* Rewriting a file in place moves its functions: a breakpoint at an old offset could be inside of
 * an instruction. */
static int check_file(const struct probe_point *points, struct diag *why)
{
	struct file_version now;
	struct stat status;

	if (points->file < 0)
		return 0;
	if (fstat(points->file, &status))
		return diag_set(why, -errno, "%s can't be looked at: %s", points->path,
				strerror(errno));
	now = file_version_of(&status);
	if (file_version_is_equal(&now, &points->version))
		return 0;
	return diag_set(why, -ESTALE, "%s was changed since it was looked up: probe it anew",
			points->path);
}

static int check_files(const struct probe_point *points, struct diag *why)
{
	const struct probe_point *point;
	int err = 0;

	for (uint32_t i = 0; !err && (point = probe_point_at(points, i)) != NULL; i++)
		err = check_file(point, why);
	return err;
}

static void attach(struct engine_probe *probe, const struct engine_kernel *kernel)
{
	struct engine_event event = { .kind = ENGINE_EVENT_READING };
	const uint64_t now_ns = clock_now_ns();
	struct diag why = { .err = 0 };

	if (check_files(probe->points, &why) ||
	    open_live(probe, kernel, &event.reading, &why)) {
		engine_probe_fail(probe, kernel, &why);
		return;
	}
	event.time_ns = now_ns;
	tell(probe, kernel, &event);	/* must precede the first record */
	governor_open(&probe->account, probe->choice.cap_pct, now_ns);
	governor_meter_start(&probe->meter, probe->live.before.hits, now_ns);
	governor_meter_start(&probe->end_meter, probe->live.before.end_hits, now_ns);
	probe->switch_ns = now_ns + BURST_NS;
	live_probe_enable(&probe->live);
	engine_probe_report(probe, kernel);
}

void engine_probe_step(struct engine_probe *probe, const struct engine_kernel *kernel)
{
	if (probe->is_retired)
		close_next(probe, kernel);
	else if (probe->wants_on && !probe->live.part_count)
		attach(probe, kernel);
}

double engine_probe_read(struct engine_probe *probe, const struct engine_kernel *kernel,
			 uint64_t now_ns)
{
	struct probe_status *status = &probe->status;
	struct live_counts counts;
	double cost_ns;

	if (!probe->live.part_count || probe->is_retired)
		return 0;
	live_probe_read(&probe->live, kernel->group, &counts);
	cost_ns = (double)governor_meter_read(&probe->meter, counts.hits, now_ns) * probe->cost_ns +
		  (double)governor_meter_read(&probe->end_meter, counts.end_hits, now_ns) *
			  probe->end_cost_ns;
	status->read_ns = now_ns;
	put_counts(status, &counts);
	status->hits_per_s = probe->meter.hits_per_s;
	status->cost_pct = (probe->meter.hits_per_s * probe->cost_ns +
			    probe->end_meter.hits_per_s * probe->end_cost_ns) /
			   (double)CLOCK_NS_PER_S * 100;
	/* In bursts, the mean over the pause counts: attached 1 s in 10. */
	return cost_ns / (probe->choice.in_bursts ? 10 : 1);
}
