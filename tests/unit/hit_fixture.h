/* hit_fixture.h - an ingest to which events of probes and their records come, written by hand.
 *
 * Probe P has the ids 100 P + 1 of its entries, 100 P + 2 of its returns and 100 P + 2 + i of its
 * i-th middle, and the slot P. Its
 * records carry sp, ra (u64), size (s64), name (text) at the entry, sp, size (s64) and next (s32)
 * at the return; bytes (u8[8]) are those of size. They are of CPU 0, at address HIT_IP of the
 * process. */
#ifndef HIT_FIXTURE_H
#define HIT_FIXTURE_H

#include "ingest_fixture.h"

#define HIT_IP UINT64_C(0x400010)

/* The event of a new probe. @condition: "" none. @pid: 0 all. */
void hit_fixture_add(struct ingest *ingest, uint32_t probe, enum probe_kind kind,
		     enum probe_edge edge, const char *condition, uint32_t pid);
/* The same probe is attached anew: its ids are 50 more from now on. Times before are unknown. */
void hit_fixture_attach_again(struct ingest *ingest, uint32_t probe, enum probe_edge edge,
			      uint64_t time_ns);
/* Keys of the probe that is added next: fields by name, NULL for none. It is a latency between two
 * places then. */
void hit_fixture_keys(const char *first, const char *second);
/* The probe that is added next is a latency between two places, joined by the thread (NULL, NULL)
 * or by these fields. */
void hit_fixture_pair(const char *begin, const char *end);
/* The probe that is added next, a latency between two places, has @count places between them, which
 * are joined by the fields of the last one. The columns of its stages follow the others. */
void hit_fixture_middles(uint32_t count);
/* True: counts were dropped. */
bool hit_fixture_event(struct ingest *ingest, enum engine_event_kind kind, uint32_t probe,
		       uint64_t time_ns, enum probe_state state);

/* The size of the probe that is added next is a u64. */
void hit_fixture_unsigned(void);
/* The probe that is added next is a latency from a tracepoint to itself. */
void hit_fixture_interval(void);

struct hit_record {
	uint64_t time_ns;
	uint32_t pid, tid;
	uint64_t sp, return_address;
	int64_t number;		/* size, or ret */
	int32_t next;
	const char *text;	/* name; NULL: none */
	uint8_t flags;		/* common_flags */
};

/* False: its id is unknown. */
bool hit_fixture_enter(struct ingest *ingest, uint32_t probe, const struct hit_record *record);
bool hit_fixture_leave(struct ingest *ingest, uint32_t probe, const struct hit_record *record);
/* A hit of the place @middle, counted from 1, between the first and the last: as of the last. */
bool hit_fixture_pass(struct ingest *ingest, uint32_t probe, uint32_t middle,
		      const struct hit_record *record);
/* As the kernel writes it after a gap. */
void hit_fixture_lost(struct ingest *ingest, uint32_t probe, uint64_t time_ns);
void hit_fixture_round(struct ingest *ingest, uint64_t limit_ns);

/* The two records as bytes: for queues. */
void hit_fixture_write(struct record_bytes *out, uint64_t id, bool is_leave,
		       const struct hit_record *record);

#endif
