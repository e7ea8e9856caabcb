/* table_store.h - the symbol tables in memory, each once: found by the file that was read, by
 * build-id where the file is trusted, and by content.
 *
 * The store counts how often it has given a table away, so that the receiver can return the memory
 * with table_store_drop(). Until then, or table_store_finish(), a table stays at its address.
 * Thread: the owner's (the DSO opener).
 */
#ifndef SYMBOLS_TABLE_STORE_H
#define SYMBOLS_TABLE_STORE_H

#include <stdbool.h>

#include "base/id_map.h"
#include "sandbox/sandbox.h"
#include "symbols/dso_file.h"

#define TABLE_STORE_BYTES_MAX ((size_t)1 << 30)	/* all programs of a machine usually take 20 MiB */
/* Beyond this size of the store, tables of files that are not trusted are refused. */
#define TABLE_STORE_FOREIGN_BYTES_MAX (TABLE_STORE_BYTES_MAX / 2)
#define TABLE_STORE_UNREADABLE_MAX 4096u /* then all failures are forgotten and tried again */

struct kept_table {
	struct sandbox_table table;	/* owned */
	struct diag why;		/* err != 0: unreadable, and `table` is empty */
	struct file_version debug;	/* its debug file; all 0: none */
	uint64_t checksum;		/* checksum of the table's bytes; 0: not computed yet */
	uint32_t given;			/* how often the row's tables were given away */
	/* Set by the store. */
	uint32_t index;			/* row in table_store.tables */
	uint32_t serial;		/* incremented when the row is freed for another table */
	uint32_t names, shares;		/* entries of `files` and `shares` that refer to it */
	uint32_t next_free;
	bool is_free;
};

struct known_file {			/* files that a table was made of: table_store_find() */
	struct file_version file, debug;
	uint32_t table, serial;
};

struct shared_table {			/* a table found by build-id, for all copies of `file` */
	struct file_version file;
	uint32_t table, serial;
};

struct table_store {
	struct kept_table **tables;	/* owned */
	uint32_t table_count, table_capacity;
	uint32_t free_count, first_free;	/* free rows, linked by next_free */
	uint32_t unreadable_count;
	struct known_file *files;	/* owned */
	uint32_t file_count, file_capacity;
	uint32_t stale_files;		/* entries of `files` whose table was dropped */
	struct shared_table *shares;	/* owned */
	uint32_t share_count, share_capacity, stale_shares;
	struct id_map by_file, by_share, by_content;
	size_t bytes;			/* tables and their bookkeeping */
};

void table_store_finish(struct table_store *store);	/* a zeroed store is fine */

/* Returns the table of @file, or NULL. @debug: the table made with that debug file, which only
 * processes that have it may use; NULL: the table for all processes. */
struct kept_table *table_store_find(const struct table_store *store,
				    const struct file_version *file,
				    const struct file_version *debug);
/* Returns the shared table of @file or of its copies with build-id @id (count 0: unknown); NULL:
 * none. */
struct kept_table *table_store_find_shared(const struct table_store *store,
					   const struct build_id *id,
					   const struct file_version *file);

/* Adds @kept and returns its row, or the row of a table with the same bytes. The table in @kept is
 * the store's in every case. NULL: out of memory, or the store would be larger than @bytes_max,
 * which is one of the two limits above. */
struct kept_table *table_store_add(struct table_store *store, struct kept_table *kept,
				   size_t bytes_max);
/* Makes table_store_find() return @table for @file and @debug. Without memory it does nothing, and
 * the file is compiled again next time. */
void table_store_name(struct table_store *store, struct kept_table *table,
		      const struct file_version *file, const struct file_version *debug);
/* Frees @table, unless it was given away more often than the @returned times that its receiver
 * knows of: then one more is on its way. */
void table_store_drop(struct table_store *store, struct kept_table *table, uint32_t returned);
/* Returns the table of row @index; NULL: it was dropped. */
struct kept_table *table_store_get(const struct table_store *store, uint32_t index);
/* Makes table_store_find_shared() return @table for @file and its copies with the same build-id.
 * False: it did so already, or there is no memory. */
bool table_store_share(struct table_store *store, struct kept_table *table,
		       const struct file_version *file);

/* Detects damage and different contents; no protection against forgery. */
uint64_t table_checksum(const void *bytes, size_t count);

#endif
