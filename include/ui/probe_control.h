/* probe_control.h - how the screen reaches the probe engine; tests pass a control without a
 * thread. */
#ifndef UI_PROBE_CONTROL_H
#define UI_PROBE_CONTROL_H

#include <stdbool.h>

#include "probe/probe_engine.h"

/* Thread: the ui's; both calls return at once. */
struct probe_control {
	void *owner;
	/* Queues a request. False: too many are queued, try again later. */
	bool (*order)(void *owner, const struct probe_order *order);
	/* Takes the next reply; false: there is none. */
	bool (*answer)(void *owner, struct probe_answer *out);
	int fd;			/* readable when a reply waits */
	double cap_pct;		/* % of one CPU above which the governor switches a probe off */
	const char *refusal;	/* why no probe is possible here, and the remedy; NULL or "": probes
				 * are possible and `order` is set */
};

#endif
