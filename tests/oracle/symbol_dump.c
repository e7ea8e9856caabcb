/* symbol_dump.c - prints the flat table of an ELF file, for check_symbols.py:
 *
 *   symbol_dump FILE            every row: START END NAME (file offsets, hexadecimal)
 *   symbol_dump FILE OFFSET...  the name at each file offset, "-" for none
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "symbols/compiler.h"
#include "symbols/flat_table.h"

static void print_rows(const struct flat_table *table)
{
	for (uint32_t i = 0; i < table->header->row_count; i++)
		printf("%" PRIx64 " %" PRIx64 " %s\n", table->rows[i].start,
		       table->rows[i].start + table->rows[i].size, flat_table_name(table, i));
}

static void print_names(const struct flat_table *table, char **offsets)
{
	for (; *offsets; offsets++) {
		uint32_t row = flat_table_find(table, strtoull(*offsets, NULL, 16));

		puts(row == FLAT_NONE ? "-" : flat_table_name(table, row));
	}
}

int main(int argc, char **argv)
{
	struct flat_table table;
	struct diag why = { .err = 0 };
	void *bytes;
	size_t count;
	int fd = argc > 1 ? open(argv[1], O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0) {
		perror("symbol_dump");
		return 2;
	}
	if (compiler_compile(fd, -1, &bytes, &count, &why) ||
	    flat_table_check(&table, bytes, count, &why)) {
		fprintf(stderr, "symbol_dump: %s: %s\n", argv[1], why.text);
		return 3;
	}
	if (argc > 2)
		print_names(&table, argv + 2);
	else
		print_rows(&table);
	free(bytes);
	close(fd);
	return 0;
}
