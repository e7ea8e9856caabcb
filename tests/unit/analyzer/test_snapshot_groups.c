/* Processes above their threads, and what /proc says of both. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/snapshot_build.h"
#include "model_fixture.h"
#include "unit_tests.h"

#define S 1000000000ull
#define KEYS_THREADS (KEY_PID | KEY_TID)
#define KEYS_GROUPED (KEYS_THREADS | KEY_GROUP)
#define NOBODY 0x7ffffff0u	/* no kernel gives such a pid */

static struct model_fixture model;
static struct process_reader *reader;
static struct task_stats stats;

static int set_up(void **state)
{
	struct diag why;

	(void)state;
	fixture_init(&model);
	assert_int_equal(process_reader_create(&reader, &why), 0);
	task_stats_init(&stats, reader);
	stats.ticks_per_s = 100;
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	task_stats_finish(&stats);
	process_reader_destroy(reader);
	fixture_finish(&model);
	return 0;
}

static bool is_past;

static struct snapshot *build(unsigned int keys, const struct slice_entry *entries, uint32_t count)
{
	const struct snapshot head = { .keys = keys };
	const struct row_sources sources = { .tasks = &stats, .is_past = is_past };
	struct fold fold = fixture_fold(&model, keys, entries, count);
	struct snapshot *snapshot = snapshot_build(&head, &fold, &sources);

	assert_non_null(snapshot);
	fold_finish(&fold);
	return snapshot;
}

static uint32_t stack_of(enum fixture_function leaf)
{
	const enum fixture_function calls[] = { leaf, FN_MAIN };

	return fixture_calls(&model, calls, 2);
}

static struct slice_entry entry_of(uint32_t pid, uint32_t tid, const char *comm, uint32_t count)
{
	return (struct slice_entry){
		.stack = stack_of(FN_F), .task = fixture_task(&model, pid, tid, comm),
		.count = count, .weight = count * 10,
	};
}

/* The row of a thread, or with @tid -1 of the process. */
static const struct snapshot_row *row_of(const struct snapshot *snapshot, int64_t pid, int64_t tid)
{
	for (size_t i = 0; i < snapshot->row_count; i++)
		if (snapshot->rows[i].pid == pid && snapshot->rows[i].tid == tid)
			return &snapshot->rows[i];
	fail_msg("no row of pid %d, tid %d", (int)pid, (int)tid);
	return NULL;
}

/*   pid 7: tid 7 "app" 5, tid 8 "worker" 3 and "worker2" 1     pid 9: tid 9 "one" 2
 *   pid 0: 4, in the idle task */
static uint32_t put_tasks(struct slice_entry *entries)
{
	uint32_t count = 0;

	entries[count++] = entry_of(7, 8, "worker", 3);
	entries[count++] = entry_of(7, 7, "app", 5);
	entries[count++] = entry_of(7, 8, "worker2", 1);
	entries[count++] = entry_of(9, 9, "one", 2);
	entries[count++] = entry_of(0, 0, "swapper", 4);
	return count;
}

static void test_a_process_is_the_sum_of_its_threads(void **state)
{
	struct slice_entry entries[8];
	struct snapshot *snapshot = build(KEYS_GROUPED, entries, put_tasks(entries));
	const struct snapshot_row *process = row_of(snapshot, 7, -1);

	(void)state;
	assert_int_equal(snapshot->row_count, 4 + 3);
	assert_int_equal(process->now.self.samples, 9);
	/* A sample is in one row of processes, however many frames it has. */
	assert_int_equal(process->now.total.samples, 9);
	assert_true(process->now.self.weight == 90 && process->now.total.weight == 90);
	assert_int_equal(process->tasks, 2);	/* threads; their names do not count */
	assert_string_equal(process->comm, "app");
	assert_int_equal(process->group_id, 0);
	assert_false(process->is_idle);
	assert_int_equal(row_of(snapshot, 9, -1)->tasks, 1);
	assert_int_equal(row_of(snapshot, 9, -1)->now.self.samples, 2);
	snapshot_destroy(snapshot);
}

