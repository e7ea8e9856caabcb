/* elf_file.h - reads one untrusted ELF file: headers checked against the file's size, and bytes.
 *
 * Source: ELF gABI; libelf (elf_begin with ELF_C_READ: reads, never maps, no SIGBUS). Only the
 *         debug files of the kernel are mapped: elf_file_open_mapped().
 * Trust:  addresses, offsets and sizes are untrusted numbers, but ranges documented as lying inside
 *         the file do. Names are NUL-terminated.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_ELF_FILE_H
#define ELF_ELF_FILE_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"

struct elf_bytes {
	const unsigned char *at;	/* BORROWED from the file; NULL: missing, or damaged */
	size_t count;
};

struct elf_section {
	const char *name;	/* "" also for names longer than any that is looked up */
	uint64_t vaddr, offset, bytes;
	uint64_t flags;
	uint32_t type, link;
	uint32_t target;	/* SHT_RELA, SHT_REL: number of the section that they change */
	bool was_read;		/* this and the following fields are private to elf_file.c */
	struct elf_bytes content;
	void *owned;
};

/* The part of a PT_LOAD segment that lies in the file. */
struct elf_segment {
	uint64_t vaddr, offset, bytes;	/* vaddr + bytes does not wrap */
	bool is_code;
};

struct elf_file {
	Elf *elf;
	int fd;			/* BORROWED */
	const unsigned char *image;	/* BORROWED; NULL: the file is read through fd */
	unsigned char *mapped;	/* owned; the same as image if the file is mapped, else NULL */
	uint64_t file_bytes;
	uint64_t unread_bytes;	/* remaining budget for reads */
	GElf_Ehdr header;
	bool is_32_bit;
	struct elf_section *sections;	/* indexed by section number; [0] is unused */
	size_t section_count;
	struct elf_segment *segments;	/* sorted by vaddr; none in debug files: garbage there */
	size_t segment_count;
	struct elf_bytes section_names;
};

/* Opens the file behind @fd, which must stay open. Returns 0; -ENOEXEC: no ELF file, or another
 * byte order; -EBADMSG: damaged; -E2BIG; -ENOMEM. After an error there is nothing to close. */
int elf_file_open(struct elf_file *out, int fd, struct diag *why);
/* Opens an ELF file in memory at @image, which must outlive @out. Errors as elf_file_open(). */
int elf_file_open_image(struct elf_file *out, void *image, size_t bytes, struct diag *why);
/* Like elf_file_open(), but maps the file (private, so that it can be changed in memory) instead of
 * reading it. For files of which little is needed and that are too large to be read: the kernel's
 * debug information. A file that is cut short meanwhile ends the process by SIGBUS, so only a
 * worker may call it. */
int elf_file_open_mapped(struct elf_file *out, int fd, struct diag *why);
void elf_file_close(struct elf_file *file);

/* Returns the bytes of @section in the private mapping of a file opened by elf_file_open_mapped(),
 * which may be changed; NULL: compressed, or outside the file. */
unsigned char *elf_file_edit(struct elf_file *file, const struct elf_section *section);
/* Sets the address of @section, and of the same section as libelf sees it. False: impossible. */
bool elf_file_place(struct elf_file *file, const struct elf_section *section, uint64_t vaddr);
/* Replaces what elf_file_read_segments() would read by one segment per section of code. Returns 0
 * or -ENOMEM. */
int elf_file_make_segments(struct elf_file *file, struct diag *why);

/* Reads the program headers. Returns 0, -EBADMSG or -ENOMEM. */
int elf_file_read_segments(struct elf_file *file, struct diag *why);
/* Returns the segment that contains @vaddr in the file, or NULL. Assumes that none overlap. */
const struct elf_segment *elf_file_find_segment(const struct elf_file *file, uint64_t vaddr);
/* Returns whether @vaddr is in an executable segment; sets *@offset to its file offset and *@left
 * to the number of bytes from there to the segment's end. */
bool elf_file_find_code(const struct elf_file *file, uint64_t vaddr, uint64_t *offset,
			uint64_t *left);

bool elf_file_is_code(const struct elf_section *section);
/* Return the first section with that name or type; NULL: none. */
const struct elf_section *elf_file_section(const struct elf_file *file, const char *name);
const struct elf_section *elf_file_section_of_type(const struct elf_file *file, uint32_t type);
/* Returns the section's bytes, decompressed if necessary. */
struct elf_bytes elf_file_read(struct elf_file *file, const struct elf_section *section);
/* Frees the memory of the section's bytes; they can be read again. */
void elf_file_drop(struct elf_file *file, const struct elf_section *section);
/* Returns @bytes bytes of the file at @offset. */
struct elf_bytes elf_file_read_at(struct elf_file *file, uint64_t offset, uint64_t bytes);

/* Returns the build-id from PT_NOTE, where the kernel looks, too (its records carry what it finds
 * there); in a file without segments, from the note sections. Count 0: none. */
struct build_id elf_file_build_id(struct elf_file *file);

/* The relocations that the dynamic loader applies.
 * Thread: the owner's. Only in a worker (and in tests). */

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
