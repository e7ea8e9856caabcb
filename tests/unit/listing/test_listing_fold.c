/* The counts of a function's addresses, by hand and beside fold/fold.h with random samples. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "listing/listing.h"
#include "model_fixture.h"
#include "random_numbers.h"
#include "unit_tests.h"

#define COUNT_OF(list) ((uint32_t)(sizeof(list) / sizeof((list)[0])))

static struct model_fixture model;
static struct listing_function function;

static int set_up(void **state)
{
	(void)state;
	fixture_init(&model);
	assert_true(listing_function_find(&function, &model.dsos, model.app,
					  FIXTURE_APP_ADDRESS(FN_F) + 7));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fixture_finish(&model);
	return 0;
}

static uint32_t stack_of(const uint32_t *frames, uint32_t count)
{
	return fixture_stack(&model, frames, count);
}

static struct listing_fold fold_of(const struct filter *filter, const struct slice_entry *entries,
				   uint32_t count)
{
	const uint32_t events[] = { 0, 1 };
	struct listing_fold fold;

	listing_fold_init(&fold, &model.trie, &model.names, &model.tasks, &function, filter, events,
			  2);
	listing_fold_add(&fold, entries, count, 1.0);
	listing_fold_sort(&fold);
	assert_false(fold.is_out_of_memory);
	return fold;
}

static void test_a_function_is_found_by_an_address_in_it(void **state)
{
	(void)state;
	assert_int_equal(function.section_count, 1);
	assert_int_equal(function.sections[0].begin, FIXTURE_APP_ADDRESS(FN_F));
	assert_int_equal(function.sections[0].end, FIXTURE_APP_ADDRESS(FN_G));
	assert_false(listing_function_find(&function, &model.dsos, model.app, 0x10));
}

/* Run-time code that takes the place of other code is another function. */
static void test_an_address_may_have_several_functions_one_after_the_other(void **state)
{
	struct dso *dso = &model.dsos.dsos[model.app];
	const uint64_t address = FIXTURE_APP_ADDRESS(FN_F);
	struct listing_function first, second;
	struct flat_table renamed;
	char strings[4096];

	(void)state;
	dso->is_run_time = true;
	assert_true(listing_function_find(&first, &model.dsos, model.app, address));
	assert_true(listing_function_find(&second, &model.dsos, model.app, address + 1));
	assert_true(listing_function_is_equal(&first, &second));
	renamed = dso->table;
	assert_in_range(renamed.header->string_bytes, 1, sizeof(strings));
	memcpy(strings, renamed.strings, renamed.header->string_bytes);
	strings[renamed.rows[flat_table_find(&renamed, address)].name] ^= 1;
	renamed.strings = strings;
	dso->table = renamed;
	assert_true(listing_function_find(&second, &model.dsos, model.app, address));
	assert_false(listing_function_is_equal(&first, &second));
}

/* Leaves count at their address, callers don't; another event has a column of its own. */
static void test_leaves_count_at_their_address(void **state)
{
	const uint32_t deep[] = { fixture_frame(&model, FN_F, 8),
				  fixture_frame(&model, FN_MAIN, 4) };
	const uint32_t other[] = { fixture_frame(&model, FN_G, 8),
				   fixture_frame(&model, FN_F, 32) };
	const uint32_t task = fixture_task(&model, 1, 1, "app");
	const struct slice_entry entries[] = {
		{ .stack = stack_of(deep, 2), .count = 3, .weight = 30, .task = task },
		{ .stack = stack_of(other, 2), .count = 5, .weight = 50, .task = task },
		{ .stack = stack_of(deep, 2), .count = 2, .weight = 20, .task = task, .event = 1 },
	};
	struct listing_fold fold = fold_of(&fixture_no_filter, entries, COUNT_OF(entries));

	(void)state;
	assert_int_equal(fold.address_count, 1);
	assert_int_equal(fold.addresses[0].address, FIXTURE_APP_ADDRESS(FN_F) + 8);
	assert_int_equal(fold.addresses[0].now[0].samples, 3);
	assert_int_equal((int)fold.addresses[0].now[0].weight, 30);
	assert_int_equal(fold.addresses[0].now[1].samples, 2);
	listing_fold_finish(&fold);
}

