/* The counts of a listing in every window: live, past, compared, filtered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf/flat_builder.h"
#include "publisher_fixture.h"
#include "random_numbers.h"
#include "unit_tests.h"

#define APP_ADDRESS 0x400000ull
#define APP_BYTES   0x1000u

static void *table_bytes;

/* /bin/app has the functions hot at 0x100, its cold part at 0x800, and cool at 0x400. */
static void name_functions(void)
{
	struct flat_builder *builder = flat_builder_create();
	struct dso *dso = feed_dso(&feed, "/bin/app");
	struct flat_table table;
	size_t bytes;
	struct diag why;

	assert_non_null(builder);
	assert_non_null(dso);
	flat_builder_add(builder, 0x100, 0x100, "hot", NULL, 0);
	flat_builder_add(builder, 0x400, 0x100, "cool", NULL, 0);
	flat_builder_add(builder, 0x800, 0x40, "hot.cold", NULL, 0);
	assert_int_equal(flat_builder_finish(builder, 1, &table_bytes, &bytes), 0);
	flat_builder_destroy(builder);
	assert_int_equal(flat_table_check(&table, table_bytes, bytes, &why), 0);
	dso_table_set_ready(&feed.ingest.dsos, (uint32_t)(dso - feed.ingest.dsos.dsos), &table,
			    &table.header->build_id);
	symbol_names_forget_dso(&feed.ingest.names, &feed.ingest.trie,
				(uint32_t)(dso - feed.ingest.dsos.dsos));
}

static int set_up(void **state)
{
	publisher_fixture_set_up(state);
	strcpy(config.query.listing_name, "hot");
	config.memory_bytes = ANALYZER_DEFAULT_MEMORY_BYTES;
	for (uint32_t pid = 1; pid <= 2; pid++) {
		feed_comm(&feed, S, pid, pid, pid == 1 ? "app" : "other", true);
		feed_mmap(&feed, S, pid, APP_ADDRESS, APP_BYTES, 0, "/bin/app");
	}
	return 0;
}

static int tear_down(void **state)
{
	publisher_fixture_tear_down(state);
	free(table_bytes);
	table_bytes = NULL;
	return 0;
}

static void sample(uint64_t tenth, uint32_t pid, uint64_t offset)
{
	feed_sample(&feed, tenth * S / 10, pid, pid, APP_ADDRESS + offset);
}

static const struct snapshot_row *row_of(const struct snapshot *snapshot, const char *symbol)
{
	for (size_t i = 0; i < snapshot->row_count; i++)
		if (!strcmp(snapshot->rows[i].symbol, symbol))
			return &snapshot->rows[i];
	return NULL;
}

static void assert_near(double a, double b)
{
	assert_true(a - b < 1e-6 && b - a < 1e-6);
}

/* The function and its cold part are two rows, and one listing. */
static void assert_adds_up(const struct snapshot *snapshot)
{
	const struct snapshot_row *rows[] = { row_of(snapshot, "hot"),
					      row_of(snapshot, "hot.cold") };
	const struct listing *listing = snapshot->listing;
	struct load now = { 0, 0 }, base = { 0, 0 };

	assert_non_null(listing);
	for (int i = 0; i < 2; i++) {
		if (!rows[i])
			continue;
		load_add(&now, &rows[i]->now.self);
		load_add(&base, &rows[i]->base.self);
	}
	assert_int_equal(listing->now[0].samples, now.samples);
	assert_near(listing->now[0].weight, now.weight);
	assert_near(listing->all_weight[0],
		    snapshot->is_relative ? snapshot->shown_weight : snapshot->weight);
	assert_int_equal(listing->base[0].samples, base.samples);
	assert_string_equal(listing->symbol, "hot");
}

static void fill_randomly(uint64_t *random)
{
	static const uint32_t begins[] = { 0x100, 0x400, 0x800, 0x100 };

	for (uint64_t tenth = 20; tenth < 320; tenth++)
		for (uint32_t i = random_below(random, 4); i > 0; i--)
			sample(tenth, 1 + random_below(random, 2),
			       begins[random_below(random, 4)] + random_below(random, 0x40));
	feed_round(&feed, 32 * S);
	name_functions();
}

