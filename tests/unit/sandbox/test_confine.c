/* What a worker has given up before it reads the first foreign byte: looked at from outside, and
 * tried out by making its first read another system call. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/openat2.h>
#include <netinet/in.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "elf/file_jobs.h"
#include "need_root.h"
#include "sandbox/confine.h"
#include "sandbox/sandbox.h"
#include "unit_tests.h"
#include "worker_tracer.h"

#define UNUSED_ID 65527

static int start(void **state)
{
	struct sandbox *sandbox;

	if (sandbox_start(&sandbox, worker_run, NULL))
		return -1;
	*state = sandbox;
	return 0;
}

static int stop(void **state)
{
	sandbox_stop(*state);
	return 0;
}

static void expect_works(struct sandbox *sandbox)
{
	struct sandbox_table table;
	struct diag why = { .err = 0 };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (sandbox_compile(sandbox, fd, -1, &table, &why))
		fail_msg("the next job fails: %s", why.text);
	sandbox_table_finish(&table);
	close(fd);
}

struct seen {
	char status[4096], limits[4096];
	char fds[64];
	bool is_memory_open, is_descriptor_open;	/* to another process of its user */
};

static void list_fds(pid_t pid, char *out, size_t cap)
{
	size_t used = 0;
	char path[64];

	for (int i = 0; i < 1024 && used + 8 < cap; i++) {
		struct stat status;

		snprintf(path, sizeof(path), "/proc/%d/fd/%d", pid, i);
		if (lstat(path, &status) == 0)
			used += (size_t)snprintf(out + used, cap - used, "%d ", i);
	}
}

/* Exits with 1 if memory can be opened, plus 2 for a descriptor. */
static _Noreturn void look_as_same_user(pid_t worker)
{
	char path[64];
	int found = 0;

	if (setresgid(UNUSED_ID, UNUSED_ID, UNUSED_ID) ||
	    setresuid(UNUSED_ID, UNUSED_ID, UNUSED_ID))
		_exit(0);	/* not root: then the worker has our user */
	snprintf(path, sizeof(path), "/proc/%d/mem", worker);
	found |= open(path, O_RDONLY | O_CLOEXEC) >= 0 ? 1 : 0;
	snprintf(path, sizeof(path), "/proc/%d/fd/%d", worker, WORKER_INPUT_FD);
	found |= open(path, O_RDONLY | O_CLOEXEC) >= 0 ? 2 : 0;
	_exit(found);
}

static void look(struct worker_tracer *tracer)
{
	struct seen *seen = tracer->argument;
	int status = 0;
	pid_t other;

	worker_tracer_read_proc(tracer, "status", seen->status, sizeof(seen->status));
	worker_tracer_read_proc(tracer, "limits", seen->limits, sizeof(seen->limits));
	list_fds(tracer->worker, seen->fds, sizeof(seen->fds));
	other = fork();
	if (other == 0)
		look_as_same_user(tracer->worker);
	waitpid(other, &status, 0);
	seen->is_memory_open = WEXITSTATUS(status) & 1;
	seen->is_descriptor_open = WEXITSTATUS(status) & 2;
}

static void expect_line(const char *text, const char *line)
{
	if (!strstr(text, line))
		fail_msg("no \"%s\" in:\n%s", line, text);
}

static void test_a_worker_owns_nothing_before_it_reads_the_first_byte(void **state)
{
	struct seen seen = { .status = "" };
	struct worker_tracer tracer = { .at_first_read = look, .argument = &seen };

	assert_int_equal(worker_tracer_run(&tracer, *state, 0, NULL), 0);
	expect_line(seen.status, "NoNewPrivs:\t1\n");
	expect_line(seen.status, "Seccomp:\t2\n");
	expect_line(seen.status, "CapInh:\t0000000000000000\n");
	expect_line(seen.status, "CapPrm:\t0000000000000000\n");
	expect_line(seen.status, "CapEff:\t0000000000000000\n");
	expect_line(seen.status, "CapAmb:\t0000000000000000\n");
	expect_line(seen.limits, "Max core file size        0                    0 ");
	expect_line(seen.limits, "Max processes             0                    0 ");
	expect_line(seen.limits, "Max file size             268435456            268435456 ");
	if (!SANITIZER_BUILD) {
		expect_line(seen.limits, "Max address space         1073741824 ");
		expect_line(seen.limits, "Max cpu time              8                    9 ");
	}
	if (geteuid() != 0)
		return;
	expect_line(seen.status, "CapBnd:\t0000000000000000\n");
	expect_line(seen.status, "Uid:\t65527\t65527\t65527\t65527\n");
	expect_line(seen.status, "Gid:\t65527\t65527\t65527\t65527\n");
	expect_line(seen.status, "Groups:\t \n");
	assert_string_equal(seen.fds, "0 1 2 3 4 ");
	assert_false(seen.is_memory_open);
	assert_false(seen.is_descriptor_open);
}

