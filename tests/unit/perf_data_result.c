/* perf_data_result.c - see perf_data_result.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/record.h"
#include "perf_data_result.h"

char perf_data_scratch[] = "/tmp/flametop-test-XXXXXX";
char perf_data_path[64];

int perf_data_scratch_make(void **state)
{
	(void)state;
	if (!mkdtemp(perf_data_scratch))
		return -1;
	snprintf(perf_data_path, sizeof(perf_data_path), "%s/recording", perf_data_scratch);
	return 0;
}

int perf_data_scratch_remove(void **state)
{
	(void)state;
	unlink(perf_data_path);
	return rmdir(perf_data_scratch);
}

static void take_record(const struct perf_data *reader, const struct queue_item *item, size_t size,
			struct perf_data_result *result)
{
	struct event_record record;

	assert_true(item->event < RESULT_MAX_EVENTS);
	assert_int_equal(record_parse(&perf_data_event(reader, item->event)->format, item + 1,
				      size - sizeof(*item), &record), 0);
	assert_int_equal(item->cpu, record.has_cpu ? record.cpu : UINT32_MAX);
	if (result->time_count < RESULT_MAX_TIMES)
		result->times[result->time_count++] = record.time_ns;
	if (record.kind != RECORD_SAMPLE) {
		result->sideband++;
		return;
	}
	result->samples[item->event]++;
	result->period[item->event] += record.sample.period;
}

/* Returns true at the end. */
static bool take_item(const struct perf_data *reader, const struct queue_item *item, size_t size,
		      struct perf_data_result *result)
{
	switch (item->kind) {
	case QUEUE_RECORD:
		take_record(reader, item, size, result);
		return false;
	case QUEUE_ROUND_END:
		assert_true(result->round_count < RESULT_MAX_ROUNDS);
		result->limits[result->round_count++] =
			((const struct queue_round_end *)(item + 1))->limit_ns;
		return false;
	case QUEUE_READ:
		result->read = *(const struct queue_read *)(item + 1);
		return false;
	default:
		assert_int_equal(item->kind, QUEUE_END);
		result->why = ((const struct queue_end *)(item + 1))->why;
		return true;
	}
}

void perf_data_wait_for_items(const struct perf_data *reader)
{
	struct pollfd items = { .fd = perf_data_queue_fd(reader), .events = POLLIN };
	uint64_t sum;

	assert_int_equal(poll(&items, 1, 60 * 1000), 1);	/* a minute: it hangs */
	assert_int_equal(read(items.fd, &sum, sizeof(sum)), sizeof(sum));
}

void perf_data_drain(struct perf_data *reader, struct perf_data_result *result)
{
	struct spsc queue;
	bool is_end = false;
	struct diag why;

	assert_int_equal(spsc_init(&queue, PERF_DATA_QUEUE_MIN_BYTES), 0);
	assert_int_equal(perf_data_start(reader, &queue, &why), 0);
	while (!is_end) {
		const struct queue_item *item;
		size_t size;

		perf_data_wait_for_items(reader);
		while (!is_end && (item = spsc_peek(&queue, &size))) {
			is_end = take_item(reader, item, size, result);
			spsc_release(&queue);
		}
		perf_data_consumed(reader);
	}
	assert_null(spsc_peek(&queue, &(size_t){ 0 }));
	perf_data_close(reader);
	spsc_finish(&queue);
}

struct perf_data_result perf_data_result_of(const char *path)
{
	struct perf_data_result result = { 0 };
	struct perf_data *reader;

	result.open_err = perf_data_open(&reader, path, &result.why);
	assert_int_equal(result.open_err, result.open_err ? result.why.err : 0);
	if (!result.open_err)
		perf_data_drain(reader, &result);
	else
		assert_null(reader);
	return result;
}

struct perf_data_result perf_data_result_of_bytes(const void *bytes, size_t count)
{
	perf_data_writer_save_bytes(bytes, count, perf_data_path);
	return perf_data_result_of(perf_data_path);
}

struct perf_data_result perf_data_result_of_writer(const struct perf_data_writer *writer)
{
	perf_data_writer_save(writer, perf_data_path);
	return perf_data_result_of(perf_data_path);
}

struct perf_data *perf_data_open_written(const struct perf_data_writer *writer)
{
	struct perf_data *reader;
	struct diag why;

	perf_data_writer_save(writer, perf_data_path);
	assert_int_equal(perf_data_open(&reader, perf_data_path, &why), 0);
	return reader;
}

void perf_data_begin_clock(struct perf_data_writer *writer)
{
	perf_data_writer_init(writer);
	perf_data_writer_event(writer, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK,
			       WRITER_SAMPLE_TYPE, "cpu-clock:u");
}

void perf_data_add_sample(struct perf_data_writer *writer, size_t event, uint64_t time_ns,
		       uint64_t period)
{
	const struct writer_sample sample = {
		.event = event, .misc = PERF_RECORD_MISC_USER, .ip = 0x401000, .pid = 10, .tid = 10,
		.cpu = 1, .time_ns = time_ns, .period = period,
	};

	perf_data_writer_sample(writer, &sample);
}
