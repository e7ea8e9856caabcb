/* probe_spec_line.c - reads and writes the line of a spec: see probe/probe_spec.h. Sections and
 * their quotes are in probe_section.c, values in probe_argument.c, points in probe_point_text.c.
 *
 * Idea: a line is parsed from left to right, kind first, since the kind gives the sections after it
 * their meaning. Two ends of one latency are joined by writing the line that means both, and
 * parsing it: so every pair can also be typed.
 */
#include "probe/probe_spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "probe_point_text.h"
#include "probe_section.h"

#define BUILD_ID_DIGITS_MIN 16	/* lld's fast build-ids have 8 bytes, others more */

static size_t skip_blanks(const char *line, size_t at)
{
	while (isspace((unsigned char)line[at]))
		at++;
	return at;
}

static size_t measure_word(const char *line, size_t at)
{
	size_t bytes = 0;

	while (line[at + bytes] && !isspace((unsigned char)line[at + bytes]))
		bytes++;
	return bytes;
}

static bool is_condition(const char *word)
{
	return !strncmp(word, "if", 2) &&
	       (!word[2] || word[2] == '(' || isspace((unsigned char)word[2]));
}

/* Reads "@BUILDID" to @out. False: @word[@bytes] is none: a symbol, which no linker gives a name of
 * so many hexadecimal digits, or an address. */
static bool is_build_id(const char *word, size_t bytes, struct build_id *out)
{
	static const char digits[] = "0123456789abcdef";

	*out = (struct build_id){ .count = 0 };
	if (bytes <= BUILD_ID_DIGITS_MIN || bytes > 1 + 2 * BUILD_ID_MAX_BYTES || word[0] != '@' ||
	    bytes % 2 == 0)
		return false;
	for (size_t i = 1; i < bytes; i++) {
		const char *digit = strchr(digits, tolower((unsigned char)word[i]));

		if (!digit)
			return false;
		out->bytes[out->count] = (uint8_t)(out->bytes[out->count] << 4 | (digit - digits));
		if (i % 2 == 0)
			out->count++;
	}
	return true;
}

static int set_build_id(struct probe_spec *out, const struct build_id *id, size_t at,
			struct diag *why)
{
	if (out->kind == PROBE_TRACEPOINT)
		return probe_column_refuse(why, at, "a tracepoint is of no file, so it has no "
					   "build-id");
	if (out->kind == PROBE_USDT)
		return probe_column_refuse(why, at, "a USDT probe is found in every build: it "
					   "needs no build-id");
	if (out->build_id.count)
		return probe_column_refuse(why, at, "there is a build-id already");
	out->build_id = *id;
	return 0;
}

static int parse_arguments(struct probe_spec *out, const char *line, size_t *at, struct diag *why)
{
	struct build_id id;

	for (;;) {
		const size_t from = skip_blanks(line, *at), bytes = measure_word(line, from);
		int err;

		*at = from;
		if (!bytes || is_condition(line + from))
			return 0;
		err = is_build_id(line + from, bytes, &id)
			      ? set_build_id(out, &id, from, why)
			      : probe_argument_add(out, line, from, bytes, why);
		if (err)
			return err;
		*at = from + bytes;
	}
}

/* Checks that the hit has what a condition compares, adding an argument if needed. */
static int check_operand(struct probe_spec *spec, struct probe_node *node, size_t at,
			 struct diag *why)
{
	const bool has_return = spec->kind == PROBE_KERNEL || spec->kind == PROBE_USER;
	const char *name = NULL;
	int err;

	if (node->kind == OPERATOR_NOT || node->kind == OPERATOR_AND || node->kind == OPERATOR_OR)
		return 0;
	if (node->operand == OPERAND_LATENCY && spec->edge != PROBE_LATENCY)
		return probe_column_refuse(why, at, "lat is known of lat:... only: entry and "
					   "return of one site");
	if (node->operand == OPERAND_RETURN && !has_return && !strcmp(node->name, "ret"))
		node->operand = OPERAND_VALUE;	/* "ret" is a field of syscalls:sys_exit_* */
	if (node->operand != OPERAND_VALUE && node->operand != OPERAND_RETURN)
		return 0;
	err = probe_argument_want(spec, node->operand == OPERAND_RETURN ? "$retval" : node->name,
				  at, &name, why);
	if (!err)
		snprintf(node->name, sizeof(node->name), "%s", name);
	return err;
}

