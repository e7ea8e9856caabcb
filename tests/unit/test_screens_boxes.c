/* Whole screens: menus and prompts over the table, and the pages of text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "scene_fixture.h"

static void open_table(struct scene *scene, int width, int height)
{
	scene_open(scene, width, height);
	scene_show(scene);
	frame_draw(&scene->state, &scene->canvas);
}

static void test_row_menu(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, ".");
	scene_close(&scene, "row_menu_80x24");
	open_table(&scene, 40, 12);
	scene_press(&scene, "jjjjjj.");
	scene_close(&scene, "row_menu_40x12");
}

static void test_order_and_columns(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, "o");
	scene_close(&scene, "order_menu_80x24");
	open_table(&scene, 100, 24);
	scene_press(&scene, "c");
	scene_press_key(&scene, UI_KEY_DOWN);
	scene_press(&scene, " ");
	scene_close(&scene, "columns_menu_100x24");
	open_table(&scene, 40, 12);
	scene_press(&scene, "c");
	scene_close(&scene, "columns_menu_40x12");
}

/* Where tasks are: hidden at first. */
static void test_columns_of_places(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 140, 24);
	state_show_kind(&scene.state, VIEW_TASKS);
	scene.state.choice.hidden[VIEW_TASKS] = 1u << COL_TOTAL | 1u << COL_POD;
	scene_answer(&scene);
	scene_close(&scene, "places_140x24");
}

static void test_palette(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, ":");
	scene_close(&scene, "palette_80x24");
	open_table(&scene, 80, 24);
	scene_press(&scene, ":hide");
	scene_close(&scene, "palette_typed_80x24");
	open_table(&scene, 40, 10);
	scene_press(&scene, ":");
	scene_close(&scene, "palette_40x10");
}

static void test_filters_menu(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press_key(&scene, UI_KEY_ENTER);
	scene_answer(&scene);
	scene_press(&scene, "\\lock");
	scene_press_key(&scene, UI_KEY_ENTER);
	scene_press(&scene, "K");
	scene_answer(&scene);
	scene_press(&scene, "F");
	scene_close(&scene, "filters_menu_80x24");
}

static void test_source_menus(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, "e");
	scene_close(&scene, "event_menu_80x24");
	open_table(&scene, 80, 24);
	scene_press(&scene, "t");
	scene_close(&scene, "target_menu_80x24");
	open_table(&scene, 80, 24);
	scene_press(&scene, "f");
	scene_close(&scene, "frequency_prompt_80x24");
}

static void test_search_prompt(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 100, 24);
	scene_press(&scene, "/post");
	scene_close(&scene, "search_prompt_100x24");
	open_table(&scene, 40, 10);
	scene_press(&scene, "/post");
	scene_close(&scene, "search_prompt_40x10");
}

static void test_filter_prompt(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, "\\~^hash_[");
	scene_close(&scene, "filter_error_80x24");
}

static void test_messages_at_the_bottom(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, "W");
	scene_close(&scene, "no_such_key_80x24");
	open_table(&scene, 80, 24);
	scene_press(&scene, "w");
	scene_close(&scene, "window_key_80x24");
}

static void test_help(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, "?");
	scene_close(&scene, "help_top_80x24");
	open_table(&scene, 80, 24);
	scene_press(&scene, "?");
	frame_draw(&scene.state, &scene.canvas);
	scene_press_key(&scene, UI_KEY_END);
	scene_close(&scene, "help_end_80x24");
	open_table(&scene, 120, 100);
	scene_press(&scene, "?");
	scene_close(&scene, "help_120x100");
	open_table(&scene, 40, 12);
	scene_press(&scene, "?");
	scene_close(&scene, "help_40x12");
}

/* All is known, and 0. */
static struct loss_ledger nothing_lost(void)
{
	struct loss_ledger ledger = { .is_set = true };

	for (int cause = 0; cause < LOSS_CAUSES; cause++)
		ledger.counts[cause] = (struct loss_count){ .has_start = true, .has_window = true };
	ledger.counts[LOSS_UNRESOLVED].has_start = false;
	ledger.counts[LOSS_EVICTED].has_window = false;
	return ledger;
}

static void set_loss(struct scene *scene, enum loss_cause cause, uint64_t since_start,
		     uint64_t in_window)
{
	scene->snapshot.ledger.counts[cause].since_start = since_start;
	scene->snapshot.ledger.counts[cause].in_window = in_window;
}

/* What the header says of it, too. */
static void lose_records(struct scene *scene)
{
	scene->snapshot.ledger = nothing_lost();
	scene->snapshot.lost_kernel = 123456;
	scene->snapshot.throttled_ns = 2500000000;
	set_loss(scene, LOSS_RING_FULL, 123456, 1200);
	set_loss(scene, LOSS_READ, 123456, 1200);
	set_loss(scene, LOSS_TOLD, 59258, 600);
	set_loss(scene, LOSS_THROTTLED, 2500000000, 0);
	set_loss(scene, LOSS_UNATTRIBUTED, 17, 2);
	set_loss(scene, LOSS_UNRESOLVED, 0, 345);
}

