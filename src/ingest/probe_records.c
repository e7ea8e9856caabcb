/* probe_records.c - records of probes -> hits, counted as samples of the probe's event, and their
 * values.
 *
 *	record of an entry   -> waits for its return (probe_pairs.c), if latency is measured
 *	of a point between   -> its time is noted with the entry
 *	record of a return   -> one hit with its entry: the entry's task and stack, its own time
 *	any other            -> a hit
 *	hit -> of the wanted process? -> condition? -> values, log -> samples_add()
 *
 * Records carry perf event ids, so that each is decoded as it was made, whatever became of its
 * probe since then.
 *
 * What an interrupt does while flametop runs is no work of flametop's: a wake-up by a timer, a
 * packet, the end of a disk's request. It counts.
 *
 * Invariant: each record of a probe is part of a hit, or counted as unpaired, filtered or
 * flametop's own, or later than the request to switch the probe off, or of a process that is no
 * target of the probe.
 */
#include "probe_records.h"

#include <linux/perf_event.h>
#include <stdlib.h>

#include "hit_sums.h"
#include "inside.h"
#include "joined_hit.h"
#include "ingest/snapshot_probes.h"
#include "pending.h"
#include "probe_pairs.h"
#include "ingest/reorder.h"
#include "samples.h"

/* PERF_SAMPLE_IDENTIFIER: the first word of a sample, the last of any other record. */
static bool peek_id(const void *raw, size_t size, uint64_t *id)
{
	const struct perf_event_header *header = raw;
	const uint64_t *words = raw;

	if (size < sizeof(*header) + sizeof(*words) || header->size > size ||
	    header->size < sizeof(*header) + sizeof(*words))
		return false;
	*id = words[header->type == PERF_RECORD_SAMPLE
		    ? 1 : header->size / sizeof(*words) - 1];
	return true;
}

/* Handles a record without a known id. After a LOST one, no entry up to the newest record is
 * paired. False: a sample, which is not handled. */
static bool push_unknown(struct ingest *ingest, const struct perf_event_header *header)
{
	if (header->type == PERF_RECORD_SAMPLE)
		return false;
	if (header->type == PERF_RECORD_LOST && ingest->hits)
		probe_pairs_lost(ingest->hits->pairs, ingest->hits->newest_ns);
	return true;
}

bool probe_records_push(struct ingest *ingest, const void *raw, size_t size, uint32_t cpu)
{
	const struct perf_event_header *header = raw;
	struct probe_hits *hits = ingest->hits;
	struct probe_stream_ref ref;
	struct event_record record;
	uint64_t id;

	if (!peek_id(raw, size, &id)) {
		ingest->counters.malformed++;
		return true;
	}
	if (!hits || !probe_hits_find(hits, id, &ref))
		return push_unknown(ingest, raw);
	if (record_parse(&ref.stream->format, raw, size, &record) || !record.has_time) {
		ingest->counters.malformed++;
		return true;
	}
	if (record.kind != RECORD_SAMPLE && record.kind != RECORD_LOST)
		return true;
	if (record.time_ns > hits->newest_ns)
		hits->newest_ns = record.time_ns;
	if (!ref.is_leave || ref.row->spec->edge == PROBE_RETURN)
		tasks_look_ahead(ingest, &record);
	if (reorder_push(ingest->reorder, &(struct reorder_span){
		.records = raw, .bytes = header->size, .first_ns = record.time_ns,
		.last_ns = record.time_ns, .cpu = cpu, .event = PROBE_RECORDS_EVENT,
		.time_word = record_time_word(&ref.stream->format, raw),
	    }))
		ingest->counters.dropped_no_memory++;
	return true;
}

static void count_unpaired(struct ingest *ingest, uint64_t time_ns)
{
	struct probe_hits *hits = ingest->hits;
	struct probe_pairs *pairs = hits->pairs;

	while (pairs->unpaired_slots) {
		const int slot = __builtin_ctzll(pairs->unpaired_slots);
		const uint32_t count = pairs->unpaired[slot];

		pairs->unpaired[slot] = 0;
		pairs->unpaired_slots &= pairs->unpaired_slots - 1;
		if (hits->rows[slot].id)
			hit_values_add(ingest, time_ns,
				    probe_values_mark(&hits->values, hits->rows[slot].id, 0,
						      VALUE_UNPAIRED), count);
	}
}