static int check_operands(struct probe_spec *spec, size_t at, struct diag *why)
{
	int err = 0;

	for (uint32_t i = 0; i < spec->condition.count && !err; i++)
		err = check_operand(spec, &spec->condition.nodes[i], at, why);
	return err;
}

static int parse_condition(struct probe_spec *out, const char *line, size_t at, struct diag *why)
{
	char before[PROBE_SPEC_BYTES];
	int err;

	at = skip_blanks(line, at + strlen("if"));
	err = probe_condition_parse_from(&out->condition, line, at, why);
	if (!err)
		err = probe_section_even(line, at, before, sizeof(before), why);
	if (err)
		return err;
	out->condition_from = (uint32_t)strlen(before) + 1;
	return check_operands(out, at, why);
}

static int parse(struct probe_spec *out, const char *line, struct diag *why)
{
	size_t at = skip_blanks(line, 0);
	int err = probe_section_even(line, strlen(line), out->text, sizeof(out->text), why);

	if (!err)
		err = probe_point_parse(out, line, &at, why);
	if (!err)
		err = parse_arguments(out, line, &at, why);
	if (!err && line[at])
		err = parse_condition(out, line, at, why);
	return err;
}

int probe_spec_parse(struct probe_spec *out, const char *text, struct diag *why)
{
	int err;

	memset(out, 0, sizeof(*out));
	err = parse(out, text, why);
	if (err)
		memset(out, 0, sizeof(*out));
	return err;
}

/* A text being written; `used` >= `room` at the end: it did not fit. */
struct writer {
	char *out;
	size_t room, used;
};

