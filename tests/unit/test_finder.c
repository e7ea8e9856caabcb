/* The finder's box: what is typed, shown and taken. Its answers are made by the real search, over
 * names that are known here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "probe/target_index.h"
#include "probe/target_query.h"
#include "scene_fixture.h"

#define INDEXES 5

struct test_name {
	size_t index;
	const char *raw, *shown, *note, *reason;
};

static const struct test_name names[] = {
	{ 0, "t:sched:sched_process_exec filename", "new processes",
	  "each program that is started, with its file", NULL },
	{ 1, "sched:sched_switch", NULL, NULL, NULL },
	{ 1, "sched:sched_waking", NULL, NULL, NULL },
	{ 2, "vfs_read", NULL, NULL, NULL },
	{ 2, "vfs_readv", NULL, NULL, NULL },
	{ 2, "vfs_write", NULL, NULL, NULL },
	{ 2, "do_int3", NULL, NULL, "notrace: the kernel traces nothing here" },
	{ 2, "nf_hook_slow", NULL, "nf_tables", NULL },
	{ 3, "malloc", NULL, NULL, NULL },
	{ 3, "malloc_trim", NULL, NULL, NULL },
	{ 3, "_ZN4shop4till4openEi", "shop::till::open(int)", NULL, NULL },
	{ 3, "memcpy", NULL, NULL, "chooses its code when the program starts" },
	{ 4, "probe:foo", "p:probe/foo vfs_read", NULL, "another tool's" },
	{ 4, "flametop_1_2_3:p0", "p:flametop_1_2_3/p0 vfs_write", NULL, NULL },
};

struct test_finder {
	struct scene scene;
	struct probe_control probes;
	struct finder_control control;
	struct target_index *indexes[INDEXES];
	struct target_match_work work;
	struct target_ranking ranking;
	struct target_reply reply;
	uint64_t number;
	char text[TARGET_QUERY_BYTES];
	pid_t pid;
	int renewals;
	bool is_loading;
};

static struct test_finder test;

static void ask(void *owner, uint64_t number, const char *text, pid_t pid)
{
	(void)owner;
	test.pid = pid;
	test.number = number;
	snprintf(test.text, sizeof(test.text), "%s", text);
}

static void renew(void *owner)
{
	(void)owner;
	test.renewals++;
}

/* As the finder's thread does it. */
static const struct target_reply *reply(void *owner)
{
	_Atomic uint64_t newest = test.number;
	struct target_query query;

	(void)owner;
	target_query_make(&query, test.text);
	test.ranking.count = test.ranking.matches = 0;
	for (size_t i = 0; i < INDEXES; i++) {
		const struct target_search search = {
			.pattern = &query.pattern, .text = query.words, .order = (uint32_t)i,
			.work = &test.work, .ranking = &test.ranking, .newest = &newest,
			.number = test.number,
		};

		if (query.kinds >> target_index_kind(test.indexes[i]) & 1)
			assert_true(target_index_search(test.indexes[i], &search));
	}
	test.reply.number = test.number;
	test.reply.matches = test.ranking.matches;
	test.reply.count = test.ranking.count;
	test.reply.is_loading = test.is_loading;
	for (size_t i = 0; i < test.ranking.count; i++)
		target_index_result(&test.ranking.hits[i], &query.pattern, &test.work,
				    target_query_prefix(&query, target_index_kind(
					    test.ranking.hits[i].index)),
				    &test.reply.results[i]);
	return &test.reply;
}

static bool order(void *owner, const struct probe_order *order)
{
	(void)owner;
	(void)order;
	return true;
}

static int set_up(void **state)
{
	(void)state;
	test = (struct test_finder){ .number = 0 };
	test.indexes[0] = target_index_create(TARGET_PRESET, "", "");
	test.indexes[1] = target_index_create(TARGET_TRACEPOINT, "", "tracepoint");
	test.indexes[2] = target_index_create(TARGET_KERNEL_FUNCTION, "", "kernel");
	test.indexes[3] = target_index_create(TARGET_USER_FUNCTION, "/usr/lib/libc.so.6",
					      "/usr/lib/libc.so.6");
	test.indexes[4] = target_index_create(TARGET_LEFTOVER, "", "left");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const struct test_name *from = &names[i];
		const struct target_name name = {
			.raw = from->raw, .shown = from->shown, .note = from->note,
			.reason = from->reason ?
				  target_index_reason(test.indexes[from->index], from->reason) : 0,
			.is_stale = from->index == 4 && !from->reason,
		};

		assert_int_equal(target_index_add(test.indexes[from->index], &name), 0);
	}
	test.control = (struct finder_control){ NULL, ask, reply, renew, -1 };
	test.probes = (struct probe_control){ .order = order, .fd = -1, .cap_pct = 5 };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	scene_finish(&test.scene);
	for (size_t i = 0; i < INDEXES; i++)
		target_index_destroy(test.indexes[i]);
	return 0;
}

