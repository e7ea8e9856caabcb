/* elf_symbols.c - see elf_symbols.h.
 *
 * Problem: a profiler knows the file offset of a sample (address - mapping start + page offset);
 * the symbol table has virtual addresses; section offsets agree with neither where a linker or
 * optimizer made several executable segments.
 *
 * Idea: translate each st_value once, through the PT_LOAD that contains it. Then a look-up needs
 * neither segments nor a load bias. Whether a symbol is code is decided by the sections of the file
 * that has the symbol: a debug file numbers its sections differently.
 */
#include "elf_symbols.h"

#include <errno.h>
#include <string.h>

#define NAME_VERSION_SEP '@'	/* "name@VER", "name@@VER" in .symtab */

static size_t symbol_bytes(const struct elf_file *file)
{
	return file->is_32_bit ? sizeof(Elf32_Sym) : sizeof(Elf64_Sym);
}

static struct elf_bytes read_section_indices(struct elf_file *file, size_t symtab)
{
	for (size_t i = 1; i < file->section_count; i++)
		if (file->sections[i].type == SHT_SYMTAB_SHNDX && file->sections[i].link == symtab)
			return elf_file_read(file, &file->sections[i]);
	return (struct elf_bytes){ .at = NULL };
}

static int refuse_count(struct diag *why)
{
	return diag_set(why, -E2BIG, "more than %u symbols", FLAT_BUILDER_MAX_SYMBOLS);
}

int elf_symbols_read(struct elf_symbols *out, struct elf_file *file, uint32_t type,
		     struct diag *why)
{
	const struct elf_section *section = elf_file_section_of_type(file, type);

	*out = (struct elf_symbols){ .file = file };
	if (!section || section->bytes == 0)
		return -ENOENT;
	if (section->bytes / symbol_bytes(file) > FLAT_BUILDER_MAX_SYMBOLS)
		return refuse_count(why);
	if (section->link == 0 || section->link >= file->section_count)
		return diag_set(why, -EBADMSG, "damaged ELF file: symbols without names");
	out->symbols = elf_file_read(file, section);
	out->names = elf_file_read(file, &file->sections[section->link]);
	if (!out->symbols.at || !out->names.at)
		return diag_set(why, -EBADMSG, "damaged ELF file: its symbols cannot be read");
	out->indices = read_section_indices(file, (size_t)(section - file->sections));
	out->count = out->symbols.count / symbol_bytes(file);
	/* Checked again: the section may have been compressed. */
	return out->count > FLAT_BUILDER_MAX_SYMBOLS ? refuse_count(why) : 0;
}

static uint32_t section_of(const struct elf_symbols *symbols, size_t index, uint16_t number)
{
	Elf32_Word whole = number;

	if (number == SHN_XINDEX) {
		if (index >= symbols->indices.count / sizeof(whole))
			return 0;
		memcpy(&whole, symbols->indices.at + index * sizeof(whole), sizeof(whole));
	} else if (number >= SHN_LORESERVE) {
		return 0;
	}
	return whole < symbols->file->section_count ? whole : 0;
}

struct elf_symbol elf_symbols_get(const struct elf_symbols *symbols, size_t index)
{
	Elf64_Sym wide;
	Elf32_Sym narrow;

	if (symbols->file->is_32_bit) {
		memcpy(&narrow, symbols->symbols.at + index * sizeof(narrow), sizeof(narrow));
		wide = (Elf64_Sym){ narrow.st_name, narrow.st_info, narrow.st_other,
				    narrow.st_shndx, narrow.st_value, narrow.st_size };
	} else {
		memcpy(&wide, symbols->symbols.at + index * sizeof(wide), sizeof(wide));
	}
	return (struct elf_symbol){
		.value = wide.st_value, .size = wide.st_size, .name = wide.st_name,
		.section = section_of(symbols, index, wide.st_shndx),
		.type = ELF64_ST_TYPE(wide.st_info), .bind = ELF64_ST_BIND(wide.st_info),
		.visibility = ELF64_ST_VISIBILITY(wide.st_other),
	};
}