static void put(struct writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void put(struct writer *writer, const char *format, ...)
{
	const size_t used = writer->used < writer->room ? writer->used : writer->room;
	va_list args;
	int bytes;

	va_start(args, format);
	bytes = vsnprintf(writer->out + used, writer->room - used, format, args);
	va_end(args);
	writer->used += bytes > 0 ? (size_t)bytes : 0;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static const char *kind_of(const struct probe_spec *spec)
{
	static const char *const kinds[] = {
		[PROBE_KERNEL] = "k", [PROBE_USER] = "u", [PROBE_TRACEPOINT] = "t",
		[PROBE_USDT] = "U",
	};

	if (spec->edge == PROBE_LATENCY)
		return spec->kind == PROBE_TRACEPOINT ? "lat:t" : "lat";
	if (spec->edge == PROBE_RETURN)
		return spec->kind == PROBE_KERNEL ? "kr" : "ur";
	return kinds[spec->kind];
}

bool probe_spec_is_interval(const struct probe_spec *spec)
{
	return spec->kind == PROBE_TRACEPOINT && spec->edge == PROBE_LATENCY &&
	       !strcmp(spec->end.function, spec->function) && !strcmp(spec->end.group, spec->group);
}

void probe_spec_name(const struct probe_spec *spec, char *out, size_t room)
{
	struct writer writer = { .out = out, .room = room };

	if (spec->name[0]) {
		put(&writer, "%s", spec->name);
		return;
	}
	put(&writer, "%s:", kind_of(spec));
	if (spec->file[0])
		put(&writer, "%s:", base_name(spec->file));
	if (spec->group[0])
		put(&writer, "%s:", spec->group);
	/* A line is shown with its source file, even if its function is known. */
	put(&writer, "%s", spec->source[0] ? base_name(spec->source) : spec->function);
	if (spec->declared_in[0])
		put(&writer, "@%s", base_name(spec->declared_in));
	if (spec->offset)
		put(&writer, "+%#llx", (unsigned long long)spec->offset);
	if (spec->line)
		put(&writer, ":%u", spec->line);
	if (spec->pattern[0])
		put(&writer, ";%s", spec->pattern);
	if (spec->is_wildcard)
		return;		/* an end, if any, is implied */
	if (spec->end.function[0] && !strcmp(spec->group, spec->end.group))
		put(&writer, "->%s", spec->end.function);
	else if (spec->end.function[0])
		put(&writer, "->%s:%s", spec->end.group, spec->end.function);
}

static bool is_whole_function(const struct probe_spec *spec)
{
	return (spec->kind == PROBE_KERNEL || spec->kind == PROBE_USER) && spec->function[0] &&
	       !spec->is_wildcard && !spec->offset && !spec->line && !spec->pattern[0];
}

/* False: the return's value would change in a latency, which reads it at the entry. */
static bool is_return_value(const struct probe_argument *argument)
{
	return strstr(argument->value, "$retval") || !strcmp(argument->value, "$comm");
}

/* False: each is called something, or is of a build, and it is not the same. */
static bool have_one_name(const struct probe_spec *entry, const struct probe_spec *back)
{
	return (!entry->name[0] || !back->name[0] || !strcmp(entry->name, back->name)) &&
	       (!entry->build_id.count || !back->build_id.count ||
		build_id_is_equal(&entry->build_id, &back->build_id));
}

static bool are_pair(const struct probe_spec *entry, const struct probe_spec *back)
{
	if (entry->edge != PROBE_ENTRY || back->edge != PROBE_RETURN ||
	    !is_whole_function(entry) || !is_whole_function(back) || entry->kind != back->kind ||
	    strcmp(entry->file, back->file) != 0 || strcmp(entry->function, back->function) != 0 ||
	    strcmp(entry->declared_in, back->declared_in) != 0 || !have_one_name(entry, back))
		return false;
	for (uint32_t i = 0; i < back->argument_count; i++)
		if (!is_return_value(&back->arguments[i]))
			return false;
	return true;
}

static void put_section(struct writer *writer, const char *text)
{
	const size_t used = writer->used < writer->room ? writer->used : writer->room;

	writer->used += probe_section_write(text, writer->out + used, writer->room - used);
}

static void put_arguments(struct writer *writer, const struct probe_spec *spec)
{
	for (uint32_t i = 0; i < spec->argument_count; i++) {
		size_t used;

		if (spec->arguments[i].is_implied)
			continue;
		put(writer, " ");
		used = writer->used < writer->room ? writer->used : writer->room;
		writer->used += probe_argument_write(&spec->arguments[i], writer->out + used,
						     writer->room - used);
	}
}

/* A wildcard must be outside of quotes, so other special characters are escaped; alternatives are
 * none in a name that has an escape. */
static void put_function(struct writer *writer, const struct probe_spec *spec)
{
	const char *special = strpbrk(spec->function, "*?") ? "\"\\;@%+" : "";

	if (!spec->is_wildcard) {
		put_section(writer, spec->source[0] ? spec->source : spec->function);
		return;
	}
	for (const char *at = spec->function; *at; at++) {
		const bool is_special = isspace((unsigned char)*at) || *at == ':' ||
					strchr(special, *at);

		if (strspn(at, ":") == 2)
			put(writer, ":%c", *at++);
		else
			put(writer, "%s%c", is_special ? "\\" : "", *at);
	}
}

/* A module after "lat:" alone would be read as a program, a program "t" as a kind. */
static const char *prefix_of(const struct probe_spec *spec)
{
	if (spec->edge == PROBE_LATENCY && spec->kind == PROBE_KERNEL && spec->file[0])
		return "lat:k";
	if (spec->edge == PROBE_LATENCY && spec->kind == PROBE_USER &&
	    probe_point_is_kind(spec->file))
		return "lat:u";
	return kind_of(spec);
}

static void put_build_id(struct writer *writer, const struct build_id *id)
{
	char hex[BUILD_ID_HEX_BYTES];

	if (id->count)
		put(writer, " @%s", build_id_format(id, hex));
}

/* A pattern with a blank, or with a quote at its begin, is in quotes. */
static void put_pattern(struct writer *writer, const char *pattern)
{
	if (pattern[0] != '"' && !strpbrk(pattern, " \t")) {
		put(writer, ";%s", pattern);
		return;
	}
	put(writer, ";\"");
	for (; *pattern; pattern++)
		put(writer, "%s%c", strchr("\"\\", *pattern) ? "\\" : "", *pattern);
	put(writer, "\"");
}

static void put_point(struct writer *writer, const struct probe_spec *spec)
{
	put(writer, "%s%s%s:", spec->name, spec->name[0] ? "=" : "", prefix_of(spec));
	if (spec->file[0]) {
		put_section(writer, spec->file);
		put(writer, ":");
	}
	if (spec->group[0]) {
		put_section(writer, spec->group);
		put(writer, ":");
	}
	put_function(writer, spec);
	if (spec->declared_in[0])
		put(writer, "@%s", spec->declared_in);
	if (spec->offset)
		put(writer, "+%#llx", (unsigned long long)spec->offset);
	if (spec->line)
		put(writer, ":%u", spec->line);
	if (spec->pattern[0])
		put_pattern(writer, spec->pattern);
	if (spec->end.function[0] && !spec->is_wildcard)
		put(writer, "->%s:%s", spec->end.group, spec->end.function);
	for (uint32_t i = 0; i < spec->on_count; i++) {
		const struct probe_on *on = &spec->on[i];
		const bool is_same = !strcmp(on->begin, on->end);

		put(writer, "%s%s%s%s", i ? "," : " on ", on->begin, is_same ? "" : "=",
		    is_same ? "" : on->end);
	}
}

static void drop_condition(struct probe_spec *spec)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < spec->argument_count; i++)
		if (!spec->arguments[i].is_implied)
			spec->arguments[kept++] = spec->arguments[i];
	spec->argument_count = kept;
	spec->condition.count = spec->condition_from = 0;
}

