/* record_tee.h - passes all that is counted on to a recorder: in time order as far as it is counted
 * in it, with finished stacks.
 *
 * Use:    ingest_set_tee(). Every pointer is BORROWED for the call.
 * Order:  samples that waited for tables come after later records; limit() says up to which time
 *         everything has come.
 * Thread: the analyzer's.
 */
#ifndef INGEST_RECORD_TEE_H
#define INGEST_RECORD_TEE_H

#include "capture/event.h"
#include "capture/record.h"
#include "ingest/task_table.h"

struct ingest;

/* A sample, wait or probe hit that was counted. */
struct tee_sample {
	const struct event_record *record;
	const void *raw;	/* the record as it was received */
	const struct record_format *format;	/* how it is read */
	uint16_t event;		/* number in the timeline: of the source's list, or of a probe */
	bool is_hit;		/* `event` is a probe's */
	bool is_joined;		/* hit: `record` has all its values, see ingest/probe_state.h */
	uint64_t time_ns;	/* when it is counted; of a wait or a call: its end */
	uint64_t weight;	/* period, or ns of a wait; 1 for a hit */
	bool is_wait;		/* a part of a wait */
	uint8_t wait;		/* is_wait: number of its tuple, ingest/waits.h */
	enum cpu_mode leaf_mode;
	uint64_t leaf_ip;
	/* The callers, leaf first, with PERF_CONTEXT_* markers among the first `walked` words; all
	 * words after them are user addresses. `mode` is that of the first word. */
	const uint64_t *words;
	uint32_t count, walked;
	enum cpu_mode mode;
	const struct thread *thread;
	const struct process_maps *maps;	/* NULL: none are known */
};

struct record_tee {
	void *owner;
	/* Everything that is counted from now on is passed on. */
	void (*begin)(void *owner, const struct ingest *ingest);
	void (*sample)(void *owner, const struct ingest *ingest, const struct tee_sample *sample);
	/* Any other record in its turn: maps, names, forks, exits, losses, kernel code. Its format
	 * is that of event record->event. */
	void (*record)(void *owner, const struct ingest *ingest, const struct event_record *record,
		       const void *raw);
	/* The kernel had no room for @count hits of the probe that is event @event, up to now. */
	void (*hits_lost)(void *owner, const struct ingest *ingest, uint16_t event,
			  uint64_t count);
	/* The mappings of process @pid have come from /proc. */
	void (*maps_read)(void *owner, const struct ingest *ingest, uint32_t pid);
	/* Another source begins: event numbers mean other events. */
	void (*source)(void *owner, const struct ingest *ingest);
	/* Everything up to @limit_ns has come; called often. */
	void (*limit)(void *owner, const struct ingest *ingest, uint64_t limit_ns);
	/* Returns how many records it had no room for. */
	uint64_t (*lost)(void *owner);
	/* Nothing more will come. Returns what lost() would; @owner may be gone afterwards. */
	uint64_t (*end)(void *owner, const struct ingest *ingest);
};

/* The receivers that ingest has; `both` passes on to them. */
struct ingest_tees {
	const struct record_tee *recording, *keeper;	/* BORROWED; NULL: none */
	struct record_tee both;
};

#endif
