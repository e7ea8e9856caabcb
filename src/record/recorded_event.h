/* recorded_event.h - an event of ingest as an event of a recording: its attr, its name and the
 * format of its raw bytes. */
#ifndef RECORD_RECORDED_EVENT_H
#define RECORD_RECORDED_EVENT_H

#include "ingest/ingest.h"
#include "record/recording.h"

/* An event that the encoder has met; texts are owned. */
struct recorded_event {
	struct recording_event event;
	char *name, *format, *group, *description;
	bool keeps_raw;		/* samples are written with registers and stack */
	uint32_t probe;		/* id of the probe; 0: it is none */
	bool has_added;		/* its raw bytes have added values: see ingest/probe_state.h */
	bool is_sent;		/* the sink has its EVENT item */
};

/* Fills in @out for the source's event @event; @id: its id. 0 or -ENOMEM (nothing to be freed). */
int recorded_event_of_source(struct recorded_event *out, const struct event_desc *event,
			     uint64_t id, const struct record_encoder_config *config);
/* Fills in @out for the probe that @sample is a hit of. 0 or -ENOMEM. */
int recorded_event_of_probe(struct recorded_event *out, struct probe_hits *hits,
			 const struct tee_sample *sample, uint64_t id);
/* Fills in @out for the probe @row, which was attached and has no hit that would say its number in
 * tracefs; @number: one that no other event of the recording has. 0 or -ENOMEM. */
int recorded_event_without_hits(struct recorded_event *out, const struct probe_row *row,
				uint64_t number, uint64_t id);
/* Whether @sample is a hit of the probe that @entry was made for, as it was attached then: slots of
 * probes are used again. */
bool recorded_event_is_of_hit(const struct recorded_event *entry, struct probe_hits *hits,
			   const struct tee_sample *sample);
/* Whether both are the same event: records of one may have the id of the other. */
bool recorded_event_is_same(const struct recorded_event *a, const struct recorded_event *b);
void recorded_event_finish(struct recorded_event *entry);

#endif
