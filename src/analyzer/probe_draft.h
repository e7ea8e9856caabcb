/* probe_draft.h - builds the probes' part of a snapshot: its arrays and its text, with offsets in
 * place of pointers.
 *
 * Use:    probe_draft_fill(), then probe_draft_join() into the snapshot's block, in a part of
 *         probe_draft_bytes().
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_PROBE_DRAFT_H
#define ANALYZER_PROBE_DRAFT_H

#include "fold/probe_fold.h"
#include "ingest/ingest.h"

struct probe_draft_span {
	uint64_t begin_ns, end_ns;	/* the window */
	uint64_t known_ns;	/* begin of the timeline's history */
	bool is_chosen;		/* the log covers the window, instead of all up to its end */
	uint64_t now_ns;	/* CLOCK_MONOTONIC, for leases */
	uint32_t detail;	/* id of the probe whose log and heat map to add; PROBE_ALL: the log
				 * of all probes; 0: none */
	uint32_t hit_probe;	/* id of the probe of the hit to add */
	uint64_t hit;		/* number of that hit; 0: none */
	bool wants_values;	/* add the values of all probes */
	bool raw_names;		/* query.raw_names */
	const struct probe_fold *base;	/* fold of the baseline; NULL: not compared */
	const struct baseline *baseline;	/* set if `base` is */
};

struct probe_draft {
	struct snapshot_probes head;	/* only counts are set, no pointers */
	struct snapshot_probe *list;	/* owned, like all below */
	struct snapshot_value *values;
	struct snapshot_hit *lines;	/* the log, then the slowest */
	uint32_t (*heat)[LATENCY_OCTAVES];
	uint32_t value_count;
	char *text;
	size_t text_used, text_capacity;
	bool is_out_of_memory;
};

/* Fills @draft; @fold: the window. 0 or -ENOMEM; probe_draft_finish() is needed in both cases. */
int probe_draft_fill(struct probe_draft *draft, struct ingest *ingest,
		     const struct probe_fold *fold, const struct probe_draft_span *span);
void probe_draft_finish(struct probe_draft *draft);	/* a zeroed one is fine, too */

size_t probe_draft_bytes(const struct probe_draft *draft);	/* a multiple of 8 */
/* Copies the draft to @at, 8-byte aligned room of probe_draft_bytes(), and sets the pointers. */
void probe_draft_join(const struct probe_draft *draft, void *at, struct snapshot_probes *out);

/* For the files of this module. */

/* Adds a sanitized copy of @text; returns its offset, cast to a pointer. */
const char *probe_draft_text(struct probe_draft *draft, const char *text, size_t bytes);
/* Adds the text of a value in column @column of @row; returns its offset, cast to a pointer.
 * *@is_named: it is a number that has a name. */
const char *probe_draft_value(struct probe_draft *draft, struct ingest *ingest,
			      const struct probe_row *row, uint32_t column,
			      const struct probe_value *value, bool *is_named);
/* Each fills its part of @draft, after `list`. 0 or -ENOMEM. */
int probe_draft_values(struct probe_draft *draft, struct ingest *ingest,
		       const struct probe_fold *fold, const struct probe_draft_span *span);
int probe_draft_lines(struct probe_draft *draft, struct ingest *ingest,
		      const struct probe_draft_span *span);
int probe_draft_times(struct probe_draft *draft, const struct ingest *ingest,
		      const struct probe_draft_span *span);

#endif
