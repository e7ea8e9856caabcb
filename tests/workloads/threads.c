/* threads [COUNT [SECONDS [NAP_MS]]] - COUNT threads named "worker-N"; each spins a little (0.1 ms)
 * and then sleeps a little (5 ms), in turns. Prints "ready" when all run. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile time_t end;
static struct timespec nap = { .tv_nsec = 5000000 };

__attribute__((noinline)) static unsigned long spin(unsigned long seed)
{
	for (int i = 0; i < 100000; i++)
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return seed;
}

static void *work(void *number)
{
	unsigned long seed = (unsigned long)number;
	char name[16];

	snprintf(name, sizeof(name), "worker-%lu", seed);
	pthread_setname_np(pthread_self(), name);
	while (time(NULL) < end) {
		seed = spin(seed);
		nanosleep(&nap, NULL);
	}
	return (void *)seed;
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? (size_t)atoi(argv[1]) : 8;
	pthread_t *threads = calloc(count, sizeof(*threads));
	pthread_attr_t small;

	end = time(NULL) + (argc > 2 ? atoi(argv[2]) : 10);
	if (argc > 3)
		nap = (struct timespec){ .tv_sec = atoi(argv[3]) / 1000,
					 .tv_nsec = atoi(argv[3]) % 1000 * 1000000L };
	pthread_attr_init(&small);
	pthread_attr_setstacksize(&small, 64 * 1024);
	for (size_t i = 0; i < count; i++)
		if (!threads || pthread_create(&threads[i], &small, work, (void *)i)) {
			fprintf(stderr, "threads: cannot start thread %zu\n", i);
			return 1;
		}
	puts("ready");
	fflush(stdout);
	for (size_t i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	return 0;
}
