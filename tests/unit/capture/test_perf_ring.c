/* The ring over hand-made memory: a control page and one data page, as the kernel lays them out. */
#include "capture/event_set.h"
#include "unit_tests.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	struct perf_event_mmap_page *control;
	unsigned char *bytes;
	size_t page_bytes;
	struct perf_ring *ring;
};

static struct fixture make_ring(uint64_t start)
{
	struct fixture f = { .page_bytes = (size_t)sysconf(_SC_PAGESIZE) };

	f.control = aligned_alloc(f.page_bytes, 2 * f.page_bytes);
	memset(f.control, 0, 2 * f.page_bytes);
	f.bytes = (unsigned char *)f.control + f.page_bytes;
	f.control->data_head = f.control->data_tail = start;
	assert_int_equal(perf_ring_create_over(&f.ring, f.control, 1, NULL), 0);
	return f;
}

static void drop_ring(struct fixture *f)
{
	perf_ring_destroy(f->ring);
	free(f->control);
}

/* Writes as the kernel does: byte by byte around the end, then the head. */
static void put_bytes(struct fixture *f, const void *from, size_t bytes)
{
	const unsigned char *next = from;

	for (size_t i = 0; i < bytes; i++)
		f->bytes[(f->control->data_head + i) % f->page_bytes] = next[i];
	f->control->data_head += bytes;
}

/* A record of @size bytes, at least 16, whose payload is filled with @mark. */
static void put_record(struct fixture *f, uint16_t size, unsigned char mark)
{
	_Alignas(8) unsigned char record[2048];
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size };

	memset(record, mark, sizeof(record));
	memcpy(record, &header, sizeof(header));
	put_bytes(f, record, size);
}

static void put_header(struct fixture *f, uint16_t size, size_t bytes)
{
	uint64_t room[8] = { 0 };
	struct perf_event_header header = { .type = PERF_RECORD_SAMPLE, .size = size };

	memcpy(room, &header, sizeof(header));
	put_bytes(f, room, bytes);
}

static void expect_record(struct fixture *f, uint16_t size, unsigned char mark)
{
	const struct perf_event_header *header = perf_ring_peek(f->ring);
	const unsigned char *payload = (const unsigned char *)(header + 1);

	assert_non_null(header);
	assert_int_equal(header->size, size);
	assert_int_equal((uintptr_t)header % 8, 0);
	for (size_t i = 0; i < size - sizeof(*header); i++)
		assert_int_equal(payload[i], mark);
	perf_ring_consume(f->ring);
}

static void test_records_come_in_order_and_free_their_room(void **state)
{
	struct fixture f = make_ring(0);

	(void)state;
	put_record(&f, 16, 1);
	put_record(&f, 40, 2);
	assert_int_equal(perf_ring_begin(f.ring), 56);
	expect_record(&f, 16, 1);
	expect_record(&f, 40, 2);
	assert_int_equal(f.control->data_tail, 56);
	assert_null(perf_ring_peek(f.ring));
	drop_ring(&f);
}

/* 4096 bytes: a sixteenth is 256. */
static void test_room_is_given_back_by_sixteenths_of_the_ring(void **state)
{
	struct fixture f = make_ring(0);
	const uint16_t size = (uint16_t)(f.page_bytes / 32);

	(void)state;
	for (unsigned char mark = 1; mark <= 5; mark++)
		put_record(&f, size, mark);
	perf_ring_begin(f.ring);
	expect_record(&f, size, 1);
	assert_int_equal(f.control->data_tail, 0);
	expect_record(&f, size, 2);
	assert_int_equal(f.control->data_tail, f.page_bytes / 16);
	expect_record(&f, size, 3);
	assert_int_equal(f.control->data_tail, f.page_bytes / 16);
	drop_ring(&f);
}

