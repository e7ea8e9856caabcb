/* J: rows, paths, frames and times by falling heat; and what x makes of such a time. By the scene
 * it is 5000.4 s, history begins at 4880.3 s. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "scene_fixture.h"
#include "scene_rows.h"
#include "time_fixture.h"

#define S CLOCK_NS_PER_S

static const struct request *asked(const struct scene *scene, enum request_kind kind)
{
	for (size_t i = 0; i < scene->state.outbox_count; i++)
		if (scene->state.outbox[i].kind == kind)
			return &scene->state.outbox[i];
	return NULL;
}

static void expect_time(const struct scene *scene, double begin_s, double end_s)
{
	assert_int_equal(scene->state.time.begin_ns, (uint64_t)(begin_s * 1e9));
	assert_int_equal(scene->state.time.end_ns, (uint64_t)(end_s * 1e9));
}

/* The window that was asked for, as the analyzer answers. */
static void answer_time(struct scene *scene)
{
	scene->snapshot.asked_begin_ns = scene->snapshot.begin_ns = scene->state.time.begin_ns;
	scene->snapshot.asked_end_ns = scene->snapshot.time_ns = scene->state.time.end_ns;
	scene->snapshot.is_frozen = scene->snapshot.is_selected = true;
	scene_show(scene);
	scene->state.outbox_count = 0;
}

static float load[SCENE_STRIP_POINTS];

/* 30 % but for two seconds: 4990 to 4991 has 97 %, 4950 to 4951 has 88. */
static void show_load(struct scene *scene)
{
	for (size_t i = 0; i < SCENE_STRIP_POINTS; i++)
		load[i] = 30;
	load[SCENE_STRIP_POINTS - 10] = 97;
	load[SCENE_STRIP_POINTS - 50] = 88;
	scene->snapshot.strip = load;
	scene->snapshot.strip_kind = STRIP_BUSY;
	scene_show(scene);
	scene_text(scene);
}

static void test_rows_come_by_their_own_share_whatever_the_order(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "SJ");	/* the coldest is first */
	assert_string_equal(scene_cursor(scene)->symbol, "hash_search_with_hash_value");
	assert_non_null(strstr(scene->state.message, "hottest row 1 of "));
	scene_press(scene, "J");
	assert_string_equal(scene_cursor(scene)->symbol, "copy_user_enhanced_fast_string");
	scene_press(scene, "J");
	assert_string_equal(scene_cursor(scene)->symbol, "ChaCha20_4xl");
	assert_non_null(strstr(scene->state.message, "hottest row 3 of "));
	scene_press(scene, "kJ");	/* from another row it begins anew */
	assert_string_equal(scene_cursor(scene)->symbol, "hash_search_with_hash_value");
}

static void test_after_the_last_row_comes_the_first(void **state)
{
	struct scene *scene = *state;
	const size_t count = scene->state.table.rows.count;

	for (size_t i = 0; i < count; i++)
		scene_press(scene, "J");
	assert_non_null(strstr(scene->state.message, "hottest row "));
	scene_press(scene, "J");
	assert_string_equal(scene_cursor(scene)->symbol, "hash_search_with_hash_value");
}

static void test_an_idle_row_is_not_hot(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "iJ");
	assert_string_equal(scene_cursor(scene)->symbol, "hash_search_with_hash_value");
}

static void test_after_a_key_of_time_it_is_the_busiest_second(void **state)
{
	struct scene *scene = *state;

	show_load(scene);
	scene_press(scene, "[J");
	expect_time(scene, 4990, 4991);
	assert_string_equal(scene->state.message, "97 % busy in 1 s \u00b7 J the next busiest "
						  "\u00b7 x compares with the rest");
	scene_press(scene, "J");
	expect_time(scene, 4950, 4951);
	scene_press(scene, "J");	/* of all the others the newest */
	expect_time(scene, 4999, 5000);
}

static void test_a_key_that_means_rows_ends_that(void **state)
{
	struct scene *scene = *state;

	show_load(scene);
	scene_press(scene, "[J");
	answer_time(scene);
	scene_press(scene, "jJ");
	expect_time(scene, 4990, 4991);
	assert_string_equal(scene_cursor(scene)->symbol, "hash_search_with_hash_value");
	scene_press(scene, "[J");
	expect_time(scene, 4950, 4951);		/* 4990 was visited */
}

static void test_live_again_nothing_was_visited(void **state)
{
	struct scene *scene = *state;

	show_load(scene);
	scene_press(scene, "[J0[J");
	expect_time(scene, 4990, 4991);
}

