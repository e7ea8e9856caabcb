/* stages_model.c - see stages_model.h. The records are written here; a recording is read in
 * stages_recording.c; what they become is counted in stages_count.c. */
#include "stages_model.h"

#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/id_map.h"

#include "../unit/record_bytes.h"

#define FIRST_PID	 (5u << 20)	/* beyond PID_MAX_LIMIT: /proc knows none of them */
#define BEGIN_NS	 CLOCK_NS_PER_S	/* all of it is past: no cgroup is read twice */
#define SAMPLES_MIN	 10000u
#define SPAN_BYTES	 (16u * 1024)	/* as in capture/sampler.c */
#define ROUND_RECORDS	 250u	/* per CPU, at most, */
#define ROUNDS_PER_S	 20u	/* and the sampler's longest round is 50 ms */

uint32_t model_samples(const struct stages_shape *shape)
{
	return shape->stacks > SAMPLES_MIN ? shape->stacks : SAMPLES_MIN;
}

uint32_t model_stack_of(const struct stages_shape *shape, uint32_t sample)
{
	return (uint32_t)((uint64_t)sample * 7919 % shape->stacks);	/* a prime */
}

static bool is_kernel(const struct stages_shape *shape, uint32_t depth)
{
	return depth >= shape->frames - shape->frames / 5;
}

/* How many different stacks there are as far as @depth: a whole power, without libm. */
static uint64_t nodes_at(const struct stages_shape *shape, uint32_t depth)
{
	const uint32_t last = shape->frames - 1;
	double root = 1, low = 1, high = (double)shape->stacks, power;

	if (depth >= last)
		return shape->stacks;
	for (int step = 0; step < 50; step++) {		/* the last-th root of `stacks` */
		root = (low + high) / 2;
		power = 1;
		for (uint32_t i = 0; i < last; i++)
			power *= root;
		*(power > (double)shape->stacks ? &high : &low) = root;
	}
	power = 1;
	for (uint32_t i = 0; i < depth; i++)
		power *= root;
	return (uint64_t)power;
}

static uint64_t address_of(const struct stages_shape *shape, uint64_t node, uint32_t depth)
{
	const uint64_t hash = id_map_mix(node << 8 | depth);
	const uint64_t in_function = (hash >> 40) % MODEL_FUNCTION_BYTES;

	if (is_kernel(shape, depth))
		return MODEL_KERNEL_BASE + in_function +
		       (hash >> 8) % MODEL_KERNEL_FUNCTIONS * MODEL_FUNCTION_BYTES;
	return MODEL_USER_BASE + hash % MODEL_DSOS * MODEL_DSO_BYTES +
	       (hash >> 8) % MODEL_FUNCTIONS * MODEL_FUNCTION_BYTES + in_function;
}

uint64_t model_address(const struct stages_shape *shape, uint32_t stack, uint32_t depth)
{
	return address_of(shape, stack * nodes_at(shape, depth) / shape->stacks, depth);
}

const void *tape_record(const struct tape *tape, const struct tape_item *item)
{
	return tape->bytes + item->offset;
}

static void *grow(void *memory, size_t count, size_t bytes)
{
	void *bigger = realloc(memory, count * bytes);

	stages_need(bigger != NULL, "no memory");
	return bigger;
}

static void put_item(struct tape *tape, const struct tape_item *item, const void *record)
{
	if (tape->count == tape->item_capacity) {
		tape->item_capacity = tape->item_capacity ? tape->item_capacity * 2 : 1024;
		tape->items = grow(tape->items, tape->item_capacity, sizeof(*tape->items));
	}
	if (tape->used + item->size > tape->capacity) {
		tape->capacity = (tape->used + item->size) * 2;
		tape->bytes = grow(tape->bytes, tape->capacity, 1);
	}
	tape->items[tape->count] = *item;
	tape->items[tape->count++].offset = tape->used;
	tape->samples += item->is_sample;
	if (item->size)
		memcpy(tape->bytes + tape->used, record, item->size);
	tape->used += (item->size + 7u) & ~(size_t)7;
}

void tape_put_round_end(struct tape *tape, uint64_t limit_ns)
{
	const struct tape_item item = { .limit_ns = limit_ns };

	put_item(tape, &item, NULL);
}

