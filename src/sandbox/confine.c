/* confine.c - see confine.h.
 *
 * Problem: a compromised parser will find any gap that a single layer leaves.
 *
 * Idea: each layer alone should suffice. A worker's user ID owns nothing and nobody else uses it;
 * the worker has no capability and cannot get one; its root is a directory that it may not enter;
 * Landlock denies the rest of the file system; limits bound memory, time, files and processes; the
 * filter allows two dozen system calls. What workers share is set once, in the zygote. A worker
 * that opens source files becomes the user that it opens them for, and may open files to read them;
 * it parses nothing.
 *
 * Invariant: a step that fails is an error, not a warning. Only what the kernel or an unprivileged
 * user lacks altogether is skipped: Landlock, and, without root, the change of user and root
 * directory, where the user's own lack of rights has to do.
 *
 * Rejected: namespaces (the filter kills a worker that asks for one, and a network namespace takes
 * 10 ms); securebits (they only affect execve(2), which a worker can't call).
 */
#include "confine.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sandbox/code_rows.h"
#include "sandbox/flat_table.h"
#include "sandbox/code_files.h"
#include "sandbox/lines.h"
#include "sandbox/probe_points.h"
#include "sandbox/sandbox_protocol.h"
#include "sandbox/file_text.h"
#include "sandbox/trace_texts.h"
#include "sandbox/unwind_table.h"

/* Unused user ID: Debian's policy 9.2.2 reserves 65000-65533, and systemd's list of ids has
 * 65520-65533 as unused. Not 65534 "nobody": NFS and others run processes and own files as that. */
#define UNUSED_ID 65527

/* The fetcher's: it could signal the workers otherwise. */
#define FETCHER_ID 65526

#define DESCRIPTORS_MAX (3 + SANDBOX_JOB_FDS + 3)	/* 0-2, the job's, memfd, two spare */

/* The zygote needs CAP_KILL, because the worker it must kill runs as another user. */
#define ZYGOTE_CAPABILITIES (1u << CAP_SETUID | 1u << CAP_SETGID | 1u << CAP_KILL)

/* The numbers bound damage, they are not budgets: a job of usual size needs a tenth of them. */
#define MIB ((uint64_t)1 << 20)

#if SANITIZER_BUILD
#define SLOWER		5	/* measured 2 to 4 */
#define ADDRESSES(mib)	0	/* the shadow alone is terabytes */
#else
#define SLOWER		1
#define ADDRESSES(mib)	((mib) * MIB)
#endif

/* A DSO of 200 MB needs 0.2 s, 4 million symbols 0.5 GiB while they are sorted. */
#define OF_A_TABLE                                                                                \
	{ SLOWER * SANDBOX_DEADLINE_MS, SLOWER * 8, ADDRESSES(1024), FLAT_BYTES_MAX,              \
	  SYSCALLS_OF_PARSERS }

static const struct sandbox_limits limits_of_kinds[] = {
	[SANDBOX_SYMBOLS] = OF_A_TABLE,
	/* 5 MB of entries need 50 ms, 8 million rows 0.5 GiB while they are sorted. */
	[SANDBOX_UNWIND] = { SLOWER * SANDBOX_DEADLINE_MS, SLOWER * 4, ADDRESSES(1024),
			     UNWIND_BYTES_MAX, SYSCALLS_OF_PARSERS },
	/* 250 names take a millisecond and demangle to 4 KB each at most. */
	[SANDBOX_NAMES] = { SLOWER * 5000, SLOWER * 1, ADDRESSES(256), 4 * MIB,
			    SYSCALLS_OF_PARSERS },
	/* DWARF_LINES_MEMORY_MAX unpacked, the file itself, the index; libdw asks for paths. */
	[SANDBOX_LINES] = { SLOWER * 30000, SLOWER * 20, ADDRESSES(4096), FLAT_BYTES_MAX,
			    SYSCALLS_OF_LIBDW },
	[SANDBOX_LINE_RANGES] = { SLOWER * 30000, SLOWER * 20, ADDRESSES(4096),
				  LINE_RANGES_BYTES_MAX, SYSCALLS_OF_LIBDW },
	/* A read of memory takes a few microseconds, or blocks forever. */
	[SANDBOX_MEMORY] = { SLOWER * 2000, SLOWER * 1, ADDRESSES(256), 2 * MIB,
			     SYSCALLS_OF_PARSERS },
	[SANDBOX_JIT_MAP] = OF_A_TABLE,
	[SANDBOX_JITDUMP] = OF_A_TABLE,
	/* 32 stacks of 50 frames take some ms; one that makes libunwind loop takes longer. */
	[SANDBOX_SLOW_FRAMES] = { SLOWER * 2000, SLOWER * 1, ADDRESSES(1024), MIB,
				  SYSCALLS_OF_LIBUNWIND },
	/* Costs as much as SANDBOX_LINES; a reply has a few hundred rows. */
	[SANDBOX_POINTS] = { SLOWER * 30000, SLOWER * 20, ADDRESSES(4096), POINT_REPLY_BYTES,
			     SYSCALLS_OF_LIBDW },
	[SANDBOX_PROBE_NAMES] = OF_A_TABLE,
	/* Lives as long as the recording is viewed: it blocks while nobody reads. A gigabyte of
	 * records needs 2 s; zstd's window is 128 MiB at most. */
	[SANDBOX_RECORDS] = { UINT32_C(7) * 24 * 3600 * 1000, 3600, ADDRESSES(512), 4096,
			      SYSCALLS_OF_PARSERS },
	/* Reads headers only. */
	[SANDBOX_SEGMENTS] = { SLOWER * 5000, SLOWER * 2, ADDRESSES(512), MIB,
			       SYSCALLS_OF_PARSERS },
	/* A dump of a gigabyte has a million records, of which 56 bytes each are read. */
	[SANDBOX_JIT_CODE] = { SLOWER * SANDBOX_DEADLINE_MS, SLOWER * 8, ADDRESSES(1024),
			       64 * MIB, SYSCALLS_OF_PARSERS },
	/* CODE_RANGE_BYTES_MAX of instructions take 0.1 s. */
	[SANDBOX_CODE] = { SLOWER * 5000, SLOWER * 4, ADDRESSES(1024), CODE_ROWS_BYTES_MAX,
			   SYSCALLS_OF_PARSERS },
	/* 16 MiB and their checksum take 50 ms; a file system may take longer. */
	[SANDBOX_SOURCE] = { SLOWER * 3000, SLOWER * 2, ADDRESSES(256),
			     FILE_TEXT_BYTES_MAX + 4096, SYSCALLS_OF_SOURCES },
	/* A format is parsed in 0.1 ms, a record printed in 10 us. */
	[SANDBOX_TRACES] = { SLOWER * SANDBOX_DEADLINE_MS, SLOWER * 4, ADDRESSES(512),
			     TRACE_RECORDS_MAX * (TRACE_TEXT_MAX + 1ull), SYSCALLS_OF_PARSERS },
};

