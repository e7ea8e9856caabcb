/* scope.h - what to sample: -a, -p, -t, -u, -G, -C, -- command; and lists of CPUs.
 * Thread: one at a time (getpwnam(3)). */
#ifndef CAPTURE_SCOPE_H
#define CAPTURE_SCOPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"
#include "capture/event.h"

struct stack_ends;	/* capture/stack_copy.h */

enum target_kind {
	TARGET_SYSTEM,		/* every process, on `cpus` */
	TARGET_PROCESSES,	/* -p: all threads of the processes `ids`, and their children */
	TARGET_THREADS,		/* -t: the threads `ids` and their children */
	TARGET_USER,		/* -u: system-wide, filtered by `uid` in the analyzer */
	TARGET_CGROUP,		/* -G: system-wide, counted by the kernel for `cgroup` alone */
	TARGET_COMMAND,		/* -- command: `ids[0]` is the stopped child (proc/command.h) */
	TARGET_OWN,		/* no privileges: the user's own processes, followed each second */
};

struct target {
	enum target_kind kind;
	pid_t *ids;		/* owned */
	size_t id_count;
	uid_t uid;
	char *cgroup;		/* owned; directory of the cgroup, see capture/cgroup_dir.h */
	int *cpus;		/* owned; -C; NULL: all online */
	size_t cpu_count;
	bool no_inherit;
	bool has_descendants;	/* PID+: include existing descendants of the processes */
	/* Time since which the tasks have been sampled, in the clock of /proc/PID/stat: children
	 * started since then are included, and a command runs already. 0: sampling begins now. */
	uint64_t since_ticks;
};

/* Parse the text of an option. Return 0, -EINVAL (syntax), -ESRCH (no such process: @why names it),
 * -ENOENT (no such user or cgroup), -ENODEV (no such CPU, no cgroups). Processes are ids or names
 * (comm, or the file name of argv[0]: every process that has it now); either all or none of them
 * end in "+", for has_descendants. */
int target_set_processes(struct target *target, const char *list, struct diag *why);
int target_set_threads(struct target *target, const char *list, struct diag *why);
int target_set_user(struct target *target, const char *name, struct diag *why);
int target_set_cgroup(struct target *target, const char *name, struct diag *why);
int target_set_cpus(struct target *target, const char *list, struct diag *why);
/* Returns the time (clock of /proc/PID/stat) since which descendants of the target's processes
 * belong to it; 1: all of them; 0: none that exist already. */
uint64_t target_started_since(const struct target *target);
/* Returns true when the target is whole processes, which may start threads while they are listed.
 * @kind: the kind in effect. */
bool target_has_processes(const struct target *target, enum target_kind kind);
/* Lists the tasks of @target that exist now, without processes that have ended. @kind: the kind in
 * effect, of tasks. *@tids is the caller's (malloc'd), also on failure. 0 or -ENOMEM. */
int target_list_tasks(const struct target *target, enum target_kind kind, pid_t **tids,
		      size_t *count);
/* Removes ids, user and cgroup and keeps the CPUs: the target is every process on them. */
void target_set_everything(struct target *target);
/* Copies @from into *@out, which the caller owns. Returns 0, or -ENOMEM with *@out empty. */
int target_copy(struct target *out, const struct target *from, struct diag *why);
/* Describes the target for the header: "8 CPUs", "pid 4121". @kind: the kind in effect, without
 * privileges TARGET_OWN; @cpu_count: sampled CPUs. */
void target_format(const struct target *target, enum target_kind kind, size_t cpu_count, char *out,
		   size_t room);
void target_finish(struct target *target);

#define CAPTURE_MAX_EVENTS 1919	/* TIMELINE_MAX_EVENTS (1920) less the side-band */
#define CAPTURE_MAX_COUNTED 32	/* events that are counted beside samples */
#define CAPTURE_DEFAULT_FREQ_HZ 997 /* odd: not in lockstep with timers; flametop(8), CAVEATS */

