/* pprof.h - a window as a profile for pprof and all that read its format: profile.proto of
 * github.com/google/pprof, compressed by gzip.
 * Thread: any. */
#ifndef SHARE_PPROF_H
#define SHARE_PPROF_H

#include <stdio.h>

#include "analyzer/snapshot.h"
#include "export/print.h"

/* Writes @snapshot and the chain after it, which have stack_samples; @command, which may be "", is
 * a comment. 0 or -errno; errors of @out stay in @out, too. */
int pprof_write(FILE *out, const struct snapshot *snapshot, const struct export_options *options,
		const char *command);

#endif
