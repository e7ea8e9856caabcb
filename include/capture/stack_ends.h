/* stack_ends.h - the ends of threads' stacks, learned from earlier unwinding: memory above the
 * outermost frame (arguments and environment, a thread's TLS) needs no copying.
 *
 *   |sp   frames ...   |return address into the outermost frame| environment ...
 *                      ^ word, 8 bytes before                  ^ end
 *
 * The analyzer stores the end that a complete walk reached; the sampler looks up how much of a copy
 * is needed. An end is valid for a copy only if the word before it is the one with which it was
 * learned: so not after exec, for a reused tid, or for reused memory.
 *
 * There is no lock: the sampler may read a row that is being written. `key`, which holds the tid
 * and a count of writes, then has tid 0, or has changed when it is read again.
 *   analyzer: key = 0, end, word: RELEASE, then key RELEASE
 *   sampler:  key, end, word: ACQUIRE, then key again. If it saw an `end` of a later write, it sees
 *	       the 0 that was stored before it, or a later key.
 *
 * This fails for a stack inside a frame of another stack (a coroutine's in that of main) that was
 * seen first: its end lies within the outer stack. Copies of the outer stack are cut there, and
 * their walks counted as cut, until the analyzer has walked the first of them (a round later, or
 * when its tables have arrived); from then on the thread's copies are taken whole, until it ends or
 * calls exec (stack_ends_was_cut()). So are copies of a thread that would share its row.
 *
 * Thread: one writer (the analyzer); samplers only read.
 */
#ifndef CAPTURE_STACK_ENDS_H
#define CAPTURE_STACK_ENDS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define STACK_ENDS_ROWS 4096u	/* most threads known at a time; a power of two */

struct stack_end {
	_Atomic uint64_t key;	/* tid, count of writes in the upper half; tid 0: no thread */
	_Atomic uint64_t end;	/* address; 0: take this thread's copies whole */
	_Atomic uint64_t word;	/* the 8 bytes before `end` */
};

struct stack_ends {
	struct stack_end rows[STACK_ENDS_ROWS];	/* initialised by zeroing */
};

/* The stack copy of a record; `bytes` is BORROWED and has any alignment. */
struct stack_copy {
	uint32_t tid;
	uint64_t sp;
	const unsigned char *bytes;
	size_t count;
};

/* Sampler. Returns how many bytes of @copy a walk can need, at most all. */
size_t stack_ends_needed(const struct stack_ends *ends, const struct stack_copy *copy);

/* Analyzer. Stores that the walk of @copy reached the outermost frame, whose sp is @end. */
void stack_ends_learn(struct stack_ends *ends, const struct stack_copy *copy, uint64_t end);
/* Analyzer. Call when a walk of @tid needed more than stack_ends_needed() returned. */
void stack_ends_was_cut(struct stack_ends *ends, uint32_t tid);
/* Analyzer. Removes what is known of the thread @tid, which has ended or called exec. */
void stack_ends_forget(struct stack_ends *ends, uint32_t tid);

#endif