/*   pid 7: in a, then moved to b, by both threads     pid 9: only a     pid 0: unknown */
static void test_a_process_is_where_it_was_moved_to(void **state)
{
	struct slice_entry entries[8];
	const uint32_t count = put_tasks(entries);
	struct snapshot *snapshot;

	(void)state;
	entries[0].task = fixture_task_in(&model, 7, 8, "worker", "/a.service");
	entries[1].task = fixture_task_in(&model, 7, 7, "app", "/lxc/b/b.service");
	entries[2].task = fixture_task_in(&model, 7, 8, "worker", "/lxc/b/b.service");
	entries[3].task = fixture_task_in(&model, 9, 9, "one", "/a.service");
	snapshot = build(KEYS_GROUPED, entries, count);
	assert_string_equal(row_of(snapshot, 7, -1)->cgroup, "/lxc/b/b.service");
	assert_string_equal(row_of(snapshot, 7, -1)->unit, "b.service");
	assert_string_equal(row_of(snapshot, 7, -1)->container, "b");
	assert_string_equal(row_of(snapshot, 7, -1)->pod, "");
	assert_string_equal(row_of(snapshot, 7, 8)->cgroup, "/lxc/b/b.service");
	assert_string_equal(row_of(snapshot, 9, -1)->cgroup, "/a.service");
	assert_string_equal(row_of(snapshot, 9, 9)->unit, "a.service");
	assert_string_equal(row_of(snapshot, 0, 0)->cgroup, "");
	snapshot_destroy(snapshot);
	snapshot = build(KEY_DSO | KEY_SYMBOL, entries, count);
	assert_string_equal(snapshot->rows[0].cgroup, "");	/* a row of many cgroups has none */
	snapshot_destroy(snapshot);
}

/* The table has forgotten the process, its samples have not. */
static void test_who_ended_is_where_its_samples_were(void **state)
{
	struct slice_entry entries[8];
	const uint32_t count = put_tasks(entries);
	struct snapshot *snapshot;

	(void)state;
	entries[3].task = fixture_task_in(&model, 9, 9, "one", "/a.service");
	task_table_forget(&model.tasks);
	snapshot = build(KEYS_GROUPED, entries, count);
	assert_string_equal(row_of(snapshot, 9, -1)->cgroup, "/a.service");
	snapshot_destroy(snapshot);
}

static void test_processes_threads_and_samples_add_up_alike(void **state)
{
	struct slice_entry entries[8];
	struct snapshot *snapshot = build(KEYS_GROUPED, entries, put_tasks(entries));
	uint64_t processes = 0, threads = 0;

	(void)state;
	for (size_t i = 0; i < snapshot->row_count; i++)
		*(snapshot->rows[i].group_id ? &threads : &processes) +=
			snapshot->rows[i].now.self.samples;
	assert_int_equal(processes, 15);
	assert_int_equal(threads, 15);
	for (size_t i = 1; i < snapshot->row_count; i++)
		assert_true(snapshot->rows[i - 1].now.self.weight >=
			    snapshot->rows[i].now.self.weight);
	snapshot_destroy(snapshot);
}

static void test_threads_know_their_process_by_id(void **state)
{
	struct slice_entry entries[8];
	struct snapshot *snapshot = build(KEYS_GROUPED, entries, put_tasks(entries));
	const uint64_t id = row_of(snapshot, 7, -1)->id;

	(void)state;
	assert_true(row_of(snapshot, 7, 7)->group_id == id);
	assert_true(row_of(snapshot, 7, 8)->group_id == id);
	assert_true(row_of(snapshot, 9, 9)->group_id == row_of(snapshot, 9, -1)->id);
	for (size_t i = 0; i < snapshot->row_count; i++)
		for (size_t other = 0; other < i; other++)
			assert_true(snapshot->rows[i].id != snapshot->rows[other].id);
	snapshot_destroy(snapshot);
}

/* Only one other thread is left in the window: the process is the same row. */
static void test_the_id_of_a_process_depends_on_its_pid_only(void **state)
{
	struct slice_entry entries[8];
	struct snapshot *before = build(KEYS_GROUPED, entries, put_tasks(entries)), *after;
	const struct slice_entry later = entry_of(7, 100, "new", 1);

	(void)state;
	after = build(KEYS_GROUPED, &later, 1);
	assert_true(row_of(before, 7, -1)->id == row_of(after, 7, -1)->id);
	snapshot_destroy(before);
	snapshot_destroy(after);
}

