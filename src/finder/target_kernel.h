/* target_kernel.h - loads the functions of the running kernel for the finder.
 * Source: /proc/kallsyms; Documentation/trace/ftrace.rst (available_filter_functions), kprobes.rst
 *         (blacklist).
 * Thread: any; takes some 100 ms. */
#ifndef FINDER_TARGET_KERNEL_H
#define FINDER_TARGET_KERNEL_H

#include <stdatomic.h>

#include "probe/probe_engine.h"
#include "target_index.h"

/* Loads all names of all functions, with a reason if they can't be probed: all of them if
 * @abilities (NULL: has everything) lack kernel probes, else those that ftrace can't trace or that
 * the kernel blacklists. 0 with *@out, the caller's; -EACCES, -ECANCELED, -ENOMEM... */
int target_kernel_load(struct target_index **out, const struct probe_abilities *abilities,
		       const atomic_bool *is_stopping, struct diag *why);

#endif
