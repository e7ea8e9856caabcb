/* probe_draft.h - the probes' part of a snapshot, while it is made: its arrays and its text, with
 * offsets where pointers will be.
 *
 * Use:    probe_draft_fill(), then probe_draft_join() into the snapshot's block, which has
 *         probe_draft_bytes() for it.
 * Thread: the analyzer's.
 */
#ifndef ANALYZER_PROBE_DRAFT_H
#define ANALYZER_PROBE_DRAFT_H

#include "fold/probe_fold.h"
#include "ingest/ingest.h"

struct probe_draft_span {
	uint64_t begin_ns, end_ns;	/* of the window */
	uint64_t known_ns;	/* since when the timeline knows what was counted */
	bool is_chosen;		/* the log is the window's, too, instead of all up to its end */
	uint64_t now_ns;	/* CLOCK_MONOTONIC, for leases */
	uint32_t detail;	/* id of the probe whose log and heat are wanted; PROBE_ALL: the log
				 * of all probes; 0: none */
	uint32_t hit_probe;	/* id of the probe whose hit with the number @hit is wanted; */
	uint64_t hit;		/* 0: none is */
	bool wants_values;	/* of all probes */
	bool raw_names;		/* as the query's */
	const struct probe_fold *base;	/* of the baseline; NULL: not compared */
	const struct baseline *baseline;	/* if there is @base */
};

struct probe_draft {
	struct snapshot_probes head;	/* its counts; pointers unset */
	struct snapshot_probe *list;	/* owned, as the next */
	struct snapshot_value *values;
	struct snapshot_hit *lines;	/* the log, then the slowest */
	uint32_t (*heat)[LATENCY_OCTAVES];
	uint32_t value_count;
	char *text;
	size_t text_used, text_capacity;
	bool is_out_of_memory;
};

/* 0 or -ENOMEM; to be finished in both cases. @fold: of the window. */
int probe_draft_fill(struct probe_draft *draft, struct ingest *ingest,
		     const struct probe_fold *fold, const struct probe_draft_span *span);
void probe_draft_finish(struct probe_draft *draft);	/* of a zeroed one, too */

size_t probe_draft_bytes(const struct probe_draft *draft);	/* a multiple of 8 */
/* @at: room for it, 8-byte aligned. */
void probe_draft_join(const struct probe_draft *draft, void *at, struct snapshot_probes *out);

/* Parts, for the files of this module. */

/* Where a sanitized copy of @text lies, as an offset in the guise of a pointer. */
const char *probe_draft_text(struct probe_draft *draft, const char *text, size_t bytes);
/* The same of a value of @row's column @column; *@is_named: it is a number, and has a name. */
const char *probe_draft_value(struct probe_draft *draft, struct ingest *ingest,
			      const struct probe_row *row, uint32_t column,
			      const struct probe_value *value, bool *is_named);
/* Each fills its part of @draft, whose `list` is there. 0 or -ENOMEM. */
int probe_draft_values(struct probe_draft *draft, struct ingest *ingest,
		       const struct probe_fold *fold, const struct probe_draft_span *span);
int probe_draft_lines(struct probe_draft *draft, struct ingest *ingest,
		      const struct probe_draft_span *span);
int probe_draft_times(struct probe_draft *draft, const struct ingest *ingest,
		      const struct probe_draft_span *span);

#endif
