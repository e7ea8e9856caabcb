/* fuzz_perf_data.c - any bytes as a recording: refused with a sentence when it is opened, or read
 * to an end, with every record that is handed on in an event that there is. */
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/perf_data.h"
#include "capture/record_queue.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Returns true at the end. */
static bool take(const struct perf_data *reader, const struct queue_item *item, size_t bytes)
{
	struct event_record record;

	if (item->kind == QUEUE_RECORD) {
		if (item->event >= perf_data_event_count(reader))
			abort();
		record_parse(&perf_data_event(reader, item->event)->format, item + 1,
			     bytes - sizeof(*item), &record);
	}
	return item->kind == QUEUE_END;
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
		if (poll(&items, 1, -1) != 1 || read(items.fd, &sum, sizeof(sum)) != sizeof(sum))
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
	if (!err)
		read_all(reader);
	close(fd);
	return 0;
}
