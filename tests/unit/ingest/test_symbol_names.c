/* Frames get their names: at once, later, or never. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf/flat_builder.h"
#include "model_fixture.h"
#include "unit_tests.h"

static struct model_fixture model;

static int set_up(void **state)
{
	(void)state;
	fixture_init(&model);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	fixture_finish(&model);
	return 0;
}

static uint32_t symbol_id(uint32_t dso, uint64_t address)
{
	const uint32_t frame = stack_trie_frame(&model.trie, dso, address);

	return symbol_names_of_frame(&model.names, &model.trie, frame);
}

static const struct symbol *symbol_at(uint32_t dso, uint64_t address)
{
	const uint32_t id = symbol_id(dso, address);	/* may move the symbols */

	return &model.names.symbols[id];
}

static const char *text(struct str_id id)
{
	return strpool_get(model.strings, id);
}

static void test_a_function_reaches_from_its_start_to_its_end(void **state)
{
	const uint32_t f = symbol_id(model.app, 0x1100);

	(void)state;
	assert_int_equal(symbol_id(model.app, 0x11ff), f);
	assert_int_not_equal(symbol_id(model.app, 0x10ff), f);
	assert_int_not_equal(symbol_id(model.app, 0x1200), f);
	assert_string_equal(text(model.names.symbols[f].name), "f");
	assert_string_equal(text(model.names.symbols[f].dso_name), "app");
	assert_string_equal(text(model.names.symbols[f].dso_path), "/bin/app");
	assert_int_equal(model.names.symbols[f].address, 0x1100);
	assert_int_equal(model.names.symbols[f].state, SYMBOL_NAMED);
	assert_int_equal(model.names.symbols[f].mode, MODE_USER);
}

/* Two libraries, stripped, each with code at 0x1200. */
static void test_names_made_of_addresses_tell_their_dsos(void **state)
{
	static const char *const paths[] = { "/lib/libfoo.so", "/lib/libbar.so" };
	static const char *const wanted[] = { "libfoo.so!fn_1200", "libbar.so!fn_1200" };
	const struct build_id none = { .count = 0 };
	void *blocks[2];

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		const uint32_t dso = fixture_dso(&model, paths[i], DSO_LOADING);
		struct flat_builder *builder = flat_builder_create();
		struct flat_table table;
		size_t count;

		assert_int_equal(flat_builder_add_unwind(builder, 0x200, 16, 0x1200), 0);
		assert_int_equal(flat_builder_finish(builder, 1, &blocks[i], &count), 0);
		flat_builder_destroy(builder);
		assert_int_equal(flat_table_check(&table, blocks[i], count, NULL), 0);
		dso_table_set_ready(&model.dsos, dso, &table, &none);
		assert_string_equal(text(symbol_at(dso, 0x208)->name), wanted[i]);
	}
	free(blocks[0]);
	free(blocks[1]);
}

/* Whoever can choose addresses has one row per DSO once there are too many: nothing is lost. */
static void test_a_storm_of_addresses_has_an_end_and_is_counted(void **state)
{
	enum { MORE = 100, SHARE = (SYMBOL_NAMES_ROWS - SYMBOL_NAMES_RESERVE) / 9 };
	uint32_t known, rest, count;

	(void)state;
	known = symbol_id(model.app, 0x1100);
	for (uint64_t i = 0; !model.names.refused; i++)
		symbol_id(model.app, 0x10000 + i);
	assert_in_range(model.names.count, SHARE, SHARE + 3);
	model.names.refused = 0;
	count = model.names.count;
	rest = symbol_id(model.app, 0x7f0000000000);
	for (uint64_t i = 1; i < MORE; i++)
		assert_int_equal(symbol_id(model.app, 0x7f0000000000 + i), rest);
	assert_int_equal(model.names.refused, MORE);
	assert_int_equal(model.names.count, count);
	assert_string_equal(text(model.names.symbols[rest].name), "(no room for more names)");
	assert_string_equal(text(model.names.symbols[rest].dso_name), "app");
	assert_int_equal(symbol_id(model.app, 0x1100), known);
}

