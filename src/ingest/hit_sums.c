/* hit_sums.c - see hit_sums.h. */
#include "hit_sums.h"

#include <stdlib.h>
#include <string.h>

#include "probe/probe_expression.h"

/* Columns of values that are keys of `by` without being values of the probe: 255 - kind. */
static uint8_t column_of_key(enum probe_key_kind kind)
{
	return (uint8_t)(UINT8_MAX - kind);
}

static const struct probe_value *value_of_argument(const struct hit *hit, uint32_t argument)
{
	const char *name = hit->row->spec->arguments[argument].name;

	for (uint32_t i = 0; i < hit->reading->column_count; i++)
		if (!strcmp(hit->reading->columns[i].name, name))
			return &hit->values[i];
	return NULL;
}

static bool look_up(const void *context, uint32_t argument, int64_t *out)
{
	const struct probe_value *value = value_of_argument(context, argument);

	if (!value || !value->is_known || value->is_text)
		return false;
	*out = (int64_t)value->number;
	return true;
}

/* Returns the id of the value of @argument; HIT_KEY_OTHER: out of memory. */
static uint32_t id_of_argument(struct ingest *ingest, const struct hit *hit, uint32_t argument)
{
	const struct probe_value *value = value_of_argument(hit, argument);
	const uint8_t column = value ? (uint8_t)(value - hit->values) : 0;
	const uint32_t id = hit_values_intern(&ingest->hits->keys, hit->row->id, column, value);

	return id == ID_SET_NONE ? HIT_KEY_OTHER : id;
}

/* Adds what @aggregate gets from @hit, if its value is known. */
static void add_part(struct ingest *ingest, struct hit_sums *sums, const struct hit *hit,
		     uint32_t aggregate)
{
	const struct probe_aggregate *spec = &hit->row->spec->aggregates[aggregate];
	struct hit_part *part = &sums->parts[sums->part_count];
	const bool is_value = spec->kind == AGGREGATE_TOP && spec->value.count == 1 &&
			      spec->value.terms[0].kind == TERM_VALUE;

	*part = (struct hit_part){ .aggregate = (uint8_t)aggregate, .top = HIT_KEY_NONE };
	if (spec->kind == AGGREGATE_COUNT)
		return;
	if (is_value) {		/* a text, too */
		part->top = id_of_argument(ingest, hit, spec->value.terms[0].argument);
		sums->part_count++;
		return;
	}
	if (!probe_expression_value(&spec->value, look_up, hit, hit->latency_ns, &part->value))
		return;
	if (spec->kind == AGGREGATE_HIST || spec->kind == AGGREGATE_LHIST)
		part->bucket = probe_aggregate_bucket(spec, part->value);
	if (spec->kind == AGGREGATE_TOP)
		part->top = probe_values_number(&ingest->hits->keys, hit->row->id,
						(uint8_t)(UINT8_MAX - PROBE_KEY_KINDS - aggregate),
						true, (uint64_t)part->value);
	sums->part_count++;
}

static bool has_sums(const struct hit *hit)
{
	const struct probe_spec *spec = hit->row->spec;

	return spec && (spec->key_count || spec->aggregate_count || hit->latency_ns >= 0);
}

struct hit_sums *hit_sums_begin(struct ingest *ingest, const struct hit *hit)
{
	const struct probe_spec *spec = hit->row->spec;
	struct hit_sums *sums;

	if (!has_sums(hit))
		return NULL;
	sums = calloc(1, sizeof(*sums) + spec->aggregate_count * sizeof(sums->parts[0]));
	if (!sums) {
		ingest->counters.dropped_no_memory++;
		return NULL;
	}
	sums->slot = hit->slot;
	sums->probe = hit->row->id;
	for (uint32_t i = 0; i < PROBE_KEYS_MAX; i++)
		sums->keys[i] = i < spec->key_count && spec->keys[i].kind == PROBE_KEY_VALUE
				? id_of_argument(ingest, hit, spec->keys[i].argument)
				: HIT_KEY_NONE;
	if (hit->latency_ns >= 0) {
		sums->latency_ns = (uint64_t)hit->latency_ns;
		sums->bucket = latency_bucket(sums->latency_ns);
	}
	for (uint32_t i = 0; i < spec->aggregate_count; i++)
		add_part(ingest, sums, hit, i);
	return sums;
}

