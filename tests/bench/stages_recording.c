/* stages_recording.c - the records of a recording, for stages_world.h. */
#include <string.h>
#include <time.h>

#include "stages_world.h"

/* A recording's records, in the order of the file. */
static bool put_queued(struct world *world, const struct queue_item *item, size_t bytes)
{
	const struct queue_round_end *end = (const void *)(item + 1);
	const struct queue_end *last = (const void *)(item + 1);

	if (item->kind == QUEUE_RECORD)
		tape_put_record(&world->tape, &world->events[item->event]->format, item + 1,
			   bytes - sizeof(*item), item->event, item->cpu);
	else if (item->kind == QUEUE_ROUND_END)
		tape_put_round_end(&world->tape, end->limit_ns);
	else if (item->kind == QUEUE_END)
		stages_need(!last->why.err, last->why.text);
	return item->kind != QUEUE_END;
}

static void take_queue(struct world *world, struct spsc *queue)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	const struct queue_item *item;
	bool has_more = true;
	size_t bytes;

	while (has_more) {
		while (has_more && (item = spsc_peek(queue, &bytes))) {
			has_more = put_queued(world, item, bytes);
			spsc_release(queue);
		}
		perf_data_consumed(world->recording);
		nanosleep(&pause, NULL);	/* not measured */
	}
}

/* When its records were made. */
static void find_times(struct world *world)
{
	struct tape *tape = &world->tape;
	uint64_t first = UINT64_MAX, last = 0, time_ns;

	for (uint32_t i = 0; i < tape->count; i++) {
		if (!tape->items[i].time_at)
			continue;
		memcpy(&time_ns, tape->bytes + tape->items[i].offset + tape->items[i].time_at, 8);
		if (!time_ns)
			continue;
		first = time_ns < first ? time_ns : first;
		last = time_ns > last ? time_ns : last;
	}
	tape->begin_ns = first;
	tape->length_ns = last - first + 1;
	tape_put_round_end(tape, last);
}

void world_read_recording(struct world *world)
{
	struct diag why = { 0 };
	struct spsc queue;
	size_t count;

	stages_need(!perf_data_open(&world->recording, world->shape.recording, &why), why.text);
	count = perf_data_event_count(world->recording);
	stages_need(count > 0, "no event was recorded");
	world->events = stages_allocate(count, sizeof(*world->events));
	for (; world->event_count < count; world->event_count++)
		world->events[world->event_count] =
			perf_data_event(world->recording, world->event_count);
	stages_need(!spsc_init(&queue, 8u << 20), "no memory");
	stages_need(!perf_data_start(world->recording, &queue, &why), why.text);
	take_queue(world, &queue);
	spsc_finish(&queue);
	find_times(world);
}
