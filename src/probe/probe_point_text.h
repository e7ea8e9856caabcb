/* probe_point_text.h - parses the first part of a spec: the kind of probe, and its point.
 * Thread: any. Pure.
 */
#ifndef PROBE_PROBE_POINT_TEXT_H
#define PROBE_PROBE_POINT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/diag.h"
#include "probe/probe_spec.h"

/* Parses kind and point, or both points of a latency, from byte *@at of @line into @out, and moves
 * *@at past them. 0 or -EINVAL. */
int probe_point_parse(struct probe_spec *out, const char *line, size_t *at, struct diag *why);

/* True: @text is a word for a kind of probe, "u" or "uprobe", and no file after "lat:". */
bool probe_point_is_kind(const char *text);

#endif
