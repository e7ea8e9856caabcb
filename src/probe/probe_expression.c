/* probe_expression.c - arithmetic on the values of a hit: read and written, see probe_clauses.h,
 * and computed, see probe/probe_expression.h.
 *
 * Idea: recursive descent that leaves terms in postfix order, so that an evaluation needs a small
 * array, and a spec can be copied by assignment.
 *
 * Invariant: a parsed expression never pops more than was pushed, and leaves one result.
 */
#include "probe/probe_expression.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "probe_clauses.h"
#include "probe_number.h"
#include "probe/probe_section.h"

#define DEPTH_MAX    64	/* nested parentheses and signs; each takes some stack */
#define NUMBER_BYTES 40

struct parser {
	struct probe_spec *spec;
	const char *line;
	size_t at;
	unsigned int depth;
	struct probe_expression *out;
	struct diag *why;
};

struct sign {
	const char *sign;
	enum probe_term_kind kind;
	unsigned int level;	/* 0 binds least */
};

#define LEVELS 5

static const struct sign signs[] = {
	{ "|", TERM_OR, 0 }, { "&", TERM_AND, 1 }, { "<<", TERM_SHIFT_LEFT, 2 },
	{ ">>", TERM_SHIFT_RIGHT, 2 }, { "+", TERM_ADD, 3 }, { "-", TERM_SUBTRACT, 3 },
	{ "*", TERM_MULTIPLY, 4 }, { "/", TERM_DIVIDE, 4 }, { "%", TERM_REMAINDER, 4 },
};

static char peek(struct parser *parser)
{
	while (isspace((unsigned char)parser->line[parser->at]))
		parser->at++;
	return parser->line[parser->at];
}

static int push(struct parser *parser, const struct probe_term *term, size_t at)
{
	if (parser->out->count == PROBE_TERMS_MAX)
		return probe_column_refuse(parser->why, at, "more than %d values and operators in "
					   "one expression", PROBE_TERMS_MAX);
	parser->out->terms[parser->out->count++] = *term;
	return 0;
}

static bool is_name_byte(char byte)
{
	return isalnum((unsigned char)byte) || byte == '_';
}

/* Measures ":TYPE", of which a bit field has an '@' and a '/'. */
static size_t measure_type(const char *text)
{
	size_t bytes = 1;

	while (is_name_byte(text[bytes]))
		bytes++;
	if (text[1] == 'b' && text[bytes] == '@') {
		bytes++;
		bytes += strspn(text + bytes, "0123456789");
		bytes += text[bytes] == '/';
		bytes += strspn(text + bytes, "0123456789");
	}
	return bytes;
}

/* Measures the value at the start of @text: "count", "a->b.c", "arr[1]", "$retval", "%di:u32". */
static size_t measure_value(const char *text)
{
	size_t bytes = text[0] == '$' || text[0] == '%';

	if (isdigit((unsigned char)text[bytes]) || !is_name_byte(text[bytes]))
		return 0;
	while (is_name_byte(text[bytes]) || (text[bytes] && strchr(".[]", text[bytes])) ||
	       !strncmp(text + bytes, "->", 2) || !strncmp(text + bytes, "::", 2))
		bytes += text[bytes] == '-' || text[bytes] == ':' ? 2 : 1;
	return text[bytes] == ':' ? bytes + measure_type(text + bytes) : bytes;
}

static int parse_number(struct parser *parser)
{
	const char *text = parser->line + parser->at;
	const size_t bytes = strspn(text, "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRST"
					  "UVWXYZ.");
	struct probe_term term = { .kind = TERM_NUMBER };
	char copy[NUMBER_BYTES];
	bool is_negative, is_time;
	uint64_t number;

	snprintf(copy, sizeof(copy), "%.*s", (int)bytes, text);
	if (bytes >= sizeof(copy) || !probe_number_read(copy, &number, &is_negative, &is_time))
		return probe_column_refuse(parser->why, parser->at, "\"%s\" is no number: as in "
					   "512, 0x1f, 64k or 1.5ms", copy);
	memcpy(&term.number, &number, sizeof(number));
	parser->at += bytes;
	return push(parser, &term, parser->at - bytes);
}

