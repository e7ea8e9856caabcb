/* probe_places.c - see probe/probe_places.h; each kind of place has a file of its own. */
#include "probe/probe_places.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "probe/place_kernel.h"
#include "probe/place_mark.h"
#include "probe/place_tracepoint.h"
#include "probe/place_user.h"

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

int probe_places_find(struct probe_finder_of_places *finder, const struct probe_spec *spec,
		      pid_t pid, struct probe_places **out, uint32_t *count, struct diag *why)
{
	*out = NULL;
	*count = 0;
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

void probe_places_free(struct probe_places *places, uint32_t count)
{
	for (uint32_t i = 0; places && i < count; i++) {
		if (places[i].file >= 0)
			close(places[i].file);
		free(places[i].sites);
		free(places[i].offered);
	}
	free(places);
}
