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

#include "probe_clauses.h"
#include "probe_point_text.h"
#include "probe/probe_section.h"

#define BUILD_ID_DIGITS_MIN 16	/* lld's fast build-ids have 8 bytes, others more */
#define LINE_BYTES (4 * PROBE_SPEC_BYTES)	/* a spec as typed, with blanks */

static const char spec_too_long[] = "a spec of more than %zu bytes";

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

static int parse_arguments(struct probe_spec *out, const char *line, size_t at, struct diag *why)
{
	struct build_id id;

	for (;;) {
		const size_t from = skip_blanks(line, at), bytes = measure_word(line, from);
		int err;

		if (!bytes)
			return 0;
		err = is_build_id(line + from, bytes, &id)
			      ? set_build_id(out, &id, from, why)
			      : probe_argument_add(out, line, from, bytes, why);
		if (err)
			return err;
		at = from + bytes;
	}
}

/* Checks that the hit has what a condition compares, adding an argument if needed. */
static int check_operand(struct probe_spec *spec, struct probe_node *node, size_t at,
			 struct diag *why)
{
	const bool has_return = spec->kind == PROBE_KERNEL || spec->kind == PROBE_USER;
	uint32_t index = 0;
	int err;

	if (node->kind == OPERATOR_NOT || node->kind == OPERATOR_AND || node->kind == OPERATOR_OR)
		return 0;
	if (node->operand == OPERAND_LATENCY && spec->edge != PROBE_LATENCY)
		return probe_column_refuse(why, at, "lat is known of lat:... only: entry and "
					   "return of one site, or two points");
	if (node->operand == OPERAND_RETURN && !has_return && !strcmp(node->name, "ret"))
		node->operand = OPERAND_VALUE;	/* "ret" is a field of syscalls:sys_exit_* */
	if (node->operand != OPERAND_VALUE && node->operand != OPERAND_RETURN)
		return 0;
	err = probe_argument_want(spec, node->operand == OPERAND_RETURN ? "$retval" : node->name,
				  at, &index, why);
	if (err)
		return err;
	if (spec->arguments[index].stage && !node->is_time && (node->is_text || node->number))
		return probe_column_refuse(why, at, "%s: a time is needed, as in %s > 5ms; units "
					   "are ns us ms s", node->text, node->name);
	snprintf(node->name, sizeof(node->name), "%s", spec->arguments[index].name);
	return 0;
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
	const int err = probe_condition_parse_from(&out->condition, line, skip_blanks(line, at),
						   why);

	return err ? err : check_operands(out, skip_blanks(line, at), why);
}

/* Parses each clause, up to its end, where @line gets its own. */
static int parse_clauses(struct probe_spec *out, char *line, const struct probe_clauses *clauses,
			 struct diag *why)
{
	static int (*const parsers[CLAUSES])(struct probe_spec *, const char *, size_t,
					     struct diag *) = {
		[CLAUSE_IF] = parse_condition, [CLAUSE_ON] = probe_joins_parse,
		[CLAUSE_BY] = probe_keys_parse, [CLAUSE_AGGREGATES] = probe_aggregates_parse,
	};
	int err = 0;

	for (enum probe_clause clause = 0; clause < CLAUSES && !err; clause++) {
		const size_t end = clauses->words[clause] + clauses->bytes[clause];
		const char after = line[end];

		if (!clauses->words[clause])
			continue;
		line[end] = '\0';
		err = parsers[clause](out, line, clauses->from[clause], why);
		line[end] = after;
	}
	return err;
}

/* Makes the text of @line: what is before the clauses, and these in their order. */
static int even_text(struct probe_spec *out, const char *line, const struct probe_clauses *clauses,
		     struct diag *why)
{
	int err;

	memset(out->text, 0, sizeof(out->text));
	err = probe_section_even(line, clauses->head_bytes, out->text, sizeof(out->text), why);
	for (enum probe_clause clause = 0; clause < CLAUSES && !err; clause++) {
		const size_t used = strlen(out->text);
		char *text = out->text + used;

		if (!clauses->words[clause])
			continue;
		if (used + 1 == sizeof(out->text))
			return diag_set(why, -EINVAL, spec_too_long, sizeof(out->text) - 1);
		*text++ = ' ';
		err = probe_section_even(line + clauses->words[clause], clauses->bytes[clause],
					 text, sizeof(out->text) - used - 1, NULL);
		if (err)
			return probe_column_refuse(why, clauses->words[clause], "a control "
						   "character in quotes, or a spec of more than "
						   "%zu bytes", sizeof(out->text) - 1);
		if (clause != CLAUSE_IF)
			continue;
		out->condition_from = (uint32_t)(used + 3 + strspn(text + 2, " "));
		out->condition_bytes = (uint32_t)strlen(out->text + out->condition_from);
	}
	return err;
}