void hit_sums_end(struct hit_sums *sums)
{
	if (sums && !sums->is_pending)
		free(sums);
}

static uint32_t text_id(struct ingest *ingest, uint32_t probe, enum probe_key_kind kind,
			const char *text, size_t bytes)
{
	struct probe_values *values = &ingest->hits->keys;

	return bytes ? probe_values_text(values, probe, column_of_key(kind), text, bytes)
		     : probe_values_mark(values, probe, column_of_key(kind), VALUE_UNKNOWN);
}

static uint32_t number_id(struct ingest *ingest, uint32_t probe, enum probe_key_kind kind,
			  bool is_known, uint32_t number)
{
	struct probe_values *values = &ingest->hits->keys;

	return is_known ? probe_values_number(values, probe, column_of_key(kind), false, number)
			: probe_values_mark(values, probe, column_of_key(kind), VALUE_UNKNOWN);
}

/* Returns the id of the cgroup's name that @kind asks for; "-" where the task is in none. */
static uint32_t cgroup_id(struct ingest *ingest, uint32_t probe, enum probe_key_kind kind,
			  uint32_t task)
{
	const struct cgroup_names *names = task_table_cgroup(&ingest->tasks, task);
	const struct str_id id = kind == PROBE_KEY_CGROUP ? names->path
				 : kind == PROBE_KEY_UNIT ? names->unit : names->container;
	const char *text = strpool_get(ingest->strings, id);

	if (names->path.v && !text[0])
		text = "-";
	return text_id(ingest, probe, kind, text, strlen(text));
}

static uint32_t uid_id(struct ingest *ingest, uint32_t probe, uint32_t pid)
{
	const struct process *process = task_table_find_process(&ingest->tasks, pid);

	return number_id(ingest, probe, PROBE_KEY_UID, process && process->has_uid,
			 process ? process->uid : 0);
}

/* Returns the id of a key that is not a value of the probe; HIT_KEY_NONE: the stack has it. */
static uint32_t id_of_key(struct ingest *ingest, const struct hit_sums *sums,
			  enum probe_key_kind kind, const struct event_record *record,
			  const struct thread *thread, uint32_t task)
{
	const char *name = ingest->hits->rows[sums->slot].name;
	const uint32_t probe = sums->probe;
	uint32_t parent;

	switch (kind) {
	case PROBE_KEY_COMM:
		return text_id(ingest, probe, kind, thread->comm,
			       thread->has_comm ? thread->comm_len : 0);
	case PROBE_KEY_PID:
		return number_id(ingest, probe, kind, true, record->pid);
	case PROBE_KEY_TID:
		return number_id(ingest, probe, kind, true, record->tid);
	case PROBE_KEY_PPID:
		parent = task_table_parent(&ingest->tasks, record->pid, record->time_ns);
		return number_id(ingest, probe, kind, parent != 0, parent);
	case PROBE_KEY_UID:
		return uid_id(ingest, probe, record->pid);
	case PROBE_KEY_CPU:
		return number_id(ingest, probe, kind, record->has_cpu, record->cpu);
	case PROBE_KEY_CGROUP:
	case PROBE_KEY_UNIT:
	case PROBE_KEY_CONTAINER:
		return cgroup_id(ingest, probe, kind, task);
	case PROBE_KEY_FUNC:
		return text_id(ingest, probe, kind, name, strlen(name));
	default:
		return HIT_KEY_NONE;
	}
}

