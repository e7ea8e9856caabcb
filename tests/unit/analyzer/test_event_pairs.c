/* Which events of two recordings belong together, and what is said of the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "analyzer/event_pairs.h"
#include "unit_tests.h"

enum { MOST = 4 };

struct side {
	struct event_desc descs[MOST];
	const struct event_desc *events[MOST];
	struct event_list list;
};

/* "dummy" is the side-band event. */
static struct event_list fill(struct side *side, const char *const *names)
{
	uint32_t count = 0;

	memset(side, 0, sizeof(*side));
	for (; names[count]; count++) {
		snprintf(side->descs[count].name, sizeof(side->descs[count].name), "%s",
			 names[count]);
		side->descs[count].is_sideband = !strcmp(names[count], "dummy");
		side->events[count] = &side->descs[count];
	}
	side->list = (struct event_list){ side->events, count };
	return side->list;
}

static void expect(const char *const *from, const char *const *to, const uint16_t *numbers,
		   const char *text)
{
	struct side a, b;
	const struct event_list left = fill(&a, from), right = fill(&b, to);
	uint16_t number_of[TIMELINE_NUMBERS];
	char said[512];

	event_pairs_find(left, right, number_of);
	for (uint32_t i = 0; i < left.count; i++)
		assert_int_equal(number_of[i], numbers[i]);
	assert_int_equal(number_of[left.count], EVENT_PAIRS_NONE);
	event_pairs_describe(left, right, number_of, "a.data", "b.data", said, sizeof(said));
	assert_string_equal(said, text);
}

static void test_events_of_one_name_belong_together_wherever_they_stand(void **state)
{
	(void)state;
	expect((const char *[]){ "cycles", "faults", "dummy", NULL },
	       (const char *[]){ "faults", "dummy", "cycles", NULL }, (uint16_t[]){ 2, 0, 1 }, "");
}

static void test_of_several_with_a_name_the_nth_is_the_nth(void **state)
{
	(void)state;
	expect((const char *[]){ "cycles", "cycles", NULL },
	       (const char *[]){ "cycles", "cycles", NULL }, (uint16_t[]){ 0, 1 }, "");
}

static void test_an_event_of_one_side_is_said(void **state)
{
	(void)state;
	expect((const char *[]){ "cycles", "faults", NULL },
	       (const char *[]){ "faults", "misses", "branches", "dummy", NULL },
	       (uint16_t[]){ EVENT_PAIRS_NONE, 0 },
	       "cycles: only in a.data, so there is nothing to compare\n"
	       "misses, branches: only in b.data, so there is nothing to compare");
}

/* Each has one event, and another one: their shares say something. */
static void test_two_lone_events_are_taken_for_each_other(void **state)
{
	static const char said[] = "a.data counts cycles and b.data cpu-clock: their shares can be "
				   "compared, hardly their periods";

	(void)state;
	expect((const char *[]){ "cycles", "dummy", NULL },
	       (const char *[]){ "dummy", "cpu-clock", NULL }, (uint16_t[]){ 1, 0 }, said);
	expect((const char *[]){ "cycles", NULL },
	       (const char *[]){ "cpu-clock", "faults", NULL }, (uint16_t[]){ EVENT_PAIRS_NONE },
	       "cycles: only in a.data, so there is nothing to compare\n"
	       "cpu-clock, faults: only in b.data, so there is nothing to compare");
}

UNIT_TESTS(test_event_pairs)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_of_one_name_belong_together_wherever_they_stand),
		cmocka_unit_test(test_of_several_with_a_name_the_nth_is_the_nth),
		cmocka_unit_test(test_an_event_of_one_side_is_said),
		cmocka_unit_test(test_two_lone_events_are_taken_for_each_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
