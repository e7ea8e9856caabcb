/* Demangled names arrive while rows are on the screen: what a row says changes, what it is does
 * not, and filters find it by either name. With a real demangler and its workers. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/snapshot_build.h"
#include "base/clock.h"
#include "elf/file_jobs.h"
#include "elf/flat_builder.h"
#include "model_fixture.h"
#include "unit_tests.h"

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

static struct model_fixture model;
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
	fixture_init(&model);
	lib = fixture_dso(&model, "/lib/shop.so", DSO_LOADING);
	for (uint32_t i = 0; i < NAMES; i++) {
		const uint32_t frame = stack_trie_frame(&model.trie, lib, 0x100 * i + 8);

		flat_builder_add(builder, 0x100 * i, 0x100, names[i], NULL, 0);
		stacks[i] = fixture_stack(&model, &frame, 1);
	}
	if (flat_builder_finish(builder, 1, &table_block, &count) ||
	    flat_table_check(&table, table_block, count, NULL))
		return -1;
	flat_builder_destroy(builder);
	dso_table_set_ready(&model.dsos, lib, &table, &none);
	symbol_names_forget_dso(&model.names, &model.trie, lib);
	return sandbox_start(&sandbox, worker_run, NULL) ||
	       demangler_create(&demangler, sandbox, NULL);
}

static int tear_down(void **state)
{
	(void)state;
	demangler_destroy(demangler);
	sandbox_stop(sandbox);
	fixture_finish(&model);
	free(table_block);
	return 0;
}

static void wait_for_names(void)
{
	struct pollfd ready = { .fd = demangler_fd(demangler), .events = POLLIN };

	while (symbol_names_are_pending(&model.names)) {
		assert_int_equal(poll(&ready, 1, REPLY_LIMIT_MS), 1);
		symbol_names_demangle(&model.names, &model.trie);
	}
}

static void demangle_all(void)
{
	model.names.demangler = demangler;
	symbol_names_demangle(&model.names, &model.trie);
	wait_for_names();
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
						   .task = fixture_task(&model, 1, 1, "shop") };
	fold = fixture_fold_filtered(&model, keys, filter, entries, NAMES);
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
	static const unsigned int keys[] = { KEY_DSO | KEY_SYMBOL, KEY_SYMBOL };

	(void)state;
	for (size_t k = 0; k < 2; k++) {
		struct snapshot *before, *after;

		model.names.demangler = NULL;
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
		samples += snapshot->rows[i].now.self.samples;
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
	assert_int_equal(model.trie.frames.named, model.trie.frames.count);
	for (uint32_t i = 0; i < model.trie.frames.count; i++)
		assert_int_not_equal(model.trie.frames.symbol[i], ID_SET_NONE);
}

static void forget(bool is_used)
{
	unsigned char stacks_used[NAMES], texts_used[256] = { 0 };
	uint32_t renumbered[NAMES];

	memset(stacks_used, is_used, NAMES);
	assert_int_equal(stack_trie_compact(&model.trie, stacks_used, renumbered), 0);
	assert_int_equal(symbol_names_compact(&model.names, &model.trie), 0);
	assert_int_equal(model.names.count, is_used ? NAMES : 0);
	assert_true(strpool_count(model.strings) <= sizeof(texts_used));
	symbol_names_mark_text(&model.names, texts_used);
	dso_table_mark_text(&model.dsos, texts_used);
	strpool_sweep(model.strings, texts_used);
}

/* A reply names its text by the id, which other text gets when that one has gone. */
static void test_a_reply_that_comes_after_all_is_forgotten_is_nobody_elses(void **state)
{
	static const char *const shown[] = {
		"shop::Cart::sum(long)", "a::ab<U+202E>cd", "plain", "shop::Cart::Cart()",
		"shop::Cart::Cart()", "_Z3\\x1b[m",
	};

	(void)state;
	model.names.demangler = demangler;
	symbol_names_demangle(&model.names, &model.trie);
	assert_true(demangler_under_way(demangler) > 0);
	forget(false);
	for (uint32_t i = 0; i < NAMES; i++)
		stack_trie_frame(&model.trie, lib, 0x100 * i + 8);
	symbol_names_demangle(&model.names, &model.trie);
	wait_for_names();
	for (uint32_t i = 0; i < NAMES; i++) {
		const struct symbol *symbol = symbol_names_cached(&model.names, &model.trie, i);

		assert_string_equal(strpool_get(model.strings, symbol->name),
				    i == ESCAPE ? shown[i] : names[i]);
		assert_string_equal(strpool_get(model.strings,
						symbol_names_shown(&model.names, symbol)),
				    shown[i]);
	}
	assert_int_equal(model.names.under_way.used, 0);
}

