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
#include "ingest_fixture.h"
#include "unit_tests.h"

static struct ingest_fixture feed;
static char *own_path;		/* our cgroup, asked for by hand */

static void start(void)
{
	const struct ingest_config config = { .event_count = 1 };

	feed_init_with_reader(&feed, &config);
}

static int tear_down(void **state)
{
	free(own_path);
	own_path = NULL;
	return feed_tear_down(state);
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
	struct pollfd fd = { .fd = process_reader_fd(feed.reader), .events = POLLIN };
	struct process_reply reply;

	assert_true(process_reader_request(feed.reader, &request));
	while (!process_reader_reply(feed.reader, &reply))
		poll(&fd, 1, -1);
	own_path = strdup(reply.cgroup);
	process_reply_finish(&reply);
}

static struct process *process_of(uint32_t pid)
{
	struct process *process = task_table_find_process(&feed.ingest.tasks, pid);

	assert_non_null(process);
	return process;
}

static void put_cgroup(uint32_t pid, const char *path)
{
	struct process *process = task_table_process(&feed.ingest.tasks, pid);

	process->cgroup = cgroup_table_intern(&feed.ingest.tasks.cgroups, path, strlen(path));
	process->is_cgroup_read = true;
	process->cgroup_ns = clock_now_ns();
}

/* Until nothing waits and the cgroup of @pid is read. */
static void wait_for_cgroup(uint32_t pid)
{
	struct pollfd fd = { .fd = process_reader_fd(feed.reader), .events = POLLIN };

	while (feed.ingest.pending_count || !process_of(pid)->is_cgroup_read) {
		for (uint32_t i = 0; i < feed.ingest.pending_count; i++)
			feed.ingest.pending->list[i].deadline_ns = UINT64_MAX;
		poll(&fd, 1, 10);
		ingest_poll(&feed.ingest, false);
	}
}

