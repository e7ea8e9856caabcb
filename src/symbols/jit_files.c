/* jit_files.c - see jit_files.h.
 *
 * Problem: the file grows as long as the process lives. Names are needed meanwhile, and the last
 * lines when the process and its root are gone. Every user may write to the file's directory.
 *
 * Idea: each look opens the path anew, so that a replaced file is noticed, and keeps the file open
 * until the next look. Nothing is read twice: the worker gets the previous reply and the offset
 * where it ended. A file that became shorter, or was replaced, begins a new table.
 *
 * Invariant: the table given out last is never touched before the next request for it.
 */
#include "jit_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "elf/file_jobs.h"
#include "file_call.h"
#include "symbols/dso_file.h"

#define HELD_MAX 256	/* files kept open; the last lines of others are lost, and counted */

enum jit_kind {
	JIT_MAP,
	JIT_DUMP,
	JIT_KINDS
};

static const struct {
	enum sandbox_job_kind job;
	const char *name;
	uint64_t bytes_max;
} kinds[JIT_KINDS] = {
	[JIT_MAP] = { SANDBOX_JIT_MAP, "perf map", JIT_MAP_BYTES_MAX },
	[JIT_DUMP] = { SANDBOX_JITDUMP, "jitdump", JITDUMP_BYTES_MAX },
};

struct jit_source {
	int fd;			/* owned; -1: not held */
	bool is_let_go;		/* it was held, and closed because there were too many */
	uint64_t device, inode;
	uint64_t seen_bytes;	/* its size when it was last looked at */
	uint64_t read_bytes;	/* where the next look begins */
};

struct jit_process {
	struct jit_source sources[JIT_KINDS];
	struct sandbox_bytes current;
	struct sandbox_bytes before;	/* given out, then replaced; in use till the next request */
	struct jit_tables tables;	/* views of `current`; valid while `current` is there */
	bool is_given;			/* `current` was given out */
};

static struct jit_process *find(struct jit_files *files, uint32_t jit)
{
	if (jit >= files->capacity) {
		uint32_t capacity = 2 * jit + 16;
		struct jit_process **grown = realloc(files->rows, capacity * sizeof(*grown));

		if (!grown)
			return NULL;
		memset(grown + files->capacity, 0, (capacity - files->capacity) * sizeof(*grown));
		files->rows = grown;
		files->capacity = capacity;
	}
	if (!files->rows[jit]) {
		struct jit_process *process = calloc(1, sizeof(*process));

		if (!process)
			return NULL;
		for (int i = 0; i < JIT_KINDS; i++)
			process->sources[i].fd = -1;
		files->rows[jit] = process;
	}
	return files->rows[jit];
}

static void release(struct jit_files *files, struct jit_source *source)
{
	if (source->fd < 0)
		return;
	close(source->fd);
	source->fd = -1;
	files->held--;
}

static void let_go(struct jit_files *files, struct jit_source *source)
{
	source->is_let_go |= source->fd >= 0;
	release(files, source);
}

static void drop_bytes(struct jit_files *files, struct sandbox_bytes *bytes)
{
	files->bytes -= bytes->count;
	sandbox_bytes_finish(bytes);
}

static void forget(struct jit_files *files, uint32_t jit)
{
	struct jit_process *process = jit < files->capacity ? files->rows[jit] : NULL;

	if (!process)
		return;
	for (int i = 0; i < JIT_KINDS; i++)
		release(files, &process->sources[i]);
	drop_bytes(files, &process->current);
	drop_bytes(files, &process->before);
	free(process);
	files->rows[jit] = NULL;
}

static int take_below(int directory, const char *name, uint64_t resolve)
{
	struct open_how how = { .flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_SYMLINKS |
					   RESOLVE_NO_MAGICLINKS | resolve };
	const long place = syscall(SYS_openat2, directory, name, &how, sizeof(how));

	return place < 0 ? -errno : (int)place;
}

/* Takes the place of the map without opening what is there. Each step is checked before the next
 * one, so that another user's server is asked for no name. */
