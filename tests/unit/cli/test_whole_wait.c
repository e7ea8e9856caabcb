/* Batch mode waits for the sum of a run: a lost reply is requested again, and waiting ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../../src/cli/whole_wait.h"
#include "base/clock.h"
#include "unit_tests.h"

#define BEGIN_NS (7 * CLOCK_NS_PER_S)

/* Lets time pass up to the next step that is not waiting, and returns it. */
static enum whole_step next_step(struct whole_wait *wait, uint64_t *now_ns)
{
	assert_int_equal(whole_wait_next(wait, *now_ns), WHOLE_WAIT);
	*now_ns = whole_wait_due_ns(wait);
	return whole_wait_next(wait, *now_ns);
}

static void test_a_lost_reply_is_requested_again(void **state)
{
	struct whole_wait wait;
	uint64_t now_ns = BEGIN_NS;

	(void)state;
	whole_wait_begin(&wait, now_ns, true);
	assert_int_equal(next_step(&wait, &now_ns), WHOLE_REQUEST);
	assert_true(now_ns > BEGIN_NS);
	assert_int_equal(next_step(&wait, &now_ns), WHOLE_REQUEST);
}

static void test_it_is_requested_at_once_when_the_run_has_ended(void **state)
{
	struct whole_wait wait;

	(void)state;
	whole_wait_begin(&wait, BEGIN_NS, true);
	whole_wait_note_other(&wait, BEGIN_NS, false);
	assert_int_equal(whole_wait_next(&wait, BEGIN_NS), WHOLE_WAIT);
	whole_wait_note_other(&wait, BEGIN_NS, true);
	assert_int_equal(whole_wait_next(&wait, BEGIN_NS), WHOLE_REQUEST);
	whole_wait_note_other(&wait, BEGIN_NS, true);	/* without memory: not in a busy loop */
	assert_int_equal(whole_wait_next(&wait, BEGIN_NS), WHOLE_WAIT);
}

static void test_waiting_ends(void **state)
{
	struct whole_wait wait;
	uint64_t now_ns = BEGIN_NS;
	size_t steps = 0;

	(void)state;
	whole_wait_begin(&wait, now_ns, false);
	whole_wait_note_other(&wait, now_ns, true);
	assert_int_equal(whole_wait_next(&wait, now_ns), WHOLE_REQUEST);
	while (next_step(&wait, &now_ns) != WHOLE_GIVE_UP) {
		whole_wait_note_other(&wait, now_ns, true);
		assert_true(++steps < 1000);
	}
	assert_true(now_ns - BEGIN_NS <= 600 * CLOCK_NS_PER_S);
}

static void test_a_long_recording_is_waited_for_while_it_is_counted(void **state)
{
	struct whole_wait wait;
	uint64_t now_ns = BEGIN_NS;

	(void)state;
	whole_wait_begin(&wait, now_ns, false);
	for (int i = 0; i < 1000; i++) {
		assert_int_equal(next_step(&wait, &now_ns), WHOLE_REQUEST);
		whole_wait_note_other(&wait, now_ns, false);
		assert_false(whole_wait_takes(&wait, now_ns, false));
	}
	assert_true(whole_wait_takes(&wait, now_ns, true));
}

static void test_after_a_signal_what_there_is_will_do_and_waiting_ends_soon(void **state)
{
	struct whole_wait wait;
	uint64_t now_ns = BEGIN_NS;

	(void)state;
	whole_wait_begin(&wait, now_ns, false);
	whole_wait_note_signal(&wait, now_ns);
	assert_false(whole_wait_takes(&wait, now_ns, false));
	assert_int_equal(next_step(&wait, &now_ns), WHOLE_REQUEST);
	assert_true(whole_wait_takes(&wait, now_ns, false));
	while (next_step(&wait, &now_ns) != WHOLE_GIVE_UP) {
		whole_wait_note_other(&wait, now_ns, false);
		whole_wait_note_signal(&wait, now_ns);	/* the same one: it postpones nothing */
	}
	assert_true(now_ns - BEGIN_NS <= 60 * CLOCK_NS_PER_S);
}

UNIT_TESTS(test_whole_wait)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_lost_reply_is_requested_again),
		cmocka_unit_test(test_it_is_requested_at_once_when_the_run_has_ended),
		cmocka_unit_test(test_waiting_ends),
		cmocka_unit_test(test_a_long_recording_is_waited_for_while_it_is_counted),
		cmocka_unit_test(test_after_a_signal_what_there_is_will_do_and_waiting_ends_soon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
