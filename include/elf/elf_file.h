/* elf_file.h - one ELF file of a stranger: its headers, compared with its size, and its bytes.
 *
 * Source: ELF gABI; libelf (elf_begin with ELF_C_READ: reads, never maps, no SIGBUS).
 * Trust:  addresses, offsets and sizes here are foreign numbers; what is said to lie inside the
 *         file does. Names are terminated.
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
	const unsigned char *at;	/* BORROWED from the file; NULL: not there, or damaged */
	size_t count;
};

struct elf_section {
	const char *name;	/* "" also when it is longer than any that is looked for */
	uint64_t vaddr, offset, bytes;
	uint64_t flags;
	uint32_t type, link;
	bool was_read;		/* the rest is elf_file.c's own */
	struct elf_bytes content;
	void *owned;
};

/* A PT_LOAD, as much of it as lies in the file. */
struct elf_segment {
	uint64_t vaddr, offset, bytes;	/* vaddr + bytes does not wrap */
	bool is_code;
};

struct elf_file {
	Elf *elf;
	int fd;			/* BORROWED */
	const unsigned char *image;	/* BORROWED; NULL: by fd */
	uint64_t file_bytes;
	uint64_t unread_bytes;	/* how much may be read from now on */
	GElf_Ehdr header;
	bool is_32_bit;
	struct elf_section *sections;	/* by number; [0] is none */
	size_t section_count;
	struct elf_segment *segments;	/* by vaddr; debug files: none, theirs are garbage */
	size_t segment_count;
	struct elf_bytes section_names;
};

/* Opens the file behind @fd, which must stay open. 0, -ENOEXEC no ELF file, or one of another byte
 * order; -EBADMSG damaged, -E2BIG, -ENOMEM; then there is nothing to close. */
int elf_file_open(struct elf_file *out, int fd, struct diag *why);
/* The same for one that lies at @image, which must stay. */
int elf_file_open_image(struct elf_file *out, void *image, size_t bytes, struct diag *why);
void elf_file_close(struct elf_file *file);

/* Reads the program headers. 0, -EBADMSG or -ENOMEM. */
int elf_file_read_segments(struct elf_file *file, struct diag *why);
/* The segment that holds @vaddr in the file, or NULL. Overlapping ones are not told apart. */
const struct elf_segment *elf_file_find_segment(const struct elf_file *file, uint64_t vaddr);
/* Whether @vaddr is in the code of the file; *@offset is its file offset, *@left what the segment
 * has from there on. */
bool elf_file_find_code(const struct elf_file *file, uint64_t vaddr, uint64_t *offset,
			uint64_t *left);

bool elf_file_is_code(const struct elf_section *section);
/* NULL: there is none. */
const struct elf_section *elf_file_section(const struct elf_file *file, const char *name);
const struct elf_section *elf_file_section_of_type(const struct elf_file *file, uint32_t type);
/* The section's bytes, decompressed if need be. */
struct elf_bytes elf_file_read(struct elf_file *file, const struct elf_section *section);
/* Gives the memory of the section's bytes back; they can be read again. */
void elf_file_drop(struct elf_file *file, const struct elf_section *section);
/* Bytes at a place of the file. */
struct elf_bytes elf_file_read_at(struct elf_file *file, uint64_t offset, uint64_t bytes);

/* From PT_NOTE, where the kernel looks too: its records carry what it found there. A file without
 * segments: from its note sections. Count 0: none. */
struct build_id elf_file_build_id(struct elf_file *file);

#endif
