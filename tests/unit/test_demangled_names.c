/* Demangled names arrive while rows are on the screen: what a row says changes, what it is does
 * not, and filters find it by either name. With a real demangler and its workers. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/snapshot_build.h"
#include "model_fixture.h"
#include "symbols/flat_builder.h"

#define REPLY_LIMIT_MS 60000	/* only reached when something hangs */

/* In this order, 256 bytes each. */
static const char *const names[] = {
	"_ZN4shop4Cart3sumEl",		/* shop::Cart::sum(long) */
	"_RNvC1au9abcd_wd7a",		/* a::ab U+202E cd: a character that turns the line round */
	"plain",
	"_ZN4shop4CartC1Ev",		/* shop::Cart::Cart() */
	"_ZN4shop4CartC2Ev",		/* the same */
	"_Z3\033[m",
};
enum { SUM, BIDI, PLAIN, COMPLETE, BASE, ESCAPE, NAMES };

static struct model_fixture world;
static struct sandbox *sandbox;
static struct demangler *demangler;
static void *table_block;
static uint32_t lib, stacks[NAMES];

static int set_up(void **state)
{
	struct flat_builder *builder = flat_builder_create();
	struct build_id none = { .count = 0 };
	struct flat_table table;
	size_t count;

	(void)state;
	fixture_init(&world);
	lib = fixture_object(&world, "/lib/shop.so", OBJECT_LOADING);
	for (uint32_t i = 0; i < NAMES; i++) {
		const uint32_t frame = stack_trie_frame(&world.trie, lib, 0x100 * i + 8);

		flat_builder_add(builder, 0x100 * i, 0x100, names[i], NULL, 0);
		stacks[i] = fixture_stack(&world, &frame, 1);
	}
	if (flat_builder_finish(builder, 1, &table_block, &count) ||
	    flat_table_check(&table, table_block, count, NULL))
		return -1;
	flat_builder_destroy(builder);
	object_table_set_ready(&world.objects, lib, &table, &none);
	symbol_names_forget_object(&world.trie, lib);
	return sandbox_start(&sandbox, NULL) || demangler_create(&demangler, sandbox, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	demangler_destroy(demangler);
	sandbox_stop(sandbox);
	fixture_finish(&world);
	free(table_block);
	return 0;
}

static void demangle_all(void)
{
	struct pollfd ready = { .fd = demangler_fd(demangler), .events = POLLIN };

	world.names.demangler = demangler;
	symbol_names_demangle(&world.names, &world.trie);
	while (symbol_names_are_pending(&world.names)) {
		assert_int_equal(poll(&ready, 1, REPLY_LIMIT_MS), 1);
		symbol_names_demangle(&world.names, &world.trie);
	}
}

/* Each name has one sample more than the next. */
static struct snapshot *build(unsigned int keys, bool raw_names, const struct filter *filter)
{
	const struct row_sources sources = { .raw_names = raw_names };
	const struct snapshot head = { .keys = keys };
	struct slice_entry entries[NAMES];
	struct snapshot *snapshot;
	struct fold fold;

	for (uint32_t i = 0; i < NAMES; i++)
		entries[i] = (struct slice_entry){ .stack = stacks[i], .count = NAMES - i,
						   .weight = NAMES - i,
						   .task = fixture_task(&world, 1, 1, "shop") };
	fold = fixture_fold_filtered(&world, keys, filter, entries, NAMES);
	snapshot = snapshot_build(&head, &fold, &sources);
	assert_non_null(snapshot);
	fold_finish(&fold);
	return snapshot;
}

static void test_a_row_stays_the_same_when_its_name_changes(void **state)
{
	static const char *const shown[] = {
		"shop::Cart::sum(long)", "a::ab<U+202E>cd", "plain", "shop::Cart::Cart()",
		"shop::Cart::Cart()", "_Z3\\x1b[m",
	};
	static const unsigned int keys[] = { KEY_OBJECT | KEY_SYMBOL, KEY_SYMBOL };

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct snapshot *before, *after;

		world.names.demangler = NULL;
		before = build(keys[k], true, &fixture_no_filter);
		demangle_all();
		after = build(keys[k], false, &fixture_no_filter);
		assert_int_equal(before->row_count, NAMES);
		assert_int_equal(after->row_count, NAMES);
		for (uint32_t i = 0; i < NAMES; i++) {
			assert_true(before->rows[i].id == after->rows[i].id);
			assert_string_equal(before->rows[i].symbol, before->rows[i].raw_symbol);
			assert_string_equal(after->rows[i].raw_symbol, before->rows[i].symbol);
			assert_string_equal(after->rows[i].symbol, shown[i]);
			assert_string_equal(after->rows[i].source, "");
		}
		snapshot_destroy(before);
		snapshot_destroy(after);
	}
}

