/* off_cpu.c - see off_cpu.h: maps, hooks, and what is read from them. The programs are in
 * off_cpu_programs.c.
 *
 * Order: the programs that write stamps are attached last of all, the resumed thread's program
 *        first: no wait is pending before somebody looks at it.
 */
#include "bpf/off_cpu.h"

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernel_program.h"
#include "off_cpu_programs.h"

#define IDS_MAX	    65536u	/* processes (or threads) that are watched or left out */
#define READS_MAX   100		/* until no thread is switched while its sums are copied */
#define PERIOD_MAX  4000000000u	/* random numbers have 32 bits */
#define RESUMED_BY  "sched_exit_tp"
#define FUNCTION    "finish_task_switch"

enum { PROGRAM_RESUMED, PROGRAM_EXIT, PROGRAM_FORK, PROGRAM_WAKING, PROGRAM_SWITCH, PROGRAM_ROWS,
       PROGRAMS };

struct off_cpu {
	struct off_cpu_maps maps;
	struct kernel_program programs[PROGRAMS];
};

typedef struct bytecode *make_program(const struct off_cpu_build *build);

static const struct {
	make_program *make;
	struct kernel_hook hook;
} programs[PROGRAMS] = {
	[PROGRAM_RESUMED] = { off_cpu_make_resumed,
			      { HOOK_TRACEPOINT, "off_cpu_resumed", RESUMED_BY } },
	[PROGRAM_EXIT] = { off_cpu_make_exit,
			   { HOOK_TRACEPOINT, "off_cpu_exit", "sched_process_exit" } },
	[PROGRAM_FORK] = { off_cpu_make_fork,
			   { HOOK_TRACEPOINT, "off_cpu_fork", "sched_process_fork" } },
	[PROGRAM_WAKING] = { off_cpu_make_waking,
			     { HOOK_TRACEPOINT, "off_cpu_waking", "sched_waking" } },
	[PROGRAM_SWITCH] = { off_cpu_make_switch,
			     { HOOK_TRACEPOINT, "off_cpu_switch", "sched_switch" } },
	[PROGRAM_ROWS] = { off_cpu_make_rows, { HOOK_TASK_ITERATOR, "off_cpu_rows", NULL } },
};

static int add_id(const struct off_cpu *off_cpu, pid_t id, enum id_kind kind)
{
	const uint32_t key = (uint32_t)id, value = kind;

	return bpf_map_update_elem(off_cpu->maps.ids, &key, &value, BPF_ANY) ? -errno : 0;
}

int off_cpu_watch(struct off_cpu *off_cpu, pid_t id)
{
	return add_id(off_cpu, id, ID_WATCHED);
}

static int fill_ids(struct off_cpu *off_cpu, const struct off_cpu_config *config, struct diag *why)
{
	int err = 0;

	for (size_t i = 0; !err && i < config->watched_count; i++)
		err = add_id(off_cpu, config->watched[i], ID_WATCHED);
	for (size_t i = 0; !err && !config->are_threads && i < config->left_out_count; i++)
		err = add_id(off_cpu, config->left_out[i], ID_LEFT_OUT);
	if (err)
		return diag_set(why, err, "off-CPU time of more than %u processes: name fewer, or "
				"none for the whole machine", IDS_MAX);
	return 0;
}

