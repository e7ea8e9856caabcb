/* Mappings by hand, and at random against an array with one cell per address. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "proc/process_reader.h"
#include "random_numbers.h"
#include "unit_tests.h"

static void insert(struct process_maps **map, uint64_t start, uint64_t end, uint64_t file_offset,
		   uint32_t dso)
{
	const struct mapping row = { .start = start, .end = end, .file_offset = file_offset,
				     .dso = dso };

	assert_int_equal(process_maps_insert(map, &row), 0);
}

static void assert_row(const struct process_maps *map, uint32_t at, uint64_t start, uint64_t end,
		       uint64_t file_offset, uint32_t dso)
{
	assert_true(at < map->count);
	assert_int_equal(map->rows[at].start, start);
	assert_int_equal(map->rows[at].end, end);
	assert_int_equal(map->rows[at].file_offset, file_offset);
	assert_int_equal(map->rows[at].dso, dso);
}

static void test_a_mapping_holds_its_first_address_and_not_its_end(void **state)
{
	struct process_maps *map = process_maps_create();

	(void)state;
	insert(&map, 0x1000, 0x2000, 0x400, 7);
	assert_null(process_maps_find(map, 0xfff));
	assert_int_equal(process_maps_find(map, 0x1000)->dso, 7);
	assert_int_equal(process_maps_find(map, 0x1fff)->dso, 7);
	assert_null(process_maps_find(map, 0x2000));
	assert_null(process_maps_find(map, UINT64_MAX));
	process_maps_release(map);
}

static void test_a_frame_is_a_file_offset_or_the_address_itself(void **state)
{
	const struct mapping file = { .start = 0x7f0000, .end = 0x7f9000, .file_offset = 0x2000 };
	const struct mapping memory = { .start = 0x7f0000, .end = 0x7f9000, .is_absolute = true };

	(void)state;
	assert_int_equal(mapping_frame_address(&file, 0x7f0010), 0x2010);
	assert_int_equal(mapping_frame_address(&memory, 0x7f0010), 0x7f0010);
}

/*   old   [1000 ........ 5000)  at offset 10000      new inside:
 *   new         [2000 3000)                          three pieces, the last at offset 12000 */
static void test_a_mapping_inside_another_splits_it(void **state)
{
	struct process_maps *map = process_maps_create();

	(void)state;
	insert(&map, 0x1000, 0x5000, 0x10000, 1);
	insert(&map, 0x2000, 0x3000, 0x70000, 2);
	assert_int_equal(map->count, 3);
	assert_row(map, 0, 0x1000, 0x2000, 0x10000, 1);
	assert_row(map, 1, 0x2000, 0x3000, 0x70000, 2);
	assert_row(map, 2, 0x3000, 0x5000, 0x12000, 1);
	assert_int_equal(mapping_frame_address(process_maps_find(map, 0x3004), 0x3004), 0x12004);
	process_maps_release(map);
}

static void test_a_mapping_cuts_its_neighbours_and_swallows_what_is_between(void **state)
{
	struct process_maps *map = process_maps_create();

	(void)state;
	insert(&map, 0x1000, 0x3000, 0x100, 1);
	insert(&map, 0x4000, 0x5000, 0, 2);
	insert(&map, 0x6000, 0x9000, 0x900, 3);
	insert(&map, 0x2000, 0x7000, 0x5000, 4);
	assert_int_equal(map->count, 3);
	assert_row(map, 0, 0x1000, 0x2000, 0x100, 1);
	assert_row(map, 1, 0x2000, 0x7000, 0x5000, 4);
	assert_row(map, 2, 0x7000, 0x9000, 0x1900, 3);
	process_maps_release(map);
}

static void test_touching_and_equal_ranges_leave_no_empty_piece(void **state)
{
	struct process_maps *map = process_maps_create();

	(void)state;
	insert(&map, 0x2000, 0x3000, 0, 1);
	insert(&map, 0x1000, 0x2000, 0, 2);	/* touches from below */
	insert(&map, 0x3000, 0x4000, 0, 3);	/* and from above */
	assert_int_equal(map->count, 3);
	insert(&map, 0x2000, 0x3000, 0x50, 4);	/* exactly in its place */
	assert_int_equal(map->count, 3);
	assert_row(map, 1, 0x2000, 0x3000, 0x50, 4);
	insert(&map, 0x1000, 0x1800, 0, 5);	/* the same start */
	assert_row(map, 1, 0x1800, 0x2000, 0x800, 2);
	insert(&map, 0x3800, 0x4000, 0, 6);	/* the same end */
	assert_row(map, 3, 0x3000, 0x3800, 0, 3);
	assert_row(map, 4, 0x3800, 0x4000, 0, 6);
	assert_int_equal(map->count, 5);
	process_maps_release(map);
}