_Static_assert(sizeof(limits_of_kinds) / sizeof(limits_of_kinds[0]) == SANDBOX_JOB_KINDS,
	       "every kind of job has its limits");

const struct sandbox_limits *sandbox_limits(uint32_t kind)
{
	assert(kind < SANDBOX_JOB_KINDS);
	return &limits_of_kinds[kind];
}

/* Landlock: a ruleset that handles every right the kernel knows and grants none. The rights are
 * listed by ABI version; those of later versions stay granted until their row is added here. The
 * numbers are kernel ABI, written out: the headers of a build machine are often older than the
 * kernel that the program runs on. */
#define ASK_VERSION 1u		/* LANDLOCK_CREATE_RULESET_VERSION */

/* struct landlock_ruleset_attr as of version 6. Older kernels accept it as long as the fields they
 * don't know are zero. */
struct rights {
	uint64_t files, network, scoped;
};

static const struct rights rights_by_version[] = {
	[1] = { .files = 0x1fff },	/* execute, write, read, list, remove, make, of any kind */
	[2] = { .files = 0x3fff },	/* and link or rename into another directory */
	[3] = { .files = 0x7fff },	/* and truncate */
	[4] = { .files = 0x7fff, .network = 3 },	/* and bind and connect TCP */
	[5] = { .files = 0xffff, .network = 3 },	/* and ioctl(2) of devices */
	[6] = { .files = 0xffff, .network = 3, .scoped = 3 },	/* and abstract sockets, signals */
};

#define VERSIONS ((int)(sizeof(rights_by_version) / sizeof(rights_by_version[0])))

int landlock_version(void)
{
	long version = syscall(SYS_landlock_create_ruleset, NULL, 0, ASK_VERSION);

	return version > 0 ? (int)version : 0;
}

#define READ_FILE      4u	/* LANDLOCK_ACCESS_FS_READ_FILE */
#define READ_DIRECTORY 8u	/* LANDLOCK_ACCESS_FS_READ_DIR */
#define CONNECT	       2u	/* LANDLOCK_ACCESS_NET_CONNECT_TCP */

/* Irrevocably denies the calling process and its children every access that this version of
 * Landlock can restrict, except the rights @files and @network; set PR_SET_NO_NEW_PRIVS before.
 * Returns 0, also without Landlock, or -errno. */
static int landlock_deny_all_but(uint64_t files, uint64_t network)
{
	int version = landlock_version(), rules, err;
	struct rights denied;

	if (version == 0)
		return 0;
	if (version >= VERSIONS)
		version = VERSIONS - 1;
	denied = rights_by_version[version];
	denied.files &= ~files;
	denied.network &= ~network;
	rules = (int)syscall(SYS_landlock_create_ruleset, &denied, sizeof(denied), 0);
	if (rules < 0)
		return -errno;
	err = syscall(SYS_landlock_restrict_self, rules, 0) ? -errno : 0;
	close(rules);
	return err;
}

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
	err = landlock_deny_all_but(READ_FILE, 0);
	if (err)
		diag_set(why, err, "Landlock refuses: %s", strerror(-err));
}

