/* Whose cgroup a sample counts for: what is asked of /proc, and what holds until it answers. */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "ingest_stage.h"

static struct ingest_stage stage;
static char *own_path;		/* our cgroup, asked for by hand */

static void start(void)
{
	const struct ingest_config config = { .event_count = 1 };

	stage_init_with_reader(&stage, &config);
}

static int tear_down(void **state)
{
	free(own_path);
	own_path = NULL;
	return stage_tear_down(state);
}

static uint32_t own_pid(void)
{
	return (uint32_t)getpid();
}

static uint32_t dead_pid(void)
{
	const pid_t pid = fork();

	if (!pid)
		_exit(0);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return (uint32_t)pid;
}

static void read_own_path(void)
{
	const struct process_request request = { .pid = own_pid(), .wants_cgroup = true };
	struct pollfd fd = { .fd = process_reader_fd(stage.reader), .events = POLLIN };
	struct process_reply reply;

	assert_true(process_reader_request(stage.reader, &request));
	while (!process_reader_reply(stage.reader, &reply))
		poll(&fd, 1, -1);
	own_path = strdup(reply.cgroup);
	process_reply_finish(&reply);
}

static struct process *process_of(uint32_t pid)
{
	struct process *process = task_table_find_process(&stage.ingest.tasks, pid);

	assert_non_null(process);
	return process;
}

static void put_cgroup(uint32_t pid, const char *path)
{
	struct process *process = task_table_process(&stage.ingest.tasks, pid);

	process->cgroup = cgroup_table_intern(&stage.ingest.tasks.cgroups, path, strlen(path));
	process->is_cgroup_read = true;
	process->cgroup_ns = clock_now_ns();
}

/* Until nothing waits and the cgroup of @pid is read. */
static void wait_for_cgroup(uint32_t pid)
{
	struct pollfd fd = { .fd = process_reader_fd(stage.reader), .events = POLLIN };

	while (stage.ingest.parked_count || !process_of(pid)->is_cgroup_read) {
		for (uint32_t i = 0; i < stage.ingest.parked_count; i++)
			stage.ingest.parked[i].deadline_ns = UINT64_MAX;
		poll(&fd, 1, 10);
		ingest_poll(&stage.ingest, false);
	}
}

/* Samples of processes in this cgroup; "": unknown. */
static uint64_t counted_in(const char *path)
{
	const struct task_table *tasks = &stage.ingest.tasks;
	uint64_t samples = 0;

	timeline_cut(&stage.ingest.timeline, UINT64_MAX);
	for (uint32_t s = 0; s < stage.ingest.timeline.count; s++) {
		const struct slice *slice = &stage.ingest.timeline.slices[s];

		for (uint32_t i = 0; i < slice->count; i++) {
			const struct cgroup_names *names =
				task_table_cgroup(tasks, slice->entries[i].task);

			if (!strcmp(strpool_get(stage.ingest.strings, names->path), path))
				samples += slice->entries[i].count;
		}
	}
	return samples;
}

static void test_a_process_that_was_there_before_counts_for_its_cgroup(void **state)
{
	(void)state;
	start();
	read_own_path();
	for (uint64_t i = 0; i < 3; i++)
		stage_sample(&stage, 10 + i, own_pid(), own_pid(), 0x1234);
	stage_round(&stage, 99);
	wait_for_cgroup(own_pid());
	assert_int_equal(counted_in(own_path), 3);
	assert_int_equal(counted_in(""), 0);
}

/* Of a parent that never ran while we looked nothing is known. */
static void test_a_child_that_is_gone_counts_for_its_parents_cgroup(void **state)
{
	const uint32_t pid = dead_pid();

	(void)state;
	start();
	read_own_path();
	stage_fork(&stage, 10, own_pid(), own_pid(), pid, pid);
	stage_round(&stage, 11);
	stage_sample(&stage, 20, pid, pid, 0x1234);
	stage_round(&stage, 99);
	wait_for_cgroup(pid);
	assert_int_equal(counted_in(own_path), 1);
}

/* /proc does not know the child, and where the parent is now need not be where it was. */
static void test_what_the_fork_says_of_the_parent_goes_before_proc(void **state)
{
	const uint32_t pid = dead_pid();

	(void)state;
	start();
	put_cgroup(own_pid(), "/then");
	stage_fork(&stage, 10, own_pid(), own_pid(), pid, pid);
	stage_round(&stage, 11);
	stage_sample(&stage, 20, pid, pid, 0x1234);
	stage_round(&stage, 21);
	wait_for_cgroup(pid);
	stage_sample(&stage, 30, pid, pid, 0x1234);
	stage_round(&stage, 99);
	assert_int_equal(counted_in("/then"), 2);
}

