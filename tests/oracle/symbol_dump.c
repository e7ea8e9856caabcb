/* symbol_dump [--debug DEBUG-FILE] FILE [OFFSET...] - what the symbolizer makes of FILE.
 *
 * Without offsets: a line "START END KIND NAME" per row, KIND S(ymbol), U(nwind) or P(LT). With
 * offsets, hexadecimal file offsets: a line "KIND NAME" each, or "-". */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/symtab_builder.h"
#include "sandbox/flat_table.h"

static const char kinds[] = "SPU";

static void print_rows(const struct flat_table *table)
{
	for (uint32_t i = 0; i < table->header->row_count; i++)
		printf("%" PRIx64 " %" PRIx64 " %c %s\n", table->rows[i].start,
		       table->rows[i].start + table->rows[i].size, kinds[table->rows[i].kind],
		       flat_table_name(table, i));
}

static void print_names(const struct flat_table *table, char **offsets)
{
	for (; *offsets; offsets++) {
		uint32_t row = flat_table_find(table, strtoull(*offsets, NULL, 16));

		if (row == FLAT_NONE)
			puts("-");
		else
			printf("%c %s\n", kinds[table->rows[row].kind],
			       flat_table_name(table, row));
	}
}

static int open_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		fprintf(stderr, "symbol_dump: %s: %s\n", path, strerror(errno));
		exit(2);
	}
	return fd;
}

int main(int argc, char **argv)
{
	struct flat_table table;
	struct diag why = { .err = 0 };
	int fd, debug_fd = -1;
	void *bytes;
	size_t count;

	argv++;
	if (argc > 3 && strcmp(argv[0], "--debug") == 0) {
		debug_fd = open_file(argv[1]);
		argv += 2;
	}
	if (argc < 2)
		return 2;
	fd = open_file(argv[0]);
	if (symtab_builder_build(fd, debug_fd, &bytes, &count, &why) ||
	    flat_table_check(&table, bytes, count, &why)) {
		fprintf(stderr, "symbol_dump: %s: %s\n", argv[0], why.text);
		return 3;
	}
	if (argv[1])
		print_names(&table, argv + 1);
	else
		print_rows(&table);
	free(bytes);
	close(fd);
	return 0;
}
