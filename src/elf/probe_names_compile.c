/* probe_names_compile.c - worker side of sandbox/probe_names.h. Everything here parses untrusted
 * bytes.
 *
 * Sources of names are those of symtab_builder.c that a person would type: .symtab of the debug
 * file or of the file itself; without one, .gnu_debugdata and .dynsym together.
 *
 * Trust: a bad symbol or note is skipped alone, a bad debug file loses its names.
 *
 * Rejected: the flat table. It keeps one name per address, which may not be the one in the manual
 * page.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/demangle.h"
#include "elf_debug_file.h"
#include "elf_file.h"
#include "elf_symbols.h"
#include "elf_usdt.h"
#include "large_block.h"
#include "sandbox/probe_names.h"

#define FIRST_ROOM	 1024
#define STRING_BYTES_MAX (FLAT_BYTES_MAX / 2)	/* as the limits of the reply allow */

_Static_assert(DEMANGLE_TEXT_MAX <= PROBE_NAMES_TEXT_MAX &&
	       USDT_NOTE_TEXT_MAX <= PROBE_NAMES_TEXT_MAX, "these need not be looked at");

struct found_names {
	struct elf_file main, debug;	/* debug.elf NULL: none that belongs to it */
	struct elf_minidebug minidebug;
	struct elf_function *functions;	/* owned */
	size_t function_count, function_room;
	struct usdt_note *usdt_probes;	/* owned */
	size_t usdt_count, usdt_room;
	char *texts;		/* owned */
	size_t text_bytes, text_room;
	struct diag *why;
};

static int refuse_memory(struct found_names *found)
{
	return diag_set(found->why, -ENOMEM, "its names need more memory than allowed");
}

/* Makes room for one more row after @count rows of @bytes each. */
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

/* Adds the symbols of @file's table of a type. Returns -ENOENT if it has none. */
static int add_symbols(struct found_names *found, struct elf_file *file, uint32_t type)
{
	struct elf_symbols symbols;
	int err = elf_symbols_read(&symbols, file, type, found->why);

	for (size_t i = 1; !err && i < symbols.count; i++) {
		struct elf_function function;

		if (elf_symbols_function(&symbols, i, &found->main, &function) &&
		    function.name.bytes <= PROBE_NAMES_TEXT_MAX)
			err = add_function(found, &function);
	}
	return err;
}

/* Maps errors of an optional file to -ENOENT: it counts as missing. */
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

static int add_usdt(void *context, const struct usdt_note *usdt)
{
	struct found_names *found = context;
	struct usdt_note *rows = with_room(found->usdt_probes, found->usdt_count, &found->usdt_room,
					   sizeof(*rows));

	if (!rows)
		return refuse_memory(found);
	found->usdt_probes = rows;
	rows[found->usdt_count++] = *usdt;
	return 0;
}

