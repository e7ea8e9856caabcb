/* stack_ends.c - see capture/stack_ends.h. */
#include "capture/stack_ends.h"

#include <stdbool.h>
#include <string.h>

#define WORD_BYTES sizeof(uint64_t)

struct known_end {	/* values of one row */
	uint64_t end, word;
};

static size_t row_of(uint32_t tid)
{
	return tid % STACK_ENDS_ROWS;	/* tids are consecutive */
}

/* Reads the word before @end. Returns false when it is not in the copy. */
static bool read_word_before(const struct stack_copy *copy, uint64_t end, uint64_t *word)
{
	const uint64_t bytes = end - copy->sp;	/* huge if @end is below sp */

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

/* Loads a value in the writer, which alone stores it. */
static uint64_t own(const _Atomic uint64_t *value)
{
	return atomic_load_explicit(value, memory_order_relaxed);
}

static bool is_of(const struct stack_end *row, uint32_t tid)
{
	return (uint32_t)own(&row->key) == tid;
}

/* Returns true for the row of a live thread whose copies are taken whole; it is not replaced. */
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

/* For a thread with several stacks keeps the highest end that is valid: copies of lower stacks are
 * then longer than needed, but never too short. */
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

/* Does not depend on the end in the row, which may since be that of another stack. */
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
