/* The lines of a probe's log: texts of any length are whole while there is room for them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "ingest/probe_state.h"
#include "unit_tests.h"

/* A hit whose only value is @bytes times @letter. */
static void add(struct hit_log *log, char letter, size_t bytes)
{
	const struct hit_line line = { .latency_ns = -1 };
	char text[400];
	const struct probe_value value = {
		.is_known = true, .is_text = true, .text = text, .text_bytes = bytes,
	};

	memset(text, letter, bytes);
	assert_int_not_equal(hit_log_add(log, &line, &value, 1), 0);
}

static void expect_text(const struct hit_log *log, uint32_t index, char letter, size_t bytes)
{
	char text[HIT_LONGEST_BYTES];

	assert_int_equal(hit_log_text(log, &hit_log_line(log, index)->values[0], text), bytes);
	for (size_t i = 0; i < bytes; i++)
		assert_int_equal(text[i], letter);
}

static void test_texts_are_whole_up_to_the_longest(void **state)
{
	static const size_t lengths[] = { 0, 55, 56, 57, 200, 255, 256, 400 };
	struct hit_log log = { .lines = NULL };

	(void)state;
	for (uint32_t i = 0; i < 8; i++)
		add(&log, (char)('a' + i), lengths[i]);
	for (uint32_t i = 0; i < 8; i++)
		expect_text(&log, i, (char)('a' + i), lengths[i] < 255 ? lengths[i] : 255);
	hit_log_finish(&log);
}

/* The ring holds 655 texts of 200 bytes and a part: of 1000 lines the older ones are cut. Others
 * lie across its end. */
static void test_what_left_the_ring_has_its_begin(void **state)
{
	struct hit_log log = { .lines = NULL };
	char text[HIT_LONGEST_BYTES];

	(void)state;
	for (uint32_t i = 0; i < 1000; i++)
		add(&log, (char)('a' + i % 26), 200);
	for (uint32_t i = 1000 - HIT_TEXTS_BYTES / 200; i < 1000; i++)
		expect_text(&log, i, (char)('a' + i % 26), 200);
	assert_int_equal(hit_log_text(&log, &hit_log_line(&log, 1)->values[0], text), 51);
	assert_memory_equal(text, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb...", 51);
	hit_log_finish(&log);
}

UNIT_TESTS(test_hit_log)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts_are_whole_up_to_the_longest),
		cmocka_unit_test(test_what_left_the_ring_has_its_begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
