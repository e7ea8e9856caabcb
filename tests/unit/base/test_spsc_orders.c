/* The queue is right in every order in which its two sides can meet, not only in those that a
 * machine happens to show: short programs of both sides are run once for each.
 *
 * How: src/base/spsc.c is compiled into this test with its atomic operations replaced. Each stops
 * its side, and what goes on is a choice: which side is next, and which of the stores that it may
 * still see a load sees. All choices are gone through, depth first, each from a fresh start.
 *
 * Memory model: C11's release and acquire. A load may see any store to that index that is not older
 * than one it knows of already (so a side may be late by any amount); what was written before a
 * RELEASE store is known only to who has seen it, or a later one, by an ACQUIRE load. The words of
 * the buffer remember who touched them when: touching one without knowing of the other side's last
 * touch is a data race, and fails, though the bytes may be right here.
 *
 * Not modelled: stores that overtake others in their own thread (RELEASE forbids those that matter,
 * and its absence is seen as a race), and sequential consistency (nothing asks for it). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#include <cmocka.h>

/* The program of this room has the real queue, too. */
#define spsc_begin_batch model_spsc_begin_batch
#define spsc_commit      model_spsc_commit
#define spsc_finish      model_spsc_finish
#define spsc_init        model_spsc_init
#define spsc_peek        model_spsc_peek
#define spsc_release     model_spsc_release
#define spsc_reserve     model_spsc_reserve
#define spsc_used        model_spsc_used
#include "base/thread.h"
#include "unit_tests.h"

static uint64_t model_load(const _Atomic uint64_t *index, memory_order order);
static void model_store(_Atomic uint64_t *index, uint64_t value, memory_order order);

#undef atomic_load_explicit
#undef atomic_store_explicit
#define atomic_load_explicit(index, order)	    model_load(index, order)
#define atomic_store_explicit(index, value, order) model_store(index, value, order)
#include "../../../src/base/spsc.c"	/* NOLINT: the code itself, with other atomics */

enum { CAPACITY = 4096, WORDS = CAPACITY / 8, HEADER = 8 };
enum { PRODUCER, CONSUMER, SIDES };
enum { STACK_BYTES = 1 << 16, CHOICES_MAX = 256, STORES_MAX = 32, RECORDS_MAX = 8 };

/* What a side knows: of how far each has come, and which stores to each index. */
struct view {
	uint32_t clock[SIDES];
	uint32_t store[SIDES];		/* the index of the side: PRODUCER's is the tail */
};

struct store {
	uint64_t value;
	struct view view;		/* seen by an ACQUIRE load of it */
};

/* What the sides do: sizes of payloads, 0 ends; a side that finds no room or nothing goes on. */
struct program {
	uint64_t start;			/* both indices' */
	uint32_t sizes[RECORDS_MAX];
	uint32_t looks;			/* the consumer's */
	bool has_batches;		/* each record begins one */
};

static struct model {
	const struct program *program;
	struct spsc queue;
	struct view views[SIDES];
	struct store stores[SIDES][STORES_MAX];
	uint32_t store_count[SIDES];
	uint32_t touched[SIDES][WORDS];	/* clock of the side's last touch */
	uint32_t side;			/* that runs; SIDES: all is over, nothing is modelled */
	bool is_over[SIDES];
	size_t last_end;		/* end of the newest payload, in the buffer */
	uint32_t queued[RECORDS_MAX], queued_count, taken;
	char failure[128];

	ucontext_t main, contexts[SIDES];
	struct {
		uint32_t taken, of;
	} choices[CHOICES_MAX];
	uint32_t depth, known;		/* indices into `choices`; the known ones are repeated */
} model;
static char stacks[SIDES][STACK_BYTES];

static void fail_run(const char *what)
{
	if (!model.failure[0])
		snprintf(model.failure, sizeof(model.failure), "%s", what);
}

static uint32_t choose(uint32_t of)
{
	if (of < 2)
		return 0;
	if (model.depth == CHOICES_MAX) {
		fail_run("more choices than there is room for");
		return 0;
	}
	if (model.depth == model.known) {
		model.choices[model.depth].taken = 0;
		model.choices[model.depth].of = of;
		model.known++;
	}
	return model.choices[model.depth++].taken;
}

/* The next run is the first that has not been. False: there is none. */
static bool advance(void)
{
	while (model.known && model.choices[model.known - 1].taken + 1 ==
			      model.choices[model.known - 1].of)
		model.known--;
	if (!model.known)
		return false;
	model.choices[model.known - 1].taken++;
	return true;
}

