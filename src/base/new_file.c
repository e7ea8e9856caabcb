/* new_file.c - see base/new_file.h.
 *
 * Problem: half of a profile looks like a whole one, and another user can replace what root creates
 * in that user's directory by a link, or by another profile.
 *
 * Idea: the directory is opened once and checked by its descriptor. The file is written without
 * a name and linked to its name when it is complete; linking replaces nothing.
 *
 * The caller of sudo could run anything as root and saves into the own working directory, so that
 * user's directories are trusted like root's. Group-writable ones are not: the group may include
 * every user ("users").
 */
#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/inherited.h"
#include "base/privileges.h"

#define NEW_FILE_MODE 0600

static int check_directory(int directory, const char *path, struct diag *why)
{
	struct stat found;
	mode_t others = S_IWOTH;

	if (geteuid() != 0)
		return 0;	/* without root privileges the place is the user's choice */
	if (fstat(directory, &found))
		return diag_set(why, -errno, "cannot look at the directory of %s", path);
	if (found.st_uid != 0 && !inherited_is_from(found.st_uid))
		return diag_set(why, -EPERM, "%s: the directory belongs to user %u, who could "
				"exchange the file: give one of root's, or call sudo as that user",
				path, found.st_uid);
	if (found.st_gid != 0)
		others |= S_IWGRP;
	if ((found.st_mode & others) && !(found.st_mode & S_ISVTX))
		return diag_set(why, -EPERM, "%s: others may write to the directory and could "
				"exchange the file: chmod go-w it, or give another one", path);
	return 0;
}

int new_file_place(const char *path, const char **name, struct diag *why)
{
	const char *slash = strrchr(path, '/');
	char directory[PATH_MAX] = ".";
	int fd, err;

	*name = slash ? slash + 1 : path;
	if (!(*name)[0] || strlen(*name) > NAME_MAX || strlen(path) >= sizeof(directory))
		return diag_set(why, -EINVAL, "\"%s\" is no path of a file", path);
	if (slash)
		snprintf(directory, sizeof(directory), "%.*s",
			 slash == path ? 1 : (int)(slash - path), path);
	fd = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return diag_set(why, -errno, "%s: there is no such directory", path);
	if (fd < 0)
		return diag_set(why, -errno, "cannot open the directory of %s: %s", path,
				strerror(errno));
	err = check_directory(fd, path, why);
	if (err)
		close(fd);
	return err ? err : fd;
}

static bool lacks_nameless_files(int err)
{
	return err == -EOPNOTSUPP || err == -EISDIR || err == -EINVAL;
}

static int create_named(struct new_file *file)
{
	uint64_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return -EAGAIN;
	snprintf(file->temporary, sizeof(file->temporary), ".flametop-%016" PRIx64, number);
	file->fd = openat(file->directory, file->temporary,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, NEW_FILE_MODE);
	file->is_named = file->fd >= 0;
	return file->fd < 0 ? -errno : 0;
}

static int create(struct new_file *file)
{
	struct stat found;
	int err;

	if (!fstatat(file->directory, file->name, &found, AT_SYMLINK_NOFOLLOW))
		return -EEXIST;
	privileges_begin_write();
	file->fd = openat(file->directory, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC, NEW_FILE_MODE);
	err = file->fd < 0 ? -errno : 0;
	if (lacks_nameless_files(err))
		err = create_named(file);
	privileges_end_write();
	return err;
}

int new_file_open(struct new_file *out, const char *path, struct diag *why)
{
	const char *name;
	int err;

	*out = (struct new_file){ .fd = -1 };
	out->directory = new_file_place(path, &name, why);
	if (out->directory < 0)
		return out->directory;
	strcpy(out->name, name);
	err = create(out);
	if (!err)
		return 0;
	close(out->directory);
	if (err == -EEXIST)
		return diag_set(why, err, "%s exists: give another name", path);
	return diag_set(why, err, "cannot create %s: %s; another directory may do", path,
			strerror(-err));
}

/* NFS cannot rename without replacing, and FAT has no links. */
static int rename_temporary(const struct new_file *file)
{
	const int at = file->directory;

	if (!renameat2(at, file->temporary, at, file->name, RENAME_NOREPLACE))
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (linkat(at, file->temporary, at, file->name, 0))
		return -errno;
	unlinkat(at, file->temporary, 0);
	return 0;
}

static int link_nameless(const struct new_file *file)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	return linkat(AT_FDCWD, path, file->directory, file->name, AT_SYMLINK_FOLLOW) ? -errno : 0;
}

int new_file_keep(struct new_file *file)
{
	int err;

	privileges_begin_write();
	err = file->is_named ? rename_temporary(file) : link_nameless(file);
	privileges_end_write();
	file->is_named = file->is_named && err;
	new_file_drop(file);
	return err;
}

void new_file_drop(struct new_file *file)
{
	if (file->is_named) {
		privileges_begin_write();
		unlinkat(file->directory, file->temporary, 0);
		privileges_end_write();
	}
	close(file->fd);
	close(file->directory);
	*file = (struct new_file){ .directory = -1, .fd = -1 };
}
