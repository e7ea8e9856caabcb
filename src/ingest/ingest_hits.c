/* ingest_hits.c - records of probes -> hits, counted as samples of the probe's event, and their
 * values.
 *
 *	record of an entry   -> waits for its return (probe_pairs.c), if latency is measured
 *	record of a return   -> one hit with its entry: the entry's task and stack, its own time
 *	any other            -> a hit
 *	hit -> of the wanted process? -> condition? -> values, log -> ingest_sample()
 *
 * Records carry perf event ids, so that each is decoded as it was made, whatever became of its
 * probe since then.
 *
 * Invariant: each record of a probe is part of a hit, or counted as unpaired, filtered or
 * flametop's own, or later than the request to switch the probe off, or of a process that is no
 * target of the probe.
 */
#include <arpa/inet.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/ingest.h"
#include "ingest/latency_bucket.h"

/* A hit while it is decoded and counted. */
struct hit {
	struct probe_row *row;
	uint32_t slot;
	const struct probe_reading *reading;
	const struct probe_stream *begin_stream, *end_stream;
	const struct event_record *begin;	/* gives task and stack */
	const struct event_record *end;		/* gives the time; often equal to begin */
	const void *raw;			/* record of begin */
	size_t size;
	int64_t latency_ns;			/* < 0: none */
	const struct thread *thread;		/* NULL: not known */
	struct probe_value values[PROBE_VALUES_MAX];
};

/* Storage for texts formatted from a hit's values. */
struct hit_texts {
	char of[PROBE_VALUES_MAX][PROBE_TEXT_BYTES_MAX];
};

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
		probe_pairs_lost(&ingest->hits->pairs, ingest->hits->newest_ns);
	return true;
}

bool ingest_hit_push(struct ingest *ingest, const void *raw, size_t size, uint32_t cpu)
{
	const struct ingest_ring ring = { .event = INGEST_HIT_EVENT, .cpu = cpu };
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
		ingest_look_ahead(ingest, &record);
	ingest_put_in_order(ingest, &ref.stream->format, raw, &ring, record.time_ns);
	return true;
}

uint64_t ingest_hit_limit_ns(const struct ingest *ingest)
{
	return ingest->hits && ingest->hits->has_rings ? ingest->hits->limit_ns : UINT64_MAX;
}

/* Counts a value, as an entry that is no sample. */
static void count_value(struct ingest *ingest, uint64_t time_ns, uint32_t id, uint32_t count)
{
	const struct slice_entry entry = {
		.event = EVENT_OF_VALUES, .stack = id, .count = count, .cpu = SLICE_CPU_UNKNOWN,
	};

	if (id == ID_SET_NONE || timeline_add(&ingest->timeline, time_ns, &entry, NULL))
		ingest->counters.dropped_no_memory++;
}

