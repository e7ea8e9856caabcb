/* inline_chains.h - which functions were inlined where: kept by object and address.
 *
 *   address 0x12a0 is code of      innermost, inlined into      functions: innermost, middle
 *                                  middle, inlined into
 *                                  outer                        the symbol of the frame
 *
 * Full is full: a tree then shows the rest as it is, rather than asking for all of it again and
 * again.
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

/* The whole of what weighs anything in a large program's trees was below 20,000; 2 MB. */
#define INLINE_CHAINS_MAX	65536
/* Of names, as often as they come: they stay in the pool. */
#define INLINE_CHAINS_TEXT_MAX	(8u << 20)

/* What was inlined at one address. */
struct inline_chain {
	uint64_t address;	/* file offset */
	uint32_t object;
	uint32_t first, count;	/* of inline_chains.functions; 0: nothing was */
};

struct inline_chains {
	struct strpool *strings;	/* borrowed */
	struct inline_chain *chains;	/* owned, as the next */
	struct str_id *functions;	/* innermost first; without the one that holds them all */
	uint32_t count, capacity, function_count, function_capacity;
	size_t text_bytes;
	struct id_map by_address;	/* hash of (object, address) -> chain */
};

void inline_chains_init(struct inline_chains *chains, struct strpool *strings);
void inline_chains_finish(struct inline_chains *chains);

/* NULL: not known. BORROWED until more is added. */
const struct inline_chain *inline_chains_find(const struct inline_chains *chains, uint32_t object,
					      uint64_t address);
bool inline_chains_are_full(const struct inline_chains *chains);

/* Begins the chain of an address, which is not known yet; inline_chains_add() adds its functions to
 * it, innermost first, before the next is begun. 0, -ENOSPC or -ENOMEM. */
int inline_chains_begin(struct inline_chains *chains, uint32_t object, uint64_t address);
int inline_chains_add(struct inline_chains *chains, const char *function);

#endif
