/* dwarf_files.h - worker side: the DSO, its debug file and dwz's file of one job, and whether what
 * they hold may be read.
 *
 * Use:    zero it, dwarf_files_open(), dwarf_files_check_cost(), then either reply with
 *         dwarf_files_alternate_name() because dwz's file is needed first, or dwarf_files_read().
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_DWARF_FILES_H
#define ELF_DWARF_FILES_H

#include "dwarf_file.h"
#include "sandbox/lines.h"

struct dwarf_files {
	struct dwarf_file dso, debug, alternate;
	struct dwarf_file *source;	/* DSO or debug: the one with debug information */
	bool is_of_kernel;
	uint64_t slide;		/* is_of_kernel: address of running code minus that in the file */
};

/* Opens the files and reads the DSO's segments. @debug and @alternate: -1 for none; they are
 * ignored if they belong to another DSO. Returns 0 or an error of dwarf_file_open(). */
int dwarf_files_open(struct dwarf_files *files, int dso, int debug, int alternate,
		     struct diag *why);
/* Opens @dso, the debug file of the kernel or of a module; @layout: a sealed struct kernel_layout.
 * What requests and replies call offsets are then addresses of the running code. Returns 0 or an
 * error of kernel_file_open(). */
int dwarf_files_open_kernel(struct dwarf_files *files, int dso, int layout, uint64_t memory_bytes,
			    struct diag *why);
void dwarf_files_close(struct dwarf_files *files);	/* a zeroed one is fine */

/* Returns 0, or -E2BIG if the debug information takes more than @memory_bytes. */
int dwarf_files_check_cost(const struct dwarf_files *files, uint64_t memory_bytes,
			   struct diag *why);
/* Returns whether the debug information refers to a file of dwz's that is not open. */
bool dwarf_files_lack_alternate(const struct dwarf_files *files);
/* Writes the name of dwz's file: the path below .dwz, where distributions keep such files, or the
 * base name; "" if it is too long. */
void dwarf_files_alternate_name(const struct dwarf_files *files, char out[LINE_ALTERNATE_BYTES]);
/* Reads the debug information, dwarf_file_read(), of dwz's file first. */
int dwarf_files_read(struct dwarf_files *files, struct diag *why);

/* Converts a file offset to an address in the debug information. Returns false if it is not in
 * the DSO's code. */
bool dwarf_files_address(const struct dwarf_files *files, uint64_t offset, uint64_t *address);
/* Converts an address in the debug information to a file offset. *@left: how many bytes from there
 * follow each other in the file, too. Returns false if it is not in the DSO's code. */
bool dwarf_files_offset(const struct dwarf_files *files, uint64_t address, uint64_t *offset,
			uint64_t *left);

#endif