static int parse_value(struct parser *parser)
{
	const char *word = parser->line + parser->at;
	const size_t bytes = measure_value(word), at = parser->at;
	struct probe_term term = { .kind = TERM_VALUE };
	int err = 0;

	parser->at += bytes;
	if (bytes == strlen("lat") && !strncmp(word, "lat", bytes)) {
		term.kind = TERM_LATENCY;
		if (parser->spec->edge != PROBE_LATENCY)
			return probe_column_refuse(parser->why, at, "lat is known of lat:... "
						   "only: entry and return of one site, or two "
						   "points");
		return push(parser, &term, at);
	}
	if (probe_key_word(word, bytes) >= 0)
		return probe_column_refuse(parser->why, at, "%.*s is of the task: by %.*s groups "
					   "by it; a value of that name is args.%.*s", (int)bytes,
					   word, (int)bytes, word, (int)bytes, word);
	err = probe_operand_parse(parser->spec, word, bytes, at, &term.argument, parser->why);
	if (err)
		return err;
	if (parser->spec->arguments[term.argument].stage)
		term.kind = TERM_STAGE;
	return push(parser, &term, at);
}

static int parse_level(struct parser *parser, unsigned int level);

static int parse_parentheses(struct parser *parser)
{
	const size_t from = parser->at++;
	int err = parse_level(parser, 0);

	if (err)
		return err;
	if (peek(parser) != ')')
		return probe_column_refuse(parser->why, parser->at, "an operator or ) is needed, "
					   "for the ( in column %zu", from + 1);
	parser->at++;
	return 0;
}

/* Negates what was pushed since @count: a number is negated at once. */
static int negate(struct parser *parser, uint32_t count, size_t at)
{
	struct probe_term *last = &parser->out->terms[parser->out->count - 1];

	if (parser->out->count != count + 1 || last->kind != TERM_NUMBER)
		return push(parser, &(struct probe_term){ .kind = TERM_NEGATE }, at);
	last->number = (int64_t)(0 - (uint64_t)last->number);
	return 0;
}

static int parse_operand(struct parser *parser)
{
	const char first = peek(parser);
	const uint32_t count = parser->out->count;
	const size_t at = parser->at;
	int err;

	if (parser->depth == DEPTH_MAX)
		return probe_column_refuse(parser->why, at, "more than %d parentheses and signs "
					   "in each other", DEPTH_MAX);
	parser->depth++;
	if (first == '-') {
		parser->at++;
		err = parse_operand(parser);
		err = err ? err : negate(parser, count, at);
	} else if (first == '(') {
		err = parse_parentheses(parser);
	} else if (isdigit((unsigned char)first)) {
		err = parse_number(parser);
	} else if (measure_value(parser->line + at)) {
		err = parse_value(parser);
	} else {
		err = probe_column_refuse(parser->why, at, "a value is missing: a number, a name, "
					  "a->b.c, arr[1], $arg1 or lat; others get a name first, "
					  "as in n=+8(%%si) : sum(n)");
	}
	parser->depth--;
	return err;
}

/* Takes an operator of @level. NULL: none is next. */
static const struct sign *take_sign(struct parser *parser, unsigned int level)
{
	peek(parser);
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++) {
		const struct sign *found = &signs[i];

		if (found->level != level ||
		    strncmp(parser->line + parser->at, found->sign, strlen(found->sign)) != 0)
			continue;
		parser->at += strlen(found->sign);
		return found;
	}
	return NULL;
}

static int parse_level(struct parser *parser, unsigned int level)
{
	const struct sign *found;
	int err = level == LEVELS ? parse_operand(parser) : parse_level(parser, level + 1);

	while (!err && level < LEVELS && (found = take_sign(parser, level)) != NULL) {
		const size_t at = parser->at;

		err = parse_level(parser, level + 1);
		if (!err)
			err = push(parser, &(struct probe_term){ .kind = found->kind }, at);
	}
	return err;
}

int probe_expression_parse(struct probe_spec *spec, const char *line, size_t *at,
			   struct probe_expression *out, struct diag *why)
{
	struct parser parser = { .spec = spec, .line = line, .at = *at, .out = out, .why = why };
	int err;

	memset(out, 0, sizeof(*out));
	err = parse_level(&parser, 0);
	*at = parser.at;
	return err;
}

struct writer {
	const struct probe_spec *spec;
	const struct probe_expression *expression;
	char *out;
	size_t room, used;
};

static void put(struct writer *writer, const char *text)
{
	const size_t used = writer->used < writer->room ? writer->used : writer->room;

	writer->used += (size_t)snprintf(writer->out + used, writer->room - used, "%s", text);
}

static const struct sign *sign_of(enum probe_term_kind kind)
{
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (signs[i].kind == kind)
			return &signs[i];
	return NULL;
}

/* Returns the first term of the operand whose last term is @root. */
static uint32_t first_of(const struct probe_expression *expression, uint32_t root)
{
	for (uint32_t wanted = 1;; root--) {
		const enum probe_term_kind kind = expression->terms[root].kind;

		wanted += kind < TERM_NEGATE ? 0 : kind == TERM_NEGATE ? 1 : 2;
		if (!--wanted)
			return root;
	}
}

