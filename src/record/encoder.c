/* encoder.c - what ingest counts -> the records of a recording. See record/recording.h.
 *
 * Problem: a recording may begin long after its processes, and readers need the names and mappings
 * of these. perf-record(1) describes all processes of the machine at its start, which takes it
 * seconds on a large one, and has to be done anew for each part of a recording.
 *
 * Idea: what ingest knows of a process is described with the first sample of it, under the same
 * time. A sample that had to wait, and is older than that, brings another description. A child of a
 * process that is described needs nothing: its FORK is in the recording.
 *
 * A part that is complete by itself begins at a time later than that of all records that wait: what
 * was described before that time has to be described again.
 *
 * Records wait in a reorder stage of their own until limit() says that nothing older will come, as
 * samples that waited for tables come later than others.
 *
 * Invariant: each counted sample is a record that the sink took, or counted as lost.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "described.h"
#include "recorded_event.h"
#include "ingest/reorder.h"
#include "record/recording.h"
#include "written_record.h"

#define WAIT_MAX_NS UINT64_C(10000000000)	/* a record's wild time must not put a part off */

struct record_encoder {
	struct record_encoder_config config;
	struct recording_sink sink;
	struct record_tee tee;
	struct record_encoder_counts counts;
	struct recorded_event *events;	/* owned; the ids are WRITTEN_FIRST_ID + index */
	uint32_t event_count, event_room;
	uint32_t *id_of_event;		/* owned; by number in the timeline; 0: not met */
	uint32_t id_room;
	struct described processes, threads;
	struct id_map build_ids;	/* DSO -> its serial: the sink has its build-id */
	bool has_lost_others;		/* records that may have described a task */
	struct reorder reorder;
	uint64_t limit_ns;		/* everything up to it has been written */
	uint64_t newest_ns;		/* newest time of a record that came, written or not */
	uint64_t part_ns;		/* time that begins the next part; 0: none is due */
	uint64_t build_ids_due_ns;
	uint64_t lost_hits[PROBE_SLOTS];	/* by the kernel; not written yet */
	struct written_record buffer, lost_buffer;
};

static void note_time(struct record_encoder *encoder, uint64_t time_ns)
{
	if (time_ns > encoder->newest_ns && time_ns != UINT64_MAX)
		encoder->newest_ns = time_ns;
}

/* Time up to which records have come: not before the limit, nor far after it. */
static uint64_t newest_ns(const struct record_encoder *encoder)
{
	const uint64_t latest_ns = encoder->limit_ns + WAIT_MAX_NS;
	const uint64_t ns = encoder->newest_ns > encoder->limit_ns ? encoder->newest_ns
								   : encoder->limit_ns;

	return ns < latest_ns ? ns : latest_ns;
}

static bool send(struct record_encoder *encoder, const struct recording_item *item)
{
	return encoder->sink.write(encoder->sink.owner, item);
}

static void lose(struct record_encoder *encoder)
{
	encoder->counts.lost++;
	encoder->counts.unsaid++;
}

/* Everything is described anew, with the samples from now on. */
static void describe_again(struct record_encoder *encoder)
{
	described_restart(&encoder->processes, newest_ns(encoder));
	described_restart(&encoder->threads, newest_ns(encoder));
	encoder->has_lost_others = false;
}

/* Reports what was lost before. False: there is still no room. */
static bool send_lost(struct record_encoder *encoder)
{
	struct written_record *lost = &encoder->lost_buffer;
	const struct written_trailer trailer = {
		.pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX,
		.time_ns = encoder->counts.newest_ns, .id = WRITTEN_FIRST_ID,
	};

	if (!encoder->counts.unsaid)
		return true;
	written_record_lost(lost, encoder->counts.unsaid, &trailer);
	if (!send(encoder, &(struct recording_item){
		.kind = RECORDING_RECORD, .record = (const void *)lost->words,
		.time_ns = encoder->counts.newest_ns,
	    }))
		return false;
	encoder->counts.unsaid = 0;
	if (encoder->has_lost_others)
		describe_again(encoder);
	encoder->counts.records++;
	encoder->counts.bytes += lost->count * sizeof(lost->words[0]);
	return true;
}

