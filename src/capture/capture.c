/* capture.c - see capture.h. Turns the configuration into a plan, and the plan's result into
 * messages for the user, and runs the threads. capture_plan.c opens the events. */
#include "capture/capture.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/safe_print.h"
#include "capture/scope.h"
#include "capture/event_set.h"
#include "capture/stack_copy.h"
#include "capture/tracefs.h"
#include "capture_plan.h"
#include "follow.h"
#include "open_waits.h"
#include "proc/process_stat.h"
#include "switch_waits.h"

/* Stack copies that must fit into a ring if every hit is a sample with a copy. */
#define BURST_HITS 128
#define DESCRIPTORS_NEEDED 64	/* for rings, eventfds and workers on a small machine */

struct capture {
	struct capture_plan plan;
	struct event_desc *descs;	/* owned; plan.events.count + 1 */
	char *absent_text;		/* owned; NULL: no event is absent */
	char *counted_text;		/* owned; NULL: no event is counted */
	char target_text[128];
	int wake_fd, round_fd;	/* eventfds, see event_set.h */
	uint64_t begin_ticks;		/* when opened, in the clock of /proc/PID/stat */
	int *watch_fds;			/* owned; pidfds, for CPU-wide events, which never end */
	size_t watch_count;
	struct spsc *queue;		/* BORROWED; valid while there is a sampler */
	const struct stack_ends *stack_ends;	/* BORROWED; NULL: none */
	struct sampler *sampler;
	struct follow *follow;
	struct open_waits *open_waits;	/* owned; NULL: no programs count off-cpu */
	struct switch_waits *switch_waits;	/* owned; NULL: off-cpu is no event, or programs
						 * count it */
};

static void set_rate(const struct capture_config *config, uint64_t max_hz,
		     struct perf_event_attr *attr)
{
	uint64_t hz = config->freq_hz;

	if (event_is_off_cpu(attr)) {	/* the programs decide what is a record */
		attr->sample_period = 1;
		return;
	}
	if (!hz && !config->period && attr->type != PERF_TYPE_TRACEPOINT &&
	    attr->type != PERF_TYPE_BREAKPOINT)
		hz = CAPTURE_DEFAULT_FREQ_HZ;
	if (hz) {
		attr->freq = 1;
		attr->sample_freq = hz < max_hz ? hz : max_hz;
	} else {
		attr->sample_period = config->period ? config->period : 1;
	}
}

static void set_rates(struct capture *capture, const struct capture_config *config)
{
	uint64_t max_hz = (uint64_t)event_sysctl("max_sample_rate", 100000);

	for (size_t i = 0; i < capture->plan.events.count; i++)
		set_rate(config, max_hz, &capture->plan.events.specs[i].attr);
	if (config->freq_hz > max_hz && config->freq_hz != UINT64_MAX)
		capture_plan_tell(&capture->plan, "%llu Hz is over"
				  " kernel.perf_event_max_sample_rate: sampling at %llu Hz",
				  (unsigned long long)config->freq_hz, (unsigned long long)max_hz);
}

static struct call_graph_load measure_load(const struct capture_plan *plan)
{
	struct call_graph_load load = { .has_copies = plan->features.stack_copies,
					.cpus = plan->cpu_count };

	for (size_t i = 0; i < plan->events.count; i++) {
		const struct perf_event_attr *attr = &plan->events.specs[i].attr;
		const bool is_read = event_spec_is_read(&plan->events, i);
		const uint64_t hz = attr->freq && !is_read ? attr->sample_freq : 0;

		load.sum_hz += hz;
		load.max_hz = hz > load.max_hz ? hz : load.max_hz;
	}
	return load;
}

/* Chooses frame pointers and returns true when no event needs copies. */
static bool choose_chained(struct capture_plan *plan)
{
	const size_t count = capture_plan_count_chained(plan);

	if (!count || count < plan->events.count)
		return false;
	plan->call_graph = (struct call_graph){ .mode = CALL_GRAPH_FP };
	return true;
}

