/* page.h - a window as one page for a browser: what was sampled, the activity graph, the table and
 * the flame graph. It needs nothing else: no file, no network.
 *
 * Thread: any. */
#ifndef SHARE_PAGE_H
#define SHARE_PAGE_H

#include <stdio.h>

#include "analyzer/snapshot.h"
#include "export/print.h"

/* Writes @snapshot and the events after it in its chain as HTML; they have what SHARED_NEEDS_PAGE
 * says. @command: command line that prints the same window, or "". Large windows are cut, and the
 * page says so. 0 or -ENOMEM: the end is missing. Errors stay in @out (ferror(3)). */
int page_write(FILE *out, const struct snapshot *snapshot, const struct export_options *print,
	       const char *command);

#endif
