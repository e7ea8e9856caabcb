/* The rows of each layer, of a function worked out by hand: listing_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "listing_fixture.h"
#include "unit_tests.h"

static struct listing_fixture fixture;

static int tear_down(void **state)
{
	(void)state;
	listing_fixture_finish(&fixture);
	return 0;
}

static uint64_t samples_of(const char *text)
{
	return listing_rows_now(&fixture.rows, listing_fixture_row(&fixture, text), 0)->samples;
}

static uint64_t sum_of_rows(uint32_t event)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < fixture.rows.count; i++)
		if (fixture.rows.rows[i].is_sum)
			sum += listing_rows_now(&fixture.rows, i, event)->samples;
	return sum;
}

static void test_rows_of_each_layer_add_up_to_the_function(void **state)
{
	(void)state;
	for (enum listing_layer layer = 0; layer < LISTING_LAYERS; layer++) {
		for (int opens_all = 0; opens_all < 2; opens_all++) {
			const struct listing_options options = { .layer = layer,
								 .opens_all = opens_all };

			listing_fixture_init(&fixture, layer);
			listing_fixture_build(&fixture, &options);
			assert_int_equal(fixture.rows.layer, layer);
			assert_int_equal(sum_of_rows(0), LISTING_FIXTURE_SAMPLES);
			assert_int_equal(sum_of_rows(1), 7);
			listing_fixture_finish(&fixture);
		}
	}
	listing_fixture_init(&fixture, LISTING_ASM);
}

static void test_fused_pairs_are_one_row(void **state)
{
	(void)state;
	listing_fixture_init(&fixture, LISTING_ASM);
	assert_int_equal(samples_of("test   %rax,%rax ; je     101e"), 15);
	/* Two pairs, and the head of the cold part. */
	assert_int_equal(fixture.rows.count, 14 - 2 + 1);
}

static void test_calls_name_their_target(void **state)
{
	(void)state;
	listing_fixture_init(&fixture, LISTING_ASM);
	assert_int_equal(samples_of("call   value_of"), 4);
	assert_int_equal(samples_of("call   abort+0x8"), 1);
}

static void test_raw_operands_are_addresses(void **state)
{
	char text[64];

	(void)state;
	listing_fixture_init(&fixture, LISTING_ASM);
	listing_rows_text(&fixture.rows, listing_fixture_row(&fixture, "call   value_of"), true,
			  text, sizeof(text));
	assert_string_equal(text, "call   3000");
}

static void test_lines_have_the_cost_of_what_is_inlined_there(void **state)
{
	(void)state;
	listing_fixture_init(&fixture, LISTING_SOURCE);
	assert_int_equal(samples_of("        while (e) {"), 15);
	assert_int_equal(samples_of("                if (match(e, key))"), 43);
	assert_int_equal(samples_of("                        return value_of(e);"), 5);
}

static void test_an_opened_line_shows_what_is_inlined_there(void **state)
{
	struct listing_options options = { .layer = LISTING_SOURCE };
	uint64_t keys[2];
	uint32_t row;

	(void)state;
	listing_fixture_init(&fixture, LISTING_SOURCE);
	row = listing_fixture_row(&fixture, "                if (match(e, key))");
	assert_true(fixture.rows.rows[row].can_open && !fixture.rows.rows[row].is_open);
	keys[0] = fixture.rows.rows[row].key;
	options.opened = keys;
	options.opened_count = 1;
	listing_fixture_build(&fixture, &options);
	assert_true(fixture.rows.rows[row].is_open);
	assert_int_equal(fixture.rows.rows[row + 1].kind, LISTING_INLINED);
	assert_int_equal(fixture.rows.rows[row + 1].parent, row);
	assert_int_equal(samples_of("match"), 43);
	keys[1] = fixture.rows.rows[row + 1].key;
	if (keys[1] < keys[0]) {	/* they are sorted */
		keys[1] = keys[0];
		keys[0] = fixture.rows.rows[row + 1].key;
	}
	options.opened_count = 2;
	listing_fixture_build(&fixture, &options);
	assert_int_equal(samples_of("        return e->key == key;"), 43);
}