static bool is_wanted(const struct ingest *ingest, const struct probe_reading *reading,
		      uint32_t slot, const struct event_record *record)
{
	const struct process *process;

	if (!reading->pid || record->pid == reading->pid)
		return true;
	process = task_table_find_process(&ingest->tasks, record->pid);
	return process && (process->probes >> slot & 1);
}

/* The raw record of a return names its function; the sample's address is in the caller. That of a
 * system call names the program's address; the sample's is in a BPF program. */
static uint64_t leaf_of(const struct hit *hit)
{
	const struct raw_fields *fields = &hit->begin_stream->fields;
	struct raw_value value;

	if (hit->begin_stream->entered_field)
		return raw_fields_read(fields, hit->begin_stream->entered_field,
				       &hit->begin->sample, &value) ? value.number : 0;
	if ((hit->row->spec->edge != PROBE_RETURN && !hit->row->spec->is_from_return) ||
	    !raw_fields_read(fields, raw_fields_find(fields, "__probe_func"),
			     &hit->begin->sample, &value))
		return 0;
	return value.number;
}

/* Whether the task of the entry is flametop's own: a return may be another task's. */
static bool is_own(const struct ingest *ingest, const struct hit *hit)
{
	const struct process *process = task_table_find_process(&ingest->tasks, hit->begin->pid);

	if (process && !hit->thread)	/* its first record: no target of the user */
		return hit->begin->time_ns < process->own_until_ns;
	return process && task_is_own(process, hit->thread, hit->begin->time_ns);
}

/* Whether an interrupt came upon the task of the entry, which has nothing to do with the hit then:
 * a timer that wakes another thread, a packet that arrives. Only tracepoints record it. */
static bool is_interrupt(const struct hit *hit)
{
	const struct raw_fields *fields = &hit->begin_stream->fields;
	struct raw_value value;

	return raw_fields_read(fields, raw_fields_find(fields, "common_flags"),
			       &hit->begin->sample, &value) && value.number & RAW_IN_INTERRUPT;
}

static void add_sample(struct ingest *ingest, const struct hit *hit,
		       const struct sample_form *form, const struct joined_hit *joined)
{
	const struct perf_event_header *header = (const void *)joined->bytes;

	if (joined->bytes)
		samples_add(ingest, &joined->record, form, joined->bytes, header->size, false);
	else
		samples_add(ingest, hit->begin, form, hit->raw, hit->size, false);
}

static void take_hit(struct ingest *ingest, struct hit *hit)
{
	struct sample_form form = {
		.format = hit->begin_stream->format, .is_hit = true,
		.event = hit->row->event, .time_ns = hit->end->time_ns,
		.leaf_ip = leaf_of(hit), .is_entered = hit->begin_stream->entered_field,
	};
	struct joined_hit joined = { .bytes = NULL };
	struct hit_texts texts;

	hit->thread = task_table_find_thread(&ingest->tasks, hit->begin->tid);
	if (is_own(ingest, hit)) {
		form.is_interrupt = is_interrupt(hit);
		if (!form.is_interrupt) {
			ingest->counters.left_out_own++;
			return;
		}
	}
	hit_values_read(hit, &texts);
	if (!hit_values_are_wanted(hit)) {
		hit_values_add(ingest, hit->end->time_ns,
			    probe_values_mark(&ingest->hits->values, hit->row->id, 0,
					      VALUE_FILTERED), 1);
		return;
	}
	if (hit->latency_ns >= 0) {
		form.bucket = latency_bucket((uint64_t)hit->latency_ns);
		probe_peaks_add(&hit->row->peaks, hit->end->time_ns, (uint64_t)hit->latency_ns);
	}
	if (ingest->tee)
		form.is_joined = joined_hit_make(&joined, hit, hit->begin_stream);
	form.number = hit_values_count(ingest, hit);
	form.line = event_lines_begin(&ingest->lines, hit->end, hit->latency_ns, hit->values,
				      hit->reading->column_count);
	form.sums = hit_sums_begin(ingest, hit);
	add_sample(ingest, hit, &form, &joined);
	event_lines_end(&ingest->lines, form.line);
	hit_sums_end(form.sums);
	joined_hit_finish(&joined);
}

/* Returns 0 if it is not known. */
static uint64_t number_in(const struct probe_stream *stream, int field,
			  const struct event_record *record)
{
	struct raw_value value;

	return raw_fields_read(&stream->fields, field, &record->sample, &value) ? value.number : 0;
}

