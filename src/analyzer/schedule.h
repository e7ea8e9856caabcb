/* schedule.h - when the analyzer does what: one table of due times, and the state of the thread, on
 * which they depend.
 * Thread: the analyzer's. */
#ifndef ANALYZER_SCHEDULE_H
#define ANALYZER_SCHEDULE_H

#include <pthread.h>

#include "analyzer/analyzer_config.h"
#include "base/thread.h"
#include "copy_size.h"
#include "publisher.h"
#include "source_hold.h"

/* The first snapshots of a source, before regular refreshes begin.
 *
 *   begin    first samples and their names      more names            the last
 *     |------------------|---------------------------|---------------------|---> refreshes
 *            the first snapshot: then, or     100 ms after the      650 ms after
 *            150 ms after the begin           previous one          the begin
 *
 * Users want to see at once what is hot, but a table whose names come one after the other flickers.
 * All zero: there are only regular refreshes. */
struct first_snapshots {
	uint64_t begin_ns;	/* 0: all first snapshots were made */
	uint64_t last_ns;	/* time of the newest snapshot; 0: none yet */
	bool has_samples;	/* the newest snapshot has samples */
};

void first_snapshots_begin(struct first_snapshots *first, uint64_t now_ns);

/* Returns when the next one is due, given what @ingest has and waits for; UINT64_MAX: never. */
uint64_t first_snapshots_due_ns(const struct first_snapshots *first,
				const struct ingest *ingest);

/* Records that a snapshot of @ingest was made, for whatever reason. */
void first_snapshots_made(struct first_snapshots *first, const struct ingest *ingest,
			  uint64_t now_ns);

/* What comes at a time of its own, in the order in which it runs. */
enum due {
	DUE_PENDING,	/* pending samples are counted as they are */
	DUE_NAMES,	/* names are requested from the demangler, many at once */
	DUE_LOAD,	/* /proc/stat is read */
	DUE_MORE,	/* a snapshot with more about the same rows */
	DUE_EVENTS,	/* a snapshot of hits and samples one by one */
	DUE_FIRST,	/* one of the first snapshots: the refresh comes now */
	DUE_READING,	/* a snapshot of what was read of a recording so far */
	DUE_REFRESH,	/* the regular snapshot */
	DUE_LAST,	/* the last snapshot, or the second recording */
	DUE_NEW_NAMES,	/* a snapshot of data that do not change, but for their names */
	DUE_CHOSEN,	/* a snapshot of a chosen window, with the activity graph up to now */
	DUE_SAMPLES,	/* a snapshot with samples by task, which have their source lines */
	DUE_SOURCES,	/* the snapshot that waits for its source lines is delivered */
	DUE_COUNT
};

/* The thread's state. */
struct analyzer {
	struct analyzer_config config;
	struct ingest ingest;
	struct publisher publisher;
	struct source_hold hold;
	struct spsc requests;
	struct mailbox mailbox;
	int request_fd, snapshot_fd;	/* eventfds */
	uint64_t next_refresh_ns;
	uint64_t reading_due_ns;	/* next snapshot of what was read so far */
	struct first_snapshots first;
	uint64_t more_due_ns;		/* next snapshot, with more about the same rows; 0: none */
	uint64_t compacted_ns;		/* last compaction because a table was full */
	uint64_t enforced_seq;		/* open slice at the last check of the budget */
	struct copy_size copy_size;
	uint64_t end_ns;		/* when QUEUE_END came; 0: not yet */
	struct diag end_why;
	bool is_last_published;
	bool is_first_read;		/* the first of two recordings was read */
	uint64_t chosen_due_ns;		/* next snapshot of a chosen window */
	uint64_t took_ns;		/* time spent on the last snapshot */
	struct line_wait line_wait;
	bool is_pending_asked;		/* the last REQUEST_STACKS asked for what is pending */
	uint64_t stopped_ns;		/* first stop of a fold since the last snapshot; 0: none */
	_Atomic bool stop;		/* set by analyzer_stop(), read by run() */
	pthread_t thread;
	bool has_thread;
};

/* True while the first of two recordings is read, which is never shown. */
bool schedule_is_reading_first(const struct analyzer *analyzer);
/* Restarts refreshes, for a source. In batch mode, where each line has its time, there are no first
 * snapshots. */
void schedule_begin(struct analyzer *analyzer);
/* Lets the next refresh come an interval after now: the reply to a request is a snapshot, too. */
void schedule_restart(struct analyzer *analyzer);
/* Publishes a snapshot now. */
void schedule_publish(struct analyzer *analyzer);
/* Returns when the next regular refresh is due; 0: snapshots don't come at regular times now. */
uint64_t schedule_planned_ns(const struct analyzer *analyzer);
/* Returns when @due is due; UINT64_MAX: not before something else, which wakes the thread. */
uint64_t schedule_due_ns(struct analyzer *analyzer, enum due due);
/* Returns when the thread must wake up: the earliest of all due times. */
uint64_t schedule_next_ns(struct analyzer *analyzer);
/* Runs all that is due. */
void schedule_run(struct analyzer *analyzer);

#endif
