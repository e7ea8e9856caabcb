/* elf_marks.h - the USDT probes ("marks") of an ELF file (DTRACE_PROBE() of sys/sdt.h):
 * .note.stapsdt.
 *
 * Source: SystemTap, "UserSpaceProbeImplementation"; sys/sdt.h.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_ELF_MARKS_H
#define ELF_ELF_MARKS_H

#include "elf/elf_file.h"

#define ELF_MARKS_MAX	   100000	/* the largest programs known have 10,000 */
#define ELF_MARK_TEXT_MAX  1024		/* 12 arguments of 80 bytes; longer texts are left out */

struct elf_mark {
	uint64_t offset;	/* file offset of the instruction */
	uint64_t semaphore;	/* file offset of its 16-bit count of listeners; 0: none */
	const char *provider, *name, *arguments;	/* BORROWED from the file; NUL-terminated */
};

/* Returns 0 to continue; any other value ends elf_marks_read() and becomes its result. */
typedef int elf_mark_sink(void *context, const struct elf_mark *mark);

/* Calls @sink for every mark of @file, whose segments were read, in the order of the notes. Skips
 * marks that are damaged or outside the file's code. Returns 0 (also if there are none), or the
 * value from @sink. */
int elf_marks_read(struct elf_file *file, elf_mark_sink *sink, void *context);

#endif
