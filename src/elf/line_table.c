/* line_table.c - see line_table.h. Everything here parses untrusted bytes.
 *
 * libdw decodes a whole unit at once, with 150 bytes of memory for a row that may take one byte of
 * the file, and it skips the checksums of files. So the rows are counted first, and the files'
 * facts are read here. Sections were inflated by libdw, which keeps them where libelf finds them.
 */
#include "line_table.h"

#include <dwarf.h>

#define LLVM_SOURCE 0x2001	/* DW_LNCT_LLVM_source */
#define MD5_BYTES   16

/* Returns the inflated bytes of the debug section ".debug_NAME" or ".zdebug_NAME". */
static struct byte_reader section_bytes(const struct dwarf_file *file, const char *name)
{
	struct byte_reader bytes = { .at = NULL };

	for (size_t i = 1; i < file->elf.section_count; i++) {
		const char *here = file->elf.sections[i].name;
		Elf_Scn *scn = elf_getscn(file->elf.elf, i);
		Elf_Data *data;

		here += here[0] == '.' && here[1] == 'z' ? 2 : 1;
		if (!file->elf.sections[i].name[0] || strcmp(here, name) != 0 ||
		    file->elf.sections[i].type == SHT_NOBITS || !scn)
			continue;
		data = elf_rawdata(scn, NULL);
		if (!data || !data->d_buf)
			continue;
		bytes.at = data->d_buf;
		bytes.end = bytes.at + data->d_size;
		return bytes;
	}
	return bytes;
}

/* Returns the text at @offset of a section of texts; NULL: it is outside or does not end. */
static const char *text_at(const struct dwarf_file *file, const char *section, uint64_t offset)
{
	struct byte_reader bytes = section_bytes(file, section);

	if (!bytes.at || !byte_reader_skip(&bytes, offset) ||
	    !memchr(bytes.at, '\0', byte_reader_left(&bytes)))
		return NULL;
	return (const char *)bytes.at;
}

static const char *read_text(struct byte_reader *reader)
{
	const unsigned char *start = reader->at;
	const size_t left = byte_reader_left(reader);
	const unsigned char *end = left ? memchr(start, '\0', left) : NULL;

	byte_reader_skip(reader, end ? (uint64_t)(end - start) + 1 : left + 1);
	return end ? (const char *)start : NULL;
}

/* Reads one fact about a file; sets what it means in *@out, which may be a scratch one. */
static void read_fact(struct line_table *table, struct byte_reader *reader, uint64_t content,
		      uint64_t form, struct line_table_file *out)
{
	const size_t offset_bytes = table->is_64 ? 8 : 4;
	const unsigned char *at = reader->at;
	const char *text = NULL;

	switch (form) {
	case DW_FORM_string:
		text = read_text(reader);
		break;
	case DW_FORM_line_strp:
		text = text_at(table->file, "debug_line_str",
			       byte_reader_number(reader, offset_bytes));
		break;
	case DW_FORM_strp:
		text = text_at(table->file, "debug_str", byte_reader_number(reader, offset_bytes));
		break;
	case DW_FORM_udata:
		byte_reader_leb(reader, false);
		break;
	case DW_FORM_data16:
		if (byte_reader_skip(reader, MD5_BYTES) && content == DW_LNCT_MD5)
			out->md5 = at;
		break;
	case DW_FORM_block:
		byte_reader_skip(reader, byte_reader_leb(reader, false));
		break;
	case DW_FORM_data1:
	case DW_FORM_data2:
	case DW_FORM_data4:
	case DW_FORM_data8:
		byte_reader_skip(reader, form == DW_FORM_data1 ? 1 : form == DW_FORM_data2 ? 2 :
					 form == DW_FORM_data4 ? 4 : 8);
		break;
	default:
		reader->at = reader->end;
		reader->is_bad = true;
	}
	if (content == DW_LNCT_path && text)
		out->name = text;
	else if (content == LLVM_SOURCE)
		out->text = text;
}

static void read_formats(struct line_table *table, struct byte_reader *reader)
{
	const uint64_t count = byte_reader_number(reader, 1);

	table->format_count = 0;
	for (uint64_t i = 0; i < count; i++) {
		const uint64_t content = byte_reader_leb(reader, false);
		const uint64_t form = byte_reader_leb(reader, false);

		if (table->format_count == LINE_TABLE_FORMATS) {
			reader->is_bad = true;
			return;
		}
		table->formats[table->format_count].content = content;
		table->formats[table->format_count++].form = form;
	}
}

