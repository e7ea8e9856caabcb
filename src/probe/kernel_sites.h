/* kernel_sites.h - what debug information says of kernel code: addresses of functions, inlined
 * copies and lines, with the values there; and how an address is written for kprobe_events.
 *
 * Thread: the probe engine's; BLOCKS for workers (0.5 s for a whole vmlinux) and kallsyms. */
#ifndef PROBE_KERNEL_SITES_H
#define PROBE_KERNEL_SITES_H

#include "kernel_types.h"
#include "probe/probe_point.h"
#include "sandbox/probe_points.h"
#include "symbols/kernel_debug.h"
#include "symbols/source_file.h"

struct kernel_sites {
	struct kernel_layout layout;
	struct kernel_debug_search search;
	bool has_debug;			/* there is debug information of the code that runs */
	struct point_reply reply;	/* its offsets are run-time addresses */
	struct sandbox_bytes bytes;	/* owned: the bytes that `reply` points into */
};

/* Has a worker reply to @query, about @spec, for @module ("": the kernel). If the spec has a
 * pattern, its lines are found first, and added to the query. 0, or -errno with the reason: -ENOENT
 * and !has_debug: no debug information; -ENOENT: no such function or line; as source_file_read() or
 * sandbox_run(). *@out is to be finished in any case. */
int kernel_sites_find(struct kernel_sites *out, struct source_reader *reader,
		      const struct probe_spec *spec, struct point_query *query,
		      const char *module, struct diag *why);
void kernel_sites_finish(struct kernel_sites *sites);

/* Sets @module to the one that @spec names or, if it names none, that has its function; "": the
 * kernel itself. Returns whether the kernel lists the function. */
bool kernel_sites_module(const struct probe_spec *spec, char module[PROBE_FILE_BYTES]);

/* An address of kernel code, and how a kprobe names it. */
struct kernel_address {
	uint64_t address;	/* set by the caller, as is `module` */
	const char *module;	/* BORROWED; "": the kernel */
	bool is_known;		/* it is in a function of @module */
	/* "[MODULE:]NAME", or KALLSYMS_TEXT where no name near it is unique */
	char symbol[PROBE_FUNCTION_BYTES];
	uint64_t offset;			/* from `symbol` */
	char function[PROBE_FUNCTION_BYTES];	/* name of the function that has the address */
	uint64_t function_address;
};

/* Names @addresses[@count], at most PROBE_SITES_MAX. Reads kallsyms twice: 0.1 s. 0 or -errno. */
int kernel_addresses_name(struct kernel_address *addresses, uint32_t count, struct diag *why);

/* probe_resolver_list_variables() for PROBE_KERNEL: by debug information; where there is none, the
 * arguments of a whole function by BTF. @query: about the spec. The caller frees *@out, also on
 * failure. */
int kernel_variables_find(struct kernel_types *types, struct source_reader *reader,
			  const struct probe_spec *spec, struct point_query *query,
			  struct probe_point **out, uint32_t *count, struct diag *why);

#endif
