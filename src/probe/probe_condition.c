/* probe_condition.c - see probe/probe_condition.h. Nodes are in postfix order, see
 * probe_condition_parse.c; a subtree is the nodes that end with its root. */
#include "probe/probe_condition.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* True: @text matches @pattern, in which * stands for any bytes, ? for one. On a mismatch the last
 * * takes one byte more: at worst the product of both lengths. */
static bool glob_matches(const char *pattern, const char *text, size_t bytes)
{
	const char *star = NULL;
	size_t at = 0, star_at = 0;

	while (at < bytes) {
		if (*pattern == '*') {
			star = ++pattern;
			star_at = at;
		} else if (*pattern && (*pattern == '?' || *pattern == text[at])) {
			pattern++;
			at++;
		} else if (star) {
			pattern = star;
			at = ++star_at;
		} else {
			return false;
		}
	}
	return !pattern[strspn(pattern, "*")];
}

static bool text_holds(const struct probe_node *node, const struct probe_value *value)
{
	const bool is_same = value->text_bytes == strlen(node->text) &&
			     !memcmp(value->text, node->text, value->text_bytes);

	switch (node->kind) {
	case OPERATOR_EQUAL:
		return is_same;
	case OPERATOR_UNEQUAL:
		return !is_same;
	case OPERATOR_GLOB:
		return glob_matches(node->text, value->text, value->text_bytes);
	default:
		return false;
	}
}

/* Compares as numbers without limits, whatever their types: < 0, 0, > 0. */
static int order(const struct probe_value *value, const struct probe_node *node)
{
	const bool is_negative = value->is_signed && (int64_t)value->number < 0;
	const bool node_is_negative = node->is_negative && node->number;
	const uint64_t magnitude = is_negative ? 0 - value->number : value->number;
	const int by_magnitude = (magnitude > node->number) - (magnitude < node->number);

	if (is_negative != node_is_negative)
		return is_negative ? -1 : 1;
	return is_negative ? -by_magnitude : by_magnitude;
}

static bool number_holds(const struct probe_node *node, const struct probe_value *value)
{
	const int compared = order(value, node);

	switch (node->kind) {
	case OPERATOR_EQUAL:
		return compared == 0;
	case OPERATOR_UNEQUAL:
		return compared != 0;
	case OPERATOR_LESS:
		return compared < 0;
	case OPERATOR_LESS_EQUAL:
		return compared <= 0;
	case OPERATOR_MORE:
		return compared > 0;
	case OPERATOR_MORE_EQUAL:
		return compared >= 0;
	case OPERATOR_BITS:
		return value->number & (node->is_negative ? 0 - node->number : node->number);
	default:
		return false;
	}
}

static bool comparison_holds(const struct probe_node *node, probe_lookup *lookup,
			     const void *context)
{
	struct probe_value value = { 0 };

	lookup(context, node->operand, node->name, &value);
	if (!value.is_known)
		return false;
	if (value.is_text)
		return text_holds(node, &value);
	return !node->is_text && number_holds(node, &value);
}

bool probe_condition_holds(const struct probe_condition *condition, probe_lookup *lookup,
			   const void *context)
{
	bool stack[PROBE_CONDITION_NODES] = { true };
	uint32_t used = 0;

	for (uint32_t i = 0; i < condition->count; i++) {
		const struct probe_node *node = &condition->nodes[i];

		switch (node->kind) {
		case OPERATOR_NOT:
			stack[used - 1] = !stack[used - 1];
			break;
		case OPERATOR_AND:
			used--;
			stack[used - 1] = stack[used - 1] && stack[used];
			break;
		case OPERATOR_OR:
			used--;
			stack[used - 1] = stack[used - 1] || stack[used];
			break;
		default:
			stack[used++] = comparison_holds(node, lookup, context);
		}
	}
	return stack[0];
}

