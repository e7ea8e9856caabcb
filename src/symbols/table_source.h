/* table_source.h - the symbol table of an open file: from memory, from disk, or from a worker.
 *
 * Thread: the owner's (the object opener); blocks for a worker, at most its deadline.
 */
#ifndef SYMBOLS_TABLE_SOURCE_H
#define SYMBOLS_TABLE_SOURCE_H

#include "symbols/object_file.h"
#include "symbols/table_cache.h"
#include "symbols/table_store.h"

struct table_source {
	struct sandbox *sandbox;	/* borrowed */
	struct table_cache *cache;	/* owned; NULL: nothing is kept on disk */
	struct table_store store;
};

struct table_request {
	const struct object_file *file;
	const struct process_root *root;
	const char *path;		/* as the process has it */
	struct build_id build_id;	/* that the kernel saw in the file; count 0: unknown */
};

void table_source_finish(struct table_source *source);

/* 0 with *@out, which is the source's (and may say why the file is unreadable), and whether it was
 * there before; -ECANCELED, -ENOMEM, ...: this time there is none. */
int table_source_get(struct table_source *source, const struct table_request *request,
		     struct kept_table **out, bool *is_known, struct diag *why);

/* Whether the next process with that file would see the same: not so when the machine was short of
 * something. */
bool table_source_is_lasting(const struct diag *why);

#endif
