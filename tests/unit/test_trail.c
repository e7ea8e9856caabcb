/* The way to the rows: levels over one stack of filters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "ui/trail.h"

static struct filter_part part_of(enum filter_field field, uint64_t number)
{
	return (struct filter_part){ .field = field, .number = number };
}

static void push(struct trail *trail, enum view_kind kind, enum filter_field field,
		 uint64_t number)
{
	const struct filter_part part = part_of(field, number);
	struct diag why;

	assert_int_equal(trail_push(trail, kind, &part, &why), 0);
}

static void test_back_takes_the_last_part_away_and_finds_the_place(void **state)
{
	struct trail trail;

	(void)state;
	trail_init(&trail, VIEW_CPUS);
	trail_place(&trail)->cursor_id = 7;
	push(&trail, VIEW_TASKS, FILTER_CPU, 3);
	trail_place(&trail)->cursor_id = 8;
	push(&trail, VIEW_SYMBOLS, FILTER_PID, 4121);
	assert_int_equal(trail.filter.count, 2);
	assert_int_equal(trail_here(&trail)->kind, VIEW_SYMBOLS);
	assert_int_equal(trail_place(&trail)->cursor_id, 0);

	assert_true(trail_pop(&trail));
	assert_int_equal(trail.filter.count, 1);
	assert_int_equal(trail_here(&trail)->kind, VIEW_TASKS);
	assert_int_equal(trail_place(&trail)->cursor_id, 8);
	assert_true(trail_pop(&trail));
	assert_int_equal(trail.filter.count, 0);
	assert_int_equal(trail_place(&trail)->cursor_id, 7);
	assert_false(trail_pop(&trail));
}

static void test_what_took_the_place_of_a_table_leads_back_to_it(void **state)
{
	struct trail trail;

	(void)state;
	trail_init(&trail, VIEW_SYMBOLS);
	assert_false(trail_leads_back(&trail));
	trail_show(&trail, VIEW_TASKS);
	assert_false(trail_leads_back(&trail));		/* one table is as good as another */
	assert_false(trail_show_table(&trail));
	trail_show(&trail, VIEW_FLAME);
	trail_show(&trail, VIEW_PROBES);
	assert_true(trail_leads_back(&trail));
	assert_true(trail_show_table(&trail));
	assert_int_equal(trail_here(&trail)->kind, VIEW_TASKS);
	assert_false(trail_show_table(&trail));
	push(&trail, VIEW_TREE, FILTER_PID, 1);
	assert_false(trail_show_table(&trail));		/* a level of its own */
	assert_true(trail_leads_back(&trail));
}

static void test_opening_in_turns_what_is_in_the_filter_goes_no_deeper(void **state)
{
	struct trail trail;

	(void)state;
	trail_init(&trail, VIEW_SYMBOLS);
	push(&trail, VIEW_TASKS, FILTER_PID, 1);
	push(&trail, VIEW_SYMBOLS, FILTER_PID, 1);
	assert_int_equal(trail.count, 3);
	trail_place(&trail)->cursor_id = 8;
	push(&trail, VIEW_TASKS, FILTER_PID, 1);
	assert_int_equal(trail.count, 2);
	push(&trail, VIEW_SYMBOLS, FILTER_PID, 1);
	assert_int_equal(trail.count, 3);
	push(&trail, VIEW_TASKS, FILTER_PID, 2);
	assert_int_equal(trail.count, 4);	/* another filter is a level of its own */
}

static void test_a_level_like_the_last_is_not_added(void **state)
{
	struct trail trail;
	struct diag why;

	(void)state;
	trail_init(&trail, VIEW_SYMBOLS);
	push(&trail, VIEW_SYMBOLS, FILTER_PID, 1);
	push(&trail, VIEW_SYMBOLS, FILTER_PID, 1);
	assert_int_equal(trail.count, 2);
	assert_int_equal(trail_push(&trail, VIEW_SYMBOLS, NULL, &why), 0);
	assert_int_equal(trail.count, 2);
}

/*   parts:   pid 1   CPU 2   CPU 3        levels: 0, 1, 2, 3 parts, all symbols
 *   without "CPU 2": pid 1, CPU 3                 0, 1, 1, 2 -> 0, 1, 2 */
