/* fuzz_perf_data.c - any bytes as a recording: refused with a sentence when it is opened, or read
 * to an end, with every record that is handed on in an event that there is, every field of its raw
 * bytes within them, and whatever it says of probes as rows of probes. */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/perf_data.h"
#include "capture/raw_fields.h"
#include "capture/record.h"
#include "ingest/probe_state.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* What a text says is read, so that bytes beyond the record are found. */
static void read_fields(const struct event_desc *event, const struct event_record *record)
{
	struct raw_fields fields;
	struct raw_value value;
	char name[64];
	static volatile unsigned int sum;	/* or the compiler leaves the reads out */

	if (!event->raw_format ||
	    raw_fields_parse_foreign(&fields, event->raw_format, strlen(event->raw_format),
				     event->long_bytes, NULL))
		return;
	for (size_t i = 0; i < fields.count; i++)
		if (raw_fields_read(&fields, (int)i, &record->sample, &value)) {
			for (size_t at = 0; value.is_text && at < value.text_bytes; at++)
				sum += (unsigned char)value.text[at];
			sum += !value.is_text &&
			       raw_fields_name(&fields, &fields.list[i], value.number, name,
					       sizeof(name));
		}
	raw_fields_finish(&fields);
}

/* Returns true at the end. */
static bool take(const struct perf_data *reader, const struct queue_item *item, size_t bytes)
{
	const struct event_desc *event;
	struct event_record record;

	if (item->kind == QUEUE_RECORD) {
		if (item->event >= perf_data_event_count(reader))
			abort();
		event = perf_data_event(reader, item->event);
		if (!record_parse(&event->format, item + 1, bytes - sizeof(*item), &record) &&
		    record.kind == RECORD_SAMPLE)
			read_fields(event, &record);
	}
	return item->kind == QUEUE_END;
}

static void read_probes(const struct perf_data *reader)
{
	const struct event_desc *events[TIMELINE_MAX_EVENTS];
	const size_t count = perf_data_event_count(reader);
	struct probe_hits *hits;

	if (count > TIMELINE_MAX_EVENTS)
		return;
	for (size_t i = 0; i < count; i++)
		events[i] = perf_data_event(reader, i);
	if (!probe_hits_create_recorded(&hits, events, (uint32_t)count))
		probe_hits_destroy(hits);
}

static void read_all(struct perf_data *reader)
{
	struct pollfd items = { .fd = perf_data_queue_fd(reader), .events = POLLIN };
	const struct queue_item *item;
	struct spsc queue;
	bool is_end = false;
	uint64_t sum;
	size_t bytes;

	if (spsc_init(&queue, PERF_DATA_QUEUE_MIN_BYTES) || perf_data_start(reader, &queue, NULL))
		abort();
	while (!is_end) {
		while (poll(&items, 1, -1) < 0 && errno == EINTR)	/* the fuzzer's alarm */
			;
		if (read(items.fd, &sum, sizeof(sum)) != sizeof(sum))
			abort();
		while (!is_end && (item = spsc_peek(&queue, &bytes))) {
			is_end = take(reader, item, bytes);
			spsc_release(&queue);
		}
		perf_data_consumed(reader);
	}
	perf_data_close(reader);
	spsc_finish(&queue);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	const int fd = memfd_create("recording", MFD_CLOEXEC);
	struct diag why = { .err = 0 };
	struct perf_data *reader;
	char path[32];
	int err;

	if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = perf_data_open(&reader, path, &why);
	if (err ? err != why.err || !why.text[0] || reader != NULL : reader == NULL)
		abort();
	if (!err) {
		read_probes(reader);
		read_all(reader);
	}
	close(fd);
	return 0;
}
