/* line_rows.c - see line_rows.h; the reply is drawn in sandbox/lines.h. */
#include "line_rows.h"

#include <dwarf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "elf/demangle.h"

#define TEXT_BYTES_MAX 4096	/* bytes of a function or file name, NUL included */
#define TEXT_ROOM      (LINE_RANGES_BYTES_MAX / 2)

static void fail(struct line_rows *rows, int err)
{
	if (!rows->err)
		rows->err = err;
}

/* Makes room for @more rows after @count in *@array, at most @most in all. Returns false and sets
 * rows->err if that fails. */
static bool make_room(struct line_rows *rows, void *array, uint32_t *room, uint64_t count,
		      uint64_t more, uint64_t most, size_t row_bytes)
{
	uint64_t wanted = *room ? *room : 64;
	void *old, *bigger;

	if (rows->err)
		return false;
	if (count + more > most) {
		fail(rows, -E2BIG);
		return false;
	}
	if (count + more <= *room)
		return true;
	while (wanted < count + more)
		wanted *= 2;
	memcpy(&old, array, sizeof(old));
	bigger = realloc(old, wanted * row_bytes);
	if (!bigger) {
		fail(rows, -ENOMEM);
		return false;
	}
	memcpy(array, &bigger, sizeof(bigger));
	*room = (uint32_t)wanted;
	return true;
}

/* Returns the offset of a copy of @text[@len]; 0, which is "", if there is no room. */
static uint32_t put_bytes(struct line_rows *rows, const char *text, size_t len)
{
	uint32_t at;

	if (!rows->header.string_bytes &&
	    make_room(rows, &rows->strings, &rows->string_room, 0, 1, TEXT_ROOM, 1))
		rows->strings[rows->header.string_bytes++] = '\0';
	at = rows->header.string_bytes;
	if (!len || !make_room(rows, &rows->strings, &rows->string_room, at, len + 1, TEXT_ROOM, 1))
		return 0;
	memcpy(rows->strings + at, text, len);
	rows->strings[at + len] = '\0';
	rows->header.string_bytes += (uint32_t)len + 1;
	return at;
}

static uint32_t put_function(struct line_rows *rows, const char *name)
{
	char readable[DEMANGLE_TEXT_MAX + 1];
	const uint64_t key = (uint64_t)(uintptr_t)name;
	uint32_t at = name ? id_map_get(&rows->texts, key) : 0;

	if (at != ID_MAP_NONE)
		return at;
	if (demangle_is_mangled(name) && demangle_name(name, readable))
		name = readable;
	at = put_bytes(rows, name, strnlen(name, TEXT_BYTES_MAX - 1));
	if (id_map_put(&rows->texts, key, at))
		fail(rows, -ENOMEM);
	return at;
}

