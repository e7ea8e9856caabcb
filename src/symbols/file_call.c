/* file_call.c - see file_call.h.
 *
 * A job has its own copies of all that it needs, descriptors too: its thread may come back from a
 * file system when the request, and the opener, are long gone.
 *
 * A mapped file's own file system is known by its device. A path may lead through any other file
 * system that its user chose: if that hangs, only paths to files of the device are refused. */
#include "file_call.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <linux/openat2.h>

#define KEY_OF_PROCESS ((uint64_t)1 << 63)
#define KEY_OF_PATHS   ((uint64_t)1 << 62)	/* added to a file's key: paths that lead to it */

struct file_job {
	struct blocking_job job;	/* first: its address is the job's */
	struct process_root root;	/* owned */
	enum dso_file_source source;
	struct build_id build_id;
	struct dso_file file;		/* owned */
	int err;
	struct diag why;
	struct open_request request;	/* last: allocated up to the end of its path only */
};

uint64_t file_call_key(const struct open_request *request)
{
	if (request->dev_major || request->dev_minor)
		return makedev(request->dev_major, request->dev_minor);
	return request->pid ? request->pid | KEY_OF_PROCESS : 0;
}

int file_call_refuse(int err, struct diag *why)
{
	if (err == -ETIMEDOUT || err == -EBUSY)
		return diag_set(why, -EBUSY, "its file system does not answer");
	return diag_set(why, err, "no thread to open it: %s", strerror(-err));
}

bool file_call_is_refused(const struct diag *why)
{
	return why->err == -EBUSY;
}

static void drop(struct blocking_job *blocking_call)
{
	struct file_job *job = (struct file_job *)blocking_call;

	process_root_close(&job->root);
	if (job->file.fd >= 0)
		close(job->file.fd);
	free(job);
}

static void open_file(struct blocking_job *blocking_call)
{
	struct file_job *job = (struct file_job *)blocking_call;

	job->err = dso_file_open(&job->file, &job->request, &job->root, job->source, NULL,
				 &job->why);
	blocking_call->is_worth_keeping = !job->err && job->file.is_copy;
}

static void look(struct blocking_job *blocking_call)
{
	struct file_job *job = (struct file_job *)blocking_call;
	enum dso_file_source sources[DSO_FILE_SOURCES];

	process_root_open(&job->root, job->request.pid);
	job->build_id = dso_file_mapped_build_id(&job->request, &job->root);
	job->err = -ENOENT;
	if (dso_file_sources(&job->request, &job->root, sources, &job->why) &&
	    sources[0] == DSO_FILE_MAP_FILES)
		open_file(blocking_call);
}

/* Returns in @out the status of the file that @path leads to in the process's root. */
static int file_at(const struct process_root *root, const char *path, struct stat *out)
{
	const int place = process_root_take(root->root, path, RESOLVE_IN_ROOT);
	int err = place < 0 ? place : 0;

	if (!err && fstat(place, out))
		err = -errno;
	if (place >= 0)
		close(place);
	return err;
}

static bool has_name_in(const struct process_root *root, const char *directory, size_t bytes,
			const char *name, const struct stat *file)
{
	char path[OPENER_PATH_BYTES + 32];
	struct stat found;

	snprintf(path, sizeof(path), "%.*s/%s", (int)bytes, directory, name);
	return !file_at(root, path, &found) && found.st_dev == file->st_dev &&
	       found.st_ino == file->st_ino;
}

static void look_for_name(struct blocking_job *blocking_call)
{
	static const char *const directories[] = {
		"/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/bin", "/sbin",
	};
	struct file_job *job = (struct file_job *)blocking_call;
	const struct open_request *request = &job->request;
	const char *slash = strrchr(request->path, '/');
	struct stat file;

	process_root_open(&job->root, request->pid);
	job->err = job->root.root < 0 ? -ESRCH : file_at(&job->root, request->path, &file);
	if (job->err || !slash)
		return;
	job->err = -ENOENT;
	if (has_name_in(&job->root, request->path, (size_t)(slash - request->path), request->comm,
			&file))
		job->err = 0;
	for (size_t i = 0; job->err && i < sizeof(directories) / sizeof(directories[0]); i++)
		if (has_name_in(&job->root, directories[i], strlen(directories[i]), request->comm,
				&file))
			job->err = 0;
}

