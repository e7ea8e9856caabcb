/* The encoder: what ingest counts -> records, against records written down by hand.
 *
 *   process 7 "app" maps /bin/app at 0x400000 (file offset 0x1000)
 */
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ingest_fixture.h"
#include "record/recording.h"
#include "unit_tests.h"

enum { KEPT_MAX = 64, TEXT_BYTES = 64, CHAIN_MAX = 16 };

/* A record that the sink got, in the words of perf script -D. */
struct kept {
	uint32_t type;
	uint64_t time_ns;
	uint32_t pid, tid;
	char text[TEXT_BYTES];
	uint64_t ip, period, count, id;
	uint64_t chain[CHAIN_MAX];
	uint64_t chain_count;
	bool is_exec;
};

struct records {
	struct ingest_fixture feed;
	struct record_encoder *encoder;
	struct record_format format;	/* as the last EVENT item says */
	struct kept kept[KEPT_MAX];
	size_t count, events, refusals;	/* refusals: so many items find no room */
	size_t part_at;			/* records before the last part */
};

static struct records records;

static void take_text(struct kept *kept, const struct record_text *text)
{
	snprintf(kept->text, sizeof(kept->text), "%.*s", (int)text->len, text->bytes);
}

static void take_record(const struct perf_event_header *raw)
{
	struct kept *kept = &records.kept[records.count++];
	struct event_record record;

	assert_true(records.count <= KEPT_MAX);
	assert_int_equal(record_parse(&records.format, raw, raw->size, &record), 0);
	*kept = (struct kept){ .type = raw->type, .time_ns = record.time_ns, .pid = record.pid,
			       .tid = record.tid };
	assert_int_equal(record_peek_id(&records.format, raw, raw->size, &kept->id), 0);
	assert_int_equal(record_written_bytes(&records.format, raw), raw->size);
	if (record.kind == RECORD_COMM) {
		take_text(kept, &record.comm.comm);
		kept->is_exec = record.comm.is_exec;
	}
	if (record.kind == RECORD_MMAP)
		take_text(kept, &record.mmap.path);
	if (record.kind == RECORD_LOST)
		kept->count = record.lost.count;
	if (record.kind != RECORD_SAMPLE)
		return;
	kept->ip = record.sample.ip;
	kept->period = record.sample.period;
	kept->chain_count = record.sample.chain_count;
	assert_true(kept->chain_count <= CHAIN_MAX);
	memcpy(kept->chain, record.sample.chain, kept->chain_count * sizeof(kept->chain[0]));
}

static bool take_item(void *owner, const struct recording_item *item)
{
	(void)owner;
	if (records.refusals) {
		records.refusals--;
		return false;
	}
	if (item->kind == RECORDING_EVENT) {
		records.events++;
		record_format_init(&records.format, &item->event.attr);
	} else if (item->kind == RECORDING_RECORD) {
		take_record(item->record);
	}
	return true;
}

static bool take_part(void *owner)
{
	(void)owner;
	records.part_at = records.count;
	return true;
}

static int set_up(void **state)
{
	static const struct recording_sink sink = { .write = take_item, .part = take_part };
	static const struct record_encoder_config config;
	struct diag why = { 0 };

	memset(&records, 0, sizeof(records));
	*state = &records.feed;
	if (feed_set_up_replay(state))
		return -1;
	records.feed.event.format.sample_type |= PERF_SAMPLE_CALLCHAIN;
	assert_int_equal(record_encoder_create(&records.encoder, &config, &sink, &why), 0);
	ingest_set_tee(&records.feed.ingest, record_encoder_tee(records.encoder));
	return 0;
}

static int tear_down(void **state)
{
	*state = &records.feed;
	feed_tear_down(state);
	record_encoder_destroy(records.encoder);
	return 0;
}

static void end_recording(void)
{
	ingest_set_tee(&records.feed.ingest, NULL);
}

static size_t count_of(uint32_t type)
{
	size_t count = 0;

	for (size_t i = 0; i < records.count; i++)
		count += records.kept[i].type == type;
	return count;
}

