/* on_request - does what each line on standard input asks for, and replies to each with a number:
 *
 *   pages N   touches N fresh pages                             -> N
 *   naps N    goes to sleep and wakes up, N times               -> N
 *   thread    starts a thread that spins in late_thread()       -> its id
 *   fork      starts a child that spins in late_child()         -> its id
 *   exec      starts a child that executes a shell, which spins -> its id
 *   spin N    spins in spin() for N ms                          -> N
 *   drop UID  starts a child that spins in late_child() as that user, without an exec -> its id
 *
 * It says "ready" first. Between two lines it sleeps in read(2), so that /proc/PID/stat and status
 * hold still and are exact. What it has started ends with it.
 */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;
static int to_main[2];

__attribute__((noinline)) static void touch_pages(size_t count)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	volatile char *pages = mmap(NULL, count * page_bytes, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages == MAP_FAILED)
		exit(1);
	madvise((void *)pages, count * page_bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < count; i++)
		pages[i * page_bytes] = 1;
	munmap((void *)pages, count * page_bytes);
}

static void take_naps(long count)
{
	const struct timespec nap = { .tv_nsec = 50000 };

	while (count-- > 0)
		nanosleep(&nap, NULL);
}

__attribute__((noinline, noreturn)) static void late_thread(void)
{
	for (;;)
		sink += 1;
}

__attribute__((noinline, noreturn)) static void late_child(void)
{
	for (;;)
		sink += 1;
}

__attribute__((noinline)) static void spin(long ms)
{
	const clock_t end = clock() + ms * (CLOCKS_PER_SEC / 1000);

	while (clock() < end)
		sink += 1;
}

static void *run_thread(void *unused)
{
	const long tid = syscall(SYS_gettid);

	(void)unused;
	if (write(to_main[1], &tid, sizeof(tid)) == sizeof(tid))
		late_thread();
	return NULL;
}

static long start_thread(void)
{
	pthread_t thread;
	long tid;

	if (pthread_create(&thread, NULL, run_thread, NULL) ||
	    read(to_main[0], &tid, sizeof(tid)) != sizeof(tid))
		exit(1);
	return tid;
}

static long start_child(int executes, long uid)
{
	const pid_t pid = fork();

	if (pid)
		return pid;
	if (uid && setuid((uid_t)uid))
		_exit(1);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!executes)
		late_child();
	execl("/bin/sh", "late_shell", "-c", "while :; do :; done", (char *)NULL);
	_exit(127);
}

static long do_request(const char *line)
{
	const char *space = strchr(line, ' ');
	const long count = space ? atol(space) : 0;

	if (!strncmp(line, "pages ", 6))
		touch_pages((size_t)count);
	else if (!strncmp(line, "naps ", 5))
		take_naps(count);
	else if (!strncmp(line, "spin ", 5))
		spin(count);
	else if (!strcmp(line, "thread\n"))
		return start_thread();
	else
		return start_child(!strcmp(line, "exec\n"), count);
	return count;
}

int main(void)
{
	char line[64];

	if (pipe(to_main))
		return 1;
	signal(SIGCHLD, SIG_IGN);
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		printf("%ld\n", do_request(line));
		fflush(stdout);
	}
	_exit(0);
}
