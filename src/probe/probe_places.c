/* probe_places.c - see probe/probe_places.h; each kind of place has a file of its own. */
#include "probe/probe_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "probe/place_kernel.h"
#include "probe/place_mark.h"
#include "probe/place_tracepoint.h"
#include "probe/place_user.h"
#include "probe/probe_verdict.h"

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

/* Why argument @index can be had at none of the sites; NULL: at one it can. */
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

/* A comparison with what is never known never holds: no hit would be let through. */
static void judge_condition(struct probe_places *place)
{
	for (uint32_t i = 0; i < place->spec.argument_count; i++) {
		const char *name = place->spec.arguments[i].name;
		const char *reason = is_asked_for(&place->spec.condition, name)
					     ? refusal_of(place, i) : NULL;

		if (reason)
			probe_verdict_add(place, VERDICT_UNABLE, "the filter asks for %s: %s", name,
					  reason);
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
	for (uint32_t i = 0; !err && i < *count; i++)
		judge_condition(&(*out)[i]);
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
