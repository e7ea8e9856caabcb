/* one_liner_condition.c - filters of one-liners as conditions of specs: see one_liner_spec.h.
 *
 * Problem: a filter is any expression, a condition compares values with constants. So sides are
 * swapped, what is bare or negated becomes a comparison, and what only asks whether a pair has
 * begun is left out.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "one_liner_spec.h"

static const struct liner_node *node_of(const struct liner_scope *scope, uint32_t at)
{
	return &scope->tree->nodes[at];
}

static int refuse(const struct liner_scope *scope, const struct liner_node *node,
		  const char *sentence)
{
	return liner_refuse(scope->why, node, sentence);
}

/* Writes how a condition names the value. */
static int write_operand(struct liner_spec *spec, struct liner_scope *scope,
			 const struct liner_value *value, char out[128])
{
	static const char *const known[] = { "comm", "pid", "tid", "cpu" };
	const char *name;

	if (value->kind == LINER_LATENCY) {
		strcpy(out, "lat");
		return 0;
	}
	if (value->kind == LINER_BUILTIN &&
	    liner_is_in(value->text, known, sizeof(known) / sizeof(known[0]))) {
		snprintf(out, 128, "%s", value->text);
		return 0;
	}
	if (value->kind == LINER_BUILTIN && !strcmp(value->text, "uid"))
		return refuse(scope, value->node,
			      "a condition has no user; by uid counts by it");
	if (value->kind == LINER_BUILTIN && !strcmp(value->text, "cgroup"))
		return refuse(scope, value->node,
			      "a condition has no cgroup; by cgroup counts by it");
	if (value->kind == LINER_BUILTIN)
		return refuse(scope, value->node, "a condition compares comm, pid, tid, cpu, lat, "
			      "ret and values");
	if (!liner_is_bare(value)) {
		name = liner_spec_name(spec, scope, value);
		if (!name)
			return -EINVAL;
		snprintf(out, 128, "%s", name);
	} else if (!strcmp(value->text, "$retval")) {
		strcpy(out, "ret");
	} else {
		snprintf(out, 128, "%s%s", liner_is_reserved(scope, value->text) ? "args." : "",
			 value->text);
	}
	return 0;
}

static bool is_comparison(const struct liner_node *node)
{
	static const char *const signs[] = { "==", "!=", "<", ">", "<=", ">=" };

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (node->kind == LINER_BINARY && liner_is(node, signs[i]))
			return true;
	return false;
}

/* Returns the sign of the comparison when its sides change points, or when it must not hold. */
static const char *turn_sign(const struct liner_node *node, bool is_swapped, bool is_opposite)
{
	static const char *const signs[][3] = {	/* as it is, swapped, its opposite */
		{ "==", "==", "!=" }, { "!=", "!=", "==" }, { "<", ">", ">=" },
		{ ">", "<", "<=" }, { "<=", ">=", ">" }, { ">=", "<=", "<" },
	};
	const char *sign = "==";

	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (liner_is(node, signs[i][0]))
			sign = signs[i][is_swapped];
	for (size_t i = 0; i < sizeof(signs) / sizeof(signs[0]) && is_opposite; i++)
		if (!strcmp(sign, signs[i][0]))
			return signs[i][2];
	return sign;
}

/* Writes a quoted text, whose escapes are the same in a condition. */
static bool write_literal(char *out, size_t room, const struct liner_node *node)
{
	return liner_append(out, room, "%.*s", (int)node->bytes, node->text);
}

static int add_comparison(struct liner_spec *spec, struct liner_scope *scope,
			  const struct liner_value *value, const char *sign,
			  const struct liner_value *with)
{
	char operand[128] = "";
	const char *unit = value->kind == LINER_LATENCY && with->number ? value->unit : "";
	int err = write_operand(spec, scope, value, operand);
	bool fits;

	if (err)
		return err;
	fits = liner_append(spec->condition, sizeof(spec->condition), "%s %s ", operand, sign);
	if (with->kind == LINER_LITERAL)
		fits = fits && write_literal(spec->condition, sizeof(spec->condition), with->node);
	else
		fits = fits &&
		       liner_append(spec->condition, sizeof(spec->condition), "%" PRId64 "%s",
				      with->number, unit);
	return fits ? 0 : liner_too_long(scope, value->node);
}

