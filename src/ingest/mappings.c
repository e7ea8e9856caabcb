/* mappings.c - mappings -> DSOs, whose files are requested from the opener.
 *
 * Invariant: the file of an executable mapping is requested when the mapping is first seen, not
 * when a fold needs a name: processes vanish in milliseconds. A later mapping of it repeats the
 * request, at most once a second: the first process may have vanished too soon, and a file may be
 * overwritten in place, which changes the code of all its mappings.
 */
#include "mappings.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>

#include "base/clock.h"
#include "ingest/losses.h"
#include "jit.h"
#include "kernel.h"
#include "requests.h"
#include "tables.h"

#define ASK_AGAIN_NS CLOCK_NS_PER_S	/* opening a DSO costs some 0.1 ms */

/* A mapping from a record or from /proc/PID/maps. */
struct seen_mapping {
	uint32_t pid;
	uint64_t start, end, file_offset, time_ns;
	const char *path;
	size_t path_len;
	struct build_id build_id;	/* count 0: dev and inode instead */
	uint32_t dev_major, dev_minor;
	uint64_t inode, inode_generation;
	uint64_t seen_ns;	/* time of the record (time_ns) or of reading /proc (time_ns: 0) */
	uint32_t flags;
};

static bool begins_with(const struct seen_mapping *seen, const char *prefix)
{
	const size_t len = strlen(prefix);

	return seen->path_len >= len && !memcmp(seen->path, prefix, len);
}

/* Old versions of perf(1) recorded anonymous executable memory as "/tmp/perf-PID.map". */
static bool is_perf_map(const struct seen_mapping *seen)
{
	char name[32];
	uint32_t pid;
	int end = 0;

	if (!begins_with(seen, "/tmp/perf-"))
		return false;	/* without sscanf(3): every mapping is looked at */
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

/* Memory of a file without a name in any directory: an ELF file, or run-time code. */
static bool is_memfd(const struct seen_mapping *seen)
{
	return begins_with(seen, "/memfd:");
}

/* A file that a JIT compiler maps executable only to show it to profilers: ".../jit-PID.dump". */
static bool is_jitdump(const struct seen_mapping *seen)
{
	const char *slash = seen->path_len ? memrchr(seen->path, '/', seen->path_len) : NULL;
	char name[32];
	uint32_t pid;
	int end = 0;

	if (!slash || seen->path + seen->path_len - slash < 5 || memcmp(slash, "/jit-", 5))
		return false;	/* without sscanf(3), for speed */
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

/* A 32-bit process has a vdso of another kind, which lies below 4 GiB. */
static bool is_own_vdso(const struct ingest *ingest, const struct seen_mapping *seen)
{
	return ingest->kernel->is_recorded && begins_with(seen, "[vdso]") && seen->end > UINT32_MAX;
}

static void fill_identity(struct open_request *request, const struct seen_mapping *seen)
{
	request->dev_major = seen->dev_major;
	request->dev_minor = seen->dev_minor;
	request->inode = seen->inode;
	request->inode_generation = seen->inode_generation;
}

/* Fills in where the file is. In a recording without build-ids (perf looks for them in plain files
 * only, not in compressed or piped ones) the file at the path is used if it has the recorded device
 * and inode and was not changed since; perf uses whatever is there. False: the path is too long. */
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
		fill_identity(request, seen);
	} else if (!seen->build_id.count) {
		fill_identity(request, seen);
		request->unchanged_since_ns = ingest->config.written_ns;
		request->is_of_running_kernel = is_own_vdso(ingest, seen);
	}
	return true;
}

static void load(struct ingest *ingest, uint32_t id, const struct seen_mapping *seen)
{
	struct dso *dso = &ingest->dsos.dsos[id];
	struct open_request request = { .dso = id };

	if (!ingest->opener || !is_file(seen))
		return;		/* DSO_NO_TABLE */
	if (!fill_request(&request, ingest, seen)) {
		dso_table_set_unreadable(&ingest->dsos, id, "path too long");
		return;
	}
	if (ingest->config.is_replay && !seen->build_id.count && !seen->inode &&
	    !request.is_of_running_kernel) {
		dso_table_set_unreadable(&ingest->dsos, id, "no build-id recorded");
		return;
	}
	if (dso->state == DSO_NO_TABLE)
		dso->state = DSO_LOADING;
	dso->asked_ns = seen->seen_ns;
	dso->is_asked = true;
	requests_choose_tables(ingest, &request);
	if (request.purpose == OPEN_NAMES_AND_UNWIND && dso->unwind == DSO_UNWIND_UNASKED)
		dso->unwind = DSO_UNWIND_LOADING;
	requests_send(ingest, &request);
}

/* Keeps a second location to try if the file is not found at the first: that process may have ended
 * or be outside of flametop's PID namespace, where its files can't be opened. */
static void keep_other(struct ingest *ingest, uint32_t id, const struct seen_mapping *seen)
{
	struct dso *dso = &ingest->dsos.dsos[id];

	if (!dso->other)
		dso->other = malloc(sizeof(*dso->other));
	if (!dso->other)
		return;		/* the next mapping tries again */
	*dso->other = (struct open_request){ .dso = id };
	requests_choose_tables(ingest, dso->other);
	fill_request(dso->other, ingest, seen);
}

