/* probe_hits.h - the analyzer's state of probes: a row per slot, how its records are decoded, and
 * unpaired entries. The records themselves go through ingest/ingest.h (ingest_hits.c).
 *
 * Thread: the analyzer's.
 */
#ifndef INGEST_PROBE_HITS_H
#define INGEST_PROBE_HITS_H

#include "capture/event_desc.h"
#include "ingest/hit_log.h"
#include "ingest/probe_pairs.h"
#include "ingest/probe_values.h"
#include "timeline/timeline.h"

/* Each time a probe is attached, a new generation decodes its records, while records of older ones
 * are still in flight. Four suffice: attaching four times takes longer than a record's delivery. */
#define PROBE_GENERATIONS 4

struct probe_generation {
	struct probe_reading *reading;	/* owned; NULL: there is none */
	uint32_t number;		/* increasing over all probes */
	uint64_t ignore_ns;		/* later hits are dropped; UINT64_MAX: none */
	int entry_keys[PROBE_KEYS_MAX], leave_keys[PROBE_KEYS_MAX];	/* indices of raw fields */
};

#define PROBE_PEAK_SECONDS 128

struct probe_peaks {		/* longest call of each of the last seconds, at second % SECONDS */
	uint64_t second[PROBE_PEAK_SECONDS], ns[PROBE_PEAK_SECONDS];
};

#define PROBE_TURNS 16

/* When a probe was attached, oldest first; the last turn may go on. */
struct probe_turns {
	uint64_t begin_ns[PROBE_TURNS], end_ns[PROBE_TURNS];	/* UINT64_MAX: still attached */
	uint32_t count;
	uint64_t earlier_ns;	/* time attached in turns no longer kept */
};

struct probe_row {
	uint32_t id;		/* 0: the slot is free */
	uint16_t event;		/* timeline event that counts the hits: PROBE_EVENT_FIRST + slot,
				 * or the number of a recording's event */
	struct probe_spec *spec;	/* owned */
	char name[PROBE_FUNCTION_BYTES], object[PROBE_FILE_BYTES], scope[64];
	bool with_stacks;
	struct probe_status status;
	struct probe_generation generations[PROBE_GENERATIONS];
	uint32_t newest;	/* index of the newest generation */
	uint64_t first_ns;	/* when it was attached for the first time; 0: never */
	struct probe_turns turns;
	struct hit_log log;
	struct probe_peaks peaks;
};

/* How to decode a record. */
struct probe_stream_ref {
	struct probe_row *row;
	struct probe_generation *generation;
	const struct probe_stream *stream;
	uint32_t slot;
	bool is_leave;
};

struct probe_hits {
	struct probe_row rows[PROBE_SLOTS];
	struct id_map stream_of;	/* perf event id -> slot, generation, entry or return */
	uint8_t recorded[TIMELINE_MAX_EVENTS];	/* event of a recording -> slot + 1; 0: none */
	struct probe_pairs pairs;
	struct probe_values values;
	uint32_t last_generation;
	bool has_rings;
	uint64_t limit_ns;		/* limit of the last round of the probe rings */
	uint64_t newest_ns;		/* time of the newest record */
	uint64_t lost_before, missed_before;	/* sums of removed probes */
};

struct probe_hits *probe_hits_create(void);	/* NULL: out of memory */
void probe_hits_destroy(struct probe_hits *hits);	/* NULL is fine */

/* Creates the rows of a recording: one for each of its @count @events whose raw bytes have known
 * fields, at most PROBE_SLOTS. Their hits are the samples of these events, and are counted as such.
 * *@out is the caller's; NULL where there is no such event. 0 or -ENOMEM. */
int probe_hits_create_recorded(struct probe_hits **out, const struct event_desc *const *events,
			       uint32_t count);
/* The row of @event of a recording; NULL: it has none. @hits may be NULL. */
struct probe_row *probe_hits_of_recorded(struct probe_hits *hits, uint32_t event);

/* Applies @news, and frees what it owns and is not kept. PROBE_NEWS_REMOVED leaves the row to the
 * caller; the row of PROBE_NEWS_ADDED must be free. Returns the row that it is about, or NULL. */
struct probe_row *probe_hits_take(struct probe_hits *hits, struct probe_news *news);
/* Frees the row. */
void probe_hits_remove(struct probe_hits *hits, uint32_t slot);

/* Finds how to decode records with that perf event id. False: the id is not known. */
bool probe_hits_find(struct probe_hits *hits, uint64_t id, struct probe_stream_ref *out);

/* The row of timeline event PROBE_EVENT_FIRST + slot. NULL: there is no such probe. */
struct probe_row *probe_hits_of_event(struct probe_hits *hits, uint32_t event);
/* Event of the probe that was added first; UINT32_MAX: there is none. */
uint32_t probe_hits_first_event(const struct probe_hits *hits);
/* Time up to which the kernel's counts of all attached probes have been read; UINT64_MAX: no probe
 * is attached. */
uint64_t probe_hits_read_ns(const struct probe_hits *hits);
/* Whether some probe is, or will be, attached. */
bool probe_hits_are_live(const struct probe_hits *hits);
/* Records that the kernel could not write, since start. */
uint64_t probe_hits_lost(const struct probe_hits *hits);
/* Hits that the kernel could not see, by its own count, since start. */
uint64_t probe_hits_missed(const struct probe_hits *hits);

/* Begins a turn; ends the one before, if it has no end yet. */
void probe_turns_begin(struct probe_turns *turns, uint64_t time_ns);
/* Ends the present turn, if there is one. */
void probe_turns_end(struct probe_turns *turns, uint64_t time_ns);
/* How long the probe was attached between the two times. Exact unless @begin_ns lies before the
 * oldest kept turn: of earlier turns only the sum is known. */
uint64_t probe_turns_between(const struct probe_turns *turns, uint64_t begin_ns, uint64_t end_ns);

void probe_peaks_add(struct probe_peaks *peaks, uint64_t time_ns, uint64_t latency_ns);
/* The longest known call between the two times, to the second, ignoring those over @most_ns; 0:
 * none. */
uint64_t probe_peaks_between(const struct probe_peaks *peaks, uint64_t begin_ns, uint64_t end_ns,
			     uint64_t most_ns);

#endif
