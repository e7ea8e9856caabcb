/* probe_examiner.c - see probe_examiner.h. */
#include "probe_examiner.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "base/service.h"
#include "file_watch.h"
#include "pair_cost.h"
#include "proc/process_stat.h"
#include "symbols/kallsyms.h"

#define FILE_WAIT_MS 1000	/* a file that takes longer counts as changed */
#define QUEUE_BYTES (2u << 20)	/* a request has 18 KB: room for one per probe */

/* A request, and the points that were examined for it before, if any. */
struct job {
	struct probe_request request;
	struct probe_point *points;	/* owned */
	uint32_t point_count, processes;
	uint64_t process_ticks;
};

struct probe_examiner {
	struct service *service;
	struct probe_examiner_config config;
	struct probe_resolver *resolver;	/* private to the thread, like `cost` */
	struct probe_cost cost;
	struct pair_costs pair_costs;	/* private to the thread */
	struct blocking_calls blocking_calls;	/* private to the thread, like `lookups` */
	uint32_t lookups;
	bool is_measured;
	_Atomic uint64_t cancelled;	/* last cancelled number: stored by the engine, loaded by
					 * the thread; RELAXED, as it guards no other data */
};

static bool maps_file(const char *pid, const struct stat *file)
{
	char path[64], line[512];
	unsigned int major_number, minor_number;
	unsigned long long inode;
	bool is_found = false;
	FILE *maps;

	snprintf(path, sizeof(path), "/proc/%s/maps", pid);
	maps = fopen(path, "re");
	while (maps && !is_found && fgets(line, sizeof(line), maps))
		is_found = sscanf(line, "%*s %*s %*s %x:%x %llu", &major_number, &minor_number,
				  &inode) == 3 && inode == file->st_ino &&
			   major_number == major(file->st_dev) &&
			   minor_number == minor(file->st_dev);
	if (maps)
		fclose(maps);
	return is_found;
}

