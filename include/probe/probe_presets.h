/* probe_presets.h - probes for questions that everybody has, each a spec as one could type it.
 *
 * Use:    the finder lists them by name and description; whether a place is there on this machine
 *         is found out as for typed specs.
 * Thread: constant; any.
 */
#ifndef PROBE_PROBE_PRESETS_H
#define PROBE_PROBE_PRESETS_H

#include <stddef.h>

struct probe_preset {
	const char *name;	/* "block I/O latency" */
	const char *spec;
	const char *description;	/* one line: what it shows, and what to know of it */
	const char *aliases;	/* tools that answer the same question, and its other words, blanks
				 * between them; NULL: none. A tool that asks more than the preset
				 * answers is none of them. */
};

extern const struct probe_preset probe_presets[];
extern const size_t probe_preset_count;

#endif
