/* reclaim.h - gives back symbols, objects and texts that nothing refers to any more. */
#ifndef ANALYZER_RECLAIM_H
#define ANALYZER_RECLAIM_H

#include "ingest/ingest.h"

/* Of text that came since the last call, most of which may be nobody's by now. */
#define RECLAIM_TEXT_BYTES (3u * 1024 * 1024)

/* Since the last reclaim_unused() names or objects had no room, which there may be now, or much
 * text came. */
bool reclaim_is_wanted(const struct ingest *ingest);

/* After stacks and tasks were compacted: where names had no room, those that only old slices use
 * make some (symbol_names_age()). Then forgets symbols that no frame has; live, objects that no
 * frame, symbol, mapping or parked sample has either, and that wait for no answer; and all passing
 * text of which none is left. Ids of symbols change, those of objects rest before they are used
 * again (symbols/object_table.h). Processes are charged only with the objects that are left. What
 * has no memory for its marks stays until the next time.
 * Thread: the analyzer's. */
void reclaim_unused(struct ingest *ingest, const uint32_t *stack_ages, uint32_t recent);

#endif
