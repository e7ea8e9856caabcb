/* shared_file.c - see share/shared_file.h. */
#include "share/shared_file.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/privileges.h"
#include "base/sanitize.h"
#include "base/thread.h"
#include "base/whole_io.h"

#define CLEAN_SHARE 4	/* a byte of a command line that is not printable becomes "\\xNN" */

struct shared_file {
	struct snapshot *snapshot;	/* owned */
	struct shared_options options;
	char *command;			/* owned: options.command */
	char *path;			/* owned */
	struct new_file created;	/* owned while the thread writes */
	bool is_created;		/* before the thread began */
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

static int describe(int err, const char *path, struct diag *why)
{
	if (err == -EEXIST)
		return diag_set(why, err, "%s exists: give another name", path);
	return diag_set(why, err, "cannot write %s: %s; another directory may do", path,
			strerror(-err));
}

static int create_file(struct shared_file *file)
{
	struct new_file *created = &file->created;
	int err = file->is_created ? 0 : new_file_open(created, file->path, &file->why);

	if (err)
		return err;
	err = write_copy(file, created->fd);
	if (err)
		new_file_drop(created);
	else
		err = new_file_keep(created);
	return err ? describe(err, file->path, &file->why) : 0;
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

/* NULL: no memory. */
static char *copy_clean(const char *text)
{
	const size_t length = strlen(text), room = CLEAN_SHARE * length + 1;
	char *copy = malloc(room);

	if (copy)
		sanitize_text(copy, room, text, length);
	return copy;
}

/* Takes ownership of @snapshot in every case; of @created, unless that is NULL, if it returns 0. */
static int start(struct shared_file **out, const char *path, const struct new_file *created,
		 struct snapshot *snapshot, const struct shared_options *options, struct diag *why)
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
	file->command = copy_clean(options->command);
	file->options = *options;
	file->options.command = file->command;
	file->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (created) {
		file->created = *created;
		file->is_created = true;
	}
	if (file->path && file->command && file->done_fd >= 0)
		err = thread_start(&file->thread, "flametop-save", run, file);
	if (err) {
		destroy(file);
		return diag_set(why, err, "cannot write %s: %s", path, strerror(-err));
	}
	*out = file;
	return 0;
}

int shared_file_start(struct shared_file **out, const char *path, struct snapshot *snapshot,
		      const struct shared_options *options, struct diag *why)
{
	return start(out, path, NULL, snapshot, options, why);
}

int shared_file_fd(const struct shared_file *file)
{
	return file->done_fd;
}

/* Returns the samples of the event shown. */
static uint64_t samples_of(const struct snapshot *snapshot)
{
	return snapshot->stack_samples ? snapshot->stack_samples->load.now.samples
				       : snapshot->tree.samples;
}

/* Notes what @output has. The snapshots of @file are a chain if there are several events. */
static void describe_output(struct shared_output *output, const struct shared_file *file)
{
	const struct snapshot *snapshot = file->snapshot;
	const bool has_one = output->format == SHARED_FLAME_GRAPH && snapshot->next_event;

	if (has_one)
		snprintf(output->drawn, sizeof(output->drawn), "%s", snapshot->event);
	for (; snapshot; snapshot = has_one ? NULL : snapshot->next_event)
		output->samples += samples_of(snapshot);
}

/* Frees @file, whose thread was joined. */
static int finish(struct shared_file *file, struct diag *why)
{
	const int err = file->result;

	if (err)
		*why = file->why;
	destroy(file);
	return err;
}

int shared_file_finish(struct shared_file *file, uint64_t *samples, struct diag *why)
{
	pthread_join(file->thread, NULL);
	*samples = file->result ? 0 : samples_of(file->snapshot);
	return finish(file, why);
}

int shared_outputs_open(struct shared_outputs *out, const char *const *paths, size_t count,
			struct diag *why)
{
	int err = 0;

	*out = (struct shared_outputs){ .count = 0 };
	while (out->count < count && !err) {
		struct shared_output *output = &out->list[out->count];
		bool is_known;

		output->path = paths[out->count];
		output->format = shared_format_find(output->path, &is_known);
		err = new_file_open(&output->file, output->path, why);
		output->is_open = !err;
		out->count += !err;
	}
	return err;
}

void shared_outputs_close(struct shared_outputs *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (outputs->list[i].is_open)
			new_file_drop(&outputs->list[i].file);
	outputs->count = 0;
}

struct shared_file *shared_output_start(struct shared_output *output, struct snapshot *snapshot,
					const struct shared_options *options)
{
	struct shared_file *file;

	if (start(&file, output->path, &output->file, snapshot, options, &output->why))
		output->is_ended = true;
	else
		output->is_open = false;
	return file;
}

void shared_output_finish(struct shared_output *output, struct shared_file *file)
{
	output->is_ended = true;
	pthread_join(file->thread, NULL);
	if (!file->result)
		describe_output(output, file);
	finish(file, &output->why);
}

void shared_output_fail(struct shared_output *output, int err, const char *format, ...)
{
	va_list args;

	output->is_ended = true;
	output->why.err = err;
	va_start(args, format);
	vsnprintf(output->why.text, sizeof(output->why.text), format, args);
	va_end(args);
}
