/* What the screen asks is answered, and a frozen screen gets nothing else. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "analyzer/analyzer.h"
#include "base/clock.h"
#include "unit_tests.h"

#define HANG_MS (60 * 1000)
#define QUIET_MS 500		/* longer than names or a refresh would take */

static const struct event_desc event = { .name = "cpu-clock", .freq_hz = 997 };
static const struct event_desc *const events[] = { &event };

struct fixture {
	struct spsc queue;
	struct analyzer *analyzer;
	int queue_fd;
};

static void open_fixture_for(struct fixture *fixture, bool begins_on_request)
{
	struct analyzer_config config = {
		.ingest = { .events = events, .event_count = 1 },
		.queue = &fixture->queue, .host = "", .target = "", .notice = "",
		.query.keys = KEY_COMM, .window = WINDOW_ALL,
		.interval_ns = CLOCK_NS_PER_MS, .memory_bytes = 1 << 20,
		.begins_on_request = begins_on_request,
	};
	struct diag why;

	assert_int_equal(spsc_init(&fixture->queue, 1 << 16), 0);
	fixture->queue_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_true(fixture->queue_fd >= 0);
	config.queue_fd = fixture->queue_fd;
	assert_int_equal(analyzer_create(&fixture->analyzer, &config, &why), 0);
}

static void open_fixture(struct fixture *fixture)
{
	open_fixture_for(fixture, false);
}

static void close_fixture(struct fixture *fixture)
{
	analyzer_destroy(fixture->analyzer);
	close(fixture->queue_fd);
	spsc_finish(&fixture->queue);
}

static bool has_snapshot(struct fixture *fixture, int timeout_ms)
{
	struct pollfd waiting = { .fd = analyzer_fd(fixture->analyzer), .events = POLLIN };

	return poll(&waiting, 1, timeout_ms) == 1;
}

static struct snapshot *next(struct fixture *fixture)
{
	struct snapshot *snapshot = NULL;

	while (!snapshot) {
		assert_true(has_snapshot(fixture, HANG_MS));
		snapshot = analyzer_take_snapshot(fixture->analyzer);
	}
	return snapshot;
}

static void ask(struct fixture *fixture, enum request_kind kind, uint64_t value_ns)
{
	const struct request request = { .kind = kind, .value_ns = value_ns };

	assert_true(analyzer_request(fixture->analyzer, &request));
}

/* Asks, and returns the first snapshot that is frozen (or not). */
static struct snapshot *freeze(struct fixture *fixture, uint64_t end_ns)
{
	struct snapshot *snapshot;

	ask(fixture, REQUEST_FREEZE, end_ns);
	snapshot = next(fixture);
	while (snapshot->is_frozen != (end_ns != 0)) {
		snapshot_destroy(snapshot);
		snapshot = next(fixture);
	}
	return snapshot;
}

static void test_a_frozen_screen_gets_replies_and_nothing_else(void **state)
{
	struct request query = { .kind = REQUEST_QUERY,
				 .query = { .number = 7, .keys = KEY_PID } };
	struct snapshot *snapshot;
	struct fixture fixture;
	uint64_t end_ns, seq;

	(void)state;
	open_fixture(&fixture);
	assert_int_equal(analyzer_start(fixture.analyzer, NULL), 0);
	snapshot = next(&fixture);
	end_ns = snapshot->time_ns;
	snapshot_destroy(snapshot);
	snapshot = freeze(&fixture, end_ns);
	assert_true(snapshot->time_ns == end_ns);
	seq = snapshot->seq;
	snapshot_destroy(snapshot);
	assert_false(has_snapshot(&fixture, QUIET_MS));

	assert_true(analyzer_request(fixture.analyzer, &query));
	snapshot = next(&fixture);
	assert_int_equal(snapshot->seq, seq + 1);
	assert_int_equal(snapshot->query, 7);
	assert_int_equal(snapshot->keys, KEY_PID);
	assert_true(snapshot->is_frozen && snapshot->time_ns == end_ns);
	snapshot_destroy(snapshot);
	assert_false(has_snapshot(&fixture, QUIET_MS));

	snapshot_destroy(freeze(&fixture, 0));
	snapshot_destroy(next(&fixture));	/* unasked again */
	close_fixture(&fixture);
}

/* What is printed must not be of a time in which probes were still being attached. */
static void test_nothing_is_shown_before_the_begin(void **state)
{
	struct fixture fixture;

	(void)state;
	open_fixture_for(&fixture, true);
	assert_int_equal(analyzer_start(fixture.analyzer, NULL), 0);
	assert_false(has_snapshot(&fixture, QUIET_MS));
	ask(&fixture, REQUEST_BEGIN, clock_now_ns());
	snapshot_destroy(next(&fixture));
	close_fixture(&fixture);
}

/* The window stays, and what is besides it goes on. */
static void test_a_chosen_window_comes_again_by_itself(void **state)
{
	struct request choice = { .kind = REQUEST_FREEZE };
	struct snapshot *snapshot;
	struct fixture fixture;
	uint64_t seq = 0;

	(void)state;
	open_fixture(&fixture);
	assert_int_equal(analyzer_start(fixture.analyzer, NULL), 0);
	snapshot = next(&fixture);
	choice.value_ns = snapshot->time_ns;
	choice.begin_ns = snapshot->time_ns - 1;
	snapshot_destroy(snapshot);
	assert_true(analyzer_request(fixture.analyzer, &choice));
	for (int chosen = 0; chosen < 3;) {
		snapshot = next(&fixture);
		if (snapshot->is_selected) {
			assert_true(snapshot->time_ns == choice.value_ns);
			assert_true(snapshot->seq > seq);
			seq = snapshot->seq;
			chosen++;
		}
		snapshot_destroy(snapshot);
	}
	close_fixture(&fixture);
}

static void test_zero_makes_a_frozen_screen_live(void **state)
{
	struct snapshot *snapshot;
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	assert_int_equal(analyzer_start(fixture.analyzer, NULL), 0);
	snapshot = next(&fixture);
	snapshot_destroy(freeze(&fixture, snapshot->time_ns));
	snapshot_destroy(snapshot);
	ask(&fixture, REQUEST_ZERO, 0);
	for (int i = 0; i < 2; i++) {	/* the reply, and one that comes by itself */
		snapshot = next(&fixture);
		assert_false(snapshot->is_frozen);
		snapshot_destroy(snapshot);
	}
	close_fixture(&fixture);
}

/* Keys held down send a query each, and the newest counts. */
static void test_a_row_of_queries_finds_room(void **state)
{
	struct request query = { .kind = REQUEST_QUERY, .query.keys = KEY_PID };
	struct snapshot *snapshot;
	struct fixture fixture;

	(void)state;
	open_fixture(&fixture);
	for (query.query.number = 1; query.query.number <= 20; query.query.number++)
		assert_true(analyzer_request(fixture.analyzer, &query));
	assert_int_equal(analyzer_start(fixture.analyzer, NULL), 0);
	snapshot = next(&fixture);
	assert_int_equal(snapshot->query, 20);
	snapshot_destroy(snapshot);
	close_fixture(&fixture);
}

UNIT_TESTS(test_analyzer_requests)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_frozen_screen_gets_replies_and_nothing_else),
		cmocka_unit_test(test_nothing_is_shown_before_the_begin),
		cmocka_unit_test(test_a_chosen_window_comes_again_by_itself),
		cmocka_unit_test(test_zero_makes_a_frozen_screen_live),
		cmocka_unit_test(test_a_row_of_queries_finds_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