/* The first read, changed. What is not in @arguments stays the read's. */
struct call {
	const char *name;
	int64_t number;
	int argument_count;
	uint64_t arguments[6];
};

static void make_call(struct worker_tracer *tracer)
{
	const struct call *call = tracer->argument;

	worker_tracer_replace(tracer, call->number, call->arguments, call->argument_count);
}

static void test_a_worker_that_tries_anything_else_is_ended(void **state)
{
	const uint64_t flags = MAP_PRIVATE | MAP_ANONYMOUS, here = (uint64_t)AT_FDCWD;
	const struct call calls[] = {
		{ "open a path", SYS_openat, 1, { here } },
		{ "open a path the new way", SYS_openat2, 1, { here } },
		{ "look at a path", SYS_newfstatat, 4, { here, 0, 0, 0 } },
		{ "read a link", SYS_readlinkat, 1, { here } },
		{ "delete", SYS_unlinkat, 1, { here } },
		{ "execute", SYS_execve, 0, { 0 } },
		{ "execute a descriptor", SYS_execveat, 0, { 0 } },
		{ "fork", SYS_clone, 2, { SIGCHLD, 0 } },
		{ "fork the new way", SYS_clone3, 0, { 0 } },
		{ "new user namespace", SYS_unshare, 1, { CLONE_NEWUSER } },
		{ "another namespace", SYS_setns, 2, { WORKER_INPUT_FD, 0 } },
		{ "internet", SYS_socket, 3, { AF_INET, SOCK_STREAM, 0 } },
		{ "unix socket", SYS_socket, 3, { AF_UNIX, SOCK_STREAM, 0 } },
		{ "netlink", SYS_socket, 3, { AF_NETLINK, SOCK_RAW, 0 } },
		{ "connect", SYS_connect, 1, { WORKER_REPLY_FD } },
		{ "receive", SYS_recvmsg, 1, { WORKER_REPLY_FD } },
		{ "debug", SYS_ptrace, 2, { PTRACE_TRACEME, 0 } },
		{ "other memory", SYS_process_vm_readv, 1, { 1 } },
		{ "other descriptors", SYS_pidfd_getfd, 0, { 0 } },
		{ "kill", SYS_kill, 2, { 1, 0 } },
		{ "kill a thread", SYS_tgkill, 3, { 1, 1, 0 } },
		{ "keyring", SYS_keyctl, 0, { 0 } },
		{ "add a key", SYS_add_key, 0, { 0 } },
		{ "BPF", SYS_bpf, 0, { 0 } },
		{ "perf events", SYS_perf_event_open, 0, { 0 } },
		{ "io_uring", SYS_io_uring_setup, 0, { 0 } },
		{ "user faults", SYS_userfaultfd, 0, { 0 } },
		{ "ioctl", SYS_ioctl, 2, { 0, 0 } },
		{ "become root", SYS_setresuid, 3, { 0, 0, 0 } },
		{ "dumpable", SYS_prctl, 2, { 4, 1 } },
		{ "more limits", SYS_prlimit64, 0, { 0 } },
		{ "mount", SYS_mount, 0, { 0 } },
		{ "another root", SYS_chroot, 0, { 0 } },
		{ "truncate", SYS_ftruncate, 2, { WORKER_INPUT_FD, 0 } },
		{ "map the file", SYS_mmap,
		  6, { 0, 4096, PROT_READ, MAP_PRIVATE, WORKER_INPUT_FD, 0 } },
		{ "map code", SYS_mmap, 6, { 0, 4096, PROT_READ | PROT_EXEC, flags, ~0ull, 0 } },
		{ "make code", SYS_mprotect, 3, { 0, 4096, PROT_READ | PROT_EXEC } },
		{ "huge pages in a memfd", SYS_memfd_create,
		  2, { 0, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_HUGETLB } },
		{ "change a descriptor", SYS_fcntl, 3, { WORKER_INPUT_FD, F_SETFL, O_NONBLOCK } },
		{ "copy a descriptor", SYS_fcntl, 3, { WORKER_INPUT_FD, F_DUPFD, 5 } },
		{ "wait", SYS_futex, 2, { 0, 0 } },
		{ "block signals, as libunwind does", SYS_rt_sigprocmask, 0, { 0 } },
		{ "a pipe, as libunwind", SYS_pipe2, 2, { 0, O_NONBLOCK | O_CLOEXEC } },
		{ "look at memory, as libunwind", SYS_mincore, 0, { 0 } },
		{ "the x32 table", 0x40000000 | SYS_read, 0, { 0 } },
	};

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		struct worker_tracer tracer = { .at_first_read = make_call,
						.argument = (void *)&calls[i] };
		struct diag why = { .err = 0 };
		int err = worker_tracer_run(&tracer, *state, 0, &why);

		if (err != -EPIPE || !strstr(why.text, "a system call that is forbidden"))
			fail_msg("%s: %d \"%s\"", calls[i].name, err, why.text);
	}
	expect_works(*state);
}