/* Where the time of a record stands: perf_event_open(2). */
static uint32_t time_offset(const struct record_format *format, const void *record)
{
	const uint64_t before = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID;
	const uint64_t after = PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID | PERF_SAMPLE_CPU |
				PERF_SAMPLE_IDENTIFIER;
	const struct perf_event_header *header = record;
	const uint64_t type = format->sample_type;

	if (!(type & PERF_SAMPLE_TIME))
		return 0;
	if (header->type == PERF_RECORD_SAMPLE)
		return 8 + 8 * (uint32_t)__builtin_popcountll(type & before);
	if (!format->sample_id_all)
		return 0;
	return header->size - 8 - 8 * (uint32_t)__builtin_popcountll(type & after);
}

void tape_put_record(struct tape *tape, const struct record_format *format, const void *bytes,
		       size_t size, uint16_t event, uint32_t cpu)
{
	const struct perf_event_header *header = bytes;
	const struct tape_item item = {
		.size = (uint32_t)size, .time_at = time_offset(format, bytes), .event = event,
		.cpu = cpu, .is_sample = header->type == PERF_RECORD_SAMPLE,
	};

	put_item(tape, &item, bytes);
}

static void put_own(struct model *model, struct tape *tape, struct record_bytes *record,
		    uint32_t cpu)
{
	record_close(record);
	tape_put_record(tape, &model->own_event.format, record->words, record->count * 8, 0, cpu);
}

/* As capture/event_open.c asks for it. */
static void describe_own_event(struct model *model)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD,
		.freq = !model->shape.raw, .sample_period = model->shape.raw > 0,
		.sample_id_all = 1,
	};

	if (model->shape.frames)
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	if (model->shape.raw)
		attr.sample_type |= PERF_SAMPLE_RAW;
	record_format_init(&model->own_event.format, &attr);
	snprintf(model->own_event.name, sizeof(model->own_event.name), "cpu-clock");
	model->events = stages_allocate(1, sizeof(*model->events));
	model->events[model->event_count++] = &model->own_event;
}

/* What sample_id_all puts after a record. */
static void put_with_origin(struct model *model, struct record_bytes *record, uint32_t pid)
{
	const uint64_t origin[] = { PAIR(pid, pid), BEGIN_NS / 2, PAIR(0, 0), 1 };

	record_add(record, origin, COUNT_OF(origin));
	put_own(model, &model->start, record, 0);
}