static void test_a_part_that_is_removed_leaves_all_levels(void **state)
{
	struct trail trail;

	(void)state;
	trail_init(&trail, VIEW_SYMBOLS);
	push(&trail, VIEW_SYMBOLS, FILTER_PID, 1);
	push(&trail, VIEW_SYMBOLS, FILTER_CPU, 2);
	push(&trail, VIEW_SYMBOLS, FILTER_CPU, 3);
	trail_remove_part(&trail, 1);
	assert_int_equal(trail.count, 3);
	assert_int_equal(trail.filter.count, 2);
	assert_int_equal(trail.levels[1].parts, 1);
	assert_int_equal(trail.levels[2].parts, 2);
	assert_int_equal(trail.filter.parts[1].number, 3);
	assert_true(trail_pop(&trail));
	assert_int_equal(trail.filter.parts[0].field, FILTER_PID);
}

static void test_a_full_trail_says_so_and_stays(void **state)
{
	struct trail trail;
	struct filter_part part = part_of(FILTER_PID, 0);
	struct diag why = { 0 };
	int err = 0;

	(void)state;
	trail_init(&trail, VIEW_SYMBOLS);
	for (part.number = 0; !err; part.number++)
		err = trail_push(&trail, VIEW_SYMBOLS, &part, &why);
	assert_int_equal(err, -ENOSPC);
	assert_true(strlen(why.text) > 0);
	assert_int_equal(trail.filter.count, TRAIL_PARTS);
	while (trail_pop(&trail))
		;
	assert_int_equal(trail.filter.count, 0);
}

/* No frame is of two functions: the second takes the first one's place, and back returns it. */
static void test_a_symbol_takes_the_place_of_another_until_back(void **state)
{
	struct filter_part part = { .field = FILTER_SYMBOL, .hash = 1 };
	struct trail trail;
	struct diag why;

	(void)state;
	trail_init(&trail, VIEW_SYMBOLS);
	push(&trail, VIEW_SYMBOLS, FILTER_PID, 7);
	assert_int_equal(trail_push(&trail, VIEW_TREE, &part, &why), 0);
	part.hash = 2;
	assert_int_equal(trail_push(&trail, VIEW_TREE, &part, &why), 0);
	assert_int_equal(trail.count, 4);
	assert_int_equal(trail.filter.count, 2);
	assert_int_equal(trail.filter.parts[1].hash, 2);
	assert_int_equal(trail_push(&trail, VIEW_TREE, &part, &why), 0);	/* the same again */
	assert_int_equal(trail.count, 4);
	push(&trail, VIEW_TREE, FILTER_CPU, 3);
	assert_true(trail_pop(&trail));
	assert_int_equal(trail.filter.parts[1].hash, 2);
	assert_true(trail_pop(&trail));
	assert_int_equal(trail.filter.count, 2);
	assert_int_equal(trail.filter.parts[1].hash, 1);
}

/* comm > object > symbol is one step, in and out. */
static void test_several_parts_are_one_level(void **state)
{
	const struct filter_part parts[] = {
		part_of(FILTER_PID, 7), part_of(FILTER_CPU, 3),
		{ .field = FILTER_SYMBOL, .hash = 2 },
	};
	struct filter_part symbol = { .field = FILTER_SYMBOL, .hash = 1 };
	struct trail trail;
	struct diag why;

	(void)state;
	trail_init(&trail, VIEW_GROUPS);
	assert_int_equal(trail_push_parts(&trail, VIEW_SYMBOLS, parts, 3, &why), 0);
	assert_int_equal(trail.count, 2);
	assert_int_equal(trail.filter.count, 3);
	push(&trail, VIEW_TREE, FILTER_TID, 8);
	assert_true(trail_pop(&trail));
	assert_int_equal(trail.filter.count, 3);
	assert_true(trail_pop(&trail));
	assert_int_equal(trail.filter.count, 0);
	assert_int_equal(trail_push(&trail, VIEW_GROUPS, &symbol, &why), 0);
	assert_int_equal(trail_push_parts(&trail, VIEW_SYMBOLS, parts, 3, &why), 0);
	assert_int_equal(trail.filter.count, 3);	/* one symbol in the other's place */
	assert_int_equal(trail.filter.parts[0].hash, 2);
	assert_true(trail_pop(&trail));
	assert_int_equal(trail.filter.count, 1);
	assert_int_equal(trail.filter.parts[0].hash, 1);
}

