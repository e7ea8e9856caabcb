/* Samples that are like others of the same round, which take a short way: what is counted, and what
 * is asked of /proc, is as if there were none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "ingest_fixture.h"
#include "unit_tests.h"

#define PID    5000001u	/* the kernel gives no such number: /proc knows nothing of it */
#define OTHER  5000002u
#define TID    PID
#define SECOND_TID   (TID + TASKS_RECENT)	/* has the same row as TID */
#define CODE   0x400000u
#define CGROUP_HOLDS_NS (10 * CLOCK_NS_PER_S)	/* as of samples.c */

static struct ingest_fixture feed;

static void start(bool is_replay)
{
	const struct ingest_config config = { .is_replay = is_replay };

	if (is_replay)
		feed_init(&feed, &config, NULL);
	else
		feed_init_with_reader(&feed, &config);
}

static void sample(uint64_t time_ns, uint32_t pid, uint32_t tid)
{
	feed_sample(&feed, time_ns, pid, tid, CODE + 0x10);
}

/* The row that lets samples of @tid take the short way is there: else a test would show nothing. */
static bool is_noted(uint32_t tid)
{
	const struct recent_thread *row = &feed.ingest.samples->recent[tid % TASKS_RECENT];

	return row->epoch == feed.ingest.sample_epoch && row->tid == tid;
}

static uint64_t counted(const char *comm, uint32_t pid, const char *path)
{
	return feed_counted(&feed, comm, pid, path, 0x10);
}

static struct process *process_of(uint32_t pid)
{
	return task_table_find_process(&feed.ingest.tasks, pid);
}

/* What /proc would say of the first thread of @pid, at @time_ns. */
static struct process_reply reply_of(uint32_t pid, uint64_t time_ns)
{
	return (struct process_reply){ .pid = pid, .tid = pid, .wants_maps = true,
				       .wants_cgroup = true, .time_ns = time_ns };
}

static void send_reply(const struct process_reply *reply)
{
	intake_take_reply(&feed.ingest, reply);
	samples_poll(&feed.ingest, false);
}

static void reply_with_maps(uint32_t pid, uint64_t time_ns, char *path)
{
	struct process_mapping row = { .start = CODE, .end = CODE + 0x1000, .path = path };
	struct process_reply reply = reply_of(pid, time_ns);
	char cgroup[] = "/a.slice";

	reply.has_maps = reply.has_comm = true;
	reply.rows = &row;
	reply.row_count = 1;
	reply.comm[0] = 'p';
	reply.cgroup = cgroup;
	send_reply(&reply);
}

/* PID is sampled once and known from then on; its cgroup is of @time_ns. */
static void know(uint64_t time_ns)
{
	char path[] = "/bin/p";

	sample(time_ns - 1, PID, TID);
	feed_round(&feed, time_ns);
	reply_with_maps(PID, time_ns, path);
	assert_int_equal(feed_samples(&feed), 1);
}

static void test_a_thread_whose_number_has_the_same_rest_is_itself(void **state)
{
	(void)state;
	start(true);
	feed_mmap(&feed, 1, PID, CODE, 0x1000, 0, "/bin/p");
	feed_comm(&feed, 2, PID, TID, "first", false);
	feed_comm(&feed, 3, PID, SECOND_TID, "second", false);
	sample(10, PID, TID);
	sample(11, PID, SECOND_TID);
	sample(12, PID, SECOND_TID);
	sample(13, PID, TID);
	sample(14, PID, TID);
	sample(15, PID, TID);
	feed_round(&feed, 99);
	assert_true(is_noted(TID));
	assert_int_equal(counted("first", PID, "/bin/p"), 4);
	assert_int_equal(counted("second", PID, "/bin/p"), 2);
}

