/* confine.c - see sandbox/confine.h.
 *
 * Problem: a compromised parser will find any gap that a single layer leaves.
 *
 * Idea: each layer alone should suffice. A worker's user ID owns nothing and nobody else uses it;
 * the worker has no capability and cannot get one; its root is a directory that it may not enter;
 * Landlock denies the rest of the file system; limits bound memory, time, files and processes; the
 * filter allows two dozen system calls. What workers share is set once, in the zygote.
 *
 * Invariant: a step that fails is an error, not a warning. Only what the kernel or an unprivileged
 * user lacks altogether is skipped: Landlock, and, without root, the change of user and root
 * directory, where the user's own lack of rights has to do.
 *
 * Rejected: namespaces (the filter kills a worker that asks for one, and a network namespace takes
 * 10 ms); securebits (they only affect execve(2), which a worker can't call).
 */
#include "sandbox/confine.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/landlock.h"
#include "sandbox/sandbox_protocol.h"

/* Unused user ID: Debian's policy 9.2.2 reserves 65000-65533, and systemd's list of ids has
 * 65520-65533 as unused. Not 65534 "nobody": NFS and others run processes and own files as that. */
#define UNUSED_ID 65527

#define DESCRIPTORS_MAX (3 + SANDBOX_JOB_FDS + 3)	/* 0-2, the job's, memfd, two spare */

/* The zygote needs CAP_KILL, because the worker it must kill runs as another user. */
#define ZYGOTE_CAPABILITIES (1u << CAP_SETUID | 1u << CAP_SETGID | 1u << CAP_KILL)

static int set_capabilities(uint32_t wanted)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, sets))
		return -errno;
	wanted &= sets[0].permitted;
	sets[0] = (struct __user_cap_data_struct){ .effective = wanted, .permitted = wanted };
	sets[1] = (struct __user_cap_data_struct){ 0 };
	return syscall(SYS_capset, &header, sets) ? -errno : 0;
}

/* The bounding set can only be emptied with CAP_SETPCAP and only matters to execve(2), which
 * no_new_privs makes harmless: so no failure stops here. */
static int drop_capabilities_of_others(void)
{
	for (unsigned long capability = 0; capability < 64; capability++)
		prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
		return -errno;
	return set_capabilities(ZYGOTE_CAPABILITIES);
}

/* Changes the root to a directory that exists everywhere and has no name to look up: information on
 * the zygote's open descriptors, which only the zygote's own user may access. */
static int leave_file_system(void)
{
	if (geteuid() != 0)
		return 0;
	return chroot("/proc/self/fdinfo") || chdir("/") ? -errno : 0;
}

void confine_zygote(struct confinement *out)
{
	struct diag *why = &out->why;
	int err;

	*out = (struct confinement){ .why = { .err = 0 } };
	for (unsigned int i = 0; i < SYSCALL_LISTS; i++)
		if (syscall_filter_build(&out->filters[i], (enum syscall_list)i, why))
			return;
	err = leave_file_system();
	if (err) {
		diag_set(why, err, "no empty root directory: %s", strerror(-err));
		return;
	}
	err = drop_capabilities_of_others();
	if (err) {
		diag_set(why, err, "capabilities stay: %s", strerror(-err));
		return;
	}
	err = landlock_deny_all();
	if (err)
		diag_set(why, err, "Landlock refuses: %s", strerror(-err));
}

static int drop_user(void)
{
	if (geteuid() != 0)
		return 0;
	return setgroups(0, NULL) || setresgid(UNUSED_ID, UNUSED_ID, UNUSED_ID) ||
	       setresuid(UNUSED_ID, UNUSED_ID, UNUSED_ID) ? -errno : 0;
}

static bool set_limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return false;
	if (limit.rlim_max > value)	/* RLIM_INFINITY is the largest number */
		limit.rlim_max = value;
	limit.rlim_cur = limit.rlim_max;
	return setrlimit(resource, &limit) == 0;
}

/* Over the limit the kernel sends SIGXCPU, which tells this from other deaths, and SIGKILL a second
 * later. */
static bool set_cpu_limit(uint32_t seconds)
{
	struct rlimit limit;

	if (!set_limit(RLIMIT_CPU, seconds + 1) || getrlimit(RLIMIT_CPU, &limit))
		return false;
	limit.rlim_cur = limit.rlim_max > 1 ? limit.rlim_max - 1 : limit.rlim_max;
	return setrlimit(RLIMIT_CPU, &limit) == 0;
}

static int set_limits(const struct sandbox_limits *limits)
{
	signal(SIGXFSZ, SIG_IGN);	/* write() says it: EFBIG */
	if ((!limits->memory_bytes || set_limit(RLIMIT_AS, limits->memory_bytes)) &&
	    set_cpu_limit(limits->cpu_s) && set_limit(RLIMIT_FSIZE, limits->answer_bytes) &&
	    set_limit(RLIMIT_NOFILE, DESCRIPTORS_MAX) && set_limit(RLIMIT_NPROC, 0) &&
	    set_limit(RLIMIT_CORE, 0))
		return 0;
	return -errno;
}

int confine_worker(const struct confinement *confinement, const struct sandbox_limits *limits,
		   pid_t zygote, struct diag *why)
{
	int err = confinement->why.err;

	if (err) {
		*why = confinement->why;
		return err;
	}
	prctl(PR_SET_NAME, "flametop-worker");
	err = drop_user();
	if (!err)
		err = set_capabilities(0);
	if (err)
		return diag_set(why, err, "the user stays: %s", strerror(-err));
	err = set_limits(limits);
	if (err)
		return diag_set(why, err, "limits refused: %s", strerror(-err));
	/* Changing the user clears the death signal, so it is set after that. */
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL) ||
	    getppid() != zygote)
		return diag_set(why, -ESRCH, "its parent is gone");
	err = syscall_filter_install(&confinement->filters[limits->calls]);
	if (err)
		return diag_set(why, err, "the kernel takes no filter of system calls: %s",
				strerror(-err));
	return 0;
}
