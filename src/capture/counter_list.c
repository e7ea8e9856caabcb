/* counter_list.c - the events that are counted: see capture/counter_set.h.
 *
 * Lists are parsed by event_spec.c; what this machine lacks is kept in the list with the reason.
 */
#include "capture/counter_set.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/sanitize.h"
#include "capture/event.h"
#include "event_spec.h"

#define TOPDOWN_PMUS 3		/* kinds of cores: 15 events */
#define IDLE_NS (10 * CLOCK_NS_PER_MS)

static const char *const defaults[][8] = {
	[COUNTER_DETAIL_LESS] = { "task-clock", "context-switches", "cpu-migrations", "page-faults",
				  "cycles", "instructions", "branches", "branch-misses" },
	[COUNTER_DETAIL_CACHE] = { "L1-dcache-loads", "L1-dcache-load-misses", "LLC-loads",
				   "LLC-load-misses" },
	[COUNTER_DETAIL_TLB] = { "L1-icache-loads", "L1-icache-load-misses", "dTLB-loads",
				 "dTLB-load-misses", "iTLB-loads", "iTLB-load-misses" },
	[COUNTER_DETAIL_PREFETCH] = { "L1-dcache-prefetches", "L1-dcache-prefetch-misses" },
};

/* Appends one event and returns it, or NULL. */
static struct counter_event *append_event(struct counter_list *list, const char *name)
{
	struct counter_event *grown = realloc(list->events, (list->count + 1) * sizeof(*grown));
	struct event_spec *specs;
	struct counter_cpus *cpus;

	if (!grown)
		return NULL;
	list->events = grown;
	specs = realloc(list->specs, (list->count + 1) * sizeof(*specs));
	if (!specs)
		return NULL;
	list->specs = specs;
	specs[list->count] = (struct event_spec){ .part_count = 0 };
	cpus = realloc(list->cpus, (list->count + 1) * sizeof(*cpus));
	if (!cpus)
		return NULL;
	list->cpus = cpus;
	cpus[list->count] = (struct counter_cpus){ .list = NULL };
	grown += list->count++;
	*grown = (struct counter_event){ .attr.size = sizeof(grown->attr) };
	sanitize_text(grown->name, sizeof(grown->name), name, strlen(name));
	return grown;
}

/* Returns the number of packages that have one of @cpus each; 0: two are in the same, or a package
 * is unknown. */
static uint32_t count_packages(const struct counter_cpus *cpus)
{
	struct cpu_sockets sockets;
	uint32_t count = 0;

	cpu_sockets_read(&sockets, "/sys/devices/system/cpu");
	for (size_t i = 0; i < cpus->count; i++) {
		const uint32_t cpu = (uint32_t)cpus->list[i];
		bool is_new = cpu < sockets.count && sockets.of_cpu[cpu] >= 0;

		for (size_t j = 0; is_new && j < i; j++)
			is_new = sockets.of_cpu[cpus->list[j]] != sockets.of_cpu[cpu];
		count += is_new;
	}
	cpu_sockets_finish(&sockets);
	return count == cpus->count ? count : 0;
}

/* Finds the unit of the last event, and the CPUs that count it. */
static void describe_last(struct counter_list *list)
{
	struct counter_event *event = &list->events[list->count - 1];
	const struct event_spec *spec = &list->specs[list->count - 1];
	struct counter_cpus *cpus = &list->cpus[list->count - 1];

	event->unit = spec->unit;
	if (!spec->pmu[0])
		return;
	pmu_cpumask_read(list->devices, spec->pmu, &cpus->list, &cpus->count);
	event->cpu_count = (uint32_t)cpus->count;
	event->package_count = count_packages(cpus);
}

static int append_spec(struct counter_list *list, const struct event_spec *spec,
		       const char *filter)
{
	struct counter_event *event = append_event(list, spec->name);

	if (!event)
		return -ENOMEM;
	list->specs[list->count - 1] = *spec;
	event->attr = spec->attr;
	event->attr.precise_ip = 0;	/* a count has no address */
	event->has_level = spec->has_level_modifier;
	event->filter = filter;
	event->group = spec->group ? list->group_count + spec->group : 0;
	describe_last(list);
	return 0;
}

static void copy_reason(struct diag *out, const struct diag *reason)
{
	out->err = reason->err;
	sanitize_text(out->text, sizeof(out->text), reason->text, strlen(reason->text));
}

/* Appends what @text names. */
static int append_list(struct counter_list *list, const char *text, const char *filter,
		       struct diag *why)
{
	struct event_spec_list specs = { .devices = list->devices };
	int err = event_spec_parse_list(text, &specs, why);

