/* elf_minidebug.h - the symbols that Fedora leaves in its stripped files: .gnu_debugdata, a small
 * ELF file packed with xz.
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

/* Unpacks and opens it. 0; -ENOENT @main has none; -EBADMSG it cannot be read; -E2BIG it is larger
 * than any seen; -ENOMEM. After a failure *@out is as zeroed. */
int elf_minidebug_open(struct elf_minidebug *out, struct elf_file *main);
void elf_minidebug_close(struct elf_minidebug *minidebug);	/* also when zeroed */

#endif
