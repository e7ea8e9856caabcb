/* request.h - what the screen asks for: from the analyzer, over an SPSC queue, where a snapshot is
 * the reply; and from the running source of samples another event, rate or target. */
#ifndef ANALYZER_REQUEST_H
#define ANALYZER_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "fold/query.h"

struct record_tee;	/* ingest/record_tee.h */

enum request_kind {
	REQUEST_REFRESH,	/* make a snapshot now */
	REQUEST_BEGIN,		/* begin the first interval at value_ns, when begins_on_request is
				 * set in analyzer_config; no snapshot replies */
	REQUEST_WINDOW,		/* use window kind value; WINDOW_SECONDS: of length value_ns */
	REQUEST_INTERVAL,	/* refresh every value_ns */
	REQUEST_ZERO,		/* restart "since start" now */
	REQUEST_QUERY,		/* use `query` from now on */
	REQUEST_EVENT,		/* show event number value */
	REQUEST_SOURCES,	/* look up the source lines of `requests`, and no longer those
				 * requested before. A snapshot comes when some were found */
	REQUEST_STACKS,		/* add all stacks of the window to the next snapshot, as `query`
				 * has them; value: bits of enum stacks_wanted */
	REQUEST_STOP,		/* read no more of the recording: what was read is all of it */
	REQUEST_FREEZE,		/* freeze the window. begin_ns 0: it ends at value_ns, a snapshot's
				 * time_ns, and new snapshots come only on request or with new
				 * names. Else it is begin_ns..value_ns regardless of
				 * REQUEST_WINDOW, and snapshots of that window, with the activity
				 * graph up to now, still come every second or few. value_ns 0:
				 * live again */
	REQUEST_RECORD,		/* pass what is counted on to `tee`, and no longer to the one
				 * before; NULL: to none */
	REQUEST_BASELINE,	/* mark begin_ns..value_ns as the baseline ("A") that windows are
				 * compared with; value 1: all counted before and after it.
				 * value_ns 0: no baseline */
};

/* Bits; 0: the tree of all callees, below their commands. */
enum stacks_wanted {
	STACKS_WITH_IDLE = 1 << 0,	/* the tree includes idle samples */
	STACKS_WITH_ROWS = 1 << 1,	/* besides the tree, rows by DSO and symbol */
	STACKS_AS_SHOWN = 1 << 2,	/* instead of stacks: all that the query shows */
	STACKS_BY_TASK = 1 << 3,	/* instead of the tree: snapshot.stack_samples, which come
					 * once their source lines are known, or after some seconds;
					 * snapshots before that have no `folded` */
	STACKS_INLINED = 1 << 4,	/* the tree has inlined functions; it comes once they are
					 * known, or after some seconds, as STACKS_BY_TASK does */
};

struct request {
	enum request_kind kind;
	uint32_t value;		/* enum window_kind, event index, or number of requests */
	uint64_t begin_ns, value_ns;
	const struct record_tee *tee;	/* BORROWED until its end() was called */
	struct query query;
	struct source_request requests[SOURCE_REQUESTS_MAX];
};

/* A request to the source. The screen fills one, src/cli/retarget.c carries it out. */
#define SOURCE_CHANGE_BYTES 1024	/* names of several events */

enum source_change_kind {
	SOURCE_EVENT,		/* text: argument of -e */
	SOURCE_FREQUENCY,	/* text: argument of -F */
	SOURCE_ALL,		/* every process; no text */
	SOURCE_PROCESSES,	/* text: argument of -p */
	SOURCE_THREADS,		/* text: argument of -t */
	SOURCE_USER,		/* text: argument of -u */
	SOURCE_CGROUP,		/* text: argument of -G */
	SOURCE_CPUS,		/* text: argument of -C; "": all */
	SOURCE_COPIES,		/* from the analyzer; text: bytes of a stack copy, 0: none */
};

struct source_change {
	enum source_change_kind kind;
	char text[SOURCE_CHANGE_BYTES];
};

/* The screen's interface to the source. In a replay `ask` is NULL. */
struct source_control {
	void *owner;
	/* Begins the change and returns at once; false: another is under way. Thread: the ui's. */
	bool (*ask)(void *owner, const struct source_change *change);
	int done_fd;		/* readable when the change has ended */
	/* Takes the result: 0, or -errno with *@why set: then the old source goes on. */
	int (*take_result)(void *owner, struct diag *why);
};

/* The analyzer's way to request stack copies of another size or, with 0 bytes, frame pointers where
 * every hit is a sample. That holds until the user changes the source. `request` NULL: unavailable.
 * The reply is another source, or none. Thread: the analyzer's. */
struct copy_control {
	void *owner;
	void (*request)(void *owner, uint32_t copy_bytes);
};

#endif
