/* batch.h - without a screen: refreshes as text or JSON lines on standard output. */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include "cli/options.h"
#include "cli/session.h"

#define BATCH_OUTPUT_FAILED 1

/* Prints until the count, the duration, the data, the command or a signal ends it; SIGINT, SIGTERM
 * and SIGHUP are blocked by batch_block_signals() before the first thread.
 * Returns 0; BATCH_OUTPUT_FAILED, @why set (a closed pipe is 0); 128+n: signal n, also while nobody
 * reads the output; < 0: -errno, @why set. */
int batch_run(struct session *session, const struct options *options, struct diag *why);
void batch_block_signals(void);
/* Before batch_run(): a descriptor of the caller's that is readable once one of these signals came,
 * or -errno; and 128+n of one that came, taken now, or 0. */
int batch_signal_fd(void);
int batch_take_signal(void);

#endif
