/* live_probe.h - the kernel's side of one probe: definitions and links of all its sites, made and
 * taken away again, and how the analyzer reads what they send.
 *
 *   probe_places --live_probe_open()--> a part per site and edge: definition in tracefs (or a
 *                                       PMU's place), link
 *
 * Thread: one at a time (the probe engine's), but for live_part_close(), which may run in others,
 *         one part each.
 */
#ifndef PROBE_LIVE_PROBE_H
#define PROBE_LIVE_PROBE_H

#include "probe/probe_attach.h"
#include "probe/probe_news.h"
#include "probe/probe_places.h"
#include "probe/trace_group.h"

/* Since the first live_probe_open(): entries (of a probe of returns: returns), records that did not
 * fit, hits that the kernel could not see, hits that it left out by the condition (among
 * `hits`). */
struct live_counts {
	uint64_t hits, lost, missed, filtered;
};

struct live_part {
	struct probe_link *link;	/* owned; NULL: closed */
	struct probe_link *meter;	/* owned: counts the hits; NULL: `link` does */
	bool is_filtered;	/* by the kernel: the meter also counts what `link` leaves out */
	struct probe_condition rest;	/* is_filtered: what it leaves to the analyzer */
	struct trace_event event;
	bool is_defined;	/* in our group, to be removed; not of tracepoints */
	bool is_return;
};

struct live_probe {
	struct live_part *parts;	/* owned */
	uint32_t part_count;
	bool is_pair;		/* every other part is of returns: the calls are the entries */
	/* Of parts that were closed; the kernel's counts end with them. */
	struct live_counts before;
};

struct live_request {
	struct trace_group *group;	/* NULL: by the PMUs */
	struct probe_rings *rings;	/* NULL: only to count entries */
	const struct probe_places *places;
	struct probe_scope scope;
	bool with_stacks;
	uint32_t copy_bytes;
};

/* Defines and opens all parts, not counting yet. *@reading (may be NULL when only counting) is the
 * caller's. 0, or -errno with nothing left behind. Closing takes long: see live_part_close(). */
int live_probe_open(struct live_probe *live, const struct live_request *request,
		    struct probe_reading **reading, struct diag *why);
void live_probe_enable(struct live_probe *live);
void live_probe_disable(struct live_probe *live);

void live_probe_read(const struct live_probe *live, struct trace_group *group,
		     struct live_counts *out);

/* Adds up its counts; it does not count any more. */
void live_probe_retire(struct live_probe *live, struct trace_group *group);
/* Of a retired probe. BLOCKS for up to 110 ms: the breakpoint goes with its last descriptor. */
void live_part_close(struct live_part *part);
/* Takes the definitions away once all parts were closed, and frees the parts. 0, or what the last
 * that could not be removed said: the group's end tries again. */
int live_probe_undefine(struct live_probe *live, struct trace_group *group, struct diag *why);

#endif
