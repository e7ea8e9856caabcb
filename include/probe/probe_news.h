/* probe_news.h - what the analyzer is told of probes: which there are, how their records are read,
 * how they fare.
 *
 * A probe is an event of the timeline: number PROBE_EVENT_FIRST + slot (timeline/timeline.h). Slots
 * are given in turns; on PROBE_NEWS_REMOVED the analyzer drops what was counted under it.
 * Thread: made by the engine's, owned by the analyzer's once taken.
 */
#ifndef PROBE_PROBE_NEWS_H
#define PROBE_PROBE_NEWS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "capture/raw_fields.h"
#include "capture/record.h"
#include "probe/probe_places.h"
#include "probe/probe_spec.h"

#define PROBE_SLOTS 64		/* probes at a time, functions of wildcards included */

enum probe_state {
	PROBE_ATTACHING, PROBE_ATTACHED, PROBE_IS_OFF, PROBE_DETACHING,
	PROBE_REFUSED, PROBE_FAILED,	/* `reason` */
	PROBE_CAPPED,		/* switched off by the governor */
	PROBE_EXPIRED,		/* its lease is over */
	PROBE_PAUSED,		/* between two bursts */
	PROBE_RECORDED,		/* an event of a recording: nothing is attached */
};

/* One kind of record that a probe sends. */
struct probe_stream {
	struct record_format format;
	struct raw_fields fields;	/* owned */
	uint64_t *ids;			/* owned: PERF_SAMPLE_IDENTIFIER of its descriptors */
	uint32_t id_count;
	int sp_field;			/* with the stack pointer; -1: none */
	int ra_field;			/* with the return address, which is where that points to;
					 * -1: none */
};

struct probe_column {			/* a value, as shown */
	char name[32];
	char type[48];
	enum probe_value_kind kind;
	enum probe_meaning meaning;
	enum probe_origin origin;
	bool is_return;			/* it is in the return's record */
	int field;			/* index into the stream's fields */
};

/* What a number of a column is called, remembered: finding it out takes long. */
#define PROBE_NAMES 128
struct probe_name {
	uint64_t number;
	uint32_t column;	/* from 1; 0: nothing is remembered here */
	bool is_named;
	char text[160];
};

/* How records of one probe are read: made at each attach, constant but for `names`. */
struct probe_reading {
	struct probe_stream entry, leave;	/* leave: PROBE_RETURN and _LATENCY; else empty */
	struct probe_column columns[PROBE_VALUES_MAX];
	uint32_t column_count;
	struct probe_condition condition;	/* what the kernel does not filter itself */
	struct probe_name *names;	/* owned by the analyzer's thread: [PROBE_NAMES]; NULL */
	bool has_filtered_entries;	/* by the kernel: a return without its entry is no loss */
	uint32_t pid;			/* only hits of this process and what it starts; 0: all */
};

void probe_reading_destroy(struct probe_reading *reading);	/* NULL is fine */

/* What changes while it runs; a whole one each time. */
struct probe_status {
	enum probe_state state;
	char reason[200];
	uint64_t hits, lost, missed;	/* as the kernel counts, since it was added: entries, or
					 * returns of a PROBE_RETURN */
	uint64_t filtered;	/* of the hits: left out by the kernel, as the condition says */
	uint64_t read_ns;	/* when these three were read; only ATTACHED. UINT64_MAX: they
				 * don't change any more */
	uint64_t lease_until_ns;	/* UINT64_MAX: none */
	double cost_pct;		/* of one CPU, now: hits/s by measured cost of a hit */
	double hits_per_s;		/* of the last second */
	bool is_in_bursts;
	uint32_t sites, functions;
	uint32_t own_ns;	/* of a latency: what the probe itself takes of each; 0: unknown */
};

enum probe_news_kind {
	PROBE_NEWS_RINGS,	/* the rings run: their marks count from now on */
	PROBE_NEWS_ADDED,	/* `name`, `spec`: a new row */
	PROBE_NEWS_READING,	/* `reading` is the analyzer's; records of time_ns on may follow */
	PROBE_NEWS_IGNORE,	/* hits younger than time_ns are nobody's */
	PROBE_NEWS_STATUS,
	PROBE_NEWS_REMOVED,	/* row and counts go */
};

struct probe_news {
	enum probe_news_kind kind;
	uint32_t probe;		/* id: rises, never used again */
	uint32_t slot;
	uint64_t time_ns;
	struct probe_status status;
	struct probe_reading *reading;	/* owned by whoever took the news */
	/* ADDED: */
	struct probe_spec *spec;	/* owned by whoever took the news */
	char name[PROBE_FUNCTION_BYTES];	/* sanitized: as shown */
	char object[PROBE_FILE_BYTES];	/* base name of the file; "[kernel]"; sanitized */
	char scope[64];			/* "pid 4121", "every nginx", "whole system" */
	bool with_stacks;
};

#endif
