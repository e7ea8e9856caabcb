/* The sampler over hand-made rings: what it queues, what it promises, what it does when full. */
#include "capture/event_set.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "capture/record.h"
#include "record_bytes.h"
#include "unit_tests.h"

#define RING_PAGES   256u	/* 1 MiB with pages of 4 KiB: more than the queue holds */
#define RECORD_BYTES 64u
#define LANES	     2u
#define HANG_MS	     30000
#define STAMPS_MAX   (256u * 1024u)
/* Rounds that come by time are at least so far apart, however fast or busy the machine is. */
#define SOON_NS	     (50 * CLOCK_NS_PER_MS)

/* When each record of an event had surely been published: a moment after. */
static uint64_t stamps[LANES][STAMPS_MAX];

/* One for all tests: it must outlive a test that fails, as a sampler may still run then. */
static struct fixture {
	struct event_lane lanes[LANES];
	struct perf_event_mmap_page *controls[LANES];
	size_t ring_bytes;
	size_t written[LANES];	/* records so far */
	int fds[LANES];
	struct perf_event_attr attrs[LANES];
	struct event_set set;
	struct spsc queue;
	int wake_fd, round_fd;
	struct sampler *sampler;
	bool is_running;	/* nobody has stopped it yet */
	bool is_stopping;	/* by the thread `stopper` */
	pthread_t stopper;
} fixture;

static int set_up(void **state)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	struct fixture *f = &fixture;

	memset(f, 0, sizeof(*f));
	f->ring_bytes = RING_PAGES * page_bytes;
	for (size_t i = 0; i < LANES; i++) {
		f->controls[i] = aligned_alloc(page_bytes, page_bytes + f->ring_bytes);
		memset(f->controls[i], 0, page_bytes);
		assert_int_equal(perf_ring_create_over(&f->lanes[i].ring, f->controls[i],
						       RING_PAGES, NULL), 0);
		f->lanes[i].event = (uint16_t)i;
		f->lanes[i].cpu = 5;
		f->fds[i] = eventfd(0, EFD_CLOEXEC);	/* never readable: rounds come by time */
	}
	f->set = (struct event_set){ .attrs = f->attrs, .event_count = LANES, .lanes = f->lanes,
				     .lane_count = LANES, .fds = f->fds, .row_count = 1 };
	f->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	f->round_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_int_equal(spsc_init(&f->queue, SAMPLER_QUEUE_MIN_BYTES), 0);
	*state = f;
	return 0;
}

static void create(struct fixture *f, const struct sampler_config *more)
{
	struct sampler_config config = *more;

	config.set = &f->set;
	config.queue = &f->queue;
	config.wake_fd = f->wake_fd;
	assert_int_equal(sampler_create(&f->sampler, &config, NULL), 0);
	f->is_running = true;
}

static const struct sampler_config nothing_more;

static void start_with(struct fixture *f, const struct sampler_config *more)
{
	create(f, more);
	sampler_start(f->sampler, NULL);
}

static void start(struct fixture *f)
{
	start_with(f, &nothing_more);
}

static void stop(struct fixture *f)
{
	f->is_running = false;
	sampler_stop(f->sampler);
}

static uint64_t hand_over(struct fixture *f)
{
	f->is_running = false;
	return sampler_hand_over(f->sampler, &f->set);
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	if (f->is_stopping)
		pthread_join(f->stopper, NULL);
	else if (f->is_running)
		stop(f);
	sampler_destroy(f->sampler);
	for (size_t i = 0; i < LANES; i++) {
		perf_ring_destroy(f->lanes[i].ring);
		free(f->controls[i]);
		close(f->fds[i]);
	}
	close(f->wake_fd);
	close(f->round_fd);
	spsc_finish(&f->queue);
	return 0;
}

