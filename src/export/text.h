/* text.h - parts of a snapshot as plain text. Thread: any. Errors stay in @out (ferror(3)). */
#ifndef EXPORT_TEXT_H
#define EXPORT_TEXT_H

#include <stdio.h>

#include "export/print.h"
#include "fold/tree.h"
#include "ingest/snapshot_probes.h"

/* Writes a block and a blank line; nothing if there are no probes. */
void text_put_probes(FILE *out, const struct snapshot_probes *probes);
/* Writes titles, at most @max_rows groups, and how many were left out. Compared groups have their
 * shares in the baseline, "-" if that lacks their event. */
void text_put_groups(FILE *out, const struct group_tree *tree, size_t max_rows);

#endif
