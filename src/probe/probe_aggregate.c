/* probe_aggregate.c - what is computed of each group, and how a hit is printed: see
 * probe/probe_expression.h and probe_clauses.h.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/name_match.h"
#include "probe/probe_expression.h"
#include "probe_clauses.h"
#include "probe_number.h"
#include "probe/probe_section.h"

#define LHIST_MAX    (PROBE_BUCKETS_MAX - 2)
#define NUMBER_BYTES 40
#define ZERO_BUCKET  64		/* that of zero, by powers of two */

struct parser {
	struct probe_spec *spec;
	const char *line;
	size_t at;
	struct diag *why;
};

static const struct {
	const char *word;
	enum probe_aggregate_kind kind;
} words[] = {
	{ "count", AGGREGATE_COUNT }, { "sum", AGGREGATE_SUM }, { "avg", AGGREGATE_AVG },
	{ "min", AGGREGATE_MIN }, { "max", AGGREGATE_MAX }, { "hist", AGGREGATE_HIST },
	{ "lhist", AGGREGATE_LHIST }, { "top", AGGREGATE_TOP },
};

#define WORDS (sizeof(words) / sizeof(words[0]))

static const char aggregate_needed[] = "an aggregate is needed: count, sum(x), avg(x), min(x), "
				       "max(x), stats(x), hist(x), lhist(x, from, to, step), "
				       "top(x), or print \"FORMAT\"";

static char peek(struct parser *parser)
{
	while (isspace((unsigned char)parser->line[parser->at]))
		parser->at++;
	return parser->line[parser->at];
}

static bool take(struct parser *parser, char sign)
{
	if (peek(parser) != sign)
		return false;
	parser->at++;
	return true;
}

static bool is_word(const char *text, size_t bytes, const char *word)
{
	return bytes == strlen(word) && !strncmp(text, word, bytes);
}

/* Refuses @name, which is no aggregate. */
static int refuse_word(struct parser *parser, const char *name, size_t bytes)
{
	struct near_name near;
	char typed[32];

	snprintf(typed, sizeof(typed), "%.*s", (int)bytes, name);
	near_name_start(&near, typed);
	for (size_t i = 0; i < WORDS; i++)
		near_name_try(&near, words[i].word);
	near_name_try(&near, "stats");
	near_name_try(&near, "print");
	if (!bytes || bytes >= sizeof(typed) || !near.nearest)
		return probe_column_refuse(parser->why, parser->at, "%s", aggregate_needed);
	return probe_column_refuse(parser->why, parser->at, "there is no aggregate \"%s\": did "
				   "you mean %s?", typed, near.nearest);
}

/* Parses a limit: a number with or without a unit. */
static int parse_limit(struct parser *parser, int64_t *out)
{
	const char *text = (peek(parser), parser->line + parser->at);
	size_t bytes = text[0] == '-';
	bool is_negative, is_time;
	char copy[NUMBER_BYTES];
	uint64_t number;

	while (isalnum((unsigned char)text[bytes]) || text[bytes] == '.')
		bytes++;
	snprintf(copy, sizeof(copy), "%.*s", (int)bytes, text);
	if (bytes >= sizeof(copy) || !probe_number_read(copy, &number, &is_negative, &is_time) ||
	    number > (uint64_t)INT64_MAX + is_negative)
		return probe_column_refuse(parser->why, parser->at, "a number is needed, as in "
					   "100, 64k or 5ms");
	number = is_negative ? 0 - number : number;
	memcpy(out, &number, sizeof(*out));
	parser->at += bytes;
	return 0;
}

/* Parses ", 1ms, 5ms" up to the parenthesis. */
static int parse_limits(struct parser *parser, struct probe_aggregate *out)
{
	while (take(parser, ',')) {
		size_t at;

		peek(parser);
		at = parser->at;
		if (out->limit_count == PROBE_LIMITS_MAX)
			return probe_column_refuse(parser->why, at, "more than %d limits",
						   PROBE_LIMITS_MAX);
		if (parse_limit(parser, &out->limits[out->limit_count++]))
			return -EINVAL;
		if (out->kind == AGGREGATE_HIST && out->limit_count > 1 &&
		    out->limits[out->limit_count - 1] <= out->limits[out->limit_count - 2])
			return probe_column_refuse(parser->why, at, "limits rise: this one is not "
						   "above the one before");
	}
	return 0;
}

