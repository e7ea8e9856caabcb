/* stages_recording.c - the records of a recording, for stages_model.h. */
#include <string.h>
#include <time.h>

#include "stages_model.h"

/* A recording's records, in the order of the file. */
static bool put_queued(struct model *model, const struct queue_item *item, size_t bytes)
{
	const struct queue_round_end *end = (const void *)(item + 1);
	const struct queue_end *last = (const void *)(item + 1);

	if (item->kind == QUEUE_RECORD)
		tape_put_record(&model->tape, &model->events[item->event]->format, item + 1,
			   bytes - sizeof(*item), item->event, item->cpu);
	else if (item->kind == QUEUE_ROUND_END)
		tape_put_round_end(&model->tape, end->limit_ns);
	else if (item->kind == QUEUE_END)
		stages_need(!last->why.err, last->why.text);
	return item->kind != QUEUE_END;
}

static void take_queue(struct model *model, struct spsc *queue)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	const struct queue_item *item;
	bool has_more = true;
	size_t bytes;

	while (has_more) {
		while (has_more && (item = spsc_peek(queue, &bytes))) {
			has_more = put_queued(model, item, bytes);
			spsc_release(queue);
		}
		perf_data_consumed(model->recording);
		nanosleep(&pause, NULL);	/* not measured */
	}
}

/* When its records were made. */
static void find_times(struct model *model)
{
	struct tape *tape = &model->tape;
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

void model_read_recording(struct model *model)
{
	struct diag why = { 0 };
	struct spsc queue;
	size_t count;

	stages_need(!perf_data_open(&model->recording, model->shape.recording, &why), why.text);
	count = perf_data_event_count(model->recording);
	stages_need(count > 0, "no event was recorded");
	model->events = stages_allocate(count, sizeof(*model->events));
	for (; model->event_count < count; model->event_count++)
		model->events[model->event_count] =
			perf_data_event(model->recording, model->event_count);
	stages_need(!spsc_init(&queue, 8u << 20), "no memory");
	stages_need(!perf_data_start(model->recording, &queue, &why), why.text);
	take_queue(model, &queue);
	spsc_finish(&queue);
	find_times(model);
}
