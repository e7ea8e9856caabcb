/* dwarf_lines.h - child side of the source lines: a file and offsets -> struct line_chains. Runs
 * only in a worker of the zygote (and in tests and fuzzers). */
#ifndef ELF_DWARF_LINES_H
#define ELF_DWARF_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* What a job is made of; all are regular files or memfds. */
struct dwarf_lines_inputs {
	int object;
	int offsets;		/* in object, uint64_t each; at most LINE_ADDRESSES_MAX */
	int debug;		/* its debug file, or DWARF_LINES_NO_FILE; not used if it belongs
				 * to another object */
	/* The file that dwz made for the one that has the debug information; not used if its
	 * build-id is another. DWARF_LINES_NOT_ASKED: if there is one, the answer is only its name.
	 * DWARF_LINES_NO_FILE: there is none to be had. */
	int alternate;
};

#define DWARF_LINES_NO_FILE   (-1)
#define DWARF_LINES_NOT_ASKED (-2)

/* Finds all offsets. Debug information that takes more than @memory_bytes when it is read, or more
 * than DWARF_LINES_MEMORY_MAX, is refused before that. *@bytes is malloc'd for the caller, for
 * line_chains_check(). Returns 0, -ENODATA no debug information, -E2BIG over the limit (@why names
 * both sizes), -ENOEXEC, -EBADMSG, -EINVAL too many offsets, or -ENOMEM. */
int dwarf_lines_find(const struct dwarf_lines_inputs *inputs, uint64_t memory_bytes, void **bytes,
		     size_t *bytes_count, struct diag *why);

#define DWARF_LINES_MEMORY_MAX ((uint64_t)1 << 30)

#endif
