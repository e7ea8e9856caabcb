/* elf_unwind.h - where functions begin and end according to their unwind entries.
 *
 * Source: DWARF 5, 6.4.1; LSB 5.0 core generic, 10.6 (.eh_frame, .eh_frame_hdr).
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef SYMBOLS_ELF_UNWIND_H
#define SYMBOLS_ELF_UNWIND_H

#include "symbols/elf_file.h"
#include "symbols/flat_builder.h"

/* Adds the ranges of all FDEs of @main that lie in its code: those of .eh_frame, by the section's
 * name, else by PT_GNU_EH_FRAME; of .bolt.org.eh_frame (what BOLT moved away); of .debug_frame,
 * @debug's (NULL: none) if it has one. What is damaged is left out. 0, -ENOMEM or -E2BIG. */
int elf_unwind_add(struct elf_file *main, struct elf_file *debug, struct flat_builder *builder);

#endif
