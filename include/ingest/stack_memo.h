/* stack_memo.h - a cache of the frames of addresses and the nodes of whole caller chains.
 *
 *   (space, address)	-> frame	frames[]: one row per hash, the newest stays
 *   (space, callers)	-> node		chains[]: four rows per hash; their words are in a ring
 *   (space, address, node) -> stack	stacks[]: two rows per hash
 *
 *	words  | chain 7 | chain 8 |  (free)  | chain 4 | chain 5 | chain 6 |
 *				    ^ words_end % STACK_MEMO_WORDS
 *
 * A space is the content of an address map, or of the kernel: it gets a new number whenever it
 * changes, so that rows of the old content are not found any more. The leaf is not part of a chain:
 * a hot loop has as many leaves as instructions, and one chain of callers.
 *
 * Exact:  a row is used only if the whole key is equal; the hash only finds it.
 * Memory: fixed, 1.6 MiB; pages that were never used are not allocated.
 * Thread: the analyzer's.
 */
#ifndef INGEST_STACK_MEMO_H
#define INGEST_STACK_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Measured with a compiler and an interpreter at 20 kHz: 4,096 chains hit for 81 % of all samples,
 * unlimited ones for 84 %; 8,192 frames hit for 90 % of all addresses, unlimited ones for 91 %. */
#define STACK_MEMO_CHAINS 4096
#define STACK_MEMO_WAYS	  4	/* of 1,000 equally hot chains, 1 in 50 is evicted */
#define STACK_MEMO_FRAMES 8192
#define STACK_MEMO_STACKS 8192
#define STACK_MEMO_WORDS  131072	/* 32 per chain */
#define STACK_MEMO_LONGEST 512	/* longer chains are not cached, in words */

struct memo_frame {
	uint64_t space, address;
	uint32_t frame, code;
};

struct memo_stack {
	uint64_t space, address;	/* the leaf's */
	uint32_t node, stack;
};

/* A chain of callers as it was sampled, leaf first: addresses, and markers between them. */
struct memo_key {
	uint64_t space;
	const uint64_t *words;	/* borrowed */
	uint32_t count;		/* not 0 */
	uint32_t plain;		/* from this index on no word is a marker; count: any may be */
	uint32_t mode;		/* mode of the first word, an enum cpu_mode */
};

struct memo_chain {
	uint64_t space;
	uint64_t words_at;	/* free-running position in the ring, like words_end */
	uint32_t count, plain, mode;
	uint32_t node, code;
};

struct stack_memo {
	struct memo_frame *frames;	/* owned */
	struct memo_chain *chains;	/* owned */
	uint32_t *tags;		/* owned; part of each chain's hash */
	struct memo_stack *stacks;	/* owned */
	uint64_t *words;	/* owned; ring of STACK_MEMO_WORDS */
	uint64_t words_end;	/* free-running end of the newest chain in the ring */
	uint64_t last_space;
	uint64_t first_space;	/* smaller space numbers are invalid */
	uint64_t kernel_space, empty_space;	/* the kernel's; that of no maps */
	bool is_off;
};

int stack_memo_init(struct stack_memo *memo);	/* 0 or -ENOMEM */
void stack_memo_finish(struct stack_memo *memo);	/* a zeroed struct is fine */

/* Invalidates all rows. */
void stack_memo_forget(struct stack_memo *memo);

/* Returns the number in *@space, after renewing it if it is invalid. The owner must set it to 0
 * whenever the content changes. */
static inline uint64_t stack_memo_space(struct stack_memo *memo, uint64_t *space)
{
	if (*space < memo->first_space)
		*space = ++memo->last_space;
	return *space;
}

/* The cached stack with the leaf @address, whose frame is or was cached; ID_SET_NONE: none. */
uint32_t stack_memo_stack(const struct stack_memo *memo, uint64_t space, uint64_t address,
			  uint32_t node);
void stack_memo_keep_stack(struct stack_memo *memo, const struct memo_stack *row);

/* The row cached under exactly this key, or NULL. BORROWED until the next stack_memo_keep_*(). */
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
