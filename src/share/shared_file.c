/* shared_file.c - see share/shared_file.h. */
#include "share/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/privileges.h"
#include "base/thread.h"
#include "base/whole_io.h"

struct shared_file {
	struct snapshot *snapshot;	/* owned */
	struct shared_options options;
	char *command;			/* owned: options.command */
	char *path;			/* owned */
	pthread_t thread;
	int done_fd;
	int result;			/* set by the thread; read after joining it */
	struct diag why;		/* set by the thread; read after joining it */
};

/* @fd stays open: it is what gets the name. */
static int write_copy(const struct shared_file *file, int fd)
{
	const int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");
	int err;

	if (!out) {
		err = -errno;
		if (copy >= 0)
			close(copy);
		return err;
	}
	errno = 0;
	err = shared_write(out, file->snapshot, &file->options);
	if (!err && ferror(out))
		err = errno ? -errno : -EIO;
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

static int create_file(struct shared_file *file)
{
	struct new_file created;
	int err = new_file_open(&created, file->path, &file->why);

	if (err)
		return err;
	err = write_copy(file, created.fd);
	if (err)
		new_file_drop(&created);
	else
		err = new_file_keep(&created);
	if (err == -EEXIST)
		diag_set(&file->why, err, "%s exists: give another name", file->path);
	else if (err)
		diag_set(&file->why, err, "cannot write %s: %s; another directory may do",
			 file->path, strerror(-err));
	return err;
}

static void *run(void *argument)
{
	struct shared_file *file = argument;

	file->result = create_file(file);
	whole_eventfd_write(file->done_fd, 1);
	return NULL;
}

static void destroy(struct shared_file *file)
{
	if (file->done_fd >= 0)
		close(file->done_fd);
	snapshot_destroy(file->snapshot);
	free(file->command);
	free(file->path);
	free(file);
}

int shared_file_start(struct shared_file **out, const char *path, struct snapshot *snapshot,
			const struct shared_options *options, struct diag *why)
{
	struct shared_file *file = calloc(1, sizeof(*file));
	int err = -ENOMEM;

	*out = NULL;
	if (!file) {
		snapshot_destroy(snapshot);
		return diag_set(why, err, "no memory to write %s", path);
	}
	file->snapshot = snapshot;
	file->path = strdup(path);
	file->command = strdup(options->command);
	file->options = *options;
	file->options.command = file->command;
	file->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (file->path && file->command && file->done_fd >= 0)
		err = thread_start(&file->thread, "flametop-save", run, file);
	if (err) {
		destroy(file);
		return diag_set(why, err, "cannot write %s: %s", path, strerror(-err));
	}
	*out = file;
	return 0;
}

int shared_file_fd(const struct shared_file *file)
{
	return file->done_fd;
}

int shared_file_finish(struct shared_file *file, uint64_t *samples, struct diag *why)
{
	int err;

	pthread_join(file->thread, NULL);
	err = file->result;
	*samples = err ? 0 : file->snapshot->tree.samples;
	if (err)
		*why = file->why;
	destroy(file);
	return err;
}