/* Looked up again, as code made at run time is each second, an address is still one. */
static void test_an_address_without_room_is_counted_once(void **state)
{
	(void)state;
	for (uint64_t i = 0; !model.names.refused; i++)
		symbol_id(model.app, 0x10000 + i);
	model.names.refused = 0;
	for (int round = 0; round < 3; round++) {
		symbol_names_forget_dso(&model.names, &model.trie, model.app);
		for (uint64_t i = 0; i < 10; i++)
			symbol_id(model.app, 0x7f0000000000 + i);
	}
	assert_int_equal(model.names.refused, 10);
}

/* However many files a stranger fills with code: what others have keeps its names, and what comes
 * later has some. */
static void test_a_strangers_flood_leaves_the_names_of_others(void **state)
{
	enum { FILES = 20 };
	uint32_t known, later;

	(void)state;
	known = symbol_id(model.app, 0x1100);
	for (uint64_t file = 0; file < FILES; file++) {
		char path[32];
		uint32_t dso;

		snprintf(path, sizeof(path), "/tmp/stranger%u", (unsigned int)file);
		dso = fixture_dso(&model, path, DSO_NO_TABLE);
		for (uint64_t i = 0, refused = model.names.refused; model.names.refused == refused;
		     i++)
			symbol_id(dso, i);
	}
	later = fixture_dso(&model, "/bin/later", DSO_NO_TABLE);
	assert_int_equal(model.names.refused, FILES);
	for (uint64_t i = 0; i < 1300; i++)
		symbol_id(later, i);
	assert_int_equal(symbol_id(model.app, 0x1100), known);
	assert_string_equal(text(symbol_at(model.app, 0x1234)->name), "g");
	assert_string_equal(text(symbol_at(later, 0x10)->name), "0x10");
	assert_int_equal(model.names.refused, FILES);
}

/* Each DSO without room has a row that says so, but there is an end to these, too. */
static void test_a_flood_of_many_files_does_not_make_the_table_grow(void **state)
{
	enum { FLOODS = 80, FILES = 6000 };
	const uint32_t known = symbol_id(model.app, 0x1234);
	uint32_t dso = 0;

	(void)state;
	for (uint32_t file = 0; file < FILES; file++) {
		const uint64_t refused = model.names.refused;
		char path[32];

		snprintf(path, sizeof(path), "/tmp/stranger%u", file);
		dso = fixture_dso(&model, path, DSO_NO_TABLE);
		symbol_id(dso, 0);
		for (uint64_t i = 1; file < FLOODS && model.names.refused == refused; i++)
			symbol_id(dso, i);
	}
	assert_int_equal(model.names.capacity, SYMBOL_NAMES_ROWS);
	assert_in_range(model.names.count, SYMBOL_NAMES_ROWS - 10, SYMBOL_NAMES_ROWS - 1);
	assert_string_equal(text(symbol_at(dso, 0)->name), "(no room for more names)");
	assert_string_equal(text(symbol_at(dso, 0)->dso_name), "[unknown]");
	model.dsos.dsos[dso].state = DSO_LET_GO;
	assert_string_equal(text(symbol_at(dso, 1)->name), "(no room for more names)");
	assert_int_equal(model.names.capacity, SYMBOL_NAMES_ROWS);
	assert_int_equal(symbol_id(model.app, 0x1234), known);
}