static void test_empty_and_backward_ranges_are_refused(void **state)
{
	const struct mapping empty = { .start = 0x1000, .end = 0x1000 };
	const struct mapping wraps = { .start = UINT64_MAX - 10, .end = 5 };
	struct process_maps *map = process_maps_create();

	(void)state;
	assert_int_equal(process_maps_insert(&map, &empty), -EINVAL);
	assert_int_equal(process_maps_insert(&map, &wraps), -EINVAL);
	assert_int_equal(map->count, 0);
	process_maps_release(map);
}

static void test_after_fork_each_side_changes_its_own_copy(void **state)
{
	struct process_maps *parent = process_maps_create(), *child, *grandchild;

	(void)state;
	insert(&parent, 0x1000, 0x2000, 0, 1);
	child = process_maps_share(parent);
	grandchild = process_maps_share(child);
	assert_ptr_equal(child, parent);
	insert(&child, 0x1000, 0x1800, 0, 2);
	assert_ptr_not_equal(child, parent);
	assert_int_equal(process_maps_find(child, 0x1000)->dso, 2);
	assert_int_equal(process_maps_find(parent, 0x1000)->dso, 1);
	assert_ptr_equal(grandchild, parent);

	insert(&parent, 0x5000, 0x6000, 0, 3);	/* shared with the grandchild still */
	assert_null(process_maps_find(grandchild, 0x5000));
	process_maps_release(parent);
	insert(&grandchild, 0x5000, 0x6000, 0, 4);	/* the only owner now */
	assert_int_equal(process_maps_find(grandchild, 0x5000)->dso, 4);
	assert_int_equal(process_maps_find(grandchild, 0x1000)->dso, 1);
	process_maps_release(child);
	process_maps_release(grandchild);
	process_maps_release(NULL);
}

static void test_a_full_map_says_so_also_when_it_is_shared(void **state)
{
	struct process_maps *map = process_maps_create(), *child;
	const struct mapping more = { .start = 0x10, .end = 0x11 };
	uint64_t end = 0x100000;

	(void)state;
	for (; map->count + 2 <= PROCESS_MAPS_MAX_ROWS; end += 2)
		insert(&map, end, end + 1, 0, 1);
	assert_int_equal(process_maps_insert(&map, &more), -E2BIG);
	child = process_maps_share(map);
	assert_int_equal(process_maps_insert(&child, &more), -E2BIG);
	assert_int_equal(process_maps_find(child, end - 2)->dso, 1);
	process_maps_release(child);
	process_maps_release(map);
}

enum { CELLS = 256, STEPS = 20000 };

/* Each cell knows its DSO and its place in the file; a mapping overwrites its cells. */
static void test_random_mappings_match_an_array_of_addresses(void **state)
{
	struct { uint32_t dso; uint64_t offset; } cells[CELLS] = { 0 };
	struct process_maps *map = process_maps_create();
	uint64_t seed = 42;

	(void)state;
	for (uint32_t step = 1; step <= STEPS; step++) {
		const uint64_t start = random_below(&seed, CELLS - 1);
		const uint64_t most = step % 8 ? 12 : CELLS - start;
		uint64_t end = start + 1 + random_below(&seed, (uint32_t)most);
		const uint64_t offset = random_below(&seed, 1000);

		if (end > CELLS)
			end = CELLS;
		insert(&map, start, end, offset, step);
		for (uint64_t at = start; at < end; at++) {
			cells[at].dso = step;
			cells[at].offset = offset + at - start;
		}
		for (uint64_t at = 0; at < CELLS; at++) {
			const struct mapping *row = process_maps_find(map, at);

			assert_int_equal(row ? row->dso : 0, cells[at].dso);
			if (row)
				assert_int_equal(mapping_frame_address(row, at), cells[at].offset);
		}
	}
	process_maps_release(map);
}

UNIT_TESTS(test_process_maps)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_mapping_holds_its_first_address_and_not_its_end),
		cmocka_unit_test(test_a_frame_is_a_file_offset_or_the_address_itself),
		cmocka_unit_test(test_a_mapping_inside_another_splits_it),
		cmocka_unit_test(test_a_mapping_cuts_its_neighbours_and_swallows_what_is_between),
		cmocka_unit_test(test_touching_and_equal_ranges_leave_no_empty_piece),
		cmocka_unit_test(test_empty_and_backward_ranges_are_refused),
		cmocka_unit_test(test_after_fork_each_side_changes_its_own_copy),
		cmocka_unit_test(test_a_full_map_says_so_also_when_it_is_shared),
		cmocka_unit_test(test_random_mappings_match_an_array_of_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