/* Everything up to @limit_ns has come. */
static void pass_round(uint64_t limit_ns)
{
	feed_round(&records.feed, limit_ns);
	ingest_poll(&records.feed.ingest, false);
}

static void map_app(uint64_t time_ns)
{
	feed_comm(&records.feed, time_ns, 7, 7, "app", true);
	feed_mmap(&records.feed, time_ns + 1, 7, 0x400000, 0x10000, 0x1000, "/bin/app");
}

static void test_a_sample_has_its_callers_after_the_markers(void **state)
{
	static const uint64_t chain[] = { (uint64_t)PERF_CONTEXT_KERNEL, 0xffffffff81000010,
					  0xffffffff81000020, (uint64_t)PERF_CONTEXT_USER,
					  0x400100, 0x400200 };
	const struct kept *sample = &records.kept[2];

	(void)state;
	map_app(100);
	records.feed.period = 5;
	feed_sample_at(&records.feed, 200, 7, 7, PERF_RECORD_MISC_KERNEL, chain[1], chain,
		       COUNT_OF(chain));
	pass_round(300);
	end_recording();
	assert_int_equal(records.count, 3);
	assert_int_equal(sample->type, PERF_RECORD_SAMPLE);
	assert_int_equal(sample->time_ns, 200);
	assert_int_equal(sample->period, 5);
	assert_int_equal(sample->ip, chain[1]);
	assert_int_equal(sample->chain_count, COUNT_OF(chain));
	assert_memory_equal(sample->chain, chain, sizeof(chain));
}

static void test_records_come_in_the_order_of_time(void **state)
{
	(void)state;
	map_app(100);
	feed_sample(&records.feed, 400, 7, 7, 0x400100);
	feed_sample(&records.feed, 300, 7, 7, 0x400100);
	feed_fork(&records.feed, 350, 7, 7, 8, 8);
	pass_round(500);
	end_recording();
	for (size_t i = 1; i < records.count; i++)
		assert_true(records.kept[i - 1].time_ns <= records.kept[i].time_ns);
	assert_int_equal(records.count, 5);
}

static void test_a_process_from_before_is_described_once_before_its_first_sample(void **state)
{
	(void)state;
	end_recording();
	map_app(100);
	feed_sample(&records.feed, 150, 7, 7, 0x400100);
	pass_round(160);
	ingest_set_tee(&records.feed.ingest, record_encoder_tee(records.encoder));
	assert_int_equal(records.count, 0);
	feed_sample(&records.feed, 200, 7, 7, 0x400100);
	feed_sample(&records.feed, 210, 7, 7, 0x400100);
	pass_round(300);
	end_recording();
	assert_int_equal(records.count, 4);
	assert_int_equal(records.kept[0].type, PERF_RECORD_COMM);
	assert_string_equal(records.kept[0].text, "app");
	assert_int_equal(records.kept[1].type, PERF_RECORD_MMAP2);
	assert_string_equal(records.kept[1].text, "/bin/app");
	assert_int_equal(records.kept[1].time_ns, 200);
	assert_int_equal(records.kept[2].type, PERF_RECORD_SAMPLE);
	assert_int_equal(records.kept[3].type, PERF_RECORD_SAMPLE);
}

static void test_a_child_of_a_described_process_needs_no_description(void **state)
{
	(void)state;
	map_app(100);
	feed_fork(&records.feed, 150, 7, 7, 8, 8);
	feed_sample(&records.feed, 200, 8, 8, 0x400100);
	pass_round(300);
	end_recording();
	assert_int_equal(count_of(PERF_RECORD_COMM), 1);
	assert_int_equal(count_of(PERF_RECORD_MMAP2) + count_of(PERF_RECORD_MMAP), 1);
}

