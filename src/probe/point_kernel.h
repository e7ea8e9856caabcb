/* point_kernel.h - resolves kernel functions and lines to points: kallsyms, BTF, blacklist, and
 * debug information where it is installed.
 * Thread: the probe engine's; BLOCKS. */
#ifndef PROBE_POINT_KERNEL_H
#define PROBE_POINT_KERNEL_H

#include "kernel_types.h"
#include "probe/probe_point.h"
#include "symbols/source_file.h"

/* probe_resolver_find() for PROBE_KERNEL. */
int point_kernel_find(struct kernel_types *types, struct source_reader *reader,
		      const struct probe_spec *spec, struct probe_point **out, uint32_t *count,
		      struct diag *why);

#endif