/* g() was called from f+0x20 five times, and from f+0x30 once; main() calls f(). */
static void test_callees_are_those_that_stacks_have_shown(void **state)
{
	const uint32_t first[] = { fixture_frame(&model, FN_G, 8),
				   fixture_frame(&model, FN_F, 0x20),
				   fixture_frame(&model, FN_MAIN, 4) };
	const uint32_t second[] = { fixture_frame(&model, FN_LEAF, 8),
				    fixture_frame(&model, FN_G, 9),
				    fixture_frame(&model, FN_F, 0x30) };
	const uint32_t third[] = { fixture_frame(&model, FN_H, 8),
				   fixture_frame(&model, FN_F, 0x20) };
	const uint32_t task = fixture_task(&model, 1, 1, "app");
	const struct slice_entry entries[] = {
		{ .stack = stack_of(third, 2), .count = 2, .weight = 2, .task = task },
		{ .stack = stack_of(first, 3), .count = 5, .weight = 5, .task = task },
		{ .stack = stack_of(second, 3), .count = 1, .weight = 1, .task = task },
	};
	struct listing_fold fold = fold_of(&fixture_no_filter, entries, COUNT_OF(entries));

	(void)state;
	assert_int_equal(fold.site_count, 3);
	assert_int_equal(fold.sites[0].return_address, FIXTURE_APP_ADDRESS(FN_F) + 0x20);
	assert_int_equal(model.names.symbols[fold.sites[0].callee].address,
			 FIXTURE_APP_ADDRESS(FN_G));
	assert_int_equal(fold.sites[0].load.samples, 5);
	assert_int_equal(fold.sites[1].load.samples, 2);
	assert_int_equal(fold.sites[2].return_address, FIXTURE_APP_ADDRESS(FN_F) + 0x30);
	listing_fold_finish(&fold);
}

static void test_the_baseline_is_counted_beside(void **state)
{
	const uint32_t frames[] = { fixture_frame(&model, FN_F, 8) };
	const struct slice_entry entry = { .stack = stack_of(frames, 1), .count = 4, .weight = 4,
					   .task = fixture_task(&model, 1, 1, "app") };
	struct listing_fold fold = fold_of(&fixture_no_filter, &entry, 1);

	(void)state;
	listing_fold_add_base(&fold, &entry, 1);
	listing_fold_add_base(&fold, &entry, 1);
	assert_int_equal(fold.addresses[0].now[0].samples, 4);
	assert_int_equal(fold.addresses[0].base[0].samples, 8);
	assert_int_equal(fold.site_count, 0);
	listing_fold_finish(&fold);
}

#define ENTRIES 300

static void fill_randomly(uint64_t *random, struct slice_entry *entries)
{
	for (uint32_t i = 0; i < ENTRIES; i++) {
		const uint32_t pid = random_below(random, 3);
		uint32_t frames[4], count = 1 + random_below(random, 4);

		for (uint32_t f = 0; f < count; f++)
			frames[f] = fixture_frame(
				&model, (enum fixture_function)random_below(random, FN_COUNT),
				random_below(random, 0x100));
		entries[i] = (struct slice_entry){
			.stack = stack_of(frames, count), .count = random_below(random, 5),
			.task = fixture_task(&model, pid, pid, pid == 1 ? "app" : "other"),
			.event = random_below(random, 2) & 1,
		};
		entries[i].weight = entries[i].count * 7;
	}
}

/* All windows and filters are sets of entries and filters like these. */
static void test_addresses_add_up_to_the_row_in_random_windows(void **state)
{
	struct filter filters[3] = { fixture_no_filter, fixture_no_filter, fixture_no_filter };
	const struct filter_part user = { .field = FILTER_USER };
	struct filter_part text;
	uint64_t random = 23;
	static struct slice_entry entries[ENTRIES];
	struct diag why;

	(void)state;
	assert_int_equal(filter_add(&filters[1], &user, &why), 0);
	assert_int_equal(filter_parse_text("!other", &text, &why), 0);
	assert_int_equal(filter_add(&filters[2], &text, &why), 0);
	for (int round = 0; round < 60; round++) {
		const struct filter *filter = &filters[round % 3];
		struct listing_fold listing;
		struct fold fold;
		const struct fold_row *row;
		struct load sum = { 0, 0 };

		fill_randomly(&random, entries);
		listing = fold_of(filter, entries, ENTRIES);
		fold = fixture_fold_filtered(&model, KEY_DSO | KEY_SYMBOL, filter, entries,
					     ENTRIES);
		row = fixture_row(&fold, "f", false);
		for (uint32_t i = 0; i < listing.address_count; i++)
			load_add(&sum, &listing.addresses[i].now[0]);
		assert_int_equal(sum.samples, row ? row->stats.self.samples : 0);
		assert_int_equal((int)sum.weight, row ? (int)row->stats.self.weight : 0);
		listing_fold_finish(&listing);
		fold_finish(&fold);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_listing_fold)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_function_is_found_by_an_address_in_it),
		TEST(test_an_address_may_have_several_functions_one_after_the_other),
		TEST(test_leaves_count_at_their_address),
		TEST(test_callees_are_those_that_stacks_have_shown),
		TEST(test_the_baseline_is_counted_beside),
		TEST(test_addresses_add_up_to_the_row_in_random_windows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
