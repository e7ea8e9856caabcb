/* ingest.c - see ingest/ingest.h. This file: time order, task records, losses. */
#include "ingest/ingest.h"
#include "ingest/loss_sums.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

static void mark_targets(struct ingest *ingest)
{
	const struct ingest_config *config = &ingest->config;

	for (size_t i = 0; i < config->target_pid_count; i++) {
		struct process *process = task_table_process(&ingest->tasks,
							     config->target_pids[i]);

		if (process)
			process->is_target = true;
	}
	for (size_t i = 0; i < config->target_tid_count; i++) {
		struct thread *thread = task_table_thread(&ingest->tasks, TASK_PID_UNKNOWN,
							  config->target_tids[i]);

		if (thread)
			thread->is_target = true;
	}
}

static bool is_asked_for(const struct ingest_config *config, uint32_t pid)
{
	for (size_t i = 0; i < config->target_pid_count; i++)
		if (config->target_pids[i] == pid)
			return true;
	return false;
}

/* The command is a target from its exec on. */
static void mark_own(struct ingest *ingest)
{
	const struct ingest_config *config = &ingest->config;

	for (size_t i = 0; i < config->own_pid_count; i++)
		if (!is_asked_for(config, config->own_pids[i]))
			task_table_mark_own(&ingest->tasks, config->own_pids[i]);
	if (config->launcher_pid)
		task_table_mark_own(&ingest->tasks, config->launcher_pid);
}

static void look_at_kernel(struct ingest *ingest)
{
	const struct ingest_config *config = &ingest->config;
	bool is_any = false, is_running = false;

	for (size_t i = 0; i < config->build_id_count; i++) {
		if (!config->build_ids[i].is_kernel)
			continue;
		is_any = true;
		is_running |= build_id_is_equal(&config->build_ids[i].build_id,
						&config->running_kernel);
	}
	ingest->is_kernel_assumed = !is_any && config->is_this_boot;
	ingest->is_kernel_recorded = is_running || ingest->is_kernel_assumed;
}

void ingest_look_at_config(struct ingest *ingest)
{
	ingest->wants_unwind = false;
	for (uint32_t i = 0; i < ingest->config.event_count; i++)
		if (ingest->config.events[i]->format.sample_type & PERF_SAMPLE_STACK_USER)
			ingest->wants_unwind = true;
	mark_targets(ingest);
	mark_own(ingest);
	loss_sums_begin_clock(ingest);
	look_at_kernel(ingest);
}

int ingest_init(struct ingest *ingest, const struct ingest_config *config,
		struct object_opener *opener, struct process_reader *reader, struct diag *why)
{
	memset(ingest, 0, sizeof(*ingest));
	if (config->event_count > TIMELINE_MAX_EVENTS)
		return diag_set(why, -E2BIG, "%u events: at most %d can be shown",
				config->event_count, TIMELINE_MAX_EVENTS);
	ingest->config = *config;
	ingest->lines.is_bounded = !config->is_replay;
	ingest->opener = opener;
	ingest->reader = reader;
	ingest_repeat_forget(ingest);	/* its rows are of epoch 0 */
	reorder_init(&ingest->reorder);
	unwind_set_init(&ingest->unwind, UNWIND_SET_BYTES_MAX);
	ingest->strings = strpool_create();
	ingest->kernel_maps = address_map_create();
	ingest->kernel_overlay = address_map_create();
	if (!ingest->strings || !ingest->kernel_maps || !ingest->kernel_overlay ||
	    ingest_stacks_init(&ingest->stacks) ||
	    object_table_init(&ingest->objects, ingest->strings) ||
	    stack_trie_init(&ingest->trie) ||
	    timeline_init(&ingest->timeline, config->event_count) ||
	    (config->is_replay && probe_hits_create_recorded(&ingest->hits, config->events,
							     config->event_count))) {
		ingest_finish(ingest);
		return diag_set(why, -ENOMEM, "no memory for the analyzer");
	}
	task_table_init(&ingest->tasks, ingest->strings);
	symbol_names_init(&ingest->names, &ingest->objects, ingest->strings);
	ingest_look_at_config(ingest);
	if (!config->is_replay)
		ingest_ask_kernel(ingest);
	return 0;
}

