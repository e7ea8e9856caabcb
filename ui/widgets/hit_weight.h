/* hit_weight.h - what a hit of a probe weighs on the screen: 1, its latency, or a value that the
 * probe sums. Weights of waits, which are ns as well, are formatted alike.
 * Thread: any, no state. */
#ifndef UI_HIT_WEIGHT_H
#define UI_HIT_WEIGHT_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzer/snapshot.h"
#include "format.h"

#define HIT_WEIGHT_BYTES 80	/* longer names are cut */

/* Returns @weight (enum hit_weight) if the hits of @probe have it, else HIT_WEIGHT_COUNT. */
unsigned int hit_weight_of(const struct snapshot_probe *probe, unsigned int weight);
/* Returns the weight called @name, "hits", "lat", "sum(bytes)", if hits of @probe have it; else,
 * and for NULL, HIT_WEIGHT_COUNT. */
unsigned int hit_weight_find(const struct snapshot_probe *probe, const char *name);
/* Returns the weight after @weight that hits of @probe have; after the last HIT_WEIGHT_COUNT. */
unsigned int hit_weight_next(const struct snapshot_probe *probe, unsigned int weight);
/* Formats what @weight, which hits of @probe have, is: "hits", "sum of latency", "sum(bytes)".
 * Returns @out[HIT_WEIGHT_BYTES]. */
char *hit_weight_name(char *out, const struct snapshot_probe *probe, unsigned int weight);

/* Formats a sum of ns or of values in at most 7 cells: "1.68 s", "-12.4k". Returns
 * @out[FORMAT_BYTES]. */
char *hit_weight_format(char *out, bool is_ns, double sum);

/* True if weights of @snapshot (may be NULL) are no numbers of samples, so that a column of them
 * says more than the samples. */
bool hit_weight_is_shown(const struct snapshot *snapshot);
/* Formats such a weight, in at most 7 cells. Returns @out[FORMAT_BYTES]. */
char *hit_weight_of_row(char *out, const struct snapshot *snapshot, double weight);
/* Returns the title of their column: "TIME", "SUM". */
const char *hit_weight_title(const struct snapshot *snapshot);
/* Formats what the hits of @snapshot weigh: "sum of latency"; "": they count as 1, or are no hits.
 * Returns @out[HIT_WEIGHT_BYTES]. */
char *hit_weight_of_snapshot(char *out, const struct snapshot *snapshot);

#endif
