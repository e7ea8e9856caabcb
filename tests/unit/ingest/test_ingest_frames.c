/* The same records are counted with and without what is kept of addresses and chains: two ingests
 * take random records and changes, one of them keeps nothing, and after each round they are equal
 * to the last number. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/budget.h"
#include "ingest_fixture.h"
#include "unit_tests.h"

#define RUNS	   12
#define STEPS	   2000
#define PROCESSES  6u
#define PLACES	   24u		/* mappings per address space */
#define PLACE_ADDRESS 0x400000ull
#define PLACE_BYTES   0x4000ull
#define KERNEL	   0xffffffff81000000ull
#define KERNEL_PLACES 8u
#define CHAIN_MAX  12
#define STEP_NS	   100000

static struct ingest_fixture keeping, plain;
static uint64_t random_state, now_ns;

static uint32_t any(uint32_t count)
{
	random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
	return (uint32_t)(random_state >> 33) % count;
}

static uint64_t any_place(void)
{
	return PLACE_ADDRESS + any(PLACES) * PLACE_BYTES;
}

/* Few of them, so that most have been there before. */
static uint64_t any_user_address(void)
{
	return any(20) ? any_place() + any(4) * 0x1001 : any(2) ? 0xffffffffff600400ull : any(9);
}

static uint64_t any_kernel_address(void)
{
	return KERNEL + any(KERNEL_PLACES) * 0x1000 + any(3);
}

static uint64_t any_marker(void)
{
	static const uint64_t markers[] = {
		(uint64_t)-128, (uint64_t)-512, (uint64_t)-512, (uint64_t)-32, (uint64_t)-2176,
		(uint64_t)-2560, (uint64_t)-7,
	};

	return markers[any(COUNT_OF(markers))];
}

static uint32_t any_chain(uint64_t chain[CHAIN_MAX], bool is_kernel, uint64_t ip)
{
	uint32_t count = 0, callers = any(CHAIN_MAX - 6);

	chain[count++] = !any(20) ? any_marker() : is_kernel ? (uint64_t)-128 : (uint64_t)-512;
	if (any(10))
		chain[count++] = ip;
	for (uint32_t i = 0; is_kernel && i < 1 + any(2); i++)
		chain[count++] = any_kernel_address();
	if (is_kernel)
		chain[count++] = any(8) ? (uint64_t)-512 : any_marker();
	for (uint32_t i = 0; i < callers; i++)
		chain[count++] = any(40) ? PLACE_ADDRESS + i * PLACE_BYTES + any(2)
					 : any_user_address();
	return count;
}

static void sample(void)
{
	const bool is_kernel = !any(3);
	const uint64_t ip = is_kernel ? any_kernel_address() : any_user_address();
	const uint16_t misc = is_kernel ? PERF_RECORD_MISC_KERNEL :
			      any(50)	? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_GUEST_USER;
	const uint32_t pid = 1 + any(PROCESSES);
	uint64_t chain[CHAIN_MAX];
	const uint32_t count = any_chain(chain, is_kernel, ip);

	feed_sample_at(&keeping, now_ns, pid, pid, misc, ip, chain, count);
	feed_sample_at(&plain, now_ns, pid, pid, misc, ip, chain, count);
}

static void map_something(struct ingest_fixture *feed, uint32_t pid, uint64_t at, uint32_t what)
{
	char path[32];

	snprintf(path, sizeof(path), what % 4 ? "/lib/lib%u.so" : "//anon", what);
	feed_mmap(feed, now_ns, pid, at, PLACE_BYTES << what % 3, what * 0x10000ull, path);
}

static void succeed(struct ingest_fixture *feed, uint32_t which)
{
	struct dso_table *dsos = &feed->ingest.dsos;

	if (dsos->count > DSO_FIXED_COUNT)
		dso_table_succeed(dsos, dso_table_current(dsos, DSO_FIXED_COUNT +
				     which % (dsos->count - DSO_FIXED_COUNT)));
}

/* As a fold does, which finds that code of the kernel has no name. */
static void name_frames(struct ingest_fixture *feed)
{
	for (uint32_t i = 0; i < feed->ingest.trie.frames.count; i++)
		symbol_names_of_frame(&feed->ingest.names, &feed->ingest.trie, i);
}

