/* Unwind tables: what the check refuses, and which row holds at an address. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sandbox/unwind_table.h"
#include "unit_tests.h"

struct whole_table {
	struct unwind_header header;
	struct unwind_row rows[4];
};

static struct whole_table make_table(void)
{
	return (struct whole_table){
		.header = { .magic = UNWIND_TABLE_MAGIC, .version = UNWIND_TABLE_VERSION,
			    .row_count = 4, .code_bytes = 40, .bp_bytes = 40 },
		.rows = { { 0x100, 1, 0, UNWIND_SP, 0 }, { 0x104, 2, -2, UNWIND_BP, 0 },
			  { 0x120, 11, 0, UNWIND_PLT, 0 }, { 0x140, 0, 0, UNWIND_GAP, 0 } },
	};
}

static void expect_refused(const struct whole_table *bytes, size_t count, const char *wanted)
{
	struct unwind_table table;
	struct diag why = { .err = 0 };

	assert_int_equal(unwind_table_check(&table, bytes, count, &why), -EBADMSG);
	assert_non_null(strstr(why.text, wanted));
}

static void test_a_row_holds_up_to_the_next(void **state)
{
	const struct whole_table bytes = make_table();
	struct unwind_table table;

	(void)state;
	assert_int_equal(unwind_table_check(&table, &bytes, sizeof(bytes), NULL), 0);
	assert_int_equal(unwind_table_bytes(&table), sizeof(bytes));
	assert_int_equal(unwind_table_find(&table, 0)->kind, UNWIND_GAP);
	assert_int_equal(unwind_table_find(&table, 0xff)->kind, UNWIND_GAP);
	assert_ptr_equal(unwind_table_find(&table, 0x100), &bytes.rows[0]);
	assert_ptr_equal(unwind_table_find(&table, 0x103), &bytes.rows[0]);
	assert_ptr_equal(unwind_table_find(&table, 0x104), &bytes.rows[1]);
	assert_ptr_equal(unwind_table_find(&table, 0x11f), &bytes.rows[1]);
	assert_ptr_equal(unwind_table_find(&table, 0x120), &bytes.rows[2]);
	assert_ptr_equal(unwind_table_find(&table, 0x140), &bytes.rows[3]);
	assert_ptr_equal(unwind_table_find(&table, UINT64_MAX), &bytes.rows[3]);
}

static void test_without_rows_all_is_a_gap(void **state)
{
	struct whole_table bytes = make_table();
	struct unwind_table table;

	(void)state;
	bytes.header.row_count = 0;
	assert_int_equal(unwind_table_check(&table, &bytes, sizeof(bytes.header), NULL), 0);
	assert_int_equal(unwind_table_find(&table, 0)->kind, UNWIND_GAP);
	assert_int_equal(unwind_table_find(&table, 0x104)->kind, UNWIND_GAP);
}

static void test_a_size_that_is_not_that_of_the_rows_is_refused(void **state)
{
	struct whole_table bytes = make_table();

	(void)state;
	expect_refused(&bytes, 0, "header");
	expect_refused(&bytes, sizeof(bytes.header) - 1, "header");
	expect_refused(&bytes, sizeof(bytes) - 1, "does not hold its rows");
	bytes.header.row_count = 5;
	expect_refused(&bytes, sizeof(bytes), "does not hold its rows");
	bytes.header.row_count = UINT32_MAX;
	expect_refused(&bytes, sizeof(bytes), "does not hold its rows");
}

static void test_another_format_is_refused(void **state)
{
	struct whole_table bytes = make_table();

	(void)state;
	bytes.header.magic++;
	expect_refused(&bytes, sizeof(bytes), "header");
	bytes = make_table();
	bytes.header.version++;
	expect_refused(&bytes, sizeof(bytes), "version");
}

static void test_impossible_numbers_in_the_header_are_refused(void **state)
{
	struct whole_table bytes = make_table();

	(void)state;
	bytes.header.bp_bytes = 41;
	expect_refused(&bytes, sizeof(bytes), "more frame pointers than code");
	bytes = make_table();
	bytes.header.build_id.count = BUILD_ID_MAX_BYTES + 1;
	expect_refused(&bytes, sizeof(bytes), "build-id");
}

static void test_rows_out_of_order_are_refused(void **state)
{
	struct whole_table bytes = make_table();

	(void)state;
	bytes.rows[2].start = bytes.rows[1].start;
	expect_refused(&bytes, sizeof(bytes), "row 2 is not in order");
}

static void test_unknown_kinds_are_refused(void **state)
{
	struct whole_table bytes = make_table();

	(void)state;
	bytes.rows[1].kind = UNWIND_KINDS;
	expect_refused(&bytes, sizeof(bytes), "row 1 is of no known kind");
}

static void test_a_byte_outside_of_a_plt_slot_is_refused(void **state)
{
	struct whole_table bytes = make_table();

	(void)state;
	bytes.rows[2].cfa = 16;
	expect_refused(&bytes, sizeof(bytes), "row 2 has no byte of a PLT slot");
	bytes.rows[2].cfa = -1;
	expect_refused(&bytes, sizeof(bytes), "row 2 has no byte of a PLT slot");
}

static void test_a_place_of_bp_where_the_kind_has_none_is_refused(void **state)
{
	struct whole_table bytes = make_table();

	(void)state;
	bytes.rows[2].bp = -2;
	expect_refused(&bytes, sizeof(bytes), "row 2 says twice where bp is");
	bytes.rows[2].kind = UNWIND_BP_WORD;
	expect_refused(&bytes, sizeof(bytes), "row 2 says twice where bp is");
}

static void test_a_last_row_that_never_ends_is_refused(void **state)
{
	struct whole_table bytes = make_table();

	(void)state;
	bytes.rows[3].kind = UNWIND_SP;
	expect_refused(&bytes, sizeof(bytes), "last row has no end");
}

/* The rows of aarch64 are of other kinds, and say in bx what is in the word at bp. */
static void test_rows_of_aarch64_are_its_own(void **state)
{
	static const struct unwind_row refused[] = {
		{ 0x104, 2, -2, UNWIND_SP, 0 },			/* x86-64's */
		{ 0x104, 2, 0, UNWIND_ARM_GAP, 0 },		/* the walker's own */
		{ 0x104, 2, -2, UNWIND_ARM_SP, 8 },		/* an unknown flag */
		{ 0x104, 2, -2, UNWIND_ARM_SP, 0 },		/* nothing is saved there */
		{ 0x104, 2, 0, UNWIND_ARM_BP, UNWIND_FROM_BASE },
		{ 0x104, 2, 1, UNWIND_ARM_BP, UNWIND_SAVES_LR },	/* above the frame */
	};
	struct whole_table bytes = make_table();
	struct unwind_table table;

	(void)state;
	bytes.header.machine = MACHINE_AARCH64;
	bytes.rows[0] = (struct unwind_row){ 0x100, 0, 0, UNWIND_ARM_SP, 0 };
	bytes.rows[1] = (struct unwind_row){ 0x104, 2, -2, UNWIND_ARM_BP, UNWIND_SAVES_PAIR };
	bytes.rows[2].kind = UNWIND_ARM_SIGNAL;
	assert_int_equal(unwind_table_check(&table, &bytes, sizeof(bytes), NULL), 0);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		bytes.rows[1] = refused[i];
		expect_refused(&bytes, sizeof(bytes), "row 1 is of no known kind");
	}
	bytes = make_table();
	bytes.rows[1].kind = UNWIND_ARM_BP;
	expect_refused(&bytes, sizeof(bytes), "row 1 is of no known kind");
	bytes.header.machine = MACHINES;
	expect_refused(&bytes, sizeof(bytes), "unknown machine");
}

UNIT_TESTS(test_unwind_table)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_row_holds_up_to_the_next),
		cmocka_unit_test(test_without_rows_all_is_a_gap),
		cmocka_unit_test(test_a_size_that_is_not_that_of_the_rows_is_refused),
		cmocka_unit_test(test_another_format_is_refused),
		cmocka_unit_test(test_impossible_numbers_in_the_header_are_refused),
		cmocka_unit_test(test_rows_out_of_order_are_refused),
		cmocka_unit_test(test_unknown_kinds_are_refused),
		cmocka_unit_test(test_rows_of_aarch64_are_its_own),
		cmocka_unit_test(test_a_byte_outside_of_a_plt_slot_is_refused),
		cmocka_unit_test(test_a_place_of_bp_where_the_kind_has_none_is_refused),
		cmocka_unit_test(test_a_last_row_that_never_ends_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
