/* task_list.c - see task_list.h. */
#include "capture/task_list.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANY_UID ((uid_t)-1)

static int append_id(pid_t **ids, size_t *count, pid_t id)
{
	if ((*count & (*count - 1)) == 0) {	/* room doubles at each power of two */
		pid_t *grown = realloc(*ids, (*count ? *count * 2 : 1) * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		*ids = grown;
	}
	(*ids)[(*count)++] = id;
	return 0;
}

/* Appends every entry of @path that is a number and belongs to @owner. */
static int append_numbers(const char *path, uid_t owner, pid_t **ids, size_t *count)
{
	const struct dirent *entry;
	DIR *dir = opendir(path);
	int err = 0;

	if (!dir)
		return errno == ENOENT ? -ESRCH : -errno;
	while (!err && (entry = readdir(dir)) != NULL) {
		struct stat status;

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		if (owner != ANY_UID && (fstatat(dirfd(dir), entry->d_name, &status, 0) != 0 ||
					 status.st_uid != owner))
			continue;
		err = append_id(ids, count, (pid_t)strtol(entry->d_name, NULL, 10));
	}
	closedir(dir);
	return err;
}

int task_list_threads(pid_t pid, pid_t **tids, size_t *count)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	return append_numbers(path, ANY_UID, tids, count);
}

int task_list_processes_of(uid_t uid, pid_t **pids, size_t *count)
{
	return append_numbers("/proc", uid, pids, count);
}

int task_list_origin(pid_t pid, pid_t *parent, uint64_t *start_ticks)
{
	char path[64], line[1024];
	unsigned long long start;
	const char *after;
	ssize_t got;
	int fd, ppid;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -ESRCH;
	got = read(fd, line, sizeof(line) - 1);
	close(fd);
	if (got <= 0)
		return -ESRCH;
	line[got] = '\0';
	after = strrchr(line, ')');	/* the name before it may hold anything, also a ')' */
	if (!after || sscanf(after + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d"
			     " %*d %*d %*d %*d %*d %llu", &ppid, &start) != 2)
		return -ESRCH;
	*parent = ppid;
	*start_ticks = start;
	return 0;
}
