/* call_graph.h - how stacks are sampled: parses the user's choice and adapts it to the load.
 *
 *   auto        kernel callchain, user registers and a copy of the user stack; frame pointers where
 *               copies would be too much
 *   fp          the kernel follows frame pointers
 *   dwarf       copies as with auto, but at any load, with a fixed size if one is given
 *   off         no callers
 *
 * Thread: any, pure.
 */
#ifndef CAPTURE_CALL_GRAPH_H
#define CAPTURE_CALL_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Complete stacks with 16 KiB: 97 % for python, 100 % for cc1plus; with 8 KiB: 92 % and 96 %. */
#define CALL_GRAPH_COPY_BYTES	  16384
#define CALL_GRAPH_COPY_MIN_BYTES 8192	/* smallest size that auto chooses */
#define CALL_GRAPH_COPY_MAX_BYTES 65528	/* the kernel's limit; a multiple of 8 */

enum call_graph_mode {
	CALL_GRAPH_AUTO,
	CALL_GRAPH_FP,
	CALL_GRAPH_DWARF,
	CALL_GRAPH_OFF,
};

struct call_graph {
	enum call_graph_mode mode;
	/* Size of the stack copy. 0: the default, which auto may adapt; always 0 with FP and
	 * OFF. */
	uint32_t copy_bytes;
};

/* Parses "auto", "fp", "dwarf", "dwarf,BYTES" or "off". @as: the option as the user wrote it, for
 * @why. Returns 0 or -EINVAL. */
int call_graph_parse(const char *text, const char *as, struct call_graph *out, struct diag *why);

/* Returns true when @word is a mode but "off", or "lbr", with or without a size: "dwarf,8192". */
bool call_graph_is_mode(const char *word);

/* Properties of a capture that decide how stacks can be sampled. */
struct call_graph_load {
	bool has_copies;	/* the kernel can copy registers and stacks, and they can be used */
	size_t cpus;
	uint64_t max_hz;	/* highest frequency of an event; 0: all have fixed periods */
	uint64_t sum_hz;	/* sum of the frequencies of all events */
};

/* Why call_graph_choose() did not choose what the user asked for. */
enum call_graph_concession {
	CALL_GRAPH_AS_ASKED,
	CALL_GRAPH_NOT_HERE,	/* no kernel support */
	CALL_GRAPH_TOO_OFTEN,	/* above CALL_GRAPH_COPY_MAX_HZ */
	CALL_GRAPH_TOO_MUCH,	/* more than CALL_GRAPH_COPY_MAX_RATE bytes a second */
};

#define CALL_GRAPH_COPY_MAX_HZ	 4000
#define CALL_GRAPH_COPY_MAX_HITS 4000	/* per second, for events that sample every hit */
#define CALL_GRAPH_COPY_MAX_RATE (200u * 1000 * 1000)	/* bytes a second, all CPUs together */

/* Chooses what to sample: *@out is CALL_GRAPH_DWARF with a size, CALL_GRAPH_FP or
 * CALL_GRAPH_OFF. */
enum call_graph_concession call_graph_choose(const struct call_graph *asked,
					     const struct call_graph_load *load,
					     struct call_graph *out);

#endif