/* Appends @count numbered records. */
static void fill_ring(struct fixture *f, size_t lane, size_t count)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	unsigned char *bytes = (unsigned char *)f->controls[lane] + page_bytes;
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = RECORD_BYTES };
	const size_t first = f->written[lane], end = first + count;

	assert_true(end <= STAMPS_MAX);
	for (size_t i = first; i < end; i++) {
		unsigned char *record = bytes + i * RECORD_BYTES % f->ring_bytes;

		memset(record, 0, RECORD_BYTES);
		memcpy(record, &header, sizeof(header));
		memcpy(record + sizeof(header), &i, sizeof(i));
	}
	__atomic_store_n(&f->controls[lane]->data_head, end * RECORD_BYTES, __ATOMIC_RELEASE);
	f->written[lane] = end;
	for (size_t i = first; i < end; i++)
		stamps[f->lanes[lane].event][i] = clock_now_ns();
}

static void fill_rings_up(struct fixture *f)
{
	for (size_t lane = 0; lane < LANES; lane++) {
		uint64_t tail = __atomic_load_n(&f->controls[lane]->data_tail, __ATOMIC_ACQUIRE);

		fill_ring(f, lane, f->ring_bytes / RECORD_BYTES -
			  (f->written[lane] - tail / RECORD_BYTES));
	}
}

static void wait_for_wake(struct fixture *f)
{
	struct pollfd wake = { .fd = f->wake_fd, .events = POLLIN };
	uint64_t count;

	assert_int_equal(poll(&wake, 1, HANG_MS), 1);
	assert_int_equal(read(f->wake_fd, &count, sizeof(count)), sizeof(count));
}

struct seen {
	size_t records[LANES], records_at_first_limit;
	uint64_t last_limit_ns, stalled, malformed;
	size_t limits;		/* different ones */
	bool has_limit, has_end;
	bool had_samples;	/* in the last round */
	size_t samples_at_limit;
	struct {
		size_t all, soon;
	} rounds[2];		/* by whether the one before had samples */
};

/* Takes what waits, up to @items_max; checks that records are in order, that limits never fall, and
 * that no record comes after a limit that is younger than it. */
static void see_records(struct seen *seen, const struct queue_item *item, size_t bytes)
{
	const struct perf_event_header *record;
	size_t number, offset = 0;

	assert_int_equal(item->cpu, 5);
	while ((record = queue_next_record(item, bytes, &offset))) {
		assert_int_equal(record->size, RECORD_BYTES);
		memcpy(&number, record + 1, sizeof(number));
		assert_int_equal(number, seen->records[item->event]++);
		assert_true(stamps[item->event][number] >= seen->last_limit_ns);
	}
}

static void see_limit(struct seen *seen, uint64_t limit_ns)
{
	assert_true(limit_ns >= seen->last_limit_ns);
	if (limit_ns == seen->last_limit_ns)
		return;
	seen->rounds[seen->had_samples].all++;
	seen->rounds[seen->had_samples].soon += limit_ns - seen->last_limit_ns < SOON_NS;
	seen->had_samples = seen->records[0] > seen->samples_at_limit;
	seen->samples_at_limit = seen->records[0];
	seen->limits++;
	seen->last_limit_ns = limit_ns;
}

static void drain_some(struct fixture *f, struct seen *seen, size_t items_max)
{
	const struct queue_item *item;
	size_t bytes;

	while (items_max-- > 0 && (item = spsc_peek(&f->queue, &bytes)) != NULL) {
		const struct queue_round_end *mark = (const void *)(item + 1);

		assert_false(seen->has_end);
		if (item->kind == QUEUE_RECORD) {
			see_records(seen, item, bytes);
		} else if (item->kind == QUEUE_ROUND_END) {
			see_limit(seen, mark->limit_ns);
			if (mark->limit_ns && !seen->has_limit)
				seen->records_at_first_limit = seen->records[0] + seen->records[1];
			seen->has_limit |= mark->limit_ns != 0;
			seen->stalled = mark->stalled_rounds;
			seen->malformed = mark->malformed;
		} else if (item->kind == QUEUE_END) {
			assert_int_equal(((const struct queue_end *)(item + 1))->why.err, 0);
			seen->has_end = true;
		}
		spsc_release(&f->queue);
	}
}

static void drain(struct fixture *f, struct seen *seen)
{
	drain_some(f, seen, SIZE_MAX);
}

static void *stop_in_thread(void *argument)
{
	stop(argument);
	return NULL;
}