/* Code made at run time is looked up again each time that its names have changed. */
static void test_names_that_are_looked_up_again_take_no_more_room(void **state)
{
	const uint32_t code = fixture_dso(&model, "//anon", DSO_NO_TABLE);
	const struct flat_table app = model.dsos.dsos[model.app].table;
	size_t before;

	(void)state;
	assert_true(dso_table_set_run_time(&model.dsos, code, &app));
	assert_string_equal(text(symbol_at(code, 0x1100)->name), "f");
	before = model.names.text_bytes;
	for (int i = 0; i < 1000; i++) {
		symbol_names_forget_dso(&model.names, &model.trie, code);
		assert_string_equal(text(symbol_at(code, 0x1100)->name), "f");
	}
	assert_int_equal(model.names.text_bytes, before);
}

enum { RENAMED = 100, NAME_BYTES = 4000 };

/* The names of all functions of @code are others now. The table is the caller's to free. */
static void *rename_all(uint32_t code, uint32_t round)
{
	struct flat_builder *builder = flat_builder_create();
	char name[NAME_BYTES + 1];
	struct flat_table table;
	void *block;
	size_t count;

	memset(name, 'x', NAME_BYTES);
	name[NAME_BYTES] = '\0';
	for (uint32_t i = 0; i < RENAMED; i++) {
		name[snprintf(name, 32, "round%u_function%u", round, i)] = '_';
		assert_int_equal(flat_builder_add(builder, 0x100 * i, 0x100, name, NULL, 0), 0);
	}
	assert_int_equal(flat_builder_finish(builder, 1, &block, &count), 0);
	flat_builder_destroy(builder);
	assert_int_equal(flat_table_check(&table, block, count, NULL), 0);
	assert_true(dso_table_set_run_time(&model.dsos, code, &table));
	symbol_names_forget_dso(&model.names, &model.trie, code);
	for (uint32_t i = 0; i < RENAMED; i++)
		symbol_id(code, 0x100 * i);
	return block;
}

static void give_back_texts(void)
{
	unsigned char *used = calloc(strpool_count(model.strings), 1);

	assert_int_equal(symbol_names_compact(&model.names, &model.trie), 0);
	symbol_names_mark_text(&model.names, used);
	dso_table_mark_text(&model.dsos, used);
	strpool_sweep(model.strings, used);
	free(used);
}

/* A compiler at run time may call its functions otherwise each second. */
static void test_code_that_is_renamed_for_ever_takes_no_more_than_its_share(void **state)
{
	enum { ROUNDS = 40 };
	const uint32_t code = fixture_dso(&model, "//anon", DSO_NO_TABLE);
	void *blocks[ROUNDS];

	(void)state;
	for (uint32_t round = 0; round < ROUNDS; round++)
		blocks[round] = rename_all(code, round);
	assert_in_range(model.names.text_bytes, SYMBOL_NAMES_TEXT_BYTES / 9 - 2 * NAME_BYTES,
			SYMBOL_NAMES_TEXT_BYTES / 9 + NAME_BYTES);
	assert_string_equal(text(symbol_at(code, 0)->name), "(no room for more names)");
	assert_int_equal(model.names.refused, RENAMED);
	assert_true(model.names.is_full);
	give_back_texts();
	symbol_names_forget_dso(&model.names, &model.trie, code);
	assert_memory_equal(text(symbol_at(code, 0)->name), "round39_function0_", 18);
	for (uint32_t round = 0; round < ROUNDS; round++)
		free(blocks[round]);
}

/* What is shown of a control character takes four bytes. */
static void test_text_counts_as_it_is_kept(void **state)
{
	const size_t before = model.names.text_bytes;
	struct flat_row *row = (struct flat_row *)model.dsos.dsos[model.app].table.rows;

	(void)state;
	memcpy((char *)flat_table_name(&model.dsos.dsos[model.app].table, 0), "\1\1\1", 4);
	symbol_id(model.app, row->start);
	assert_int_equal(model.names.text_bytes, before + 3 * 4 + 1);
}

