/* elf_minidebug.h - MiniDebugInfo, the symbols that Fedora keeps in stripped files: .gnu_debugdata,
 * a small ELF file compressed with xz.
 *
 * Source: gdb's manual, "Debugging information in a special section"; liblzma.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_ELF_MINIDEBUG_H
#define ELF_ELF_MINIDEBUG_H

#include "elf/elf_file.h"

struct elf_minidebug {
	struct elf_file file;
	void *image;		/* owned */
};

/* Unpacks and opens the MiniDebugInfo of @main. Returns 0; -ENOENT: @main has none; -EBADMSG: it
 * can't be read; -E2BIG: larger than any seen; -ENOMEM. After an error *@out is zeroed. */
int elf_minidebug_open(struct elf_minidebug *out, struct elf_file *main);
void elf_minidebug_close(struct elf_minidebug *minidebug);	/* also when zeroed */

#endif
