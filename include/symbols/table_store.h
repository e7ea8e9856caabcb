/* table_store.h - the symbol tables in memory, each once: by the file that was read, by build-id
 * where the file is trusted, and by content.
 *
 * Thread: the owner's (the object opener). Tables stay where they are until the end.
 */
#ifndef SYMBOLS_TABLE_STORE_H
#define SYMBOLS_TABLE_STORE_H

#include "base/id_map.h"
#include "symbols/file_version.h"
#include "symbols/sandbox.h"

#define TABLE_STORE_BYTES_MAX ((size_t)1 << 30)	/* of all programs of a machine: 20 MiB is usual */
/* Of files that are not trusted. */
#define TABLE_STORE_FOREIGN_BYTES_MAX (TABLE_STORE_BYTES_MAX / 2)

struct kept_table {
	struct sandbox_table table;	/* owned */
	struct diag why;		/* err != 0: unreadable, and `table` is empty */
	struct file_version debug;	/* its debug file; all 0: none */
	uint64_t checksum;		/* of the table's bytes; 0: not known yet */
	uint64_t shared_bytes;		/* shared by its build-id, between files of that size; 0:
					 * not shared */
	uint32_t index;			/* the store's */
};

struct known_file {			/* what was read, and for whom: see table_store_find() */
	struct file_version file, debug;
	uint32_t table;
};

struct table_store {
	struct kept_table **tables;	/* owned */
	uint32_t table_count, table_capacity;
	struct known_file *files;	/* owned */
	uint32_t file_count, file_capacity;
	struct id_map by_file, by_build_id, by_content;
	size_t bytes;			/* of the tables, and what is known of each */
};

void table_store_finish(struct table_store *store);	/* of a zeroed one, too */

/* The table of @file; @debug: with that debug file, which is the affair of some process alone;
 * NULL: for everybody. NULL: not known. */
struct kept_table *table_store_find(const struct table_store *store,
				    const struct file_version *file,
				    const struct file_version *debug);
/* The shared one of files of @bytes with that build-id, or NULL. */
struct kept_table *table_store_find_build_id(const struct table_store *store,
					     const struct build_id *id, uint64_t bytes);

/* Keeps what @kept says; a table with the same bytes takes its place, and its table is finished.
 * Its table is the store's in every case. NULL: out of memory, or the store would be larger than
 * @bytes_max, which is one of the two above. */
struct kept_table *table_store_add(struct table_store *store, struct kept_table *kept,
				   size_t bytes_max);
/* From now on @table is what table_store_find() finds. No memory: it is not, which costs time. */
void table_store_name(struct table_store *store, struct kept_table *table,
		      const struct file_version *file, const struct file_version *debug);
/* From now on @table is what its build-id finds for files of @bytes. */
void table_store_share(struct table_store *store, struct kept_table *table, uint64_t bytes);

/* Tells damage, and other contents; no proof against forgery. */
uint64_t table_checksum(const void *bytes, size_t count);

#endif