static void test_lines_without_code_are_shown_between_those_with_code(void **state)
{
	uint32_t row;

	(void)state;
	listing_fixture_init(&fixture, LISTING_SOURCE);
	row = listing_fixture_row(&fixture, "        }");
	assert_int_equal(fixture.rows.rows[row].line, 18);
	assert_int_equal(fixture.rows.rows[row].address, UINT64_MAX);
	assert_int_equal(fixture.rows.rows[0].line, 10);
	assert_int_equal(fixture.rows.rows[fixture.rows.count - 1].line, 20);
}

static void test_instructions_stand_below_their_line(void **state)
{
	uint32_t row;

	(void)state;
	listing_fixture_init(&fixture, LISTING_MIXED);
	row = listing_fixture_row(&fixture, "        return e->key == key;");
	assert_int_equal(fixture.rows.rows[row - 1].kind, LISTING_INLINED);
	assert_int_equal(fixture.rows.rows[row].depth, 1);
	assert_int_equal(fixture.rows.rows[row + 1].parent, row);
	assert_int_equal(fixture.rows.rows[row + 1].address, 0x1009);
	assert_int_equal(listing_rows_now(&fixture.rows, row, 0)->samples, 43);
}

static void test_the_loop_has_its_share(void **state)
{
	const struct listing_loop *loop;

	(void)state;
	listing_fixture_init(&fixture, LISTING_ASM);
	assert_int_equal(fixture.rows.loop_count, 1);
	loop = &fixture.rows.loops[fixture.rows.hottest];
	assert_int_equal(loop->begin, 0x1004);
	assert_int_equal(loop->end, 0x1014);
	assert_int_equal((int)(loop->pct * 100), 9263);		/* 88 of 95 */
	assert_int_equal(fixture.rows.rows[loop->first].address, 0x1004);
	assert_int_equal(fixture.rows.rows[loop->last].address, 0x1012);
}

static void test_the_loop_covers_its_lines(void **state)
{
	const struct listing_loop *loop;

	(void)state;
	listing_fixture_init(&fixture, LISTING_SOURCE);
	loop = &fixture.rows.loops[fixture.rows.hottest];
	assert_int_equal(fixture.rows.rows[loop->first].line, 14);
	assert_int_equal(fixture.rows.rows[loop->last].line, 17);
}

static void test_without_lines_there_are_instructions(void **state)
{
	const struct listing_options options = { .layer = LISTING_SOURCE };

	(void)state;
	listing_fixture_init(&fixture, LISTING_SOURCE);
	fixture.document.has_lines = false;
	diag_set(&fixture.document.lines_why, -2, "no debug information");
	listing_fixture_build(&fixture, &options);
	assert_int_equal(fixture.rows.layer, LISTING_ASM);
	assert_string_equal(fixture.rows.why_not, "no debug information");
	assert_int_equal(sum_of_rows(0), LISTING_FIXTURE_SAMPLES);
}

static void test_without_bytes_addresses_keep_their_counts(void **state)
{
	const struct listing_options options = { .layer = LISTING_ASM };

	(void)state;
	listing_fixture_init(&fixture, LISTING_ASM);
	fixture.document.has_code = false;
	diag_set(&fixture.document.code_why, -2, "no bytes");
	listing_fixture_build(&fixture, &options);
	assert_int_equal(sum_of_rows(0), LISTING_FIXTURE_SAMPLES);
	assert_int_equal(fixture.rows.rows[0].kind, LISTING_NOTE);
	listing_fixture_row(&fixture, "no bytes");
}

static void test_without_source_lines_have_numbers_alone(void **state)
{
	const struct listing_options options = { .layer = LISTING_SOURCE };

	(void)state;
	listing_fixture_init(&fixture, LISTING_SOURCE);
	fixture.document.sources = NULL;
	listing_fixture_build(&fixture, &options);
	assert_int_equal(fixture.rows.layer, LISTING_SOURCE);
	assert_int_equal(sum_of_rows(0), LISTING_FIXTURE_SAMPLES);
	assert_int_equal(fixture.rows.count, 8);	/* the lines with code */
}

