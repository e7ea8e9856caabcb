/* privileges.h - reduces the capabilities of a process of flametop to those that its work needs.
 *
 * Use:    privileges_drop() once, when nothing needs more any longer: in main after forking the
 *         children and before the first thread (capabilities are per thread and inherited).
 * Source: capabilities(7), prctl(2). Workers drop all capabilities: sandbox/confine.h.
 */
#ifndef BASE_PRIVILEGES_H
#define BASE_PRIVILEGES_H

#include <stdbool.h>

#include "base/diag.h"

enum privileges {
	PRIVILEGES_OF_MAIN,	/* sample, read processes and their files, probe */
	PRIVILEGES_TO_READ,	/* sample, read processes and their files: --readonly */
	PRIVILEGES_OF_GUARDIAN,	/* end other processes, remove probes */
};

/* Keeps those capabilities of @kept that the process has and drops all others, also for programs
 * that it executes; only root may inspect it from now on (PR_SET_DUMPABLE). @ends_command: keep
 * CAP_KILL too, to end a command that changed its user. 0 or -errno. */
int privileges_drop(enum privileges kept, bool ends_command, struct diag *why);

/* Puts CAP_DAC_OVERRIDE, if kept, in effect for the calling thread: for creating a file where only
 * that capability allows it, as under sudo in another user's directory. */
void privileges_begin_write(void);
void privileges_end_write(void);

#endif
