/* live_probe.h - the kernel's side of one probe: defines, opens and removes the events of all its
 * sites, and makes the description by which the analyzer reads their records.
 *
 *   probe_point --live_probe_open()--> a part per site and edge: definition in tracefs (or a
 *                                       PMU's point), link
 *
 * Thread: one at a time (the probe engine's), but for live_part_close(), which may run in others,
 *         one part each.
 */
#ifndef PROBE_LIVE_PROBE_H
#define PROBE_LIVE_PROBE_H

#include "capture/tracefs.h"
#include "probe/engine_messages.h"
#include "probe/probe_point.h"
#include "probe_link.h"

/* Counts since the first live_probe_open(): hits (entries; for a return probe, returns), records
 * that did not fit, hits that the kernel missed, those of `hits` that the condition filtered out,
 * and texts of a system call that were not in memory. */
struct live_counts {
	uint64_t hits, lost, missed, filtered, absent;
	uint64_t end_hits;	/* hits of the other end: returns, or those of later points */
};

struct live_part {
	struct probe_link *link;	/* owned; NULL: closed */
	struct probe_link *meter;	/* owned: counts all hits; NULL: `link` counts them */
	bool is_filtered;	/* the kernel filters `link`; `meter` counts the others, too */
	struct probe_condition rest;	/* is_filtered: part left to the analyzer */
	struct trace_event event;
	bool is_defined;	/* `event` is in our group, to be removed; false for tracepoints */
	bool is_return;
	uint8_t middle;		/* the point between the first and the last where it is, counted
				 * from 1; 0: one of these */
};

struct live_probe {
	struct live_part *parts;	/* owned */
	uint32_t part_count;
	bool is_pair;		/* the first parts are for returns or the second point; the hits
				 * are the entries, or those of the first point */
	/* Counts of closed parts, which the kernel no longer has. */
	struct live_counts before;
};

struct live_request {
	struct trace_group *group;	/* NULL: use the PMUs */
	struct probe_rings *rings;	/* NULL: only count entries */
	const struct probe_point *points;
	struct probe_scope scope;
	bool with_stacks;
	uint32_t copy_bytes;
};

/* Defines and opens all parts, disabled. *@reading (NULL is fine when only counting) is the
 * caller's. 0, or -errno with nothing left behind. Closing takes long: see live_part_close(). */
int live_probe_open(struct live_probe *live, const struct live_request *request,
		    struct probe_reading **reading, struct diag *why);
void live_probe_enable(struct live_probe *live);

void live_probe_read(const struct live_probe *live, struct trace_group *group,
		     struct live_counts *out);

/* Disables the probe and saves its counts in `before`. */
void live_probe_retire(struct live_probe *live, struct trace_group *group);
/* Closes a part of a retired probe. BLOCKS for up to 110 ms at the breakpoint's last descriptor. */
void live_part_close(struct live_part *part);
/* Removes the definitions once all parts are closed, and frees the parts. 0, or the error of the
 * last one that could not be removed: closing the group tries again. */
int live_probe_undefine(struct live_probe *live, struct trace_group *group, struct diag *why);

#endif
