/* strpool.c - chunks of text that never move, an index from id to text, and a hash from text to id.
 * The hash maps a 64-bit text hash to the newest id with it; ids with an equal hash are chained. */
#include "base/strpool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/id_map.h"
#include "base/sanitize.h"

#define CHUNK_BYTES	(64 * 1024)
#define TEXT_MAX_BYTES	4096	/* of one sanitized string: the longest path; more is cut */

struct chunk {
	struct chunk *next;
	char text[];
};

struct entry {
	const char *text;	/* into a chunk */
	uint64_t hash;
	uint32_t same_hash;	/* id of another text with this hash, or ID_MAP_NONE */
};

struct strpool {
	struct chunk *chunks;
	size_t chunk_used, chunk_size, bytes;
	struct entry *entries;
	uint32_t count, capacity;
	struct id_map by_hash;
};

/* FNV-1a: short strings, one pass, spread further by the map's own mix. */
static uint64_t hash_text(const char *text, size_t len)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ull;
	return hash;
}

static char *take_bytes(struct strpool *pool, size_t need)
{
	if (!pool->chunks || pool->chunk_size - pool->chunk_used < need) {
		size_t size = need > CHUNK_BYTES ? need : CHUNK_BYTES;
		struct chunk *chunk = malloc(sizeof(*chunk) + size);

		if (!chunk)
			return NULL;
		chunk->next = pool->chunks;
		pool->chunks = chunk;
		pool->chunk_used = 0;
		pool->chunk_size = size;
		pool->bytes += size;
	}
	pool->chunk_used += need;
	return pool->chunks->text + pool->chunk_used - need;
}

static uint32_t add_entry(struct strpool *pool, const char *text, size_t len, uint64_t hash)
{
	uint32_t id = pool->count;
	char *copy;

	if (id == pool->capacity) {
		uint32_t capacity = id ? id * 2 : 256;
		struct entry *entries = realloc(pool->entries, capacity * sizeof(*entries));

		if (!entries)
			return ID_MAP_NONE;
		pool->entries = entries;
		pool->capacity = capacity;
	}
	copy = take_bytes(pool, len + 1);
	if (!copy)
		return ID_MAP_NONE;
	memcpy(copy, text, len);
	copy[len] = '\0';
	pool->entries[id] = (struct entry){
		.text = copy, .hash = hash, .same_hash = id_map_get(&pool->by_hash, hash),
	};
	if (id_map_put(&pool->by_hash, hash, id))
		return ID_MAP_NONE;
	pool->count++;
	return id;
}

struct strpool *strpool_create(void)
{
	struct strpool *pool = calloc(1, sizeof(*pool));

	if (pool && add_entry(pool, "", 0, hash_text("", 0)) == ID_MAP_NONE) {
		strpool_destroy(pool);
		return NULL;
	}
	return pool;
}

void strpool_destroy(struct strpool *pool)
{
	if (!pool)
		return;
	while (pool->chunks) {
		struct chunk *next = pool->chunks->next;

		free(pool->chunks);
		pool->chunks = next;
	}
	id_map_finish(&pool->by_hash);
	free(pool->entries);
	free(pool);
}

struct str_id strpool_intern(struct strpool *pool, const char *text, size_t len)
{
	char clean[TEXT_MAX_BYTES];
	uint64_t hash;
	uint32_t id;

	len = strnlen(text, len);
	if (len >= sizeof(clean) || !sanitize_is_clean(text, len)) {
		len = sanitize_text(clean, sizeof(clean), text, len);
		text = clean;
	}
	hash = hash_text(text, len);
	for (id = id_map_get(&pool->by_hash, hash); id != ID_MAP_NONE;
	     id = pool->entries[id].same_hash)
		if (!strncmp(pool->entries[id].text, text, len) && !pool->entries[id].text[len])
			return (struct str_id){ id };
	id = add_entry(pool, text, len, hash);
	return (struct str_id){ id == ID_MAP_NONE ? 0 : id };
}

const char *strpool_get(const struct strpool *pool, struct str_id id)
{
	return pool->entries[id.v].text;
}

size_t strpool_bytes(const struct strpool *pool)
{
	return pool->bytes + pool->capacity * sizeof(*pool->entries) + id_map_bytes(&pool->by_hash);
}
