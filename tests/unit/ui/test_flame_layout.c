/* Where the boxes of a flame graph lie: hand-made trees with known boxes, and random trees. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "flame_fixture.h"
#include "random_numbers.h"
#include "ui/widgets/flame_layout.h"
#include "unit_tests.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/*   main 20, own 2
 *     parse 12: read 8, token 4
 *     draw 6 */
static const struct flame_frame small[] = {
	{ .depth = 0, .name = "main", .self = 2 },
	{ .depth = 1, .name = "parse" },
	{ .depth = 2, .name = "read", .self = 8 },
	{ .depth = 2, .name = "token", .self = 4 },
	{ .depth = 1, .name = "draw", .self = 6 },
};
enum { MAIN, PARSE, READ, TOKEN, DRAW };

static void expect_box(const struct flame_layout *layout, uint32_t index, uint32_t node,
		       uint32_t line, int x, int width)
{
	const struct flame_box *box = &layout->boxes[index];

	assert_true(index < layout->count);
	if (box->node != node || box->line != line || box->x != x || box->width != width)
		print_error("box %u is node %u on line %u at %d, %d wide\n", index, box->node,
			    box->line, box->x, box->width);
	assert_int_equal(box->node, node);
	assert_int_equal(box->line, line);
	assert_int_equal(box->x, x);
	assert_int_equal(box->width, width);
}

static void fill(struct flame_layout *layout, const struct call_tree *tree, int width, int least,
		 uint32_t zoom)
{
	const struct flame_shape shape = { width, least, zoom };

	flame_layout_fill(layout, tree, &shape);
}

static void test_boxes_are_as_wide_as_their_share(void **state)
{
	struct tree_node nodes[COUNT(small)];
	const struct call_tree tree = flame_fixture_tree(small, COUNT(small), nodes);
	struct flame_layout layout = { 0 };

	(void)state;
	fill(&layout, &tree, 40, 2, FLAME_NONE);
	assert_int_equal(layout.count, 5);
	assert_int_equal(layout.lines, 3);
	expect_box(&layout, 0, MAIN, 0, 0, 40);
	expect_box(&layout, 1, PARSE, 1, 0, 24);
	expect_box(&layout, 2, DRAW, 1, 24, 12);
	expect_box(&layout, 3, READ, 2, 0, 16);
	expect_box(&layout, 4, TOKEN, 2, 16, 8);
	assert_int_equal(layout.boxes[0].parent, FLAME_NONE);
	assert_int_equal(layout.boxes[2].parent, 0);
	assert_int_equal(layout.boxes[4].parent, 1);
	flame_layout_finish(&layout);
}

/* 3, 2 and 2 of 7 on 10 units: edges at 4.29, 7.14 and 10. Each width rounded alone: 4 + 3 + 3. */
static void test_rounded_edges_meet(void **state)
{
	static const struct flame_frame frames[] = {
		{ .depth = 0, .name = "main" },
		{ .depth = 1, .name = "a", .self = 3 },
		{ .depth = 1, .name = "b", .self = 2 },
		{ .depth = 1, .name = "c", .self = 2 },
	};
	struct tree_node nodes[COUNT(frames)];
	const struct call_tree tree = flame_fixture_tree(frames, COUNT(frames), nodes);
	struct flame_layout layout = { 0 };

	(void)state;
	fill(&layout, &tree, 10, 1, FLAME_NONE);
	expect_box(&layout, 1, 1, 1, 0, 4);
	expect_box(&layout, 2, 2, 1, 4, 3);
	expect_box(&layout, 3, 3, 1, 7, 3);
	flame_layout_finish(&layout);
}