/* Hash of the values by which two places are joined: equal numbers of any width are one. */
static uint64_t key_of(const struct probe_stream *stream, const struct event_record *record,
		       const int *fields, uint32_t count)
{
	uint64_t key = count;

	for (uint32_t i = 0; i < count; i++) {
		struct raw_value value = { .number = UINT64_MAX };

		raw_fields_read(&stream->fields, fields[i], &record->sample, &value);
		if (value.text)		/* a text, or all of an array */
			for (size_t at = 0; at < value.text_bytes; at++)
				key = id_set_mix(key, (unsigned char)value.text[at]);
		else
			key = id_set_mix(key, value.number);
	}
	return key;
}

static const int *keys_of(const struct probe_stream_ref *ref)
{
	const struct probe_reading *reading = ref->generation->reading;

	if (ref->middle)
		return reading->middle_keys[ref->middle - 1];
	return ref->is_leave ? reading->leave_keys : reading->entry_keys;
}

static struct pair_end end_of(const struct probe_stream_ref *ref, const struct event_record *record)
{
	const struct probe_spec *spec = ref->row->spec;
	struct pair_end end = { .slot = ref->slot, .time_ns = record->time_ns };

	end.order = spec->end.function[0] ? PAIR_BY_KEY : PAIR_NESTED;
	if (spec->on_count) {
		end.key = key_of(ref->stream, record, keys_of(ref), spec->on_count);
		return end;
	}
	end.key = probe_pairs_thread(record->tid, record->cpu);
	if (end.order == PAIR_NESTED) {
		end.sp = number_in(ref->stream, ref->stream->sp_field, record);
		end.return_address = number_in(ref->stream, ref->stream->ra_field, record);
	}
	return end;
}

/* Whether a record that found no entry shows that one is missing: the first record of an interval's
 * key has none. */
static bool misses_entry(const struct probe_stream_ref *ref)
{
	const struct probe_reading *reading = ref->generation->reading;

	return (ref->is_leave || ref->middle) && !reading->has_filtered_entries &&
	       !(reading->pid && ref->row->spec->on_count);
}

/* Pairs a return with its entry. Where pairs are formed by other fields than the thread, the return
 * may be another process's: without its entry it is unknown whether it was wanted. */
static void take_return(struct ingest *ingest, const struct probe_stream_ref *ref,
			const struct event_record *record)
{
	struct probe_pairs *pairs = ingest->hits->pairs;
	const struct probe_reading *reading = ref->generation->reading;
	const struct pair_end end = end_of(ref, record);
	const struct probe_pending *entry = probe_pairs_leave(pairs, &end);
	struct event_record begin;

	if (entry && entry->passed < ref->row->spec->middle_count) {
		probe_pairs_miss(pairs, ref->slot);	/* it left out a point, so both are over */
		probe_pairs_miss(pairs, ref->slot);
		return;
	}
	if (!entry || entry->generation != ref->generation->number ||
	    record_parse(&reading->entry.format, entry->bytes, entry->bytes_count, &begin)) {
		if (entry)
			probe_pairs_miss(pairs, ref->slot);	/* entry of an older generation */
		if (misses_entry(ref))
			probe_pairs_miss(pairs, ref->slot);
		return;
	}
	inside_end(ingest, ref->slot, entry->number, record->time_ns,
		   record->time_ns - begin.time_ns);
	take_hit(ingest, &(struct hit){
		.row = ref->row, .slot = ref->slot, .reading = reading,
		.begin_stream = &reading->entry, .end_stream = ref->stream,
		.begin = &begin, .end = record, .raw = entry->bytes, .size = entry->bytes_count,
		.latency_ns = (int64_t)(record->time_ns - begin.time_ns),
		.passed_ns = entry->passed_ns,
	});
}

/* A hit of a point between the first and the last. */
static void take_middle(struct ingest *ingest, const struct probe_stream_ref *ref,
			const struct event_record *record)
{
	struct probe_pairs *pairs = ingest->hits->pairs;
	const struct pair_end end = end_of(ref, record);

	if (!probe_pairs_pass(pairs, &end, ref->middle - 1, ref->generation->number) &&
	    misses_entry(ref))
		probe_pairs_miss(pairs, ref->slot);
}

static void take_end(struct ingest *ingest, const struct probe_stream_ref *ref,
		     const struct event_record *record, const void *raw, size_t size)
{
	const struct probe_spec *spec = ref->row->spec;
	const bool wanted = is_wanted(ingest, ref->generation->reading, ref->slot, record);
	/* From a place to itself there is one stream: its hits end what its hits begin. */
	const bool ends = ref->is_leave || !ref->generation->reading->leave.id_count;
	struct pair_end end;

	if (ref->middle && (wanted || spec->on_count))
		take_middle(ingest, ref, record);

	if (ends && (wanted || spec->on_count))
		take_return(ingest, ref, record);
	if (!ref->is_leave && !ref->middle && wanted) {
		end = end_of(ref, record);
		probe_pairs_enter(ingest->hits->pairs, &end, ref->generation->number, raw, size);
	}
	count_unpaired(ingest, record->time_ns);
}

