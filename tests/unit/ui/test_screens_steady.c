/* Nothing jumps while numbers change, and nothing is drawn outside of its line: random numbers at
 * many sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "tree_fixture.h"
#include "ui_fixture.h"
#include "ui_rows.h"
#include "ui/widgets/detail.h"
#include "ui/widgets/header.h"
#include "unit_tests.h"

#define ROWS	40
#define CALLEES 300	/* more than the largest screen has lines */

static double any_share(uint64_t *seed, double most)
{
	return most * random_below(seed, 100001) / 100000;
}

/* The rows of the view with other numbers, as large as they get. */
static struct snapshot any_stats(enum view_kind kind, struct snapshot_row *rows, uint64_t *seed)
{
	const struct ui_rows of = ui_rows(kind);
	struct snapshot snapshot = ui_snapshot(kind);

	snapshot.weight = 1e6;
	for (size_t i = 0; i < of.count; i++) {
		rows[i] = of.rows[i];
		rows[i].now.self.weight = any_share(seed, 1e6);
		rows[i].now.total.weight = any_share(seed, 1e6);
		rows[i].now.self.samples = random_next(seed) >> random_below(seed, 64);
		rows[i].cpu_pct = any_share(seed, 25600) - 1;
		rows[i].busy_pct = any_share(seed, 101) - 1;
		rows[i].threads = random_below(seed, 65536);
		rows[i].cpu = (int64_t)random_below(seed, 1000) - 1;
		rows[i].tid = rows[i].pid = (int64_t)random_below(seed, 4194305) - 1;
	}
	snapshot.rows = rows;
	snapshot.busy_pct = any_share(seed, 100);
	snapshot.samples = random_next(seed) >> random_below(seed, 64);
	snapshot.own_cpu_pct = any_share(seed, 99);
	return snapshot;
}

static void keep_titles(const struct ui *ui, char *out, size_t cap)
{
	const int y = header_lines(ui->canvas.width, ui->canvas.height);

	snprintf(out, cap, "%s", ui_line(ui, y));
}

static void test_the_titles_stay_while_the_stats_change(void **state)
{
	static const int widths[] = { 40, 80, 100, 120, 200 };
	char titles[4096], now[4096];
	struct snapshot_row rows[ROWS];
	struct ui ui;
	uint64_t seed = 3;

	(void)state;
	for (int kind = 0; kind < VIEW_TABLES; kind++) {
		for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
			ui_open(&ui, widths[w], 24);
			state_show_kind(&ui.state, (enum view_kind)kind);
			ui_reply(&ui);
			ui_text(&ui);
			keep_titles(&ui, titles, sizeof(titles));
			for (int round = 0; round < 50; round++) {
				ui.snapshot = any_stats((enum view_kind)kind, rows, &seed);
				ui_show(&ui);
				ui_text(&ui);
				keep_titles(&ui, now, sizeof(now));
				assert_string_equal(now, titles);
			}
			ui_finish(&ui);
		}
	}
}

/* A cut number would be another number: no ellipsis in columns of numbers. */
static void test_no_number_is_cut(void **state)
{
	struct snapshot_row rows[ROWS];
	uint64_t seed = 5;

	(void)state;
	for (int kind = 0; kind < VIEW_TABLES; kind++) {
		for (int round = 0; round < 200; round++) {
			struct snapshot snapshot = any_stats((enum view_kind)kind, rows, &seed);
			struct canvas canvas = { .is_ascii = false };

			assert_int_equal(canvas_resize(&canvas, 30, 1), 0);
			for (int id = 0; id < COL_COUNT; id++) {
				const struct column_row of = { &snapshot, &rows[round % 8], false,
							      (enum column_id)id };
				const struct canvas_area area = { 0, 0, columns[id].min_width };

				if (columns[id].align != ALIGN_RIGHT)
					continue;
				canvas_clear(&canvas);
				columns[id].put(&canvas, area, &of);
				for (int x = 0; x < area.width; x++)
					assert_int_not_equal(canvas.cells[x].code, 0x2026);
			}
			canvas_finish(&canvas);
		}
	}
}

/* What the largest screen must be, whatever is on it. */
static void check_cells(const struct canvas *canvas)
{
	for (int i = 0; i < canvas->width * canvas->height; i++) {
		const struct canvas_cell *cell = &canvas->cells[i];

		assert_true((unsigned int)cell->role < ROLE_COUNT);
		if (cell->code != CANVAS_TAIL)
			assert_true(cell->code >= ' ' && wcwidth((wchar_t)cell->code) > 0);
		else
			assert_true(i % canvas->width > 0 && cell[-1].code != CANVAS_TAIL &&
				    wcwidth((wchar_t)cell[-1].code) == 2);
		if (cell->code != CANVAS_TAIL && wcwidth((wchar_t)cell->code) == 2)
			assert_true(i % canvas->width + 1 < canvas->width &&
				    cell[1].code == CANVAS_TAIL);
	}
}

