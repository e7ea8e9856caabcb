/* The lines above the view: nothing lost in silence, nothing jumps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "ui_fixture.h"
#include "ui/widgets/header.h"
#include "unit_tests.h"

static void test_windows_have_their_names(void **state)
{
	char name[HEADER_WINDOW_BYTES];

	(void)state;
	assert_string_equal(header_window_name(name, WINDOW_SECONDS, 10, false), "last 10 s");
	assert_string_equal(header_window_name(name, WINDOW_SECONDS, 2.5, true), "last 2.5 s");
	assert_string_equal(header_window_name(name, WINDOW_ALL, 100, false), "since start");
	assert_string_equal(header_window_name(name, WINDOW_ALL, 100, true), "since zero");
	assert_string_equal(header_window_name(name, WINDOW_DECAY, 100, false),
			    "decaying, half in 5 s");
}

/*   width   below 100: two lines, else one;  height: 16 and more have the load, wide ones always */
static void test_the_size_alone_says_how_many_lines_there_are(void **state)
{
	(void)state;
	assert_int_equal(header_lines(40, 10), 3);
	assert_int_equal(header_lines(99, 15), 3);
	assert_int_equal(header_lines(99, 16), 4);
	assert_int_equal(header_lines(100, 15), 3);
	assert_int_equal(header_lines(100, 24), 3);
}

/* Is there a cell that says loss in the header? */
static bool says_loss(const struct ui *ui)
{
	const int lines = header_lines(ui->canvas.width, ui->canvas.height);

	for (int i = 0; i < lines * ui->canvas.width; i++)
		if (ui->canvas.cells[i].role == ROLE_LOSS && ui->canvas.cells[i].code != ' ')
			return true;
	return false;
}

static void lose_something(struct snapshot *snapshot, uint64_t *seed)
{
	uint64_t *const counters[] = {
		&snapshot->lost_kernel, &snapshot->lost_malformed, &snapshot->lost_late,
		&snapshot->unattributed, &snapshot->filtered_unknown_uid,
		&snapshot->evicted_samples, &snapshot->throttled_ns,
		&snapshot->losses.counts[LOSS_WAIT_THREADS].since_start,
		&snapshot->losses.counts[LOSS_WAIT_CHILDREN].since_start,
	};
	const uint32_t count = sizeof(counters) / sizeof(counters[0]);

	for (uint32_t i = 0; i < count; i++)
		if (random_below(seed, 2))
			*counters[i] = random_next(seed) >> random_below(seed, 64);
	*counters[random_below(seed, count)] = 1 + random_below(seed, 1000000);
}

static void test_a_loss_is_never_left_out_in_silence(void **state)
{
	static const int widths[] = { 40, 41, 55, 79, 80, 99, 100, 101, 132, 200, 400 };
	uint64_t seed = 7;
	struct ui ui;

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]) * 20; i++) {
		const int width = widths[i / 20];

		ui_open(&ui, width, random_below(&seed, 2) ? 10 : 24);
		lose_something(&ui.snapshot, &seed);
		ui.snapshot.is_target_gone = random_below(&seed, 2);
		ui_show(&ui);
		ui.state.query.is_paused = random_below(&seed, 2);
		ui.state.is_source_changing = random_below(&seed, 2);
		ui.state.query.show_idle = random_below(&seed, 2);
		assert_true(ui_has(&ui, "! more"));
		assert_true(says_loss(&ui));
		ui_finish(&ui);
	}
}

static void test_without_a_loss_the_header_says_none(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui_show(&ui);
	assert_false(ui_has(&ui, "! more"));
	assert_false(says_loss(&ui));
	ui.snapshot.notice = "one line";
	ui_show(&ui);
	assert_true(ui_has(&ui, "! note"));
	ui_finish(&ui);
}

/* No sample is missing because of it. */
static void test_cut_stacks_are_shown_quietly(void **state)
{
	static const int widths[] = { 80, 100, 200 };
	struct ui ui;

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		ui_open(&ui, widths[i], 24);
		ui.snapshot.truncated_stacks = 12;
		ui_show(&ui);
		assert_true(ui_has(&ui, "12 cut stacks"));
		assert_true(ui_has(&ui, "! more"));
		assert_false(says_loss(&ui));
		ui_finish(&ui);
	}
}

