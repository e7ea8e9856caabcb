/* process_root.c - see proc/process_root.h.
 *
 * Problem: root in a container owns its files as root, so the owner does not tell whether the root
 * of this machine wrote them. Device and inode do not tell either: a container's files may lie in
 * file systems that are mounted here.
 *
 * Idea: a process with flametop's own mounts and root directory is in no container. A descriptor of
 * /proc/PID always refers to that process, never to a later one with its pid.
 */
#include "proc/process_root.h"

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

int process_root_take(int directory, const char *path, uint64_t resolve)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = resolve };
	long fd = syscall(SYS_openat2, directory, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}
