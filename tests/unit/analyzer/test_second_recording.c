/* A second recording begins: what is said of the first, whose counters are gone then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/second_recording.h"
#include "publisher_fixture.h"
#include "unit_tests.h"

static int start_nothing(void *source, struct spsc *queue, struct diag *why)
{
	(void)source;
	(void)queue;
	(void)why;
	return 0;
}

/* What is said of the first beside the second's snapshots. */
static const char *notice_of_first(void)
{
	const struct second_recording second = {
		.ingest = config.ingest, .host = "h", .target = "t", .first_name = "a.data",
		.name = "b.data", .queue_fd = -1, .start = start_nothing,
	};
	struct diag why;

	assert_int_equal(second_recording_begin(&second, &config, &publisher, &why), 0);
	return feed.ingest.baseline.notice;
}

static void test_a_whole_recording_needs_no_words(void **state)
{
	(void)state;
	publisher_fixture_sample(50, 60);
	assert_string_equal(notice_of_first(), "");
}

static void test_what_the_first_lost_is_shown(void **state)
{
	const struct perf_event_header torn = { .type = PERF_RECORD_SAMPLE, .size = sizeof(torn) };

	(void)state;
	publisher_fixture_sample(50, 60);
	feed_lost(&feed, 6 * S, 0, 7);
	feed_round(&feed, 6 * S + 1);
	publisher_fixture_sample(10, 12);
	for (int i = 0; i < 3; i++)
		ingest_push(&feed.ingest, &torn, sizeof(torn), 0, 0);
	assert_string_equal(notice_of_first(),
			    "a.data lacks 7 samples that were lost when it was recorded\n"
			    "a.data lacks 3 records that could not be read\n"
			    "a.data has 2 records that came too late for their place in time");
}

static void test_the_losses_of_the_first_are_not_the_seconds(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	publisher_fixture_sample(50, 60);
	publisher_fixture_sample(10, 12);
	feed_lost(&feed, 6 * S, 0, 7);
	feed_round(&feed, 6 * S + 1);
	notice_of_first();
	publisher_fixture_sample(10, 12);
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->samples, 2);
	assert_int_equal(snapshot->lost_kernel, 0);
	assert_int_equal(snapshot->lost_late, 0);
	assert_non_null(strstr(snapshot->notice, "a.data lacks 7 samples"));
	snapshot_destroy(snapshot);
}

UNIT_TESTS(test_second_recording)
{
	const struct CMUnitTest tests[] = {
		PUBLISHER_TEST(test_a_whole_recording_needs_no_words),
		PUBLISHER_TEST(test_what_the_first_lost_is_shown),
		PUBLISHER_TEST(test_the_losses_of_the_first_are_not_the_seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
