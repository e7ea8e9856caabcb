/* table_store.c - see table_store.h.
 *
 * Idea: a table is found in three ways. By its file (device, inode, ctime, size). If the file is
 * trusted, by build-id, size and mtime: one table for all copies of a library, but not for a file
 * with other symbols, which may have the same build-id. By content: thirty containers with the same
 * library, whose files prove nothing to each other, still share memory.
 *
 * The row of a dropped table is reused. Entries that still refer to the row are stale, which shows
 * in their serial number: it differs from the row's.
 *
 * Invariant: only a table that was shared (symbols/table_source.h) is found by build-id. Equal
 * hashes are never enough: the things that they lead to are compared.
 */
#include "table_store.h"

#include <stdlib.h>
#include <string.h>

static const struct file_version no_file;

static uint64_t file_hash(const struct file_version *file, const struct file_version *debug)
{
	return id_map_mix(file_version_hash(file) ^ (debug ? file_version_hash(debug) + 1 : 0));
}

static uint64_t share_hash(const struct build_id *id, const struct file_version *file)
{
	if (!id->count || !file_version_has_copies(file))
		return file_version_hash(file);
	return id_map_mix(table_checksum(id->bytes, id->count) ^ file_version_copy_hash(file));
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
	free(store->shares);
	id_map_finish(&store->by_file);
	id_map_finish(&store->by_share);
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
	return store->tables[known->table]->serial == known->serial &&
	       file_version_is_equal(&known->file, file) &&
	       file_version_is_equal(&known->debug, debug ? debug : &no_file)
	       ? store->tables[known->table] : NULL;
}

struct kept_table *table_store_find_shared(const struct table_store *store,
					   const struct build_id *id,
					   const struct file_version *file)
{
	uint32_t row = id_map_get(&store->by_share, share_hash(id, file));
	const struct shared_table *share;
	struct kept_table *found;

	if (row == ID_MAP_NONE)
		return NULL;
	share = &store->shares[row];
	found = store->tables[share->table];
	if (found->serial != share->serial)
		return NULL;
	if (file_version_is_equal(&share->file, file))
		return found;
	return id->count && file_version_is_copy(&share->file, file) &&
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
	return !found->is_free &&
	       flat_table_bytes(&found->table.table) == flat_table_bytes(&kept->table.table) &&
	       file_version_is_equal(&found->debug, &kept->debug) &&
	       memcmp(found->table.table.header, kept->table.table.header,
		      flat_table_bytes(&kept->table.table)) == 0 ? found : NULL;
}

/* Returns @array with room for one more than @count; NULL: no memory, @array is unchanged. */
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

static struct kept_table *use_again(struct table_store *store, const struct kept_table *kept)
{
	struct kept_table *table = store->tables[store->first_free];
	const struct kept_table before = *table;

	store->first_free = before.next_free;
	store->free_count--;
	*table = *kept;
	table->index = before.index;
	table->serial = before.serial;
	table->given = before.given;
	return table;
}

static struct kept_table *append(struct table_store *store, const struct kept_table *kept)
{
	struct kept_table **tables;
	struct kept_table *table;

