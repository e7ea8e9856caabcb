/* file_version.h - which file, with which content, and whether anybody but root and the user of
 * flametop could have written it.
 *
 * Source: stat(2), statfs(2), acl(5).
 * Thread: any; may block on a slow file system.
 */
#ifndef SYMBOLS_FILE_VERSION_H
#define SYMBOLS_FILE_VERSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* A file with one content: nobody but the kernel sets ctime. All 0: no file. */
struct file_version {
	uint64_t device, inode, ctime_ns, bytes;
	uint64_t mtime_ns;		/* which a copy may keep, and a package does */
};

struct file_version file_version_of(const struct stat *status);
bool file_version_is_equal(const struct file_version *a, const struct file_version *b);
uint64_t file_version_hash(const struct file_version *version);

/* Of two trusted files with the same build-id: whether they are copies of one. The build-id says
 * nothing of it: ld's does not cover the symbols, nor does strip(1) change it. */
bool file_version_is_copy(const struct file_version *a, const struct file_version *b);
/* False: its mtime is that of all files of such a system, and no file is its copy. */
bool file_version_has_copies(const struct file_version *version);
uint64_t file_version_copy_hash(const struct file_version *version);

/* Whether every byte of the regular file behind @fd was written by root or the effective user.
 * @status: of @fd. */
bool file_is_trusted(int fd, const struct stat *status);

#endif