/* Samples of processes in this cgroup; "": unknown. */
static uint64_t counted_in(const char *path)
{
	const struct task_table *tasks = &feed.ingest.tasks;
	uint64_t samples = 0;

	timeline_cut(&feed.ingest.timeline, UINT64_MAX);
	for (uint32_t s = 0; s < feed.ingest.timeline.count; s++) {
		const struct slice *slice = &feed.ingest.timeline.slices[s];

		for (uint32_t i = 0; i < slice->count; i++) {
			const struct cgroup_names *names =
				task_table_cgroup(tasks, slice->entries[i].task);

			if (!strcmp(strpool_get(feed.ingest.strings, names->path), path))
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
		feed_sample(&feed, 10 + i, own_pid(), own_pid(), 0x1234);
	feed_round(&feed, 99);
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
	feed_fork(&feed, 10, own_pid(), own_pid(), pid, pid);
	feed_round(&feed, 11);
	feed_sample(&feed, 20, pid, pid, 0x1234);
	feed_round(&feed, 99);
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
	feed_fork(&feed, 10, own_pid(), own_pid(), pid, pid);
	feed_round(&feed, 11);
	feed_sample(&feed, 20, pid, pid, 0x1234);
	feed_round(&feed, 21);
	wait_for_cgroup(pid);
	feed_sample(&feed, 30, pid, pid, 0x1234);
	feed_round(&feed, 99);
	assert_int_equal(counted_in("/then"), 2);
}

/* The records of a container's maker come all at once: nothing has reported its cgroup in time. */
static void test_where_the_parent_was_before_exec_is_not_believed_of_its_child(void **state)
{
	const uint32_t pid = dead_pid();

	(void)state;
	start();
	read_own_path();
	put_cgroup(own_pid(), "/before");
	process_of(own_pid())->maps_state = MAPS_KNOWN;
	feed_comm(&feed, 10, own_pid(), own_pid(), "shell", true);
	feed_fork(&feed, 11, own_pid(), own_pid(), pid, pid);
	feed_sample(&feed, 12, pid, pid, 0x1234);
	feed_round(&feed, 99);
	wait_for_cgroup(pid);
	assert_int_equal(counted_in(own_path), 1);
}

static void test_what_is_counted_before_proc_replies_is_corrected(void **state)
{
	(void)state;
	start();
	read_own_path();
	put_cgroup(5000001, "/parent");
	process_of(5000001)->maps_state = MAPS_KNOWN;
	feed_fork(&feed, 10, 5000001, 5000001, own_pid(), own_pid());
	feed_comm(&feed, 11, own_pid(), own_pid(), "child", false);
	feed_sample(&feed, 12, own_pid(), own_pid(), 0x1234);
	feed_round(&feed, 19);		/* nobody has taken the reply */
	assert_int_equal(feed.ingest.pending_count, 0);
	assert_int_equal(counted_in("/parent"), 1);
	feed.ingest.has_new_names = false;
	wait_for_cgroup(own_pid());
	assert_true(feed.ingest.has_new_names);
	feed_sample(&feed, 20, own_pid(), own_pid(), 0x1234);
	feed_sample(&feed, 21, own_pid(), own_pid(), 0x1234);
	feed_round(&feed, 99);
	assert_int_equal(counted_in("/parent"), 0);
	assert_int_equal(counted_in(own_path), 3);
	assert_int_equal(feed.ingest.tasks.task_count, 1);
}

/* Whoever makes a container moves the child, and then it calls exec. */
static void test_after_exec_the_cgroup_is_read_anew_before_its_turn(void **state)
{
	(void)state;
	start();
	read_own_path();
	put_cgroup(own_pid(), "/before");
	process_of(own_pid())->maps_state = MAPS_KNOWN;
	feed_comm(&feed, 10, own_pid(), own_pid(), "shell", false);
	feed_sample(&feed, 11, own_pid(), own_pid(), 0x1234);
	feed_round(&feed, 12);
	assert_true(process_of(own_pid())->is_cgroup_read);
	assert_false(process_of(own_pid())->is_cgroup_asked);
	feed_comm(&feed, 20, own_pid(), own_pid(), "program", true);
	feed_sample(&feed, 21, own_pid(), own_pid(), 0x1234);
	wait_for_cgroup(own_pid());	/* no round has ended: nobody had a turn */
	feed_round(&feed, 99);
	assert_int_equal(counted_in("/before"), 1);
	assert_int_equal(counted_in(own_path), 1);
}

/* No sample comes after it that would ask. */
static void test_a_reply_of_before_exec_is_asked_for_once_more(void **state)
{
	(void)state;
	start();
	read_own_path();
	feed_sample(&feed, 10, own_pid(), own_pid(), 0x1234);
	feed_comm(&feed, 11, own_pid(), own_pid(), "program", true);
	feed_round(&feed, 99);
	assert_true(process_of(own_pid())->is_cgroup_stale);
	wait_for_cgroup(own_pid());
	assert_int_equal(counted_in(own_path), 1);
}

/* For a table, say: its thread is then as it was at the sample. */
static void test_a_sample_that_waited_for_its_stack_has_what_was_read_meanwhile(void **state)
{
	struct pending_sample *pending;

	(void)state;
	start();
	read_own_path();
	feed_sample(&feed, 10, own_pid(), own_pid(), 0x1234);
	feed_round(&feed, 99);
	assert_int_equal(feed.ingest.pending_count, 1);
	pending = &feed.ingest.pending->list[0];
	pending->deadline_ns = UINT64_MAX;
	pending->waiting_for = WAITING_FOR_TABLES;
	pending->maps = process_maps_create();
	pending->thread = *task_table_find_thread(&feed.ingest.tasks, own_pid());
	pending->thread.is_cgroup_open = true;
	while (!process_of(own_pid())->is_cgroup_read)
		ingest_poll(&feed.ingest, false);
	samples_poll(&feed.ingest, true);
	assert_int_equal(counted_in(own_path), 1);
	assert_int_equal(feed.ingest.tasks.open_count, 0);
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
	feed_comm(&feed, now_ns, own_pid(), own_pid(), "moved", false);
	feed_sample(&feed, now_ns + CLOCK_NS_PER_S, own_pid(), own_pid(), 0x1234);
	assert_true(process_of(own_pid())->is_cgroup_read);
	assert_false(process_of(own_pid())->is_cgroup_asked);
	feed_sample(&feed, now_ns + 60 * CLOCK_NS_PER_S, own_pid(), own_pid(), 0x1234);
	assert_true(process_of(own_pid())->is_cgroup_read);
	assert_true(process_of(own_pid())->is_cgroup_asked);
	while (process_of(own_pid())->is_cgroup_asked)
		ingest_poll(&feed.ingest, false);
	wait_for_cgroup(own_pid());
	assert_string_equal(strpool_get(feed.ingest.strings,
					cgroup_table_get(&feed.ingest.tasks.cgroups,
							 process_of(own_pid())->cgroup)->path),
			    own_path);
}

static void push(struct record_bytes *record)
{
	record_close(record);
	ingest_push(&feed.ingest, record->words, record->count * 8, 0, UINT32_MAX);
	assert_int_equal(feed.ingest.counters.malformed, 0);
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
	feed_init(&feed, &config, NULL);
	feed.event.format.sample_type |= PERF_SAMPLE_CGROUP;
	record_cgroup(1, "/");
	record_cgroup(4711, "/a.service");
	record_sample(10, 4711);
	record_sample(11, 4711);
	record_sample(12, 1);	/* moved */
	record_sample(13, 9);	/* nothing is known of this task */
	feed_round(&feed, 99);
	assert_int_equal(counted_in("/a.service"), 2);
	assert_int_equal(counted_in("/"), 1);
	assert_int_equal(counted_in(""), 1);
}

/* Another boot, or another machine: what its ids were in the first says nothing. */
static void test_a_second_recording_has_ids_of_its_own(void **state)
{
	struct ingest_config config = { .event_count = 1, .is_replay = true };

	(void)state;
	feed_init(&feed, &config, NULL);
	feed.event.format.sample_type |= PERF_SAMPLE_CGROUP;
	record_cgroup(4711, "/a.service");
	record_sample(10, 4711);
	feed_round(&feed, 99);
	assert_int_equal(counted_in("/a.service"), 1);
	config = feed.ingest.config;
	assert_int_equal(ingest_next_recording(&feed.ingest, &config), 0);
	record_sample(5, 4711);
	feed_round(&feed, 50);
	assert_int_equal(counted_in("/a.service"), 0);
	assert_int_equal(counted_in(""), 1);
}

static void test_other_recordings_do_not_say_it(void **state)
{
	const struct ingest_config config = { .event_count = 1, .is_replay = true };

	(void)state;
	feed_init(&feed, &config, NULL);
	feed_sample(&feed, 10, own_pid(), own_pid(), 0x1234);
	feed_round(&feed, 99);
	assert_int_equal(counted_in(""), 1);
	assert_int_equal(feed.ingest.tasks.open_count, 0);	/* no reply will come */
}

#define TEST(name) cmocka_unit_test_prestate_setup_teardown(name, NULL, tear_down, &feed)

UNIT_TESTS(test_ingest_cgroups)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_process_that_was_there_before_counts_for_its_cgroup),
		TEST(test_a_child_that_is_gone_counts_for_its_parents_cgroup),
		TEST(test_what_the_fork_says_of_the_parent_goes_before_proc),
		TEST(test_where_the_parent_was_before_exec_is_not_believed_of_its_child),
		TEST(test_what_is_counted_before_proc_replies_is_corrected),
		TEST(test_after_exec_the_cgroup_is_read_anew_before_its_turn),
		TEST(test_a_reply_of_before_exec_is_asked_for_once_more),
		TEST(test_a_sample_that_waited_for_its_stack_has_what_was_read_meanwhile),
		TEST(test_who_is_moved_is_found_after_some_seconds),
		TEST(test_samples_of_a_recording_say_it_themselves),
		TEST(test_a_second_recording_has_ids_of_its_own),
		TEST(test_other_recordings_do_not_say_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
