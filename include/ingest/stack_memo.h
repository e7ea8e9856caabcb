/* stack_memo.h - what addresses and whole caller chains were found to be, kept for the next sample.
 *
 *   (space, address)	-> frame	frames[]: one row per hash, the newest stays
 *   (space, callers)	-> node		chains[]: four rows per hash; their words are in a ring
 *   (space, address, node) -> stack	stacks[]: two rows per hash
 *
 *	words  | chain 7 | chain 8 |  (free)  | chain 4 | chain 5 | chain 6 |
 *				    ^ words_end % STACK_MEMO_WORDS
 *
 * A space is a content of an address map, or of the kernel: it gets a new number whenever it
 * changes, so that what was known of the old content is not found any more. The leaf is no part of
 * a chain: a hot loop has as many leaves as instructions, and one chain of callers.
 *
 * Exact:  a row is believed only when the whole key is equal; the hash but finds it.
 * Memory: fixed, 1.6 MiB; pages that were not needed yet are not there.
 * Thread: the analyzer's.
 */
#ifndef INGEST_STACK_MEMO_H
#define INGEST_STACK_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of a compiler and an interpreter at 20 kHz, 4,096 chains find 81 % of all samples' callers, any
 * number of them 84 %; 8,192 frames find 90 % of all addresses, any number 91 %. */
#define STACK_MEMO_CHAINS 4096
#define STACK_MEMO_WAYS	  4	/* of 1,000 chains that are equally hot, 1 in 50 is put out */
#define STACK_MEMO_FRAMES 8192
#define STACK_MEMO_STACKS 8192
#define STACK_MEMO_WORDS  131072	/* 32 a chain */
#define STACK_MEMO_LONGEST 512	/* chains of more words are not kept */

struct memo_frame {
	uint64_t space, address;
	uint32_t frame, code;
};

struct memo_stack {
	uint64_t space, address;	/* of the leaf */
	uint32_t node, stack;
};

/* A chain of callers as it was sampled, leaf first: addresses, and markers between them. */
struct memo_key {
	uint64_t space;
	const uint64_t *words;	/* borrowed */
	uint32_t count;		/* not 0 */
	uint32_t plain;		/* from here on no word is a marker; count: any may be */
	uint32_t mode;		/* of the first, an enum cpu_mode */
};

struct memo_chain {
	uint64_t space;
	uint64_t words_at;	/* runs free, as words_end */
	uint32_t count, plain, mode;
	uint32_t node, code;
};

struct stack_memo {
	struct memo_frame *frames;	/* owned; as the next two */
	struct memo_chain *chains;
	uint32_t *tags;		/* owned; of each chain, some of its hash */
	struct memo_stack *stacks;	/* owned; as the next one */
	uint64_t *words;
	uint64_t words_end;
	uint64_t last_space;
	uint64_t first_space;	/* older numbers are of the past */
	uint64_t kernel_space, empty_space;	/* of the kernel; of a process without maps */
	bool is_off;
};

int stack_memo_init(struct stack_memo *memo);	/* 0 or -ENOMEM */
void stack_memo_finish(struct stack_memo *memo);	/* of a zeroed one, too */

/* All that is known is of the past. */
void stack_memo_forget(struct stack_memo *memo);

/* The number in *@space, which must be 0 whenever its content has changed; a new one if it is of
 * the past. */
static inline uint64_t stack_memo_space(struct stack_memo *memo, uint64_t *space)
{
	if (*space < memo->first_space)
		*space = ++memo->last_space;
	return *space;
}

/* The stack that @address, a frame that is or was kept, is the leaf of; ID_SET_NONE: not kept. */
uint32_t stack_memo_stack(const struct stack_memo *memo, uint64_t space, uint64_t address,
			  uint32_t node);
void stack_memo_keep_stack(struct stack_memo *memo, const struct memo_stack *row);

/* What was kept under exactly this key, or NULL. BORROWED until the next call that keeps. */
const struct memo_frame *stack_memo_frame(const struct stack_memo *memo, uint64_t space,
					  uint64_t address);
const struct memo_chain *stack_memo_chain(const struct stack_memo *memo,
					  const struct memo_key *key, uint64_t hash);

void stack_memo_keep_frame(struct stack_memo *memo, const struct memo_frame *row);
/* @code: the run-time code that the chain goes through, 0: none. */
void stack_memo_keep_chain(struct stack_memo *memo, const struct memo_key *key, uint64_t hash,
			   uint32_t node, uint32_t code);

uint64_t stack_memo_hash(const struct memo_key *key);

#endif
