/* probe_names_compile.c - the worker's side of symbols/probe_names.h. Everything here reads bytes
 * that a stranger chose.
 *
 * Sources of names are those of compiler.c that a person would type: .symtab, of the debug file or
 * of the file itself; without one .gnu_debugdata and .dynsym together.
 *
 * Trust: a bad symbol or note costs itself, a bad debug file its names.
 *
 * Rejected: the flat table. It keeps one name for an address, and that may be another one than what
 * the manual page says.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/elf_debug_file.h"
#include "symbols/elf_file.h"
#include "symbols/elf_marks.h"
#include "symbols/elf_minidebug.h"
#include "symbols/elf_symbols.h"
#include "symbols/large_block.h"
#include "symbols/probe_names.h"

#define FIRST_ROOM   1024
#define STRING_BYTES_MAX ((uint64_t)INT32_MAX)	/* probe_function.name has 31 bits */

struct found_names {
	struct elf_file main, debug;	/* debug.elf NULL: none that belongs to it */
	struct elf_minidebug minidebug;
	struct elf_function *functions;	/* owned */
	size_t function_count, function_room;
	struct elf_mark *marks;		/* owned */
	size_t mark_count, mark_room;
	struct diag *why;
};

static int refuse_memory(struct found_names *found)
{
	return diag_set(found->why, -ENOMEM, "its names need more memory than allowed");
}

/* Makes room for one more behind @count of @bytes each. */
static void *with_room(void *rows, size_t count, size_t *room, size_t bytes)
{
	void *grown;

	if (count < *room)
		return rows;
	grown = large_block_grow(rows, count * bytes, (*room ? 2 * *room : FIRST_ROOM) * bytes);
	if (grown)
		*room = *room ? 2 * *room : FIRST_ROOM;
	return grown;
}

static int add_function(struct found_names *found, const struct elf_function *function)
{
	struct elf_function *rows = with_room(found->functions, found->function_count,
					      &found->function_room, sizeof(*rows));

	if (!rows)
		return refuse_memory(found);
	found->functions = rows;
	rows[found->function_count++] = *function;
	return 0;
}

/* -ENOENT: @file has no table of that type. */
static int add_symbols(struct found_names *found, struct elf_file *file, uint32_t type)
{
	struct elf_symbols symbols;
	int err = elf_symbols_read(&symbols, file, type, found->why);

	for (size_t i = 1; !err && i < symbols.count; i++) {
		struct elf_function function;

		if (elf_symbols_function(&symbols, i, &found->main, &function))
			err = add_function(found, &function);
	}
	return err;
}

/* What is optional and cannot be read is as good as not there. */
static int without_damage(int err)
{
	return err == -EBADMSG || err == -ENOEXEC || err == -E2BIG ? -ENOENT : err;
}

static int add_functions(struct found_names *found)
{
	int err = -ENOENT;

	if (found->debug.elf)
		err = without_damage(add_symbols(found, &found->debug, SHT_SYMTAB));
	if (err == -ENOENT)
		err = add_symbols(found, &found->main, SHT_SYMTAB);
	if (err != -ENOENT)
		return err;
	err = without_damage(elf_minidebug_open(&found->minidebug, &found->main));
	if (!err)
		err = without_damage(add_symbols(found, &found->minidebug.file, SHT_SYMTAB));
	if (!err || err == -ENOENT)
		err = add_symbols(found, &found->main, SHT_DYNSYM);
	return err == -ENOENT ? 0 : err;
}

static int add_mark(void *context, const struct elf_mark *mark)
{
	struct found_names *found = context;
	struct elf_mark *rows = with_room(found->marks, found->mark_count, &found->mark_room,
					  sizeof(*rows));

	if (!rows)
		return refuse_memory(found);
	found->marks = rows;
	rows[found->mark_count++] = *mark;
	return 0;
}

