/* probe_rings.c - one ring per CPU for the records of all probes: see probe_attach.h.
 *
 * Problem: probes come and go, and a ring lives no longer than the descriptor that it was mapped
 * through. A ring for each would cost megabytes per probe and CPU, and a place in the sampler.
 *
 * Idea: an event that counts nothing owns the ring of each CPU; attached events write into it
 * (PERF_EVENT_IOC_SET_OUTPUT: same CPU, same clock). The sampler sees one event and never changes.
 */
#include "probe_rings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/cpu_list.h"
#include "probe/probe_attach.h"

#define HOTPLUG_TRIES 3		/* a CPU may go offline between the list and the opening */

/* Chooses a size for records that may have a copy of the stack. */
static struct ring_size choose_size(size_t cpus)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	const long pages = sysconf(_SC_PHYS_PAGES);
	struct ring_size size = ring_size_choose(true, cpus, 1,
						 (uint64_t)(pages > 0 ? pages : 0) * page_bytes,
						 page_bytes);

	size.sideband_pages = size.sample_pages;	/* the dummy is the set's last event */
	return size;
}

static bool lower_size(struct ring_size *size)
{
	const bool is_lower = ring_size_lower(size);

	size->sideband_pages = size->sample_pages;
	return is_lower;
}

static int explain(int err, const struct event_failure *failure, struct diag *why)
{
	if (failure->is_mapping)
		return diag_set(why, err, "no memory for the records of probes on CPU %d: raise"
				" kernel.perf_event_mlock_kb, or run as root", failure->cpu);
	return event_explain(err, "dummy", -1, failure->cpu, why);
}

static int open_dummies(struct probe_rings *rings, const struct ring_size *size,
			struct event_failure *failure)
{
	const size_t ring_bytes = size->sideband_pages * (size_t)sysconf(_SC_PAGESIZE);
	const struct event_sampling sampling = { .features = rings->features,
						 .sideband_ring_bytes = ring_bytes };
	struct perf_event_attr attr;
	size_t cpu_count;
	int *cpus;
	int err = cpu_list_online(&cpus, &cpu_count, NULL);

	*failure = (struct event_failure){ 0 };
	if (err)
		return err;
	event_attr_sideband(&attr, &sampling);
	attr.mmap = attr.mmap2 = attr.comm = attr.comm_exec = attr.task = 0;
	attr.ksymbol = attr.bpf_event = 0;
	err = event_set_init(&rings->set, &attr, 1, cpus, cpu_count, size);
	free(cpus);
	if (!err)
		err = event_set_add_row(&rings->set, -1, failure);
	if (err)
		event_set_finish(&rings->set);
	return err;
}

static int open_rings(struct probe_rings *rings, struct diag *why)
{
	struct ring_size size = choose_size((size_t)sysconf(_SC_NPROCESSORS_ONLN));
	struct event_failure failure;
	int tries = HOTPLUG_TRIES, err;

	while ((err = open_dummies(rings, &size, &failure)) != 0) {
		const bool is_too_large = failure.is_mapping && (err == -EPERM || err == -ENOMEM);

		if (is_too_large ? lower_size(&size) : err == -ENODEV && --tries > 0)
			continue;
		return explain(err, &failure, why);
	}
	return 0;
}

int probe_rings_open(struct probe_rings **out, struct spsc *queue, int wake_fd, struct diag *why)
{
	struct probe_rings *rings = calloc(1, sizeof(*rings));
	const struct sampler_config config = { .set = rings ? &rings->set : NULL, .queue = queue,
					       .wake_fd = wake_fd };
	int err;

	*out = NULL;
	if (!rings)
		return diag_set(why, -ENOMEM, "no memory for the rings of probes");
	event_features_probe(&rings->features);
	err = open_rings(rings, why);
	if (!err)
		err = sampler_create(&rings->sampler, &config, why);
	if (err) {
		event_set_finish(&rings->set);
		free(rings);
		return err;
	}
	sampler_start(rings->sampler, NULL);
	*out = rings;
	return 0;
}

void probe_rings_close(struct probe_rings *rings)
{
	if (!rings)
		return;
	sampler_stop(rings->sampler);
	sampler_destroy(rings->sampler);
	event_set_finish(&rings->set);
	free(rings);
}
