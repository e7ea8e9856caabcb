/* kernel_file.h - worker side: the debug file of the running kernel or of one of its modules.
 *
 * The file is mapped: vmlinux has 600 to 900 MB of debug information, of which a job needs a few
 * per cent. Runs only in a worker (and in tests and fuzzers).
 *
 * Source: ELF gABI, relocation; System V ABI, AMD64, 4.4.1; ELF for the Arm 64-bit Architecture.
 * Thread: the owner's.
 */
#ifndef ELF_KERNEL_FILE_H
#define ELF_KERNEL_FILE_H

#include "dwarf_file.h"
#include "sandbox/kernel_layout.h"

/* Reads the layout behind @fd, a sealed memfd. Returns 0 or -EINVAL. */
int kernel_layout_load(struct kernel_layout *out, int fd, struct diag *why);

/* Returns where the section @name is at run time; 0: it was not loaded. */
uint64_t kernel_layout_find(const struct kernel_layout *layout, const char *name);
/* Returns -ESTALE, with a sentence that names both build-ids. */
int kernel_file_is_stale(const struct build_id *found, const struct build_id *wanted,
			 struct diag *why);

/* Opens the debug file behind @fd for @layout; *@slide is what is to be added to an address in the
 * file for that of the running code: 0 for a module, whose sections are placed where they were
 * loaded. Returns 0; -ESTALE: the debug file of another build (@why names both build-ids);
 * -ENODATA: no debug information; -E2BIG: it takes more than @memory_bytes; or an error of
 * dwarf_file_open_mapped(). After an error nothing is open. */
int kernel_file_open(struct dwarf_file *out, int fd, enum dwarf_request request,
		     const struct kernel_layout *layout, uint64_t memory_bytes, uint64_t *slide,
		     struct diag *why);

#endif
