/* Random keys, clicks, sizes and snapshots: the state stays whole, and Esc and q lead out of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>

#include <cmocka.h>

#include "compare_fixture.h"
#include "random_numbers.h"
#include "ui_fixture.h"
#include "unit_tests.h"

#define STEPS	  6000
#define MAX_ESCAPES 128		/* more than there are levels, menus and prompts over them */

static struct ui storm;

static void ask_nobody(void *owner, uint64_t number, const char *text, pid_t pid)
{
	(void)owner;
	(void)number;
	(void)text;
	(void)pid;
}

static const struct target_reply *no_reply(void *owner)
{
	(void)owner;
	return NULL;
}

static void renew_nothing(void *owner)
{
	(void)owner;
}

static const struct finder_control finder = { .ask = ask_nobody, .reply = no_reply,
					      .renew = renew_nothing, .fd = -1 };

static void open_storm(int width, int height)
{
	ui_open(&storm, width, height);
	storm.state.finder_control = &finder;
}

static int any_key(uint64_t *seed)
{
	static const int leaving[] = { 'q', UI_KEY_CTRL('C') };
	int key;

	do {
		switch (random_below(seed, 4)) {
		case 0:	 key = UI_KEY_SPECIAL + (int)random_below(seed, 30); break;
		case 1:	 key = (int)random_below(seed, 0x3000); break;
		default: key = (int)random_below(seed, 128); break;
		}
	} while (key == UI_KEY_MOUSE || key == leaving[1] ||
		 (key == leaving[0] && !storm.state.prompt.is_open));
	return key;
}

static void click_anywhere(uint64_t *seed)
{
	const struct mouse mouse = {
		(enum mouse_action)random_below(seed, MOUSE_RELEASE + 1),
		(int)random_below(seed, 260) - 10, (int)random_below(seed, 80) - 10,
	};

	input_press_key(&storm.state, UI_KEY_MOUSE, &mouse);
}

/* Any part of the rows and nodes was in the baseline, and some are only there. */
static void compare(struct snapshot *fresh, bool is_first, uint64_t *seed)
{
	static struct snapshot_row rows[2][16];
	struct snapshot_row *of = rows[is_first];

	fresh->is_compared = random_below(seed, 4);
	fresh->baseline = (struct snapshot_baseline){
		.weight = random_below(seed, 30000), .window_s = random_below(seed, 20),
		.label = random_below(seed, 2) ? "" : "before.data",
	};
	for (size_t i = 0; fresh->is_compared && i < fresh->row_count; i++) {
		of[i] = fresh->rows[i];
		of[i].base.self.samples = random_below(seed, 2) * random_below(seed, 9999);
		of[i].base.total.samples = random_below(seed, 2) * random_below(seed, 9999);
		of[i].base.self.weight = (double)of[i].base.self.samples;
		of[i].base.total.weight = (double)of[i].base.total.samples;
		if (random_below(seed, 4) == 0)
			of[i].now.self.samples = of[i].now.total.samples = 0;
	}
	if (fresh->is_compared)
		fresh->rows = of;
	if (fresh->is_compared && state_kind(&storm.state) == VIEW_TREE)
		fresh->tree = compare_fixture_tree(false);
	else if (fresh->is_compared && state_kind(&storm.state) == VIEW_FLAME)
		fresh->tree = compare_fixture_tree(true);
}

/* Replies to the last query, or an older one, with some of the rows of its view. Two take turns, as
 * in the program: the old one is no more. */
static void reply(uint64_t *seed)
{
	static struct snapshot turns[2];
	struct snapshot *fresh = &turns[storm.state.shown == &turns[0]];
	const struct snapshot *done;

	*fresh = ui_snapshot(state_kind(&storm.state));
	fresh->rows += random_below(seed, 3);
	fresh->row_count = random_below(seed, 6);
	fresh->has_baseline = random_below(seed, 3);
	if (fresh->has_baseline)
		compare(fresh, fresh == &turns[0], seed);
	fresh->query =
		storm.state.query.number - (storm.state.query.number && random_below(seed, 4) == 0);
	fresh->is_frozen = storm.state.query.is_paused && random_below(seed, 4);
	fresh->lost_kernel = random_below(seed, 2) * random_next(seed);
	fresh->is_target_gone = random_below(seed, 8) == 0;
	fresh->notice = random_below(seed, 2) ? "" : "own processes only";
	done = input_offer_snapshot(&storm.state, fresh);
	if (done && done != storm.state.shown)
		memset(&turns[done == &turns[1]], 0xa5, sizeof(turns[0]));
}

static void finish_change(uint64_t *seed)
{
	struct diag why;

	if (!storm.source.is_busy)
		return;
	storm.source.is_busy = false;
	storm.source.count = 0;
	diag_set(&why, -1, "no such event");
	state_source_changed(&storm.state, random_below(seed, 2) ? -1 : 0, &why);
}

static void check_cells(const struct canvas *canvas)
{
	for (int i = 0; i < canvas->width * canvas->height; i++) {
		assert_true((unsigned int)canvas->cells[i].role < ROLE_COUNT);
		assert_true(canvas->cells[i].code == CANVAS_TAIL || canvas->cells[i].code >= ' ');
		assert_true(!canvas->is_ascii || canvas->cells[i].code < 0x7f);
	}
}