static void choose_stacks(struct capture *capture, const struct call_graph *asked)
{
	const struct call_graph_load load = measure_load(&capture->plan);

	capture->plan.is_auto_stacks = asked->mode == CALL_GRAPH_AUTO;
	if (choose_chained(&capture->plan))
		return;
	switch (call_graph_choose(asked, &load, &capture->plan.call_graph)) {
	case CALL_GRAPH_AS_ASKED:
		break;
	case CALL_GRAPH_NOT_HERE:
		capture_plan_tell(&capture->plan, "%s: callers by frame pointers, which most"
				  " programs lack", user_registers_are_known(MACHINE_OWN)
				  ? "this kernel copies no user stacks"
				  : "flametop does not know the registers of this machine");
		break;
	case CALL_GRAPH_TOO_OFTEN:
		capture_plan_tell(&capture->plan, "stacks by frame pointers above %d Hz;"
				  " --call-graph dwarf copies them nevertheless",
				  CALL_GRAPH_COPY_MAX_HZ);
		break;
	case CALL_GRAPH_TOO_MUCH:
		capture_plan_tell(&capture->plan, "stacks by frame pointers: copies at %llu Hz on"
				  " %zu CPUs would be over %d MB/s; a lower -F, fewer CPUs (-C), or"
				  " --call-graph dwarf", (unsigned long long)load.sum_hz,
				  load.cpus, CALL_GRAPH_COPY_MAX_RATE / 1000000);
		break;
	}
}

static int choose_cpus(struct capture_plan *plan, struct diag *why)
{
	const struct target *target = &plan->target;

	if (!target->cpus)
		return cpu_list_online(&plan->cpus, &plan->cpu_count, why);
	plan->cpus = calloc(target->cpu_count, sizeof(*plan->cpus));
	if (!plan->cpus)
		return diag_set(why, -ENOMEM, "no memory for a list of CPUs");
	memcpy(plan->cpus, target->cpus, target->cpu_count * sizeof(*plan->cpus));
	plan->cpu_count = target->cpu_count;
	return 0;
}

/* @pages: the user's choice; 0: the default. */
static struct ring_size rings_for(const struct capture_plan *plan, size_t pages, bool has_copies)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	const uint64_t memory_bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) * page_bytes;

	return pages ? (struct ring_size){ pages, pages }
		     : ring_size_choose(has_copies, plan->cpu_count, plan->events.count,
					memory_bytes, page_bytes);
}

/* Returns true when a ring of @pages holds the copies of a burst: a program can cause hundreds of
 * hits before the sampler runs. */
static bool holds_burst(const struct capture_plan *plan, size_t pages)
{
	const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);

	return rings_for(plan, pages, true).sample_pages * page_bytes >=
	       (uint64_t)BURST_HITS * CALL_GRAPH_COPY_BYTES;
}

static int choose_rings(struct capture *capture, size_t pages, struct diag *why)
{
	struct capture_plan *plan = &capture->plan;

	if (pages & (pages - 1))
		return diag_set(why, -EINVAL, "--mmap-pages %zu: not a power of two", pages);
	plan->are_copies_wanted = plan->call_graph.mode == CALL_GRAPH_DWARF;
	plan->rings = rings_for(plan, pages, plan->are_copies_wanted);
	plan->wanted_rings = plan->rings;
	capture_plan_fit_copies(plan);
	return 0;
}

int capture_claim_descriptors(size_t *out, struct diag *why)
{
	struct rlimit limit = { .rlim_cur = 1024 };

	if (!getrlimit(RLIMIT_NOFILE, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &limit))
			getrlimit(RLIMIT_NOFILE, &limit);
	}
	*out = limit.rlim_cur > INT_MAX ? INT_MAX : (size_t)limit.rlim_cur;
	if (*out >= DESCRIPTORS_NEEDED)
		return 0;
	return diag_set(why, -EMFILE, "at least %d file descriptors are needed, %zu may be open "
			"here: raise the limit (ulimit -n 1024)", DESCRIPTORS_NEEDED, *out);
}

