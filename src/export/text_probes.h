/* text_probes.h - writes the probes of a snapshot as plain text. Thread: any. */
#ifndef EXPORT_TEXT_PROBES_H
#define EXPORT_TEXT_PROBES_H

#include <stdio.h>

#include "ingest/snapshot_probes.h"

/* Writes a block and a blank line; nothing if there are no probes. Errors stay in @out. */
void text_put_probes(FILE *out, const struct snapshot_probes *probes);

#endif
