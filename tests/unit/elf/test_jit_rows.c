/* Rows of run-time code: the last word on an address holds. By hand, and against a plain search of
 * all words, backwards. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "jit_fixture.h"
#include "random_numbers.h"
#include "unit_tests.h"

static struct jit_rows *rows;
static struct jit_names names;

static int set_up(void **state)
{
	(void)state;
	rows = jit_rows_create();
	memset(&names, 0, sizeof(names));
	return !rows;
}

static int tear_down(void **state)
{
	(void)state;
	jit_rows_destroy(rows);
	jit_fixture_finish(&names);
	return 0;
}

static void add(uint64_t start, uint64_t size, const char *name)
{
	assert_int_equal(jit_rows_add(rows, start, size, name, strlen(name)), 0);
}

static void finish(void)
{
	size_t count;
	void *bytes;

	assert_int_equal(jit_rows_finish(rows, 77, &bytes, &count), 0);
	jit_fixture_take(&names, bytes, count);
}

static void expect(uint64_t address, const char *name)
{
	assert_string_equal(jit_fixture_name(&names, address), name);
}

static void expect_row(uint32_t row, uint64_t start, uint32_t size, const char *name)
{
	assert_int_equal(names.tables.names.rows[row].start, start);
	assert_int_equal(names.tables.names.rows[row].size, size);
	assert_string_equal(flat_table_name(&names.tables.names, row), name);
}

static void test_the_last_word_holds_and_leaves_what_it_does_not_cover(void **state)
{
	(void)state;
	add(100, 100, "old");
	add(140, 20, "new");
	finish();
	assert_int_equal(names.tables.names.header->row_count, 3);
	expect_row(0, 100, 40, "old");
	expect_row(1, 140, 20, "new");
	expect_row(2, 160, 40, "old");
	expect(99, "");
	expect(200, "");
}

static void test_a_word_inside_a_later_one_is_gone(void **state)
{
	(void)state;
	add(140, 20, "old");
	add(100, 100, "new");
	finish();
	assert_int_equal(names.tables.names.header->row_count, 1);
	expect_row(0, 100, 100, "new");
}

static void test_neighbours_stay_two(void **state)
{
	(void)state;
	add(100, 10, "same");
	add(110, 10, "same");
	finish();
	assert_int_equal(names.tables.names.header->row_count, 2);
}

static void test_what_says_nothing_is_counted(void **state)
{
	(void)state;
	add(100, 0, "no_size");
	add(UINT64_MAX - 5, 10, "wraps");
	add(100, 1ull << 32, "too_large");
	add(100, 10, "");
	jit_rows_skip(rows);
	add(UINT64_MAX - 10, 10, "the last bytes");
	finish();
	assert_int_equal(names.tables.reply->skipped, 5);
	assert_int_equal(names.tables.reply->read_bytes, 77);
	assert_int_equal(names.tables.names.header->row_count, 1);
	expect(UINT64_MAX - 1, "the last bytes");
}

static void test_code_that_moved_is_named_in_both_places(void **state)
{
	(void)state;
	add(100, 10, "first");
	add(100, 10, "second");
	assert_int_equal(jit_rows_add_moved(rows, 100, 500, 10), 0);
	assert_int_equal(jit_rows_add_moved(rows, 105, 600, 10), 0);	/* nothing began there */
	finish();
	expect(109, "second");
	expect(509, "second");
	expect(600, "");
	assert_int_equal(names.tables.reply->skipped, 1);
}

static void test_long_names_are_cut(void **state)
{
	char *name = malloc(JIT_NAME_BYTES + 100);

	(void)state;
	memset(name, 'x', JIT_NAME_BYTES + 100);
	assert_int_equal(jit_rows_add(rows, 100, 10, name, JIT_NAME_BYTES + 100), 0);
	finish();
	free(name);
	assert_int_equal(strlen(flat_table_name(&names.tables.names, 0)), JIT_NAME_BYTES);
}

static void test_a_name_ends_at_its_nul(void **state)
{
	(void)state;
	assert_int_equal(jit_rows_add(rows, 100, 10, "ab\0cd", 5), 0);
	finish();
	expect(100, "ab");
}

static void test_no_words_are_an_empty_table(void **state)
{
	(void)state;
	finish();
	assert_int_equal(names.tables.names.header->row_count, 0);
	expect(100, "");
}

/* What was known before is older than everything that follows. */
static void test_names_go_on_from_an_earlier_reply(void **state)
{
	struct jit_names before;
	struct diag why = { .err = 0 };
	int fd;

	(void)state;
	add(100, 100, "old");
	add(300, 0, "nothing");
	finish();
	before = names;
	fd = jit_fixture_file(before.bytes, before.count);
	jit_rows_destroy(rows);
	rows = jit_rows_create();
	assert_int_equal(jit_rows_add_reply(rows, fd, &why), 0);
	close(fd);
	add(150, 100, "new");
	finish();
	jit_fixture_finish(&before);
	expect(149, "old");
	expect(150, "new");
	expect(249, "new");
	assert_int_equal(names.tables.reply->skipped, 1);
}

static void test_a_damaged_reply_is_refused(void **state)
{
	struct diag why = { .err = 0 };
	char bytes[200] = "no table";
	struct jit_tables tables;
	int fd = jit_fixture_file(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(jit_rows_add_reply(rows, fd, &why), -EBADMSG);
	close(fd);
	assert_int_equal(jit_reply_check(&tables, bytes, 15, &why), -EBADMSG);
	assert_int_equal(jit_reply_check(&tables, bytes, 200, &why), -EBADMSG);
	finish();
}

#define WORDS	 200
#define ADDRESSES 1000

/* 300 times 200 words on 1000 addresses: each address is asked of all words, the last one first. */
static void test_random_words_equal_a_plain_search(void **state)
{
	uint64_t seed = 4711;
	uint32_t start[WORDS], size[WORDS];
	char name[16];

	for (int round = 0; round < 300; round++) {
		for (uint32_t w = 0; w < WORDS; w++) {
			start[w] = random_below(&seed, ADDRESSES);
			size[w] = 1 + random_below(&seed, round % 3 ? 10 : 300);
			snprintf(name, sizeof(name), "%u", w);
			add(start[w], size[w], name);
		}
		finish();
		for (uint32_t a = 0; a < ADDRESSES + 300; a++) {
			uint32_t w = WORDS;

			while (w && !(a >= start[w - 1] && a < start[w - 1] + size[w - 1]))
				w--;
			snprintf(name, sizeof(name), "%u", w - 1);
			expect(a, w ? name : "");
		}
		tear_down(state);
		set_up(state);
	}
	finish();
}

UNIT_TESTS(test_jit_rows)
{
	const struct CMUnitTest tests[] = {
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
		TEST(test_the_last_word_holds_and_leaves_what_it_does_not_cover),
		TEST(test_a_word_inside_a_later_one_is_gone),
		TEST(test_neighbours_stay_two),
		TEST(test_what_says_nothing_is_counted),
		TEST(test_code_that_moved_is_named_in_both_places),
		TEST(test_long_names_are_cut),
		TEST(test_a_name_ends_at_its_nul),
		TEST(test_no_words_are_an_empty_table),
		TEST(test_names_go_on_from_an_earlier_reply),
		TEST(test_a_damaged_reply_is_refused),
		TEST(test_random_words_equal_a_plain_search),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
