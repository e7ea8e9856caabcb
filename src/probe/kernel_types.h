/* kernel_types.h - finds the arguments of kernel functions in the kernel's own BTF.
 *
 * Source: Documentation/bpf/btf.rst; libbpf's btf.h; /sys/kernel/btf.
 * Trust:  BTF is the running kernel's own.
 * Thread: one at a time (the probe engine's). The first use takes 20 ms.
 */
#ifndef PROBE_KERNEL_TYPES_H
#define PROBE_KERNEL_TYPES_H

#include "probe/probe_point.h"

struct kernel_types;

struct kernel_types *kernel_types_create(void);	/* NULL: out of memory */
void kernel_types_destroy(struct kernel_types *types);	/* NULL is fine */

/* Finds how to fetch @argument at the start (or, for $retval, the return) of @function of @module
 * ("": the kernel). @out has the reason if it can't be fetched. */
void kernel_types_fetch(struct kernel_types *types, const char *module, const char *function,
			const struct probe_argument *argument, bool at_begin,
			struct probe_fetch *out);
/* Lists all arguments and the return value, at most @most; returns how many. If BTF does not know
 * the function, $arg1 to $arg6 and $retval. */
uint32_t kernel_types_offer(struct kernel_types *types, const char *module, const char *function,
			    struct probe_fetch *out, uint32_t most);

#endif
