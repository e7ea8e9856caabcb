/* preset_loads LOAD [PLACE [PORT]] - does a known number of times what presets of probes look for.
 *
 * Its name is "fixture" only meanwhile, so that what the loader does before and what exit() does
 * after it can be told apart. PLACE is a directory with a file "there" and a program "program";
 * PORT a port of 127.0.0.1 at which somebody listens. Each load does its thing COUNT times if its
 * comment says nothing else; what takes time takes 1, 2, 4 and 16 ms in turn.
 */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define COUNT 40

static const char *place;
static in_port_t port;
static volatile unsigned long sink;

static struct timespec delay_of(int i)
{
	static const long ns[] = { 1000000, 2000000, 4000000, 16000000 };

	return (struct timespec){ .tv_nsec = ns[i % 4] };
}

static void sleep_for(int i)
{
	const struct timespec delay = delay_of(i);

	nanosleep(&delay, NULL);
}

static void fork_often(void)
{
	for (int i = 0; i < COUNT; i++) {
		const pid_t child = fork();

		if (child == 0)
			_exit(0);
		waitpid(child, NULL, 0);
	}
}

static void start_programs(void)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/program", place);
	for (int i = 0; i < COUNT; i++) {
		const pid_t child = fork();

		if (child == 0) {
			execl(path, "program", i % 2 ? "odd" : "even", "last", (char *)NULL);
			_exit(1);
		}
		waitpid(child, NULL, 0);
	}
}

/* Each of them COUNT times: a file that is there, one that is not, and one below a directory. */
static void open_files(void)
{
	char there[4096], none[4096];
	const int directory =
		(int)syscall(SYS_openat, AT_FDCWD, place, O_PATH | O_DIRECTORY | O_CLOEXEC);

	snprintf(there, sizeof(there), "%s/there", place);
	snprintf(none, sizeof(none), "%s/none", place);
	for (int i = 0; i < COUNT; i++) {
		close(open(there, O_RDONLY | O_CLOEXEC));
		sink += (unsigned long)open(none, O_RDONLY | O_CLOEXEC);
		close(openat(directory, "there", O_RDONLY | O_CLOEXEC));
	}
	close(directory);
}

static void read_timers(void)
{
	const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);

	for (int i = 0; i < COUNT; i++) {
		const struct itimerspec when = { .it_value = delay_of(i) };
		uint64_t expired;

		timerfd_settime(timer, 0, &when, NULL);
		sink += (unsigned long)read(timer, &expired, sizeof(expired));
	}
}

/* 1, 10 and 100 bytes in turn, and a descriptor that is none the fourth time. */
static void write_nothing(void)
{
	static const size_t bytes[] = { 1, 10, 100, 1 };
	static const char text[100];
	const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	for (int i = 0; i < COUNT; i++)
		sink += (unsigned long)write(i % 4 == 3 ? -1 : null, text, bytes[i % 4]);
}

static void synchronize(void)
{
	char path[4096], *page;
	int file;

	snprintf(path, sizeof(path), "%s/synced", place);
	file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	sink += (unsigned long)ftruncate(file, 4096);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	for (int i = 0; i < COUNT; i++) {
		fsync(file);
		fdatasync(file);
		msync(page, 4096, MS_ASYNC);
		sync_file_range(file, 0, 4096, SYNC_FILE_RANGE_WRITE);
		if (i % 4 == 0)
			syncfs(file);
	}
}

/* Writes past the page cache, 4 and 16 KiB in turn. Status 77: the file system can't. */
static void write_blocks(void)
{
	char path[4096], *pages = aligned_alloc(4096, 16384);
	int file;

	memset(pages, 'x', 16384);
	snprintf(path, sizeof(path), "%s/blocks", place);
	file = open(path, O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600);
	for (int i = 0; i < COUNT; i++)
		if (pwrite(file, pages, i % 2 ? 16384 : 4096, (off_t)i * 16384) < 0)
			exit(77);
}

static int connect_to(in_addr_t host, in_port_t to, int flags)
{
	const struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(to),
					     .sin_addr.s_addr = htonl(host) };
	const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0);
	const int once = 1;

	setsockopt(fd, IPPROTO_TCP, TCP_SYNCNT, &once, sizeof(once));
	sink += (unsigned long)connect(fd, (const struct sockaddr *)&address, sizeof(address));
	return fd;
}

