/* probe_rings.h - what the links of probes must know of the rings that they write into.
 *
 * Use:    probe_rings.c and probe_link.c; everybody else has probe_attach.h.
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
