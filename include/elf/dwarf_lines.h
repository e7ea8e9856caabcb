/* dwarf_lines.h - worker side of source lines: a file and offsets -> struct line_chains. Runs only
 * in a worker of the zygote (and in tests and fuzzers). */
#ifndef ELF_DWARF_LINES_H
#define ELF_DWARF_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Input descriptors of a job: regular files or memfds. */
struct dwarf_lines_inputs {
	int object;
	int offsets;		/* uint64_t file offsets in object, at most LINE_ADDRESSES_MAX */
	int debug;		/* object's debug file, or DWARF_LINES_NO_FILE; ignored if it
				 * belongs to another object */
	/* The shared dwz file that the debug information refers to; ignored if its build-id is not
	 * the one. DWARF_LINES_NOT_ASKED: if one is referred to, the reply is only its name.
	 * DWARF_LINES_NO_FILE: it could not be found, do without it. */
	int alternate;
};

#define DWARF_LINES_NO_FILE   (-1)
#define DWARF_LINES_NOT_ASKED (-2)

/* Finds the line chains of all offsets. Debug information that would take more than @memory_bytes
 * or DWARF_LINES_MEMORY_MAX is not read. *@bytes is malloc'd for the caller, for
 * line_chains_check(). Returns 0; -ENODATA: no debug information; -E2BIG: over the limit (@why
 * names both sizes); -ENOEXEC; -EBADMSG; -EINVAL: too many offsets; or -ENOMEM. */
int dwarf_lines_find(const struct dwarf_lines_inputs *inputs, uint64_t memory_bytes, void **bytes,
		     size_t *bytes_count, struct diag *why);

#define DWARF_LINES_MEMORY_MAX ((uint64_t)1 << 30)

#endif