/* The records of a container's maker come all at once: nobody has told of its cgroup in time. */
static void test_where_the_parent_was_before_exec_is_not_believed_of_its_child(void **state)
{
	const uint32_t pid = dead_pid();

	(void)state;
	start();
	read_own_path();
	put_cgroup(own_pid(), "/before");
	process_of(own_pid())->maps_state = MAPS_KNOWN;
	stage_comm(&stage, 10, own_pid(), own_pid(), "shell", true);
	stage_fork(&stage, 11, own_pid(), own_pid(), pid, pid);
	stage_sample(&stage, 12, pid, pid, 0x1234);
	stage_round(&stage, 99);
	wait_for_cgroup(pid);
	assert_int_equal(counted_in(own_path), 1);
}

static void test_what_is_counted_before_proc_answers_is_corrected(void **state)
{
	(void)state;
	start();
	read_own_path();
	put_cgroup(5000001, "/parent");
	process_of(5000001)->maps_state = MAPS_KNOWN;
	stage_fork(&stage, 10, 5000001, 5000001, own_pid(), own_pid());
	stage_comm(&stage, 11, own_pid(), own_pid(), "child", false);
	stage_sample(&stage, 12, own_pid(), own_pid(), 0x1234);
	stage_round(&stage, 19);	/* nobody has taken the answer */
	assert_int_equal(stage.ingest.parked_count, 0);
	assert_int_equal(counted_in("/parent"), 1);
	stage.ingest.has_new_names = false;
	wait_for_cgroup(own_pid());
	assert_true(stage.ingest.has_new_names);
	stage_sample(&stage, 20, own_pid(), own_pid(), 0x1234);
	stage_sample(&stage, 21, own_pid(), own_pid(), 0x1234);
	stage_round(&stage, 99);
	assert_int_equal(counted_in("/parent"), 0);
	assert_int_equal(counted_in(own_path), 3);
	assert_int_equal(stage.ingest.tasks.task_count, 1);
}

/* Whoever makes a container moves the child, and then it calls exec. */
static void test_after_exec_the_cgroup_is_read_anew_before_its_turn(void **state)
{
	(void)state;
	start();
	read_own_path();
	put_cgroup(own_pid(), "/before");
	process_of(own_pid())->maps_state = MAPS_KNOWN;
	stage_comm(&stage, 10, own_pid(), own_pid(), "shell", false);
	stage_sample(&stage, 11, own_pid(), own_pid(), 0x1234);
	stage_round(&stage, 12);
	assert_true(process_of(own_pid())->is_cgroup_read);
	assert_false(process_of(own_pid())->is_cgroup_asked);
	stage_comm(&stage, 20, own_pid(), own_pid(), "program", true);
	stage_sample(&stage, 21, own_pid(), own_pid(), 0x1234);
	wait_for_cgroup(own_pid());	/* no round has ended: nobody had a turn */
	stage_round(&stage, 99);
	assert_int_equal(counted_in("/before"), 1);
	assert_int_equal(counted_in(own_path), 1);
}

/* No sample comes after it that would ask. */
static void test_an_answer_of_before_exec_is_asked_for_once_more(void **state)
{
	(void)state;
	start();
	read_own_path();
	stage_sample(&stage, 10, own_pid(), own_pid(), 0x1234);
	stage_comm(&stage, 11, own_pid(), own_pid(), "program", true);
	stage_round(&stage, 99);
	assert_true(process_of(own_pid())->is_cgroup_stale);
	wait_for_cgroup(own_pid());
	assert_int_equal(counted_in(own_path), 1);
}

/* For a table, say: its thread is then as it was at the sample. */
static void test_a_sample_that_waited_for_its_stack_has_what_was_read_meanwhile(void **state)
{
	struct parked_sample *parked;

	(void)state;
	start();
	read_own_path();
	stage_sample(&stage, 10, own_pid(), own_pid(), 0x1234);
	stage_round(&stage, 99);
	assert_int_equal(stage.ingest.parked_count, 1);
	parked = &stage.ingest.parked[0];
	parked->deadline_ns = UINT64_MAX;
	parked->maps = address_map_create();
	parked->thread = *task_table_find_thread(&stage.ingest.tasks, own_pid());
	parked->thread.is_cgroup_open = true;
	while (!process_of(own_pid())->is_cgroup_read)
		ingest_poll(&stage.ingest, false);
	ingest_parked(&stage.ingest, true);
	assert_int_equal(counted_in(own_path), 1);
	assert_int_equal(stage.ingest.tasks.open_count, 0);
}

