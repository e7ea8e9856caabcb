/* One source after the other: what is counted, kept and dropped on both sides of the line. The line
 * is at 100 ns in all of these. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "ingest/source.h"
#include "ingest_fixture.h"
#include "unit_tests.h"

#define LINE_NS 100

static struct ingest_fixture feed;
static struct source source;
static struct process_reader *reader;

static void start(const struct ingest_config *config)
{
	feed_init(&feed, config, reader);
	source = (struct source){ .ingest = *config };
	source.ingest.events = feed.events;
	source.ingest.event_count = 1;
	assert_int_equal(timeline_init(&source.timeline, 1), 0);
}

static int set_up(void **state)
{
	const struct ingest_config config = { .is_replay = true };

	(void)state;
	reader = NULL;
	start(&config);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	feed_finish(&feed);
	timeline_finish(&source.timeline);
	process_reader_destroy(reader);
	return 0;
}

static void switch_source(bool keeps_tasks)
{
	source.keeps_tasks = keeps_tasks;
	feed_round(&feed, LINE_NS);	/* the old sampler's promise */
	ingest_switch(&feed.ingest, &source, LINE_NS);
}

static void describe_shell(void)
{
	feed_comm(&feed, 10, 100, 100, "sh", true);
	feed_mmap(&feed, 11, 100, 0x400000, 0x1000, 0, "/bin/sh");
}

static void test_counts_begin_anew_and_names_stay(void **state)
{
	(void)state;
	describe_shell();
	feed_sample(&feed, 50, 100, 100, 0x400010);
	switch_source(true);
	assert_int_equal(feed_samples(&feed), 0);
	feed_sample(&feed, 101, 100, 100, 0x400010);
	feed_round(&feed, 200);
	assert_int_equal(feed_counted(&feed, "sh", 100, "/bin/sh", 0x10), 1);
	assert_int_equal(feed_samples(&feed), 1);
}

/* Only the size of stack copies differs. */
static void test_counts_of_the_same_events_go_on_without_a_gap(void **state)
{
	(void)state;
	describe_shell();
	feed_sample(&feed, 50, 100, 100, 0x400010);
	feed_sample(&feed, LINE_NS, 100, 100, 0x400010);
	feed_sample(&feed, 103, 100, 100, 0x400010);	/* from the last CPU */
	source.keeps_counts = true;
	switch_source(true);
	assert_int_equal(feed_samples(&feed), 3);
	feed_sample(&feed, 102, 100, 100, 0x400010);	/* from the one before */
	feed_round(&feed, 200);
	assert_int_equal(feed_counted(&feed, "sh", 100, "/bin/sh", 0x10), 4);
	assert_int_equal(feed_samples(&feed), 4);
	assert_int_equal(feed.ingest.reorder->late, 0);
}

/* The side-band of both sources reports the same tasks. */
static void test_where_counts_go_on_what_both_sources_tell_takes_effect_once(void **state)
{
	(void)state;
	describe_shell();
	feed_sample(&feed, 50, 100, 100, 0x400010);
	feed_comm(&feed, 102, 100, 100, "old", false);
	feed.event.is_sideband = true;
	source.keeps_counts = true;
	switch_source(true);
	feed.event.is_sideband = false;
	feed_sample(&feed, 101, 100, 100, 0x400010);
	feed_comm(&feed, 102, 100, 100, "new", false);
	feed_sample(&feed, 103, 100, 100, 0x400010);
	feed_round(&feed, 200);
	assert_int_equal(feed_counted(&feed, "sh", 100, "/bin/sh", 0x10), 2);
	assert_int_equal(feed_counted(&feed, "new", 100, "/bin/sh", 0x10), 1);
	assert_int_equal(feed_samples(&feed), 3);
}

/*   old rings   .. fork 200 at 90 | comm "old" at 105
 *   new rings      fork 200 at 90 | comm "kid" at 105      the line lies between
 * The child has named itself since the fork: a second report of it would make it "sh" once more. */
static void test_what_both_sources_tell_takes_effect_once(void **state)
{
	(void)state;
	describe_shell();
	feed_fork(&feed, 90, 100, 100, 200, 200);
	feed_comm(&feed, 95, 200, 200, "kid", false);
	feed_comm(&feed, 105, 200, 200, "old", false);
	switch_source(true);
	feed_fork(&feed, 90, 100, 100, 200, 200);
	feed_sample(&feed, 101, 200, 200, 0x400010);
	feed_round(&feed, 103);
	feed_comm(&feed, 105, 200, 200, "new", false);
	feed_sample(&feed, 106, 200, 200, 0x400010);
	feed_round(&feed, 200);
	assert_int_equal(feed_counted(&feed, "kid", 200, "/bin/sh", 0x10), 1);
	assert_int_equal(feed_counted(&feed, "new", 200, "/bin/sh", 0x10), 1);
	assert_int_equal(feed.ingest.reorder->late, 0);
}