static struct finder *finder(void)
{
	return &test.scene.state.finder;
}

static void open_finder(int width, int height)
{
	scene_open(&test.scene, width, height);
	test.scene.state.probe_control = &test.probes;
	test.scene.state.finder_control = &test.control;
	scene_show(&test.scene);
	frame_draw(&test.scene.state, &test.scene.canvas);
	scene_press_key(&test.scene, UI_KEY_CTRL('P'));
	assert_true(finder()->is_open);
}

static void answer(void)
{
	finder_replied(&test.scene.state);
	frame_draw(&test.scene.state, &test.scene.canvas);
}

static void type(const char *text)
{
	scene_press(&test.scene, text);
	answer();
}

static void expect_picture(const char *name)
{
	scene_compare(name, scene_text(&test.scene));
}

static void test_before_the_first_answer_it_says_that_names_are_loaded(void **state)
{
	(void)state;
	open_finder(80, 24);
	assert_true(scene_has(&test.scene, "loading names"));
	test.is_loading = true;
	type("zz");
	assert_true(scene_has(&test.scene, "0 found \xc2\xb7 loading"));
	expect_picture("finder_loading_80x24");
}

static void test_what_is_found_is_listed_with_kind_and_origin(void **state)
{
	(void)state;
	open_finder(80, 24);
	answer();
	expect_picture("finder_80x24");
	type("vfs");
	expect_picture("finder_typed_80x24");
	scene_compare("finder_typed_roles_80x24", scene_roles(&test.scene));
}

static void test_on_a_large_screen(void **state)
{
	(void)state;
	open_finder(120, 40);
	type("m");
	expect_picture("finder_120x40");
}

static void test_on_a_small_screen(void **state)
{
	(void)state;
	open_finder(40, 12);
	type("mem");
	expect_picture("finder_40x12");
}

static void test_what_can_not_be_probed_says_why_when_it_is_taken(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("int3");
	scene_press_key(&test.scene, UI_KEY_ENTER);
	assert_true(finder()->is_open);
	assert_string_equal(test.scene.state.message, "notrace: the kernel traces nothing here");
	frame_draw(&test.scene.state, &test.scene.canvas);
	expect_picture("finder_unable_80x24");
}

static void test_nothing_found_says_what_could_be_typed(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("xyzzy");
	expect_picture("finder_nothing_80x24");
}

static void test_enter_hands_the_spec_to_the_panel(void **state)
{
	const struct probe_panel *panel = &test.scene.state.panel;

	(void)state;
	open_finder(80, 24);
	type("lib mallt");
	scene_press_key(&test.scene, UI_KEY_ENTER);
	assert_false(finder()->is_open);
	assert_true(panel->is_open);
	assert_string_equal(panel->spec.function, "malloc_trim");
	assert_string_equal(panel->spec.file, "/usr/lib/libc.so.6");
}

static void test_another_target_is_the_process_that_is_meant(void **state)
{
	(void)state;
	open_finder(80, 24);
	assert_int_equal(test.pid, 0);
	test.scene.snapshot.target_pid = 4121;
	scene_show(&test.scene);
	type("malloc_t");
	assert_int_equal(test.pid, 4121);
	scene_press_key(&test.scene, UI_KEY_ENTER);
	assert_int_equal(test.scene.state.panel.pid, 4121);
	assert_int_equal(test.scene.state.panel.reach, REACH_PROCESS);
}

static void test_a_demangled_name_is_taken_by_its_own(void **state)
{
	static struct probe_choice choice;

	(void)state;
	open_finder(80, 24);
	type("till open");
	scene_press_key(&test.scene, UI_KEY_ENTER);
	assert_string_equal(test.scene.state.panel.spec.function, "_ZN4shop4till4openEi");
	probe_panel_choice(&test.scene.state.panel, false, &choice, NULL);
	assert_string_equal(choice.shown, "shop::till::open(int)");
}

