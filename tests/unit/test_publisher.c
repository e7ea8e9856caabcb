/* Which seconds a snapshot shows, and that it says so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ingest_stage.h"
#include "model/publisher.h"

#define S 1000000000ull

static struct ingest_stage stage;
static struct analyzer_config config;
static struct publisher publisher;

static int set_up(void **state)
{
	const struct ingest_config replay = { .is_replay = true };

	(void)state;
	stage_init(&stage, &replay, NULL);
	config = (struct analyzer_config){
		.ingest = stage.ingest.config, .host = "h", .target = "t", .notice = "",
		.query.keys = KEY_OBJECT | KEY_SYMBOL, .window = WINDOW_ALL, .window_ns = 3 * S,
	};
	publisher_init(&publisher, &config, &stage.ingest);
	publisher_start(&publisher);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	publisher_finish(&publisher);
	stage_finish(&stage);
	return 0;
}

/* One sample every 0.1 s, from @from to before @to, in tenths of a second. */
static void sample_tenths(uint64_t from, uint64_t to)
{
	for (uint64_t tenth = from; tenth < to; tenth++)
		stage_sample(&stage, tenth * S / 10, 1, 1, 0x1000);
	stage_round(&stage, to * S / 10);
}

static void expect(enum window_kind window, uint64_t samples, double seconds)
{
	const struct diag why = { 0 };
	struct snapshot *snapshot;

	config.window = window;
	snapshot = publisher_make(&publisher, false, &why);
	assert_non_null(snapshot);
	assert_int_equal(snapshot->samples, samples);
	assert_int_equal((int)(snapshot->window_s * 10 + 0.5), (int)(seconds * 10 + 0.5));
	snapshot_destroy(snapshot);
}

/*   slices  | 5 6 | 6 7 | 7 8 | 8 8.2 | 8.2 9 | 9 10 |       the last 3 s are all of 7..10 */
static void test_the_last_seconds_are_those_counted(void **state)
{
	(void)state;
	sample_tenths(50, 82);
	expect(WINDOW_ALL, 32, 3.2);
	sample_tenths(82, 100);
	expect(WINDOW_SECONDS, 30, 3.0);
}

/* At 10.3 the last 3 s begin at 7.3: the slice 7..8 is in, because most of it is. */
static void test_a_slice_across_the_beginning_is_in_if_most_of_it_is(void **state)
{
	(void)state;
	sample_tenths(50, 103);
	expect(WINDOW_SECONDS, 33, 3.3);
}

/* At 10.7 they begin at 7.7: the slice 7..8 is out, and the window says 2.7 s. */
static void test_it_is_out_if_most_of_it_is(void **state)
{
	(void)state;
	sample_tenths(50, 107);
	expect(WINDOW_SECONDS, 27, 2.7);
}

static void test_quiet_seconds_belong_to_the_window(void **state)
{
	(void)state;
	sample_tenths(50, 60);
	stage_round(&stage, 100 * S / 10);
	expect(WINDOW_SECONDS, 0, 3.0);
	expect(WINDOW_ALL, 10, 5.0);
}

static void test_intervals_show_every_sample_once(void **state)
{
	(void)state;
	sample_tenths(50, 63);
	expect(WINDOW_INTERVAL, 13, 1.3);
	expect(WINDOW_INTERVAL, 0, 0);
	sample_tenths(63, 91);
	expect(WINDOW_INTERVAL, 28, 2.8);
}

static void test_zero_begins_anew(void **state)
{
	(void)state;
	sample_tenths(50, 70);
	publisher_zero(&publisher);
	expect(WINDOW_ALL, 0, 0);
	sample_tenths(70, 75);
	expect(WINDOW_ALL, 5, 0.5);
}

/* A window of 1.5 s: no second of the source before is in it, however it was set. */
static void test_another_source_begins_anew_and_goes_on(void **state)
{
	(void)state;
	sample_tenths(50, 70);
	publisher_freeze(&publisher, 60 * S / 10);
	publisher.event = 3;
	publisher.is_ended = true;
	timeline_zero(&stage.ingest.timeline);
	publisher_switch(&publisher, 70 * S / 10, true);
	expect(WINDOW_ALL, 0, 0);
	sample_tenths(70, 85);
	expect(WINDOW_ALL, 15, 1.5);
	expect(WINDOW_SECONDS, 15, 1.5);
	assert_int_equal(publisher.event, 0);
	assert_false(publisher.is_ended);
}

static void test_load_is_known_from_when_it_is_read_again(void **state)
{
	(void)state;
	busy_add(&publisher.busy, 1 * S, "cpu 10 0 0 90 0 0 0 0\n");
	publisher_switch(&publisher, 70 * S / 10, true);
	assert_int_equal(publisher.busy.points[0].time_ns, 1 * S);	/* read all the time */
	publisher_switch(&publisher, 70 * S / 10, false);
	assert_int_equal(publisher.busy.count, 1);
	assert_true(publisher.busy.points[0].time_ns > 1 * S);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_last_seconds_are_those_counted),
		TEST(test_a_slice_across_the_beginning_is_in_if_most_of_it_is),
		TEST(test_it_is_out_if_most_of_it_is),
		TEST(test_quiet_seconds_belong_to_the_window),
		TEST(test_intervals_show_every_sample_once),
		TEST(test_zero_begins_anew),
		TEST(test_another_source_begins_anew_and_goes_on),
		TEST(test_load_is_known_from_when_it_is_read_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
