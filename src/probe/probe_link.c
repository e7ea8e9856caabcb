/* probe_link.c - see probe_link.h.
 *
 * Rings: probes come and go, and a ring lives no longer than the descriptor that it was mapped
 * through. A ring for each would cost megabytes per probe and CPU, and room in the sampler. So an
 * event that counts nothing owns the ring of each CPU; attached events write into it
 * (PERF_EVENT_IOC_SET_OUTPUT: same CPU, same clock). The sampler sees one event and never changes.
 *
 * Links: a descriptor per CPU, or per thread and CPU, each writing into its CPU's ring. All are
 * opened before any is enabled, so a link exists as a whole or not at all.
 *
 * Hits of a tracepoint with a weight: the kernel adds the weight to the event's count and keeps no
 * count of hits. But it counts each record that it cannot write (PERF_FORMAT_LOST), so an event
 * that writes into a paused ring counts the hits as lost records.
 *
 * Cost: with an event of tracefs all descriptors share one breakpoint; closing the last one waits
 * for a grace period. Disabling all first makes closing the others cheap and the end sharp.
 */
#include "probe_link.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "capture/scope.h"
#include "capture/event.h"
#include "capture/event_set.h"
#include "capture/stack_copy.h"

#define HOTPLUG_TRIES 3		/* a CPU may go offline between the list and the opening */

struct probe_rings {
	struct event_set set;	/* one event: a dummy on each CPU, which owns the CPU's ring */
	struct sampler *sampler;
	struct event_features features;
};

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

static int explain_rings(int err, const struct event_failure *failure, struct diag *why)
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
		return explain_rings(err, &failure, why);
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

/* PERF_SAMPLE_PERIOD makes the kernel write one record for a hit whatever its weight is
 * (perf_swevent_event() in kernel/events/core.c). */
#define SAMPLE_FIELDS (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | \
		       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW)

struct paused_ring {
	void *pages;	/* owned: mapped pages; NULL: not mapped yet */
	int fd;		/* borrowed: the descriptor that it was mapped through */
};

struct probe_link {
	const struct probe_rings *rings;	/* NULL: only counts */
	struct perf_event_attr attr;
	struct record_format format;
	int *fds;		/* owned; `count` descriptors */
	uint64_t *ids;		/* owned; one per descriptor if there are rings */
	size_t count;
	int *cpus;		/* owned; each descriptor's */
	struct syscall_texts *texts;	/* owned; NULL: the events write the records themselves */
	struct paused_ring *paused;	/* owned; one per CPU; NULL: the kernel counts hits */
	size_t paused_count;
};

static void set_stacks(struct perf_event_attr *attr, const struct probe_link_config *config,
		       const struct event_features *features)
{
	attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (!features->stack_copies)
		return;
	if (!config->copy_bytes) {
		user_registers_add_lr(attr);
		return;
	}
	attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	attr->exclude_callchain_user = 1;
	attr->sample_regs_user = user_registers_mask();
	attr->sample_stack_user = config->copy_bytes;
}

/* Records registers and the top of the stack, which a copy of the stack includes. */
static void set_values(struct perf_event_attr *attr, const struct probe_link_config *config)
{
	if (config->with_registers) {
		attr->sample_type |= PERF_SAMPLE_REGS_INTR;
		attr->sample_regs_intr = user_registers_mask();
	}
	if (config->with_stack_top && !(attr->sample_type & PERF_SAMPLE_STACK_USER)) {
		attr->sample_type |= PERF_SAMPLE_STACK_USER;
		attr->sample_stack_user = sizeof(uint64_t);
	}
}

static void set_records(struct perf_event_attr *attr, const struct probe_link_config *config,
			const struct event_features *features)
{
	attr->sample_period = 1;
	attr->sample_type = SAMPLE_FIELDS;
	attr->sample_id_all = 1;
	attr->read_format = PERF_FORMAT_ID | (features->lost ? PERF_FORMAT_LOST : 0);
	attr->use_clockid = 1;
	attr->clockid = CLOCK_MONOTONIC;
	attr->watermark = 1;	/* the ring's owner sets when to wake, not each record */
	if (config->with_stacks)
		set_stacks(attr, config, features);
	set_values(attr, config);
	/* The kernel's part would be the BPF program and who runs it. */
	attr->exclude_callchain_kernel = config->texts != NULL;
}

/* PMU events must not be inherited: for a new thread the kernel reads the probe's name again, at
 * the same address in that thread's memory, and if it is not there its fork() fails. */
static bool is_inherited(const struct probe_link_config *config)
{
	return config->scope.kind == PROBE_SCOPE_TASKS && config->type == PERF_TYPE_TRACEPOINT;
}

/* Makes each hit one record, which is lost and counted. */
static void set_lost_records(struct perf_event_attr *attr)
{
	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_PERIOD;
	attr->read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST;
}

