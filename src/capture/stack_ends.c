/* stack_ends.c - see capture/stack_ends.h. */
#include "capture/stack_ends.h"

#include <stdbool.h>
#include <string.h>

#define WORD_BYTES sizeof(uint64_t)

struct known_end {	/* one row, read at a time */
	uint64_t end, word;
};

static size_t row_of(uint32_t tid)
{
	return tid % STACK_ENDS_ROWS;	/* the kernel gives tids in a row */
}

/* @end, if it is within the copy, and the word before it. */
static bool read_word_before(const struct stack_copy *copy, uint64_t end, uint64_t *word)
{
	const uint64_t bytes = end - copy->sp;	/* below sp it is huge */

	if (bytes < WORD_BYTES || bytes > copy->count)
		return false;
	memcpy(word, copy->bytes + bytes - WORD_BYTES, WORD_BYTES);
	return true;
}

static bool is_valid(const struct known_end *known, const struct stack_copy *copy)
{
	uint64_t word;

	return known->end && read_word_before(copy, known->end, &word) && word == known->word;
}

size_t stack_ends_needed(const struct stack_ends *ends, const struct stack_copy *copy)
{
	const struct stack_end *row = &ends->rows[row_of(copy->tid)];
	/* pair with put()'s stores, RELEASE */
	const uint64_t key = atomic_load_explicit(&row->key, memory_order_acquire);
	const struct known_end known = {
		.end = atomic_load_explicit(&row->end, memory_order_acquire),
		.word = atomic_load_explicit(&row->word, memory_order_acquire),
	};

	if (!copy->tid || (uint32_t)key != copy->tid || !is_valid(&known, copy) ||
	    atomic_load_explicit(&row->key, memory_order_relaxed) != key)
		return copy->count;
	return (size_t)(known.end - copy->sp);
}

/* The writer's own view: nobody else stores. */
static uint64_t own(const _Atomic uint64_t *value)
{
	return atomic_load_explicit(value, memory_order_relaxed);
}

static bool is_of(const struct stack_end *row, uint32_t tid)
{
	return (uint32_t)own(&row->key) == tid;
}

/* Of a thread whose copies are taken whole, and which has not ended: nobody else gets the row. */
static bool is_of_whole(const struct stack_end *row)
{
	return !is_of(row, 0) && !own(&row->end);
}

static void put(struct stack_end *row, uint32_t tid, const struct known_end *known)
{
	const uint64_t writes = (own(&row->key) >> 32) + 1;

	/* pair with stack_ends_needed()'s loads, ACQUIRE */
	atomic_store_explicit(&row->key, writes << 32, memory_order_release);
	atomic_store_explicit(&row->end, known->end, memory_order_release);
	atomic_store_explicit(&row->word, known->word, memory_order_release);
	atomic_store_explicit(&row->key, writes << 32 | tid, memory_order_release);
}

/* Of a thread with several stacks the end that lies highest stays, as long as it is one: the copies
 * of those below it are longer than they had to be, but never too short. */
void stack_ends_learn(struct stack_ends *ends, const struct stack_copy *copy, uint64_t end)
{
	struct stack_end *row = &ends->rows[row_of(copy->tid)];
	const struct known_end known = { .end = own(&row->end), .word = own(&row->word) };
	struct known_end found = { .end = end };

	if (!copy->tid || is_of_whole(row) || !read_word_before(copy, end, &found.word))
		return;
	if (is_of(row, copy->tid) &&
	    ((known.end == end && known.word == found.word) ||
	     (known.end > end && is_valid(&known, copy))))
		return;
	put(row, copy->tid, &found);
}

/* Whatever end the row has now: that of another stack may have come in between. */
void stack_ends_was_cut(struct stack_ends *ends, uint32_t tid)
{
	static const struct known_end whole = { .end = 0 };
	struct stack_end *row = &ends->rows[row_of(tid)];

	if (tid && !is_of_whole(row))
		put(row, tid, &whole);
}

void stack_ends_forget(struct stack_ends *ends, uint32_t tid)
{
	static const struct known_end none = { .end = 0 };
	struct stack_end *row = &ends->rows[row_of(tid)];

	if (is_of(row, tid))
		put(row, 0, &none);
}