static void pass_lost(const struct ingest *ingest, const struct probe_row *row, uint64_t count)
{
	if (count && ingest->tee)
		ingest->tee->hits_lost(ingest->tee->owner, ingest, row->event, count);
}

/* Before Linux 6.0 only LOST records have the count: the probe engine reads no descriptors then. */
static void lose_hits(struct ingest *ingest, const struct probe_stream_ref *ref,
		      const struct event_record *record)
{
	probe_pairs_lost(ingest->hits->pairs, record->time_ns);
	ingest->counters.lost_recorded += record->lost.count;
	if (ref->stream->format.read_format & PERF_FORMAT_LOST)
		return;
	ingest->counters.lost_kernel += record->lost.count;
	pass_lost(ingest, ref->row, record->lost.count);
}

void probe_records_apply(struct ingest *ingest, const void *raw, size_t size)
{
	struct probe_stream_ref ref;
	struct event_record record;
	uint64_t id;

	if (!peek_id(raw, size, &id) || !probe_hits_find(ingest->hits, id, &ref) ||
	    record_parse(&ref.stream->format, raw, size, &record))
		return;		/* its probe was removed meanwhile */
	if (record.kind == RECORD_LOST)
		lose_hits(ingest, &ref, &record);
	if (record.kind != RECORD_SAMPLE || record.time_ns > ref.generation->ignore_ns)
		return;
	if (ref.row->spec->edge == PROBE_LATENCY) {
		take_end(ingest, &ref, &record, raw, size);
		return;
	}
	if (!is_wanted(ingest, ref.generation->reading, ref.slot, &record))
		return;
	take_hit(ingest, &(struct hit){
		.row = ref.row, .slot = ref.slot, .reading = ref.generation->reading,
		.begin_stream = ref.stream, .end_stream = ref.stream,
		.begin = &record, .end = &record, .raw = raw, .size = size, .latency_ns = -1,
	});
}

bool probe_records_lose_recorded(struct ingest *ingest, const struct event_record *record)
{
	struct probe_row *row = probe_hits_of_recorded(ingest->hits, record->event);

	if (!row || row->event < PROBE_EVENT_FIRST)
		return false;
	ingest->counters.lost_recorded += record->lost.count;
	row->status.lost += record->lost.count;
	pass_lost(ingest, row, record->lost.count);
	return true;
}

bool probe_records_take_recorded(struct ingest *ingest, const struct event_record *record,
				 const void *raw, size_t size)
{
	struct probe_row *row = probe_hits_of_recorded(ingest->hits, record->event);
	struct event_record begin = *record;
	struct hit hit = { .row = row, .begin = &begin, .end = record, .raw = raw, .size = size,
			   .latency_ns = -1 };

	if (!row || row->event < PROBE_EVENT_FIRST)
		return false;
	hit.slot = row->event - PROBE_EVENT_FIRST;
	hit.reading = row->generations[row->newest].reading;
	hit.begin_stream = hit.end_stream = &hit.reading->entry;
	if (row->spec->edge == PROBE_LATENCY && record->sample.weight <= record->time_ns) {
		hit.latency_ns = (int64_t)record->sample.weight;
		begin.time_ns -= record->sample.weight;
	}
	take_hit(ingest, &hit);
	return true;
}

void probe_records_thread_gone(struct ingest *ingest, const struct event_record *record)
{
	if (!ingest->hits)
		return;
	probe_pairs_gone(ingest->hits->pairs, probe_pairs_thread(record->tid, record->cpu),
			 record->kind == RECORD_COMM);
	count_unpaired(ingest, record->time_ns);
}

void probe_records_mark_targets(struct ingest *ingest)
{
	for (uint32_t slot = 0; ingest->hits && slot < PROBE_SLOTS; slot++) {
		const struct probe_row *row = &ingest->hits->rows[slot];
		const struct probe_reading *reading = row->generations[row->newest].reading;
		struct process *process;

		if (!reading || !reading->pid)
			continue;
		process = task_table_process(&ingest->tasks, reading->pid);
		if (process)
			process->probes |= UINT64_C(1) << slot;
	}
}

