/* The way to the rows: levels over one stack of filters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <string.h>

#include <cmocka.h>

#include "ui/breadcrumbs.h"
#include "unit_tests.h"

static struct filter_part part_of(enum filter_field field, uint64_t number)
{
	return (struct filter_part){ .field = field, .number = number };
}

static void push(struct breadcrumbs *breadcrumbs, enum view_kind kind, enum filter_field field,
		 uint64_t number)
{
	const struct filter_part part = part_of(field, number);
	struct diag why;

	assert_int_equal(breadcrumbs_push(breadcrumbs, kind, &part, &why), 0);
}

static void test_back_takes_the_last_part_away_and_finds_the_place(void **state)
{
	struct breadcrumbs breadcrumbs;

	(void)state;
	breadcrumbs_init(&breadcrumbs, VIEW_CPUS);
	breadcrumbs_place(&breadcrumbs)->cursor_id = 7;
	push(&breadcrumbs, VIEW_TASKS, FILTER_CPU, 3);
	breadcrumbs_place(&breadcrumbs)->cursor_id = 8;
	push(&breadcrumbs, VIEW_SYMBOLS, FILTER_PID, 4121);
	assert_int_equal(breadcrumbs.filter.count, 2);
	assert_int_equal(breadcrumbs_here(&breadcrumbs)->kind, VIEW_SYMBOLS);
	assert_int_equal(breadcrumbs_place(&breadcrumbs)->cursor_id, 0);

	assert_true(breadcrumbs_pop(&breadcrumbs));
	assert_int_equal(breadcrumbs.filter.count, 1);
	assert_int_equal(breadcrumbs_here(&breadcrumbs)->kind, VIEW_TASKS);
	assert_int_equal(breadcrumbs_place(&breadcrumbs)->cursor_id, 8);
	assert_true(breadcrumbs_pop(&breadcrumbs));
	assert_int_equal(breadcrumbs.filter.count, 0);
	assert_int_equal(breadcrumbs_place(&breadcrumbs)->cursor_id, 7);
	assert_false(breadcrumbs_pop(&breadcrumbs));
}

static void test_what_took_the_place_of_a_table_leads_back_to_it(void **state)
{
	struct breadcrumbs breadcrumbs;

	(void)state;
	breadcrumbs_init(&breadcrumbs, VIEW_SYMBOLS);
	assert_false(breadcrumbs_leads_back(&breadcrumbs));
	breadcrumbs_show(&breadcrumbs, VIEW_TASKS);
	/* One table is as good as another. */
	assert_false(breadcrumbs_leads_back(&breadcrumbs));
	assert_false(breadcrumbs_show_table(&breadcrumbs));
	breadcrumbs_show(&breadcrumbs, VIEW_FLAME);
	breadcrumbs_show(&breadcrumbs, VIEW_PROBES);
	assert_true(breadcrumbs_leads_back(&breadcrumbs));
	assert_true(breadcrumbs_show_table(&breadcrumbs));
	assert_int_equal(breadcrumbs_here(&breadcrumbs)->kind, VIEW_TASKS);
	assert_false(breadcrumbs_show_table(&breadcrumbs));
	push(&breadcrumbs, VIEW_TREE, FILTER_PID, 1);
	assert_false(breadcrumbs_show_table(&breadcrumbs));		/* a level of its own */
	assert_true(breadcrumbs_leads_back(&breadcrumbs));
}

static void test_opening_in_turns_what_is_in_the_filter_goes_no_deeper(void **state)
{
	struct breadcrumbs breadcrumbs;

	(void)state;
	breadcrumbs_init(&breadcrumbs, VIEW_SYMBOLS);
	push(&breadcrumbs, VIEW_TASKS, FILTER_PID, 1);
	push(&breadcrumbs, VIEW_SYMBOLS, FILTER_PID, 1);
	assert_int_equal(breadcrumbs.count, 3);
	breadcrumbs_place(&breadcrumbs)->cursor_id = 8;
	push(&breadcrumbs, VIEW_TASKS, FILTER_PID, 1);
	assert_int_equal(breadcrumbs.count, 2);
	push(&breadcrumbs, VIEW_SYMBOLS, FILTER_PID, 1);
	assert_int_equal(breadcrumbs.count, 3);
	push(&breadcrumbs, VIEW_TASKS, FILTER_PID, 2);
	assert_int_equal(breadcrumbs.count, 4);	/* another filter is a level of its own */
}