/* Port 1 is one at which nobody listens; it refuses every fourth connect. */
static void connect_often(void)
{
	for (int i = 0; i < COUNT; i++)
		close(connect_to(INADDR_LOOPBACK, i % 4 == 3 ? 1 : port, 0));
}

/* Three connections to a listener of 127.0.0.77 whose queue is full: each sends its request once
 * more, since Linux 6.5 twice. */
static void retransmit(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET,
				       .sin_addr.s_addr = htonl(INADDR_LOOPBACK + 76) };
	socklen_t bytes = sizeof(address);
	const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pollfd waiting = { .events = POLLOUT };
	int fds[3];

	if (bind(listener, (struct sockaddr *)&address, bytes) || listen(listener, 0) ||
	    getsockname(listener, (struct sockaddr *)&address, &bytes))
		return;
	connect_to(INADDR_LOOPBACK + 76, ntohs(address.sin_port), 0);
	for (int i = 0; i < 3; i++)
		fds[i] = connect_to(INADDR_LOOPBACK + 76, ntohs(address.sin_port), SOCK_NONBLOCK);
	for (int i = 0; i < 3; i++) {
		waiting.fd = fds[i];
		poll(&waiting, 1, -1);
	}
}

/* Datagrams to port 1, at which nobody listens. */
static void send_in_vain(void)
{
	const struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(1),
					     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	for (int i = 0; i < COUNT; i++)
		sendto(fd, "x", 1, 0, (const struct sockaddr *)&address, sizeof(address));
}

/* Names that ask no server: in the new way, and every fourth in the two old ones. */
static void look_up(void)
{
	for (int i = 0; i < COUNT; i++) {
		struct addrinfo *found = NULL;

		if (getaddrinfo(i % 2 ? "127.0.0.1" : "::1", NULL, NULL, &found) == 0)
			freeaddrinfo(found);
		if (i % 4 == 0) {
			sink += gethostbyname("localhost") != NULL;
			sink += gethostbyname2("localhost", AF_INET) != NULL;
		}
	}
}

/* MariaDB's function that runs commands; 3 is a query. */
__attribute__((noinline)) void run_command(int command, void *thread, char *query, unsigned bytes)
	__asm__("_Z16dispatch_command19enum_server_commandP3THDPcjb");
void run_command(int command, void *thread, char *query, unsigned bytes)
{
	sink += (unsigned long)command + (thread != NULL) + (unsigned long)query[0];
	sleep_for((int)bytes);
}

struct query_desc {
	long operation;
	void *plan;
	const char *text;
};

/* PostgreSQL's function that runs plans. */
__attribute__((noinline)) void standard_ExecutorRun(const struct query_desc *query, int i);
void standard_ExecutorRun(const struct query_desc *query, int i)
{
	sink += (unsigned long)query->text[0];
	sleep_for(i);
}

/* As database servers run them: MariaDB's and PostgreSQL's functions and PostgreSQL's probes. */
static void run_queries(void)
{
	static char *const queries[] = { "select 17", "select 'x'", "select pg_sleep(4)",
					 "select pg_sleep(16)" };

	for (int i = 0; i < COUNT; i++) {
		char *const text = queries[i % 4];
		const struct query_desc query = { 1, NULL, text };

		run_command(3, NULL, text, (unsigned)i);
		run_command(1, NULL, text, (unsigned)i);
		DTRACE_PROBE1(postgresql, query__start, text);
		standard_ExecutorRun(&query, i);
		DTRACE_PROBE1(postgresql, query__done, text);
		DTRACE_PROBE2(postgresql, lwlock__wait__start, i % 2 ? "WALWrite" : "ProcArray",
			      0);
		sleep_for(i);
		DTRACE_PROBE2(postgresql, lwlock__wait__done, i % 2 ? "WALWrite" : "ProcArray", 0);
	}
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static void *hold_lock(void *unused)
{
	for (int i = 0; i < COUNT; i++) {
		pthread_mutex_lock(&lock);
		pthread_barrier_wait(&barrier);
		sleep_for(i);
		pthread_mutex_unlock(&lock);
		pthread_barrier_wait(&barrier);
	}
	return unused;
}

/* Two threads lock the mutex; the second waits as long as the first sleeps with it. */
static void lock_mutex(void)
{
	pthread_t holder;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&holder, NULL, hold_lock, NULL);
	for (int i = 0; i < COUNT; i++) {
		pthread_barrier_wait(&barrier);
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
		pthread_barrier_wait(&barrier);
	}
	pthread_join(holder, NULL);
}

