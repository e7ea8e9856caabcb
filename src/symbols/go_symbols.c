/* go_symbols.c - see symbols/go_symbols.h.
 *
 *   .gopclntab  | magic 4 | 0 0 | quantum 1 | word size 1 | words: functions, files, ... offsets |
 *   functions   | pc, function | pc, function | ... | end pc |     one pair more than functions
 *   function    | pc | offset of the name 4 | ...
 *
 *                 pc             where the words say              names from       functions from
 *   1.2           word           -                                the start        the start
 *   1.16          word           -                                word 2           word 6
 *   1.18, 1.20    4, from text   text in word 2                   word 3           word 7
 *   1.26          the same, but word 2 is 0: text is in the runtime's moduledata
 *
 * The start of the text is never guessed from sections: with cgo the first code is not Go's.
 *
 * Not read: programs of Go 1.16 and 1.17 that are position-independent. Each pc of their table is a
 * relocation; they are as rare as old.
 */
#include "symbols/go_symbols.h"

#include <string.h>

#include "symbols/elf_relocation.h"

#define GO_1_2	0xfffffffbu
#define GO_1_16 0xfffffffau
#define GO_1_18 0xfffffff0u
#define GO_1_20 0xfffffff1u

#define HEADER_BYTES	8
#define MODULE_TEXT	22	/* word of moduledata: runtime.text; the same in 1.16 to 1.26 */
#define RANK		6	/* as a local function: elf_symbols.c */

struct go_table {
	struct elf_bytes bytes;
	unsigned int word_bytes;
	unsigned int pc_bytes;	/* of a pc, and of the function's offset beside it */
	uint64_t text;		/* what a pc counts from */
	uint64_t names;		/* offsets in bytes */
	uint64_t functions;	/* of the pairs */
	uint64_t base;		/* what the offset of a function counts from */
	uint64_t count;
};

static bool read_number(const struct elf_bytes *bytes, uint64_t at, unsigned int size,
			uint64_t *number)
{
	*number = 0;
	if (at > bytes->count || size > bytes->count - at)
		return false;
	memcpy(number, bytes->at + at, size);	/* little-endian, as this machine */
	return true;
}

static bool read_word(const struct go_table *table, unsigned int index, uint64_t *word)
{
	return read_number(&table->bytes, HEADER_BYTES + (uint64_t)index * table->word_bytes,
			   table->word_bytes, word);
}

/* What the loader adds the load address to and puts at @place; 0: nothing. */
static uint64_t find_relative(struct elf_file *file, uint64_t place)
{
	for (size_t i = 1; i < file->section_count; i++) {
		struct elf_relocations all = elf_relocations_read(file, &file->sections[i]);

		for (size_t j = 0; j < all.count; j++) {
			struct elf_relocation relocation = elf_relocations_get(&all, j);

			/* The same number on i386. */
			if (relocation.place == place && relocation.type == R_X86_64_RELATIVE)
				return relocation.addend;
		}
	}
	return 0;
}

/* A word in @section as it is when the program runs, less the load address. */
static uint64_t read_pointer(struct elf_file *file, const struct elf_section *section, uint64_t at,
			     unsigned int word_bytes)
{
	struct elf_bytes bytes = elf_file_read(file, section);
	uint64_t word;

	if (!bytes.at || !read_number(&bytes, at, word_bytes, &word))
		return 0;
	return word ? word : find_relative(file, section->vaddr + at);
}

static bool find_text(struct go_table *table, struct elf_file *file,
		      const struct elf_section *section)
{
	const struct elf_section *module = elf_file_section(file, ".go.module");

	table->text = read_pointer(file, section, HEADER_BYTES + 2 * table->word_bytes,
				   table->word_bytes);
	if (!table->text && module)
		table->text = read_pointer(file, module, MODULE_TEXT * table->word_bytes,
					   table->word_bytes);
	return table->text != 0;
}

/* Word @names of the header says where names are, word @functions where the pairs. */
static bool read_places(struct go_table *table, unsigned int names, unsigned int functions)
{
	bool is_read = read_word(table, names, &table->names) &&
		       read_word(table, functions, &table->functions);

	table->base = table->functions;
	return is_read;
}

static bool read_header(struct go_table *table, struct elf_file *file,
			const struct elf_section *section)
{
	const unsigned char *at;
	uint64_t magic;

	table->bytes = elf_file_read(file, section);
	at = table->bytes.at;
	if (!at || table->bytes.count < HEADER_BYTES || at[4] || at[5] ||
	    (at[7] != 4 && at[7] != 8))
		return false;
	table->word_bytes = table->pc_bytes = at[7];
	read_number(&table->bytes, 0, 4, &magic);
	if (!read_word(table, 0, &table->count))
		return false;
	switch (magic) {
	case GO_1_2:
		table->functions = HEADER_BYTES + table->word_bytes;
		return true;
	case GO_1_16:
		return read_places(table, 2, 6);
	case GO_1_18:
	case GO_1_20:
		table->pc_bytes = 4;
		return read_places(table, 3, 7) && find_text(table, file, section);
	default:
		return false;
	}
}

/* The @index-th pair; that behind the last has no function. */
static bool read_pair(const struct go_table *table, uint64_t index, uint64_t *pc,
		      uint64_t *function)
{
	uint64_t at = table->functions + index * 2 * table->pc_bytes;

	*function = 0;
	if (!read_number(&table->bytes, at, table->pc_bytes, pc) ||
	    (index < table->count &&
	     !read_number(&table->bytes, at + table->pc_bytes, table->pc_bytes, function)))
		return false;
	*pc += table->text;
	return true;
}

static struct flat_name read_name(const struct go_table *table, uint64_t function)
{
	struct flat_name name = { .text = "" };
	const unsigned char *start, *end;
	uint64_t at;

	if (table->base > table->bytes.count || function > table->bytes.count ||
	    !read_number(&table->bytes, table->base + function + table->pc_bytes, 4, &at) ||
	    table->names > table->bytes.count || at >= table->bytes.count - table->names)
		return name;
	start = table->bytes.at + table->names + at;
	end = memchr(start, '\0', table->bytes.count - table->names - (size_t)at);
	if (end)
		name = (struct flat_name){ (const char *)start, (size_t)(end - start) };
	return name;
}

static int add_function(const struct elf_file *main, struct flat_builder *builder, uint64_t start,
			uint64_t end, struct flat_name name)
{
	uint64_t offset, left, bytes = end - start;

	if (start >= end || !name.bytes || !elf_file_find_code(main, start, &offset, &left))
		return 0;
	return flat_builder_add_borrowed(builder, offset, bytes < left ? bytes : left, name, RANK);
}

static int add_functions(const struct go_table *table, const struct elf_file *main,
			 struct flat_builder *builder)
{
	uint64_t start, function, end, next;
	int err = 0;

	if (table->functions > table->bytes.count || table->count > table->bytes.count ||
	    !read_pair(table, 0, &start, &function))
		return 0;
	for (uint64_t i = 0; i < table->count && !err; i++) {
		if (!read_pair(table, i + 1, &end, &next))
			break;
		err = add_function(main, builder, start, end, read_name(table, function));
		start = end;
		function = next;
	}
	return err;
}

int go_symbols_add(struct elf_file *main, struct flat_builder *builder)
{
	const struct elf_section *section = elf_file_section(main, ".gopclntab");
	struct go_table table = { .count = 0 };

	if (!section)	/* position-independent, up to 1.25 */
		section = elf_file_section(main, ".data.rel.ro.gopclntab");
	if (!section || !read_header(&table, main, section))
		return 0;
	return add_functions(&table, main, builder);
}
