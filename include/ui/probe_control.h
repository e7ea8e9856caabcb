/* probe_control.h - how the screen reaches the probe engine, so that it needs no thread to be
 * tested. */
#ifndef UI_PROBE_CONTROL_H
#define UI_PROBE_CONTROL_H

#include <stdbool.h>

#include "probe/probe_engine.h"

/* Thread: the ui's; both calls return at once. */
struct probe_control {
	void *owner;
	/* False: too many orders wait, try again later. */
	bool (*order)(void *owner, const struct probe_order *order);
	/* The next answer; false: there is none. */
	bool (*answer)(void *owner, struct probe_answer *out);
	int fd;			/* readable when an answer waits */
	double cap_pct;		/* above which the governor switches a probe off; of one CPU */
	const char *refusal;	/* why there can't be any probe here, and what helps; NULL or "":
				 * there can, and `order` is there */
};

#endif