	for (size_t i = 0; !err && i < specs.count; i++) {
		if (filter && specs.specs[i].attr.type != PERF_TYPE_TRACEPOINT)
			err = diag_set(why, -EINVAL, "--filter %s: %s is no tracepoint, and has no "
				       "fields", filter, specs.specs[i].name);
		else if (event_is_off_cpu(&specs.specs[i].attr) || specs.specs[i].is_wall)
			err = diag_set(why, -EINVAL, "%s: only its samples have the time waited: "
				       "leave out --stat", specs.specs[i].name);
		else if (append_spec(list, &specs.specs[i], filter))
			err = diag_set(why, -ENOMEM, "no memory for the events");
	}
	for (size_t i = 0; !err && i < specs.absent_count; i++) {
		struct counter_event *event = append_event(list, specs.absent[i].name);

		if (event)
			copy_reason(&event->absent, &specs.absent[i].why);
		else
			err = diag_set(why, -ENOMEM, "no memory for the events");
	}
	list->group_count += specs.group_count;
	event_spec_list_finish(&specs);
	return err;
}

static int append_default(struct counter_list *list, enum counter_detail detail, bool is_cpu_wide,
			  struct diag *why)
{
	int err = 0;

	for (size_t level = 0; level <= (size_t)detail; level++)
		for (size_t i = 0; !err && i < 8 && defaults[level][i]; i++) {
			const char *name = defaults[level][i];

			if (is_cpu_wide && !strcmp(name, "task-clock"))
				name = "cpu-clock";
			err = append_list(list, name, NULL, why);
		}
	return err;
}

int counter_list_parse(struct counter_list *out, const struct capture_config *config,
		       enum counter_detail detail, bool is_cpu_wide, struct diag *why)
{
	int err = 0;

	*out = (struct counter_list){
		.devices = config->pmu_devices ? config->pmu_devices : EVENT_PMU_DEVICES,
	};
	core_pmus_read(&out->pmus, out->devices);
	if (!config->event_text_count)
		return append_default(out, detail, is_cpu_wide, why);
	for (size_t i = 0; !err && i < config->event_text_count; i++)
		err = append_list(out, config->events[i], config->event_filters
				  ? config->event_filters[i] : NULL, why);
	return err;
}

static bool has_event(const char *devices, const char *pmu, const char *event)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/events/%s", devices, pmu, event);
	return access(path, F_OK) == 0;
}

/* Events of top-down level 1: of cores that count the four shares, and of those that count what the
 * shares are computed from. The leader comes first; some cores need none. */
static const char *const topdown_events[][5] = {
	{ "slots", "topdown-retiring", "topdown-bad-spec", "topdown-fe-bound", "topdown-be-bound" },
	{ "topdown-total-slots", "topdown-slots-issued", "topdown-slots-retired",
	  "topdown-fetch-bubbles", "topdown-recovery-bubbles" },
};

/* Appends "BEFOREpmu/event/" to @out[@room], cut if there is no room. */
static void add_event(char *out, size_t room, const char *before, const char *pmu,
		      const char *event)
{
	const size_t used = strlen(out);

	snprintf(out + used, room - used, "%s%s/%s/", before, pmu, event);
}

/* Appends the group of top-down level 1 that the PMU has, if it has one. */
static void add_topdown(char *out, size_t room, const char *devices, const char *pmu)
{
	for (size_t kind = 0; kind < 2; kind++) {
		const char *const *events = topdown_events[kind];
		const char *before = ",{";

		if (!has_event(devices, pmu, events[2]))
			continue;
		for (size_t i = 0; i < 5; i++) {
			if (!has_event(devices, pmu, events[i]))
				continue;
			add_event(out, room, before, pmu, events[i]);
			before = ",";
		}
		snprintf(out + strlen(out), room - strlen(out), "}");
		return;
	}
}

void counter_list_find_more(char *out, size_t room, const char *devices, bool is_cpu_wide)
{
	struct core_pmus pmus;

	out[0] = '\0';
	if (is_cpu_wide && has_event(devices, "power", "energy-pkg"))
		add_event(out, room, ",", "power", "energy-pkg");
	core_pmus_read(&pmus, devices);
	for (size_t i = 0; i < pmus.count && i < TOPDOWN_PMUS; i++)
		add_topdown(out, room, devices, pmus.list[i].name);
	core_pmus_finish(&pmus);
	if (strlen(out) + 1 >= room)	/* cut */
		out[0] = '\0';
}

/* Code that ran for a while has executed instructions and taken cycles. */
void counter_event_refuse_zero(struct counter_event *event, const struct counter_value *value)
{
	const struct perf_event_attr *attr = &event->attr;

	if (value->value || value->running_ns < IDLE_NS || event->has_level ||
	    attr->type != PERF_TYPE_HARDWARE || attr->exclude_kernel ||
	    (attr->config != PERF_COUNT_HW_CPU_CYCLES &&
	     attr->config != PERF_COUNT_HW_INSTRUCTIONS))
		return;
	diag_set(&event->absent, -ENODATA, "stayed at 0 while code ran: this machine offers the "
		 "counter, and does not count");
}

void counter_list_finish(struct counter_list *list)
{
	free(list->events);
	free(list->specs);
	for (size_t i = 0; i < list->count; i++)
		free(list->cpus[i].list);
	free(list->cpus);
	core_pmus_finish(&list->pmus);
	*list = (struct counter_list){ .count = 0 };
}
