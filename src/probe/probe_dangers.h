/* probe_dangers.h - functions that are known to take a probe badly, with what happens.
 * Thread: any; constant. */
#ifndef PROBE_PROBE_DANGERS_H
#define PROBE_PROBE_DANGERS_H

#include "probe/probe_places.h"

struct probe_danger {
	const char *pattern;	/* of the function's name, as fnmatch(3) */
	bool is_kernel;
	bool only_return;	/* an entry probe does no harm */
	enum probe_verdict verdict;
	const char *reason;	/* what happens, and what to do instead: a sentence */
};

/* The first entry that is about @name, or NULL. */
const struct probe_danger *probe_danger_find(const char *name, bool is_kernel, bool has_return);

#endif
