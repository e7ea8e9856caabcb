/* table_source.h - gets the symbol table of an open file: from memory, from disk, or from a worker.
 *
 * Thread: the owner's (the DSO opener); blocks for a worker, at most its deadline.
 */
#ifndef SYMBOLS_TABLE_SOURCE_H
#define SYMBOLS_TABLE_SOURCE_H

#include "symbols/dso_file.h"
#include "table_cache.h"
#include "table_store.h"

struct table_source {
	struct sandbox *sandbox;	/* borrowed */
	struct table_cache *cache;	/* owned; NULL: nothing is kept on disk */
	struct table_store store;
};

struct table_request {
	const struct dso_file *file;
	const struct process_root *root;
	const char *path;		/* path in the process's root */
	struct build_id build_id;	/* the kernel's for the mapped file; count 0: unknown */
};

void table_source_finish(struct table_source *source);

/* Returns 0 with *@out, which stays the source's (and may say why the file is unreadable);
 * *@is_known: it was there before. -ECANCELED, -ENOMEM, ...: there is none this time. */
int table_source_get(struct table_source *source, const struct table_request *request,
		     struct kept_table **out, bool *is_known, struct diag *why);

/* Returns whether the failure @why would occur again for this file: false if the machine was short
 * of memory, descriptors or processes. */
bool table_source_is_lasting(const struct diag *why);

#endif
