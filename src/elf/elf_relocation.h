/* elf_relocation.h - the relocations that the dynamic loader applies.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_ELF_RELOCATION_H
#define ELF_ELF_RELOCATION_H

#include "elf/elf_file.h"

struct elf_relocation {
	uint64_t place, addend;	/* addend is 0 if stored at the place itself (SHT_REL) */
	uint32_t type, symbol;
};

/* The relocations of one section. */
struct elf_relocations {
	struct elf_bytes bytes;
	size_t entry_bytes, count;
	bool is_32_bit;
};

/* Reads the relocations of @section. Count 0: it has none for the loader, or is damaged. */
struct elf_relocations elf_relocations_read(struct elf_file *file,
					    const struct elf_section *section);
/* @index < count. */
struct elf_relocation elf_relocations_get(const struct elf_relocations *relocations, size_t index);

#endif
