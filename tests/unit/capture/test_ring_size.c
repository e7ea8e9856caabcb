/* Ring sizes for machines of known size; pages of 4 KiB, so 8 MiB are 2048 and 512 KiB are 128.
 * How often rings of known size must be looked at. */
#include "base/clock.h"
#include "capture/event.h"
#include "capture/event_set.h"
#include "unit_tests.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define GIB (UINT64_C(1) << 30)

static void check(bool has_copies, size_t cpus, size_t events, uint64_t memory_bytes,
		  size_t sample_pages)
{
	const struct ring_size size = ring_size_choose(has_copies, cpus, events, memory_bytes,
						       4096);

	assert_int_equal(size.sample_pages, sample_pages);
	assert_int_equal(size.sideband_pages, sample_pages > 4 * 128 ? sample_pages / 4 : 128);
}

static void test_records_without_copies_have_512_kib(void **state)
{
	(void)state;
	check(false, 2, 1, 16 * GIB, 128);
	check(false, 256, 8, 1 * GIB, 128);
}

static void test_stack_copies_have_8_mib(void **state)
{
	(void)state;
	check(true, 2, 1, 16 * GIB, 2048);
}

/* A hundredth of 16 GiB are 163 MiB: 16 CPUs have 8.5 MiB each, 136; 32 would have 272. */
static void test_all_rings_take_at_most_a_hundredth_of_the_memory(void **state)
{
	(void)state;
	check(true, 16, 1, 16 * GIB, 2048);
	check(true, 32, 1, 16 * GIB, 1024);
	check(true, 16, 2, 16 * GIB, 1024);
}

/* 256 MiB for 128 CPUs are 2 MiB each, the side-band's 512 KiB included. */
static void test_all_rings_take_at_most_256_mib(void **state)
{
	(void)state;
	check(true, 128, 1, 4096 * GIB, 256);
	check(true, 64, 1, 4096 * GIB, 512);
}

static void test_rings_are_never_smaller_than_without_copies(void **state)
{
	(void)state;
	check(true, 256, 4, 1 * GIB, 128);
}

/* 100 events on 16 CPUs would have 800 MiB of 512 KiB; a hundredth of 16 GiB leaves 104 KiB each.
 * 64 KiB are the least, and 16 KiB of more than 64 events. */
static void test_rings_of_many_events_are_smaller(void **state)
{
	(void)state;
	check(false, 16, 100, 16 * GIB, 16);
	check(true, 16, 100, 16 * GIB, 16);
	check(true, 2, 9, 16 * GIB, 2048);
	check(false, 256, 64, 1 * GIB, 16);
	check(false, 256, 65, 1 * GIB, 4);
	check(false, 2, 360, 24 * GIB, 64);
}

static void test_a_refused_size_is_halved_and_the_side_band_a_quarter_of_it(void **state)
{
	struct ring_size size = { 2048, 128 };
	int steps = 1;

	(void)state;
	assert_true(ring_size_lower(&size));
	assert_int_equal(size.sample_pages, 1024);
	assert_int_equal(size.sideband_pages, 128);
	while (size.sample_pages > 128) {
		assert_true(ring_size_lower(&size));
		steps++;
	}
	assert_int_equal(size.sideband_pages, 32);
	while (ring_size_lower(&size))
		steps++;
	assert_int_equal(steps, 11);	/* 2048 is 2 to the 11th */
	assert_int_equal(size.sample_pages, 1);
	assert_int_equal(size.sideband_pages, 1);
}

/* Returns how often the rings of one CPU must be looked at, in ms; 0: not at all. */
static unsigned look_ms(size_t sample_kib, size_t sideband_kib, struct perf_event_attr attr,
			uint32_t copy_bytes, bool inherit)
{
	const int cpu = 0;
	const struct ring_size rings = { sample_kib / 4, sideband_kib / 4 };
	const struct event_sampling sampling = {
		.features.stack_copies = true, .inherit = inherit,
		.call_graph = { copy_bytes ? CALL_GRAPH_DWARF : CALL_GRAPH_FP, copy_bytes },
		.ring_bytes = sample_kib * 1024, .sideband_ring_bytes = sideband_kib * 1024,
	};
	struct perf_event_attr attrs[2] = { attr };
	struct event_set set;
	unsigned ms;

	event_attr_complete(&attrs[0], &sampling);
	event_attr_sideband(&attrs[1], &sampling);
	assert_int_equal(event_set_init(&set, attrs, 2, &cpu, 1, &rings), 0);
	ms = (unsigned)(event_set_look_interval_ns(&set) / CLOCK_NS_PER_MS);
	event_set_finish(&set);
	return ms;
}

static void test_rings_are_looked_at_before_a_flood_fills_them(void **state)
{
	const struct perf_event_attr usual = { .freq = 1, .sample_freq = 997 };
	const struct perf_event_attr often = { .freq = 1, .sample_freq = 8000 };

	(void)state;
	assert_int_equal(look_ms(512, 512, usual, 0, true), 4);
	assert_int_equal(look_ms(8192, 2048, usual, 16384, true), 16);
	assert_int_equal(look_ms(8192, 2048, usual, 16384, false), 0);
	assert_int_equal(look_ms(256, 64, usual, 0, true), 0);
	/* 4 MiB of copies of 16 KiB come in 28 ms, of 64 KiB in 7. */
	assert_int_equal(look_ms(8192, 2048, often, 16384, true), 14);
	assert_int_equal(look_ms(8192, 2048, often, 65528, true), 0);
}

static void test_rings_of_hits_with_a_fixed_period_are_polled(void **state)
{
	const struct perf_event_attr each = { .type = PERF_TYPE_TRACEPOINT, .sample_period = 1 };
	const struct perf_event_attr many = { .sample_period = 1000000 };

	(void)state;
	assert_int_equal(look_ms(8192, 2048, each, 16384, true), 0);
	assert_int_equal(look_ms(512, 512, many, 0, true), 0);
}

UNIT_TESTS(test_ring_size)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_without_copies_have_512_kib),
		cmocka_unit_test(test_stack_copies_have_8_mib),
		cmocka_unit_test(test_all_rings_take_at_most_a_hundredth_of_the_memory),
		cmocka_unit_test(test_all_rings_take_at_most_256_mib),
		cmocka_unit_test(test_rings_are_never_smaller_than_without_copies),
		cmocka_unit_test(test_rings_of_many_events_are_smaller),
		cmocka_unit_test(test_a_refused_size_is_halved_and_the_side_band_a_quarter_of_it),
		cmocka_unit_test(test_rings_are_looked_at_before_a_flood_fills_them),
		cmocka_unit_test(test_rings_of_hits_with_a_fixed_period_are_polled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
