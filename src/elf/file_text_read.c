/* file_text_read.c - worker side of source files: see sandbox/file_text.h.
 *
 * Problem: the paths are a stranger's. One may lead to a FIFO, whose opening can wait for ever, to
 *          a device or a file of the kernel, where opening or reading can already do something, or
 *          to a file of any size.
 * Idea:    the worker has the target's own rights, so it can do no more than the target itself. It
 *          takes the place first (O_PATH opens nothing), looks at it, and opens regular files of
 *          real file systems only. If the target exchanges the file meanwhile it opens another file
 *          of its own, which is compared and refused. A file system that does not reply keeps this
 *          worker until its deadline, and nobody else.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <md5.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/whole_io.h"
#include "sandbox/file_text.h"

/* Not in linux/magic.h of Debian 12. */
#define CONFIGFS 0x62656570
#define FUSECTL	 0x65735543
#define MQUEUE	 0x19800202

#define TRIES 3		/* EAGAIN: somebody renamed a directory meanwhile */

struct search {
	struct file_text_query query;
	const char *paths;	/* owned */
	int directory;
	struct file_text_reply *best;	/* owned; the first file that could be read */
	size_t best_bytes;
	struct diag first;	/* why the first path that exists was not read */
};

static int open_below(int directory, const char *path, uint64_t flags)
{
	struct open_how how = { .flags = flags | O_CLOEXEC,
				.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS };
	long fd = -1;

	for (int i = 0; i < TRIES; i++) {
		fd = syscall(SYS_openat2, directory, path, &how, sizeof(how));
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	return fd < 0 ? -errno : (int)fd;
}

/* Returns whether the files of the file system are the kernel's: reading one can wait, change
 * something or cost much, and none is a source. */
static bool is_of_kernel(int place)
{
	static const unsigned long kinds[] = {
		PROC_SUPER_MAGIC, SYSFS_MAGIC, TRACEFS_MAGIC, DEBUGFS_MAGIC, SECURITYFS_MAGIC,
		CGROUP_SUPER_MAGIC, CGROUP2_SUPER_MAGIC, BPF_FS_MAGIC, PSTOREFS_MAGIC,
		EFIVARFS_MAGIC, SELINUX_MAGIC, SMACK_MAGIC, BINFMTFS_MAGIC, NSFS_MAGIC,
		RDTGROUP_SUPER_MAGIC, DEVPTS_SUPER_MAGIC, CONFIGFS, FUSECTL, MQUEUE,
	};
	struct statfs system;

	if (fstatfs(place, &system))
		return true;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if ((unsigned long)system.f_type == kinds[i])
			return true;
	return false;
}

static const char *kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR: return "a directory, not a file";
	case S_IFIFO: return "a FIFO, not a file";
	case S_IFSOCK: return "a socket, not a file";
	case S_IFCHR:
	case S_IFBLK: return "a device, not a file";
	default: return "not a regular file";
	}
}

static int check_place(const struct search *search, int place, const struct stat *status,
		       struct diag *why)
{
	if (!S_ISREG(status->st_mode))
		return diag_set(why, -EINVAL, "%s", kind_of(status->st_mode));
	if (is_of_kernel(place))
		return diag_set(why, -EINVAL, "one of the kernel's files, not a source");
	if (status->st_size > (off_t)FILE_TEXT_BYTES_MAX)
		return diag_set(why, -EFBIG, "%llu MiB, more than a source file has",
				(unsigned long long)status->st_size >> 20);
	if (search->query.needs_public && !(status->st_mode & S_IROTH))
		return diag_set(why, -EACCES, "not readable by every user: name its directory with "
				"--source-path to read it all the same");
	return 0;
}

static bool is_missing(int err)
{
	return err == -ENOENT || err == -ENOTDIR || err == -ENAMETOOLONG || err == -EXDEV;
}

static int not_opened(int err, struct diag *why)
{
	if (is_missing(err))
		return diag_set(why, -ENOENT, "not found");
	if (err == -EACCES || err == -EPERM)
		return diag_set(why, -EACCES, "no permission to read it");
	if (err == -ELOOP)
		return diag_set(why, err, "its links lead in a circle, or into /proc");
	return diag_set(why, err, "cannot open it: %s", strerror(-err));
}

/* Returns a descriptor of the regular file at @path, or -errno. */
static int open_source(const struct search *search, const char *path, struct stat *status,
		       struct diag *why)
{
	struct stat opened;
	int fd, err, place = open_below(search->directory, path, O_PATH);

