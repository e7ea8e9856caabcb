/* The log of hits: what passes, where it stands while hits come, what is found. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/widgets/probe_log.h"
#include "unit_tests.h"

#define HITS 30

/* Hits @first.. of thread 1, 2, 1, 2, ... */
static struct snapshot_probes hits_from(struct snapshot_hit *hits, uint64_t first)
{
	for (uint64_t i = 0; i < HITS; i++)
		hits[i] = (struct snapshot_hit){
			.time_ns = (first + i) * 1000000, .number = first + i, .cpu = 3,
			.pid = 7, .tid = 7, .comm = (first + i) % 2 ? "odd" : "even",
			.latency_ns = -1, .values = "", .stack = "",
		};
	return (struct snapshot_probes){ .log = hits, .log_count = HITS };
}

static uint64_t number_at(const struct probe_log *log, size_t index)
{
	return log->of->log[log->shown[index]].number;
}

/* Drawn once, so that it knows how many lines there are. */
static void draw(struct probe_log *log)
{
	struct canvas canvas = { .width = 0 };

	assert_int_equal(canvas_resize(&canvas, 80, 10), 0);
	probe_log_draw(log, "", &canvas, 0, 10);
	canvas_finish(&canvas);
}

static void test_a_line_has_the_time_of_the_clock_on_the_wall(void **state)
{
	/* 2026-11-22 09:04:05.678901 UTC, 12345 seconds after the machine began */
	const struct probe_log log = { .wall_offset_ns = 1795326300000000000 };
	const struct snapshot_hit hit = {
		.time_ns = 12345678901234, .cpu = 12, .pid = 4100, .tid = 4121, .comm = "postgres",
		.latency_ns = 48000, .values = "fd=3 ret=-11",
	};
	char text[PROBE_LOG_TEXT];

	(void)state;
	probe_log_format(&log, &hit, text);
	assert_string_equal(text, "09:10:45.678  12 postgres           4100    4121  48.0\u00b5s  "
				  "fd=3 ret=-11");
}

static void test_it_follows_the_newest_until_the_cursor_moves_up(void **state)
{
	struct snapshot_hit hits[HITS];
	struct snapshot_probes of = hits_from(hits, 100);
	struct probe_log log = { .page = 0 };

	(void)state;
	probe_log_refresh(&log, &of);
	draw(&log);
	assert_int_equal(number_at(&log, log.top), 120);
	of = hits_from(hits, 105);
	probe_log_refresh(&log, &of);
	assert_int_equal(number_at(&log, log.top), 125);
	assert_int_equal(probe_log_cursor(&log)->number, 134);
	probe_log_scroll(&log, -3);
	of = hits_from(hits, 110);
	probe_log_refresh(&log, &of);
	assert_int_equal(number_at(&log, log.top), 125);	/* it stays where one reads */
	assert_int_equal(probe_log_cursor(&log)->number, 131);
	probe_log_scroll(&log, -8);				/* above what was in sight */
	assert_int_equal(number_at(&log, log.top), 123);
	assert_int_equal(probe_log_cursor(&log)->number, 123);
	probe_log_select(&log, log.top + 4);			/* a click */
	assert_int_equal(probe_log_cursor(&log)->number, 127);
	of = hits_from(hits, 130);				/* that hit has left */
	probe_log_refresh(&log, &of);
	assert_int_equal(number_at(&log, log.top), 130);
	probe_log_scroll(&log, HITS);
	of = hits_from(hits, 140);
	probe_log_refresh(&log, &of);
	assert_int_equal(number_at(&log, log.top), 160);	/* and follows again */
	probe_log_stay(&log);					/* unless it is held */
	of = hits_from(hits, 145);
	probe_log_refresh(&log, &of);
	assert_int_equal(probe_log_cursor(&log)->number, 169);
}