static void test_when_all_was_visited_the_busiest_comes_again(void **state)
{
	struct scene *scene = *state;

	show_load(scene);
	for (size_t i = 0; i < SCENE_STRIP_POINTS; i++)
		load[i] = i == SCENE_STRIP_POINTS - 10 ? 97 : 0;
	scene_press(scene, "[JJ");
	expect_time(scene, 4990, 4991);
}

/* Cells of the heat map as they are drawn: the fullest 50 ms, or what a line holds. */
static void test_on_the_heat_map_it_is_the_busiest_cell(void **state)
{
	static float heat[SCENE_STRIP_POINTS * HEAT_ROWS];
	struct scene *scene = *state;
	unsigned int ticks;

	show_load(scene);
	for (size_t i = 0; i < SCENE_STRIP_POINTS * HEAT_ROWS; i++)
		heat[i] = 10;
	heat[(SCENE_STRIP_POINTS - 20) * HEAT_ROWS + 12] = 300;	/* in 4980.6 to 4980.65 */
	scene_press(scene, "H");
	scene->snapshot.heat = heat;
	scene->snapshot.heat_most = 300;
	scene_show(scene);
	scene_text(scene);
	ticks = HEAT_ROWS / (unsigned int)scene->state.heat.height;
	scene_press(scene, "J");
	assert_int_equal(scene->state.time.end_ns - scene->state.time.begin_ns,
			 ticks * TIME_TICK_NS);
	assert_true(scene->state.time.begin_ns <= 49806 * S / 10);
	assert_true(scene->state.time.end_ns >= 498065 * (S / 100));
	assert_non_null(strstr(scene->state.message, "busy samples in "));
}

static void test_x_compares_that_time_with_the_rest_of_history(void **state)
{
	struct scene *scene = *state;
	const struct request *request;

	show_load(scene);
	scene_press(scene, "[J");
	answer_time(scene);
	scene_press(scene, "x");
	request = asked(scene, REQUEST_BASELINE);
	assert_non_null(request);
	assert_int_equal(request->value, 1);
	assert_true(request->begin_ns == 4990 * S && request->value_ns == 4991 * S);
	assert_true(scene_asked(scene)->compare);
	assert_non_null(strstr(scene->state.message, "compared with the rest of history"));
	scene->snapshot.has_baseline = scene->snapshot.is_compared = true;
	answer_time(scene);
	assert_true(scene_has(scene, "A: the rest of history"));
	scene_press(scene, "[J");	/* the next is compared with its own rest */
	request = asked(scene, REQUEST_BASELINE);
	assert_non_null(request);
	assert_true(request->value == 1);
	answer_time(scene);
	scene_press(scene, "x");
	request = asked(scene, REQUEST_BASELINE);
	assert_true(request->value_ns == 0);	/* forgotten */
	assert_false(scene_asked(scene)->compare);
}

static void test_x_live_says_what_can_be_compared(void **state)
{
	struct scene *scene = *state;

	scene_press(scene, "x");
	assert_non_null(strstr(scene->state.message, "nothing to compare with: m marks"));
	assert_null(asked(scene, REQUEST_BASELINE));
}

static void test_a_baseline_that_was_marked_stays_the_one_of_x(void **state)
{
	struct scene *scene = *state;

	show_load(scene);
	scene->snapshot.begin_ns = 4980 * S;
	scene->snapshot.time_ns = 4985 * S;
	scene_show(scene);
	scene_press(scene, "m");
	scene->snapshot.has_baseline = scene->snapshot.is_compared = true;
	scene_show(scene);
	scene->state.outbox_count = 0;
	scene_press(scene, "[J");
	answer_time(scene);
	scene_press(scene, "xx");
	assert_null(asked(scene, REQUEST_BASELINE));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(test_rows_come_by_their_own_share_whatever_the_order),
		SCENE_TEST(test_after_the_last_row_comes_the_first),
		SCENE_TEST(test_an_idle_row_is_not_hot),
		SCENE_TEST(test_after_a_key_of_time_it_is_the_busiest_second),
		SCENE_TEST(test_a_key_that_means_rows_ends_that),
		SCENE_TEST(test_live_again_nothing_was_visited),
		SCENE_TEST(test_when_all_was_visited_the_busiest_comes_again),
		SCENE_TEST(test_on_the_heat_map_it_is_the_busiest_cell),
		SCENE_TEST(test_x_compares_that_time_with_the_rest_of_history),
		SCENE_TEST(test_x_live_says_what_can_be_compared),
		SCENE_TEST(test_a_baseline_that_was_marked_stays_the_one_of_x),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