static void put_leaf(struct writer *writer, const struct probe_term *term)
{
	char text[PROBE_SPEC_BYTES];

	if (term->kind == TERM_LATENCY)
		snprintf(text, sizeof(text), "lat");
	else if (term->kind == TERM_NUMBER)
		snprintf(text, sizeof(text), "%" PRId64, term->number);
	else
		probe_operand_write(writer->spec, term->argument, text, sizeof(text));
	put(writer, text);
}

/* Writes the operand whose last term is @root, in parentheses if its operator binds less than
 * @level. Recursion depth is at most the number of terms. */
static void put_operand(struct writer *writer, uint32_t root, unsigned int level)
{
	const struct probe_term *term = &writer->expression->terms[root];
	const struct sign *found = sign_of(term->kind);

	if (term->kind == TERM_NEGATE) {
		put(writer, "-");
		put_operand(writer, root - 1, LEVELS);
	} else if (!found) {
		put_leaf(writer, term);
	} else {
		put(writer, found->level < level ? "(" : "");
		put_operand(writer, first_of(writer->expression, root - 1) - 1, found->level);
		put(writer, " ");
		put(writer, found->sign);
		put(writer, " ");
		put_operand(writer, root - 1, found->level + 1);
		put(writer, found->level < level ? ")" : "");
	}
}

size_t probe_expression_write(const struct probe_spec *spec,
			      const struct probe_expression *expression, char *out, size_t room)
{
	struct writer writer = { .spec = spec, .expression = expression, .out = out, .room = room };

	if (room)
		out[0] = '\0';
	if (expression->count)
		put_operand(&writer, expression->count - 1, 0);
	return writer.used;
}

/* Divides, with the result of the shifted dividend for INT64_MIN / -1. False: by zero. */
static bool divide(enum probe_term_kind kind, int64_t left, int64_t right, int64_t *out)
{
	if (!right)
		return false;
	if (right == -1)
		*out = kind == TERM_DIVIDE ? (int64_t)(0 - (uint64_t)left) : 0;
	else
		*out = kind == TERM_DIVIDE ? left / right : left % right;
	return true;
}

/* Applies the operator @kind to two numbers. False: it divides by zero. */
static bool apply(enum probe_term_kind kind, int64_t left, int64_t right, int64_t *out)
{
	const uint64_t a = (uint64_t)left, b = (uint64_t)right;

	switch (kind) {
	case TERM_ADD:
		*out = (int64_t)(a + b);
		break;
	case TERM_SUBTRACT:
		*out = (int64_t)(a - b);
		break;
	case TERM_MULTIPLY:
		*out = (int64_t)(a * b);
		break;
	case TERM_AND:
		*out = (int64_t)(a & b);
		break;
	case TERM_OR:
		*out = (int64_t)(a | b);
		break;
	case TERM_SHIFT_LEFT:
		*out = b < 64 ? (int64_t)(a << b) : 0;
		break;
	case TERM_SHIFT_RIGHT:
		*out = b > 63 ? -(left < 0) : (int64_t)(left < 0 ? ~(~a >> b) : a >> b);
		break;
	default:
		return divide(kind, left, right, out);
	}
	return true;
}

bool probe_expression_value(const struct probe_expression *expression,
			    probe_argument_value *look_up, const void *context,
			    int64_t latency_ns, int64_t *out)
{
	int64_t stack[PROBE_TERMS_MAX];
	uint32_t depth = 0;

	for (uint32_t i = 0; i < expression->count; i++) {
		const struct probe_term *term = &expression->terms[i];
		bool is_known = true;

		if (term->kind == TERM_NUMBER) {
			stack[depth++] = term->number;
		} else if (term->kind == TERM_VALUE || term->kind == TERM_STAGE) {
			is_known = look_up(context, term->argument, &stack[depth++]);
		} else if (term->kind == TERM_LATENCY) {
			stack[depth++] = latency_ns;
			is_known = latency_ns >= 0;
		} else if (term->kind == TERM_NEGATE) {
			stack[depth - 1] = (int64_t)(0 - (uint64_t)stack[depth - 1]);
		} else {
			depth--;
			is_known = apply(term->kind, stack[depth - 1], stack[depth],
					 &stack[depth - 1]);
		}
		if (!is_known)
			return false;
	}
	if (depth != 1)
		return false;
	*out = stack[0];
	return true;
}

bool probe_expression_is_time(const struct probe_expression *expression)
{
	const enum probe_term_kind kind = expression->terms[0].kind;

	return expression->count == 1 && (kind == TERM_LATENCY || kind == TERM_STAGE);
}
