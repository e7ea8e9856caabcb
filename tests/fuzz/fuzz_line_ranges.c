/* fuzz_line_ranges.c - lines of ranges that pass the check can be read through without harm; and
 * the parser of line tables comes to an end with any bytes.
 *
 * With an odd first byte the input is a reply. Else it is a list of changes, | place 2 | byte 1 |
 * ..., to a small program that is built at the start. libdw does not read it here but for opening
 * it: it reads over the ends of damaged strings, which is why a worker has it read. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/line_table.h"
#include "elf_seed.h"
#include "sandbox/lines.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static const char recipe[] =
	"set -e; cd $(mktemp -d /tmp/fuzz_line_ranges.XXXXXX)\n"
	"echo 'static inline int in(int n) { return n * 3; }\n"
	"int main(int c, char **v) { (void)v; return in(c) + in(c + 1); }' >s.c\n"
	"cc -O1 -g -Wl,-z,norelro,-z,noseparate-code s.c -o program\n"
	"cat program >&%d; rm -r \"$PWD\"\n";

static struct elf_seed program;
static volatile uint64_t read_bytes;	/* a value that depends on all reads */

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	elf_seed_make(&program, recipe);
	return 0;
}

static void expect_text(const struct line_ranges *lines, uint32_t offset, size_t count)
{
	if (strlen(line_ranges_text(lines, offset)) > count)
		abort();
}

static void read_all(const struct line_ranges *lines, size_t count)
{
	for (uint32_t i = 0; i < lines->header->range_count; i++) {
		const struct line_range *range = &lines->ranges[i];

		if (line_ranges_find(lines, range->begin) != range ||
		    line_ranges_find(lines, range->end - 1) != range)
			abort();
		for (uint32_t f = 0; f < range->count; f++) {
			expect_text(lines, lines->frames[range->first + f].function, count);
			line_ranges_path(lines, lines->frames[range->first + f].declared_file);
		}
	}
	for (uint32_t i = 0; i < lines->header->statement_count; i++) {
		const struct line_statement *statement = &lines->statements[i];
		const struct line_range *range = line_ranges_find(lines, statement->at);

		if (!range || statement->frame < range->first ||
		    statement->frame >= range->first + range->count ||
		    strlen(line_ranges_path(lines, statement->file)) > count)
			abort();
	}
	for (uint32_t i = 0; i < lines->header->file_count; i++)
		expect_text(lines, lines->files[i].text, count);
}

static void check_reply(const uint8_t *bytes, size_t count)
{
	const struct line_ranges_header magic = { .magic = LINE_RANGES_MAGIC,
						  .version = LINE_RANGES_VERSION };
	struct line_ranges lines;
	void *copy = malloc(count + 1);	/* aligned, and its end is guarded */

	memcpy(copy, bytes, count);
	if (count >= offsetof(struct line_ranges_header, range_count))
		memcpy(copy, &magic, offsetof(struct line_ranges_header, range_count));
	if (!line_ranges_check(&lines, copy, count, NULL))
		read_all(&lines, count);
	free(copy);
}

static void read_table(struct dwarf_file *file, uint64_t offset)
{
	struct line_table table;
	struct line_table_file found;
	uint64_t names = 0, left = file->elf.file_bytes;

	if (!line_table_open(&table, file, offset))
		return;
	for (; line_table_next_file(&table, &found) && left; left--)
		names += strlen(found.name) + (found.md5 ? found.md5[15] : 0) +
			 (found.text ? strlen(found.text) : 0);
	read_bytes = names;
	if (line_table_rows(&table) > file->elf.file_bytes + file->debug_bytes)
		abort();
}

/* Takes over @fd. */
static void read_damaged(int fd)
{
	struct dwarf_file file;

	if (!dwarf_file_open(&file, fd, NULL)) {
		if (file.debug_bytes < 1u << 20 && !dwarf_file_read(&file, NULL, NULL))
			for (uint64_t offset = 0; offset < 64; offset++)
				read_table(&file, offset);
		dwarf_file_close(&file);
	}
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	if (count < 2 || bytes[0] % 2)
		check_reply(bytes + (count > 0), count - (count > 0));
	else
		read_damaged(elf_seed_damaged(&program, bytes + 2, count - 2));
	return 0;
}