/* Returns how many steps a linear histogram has. */
static uint64_t count_steps(const struct probe_aggregate *aggregate)
{
	const uint64_t width = (uint64_t)aggregate->limits[1] - (uint64_t)aggregate->limits[0];
	const uint64_t step = (uint64_t)aggregate->limits[2];

	return width / step + (width % step != 0);
}

static int check_limits(struct parser *parser, const struct probe_aggregate *aggregate, size_t at)
{
	if (aggregate->kind == AGGREGATE_HIST || !aggregate->limit_count) {
		if (aggregate->kind != AGGREGATE_LHIST)
			return 0;
	} else if (aggregate->kind != AGGREGATE_LHIST) {
		return probe_column_refuse(parser->why, at, "only hist and lhist have limits: "
					   "%s(x)",
					   words[aggregate->kind].word);
	}
	if (aggregate->limit_count != 3)
		return probe_column_refuse(parser->why, at, "lhist has a value and three numbers: "
					   "lhist(x, from, to, step), as lhist(lat, 0, 10ms, 1ms)"
					   "");
	if (aggregate->limits[2] <= 0 || aggregate->limits[0] >= aggregate->limits[1])
		return probe_column_refuse(parser->why, at, "from is below to, and step is above "
					   "0: lhist(x, from, to, step)");
	if (count_steps(aggregate) > LHIST_MAX)
		return probe_column_refuse(parser->why, at, "more than %d steps: choose a larger "
					   "step", LHIST_MAX);
	return 0;
}

/* Refuses arithmetic on texts. */
static int check_texts(struct parser *parser, const struct probe_aggregate *aggregate, size_t at)
{
	const struct probe_expression *value = &aggregate->value;
	const bool is_alone = value->count == 1 && aggregate->kind == AGGREGATE_TOP;

	for (uint32_t i = 0; i < value->count && !is_alone; i++) {
		const struct probe_argument *argument =
			&parser->spec->arguments[value->terms[i].argument];

		if (value->terms[i].kind == TERM_VALUE && probe_operand_is_text(argument))
			return probe_column_refuse(parser->why, at, "%s is a text: top(%s) or by "
						   "count texts", argument->name, argument->name);
	}
	return 0;
}

static bool is_same_expression(const struct probe_expression *a, const struct probe_expression *b)
{
	for (uint32_t i = 0; i < a->count && i < b->count; i++)
		if (a->terms[i].kind != b->terms[i].kind ||
		    a->terms[i].argument != b->terms[i].argument ||
		    a->terms[i].number != b->terms[i].number)
			return false;
	return a->count == b->count;
}

static bool has_aggregate(const struct probe_spec *spec, const struct probe_aggregate *wanted)
{
	for (uint32_t i = 0; i < spec->aggregate_count; i++) {
		const struct probe_aggregate *other = &spec->aggregates[i];

		if (other->kind == wanted->kind && other->limit_count == wanted->limit_count &&
		    !memcmp(other->limits, wanted->limits, sizeof(other->limits)) &&
		    is_same_expression(&other->value, &wanted->value))
			return true;
	}
	return false;
}

static int append(struct parser *parser, const struct probe_aggregate *aggregate, size_t at)
{
	struct probe_spec *spec = parser->spec;

	if (spec->aggregate_count == PROBE_AGGREGATES_MAX)
		return probe_column_refuse(parser->why, at, "more than %d aggregates",
					   PROBE_AGGREGATES_MAX);
	spec->aggregates[spec->aggregate_count++] = *aggregate;
	return 0;
}

/* Appends what stats(x) stands for: count, avg(x), sum(x), as far as they are not there. */
static int append_stats(struct parser *parser, struct probe_aggregate *aggregate, size_t at)
{
	static const struct probe_aggregate count = { .kind = AGGREGATE_COUNT };
	static const enum probe_aggregate_kind kinds[] = { AGGREGATE_AVG, AGGREGATE_SUM };
	int err = has_aggregate(parser->spec, &count) ? 0 : append(parser, &count, at);

	for (size_t i = 0; i < 2 && !err; i++) {
		aggregate->kind = kinds[i];
		if (!has_aggregate(parser->spec, aggregate))
			err = append(parser, aggregate, at);
	}
	return err;
}

