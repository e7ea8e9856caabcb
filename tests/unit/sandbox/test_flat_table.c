/* Symbol tables: look-ups in hand-made ones, the builder's choices, and that every damage is seen.
 * Expected names are worked out by hand from the drawings. */
#include <errno.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "elf/flat_builder.h"
#include "sandbox/flat_table.h"
#include "unit_tests.h"

struct built {
	struct flat_table table;
	unsigned char *bytes;
	size_t count;
};

static struct built finish(struct flat_builder *builder, uint64_t cap)
{
	struct built built;
	struct diag why = { .err = 0 };
	void *bytes;

	assert_int_equal(flat_builder_finish(builder, cap, &bytes, &built.count), 0);
	built.bytes = bytes;
	assert_int_equal(flat_table_check(&built.table, built.bytes, built.count, &why), 0);
	flat_builder_destroy(builder);
	return built;
}

static void add(struct flat_builder *builder, uint64_t start, uint64_t size, const char *name,
		unsigned int rank)
{
	assert_int_equal(flat_builder_add(builder, start, size, name, NULL, rank), 0);
}

static void expect_name(const struct built *built, uint64_t address, const char *wanted)
{
	uint32_t row = flat_table_find(&built->table, address);

	if (!wanted) {
		assert_int_equal(row, FLAT_NONE);
		return;
	}
	assert_int_not_equal(row, FLAT_NONE);
	assert_string_equal(flat_table_name(&built->table, row), wanted);
}

static void test_a_row_holds_its_first_byte_and_not_the_one_after_its_end(void **state)
{
	struct flat_builder *builder = flat_builder_create();
	struct built built;

	(void)state;
	add(builder, 0x200, 0x10, "second", 0);
	add(builder, 0x100, 0x20, "first", 0);
	built = finish(builder, 1);
	expect_name(&built, 0xff, NULL);
	expect_name(&built, 0x100, "first");
	expect_name(&built, 0x11f, "first");
	expect_name(&built, 0x120, NULL);
	expect_name(&built, 0x1ff, NULL);
	expect_name(&built, 0x200, "second");
	expect_name(&built, 0x20f, "second");
	expect_name(&built, 0x210, NULL);
	expect_name(&built, UINT64_MAX, NULL);
	free(built.bytes);
}

/*   0x100 outer |--------------------------------------| 0x200
 *   0x110   middle |---------------| 0x150
 *   0x120      inner |--| 0x130
 *   0x160                             late |--| 0x170
 *   0x1f0                                         over |------| 0x210
 */
static void test_of_nested_rows_the_innermost_names_the_address(void **state)
{
	struct flat_builder *builder = flat_builder_create();
	struct built built;

	(void)state;
	add(builder, 0x100, 0x100, "outer", 0);
	add(builder, 0x110, 0x40, "middle", 0);
	add(builder, 0x120, 0x10, "inner", 0);
	add(builder, 0x160, 0x10, "late", 0);
	add(builder, 0x1f0, 0x20, "over", 0);
	built = finish(builder, 1);
	expect_name(&built, 0x10f, "outer");
	expect_name(&built, 0x11f, "middle");
	expect_name(&built, 0x12f, "inner");
	expect_name(&built, 0x130, "middle");
	expect_name(&built, 0x150, "outer");
	expect_name(&built, 0x16f, "late");
	expect_name(&built, 0x170, "outer");
	expect_name(&built, 0x1f0, "over");
	expect_name(&built, 0x20f, "over");
	expect_name(&built, 0x210, NULL);
	free(built.bytes);
}

static void test_an_outer_row_is_found_after_ten_thousand_inner_ones(void **state)
{
	struct flat_builder *builder = flat_builder_create();
	struct built built;

	(void)state;
	add(builder, 0, 1000000, "outer", 0);
	for (uint64_t i = 1; i <= 10000; i++)
		add(builder, i * 10, 5, "inner", 0);
	built = finish(builder, 1);
	expect_name(&built, 50004, "inner");
	expect_name(&built, 50005, "outer");
	expect_name(&built, 999999, "outer");
	expect_name(&built, 1000000, NULL);
	free(built.bytes);
}

