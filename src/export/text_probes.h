/* text_probes.h - the probes of a snapshot as plain text lines. Thread: any. */
#ifndef EXPORT_TEXT_PROBES_H
#define EXPORT_TEXT_PROBES_H

#include <stdio.h>

#include "ingest/snapshot_probes.h"

/* A block, with a blank line behind it; nothing if there are none. Errors stay in @out. */
void text_put_probes(FILE *out, const struct snapshot_probes *probes);

#endif
