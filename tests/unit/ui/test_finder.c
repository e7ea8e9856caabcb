/* The finder's box: what is typed, shown and taken. Its replies are made by the real search, over
 * names that are known here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "finder/target_index.h"
#include "finder/target_match.h"
#include "probe_fixture.h"
#include "ui_fixture.h"
#include "unit_tests.h"

#define INDEXES 5
#define ALL_INDEXES 9	/* with those of events */

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
	{ 5, "cycles", NULL, "cycles of the CPUs while they work",
	  "this machine has no hardware counters: virtual machines often have none" },
	{ 5, "branch-misses", NULL, "branches that were mispredicted",
	  "this machine has no hardware counters: virtual machines often have none" },
	{ 6, "cpu-clock", NULL, "time on a CPU, by a timer: there on every machine", NULL },
	{ 6, "page-faults", NULL, "memory that had to be mapped in", NULL },
	{ 7, "mem:ADDR[/LEN][:ACCESS]", NULL, "accesses to memory at an address", NULL },
	{ 8, "sched:sched_switch", NULL, "tracepoint sched_switch of sched; fields prev_comm, "
	  "prev_pid, prev_prio, prev_state, next_comm, next_pid, next_prio", NULL },
	{ 8, "syscalls:sys_enter_openat", NULL, "a thread enters the system call openat; fields "
	  "dfd, filename, flags, mode", NULL },
};