static void close_losses(int width, int height, const char *name)
{
	struct scene scene;

	scene_open(&scene, width, height);
	lose_records(&scene);
	scene_show(&scene);
	scene_press(&scene, "$");
	scene_close(&scene, name);
}

static void test_ledger_of_losses(void **state)
{
	struct scene scene;

	(void)state;
	close_losses(40, 12, "ledger_40x12");
	close_losses(80, 24, "ledger_80x24");
	close_losses(120, 40, "ledger_120x40");
	close_losses(200, 60, "ledger_200x60");

	scene_open(&scene, 80, 50);
	scene.canvas.is_ascii = true;
	scene.snapshot.ledger = nothing_lost();
	scene_show(&scene);
	scene_press(&scene, "$");
	scene_close(&scene, "ledger_none_ascii_80x50");

	scene_open(&scene, 80, 24);
	scene_press(&scene, "$");
	assert_true(scene_has(&scene, "nothing has been counted yet"));
	scene_finish(&scene);
}

/* Before Linux 6.0, in a window that nothing was kept of. */
static void test_ledger_of_what_is_not_known(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 120, 80);
	lose_records(&scene);
	scene.snapshot.ledger.is_by_records = true;
	scene.snapshot.ledger.counts[LOSS_READ] = (struct loss_count){ .has_start = false };
	for (int cause = 0; cause < LOSS_CAUSES; cause++)
		scene.snapshot.ledger.counts[cause].has_window = false;
	scene_show(&scene);
	scene_press(&scene, "$");
	scene_close(&scene, "ledger_unknown_120x80");
}

static void test_words_of_the_header_lead_to_the_ledger(void **state)
{
	struct scene scene;
	struct mouse at;

	(void)state;
	scene_open(&scene, 80, 24);
	lose_records(&scene);
	scene_show(&scene);
	at = scene_find(&scene, "123k lost");
	scene_click(&scene, MOUSE_PRESS, at.x, at.y);
	assert_true(scene_has(&scene, "Missing from the picture"));
	at = scene_find(&scene, "! more");
	scene_click(&scene, MOUSE_PRESS, at.x, at.y);
	assert_true(scene_has(&scene, "Sampling"));
	scene_finish(&scene);
}

static void test_messages(void **state)
{
	struct scene scene;

	(void)state;
	open_table(&scene, 80, 24);
	scene_press(&scene, "!");
	scene_close(&scene, "messages_none_80x24");

	scene_open(&scene, 80, 24);
	lose_records(&scene);
	scene.snapshot.notice = "cycles cannot be sampled here (no PMU): cpu-clock instead\n"
				"kernel names are hidden: kernel.kptr_restrict is 2; run as root, "
				"or sysctl kernel.kptr_restrict=1";
	scene_show(&scene);
	scene_press(&scene, "!");
	scene_close(&scene, "messages_80x24");
}

/* One sentence of what happened, and where; one of what helps that program. */
static void test_messages_name_the_program_and_its_own_remedy(void **state)
{
	struct scene scene;

	(void)state;
	scene_open(&scene, 80, 24);
	scene.snapshot.ledger = nothing_lost();
	set_loss(&scene, LOSS_NO_MAP, 2896, 2896);
	scene.snapshot.ledger.processes[LOSS_NO_MAP] = (struct loss_process){
		.pid = 30874, .program = "java", .remedy = "java -XX:+PreserveFramePointer",
	};
	set_loss(&scene, LOSS_ENDED_FILE, 12, 3);
	scene.snapshot.ledger.processes[LOSS_ENDED_FILE] = (struct loss_process){
		.pid = 77, .program = "prog", .file = "libold.so",
	};
	scene_show(&scene);
	scene_press(&scene, "!");
	scene_close(&scene, "messages_programs_80x24");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_row_menu),
		cmocka_unit_test(test_order_and_columns),
		cmocka_unit_test(test_columns_of_places),
		cmocka_unit_test(test_palette),
		cmocka_unit_test(test_filters_menu),
		cmocka_unit_test(test_source_menus),
		cmocka_unit_test(test_search_prompt),
		cmocka_unit_test(test_filter_prompt),
		cmocka_unit_test(test_messages_at_the_bottom),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_messages_name_the_program_and_its_own_remedy),
		cmocka_unit_test(test_ledger_of_losses),
		cmocka_unit_test(test_ledger_of_what_is_not_known),
		cmocka_unit_test(test_words_of_the_header_lead_to_the_ledger),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
