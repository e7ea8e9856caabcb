/* log.c - a ring of the newest lines, and a file with --log. Each has a lock, so that reading the
 * ring for the screen does not wait for a slow disk. */
#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/inherited.h"
#include "base/new_file.h"
#include "base/sanitize.h"
#include "base/whole_io.h"

static struct {
	pthread_mutex_t lock;
	struct log_line lines[LOG_LINES];
	size_t written;		/* lines in total; the newest is lines[(written - 1) % LOG_LINES] */
	pthread_mutex_t file_lock;	/* taken first: the file has the ring's order */
	int fd;
} log_state = {
	.lock = PTHREAD_MUTEX_INITIALIZER, .file_lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1,
};

/* Checks an existing file: in a directory like /tmp it may belong to another user, who could read
 * it, or be a hard link to an unrelated file. */
static int check_file(int fd, const char *path, struct diag *why)
{
	struct stat found;

	if (fstat(fd, &found))
		return diag_set(why, -errno, "cannot look at the log file %s: %s", path,
				strerror(errno));
	if (!S_ISREG(found.st_mode))
		return diag_set(why, -EINVAL, "the log %s is no file: give another name", path);
	if (found.st_uid != geteuid() && !inherited_is_from(found.st_uid))
		return diag_set(why, -EPERM, "the log file %s belongs to user %u: "
				"give another name", path, found.st_uid);
	if (found.st_nlink != 1)
		return diag_set(why, -EPERM, "the log file %s has other names: give another one",
				path);
	return 0;
}

int log_open(const char *path, struct diag *why)
{
	const char *name;
	const int directory = new_file_place(path, &name, why);
	int fd, err;

	if (directory < 0)
		return directory;
	/* O_NONBLOCK: a pipe is refused, not waited for */
	fd = openat(directory, name, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC |
		    O_NONBLOCK | O_NOCTTY, 0600);
	err = fd >= 0 ? check_file(fd, path, why)
		      : diag_set(why, -errno, "cannot open the log file %s: %s", path,
				 strerror(errno));
	close(directory);
	if (!err)
		log_state.fd = fd;
	else if (fd >= 0)
		close(fd);
	return err;
}

int log_fd(void)
{
	return log_state.fd;
}

void log_close(void)
{
	if (log_state.fd >= 0)
		close(log_state.fd);
	log_state.fd = -1;
}

static struct log_line add_line(bool is_warning, const char *text)
{
	struct log_line added = { .time_ns = clock_now_ns(), .wall_s = time(NULL),
				  .is_warning = is_warning };

	sanitize_text(added.text, sizeof(added.text), text, strlen(text));
	pthread_mutex_lock(&log_state.lock);
	added.number = log_state.written + 1;
	log_state.lines[log_state.written++ % LOG_LINES] = added;
	pthread_mutex_unlock(&log_state.lock);
	return added;
}

static void write_line(bool is_warning, const char *format, va_list args)
{
	char raw[LOG_LINE_BYTES], file_line[LOG_LINE_BYTES + 64];
	struct log_line added;
	ssize_t done;
	int used;

	vsnprintf(raw, sizeof(raw), format, args);
	pthread_mutex_lock(&log_state.file_lock);
	added = add_line(is_warning, raw);
	if (log_state.fd >= 0) {
		used = snprintf(file_line, sizeof(file_line), "%10.3f %s %s\n",
				(double)added.time_ns / 1e9, is_warning ? "warn" : "note",
				added.text);
		done = whole_write(log_state.fd, file_line, (size_t)used);
		(void)done;	/* a full disk must not stop a profiler */
	}
	pthread_mutex_unlock(&log_state.file_lock);
}

void log_note(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(false, format, args);
	va_end(args);
}

void log_warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(true, format, args);
	va_end(args);
}

size_t log_tail(struct log_line *out, size_t cap)
{
	size_t count, first;

	pthread_mutex_lock(&log_state.lock);
	count = log_state.written < LOG_LINES ? log_state.written : LOG_LINES;
	if (count > cap)
		count = cap;
	first = log_state.written - count;
	for (size_t i = 0; i < count; i++)
		out[i] = log_state.lines[(first + i) % LOG_LINES];
	pthread_mutex_unlock(&log_state.lock);
	return count;
}
