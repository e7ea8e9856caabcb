/* elf_marks.h - the USDT marks of an ELF file (DTRACE_PROBE() of sys/sdt.h): .note.stapsdt.
 *
 * Source: SystemTap, "UserSpaceProbeImplementation"; sys/sdt.h.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_ELF_MARKS_H
#define ELF_ELF_MARKS_H

#include "elf/elf_file.h"

#define ELF_MARKS_MAX	   100000	/* the largest programs known have 10,000 */
#define ELF_MARK_TEXT_MAX  1024		/* 12 arguments of 80 letters; longer texts are left out */

struct elf_mark {
	uint64_t offset;	/* in the file, of the instruction */
	uint64_t semaphore;	/* in the file, of its 16-bit count of listeners; 0: has none */
	const char *provider, *name, *arguments;	/* BORROWED from the file; terminated */
};

/* 0 to go on, else the value that elf_marks_read() returns. */
typedef int elf_mark_sink(void *context, const struct elf_mark *mark);

/* Tells @sink every mark of @file, whose segments were read, in the order of the notes. A mark that
 * is damaged, or lies in no code of the file, costs itself. 0, also when there are none. */
int elf_marks_read(struct elf_file *file, elf_mark_sink *sink, void *context);

#endif
