/* shared_format.c - see share/shared_format.h. */
#include "share/shared_format.h"

#include <string.h>

#include "analyzer/request.h"
#include "base/safe_print.h"
#include "flame_svg.h"
#include "page.h"
#include "pprof.h"

#define MARKDOWN_ROWS 40

/* In the order in which they are offered. */
static const struct {
	const char *end;
	enum shared_format format;
	enum shared_needs needs;
	const char *words;	/* beside a name of 32 cells on a screen of 80 */
} formats[] = {
	{ ".svg", SHARED_FLAME_GRAPH, SHARED_NEEDS_STACKS, "flame graph for a browser" },
	{ ".html", SHARED_PAGE, SHARED_NEEDS_PAGE, "page: table and flame graph" },
	{ ".pb.gz", SHARED_PPROF, SHARED_NEEDS_TASKS, "for go tool pprof, speedscope" },
	{ ".folded", SHARED_FOLDED, SHARED_NEEDS_STACKS, "stacks for other flame graphs" },
	{ ".txt", SHARED_TEXT, SHARED_NEEDS_SHOWN, "what is shown, as text" },
	{ ".json", SHARED_JSON, SHARED_NEEDS_SHOWN, "what is shown, as JSON" },
	{ ".csv", SHARED_CSV, SHARED_NEEDS_SHOWN, "table for a spreadsheet" },
	{ ".md", SHARED_MARKDOWN, SHARED_NEEDS_SHOWN, "table for an issue or a page" },
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
	return SHARED_FOLDED;
}

const char *shared_format_end(size_t index)
{
	return index < FORMATS ? formats[index].end : NULL;
}

const char *shared_format_words(size_t index)
{
	return formats[index].words;
}

enum shared_needs shared_format_needs(enum shared_format format)
{
	size_t i = 0;

	while (i < FORMATS - 1 && formats[i].format != format)
		i++;
	return formats[i].needs;
}

uint32_t shared_format_request(enum shared_needs needs, bool with_idle, bool with_inlined)
{
	const uint32_t idle = with_idle ? STACKS_WITH_IDLE : 0;
	const uint32_t inlined = with_inlined ? STACKS_INLINED : 0;

	switch (needs) {
	case SHARED_NEEDS_SHOWN:
		return STACKS_AS_SHOWN;
	case SHARED_NEEDS_TASKS:
		return STACKS_BY_TASK | idle;
	case SHARED_NEEDS_PAGE:
		return STACKS_WITH_ROWS | idle | inlined;
	case SHARED_NEEDS_STACKS:
		break;
	}
	return idle | inlined;
}

void shared_options_choose(struct shared_options *out, size_t max_rows)
{
	const bool is_markdown = out->format == SHARED_MARKDOWN;

	out->table.style = is_markdown ? TABLE_MARKDOWN : TABLE_CSV;
	out->table.print.max_rows = max_rows ? max_rows : is_markdown ? MARKDOWN_ROWS : SIZE_MAX;
}

static int write_text(FILE *out, const struct snapshot *snapshot,
		      const struct shared_options *options)
{
	const struct export_options *print = &options->table.print;
	bool has_all = false;
	int err = 0;

	if (options->command[0])
		safe_print(out, "# command: %s\n", sanitize_checked(options->command));
	for (; snapshot && !has_all && !err; snapshot = snapshot->next_event) {
		has_all = text_has_all_events(snapshot, print);
		if (snapshot->listing)
			err = listing_text_write(out, snapshot, options->table.layer);
		else
			text_write(out, snapshot, print);
	}
	return err;
}

static int write_json(FILE *out, const struct snapshot *snapshot,
		      const struct shared_options *options)
{
	struct export_options print = options->table.print;
	int err = 0;

	print.command = options->command;
	for (; snapshot && !err; snapshot = snapshot->next_event) {
		if (snapshot->listing)
			err = listing_json_write(out, snapshot, options->table.layer);
		else
			json_write(out, snapshot, &print);
	}
	return err;
}

static int write_folded(FILE *out, const struct snapshot *snapshot,
			const struct shared_options *options)
{
	const bool has_events = snapshot->next_event;
	bool is_compared = false;
	int err = 0;

	for (const struct snapshot *event = snapshot; event; event = event->next_event)
		is_compared |= event->is_compared;
	for (; snapshot && !err; snapshot = snapshot->next_event)
		err = folded_write(out, &snapshot->tree, has_events ? snapshot->event : "",
				   options->marks_kernel, is_compared,
				   snapshot_is_by_weight(snapshot));
	return err;
}

static int write_table(FILE *out, const struct snapshot *snapshot,
		       const struct shared_options *options)
{
	struct table_writer *writer;
	int err = table_writer_create(&writer, &options->table);

	if (!err && options->format == SHARED_MARKDOWN && options->command[0])
		safe_print(out, "    %s\n\n", sanitize_checked(options->command));
	if (!err)
		err = table_writer_write(writer, out, snapshot);
	table_writer_destroy(writer);
	return err;
}

int shared_write(FILE *out, const struct snapshot *snapshot, const struct shared_options *options)
{
	switch (options->format) {
	case SHARED_TEXT:
		return write_text(out, snapshot, options);
	case SHARED_JSON:
		return write_json(out, snapshot, options);
	case SHARED_CSV:
	case SHARED_MARKDOWN:
		return write_table(out, snapshot, options);
	case SHARED_FLAME_GRAPH:
		return flame_svg_write(out, snapshot, &options->table.print,
				       options->command ? options->command : "");
	case SHARED_PAGE:
		return page_write(out, snapshot, &options->table.print,
				  options->command ? options->command : "");
	case SHARED_PPROF:
		return pprof_write(out, snapshot, &options->table.print,
				   options->command ? options->command : "");
	case SHARED_FOLDED:
		break;
	}
	return write_folded(out, snapshot, options);
}
