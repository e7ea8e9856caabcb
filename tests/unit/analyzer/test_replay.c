/* Recordings whose every row was worked out by hand, through reader, analyzer and fold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/analyzer.h"
#include "known_recordings.h"
#include "perf_data_result.h"
#include "unit_tests.h"

enum { MEMORY_BYTES = 16 << 20 };

static void consumed(void *reader)
{
	perf_data_consumed(reader);
}

static struct snapshot *wait_for_last(struct analyzer *analyzer)
{
	struct snapshot *snapshot = NULL;

	while (!snapshot || !snapshot->is_last) {
		struct pollfd waiting = { .fd = analyzer_fd(analyzer), .events = POLLIN };

		assert_int_equal(poll(&waiting, 1, 60 * 1000), 1);	/* a minute: it hangs */
		snapshot_destroy(snapshot);
		snapshot = analyzer_take_snapshot(analyzer);
	}
	return snapshot;
}

/* The snapshots of all events of a recording; the caller's. */
static struct snapshot *replay(const struct perf_data_writer *writer)
{
	struct perf_data *reader = perf_data_open_written(writer);
	const size_t count = perf_data_event_count(reader);
	const struct event_desc *events[RESULT_MAX_EVENTS];
	struct analyzer_config config = {
		.ingest = { .events = events, .event_count = (uint32_t)count, .is_replay = true },
		.queue_fd = perf_data_queue_fd(reader),
		.queue_drained = consumed,
		.source = reader,
		.host = "", .target = "", .notice = "",
		.wants_all_events = true,
		.query.keys = KEY_COMM | KEY_PID | KEY_DSO | KEY_ADDRESS,
		.window = WINDOW_ALL,
		.interval_ns = 1000000000,
		.memory_bytes = MEMORY_BYTES,
	};
	struct analyzer *analyzer;
	struct snapshot *last;
	struct spsc queue;
	struct diag why;

	for (size_t i = 0; i < count; i++)
		events[i] = perf_data_event(reader, i);
	assert_int_equal(spsc_init(&queue, 1 << 20), 0);
	config.queue = &queue;
	assert_int_equal(analyzer_create(&analyzer, &config, &why), 0);
	assert_int_equal(analyzer_start(analyzer, &why), 0);
	assert_int_equal(perf_data_start(reader, &queue, &why), 0);
	last = wait_for_last(analyzer);
	perf_data_close(reader);
	analyzer_destroy(analyzer);
	spsc_finish(&queue);
	return last;
}

static const struct snapshot_row *find_row(const struct snapshot *snapshot,
					   const struct known_row *known)
{
	for (; snapshot; snapshot = snapshot->next_event) {
		for (size_t i = 0; i < snapshot->row_count; i++) {
			const struct snapshot_row *row = &snapshot->rows[i];

			if (!strcmp(snapshot->event, known->event) &&
			    !strcmp(row->comm, known->comm) && row->pid == known->pid &&
			    !strcmp(row->dso_path, known->dso) &&
			    row->address == known->address &&
			    snapshot_level(row->mode) == known->level)
				return row;
		}
	}
	return NULL;
}

static void assert_rows(const struct known_recording *recording, const struct snapshot *snapshot)
{
	size_t rows = 0;

	for (size_t i = 0; i < recording->row_count; i++) {
		const struct known_row *known = &recording->rows[i];
		const struct snapshot_row *row = find_row(snapshot, known);

		if (!row)
			fail_msg("%s: no row %s %s %s 0x%llx", recording->name, known->comm,
				 known->dso, (char[]){ known->level, '\0' },
				 (unsigned long long)known->address);
		assert_int_equal(row->now.self.samples, known->samples);
		assert_int_equal(row->now.total.samples, known->samples);
		assert_true(row->now.self.weight == (double)known->weight);
	}
	for (; snapshot; snapshot = snapshot->next_event) {
		assert_int_equal(snapshot->lost_malformed + snapshot->lost_late, 0);
		assert_int_equal(snapshot->end_err, 0);
		rows += snapshot->row_count;
	}
	assert_int_equal(rows, recording->row_count);	/* and no others */
}

static void assert_known(const char *name)
{
	for (size_t i = 0; i < known_recording_count; i++) {
		struct perf_data_writer writer;
		struct snapshot *snapshot;

		if (strcmp(known_recordings[i].name, name))
			continue;
		perf_data_writer_init(&writer);
		known_recordings[i].write(&writer);
		snapshot = replay(&writer);
		assert_rows(&known_recordings[i], snapshot);
		snapshot_destroy(snapshot);
		perf_data_writer_finish(&writer);
		return;
	}
	fail_msg("no recording %s", name);
}

static void test_guests_differ_by_mode(void **state)
{
	(void)state;
	assert_known("guests");
}

static void test_weights_are_periods_and_no_counts(void **state)
{
	(void)state;
	assert_known("weights");
}

static void test_tasks_have_the_name_and_maps_of_their_time(void **state)
{
	(void)state;
	assert_known("lives");
}

static void test_the_newest_mapping_of_an_address_counts(void **state)
{
	(void)state;
	assert_known("maps");
}

UNIT_TESTS(test_replay)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guests_differ_by_mode),
		cmocka_unit_test(test_weights_are_periods_and_no_counts),
		cmocka_unit_test(test_tasks_have_the_name_and_maps_of_their_time),
		cmocka_unit_test(test_the_newest_mapping_of_an_address_counts),
	};

	return cmocka_run_group_tests(tests, perf_data_scratch_make, perf_data_scratch_remove);
}