static void add(struct ingest *ingest, const struct hit_sums *sums, const struct hit_tuple *tuple,
		const struct sample_form *form, const struct slice_entry *hit, uint32_t event,
		int64_t weight)
{
	const uint32_t number = hit_tuples_intern(&ingest->hits->tuples, sums->slot, tuple);
	struct slice_entry entry = {
		.task = hit->task, .stack = hit->stack, .count = 1, .weight = (uint64_t)weight,
	};

	slice_entry_set_event(&entry, event);
	if (number != ID_SET_NONE)
		slice_entry_set_tuple(&entry, number);
	if (number == ID_SET_NONE ||
	    timeline_add(&ingest->timeline, form->time_ns, &entry, NULL))
		ingest->counters.dropped_no_memory++;
}

static uint32_t event_of(enum probe_aggregate_kind kind)
{
	return kind == AGGREGATE_MIN   ? EVENT_OF_MINS
	       : kind == AGGREGATE_MAX ? EVENT_OF_MAXES : EVENT_OF_SUMS;
}

void hit_sums_count(struct ingest *ingest, const struct sample_form *form,
		    const struct event_record *record, const struct thread *thread,
		    const struct slice_entry *entry)
{
	const struct hit_sums *sums = form->sums;
	const struct probe_row *row = sums ? &ingest->hits->rows[sums->slot] : NULL;
	struct hit_tuple tuple;

	if (!sums || row->id != sums->probe)
		return;
	tuple = (struct hit_tuple){ .probe = sums->probe, .bucket = sums->bucket };
	for (size_t i = 0; i < HIT_KEYS_MAX; i++)
		tuple.keys[i] = i < PROBE_KEYS_MAX ? sums->keys[i] : HIT_KEY_NONE;
	for (uint32_t i = 0; i < row->spec->key_count; i++)
		if (row->spec->keys[i].kind != PROBE_KEY_VALUE)
			tuple.keys[i] = id_of_key(ingest, sums, row->spec->keys[i].kind, record,
						  thread, entry->task);
	add(ingest, sums, &tuple, form, entry, EVENT_OF_SUMS, (int64_t)sums->latency_ns);
	if (sums->bucket && (row->spec->key_count || row->spec->aggregate_count)) {
		tuple.sum = HIT_SUM_LONGEST;
		tuple.bucket = 0;
		add(ingest, sums, &tuple, form, entry, EVENT_OF_MAXES, (int64_t)sums->latency_ns);
	}
	for (uint32_t i = 0; i < sums->part_count; i++) {
		const struct hit_part *part = &sums->parts[i];

		tuple.sum = (uint8_t)(HIT_SUM_FIRST + part->aggregate);
		tuple.bucket = part->bucket;
		tuple.keys[PROBE_KEYS_MAX] = part->top;
		add(ingest, sums, &tuple, form, entry,
		    event_of(row->spec->aggregates[part->aggregate].kind), part->value);
	}
}

void hit_sums_mark(const struct hit_sums *sums, unsigned char *values)
{
	for (uint32_t i = 0; sums && i < PROBE_KEYS_MAX; i++)
		if (sums->keys[i] < HIT_KEY_OTHER)
			values[sums->keys[i]] = 1;
	for (uint32_t i = 0; sums && i < sums->part_count; i++)
		if (sums->parts[i].top < HIT_KEY_OTHER)
			values[sums->parts[i].top] = 1;
}

void hit_sums_renumber(struct hit_sums *sums, const uint32_t *new_value)
{
	for (uint32_t i = 0; sums && i < PROBE_KEYS_MAX; i++)
		if (sums->keys[i] < HIT_KEY_OTHER)
			sums->keys[i] = new_value[sums->keys[i]];
	for (uint32_t i = 0; sums && i < sums->part_count; i++)
		if (sums->parts[i].top < HIT_KEY_OTHER)
			sums->parts[i].top = new_value[sums->parts[i].top];
}
