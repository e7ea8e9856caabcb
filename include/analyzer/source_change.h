/* source_change.h - a request to the running source of samples: another event, rate or target. The
 * screen fills one, src/cli/retarget.c carries it out. */
#ifndef ANALYZER_SOURCE_CHANGE_H
#define ANALYZER_SOURCE_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

#define SOURCE_CHANGE_BYTES 256

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
 * every hit is a sample. That holds until the user changes the source. `wish` NULL: unavailable.
 * The reply is another source, or none. Thread: the analyzer's. */
struct copy_control {
	void *owner;
	void (*wish)(void *owner, uint32_t copy_bytes);
};

#endif
