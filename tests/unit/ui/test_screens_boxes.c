/* Whole screens: menus and prompts over the table, and the pages of text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>

#include <cmocka.h>

#include "ui_fixture.h"
#include "unit_tests.h"

static void open_table(struct ui *ui, int width, int height)
{
	ui_open(ui, width, height);
	ui_show(ui);
	frame_draw(&ui->state, &ui->canvas);
}

static void test_row_menu(void **state)
{
	struct ui ui;

	(void)state;
	open_table(&ui, 80, 24);
	ui_press(&ui, ".");
	ui_close(&ui, "row_menu_80x24");
	open_table(&ui, 40, 12);
	ui_press(&ui, "jjjjjj.");
	ui_close(&ui, "row_menu_40x12");
}

static void test_order_and_columns(void **state)
{
	struct ui ui;

	(void)state;
	open_table(&ui, 80, 24);
	ui_press(&ui, "o");
	ui_close(&ui, "order_menu_80x24");
	open_table(&ui, 100, 24);
	ui_press(&ui, "c");
	ui_press_key(&ui, UI_KEY_DOWN);
	ui_press(&ui, " ");
	ui_close(&ui, "columns_menu_100x24");
	open_table(&ui, 40, 12);
	ui_press(&ui, "c");
	ui_close(&ui, "columns_menu_40x12");
}

/* Where tasks are: hidden at first. */
static void test_columns_of_places(void **state)
{
	struct ui ui;

	(void)state;
	open_table(&ui, 140, 24);
	state_show_kind(&ui.state, VIEW_TASKS);
	ui.state.display.choice.hidden[VIEW_TASKS] = 1u << COL_TOTAL | 1u << COL_POD;
	ui_reply(&ui);
	ui_close(&ui, "places_140x24");
}

static void test_palette(void **state)
{
	struct ui ui;

	(void)state;
	open_table(&ui, 80, 24);
	ui_press(&ui, ":");
	ui_close(&ui, "palette_80x24");
	open_table(&ui, 80, 24);
	ui_press(&ui, ":hide");
	ui_close(&ui, "palette_typed_80x24");
	open_table(&ui, 40, 10);
	ui_press(&ui, ":");
	ui_close(&ui, "palette_40x10");
}

static void test_filters_menu(void **state)
{
	struct ui ui;

	(void)state;
	open_table(&ui, 80, 24);
	ui_press_key(&ui, UI_KEY_ENTER);
	ui_reply(&ui);
	ui_press(&ui, "\\lock");
	ui_press_key(&ui, UI_KEY_ENTER);
	ui_press(&ui, "K");
	ui_reply(&ui);
	ui_press(&ui, "F");
	ui_close(&ui, "filters_menu_80x24");
}

static void test_source_menus(void **state)
{
	struct ui ui;

	(void)state;
	open_table(&ui, 80, 24);
	ui_press(&ui, "t");
	ui_close(&ui, "target_menu_80x24");
	open_table(&ui, 80, 24);
	ui_press(&ui, "f");
	ui_close(&ui, "frequency_prompt_80x24");
}

/* The name of the prompt has the time of day: another one is typed. */
static void open_save_prompt(struct ui *ui, int width, int height, const char *name)
{
	open_table(ui, width, height);
	ui->state.recording.can_record = true;
	ui_press(ui, "P");
	ui_press_key(ui, UI_KEY_CTRL('U'));
	ui_press(ui, name);
}

static void test_save_prompt(void **state)
{
	struct ui ui;

	(void)state;
	open_save_prompt(&ui, 80, 24, "flametop-20260801-140533.svg");
	ui_compare("save_prompt_roles_80x24", ui_roles(&ui));
	ui_close(&ui, "save_prompt_80x24");
	open_save_prompt(&ui, 80, 24, "flametop-20260801-140533.data");
	ui_press_key(&ui, UI_KEY_ENTER);
	ui_close(&ui, "save_prompt_refused_80x24");
	open_save_prompt(&ui, 40, 12, "a.json");
	ui_close(&ui, "save_prompt_40x12");
}

