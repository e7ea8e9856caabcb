/* worker.c - see symbols/worker.h.
 *
 * Problem: parsers of foreign formats have bugs, and this one is started by root.
 *
 * Idea: before the first byte is read, the process has no user id that owns anything, no
 * capability and no way to get one, no descriptor but the object and the reply, and limits on
 * memory, time, files and processes. Whatever the file does to the parser then, it can only send
 * one wrong answer about itself, which main checks.
 *
 * Invariant: if any step of giving up fails, nothing is parsed.
 * Not yet: a filter of system calls, Landlock.
 */
#include "symbols/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbols/compiler.h"
#include "symbols/demangle.h"
#include "symbols/flat_table.h"
#include "symbols/sandbox.h"

/* Debian's policy 9.2.2 reserves 65000-65533 and systemd's list of ids names 65520-65533 as used by
 * nobody. Not 65534 "nobody": NFS and others run processes and own files as that. */
#define UNUSED_ID 65527

#define MEMORY_BYTES_MAX ((rlim_t)1 << 30)	/* 4 million symbols need 0.5 GiB while sorting */
#define CPU_SECONDS_MAX	 8	/* a 200 MB object needs 0.2 s; see also the zygote's deadline */
#define DESCRIPTORS_MAX	 10	/* 0-2, inputs, reply, memfd, and two to spare */

#if defined(__has_feature)
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#else
#define HAS_SANITIZER 0
#endif

#define FIRST_INPUT 3		/* the inputs, then the reply socket */

static const int inputs[SANDBOX_INPUTS_MAX] = { FIRST_INPUT, FIRST_INPUT + 1, FIRST_INPUT + 2 };

static int run_symbols(const struct sandbox_job *job, void **bytes, size_t *count,
		       struct diag *why)
{
	return compiler_compile(inputs[0], job->input_count > 1 ? inputs[1] : -1, bytes, count, why);
}

static int run_names(const struct sandbox_job *job, void **bytes, size_t *count, struct diag *why)
{
	(void)job;
	return demangle_list(inputs[0], bytes, count, why);
}

/* What a kind of job does with its inputs: *@bytes is malloc'd and goes to main. */
static int (*const jobs[SANDBOX_JOB_KINDS])(const struct sandbox_job *job, void **bytes,
					    size_t *count, struct diag *why) = {
	[SANDBOX_SYMBOLS] = run_symbols,
	[SANDBOX_NAMES] = run_names,
};

static _Noreturn void answer(int reply, int err, const char *reason, int memfd)
{
	struct sandbox_answer message = { .err = err };

	snprintf(message.reason, sizeof(message.reason), "%s", reason);
	_exit(sandbox_protocol_send(reply, &message, sizeof(message), &memfd, memfd >= 0) ? 1 : 0);
}

/* Moves the descriptors to where they belong: by way of high numbers, because any may be where
 * another has to go. */
static bool keep_only(const int fds[SANDBOX_JOB_FDS], int input_count)
{
	int high[SANDBOX_JOB_FDS];

	for (int i = 0; i < SANDBOX_JOB_FDS; i++) {
		high[i] = fcntl(fds[i], F_DUPFD, 16);
		if (high[i] < 0)
			return false;
	}
	high[input_count] = high[SANDBOX_JOB_FDS - 1];
	for (int i = 0; i <= input_count; i++)
		if (dup2(high[i], FIRST_INPUT + i) < 0)
			return false;
	return close_range((unsigned int)(FIRST_INPUT + input_count + 1), ~0u, 0) == 0;
}

static bool drop_user(void)
{
	if (geteuid() != 0)
		return true;
	return setgroups(0, NULL) == 0 && setresgid(UNUSED_ID, UNUSED_ID, UNUSED_ID) == 0 &&
	       setresuid(UNUSED_ID, UNUSED_ID, UNUSED_ID) == 0;
}

/* Also for a user whose flametop got capabilities by file. The bounding set can only be emptied
 * with CAP_SETPCAP and only matters to execve(2), which no_new_privs makes harmless. */
static bool drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { { 0 } };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == 0 &&
	       syscall(SYS_capset, &header, none) == 0 && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0;
}

static bool set_limit(__rlimit_resource_t resource, rlim_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return false;
	if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < value)
		value = limit.rlim_max;
	limit.rlim_cur = limit.rlim_max = value;
	return setrlimit(resource, &limit) == 0;
}

static bool set_limits(void)
{
	/* A sanitizer's shadow reserves terabytes of addresses. */
	if (!HAS_SANITIZER && !set_limit(RLIMIT_AS, MEMORY_BYTES_MAX))
		return false;
	signal(SIGXFSZ, SIG_IGN);	/* write() says it: EFBIG */
	return set_limit(RLIMIT_CPU, CPU_SECONDS_MAX) && set_limit(RLIMIT_FSIZE, FLAT_BYTES_MAX) &&
	       set_limit(RLIMIT_NOFILE, DESCRIPTORS_MAX) && set_limit(RLIMIT_NPROC, 0) &&
	       set_limit(RLIMIT_CORE, 0);
}

/* Changing the user clears the death signal, so it is set after that. */
static bool is_tied_to(pid_t zygote)
{
	return prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == zygote;
}

static int write_all(int fd, const char *bytes, size_t count)
{
	while (count) {
		ssize_t written = write(fd, bytes, count);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0) {
			bytes += written;
			count -= (size_t)written;
		}
	}
	return 0;
}

static int make_sealed(const void *bytes, size_t count)
{
	int fd = memfd_create("flametop-table", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int err;

	if (fd < 0)
		return -errno;
	err = write_all(fd, bytes, count);
	if (!err && fcntl(fd, F_ADD_SEALS,
			  F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		err = -errno;
	return err ? err : fd;
}

_Noreturn void worker_run(const struct sandbox_job *job, const int fds[SANDBOX_JOB_FDS],
			  pid_t zygote_pid)
{
	const int reply = FIRST_INPUT + (int)job->input_count;
	struct diag why = { .err = 0 };
	size_t count;
	void *bytes;
	int err;

	if (job->input_count > SANDBOX_INPUTS_MAX || job->kind >= SANDBOX_JOB_KINDS ||
	    !keep_only(fds, (int)job->input_count))
		_exit(1);
	if (!drop_user() || !drop_capabilities() || !set_limits() || !is_tied_to(zygote_pid))
		answer(reply, -EPERM, "the symbol compiler cannot give up its privileges here", -1);
	prctl(PR_SET_NAME, "flametop-worker");
	err = jobs[job->kind](job, &bytes, &count, &why);
	if (err)
		answer(reply, err, why.text, -1);
	err = make_sealed(bytes, count);
	if (err < 0)
		answer(reply, err, "the symbol table cannot be stored", -1);
	answer(reply, 0, "", err);
}