static void read_entry(struct line_table *table, struct byte_reader *reader,
		       struct line_table_file *out)
{
	*out = (struct line_table_file){ .name = "" };
	for (uint32_t i = 0; i < table->format_count && !reader->is_bad; i++)
		read_fact(table, reader, table->formats[i].content, table->formats[i].form, out);
}

/* Leaves @reader at the list of files, whose entries have table->formats. */
static void skip_directories(struct line_table *table, struct byte_reader *reader)
{
	struct line_table_file ignored;
	uint64_t count;

	if (table->version < 5) {
		const char *directory;

		do
			directory = read_text(reader);
		while (directory && directory[0]);
		return;
	}
	read_formats(table, reader);
	count = byte_reader_leb(reader, false);
	for (uint64_t i = 0; i < count && table->format_count && !reader->is_bad; i++)
		read_entry(table, reader, &ignored);
	read_formats(table, reader);
	table->file_left = table->format_count ? byte_reader_leb(reader, false) : 0;
}

bool line_table_open(struct line_table *out, struct dwarf_file *file, uint64_t offset)
{
	struct byte_reader reader = section_bytes(file, "debug_line");
	uint64_t bytes, header_bytes;

	*out = (struct line_table){ .file = file };
	if (!reader.at || !byte_reader_skip(&reader, offset))
		return false;
	bytes = byte_reader_number(&reader, 4);
	out->is_64 = bytes == UINT32_MAX;
	if (out->is_64)
		bytes = byte_reader_number(&reader, 8);
	if (bytes > byte_reader_left(&reader))
		return false;
	reader.end = reader.at + bytes;
	out->version = (unsigned int)byte_reader_number(&reader, 2);
	if (out->version < 2 || out->version > 5)
		return false;
	if (out->version == 5)
		byte_reader_skip(&reader, 2);	/* sizes of address and segment */
	header_bytes = byte_reader_number(&reader, out->is_64 ? 8 : 4);
	out->program = reader;
	if (!byte_reader_skip(&out->program, header_bytes))
		return false;
	reader.end = out->program.at;
	/* Lengths of instructions and bundles, default_is_stmt, line_base, line_range. */
	byte_reader_skip(&reader, out->version >= 4 ? 5 : 4);
	out->opcode_base = (uint8_t)byte_reader_number(&reader, 1);
	for (unsigned int i = 1; i < out->opcode_base; i++)
		out->operands[i] = (uint8_t)byte_reader_number(&reader, 1);
	skip_directories(out, &reader);
	out->files = reader;
	return !reader.is_bad;
}

bool line_table_next_file(struct line_table *table, struct line_table_file *out)
{
	struct byte_reader *reader = &table->files;

	if (reader->is_bad)
		return false;
	if (table->version >= 5) {
		if (!table->file_left)
			return false;
		table->file_left--;
		read_entry(table, reader, out);
		return !reader->is_bad;
	}
	*out = (struct line_table_file){ .name = read_text(reader) };
	if (!out->name || !out->name[0])
		return false;
	for (int i = 0; i < 3; i++)	/* directory, time, size */
		byte_reader_leb(reader, false);
	return !reader->is_bad;
}

uint64_t line_table_rows(struct line_table *table)
{
	struct byte_reader *reader = &table->program;
	uint64_t rows = 0;

	while (byte_reader_left(reader)) {
		const unsigned int opcode = (unsigned int)byte_reader_number(reader, 1);

		if (opcode >= table->opcode_base) {
			rows++;
		} else if (!opcode) {
			const uint64_t bytes = byte_reader_leb(reader, false);

			rows += reader->at < reader->end && *reader->at == DW_LNE_end_sequence;
			byte_reader_skip(reader, bytes);
		} else if (opcode == DW_LNS_fixed_advance_pc) {
			byte_reader_skip(reader, 2);
		} else {
			rows += opcode == DW_LNS_copy;
			for (unsigned int i = 0; i < table->operands[opcode]; i++)
				byte_reader_leb(reader, false);
		}
	}
	return rows;
}