static void test_a_record_across_the_end_is_made_contiguous(void **state)
{
	struct fixture f = make_ring(0);

	(void)state;
	f.control->data_head = f.control->data_tail = f.page_bytes - 16;
	perf_ring_destroy(f.ring);
	assert_int_equal(perf_ring_create_over(&f.ring, f.control, 1, NULL), 0);
	put_record(&f, 1024, 7);	/* 16 bytes before the end, 1008 after it */
	put_record(&f, 24, 8);
	perf_ring_begin(f.ring);
	expect_record(&f, 1024, 7);
	expect_record(&f, 24, 8);
	assert_int_equal(f.control->data_tail, f.page_bytes - 16 + 1048);
	drop_ring(&f);
}

static void test_indices_wrap_at_64_bits(void **state)
{
	struct fixture f = make_ring(UINT64_MAX - 15);	/* 16 bytes below 2^64 */

	(void)state;
	put_record(&f, 48, 5);
	assert_int_equal(f.control->data_head, 32);
	assert_int_equal(perf_ring_begin(f.ring), 48);
	expect_record(&f, 48, 5);
	assert_int_equal(f.control->data_tail, 32);
	assert_int_equal(perf_ring_malformed(f.ring), 0);
	drop_ring(&f);
}

/* Up to the end of the ring, or of what may be taken at once; what wraps comes alone. */
static void test_a_span_has_the_whole_records_that_lie_in_a_row(void **state)
{
	struct fixture f = make_ring(0);
	const unsigned char *span;
	size_t bytes, taken;

	(void)state;
	for (unsigned char mark = 0; mark < 5; mark++)
		put_record(&f, 24, mark);
	assert_int_equal(perf_ring_begin(f.ring), 120);
	span = perf_ring_peek_span(f.ring, 100, &bytes);
	assert_int_equal(bytes, 96);
	assert_int_equal(span[72 + 8], 3);
	perf_ring_consume(f.ring);
	expect_record(&f, 24, 4);
	perf_ring_begin(f.ring);
	assert_null(perf_ring_peek_span(f.ring, 100, &bytes));
	for (taken = 120; taken + 40 <= f.page_bytes; taken += 40)
		put_record(&f, 40, 5);
	assert_true(taken < f.page_bytes);	/* so the next one wraps */
	put_record(&f, 40, 6);
	put_record(&f, 40, 7);
	perf_ring_begin(f.ring);
	assert_non_null(perf_ring_peek_span(f.ring, SIZE_MAX, &bytes));
	assert_int_equal(bytes, taken - 120);
	perf_ring_consume(f.ring);
	span = perf_ring_peek_span(f.ring, SIZE_MAX, &bytes);
	assert_int_equal(bytes, 40);
	assert_int_equal(span[39], 6);
	perf_ring_consume(f.ring);
	expect_record(&f, 40, 7);
	drop_ring(&f);
}

static void test_a_span_ends_before_what_is_no_record(void **state)
{
	struct fixture f = make_ring(0);
	size_t bytes;

	(void)state;
	put_record(&f, 24, 1);
	put_record(&f, 24, 2);
	put_header(&f, 3, 24);
	perf_ring_begin(f.ring);
	assert_non_null(perf_ring_peek_span(f.ring, SIZE_MAX, &bytes));
	assert_int_equal(bytes, 48);
	perf_ring_consume(f.ring);
	assert_null(perf_ring_peek_span(f.ring, SIZE_MAX, &bytes));
	assert_int_equal(perf_ring_malformed(f.ring), 1);
	drop_ring(&f);
}

static void test_a_round_ends_where_the_head_was_when_it_began(void **state)
{
	struct fixture f = make_ring(0);

	(void)state;
	put_record(&f, 16, 1);
	perf_ring_begin(f.ring);
	put_record(&f, 16, 2);
	expect_record(&f, 16, 1);
	assert_null(perf_ring_peek(f.ring));
	perf_ring_begin(f.ring);
	expect_record(&f, 16, 2);
	drop_ring(&f);
}

