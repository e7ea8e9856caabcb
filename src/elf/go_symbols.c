/* go_symbols.c - see go_symbols.h.
 *
 *   .gopclntab  | magic 4 | 0 0 | quantum 1 | word size 1 | words: functions, files, ... offsets |
 *   functions   | pc, function | pc, function | ... | end pc |     one pair more than functions
 *   function    | pc | offset of the name 4 | 8 bytes | offset of its frame sizes 4 | ... flags 1
 *   frame sizes | change of the size, bytes of code with that size | ... | 0 |	LEB128; the
 *                 change with its sign in bit 0; the size before the first change is -1
 *
 *                 pc             the header words have            names from       functions from
 *   1.2           word           -                                the start        the start
 *   1.16          word           -                                word 2           word 6
 *   1.18, 1.20    4, from text   text in word 2                   word 3           word 7
 *   1.26          as 1.20, but word 2 is 0: text is in the runtime's moduledata
 *
 * Offsets of frame sizes are relative to the table's start in 1.2, else to the offset in the header
 * word before the functions' one. A frame size is the distance from sp to the return address of
 * x86-64, and that of aarch64 to the caller's frame. The bytes of code are in units of the header's
 * quantum. aarch64 keeps the return address of a frame of 0 bytes in x30, and else in its lowest
 * word; the word below has the caller's x29, which is the frame record that x29 points to:
 *
 *   x29 ->| x29 | <- sp x30 | locals ... | <- the caller's sp
 *
 * Assembly that switches to another stack is flagged: no size leads from there to its caller.
 *
 * The start of the text is never guessed from sections: with cgo the first code is not Go's.
 *
 * Not supported: position-independent programs of Go 1.16 and 1.17. Each pc of their table is a
 * relocation; they are old and rare.
 */
#include "go_symbols.h"

#include <string.h>

#include "elf_file.h"

#define GO_1_2	0xfffffffbu
#define GO_1_16 0xfffffffau
#define GO_1_18 0xfffffff0u
#define GO_1_20 0xfffffff1u

#define HEADER_BYTES	8
#define MODULE_TEXT	22	/* word of moduledata with runtime.text, in 1.16 to 1.26 */
#define RANK		6	/* rank of a local function: elf_symbols.c */

#define FRAME_SIZES_AT	12	/* offset from a function's pc */
#define FLAG_OUTERMOST	1	/* goexit, mstart, rt0_go */
#define FLAG_SETS_SP	2	/* systemstack, asmcgocall */