static void test_search_prompt(void **state)
{
	struct ui ui;

	(void)state;
	open_table(&ui, 100, 24);
	ui_press(&ui, "/post");
	ui_close(&ui, "search_prompt_100x24");
	open_table(&ui, 40, 10);
	ui_press(&ui, "/post");
	ui_close(&ui, "search_prompt_40x10");
}

static void test_filter_prompt(void **state)
{
	struct ui ui;

	(void)state;
	open_table(&ui, 80, 24);
	ui_press(&ui, "\\~^hash_[");
	ui_close(&ui, "filter_error_80x24");
}

static void test_messages_at_the_bottom(void **state)
{
	struct ui ui;

	(void)state;
	open_table(&ui, 80, 24);
	ui_press(&ui, "B");
	ui_close(&ui, "no_such_key_80x24");
	open_table(&ui, 80, 24);
	ui_press(&ui, "w");
	ui_close(&ui, "window_key_80x24");
}

static void test_help(void **state)
{
	struct ui ui;

	(void)state;
	open_table(&ui, 80, 24);
	ui_press(&ui, "?");
	ui_close(&ui, "help_top_80x24");
	open_table(&ui, 80, 24);
	ui_press(&ui, "?");
	frame_draw(&ui.state, &ui.canvas);
	ui_press_key(&ui, UI_KEY_END);
	ui_close(&ui, "help_end_80x24");
	open_table(&ui, 120, 100);
	ui_press(&ui, "?");
	ui_close(&ui, "help_120x100");
	open_table(&ui, 40, 12);
	ui_press(&ui, "?");
	ui_close(&ui, "help_40x12");
}

/* All is known, and 0. */
static struct loss_counters nothing_lost(void)
{
	struct loss_counters losses = { .is_set = true };

	for (int cause = 0; cause < LOSS_CAUSES; cause++)
		losses.counts[cause] = (struct loss_count){ .has_start = true, .has_window = true };
	losses.counts[LOSS_UNRESOLVED].has_start = false;
	losses.counts[LOSS_EVICTED].has_window = false;
	return losses;
}

static void set_loss(struct ui *ui, enum loss_cause cause, uint64_t since_start,
		     uint64_t in_window)
{
	ui->snapshot.losses.counts[cause].since_start = since_start;
	ui->snapshot.losses.counts[cause].in_window = in_window;
}

/* What the header says of it, too. */
static void lose_records(struct ui *ui)
{
	ui->snapshot.losses = nothing_lost();
	ui->snapshot.lost_kernel = 123456;
	ui->snapshot.throttled_ns = 2500000000;
	set_loss(ui, LOSS_RING_FULL, 123456, 1200);
	set_loss(ui, LOSS_READ, 123456, 1200);
	set_loss(ui, LOSS_RECORDED, 59258, 600);
	set_loss(ui, LOSS_THROTTLED, 2500000000, 0);
	set_loss(ui, LOSS_UNATTRIBUTED, 17, 2);
	set_loss(ui, LOSS_UNRESOLVED, 0, 345);
}

static void close_losses(int width, int height, const char *name)
{
	struct ui ui;

	ui_open(&ui, width, height);
	lose_records(&ui);
	ui_show(&ui);
	ui_press(&ui, "$");
	ui_close(&ui, name);
}

static void test_screens_of_losses(void **state)
{
	struct ui ui;

	(void)state;
	close_losses(40, 12, "loss_counters_40x12");
	close_losses(80, 24, "loss_counters_80x24");
	close_losses(120, 40, "loss_counters_120x40");
	close_losses(200, 60, "loss_counters_200x60");

	ui_open(&ui, 80, 50);
	ui.canvas.is_ascii = true;
	ui.snapshot.losses = nothing_lost();
	ui_show(&ui);
	ui_press(&ui, "$");
	ui_close(&ui, "loss_counters_none_ascii_80x50");

	ui_open(&ui, 80, 24);
	ui_press(&ui, "$");
	assert_true(ui_has(&ui, "nothing has been counted yet"));
	ui_finish(&ui);
}