static bool has_cpu(const int *cpus, size_t count, int cpu)
{
	for (size_t i = 0; i < count; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

int off_cpu_redirect(struct off_cpu *off_cpu, const int *cpus, const int *events, size_t count)
{
	int err = 0;

	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++)
		if (!has_cpu(cpus, count, cpu))
			bpf_map_delete_elem(off_cpu->maps.events, &cpu);
	for (size_t i = 0; i < count; i++)
		if (bpf_map_update_elem(off_cpu->maps.events, &cpus[i], &events[i], BPF_ANY))
			err = -errno;
	return err;
}

static int fill_events(struct off_cpu *off_cpu, const struct off_cpu_config *config,
		       struct diag *why)
{
	const int err = off_cpu_redirect(off_cpu, config->cpus, config->events,
					 config->event_count);

	return err ? diag_set(why, err, "a BPF program can't write to the event of a CPU: %s",
			      strerror(-err)) : 0;
}

static int create_cgroup_map(struct off_cpu *off_cpu, int cgroup_fd, struct diag *why)
{
	const uint32_t key = 0;

	if (cgroup_fd < 0)
		return 0;
	off_cpu->maps.cgroup = kernel_map_create(BPF_MAP_TYPE_CGROUP_ARRAY, "off_cpu_cgroup", 4, 4,
						 1, 0, why);
	if (off_cpu->maps.cgroup < 0)
		return off_cpu->maps.cgroup;
	if (bpf_map_update_elem(off_cpu->maps.cgroup, &key, &cgroup_fd, BPF_ANY))
		return diag_set(why, -errno, "off-CPU time of a cgroup needs one of version 2: %s",
				strerror(errno));
	return 0;
}

static int create_maps(struct off_cpu *off_cpu, const struct off_cpu_config *config,
		       struct diag *why)
{
	struct off_cpu_maps *maps = &off_cpu->maps;
	const int cpus = libbpf_num_possible_cpus();
	int err;

	if (cpus < 0)
		return diag_set(why, cpus, "the number of CPUs is unknown: %s", strerror(-cpus));
	maps->threads = kernel_map_create_task_storage("off_cpu_threads",
						       sizeof(struct watched_thread) / 8, why);
	if (maps->threads < 0)
		return maps->threads;
	maps->counts = kernel_map_create(BPF_MAP_TYPE_PERCPU_ARRAY, "off_cpu_counts", 4,
					 sizeof(struct off_cpu_counts), 1, 0, why);
	if (maps->counts < 0)
		return maps->counts;
	maps->ids = kernel_map_create(BPF_MAP_TYPE_HASH, "off_cpu_ids", 4, 4, IDS_MAX,
				      BPF_F_NO_PREALLOC, why);
	if (maps->ids < 0)
		return maps->ids;
	maps->events = kernel_map_create(BPF_MAP_TYPE_PERF_EVENT_ARRAY, "off_cpu_events", 4, 4,
					 (uint32_t)cpus, 0, why);
	if (maps->events < 0)
		return maps->events;
	err = create_cgroup_map(off_cpu, config->cgroup_fd, why);
	if (!err)
		err = fill_ids(off_cpu, config, why);
	return err ? err : fill_events(off_cpu, config, why);
}

/* Finds what the compiler called FUNCTION: it may have cloned it, as FUNCTION.isra.0. */
static int find_function(char *out, size_t room, struct diag *why)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[256], name[128];
	bool has_found = false;

	while (file && !has_found && fgets(line, sizeof(line), file)) {
		if (sscanf(line, "%*s %*s %127s", name) != 1 ||
		    strncmp(name, FUNCTION, strlen(FUNCTION)) != 0)
			continue;
		has_found = strcspn(name + strlen(FUNCTION), ".") == 0 && !strstr(name, ".cold");
	}
	if (file)
		fclose(file);
	if (!has_found)
		return diag_set(why, -ENOENT, "the kernel has neither the tracepoint " RESUMED_BY
				" (Linux 6.17) nor a function " FUNCTION "(): off-CPU time needs "
				"one of them");
	snprintf(out, room, "%s", name);
	return 0;
}

static int load_program(struct off_cpu *off_cpu, const struct off_cpu_build *build, int which,
			const struct kernel_hook *hook, const struct btf *btf, struct diag *why)
{
	struct bytecode *code = programs[which].make(build);
	int err;

	if (!code)
		return diag_set(why, -ENOMEM, "no memory for a BPF program");
	err = kernel_program_load(&off_cpu->programs[which], code, hook, btf, why);
	if (!err && hook->kind != HOOK_TASK_ITERATOR)
		err = kernel_program_attach(&off_cpu->programs[which], hook, why);
	bytecode_destroy(code);
	return err;
}

static int load_programs(struct off_cpu *off_cpu, struct off_cpu_build *build,
			 const struct btf *btf, struct diag *why)
{
	char function[128];
	struct kernel_hook at_function = { HOOK_FUNCTION, "off_cpu_resumed", function };
	int err = 0;

	build->is_function = kernel_btf_arguments(btf, RESUMED_BY) < 0;
	if (build->is_function)
		err = find_function(function, sizeof(function), why);
	for (int i = 0; !err && i < PROGRAMS; i++)
		err = load_program(off_cpu, build, i, i == PROGRAM_RESUMED && build->is_function
				   ? &at_function : &programs[i].hook, btf, why);
	return err;
}

static int open_with(struct off_cpu *off_cpu, const struct off_cpu_config *config,
		     const struct btf *btf, struct diag *why)
{
	struct off_cpu_build build = {
		.period_ns = config->period_ns ? config->period_ns : OFF_CPU_PERIOD_NS,
		.watches_ids = config->watched_count > 0, .are_threads = config->are_threads,
		.has_no_children = config->has_no_children,
		.has_kernel_threads = config->has_kernel_threads,
		.are_cpus_chosen = config->are_cpus_chosen,
	};
	int err;

	if (build.period_ns > PERIOD_MAX)
		return diag_set(why, -EINVAL, "the period of off-CPU time is %llu ns, at most 4 s",
				(unsigned long long)build.period_ns);
	if (kernel_btf_arguments(btf, "sched_switch") < 4)
		return diag_set(why, -ENOENT, "off-CPU time needs Linux 5.18 or later: the "
				"tracepoint sched_switch has no prev_state");
	err = off_cpu_layout_find(&build.layout, btf, why);
	if (!err)
		err = create_maps(off_cpu, config, why);
	build.maps = off_cpu->maps;
	return err ? err : load_programs(off_cpu, &build, btf, why);
}

