/* requests.h - requests to the opener of files: queued, sent, repeated.
 * Thread: the analyzer's. */
#ifndef INGEST_REQUESTS_H
#define INGEST_REQUESTS_H

#include "ingest/ingest.h"

struct requests {
	struct open_request *waiting;	/* owned; requests that wait for room in the opener's queue:
					 * INGEST_WAITING_MAX files and those of run-time code */
	uint32_t waiting_count, waiting_capacity;
	uint64_t refused_due_ns;	/* when to retry DSOs whose file systems did not reply;
					 * 0: there are none */
};

void requests_destroy(struct requests *requests);	/* NULL is fine */
/* Sends @request to the opener, or queues it; fills in its serial. False: neither, for want of room
 * or memory. If it was about the tables of a DSO, that is marked, to be requested again. */
bool requests_send(struct ingest *ingest, struct open_request *request);
void requests_retry(struct ingest *ingest);	/* sends those that wait */
/* Fills in which tables of @request->dso are needed and not loaded yet. */
void requests_choose_tables(const struct ingest *ingest, struct open_request *request);
/* Requests the evicted table of the DSO at @mapping in the living process @pid. */
void requests_load_again(struct ingest *ingest, uint32_t pid, const struct mapping *mapping);
/* Notes whether the file system of @dso did not reply, or its request was dropped for want of room:
 * then it is requested again some seconds later. A DSO that has its tables is not marked: it only
 * may be outdated. */
void requests_note_refused(struct ingest *ingest, struct dso *dso, bool is_refused);
void requests_poll(struct ingest *ingest);	/* repeats refused requests that are due */

#endif
