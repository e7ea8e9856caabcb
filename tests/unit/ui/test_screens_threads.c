/* Where threads are now: rows, deadlocks, the page of a stack, whose threads are asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "ui_fixture.h"
#include "unit_tests.h"

#define NOW_NS	  (5000 * CLOCK_NS_PER_S)
#define WALL_S	  (5000 + UI_WALL_OFFSET_S)	/* 14:05:33 */
#define THREADS	  9

static const struct {
	int width, height;
} sizes[] = { { 40, 12 }, { 80, 24 }, { 200, 60 } };

/* Who looks, instead of a thread: it keeps what was asked, and has one result. */
static struct looker {
	struct threads_control control;
	struct threads_request asked;
	uint32_t count;			/* requests so far */
	bool is_full;
	struct threads_found *found;	/* owned until it is taken */
} looker;

static bool ask(void *owner, const struct threads_request *request)
{
	(void)owner;
	if (looker.is_full)
		return false;
	looker.asked = *request;
	looker.count++;
	return true;
}

static struct threads_found *take(void *owner)
{
	struct threads_found *found = looker.found;

	(void)owner;
	looker.found = NULL;
	return found;
}

static const char *const commit[] = { "__futex_abstimed_wait", "__new_sem_wait_slow64",
				      "LWLockAcquireOrWait", "XLogFlush", "CommitTransaction" };
static const char *const flush[] = { "fdatasync", "issue_xlog_fsync", "XLogWrite" };
static const char *const lock_a[] = { "__GI___lll_lock_wait", "pthread_mutex_lock", "worker_a",
				      "run_thread" };
static const char *const lock_b[] = { "__GI___lll_lock_wait", "pthread_mutex_lock", "worker_b",
				      "run_thread" };

static struct thread_now blocked(uint32_t tid, const char *comm, char state, uint64_t for_ms,
				 const char *kernel)
{
	struct thread_now now = {
		.pid = tid < 9000 ? 4121 : 9001, .tid = tid, .inner_tid = tid, .state = state,
		.look = THREAD_READ, .time_ns = NOW_NS,
		.since_ns = NOW_NS - for_ms * CLOCK_NS_PER_MS,
		.kernel = kernel ? strdup(kernel) : NULL,
	};

	snprintf(now.comm, sizeof(now.comm), "%s", comm);
	return now;
}

static struct thread_entry at(const struct thread_now *now, const char *const *frames,
			      uint32_t count)
{
	return (struct thread_entry){ .now = now, .frames = frames, .frame_count = count };
}

/* 4121, 4123 and 4125 wait for a commit, 4126 for a disk, 4130 runs, 4131 ran meanwhile, 4132 may
 * not be read; 9002 and 9003 wait for each other. */
static struct threads_found *make_found(uint64_t number)
{
	struct threads_found *found = calloc(1, sizeof(*found));
	struct thread_now *now = calloc(THREADS, sizeof(*now));
	struct thread_entry entries[THREADS];

	assert_non_null(found);
	assert_non_null(now);
	now[0] = blocked(4121, "postgres", 'S', 4200, "futex_do_wait __futex_wait do_futex ");
	now[1] = blocked(4123, "postgres", 'S', 31, "futex_do_wait __futex_wait do_futex ");
	now[2] = blocked(4125, "postgres", 'S', 900, "futex_do_wait __futex_wait do_futex ");
	now[3] = blocked(4126, "walwriter", 'D', 31, "folio_wait_bit_common ext4_sync_file ");
	now[4] = blocked(4130, "postgres", 'R', 0, NULL);
	now[5] = blocked(4131, "postgres", 'S', 0, NULL);
	now[6] = blocked(4132, "ro\x1b[31mot", 'S', 3600000, NULL);
	now[7] = blocked(9002, "app", 'S', 720000, "futex_do_wait __futex_wait do_futex ");
	now[8] = blocked(9003, "app", 'S', 720000, "futex_do_wait __futex_wait do_futex ");
	now[4].since_ns = now[5].since_ns = 0;
	now[4].look = THREAD_RUNNING;
	now[5].look = THREAD_CHANGED;
	now[6].look = THREAD_REFUSED;
	now[8].is_since_exact = true;
	now[7].owner = 9003;
	now[8].owner = 9002;
	now[7].futex = 0x5040;
	now[8].futex = 0x5080;
	for (uint32_t i = 0; i < 3; i++)
		entries[i] = at(&now[i], commit, 5);
	entries[3] = at(&now[3], flush, 3);
	for (uint32_t i = 4; i < 7; i++)
		entries[i] = at(&now[i], NULL, 0);
	entries[7] = at(&now[7], lock_b, 4);
	entries[8] = at(&now[8], lock_a, 4);
	assert_int_equal(thread_rows_build(&found->rows, entries, THREADS), 0);
	found->number = number;
	found->threads = now;
	found->thread_count = THREADS;
	found->listing = (struct thread_listing){
		.rows = &found->rows, .host = "web-07", .incomplete = 2,
		.time_ns = WALL_S * CLOCK_NS_PER_S + 402 * CLOCK_NS_PER_MS,
		.took_ns = 3 * CLOCK_NS_PER_MS,
	};
	return found;
}

