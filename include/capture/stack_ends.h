/* stack_ends.h - where the stacks of threads end, as far as walks have shown it: what lies behind
 * the outermost frame (arguments and environment, a thread's TLS) needs no copying.
 *
 *   |sp   frames ...   |return address into the outermost frame| environment ...
 *                      ^ word, 8 bytes before                  ^ end
 *
 * The analyzer writes what a whole walk came to, the sampler asks how much of a copy is needed. An
 * end counts for a copy only while the word before it is the one that it was learned with: so not
 * for another program of the same tid, nor where the memory was used again.
 *
 * Who reads it without a lock may see a row that is being written: `key`, which holds the tid and
 * how often the row was written, is 0 then, or another one afterwards.
 *   analyzer: key = 0, end, word: RELEASE, then key RELEASE
 *   sampler:  key, end, word: ACQUIRE, then key again. It saw an `end` of a later writing: then it
 *	       sees the 0 before that, too, or what came after.
 *
 * What that can't tell is a stack inside another's frame (of a coroutine, in main's), for which the
 * same thread was seen first: its end lies within the outer one. Walks are cut there and counted as
 * such, until the analyzer has walked the first of them (a round later, or when its tables are
 * there); from then on the thread's copies are taken whole, until it ends or calls exec
 * (stack_ends_was_cut()). So are those of a thread that would share its row.
 *
 * Thread: one writer (the analyzer); samplers only read.
 */
#ifndef CAPTURE_STACK_ENDS_H
#define CAPTURE_STACK_ENDS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define STACK_ENDS_ROWS 4096u	/* threads that are known at a time; a power of two */

struct stack_end {
	_Atomic uint64_t key;	/* tid, and in the upper half how often it was written; 0: none */
	_Atomic uint64_t end;	/* 0: this thread's copies are taken whole */
	_Atomic uint64_t word;
};

struct stack_ends {
	struct stack_end rows[STACK_ENDS_ROWS];	/* of zeros at first */
};

/* What a record holds of a stack; @bytes of any alignment, BORROWED. */
struct stack_copy {
	uint32_t tid;
	uint64_t sp;
	const unsigned char *bytes;
	size_t count;
};

/* Sampler. How many bytes of @copy a walk can need: all, or less. */
size_t stack_ends_needed(const struct stack_ends *ends, const struct stack_copy *copy);

/* Analyzer. The walk of @copy reached its outermost frame, whose sp is @end. */
void stack_ends_learn(struct stack_ends *ends, const struct stack_copy *copy, uint64_t end);
/* Analyzer. A walk of @tid needed more than what stack_ends_needed() had said. */
void stack_ends_was_cut(struct stack_ends *ends, uint32_t tid);
/* Analyzer. The thread has ended, or its program: nothing is known of it. */
void stack_ends_forget(struct stack_ends *ends, uint32_t tid);

#endif
