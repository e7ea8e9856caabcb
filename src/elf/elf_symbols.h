/* elf_symbols.h - the functions of a .symtab or .dynsym.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_ELF_SYMBOLS_H
#define ELF_ELF_SYMBOLS_H

#include "elf/flat_builder.h"
#include "elf_file.h"

/* A symbol table whose sections were read. */
struct elf_symbols {
	struct elf_file *file;		/* BORROWED */
	struct elf_bytes symbols, names, indices;	/* indices: SHT_SYMTAB_SHNDX */
	size_t count;			/* number of symbols, including the empty first one */
};

struct elf_symbol {
	uint64_t value, size;
	uint32_t name;		/* offset into names */
	uint32_t section;	/* section number; 0: none, or no such section */
	uint8_t type, bind, visibility;
};

/* Reads the table of @type (SHT_SYMTAB, SHT_DYNSYM) of @file. Returns 0; -ENOENT: none, or an empty
 * one as in debug files; -EBADMSG: damaged; -E2BIG. */
int elf_symbols_read(struct elf_symbols *out, struct elf_file *file, uint32_t type,
		     struct diag *why);
/* @index < count. */
struct elf_symbol elf_symbols_get(const struct elf_symbols *symbols, size_t index);
/* Returns the name without its version ("name@VER"); bytes 0: none, or not NUL-terminated. BORROWED
 * from the file. */
struct flat_name elf_symbols_name(const struct elf_symbols *symbols,
				  const struct elf_symbol *symbol);

struct elf_function {
	uint64_t offset, size;	/* file offset in @main; size 0: unknown */
	struct flat_name name;	/* BORROWED; never empty */
	unsigned int rank;	/* rank among aliases: flat_builder.h */
	bool is_resolver;	/* STT_GNU_IFUNC */
};

/* Returns whether symbol @index (< count) is a function with code in @main, the file that runs. */
bool elf_symbols_function(const struct elf_symbols *symbols, size_t index,
			  const struct elf_file *main, struct elf_function *out);

/* Adds the functions to @builder, at their file offsets in @main (the file that runs; its program
 * headers were read). Symbols outside @main's code are left out. Returns 0, -ENOMEM or -E2BIG. */
int elf_symbols_add(const struct elf_symbols *symbols, const struct elf_file *main,
		    struct flat_builder *builder);

#endif
