/* syscall_filter.c - see syscall_filter.h.
 *
 * Problem: a worker compromised by a file still shares the kernel with everybody, and every system
 * call is attack surface.
 *
 * Idea: an allow-list for reading passed descriptors, memory, one sealed memfd and one reply;
 * arguments are restricted where they decide what the call can do. Any other call kills the
 * process, since no parser needs it; main sees SIGSYS. The list is compiled to a BPF program once,
 * in the zygote (0.1 ms); a worker only installs it.
 *
 * libdw always looks for split and shared debug files by path. Its jobs get a list of their own, in
 * which path calls fail with ENOENT; libunwind's jobs have their own list, too.
 *
 * Rejected: -EPERM instead of death for all (a job would go on in an untested state).
 */
#include "syscall_filter.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <seccomp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "sandbox/sandbox_protocol.h"

#define CONDITIONS_MAX 2

struct allowed {
	int call;
	unsigned int condition_count;
	struct scmp_arg_cmp conditions[CONDITIONS_MAX];	/* all of them must hold */
};

#define ALWAYS(name)		    { SCMP_SYS(name), 0, { { 0 } } }
#define IF(name, condition)	    { SCMP_SYS(name), 1, { condition } }
#define IF_BOTH(name, a, b)	    { SCMP_SYS(name), 2, { a, b } }
#define IS(argument, value)	    { argument, SCMP_CMP_EQ, value, 0 }
#define BITS(argument, mask, value) { argument, SCMP_CMP_MASKED_EQ, mask, value }
#define NO_CODE			    BITS(2, PROT_EXEC, 0)	/* mmap(), mprotect(): `prot` */

static const struct allowed needed[] = {
	/* For the inputs. The filter cannot see whether newfstatat() gets a path besides the
	 * descriptor: the worker's root directory, empty to it, makes a path useless. */
	ALWAYS(read),
	ALWAYS(pread64),
	ALWAYS(lseek),
	ALWAYS(fstat),
	IF(newfstatat, IS(3, AT_EMPTY_PATH)),
	IF(fcntl, IS(1, F_GETFD)),	/* libelf asks whether it is open */

	/* For memory: never executable, and file-backed only where needed_by_libdw allows it. */
	ALWAYS(brk),
	IF_BOTH(mmap, NO_CODE, BITS(3, MAP_ANONYMOUS, MAP_ANONYMOUS)),
	IF(mprotect, NO_CODE),
	ALWAYS(munmap),
	ALWAYS(mremap),
	ALWAYS(madvise),
	ALWAYS(sysinfo),	/* qsort() asks how much memory there is */
	IF(futex, IS(1, FUTEX_WAKE_PRIVATE)),	/* the end of pthread_once() */

	/* For the reply. */
	IF(memfd_create, IS(1, MFD_CLOEXEC | MFD_ALLOW_SEALING)),
	ALWAYS(write),
	IF(fcntl, IS(1, F_ADD_SEALS)),
	ALWAYS(sendmsg),
	ALWAYS(clock_nanosleep),	/* before it is tried again */
	ALWAYS(close),
	ALWAYS(exit_group),

	/* Where the clock cannot be read in user space the vdso calls the kernel. */
	ALWAYS(clock_gettime),
};

static const struct allowed needed_by_libunwind[] = {
	ALWAYS(rt_sigprocmask),	/* around each of its locks; can't block SIGKILL */
	/* At start-up libunwind prepares to probe addresses of its own process. */
	IF(pipe2, IS(1, O_NONBLOCK | O_CLOEXEC)),
	ALWAYS(mincore),
};

/* A path is opened with the rights of the worker's user, read-only where Landlock is there. */
static const struct allowed needed_by_sources[] = {
	ALWAYS(openat2),
	ALWAYS(fstatfs),
};

/* Calls of the sanitizer run-times, in test builds only. The calls that print a report are not
 * allowed: they kill the worker, so that every finding is a failed test. */