/* Both of the old one's (read, but promised by no round) and of the new one's. */
static void test_samples_of_the_overlap_count_on_neither_side(void **state)
{
	(void)state;
	feed_sample(&feed, 101, 100, 100, 0x10);
	feed_sample(&feed, 102, 100, 100, 0x10);
	switch_source(false);
	feed_sample(&feed, LINE_NS - 1, 100, 100, 0x10);
	feed_sample(&feed, LINE_NS, 100, 100, 0x10);
	feed_sample(&feed, LINE_NS + 1, 100, 100, 0x10);
	feed_round(&feed, 200);
	assert_int_equal(feed_samples(&feed), 1);
	assert_int_equal(feed.ingest.reorder->late, 0);
	assert_int_equal(feed.ingest.counters.lost_kernel, 0);
	assert_int_equal(feed.ingest.counters.malformed, 0);
}

static void test_an_earlier_record_after_a_source_that_ended_is_not_late(void **state)
{
	(void)state;
	feed_sample(&feed, 300, 100, 100, 0x10);
	feed_round(&feed, UINT64_MAX);		/* as a sampler does before QUEUE_END */
	ingest_switch(&feed.ingest, &source, LINE_NS);
	feed_sample(&feed, 250, 100, 100, 0x10);
	feed_round(&feed, 299);
	assert_int_equal(feed_samples(&feed), 1);
	assert_int_equal(feed.ingest.reorder->late, 0);
}

static void test_tasks_that_were_not_followed_are_unknown(void **state)
{
	(void)state;
	describe_shell();
	feed_round(&feed, 50);
	switch_source(false);
	feed_sample(&feed, 101, 100, 100, 0x400010);
	feed_round(&feed, 200);
	assert_int_equal(feed_counted(&feed, ":100", 100, "[unknown]", 0x400010), 1);
	assert_int_equal(task_table_process(&feed.ingest.tasks, 100)->maps_state, MAPS_UNREAD);
}

static void test_event_numbers_mean_the_events_of_the_new_source(void **state)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_id_all = 1,
	};
	struct event_desc desc = { .name = "other" };
	const struct event_desc *events[] = { &feed.event, &desc };
	const uint64_t fields[] = { PAIR(100, 100), 101, PAIR(0, 0) };
	struct record_bytes record;

	(void)state;
	record_format_init(&desc.format, &attr);
	source.ingest.events = events;
	source.ingest.event_count = 2;
	timeline_finish(&source.timeline);
	assert_int_equal(timeline_init(&source.timeline, 2), 0);
	switch_source(true);
	record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_add(&record, fields, COUNT_OF(fields));
	record_close(&record);
	ingest_push(&feed.ingest, record.words, record.count * 8, 1, 0);
	feed_round(&feed, 200);
	assert_int_equal(feed.ingest.counters.malformed, 0);
	assert_int_equal(feed.ingest.timeline.open.count, 1);
	assert_int_equal(feed.ingest.timeline.open.entries[0].event, 1);
}

static void test_losses_add_up_although_their_counts_begin_anew(void **state)
{
	const struct queue_round_end before = { .limit_ns = 90, .stalled_rounds = 3,
						.malformed = 2 };
	const struct queue_round_end after = { .limit_ns = 200, .stalled_rounds = 4,
					       .malformed = 1 };

	(void)state;
	ingest_lost_total(&feed.ingest, 0, 0, 40);
	ingest_round_end(&feed.ingest, &before);
	switch_source(true);
	feed.ingest.counters.stalled_rounds = 3;	/* feed_round() says 0 of both */
	feed.ingest.counters.malformed_rings = 2;
	ingest_switch(&feed.ingest, &source, LINE_NS);
	ingest_lost_total(&feed.ingest, 0, 0, 5);	/* another descriptor's */
	ingest_round_end(&feed.ingest, &after);
	assert_int_equal(feed.ingest.counters.lost_kernel, 45);
	assert_int_equal(feed.ingest.counters.stalled_rounds, 7);
	assert_int_equal(feed.ingest.counters.malformed_rings, 3);
}

/*   throttled 60 .. line at 100: 40 ns; the new event's unthrottle at 150 has no beginning */
static void test_a_throttle_ends_with_its_event(void **state)
{
	(void)state;
	feed_throttle(&feed, 60, 0, true);
	switch_source(true);
	feed_throttle(&feed, 150, 0, false);
	feed_round(&feed, 200);
	assert_int_equal(feed.ingest.counters.throttled_ns, 40);
}

