/* What 100 % are: all that was sampled, or what path and filters leave of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/snapshot.h"
#include "publisher_fixture.h"
#include "ui_fixture.h"
#include "unit_tests.h"

static void add(uint64_t from, uint64_t to, uint32_t pid, uint64_t address)
{
	for (uint64_t tenth = from; tenth < to; tenth++)
		feed_sample(&feed, tenth * S / 10, pid, pid, address);
}

/* 5 s to 6 s: 3 of pid 1 at 0x1000 and 1 at 0x2000, 6 of pid 2. 6 s to 8 s: 2 of pid 1 at 0x1000
 * and 2 at 0x2000, 16 of pid 2. Only pid 1 is asked for. */
static void fill(void)
{
	const struct filter_part of_one = { .field = FILTER_PID, .number = 1 };
	struct diag why;

	add(50, 53, 1, 0x1000);
	add(53, 54, 1, 0x2000);
	add(54, 60, 2, 0x3000);
	add(60, 62, 1, 0x1000);
	add(62, 64, 1, 0x2000);
	add(64, 80, 2, 0x3000);
	feed_round(&feed, 8 * S);
	config.memory_bytes = 16 << 20;
	publisher_mark(&publisher, 5 * S, 6 * S, false);
	config.query.compare = true;
	config.query.group_count = 1;
	config.query.groups[0] = GROUP_PID;
	assert_int_equal(filter_add(&config.query.filter, &of_one, &why), 0);
	config.window = WINDOW_SECONDS;
	config.window_ns = 2 * S;
}

static int near(double value, double wanted)
{
	if (value > wanted - 0.001 && value < wanted + 0.001)
		return 1;
	print_error("%f instead of %f\n", value, wanted);
	return 0;
}

static void expect(double self_pct, double base_pct, double shown_pct, double group_pct,
		   double base_group_pct)
{
	struct snapshot *snapshot = publisher_fixture_make();
	const struct snapshot_row *row = &snapshot->rows[0];

	if (row->address != 0x2000)
		row = &snapshot->rows[1];
	assert_int_equal(snapshot->row_count, 2);
	assert_true(near(snapshot_pct(snapshot, row->now.self.weight), self_pct));
	assert_true(near(row_changes_base_pct(snapshot, row->base.self.weight), base_pct));
	assert_true(near(snapshot_shown_pct(snapshot), shown_pct));
	assert_true(near(group_node_pct(&snapshot->groups.nodes[0],
					snapshot->groups.nodes[0].now.self.weight), group_pct));
	assert_true(near(group_node_base_pct(&snapshot->groups.nodes[0],
					     snapshot->groups.nodes[0].base.self.weight),
			 base_group_pct));
	snapshot_destroy(snapshot);
}

static void test_absolute_shares_are_of_all_samples(void **state)
{
	(void)state;
	fill();
	expect(10, 10, 20, 20, 40);	/* 2 of 20, 1 of 10; 4 of 20, of 10 */
}

static void test_relative_shares_are_of_what_the_filter_leaves(void **state)
{
	(void)state;
	fill();
	config.query.is_relative = true;
	expect(50, 25, 20, 100, 100);	/* 2 of 4, 1 of 4; the filter leaves what it left */
}

static const char *said(struct ui *ui, const char *keys)
{
	ui_press(ui, keys);
	return ui->state.message;
}

/* As if the analyzer had heard of it. */
static void reply(struct ui *ui)
{
	const bool is_relative = ui->state.query.is_relative;

	ui_prepare(ui);
	ui->snapshot.is_relative = is_relative;
	ui_show(ui);
}

static void test_the_key_goes_to_what_is_shown_and_back(void **state)
{
	struct ui *ui = *state;

	assert_non_null(strstr(said(ui, "%"), "all is shown: percent of all"));
	assert_false(ui->state.query.is_relative);
	ui_press(ui, "K");
	reply(ui);
	ui->state.out.count = 0;
	assert_string_equal(said(ui, "%"), "percent of what is shown");
	assert_true(ui_asked(ui)->is_relative);
	assert_false(ui_has(ui, "% of shown"));	/* not yet */
	reply(ui);
	assert_true(ui_has(ui, "% of shown"));
	ui->state.out.count = 0;
	assert_string_equal(said(ui, "%"), "percent of all");
	assert_false(ui_asked(ui)->is_relative);
}

static void test_in_a_tree_the_line_above_comes_third(void **state)
{
	struct ui *ui = *state;

	ui_press(ui, "K");
	reply(ui);
	state_show_kind(&ui->state, VIEW_TREE);
	reply(ui);
	assert_string_equal(said(ui, "%"), "percent of what is shown");
	reply(ui);
	assert_string_equal(said(ui, "%"), "percent of the line that each belongs to");
	reply(ui);
	assert_true(ui_has(ui, "% of parent"));
	assert_true(ui_has(ui, "PARENT"));
	assert_string_equal(said(ui, "%"), "percent of all");
	assert_false(ui_has(ui, "% of parent"));
}

UNIT_TESTS(test_percentage)
{
	const struct CMUnitTest tests[] = {
		PUBLISHER_TEST(test_absolute_shares_are_of_all_samples),
		PUBLISHER_TEST(test_relative_shares_are_of_what_the_filter_leaves),
		UI_TEST(test_the_key_goes_to_what_is_shown_and_back),
		UI_TEST(test_in_a_tree_the_line_above_comes_third),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
