/* target.h - what to sample: -a, -p, -t, -u, -G, -C, -- command. Pure parsing and checks.
 * Thread: one at a time (getpwnam(3)). */
#ifndef CAPTURE_TARGET_H
#define CAPTURE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/diag.h"

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
/* Removes ids, user and cgroup and keeps the CPUs: the target is every process on them. */
void target_set_everything(struct target *target);
/* Copies @from into *@out, which the caller owns. Returns 0, or -ENOMEM with *@out empty. */
int target_copy(struct target *out, const struct target *from, struct diag *why);
/* Describes the target for the header: "8 CPUs", "pid 4121". @kind: the kind in effect, without
 * privileges TARGET_OWN; @cpu_count: sampled CPUs. */
void target_format(const struct target *target, enum target_kind kind, size_t cpu_count, char *out,
		   size_t room);
void target_finish(struct target *target);

#endif
