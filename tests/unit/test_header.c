/* The lines above the view: nothing lost in silence, nothing jumps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "scene_fixture.h"
#include "ui/widgets/header.h"

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
static bool says_loss(const struct scene *scene)
{
	const int lines = header_lines(scene->canvas.width, scene->canvas.height);

	for (int i = 0; i < lines * scene->canvas.width; i++)
		if (scene->canvas.cells[i].role == ROLE_LOSS && scene->canvas.cells[i].code != ' ')
			return true;
	return false;
}

static void lose_something(struct snapshot *snapshot, uint64_t *seed)
{
	uint64_t *const counters[] = {
		&snapshot->lost_kernel, &snapshot->lost_malformed, &snapshot->lost_late,
		&snapshot->unattributed, &snapshot->filtered_unknown_uid,
		&snapshot->evicted_samples, &snapshot->throttled_ns,
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
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]) * 20; i++) {
		const int width = widths[i / 20];

		scene_open(&scene, width, random_below(&seed, 2) ? 10 : 24);
		lose_something(&scene.snapshot, &seed);
		scene.snapshot.is_target_gone = random_below(&seed, 2);
		scene_show(&scene);
		scene.state.is_paused = random_below(&seed, 2);
		scene.state.is_source_changing = random_below(&seed, 2);
		scene.state.show_idle = random_below(&seed, 2);
		assert_true(scene_has(&scene, "! more"));
		assert_true(says_loss(&scene));
		scene_finish(&scene);
	}
}

static void test_without_a_loss_the_header_says_none(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene_show(&scene);
	assert_false(scene_has(&scene, "! more"));
	assert_false(says_loss(&scene));
	scene.snapshot.notice = "one line";
	scene_show(&scene);
	assert_true(scene_has(&scene, "! note"));
	scene_finish(&scene);
}

/* No sample is missing because of it. */
static void test_cut_stacks_are_told_quietly(void **state)
{
	static const int widths[] = { 80, 100, 200 };
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		scene_open(&scene, widths[i], 24);
		scene.snapshot.truncated_stacks = 12;
		scene_show(&scene);
		assert_true(scene_has(&scene, "12 cut stacks"));
		assert_true(scene_has(&scene, "! more"));
		assert_false(says_loss(&scene));
		scene_finish(&scene);
	}
}

/* 999 of 1000 are 99 %: what is not whole is never called so. */
static void test_the_share_of_complete_stacks_is_told(void **state)
{
	static const int widths[] = { 80, 130, 200 };
	struct scene scene;

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		scene_open(&scene, widths[i], 24);
		assert_false(scene_has(&scene, "stacks"));
		scene.snapshot.stacks = STACKS_COPIED;
		scene_show(&scene);
		assert_false(scene_has(&scene, "stacks"));	/* none yet */
		scene.snapshot.user_stacks = 1000;
		scene.snapshot.complete_stacks = 999;
		scene_show(&scene);
		assert_true(scene_has(&scene, "stacks  99 %"));
		scene.snapshot.complete_stacks = 1000;
		scene_show(&scene);
		assert_true(scene_has(&scene, "stacks 100 %"));
		scene.snapshot.stacks = STACKS_OFF;
		scene_show(&scene);
		assert_true(scene_has(&scene, "no stacks"));
		scene_finish(&scene);
	}
}

/* Up to a tenth is in the ledger alone. */
static void test_missing_ticks_are_told_beyond_a_tenth(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 200, 24);
	scene.snapshot.missing_ticks_pct = 10;
	scene_show(&scene);
	assert_false(scene_has(&scene, "missing"));
	scene.snapshot.missing_ticks_pct = 35.7;
	scene_show(&scene);
	assert_true(scene_has(&scene, "36 % of ticks missing"));
	scene_finish(&scene);
}

static void test_what_is_not_known_is_not_there(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 120, 40);
	scene.snapshot.busy_pct = -1;
	scene_show(&scene);
	assert_false(scene_has(&scene, "busy"));
	scene.snapshot.is_replay = true;
	scene_show(&scene);
	assert_false(scene_has(&scene, "own  0.4"));
	scene_finish(&scene);
}

static void set_figures(struct snapshot *snapshot, uint64_t *seed)
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
	struct scene scene;

	(void)state;
	for (size_t w = 0; w < 3; w++) {
		scene_open(&scene, widths[w], 24);
		scene_show(&scene);
		for (size_t i = 0; i < 4; i++)
			first[i] = scene_find(&scene, words[i]);
		for (int round = 0; round < 200; round++) {
			set_figures(&scene.snapshot, &seed);
			scene_show(&scene);
			for (size_t i = 0; i < 4; i++)
				assert_int_equal(scene_find(&scene, words[i]).x, first[i].x);
		}
		scene_finish(&scene);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_windows_have_their_names),
		cmocka_unit_test(test_the_size_alone_says_how_many_lines_there_are),
		cmocka_unit_test(test_a_loss_is_never_left_out_in_silence),
		cmocka_unit_test(test_without_a_loss_the_header_says_none),
		cmocka_unit_test(test_cut_stacks_are_told_quietly),
		cmocka_unit_test(test_the_share_of_complete_stacks_is_told),
		cmocka_unit_test(test_missing_ticks_are_told_beyond_a_tenth),
		cmocka_unit_test(test_what_is_not_known_is_not_there),
		cmocka_unit_test(test_words_stay_where_they_are_while_numbers_change),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
