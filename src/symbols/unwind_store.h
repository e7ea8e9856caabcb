/* unwind_store.h - the unwind tables in memory, each once: found by the file that was read, and by
 * build-id where the file is trusted.
 *
 * Each table has a number. The store counts how often it has given the table away, so that the
 * receiver can return the memory with unwind_store_drop(). A file keeps its number until thousands
 * of other tables were returned after its own; a number is never reused.
 * Thread: the owner's (the DSO opener).
 */
#ifndef SYMBOLS_UNWIND_STORE_H
#define SYMBOLS_UNWIND_STORE_H

#include <sys/queue.h>

#include "base/id_map.h"
#include "sandbox/sandbox.h"
#include "sandbox/unwind_table.h"
#include "symbols/dso_file.h"
#include "table_source.h"

#define UNWIND_STORE_IDLE_MAX 4096u	/* numbers kept without a table: 3 MiB */

struct kept_unwind {
	struct unwind_table table;	/* header NULL: dropped, or never made */
	struct sandbox_bytes bytes;	/* owned; what `table` points into */
	struct diag why;		/* err != 0: the file has no readable table, ever */
	struct build_id shared_as;	/* build-id that finds it; count 0: it is not shared */
	struct file_version shared_of;	/* file whose copies with that build-id share it */
	uint32_t given;			/* how often the row's tables were given away */
	uint64_t number;		/* low half: row, from 1; high half: use of the row */
	uint32_t names;			/* entries of unwind_store.files that refer to it */
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
	uint32_t stale_files;		/* entries of `files` whose number was given up */
	TAILQ_HEAD(idle_unwinds, kept_unwind) idle;	/* the longest idle first; zeroed: none */
	uint32_t idle_count;
	struct id_map by_file, by_build_id;
	size_t bytes;
};

void unwind_store_finish(struct unwind_store *store);	/* a zeroed store is fine */

/* Returns the number of @file's table, or of the table that its copies (file_version_is_copy())
 * share: @shared_as is the build-id if @file is trusted, else count 0. 0: not known. */
uint64_t unwind_store_find(struct unwind_store *store, const struct file_version *file,
			   const struct build_id *shared_as);
/* Returns a new number, found by @file and @shared_as from now on; @file NULL: by nothing. 0: no
 * memory. */
uint64_t unwind_store_add(struct unwind_store *store, const struct file_version *file,
			  const struct build_id *shared_as);
/* Returns the row of a number just found or added. Valid until the next unwind_store_add(). */
struct kept_unwind *unwind_store_get(struct unwind_store *store, uint64_t number);
/* Sets the table of @number. Takes over @bytes, which @table points into. */
void unwind_store_fill(struct unwind_store *store, uint64_t number,
		       const struct unwind_table *table, const struct sandbox_bytes *bytes);
/* Records that @number has no table and will have none, because of @why. */
void unwind_store_fail(struct unwind_store *store, uint64_t number, const struct diag *why);
/* Frees the table, unless it was given away more often than the @returned times that its receiver
 * knows of: then one more is on its way. */
void unwind_store_drop(struct unwind_store *store, uint64_t number, uint32_t returned);

/* Gets the unwind table of an open file: from memory, or from a worker. */
struct unwind_source {
	struct sandbox *sandbox;	/* borrowed */
	struct unwind_store store;
};

void unwind_source_finish(struct unwind_source *source);

/* Sets in @reply the unwind table, or why there is none, or is_unchanged if it is the one with the
 * number @known (0: none), which is not made again. @names: header of the same file's symbol table,
 * with its build-id and debug link. */
void unwind_source_get(struct unwind_source *source, const struct table_request *request,
		       const struct flat_header *names, uint64_t known, struct open_reply *reply);

#endif