static void yield(void)
{
	swapcontext(&model.contexts[model.side], &model.main);
}

static uint32_t owner_of(const _Atomic uint64_t *index)
{
	return index == &model.queue.tail ? PRODUCER : CONSUMER;
}

static uint32_t later(uint32_t one, uint32_t other)
{
	return one > other ? one : other;
}

/* The side that runs reads or writes these bytes of the buffer. */
static void touch(size_t offset, size_t bytes)
{
	const uint32_t other = PRODUCER + CONSUMER - model.side;
	const struct view *view = &model.views[model.side % SIDES];

	if (model.side == SIDES)
		return;
	for (size_t i = offset / 8; i < (offset + bytes + 7) / 8 && i < WORDS; i++) {
		if (model.touched[other][i] > view->clock[other])
			fail_run(model.side == PRODUCER
				 ? "the producer writes what the consumer may still read"
				 : "the consumer reads what the producer may still write");
		model.touched[model.side][i] = view->clock[model.side];
	}
}

static uint64_t newest_head(void)
{
	return model.stores[CONSUMER][model.store_count[CONSUMER] - 1].value;
}

static uint64_t model_load(const _Atomic uint64_t *index, memory_order order)
{
	const uint32_t owner = owner_of(index);
	struct view *view = &model.views[model.side % SIDES];
	const struct store *seen;

	if (model.side == SIDES)
		return model.stores[owner][model.store_count[owner] - 1].value;
	if (owner != model.side) {	/* its own index a side reads as it has written it */
		yield();
		view->store[owner] += choose(model.store_count[owner] - view->store[owner]);
	}
	seen = &model.stores[owner][view->store[owner]];
	if (order != memory_order_relaxed)
		for (int i = 0; i < SIDES; i++) {
			view->clock[i] = later(view->clock[i], seen->view.clock[i]);
			view->store[i] = later(view->store[i], seen->view.store[i]);
		}
	return seen->value;
}

static void model_store(_Atomic uint64_t *index, uint64_t value, memory_order order)
{
	const uint32_t owner = owner_of(index);
	struct view *view = &model.views[model.side % SIDES];
	struct store *store;

	if (model.side == SIDES) {
		model.stores[owner][model.store_count[owner] - 1].value = value;
		return;
	}
	if (model.side == CONSUMER)	/* it has read there how far to go: also past a filler */
		touch((newest_head() - model.queue.origin) & (CAPACITY - 1), HEADER);
	yield();
	if (owner != model.side)
		fail_run("a side stores the other's index");
	if (model.store_count[owner] == STORES_MAX) {
		fail_run("more stores than there is room for");
		return;
	}
	view->store[owner] = model.store_count[owner]++;
	store = &model.stores[owner][view->store[owner]];
	store->value = value;
	memset(&store->view, 0, sizeof(store->view));
	if (order != memory_order_relaxed)
		store->view = *view;
	view->clock[model.side]++;
}

static size_t offset_of(const void *payload)
{
	return (size_t)((const unsigned char *)payload - model.queue.bytes);
}

static void produce(void)
{
	for (uint32_t i = 0; i < RECORDS_MAX && model.program->sizes[i]; i++) {
		const uint32_t bytes = model.program->sizes[i];
		unsigned char *payload;

		if (model.program->has_batches)
			spsc_begin_batch(&model.queue);
		payload = spsc_reserve(&model.queue, bytes);
		if (!payload)
			continue;
		/* Where the lap was ended before its time: the filler. */
		if (offset_of(payload) == HEADER && model.last_end < CAPACITY)
			touch(model.last_end, HEADER);
		touch(offset_of(payload) - HEADER, HEADER + bytes);
		model.last_end = offset_of(payload) + ((bytes + 7) & ~7u);
		memset(payload, (int)i + 1, bytes);
		model.queued[model.queued_count++] = i;
		spsc_commit(&model.queue);
	}
}

static void look(void)
{
	size_t bytes = 0;
	const unsigned char *payload = spsc_peek(&model.queue, &bytes);

	if (!payload)
		return;
	touch(offset_of(payload) - HEADER, HEADER + bytes);
	if (model.taken == model.queued_count) {
		fail_run("a record is there that nobody queued");
		return;
	}
	if (bytes != model.program->sizes[model.queued[model.taken]])
		fail_run("a record has another size");
	for (size_t i = 0; i < bytes; i++)
		if (payload[i] != model.queued[model.taken] + 1)
			fail_run("a record has other bytes");
	model.taken++;
	spsc_release(&model.queue);
}

static void consume(void)
{
	for (uint32_t i = 0; i < model.program->looks; i++)
		look();
}