static void check_state(void)
{
	const struct table_rows *rows = &table_view_of(&storm.state)->rows;
	const struct breadcrumbs *breadcrumbs = &storm.state.query.breadcrumbs;

	if (rows->count && storm.state.shown) {
		assert_true(rows->place.cursor < rows->count);
		assert_true(rows->place.top <= rows->place.cursor);
		for (size_t i = 0; i < rows->count; i++)
			assert_true(rows->rows[i] >= storm.state.shown->rows &&
				    rows->rows[i] < storm.state.shown->rows +
						    storm.state.shown->row_count);
	}
	assert_true(storm.state.out.count <= STATE_OUTBOX);
	assert_true(storm.state.deferred.count <= STATE_DEFERRED);
	assert_true(storm.state.display.hits.count < HITS_MAX);
	assert_true(breadcrumbs->count >= 1 && breadcrumbs->count <= BREADCRUMBS_LEVELS);
	assert_true(breadcrumbs->filter.count <= BREADCRUMBS_PARTS);
	for (size_t i = 0; i < breadcrumbs->count; i++)
		assert_true(
			breadcrumbs->levels[i].parts <= breadcrumbs->filter.count &&
			(!i || breadcrumbs->levels[i].parts >= breadcrumbs->levels[i - 1].parts));
	assert_int_equal(breadcrumbs->levels[breadcrumbs->count - 1].parts,
			 breadcrumbs->filter.count);
	assert_false(storm.state.prompt.is_open && storm.state.menu.is_open);
}

static void draw(uint64_t *seed)
{
	if (random_below(seed, 40) == 0) {
		storm.canvas.is_ascii = random_below(seed, 2);
		assert_int_equal(canvas_resize(&storm.canvas, (int)random_below(seed, 250),
					       (int)random_below(seed, 70)), 0);
	}
	frame_draw(&storm.state, &storm.canvas);
	check_cells(&storm.canvas);
}

/* Every way out: what lies over the table is closed by Esc, the breadcrumbs are walked back, q
 * quits. */
static void check_way_out(void)
{
	int escapes = 0;

	while (storm.state.prompt.is_open || storm.state.menu.is_open ||
	       probe_panel_of(&storm.state)->is_open || finder_of(&storm.state)->is_open ||
	       group_panel_of(&storm.state)->is_open ||
	       storm.state.deferred.count || storm.state.view->opener ||
	       storm.state.query.breadcrumbs.count > 1) {
		ui_press_key(&storm, UI_KEY_ESCAPE);
		assert_true(++escapes < MAX_ESCAPES);
	}
	ui_press(&storm, "q");
	assert_true(storm.state.out.wants_quit);
	storm.state.out.wants_quit = false;
}

static void run_storm(uint64_t seed)
{
	open_storm(100, 30);
	if (random_below(&seed, 4) == 0)
		storm.state.source = NULL;
	for (int step = 0; step < STEPS; step++) {
		switch (random_below(&seed, 8)) {
		case 0:
			reply(&seed);
			break;
		case 1:
			click_anywhere(&seed);
			break;
		case 2:
			finish_change(&seed);
			storm.state.out.count = 0;	/* the loop has sent them */
			break;
		default:
			ui_press_key(&storm, any_key(&seed));
			break;
		}
		if (storm.state.out.wants_quit)	/* a click, or the palette */
			storm.state.out.wants_quit = false;
		check_state();
		if (random_below(&seed, 3) == 0)
			draw(&seed);
		if (random_below(&seed, 500) == 0)
			check_way_out();
	}
	ui_finish(&storm);
}

static void test_nothing_breaks_in_a_storm(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 12; seed++)
		run_storm(seed * 0x9e3779b97f4a7c15u);
}

/* From each thing that can lie over the table: q is text in a prompt, and quits after Esc; Ctrl-C
 * is text nowhere and quits at once. */
static void test_q_after_esc_and_ctrl_c_quit_from_everywhere(void **state)
{
	static const char *const ways[] = {
		"", "?", "!", "L", "/abc", "\\abc", "\\~[", ".", "o", "c", ":", ":hid", "F", "e",
		"f", "t", "K", "KF", "2", "2jj", " ", "?/x", "?:", "w", "p", "pq", "8", "\x10",
		"\x10qq",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		open_storm(80, 24);
		ui_show(&storm);
		frame_draw(&storm.state, &storm.canvas);
		ui_press(&storm, ways[i]);
		assert_false(storm.state.out.wants_quit);
		ui_press_key(&storm, UI_KEY_CTRL('C'));
		assert_true(storm.state.out.wants_quit);
		storm.state.out.wants_quit = false;
		check_way_out();
		ui_finish(&storm);
	}
}

/* Of 200 keys typed while rows are waited for, those that there is room for are pressed. */
static void test_keys_wait_for_rows_as_long_as_there_is_room(void **state)
{
	(void)state;
	ui_open(&storm, 80, 24);
	ui_show(&storm);
	ui_press(&storm, "4");
	for (int i = 0; i < 100; i++)
		ui_press(&storm, "jk");
	assert_int_equal(storm.state.deferred.count, STATE_DEFERRED);
	ui_press(&storm, "j");
	ui_reply(&storm);
	assert_int_equal(storm.state.deferred.count, 0);
	assert_int_equal(table_view_of(&storm.state)->rows.place.cursor, 0);
	ui_finish(&storm);
}

UNIT_TESTS(test_screen_storm)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_breaks_in_a_storm),
		cmocka_unit_test(test_q_after_esc_and_ctrl_c_quit_from_everywhere),
		cmocka_unit_test(test_keys_wait_for_rows_as_long_as_there_is_room),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
