/* probe_condition_parse.c - see probe/probe_condition.h; conditions are evaluated in
 * probe_condition.c.
 *
 * Idea: a parser by recursive descent that leaves nodes in postfix order, so that an evaluation
 * needs an array of bools and no pointers, and a condition can be copied by assignment.
 *
 * Invariant: a parsed condition never pops more than was pushed, and leaves one result; so it has
 * at most PROBE_CONDITION_NODES bools at a time.
 */
#include "probe/probe_condition.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "probe_number.h"
#include "probe/probe_section.h"

#define COMM_BYTES 15	/* the kernel cuts longer names */
#define DEPTH_MAX  64	/* nested parentheses; each takes some stack */

static const char value_needed[] = "a number or a word is missing: as in count > 1000 or comm == "
				   "nginx";

static const char name_needed[] = "a name comes first: a value of the probe, or comm, pid, tid, "
				  "cpu, lat, ret";
static const char comparison_needed[] = "the condition ends too early: a comparison as "
					"count > 1000 is missing";

struct parser {
	const char *line;
	size_t at;
	unsigned int depth;	/* nesting of parentheses */
	struct probe_condition *out;
	struct diag *why;
};

static char peek(struct parser *parser)
{
	while (isspace((unsigned char)parser->line[parser->at]))
		parser->at++;
	return parser->line[parser->at];
}

static bool is_name_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_';
}

/* Consumes @word or @sign, if it is next. */
static bool take_word(struct parser *parser, const char *word, const char *sign)
{
	const size_t word_bytes = strlen(word), sign_bytes = strlen(sign);
	const char *next;

	peek(parser);
	next = parser->line + parser->at;
	if (!strncmp(next, sign, sign_bytes))
		parser->at += sign_bytes;
	else if (!strncmp(next, word, word_bytes) && !is_name_byte(next[word_bytes]))
		parser->at += word_bytes;
	else
		return false;
	return true;
}

static int push(struct parser *parser, const struct probe_node *node, size_t at)
{
	if (parser->out->count == PROBE_CONDITION_NODES)
		return probe_column_refuse(parser->why, at,
					   "more than %d comparisons, not, and, or in one "
					   "condition", PROBE_CONDITION_NODES);
	parser->out->nodes[parser->out->count++] = *node;
	return 0;
}

static int push_operator(struct parser *parser, enum probe_operator kind)
{
	return push(parser, &(struct probe_node){ .kind = kind }, parser->at);
}

static enum probe_operand operand_of(const char *name)
{
	static const struct {
		const char *name;
		enum probe_operand operand;
	} known[] = {
		{ "comm", OPERAND_COMM }, { "pid", OPERAND_PID }, { "tid", OPERAND_TID },
		{ "cpu", OPERAND_CPU }, { "lat", OPERAND_LATENCY }, { "ret", OPERAND_RETURN },
		{ "$retval", OPERAND_RETURN },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (!strcmp(name, known[i].name))
			return known[i].operand;
	return OPERAND_VALUE;
}

/* Measures the name at the start of @text: "count", "a->b.c", "arr[1]", "$retval", "%di". */
static size_t measure_name(const char *text)
{
	size_t bytes = text[0] == '$' || text[0] == '%';

	if (isdigit((unsigned char)text[bytes]) || !is_name_byte(text[bytes]))
		return 0;
	while (is_name_byte(text[bytes]) || (text[bytes] && strchr(".[]", text[bytes])) ||
	       (text[bytes] == '-' && text[bytes + 1] == '>'))
		bytes += text[bytes] == '-' ? 2 : 1;
	return bytes;
}

static int take_name(struct parser *parser, struct probe_node *node)
{
	static const char *const prefixes[] = { "args.", "args->" };
	const char first = peek(parser);
	const char *name = parser->line + parser->at;
	size_t bytes = measure_name(name);
	bool is_value = false;

	if (!bytes)
		return probe_column_refuse(parser->why, parser->at,
					   first ? name_needed : comparison_needed);
	if (bytes >= sizeof(node->name))
		return probe_column_refuse(parser->why, parser->at,
					   "a name of more than %zu bytes: give the value a "
					   "shorter one, as in n=VALUE", sizeof(node->name) - 1);
	parser->at += bytes;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]) && !is_value; i++) {
		const size_t skipped = strlen(prefixes[i]);

		if (bytes <= skipped || strncmp(name, prefixes[i], skipped) != 0)
			continue;
		is_value = true;
		name += skipped;
		bytes -= skipped;
	}
	memcpy(node->name, name, bytes);
	node->operand = is_value ? OPERAND_VALUE : operand_of(node->name);
	return 0;
}

