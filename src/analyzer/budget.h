/* budget.h - keeps the timeline and all it refers to within a number of bytes, and frees symbols,
 * DSOs and texts that nothing refers to any more.
 *
 * Everything that other users' processes can make grow has a limit, and the limits add up to less
 * than 256 MiB (checked by a static assertion in budget.c; MiB):
 *
 *   history: slices, stacks, tasks, comms	64	--history-memory; of it, a quarter at
 *						most for events still to be printed
 *   symbols: rows, indexes, demangled names	10	ingest/symbol_names.h: evicted with history,
 *						or earlier, the oldest of who has many
 *     their texts, and the pool's rows for them	22
 *   DSOs, and their paths			 8	symbols/dso_table.h: as for symbols
 *   unreferenced text				 3	RECLAIM_TEXT_BYTES: reclaimed beyond that
 *   processes and threads			16	ingest/task_table.h: longest idle evicted
 *   maps of code				12	ingest/task_table.h: longest idle evicted
 *   cgroups					 5	ingest/task_table.h
 *   symtabs					20	ingest/ingest.h: least needed evicted
 *   unwind tables				24	unwind/unwind_set.h: least needed evicted
 *   names of run-time code			16	symbols/dso_table.h
 *   pending samples				16	samples.c: beyond, counted as is
 *   files that wait to be opened		 5	ingest/ingest.h
 *   records: queue, and in order of time	20	session.c, ingest/reorder.c
 *   code, libraries, stacks, other queues	14
 *
 * What the kernel has for flametop counts for its cgroup, not here:
 *
 *   rings						-m: 256 MiB at most by default
 *   BPF maps of off-cpu			 6	bpf/off_cpu.h: OFF_CPU_MAP_BYTES
 *     what is kept of a watched thread		32	for 65,536 alive, 0.5 KiB each: where the
 *						cgroup has no more, one is refused, and counted
 *   BPF maps of texts of system calls		 1	a CPU's scratch, for each such probe
 *
 * Not included is what only the user can request: probes (their calls 32, their records 16), the
 * finder of probe points, source lines, counters (4). A single symtab beyond the limit of all, 256
 * at most, is kept until others are needed.
 */
#ifndef ANALYZER_BUDGET_H
#define ANALYZER_BUDGET_H

#include "ingest/ingest.h"

/* Returns the bytes that count against the budget: slices, stacks and tasks, which dropping the
 * oldest can free; the baseline, a copy of these; and events that are still to be printed. */
size_t budget_bytes(const struct ingest *ingest);

/* Forgets tasks that ended a while ago (in a replay only beyond TASK_TABLE_ROWS) and surplus ones,
 * and rolls old slices up; if still over @limit_bytes, merges the ticks of all but the newest
 * slices, then drops the oldest slices and compacts.
 * Returns true if stack and task ids were renumbered: owners of copied entries must start over.
 * Thread: the analyzer's. */
bool budget_enforce(struct ingest *ingest, size_t limit_bytes, uint64_t now_ns);

/* True if there are so many more processes or threads than budget_enforce() leaves that it must be
 * called before a second is over: forks are fast, above all in a recording. */
bool budget_is_pressed(const struct ingest *ingest);

/* Forgets all stacks and tasks that no slice refers to. True: ids were renumbered; false: no memory
 * for it. */
bool budget_compact(struct ingest *ingest);

/* Bytes of new text since the last reclaim_unused(), most of it perhaps unreferenced, that make one
 * due. */
#define RECLAIM_TEXT_BYTES (3u * 1024 * 1024)

/* True if since the last reclaim_unused() there was no room for names or DSOs and there may be now,
 * or if there is much new text. */
bool reclaim_is_wanted(const struct ingest *ingest);

#endif