static void test_a_level_like_the_last_is_not_added(void **state)
{
	struct breadcrumbs breadcrumbs;
	struct diag why;

	(void)state;
	breadcrumbs_init(&breadcrumbs, VIEW_SYMBOLS);
	push(&breadcrumbs, VIEW_SYMBOLS, FILTER_PID, 1);
	push(&breadcrumbs, VIEW_SYMBOLS, FILTER_PID, 1);
	assert_int_equal(breadcrumbs.count, 2);
	assert_int_equal(breadcrumbs_push(&breadcrumbs, VIEW_SYMBOLS, NULL, &why), 0);
	assert_int_equal(breadcrumbs.count, 2);
}

/*   parts:   pid 1   CPU 2   CPU 3        levels: 0, 1, 2, 3 parts, all symbols
 *   without "CPU 2": pid 1, CPU 3                 0, 1, 1, 2 -> 0, 1, 2 */
static void test_a_part_that_is_removed_leaves_all_levels(void **state)
{
	struct breadcrumbs breadcrumbs;

	(void)state;
	breadcrumbs_init(&breadcrumbs, VIEW_SYMBOLS);
	push(&breadcrumbs, VIEW_SYMBOLS, FILTER_PID, 1);
	push(&breadcrumbs, VIEW_SYMBOLS, FILTER_CPU, 2);
	push(&breadcrumbs, VIEW_SYMBOLS, FILTER_CPU, 3);
	breadcrumbs_remove_part(&breadcrumbs, 1);
	assert_int_equal(breadcrumbs.count, 3);
	assert_int_equal(breadcrumbs.filter.count, 2);
	assert_int_equal(breadcrumbs.levels[1].parts, 1);
	assert_int_equal(breadcrumbs.levels[2].parts, 2);
	assert_int_equal(breadcrumbs.filter.parts[1].number, 3);
	assert_true(breadcrumbs_pop(&breadcrumbs));
	assert_int_equal(breadcrumbs.filter.parts[0].field, FILTER_PID);
}

static void test_full_breadcrumbs_say_so_and_stay(void **state)
{
	struct breadcrumbs breadcrumbs;
	struct filter_part part = part_of(FILTER_PID, 0);
	struct diag why = { 0 };
	int err = 0;

	(void)state;
	breadcrumbs_init(&breadcrumbs, VIEW_SYMBOLS);
	for (part.number = 0; !err; part.number++)
		err = breadcrumbs_push(&breadcrumbs, VIEW_SYMBOLS, &part, &why);
	assert_int_equal(err, -ENOSPC);
	assert_true(strlen(why.text) > 0);
	assert_int_equal(breadcrumbs.filter.count, BREADCRUMBS_PARTS);
	while (breadcrumbs_pop(&breadcrumbs))
		;
	assert_int_equal(breadcrumbs.filter.count, 0);
}