static void init_attr(struct probe_link *link, const struct probe_link_config *config)
{
	link->attr = (struct perf_event_attr){
		.size = sizeof(link->attr),
		.type = config->texts ? PERF_TYPE_SOFTWARE : config->type,
		.config = config->texts ? PERF_COUNT_SW_BPF_OUTPUT : config->config,
		.config1 = config->config1, .config2 = config->config2, .disabled = 1,
		.inherit = is_inherited(config),
	};
	if (link->rings)
		set_records(&link->attr, config, &link->rings->features);
	else if (config->has_weight)
		set_lost_records(&link->attr);
	record_format_init(&link->format, &link->attr);
}

/* Directs the records into the ring of lane @lane. */
static int join_ring(struct probe_link *link, int fd, size_t lane)
{
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, link->rings->set.fds[lane]) ||
	    ioctl(fd, PERF_EVENT_IOC_ID, &link->ids[link->count]))
		return -errno;
	return 0;
}

static size_t paused_bytes(void)
{
	return 2 * (size_t)sysconf(_SC_PAGESIZE);	/* the control page, one of records */
}

/* Directs the records into the paused ring of lane @lane; the first descriptor there creates it. */
static int join_paused(struct probe_link *link, int fd, size_t lane)
{
	struct paused_ring *ring = &link->paused[lane];
	void *pages;

	if (ring->pages)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) ? -errno : 0;
	pages = mmap(NULL, paused_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pages == MAP_FAILED)
		return -errno;
	*ring = (struct paused_ring){ .pages = pages, .fd = fd };
	return ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1) ? -errno : 0;
}

static void unmap_paused(struct probe_link *link)
{
	for (size_t i = 0; i < link->paused_count; i++)
		if (link->paused[i].pages)
			munmap(link->paused[i].pages, paused_bytes());
	free(link->paused);
}

static int open_one(struct probe_link *link, const char *filter, pid_t tid, int cpu, size_t lane)
{
	const int fd = event_open(&link->attr, tid, cpu);
	int err = 0;

	if (fd < 0)
		return fd;
	if (*filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter))
		err = -errno;
	if (!err && link->rings)
		err = join_ring(link, fd, lane);
	if (!err && link->paused)
		err = join_paused(link, fd, lane);
	if (err) {
		close(fd);
		return err;
	}
	link->cpus[link->count] = cpu;
	link->fds[link->count++] = fd;
	return 0;
}

/* True: the CPU is offline or the thread has ended, so there can be no hits. */
static bool is_nobody(int err, pid_t tid)
{
	return err == -ENODEV || err == -ENXIO || (err == -ESRCH && tid > 0);
}

static int explain(int err, const struct probe_link_config *config, struct diag *why)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		return diag_set(why, err, "this probe is not permitted (%s): run as root, or give"
				" CAP_SYS_ADMIN", strerror(-err));
	case EMFILE:
	case ENFILE:
		return diag_set(why, err, "too few file descriptors for one per thread and CPU:"
				" probe the whole system instead, or raise ulimit -n");
	case ESRCH:
		return diag_set(why, err, "the threads to be probed have ended");
	case EINVAL:
		if (*config->kernel_filter)
			return diag_set(why, err, "the kernel refuses the filter \"%s\"",
					config->kernel_filter);
		/* fall through */
	default:
		return diag_set(why, err, "the kernel refuses to attach the probe: %s",
				strerror(-err));
	}
}

static int open_all(struct probe_link *link, const struct probe_link_config *config,
		    const int *cpus, size_t cpu_count)
{
	static const pid_t everybody = -1;
	const bool is_wide = config->scope.kind == PROBE_SCOPE_ALL;
	const pid_t *tids = is_wide ? &everybody : config->scope.tids;
	const size_t tid_count = is_wide ? 1 : config->scope.tid_count;

	link->fds = calloc(tid_count * cpu_count + 1, sizeof(*link->fds));
	link->ids = calloc(tid_count * cpu_count + 1, sizeof(*link->ids));
	link->cpus = calloc(tid_count * cpu_count + 1, sizeof(*link->cpus));
	if (link->attr.sample_type && !link->rings) {
		link->paused = calloc(cpu_count + 1, sizeof(*link->paused));
		link->paused_count = link->paused ? cpu_count : 0;
	}
	if (!link->fds || !link->ids || !link->cpus ||
	    (link->attr.sample_type && !link->rings && !link->paused))
		return -ENOMEM;
	for (size_t i = 0; i < tid_count; i++)
		for (size_t lane = 0; lane < cpu_count; lane++) {
			int err = open_one(link, config->kernel_filter, tids[i], cpus[lane], lane);

			if (err && !is_nobody(err, tids[i]))
				return err;
		}
	return link->count ? 0 : is_wide ? -ENODEV : -ESRCH;
}

