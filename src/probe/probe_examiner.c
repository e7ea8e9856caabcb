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
#include "pair_cost.h"

#define QUEUE_BYTES (1u << 20)	/* an order has 10 KB: room for one per probe */

struct probe_examiner {
	struct service *service;
	struct probe_examiner_config config;
	struct probe_finder_of_places *finder;	/* private to the thread, like `cost` */
	struct probe_cost cost;
	struct pair_costs pair_costs;	/* private to the thread */
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

static bool is_cancelled(const struct probe_examiner *examiner, const struct probe_order *order)
{
	const uint64_t number = atomic_load_explicit(&examiner->cancelled, memory_order_relaxed);

	/* A new examination replaces older ones, but an ADD is cancelled only by its own number. */
	return order->kind == PROBE_EXAMINE ? order->number <= number : order->number == number;
}

static void examine(struct probe_examiner *examiner, struct probe_finding *finding)
{
	const struct probe_choice *choice = &finding->order.choice;

	if (is_cancelled(examiner, &finding->order)) {
		diag_set(&finding->why, -ECANCELED, "cancelled");
		return;
	}
	if (choice->spec.kind != PROBE_KERNEL && !examiner->is_measured) {
		probe_cost_measure(&examiner->cost);
		examiner->is_measured = true;
	}
	finding->cost = examiner->cost;
	if (!probe_places_find(examiner->finder, &choice->spec, choice->pid, &finding->places,
			       &finding->place_count, &finding->why))
		finding->processes = count_processes(finding->places[0].file);
	for (uint32_t i = 0; i < finding->place_count; i++)
		if (finding->order.kind == PROBE_ADD)
			finding->places[i].own_ns = pair_cost_of(&examiner->pair_costs,
								 &finding->places[i],
								 choice->with_stacks);
}

static int serve(void *owner)
{
	struct probe_examiner *examiner = owner;
	const struct probe_order *order;
	struct probe_finding *finding;
	size_t bytes;

	order = spsc_peek(&examiner->service->requests, &bytes);
	if (!order)
		return SERVICE_SLEEP;
	finding = spsc_reserve(&examiner->service->replies, sizeof(*finding));
	if (!finding)
		return SERVICE_SLEEP;	/* taking a finding wakes this thread */
	*finding = (struct probe_finding){ .order = *order };
	spsc_release(&examiner->service->requests);
	examine(examiner, finding);
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
	pair_costs_init(&examiner->pair_costs);
	err = probe_places_open(&examiner->finder, config->sandbox, why);
	if (!err) {
		err = service_create(&examiner->service, &plan);
		if (err)
			diag_set(why, err, "cannot start the thread that looks up probes: %s",
				 strerror(-err));
	}
	if (err) {
		probe_places_close(examiner->finder);
		free(examiner);
		return err;
	}
	*out = examiner;
	return 0;
}

bool probe_examiner_destroy(struct probe_examiner *examiner)
{
	struct probe_finding finding;

	if (!examiner)
		return true;
	if (!service_stop(examiner->service))
		return false;
	while (probe_examiner_take(examiner, &finding))
		probe_places_free(finding.places, finding.place_count);
	service_destroy(examiner->service);
	probe_places_close(examiner->finder);
	free(examiner);
	return true;
}

bool probe_examiner_ask(struct probe_examiner *examiner, const struct probe_order *order)
{
	struct probe_order *slot = spsc_reserve(&examiner->service->requests, sizeof(*slot));

	if (!slot)
		return false;
	*slot = *order;
	spsc_commit(&examiner->service->requests);
	service_wake(examiner->service);
	return true;
}

void probe_examiner_cancel(struct probe_examiner *examiner, uint64_t number)
{
	atomic_store_explicit(&examiner->cancelled, number, memory_order_relaxed);
}

bool probe_examiner_take(struct probe_examiner *examiner, struct probe_finding *out)
{
	const struct probe_finding *finding;
	size_t bytes;

	finding = spsc_peek(&examiner->service->replies, &bytes);
	if (!finding)
		return false;
	*out = *finding;
	spsc_release(&examiner->service->replies);
	service_wake(examiner->service);
	return true;
}