static void test_enter_means_the_results_of_what_was_typed(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("malloc");
	scene_press(&test.scene, "_t");
	scene_press_key(&test.scene, UI_KEY_ENTER);	/* malloc_t is still searched for */
	assert_false(test.scene.state.panel.is_open);
	answer();
	assert_true(test.scene.state.panel.is_open);
	assert_string_equal(test.scene.state.panel.spec.function, "malloc_trim");
}

static void test_a_letter_behind_enter_takes_it_back(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("malloc");
	scene_press(&test.scene, "_");
	scene_press_key(&test.scene, UI_KEY_ENTER);
	scene_press(&test.scene, "t");
	answer();
	assert_true(finder()->is_open);
	assert_false(test.scene.state.panel.is_open);
}

static void test_a_moved_cursor_stays_with_its_result_while_names_are_loaded(void **state)
{
	const struct target_name more = { .raw = "vfs_rea" };

	(void)state;
	open_finder(80, 24);
	type("vfs_re");
	scene_press_key(&test.scene, UI_KEY_DOWN);
	assert_string_equal(test.reply.results[finder()->cursor].spec, "lat:vfs_readv");
	assert_int_equal(target_index_add(test.indexes[2], &more), 0);
	test.text[5] = '\0';	/* all names are looked at again, as those of a new index are */
	answer();
	assert_int_equal(finder()->cursor, 2);
	assert_string_equal(test.reply.results[2].spec, "lat:vfs_readv");
}

static void test_a_cursor_that_nobody_moved_stays_on_the_best(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("vfs_write");
	assert_int_equal(finder()->cursor, 0);
	assert_string_equal(test.reply.results[0].spec, "lat:vfs_write");
	scene_press_key(&test.scene, UI_KEY_DOWN);
	type("x");
	assert_int_equal(finder()->cursor, 0);
}

static void test_tab_brings_the_spec_to_be_edited(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("vfs_w");
	scene_press_key(&test.scene, UI_KEY_TAB);
	assert_string_equal(finder()->input.text, "lat:vfs_write");
	assert_string_equal(test.text, "lat:vfs_write");
}

static void test_escape_goes_back_and_the_text_is_there_again(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("vfs");
	scene_press_key(&test.scene, UI_KEY_ESCAPE);
	assert_false(finder()->is_open);
	scene_press_key(&test.scene, UI_KEY_CTRL('P'));
	assert_true(finder()->is_open);
	assert_string_equal(finder()->input.text, "vfs");
}

static void test_opened_again_typing_replaces_what_was_typed_last(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("vfs");
	scene_press_key(&test.scene, UI_KEY_ESCAPE);
	scene_press_key(&test.scene, UI_KEY_CTRL('P'));
	answer();
	scene_compare("finder_again_roles_80x24", scene_roles(&test.scene));
	type("mal");
	assert_string_equal(test.text, "mal");
	assert_string_equal(finder()->input.text, "mal");
	scene_press_key(&test.scene, UI_KEY_ESCAPE);
	scene_press_key(&test.scene, UI_KEY_CTRL('P'));
	scene_press_key(&test.scene, UI_KEY_END);	/* to go on with it */
	type("l");
	assert_string_equal(test.text, "mall");
}

/* "futex wai" means the preset, though a function is called so, too. */
static void test_a_preset_found_by_its_words_is_before_functions(void **state)
{
	const struct target_name function = { .raw = "do_futex_wait" };
	const struct target_name preset = {
		.raw = "lat:t:syscalls:sys_enter_futex op", .shown = "futex waits",
		.note = "how long threads sleep", .aliases = "futexctn",
	};

	(void)state;
	assert_int_equal(target_index_add(test.indexes[2], &function), 0);
	assert_int_equal(target_index_add(test.indexes[0], &preset), 0);
	open_finder(80, 24);
	type("futex wai");
	assert_string_equal(test.reply.results[0].shown, "futex waits");
	assert_string_equal(test.reply.results[1].shown, "do_futex_wait");
	scene_press_key(&test.scene, UI_KEY_CTRL('U'));
	type("futexctn");
	assert_int_equal(test.reply.count, 1);
	assert_string_equal(test.reply.results[0].shown, "futex waits (futexctn)");
	scene_press_key(&test.scene, UI_KEY_ENTER);
	assert_int_equal(test.scene.state.panel.spec.kind, PROBE_TRACEPOINT);
	assert_string_equal(test.scene.state.panel.spec.function, "sys_enter_futex");
}