static int order_of(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* As strcmp() of terminated texts orders them: a NUL inside is none. */
static int compare_names(const struct flat_name *a, const struct flat_name *b)
{
	int order = memcmp(a->text, b->text, a->bytes < b->bytes ? a->bytes : b->bytes);

	return order ? order : order_of(a->bytes, b->bytes);
}

static int compare_functions(const void *one, const void *other)
{
	const struct elf_function *a = one, *b = other;
	int order = compare_names(&a->name, &b->name);

	return order ? order : order_of(a->offset, b->offset);
}

static int compare_marks(const void *one, const void *other)
{
	const struct elf_mark *a = one, *b = other;
	int order = strcmp(a->provider, b->provider);

	if (!order)
		order = strcmp(a->name, b->name);
	return order ? order : order_of(a->offset, b->offset);
}

/* The same name at the same place comes from a symbol's versions, and from two tables. */
static void sort_functions(struct found_names *found)
{
	size_t kept = 0;

	if (!found->function_count)
		return;
	qsort(found->functions, found->function_count, sizeof(*found->functions),
	      compare_functions);
	for (size_t i = 0; i < found->function_count; i++)
		if (!kept || compare_functions(&found->functions[kept - 1], &found->functions[i]))
			found->functions[kept++] = found->functions[i];
	found->function_count = kept;
}

static uint32_t put_text(char *strings, uint64_t *used, const char *text, size_t bytes)
{
	uint64_t offset = *used;

	memcpy(strings + offset, text, bytes);
	strings[offset + bytes] = '\0';
	*used += bytes + 1;
	return (uint32_t)offset;
}

/* Names in a row are often the same: they are written once. */
static void write_functions(const struct found_names *found, struct probe_function *out,
			    char *strings, uint64_t *used)
{
	for (size_t i = 0; i < found->function_count; i++) {
		const struct elf_function *row = &found->functions[i];
		bool is_repeated = i && !compare_names(&row[-1].name, &row->name);

		out[i] = (struct probe_function){
			.offset = row->offset,
			.size = row->size < UINT32_MAX ? (uint32_t)row->size : UINT32_MAX,
			.is_resolver = row->is_resolver,
		};
		out[i].name = is_repeated ? out[i - 1].name :
			      put_text(strings, used, row->name.text, row->name.bytes) & INT32_MAX;
	}
}

static void write_marks(const struct found_names *found, struct probe_mark *out, char *strings,
			uint64_t *used)
{
	for (size_t i = 0; i < found->mark_count; i++) {
		const struct elf_mark *row = &found->marks[i];

		out[i] = (struct probe_mark){
			.offset = row->offset, .semaphore = row->semaphore,
			.provider = put_text(strings, used, row->provider, strlen(row->provider)),
			.name = put_text(strings, used, row->name, strlen(row->name)),
			.arguments = put_text(strings, used, row->arguments,
					      strlen(row->arguments)),
		};
	}
}

/* Room for all texts, and one that ends where there are none. */
static uint64_t count_string_bytes(const struct found_names *found)
{
	uint64_t bytes = 1;

	for (size_t i = 0; i < found->function_count; i++)
		bytes += found->functions[i].name.bytes + 1;
	for (size_t i = 0; i < found->mark_count; i++)
		bytes += strlen(found->marks[i].provider) + strlen(found->marks[i].name) +
			 strlen(found->marks[i].arguments) + 3;
	return bytes;
}

static int write_answer(struct found_names *found, void **bytes, size_t *bytes_count)
{
	const size_t function_bytes = found->function_count * sizeof(struct probe_function);
	const size_t mark_bytes = found->mark_count * sizeof(struct probe_mark);
	const size_t fixed_bytes = sizeof(struct probe_names_header) + function_bytes + mark_bytes;
	uint64_t string_bytes = count_string_bytes(found), used = 0;
	struct probe_names_header *header;
	unsigned char *functions;
	char *strings;

	if (string_bytes > STRING_BYTES_MAX)
		return diag_set(found->why, -E2BIG, "names of more than 2 GiB");
	header = large_block_alloc(fixed_bytes + string_bytes);
	if (!header)
		return refuse_memory(found);
	functions = (unsigned char *)(header + 1);
	strings = (char *)header + fixed_bytes;
	write_functions(found, (void *)functions, strings, &used);
	write_marks(found, (void *)(functions + function_bytes), strings, &used);
	strings[used++] = '\0';
	*header = (struct probe_names_header){
		.magic = PROBE_NAMES_MAGIC, .version = PROBE_NAMES_VERSION,
		.function_count = (uint32_t)found->function_count,
		.mark_count = (uint32_t)found->mark_count, .string_bytes = (uint32_t)used,
		.build_id = elf_file_build_id(&found->main),
	};
	*bytes = header;
	*bytes_count = fixed_bytes + used;
	return 0;
}

static int find_names(struct found_names *found, int fd, int debug_fd, uint64_t parts)
{
	int err = elf_file_open(&found->main, fd, found->why);

	if (!err)
		err = elf_file_read_segments(&found->main, found->why);
	if (err)
		return err;
	elf_debug_file_open(&found->debug, &found->main, debug_fd);
	if (parts & PROBE_NAMES_FUNCTIONS)
		err = add_functions(found);
	if (!err && parts & PROBE_NAMES_MARKS)
		err = elf_marks_read(&found->main, add_mark, found);
	return err;
}

int probe_names_compile(int fd, int debug_fd, uint64_t parts, void **bytes, size_t *bytes_count,
			struct diag *why)
{
	struct found_names found = { .why = why };
	int err = find_names(&found, fd, debug_fd, parts);

	*bytes = NULL;
	if (!err) {
		sort_functions(&found);
		if (found.mark_count)
			qsort(found.marks, found.mark_count, sizeof(*found.marks), compare_marks);
		err = write_answer(&found, bytes, bytes_count);
	}
	elf_minidebug_close(&found.minidebug);
	elf_file_close(&found.debug);
	elf_file_close(&found.main);
	free(found.functions);
	free(found.marks);
	return err;
}
