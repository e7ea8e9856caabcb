/* line_table.h - worker side: what libdw does not tell about a unit's line table: how many rows it
 * has before they are decoded, and the checksums and source texts of its files.
 *
 * Use:    line_table_open() after dwarf_file_read(), then one pass over the rows or the files; open
 *         it again for another pass.
 * Source: DWARF 5, 6.2.4; DWARF 4, 6.2.4; LLVM's DW_LNCT_LLVM_source.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_LINE_TABLE_H
#define ELF_LINE_TABLE_H

#include "byte_reader.h"
#include "dwarf_file.h"

#define LINE_TABLE_OPCODES 256
#define LINE_TABLE_FORMATS 16	/* kinds of facts about a file; compilers write at most 5 */

struct line_table {
	struct dwarf_file *file;	/* BORROWED */
	unsigned int version;
	bool is_64;			/* format of the table */
	uint8_t opcode_base;
	uint8_t operands[LINE_TABLE_OPCODES];	/* how many each standard opcode has */
	struct byte_reader files;	/* rest of the list of files */
	struct byte_reader program;
	uint64_t file_left;		/* version 5: files still in the list */
	uint32_t format_count;
	struct {
		uint64_t content, form;
	} formats[LINE_TABLE_FORMATS];
};

/* Everything is BORROWED from the dwarf_file. */
struct line_table_file {
	const char *name;		/* without its directory; "" if damaged */
	const unsigned char *md5;	/* 16 bytes; NULL: none */
	const char *text;		/* the source itself; NULL: not embedded */
};

/* Opens the table at @offset in .debug_line of @file. Returns false if there is none, or it is
 * damaged. */
bool line_table_open(struct line_table *out, struct dwarf_file *file, uint64_t offset);
/* Returns the number of rows, ends of sequences included; of a damaged table at least those that
 * libdw makes. */
uint64_t line_table_rows(struct line_table *table);
/* Reads the next file of the list, which begins with the number of line_table_first_file(). Returns
 * false at the end. */
bool line_table_next_file(struct line_table *table, struct line_table_file *out);
static inline uint32_t line_table_first_file(const struct line_table *table)
{
	return table->version >= 5 ? 0 : 1;
}

#endif