static void test_an_address_without_a_function_stays_an_address(void **state)
{
	const struct symbol *symbol = symbol_at(model.app, 0x5abc);

	(void)state;
	assert_int_equal(symbol->state, SYMBOL_UNKNOWN);
	assert_string_equal(text(symbol->name), "0x5abc");
	assert_int_equal(symbol->address, 0x5abc);
	assert_string_equal(text(symbol->dso_name), "app");
	assert_int_not_equal(symbol_id(model.app, 0x5abd), symbol_id(model.app, 0x5abc));
}

static void test_while_its_table_loads_a_dso_is_one_symbol(void **state)
{
	const uint32_t lib = fixture_dso(&model, "/lib/x.so", DSO_LOADING);
	const uint32_t other = fixture_dso(&model, "/lib/y.so", DSO_LOADING);
	const uint32_t loading = symbol_id(lib, 0x1100);

	(void)state;
	assert_int_equal(symbol_id(lib, 0x7777), loading);
	assert_int_not_equal(symbol_id(other, 0x1100), loading);
	assert_int_equal(model.names.symbols[loading].state, SYMBOL_LOADING);
	assert_string_equal(text(model.names.symbols[loading].name), "");
}

static void test_a_table_that_arrives_names_the_frames_that_were_there(void **state)
{
	const uint32_t lib = fixture_dso(&model, "/lib/x.so", DSO_LOADING);
	const uint32_t app_symbol = symbol_id(model.app, 0x1100);
	const struct dso *app = &model.dsos.dsos[model.app];
	const struct flat_table table = app->table;
	const struct build_id id = { .bytes = { 7 }, .count = 1 };

	(void)state;
	assert_string_equal(text(symbol_at(lib, 0x1210)->name), "");
	dso_table_set_ready(&model.dsos, lib, &table, &id);
	symbol_names_forget_dso(&model.names, &model.trie, lib);
	assert_string_equal(text(symbol_at(lib, 0x1210)->name), "g");
	assert_string_equal(text(symbol_at(lib, 0x1210)->dso_path), "/lib/x.so");
	assert_int_equal(symbol_id(model.app, 0x1100), app_symbol);
}

static void test_one_file_seen_two_ways_has_its_symbols_once(void **state)
{
	const struct dso_key key = { .path = "/bin/app", .path_len = 8, .inode = 99,
					.mode = MODE_USER };
	const struct dso *app = &model.dsos.dsos[model.app];
	const struct flat_table table = app->table;
	const struct build_id id = app->build_id;
	bool is_new;
	const uint32_t again = dso_table_intern(&model.dsos, &key, &is_new);

	(void)state;
	assert_true(is_new);
	dso_table_set_ready(&model.dsos, again, &table, &id);
	assert_int_equal(symbol_id(again, 0x1134), symbol_id(model.app, 0x1101));
	assert_int_equal(symbol_id(again, 0x9999), symbol_id(model.app, 0x9999));
}

/* Both had let their table go for want of room; only one of them has it again. */
static void test_a_copy_names_its_code_while_the_table_of_the_first_is_gone(void **state)
{
	const struct dso_key key = { .path = "/bin/app", .path_len = 8, .inode = 77,
					.mode = MODE_USER };
	const struct flat_table table = model.dsos.dsos[model.app].table;
	const struct build_id id = model.dsos.dsos[model.app].build_id;
	uint32_t copy, before;
	bool is_new;

	(void)state;
	copy = dso_table_intern(&model.dsos, &key, &is_new);
	dso_table_set_ready(&model.dsos, copy, &table, &id);
	assert_int_equal(model.dsos.dsos[copy].canonical, model.app);
	before = symbol_id(copy, 0x1100);
	dso_table_let_go(&model.dsos, model.app);
	dso_table_let_go(&model.dsos, copy);
	dso_table_set_ready(&model.dsos, copy, &table, &id);
	assert_int_equal(model.dsos.dsos[model.app].state, DSO_LET_GO);
	assert_string_equal(text(symbol_at(copy, 0x1200)->name), "g");
	assert_int_equal(symbol_id(copy, 0x1200), symbol_id(copy, 0x1208));
	assert_int_equal(symbol_id(copy, 0x1108), before);
}

