/* The analyzer's thread itself: what it does while nobody asks. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/analyzer.h"
#include "base/clock.h"
#include "unit_tests.h"

static struct spsc queue;
static struct analyzer *analyzer;

/* A live one that gets no records and refreshes every ten seconds. */
static int set_up(void **state)
{
	static const struct event_desc event = { .name = "cpu-clock" };
	static const struct event_desc *const events[] = { &event };
	const struct analyzer_config config = {
		.ingest = { .events = events, .event_count = 1 }, .queue = &queue,
		.queue_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .host = "h", .target = "t",
		.notice = "", .has_busy = true, .query.keys = KEY_COMM, .window = WINDOW_SECONDS,
		.window_ns = 10 * CLOCK_NS_PER_S, .interval_ns = 10 * CLOCK_NS_PER_S,
		.memory_bytes = ANALYZER_DEFAULT_MEMORY_BYTES,
	};
	struct diag why;

	*state = (void *)(intptr_t)config.queue_fd;
	assert_int_equal(spsc_init(&queue, 4096), 0);
	assert_int_equal(analyzer_create(&analyzer, &config, &why), 0);
	return analyzer_start(analyzer, &why);
}

static int tear_down(void **state)
{
	analyzer_destroy(analyzer);
	spsc_finish(&queue);
	return close((int)(intptr_t)*state);
}

static struct snapshot *refresh(void)
{
	const struct request request = { .kind = REQUEST_REFRESH };
	struct pollfd fd = { .fd = analyzer_fd(analyzer), .events = POLLIN };
	struct snapshot *snapshot;

	snapshot_destroy(analyzer_take_snapshot(analyzer));
	assert_true(analyzer_request(analyzer, &request));
	while (!(snapshot = analyzer_take_snapshot(analyzer)))
		assert_int_equal(poll(&fd, 1, 60000), 1);
	return snapshot;
}

/* Without a reading in each second all points but the last would be unknown. */
static bool knows_seconds_in_a_row(const struct snapshot *snapshot, uint32_t count)
{
	uint32_t in_a_row = 0;

	for (uint32_t i = 0; i < snapshot->activity_count && in_a_row < count; i++)
		in_a_row = snapshot->activity[i] >= 0 ? in_a_row + 1 : 0;
	return in_a_row == count;
}

static void test_the_load_is_noted_each_second_however_seldom_it_is_shown(void **state)
{
	bool is_known = false;

	(void)state;
	for (int tries = 0; tries < 10 && !is_known; tries++) {
		struct snapshot *snapshot;

		sleep(4);	/* time that must pass; on a starved machine more of it */
		snapshot = refresh();
		assert_int_equal(snapshot->activity_kind, ACTIVITY_BUSY);
		assert_true(snapshot->activity_count >= 3);
		assert_true(snapshot->activity[snapshot->activity_count - 1] >= 0);
		is_known = knows_seconds_in_a_row(snapshot, 3);
		snapshot_destroy(snapshot);
	}
	assert_true(is_known);
}

UNIT_TESTS(test_analyzer_activity)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_the_load_is_noted_each_second_however_seldom_it_is_shown, set_up,
			tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
