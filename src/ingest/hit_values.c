/* hit_values.c - see hit_values.h. All of it happens while the maps and names of the hit's time are
 * known. */
#include "hit_values.h"

#include <arpa/inet.h>
#include <string.h>

void hit_values_add(struct ingest *ingest, uint64_t time_ns, uint32_t id, uint32_t count)
{
	const struct slice_entry entry = {
		.event = EVENT_OF_VALUES, .stack = id, .count = count, .cpu = SLICE_CPU_UNKNOWN,
	};

	if (id == ID_SET_NONE || timeline_add(&ingest->timeline, time_ns, &entry, NULL))
		ingest->counters.dropped_no_memory++;
}

/* Returns the time of @stage, counted from 1, up to the point that ends it. */
static uint64_t stage_ns(const struct hit *hit, uint32_t stage)
{
	const uint32_t middles = hit->row->spec->middle_count;
	const uint64_t from_ns = stage > 1 ? hit->passed_ns[stage - 2] : hit->begin->time_ns;

	return (stage > middles ? hit->end->time_ns : hit->passed_ns[stage - 1]) - from_ns;
}

/* Whether the record of a recorded hit has the value, as far as it says so. */
static bool is_recorded(const struct hit *hit, const struct probe_column *column)
{
	struct raw_value known;

	return !column->known_bit ||
	       (raw_fields_read(&hit->begin_stream->fields, hit->reading->known_field,
				&hit->begin->sample, &known) &&
		known.number >> (column->known_bit - 1) & 1);
}

/* Reads a value. @text[PROBE_TEXT_BYTES_MAX]: storage for a formatted text, for as long as @out. */
static void read_value(const struct hit *hit, const struct probe_column *column,
		       struct probe_value *out, char *text)
{
	const struct probe_stream *stream = column->is_return ? hit->end_stream
							      : hit->begin_stream;
	const struct event_record *record = column->is_return ? hit->end : hit->begin;
	int field = column->field;
	struct raw_value raw;

	*out = (struct probe_value){ .is_known = false };
	if (!is_recorded(hit, column))
		return;
	if (column->stage && !field) {
		if (hit->passed_ns)
			*out = (struct probe_value){ .is_known = true,
						     .number = stage_ns(hit, column->stage) };
		return;
	}
	if (!raw_fields_read(&stream->fields, field, &record->sample, &raw)) {
		stream = hit->end_stream;
		field = column->late_field;
		if (!field || !raw_fields_read(&stream->fields, field, &hit->end->sample, &raw))
			return;
	}
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
						      &stream->fields.list[field], &raw,
						      text, PROBE_TEXT_BYTES_MAX);
		out->is_known = out->text_bytes || column->meaning == MEANING_STATEMENT;
	}
}

void hit_values_read(struct hit *hit, struct hit_texts *texts)
{
	for (uint32_t i = 0; i < hit->reading->column_count; i++)
		read_value(hit, &hit->reading->columns[i], &hit->values[i], texts->of[i]);
}

/* Resolves values that are addresses to (DSO, address), while the present maps are known. */
static void find_places(struct ingest *ingest, struct hit *hit)
{
	for (uint32_t i = 0; i < hit->reading->column_count; i++) {
		const struct probe_column *column = &hit->reading->columns[i];
		struct probe_value *value = &hit->values[i];
		const struct process *process;
		const struct mapping *row;

		if (column->kind != VALUE_SYMBOL || !value->is_known || value->is_text ||
		    value->number >= UINT64_C(1) << 63)
			continue;
		process = task_table_find_process(&ingest->tasks, column->is_return
							  ? hit->end->pid : hit->begin->pid);
		row = process && process->maps ? process_maps_find(process->maps, value->number)
					       : NULL;
		if (!row)
			continue;
		value->dso = dso_table_current(&ingest->dsos, row->dso);
		value->serial = ingest->dsos.dsos[value->dso].serial;
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

uint32_t hit_values_intern(struct probe_values *values, uint32_t probe, uint8_t column,
			   const struct probe_value *value)
{
	if (!value || !value->is_known)
		return probe_values_mark(values, probe, column, VALUE_UNKNOWN);
	if (value->is_text)
		return probe_values_text(values, probe, column, value->text, value->text_bytes);
	if (value->dso)
		return probe_values_place(values, probe, column, value);
	return probe_values_number(values, probe, column, value->is_signed, value->number);
}

static void count_values(struct ingest *ingest, const struct hit *hit)
{
	for (uint32_t i = 0; i < hit->reading->column_count; i++)
		hit_values_add(ingest, hit->end->time_ns,
			    hit_values_intern(&ingest->hits->values, hit->row->id,
					      (uint8_t)i, &hit->values[i]), 1);
}

/* Returns the line's number, for its stack; 0: there is no line. */
static uint64_t log_hit(const struct ingest *ingest, const struct hit *hit)
{
	const struct thread *thread = hit->thread;
	struct hit_line line = {
		.time_ns = hit->end->time_ns, .latency_ns = hit->latency_ns,
		.cpu = hit->end->cpu, .pid = hit->begin->pid, .tid = hit->begin->tid,
		.parent_pid = task_table_parent(&ingest->tasks, hit->begin->pid,
						hit->end->time_ns),
	};

	if (thread && thread->has_comm) {
		line.comm_bytes = thread->comm_len;
		memcpy(line.comm, thread->comm, thread->comm_len);
	}
	return hit_log_add(&hit->row->log, &line, hit->values, hit->reading->column_count);
}

uint64_t hit_values_count(struct ingest *ingest, struct hit *hit)
{
	uint64_t line;

	find_places(ingest, hit);
	line = log_hit(ingest, hit);
	count_values(ingest, hit);
	return line;
}

bool hit_values_are_wanted(const struct hit *hit)
{
	const struct probe_condition *condition = &hit->reading->condition;

	return !condition->count || probe_condition_holds(condition, look_up, hit);
}

/* Counts the fields of a sample of the recorded event @row. Never inlined: it needs room for texts
 * on the stack, which a sample of another event must not pay for. */
__attribute__((noinline))
static void count_fields(struct ingest *ingest, struct probe_row *row,
			 const struct event_record *record, const struct slice_entry *entry)
{
	struct hit_texts texts;
	struct hit hit = { .row = row, .begin = record, .end = record, .latency_ns = -1 };

	hit.reading = row->generations[row->newest].reading;
	hit.begin_stream = hit.end_stream = &hit.reading->entry;
	hit.thread = task_table_find_thread(&ingest->tasks, record->tid);
	hit_values_read(&hit, &texts);
	hit_log_set_stack(&row->log, hit_values_count(ingest, &hit), entry->stack);
	event_lines_sample(&ingest->lines, record, entry, hit.values, hit.reading->column_count);
}

void hit_values_sample(struct ingest *ingest, const struct event_record *record,
		       const struct slice_entry *entry)
{
	struct probe_row *row = probe_hits_of_recorded(ingest->hits, entry->event);

	if (row)
		count_fields(ingest, row, record, entry);
	else if (ingest->lines.is_on)
		event_lines_sample(&ingest->lines, record, entry, NULL, 0);
}

void hit_values_stack(struct ingest *ingest, const struct sample_form *form, uint32_t stack)
{
	struct probe_row *row = probe_hits_of_event(ingest->hits, form->event);

	if (row)
		hit_log_set_stack(&row->log, form->number, stack);
}