/* 4132 is a kernel thread. */
static struct threads_found *make_found_with_kernel(uint64_t number)
{
	struct threads_found *found = make_found(number);

	found->threads[6].look = THREAD_KERNEL_ONLY;
	found->threads[6].state = 'I';
	snprintf(found->threads[6].comm, sizeof(found->threads[6].comm), "kworker/0:1");
	return found;
}

static void begin(struct ui *ui, int width, int height)
{
	ui_open(ui, width, height);
	looker = (struct looker){ .control = { .ask = ask, .take = take, .fd = -1 } };
	ui->state.threads_control = &looker.control;
	ui->state.display.wall_offset_ns = UI_WALL_OFFSET_S * CLOCK_NS_PER_S;
	ui_show(ui);
	frame_draw(&ui->state, &ui->canvas);
}

static void end(struct ui *ui)
{
	threads_found_destroy(looker.found);
	ui_finish(ui);
}

static void find(struct ui *ui, struct threads_found *found)
{
	looker.found = found;
	view_threads_found(&ui->state);
}

static void open_view(struct ui *ui, int width, int height)
{
	begin(ui, width, height);
	ui_press(ui, "@");
	ui_reply(ui);
	find(ui, make_found(looker.asked.number));
}

static void search(struct ui *ui, const char *text)
{
	ui_press(ui, "/");
	ui_press(ui, text);
	ui_press_key(ui, UI_KEY_ENTER);
}

static void test_the_view_at_every_size(void **state)
{
	struct ui ui;
	char name[64];

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		open_view(&ui, sizes[i].width, sizes[i].height);
		snprintf(name, sizeof(name), "threads_now_%dx%d", sizes[i].width, sizes[i].height);
		ui_close(&ui, name);
	}
}

static void test_ascii_and_roles(void **state)
{
	struct ui ui;

	(void)state;
	open_view(&ui, 100, 24);
	ui.canvas.is_ascii = true;
	ui_compare("threads_now_roles_100x24", ui_roles(&ui));
	ui_close(&ui, "threads_now_ascii_100x24");
}

static void test_enter_opens_the_whole_stack(void **state)
{
	struct ui ui;

	(void)state;
	open_view(&ui, 80, 40);
	ui_press(&ui, "jj");
	ui_press_key(&ui, UI_KEY_ENTER);
	ui_compare("threads_now_stack_80x40", ui_text(&ui));
	ui_press_key(&ui, UI_KEY_ESCAPE);
	assert_true(ui_is(&ui, VIEW_THREADS));
	ui_press(&ui, "gg");	/* no command there: it stays */
	ui_press_key(&ui, UI_KEY_HOME);
	ui_press(&ui, "l");
	ui_close(&ui, "threads_now_stack_of_deadlock_80x40");
}

static void test_a_refused_one_says_why(void **state)
{
	struct ui ui;

	(void)state;
	open_view(&ui, 100, 24);
	search(&ui, "root only");
	assert_true(ui_has(&ui, "its stack may not be read"));
	ui_press_key(&ui, UI_KEY_ENTER);
	assert_true(ui_has(&ui, "Since     60 m 00 s"));
	assert_true(ui_has(&ui, "Waits for unknown"));
	assert_true(ui_has(&ui, "ro\\x1b[31mot"));
	end(&ui);
}