/* The consumer goes on meanwhile; everything that was written must come before the end. */
static void stop_and_drain(struct fixture *f, struct seen *seen)
{
	assert_int_equal(pthread_create(&f->stopper, NULL, stop_in_thread, f), 0);
	f->is_stopping = true;
	while (!seen->has_end) {
		wait_for_wake(f);
		drain(f, seen);
	}
	f->is_stopping = false;
	pthread_join(f->stopper, NULL);
	for (size_t lane = 0; lane < LANES; lane++)
		assert_int_equal(seen->records[lane], f->written[lane]);
}

static void test_a_lone_record_is_followed_by_a_promise(void **state)
{
	const uint64_t before_ns = clock_now_ns();
	struct seen seen = { 0 };
	struct fixture *f = *state;

	fill_ring(f, 1, 1);
	start(f);
	while (seen.records[1] == 0 || seen.last_limit_ns < before_ns) {
		wait_for_wake(f);
		drain(f, &seen);
	}
	assert_true(seen.last_limit_ns <= clock_now_ns());
	assert_int_equal(seen.stalled, 0);
	stop(f);
}

/* 2 * 8192 records of 64 bytes never fit into 256 KiB: no limit may be promised before the last one
 * has been queued, and none may be missing or twice. */
static void test_a_full_queue_promises_nothing_and_loses_nothing(void **state)
{
	const size_t count = 8192;
	struct seen seen = { 0 };
	struct fixture *f = *state;

	fill_ring(f, 0, count);
	fill_ring(f, 1, count);
	start(f);
	do {
		wait_for_wake(f);
		drain(f, &seen);
	} while (!seen.has_limit);
	assert_int_equal(seen.records_at_first_limit, 2 * count);
	assert_true(seen.stalled > 0);
	assert_int_equal(f->controls[0]->data_tail, count * RECORD_BYTES);
	stop(f);
}

/* The rings are full again after whatever is taken, and the queue holds a fraction of a ring: every
 * read stalls. A round is at most what both rings hold, so four such amounts hold three promises
 * that are new. */
static void test_promises_advance_although_every_read_stalls(void **state)
{
	struct seen seen = { 0 };
	struct fixture *f = *state;
	size_t round_max;

	round_max = LANES * f->ring_bytes / RECORD_BYTES;
	fill_rings_up(f);
	start(f);
	while (seen.records[0] + seen.records[1] < 4 * round_max) {
		wait_for_wake(f);
		drain_some(f, &seen, 10);
		fill_rings_up(f);
	}
	assert_true(seen.limits >= 3);
	assert_true(seen.stalled > 0);
	stop_and_drain(f, &seen);
}

/* The round that is open when the stop comes ends before what was written since. */
static void test_a_stop_amid_a_stall_still_reads_everything(void **state)
{
	struct seen seen = { 0 };
	struct fixture *f = *state;

	fill_rings_up(f);
	start(f);
	wait_for_wake(f);
	fill_rings_up(f);	/* the room that the first read has made */
	stop_and_drain(f, &seen);
}

static void test_the_end_follows_an_unlimited_promise(void **state)
{
	struct seen seen = { 0 };
	struct fixture *f = *state;

	start(f);
	fill_ring(f, 0, 100);
	stop(f);
	drain(f, &seen);
	assert_int_equal(seen.records[0], 100);
	assert_true(seen.has_end);
	assert_true(seen.last_limit_ns == UINT64_MAX);
}

static void test_nonsense_in_a_ring_is_counted_in_the_mark(void **state)
{
	struct seen seen = { 0 };
	struct fixture *f = *state;

	fill_ring(f, 0, 3);
	/* the second record's size */
	((unsigned char *)f->controls[0])[sysconf(_SC_PAGESIZE) + RECORD_BYTES + 6] = 3;
	start(f);
	stop(f);
	drain(f, &seen);
	assert_int_equal(seen.records[0], 1);
	assert_int_equal(seen.malformed, 1);
}

