/* object_file.c - see symbols/object_file.h.
 *
 * Problem: the path of a mapping is what it was when it was mapped, in the mount namespace and root
 * of another process, and belongs to somebody who may put a FIFO, a device, a link or another file
 * there. Opening a device can already do harm, and another file's symbols are wrong names.
 *
 * Idea: take a place with O_PATH first (which opens nothing), look at what it is, and only then
 * open that very inode through /proc/self/fd. Identity is the mapping's device and inode; where the
 * kernel gave a build-id in their place, the caller compares that. map_files is the mapped file
 * itself, but the range may be another mapping by now, so it is checked too.
 *
 * A path that ends in " (deleted)" is only looked at as the text of a map_files link: a file of
 * that very name would be a decoy.
 */
#include "symbols/object_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/clock.h"
#include "symbols/vdso_image.h"

#define DELETED_SUFFIX " (deleted)"
#define PROC_PATH_BYTES 96	/* "/proc/" pid "/map_files/" two addresses of 16 digits */

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_deleted(const char *path)
{
	size_t len = strlen(path), suffix = strlen(DELETED_SUFFIX);

	return len > suffix && strcmp(path + len - suffix, DELETED_SUFFIX) == 0;
}

/* Names that the kernel gives to memory without a file of its own. */
static bool is_anonymous(const char *path)
{
	return path[0] != '/' || has_prefix(path, "//") || has_prefix(path, "/dev/zero") ||
	       has_prefix(path, "/SYSV") || has_prefix(path, "/anon_hugepage") ||
	       has_prefix(path, "/[");
}

size_t object_file_sources(const struct open_request *request,
			   enum object_file_source sources[3], struct diag *why)
{
	bool has_path = !is_deleted(request->path) && !has_prefix(request->path, "/memfd:");
	size_t count = 0;

	if (strcmp(request->path, "[vdso]") == 0)
		sources[count++] = OBJECT_FILE_VDSO;
	else if (is_anonymous(request->path))
		diag_set(why, -ENOENT, "memory without a file");
	else {
		if (request->pid)
			sources[count++] = OBJECT_FILE_MAP_FILES;
		if (request->pid && has_path)
			sources[count++] = OBJECT_FILE_IN_ROOT;
		if (has_path)
			sources[count++] = OBJECT_FILE_PATH;
		if (!count)
			diag_set(why, -ENOENT, "deleted before the recording was read");
	}
	return count;
}

static bool is_alive(uint32_t pid)
{
	char path[PROC_PATH_BYTES];

	snprintf(path, sizeof(path), "/proc/%" PRIu32, pid);
	return access(path, F_OK) == 0;
}

static int not_opened(const struct open_request *request, int err, struct diag *why)
{
	if (request->pid && !is_alive(request->pid))
		return diag_set(why, -ESRCH, "process gone");
	switch (err) {
	case -EPERM:
	case -EACCES:
		return diag_set(why, err, "no permission to open it: run as root");
	case -ENOENT:
	case -ENOTDIR:
		return diag_set(why, -ENOENT, "no such file any more");
	default:
		return diag_set(why, err, "cannot open it: %s", strerror(-err));
	}
}