/* On 40 units 1 of 20 is 2 units, 1 of 40 is 1. */
static void test_frames_without_room_are_one_box_of_others(void **state)
{
	static const struct flame_frame frames[] = {
		{ .depth = 0, .name = "main", .self = 2 },
		{ .depth = 1, .name = "a", .self = 30 },
		{ .depth = 1, .name = "b", .self = 4 },
		{ .depth = 1, .name = "c", .self = 1 },
		{ .depth = 1, .name = "d", .self = 1 },
		{ .depth = 1, .name = "e" },
		{ .depth = 2, .name = "f", .self = 1 },
		{ .depth = 1, .name = "g", .self = 1 },
	};
	struct tree_node nodes[COUNT(frames)];
	const struct call_tree tree = flame_fixture_tree(frames, COUNT(frames), nodes);
	struct flame_layout layout = { 0 };

	(void)state;
	fill(&layout, &tree, 40, 2, FLAME_NONE);
	assert_int_equal(layout.count, 4);
	expect_box(&layout, 2, 2, 1, 30, 4);
	expect_box(&layout, 3, 0, 1, 34, 4);
	assert_int_equal(layout.boxes[3].others, 4);
	assert_true(layout.boxes[3].weight == 4);
	assert_int_equal(flame_layout_others(&layout, 0), 3);
	assert_int_equal(flame_layout_others(&layout, 1), FLAME_NONE);
	fill(&layout, &tree, 20, 2, FLAME_NONE);	/* b and others together: just the least */
	assert_int_equal(layout.count, 4);
	fill(&layout, &tree, 16, 2, FLAME_NONE);	/* all but a: 8 of 40 are 3 units */
	assert_int_equal(layout.count, 3);
	assert_int_equal(layout.boxes[2].others, 5);
	fill(&layout, &tree, 4, 2, FLAME_NONE);		/* not even one unit: nothing */
	assert_int_equal(layout.count, 2);
	flame_layout_finish(&layout);
}

/* Compared, a tree has frames of the baseline alone. */
static void test_frames_that_are_gone_have_no_room_and_are_no_others(void **state)
{
	static const struct flame_frame frames[] = {
		{ .depth = 0, .name = "main", .self = 90 },
		{ .depth = 1, .name = "small", .self = 5 },
		{ .depth = 1, .name = "smaller", .self = 5 },
		{ .depth = 1, .name = "gone" },
		{ .depth = 2, .name = "gone with it" },
	};
	struct tree_node nodes[COUNT(frames)];
	const struct call_tree tree = flame_fixture_tree(frames, COUNT(frames), nodes);
	struct flame_layout layout = { 0 };

	(void)state;
	fill(&layout, &tree, 20, 2, FLAME_NONE);
	assert_int_equal(layout.count, 2);
	assert_int_equal(layout.boxes[1].others, 2);
	fill(&layout, &tree, 20, 2, 3);		/* it was zoomed when it went */
	assert_int_equal(layout.count, 2);
	flame_layout_finish(&layout);
}

static void test_what_the_tree_left_out_is_among_the_others(void **state)
{
	static const struct flame_frame frames[] = {
		{ .depth = 0, .name = "main", .self = 5, .hidden = 10 },
		{ .depth = 1, .name = "a", .self = 25 },
	};
	struct tree_node nodes[COUNT(frames)];
	struct call_tree tree = flame_fixture_tree(frames, COUNT(frames), nodes);
	struct flame_layout layout = { 0 };

	(void)state;
	fill(&layout, &tree, 40, 2, FLAME_NONE);
	assert_int_equal(layout.count, 3);
	expect_box(&layout, 2, 0, 1, 25, 10);
	assert_int_equal(layout.boxes[2].others, 1);
	tree.weight = 80;	/* the other half: outermost frames that were left out */
	tree.hidden_weight = 40;
	fill(&layout, &tree, 40, 2, FLAME_NONE);
	expect_box(&layout, 0, 0, 0, 0, 20);
	expect_box(&layout, 1, FLAME_NONE, 0, 20, 20);
	assert_int_equal(flame_layout_others(&layout, FLAME_NONE), 1);
	flame_layout_finish(&layout);
}

