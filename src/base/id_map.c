/* id_map.c - linear probing with backward-shift deletion: no tombstones, so tables that see much
 * coming and going (threads of a fork storm) do not fill up with them. */
#include "base/id_map.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"

#define FIRST_SLOTS 64

static uint32_t home_slot(const struct id_map *map, uint64_t key)
{
	return (uint32_t)id_map_mix(key) & (map->slots - 1);
}

/* The slot that holds @key, or the empty slot where it would go. Needs slots > 0. */
static uint32_t find_slot(const struct id_map *map, uint64_t key)
{
	uint32_t slot = home_slot(map, key);

	while (map->rows[slot].value != ID_MAP_NONE && map->rows[slot].key != key)
		slot = (slot + 1) & (map->slots - 1);
	return slot;
}

static int resize(struct id_map *map, uint32_t slots)
{
	struct id_map bigger = { .slots = slots, .used = map->used };

	bigger.rows = malloc(slots * sizeof(*bigger.rows));
	if (!bigger.rows)
		return -ENOMEM;
	memset(bigger.rows, 0xff, slots * sizeof(*bigger.rows));
	for (uint32_t i = 0; i < map->slots; i++)
		if (map->rows[i].value != ID_MAP_NONE)
			bigger.rows[find_slot(&bigger, map->rows[i].key)] = map->rows[i];
	free(map->rows);
	*map = bigger;
	return 0;
}

void id_map_finish(struct id_map *map)
{
	free(map->rows);
	memset(map, 0, sizeof(*map));
}

void id_map_clear(struct id_map *map)
{
	if (map->slots)
		memset(map->rows, 0xff, map->slots * sizeof(*map->rows));
	map->used = 0;
}

int id_map_reserve(struct id_map *map, uint32_t count)
{
	uint32_t slots = map->slots ? map->slots : FIRST_SLOTS;

	while (count > slots / 4 * 3)
		slots *= 2;
	return slots > map->slots ? resize(map, slots) : 0;
}

uint32_t id_map_get(const struct id_map *map, uint64_t key)
{
	if (!map->slots)
		return ID_MAP_NONE;
	return map->rows[find_slot(map, key)].value;
}

int id_map_put(struct id_map *map, uint64_t key, uint32_t value)
{
	uint32_t slot;

	if (id_map_reserve(map, map->used + 1))
		return -ENOMEM;
	slot = find_slot(map, key);
	if (map->rows[slot].value == ID_MAP_NONE)
		map->used++;
	map->rows[slot] = (struct id_map_slot){ .key = key, .value = value };
	return 0;
}

uint32_t id_map_remove(struct id_map *map, uint64_t key)
{
	uint32_t hole, next, value;

	if (!map->slots)
		return ID_MAP_NONE;
	hole = find_slot(map, key);
	value = map->rows[hole].value;
	if (value == ID_MAP_NONE)
		return ID_MAP_NONE;
	/* Move into the hole each later entry of the run whose probe sequence includes it. */
	for (next = (hole + 1) & (map->slots - 1); map->rows[next].value != ID_MAP_NONE;
	     next = (next + 1) & (map->slots - 1)) {
		uint32_t home = home_slot(map, map->rows[next].key);

		if (((next - home) & (map->slots - 1)) < ((next - hole) & (map->slots - 1)))
			continue;
		map->rows[hole] = map->rows[next];
		hole = next;
	}
	map->rows[hole].value = ID_MAP_NONE;
	map->used--;
	return value;
}

size_t id_map_bytes(const struct id_map *map)
{
	return (size_t)map->slots * sizeof(*map->rows);
}

#define SET_FIRST_SLOTS 256

