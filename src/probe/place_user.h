/* place_user.h - functions and lines of a program or library -> places, by a worker.
 * Thread: the probe engine's; BLOCKS. */
#ifndef PROBE_PLACE_USER_H
#define PROBE_PLACE_USER_H

#include "probe/probe_places.h"

#define PLACE_USER_FUNCTIONS_MAX 16	/* each takes 90 ms to remove */

/* As probe_places_find(), for PROBE_USER. */
int place_user_find(struct sandbox *sandbox, const struct probe_spec *spec, pid_t pid,
		    struct probe_places **out, uint32_t *count, struct diag *why);

#endif