/* No frame is of two functions: the second takes the first one's place, and back returns it. */
static void test_a_symbol_takes_the_place_of_another_until_back(void **state)
{
	struct filter_part part = { .field = FILTER_SYMBOL, .hash = 1 };
	struct breadcrumbs breadcrumbs;
	struct diag why;

	(void)state;
	breadcrumbs_init(&breadcrumbs, VIEW_SYMBOLS);
	push(&breadcrumbs, VIEW_SYMBOLS, FILTER_PID, 7);
	assert_int_equal(breadcrumbs_push(&breadcrumbs, VIEW_TREE, &part, &why), 0);
	part.hash = 2;
	assert_int_equal(breadcrumbs_push(&breadcrumbs, VIEW_TREE, &part, &why), 0);
	assert_int_equal(breadcrumbs.count, 4);
	assert_int_equal(breadcrumbs.filter.count, 2);
	assert_int_equal(breadcrumbs.filter.parts[1].hash, 2);
	/* The same again. */
	assert_int_equal(breadcrumbs_push(&breadcrumbs, VIEW_TREE, &part, &why), 0);
	assert_int_equal(breadcrumbs.count, 4);
	push(&breadcrumbs, VIEW_TREE, FILTER_CPU, 3);
	assert_true(breadcrumbs_pop(&breadcrumbs));
	assert_int_equal(breadcrumbs.filter.parts[1].hash, 2);
	assert_true(breadcrumbs_pop(&breadcrumbs));
	assert_int_equal(breadcrumbs.filter.count, 2);
	assert_int_equal(breadcrumbs.filter.parts[1].hash, 1);
}

/* comm > DSO > symbol is one step, in and out. */
static void test_several_parts_are_one_level(void **state)
{
	const struct filter_part parts[] = {
		part_of(FILTER_PID, 7), part_of(FILTER_CPU, 3),
		{ .field = FILTER_SYMBOL, .hash = 2 },
	};
	struct filter_part symbol = { .field = FILTER_SYMBOL, .hash = 1 };
	struct breadcrumbs breadcrumbs;
	struct diag why;

	(void)state;
	breadcrumbs_init(&breadcrumbs, VIEW_GROUPS);
	assert_int_equal(breadcrumbs_push_parts(&breadcrumbs, VIEW_SYMBOLS, parts, 3, &why), 0);
	assert_int_equal(breadcrumbs.count, 2);
	assert_int_equal(breadcrumbs.filter.count, 3);
	push(&breadcrumbs, VIEW_TREE, FILTER_TID, 8);
	assert_true(breadcrumbs_pop(&breadcrumbs));
	assert_int_equal(breadcrumbs.filter.count, 3);
	assert_true(breadcrumbs_pop(&breadcrumbs));
	assert_int_equal(breadcrumbs.filter.count, 0);
	assert_int_equal(breadcrumbs_push(&breadcrumbs, VIEW_GROUPS, &symbol, &why), 0);
	assert_int_equal(breadcrumbs_push_parts(&breadcrumbs, VIEW_SYMBOLS, parts, 3, &why), 0);
	assert_int_equal(breadcrumbs.filter.count, 3);	/* one symbol in the other's place */
	assert_int_equal(breadcrumbs.filter.parts[0].hash, 2);
	assert_true(breadcrumbs_pop(&breadcrumbs));
	assert_int_equal(breadcrumbs.filter.count, 1);
	assert_int_equal(breadcrumbs.filter.parts[0].hash, 1);
}

static void test_without_room_for_all_parts_none_is_taken(void **state)
{
	struct filter_part parts[2] = { part_of(FILTER_PID, 0) };
	struct breadcrumbs breadcrumbs;
	struct diag why;

	(void)state;
	breadcrumbs_init(&breadcrumbs, VIEW_GROUPS);
	for (parts[0].number = 0; parts[0].number < BREADCRUMBS_PARTS - 1; parts[0].number++)
		assert_int_equal(breadcrumbs_push(&breadcrumbs, VIEW_GROUPS, &parts[0], &why), 0);
	parts[1] = part_of(FILTER_CPU, 1);
	assert_int_equal(breadcrumbs_push_parts(&breadcrumbs, VIEW_SYMBOLS, parts, 2, &why),
			 -ENOSPC);
	assert_int_equal(breadcrumbs.filter.count, BREADCRUMBS_PARTS - 1);
	assert_int_equal(breadcrumbs_here(&breadcrumbs)->kind, VIEW_GROUPS);
}