static int take_map(const struct process_root *root, uint32_t pid)
{
	int directory, place = -EXDEV;
	char name[32];

	if (file_copy_is_needed(root->root, root->process))
		return -EXDEV;
	directory = take_below(root->root, "tmp", 0);
	if (directory < 0)
		return directory;
	snprintf(name, sizeof(name), "perf-%" PRIu32 ".map", pid);
	if (!file_copy_is_needed(directory, root->process))
		place = take_below(directory, name, RESOLVE_NO_XDEV);
	close(directory);
	return place;
}

static int check_map(const struct stat *status, uint32_t uid, struct diag *why)
{
	if (S_ISLNK(status->st_mode))
		return diag_set(why, -ELOOP, "perf map is a link: not followed");
	if (!S_ISREG(status->st_mode))
		return diag_set(why, -EINVAL, "perf map is not a regular file: not opened");
	if (status->st_uid != 0 && status->st_uid != uid)
		return diag_set(why, -EACCES, "perf map belongs to uid %u, neither the process's "
				"user nor root: not read", status->st_uid);
	/* Somebody else than the owner may have written it. */
	if (status->st_mode & (S_IWGRP | S_IWOTH))
		return diag_set(why, -EACCES, "perf map may be written by others: not read; "
				"chmod go-w");
	if (status->st_nlink != 1)
		return diag_set(why, -EMLINK, "perf map has another name, too: not read");
	return 0;
}

static int open_checked_map(int place, uint32_t uid, struct diag *why)
{
	struct stat status;
	char path[32];
	int fd, err;

	if (fstat(place, &status))
		return diag_set(why, -errno, "cannot look at the perf map");
	err = check_map(&status, uid, why);
	if (err)
		return err;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? diag_set(why, -errno, "no permission to read the perf map: run as root")
		      : fd;
}

static int map_not_found(int err, struct diag *why)
{
	switch (err) {
	case -ENOENT:
	case -ENOTDIR:
	case -ESRCH:
		return diag_set(why, -ENOENT, "no perf map");
	case -ELOOP:
		return diag_set(why, err, "perf map is behind a link: not followed");
	case -EXDEV:
		return diag_set(why, err, "perf map is on FUSE, an overlay of another user "
				"namespace or a mount of its own: not read");
	default:
		return diag_set(why, err, "cannot open the perf map: %s", strerror(-err));
	}
}

static int open_map(const struct process_root *root, uint32_t outer_pid, struct diag *why)
{
	uint32_t pid = outer_pid, uid = 0;
	int place = root->process < 0 ? -ESRCH : process_root_status(root->process, &pid, &uid), fd;

	if (!place)
		place = root->root < 0 ? -EACCES : take_map(root, pid);
	if (place < 0)
		return map_not_found(place, why);
	fd = open_checked_map(place, uid, why);
	close(place);
	return fd;
}

/* A file that would need a copy is refused: a jitdump grows without end and is read each time. */
static int open_dump(const struct process_root *root, const struct open_request *request,
		     struct diag *why)
{
	struct dso_file file;
	int err;

	if (!request->path[0])
		return diag_set(why, -ENOENT, "no jitdump");
	err = dso_file_open(&file, request, root, DSO_FILE_MAP_FILES, NULL, why);
	if (err)
		err = dso_file_open(&file, request, root, DSO_FILE_IN_ROOT, NULL, why);
	if (!err && file.is_copy) {
		close(file.fd);
		return diag_set(why, -EXDEV, "jitdump is on FUSE or an overlay of another user "
				"namespace: not read");
	}
	return err ? err : file.fd;
}

/* Looking for a file below the root of a process, as a blocking call. */
struct jit_job {
	struct blocking_job job;	/* first: its address is the job's */
	enum jit_kind kind;
	int fd;				/* owned; -errno with the reason */
	struct diag why;
	struct open_request request;	/* last: allocated up to the end of its path only */
};

static void run_job(struct blocking_job *blocking_call)
{
	struct jit_job *job = (struct jit_job *)blocking_call;
	struct process_root root;

	process_root_open(&root, job->request.pid);
	job->fd = job->kind == JIT_MAP ? open_map(&root, job->request.pid, &job->why)
				       : open_dump(&root, &job->request, &job->why);
	process_root_close(&root);
}