/* Shows "all that is shown" and below it callee_0, callee_1, ... in the butterfly. */
static void show_many_callees(struct ui *ui)
{
	static struct tree_fixture_line lines[CALLEES];
	static struct tree_node nodes[CALLEES];
	static char names[CALLEES][16];

	for (int i = 0; i < CALLEES; i++) {
		snprintf(names[i], sizeof(names[i]), "callee_%d", i);
		lines[i] = (struct tree_fixture_line){ .name = names[i], .self = 1, .total = 1 };
	}
	ui->snapshot.tree = tree_fixture(TREE_CALLEES, lines, CALLEES, nodes);
	ui_show(ui);
}

/* Asserts that the lines of the butterfly fill @rows lines, down to the detail at the bottom. */
static void check_butterfly(const struct ui *ui, size_t rows)
{
	const struct hit *hit = ui->state.display.hits.list;
	char last[16];

	for (size_t i = 1; hit->kind != HIT_ROWS; i++, hit++)
		assert_true(i < ui->state.display.hits.count);
	assert_int_equal(hit->height, rows);
	assert_int_equal(hit->y + hit->height, 199 - detail_lines(&ui->state, 200));
	snprintf(last, sizeof(last), "callee_%zu", rows - 2);
	assert_non_null(strstr(ui_line(ui, hit->y + hit->height - 1), last));
}

/* The screen has 200 lines. */
static void check_page(const struct ui *ui, enum view_kind kind)
{
	const size_t rows = 195 - (size_t)detail_lines(&ui->state, 200);

	if (kind == VIEW_FLAME)		/* zoom and search; two lines of numbers */
		assert_int_equal(flame_of(&ui->state)->page, 196 - 3);
	else if (kind == VIEW_PROBES)	/* titles; the line about the one under the cursor */
		assert_int_equal(probes_view_of(&ui->state)->page, 196 - 2);
	else if (kind == VIEW_BUTTERFLY)
		check_butterfly(ui, rows);
	else if (kind == VIEW_LISTING)	/* the function, above the titles */
		assert_int_equal(listing_view_of(&ui->state)->page, rows - 1);
	else if (kind == VIEW_COUNTERS)	/* titles; the line about what is counted */
		assert_int_equal(((const struct counters_view *)ui->state.views[kind])->page,
				 196 - 2);
	else if (kind == VIEW_THREADS)	/* the sums, titles; the line about the row */
		assert_int_equal(((const struct threads_view *)ui->state.views[kind])->page,
				 196 - 3);
	else if (kind == VIEW_GROUPS)
		assert_int_equal(groups_view_of(&ui->state)->lines.rows.page, rows);
	else
		assert_int_equal(kind == VIEW_TREE ? tree_view_of(&ui->state)->lines.rows.page
						   : table_view_of(&ui->state)->rows.page, rows);
}

static void test_the_largest_screen_uses_its_lines_whole(void **state)
{
	struct ui ui;

	(void)state;
	for (int kind = 0; kind < VIEW_COUNT; kind++) {
		ui_open(&ui, 400, 200);
		ui_show(&ui);
		state_show_kind(&ui.state, (enum view_kind)kind);
		ui_reply(&ui);
		if (kind == VIEW_BUTTERFLY)
			show_many_callees(&ui);
		ui_text(&ui);
		check_cells(&ui.canvas);
		assert_int_equal(canvas_text_width(&ui.canvas, ui_line(&ui, 0)), 399);
		assert_int_equal(canvas_text_width(&ui.canvas, ui_line(&ui, 1)), 399);
		assert_int_equal(canvas_text_width(&ui.canvas, ui_line(&ui, 2)), 399);
		check_page(&ui, (enum view_kind)kind);
		assert_int_equal(ui_find(&ui, "q quit").y, 199);
		ui_finish(&ui);
	}
}

static void test_every_size_is_drawn_with_whole_cells(void **state)
{
	uint64_t seed = 13;
	struct ui ui;

	(void)state;
	ui_open(&ui, 40, 10);
	ui.snapshot.lost_late = 3;
	ui_show(&ui);
	for (int width = 1; width <= 400; width += 1 + (int)random_below(&seed, 7)) {
		const int height = 1 + (int)random_below(&seed, 200);

		ui.canvas.is_ascii = false;
		assert_int_equal(canvas_resize(&ui.canvas, width, height), 0);
		state_show_kind(&ui.state, (enum view_kind)random_below(&seed, VIEW_COUNT));
		ui_reply(&ui);
		frame_draw(&ui.state, &ui.canvas);
		check_cells(&ui.canvas);
	}
	ui_finish(&ui);
}

static void test_the_bottom_line_offers_what_can_be_done(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 40, 12);
	assert_false(ui_has(&ui, "Enter open"));		/* there is no row */
	ui_show(&ui);
	assert_true(ui_has(&ui, "Enter open"));
	assert_false(ui_has(&ui, "Esc back"));
	ui_press_key(&ui, UI_KEY_ENTER);
	ui_reply(&ui);
	assert_true(ui_has(&ui, "Esc back"));
	assert_true(ui_has(&ui, "q quit"));
	ui_finish(&ui);
}

UNIT_TESTS(test_screens_steady)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_titles_stay_while_the_stats_change),
		cmocka_unit_test(test_no_number_is_cut),
		cmocka_unit_test(test_the_largest_screen_uses_its_lines_whole),
		cmocka_unit_test(test_every_size_is_drawn_with_whole_cells),
		cmocka_unit_test(test_the_bottom_line_offers_what_can_be_done),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
