/* line_lists.c - see cli/session.h, line_lists_print().
 *
 * Which lines are marked follows perf-probe(1): see LINE_IS_MARKED in sandbox/lines.h. Of a
 * function only its own lines are marked, not those of functions that are inlined into it; of a
 * function that is inlined, those of all its copies.
 */
#include "cli/session.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/privileges.h"
#include "base/safe_print.h"
#include "elf/file_jobs.h"
#include "probe/probe_point.h"
#include "sandbox/sandbox.h"
#include "symbols/source_file.h"

#define LINES_AFTER 2		/* lines of text after the last marked one, as in perf */
#define LINE_BYTES  4096	/* a longer line is cut */
#define TAB_COLUMNS 8

struct line_range_wanted {
	struct probe_spec spec;
	uint32_t from, to;	/* to UINT32_MAX: up to the last line */
};

/* One source file of which lines are shown. */
struct listed_file {
	const struct probe_lines *found;
	uint32_t file;			/* in found->read.lines */
	uint32_t first;			/* line that relative numbers count from; 0: none */
	uint32_t *marked;		/* owned; sorted */
	uint32_t marked_count;
	uint32_t from, to;		/* lines to show */
	bool is_kernel;
	struct source_file *text;	/* owned; NULL: there is none, see why */
	struct diag why;
};

static int bad_range(const char *text, struct diag *why)
{
	return diag_set(why, -EINVAL, "--lines %s: lines are given as :FROM, :FROM-TO or "
			":FROM+COUNT", text);
}

/* Parses the digits at *@at, which is moved after them. */
static bool parse_number(const char **at, uint32_t *out)
{
	char *end;
	unsigned long number;

	errno = 0;
	number = strtoul(*at, &end, 10);
	if (**at < '0' || **at > '9' || errno || number > INT_MAX)
		return false;
	*at = end;
	*out = (uint32_t)number;
	return true;
}

/* Returns the length of @text without its ":FROM-TO", which is parsed. */
static size_t parse_range(struct line_range_wanted *out, const char *text, struct diag *why)
{
	size_t length = strlen(text), digits = length;
	const char *at;
	uint32_t number = 0;
	char sign;

	out->from = 0;
	out->to = UINT32_MAX;
	while (digits && strchr("0123456789+-", text[digits - 1]))
		digits--;
	if (digits == length || digits < 2 || text[digits - 1] != ':' || text[digits - 2] == ':')
		return length;
	at = text + digits;
	if (!parse_number(&at, &out->from)) {
		bad_range(text, why);
		return 0;
	}
	sign = *at;
	at += sign != '\0';
	if (sign && (sign == '+' || *at)) {
		if (!parse_number(&at, &number)) {
			bad_range(text, why);
			return 0;
		}
		out->to = sign == '+' ? out->from + number : number;
	}
	if (*at || out->to < out->from) {
		bad_range(text, why);
		return 0;
	}
	return digits - 1;
}

