/* Arrows of jumps and brackets of loops: which there are, and how they lie beside each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ui/term/utf8.h"
#include "ui/widgets/listing_arrows.h"
#include "unit_tests.h"

#define ROWS_MAX 64

/* A function of @count instructions of a byte each, from address 0 on. */
struct code {
	struct listing listing;
	struct listing_rows rows;
	struct listing_row list[ROWS_MAX];
	struct code_row code[ROWS_MAX];
	struct listing_loop loop;
	struct listing_arrows arrows;
};

static struct code code;

/* @targets: where each instruction jumps to; -1: it is no jump. */
static void make(const int *targets, uint32_t count)
{
	listing_arrows_finish(&code.arrows);
	memset(&code, 0, sizeof(code));
	code.listing.function = (struct listing_function){
		.section_count = 1, .sections = { { 0, count } },
	};
	for (uint32_t i = 0; i < count; i++) {
		code.code[i] = (struct code_row){ .address = i, .length = 1 };
		if (targets[i] >= 0) {
			code.code[i].kind = CODE_BRANCH;
			code.code[i].flags = CODE_HAS_TARGET;
			code.code[i].target = (uint64_t)targets[i];
		}
		code.list[i] = (struct listing_row){
			.kind = LISTING_INSTRUCTION, .address = i, .code = &code.code[i],
			.code_count = 1,
		};
	}
	code.rows = (struct listing_rows){
		.listing = &code.listing, .rows = code.list, .count = count,
		.loops = &code.loop, .hottest = UINT32_MAX,
	};
}

static void set_loop(uint32_t first, uint32_t last)
{
	code.loop = (struct listing_loop){ .first = first, .last = last };
	code.rows.loop_count = 1;
	code.rows.hottest = 0;
}

/* Draws all rows, and compares them without the blanks at their ends. */
static void expect(uint32_t cursor, bool is_all, const char *const *lines)
{
	struct canvas canvas = { 0 };
	int width;

	listing_arrows_choose(&code.arrows, cursor, is_all);
	width = listing_arrows_width(&code.arrows);
	assert_int_equal(canvas_resize(&canvas, width + 1, (int)code.rows.count), 0);
	for (uint32_t row = 0; row < code.rows.count; row++) {
		char found[128] = "";
		size_t used = 0;

		listing_arrows_draw(&code.arrows, row, &canvas,
				    (struct canvas_area){ 0, (int)row, width });
		for (int x = 0; x < width; x++)
			used += utf8_encode(found + used,
					    canvas.cells[(int)row * canvas.width + x].code);
		while (used && found[used - 1] == ' ')
			used--;
		found[used] = '\0';
		if (strcmp(found, lines[row]))
			fail_msg("row %u: \"%s\", not \"%s\"", row, found, lines[row]);
	}
	canvas_finish(&canvas);
}

static void test_inner_loops_are_right_of_outer_ones(void **state)
{
	static const int targets[] = { -1, -1, -1, 2, -1, 1, -1 };
	static const char *const lines[] = {
		"",
		"\u256d\u2500\u25ba",
		"\u2502\u256d\u25ba",
		"\u2502\u2570\u2500",
		"\u2502",
		"\u2570\u2500\u2500",
		"",
	};

	(void)state;
	make(targets, 7);
	assert_int_equal(listing_arrows_build(&code.arrows, &code.rows), 0);
	expect(0, true, lines);
}

static void test_jumps_to_one_row_share_an_arrow(void **state)
{
	static const int targets[] = { 4, -1, 4, -1, -1, 4 };
	static const char *const lines[] = {
		"\u256d\u2500", "\u2502", "\u251c\u2500", "\u2502", "\u251c\u25ba", "\u2570\u2500",
	};

	(void)state;
	make(targets, 6);
	assert_int_equal(listing_arrows_build(&code.arrows, &code.rows), 0);
	expect(0, true, lines);
}

