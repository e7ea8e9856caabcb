/* stages_records.c - what is done with whole records. */
#include <stdlib.h>
#include <string.h>

#include "stages_model.h"

#define QUEUE_BYTES (4u << 20)
#define QUEUE_BATCH 128	/* records queued before they are taken */

/* Parse. */

static void *tape_set_up(const struct stages_shape *shape)
{
	struct model *model = stages_allocate(1, sizeof(*model));

	model_init(model, shape);
	return model;
}

static void model_tear_down(void *state)
{
	model_finish(state);
	free(state);
}

static uint64_t parse_round(void *state)
{
	const struct model *model = state;
	const struct tape *tape = &model->tape;
	struct event_record record;
	uint64_t sum = 0, count = 0;

	for (uint32_t i = 0; i < tape->count; i++) {
		const struct tape_item *item = &tape->items[i];

		if (!item->size)
			continue;
		stages_need(!record_parse(&model->events[item->event]->format,
					  tape_record(tape, item), item->size, &record),
			    "a record is malformed");
		sum += record.time_ns;
		count++;
	}
	stages_keep(sum);
	return count;
}

/* Queue: one record at a time, as with copies of stacks; others are queued in rows. */

struct queue_state {
	struct model model;
	struct spsc queue;
};

static void *queue_set_up(const struct stages_shape *shape)
{
	struct queue_state *state = stages_allocate(1, sizeof(*state));

	model_init(&state->model, shape);
	stages_need(!spsc_init(&state->queue, QUEUE_BYTES), "no memory");
	return state;
}

static void queue_tear_down(void *state)
{
	struct queue_state *of = state;

	spsc_finish(&of->queue);
	model_finish(&of->model);
	free(of);
}

static uint64_t take_all(struct spsc *queue)
{
	const struct queue_item *item;
	uint64_t sum = 0;
	size_t bytes;

	while ((item = spsc_peek(queue, &bytes))) {
		sum += item->cpu + bytes;
		spsc_release(queue);
	}
	return sum;
}

static uint64_t queue_round(void *state)
{
	struct queue_state *of = state;
	const struct tape *tape = &of->model.tape;
	uint64_t sum = 0, count = 0;

	for (uint32_t i = 0; i < tape->count; i++) {
		const struct tape_item *from = &tape->items[i];
		struct queue_item *item;

		if (!from->size)
			continue;
		item = spsc_reserve(&of->queue, sizeof(*item) + from->size);
		stages_need(item != NULL, "the queue is full");
		*item = (struct queue_item){ .kind = QUEUE_RECORD, .event = from->event,
					     .cpu = from->cpu };
		memcpy(item + 1, tape_record(tape, from), from->size);
		spsc_commit(&of->queue);
		if (++count % QUEUE_BATCH == 0)
			sum += take_all(&of->queue);
	}
	stages_keep(sum + take_all(&of->queue));
	return count;
}

/* Reorder. */

struct reorder_state {
	struct model model;
	struct reorder reorder;
	uint64_t sum;
};

static void *reorder_set_up(const struct stages_shape *shape)
{
	struct reorder_state *state = stages_allocate(1, sizeof(*state));

	model_init(&state->model, shape);
	reorder_init(&state->reorder);
	return state;
}

static void reorder_prepare(void *state)
{
	model_advance(&((struct reorder_state *)state)->model);
}

static void reorder_tear_down(void *state)
{
	struct reorder_state *of = state;

	reorder_finish(&of->reorder);
	model_finish(&of->model);
	free(of);
}

static bool add_time(void *context, const void *record, size_t size, uint16_t event, uint32_t cpu,
		     uint64_t time_ns)
{
	struct reorder_state *of = context;

	(void)record;
	of->sum += time_ns + size + event + cpu;
	return true;
}

static uint64_t time_of(const struct tape *tape, const struct tape_item *item)
{
	uint64_t time_ns;

	memcpy(&time_ns, (const unsigned char *)tape_record(tape, item) + item->time_at,
	       sizeof(time_ns));
	return time_ns;
}

/* The records from @first on that lie in a row, at most as many as the sampler queues at once. */
static uint32_t push_span(struct reorder_state *of, uint32_t first)
{
	const struct tape *tape = &of->model.tape;
	const struct tape_item *from = &tape->items[first];
	struct reorder_span span = {
		.records = tape_record(tape, from), .first_ns = time_of(tape, from),
		.cpu = from->cpu, .event = from->event,
		.time_word = (int16_t)(from->time_at / 8),
	};
	const uint32_t count = model_span(&of->model, tape, first, &span.bytes);

	span.last_ns = time_of(tape, from + count - 1);
	stages_need(!reorder_push(&of->reorder, &span), "no memory");
	return count;
}

static uint64_t reorder_round(void *state)
{
	struct reorder_state *of = state;
	const struct tape *tape = &of->model.tape;
	uint64_t count = 0;

	for (uint32_t i = 0, pushed; i < tape->count; i += pushed) {
		pushed = 1;
		if (tape->items[i].size && !tape->items[i].time_at)
			continue;
		if (tape->items[i].size)
			count += pushed = push_span(of, i);
		else
			reorder_release(&of->reorder, tape->items[i].limit_ns, add_time, of);
	}
	stages_keep(of->sum);
	return count;
}

/* All of it. */

static void *ingest_set_up(const struct stages_shape *shape)
{
	struct model *model = tape_set_up(shape);

	model_begin(model);
	return model;
}

static void ingest_prepare(void *state)
{
	model_advance(state);
}

static uint64_t ingest_round(void *state)
{
	struct model *model = state;

	model_count(model);
	return model->tape.samples;
}

const struct stage stages_of_records[] = {
	{ "parse", "record", "bytes of a record -> its fields", tape_set_up, NULL, parse_round,
	  model_tear_down },
	{ "queue", "record", "copied into the queue and taken out", queue_set_up, NULL, queue_round,
	  queue_tear_down },
	{ "reorder", "record", "put into the order of time", reorder_set_up, reorder_prepare,
	  reorder_round,
	  reorder_tear_down },
	{ "ingest", "sample", "all that the analyzer does with a record", ingest_set_up,
	  ingest_prepare, ingest_round, model_tear_down },
	{ .name = NULL },
};