static void warn_of_programs(const struct capture *capture)
{
	const struct event_set *set = &capture->plan.set;

	for (size_t event = 0; event < capture->plan.events.count; event++) {
		size_t lane = 0;

		if (set->attrs[event].type != PERF_TYPE_TRACEPOINT)
			continue;
		while (lane < set->lane_count && set->lanes[lane].event != event)
			lane++;
		if (lane < set->lane_count)
			event_warn_of_programs(set->fds[lane], capture->descs[event].name);
	}
}

/* Writes the name that the user gave, with :u if the kernel had to be excluded: "cpu-clock:u". */
static void format_event_name(const struct capture *capture, const struct event_spec *spec,
			      char *out, size_t room)
{
	const char *last_colon = strrchr(spec->name, ':');
	bool has_modifiers = spec->attr.type == PERF_TYPE_TRACEPOINT
			     ? last_colon != strchr(spec->name, ':')
			     : spec->attr.type != PERF_TYPE_BREAKPOINT &&
			       (last_colon || strchr(spec->name, '/'));

	if (!capture->plan.exclude_kernel || spec->has_level_modifier)
		snprintf(out, room, "%s", spec->name);
	else
		snprintf(out, room, "%.*s%s", (int)room - 3, spec->name,
			 has_modifiers ? "u" : ":u");
}

/* Describes the group of event @index, whose samples hold the counters of the group. A sample of a
 * clock weighs its own period, as without a group, and not the time since the sample before: an
 * idle CPU may have none for seconds. */
static void describe_group(struct capture *capture, size_t index)
{
	const struct event_spec_list *events = &capture->plan.events;
	struct event_desc *leader = &capture->descs[index];

	leader->format.has_read_period = !event_is_clock(leader->type, leader->config);
	leader->has_values_by_thread = capture->plan.set.attrs[index].inherit;
	for (size_t i = index + 1; i < events->count && event_spec_is_read(events, i) &&
				   event_spec_leader(events, i) == index; i++) {
		capture->descs[i].format = leader->format;	/* its records are the leader's */
		capture->descs[i].format.has_read_period = true;
		capture->descs[i].copy_bytes = leader->copy_bytes;
		leader->read_count++;
	}
}

/* Describes what the records of waits count for. */
static void describe_waits(struct capture *capture, size_t index)
{
	const struct event_spec_list *events = &capture->plan.events;
	struct event_desc *desc = &capture->descs[index];

	desc->is_wall = events->specs[index].is_wall;
	desc->is_part = events->specs[index].is_part;
	desc->counts_waits = desc->is_wall || event_is_off_cpu(&events->specs[index].attr);
	if (desc->counts_waits)
		desc->fixed_period = capture->plan.off_cpu_period_ns;
	while (desc->is_part && !events->specs[desc->counted_as].is_wall)
		desc->counted_as++;
}

/* Reads the format files of the tracepoints whose samples have raw bytes. Where one can't be read
 * the bytes are not shown. */
static void describe_raw(struct capture *capture)
{
	const int dir = tracefs_open(NULL);
	char group[TRACE_NAME_BYTES], event[TRACE_NAME_BYTES], *text;

	for (size_t i = 0; dir >= 0 && i < capture->plan.events.count; i++) {
		struct event_desc *desc = &capture->descs[i];

		if (desc->type != PERF_TYPE_TRACEPOINT ||
		    sscanf(desc->name, "%63[^:]:%63[^:]", group, event) != 2 ||
		    tracefs_read_format(dir, group, event, &text, NULL))
			continue;
		desc->raw_format = text;
		desc->long_bytes = sizeof(long);
	}
	if (dir >= 0)
		close(dir);
}

static void free_descs(struct capture *capture)
{
	for (size_t i = 0; capture->descs && i < capture->plan.events.count; i++)
		free((char *)capture->descs[i].raw_format);
	free(capture->descs);
}

