/* waits [SECONDS [DIRECTORY]] - six threads that wait, each in a function of its own and for a
 * time that it measures itself. Built without frame pointers.
 *
 *   thread    waits in                for
 *   sleeper   sleep_long              10 ms, by a timer
 *   locker    wait_for_lock           a mutex that `holder` holds for 20 ms; and nap_between, 1 ms
 *   holder    hold_lock               20 ms, by a timer; and nap_between, 1 ms
 *   reader    read_disk               4 KiB of a file in DIRECTORY (/var/tmp), not from the page
 *   cache napper    nap_often               50 us, by a timer
 *   mixer     nap_short and nap_long  50 and 150 us in turns
 *
 * It prints "pid PID", waits for a line or the end of its input, runs for SECONDS (3), then prints
 * for each function "function NAME ADDRESS TIME", the address as the program has it now and the
 * time in ns between its calls and their returns; and for each thread "thread NAME TID BEGIN END
 * CPU SWITCHES": what is between begin and end (CLOCK_MONOTONIC, ns), but not CPU time (ns), the
 * thread waited. Threads get 1 us of timer slack. The reader waits in nap_between alone where the
 * directory's files can't be read so.
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ALONE __attribute__((noinline, noclone, aligned(64)))

enum { BLOCK = 4096, BLOCKS = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t end_ns;
static int disk = -1;
static _Alignas(BLOCK) char block[BLOCK];

static uint64_t clock_ns(clockid_t which)
{
	struct timespec now;

	clock_gettime(which, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* A signal would end a sleep early; there is none. */
static inline void sleep_ns(long ns)
{
	const struct timespec time = { .tv_nsec = ns };

	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

ALONE static void sleep_long(void)
{
	sleep_ns(10000000);
}

ALONE static void wait_for_lock(void)
{
	pthread_mutex_lock(&lock);
}

ALONE static void hold_lock(void)
{
	sleep_ns(20000000);
}

ALONE static void nap_between(void)
{
	sleep_ns(1000000);
}

ALONE static void read_disk(void)
{
	static unsigned turn;

	if (disk < 0 || pread(disk, block, BLOCK, (off_t)(turn++ % BLOCKS) * BLOCK) != BLOCK)
		nap_between();
}

ALONE static void nap_often(void)
{
	sleep_ns(50000);
}

ALONE static void nap_short(void)
{
	sleep_ns(50000);
}

ALONE static void nap_long(void)
{
	sleep_ns(150000);
}

static struct function {
	const char *name;
	void (*run)(void);
	uint64_t spent_ns;
} functions[] = {
	{ "sleep_long", sleep_long, 0 }, { "wait_for_lock", wait_for_lock, 0 },
	{ "hold_lock", hold_lock, 0 }, { "nap_between", nap_between, 0 },
	{ "read_disk", read_disk, 0 }, { "nap_often", nap_often, 0 },
	{ "nap_short", nap_short, 0 }, { "nap_long", nap_long, 0 },
};

enum { SLEEP_LONG, WAIT_FOR_LOCK, HOLD_LOCK, NAP_BETWEEN, READ_DISK, NAP_OFTEN, NAP_SHORT, NAP_LONG,
       FUNCTIONS };

/* Several threads nap between: only the calls of the locker are counted. */
static void call(int function, bool is_counted)
{
	const uint64_t begin_ns = clock_ns(CLOCK_MONOTONIC);

	functions[function].run();
	if (is_counted)
		functions[function].spent_ns += clock_ns(CLOCK_MONOTONIC) - begin_ns;
}

static void run_sleeper(void)
{
	call(SLEEP_LONG, true);
}

static void run_locker(void)
{
	call(WAIT_FOR_LOCK, true);
	pthread_mutex_unlock(&lock);
	call(NAP_BETWEEN, true);
}

static void run_holder(void)
{
	pthread_mutex_lock(&lock);
	call(HOLD_LOCK, true);
	pthread_mutex_unlock(&lock);
	call(NAP_BETWEEN, false);
}

static void run_reader(void)
{
	call(READ_DISK, true);
}

static void run_napper(void)
{
	call(NAP_OFTEN, true);
}

static void run_mixer(void)
{
	call(NAP_SHORT, true);
	call(NAP_LONG, true);
}

static struct thread {
	const char *name;
	void (*run)(void);
	pthread_t id;
	pid_t tid;
	uint64_t begin_ns, end_ns, cpu_ns;
	long switches;
} threads[] = {
	{ .name = "sleeper", .run = run_sleeper }, { .name = "locker", .run = run_locker },
	{ .name = "holder", .run = run_holder }, { .name = "reader", .run = run_reader },
	{ .name = "napper", .run = run_napper }, { .name = "mixer", .run = run_mixer },
};

enum { THREADS = sizeof(threads) / sizeof(threads[0]) };

static void *run_thread(void *of)
{
	struct thread *thread = of;
	const uint64_t begin_cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct rusage usage;

	thread->tid = (pid_t)syscall(SYS_gettid);
	pthread_setname_np(pthread_self(), thread->name);
	prctl(PR_SET_TIMERSLACK, 1000);
	thread->begin_ns = clock_ns(CLOCK_MONOTONIC);
	while (clock_ns(CLOCK_MONOTONIC) < end_ns)
		thread->run();
	thread->end_ns = clock_ns(CLOCK_MONOTONIC);
	thread->cpu_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin_cpu_ns;
	getrusage(RUSAGE_THREAD, &usage);
	thread->switches = usage.ru_nvcsw + usage.ru_nivcsw;
	return NULL;
}

static void open_disk(const char *directory)
{
	disk = open(directory, O_TMPFILE | O_RDWR | O_DIRECT, 0600);
	for (int i = 0; disk >= 0 && i < BLOCKS; i++)
		if (write(disk, block, BLOCK) != BLOCK)
			disk = -1;
}

int main(int argc, char **argv)
{
	const double seconds = argc > 1 ? atof(argv[1]) : 3;

	open_disk(argc > 2 ? argv[2] : "/var/tmp");
	printf("pid %d\n", getpid());
	fflush(stdout);
	getchar();
	end_ns = clock_ns(CLOCK_MONOTONIC) + (uint64_t)(seconds * 1e9);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i].id, NULL, run_thread, &threads[i]))
			return 1;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i].id, NULL);
	for (int i = 0; i < FUNCTIONS; i++)
		printf("function %s %#lx %lu\n", functions[i].name, (unsigned long)functions[i].run,
		       (unsigned long)functions[i].spent_ns);
	for (int i = 0; i < THREADS; i++)
		printf("thread %s %d %lu %lu %lu %ld\n", threads[i].name, threads[i].tid,
		       (unsigned long)threads[i].begin_ns, (unsigned long)threads[i].end_ns,
		       (unsigned long)threads[i].cpu_ns, threads[i].switches);
	return 0;
}
