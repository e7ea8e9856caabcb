/* handed_on - requests that three threads hand on, several at a time, with known times between.
 *
 * usage: handed_on COUNT
 *
 * Of each request with the number ID, from 0 to COUNT - 1: request_begins(ID) in the main thread,
 * then request_works(7, ID) in a second one, at least 2 ms later, then request_ends(8, 9, ID) in a
 * third one, at least 4 ms after that. Every fourth request is not worked on. "work" is 2 ms of
 * sleep, as are both halves of the 4 ms. It says "requests=COUNT worked=N" when all have ended.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noclone))
#endif
#define TOGETHER 8	/* requests that are under way at the same time */
#define MS	 1000000

static volatile long sink;

KEEP void request_begins(long id);
KEEP void request_works(long seven, long id);
KEEP void request_ends(long eight, long nine, long id);

void request_begins(long id)
{
	sink = id;
}

void request_works(long seven, long id)
{
	sink = seven + id;
}

void request_ends(long eight, long nine, long id)
{
	sink = eight + nine + id;
}

static void nap(long ms)
{
	struct timespec time = { .tv_nsec = ms * MS };

	while (nanosleep(&time, &time))
		;
}

static pthread_t start(void *(*run)(void *), void *id)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, run, id))
		exit(1);
	return thread;
}

static void *end(void *id)
{
	nap(2);
	request_ends(8, 9, (long)(intptr_t)id);
	return NULL;
}

static void *work(void *id)
{
	nap(2);
	if ((long)(intptr_t)id % 4 != 3)
		request_works(7, (long)(intptr_t)id);
	nap(2);
	pthread_join(start(end, id), NULL);
	return NULL;
}

int main(int argc, char **argv)
{
	const long count = argc > 1 ? atol(argv[1]) : 0;
	pthread_t threads[TOGETHER];

	for (long id = 0; id < count; id += TOGETHER) {
		const long together = count - id < TOGETHER ? count - id : TOGETHER;

		for (long i = 0; i < together; i++) {
			request_begins(id + i);
			threads[i] = start(work, (void *)(intptr_t)(id + i));
		}
		for (long i = 0; i < together; i++)
			pthread_join(threads[i], NULL);
	}
	printf("requests=%ld worked=%ld\n", count, count - count / 4);
	return 0;
}
