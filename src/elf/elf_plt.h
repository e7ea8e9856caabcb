/* elf_plt.h - names the PLT slots through which a DSO calls others.
 *
 * Source: System V ABI for x86-64, 5.2 (PLT) and 4.4 (relocations), and for i386, 5;
 *         SYSVABI64 (Arm), 11 (PLT), and AAELF64, 5.7 (relocations).
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_ELF_PLT_H
#define ELF_ELF_PLT_H

#include "elf/flat_builder.h"
#include "elf_file.h"

/* Adds "name@plt" for the slots in .plt, .plt.sec and .plt.got of a file for x86-64, i386 or
 * AArch64 whose program headers were read. A slot of an IFUNC gets its resolver's name. Damaged
 * slots are left out. Returns 0, -ENOMEM or -E2BIG. */
int elf_plt_add(struct elf_file *main, struct flat_builder *builder);

#endif