static void run_producer(void)
{
	produce();
	model.is_over[PRODUCER] = true;
}

static void run_consumer(void)
{
	consume();
	model.is_over[CONSUMER] = true;
}

static void start_side(uint32_t side, void (*run)(void))
{
	getcontext(&model.contexts[side]);
	model.contexts[side].uc_stack.ss_sp = stacks[side];
	model.contexts[side].uc_stack.ss_size = STACK_BYTES;
	model.contexts[side].uc_link = &model.main;
	makecontext(&model.contexts[side], run, 0);
	model.is_over[side] = false;
}

static void start_run(void)
{
	const uint64_t start = model.program->start;

	memset(model.views, 0, sizeof(model.views));
	memset(model.touched, 0, sizeof(model.touched));
	model.queue.reserved = model.queue.asked = start;
	model.queue.seen_head = model.queue.seen_tail = start;
	model.queue.origin = 0;
	model.last_end = start & (CAPACITY - 1);
	for (int side = 0; side < SIDES; side++) {
		memset(&model.stores[side][0], 0, sizeof(model.stores[side][0]));
		model.stores[side][0].value = start;
		model.store_count[side] = 1;
		model.views[side].clock[side] = 1;	/* 0: has not begun */
	}
	model.queued_count = model.taken = model.depth = 0;
	start_side(PRODUCER, run_producer);
	start_side(CONSUMER, run_consumer);
}

/* Afterwards all is there that has been queued, and then there is room. */
static void expect_the_rest(void)
{
	model.side = SIDES;
	for (uint32_t left = model.queued_count - model.taken; left; left--)
		look();
	if (model.taken != model.queued_count)
		fail_run("a record is lost");
	/* What a side saw last is its own business: only what the other did counts. */
	if (!spsc_reserve(&model.queue, CAPACITY / 2 - HEADER))
		fail_run("an empty queue has no room");
}

static void run_once(void)
{
	start_run();
	while (!model.is_over[PRODUCER] || !model.is_over[CONSUMER]) {
		const bool has_both = !model.is_over[PRODUCER] && !model.is_over[CONSUMER];

		model.side = has_both ? choose(SIDES)
			   : model.is_over[PRODUCER] ? CONSUMER : PRODUCER;
		swapcontext(&model.main, &model.contexts[model.side]);
	}
	expect_the_rest();
}

/* Returns how many orders there are. */
static uint32_t run_all(const struct program *program)
{
	uint32_t runs = 0;

	memset(&model, 0, sizeof(model));
	model.program = program;
	model.side = SIDES;
	model.store_count[PRODUCER] = model.store_count[CONSUMER] = 1;
	assert_int_equal(spsc_init(&model.queue, CAPACITY), 0);
	do {
		run_once();
		runs++;
		if (model.failure[0])
			fail_msg("order %u: %s", runs, model.failure);
	} while (advance());
	spsc_finish(&model.queue);
	print_message("%u orders\n", runs);
	return runs;
}

static void test_records_that_have_room(void **state)
{
	const struct program program = { .sizes = { 24, 100, 8, 16 }, .looks = 3 };

	(void)state;
	assert_in_range(run_all(&program), 1000, UINT32_MAX);
}

static void test_a_queue_that_is_full(void **state)
{
	const struct program program = { .sizes = { 2040, 2040, 1000, 8 }, .looks = 2 };

	(void)state;
	assert_in_range(run_all(&program), 1000, UINT32_MAX);
}

static void test_a_lap_that_ends_with_a_filler(void **state)
{
	const struct program program = { .sizes = { 992, 2040, 1048, 2000 }, .looks = 3 };

	(void)state;
	assert_in_range(run_all(&program), 1000, UINT32_MAX);
}

static void test_indices_that_wrap(void **state)
{
	const struct program program = { .start = UINT64_MAX - 1023, .sizes = { 2000, 1000, 1500 },
					 .looks = 3 };

	(void)state;
	assert_in_range(run_all(&program), 1000, UINT32_MAX);
}

static void test_batches_that_begin_anew(void **state)
{
	const struct program program = { .sizes = { 2000, 1000, 1500 }, .looks = 3,
					 .has_batches = true };

	(void)state;
	assert_in_range(run_all(&program), 1000, UINT32_MAX);
}

UNIT_TESTS(test_spsc_orders)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_that_have_room),
		cmocka_unit_test(test_a_queue_that_is_full),
		cmocka_unit_test(test_a_lap_that_ends_with_a_filler),
		cmocka_unit_test(test_indices_that_wrap),
		cmocka_unit_test(test_batches_that_begin_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