/* Adds "VALUE & BITS". */
static int add_bits(struct liner_spec *spec, struct liner_scope *scope,
		    const struct liner_node *node, bool is_opposite)
{
	struct liner_value value, bits;
	char operand[128] = "";
	int err = liner_value_find(scope, node->first, &value);

	if (!err)
		err = liner_value_find(scope, node->second, &bits);
	if (!err && (value.kind != LINER_FETCHED || bits.kind != LINER_CONSTANT))
		err = refuse(scope, node, "a condition asks for bits of a value by a number");
	if (!err)
		err = write_operand(spec, scope, &value, operand);
	if (!err && !liner_append(spec->condition, sizeof(spec->condition), "%s%s & %" PRId64 "%s",
			    is_opposite ? "not (" : "", operand, bits.number,
			    is_opposite ? ")" : ""))
		err = liner_too_long(scope, node);
	return err;
}

static bool is_pattern(const struct liner_node *text)
{
	for (size_t i = 0; i < text->bytes; i++)
		if (strchr("*?\\", text->text[i]))
			return true;
	return false;
}

/* Adds strncmp(x, "NAME", 4) == 0, or strcontains(x, "NAME"), as a pattern. */
static int add_pattern(struct liner_spec *spec, struct liner_scope *scope,
		       const struct liner_node *call, bool is_opposite)
{
	const uint32_t a = call->first, b = node_of(scope, a)->next;
	const bool is_begin = liner_is(call, "strncmp");
	const struct liner_node *text;
	struct liner_value value;
	char operand[128] = "";
	int64_t bytes = 0;
	uint32_t of = a;
	int err;

	if (!a || !b)
		return refuse(scope, call, "two texts are needed");
	text = node_of(scope, b);
	if (text->kind != LINER_STRING) {
		text = node_of(scope, a);
		of = b;
	}
	if (text->kind != LINER_STRING || is_pattern(text) ||
	    (is_begin && (!node_of(scope, b)->next ||
			  !liner_constant(scope, node_of(scope, b)->next, &bytes))))
		return refuse(scope, call, "it compares a value with a text in quotes");
	if (!is_begin || bytes > (int64_t)text->bytes - 2)
		bytes = (int64_t)text->bytes - 2;
	err = liner_value_find(scope, of, &value);
	if (!err)
		err = write_operand(spec, scope, &value, operand);
	if (!err && !liner_append(spec->condition, sizeof(spec->condition), "%s%s ~ \"%s%.*s*\"%s",
			    is_opposite ? "not (" : "", operand, is_begin ? "" : "*", (int)bytes,
			    text->text + 1, is_opposite ? ")" : ""))
		err = liner_too_long(scope, call);
	return err;
}

static const struct liner_node *find_pattern(struct liner_scope **scope, uint32_t at)
{
	const uint32_t found = liner_follow(scope, at);
	const struct liner_node *node = node_of(*scope, found);

	return found && node->kind == LINER_CALL &&
	       (liner_is(node, "strncmp") || liner_is(node, "strcontains")) ? node : NULL;
}

static int add_compared(struct liner_spec *spec, struct liner_scope *scope,
			const struct liner_node *node, bool is_opposite)
{
	struct liner_scope *inner = scope;
	const struct liner_node *pattern = find_pattern(&inner, node->first);
	const uint32_t left = liner_follow(&inner, node->first);
	struct liner_value a, b;
	int64_t zero = 1;
	int err;

	if (liner_constant(scope, node->second, &zero) && !zero &&
	    (liner_is(node, "==") || liner_is(node, "!="))) {
		if (pattern)	/* strncmp() is 0 where both are equal */
			return add_pattern(spec, inner, pattern,
					   is_opposite != liner_is(node, "!="));
		if (left && node_of(inner, left)->kind == LINER_BINARY &&
		    liner_is(node_of(inner, left), "&"))
			return add_bits(spec, inner, node_of(inner, left),
					is_opposite != liner_is(node, "=="));
	}
	err = liner_value_find(scope, node->first, &a);
	if (!err)
		err = liner_value_find(scope, node->second, &b);
	if (err)
		return err;
	if ((a.kind == LINER_CONSTANT || a.kind == LINER_LITERAL) && b.kind != LINER_CONSTANT &&
	    b.kind != LINER_LITERAL)
		return add_comparison(spec, scope, &b, turn_sign(node, true, is_opposite), &a);
	if (a.kind == LINER_ARITHMETIC || b.kind == LINER_ARITHMETIC)
		return refuse(scope, node, "a condition compares a value as it is recorded: bring "
			      "the arithmetic to the number");
	if (b.kind != LINER_CONSTANT && b.kind != LINER_LITERAL)
		return refuse(scope, node, "a condition compares a value with a number or a text, "
			      "not with another value");
	return add_comparison(spec, scope, &a, turn_sign(node, false, is_opposite), &b);
}

