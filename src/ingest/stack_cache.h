/* stack_cache.h - a cache of the frames of addresses and the nodes of whole caller chains.
 *
 *   (space, address)	-> frame	frames[]: one row per hash, the newest stays
 *   (space, callers)	-> node		chains[]: four rows per hash; their words are in a ring
 *   (space, address, node) -> stack	stacks[]: two rows per hash
 *
 *	words  | chain 7 | chain 8 |  (free)  | chain 4 | chain 5 | chain 6 |
 *				    ^ words_end % STACK_CACHE_WORDS
 *
 * A space is the maps of a process, or those of the kernel: it gets a new number whenever it
 * changes, so that rows of the old content are not found any more. The leaf is not part of a chain:
 * a hot loop has as many leaves as instructions, and one chain of callers.
 *
 * Exact:  a row is used only if the whole key is equal; the hash only finds it.
 * Memory: fixed, 1.6 MiB; pages that were never used are not allocated.
 * Thread: the analyzer's.
 */
#ifndef INGEST_STACK_CACHE_H
#define INGEST_STACK_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Measured with a compiler and an interpreter at 20 kHz: 4,096 chains hit for 81 % of all samples,
 * unlimited ones for 84 %; 8,192 frames hit for 90 % of all addresses, unlimited ones for 91 %. */
#define STACK_CACHE_CHAINS 4096
#define STACK_CACHE_WAYS	  4	/* evicts 1 in 50 of 1,000 equally hot chains */
#define STACK_CACHE_FRAMES 8192
#define STACK_CACHE_STACKS 8192
#define STACK_CACHE_WORDS  131072	/* 32 per chain */
#define STACK_CACHE_LONGEST 512	/* longer chains are not cached, in words */

struct cache_frame {
	uint64_t space, address;
	uint32_t frame, code;
};

struct cache_stack {
	uint64_t space, address;	/* the leaf's */
	uint32_t node, stack;
};

/* A chain of callers as it was sampled, leaf first: addresses, and markers between them. */
struct cache_key {
	uint64_t space;
	const uint64_t *words;	/* borrowed */
	uint32_t count;		/* not 0 */
	uint32_t plain;		/* from this index on no word is a marker; count: any may be */
	uint32_t mode;		/* mode of the first word, an enum cpu_mode */
};

struct cache_chain {
	uint64_t space;
	uint64_t words_at;	/* free-running position in the ring, like words_end */
	uint32_t count, plain, mode;
	uint32_t node, code;
};

struct stack_cache {
	struct cache_frame *frames;	/* owned */
	struct cache_chain *chains;	/* owned */
	uint32_t *tags;		/* owned; part of each chain's hash */
	struct cache_stack *stacks;	/* owned */
	uint64_t *words;	/* owned; ring of STACK_CACHE_WORDS */
	uint64_t words_end;	/* free-running end of the newest chain in the ring */
	uint64_t last_space;
	uint64_t first_space;	/* smaller space numbers are invalid */
	uint64_t kernel_space, empty_space;	/* the kernel's; that of no maps */
	bool is_off;
};

int stack_cache_init(struct stack_cache *cache);	/* 0 or -ENOMEM */
void stack_cache_finish(struct stack_cache *cache);	/* a zeroed struct is fine */

/* Invalidates all rows. */
void stack_cache_forget(struct stack_cache *cache);

/* Returns the number in *@space, after renewing it if it is invalid. The owner must set it to 0
 * whenever the content changes. */
static inline uint64_t stack_cache_space(struct stack_cache *cache, uint64_t *space)
{
	if (*space < cache->first_space)
		*space = ++cache->last_space;
	return *space;
}

/* The cached stack with the leaf @address, whose frame is or was cached; ID_SET_NONE: none. */
uint32_t stack_cache_stack(const struct stack_cache *cache, uint64_t space, uint64_t address,
			   uint32_t node);
void stack_cache_keep_stack(struct stack_cache *cache, const struct cache_stack *row);

/* The row cached under exactly this key, or NULL. BORROWED until the next stack_cache_keep_*(). */
const struct cache_frame *stack_cache_frame(const struct stack_cache *cache, uint64_t space,
					    uint64_t address);
const struct cache_chain *stack_cache_chain(const struct stack_cache *cache,
					    const struct cache_key *key, uint64_t hash);

void stack_cache_keep_frame(struct stack_cache *cache, const struct cache_frame *row);
/* @code: the run-time code that the chain goes through, 0: none. */
void stack_cache_keep_chain(struct stack_cache *cache, const struct cache_key *key, uint64_t hash,
			    uint32_t node, uint32_t code);

uint64_t stack_cache_hash(const struct cache_key *key);

#endif