static int describe_events(struct capture *capture, struct diag *why)
{
	capture->descs = calloc(capture->plan.events.count + 1, sizeof(*capture->descs));
	if (!capture->descs)
		return diag_set(why, -ENOMEM, "no memory for the events");
	for (size_t i = 0; i <= capture->plan.events.count; i++) {
		const struct perf_event_attr *attr = &capture->plan.set.attrs[i];
		struct event_desc *desc = &capture->descs[i];

		record_format_init(&desc->format, attr);
		event_desc_identify(desc, attr);
		desc->is_sideband = i == capture->plan.events.count;
		desc->freq_hz = attr->freq ? attr->sample_freq : 0;
		desc->fixed_period = attr->freq ? 0 : attr->sample_period;
		desc->copy_bytes = attr->sample_stack_user;
		if (desc->is_sideband) {
			snprintf(desc->name, sizeof(desc->name), "dummy");
			continue;
		}
		format_event_name(capture, &capture->plan.events.specs[i], desc->name,
				  sizeof(desc->name));
		describe_waits(capture, i);
	}
	for (size_t i = 0; i < capture->plan.events.count; i++)
		if (capture->plan.set.attrs[i].sample_type & PERF_SAMPLE_READ)
			describe_group(capture, i);
	if (capture->plan.has_raw)
		describe_raw(capture);
	return 0;
}

static int describe_absent(struct capture *capture, struct diag *why)
{
	const struct event_spec_list *events = &capture->plan.events;
	char name[sizeof(events->absent[0].name)], reason[sizeof(events->absent[0].why.text)];
	size_t bytes;
	FILE *out;

	if (!events->absent_count)
		return 0;
	out = open_memstream(&capture->absent_text, &bytes);
	for (size_t i = 0; out && i < events->absent_count; i++)
		if (!events->absent[i].is_counted)
			safe_print(out, "%s\n%s\n",
				   sanitize_lazily(name, sizeof(name), events->absent[i].name),
				   sanitize_lazily(reason, sizeof(reason),
						   events->absent[i].why.text));
	if (!out || fclose(out) || !capture->absent_text)
		return diag_set(why, -ENOMEM, "no memory for the events");
	return 0;
}

/* Lists the events that are counted. */
static int describe_counted(struct capture *capture, struct diag *why)
{
	const struct event_spec_list *events = &capture->plan.events;
	size_t count = 0;

	for (size_t i = 0; i < events->absent_count; i++) {
		const struct event_absence *event = &events->absent[i];

		if (event->is_counted && event_names_append(&capture->counted_text, event->name,
							      strlen(event->name)))
			return diag_set(why, -ENOMEM, "no memory for the events");
		count += event->is_counted;
	}
	if (count > CAPTURE_MAX_COUNTED)
		return diag_set(why, -E2BIG, "%zu events that can't be sampled: at most %d are "
				"counted beside samples (--stat counts any number)", count,
				CAPTURE_MAX_COUNTED);
	if (count)
		capture_plan_tell(&capture->plan, "counted, not sampled: %s (see the counter line,"
				  " =, and the counters, V)", capture->counted_text);
	return 0;
}

/* Opens pidfds on the processes of the target if events are CPU-wide and so never end. Descendants
 * that outlive these processes are not sampled any longer. */
static int watch_tasks(struct capture *capture, struct diag *why)
{
	const struct target *target = &capture->plan.target;

	if (!capture->plan.is_cpu_wide)
		return 0;
	capture->watch_fds = calloc(target->id_count, sizeof(*capture->watch_fds));
	if (!capture->watch_fds)
		return diag_set(why, -ENOMEM, "no memory to watch processes");
	for (size_t i = 0; i < target->id_count; i++) {
		int fd = (int)syscall(SYS_pidfd_open, target->ids[i], 0);

		if (fd >= 0)
			capture->watch_fds[capture->watch_count++] = fd;
	}
	return 0;
}

static bool reads_events(const struct capture_plan *plan)
{
	for (size_t i = 0; i < plan->events.count; i++)
		if (event_spec_is_read(&plan->events, i))
			return true;
	return false;
}

static int fill_plan(struct capture *capture, const struct capture_config *config,
		     struct diag *why)
{
	struct capture_plan *plan = &capture->plan;
	size_t half;
	int err;

