/* table_cache.h - symbol tables on disk, so that the next start has names at once.
 *
 * Place:   as root always ~root/.cache/flametop; else $XDG_CACHE_HOME/flametop, or
 *          ~/.cache/flametop by getpwuid(3). HOME is not looked at.
 * Content: only tables of trusted files (symbols/file_version.h) of our own root, by build-id, size
 *          and mtime where the kernel told the first beforehand, else by the file's version. Names
 *          of entries are hex.
 * Bounded: TABLE_CACHE_BYTES_MAX; what was used longest ago goes first.
 * Thread:  the owner's; several processes may use one directory.
 */
#ifndef SYMBOLS_TABLE_CACHE_H
#define SYMBOLS_TABLE_CACHE_H

#include "symbols/file_version.h"
#include "symbols/table_store.h"

#define TABLE_CACHE_BYTES_MAX ((uint64_t)256 << 20)

struct table_cache;

struct table_cache_key {
	struct build_id build_id;	/* of the mapping, not a guess; of the version then only
					 * what file_version_is_copy() compares. Count 0: */
	struct file_version version;	/* as a whole */
};

/* The directory, into @out[@cap]. -ENOENT: the user has no home. */
int table_cache_home(char *out, size_t cap, struct diag *why);

/* Opens @directory (made, with its parent, if it is missing; mode 0700). *@out is the caller's. 0;
 * -EPERM: others may write it or its parent, or it belongs to another user; -ENOTSUP: this program
 * carries no build-id, so nothing would tell who made an entry; or -errno. */
int table_cache_open(struct table_cache **out, const char *directory, struct diag *why);
void table_cache_close(struct table_cache *cache);	/* NULL is fine */

/* The entry of @key, checked like a table from a worker: its table, debug file and checksum. 0 with
 * the table the caller's; -ENOENT; -EBADMSG: it was damaged, and is removed. */
int table_cache_read(struct table_cache *cache, const struct table_cache_key *key,
		     struct kept_table *out);
/* Keeps the same of @table; an older entry of @key goes. 0 or -errno, then there is none. */
int table_cache_write(struct table_cache *cache, const struct table_cache_key *key,
		      const struct kept_table *table);

#endif
