/* thread_rows.h - where threads are: equal stacks as rows, threads that wait for each other, and
 * both as text, JSON and tables.
 * Thread: any. */
#ifndef EXPORT_THREAD_ROWS_H
#define EXPORT_THREAD_ROWS_H

#include <stdio.h>

#include "analyzer/snapshot.h"
#include "capture/thread_reader.h"
#include "export/print.h"

/* A thread and its user stack. All is BORROWED. */
struct thread_entry {
	const struct thread_now *now;
	const char *const *frames;	/* names, sanitized, the innermost first; NULL: unknown */
	uint32_t frame_count;
	uint32_t circle;		/* index in thread_rows.circles + 1; 0: in none. Set by
					 * thread_rows_build() */
};

/* Threads with the same command, state, kernel and user stack, in the same circle or in none. */
struct thread_row {
	uint32_t first, count;		/* in thread_rows.entries, by pid and tid */
	uint32_t circle;		/* as the entries' */
	uint64_t longest_ns, shortest_ns;	/* how long they have not run; 0: unknown */
};

/* Threads in a circle: each waits for a lock that the next one has, and the last for one that the
 * first has. */
struct thread_circle {
	uint32_t first, count;		/* in thread_rows.waiting */
};

struct thread_rows {
	struct thread_entry *entries;	/* owned; row by row */
	uint32_t entry_count, process_count;
	struct thread_row *rows;	/* owned; circles first, then the most threads */
	uint32_t row_count;
	struct thread_entry *waiting;	/* owned; circle by circle */
	struct thread_circle *circles;	/* owned */
	uint32_t circle_count;
};

/* Builds the rows of @entries, which are in the order of pid and tid. 0, or -ENOMEM with *@out
 * empty. */
int thread_rows_build(struct thread_rows *out, const struct thread_entry *entries, uint32_t count);
void thread_rows_finish(struct thread_rows *rows);	/* an empty one is fine */

/* Returns what the thread waits for, by its kernel stack: "futex", "pipe", ... (enum wait_kind);
 * "": it does not wait, or its kernel stack is unknown. */
const char *thread_rows_wait(const struct thread_now *now);

/* The function that waits: the innermost one that is not the lock's own. "" unknown. BORROWED. */
const char *thread_rows_waits_in(const struct thread_entry *entry);

/* Why the thread has no stack; "": it has one. */
const char *thread_rows_reason(const struct thread_now *now);

struct thread_listing {
	const struct thread_rows *rows;
	const char *host;		/* raw */
	uint64_t time_ns;		/* when reading began, in ns since 1970 */
	uint64_t took_ns;		/* how long reading took */
	uint64_t incomplete;		/* stacks that could not be unwound to their end */
	uint64_t dropped;		/* stacks that were left out for want of memory */
	size_t max_rows;
};

/* What a look at threads found, with all that its rows refer to. */
struct threads_found {
	uint64_t number;		/* the request's */
	struct diag why;		/* err not 0: nothing was found, and why */
	struct thread_rows rows;
	struct thread_listing listing;	/* describes `rows` */
	struct thread_now *threads;	/* owned */
	size_t thread_count;
	struct snapshot **snapshots;	/* owned, each one too: the names of the frames */
	size_t snapshot_count;
};

void threads_found_destroy(struct threads_found *found);	/* NULL is fine */

void threads_write_text(FILE *out, const struct thread_listing *listing);
/* Writes a table with a line for each row: ids are separated by spaces, functions by ';', the
 * innermost first. 0 or -ENOMEM. */
int threads_write_table(FILE *out, const struct thread_listing *listing, enum table_style style);
/* Writes it as JSON, on a line; null where a value is unknown. */
void threads_write_json(FILE *out, const struct thread_listing *listing);

#endif