/* In the rows of tasks and commands it is the cursor's row, else what the breadcrumbs lead to. */
static void test_whose_threads_are_asked_for(void **state)
{
	struct filter_part part = { .field = FILTER_PID, .number = 4121, .text = "postgres" };
	struct ui ui;

	(void)state;
	begin(&ui, 100, 30);
	ui_press(&ui, "@");
	assert_int_equal(looker.count, 1);
	assert_int_equal(looker.asked.id, 0);
	assert_string_equal(looker.asked.comm, "");
	end(&ui);
	begin(&ui, 100, 30);
	ui.snapshot.target_pid = 77;	/* only one process is sampled */
	ui_press(&ui, "@");
	assert_int_equal(looker.asked.id, 77);
	end(&ui);
	begin(&ui, 100, 30);
	state_go(&ui.state, VIEW_SYMBOLS, &part);
	ui_reply(&ui);
	ui_press(&ui, "@");
	assert_int_equal(looker.asked.id, 4121);
	end(&ui);
	begin(&ui, 100, 30);
	ui_press(&ui, "3");
	ui_reply(&ui);
	ui_press(&ui, "@");
	assert_int_equal(looker.asked.id, 0);
	assert_string_equal(looker.asked.comm, "postgres");
	end(&ui);
	begin(&ui, 100, 30);
	ui_press(&ui, "4");
	ui_reply(&ui);
	ui_press(&ui, "@");
	assert_int_equal(looker.asked.id, 4121);
	ui_reply(&ui);
	ui_press_key(&ui, UI_KEY_BACKSPACE);
	ui_reply(&ui);
	assert_true(ui_is(&ui, VIEW_TASKS));
	end(&ui);
}

/* What was found stays until the next is there; one look at a time; late results are dropped. */
static void test_a_look_is_made_anew_by_its_key(void **state)
{
	struct ui ui;

	(void)state;
	begin(&ui, 100, 24);
	ui_press(&ui, "@");
	ui_reply(&ui);
	assert_true(ui_has(&ui, "reading where the threads are"));
	ui_press(&ui, "@");
	assert_int_equal(looker.count, 1);
	find(&ui, make_found(99));	/* an older look's */
	assert_true(ui_has(&ui, "reading where the threads are"));
	find(&ui, make_found(1));
	assert_true(ui_has(&ui, "9 threads of 2 processes"));
	assert_false(ui_has(&ui, "looking again"));
	ui_press(&ui, "@");
	assert_int_equal(looker.count, 2);
	assert_true(ui_has(&ui, "9 threads of 2 processes"));
	assert_true(ui_has(&ui, "looking again"));
	find(&ui, make_found(2));
	assert_false(ui_has(&ui, "looking again"));
	looker.is_full = true;
	ui_press(&ui, "@");
	assert_string_equal(ui.state.message, "the look before is still under way");
	end(&ui);
}

static void test_the_cursor_follows_a_thread(void **state)
{
	struct ui ui;
	struct threads_found *fewer;

	(void)state;
	open_view(&ui, 100, 24);
	ui_press(&ui, "jj");
	assert_true(ui_has(&ui, "▸ S         4.2 s     4121"));
	ui_press(&ui, "@");
	fewer = make_found(2);
	memmove(&fewer->rows.rows[0], &fewer->rows.rows[1],	/* the first row is gone */
		(fewer->rows.row_count - 1) * sizeof(*fewer->rows.rows));
	fewer->rows.row_count--;
	find(&ui, fewer);
	assert_true(ui_has(&ui, "▸ S         4.2 s     4121"));
	end(&ui);
}

/* Kernel threads come by a key; a filter leaves the rows with its text. */
static void test_kernel_threads_are_left_out_and_counted(void **state)
{
	struct ui ui;

	(void)state;
	open_view(&ui, 140, 24);
	assert_false(ui_has(&ui, "kernel threads left out"));
	ui_press(&ui, "@");
	find(&ui, make_found_with_kernel(2));
	assert_true(ui_has(&ui, "1 kernel threads left out (i shows them)"));
	assert_false(ui_has(&ui, " kworker/0:1 "));
	ui_press(&ui, "i");
	assert_false(ui_has(&ui, "left out"));
	assert_true(ui_has(&ui, " kworker/0:1 "));
	ui_press(&ui, "i");
	assert_false(ui_has(&ui, " kworker/0:1 "));
	end(&ui);
}