/* Begins the part that is due at @time_ns. False: there was no room to say so. */
static bool begin_due_part(struct record_encoder *encoder, uint64_t time_ns)
{
	if (!encoder->part_ns || time_ns < encoder->part_ns || time_ns == UINT64_MAX)
		return true;
	if (!encoder->sink.part(encoder->sink.owner))
		return false;
	encoder->part_ns = 0;
	return true;
}

/* The sink of the reorder stage. */
static bool write_record(void *context, const void *record, size_t size, uint16_t event,
			 uint32_t cpu, uint64_t time_ns)
{
	struct record_encoder *encoder = context;
	const struct perf_event_header *header = record;
	const bool is_sample = header->type == PERF_RECORD_SAMPLE;

	(void)event, (void)cpu;
	if (time_ns > encoder->counts.newest_ns && time_ns != UINT64_MAX)
		encoder->counts.newest_ns = time_ns;
	if (!begin_due_part(encoder, time_ns) || !send_lost(encoder) ||
	    !send(encoder, &(struct recording_item){
		.kind = RECORDING_RECORD, .record = header,
		.time_ns = encoder->counts.newest_ns, .is_sample = is_sample,
	    })) {
		encoder->has_lost_others |= !is_sample;
		lose(encoder);
		return true;
	}
	encoder->counts.records++;
	encoder->counts.samples += is_sample;
	encoder->counts.bytes += size;
	return true;
}

/* Adds the record in the buffer, which has its time at @time_word. */
static void put(struct record_encoder *encoder, uint64_t time_ns, int16_t time_word)
{
	const struct written_record *buffer = &encoder->buffer;

	note_time(encoder, time_ns);
	if (buffer->is_full || reorder_push(&encoder->reorder, &(struct reorder_span){
		.records = buffer->words, .bytes = buffer->count * sizeof(buffer->words[0]),
		.first_ns = time_ns, .last_ns = time_ns, .time_word = time_word,
	    }))
		lose(encoder);
}

static bool send_event(struct record_encoder *encoder, struct recorded_event *entry)
{
	if (!entry->is_sent)
		entry->is_sent = send(encoder, &(struct recording_item){
			.kind = RECORDING_EVENT, .event = entry->event,
		});
	return entry->is_sent;
}

/* Returns the event of that content, which takes over or frees @entry; NULL: out of memory. */
static struct recorded_event *keep_event(struct record_encoder *encoder,
					 struct recorded_event *entry)
{
	const uint32_t room = encoder->event_room ? 2 * encoder->event_room : 16;
	struct recorded_event *events;

	for (uint32_t i = 0; i < encoder->event_count; i++)
		if (recorded_event_is_same(&encoder->events[i], entry)) {
			recorded_event_finish(entry);
			return &encoder->events[i];
		}
	if (encoder->event_count == encoder->event_room) {
		events = realloc(encoder->events, room * sizeof(*events));
		if (!events) {
			recorded_event_finish(entry);
			return NULL;
		}
		encoder->events = events;
		encoder->event_room = room;
	}
	encoder->events[encoder->event_count] = *entry;
	return &encoder->events[encoder->event_count++];
}

static int reserve_number(struct record_encoder *encoder, uint32_t event)
{
	const uint32_t room = event + 64;
	uint32_t *ids;

	if (event < encoder->id_room)
		return 0;
	ids = realloc(encoder->id_of_event, room * sizeof(*ids));
	if (!ids)
		return -ENOMEM;
	memset(ids + encoder->id_room, 0, (room - encoder->id_room) * sizeof(*ids));
	encoder->id_of_event = ids;
	encoder->id_room = room;
	return 0;
}

