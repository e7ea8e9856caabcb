/* ingest_requests.c - requests to the object opener, and the queue of those that it has no room
 * for. */
#include <stdlib.h>
#include <string.h>

#include "ingest/ingest.h"

/* Handles a request that could not be sent. Objects with names keep them. */
static void not_asked(struct ingest *ingest, const struct open_request *request,
		      const char *reason)
{
	struct object *object = &ingest->objects.objects[request->object];

	ingest->opening -= open_request_replies(request);
	if (request->wish == OPEN_PROGRAM_NAME) {
		ingest_program_not_asked(ingest, request);
		return;
	}
	if (request->jit) {
		ingest_jit_not_asked(ingest, request);
		return;
	}
	if (object->unwind == OBJECT_UNWIND_LOADING || request->wish == OPEN_UNWIND)
		object->unwind = OBJECT_UNWIND_UNASKED;	/* no reply will come to wait for */
	if (request->wish != OPEN_NAMES && request->wish != OPEN_NAMES_AND_UNWIND)
		return;
	object->is_asked = false;
	if (object->state == OBJECT_LOADING)
		object_table_set_unreadable(&ingest->objects, request->object, reason);
	if (object->state == OBJECT_UNREADABLE)
		ingest_refused_note(ingest, object, true);
}

static bool make_room_to_wait(struct ingest *ingest)
{
	uint32_t capacity = ingest->waiting_capacity ? ingest->waiting_capacity * 2 : 16;
	struct open_request *bigger;

	if (ingest->waiting_count < ingest->waiting_capacity)
		return true;
	bigger = realloc(ingest->waiting, capacity * sizeof(*bigger));
	if (!bigger)
		return false;
	ingest->waiting = bigger;
	ingest->waiting_capacity = capacity;
	return true;
}

void ingest_request_open(struct ingest *ingest, struct open_request *request)
{
	const bool is_file = !request->jit && !request->is_kernel &&
			     !open_wish_is_return(request->wish);

	request->serial = ingest->objects.objects[request->object].serial;
	ingest->opening += open_request_replies(request);
	if (!ingest->waiting_count && object_opener_request(ingest->opener, request))
		return;
	if (is_file && ingest->waiting_count >= INGEST_WAITING_MAX)
		not_asked(ingest, request, "too many files at once: asked for again soon");
	else if (make_room_to_wait(ingest))
		ingest->waiting[ingest->waiting_count++] = *request;
	else
		not_asked(ingest, request, "no memory to ask for it");
}

void ingest_retry_requests(struct ingest *ingest)
{
	uint32_t sent = 0;

	while (sent < ingest->waiting_count &&
	       object_opener_request(ingest->opener, &ingest->waiting[sent]))
		sent++;
	if (!sent)
		return;
	ingest->waiting_count -= sent;
	memmove(ingest->waiting, ingest->waiting + sent,
		ingest->waiting_count * sizeof(*ingest->waiting));
}