static void count_unpaired(struct ingest *ingest, uint64_t time_ns)
{
	struct probe_hits *hits = ingest->hits;
	struct probe_pairs *pairs = &hits->pairs;

	while (pairs->unpaired_slots) {
		const int slot = __builtin_ctzll(pairs->unpaired_slots);
		const uint32_t count = pairs->unpaired[slot];

		pairs->unpaired[slot] = 0;
		pairs->unpaired_slots &= pairs->unpaired_slots - 1;
		if (hits->rows[slot].id)
			count_value(ingest, time_ns,
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

/* Reads a value. @text[PROBE_TEXT_BYTES_MAX]: storage for a formatted text, for as long as @out. */
static void read_value(const struct hit *hit, const struct probe_column *column,
		       struct probe_value *out, char *text)
{
	const struct probe_stream *stream = column->is_return ? hit->end_stream
							      : hit->begin_stream;
	const struct event_record *record = column->is_return ? hit->end : hit->begin;
	struct raw_value raw;

	*out = (struct probe_value){ .is_known = false };
	if (!raw_fields_read(&stream->fields, column->field, &record->sample, &raw))
		return;
	*out = (struct probe_value){
		.is_known = true, .is_text = raw.is_text, .is_signed = raw.is_signed,
		.number = raw.number, .text = raw.text, .text_bytes = raw.text_bytes,
	};
	if (column->meaning == MEANING_PORT) {
		out->number = ntohs((uint16_t)raw.number);
	} else if (probe_meaning_is_text(column->meaning)) {
		out->is_text = true;
		out->text = text;
		out->text_bytes = probe_meaning_write(column->meaning,
						      &stream->fields.list[column->field], &raw,
						      text, PROBE_TEXT_BYTES_MAX);
		out->is_known = out->text_bytes || column->meaning == MEANING_STATEMENT;
	}
}

/* Reads the values of @hit; they refer to @texts, which must live as long as @hit. */
static void read_values(struct hit *hit, struct hit_texts *texts)
{
	for (uint32_t i = 0; i < hit->reading->column_count; i++)
		read_value(hit, &hit->reading->columns[i], &hit->values[i], texts->of[i]);
}

/* Resolves values that are addresses to (object, address), while the present maps are known. */
static void find_places(struct ingest *ingest, struct hit *hit)
{
	const struct process *process = NULL;

	for (uint32_t i = 0; i < hit->reading->column_count; i++) {
		struct probe_value *value = &hit->values[i];
		const struct mapping *row;

		if (hit->reading->columns[i].kind != VALUE_SYMBOL || !value->is_known ||
		    value->is_text || value->number >= UINT64_C(1) << 63)
			continue;
		process = process ? process
				  : task_table_find_process(&ingest->tasks, hit->begin->pid);
		row = process && process->maps ? address_map_find(process->maps, value->number)
					       : NULL;
		if (!row)
			continue;
		value->object = object_table_current(&ingest->objects, row->object);
		value->serial = ingest->objects.objects[value->object].serial;
		value->number = mapping_frame_address(row, value->number);
	}
}

static const struct probe_value *value_of(const struct hit *hit, const char *name)
{
	for (uint32_t i = 0; i < hit->reading->column_count; i++)
		if (!strcmp(hit->reading->columns[i].name, name))
			return &hit->values[i];
	return NULL;
}

static const struct probe_value *returned(const struct hit *hit, const char *name)
{
	const struct probe_value *value = value_of(hit, name);

	for (uint32_t i = 0; !value && i < hit->reading->column_count; i++)
		if (hit->reading->columns[i].is_return)
			value = &hit->values[i];
	return value;
}

static struct probe_value number(uint64_t value)
{
	return (struct probe_value){ .is_known = true, .number = value };
}

static void look_up(const void *context, enum probe_operand operand, const char *name,
		    struct probe_value *out)
{
	const struct hit *hit = context;
	const struct probe_value *value = NULL;

	*out = (struct probe_value){ .is_known = false };
	switch (operand) {
	case OPERAND_VALUE:
		value = value_of(hit, name);
		break;
	case OPERAND_RETURN:
		value = returned(hit, name);
		break;
	case OPERAND_COMM:
		if (hit->thread && hit->thread->has_comm)
			*out = (struct probe_value){
				.is_known = true, .is_text = true, .text = hit->thread->comm,
				.text_bytes = hit->thread->comm_len,
			};
		break;
	case OPERAND_PID:
		*out = number(hit->begin->pid);
		break;
	case OPERAND_TID:
		*out = number(hit->begin->tid);
		break;
	case OPERAND_CPU:
		*out = number(hit->begin->cpu);
		break;
	case OPERAND_LATENCY:
		if (hit->latency_ns >= 0)
			*out = number((uint64_t)hit->latency_ns);
		break;
	}
	if (value)
		*out = *value;
}

static uint32_t intern(struct probe_values *values, uint32_t probe, uint8_t column,
		       const struct probe_value *value)
{
	if (!value->is_known)
		return probe_values_mark(values, probe, column, VALUE_UNKNOWN);
	if (value->is_text)
		return probe_values_text(values, probe, column, value->text, value->text_bytes);
	if (value->object)
		return probe_values_place(values, probe, column, value);
	return probe_values_number(values, probe, column, value->is_signed, value->number);
}

static void count_values(struct ingest *ingest, const struct hit *hit)
{
	for (uint32_t i = 0; i < hit->reading->column_count; i++)
		count_value(ingest, hit->end->time_ns,
			    intern(&ingest->hits->values, hit->row->id, (uint8_t)i,
				   &hit->values[i]), 1);
}

/* Returns the line's number, for its stack; 0: there is no line. */
static uint64_t log_hit(const struct hit *hit)
{
	const struct thread *thread = hit->thread;
	struct hit_line line = {
		.time_ns = hit->end->time_ns, .latency_ns = hit->latency_ns,
		.cpu = hit->end->cpu, .pid = hit->begin->pid, .tid = hit->begin->tid,
	};

	if (thread && thread->has_comm) {
		line.comm_bytes = thread->comm_len;
		memcpy(line.comm, thread->comm, thread->comm_len);
	}
	return hit_log_add(&hit->row->log, &line, hit->values, hit->reading->column_count);
}

/* The raw record of a return names its function; the sample's address is in the caller. */
static uint64_t leaf_of(const struct hit *hit)
{
	const struct raw_fields *fields = &hit->begin_stream->fields;
	struct raw_value func;

	if (hit->row->spec->edge != PROBE_RETURN ||
	    !raw_fields_read(fields, raw_fields_find(fields, "__probe_func"),
			     &hit->begin->sample, &func))
		return 0;
	return func.number;
}

/* Whether the task of the entry is flametop's own: a return may be another task's. */
static bool is_own(const struct ingest *ingest, const struct hit *hit)
{
	const struct process *process = task_table_find_process(&ingest->tasks, hit->begin->pid);

	return process && hit->thread && task_is_own(process, hit->thread, hit->begin->time_ns);
}

static void take_hit(struct ingest *ingest, struct hit *hit)
{
	const struct probe_reading *reading = hit->reading;
	struct sample_form form = {
		.format = hit->begin_stream->format, .is_hit = true,
		.event = hit->row->event, .time_ns = hit->end->time_ns,
		.leaf_ip = leaf_of(hit),
	};
	struct hit_texts texts;

	hit->thread = task_table_find_thread(&ingest->tasks, hit->begin->tid);
	if (is_own(ingest, hit)) {
		ingest->counters.left_out_own++;
		return;
	}
	read_values(hit, &texts);
	if (reading->condition.count &&
	    !probe_condition_holds(&reading->condition, look_up, hit)) {
		count_value(ingest, hit->end->time_ns,
			    probe_values_mark(&ingest->hits->values, hit->row->id, 0,
					      VALUE_FILTERED), 1);
		return;
	}
	if (hit->latency_ns >= 0) {
		form.bucket = latency_bucket((uint64_t)hit->latency_ns);
		probe_peaks_add(&hit->row->peaks, hit->end->time_ns, (uint64_t)hit->latency_ns);
	}
	find_places(ingest, hit);
	form.number = log_hit(hit);
	count_values(ingest, hit);
	form.line = ingest_line_begin(ingest, hit->end, hit->latency_ns, hit->values,
				      reading->column_count);
	ingest_sample(ingest, hit->begin, &form, hit->raw, hit->size, false);
	ingest_line_end(ingest, form.line);
}

void ingest_hit_fields(struct ingest *ingest, const struct event_record *record,
		       const struct slice_entry *entry)
{
	struct probe_row *row = probe_hits_of_recorded(ingest->hits, entry->event);
	struct hit_texts texts;
	struct hit hit = { .row = row, .begin = record, .end = record, .latency_ns = -1 };

	if (!row) {
		ingest_line_of_sample(ingest, record, entry, NULL, 0);
		return;
	}
	hit.reading = row->generations[row->newest].reading;
	hit.begin_stream = hit.end_stream = &hit.reading->entry;
	hit.thread = task_table_find_thread(&ingest->tasks, record->tid);
	read_values(&hit, &texts);
	find_places(ingest, &hit);
	hit_log_set_stack(&row->log, log_hit(&hit), entry->stack);
	count_values(ingest, &hit);
	ingest_line_of_sample(ingest, record, entry, hit.values, hit.reading->column_count);
}

/* Returns 0 if it is not known. */
static uint64_t number_in(const struct probe_stream *stream, int field,
			  const struct event_record *record)
{
	struct raw_value value;

	return raw_fields_read(&stream->fields, field, &record->sample, &value) ? value.number : 0;
}

/* Hash of the fields by which tracepoints are paired. */
static uint64_t key_of(const struct probe_stream *stream, const struct event_record *record,
		       const int *fields, uint32_t count)
{
	uint64_t key = count;

	for (uint32_t i = 0; i < count; i++) {
		struct raw_value value = { .number = UINT64_MAX };

		raw_fields_read(&stream->fields, fields[i], &record->sample, &value);
		if (value.is_text)
			for (size_t at = 0; at < value.text_bytes; at++)
				key = id_set_mix(key, (unsigned char)value.text[at]);
		else
			key = id_set_mix(key, value.number);
	}
	return key;
}

static struct pair_end end_of(const struct probe_stream_ref *ref,
			      const struct event_record *record)
{
	const struct probe_spec *spec = ref->row->spec;
	struct pair_end end = { .slot = ref->slot, .time_ns = record->time_ns };

	end.order = spec->kind == PROBE_TRACEPOINT ? PAIR_BY_KEY : PAIR_NESTED;
	if (spec->key_count) {
		end.key = key_of(ref->stream, record,
				 ref->is_leave ? ref->generation->leave_keys
					       : ref->generation->entry_keys, spec->key_count);
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

	return ref->is_leave && !reading->has_filtered_entries &&
	       !(reading->pid && ref->row->spec->key_count);
}

/* Pairs a return with its entry. Where pairs are formed by other fields than the thread, the return
 * may be another process's: without its entry it is unknown whether it was wanted. */
static void take_return(struct ingest *ingest, const struct probe_stream_ref *ref,
			const struct event_record *record)
{
	struct probe_pairs *pairs = &ingest->hits->pairs;
	const struct probe_reading *reading = ref->generation->reading;
	const struct pair_end end = end_of(ref, record);
	const struct probe_pending *entry = probe_pairs_leave(pairs, &end);
	struct event_record begin;

	if (!entry || entry->generation != ref->generation->number ||
	    record_parse(&reading->entry.format, entry->bytes, entry->bytes_count, &begin)) {
		if (entry)
			probe_pairs_miss(pairs, ref->slot);	/* entry of an older generation */
		if (misses_entry(ref))
			probe_pairs_miss(pairs, ref->slot);
		return;
	}
	take_hit(ingest, &(struct hit){
		.row = ref->row, .slot = ref->slot, .reading = reading,
		.begin_stream = &reading->entry, .end_stream = ref->stream,
		.begin = &begin, .end = record, .raw = entry->bytes, .size = entry->bytes_count,
		.latency_ns = (int64_t)(record->time_ns - begin.time_ns),
	});
}

static void take_end(struct ingest *ingest, const struct probe_stream_ref *ref,
		     const struct event_record *record, const void *raw, size_t size)
{
	const struct probe_spec *spec = ref->row->spec;
	const bool wanted = is_wanted(ingest, ref->generation->reading, ref->slot, record);
	const bool ends = ref->is_leave || probe_spec_is_interval(spec);
	struct pair_end end;

	if (ends && (wanted || spec->key_count))
		take_return(ingest, ref, record);
	if (!ref->is_leave && wanted) {
		end = end_of(ref, record);
		probe_pairs_enter(&ingest->hits->pairs, &end, ref->generation->number, raw, size);
	}
	count_unpaired(ingest, record->time_ns);
}

/* Before Linux 6.0 only LOST records have the count: the probe engine reads no descriptors then. */
static void lose_hits(struct ingest *ingest, const struct probe_stream_ref *ref,
		      const struct event_record *record)
{
	probe_pairs_lost(&ingest->hits->pairs, record->time_ns);
	ingest->counters.lost_recorded += record->lost.count;
	if (!(ref->stream->format.read_format & PERF_FORMAT_LOST))
		ingest->counters.lost_kernel += record->lost.count;
}

void ingest_hit(struct ingest *ingest, const void *raw, size_t size)
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

uint64_t ingest_hit_return_address(const struct ingest *ingest, const struct event_record *record,
				   const struct probe_calls *calls, uint64_t slot,
				   uint64_t replaced)
{
	if (calls)
		return probe_calls_return_address(calls, slot, replaced, record->time_ns);
	if (!ingest->hits)
		return 0;
	return probe_pairs_return_address(&ingest->hits->pairs,
					  probe_pairs_thread(record->tid, record->cpu), slot,
					  replaced, record->time_ns);
}

void ingest_hit_calls(const struct ingest *ingest, const struct event_record *record,
		      struct probe_calls *out)
{
	*out = (struct probe_calls){ .count = 0 };
	if (ingest->hits)
		probe_pairs_copy_calls(&ingest->hits->pairs,
				       probe_pairs_thread(record->tid, record->cpu), out);
}

void ingest_hit_stack(struct ingest *ingest, const struct sample_form *form, uint32_t stack)
{
	struct probe_row *row = probe_hits_of_event(ingest->hits, form->event);

	if (row)
		hit_log_set_stack(&row->log, form->number, stack);
}

void ingest_hit_gone(struct ingest *ingest, const struct event_record *record)
{
	if (!ingest->hits)
		return;
	probe_pairs_gone(&ingest->hits->pairs, probe_pairs_thread(record->tid, record->cpu),
			 record->kind == RECORD_COMM);
	count_unpaired(ingest, record->time_ns);
}

void ingest_hit_targets(struct ingest *ingest)
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

static void drop_parked(struct ingest *ingest, uint16_t event)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < ingest->parked_count; i++) {
		if (ingest->parked[i].form.event == event)
			ingest_park_finish(ingest, &ingest->parked[i]);
		else
			ingest->parked[kept++] = ingest->parked[i];
	}
	ingest->parked_count = kept;
}

struct counts_of {
	const struct probe_values *values;
	uint32_t probe;
	uint16_t event;
};

static bool is_of_probe(const void *context, const struct slice_entry *entry)
{
	const struct counts_of *of = context;

	return entry->event == of->event ||
	       (entry->event == EVENT_OF_VALUES && of->values->rows[entry->stack].probe ==
		of->probe);
}

static void remove_probe(struct ingest *ingest, uint32_t slot)
{
	struct probe_hits *hits = ingest->hits;
	const struct counts_of of = {
		.values = &hits->values, .probe = hits->rows[slot].id,
		.event = hits->rows[slot].event,
	};

	drop_parked(ingest, of.event);
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

/* Number of hits that were filtered in the kernel since the last news. */
static uint64_t more_filtered(const struct probe_hits *hits, const struct probe_news *news)
{
	const struct probe_row *row = news->slot < PROBE_SLOTS ? &hits->rows[news->slot] : NULL;

	return row && row->id == news->probe && news->status.filtered > row->status.filtered
	       ? news->status.filtered - row->status.filtered : 0;
}

static void count_filtered(struct ingest *ingest, const struct probe_row *row, uint64_t filtered)
{
	uint32_t mark;

	if (!filtered)
		return;
	mark = probe_values_mark(&ingest->hits->values, row->id, 0, VALUE_FILTERED);
	for (; filtered > UINT32_MAX; filtered -= UINT32_MAX)
		count_value(ingest, ingest->watermark_ns, mark, UINT32_MAX);
	count_value(ingest, ingest->watermark_ns, mark, (uint32_t)filtered);
}

bool ingest_hit_news(struct ingest *ingest, struct probe_news *news)
{
	const enum probe_news_kind kind = news->kind;
	const struct probe_row *row;
	bool drops_counts = kind == PROBE_NEWS_REMOVED;
	uint64_t filtered = 0;

	if (!ingest->hits)
		ingest->hits = probe_hits_create();
	if (!ingest->hits) {
		ingest->counters.dropped_no_memory++;
		probe_reading_destroy(news->reading);
		free(news->spec);
		return false;
	}
	if (kind == PROBE_NEWS_ADDED && news->slot < PROBE_SLOTS &&
	    ingest->hits->rows[news->slot].id) {
		remove_probe(ingest, news->slot);
		drops_counts = true;
	}
	if (kind == PROBE_NEWS_STATUS)
		filtered = more_filtered(ingest->hits, news);
	row = probe_hits_take(ingest->hits, news);
	if (!row)
		return drops_counts;
	count_filtered(ingest, row, filtered);
	if (kind == PROBE_NEWS_READING)
		ingest_hit_targets(ingest);
	if (kind == PROBE_NEWS_STATUS && has_ended(news->status.state)) {
		probe_pairs_drop(&ingest->hits->pairs, news->slot);
		count_unpaired(ingest, ingest->watermark_ns);
	}
	if (kind == PROBE_NEWS_REMOVED)
		remove_probe(ingest, news->slot);
	return drops_counts;
}
