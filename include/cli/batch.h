/* batch.h - batch mode: prints refreshes as text or JSON lines on standard output. */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "cli/options.h"
#include "cli/session.h"

#define BATCH_OUTPUT_FAILED 1

/* Prints until the count, the duration, the data, the command or a signal ends it. Call
 * batch_block_signals(), for SIGINT, SIGTERM and SIGHUP, before the first thread.
 * Returns 0; BATCH_OUTPUT_FAILED, @why set (a closed pipe is 0); 128+n: signal n, also while the
 * output blocks; < 0: -errno, @why set. */
int batch_run(struct session *session, const struct options *options, struct diag *why);
void batch_block_signals(void);
/* For use before batch_run(). batch_signal_fd() returns a descriptor, owned by the caller, that is
 * readable once one of these signals came, or -errno. batch_take_signal() consumes a pending signal
 * n and returns 128+n, or 0. */
int batch_signal_fd(void);
int batch_take_signal(void);

#endif
