/* probe_news.h - messages from the probe engine to the analyzer: which probes exist, how their
 * records are read, and their state and counts.
 *
 * A probe is an event of the timeline: number PROBE_EVENT_FIRST + slot (timeline/timeline.h). Slots
 * are reused in rotation; on PROBE_NEWS_REMOVED the analyzer drops what was counted under one.
 * Thread: made by the engine's thread, owned by the analyzer's once taken.
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
	PROBE_REFUSED, PROBE_FAILED,	/* `reason` says why */
	PROBE_CAPPED,		/* switched off by the governor */
	PROBE_EXPIRED,		/* its lease is over */
	PROBE_PAUSED,		/* between two bursts */
	PROBE_RECORDED,		/* an event of a recording: nothing is attached */
};

/* One kind of record that a probe sends. */
struct probe_stream {
	struct record_format format;
	struct raw_fields fields;	/* owned */
	uint64_t *ids;			/* owned: PERF_SAMPLE_IDENTIFIER of each descriptor */
	uint32_t id_count;
	int sp_field;			/* index of the field with the stack pointer; -1: none */
	int ra_field;			/* index of the field with the return address, read from the
					 * stack; -1: none */
};

struct probe_column {			/* one value of a hit, as shown */
	char name[32];
	char type[48];
	enum probe_value_kind kind;
	enum probe_meaning meaning;
	enum probe_origin origin;
	bool is_return;			/* the value is in the return's record */
	int field;			/* index into the stream's `fields` */
};

/* Cached name of a number in a column: looking it up takes long. */
#define PROBE_NAMES 128
struct probe_name {
	uint64_t number;
	uint32_t column;	/* counted from 1; 0: this cache entry is empty */
	bool is_named;
	char text[160];
};

/* How the records of one probe are read. Made at each attach; constant except for `names`. */
struct probe_reading {
	struct probe_stream entry, leave;	/* `leave`: of PROBE_RETURN and _LATENCY */
	struct probe_column columns[PROBE_VALUES_MAX];
	uint32_t column_count;
	struct probe_condition condition;	/* the part the kernel does not filter */
	struct probe_name *names;	/* owned by the analyzer's thread: [PROBE_NAMES], or NULL */
	bool has_filtered_entries;	/* the kernel drops entries: a return alone is no loss */
	uint32_t pid;			/* count only this process and its descendants; 0: all */
};

void probe_reading_destroy(struct probe_reading *reading);	/* NULL is fine */

/* The state of a probe that changes while it runs; each status news carries all of it. */
struct probe_status {
	enum probe_state state;
	char reason[200];
	uint64_t hits, lost, missed;	/* counted by the kernel since the probe was added: entries,
					 * or returns for a PROBE_RETURN */
	uint64_t filtered;	/* hits that the kernel dropped because of the condition */
	uint64_t read_ns;	/* time when the four counts were read, only if ATTACHED.
				 * UINT64_MAX: they are final */
	uint64_t lease_until_ns;	/* UINT64_MAX: none */
	double cost_pct;		/* % of one CPU, now: hits/s by measured cost of a hit */
	double hits_per_s;		/* rate over the last second */
	bool is_in_bursts;
	uint32_t sites, functions;
	uint32_t own_ns;	/* latency probe: its own time within each latency; 0: unknown */
};

enum probe_news_kind {
	PROBE_NEWS_RINGS,	/* the rings run: wait for their QUEUE_ROUND_END from now on */
	PROBE_NEWS_ADDED,	/* `name`, `spec`: a new row */
	PROBE_NEWS_READING,	/* `reading` is for the records from time_ns on */
	PROBE_NEWS_IGNORE,	/* do not count hits later than time_ns */
	PROBE_NEWS_STATUS,
	PROBE_NEWS_REMOVED,	/* drop its row and counts */
};

struct probe_news {
	enum probe_news_kind kind;
	uint32_t probe;		/* id: rises, never reused */
	uint32_t slot;
	uint64_t time_ns;
	struct probe_status status;
	struct probe_reading *reading;	/* owned by the receiver */
	/* Only for PROBE_NEWS_ADDED: */
	struct probe_spec *spec;	/* owned by the receiver */
	char name[PROBE_FUNCTION_BYTES];	/* sanitized: as shown */
	char object[PROBE_FILE_BYTES];	/* base name of the file; "[kernel]"; sanitized */
	char scope[64];			/* "pid 4121", "every nginx", "whole system" */
	bool with_stacks;
};

#endif
