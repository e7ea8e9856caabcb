/* table_store.c - see symbols/table_store.h.
 *
 * Idea: three questions, one answer. Which file was this (device, inode, ctime, size)? Which
 * build-id and size, where the file is trusted: one table for all copies of a library, but not for
 * the one that was stripped, which keeps its build-id. Which bytes: thirty containers with the same
 * library, whose files prove nothing to each other, still share memory.
 *
 * Invariant: by a build-id only a table is found that was shared, see symbols/table_source.h. Equal
 * hashes are never enough: what they lead to is compared.
 */
#include "symbols/table_store.h"

#include <stdlib.h>
#include <string.h>

static const struct file_version no_file;

static uint64_t file_hash(const struct file_version *file, const struct file_version *debug)
{
	return id_map_mix(file_version_hash(file) ^ (debug ? file_version_hash(debug) + 1 : 0));
}

static uint64_t build_id_hash(const struct build_id *id, uint64_t bytes)
{
	return id_map_mix(table_checksum(id->bytes, id->count) ^ bytes);
}

uint64_t table_checksum(const void *bytes, size_t count)
{
	const unsigned char *at = bytes;
	uint64_t sums[4] = { count, 1, 2, 3 }, words[4];	/* side by side: 4 times as fast */
	uint64_t whole = 0;

	for (; count >= sizeof(words); at += sizeof(words), count -= sizeof(words)) {
		memcpy(words, at, sizeof(words));
		for (int i = 0; i < 4; i++)
			sums[i] = id_map_mix(sums[i] ^ words[i]);
	}
	memset(words, 0, sizeof(words));
	memcpy(words, at, count);
	for (int i = 0; i < 4; i++)
		whole = id_map_mix(whole ^ id_map_mix(sums[i] ^ words[i]));
	return whole;
}

void table_store_finish(struct table_store *store)
{
	for (uint32_t i = 0; i < store->table_count; i++) {
		sandbox_table_finish(&store->tables[i]->table);
		free(store->tables[i]);
	}
	free(store->tables);
	free(store->files);
	id_map_finish(&store->by_file);
	id_map_finish(&store->by_build_id);
	id_map_finish(&store->by_content);
	*store = (struct table_store){ .tables = NULL };
}

struct kept_table *table_store_find(const struct table_store *store,
				    const struct file_version *file,
				    const struct file_version *debug)
{
	uint32_t row = id_map_get(&store->by_file, file_hash(file, debug));
	const struct known_file *known;

	if (row == ID_MAP_NONE)
		return NULL;
	known = &store->files[row];
	return file_version_is_equal(&known->file, file) &&
	       file_version_is_equal(&known->debug, debug ? debug : &no_file)
	       ? store->tables[known->table] : NULL;
}

struct kept_table *table_store_find_build_id(const struct table_store *store,
					     const struct build_id *id, uint64_t bytes)
{
	uint32_t index = id->count ? id_map_get(&store->by_build_id, build_id_hash(id, bytes))
				   : ID_MAP_NONE;
	struct kept_table *found;

	if (index == ID_MAP_NONE)
		return NULL;
	found = store->tables[index];
	return found->shared_bytes == bytes &&
	       build_id_is_equal(&found->table.table.header->build_id, id) ? found : NULL;
}

static struct kept_table *find_content(const struct table_store *store,
				       const struct kept_table *kept)
{
	uint32_t index = id_map_get(&store->by_content, kept->checksum);
	struct kept_table *found;

	if (index == ID_MAP_NONE)
		return NULL;
	found = store->tables[index];
	return flat_table_bytes(&found->table.table) == flat_table_bytes(&kept->table.table) &&
	       file_version_is_equal(&found->debug, &kept->debug) &&
	       memcmp(found->table.table.header, kept->table.table.header,
		      flat_table_bytes(&kept->table.table)) == 0 ? found : NULL;
}

/* @array with room for one more than @count; NULL: no memory, and @array is as it was. */
static void *make_room(void *array, uint32_t count, uint32_t *capacity, size_t item_bytes)
{
	uint32_t wanted = 2 * *capacity + 64;
	void *grown;

	if (count < *capacity)
		return array;
	grown = realloc(array, wanted * item_bytes);
	if (grown)
		*capacity = wanted;
	return grown;
}

static struct kept_table *append(struct table_store *store, const struct kept_table *kept)
{
	struct kept_table **tables = make_room(store->tables, store->table_count,
					       &store->table_capacity, sizeof(*tables));
	struct kept_table *table;

	if (!tables)
		return NULL;
	store->tables = tables;
	table = malloc(sizeof(*table));
	if (!table)
		return NULL;
	*table = *kept;
	table->index = store->table_count;
	store->tables[store->table_count++] = table;
	return table;
}

struct kept_table *table_store_add(struct table_store *store, struct kept_table *kept,
				   size_t bytes_max)
{
	const bool has_table = !kept->why.err;
	const size_t table_bytes = has_table ? flat_table_bytes(&kept->table.table) : 0;
	const size_t bytes = table_bytes + sizeof(*kept) + sizeof(*store->files);
	struct kept_table *table = NULL;

	if (has_table) {
		if (!kept->checksum)
			kept->checksum = table_checksum(kept->table.table.header, table_bytes);
		table = find_content(store, kept);
	}
	if (table) {
		sandbox_table_finish(&kept->table);
		return table;
	}
	if (store->bytes + bytes <= bytes_max)
		table = append(store, kept);
	if (!table) {
		sandbox_table_finish(&kept->table);
		return NULL;
	}
	store->bytes += bytes;
	if (has_table)
		id_map_put(&store->by_content, kept->checksum, table->index);
	return table;
}

void table_store_name(struct table_store *store, struct kept_table *table,
		      const struct file_version *file, const struct file_version *debug)
{
	struct known_file *files = make_room(store->files, store->file_count,
					     &store->file_capacity, sizeof(*files));

	if (!files)
		return;
	store->files = files;
	files[store->file_count] = (struct known_file){
		.file = *file, .debug = debug ? *debug : no_file, .table = table->index,
	};
	if (id_map_put(&store->by_file, file_hash(file, debug), store->file_count) == 0)
		store->file_count++;
}

void table_store_share(struct table_store *store, struct kept_table *table, uint64_t bytes)
{
	const struct build_id *id = &table->table.table.header->build_id;

	if (id->count)
		id_map_put(&store->by_build_id, build_id_hash(id, bytes), table->index);
	table->shared_bytes = bytes;
}
