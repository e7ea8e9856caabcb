/* elf_fixture.h - ELF files made by the compiler of this machine or of the other one, and what
 * readelf(1) and nm(1) say of them, for the tests of the symbolizer. */
#ifndef TESTS_ELF_FIXTURE_H
#define TESTS_ELF_FIXTURE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sandbox/flat_table.h"

/* What the names of the compiler and binutils of each machine begin with: X86_TOOLS "gcc". Those
 * of the machine that runs the test are there. */
#ifdef __aarch64__
#define X86_TOOLS     "x86_64-linux-gnu-"
#define AARCH64_TOOLS ""
#define ENDLESS_LOOP  "b ."
#else
#define X86_TOOLS     ""
#define AARCH64_TOOLS "aarch64-linux-gnu-"
#define ENDLESS_LOOP  "jmp ."	/* in assembly of the machine that runs the test */
#endif

/* Group set-up and tear-down: a directory for the files. */
int elf_fixture_make_directory(void **state);
int elf_fixture_remove_directory(void **state);

/* The path of @name there; of the last eight that were asked for. */
const char *elf_fixture_path(const char *name);
void elf_fixture_write(const char *name, const void *bytes, size_t count);
/* Runs a shell command in the directory. False: it failed. */
bool elf_fixture_run(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Builds the fixture's C source with these flags; returns its path. Skips the test where that kind
 * cannot be built (no lld). */
const char *elf_fixture_build(const char *name, const char *flags);

struct elf_bytes_copy {
	unsigned char *at;	/* malloc'd */
	size_t count;
};

struct elf_bytes_copy elf_fixture_read(const char *path);
/* The header of a section in the bytes of a 64-bit file. */
Elf64_Shdr *elf_fixture_section(const struct elf_bytes_copy *bytes, const char *name);

/* Compiles a file that must compile; @debug_path may be NULL. elf_fixture_free(). */
struct flat_table elf_fixture_compile(const char *path, const char *debug_path);
/* The same for bytes: 0 with *@out, which passed the check, or an error that is for files. */
int elf_fixture_compile_bytes(const void *bytes, size_t count, struct flat_table *out);
int elf_fixture_compile_pair(const struct elf_bytes_copy *main, const struct elf_bytes_copy *debug,
			     struct flat_table *out);
void elf_fixture_free(const struct flat_table *table);

struct elf_load {
	uint64_t offset, vaddr, bytes;
};

struct elf_loads {
	struct elf_load rows[32];
	size_t count;
};

/* Executable LOAD lines of readelf -lW. */
struct elf_loads elf_fixture_loads(const char *path);
bool elf_fixture_to_offset(const struct elf_loads *loads, uint64_t vaddr, uint64_t *offset);

/* A line of nm -S. */
struct elf_listed {
	uint64_t vaddr, size;	/* size 0: nm gives none */
	char type, name[1024];
};

FILE *elf_fixture_start_nm(const char *path, const char *flags);
/* False: the line is none of code. */
bool elf_fixture_read_listed(const char *line, struct elf_listed *out);
/* The address of a symbol, by nm; fails the test when it is not there. */
uint64_t elf_fixture_vaddr(const char *path, const char *symbol);

/* The row at @symbol + @into (of @nm_path, which has symbols) is called @wanted; NULL: there is
 * none. Returns its kind. */
enum flat_kind elf_fixture_expect(const struct flat_table *table, const char *nm_path,
				  const char *symbol, uint64_t into, const char *wanted);
/* The row called @name, or FLAT_NONE. */
uint32_t elf_fixture_find(const struct flat_table *table, const char *name);

#endif