struct go_table {
	struct elf_bytes bytes;
	bool is_arm;		/* aarch64 */
	unsigned int quantum;	/* bytes of the shortest instruction */
	unsigned int word_bytes;
	unsigned int pc_bytes;	/* size of a pc and of the function offset beside it */
	uint64_t text;		/* address that a pc is relative to */
	uint64_t names;		/* offset of the names in `bytes` */
	uint64_t functions;	/* offset of the pairs in `bytes` */
	uint64_t base;		/* offset in `bytes` that a function's offset is relative to */
	uint64_t count;
	uint64_t sizes;		/* offset in `bytes` that frame size offsets are relative to */
	unsigned int flags_at;	/* offset of the flags from a function's pc; 0: no flags */
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

/* Returns the addend of the relative relocation at @place; 0: none. */
static uint64_t find_relative(struct elf_file *file, uint64_t place)
{
	/* R_386_RELATIVE has the same number as that of x86-64. */
	const uint32_t type = file->header.e_machine == EM_AARCH64 ? R_AARCH64_RELATIVE
								   : R_X86_64_RELATIVE;

	for (size_t i = 1; i < file->section_count; i++) {
		struct elf_relocations all = elf_relocations_read(file, &file->sections[i]);

		for (size_t j = 0; j < all.count; j++) {
			struct elf_relocation relocation = elf_relocations_get(&all, j);

			if (relocation.place == place && relocation.type == type)
				return relocation.addend;
		}
	}
	return 0;
}

/* Returns a word of @section with its relocation applied, minus the load address. */
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

/* Reads the offsets of the names, frame sizes and pairs from the header words @names,
 * @functions - 1 and @functions. */
static bool read_places(struct go_table *table, unsigned int names, unsigned int functions)
{
	bool is_read = read_word(table, names, &table->names) &&
		       read_word(table, functions - 1, &table->sizes) &&
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
	table->is_arm = file->header.e_machine == EM_AARCH64;
	table->quantum = at[6];
	table->word_bytes = table->pc_bytes = at[7];
	read_number(&table->bytes, 0, 4, &magic);
	if (!read_word(table, 0, &table->count))
		return false;
	switch (magic) {
	case GO_1_2:
		table->functions = HEADER_BYTES + table->word_bytes;
		return true;
	case GO_1_16:
		table->flags_at = 33;
		return read_places(table, 2, 6);
	case GO_1_18:
	case GO_1_20:
		table->flags_at = magic == GO_1_18 ? 33 : 37;
		table->pc_bytes = 4;
		return read_places(table, 3, 7) && find_text(table, file, section);
	default:
		return false;
	}
}

/* Reads pair @index; the one after the last has a pc, but no function. */
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

/* Called with the function at offset @function, whose code is from @start to @end. */
typedef int function_visit(void *context, const struct go_table *table, uint64_t start,
			   uint64_t end, uint64_t function);

static int visit_functions(const struct go_table *table, function_visit *visit, void *context)
{
	uint64_t start, function, end, next;
	int err = 0;

	if (table->functions > table->bytes.count || table->count > table->bytes.count ||
	    !read_pair(table, 0, &start, &function))
		return 0;
	for (uint64_t i = 0; i < table->count && !err; i++) {
		if (!read_pair(table, i + 1, &end, &next))
			break;
		err = visit(context, table, start, end, function);
		start = end;
		function = next;
	}
	return err;
}

/* Opens the table of @main. Returns false if it has no readable one. */
static bool open_table(struct go_table *table, struct elf_file *main)
{
	const struct elf_section *section = elf_file_section(main, ".gopclntab");

	*table = (struct go_table){ .count = 0 };
	if (!section)	/* name in position-independent programs up to 1.25 */
		section = elf_file_section(main, ".data.rel.ro.gopclntab");
	return section && read_header(table, main, section);
}

struct symbols {
	const struct elf_file *main;
	struct flat_builder *builder;
};

static int visit_symbol(void *context, const struct go_table *table, uint64_t start, uint64_t end,
			uint64_t function)
{
	const struct symbols *symbols = context;

	return add_function(symbols->main, symbols->builder, start, end,
			    read_name(table, function));
}

int go_symbols_add(struct elf_file *main, struct flat_builder *builder)
{
	struct symbols symbols = { main, builder };
	struct go_table table;

	return open_table(&table, main) ? visit_functions(&table, visit_symbol, &symbols) : 0;
}

struct unwinding {
	const struct elf_file *main;
	struct cfi_rows *rows;
	go_function_visit *visit;
	void *context;
	uint64_t done;		/* address up to which functions were read */
};

static uint64_t read_field(const struct go_table *table, uint64_t function, unsigned int at,
			   unsigned int size)
{
	uint64_t number = 0;

	if (table->base <= table->bytes.count && function <= table->bytes.count)
		read_number(&table->bytes, table->base + function + table->pc_bytes + at, size,
			    &number);
	return number;
}

/* Returns the unwind row of code with a frame of @size bytes. */
static struct unwind_row row_of_size(const struct go_table *table, uint64_t start, int64_t size)
{
	struct unwind_row row = { (uint32_t)start, (int16_t)(size / 8), .kind = UNWIND_ARM_SP };