/* As kernel_poll() does, which has nobody to ask here. */
static void grant_request(struct ingest_fixture *feed)
{
	feed->ingest.kernel->requests += feed->ingest.kernel->is_wanted;
	feed->ingest.kernel->is_wanted = false;
}

static void change(struct ingest_fixture *feed, uint32_t kind, uint32_t pid, uint32_t value)
{
	const uint32_t other = 1 + value % PROCESSES;
	const uint64_t at = PLACE_ADDRESS + value / 8 % PLACES * PLACE_BYTES;
	const uint64_t kernel_at = KERNEL + value % KERNEL_PLACES * 0x1000;

	switch (kind) {
	case 0:
		if (other != pid)
			feed_fork(feed, now_ns, pid, pid, other, other);
		break;
	case 1:
		feed_comm(feed, now_ns, pid, pid, "again", true);
		break;
	case 2:
		feed_ksymbol(feed, now_ns, kernel_at, 0x1000, value & 64, "bpf_prog");
		break;
	case 3:
		feed_kernel(feed, kernel_at, 0x2000, value & 64 ? "/lib/modules/a.ko"
								  : "[kernel.kallsyms]_text");
		break;
	case 4:
		succeed(feed, value);
		break;
	case 5:
		while (feed->ingest.timeline.count > 1)
			timeline_evict_oldest(&feed->ingest.timeline);
		budget_compact(&feed->ingest);
		break;
	case 6:
		name_frames(feed);
		break;
	case 7:
		grant_request(feed);
		break;
	case 8:
		feed->ingest.kernel->shift = value & ~0xfffull;
		break;
	default:
		map_something(feed, pid, at, value % 16);
		break;
	}
}

static void expect_equal_rows(const struct slice_entry *a, const struct slice_entry *b,
			      uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(a[i].stack, b[i].stack);
		assert_int_equal(a[i].task, b[i].task);
		assert_int_equal(a[i].count, b[i].count);
		assert_int_equal(a[i].weight, b[i].weight);
		assert_int_equal(a[i].cpu, b[i].cpu);
		assert_int_equal(a[i].event, b[i].event);
	}
}

static void expect_equal_tries(const struct stack_trie *a, const struct stack_trie *b)
{
	assert_int_equal(a->frames.count, b->frames.count);
	assert_int_equal(a->nodes.count, b->nodes.count);
	assert_int_equal(a->stacks.count, b->stacks.count);
	assert_memory_equal(a->frames.address, b->frames.address,
			    a->frames.count * sizeof(*a->frames.address));
	assert_memory_equal(a->frames.dso, b->frames.dso,
			    a->frames.count * sizeof(*a->frames.dso));
	assert_memory_equal(a->nodes.parent, b->nodes.parent,
			    a->nodes.count * sizeof(*a->nodes.parent));
	assert_memory_equal(a->nodes.frame, b->nodes.frame,
			    a->nodes.count * sizeof(*a->nodes.frame));
	assert_memory_equal(a->stacks.node, b->stacks.node,
			    a->stacks.count * sizeof(*a->stacks.node));
	assert_memory_equal(a->stacks.frame, b->stacks.frame,
			    a->stacks.count * sizeof(*a->stacks.frame));
}

static void expect_equal_totals(const struct tick_totals *a, const struct tick_totals *b)
{
	const uint64_t second = now_ns / SLICE_NS;
	const uint32_t *busy = tick_totals_busy(a, 0, second);

	assert_int_equal(tick_totals_second(a, 0, second), tick_totals_second(b, 0, second));
	if (busy)
		assert_memory_equal(busy, tick_totals_busy(b, 0, second),
				    SLICE_TICKS * sizeof(*busy));
}

static void expect_equal(void)
{
	const struct ingest *a = &keeping.ingest, *b = &plain.ingest;

	expect_equal_totals(&a->timeline.totals, &b->timeline.totals);
	assert_memory_equal(&a->counters, &b->counters, sizeof(a->counters));
	assert_memory_equal(&a->timeline.open_slice.stacks, &b->timeline.open_slice.stacks,
			    sizeof(a->timeline.open_slice.stacks));
	assert_int_equal(a->kernel->is_wanted, b->kernel->is_wanted);
	expect_equal_tries(&a->trie, &b->trie);
	assert_int_equal(a->timeline.count, b->timeline.count);
	for (uint32_t s = 0; s < a->timeline.count; s++) {
		assert_int_equal(a->timeline.slices[s].count, b->timeline.slices[s].count);
		expect_equal_rows(a->timeline.slices[s].entries, b->timeline.slices[s].entries,
				  a->timeline.slices[s].count);
	}
	assert_int_equal(a->timeline.open.count, b->timeline.open.count);
	expect_equal_rows(a->timeline.open.entries, b->timeline.open.entries,
			  a->timeline.open.count);
}

