/* hit_group_lines.h - the groups of a probe's hits as text and as JSON.
 * Thread: any. Errors stay in @out (ferror(3)). */
#ifndef EXPORT_HIT_GROUP_LINES_H
#define EXPORT_HIT_GROUP_LINES_H

#include <stdio.h>

#include "ingest/snapshot_probes.h"

/* Writes titles and the groups of a probe's hits, with their histograms. */
void text_put_hit_groups(FILE *out, const struct snapshot_groups *groups);
/* Writes ,"groups":[...], those of a probe's hits, and how many were left out. */
void json_put_hit_groups(FILE *out, const struct snapshot_groups *groups);

#endif
