/* unwind_store.c - see symbols/unwind_store.h. Which files share a table is decided as for symbol
 * tables, see symbols/table_source.c: a stranger's file must not unwind the code of another. Equal
 * symbol tables are no reason either: their files may differ in the entries. */
#include "symbols/unwind_store.h"

#include <stdlib.h>

static uint64_t build_id_hash(const struct build_id *id)
{
	uint64_t hash = id->count;

	for (unsigned int i = 0; i < id->count; i++)
		hash = id_map_mix(hash ^ id->bytes[i]);
	return hash;
}

void unwind_store_finish(struct unwind_store *store)
{
	for (uint32_t i = 0; i < store->table_count; i++)
		sandbox_bytes_finish(&store->tables[i].bytes);
	free(store->tables);
	free(store->files);
	id_map_finish(&store->by_file);
	id_map_finish(&store->by_build_id);
	*store = (struct unwind_store){ .tables = NULL };
}

static uint32_t find_file(const struct unwind_store *store, const struct file_version *file)
{
	uint32_t row = id_map_get(&store->by_file, file_version_hash(file));

	return row != ID_MAP_NONE && file_version_is_equal(&store->files[row].file, file)
	       ? store->files[row].number : 0;
}

static uint32_t find_build_id(const struct unwind_store *store, const struct build_id *id)
{
	uint32_t number = id->count ? id_map_get(&store->by_build_id, build_id_hash(id))
				    : ID_MAP_NONE;

	return number != ID_MAP_NONE && build_id_is_equal(&store->tables[number - 1].shared_as, id)
	       ? number : 0;
}

/* No memory: the file is compiled again next time. */
static void name_file(struct unwind_store *store, const struct file_version *file, uint32_t number)
{
	if (store->file_count == store->file_capacity) {
		uint32_t capacity = 2 * store->file_capacity + 64;
		struct known_unwind *grown = realloc(store->files, capacity * sizeof(*grown));

		if (!grown)
			return;
		store->files = grown;
		store->file_capacity = capacity;
	}
	if (id_map_put(&store->by_file, file_version_hash(file), store->file_count) == 0)
		store->files[store->file_count++] = (struct known_unwind){ *file, number };
}

uint32_t unwind_store_find(struct unwind_store *store, const struct file_version *file,
			   const struct build_id *shared_as)
{
	uint32_t number = find_file(store, file);

	if (number)
		return number;
	number = find_build_id(store, shared_as);
	if (number)
		name_file(store, file, number);
	return number;
}

uint32_t unwind_store_add(struct unwind_store *store, const struct file_version *file,
			  const struct build_id *shared_as)
{
	const uint32_t number = store->table_count + 1;
	struct kept_unwind *kept;

	if (store->table_count == store->table_capacity) {
		uint32_t capacity = 2 * store->table_capacity + 64;
		struct kept_unwind *grown = realloc(store->tables, capacity * sizeof(*grown));

		if (!grown)
			return 0;
		store->tables = grown;
		store->table_capacity = capacity;
	}
	kept = &store->tables[store->table_count++];
	*kept = (struct kept_unwind){ .given = 0 };
	if (!file)
		return number;
	name_file(store, file, number);
	if (shared_as->count && !id_map_put(&store->by_build_id, build_id_hash(shared_as), number))
		kept->shared_as = *shared_as;
	return number;
}

struct kept_unwind *unwind_store_get(struct unwind_store *store, uint32_t number)
{
	return &store->tables[number - 1];
}

void unwind_store_fill(struct unwind_store *store, uint32_t number,
		       const struct unwind_table *table, const struct sandbox_bytes *bytes)
{
	struct kept_unwind *kept = unwind_store_get(store, number);

	kept->table = *table;
	kept->bytes = *bytes;
	store->bytes += bytes->count;
}

void unwind_store_drop(struct unwind_store *store, uint32_t number, uint32_t returned)
{
	struct kept_unwind *kept = unwind_store_get(store, number);

	if (kept->given != returned || !kept->table.header)
		return;
	store->bytes -= kept->bytes.count;
	sandbox_bytes_finish(&kept->bytes);
	kept->table = (struct unwind_table){ .header = NULL };
}
