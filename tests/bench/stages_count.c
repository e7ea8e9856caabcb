/* stages_count.c - see stages_world.h. Its records are counted here, its objects named. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyzer/budget.h"
#include "base/clock.h"
#include "elf/flat_builder.h"
#include "stages_world.h"

#define BUDGET_BYTES	 (256u << 20)	/* whole windows stay in it */

static void name_object(struct world *world, uint32_t object, uint64_t begin, uint32_t functions,
			const char *stem)
{
	struct flat_builder *builder = flat_builder_create();
	struct build_id id = { .bytes = { (uint8_t)object, 1 }, .count = 20 };
	struct flat_table table;
	struct diag why;
	char name[64];
	size_t bytes;

	stages_need(builder != NULL, "no memory");
	flat_builder_set_build_id(builder, &id);
	for (uint32_t i = 0; i < functions; i++) {
		snprintf(name, sizeof(name), "%s_%u_of_%u", stem, i, object);
		stages_need(!flat_builder_add(builder, begin + i * WORLD_FUNCTION_BYTES,
					      WORLD_FUNCTION_BYTES, name, NULL, 0),
			    "no memory");
	}
	stages_need(!flat_builder_finish(builder, 1, &world->tables[object], &bytes) &&
		    !flat_table_check(&table, world->tables[object], bytes, &why),
		    "no table of names");
	flat_builder_destroy(builder);
	object_table_set_ready(&world->ingest.objects, object, &table, &id);
	symbol_names_forget_object(&world->ingest.names, &world->ingest.trie, object);
}

static void name_objects(struct world *world)
{
	const uint32_t count = world->ingest.objects.count;

	world->tables = stages_allocate(count, sizeof(*world->tables));
	name_object(world, OBJECT_KERNEL, WORLD_KERNEL_BASE, WORLD_KERNEL_FUNCTIONS,
		    "sys_function");
	for (uint32_t object = OBJECT_FIXED_COUNT; object < count; object++)
		name_object(world, object, 0, WORLD_FUNCTIONS, "library_function");
}

/* As the sampler queues them, or of a recording one. Returns how many were taken. */
static uint32_t push(struct world *world, const struct tape *tape, uint32_t first)
{
	static struct {
		struct queue_item item;
		_Alignas(8) unsigned char records[UINT16_MAX + 1];
	} queued;
	const struct tape_item *from = &tape->items[first];
	size_t bytes;
	const uint32_t count = world_span(world, tape, first, &bytes);

	queued.item = (struct queue_item){ .kind = QUEUE_RECORD, .event = from->event,
					   .cpu = from->cpu };
	memcpy(queued.records, tape_record(tape, from), bytes);
	ingest_push_item(&world->ingest, &queued.item, sizeof(queued.item) + bytes);
	return count;
}

/* Returns how many items of the tape that was. */
static uint32_t take(struct world *world, const struct tape *tape, uint32_t first)
{
	struct ingest *ingest = &world->ingest;
	const struct queue_round_end mark = { .limit_ns = tape->items[first].limit_ns };

	if (tape->items[first].size)
		return push(world, tape, first);
	ingest_round_end(ingest, &mark);
	ingest_poll(ingest, false);
	if (ingest->timeline.open_slice.seq == world->enforced_seq)
		return 1;
	world->enforced_seq = ingest->timeline.open_slice.seq;
	budget_enforce(ingest, BUDGET_BYTES, ingest->watermark_ns);
	return 1;
}

/* Live: then all that it knows of was known when the sample came. */
static void check_counted(const struct world *world)
{
	const struct ingest *ingest = &world->ingest;

	stages_need(!ingest->counters.malformed, "a record is not what it should be");
	stages_need(world->recording || (!ingest->reorder.late && !ingest->parked_count &&
					 !ingest->counters.unattributed),
		    "not all samples were counted");
}

void world_count(struct world *world)
{
	uint32_t at = 0;

	while (at < world->tape.count)
		at += take(world, &world->tape, at);
	check_counted(world);
}

/* Their cgroups are asked for with the first sample of each. */
static void settle(struct world *world)
{
	const struct task_table *tasks = &world->ingest.tasks;
	const struct timespec pause = { .tv_nsec = 1000000 };
	uint32_t open;

	do {
		open = 0;
		ingest_poll(&world->ingest, true);
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

void world_begin(struct world *world)
{
	const bool is_replay = world->recording != NULL;
	const struct ingest_config config = {
		.events = world->events, .event_count = world->event_count, .is_replay = is_replay,
	};
	struct diag why = { 0 };
	uint32_t at = 0;

	stages_need(is_replay || !process_reader_create(&world->reader, &why), why.text);
	stages_need(!ingest_init(&world->ingest, &config, NULL, world->reader, &why), why.text);
	while (at < world->start.count)
		at += take(world, &world->start, at);
	world_count(world);
	if (!is_replay) {
		settle(world);
		name_objects(world);
	}
	keep_samples(&world->tape);
}

void world_finish(struct world *world)
{
	const uint32_t objects = world->ingest.objects.count;

	if (world->ingest.strings)
		ingest_finish(&world->ingest);
	process_reader_destroy(world->reader);
	perf_data_close(world->recording);
	for (uint32_t i = 0; world->tables && i < objects; i++)
		free(world->tables[i]);
	free(world->tables);
	free(world->tape.bytes);
	free(world->tape.items);
	free(world->start.bytes);
	free(world->start.items);
	free(world->events);
}