/* Notes that @entry, or NULL, is the event with the number @event. */
static struct recorded_event *note_event(struct record_encoder *encoder, uint32_t event,
				      struct recorded_event *entry)
{
	struct recorded_event *kept = entry ? keep_event(encoder, entry) : NULL;

	if (!kept || reserve_number(encoder, event))
		return NULL;
	encoder->id_of_event[event] = (uint32_t)(kept - encoder->events) + 1;
	return send_event(encoder, kept) ? kept : NULL;
}

/* The event that has the number @event now; NULL: none is known. */
static struct recorded_event *known_event(const struct record_encoder *encoder, uint32_t event)
{
	const uint32_t index =
		event < encoder->id_room ? encoder->id_of_event[event] : 0;

	return index ? &encoder->events[index - 1] : NULL;
}

/* The event that hits like @sample have had before: hits of a probe with several places come mixed,
 * and each place has a number of its own in tracefs. NULL: there is none. */
static struct recorded_event *find_of_hit(struct record_encoder *encoder,
					  const struct ingest *ingest,
					  const struct tee_sample *sample)
{
	if (sample->event >= encoder->id_room)
		return NULL;
	for (uint32_t i = 0; i < encoder->event_count; i++)
		if (recorded_event_is_of_hit(&encoder->events[i], ingest->hits, sample))
			return &encoder->events[i];
	return NULL;
}

/* The event of @sample; NULL: there is no room for it. */
static struct recorded_event *event_of(struct record_encoder *encoder, const struct ingest *ingest,
				    const struct tee_sample *sample)
{
	struct recorded_event *known = known_event(encoder, sample->event);
	const uint64_t id = WRITTEN_FIRST_ID + encoder->event_count;
	struct recorded_event made;
	int err;

	if (known && (!sample->is_hit || recorded_event_is_of_hit(known, ingest->hits, sample)))
		return send_event(encoder, known) ? known : NULL;
	known = sample->is_hit ? find_of_hit(encoder, ingest, sample) : NULL;
	if (known) {
		encoder->id_of_event[sample->event] = (uint32_t)(known - encoder->events) + 1;
		return send_event(encoder, known) ? known : NULL;
	}
	if (sample->is_hit)
		err = recorded_event_of_probe(&made, ingest->hits, sample, id);
	else
		err = recorded_event_of_source(&made, ingest->config.events[sample->event], id,
					       &encoder->config);
	return note_event(encoder, sample->event, err ? NULL : &made);
}

static void describe_event(struct record_encoder *encoder, const struct ingest *ingest,
			   uint32_t index)
{
	struct recorded_event made;

	if (!recorded_event_of_source(&made, ingest->config.events[index],
				      WRITTEN_FIRST_ID + encoder->event_count, &encoder->config))
		note_event(encoder, index, &made);
}

/* Begins with the events of the source, so that readers show those without samples, too. Where all
 * that is shown are probes, the side-band is the event that readers insist on. */
static void describe_source(struct record_encoder *encoder, const struct ingest *ingest)
{
	const struct ingest_config *config = &ingest->config;

	if (encoder->id_room)
		memset(encoder->id_of_event, 0, encoder->id_room * sizeof(*encoder->id_of_event));
	for (uint32_t i = 0; i < config->event_count; i++)
		if (!event_desc_is_hidden(config->events[i]) && (!i || i != config->branch_event))
			describe_event(encoder, ingest, i);
	for (uint32_t i = 0; i < config->event_count && !encoder->event_count; i++)
		describe_event(encoder, ingest, i);
}

static void tee_source(void *owner, const struct ingest *ingest)
{
	describe_source(owner, ingest);
}

