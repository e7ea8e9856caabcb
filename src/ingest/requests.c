/* requests.c - requests to the DSO opener, and the queue of those that it has no room for. */
#include "requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/clock.h"

void requests_destroy(struct requests *requests)
{
	if (requests)
		free(requests->waiting);
	free(requests);
}

/* Handles a request that could not be sent. DSOs with names keep them. */
static void not_sent(struct ingest *ingest, const struct open_request *request, const char *reason)
{
	struct dso *dso = &ingest->dsos.dsos[request->dso];

	ingest->opening -= open_request_replies(request);
	if (request->purpose == OPEN_PROGRAM_NAME || request->jit)
		return;
	if (dso->unwind == DSO_UNWIND_LOADING || request->purpose == OPEN_UNWIND)
		dso->unwind = DSO_UNWIND_UNASKED;	/* no reply will come to wait for */
	if (request->purpose != OPEN_NAMES && request->purpose != OPEN_NAMES_AND_UNWIND)
		return;
	dso->is_asked = false;
	if (dso->state == DSO_LOADING)
		dso_table_set_unreadable(&ingest->dsos, request->dso, reason);
	if (dso->state == DSO_UNREADABLE)
		requests_note_refused(ingest, dso, true);
}

static bool make_room_to_wait(struct requests *requests)
{
	uint32_t capacity = requests->waiting_capacity ? requests->waiting_capacity * 2 : 16;
	struct open_request *bigger;

	if (requests->waiting_count < requests->waiting_capacity)
		return true;
	bigger = realloc(requests->waiting, capacity * sizeof(*bigger));
	if (!bigger)
		return false;
	requests->waiting = bigger;
	requests->waiting_capacity = capacity;
	return true;
}

bool requests_send(struct ingest *ingest, struct open_request *request)
{
	struct requests *requests = ingest->requests;
	const bool is_file = !request->jit && !request->is_kernel &&
			     !open_purpose_is_return(request->purpose);

	request->serial = ingest->dsos.dsos[request->dso].serial;
	ingest->opening += open_request_replies(request);
	if (!requests->waiting_count && dso_opener_request(ingest->opener, request))
		return true;
	if (is_file && requests->waiting_count >= INGEST_WAITING_MAX) {
		not_sent(ingest, request, "too many files at once: asked for again soon");
		return false;
	}
	if (!make_room_to_wait(requests)) {
		not_sent(ingest, request, "no memory to ask for it");
		return false;
	}
	requests->waiting[requests->waiting_count++] = *request;
	return true;
}

void requests_retry(struct ingest *ingest)
{
	struct requests *requests = ingest->requests;
	uint32_t sent = 0;

	while (sent < requests->waiting_count &&
	       dso_opener_request(ingest->opener, &requests->waiting[sent]))
		sent++;
	if (!sent)
		return;
	requests->waiting_count -= sent;
	memmove(requests->waiting, requests->waiting + sent,
		requests->waiting_count * sizeof(*requests->waiting));
}

void ingest_mapping_place(const struct ingest *ingest, uint32_t pid, const struct mapping *mapping,
			  struct open_request *out)
{
	const uint32_t id = dso_table_current(&ingest->dsos, mapping->dso);
	const struct dso *dso = &ingest->dsos.dsos[id];

	*out = (struct open_request){ .dso = id, .build_id = dso->build_id };
	snprintf(out->path, sizeof(out->path), "%s", strpool_get(ingest->strings, dso->path));
	if (!ingest->config.is_replay) {
		out->pid = pid;
		out->start = mapping->start;
		out->end = mapping->end;
		out->dev_major = major(dso->device);
		out->dev_minor = minor(dso->device);
		out->inode = dso->inode;
		out->inode_generation = dso->inode_generation;
	}
}

/* A repeated request names the unwind table that was loaded before, even if it was evicted since:
 * an unused table is needed when its code is hit, not because the file is mapped once more.
 *
 * Where nobody looks, no table is made before its code is hit: most libraries of short programs
 * are never sampled, and each table costs a process. A deleted file, or one in a container, can
 * only be read while a process has it: its table is made at once. */