struct test_finder {
	struct ui ui;
	struct probe_control probes;
	struct finder_control control;
	struct target_index *indexes[ALL_INDEXES];
	struct target_match_work work;
	struct target_ranking ranking;
	struct target_reply reply;
	uint64_t number;
	char text[TARGET_QUERY_BYTES];
	pid_t pid;
	int renewals;
	bool is_loading, has_events;
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
	for (size_t i = 0; i < (test.has_events ? ALL_INDEXES : INDEXES); i++) {
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

static bool order(void *owner, const struct probe_request *order)
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
	test.indexes[5] = target_index_create(TARGET_HARDWARE_EVENT, "", "");
	test.indexes[6] = target_index_create(TARGET_SOFTWARE_EVENT, "", "");
	test.indexes[7] = target_index_create(TARGET_EVENT_FORM, "", "");
	test.indexes[8] = target_index_create(TARGET_TRACEPOINT_EVENT, "", "");
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
	test.control = (struct finder_control){ NULL, ask, reply, renew, NULL, -1 };
	test.probes = (struct probe_control){ .request = order, .fd = -1, .cap_pct = 5 };
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	ui_finish(&test.ui);
	for (size_t i = 0; i < ALL_INDEXES; i++)
		target_index_destroy(test.indexes[i]);
	return 0;
}

static struct finder *finder(void)
{
	return finder_of(&test.ui.state);
}

static void open_finder(int width, int height)
{
	ui_open(&test.ui, width, height);
	test.ui.state.probe_control = &test.probes;
	test.ui.state.finder_control = &test.control;
	ui_show(&test.ui);
	frame_draw(&test.ui.state, &test.ui.canvas);
	ui_press_key(&test.ui, UI_KEY_CTRL('P'));
	assert_true(finder()->is_open);
}

static void open_picker(int width, int height)
{
	ui_open(&test.ui, width, height);
	test.has_events = true;
	test.ui.state.finder_control = &test.control;
	ui_show(&test.ui);
	frame_draw(&test.ui.state, &test.ui.canvas);
	ui_press(&test.ui, "e");
	assert_true(finder()->is_open);
	assert_string_equal(test.text, "e:");
}

static void send_reply(void)
{
	finder_replied(&test.ui.state);
	frame_draw(&test.ui.state, &test.ui.canvas);
}

static void type(const char *text)
{
	ui_press(&test.ui, text);
	send_reply();
}

static void expect_frame(const char *name)
{
	ui_compare(name, ui_text(&test.ui));
}

static void test_before_the_first_reply_it_says_that_names_are_loaded(void **state)
{
	(void)state;
	open_finder(80, 24);
	assert_true(ui_has(&test.ui, "loading names"));
	test.is_loading = true;
	type("zz");
	assert_true(ui_has(&test.ui, "0 found \xc2\xb7 loading"));
	expect_frame("finder_loading_80x24");
}

static void test_what_is_found_is_listed_with_kind_and_origin(void **state)
{
	(void)state;
	open_finder(80, 24);
	send_reply();
	expect_frame("finder_80x24");
	type("vfs");
	expect_frame("finder_typed_80x24");
	ui_compare("finder_typed_roles_80x24", ui_roles(&test.ui));
}

static void test_on_a_large_screen(void **state)
{
	(void)state;
	open_finder(120, 40);
	type("m");
	expect_frame("finder_120x40");
}

static void test_on_a_small_screen(void **state)
{
	(void)state;
	open_finder(40, 12);
	type("mem");
	expect_frame("finder_40x12");
}

static void test_what_can_not_be_probed_says_why_when_it_is_taken(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("int3");
	ui_press_key(&test.ui, UI_KEY_ENTER);
	assert_true(finder()->is_open);
	assert_string_equal(test.ui.state.message, "notrace: the kernel traces nothing here");
	frame_draw(&test.ui.state, &test.ui.canvas);
	expect_frame("finder_unable_80x24");
}

static void test_nothing_found_says_what_could_be_typed(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("xyzzy");
	expect_frame("finder_nothing_80x24");
}

static void test_enter_hands_the_spec_to_the_panel(void **state)
{
	const struct probe_panel *panel;

	(void)state;
	open_finder(80, 24);
	panel = probe_panel_of(&test.ui.state);
	type("lib mallt");
	ui_press_key(&test.ui, UI_KEY_ENTER);
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
	test.ui.snapshot.target_pid = 4121;
	ui_show(&test.ui);
	type("malloc_t");
	assert_int_equal(test.pid, 4121);
	ui_press_key(&test.ui, UI_KEY_ENTER);
	assert_int_equal(probe_panel_of(&test.ui.state)->pid, 4121);
	assert_int_equal(probe_panel_of(&test.ui.state)->reach, REACH_PROCESS);
}

static void test_a_demangled_name_is_taken_by_its_own(void **state)
{
	static struct probe_choice choice;

	(void)state;
	open_finder(80, 24);
	type("till open");
	ui_press_key(&test.ui, UI_KEY_ENTER);
	assert_string_equal(probe_panel_of(&test.ui.state)->spec.function, "_ZN4shop4till4openEi");
	probe_panel_choice(probe_panel_of(&test.ui.state), false, &choice, NULL);
	assert_string_equal(choice.shown, "shop::till::open(int)");
}

static void test_enter_means_the_results_of_what_was_typed(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("malloc");
	ui_press(&test.ui, "_t");
	ui_press_key(&test.ui, UI_KEY_ENTER);		/* malloc_t is still searched for */
	assert_false(probe_panel_of(&test.ui.state)->is_open);
	send_reply();
	assert_true(probe_panel_of(&test.ui.state)->is_open);
	assert_string_equal(probe_panel_of(&test.ui.state)->spec.function, "malloc_trim");
}

static void test_a_letter_after_enter_takes_it_back(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("malloc");
	ui_press(&test.ui, "_");
	ui_press_key(&test.ui, UI_KEY_ENTER);
	ui_press(&test.ui, "t");
	send_reply();
	assert_true(finder()->is_open);
	assert_false(probe_panel_of(&test.ui.state)->is_open);
}

static void test_a_moved_cursor_stays_with_its_result_while_names_are_loaded(void **state)
{
	const struct target_name more = { .raw = "vfs_rea" };

	(void)state;
	open_finder(80, 24);
	type("vfs_re");
	ui_press_key(&test.ui, UI_KEY_DOWN);
	assert_string_equal(test.reply.results[finder()->cursor].spec, "lat:vfs_readv");
	assert_int_equal(target_index_add(test.indexes[2], &more), 0);
	test.text[5] = '\0';	/* all names are looked at again, as those of a new index are */
	send_reply();
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
	ui_press_key(&test.ui, UI_KEY_DOWN);
	type("x");
	assert_int_equal(finder()->cursor, 0);
}

static void test_tab_brings_the_spec_to_be_edited(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("vfs_w");
	ui_press_key(&test.ui, UI_KEY_TAB);
	assert_string_equal(finder()->input.text, "lat:vfs_write");
	assert_string_equal(test.text, "lat:vfs_write");
}

static void test_escape_goes_back_and_the_text_is_there_again(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("vfs");
	ui_press_key(&test.ui, UI_KEY_ESCAPE);
	assert_false(finder()->is_open);
	ui_press_key(&test.ui, UI_KEY_CTRL('P'));
	assert_true(finder()->is_open);
	assert_string_equal(finder()->input.text, "vfs");
}

static void test_opened_again_typing_replaces_what_was_typed_last(void **state)
{
	(void)state;
	open_finder(80, 24);
	type("vfs");
	ui_press_key(&test.ui, UI_KEY_ESCAPE);
	ui_press_key(&test.ui, UI_KEY_CTRL('P'));
	send_reply();
	ui_compare("finder_again_roles_80x24", ui_roles(&test.ui));
	type("mal");
	assert_string_equal(test.text, "mal");
	assert_string_equal(finder()->input.text, "mal");
	ui_press_key(&test.ui, UI_KEY_ESCAPE);
	ui_press_key(&test.ui, UI_KEY_CTRL('P'));
	ui_press_key(&test.ui, UI_KEY_END);		/* to go on with it */
	type("l");
	assert_string_equal(test.text, "mall");
}

/* A preset of several probes has no panel: each is requested as it stands. */
static void test_a_preset_of_several_probes_is_attached_at_once(void **state)
{
	const struct target_name preset = {
		.raw = "t:sched:sched_switch\nlat:vfs_read count if lat > 10ms",
		.shown = "slow things", .note = "both",
	};

	(void)state;
	assert_int_equal(target_index_add(test.indexes[0], &preset), 0);
	open_finder(80, 24);
	type("slow thi");
	ui_press_key(&test.ui, UI_KEY_TAB);
	assert_string_equal(test.ui.state.message, "it can't be edited here");
	ui_press_key(&test.ui, UI_KEY_ENTER);
	assert_false(finder()->is_open);
	assert_false(probe_panel_of(&test.ui.state)->is_open);
	assert_int_equal(test.ui.state.out.probe_count, 2);
	assert_string_equal(test.ui.state.out.probe_requests[0].choice.spec.text,
			    "t:sched:sched_switch");
	assert_string_equal(test.ui.state.out.probe_requests[1].choice.spec.text,
			    "lat:vfs_read count if lat > 10ms");
	assert_int_equal(test.ui.state.out.probe_requests[1].kind, PROBE_ADD);
}

/* "funclatency" alone lacks its function: it is typed after what is there. */
static void test_a_preset_that_needs_a_value_is_typed_on(void **state)
{
	const struct target_name preset = {
		.raw = "lat:", .shown = "latency of a function", .note = "of one",
		.aliases = "funclatency",
	};

	(void)state;
	assert_int_equal(target_index_add(test.indexes[0], &preset), 0);
	open_finder(80, 24);
	type("funclaten");
	ui_press_key(&test.ui, UI_KEY_ENTER);
	assert_true(finder()->is_open);
	assert_string_equal(finder()->input.text, "lat:");
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
	ui_press_key(&test.ui, UI_KEY_CTRL('U'));
	type("futexctn");
	assert_int_equal(test.reply.count, 1);
	assert_string_equal(test.reply.results[0].shown, "futex waits (futexctn)");
	ui_press_key(&test.ui, UI_KEY_ENTER);
	assert_int_equal(probe_panel_of(&test.ui.state)->spec.kind, PROBE_TRACEPOINT);
	assert_string_equal(probe_panel_of(&test.ui.state)->spec.function, "sys_enter_futex");
}

static void test_what_a_dead_flametop_left_is_removed_that_of_others_is_not(void **state)
{
	const struct probe_reply swept = { .kind = PROBE_SWEEP, .is_done = true, .done = 1,
					    .all = 1 };

	(void)state;
	open_finder(80, 24);
	type("probefoo");
	ui_press_key(&test.ui, UI_KEY_ENTER);
	assert_string_equal(test.ui.state.message, "another tool's");
	assert_int_equal(test.ui.state.out.probe_count, 0);
	ui_press_key(&test.ui, UI_KEY_CTRL('U'));
	type("flametop_1");
	ui_press_key(&test.ui, UI_KEY_ENTER);
	assert_int_equal(test.ui.state.out.probe_count, 1);
	assert_int_equal(test.ui.state.out.probe_requests[0].kind, PROBE_SWEEP);
	assert_int_equal(test.renewals, 0);
	input_probe_replied(&test.ui.state, &swept);
	assert_int_equal(test.renewals, 1);	/* else the row would stay */
}

static void test_a_click_chooses_a_second_one_takes_outside_closes(void **state)
{
	struct mouse place;

	(void)state;
	open_finder(80, 24);
	type("vfs_");
	place = ui_find(&test.ui, "vfs_write");
	ui_click(&test.ui, MOUSE_PRESS, place.x, place.y);
	assert_string_equal(test.reply.results[finder()->cursor].spec, "lat:vfs_write");
	ui_click(&test.ui, MOUSE_DOUBLE, place.x, place.y);
	assert_string_equal(probe_panel_of(&test.ui.state)->spec.function, "vfs_write");
	probe_panel_of(&test.ui.state)->is_open = false;
	ui_press_key(&test.ui, UI_KEY_CTRL('P'));
	ui_click(&test.ui, MOUSE_PRESS, 0, 0);
	assert_false(finder()->is_open);
}

static void test_without_probes_it_says_why(void **state)
{
	(void)state;
	test.probes.refusal = "--readonly forbids probes";
	ui_open(&test.ui, 80, 24);
	test.ui.state.probe_control = &test.probes;
	test.ui.state.finder_control = &test.control;
	ui_press_key(&test.ui, UI_KEY_CTRL('P'));
	assert_false(finder()->is_open);
	assert_string_equal(test.ui.state.message, "--readonly forbids probes");
}

/* All events are listed in their order, what does not open greyed with the reason; the cursor is on
 * the event that is sampled. */
static void test_the_picker_lists_events_with_a_sentence_each(void **state)
{
	(void)state;
	open_picker(80, 24);
	send_reply();
	assert_string_equal(test.reply.results[finder()->cursor].spec, "cpu-clock");
	expect_frame("picker_80x24");
	ui_compare("picker_roles_80x24", ui_roles(&test.ui));
}

static void test_the_event_that_is_sampled_may_have_modifiers(void **state)
{
	(void)state;
	open_picker(80, 24);
	test.ui.snapshot.event = "page-faults:u";
	ui_show(&test.ui);
	send_reply();
	assert_string_equal(test.reply.results[finder()->cursor].spec, "page-faults");
	send_reply();		/* it stays there while names are loaded */
	assert_string_equal(test.reply.results[finder()->cursor].spec, "page-faults");
	ui_press_key(&test.ui, UI_KEY_DOWN);
	send_reply();
	assert_string_equal(test.reply.results[finder()->cursor].spec, "mem:ADDR[/LEN][:ACCESS]");
}

static void test_the_picker_on_other_screens(void **state)
{
	(void)state;
	open_picker(120, 40);
	type("sched");
	expect_frame("picker_120x40");
	ui_finish(&test.ui);
	open_picker(40, 12);
	send_reply();
	expect_frame("picker_40x12");
	ui_finish(&test.ui);
	open_picker(200, 60);
	send_reply();
	expect_frame("picker_200x60");
}

static void expect_source(enum source_change_kind kind, const char *text)
{
	assert_int_equal(test.ui.source.count, 1);
	assert_int_equal(test.ui.source.asked[0].kind, kind);
	assert_string_equal(test.ui.source.asked[0].text, text);
	assert_false(finder()->is_open);
}

static void test_enter_in_the_picker_samples_the_event(void **state)
{
	(void)state;
	open_picker(80, 24);
	type("faul");
	ui_press_key(&test.ui, UI_KEY_ENTER);
	expect_source(SOURCE_EVENT, "page-faults");
}

static void test_an_event_is_found_by_what_it_is(void **state)
{
	(void)state;
	open_picker(80, 24);
	type("thread openat");	/* its name has no thread */
	assert_int_equal(test.reply.count, 1);
	ui_press_key(&test.ui, UI_KEY_ENTER);
	expect_source(SOURCE_EVENT, "syscalls:sys_enter_openat");
}

static void test_an_event_that_does_not_open_says_why(void **state)
{
	(void)state;
	open_picker(80, 24);
	type("cycles");
	ui_press_key(&test.ui, UI_KEY_ENTER);
	assert_true(finder()->is_open);
	assert_int_equal(test.ui.source.count, 0);
	assert_string_equal(test.ui.state.message, "this machine has no hardware counters: "
			    "virtual machines often have none");
}

static void test_a_form_is_completed(void **state)
{
	(void)state;
	open_picker(80, 24);
	type("mem");
	ui_press_key(&test.ui, UI_KEY_ENTER);
	assert_true(finder()->is_open);
	assert_int_equal(test.ui.source.count, 0);
	assert_true(ui_has(&test.ui, "it is a form"));
	ui_press_key(&test.ui, UI_KEY_TAB);
	assert_string_equal(finder()->input.text, "mem:ADDR[/LEN][:ACCESS]");
	assert_string_equal(test.text, "e:mem:ADDR[/LEN][:ACCESS]");
}

/* Types @text, and marks what is found first. */
static void mark(const char *text, int key)
{
	ui_press_key(&test.ui, UI_KEY_CTRL('U'));
	type(text);
	ui_press_key(&test.ui, key);
}

static void test_marked_events_are_sampled_together(void **state)
{
	(void)state;
	open_picker(80, 24);
	mark("page-f", UI_KEY_INSERT);
	mark("openat", UI_KEY_CTRL_SPACE);	/* the marks stay when another text is typed */
	mark("sched_sw", UI_KEY_INSERT);
	ui_press_key(&test.ui, UI_KEY_CTRL('U'));
	send_reply();
	assert_true(ui_has(&test.ui, "3 marked"));
	expect_frame("picker_marked_80x24");
	ui_press_key(&test.ui, UI_KEY_ENTER);
	expect_source(SOURCE_EVENT, "page-faults,syscalls:sys_enter_openat,sched:sched_switch");
}

static void test_the_event_that_is_shown_stays_shown_among_the_marked(void **state)
{
	(void)state;
	open_picker(80, 24);
	test.ui.snapshot.event = "page-faults:u";
	ui_show(&test.ui);
	mark("openat", UI_KEY_INSERT);
	mark("cpu-c", UI_KEY_INSERT);
	mark("page-f", UI_KEY_INSERT);
	ui_press_key(&test.ui, UI_KEY_ENTER);
	expect_source(SOURCE_EVENT, "page-faults,syscalls:sys_enter_openat,cpu-clock");
}

static void test_marking_again_takes_the_mark_away(void **state)
{
	(void)state;
	open_picker(80, 24);
	mark("cpu-c", UI_KEY_INSERT);
	mark("page-f", UI_KEY_INSERT);
	mark("cpu-c", UI_KEY_INSERT);
	assert_true(ui_has(&test.ui, "1 marked"));
	ui_press_key(&test.ui, UI_KEY_ENTER);
	expect_source(SOURCE_EVENT, "page-faults");
}

static void test_what_can_not_be_sampled_is_not_marked_and_says_why(void **state)
{
	(void)state;
	open_picker(80, 24);
	mark("cycles", UI_KEY_INSERT);
	assert_string_equal(test.ui.state.message, "this machine has no hardware counters: "
			    "virtual machines often have none");
	mark("mem", UI_KEY_INSERT);
	assert_true(ui_has(&test.ui, "it is a form"));
	assert_int_equal(finder()->marked_count, 0);
	ui_press_key(&test.ui, UI_KEY_ESCAPE);
	assert_int_equal(test.ui.source.count, 0);
}

static void test_escape_forgets_the_marks(void **state)
{
	(void)state;
	open_picker(80, 24);
	mark("page-f", UI_KEY_INSERT);
	ui_press_key(&test.ui, UI_KEY_ESCAPE);
	assert_int_equal(test.ui.source.count, 0);
	ui_press(&test.ui, "e");
	send_reply();
	assert_int_equal(finder()->marked_count, 0);
}

/* Insert and Enter that are pressed at once mean the results of what was typed. */
static void test_marking_waits_for_the_results(void **state)
{
	(void)state;
	open_picker(80, 24);
	mark("openat", UI_KEY_INSERT);
	ui_press_key(&test.ui, UI_KEY_CTRL('U'));
	ui_press(&test.ui, "page-f");
	ui_press_key(&test.ui, UI_KEY_INSERT);
	ui_press_key(&test.ui, UI_KEY_ENTER);
	assert_int_equal(finder()->marked_count, 1);
	send_reply();
	expect_source(SOURCE_EVENT, "syscalls:sys_enter_openat,page-faults");
}

static void test_more_marks_than_fit_are_refused(void **state)
{
	(void)state;
	open_picker(80, 24);
	mark("page-f", UI_KEY_INSERT);
	while (finder()->marked_count < FINDER_MARKS_MAX)
		snprintf(finder()->marked[finder()->marked_count++], TARGET_SPEC_BYTES, "some");
	mark("openat", UI_KEY_INSERT);
	assert_true(ui_has(&test.ui, "16 events are marked, and no more fit"));
	finder()->marked_count = 4;
	/* 1,000 of 1,024 bytes, commas among them; "syscalls:sys_enter_openat" needs 26. */
	for (size_t i = 0; i < 3; i++)
		snprintf(finder()->marked[i], TARGET_SPEC_BYTES, "%0319d", 0);
	snprintf(finder()->marked[3], TARGET_SPEC_BYTES, "%039d", 0);
	mark("openat", UI_KEY_INSERT);
	assert_true(ui_has(&test.ui, "4 events are marked, and no more fit"));
	finder()->marked[3][37] = '\0';
	mark("openat", UI_KEY_INSERT);
	assert_int_equal(finder()->marked_count, 5);
	ui_press_key(&test.ui, UI_KEY_ENTER);
	assert_int_equal(strlen(test.ui.source.asked[0].text), SOURCE_CHANGE_BYTES - 1);
}

static void test_the_finder_marks_nothing(void **state)
{
	(void)state;
	open_finder(80, 24);
	send_reply();
	ui_press_key(&test.ui, UI_KEY_INSERT);
	assert_int_equal(finder()->marked_count, 0);
	assert_true(ui_has(&test.ui, "then e"));
}

/* The finder finds events, too, but a tracepoint once: to be probed. */
static void test_the_finder_finds_events_and_keeps_its_own_text(void **state)
{
	(void)state;
	open_picker(80, 24);
	type("cpu-c");
	ui_press_key(&test.ui, UI_KEY_ESCAPE);
	test.ui.state.probe_control = &test.probes;
	ui_press_key(&test.ui, UI_KEY_CTRL('P'));
	assert_string_equal(finder()->input.text, "");
	type("sched_switch");
	assert_int_equal(test.reply.count, 1);
	assert_int_equal(test.reply.results[0].kind, TARGET_TRACEPOINT);
	ui_press_key(&test.ui, UI_KEY_CTRL('U'));
	type("page-faults");
	ui_press_key(&test.ui, UI_KEY_ENTER);
	expect_source(SOURCE_EVENT, "page-faults");
}

static void test_the_results_of_the_finder_are_not_those_of_the_picker(void **state)
{
	(void)state;
	open_picker(80, 24);
	ui_press_key(&test.ui, UI_KEY_ESCAPE);
	test.ui.state.probe_control = &test.probes;
	ui_press_key(&test.ui, UI_KEY_CTRL('P'));
	type("vfs");
	ui_press_key(&test.ui, UI_KEY_ESCAPE);
	ui_press(&test.ui, "e");
	assert_false(ui_has(&test.ui, "vfs_read"));
	assert_true(ui_has(&test.ui, "loading names"));
}

/* They are the first results, a sentence each, and Enter shows the hits of one; it is no event to
 * be sampled, marked or edited. */
static void test_the_picker_lists_the_probes_of_this_run(void **state)
{
	(void)state;
	open_picker(120, 40);
	test.ui.snapshot.probes = probe_fixture(0);
	ui_show(&test.ui);
	type(" ");
	assert_int_equal(finder()->probe_count, PROBE_FIXTURE_COUNT);
	for (size_t i = 0; i < PROBE_FIXTURE_COUNT; i++)
		for (size_t other = 0; other < i; other++)
			assert_string_not_equal(finder()->probes[i].note,
						finder()->probes[other].note);
	type("capped");
	assert_int_equal(finder()->probe_count, 1);
	assert_true(ui_has(&test.ui, "probe   malloc"));
	assert_true(ui_has(&test.ui, "hits of this run's probe: returns, ur:/usr/lib"));
	ui_press_key(&test.ui, UI_KEY_INSERT);
	assert_int_equal(finder()->marked_count, 0);
	ui_press_key(&test.ui, UI_KEY_TAB);
	assert_string_equal(test.ui.state.message, "it can't be edited here");
	ui_press_key(&test.ui, UI_KEY_ENTER);
	assert_false(finder()->is_open);
	assert_int_equal(test.ui.source.count, 0);
	assert_int_equal(state_probe_here(&test.ui.state), 7);
	assert_true(state_probe_hits(&test.ui.state));
	assert_int_equal(state_kind(&test.ui.state), VIEW_SYMBOLS);
	assert_int_equal(test.ui.state.query.asked_event, 131);
}

/* Its page says why it was refused, as there are no hits. */
static void test_a_refused_probe_of_the_picker_leads_to_its_page(void **state)
{
	(void)state;
	open_picker(120, 40);
	test.ui.snapshot.probes = probe_fixture(0);
	ui_show(&test.ui);
	type("do_idle");
	assert_int_equal(finder()->probe_count, 1);
	assert_false(finder()->probes[0].is_able);
	assert_true(ui_has(&test.ui, "called with interrupts off"));
	ui_press_key(&test.ui, UI_KEY_ENTER);
	assert_int_equal(state_probe_here(&test.ui.state), 8);
	assert_false(state_probe_hits(&test.ui.state));
}

UNIT_TESTS(test_finder)
{
#define FINDER_TEST(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		FINDER_TEST(test_before_the_first_reply_it_says_that_names_are_loaded),
		FINDER_TEST(test_the_picker_lists_the_probes_of_this_run),
		FINDER_TEST(test_a_refused_probe_of_the_picker_leads_to_its_page),
		FINDER_TEST(test_what_is_found_is_listed_with_kind_and_origin),
		FINDER_TEST(test_on_a_large_screen),
		FINDER_TEST(test_on_a_small_screen),
		FINDER_TEST(test_what_can_not_be_probed_says_why_when_it_is_taken),
		FINDER_TEST(test_nothing_found_says_what_could_be_typed),
		FINDER_TEST(test_enter_hands_the_spec_to_the_panel),
		FINDER_TEST(test_another_target_is_the_process_that_is_meant),
		FINDER_TEST(test_a_demangled_name_is_taken_by_its_own),
		FINDER_TEST(test_enter_means_the_results_of_what_was_typed),
		FINDER_TEST(test_a_letter_after_enter_takes_it_back),
		FINDER_TEST(test_a_moved_cursor_stays_with_its_result_while_names_are_loaded),
		FINDER_TEST(test_a_cursor_that_nobody_moved_stays_on_the_best),
		FINDER_TEST(test_tab_brings_the_spec_to_be_edited),
		FINDER_TEST(test_escape_goes_back_and_the_text_is_there_again),
		FINDER_TEST(test_opened_again_typing_replaces_what_was_typed_last),
		FINDER_TEST(test_a_preset_of_several_probes_is_attached_at_once),
		FINDER_TEST(test_a_preset_that_needs_a_value_is_typed_on),
		FINDER_TEST(test_a_preset_found_by_its_words_is_before_functions),
		FINDER_TEST(test_what_a_dead_flametop_left_is_removed_that_of_others_is_not),
		FINDER_TEST(test_a_click_chooses_a_second_one_takes_outside_closes),
		FINDER_TEST(test_without_probes_it_says_why),
		FINDER_TEST(test_the_picker_lists_events_with_a_sentence_each),
		FINDER_TEST(test_the_event_that_is_sampled_may_have_modifiers),
		FINDER_TEST(test_the_picker_on_other_screens),
		FINDER_TEST(test_enter_in_the_picker_samples_the_event),
		FINDER_TEST(test_an_event_is_found_by_what_it_is),
		FINDER_TEST(test_an_event_that_does_not_open_says_why),
		FINDER_TEST(test_a_form_is_completed),
		FINDER_TEST(test_marked_events_are_sampled_together),
		FINDER_TEST(test_the_event_that_is_shown_stays_shown_among_the_marked),
		FINDER_TEST(test_marking_again_takes_the_mark_away),
		FINDER_TEST(test_what_can_not_be_sampled_is_not_marked_and_says_why),
		FINDER_TEST(test_escape_forgets_the_marks),
		FINDER_TEST(test_marking_waits_for_the_results),
		FINDER_TEST(test_more_marks_than_fit_are_refused),
		FINDER_TEST(test_the_finder_marks_nothing),
		FINDER_TEST(test_the_finder_finds_events_and_keeps_its_own_text),
		FINDER_TEST(test_the_results_of_the_finder_are_not_those_of_the_picker),
	};

	setlocale(LC_ALL, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