static void test_only_what_passes_the_filter_is_a_line(void **state)
{
	struct snapshot_hit hits[HITS];
	struct snapshot_probes of = hits_from(hits, 100);
	struct probe_log log = { .page = 0 };

	(void)state;
	probe_log_refresh(&log, &of);
	draw(&log);
	probe_log_set_filter(&log, "odd");
	assert_int_equal(log.count, 15);
	assert_int_equal(number_at(&log, 0), 101);
	assert_int_equal(number_at(&log, 14), 129);
	probe_log_set_filter(&log, "ODD");	/* capitals count if typed */
	assert_int_equal(log.count, 0);
	probe_log_set_filter(&log, "");
	assert_int_equal(log.count, HITS);
}

static void test_search_goes_round_and_stays_in_sight(void **state)
{
	struct snapshot_hit hits[HITS];
	struct snapshot_probes of = hits_from(hits, 100);
	struct probe_log log = { .page = 0 };

	(void)state;
	assert_false(probe_log_find(&log, "odd", 0));
	probe_log_refresh(&log, &of);
	draw(&log);
	assert_true(probe_log_find(&log, "00.102", 0));
	assert_int_equal(probe_log_cursor(&log)->number, 102);
	assert_true(log.top <= 2);
	assert_true(probe_log_find(&log, "even", 1));
	assert_int_equal(probe_log_cursor(&log)->number, 104);
	assert_true(probe_log_find(&log, "even", -1));
	assert_true(probe_log_find(&log, "even", -1));
	assert_int_equal(probe_log_cursor(&log)->number, 100);
	assert_true(probe_log_find(&log, "even", -1));
	assert_int_equal(probe_log_cursor(&log)->number, 128);
	assert_false(probe_log_find(&log, "nobody", 1));
	assert_int_equal(probe_log_cursor(&log)->number, 128);
}

/* Line 0 says so, the hits are one line further down. */
static void test_what_was_dropped_is_a_line_before_the_oldest(void **state)
{
	struct snapshot_hit hits[HITS];
	struct snapshot_probes of = hits_from(hits, 100);
	struct probe_log log = { .page = 0 };

	(void)state;
	probe_log_refresh(&log, &of);
	draw(&log);
	assert_int_equal(log.top, 20);
	of = hits_from(hits, 101);
	of.log_dropped = 1;
	probe_log_refresh(&log, &of);
	assert_int_equal(log.top, 21);		/* 31 lines, the last ten */
	probe_log_scroll(&log, -HITS);
	assert_int_equal(log.top, 0);
	of = hits_from(hits, 105);
	of.log_dropped = 5;
	probe_log_refresh(&log, &of);
	assert_int_equal(log.top, 0);		/* they leave, the begin stays in sight */
	probe_log_scroll(&log, 12);		/* hit 117 is the last of ten lines from 108 on */
	assert_int_equal(log.top, 4);
	of = hits_from(hits, 106);
	of.log_dropped = 6;
	probe_log_refresh(&log, &of);
	assert_int_equal(log.top, 3);
	assert_true(probe_log_find(&log, "00.128", 0));
	assert_in_range(log.top, 14, 21);	/* line 23 */
	assert_true(probe_log_find(&log, "00.106", 0));
	assert_int_equal(log.top, 0);
}

static void test_without_hits_nothing_moves(void **state)
{
	struct probe_log log = { .page = 0 };

	(void)state;
	probe_log_refresh(&log, NULL);
	draw(&log);
	probe_log_scroll(&log, 5);
	probe_log_scroll(&log, -5);
	probe_log_set_filter(&log, "x");
	assert_int_equal(log.count, 0);
	assert_int_equal(log.top, 0);
}

UNIT_TESTS(test_probe_log)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_line_has_the_time_of_the_clock_on_the_wall),
		cmocka_unit_test(test_it_follows_the_newest_until_the_cursor_moves_up),
		cmocka_unit_test(test_only_what_passes_the_filter_is_a_line),
		cmocka_unit_test(test_search_goes_round_and_stays_in_sight),
		cmocka_unit_test(test_what_was_dropped_is_a_line_before_the_oldest),
		cmocka_unit_test(test_without_hits_nothing_moves),
	};

	setenv("TZ", "UTC0", 1);
	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
