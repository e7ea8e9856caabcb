/* inline_chains.h - which functions were inlined where, by DSO and address.
 *
 *   address 0x12a0 is code of      innermost, inlined into      functions: innermost, middle
 *                                  middle, inlined into
 *                                  outer                        the symbol of the frame
 *
 * Nothing is evicted: when it is full, a tree leaves further frames whole, rather than request all
 * of them again and again.
 *
 * Thread: the analyzer's.
 */
#ifndef FOLD_INLINE_CHAINS_H
#define FOLD_INLINE_CHAINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_map.h"
#include "base/strpool.h"

/* 2 MB; all addresses with any weight in a large program's trees were below 20,000. */
#define INLINE_CHAINS_MAX	65536
/* Bytes of names, repeats included: they stay in the pool. */
#define INLINE_CHAINS_TEXT_MAX	(8u << 20)

/* The functions inlined at one address. */
struct inline_chain {
	uint64_t address;	/* file offset */
	uint32_t object;
	uint32_t first, count;	/* range in inline_chains.functions; count 0: none */
};

struct inline_chains {
	struct strpool *strings;	/* borrowed */
	struct inline_chain *chains;	/* owned */
	struct str_id *functions;	/* owned; innermost first, without the frame's symbol */
	uint32_t count, capacity, function_count, function_capacity;
	size_t text_bytes;
	struct id_map by_address;	/* hash of (object, address) -> chain */
};

void inline_chains_init(struct inline_chains *chains, struct strpool *strings);
void inline_chains_finish(struct inline_chains *chains);

/* Returns the chain at @address, or NULL: not known. BORROWED until more is added. */
const struct inline_chain *inline_chains_find(const struct inline_chains *chains, uint32_t object,
					      uint64_t address);
bool inline_chains_are_full(const struct inline_chains *chains);

/* Begins the chain of a new address; then inline_chains_add() adds its functions, innermost first,
 * before the next chain is begun. 0, -ENOSPC or -ENOMEM. */
int inline_chains_begin(struct inline_chains *chains, uint32_t object, uint64_t address);
int inline_chains_add(struct inline_chains *chains, const char *function);

#endif
