/* joined_hit.h - a hit's record with all its values, for recordings. Thread: the analyzer's. */
#ifndef INGEST_JOINED_HIT_H
#define INGEST_JOINED_HIT_H

#include "hit_values.h"

/* A record as a recording takes it. */
struct joined_hit {
	unsigned char *bytes;		/* owned; NULL: the hit's own record has all values */
	struct event_record record;	/* refers to `bytes` */
};

/* Makes the record of @hit, whose values were read; @stream: that of its own record. False: its
 * values have no room in a record, or there is no memory. */
bool joined_hit_make(struct joined_hit *out, const struct hit *hit,
		     const struct probe_stream *stream);
void joined_hit_finish(struct joined_hit *joined);

#endif
