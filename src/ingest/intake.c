/* intake.c - see ingest/ingest.h. Brings the records of all rings into one time order, and passes
 * each to the part that it is for when its turn comes. */
#include "intake.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "capture/stack_copy.h"
#include "ingest/losses.h"
#include "ingest/waits.h"
#include "jit.h"
#include "kernel.h"
#include "mappings.h"
#include "on_cpu_times.h"
#include "pending.h"
#include "probe_records.h"
#include "requests.h"
#include "samples.h"
#include "tables.h"
#include "tasks.h"

void intake_look_at_config(struct ingest *ingest)
{
	ingest->wants_unwind = false;
	for (uint32_t i = 0; i < ingest->config.event_count; i++) {
		const struct record_format *format = &ingest->config.events[i]->format;

		if (format->sample_type & PERF_SAMPLE_STACK_USER || user_registers_have_lr(format))
			ingest->wants_unwind = true;
	}
	tasks_look_at_config(ingest);
	if (waits_look_at_config(ingest))
		ingest->counters.dropped_no_memory++;
	loss_sums_begin_clock(ingest);
	kernel_look_at_config(ingest);
}

/* False: out of memory; ingest_finish() frees what there is. */
static bool create_parts(struct ingest *ingest)
{
	ingest->intake = calloc(1, sizeof(*ingest->intake));
	ingest->reorder = calloc(1, sizeof(*ingest->reorder));
	ingest->losses = calloc(1, sizeof(*ingest->losses));
	ingest->task_reads = calloc(1, sizeof(*ingest->task_reads));
	ingest->requests = calloc(1, sizeof(*ingest->requests));
	ingest->kernel = kernel_create();
	ingest->jit = calloc(1, sizeof(*ingest->jit));
	ingest->tables = tables_create();
	ingest->stacks = stacks_create();
	ingest->pending = calloc(1, sizeof(*ingest->pending));
	ingest->samples = calloc(1, sizeof(*ingest->samples));
	if (ingest->reorder)
		reorder_init(ingest->reorder);
	return ingest->intake && ingest->reorder && ingest->losses && ingest->task_reads &&
	       ingest->requests && ingest->kernel && ingest->jit && ingest->tables &&
	       ingest->stacks && ingest->pending && ingest->samples;
}

int ingest_init(struct ingest *ingest, const struct ingest_config *config,
		struct dso_opener *opener, struct process_reader *reader, struct diag *why)
{
	memset(ingest, 0, sizeof(*ingest));
	if (config->event_count > TIMELINE_MAX_EVENTS)
		return diag_set(why, -E2BIG, "%u events: at most %d can be shown",
				config->event_count, TIMELINE_MAX_EVENTS);
	ingest->config = *config;
	ingest->opener = opener;
	ingest->reader = reader;
	ingest->sample_epoch = 1;	/* rows of samples and tasks are of epoch 0 */
	ingest->strings = strpool_create();
	if (!ingest->strings || !create_parts(ingest) ||
	    !(ingest->waits = waits_create(ingest->strings)) ||
	    dso_table_init(&ingest->dsos, ingest->strings) ||
	    stack_trie_init(&ingest->trie) ||
	    timeline_init(&ingest->timeline, config->event_count) ||
	    (config->is_replay && probe_hits_create_recorded(&ingest->hits, config->events,
							     config->event_count))) {
		ingest_finish(ingest);
		return diag_set(why, -ENOMEM, "no memory for the analyzer");
	}
	task_table_init(&ingest->tasks, ingest->strings);
	symbol_names_init(&ingest->names, &ingest->dsos, ingest->strings);
	intake_look_at_config(ingest);
	if (!config->is_replay && !config->can_wait)	/* stacks of threads have user code alone */
		kernel_request_names(ingest);
	return 0;
}

