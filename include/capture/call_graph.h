/* call_graph.h - how stacks are sampled: what the user asks for, and what is wise.
 *
 *   auto        kernel's chain, user registers and a copy of the user stack; frame pointers where
 *               copies would be too much
 *   fp          the kernel follows frame pointers
 *   dwarf       as auto, but insists, with a copy of a fixed size if one is named
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

/* Complete with it: 97 % of python's stacks, all of cc1plus's; with the smaller one 92 and 96 %. */
#define CALL_GRAPH_COPY_BYTES	  16384
#define CALL_GRAPH_COPY_MIN_BYTES 8192	/* auto goes down to it */
#define CALL_GRAPH_COPY_MAX_BYTES 65528	/* the kernel's; a multiple of 8 */

enum call_graph_mode {
	CALL_GRAPH_AUTO,
	CALL_GRAPH_FP,
	CALL_GRAPH_DWARF,
	CALL_GRAPH_OFF,
};

struct call_graph {
	enum call_graph_mode mode;
	/* Of the stack copy. 0: the default, and in auto one that may be adapted; with FP and OFF
	 * always 0. */
	uint32_t copy_bytes;
};

/* "auto", "fp", "dwarf", "dwarf,BYTES", "off"; @as: the option as it was written, for the sentence.
 * 0 or -EINVAL. */
int call_graph_parse(const char *text, const char *as, struct call_graph *out, struct diag *why);

/* True when @word is a mode, "lbr" included, with or without a size: "dwarf", "dwarf,8192". */
bool call_graph_is_mode(const char *word);

/* What a measurement is, as far as it bears on stacks. */
struct call_graph_load {
	bool has_copies;	/* the kernel copies registers and stacks, and we can use them */
	size_t cpus;
	uint64_t max_hz;	/* of one event; 0: all have fixed periods */
	uint64_t sum_hz;	/* of all events */
};

/* Why it is not what was asked for. */
enum call_graph_concession {
	CALL_GRAPH_AS_ASKED,
	CALL_GRAPH_NOT_HERE,	/* no kernel support */
	CALL_GRAPH_TOO_OFTEN,	/* above CALL_GRAPH_COPY_MAX_HZ */
	CALL_GRAPH_TOO_MUCH,	/* more than CALL_GRAPH_COPY_MAX_RATE bytes a second */
};

#define CALL_GRAPH_COPY_MAX_HZ	 4000
#define CALL_GRAPH_COPY_MAX_HITS 4000	/* a second, of events whose every hit is a sample */
#define CALL_GRAPH_COPY_MAX_RATE (200u * 1000 * 1000)	/* bytes a second, all CPUs together */

/* What is to be sampled: *@out is CALL_GRAPH_DWARF with a size, CALL_GRAPH_FP or CALL_GRAPH_OFF. */
enum call_graph_concession call_graph_choose(const struct call_graph *asked,
					     const struct call_graph_load *load,
					     struct call_graph *out);

#endif
