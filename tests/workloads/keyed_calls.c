/* keyed_calls [SECONDS] - at each SIGUSR1 calls take(KEY, BYTES) 125 times, all in less than a
 * second, and sleeps otherwise:
 *
 *   from read_some()   100 times take(1, 10), fast            -> 1000 bytes
 *   from write_much()   20 times take(2, 1000), 2 ms each     -> 20000 bytes
 *   from close_all()     5 times take(3, 7), fast             -> 35 bytes
 */
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned long sink;

__attribute__((noinline)) static unsigned long take(unsigned long key, unsigned long bytes)
{
	const struct timespec nap = { .tv_nsec = 2000000 };

	if (key == 2)
		nanosleep(&nap, NULL);
	sink += bytes;
	return bytes;
}

__attribute__((noinline)) static void read_some(void)
{
	for (int i = 0; i < 100; i++)
		sink += take(1, 10);
}

__attribute__((noinline)) static void write_much(void)
{
	for (int i = 0; i < 20; i++)
		sink += take(2, 1000);
}

__attribute__((noinline)) static void close_all(void)
{
	for (int i = 0; i < 5; i++)
		sink += take(3, 7);
}

int main(int argc, char **argv)
{
	sigset_t set;
	int signal;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	alarm(argc > 1 ? (unsigned int)atoi(argv[1]) : 10);
	while (!sigwait(&set, &signal)) {
		read_some();
		write_much();
		close_all();
	}
	return 0;
}