static void test_rank_then_fewer_underscores_then_length_decide_among_aliases(void **state)
{
	struct flat_builder *builder = flat_builder_create();
	struct built built;

	(void)state;
	add(builder, 0x10, 4, "longer_but_lower", 1);
	add(builder, 0x10, 4, "__high", 3);
	add(builder, 0x20, 4, "__libc_malloc", 3);
	add(builder, 0x20, 4, "malloc", 3);
	add(builder, 0x30, 4, "cfree", 3);
	add(builder, 0x30, 4, "free_longer", 3);
	add(builder, 0x40, 4, "same1", 3);
	add(builder, 0x40, 4, "same2", 3);
	add(builder, 0x50, 0, "sizeless", 7);
	add(builder, 0x50, 4, "sized", 0);
	built = finish(builder, 1);
	assert_int_equal(built.table.header->row_count, 5);
	expect_name(&built, 0x10, "__high");
	expect_name(&built, 0x20, "malloc");
	expect_name(&built, 0x30, "free_longer");
	expect_name(&built, 0x40, "same1");
	expect_name(&built, 0x50, "sized");
	free(built.bytes);
}

static void test_of_sizeless_aliases_the_last_one_stays(void **state)
{
	struct flat_builder *builder = flat_builder_create();
	struct built built;

	(void)state;
	add(builder, 0x10, 0, "memcpy", 0);
	add(builder, 0x10, 0, "__memcpy", 0);
	add(builder, 0x10, 0, "__pi_memcpy", 0);
	built = finish(builder, 4);
	expect_name(&built, 0x13, "__pi_memcpy");
	expect_name(&built, 0x14, NULL);
	free(built.bytes);
}

/*   0x100 sized |--------------| 0x140      label at 0x120: inside a sized one, dropped
 *   0x150 open |-----> 0x180 boundary       0x190 last |--> at most 0x40 further
 */
static void test_a_sizeless_row_ends_at_the_next_row_a_boundary_or_the_cap(void **state)
{
	struct flat_builder *builder = flat_builder_create();
	struct built built;

	(void)state;
	add(builder, 0x100, 0x40, "sized", 0);
	add(builder, 0x120, 0, "label", 0);
	add(builder, 0x150, 0, "open", 0);
	add(builder, 0x160, 0, "next", 0);
	assert_int_equal(flat_builder_add_boundary(builder, 0x180, NULL), 0);
	add(builder, 0x190, 0, "last", 0);
	built = finish(builder, 0x40);
	expect_name(&built, 0x120, "sized");
	expect_name(&built, 0x140, NULL);
	expect_name(&built, 0x15f, "open");
	expect_name(&built, 0x160, "next");
	expect_name(&built, 0x17f, "next");
	expect_name(&built, 0x180, NULL);
	expect_name(&built, 0x1cf, "last");
	expect_name(&built, 0x1d0, NULL);
	free(built.bytes);
}

static void add_unwind(struct flat_builder *builder, uint64_t start, uint64_t size)
{
	assert_int_equal(flat_builder_add_unwind(builder, start, size, 0x400000 + start), 0);
}

static void expect_kind(const struct built *built, uint64_t address, enum flat_kind wanted)
{
	assert_int_equal(built->table.rows[flat_table_find(&built->table, address)].kind, wanted);
}

/*   0x100 sized |------------------| 0x140
 *   0x100 fde   |------| 0x120 fde |--------| 0x150      both start where a symbol is
 *   0x138                  fde |-------| 0x148           so does this one
 *   0x140                          fde |----| 0x150      this one does not
 *   0x200 fde   |----------| 0x240
 *   0x210          sized |-| 0x220
 */
static void test_an_unwind_entry_names_what_no_symbol_covers(void **state)
{
	struct flat_builder *builder = flat_builder_create();
	struct built built;

	(void)state;
	add_unwind(builder, 0x100, 0x20);
	add_unwind(builder, 0x120, 0x30);
	add_unwind(builder, 0x138, 0x10);
	add_unwind(builder, 0x140, 0x10);
	add_unwind(builder, 0x200, 0x40);
	add(builder, 0x100, 0x40, "first", 0);
	add(builder, 0x210, 0x10, "second", 0);
	built = finish(builder, 1);
	assert_int_equal(built.table.header->row_count, 4);
	expect_name(&built, 0x13f, "first");
	expect_name(&built, 0x140, "fn_400140");
	expect_kind(&built, 0x140, FLAT_UNWIND);
	expect_name(&built, 0x20f, "fn_400200");
	expect_name(&built, 0x210, "second");
	expect_kind(&built, 0x210, FLAT_SYMBOL);
	expect_name(&built, 0x220, "fn_400200");
	free(built.bytes);
}