static void describe_map(struct record_encoder *encoder, const struct ingest *ingest,
			 const struct mapping *row, const struct written_trailer *trailer)
{
	const struct dso *dso = &ingest->dsos.dsos[row->dso];
	const struct written_map map = {
		.start = row->start, .bytes = row->end - row->start,
		.file_offset = row->file_offset,
		.path = strpool_get(ingest->strings, dso->path),
		.build_id = dso->build_id,
		.dev_major = major(dso->device), .dev_minor = minor(dso->device),
		.inode = dso->inode, .inode_generation = dso->inode_generation,
	};

	if (row->dso == DSO_UNKNOWN || !map.path[0])
		return;
	written_record_map(&encoder->buffer, &map, trailer);
	put(encoder, trailer->time_ns, WRITTEN_TRAILER_TIME);
}

static void describe_process(struct record_encoder *encoder, const struct ingest *ingest,
			     uint32_t pid, const struct process_maps *maps, uint64_t time_ns)
{
	const struct process *process = task_table_find_process(&ingest->tasks, pid);
	const struct written_trailer trailer = { .pid = pid, .tid = pid, .cpu = UINT32_MAX,
						.time_ns = time_ns, .id = WRITTEN_FIRST_ID };

	if (!pid || pid == UINT32_MAX || described_has(&encoder->processes, pid, time_ns))
		return;
	if (!maps && process)
		maps = process->maps;
	for (uint32_t i = 0; maps && i < maps->count; i++)
		describe_map(encoder, ingest, &maps->rows[i], &trailer);
	/* Maps that come from /proc later are described then: tee_maps_read(). */
	if (process)
		described_mark(&encoder->processes, pid, time_ns);
}

static void describe_thread(struct record_encoder *encoder, const struct thread *thread,
			    uint64_t time_ns)
{
	struct written_trailer trailer = { .cpu = UINT32_MAX, .time_ns = time_ns,
					   .id = WRITTEN_FIRST_ID };
	bool is_exec;

	if (!thread || !thread->has_comm || !thread->tid)
		return;
	is_exec = thread->tid == thread->pid &&
		  described_lacks_exec(&encoder->processes, thread->pid, time_ns);
	if (!is_exec && described_has(&encoder->threads, thread->tid, time_ns))
		return;
	trailer.pid = thread->pid;
	trailer.tid = thread->tid;
	written_record_comm(&encoder->buffer, thread->comm, thread->comm_len, is_exec, &trailer);
	put(encoder, time_ns, WRITTEN_TRAILER_TIME);
	described_mark(&encoder->threads, thread->tid, time_ns);
}

static void describe_task(struct record_encoder *encoder, const struct ingest *ingest,
			  const struct thread *thread, const struct process_maps *maps,
			  uint64_t time_ns)
{
	if (!thread || (described_has(&encoder->threads, thread->tid, time_ns) &&
			described_has(&encoder->processes, thread->pid, time_ns)))
		return;
	/* The first thread's name is the process's. */
	if (thread->tid != thread->pid)
		describe_thread(encoder, task_table_find_thread(&ingest->tasks, thread->pid),
				time_ns);
	describe_thread(encoder, thread, time_ns);
	describe_process(encoder, ingest, thread->pid, maps, time_ns);
}

static struct wait_words wait_of(const struct ingest *ingest, const struct tee_sample *sample)
{
	return sample->is_wait ? waits_words(ingest->waits, ingest->strings, sample->wait)
			       : (struct wait_words){ .first = 0 };
}

static void tee_sample(void *owner, const struct ingest *ingest, const struct tee_sample *sample)
{
	struct record_encoder *encoder = owner;
	const struct recorded_event *event = event_of(encoder, ingest, sample);

	/* A hit that waited for its callers when the recording began may lack values. */
	if (!event || (event->has_added && !sample->is_joined)) {
		lose(encoder);
		return;
	}
	describe_task(encoder, ingest, sample->thread, sample->maps, sample->time_ns);
	if (event->keeps_raw)
		written_record_raw_sample(&encoder->buffer, sample, event->event.id);
	else
		written_record_sample(&encoder->buffer, sample, event->event.attr.sample_type,
				      event->event.id, wait_of(ingest, sample));
	put(encoder, sample->time_ns, WRITTEN_SAMPLE_TIME);
}