static void test_the_idle_task_is_an_idle_process(void **state)
{
	struct slice_entry entries[8];
	struct snapshot *snapshot = build(KEYS_GROUPED, entries, put_tasks(entries));

	(void)state;
	assert_true(row_of(snapshot, 0, -1)->is_idle && row_of(snapshot, 0, 0)->is_idle);
	assert_int_equal(row_of(snapshot, 0, -1)->now.self.samples, 4);
	assert_string_equal(row_of(snapshot, 0, -1)->comm, "swapper");
	snapshot_destroy(snapshot);
}

static void test_without_groups_there_are_threads_alone(void **state)
{
	struct slice_entry entries[8];
	struct snapshot *snapshot = build(KEYS_THREADS, entries, put_tasks(entries));

	(void)state;
	assert_int_equal(snapshot->row_count, 4);
	for (size_t i = 0; i < snapshot->row_count; i++)
		assert_int_equal(snapshot->rows[i].group_id, 0);
	snapshot_destroy(snapshot);
}

static void apply(uint32_t pid, uint32_t tid, uint64_t time_s, uint64_t cpu_ticks,
		  const char *comm, const char *command_line)
{
	struct process_stat_reply reply = {
		.pid = pid, .tid = tid, .time_ns = time_s * S,
		.command_line = command_line ? strdup(command_line) : NULL,
		.stat = { .state = tid ? 'R' : 'S', .threads = 3, .cpu_ticks = cpu_ticks,
			  .start_ticks = 1 },
	};

	memcpy(reply.stat.comm, comm, strlen(comm) + 1);
	task_stats_apply(&stats, &reply);
}

/* A process of which only other threads were hit: "one", and "two" beside it. */
static void test_the_name_comes_from_proc_when_the_first_thread_was_not_hit(void **state)
{
	struct slice_entry entries[] = { entry_of(NOBODY, NOBODY + 1, "one", 1),
					 entry_of(NOBODY, NOBODY + 2, "one", 1) };
	struct snapshot *snapshot = build(KEYS_GROUPED, entries, 2);

	(void)state;
	assert_string_equal(row_of(snapshot, NOBODY, -1)->comm, "one");	/* they share it */
	task_stats_ask(&stats, snapshot, S);
	snapshot_destroy(snapshot);
	entries[1] = entry_of(NOBODY, NOBODY + 2, "two", 1);
	snapshot = build(KEYS_GROUPED, entries, 2);
	assert_string_equal(row_of(snapshot, NOBODY, -1)->comm, "");	/* not known */
	snapshot_destroy(snapshot);
	apply(NOBODY, 0, 2, 0, "a\033b", NULL);
	snapshot = build(KEYS_GROUPED, entries, 2);
	assert_string_equal(row_of(snapshot, NOBODY, -1)->comm, "a\\x1bb");
	snapshot_destroy(snapshot);
}

/* A shell's compiler: fork, samples as "sh", exec, samples as "cc1"; it ended before /proc was
 * read. Of a recording there is no /proc at all. */
static void test_a_task_with_samples_under_two_names_has_the_one_it_took_last(void **state)
{
	struct slice_entry entries[] = { entry_of(NOBODY, NOBODY, "sh", 1),
					 entry_of(NOBODY, NOBODY, "cc1", 5) };
	struct snapshot *snapshot = build(KEYS_GROUPED, entries, 2);

	(void)state;
	assert_string_equal(row_of(snapshot, NOBODY, -1)->comm, "cc1");
	assert_string_equal(row_of(snapshot, NOBODY, NOBODY)->comm, "cc1");
	snapshot_destroy(snapshot);
	task_table_exit(&model.tasks, NOBODY, NOBODY, 1);
	task_table_drop_dead(&model.tasks, 2);
	snapshot = build(KEYS_GROUPED, entries, 2);	/* the first of its names is still known */
	assert_string_equal(row_of(snapshot, NOBODY, -1)->comm, "sh");
	assert_string_equal(row_of(snapshot, NOBODY, NOBODY)->comm, "sh");
	snapshot_destroy(snapshot);
	snapshot = build(KEYS_THREADS, entries, 2);	/* as batches have it */
	assert_string_equal(row_of(snapshot, NOBODY, NOBODY)->comm, "");
	snapshot_destroy(snapshot);
}

