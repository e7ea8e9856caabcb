/* When the first pictures come: by what is sampled, what is waited for, and what news there are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzer/first_pictures.h"
#include "base/clock.h"
#include "ingest/ingest.h"

#define BEGIN_NS (5 * CLOCK_NS_PER_S)

struct scene {
	struct ingest ingest;
	struct object objects[OBJECT_FIXED_COUNT];
	struct first_pictures pictures;
};

/* The kernel's names are on their way, as at each start. */
static void begin(struct scene *scene)
{
	*scene = (struct scene){ .ingest.opening = 1 };
	scene->objects[OBJECT_KERNEL].state = OBJECT_LOADING;
	scene->ingest.objects.objects = scene->objects;
	assert_int_equal(timeline_init(&scene->ingest.timeline, 1), 0);
	first_pictures_begin(&scene->pictures, BEGIN_NS);
}

static void finish(struct scene *scene)
{
	timeline_finish(&scene->ingest.timeline);
}

static void add_sample(struct scene *scene)
{
	const struct slice_entry entry = { .count = 1, .weight = 1 };

	assert_int_equal(timeline_add(&scene->ingest.timeline, BEGIN_NS, &entry, NULL), 0);
}

/* Milliseconds after the begin; -1: at once, -2: never. */
static int due_ms(const struct scene *scene)
{
	const uint64_t due_ns = first_pictures_due_ns(&scene->pictures, &scene->ingest);

	if (due_ns == UINT64_MAX)
		return -2;
	return due_ns < BEGIN_NS ? -1 : (int)((due_ns - BEGIN_NS) / CLOCK_NS_PER_MS);
}

static void made_at(struct scene *scene, uint64_t ms)
{
	first_pictures_made(&scene->pictures, &scene->ingest, BEGIN_NS + ms * CLOCK_NS_PER_MS);
}

static void test_an_empty_screen_ends_after_a_while(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	assert_int_equal(due_ms(&scene), 150);
	finish(&scene);
}

static void test_the_first_picture_comes_with_the_names_of_what_was_sampled(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	add_sample(&scene);
	scene.ingest.opening = 2;
	assert_int_equal(due_ms(&scene), 150);
	scene.ingest.opening = 1;		/* but not with the kernel's */
	assert_int_equal(due_ms(&scene), -1);
	scene.ingest.parked_count = 1;		/* its process is being read */
	assert_int_equal(due_ms(&scene), 150);
	finish(&scene);
}

static void test_news_of_names_are_shown_at_most_ten_times_a_second(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	add_sample(&scene);
	made_at(&scene, 60);
	assert_int_equal(due_ms(&scene), 650);
	scene.ingest.has_new_names = true;
	assert_int_equal(due_ms(&scene), 160);
	made_at(&scene, 160);
	assert_int_equal(due_ms(&scene), 260);
	finish(&scene);
}

static void test_a_picture_without_samples_is_not_yet_the_first(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	made_at(&scene, 10);			/* a key was pressed */
	assert_int_equal(due_ms(&scene), 650);
	add_sample(&scene);
	assert_int_equal(due_ms(&scene), 110);
	made_at(&scene, 110);
	assert_int_equal(due_ms(&scene), 650);
	finish(&scene);
}

static void test_the_last_of_them_comes_in_any_case_and_then_refreshes_rule(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	made_at(&scene, 600);
	scene.ingest.has_new_names = true;
	assert_int_equal(due_ms(&scene), 650);
	made_at(&scene, 650);
	assert_int_equal(due_ms(&scene), -2);
	finish(&scene);
}

static void test_there_are_none_where_each_line_has_its_time(void **state)
{
	struct scene scene;

	(void)state;
	begin(&scene);
	first_pictures_begin(&scene.pictures, 0);
	add_sample(&scene);
	assert_int_equal(due_ms(&scene), -2);
	made_at(&scene, 10);
	assert_int_equal(due_ms(&scene), -2);
	finish(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_an_empty_screen_ends_after_a_while),
		cmocka_unit_test(
			test_the_first_picture_comes_with_the_names_of_what_was_sampled),
		cmocka_unit_test(test_news_of_names_are_shown_at_most_ten_times_a_second),
		cmocka_unit_test(test_a_picture_without_samples_is_not_yet_the_first),
		cmocka_unit_test(
			test_the_last_of_them_comes_in_any_case_and_then_refreshes_rule),
		cmocka_unit_test(test_there_are_none_where_each_line_has_its_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