static const struct allowed needed_by_sanitizers[] = {
	IF(sigaltstack, IS(0, 0)),	/* before a call that does not return */
};

/* The debug files of the kernel are mapped, not read: elf/kernel_file.h. A worker can read the same
 * bytes anyway; a private mapping of a descriptor that is read only changes no file. */
static const struct allowed needed_by_libdw[] = {
	IF_BOTH(mmap, NO_CODE, BITS(3, MAP_TYPE, MAP_PRIVATE)),
};

static const int path_calls[] = {
	SCMP_SYS(open), SCMP_SYS(openat), SCMP_SYS(readlink), SCMP_SYS(readlinkat),
};

static int hide_paths(scmp_filter_ctx context)
{
	int err = 0;

	for (size_t i = 0; i < sizeof(path_calls) / sizeof(path_calls[0]) && !err; i++)
		err = seccomp_rule_add_array(context, SCMP_ACT_ERRNO(ENOENT), path_calls[i], 0,
					     NULL);
	return err;
}

static int add(scmp_filter_ctx context, const struct allowed *list, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count && !err; i++)
		err = seccomp_rule_add_array(context, SCMP_ACT_ALLOW, list[i].call,
					     list[i].condition_count, list[i].conditions);
	return err;
}

/* BADARCH is set because by default a call of another ABI (i386, x32) kills only the thread. */
static int add_all(scmp_filter_ctx context)
{
	int err = seccomp_attr_set(context, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);

	if (!err)
		err = add(context, needed, sizeof(needed) / sizeof(needed[0]));
	if (!err && SANITIZER_BUILD)
		err = add(context, needed_by_sanitizers,
			  sizeof(needed_by_sanitizers) / sizeof(needed_by_sanitizers[0]));
	return err;
}

/* Goes through a descriptor, because libseccomp 2.5 can write programs only to one. */
static int export(scmp_filter_ctx context, struct sock_fprog *out)
{
	int fd = memfd_create("flametop-filter", MFD_CLOEXEC);
	off_t bytes;
	int err;

	if (fd < 0)
		return -errno;
	err = seccomp_export_bpf(context, fd);
	bytes = err ? 0 : lseek(fd, 0, SEEK_END);
	if (bytes > 0) {
		out->filter = malloc((size_t)bytes);
		out->len = (unsigned short)((size_t)bytes / sizeof(*out->filter));
		if (!out->filter || whole_pread(fd, out->filter, (size_t)bytes, 0) != bytes)
			err = -ENOMEM;
	}
	close(fd);
	return err;
}

int syscall_filter_build(struct syscall_filter *out, enum syscall_list list, struct diag *why)
{
	scmp_filter_ctx context = seccomp_init(SCMP_ACT_KILL_PROCESS);
	int err = context ? add_all(context) : -ENOSYS;

	*out = (struct syscall_filter){ .program = { 0, NULL } };
	if (!err && list == SYSCALLS_OF_LIBDW)
		err = hide_paths(context);
	if (!err && list == SYSCALLS_OF_LIBDW)
		err = add(context, needed_by_libdw,
			  sizeof(needed_by_libdw) / sizeof(needed_by_libdw[0]));
	if (!err && list == SYSCALLS_OF_LIBUNWIND)
		err = add(context, needed_by_libunwind,
			  sizeof(needed_by_libunwind) / sizeof(needed_by_libunwind[0]));
	if (!err && list == SYSCALLS_OF_SOURCES)
		err = add(context, needed_by_sources,
			  sizeof(needed_by_sources) / sizeof(needed_by_sources[0]));
	if (!err)
		err = export(context, &out->program);
	seccomp_release(context);
	if (err)
		return diag_set(why, err, "no filter of system calls: %s", strerror(-err));
	return 0;
}

int syscall_filter_install(const struct syscall_filter *filter)
{
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter->program) ? -errno : 0;
}