static void test_names_are_raw_until_they_come_and_where_that_is_wanted(void **state)
{
	struct snapshot *snapshot = build(KEY_SYMBOL, false, &fixture_no_filter);

	(void)state;
	assert_string_equal(snapshot->rows[SUM].symbol, names[SUM]);
	snapshot_destroy(snapshot);
	demangle_all();
	snapshot = build(KEY_SYMBOL, true, &fixture_no_filter);
	assert_string_equal(snapshot->rows[SUM].symbol, names[SUM]);
	assert_string_equal(snapshot->rows[SUM].raw_symbol, names[SUM]);
	snapshot_destroy(snapshot);
}

static uint64_t left_by(enum filter_field field, const char *text)
{
	struct filter filter = { .count = 1, .parts = { { .field = field } } };
	struct snapshot *snapshot;
	uint64_t samples = 0;

	strcpy(filter.parts[0].text, text);
	filter.parts[0].hash = filter_hash(text);
	snapshot = build(KEY_SYMBOL, false, &filter);
	for (size_t i = 0; i < snapshot->row_count; i++)
		samples += snapshot->rows[i].self_samples;
	snapshot_destroy(snapshot);
	return samples;
}

static void test_filters_find_either_name(void **state)
{
	(void)state;
	assert_int_equal(left_by(FILTER_TEXT, "shop::Cart"), 0);
	demangle_all();
	assert_int_equal(left_by(FILTER_TEXT, "shop::Cart::sum"), NAMES - SUM);
	assert_int_equal(left_by(FILTER_TEXT, "_ZN4shop4Cart3sum"), NAMES - SUM);
	assert_int_equal(left_by(FILTER_TEXT, "~^shop::Cart::Cart\\(\\)$"),
			 NAMES - COMPLETE + NAMES - BASE);
	assert_int_equal(left_by(FILTER_TEXT, "~^plain$"), NAMES - PLAIN);
	/* Two functions may be called the same: the exact one is the file's name. */
	assert_int_equal(left_by(FILTER_SYMBOL, names[BASE]), NAMES - BASE);
	assert_int_equal(left_by(FILTER_SYMBOL, "shop::Cart::Cart()"), 0);
}

static void test_names_are_asked_for_before_a_fold_needs_them(void **state)
{
	(void)state;
	demangle_all();
	assert_int_equal(world.trie.frames.named, world.trie.frames.count);
	for (uint32_t i = 0; i < world.trie.frames.count; i++)
		assert_int_not_equal(world.trie.frames.symbol[i], ID_SET_NONE);
}

static void test_a_table_that_comes_later_is_asked_about_then(void **state)
{
	struct object *object = &world.objects.objects[lib];
	const struct flat_table table = object->table;
	const struct build_id none = { .count = 0 };
	struct snapshot *snapshot;

	(void)state;
	object->state = OBJECT_LOADING;
	demangle_all();
	assert_int_equal(left_by(FILTER_TEXT, "shop::"), 0);
	object_table_set_ready(&world.objects, lib, &table, &none);
	symbol_names_forget_object(&world.trie, lib);
	demangle_all();
	snapshot = build(KEY_SYMBOL, false, &fixture_no_filter);
	assert_string_equal(snapshot->rows[SUM].symbol, "shop::Cart::sum(long)");
	snapshot_destroy(snapshot);
}

static void test_a_name_made_of_an_address_is_not_demangled_and_says_so(void **state)
{
	struct flat_row *rows = (struct flat_row *)world.objects.objects[lib].table.rows;
	struct snapshot *snapshot;

	(void)state;
	rows[SUM].kind = FLAT_UNWIND;
	demangle_all();
	snapshot = build(KEY_SYMBOL, false, &fixture_no_filter);
	assert_string_equal(snapshot->rows[SUM].symbol, "shop.so!_ZN4shop4Cart3sumEl");
	assert_true(snapshot->rows[SUM].is_synthetic);
	assert_false(snapshot->rows[PLAIN].is_synthetic);
	assert_int_equal(snapshot->rows[SUM].state, SYMBOL_NAMED);
	snapshot_destroy(snapshot);
}

/* Code made at run time: what replaces it at its address is asked for, too. */
static void test_a_symbol_that_was_renamed_is_demangled_anew(void **state)
{
	struct object *object = &world.objects.objects[lib];
	struct flat_row *rows = (struct flat_row *)object->table.rows;
	const uint32_t name = rows[SUM].name;

	(void)state;
	object->is_run_time = true;
	rows[SUM].name = rows[PLAIN].name;
	demangle_all();
	assert_int_equal(left_by(FILTER_TEXT, "shop::Cart::sum"), 0);
	rows[SUM].name = name & ((1u << 28) - 1);
	symbol_names_forget_object(&world.trie, lib);
	demangle_all();
	assert_int_equal(left_by(FILTER_TEXT, "shop::Cart::sum"), NAMES - SUM);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_row_stays_the_same_when_its_name_changes),
		TEST(test_names_are_raw_until_they_come_and_where_that_is_wanted),
		TEST(test_filters_find_either_name),
		TEST(test_names_are_asked_for_before_a_fold_needs_them),
		TEST(test_a_table_that_comes_later_is_asked_about_then),
		TEST(test_a_symbol_that_was_renamed_is_demangled_anew),
		TEST(test_a_name_made_of_an_address_is_not_demangled_and_says_so),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
