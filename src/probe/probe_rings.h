/* probe_rings.h - the rings of the probes, as seen by the links that write into them.
 *
 * Use:    only by probe_rings.c and probe_link.c; all others use probe_attach.h.
 * Thread: constant while the sampler runs.
 */
#ifndef PROBE_PROBE_RINGS_H
#define PROBE_PROBE_RINGS_H

#include "capture/event_open.h"
#include "capture/event_set.h"
#include "capture/sampler.h"

struct probe_rings {
	struct event_set set;	/* one event: a dummy on each CPU, which owns the CPU's ring */
	struct sampler *sampler;
	struct event_features features;
};

#endif
