/* probe_builder.h - builds the probes' part of a snapshot: its arrays and its text, with offsets in
 * place of pointers.
 *
 * Use:    probe_builder_fill(), then probe_builder_join() into the snapshot's block, in a part of
 *         probe_builder_bytes().
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_PROBE_BUILDER_H
#define ANALYZER_PROBE_BUILDER_H

#include "probe_parts.h"

/* Fills @builder; @fold: the window. 0 or -ENOMEM; probe_builder_finish() is needed in both
 * cases. */
int probe_builder_fill(struct probe_builder *builder, struct ingest *ingest,
		       const struct probe_fold *fold, const struct probe_builder_span *span);
void probe_builder_finish(struct probe_builder *builder);	/* a zeroed one is fine, too */

size_t probe_builder_bytes(const struct probe_builder *builder);	/* a multiple of 8 */
/* Copies what was built to @at, 8-byte aligned room of probe_builder_bytes(), and sets the
 * pointers. */
void probe_builder_join(const struct probe_builder *builder, void *at, struct snapshot_probes *out);

#endif