static void test_a_filter_leaves_the_rows_with_its_text(void **state)
{
	struct ui ui;

	(void)state;
	open_view(&ui, 140, 24);
	ui_press(&ui, "\\worker_a");
	ui_press_key(&ui, UI_KEY_ENTER);
	assert_true(ui_has(&ui, "with \u201cworker_a\u201d"));
	assert_true(ui_has(&ui, "worker_a"));
	assert_false(ui_has(&ui, "worker_b"));
	ui_press(&ui, "\\");
	ui_press(&ui, "nobody");
	assert_true(ui_has(&ui, "no thread has the text of the filter"));
	ui_press_key(&ui, UI_KEY_ESCAPE);
	assert_true(ui_has(&ui, "worker_a"));
	assert_false(ui_has(&ui, "worker_b"));
	end(&ui);
}

static void test_what_was_not_found_says_why(void **state)
{
	struct threads_found *nothing = calloc(1, sizeof(*nothing));
	struct ui ui;

	(void)state;
	assert_non_null(nothing);
	begin(&ui, 80, 24);
	ui_press(&ui, "@");
	ui_reply(&ui);
	nothing->number = 1;
	diag_set(&nothing->why, -ESRCH, "cannot list the threads: there are none");
	find(&ui, nothing);
	ui_press_key(&ui, UI_KEY_ENTER);
	assert_string_equal(ui.state.message, "there is no thread here");
	ui_compare("threads_now_none_80x24", ui_text(&ui));
	end(&ui);
	begin(&ui, 80, 24);
	ui.state.threads_control = NULL;
	ui_press(&ui, "@");
	assert_true(ui_is(&ui, VIEW_SYMBOLS));
	assert_string_equal(ui.state.message,
			    "threads are read where they run: start flametop without -i");
	ui_finish(&ui);
}

static void test_rows_are_searched_and_clicked(void **state)
{
	struct ui ui;
	struct mouse mouse;

	(void)state;
	open_view(&ui, 100, 24);
	search(&ui, "ext4");	/* a kernel function, which the row does not show */
	assert_true(ui_has(&ui, "▸ D         31 ms     4126"));
	search(&ui, "postgres");
	assert_true(ui_has(&ui, "▸ S         4.2 s     4121"));
	ui_press(&ui, "n");
	assert_false(ui_has(&ui, "▸ S         4.2 s     4121"));
	mouse = ui_find(&ui, "9003");
	ui_click(&ui, MOUSE_PRESS, mouse.x, mouse.y);
	assert_true(ui_has(&ui, "9003 of process 9001"));
	assert_true(ui_has(&ui, "lock 0x5080"));
	assert_true(ui_has(&ui, "since 13:53:33.000"));		/* 12 minutes before 14:05:33 */
	mouse = ui_find(&ui, "9002 ");
	ui_click(&ui, MOUSE_PRESS, mouse.x, mouse.y);
	assert_true(ui_has(&ui, "since about 13:53:33 "));
	end(&ui);
}

UNIT_TESTS(test_screens_threads)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_view_at_every_size),
		cmocka_unit_test(test_ascii_and_roles),
		cmocka_unit_test(test_enter_opens_the_whole_stack),
		cmocka_unit_test(test_a_refused_one_says_why),
		cmocka_unit_test(test_whose_threads_are_asked_for),
		cmocka_unit_test(test_a_look_is_made_anew_by_its_key),
		cmocka_unit_test(test_the_cursor_follows_a_thread),
		cmocka_unit_test(test_kernel_threads_are_left_out_and_counted),
		cmocka_unit_test(test_a_filter_leaves_the_rows_with_its_text),
		cmocka_unit_test(test_what_was_not_found_says_why),
		cmocka_unit_test(test_rows_are_searched_and_clicked),
	};

	setlocale(LC_CTYPE, "C.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
