/* ingest_refused.c - retries objects whose file systems did not answer, and those whose requests
 * were dropped because too many others waited.
 *
 * Problem: files mapped while a disk spins up or a server restarts would stay without names for
 * ever. Idea: every few seconds, scan the mappings of living processes for such objects and request
 * their files again. A file system that still hangs is refused at once, see base/errand.h; so this
 * costs no more than the scan, and only while there are such objects.
 */
#include "base/clock.h"
#include "ingest/ingest.h"

#define AGAIN_NS (5 * CLOCK_NS_PER_S)
#define ASK_MAX	 256	/* requests at once: other files' requests queue up after them */

void ingest_refused_note(struct ingest *ingest, struct object *object, bool is_refused)
{
	object->is_refused = is_refused && (object->state != OBJECT_READY ||
					    object->unwind == OBJECT_UNWIND_NONE);
	if (object->is_refused && !ingest->refused_due_ns)
		ingest->refused_due_ns = clock_now_ns() + AGAIN_NS;
}

static void ask(struct ingest *ingest, uint32_t pid, const struct mapping *mapping)
{
	struct object *object = &ingest->objects.objects[mapping->object];
	struct open_request request;

	object->is_refused = false;
	if (object->state == OBJECT_READY && object->unwind != OBJECT_UNWIND_NONE)
		return;		/* all tables came by another request */
	if (object->state == OBJECT_READY) {	/* unwind rows are requested when its code is hit */
		object->unwind = OBJECT_UNWIND_UNASKED;
		ingest_stacks_tables_changed(&ingest->stacks);
		return;
	}
	object->asked_ns = clock_now_ns();
	object->is_asked = true;
	ingest_mapping_place(ingest, pid, mapping, &request);
	ingest_wish_for_tables(ingest, &request);
	if (ingest->wants_unwind && (object->unwind == OBJECT_UNWIND_UNASKED ||
				     object->unwind == OBJECT_UNWIND_NONE))
		object->unwind = OBJECT_UNWIND_LOADING;
	ingest_request_open(ingest, &request);
}

/* Requests objects of @process, @max at most. Returns how many. */
static uint32_t ask_for_maps(struct ingest *ingest, const struct process *process, uint32_t max)
{
	const struct address_map *maps = process->maps;
	uint32_t asked = 0;

	for (uint32_t i = 0; maps && i < maps->count && asked < max; i++) {
		const struct object *object = &ingest->objects.objects[maps->rows[i].object];

		if (object->is_refused && !object->is_asked && !object->successor) {
			ask(ingest, process->pid, &maps->rows[i]);
			asked++;
		}
	}
	return asked;
}

void ingest_refused_poll(struct ingest *ingest)
{
	const struct task_table *tasks = &ingest->tasks;
	uint32_t asked = 0;

	if (!ingest->refused_due_ns || clock_now_ns() < ingest->refused_due_ns)
		return;
	ingest->refused_due_ns = 0;	/* set again by objects that are refused again */
	for (uint32_t i = 0; i < tasks->process_count && asked < ASK_MAX; i++)
		if (tasks->processes[i].is_alive)
			asked += ask_for_maps(ingest, &tasks->processes[i], ASK_MAX - asked);
	if (asked == ASK_MAX)
		ingest->refused_due_ns = clock_now_ns() + AGAIN_NS;
}
