/* unwind_source.h - gets the unwind table of an open file: from memory, or from a worker.
 *
 * Thread: the owner's (the object opener); blocks for a worker, at most its deadline.
 */
#ifndef SYMBOLS_UNWIND_SOURCE_H
#define SYMBOLS_UNWIND_SOURCE_H

#include "symbols/object_file.h"
#include "table_source.h"
#include "unwind_store.h"

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
