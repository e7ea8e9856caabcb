/* folded_file.c - see export/folded_file.h. What was written of a file that fails is removed: half
 * of a profile looks like a whole one. */
#include "export/folded_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/thread.h"
#include "export/folded.h"

struct folded_file {
	struct snapshot *stacks;	/* owned */
	char *path;			/* owned */
	pthread_t thread;
	int done_fd;
	int result;			/* the thread's; read after it was joined */
	struct diag why;		/* as above */
};

static int fail_open(const char *path, int err, struct diag *why)
{
	switch (err) {
	case -EEXIST:
	case -ELOOP:
		return diag_set(why, err, "%s exists: give another name", path);
	case -ENOENT:
	case -ENOTDIR:
		return diag_set(why, err, "%s: there is no such directory", path);
	default:
		return diag_set(why, err, "cannot create %s: %s; another directory may do", path,
				strerror(-err));
	}
}

static int write_stacks(const struct folded_file *file, int fd)
{
	FILE *out = fdopen(fd, "w");
	int err;

	if (!out) {
		close(fd);
		return -ENOMEM;
	}
	errno = 0;
	err = folded_write(out, &file->stacks->tree, false, file->stacks->is_compared);
	if (!err && ferror(out))
		err = errno ? -errno : -EIO;
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

static int create_file(struct folded_file *file)
{
	const int fd = open(file->path,
			    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0600);
	int err;

	if (fd < 0)
		return fail_open(file->path, -errno, &file->why);
	err = write_stacks(file, fd);
	if (!err)
		return 0;
	unlink(file->path);
	return diag_set(&file->why, err, "cannot write %s: %s; another directory may do",
			file->path, strerror(-err));
}

static void *run(void *argument)
{
	struct folded_file *file = argument;

	file->result = create_file(file);
	eventfd_write(file->done_fd, 1);
	return NULL;
}

static void destroy(struct folded_file *file)
{
	if (file->done_fd >= 0)
		close(file->done_fd);
	snapshot_destroy(file->stacks);
	free(file->path);
	free(file);
}

int folded_file_start(struct folded_file **out, const char *path, struct snapshot *stacks,
		      struct diag *why)
{
	struct folded_file *file = calloc(1, sizeof(*file));
	int err = -ENOMEM;

	*out = NULL;
	if (!file) {
		snapshot_destroy(stacks);
		return diag_set(why, err, "no memory to write %s", path);
	}
	file->stacks = stacks;
	file->path = strdup(path);
	file->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (file->path && file->done_fd >= 0)
		err = thread_start(&file->thread, "flametop-save", run, file);
	if (err) {
		destroy(file);
		return diag_set(why, err, "cannot write %s: %s", path, strerror(-err));
	}
	*out = file;
	return 0;
}

int folded_file_fd(const struct folded_file *file)
{
	return file->done_fd;
}

int folded_file_finish(struct folded_file *file, uint64_t *samples, struct diag *why)
{
	int err;

	pthread_join(file->thread, NULL);
	err = file->result;
	*samples = err ? 0 : file->stacks->tree.samples;
	if (err)
		*why = file->why;
	destroy(file);
	return err;
}