static void test_both_names_of_what_stays_stay(void **state)
{
	struct snapshot *snapshot;

	(void)state;
	demangle_all();
	forget(true);
	snapshot = build(KEY_SYMBOL, false, &fixture_no_filter);
	assert_string_equal(snapshot->rows[SUM].symbol, "shop::Cart::sum(long)");
	assert_string_equal(snapshot->rows[SUM].raw_symbol, names[SUM]);
	assert_string_equal(snapshot->rows[COMPLETE].symbol, "shop::Cart::Cart()");
	snapshot_destroy(snapshot);
}

static void test_a_table_that_comes_later_is_asked_about_then(void **state)
{
	struct dso *dso = &model.dsos.dsos[lib];
	const struct flat_table table = dso->table;
	const struct build_id none = { .count = 0 };
	struct snapshot *snapshot;

	(void)state;
	dso->state = DSO_LOADING;
	demangle_all();
	assert_int_equal(left_by(FILTER_TEXT, "shop::"), 0);
	dso_table_set_ready(&model.dsos, lib, &table, &none);
	symbol_names_forget_dso(&model.names, &model.trie, lib);
	demangle_all();
	snapshot = build(KEY_SYMBOL, false, &fixture_no_filter);
	assert_string_equal(snapshot->rows[SUM].symbol, "shop::Cart::sum(long)");
	snapshot_destroy(snapshot);
}

static void test_a_name_made_of_an_address_is_not_demangled_and_says_so(void **state)
{
	struct flat_row *rows = (struct flat_row *)model.dsos.dsos[lib].table.rows;
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
	struct dso *dso = &model.dsos.dsos[lib];
	struct flat_row *rows = (struct flat_row *)dso->table.rows;
	const uint32_t name = rows[SUM].name;

	(void)state;
	dso->is_run_time = true;
	rows[SUM].name = rows[PLAIN].name;
	demangle_all();
	assert_int_equal(left_by(FILTER_TEXT, "shop::Cart::sum"), 0);
	rows[SUM].name = name & ((1u << 28) - 1);
	symbol_names_forget_dso(&model.names, &model.trie, lib);
	demangle_all();
	assert_int_equal(left_by(FILTER_TEXT, "shop::Cart::sum"), NAMES - SUM);
}

/* @count functions of which each means 4000 characters: "_Z1f", a type, and it again and again. */
static uint32_t add_stranger(uint32_t count, void **block)
{
	const uint32_t dso = fixture_dso(&model, "/tmp/stranger", DSO_LOADING);
	struct flat_builder *builder = flat_builder_create();
	const struct build_id none = { .count = 0 };
	struct flat_table table;
	char name[512];
	size_t bytes;

	for (uint32_t i = 0; i < count; i++) {
		char *end = name + sprintf(name, "_Z1f99%099u", i + 1);

		name[6] = 'n';		/* an identifier begins with a letter */
		for (uint32_t repeat = 0; repeat < 39; repeat++)
			end = stpcpy(end, "S_");
		flat_builder_add(builder, 0x100 * i, 0x100, name, NULL, 0);
		stack_trie_frame(&model.trie, dso, 0x100 * i);
	}
	assert_int_equal(flat_builder_finish(builder, 1, block, &bytes), 0);
	flat_builder_destroy(builder);
	assert_int_equal(flat_table_check(&table, *block, bytes, NULL), 0);
	dso_table_set_ready(&model.dsos, dso, &table, &none);
	return dso;
}

static const char *shown_at(uint32_t dso, uint64_t address)
{
	const uint32_t frame = stack_trie_frame(&model.trie, dso, address);
	const struct symbol *symbol = symbol_names_cached(&model.names, &model.trie, frame);

	return strpool_get(model.strings, symbol_names_shown(&model.names, symbol));
}

/* What names mean may be longer than they are: it is held to its DSO's share, too. */
static void test_names_that_mean_much_leave_room_for_others(void **state)
{
	enum { STRANGERS = 700, SHARE = SYMBOL_NAMES_TEXT_BYTES / 9 };
	void *block;
	const uint32_t stranger = add_stranger(STRANGERS, &block);

	(void)state;
	demangle_all();
	assert_in_range(model.dsos.dsos[stranger].symbol_text_bytes, SHARE - 5000, SHARE);
	assert_memory_equal(shown_at(stranger, 0), "f(n000", 6);
	assert_int_equal(strlen(shown_at(stranger, 0)), 40 * 99 + 39 * 2 + 3);
	assert_memory_equal(shown_at(stranger, 0x100 * (STRANGERS - 1)), "_Z1f99n000", 10);
	assert_in_range(model.names.refused, STRANGERS / 3, STRANGERS - 1);
	assert_string_equal(shown_at(lib, 8), "shop::Cart::sum(long)");
	free(block);
}