	plan->kind = plan->target.kind;
	plan->insists_on_all = config->insists_on_all;
	plan->can_count = config->can_count;
	/* An inherited clock starts anew in each child, so children that live for a few
	 * milliseconds would hardly be sampled. */
	plan->is_cpu_wide = plan->target.has_descendants;
	err = capture_claim_descriptors(&plan->descriptors_limit, why);
	if (err)
		return err;
	half = plan->descriptors_limit / 2;	/* the other half is for profiled files */
	plan->descriptors_max = half < TASK_DESCRIPTORS_WANTED ? half : TASK_DESCRIPTORS_WANTED;
	event_features_probe(&plan->features);
	core_pmus_read(&plan->pmus, config->pmu_devices ? config->pmu_devices : EVENT_PMU_DEVICES);
	err = capture_plan_parse(plan, config, why);
	if (!err)
		err = choose_cpus(plan, why);
	if (err)
		return err;
	plan->cant_inherit_reads = reads_events(plan) && !plan->features.inherited_reads &&
				   !plan->target.no_inherit;
	plan->is_cpu_wide |= (plan->cant_inherit_reads || capture_plan_has_off_cpu(plan)) &&
			     capture_plan_has_tasks(plan);
	plan->off_cpu_period_ns = config->off_cpu_period_ns ? config->off_cpu_period_ns
							    : OFF_CPU_PERIOD_NS;
	set_rates(capture, config);
	plan->are_hits_too_many = config->are_hits_too_many ||
				  !holds_burst(plan, config->ring_pages);
	choose_stacks(capture, &config->call_graph);
	return choose_rings(capture, config->ring_pages, why);
}

int capture_parse_freq(const char *text, uint64_t *out_hz, struct diag *why)
{
	char *end;

	*out_hz = UINT64_MAX;
	if (!strcmp(text, "max"))
		return 0;
	errno = 0;
	*out_hz = strtoull(text, &end, 10);
	if (errno || *end || text[0] == '-' || !*out_hz || *out_hz > CAPTURE_MAX_FREQ_HZ)
		return diag_set(why, -EINVAL, "-F %s: a number from 1 to %d, or max, is needed",
				text, CAPTURE_MAX_FREQ_HZ);
	return 0;
}

int capture_open(struct capture **out, struct capture_config *config, struct diag *why)
{
	struct capture *capture = calloc(1, sizeof(*capture));
	int err;

	*out = NULL;
	if (!capture) {
		target_finish(&config->target);
		return diag_set(why, -ENOMEM, "no memory for the capture");
	}
	capture->plan.target = config->target;
	config->target = (struct target){ 0 };
	capture->stack_ends = config->stack_ends;
	capture->begin_ticks = task_list_now_ticks();
	capture->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	capture->round_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	err = 0;
	if (capture->wake_fd < 0 || capture->round_fd < 0)
		err = diag_set(why, -errno, "no eventfd: %s", strerror(errno));
	if (!err)
		err = fill_plan(capture, config, why);
	if (!err)
		err = capture_plan_open(&capture->plan, why);
	if (!err)
		err = describe_events(capture, why);
	if (!err)
		err = describe_absent(capture, why);
	if (!err)
		err = describe_counted(capture, why);
	if (!err)
		err = watch_tasks(capture, why);
	if (err) {
		capture_destroy(capture);
		return err;
	}
	capture_plan_tell_concessions(&capture->plan);
	warn_of_programs(capture);
	target_format(&capture->plan.target, capture->plan.kind, capture->plan.cpu_count,
		      capture->target_text, sizeof(capture->target_text));
	*out = capture;
	return 0;
}

/* Creates what finds threads that stay blocked. Without it the others are counted all the same. */
static void create_open_waits(struct capture *capture, struct sampler_config *config)
{
	const struct capture_plan *plan = &capture->plan;
	const bool is_of_all = plan->kind == TARGET_SYSTEM || plan->kind == TARGET_USER;

	if (!plan->off_cpu || plan->target.cpus || capture_is_in_pid_namespace())
		return;
	while (!event_is_off_cpu(&plan->set.attrs[config->open_waits_event]))
		config->open_waits_event++;
	if (!open_waits_create(&capture->open_waits, &plan->set.attrs[config->open_waits_event],
			       plan->off_cpu_period_ns, is_of_all, capture->round_fd))
		config->open_waits = open_waits_queue(capture->open_waits);
}

