/* stages.h - the stages of the pipeline, each alone, with the program's own code: what the parts of
 * tests/bench/stages share.
 *
 * A stage is measured in rounds over the same fixture, so that the count of instructions is the
 * same in every run. Failures end the program. Thread: the main one. */
#ifndef TESTS_STAGES_H
#define TESTS_STAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is profiled; "name=value" on the command line. */
struct stages_shape {
	uint32_t frames;	/* per callchain, a fifth of them the kernel's; 0: none */
	uint32_t raw;		/* bytes of a tracepoint's fields, in place of frames */
	uint32_t stacks;	/* different ones */
	uint32_t processes;	/* that they belong to */
	uint32_t cpus, rate_hz;	/* samples a second of each CPU */
	uint32_t window_s;	/* how much time there is to fold */
	uint32_t width, height;	/* the screen's */
	const char *recording;	/* perf.data instead of records of our own; NULL: none */
};

struct stage {
	const char *name, *unit, *what;
	void *(*set_up)(const struct stages_shape *shape);	/* NULL: it wants a recording */
	void (*prepare)(void *state);	/* before each round, not measured; NULL: nothing */
	uint64_t (*round)(void *state);	/* returns how many units it did */
	void (*tear_down)(void *state);
};

extern const struct stage stages_of_records[], stages_of_steps[], stages_of_walks[],
	stages_of_windows[], stages_of_screens[];

/* Ends the program with a sentence unless @is_true. */
void stages_need(bool is_true, const char *what);
/* Zeroed; ends the program when there is none. free() it. */
void *stages_allocate(size_t count, size_t bytes);
/* A result that nobody looks at is not optimised away. */
void stages_keep(uint64_t value);

#endif