/* The child of a described task needs no description but its FORK. The numbers may have been of
 * another task, whose EXIT was lost. */
static bool note_fork(struct record_encoder *encoder, const struct event_record *record)
{
	const struct record_task *task = &record->task;
	const uint64_t time_ns = record->time_ns;
	const bool has_thread = described_has(&encoder->threads, task->parent_tid, time_ns);
	const bool has_process = described_has(&encoder->processes, task->parent_pid, time_ns);

	described_forget(&encoder->threads, record->tid);
	if (has_thread)
		described_mark(&encoder->threads, record->tid, time_ns);
	if (record->pid == task->parent_pid)
		return has_thread || has_process;
	described_forget(&encoder->processes, record->pid);
	if (has_process)
		described_mark(&encoder->processes, record->pid, time_ns);
	return has_thread || has_process;
}

/* The mappings of the new program are written once it is sampled. */
static bool note_exec(struct record_encoder *encoder, const struct event_record *record)
{
	const uint64_t time_ns = record->time_ns;
	const bool is_known = described_has(&encoder->processes, record->pid, time_ns) ||
			      described_has(&encoder->threads, record->tid, time_ns);

	described_forget(&encoder->processes, record->pid);
	if (described_leave_out(&encoder->processes, record->pid, time_ns) && !is_known &&
	    described_leave_out(&encoder->threads, record->tid, time_ns)) {
		described_leave_out_exec(&encoder->processes, record->pid, time_ns);
		return false;
	}
	described_mark(&encoder->threads, record->tid, time_ns);
	return true;
}

static bool note_comm(struct record_encoder *encoder, const struct event_record *record)
{
	if (record->comm.is_exec)
		return note_exec(encoder, record);
	if (!described_has(&encoder->threads, record->tid, record->time_ns) &&
	    described_leave_out(&encoder->threads, record->tid, record->time_ns))
		return false;
	described_mark(&encoder->threads, record->tid, record->time_ns);
	return true;
}

static bool note_map(struct record_encoder *encoder, const struct event_record *record)
{
	return record->pid == UINT32_MAX || record->mode != MODE_USER ||
	       described_has(&encoder->processes, record->pid, record->time_ns) ||
	       !described_leave_out(&encoder->processes, record->pid, record->time_ns);
}

static bool note_exit(struct record_encoder *encoder, const struct event_record *record)
{
	const bool is_known =
		described_has(&encoder->threads, record->tid, record->time_ns) ||
		described_has(&encoder->processes, record->pid, record->time_ns);

	described_end(&encoder->threads, record->tid, record->time_ns);
	if (record->pid == record->tid)
		described_end(&encoder->processes, record->pid, record->time_ns);
	return is_known;
}

/* Whether @record is to be written: of a task that is not described yet none is needed. */
static bool note_task(struct record_encoder *encoder, const struct event_record *record)
{
	switch (record->kind) {
	case RECORD_FORK:
		return note_fork(encoder, record);
	case RECORD_COMM:
		return note_comm(encoder, record);
	case RECORD_MMAP:
		return note_map(encoder, record);
	case RECORD_EXIT:
		return note_exit(encoder, record);
	default:
		return true;
	}
}

static void tee_record(void *owner, const struct ingest *ingest, const struct event_record *record,
		       const void *raw)
{
	struct record_encoder *encoder = owner;
	const struct recorded_event *event = known_event(encoder, record->event);
	const struct written_trailer trailer = {
		.pid = record->pid, .tid = record->tid,
		.cpu = record->has_cpu ? record->cpu : UINT32_MAX, .time_ns = record->time_ns,
		.id = event ? event->event.id : WRITTEN_FIRST_ID,
	};

	note_time(encoder, record->time_ns);
	if (!note_task(encoder, record) && !encoder->config.keeps_raw_stacks)
		return;
	written_record_copy(&encoder->buffer, raw, &ingest->config.events[record->event]->format,
			  &trailer);
	put(encoder, record->time_ns, WRITTEN_TRAILER_TIME);
}

