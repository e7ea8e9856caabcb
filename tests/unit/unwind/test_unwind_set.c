/* Unwind tables between the opener, who owns them, and the analyzer, who knows which are used. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "symbols/unwind_store.h"
#include "unit_tests.h"
#include "unwind/unwind_set.h"

#define TABLE_BYTES (sizeof(struct unwind_header) + 100 * sizeof(struct unwind_row))

#define HELD_BYTES (TABLE_BYTES + UNWIND_SET_TABLE_BYTES)

static struct unwind_set set;
static struct unwind_store store;
static const struct build_id none;

/* Tables of 100 rows, of which only the sizes count here. */
static struct unwind_table make_table(struct sandbox_bytes *bytes)
{
	const struct unwind_header header = { .row_count = 100 };
	void *at = mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			0);

	assert_true(at != MAP_FAILED);
	memcpy(at, &header, sizeof(header));
	*bytes = (struct sandbox_bytes){ at, TABLE_BYTES };
	return (struct unwind_table){ at, (const void *)((const char *)at + sizeof(header)) };
}

/* Three tables in the store, numbered 1 to 3, each given to a set for two of them. */
static int give_three(void **state)
{
	(void)state;
	unwind_set_init(&set, 2 * HELD_BYTES);
	for (uint64_t inode = 1; inode <= 3; inode++) {
		const struct file_version file = { .inode = inode };
		uint64_t number = unwind_store_add(&store, &file, &none);
		struct sandbox_bytes bytes;
		struct unwind_table table = make_table(&bytes);

		assert_int_equal(number, inode);
		unwind_store_fill(&store, number, &table, &bytes);
		unwind_store_get(&store, number)->given++;
		assert_int_equal(unwind_set_add(&set, number, &table), 0);
	}
	return 0;
}

static int finish(void **state)
{
	(void)state;
	unwind_set_finish(&set);
	unwind_store_finish(&store);
	return 0;
}

static void test_the_table_that_was_hit_longest_ago_goes(void **state)
{
	uint64_t number;
	uint32_t received;

	(void)state;
	assert_non_null(unwind_set_hit(&set, 1));
	assert_true(unwind_set_evict(&set, &number, &received));
	assert_int_equal(number, 2);
	assert_int_equal(received, 1);
	assert_null(unwind_set_hit(&set, 2));
	assert_non_null(unwind_set_hit(&set, 1));
	assert_non_null(unwind_set_hit(&set, 3));
	assert_int_equal(set.tables.bytes, 2 * HELD_BYTES);
	assert_false(unwind_set_evict(&set, &number, &received));
}

static void test_a_table_larger_than_all_that_fits_stays_alone(void **state)
{
	uint64_t number;
	uint32_t received;
	int evicted = 0;

	(void)state;
	set.bytes_max = 1;
	while (unwind_set_evict(&set, &number, &received))
		evicted++;
	assert_int_equal(evicted, 2);
	assert_non_null(unwind_set_hit(&set, 3));
}

static void test_a_table_that_came_twice_counts_once(void **state)
{
	const struct unwind_table *table = unwind_set_hit(&set, 3);
	const uint64_t changes = set.changes;

	(void)state;
	assert_int_equal(unwind_set_add(&set, 3, table), 0);
	assert_int_equal(set.tables.bytes, 3 * HELD_BYTES);
	assert_int_equal(set.changes, changes);
}

static void test_a_table_that_is_given_back_is_unmapped(void **state)
{
	uint64_t number;
	uint32_t received;

	(void)state;
	assert_true(unwind_set_evict(&set, &number, &received));
	unwind_store_drop(&store, number, received);
	assert_null(unwind_store_get(&store, number)->table.header);
	assert_int_equal(store.bytes, 2 * TABLE_BYTES);
}

static void test_a_table_that_is_on_its_way_again_stays(void **state)
{
	struct unwind_table table;
	uint64_t number;
	uint32_t received;

	(void)state;
	assert_true(unwind_set_evict(&set, &number, &received));
	assert_int_equal(number, 1);
	unwind_store_get(&store, 1)->given++;	/* crosses what the set gives back */
	unwind_store_drop(&store, 1, received);
	table = unwind_store_get(&store, 1)->table;
	assert_non_null(table.header);
	assert_int_equal(unwind_set_add(&set, 1, &table), 0);
	unwind_store_drop(&store, 1, set.tables.held[0].received);
	assert_null(unwind_store_get(&store, 1)->table.header);
}

static void test_a_number_stays_that_of_its_file(void **state)
{
	const struct file_version file = { .inode = 2 }, other = { .inode = 2, .ctime_ns = 1 };

	(void)state;
	assert_int_equal(unwind_store_find(&store, &file, &none), 2);
	assert_int_equal(unwind_store_find(&store, &other, &none), 0);
	unwind_store_drop(&store, 2, 1);
	assert_int_equal(unwind_store_find(&store, &file, &none), 2);
}