static void keep_result(struct worker_tracer *tracer, int64_t result)
{
	*(int64_t *)tracer->argument = result;
}

static void look_at_root(struct worker_tracer *tracer)
{
	uint64_t path = worker_tracer_write(tracer, "/proc/self/status");

	worker_tracer_replace(tracer, SYS_newfstatat,
			      (const uint64_t[]){ (uint64_t)AT_FDCWD, path, path,
						  AT_EMPTY_PATH }, 4);
}

static void test_the_one_call_that_takes_a_path_finds_nothing_for_root(void **state)
{
	int64_t result = 0;
	struct worker_tracer tracer = { .at_first_read = look_at_root, .at_exit = keep_result,
					.argument = &result };

	need_root();	/* for its memory and descriptors */
	worker_tracer_run(&tracer, *state, 0, NULL);
	assert_int_equal(result, -EACCES);
}

static void grow(struct worker_tracer *tracer)
{
	worker_tracer_replace(tracer, SYS_mmap,
			      (const uint64_t[]){ 0, 1ull << 30, PROT_READ | PROT_WRITE,
						  MAP_PRIVATE | MAP_ANONYMOUS, ~0ull, 0 }, 6);
}

static void test_a_worker_cannot_grow_beyond_its_memory(void **state)
{
	int64_t result = 0;
	struct worker_tracer tracer = { .at_first_read = grow, .at_exit = keep_result,
					.argument = &result };

	if (!SANITIZER_BUILD) {	/* others have no such limit, and this may hit their own memory */
		worker_tracer_run(&tracer, *state, 0, NULL);
		assert_int_equal(result, -ENOMEM);
	}
	expect_works(*state);
}

/* In a child, whose hard limit of two seconds a worker inherits: no test should have to wait for
 * eight. Exits with 0 when the reason is the right one. */
static _Noreturn void run_out_of_time(void)
{
	const struct rlimit limit = { .rlim_cur = 2, .rlim_max = 2 };
	struct worker_tracer tracer = { .at_first_read = worker_tracer_spin };
	struct diag why = { .text = "" };
	struct sandbox *sandbox;
	int err;

	if (setrlimit(RLIMIT_CPU, &limit) || sandbox_start(&sandbox, worker_run, NULL))
		_exit(2);
	sandbox_set_deadline(sandbox, 120000);
	err = worker_tracer_try(&tracer, sandbox, 0, &why);
	sandbox_stop(sandbox);
	print_message("%d %s\n", err, why.text);
	_exit(err == -ETIMEDOUT && strstr(why.text, " s of CPU time") ? 0 : 1);
}

