/* process_root.c - see proc/process_stat.h.
 *
 * Problem: root in a container owns its files as root, so the owner does not tell whether the root
 * of this machine wrote them. Device and inode do not tell either: a container's files may lie in
 * file systems that are mounted here.
 *
 * Idea: a process with flametop's own mounts and root directory is in no container. A descriptor of
 * /proc/PID always refers to that process, never to a later one with its pid.
 */
#include "proc/process_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DIRECTORY_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)

bool process_root_shares(int process, const char *name)
{
	struct statx a, b;
	char own[32];

	snprintf(own, sizeof(own), "/proc/self/%s", name);
	return statx(process, name, AT_STATX_DONT_SYNC, STATX_INO, &a) == 0 &&
	       statx(AT_FDCWD, own, AT_STATX_DONT_SYNC, STATX_INO, &b) == 0 &&
	       a.stx_dev_major == b.stx_dev_major && a.stx_dev_minor == b.stx_dev_minor &&
	       a.stx_ino == b.stx_ino;
}

void process_root_open(struct process_root *out, uint32_t pid)
{
	char path[32];

	*out = (struct process_root){ .process = -1, .root = -1, .is_ours = !pid };
	if (!pid)
		return;
	snprintf(path, sizeof(path), "/proc/%" PRIu32, pid);
	out->process = open(path, DIRECTORY_FLAGS);
	if (out->process < 0)
		return;
	out->root = openat(out->process, "root", DIRECTORY_FLAGS);
	out->is_ours = process_root_shares(out->process, "ns/mnt") &&
		       process_root_shares(out->process, "root");
}

void process_root_close(struct process_root *root)
{
	if (root->process >= 0)
		close(root->process);
	if (root->root >= 0)
		close(root->root);
}

int process_root_status(int process, uint32_t *pid, uint32_t *uid)
{
	int fd = openat(process, "status", O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	size_t room = 0;
	char *line = NULL;
	bool has_uid = false;

	if (!file)
		return -errno;
	while (getline(&line, &room, file) > 0) {
		const char *last = strrchr(line, '\t');

		if (sscanf(line, "Uid: %*u %" SCNu32, uid) == 1)
			has_uid = true;
		else if (strncmp(line, "NSpid:", 6) == 0 && last)
			*pid = (uint32_t)strtoul(last + 1, NULL, 10);
	}
	free(line);
	fclose(file);
	return has_uid ? 0 : -ESRCH;
}

static FILE *open_text(int process, const char *name)
{
	const int fd = openat(process, name, O_RDONLY | O_CLOEXEC);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd >= 0 && !file)
		close(fd);
	return file;
}

/* "Groups:\t4 24 1000 \n" */
static void parse_groups(const char *text, struct process_identity *out)
{
	char *end;

	for (;;) {
		const unsigned long group = strtoul(text, &end, 10);

		if (end == text || out->group_count == PROCESS_GROUPS_MAX)
			return;
		out->groups[out->group_count++] = (uint32_t)group;
		text = end;
	}
}

int process_root_identity(int process, struct process_identity *out)
{
	FILE *file = open_text(process, "status");
	size_t room = 0;
	char *line = NULL;
	int found = 0;

	if (!file)
		return -errno;
	out->group_count = 0;
	while (getline(&line, &room, file) > 0) {
		found += sscanf(line, "Uid: %*u %*u %*u %" SCNu32, &out->uid) == 1;
		found += sscanf(line, "Gid: %*u %*u %*u %" SCNu32, &out->gid) == 1;
		if (strncmp(line, "Groups:", 7) == 0)
			parse_groups(line + 7, out);
	}
	free(line);
	fclose(file);
	return found == 2 ? 0 : -ESRCH;
}

#define DELETED " (deleted)"

static bool is_path_of(const char *line, int at, const char *path)
{
	const size_t bytes = strlen(path);
	const char *found = line + at;

	return bytes && strncmp(found, path, bytes) == 0 &&
	       (strcmp(found + bytes, "\n") == 0 || strcmp(found + bytes, DELETED "\n") == 0);
}

bool process_root_has_mapped(int process, uint32_t dev_major, uint32_t dev_minor, uint64_t inode,
			     const char *path)
{
	FILE *file = open_text(process, "maps");
	bool is_found = false;
	size_t room = 0;
	char *line = NULL;

	while (file && !is_found && getline(&line, &room, file) > 0) {
		uint32_t major, minor;
		uint64_t found;
		int at = 0;

		if (sscanf(line, "%*x-%*x %*s %*x %" SCNx32 ":%" SCNx32 " %" SCNu64 " %n", &major,
			   &minor, &found, &at) != 3 || !found)
			continue;
		is_found = inode ? found == inode && major == dev_major && minor == dev_minor
				 : is_path_of(line, at, path);
	}
	free(line);
	if (file)
		fclose(file);
	return is_found;
}

int process_root_take(int directory, const char *path, uint64_t resolve)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = resolve };
	long fd = syscall(SYS_openat2, directory, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}