/* Parses "(x, ...)". */
static int parse_inside(struct parser *parser, const char *word, struct probe_aggregate *out)
{
	const size_t open = (peek(parser), parser->at);
	int err;

	if (!take(parser, '('))
		return probe_column_refuse(parser->why, open, "a value in parentheses is needed: "
					   "%s(x)", word);
	err = probe_expression_parse(parser->spec, parser->line, &parser->at, &out->value,
				     parser->why);
	if (!err)
		err = parse_limits(parser, out);
	if (!err && peek(parser) != ')')
		err = probe_column_refuse(parser->why, parser->at, "an operator, a comma or ) is "
					  "needed, for the ( in column %zu", open + 1);
	parser->at += !err;
	return err;
}

static int parse_aggregate(struct parser *parser)
{
	struct probe_aggregate aggregate = { .kind = AGGREGATE_SUM };
	const char *name = (peek(parser), parser->line + parser->at);
	const size_t at = parser->at;
	bool is_stats;
	size_t bytes = 0, word = 0;
	int err = 0;

	while (isalnum((unsigned char)name[bytes]) || name[bytes] == '_')
		bytes++;
	is_stats = is_word(name, bytes, "stats");
	while (word < WORDS && !is_word(name, bytes, words[word].word))
		word++;
	if (word == WORDS && !is_stats)
		return refuse_word(parser, name, bytes);
	aggregate.kind = is_stats ? AGGREGATE_SUM : words[word].kind;
	parser->at += bytes;
	if (aggregate.kind == AGGREGATE_COUNT) {	/* bpftrace writes count() */
		if (take(parser, '(') && !take(parser, ')'))
			return probe_column_refuse(parser->why, parser->at, "count counts hits, "
						   "and has no value: sum(x) adds values up");
	} else {
		err = parse_inside(parser, is_stats ? "stats" : words[word].word, &aggregate);
	}
	if (!err)
		err = check_limits(parser, &aggregate, at);
	if (!err)
		err = check_texts(parser, &aggregate, at);
	if (err)
		return err;
	if (is_stats)
		return append_stats(parser, &aggregate, at);
	if (has_aggregate(parser->spec, &aggregate))
		return probe_column_refuse(parser->why, at, "it is given twice");
	return append(parser, &aggregate, at);
}

static uint32_t count_typed(const struct probe_spec *spec)
{
	uint32_t count = 0;

	while (count < spec->argument_count && !spec->arguments[count].is_implied)
		count++;
	return count;
}

/* Checks one conversion, whose letter is @letter, in column @at. */
static int check_conversion(const struct parser *parser, char letter, uint32_t index, size_t at)
{
	const struct probe_spec *spec = parser->spec;
	const uint32_t typed = count_typed(spec);

	if (!letter || !strchr("duxs", letter))
		return probe_column_refuse(parser->why, at, "there are %%d, %%u, %%x, %%s and "
					   "%%%%, without width; numbers have 64 bits");
	if (index >= typed)
		return probe_column_refuse(parser->why, at, "conversion %u has no value: the spec "
					   "has %u before the clauses", index + 1, typed);
	if (letter != 's' && probe_operand_is_text(&spec->arguments[index]))
		return probe_column_refuse(parser->why, at, "%s is a text: %%s",
					   spec->arguments[index].name);
	return 0;
}

/* Reads one byte of a format, after escapes, to @out. */
static int read_byte(struct parser *parser, char *out)
{
	const char *next = parser->line + parser->at;

	*out = next[0];
	if (next[0] == '\\' && (next[1] == '"' || next[1] == '\\'))
		*out = next[1];
	else if (next[0] == '\\')
		return probe_column_refuse(parser->why, parser->at, "there are \\\" and \\\\; "
					   "each hit is a line of its own, without \\n");
	parser->at += next[0] == '\\' ? 2 : 1;
	return 0;
}