	if (place < 0)
		return not_opened(place, why);
	err = fstat(place, status) ? not_opened(-errno, why) :
				     check_place(search, place, status, why);
	close(place);
	if (err)
		return err;
	fd = open_below(search->directory, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return not_opened(fd, why);
	if (!fstat(fd, &opened) && opened.st_dev == status->st_dev &&
	    opened.st_ino == status->st_ino)
		return fd;
	close(fd);
	return diag_set(why, -EAGAIN, "replaced while it was opened");
}

static int read_text(int fd, struct file_text_reply **out, struct diag *why)
{
	const size_t room = FILE_TEXT_BYTES_MAX + 1;
	struct file_text_reply *reply = malloc(sizeof(*reply) + room);
	ssize_t got;
	int err = 0;

	if (!reply)
		return diag_set(why, -ENOMEM, "no memory for a source file");
	memset(reply, 0, sizeof(*reply));
	got = whole_read(fd, reply + 1, room);
	if (got < 0)
		err = diag_set(why, -errno, "cannot read it: %s", strerror(errno));
	else if ((size_t)got == room)
		err = diag_set(why, -EFBIG, "more than %zu MiB", FILE_TEXT_BYTES_MAX >> 20);
	else if (memchr(reply + 1, '\0', (size_t)got))
		err = diag_set(why, -EINVAL, "not text: it has NUL bytes");
	if (err) {
		free(reply);
		return err;
	}
	reply->text_bytes = (uint32_t)got;
	*out = reply;
	return 0;
}

static void compute_md5(struct file_text_reply *reply)
{
	MD5_CTX context;

	MD5Init(&context);
	MD5Update(&context, (const uint8_t *)(reply + 1), reply->text_bytes);
	MD5Final(reply->md5, &context);
	reply->has_md5 = 1;
}

static int read_path(const struct search *search, const char *path, struct file_text_reply **out,
		     struct diag *why)
{
	struct stat status;
	const int fd = open_source(search, path, &status, why);
	int err;

	if (fd < 0)
		return fd;
	err = read_text(fd, out, why);
	close(fd);
	if (err)
		return err;
	(*out)->magic = FILE_TEXT_MAGIC;
	(*out)->mtime_ns = (uint64_t)status.st_mtim.tv_sec * CLOCK_NS_PER_S +
			   (uint64_t)status.st_mtim.tv_nsec;
	if (search->query.has_md5)
		compute_md5(*out);
	return 0;
}

/* Returns whether no better file than @reply can come. */
static bool is_wanted(const struct search *search, const struct file_text_reply *reply)
{
	return !search->query.has_md5 ||
	       memcmp(reply->md5, search->query.md5, sizeof(reply->md5)) == 0;
}

/* Returns true when the search is over. */
static bool try_path(struct search *search, uint32_t index, const char *path)
{
	struct file_text_reply *reply = NULL;
	struct diag why;
	const int err = read_path(search, path, &reply, &why);
	bool is_over;

	if (err) {
		if (err != -ENOENT && !search->first.err)
			search->first = why;
		return err == -ENOMEM;
	}
	reply->path = index;
	is_over = is_wanted(search, reply);
	if (search->best && !is_over) {
		free(reply);
		return false;
	}
	free(search->best);
	search->best = reply;
	return is_over;
}

static void try_paths(struct search *search, size_t bytes)
{
	const char *path = search->paths, *end = search->paths + bytes;

	for (uint32_t i = 0; i < search->query.path_count && path < end; i++) {
		if (try_path(search, i, path))
			return;
		path += strlen(path) + 1;
	}
}

int file_text_read(int query, int directory, void **bytes, size_t *count, struct diag *why)
{
	struct search search = { .directory = directory };
	char *paths = calloc(1, FILE_TEXT_QUERY_BYTES_MAX + 1);
	ssize_t got;
	off_t skipped;

	if (!paths)
		return diag_set(why, -ENOMEM, "no memory for the paths of a source file");
	got = whole_pread(query, &search.query, sizeof(search.query), 0);
	skipped = (off_t)(sizeof(search.query) + search.query.group_count * sizeof(uint32_t));
	if (got == (ssize_t)sizeof(search.query))
		got = whole_pread(query, paths, FILE_TEXT_QUERY_BYTES_MAX, skipped);
	search.paths = paths;
	if (got > 0)
		try_paths(&search, (size_t)got);
	free(paths);
	if (!search.best) {
		*why = search.first;
		return why->err ? why->err : diag_set(why, -ENOENT, "not found");
	}
	*bytes = search.best;
	*count = sizeof(*search.best) + search.best->text_bytes;
	return 0;
}