void ingest_finish(struct ingest *ingest)
{
	for (uint32_t i = 0; i < ingest->parked_count; i++)
		ingest_park_finish(ingest, &ingest->parked[i]);
	free(ingest->parked);
	event_lines_finish(&ingest->lines);
	probe_hits_destroy(ingest->hits);
	free(ingest->waiting);
	ingest_jit_finish(&ingest->jit);
	free(ingest->throttles);
	free(ingest->losses);
	ingest_stacks_finish(&ingest->stacks);
	id_map_finish(&ingest->throttled_since);
	id_map_finish(&ingest->loss_of);
	id_map_finish(&ingest->recorded_cgroups);
	id_map_finish(&ingest->program_names);
	address_map_release(ingest->kernel_maps);
	address_map_release(ingest->kernel_overlay);
	reorder_finish(&ingest->reorder);
	timeline_finish(&ingest->timeline);
	baseline_finish(&ingest->baseline);
	symbol_names_finish(&ingest->names);
	stack_trie_finish(&ingest->trie);
	task_table_finish(&ingest->tasks);
	object_table_finish(&ingest->objects);
	unwind_set_finish(&ingest->unwind);
	table_set_finish(&ingest->tables);
	strpool_destroy(ingest->strings);
	memset(ingest, 0, sizeof(*ingest));
}

/* Row of (event, cpu) in an array that grows as rows are looked up; NULL: out of memory. */
static void *row_of(struct id_map *map, void *rows, uint32_t *count, uint32_t *capacity,
		    size_t row_bytes, uint16_t event, uint32_t cpu)
{
	const uint64_t key = (uint64_t)event << 32 | cpu;
	uint32_t at = id_map_get(map, key);
	char **array = rows;

	if (at == ID_MAP_NONE) {
		if (*count == *capacity) {
			const uint32_t larger = *capacity ? *capacity * 2 : 16;
			char *bigger = realloc(*array, larger * row_bytes);

			if (!bigger)
				return NULL;
			*array = bigger;
			*capacity = larger;
		}
		if (id_map_put(map, key, *count))
			return NULL;
		at = (*count)++;
		memset(*array + at * row_bytes, 0, row_bytes);
	}
	return *array + at * row_bytes;
}

