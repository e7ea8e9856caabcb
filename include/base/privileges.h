/* privileges.h - what a process of flametop may do beyond its user: it keeps what its work needs.
 *
 * Use:    privileges_drop() once, when all that needs more is done: main after its children are
 *         forked and before its first thread (capabilities belong to a thread and are inherited).
 * Source: capabilities(7), prctl(2). Workers give up all they have: sandbox/confine.h.
 */
#ifndef BASE_PRIVILEGES_H
#define BASE_PRIVILEGES_H

#include <stdbool.h>

#include "base/diag.h"

enum privileges {
	PRIVILEGES_OF_MAIN,	/* to sample, to read processes and their files, to probe */
	PRIVILEGES_TO_READ,	/* the same without probes: --readonly */
	PRIVILEGES_OF_GUARDIAN,	/* to end other processes and to remove probes */
};

/* Keeps of @kept what the process has, forgets all else, also for what it executes, and is looked
 * at by nobody but root from now on. @ends_command: also to end a command that changed its user.
 * 0 or -errno. */
int privileges_drop(enum privileges kept, bool ends_command, struct diag *why);

/* While a file is created where its user may, and flametop's user alone may not: sudo in another's
 * directory. Of this thread. */
void privileges_begin_write(void);
void privileges_end_write(void);

#endif
