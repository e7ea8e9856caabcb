/* file_version.c - see symbols/file_version.h.
 *
 * Problem: the table of a trusted file may name code in the processes of every other user.
 *
 * Idea: owner and mode of the open inode decide, not how it was reached. A stranger may put a link
 * to a file of root's anywhere, so its directory proves nothing; but no stranger can change the
 * bytes, and a table belongs to the bytes. A group that may write by an ACL shows as the mode's
 * group bits. FUSE is left out: there a stranger's server makes up owner and content. An overlay
 * may lie on FUSE: any user may mount one in a namespace of his own and hand an open file of it to
 * a process in ours. So of overlays only those count that our own programs come from.
 *
 * Rejected: looking in /proc/self/mountinfo whether the mount is one of ours (2 ms for each file
 * where there are a thousand containers).
 *
 * Root in a container is root here, too: see proc/process_root.h.
 */
#include "symbols/file_version.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/statfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/id_map.h"

#define CONSTANT_MTIME_NS CLOCK_NS_PER_S	/* OSTree sets 0; Nix and Guix a second */

struct file_version file_version_of(const struct stat *status)
{
	return (struct file_version){
		.device = status->st_dev,
		.inode = status->st_ino,
		.ctime_ns = (uint64_t)status->st_ctim.tv_sec * CLOCK_NS_PER_S +
			    (uint64_t)status->st_ctim.tv_nsec,
		.bytes = (uint64_t)status->st_size,
		.mtime_ns = (uint64_t)status->st_mtim.tv_sec * CLOCK_NS_PER_S +
			    (uint64_t)status->st_mtim.tv_nsec,
	};
}

bool file_version_is_equal(const struct file_version *a, const struct file_version *b)
{
	return a->device == b->device && a->inode == b->inode && a->ctime_ns == b->ctime_ns &&
	       a->bytes == b->bytes;
}

uint64_t file_version_hash(const struct file_version *version)
{
	uint64_t hash = id_map_mix(version->device ^ id_map_mix(version->inode));

	return id_map_mix(hash ^ id_map_mix(version->ctime_ns ^ id_map_mix(version->bytes)));
}

bool file_version_has_copies(const struct file_version *version)
{
	return version->mtime_ns > CONSTANT_MTIME_NS;
}

bool file_version_is_copy(const struct file_version *a, const struct file_version *b)
{
	return a->bytes == b->bytes && a->mtime_ns == b->mtime_ns && file_version_has_copies(a);
}

uint64_t file_version_copy_hash(const struct file_version *version)
{
	return id_map_mix(version->bytes ^ id_map_mix(version->mtime_ns));
}

static bool is_on_mount(int fd, const char *directory)
{
	struct statx file, mount;

	return statx(fd, "", AT_EMPTY_PATH, STATX_MNT_ID, &file) == 0 &&
	       statx(AT_FDCWD, directory, 0, STATX_MNT_ID, &mount) == 0 &&
	       (file.stx_mask & mount.stx_mask & STATX_MNT_ID) &&
	       file.stx_mnt_id == mount.stx_mnt_id;
}

static bool is_trusted_system(int fd)
{
	struct statfs system;

	if (fstatfs(fd, &system) || system.f_type == FUSE_SUPER_MAGIC)
		return false;
	return system.f_type != OVERLAYFS_SUPER_MAGIC || is_on_mount(fd, "/") ||
	       is_on_mount(fd, "/usr");
}

bool file_is_trusted(int fd, const struct stat *status)
{
	return S_ISREG(status->st_mode) &&
	       (status->st_uid == 0 || status->st_uid == geteuid()) &&
	       !(status->st_mode & (S_IWGRP | S_IWOTH)) && is_trusted_system(fd);
}