static void test_without_proc_the_process_is_called_as_its_first_thread(void **state)
{
	struct slice_entry entries[] = { entry_of(NOBODY, NOBODY + 1, "one", 1),
					 entry_of(NOBODY, NOBODY + 2, "two", 1) };
	struct snapshot *snapshot;

	(void)state;
	task_table_set_comm(&model.tasks, NOBODY, NOBODY, "leader", 6, false);
	snapshot = build(KEYS_GROUPED, entries, 2);
	assert_string_equal(row_of(snapshot, NOBODY, -1)->comm, "leader");
	snapshot_destroy(snapshot);
}

static void test_rows_say_what_proc_says(void **state)
{
	const struct slice_entry entries[] = { entry_of(NOBODY, NOBODY, "a", 2),
					       entry_of(NOBODY, NOBODY + 1, "b", 1) };
	struct snapshot *snapshot = build(KEYS_GROUPED, entries, 2);
	const struct snapshot_row *process = row_of(snapshot, NOBODY, -1), *thread;

	(void)state;
	assert_int_equal(process->task_state, 0);
	assert_int_equal(process->threads, 0);
	assert_true(process->cpu_pct < 0 && process->busy_pct < 0);
	assert_string_equal(process->command_line, "");
	task_stats_ask(&stats, snapshot, S);
	snapshot_destroy(snapshot);
	apply(NOBODY, 0, 2, 1000, "a", "./a \033[2J\n\xff" "b");
	apply(NOBODY, NOBODY + 1, 2, 500, "b", NULL);
	apply(NOBODY, 0, 4, 1300, "a", NULL);
	apply(NOBODY, NOBODY + 1, 4, 600, "b", NULL);
	snapshot = build(KEYS_GROUPED, entries, 2);
	process = row_of(snapshot, NOBODY, -1);
	thread = row_of(snapshot, NOBODY, NOBODY + 1);
	assert_int_equal(process->task_state, 'S');
	assert_int_equal(process->threads, 3);
	assert_true(process->cpu_pct == 150);	/* 300 ticks of 10 ms in 2 s */
	assert_string_equal(process->command_line, "./a \\x1b[2J\\x0a\\xffb");
	assert_int_equal(thread->task_state, 'R');
	assert_int_equal(thread->threads, 0);	/* the process has them */
	assert_true(thread->cpu_pct == 50);
	assert_ptr_equal(thread->command_line, process->command_line);	/* once a process */
	assert_true(row_of(snapshot, NOBODY, NOBODY)->cpu_pct < 0);	/* no reply came */
	snapshot_destroy(snapshot);
	/* Of a time that is over: what it is, not what it does now. */
	is_past = true;
	snapshot = build(KEYS_GROUPED, entries, 2);
	is_past = false;
	process = row_of(snapshot, NOBODY, -1);
	assert_int_equal(process->task_state, 0);
	assert_int_equal(process->threads, 0);
	assert_true(process->cpu_pct < 0);
	assert_string_equal(process->command_line, "./a \\x1b[2J\\x0a\\xffb");
	snapshot_destroy(snapshot);
}

