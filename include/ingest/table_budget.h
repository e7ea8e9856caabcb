/* table_budget.h - keeps the symbol tables in memory within a number of bytes.
 *
 * Every frame in history is named before its table goes, and keeps that name. When an address comes
 * that was not seen before, and a process lives that has the file mapped, the table is loaded
 * again; until then, or where none does, one row of the object has such addresses:
 * SYMBOL_NAMES_LET_GO. How often a table went is counted in ingest->counters.tables_let_go.
 * Thread: the analyzer's.
 */
#ifndef INGEST_TABLE_BUDGET_H
#define INGEST_TABLE_BUDGET_H

#include "ingest/ingest.h"

#define TABLE_BUDGET_BYTES ((size_t)20 << 20)	/* of all programs of a machine: that is usual */

/* A reply brought names: counts them. */
void table_budget_note(struct ingest *ingest, const struct open_reply *reply);
/* While there are more than @limit_bytes, lets tables go: first those that no living process has
 * mapped, the one that was not needed for longest first; but not the only one. Asks again for those
 * that are needed again. Call it about once a second; not in a replay, whose files may be gone. */
void table_budget_enforce(struct ingest *ingest, size_t limit_bytes);

#endif