/* A spec of a line names a function or a source file in every form: so one is made of it. */
static int parse_wanted(struct line_range_wanted *out, const char *text, struct diag *why)
{
	const size_t bytes = parse_range(out, text, why);
	char spec[PROBE_SPEC_BYTES];
	int err;

	if (!bytes)
		return -EINVAL;
	if (bytes + sizeof(":1") > sizeof(spec))
		return diag_set(why, -EINVAL, "--lines: the name is too long");
	memcpy(spec, text, bytes);
	strcpy(spec + bytes, ":1");
	err = probe_spec_parse(&out->spec, spec, why);
	if (err)
		return diag_prefix(why, "--lines %s", text), err;
	if (out->spec.edge != PROBE_ENTRY || out->spec.argument_count || out->spec.offset ||
	    !out->spec.line)
		return diag_set(why, -EINVAL, "--lines %s: name a function or a source file, as "
				"in u:FILE:FUNC, u:FILE:SOURCE.c or k:FUNC", text);
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Returns whether @statement is a line of the function that was asked for, or any was. */
static bool is_of_function(const struct line_ranges *lines, const struct line_statement *statement)
{
	const struct line_ranges_header *header = lines->header;
	const struct line_range_frame *frame = &lines->frames[statement->frame];

	return header->named_file == UINT32_MAX || (frame->declared_file == header->named_file &&
						    frame->declared_line == header->named_line);
}

static int collect_marked(struct listed_file *source, struct diag *why)
{
	const struct line_ranges *lines = &source->found->read.lines;
	uint32_t count = 0;

	source->marked = calloc(lines->header->statement_count + 1u, sizeof(*source->marked));
	if (!source->marked)
		return diag_set(why, -ENOMEM, "no memory for source lines");
	for (uint32_t i = 0; i < lines->header->statement_count; i++) {
		const struct line_statement *statement = &lines->statements[i];

		if (statement->flags & LINE_IS_MARKED && statement->file == source->file &&
		    statement->line >= source->from && statement->line <= source->to &&
		    is_of_function(lines, statement))
			source->marked[count++] = statement->line;
	}
	qsort(source->marked, count, sizeof(*source->marked), by_number);
	source->marked_count = 0;
	for (uint32_t i = 0; i < count; i++)
		if (!i || source->marked[i] != source->marked[i - 1])
			source->marked[source->marked_count++] = source->marked[i];
	return 0;
}

static void read_text(struct listed_file *source, struct source_reader *reader)
{
	const struct line_ranges *lines = &source->found->read.lines;
	const struct line_file *file = &lines->files[source->file];
	const char *text = line_ranges_text(lines, file->text);
	struct source_wanted place = {
		.path = line_ranges_path(lines, source->file), .is_kernel = source->is_kernel,
		.author = source->found->author, .built_ns = source->found->built_ns,
		.build_id = source->found->build_id, .has_md5 = file->has_md5,
		.dso = source->found->dso.pid ? &source->found->dso : NULL,
	};

	memcpy(place.md5, file->md5, sizeof(place.md5));
	if (text[0])
		source_file_create(&source->text, text, strlen(text), place.path, &source->why);
	else
		source_file_read(reader, &source->text, &place, &source->why);
}

/* Limits the lines to those that there are. */
static void limit_lines(struct listed_file *source)
{
	const uint32_t last = source->marked_count ? source->marked[source->marked_count - 1] : 0;

	if (source->to == UINT32_MAX)
		source->to = last + LINES_AFTER;
	if (source->text && source->to > source->text->line_count)
		source->to = source->text->line_count;
	if (!source->from)
		source->from = 1;
}

static int read_source(struct listed_file *source, const struct line_range_wanted *wanted,
		       struct source_reader *reader, struct diag *why)
{
	int err;

	source->from = source->first + wanted->from;
	source->to = wanted->to > UINT32_MAX - source->first ? UINT32_MAX
							     : source->first + wanted->to;
	err = collect_marked(source, why);
	if (err)
		return err;
	read_text(source, reader);
	limit_lines(source);
	return 0;
}

static void finish_source(struct listed_file *source)
{
	free(source->marked);
	source_file_destroy(source->text);
}

/* Returns line @line with its tabs expanded, clean, in @out[@room]; NULL characters: no text. */
static struct safe_text line_text(const struct listed_file *source, uint32_t line, char *out,
				  size_t room)
{
	char wide[LINE_BYTES];
	size_t bytes = 0, used = 0;
	const char *text = source->text ? source_file_line(source->text, line, &bytes) : NULL;

	for (size_t i = 0; text && i < bytes && used + TAB_COLUMNS < sizeof(wide); i++) {
		if (text[i] != '\t') {
			wide[used++] = text[i];
			continue;
		}
		do
			wide[used++] = ' ';
		while (used % TAB_COLUMNS);
	}
	return sanitize(out, room, wide, used);
}

static struct safe_text clean(const char *text, char *out, size_t room)
{
	return sanitize(out, room, text, strlen(text));
}

typedef void put_line(FILE *out, const struct listed_file *source, uint32_t line, bool is_marked);

/* Puts each line from source->from to source->to or, without text, each marked one. */
static void put_lines(FILE *out, const struct listed_file *source, put_line *put)
{
	uint32_t next = 0;

	if (!source->text) {
		for (; next < source->marked_count; next++)
			put(out, source, source->marked[next], true);
		return;
	}
	for (uint32_t line = source->from; line <= source->to; line++) {
		const bool is_marked = next < source->marked_count && source->marked[next] == line;

		next += is_marked;
		put(out, source, line, is_marked);
	}
}

static void put_text_line(FILE *out, const struct listed_file *source, uint32_t line,
			  bool is_marked)
{
	char text[4 * LINE_BYTES];
	const struct safe_text clean_text = line_text(source, line, text, sizeof(text));

	if (is_marked)
		safe_print(out, "%7" PRIu32, line - source->first);
	else
		safe_put(out, "       ");
	if (source->first)
		safe_print(out, " %7" PRIu32, line);
	if (clean_text.chars[0])
		safe_print(out, "  %s", clean_text);
	safe_put(out, "\n");
}

static void put_as_text(FILE *out, const struct listed_file *source,
			const struct probe_spec *spec)
{
	const struct line_ranges *lines = &source->found->read.lines;
	char path[4 * OPENER_PATH_BYTES], name[4 * PROBE_FUNCTION_BYTES];
	char why[4 * sizeof(source->why.text)];

	safe_print(out, "<%s%s%s:%" PRIu32 ">\n", clean(spec->function, name, sizeof(name)),
		   spec->function[0] ? SAFE_TEXT("@") : SAFE_TEXT(""),
		   clean(source->text ? source->text->path : line_ranges_path(lines, source->file),
			 path, sizeof(path)),
		   source->from - source->first);
	if (!source->text)
		safe_print(out, "# only the lines that can be probed: %s\n",
			   clean(source->why.text, why, sizeof(why)));
	else if (source->text->warning[0])
		safe_print(out, "# %s\n", clean(source->text->warning, why, sizeof(why)));
	put_lines(out, source, put_text_line);
}

static void put_foreign(FILE *out, const char *text)
{
	char bytes[4 * OPENER_PATH_BYTES];

	safe_put_json(out, clean(text, bytes, sizeof(bytes)));
}

static void put_json_line(FILE *out, const struct listed_file *source, uint32_t line,
			  bool is_marked)
{
	const uint32_t first = source->text ? source->from : source->marked[0];
	char text[4 * LINE_BYTES];

	safe_print(out, "%s\n    {\"line\": %" PRIu32 ", \"relative\": ",
		   line == first ? SAFE_TEXT("") : SAFE_TEXT(","), line);
	if (source->first && line >= source->first)
		safe_print(out, "%" PRIu32, line - source->first);
	else
		safe_put(out, "null");
	safe_print(out, ", \"can_be_probed\": %s, \"text\": ",
		   is_marked ? SAFE_TEXT("true") : SAFE_TEXT("false"));
	if (source->text)
		safe_put_json(out, line_text(source, line, text, sizeof(text)));
	else
		safe_put(out, "null");
	safe_put(out, "}");
}

static void put_as_json(FILE *out, const struct listed_file *source, const struct probe_spec *spec)
{
	const struct line_ranges *lines = &source->found->read.lines;

	safe_put(out, "  {\"file\": ");
	put_foreign(out, line_ranges_path(lines, source->file));
	safe_put(out, ", \"function\": ");
	if (spec->function[0])
		put_foreign(out, spec->function);
	else
		safe_put(out, "null");
	safe_put(out, ", \"found\": ");
	if (source->text)
		put_foreign(out, source->text->path);
	else
		safe_put(out, "null");
	safe_put(out, ", \"reason\": ");
	put_foreign(out, source->text ? source->text->warning : source->why.text);
	safe_put(out, ", \"lines\": [");
	put_lines(out, source, put_json_line);
	safe_put(out, "]}");
}

struct printer {
	FILE *out;
	const struct line_range_wanted *wanted;
	const struct probe_lines *found;
	bool is_json;
	uint32_t printed;	/* source files */
	struct source_reader reader;
	struct diag *why;
};

static int print_file(struct printer *printer, uint32_t file, uint32_t first)
{
	struct listed_file source = {
		.found = printer->found, .file = file, .first = first,
		.is_kernel = printer->wanted->spec.kind == PROBE_KERNEL,
	};
	int err = read_source(&source, printer->wanted, &printer->reader, printer->why);

	if (!err && (source.marked_count || (first && source.text))) {
		if (printer->printed++)
			safe_put_text(printer->out, printer->is_json ? SAFE_TEXT(",\n")
								     : SAFE_TEXT("\n"));
		if (printer->is_json)
			put_as_json(printer->out, &source, &printer->wanted->spec);
		else
			put_as_text(printer->out, &source, &printer->wanted->spec);
	}
	finish_source(&source);
	return err;
}

static bool path_ends(const char *path, const char *tail)
{
	const size_t have = strlen(path), want = strlen(tail);

	return have >= want && !strcmp(path + have - want, tail) &&
	       (have == want || path[have - want - 1] == '/' || tail[0] == '/');
}

static int print_files(struct printer *printer)
{
	const struct line_ranges *lines = &printer->found->read.lines;
	const struct probe_spec *spec = &printer->wanted->spec;
	int err = 0;

	if (spec->function[0])
		return print_file(printer, lines->header->named_file, lines->header->named_line);
	for (uint32_t i = 0; i < lines->header->file_count && !err; i++)
		if (path_ends(line_ranges_path(lines, i), spec->source))
			err = print_file(printer, i, 0);
	return err;
}

static int print_found(FILE *out, const struct line_range_wanted *wanted,
		       const struct probe_lines *found, struct sandbox *sandbox, bool is_json,
		       struct diag *why)
{
	struct printer printer = { out, wanted, found, is_json, 0, { .sandbox = sandbox }, why };
	char hex[BUILD_ID_HEX_BYTES];
	int err;

	if (is_json) {
		safe_put(out, "{\"dso\": ");
		put_foreign(out, found->path);
		safe_put(out, ", \"build_id\": ");
		put_foreign(out, build_id_format(&found->build_id, hex));
		safe_put(out, ", \"sources\": [\n");
	}
	err = print_files(&printer);
	if (is_json)
		safe_put(out, "\n]}\n");
	if (!err && !printer.printed)
		return diag_set(why, -ENOENT, "%s has no line there that can be probed",
				wanted->spec.function[0] ? wanted->spec.function
							 : wanted->spec.source);
	return err;
}

int line_lists_print(FILE *out, const char *text, bool is_json, pid_t pid, struct diag *why)
{
	struct line_range_wanted *wanted = malloc(sizeof(*wanted));
	struct probe_lines *found = calloc(1, sizeof(*found));
	struct sandbox *sandbox = NULL;
	int err = wanted && found ? parse_wanted(wanted, text, why)
				  : diag_set(why, -ENOMEM, "no memory for source lines");

	if (!err)
		err = sandbox_start(&sandbox, worker_run, why);
	if (!err)
		err = privileges_drop(PRIVILEGES_OF_MAIN, false, why);
	if (!err)
		err = probe_lines_read(found, sandbox, &wanted->spec, pid, why);
	if (!err) {
		err = print_found(out, wanted, found, sandbox, is_json, why);
		probe_lines_finish(found);
	}
	sandbox_stop(sandbox);
	free(found);
	free(wanted);
	return err;
}

/* Variables. */

#define NAME_COLUMNS_MAX 24	/* wider names and types shift what follows them */
#define TYPE_COLUMNS_MAX 32

static void put_string_or_null(FILE *out, const char *text)
{
	if (text[0])
		put_foreign(out, text);
	else
		safe_put(out, "null");
}

static int wider(int columns, const char *text, int most)
{
	const int bytes = (int)strlen(text);

	return bytes > columns && bytes <= most ? bytes : columns;
}

static void put_variable(FILE *out, const struct probe_fetch *value, int name_columns,
			 int type_columns)
{
	char name[4 * sizeof(value->name)], type[4 * sizeof(value->type)];
	char fetch[4 * sizeof(value->reason)];

	safe_print(out, "    %-*s  %-*s  ", name_columns,
		   clean(value->name, name, sizeof(name)), type_columns,
		   clean(value->type[0] ? value->type : "?", type, sizeof(type)));
	if (!value->fetch[0] && !value->is_located)
		safe_put(out, "not here: ");
	else if (!value->fetch[0])
		safe_put(out, "no probe can fetch it: ");
	safe_print(out, "%s\n", clean(value->fetch[0] ? value->fetch : value->reason, fetch,
				      sizeof(fetch)));
}

/* Returns the offset of the site in its function. */
static uint64_t offset_of(const struct probe_point *point)
{
	const struct probe_site *site = point->sites;

	return point->spec.kind == PROBE_KERNEL ? site->offset : site->offset - site->begin;
}

static void put_site(FILE *out, const struct probe_point *point)
{
	char symbol[4 * PROBE_FUNCTION_BYTES];
	int name_columns = 0, type_columns = 0;

	safe_print(out, "  %s+0x%" PRIx64 "%s\n",
		   clean(point->sites->symbol, symbol, sizeof(symbol)), offset_of(point),
		   point->sites->is_inlined ? SAFE_TEXT(" (inlined)") : SAFE_TEXT(""));
	for (uint32_t i = 0; i < point->offered_count; i++) {
		name_columns = wider(name_columns, point->offered[i].name, NAME_COLUMNS_MAX);
		type_columns = wider(type_columns, point->offered[i].type, TYPE_COLUMNS_MAX);
	}
	for (uint32_t i = 0; i < point->offered_count; i++)
		put_variable(out, &point->offered[i], name_columns, type_columns);
	if (!point->offered_count)
		safe_put(out, "    no variables\n");
}

static void put_variables_as_text(FILE *out, const struct probe_point *points, uint32_t count)
{
	char spec[4 * PROBE_SPEC_BYTES];

	safe_print(out, "%s\n", clean(points->spec.text, spec, sizeof(spec)));
	for (uint32_t i = 0; i < count; i++)
		put_site(out, &points[i]);
}

static void put_json_variable(FILE *out, const struct probe_fetch *value)
{
	safe_put(out, "{\"name\": ");
	put_foreign(out, value->name);
	safe_put(out, ", \"type\": ");
	put_string_or_null(out, value->type);
	safe_print(out, ", \"is_here\": %s, \"fetch\": ",
		   value->fetch[0] || value->is_located ? SAFE_TEXT("true") : SAFE_TEXT("false"));
	put_string_or_null(out, value->fetch);
	safe_put(out, ", \"reason\": ");
	put_string_or_null(out, value->fetch[0] ? "" : value->reason);
	safe_put(out, "}");
}

static void put_json_site(FILE *out, const struct probe_point *point)
{
	safe_put(out, "  {\"function\": ");
	put_string_or_null(out, point->sites->symbol);
	safe_print(out, ", \"offset\": %" PRIu64 ", \"inlined\": %s, \"variables\": [",
		   offset_of(point),
		   point->sites->is_inlined ? SAFE_TEXT("true") : SAFE_TEXT("false"));
	for (uint32_t i = 0; i < point->offered_count; i++) {
		safe_put_text(out, i ? SAFE_TEXT(",\n    ") : SAFE_TEXT("\n    "));
		put_json_variable(out, &point->offered[i]);
	}
	safe_put(out, "]}");
}

static void put_variables_as_json(FILE *out, const struct probe_point *points, uint32_t count)
{
	char hex[BUILD_ID_HEX_BYTES];

	safe_put(out, "{\"probe\": ");
	put_foreign(out, points->spec.text);
	safe_put(out, ", \"dso\": ");
	put_foreign(out, points->path);
	safe_put(out, ", \"build_id\": ");
	put_string_or_null(out, build_id_format(&points->build_id, hex));
	safe_put(out, ", \"sites\": [\n");
	for (uint32_t i = 0; i < count; i++) {
		put_json_site(out, &points[i]);
		safe_put_text(out, i + 1 < count ? SAFE_TEXT(",\n") : SAFE_TEXT("\n"));
	}
	safe_put(out, "]}\n");
}

static int parse(struct probe_spec *out, const char *text, struct diag *why)
{
	const int err = probe_spec_parse(out, text, why);

	if (err)
		return diag_prefix(why, "--vars %.200s", text), err;
	if (out->argument_count || out->condition.count || out->edge != PROBE_ENTRY)
		return diag_set(why, -EINVAL, "--vars %.200s: the probe is needed without values "
				"and conditions, as u:FILE:FUNC:3 or k:FUNC", text);
	return 0;
}

static int list(struct probe_resolver *resolver, const struct probe_spec *spec, pid_t pid,
		bool with_externs, struct probe_point **points, uint32_t *count, struct diag *why)
{
	const int err = probe_resolver_list_variables(resolver, spec, pid, with_externs, points,
						      count, why);

	if (!err && !*count)
		return diag_set(why, -ENOENT, "%.200s: no code is there", spec->text);
	return err;
}

int variable_lists_print(FILE *out, const char *text, bool with_externs, bool is_json, pid_t pid,
			 struct diag *why)
{
	struct probe_spec *spec = malloc(sizeof(*spec));
	struct probe_resolver *resolver = NULL;
	struct probe_point *points = NULL;
	struct sandbox *sandbox = NULL;
	uint32_t count = 0;
	int err = spec ? parse(spec, text, why)
		       : diag_set(why, -ENOMEM, "no memory for the variables of a probe");

	if (!err)
		err = sandbox_start(&sandbox, worker_run, why);
	if (!err)
		err = privileges_drop(PRIVILEGES_OF_MAIN, false, why);
	if (!err)
		err = probe_resolver_create(&resolver, sandbox, why);
	if (!err)
		err = list(resolver, spec, pid, with_externs, &points, &count, why);
	if (!err && is_json)
		put_variables_as_json(out, points, count);
	else if (!err)
		put_variables_as_text(out, points, count);
	probe_point_free(points, count);
	probe_resolver_destroy(resolver);
	sandbox_stop(sandbox);
	free(spec);
	return err;
}
