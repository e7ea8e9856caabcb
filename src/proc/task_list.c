/* task_list.c - see proc/process_stat.h. */
#include "proc/process_stat.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/whole_io.h"

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
	got = whole_read(fd, line, sizeof(line) - 1);
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

uint64_t task_list_now_ticks(void)
{
	const uint64_t hz = (uint64_t)sysconf(_SC_CLK_TCK);
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * hz + (uint64_t)now.tv_nsec * hz / 1000000000u;
}

static bool has_id(const pid_t *ids, size_t count, pid_t id)
{
	for (size_t i = 0; i < count; i++)
		if (ids[i] == id)
			return true;
	return false;
}

struct candidate {
	pid_t pid, parent;	/* pid 0: already in the list */
};

/* Lists the processes that began at @since_ticks or later. NULL: no memory. */
static struct candidate *list_candidates(uint64_t since_ticks, size_t *count)
{
	struct candidate *candidates;
	pid_t *all = NULL;
	size_t all_count = 0;
	uint64_t start_ticks;

	*count = 0;
	append_numbers("/proc", ANY_UID, &all, &all_count);
	candidates = calloc(all_count + 1, sizeof(*candidates));
	for (size_t i = 0; candidates && i < all_count; i++) {
		struct candidate *next = &candidates[*count];

		next->pid = all[i];
		if (all[i] != getpid() && !task_list_origin(all[i], &next->parent, &start_ticks) &&
		    start_ticks >= since_ticks)
			++*count;
	}
	free(all);
	return candidates;
}

/* Returns true for a child of a root, or of a process that was taken before. */
static bool is_child(const struct candidate *candidate, const pid_t *roots, size_t root_count,
		     const pid_t *taken, size_t taken_count)
{
	return candidate->pid && !has_id(roots, root_count, candidate->pid) &&
	       (has_id(roots, root_count, candidate->parent) ||
		has_id(taken, taken_count, candidate->parent));
}

int task_list_descendants(const pid_t *roots, size_t root_count, uint64_t since_ticks,
			  pid_t **pids, size_t *count)
{
	const size_t first = *count;
	size_t candidate_count, before;
	struct candidate *candidates = list_candidates(since_ticks, &candidate_count);
	int err = candidates ? 0 : -ENOMEM;

	do {			/* a generation or more each time */
		before = *count;
		for (size_t i = 0; !err && i < candidate_count; i++) {
			struct candidate *candidate = &candidates[i];

			if (!is_child(candidate, roots, root_count, *pids + first, *count - first))
				continue;
			err = append_id(pids, count, candidate->pid);
			candidate->pid = 0;
		}
	} while (!err && *count > before);
	free(candidates);
	return err;
}

static uint32_t count_words(int fd)
{
	char bytes[4096];
	uint32_t words = 0;
	ssize_t got;

	while ((got = whole_read(fd, bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < got; i++)
			words += bytes[i] == ' ';	/* one after each pid */
	return words;
}

uint32_t task_list_count_children(pid_t pid)
{
	uint32_t children = 0;
	pid_t *tids = NULL;
	size_t count = 0;
	char path[64];

	task_list_threads(pid, &tids, &count);
	for (size_t i = 0; i < count; i++) {
		int fd;

		snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)tids[i]);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		children += count_words(fd);
		close(fd);
	}
	free(tids);
	return children;
}
