/* json_probes.h - writes "probes" of json_write()'s object: README, "JSON". Thread: any. */
#ifndef EXPORT_JSON_PROBES_H
#define EXPORT_JSON_PROBES_H

#include <stdio.h>

#include "ingest/snapshot_probes.h"

/* Writes ,"probes":[...]; nothing if there are none. Errors stay in @out (ferror(3)). */
void json_put_probes(FILE *out, const struct snapshot_probes *probes);

#endif