/* The records of its end and of the fork were lost. */
static void test_a_thread_number_that_is_used_again_is_the_other_processs(void **state)
{
	(void)state;
	start(true);
	feed_mmap(&feed, 1, PID, CODE, 0x1000, 0, "/bin/p");
	feed_mmap(&feed, 1, OTHER, CODE, 0x1000, 0, "/bin/other");
	sample(10, PID, TID);
	sample(11, PID, TID);
	sample(12, OTHER, TID);
	sample(13, OTHER, TID);
	feed_round(&feed, 99);
	assert_true(is_noted(TID));
	assert_int_equal(counted(":5000001", PID, "/bin/p"), 2);
	assert_int_equal(counted(":5000001", OTHER, "/bin/other"), 2);
}

/*   sample  rename  sample  exec  sample  mmap  sample  */
static void test_a_record_between_two_samples_has_its_effect(void **state)
{
	(void)state;
	start(true);
	feed_mmap(&feed, 1, PID, CODE, 0x1000, 0, "/bin/p");
	feed_comm(&feed, 2, PID, TID, "old", false);
	sample(10, PID, TID);
	feed_comm(&feed, 11, PID, TID, "new", false);
	sample(12, PID, TID);
	feed_mmap(&feed, 13, PID, CODE, 0x1000, 0, "/lib/over.so");
	sample(14, PID, TID);
	feed_comm(&feed, 15, PID, TID, "exec", true);
	feed_sample(&feed, 16, PID, TID, CODE + 0x10);
	feed_round(&feed, 99);
	assert_true(is_noted(TID));
	assert_int_equal(counted("old", PID, "/bin/p"), 1);
	assert_int_equal(counted("new", PID, "/bin/p"), 1);
	assert_int_equal(counted("new", PID, "/lib/over.so"), 1);
	assert_int_equal(feed_counted(&feed, "exec", PID, "[unknown]", CODE + 0x10), 1);
}

static void test_each_counts_with_its_own_weight_and_cpu(void **state)
{
	const struct slice *slice;
	double weight[2] = { 0 };

	(void)state;
	start(true);
	feed_mmap(&feed, 1, PID, CODE, 0x1000, 0, "/bin/p");
	for (uint32_t i = 0; i < 4; i++) {
		feed.period = 1ull << 4 * i;
		feed.cpu = i & 1;
		sample(10 + i, PID, TID);
	}
	feed_round(&feed, 99);
	assert_true(is_noted(TID));
	assert_int_equal(timeline_cut(&feed.ingest.timeline, 99), 0);
	slice = &feed.ingest.timeline.slices[0];
	for (uint32_t i = 0; i < slice->count; i++)
		weight[slice->entries[i].cpu] += (double)slice->entries[i].weight;
	assert_true(weight[0] == 0x0101);
	assert_true(weight[1] == 0x1010);
}

/* Nothing could be read of one, but it maps a file; everything of the other. */
static void test_samples_of_a_process_that_is_not_known_are_all_unattributed(void **state)
{
	const struct process_reply nothing = reply_of(OTHER, 100);

	(void)state;
	start(false);
	know(100);
	feed_mmap(&feed, 101, OTHER, CODE, 0x1000, 0, "/bin/other");
	sample(102, OTHER, OTHER);
	feed_round(&feed, 102);
	send_reply(&nothing);
	assert_int_equal(feed.ingest.counters.unattributed, 1);
	for (uint64_t i = 0; i < 5; i++) {
		sample(110 + i, OTHER, OTHER);
		sample(110 + i, PID, TID);
	}
	feed_round(&feed, 199);
	assert_true(is_noted(OTHER));
	assert_true(is_noted(TID));
	assert_int_equal(counted("p", PID, "/bin/p"), 6);
	assert_int_equal(counted(":5000002", OTHER, "/bin/other"), 6);
	assert_int_equal(feed.ingest.counters.unattributed, 6);
}

/* When the second comes in, its thread was asked about less than a second ago; when its turn comes,
 * its cgroup is out of date. */