static uint64_t hash_of(const char *text)
{
	uint64_t hash = 0xcbf29ce484222325ull;	/* FNV-1a */

	for (size_t i = 0; i < TEXT_BYTES_MAX - 1 && text[i]; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3ull;
	return hash;
}

static void put_source(struct line_rows *rows, const struct dwarf_place *place,
		       struct line_file *file)
{
	const unsigned char *md5;
	const char *text;
	size_t len;

	dwarf_index_source(rows->index, place, &md5, &text);
	if (md5) {
		file->has_md5 = 1;
		memcpy(file->md5, md5, sizeof(file->md5));
	}
	len = text ? strlen(text) : 0;
	if (!len || len > LINE_TEXT_BYTES_MAX - rows->text_bytes)
		return;
	rows->text_bytes += (uint32_t)len;
	file->text = put_bytes(rows, text, len);
}

/* Writes the file's whole path: relative ones begin in the directory of the compilation. */
static void write_path(const struct dwarf_place *place, char out[TEXT_BYTES_MAX])
{
	Dwarf_Attribute attribute;
	const char *directory = NULL;
	Dwarf_Die die;

	if (place->file[0] != '/' && place->unit &&
	    dwarf_cu_die(place->unit, &die, NULL, NULL, NULL, NULL, NULL, NULL))
		directory = dwarf_formstring(dwarf_attr(&die, DW_AT_comp_dir, &attribute));
	snprintf(out, TEXT_BYTES_MAX, "%s%s%s", directory ? directory : "", directory ? "/" : "",
		 place->file);
}

/* Adds a file whose path is not known by its address. Units have copies of a path. */
static uint32_t add_file(struct line_rows *rows, const struct dwarf_place *place)
{
	struct line_file file = { .path = 0 };
	const uint32_t added = rows->header.file_count;
	char path[TEXT_BYTES_MAX];
	uint32_t known;
	uint64_t hash;

	write_path(place, path);
	hash = hash_of(path);
	known = id_map_get(&rows->path_hashes, hash);
	if (known != ID_MAP_NONE && !strncmp(rows->strings + rows->files[known].path, path,
					     TEXT_BYTES_MAX - 1))
		return known;
	if (!make_room(rows, &rows->files, &rows->file_room, added, 1, LINE_FILES_MAX,
		       sizeof(*rows->files)))
		return UINT32_MAX;
	file.path = put_bytes(rows, path, strlen(path));
	put_source(rows, place, &file);
	rows->files[rows->header.file_count++] = file;
	if (id_map_put(&rows->path_hashes, hash, added))
		fail(rows, -ENOMEM);
	return added;
}

uint32_t line_rows_file(struct line_rows *rows, const struct dwarf_place *place)
{
	const uint64_t key = (uint64_t)(uintptr_t)place->file;
	uint32_t file;

	if (!place->file || rows->err)
		return UINT32_MAX;
	file = id_map_get(&rows->paths, key);
	if (file != ID_MAP_NONE)
		return file;
	file = add_file(rows, place);
	if (file != UINT32_MAX && id_map_put(&rows->paths, key, file))
		fail(rows, -ENOMEM);
	return file;
}

static void put_frame(struct line_rows *rows, const struct dwarf_frame *frame)
{
	const struct line_range_frame made = {
		.function = put_function(rows, frame->function),
		.file = line_rows_file(rows, &frame->place), .line = frame->place.line,
		.declared_file = line_rows_file(rows, &frame->declared),
		.declared_line = frame->declared.line,
	};

	rows->frames[rows->header.frame_count++] = made;
}

static bool has_frames(const struct line_rows *rows, const struct line_range *range, uint32_t first,
		       uint32_t count)
{
	return range->count == count &&
	       !memcmp(&rows->frames[range->first], &rows->frames[first],
		       count * sizeof(*rows->frames));
}

void line_rows_add_range(struct line_rows *rows, uint64_t begin, uint64_t end,
			 const struct dwarf_frame *frames, uint32_t count, uint32_t column,
			 bool is_statement)
{
	struct line_ranges_header *header = &rows->header;
	struct line_range made = { begin, end, header->frame_count, count,
				   is_statement ? LINE_IS_STATEMENT : 0, column };
	struct line_range *last;

	if (!make_room(rows, &rows->ranges, &rows->range_room, header->range_count, 1,
		       LINE_RANGES_MAX, sizeof(*rows->ranges)) ||
	    !make_room(rows, &rows->frames, &rows->frame_room, header->frame_count, count,
		       LINE_RANGES_BYTES_MAX / sizeof(*rows->frames), sizeof(*rows->frames)))
		return;
	for (uint32_t i = 0; i < count; i++)
		put_frame(rows, &frames[i]);
	last = header->range_count ? &rows->ranges[header->range_count - 1] : NULL;
	if (last && has_frames(rows, last, made.first, count)) {
		header->frame_count = made.first;
		made.first = last->first;
		if (last->end == begin && !is_statement && last->column == column) {
			last->end = end;
			return;
		}
	}
	rows->ranges[header->range_count++] = made;
}

const struct line_range_frame *line_rows_last_frames(const struct line_rows *rows)
{
	return &rows->frames[rows->ranges[rows->header.range_count - 1].first];
}

void line_rows_add_statement(struct line_rows *rows, uint64_t at, uint32_t file, uint32_t line,
			     uint32_t frame, uint32_t flags)
{
	struct line_ranges_header *header = &rows->header;
	const struct line_statement *last;
	struct line_statement made = { at, file, line, 0, flags };

	if (!make_room(rows, &rows->statements, &rows->statement_room, header->statement_count, 1,
		       LINE_STATEMENTS_MAX, sizeof(*rows->statements)))
		return;
	made.frame = rows->ranges[header->range_count - 1].first + frame;
	last = header->statement_count ? &rows->statements[header->statement_count - 1] : NULL;
	if (!last || memcmp(last, &made, sizeof(made)) != 0)
		rows->statements[header->statement_count++] = made;
}

static char *copy(char *at, const void *rows, uint64_t bytes)
{
	if (bytes)
		memcpy(at, rows, bytes);
	return at + bytes;
}

int line_rows_finish(struct line_rows *rows, void **bytes, size_t *bytes_count, struct diag *why)
{
	struct line_ranges_header *header = &rows->header;
	const uint64_t range_bytes = header->range_count * (uint64_t)sizeof(*rows->ranges);
	const uint64_t statement_bytes =
		header->statement_count * (uint64_t)sizeof(*rows->statements);
	const uint64_t frame_bytes = header->frame_count * (uint64_t)sizeof(*rows->frames);
	const uint64_t file_bytes = header->file_count * (uint64_t)sizeof(*rows->files);
	char *at;

	put_bytes(rows, "", 0);		/* a reply has one text at least */
	*bytes_count = sizeof(*header) + range_bytes + statement_bytes + frame_bytes + file_bytes +
		       header->string_bytes;
	if (rows->err == -E2BIG || *bytes_count > LINE_RANGES_BYTES_MAX)
		return diag_set(why, -E2BIG, "more than %u lines of code in one reply: ask for a "
				"function or a part of the file", LINE_RANGES_MAX);
	*bytes = at = rows->err ? NULL : malloc(*bytes_count);
	if (!at)
		return diag_set(why, -ENOMEM, "no memory for source lines");
	header->magic = LINE_RANGES_MAGIC;
	header->version = LINE_RANGES_VERSION;
	at = copy(at, header, sizeof(*header));
	at = copy(at, rows->ranges, range_bytes);
	at = copy(at, rows->statements, statement_bytes);
	at = copy(at, rows->frames, frame_bytes);
	at = copy(at, rows->files, file_bytes);
	copy(at, rows->strings, header->string_bytes);
	return 0;
}

void line_rows_destroy(struct line_rows *rows)
{
	free(rows->ranges);
	free(rows->statements);
	free(rows->frames);
	free(rows->files);
	free(rows->strings);
	id_map_finish(&rows->texts);
	id_map_finish(&rows->paths);
	id_map_finish(&rows->path_hashes);
}
