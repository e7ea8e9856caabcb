/* source_change.h - what the screen asks of the source of samples while it runs: another event,
 * rate or target. The screen fills one, src/cli/retarget.c carries it out. */
#ifndef ANALYZER_SOURCE_CHANGE_H
#define ANALYZER_SOURCE_CHANGE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

#define SOURCE_CHANGE_BYTES 256

enum source_change_kind {
	SOURCE_EVENT,		/* text as for -e */
	SOURCE_FREQUENCY,	/* as for -F */
	SOURCE_ALL,		/* every process; no text */
	SOURCE_PROCESSES,	/* as for -p */
	SOURCE_THREADS,		/* as for -t */
	SOURCE_USER,		/* as for -u */
	SOURCE_CGROUP,		/* as for -G */
	SOURCE_CPUS,		/* as for -C; "": all */
	SOURCE_COPIES,		/* the analyzer asks: bytes of a stack copy; 0: none */
};

struct source_change {
	enum source_change_kind kind;
	char text[SOURCE_CHANGE_BYTES];
};

/* How the screen reaches the source. A replay has none: `ask` is NULL. */
struct source_control {
	void *owner;
	/* Begins the change and returns at once; false: one is under way. Thread: the ui's. */
	bool (*ask)(void *owner, const struct source_change *change);
	int done_fd;		/* readable when it has ended */
	/* Takes the result: 0, or -errno with *@why set; the old source goes on then. */
	int (*take_result)(void *owner, struct diag *why);
};

/* How the analyzer asks for stack copies of another size, or with 0 bytes for frame pointers where
 * every hit is a sample, until the user changes the source; `wish` NULL: it can't. An answer is
 * another source, or none. Thread: the analyzer's. */
struct copy_control {
	void *owner;
	void (*wish)(void *owner, uint32_t copy_bytes);
};

#endif
