/* probe_place_text.h - the first part of a spec: which kind of probe, and where.
 * Thread: any. Pure.
 */
#ifndef PROBE_PROBE_PLACE_TEXT_H
#define PROBE_PROBE_PLACE_TEXT_H

#include <stddef.h>

#include "base/diag.h"
#include "probe/probe_spec.h"

/* Reads kind, place and keys from byte *@at of @line into @out, and sets *@at behind them.
 * 0 or -EINVAL. */
int probe_place_parse(struct probe_spec *out, const char *line, size_t *at, struct diag *why);

#endif