/* Creates what counts waits by the target's switches. */
static int create_switch_waits(struct capture *capture, struct sampler_config *config,
			       struct diag *why)
{
	struct capture_plan *plan = &capture->plan;
	struct switch_waits_config waits = {
		.set = &plan->set, .period_ns = plan->off_cpu_period_ns,
		.is_of_all = plan->kind == TARGET_SYSTEM || plan->kind == TARGET_USER ||
			     plan->kind == TARGET_OWN,
		.has_begun = plan->kind != TARGET_COMMAND || plan->target.since_ticks,
		.stack_ends = capture->stack_ends,
	};
	int err;

	if (!plan->has_switches || !capture_plan_has_off_cpu(plan))
		return 0;
	while (!event_is_off_cpu(&plan->set.attrs[waits.event]))
		waits.event++;
	waits.tells_on_cpu = plan->exclude_kernel && plan->events.specs[waits.event].is_part;
	err = switch_waits_create(&capture->switch_waits, &waits);
	if (err)
		return diag_set(why, err, "cannot count waits: %s", strerror(-err));
	config->switch_waits = capture->switch_waits;
	config->open_waits = switch_waits_queue(capture->switch_waits);
	config->open_waits_event = waits.event;
	return 0;
}

static void start_switch_waits(struct capture *capture)
{
	if (capture->switch_waits && switch_waits_start(capture->switch_waits))
		log_warn("off-cpu: no thread to count waits");
}

static void start_open_waits(struct capture *capture)
{
	if (capture->open_waits && open_waits_start(capture->open_waits, capture->plan.off_cpu))
		log_note("off-cpu: no thread to find those that stay blocked");
}

static int create_sampler(struct capture *capture, struct spsc *queue, struct diag *why)
{
	struct sampler_config config = {
		.set = &capture->plan.set,
		.queue = queue,
		.watch_fds = capture->watch_fds,
		.watch_count = capture->watch_count,
		.stack_ends = capture->stack_ends,
		.counts_lost = capture->plan.features.lost,
		.is_unwatched = capture->plan.is_unwatched,
		.off_cpu = capture->plan.target.cpus ? NULL : &capture->plan.off_cpu,
		.has_wait_sums = &capture->plan.has_wait_sums,
		.counts_hits = capture_plan_has_tasks(&capture->plan),
		.ends_with_target = capture_plan_has_tasks(&capture->plan) ||
				    capture->watch_count > 0,
		.wake_fd = capture->wake_fd,
		.round_fd = capture->round_fd,
	};

	int err = create_switch_waits(capture, &config, why);

	if (err)
		return err;
	capture->queue = queue;
	create_open_waits(capture, &config);
	return sampler_create(&capture->sampler, &config, why);
}

static int begin_following(struct capture *capture, struct diag *why)
{
	if (capture->plan.kind != TARGET_OWN)
		return 0;
	return follow_create(&capture->follow, &capture->plan.set,
			     capture->plan.descriptors_limit / 2, why);
}

static int enable_events(struct capture *capture, struct diag *why)
{
	const struct capture_plan *plan = &capture->plan;

	/* The exec of a command enables its events, unless they are CPU-wide. */
	if (plan->kind != TARGET_COMMAND || plan->target.since_ticks || plan->is_cpu_wide)
		event_set_enable(&capture->plan.set);
	return begin_following(capture, why);
}

static void end_following(struct capture *capture)
{
	follow_destroy(capture->follow);	/* the last sweep must include its losses */
	capture->follow = NULL;
}

static void destroy_sampler(struct capture *capture)
{
	sampler_destroy(capture->sampler);
	capture->sampler = NULL;
	open_waits_destroy(capture->open_waits);
	capture->open_waits = NULL;
	switch_waits_destroy(capture->switch_waits);
	capture->switch_waits = NULL;
}

int capture_start(struct capture *capture, struct spsc *queue, struct diag *why)
{
	int err = create_sampler(capture, queue, why);

	if (err)
		return err;
	start_open_waits(capture);
	start_switch_waits(capture);
	/* Last step: when records arrive, the consumer's thread may replace the capture. */
	err = enable_events(capture, why);
	sampler_start(capture->sampler, NULL);
	return err;
}

