/* Branches beside samples, whose sums were worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ingest_fixture.h"
#include "unit_tests.h"

#define KERNEL_FROM 0xffffffff81000010ull
#define KERNEL_TO   0xffffffff81000040ull
#define APP_START   0x400000ull
#define FIELDS	    (PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | \
		     PERF_SAMPLE_PERIOD)

static struct ingest ingest;
static struct event_desc leader, member, sideband;
static const struct event_desc *events[4];

/* Two events of a recording, or one, with the side-band at the end. */
static void begin(uint64_t branch_sample_type, uint64_t more_fields, uint32_t sampled)
{
	struct perf_event_attr attr = {
		.sample_type = FIELDS | PERF_SAMPLE_BRANCH_STACK | more_fields, .freq = 1,
		.branch_sample_type = branch_sample_type, .sample_id_all = 1,
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID,
	};
	struct ingest_config config = { .events = events, .is_replay = true };
	struct diag why;

	record_format_init(&leader.format, &attr);
	member = leader;
	attr.sample_type = FIELDS;
	record_format_init(&sideband.format, &attr);
	sideband.is_sideband = true;
	events[0] = &leader;
	events[sampled - 1] = sampled > 1 ? &member : &leader;
	events[sampled] = &sideband;
	config.event_count = sampled + 1;
	ingest_config_add_branches(&config, events);
	assert_int_equal(ingest_init(&ingest, &config, NULL, NULL, &why), 0);
}

/* Pushes a record of the event that the reader numbers @event. */
static void push(struct record_bytes *record, uint16_t event)
{
	struct feed_queue queue = { .count = 0 };

	record_close(record);
	memcpy(queue.words, record->words, record->count * 8);
	queue.item = (struct queue_item){ .kind = QUEUE_RECORD, .event = event };
	assert_int_equal(ingest_push_item(&ingest, &queue.item,
					  offsetof(struct feed_queue, words) + record->count * 8),
			 1);
}

static void push_mmap(uint16_t event, uint64_t file_offset)
{
	const uint64_t fields[] = { PAIR(7, 7), APP_START, 0x1000, file_offset };
	const uint64_t origin[] = { PAIR(7, 7), 1, PAIR(0, 0) };
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_MMAP, PERF_RECORD_MISC_USER);
	record_add(&record, fields, COUNT_OF(fields));
	record_add_text(&record, "/bin/app");
	record_add(&record, origin, COUNT_OF(origin));
	push(&record, event);
}

/* Pushes a sample of process 7 in user code. @reads: PERF_SAMPLE_READ with two counters. */
static void push_sample(uint16_t event, uint64_t time_ns, bool reads,
			const struct perf_branch_entry *branches, uint64_t count)
{
	const uint64_t fields[] = { APP_START, PAIR(7, 7), time_ns, PAIR(0, 0), 1000 };
	const uint64_t values[] = { 2, 500, 1, 600, 2 };
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_add(&record, fields, COUNT_OF(fields));
	if (reads)
		record_add(&record, values, COUNT_OF(values));
	record_add(&record, &count, 1);
	record_add(&record, (const uint64_t *)(const void *)branches,
		   count * sizeof(*branches) / 8);
	push(&record, event);
}

static void count_all(void)
{
	const struct queue_round_end mark = { .limit_ns = UINT64_MAX };

	ingest_round_end(&ingest, &mark);
	ingest_poll(&ingest, true);
	assert_int_equal(timeline_cut(&ingest.timeline, UINT64_MAX), 0);
}

/* Branches counted from one address to another, in the trie's addresses. */
static uint64_t counted(uint32_t event, uint64_t from, uint64_t to,
			enum branch_prediction prediction)
{
	const struct stack_trie *trie = &ingest.trie;
	uint64_t sum = 0;

	for (uint32_t s = 0; s < ingest.timeline.count; s++) {
		const struct slice *slice = &ingest.timeline.slices[s];

		for (uint32_t i = 0; i < slice->count; i++) {
			const struct slice_entry *entry = &slice->entries[i];
			const uint32_t node = trie->stacks.node[entry->stack];

			if (entry->event != event || node == STACK_NODE_ROOT)
				continue;
			assert_int_equal(trie->nodes.parent[node], STACK_NODE_ROOT);
			assert_int_equal(entry->count, entry->weight);
			if (trie->frames.address[trie->nodes.frame[node]] == from &&
			    trie->frames.address[trie->stacks.frame[entry->stack]] == to &&
			    entry->bucket == (unsigned int)prediction)
				sum += entry->count;
		}
	}
	return sum;
}

