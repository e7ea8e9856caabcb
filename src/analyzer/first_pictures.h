/* first_pictures.h - when the first pictures of a source are made, before the refreshes rule.
 *
 *   begin    first samples and their names      more names            the last
 *     |------------------|---------------------------|---------------------|---> refreshes
 *            the first picture: then, or      100 ms after the      650 ms after
 *            150 ms after the begin           picture before        the begin
 *
 * Why:    who starts the tool wants to see what is hot at once, but a table whose names come one
 *         after the other flickers.
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_FIRST_PICTURES_H
#define ANALYZER_FIRST_PICTURES_H

#include <stdbool.h>
#include <stdint.h>

struct ingest;

/* All zero: no such pictures are made. */
struct first_pictures {
	uint64_t begin_ns;	/* 0: they are over */
	uint64_t last_ns;	/* the newest picture; 0: none yet */
	bool has_samples;	/* that picture shows some */
};

void first_pictures_begin(struct first_pictures *pictures, uint64_t now_ns);

/* When the next is due, UINT64_MAX: never. Looks at what @ingest has and waits for. */
uint64_t first_pictures_due_ns(const struct first_pictures *pictures,
			       const struct ingest *ingest);

/* A picture of what @ingest has was made, by whomever. */
void first_pictures_made(struct first_pictures *pictures, const struct ingest *ingest,
			 uint64_t now_ns);

#endif
