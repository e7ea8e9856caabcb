/* elf_symbols.h - the functions of a .symtab or .dynsym.
 * Thread: the owner's. Only in a worker (and in tests). */
#ifndef ELF_ELF_SYMBOLS_H
#define ELF_ELF_SYMBOLS_H

#include "elf/elf_file.h"
#include "elf/flat_builder.h"

/* A symbol table, read and not yet used. */
struct elf_symbols {
	struct elf_file *file;		/* BORROWED */
	struct elf_bytes symbols, names, indices;	/* indices: SHT_SYMTAB_SHNDX */
	size_t count;			/* of symbols, the empty first one included */
};

struct elf_symbol {
	uint64_t value, size;
	uint32_t name;		/* offset */
	uint32_t section;	/* 0: none, or none that there is */
	uint8_t type, bind, visibility;
};

/* The table of @type (SHT_SYMTAB, SHT_DYNSYM) of @file. 0; -ENOENT there is none (or it is empty,
 * as in debug files); -EBADMSG damaged; -E2BIG. */
int elf_symbols_read(struct elf_symbols *out, struct elf_file *file, uint32_t type,
		     struct diag *why);
/* @index < count. */
struct elf_symbol elf_symbols_get(const struct elf_symbols *symbols, size_t index);
/* Without its version ("name@VER"); bytes 0: none, or it does not end. BORROWED from the file. */
struct flat_name elf_symbols_name(const struct elf_symbols *symbols,
				  const struct elf_symbol *symbol);

struct elf_function {
	uint64_t offset, size;	/* in the file that runs; size 0: unknown */
	struct flat_name name;	/* BORROWED; never empty */
	unsigned int rank;	/* of aliases: flat_builder.h */
	bool is_resolver;	/* STT_GNU_IFUNC */
};

/* Whether symbol @index (< count) is a function that has a place in @main, as below. */
bool elf_symbols_function(const struct elf_symbols *symbols, size_t index,
			  const struct elf_file *main, struct elf_function *out);

/* Adds the functions to @builder, at the places where @main (the file that runs: its program
 * headers were read) has them. A symbol that does not fit costs its own row. 0, -ENOMEM or
 * -E2BIG. */
int elf_symbols_add(const struct elf_symbols *symbols, const struct elf_file *main,
		    struct flat_builder *builder);

#endif