int off_cpu_open(struct off_cpu **out, const struct off_cpu_config *config, struct diag *why)
{
	struct off_cpu *off_cpu = malloc(sizeof(*off_cpu));
	struct btf *btf;
	int err;

	*out = NULL;
	if (!off_cpu)
		return diag_set(why, -ENOMEM, "no memory for off-CPU time");
	off_cpu->maps = (struct off_cpu_maps){ -1, -1, -1, -1, -1 };
	for (int i = 0; i < PROGRAMS; i++)
		off_cpu->programs[i] = KERNEL_PROGRAM_NONE;
	err = kernel_check_rights("off-CPU time", why);
	if (!err)
		err = kernel_btf_open(&btf, why);
	if (!err) {
		err = open_with(off_cpu, config, btf, why);
		btf__free(btf);
	}
	if (err)
		off_cpu_close(off_cpu);
	else
		*out = off_cpu;
	return err;
}

/* The counts are u64 without gaps. */
int off_cpu_read_counts(const struct off_cpu *off_cpu, struct off_cpu_counts *out,
			struct diag *why)
{
	const int err = kernel_map_add_up(off_cpu->maps.counts, (uint64_t *)out,
					  sizeof(*out) / sizeof(uint64_t),
					  "the counts of off-CPU time", why);

	if (err)
		return err;
	out->processes_refused += kernel_program_missed(&off_cpu->programs[PROGRAM_FORK]);
	for (int i = 0; i < PROGRAMS; i++)
		if (i != PROGRAM_FORK && i != PROGRAM_SWITCH)
			out->skipped += kernel_program_missed(&off_cpu->programs[i]);
	return 0;
}

/* Removes rows that could not be copied at once. */
static size_t remove_torn(struct off_cpu_thread *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (rows[i].first_ns)
			rows[kept++] = rows[i];
	return kept;
}

/* Before Linux 6.1 an iterator can't be asked for one process. */
static size_t remove_others(struct off_cpu_thread *rows, size_t count, pid_t pid)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (rows[i].pid == (uint32_t)pid)
			rows[kept++] = rows[i];
	return kept;
}

int off_cpu_read_threads(const struct off_cpu *off_cpu, pid_t pid, struct off_cpu_thread **rows,
			 size_t *count, struct diag *why)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	size_t bytes, whole = 0;

	*rows = NULL;
	*count = 0;
	for (int i = 0; i < READS_MAX; i++) {
		int err;

		free(*rows);
		err = kernel_program_iterate(&off_cpu->programs[PROGRAM_ROWS], pid, (void **)rows,
					     &bytes, why);
		if (err)
			return err;
		*count = bytes / sizeof(**rows);
		whole = remove_torn(*rows, *count);
		if (whole == *count)
			break;
		nanosleep(&pause, NULL);
	}
	*count = pid ? remove_others(*rows, whole, pid) : whole;
	return 0;
}

struct off_cpu *off_cpu_share(const struct off_cpu *off_cpu)
{
	struct off_cpu *shared = malloc(sizeof(*shared));

	if (!shared)
		return NULL;
	*shared = (struct off_cpu){ .maps = { -1, -1, -1, -1, -1 } };
	for (int i = 0; i < PROGRAMS; i++)
		shared->programs[i] = KERNEL_PROGRAM_NONE;
	shared->programs[PROGRAM_ROWS].fd =
		fcntl(off_cpu->programs[PROGRAM_ROWS].fd, F_DUPFD_CLOEXEC, 0);
	if (shared->programs[PROGRAM_ROWS].fd >= 0)
		return shared;
	free(shared);
	return NULL;
}

static void close_map(int fd)
{
	if (fd >= 0)
		close(fd);
}

void off_cpu_close(struct off_cpu *off_cpu)
{
	if (!off_cpu)
		return;
	for (int i = PROGRAMS - 1; i >= 0; i--)
		kernel_program_close(&off_cpu->programs[i]);
	close_map(off_cpu->maps.threads);
	close_map(off_cpu->maps.counts);
	close_map(off_cpu->maps.ids);
	close_map(off_cpu->maps.events);
	close_map(off_cpu->maps.cgroup);
	free(off_cpu);
}