/* The program that a process runs, and its libraries. */
static void put_process(struct model *model, uint32_t number)
{
	const uint32_t pid = FIRST_PID + number;
	const uint64_t task = PAIR(pid, pid);
	struct record_bytes record;
	char text[32];

	snprintf(text, sizeof(text), "worker%u", number);
	record_begin(&record, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	record_add(&record, &task, 1);
	record_add_text(&record, text);
	put_with_origin(model, &record, pid);
	for (uint32_t dso = 0; dso < MODEL_DSOS; dso++) {
		const uint64_t place[] = { task, MODEL_USER_BASE + dso * MODEL_DSO_BYTES,
					   MODEL_FUNCTIONS * MODEL_FUNCTION_BYTES, 0 };

		snprintf(text, sizeof(text), "/usr/lib/lib%02u.so", dso);
		record_begin(&record, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
		record_add(&record, place, COUNT_OF(place));
		record_add_text(&record, text);
		put_with_origin(model, &record, pid);
	}
}

/* Leaf first, with the kernel's marks. */
static void add_chain(struct record_bytes *record, const struct stages_shape *shape,
		      const uint64_t *addresses)
{
	uint64_t chain[256];
	uint64_t count = 1;

	for (uint32_t depth = shape->frames; depth-- > 0;) {
		if (depth + 1 == shape->frames || (!is_kernel(shape, depth) &&
						   is_kernel(shape, depth + 1)))
			chain[count++] = is_kernel(shape, depth) ? PERF_CONTEXT_KERNEL
								       : PERF_CONTEXT_USER;
		chain[count++] = addresses[depth];
	}
	chain[0] = count - 1;
	record_add(record, chain, count);
}

static void add_raw(struct record_bytes *record, uint32_t bytes)
{
	const uint32_t words = (bytes + 4 + 7) / 8;	/* its size of 4 bytes before it */
	uint64_t fields[64] = { (words * 8) - 4 };

	stages_need(words <= COUNT_OF(fields), "raw fields of 500 bytes are the most");
	record_add(record, fields, words);
}

static void put_sample(struct model *model, const uint64_t *addresses, uint32_t stack, uint32_t cpu,
		       uint64_t time_ns)
{
	const struct stages_shape *shape = &model->shape;
	const uint32_t pid = FIRST_PID + stack % shape->processes;
	const uint64_t *chain = addresses + (size_t)stack * shape->frames;
	const uint64_t ip = shape->frames ? chain[shape->frames - 1] : MODEL_KERNEL_BASE;
	const uint64_t period = 1000000000u / shape->rate_hz;
	const uint64_t fields[] = { 1, ip, PAIR(pid, pid), time_ns, PAIR(cpu, 0), period };
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_SAMPLE,
		     ip >= MODEL_KERNEL_BASE ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER);
	record_add(&record, fields, COUNT_OF(fields));
	if (shape->frames)
		add_chain(&record, shape, chain);
	if (shape->raw)
		add_raw(&record, shape->raw);
	put_own(model, &model->tape, &record, cpu);
}

/* In rounds: what one CPU's ring has, then what the next one's has. */
static void put_samples(struct model *model, const uint64_t *addresses)
{
	const struct stages_shape *shape = &model->shape;
	const uint32_t each = model_samples(shape) / shape->cpus + 1;
	const uint64_t step_ns = CLOCK_NS_PER_S / shape->rate_hz;
	uint32_t in_round = shape->rate_hz / ROUNDS_PER_S + 1, number = 0;

	in_round = in_round < ROUND_RECORDS ? in_round : ROUND_RECORDS;
	for (uint32_t first = 0; first < each; first += in_round) {
		const uint32_t end = first + in_round < each ? first + in_round : each;

		for (uint32_t cpu = 0; cpu < shape->cpus; cpu++)
			for (uint32_t at = first; at < end; at++, number++)
				put_sample(model, addresses, model_stack_of(shape, number), cpu,
					   BEGIN_NS + at * step_ns + cpu * step_ns / shape->cpus);
		tape_put_round_end(&model->tape, BEGIN_NS + end * step_ns - 1);
	}
	model->tape.begin_ns = BEGIN_NS;
	model->tape.length_ns = each * step_ns;
}

uint64_t *model_addresses(const struct stages_shape *shape)
{
	uint64_t *out = stages_allocate((size_t)shape->stacks * shape->frames, sizeof(*out));

	for (uint32_t depth = 0; depth < shape->frames; depth++) {
		const uint64_t nodes = nodes_at(shape, depth);

		for (uint32_t stack = 0; stack < shape->stacks; stack++)
			out[(size_t)stack * shape->frames + depth] =
				address_of(shape, stack * nodes / shape->stacks, depth);
	}
	return out;
}

static void make_own(struct model *model)
{
	uint64_t *addresses = model_addresses(&model->shape);

	describe_own_event(model);
	for (uint32_t number = 0; number < model->shape.processes; number++)
		put_process(model, number);
	put_samples(model, addresses);
	free(addresses);
}

void model_init(struct model *model, const struct stages_shape *shape)
{
	*model = (struct model){ .shape = *shape };
	stages_need(shape->frames <= 250, "250 frames are the most");
	if (shape->recording)
		model_read_recording(model);
	else
		make_own(model);
	stages_need(model->tape.samples > 0, "no sample was recorded");
}

void model_advance(struct model *model)
{
	struct tape *tape = &model->tape;

	for (uint32_t i = 0; i < tape->count; i++) {
		struct tape_item *item = &tape->items[i];
		unsigned char *at = tape->bytes + item->offset + item->time_at;
		uint64_t time_ns;

		if (!item->size)
			item->limit_ns += tape->length_ns;
		if (!item->time_at)
			continue;
		memcpy(&time_ns, at, sizeof(time_ns));
		time_ns += tape->length_ns;
		memcpy(at, &time_ns, sizeof(time_ns));
	}
	tape->shift_ns += tape->length_ns;
}

uint32_t model_span(const struct model *model, const struct tape *tape, uint32_t first,
		    size_t *bytes)
{
	const struct tape_item *items = tape->items;
	uint32_t end = first + 1;

	*bytes = items[first].size;
	for (; !model->recording && end < tape->count && items[end].size &&
	       *bytes + items[end].size <= SPAN_BYTES && items[end].cpu == items[first].cpu; end++)
		*bytes += items[end].size;
	return end - first;
}
