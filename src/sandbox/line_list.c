/* line_list.c - see sandbox/lines.h. The texts and the order of the rows are untrusted. */
#include "sandbox/lines.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>


#define EMBEDDED_MAX 100000u	/* lines of a file that are embedded */
#define FUNCTION     1u		/* offset of its name: the first text after the empty one */

struct builder {
	struct line_range *ranges;		/* owned */
	struct line_range_frame *frames;	/* owned; one for each range */
	uint32_t count;
	struct line_file *files;		/* owned */
	const char **paths;			/* owned array; of files[] */
	uint32_t file_count;
	char *strings;				/* owned */
	size_t string_bytes, string_room;
	int err;				/* the first error */
};

static void finish(struct builder *builder)
{
	free(builder->ranges);
	free(builder->frames);
	free(builder->files);
	free(builder->paths);
	free(builder->strings);
}

/* Returns the offset of what is added. */
static uint32_t add_text(struct builder *builder, const char *text, size_t bytes)
{
	const size_t at = builder->string_bytes;

	if (bytes > 2 * (size_t)LINE_TEXT_BYTES_MAX - at)
		builder->err = -E2BIG;
	if (!builder->err && at + bytes > builder->string_room) {
		const size_t room = 2 * (at + bytes) + 256;
		char *grown = realloc(builder->strings, room);

		if (grown) {
			builder->strings = grown;
			builder->string_room = room;
		} else {
			builder->err = -ENOMEM;
		}
	}
	if (builder->err)
		return 0;
	memcpy(builder->strings + at, text, bytes);
	builder->string_bytes = at + bytes;
	return (uint32_t)at;
}

/* Neighbours mostly have the same file. */
static uint32_t file_of(struct builder *builder, const char *path)
{
	for (uint32_t i = builder->file_count; i > 0; i--)
		if (builder->paths[i - 1] == path || !strcmp(builder->paths[i - 1], path))
			return i - 1;
	if (builder->file_count == LINE_FILES_MAX)
		return UINT32_MAX;
	builder->paths[builder->file_count] = path;
	builder->files[builder->file_count] = (struct line_file){
		.path = add_text(builder, path, strlen(path) + 1),
	};
	return builder->file_count++;
}

static int by_begin(const void *left, const void *right)
{
	const struct line_list_row *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return a->end < b->end ? -1 : a->end > b->end;
}

/* Adds the row but for what earlier ones have of it. */
static void add_row(struct builder *builder, const struct line_list_row *row)
{
	struct line_range range = {
		.begin = row->begin, .end = row->end, .first = builder->count, .count = 1,
		.flags = LINE_IS_STATEMENT, .column = row->column,
	};

	if (builder->count && range.begin < builder->ranges[builder->count - 1].end)
		range.begin = builder->ranges[builder->count - 1].end;
	if (range.begin >= range.end)
		return;
	builder->frames[builder->count] = (struct line_range_frame){
		.function = FUNCTION, .file = file_of(builder, row->file), .line = row->line,
		.declared_file = UINT32_MAX,
	};
	builder->ranges[builder->count++] = range;
}

/* Returns the text of each line of @path up to *@last; NULL: no memory. */
static const char **lines_of(const struct line_list_row *rows, uint32_t count, const char *path,
			     uint32_t *last)
{
	const char **texts = calloc(EMBEDDED_MAX + 1, sizeof(*texts));

	*last = 0;
	for (uint32_t i = 0; texts && i < count; i++) {
		if (!rows[i].text || rows[i].line > EMBEDDED_MAX || strcmp(rows[i].file, path))
			continue;
		texts[rows[i].line] = rows[i].text;
		if (rows[i].line > *last)
			*last = rows[i].line;
	}
	return texts;
}

/* Adds the source of file @number, if a row has some of it. */
static void add_source(struct builder *builder, const struct line_list_row *rows, uint32_t count,
		       uint32_t number)
{
	const size_t at = builder->string_bytes;
	uint32_t last;
	const char **texts = lines_of(rows, count, builder->paths[number], &last);

	if (!texts)
		builder->err = -ENOMEM;
	for (uint32_t line = 1; texts && line <= last && !builder->err; line++) {
		if (texts[line])
			add_text(builder, texts[line], strcspn(texts[line], "\n"));
		add_text(builder, "\n", 1);
	}
	if (texts && last) {
		add_text(builder, "", 1);
		builder->files[number].text = (uint32_t)at;
	}
	free(texts);
}

static bool has_text(const struct line_list_row *rows, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		if (rows[i].text)
			return true;
	return false;
}

static int join(const struct builder *builder, void **bytes, size_t *bytes_count)
{
	const struct line_ranges_header header = {
		.magic = LINE_RANGES_MAGIC, .version = LINE_RANGES_VERSION,
		.range_count = builder->count, .frame_count = builder->count,
		.file_count = builder->file_count, .string_bytes = (uint32_t)builder->string_bytes,
		.named_file = UINT32_MAX,
	};
	const struct {
		const void *at;
		size_t bytes;
	} parts[] = {
		{ &header, sizeof(header) },
		{ builder->ranges, builder->count * sizeof(*builder->ranges) },
		{ builder->frames, builder->count * sizeof(*builder->frames) },
		{ builder->files, builder->file_count * sizeof(*builder->files) },
		{ builder->strings, builder->string_bytes },
	};
	char *at;

	*bytes_count = 0;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		*bytes_count += parts[i].bytes;
	*bytes = at = malloc(*bytes_count);
	if (!at)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		memcpy(at, parts[i].at, parts[i].bytes);
		at += parts[i].bytes;
	}
	return 0;
}

static int build(struct builder *builder, struct line_list_row *rows, uint32_t count,
		 const char *function)
{
	if (!builder->ranges || !builder->frames || !builder->files || !builder->paths)
		return -ENOMEM;
	qsort(rows, count, sizeof(*rows), by_begin);
	for (uint32_t i = 0; i + 1 < count; i++)
		if (rows[i + 1].begin > rows[i].begin && rows[i + 1].begin < rows[i].end)
			rows[i].end = rows[i + 1].begin;
	add_text(builder, "", 1);
	add_text(builder, function, strlen(function) + 1);
	for (uint32_t i = 0; i < count && !builder->err; i++)
		add_row(builder, &rows[i]);
	for (uint32_t i = 0; i < builder->file_count && !builder->err && has_text(rows, count); i++)
		add_source(builder, rows, count, i);
	return builder->err ? builder->err : builder->count ? 0 : -ENODATA;
}

int line_list_build(struct line_list_row *rows, uint32_t count, const char *function, void **bytes,
		    size_t *bytes_count)
{
	struct builder builder = { .err = 0 };
	int err;

	if (!count || count > LINE_RANGES_MAX)
		return count ? -E2BIG : -ENODATA;
	builder.ranges = calloc(count, sizeof(*builder.ranges));
	builder.frames = calloc(count, sizeof(*builder.frames));
	builder.files = calloc(LINE_FILES_MAX, sizeof(*builder.files));
	builder.paths = calloc(LINE_FILES_MAX, sizeof(*builder.paths));
	err = build(&builder, rows, count, function);
	if (!err)
		err = join(&builder, bytes, bytes_count);
	finish(&builder);
	return err;
}