void capture_stop(struct capture *capture)
{
	if (!capture->sampler)
		return;
	end_following(capture);
	if (capture->open_waits)
		open_waits_end(capture->open_waits);
	event_set_disable(&capture->plan.set);	/* the last round finds the rings' end */
	sampler_stop(capture->sampler);
	destroy_sampler(capture);
}

static void swap(int *a, int *b)
{
	const int kept = *a;

	*a = *b;
	*b = kept;
}

/* Lets @capture use the descriptors of @old, which the consumer goes on using. */
static void swap_fds(struct capture *capture, struct capture *old)
{
	swap(&capture->wake_fd, &old->wake_fd);
	swap(&capture->round_fd, &old->round_fd);
}

int capture_replace(struct capture *capture, struct capture *old, struct source *source,
		    struct diag *why)
{
	struct queue_source first = { .source = source };
	int err;

	swap_fds(capture, old);
	err = create_sampler(capture, old->queue, why);
	if (!err)
		err = begin_following(capture, why);
	if (err) {
		capture_stop(capture);
		swap_fds(capture, old);
		return err;
	}
	end_following(old);
	first.begin_ns = sampler_hand_over(old->sampler, &capture->plan.set);
	capture_plan_take_off_cpu(&capture->plan, &old->plan);
	destroy_sampler(old);
	if (!first.begin_ns) {
		first.begin_ns = clock_now_ns();
		event_set_enable(&capture->plan.set);
	}
	start_open_waits(capture);
	start_switch_waits(capture);
	sampler_start(capture->sampler, &first);
	return 0;
}

void capture_destroy(struct capture *capture)
{
	if (!capture)
		return;
	capture_stop(capture);
	open_waits_destroy(capture->open_waits);	/* it may never have been started */
	switch_waits_destroy(capture->switch_waits);
	for (size_t i = 0; i < capture->watch_count; i++)
		close(capture->watch_fds[i]);
	free(capture->watch_fds);
	if (capture->wake_fd >= 0)
		close(capture->wake_fd);
	if (capture->round_fd >= 0)
		close(capture->round_fd);
	free_descs(capture);
	capture_plan_finish(&capture->plan);
	free(capture->absent_text);
	free(capture->counted_text);
	free(capture);
}

size_t capture_event_count(const struct capture *capture)
{
	return capture->plan.events.count + 1;
}

const struct event_desc *capture_event(const struct capture *capture, size_t index)
{
	return &capture->descs[index];
}

const char *capture_notice(const struct capture *capture)
{
	return capture->plan.notice ? capture->plan.notice : "";
}

const char *capture_absent_events(const struct capture *capture)
{
	return capture->absent_text ? capture->absent_text : "";
}

const char *capture_counted_events(const struct capture *capture)
{
	return capture->counted_text ? capture->counted_text : "";
}

const char *capture_target_text(const struct capture *capture)
{
	return capture->target_text;
}

enum target_kind capture_target_kind(const struct capture *capture)
{
	return capture->plan.kind;
}

bool capture_needs_task_filter(const struct capture *capture)
{
	return capture->plan.is_cpu_wide;
}

const struct target *capture_target(const struct capture *capture)
{
	return &capture->plan.target;
}

int capture_copy_target(const struct capture *capture, struct target *out, struct diag *why)
{
	int err = target_copy(out, &capture->plan.target, why);

	if (!err && !out->since_ticks)
		out->since_ticks = capture->begin_ticks;
	return err;
}

uint32_t capture_adaptable_copy(const struct capture *capture)
{
	const struct capture_plan *plan = &capture->plan;

	return plan->is_auto_stacks && plan->kind != TARGET_OWN ? plan->call_graph.copy_bytes
								    : 0;
}

size_t capture_cpu_count(const struct capture *capture)
{
	return capture->plan.cpu_count;
}

int capture_queue_fd(const struct capture *capture)
{
	return capture->wake_fd;
}

int capture_round_fd(const struct capture *capture)
{
	return capture->round_fd;
}

struct off_cpu *capture_share_off_cpu(const struct capture *capture)
{
	return capture->plan.off_cpu ? off_cpu_share(capture->plan.off_cpu) : NULL;
}
