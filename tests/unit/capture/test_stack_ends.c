/* What of a stack copy is taken, by what walks of the same thread have shown. Copies have 64 words,
 * the numbers from 500 on; sp is 0x1000. */
#include "capture/stack_copy.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "random_numbers.h"
#include "unit_tests.h"

#define WORDS	64u
#define SP	0x1000u
#define TID	77u
#define AT(word) (SP + 8 * (uint64_t)(word))	/* its address */

static struct stack_ends *ends;
static uint64_t words[WORDS];

static int set_up(void **state)
{
	(void)state;
	ends = mmap(NULL, sizeof(*ends), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	for (uint64_t i = 0; i < WORDS; i++)
		words[i] = 500 + i;
	return ends == MAP_FAILED ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	return munmap(ends, sizeof(*ends));
}

/* The copy from its word @first on, in the same memory. */
static struct stack_copy copy_from(size_t first)
{
	return (struct stack_copy){ .tid = TID, .sp = AT(first),
				    .bytes = (const unsigned char *)(words + first),
				    .count = (WORDS - first) * 8 };
}

static size_t needed_words(const struct stack_copy *copy)
{
	const size_t bytes = stack_ends_needed(ends, copy);

	assert_int_equal(bytes % 8, 0);
	return bytes / 8;
}

static void test_of_an_unknown_thread_all_is_needed(void **state)
{
	const struct stack_copy copy = copy_from(0);
	struct stack_copy nobodys = copy;

	(void)state;
	nobodys.tid = 0;
	assert_int_equal(needed_words(&copy), WORDS);
	assert_int_equal(needed_words(&nobodys), WORDS);
}

static void test_what_lies_after_the_outermost_frame_is_not_needed(void **state)
{
	const struct stack_copy copy = copy_from(0), shallow = copy_from(5);

	(void)state;
	stack_ends_learn(ends, &copy, AT(20));
	assert_int_equal(needed_words(&copy), 20);
	assert_int_equal(needed_words(&shallow), 15);
}

static void test_an_end_counts_for_its_thread_alone(void **state)
{
	const struct stack_copy copy = copy_from(0);
	struct stack_copy other = copy;

	(void)state;
	stack_ends_learn(ends, &copy, AT(20));
	other.tid = TID + 1;
	assert_int_equal(needed_words(&other), WORDS);
	other.tid = TID + STACK_ENDS_ROWS;	/* the same row */
	assert_int_equal(needed_words(&other), WORDS);
	stack_ends_learn(ends, &other, AT(30));
	assert_int_equal(needed_words(&other), 30);
	assert_int_equal(needed_words(&copy), WORDS);
}

/* Another program, or memory that was used again. */
static void test_an_end_counts_while_the_word_before_it_stands(void **state)
{
	const struct stack_copy copy = copy_from(0);

	(void)state;
	stack_ends_learn(ends, &copy, AT(20));
	words[19] = 1;
	assert_int_equal(needed_words(&copy), WORDS);
	words[19] = 519;
	assert_int_equal(needed_words(&copy), 20);
}

static void test_ends_outside_of_the_copy_cut_nothing(void **state)
{
	const struct stack_copy copy = copy_from(0), above = copy_from(25);
	struct stack_copy cut_short = copy;

	(void)state;
	stack_ends_learn(ends, &copy, AT(20));
	assert_int_equal(needed_words(&above), WORDS - 25);
	cut_short.count = 19 * 8;
	assert_int_equal(needed_words(&cut_short), 19);
	stack_ends_learn(ends, &cut_short, AT(20));	/* can't be: there is no word to learn */
	stack_ends_learn(ends, &above, AT(20));
	assert_int_equal(needed_words(&copy), 20);
}

/* Of coroutines with stacks side by side, or one within the other. */
static void test_the_highest_end_that_still_is_one_stays(void **state)
{
	const struct stack_copy copy = copy_from(0);

	(void)state;
	stack_ends_learn(ends, &copy, AT(30));
	stack_ends_learn(ends, &copy, AT(20));
	assert_int_equal(needed_words(&copy), 30);
	stack_ends_learn(ends, &copy, AT(40));
	assert_int_equal(needed_words(&copy), 40);
	words[39] = 1;	/* ld.so's first frame, gone when the program begins */
	stack_ends_learn(ends, &copy, AT(20));
	assert_int_equal(needed_words(&copy), 20);
}

static void test_a_thread_whose_end_was_none_is_copied_whole_from_then_on(void **state)
{
	const struct stack_copy copy = copy_from(0);

	(void)state;
	stack_ends_learn(ends, &copy, AT(20));
	stack_ends_was_cut(ends, TID);
	assert_int_equal(needed_words(&copy), WORDS);
	stack_ends_learn(ends, &copy, AT(20));
	assert_int_equal(needed_words(&copy), WORDS);
}

static void test_whole_it_stays_when_another_end_came_before_the_cut_was_seen(void **state)
{
	const struct stack_copy copy = copy_from(0), of_coroutine = copy_from(5);

	(void)state;
	stack_ends_learn(ends, &copy, AT(20));
	stack_ends_learn(ends, &of_coroutine, AT(40));
	stack_ends_was_cut(ends, TID);
	assert_int_equal(needed_words(&copy), WORDS);
	stack_ends_learn(ends, &of_coroutine, AT(40));
	assert_int_equal(needed_words(&copy), WORDS);
}

static void test_whole_it_stays_beside_a_thread_of_the_same_row(void **state)
{
	const struct stack_copy copy = copy_from(0);
	struct stack_copy other = copy;

	(void)state;
	other.tid = TID + STACK_ENDS_ROWS;
	stack_ends_learn(ends, &other, AT(30));
	stack_ends_was_cut(ends, TID);
	stack_ends_learn(ends, &other, AT(30));
	assert_int_equal(needed_words(&other), WORDS);
	stack_ends_was_cut(ends, other.tid);
	stack_ends_learn(ends, &copy, AT(20));
	assert_int_equal(needed_words(&copy), WORDS);
	stack_ends_forget(ends, other.tid);
	stack_ends_learn(ends, &copy, AT(20));
	assert_int_equal(needed_words(&copy), WORDS);
	stack_ends_forget(ends, TID);
	stack_ends_learn(ends, &other, AT(30));
	assert_int_equal(needed_words(&other), 30);
}

static void test_who_has_ended_is_forgotten(void **state)
{
	const struct stack_copy copy = copy_from(0);

	(void)state;
	stack_ends_learn(ends, &copy, AT(20));
	stack_ends_forget(ends, TID + STACK_ENDS_ROWS);
	assert_int_equal(needed_words(&copy), 20);
	stack_ends_forget(ends, TID);
	assert_int_equal(needed_words(&copy), WORDS);
	stack_ends_learn(ends, &copy, AT(20));
	stack_ends_was_cut(ends, TID);
	stack_ends_forget(ends, TID);
	stack_ends_learn(ends, &copy, AT(20));
	assert_int_equal(needed_words(&copy), 20);
}

#define LEARNED 200000u

/* Two threads share a row, and their ends have different words before them: a mixture of two
 * writings would be an end that nobody learned. */
static void *learn_in_turn(void *argument)
{
	struct stack_copy low = copy_from(0), high = copy_from(0);

	(void)argument;
	high.tid += STACK_ENDS_ROWS;
	for (uint32_t i = 0; i < LEARNED; i++) {
		stack_ends_learn(ends, &low, AT(20 + i % 2));
		stack_ends_learn(ends, &high, AT(40 + i % 2));
	}
	return NULL;
}

static void test_a_row_is_read_whole_while_it_is_written(void **state)
{
	const struct stack_copy low = copy_from(0);
	struct stack_copy high = copy_from(0);
	pthread_t writer;

	(void)state;
	for (size_t i = 0; i < WORDS; i++)
		words[i] = 7;	/* no word tells ends apart here */
	high.tid += STACK_ENDS_ROWS;
	assert_int_equal(pthread_create(&writer, NULL, learn_in_turn, NULL), 0);
	for (uint32_t i = 0; i < LEARNED; i++) {
		const size_t of_low = needed_words(&low), of_high = needed_words(&high);

		assert_true(of_low == 20 || of_low == 21 || of_low == WORDS);
		assert_true(of_high == 40 || of_high == 41 || of_high == WORDS);
	}
	pthread_join(writer, NULL);
	stack_ends_learn(ends, &low, AT(20));
	assert_int_equal(needed_words(&low), 20);
}

#if defined(__SANITIZE_THREAD__)
#define TURNS 60u	/* each has ten times as many instructions */
#define PHASE 8192u
#else
#define TURNS 300u
#define PHASE 512u
#endif
#define KINDS 12u	/* kinds of phases: a write in 8 steps, in 16, ... */

/* Another process, which shares the ends and @results: stopped, before it does @work. */
static pid_t start_stopped(void (*work)(size_t *results), size_t *results)
{
	const pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (!pid) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			_exit(1);
		raise(SIGSTOP);
		work(results);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (WIFSTOPPED(status))
		return pid;
	print_message("SKIP: needs ptrace(2)\n");
	skip();
	return -1;
}

/* False: it has ended. */
static bool step(pid_t pid)
{
	int status;

	assert_int_equal(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSTOPPED(status) || (WIFEXITED(status) && !WEXITSTATUS(status)));
	return WIFSTOPPED(status);
}

static void read_often(size_t *results)
{
	const struct stack_copy low = copy_from(0);

	for (size_t i = 0; i < TURNS; i++)
		results[i] = needed_words(&low);
}

/* The reader is stopped after each of its instructions, and the row written there now and then:
 * what two threads meet by luck alone. */
static void test_a_row_that_is_written_amid_a_read_counts_for_nobody(void **state)
{
	size_t *results = mmap(NULL, TURNS * sizeof(*results), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct stack_copy low = copy_from(0), high = copy_from(0);
	unsigned int whole = 0;
	uint64_t seed = 9, steps = 0;
	bool is_low = false;
	pid_t reader;

	(void)state;
	assert_true(results != MAP_FAILED);
	for (size_t i = 0; i < WORDS; i++)
		words[i] = 7;
	high.tid += STACK_ENDS_ROWS;
	reader = start_stopped(read_often, results);
	while (step(reader))	/* often and seldom: a read takes as many as a compiler likes */
		if (!random_below(&seed, 8u << (steps++ / PHASE % KINDS))) {
			is_low = !is_low;
			stack_ends_learn(ends, is_low ? &low : &high, AT(is_low ? 20 : 40));
		}
	for (size_t i = 0; i < TURNS; i++) {
		assert_true(results[i] == 20 || results[i] == WORDS);
		whole += results[i] == WORDS;
	}
	assert_in_range(whole, 1, TURNS - 1);	/* both came to pass */
	munmap(results, TURNS * sizeof(*results));
}

static void write_often(size_t *results)
{
	struct stack_copy low = copy_from(0), high = copy_from(0);

	(void)results;
	high.tid += STACK_ENDS_ROWS;
	for (uint64_t i = 0; i < TURNS; i++) {
		stack_ends_learn(ends, &low, AT(20));
		stack_ends_learn(ends, &high, AT(40));
	}
}

/* Likewise, the writer is stopped and the row read. */
static void test_a_row_that_is_being_written_is_nobodys(void **state)
{
	struct stack_copy low = copy_from(0), high = copy_from(0);
	unsigned int seen_low = 0, seen_high = 0;
	pid_t writer;

	(void)state;
	for (size_t i = 0; i < WORDS; i++)
		words[i] = 7;
	high.tid += STACK_ENDS_ROWS;
	writer = start_stopped(write_often, NULL);
	while (step(writer)) {
		const size_t of_low = needed_words(&low), of_high = needed_words(&high);

		assert_true(of_low == 20 || of_low == WORDS);
		assert_true(of_high == 40 || of_high == WORDS);
		seen_low += of_low == 20;
		seen_high += of_high == 40;
	}
	assert_true(seen_low >= TURNS && seen_high >= TURNS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

UNIT_TESTS(test_stack_ends)
{
	const struct CMUnitTest tests[] = {
		TEST(test_of_an_unknown_thread_all_is_needed),
		TEST(test_what_lies_after_the_outermost_frame_is_not_needed),
		TEST(test_an_end_counts_for_its_thread_alone),
		TEST(test_an_end_counts_while_the_word_before_it_stands),
		TEST(test_ends_outside_of_the_copy_cut_nothing),
		TEST(test_the_highest_end_that_still_is_one_stays),
		TEST(test_a_thread_whose_end_was_none_is_copied_whole_from_then_on),
		TEST(test_whole_it_stays_when_another_end_came_before_the_cut_was_seen),
		TEST(test_whole_it_stays_beside_a_thread_of_the_same_row),
		TEST(test_who_has_ended_is_forgotten),
		TEST(test_a_row_is_read_whole_while_it_is_written),
		TEST(test_a_row_that_is_written_amid_a_read_counts_for_nobody),
		TEST(test_a_row_that_is_being_written_is_nobodys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
