/* condition_words.c - see condition_words.h. */
#include "condition_words.h"

#include <string.h>

#include "probe_verdict.h"

static bool is_comparison(const struct probe_node *node)
{
	return node->kind != OPERATOR_NOT && node->kind != OPERATOR_AND &&
	       node->kind != OPERATOR_OR;
}

/* Returns the value @node compares, at the first site; NULL: the probe has no such value. */
static const struct probe_fetch *value_of(const struct probe_places *place,
					  const struct probe_node *node)
{
	if (!is_comparison(node) || !place->site_count ||
	    (node->operand != OPERAND_VALUE && node->operand != OPERAND_RETURN))
		return NULL;
	for (uint32_t i = 0; i < place->sites[0].value_count; i++)
		if (!strcmp(place->sites[0].values[i].name, node->name))
			return &place->sites[0].values[i];
	return NULL;
}

static bool find_number(const struct probe_fetch *value, const char *word,
			const struct raw_fields *fields, uint64_t *number)
{
	int index;

	if (probe_meaning_number(value->meaning, word, number))
		return true;
	if (value->meaning != MEANING_WORDS || !fields)
		return false;
	index = raw_fields_find(fields, value->fetch);
	return index >= 0 && raw_fields_number(fields, &fields->list[index], word, number);
}

static void put_number(struct probe_node *node, uint64_t number)
{
	node->is_text = false;
	node->is_negative = (int64_t)number < 0;
	node->number = node->is_negative ? 0 - number : number;
}

static void resolve_word(struct probe_places *place, struct probe_node *node,
			 const struct probe_fetch *value, const struct raw_fields *fields)
{
	const bool is_second = value->is_return && place->spec.edge == PROBE_LATENCY;
	uint64_t number;

	if (value->is_pointed && is_second)
		probe_verdict_add(place, VERDICT_UNABLE, "%s is behind a pointer, and the kernel "
				  "compares only what the first end has", node->name);
	else if (value->is_pointed)
		node->is_pointed = true;
	else if (node->kind == OPERATOR_GLOB)
		probe_verdict_add(place, VERDICT_UNABLE, "%s is a number: ~ compares texts",
				  node->name);
	else if (find_number(value, node->text, fields, &number))
		put_number(node, number);
	else
		probe_verdict_add(place, VERDICT_UNABLE, "%s is a number, and \"%s\" is no name of "
				  "it", node->name, node->text);
}

void condition_words_resolve(struct probe_places *place, const struct raw_fields *begin,
			     const struct raw_fields *end)
{
	struct probe_condition *condition = &place->spec.condition;

	for (uint32_t i = 0; i < condition->count; i++) {
		struct probe_node *node = &condition->nodes[i];
		const struct probe_fetch *value = value_of(place, node);

		if (value && value->fetch[0] && node->is_text && value->kind != VALUE_TEXT)
			resolve_word(place, node, value, value->is_return && end ? end : begin);
	}
}