static int take_comparison(struct parser *parser, struct probe_node *node)
{
	static const struct {
		const char *sign;
		enum probe_operator kind;
	} signs[] = {	/* longer ones first */
		{ "==", OPERATOR_EQUAL }, { "!=", OPERATOR_UNEQUAL },
		{ "<=", OPERATOR_LESS_EQUAL }, { ">=", OPERATOR_MORE_EQUAL },
		{ "<", OPERATOR_LESS }, { ">", OPERATOR_MORE }, { "&", OPERATOR_BITS },
		{ "~", OPERATOR_GLOB },
	};
	const char *next;

	peek(parser);
	next = parser->line + parser->at;
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		if (!strncmp(next, "&&", 2) ||
		    strncmp(next, signs[i].sign, strlen(signs[i].sign)) != 0)
			continue;
		node->kind = signs[i].kind;
		parser->at += strlen(signs[i].sign);
		return 0;
	}
	if (*next == '=')
		return probe_column_refuse(parser->why, parser->at,
					   "= does not compare: write %s == ...", node->name);
	return probe_column_refuse(parser->why, parser->at,
				   "after %s one of == != < <= > >= & ~ is needed", node->name);
}

static bool is_text_end(char byte, bool is_quoted)
{
	return !byte || strchr(is_quoted ? "\"" : " \t\n\v\f\r()&|\"<>=!", byte);
}

/* Reads a text from @from, after the quote if @is_quoted, up to its end. \X is X. Returns how many
 * bytes were read; @used: how many were written. */
static size_t read_text(const char *from, bool is_quoted, char *out, size_t room, size_t *used)
{
	size_t at = 0;

	for (*used = 0; !is_text_end(from[at], is_quoted); at++) {
		if (from[at] == '\\' && from[at + 1])
			at++;
		if (*used < room)
			out[*used] = from[at];
		++*used;
	}
	return at;
}

static int take_text(struct parser *parser, struct probe_node *node, bool *is_quoted)
{
	size_t from, used;

	*is_quoted = peek(parser) == '"';
	from = parser->at;
	parser->at += *is_quoted;
	parser->at += read_text(parser->line + parser->at, *is_quoted, node->text,
				sizeof(node->text), &used);
	if (*is_quoted && parser->line[parser->at] != '"')
		return probe_column_refuse(parser->why, from, "the quote does not end");
	if (parser->at == from)
		return probe_column_refuse(parser->why, from, value_needed);
	if (used >= sizeof(node->text))
		return probe_column_refuse(parser->why, from, "a text of more than %zu bytes",
					   sizeof(node->text) - 1);
	node->text[used] = '\0';
	parser->at += *is_quoted;
	return 0;
}

static bool is_for_text(const struct probe_node *node)
{
	return node->kind == OPERATOR_EQUAL || node->kind == OPERATOR_UNEQUAL ||
	       node->kind == OPERATOR_GLOB;
}