/* 999 of 1000 are 99 %: what is not whole is never called so. */
static void test_the_share_of_complete_stacks_is_shown(void **state)
{
	static const int widths[] = { 80, 130, 200 };
	struct ui ui;

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		ui_open(&ui, widths[i], 24);
		assert_false(ui_has(&ui, "stacks"));
		ui.snapshot.stacks = STACKS_COPIED;
		ui_show(&ui);
		assert_false(ui_has(&ui, "stacks"));	/* none yet */
		ui.snapshot.user_stacks = 1000;
		ui.snapshot.complete_stacks = 999;
		ui_show(&ui);
		assert_true(ui_has(&ui, "stacks  99 %"));
		ui.snapshot.complete_stacks = 1000;
		ui_show(&ui);
		assert_true(ui_has(&ui, "stacks 100 %"));
		ui.snapshot.stacks = STACKS_OFF;
		ui_show(&ui);
		assert_true(ui_has(&ui, "no stacks"));
		ui_finish(&ui);
	}
}

/* Up to a tenth is in the loss counters alone. */
static void test_missing_ticks_are_shown_beyond_a_tenth(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 200, 24);
	ui.snapshot.missing_ticks_pct = 10;
	ui_show(&ui);
	assert_false(ui_has(&ui, "missing"));
	ui.snapshot.missing_ticks_pct = 35.7;
	ui_show(&ui);
	assert_true(ui_has(&ui, "36 % of ticks missing"));
	ui_finish(&ui);
}

/* There is no share of a time that is not known. */
static void test_unseen_waits_are_a_share_of_a_known_time(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 200, 24);
	ui.snapshot.losses.counts[LOSS_WAIT_TIME].in_window = 50;
	ui_show(&ui);
	assert_false(ui_has(&ui, "unseen"));
	ui.snapshot.waits.blocked_ns = 150;
	ui_show(&ui);
	assert_true(ui_has(&ui, "25 % of waits unseen"));
	ui_finish(&ui);
}

static void test_what_is_not_known_is_not_there(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 120, 40);
	ui.snapshot.busy_pct = -1;
	ui_show(&ui);
	assert_false(ui_has(&ui, "busy"));
	ui.snapshot.is_replay = true;
	ui_show(&ui);
	assert_false(ui_has(&ui, "own  0.4"));
	ui_finish(&ui);
}

static void set_stats(struct snapshot *snapshot, uint64_t *seed)
{
	snapshot->samples = random_next(seed) >> random_below(seed, 64);
	snapshot->busy_pct = random_below(seed, 1001) / 10.0;
	snapshot->own_cpu_pct = random_below(seed, 999) / 10.0;
	snapshot->own_rss_bytes = 1000000 + random_below(seed, 900000000);
}

/* Where the words stand does not depend on the numbers between them. */
static void test_words_stay_where_they_are_while_numbers_change(void **state)
{
	static const char *const words[] = { "last 10 s", "samples", "busy", "own" };
	static const int widths[] = { 80, 100, 200 };
	struct mouse first[4];
	uint64_t seed = 11;
	struct ui ui;

	(void)state;
	for (size_t w = 0; w < 3; w++) {
		ui_open(&ui, widths[w], 24);
		ui_show(&ui);
		for (size_t i = 0; i < 4; i++)
			first[i] = ui_find(&ui, words[i]);
		for (int round = 0; round < 200; round++) {
			set_stats(&ui.snapshot, &seed);
			ui_show(&ui);
			for (size_t i = 0; i < 4; i++)
				assert_int_equal(ui_find(&ui, words[i]).x, first[i].x);
		}
		ui_finish(&ui);
	}
}

UNIT_TESTS(test_header)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows_have_their_names),
		cmocka_unit_test(test_the_size_alone_says_how_many_lines_there_are),
		cmocka_unit_test(test_a_loss_is_never_left_out_in_silence),
		cmocka_unit_test(test_without_a_loss_the_header_says_none),
		cmocka_unit_test(test_cut_stacks_are_shown_quietly),
		cmocka_unit_test(test_the_share_of_complete_stacks_is_shown),
		cmocka_unit_test(test_missing_ticks_are_shown_beyond_a_tenth),
		cmocka_unit_test(test_unseen_waits_are_a_share_of_a_known_time),
		cmocka_unit_test(test_what_is_not_known_is_not_there),
		cmocka_unit_test(test_words_stay_where_they_are_while_numbers_change),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
