/* probe_me - functions to be probed, whose calls are known: each request says what was done.
 *
 * A request is WHAT=NUMBER, as an argument or as a line on standard input (it says "ready" first),
 * and is answered by one line "WHAT KEY=VALUE ..." when it is done:
 *
 *   counted=N    counted(0), counted(1), ... counted(N - 1), which return 3 times as much
 *   nap_1=N      N calls of nap_1ms(), which sleeps 1 ms; nap_5, nap_20 alike. min_ns and max_ns
 *                are the times from before the call to after it: an upper bound of its latency
 *   recurse=N    recurse(N) calls itself down to recurse(1): N calls, nested N deep
 *   nested=N     N calls of outer(), which calls inner() twice: 1 ms each
 *   threads=N    8 threads call in_thread(1), ... in_thread(N), at the same time
 *   texts=N      take_text(TEXT, LENGTH) with "alpha", "beta", "gamma delta", "", in turns
 *   requests=N   handle_request(&request): struct request below, with id 0, 1, ... N - 1
 *   mixed=N      mixed(i8, u8, i16, u32, i64, text): -i, i + 200, -i * 300, i, -i * 10^10, "mixed"
 *   signs=N      signs(i) returns i when i is even, -i else
 *   getppid=N    N system calls getppid(2)
 *   tight=N      N calls of tight(), which does nothing, without a pause; N 0: until killed
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __clang__
#define KEEP __attribute__((noinline))
#else
#define KEEP __attribute__((noinline, noclone))
#endif
#define THREADS 8

struct request {
	int32_t id;
	uint16_t kind;		/* id % 3 */
	unsigned int is_urgent : 1, level : 3;	/* id is odd; id % 8 */
	char name[12];		/* "r" and id */
	const char *path;	/* "/etc/r" and id % 4 */
	struct { int64_t size; uint32_t flags; } body;	/* id * 4096, 0x80000000 | id */
	const struct request *next;	/* its id is id + 1000 */
	int32_t parts[4];	/* id, id * 2, id * 3, id * 4 */
};

struct nap { const char *name; void (*call)(void); };

static volatile long sink;
static const char *volatile greeting = "hello";	/* a pointer that only debug information names */

KEEP long counted(long number);
KEEP void nap_1ms(void);
KEEP void nap_5ms(void);
KEEP void nap_20ms(void);
KEEP long recurse(long depth);
KEEP void inner(void);
KEEP void outer(void);
KEEP long in_thread(long number);
KEEP size_t take_text(const char *text, size_t bytes);
KEEP int64_t handle_request(const struct request *request);
KEEP int64_t mixed(int8_t tiny, uint8_t byte, int16_t small, uint32_t word, int64_t large,
		   const char *text);
KEEP int signs(int number);
KEEP void tight(void);

long counted(long number)
{
	sink = number;
	return number * 3;
}

static void nap(long ms)
{
	struct timespec time = { .tv_nsec = ms * 1000000 };

	while (nanosleep(&time, &time))
		;
	sink++;
}

void nap_1ms(void)
{
	nap(1);
	sink++;
}

void nap_5ms(void)
{
	nap(5);
	sink++;
}

void nap_20ms(void)
{
	nap(20);
	sink++;
}

long recurse(long depth)
{
	const long below = depth > 1 ? recurse(depth - 1) : 0;

	sink = depth;	/* so that no compiler makes a loop of it */
	return below + 1;
}

void inner(void)
{
	nap(1);
	sink++;
}

void outer(void)
{
	inner();
	inner();
	sink++;
}

long in_thread(long number)
{
	__asm__ volatile("" : "+r"(number));
	return number;
}

size_t take_text(const char *text, size_t bytes)
{
	sink = text[0] + greeting[0];
	return bytes;
}

int64_t handle_request(const struct request *request)
{
	sink = request->id;
	return request->body.size;
}

int64_t mixed(int8_t tiny, uint8_t byte, int16_t small, uint32_t word, int64_t large,
	      const char *text)
{
	sink = tiny + byte + small + text[0];
	return large + word;
}

int signs(int number)
{
	sink = number;
	return number % 2 ? -number : number;
}

void tight(void)
{
	__asm__ volatile("");
}

static long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

static void do_counted(long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++)
		sum += counted(i);
	printf("counted hits=%ld sum=%ld\n", count, sum);
}