static void drop_job(struct blocking_job *blocking_call)
{
	struct jit_job *job = (struct jit_job *)blocking_call;

	if (job->fd >= 0)
		close(job->fd);
	free(job);
}

static int open_kind(struct jit_files *files, enum jit_kind kind,
		     const struct open_request *request, struct diag *why)
{
	const size_t path_bytes = strlen(request->path) + 1;
	struct jit_job *job = malloc(sizeof(*job));
	int err = -ENOMEM, fd;

	if (job) {
		memset(job, 0, offsetof(struct jit_job, request));
		job->job = (struct blocking_job){ .key = file_call_key(request), .run = run_job,
						.drop = drop_job };
		job->kind = kind;
		job->fd = -1;
		memcpy(&job->request, request,
		       offsetof(struct open_request, path) + path_bytes);
		err = blocking_calls_run(files->blocking_calls, &job->job);
	}
	if (err)
		return file_call_refuse(err, why);
	fd = job->fd;
	if (fd < 0)
		*why = job->why;
	free(job);
	return fd;
}

/* Returns whether there is just no file: most processes have none, and any may end. */
static bool is_absent(int err)
{
	return err == -ENOENT || err == -ESRCH;
}

/* Forgets what was read: it belongs to a file that was replaced or cut. */
static void start_over(struct jit_process *process)
{
	for (int i = 0; i < JIT_KINDS; i++)
		process->sources[i].seen_bytes = process->sources[i].read_bytes = 0;
}

/* The source's file as it is now, in source->fd. 0, or -errno: there is none, or it is refused. */
static int open_source(struct jit_files *files, struct jit_process *process, enum jit_kind kind,
		       const struct open_request *request, struct diag *why)
{
	struct jit_source *source = &process->sources[kind];
	struct diag refused = { .err = 0 };
	struct stat status;
	int fd;

	if (request->jit_step == JIT_LAST_LOOK && source->fd < 0)
		return diag_set(why, source->is_let_go ? -ENOSPC : -ENOENT, "process gone");
	if (request->jit_step == JIT_LAST_LOOK)
		return 0;
	fd = open_kind(files, kind, request, &refused);
	if (fd < 0) {
		if (source->fd >= 0 && is_absent(fd))
			return 0;	/* removed, or the process is gone: use the file held */
		*why = refused;
		return fd;
	}
	release(files, source);
	source->fd = fd;
	source->is_let_go = false;
	files->held++;
	if (fstat(fd, &status))
		return diag_set(why, -errno, "cannot look at the %s", kinds[kind].name);
	if (source->inode &&
	    (status.st_dev != source->device || status.st_ino != source->inode))
		start_over(process);
	source->device = status.st_dev;
	source->inode = status.st_ino;
	return 0;
}

/* Returns a memfd from which the worker reads the previous reply; or -errno. */
static int copy_reply(const struct sandbox_bytes *bytes, struct diag *why)
{
	const int fd = sandbox_seal("flametop-names", bytes->bytes, bytes->count);

	return fd >= 0 ? fd : diag_set(why, -ENOMEM, "no memory for a copy of the names");
}

/* A forged reply can only harm the names of the worker's own file; but an offset outside of the
 * file would harm later looks, so it is checked. */
static int check_reply(const struct jit_source *source, const struct sandbox_bytes *bytes,
		       struct jit_tables *tables, struct diag *why)
{
	struct stat status;
	int err = jit_reply_check(tables, bytes->bytes, bytes->count, why);

	if (err)
		return err;
	if (fstat(source->fd, &status) || tables->reply->read_bytes < source->read_bytes ||
	    tables->reply->read_bytes > (uint64_t)status.st_size)
		return diag_set(why, -EBADMSG, "names that end nowhere");
	return 0;
}

static int take_reply(struct jit_files *files, struct jit_process *process,
		      struct jit_source *source, struct sandbox_bytes *bytes, struct diag *why)
{
	struct jit_tables tables;
	int err = check_reply(source, bytes, &tables, why);

