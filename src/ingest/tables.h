/* tables.h - tables of names and unwind rows for DSOs: which are here, asked for, and evicted.
 * Thread: the analyzer's. */
#ifndef INGEST_TABLES_H
#define INGEST_TABLES_H

#include "ingest/ingest.h"
#include "symbols/dso_table.h"
#include "unwind/unwind_set.h"

struct tables {
	struct table_set names;
	struct unwind_set unwind;
	struct id_map program_names;	/* (DSO, comm) already requested */
};

struct tables *tables_create(void);	/* NULL: out of memory */
void tables_destroy(struct tables *tables);	/* NULL is fine */
void tables_poll(struct ingest *ingest);	/* handles the opener's replies */
/* Applies a reply that has an unwind table, or the reason why there is none. */
void tables_take_unwind(struct ingest *ingest, const struct open_reply *reply);
/* Requests whether a process was started by a name of its program's file. @request: where the file
 * of its program is mapped. */
void tables_program_mapped(struct ingest *ingest, struct open_request *request);
/* Returns the unwind table of the file mapped at @mapping in process @pid. NULL: there is none, or
 * it is loading (*@is_loading): the table is requested, also after an eviction. Valid until the
 * next ingest_poll(). */
const struct unwind_table *tables_find_unwind(struct ingest *ingest, uint32_t pid,
					      const struct mapping *mapping, bool *is_loading);
/* Whether @dso has unwind rows, loaded or not: it is a file that can be read. */
bool tables_expect_unwind(const struct dso *dso);

#endif