static void test_it_adds_up_in_random_windows(void **state)
{
	uint64_t random = 7;

	(void)state;
	fill_randomly(&random);
	for (int round = 0; round < 60; round++) {
		const uint64_t begin = 20 + random_below(&random, 250);
		const uint64_t end = begin + 1 + random_below(&random, 60);
		struct filter_part part;
		struct snapshot *snapshot;
		struct diag why;

		config.query.filter.count = 0;
		config.query.is_relative = round % 5 < 2;
		if (round % 3 == 1) {
			assert_int_equal(filter_parse_text("!other", &part, &why), 0);
			assert_int_equal(filter_add(&config.query.filter, &part, &why), 0);
		}
		config.window = round % 2 ? WINDOW_DECAY : WINDOW_SECONDS;
		config.window_ns = (1 + random_below(&random, 20)) * S;
		if (round % 4 < 2)
			publisher_freeze(&publisher, begin * S / 10, end * S / 10);
		else
			publisher_freeze(&publisher, 0, 0);
		snapshot = publisher_fixture_make();
		assert_adds_up(snapshot);
		snapshot_destroy(snapshot);
	}
}

static void test_it_adds_up_beside_a_baseline(void **state)
{
	uint64_t random = 11;

	(void)state;
	fill_randomly(&random);
	config.query.compare = true;
	for (int round = 0; round < 20; round++) {
		const uint64_t begin = 20 + random_below(&random, 200);
		struct snapshot *snapshot;

		publisher_mark(&publisher, begin * S / 10, (begin + 30) * S / 10, false);
		publisher_freeze(&publisher, (begin + 20) * S / 10, (begin + 60) * S / 10);
		snapshot = publisher_fixture_make();
		assert_true(snapshot->is_compared && snapshot->listing->is_compared);
		assert_adds_up(snapshot);
		snapshot_destroy(snapshot);
	}
}

static void test_a_name_that_nothing_has_is_refused(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	sample(20, 1, 0x110);
	feed_round(&feed, 3 * S);
	name_functions();
	strcpy(config.query.listing_name, "/bin/app:nothing");
	snapshot = publisher_fixture_make();
	assert_int_equal(snapshot->listing->state, LISTING_REFUSED);
	assert_string_equal(snapshot->listing->reason,
			    "no function named /bin/app:nothing is known");
	assert_int_equal(snapshot->listing->event_count, 1);	/* rows have numbers: 0 */
	snapshot_destroy(snapshot);
	feed_dso(&feed, "/bin/app")->is_asked = true;
	snapshot = publisher_fixture_make();
	assert_string_equal(snapshot->listing->reason,
			    "no function named /bin/app:nothing is known; files still to be read: "
			    "1; --batch=2 lists it again");
	snapshot_destroy(snapshot);
}

static void test_a_function_without_samples_is_found_by_its_name(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	sample(20, 1, 0x110);
	feed_round(&feed, 3 * S);
	name_functions();
	strcpy(config.query.listing_name, "app:cool");
	snapshot = publisher_fixture_make();
	assert_string_equal(snapshot->listing->symbol, "cool");
	assert_int_equal(snapshot->listing->now[0].samples, 0);
	snapshot_destroy(snapshot);
}

static void test_a_function_is_found_by_an_address_in_it(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	sample(20, 1, 0x110);
	sample(20, 1, 0x810);
	sample(20, 1, 0x410);
	feed_round(&feed, 3 * S);
	name_functions();
	config.query.listing_name[0] = '\0';
	config.query.listing = (struct source_request){
		0x1f0, (uint32_t)(feed_dso(&feed, "/bin/app") - feed.ingest.dsos.dsos),
	};
	snapshot = publisher_fixture_make();
	assert_string_equal(snapshot->listing->symbol, "hot");
	assert_string_equal(snapshot->listing->dso, "app");
	assert_int_equal(snapshot->listing->function.section_count, 2);
	assert_int_equal(snapshot->listing->now[0].samples, 2);
	assert_int_equal(snapshot->listing->address_count, 2);
	assert_int_equal(snapshot->listing->addresses[1].address, 0x810);
	snapshot_destroy(snapshot);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_listing_windows)
{
	const struct CMUnitTest tests[] = {
		TEST(test_it_adds_up_in_random_windows),
		TEST(test_it_adds_up_beside_a_baseline),
		TEST(test_a_name_that_nothing_has_is_refused),
		TEST(test_a_function_without_samples_is_found_by_its_name),
		TEST(test_a_function_is_found_by_an_address_in_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