static int change_user(const struct worker_user *user)
{
	if (geteuid() != 0)
		return 0;
	return setgroups(user->group_count, user->groups) ||
	       setresgid(user->gid, user->gid, user->gid) ||
	       setresuid(user->uid, user->uid, user->uid) ? -errno : 0;
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
	    set_cpu_limit(limits->cpu_s) && set_limit(RLIMIT_FSIZE, limits->reply_bytes) &&
	    set_limit(RLIMIT_NOFILE, DESCRIPTORS_MAX) && set_limit(RLIMIT_NPROC, 0) &&
	    set_limit(RLIMIT_CORE, 0))
		return 0;
	return -errno;
}

int confine_worker(const struct confinement *confinement, const struct sandbox_limits *limits,
		   const struct worker_user *user, pid_t zygote, struct diag *why)
{
	static const struct worker_user unused = { .uid = UNUSED_ID, .gid = UNUSED_ID };
	int err = confinement->why.err;

	if (err) {
		*why = confinement->why;
		return err;
	}
	prctl(PR_SET_NAME, "flametop-worker");
	err = change_user(user ? user : &unused);
	if (!err)
		err = set_capabilities(0);
	if (err)
		return diag_set(why, err, "the user stays: %s", strerror(-err));
	err = limits->calls == SYSCALLS_OF_SOURCES ? 0 : landlock_deny_all_but(0, 0);
	if (err)
		return diag_set(why, err, "Landlock refuses: %s", strerror(-err));
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

/* libcurl, the resolver and TLS need too many calls for a list of what is allowed. */
static int deny_calls_to_fetcher(void)
{
	static const int denied[] = {
		SCMP_SYS(execve), SCMP_SYS(execveat), SCMP_SYS(ptrace), SCMP_SYS(process_vm_readv),
		SCMP_SYS(process_vm_writev), SCMP_SYS(pidfd_getfd), SCMP_SYS(mount),
		SCMP_SYS(umount2), SCMP_SYS(move_mount), SCMP_SYS(unshare), SCMP_SYS(setns),
		SCMP_SYS(chroot), SCMP_SYS(pivot_root), SCMP_SYS(bpf), SCMP_SYS(perf_event_open),
		SCMP_SYS(init_module), SCMP_SYS(finit_module), SCMP_SYS(kexec_load),
		SCMP_SYS(keyctl), SCMP_SYS(add_key),
		SCMP_SYS(request_key), SCMP_SYS(userfaultfd), SCMP_SYS(io_uring_setup),
		SCMP_SYS(listen), SCMP_SYS(accept), SCMP_SYS(accept4), SCMP_SYS(kill),
		SCMP_SYS(tkill), SCMP_SYS(tgkill), SCMP_SYS(pidfd_send_signal),
		SCMP_SYS(rt_sigqueueinfo), SCMP_SYS(rt_tgsigqueueinfo),
	};
	scmp_filter_ctx context = seccomp_init(SCMP_ACT_ALLOW);
	int err = context ? 0 : -ENOSYS;

	for (size_t i = 0; i < sizeof(denied) / sizeof(denied[0]) && !err; i++)
		err = seccomp_rule_add(context, SCMP_ACT_ERRNO(EPERM), denied[i], 0);
	if (!err)
		err = seccomp_load(context);
	seccomp_release(context);
	return err;
}

#define FETCHER_PROCESSES 64	/* transfers at once, and threads that resolve names */
#define FETCHER_FILES	  64
#define FETCHER_FILE_BYTES (1024 * MIB)	/* twice what a transfer may have */

int confine_fetcher(struct diag *why)
{
	static const struct worker_user unused = { .uid = FETCHER_ID, .gid = FETCHER_ID };
	int err = change_user(&unused);

	if (!err)
		err = set_capabilities(0);
	if (!err && (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)))
		err = -errno;
	if (!err)
		err = landlock_deny_all_but(READ_FILE | READ_DIRECTORY, CONNECT);
	if (!err && (!set_limit(RLIMIT_CORE, 0) || !set_limit(RLIMIT_NOFILE, FETCHER_FILES) ||
		     !set_limit(RLIMIT_FSIZE, FETCHER_FILE_BYTES) ||
		     (geteuid() == FETCHER_ID && !set_limit(RLIMIT_NPROC, FETCHER_PROCESSES)) ||
		     (ADDRESSES(2048) && !set_limit(RLIMIT_AS, ADDRESSES(2048)))))
		err = -errno;
	if (!err)
		err = deny_calls_to_fetcher();
	return err ? diag_set(why, err, "the network process keeps rights: %s", strerror(-err)) : 0;
}

bool confine_keep_descriptor(int from, int to)
{
	const int null = open("/dev/null", O_RDWR);
	bool is_done = null >= 0 && dup2(from, to) >= 0;

	for (int i = 0; i < to; i++)
		is_done = is_done && dup2(null, i) >= 0;
	return is_done && close_range((unsigned int)to + 1, ~0u, 0) == 0;
}
