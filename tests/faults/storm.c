/* storm.c - storm KIND [NUMBER]: what a stranger's program may do many times, for minutes.
 *
 *   fork     children that end at once          exec     children that run this program again
 *   comm     renames itself                     mmap     maps and unmaps executable memory
 *   maps     holds NUMBER executable mappings   threads  holds NUMBER threads
 *   files    makes and maps NUMBER files of its own, one after the other
 *   reuse    two children, one after the other, with the same pid: burn_a in "first", burn_b in
 *            "second"
 *   chain    burns as "link0", executes itself as "link1" and then as "link2", each time when it
 *            gets a byte on stdin
 *   burn     only that
 *   naps     NUMBER processes, then NUMBER threads, 16 at a time, that sleep for 2 ms and end.
 *            Waits for a line before and after; in between it prints how many ns all slept
 *
 * "ready" on stdout when it has what it holds, or has done for the first time what it does.
 */
#include <errno.h>
#include <linux/sched.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_S	    180
#define STACK_BYTES (16 * 1024)
#define PAGE	    4096ul
#define NAPS_AT_ONCE 16

static volatile unsigned int sink;

static double now_s(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

__attribute__((noinline)) static void burn_a(double seconds)
{
	for (const double end = now_s() + seconds; now_s() < end;)
		for (int i = 0; i < 100000; i++)
			sink += (unsigned int)i;
}

__attribute__((noinline)) static void burn_b(double seconds)
{
	for (const double end = now_s() + seconds; now_s() < end;)
		for (int i = 0; i < 100000; i++)
			sink ^= (unsigned int)i;
}

static void say_ready(void)
{
	puts("ready");
	fflush(stdout);
}

static void fork_once(void)
{
	const pid_t child = vfork();

	if (child == 0)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void exec_once(void)
{
	const pid_t child = vfork();

	if (child == 0) {
		execl("/proc/self/exe", "storm", "nothing", NULL);
		_exit(1);
	}
	waitpid(child, NULL, 0);
}

static void rename_once(void)
{
	static uint32_t number;
	char name[16];

	snprintf(name, sizeof(name), "storm %u", number++);
	prctl(PR_SET_NAME, name);
}

static void map_once(void)
{
	munmap(mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), PAGE);
}

static void do_for_ever(void (*once)(void))
{
	once();
	say_ready();
	for (;;)
		once();
}

static void map_files(unsigned long count)
{
	for (unsigned long i = 0; i < count; i++) {
		const int fd = memfd_create("storm", MFD_CLOEXEC);

		if (fd < 0 || ftruncate(fd, PAGE))
			exit(1);
		munmap(mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0), PAGE);
		close(fd);
	}
	say_ready();
}

