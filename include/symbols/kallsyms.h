/* kallsyms.h - reads a kernel's names from /proc/kallsyms, or from a recording's copy of it, into a
 * flat table of run-time addresses.
 *
 * Source: kernel/kallsyms.c. Modules and BPF programs are in column 4 and become DSO
 *         names, without the brackets.
 * Thread: any; reading takes 50-100 ms inside the kernel, so not the analyzer's.
 */
#ifndef SYMBOLS_KALLSYMS_H
#define SYMBOLS_KALLSYMS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "sandbox/flat_table.h"

/* The symbol that the kernel's own code begins with, as section .text of its image does. On x86
 * _text has the same address; on aarch64 it is before that, and kernels don't list it. */
#define KALLSYMS_TEXT "_stext"

struct kallsyms {
	struct flat_table table;
	void *bytes;		/* owned */
	uint64_t text_address;	/* address of KALLSYMS_TEXT, slide included; 0: unknown */
};

/* Reads @path ("/proc/kallsyms"). If all addresses are zero, returns -EPERM with a sentence that
 * names kptr_restrict and the remedy. @slide: see kallsyms_parse(); 0: the running kernel as it is.
 * *@out is the caller's, also on failure: kallsyms_finish(). -ECANCELED soon after another thread
 * has set *@is_stopping. */
int kallsyms_load(struct kallsyms *out, const char *path, uint64_t slide,
		  const atomic_bool *is_stopping, struct diag *why);

/* Reads the file @fd from its beginning, like kallsyms_load(). @fd stays the caller's; it has to be
 * a regular file of a size that can be read, and its offset moves. -EPERM if all addresses are
 * zero. */
int kallsyms_load_recorded(struct kallsyms *out, int fd, uint64_t slide,
			   const atomic_bool *is_stopping, struct diag *why);

/* Parses @text[0..@len), lines of "address type name [module]". @slide is added to every address.
 * If it is not 0 (a recording from another boot), modules and BPF programs are left out, because
 * each of them moved by a different amount. */
int kallsyms_parse(struct kallsyms *out, const char *text, size_t len, uint64_t slide,
		   struct diag *why);
void kallsyms_finish(struct kallsyms *kallsyms);

/* Receives one name of one function. @address is 0 if the kernel hides addresses; @dso_name is
 * NULL for the kernel itself. Both strings are BORROWED for the call. Returns 0 to go on, or the
 * value that kallsyms_list() is to return. */
typedef int kallsyms_sink(void *context, uint64_t address, const char *name,
			  const char *dso_name);

/* Calls @sink for each name of each function in @path ("/proc/kallsyms"), also for the aliases that
 * a table leaves out. Errors: see kallsyms_load(). */
int kallsyms_list(const char *path, kallsyms_sink *sink, void *context,
		  const atomic_bool *is_stopping, struct diag *why);

/* Where the kernel's own code is, without modules; each 0: unknown. */
struct kallsyms_bounds {
	uint64_t begin, end;	/* KALLSYMS_TEXT, _etext */
};

/* Finds the bounds in @path ("/proc/kallsyms"). Errors: see kallsyms_load(). */
int kallsyms_find_bounds(struct kallsyms_bounds *out, const char *path,
			 const atomic_bool *is_stopping, struct diag *why);

/* Returns the running kernel's build-id from /sys/kernel/notes; count 0: unreadable. */
struct build_id kallsyms_build_id(void);
/* Returns the build-id of the loaded module @name from /sys/module/NAME/notes; count 0: there is
 * none, or it is unreadable. */
struct build_id kallsyms_module_build_id(const char *name);

#endif
