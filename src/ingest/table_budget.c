/* table_budget.c - see ingest/table_budget.h.
 *
 * Problem: a machine on which programs are built and run all day shows thousands of files, each
 * with a table that no process needs after a second; but past windows still show its functions.
 *
 * Idea: a frame is looked up once and keeps its symbol (ingest/symbol_names.h). So all known frames
 * are named before a table is evicted, and the table is needed only for new addresses. Evicting
 * goes on to three quarters of the limit, so that scanning all mappings is rare.
 *
 * Rejected: evicting a table with its process: the next run of the same program comes soon.
 */
#include "ingest/table_budget.h"

#include <stdlib.h>

#include "base/log.h"

void table_budget_note(struct ingest *ingest, const struct open_reply *reply)
{
	if (reply->is_ready && reply->table_number &&
	    !table_set_add(&ingest->tables, reply->table_number, flat_table_bytes(&reply->table)))
		ingest->counters.dropped_no_memory++;
}

static struct table_held *table_of(const struct ingest *ingest, const struct object *object)
{
	return object->state == OBJECT_READY && object->table_number &&
	       object->table_number <= ingest->tables.count
	       ? &ingest->tables.held[object->table_number - 1] : NULL;
}

static void look_who_needs(struct ingest *ingest)
{
	const struct object *objects = ingest->objects.objects;
	struct table_held *held;

	for (uint32_t i = 0; i < ingest->tables.count; i++) {
		ingest->tables.held[i].needed_round = 0;
		ingest->tables.held[i].is_mapped = false;
	}
	for (uint32_t i = 0; i < ingest->objects.count; i++) {
		held = table_of(ingest, &objects[i]);
		if (held && held->needed_round < objects[i].needed_round)
			held->needed_round = objects[i].needed_round;
	}
	for (uint32_t i = 0; i < ingest->tasks.process_count; i++) {
		const struct process *process = &ingest->tasks.processes[i];

		for (uint32_t m = 0; process->is_alive && process->maps &&
				     m < process->maps->count; m++) {
			held = table_of(ingest, &objects[process->maps->rows[m].object]);
			if (held)
				held->is_mapped = true;
		}
	}
}

struct candidate {
	uint32_t number, needed_round;
	bool is_mapped;
};

static int by_need(const void *left, const void *right)
{
	const struct candidate *a = left, *b = right;

	if (a->is_mapped != b->is_mapped)
		return a->is_mapped - b->is_mapped;
	if (a->needed_round != b->needed_round)
		return a->needed_round < b->needed_round ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Lists all loaded tables, least needed first. NULL: out of memory. */
static struct candidate *list_candidates(const struct ingest *ingest, uint32_t *count)
{
	struct candidate *list = calloc(ingest->tables.count, sizeof(*list));

	*count = 0;
	for (uint32_t i = 0; list && i < ingest->tables.count; i++) {
		const struct table_held *held = &ingest->tables.held[i];

		if (held->bytes)
			list[(*count)++] = (struct candidate){ i + 1, held->needed_round,
							       held->is_mapped };
	}
	if (*count)
		qsort(list, *count, sizeof(*list), by_need);
	return list;
}

static void name_frames(struct ingest *ingest)
{
	const struct stack_frames *frames = &ingest->trie.frames;

	for (uint32_t i = 0; i < frames->count; i++)
		if (ingest->objects.objects[frames->object[i]].is_leaving)
			symbol_names_of_frame(&ingest->names, &ingest->trie, i);
}

static bool is_left(const struct ingest *ingest, const struct object *object)
{
	const struct table_held *held = table_of(ingest, object);

	return held && !held->bytes;
}

/* Takes the tables from the objects whose tables are no longer in the set, after naming their
 * frames. */
static void let_objects_go(struct ingest *ingest)
{
	struct object *objects = ingest->objects.objects;

	for (uint32_t i = 0; i < ingest->objects.count; i++)
		objects[i].is_leaving = is_left(ingest, &objects[i]);
	name_frames(ingest);
	for (uint32_t i = 0; i < ingest->objects.count; i++)
		if (objects[i].is_leaving)
			object_table_let_go(&ingest->objects, i);
}

static void let_go(struct ingest *ingest, size_t aim_bytes)
{
	struct open_request request = { .wish = OPEN_RETURN_NAMES };
	uint32_t count, gone = 0;
	struct candidate *list = list_candidates(ingest, &count);

	while (gone + 1 < count && ingest->tables.bytes > aim_bytes)
		table_set_remove(&ingest->tables, list[gone++].number);
	let_objects_go(ingest);
	for (uint32_t i = 0; i < gone; i++) {
		request.table_number = list[i].number;
		request.table_received = ingest->tables.held[list[i].number - 1].received;
		ingest_request_open(ingest, &request);
	}
	free(list);
	ingest->counters.tables_let_go += gone;
	if (gone)
		log_note("%u symbol tables let go for want of room", gone);
}

/* Requests the wanted tables of objects whose file a living process has mapped. */
static void ask_again(struct ingest *ingest)
{
	struct object *objects = ingest->objects.objects;

	for (uint32_t i = 0; i < ingest->tasks.process_count; i++) {
		const struct process *process = &ingest->tasks.processes[i];

		for (uint32_t m = 0; process->is_alive && process->maps &&
				     m < process->maps->count; m++) {
			const struct mapping *row = &process->maps->rows[m];

			if (objects[object_table_current(&ingest->objects, row->object)].is_wanted)
				ingest_load_again(ingest, process->pid, row);
		}
	}
	for (uint32_t i = 0; i < ingest->objects.count; i++)
		objects[i].is_wanted = false;	/* set again at the next new address */
	ingest->objects.wanted = 0;
}

void table_budget_enforce(struct ingest *ingest, size_t limit_bytes)
{
	if (ingest->objects.wanted)
		ask_again(ingest);
	ingest->objects.round++;
	ingest->objects.now_ns = ingest->watermark_ns;
	if (ingest->tables.bytes <= limit_bytes)
		return;
	look_who_needs(ingest);
	let_go(ingest, limit_bytes / 4 * 3);
}
