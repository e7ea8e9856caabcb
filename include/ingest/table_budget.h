/* table_budget.h - limits the memory of the loaded symbol tables.
 *
 * Every frame in history is named before its table is evicted, and keeps that name. When a new
 * address comes and a living process has the file mapped, the table is loaded again; until then,
 * or if there is no such process, one row per object has all such addresses: SYMBOL_NAMES_LET_GO.
 * ingest->counters.tables_let_go counts the evictions.
 * Thread: the analyzer's.
 */
#ifndef INGEST_TABLE_BUDGET_H
#define INGEST_TABLE_BUDGET_H

#include "ingest/ingest.h"

#define TABLE_BUDGET_BYTES ((size_t)20 << 20)	/* the usual sum over all programs of a machine */

/* Adds the table in @reply, if it has one, to the sum. */
void table_budget_note(struct ingest *ingest, const struct open_reply *reply);
/* Evicts tables while they take more than @limit_bytes: first those that no living process has
 * mapped, least recently needed first; never the last one. Requests those that are needed again.
 * Call it about once a second; not in a replay, whose files may be gone. */
void table_budget_enforce(struct ingest *ingest, size_t limit_bytes);

#endif
