/* flat_choice.h - chooses which of the entries at an address names it, and computes the size of
 * sizeless ones, by the rules of elf/flat_builder.h.
 * Thread: the owner's. */
#ifndef ELF_FLAT_CHOICE_H
#define ELF_FLAT_CHOICE_H

#include "flat_entry.h"

/* Reduces the sorted all->places to those of rows and sets row_count. Afterwards the entries of
 * rows have a name, and a size that is not 0 and does not wrap. */
void flat_choice_make(struct flat_entries *all, uint64_t sizeless_cap);

#endif