static void test_a_process_without_a_sample_leaves_no_record(void **state)
{
	(void)state;
	map_app(100);
	feed_fork(&records.feed, 150, 7, 7, 8, 8);
	feed_comm(&records.feed, 160, 8, 8, "other", true);
	feed_mmap(&records.feed, 161, 8, 0x400000, 0x10000, 0x1000, "/bin/other");
	feed_exit(&records.feed, 170, 8, 8);
	feed_sample(&records.feed, 200, 7, 7, 0x400100);
	pass_round(300);
	end_recording();
	assert_int_equal(records.count, 3);
	for (size_t i = 0; i < records.count; i++)
		assert_int_equal(records.kept[i].pid, 7);
	assert_string_equal(records.kept[1].text, "/bin/app");
	assert_int_equal(records.kept[2].type, PERF_RECORD_SAMPLE);
}

static void test_a_new_program_is_described_with_its_first_sample(void **state)
{
	(void)state;
	map_app(100);
	feed_sample(&records.feed, 150, 7, 7, 0x400100);
	feed_comm(&records.feed, 200, 7, 7, "other", true);
	feed_mmap(&records.feed, 201, 7, 0x400000, 0x10000, 0x1000, "/bin/other");
	pass_round(250);
	assert_int_equal(records.count, 4);
	assert_int_equal(records.kept[3].type, PERF_RECORD_COMM);
	assert_string_equal(records.kept[3].text, "other");
	feed_sample(&records.feed, 300, 7, 7, 0x400100);
	feed_mmap(&records.feed, 310, 7, 0x500000, 0x10000, 0x1000, "/lib/more");
	feed_exit(&records.feed, 320, 7, 7);
	pass_round(400);
	end_recording();
	assert_int_equal(records.count, 8);
	assert_string_equal(records.kept[4].text, "/bin/other");
	assert_int_equal(records.kept[4].time_ns, 300);
	assert_int_equal(records.kept[5].type, PERF_RECORD_SAMPLE);
	assert_string_equal(records.kept[6].text, "/lib/more");
	assert_int_equal(records.kept[6].time_ns, 310);
	assert_int_equal(records.kept[7].type, PERF_RECORD_EXIT);
}

/* A sample that waited for a table. */
static void pass_late_of(uint64_t time_ns, const struct thread *thread,
			 const struct process_maps *maps)
{
	const struct ingest *ingest = &records.feed.ingest;
	const struct record_tee *tee = record_encoder_tee(records.encoder);
	const struct event_record record = { .pid = 7, .tid = 7 };

	tee->sample(tee->owner, ingest, &(struct tee_sample){
		.record = &record, .format = &records.feed.event.format, .time_ns = time_ns,
		.weight = 1, .leaf_mode = MODE_USER, .leaf_ip = 0x400100,
		.thread = thread, .maps = maps,
	});
}

static void pass_late(uint64_t time_ns)
{
	const struct task_table *tasks = &records.feed.ingest.tasks;

	pass_late_of(time_ns, task_table_find_thread(tasks, 7),
		     task_table_find_process(tasks, 7)->maps);
}

static void test_a_late_sample_describes_nothing_after_what_was_left_out(void **state)
{
	const struct kept *map;

	(void)state;
	map_app(100);
	feed_comm(&records.feed, 200, 7, 7, "other", true);
	feed_mmap(&records.feed, 201, 7, 0x400000, 0x10000, 0x1000, "/bin/other");
	pass_round(250);
	assert_int_equal(records.count, 0);
	pass_late(150);
	feed_sample(&records.feed, 300, 7, 7, 0x400100);
	feed_sample(&records.feed, 310, 7, 7, 0x400100);
	pass_round(400);
	end_recording();
	assert_int_equal(count_of(PERF_RECORD_SAMPLE), 3);
	assert_int_equal(count_of(PERF_RECORD_COMM), 2);
	assert_int_equal(count_of(PERF_RECORD_MMAP2), 2);
	map = &records.kept[records.count - 3];
	assert_string_equal(map->text, "/bin/other");
	assert_int_equal(map->time_ns, 300);
	assert_string_equal(map[-1].text, "other");
	assert_true(map[-1].is_exec);	/* the mappings of app are gone */
}

