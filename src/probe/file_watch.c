/* file_watch.c - see file_watch.h.
 *
 * A job owns copies of all that it needs, descriptors too: its thread may return from a file system
 * after the probe is gone. */
#include "file_watch.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "symbols/dso_file.h"

#define KEY_OF_WATCHES ((uint64_t)1 << 61)	/* marks the keys of file watches, one per device */

struct file_watch {
	int file;		/* borrowed */
	int root;		/* owned; -1: our own */
	struct file_version version;
	char path[];
};

struct look_job {
	struct blocking_job job;	/* first: its address is the job's */
	int file, root;		/* owned */
	struct file_version version;
	enum file_fate fate;
	int err;
	char path[];
};

int file_watch_create(struct file_watch **out, const struct dso_file *file, int root,
		      const char *path)
{
	const size_t bytes = strlen(path) + 1;
	struct file_watch *watch = malloc(sizeof(*watch) + bytes);

	*out = NULL;
	if (!watch)
		return -ENOMEM;
	*watch = (struct file_watch){ .file = file->fd, .root = root, .version = file->version };
	memcpy(watch->path, path, bytes);
	if (root >= 0)
		watch->root = fcntl(root, F_DUPFD_CLOEXEC, 0);
	if (root >= 0 && watch->root < 0) {
		free(watch);
		return -EMFILE;
	}
	*out = watch;
	return 0;
}

void file_watch_destroy(struct file_watch *watch)
{
	if (watch && watch->root >= 0)
		close(watch->root);
	free(watch);
}

/* 0, or -errno: the path leads nowhere or may not be looked at. Whoever owns one of its directories
 * may have made it lead to a server that does not reply: no server is asked. */
static int stat_path(const struct look_job *job, struct statx *out)
{
	const struct process_root root = { .process = -1, .root = job->root };
	const int point = file_copy_walk(&root, job->path, root.root < 0 ? 0 :
					 RESOLVE_NO_MAGICLINKS | RESOLVE_IN_ROOT,
					 job->job.key | KEY_OF_WATCHES);
	int err;

	if (point < 0)
		return point;
	err = statx(point, "", AT_EMPTY_PATH | AT_STATX_DONT_SYNC, STATX_INO, out) ? -errno : 0;
	close(point);
	return err;
}

/* ctime is no evidence: it changes with each name that the file gets or loses. */
static bool is_rewritten(const struct file_version *before, const struct stat *status)
{
	const struct file_version now = file_version_of(status);

	return now.mtime_ns != before->mtime_ns || now.bytes != before->bytes;
}

static int find_fate(const struct look_job *job, enum file_fate *out)
{
	struct statx named;
	struct stat own;
	int err;

	if (fstat(job->file, &own))
		return -errno;
	err = stat_path(job, &named);
	if (is_rewritten(&job->version, &own))
		*out = FILE_IS_REWRITTEN;
	else if (err == -ENOENT || err == -ENOTDIR)
		*out = own.st_nlink ? FILE_IS_MOVED : FILE_IS_DELETED;
	else if (err)
		return err;
	else if (makedev(named.stx_dev_major, named.stx_dev_minor) != own.st_dev ||
		 named.stx_ino != own.st_ino)
		*out = FILE_IS_REPLACED;
	else
		*out = FILE_IS_SAME;
	return 0;
}

static void look(struct blocking_job *blocking_call)
{
	struct look_job *job = (struct look_job *)blocking_call;

	job->err = find_fate(job, &job->fate);
}

static void drop(struct blocking_job *blocking_call)
{
	struct look_job *job = (struct look_job *)blocking_call;

	if (job->file >= 0)
		close(job->file);
	if (job->root >= 0)
		close(job->root);
	free(job);
}

static struct look_job *create_job(const struct file_watch *watch)
{
	const size_t bytes = strlen(watch->path) + 1;
	struct look_job *job = malloc(sizeof(*job) + bytes);

	if (!job)
		return NULL;
	*job = (struct look_job){
		.job = { .key = watch->version.device, .run = look, .drop = drop },
		.file = fcntl(watch->file, F_DUPFD_CLOEXEC, 0), .version = watch->version,
		.root = watch->root < 0 ? -1 : fcntl(watch->root, F_DUPFD_CLOEXEC, 0),
	};
	memcpy(job->path, watch->path, bytes);
	if (job->file >= 0 && (watch->root < 0 || job->root >= 0))
		return job;
	drop(&job->job);
	return NULL;
}

int file_watch_look(const struct file_watch *watch, struct blocking_calls *blocking_calls,
		    enum file_fate *out)
{
	struct look_job *job = create_job(watch);
	int err = job ? blocking_calls_run(blocking_calls, &job->job) : -ENOMEM;

	if (err)
		return err;	/* the job is gone */
	err = job->err;
	*out = job->fate;
	drop(&job->job);
	return err;
}

const char *file_fate_text(enum file_fate fate)
{
	switch (fate) {
	case FILE_IS_REPLACED:
		return "its file was replaced: only what runs the old one is probed";
	case FILE_IS_DELETED:
		return "its file was deleted: only what runs it still is probed";
	case FILE_IS_MOVED:
		return "its file was moved: the probe stays with it";
	case FILE_IS_REWRITTEN:
		return "its file was written to: probe it anew, its code may be elsewhere";
	case FILE_IS_SAME:
		break;
	}
	return "";
}
