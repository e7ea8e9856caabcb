/* ingest_programs.c - programs that are started by another name than their file's: redis-server,
 * which is a link to redis-check-rdb.
 *
 * A process is called as it was started. Whether that is a name of its program's file only the file
 * system can tell, which the object opener asks: scripts and programs that rename themselves are
 * called by anything. A name is asked for once for an object, and again when the process that
 * was to show it had gone.
 */
#include <errno.h>
#include <string.h>

#include "ingest/ingest.h"

#define ASKED_MAX 4096	/* beyond that all are forgotten, and asked for when they start again */

static uint64_t key_of(const struct ingest *ingest, uint32_t object, const char *comm)
{
	uint64_t key = ingest->objects.objects[object].serial;

	for (; *comm; comm++)
		key = id_map_mix(key ^ (unsigned char)*comm);
	return key;
}

/* The kernel cuts the names of processes. */
static bool is_name_of_file(const char *comm, const char *name)
{
	return strlen(comm) == THREAD_COMM_BYTES - 1
	       ? !strncmp(comm, name, THREAD_COMM_BYTES - 1) : !strcmp(comm, name);
}

static void set_started(struct ingest *ingest, uint32_t id, const char *name)
{
	const uint32_t object =
		ingest->objects.objects[object_table_current(&ingest->objects, id)].canonical;

	if (!object_table_set_started(&ingest->objects, object, name))
		return;
	symbol_names_rename_object(&ingest->names, object);
	ingest->has_new_names = true;
}

/* False: it was asked for already, or cannot be remembered. */
static bool note_asked(struct ingest *ingest, uint64_t key)
{
	if (id_map_get(&ingest->program_names, key) != ID_MAP_NONE)
		return false;
	if (ingest->program_names.used >= ASKED_MAX)
		id_map_clear(&ingest->program_names);
	return !id_map_put(&ingest->program_names, key, 1);
}

void ingest_program_mapped(struct ingest *ingest, struct open_request *request)
{
	const struct thread *first = task_table_find_thread(&ingest->tasks, request->pid);
	const char *name = strpool_get(ingest->strings,
				       ingest->objects.objects[request->object].name);

	if (!first || !first->has_comm || !first->comm_len)
		return;
	memcpy(request->comm, first->comm, first->comm_len);
	if (is_name_of_file(request->comm, name)) {
		set_started(ingest, request->object, name);
	} else if (!strchr(request->comm, '/') && !ingest->waiting_count &&
		   note_asked(ingest, key_of(ingest, request->object, request->comm))) {
		request->is_again = true;	/* nobody waits for it */
		ingest_request_open(ingest, request);
	}
}

void ingest_program_not_asked(struct ingest *ingest, const struct open_request *request)
{
	id_map_remove(&ingest->program_names, key_of(ingest, request->object, request->comm));
}

void ingest_program_reply(struct ingest *ingest, const struct open_reply *reply)
{
	if (reply->is_ready)
		set_started(ingest, reply->object, reply->comm);
	else if (reply->why.err != -ENOENT)
		id_map_remove(&ingest->program_names,
			      key_of(ingest, reply->object, reply->comm));
}