/* What is to be sampled, and how. */
struct capture_config {
	const char *const *events;	/* texts of -e, also lists; none: cycles or cpu-clock */
	size_t event_text_count;
	/* --filter texts in perf's syntax, one per text of `events` for its last event, or NULL.
	 * NULL: no filters. BORROWED, like `events`, until capture_destroy(). */
	const char *const *event_filters;
	const char *pmu_devices;	/* directory of the PMUs, BORROWED until capture_open()
					 * returns; NULL: EVENT_PMU_DEVICES */
	bool can_count;		/* events that can't be sampled are counted: see
				 * capture_counted_events() */
	bool has_no_event;	/* open only the side-band: all counts come from probes */
	uint64_t freq_hz;	/* 0: use `period`; UINT64_MAX: perf_event_max_sample_rate */
	uint64_t period;	/* if freq_hz is 0, too: every hit of a tracepoint, else 997 Hz */
	uint64_t off_cpu_period_ns;	/* waits that are shorter are sampled; 0: 1 ms */
	size_t ring_pages;	/* per CPU and event, a power of two; 0: ring_size_choose() */
	struct call_graph call_graph;
	uint64_t branch_filter;	/* branch_filter_parse(); 0: samples have no branches. Not with
				 * CALL_GRAPH_LBR */
	bool has_raw;		/* samples of tracepoints have what these write, and the events
				 * their raw_format */
	bool are_hits_too_many;	/* call_graph auto: no copies where every hit is a sample */
	const struct stack_ends *stack_ends;	/* BORROWED until capture_stop(); NULL: none */
	bool wants_all_maps;	/* also mappings that are not executable: a recording needs them,
				 * if copies of stacks are to be unwound from it */
	bool is_unwatched;	/* nobody looks: records may come later, see sampler_config */
	bool insists_on_all;	/* -a: fail where not everything may be sampled */
	struct target target;	/* owned by the capture after capture_open(), also on failure */
};

/* Lists of CPUs as the kernel and the user write them: "0-3,8".
 * Source: Documentation/admin-guide/cputopology.rst. Thread: any. */

/* Parses a list into ascending numbers without duplicates. The caller owns *@cpus (malloc'd; NULL
 * on failure). Returns 0, -EINVAL (syntax) or -ENOMEM. */
int cpu_list_parse(const char *text, int **cpus, size_t *count, struct diag *why);

/* Reads the CPUs that are online now into *@cpus, as cpu_list_parse() does. 0 or -errno. */
int cpu_list_online(int **cpus, size_t *count, struct diag *why);

/* Returns the first online CPU; 0 if it can't be read. */
int cpu_list_first_online(void);

bool cpu_list_has(const int *cpus, size_t count, int cpu);

/* Which socket (package) each CPU of this machine is in.
 * Source: Documentation/admin-guide/cputopology.rst. Thread: any. */

struct cpu_sockets {
	int *of_cpu;	/* owned; socket of each CPU; < 0: unknown, as for offline CPUs */
	uint32_t count;	/* number of CPUs in of_cpu, from CPU 0 on */
};

/* Reads @directory ("/sys/devices/system/cpu"). CPUs that can't be read are unknown or missing:
 * `count` is 0 at worst. */
void cpu_sockets_read(struct cpu_sockets *out, const char *directory);
void cpu_sockets_finish(struct cpu_sockets *sockets);

/* The PMUs of the processor's cores. A machine with several kinds of cores (Arm big.LITTLE, Intel's
 * hybrid processors) has one per kind, each for its own CPUs.
 *
 * Source: /sys/bus/event_source/devices: a PMU of cores has a file `cpus`, or the name "cpu".
 * Thread: any; constant once read. */

#define CORE_PMUS_MAX 8		/* processors have two or three kinds of cores */
#define CORE_PMU_NONE SIZE_MAX

struct core_pmu {
	char name[48];		/* "cpu_atom", "armv8_cortex_a53"; raw */
	uint32_t type;		/* perf_event_attr.type; 0 in a recording that does not tell */
	int *cpus;		/* owned; ascending; NULL: every CPU */
	size_t cpu_count;
};

struct core_pmus {
	struct core_pmu list[CORE_PMUS_MAX];	/* by type */
	size_t count;		/* 0: none is known */
};

/* Reads the PMUs in the directory @devices (EVENT_PMU_DEVICES). What can't be read is left out. */
void core_pmus_read(struct core_pmus *out, const char *devices);
/* Adds a PMU; takes the ownership of @cpus, also when there is no room and nothing is added. */
void core_pmus_add(struct core_pmus *pmus, const char *name, uint32_t type, int *cpus,
		   size_t cpu_count);
void core_pmus_finish(struct core_pmus *pmus);	/* zeroed ones are fine */

/* Return the index of the PMU, CORE_PMU_NONE: there is none. */
size_t core_pmus_of_cpu(const struct core_pmus *pmus, uint32_t cpu);
size_t core_pmus_of_type(const struct core_pmus *pmus, uint32_t type);

/* Reads the CPUs by which a PMU outside the cores counts, one for each package or die, from its
 * file `cpumask`; *@cpus is the caller's, NULL: there is no such file, and every CPU counts. */
void pmu_cpumask_read(const char *devices, const char *pmu, int **cpus, size_t *count);

#endif