static void tee_hits_lost(void *owner, const struct ingest *ingest, uint16_t event, uint64_t count)
{
	struct record_encoder *encoder = owner;

	(void)ingest;
	if (event >= PROBE_EVENT_FIRST && event < PROBE_EVENT_FIRST + PROBE_SLOTS)
		encoder->lost_hits[event - PROBE_EVENT_FIRST] += count;
}

/* Reports the hits that the kernel has lost of each probe, once it has an event. @is_last: also of
 * those without, of which all hits were lost. */
static void put_lost_hits(struct record_encoder *encoder, bool is_last)
{
	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++) {
		const struct recorded_event *known =
			encoder->lost_hits[slot] ? known_event(encoder, PROBE_EVENT_FIRST + slot)
						 : NULL;
		const struct written_trailer trailer = {
			.pid = UINT32_MAX, .tid = UINT32_MAX, .cpu = UINT32_MAX,
			.time_ns = encoder->limit_ns + 1,
			.id = known ? known->event.id : WRITTEN_FIRST_ID,
		};

		if (!encoder->lost_hits[slot] || (!known && !is_last))
			continue;
		written_record_lost(&encoder->buffer, encoder->lost_hits[slot], &trailer);
		encoder->lost_hits[slot] = 0;
		put(encoder, trailer.time_ns, WRITTEN_TRAILER_TIME);
	}
}

static void tee_maps_read(void *owner, const struct ingest *ingest, uint32_t pid)
{
	struct record_encoder *encoder = owner;

	(void)ingest;
	described_forget(&encoder->processes, pid);
}

static void send_build_ids(struct record_encoder *encoder, const struct ingest *ingest)
{
	const struct dso_table *dsos = &ingest->dsos;

	for (uint32_t id = DSO_FIXED_COUNT; id < dsos->count; id++) {
		const struct dso *dso = &dsos->dsos[id];

		if (dso->is_free || !dso->build_id.count || dso->mode != MODE_USER ||
		    id_map_get(&encoder->build_ids, id) == dso->serial)
			continue;
		if (!send(encoder, &(struct recording_item){
					   .kind = RECORDING_BUILD_ID,
			.build_id = { .path = strpool_get(ingest->strings, dso->path),
				      .build_id = dso->build_id },
		    }))
			return;
		id_map_put(&encoder->build_ids, id, dso->serial);
	}
}

#define BUILD_IDS_EVERY_NS 500000000u	/* twice for each sync of a file */

static void tee_limit(void *owner, const struct ingest *ingest, uint64_t limit_ns)
{
	struct record_encoder *encoder = owner;

	if (limit_ns > encoder->build_ids_due_ns) {
		encoder->build_ids_due_ns = limit_ns + BUILD_IDS_EVERY_NS;
		send_build_ids(encoder, ingest);
	}
	if (limit_ns <= encoder->limit_ns)
		return;
	encoder->limit_ns = limit_ns;
	described_settle(&encoder->processes, limit_ns);
	described_settle(&encoder->threads, limit_ns);
	put_lost_hits(encoder, false);
	reorder_release(&encoder->reorder, limit_ns, write_record, encoder);
	begin_due_part(encoder, limit_ns);
	if (encoder->sink.progress)
		encoder->sink.progress(encoder->sink.owner, limit_ns, &encoder->counts);
}

static void tee_begin(void *owner, const struct ingest *ingest)
{
	describe_source(owner, ingest);
}

static bool has_event_of(const struct record_encoder *encoder, const struct probe_row *row)
{
	for (uint32_t i = 0; i < encoder->event_count; i++)
		if (encoder->events[i].probe == row->id)
			return true;
	return false;
}

/* Returns the largest number of tracefs, which are of 16 bits, that no event has. */
static uint64_t free_number(const struct record_encoder *encoder)
{
	uint64_t number = UINT16_MAX;

	for (uint32_t i = 0; i < encoder->event_count; i++)
		if (encoder->events[i].event.attr.type == PERF_TYPE_TRACEPOINT &&
		    encoder->events[i].event.attr.config == number) {
			number--;
			i = UINT32_MAX;		/* from the first one again */
		}
	return number;
}