static void test_an_arrow_crosses_the_inner_ones(void **state)
{
	static const int targets[] = { 2, 3, -1, -1 };
	static const char *const lines[] = {
		" \u256d\u2500",
		"\u256d\u253c\u2500",
		"\u2502\u2570\u25ba",
		"\u2570\u2500\u25ba",
	};

	(void)state;
	make(targets, 4);
	assert_int_equal(listing_arrows_build(&code.arrows, &code.rows), 0);
	expect(UINT32_MAX, true, lines);
}

static void test_only_the_jumps_of_the_cursors_row_and_the_hottest_loop(void **state)
{
	static const int targets[] = { 5, -1, 1, -1, 1, -1 };
	static const char *const at_jump[] = {
		" \u256d\u2500\u2500", " \u2502\u256d\u25ba", " \u2502\u251c\u2500",
		" \u2502\u2502", " \u2502\u2570\u2500", " \u2570\u2500\u25ba",
	};
	static const char *const elsewhere[] = {
		"", "  \u256d\u25ba", "  \u251c\u2500", "  \u2502", "  \u2570\u2500", "",
	};
	static const char *const at_target[] = {
		" \u256d\u2500\u2500", " \u2502\u256d\u25ba", " \u2502\u251c\u2500",
		" \u2502\u2502", " \u2502\u2570\u2500", " \u2570\u2500\u25ba",
	};

	(void)state;
	make(targets, 6);
	set_loop(1, 4);
	assert_int_equal(listing_arrows_build(&code.arrows, &code.rows), 0);
	expect(3, false, elsewhere);
	expect(4, false, elsewhere);	/* its jump is the loop's */
	expect(0, false, at_jump);
	expect(5, false, at_target);
}

static void test_without_jumps_a_loop_is_a_bracket(void **state)
{
	static const int targets[] = { -1, -1, -1, -1 };
	static const char *const lines[] = { "", "\u256d", "\u2502", "\u2570" };
	static const char *const one[] = { "", "", "\u2500", "" };

	(void)state;
	make(targets, 4);
	set_loop(1, 3);
	assert_int_equal(listing_arrows_build(&code.arrows, &code.rows), 0);
	expect(0, false, lines);
	set_loop(2, 2);
	assert_int_equal(listing_arrows_build(&code.arrows, &code.rows), 0);
	expect(0, true, one);
}

/* Row i jumps to row 19 - i: each arrow is around the next one. */
static void test_no_more_than_eight_are_beside_each_other(void **state)
{
	int targets[20];

	(void)state;
	for (int i = 0; i < 20; i++)
		targets[i] = i < 10 ? 19 - i : -1;
	make(targets, 20);
	assert_int_equal(listing_arrows_build(&code.arrows, &code.rows), 0);
	assert_int_equal(code.arrows.all_lanes, LISTING_LANES);
	assert_int_equal(code.arrows.left_out, 2);
	listing_arrows_choose(&code.arrows, 0, true);
	assert_int_equal(listing_arrows_width(&code.arrows), LISTING_LANES + ARROW_CELLS);
}

static void test_a_target_within_a_pair_is_the_row_of_the_pair(void **state)
{
	static const int targets[] = { -1, -1, 1, -1 };

	(void)state;
	make(targets, 4);
	code.list[0].code_count = 2;	/* addresses 0 and 1 are one row */
	code.list[1] = code.list[2];
	code.list[2] = code.list[3];
	code.rows.count = 3;
	assert_int_equal(listing_arrows_build(&code.arrows, &code.rows), 0);
	assert_int_equal(code.arrows.jumps[1], 0);
}

UNIT_TESTS(test_listing_arrows)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inner_loops_are_right_of_outer_ones),
		cmocka_unit_test(test_jumps_to_one_row_share_an_arrow),
		cmocka_unit_test(test_an_arrow_crosses_the_inner_ones),
		cmocka_unit_test(test_only_the_jumps_of_the_cursors_row_and_the_hottest_loop),
		cmocka_unit_test(test_without_jumps_a_loop_is_a_bracket),
		cmocka_unit_test(test_no_more_than_eight_are_beside_each_other),
		cmocka_unit_test(test_a_target_within_a_pair_is_the_row_of_the_pair),
	};
	int failed;

	setlocale(LC_ALL, "C.UTF-8");
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	listing_arrows_finish(&code.arrows);
	return failed;
}