/* A short process: both of its samples wait for tables, and are counted after its exit. */
static void test_late_samples_of_one_that_has_ended_have_their_maps(void **state)
{
	struct process_maps *before, *after;
	struct thread thread;

	(void)state;
	map_app(100);
	pass_round(120);
	thread = *task_table_find_thread(&records.feed.ingest.tasks, 7);
	before = process_maps_share(task_table_find_process(&records.feed.ingest.tasks, 7)->maps);
	feed_mmap(&records.feed, 201, 7, 0x700000, 0x10000, 0x1000, "/lib/late");
	pass_round(220);
	after = process_maps_share(task_table_find_process(&records.feed.ingest.tasks, 7)->maps);
	feed_exit(&records.feed, 300, 7, 7);
	pass_round(350);
	pass_late_of(150, &thread, before);
	pass_late_of(250, &thread, after);
	pass_late_of(260, &thread, after);
	process_maps_release(before);
	process_maps_release(after);
	end_recording();
	assert_int_equal(count_of(PERF_RECORD_SAMPLE), 3);
	assert_int_equal(count_of(PERF_RECORD_MMAP2), 3);
	assert_int_equal(records.kept[records.count - 1].type, PERF_RECORD_SAMPLE);
	assert_int_equal(records.kept[records.count - 2].type, PERF_RECORD_SAMPLE);
	assert_string_equal(records.kept[records.count - 3].text, "/lib/late");
	assert_int_equal(records.kept[records.count - 3].time_ns, 250);
}

/* A mapping from before the restart is in what was recorded before. */
static void test_after_a_restart_a_late_sample_does_not_hide_a_map(void **state)
{
	struct process_maps *before;

	(void)state;
	map_app(100);
	pass_round(120);
	before = process_maps_share(task_table_find_process(&records.feed.ingest.tasks, 7)->maps);
	feed_mmap(&records.feed, 201, 7, 0x700000, 0x10000, 0x1000, "/lib/late");
	feed_round(&records.feed, 220);
	record_encoder_restart(records.encoder);
	pass_late_of(150, task_table_find_thread(&records.feed.ingest.tasks, 7), before);
	process_maps_release(before);
	pass_late(250);
	end_recording();
	assert_int_equal(count_of(PERF_RECORD_SAMPLE), 2);
	assert_int_equal(count_of(PERF_RECORD_MMAP2), 3);
	assert_string_equal(records.kept[records.count - 2].text, "/lib/late");
}

static void test_what_was_lost_is_described_again(void **state)
{
	(void)state;
	map_app(100);
	feed_sample(&records.feed, 200, 7, 7, 0x400100);
	feed_sample(&records.feed, 210, 7, 7, 0x400100);
	records.refusals = 3;	/* name, mapping, sample */
	pass_round(300);
	feed_sample(&records.feed, 400, 7, 7, 0x400100);
	pass_round(500);
	end_recording();
	assert_int_equal(record_encoder_counts(records.encoder).lost, 3);
	assert_int_equal(count_of(PERF_RECORD_COMM), 1);
	assert_int_equal(count_of(PERF_RECORD_MMAP2), 1);
	assert_int_equal(records.kept[records.count - 1].time_ns, 400);
	assert_string_equal(records.kept[records.count - 2].text, "/bin/app");
}

static void test_what_finds_no_room_is_counted_and_reported(void **state)
{
	(void)state;
	map_app(100);
	feed_sample(&records.feed, 110, 7, 7, 0x400100);
	pass_round(150);
	records.refusals = 3;
	for (uint64_t i = 0; i < 5; i++)
		feed_sample(&records.feed, 200 + i, 7, 7, 0x400100);
	pass_round(300);
	end_recording();
	assert_int_equal(count_of(PERF_RECORD_SAMPLE), 3);
	assert_int_equal(count_of(PERF_RECORD_LOST), 1);
	assert_int_equal(records.kept[3].type, PERF_RECORD_LOST);
	assert_int_equal(records.kept[3].count, 3);
	assert_int_equal(record_encoder_counts(records.encoder).lost, 3);
	assert_int_equal(record_encoder_counts(records.encoder).samples, 3);
}