/*   target 100 has started 200; both sources mean 100, the second is CPU-wide and has to filter */
static void test_what_a_target_has_started_stays_its_own(void **state)
{
	static const uint32_t pid = 100;
	const struct ingest_config config = { .is_replay = true, .target_pids = &pid,
					      .target_pid_count = 1 };

	tear_down(state);
	start(&config);
	feed_fork(&feed, 10, 100, 100, 200, 200);
	feed_sample(&feed, 20, 300, 300, 0x10);
	feed_round(&feed, 50);
	assert_int_equal(feed_samples(&feed), 1);	/* nothing is filtered yet */
	source.ingest.has_task_filter = true;
	switch_source(true);
	feed_sample(&feed, 101, 100, 100, 0x10);
	feed_sample(&feed, 102, 200, 200, 0x10);
	feed_sample(&feed, 103, 300, 300, 0x10);
	feed_round(&feed, 200);
	assert_int_equal(feed_samples(&feed), 2);
}

static void test_slices_of_two_sources_have_different_numbers(void **state)
{
	uint64_t seq;

	(void)state;
	feed_sample(&feed, 50, 100, 100, 0x10);
	feed_round(&feed, 60);
	seq = feed.ingest.timeline.open_slice.seq;
	switch_source(true);
	assert_true(feed.ingest.timeline.open_slice.seq > seq);
	assert_int_equal(feed.ingest.timeline.count, 0);
}

/* The reader has read this process, for a sample of the old source; what it mapped between then and
 * the line nobody knows. */
static void test_a_reply_from_before_the_line_is_not_taken(void **state)
{
	const struct process_reply reply = { .pid = 100, .tid = 100, .time_ns = LINE_NS - 1,
					     .wants_maps = true, .has_maps = true,
					     .has_comm = true, .comm = "stale" };
	struct process_reply later = reply;
	struct process *process;

	(void)state;
	switch_source(false);
	process = task_table_process(&feed.ingest.tasks, 100);
	task_table_thread(&feed.ingest.tasks, 100, 100);
	process->maps_state = MAPS_ASKED;
	intake_take_reply(&feed.ingest, &reply);
	assert_int_equal(process->maps_state, MAPS_ASKED);
	assert_false(task_table_find_thread(&feed.ingest.tasks, 100)->has_comm);
	later.time_ns = LINE_NS;
	intake_take_reply(&feed.ingest, &later);
	assert_int_equal(process->maps_state, MAPS_KNOWN);
	assert_true(task_table_find_thread(&feed.ingest.tasks, 100)->has_comm);
}

static void test_what_is_pending_for_a_reply_goes_with_its_source(void **state)
{
	const struct ingest_config config = { .event_count = 1 };
	const uint32_t own = (uint32_t)getpid();
	struct diag why;

	tear_down(state);
	assert_int_equal(process_reader_create(&reader, &why), 0);
	start(&config);
	feed_sample(&feed, 50, own, own, 0x10);
	feed_round(&feed, 60);
	assert_int_equal(feed.ingest.pending_count, 1);
	switch_source(false);
	assert_int_equal(feed.ingest.pending_count, 0);
	assert_int_equal(feed.ingest.pending->bytes, 0);
	ingest_poll(&feed.ingest, true);
	assert_int_equal(feed_samples(&feed), 0);
	assert_int_equal(feed.ingest.counters.unattributed, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_ingest_switch)
{
	const struct CMUnitTest tests[] = {
		TEST(test_counts_begin_anew_and_names_stay),
		TEST(test_counts_of_the_same_events_go_on_without_a_gap),
		TEST(test_where_counts_go_on_what_both_sources_tell_takes_effect_once),
		TEST(test_what_both_sources_tell_takes_effect_once),
		TEST(test_samples_of_the_overlap_count_on_neither_side),
		TEST(test_an_earlier_record_after_a_source_that_ended_is_not_late),
		TEST(test_tasks_that_were_not_followed_are_unknown),
		TEST(test_event_numbers_mean_the_events_of_the_new_source),
		TEST(test_losses_add_up_although_their_counts_begin_anew),
		TEST(test_a_throttle_ends_with_its_event),
		TEST(test_what_a_target_has_started_stays_its_own),
		TEST(test_slices_of_two_sources_have_different_numbers),
		TEST(test_a_reply_from_before_the_line_is_not_taken),
		TEST(test_what_is_pending_for_a_reply_goes_with_its_source),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
