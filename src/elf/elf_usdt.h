/* elf_usdt.h - the USDT probes of an ELF file (DTRACE_PROBE() of sys/sdt.h): .note.stapsdt.
 *
 * Source: SystemTap, "UserSpaceProbeImplementation"; sys/sdt.h.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_ELF_USDT_H
#define ELF_ELF_USDT_H

#include "elf_file.h"

#define ELF_USDT_MAX	   100000	/* the largest programs known have 10,000 */
#define USDT_NOTE_TEXT_MAX  1024	/* 12 arguments of 80 bytes; longer texts are left out */

struct usdt_note {
	uint64_t offset;	/* file offset of the instruction */
	uint64_t semaphore;	/* file offset of its 16-bit count of listeners; 0: none */
	const char *provider, *name, *arguments;	/* BORROWED from the file; NUL-terminated */
};

/* Returns 0 to continue; any other value ends elf_usdt_read() and becomes its result. */
typedef int usdt_note_sink(void *context, const struct usdt_note *usdt);

/* Calls @sink for every USDT probe of @file, whose segments were read, in the order of the notes.
 * Skips USDT probes that are damaged or outside the file's code. Returns 0 (also if there are
 * none), or the value from @sink. */
int elf_usdt_read(struct elf_file *file, usdt_note_sink *sink, void *context);

#endif
