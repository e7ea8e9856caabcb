/* table_store.h - the symbol tables in memory, each once: by the file that was read, by build-id
 * where the file is trusted, and by content.
 *
 * How often a table was given away is counted, so that whoever got it can give the memory back:
 * table_store_drop(). Until then, or the end, it stays where it is.
 * Thread: the owner's (the object opener).
 */
#ifndef SYMBOLS_TABLE_STORE_H
#define SYMBOLS_TABLE_STORE_H

#include <stdbool.h>

#include "base/id_map.h"
#include "sandbox/sandbox.h"
#include "symbols/file_version.h"

#define TABLE_STORE_BYTES_MAX ((size_t)1 << 30)	/* of all programs of a machine: 20 MiB is usual */
/* Of files that are not trusted. */
#define TABLE_STORE_FOREIGN_BYTES_MAX (TABLE_STORE_BYTES_MAX / 2)
#define TABLE_STORE_UNREADABLE_MAX 4096u /* then all of them may be tried again */

struct kept_table {
	struct sandbox_table table;	/* owned */
	struct diag why;		/* err != 0: unreadable, and `table` is empty */
	struct file_version debug;	/* its debug file; all 0: none */
	uint64_t checksum;		/* of the table's bytes; 0: not known yet */
	uint32_t given;			/* how often; of its row: never less than before */
	uint32_t index;			/* the store's, as the rest */
	uint32_t serial;		/* of the row: whose it is */
	uint32_t names, shares;		/* rows of files, and of shared ones, that name it */
	uint32_t next_free;
	bool is_free;
};

struct known_file {			/* what was read, and for whom: see table_store_find() */
	struct file_version file, debug;
	uint32_t table, serial;
};

struct shared_table {			/* by its build-id, and for copies of that file */
	struct file_version file;
	uint32_t table, serial;
};

struct table_store {
	struct kept_table **tables;	/* owned */
	uint32_t table_count, table_capacity;
	uint32_t free_count, first_free;	/* rows, where there are any */
	uint32_t unreadable_count;
	struct known_file *files;	/* owned */
	uint32_t file_count, file_capacity;
	uint32_t stale_files;		/* of tables that have gone */
	struct shared_table *shares;	/* owned */
	uint32_t share_count, share_capacity, stale_shares;
	struct id_map by_file, by_share, by_content;
	size_t bytes;			/* of the tables, and what is known of each */
};

void table_store_finish(struct table_store *store);	/* of a zeroed one, too */

/* The table of @file; @debug: with that debug file, which is the affair of some process alone;
 * NULL: for everybody. NULL: not known. */
struct kept_table *table_store_find(const struct table_store *store,
				    const struct file_version *file,
				    const struct file_version *debug);
/* The shared one of @file, or of its copies with the build-id @id (count 0: unknown); or NULL. */
struct kept_table *table_store_find_shared(const struct table_store *store,
					   const struct build_id *id,
					   const struct file_version *file);

/* Keeps what @kept says; a table with the same bytes takes its place, and its table is finished.
 * Its table is the store's in every case. NULL: out of memory, or the store would be larger than
 * @bytes_max, which is one of the two above. */
struct kept_table *table_store_add(struct table_store *store, struct kept_table *kept,
				   size_t bytes_max);
/* From now on @table is what table_store_find() finds. No memory: it is not, which costs time. */
void table_store_name(struct table_store *store, struct kept_table *table,
		      const struct file_version *file, const struct file_version *debug);
/* Forgets @table, unless it was given away more often than the @returned times that somebody knows
 * of: then one more is on the way to him. */
void table_store_drop(struct table_store *store, struct kept_table *table, uint32_t returned);
/* The table of row @index; NULL: it has gone. */
struct kept_table *table_store_get(const struct table_store *store, uint32_t index);
/* From now on @table is what @file and its copies with the build-id find. False: it was already, or
 * there is no memory. */
bool table_store_share(struct table_store *store, struct kept_table *table,
		       const struct file_version *file);

/* Tells damage, and other contents; no proof against forgery. */
uint64_t table_checksum(const void *bytes, size_t count);

#endif
