/* json.h - parts of a snapshot as JSON (RFC 8259). Thread: any. Errors stay in @out (ferror(3)). */
#ifndef EXPORT_JSON_H
#define EXPORT_JSON_H

#include <stdio.h>

#include "fold/tree.h"
#include "ingest/snapshot_probes.h"

/* Writes ,"probes":[...]; nothing if there are none. */
void json_put_probes(FILE *out, const struct snapshot_probes *probes);
/* Writes ,"groups":{...} with at most @max_rows groups; nothing if there are none. Compared groups
 * have their stats in the baseline, null if that lacks their event. */
void json_put_groups(FILE *out, const struct group_tree *tree, size_t max_rows);

#endif