/* True when @late holds a copy of the file that @job asks for. Copies come from file systems that
 * may be slow, or not reply twice; other files are simply opened again. */
static bool is_same_copy(const struct file_job *job, const struct file_job *late)
{
	const struct open_request *wanted = &job->request, *found = &late->request;

	return late->job.run == job->job.run && late->source == job->source && late->file.is_copy &&
	       found->pid == wanted->pid && found->start == wanted->start &&
	       found->inode == wanted->inode &&
	       found->inode_generation == wanted->inode_generation &&
	       found->build_id.count == wanted->build_id.count &&
	       (!wanted->build_id.count ||
		build_id_is_equal(&found->build_id, &wanted->build_id)) &&
	       strcmp(found->path, wanted->path) == 0;
}

static bool take_late(struct blocking_job *blocking_call, struct blocking_job *late_call)
{
	struct file_job *job = (struct file_job *)blocking_call;
	struct file_job *late = (struct file_job *)late_call;

	if (!is_same_copy(job, late))
		return false;
	process_root_close(&job->root);
	job->root = late->root;
	job->build_id = late->build_id;
	job->file = late->file;
	job->err = late->err;
	late->root = (struct process_root){ .process = -1, .root = -1 };
	late->file.fd = -1;
	return true;
}

static struct file_job *create_job(const struct open_request *request,
				   void (*run)(struct blocking_job *job))
{
	const size_t path_bytes = strlen(request->path) + 1;
	struct file_job *job = malloc(sizeof(*job));

	if (!job)
		return NULL;
	memset(job, 0, offsetof(struct file_job, request));
	job->job = (struct blocking_job){ .key = file_call_key(request), .run = run, .drop = drop,
					  .take_late = take_late };
	job->root = (struct process_root){ .process = -1, .root = -1 };
	job->file.fd = -1;
	memcpy(&job->request, request, offsetof(struct open_request, path) + path_bytes);
	return job;
}

static int copy_descriptor(int fd)
{
	return fd < 0 ? fd : fcntl(fd, F_DUPFD_CLOEXEC, 0);
}

int file_call_look(struct blocking_calls *blocking_calls, const struct open_request *request,
		   struct file_look *out, struct diag *why)
{
	struct file_job *job = create_job(request, look);
	int err = -ENOMEM;

	if (job) {
		job->source = DSO_FILE_MAP_FILES;
		err = blocking_calls_run(blocking_calls, &job->job);
	}
	*out = (struct file_look){ .root = { .process = -1, .root = -1 }, .mapped.fd = -1 };
	if (err)
		return file_call_refuse(err, why);
	*out = (struct file_look){ job->root, job->build_id, job->file, job->err, job->why };
	job->root = (struct process_root){ .process = -1, .root = -1 };
	job->file.fd = -1;
	drop(&job->job);
	return 0;
}

int file_call_has_name(struct blocking_calls *blocking_calls, const struct open_request *request)
{
	struct file_job *job = create_job(request, look_for_name);
	int err = -ENOMEM;

	if (job) {
		job->job.part_of = job->job.key;
		job->job.key |= KEY_OF_PATHS;
		err = blocking_calls_run(blocking_calls, &job->job);
	}
	if (err)
		return err;
	err = job->err;
	drop(&job->job);
	return err;
}

int file_call_open(struct blocking_calls *blocking_calls, struct dso_file *out,
		   const struct open_request *request, const struct process_root *root,
		   enum dso_file_source source, struct diag *why)
{
	struct file_job *job = create_job(request, open_file);
	int err = -ENOMEM;

	*out = (struct dso_file){ .fd = -1 };
	if (job) {
		job->source = source;
		if (source != DSO_FILE_MAP_FILES && job->job.key) {
			job->job.part_of = job->job.key;
			job->job.key |= KEY_OF_PATHS;
		}
		job->root = *root;
		job->root.process = copy_descriptor(root->process);
		job->root.root = copy_descriptor(root->root);
		err = blocking_calls_run(blocking_calls, &job->job);
	}
	if (err)
		return file_call_refuse(err, why);
	*out = job->file;
	err = job->err;
	if (err)
		*why = job->why;
	job->file.fd = -1;
	drop(&job->job);
	return err;
}