bool probe_condition_needs_values(const struct probe_condition *condition)
{
	for (uint32_t i = 0; i < condition->count; i++) {
		const struct probe_node *node = &condition->nodes[i];

		if (probe_node_is_comparison(node) &&
		    (node->operand == OPERAND_VALUE || node->operand == OPERAND_LATENCY ||
		     node->operand == OPERAND_RETURN))
			return true;
	}
	return false;
}

struct writer {
	char *out;
	size_t room, used;
	bool is_cut;
};

static void put(struct writer *writer, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
static void put(struct writer *writer, const char *format, ...)
{
	const size_t left = writer->room - writer->used;
	va_list args;
	int bytes;

	va_start(args, format);
	bytes = vsnprintf(writer->out + writer->used, left, format, args);
	va_end(args);
	writer->is_cut |= bytes < 0 || (size_t)bytes >= left;
	if (!writer->is_cut)
		writer->used += (size_t)bytes;
}

static bool is_identifier(const char *name)
{
	const size_t bytes = strlen(name);

	for (size_t i = 0; i < bytes; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return bytes && !isdigit((unsigned char)name[0]);
}

/* NULL: the kernel has no name for the operand. Capitals: its own names, which no event field has.
 * Its common_pid is the thread's number in the first pid namespace, maybe not the user's. */
static const char *kernel_name(const struct probe_node *node)
{
	switch (node->operand) {
	case OPERAND_VALUE:
	case OPERAND_RETURN:
		return node->is_pointed || is_identifier(node->name) ? node->name : NULL;
	case OPERAND_COMM:
		return "COMM";
	case OPERAND_CPU:
		return "CPU";
	default:
		return NULL;
	}
}

/* The kernel's quotes have no escapes, and its patterns treat [, ! and \ specially. */
static bool put_text(struct writer *writer, const struct probe_node *node)
{
	const char quote = strchr(node->text, '"') ? '\'' : '"';

	if (strchr(node->text, quote) || !node->text[0] ||
	    (node->kind == OPERATOR_GLOB && strpbrk(node->text, "[\\!")))
		return false;
	put(writer, "%c%s%c", quote, node->text, quote);
	return true;
}

static const char *const signs[] = {
	[OPERATOR_EQUAL] = "==", [OPERATOR_UNEQUAL] = "!=", [OPERATOR_LESS] = "<",
	[OPERATOR_LESS_EQUAL] = "<=", [OPERATOR_MORE] = ">", [OPERATOR_MORE_EQUAL] = ">=",
	[OPERATOR_BITS] = "&", [OPERATOR_GLOB] = "~",
};

/* Writes a comparison in the kernel's language. */
static bool put_for_kernel(struct writer *writer, const struct probe_node *node)
{
	const char *name = kernel_name(node);

	if (!name || (node->is_negative && node->kind == OPERATOR_BITS))
		return false;
	put(writer, "%s %s ", name, signs[node->kind]);
	if (node->is_text)
		return put_text(writer, node);
	if (node->kind == OPERATOR_BITS)
		put(writer, "0x%" PRIx64, node->number);
	else
		put(writer, "%s%" PRIu64, node->is_negative ? "-" : "", node->number);
	return true;
}

/* Returns the first node of the subtree with root @root. */
static uint32_t first_of(const struct probe_condition *condition, uint32_t root)
{
	for (uint32_t wanted = 1;; root--) {
		const struct probe_node *node = &condition->nodes[root];

		wanted += probe_node_is_comparison(node) ? 0 : node->kind == OPERATOR_NOT ? 1 : 2;
		if (!--wanted)
			return root;
	}
}

static void put_operand(struct writer *writer, const struct probe_node *node)
{
	static const char *const names[] = {
		[OPERAND_VALUE] = "not", [OPERAND_COMM] = "comm", [OPERAND_PID] = "pid",
		[OPERAND_TID] = "tid", [OPERAND_CPU] = "cpu", [OPERAND_LATENCY] = "lat",
		[OPERAND_RETURN] = "ret",
	};
	bool is_other = false;	/* the value's name means another operand without "args." */

	if (node->operand != OPERAND_VALUE) {
		put(writer, "%s", names[node->operand]);
		return;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		is_other |= !strcmp(names[i], node->name);
	put(writer, "%s%s", is_other ? "args." : "", node->name);
}

/* Writes a comparison as the user types it: a text in quotes, a number as it was typed. */
static bool put_as_typed(struct writer *writer, const struct probe_node *node)
{
	const char first = node->text[strspn(node->text, "-")];

	put_operand(writer, node);
	put(writer, " %s ", signs[node->kind]);
	if (!node->is_text && first >= '0' && first <= '9') {
		put(writer, "%s", node->text);
		return true;
	}
	put(writer, "\"");
	for (const char *at = node->text; *at; at++)
		put(writer, "%s%c", strchr("\"\\", *at) ? "\\" : "", *at);
	put(writer, "\"");
	return true;
}

typedef bool put_comparison(struct writer *writer, const struct probe_node *node);

/* Writes the subtree. Recursion depth is at most the number of nodes. */
static bool put_subtree(struct writer *writer, const struct probe_condition *condition,
			uint32_t root, put_comparison *put_node)
{
	const struct probe_node *node = &condition->nodes[root];

	if (probe_node_is_comparison(node))
		return put_node(writer, node);
	if (node->kind == OPERATOR_NOT) {
		put(writer, "!(");
	} else {
		put(writer, "(");
		if (!put_subtree(writer, condition, first_of(condition, root - 1) - 1, put_node))
			return false;
		put(writer, node->kind == OPERATOR_AND ? ") && (" : ") || (");
	}
	if (!put_subtree(writer, condition, root - 1, put_node))
		return false;
	put(writer, ")");
	return true;
}

/* Lists the roots of the parts that "and" joins, last first; returns how many there are. */
static uint32_t list_parts(const struct probe_condition *condition,
			   uint32_t roots[PROBE_CONDITION_NODES])
{
	uint32_t open[PROBE_CONDITION_NODES], depth = 0, count = 0;

	if (condition->count)
		open[depth++] = condition->count - 1;
	while (depth) {
		const uint32_t root = open[--depth];

		if (condition->nodes[root].kind == OPERATOR_AND) {
			open[depth++] = first_of(condition, root - 1) - 1;
			open[depth++] = root - 1;
		} else {
			roots[count++] = root;
		}
	}
	return count;
}

bool probe_condition_part(const struct probe_condition *condition, uint32_t index,
			  struct probe_condition *out)
{
	uint32_t roots[PROBE_CONDITION_NODES], first;
	const uint32_t count = list_parts(condition, roots);

	if (index >= count)
		return false;
	first = first_of(condition, roots[count - 1 - index]);
	out->count = roots[count - 1 - index] + 1 - first;
	memcpy(out->nodes, &condition->nodes[first], out->count * sizeof(*out->nodes));
	return true;
}

void probe_condition_join(struct probe_condition *to, const struct probe_condition *part)
{
	const bool is_first = !to->count;

	memcpy(&to->nodes[to->count], part->nodes, part->count * sizeof(*part->nodes));
	to->count += part->count;
	if (!is_first)
		to->nodes[to->count++] = (struct probe_node){ .kind = OPERATOR_AND };
}

bool probe_condition_has_pointed(const struct probe_condition *condition)
{
	for (uint32_t i = 0; i < condition->count; i++)
		if (condition->nodes[i].is_pointed)
			return true;
	return false;
}

bool probe_condition_kernel_text(const struct probe_condition *condition, char *out, size_t room)
{
	struct writer writer = { .out = out, .room = room };

	return condition->count && room &&
	       put_subtree(&writer, condition, condition->count - 1, put_for_kernel) &&
	       !writer.is_cut;
}

bool probe_condition_write(const struct probe_condition *condition, char *out, size_t room)
{
	struct writer writer = { .out = out, .room = room };

	if (room)
		out[0] = '\0';
	return !condition->count ||
	       (room && put_subtree(&writer, condition, condition->count - 1, put_as_typed) &&
		!writer.is_cut);
}