/* A copy of 16 words, of which one is filled: 15 are left. */
static void test_of_a_stack_copy_only_what_is_filled_is_queued(void **state)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	const struct queue_item *item = NULL;
	uint64_t words[1 + 1 + 16 + 1] = { 0, 16 * 8, 4711 };
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(words) };
	struct fixture *f = *state;
	size_t bytes;

	memcpy(words, &header, sizeof(header));
	words[18] = 8;
	f->attrs[0].sample_type = PERF_SAMPLE_STACK_USER;
	memcpy((unsigned char *)f->controls[0] + page_bytes, words, sizeof(words));
	__atomic_store_n(&f->controls[0]->data_head, sizeof(words), __ATOMIC_RELEASE);
	start(f);
	stop(f);
	while ((item = spsc_peek(&f->queue, &bytes)) != NULL && item->kind != QUEUE_RECORD)
		spsc_release(&f->queue);
	assert_non_null(item);
	assert_int_equal(bytes, sizeof(*item) + 4 * 8);
	memcpy(words, item + 1, 4 * 8);
	memcpy(&header, words, sizeof(header));
	assert_int_equal(header.size, 4 * 8);
	assert_int_equal(words[1], 8);
	assert_int_equal(words[2], 4711);
	assert_int_equal(words[3], 8);
}

/* The header, the thread, ABI and 3 registers, then a copy of 4 words, all filled: the thread's
 * stack ends after 2 of them. */
static void test_of_a_stack_copy_no_more_is_queued_than_walks_need(void **state)
{
	const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	const struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = 12 * 8 };
	uint64_t words[12] = { 0, 77, PERF_SAMPLE_REGS_ABI_64, 1, 0x1000, 3, 4 * 8, 10, 11, 12, 13,
			       4 * 8 };
	static struct stack_ends ends;
	const struct stack_copy learned = { 77, 0x1000, (const unsigned char *)(words + 7), 32 };
	const struct queue_item *item = NULL;
	struct fixture *f = *state;
	size_t bytes;

	memcpy(words, &header, sizeof(header));
	words[1] = 77ull << 32 | 77;
	stack_ends_learn(&ends, &learned, 0x1010);
	f->attrs[0].sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
	f->attrs[0].sample_regs_user = COPY_REGISTERS;
	memcpy((unsigned char *)f->controls[0] + page_bytes, words, sizeof(words));
	__atomic_store_n(&f->controls[0]->data_head, sizeof(words), __ATOMIC_RELEASE);
	start_with(f, &(struct sampler_config){ .stack_ends = &ends });
	stop(f);
	while ((item = spsc_peek(&f->queue, &bytes)) != NULL && item->kind != QUEUE_RECORD)
		spsc_release(&f->queue);
	assert_non_null(item);
	assert_int_equal(bytes, sizeof(*item) + 11 * 8);
	memcpy(words, item + 1, 11 * 8);
	assert_int_equal(words[6], 3 * 8);
	assert_int_equal(words[8], 11);
	assert_int_equal(words[10], 2 * 8);
}

static void test_a_queue_too_small_for_a_record_is_refused(void **state)
{
	struct fixture *f = *state;
	const struct sampler_config config = { .set = &f->set, .queue = &f->queue,
					       .wake_fd = f->wake_fd };

	spsc_finish(&f->queue);
	assert_int_equal(spsc_init(&f->queue, SAMPLER_QUEUE_MIN_BYTES / 2), 0);
	assert_int_equal(sampler_create(&f->sampler, &config, NULL), -EINVAL);
	assert_null(f->sampler);
}

/* Takes the next item if it is of @kind. */
static bool takes(struct fixture *f, enum queue_item_kind kind)
{
	const struct queue_item *item;
	size_t bytes;

	item = spsc_peek(&f->queue, &bytes);
	if (!item || item->kind != kind)
		return false;
	spsc_release(&f->queue);
	return true;
}

static void test_a_handed_over_queue_has_all_records_and_no_end(void **state)
{
	const uint64_t before_ns = clock_now_ns();
	struct seen seen = { 0 };
	struct fixture *f = *state;
	uint64_t until_ns;

	start(f);
	fill_ring(f, 0, 100);
	until_ns = hand_over(f);
	drain(f, &seen);
	assert_int_equal(seen.records[0], 100);
	assert_false(seen.has_end);
	assert_int_equal(until_ns, seen.last_limit_ns);	/* the promise is the last round's */
	assert_true(until_ns != UINT64_MAX && until_ns + CLOCK_NS_PER_S > before_ns);
}