static void test_a_build_id_finds_only_what_was_shared(void **state)
{
	const struct build_id id = { .bytes = { 1, 2, 3 }, .count = 3 };
	const uint64_t mtime_ns = 2000000000;
	const struct file_version library = { .inode = 7, .mtime_ns = mtime_ns };
	const struct file_version copy = { .inode = 8, .mtime_ns = mtime_ns };
	const struct file_version other = { .inode = 8, .mtime_ns = mtime_ns + 1 };
	const struct file_version strangers = { .inode = 9, .mtime_ns = mtime_ns };

	(void)state;
	assert_int_equal(unwind_store_add(&store, &strangers, &none), 4);
	assert_int_equal(unwind_store_find(&store, &library, &id), 0);
	assert_int_equal(unwind_store_add(&store, &library, &id), 5);
	assert_int_equal(unwind_store_find(&store, &other, &id), 0);
	assert_int_equal(unwind_store_find(&store, &copy, &id), 5);
	assert_int_equal(unwind_store_find(&store, &copy, &none), 5);	/* known by now */
	assert_int_equal(unwind_store_find(&store, &strangers, &none), 4);
}

static void test_what_changed_while_it_was_read_is_found_by_nobody(void **state)
{
	const struct build_id id = { .bytes = { 1, 2, 3 }, .count = 3 };
	const struct file_version file = { .inode = 7 };

	(void)state;
	assert_int_equal(unwind_store_add(&store, NULL, &id), 4);
	assert_int_equal(unwind_store_find(&store, &file, &id), 0);
}

/* One file more, read and found unreadable. */
static uint64_t fail_one(uint64_t inode)
{
	const struct file_version file = { .inode = inode };
	const struct build_id id = { .bytes = { (uint8_t)inode, (uint8_t)(inode >> 8) },
				     .count = 2 };
	const uint64_t number = unwind_store_add(&store, &file, &id);

	unwind_store_fail(&store, number, &(struct diag){ .err = -EINVAL });
	return number;
}

static void test_files_without_end_take_the_rows_of_those_that_went_first(void **state)
{
	const struct file_version second = { .inode = 2 }, third = { .inode = 3 };
	const struct file_version tenth = { .inode = 10 };
	struct unwind_table table;
	struct sandbox_bytes bytes;
	uint64_t number;

	(void)state;
	unwind_store_drop(&store, 2, 1);
	for (uint64_t inode = 4; inode < 4 + 5 * UNWIND_STORE_IDLE_MAX; inode++)
		number = fail_one(inode);
	assert_int_equal(store.table_count, 3 + UNWIND_STORE_IDLE_MAX - 1);
	assert_true(store.file_capacity < 4 * UNWIND_STORE_IDLE_MAX);
	assert_true(id_map_bytes(&store.by_build_id) < 1 << 20);
	assert_int_equal(unwind_store_find(&store, &third, &none), 3);	/* it is in use */
	assert_int_equal(unwind_store_find(&store, &second, &none), 0);
	assert_int_equal(unwind_store_find(&store, &tenth, &none), 0);

	number = unwind_store_add(&store, &second, &none);
	assert_int_not_equal(number, 2);
	table = make_table(&bytes);
	unwind_store_fill(&store, number, &table, &bytes);
	assert_int_equal(unwind_store_find(&store, &second, &none), number);
}

static void test_a_number_is_lost_when_its_row_is_another_tables(void **state)
{
	const struct file_version file = { .inode = 4 };
	struct sandbox_bytes bytes;
	struct unwind_table table;
	uint64_t number, gone;
	uint32_t received;

	(void)state;
	set.bytes_max = 1;
	assert_true(unwind_set_evict(&set, &gone, &received));
	assert_int_equal(gone, 1);
	unwind_store_drop(&store, gone, received);
	for (uint64_t inode = 10; store.idle_count < UNWIND_STORE_IDLE_MAX; inode++)
		fail_one(inode);
	assert_false(unwind_set_is_lost(&set, gone));

	number = unwind_store_add(&store, &file, &none);
	assert_int_equal((uint32_t)number, (uint32_t)gone);
	table = make_table(&bytes);
	unwind_store_fill(&store, number, &table, &bytes);
	unwind_store_drop(&store, gone, received);	/* is not meant */
	unwind_store_get(&store, number)->given++;
	assert_int_equal(unwind_set_add(&set, number, &table), 0);
	assert_true(unwind_set_is_lost(&set, gone));
	assert_null(unwind_set_hit(&set, gone));
	assert_ptr_equal(unwind_set_hit(&set, number)->header, table.header);
	assert_ptr_equal(unwind_store_get(&store, number)->table.header, table.header);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, give_three, finish)

UNIT_TESTS(test_unwind_set)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_table_that_was_hit_longest_ago_goes),
		TEST(test_a_table_larger_than_all_that_fits_stays_alone),
		TEST(test_a_table_that_came_twice_counts_once),
		TEST(test_a_table_that_is_given_back_is_unmapped),
		TEST(test_a_table_that_is_on_its_way_again_stays),
		TEST(test_a_number_stays_that_of_its_file),
		TEST(test_files_without_end_take_the_rows_of_those_that_went_first),
		TEST(test_a_number_is_lost_when_its_row_is_another_tables),
		TEST(test_a_build_id_finds_only_what_was_shared),
		TEST(test_what_changed_while_it_was_read_is_found_by_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
