/* stages_model.h - a machine that is profiled, as records: programs that share libraries, and their
 * samples.
 *
 * Stacks share their outer frames as those of real programs do: of N stacks with F frames there are
 * N^(d/(F-1)) different ones as far as frame d from the outside. A stack belongs to one process.
 */
#ifndef TESTS_STAGES_MODEL_H
#define TESTS_STAGES_MODEL_H

#include "capture/perf_data.h"
#include "ingest/ingest.h"
#include "ingest/reorder.h"
#include "stages.h"

/* As the kernel wrote it, in the order in which the sampler reads the rings. */
struct tape_item {
	size_t offset;		/* in the tape's bytes */
	uint32_t size;		/* 0: no record but the end of a round */
	uint32_t time_at;	/* offset of its time in it; 0: it has none */
	uint32_t cpu;
	uint16_t event;
	bool is_sample;
	uint64_t limit_ns;	/* the round's end */
};

struct tape {
	unsigned char *bytes;	/* owned, 8-byte aligned */
	size_t used, capacity;
	struct tape_item *items;	/* owned */
	uint32_t count, item_capacity, samples;
	uint64_t begin_ns, length_ns;	/* its samples' times; the next round is that much later */
	uint64_t shift_ns;		/* added to the times in `bytes`: rounds so far */
};

struct model {
	struct stages_shape shape;
	struct tape tape;		/* samples */
	struct tape start;		/* the processes before them */
	const struct event_desc **events;	/* owned */
	uint32_t event_count;
	struct event_desc own_event;
	struct perf_data *recording;	/* NULL: none */
	struct ingest ingest;
	struct process_reader *reader;	/* NULL in a replay */
	uint64_t enforced_seq;
	void **tables;			/* owned: names of the DSOs */
};

#define MODEL_DSOS	       80u	/* libraries that every process maps */
#define MODEL_FUNCTIONS	       500u	/* in each */
#define MODEL_FUNCTION_BYTES   0x800ull
#define MODEL_USER_BASE	       0x7f0000000000ull
#define MODEL_DSO_BYTES     0x200000ull
#define MODEL_KERNEL_BASE      0xffffffff81000000ull
#define MODEL_KERNEL_FUNCTIONS 4000u

void model_init(struct model *model, const struct stages_shape *shape);
void model_finish(struct model *model);

/* The records of the processes are counted, and each DSO has its names; not of a recording, of
 * which all records are. */
void model_begin(struct model *model);
/* Moves the samples of the tape to the time after those that were counted. */
void model_advance(struct model *model);
/* Counts what is on the tape as the analyzer does. */
void model_count(struct model *model);

/* Frame @depth from the outside, of @shape->frames. */
uint64_t model_address(const struct stages_shape *shape, uint32_t stack, uint32_t depth);
/* Those of all stacks: of each the outermost first. The caller's: free(). */
uint64_t *model_addresses(const struct stages_shape *shape);
/* Which stack the sample number @sample has: all in turn, neighbours far apart. */
uint32_t model_stack_of(const struct stages_shape *shape, uint32_t sample);
/* How many samples are on a tape: each stack at least once. */
uint32_t model_samples(const struct stages_shape *shape);

/* Parts, for the files of this module. */
void model_read_recording(struct model *model);
void tape_put_record(struct tape *tape, const struct record_format *format, const void *bytes,
		     size_t size, uint16_t event, uint32_t cpu);
void tape_put_round_end(struct tape *tape, uint64_t limit_ns);

/* How many records from @first on are queued at once, as the sampler does; of a recording one. */
uint32_t model_span(const struct model *model, const struct tape *tape, uint32_t first,
		    size_t *bytes);

const void *tape_record(const struct tape *tape, const struct tape_item *item);

#endif