/* Read at 4 s; it ended at 5 s. Another one was never read. */
static void test_an_exit_is_newer_than_what_was_read(void **state)
{
	const struct slice_entry entries[] = { entry_of(NOBODY, NOBODY, "a", 2),
					       entry_of(NOBODY + 9, NOBODY + 9, "b", 1) };
	struct snapshot *snapshot = build(KEYS_GROUPED, entries, 2);
	const struct snapshot_row *process;

	(void)state;
	task_stats_ask(&stats, snapshot, S);
	snapshot_destroy(snapshot);
	apply(NOBODY, 0, 2, 1000, "a", "./a");
	apply(NOBODY, NOBODY, 2, 1000, "a", NULL);
	apply(NOBODY, 0, 4, 1100, "a", NULL);
	apply(NOBODY, NOBODY, 4, 1100, "a", NULL);
	task_table_process(&model.tasks, NOBODY);
	task_table_exit(&model.tasks, NOBODY, NOBODY, 5 * S);
	task_table_exit(&model.tasks, NOBODY + 9, NOBODY + 9, 5 * S);
	snapshot = build(KEYS_GROUPED, entries, 2);
	process = row_of(snapshot, NOBODY, -1);
	assert_int_equal(process->task_state, 'X');
	assert_true(process->cpu_pct < 0);
	assert_int_equal(process->threads, 0);
	assert_string_equal(process->command_line, "./a");
	assert_int_equal(row_of(snapshot, NOBODY, NOBODY)->task_state, 'X');
	assert_int_equal(row_of(snapshot, NOBODY + 9, NOBODY + 9)->task_state, 'X');
	snapshot_destroy(snapshot);
	apply(NOBODY, 0, 6, 1200, "a", NULL);	/* the first thread ended, others run */
	snapshot = build(KEYS_GROUPED, entries, 2);
	assert_int_equal(row_of(snapshot, NOBODY, -1)->task_state, 'S');
	assert_int_equal(row_of(snapshot, NOBODY, NOBODY)->task_state, 'X');
	snapshot_destroy(snapshot);
}

/* A process with one thread: keyed by pid alone, its row is the process's all the same. */
static void test_rows_keyed_by_pid_are_processes(void **state)
{
	const struct slice_entry entry = entry_of(NOBODY, NOBODY, "a", 2);
	struct snapshot *snapshot = build(KEY_PID, &entry, 1);

	(void)state;
	task_stats_ask(&stats, snapshot, S);
	snapshot_destroy(snapshot);
	assert_null(task_stats_find(&stats, NOBODY, NOBODY));
	apply(NOBODY, 0, 2, 1000, "a", "./a");
	snapshot = build(KEY_PID, &entry, 1);
	assert_int_equal(snapshot->rows[0].threads, 3);
	assert_int_equal(snapshot->rows[0].task_state, 'S');
	assert_string_equal(snapshot->rows[0].command_line, "./a");
	snapshot_destroy(snapshot);
	snapshot = build(KEY_COMM, &entry, 1);	/* tasks, but not keyed by them */
	assert_int_equal(snapshot->rows[0].task_state, 0);
	snapshot_destroy(snapshot);
}

static void test_rows_keyed_by_cpu_say_how_busy_it_was(void **state)
{
	struct slice_entry entries[] = { entry_of(7, 7, "a", 2), entry_of(7, 7, "a", 1) };
	struct busy busy = { .count = 0 };
	struct row_sources sources = { .busy = &busy, .since_ns = S, .until_ns = 2 * S };
	const struct snapshot head = { .keys = KEY_CPU };
	struct snapshot *snapshot;
	struct fold fold;

	(void)state;
	busy_add(&busy, S, "cpu 0 0 0 0\ncpu0 100 0 0 100\ncpu1 100 0 0 100\n");
	busy_add(&busy, 2 * S, "cpu 1 0 0 1\ncpu0 170 0 0 130\ncpu1 110 0 0 190\n");
	entries[1].cpu = 1;
	fold = fixture_fold(&model, KEY_CPU, entries, 2);
	snapshot = snapshot_build(&head, &fold, &sources);
	assert_int_equal(snapshot->rows[0].cpu, 0);
	assert_true(snapshot->rows[0].busy_pct == 70);
	assert_true(snapshot->rows[1].busy_pct == 10);
	snapshot_destroy(snapshot);
	sources.busy = NULL;
	snapshot = snapshot_build(&head, &fold, &sources);
	assert_true(snapshot->rows[0].busy_pct < 0);
	snapshot_destroy(snapshot);
	fold_finish(&fold);
	busy_finish(&busy);
}