struct counts_of {
	const struct probe_values *values;
	const struct hit_tuples *tuples;
	uint32_t probe;
	uint16_t event;
};

static bool is_of_probe(const void *context, const struct slice_entry *entry)
{
	const struct counts_of *of = context;

	if (slice_entry_has_tuple(entry))
		return of->tuples->rows[slice_entry_tuple(entry)].probe == of->probe;
	return entry->event == of->event ||
	       (entry->event == EVENT_OF_VALUES && of->values->rows[entry->stack].probe ==
		of->probe);
}

static void remove_probe(struct ingest *ingest, uint32_t slot)
{
	struct probe_hits *hits = ingest->hits;
	const struct counts_of of = {
		.values = &hits->values, .tuples = &hits->tuples, .probe = hits->rows[slot].id,
		.event = hits->rows[slot].event,
	};

	pending_drop(ingest, of.event);
	timeline_drop(&ingest->timeline, is_of_probe, &of);
	baseline_drop(&ingest->baseline, is_of_probe, &of);
	tick_totals_drop(&ingest->timeline.totals, of.event);
	for (uint32_t i = 0; i < ingest->tasks.process_count; i++)
		ingest->tasks.processes[i].probes &= ~(UINT64_C(1) << slot);
	probe_hits_remove(hits, slot);
	count_unpaired(ingest, ingest->watermark_ns);
}

/* Whether the probe is detached: no returns of pending entries will come. */
static bool has_ended(enum probe_state state)
{
	return state != PROBE_ATTACHING && state != PROBE_ATTACHED && state != PROBE_DETACHING;
}

/* Number of hits that the kernel had no room for since the last event. */
static uint64_t more_lost(const struct probe_hits *hits, const struct engine_event *event)
{
	const struct probe_row *row = event->slot < PROBE_SLOTS ? &hits->rows[event->slot] : NULL;

	return row && row->id == event->probe && event->status.lost > row->status.lost
	       ? event->status.lost - row->status.lost : 0;
}

/* Number of hits that were filtered in the kernel since the last event. */
static uint64_t more_filtered(const struct probe_hits *hits, const struct engine_event *event)
{
	const struct probe_row *row = event->slot < PROBE_SLOTS ? &hits->rows[event->slot] : NULL;

	return row && row->id == event->probe && event->status.filtered > row->status.filtered
	       ? event->status.filtered - row->status.filtered : 0;
}

static void count_filtered(struct ingest *ingest, const struct probe_row *row, uint64_t filtered)
{
	uint32_t mark;

	if (!filtered)
		return;
	mark = probe_values_mark(&ingest->hits->values, row->id, 0, VALUE_FILTERED);
	for (; filtered > UINT32_MAX; filtered -= UINT32_MAX)
		hit_values_add(ingest, ingest->watermark_ns, mark, UINT32_MAX);
	hit_values_add(ingest, ingest->watermark_ns, mark, (uint32_t)filtered);
}

bool probe_records_event(struct ingest *ingest, struct engine_event *event)
{
	const enum engine_event_kind kind = event->kind;
	const struct probe_row *row;
	bool drops_counts = kind == ENGINE_EVENT_REMOVED;
	uint64_t filtered = 0, lost = 0;

	if (!ingest->hits)
		ingest->hits = probe_hits_create();
	if (!ingest->hits) {
		ingest->counters.dropped_no_memory++;
		probe_reading_destroy(event->reading);
		free(event->spec);
		return false;
	}
	if (kind == ENGINE_EVENT_ADDED && event->slot < PROBE_SLOTS &&
	    ingest->hits->rows[event->slot].id) {
		remove_probe(ingest, event->slot);
		drops_counts = true;
	}
	if (kind == ENGINE_EVENT_STATUS) {
		filtered = more_filtered(ingest->hits, event);
		lost = more_lost(ingest->hits, event);
	}
	row = probe_hits_take(ingest->hits, event);
	if (!row)
		return drops_counts;
	count_filtered(ingest, row, filtered);
	pass_lost(ingest, row, lost);
	if (kind == ENGINE_EVENT_READING)
		probe_records_mark_targets(ingest);
	if (kind == ENGINE_EVENT_STATUS && has_ended(event->status.state)) {
		probe_pairs_drop(ingest->hits->pairs, event->slot);
		count_unpaired(ingest, ingest->watermark_ns);
	}
	if (kind == ENGINE_EVENT_REMOVED)
		remove_probe(ingest, event->slot);
	return drops_counts;
}
