/* elf_debug_file.h - checks whether a file holds the symbols that were stripped from another.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_ELF_DEBUG_FILE_H
#define ELF_ELF_DEBUG_FILE_H

#include "elf/flat_builder.h"
#include "elf_file.h"

/* Contents of .gnu_debuglink; name.bytes 0: none. The name is BORROWED from the file. */
struct elf_debug_link {
	struct flat_name name;
	uint32_t crc;
};

struct elf_debug_link elf_debug_link_read(struct elf_file *file);

/* Returns whether @debug, open at @debug_fd, belongs to @main: their build-ids are equal or, if one
 * has none, the CRC in @main's debug link is the file's; and .text is at the same address in both,
 * which it isn't if @main was prelinked since. */
bool elf_debug_file_belongs(struct elf_file *main, struct elf_file *debug, int debug_fd);
/* Opens @debug_fd (-1: none) if it belongs to @main; else @out->elf is NULL; @out can be closed. */
void elf_debug_file_open(struct elf_file *out, struct elf_file *main, int debug_fd);

/* MiniDebugInfo, the symbols that Fedora keeps in stripped files: .gnu_debugdata,
 * a small ELF file compressed with xz.
 *
 * Source: gdb's manual, "Debugging information in a special section"; liblzma.
 * Thread: the owner's. Only in a worker (and in tests).
 */

struct elf_minidebug {
	struct elf_file file;
	void *image;		/* owned */
};

/* Unpacks and opens the MiniDebugInfo of @main. Returns 0; -ENOENT: @main has none; -EBADMSG: it
 * can't be read; -E2BIG: larger than any seen; -ENOMEM. After an error *@out is zeroed. */
int elf_minidebug_open(struct elf_minidebug *out, struct elf_file *main);
void elf_minidebug_close(struct elf_minidebug *minidebug);	/* also when zeroed */

#endif
