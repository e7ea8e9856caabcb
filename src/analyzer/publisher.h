/* publisher.h - chooses the window, folds it, and makes the snapshot with the header's numbers.
 * Thread: the analyzer's. */
#ifndef ANALYZER_PUBLISHER_H
#define ANALYZER_PUBLISHER_H

#include "activity.h"
#include "analyzer/analyzer_config.h"
#include "busy.h"
#include "compare.h"
#include "condition_watch.h"
#include "counter_history.h"
#include "fold/source_lines.h"
#include "fold/tree_fold.h"
#include "fold/wait_stacks.h"
#include "hit_projection.h"
#include "ingest/losses.h"
#include "listing_builder.h"
#include "sample_hold.h"
#include "snapshot_head.h"
#include "task_stats.h"
#include "window_fold.h"

struct publisher {
	const struct analyzer_config *config;	/* BORROWED from the analyzer; requests change it */
	struct ingest *ingest;
	struct live_window window;
	struct compare compare;
	struct hit_projection projection;	/* used while a snapshot is made */
	struct wait_stacks waits;
	struct busy busy;
	struct loss_history losses;
	struct task_stats task_stats;
	struct source_lines source_lines;
	struct listing_builder listings;
	struct sample_hold sample_hold;
	struct counter_history counters;
	struct activity activity;	/* activity graph of the snapshot being made */
	uint32_t event;		/* index of the event shown */
	/* While the events of query.event_columns are folded: their query, and the symbols that
	 * count as one in the snapshot that they are joined to. */
	struct query part_query;
	const struct symbol_pairs *part_pairs;
	uint64_t seq;		/* number of the newest snapshot */
	uint64_t history_ns;	/* begin of counting; 0: the first sample */
	uint64_t zero_ns;	/* time of the last REQUEST_ZERO; 0: none */
	uint64_t published_ns;	/* end of the previous window */
	uint64_t published_seq;	/* first slice after the previous window */
	uint64_t frozen_ns;	/* end of windows while frozen; 0: windows end now */
	uint64_t chosen_ns;	/* begin of the window, if one was chosen; else 0 */
	struct own_cost own_cost;
	struct condition_watch conditions;
	bool wants_stacks;		/* for the next snapshot: REQUEST_STACKS */
	unsigned int stacks_wanted;	/* bits of enum stacks_wanted */
	bool is_ended;		/* no more records will come */
	struct queue_read reading;	/* how far a recording was read */
	bool is_cut_short;	/* REQUEST_STOP ended the reading */
	uint64_t names_asked_ns;	/* since when events wait for names; 0: none do */
	struct trace_fields *trace_fields;	/* owned; event_builder.c, which frees it */
	uint64_t inlined_until_ns;	/* until when events wait for what is inlined in their
					 * stacks; 0: none do */
	bool has_asked_last;		/* the names of the last events were requested */
	struct snapshot *failure;	/* owned: last snapshot of a batch that is out of memory */
	struct fold_stop stop;	/* set by the caller after the init; ends folds for the screen */
};

/* 0 or -ENOMEM; publisher_finish() is needed in both cases. */
int publisher_init(struct publisher *publisher, const struct analyzer_config *config,
		   struct ingest *ingest);
void publisher_finish(struct publisher *publisher);
/* Begins "since start" at @begin_ns, now or a moment ago. */
void publisher_start(struct publisher *publisher, uint64_t begin_ns);
/* Restarts windows and the header's numbers at @begin_ns, for another source. @had_busy: the
 * previous source sampled the whole machine too, so readings of /proc/stat are without a gap. */
void publisher_switch(struct publisher *publisher, uint64_t begin_ns, bool had_busy);
/* Restarts "since start" now, and unfreezes it. History is kept: a window in it can be chosen. */
void publisher_zero(struct publisher *publisher);
/* Freezes the end of windows at @end_ns, a snapshot's time_ns; with a @begin_ns the window is
 * @begin_ns..@end_ns, any times. @end_ns 0: windows are live again. */
void publisher_freeze(struct publisher *publisher, uint64_t begin_ns, uint64_t end_ns);
/* Marks what was counted from @begin_ns to @end_ns, or before and after that (@is_around), as the
 * baseline; @end_ns 0: removes the baseline. */
void publisher_mark(struct publisher *publisher, uint64_t begin_ns, uint64_t end_ns,
		    bool is_around);
/* Marks all that was counted as the baseline, shown as @label. 0 or -ENOMEM. */
int publisher_mark_all(struct publisher *publisher, const char *label);
/* Restarts for another recording, which has its own clock, after ingest_next_recording(). */
void publisher_next_recording(struct publisher *publisher);
void publisher_renumbered(struct publisher *publisher);	/* call after a compaction */

/* Returns when publisher_tick() is due, besides the refreshes; UINT64_MAX: never. */
uint64_t publisher_due_ns(const struct publisher *publisher);
/* Reads how busy the machine is, if due: once a second, whatever the refresh interval. */
void publisher_tick(struct publisher *publisher, uint64_t now_ns);
/* Records the loss counters for the windows' losses; call at each new slice. */
void publisher_note_losses(struct publisher *publisher);
/* Looks at the conditions, for each second that was counted. Returns how many have fired. */
uint32_t publisher_look_at_conditions(struct publisher *publisher);

/* Lets the next snapshot have what @wanted, bits of enum stacks_wanted, says. False: that is being
 * made already, so no snapshot is due. */
bool publisher_want_stacks(struct publisher *publisher, unsigned int wanted);

/* Makes a snapshot of the present window (a chain of them, one per event, if the config says so).
 * NULL: no memory, or `stop` was due. A batch, which has nothing older to show, instead gets a last
 * snapshot with an end_err when there is no memory. */
struct snapshot *publisher_make(struct publisher *publisher, bool is_last,
				const struct diag *end_why);

#endif
