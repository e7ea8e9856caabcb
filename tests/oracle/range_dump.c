/* range_dump.c - prints the lines of code ranges, for check_line_ranges.
 *
 * range_dump DSO DEBUG|- ALTERNATE|- [-f FUNCTION] [-s SOURCE] [-m MIB] [BEGIN-END...]
 * Offsets are hexadecimal. Prints, separated by tabs:
 *	range BEGIN END COLUMN "statement"|"-", then for each frame, innermost first:
 *	frame FUNCTION FILE LINE DECLARED-FILE DECLARED-LINE
 *	statement AT FILE LINE FUNCTION "marked"|"-" "row"|"declaration"|"call" INNERMOST OUTERMOST
 *	the last two being the functions of the range's first and last frame
 *	named FILE LINE
 *	file PATH MD5|- TEXT-BYTES
 * A reason instead goes to stderr.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/file_jobs.h"
#include "symbols/dso_file.h"

static int open_input(const char *path)
{
	int fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd < 0 && strcmp(path, "-")) {
		perror(path);
		exit(2);
	}
	return fd;
}

static void print_frame(const struct line_ranges *lines, const struct line_range_frame *frame)
{
	printf("frame\t%s\t%s\t%" PRIu32 "\t%s\t%" PRIu32 "\n",
	       line_ranges_text(lines, frame->function), line_ranges_path(lines, frame->file),
	       frame->line, line_ranges_path(lines, frame->declared_file), frame->declared_line);
}

static void print_ranges(const struct line_ranges *lines)
{
	for (uint32_t i = 0; i < lines->header->range_count; i++) {
		const struct line_range *range = &lines->ranges[i];

		printf("range\t%" PRIx64 "\t%" PRIx64 "\t%" PRIu32 "\t%s\n", range->begin,
		       range->end, range->column,
		       range->flags & LINE_IS_STATEMENT ? "statement" : "-");
		for (uint32_t f = 0; f < range->count; f++)
			print_frame(lines, &lines->frames[range->first + f]);
	}
}

static void print_statements(const struct line_ranges *lines)
{
	for (uint32_t i = 0; i < lines->header->statement_count; i++) {
		const struct line_statement *statement = &lines->statements[i];
		const struct line_range *range = line_ranges_find(lines, statement->at);

		printf("statement\t%" PRIx64 "\t%s\t%" PRIu32 "\t%s\t%s\t%s\t%s\t%s\n",
		       statement->at, line_ranges_path(lines, statement->file), statement->line,
		       line_ranges_text(lines, lines->frames[statement->frame].function),
		       statement->flags & LINE_IS_MARKED ? "marked" : "-",
		       statement->flags & LINE_IS_DECLARATION ? "declaration" :
		       statement->flags & LINE_IS_CALL ? "call" : "row",
		       line_ranges_text(lines, lines->frames[range->first].function),
		       line_ranges_text(lines,
					lines->frames[range->first + range->count - 1].function));
	}
}

static void print_files(const struct line_ranges *lines)
{
	printf("named\t%s\t%" PRIu32 "\n", line_ranges_path(lines, lines->header->named_file),
	       lines->header->named_line);
	for (uint32_t i = 0; i < lines->header->file_count; i++) {
		const struct line_file *file = &lines->files[i];

		printf("file\t%s\t", line_ranges_text(lines, file->path));
		for (size_t byte = 0; byte < sizeof(file->md5) && file->has_md5; byte++)
			printf("%02x", file->md5[byte]);
		printf("%s\t%zu\n", file->has_md5 ? "" : "-",
		       strlen(line_ranges_text(lines, file->text)));
	}
}

static int parse(struct line_query *query, char **argv)
{
	for (; *argv; argv++) {
		uint64_t begin, end;

		if (!strcmp(*argv, "-f") && argv[1]) {
			snprintf(query->function, sizeof(query->function), "%s", *++argv);
		} else if (!strcmp(*argv, "-s") && argv[1]) {
			snprintf(query->source, sizeof(query->source), "%s", *++argv);
		} else if (!strcmp(*argv, "-m") && argv[1]) {
			query->memory_bytes = strtoull(*++argv, NULL, 10) << 20;
		} else {
			if (query->range_count == CODE_RANGES_MAX ||
			    sscanf(*argv, "%" SCNx64 "-%" SCNx64, &begin, &end) != 2)
				return -1;
			query->ranges[query->range_count].begin = begin;
			query->ranges[query->range_count++].end = end;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct line_query query = { .memory_bytes = UINT64_MAX };
	struct diag why = { .err = 0 };
	struct lines_read read;
	struct line_files files;
	struct sandbox *sandbox;
	int err;

	if (argc < 5 || parse(&query, argv + 4) || sandbox_start(&sandbox, worker_run, NULL))
		return 2;
	files = (struct line_files){ .dso = open_input(argv[1]), .debug = open_input(argv[2]),
				     .alternate = open_input(argv[3]), .is_certain = true };
	err = line_files_read(&read, sandbox, &files, &query, 0, &why);
	if (err) {
		fprintf(stderr, "%s\n", why.text);
	} else {
		print_ranges(&read.lines);
		print_statements(&read.lines);
		print_files(&read.lines);
		lines_read_finish(&read);
	}
	sandbox_stop(sandbox);
	return err ? 1 : 0;
}
