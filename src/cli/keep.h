/* keep.h - says which conditions of --keep-when have fired, and keeps what happened before.
 * Thread: main, except where stated. */
#ifndef CLI_KEEP_H
#define CLI_KEEP_H

#include "analyzer/analyzer_config.h"
#include "cli/options.h"
#include "ui/probe_control.h"

struct keep;

/* *@out NULL: the options ask for nothing of this. 0 or -errno. keep_destroy() after the analyzer
 * has ended. */
int keep_create(struct keep **out, const struct options *options, struct diag *why);
void keep_destroy(struct keep *keep);	/* NULL is fine */
/* Sets the members of @config that conditions need. */
void keep_configure(struct keep *keep, struct analyzer_config *config);
/* Returns the interface for the screen and for batch, BORROWED from @keep. */
const struct keep_control *keep_control(struct keep *keep);

#endif
