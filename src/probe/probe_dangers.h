/* probe_dangers.h - functions that are known to be dangerous to probe, with what happens.
 * Thread: any; constant. */
#ifndef PROBE_PROBE_DANGERS_H
#define PROBE_PROBE_DANGERS_H

#include "probe/probe_places.h"

struct probe_danger {
	const char *pattern;	/* pattern of function names, as fnmatch(3) */
	bool is_kernel;
	bool only_return;	/* only return probes do harm */
	enum probe_verdict verdict;
	const char *reason;	/* a sentence: what happens, and what to do instead */
};

/* Returns the first entry that matches @name, or NULL. */
const struct probe_danger *probe_danger_find(const char *name, bool is_kernel, bool has_return);

#endif