static void test_zoomed_frame_and_its_callers_have_the_whole_width(void **state)
{
	struct tree_node nodes[COUNT(small)];
	const struct call_tree tree = flame_fixture_tree(small, COUNT(small), nodes);
	struct flame_layout layout = { 0 };

	(void)state;
	fill(&layout, &tree, 40, 2, PARSE);
	assert_int_equal(layout.count, 4);
	expect_box(&layout, 0, MAIN, 0, 0, 40);
	expect_box(&layout, 1, PARSE, 1, 0, 40);
	expect_box(&layout, 2, READ, 2, 0, 27);		/* 26.67 */
	expect_box(&layout, 3, TOKEN, 2, 27, 13);
	assert_true(layout.boxes[0].is_ancestor);
	assert_false(layout.boxes[1].is_ancestor);
	fill(&layout, &tree, 40, 2, READ);
	assert_int_equal(layout.count, 3);
	expect_box(&layout, 2, READ, 2, 0, 40);
	flame_layout_finish(&layout);
}

static void test_hottest_path_ends_where_own_time_is_more(void **state)
{
	static const struct flame_frame frames[] = {
		{ .depth = 0, .name = "main" },
		{ .depth = 1, .name = "hot", .self = 11 },
		{ .depth = 2, .name = "cool", .self = 9 },
		{ .depth = 1, .name = "other", .self = 5 },
	};
	struct tree_node nodes[COUNT(frames)];
	const struct call_tree tree = flame_fixture_tree(frames, COUNT(frames), nodes);
	struct flame_layout layout = { 0 };

	(void)state;
	fill(&layout, &tree, 50, 2, FLAME_NONE);
	assert_true(layout.boxes[0].is_hottest);
	assert_true(layout.boxes[1].is_hottest);
	assert_false(layout.boxes[2].is_hottest);
	assert_int_equal(layout.boxes[3].node, 2);
	assert_false(layout.boxes[3].is_hottest);
	flame_layout_finish(&layout);
}

static void test_box_is_found_by_place_and_by_node(void **state)
{
	struct tree_node nodes[COUNT(small)];
	const struct call_tree tree = flame_fixture_tree(small, COUNT(small), nodes);
	struct flame_layout layout = { 0 };

	(void)state;
	fill(&layout, &tree, 40, 2, FLAME_NONE);
	assert_int_equal(flame_layout_at(&layout, 1, 23), 1);
	assert_int_equal(flame_layout_at(&layout, 1, 24), 2);
	assert_int_equal(flame_layout_at(&layout, 1, 36), FLAME_NONE);	/* main's own time */
	assert_int_equal(flame_layout_at(&layout, 3, 0), FLAME_NONE);
	assert_int_equal(flame_layout_find(&layout, &tree, TOKEN), 4);
	assert_int_equal(flame_layout_callee(&layout, 0), 1);
	assert_int_equal(flame_layout_callee(&layout, 2), FLAME_NONE);
	fill(&layout, &tree, 6, 2, FLAME_NONE);		/* token is 1.2 units: its caller stands */
	assert_int_equal(flame_layout_find(&layout, &tree, TOKEN),
			 flame_layout_find(&layout, &tree, PARSE));
	flame_layout_finish(&layout);
}

static void test_nothing_makes_no_box(void **state)
{
	const struct call_tree tree = { .direction = TREE_CALLEES };
	struct flame_layout layout = { 0 };

	(void)state;
	fill(&layout, &tree, 80, 2, FLAME_NONE);
	assert_int_equal(layout.count, 0);
	assert_int_equal(layout.lines, 0);
	flame_layout_finish(&layout);
}

#define RANDOM_FRAMES 400

/* Siblings in any order, self times of 0 to 2^15: the layout must hold whatever comes. */
static uint32_t random_frames(uint64_t *seed, struct flame_frame *frames)
{
	const uint32_t count = 1 + random_below(seed, RANDOM_FRAMES);

	for (uint32_t i = 0; i < count; i++)
		frames[i] = (struct flame_frame){
			.depth = i ? random_below(seed, frames[i - 1].depth + 2) : 0,
			.name = "f", .self = random_next(seed) >> (48 + random_below(seed, 16)),
			.hidden = random_below(seed, 4) ? 0 : random_below(seed, 900),
		};
	return count;
}

