/* ingest_objects.c - mappings -> objects, and objects -> tables that arrive later.
 *
 * Invariant: the file behind an executable mapping is asked for when the mapping is first seen, not
 * when a fold wants a name: processes vanish in milliseconds. A later mapping of it asks again, at
 * most once a second: the first process may have vanished too soon, and a file may be overwritten
 * in place, which changes the code of all its mappings.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "base/clock.h"
#include "base/log.h"
#include "model/ingest.h"

#define ASK_AGAIN_NS CLOCK_NS_PER_S	/* opening an object costs some 0.1 ms */

/* A mapping in either wording, the record's or /proc/PID/maps'. */
struct seen_mapping {
	uint32_t pid;
	uint64_t start, end, file_offset, time_ns;
	const char *path;
	size_t path_len;
	struct build_id build_id;	/* count 0: dev and inode instead */
	uint32_t dev_major, dev_minor;
	uint64_t inode, inode_generation;
	uint64_t seen_ns;	/* of the record or the reading; time_ns: 0 for the latter */
	uint32_t flags;
};

static bool begins_with(const struct seen_mapping *seen, const char *prefix)
{
	const size_t len = strlen(prefix);

	return seen->path_len >= len && !memcmp(seen->path, prefix, len);
}

/* What recordings of old versions of perf(1) call executable memory: "/tmp/perf-PID.map". */
static bool is_perf_map(const struct seen_mapping *seen)
{
	char name[32];
	uint32_t pid;
	int end = 0;

	snprintf(name, sizeof(name), "%.*s", (int)seen->path_len, seen->path);
	return sscanf(name, "/tmp/perf-%" SCNu32 ".map%n", &pid, &end) == 1 && end && !name[end];
}

/* Memory without a file: its frames keep their address. */
static bool is_anonymous(const struct seen_mapping *seen)
{
	return !seen->path_len || begins_with(seen, "//anon") || begins_with(seen, "/dev/zero") ||
	       begins_with(seen, "/anon_hugepage") || begins_with(seen, "[stack") ||
	       begins_with(seen, "/SYSV") || begins_with(seen, "[heap]") ||
	       begins_with(seen, "[anon") || is_perf_map(seen) ||
	       (seen->flags & MAP_HUGETLB);
}

/* Memory with a file of its own that no directory has: an ELF file, or code made at run time. */
static bool is_memfd(const struct seen_mapping *seen)
{
	return begins_with(seen, "/memfd:");
}

/* What a JIT compiler maps executable only so that profilers see it: ".../jit-PID.dump". */
static bool is_jitdump(const struct seen_mapping *seen)
{
	const char *slash = seen->path_len ? memrchr(seen->path, '/', seen->path_len) : NULL;
	char name[32];
	uint32_t pid;
	int end = 0;

	if (!slash)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(seen->path + seen->path_len - slash - 1),
		 slash + 1);
	return sscanf(name, "jit-%" SCNu32 ".dump%n", &pid, &end) == 1 && end &&
	       (!name[end] || !strcmp(name + end, " (deleted)"));
}

static bool is_file(const struct seen_mapping *seen)
{
	return begins_with(seen, "/") || begins_with(seen, "[vdso]");
}

/* The identity that a recording's header gives to a path. */
static struct build_id recorded_build_id(const struct ingest *ingest,
					 const struct seen_mapping *seen)
{
	for (size_t i = 0; i < ingest->config.build_id_count; i++) {
		const struct ingest_build_id *known = &ingest->config.build_ids[i];

		if (strlen(known->path) == seen->path_len &&
		    !memcmp(known->path, seen->path, seen->path_len))
			return known->build_id;
	}
	return (struct build_id){ .count = 0 };
}

