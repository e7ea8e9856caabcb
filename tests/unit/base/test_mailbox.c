/* The newest message, once, and every message freed exactly once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/thread.h"
#include "unit_tests.h"

static void test_the_reader_gets_the_newest_message_once(void **state)
{
	struct mailbox box = { .newest = NULL };
	int old = 1, newer = 2;

	(void)state;
	assert_null(mailbox_take(&box));
	assert_null(mailbox_put(&box, &old));
	assert_ptr_equal(mailbox_put(&box, &newer), &old);
	assert_ptr_equal(mailbox_take(&box), &newer);
	assert_null(mailbox_take(&box));
}

enum { LETTERS = 200000 };

struct letter {
	uint32_t number, copy;	/* equal in a letter that was written completely */
};

/* The writer frees what nobody took; returns how many those were. */
static void *write_letters(void *box)
{
	uintptr_t not_taken = 0;

	for (uint32_t number = 1; number <= LETTERS; number++) {
		struct letter *letter = malloc(sizeof(*letter));
		void *old;

		*letter = (struct letter){ .number = number, .copy = number };
		old = mailbox_put(box, letter);
		not_taken += old != NULL;
		free(old);
	}
	return (void *)not_taken;
}

static void test_every_letter_is_read_or_given_back_and_numbers_only_grow(void **state)
{
	struct mailbox box = { .newest = NULL };
	pthread_t writer;
	uint32_t last = 0;
	uintptr_t read = 0;
	void *not_taken;

	(void)state;
	assert_int_equal(pthread_create(&writer, NULL, write_letters, &box), 0);
	while (last < LETTERS) {
		struct letter *letter = mailbox_take(&box);

		if (!letter) {
			sched_yield();
			continue;
		}
		assert_int_equal(letter->number, letter->copy);
		assert_true(letter->number > last);
		last = letter->number;
		read++;
		free(letter);
	}
	assert_int_equal(pthread_join(writer, &not_taken), 0);
	assert_int_equal(read + (uintptr_t)not_taken, LETTERS);
}

UNIT_TESTS(test_mailbox)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_reader_gets_the_newest_message_once),
		cmocka_unit_test(test_every_letter_is_read_or_given_back_and_numbers_only_grow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