	if (size < 0 || size % 8 || size / 8 >= INT16_MAX)
		return (struct unwind_row){ (uint32_t)start, .kind = UNWIND_COMPLEX };
	if (!table->is_arm)
		return (struct unwind_row){ (uint32_t)start, (int16_t)(size / 8 + 1),
					    .kind = UNWIND_SP };
	if (size) {
		row.bp = -1;
		row.bx = UNWIND_SAVES_PAIR | UNWIND_FROM_BASE;
	}
	return row;
}

static struct unwind_row gap_at(uint64_t start)
{
	return (struct unwind_row){ (uint32_t)start, .kind = UNWIND_GAP };
}

static int64_t read_change(struct byte_reader *reader)
{
	const uint64_t coded = byte_reader_leb(reader, false) & UINT32_MAX;

	return coded & 1 ? -(int64_t)(coded >> 1) - 1 : (int64_t)(coded >> 1);
}

/* Appends the rows of a function of @bytes at @offset from its frame sizes; code without one is a
 * gap. */
static int append_sizes(struct cfi_rows *rows, const struct go_table *table, uint64_t offset,
			uint64_t bytes, struct byte_reader reader)
{
	uint64_t at = 0, step;
	int64_t size = -1, change;
	int err = 0;

	while (!err && at < bytes) {
		change = read_change(&reader);
		step = (byte_reader_leb(&reader, false) & UINT32_MAX) * table->quantum;
		if (reader.is_bad || !step || (at && !change))
			return cfi_rows_append(rows, gap_at(offset + at));
		size += change;
		err = cfi_rows_append(rows, row_of_size(table, offset + at, size));
		at += step;
	}
	return err;
}

static int append_rows(struct cfi_rows *rows, const struct go_table *table, uint64_t offset,
		       uint64_t bytes, uint64_t function)
{
	const uint64_t flags = table->flags_at ? read_field(table, function, table->flags_at, 1)
					       : 0;
	const uint64_t sizes = table->sizes + read_field(table, function, FRAME_SIZES_AT, 4);
	const unsigned char *end = table->bytes.at + table->bytes.count;

	if (flags & FLAG_OUTERMOST)
		return cfi_rows_append(rows, (struct unwind_row){ (uint32_t)offset,
								  .kind = UNWIND_END });
	if (flags & FLAG_SETS_SP)
		return cfi_rows_append(rows, (struct unwind_row){ (uint32_t)offset,
								  .kind = UNWIND_GAP });
	return append_sizes(rows, table, offset, bytes,
			    (struct byte_reader){ table->bytes.at + sizes, end, false });
}

static bool has_sizes(const struct go_table *table, uint64_t function)
{
	const uint64_t sizes = read_field(table, function, FRAME_SIZES_AT, 4);

	return sizes && table->sizes < table->bytes.count &&
	       sizes < table->bytes.count - table->sizes;
}

static int visit_unwinding(void *context, const struct go_table *table, uint64_t start,
			   uint64_t end, uint64_t function)
{
	struct unwinding *unwinding = context;
	const uint32_t first_row = unwinding->rows->count;
	uint64_t offset, left, bytes = end - start;
	int err;

	/* Only in address order: overlapping functions would take more time. */
	if (start >= end || start < unwinding->done || !has_sizes(table, function) ||
	    !elf_file_find_code(unwinding->main, start, &offset, &left))
		return 0;
	unwinding->done = end;
	if (bytes > left)
		bytes = left;
	if (offset + bytes > UINT32_MAX)
		return 0;
	err = append_rows(unwinding->rows, table, offset, bytes, function);
	return err ? err : unwinding->visit(unwinding->context, offset, bytes, first_row);
}

int go_unwind_walk(struct elf_file *main, struct cfi_rows *rows, go_function_visit *visit,
		   void *context)
{
	struct unwinding unwinding = {
		.main = main, .rows = rows, .visit = visit, .context = context,
	};
	struct go_table table;

	return open_table(&table, main) ? visit_functions(&table, visit_unwinding, &unwinding) : 0;
}
