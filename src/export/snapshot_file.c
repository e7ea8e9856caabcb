/* snapshot_file.c - see export/print.h. */
#include "export/print.h"

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

struct snapshot_file {
	struct snapshot *snapshot;	/* owned */
	struct table_writer *writer;	/* owned; NULL: folded stacks */
	char *path;			/* owned */
	pthread_t thread;
	int done_fd;
	int result;			/* set by the thread; read after joining it */
	struct diag why;		/* set by the thread; read after joining it */
};

/* @fd stays open: it is what gets the name. */
static int write_snapshot(const struct snapshot_file *file, int fd)
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
	err = file->writer ? table_writer_write(file->writer, out, file->snapshot)
			   : folded_write(out, &file->snapshot->tree, false,
					  file->snapshot->is_compared,
					  snapshot_is_by_weight(file->snapshot));
	if (!err && ferror(out))
		err = errno ? -errno : -EIO;
	if (fclose(out) && !err)
		err = -errno;
	return err;
}

static int create_file(struct snapshot_file *file)
{
	struct new_file created;
	int err = new_file_open(&created, file->path, &file->why);

	if (err)
		return err;
	err = write_snapshot(file, created.fd);
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
	struct snapshot_file *file = argument;

	file->result = create_file(file);
	whole_eventfd_write(file->done_fd, 1);
	return NULL;
}

static void destroy(struct snapshot_file *file)
{
	if (file->done_fd >= 0)
		close(file->done_fd);
	snapshot_destroy(file->snapshot);
	table_writer_destroy(file->writer);
	free(file->path);
	free(file);
}

int snapshot_file_start(struct snapshot_file **out, const char *path, struct snapshot *snapshot,
			const struct table_options *table, struct diag *why)
{
	struct snapshot_file *file = calloc(1, sizeof(*file));
	int err = -ENOMEM;

	*out = NULL;
	if (!file) {
		snapshot_destroy(snapshot);
		return diag_set(why, err, "no memory to write %s", path);
	}
	file->snapshot = snapshot;
	file->path = strdup(path);
	file->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (file->path && file->done_fd >= 0)
		err = table ? table_writer_create(&file->writer, table) : 0;
	if (!err)
		err = thread_start(&file->thread, "flametop-save", run, file);
	if (err) {
		destroy(file);
		return diag_set(why, err, "cannot write %s: %s", path, strerror(-err));
	}
	*out = file;
	return 0;
}

int snapshot_file_fd(const struct snapshot_file *file)
{
	return file->done_fd;
}

int snapshot_file_finish(struct snapshot_file *file, uint64_t *samples, struct diag *why)
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