/* The next events are enabled from the last promise on: none may be later than that. */
static void test_a_hand_over_promises_up_to_its_begin_and_no_further(void **state)
{
	struct fixture *f = *state;
	uint64_t before_ns, until_ns;

	start(f);
	poll(NULL, 0, 5);
	before_ns = clock_now_ns();
	until_ns = hand_over(f);
	assert_true(until_ns >= before_ns);
	assert_true(until_ns + CLOCK_NS_PER_MS < clock_now_ns());	/* the last round's begin */
}

static void test_a_sampler_that_has_lost_its_target_hands_over_a_stream_that_has_ended(void **state)
{
	const int gone = eventfd(1, EFD_CLOEXEC);
	const struct sampler_config config = { .watch_fds = &gone, .watch_count = 1,
					       .ends_with_target = true };
	struct seen seen = { 0 };
	struct fixture *f = *state;

	start_with(f, &config);
	while (!seen.has_end) {
		wait_for_wake(f);
		drain(f, &seen);
	}
	assert_int_equal(hand_over(f), 0);
	drain(f, &seen);	/* nothing came after the end */
	close(gone);
}

static void test_nothing_comes_before_the_source_that_a_sampler_was_started_with(void **state)
{
	const struct queue_source first = { .begin_ns = 42 };
	const struct queue_item *item;
	struct fixture *f = *state;
	size_t bytes;

	fill_ring(f, 0, 10);
	create(f, &nothing_more);
	sampler_start(f->sampler, &first);
	stop(f);
	item = spsc_peek(&f->queue, &bytes);
	assert_non_null(item);
	assert_int_equal(item->kind, QUEUE_SOURCE);
	assert_int_equal(((const struct queue_source *)(item + 1))->begin_ns, 42);
	spsc_release(&f->queue);
	assert_true(takes(f, QUEUE_RECORD));	/* all ten, which lie in a row */
	assert_true(takes(f, QUEUE_ROUND_END));
}

/* The queue of its predecessor is full, and whoever reads it has ended. */
static void test_a_sampler_that_waits_for_room_can_be_stopped(void **state)
{
	const struct queue_source first = { .begin_ns = 42 };
	struct queue_item *item;
	struct fixture *f = *state;

	while ((item = spsc_reserve(&f->queue, sizeof(*item))) != NULL) {
		*item = (struct queue_item){ .kind = QUEUE_RECORD };
		spsc_commit(&f->queue);
	}
	create(f, &nothing_more);
	sampler_start(f->sampler, &first);
	stop(f);
	while (takes(f, QUEUE_RECORD))
		;
	assert_int_equal(spsc_used(&f->queue), 0);
}

static void test_a_sampler_that_was_never_started_queues_nothing(void **state)
{
	struct fixture *f = *state;

	fill_ring(f, 0, 10);
	create(f, &nothing_more);
	stop(f);
	assert_int_equal(spsc_used(&f->queue), 0);
}

enum { SIDEBAND_LANE, SAMPLE_LANE };	/* as in an event_set: the last event's come first */

/* Starts one that may rest. */
static void start_idle(struct fixture *f)
{
	const struct sampler_config config = { .round_fd = f->round_fd };

	f->lanes[SIDEBAND_LANE].event = 1;
	f->lanes[SAMPLE_LANE].event = 0;
	start_with(f, &config);
}

/* Of so many rounds most must come soon: some may not where others need the CPU, too. */
enum { ROUNDS = 20 };

static void test_a_resting_sampler_makes_a_round_when_asked(void **state)
{
	struct fixture *f = *state;
	struct seen seen = { 0 };

	start_idle(f);
	while (seen.rounds[false].all < ROUNDS) {
		assert_int_equal(eventfd_write(f->round_fd, 1), 0);
		wait_for_wake(f);
		drain(f, &seen);
	}
	assert_true(seen.rounds[false].soon > ROUNDS / 2);
	stop(f);
	drain(f, &seen);
	assert_true(seen.has_end);
}

