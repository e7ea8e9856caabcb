/* record_tees.c - up to two receivers of what is counted: a recording, which comes and goes, and
 * what holds the last seconds. See ingest/record_tee.h.
 *
 * ingest->tee is the only one, or a tee that passes on to both.
 */
#include <stddef.h>

#include "ingest/ingest.h"

static void pass_sample(void *owner, const struct ingest *ingest, const struct tee_sample *sample)
{
	const struct ingest_tees *tees = owner;

	tees->recording->sample(tees->recording->owner, ingest, sample);
	tees->keeper->sample(tees->keeper->owner, ingest, sample);
}

static void pass_record(void *owner, const struct ingest *ingest, const struct event_record *record,
			const void *raw)
{
	const struct ingest_tees *tees = owner;

	tees->recording->record(tees->recording->owner, ingest, record, raw);
	tees->keeper->record(tees->keeper->owner, ingest, record, raw);
}

static void pass_hits_lost(void *owner, const struct ingest *ingest, uint16_t event, uint64_t count)
{
	const struct ingest_tees *tees = owner;

	tees->recording->hits_lost(tees->recording->owner, ingest, event, count);
	tees->keeper->hits_lost(tees->keeper->owner, ingest, event, count);
}

static void pass_maps_read(void *owner, const struct ingest *ingest, uint32_t pid)
{
	const struct ingest_tees *tees = owner;

	tees->recording->maps_read(tees->recording->owner, ingest, pid);
	tees->keeper->maps_read(tees->keeper->owner, ingest, pid);
}

static void pass_source(void *owner, const struct ingest *ingest)
{
	const struct ingest_tees *tees = owner;

	tees->recording->source(tees->recording->owner, ingest);
	tees->keeper->source(tees->keeper->owner, ingest);
}

static void pass_limit(void *owner, const struct ingest *ingest, uint64_t limit_ns)
{
	const struct ingest_tees *tees = owner;

	tees->recording->limit(tees->recording->owner, ingest, limit_ns);
	tees->keeper->limit(tees->keeper->owner, ingest, limit_ns);
}

/* Each one's begin() and end() are called when it is set. */
static void choose_tee(struct ingest *ingest)
{
	struct ingest_tees *tees = &ingest->tees;

	tees->both = (struct record_tee){
		.owner = tees, .sample = pass_sample, .record = pass_record,
		.hits_lost = pass_hits_lost,
		.maps_read = pass_maps_read, .source = pass_source, .limit = pass_limit,
	};
	ingest->tee = !tees->keeper ? tees->recording
		      : !tees->recording ? tees->keeper : &tees->both;
}

/* Returns how many records the one that was set before had no room for. */
static uint64_t set_tee(struct ingest *ingest, const struct record_tee **place,
			const struct record_tee *tee)
{
	const struct record_tee *before = *place;
	uint64_t lost = 0;

	*place = tee;
	choose_tee(ingest);
	if (before)
		lost = before->end(before->owner, ingest);
	if (tee)
		tee->begin(tee->owner, ingest);
	return lost;
}

void ingest_set_tee(struct ingest *ingest, const struct record_tee *tee)
{
	ingest->counters.unrecorded += set_tee(ingest, &ingest->tees.recording, tee);
}

void ingest_set_keeper(struct ingest *ingest, const struct record_tee *tee)
{
	set_tee(ingest, &ingest->tees.keeper, tee);
}