static void test_without_room_for_all_parts_none_is_taken(void **state)
{
	struct filter_part parts[2] = { part_of(FILTER_PID, 0) };
	struct trail trail;
	struct diag why;

	(void)state;
	trail_init(&trail, VIEW_GROUPS);
	for (parts[0].number = 0; parts[0].number < TRAIL_PARTS - 1; parts[0].number++)
		assert_int_equal(trail_push(&trail, VIEW_GROUPS, &parts[0], &why), 0);
	parts[1] = part_of(FILTER_CPU, 1);
	assert_int_equal(trail_push_parts(&trail, VIEW_SYMBOLS, parts, 2, &why), -ENOSPC);
	assert_int_equal(trail.filter.count, TRAIL_PARTS - 1);
	assert_int_equal(trail_here(&trail)->kind, VIEW_GROUPS);
}

static void test_a_replaced_symbol_that_is_taken_away_does_not_come_back(void **state)
{
	struct filter_part part = { .field = FILTER_SYMBOL, .hash = 1 };
	struct trail trail;
	struct diag why;

	(void)state;
	trail_init(&trail, VIEW_SYMBOLS);
	assert_int_equal(trail_push(&trail, VIEW_TREE, &part, &why), 0);
	part.hash = 2;
	assert_int_equal(trail_push(&trail, VIEW_TREE, &part, &why), 0);
	trail_remove_part(&trail, 0);
	assert_int_equal(trail.filter.count, 0);
	assert_int_equal(trail.count, 2);	/* Symbols, and the tree of all */
	assert_true(trail_pop(&trail));
	assert_int_equal(trail.filter.count, 0);
}

static void test_what_lies_below_a_probe_is_of_its_hits(void **state)
{
	struct trail trail;
	struct diag why;

	(void)state;
	trail_init(&trail, VIEW_PROBES);
	assert_int_equal(trail_push_probe(&trail, 7, 130, &why), 0);
	assert_int_equal(trail.count, 2);
	assert_int_equal(trail_here(&trail)->kind, VIEW_PROBES);
	assert_int_equal(trail_push(&trail, VIEW_TREE, NULL, &why), 0);
	assert_int_equal(trail_here(&trail)->probe, 7);
	assert_int_equal(trail_here(&trail)->event, 130);
	push(&trail, VIEW_SYMBOLS, FILTER_PID, 1);
	assert_int_equal(trail_here(&trail)->probe, 7);
	assert_true(trail_pop(&trail));
	assert_int_equal(trail_push(&trail, VIEW_PROBES, NULL, &why), 0);
	assert_int_equal(trail.count, 2);		/* back to its figures */
	assert_true(trail_pop(&trail));
	assert_int_equal(trail_here(&trail)->probe, 0);
}

static void test_a_probe_is_no_deeper_than_the_rest(void **state)
{
	struct trail trail;
	struct diag why;

	(void)state;
	trail_init(&trail, VIEW_PROBES);
	for (int i = 1; i < TRAIL_LEVELS; i++)
		assert_int_equal(trail_push_probe(&trail, (uint32_t)i, 128, &why), 0);
	assert_int_equal(trail_push_probe(&trail, 99, 128, &why), -ENOSPC);
	assert_int_equal(trail.count, TRAIL_LEVELS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_back_takes_the_last_part_away_and_finds_the_place),
		cmocka_unit_test(test_what_took_the_place_of_a_table_leads_back_to_it),
		cmocka_unit_test(test_opening_in_turns_what_is_in_the_filter_goes_no_deeper),
		cmocka_unit_test(test_a_level_like_the_last_is_not_added),
		cmocka_unit_test(test_a_part_that_is_removed_leaves_all_levels),
		cmocka_unit_test(test_a_full_trail_says_so_and_stays),
		cmocka_unit_test(test_a_symbol_takes_the_place_of_another_until_back),
		cmocka_unit_test(test_several_parts_are_one_level),
		cmocka_unit_test(test_without_room_for_all_parts_none_is_taken),
		cmocka_unit_test(test_a_replaced_symbol_that_is_taken_away_does_not_come_back),
		cmocka_unit_test(test_what_lies_below_a_probe_is_of_its_hits),
		cmocka_unit_test(test_a_probe_is_no_deeper_than_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