static struct ingest_loss *loss_row(struct ingest *ingest, uint16_t event, uint32_t cpu)
{
	return row_of(&ingest->loss_of, &ingest->losses, &ingest->loss_count,
		      &ingest->loss_capacity, sizeof(*ingest->losses), event, cpu);
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

void ingest_lost_total(struct ingest *ingest, uint16_t event, uint32_t cpu, uint64_t total)
{
	struct ingest_loss *loss = loss_row(ingest, event, cpu);

	if (!loss)
		return;
	loss->is_exact = true;
	ingest->counters.lost_counted += total > loss->read_total ? total - loss->read_total : 0;
	loss->read_total = larger(total, loss->read_total);
	if (total <= loss->last_total)
		return;		/* LOST records said so before */
	ingest->counters.lost_kernel += total - loss->last_total;
	loss->last_total = total;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* perf record also writes the counts of read(2) at the end, as LOST_SAMPLES: if the event has
 * PERF_FORMAT_LOST, these repeat the losses of its LOST records. */
static void recorded_loss(struct ingest *ingest, const struct event_record *record)
{
	const struct record_format *format = &ingest->config.events[record->event]->format;
	struct ingest_loss *loss = loss_row(ingest, (uint16_t)record->event, UINT32_MAX);
	uint64_t before;

	if (!loss || !(format->read_format & PERF_FORMAT_LOST)) {
		ingest->counters.lost_kernel += record->lost.count;
		return;
	}
	before = larger(loss->in_records, loss->in_samples);
	*(record->lost.is_samples ? &loss->in_samples : &loss->in_records) += record->lost.count;
	ingest->counters.lost_kernel += larger(loss->in_records, loss->in_samples) - before;
}

/* Counts a LOST record. Where the kernel also counts exactly (live, Linux 6.0), that count is used:
 * what is lost after the last record that fits is in no LOST record. Samples that the processor
 * lost (LOST_SAMPLES) are in no such count. */
static void live_loss(struct ingest *ingest, const struct event_record *record, uint32_t cpu)
{
	struct ingest_loss *loss = NULL;

	if (!record->lost.is_samples)
		loss = loss_row(ingest, (uint16_t)record->event, cpu);
	ingest->counters.lost_recorded += record->lost.count;
	if (!loss || !loss->is_exact)
		ingest->counters.lost_kernel += record->lost.count;
	if (loss && !loss->is_exact)
		loss->last_total += record->lost.count;
}

static void lost_record(struct ingest *ingest, const struct event_record *record, uint32_t cpu)
{
	if (!ingest->config.is_replay) {
		live_loss(ingest, record, cpu);
		return;
	}
	*(record->lost.is_samples ? &ingest->counters.lost_counted
				  : &ingest->counters.lost_recorded) += record->lost.count;
	recorded_loss(ingest, record);
}

/* A recording is one stream: there the record itself says which CPU it was. */
static void throttle_record(struct ingest *ingest, const struct event_record *record, uint32_t cpu)
{
	uint64_t *since = row_of(&ingest->throttled_since, &ingest->throttles,
				 &ingest->throttle_count, &ingest->throttle_capacity,
				 sizeof(*ingest->throttles), (uint16_t)record->event,
				 record->has_cpu ? record->cpu : cpu);

	if (!since)
		return;
	if (record->kind == RECORD_THROTTLE) {
		if (!*since)
			*since = record->time_ns;
	} else if (*since) {
		if (record->time_ns > *since)
			ingest->counters.throttled_ns += record->time_ns - *since;
		*since = 0;
	}
}

/* With no_inherit: children of targets are no targets. */
static void take_mark(struct ingest *ingest, const struct event_record *record)
{
	struct process *process = task_table_find_process(&ingest->tasks, record->pid);
	struct thread *thread = task_table_find_thread(&ingest->tasks, record->tid);

	if (process && record->pid != record->task.parent_pid)
		process->is_target = false;
	if (thread)
		thread->is_target = false;
}

static void fork_record(struct ingest *ingest, const struct event_record *record)
{
	/* perf record describes tasks that ran already by FORK records without a time. */
	task_table_fork(&ingest->tasks, record->task.parent_pid, record->task.parent_tid,
			record->pid, record->tid, !record->time_ns);
	if (ingest->config.no_inherit)
		take_mark(ingest, record);
}

/* perf record --all-cgroups; the id is used in samples, and may be used again. */
static void take_cgroup(struct ingest *ingest, const struct record_cgroup *cgroup)
{
	const uint32_t row = cgroup_table_intern(&ingest->tasks.cgroups, cgroup->path.bytes,
						 cgroup->path.len);

	if (id_map_put(&ingest->recorded_cgroups, cgroup->id, row))
		ingest->counters.dropped_no_memory++;
}

/* Applies a record other than a sample. */
static void apply(struct ingest *ingest, const struct event_record *record, uint32_t cpu)
{
	switch (record->kind) {
	case RECORD_MMAP:
		ingest_mmap(ingest, record);
		break;
	case RECORD_COMM:
		task_table_set_comm(&ingest->tasks, record->pid, record->tid,
				    record->comm.comm.bytes, record->comm.comm.len,
				    record->comm.is_exec);
		if (record->comm.is_exec) {
			task_table_exec(&ingest->tasks, record->pid, record->time_ns);
			ingest_hit_gone(ingest, record);
			ingest_stacks_gone(&ingest->stacks, record);
		}
		break;
	case RECORD_FORK:
		fork_record(ingest, record);
		break;
	case RECORD_EXIT:
		ingest_jit_exit(ingest, record);
		ingest_hit_gone(ingest, record);
		ingest_stacks_gone(&ingest->stacks, record);
		task_table_exit(&ingest->tasks, record->pid, record->tid, record->time_ns);
		break;
	case RECORD_LOST:
		lost_record(ingest, record, cpu);
		break;
	case RECORD_THROTTLE:
	case RECORD_UNTHROTTLE:
		throttle_record(ingest, record, cpu);
		break;
	case RECORD_KSYMBOL:
		ingest_ksymbol(ingest, record);
		break;
	case RECORD_CGROUP:
		take_cgroup(ingest, &record->cgroup);
		break;
	case RECORD_SAMPLE:
	case RECORD_BPF:	/* the KSYMBOL beside it says all that names need */
	case RECORD_OTHER:
		break;
	}
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
	return ingest_sample(ingest, record, &form, raw, size, can_hold);
}

static bool sink(void *context, const void *raw, size_t size, uint16_t event, uint32_t cpu,
		 uint64_t time_ns)
{
	struct ingest *ingest = context;
	struct event_record record;

	if (event == INGEST_HIT_EVENT) {
		ingest_repeat_forget(ingest);
		ingest_hit(ingest, raw, size);
		return true;
	}
	if (!parse(ingest, record_parse, raw, size, event, &record))
		return true;
	if (ingest->config.is_replay && ingest_rare_holds(ingest, time_ns))
		return false;
	if (record.kind == RECORD_SAMPLE) {
		clock_ticks_add(&ingest->clock, event, time_ns, record.sample.period);
		return ingest_repeat_sample(ingest, &record) ||
		       take_sample(ingest, &record, raw, size, ingest->config.is_replay);
	}
	ingest_repeat_forget(ingest);
	apply(ingest, &record, cpu);
	return true;
}

static bool has_order(const struct event_record *record)
{
	return record->has_time && record->time_ns && record->time_ns != UINT64_MAX;
}

/* Whether the record is from before this source's begin: the source before reported it, too. */
static bool is_of_before(const struct ingest *ingest, const struct event_record *record)
{
	return record->has_time && record->time_ns <= ingest->begin_ns && ingest->begin_ns;
}

/* Records without a time (perf record's own descriptions of the start) hold from now on. */
static void take_at_once(struct ingest *ingest, const void *raw, size_t size, uint16_t event,
			 uint32_t cpu)
{
	struct event_record record;

	if (!parse(ingest, record_parse, raw, size, event, &record))
		return;
	if (record.kind == RECORD_SAMPLE)
		take_sample(ingest, &record, raw, size, false);
	else
		apply(ingest, &record, cpu);
}

/* Adds the records of @span to the reorder stage. */
static void put_in_order(struct ingest *ingest, const struct reorder_span *span, uint32_t count)
{
	if (reorder_push(&ingest->reorder, span))
		ingest->counters.dropped_no_memory += count;
}

void ingest_put_in_order(struct ingest *ingest, const struct record_format *format,
			 const struct perf_event_header *raw, const struct ingest_ring *ring,
			 uint64_t time_ns)
{
	const struct reorder_span span = {
		.records = raw, .bytes = raw->size, .first_ns = time_ns, .last_ns = time_ns,
		.cpu = ring->cpu, .event = ring->event,
		.time_word = record_time_word(format, raw),
	};

	put_in_order(ingest, &span, 1);
}

void ingest_push(struct ingest *ingest, const void *raw, size_t size, uint16_t event, uint32_t cpu)
{
	const struct ingest_ring ring = { .event = event, .cpu = cpu };
	struct event_record record;

	/* All of a sample is parsed once, when its turn comes. */
	if (!parse(ingest, record_parse_front, raw, size, event, &record) ||
	    record.kind == RECORD_OTHER || is_of_before(ingest, &record))
		return;
	ingest_look_ahead(ingest, &record);
	if (!has_order(&record))
		take_at_once(ingest, raw, size, event, cpu);
	else
		ingest_put_in_order(ingest, &ingest->config.events[event]->format, raw, &ring,
				    record.time_ns);
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
	struct event_record record = { .kind = RECORD_SAMPLE, .has_pid = true, .has_time = true,
				       .time_ns = time_ns };

	memcpy(&record.pid, &task, sizeof(record.pid));
	memcpy(&record.tid, (const unsigned char *)&task + sizeof(record.pid),
	       sizeof(record.tid));
	ingest_look_ahead(ingest, &record);
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
	if (time_ns <= ingest->begin_ns || time_ns == UINT64_MAX)
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

/* Positions of time and task in samples of the event; NULL: samples must be parsed for them. */
static const struct record_layout *front_of(const struct ingest *ingest, uint16_t event)
{
	const struct record_layout *front;

	if (event >= ingest->config.event_count)
		return NULL;
	front = &ingest->config.events[event]->format.front;
	return front->time != RECORD_NO_WORD && front->task != RECORD_NO_WORD ? front : NULL;
}

int ingest_push_item(struct ingest *ingest, const struct queue_item *item, size_t bytes)
{
	struct sample_row row = {
		.front = front_of(ingest, item->event),
		.span = { .cpu = item->cpu, .event = item->event },
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
		ingest_push(ingest, record, record->size, item->event, item->cpu);
	}
	put_row(ingest, &row);
	return count;
}

static void release(struct ingest *ingest, uint64_t limit_ns)
{
	ingest->held_tables = ingest->stacks.last_tables;
	ingest->held_limit_ns = limit_ns;
	ingest->rare.has_answered = false;
	ingest_repeat_forget(ingest);
	ingest->is_held = !reorder_release(&ingest->reorder, limit_ns, sink, ingest);
	if (!ingest->is_held && limit_ns != UINT64_MAX && limit_ns > ingest->watermark_ns)
		ingest->watermark_ns = limit_ns;
	else if (ingest->reorder.last_out_ns > ingest->watermark_ns)
		ingest->watermark_ns = ingest->reorder.last_out_ns;
}

static void release_held(struct ingest *ingest, bool force)
{
	if (!ingest->is_held ||
	    (!force && ingest->held_tables == ingest->stacks.last_tables &&
	     !ingest->rare.has_answered))
		return;
	ingest->is_forced = force;
	release(ingest, ingest->held_limit_ns);
	ingest->is_forced = false;
}

void ingest_round_end(struct ingest *ingest, const struct queue_round_end *mark)
{
	ingest->counters.stalled_rounds = ingest->stalled_before + mark->stalled_rounds;
	ingest->counters.malformed_rings = ingest->malformed_before + mark->malformed;
	ingest->limit_ns = mark->limit_ns;
	release(ingest, smaller(mark->limit_ns, ingest_hit_limit_ns(ingest)));
}

void ingest_hit_round_end(struct ingest *ingest, const struct queue_round_end *mark)
{
	if (!ingest->hits)
		return;
	ingest->hits->limit_ns = mark->limit_ns;
	release(ingest, smaller(ingest->limit_ns, ingest_hit_limit_ns(ingest)));
}

void ingest_poll(struct ingest *ingest, bool force)
{
	struct process_reply reply;

	while (ingest->reader && process_reader_reply(ingest->reader, &reply)) {
		ingest_maps_reply(ingest, &reply);
		process_reply_finish(&reply);
	}
	ingest_opener_replies(ingest);
	ingest_refused_poll(ingest);
	ingest_jit_poll(ingest);
	ingest_kernel_poll(ingest);
	ingest_rare_take(ingest);
	ingest_parked(ingest, force);	/* before what is held: that may belong to the next slice */
	release_held(ingest, force);
	ingest_rare_ask(ingest);
	if (symbol_names_demangle(&ingest->names, &ingest->trie))
		ingest->has_new_names = true;
}
