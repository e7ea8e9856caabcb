/* budget.h - keeps the timeline and all it refers to within a number of bytes.
 *
 * All that strangers can make grow has an end, and the ends together are below 256 MiB (a static
 * assertion in budget.c adds them up; MiB):
 *
 *   history: slices, stacks, tasks, comms	64	--history-memory
 *   symbols: rows, indexes, what names mean	10	ingest/symbol_names.h: go with history,
 *						or before, the oldest of who has many
 *     their texts, and the pool's rows for them	22
 *   objects, and their paths			 8	symbols/object_table.h: likewise
 *   text that nobody has any more		 3	analyzer/reclaim.h: then it goes
 *   processes and threads			16	ingest/task_table.h: the longest idle go
 *   mappings of code				12	likewise
 *   cgroups					 5	ingest/cgroup_table.h
 *   symbol tables				20	ingest/table_budget.h: the least needed go
 *   unwind tables				24	unwind/unwind_set.h: likewise
 *   names of run-time code			16	symbols/jit_files.h
 *   samples that wait for names and maps	16	ingest_samples.c: counted as they are, then
 *   files that wait to be opened		 5	ingest/ingest.h
 *   records: queue, and in order of time	20	session.c, ingest/reorder.c
 *   code, libraries, stacks, other queues	14
 *
 * Not among them are the kernel's rings (-m), and what only the user asks for: probes (their calls
 * 32, their records 16), the finder of places to probe, source lines. One symbol table that is
 * larger than all may be, 256 at most, is kept until others are needed.
 */
#ifndef ANALYZER_BUDGET_H
#define ANALYZER_BUDGET_H

#include "ingest/ingest.h"

/* What counts against the budget: slices, stacks, tasks, what dropping the oldest
 * can free; and the baseline, which took its copy from there. */
size_t budget_bytes(const struct ingest *ingest);

/* Forgets who ended a while ago (in a replay only beyond TASK_TABLE_ROWS), then who is too many,
 * and rolls old slices up; when still over @limit_bytes merges the ticks of all but the newest, and
 * then drops the oldest and compacts.
 * Returns true when stack and task ids were renumbered: whoever keeps entries of its own must start
 * over.
 * Thread: the analyzer's. */
bool budget_enforce(struct ingest *ingest, size_t limit_bytes, uint64_t now_ns);

/* There are so many more rows of processes or threads than budget_enforce() leaves that it is to be
 * called before a second is over: records of forks need no time, least of all a recording's. */
bool budget_is_pressed(const struct ingest *ingest);

/* Forgets all stacks and tasks that no slice refers to. True: renumbered; else no memory for it. */
bool budget_compact(struct ingest *ingest);

#endif