/* Takes a place without opening what is there. */
static int take_place(int directory, const char *path, uint64_t resolve)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = resolve };
	long fd = syscall(SYS_openat2, directory, path, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

static int take_map_files(const struct open_request *request, char path[PROC_PATH_BYTES])
{
	snprintf(path, PROC_PATH_BYTES, "/proc/%" PRIu32 "/map_files/%" PRIx64 "-%" PRIx64,
		 request->pid, request->start, request->end);
	return take_place(AT_FDCWD, path, 0);
}

static int take_in_root(const struct open_request *request)
{
	char path[PROC_PATH_BYTES];
	int root, place;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root", request->pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	place = take_place(root, request->path, RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
	close(root);
	return place;
}

static struct object_file_version version_of(const struct stat *status)
{
	return (struct object_file_version){
		.device = status->st_dev,
		.inode = status->st_ino,
		.ctime_ns = (uint64_t)status->st_ctim.tv_sec * CLOCK_NS_PER_S +
			    (uint64_t)status->st_ctim.tv_nsec,
		.bytes = (uint64_t)status->st_size,
	};
}

static bool has_inode(const struct open_request *request, const struct stat *status)
{
	return request->inode && request->inode == status->st_ino &&
	       makedev(request->dev_major, request->dev_minor) == status->st_dev;
}

/* Overlay file systems show one inode in the mapping and another one in stat(2); the link's text is
 * the mapping's path in any case. */
static bool has_link_text(const char *map_files_path, const char *path)
{
	char text[OPENER_PATH_BYTES + sizeof(DELETED_SUFFIX)];
	ssize_t len = readlink(map_files_path, text, sizeof(text) - 1);
	size_t path_len = strlen(path);

	if (len < 0)
		return false;
	text[len] = '\0';
	return strncmp(text, path, path_len) == 0 &&
	       (text[path_len] == '\0' || strcmp(text + path_len, DELETED_SUFFIX) == 0);
}

/* Opens the regular file at @place, which is the caller's. */
static int open_place(int place, const struct stat *status, struct diag *why)
{
	char path[PROC_PATH_BYTES];
	int fd;

	if (!S_ISREG(status->st_mode))
		return diag_set(why, -EINVAL, "not a regular file");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", place);
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return diag_set(why, -errno, "%s", errno == EACCES ?
				"no permission to read it: run as root" : "cannot read it");
	return fd;
}

static int open_checked(struct object_file *out, const struct open_request *request, int place,
			const char *map_files_path, struct diag *why)
{
	struct stat status;

	if (fstat(place, &status))
		return diag_set(why, -errno, "cannot look at it");
	out->version = version_of(&status);
	out->is_certain = request->pid && (has_inode(request, &status) ||
			   (map_files_path && has_link_text(map_files_path, request->path)));
	if (!out->is_certain && !request->build_id.count)
		return diag_set(why, -ESTALE, request->inode && request->pid
				? "replaced: its path now holds another file"
				: "nothing tells whether it is the file that was mapped");
	out->fd = open_place(place, &status, why);
	return out->fd < 0 ? out->fd : 0;
}

/* Ours is of another kind. */
static int open_vdso_of_32_bit(struct object_file *out, const struct open_request *request,
			       struct diag *why)
{
	out->version = (struct object_file_version){ .bytes = request->end - request->start };
	out->is_certain = true;
	out->fd = vdso_image_copy(request->pid, request->start, request->end,
				  &out->version.device, why);
	return out->fd < 0 ? out->fd : 0;
}

/* The image ends with its section headers. It is the kernel's and in our own memory. */
static int open_vdso(struct object_file *out, const struct open_request *request, struct diag *why)
{
	const ElfW(Ehdr) *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t bytes;

	if (request->pid && request->end <= UINT32_MAX)
		return open_vdso_of_32_bit(out, request, why);
	if (!request->pid && !request->build_id.count)
		return diag_set(why, -ESTALE, "belongs to the kernel of the recording");
	if (!image)
		return diag_set(why, -ENOENT, "this process has no vdso");
	bytes = image->e_shoff + (size_t)image->e_shnum * image->e_shentsize;
	out->version = (struct object_file_version){ .bytes = bytes };	/* no file has inode 0 */
	out->is_certain = request->pid != 0;
	out->fd = memfd_create("flametop-vdso", MFD_CLOEXEC);
	if (out->fd < 0 || write(out->fd, image, bytes) != (ssize_t)bytes) {
		if (out->fd >= 0)
			close(out->fd);
		return diag_set(why, -ENOMEM, "no memory for a copy of the vdso");
	}
	return 0;
}

int object_file_open(struct object_file *out, const struct open_request *request,
		     enum object_file_source source, struct diag *why)
{
	char map_files_path[PROC_PATH_BYTES];
	int place, err;

	*out = (struct object_file){ .fd = -1 };
	if (source == OBJECT_FILE_VDSO)
		return open_vdso(out, request, why);
	if (source == OBJECT_FILE_MAP_FILES)
		place = take_map_files(request, map_files_path);
	else if (source == OBJECT_FILE_IN_ROOT)
		place = take_in_root(request);
	else
		place = take_place(AT_FDCWD, request->path, RESOLVE_NO_MAGICLINKS);
	if (place < 0)
		return not_opened(request, place, why);
	err = open_checked(out, request, place,
			   source == OBJECT_FILE_MAP_FILES ? map_files_path : NULL, why);
	close(place);
	return err;
}

bool object_file_is_unchanged(const struct object_file *file)
{
	struct object_file_version now;
	struct stat status;

	if (file->version.inode == 0)
		return true;	/* the vdso's copy is ours */
	if (fstat(file->fd, &status))
		return false;
	now = version_of(&status);
	return now.ctime_ns == file->version.ctime_ns && now.bytes == file->version.bytes;
}
