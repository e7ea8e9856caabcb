/* ingest_programs.c - programs that are started by another name than their file's: redis-server,
 * which is a link to redis-check-rdb.
 *
 * A process has the comm it was started by. Whether that is a name of its program's file only the
 * file system knows, so the object opener checks it: scripts and programs that rename themselves
 * may have any comm. A name is requested once per object, and again if the process had ended
 * before the check.
 */
#include <errno.h>
#include <string.h>

#include "ingest/ingest.h"

#define ASKED_MAX 4096	/* beyond it all are forgotten, and requested at the next start */

static uint64_t key_of(const struct ingest *ingest, uint32_t object, const char *comm)
{
	uint64_t key = ingest->objects.objects[object].serial;

	for (; *comm; comm++)
		key = id_map_mix(key ^ (unsigned char)*comm);
	return key;
}

/* Compares a comm, which the kernel cuts to THREAD_COMM_BYTES - 1, with a file name. */
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

/* Notes a request. False: it was made already, or out of memory. */
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
		request->is_again = true;	/* nothing waits for the reply */
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