static uint64_t samples_of(uint32_t event)
{
	uint64_t sum = 0;

	for (uint32_t s = 0; s < ingest.timeline.count; s++)
		for (uint32_t i = 0; i < ingest.timeline.slices[s].count; i++)
			if (ingest.timeline.slices[s].entries[i].event == event)
				sum += ingest.timeline.slices[s].entries[i].count;
	return sum;
}

static void test_each_branch_counts_once_by_its_prediction(void **state)
{
	const struct perf_branch_entry first[] = {
		{ .from = APP_START + 0x10, .to = APP_START + 0x40, .predicted = 1 },
		{ .from = APP_START + 0x10, .to = APP_START + 0x40, .mispred = 1 },
		{ .from = APP_START + 0x50, .to = APP_START + 0x40 },
		{ .from = 0, .to = 0 },		/* one that the CPU has not filled */
	};
	const struct perf_branch_entry second[] = {
		{ .from = APP_START + 0x10, .to = APP_START + 0x40, .predicted = 1 },
		{ .from = KERNEL_FROM, .to = KERNEL_TO, .predicted = 1 },
		{ .from = KERNEL_FROM, .to = APP_START, .predicted = 1 },
	};

	(void)state;
	begin(PERF_SAMPLE_BRANCH_ANY, 0, 1);
	push_mmap(1, 0x2000);		/* the side-band's number is the reader's */
	push_sample(0, 2, false, first, 4);
	push_sample(0, 3, false, second, 3);
	count_all();
	assert_int_equal(ingest.counters.malformed, 0);
	assert_int_equal(samples_of(0), 2);
	assert_int_equal(samples_of(1), 6);
	assert_int_equal(counted(1, 0x2010, 0x2040, BRANCH_PREDICTED), 2);
	assert_int_equal(counted(1, 0x2010, 0x2040, BRANCH_MISPREDICTED), 1);
	assert_int_equal(counted(1, 0x2050, 0x2040, BRANCH_PREDICTION_UNKNOWN), 1);
	assert_int_equal(counted(1, KERNEL_FROM, KERNEL_TO, BRANCH_PREDICTED), 1);
	assert_int_equal(counted(1, KERNEL_FROM, 0x2000, BRANCH_PREDICTED), 1);
	ingest_finish(&ingest);
}

/* A reader passes a sample that holds counters on for each of them. */
static void test_a_sample_of_two_events_has_its_branches_once(void **state)
{
	const struct perf_branch_entry branch = { .from = 0x10, .to = 0x20, .predicted = 1 };

	(void)state;
	begin(PERF_SAMPLE_BRANCH_ANY, PERF_SAMPLE_READ, 2);
	push_sample(0, 2, true, &branch, 1);
	push_sample(1, 2, true, &branch, 1);
	push_sample(0, 3, true, &branch, 1);
	count_all();
	assert_int_equal(samples_of(0), 2);
	assert_int_equal(samples_of(1), 1);
	assert_int_equal(samples_of(2), 2);
	ingest_finish(&ingest);
}

static void test_calls_are_no_branches_that_were_taken(void **state)
{
	const struct perf_branch_entry call = { .from = 0x10, .to = 0x20 };

	(void)state;
	begin(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK, 0, 1);
	assert_int_equal(ingest.config.event_count, 2);
	assert_int_equal(ingest.config.branch_event, 0);
	push_sample(0, 2, false, &call, 1);
	count_all();
	assert_int_equal(samples_of(0), 1);
	assert_int_equal(samples_of(1), 0);
	ingest_finish(&ingest);
}

static void test_the_event_lies_before_the_side_band(void **state)
{
	(void)state;
	begin(PERF_SAMPLE_BRANCH_ANY, 0, 1);
	assert_int_equal(ingest.config.event_count, 3);
	assert_int_equal(ingest.config.branch_event, 1);
	assert_ptr_equal(events[0], &leader);
	assert_string_equal(events[1]->name, BRANCH_EVENT_NAME);
	assert_ptr_equal(events[2], &sideband);
	ingest_finish(&ingest);
}

UNIT_TESTS(test_branches)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_branch_counts_once_by_its_prediction),
		cmocka_unit_test(test_a_sample_of_two_events_has_its_branches_once),
		cmocka_unit_test(test_calls_are_no_branches_that_were_taken),
		cmocka_unit_test(test_the_event_lies_before_the_side_band),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
