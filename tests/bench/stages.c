/* stages.c - what each stage of the pipeline costs, alone.
 *
 * usage: stages [STAGE [ROUNDS [NAME=VALUE...]]]
 *        all stages with 20 rounds each, or one; --help lists stages and names
 *
 * Prints nanoseconds of CPU and allocations per unit, medians over the rounds. For counts of
 * instructions tests/bench/instructions runs it under callgrind, which collects in
 * stages_measured() alone. */
#include "allocations.h"
#include "stages.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DEFAULT_ROUNDS 20

static const struct stage *const lists[] = {
	stages_of_records, stages_of_steps, stages_of_walks, stages_of_windows,
	stages_of_screens,
};
#define LIST_COUNT (sizeof(lists) / sizeof(lists[0]))

static const struct stages_shape default_shape = {
	.frames = 20, .stacks = 1000, .processes = 8, .cpus = 2, .rate_hz = 20000, .window_s = 10,
	.width = 200, .height = 50,
};

static const struct {
	const char *name;
	size_t offset;
} numbers[] = {
	{ "frames", offsetof(struct stages_shape, frames) },
	{ "raw", offsetof(struct stages_shape, raw) },
	{ "stacks", offsetof(struct stages_shape, stacks) },
	{ "processes", offsetof(struct stages_shape, processes) },
	{ "cpus", offsetof(struct stages_shape, cpus) },
	{ "rate", offsetof(struct stages_shape, rate_hz) },
	{ "window", offsetof(struct stages_shape, window_s) },
	{ "width", offsetof(struct stages_shape, width) },
	{ "height", offsetof(struct stages_shape, height) },
};
#define NUMBER_COUNT (sizeof(numbers) / sizeof(numbers[0]))

extern volatile uint64_t stages_kept;
volatile uint64_t stages_kept;

struct stats {
	double ns, allocations;	/* per unit */
	uint64_t units;		/* in all rounds */
};

void stages_need(bool is_true, const char *what)
{
	if (is_true)
		return;
	fprintf(stderr, "stages: %s\n", what);
	exit(1);
}

void *stages_allocate(size_t count, size_t bytes)
{
	void *memory = calloc(count ? count : 1, bytes);

	stages_need(memory != NULL, "no memory");
	return memory;
}

void stages_keep(uint64_t value)
{
	stages_kept = value;
}

/* callgrind knows it by its name. */
uint64_t stages_measured(const struct stage *stage, void *state);
__attribute__((noinline)) uint64_t stages_measured(const struct stage *stage, void *state)
{
	return stage->round(state);
}

static uint64_t cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
	const double left = *(const double *)a, right = *(const double *)b;

	return left < right ? -1 : left > right;
}

static void prepare(const struct stage *stage, void *state)
{
	if (stage->prepare)
		stage->prepare(state);
}

/* After a round that warms up. */
static struct stats measure(const struct stage *stage, void *state, uint32_t rounds)
{
	double *ns = stages_allocate(rounds, sizeof(*ns));
	struct stats out = { .units = 0 };
	uint64_t allocated = 0;

	prepare(stage, state);
	stage->round(state);
	for (uint32_t round = 0; round < rounds; round++) {
		uint64_t units, before, began_ns;

		prepare(stage, state);
		before = allocations;
		began_ns = cpu_ns();
		units = stages_measured(stage, state);
		ns[round] = (double)(cpu_ns() - began_ns) / (double)units;
		allocated += allocations - before;
		out.units += units;
	}
	qsort(ns, rounds, sizeof(*ns), by_value);
	out.ns = ns[rounds / 2];
	out.allocations = (double)allocated / (double)out.units;
	free(ns);
	return out;
}

static void run(const struct stage *stage, const struct stages_shape *shape, uint32_t rounds)
{
	void *state = stage->set_up(shape);
	struct stats stats;

	if (!state) {
		printf("%-14s wants a recording\n", stage->name);
		return;
	}
	stats = measure(stage, state, rounds);
	stage->tear_down(state);	/* first: it may have taken the terminal */
	printf("%-14s %10.1f ns, %.4f allocations per %s, of %llu\n", stage->name, stats.ns,
	       stats.allocations, stage->unit, (unsigned long long)stats.units);
	fflush(stdout);
}

static const struct stage *find_stage(const char *name)
{
	for (size_t i = 0; i < LIST_COUNT; i++)
		for (const struct stage *stage = lists[i]; stage->name; stage++)
			if (!strcmp(stage->name, name))
				return stage;
	return NULL;
}

static int help(void)
{
	printf("usage: stages [STAGE [ROUNDS [NAME=VALUE...]]]\n");
	for (size_t i = 0; i < LIST_COUNT; i++)
		for (const struct stage *stage = lists[i]; stage->name; stage++)
			printf("  %-14s %s, per %s\n", stage->name, stage->what, stage->unit);
	printf("  with");
	for (size_t i = 0; i < NUMBER_COUNT; i++)
		printf(" %s=%u", numbers[i].name,
		       *(const uint32_t *)((const char *)&default_shape + numbers[i].offset));
	printf(" recording=FILE\n");
	return 0;
}

static void set_number(struct stages_shape *shape, const char *argument)
{
	const char *value = strchr(argument, '=');

	stages_need(value != NULL, "wants NAME=VALUE; --help lists the names");
	if (!strncmp(argument, "recording=", strlen("recording="))) {
		shape->recording = value + 1;
		return;
	}
	for (size_t i = 0; i < NUMBER_COUNT; i++)
		if (strlen(numbers[i].name) == (size_t)(value - argument) &&
		    !strncmp(argument, numbers[i].name, (size_t)(value - argument))) {
			*(uint32_t *)((char *)shape + numbers[i].offset) =
				(uint32_t)strtoul(value + 1, NULL, 10);
			return;
		}
	stages_need(false, "no such name; --help lists them");
}

int main(int argc, char **argv)
{
	const uint32_t rounds = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : DEFAULT_ROUNDS;
	struct stages_shape shape = default_shape;
	const struct stage *only = argc > 1 ? find_stage(argv[1]) : NULL;

	setlocale(LC_CTYPE, "C.UTF-8");
	if (argc > 1 && !strcmp(argv[1], "--help"))
		return help();
	stages_need(argc < 2 || only, "no such stage; --help lists them");
	stages_need(rounds > 0, "wants a number of rounds");
	for (int i = 3; i < argc; i++)
		set_number(&shape, argv[i]);
	stages_need(shape.stacks && shape.processes && shape.cpus && shape.rate_hz,
		    "there must be something to sample");
	for (size_t i = 0; i < LIST_COUNT; i++)
		for (const struct stage *stage = lists[i]; stage->name; stage++)
			if (!only || stage == only)
				run(stage, &shape, rounds);
	return 0;
}