	if (!err && bytes->count > JIT_FILES_BYTES_MAX - files->bytes)
		err = diag_set(why, -E2BIG, "all names of run-time code are larger than %zu "
			       "MiB: those of this process are not read",
			       JIT_FILES_BYTES_MAX >> 20);
	if (err) {
		sandbox_bytes_finish(bytes);
		return err;
	}
	if (process->is_given)
		process->before = process->current;
	else
		drop_bytes(files, &process->current);
	source->read_bytes = tables.reply->read_bytes;
	process->current = *bytes;
	process->tables = tables;
	process->is_given = false;
	files->bytes += bytes->count;
	return 0;
}

static int read_source(struct jit_files *files, struct sandbox *sandbox,
		       struct jit_process *process, enum jit_kind kind, struct diag *why)
{
	struct jit_source *source = &process->sources[kind];
	struct sandbox_request job = { .kind = kinds[kind].job, .inputs = { source->fd },
				       .input_count = 1, .argument = source->read_bytes };
	struct sandbox_bytes bytes;
	int err;

	if (process->sources[JIT_MAP].read_bytes || process->sources[JIT_DUMP].read_bytes) {
		job.inputs[1] = copy_reply(&process->current, why);
		if (job.inputs[1] < 0)
			return job.inputs[1];
		job.input_count = 2;
	}
	err = sandbox_run(sandbox, &job, &bytes, why);
	if (job.input_count == 2)
		close(job.inputs[1]);
	return err ? err : take_reply(files, process, source, &bytes, why);
}

/* Returns whether the names have changed. */
static bool look(struct jit_files *files, struct sandbox *sandbox, struct jit_process *process,
		 enum jit_kind kind, const struct open_request *request, struct diag *why)
{
	struct jit_source *source = &process->sources[kind];
	struct stat status;

	if (open_source(files, process, kind, request, why))
		return false;
	if (fstat(source->fd, &status)) {
		diag_set(why, -errno, "cannot look at the %s", kinds[kind].name);
		return false;
	}
	if ((uint64_t)status.st_size > kinds[kind].bytes_max) {
		diag_set(why, -E2BIG, "%s is larger than %" PRIu64 " MiB: not read",
			 kinds[kind].name, kinds[kind].bytes_max >> 20);
		return false;
	}
	if ((uint64_t)status.st_size < source->read_bytes)
		start_over(process);
	if ((uint64_t)status.st_size == source->seen_bytes)
		return false;
	source->seen_bytes = (uint64_t)status.st_size;
	return read_source(files, sandbox, process, kind, why) == 0;
}

void jit_files_reply(struct jit_files *files, struct sandbox *sandbox,
		     const struct open_request *request, struct open_reply *reply)
{
	const uint64_t begin_ns = clock_now_ns();
	struct jit_process *process;
	bool has_changed = false;

	if (request->jit_step == JIT_FORGET) {
		forget(files, request->jit);
		return;
	}
	process = find(files, request->jit);
	if (!process) {
		diag_set(&reply->why, -ENOMEM, "no memory for names of run-time code");
		return;
	}
	drop_bytes(files, &process->before);
	for (int kind = 0; kind < JIT_KINDS; kind++) {
		struct diag why = { .err = 0 };

		has_changed |= look(files, sandbox, process, (enum jit_kind)kind, request, &why);
		if (why.err == -ENOSPC)
			reply->is_let_go = true;
		else if (why.err && !is_absent(why.err))
			reply->why = why;
		if (files->held > HELD_MAX)
			let_go(files, &process->sources[kind]);
	}
	process->is_given = reply->is_ready = process->current.bytes != NULL;
	reply->is_shared = !has_changed;
	if (!reply->is_ready && !reply->why.err)
		diag_set(&reply->why, -ENOENT, "says nothing of its run-time code");
	reply->table = process->tables.names;
	reply->unwind = process->tables.unwind;
	reply->unwind_base = reply->is_ready ? process->tables.reply->unwind_base : 0;
	reply->took_ns = clock_now_ns() - begin_ns;
}

void jit_files_finish(struct jit_files *files)
{
	for (uint32_t i = 0; i < files->capacity; i++)
		forget(files, i);
	free(files->rows);
	*files = (struct jit_files){ .rows = NULL };
}