/*   0x100 open |-->  the entry that holds it ends at 0x108     0x110 last |--> fde at 0x118 */
static void test_a_sizeless_row_ends_with_its_unwind_entry_or_at_the_next(void **state)
{
	struct flat_builder *builder = flat_builder_create();
	struct built built;

	(void)state;
	add(builder, 0x100, 0, "open", 0);
	add_unwind(builder, 0x100, 8);
	add(builder, 0x110, 0, "last", 0);
	add_unwind(builder, 0x118, 8);
	built = finish(builder, 0x40);
	expect_name(&built, 0x107, "open");
	expect_name(&built, 0x108, NULL);
	expect_name(&built, 0x117, "last");
	expect_name(&built, 0x118, "fn_400118");
	free(built.bytes);
}

static void test_names_of_unwind_entries_are_all_of_an_address(void **state)
{
	static const uint64_t vaddrs[] = { 0, 9, 0xa, 0x10, 0x1a2b30, UINT64_MAX };
	struct flat_builder *builder = flat_builder_create();
	struct built built;

	(void)state;
	for (uint64_t i = 0; i < 6; i++)
		assert_int_equal(flat_builder_add_unwind(builder, 16 * i, 8, vaddrs[i]), 0);
	built = finish(builder, 1);
	for (uint64_t i = 0; i < 6; i++) {
		char wanted[32];

		snprintf(wanted, sizeof(wanted), "fn_%" PRIx64, vaddrs[i]);
		expect_name(&built, 16 * i, wanted);
	}
	free(built.bytes);
}

static void test_a_plt_slot_is_named_after_its_function_or_resolver(void **state)
{
	struct flat_builder *builder = flat_builder_create();
	struct built built;

	(void)state;
	add_unwind(builder, 0x10, 0x60);	/* the whole PLT */
	add_unwind(builder, 0x70, 0x10);	/* another with one slot */
	assert_int_equal(flat_builder_add_plt(builder, 0x70, 16,
					      (struct flat_name){ "free", 4 }), 0);
	assert_int_equal(flat_builder_add_plt(builder, 0x20, 16,
					      (struct flat_name){ "mallocXX", 6 }), 0);
	assert_int_equal(flat_builder_add_plt_of(builder, 0x30, 16, 0x1000), 0);
	assert_int_equal(flat_builder_add_plt_of(builder, 0x40, 16, 0x2000), 0);
	assert_int_equal(flat_builder_add_plt_of(builder, 0x50, 16, 0x3000), 0);
	add(builder, 0x1000, 8, "__memcpy", 5);
	add(builder, 0x1000, 8, "memcpy", 5);
	add_unwind(builder, 0x2000, 8);
	built = finish(builder, 1);
	expect_name(&built, 0x1f, "fn_400010");
	expect_name(&built, 0x20, "malloc@plt");
	expect_kind(&built, 0x20, FLAT_PLT);
	expect_name(&built, 0x3f, "memcpy@plt");
	expect_name(&built, 0x40, "fn_402000@plt");
	expect_name(&built, 0x50, "fn_400010");
	expect_name(&built, 0x70, "free@plt");
	expect_name(&built, 0x1000, "memcpy");
	free(built.bytes);
}

static void test_of_aliases_the_underscores_decide_whichever_comes_first(void **state)
{
	static const char *const names[] = { "__a", "_bb", "c", "_dddd", "__eeeeeee" };
	static const int orders[][5] = { { 0, 1, 2, 3, 4 }, { 4, 3, 2, 1, 0 }, { 2, 4, 0, 3, 1 } };

	(void)state;
	for (size_t order = 0; order < 3; order++) {
		struct flat_builder *builder = flat_builder_create();
		struct built built;

		for (size_t i = 0; i < 5; i++)
			add(builder, 0x10, 4, names[orders[order][i]], 1);
		built = finish(builder, 1);
		expect_name(&built, 0x10, "c");
		free(built.bytes);
	}
}

