/* elf_unwind.h - finds where functions begin and end according to their unwind entries.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_ELF_UNWIND_H
#define ELF_ELF_UNWIND_H

#include "elf/elf_file.h"
#include "elf/flat_builder.h"

/* Adds the ranges of all FDEs that frame_entries_walk() finds. Returns 0, -ENOMEM or -E2BIG. */
int elf_unwind_add(struct elf_file *main, struct elf_file *debug, struct flat_builder *builder);

#endif
