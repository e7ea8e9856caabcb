/* first_pictures.h - schedules the first snapshots of a source, before regular refreshes begin.
 *
 *   begin    first samples and their names      more names            the last
 *     |------------------|---------------------------|---------------------|---> refreshes
 *            the first snapshot: then, or     100 ms after the      650 ms after
 *            150 ms after the begin           previous one          the begin
 *
 * Why:    users want to see at once what is hot, but a table whose names come one after the other
 *         flickers.
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_FIRST_PICTURES_H
#define ANALYZER_FIRST_PICTURES_H

#include <stdbool.h>
#include <stdint.h>

struct ingest;

/* All zero: there are only regular refreshes. */
struct first_pictures {
	uint64_t begin_ns;	/* 0: all first snapshots were made */
	uint64_t last_ns;	/* time of the newest snapshot; 0: none yet */
	bool has_samples;	/* the newest snapshot has samples */
};

void first_pictures_begin(struct first_pictures *pictures, uint64_t now_ns);

/* Returns when the next one is due, given what @ingest has and waits for; UINT64_MAX: never. */
uint64_t first_pictures_due_ns(const struct first_pictures *pictures,
			       const struct ingest *ingest);

/* Records that a snapshot of @ingest was made, for whatever reason. */
void first_pictures_made(struct first_pictures *pictures, const struct ingest *ingest,
			 uint64_t now_ns);

#endif