	if (store->free_count)
		return use_again(store, kept);
	tables = make_room(store->tables, store->table_count, &store->table_capacity,
			   sizeof(*tables));
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

static size_t kept_bytes(const struct kept_table *kept)
{
	return (kept->why.err ? 0 : flat_table_bytes(&kept->table.table)) + sizeof(*kept) +
	       sizeof(struct known_file);
}

static void forget(struct table_store *store, struct kept_table *table)
{
	store->bytes -= kept_bytes(table);
	store->unreadable_count -= table->why.err != 0;
	store->stale_files += table->names;
	store->stale_shares += table->shares;
	sandbox_table_finish(&table->table);
	*table = (struct kept_table){ .index = table->index, .serial = table->serial + 1,
				      .given = table->given, .is_free = true,
				      .next_free = store->first_free };
	store->first_free = table->index;
	store->free_count++;
}

void table_store_drop(struct table_store *store, struct kept_table *table, uint32_t returned)
{
	if (table->given != returned)
		return;
	if (id_map_get(&store->by_content, table->checksum) == table->index)
		id_map_remove(&store->by_content, table->checksum);
	forget(store, table);
}

struct kept_table *table_store_get(const struct table_store *store, uint32_t index)
{
	return index < store->table_count && !store->tables[index]->is_free ? store->tables[index]
									     : NULL;
}

static void forget_unreadable(struct table_store *store)
{
	for (uint32_t i = 0; i < store->table_count; i++)
		if (store->tables[i]->why.err)
			forget(store, store->tables[i]);
}

struct kept_table *table_store_add(struct table_store *store, struct kept_table *kept,
				   size_t bytes_max)
{
	const bool has_table = !kept->why.err;
	const size_t table_bytes = has_table ? flat_table_bytes(&kept->table.table) : 0;
	const size_t bytes = kept_bytes(kept);
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
	if (!has_table && store->unreadable_count >= TABLE_STORE_UNREADABLE_MAX)
		forget_unreadable(store);
	if (store->bytes + bytes <= bytes_max)
		table = append(store, kept);
	if (!table) {
		sandbox_table_finish(&kept->table);
		return NULL;
	}
	store->bytes += bytes;
	store->unreadable_count += !has_table;
	if (has_table)
		id_map_put(&store->by_content, kept->checksum, table->index);
	return table;
}

static uint64_t known_hash(const struct known_file *known)
{
	const bool has_debug = !file_version_is_equal(&known->debug, &no_file);

	return file_hash(&known->file, has_debug ? &known->debug : NULL);
}

/* Can't run out of memory: the map had more entries before. */
static void drop_stale_files(struct table_store *store)
{
	uint32_t kept = 0;

	id_map_clear(&store->by_file);
	for (uint32_t i = 0; i < store->file_count; i++) {
		const struct known_file known = store->files[i];

		if (store->tables[known.table]->serial != known.serial)
			continue;
		store->files[kept] = known;
		id_map_put(&store->by_file, known_hash(&known), kept++);
	}
	store->file_count = kept;
	store->stale_files = 0;
}

void table_store_name(struct table_store *store, struct kept_table *table,
		      const struct file_version *file, const struct file_version *debug)
{
	struct known_file *files;

	if (store->file_count == store->file_capacity &&
	    store->stale_files > store->file_capacity / 4)
		drop_stale_files(store);
	files = make_room(store->files, store->file_count, &store->file_capacity, sizeof(*files));
	if (!files)
		return;
	store->files = files;
	files[store->file_count] = (struct known_file){
		.file = *file, .debug = debug ? *debug : no_file, .table = table->index,
		.serial = table->serial,
	};
	if (id_map_put(&store->by_file, file_hash(file, debug), store->file_count))
		return;
	store->file_count++;
	table->names++;
}

/* Can't run out of memory, like drop_stale_files(). */
static void drop_stale_shares(struct table_store *store)
{
	uint32_t kept = 0;

	id_map_clear(&store->by_share);
	for (uint32_t i = 0; i < store->share_count; i++) {
		const struct shared_table share = store->shares[i];
		const struct kept_table *table = store->tables[share.table];

		if (table->serial != share.serial)
			continue;
		store->shares[kept] = share;
		id_map_put(&store->by_share,
			   share_hash(&table->table.table.header->build_id, &share.file), kept++);
	}
	store->share_count = kept;
	store->stale_shares = 0;
}

bool table_store_share(struct table_store *store, struct kept_table *table,
		       const struct file_version *file)
{
	const struct build_id *id = &table->table.table.header->build_id;
	struct shared_table *shares;

	if (table_store_find_shared(store, id, file) == table)
		return false;
	if (store->share_count == store->share_capacity &&
	    store->stale_shares > store->share_capacity / 4)
		drop_stale_shares(store);
	shares = make_room(store->shares, store->share_count, &store->share_capacity,
			   sizeof(*shares));
	if (!shares)
		return false;
	store->shares = shares;
	shares[store->share_count] = (struct shared_table){
		.file = *file, .table = table->index, .serial = table->serial,
	};
	if (id_map_put(&store->by_share, share_hash(id, file), store->share_count))
		return false;
	store->share_count++;
	table->shares++;
	return true;
}