/* What has names keeps them. */
static void not_asked(struct ingest *ingest, const struct open_request *request,
		      const char *reason)
{
	struct object *object = &ingest->objects.objects[request->object];

	ingest->opening -= open_request_replies(request);
	if (request->jit)
		return;
	if (object->unwind == OBJECT_UNWIND_LOADING || request->wish == OPEN_UNWIND)
		object->unwind = OBJECT_UNWIND_UNASKED;	/* no answer comes, and nobody may wait */
	if (request->wish != OPEN_NAMES && request->wish != OPEN_NAMES_AND_UNWIND)
		return;
	object->is_asked = false;
	if (object->state == OBJECT_LOADING)
		object_table_set_unreadable(&ingest->objects, request->object, reason);
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

void ingest_request_open(struct ingest *ingest, const struct open_request *request)
{
	const bool is_file = !request->jit && !request->is_kernel &&
			     request->wish != OPEN_RETURN_UNWIND;

	ingest->opening += open_request_replies(request);
	if (!ingest->waiting_count && object_opener_request(ingest->opener, request))
		return;
	if (is_file && ingest->waiting_count >= INGEST_WAITING_MAX)
		not_asked(ingest, request, "too many files at once: read when it is mapped again");
	else if (make_room_to_wait(ingest))
		ingest->waiting[ingest->waiting_count++] = *request;
	else
		not_asked(ingest, request, "no memory to ask for it");
}

static void retry_waiting(struct ingest *ingest)
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

/* Fills in where the file is. False: the path is too long. */
static bool fill_request(struct open_request *request, const struct ingest *ingest,
			 const struct seen_mapping *seen)
{
	if (seen->path_len >= sizeof(request->path))
		return false;
	memcpy(request->path, seen->path, seen->path_len);
	request->build_id = seen->build_id;
	if (!ingest->config.is_replay) {
		request->pid = seen->pid;
		request->start = seen->start;
		request->end = seen->end;
		request->dev_major = seen->dev_major;
		request->dev_minor = seen->dev_minor;
		request->inode = seen->inode;
		request->inode_generation = seen->inode_generation;
	}
	return true;
}

static void load(struct ingest *ingest, uint32_t id, const struct seen_mapping *seen)
{
	struct object *object = &ingest->objects.objects[id];
	struct open_request request = { .object = id };

	if (!ingest->opener || !is_file(seen))
		return;		/* OBJECT_NO_TABLE */
	if (!fill_request(&request, ingest, seen)) {
		object_table_set_unreadable(&ingest->objects, id, "path too long");
		return;
	}
	if (ingest->config.is_replay && !seen->build_id.count) {
		object_table_set_unreadable(&ingest->objects, id, "no build-id recorded");
		return;
	}
	if (object->state == OBJECT_NO_TABLE)
		object->state = OBJECT_LOADING;
	object->asked_ns = seen->seen_ns;
	object->is_asked = true;
	if (ingest->wants_unwind) {
		request.wish = OPEN_NAMES_AND_UNWIND;
		if (object->unwind == OBJECT_UNWIND_UNASKED)
			object->unwind = OBJECT_UNWIND_LOADING;
	}
	ingest_request_open(ingest, &request);
}

/* Should the file not be found where it was looked for: the process there may be gone, or outside
 * of our PID namespace, where nobody can look. */
static void keep_other(struct ingest *ingest, uint32_t id, const struct seen_mapping *seen)
{
	struct object *object = &ingest->objects.objects[id];

	if (!object->other)
		object->other = malloc(sizeof(*object->other));
	if (!object->other)
		return;		/* the next mapping asks */
	*object->other = (struct open_request){ .object = id };
	if (ingest->wants_unwind)
		object->other->wish = OPEN_NAMES_AND_UNWIND;
	fill_request(object->other, ingest, seen);
}

/* @id is mapped once more. Its file may have changed; or it can be opened only from here. */
static void load_again(struct ingest *ingest, uint32_t id, const struct seen_mapping *seen)
{
	struct object *object = &ingest->objects.objects[id];
	const bool is_readable = object->state == OBJECT_READY;

	if (ingest->config.is_replay || object->is_run_time || object->state == OBJECT_NO_TABLE)
		return;
	if (object->is_asked && !is_readable && seen->pid)
		keep_other(ingest, id, seen);
	else if (!object->is_asked && (seen->seen_ns > object->asked_ns + ASK_AGAIN_NS ||
				       (!is_readable && seen->pid)))
		load(ingest, id, seen);
}

/* The answer is there. True: it was none, and another place is asked. */
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

static void load_new(struct ingest *ingest, struct process *process, uint32_t id,
		     const struct seen_mapping *seen)
{
	struct open_request request = { .object = id };

	if (is_anonymous(seen)) {
		ingest_jit_add_object(ingest, process, id, 0);
	} else if (is_jitdump(seen)) {
		if (fill_request(&request, ingest, seen))
			ingest_jit_add_dump(ingest, process, &request);
	} else {
		if (is_memfd(seen))
			ingest_jit_add_object(ingest, process, id,
					      seen->start - seen->file_offset);
		load(ingest, id, seen);
	}
}

static uint32_t object_of(struct ingest *ingest, struct process *process,
			  struct seen_mapping *seen)
{
	struct object_key key = {
		.path = seen->path_len ? seen->path : "//anon",
		.path_len = seen->path_len ? seen->path_len : 6, .mode = MODE_USER,
	};
	bool is_new;
	uint32_t id;

	if (ingest->config.is_replay && !seen->build_id.count)
		seen->build_id = recorded_build_id(ingest, seen);
	if (is_file(seen) && !begins_with(seen, "[")) {
		key.build_id = seen->build_id;
		key.device = makedev(seen->dev_major, seen->dev_minor);
		key.inode = seen->inode;
		key.inode_generation = seen->inode_generation;
	}
	if (begins_with(seen, "[vdso]") && seen->end <= UINT32_MAX)	/* a process's own */
		key.place = (uint64_t)seen->pid << 32 | seen->start;
	else if (is_anonymous(seen))
		key.place = ingest_jit_place(ingest, process);
	else if (is_memfd(seen))
		key.place = id_map_mix(ingest_jit_place(ingest, process)) ^
			    (seen->start - seen->file_offset);
	id = object_table_intern(&ingest->objects, &key, &is_new);
	if (is_new)
		load_new(ingest, process, id, seen);
	else if (!is_anonymous(seen) && !is_jitdump(seen))
		load_again(ingest, id, seen);
	return id;
}

static void insert_user(struct ingest *ingest, struct process *process, struct address_map **map,
			struct seen_mapping *seen)
{
	/* Kernels up to 3.8 report the address of the vdso as its offset. */
	const uint64_t offset = begins_with(seen, "[vdso]") ? 0 : seen->file_offset;
	const struct mapping row = {
		.start = seen->start, .end = seen->end, .file_offset = offset,
		.since_ns = seen->time_ns, .object = object_of(ingest, process, seen),
		.is_absolute = is_anonymous(seen),
	};

	if (!*map)
		*map = address_map_create();
	if (!*map || address_map_insert(map, &row) == -ENOMEM)
		ingest->counters.dropped_no_memory++;
}

void ingest_ask_kernel(struct ingest *ingest)
{
	const struct open_request request = { .object = OBJECT_KERNEL, .is_kernel = true };

	if (!ingest->opener)
		return;
	ingest->objects.objects[OBJECT_KERNEL].state = OBJECT_LOADING;
	ingest_request_open(ingest, &request);
}

/* "/lib/modules/6.1/kernel/fs/ext4/ext4.ko.xz" -> "[ext4]", as perf(1) and /proc/modules do. */
static size_t module_name(char *out, size_t cap, const char *path, size_t len)
{
	const char *slash = memrchr(path, '/', len);
	const char *name = slash ? slash + 1 : path;
	size_t used = len - (size_t)(name - path), stem = 0;

	if (path[0] == '[') {
		snprintf(out, cap, "%.*s", (int)len, path);
		return strlen(out);
	}
	while (stem < used && memcmp(name + stem, ".ko", used - stem < 3 ? used - stem : 3))
		stem++;
	snprintf(out, cap, "[%.*s]", (int)stem, name);
	for (char *at = out; *at; at++)
		if (*at == '-')
			*at = '_';
	return strlen(out);
}

/* A replay's modules are in the kernel's table. */
static void share_kernel_table(struct ingest *ingest)
{
	const struct object *kernel = &ingest->objects.objects[OBJECT_KERNEL];

	if (kernel->state != OBJECT_READY)
		return;
	for (uint32_t id = OBJECT_FIXED_COUNT; id < ingest->objects.count; id++) {
		struct object *object = &ingest->objects.objects[id];

		if (object->mode != MODE_KERNEL || object->state != OBJECT_NO_TABLE)
			continue;
		object->state = OBJECT_READY;
		object->table = kernel->table;
		symbol_names_forget_object(&ingest->trie, id);
	}
}

/* Not the one whose names may be there: it gets none, rather than those of another. */
static uint32_t other_kernel(struct ingest *ingest)
{
	const struct object_key key = {
		.path = "[kernel.kallsyms]", .path_len = sizeof("[kernel.kallsyms]") - 1,
		.mode = MODE_KERNEL, .place = ingest->config.kernel_number,
	};
	bool is_new;
	const uint32_t id = object_table_intern(&ingest->objects, &key, &is_new);

	ingest->objects.objects[id].name = ingest->objects.objects[OBJECT_KERNEL].name;
	object_table_set_unreadable(&ingest->objects, id, "another kernel was recorded");
	return id;
}

/* A kernel that was started again lies elsewhere, and its modules lie anywhere. */
static void look_where_text_is(struct ingest *ingest, uint64_t text_address)
{
	if (!ingest->recorded_text_address)
		ingest->recorded_text_address = text_address;
	ingest->kernel_shift = ingest->recorded_text_address - text_address;
}

/* What makes modules others than those of the recording before; 0: nothing. */
static uint64_t module_place(const struct ingest *ingest)
{
	return ingest->config.kernel_number ? ingest->config.kernel_number
					    : ingest->kernel_shift;
}

/* A replay says where its kernel and modules were. Their names come only from the kernel that was
 * recorded: this one, if its build-id says so. */
static void kernel_mmap(struct ingest *ingest, const struct event_record *record)
{
	const struct record_mmap *mmap = &record->mmap;
	struct mapping row = { .start = mmap->start, .end = mmap->start + mmap->bytes,
			       .is_absolute = true, .object = OBJECT_KERNEL };
	const struct object_key key = { .path = mmap->path.bytes, .path_len = mmap->path.len,
					.mode = MODE_KERNEL, .place = module_place(ingest) };
	char name[256];
	size_t len;
	bool is_new;

	if (mmap->path.len >= 16 && !memcmp(mmap->path.bytes, "[kernel.kallsyms", 16)) {
		if (!row.start && !mmap->bytes)
			row.end = UINT64_MAX;	/* old perf: wherever no module is */
		if (ingest->config.kernel_number)
			row.object = other_kernel(ingest);
		else
			look_where_text_is(ingest, mmap->file_offset);
		if (ingest->is_kernel_recorded && !ingest->config.kernel_number &&
		    ingest->objects.objects[OBJECT_KERNEL].state == OBJECT_NO_TABLE)
			ingest_ask_kernel(ingest);
	} else if (mmap->path.len && (mmap->path.bytes[0] == '/' || mmap->path.bytes[0] == '[')) {
		len = module_name(name, sizeof(name), mmap->path.bytes, mmap->path.len);
		row.object = object_table_intern(&ingest->objects, &key, &is_new);
		ingest->objects.objects[row.object].name =
			strpool_intern(ingest->strings, name, len);
		if (key.place)
			object_table_set_unreadable(&ingest->objects, row.object,
						    "its kernel was another one, or started "
						    "again");
		share_kernel_table(ingest);
	} else {
		return;
	}
	if (row.end < row.start)
		row.end = UINT64_MAX;
	address_map_insert(&ingest->kernel_maps, &row);
}

void ingest_mmap(struct ingest *ingest, const struct event_record *record)
{
	const struct record_mmap *mmap = &record->mmap;
	struct seen_mapping seen = {
		.pid = record->pid, .start = mmap->start, .end = mmap->start + mmap->bytes,
		.file_offset = mmap->file_offset, .time_ns = record->time_ns,
		.path = mmap->path.bytes, .path_len = mmap->path.len, .flags = mmap->flags,
		.dev_major = mmap->dev_major, .dev_minor = mmap->dev_minor, .inode = mmap->inode,
		.inode_generation = mmap->inode_generation, .seen_ns = record->time_ns,
	};
	struct process *process;

	if (record->mode == MODE_KERNEL) {
		kernel_mmap(ingest, record);
		return;
	}
	if (record->mode == MODE_GUEST_KERNEL || record->mode == MODE_GUEST_USER)
		return;
	if (!ingest->config.is_replay && !mmap->is_executable)
		return;
	if (mmap->has_build_id)
		seen.build_id = mmap->build_id;
	process = task_table_process(&ingest->tasks, record->pid);
	if (process)
		insert_user(ingest, process, &process->maps, &seen);
}

/* The /proc view, with what was mapped since laid over it. */
static void apply_maps(struct ingest *ingest, struct process *process,
		       const struct process_reply *reply)
{
	struct address_map *fresh = address_map_create(), *newer = process->maps;

	if (!fresh)
		return;
	for (uint32_t i = 0; i < reply->row_count; i++) {
		const struct process_mapping *row = &reply->rows[i];
		struct seen_mapping seen = {
			.pid = reply->pid, .start = row->start, .end = row->end,
			.file_offset = row->file_offset, .path = row->path,
			.path_len = strlen(row->path), .inode = row->inode,
			.dev_major = row->dev_major, .dev_minor = row->dev_minor,
			.seen_ns = reply->time_ns,
		};

		insert_user(ingest, process, &fresh, &seen);
	}
	for (uint32_t i = 0; newer && i < newer->count; i++)
		if (newer->rows[i].since_ns > reply->time_ns)
			address_map_insert(&fresh, &newer->rows[i]);
	address_map_release(process->maps);
	process->maps = fresh;
}

/* At once: there may be no other sample that asks. */
static void ask_cgroup_again(struct ingest *ingest, struct process *process)
{
	const struct process_request request = {
		.pid = process->pid, .tid = process->pid, .parent_pid = process->parent_pid,
		.wants_cgroup = true, .has_names = true,
	};

	process->is_cgroup_stale = false;
	process->is_cgroup_asked = process_reader_request(ingest->reader, &request);
}

/* Where the parent was at the fork is not asked of /proc when it was known then. */
static void apply_cgroup(struct ingest *ingest, struct process *process,
			 const struct process_reply *reply)
{
	struct cgroup_table *cgroups = &ingest->tasks.cgroups;
	const char *path = reply->cgroup;

	if (!process->is_cgroup_asked)
		return;
	process->is_cgroup_asked = false;
	if (!path && reply->parent_pid != process->parent_pid)
		return;		/* asked before its fork's turn came: it is asked again */
	if (path && !(reply->is_parents_cgroup && process->is_cgroup_told))
		process->cgroup = cgroup_table_intern(cgroups, path, strlen(path));
	process->cgroup_ns = reply->time_ns;
	if (process->is_cgroup_stale)
		ask_cgroup_again(ingest, process);
	else if (task_table_settle(&ingest->tasks, process, process->cgroup))
		ingest->has_new_names = true;
}

/* The first thread's, which may sleep for ever and never be sampled. */
static void apply_process_comm(struct ingest *ingest, const struct process_reply *reply)
{
	struct thread *first = task_table_thread(&ingest->tasks, reply->pid, reply->pid);

	if (first && !first->has_comm)
		thread_set_comm(first, reply->process_comm, strlen(reply->process_comm));
}

void ingest_maps_reply(struct ingest *ingest, const struct process_reply *reply)
{
	struct process *process = task_table_find_process(&ingest->tasks, reply->pid);
	struct thread *thread = task_table_find_thread(&ingest->tasks, reply->tid);

	if (reply->time_ns < ingest->tasks_since_ns)
		return;		/* asked before all was forgotten: it is asked again */
	if (thread && thread->pid == reply->pid && !reply->has_names) {
		thread->is_answered = true;
		if (!thread->has_comm && reply->has_comm)
			thread_set_comm(thread, reply->comm, strlen(reply->comm));
	}
	if (!process)
		return;
	if (reply->has_uid && !process->has_uid) {
		process->uid = reply->uid;
		process->has_uid = true;
	}
	if (reply->process_comm[0])
		apply_process_comm(ingest, reply);
	if (reply->wants_cgroup)
		apply_cgroup(ingest, process, reply);
	if (!reply->wants_maps || process->maps_state != MAPS_ASKED)
		return;		/* an exec came in between: the reply is of the past */
	if (!reply->has_maps && reply->parent_pid != process->parent_pid) {
		process->maps_state = MAPS_UNREAD;	/* asked before its fork's turn came */
		return;
	}
	process->maps_state = reply->has_maps ? MAPS_KNOWN : MAPS_MISSED;
	if (reply->has_maps)
		apply_maps(ingest, process, reply);
}

/* A program that the kernel made at run time (BPF, trampolines): an object of one symbol, which is
 * its path. */
void ingest_ksymbol(struct ingest *ingest, const struct event_record *record)
{
	const struct record_ksymbol *ksymbol = &record->ksymbol;
	const struct object_key key = {
		.path = ksymbol->name.bytes, .path_len = ksymbol->name.len, .mode = MODE_KERNEL,
		.device = 1, .inode = ksymbol->start,
	};
	struct mapping row = {
		.start = ksymbol->start, .end = ksymbol->start + ksymbol->bytes,
		.is_absolute = true, .since_ns = record->time_ns,
	};
	bool is_new;

	if (ksymbol->is_unregister) {
		if (!address_map_find(ingest->kernel_overlay, ksymbol->start))
			return;
		/* The memory may be used again by code without a name. */
		row.object = ingest->config.is_replay ? OBJECT_UNKNOWN_KERNEL : OBJECT_KERNEL;
	} else {
		if (ingest->config.is_replay &&
		    address_map_find(ingest->kernel_maps, ksymbol->start))
			return;
		row.object = object_table_intern(&ingest->objects, &key, &is_new);
		if (is_new)
			ingest->objects.objects[row.object].state = OBJECT_IS_SYMBOL;
	}
	address_map_insert(&ingest->kernel_overlay, &row);
}

/* The recorded kernel lay elsewhere (KASLR): ask again, slid. */
static bool slide_kernel(struct ingest *ingest, const struct open_reply *reply)
{
	struct open_request request = { .object = OBJECT_KERNEL, .is_kernel = true };

	if (!ingest->config.is_replay || ingest->is_kernel_slid ||
	    !ingest->recorded_text_address || !reply->kernel_text_address ||
	    reply->kernel_text_address == ingest->recorded_text_address)
		return false;
	ingest->is_kernel_slid = true;
	request.kernel_slide = ingest->recorded_text_address - reply->kernel_text_address;
	ingest_request_open(ingest, &request);
	return true;
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

/* An object that has names was asked again. It keeps them when that process was gone; but its file
 * may have another content by now. */
static void table_arrived_again(struct ingest *ingest, const struct open_reply *reply)
{
	const uint32_t id = object_table_current(&ingest->objects, reply->object);

	if (!reply->is_ready ||
	    ingest->objects.objects[id].table.header == reply->table.header)
		return;
	ingest->has_new_names = true;
	object_table_set_ready(&ingest->objects, object_table_succeed(&ingest->objects, id),
			       &reply->table, &reply->build_id);
}

static void table_arrived(struct ingest *ingest, const struct open_reply *reply)
{
	struct object *object = &ingest->objects.objects[reply->object];

	ingest->opening--;
	if (reply->is_unwind) {
		ingest_unwind_reply(ingest, reply);
		return;
	}
	if (reply->jit) {
		ingest_jit_reply(ingest, reply);
		return;
	}
	if (ask_other(ingest, object, reply->is_ready))
		return;
	if (reply->object != OBJECT_KERNEL && object->state == OBJECT_READY &&
	    !object->is_run_time) {
		table_arrived_again(ingest, reply);
		return;
	}
	ingest->has_new_names = true;
	if (reply->object == OBJECT_KERNEL && reply->is_ready && slide_kernel(ingest, reply))
		return;
	if (reply->is_ready) {
		object_table_set_ready(&ingest->objects, reply->object, &reply->table,
				       &reply->build_id);
		if (reply->object == OBJECT_KERNEL && ingest->config.is_replay)
			share_kernel_table(ingest);
	} else if (reply->object == OBJECT_KERNEL && ingest->kernel.is_asked) {
		log_note("the kernel's names cannot be read again: %s", reply->why.text);
	} else {
		object_is_unreadable(ingest, reply->object, reply->why.text);
		ingest_jit_object_failed(ingest, reply->object);
	}
	if (reply->object == OBJECT_KERNEL)
		ingest_kernel_reply(ingest);
	symbol_names_forget_object(&ingest->trie, reply->object);
}

void ingest_opener_replies(struct ingest *ingest)
{
	struct open_reply reply;

	if (!ingest->opener)
		return;
	while (object_opener_reply(ingest->opener, &reply))
		table_arrived(ingest, &reply);
	retry_waiting(ingest);
}
