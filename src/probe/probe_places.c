/* probe_places.c - see probe/probe_places.h; each kind of place has a file of its own. */
#include "probe/probe_places.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "condition_words.h"
#include "place_kernel.h"
#include "place_mark.h"
#include "place_tracepoint.h"
#include "place_user.h"
#include "probe_verdict.h"

struct probe_finder_of_places {
	struct sandbox *sandbox;	/* borrowed */
	struct kernel_types *types;	/* owned */
};

int probe_places_open(struct probe_finder_of_places **out, struct sandbox *sandbox,
		      struct diag *why)
{
	struct probe_finder_of_places *finder = calloc(1, sizeof(*finder));

	*out = NULL;
	if (finder) {
		finder->sandbox = sandbox;
		finder->types = kernel_types_create();
	}
	if (!finder || !finder->types) {
		probe_places_close(finder);
		return diag_set(why, -ENOMEM, "no memory for the places of probes");
	}
	*out = finder;
	return 0;
}

void probe_places_close(struct probe_finder_of_places *finder)
{
	if (!finder)
		return;
	kernel_types_destroy(finder->types);
	free(finder);
}

/* Returns why argument @index can be fetched at none of the sites; NULL: one of them can. */
static const char *refusal_of(const struct probe_places *place, uint32_t index)
{
	const char *reason = NULL;

	for (uint32_t i = 0; i < place->site_count; i++) {
		if (index >= place->sites[i].value_count ||
		    place->sites[i].values[index].fetch[0])
			return NULL;
		reason = place->sites[i].values[index].reason;
	}
	return reason;
}

/* Returns the bits of an element of an array type, "u8[4]"; 0: it is no array. */
static unsigned int array_bits(const char *type)
{
	unsigned int bits;

	return strchr(type, '[') && type[0] && sscanf(type + 1, "%u[", &bits) == 1 ? bits : 0;
}

/* True for the source's types of texts: "const char *", "xmlChar *". */
static bool is_text_type(const char *type)
{
	return strstr(type, "char") || strstr(type, "Char");
}

void probe_fetch_set_meaning(struct probe_fetch *value, const struct probe_argument *argument)
{
	const unsigned int bits = array_bits(argument->type);

	if (!value->fetch[0])
		return;
	if (strcmp(argument->type, "symbol") == 0) {
		value->kind = VALUE_SYMBOL;
	} else if (bits) {
		value->meaning = bits == 8 ? MEANING_BYTES : MEANING_LIST;
		value->kind = VALUE_TEXT;
	} else if (probe_meaning_of_type(argument->type, &value->meaning)) {
		value->kind = probe_meaning_is_text(value->meaning) ? VALUE_TEXT :
			      value->meaning == MEANING_ERRNO ? VALUE_SIGNED : VALUE_NAMED;
		/* A type that is not __be16 is already in host byte order. */
		if (value->meaning == MEANING_PORT && value->type[0] &&
		    value->origin != ORIGIN_NOTE && !strstr(value->type, "be16"))
			value->meaning = MEANING_PLAIN;
	}
	if (argument->is_masked && value->kind == VALUE_TEXT && value->meaning == MEANING_PLAIN) {
		value->meaning = MEANING_STATEMENT;
	} else if (argument->is_masked) {
		value->fetch[0] = '\0';
		snprintf(value->reason, sizeof(value->reason), "norm() masks texts, and this is "
			 "none: add :string");
	}
	if (argument->type[0] && (!value->type[0] || value->origin == ORIGIN_NOTE ||
				  (value->kind == VALUE_TEXT && !is_text_type(value->type) &&
				   strstr(argument->type, "string"))))
		snprintf(value->type, sizeof(value->type), "%s", argument->type);
}

static bool is_asked_for(const struct probe_condition *condition, const char *name)
{
	for (uint32_t i = 0; i < condition->count; i++) {
		const struct probe_node *node = &condition->nodes[i];

		if ((node->operand == OPERAND_VALUE || node->operand == OPERAND_RETURN) &&
		    !strcmp(node->name, name))
			return true;
	}
	return false;
}

/* Refuses values that can't be fetched if they are compared (which never holds then), were typed
 * with a type, or belong to a tracepoint. USDT probes report their own with the place. */
static void judge_values(struct probe_places *place)
{
	for (uint32_t i = 0; i < place->spec.argument_count; i++) {
		const struct probe_argument *argument = &place->spec.arguments[i];
		const bool is_compared = is_asked_for(&place->spec.condition, argument->name);
		const bool is_typed = (argument->type[0] && place->spec.kind != PROBE_USDT) ||
				      argument->is_masked || place->spec.kind == PROBE_TRACEPOINT;
		const char *reason = is_compared || is_typed ? refusal_of(place, i) : NULL;

		if (reason)
			probe_verdict_add(place, VERDICT_UNABLE,
					  is_compared ? "the filter asks for %s: %s" : "%s: %s",
					  argument->name, reason);
	}
}

static int find(struct probe_finder_of_places *finder, const struct probe_spec *spec, pid_t pid,
		struct probe_places **out, uint32_t *count, struct diag *why)
{
	switch (spec->kind) {
	case PROBE_KERNEL:
		return place_kernel_find(finder->types, spec, out, count, why);
	case PROBE_USER:
		return place_user_find(finder->sandbox, spec, pid, out, count, why);
	case PROBE_TRACEPOINT:
		return place_tracepoint_find(spec, out, count, why);
	case PROBE_USDT:
		return place_mark_find(finder->sandbox, spec, pid, out, count, why);
	}
	return diag_set(why, -EINVAL, "no such kind of probe");
}

int probe_places_find(struct probe_finder_of_places *finder, const struct probe_spec *spec,
		      pid_t pid, struct probe_places **out, uint32_t *count, struct diag *why)
{
	int err;

	*out = NULL;
	*count = 0;
	err = find(finder, spec, pid, out, count, why);
	for (uint32_t i = 0; !err && i < *count; i++) {
		judge_values(&(*out)[i]);
		if (spec->kind != PROBE_TRACEPOINT)	/* tracepoints: done with their fields */
			condition_words_resolve(&(*out)[i], NULL, NULL);
	}
	return err;
}

void probe_places_free(struct probe_places *places, uint32_t count)
{
	for (uint32_t i = 0; places && i < count; i++) {
		if (places[i].file >= 0)
			close(places[i].file);
		file_watch_destroy(places[i].watch);
		free(places[i].sites);
		free(places[i].offered);
	}
	free(places);
}
