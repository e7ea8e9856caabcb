/* copy_wish.h - requests larger, smaller or no copies of user stacks from the source, as judged by
 * ingest/copy_size.h. Thread: the analyzer's. */
#ifndef ANALYZER_COPY_WISH_H
#define ANALYZER_COPY_WISH_H

#include "analyzer/source_change.h"
#include "ingest/copy_size.h"
#include "ingest/ingest.h"

/* Adapts the size; call for each new slice. Neither function does anything if @control has no
 * `wish`. */
void copy_wish_adapt(struct copy_size *size, const struct copy_control *control,
		     const struct timeline *timeline);
/* Ends copies that flood the rings; call often, as that must end before the second does. */
void copy_wish_end(struct copy_size *size, const struct copy_control *control,
		   const struct ingest *ingest);

#endif