static void test_keys_differ(void **state)
{
	(void)state;
	for (enum listing_layer layer = 0; layer < LISTING_LAYERS; layer++) {
		const struct listing_options options = { .layer = layer, .opens_all = true };

		listing_fixture_init(&fixture, layer);
		listing_fixture_build(&fixture, &options);
		for (uint32_t i = 0; i < fixture.rows.count; i++)
			assert_int_equal(listing_rows_of_key(&fixture.rows,
							     fixture.rows.rows[i].key), i);
		listing_fixture_finish(&fixture);
	}
	listing_fixture_init(&fixture, LISTING_ASM);
}

static void test_an_address_is_found_in_every_layer(void **state)
{
	(void)state;
	for (enum listing_layer layer = 0; layer < LISTING_LAYERS; layer++) {
		uint32_t row;

		listing_fixture_init(&fixture, layer);
		row = listing_rows_of_address(&fixture.rows, 0x100d);
		assert_true(row != UINT32_MAX);
		assert_int_equal(listing_rows_now(&fixture.rows, row, 0)->samples, 43);
		listing_fixture_finish(&fixture);
	}
	listing_fixture_init(&fixture, LISTING_ASM);
}

/* Branches back from 0x1000 + 2 * i to 0x1000 - 2 * i, each loop in the next one, as a hostile
 * program may have them by the hundred thousand. */
static void test_of_too_many_loops_the_heaviest_are_kept(void **state)
{
	enum { JUMPS = 2 * LISTING_LOOPS_MAX };
	static struct code_row jumps[2 * JUMPS];
	static struct code_header header = { .row_count = 2 * JUMPS };
	static const struct listing_address hot = { .address = 0x8000, .now = { { 7, 7 } } };
	const struct listing_options options = { .layer = LISTING_ASM };
	struct listing *listing = &fixture.listing;

	(void)state;
	listing_fixture_init(&fixture, LISTING_ASM);
	for (uint32_t i = 0; i < 2 * JUMPS; i++)
		jumps[i] = (struct code_row){
			.address = 0x8000 + 2 * (i - (uint64_t)JUMPS), .length = 2,
			.target = i < JUMPS ? 0 : 0x8000 - 2 * (i - (uint64_t)JUMPS),
			.kind = i < JUMPS ? CODE_PLAIN : CODE_BRANCH,
			.flags = i < JUMPS ? 0 : CODE_HAS_TARGET,
		};
	/* A loop beside them has no samples. */
	jumps[0].kind = CODE_JUMP;
	jumps[0].flags = CODE_HAS_TARGET;
	jumps[0].target = jumps[0].address;
	fixture.document.code = (struct code_rows){ &header, jumps, "jmp" };
	fixture.document.has_lines = false;
	listing->function.section_count = 1;
	listing->function.sections[0] =
		(struct listing_section){ 0x8000 - 2 * JUMPS, 0x8000 + 2 * JUMPS };
	listing->addresses = &hot;
	listing->address_count = 1;
	listing->now[0] = hot.now[0];
	listing_fixture_build(&fixture, &options);
	assert_int_equal(fixture.rows.loop_count, LISTING_LOOPS_MAX);
	for (uint32_t i = 0; i < fixture.rows.loop_count; i++)
		assert_true(fixture.rows.loops[i].pct > 99);
	assert_true(fixture.rows.hottest < LISTING_LOOPS_MAX);
	assert_true(fixture.rows.loops[fixture.rows.hottest].begin <= 0x8000);
}

/* A slow path below the rest returns to the fast one: nothing goes round.
 *
 *   1000  je 1008      1004  mov      1006  ret      1008  call      100a  jmp 1004 */