static void test_a_walk_leaves_the_records_there(void **state)
{
	struct fixture f = make_ring(0);
	uint64_t offset = 0;

	(void)state;
	put_record(&f, 16, 1);
	put_record(&f, 24, 2);
	perf_ring_begin(f.ring);
	assert_int_equal(perf_ring_walk(f.ring, &offset)->size, 16);
	assert_int_equal(perf_ring_walk(f.ring, &offset)->size, 24);
	assert_null(perf_ring_walk(f.ring, &offset));
	assert_int_equal(f.control->data_tail, 0);
	expect_record(&f, 16, 1);
	drop_ring(&f);
}

/* No size below leads to a next header; the record after the resync must be found again. */
static void test_impossible_sizes_are_counted_and_skipped_to_the_head(void **state)
{
	static const uint16_t sizes[] = { 0, 4, 7, 12, 33, 72, UINT16_MAX, 65528 };

	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct fixture f = make_ring(0);

		put_record(&f, 16, 1);
		put_header(&f, sizes[i], 64);
		perf_ring_begin(f.ring);
		expect_record(&f, 16, 1);
		assert_null(perf_ring_peek(f.ring));
		assert_int_equal(perf_ring_malformed(f.ring), 1);
		assert_int_equal(f.control->data_tail, 80);
		put_record(&f, 32, 9);
		perf_ring_begin(f.ring);
		expect_record(&f, 32, 9);
		drop_ring(&f);
	}
}

static void test_a_head_further_than_the_ring_is_long_is_malformed(void **state)
{
	struct fixture f = make_ring(0);

	(void)state;
	f.control->data_head = f.page_bytes + 8;
	assert_int_equal(perf_ring_begin(f.ring), 0);
	assert_null(perf_ring_peek(f.ring));
	assert_int_equal(perf_ring_malformed(f.ring), 1);
	assert_int_equal(f.control->data_tail, f.page_bytes + 8);
	f.control->data_head = 0;	/* after the tail: the difference is huge */
	assert_int_equal(perf_ring_begin(f.ring), 0);
	assert_int_equal(perf_ring_malformed(f.ring), 2);
	drop_ring(&f);
}

static void test_a_full_ring_is_read_to_the_last_byte(void **state)
{
	struct fixture f = make_ring(24);

	(void)state;
	for (size_t i = 0; i < f.page_bytes / 16; i++)
		put_record(&f, 16, (unsigned char)i);
	assert_int_equal(perf_ring_begin(f.ring), f.page_bytes);
	for (size_t i = 0; i < f.page_bytes / 16; i++)
		expect_record(&f, 16, (unsigned char)i);
	assert_null(perf_ring_peek(f.ring));
	assert_int_equal(perf_ring_malformed(f.ring), 0);
	drop_ring(&f);
}

static void test_page_counts_must_be_powers_of_two(void **state)
{
	struct perf_ring *ring;
	struct diag why = { 0 };

	(void)state;
	assert_int_equal(perf_ring_create(&ring, -1, 3, &why), -EINVAL);
	assert_null(ring);
	assert_string_equal(why.text, "ring of 3 pages: not a power of two");
	assert_int_equal(perf_ring_create(&ring, -1, 0, &why), -EINVAL);
}

UNIT_TESTS(test_perf_ring)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_records_come_in_order_and_free_their_room),
		cmocka_unit_test(test_room_is_given_back_by_sixteenths_of_the_ring),
		cmocka_unit_test(test_a_record_across_the_end_is_made_contiguous),
		cmocka_unit_test(test_indices_wrap_at_64_bits),
		cmocka_unit_test(test_a_span_has_the_whole_records_that_lie_in_a_row),
		cmocka_unit_test(test_a_span_ends_before_what_is_no_record),
		cmocka_unit_test(test_a_round_ends_where_the_head_was_when_it_began),
		cmocka_unit_test(test_a_walk_leaves_the_records_there),
		cmocka_unit_test(test_impossible_sizes_are_counted_and_skipped_to_the_head),
		cmocka_unit_test(test_a_head_further_than_the_ring_is_long_is_malformed),
		cmocka_unit_test(test_a_full_ring_is_read_to_the_last_byte),
		cmocka_unit_test(test_page_counts_must_be_powers_of_two),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
