/* flat_choice.h - which of the entries at an address names it, and how far sizeless ones reach:
 * the rules of elf/flat_builder.h.
 * Thread: the owner's. */
#ifndef ELF_FLAT_CHOICE_H
#define ELF_FLAT_CHOICE_H

#include "flat_entry.h"

/* Of the sorted places only those of rows stay; their entries have a size that neither is 0 nor
 * wraps, and a name. */
void flat_choice_make(struct flat_entries *all, uint64_t sizeless_cap);

#endif
