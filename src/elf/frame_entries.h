/* frame_entries.h - walks the unwind entries (CIEs and FDEs) of an ELF file.
 *
 * Source: DWARF 5, 6.4.1; LSB 5.0 core generic, 10.6 (.eh_frame, .eh_frame_hdr).
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_FRAME_ENTRIES_H
#define ELF_FRAME_ENTRIES_H

#include "byte_reader.h"
#include "elf_file.h"

struct frame_section {
	struct elf_bytes bytes;
	uint64_t vaddr;
	bool is_debug;			/* .debug_frame */
	bool is_32_bit;
};

/* Common information entry, shared by several FDEs. */
struct frame_cie {
	uint64_t number;		/* differs between consecutive CIEs of a walk */
	unsigned int encoding;		/* DW_EH_PE_*: how FDEs write addresses */
	bool has_augmentation;		/* FDEs have augmentation data, too */
	bool is_signal;			/* signal frame: the code was interrupted, not calling */
	uint64_t code_align;
	int64_t data_align;
	uint64_t return_register;
	struct byte_reader program;	/* initial instructions; is_bad: unreadable */
};

/* All pointers are valid during the visit. */
struct frame_entry {
	uint64_t vaddr;
	uint64_t offset, bytes;		/* file range; bytes > 0, all in an executable segment */
	const struct frame_section *section;
	const struct frame_cie *cie;
	struct byte_reader program;	/* instructions */
};

/* Returns 0 to continue; any other value ends the walk and becomes its result. */
typedef int frame_entry_visit(void *context, const struct frame_entry *entry);

/* Visits all FDEs of @main's code: in .eh_frame (found by section name, else by PT_GNU_EH_FRAME);
 * in .bolt.org.eh_frame (saved by BOLT); in .debug_frame, @debug's (NULL: none) if it has one, else
 * @main's. Skips damaged entries. Returns 0, or the value from @visit. */
int frame_entries_walk(struct elf_file *main, struct elf_file *debug, frame_entry_visit *visit,
		       void *context);

/* Visits the FDEs in @bytes, formatted as .eh_frame loaded at @vaddr, for code that is in no file:
 * their offset is 0. Otherwise like frame_entries_walk(). */
int frame_entries_read(struct elf_bytes bytes, uint64_t vaddr, frame_entry_visit *visit,
		       void *context);

/* Reads an encoded address from the program of @entry. */
uint64_t frame_entry_read_address(const struct frame_entry *entry, struct byte_reader *reader);

#endif
