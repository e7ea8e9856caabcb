/* ingest_unwind.c - requests unwind tables of objects, and evicts them.
 *
 * A table is requested with the names of its object, when the mapping is first seen. If it was not
 * needed then, or was evicted since, it is requested by the mapping that a sample hits.
 */
#include <stdio.h>
#include <sys/sysmacros.h>

#include "ingest/ingest.h"

bool ingest_unwind_is_expected(const struct object *object)
{
	return !object->is_run_time && (object->state == OBJECT_READY ||
					object->state == OBJECT_LOADING ||
					object->state == OBJECT_LET_GO);
}

void ingest_mapping_place(const struct ingest *ingest, uint32_t pid, const struct mapping *mapping,
			  struct open_request *out)
{
	const uint32_t id = object_table_current(&ingest->objects, mapping->object);
	const struct object *object = &ingest->objects.objects[id];

	*out = (struct open_request){ .object = id, .build_id = object->build_id };
	snprintf(out->path, sizeof(out->path), "%s", strpool_get(ingest->strings, object->path));
	if (!ingest->config.is_replay) {
		out->pid = pid;
		out->start = mapping->start;
		out->end = mapping->end;
		out->dev_major = major(object->device);
		out->dev_minor = minor(object->device);
		out->inode = object->inode;
		out->inode_generation = object->inode_generation;
	}
}

/* Requests the table. @gone: number of the evicted table; 0: none. */
static void ask(struct ingest *ingest, uint32_t pid, const struct mapping *mapping, uint64_t gone)
{
	struct open_request request;

	ingest_mapping_place(ingest, pid, mapping, &request);
	request.wish = OPEN_UNWIND;
	request.table_number = gone;
	ingest_request_open(ingest, &request);
}

/* Whether its table was evicted so long ago that the opener has forgotten its number. */
static bool is_lost(const struct ingest *ingest, const struct object *object)
{
	return object->unwind == OBJECT_UNWIND_KNOWN &&
	       unwind_set_is_lost(&ingest->unwind, object->unwind_number);
}

const struct unwind_table *ingest_unwind_find(struct ingest *ingest, uint32_t pid,
					      const struct mapping *mapping, bool *is_loading)
{
	const uint32_t id = object_table_current(&ingest->objects, mapping->object);
	struct object *object = &ingest->objects.objects[id];
	const struct unwind_table *table = NULL;
	bool *is_asked = NULL;

	if (is_lost(ingest, object))
		object->unwind = OBJECT_UNWIND_UNASKED;
	if (object->unwind == OBJECT_UNWIND_KNOWN) {
		table = unwind_set_hit(&ingest->unwind, object->unwind_number);
		is_asked = &unwind_set_held(&ingest->unwind, object->unwind_number)->is_asked;
		if (!table && !*is_asked)
			ask(ingest, pid, mapping, object->unwind_number);
		*is_asked |= !table && object->unwind == OBJECT_UNWIND_KNOWN;
	} else if (object->unwind == OBJECT_UNWIND_UNASKED && ingest->opener &&
		   ingest_unwind_is_expected(object)) {
		object->unwind = OBJECT_UNWIND_LOADING;
		ask(ingest, pid, mapping, 0);
	}
	*is_loading = object->unwind == OBJECT_UNWIND_LOADING ||
		      (object->unwind == OBJECT_UNWIND_KNOWN && !table);
	return table;
}

static void give_back_coldest(struct ingest *ingest)
{
	struct open_request request = { .wish = OPEN_RETURN_UNWIND };

	while (unwind_set_evict(&ingest->unwind, &request.table_number, &request.table_received))
		ingest_request_open(ingest, &request);
}

static bool has_gone(const struct ingest *ingest, const struct object *object)
{
	return object->unwind == OBJECT_UNWIND_KNOWN &&
	       (is_lost(ingest, object) ||
		!unwind_set_held(&ingest->unwind, object->unwind_number)->bytes);
}

void ingest_unwind_reply(struct ingest *ingest, const struct open_reply *reply)
{
	const uint32_t id = object_table_current(&ingest->objects, reply->object);
	struct object *object = &ingest->objects.objects[id];
	const struct object before = *object;
	const uint64_t changes = ingest->unwind.changes;

	/* The object may have another table by now; sharers of the requested one may request it. */
	if (reply->unwind_asked)
		unwind_set_held(&ingest->unwind, reply->unwind_asked)->is_asked = false;
	if (reply->is_unchanged)
		return;
	if (reply->is_ready &&
	    unwind_set_add(&ingest->unwind, reply->unwind_number, &reply->unwind) == 0) {
		object->unwind = OBJECT_UNWIND_KNOWN;
		object->unwind_number = reply->unwind_number;
		give_back_coldest(ingest);
	} else if (object->unwind == OBJECT_UNWIND_LOADING || has_gone(ingest, object)) {
		object->unwind = OBJECT_UNWIND_NONE;
		ingest_refused_note(ingest, object, reply->is_refused);
	}
	if (object->unwind != before.unwind || object->unwind_number != before.unwind_number ||
	    ingest->unwind.changes != changes)
		ingest_stacks_tables_changed(&ingest->stacks);
}