/* Parses @line, which is changed meanwhile. */
static int parse(struct probe_spec *out, char *line, struct diag *why)
{
	size_t at = skip_blanks(line, 0);
	const size_t point_at = at;
	struct probe_clauses clauses = { .head_bytes = 0 };
	int err = probe_section_even(line, strlen(line), out->text, sizeof(out->text), why);

	if (!err)
		err = probe_point_parse(out, line, &at, why);
	if (!err)
		err = probe_clauses_find(&clauses, line, at, why);
	if (!err)
		err = even_text(out, line, &clauses, why);
	if (!err) {
		const char after = line[clauses.head_bytes];

		line[clauses.head_bytes] = '\0';
		err = parse_arguments(out, line, at, why);
		line[clauses.head_bytes] = after;
	}
	if (!err)
		err = probe_argument_add_stages(out, point_at, why);
	if (!err)
		err = parse_clauses(out, line, &clauses, why);
	return err ? err : probe_joins_check(out, point_at, why);
}

int probe_spec_parse(struct probe_spec *out, const char *text, struct diag *why)
{
	char line[LINE_BYTES];
	int err;

	memset(out, 0, sizeof(*out));
	if (strlen(text) >= sizeof(line))
		return diag_set(why, -EINVAL, spec_too_long, sizeof(out->text) - 1);
	strcpy(line, text);
	err = parse(out, line, why);
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

static const char *kind_word(enum probe_kind kind, bool is_return)
{
	static const char *const words[] = {
		[PROBE_KERNEL] = "k", [PROBE_USER] = "u", [PROBE_TRACEPOINT] = "t",
		[PROBE_USDT] = "U",
	};

	if (is_return)
		return kind == PROBE_KERNEL ? "kr" : "ur";
	return words[kind];
}

static const char *kind_of(const struct probe_spec *spec)
{
	if (spec->edge == PROBE_LATENCY)
		return spec->kind == PROBE_TRACEPOINT ? "lat:t" : "lat";
	return kind_word(spec->kind, spec->edge == PROBE_RETURN);
}

/* True: a latency between two points, of which the second is not known by the first. */
static bool has_end(const struct probe_spec *spec)
{
	return spec->end.function[0] && !spec->is_wildcard;
}

bool probe_spec_is_interval(const struct probe_spec *spec)
{
	const struct probe_end *end = &spec->end;

	for (uint32_t i = 0; i < spec->on_count; i++)
		if (strcmp(spec->on[i].begin, spec->on[i].end) != 0)
			return false;	/* a hit does not end what it begins: they differ */
	return spec->edge == PROBE_LATENCY && !spec->middle_count && end->function[0] &&
	       end->kind == spec->kind &&
	       (end->edge == PROBE_RETURN) == spec->is_from_return &&
	       !strcmp(end->function, spec->function) && !strcmp(end->group, spec->group) &&
	       !strcmp(end->file, spec->file) && !spec->offset && !spec->line &&
	       !spec->declared_in[0] && !spec->pattern[0];
}

/* A point, and the one before it in the line. */
struct step {
	struct probe_end before;
	const struct probe_end *end;
};

/* Fills @out with the point after the first that is @index, counted from 0. False: there are no
 * more. */
static bool next_step(const struct probe_spec *spec, uint32_t index, struct step *out)
{
	if (!has_end(spec) || index > spec->middle_count)
		return false;
	if (index) {
		out->before = spec->middles[index - 1];
	} else {
		out->before = (struct probe_end){ .kind = spec->kind };
		memcpy(out->before.file, spec->file, sizeof(out->before.file));
		memcpy(out->before.group, spec->group, sizeof(out->before.group));
	}
	out->end = index < spec->middle_count ? &spec->middles[index] : &spec->end;
	return true;
}

static bool is_shared_group(const struct step *step)
{
	return step->before.kind == step->end->kind &&
	       !strcmp(step->before.file, step->end->file) &&
	       !strcmp(step->before.group, step->end->group);
}

static void name_end(struct writer *writer, const struct step *step)
{
	const struct probe_end *end = step->end;

	put(writer, "->");
	if (!is_shared_group(step) || end->edge == PROBE_RETURN) {
		if (step->before.kind != end->kind || end->kind != PROBE_TRACEPOINT)
			put(writer, "%s:", kind_word(end->kind, end->edge == PROBE_RETURN));
		if (end->file[0] && strcmp(end->file, step->before.file) != 0)
			put(writer, "%s:", base_name(end->file));
		if (end->group[0])
			put(writer, "%s:", end->group);
	}
	put(writer, "%s", end->function);
}

void probe_spec_name(const struct probe_spec *spec, char *out, size_t room)
{
	struct writer writer = { .out = out, .room = room };
	struct step step;

	if (spec->name[0]) {
		put(&writer, "%s", spec->name);
		return;
	}
	if (has_end(spec))
		put(&writer, "lat:%s:", kind_word(spec->kind, spec->is_from_return));
	else
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
	for (uint32_t i = 0; next_step(spec, i, &step); i++)
		name_end(&writer, &step);
}

static bool is_whole_function(const struct probe_spec *spec)
{
	return (spec->kind == PROBE_KERNEL || spec->kind == PROBE_USER) && spec->function[0] &&
	       !spec->is_wildcard && !spec->offset && !spec->line && !spec->pattern[0] &&
	       !spec->end.function[0];
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
	const bool has_arrows = spec->edge == PROBE_LATENCY || spec->kind != PROBE_USER;

	if (!spec->is_wildcard) {
		put_section(writer, spec->source[0] ? spec->source : spec->function);
		return;
	}
	for (const char *at = spec->function; *at; at++) {
		const bool is_special =
			isspace((unsigned char)*at) || *at == ':' || strchr(special, *at) ||
			(has_arrows &&
			 probe_section_is_arrow(spec->function, (size_t)(at - spec->function)));

		if (strspn(at, ":") == 2)
			put(writer, ":%c", *at++);
		else
			put(writer, "%s%c", is_special ? "\\" : "", *at);
	}
}

/* A module after "lat:" alone would be read as a program, a program "t" as a kind. */
static const char *prefix_of(const struct probe_spec *spec)
{
	static const char *const froms[] = {
		[PROBE_KERNEL] = "lat:k", [PROBE_USER] = "lat:u", [PROBE_TRACEPOINT] = "lat:t",
		[PROBE_USDT] = "lat:U",
	};

	if (has_end(spec) && spec->is_from_return)
		return spec->kind == PROBE_KERNEL ? "lat:kr" : "lat:ur";
	if (has_end(spec))
		return froms[spec->kind];
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

/* A point in the file and group of the one before it is only a name; of tracepoints the group stays
 * in sight. */
static void put_end(struct writer *writer, const struct step *step)
{
	const struct probe_end *end = step->end;
	const bool is_tracepoint = end->kind == PROBE_TRACEPOINT &&
				   step->before.kind == PROBE_TRACEPOINT;
	const bool is_short = !is_tracepoint && is_shared_group(step) && end->edge == PROBE_ENTRY;

	put(writer, "->");
	if (!is_short && (!is_tracepoint || probe_point_is_kind(end->group)))
		put(writer, "%s:", kind_word(end->kind, end->edge == PROBE_RETURN));
	if (!is_short && end->file[0]) {
		put_section(writer, end->file);
		put(writer, ":");
	}
	if (!is_short && end->group[0]) {
		put_section(writer, end->group);
		put(writer, ":");
	}
	put_section(writer, end->function);
}

static void put_point(struct writer *writer, const struct probe_spec *spec)
{
	struct step step;

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
	for (uint32_t i = 0; next_step(spec, i, &step); i++)
		put_end(writer, &step);
}

static void put_joins(struct writer *writer, const struct probe_spec *spec)
{
	for (uint32_t i = 0; i < spec->on_count; i++) {
		const struct probe_on *on = &spec->on[i];

		put(writer, "%s%s", i ? "," : " on ", on->begin);
		if (probe_on_is_same(spec, on))
			continue;
		for (uint32_t k = 0; k < spec->middle_count; k++)
			put(writer, "=%s", on->middles[k]);
		put(writer, "=%s", on->end);
	}
}

static void put_format(struct writer *writer, const char *format)
{
	put(writer, " : print \"");
	for (; *format; format++)
		put(writer, "%s%c", strchr("\"\\", *format) ? "\\" : "", *format);
	put(writer, "\"");
}

static void put_groups(struct writer *writer, const struct probe_spec *spec)
{
	char text[PROBE_SPEC_BYTES];

	for (uint32_t i = 0; i < spec->key_count; i++) {
		probe_key_write(spec, &spec->keys[i], text, sizeof(text));
		put(writer, "%s%s", i ? ", " : " by ", text);
	}
	for (uint32_t i = 0; i < spec->aggregate_count; i++) {
		probe_aggregate_write(spec, &spec->aggregates[i], text, sizeof(text));
		put(writer, "%s%s", i ? ", " : " : ", text);
	}
	if (spec->format[0])
		put_format(writer, spec->format);
}

size_t probe_spec_groups_write(const struct probe_spec *spec, char *out, size_t room)
{
	struct writer writer = { .out = out, .room = room };

	if (room)
		out[0] = '\0';
	put_groups(&writer, spec);
	return writer.used;
}

static bool has_argument(const struct probe_expression *expression, uint32_t index)
{
	for (uint32_t i = 0; i < expression->count; i++)
		if ((expression->terms[i].kind == TERM_VALUE ||
		     expression->terms[i].kind == TERM_STAGE) &&
		    expression->terms[i].argument == index)
			return true;
	return false;
}

bool probe_spec_groups_use(const struct probe_spec *spec, uint32_t index)
{
	for (uint32_t i = 0; i < spec->key_count; i++)
		if (spec->keys[i].kind == PROBE_KEY_VALUE && spec->keys[i].argument == index)
			return true;
	for (uint32_t i = 0; i < spec->aggregate_count; i++)
		if (has_argument(&spec->aggregates[i].value, index))
			return true;
	return false;
}

static void shift_terms(struct probe_expression *expression, uint32_t index)
{
	for (uint32_t i = 0; i < expression->count; i++)
		expression->terms[i].argument -= expression->terms[i].argument > index;
}

bool probe_spec_drop_argument(struct probe_spec *spec, uint32_t index)
{
	if (probe_spec_groups_use(spec, index) || spec->arguments[index].stage)
		return false;
	spec->argument_count--;
	memmove(&spec->arguments[index], &spec->arguments[index + 1],
		(spec->argument_count - index) * sizeof(spec->arguments[0]));
	memset(&spec->arguments[spec->argument_count], 0, sizeof(spec->arguments[0]));
	for (uint32_t i = 0; i < spec->key_count; i++)
		spec->keys[i].argument -= spec->keys[i].argument > index;
	for (uint32_t i = 0; i < spec->aggregate_count; i++)
		shift_terms(&spec->aggregates[i].value, index);
	return true;
}

static void drop_groups(struct probe_spec *spec)
{
	memset(spec->keys, 0, sizeof(spec->keys));
	memset(spec->aggregates, 0, sizeof(spec->aggregates));
	memset(spec->format, 0, sizeof(spec->format));
	spec->key_count = spec->aggregate_count = 0;
}

/* Drops the condition and the groups, with what only these use. */
static void drop_clauses(struct probe_spec *spec)
{
	uint32_t kept = 0;

	drop_groups(spec);
	for (uint32_t i = 0; i < spec->argument_count; i++)
		if (!spec->arguments[i].is_implied)
			spec->arguments[kept++] = spec->arguments[i];
	memset(&spec->arguments[kept], 0,
	       (PROBE_ARGUMENTS_MAX - kept) * sizeof(spec->arguments[0]));
	spec->argument_count = kept;
	memset(&spec->condition, 0, sizeof(spec->condition));
	spec->condition_from = spec->condition_bytes = 0;
	probe_argument_add_stages(spec, 0, NULL);	/* they had room before */
}

static int take_condition(struct probe_spec *spec, const char *condition, struct diag *why)
{
	const int err = condition[0] ? probe_condition_parse(&spec->condition, condition, why) : 0;

	return err ? err : check_operands(spec, 0, why);
}

/* Parses @groups, which are clauses after a point. */
static int take_groups(struct probe_spec *spec, const char *groups, struct diag *why)
{
	const uint32_t arguments = spec->argument_count;
	struct probe_clauses clauses;
	char line[LINE_BYTES];
	int err;

	snprintf(line, sizeof(line), "%s", groups);
	err = probe_clauses_find(&clauses, line, 0, why);
	if (!err)
		err = parse_clauses(spec, line, &clauses, why);
	if (!err)
		return 0;
	drop_groups(spec);
	spec->argument_count = arguments;
	diag_prefix(why, "%.100s", groups + 1);
	return err;
}

int probe_spec_rewrite(struct probe_spec *spec, const char *condition, const char *groups,
		       struct diag *why)
{
	struct writer writer = { .out = spec->text, .room = sizeof(spec->text) };
	int err, groups_err;

	drop_clauses(spec);
	err = take_condition(spec, condition, why);
	if (err)
		drop_clauses(spec);
	groups_err = groups[0] ? take_groups(spec, groups, err ? NULL : why) : 0;
	memset(spec->text, 0, sizeof(spec->text));
	put_point(&writer, spec);
	put_arguments(&writer, spec);
	put_build_id(&writer, &spec->build_id);
	if (spec->condition.count) {
		put(&writer, " if ");
		spec->condition_from = (uint32_t)writer.used;
		spec->condition_bytes = (uint32_t)strlen(condition);
		put(&writer, "%s", condition);
	}
	put_joins(&writer, spec);
	put_groups(&writer, spec);
	err = err ? err : groups_err;
	if (!err && writer.used >= sizeof(spec->text))
		err = diag_set(why, -EINVAL, spec_too_long, sizeof(spec->text) - 1);
	return err;
}

int probe_spec_write(struct probe_spec *spec, const char *condition, struct diag *why)
{
	char groups[PROBE_SPEC_BYTES];

	if (probe_spec_groups_write(spec, groups, sizeof(groups)) >= sizeof(groups))
		return diag_set(why, -EINVAL, spec_too_long, sizeof(spec->text) - 1);
	return probe_spec_rewrite(spec, condition, groups, why);
}

/* The part of the text that is the condition. */
static const char *condition_text(const struct probe_spec *spec, char out[PROBE_SPEC_BYTES])
{
	snprintf(out, PROBE_SPEC_BYTES, "%.*s", (int)spec->condition_bytes,
		 spec->text + spec->condition_from);
	return out;
}

static void put_conditions(struct writer *writer, const struct probe_spec *entry,
			   const struct probe_spec *back)
{
	const struct probe_spec *one = entry->condition.count ? entry : back;
	char first[PROBE_SPEC_BYTES], second[PROBE_SPEC_BYTES];

	if (entry->condition.count && back->condition.count)
		put(writer, " if (%s) and (%s)", condition_text(entry, first),
		    condition_text(back, second));
	else if (one->condition.count)
		put(writer, " if %s", condition_text(one, first));
}

/* Returns the one that has groups; NULL: both have, and not the same. */
static const struct probe_spec *shared_groups(const struct probe_spec *entry,
					  const struct probe_spec *back)
{
	char first[PROBE_SPEC_BYTES], second[PROBE_SPEC_BYTES];

	probe_spec_groups_write(entry, first, sizeof(first));
	probe_spec_groups_write(back, second, sizeof(second));
	if (!second[0] || !strcmp(first, second))
		return entry;
	return first[0] ? NULL : back;
}

bool probe_spec_pair(struct probe_spec *entry, const struct probe_spec *other)
{
	const bool is_entry_first = entry->edge == PROBE_ENTRY;
	const struct probe_spec *begin = is_entry_first ? entry : other;
	const struct probe_spec *back = is_entry_first ? other : entry;
	char text[PROBE_SPEC_BYTES] = "";
	struct writer writer = { .out = text, .room = sizeof(text) };
	const struct probe_spec *groups = shared_groups(begin, back);
	struct probe_spec pair;

	if (!are_pair(begin, back) || !groups)
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
	put_groups(&writer, groups);
	if (writer.used >= sizeof(text) || probe_spec_parse(&pair, text, NULL))
		return false;
	*entry = pair;
	return true;
}
