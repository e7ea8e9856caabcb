/* unwind_store.h - the unwind tables in memory, each once: by the file that was read, and by
 * build-id where the file is trusted.
 *
 * Each table has a number. How often the number was given away is counted, so that whoever got it
 * can give the memory back: unwind_store_drop(). The number stays its file's until thousands of
 * others were given back after it, and is never another table's.
 * Thread: the owner's (the object opener).
 */
#ifndef SYMBOLS_UNWIND_STORE_H
#define SYMBOLS_UNWIND_STORE_H

#include <sys/queue.h>

#include "base/id_map.h"
#include "sandbox/sandbox.h"
#include "sandbox/unwind_table.h"
#include "symbols/file_version.h"

#define UNWIND_STORE_IDLE_MAX 4096u	/* numbers kept without a table: 3 MiB */

struct kept_unwind {
	struct unwind_table table;	/* header NULL: dropped, or never made */
	struct sandbox_bytes bytes;	/* owned; what `table` points into */
	struct diag why;		/* err != 0: unreadable, and so the next will be */
	struct build_id shared_as;	/* count 0: it is one file's alone */
	struct file_version shared_of;	/* for its copies */
	uint32_t given;			/* of its row: never less than before */
	uint64_t number;		/* its row in the low half, from 1; whose it is above */
	uint32_t names;			/* files that lead to it */
	bool is_idle;			/* nobody has a table of this number */
	TAILQ_ENTRY(kept_unwind) idle;
};

struct known_unwind {
	struct file_version file;
	uint64_t number;
};

struct unwind_store {
	struct kept_unwind **tables;	/* owned; [row - 1] */
	uint32_t table_count, table_capacity;
	struct known_unwind *files;	/* owned */
	uint32_t file_count, file_capacity;
	uint32_t stale_files;		/* of numbers that have gone */
	TAILQ_HEAD(idle_unwinds, kept_unwind) idle;	/* the longest idle first; zeroed: none */
	uint32_t idle_count;
	struct id_map by_file, by_build_id;
	size_t bytes;
};

void unwind_store_finish(struct unwind_store *store);	/* of a zeroed one, too */

/* The number of @file's table, if need be by @shared_as (count 0: not): the build-id of a trusted
 * file, whose table is that of all its copies (file_version_is_copy()). 0: not known. */
uint64_t unwind_store_find(struct unwind_store *store, const struct file_version *file,
			   const struct build_id *shared_as);
/* A new number, which these find from now on; @file NULL: nothing does. 0: no memory. */
uint64_t unwind_store_add(struct unwind_store *store, const struct file_version *file,
			  const struct build_id *shared_as);
/* Of a number that was just found or added. Valid until the next unwind_store_add(). */
struct kept_unwind *unwind_store_get(struct unwind_store *store, uint64_t number);
/* @bytes, which are the store's from now on, hold @table. */
void unwind_store_fill(struct unwind_store *store, uint64_t number,
		       const struct unwind_table *table, const struct sandbox_bytes *bytes);
/* There is none, and will be none, because of @why. */
void unwind_store_fail(struct unwind_store *store, uint64_t number, const struct diag *why);
/* Unmaps the table, unless it was given away more often than the @returned times that somebody
 * knows of: then one more is on the way to him. */
void unwind_store_drop(struct unwind_store *store, uint64_t number, uint32_t returned);

#endif
