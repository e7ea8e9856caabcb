/* process_root.c - see symbols/process_root.h.
 *
 * Problem: root in a container owns its files as root, so their owner does not tell whether the
 * root of this machine wrote them. And device and inode do not tell either: a container's files may
 * lie in file systems that are mounted here.
 *
 * Idea: a process with our own mounts and our own root directory is in no container. Descriptors of
 * /proc/PID stay with that process, so that no other one can answer for it.
 */
#include "symbols/process_root.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define DIRECTORY_FLAGS (O_PATH | O_DIRECTORY | O_CLOEXEC)

static bool is_same_inode(int a_directory, const char *a_path, const char *b_path)
{
	struct stat a, b;

	return fstatat(a_directory, a_path, &a, 0) == 0 && stat(b_path, &b) == 0 &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
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
	out->is_ours = is_same_inode(out->process, "ns/mnt", "/proc/self/ns/mnt") &&
		       is_same_inode(out->process, "root", "/");
}

void process_root_close(struct process_root *root)
{
	if (root->process >= 0)
		close(root->process);
	if (root->root >= 0)
		close(root->root);
}

int process_root_take(int directory, const char *path, uint64_t resolve)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = resolve };
	long fd = syscall(SYS_openat2, directory, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}