/* The kernel does not tell. */
static void test_who_is_moved_is_found_after_some_seconds(void **state)
{
	const uint64_t now_ns = clock_now_ns();

	(void)state;
	start();
	read_own_path();
	put_cgroup(own_pid(), "/before");
	process_of(own_pid())->maps_state = MAPS_KNOWN;
	stage_comm(&stage, now_ns, own_pid(), own_pid(), "moved", false);
	stage_sample(&stage, now_ns + CLOCK_NS_PER_S, own_pid(), own_pid(), 0x1234);
	assert_true(process_of(own_pid())->is_cgroup_read);
	assert_false(process_of(own_pid())->is_cgroup_asked);
	stage_sample(&stage, now_ns + 60 * CLOCK_NS_PER_S, own_pid(), own_pid(), 0x1234);
	assert_true(process_of(own_pid())->is_cgroup_read);
	assert_true(process_of(own_pid())->is_cgroup_asked);
	while (process_of(own_pid())->is_cgroup_asked)
		ingest_poll(&stage.ingest, false);
	wait_for_cgroup(own_pid());
	assert_string_equal(strpool_get(stage.ingest.strings,
					cgroup_table_get(&stage.ingest.tasks.cgroups,
							 process_of(own_pid())->cgroup)->path),
			    own_path);
}

static void push(struct record_bytes *record)
{
	record_close(record);
	ingest_push(&stage.ingest, record->words, record->count * 8, 0, UINT32_MAX);
	assert_int_equal(stage.ingest.counters.malformed, 0);
}

static void record_cgroup(uint64_t id, const char *path)
{
	const uint64_t origin[] = { PAIR(0, 0), 0, PAIR(0, 0) };
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_CGROUP, 0);
	record_add(&record, &id, 1);
	record_add_text(&record, path);
	record_add(&record, origin, COUNT_OF(origin));
	push(&record);
}

static void record_sample(uint64_t time_ns, uint64_t cgroup)
{
	const uint64_t fields[] = { 0x1234, PAIR(100, 100), time_ns, PAIR(0, 0), 1, 0, cgroup };
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_add(&record, fields, COUNT_OF(fields));
	push(&record);
}

/* perf record --all-cgroups. */
static void test_samples_of_a_recording_say_it_themselves(void **state)
{
	const struct ingest_config config = { .event_count = 1, .is_replay = true };

	(void)state;
	stage_init(&stage, &config, NULL);
	stage.event.format.sample_type |= PERF_SAMPLE_CGROUP;
	record_cgroup(1, "/");
	record_cgroup(4711, "/a.service");
	record_sample(10, 4711);
	record_sample(11, 4711);
	record_sample(12, 1);	/* moved */
	record_sample(13, 9);	/* of which nothing is told */
	stage_round(&stage, 99);
	assert_int_equal(counted_in("/a.service"), 2);
	assert_int_equal(counted_in("/"), 1);
	assert_int_equal(counted_in(""), 1);
}

/* Another boot, or another machine: what its ids were in the first says nothing. */
static void test_a_second_recording_has_ids_of_its_own(void **state)
{
	struct ingest_config config = { .event_count = 1, .is_replay = true };

	(void)state;
	stage_init(&stage, &config, NULL);
	stage.event.format.sample_type |= PERF_SAMPLE_CGROUP;
	record_cgroup(4711, "/a.service");
	record_sample(10, 4711);
	stage_round(&stage, 99);
	assert_int_equal(counted_in("/a.service"), 1);
	config = stage.ingest.config;
	assert_int_equal(ingest_next_recording(&stage.ingest, &config), 0);
	record_sample(5, 4711);
	stage_round(&stage, 50);
	assert_int_equal(counted_in("/a.service"), 0);
	assert_int_equal(counted_in(""), 1);
}

static void test_other_recordings_do_not_say_it(void **state)
{
	const struct ingest_config config = { .event_count = 1, .is_replay = true };

	(void)state;
	stage_init(&stage, &config, NULL);
	stage_sample(&stage, 10, own_pid(), own_pid(), 0x1234);
	stage_round(&stage, 99);
	assert_int_equal(counted_in(""), 1);
	assert_int_equal(stage.ingest.tasks.open_count, 0);	/* no answer will come */
}

#define TEST(name) cmocka_unit_test_prestate_setup_teardown(name, NULL, tear_down, &stage)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_process_that_was_there_before_counts_for_its_cgroup),
		TEST(test_a_child_that_is_gone_counts_for_its_parents_cgroup),
		TEST(test_what_the_fork_says_of_the_parent_goes_before_proc),
		TEST(test_where_the_parent_was_before_exec_is_not_believed_of_its_child),
		TEST(test_what_is_counted_before_proc_answers_is_corrected),
		TEST(test_after_exec_the_cgroup_is_read_anew_before_its_turn),
		TEST(test_an_answer_of_before_exec_is_asked_for_once_more),
		TEST(test_a_sample_that_waited_for_its_stack_has_what_was_read_meanwhile),
		TEST(test_who_is_moved_is_found_after_some_seconds),
		TEST(test_samples_of_a_recording_say_it_themselves),
		TEST(test_a_second_recording_has_ids_of_its_own),
		TEST(test_other_recordings_do_not_say_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
