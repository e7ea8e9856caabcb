/* probe_place_text.h - parses the first part of a spec: the kind of probe, and its place.
 * Thread: any. Pure.
 */
#ifndef PROBE_PROBE_PLACE_TEXT_H
#define PROBE_PROBE_PLACE_TEXT_H

#include <stddef.h>

#include "base/diag.h"
#include "probe/probe_spec.h"

/* Parses kind, place and keys from byte *@at of @line into @out, and moves *@at past them. 0 or
 * -EINVAL. */
int probe_place_parse(struct probe_spec *out, const char *line, size_t *at, struct diag *why);

#endif
