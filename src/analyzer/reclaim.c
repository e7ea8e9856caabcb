/* reclaim.c - see reclaim.h.
 *
 * Rejected: reference counts. Every sample would have to update them, while marking happens where
 * all of history is walked anyway.
 */
#include "reclaim.h"

#include <stdlib.h>

#include "base/log.h"

bool reclaim_is_wanted(const struct ingest *ingest)
{
	return ingest->names.is_full ||
	       (!ingest->config.is_replay && ingest->objects.is_full) || /* else none go */
	       strpool_passing_bytes(ingest->strings) > ingest->swept_bytes + RECLAIM_TEXT_BYTES;
}

static void mark_map(const struct address_map *map, unsigned char *used)
{
	for (uint32_t i = 0; map && i < map->count; i++)
		used[map->rows[i].object] = 1;
}

static void mark_parked(const struct parked_sample *parked, unsigned char *used)
{
	mark_map(parked->maps, used);
	for (uint32_t i = 0; i < parked->callers.code_count; i++)
		used[parked->callers.code[i].object] = 1;
}

static void mark_objects(const struct ingest *ingest, unsigned char *used)
{
	const struct task_table *tasks = &ingest->tasks;

	for (uint32_t i = 0; i < ingest->trie.frames.count; i++)
		used[ingest->trie.frames.object[i]] = 1;
	for (uint32_t i = 0; i < ingest->names.count; i++)
		used[ingest->names.symbols[i].object] = 1;
	for (uint32_t i = 0; i < tasks->process_count; i++)
		mark_map(tasks->processes[i].maps, used);
	for (uint32_t i = 0; i < ingest->parked_count; i++)
		mark_parked(&ingest->parked[i], used);
	mark_map(ingest->kernel_maps, used);
	mark_map(ingest->kernel_overlay, used);
}

/* Recounts the DSOs charged to each process: those that were reclaimed no longer count. */
static void count_brought(struct ingest *ingest)
{
	struct process *process;

	for (uint32_t i = 0; i < ingest->tasks.process_count; i++)
		ingest->tasks.processes[i].objects = 0;
	for (uint32_t i = 0; i < ingest->objects.count; i++) {
		const uint32_t pid = ingest->objects.objects[i].brought_by;

		process = pid ? task_table_find_process(&ingest->tasks, pid) : NULL;
		if (process)
			process->objects++;
	}
}

static void reclaim_objects(struct ingest *ingest)
{
	unsigned char *used = calloc(ingest->objects.count, 1);
	uint32_t gone;

	if (!used)
		return;
	mark_objects(ingest, used);
	ingest->objects.now_ns = ingest->watermark_ns;
	gone = object_table_reclaim(&ingest->objects, used);
	if (gone)
		log_note("%u objects forgotten that are no longer in use", gone);
	free(used);
	count_brought(ingest);
}

static void sweep_text(struct ingest *ingest)
{
	unsigned char *used = calloc(strpool_count(ingest->strings), 1);

	if (!used)
		return;
	task_table_mark_text(&ingest->tasks, used);
	object_table_mark_text(&ingest->objects, used);
	symbol_names_mark_text(&ingest->names, used);
	strpool_sweep(ingest->strings, used);
	ingest->swept_bytes = strpool_passing_bytes(ingest->strings);
	free(used);
}

void reclaim_unused(struct ingest *ingest, const uint32_t *stack_ages, uint32_t recent)
{
	if (ingest->names.is_full &&
	    symbol_names_age(&ingest->names, &ingest->trie, stack_ages, recent))
		log_note("no memory to let go of old names");
	/* A symbol is found by its object and its name: these stay as long as it does. */
	if (symbol_names_compact(&ingest->names, &ingest->trie))
		return;
	if (!ingest->config.is_replay)
		reclaim_objects(ingest);
	sweep_text(ingest);
}