/* Each promise is as old as its round's begin. That of a sampler which is never idle comes after
 * 50 ms; a busy machine only adds to it. */
static void expect_idle_intervals(struct fixture *f, bool has_samples, uint64_t idle_min_ms)
{
	enum { INTERVALS = 5 };
	const uint64_t lively_end_ns = clock_now_ns() + 3 * CLOCK_NS_PER_S / 2;
	struct seen seen = { 0 };
	uint64_t first_ns;
	size_t first;

	fill_ring(f, SAMPLE_LANE, has_samples);
	start_idle(f);
	/* Before the first no ring had been found idle; in the first second samples are read as if
	 * something new ran. */
	while (seen.limits < 2 || (has_samples && clock_now_ns() < lively_end_ns)) {
		fill_ring(f, SAMPLE_LANE, has_samples);
		wait_for_wake(f);
		drain(f, &seen);
	}
	first = seen.limits;
	first_ns = seen.last_limit_ns;
	while (seen.limits < first + INTERVALS) {
		fill_ring(f, SAMPLE_LANE, has_samples);
		wait_for_wake(f);
		drain(f, &seen);
	}
	assert_true(seen.last_limit_ns - first_ns >=
		    (seen.limits - first) * idle_min_ms * CLOCK_NS_PER_MS);
}

static void test_a_sampler_of_idle_rings_waits(void **state)
{
	expect_idle_intervals(*state, false, 100);
}

static void test_a_sampler_of_samples_alone_waits_less(void **state)
{
	expect_idle_intervals(*state, true, 80);
}

/* @lane's ring is full to its watermark all the time, while samples come. With one CPU the sampler
 * makes rounds until the queue is full of marks: only then the test runs. */
static void expect_rounds_while_samples_come(struct fixture *f, size_t lane)
{
	struct seen seen = { 0 };

	assert_int_equal(eventfd_write(f->fds[lane], 1), 0);	/* stays readable */
	start_idle(f);
	while (seen.rounds[true].all < ROUNDS) {
		fill_ring(f, SAMPLE_LANE, 1);
		wait_for_wake(f);
		drain(f, &seen);
	}
	assert_true(seen.rounds[true].soon > ROUNDS / 2);
}

static void test_a_side_band_that_fills_up_makes_rounds_while_samples_come(void **state)
{
	expect_rounds_while_samples_come(*state, SIDEBAND_LANE);
}

static void test_samples_that_fill_their_ring_make_rounds(void **state)
{
	expect_rounds_while_samples_come(*state, SAMPLE_LANE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_sampler)
{
	const struct CMUnitTest tests[] = {
		TEST(test_a_lone_record_is_followed_by_a_promise),
		TEST(test_a_full_queue_promises_nothing_and_loses_nothing),
		TEST(test_promises_advance_although_every_read_stalls),
		TEST(test_a_stop_amid_a_stall_still_reads_everything),
		TEST(test_the_end_follows_an_unlimited_promise),
		TEST(test_nonsense_in_a_ring_is_counted_in_the_mark),
		TEST(test_of_a_stack_copy_only_what_is_filled_is_queued),
		TEST(test_of_a_stack_copy_no_more_is_queued_than_walks_need),
		TEST(test_a_resting_sampler_makes_a_round_when_asked),
		TEST(test_a_sampler_of_idle_rings_waits),
		TEST(test_a_sampler_of_samples_alone_waits_less),
		TEST(test_a_side_band_that_fills_up_makes_rounds_while_samples_come),
		TEST(test_samples_that_fill_their_ring_make_rounds),
		TEST(test_a_queue_too_small_for_a_record_is_refused),
		TEST(test_a_handed_over_queue_has_all_records_and_no_end),
		TEST(test_a_hand_over_promises_up_to_its_begin_and_no_further),
		TEST(test_a_sampler_that_has_lost_its_target_hands_over_a_stream_that_has_ended),
		TEST(test_nothing_comes_before_the_source_that_a_sampler_was_started_with),
		TEST(test_a_sampler_that_waits_for_room_can_be_stopped),
		TEST(test_a_sampler_that_was_never_started_queues_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