/* Checks that the value fits the name and the comparison. @at: column of the value. */
static int check_comparison(struct diag *why, const struct probe_node *node, size_t at)
{
	const bool is_number_only = node->operand == OPERAND_PID || node->operand == OPERAND_TID ||
				    node->operand == OPERAND_CPU ||
				    node->operand == OPERAND_LATENCY;

	if (node->operand == OPERAND_LATENCY && !node->is_time && (node->is_text || node->number))
		return probe_column_refuse(why, at, "%s: a time is needed, as in lat > 5ms; units "
					   "are ns us ms s", node->text);
	if (is_number_only && node->is_text)
		return probe_column_refuse(why, at, "%s is a number, \"%s\" is none", node->name,
					   node->text);
	if (node->is_text && !is_for_text(node))
		return probe_column_refuse(why, at, "\"%s\" is no number, and texts compare with "
					   "==, != and ~ only", node->text);
	if (node->operand == OPERAND_COMM && node->kind != OPERATOR_GLOB &&
	    strlen(node->text) > COMM_BYTES)
		return probe_column_refuse(why, at, "commands are cut to %d bytes: write comm == "
					   "\"%.*s\"", COMM_BYTES, COMM_BYTES, node->text);
	return 0;
}

static int parse_comparison(struct parser *parser)
{
	struct probe_node node = { .kind = OPERATOR_EQUAL };
	bool is_quoted = false;
	int err = take_name(parser, &node);
	size_t at;

	if (!err)
		err = take_comparison(parser, &node);
	peek(parser);
	at = parser->at;
	if (!err)
		err = take_text(parser, &node, &is_quoted);
	if (err)
		return err;
	node.is_text = is_quoted || node.kind == OPERATOR_GLOB ||
		       node.operand == OPERAND_COMM ||
		       !probe_number_read(node.text, &node.number, &node.is_negative,
					  &node.is_time);
	if (node.is_text) {
		node.is_negative = node.is_time = false;
		node.number = 0;
	}
	err = check_comparison(parser->why, &node, at);
	return err ? err : push(parser, &node, at);
}

static int parse_or(struct parser *parser);

static int parse_parentheses(struct parser *parser)
{
	const size_t from = parser->at++;
	int err;

	if (parser->depth == DEPTH_MAX)
		return probe_column_refuse(parser->why, from,
					   "more than %d parentheses in each other", DEPTH_MAX);
	parser->depth++;
	err = parse_or(parser);
	parser->depth--;
	if (err)
		return err;
	if (peek(parser) != ')')
		return probe_column_refuse(parser->why, parser->at,
					   "a ) is missing, for the ( in column %zu", from + 1);
	parser->at++;
	return 0;
}

static int parse_operand(struct parser *parser)
{
	unsigned int negations = 0;
	int err;

	while (take_word(parser, "not", "!"))
		negations++;
	err = peek(parser) == '(' ? parse_parentheses(parser) : parse_comparison(parser);
	for (; negations && !err; negations--)
		err = push_operator(parser, OPERATOR_NOT);
	return err;
}

static int parse_and(struct parser *parser)
{
	int err = parse_operand(parser);

	while (!err && take_word(parser, "and", "&&")) {
		err = parse_operand(parser);
		if (!err)
			err = push_operator(parser, OPERATOR_AND);
	}
	return err;
}

static int parse_or(struct parser *parser)
{
	int err = parse_and(parser);

	while (!err && take_word(parser, "or", "||")) {
		err = parse_and(parser);
		if (!err)
			err = push_operator(parser, OPERATOR_OR);
	}
	return err;
}

int probe_condition_parse_from(struct probe_condition *out, const char *line, size_t from,
			       struct diag *why)
{
	struct parser parser = { .line = line, .at = from, .out = out, .why = why };
	int err;

	memset(out, 0, sizeof(*out));
	err = parse_or(&parser);
	if (!err && peek(&parser))
		err = probe_column_refuse(why, parser.at, "and, or or the end is needed before "
					  "\"%.40s\"", line + parser.at);
	if (err)
		memset(out, 0, sizeof(*out));
	return err;
}

int probe_condition_parse(struct probe_condition *out, const char *text, struct diag *why)
{
	return probe_condition_parse_from(out, text, 0, why);
}