static int parse_format(struct parser *parser)
{
	struct probe_spec *spec = parser->spec;
	const size_t from = parser->at;
	uint32_t conversions = 0;
	size_t used = 0;

	for (parser->at++; parser->line[parser->at] && parser->line[parser->at] != '"';) {
		const size_t at = parser->at;
		char byte = 0, next;

		if (used + 2 >= sizeof(spec->format))
			return probe_column_refuse(parser->why, at, "a format of more than %zu "
						   "bytes",
						   sizeof(spec->format) - 1);
		if (read_byte(parser, &byte))
			return -EINVAL;
		spec->format[used++] = byte;
		next = parser->line[parser->at];
		if (byte != '%')
			continue;
		if (next != '%' && check_conversion(parser, next, conversions, at))
			return -EINVAL;
		conversions += next != '%';
		spec->format[used++] = next;
		parser->at++;
	}
	if (!parser->line[parser->at])
		return probe_column_refuse(parser->why, from, "the quote does not end");
	if (conversions < count_typed(spec))
		return probe_column_refuse(parser->why, parser->at, "%s has no conversion: one of "
					   "%%d %%u %%x %%s for each value",
					   spec->arguments[conversions].name);
	parser->at++;
	return used ? 0 : probe_column_refuse(parser->why, from, "an empty format prints nothing");
}

static int parse_print(struct parser *parser)
{
	const size_t at = parser->at;
	int err;

	if (parser->spec->key_count)
		return probe_column_refuse(parser->why, at, "print writes single hits: leave by "
					   "out, or write an aggregate");
	parser->at += strlen("print");
	if (peek(parser) != '"')
		return probe_column_refuse(parser->why, parser->at, "a format in quotes is "
					   "needed: print \"%%s read %%d\"");
	err = parse_format(parser);
	if (!err && peek(parser))
		err = probe_column_refuse(parser->why, parser->at, "print stands alone, without "
					  "aggregates");
	return err;
}

int probe_aggregates_parse(struct probe_spec *spec, const char *line, size_t from,
			   struct diag *why)
{
	struct parser parser = { .spec = spec, .line = line, .at = from, .why = why };
	const char *next = (peek(&parser), line + parser.at);

	if (!strncmp(next, "print", strlen("print")) && !isalnum((unsigned char)next[5]) &&
	    next[5] != '_')
		return parse_print(&parser);
	do {
		if (parse_aggregate(&parser))
			return -EINVAL;
	} while (take(&parser, ','));
	if (!peek(&parser))
		return 0;
	return probe_column_refuse(why, parser.at, "a comma or the next clause is needed before "
				   "\"%.40s\"", line + parser.at);
}

/* A text being written; `used` >= `room` at the end: it did not fit. */
struct writer {
	char *out;
	size_t room, used;
};

static void put(struct writer *writer, const char *text)
{
	const size_t used = writer->used < writer->room ? writer->used : writer->room;

	writer->used += (size_t)snprintf(writer->out + used, writer->room - used, "%s", text);
}

size_t probe_aggregate_write(const struct probe_spec *spec, const struct probe_aggregate *aggregate,
			     char *out, size_t room)
{
	const bool is_time = probe_expression_is_time(&aggregate->value);
	struct writer writer = { .out = out, .room = room };
	char text[PROBE_SPEC_BYTES];

	put(&writer, words[aggregate->kind].word);
	if (aggregate->kind == AGGREGATE_COUNT)
		return writer.used;
	put(&writer, "(");
	probe_expression_write(spec, &aggregate->value, text, sizeof(text));
	put(&writer, text);
	for (uint32_t i = 0; i < aggregate->limit_count; i++) {
		put(&writer, ", ");
		probe_number_write(aggregate->limits[i], is_time, text, sizeof(text));
		put(&writer, text);
	}
	put(&writer, ")");
	return writer.used;
}

static uint16_t bucket_of_power(int64_t value)
{
	const uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	const int octave = value ? 63 - __builtin_clzll(magnitude) : 0;

	return (uint16_t)(!value ? ZERO_BUCKET
			  : value < 0 ? ZERO_BUCKET - 1 - octave : ZERO_BUCKET + 1 + octave);
}

