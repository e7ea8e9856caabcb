/* target.h - whom to sample: -a, -p, -t, -u, -G, -C, -- command. Pure parsing and checks.
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
	TARGET_PROCESSES,	/* -p: `ids` are processes: all threads and what they start */
	TARGET_THREADS,		/* -t: `ids` are threads and what they start */
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
	char *cgroup;		/* owned; its directory, see capture/cgroup_dir.h */
	int *cpus;		/* owned; -C; NULL: all online */
	size_t cpu_count;
	bool no_inherit;
	bool has_descendants;	/* PID+: also what the processes have started before */
	/* These tasks have been sampled since then (/proc/PID/stat's clock), and what they started
	 * belongs to them; a command runs already. 0: from now on. */
	uint64_t since_ticks;
};

/* Each takes the option's text. 0, -EINVAL (syntax), -ESRCH (no such process: named),
 * -ENOENT (no such user or cgroup), -ENODEV (no such CPU, no cgroups). Processes are ids or names
 * (comm, or the file name of argv[0]: every process that has it now), all of them with a + behind,
 * for has_descendants, or none. */
int target_set_processes(struct target *target, const char *list, struct diag *why);
int target_set_threads(struct target *target, const char *list, struct diag *why);
int target_set_user(struct target *target, const char *name, struct diag *why);
int target_set_cgroup(struct target *target, const char *name, struct diag *why);
int target_set_cpus(struct target *target, const char *list, struct diag *why);
/* What the target's processes have started since then belongs to it (/proc/PID/stat's clock, 1:
 * all of it); 0: nothing that is there already. */
uint64_t target_started_since(const struct target *target);
/* Ids, user and cgroup are forgotten, the CPUs stay: every process on them. */
void target_set_everything(struct target *target);
/* *@out is the caller's. 0 or -ENOMEM, then it is empty. */
int target_copy(struct target *out, const struct target *from, struct diag *why);
/* Whom, in a few words for the header: "8 CPUs", "pid 4121". @kind: what it came to, which without
 * privileges is TARGET_OWN; @cpu_count: sampled CPUs. */
void target_format(const struct target *target, enum target_kind kind, size_t cpu_count, char *out,
		   size_t room);
void target_finish(struct target *target);

#endif