void ingest_finish(struct ingest *ingest)
{
	ingest_set_tee(ingest, NULL);
	ingest_set_keeper(ingest, NULL);
	pending_destroy(ingest);
	event_lines_finish(&ingest->lines);
	waits_destroy(ingest->waits);
	probe_hits_destroy(ingest->hits);
	requests_destroy(ingest->requests);
	jit_destroy(ingest->jit);
	stacks_destroy(ingest->stacks);
	losses_destroy(ingest->losses);
	task_reads_destroy(ingest->task_reads);
	kernel_destroy(ingest->kernel);
	if (ingest->reorder)
		reorder_finish(ingest->reorder);
	free(ingest->reorder);
	if (ingest->intake)
		read_growth_finish(&ingest->intake->growth);
	free(ingest->intake);
	free(ingest->samples);
	timeline_finish(&ingest->timeline);
	baseline_finish(&ingest->baseline);
	symbol_names_finish(&ingest->names);
	stack_trie_finish(&ingest->trie);
	task_table_finish(&ingest->tasks);
	dso_table_finish(&ingest->dsos);
	tables_destroy(ingest->tables);
	strpool_destroy(ingest->strings);
	memset(ingest, 0, sizeof(*ingest));
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Applies a record other than a sample. */
static void apply(struct ingest *ingest, const struct event_record *record, uint32_t cpu)
{
	switch (record->kind) {
	case RECORD_MMAP:
		mappings_mmap(ingest, record);
		break;
	case RECORD_COMM:
		task_table_set_comm(&ingest->tasks, record->pid, record->tid,
				    record->comm.comm.bytes, record->comm.comm.len,
				    record->comm.is_exec);
		if (record->comm.is_exec) {
			task_table_exec(&ingest->tasks, record->pid, record->time_ns);
			probe_records_thread_gone(ingest, record);
			stacks_thread_gone(ingest, record);
		}
		break;
	case RECORD_FORK:
		waits_thread_begins(ingest, record->tid);
		tasks_fork(ingest, record);
		break;
	case RECORD_EXIT:
		jit_exit(ingest, record);
		probe_records_thread_gone(ingest, record);
		stacks_thread_gone(ingest, record);
		/* A thread that got the number before this record's turn came begins anew with its
		 * next sample. */
		read_growth_forget(&ingest->intake->growth, record->tid);
		task_table_exit(&ingest->tasks, record->pid, record->tid, record->time_ns);
		break;
	case RECORD_LOST:
		waits_lost(ingest);
		if (!ingest->config.is_replay || !probe_records_lose_recorded(ingest, record))
			losses_record(ingest, record, cpu);
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		losses_record(ingest, record, cpu);
		break;
	case RECORD_KSYMBOL:
		kernel_ksymbol(ingest, record);
		break;
	case RECORD_CGROUP:
		tasks_cgroup(ingest, &record->cgroup);
		break;
	case RECORD_SAMPLE:
	case RECORD_BPF:	/* the KSYMBOL beside it says all that names need */
	case RECORD_OTHER:
		break;
	}
}

/* Applies a record other than a sample, in its turn. */
static void apply_and_pass(struct ingest *ingest, const struct event_record *record,
			   const void *raw, uint32_t cpu)
{
	const bool is_of_probe = record->kind == RECORD_LOST && ingest->config.is_replay &&
				 ingest->config.events[record->event]->probe;

	if (ingest->tee && record->kind != RECORD_OTHER && !is_of_probe)
		ingest->tee->record(ingest->tee->owner, ingest, record, raw);
	apply(ingest, record, cpu);
}

typedef int parser(const struct record_format *format, const void *raw, size_t size,
		   struct event_record *out);

static bool parse(struct ingest *ingest, parser *how, const void *raw, size_t size, uint16_t event,
		  struct event_record *out)
{
	if (event >= ingest->config.event_count ||
	    how(&ingest->config.events[event]->format, raw, size, out)) {
		ingest->counters.malformed++;
		return false;
	}
	out->event = event;
	return true;
}

static bool take_sample(struct ingest *ingest, const struct event_record *record,
			const void *raw, size_t size, bool can_hold)
{
	const struct event_desc *event = ingest->config.events[record->event];
	const struct sample_form form = {
		.format = event->format, .copy_bytes = event->copy_bytes,
		.event = (uint16_t)record->event, .time_ns = record->time_ns,
	};

	ingest->counters.copied_hits += event->copy_bytes && event->fixed_period == 1;
	return samples_add(ingest, record, &form, raw, size, can_hold);
}

/* A hit is counted at once; the callers of as many as there is room for may come later. */
static bool take_recorded_hit(struct ingest *ingest, const struct event_record *record,
			      const void *raw, size_t size)
{
	if (pending_is_full(ingest) && !ingest->is_forced)
		return false;
	ingest->sample_epoch++;
	if (!probe_records_take_recorded(ingest, record, raw, size))
		ingest->counters.malformed++;
	return true;
}

bool intake_sink(void *context, const void *raw, size_t size, uint16_t event, uint32_t cpu,
		 uint64_t time_ns)
{
	struct ingest *ingest = context;
	struct event_record record;

	if (event == PROBE_RECORDS_EVENT) {
		ingest->sample_epoch++;
		probe_records_apply(ingest, raw, size);
		return true;
	}
	if (!parse(ingest, record_parse, raw, size, event, &record))
		return true;
	if (ingest->config.is_replay && pending_holds(ingest, time_ns))
		return false;
	if (record.kind == RECORD_SAMPLE) {
		const struct event_desc *desc = ingest->config.events[record.event];

		if (desc->probe)
			return take_recorded_hit(ingest, &record, raw, size);

		if (desc->counts_waits &&
		    (!desc->is_wall || (ingest->config.is_replay && waits_are_in(&record)))) {
			waits_record(ingest, &record, raw, size);
			return true;
		}
		if (desc->is_wall && desc->excluded & EVENT_EXCLUDES_KERNEL &&
		    !ingest->config.is_replay)
			on_cpu_times_sampled(ingest->waits, record.tid, record.sample.period);
		clock_ticks_add(&ingest->losses->clock, event, time_ns, record.sample.period);
		if (!desc->is_unasked && !samples_repeat(ingest, &record, raw) &&
		    !take_sample(ingest, &record, raw, size, ingest->config.is_replay))
			return false;
		if (ingest->waits->switches)
			waits_sample(ingest, &record, raw, size);
		return true;
	}
	ingest->sample_epoch++;
	apply_and_pass(ingest, &record, raw, cpu);
	return true;
}

static bool has_order(const struct event_record *record)
{
	return record->has_time && record->time_ns && record->time_ns != UINT64_MAX;
}

/* Whether the record is from before this source's begin: the source before reported it, too. */
static bool is_of_before(const struct ingest *ingest, const struct event_record *record)
{
	const uint64_t begin_ns = ingest->intake->begin_ns;

	return record->has_time && record->time_ns <= begin_ns && begin_ns;
}

/* Records without a time (perf record's own descriptions of the start) hold from now on. */
static void take_at_once(struct ingest *ingest, const void *raw, size_t size, uint16_t event,
			 uint32_t cpu)
{
	struct event_record record;

	if (!parse(ingest, record_parse, raw, size, event, &record))
		return;
	if (record.kind == RECORD_SAMPLE && (ingest->config.events[event]->is_unasked ||
					     ingest->config.events[event]->probe))
		return;
	if (record.kind == RECORD_SAMPLE)
		take_sample(ingest, &record, raw, size, false);
	else
		apply_and_pass(ingest, &record, raw, cpu);
}

/* Adds the records of @span to the reorder stage. */
static void put_in_order(struct ingest *ingest, const struct reorder_span *span, uint32_t count)
{
	if (reorder_push(ingest->reorder, span))
		ingest->counters.dropped_no_memory += count;
}

/* Adds a record. @front: what record_parse_front() found in it. */
static void push_record(struct ingest *ingest, const struct event_record *front, const void *raw,
			size_t size, uint16_t event, uint32_t cpu)
{
	tasks_look_ahead(ingest, front);
	if (!has_order(front))
		take_at_once(ingest, raw, size, event, cpu);
	else
		put_in_order(ingest, &(struct reorder_span){
			.records = raw, .bytes = size, .first_ns = front->time_ns,
			.last_ns = front->time_ns, .cpu = cpu, .event = event,
			.time_word = record_time_word(&ingest->config.events[event]->format, raw),
		}, 1);
}

/* Adds a sample that holds the counters of a group: a copy of it for each event that has counted
 * something since the sample before. The events follow their @leader in the list in the order of
 * the values; one that was added to its group after the sample has none in it. */
static void push_reads(struct ingest *ingest, const void *raw, size_t size, uint16_t leader,
		       uint32_t cpu)
{
	const struct event_desc *event = ingest->config.events[leader];
	struct intake *intake = ingest->intake;
	struct event_record record;
	const struct record_read *read = &record.sample.read;
	uint64_t growth;

	if (!parse(ingest, record_parse, raw, size, leader, &record))
		return;
	memcpy(intake->sample, raw, size);
	for (uint16_t at = 0; at < read->count && at <= event->read_count; at++) {
		const uint64_t *value = read->values + at * read->stride;

		if (read_growth(&intake->growth, value[read->id_at],
				event->has_values_by_thread ? record.tid : 0, *value, &growth)) {
			ingest->counters.dropped_no_memory++;
			continue;
		}
		intake->sample[read->values - (const uint64_t *)raw] = growth;
		if (growth)
			push_record(ingest, &record, intake->sample, size,
				    (uint16_t)(leader + at), cpu);
	}
}

void ingest_push(struct ingest *ingest, const void *raw, size_t size, uint16_t event, uint32_t cpu)
{
	const struct perf_event_header *header = raw;
	struct event_record record;

	/* All of a sample is parsed once, when its turn comes. */
	if (!parse(ingest, record_parse_front, raw, size, event, &record) ||
	    record.kind == RECORD_OTHER || is_of_before(ingest, &record))
		return;
	if (record.kind == RECORD_SAMPLE && ingest->config.events[event]->read_count)
		push_reads(ingest, raw, header->size, event, cpu);
	else
		push_record(ingest, &record, raw, header->size, event, cpu);
}

/* Contiguous samples of one ring, to be pushed at once. */
struct sample_row {
	const struct record_layout *front;	/* their event's; NULL: samples can't be joined */
	struct reorder_span span;	/* no bytes: no sample */
	uint32_t count;
	uint64_t task;		/* pid and tid of the last sample */
};

static void put_row(struct ingest *ingest, struct sample_row *row)
{
	if (row->span.bytes)
		put_in_order(ingest, &row->span, row->count);
	row->span.bytes = row->count = 0;
}

static void look_ahead_of(struct ingest *ingest, uint64_t task, uint64_t time_ns)
{
	uint32_t ids[2];	/* pid, tid */

	memcpy(ids, &task, sizeof(ids));
	tasks_look_ahead_of_sample(ingest, ids[0], ids[1], time_ns);
}

/* Adds a sample that needs nothing but ordering now. False: it needs more; nothing was done. */
static bool add_to_row(struct ingest *ingest, struct sample_row *row,
		       const struct perf_event_header *record)
{
	const uint64_t *words = (const uint64_t *)(const void *)record + 1;
	uint64_t time_ns, task;

	if (!row->front || record->type != PERF_RECORD_SAMPLE ||
	    record->size < (1u + row->front->words) * sizeof(*words) ||
	    record->size % sizeof(*words))
		return false;
	time_ns = words[row->front->time];
	task = words[row->front->task];
	if (time_ns <= ingest->intake->begin_ns || time_ns == UINT64_MAX)
		return false;
	if (time_ns < row->span.last_ns)
		put_row(ingest, row);
	if (!row->span.bytes) {
		row->span.records = record;
		row->span.first_ns = time_ns;
	}
	if (task != row->task || !row->count)
		look_ahead_of(ingest, task, time_ns);
	row->task = task;
	row->span.last_ns = time_ns;
	row->span.bytes += record->size;
	row->count++;
	return true;
}

/* Positions of time and task in samples of the event; NULL: each sample must be parsed. */
static const struct record_layout *front_of(const struct ingest *ingest, uint16_t event)
{
	const struct record_layout *front;

	if (event >= ingest->config.event_count || ingest->config.events[event]->read_count)
		return NULL;
	front = &ingest->config.events[event]->format.front;
	return front->time != RECORD_NO_WORD && front->task != RECORD_NO_WORD ? front : NULL;
}

int ingest_push_item(struct ingest *ingest, const struct queue_item *item, size_t bytes)
{
	const uint16_t event = ingest_event_of(ingest, item->event);
	struct sample_row row = {
		.front = front_of(ingest, event),
		.span = { .cpu = item->cpu, .event = event },
	};
	const struct perf_event_header *record;
	size_t offset = 0;
	int count = 0;

	if (row.front)
		row.span.time_word = (int16_t)(1 + row.front->time);
	for (; (record = queue_next_record(item, bytes, &offset)); count++) {
		if (add_to_row(ingest, &row, record))
			continue;
		put_row(ingest, &row);
		ingest_push(ingest, record, record->size, event, item->cpu);
	}
	put_row(ingest, &row);
	return count;
}

bool ingest_is_full(const struct ingest *ingest)
{
	return ingest->config.can_wait && pending_is_full(ingest);
}

uint64_t ingest_hit_limit_ns(const struct ingest *ingest)
{
	return ingest->hits && ingest->hits->has_rings ? ingest->hits->limit_ns : UINT64_MAX;
}

static void release(struct ingest *ingest, uint64_t limit_ns)
{
	ingest->intake->held_epoch = ingest->tables_epoch;
	ingest->intake->waiting_limit_ns = limit_ns;
	ingest->pending->has_callers = false;
	ingest->sample_epoch++;
	ingest->has_waiting = !reorder_release(ingest->reorder, limit_ns, intake_sink, ingest);
	if (!ingest->has_waiting && limit_ns != UINT64_MAX && limit_ns > ingest->watermark_ns)
		ingest->watermark_ns = limit_ns;
	else if (ingest->reorder->last_out_ns > ingest->watermark_ns)
		ingest->watermark_ns = ingest->reorder->last_out_ns;
}

/* A pending sample may be of the very time that lines are complete up to. */
static void pass_limit(const struct ingest *ingest)
{
	const uint64_t limit_ns = ingest->tee ? ingest_lines_limit_ns(ingest) : 0;

	if (limit_ns)
		ingest->tee->limit(ingest->tee->owner, ingest, limit_ns - 1);
}

static void release_waiting(struct ingest *ingest, bool force)
{
	if (!ingest->has_waiting ||
	    (!force && ingest->intake->held_epoch == ingest->tables_epoch &&
	     !ingest->pending->has_callers))
		return;
	ingest->is_forced = force;
	release(ingest, ingest->intake->waiting_limit_ns);
	ingest->is_forced = false;
}

void ingest_round_end(struct ingest *ingest, const struct queue_round_end *mark)
{
	ingest->counters.stalled_rounds = ingest->losses->stalled_before + mark->stalled_rounds;
	ingest->counters.malformed_rings = ingest->losses->malformed_before + mark->malformed;
	ingest->intake->limit_ns = mark->limit_ns;
	release(ingest, smaller(mark->limit_ns, ingest_hit_limit_ns(ingest)));
	if (ingest->config.is_replay)	/* many rounds come between two polls */
		pass_limit(ingest);
}

void ingest_hit_round_end(struct ingest *ingest, const struct queue_round_end *mark)
{
	if (!ingest->hits)
		return;
	ingest->hits->limit_ns = mark->limit_ns;
	release(ingest, smaller(ingest->intake->limit_ns, ingest_hit_limit_ns(ingest)));
}

void intake_take_reply(struct ingest *ingest, const struct process_reply *reply)
{
	struct process *process = tasks_reply(ingest, reply);

	if (!process)
		return;
	mappings_replace(ingest, process, reply);
	if (ingest->tee)
		ingest->tee->maps_read(ingest->tee->owner, ingest, process->pid);
}

void ingest_poll(struct ingest *ingest, bool force)
{
	struct process_reply reply;

	while (ingest->reader && process_reader_reply(ingest->reader, &reply)) {
		intake_take_reply(ingest, &reply);
		process_reply_finish(&reply);
	}
	tables_poll(ingest);
	requests_poll(ingest);
	jit_poll(ingest);
	kernel_poll(ingest);
	pending_take_callers(ingest);
	samples_poll(ingest, force);	/* before waiting records: it may be of the next slice */
	release_waiting(ingest, force);
	pass_limit(ingest);
	pending_request_callers(ingest);
	if (symbol_names_demangle(&ingest->names, &ingest->trie))
		ingest->has_new_names = true;
}

uint64_t ingest_late_records(const struct ingest *ingest)
{
	return ingest->reorder->late;
}

static void mark_map(const struct process_maps *map, unsigned char *used)
{
	for (uint32_t i = 0; map && i < map->count; i++)
		used[map->rows[i].dso] = 1;
}

void ingest_mark_dsos(const struct ingest *ingest, unsigned char *used)
{
	for (uint32_t i = 0; i < ingest->pending_count; i++) {
		const struct pending_sample *sample = &ingest->pending->list[i];

		mark_map(sample->maps, used);
		for (uint32_t at = 0; at < sample->callers.code_count; at++)
			used[sample->callers.code[at].dso] = 1;
	}
	mark_map(ingest->kernel->maps, used);
	mark_map(ingest->kernel->overlay, used);
}