static int do_naps(const char *what, long count)
{
	static const struct nap naps[] = {
		{ "nap_1", nap_1ms }, { "nap_5", nap_5ms }, { "nap_20", nap_20ms },
	};

	for (size_t k = 0; k < sizeof(naps) / sizeof(naps[0]); k++) {
		long min = 0, max = 0;

		if (strcmp(what, naps[k].name) != 0)
			continue;
		for (long i = 0; i < count; i++) {
			const long began = now_ns();
			long took;

			naps[k].call();
			took = now_ns() - began;
			max = took > max ? took : max;
			min = i == 0 || took < min ? took : min;
		}
		printf("%s hits=%ld min_ns=%ld max_ns=%ld\n", what, count, min, max);
		return 1;
	}
	return 0;
}

static void *run_thread(void *count)
{
	long sum = 0;

	for (long i = 1; i <= (long)(intptr_t)count; i++)
		sum += in_thread(i);
	return (void *)(intptr_t)sum;
}

static void do_threads(long count)
{
	pthread_t threads[THREADS];
	long sum = 0;

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run_thread, (void *)(intptr_t)count))
			exit(1);
	for (int i = 0; i < THREADS; i++) {
		void *part;

		pthread_join(threads[i], &part);
		sum += (long)(intptr_t)part;
	}
	printf("threads hits=%ld threads=%d sum=%ld\n", count * THREADS, THREADS, sum);
}

static void do_texts(long count)
{
	static const char *const texts[] = { "alpha", "beta", "gamma delta", "" };
	size_t sum = 0;

	for (long i = 0; i < count; i++)
		sum += take_text(texts[i % 4], strlen(texts[i % 4]));
	printf("texts hits=%ld sum=%zu\n", count, sum);
}

static void fill_request(struct request *out, int id, char path[24])
{
	const unsigned int bits = (unsigned int)id;

	*out = (struct request){
		.id = id, .kind = (uint16_t)(id % 3), .is_urgent = bits & 1, .level = bits & 7,
		.path = path, .body = { .size = id * 4096L, .flags = 0x80000000u | bits },
		.parts = { id, id * 2, id * 3, id * 4 },
	};
	snprintf(out->name, sizeof(out->name), "r%d", id);
	snprintf(path, 24, "/etc/r%d", id % 4);
}

static void do_requests(long count)
{
	char paths[2][24];
	struct request request, next;
	int64_t sum = 0;

	for (int i = 0; i < count; i++) {
		fill_request(&next, i + 1000, paths[1]);
		fill_request(&request, i, paths[0]);
		request.next = &next;
		sum += handle_request(&request);
	}
	printf("requests hits=%ld sum=%ld\n", count, (long)sum);
}

static void do_mixed(long count)
{
	int64_t sum = 0;

	for (int i = 0; i < count; i++)
		sum += mixed((int8_t)-i, (uint8_t)(i + 200), (int16_t)(-i * 300), (uint32_t)i,
			     -i * 10000000000L, "mixed");
	printf("mixed hits=%ld sum=%ld\n", count, (long)sum);
}

static void do_signs(long count)
{
	long sum = 0;

	for (int i = 0; i < count; i++)
		sum += signs(i);
	printf("signs hits=%ld sum=%ld\n", count, sum);
}

static void do_nested(long count)
{
	for (long i = 0; i < count; i++)
		outer();
	printf("nested hits=%ld inner=%ld\n", count, count * 2);
}

static void do_getppid(long count)
{
	for (long i = 0; i < count; i++)
		syscall(SYS_getppid);
	printf("getppid hits=%ld\n", count);
}

static void do_tight(long count)
{
	for (long i = 0; count == 0 || i < count; i++)
		tight();
	printf("tight hits=%ld\n", count);
}

static void do_recurse(long count)
{
	printf("recurse hits=%ld\n", recurse(count));
}

static const struct { const char *what; void (*run)(long count); } kinds[] = {
	{ "counted", do_counted }, { "recurse", do_recurse }, { "nested", do_nested },
	{ "threads", do_threads }, { "texts", do_texts }, { "requests", do_requests },
	{ "mixed", do_mixed }, { "signs", do_signs }, { "getppid", do_getppid },
	{ "tight", do_tight },
};

static int do_request(const char *line)
{
	char what[16];
	long count;

	if (sscanf(line, "%15[^=]=%ld", what, &count) != 2)
		return 0;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(what, kinds[i].what)) {
			kinds[i].run(count);
			return 1;
		}
	return do_naps(what, count);
}

int main(int argc, char **argv)
{
	char line[64];

	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++)
		if (!do_request(argv[i]))
			return 2;
	if (argc > 1)
		return 0;
	puts("ready");
	while (fgets(line, sizeof(line), stdin))
		if (!do_request(line))
			return 2;
	return 0;
}
