/* probe_column.h - reports a mistake in a typed line: where it is, and what would be right.
 * Thread: any. Pure.
 */
#ifndef PROBE_PROBE_COLUMN_H
#define PROBE_PROBE_COLUMN_H

#include <stddef.h>

#include "base/diag.h"

/* Sets @why to "column N: SENTENCE" and returns -EINVAL; N counts bytes from 1, @at from 0. */
int probe_column_refuse(struct diag *why, size_t at, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
