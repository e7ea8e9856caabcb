/* table_cache.h - symbol tables on disk, so that the next start has names at once.
 *
 * Place:   as root always ~root/.cache/flametop; else $XDG_CACHE_HOME/flametop, or
 *          ~/.cache/flametop by getpwuid(3). HOME is not looked at.
 * Content: only tables of trusted files (struct file_version) of our own root, by build-id, size
 *          and mtime if the kernel told the build-id beforehand, else by the file's version. Names
 *          of entries are hex.
 * Bounded: TABLE_CACHE_BYTES_MAX; the least recently used entries are removed first.
 * Thread:  the owner's; several processes may use one directory.
 */
#ifndef SYMBOLS_TABLE_CACHE_H
#define SYMBOLS_TABLE_CACHE_H

#include "symbols/dso_file.h"
#include "table_store.h"

#define TABLE_CACHE_BYTES_MAX ((uint64_t)256 << 20)

struct table_cache;

struct table_cache_key {
	struct build_id build_id;	/* the mapping's, not a guess; count 0: unknown */
	struct file_version version;	/* with a build-id, only the part that
					 * file_version_is_copy() compares counts */
};

/* Writes the path of the cache directory to @out[@cap]. -ENOENT: the user has no home. */
int table_cache_home(char *out, size_t cap, struct diag *why);

/* Opens @directory (made, with its parent, if it is missing; mode 0700). *@out is the caller's. 0;
 * -EPERM: others may write it or its parent, or it belongs to another user; -ENOTSUP: this program
 * has no build-id to mark its entries with; or -errno. */
int table_cache_open(struct table_cache **out, const char *directory, struct diag *why);
void table_cache_close(struct table_cache *cache);	/* NULL is fine */

/* Reads table, debug file and checksum from the entry of @key, checked like a table from a worker.
 * 0: the table is the caller's; -ENOENT; -EBADMSG: the entry was damaged and has been removed. */
int table_cache_read(struct table_cache *cache, const struct table_cache_key *key,
		     struct kept_table *out);
/* Writes table, debug file and checksum of @table as the entry of @key, in place of an older one.
 * 0 or -errno: there is no entry then. */
int table_cache_write(struct table_cache *cache, const struct table_cache_key *key,
		      const struct kept_table *table);

#endif
