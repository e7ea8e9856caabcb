/* file_version.h - identifies a file and its content; tells whether only root and the user of
 * flametop can have written it.
 *
 * Source: stat(2), statfs(2), acl(5).
 * Thread: any; may block on a slow file system.
 */
#ifndef SYMBOLS_FILE_VERSION_H
#define SYMBOLS_FILE_VERSION_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

/* Identifies one content of a file: only the kernel sets ctime. All 0: no file. */
struct file_version {
	uint64_t device, inode, ctime_ns, bytes;
	uint64_t mtime_ns;		/* preserved by packages, and by some copies */
};

struct file_version file_version_of(const struct stat *status);
bool file_version_is_equal(const struct file_version *a, const struct file_version *b);
uint64_t file_version_hash(const struct file_version *version);

/* Returns whether two trusted files with one build-id are copies of each other. The build-id does
 * not tell: ld's does not cover the symbols, and strip(1) does not change it. */
bool file_version_is_copy(const struct file_version *a, const struct file_version *b);
/* False if the mtime is one that a system (OSTree, Nix) gives all files: nothing is its copy. */
bool file_version_has_copies(const struct file_version *version);
uint64_t file_version_copy_hash(const struct file_version *version);

/* Returns whether only root or the effective user can have written the regular file behind @fd.
 * @status: fstat(2) of @fd. */
bool file_is_trusted(int fd, const struct stat *status);

#endif