static void start(struct ingest_fixture *feed, bool is_replay)
{
	const struct ingest_config config = { .is_replay = is_replay };

	feed_init(feed, &config, NULL);
	if (!is_replay)		/* there, and without a symbol */
		feed->ingest.dsos.dsos[DSO_KERNEL].state = DSO_NO_TABLE;
}

static void step(void)
{
	const uint32_t kind = any(40), pid = 1 + any(PROCESSES), value = any(1u << 16);

	now_ns += STEP_NS;
	for (uint32_t i = 0; i < 12; i++)
		sample();
	if (kind < 14) {
		now_ns += STEP_NS;
		change(&keeping, kind, pid, value);
		change(&plain, kind, pid, value);
	}
	now_ns += STEP_NS;
	for (uint32_t i = 0; i < 6; i++)
		sample();
	now_ns += STEP_NS;
	feed_round(&keeping, now_ns);
	feed_round(&plain, now_ns);
}

static void run(bool is_replay)
{
	start(&keeping, is_replay);
	start(&plain, is_replay);
	plain.ingest.stacks->cache.is_off = true;
	now_ns = STEP_NS;
	for (int i = 0; i < STEPS; i++) {
		step();
		if (i % 10 == 0)
			expect_equal();
	}
	expect_equal();
	feed_finish(&keeping);
	feed_finish(&plain);
}

static void test_counts_are_the_same_with_and_without_what_is_kept(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= RUNS; seed++) {
		random_state = seed;
		run(seed % 2);
	}
}

/* Between two samples of one round. */
static void test_a_thread_that_was_renamed_counts_under_its_new_name_at_once(void **state)
{
	(void)state;
	start(&keeping, true);
	feed_mmap(&keeping, 1, 1, 0x400000, 0x10000, 0, "/lib/liba.so");
	feed_comm(&keeping, 2, 1, 1, "before", false);
	for (uint64_t i = 3; i < 6; i++)
		feed_sample(&keeping, i, 1, 1, 0x400010);
	feed_comm(&keeping, 6, 1, 1, "after", false);
	feed_sample(&keeping, 7, 1, 1, 0x400010);
	feed_round(&keeping, 8);
	assert_int_equal(feed_counted(&keeping, "before", 1, "/lib/liba.so", 0x10), 3);
	assert_int_equal(feed_counted(&keeping, "after", 1, "/lib/liba.so", 0x10), 1);
	feed_finish(&keeping);
}

/* One that is walked through again costs no search in the trie: nothing is looked up twice. */
static void test_a_chain_that_is_kept_is_not_taken_apart_again(void **state)
{
	const uint64_t chain[] = { (uint64_t)-512, 0x400010, 0x404020, 0x408030 };
	uint64_t words;

	(void)state;
	start(&keeping, true);
	feed_mmap(&keeping, 1, 1, 0x400000, 0x10000, 0, "/lib/liba.so");
	feed_sample_at(&keeping, 2, 1, 1, PERF_RECORD_MISC_USER, chain[1], chain, 4);
	feed_round(&keeping, 3);
	words = keeping.ingest.stacks->cache.words_end;
	assert_int_equal(words, 2);
	for (uint64_t i = 4; i < 100; i++)
		feed_sample_at(&keeping, i, 1, 1, PERF_RECORD_MISC_USER, chain[1], chain, 4);
	feed_round(&keeping, 100);
	assert_int_equal(keeping.ingest.stacks->cache.words_end, words);
	assert_int_equal(feed_samples(&keeping), 97);
	feed_finish(&keeping);
}

UNIT_TESTS(test_ingest_frames)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_are_the_same_with_and_without_what_is_kept),
		cmocka_unit_test(
			test_a_thread_that_was_renamed_counts_under_its_new_name_at_once),
		cmocka_unit_test(test_a_chain_that_is_kept_is_not_taken_apart_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