/* Counts the processes that map the file: all hit its breakpoints, whichever the probe counts. */
static uint32_t count_processes(int file)
{
	struct stat stat;
	struct dirent *entry;
	uint32_t count = 0;
	DIR *proc;

	if (file < 0 || fstat(file, &stat))
		return 0;
	proc = opendir("/proc");
	while (proc && (entry = readdir(proc)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			count += maps_file(entry->d_name, &stat);
	if (proc)
		closedir(proc);
	return count;
}

/* Counts the processes of the file that most of them map, if there are more points than one. */
static uint32_t count_all_processes(const struct probe_point *points)
{
	const struct probe_point *point;
	uint32_t most = 0;

	for (uint32_t i = 0; (point = probe_point_at(points, i)) != NULL; i++) {
		const uint32_t count = count_processes(point->file);

		most = count > most ? count : most;
	}
	return most;
}

static bool is_cancelled(const struct probe_examiner *examiner, const struct probe_request *request)
{
	const uint64_t number = atomic_load_explicit(&examiner->cancelled, memory_order_relaxed);

	/* A new examination replaces older ones, but an ADD is cancelled only by its own number. */
	if (request->kind == PROBE_EXAMINE)
		return request->number <= number;
	return request->number == number;
}

/* True: the file of @point is the one that was looked up, its path leads to it, and the process to
 * be probed, which may have called exec, maps it. */
static bool is_file_current(struct probe_examiner *examiner, const struct job *job,
			    const struct probe_point *point)
{
	const struct probe_choice *choice = &job->request.choice;
	struct file_version now;
	enum file_fate fate;
	struct stat status;
	char pid[16];

	if (!point->watch || file_watch_look(point->watch, &examiner->blocking_calls, &fate) ||
	    fate != FILE_IS_SAME || fstat(point->file, &status))
		return false;
	now = file_version_of(&status);
	snprintf(pid, sizeof(pid), "%d", (int)choice->pid);
	return file_version_is_equal(&now, &point->version) &&
	       (choice->reach != REACH_PROCESS || maps_file(pid, &status));
}

/* True: a look-up would find @point again. In the kernel it goes by its name, but for one that is
 * not unique. */
static bool is_point_current(struct probe_examiner *examiner, const struct job *job,
			     const struct probe_point *point)
{
	if (point->file >= 0)
		return is_file_current(examiner, job, point);
	for (uint32_t i = 0; i < point->site_count; i++)
		if (!strcmp(point->sites[i].symbol, KALLSYMS_TEXT))
			return false;
	return true;
}

/* True: a look-up would find these points again. Those of one file are looked at once. */
static bool is_current(struct probe_examiner *examiner, const struct job *job)
{
	bool is_same = job->point_count > 0;

	for (uint32_t i = 0; i < job->point_count && is_same; i++) {
		const struct probe_point *point = &job->points[i];

		if (i == 0 || point->file < 0)
			is_same = is_point_current(examiner, job, point);
		for (uint32_t k = 1; is_same && probe_point_at(point, k); k++)
			is_same = is_point_current(examiner, job, probe_point_at(point, k));
	}
	return is_same;
}

static void drop_points(struct job *job)
{
	probe_point_free(job->points, job->point_count);
	job->points = NULL;
	job->point_count = 0;
}

static void look_up(struct probe_examiner *examiner, struct examined_point *examined)
{
	const struct probe_choice *choice = &examined->request.choice;

	if (choice->spec.kind != PROBE_KERNEL && !examiner->is_measured) {
		probe_cost_measure(&examiner->cost);
		examiner->is_measured = true;
	}
	examiner->lookups++;
	if (!probe_resolver_find(examiner->resolver, &choice->spec, choice->pid, &examined->points,
				 &examined->point_count, &examined->why))
		examined->processes = count_all_processes(&examined->points[0]);
}

static void examine(struct probe_examiner *examiner, struct job *job,
		    struct examined_point *examined)
{
	pid_t parent;

	if (is_cancelled(examiner, &examined->request)) {
		diag_set(&examined->why, -ECANCELED, "cancelled");
		drop_points(job);
		return;
	}
	examined->process_ticks = job->process_ticks;
	if (!examined->process_ticks)
		task_list_origin(job->request.choice.pid, &parent, &examined->process_ticks);
	if (is_current(examiner, job)) {
		examined->points = job->points;
		examined->point_count = job->point_count;
		examined->processes = job->processes;
	} else {
		drop_points(job);
		look_up(examiner, examined);
	}
	examined->cost = examiner->cost;
	examined->lookups = examiner->lookups;
	for (uint32_t i = 0; i < examined->point_count; i++)
		if (examined->request.kind == PROBE_ADD)
			examined->points[i].own_ns = pair_cost_of(
				&examiner->pair_costs, &examined->points[i],
				examined->request.choice.with_stacks);
}

static int serve(void *owner)
{
	struct probe_examiner *examiner = owner;
	const struct job *first;
	struct examined_point *examined;
	struct job job;
	size_t bytes;

	first = spsc_peek(&examiner->service->requests, &bytes);
	if (!first)
		return SERVICE_SLEEP;
	examined = spsc_reserve(&examiner->service->replies, sizeof(*examined));
	if (!examined)
		return SERVICE_SLEEP;	/* taking a result wakes this thread */
	job = *first;
	spsc_release(&examiner->service->requests);
	*examined = (struct examined_point){ .request = job.request };
	examine(examiner, &job, examined);
	spsc_commit(&examiner->service->replies);
	examiner->config.found(examiner->config.owner);
	pair_cost_close(&examiner->pair_costs);
	return SERVICE_AGAIN;
}

static void interrupt(void *owner)
{
	struct probe_examiner *examiner = owner;

	sandbox_cancel(examiner->config.sandbox);
}

int probe_examiner_create(struct probe_examiner **out, const struct probe_examiner_config *config,
			  struct diag *why)
{
	struct probe_examiner *examiner = calloc(1, sizeof(*examiner));
	const struct service_plan plan = {
		.name = "ft-examine", .request_bytes = QUEUE_BYTES, .reply_bytes = QUEUE_BYTES,
		.serve = serve, .interrupt = interrupt, .may_hang = true, .owner = examiner,
	};
	int err;

	*out = NULL;
	if (!examiner)
		return diag_set(why, -ENOMEM, "no memory for probes");
	examiner->config = *config;
	examiner->cost = probe_cost_expected;
	examiner->blocking_calls.wait_ms = FILE_WAIT_MS;
	pair_costs_init(&examiner->pair_costs);
	err = probe_resolver_create(&examiner->resolver, config->sandbox, why);
	if (!err) {
		err = service_create(&examiner->service, &plan);
		if (err)
			diag_set(why, err, "cannot start the thread that looks up probes: %s",
				 strerror(-err));
	}
	if (err) {
		probe_resolver_destroy(examiner->resolver);
		free(examiner);
		return err;
	}
	*out = examiner;
	return 0;
}

bool probe_examiner_destroy(struct probe_examiner *examiner)
{
	struct examined_point examined;
	const struct job *job;
	size_t bytes;

	if (!examiner)
		return true;
	if (!service_stop(examiner->service))
		return false;
	while ((job = spsc_peek(&examiner->service->requests, &bytes))) {
		probe_point_free(job->points, job->point_count);
		spsc_release(&examiner->service->requests);
	}
	while (probe_examiner_take(examiner, &examined))
		probe_point_free(examined.points, examined.point_count);
	service_destroy(examiner->service);
	blocking_calls_finish(&examiner->blocking_calls);
	probe_resolver_destroy(examiner->resolver);
	free(examiner);
	return true;
}

/* True: the points that were found for @a are those of @b. The text of a spec has all of it but
 * which of its arguments were added for the condition. */
static bool is_same_point(const struct probe_choice *a, const struct probe_choice *b)
{
	return a->pid == b->pid && a->spec.kind == b->spec.kind && a->spec.edge == b->spec.edge &&
	       a->spec.argument_count == b->spec.argument_count &&
	       !strcmp(a->spec.text, b->spec.text);
}

bool probe_examiner_ask(struct probe_examiner *examiner, const struct probe_request *request,
			struct examined_point *known)
{
	struct job *job = spsc_reserve(&examiner->service->requests, sizeof(*job));

	if (!job)
		return false;
	*job = (struct job){ .request = *request };
	if (known && is_same_point(&known->request.choice, &request->choice)) {
		job->points = known->points;
		job->point_count = known->point_count;
		job->processes = known->processes;
		job->process_ticks = known->process_ticks;
		known->points = NULL;
		known->point_count = 0;
	}
	spsc_commit(&examiner->service->requests);
	service_wake(examiner->service);
	return true;
}

void probe_examiner_cancel(struct probe_examiner *examiner, uint64_t number)
{
	atomic_store_explicit(&examiner->cancelled, number, memory_order_relaxed);
}

bool probe_examiner_take(struct probe_examiner *examiner, struct examined_point *out)
{
	const struct examined_point *examined;
	size_t bytes;

	examined = spsc_peek(&examiner->service->replies, &bytes);
	if (!examined)
		return false;
	*out = *examined;
	spsc_release(&examiner->service->replies);
	service_wake(examiner->service);
	return true;
}