static void test_the_activity_graph_is_the_snapshots_own(void **state)
{
	float points[] = { -1, 0.5f, 100 };
	const struct snapshot head = { .activity_count = 3,
				       .activity = points,
				       .activity_step_s = 1 };
	const struct row_sources sources = { .tasks = NULL };
	const struct slice_entry entry = entry_of(7, 7, "a", 2);
	struct fold fold = fixture_fold(&model, KEY_PID, &entry, 1);
	struct snapshot *snapshot = snapshot_build(&head, &fold, &sources);

	(void)state;
	points[0] = points[1] = points[2] = 7;
	assert_int_equal(snapshot->activity_count, 3);
	assert_true(snapshot->activity[0] == -1 && snapshot->activity[1] == 0.5f &&
		    snapshot->activity[2] == 100);
	assert_string_equal(snapshot->rows[0].comm, "a");	/* nothing lies in its place */
	snapshot_destroy(snapshot);
	fold_finish(&fold);
}

static const struct snapshot_row *row_of_ended(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->row_count; i++)
		if (snapshot->rows[i].ended_processes)
			return &snapshot->rows[i];
	return NULL;
}

/*   ended: 21 "cc1" 3, 22 "cc1" 4, 23 "as" 1     alive: 24 "cc1" 8
 *
 *   cc1 x2, ended	7	folds out to 21 and 22
 *   24 cc1	8
 *   23 as	1	(one of its name stays what it is) */
static void test_ended_processes_of_one_name_have_a_common_row(void **state)
{
	const struct slice_entry entries[] = {
		entry_of(21, 21, "cc1", 3), entry_of(22, 22, "cc1", 4),
		entry_of(23, 23, "as", 1), entry_of(24, 24, "cc1", 8),
	};
	const struct snapshot_row *ended;
	struct snapshot *snapshot;
	size_t top = 0;

	(void)state;
	for (uint32_t pid = 21; pid <= 24; pid++)
		task_table_process(&model.tasks, pid);
	for (uint32_t pid = 21; pid <= 23; pid++)
		task_table_exit(&model.tasks, pid, pid, 2 * S);
	snapshot = build(KEYS_GROUPED, entries, 4);
	ended = row_of_ended(snapshot);
	assert_non_null(ended);
	assert_int_equal(ended->ended_processes, 2);
	assert_int_equal(ended->now.self.samples, 7);
	assert_int_equal(ended->now.total.samples, 7);
	assert_true(ended->now.self.weight == 70 && ended->now.total.weight == 70);
	assert_string_equal(ended->comm, "cc1");
	assert_int_equal(ended->pid, -1);
	assert_int_equal(ended->task_state, 'X');
	assert_true(row_of(snapshot, 21, -1)->group_id == ended->id);
	assert_true(row_of(snapshot, 22, -1)->group_id == ended->id);
	assert_false(snapshot_row_is_thread(row_of(snapshot, 22, -1)));
	assert_true(row_of(snapshot, 23, -1)->group_id == 0);
	assert_true(row_of(snapshot, 24, -1)->group_id == 0);
	for (size_t i = 0; i < snapshot->row_count; i++)
		if (!snapshot->rows[i].group_id)
			top += snapshot->rows[i].now.self.samples;
	assert_int_equal(top, 16);
	snapshot_destroy(snapshot);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_snapshot_groups)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_process_is_the_sum_of_its_threads),
		TEST(test_a_process_is_where_it_was_moved_to),
		TEST(test_who_ended_is_where_its_samples_were),
		TEST(test_processes_threads_and_samples_add_up_alike),
		TEST(test_threads_know_their_process_by_id),
		TEST(test_the_id_of_a_process_depends_on_its_pid_only),
		TEST(test_the_idle_task_is_an_idle_process),
		TEST(test_without_groups_there_are_threads_alone),
		TEST(test_the_name_comes_from_proc_when_the_first_thread_was_not_hit),
		TEST(test_a_task_with_samples_under_two_names_has_the_one_it_took_last),
		TEST(test_without_proc_the_process_is_called_as_its_first_thread),
		TEST(test_rows_say_what_proc_says),
		TEST(test_an_exit_is_newer_than_what_was_read),
		TEST(test_rows_keyed_by_pid_are_processes),
		TEST(test_rows_keyed_by_cpu_say_how_busy_it_was),
		TEST(test_the_activity_graph_is_the_snapshots_own),
		TEST(test_ended_processes_of_one_name_have_a_common_row),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