static int take_condition(struct probe_spec *spec, const char *condition, struct diag *why)
{
	int err = probe_condition_parse(&spec->condition, condition, why);

	return err ? err : check_operands(spec, 0, why);
}

int probe_spec_write(struct probe_spec *spec, const char *condition, struct diag *why)
{
	struct writer writer = { .out = spec->text, .room = sizeof(spec->text) };
	int err = 0;

	drop_condition(spec);
	if (condition[0])
		err = take_condition(spec, condition, why);
	if (err)
		drop_condition(spec);
	put_point(&writer, spec);
	put_arguments(&writer, spec);
	put_build_id(&writer, &spec->build_id);
	if (spec->condition.count) {
		put(&writer, " if ");
		spec->condition_from = (uint32_t)writer.used;
		put(&writer, "%s", condition);
	}
	if (!err && writer.used >= sizeof(spec->text))
		err = diag_set(why, -EINVAL, "a spec of more than %zu bytes",
			       sizeof(spec->text) - 1);
	return err;
}

static void put_conditions(struct writer *writer, const struct probe_spec *entry,
			   const struct probe_spec *back)
{
	const struct probe_spec *one = entry->condition.count ? entry : back;

	if (entry->condition.count && back->condition.count)
		put(writer, " if (%s) and (%s)", entry->text + entry->condition_from,
		    back->text + back->condition_from);
	else if (one->condition.count)
		put(writer, " if %s", one->text + one->condition_from);
}

bool probe_spec_pair(struct probe_spec *entry, const struct probe_spec *other)
{
	const bool is_entry_first = entry->edge == PROBE_ENTRY;
	const struct probe_spec *begin = is_entry_first ? entry : other;
	const struct probe_spec *back = is_entry_first ? other : entry;
	char text[PROBE_SPEC_BYTES];
	struct writer writer = { .out = text, .room = sizeof(text) };
	struct probe_spec pair;

	if (!are_pair(begin, back))
		return false;
	pair = *begin;
	pair.edge = PROBE_LATENCY;
	if (!pair.name[0])
		strcpy(pair.name, back->name);
	put_point(&writer, &pair);
	put_arguments(&writer, begin);
	put_arguments(&writer, back);
	put_build_id(&writer, begin->build_id.count ? &begin->build_id : &back->build_id);
	put_conditions(&writer, begin, back);
	if (writer.used >= sizeof(text) || probe_spec_parse(&pair, text, NULL))
		return false;
	*entry = pair;
	return true;
}