static int add_condition(struct liner_spec *spec, struct liner_scope *scope, uint32_t at,
			 bool is_opposite, bool in_and);

/* Adds "A and B", "A or B". Its parts that only ask for the first block of a pair are left out. */
static int add_joined(struct liner_spec *spec, struct liner_scope *scope,
		      const struct liner_node *node, bool is_opposite, bool in_and)
{
	const bool is_and = liner_is(node, "&&") != is_opposite;
	const bool has_parentheses = !is_and && in_and;
	int err;

	if (is_and && liner_is_begun(scope, node->first))
		return add_condition(spec, scope, node->second, is_opposite, in_and);
	if (is_and && liner_is_begun(scope, node->second))
		return add_condition(spec, scope, node->first, is_opposite, in_and);
	if (has_parentheses && !liner_append(spec->condition, sizeof(spec->condition), "("))
		return liner_too_long(scope, node);
	err = add_condition(spec, scope, node->first, is_opposite, is_and);
	if (!err && !liner_append(spec->condition, sizeof(spec->condition), "%s",
				  is_and ? " and " : " or "))
		err = liner_too_long(scope, node);
	if (!err)
		err = add_condition(spec, scope, node->second, is_opposite, is_and);
	if (!err && has_parentheses && !liner_append(spec->condition, sizeof(spec->condition), ")"))
		err = liner_too_long(scope, node);
	return err;
}

/* Adds a value that must not be 0. */
static int add_truth(struct liner_spec *spec, struct liner_scope *scope, uint32_t at,
		     bool is_opposite)
{
	const struct liner_value zero = { .kind = LINER_CONSTANT };
	struct liner_value value;
	int err = liner_value_find(scope, at, &value);

	if (!err && (value.kind == LINER_ARITHMETIC || value.kind == LINER_CONSTANT ||
		     value.kind == LINER_LITERAL))
		err = refuse(scope, node_of(scope, at), "a condition compares a value with a "
			     "number or a text");
	return err ? err
		   : add_comparison(spec, scope, &value, is_opposite ? "==" : "!=", &zero);
}

static int add_condition(struct liner_spec *spec, struct liner_scope *scope, uint32_t at,
			 bool is_opposite, bool in_and)
{
	struct liner_scope *inner = scope;
	const uint32_t found = liner_follow(&inner, at);
	const struct liner_node *node = node_of(inner, found);
	const struct liner_node *pattern = find_pattern(&inner, at);

	if (found && node->kind == LINER_UNARY && liner_is(node, "!"))
		return add_condition(spec, inner, node->first, !is_opposite, in_and);
	if (found && node->kind == LINER_BINARY && (liner_is(node, "&&") || liner_is(node, "||")))
		return add_joined(spec, inner, node, is_opposite, in_and);
	if (found && is_comparison(node))
		return add_compared(spec, inner, node, is_opposite);
	if (found && node->kind == LINER_BINARY && liner_is(node, "&"))
		return add_bits(spec, inner, node, is_opposite);
	if (pattern)
		return add_pattern(spec, inner, pattern,
				   is_opposite != liner_is(pattern, "strncmp"));
	return add_truth(spec, scope, at, is_opposite);
}

int liner_spec_condition(struct liner_spec *spec, struct liner_scope *scope, uint32_t at,
			 bool is_opposite)
{
	char before[LINER_PART_BYTES];
	int err;

	if (!at || (!is_opposite && liner_is_begun(scope, at)))
		return 0;
	strcpy(before, spec->condition);
	if (before[0] && !liner_append(spec->condition, sizeof(spec->condition), " and "))
		return liner_too_long(scope, node_of(scope, at));
	err = add_condition(spec, scope, at, is_opposite, before[0] != '\0');
	if (err || !before[0])
		return err;
	if (strstr(before, " or ")) {	/* it was alone before, so it has no parentheses */
		char whole[2 * LINER_PART_BYTES];

		snprintf(whole, sizeof(whole), "(%s)%s", before,
			 spec->condition + strlen(before));
		if (strlen(whole) >= sizeof(spec->condition))
			return liner_too_long(scope, node_of(scope, at));
		strcpy(spec->condition, whole);
	}
	return 0;
}