struct flat_name elf_symbols_name(const struct elf_symbols *symbols,
				  const struct elf_symbol *symbol)
{
	const struct elf_bytes *names = &symbols->names;
	const char *name, *end, *version;

	if (symbol->name >= names->count)
		return (struct flat_name){ .text = "" };
	name = (const char *)names->at + symbol->name;
	end = memchr(name, '\0', names->count - symbol->name);
	if (!end)
		return (struct flat_name){ .text = "" };
	version = memchr(name, NAME_VERSION_SEP, (size_t)(end - name));
	return (struct flat_name){ name, (size_t)((version ? version : end) - name) };
}

/* Returns whether perf shows @symbol as a function; a hidden NOTYPE symbol is a label in one. */
static bool is_function(const struct elf_symbol *symbol)
{
	switch (symbol->type) {
	case STT_FUNC:
	case STT_GNU_IFUNC:
		return true;
	case STT_NOTYPE:
		return symbol->visibility != STV_HIDDEN && symbol->visibility != STV_INTERNAL;
	default:
		return false;
	}
}

/* Returns whether @symbol, like "etext", marks the end of a section and doesn't name the code after
 * it. */
static bool is_end_mark(const struct elf_symbol *symbol, const struct elf_section *section)
{
	return !symbol->size && symbol->value - section->vaddr >= section->bytes;
}

/* Returns whether @name belongs to the assembler: a mapping symbol ("$x", "$d.12"), which says
 * whether code or data begins there, or a label (".L3"). AAELF64, 5.5.5. */
static bool is_assemblers(struct flat_name name)
{
	const char *text = name.text;

	if (name.bytes < 2)
		return false;
	return (text[0] == '$' && (text[1] == 'x' || text[1] == 'd') &&
		(name.bytes == 2 || text[2] == '.')) ||
	       (text[0] == '.' && text[1] == 'L');
}

/* Ranks aliases (flat_builder.h): not NOTYPE, then not LOCAL, then not WEAK. perf prefers LOCAL to
 * WEAK, by which libc's write() becomes __GI___libc_write if its debug file is installed. */
static unsigned int symbol_rank(const struct elf_symbol *symbol)
{
	return (symbol->type != STT_NOTYPE ? 4u : 0u) | (symbol->bind != STB_LOCAL ? 2u : 0u) |
	       (symbol->bind != STB_WEAK ? 1u : 0u);
}

bool elf_symbols_function(const struct elf_symbols *symbols, size_t index,
			  const struct elf_file *main, struct elf_function *out)
{
	struct elf_symbol symbol = elf_symbols_get(symbols, index);
	const struct elf_section *section = &symbols->file->sections[symbol.section];
	uint64_t left;

	if (!symbol.section || !is_function(&symbol) || !elf_file_is_code(section) ||
	    is_end_mark(&symbol, section) ||
	    !elf_file_find_code(main, symbol.value, &out->offset, &left))
		return false;
	out->size = symbol.size < left ? symbol.size : left;
	out->name = elf_symbols_name(symbols, &symbol);
	out->rank = symbol_rank(&symbol);
	out->is_resolver = symbol.type == STT_GNU_IFUNC;
	if (main->header.e_machine == EM_AARCH64 && symbol.type == STT_NOTYPE &&
	    is_assemblers(out->name))
		return false;
	return out->name.bytes > 0;
}

int elf_symbols_add(const struct elf_symbols *symbols, const struct elf_file *main,
		    struct flat_builder *builder)
{
	struct elf_function function;
	int err = 0;

	for (size_t i = 1; i < symbols->count && !err; i++)
		if (elf_symbols_function(symbols, i, main, &function))
			err = flat_builder_add_borrowed(builder, function.offset, function.size,
							function.name, function.rank);
	return err;
}
