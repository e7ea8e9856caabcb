/* copy_wish.h - asks the source for larger, smaller or no copies of user stacks, as copy_size.h
 * judges what was counted. Thread: the analyzer's. */
#ifndef ANALYZER_COPY_WISH_H
#define ANALYZER_COPY_WISH_H

#include "analyzer/source_change.h"
#include "ingest/copy_size.h"
#include "ingest/ingest.h"

/* With each new slice. Nobody is asked where @control has no wish, as in the next. */
void copy_wish_adapt(struct copy_size *size, const struct copy_control *control,
		     const struct timeline *timeline);
/* Often: what floods the rings must end before the second does. */
void copy_wish_end(struct copy_size *size, const struct copy_control *control,
		   const struct ingest *ingest);

#endif