static void test_an_unreadable_dso_keeps_its_addresses(void **state)
{
	const uint32_t lib = fixture_dso(&model, "/lib/x.so", DSO_LOADING);

	(void)state;
	dso_table_set_unreadable(&model.dsos, lib, "not ELF");
	assert_int_equal(symbol_at(lib, 0x10)->state, SYMBOL_UNREADABLE);
	assert_string_equal(text(symbol_at(lib, 0x10)->name), "0x10");
}

static void test_a_module_is_the_dso_of_its_functions(void **state)
{
	const struct symbol *symbol = symbol_at(DSO_KERNEL, FIXTURE_EXT4_ADDRESS + 8);

	(void)state;
	assert_string_equal(text(symbol->name), "ext4_read");
	assert_string_equal(text(symbol->dso_name), "[ext4]");
	assert_string_equal(text(symbol->dso_path), "[ext4]");
	symbol = symbol_at(DSO_KERNEL, FIXTURE_SYSCALL_ADDRESS);
	assert_string_equal(text(symbol->dso_name), "[kernel]");
	assert_int_equal(symbol->mode, MODE_KERNEL);
}

static void test_only_the_kernels_idle_loop_is_idle(void **state)
{
	(void)state;
	assert_true(symbol_at(DSO_KERNEL, FIXTURE_IDLE_ADDRESS)->is_idle);
	assert_false(symbol_at(DSO_KERNEL, FIXTURE_SYSCALL_ADDRESS)->is_idle);
	assert_false(symbol_at(model.app, 0x1000)->is_idle);
}

static void test_code_made_at_run_time_is_named_by_its_dso(void **state)
{
	const uint32_t program = fixture_dso(&model, "bpf_prog_1234_x", DSO_IS_SYMBOL);
	const uint32_t symbol = symbol_id(program, 0xffffffffc0100000);

	(void)state;
	assert_int_equal(symbol_id(program, 0xffffffffc0100040), symbol);
	assert_string_equal(text(model.names.symbols[symbol].name), "bpf_prog_1234_x");
	assert_int_equal(model.names.symbols[symbol].state, SYMBOL_NAMED);
}

static void test_a_thousand_symbols_keep_their_ids(void **state)
{
	uint32_t ids[1000];

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		ids[i] = symbol_id(DSO_UNKNOWN, i);
	symbol_names_forget_dso(&model.names, &model.trie, DSO_UNKNOWN);
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(symbol_id(DSO_UNKNOWN, i), ids[i]);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_symbol_names)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_function_reaches_from_its_start_to_its_end),
		TEST(test_names_made_of_addresses_tell_their_dsos),
		TEST(test_code_that_is_renamed_for_ever_takes_no_more_than_its_share),
		TEST(test_text_counts_as_it_is_kept),
		TEST(test_an_address_without_a_function_stays_an_address),
		TEST(test_while_its_table_loads_a_dso_is_one_symbol),
		TEST(test_a_table_that_arrives_names_the_frames_that_were_there),
		TEST(test_one_file_seen_two_ways_has_its_symbols_once),
		TEST(test_a_copy_names_its_code_while_the_table_of_the_first_is_gone),
		TEST(test_an_unreadable_dso_keeps_its_addresses),
		TEST(test_a_module_is_the_dso_of_its_functions),
		TEST(test_only_the_kernels_idle_loop_is_idle),
		TEST(test_code_made_at_run_time_is_named_by_its_dso),
		TEST(test_a_thousand_symbols_keep_their_ids),
		TEST(test_a_storm_of_addresses_has_an_end_and_is_counted),
		TEST(test_an_address_without_room_is_counted_once),
		TEST(test_a_strangers_flood_leaves_the_names_of_others),
		TEST(test_a_flood_of_many_files_does_not_make_the_table_grow),
		TEST(test_names_that_are_looked_up_again_take_no_more_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
