/* stages_count.c - see stages_model.h. Its records are counted here, its DSOs named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/budget.h"
#include "base/clock.h"
#include "elf/flat_builder.h"
#include "stages_model.h"

#define BUDGET_BYTES	 (256u << 20)	/* whole windows stay in it */

static void name_dso(struct model *model, uint32_t dso, uint64_t begin, uint32_t functions,
		     const char *stem)
{
	struct flat_builder *builder = flat_builder_create();
	struct build_id id = { .bytes = { (uint8_t)dso, 1 }, .count = 20 };
	struct flat_table table;
	struct diag why;
	char name[64];
	size_t bytes;

	stages_need(builder != NULL, "no memory");
	flat_builder_set_build_id(builder, &id);
	for (uint32_t i = 0; i < functions; i++) {
		snprintf(name, sizeof(name), "%s_%u_of_%u", stem, i, dso);
		stages_need(!flat_builder_add(builder, begin + i * MODEL_FUNCTION_BYTES,
					      MODEL_FUNCTION_BYTES, name, NULL, 0),
			    "no memory");
	}
	stages_need(!flat_builder_finish(builder, 1, &model->tables[dso], &bytes) &&
		    !flat_table_check(&table, model->tables[dso], bytes, &why),
		    "no table of names");
	flat_builder_destroy(builder);
	dso_table_set_ready(&model->ingest.dsos, dso, &table, &id);
	symbol_names_forget_dso(&model->ingest.names, &model->ingest.trie, dso);
}

static void name_dsos(struct model *model)
{
	const uint32_t count = model->ingest.dsos.count;

	model->tables = stages_allocate(count, sizeof(*model->tables));
	name_dso(model, DSO_KERNEL, MODEL_KERNEL_BASE, MODEL_KERNEL_FUNCTIONS,
		 "sys_function");
	for (uint32_t dso = DSO_FIXED_COUNT; dso < count; dso++)
		name_dso(model, dso, 0, MODEL_FUNCTIONS, "library_function");
}

/* As the sampler queues them, or of a recording one. Returns how many were taken. */
static uint32_t push(struct model *model, const struct tape *tape, uint32_t first)
{
	static struct {
		struct queue_item item;
		_Alignas(8) unsigned char records[UINT16_MAX + 1];
	} queued;
	const struct tape_item *from = &tape->items[first];
	size_t bytes;
	const uint32_t count = model_span(model, tape, first, &bytes);

	queued.item = (struct queue_item){ .kind = QUEUE_RECORD, .event = from->event,
					   .cpu = from->cpu };
	memcpy(queued.records, tape_record(tape, from), bytes);
	ingest_push_item(&model->ingest, &queued.item, sizeof(queued.item) + bytes);
	return count;
}

/* Returns how many items of the tape that was. */
static uint32_t take(struct model *model, const struct tape *tape, uint32_t first)
{
	struct ingest *ingest = &model->ingest;
	const struct queue_round_end mark = { .limit_ns = tape->items[first].limit_ns };

	if (tape->items[first].size)
		return push(model, tape, first);
	ingest_round_end(ingest, &mark);
	ingest_poll(ingest, false);
	if (ingest->timeline.open_slice.seq == model->enforced_seq)
		return 1;
	model->enforced_seq = ingest->timeline.open_slice.seq;
	budget_enforce(ingest, BUDGET_BYTES, ingest->watermark_ns);
	return 1;
}

/* Live: then all that it knows of was known when the sample came. */
static void check_counted(const struct model *model)
{
	const struct ingest *ingest = &model->ingest;

	stages_need(!ingest->counters.malformed, "a record is not what it should be");
	stages_need(model->recording || (!ingest->reorder->late && !ingest->pending_count &&
					 !ingest->counters.unattributed),
		    "not all samples were counted");
}

void model_count(struct model *model)
{
	uint32_t at = 0;

	while (at < model->tape.count)
		at += take(model, &model->tape, at);
	check_counted(model);
}

/* Their cgroups are asked for with the first sample of each. */
static void settle(struct model *model)
{
	const struct task_table *tasks = &model->ingest.tasks;
	const struct timespec pause = { .tv_nsec = 1000000 };
	uint32_t open;

	do {
		open = 0;
		ingest_poll(&model->ingest, true);
		for (uint32_t i = 0; i < tasks->process_count; i++)
			open += tasks->processes[i].is_cgroup_asked;
		nanosleep(&pause, NULL);
	} while (open);
}

/* In later rounds of a recording only samples come: its processes are there. */
static void keep_samples(struct tape *tape)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < tape->count; i++)
		if (tape->items[i].is_sample || !tape->items[i].size)
			tape->items[kept++] = tape->items[i];
	tape->count = kept;
}

void model_begin(struct model *model)
{
	const bool is_replay = model->recording != NULL;
	const struct ingest_config config = {
		.events = model->events, .event_count = model->event_count, .is_replay = is_replay,
	};
	struct diag why = { 0 };
	uint32_t at = 0;

	stages_need(is_replay || !process_reader_create(&model->reader, &why), why.text);
	stages_need(!ingest_init(&model->ingest, &config, NULL, model->reader, &why), why.text);
	while (at < model->start.count)
		at += take(model, &model->start, at);
	model_count(model);
	if (!is_replay) {
		settle(model);
		name_dsos(model);
	}
	keep_samples(&model->tape);
}

void model_finish(struct model *model)
{
	const uint32_t dsos = model->ingest.dsos.count;

	if (model->ingest.strings)
		ingest_finish(&model->ingest);
	process_reader_destroy(model->reader);
	perf_data_close(model->recording);
	for (uint32_t i = 0; model->tables && i < dsos; i++)
		free(model->tables[i]);
	free(model->tables);
	free(model->tape.bytes);
	free(model->tape.items);
	free(model->start.bytes);
	free(model->start.items);
	free(model->events);
}
