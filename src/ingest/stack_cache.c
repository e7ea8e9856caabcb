/* stack_cache.c - see stack_cache.h.
 *
 * Problem: most samples have callers that were seen a moment ago, and each caller costs a search in
 * the process's maps and two in tables of many megabytes.
 *
 * Rejected: tries of addresses for chains (a cache line per frame again); a row per thread with its
 * last chain (a compiler's chain differs from the last in 42 % of the samples, but is one of the
 * last thousands).
 */
#include "stack_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/id_map.h"

int stack_cache_init(struct stack_cache *cache)
{
	*cache = (struct stack_cache){
		.frames = calloc(STACK_CACHE_FRAMES, sizeof(*cache->frames)),
		.chains = calloc(STACK_CACHE_CHAINS, sizeof(*cache->chains)),
		.tags = calloc(STACK_CACHE_CHAINS, sizeof(*cache->tags)),
		.stacks = calloc(STACK_CACHE_STACKS, sizeof(*cache->stacks)),
		.words = malloc(STACK_CACHE_WORDS * sizeof(*cache->words)),
	};
	if (!cache->frames || !cache->chains || !cache->tags || !cache->stacks || !cache->words) {
		stack_cache_finish(cache);
		return -ENOMEM;
	}
	stack_cache_forget(cache);
	return 0;
}

void stack_cache_finish(struct stack_cache *cache)
{
	free(cache->frames);
	free(cache->chains);
	free(cache->tags);
	free(cache->stacks);
	free(cache->words);
	memset(cache, 0, sizeof(*cache));
}

void stack_cache_forget(struct stack_cache *cache)
{
	cache->first_space = cache->last_space + 1;
	cache->kernel_space = ++cache->last_space;
	cache->empty_space = ++cache->last_space;
}

static struct cache_frame *frame_row(const struct stack_cache *cache, uint64_t space,
				     uint64_t address)
{
	const uint64_t hash = (address ^ space << 40) * 0x9e3779b97f4a7c15ull;

	return &cache->frames[(hash >> 32) % STACK_CACHE_FRAMES];
}

const struct cache_frame *stack_cache_frame(const struct stack_cache *cache, uint64_t space,
					    uint64_t address)
{
	const struct cache_frame *row = frame_row(cache, space, address);

	return row->space == space && row->address == address ? row : NULL;
}

void stack_cache_keep_frame(struct stack_cache *cache, const struct cache_frame *row)
{
	if (!cache->is_off)
		*frame_row(cache, row->space, row->address) = *row;
}

/* The first of the two rows where the stack may be. */
static struct cache_stack *stack_rows(const struct stack_cache *cache, uint64_t space,
				      uint64_t address, uint32_t node)
{
	const uint64_t hash = (address ^ space << 40 ^ (uint64_t)node << 20) *
			      0x9e3779b97f4a7c15ull;

	return &cache->stacks[(hash >> 32) % STACK_CACHE_STACKS & ~1u];
}

uint32_t stack_cache_stack(const struct stack_cache *cache, uint64_t space, uint64_t address,
			   uint32_t node)
{
	const struct cache_stack *row = stack_rows(cache, space, address, node);

	for (int way = 0; way < 2; way++, row++)
		if (row->address == address && row->node == node && row->space == space)
			return row->stack;
	return ID_SET_NONE;
}

void stack_cache_keep_stack(struct stack_cache *cache, const struct cache_stack *row)
{
	struct cache_stack *rows = stack_rows(cache, row->space, row->address, row->node);

	if (cache->is_off)
		return;
	rows[1] = rows[0];
	rows[0] = *row;
}

uint64_t stack_cache_hash(const struct cache_key *key)
{
	uint64_t even = key->space, odd = key->count;
	uint32_t i;

	/* Two sums in parallel, because multiplication has the longest latency per word. */
	for (i = 0; i + 1 < key->count; i += 2) {
		even = (even ^ key->words[i]) * 0x9e3779b97f4a7c15ull;
		odd = (odd ^ key->words[i + 1]) * 0xd1342543de82ef95ull;
		even ^= even >> 32;
		odd ^= odd >> 32;
	}
	if (i < key->count)
		even ^= key->words[i];
	return id_map_mix(even + id_map_mix(odd));
}

/* The first of the rows where a chain with that hash may be. */
static uint32_t first_way(uint64_t hash)
{
	return (uint32_t)hash % (STACK_CACHE_CHAINS / STACK_CACHE_WAYS) * STACK_CACHE_WAYS;
}

static const uint64_t *words_of(const struct stack_cache *cache, const struct cache_chain *row)
{
	return &cache->words[row->words_at % STACK_CACHE_WORDS];
}

/* Whether its words have been overwritten, or the row was never used. */
static bool is_over(const struct stack_cache *cache, const struct cache_chain *row)
{
	return cache->words_end - row->words_at > STACK_CACHE_WORDS;
}

static bool is_chain(const struct stack_cache *cache, const struct cache_chain *row,
		     const struct cache_key *key)
{
	return row->space == key->space && row->count == key->count && row->plain == key->plain &&
	       row->mode == key->mode && !is_over(cache, row) &&
	       !memcmp(words_of(cache, row), key->words, key->count * sizeof(*key->words));
}

const struct cache_chain *stack_cache_chain(const struct stack_cache *cache,
					    const struct cache_key *key, uint64_t hash)
{
	const uint32_t first = first_way(hash), tag = (uint32_t)(hash >> 32);

	for (uint32_t i = first; i < first + STACK_CACHE_WAYS; i++)
		if (cache->tags[i] == tag && is_chain(cache, &cache->chains[i], key))
			return &cache->chains[i];
	return NULL;
}

/* The row to replace: the one that was filled longest ago. */
static uint32_t oldest_way(const struct stack_cache *cache, uint64_t hash)
{
	const uint32_t first = first_way(hash);
	uint32_t oldest = first;

	for (uint32_t i = first; i < first + STACK_CACHE_WAYS; i++)
		if (cache->chains[i].words_at < cache->chains[oldest].words_at)
			oldest = i;
	return oldest;
}

/* Position for @count contiguous words in the ring. */
static uint64_t take_words(struct stack_cache *cache, uint32_t count)
{
	const uint64_t left = STACK_CACHE_WORDS - cache->words_end % STACK_CACHE_WORDS;
	uint64_t at;

	if (left < count)
		cache->words_end += left;
	at = cache->words_end;
	cache->words_end += count;
	return at;
}

void stack_cache_keep_chain(struct stack_cache *cache, const struct cache_key *key, uint64_t hash,
			    uint32_t node, uint32_t code)
{
	uint32_t row;
	uint64_t at;

	if (cache->is_off || key->count > STACK_CACHE_LONGEST)
		return;
	row = oldest_way(cache, hash);
	at = take_words(cache, key->count);
	memcpy(&cache->words[at % STACK_CACHE_WORDS], key->words, key->count * sizeof(*key->words));
	cache->tags[row] = (uint32_t)(hash >> 32);
	cache->chains[row] = (struct cache_chain){
		.space = key->space, .words_at = at, .count = key->count, .plain = key->plain,
		.mode = key->mode, .node = node, .code = code,
	};
}
