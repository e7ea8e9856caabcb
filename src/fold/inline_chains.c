/* inline_chains.c - see fold/inline_chains.h. */
#include "fold/inline_chains.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void inline_chains_init(struct inline_chains *chains, struct strpool *strings)
{
	*chains = (struct inline_chains){ .strings = strings };
}

void inline_chains_finish(struct inline_chains *chains)
{
	free(chains->chains);
	free(chains->functions);
	id_map_finish(&chains->by_address);
	memset(chains, 0, sizeof(*chains));
}

static uint64_t hash_of(uint32_t object, uint64_t address)
{
	return id_map_mix(address ^ id_map_mix(object));
}

const struct inline_chain *inline_chains_find(const struct inline_chains *chains, uint32_t object,
					      uint64_t address)
{
	const uint32_t at = id_map_get(&chains->by_address, hash_of(object, address));
	const struct inline_chain *chain;

	if (at == ID_MAP_NONE)
		return NULL;
	chain = &chains->chains[at];
	return chain->object == object && chain->address == address ? chain : NULL;
}

bool inline_chains_are_full(const struct inline_chains *chains)
{
	return chains->count == INLINE_CHAINS_MAX || chains->text_bytes > INLINE_CHAINS_TEXT_MAX;
}

int inline_chains_begin(struct inline_chains *chains, uint32_t object, uint64_t address)
{
	if (inline_chains_are_full(chains))
		return -ENOSPC;
	if (chains->count == chains->capacity) {
		const uint32_t capacity = chains->capacity ? 2 * chains->capacity : 256;
		struct inline_chain *bigger = realloc(chains->chains, capacity * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		chains->chains = bigger;
		chains->capacity = capacity;
	}
	if (id_map_put(&chains->by_address, hash_of(object, address), chains->count))
		return -ENOMEM;
	chains->chains[chains->count++] = (struct inline_chain){
		.address = address, .object = object, .first = chains->function_count,
	};
	return 0;
}

int inline_chains_add(struct inline_chains *chains, const char *function)
{
	const size_t len = strlen(function);

	if (chains->function_count == chains->function_capacity) {
		const uint32_t capacity =
			chains->function_capacity ? 2 * chains->function_capacity : 1024;
		struct str_id *bigger = realloc(chains->functions, capacity * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		chains->functions = bigger;
		chains->function_capacity = capacity;
	}
	chains->functions[chains->function_count++] =
		strpool_intern(chains->strings, function, len);
	chains->text_bytes += len;
	chains->chains[chains->count - 1].count++;
	return 0;
}