static int resize_set(struct id_set *set, uint32_t slot_count, uint32_t rows,
		      id_set_hash *hash, const void *owner)
{
	uint32_t *slots = malloc(slot_count * sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	memset(slots, 0xff, slot_count * sizeof(*slots));
	free(set->tagged);
	*set = (struct id_set){ .tagged = slots, .slot_count = slot_count };
	for (uint32_t id = 0; id < rows; id++)
		id_set_add(set, hash(owner, id), id);
	return 0;
}

int id_set_grow(struct id_set *set, id_set_hash *hash, const void *owner)
{
	return resize_set(set, set->slot_count ? set->slot_count * 2 : SET_FIRST_SLOTS, set->used,
			  hash, owner);
}

void id_set_clear(struct id_set *set)
{
	if (set->slot_count > SET_FIRST_SLOTS && set->used < set->slot_count / 16)
		id_set_finish(set);
	else if (set->used)
		memset(set->tagged, 0xff, set->slot_count * sizeof(*set->tagged));
	set->used = 0;
}

int id_set_rebuild(struct id_set *set, uint32_t count, id_set_hash *hash, const void *owner)
{
	uint32_t slot_count = SET_FIRST_SLOTS;

	while (count > slot_count / 4 * 3)
		slot_count *= 2;
	if (!resize_set(set, slot_count, count, hash, owner))
		return 0;
	if (set->slot_count < slot_count)
		return -ENOMEM;
	/* No memory for a smaller table: the old one serves. */
	memset(set->tagged, 0xff, set->slot_count * sizeof(*set->tagged));
	set->used = 0;
	for (uint32_t id = 0; id < count; id++)
		id_set_add(set, hash(owner, id), id);
	return 0;
}

void id_set_finish(struct id_set *set)
{
	free(set->tagged);
	memset(set, 0, sizeof(*set));
}

/* The pool: chunks of text that never move, an index from id to text, a hash from text to id.
 * The hash maps a 64-bit text hash to the newest id with it; ids with an equal hash are chained. */

#define CHUNK_BYTES	(64 * 1024)
#define TEXT_MAX_BYTES	4096	/* limit of a sanitized string: PATH_MAX; longer ones are cut */

struct chunk {
	struct chunk *next;
	char text[];
};

struct entry {
	const char *text;	/* into a chunk */
	uint64_t hash;
	uint32_t same_hash;	/* id of another text with this hash, or ID_MAP_NONE; of a free
				 * row the next free one */
	bool is_passing;
	bool is_own;		/* text is an allocation of its own, in no chunk */
};

struct strpool {
	struct chunk *chunks;
	size_t chunk_used, chunk_size, bytes;
	struct entry *entries;
	uint32_t count, capacity;
	uint32_t first_free;	/* first free entry; ID_MAP_NONE: none */
	size_t passing_bytes;
	uint64_t refused;
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

/* Returns the memory of a passing text: its allocation, its entry, its slot in the hash. */
static size_t passing_cost(size_t len)
{
	return (len + 1 + sizeof(size_t) + 15) / 16 * 16 + sizeof(struct entry) +
	       2 * sizeof(uint64_t);
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

/* Returns the id of a free entry, growing the array if needed, or ID_MAP_NONE. */
static uint32_t free_row(struct strpool *pool)
{
	const uint32_t larger = pool->capacity ? pool->capacity * 2 : 256;
	struct entry *entries;

	if (pool->first_free != ID_MAP_NONE)
		return pool->first_free;
	if (pool->count < pool->capacity)
		return pool->count;
	entries = realloc(pool->entries, larger * sizeof(*entries));
	if (!entries)
		return ID_MAP_NONE;
	pool->entries = entries;
	pool->capacity = larger;
	return pool->count;
}

static uint32_t add_entry(struct strpool *pool, const char *text, size_t len, uint64_t hash,
			  bool is_passing)
{
	const uint32_t id = free_row(pool);
	const uint32_t same_hash = id_map_get(&pool->by_hash, hash);
	char *copy;

	if (id == ID_MAP_NONE)
		return ID_MAP_NONE;
	copy = is_passing ? malloc(len + 1) : take_bytes(pool, len + 1);
	if (!copy || id_map_put(&pool->by_hash, hash, id)) {
		if (is_passing)
			free(copy);
		return ID_MAP_NONE;
	}
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (id == pool->first_free)
		pool->first_free = pool->entries[id].same_hash;
	else
		pool->count++;
	pool->entries[id] = (struct entry){ .text = copy, .hash = hash, .same_hash = same_hash,
					    .is_passing = is_passing, .is_own = is_passing };
	if (is_passing)
		pool->passing_bytes += passing_cost(len);
	return id;
}

struct strpool *strpool_create(void)
{
	struct strpool *pool = calloc(1, sizeof(*pool));

	if (!pool)
		return NULL;
	pool->first_free = ID_MAP_NONE;
	if (add_entry(pool, "", 0, hash_text("", 0), false) == ID_MAP_NONE) {
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
	for (uint32_t i = 0; i < pool->count; i++)
		if (pool->entries[i].is_own)
			free((char *)pool->entries[i].text);
	id_map_finish(&pool->by_hash);
	free(pool->entries);
	free(pool);
}

static uint32_t find(const struct strpool *pool, const char *text, size_t len, uint64_t hash)
{
	uint32_t id;

	for (id = id_map_get(&pool->by_hash, hash); id != ID_MAP_NONE;
	     id = pool->entries[id].same_hash)
		if (!strncmp(pool->entries[id].text, text, len) && !pool->entries[id].text[len])
			return id;
	return ID_MAP_NONE;
}

/* Sanitizes *@text; the result may lie in @clean[TEXT_MAX_BYTES]. Returns its length. */
static size_t make_clean(const char **text, size_t len, char *clean)
{
	len = strnlen(*text, len);
	if (len < TEXT_MAX_BYTES && sanitize_is_clean(*text, len))
		return len;
	len = sanitize_text(clean, TEXT_MAX_BYTES, *text, len);
	*text = clean;
	return len;
}

static struct str_id intern(struct strpool *pool, const char *text, size_t len, bool is_passing)
{
	char clean[TEXT_MAX_BYTES];
	uint64_t hash;
	uint32_t id;

	len = make_clean(&text, len, clean);
	hash = hash_text(text, len);
	id = find(pool, text, len, hash);
	if (id == ID_MAP_NONE)
		id = add_entry(pool, text, len, hash, is_passing);
	if (id == ID_MAP_NONE) {
		pool->refused++;
		return (struct str_id){ 0 };
	}
	if (!is_passing && pool->entries[id].is_passing) {
		pool->entries[id].is_passing = false;
		pool->passing_bytes -= passing_cost(len);
	}
	return (struct str_id){ id };
}

struct str_id strpool_intern(struct strpool *pool, const char *text, size_t len)
{
	return intern(pool, text, len, false);
}

struct str_id strpool_intern_passing(struct strpool *pool, const char *text, size_t len)
{
	return intern(pool, text, len, true);
}

struct str_id strpool_find(const struct strpool *pool, const char *text, size_t len)
{
	char clean[TEXT_MAX_BYTES];
	uint32_t id;

	len = make_clean(&text, len, clean);
	id = find(pool, text, len, hash_text(text, len));
	return (struct str_id){ id == ID_MAP_NONE ? 0 : id };
}

size_t strpool_count(const struct strpool *pool)
{
	return pool->count;
}

/* Rebuilds the hash from the remaining entries; there is room, as it has held more. */
static void index_again(struct strpool *pool)
{
	id_map_clear(&pool->by_hash);
	for (uint32_t i = 0; i < pool->count; i++) {
		struct entry *entry = &pool->entries[i];

		if (!entry->text)
			continue;
		entry->same_hash = id_map_get(&pool->by_hash, entry->hash);
		id_map_put(&pool->by_hash, entry->hash, i);
	}
}

void strpool_sweep(struct strpool *pool, const unsigned char *used)
{
	bool has_freed = false;

	for (uint32_t i = 0; i < pool->count; i++) {
		struct entry *entry = &pool->entries[i];

		if (!entry->text || !entry->is_passing || used[i])
			continue;
		pool->passing_bytes -= passing_cost(strlen(entry->text));
		free((char *)entry->text);
		*entry = (struct entry){ .same_hash = pool->first_free };
		pool->first_free = i;
		has_freed = true;
	}
	if (has_freed)
		index_again(pool);
}

uint64_t strpool_refused(const struct strpool *pool)
{
	return pool->refused;
}

size_t strpool_passing_bytes(const struct strpool *pool)
{
	return pool->passing_bytes;
}

static const struct entry *entry_of(const struct strpool *pool, struct str_id id)
{
	assert(id.v < pool->count && pool->entries[id.v].text);	/* else it was swept */
	return &pool->entries[id.v];
}

size_t strpool_passing_cost(const struct strpool *pool, struct str_id id)
{
	const struct entry *entry = entry_of(pool, id);

	return entry->is_passing ? passing_cost(strlen(entry->text)) : 0;
}

const char *strpool_get(const struct strpool *pool, struct str_id id)
{
	return entry_of(pool, id)->text;
}

uint64_t strpool_hash(const struct strpool *pool, struct str_id id)
{
	return entry_of(pool, id)->hash;
}

size_t strpool_bytes(const struct strpool *pool)
{
	return pool->bytes + pool->passing_bytes + pool->capacity * sizeof(*pool->entries) +
	       id_map_bytes(&pool->by_hash);
}