static void forget_all_but_stacks(void)
{
	const uint32_t stack_count = model.trie.stacks.count;
	unsigned char *stacks_used = malloc(stack_count), *texts_used;
	uint32_t *renumbered = malloc(stack_count * sizeof(*renumbered));

	memset(stacks_used, 1, stack_count);
	assert_int_equal(stack_trie_compact(&model.trie, stacks_used, renumbered), 0);
	assert_int_equal(symbol_names_compact(&model.names, &model.trie), 0);
	texts_used = calloc(strpool_count(model.strings), 1);
	symbol_names_mark_text(&model.names, texts_used);
	dso_table_mark_text(&model.dsos, texts_used);
	strpool_sweep(model.strings, texts_used);
	free(texts_used);
	free(renumbered);
	free(stacks_used);
}

static void test_a_name_that_had_no_room_is_asked_for_again_when_others_go(void **state)
{
	enum { STRANGERS = 700, LAST = 0x100 * (STRANGERS - 1) };
	void *block;
	const uint32_t stranger = add_stranger(STRANGERS, &block);
	const uint32_t frame = stack_trie_frame(&model.trie, stranger, LAST);

	(void)state;
	fixture_stack(&model, &frame, 1);
	demangle_all();
	assert_memory_equal(shown_at(stranger, LAST), "_Z1f99n000", 10);
	assert_true(model.names.is_full);
	forget_all_but_stacks();
	assert_memory_equal(shown_at(stranger, LAST), "_Z1f99n000", 10);
	demangle_all();
	assert_memory_equal(shown_at(stranger, LAST), "f(n000", 6);
	assert_string_equal(shown_at(lib, 8), "shop::Cart::sum(long)");
	free(block);
}

/* A frame of @dso in the function that is called names[@name]: is it asked for? */
static bool is_asked_for(uint32_t dso, uint32_t name, uint64_t now_ns, uint64_t snapshot_ns)
{
	stack_trie_frame(&model.trie, dso, 0x100 * name + 8);
	symbol_names_pace(&model.names, now_ns, snapshot_ns);
	symbol_names_demangle(&model.names, &model.trie);
	return demangler_under_way(demangler) == 1;
}

static void test_names_that_come_one_by_one_wait_for_a_second_or_the_frame(void **state)
{
	const uint32_t late = fixture_dso(&model, "/lib/late.so", DSO_LOADING);
	const struct build_id none = { .count = 0 };
	const uint64_t s = CLOCK_NS_PER_S, near_ns = 12 * s - s / 5;

	(void)state;
	dso_table_set_ready(&model.dsos, late, &model.dsos.dsos[lib].table, &none);
	symbol_names_pace(&model.names, 10 * s, 12 * s);
	demangle_all();			/* the first ones at once */
	assert_true(symbol_names_due_ns(&model.names) == UINT64_MAX);

	assert_false(is_asked_for(late, SUM, 10 * s + 1, 12 * s));
	assert_true(symbol_names_are_pending(&model.names));
	assert_true(symbol_names_due_ns(&model.names) == 11 * s);
	assert_true(is_asked_for(late, SUM, 11 * s, 12 * s));
	wait_for_names();

	assert_false(is_asked_for(late, BIDI, near_ns - 1, 12 * s));
	assert_true(symbol_names_due_ns(&model.names) == near_ns);
	assert_true(is_asked_for(late, BIDI, near_ns, 12 * s));
	wait_for_names();

	assert_false(is_asked_for(late, ESCAPE, 12 * s, 14 * s));
	assert_true(is_asked_for(late, ESCAPE, 12 * s, 0));	/* no snapshot is planned */
	wait_for_names();
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_demangled_names)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_row_stays_the_same_when_its_name_changes),
		TEST(test_names_are_raw_until_they_come_and_where_that_is_wanted),
		TEST(test_filters_find_either_name),
		TEST(test_names_are_asked_for_before_a_fold_needs_them),
		TEST(test_a_table_that_comes_later_is_asked_about_then),
		TEST(test_a_symbol_that_was_renamed_is_demangled_anew),
		TEST(test_a_name_made_of_an_address_is_not_demangled_and_says_so),
		TEST(test_names_that_come_one_by_one_wait_for_a_second_or_the_frame),
		TEST(test_names_that_mean_much_leave_room_for_others),
		TEST(test_a_name_that_had_no_room_is_asked_for_again_when_others_go),
		TEST(test_a_reply_that_comes_after_all_is_forgotten_is_nobody_elses),
		TEST(test_both_names_of_what_stays_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
