/* find_targets - how long the finder needs for each key, over the names of this machine's kernel as
 * often as makes 300,000: typed letter by letter, and each text at once, without what the letters
 * before have found out. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "finder/target_index.h"
#include "finder/target_kernel.h"

enum { NAMES = 300000, INDEXES_MAX = 16, RUNS = 5 };

static struct target_index *indexes[INDEXES_MAX];
static size_t index_count;
static struct target_match_work work;
static struct target_ranking ranking;
static _Atomic uint64_t newest;

static double cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static double search(const char *text)
{
	static struct target_pattern pattern;
	const double begin = cpu_ms();

	target_pattern_make(&pattern, text);
	ranking.count = ranking.matches = 0;
	for (size_t i = 0; i < index_count; i++) {
		const struct target_search request = {
			.pattern = &pattern, .text = text, .order = (uint32_t)i, .work = &work,
			.ranking = &ranking, .newest = &newest,
		};

		target_index_search(indexes[i], &request);
	}
	return cpu_ms() - begin;
}

/* The best of some runs, of CPU time: the machine may have other work. */
static void measure(const char *text)
{
	double key = 1e9, alone = 1e9;
	char before[64];

	snprintf(before, sizeof(before), "%.*s", (int)strlen(text) - 1, text);
	for (int run = 0; run < RUNS; run++) {
		double took;

		search("~");	/* nothing is kept of the run before */
		search(before);
		took = search(text);
		key = took < key ? took : key;
		search("~");
		took = search(text);
		alone = took < alone ? took : alone;
	}
	printf("%-20s %7zu found  as the next key %6.1f ms   at once %6.1f ms\n", text,
	       ranking.matches, key, alone);
}

int main(void)
{
	static const char *const texts[] = { "e", "r", "re", "rea", "read", "vfs_re", "vfsread",
					     "tcp send", "schedswitch", "do_sys_openat2" };
	static const atomic_bool is_stopping;
	uint32_t names = 0;

	while (names < NAMES && index_count < INDEXES_MAX) {
		struct target_index **index = &indexes[index_count];
		struct diag why = { .err = 0 };

		if (target_kernel_load(index, NULL, &is_stopping, &why)) {
			fprintf(stderr, "find_targets: %s\n", why.text);
			return 1;
		}
		index_count++;
		names += target_index_count(*index);
	}
	printf("%u names\n", names);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		measure(texts[i]);
	while (index_count)
		target_index_destroy(indexes[--index_count]);
	return 0;
}