/* Every other page, so that no two become one. */
static void hold_maps(unsigned long count)
{
	char *const pages = mmap(NULL, 2 * count * PAGE, PROT_NONE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	for (unsigned long i = 0; pages != MAP_FAILED && i < count; i++)
		if (mmap(pages + 2 * i * PAGE, PAGE, PROT_READ | PROT_EXEC,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
			break;	/* vm.max_map_count: as many as there can be */
	say_ready();
	burn_a(LIMIT_S);
}

static void *wait_there(void *unused)
{
	pause();
	return unused;
}

static void hold_threads(unsigned long count)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	pthread_attr_setstacksize(&attributes, STACK_BYTES);
	for (unsigned long i = 0; i < count; i++)
		if (pthread_create(&thread, &attributes, wait_there, NULL))
			exit(1);
	say_ready();
	burn_a(LIMIT_S);
}

/* As @pid, unless that is 0. */
static pid_t fork_as(pid_t pid, const char *name, void (*burn)(double), double seconds)
{
	struct clone_args arguments = {
		.exit_signal = SIGCHLD, .set_tid = pid ? (uint64_t)(uintptr_t)&pid : 0,
		.set_tid_size = pid ? 1 : 0,
	};
	const pid_t child = (pid_t)syscall(SYS_clone3, &arguments, sizeof(arguments));

	if (child == 0) {
		prctl(PR_SET_NAME, name);
		burn(seconds);
		_exit(0);
	}
	return child;
}

static void use_a_pid_again(void)
{
	pid_t pid = fork_as(0, "first", burn_a, 0.2);

	waitpid(pid, NULL, 0);
	pid = fork_as(pid, "second", burn_b, 0.2);
	if (pid < 0)
		exit(1);
	waitpid(pid, NULL, 0);
}

static void run_chain(int link)
{
	struct pollfd input = { .fd = STDIN_FILENO, .events = POLLIN };
	char name[16], number[16], byte;

	snprintf(name, sizeof(name), "link%d", link);
	prctl(PR_SET_NAME, name);
	if (link == 0)
		say_ready();
	while (link == 2 || poll(&input, 1, 0) == 0)
		(link % 2 ? burn_b : burn_a)(0.01);
	if (read(STDIN_FILENO, &byte, 1) != 1)
		exit(1);
	snprintf(number, sizeof(number), "%d", link + 1);
	execl("/proc/self/exe", "storm", "chain", number, NULL);
}

/* Sleeps, and adds how long that took. */
__attribute__((noinline)) static void nap(_Atomic uint64_t *slept_ns)
{
	const struct timespec time = { .tv_nsec = 2000000 };
	struct timespec begin, end;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
	clock_gettime(CLOCK_MONOTONIC, &end);
	*slept_ns += (uint64_t)((end.tv_sec - begin.tv_sec) * 1000000000 + end.tv_nsec -
				begin.tv_nsec);
}

static void *nap_in_thread(void *slept_ns)
{
	nap(slept_ns);
	return NULL;
}

static void nap_in_threads(_Atomic uint64_t *slept_ns)
{
	pthread_t threads[NAPS_AT_ONCE];

	for (int i = 0; i < NAPS_AT_ONCE; i++)
		if (pthread_create(&threads[i], NULL, nap_in_thread, slept_ns))
			exit(1);
	for (int i = 0; i < NAPS_AT_ONCE; i++)
		pthread_join(threads[i], NULL);
}

static void nap_in_processes(_Atomic uint64_t *slept_ns)
{
	for (int i = 0; i < NAPS_AT_ONCE; i++) {
		const pid_t child = fork();

		if (child < 0)
			exit(1);
		if (!child) {
			nap(slept_ns);
			_exit(0);
		}
	}
	for (int i = 0; i < NAPS_AT_ONCE; i++)
		wait(NULL);
}

static void nap_many_times(unsigned long count)
{
	_Atomic uint64_t *slept_ns = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (slept_ns == MAP_FAILED)
		exit(1);
	say_ready();
	getchar();
	for (unsigned long i = 0; i < count; i += NAPS_AT_ONCE)
		nap_in_processes(slept_ns);
	for (unsigned long i = 0; i < count; i += NAPS_AT_ONCE)
		nap_in_threads(slept_ns);
	printf("%llu\n", (unsigned long long)*slept_ns);
	fflush(stdout);
	getchar();
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	const unsigned long number = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	alarm(LIMIT_S);
	if (!strcmp(kind, "fork"))
		do_for_ever(fork_once);
	else if (!strcmp(kind, "exec"))
		do_for_ever(exec_once);
	else if (!strcmp(kind, "comm"))
		do_for_ever(rename_once);
	else if (!strcmp(kind, "mmap"))
		do_for_ever(map_once);
	else if (!strcmp(kind, "maps"))
		hold_maps(number);
	else if (!strcmp(kind, "files"))
		map_files(number);
	else if (!strcmp(kind, "threads"))
		hold_threads(number);
	else if (!strcmp(kind, "reuse"))
		do_for_ever(use_a_pid_again);
	else if (!strcmp(kind, "chain"))
		run_chain((int)number);
	else if (!strcmp(kind, "naps"))
		nap_many_times(number);
	else if (!strcmp(kind, "burn")) {
		say_ready();
		burn_a(LIMIT_S);
	}
	return 0;
}
