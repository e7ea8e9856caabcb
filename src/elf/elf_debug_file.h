/* elf_debug_file.h - whether a file holds the symbols that were stripped from another.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_ELF_DEBUG_FILE_H
#define ELF_ELF_DEBUG_FILE_H

#include "elf/elf_file.h"
#include "elf/flat_builder.h"

/* What .gnu_debuglink says; name.bytes 0: nothing. The name is BORROWED from the file. */
struct elf_debug_link {
	struct flat_name name;
	uint32_t crc;
};

struct elf_debug_link elf_debug_link_read(struct elf_file *file);

/* Whether @debug, which is open at @debug_fd, belongs to @main: their build-ids are equal; where
 * one has none, the CRC of @main's debug link is the file's. And .text lies at the same address:
 * it does not in a file that was prelinked since. */
bool elf_debug_file_belongs(struct elf_file *main, struct elf_file *debug, int debug_fd);
/* Opens @debug_fd (-1: none) if it does; else @out->elf is NULL, and closing it does no harm. */
void elf_debug_file_open(struct elf_file *out, struct elf_file *main, int debug_fd);

#endif
