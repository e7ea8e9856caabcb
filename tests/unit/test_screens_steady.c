/* Nothing jumps while numbers change, and nothing is drawn outside of its line: random figures at
 * many sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <wchar.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "scene_fixture.h"
#include "scene_rows.h"
#include "ui/widgets/detail.h"
#include "ui/widgets/header.h"

#define ROWS 40

static double any_share(uint64_t *seed, double most)
{
	return most * random_below(seed, 100001) / 100000;
}

/* The rows of the view with other figures, as large as they get. */
static struct snapshot any_figures(enum view_kind kind, struct snapshot_row *rows, uint64_t *seed)
{
	const struct scene_rows of = scene_rows(kind);
	struct snapshot snapshot = scene_snapshot(kind);

	snapshot.weight = 1e6;
	for (size_t i = 0; i < of.count; i++) {
		rows[i] = of.rows[i];
		rows[i].self_weight = any_share(seed, 1e6);
		rows[i].total_weight = any_share(seed, 1e6);
		rows[i].self_samples = random_next(seed) >> random_below(seed, 64);
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

static void keep_titles(const struct scene *scene, char *out, size_t cap)
{
	const int y = header_lines(scene->canvas.width, scene->canvas.height);

	snprintf(out, cap, "%s", scene_line(scene, y));
}

static void test_the_titles_stay_while_the_figures_change(void **state)
{
	static const int widths[] = { 40, 80, 100, 120, 200 };
	char titles[4096], now[4096];
	struct snapshot_row rows[ROWS];
	struct scene scene;
	uint64_t seed = 3;

	(void)state;
	for (int kind = 0; kind < VIEW_TABLES; kind++) {
		for (size_t w = 0; w < sizeof(widths) / sizeof(widths[0]); w++) {
			scene_open(&scene, widths[w], 24);
			state_show_kind(&scene.state, (enum view_kind)kind);
			scene_answer(&scene);
			scene_text(&scene);
			keep_titles(&scene, titles, sizeof(titles));
			for (int round = 0; round < 50; round++) {
				scene.snapshot = any_figures((enum view_kind)kind, rows, &seed);
				scene_show(&scene);
				scene_text(&scene);
				keep_titles(&scene, now, sizeof(now));
				assert_string_equal(now, titles);
			}
			scene_finish(&scene);
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
			struct snapshot snapshot = any_figures((enum view_kind)kind, rows, &seed);
			struct canvas canvas = { .is_ascii = false };

			assert_int_equal(canvas_resize(&canvas, 30, 1), 0);
			for (int id = 0; id < COL_COUNT; id++) {
				const struct column_row of = { &snapshot, &rows[round % 8], false };
				const struct canvas_area area = { 0, 0, columns[id].min_width };

				if (columns[id].align != ALIGN_RIGHT)
					continue;
				canvas_clear(&canvas);
				columns[id].put(&canvas, area, &of);
				for (int x = 0; x < area.width; x++)
					assert_true(canvas.cells[x].code < 0x80);
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

/* Of a screen of 200 lines. */
static void check_page(const struct scene *scene, enum view_kind kind)
{
	const size_t rows = 195 - (size_t)detail_lines(&scene->state, 200);

	if (kind == VIEW_FLAME)		/* what is zoomed and found; two of numbers */
		assert_int_equal(scene->state.flame.page, 196 - 3);
	else if (kind == VIEW_PROBES)	/* titles; the line about the one under the cursor */
		assert_int_equal(scene->state.probes.page, 196 - 2);
	else if (kind == VIEW_GROUPS)
		assert_int_equal(scene->state.groups_view.rows.page, rows);
	else
		assert_int_equal(kind == VIEW_TREE ? scene->state.tree.rows.page
						   : scene->state.table.rows.page, rows);
}

static void test_the_largest_screen_uses_its_lines_whole(void **state)
{
	struct scene scene;

	(void)state;
	for (int kind = 0; kind < VIEW_COUNT; kind++) {
		scene_open(&scene, 400, 200);
		scene_show(&scene);
		state_show_kind(&scene.state, (enum view_kind)kind);
		scene_answer(&scene);
		scene_text(&scene);
		check_cells(&scene.canvas);
		assert_int_equal(canvas_text_width(&scene.canvas, scene_line(&scene, 0)), 399);
		assert_int_equal(canvas_text_width(&scene.canvas, scene_line(&scene, 1)), 399);
		assert_int_equal(canvas_text_width(&scene.canvas, scene_line(&scene, 2)), 399);
		check_page(&scene, (enum view_kind)kind);
		assert_int_equal(scene_find(&scene, "q quit").y, 199);
		scene_finish(&scene);
	}
}

static void test_every_size_is_drawn_with_whole_cells(void **state)
{
	uint64_t seed = 13;
	struct scene scene;

	(void)state;
	scene_open(&scene, 40, 10);
	scene.snapshot.lost_late = 3;
	scene_show(&scene);
	for (int width = 1; width <= 400; width += 1 + (int)random_below(&seed, 7)) {
		const int height = 1 + (int)random_below(&seed, 200);

		scene.canvas.is_ascii = false;
		assert_int_equal(canvas_resize(&scene.canvas, width, height), 0);
		state_show_kind(&scene.state, (enum view_kind)random_below(&seed, VIEW_COUNT));
		scene_answer(&scene);
		frame_draw(&scene.state, &scene.canvas);
		check_cells(&scene.canvas);
	}
	scene_finish(&scene);
}

static void test_the_bottom_line_offers_what_can_be_done(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 40, 12);
	assert_false(scene_has(&scene, "Enter open"));		/* there is no row */
	scene_show(&scene);
	assert_true(scene_has(&scene, "Enter open"));
	assert_false(scene_has(&scene, "Esc back"));
	scene_press_key(&scene, UI_KEY_ENTER);
	scene_answer(&scene);
	assert_true(scene_has(&scene, "Esc back"));
	assert_true(scene_has(&scene, "q quit"));
	scene_finish(&scene);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_titles_stay_while_the_figures_change),
		cmocka_unit_test(test_no_number_is_cut),
		cmocka_unit_test(test_the_largest_screen_uses_its_lines_whole),
		cmocka_unit_test(test_every_size_is_drawn_with_whole_cells),
		cmocka_unit_test(test_the_bottom_line_offers_what_can_be_done),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