/* By a trailer, as the kernel makes them while another program profiles. */
static void test_a_record_that_is_too_long_is_written_without_its_rest(void **state)
{
	const uint64_t fields[] = { 0xffffffffc0002000, PAIR(64, PERF_RECORD_KSYMBOL_TYPE_BPF) };
	const uint64_t trailers[] = { PAIR(7, 7), 120, 0, 1, 2, 3 };
	struct record_bytes record;

	(void)state;
	map_app(100);
	feed_sample(&records.feed, 110, 7, 7, 0x400100);
	record_begin(&record, PERF_RECORD_KSYMBOL, 0);
	record_add(&record, fields, COUNT_OF(fields));
	record_add_text(&record, "bpf_prog_62efe59b7d4f5ea1");
	record_add(&record, trailers, COUNT_OF(trailers));
	feed_push(&records.feed, &record);
	pass_round(200);
	end_recording();
	assert_int_equal(records.count, 4);
	assert_int_equal(records.kept[3].type, PERF_RECORD_KSYMBOL);
	assert_int_equal(records.kept[3].time_ns, 120);
	assert_int_equal(records.kept[3].id, records.kept[2].id);
}

static void test_after_a_restart_everything_is_described_again(void **state)
{
	(void)state;
	map_app(100);
	feed_sample(&records.feed, 200, 7, 7, 0x400100);
	pass_round(300);
	records.count = records.events = 0;
	record_encoder_restart(records.encoder);
	feed_sample(&records.feed, 400, 7, 7, 0x400100);
	pass_round(500);
	end_recording();
	assert_int_equal(records.events, 1);
	assert_int_equal(records.count, 3);
	assert_string_equal(records.kept[0].text, "app");
	assert_string_equal(records.kept[1].text, "/bin/app");
	assert_int_equal(records.kept[2].type, PERF_RECORD_SAMPLE);
}

static void test_a_part_describes_its_processes_again(void **state)
{
	(void)state;
	map_app(100);
	feed_sample(&records.feed, 200, 7, 7, 0x400100);
	pass_round(300);
	record_encoder_begin_part(records.encoder);
	assert_int_equal(records.part_at, 0);
	feed_sample(&records.feed, 400, 7, 7, 0x400100);
	feed_sample(&records.feed, 500, 7, 7, 0x400100);
	pass_round(600);
	end_recording();
	assert_int_equal(count_of(PERF_RECORD_SAMPLE), 3);
	assert_int_equal(records.part_at, 3);
	assert_int_equal(records.count, records.part_at + 4);
	assert_int_equal(records.kept[records.part_at - 1].type, PERF_RECORD_SAMPLE);
	assert_string_equal(records.kept[records.part_at].text, "app");
	assert_string_equal(records.kept[records.part_at + 1].text, "/bin/app");
	assert_int_equal(records.kept[records.part_at + 2].type, PERF_RECORD_SAMPLE);
	assert_int_equal(records.kept[records.part_at + 2].time_ns, 400);
	assert_int_equal(records.kept[records.part_at + 3].time_ns, 500);
}

#define RECORDS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_encoder)
{
	const struct CMUnitTest tests[] = {
		RECORDS_TEST(test_a_sample_has_its_callers_after_the_markers),
		RECORDS_TEST(test_records_come_in_the_order_of_time),
		RECORDS_TEST(test_a_process_from_before_is_described_once_before_its_first_sample),
		RECORDS_TEST(test_a_child_of_a_described_process_needs_no_description),
		RECORDS_TEST(test_a_process_without_a_sample_leaves_no_record),
		RECORDS_TEST(test_a_new_program_is_described_with_its_first_sample),
		RECORDS_TEST(test_a_late_sample_describes_nothing_after_what_was_left_out),
		RECORDS_TEST(test_late_samples_of_one_that_has_ended_have_their_maps),
		RECORDS_TEST(test_after_a_restart_a_late_sample_does_not_hide_a_map),
		RECORDS_TEST(test_what_was_lost_is_described_again),
		RECORDS_TEST(test_what_finds_no_room_is_counted_and_reported),
		RECORDS_TEST(test_a_record_that_is_too_long_is_written_without_its_rest),
		RECORDS_TEST(test_after_a_restart_everything_is_described_again),
		RECORDS_TEST(test_a_part_describes_its_processes_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
