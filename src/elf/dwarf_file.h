/* dwarf_file.h - worker side: an ELF file opened for its debug information, whose size is known
 * before it is read. Runs only in a worker (and in tests and fuzzers).
 *
 * Source: libelf, libdw (elf_begin with ELF_C_READ: reads, never maps, no SIGBUS); DWARF 5;
 *         .gnu_debugaltlink as dwz(1) writes it.
 * Thread: the owner's.
 */
#ifndef ELF_DWARF_FILE_H
#define ELF_DWARF_FILE_H

#include <elfutils/libdw.h>

#include "elf_file.h"

struct dwarf_file {
	struct elf_file elf;
	Dwarf *dwarf;		/* owned; NULL before dwarf_file_read() */
	uint64_t debug_bytes;	/* memory needed to read the debug information; 0: there is none */
	struct build_id alternate;	/* build-id of the shared dwz file; count 0: none */
	const char *alternate_path;	/* untrusted text, BORROWED from elf; NULL: none */
};

/* Opens the file behind @fd, which stays the caller's and must outlive @file, and adds up the sizes
 * of the debug sections that line lookup needs, without reading them. Returns 0 or an error of
 * elf_file_open(); then nothing is open. */
int dwarf_file_open(struct dwarf_file *file, int fd, struct diag *why);
/* Like dwarf_file_open(); DWARF_LOCATIONS also counts the sections with variables' locations. */
enum dwarf_request { DWARF_LINES, DWARF_LOCATIONS };
int dwarf_file_open_with(struct dwarf_file *file, int fd, enum dwarf_request request,
			 struct diag *why);
/* Like dwarf_file_open_with(), but maps the file: elf_file_open_mapped(). Sections that are not
 * compressed then count as one byte in debug_bytes: the kernel can drop their pages at any time. */
int dwarf_file_open_mapped(struct dwarf_file *file, int fd, enum dwarf_request request,
			   struct diag *why);
void dwarf_file_close(struct dwarf_file *file);	/* a zeroed one is fine */

/* Reads (and inflates) the debug information. @alternate: the file that .gnu_debugaltlink refers
 * to, already read, must outlive @file; NULL: names that are in there stay unknown. Returns 0;
 * -ENODATA: no debug information; -EBADMSG. Out of memory ends the process by exit(3): libdw has no
 * other way to report it. */
int dwarf_file_read(struct dwarf_file *file, const struct dwarf_file *alternate, struct diag *why);

/* Translates a file offset, as in flat tables, to a virtual address with the executable PT_LOAD
 * that contains it, after elf_file_read_segments(). Returns false if none does. */
bool dwarf_file_address(const struct dwarf_file *file, uint64_t offset, uint64_t *address);

#endif