/* @id is mapped once more: its file may have changed, or only this process can open it. */
static void load_again(struct ingest *ingest, uint32_t id, const struct seen_mapping *seen)
{
	struct dso *dso = &ingest->dsos.dsos[id];
	const bool is_ready = dso->state == DSO_READY;
	const bool is_readable = is_ready || dso->state == DSO_LET_GO;

	dso->needed_round = ingest->dsos.round;
	if (ingest->config.is_replay || dso->is_run_time || dso->state == DSO_NO_TABLE)
		return;
	if (dso->is_asked && !is_ready && seen->pid)
		keep_other(ingest, id, seen);
	else if (!dso->is_asked && (seen->seen_ns > dso->asked_ns + ASK_AGAIN_NS ||
				    (!is_readable && seen->pid)))
		load(ingest, id, seen);
}

static void load_new(struct ingest *ingest, struct process *process, uint32_t id,
		     const struct seen_mapping *seen)
{
	struct open_request request = { .dso = id };

	/* Only its content says of a memfd that it is no program. */
	ingest->dsos.dsos[id].is_jit =
		is_anonymous(seen) || (is_memfd(seen) && !ingest->config.is_replay);
	if (is_anonymous(seen)) {
		jit_add_dso(ingest, process, id, 0);
	} else if (is_jitdump(seen)) {
		if (fill_request(&request, ingest, seen))
			jit_add_dump(ingest, process, &request);
	} else {
		if (is_memfd(seen))
			jit_add_dso(ingest, process, id,
					   seen->start - seen->file_offset);
		load(ingest, id, seen);
	}
}

static uint32_t dso_of(struct ingest *ingest, struct process *process, struct seen_mapping *seen)
{
	struct dso_key key = {
		.path = seen->path_len ? seen->path : "//anon", .mode = MODE_USER,
		.path_len = seen->path_len ? seen->path_len : 6, .had = process->dsos,
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
		key.place = jit_place(ingest, process);
	else if (is_memfd(seen))
		key.place = id_map_mix(jit_place(ingest, process)) ^
			    (seen->start - seen->file_offset);
	id = dso_table_intern(&ingest->dsos, &key, &is_new);
	process->dsos += is_new;
	if (is_new)
		ingest->dsos.dsos[id].brought_by = process->pid;
	if (is_new)
		load_new(ingest, process, id, seen);
	else if (!is_anonymous(seen) && !is_jitdump(seen))
		load_again(ingest, id, seen);
	return id;
}

static void insert_mapping(struct ingest *ingest, struct process_maps **map,
			   const struct mapping *row)
{
	if (!*map)
		*map = process_maps_create();
	losses_count_mapping(ingest, *map ? process_maps_insert(map, row) : -ENOMEM);
}

/* The kernel maps a program's own file before any library, and where maps are read it lies lowest,
 * but for an interpreter that was started by its own name. */
static void see_program(struct ingest *ingest, struct process *process, uint32_t id,
			const struct seen_mapping *seen)
{
	struct open_request request;

	if (process->has_program || !begins_with(seen, "/") || is_anonymous(seen) ||
	    is_memfd(seen))
		return;
	process->has_program = true;
	if (!ingest->opener || ingest->config.is_replay || ingest->config.only_records)
		return;
	request = (struct open_request){ .purpose = OPEN_PROGRAM_NAME, .dso = id };
	if (fill_request(&request, ingest, seen))
		tables_program_mapped(ingest, &request);
}

static void insert_user(struct ingest *ingest, struct process *process, struct process_maps **map,
			struct seen_mapping *seen)
{
	/* Kernels up to 3.8 report the address of the vdso as its offset. */
	const uint64_t offset = begins_with(seen, "[vdso]") ? 0 : seen->file_offset;
	const struct mapping row = {
		.start = seen->start, .end = seen->end, .file_offset = offset,
		.since_ns = seen->time_ns, .dso = dso_of(ingest, process, seen),
		.is_absolute = is_anonymous(seen),
	};

	insert_mapping(ingest, map, &row);
	see_program(ingest, process, row.dso, seen);
}

void mappings_mmap(struct ingest *ingest, const struct event_record *record)
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

static void read_mapping(struct ingest *ingest, struct process *process, struct process_maps **map,
			 const struct process_mapping *row, uint64_t time_ns)
{
	struct seen_mapping seen = {
		.pid = process->pid, .start = row->start, .end = row->end,
		.file_offset = row->file_offset, .path = row->path,
		.path_len = strlen(row->path), .inode = row->inode,
		.dev_major = row->dev_major, .dev_minor = row->dev_minor, .seen_ns = time_ns,
	};

	insert_user(ingest, process, map, &seen);
}

void mappings_replace(struct ingest *ingest, struct process *process,
		      const struct process_reply *reply)
{
	struct process_maps *fresh = process_maps_create(), *newer = process->maps;

	if (!fresh) {
		ingest->counters.dropped_no_memory++;
		return;
	}
	for (uint32_t i = 0; i < reply->row_count; i++)
		read_mapping(ingest, process, &fresh, &reply->rows[i], reply->time_ns);
	for (uint32_t i = 0; newer && i < newer->count; i++)
		if (newer->rows[i].since_ns > reply->time_ns)
			insert_mapping(ingest, &fresh, &newer->rows[i]);
	process_maps_release(process->maps);
	process->maps = fresh;
}
