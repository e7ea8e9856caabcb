/* kallsyms.h - the running kernel's names: /proc/kallsyms -> a flat table (run-time addresses).
 *
 * Source: kernel/kallsyms.c. Modules and BPF programs are in column 4 and become object names.
 * Thread: any; reading takes 50-100 ms inside the kernel, so not the analyzer's.
 */
#ifndef SYMBOLS_KALLSYMS_H
#define SYMBOLS_KALLSYMS_H

#include <stdbool.h>

#include "symbols/flat_table.h"

struct kallsyms {
	struct flat_table table;
	void *bytes;		/* owned */
	uint64_t text_address;	/* of _text, 0 when unknown: a recording's kernel may be slid */
};

/* Reads @path ("/proc/kallsyms"). Addresses that are all zero give -EPERM and a sentence that names
 * kptr_restrict and the remedy. */
int kallsyms_load(struct kallsyms *out, const char *path, struct diag *why);

/* The parser alone: @text[0..@len), lines of "address type name [module]". @slide is added to every
 * address. For tests, and for kallsyms_load(). */
int kallsyms_parse(struct kallsyms *out, const char *text, size_t len, uint64_t slide,
		   struct diag *why);
void kallsyms_finish(struct kallsyms *kallsyms);

/* Build-id of the running kernel from /sys/kernel/notes; count 0 when unreadable. */
struct build_id kallsyms_build_id(void);

#endif