static void test_a_sizeless_row_ends_at_the_cap_before_another_dso(void **state)
{
	struct flat_builder *builder = flat_builder_create();
	struct built built;
	uint32_t row;

	(void)state;
	assert_int_equal(flat_builder_add(builder, 0x1000, 0, "a", NULL, 0), 0);
	assert_int_equal(flat_builder_add(builder, 0x9000, 0, "b", "mod", 0), 0);
	assert_int_equal(flat_builder_add(builder, 0xf000, 0, "c", "mod", 0), 0);
	built = finish(builder, 0x10);
	expect_name(&built, 0x100f, "a");
	expect_name(&built, 0x1010, NULL);
	expect_name(&built, 0xefff, "b");
	expect_name(&built, 0xf00f, "c");
	expect_name(&built, 0xf010, NULL);
	row = flat_table_find(&built.table, 0xf000);
	assert_string_equal(flat_table_dso_name(&built.table, row), "mod");
	assert_null(flat_table_dso_name(&built.table, 0));
	free(built.bytes);
}

static void test_sizes_at_the_end_of_the_address_space_do_not_wrap(void **state)
{
	struct flat_builder *builder = flat_builder_create();
	struct built built;

	(void)state;
	add(builder, UINT64_MAX - 15, UINT64_MAX, "top", 0);
	add(builder, UINT64_MAX, 0, "nothing", 0);
	built = finish(builder, 4096);
	assert_int_equal(built.table.header->row_count, 1);
	expect_name(&built, UINT64_MAX - 1, "top");
	expect_name(&built, 0, NULL);
	free(built.bytes);
}

static void test_a_table_without_rows_has_no_name(void **state)
{
	struct built built = finish(flat_builder_create(), 1);

	(void)state;
	assert_int_equal(built.table.header->row_count, 0);
	expect_name(&built, 0, NULL);
	free(built.bytes);
}

/* A table of two nested rows and one after, for the damages below. */
static struct built sample(void)
{
	struct flat_builder *builder = flat_builder_create();

	assert_int_equal(flat_builder_add(builder, 0x100, 0x100, "outer", "mod", 0), 0);
	assert_int_equal(flat_builder_add(builder, 0x110, 0x10, "inner", "mod", 0), 0);
	assert_int_equal(flat_builder_add(builder, 0x300, 0x10, "other", "mod", 0), 0);
	return finish(builder, 1);
}

static struct flat_header *header_of(struct built *built)
{
	return (struct flat_header *)(void *)built->bytes;
}

static struct flat_row *rows_of(struct built *built)
{
	return (struct flat_row *)(void *)(built->bytes + sizeof(struct flat_header));
}

static void expect_refused(struct built *built, const char *part_of_reason)
{
	struct diag why = { .err = 0 };
	struct flat_table table;

	assert_int_equal(flat_table_check(&table, built->bytes, built->count, &why), -EBADMSG);
	assert_non_null(strstr(why.text, part_of_reason));
	free(built->bytes);
}

static void test_a_table_cut_at_any_byte_is_refused(void **state)
{
	struct built built = sample();
	struct flat_table table;

	(void)state;
	for (size_t count = 0; count < built.count; count++)
		assert_int_equal(flat_table_check(&table, built.bytes, count, NULL), -EBADMSG);
	free(built.bytes);
}

static void test_damaged_headers_are_refused(void **state)
{
	struct built built = sample();

	(void)state;
	header_of(&built)->magic++;
	expect_refused(&built, "header");
	built = sample();
	header_of(&built)->version++;
	expect_refused(&built, "version");
	built = sample();
	header_of(&built)->row_count++;
	expect_refused(&built, "hold its rows");
	built = sample();
	header_of(&built)->row_count = FLAT_NONE;
	expect_refused(&built, "hold its rows");
	built = sample();
	header_of(&built)->string_bytes = UINT64_MAX - 8;
	expect_refused(&built, "hold its rows");
	built = sample();
	/* rows + strings wrap around to the right sum */
	header_of(&built)->row_count = 0;
	header_of(&built)->string_bytes = 0;
	expect_refused(&built, "hold its rows");
	built = sample();
	header_of(&built)->build_id.count = BUILD_ID_MAX_BYTES + 1;
	expect_refused(&built, "build-id");
}

static void test_damaged_rows_are_refused(void **state)
{
	struct built built = sample();

	(void)state;
	rows_of(&built)[1].start = 0x100;
	expect_refused(&built, "order");
	built = sample();
	rows_of(&built)[2].start = 0x80;
	expect_refused(&built, "order");
	built = sample();
	rows_of(&built)[2].size = 0;
	expect_refused(&built, "size");
	built = sample();
	rows_of(&built)[2].start = UINT64_MAX - 3;
	expect_refused(&built, "size");
	built = sample();
	rows_of(&built)[0].name = header_of(&built)->string_bytes & (FLAT_BYTES_MAX - 1);
	expect_refused(&built, "name");
	built = sample();
	rows_of(&built)[0].dso_name = (uint32_t)header_of(&built)->string_bytes;
	expect_refused(&built, "name");
	built = sample();
	built.bytes[built.count - 1] = 'x';
	expect_refused(&built, "do not end");
}

