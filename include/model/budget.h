/* budget.h - keeps the timeline and all it refers to within a number of bytes. */
#ifndef MODEL_BUDGET_H
#define MODEL_BUDGET_H

#include "model/ingest.h"

/* What counts against the budget: slices, stacks, tasks, what dropping the oldest
 * can free; and the baseline, which took its copy from there. */
size_t budget_bytes(const struct ingest *ingest);

/* Forgets who ended a while ago (not in a replay), and rolls old slices up; when still over
 * @limit_bytes merges the ticks of all but the newest, and then drops the oldest and compacts.
 * Returns true when stack and task ids were renumbered: whoever keeps entries of its own must start
 * over.
 * Thread: the analyzer's. */
bool budget_enforce(struct ingest *ingest, size_t limit_bytes, uint64_t now_ns);

/* Forgets all stacks and tasks that no slice refers to. True: renumbered; else no memory for it. */
bool budget_compact(struct ingest *ingest);

#endif
