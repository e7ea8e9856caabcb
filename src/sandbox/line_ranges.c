/* line_ranges.c - see sandbox/lines.h. The bytes come from a process that an untrusted file
 * may control: every number in them is checked before it is used. */
#include "sandbox/lines.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

static int bad(struct diag *why, const char *what)
{
	return diag_set(why, -EBADMSG, "source lines with %s", what);
}

static int check_header(const struct line_ranges_header *header, size_t bytes_count,
			struct diag *why)
{
	uint64_t bytes;

	if (bytes_count < sizeof(*header) || header->magic != LINE_RANGES_MAGIC ||
	    header->version != LINE_RANGES_VERSION)
		return bad(why, "no header");
	bytes = sizeof(*header) + (uint64_t)header->range_count * sizeof(struct line_range) +
		(uint64_t)header->statement_count * sizeof(struct line_statement) +
		(uint64_t)header->frame_count * sizeof(struct line_range_frame) +
		(uint64_t)header->file_count * sizeof(struct line_file) + header->string_bytes;
	if (bytes_count > LINE_RANGES_BYTES_MAX || !header->string_bytes || bytes != bytes_count)
		return bad(why, "another size than their header says");
	if (header->range_count > LINE_RANGES_MAX ||
	    header->statement_count > LINE_STATEMENTS_MAX || header->file_count > LINE_FILES_MAX)
		return bad(why, "more rows than there may be");
	if (header->build_id.count > BUILD_ID_MAX_BYTES ||
	    header->alternate.count > BUILD_ID_MAX_BYTES)
		return bad(why, "a build-id that is too long");
	if (!memchr(header->alternate_name, '\0', sizeof(header->alternate_name)))
		return bad(why, "a debug file's name that does not end");
	return 0;
}

static bool is_file(const struct line_ranges *lines, uint32_t file)
{
	return file == UINT32_MAX || file < lines->header->file_count;
}

static int check_ranges(const struct line_ranges *lines, struct diag *why)
{
	const uint32_t frame_count = lines->header->frame_count;
	uint64_t end = 0;

	for (uint32_t i = 0; i < lines->header->range_count; i++) {
		const struct line_range *range = &lines->ranges[i];

		if (range->begin < end || range->end <= range->begin)
			return bad(why, "ranges out of order");
		if (!range->count || range->count > LINE_DEPTH_MAX ||
		    range->first > frame_count || range->count > frame_count - range->first)
			return bad(why, "a range without its frames");
		if (range->flags > LINE_IS_STATEMENT)
			return bad(why, "a range of no known kind");
		end = range->end;
	}
	return 0;
}

static int check_statements(const struct line_ranges *lines, struct diag *why)
{
	const uint32_t all = LINE_IS_MARKED | LINE_IS_DECLARATION | LINE_IS_CALL;
	const struct line_range *range = lines->ranges;
	const struct line_range *const end = lines->ranges + lines->header->range_count;
	uint64_t before = 0;

	for (uint32_t i = 0; i < lines->header->statement_count; i++) {
		const struct line_statement *statement = &lines->statements[i];

		if (statement->at < before)
			return bad(why, "statements out of order");
		before = statement->at;
		while (range < end && range->end <= before)
			range++;
		if (range == end || before < range->begin || statement->frame < range->first ||
		    statement->frame - range->first >= range->count)
			return bad(why, "a statement outside of its range");
		if (!is_file(lines, statement->file))
			return bad(why, "a file that is not there");
		if (statement->flags & ~all)
			return bad(why, "a statement of no known kind");
	}
	return 0;
}

static int check_texts(const struct line_ranges *lines, struct diag *why)
{
	const struct line_ranges_header *header = lines->header;

	if (lines->strings[header->string_bytes - 1] != '\0')
		return bad(why, "texts that do not end");
	if (!is_file(lines, header->named_file))
		return bad(why, "a file that is not there");
	for (uint32_t i = 0; i < header->frame_count; i++) {
		const struct line_range_frame *frame = &lines->frames[i];

		if (frame->function >= header->string_bytes)
			return bad(why, "a text outside");
		if (!is_file(lines, frame->file) || !is_file(lines, frame->declared_file))
			return bad(why, "a file that is not there");
	}
	for (uint32_t i = 0; i < header->file_count; i++) {
		const struct line_file *file = &lines->files[i];

		if (file->path >= header->string_bytes || file->text >= header->string_bytes)
			return bad(why, "a text outside");
		if (file->has_md5 > 1)
			return bad(why, "a file with half a checksum");
	}
	return 0;
}

int line_ranges_check(struct line_ranges *out, const void *bytes, size_t bytes_count,
		      struct diag *why)
{
	int err;

	assert((uintptr_t)bytes % _Alignof(struct line_ranges_header) == 0);
	err = check_header(bytes, bytes_count, why);
	if (err)
		return err;
	out->header = bytes;
	out->ranges = (const void *)(out->header + 1);
	out->statements = (const void *)(out->ranges + out->header->range_count);
	out->frames = (const void *)(out->statements + out->header->statement_count);
	out->files = (const void *)(out->frames + out->header->frame_count);
	out->strings = (const void *)(out->files + out->header->file_count);
	err = check_texts(out, why);
	if (!err)
		err = check_ranges(out, why);
	return err ? err : check_statements(out, why);
}

const struct line_range *line_ranges_find(const struct line_ranges *lines, uint64_t at)
{
	uint32_t low = 0, high = lines->header->range_count;

	while (low < high) {	/* until low is the first range that begins after @at */
		const uint32_t middle = low + (high - low) / 2;

		if (lines->ranges[middle].begin <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low && at < lines->ranges[low - 1].end ? &lines->ranges[low - 1] : NULL;
}
