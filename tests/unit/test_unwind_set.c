/* Unwind tables between the opener, who owns them, and the analyzer, who knows which are used. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "symbols/unwind_set.h"
#include "symbols/unwind_store.h"

#define TABLE_BYTES (sizeof(struct unwind_header) + 100 * sizeof(struct unwind_row))

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
	unwind_set_init(&set, 2 * TABLE_BYTES);
	for (uint64_t inode = 1; inode <= 3; inode++) {
		const struct file_version file = { .inode = inode };
		uint32_t number = unwind_store_add(&store, &file, &none);
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
	uint32_t number, received;

	(void)state;
	assert_non_null(unwind_set_hit(&set, 1));
	assert_true(unwind_set_evict(&set, &number, &received));
	assert_int_equal(number, 2);
	assert_int_equal(received, 1);
	assert_null(unwind_set_hit(&set, 2));
	assert_non_null(unwind_set_hit(&set, 1));
	assert_non_null(unwind_set_hit(&set, 3));
	assert_int_equal(set.bytes, 2 * TABLE_BYTES);
	assert_false(unwind_set_evict(&set, &number, &received));
}

static void test_a_table_larger_than_all_that_fits_stays_alone(void **state)
{
	uint32_t number, received;
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
	assert_int_equal(set.bytes, 3 * TABLE_BYTES);
	assert_int_equal(set.changes, changes);
}

static void test_a_table_that_is_given_back_is_unmapped(void **state)
{
	uint32_t number, received;

	(void)state;
	assert_true(unwind_set_evict(&set, &number, &received));
	unwind_store_drop(&store, number, received);
	assert_null(unwind_store_get(&store, number)->table.header);
	assert_int_equal(store.bytes, 2 * TABLE_BYTES);
}

static void test_a_table_that_is_on_its_way_again_stays(void **state)
{
	struct unwind_table table;
	uint32_t number, received;

	(void)state;
	assert_true(unwind_set_evict(&set, &number, &received));
	assert_int_equal(number, 1);
	unwind_store_get(&store, 1)->given++;	/* crosses what the set gives back */
	unwind_store_drop(&store, 1, received);
	table = unwind_store_get(&store, 1)->table;
	assert_non_null(table.header);
	assert_int_equal(unwind_set_add(&set, 1, &table), 0);
	unwind_store_drop(&store, 1, set.held[0].received);
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
	const struct file_version library = { .inode = 7 }, copy = { .inode = 8 };
	const struct file_version strangers = { .inode = 9 };

	(void)state;
	assert_int_equal(unwind_store_add(&store, &strangers, &none), 4);
	assert_int_equal(unwind_store_find(&store, &library, &id), 0);
	assert_int_equal(unwind_store_add(&store, &library, &id), 5);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, give_three, finish)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_the_table_that_was_hit_longest_ago_goes),
		TEST(test_a_table_larger_than_all_that_fits_stays_alone),
		TEST(test_a_table_that_came_twice_counts_once),
		TEST(test_a_table_that_is_given_back_is_unmapped),
		TEST(test_a_table_that_is_on_its_way_again_stays),
		TEST(test_a_number_stays_that_of_its_file),
		TEST(test_a_build_id_finds_only_what_was_shared),
		TEST(test_what_changed_while_it_was_read_is_found_by_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
