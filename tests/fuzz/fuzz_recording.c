/* fuzz_recording.c - any bytes as a recording, counted and recorded again: nothing is read beyond
 * its end, and what is recorded of it can be read to its end. */
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture/perf_data.h"
#include "ingest/ingest.h"
#include "record/recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* What is counted is recorded in `file`. */
struct again {
	struct recording_file *file;
	int err;
};

static bool write_item(void *owner, const struct recording_item *item)
{
	struct again *again = owner;
	struct diag why = { .err = 0 };

	if (!again->err)
		again->err = recording_file_add(again->file, item, &why);
	return true;
}

static int open_bytes(int fd, struct perf_data **out, struct diag *why)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return perf_data_open(out, path, why);
}

/* Counts @item if there is an @ingest. True: it is the end, whose error *@err becomes. */
static bool take(struct ingest *ingest, const struct queue_item *item, size_t bytes, int *err)
{
	const struct queue_end *end = (const void *)(item + 1);

	if (item->kind == QUEUE_RECORD && ingest)
		ingest_push_item(ingest, item, bytes);
	else if (item->kind == QUEUE_ROUND_END && ingest)
		ingest_round_end(ingest, (const void *)(item + 1));
	else if (item->kind == QUEUE_END)
		*err = end->why.err;
	return item->kind == QUEUE_END;
}

/* Returns the error at the end. @queue: to be finished after the reader was closed. */
static int read_all(struct perf_data *reader, struct spsc *queue, struct ingest *ingest)
{
	struct pollfd items = { .fd = perf_data_queue_fd(reader), .events = POLLIN };
	const struct queue_item *item;
	bool is_end = false;
	uint64_t sum;
	size_t bytes;
	int err = 0;

	if (spsc_init(queue, PERF_DATA_QUEUE_MIN_BYTES) || perf_data_start(reader, queue, NULL))
		abort();
	while (!is_end) {
		while (poll(&items, 1, -1) < 0 && errno == EINTR)	/* the fuzzer's alarm */
			;
		if (read(items.fd, &sum, sizeof(sum)) != sizeof(sum))
			abort();
		while (!is_end && (item = spsc_peek(queue, &bytes))) {
			is_end = take(ingest, item, bytes, &err);
			spsc_release(queue);
		}
		perf_data_consumed(reader);
	}
	return err;
}

/* What was recorded of foreign bytes is whole. One without samples has no events, or no records:
 * both are refused. */
static void read_again(int fd, int err)
{
	struct diag why = { .err = 0 };
	struct perf_data *reader;
	struct spsc queue;

	if (err)
		return;
	err = open_bytes(fd, &reader, &why);
	if (err && (strstr(why.text, "nothing is recorded") || strstr(why.text, "data size 0")))
		return;
	if (err || read_all(reader, &queue, NULL)) {
		fprintf(stderr, "recorded again: %s\n", why.text);
		abort();
	}
	perf_data_close(reader);
	spsc_finish(&queue);
}

static struct record_encoder *create_encoder(struct again *again, bool keeps_raw)
{
	const struct recording_sink sink = { .owner = again, .write = write_item };
	const struct record_encoder_config config = { .keeps_raw_stacks = keeps_raw };
	struct record_encoder *encoder;

	if (record_encoder_create(&encoder, &config, &sink, NULL))
		abort();
	return encoder;
}

/* Every line can be printed in the end. */
static void take_lines(struct event_lines *lines)
{
	while (event_lines_peek(lines, UINT64_MAX))
		event_lines_pop(lines);
	if (lines->count)
		abort();
}

/* Closes @reader. */
static void record_again(struct perf_data *reader, const struct ingest_config *config,
			 bool keeps_raw)
{
	const struct recording_machine machine = {
		.host = "", .release = "", .version = "", .arch = "x86_64", .cpu = "unknown",
	};
	const int fd = memfd_create("again", MFD_CLOEXEC);
	struct again again = { .err = 0 };
	struct record_encoder *encoder;
	struct ingest ingest;
	struct spsc queue;
	struct diag why;

	if (fd < 0 || recording_file_begin(&again.file, dup(fd), &machine, &why) ||
	    ingest_init(&ingest, config, NULL, NULL, &why))
		abort();
	ingest.lines.is_on = ingest.lines.has_raw = ingest.lines.has_branches = true;
	encoder = create_encoder(&again, keeps_raw);
	ingest_set_tee(&ingest, record_encoder_tee(encoder));
	read_all(reader, &queue, &ingest);
	ingest_round_end(&ingest, &(struct queue_round_end){ .limit_ns = UINT64_MAX });
	ingest_poll(&ingest, true);
	take_lines(&ingest.lines);
	ingest_finish(&ingest);
	perf_data_close(reader);
	spsc_finish(&queue);
	record_encoder_flush(encoder);
	record_encoder_destroy(encoder);
	if (recording_file_close(again.file, &why) && !again.err)
		abort();
	read_again(fd, again.err);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	const int fd = memfd_create("recording", MFD_CLOEXEC);
	const struct event_desc *events[TIMELINE_MAX_EVENTS + 1];
	struct ingest_config config = { .events = events, .is_replay = true };
	struct diag why = { .err = 0 };
	struct perf_data *reader;

	if (fd < 0 || write(fd, bytes, count) != (ssize_t)count)
		abort();
	if (!open_bytes(fd, &reader, &why)) {
		config.event_count = (uint32_t)perf_data_event_count(reader);
		for (uint32_t i = 0; i < config.event_count && i < TIMELINE_MAX_EVENTS; i++)
			events[i] = perf_data_event(reader, i);
		if (config.event_count < TIMELINE_MAX_EVENTS) {
			ingest_config_add_branches(&config, events);
			record_again(reader, &config, count & 1);
		} else {
			perf_data_close(reader);
		}
	}
	close(fd);
	return 0;
}