/* Before Linux 6.0, in a window that nothing was kept of. */
static void test_screen_of_losses_that_are_not_known(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 120, 80);
	lose_records(&ui);
	ui.snapshot.losses.is_by_records = true;
	ui.snapshot.losses.counts[LOSS_READ] = (struct loss_count){ .has_start = false };
	for (int cause = 0; cause < LOSS_CAUSES; cause++)
		ui.snapshot.losses.counts[cause].has_window = false;
	ui_show(&ui);
	ui_press(&ui, "$");
	ui_close(&ui, "loss_counters_unknown_120x80");
}

static void test_words_of_the_header_lead_to_the_losses(void **state)
{
	struct ui ui;
	struct mouse at;

	(void)state;
	ui_open(&ui, 80, 24);
	lose_records(&ui);
	ui_show(&ui);
	at = ui_find(&ui, "123k lost");
	ui_click(&ui, MOUSE_PRESS, at.x, at.y);
	assert_true(ui_has(&ui, "Missing from what is shown"));
	at = ui_find(&ui, "! more");
	ui_click(&ui, MOUSE_PRESS, at.x, at.y);
	assert_true(ui_has(&ui, "Sampling"));
	ui_finish(&ui);
}

static void test_messages(void **state)
{
	struct ui ui;

	(void)state;
	open_table(&ui, 80, 24);
	ui_press(&ui, "!");
	ui_close(&ui, "messages_none_80x24");

	ui_open(&ui, 80, 24);
	lose_records(&ui);
	ui.snapshot.notice = "cycles cannot be sampled here (no PMU): cpu-clock instead\n"
				"kernel names are hidden: kernel.kptr_restrict is 2; run as root, "
				"or sysctl kernel.kptr_restrict=1";
	ui_show(&ui);
	ui_press(&ui, "!");
	ui_close(&ui, "messages_80x24");
}

/* One sentence of what happened, and where; one of what helps that program. */
static void test_messages_name_the_program_and_its_own_remedy(void **state)
{
	struct ui ui;

	(void)state;
	ui_open(&ui, 80, 24);
	ui.snapshot.losses = nothing_lost();
	set_loss(&ui, LOSS_NO_MAP, 2896, 2896);
	ui.snapshot.losses.processes[LOSS_NO_MAP] = (struct loss_process){
		.pid = 30874, .program = "java", .remedy = "java -XX:+PreserveFramePointer",
	};
	set_loss(&ui, LOSS_ENDED_FILE, 12, 3);
	ui.snapshot.losses.processes[LOSS_ENDED_FILE] = (struct loss_process){
		.pid = 77, .program = "prog", .file = "libold.so",
	};
	ui_show(&ui);
	ui_press(&ui, "!");
	ui_close(&ui, "messages_programs_80x24");
}

UNIT_TESTS(test_screens_boxes)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_row_menu),
		cmocka_unit_test(test_order_and_columns),
		cmocka_unit_test(test_columns_of_places),
		cmocka_unit_test(test_palette),
		cmocka_unit_test(test_filters_menu),
		cmocka_unit_test(test_source_menus),
		cmocka_unit_test(test_save_prompt),
		cmocka_unit_test(test_search_prompt),
		cmocka_unit_test(test_filter_prompt),
		cmocka_unit_test(test_messages_at_the_bottom),
		cmocka_unit_test(test_help),
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_messages_name_the_program_and_its_own_remedy),
		cmocka_unit_test(test_screens_of_losses),
		cmocka_unit_test(test_screen_of_losses_that_are_not_known),
		cmocka_unit_test(test_words_of_the_header_lead_to_the_losses),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