/* Lists the CPUs that have a ring; without rings, those that are online. */
static int list_cpus(const struct probe_rings *rings, int **cpus, size_t *count, struct diag *why)
{
	if (!rings)
		return cpu_list_online(cpus, count, why);
	*count = rings->set.lane_count;
	*cpus = calloc(*count, sizeof(**cpus));
	if (!*cpus)
		return diag_set(why, -ENOMEM, "no memory for a probe");
	for (size_t i = 0; i < *count; i++)
		(*cpus)[i] = rings->set.lanes[i].cpu;
	return 0;
}

static int check_weight(const struct probe_link *link, const struct probe_link_config *config,
			struct diag *why)
{
	struct event_features features;

	if (!config->has_weight || link->rings)
		return 0;
	event_features_probe(&features);
	return features.lost ? 0 : diag_set(why, -ENOTSUP, "only Linux 6.0 and later count the "
					    "hits of this tracepoint, whose count is a time: "
					    "sample it as an event (-e)");
}

/* Starts the program, which writes nothing as long as the events are disabled. */
static int open_texts(struct probe_link *link, const struct probe_link_config *config,
		      struct diag *why)
{
	struct syscall_texts_config texts;

	if (!config->texts)
		return 0;
	texts = *config->texts;
	texts.cpus = link->cpus;
	texts.events = link->fds;
	texts.event_count = link->count;
	return syscall_texts_open(&link->texts, &texts, why);
}

int probe_link_open(struct probe_link **out, struct probe_rings *rings,
		    const struct probe_link_config *config, struct diag *why)
{
	struct probe_link *link = calloc(1, sizeof(*link));
	size_t cpu_count;
	int *cpus, err;

	*out = NULL;
	if (!link)
		return diag_set(why, -ENOMEM, "no memory for a probe");
	link->rings = config->only_counts ? NULL : rings;
	init_attr(link, config);
	err = check_weight(link, config, why);
	if (err) {
		probe_link_close(link);
		return err;
	}
	err = list_cpus(link->rings, &cpus, &cpu_count, why);
	if (!err) {
		err = open_all(link, config, cpus, cpu_count);
		if (err)
			explain(err, config, why);
		else
			err = open_texts(link, config, why);
		free(cpus);
	}
	if (err)
		probe_link_close(link);
	else
		*out = link;
	return err;
}

void probe_link_warn_of_programs(const struct probe_link *link, const char *name)
{
	if (link->count)
		event_warn_of_programs(link->fds[0], name);
}

const uint64_t *probe_link_ids(const struct probe_link *link, size_t *count)
{
	*count = link->rings ? link->count : 0;
	return link->ids;
}

const struct record_format *probe_link_format(const struct probe_link *link)
{
	return &link->format;
}

static void control(const struct probe_link *link, unsigned long request)
{
	for (size_t i = 0; i < link->count; i++)
		ioctl(link->fds[i], request, 0);	/* fails only for a task that ended */
}

void probe_link_enable(struct probe_link *link)
{
	control(link, PERF_EVENT_IOC_ENABLE);
}

void probe_link_disable(struct probe_link *link)
{
	control(link, PERF_EVENT_IOC_DISABLE);
}

/* What a program writes counts in no event, but each record that had no room does. */
static void read_texts(const struct probe_link *link, uint64_t *hits, uint64_t *lost)
{
	struct syscall_texts_counts counts;

	if (syscall_texts_read(link->texts, &counts, NULL))
		return;
	*hits = counts.records + counts.refused;
	*lost = counts.refused;
}

void probe_link_read(const struct probe_link *link, uint64_t *hits, uint64_t *lost)
{
	struct { uint64_t value, id, lost; } counts;	/* fields in the order of read_format */

	*hits = *lost = 0;
	for (size_t i = 0; i < link->count; i++) {
		counts.lost = 0;
		if (read(link->fds[i], &counts, sizeof(counts)) < (ssize_t)sizeof(counts.value))
			continue;
		*hits += link->paused ? counts.lost : counts.value;
		*lost += link->paused ? 0 : counts.lost;
	}
	if (link->texts)
		read_texts(link, hits, lost);
}

uint64_t probe_link_missed(const struct probe_link *link, uint64_t *absent)
{
	struct syscall_texts_counts counts;

	*absent = 0;
	if (!link->texts || syscall_texts_read(link->texts, &counts, NULL))
		return 0;
	*absent = counts.absent;
	return counts.skipped;
}

void probe_link_close(struct probe_link *link)
{
	if (!link)
		return;
	probe_link_disable(link);
	syscall_texts_close(link->texts);
	for (size_t i = 0; i < link->count; i++)
		close(link->fds[i]);
	unmap_paused(link);
	free(link->cpus);
	free(link->fds);
	free(link->ids);
	free(link);
}