/* Describes the probes that were never hit, so that readers show them, too. */
static void describe_probes_without_hits(struct record_encoder *encoder,
					 const struct ingest *ingest)
{
	struct recorded_event made;

	for (uint32_t slot = 0; ingest->hits && slot < PROBE_SLOTS; slot++) {
		const struct probe_row *row = &ingest->hits->rows[slot];

		if (row->id && row->event == PROBE_EVENT_FIRST + slot && row->first_ns &&
		    row->generations[row->newest].reading && !has_event_of(encoder, row) &&
		    !recorded_event_without_hits(&made, row, free_number(encoder),
						 WRITTEN_FIRST_ID + encoder->event_count))
			note_event(encoder, row->event, &made);
	}
}

/* The owner of the sink may destroy the encoder as soon as it knows of the end. */
static uint64_t tee_end(void *owner, const struct ingest *ingest)
{
	struct record_encoder *encoder = owner;
	struct record_encoder_counts counts;

	send_build_ids(encoder, ingest);
	describe_probes_without_hits(encoder, ingest);
	put_lost_hits(encoder, true);
	record_encoder_flush(encoder);
	counts = encoder->counts;
	if (encoder->sink.end)
		encoder->sink.end(encoder->sink.owner, &counts);
	return counts.lost;
}

static uint64_t tee_lost(void *owner)
{
	const struct record_encoder *encoder = owner;

	return encoder->counts.lost;
}

int record_encoder_create(struct record_encoder **out, const struct record_encoder_config *config,
			  const struct recording_sink *sink, struct diag *why)
{
	struct record_encoder *encoder = calloc(1, sizeof(*encoder));

	*out = encoder;
	if (!encoder)
		return diag_set(why, -ENOMEM, "no memory for a recording");
	encoder->config = *config;
	encoder->sink = *sink;
	encoder->tee = (struct record_tee){
		.owner = encoder, .begin = tee_begin, .sample = tee_sample, .record = tee_record,
		.hits_lost = tee_hits_lost,
		.maps_read = tee_maps_read, .source = tee_source, .limit = tee_limit,
		.end = tee_end, .lost = tee_lost,
	};
	reorder_init(&encoder->reorder);
	return 0;
}

void record_encoder_destroy(struct record_encoder *encoder)
{
	if (!encoder)
		return;
	for (uint32_t i = 0; i < encoder->event_count; i++)
		recorded_event_finish(&encoder->events[i]);
	free(encoder->events);
	free(encoder->id_of_event);
	described_finish(&encoder->processes);
	described_finish(&encoder->threads);
	id_map_finish(&encoder->build_ids);
	reorder_finish(&encoder->reorder);
	free(encoder);
}

const struct record_tee *record_encoder_tee(struct record_encoder *encoder)
{
	return &encoder->tee;
}

void record_encoder_restart(struct record_encoder *encoder)
{
	for (uint32_t i = 0; i < encoder->event_count; i++) {
		encoder->events[i].is_sent = false;
		send_event(encoder, &encoder->events[i]);
	}
	describe_again(encoder);
	id_map_clear(&encoder->build_ids);
	encoder->build_ids_due_ns = 0;
}

void record_encoder_begin_part(struct record_encoder *encoder)
{
	encoder->part_ns = newest_ns(encoder) + 1;
	described_begin_part(&encoder->processes, encoder->part_ns);
	described_begin_part(&encoder->threads, encoder->part_ns);
}

void record_encoder_flush(struct record_encoder *encoder)
{
	reorder_release(&encoder->reorder, UINT64_MAX, write_record, encoder);
	send_lost(encoder);
}

struct record_encoder_counts record_encoder_counts(const struct record_encoder *encoder)
{
	return encoder->counts;
}