static void allocate(void)
{
	for (int i = 0; i < COUNT; i++) {
		void *volatile memory = malloc((size_t)100 << i % 4);

		free(memory);
	}
}

/* Waits that end by their time. */
static void wait_for_futex(void)
{
	static uint32_t word;

	for (int i = 0; i < COUNT; i++) {
		const struct timespec delay = delay_of(i);

		syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &delay, NULL, 0);
	}
}

static atomic_bool is_done;

/* Writes until it has slept for the file's lock a few times, or the other thread has. */
static void *write_file(void *file)
{
	static char text[1 << 20];
	struct rusage before, now;

	pthread_barrier_wait(&barrier);
	getrusage(RUSAGE_THREAD, &before);
	do {
		sink += (unsigned long)pwrite(*(int *)file, text, sizeof(text), 0);
		getrusage(RUSAGE_THREAD, &now);
	} while (now.ru_nvcsw < before.ru_nvcsw + 5 && !is_done);
	is_done = true;
	return NULL;
}

/* Two threads write to one file: the kernel has a lock for that. */
static void contend(void)
{
	int file = memfd_create("contended", MFD_CLOEXEC);
	pthread_t threads[2];

	pthread_barrier_init(&barrier, NULL, 2);
	for (int i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, write_file, &file);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* COUNT pages that nobody has touched, from 2^40 on. */
static void touch_pages(void)
{
	const size_t bytes = (size_t)sysconf(_SC_PAGESIZE);
	char *const pages = mmap((void *)(1UL << 40), COUNT * bytes, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	madvise(pages, COUNT * bytes, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < COUNT; i++)
		pages[i * bytes] = 1;
}

static void be_woken(void)
{
	for (int i = 0; i < COUNT; i++)
		nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
}

static void make_pipes(void)
{
	for (int i = 0; i < COUNT; i++) {
		int ends[2];

		if (pipe2(ends, O_CLOEXEC))
			return;
		close(ends[0]);
		close(ends[1]);
	}
}

/* System calls that take their time, and as many that fail. */
static void call_kernel(void)
{
	for (int i = 0; i < COUNT; i++) {
		const struct timespec delay = delay_of(i);

		syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &delay, NULL);
		syscall(SYS_getpgid, -1);
		syscall(SYS_close, -1);
		syscall(SYS_getpgid, 0);
	}
}

static void send_signals(void)
{
	signal(SIGUSR1, SIG_IGN);
	signal(SIGUSR2, SIG_IGN);
	for (int i = 0; i < COUNT; i++)
		raise(i % 4 ? SIGUSR1 : SIGUSR2);
}

__attribute__((noinline)) unsigned long work(unsigned long i);
unsigned long work(unsigned long i)
{
	sleep_for((int)i);
	return 10 * i;
}

static void call_function(void)
{
	for (unsigned long i = 0; i < COUNT; i++)
		sink += work(i % 8);
}

/* Nothing, until PLACE, a FIFO, has lost its writers. */
static void wait_at_gate(void)
{
	const int gate = open(place, O_RDONLY | O_CLOEXEC);
	char byte;

	while (read(gate, &byte, 1) > 0)
		;
}

static const struct load {
	const char *name;
	void (*run)(void);
} loads[] = {
	{ "forks", fork_often },	{ "execs", start_programs },
	{ "opens", open_files },	{ "reads", read_timers },
	{ "writes", write_nothing },	{ "syncs", synchronize },
	{ "blocks", write_blocks },	{ "connects", connect_often },
	{ "retransmits", retransmit },	{ "drops", send_in_vain },
	{ "names", look_up },		{ "queries", run_queries },
	{ "mutexes", lock_mutex },	{ "mallocs", allocate },
	{ "futexes", wait_for_futex },	{ "contention", contend },
	{ "faults", touch_pages },	{ "wakeups", be_woken },
	{ "pipes", make_pipes },	{ "calls", call_kernel },
	{ "signals", send_signals },	{ "functions", call_function },
	{ "gate", wait_at_gate },
};

int main(int argc, char **argv)
{
	place = argc > 2 ? argv[2] : ".";
	port = argc > 3 ? (in_port_t)atoi(argv[3]) : 0;
	for (size_t i = 0; argc > 1 && i < sizeof(loads) / sizeof(loads[0]); i++)
		if (strcmp(loads[i].name, argv[1]) == 0) {
			prctl(PR_SET_NAME, "fixture");
			loads[i].run();
			prctl(PR_SET_NAME, "done");
			return 0;
		}
	return 2;
}
