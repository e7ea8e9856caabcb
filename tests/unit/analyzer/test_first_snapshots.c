/* When the first snapshots come: by what is sampled, what is waited for, and what is new. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/schedule.h"
#include "base/clock.h"
#include "ingest/ingest.h"
#include "unit_tests.h"

#define BEGIN_NS (5 * CLOCK_NS_PER_S)

struct fixture {
	struct ingest ingest;
	struct dso dsos[DSO_FIXED_COUNT];
	struct first_snapshots first;
};

/* The kernel's names are on their way, as at each start. */
static void begin(struct fixture *fixture)
{
	*fixture = (struct fixture){ .ingest.opening = 1 };
	fixture->dsos[DSO_KERNEL].state = DSO_LOADING;
	fixture->ingest.dsos.dsos = fixture->dsos;
	assert_int_equal(timeline_init(&fixture->ingest.timeline, 1), 0);
	first_snapshots_begin(&fixture->first, BEGIN_NS);
}

static void finish(struct fixture *fixture)
{
	timeline_finish(&fixture->ingest.timeline);
}

static void add_sample(struct fixture *fixture)
{
	const struct slice_entry entry = { .count = 1, .weight = 1 };

	assert_int_equal(timeline_add(&fixture->ingest.timeline, BEGIN_NS, &entry, NULL), 0);
}

/* Milliseconds after the begin; -1: at once, -2: never. */
static int due_ms(const struct fixture *fixture)
{
	const uint64_t due_ns = first_snapshots_due_ns(&fixture->first, &fixture->ingest);

	if (due_ns == UINT64_MAX)
		return -2;
	return due_ns < BEGIN_NS ? -1 : (int)((due_ns - BEGIN_NS) / CLOCK_NS_PER_MS);
}

static void made_at(struct fixture *fixture, uint64_t ms)
{
	first_snapshots_made(&fixture->first, &fixture->ingest, BEGIN_NS + ms * CLOCK_NS_PER_MS);
}

static void test_an_empty_screen_ends_after_a_while(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	assert_int_equal(due_ms(&fixture), 150);
	finish(&fixture);
}

static void test_the_first_frame_comes_with_the_names_of_what_was_sampled(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_sample(&fixture);
	fixture.ingest.opening = 2;
	assert_int_equal(due_ms(&fixture), 150);
	fixture.ingest.opening = 1;			/* but not with the kernel's */
	assert_int_equal(due_ms(&fixture), -1);
	fixture.ingest.pending_count = 1;		/* its process is being read */
	assert_int_equal(due_ms(&fixture), 150);
	finish(&fixture);
}

static void test_new_names_are_shown_at_most_ten_times_a_second(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	add_sample(&fixture);
	made_at(&fixture, 60);
	assert_int_equal(due_ms(&fixture), 650);
	fixture.ingest.has_new_names = true;
	assert_int_equal(due_ms(&fixture), 160);
	made_at(&fixture, 160);
	assert_int_equal(due_ms(&fixture), 260);
	finish(&fixture);
}

static void test_a_frame_without_samples_is_not_yet_the_first(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	made_at(&fixture, 10);			/* a key was pressed */
	assert_int_equal(due_ms(&fixture), 650);
	add_sample(&fixture);
	assert_int_equal(due_ms(&fixture), 110);
	made_at(&fixture, 110);
	assert_int_equal(due_ms(&fixture), 650);
	finish(&fixture);
}

static void test_the_last_of_them_comes_in_any_case_and_then_refreshes_rule(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	made_at(&fixture, 600);
	fixture.ingest.has_new_names = true;
	assert_int_equal(due_ms(&fixture), 650);
	made_at(&fixture, 650);
	assert_int_equal(due_ms(&fixture), -2);
	finish(&fixture);
}

static void test_there_are_none_where_each_line_has_its_time(void **state)
{
	struct fixture fixture;

	(void)state;
	begin(&fixture);
	first_snapshots_begin(&fixture.first, 0);
	add_sample(&fixture);
	assert_int_equal(due_ms(&fixture), -2);
	made_at(&fixture, 10);
	assert_int_equal(due_ms(&fixture), -2);
	finish(&fixture);
}

UNIT_TESTS(test_first_snapshots)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_screen_ends_after_a_while),
		cmocka_unit_test(
			test_the_first_frame_comes_with_the_names_of_what_was_sampled),
		cmocka_unit_test(test_new_names_are_shown_at_most_ten_times_a_second),
		cmocka_unit_test(test_a_frame_without_samples_is_not_yet_the_first),
		cmocka_unit_test(
			test_the_last_of_them_comes_in_any_case_and_then_refreshes_rule),
		cmocka_unit_test(test_there_are_none_where_each_line_has_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
