/* dwarf_file.h - child side: an ELF file opened for its debug information, with what that will cost
 * known before. Runs only in a worker (and in tests and fuzzers).
 *
 * Source: libelf, libdw (elf_begin with ELF_C_READ: reads, never maps, no SIGBUS); DWARF 5;
 *         .gnu_debugaltlink as dwz(1) writes it.
 * Thread: the owner's.
 */
#ifndef ELF_DWARF_FILE_H
#define ELF_DWARF_FILE_H

#include <elfutils/libdw.h>

#include "elf/elf_file.h"

struct dwarf_file {
	struct elf_file elf;
	Dwarf *dwarf;		/* owned; after dwarf_file_read(), else NULL */
	uint64_t debug_bytes;	/* what reading its debug information will take; 0: it has none */
	struct build_id alternate;	/* of the shared file that dwz made; count 0: none */
	const char *alternate_path;	/* foreign, terminated. BORROWED from elf; NULL none */
};

/* Opens the file behind @fd, which stays the caller's and must outlive @file, and sums up its debug
 * sections; reads none of them. 0, or as elf_file_open(), then nothing is open. */
int dwarf_file_open(struct dwarf_file *file, int fd, struct diag *why);
/* The same for what needs other sections, too. */
enum dwarf_wish { DWARF_LINES, DWARF_LOCATIONS };
int dwarf_file_open_with(struct dwarf_file *file, int fd, enum dwarf_wish wish, struct diag *why);
void dwarf_file_close(struct dwarf_file *file);	/* a zeroed one is fine */

/* Reads (and inflates) the debug information. @alternate: the file that .gnu_debugaltlink means,
 * already read; NULL: names that are in there stay unknown. It must outlive @file. 0, -ENODATA
 * there is none, -EBADMSG. Out of memory ends the process, by exit(3): libdw knows no
 * other way. */
int dwarf_file_read(struct dwarf_file *file, const struct dwarf_file *alternate, struct diag *why);

/* Translates a file offset, as flat tables have them, into a virtual address by the executable
 * PT_LOAD that holds it, of those that elf_file_read_segments() found. False: none does. */
bool dwarf_file_address(const struct dwarf_file *file, uint64_t offset, uint64_t *address);

#endif