static uint16_t bucket_of_step(const struct probe_aggregate *aggregate, int64_t value)
{
	const int64_t from = aggregate->limits[0], to = aggregate->limits[1];
	const uint64_t step = (uint64_t)aggregate->limits[2];
	uint64_t at;

	if (value < from)
		return 0;
	at = value >= to ? count_steps(aggregate)
			 : ((uint64_t)value - (uint64_t)from) / step;
	return (uint16_t)(at < PROBE_BUCKETS_MAX - 2 ? at + 1 : PROBE_BUCKETS_MAX - 1);
}

uint16_t probe_aggregate_bucket(const struct probe_aggregate *aggregate, int64_t value)
{
	uint16_t bucket = 0;

	if (aggregate->kind == AGGREGATE_LHIST)
		return bucket_of_step(aggregate, value);
	if (!aggregate->limit_count)
		return bucket_of_power(value);
	while (bucket < aggregate->limit_count && value >= aggregate->limits[bucket])
		bucket++;
	return bucket;
}

/* The magnitude 2^(@octave) as a limit; INT64_MAX: larger than any value. */
static int64_t power(unsigned int octave)
{
	return octave < 63 ? INT64_C(1) << octave : INT64_MAX;
}

/* The smallest number above -2^(@octave). */
static int64_t above_power(unsigned int octave)
{
	return octave < 63 ? 1 - (INT64_C(1) << octave) : INT64_MIN + 1;
}

void probe_aggregate_range(const struct probe_aggregate *aggregate, uint16_t bucket,
			   int64_t *begin, int64_t *end)
{
	const int64_t *limits = aggregate->limits;

	if (aggregate->kind == AGGREGATE_LHIST) {
		const uint64_t steps = count_steps(aggregate);
		const uint64_t at = bucket - UINT64_C(1);

		*begin = !bucket ? INT64_MIN
			 : at >= steps ? limits[1]
				       : (int64_t)((uint64_t)limits[0] + at * (uint64_t)limits[2]);
		*end = !bucket ? limits[0]
		       : at >= steps ? INT64_MAX
		       : at + 1 == steps ? limits[1] : *begin + limits[2];
	} else if (aggregate->limit_count) {
		*begin = bucket ? limits[bucket - 1] : INT64_MIN;
		*end = bucket < aggregate->limit_count ? limits[bucket] : INT64_MAX;
	} else if (bucket > ZERO_BUCKET) {
		*begin = power(bucket - ZERO_BUCKET - 1u);
		*end = power(bucket - ZERO_BUCKET - 0u);
	} else if (bucket == ZERO_BUCKET) {
		*begin = 0;
		*end = 1;
	} else {
		*begin = bucket ? above_power(ZERO_BUCKET - bucket) : INT64_MIN;
		*end = above_power(ZERO_BUCKET - bucket - 1u);
	}
}

size_t probe_aggregate_range_write(const struct probe_aggregate *aggregate, uint16_t bucket,
				   char *out, size_t room)
{
	const bool is_time = probe_expression_is_time(&aggregate->value);
	char from[NUMBER_BYTES], to[NUMBER_BYTES];
	int64_t begin, end;

	probe_aggregate_range(aggregate, bucket, &begin, &end);
	probe_number_write(begin, is_time, from, sizeof(from));
	probe_number_write(end, is_time, to, sizeof(to));
	if (begin == INT64_MIN)
		return (size_t)snprintf(out, room, "below %s", to);
	if (end == INT64_MAX)
		return (size_t)snprintf(out, room, "%s and more", from);
	if (end == begin + 1)
		return (size_t)snprintf(out, room, "%s", from);
	return (size_t)snprintf(out, room, "%s..%s", from, to);
}

int probe_aggregate_find(const struct probe_spec *spec, const char *name)
{
	char text[PROBE_SPEC_BYTES];

	for (uint32_t i = 0; i < spec->aggregate_count; i++) {
		probe_aggregate_write(spec, &spec->aggregates[i], text, sizeof(text));
		if (!strcmp(text, name))
			return (int)i;
	}
	return -1;
}