void requests_choose_tables(const struct ingest *ingest, struct open_request *request)
{
	const struct dso *dso = &ingest->dsos.dsos[request->dso];

	request->is_again = dso->state == DSO_READY;
	if (ingest->config.only_records)
		request->symbols = ingest->wants_unwind ? SYMBOLS_UNUSED : SYMBOLS_FOR_BUILD_ID;
	if (!ingest->wants_unwind)
		return;
	request->purpose = OPEN_NAMES_AND_UNWIND;
	request->unwind_can_wait = ingest->config.only_records &&
				   dso->unwind == DSO_UNWIND_UNASKED;
	if (dso->unwind == DSO_UNWIND_KNOWN)
		request->known_unwind = dso->unwind_number;
	else if (dso->unwind != DSO_UNWIND_NONE && !request->unwind_can_wait)
		request->is_again = false;
}

void requests_load_again(struct ingest *ingest, uint32_t pid, const struct mapping *mapping)
{
	const uint32_t id = dso_table_current(&ingest->dsos, mapping->dso);
	struct dso *dso = &ingest->dsos.dsos[id];
	struct open_request request;

	if (dso->state != DSO_LET_GO || dso->is_asked)
		return;
	ingest_mapping_place(ingest, pid, mapping, &request);
	request.build_id.count = 0;	/* it may have been overwritten */
	dso->is_asked = true;
	requests_send(ingest, &request);
}

/* Retries DSOs whose file systems did not reply, and those whose requests were dropped because too
 * many others waited.
 *
 * Problem: files mapped while a disk spins up or a server restarts would stay without names for
 * ever. Idea: every few seconds, scan the mappings of living processes for such DSOs and request
 * their files again. A file system that still hangs is refused at once, see base/service.h;
 * so this costs no more than the scan, and only while there are such DSOs. */
#define AGAIN_NS (5 * CLOCK_NS_PER_S)
#define ASK_MAX	 256	/* requests at once: other files' requests queue up after them */

void requests_note_refused(struct ingest *ingest, struct dso *dso, bool is_refused)
{
	dso->is_refused = is_refused && (dso->state != DSO_READY ||
					 dso->unwind == DSO_UNWIND_NONE);
	if (dso->is_refused && !ingest->requests->refused_due_ns)
		ingest->requests->refused_due_ns = clock_now_ns() + AGAIN_NS;
}

static void ask(struct ingest *ingest, uint32_t pid, const struct mapping *mapping)
{
	struct dso *dso = &ingest->dsos.dsos[mapping->dso];
	struct open_request request;

	dso->is_refused = false;
	if (dso->state == DSO_READY && dso->unwind != DSO_UNWIND_NONE)
		return;		/* all tables came by another request */
	if (dso->state == DSO_READY) {		/* unwind rows are requested when its code is hit */
		dso->unwind = DSO_UNWIND_UNASKED;
		ingest->tables_epoch++;
		return;
	}
	dso->asked_ns = clock_now_ns();
	dso->is_asked = true;
	ingest_mapping_place(ingest, pid, mapping, &request);
	requests_choose_tables(ingest, &request);
	if (request.purpose == OPEN_NAMES_AND_UNWIND && (dso->unwind == DSO_UNWIND_UNASKED ||
							 dso->unwind == DSO_UNWIND_NONE))
		dso->unwind = DSO_UNWIND_LOADING;
	requests_send(ingest, &request);
}

/* Requests DSOs of @process, @max at most. Returns how many. */
static uint32_t ask_for_maps(struct ingest *ingest, const struct process *process, uint32_t max)
{
	const struct process_maps *maps = process->maps;
	uint32_t asked = 0;

	for (uint32_t i = 0; maps && i < maps->count && asked < max; i++) {
		const struct dso *dso = &ingest->dsos.dsos[maps->rows[i].dso];

		if (dso->is_refused && !dso->is_asked && !dso->successor) {
			ask(ingest, process->pid, &maps->rows[i]);
			asked++;
		}
	}
	return asked;
}

void requests_poll(struct ingest *ingest)
{
	const struct task_table *tasks = &ingest->tasks;
	uint32_t asked = 0;

	if (!ingest->requests->refused_due_ns || clock_now_ns() < ingest->requests->refused_due_ns)
		return;
	ingest->requests->refused_due_ns = 0;	/* set again by DSOs that are refused again */
	for (uint32_t i = 0; i < tasks->process_count && asked < ASK_MAX; i++)
		if (tasks->processes[i].is_alive)
			asked += ask_for_maps(ingest, &tasks->processes[i], ASK_MAX - asked);
	if (asked == ASK_MAX)
		ingest->requests->refused_due_ns = clock_now_ns() + AGAIN_NS;
}