/* As in a decaying window: sums of fractions, with their rounding errors. */
static void make_fractions(struct call_tree *tree, struct tree_node *nodes, double by)
{
	tree->weight *= by;
	for (uint32_t i = 0; i < tree->node_count; i++) {
		nodes[i].now.self.weight *= by;
		nodes[i].hidden_weight *= by;
		nodes[i].now.total.weight *= by;
	}
}

/* Within the caller's box, and not over the one before. */
static void expect_well_laid(const struct flame_layout *layout, const struct flame_shape *shape)
{
	for (uint32_t i = 0; i < layout->count; i++) {
		const struct flame_box *box = &layout->boxes[i], *before = i ? box - 1 : NULL;
		int left = 0, right = shape->width;

		assert_true(box->width >= shape->least);
		if (box->parent != FLAME_NONE) {
			const struct flame_box *caller = &layout->boxes[box->parent];

			assert_true(box->parent < i && !caller->others);
			assert_int_equal(box->line, caller->line + 1);
			left = caller->x;
			right = caller->x + caller->width;
		}
		assert_true(box->x >= left && box->x + box->width <= right);
		assert_true(box->weight > 0 || box->is_ancestor || box->node == shape->zoom);
		if (before)
			assert_true(before->line < box->line ||
				    (before->line == box->line &&
				     before->x + before->width <= box->x));
	}
}

/* No edge is further than half a unit from where it belongs, so no width than one. */
static void expect_right_widths(const struct flame_layout *layout, const struct flame_shape *shape)
{
	for (uint32_t i = 0; i < layout->count; i++) {
		const struct flame_box *box = &layout->boxes[i];
		const double exact = box->weight * shape->width / layout->weight;

		if (!box->is_ancestor)
			assert_true(box->width > exact - 1.001 && box->width < exact + 1.001);
	}
}

static void test_random_trees_are_well_laid(void **state)
{
	static struct flame_frame frames[RANDOM_FRAMES];
	static struct tree_node nodes[RANDOM_FRAMES];
	struct flame_layout layout = { 0 };
	uint64_t seed = 20240607;

	(void)state;
	for (int round = 0; round < 3000; round++) {
		const uint32_t count = random_frames(&seed, frames);
		struct call_tree tree = flame_fixture_tree(frames, count, nodes);
		const int least = 1 + (int)random_below(&seed, 2);
		const struct flame_shape shape = {
			least * (1 + (int)random_below(&seed, 300)), least,
			random_below(&seed, 2) ? FLAME_NONE : random_below(&seed, count),
		};

		make_fractions(&tree, nodes, 1.0 / (1 + (double)random_below(&seed, 100)));
		flame_layout_fill(&layout, &tree, &shape);
		if (layout.weight > 0)
			expect_right_widths(&layout, &shape);
		expect_well_laid(&layout, &shape);
	}
	flame_layout_finish(&layout);
}

UNIT_TESTS(test_flame_layout)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_boxes_are_as_wide_as_their_share),
		cmocka_unit_test(test_rounded_edges_meet),
		cmocka_unit_test(test_frames_without_room_are_one_box_of_others),
		cmocka_unit_test(test_frames_that_are_gone_have_no_room_and_are_no_others),
		cmocka_unit_test(test_what_the_tree_left_out_is_among_the_others),
		cmocka_unit_test(test_zoomed_frame_and_its_callers_have_the_whole_width),
		cmocka_unit_test(test_hottest_path_ends_where_own_time_is_more),
		cmocka_unit_test(test_box_is_found_by_place_and_by_node),
		cmocka_unit_test(test_nothing_makes_no_box),
		cmocka_unit_test(test_random_trees_are_well_laid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
