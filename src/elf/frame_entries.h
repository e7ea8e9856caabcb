/* frame_entries.h - walks the unwind entries (CIEs and FDEs) of an ELF file.
 *
 * Source: DWARF 5, 6.4.1; LSB 5.0 core generic, 10.6 (.eh_frame, .eh_frame_hdr).
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_FRAME_ENTRIES_H
#define ELF_FRAME_ENTRIES_H

#include "byte_reader.h"
#include "elf/elf_file.h"

struct frame_section {
	struct elf_bytes bytes;
	uint64_t vaddr;
	bool is_debug;			/* .debug_frame */
	bool is_32_bit;
};

/* What some entries have in common. */
struct frame_cie {
	uint64_t number;		/* no two CIEs of a walk that follow each other have one */
	unsigned int encoding;		/* DW_EH_PE_*: how FDEs write addresses */
	bool has_augmentation;		/* in FDEs too */
	bool is_signal;			/* the frame's code was interrupted, it did not call */
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_register;
	struct byte_reader program;	/* initial instructions; is_bad: unreadable */
};

/* All pointers are valid during the visit. */
struct frame_entry {
	uint64_t vaddr;
	uint64_t offset, bytes;		/* in the file; bytes > 0, all in a segment of code */
	const struct frame_section *section;
	const struct frame_cie *cie;
	struct byte_reader program;	/* instructions */
};

/* Not 0: the walk ends, and that is what it returns. */
typedef int frame_entry_visit(void *context, const struct frame_entry *entry);

/* Visits all FDEs that lie in @main's code: those of .eh_frame, by the section's name, else by
 * PT_GNU_EH_FRAME; of .bolt.org.eh_frame (what BOLT moved away); of .debug_frame, @debug's (NULL:
 * none) if it has one. What is damaged is left out. 0, or what @visit said. */
int frame_entries_walk(struct elf_file *main, struct elf_file *debug, frame_entry_visit *visit,
		       void *context);

/* The same for the FDEs in @bytes, a section of .eh_frame's form as it would lie at @vaddr, of code
 * that is in no file: their offset is 0. */
int frame_entries_read(struct elf_bytes bytes, uint64_t vaddr, frame_entry_visit *visit,
		       void *context);

/* An address in the program of @entry. */
uint64_t frame_entry_read_address(const struct frame_entry *entry, struct byte_reader *reader);

#endif