static void test_a_worker_out_of_cpu_time_says_so(void **state)
{
	int status;
	pid_t child;

	(void)state;
	need_root();	/* for its memory and descriptors */
	child = fork();
	if (child == 0)
		run_out_of_time();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* In a child: what the zygote has left. Exits with the number of the first thing that is wrong. */
static _Noreturn void try_as_zygote(void)
{
	const bool has_landlock = landlock_version() > 0, has_tcp_rules = landlock_version() >= 4;
	const uint32_t wanted = geteuid() == 0 ?
		1u << CAP_SETUID | 1u << CAP_SETGID | 1u << CAP_KILL : 0;
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
	const struct sockaddr_in address = { .sin_family = AF_INET };
	struct confinement confinement;
	int tcp = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	confine_zygote(&confinement);
	if (confinement.why.err)
		_exit(1);
	if (syscall(SYS_capget, &header, sets) || (sets[0].permitted & ~wanted) ||
	    sets[1].permitted || sets[0].inheritable)
		_exit(2);
	if (has_landlock && (open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC) >= 0 ||
			     errno != EACCES))
		_exit(3);
	if (has_tcp_rules && tcp >= 0 &&
	    (bind(tcp, (const struct sockaddr *)&address, sizeof(address)) == 0 ||
	     errno != EACCES))
		_exit(4);
	if (geteuid() == 0 && access("/proc", F_OK) == 0)
		_exit(5);
	if (landlock_version() >= 6 && (kill(getppid(), 0) == 0 || errno != EPERM))
		_exit(6);
	_exit(0);
}

