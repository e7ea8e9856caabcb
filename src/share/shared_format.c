/* shared_format.c - see share/shared_format.h. */
#include "share/shared_format.h"

#include <string.h>

#include "analyzer/request.h"

static const struct {
	const char *end;
	enum shared_format format;
	enum shared_needs needs;
} formats[] = {
	{ ".folded", SHARED_FOLDED, SHARED_NEEDS_STACKS },	/* the first: of other ends, too */
	{ ".txt", SHARED_TEXT, SHARED_NEEDS_SHOWN },
	{ ".json", SHARED_JSON, SHARED_NEEDS_SHOWN },
	{ ".csv", SHARED_CSV, SHARED_NEEDS_SHOWN },
	{ ".md", SHARED_MARKDOWN, SHARED_NEEDS_SHOWN },
};

#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static bool ends_with(const char *name, const char *end)
{
	const size_t length = strlen(name), bytes = strlen(end);

	return length > bytes && !strcmp(name + length - bytes, end);
}

enum shared_format shared_format_find(const char *path, bool *is_known)
{
	*is_known = true;
	for (size_t i = 0; i < FORMATS; i++)
		if (ends_with(path, formats[i].end))
			return formats[i].format;
	*is_known = false;
	return formats[0].format;
}

enum shared_needs shared_format_needs(enum shared_format format)
{
	size_t i = 0;

	while (i < FORMATS - 1 && formats[i].format != format)
		i++;
	return formats[i].needs;
}

uint32_t shared_format_request(enum shared_needs needs, bool with_idle)
{
	const uint32_t idle = with_idle ? STACKS_WITH_IDLE : 0;

	switch (needs) {
	case SHARED_NEEDS_SHOWN:
		return STACKS_AS_SHOWN;
	case SHARED_NEEDS_PAGE:
		return STACKS_WITH_ROWS | idle;
	case SHARED_NEEDS_STACKS:
		break;
	}
	return idle;
}

static int write_table(FILE *out, const struct snapshot *snapshot,
		       const struct table_options *options)
{
	struct table_writer *writer;
	int err = table_writer_create(&writer, options);

	if (!err)
		err = table_writer_write(writer, out, snapshot);
	table_writer_destroy(writer);
	return err;
}

int shared_write(FILE *out, const struct snapshot *snapshot, const struct shared_options *options)
{
	switch (options->format) {
	case SHARED_TEXT:
		text_write(out, snapshot, &options->table.print);
		return 0;
	case SHARED_JSON:
		json_write(out, snapshot, &options->table.print);
		return 0;
	case SHARED_CSV:
	case SHARED_MARKDOWN:
		return write_table(out, snapshot, &options->table);
	case SHARED_FOLDED:
		break;
	}
	return folded_write(out, &snapshot->tree, false, snapshot->is_compared,
			    snapshot_is_by_weight(snapshot));
}
