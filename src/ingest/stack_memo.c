/* stack_memo.c - see ingest/stack_memo.h.
 *
 * Problem: most samples have callers that were seen a moment ago, and each caller costs a search in
 * the address map and two in tables of many megabytes.
 *
 * Rejected: tries of addresses for chains (a cache line per frame again); a row per thread with its
 * last chain (a compiler's chain differs from the last in 42 % of the samples, but is one of the
 * last thousands).
 */
#include "ingest/stack_memo.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/id_set.h"

int stack_memo_init(struct stack_memo *memo)
{
	*memo = (struct stack_memo){
		.frames = calloc(STACK_MEMO_FRAMES, sizeof(*memo->frames)),
		.chains = calloc(STACK_MEMO_CHAINS, sizeof(*memo->chains)),
		.tags = calloc(STACK_MEMO_CHAINS, sizeof(*memo->tags)),
		.stacks = calloc(STACK_MEMO_STACKS, sizeof(*memo->stacks)),
		.words = malloc(STACK_MEMO_WORDS * sizeof(*memo->words)),
	};
	if (!memo->frames || !memo->chains || !memo->tags || !memo->stacks || !memo->words) {
		stack_memo_finish(memo);
		return -ENOMEM;
	}
	stack_memo_forget(memo);
	return 0;
}

void stack_memo_finish(struct stack_memo *memo)
{
	free(memo->frames);
	free(memo->chains);
	free(memo->tags);
	free(memo->stacks);
	free(memo->words);
	memset(memo, 0, sizeof(*memo));
}

void stack_memo_forget(struct stack_memo *memo)
{
	memo->first_space = memo->last_space + 1;
	memo->kernel_space = ++memo->last_space;
	memo->empty_space = ++memo->last_space;
}

static struct memo_frame *frame_row(const struct stack_memo *memo, uint64_t space,
				    uint64_t address)
{
	const uint64_t hash = (address ^ space << 40) * 0x9e3779b97f4a7c15ull;

	return &memo->frames[(hash >> 32) % STACK_MEMO_FRAMES];
}

const struct memo_frame *stack_memo_frame(const struct stack_memo *memo, uint64_t space,
					  uint64_t address)
{
	const struct memo_frame *row = frame_row(memo, space, address);

	return row->space == space && row->address == address ? row : NULL;
}

void stack_memo_keep_frame(struct stack_memo *memo, const struct memo_frame *row)
{
	if (!memo->is_off)
		*frame_row(memo, row->space, row->address) = *row;
}

/* The first of the two rows where the stack may be. */
static struct memo_stack *stack_rows(const struct stack_memo *memo, uint64_t space,
				     uint64_t address, uint32_t node)
{
	const uint64_t hash = (address ^ space << 40 ^ (uint64_t)node << 20) *
			      0x9e3779b97f4a7c15ull;

	return &memo->stacks[(hash >> 32) % STACK_MEMO_STACKS & ~1u];
}

uint32_t stack_memo_stack(const struct stack_memo *memo, uint64_t space, uint64_t address,
			  uint32_t node)
{
	const struct memo_stack *row = stack_rows(memo, space, address, node);

	for (int way = 0; way < 2; way++, row++)
		if (row->address == address && row->node == node && row->space == space)
			return row->stack;
	return ID_SET_NONE;
}

void stack_memo_keep_stack(struct stack_memo *memo, const struct memo_stack *row)
{
	struct memo_stack *rows = stack_rows(memo, row->space, row->address, row->node);

	if (memo->is_off)
		return;
	rows[1] = rows[0];
	rows[0] = *row;
}

uint64_t stack_memo_hash(const struct memo_key *key)
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
	return (uint32_t)hash % (STACK_MEMO_CHAINS / STACK_MEMO_WAYS) * STACK_MEMO_WAYS;
}

static const uint64_t *words_of(const struct stack_memo *memo, const struct memo_chain *row)
{
	return &memo->words[row->words_at % STACK_MEMO_WORDS];
}

/* Whether its words have been overwritten, or the row was never used. */
static bool is_over(const struct stack_memo *memo, const struct memo_chain *row)
{
	return memo->words_end - row->words_at > STACK_MEMO_WORDS;
}

static bool is_chain(const struct stack_memo *memo, const struct memo_chain *row,
		     const struct memo_key *key)
{
	return row->space == key->space && row->count == key->count && row->plain == key->plain &&
	       row->mode == key->mode && !is_over(memo, row) &&
	       !memcmp(words_of(memo, row), key->words, key->count * sizeof(*key->words));
}

const struct memo_chain *stack_memo_chain(const struct stack_memo *memo,
					  const struct memo_key *key, uint64_t hash)
{
	const uint32_t first = first_way(hash), tag = (uint32_t)(hash >> 32);

	for (uint32_t i = first; i < first + STACK_MEMO_WAYS; i++)
		if (memo->tags[i] == tag && is_chain(memo, &memo->chains[i], key))
			return &memo->chains[i];
	return NULL;
}

/* The row to replace: the one that was filled longest ago. */
static uint32_t oldest_way(const struct stack_memo *memo, uint64_t hash)
{
	const uint32_t first = first_way(hash);
	uint32_t oldest = first;

	for (uint32_t i = first; i < first + STACK_MEMO_WAYS; i++)
		if (memo->chains[i].words_at < memo->chains[oldest].words_at)
			oldest = i;
	return oldest;
}

/* Position for @count contiguous words in the ring. */
static uint64_t take_words(struct stack_memo *memo, uint32_t count)
{
	const uint64_t left = STACK_MEMO_WORDS - memo->words_end % STACK_MEMO_WORDS;
	uint64_t at;

	if (left < count)
		memo->words_end += left;
	at = memo->words_end;
	memo->words_end += count;
	return at;
}

void stack_memo_keep_chain(struct stack_memo *memo, const struct memo_key *key, uint64_t hash,
			   uint32_t node, uint32_t code)
{
	uint32_t row;
	uint64_t at;

	if (memo->is_off || key->count > STACK_MEMO_LONGEST)
		return;
	row = oldest_way(memo, hash);
	at = take_words(memo, key->count);
	memcpy(&memo->words[at % STACK_MEMO_WORDS], key->words, key->count * sizeof(*key->words));
	memo->tags[row] = (uint32_t)(hash >> 32);
	memo->chains[row] = (struct memo_chain){
		.space = key->space, .words_at = at, .count = key->count, .plain = key->plain,
		.mode = key->mode, .node = node, .code = code,
	};
}
