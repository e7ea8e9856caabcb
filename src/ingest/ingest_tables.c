/* ingest_tables.c - applies the opener's replies: tables of names for objects.
 *
 * An object keeps its names when its file cannot be read again; if the file's content has changed,
 * it is another object, the successor.
 */
#include <stdlib.h>

#include "base/log.h"
#include "ingest/ingest.h"
#include "ingest/table_budget.h"

/* Handles a reply. True: it had no table, and another location of the file was requested. */
static bool ask_other(struct ingest *ingest, struct object *object, bool is_ready)
{
	struct open_request *other = object->other;

	object->is_asked = other && !is_ready;
	object->other = NULL;
	if (object->is_asked)
		ingest_request_open(ingest, other);
	free(other);
	return object->is_asked;
}

static void object_is_unreadable(struct ingest *ingest, uint32_t id, const char *reason)
{
	const struct object *object = &ingest->objects.objects[id];
	const struct str_id before = object->reason;
	const bool was_unreadable = object->state == OBJECT_UNREADABLE;

	object_table_set_unreadable(&ingest->objects, id, reason);
	if (!was_unreadable || object->reason.v != before.v)
		log_note("%s: %s", strpool_get(ingest->strings, object->path), reason);
}

static bool is_copy(const struct object *object, const struct object *other)
{
	return other->path.v == object->path.v && other->mode == object->mode &&
	       build_id_is_equal(&other->build_id, &object->build_id);
}

/* Wants the evicted tables of objects that seem to be copies of @object: only the tables can show
 * whether they are. */
static void want_copies(struct object_table *objects, const struct object *object)
{
	for (uint32_t i = 0; i < objects->count; i++) {
		struct object *other = &objects->objects[i];

		if (other->state != OBJECT_LET_GO || other->canonical == object->canonical ||
		    other->table_sum != object->table_sum || !is_copy(object, other))
			continue;
		objects->wanted += !other->is_wanted;
		other->is_wanted = true;
	}
}

/* Forgets the names of @object and its copies, which are looked up in another copy's table from now
 * on. A copy without a table keeps the names that its frames have. */
static void forget_copies(struct ingest *ingest, const struct object *object)
{
	for (uint32_t i = 0; i < ingest->objects.count; i++) {
		const struct object *other = &ingest->objects.objects[i];

		if (other->canonical == object->canonical && other->state == OBJECT_READY)
			symbol_names_forget_object(&ingest->names, &ingest->trie, i);
	}
}

static void set_ready(struct ingest *ingest, uint32_t id, const struct open_reply *reply)
{
	struct object *object = &ingest->objects.objects[id];

	ingest->has_new_names = true;
	if (object_table_set_ready(&ingest->objects, id, &reply->table, &reply->build_id))
		forget_copies(ingest, object);
	object->table_number = reply->table_number;
	object->table_sum = reply->table_sum;
	want_copies(&ingest->objects, object);
}

/* Handles a repeated request for an object with names. They stay if the process had ended. If the
 * file's content has changed, the table goes to a successor. Without room for one the names stay,
 * too, as one object can't have the names of two; the new table is unused then, and evicted first
 * (table_budget.c). */
static void table_arrived_again(struct ingest *ingest, const struct open_reply *reply)
{
	const uint32_t id = object_table_current(&ingest->objects, reply->object);
	const struct object *object = &ingest->objects.objects[id];
	uint32_t successor;

	if (!reply->is_ready || object->table.header == reply->table.header)
		return;
	if (object->state == OBJECT_LET_GO && object->table_sum == reply->table_sum) {
		set_ready(ingest, id, reply);
		symbol_names_forget_object(&ingest->names, &ingest->trie, id);
		return;
	}
	successor = object_table_succeed(&ingest->objects, id);
	if (successor != id)
		set_ready(ingest, successor, reply);
}

/* Whether it has, or had, the names of its file. */
static bool is_named(const struct object *object)
{
	return object->state == OBJECT_LET_GO ||
	       (object->state == OBJECT_READY && !object->is_run_time);
}

/* Whether its object was removed; the id may be another's by now. Fixed objects stay. */
static bool is_late(const struct ingest *ingest, const struct open_reply *reply)
{
	return reply->object >= OBJECT_FIXED_COUNT &&
	       reply->serial != ingest->objects.objects[reply->object].serial;
}

/* Keeps the unwind table of a removed object, unused, until it is evicted. Clears the request, as
 * an object that shares the table may have to repeat it. */
static void keep_late_unwind(struct ingest *ingest, const struct open_reply *reply)
{
	if (reply->unwind_asked)
		unwind_set_held(&ingest->unwind, reply->unwind_asked)->is_asked = false;
	if (reply->is_ready && !reply->is_unchanged)
		unwind_set_add(&ingest->unwind, reply->unwind_number, &reply->unwind);
}

static void table_arrived(struct ingest *ingest, const struct open_reply *reply)
{
	struct object *object = &ingest->objects.objects[reply->object];

	ingest->opening--;
	table_budget_note(ingest, reply);
	if (reply->jit) {
		ingest_jit_reply(ingest, reply);
		return;
	}
	if (is_late(ingest, reply)) {
		if (reply->is_unwind)
			keep_late_unwind(ingest, reply);
		return;
	}
	if (reply->is_program_name) {
		ingest_program_reply(ingest, reply);
		return;
	}
	if (reply->is_unwind) {
		ingest_unwind_reply(ingest, reply);
		return;
	}
	ingest_refused_note(ingest, object, reply->is_refused);
	if (ask_other(ingest, object, reply->is_ready))
		return;
	if (reply->object != OBJECT_KERNEL && is_named(object)) {
		table_arrived_again(ingest, reply);
		return;
	}
	ingest->has_new_names = true;
	if (reply->object == OBJECT_KERNEL && reply->is_ready && ingest_slide_kernel(ingest, reply))
		return;
	if (reply->is_ready) {
		const char *caution = flat_table_caution(&reply->table);

		if (caution)
			log_note("%s: %s", strpool_get(ingest->strings, object->path), caution);
		set_ready(ingest, reply->object, reply);
		if (object->mode == MODE_KERNEL && ingest->config.is_replay)
			ingest_share_kernel_table(ingest, reply->object);
	} else if (reply->object == OBJECT_KERNEL && ingest->kernel.is_asked) {
		log_note("the kernel's names cannot be read again: %s", reply->why.text);
	} else {
		object_is_unreadable(ingest, reply->object, reply->why.text);
		ingest_jit_object_failed(ingest, reply->object);
	}
	if (reply->object == OBJECT_KERNEL)
		ingest_kernel_reply(ingest);
	symbol_names_forget_object(&ingest->names, &ingest->trie, reply->object);
}

void ingest_opener_replies(struct ingest *ingest)
{
	struct open_reply reply;

	if (!ingest->opener)
		return;
	while (object_opener_reply(ingest->opener, &reply))
		table_arrived(ingest, &reply);
	ingest_retry_requests(ingest);
}
