/* probe_presets.h - probes for common questions, each a spec as one could type it.
 *
 * Use:    the finder lists them by name and description; whether a place exists on this machine is
 *         checked as for typed specs.
 * Thread: constant; any.
 */
#ifndef PROBE_PROBE_PRESETS_H
#define PROBE_PROBE_PRESETS_H

#include <stddef.h>

struct probe_preset {
	const char *name;	/* "block I/O latency" */
	const char *spec;
	const char *description;	/* one line: what it shows, and its limitations */
	const char *aliases;	/* tools for the same question, and synonyms, separated by blanks;
				 * NULL: none. Omits tools that show more than the preset does. */
};

extern const struct probe_preset probe_presets[];
extern const size_t probe_preset_count;

#endif
