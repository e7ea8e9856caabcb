/* place_kernel.h - resolves kernel functions to places: kallsyms, BTF, blacklist.
 * Thread: the probe engine's; BLOCKS. */
#ifndef PROBE_PLACE_KERNEL_H
#define PROBE_PLACE_KERNEL_H

#include "kernel_types.h"
#include "probe/probe_places.h"

/* probe_places_find() for PROBE_KERNEL. */
int place_kernel_find(struct kernel_types *types, const struct probe_spec *spec,
		      struct probe_places **out, uint32_t *count, struct diag *why);

#endif
