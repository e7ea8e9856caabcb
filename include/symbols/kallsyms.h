/* kallsyms.h - a kernel's names: /proc/kallsyms, or what a recording kept of it -> a flat table
 * (run-time addresses).
 *
 * Source: kernel/kallsyms.c. Modules and BPF programs are in column 4 and become object
 *         names, without the brackets.
 * Thread: any; reading takes 50-100 ms inside the kernel, so not the analyzer's.
 */
#ifndef SYMBOLS_KALLSYMS_H
#define SYMBOLS_KALLSYMS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "sandbox/flat_table.h"

struct kallsyms {
	struct flat_table table;
	void *bytes;		/* owned */
	uint64_t text_address;	/* of _text with the slide, 0 when unknown */
};

/* Reads @path ("/proc/kallsyms"). Addresses that are all zero give -EPERM and a sentence that names
 * kptr_restrict and the remedy. @slide as below; 0: the running kernel as it is. *@out is the
 * caller's, also on failure: kallsyms_finish(). -ECANCELED soon after another thread has set
 * *@is_stopping. */
int kallsyms_load(struct kallsyms *out, const char *path, uint64_t slide,
		  const atomic_bool *is_stopping, struct diag *why);

/* Reads the file @fd from its begin as kallsyms_load() does. The file stays the caller's, has to be
 * a regular one of a size that can be read, and its offset moves. -EPERM if all addresses are
 * zero. */
int kallsyms_load_recorded(struct kallsyms *out, int fd, uint64_t slide,
			   const atomic_bool *is_stopping, struct diag *why);

/* The parser alone: @text[0..@len), lines of "address type name [module]". @slide is added to every
 * address; where it is not 0 (a recording from another boot) modules and BPF programs are left out,
 * because they lie elsewhere by an amount of their own. */
int kallsyms_parse(struct kallsyms *out, const char *text, size_t len, uint64_t slide,
		   struct diag *why);
void kallsyms_finish(struct kallsyms *kallsyms);

/* One function by one of its names, as its line says: 0 addresses where the kernel hides them.
 * @object_name NULL: of the kernel itself. Both are borrowed for the call. 0 to go on, else what
 * kallsyms_list() returns. */
typedef int kallsyms_sink(void *context, uint64_t address, const char *name,
			  const char *object_name);

/* Tells @sink all names of all functions in @path ("/proc/kallsyms"), also the aliases that a table
 * leaves out. Errors as of kallsyms_load(). */
int kallsyms_list(const char *path, kallsyms_sink *sink, void *context,
		  const atomic_bool *is_stopping, struct diag *why);

/* Build-id of the running kernel from /sys/kernel/notes; count 0 when unreadable. */
struct build_id kallsyms_build_id(void);

#endif