static int order_of(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Compares names in the order of strcmp(); they contain no NUL. */
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

static int compare_usdt(const void *one, const void *other)
{
	const struct usdt_note *a = one, *b = other;
	int order = strcmp(a->provider, b->provider);

	if (!order)
		order = strcmp(a->name, b->name);
	return order ? order : order_of(a->offset, b->offset);
}

/* Sorts the functions and drops duplicates, which come from symbol versions and from two tables. */
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

/* Appends @text and sets *@offset to its offset. */
static int put_text(struct found_names *found, const char *text, size_t bytes, uint32_t *offset)
{
	size_t room = found->text_room ? found->text_room : FIRST_ROOM;
	char *grown;

	if (found->text_bytes + bytes >= STRING_BYTES_MAX)
		return diag_set(found->why, -E2BIG, "names of more than %u MiB",
				STRING_BYTES_MAX >> 20);
	while (room - found->text_bytes <= bytes)
		room *= 2;
	if (room > found->text_room) {
		grown = large_block_grow(found->texts, found->text_bytes, room);
		if (!grown)
			return refuse_memory(found);
		found->texts = grown;
		found->text_room = room;
	}
	*offset = (uint32_t)found->text_bytes;
	memcpy(found->texts + found->text_bytes, text, bytes);
	found->texts[found->text_bytes + bytes] = '\0';
	found->text_bytes += bytes + 1;
	return 0;
}

/* Sets @out->shown to the demangled name if it is requested and differs, else to the name. */
static int put_shown(struct found_names *found, uint64_t parts, struct probe_function *out)
{
	char text[DEMANGLE_TEXT_MAX + 1];

	out->shown = out->name;
	if (!(parts & PROBE_NAMES_DEMANGLED) || !demangle_is_mangled(found->texts + out->name) ||
	    !demangle_name(found->texts + out->name, text))
		return 0;
	return put_text(found, text, strlen(text), &out->shown);
}

/* Writes the functions; consecutive equal names share one text. */
static int write_functions(struct found_names *found, uint64_t parts, struct probe_function *out)
{
	int err = 0;

	for (size_t i = 0; i < found->function_count && !err; i++) {
		const struct elf_function *row = &found->functions[i];

		out[i] = (struct probe_function){
			.offset = row->offset,
			.size = row->size < UINT32_MAX ? (uint32_t)row->size : UINT32_MAX,
			.is_resolver = row->is_resolver,
		};
		if (i && !compare_names(&row[-1].name, &row->name)) {
			out[i].name = out[i - 1].name;
			out[i].shown = out[i - 1].shown;
			continue;
		}
		err = put_text(found, row->name.text, row->name.bytes, &out[i].name);
		if (!err)
			err = put_shown(found, parts, &out[i]);
	}
	return err;
}

static int write_usdt(struct found_names *found, struct usdt_probe *out)
{
	int err = 0;

	for (size_t i = 0; i < found->usdt_count && !err; i++) {
		const struct usdt_note *row = &found->usdt_probes[i];

		out[i] = (struct usdt_probe){ .offset = row->offset, .semaphore = row->semaphore };
		err = put_text(found, row->provider, strlen(row->provider), &out[i].provider);
		if (!err)
			err = put_text(found, row->name, strlen(row->name), &out[i].name);
		if (!err)
			err = put_text(found, row->arguments, strlen(row->arguments),
				       &out[i].arguments);
	}
	return err;
}

/* Writes the rows after @header, where there is room for them; the caller appends the texts. */
static int write_rows(struct found_names *found, uint64_t parts, struct probe_names_header *header)
{
	struct probe_function *functions = (void *)(header + 1);
	uint32_t ignored;
	int err = write_functions(found, parts, functions);

	if (!err)
		err = write_usdt(found, (void *)(functions + found->function_count));
	if (!err)	/* adds a NUL even if there are no texts */
		err = put_text(found, "", 0, &ignored);
	*header = (struct probe_names_header){
		.magic = PROBE_NAMES_MAGIC, .version = PROBE_NAMES_VERSION,
		.function_count = (uint32_t)found->function_count,
		.usdt_count = (uint32_t)found->usdt_count,
		.string_bytes = (uint32_t)found->text_bytes,
		.build_id = elf_file_build_id(&found->main),
	};
	return err;
}

static int write_reply(struct found_names *found, uint64_t parts, void **bytes,
		       size_t *bytes_count)
{
	const size_t row_bytes = sizeof(struct probe_names_header) +
				 found->function_count * sizeof(struct probe_function) +
				 found->usdt_count * sizeof(struct usdt_probe);
	unsigned char *reply = large_block_alloc(row_bytes), *whole;
	int err = reply ? write_rows(found, parts, (void *)reply) : refuse_memory(found);

	if (err) {
		free(reply);
		return err;
	}
	whole = large_block_grow(reply, row_bytes, row_bytes + found->text_bytes);
	if (!whole) {
		free(reply);
		return refuse_memory(found);
	}
	memcpy(whole + row_bytes, found->texts, found->text_bytes);
	*bytes = whole;
	*bytes_count = row_bytes + found->text_bytes;
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
	if (!err && parts & PROBE_NAMES_USDT)
		err = elf_usdt_read(&found->main, add_usdt, found);
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
		if (found.usdt_count)
			qsort(found.usdt_probes, found.usdt_count, sizeof(*found.usdt_probes),
			      compare_usdt);
		err = write_reply(&found, parts, bytes, bytes_count);
	}
	elf_minidebug_close(&found.minidebug);
	elf_file_close(&found.debug);
	elf_file_close(&found.main);
	free(found.functions);
	free(found.usdt_probes);
	free(found.texts);
	return err;
}
