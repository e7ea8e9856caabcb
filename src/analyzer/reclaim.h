/* reclaim.h - frees symbols, DSOs and texts that nothing refers to any more. */
#ifndef ANALYZER_RECLAIM_H
#define ANALYZER_RECLAIM_H

#include "ingest/ingest.h"

/* Bytes of new text since the last call, most of it perhaps unreferenced, that make one due. */
#define RECLAIM_TEXT_BYTES (3u * 1024 * 1024)

/* True if since the last reclaim_unused() there was no room for names or DSOs and there may be now,
 * or if there is much new text. */
bool reclaim_is_wanted(const struct ingest *ingest);

/* Call after stacks and tasks were compacted. If names had no room, ages those that only old slices
 * use (symbol_names_age()). Then forgets symbols without a frame; live, DSOs without a frame,
 * symbol, map or pending sample that wait for no reply; and unreferenced passing text. Symbol ids
 * change; ids of DSOs are not reused for a while (symbols/object_table.h). Processes are charged
 * only for the remaining DSOs. Without memory for its marks, a kind is kept until the next time.
 * Thread: the analyzer's. */
void reclaim_unused(struct ingest *ingest, const uint32_t *stack_ages, uint32_t recent);

#endif