static void test_what_a_dead_flametop_left_is_removed_that_of_others_is_not(void **state)
{
	const struct probe_answer swept = { .kind = PROBE_SWEEP, .is_done = true, .done = 1,
					    .all = 1 };

	(void)state;
	open_finder(80, 24);
	type("probefoo");
	scene_press_key(&test.scene, UI_KEY_ENTER);
	assert_string_equal(test.scene.state.message, "another tool's");
	assert_int_equal(test.scene.state.order_count, 0);
	scene_press_key(&test.scene, UI_KEY_CTRL('U'));
	type("flametop_1");
	scene_press_key(&test.scene, UI_KEY_ENTER);
	assert_int_equal(test.scene.state.order_count, 1);
	assert_int_equal(test.scene.state.orders_out[0].kind, PROBE_SWEEP);
	assert_int_equal(test.renewals, 0);
	state_probe_answered(&test.scene.state, &swept);
	assert_int_equal(test.renewals, 1);	/* else the row would stay */
}

static void test_a_click_chooses_a_second_one_takes_outside_closes(void **state)
{
	struct mouse place;

	(void)state;
	open_finder(80, 24);
	type("vfs_");
	place = scene_find(&test.scene, "vfs_write");
	scene_click(&test.scene, MOUSE_PRESS, place.x, place.y);
	assert_string_equal(test.reply.results[finder()->cursor].spec, "lat:vfs_write");
	scene_click(&test.scene, MOUSE_DOUBLE, place.x, place.y);
	assert_string_equal(test.scene.state.panel.spec.function, "vfs_write");
	test.scene.state.panel.is_open = false;
	scene_press_key(&test.scene, UI_KEY_CTRL('P'));
	scene_click(&test.scene, MOUSE_PRESS, 0, 0);
	assert_false(finder()->is_open);
}

static void test_without_probes_it_says_why(void **state)
{
	(void)state;
	test.probes.refusal = "--readonly forbids probes";
	scene_open(&test.scene, 80, 24);
	test.scene.state.probe_control = &test.probes;
	test.scene.state.finder_control = &test.control;
	scene_press_key(&test.scene, UI_KEY_CTRL('P'));
	assert_false(finder()->is_open);
	assert_string_equal(test.scene.state.message, "--readonly forbids probes");
}

int main(void)
{
#define FINDER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		FINDER_TEST(test_before_the_first_answer_it_says_that_names_are_loaded),
		FINDER_TEST(test_what_is_found_is_listed_with_kind_and_origin),
		FINDER_TEST(test_on_a_large_screen),
		FINDER_TEST(test_on_a_small_screen),
		FINDER_TEST(test_what_can_not_be_probed_says_why_when_it_is_taken),
		FINDER_TEST(test_nothing_found_says_what_could_be_typed),
		FINDER_TEST(test_enter_hands_the_spec_to_the_panel),
		FINDER_TEST(test_another_target_is_the_process_that_is_meant),
		FINDER_TEST(test_a_demangled_name_is_taken_by_its_own),
		FINDER_TEST(test_enter_means_the_results_of_what_was_typed),
		FINDER_TEST(test_a_letter_behind_enter_takes_it_back),
		FINDER_TEST(test_a_moved_cursor_stays_with_its_result_while_names_are_loaded),
		FINDER_TEST(test_a_cursor_that_nobody_moved_stays_on_the_best),
		FINDER_TEST(test_tab_brings_the_spec_to_be_edited),
		FINDER_TEST(test_escape_goes_back_and_the_text_is_there_again),
		FINDER_TEST(test_opened_again_typing_replaces_what_was_typed_last),
		FINDER_TEST(test_a_preset_found_by_its_words_is_before_functions),
		FINDER_TEST(test_what_a_dead_flametop_left_is_removed_that_of_others_is_not),
		FINDER_TEST(test_a_click_chooses_a_second_one_takes_outside_closes),
		FINDER_TEST(test_without_probes_it_says_why),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
