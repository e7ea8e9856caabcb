/* elf_variant.h - damaged forms of an ELF file: each is the file with 1 to 6 edits where a parser
 * looks (headers, tables and the sections that name things); every eighth is cut short as well.
 *
 * Errors: a failed assertion of cmocka; abort() outside of its tests. */
#ifndef TESTS_ELF_VARIANT_H
#define TESTS_ELF_VARIANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ELF_VARIANT_ZONES 64

struct elf_zone {
	size_t offset, bytes;
};

/* A file without damage. */
struct elf_original {
	unsigned char *bytes;	/* owned: free() */
	size_t count;
	struct elf_zone zones[ELF_VARIANT_ZONES];
	size_t zone_count;
};

void elf_original_read(struct elf_original *file, const char *path);
/* The kernel's own: small, with dynamic symbols, unwind entries and notes. False: there is none. */
bool elf_original_copy_vdso(struct elf_original *file);

/* An anonymous file, the caller's. What it is follows from *@random (random_numbers.h). */
int elf_variant_make(uint64_t *random, const struct elf_original *file);
/* Keeps what is behind @fd in a new file at @path. */
void elf_variant_keep(int fd, const char *path);

#endif