static void test_the_return_of_a_slow_path_is_no_loop(void **state)
{
	static const struct code_row rows[] = {
		{ 0x1000, 0x1008, 0, 4, CODE_BRANCH, CODE_HAS_TARGET, 0 },
		{ 0x1004, 0, 0, 2, CODE_PLAIN, 0, 0 },
		{ 0x1006, 0, 0, 2, CODE_RETURN, 0, 0 },
		{ 0x1008, 0x3000, 0, 2, CODE_CALL, CODE_HAS_TARGET, 0 },
		{ 0x100a, 0x1004, 0, 2, CODE_JUMP, CODE_HAS_TARGET, 0 },
	};
	static const struct code_header header = { .row_count = 5 };
	const struct listing_options options = { .layer = LISTING_ASM };

	(void)state;
	listing_fixture_init(&fixture, LISTING_ASM);
	fixture.document.code = (struct code_rows){ &header, rows, "" };
	fixture.document.has_lines = false;
	listing_fixture_build(&fixture, &options);
	assert_int_equal(fixture.rows.loop_count, 0);
	assert_int_equal(fixture.rows.hottest, UINT32_MAX);
}

/* Each byte of code in 64 functions of its own, inlined into each other, is more than can be shown:
 * the outermost lines still count all of it. */
static void test_chains_of_inlined_calls_have_a_bound(void **state)
{
	enum { RANGES = 8192, DEPTH = 64 };
	static struct line_range many[RANGES];
	static struct line_range_frame frames[RANGES + DEPTH];
	static struct line_ranges_header header = { .range_count = RANGES,
						    .frame_count = RANGES + DEPTH };
	const struct listing_options options = { .layer = LISTING_SOURCE, .opens_all = true };

	(void)state;
	listing_fixture_init(&fixture, LISTING_ASM);
	for (uint32_t i = 0; i < RANGES + DEPTH; i++)
		frames[i] = (struct line_range_frame){ 0, 0, i + 1, UINT32_MAX, 0 };
	for (uint32_t i = 0; i < RANGES; i++)
		many[i] = (struct line_range){ 0x1000 + i, 0x1001 + i, i, DEPTH, 0, 0 };
	header.file_count = fixture.line_header.file_count;
	fixture.document.lines.header = &header;
	fixture.document.lines.ranges = many;
	fixture.document.lines.frames = frames;
	fixture.document.lines.statements = NULL;
	fixture.document.sources = NULL;
	fixture.listing.function.sections[0].end = 0x1000 + RANGES;
	fixture.listing.function.section_count = 1;
	fixture.listing.address_count--;	/* without the second section's */
	listing_fixture_build(&fixture, &options);
	assert_in_range(fixture.rows.count, RANGES, 300000);
	assert_int_equal(sum_of_rows(0), LISTING_FIXTURE_SAMPLES - 1);
}

#define TEST(name) cmocka_unit_test_teardown(name, tear_down)

UNIT_TESTS(test_listing_rows)
{
	const struct CMUnitTest tests[] = {
		TEST(test_rows_of_each_layer_add_up_to_the_function),
		TEST(test_fused_pairs_are_one_row),
		TEST(test_calls_name_their_target),
		TEST(test_raw_operands_are_addresses),
		TEST(test_lines_have_the_cost_of_what_is_inlined_there),
		TEST(test_an_opened_line_shows_what_is_inlined_there),
		TEST(test_lines_without_code_are_shown_between_those_with_code),
		TEST(test_instructions_stand_below_their_line),
		TEST(test_the_loop_has_its_share),
		TEST(test_the_loop_covers_its_lines),
		TEST(test_without_lines_there_are_instructions),
		TEST(test_without_bytes_addresses_keep_their_counts),
		TEST(test_without_source_lines_have_numbers_alone),
		TEST(test_keys_differ),
		TEST(test_an_address_is_found_in_every_layer),
		TEST(test_of_too_many_loops_the_heaviest_are_kept),
		TEST(test_the_return_of_a_slow_path_is_no_loop),
		TEST(test_chains_of_inlined_calls_have_a_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