static void test_outer_rows_that_lead_astray_are_refused(void **state)
{
	struct built built = sample();

	(void)state;
	assert_int_equal(rows_of(&built)[0].outer, FLAT_NONE);
	assert_int_equal(rows_of(&built)[1].outer, 0);
	assert_int_equal(rows_of(&built)[2].outer, FLAT_NONE);
	rows_of(&built)[1].outer = FLAT_NONE;
	expect_refused(&built, "outer");
	built = sample();
	rows_of(&built)[0].outer = 2;
	expect_refused(&built, "outer");
	built = sample();
	rows_of(&built)[1].outer = 1;
	expect_refused(&built, "outer");
	built = sample();
	rows_of(&built)[2].outer = 1000000;
	expect_refused(&built, "outer");
}

/* Every byte of header and rows, every bit: either refused, or look-ups stay inside the table (the
 * address sanitizer watches). */
static void test_any_flipped_bit_is_refused_or_harmless(void **state)
{
	struct built built = sample();

	(void)state;
	for (size_t bit = 0; bit < built.count * 8; bit++) {
		struct flat_table table;

		built.bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
		if (flat_table_check(&table, built.bytes, built.count, NULL) == 0) {
			for (uint64_t address = 0xf0; address < 0x320; address++) {
				uint32_t row = flat_table_find(&table, address);

				if (row != FLAT_NONE)
					assert_in_range(strlen(flat_table_name(&table, row)), 0,
							built.count);
			}
		}
		built.bytes[bit / 8] ^= (unsigned char)(1u << (bit % 8));
	}
	free(built.bytes);
}

/* A million rows, each inside the one before: a look-up after them all gives up soon. The linear
 * time of builder and check shows too: in quadratic time this test would not end. */
static void test_deep_hostile_nesting_is_given_up(void **state)
{
	const uint64_t rows = 1000000;
	struct flat_builder *builder = flat_builder_create();
	struct built built;

	(void)state;
	for (uint64_t i = 0; i < rows; i++)
		add(builder, i, 4 * rows - 2 * i, "nested", 0);
	built = finish(builder, 1);
	expect_name(&built, rows, "nested");
	expect_name(&built, 4 * rows - 1, NULL);
	free(built.bytes);
}

UNIT_TESTS(test_flat_table)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_row_holds_its_first_byte_and_not_the_one_after_its_end),
		cmocka_unit_test(test_of_nested_rows_the_innermost_names_the_address),
		cmocka_unit_test(test_an_outer_row_is_found_after_ten_thousand_inner_ones),
		cmocka_unit_test(test_rank_then_fewer_underscores_then_length_decide_among_aliases),
		cmocka_unit_test(test_of_sizeless_aliases_the_last_one_stays),
		cmocka_unit_test(test_a_sizeless_row_ends_at_the_next_row_a_boundary_or_the_cap),
		cmocka_unit_test(test_an_unwind_entry_names_what_no_symbol_covers),
		cmocka_unit_test(test_a_sizeless_row_ends_with_its_unwind_entry_or_at_the_next),
		cmocka_unit_test(test_names_of_unwind_entries_are_all_of_an_address),
		cmocka_unit_test(test_a_plt_slot_is_named_after_its_function_or_resolver),
		cmocka_unit_test(test_of_aliases_the_underscores_decide_whichever_comes_first),
		cmocka_unit_test(test_a_sizeless_row_ends_at_the_cap_before_another_dso),
		cmocka_unit_test(test_sizes_at_the_end_of_the_address_space_do_not_wrap),
		cmocka_unit_test(test_a_table_without_rows_has_no_name),
		cmocka_unit_test(test_a_table_cut_at_any_byte_is_refused),
		cmocka_unit_test(test_damaged_headers_are_refused),
		cmocka_unit_test(test_damaged_rows_are_refused),
		cmocka_unit_test(test_outer_rows_that_lead_astray_are_refused),
		cmocka_unit_test(test_any_flipped_bit_is_refused_or_harmless),
		cmocka_unit_test(test_deep_hostile_nesting_is_given_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