static void test_a_cgroup_is_asked_for_again_when_it_is_old(void **state)
{
	const uint64_t read_ns = 100, old_ns = read_ns + CGROUP_HOLDS_NS;

	(void)state;
	start(false);
	know(read_ns);
	sample(old_ns - 1, PID, TID);
	sample(old_ns, PID, TID);
	feed_round(&feed, old_ns);
	assert_true(is_noted(TID));
	assert_false(process_of(PID)->is_cgroup_asked);
	sample(old_ns, PID, TID);
	sample(old_ns + 1, PID, TID);
	feed_round(&feed, old_ns + 1);
	assert_true(process_of(PID)->is_cgroup_asked);
	assert_int_equal(feed_samples(&feed), 5);
}

/* Before its turn: as soon as it comes in, for the reply to be there in time. */
static void test_a_thread_is_looked_at_again_after_a_second(void **state)
{
	const uint64_t read_ns = 100, old_ns = read_ns + CGROUP_HOLDS_NS;

	(void)state;
	start(false);
	know(read_ns);
	sample(old_ns - CLOCK_NS_PER_S + 2, PID, TID);
	sample(old_ns + 1, PID, TID);
	assert_false(process_of(PID)->is_cgroup_asked);
	sample(old_ns + 2, PID, TID);
	assert_true(process_of(PID)->is_cgroup_asked);
}

/* Its maps were asked for at its fork, of which the reader did not know: it is asked again as soon
 * as the next sample comes in, while that waits for its turn. */
static void test_after_a_reply_that_does_not_hold_the_next_sample_asks_again(void **state)
{
	struct process_reply reply = reply_of(PID, 100);

	(void)state;
	start(false);
	reply.parent_pid = OTHER;
	sample(10, PID, TID);
	assert_int_equal(process_of(PID)->maps_state, MAPS_ASKED);
	intake_take_reply(&feed.ingest, &reply);
	assert_int_equal(process_of(PID)->maps_state, MAPS_UNREAD);
	sample(11, PID, TID);
	assert_int_equal(process_of(PID)->maps_state, MAPS_ASKED);
}

/* Of another thread with the same rest, nothing has been asked yet. */
static void test_every_thread_is_asked_about_when_its_first_sample_comes_in(void **state)
{
	(void)state;
	start(false);
	sample(10, PID, TID);
	sample(11, PID, SECOND_TID);
	assert_true(task_table_find_thread(&feed.ingest.tasks, TID)->is_asked);
	assert_true(task_table_find_thread(&feed.ingest.tasks, SECOND_TID)->is_asked);
	sample(12, OTHER, SECOND_TID);
	assert_int_equal(process_of(OTHER)->maps_state, MAPS_ASKED);
}

/* What is read of /proc lies under what a sample of the same thread finds from then on. */
static void test_after_a_reply_samples_find_what_it_says(void **state)
{
	char path[] = "/bin/later";

	(void)state;
	start(false);
	know(100);
	sample(110, PID, TID);
	sample(111, PID, TID);
	feed_round(&feed, 119);
	assert_true(is_noted(TID));
	process_of(PID)->maps_state = MAPS_ASKED;
	reply_with_maps(PID, 120, path);
	assert_false(is_noted(TID));
	sample(130, PID, TID);
	feed_round(&feed, 199);
	assert_int_equal(counted("p", PID, "/bin/p"), 3);
	assert_int_equal(counted("p", PID, "/bin/later"), 1);
}

#define TEST(name) FEED_TEST(name, NULL)

UNIT_TESTS(test_ingest_repeat)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_thread_whose_number_has_the_same_rest_is_itself),
		TEST(test_a_thread_number_that_is_used_again_is_the_other_processs),
		TEST(test_a_record_between_two_samples_has_its_effect),
		TEST(test_each_counts_with_its_own_weight_and_cpu),
		TEST(test_samples_of_a_process_that_is_not_known_are_all_unattributed),
		TEST(test_a_cgroup_is_asked_for_again_when_it_is_old),
		TEST(test_a_thread_is_looked_at_again_after_a_second),
		TEST(test_after_a_reply_that_does_not_hold_the_next_sample_asks_again),
		TEST(test_every_thread_is_asked_about_when_its_first_sample_comes_in),
		TEST(test_after_a_reply_samples_find_what_it_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
