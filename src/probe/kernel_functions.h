/* kernel_functions.h - finds kernel functions by name, aliases and duplicates included.
 *
 * Source: /proc/kallsyms; tracefs available_filter_functions (what is not there is notrace);
 *         debugfs kprobes/blacklist; Documentation/trace/kprobes.rst.
 * Thread: any; reading takes 50-100 ms inside the kernel.
 */
#ifndef PROBE_KERNEL_FUNCTIONS_H
#define PROBE_KERNEL_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

#define KERNEL_NAME_BYTES   256
#define KERNEL_MODULE_BYTES 64

struct kernel_function {
	uint64_t address;	/* run-time address */
	char name[KERNEL_NAME_BYTES];
	char module[KERNEL_MODULE_BYTES];	/* module name; "": the kernel itself */
};

struct kernel_functions {
	struct kernel_function *list;	/* owned; sorted by name, then address */
	uint32_t count;
	uint32_t matches;	/* more than `count` if there were too many */
	uint64_t text_address;	/* address of _text */
};

/* Finds the functions named @wanted (with * and ? if @is_wildcard) in @module; "": in all. 0 with
 * *@out the caller's; -ENOENT with the nearest name; -EPERM the kernel hides its addresses. */
int kernel_functions_find(struct kernel_functions *out, const char *wanted, const char *module,
		      bool is_wildcard, uint32_t most, struct diag *why);
void kernel_functions_finish(struct kernel_functions *names);

/* _is_blacklisted(): the kernel refuses probes at @address. _is_notrace(): in the function that
 * begins there. False: it does not, or can't be read. */
bool kernel_functions_is_blacklisted(uint64_t address);
bool kernel_functions_is_notrace(uint64_t address);

#endif