static void test_the_zygote_keeps_three_capabilities_and_no_path(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	if (child == 0)
		try_as_zygote();
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* In a child, which lives: 1 when it finds a path, 2 when it cannot read what it has. */
static _Noreturn void look_for_paths(int fd)
{
	struct syscall_filter filter;
	char byte;

	if (syscall_filter_build(&filter, SYSCALLS_OF_LIBDW, NULL) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall_filter_install(&filter))
		_exit(3);
	if (open("/", O_RDONLY | O_CLOEXEC) >= 0 || errno != ENOENT ||
	    readlink("/proc/self", &byte, 1) >= 0 || errno != ENOENT)
		_exit(1);
	_exit(pread(fd, &byte, 1, 0) == 1 ? 0 : 2);
}

static void test_for_a_library_that_asks_for_paths_there_are_none(void **state)
{
	int status, fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	pid_t child = fork();

	(void)state;
	if (child == 0)
		look_for_paths(fd);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	close(fd);
}

/* Workers may have few descriptors. Returns that of the root directory. */
static int keep_only_root(int top)
{
	dup2(top, 3);
	close_range(4, ~0u, 0);
	return 3;
}

/* In a child, as the worker that opens source files for @user, below the root directory of @top;
 * exits with the number of the first thing that is wrong. */
static _Noreturn void read_as(const struct worker_user *user, int top)
{
	const struct open_how read_only = { .flags = O_RDONLY | O_CLOEXEC,
					    .resolve = RESOLVE_IN_ROOT };
	const struct open_how to_write = { .flags = O_WRONLY | O_CLOEXEC,
					   .resolve = RESOLVE_IN_ROOT };
	const bool has_landlock = landlock_version() > 0;
	const pid_t parent = getppid();
	struct confinement confinement;

	top = keep_only_root(top);
	confine_zygote(&confinement);
	if (confine_worker(&confinement, sandbox_limits(SANDBOX_SOURCE), user, parent, NULL))
		_exit(1);
	if (syscall(SYS_openat2, top, "etc/passwd", &read_only, sizeof(read_only)) < 0)
		_exit(2);
	if (syscall(SYS_openat2, top, "etc/shadow", &read_only, sizeof(read_only)) >= 0)
		_exit(3);
	if (has_landlock && (syscall(SYS_openat2, top, "dev/null", &to_write,
				     sizeof(to_write)) >= 0 || errno != EACCES))
		_exit(4);
	_exit(0);
}

static void test_a_worker_for_source_files_reads_as_its_user_and_writes_nothing(void **state)
{
	static const struct worker_user stranger = { .uid = UNUSED_ID - 1, .gid = UNUSED_ID - 1 };
	const int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const gid_t groups[] = { 0, 42 };	/* 42: "shadow" in Debian */
	int status;
	pid_t child;

	(void)state;
	need_root();
	assert_int_equal(setgroups(2, groups), 0);
	child = fork();
	if (child == 0)
		read_as(&stranger, top);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(setgroups(0, NULL), 0);
	close(top);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* In a child, as a worker whose filter would let it open files. */
static _Noreturn void read_as_other_worker(int top)
{
	struct sandbox_limits limits = *sandbox_limits(SANDBOX_SYMBOLS);
	const pid_t parent = getppid();
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };
	struct confinement confinement;

	top = keep_only_root(top);
	confine_zygote(&confinement);
	confinement.filters[limits.calls] = confinement.filters[SYSCALLS_OF_SOURCES];
	if (confine_worker(&confinement, &limits, NULL, parent, NULL))
		_exit(1);
	if (syscall(SYS_openat2, top, "etc/passwd", &how, sizeof(how)) >= 0 || errno != EACCES)
		_exit(2);
	_exit(0);
}

static void test_landlock_denies_files_to_all_other_workers(void **state)
{
	const int top = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int status;
	pid_t child;

	(void)state;
	if (!landlock_version()) {
		print_message("SKIP: this kernel has no Landlock\n");
		skip();
	}
	child = fork();
	if (child == 0)
		read_as_other_worker(top);
	assert_int_equal(waitpid(child, &status, 0), child);
	close(top);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

/* In a child: maps a page of @fd, like the kernel's debug information; exits with 1 if it is
 * refused. */
static _Noreturn void map_page(int fd, int protection, int flags)
{
	struct syscall_filter filter;

	if (syscall_filter_build(&filter, SYSCALLS_OF_LIBDW, NULL) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || syscall_filter_install(&filter))
		_exit(3);
	_exit(mmap(NULL, 4096, protection, flags, fd, 0) == MAP_FAILED);
}

static int status_of_mapping(int fd, int protection, int flags)
{
	const pid_t child = fork();
	int status;

	if (child == 0)
		map_page(fd, protection, flags);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void test_a_file_is_mapped_privately_and_never_as_code(void **state)
{
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(status_of_mapping(fd, PROT_READ | PROT_WRITE, MAP_PRIVATE), 0);
	assert_int_equal(WTERMSIG(status_of_mapping(fd, PROT_READ, MAP_SHARED)), SIGSYS);
	assert_int_equal(WTERMSIG(status_of_mapping(fd, PROT_READ | PROT_EXEC, MAP_PRIVATE)),
			 SIGSYS);
	close(fd);
}

/* A zygote that could not give everything up. */
static void test_a_worker_reads_nothing_when_its_zygote_could_not_be_confined(void **state)
{
	struct confinement confinement = { .why = { .err = 0 } };
	const struct sandbox_limits *limits = sandbox_limits(SANDBOX_SYMBOLS);
	struct diag why = { .err = 0 };

	(void)state;
	diag_set(&confinement.why, -EPERM, "no filter");
	assert_int_equal(confine_worker(&confinement, limits, NULL, getppid(), &why),
			 -EPERM);
	assert_string_equal(why.text, "no filter");
}

#define WITH_SANDBOX(test) cmocka_unit_test_setup_teardown(test, start, stop)

UNIT_TESTS(test_confine)
{
	const struct CMUnitTest tests[] = {
		WITH_SANDBOX(test_a_worker_owns_nothing_before_it_reads_the_first_byte),
		WITH_SANDBOX(test_a_worker_that_tries_anything_else_is_ended),
		WITH_SANDBOX(test_the_one_call_that_takes_a_path_finds_nothing_for_root),
		WITH_SANDBOX(test_a_worker_cannot_grow_beyond_its_memory),
		cmocka_unit_test(test_a_worker_out_of_cpu_time_says_so),
		cmocka_unit_test(test_the_zygote_keeps_three_capabilities_and_no_path),
		cmocka_unit_test(test_for_a_library_that_asks_for_paths_there_are_none),
		cmocka_unit_test(test_a_file_is_mapped_privately_and_never_as_code),
		cmocka_unit_test(
			test_a_worker_for_source_files_reads_as_its_user_and_writes_nothing),
		cmocka_unit_test(test_landlock_denies_files_to_all_other_workers),
		cmocka_unit_test(
			test_a_worker_reads_nothing_when_its_zygote_could_not_be_confined),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