static void test_a_replaced_symbol_that_is_taken_away_does_not_come_back(void **state)
{
	struct filter_part part = { .field = FILTER_SYMBOL, .hash = 1 };
	struct breadcrumbs breadcrumbs;
	struct diag why;

	(void)state;
	breadcrumbs_init(&breadcrumbs, VIEW_SYMBOLS);
	assert_int_equal(breadcrumbs_push(&breadcrumbs, VIEW_TREE, &part, &why), 0);
	part.hash = 2;
	assert_int_equal(breadcrumbs_push(&breadcrumbs, VIEW_TREE, &part, &why), 0);
	breadcrumbs_remove_part(&breadcrumbs, 0);
	assert_int_equal(breadcrumbs.filter.count, 0);
	assert_int_equal(breadcrumbs.count, 2);	/* Symbols, and the tree of all */
	assert_true(breadcrumbs_pop(&breadcrumbs));
	assert_int_equal(breadcrumbs.filter.count, 0);
}

static void test_what_lies_below_a_probe_is_of_its_hits(void **state)
{
	struct breadcrumbs breadcrumbs;
	struct diag why;

	(void)state;
	breadcrumbs_init(&breadcrumbs, VIEW_PROBES);
	assert_int_equal(breadcrumbs_push_probe(&breadcrumbs, 7, 130, &why), 0);
	assert_int_equal(breadcrumbs.count, 2);
	assert_int_equal(breadcrumbs_here(&breadcrumbs)->kind, VIEW_PROBES);
	assert_int_equal(breadcrumbs_push(&breadcrumbs, VIEW_TREE, NULL, &why), 0);
	assert_int_equal(breadcrumbs_here(&breadcrumbs)->probe, 7);
	assert_int_equal(breadcrumbs_here(&breadcrumbs)->event, 130);
	push(&breadcrumbs, VIEW_SYMBOLS, FILTER_PID, 1);
	assert_int_equal(breadcrumbs_here(&breadcrumbs)->probe, 7);
	assert_true(breadcrumbs_pop(&breadcrumbs));
	assert_int_equal(breadcrumbs_push(&breadcrumbs, VIEW_PROBES, NULL, &why), 0);
	assert_int_equal(breadcrumbs.count, 2);		/* back to its numbers */
	assert_true(breadcrumbs_pop(&breadcrumbs));
	assert_int_equal(breadcrumbs_here(&breadcrumbs)->probe, 0);
}

static void test_a_probe_is_no_deeper_than_the_rest(void **state)
{
	struct breadcrumbs breadcrumbs;
	struct diag why;

	(void)state;
	breadcrumbs_init(&breadcrumbs, VIEW_PROBES);
	for (int i = 1; i < BREADCRUMBS_LEVELS; i++)
		assert_int_equal(breadcrumbs_push_probe(&breadcrumbs, (uint32_t)i, 128, &why), 0);
	assert_int_equal(breadcrumbs_push_probe(&breadcrumbs, 99, 128, &why), -ENOSPC);
	assert_int_equal(breadcrumbs.count, BREADCRUMBS_LEVELS);
}

UNIT_TESTS(test_breadcrumbs)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_back_takes_the_last_part_away_and_finds_the_place),
		cmocka_unit_test(test_what_took_the_place_of_a_table_leads_back_to_it),
		cmocka_unit_test(test_opening_in_turns_what_is_in_the_filter_goes_no_deeper),
		cmocka_unit_test(test_a_level_like_the_last_is_not_added),
		cmocka_unit_test(test_a_part_that_is_removed_leaves_all_levels),
		cmocka_unit_test(test_full_breadcrumbs_say_so_and_stay),
		cmocka_unit_test(test_a_symbol_takes_the_place_of_another_until_back),
		cmocka_unit_test(test_several_parts_are_one_level),
		cmocka_unit_test(test_without_room_for_all_parts_none_is_taken),
		cmocka_unit_test(test_a_replaced_symbol_that_is_taken_away_does_not_come_back),
		cmocka_unit_test(test_what_lies_below_a_probe_is_of_its_hits),
		cmocka_unit_test(test_a_probe_is_no_deeper_than_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
