/* place_user.h - resolves functions and lines of a program or library to places, in a worker.
 * Thread: the probe engine's; BLOCKS. */
#ifndef PROBE_PLACE_USER_H
#define PROBE_PLACE_USER_H

#include "probe/probe_places.h"

#define PLACE_USER_FUNCTIONS_MAX 16	/* one takes 90 ms to remove */

/* probe_places_find() for PROBE_USER. */
int place_user_find(struct sandbox *sandbox, const struct probe_spec *spec, pid_t pid,
		    struct probe_places **out, uint32_t *count, struct diag *why);

#endif
