/* publisher.h - chooses the window, folds it, and makes the snapshot with the header's figures.
 * Thread: the analyzer's. */
#ifndef ANALYZER_PUBLISHER_H
#define ANALYZER_PUBLISHER_H

#include "analyzer/analyzer.h"
#include "analyzer/busy.h"
#include "analyzer/compare.h"
#include "analyzer/strip.h"
#include "analyzer/task_stats.h"
#include "fold/live_window.h"
#include "fold/source_lines.h"
#include "fold/tree_fold.h"
#include "ingest/loss_ledger.h"

struct publisher {
	const struct analyzer_config *config;	/* the analyzer's, which requests change */
	struct ingest *ingest;
	struct live_window window;
	struct compare compare;
	struct busy busy;
	struct loss_history losses;
	struct task_stats task_stats;
	struct source_lines source_lines;
	struct strip strip;	/* of the snapshot that is being made */
	uint32_t event;		/* the one shown */
	uint64_t seq;
	uint64_t history_ns;	/* nothing older was ever counted; 0: than the first sample */
	uint64_t zero_ns;	/* of "since start": the last zero; 0: none */
	uint64_t published_ns;	/* end of the window before */
	uint64_t published_seq;	/* first slice that was not in it */
	uint64_t frozen_ns;	/* where windows end; 0: they end now */
	uint64_t chosen_ns;	/* where the window begins, if that was chosen; else 0 */
	uint64_t own_cpu_ns, own_cpu_at_ns;	/* when own_cpu_pct was measured */
	double own_cpu_pct;
	bool wants_stacks, wants_idle_stacks;	/* of the next snapshot: REQUEST_STACKS */
	bool is_ended;		/* no more records will come */
	uint64_t names_asked_ns;	/* events wait for names since then; 0: none do */
	struct snapshot *failure;	/* owned: what is told when there is no memory */
	struct tree_stop stop;	/* the caller's, after the init: of what the screen shows */
};

/* 0 or -ENOMEM; publisher_finish() is needed in both cases. */
int publisher_init(struct publisher *publisher, const struct analyzer_config *config,
		   struct ingest *ingest);
void publisher_finish(struct publisher *publisher);
/* "Since start" begins at @begin_ns, now or a moment ago. */
void publisher_start(struct publisher *publisher, uint64_t begin_ns);
/* Another source goes on at @begin_ns: windows and the header's figures begin anew. @had_busy: the
 * one before was of the whole machine too, so that is read all the time. */
void publisher_switch(struct publisher *publisher, uint64_t begin_ns, bool had_busy);
/* "Since start" begins now, and goes on, if it was frozen. History stays: it can be chosen. */
void publisher_zero(struct publisher *publisher);
/* Windows end at @end_ns until it is 0 again: at the time_ns of a snapshot, or, with a @begin_ns,
 * anywhere: then the window is @begin_ns..@end_ns. */
void publisher_freeze(struct publisher *publisher, uint64_t begin_ns, uint64_t end_ns);
/* What was counted between the two times, or before and after them (@is_around), is what windows
 * are compared with; @end_ns 0: nothing. */
void publisher_mark(struct publisher *publisher, uint64_t begin_ns, uint64_t end_ns,
		    bool is_around);
/* The same of all that was counted, which is called @label. 0 or -ENOMEM. */
int publisher_mark_all(struct publisher *publisher, const char *label);
/* Another recording begins, with a clock of its own; ingest_next_recording() was called. */
void publisher_next_recording(struct publisher *publisher);
void publisher_renumbered(struct publisher *publisher);	/* after a compaction */

/* When publisher_tick() is due, besides the refreshes; UINT64_MAX: never. */
uint64_t publisher_due_ns(const struct publisher *publisher);
/* Notes how busy the machine is, once a second however seldom it is shown. */
void publisher_tick(struct publisher *publisher, uint64_t now_ns);
/* Notes what was lost so far, for windows: at each new slice. */
void publisher_note_losses(struct publisher *publisher);

/* The snapshot of now (a chain of them, one per event, if the config says so). NULL: no memory, or
 * `stop` was due. A batch, which has nothing older to show, is told of missing memory by a last
 * snapshot with an end_err. */
struct snapshot *publisher_make(struct publisher *publisher, bool is_last,
				const struct diag *end_why);
/* The same where the config wants events: those that are older than what may still come, or, at the
 * @is_end, all; no more than fit into one snapshot. NULL also: their names are on the way. */
struct snapshot *publisher_make_events(struct publisher *publisher, bool is_end, bool is_last,
				       const struct diag *end_why);
/* A recording is read on when the reader of its events has taken what is there. */
bool publisher_is_full_of_events(const struct publisher *publisher);

#endif
