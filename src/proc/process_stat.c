/* process_stat.c - see proc/process_stat.h.
 *
 * A process chooses the comm in stat, which may hold blanks, brackets and newlines: it ends at the
 * last bracket of the text, and the fields begin after that.
 */
#include "proc/process_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/whole_io.h"

#define KERNEL_THREAD 0x200000u	/* PF_KTHREAD of the kernel's linux/sched.h */
#define STAT_BYTES 2048	/* 52 numbers of at most 20 digits, and a comm of 64 */

bool process_stat_parse(struct process_stat *out, const char *text)
{
	const char *open = strchr(text, '('), *close = strrchr(text, ')');
	uint64_t user, system;
	uint32_t flags;
	int len;

	if (!open || !close || close < open)
		return false;
	/* state, 5 fields, flags, 4 fields, utime, stime, 4 fields, num_threads, itrealvalue,
	 * starttime, 16 fields, processor */
	out->cpu = UINT32_MAX;
	if (sscanf(close + 1,
		   " %c %*s %*s %*s %*s %*s %" SCNu32 " %*s %*s %*s %*s %" SCNu64 " %" SCNu64
		   " %*s %*s %*s %*s %" SCNu32 " %*s %" SCNu64
		   " %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %" SCNu32,
		   &out->state, &flags, &user, &system, &out->threads, &out->start_ticks,
		   &out->cpu) < 6)
		return false;
	out->is_kernel = flags & KERNEL_THREAD;
	out->cpu_ticks = user + system;
	len = (int)(close - open - 1);
	snprintf(out->comm, sizeof(out->comm), "%.*s", len, open + 1);
	return true;
}

ssize_t process_stat_read_file(int directory, const char *name, char *text, size_t room)
{
	const int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
	ssize_t got = -errno;

	if (fd >= 0) {
		got = whole_read(fd, text, room - 1);
		if (got < 0)
			got = -errno;
		close(fd);
	}
	text[got < 0 ? 0 : got] = '\0';
	return got;
}

/* Reads up to @capacity bytes of a file below /proc. Returns their number, or -errno. */
static ssize_t read_start(const char *path, char *out, size_t capacity)
{
	size_t used = 0;
	ssize_t got = 1;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	while (used < capacity && got > 0) {
		got = whole_read(fd, out + used, capacity - used);
		if (got > 0)
			used += (size_t)got;
	}
	if (got < 0)
		got = -errno;
	close(fd);
	return got < 0 ? got : (ssize_t)used;
}

int process_stat_read(struct process_stat *out, uint32_t pid, uint32_t tid)
{
	char path[64], text[STAT_BYTES];
	ssize_t len;

	if (tid)
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/stat", pid, tid);
	else
		snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	len = read_start(path, text, sizeof(text) - 1);
	if (len < 0)	/* gone before the open, or before the read */
		return len == -ENOENT || len == -ESRCH ? -ESRCH : (int)len;
	text[len] = '\0';
	return process_stat_parse(out, text) ? 0 : -EIO;
}

void process_stat_join_arguments(char *text, size_t len)
{
	while (len && !text[len - 1])
		len--;
	for (size_t i = 0; i < len; i++)
		if (!text[i] || text[i] == '\n' || text[i] == '\t')
			text[i] = ' ';
	text[len] = '\0';
}

char *process_stat_read_command_line(uint32_t pid)
{
	char path[64], text[PROCESS_COMMAND_LINE_BYTES + 1];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/cmdline", pid);
	len = read_start(path, text, PROCESS_COMMAND_LINE_BYTES);
	if (len < 0)
		return NULL;
	process_stat_join_arguments(text, (size_t)len);
	return strdup(text);
}
