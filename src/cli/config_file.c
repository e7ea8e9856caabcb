/* config_file.c - see config_file.h.
 *
 * Problem: flametop runs as root; a user who can write its configuration decides what root looks at
 * and where root's log goes.
 *
 * Idea: go down with openat(2) from a checked directory to the file, and check each by its
 * descriptor; a name is never used twice.
 *
 * Rejected: access(2), and reading by path after checking by path: that may be two files.
 */
#include "config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/privileges.h"
#include "base/whole_io.h"

#define OWN_DIRECTORY "flametop"

int config_file_home(char *out, size_t cap, struct diag *why)
{
	const char *xdg = geteuid() == 0 ? NULL : secure_getenv("XDG_CONFIG_HOME");
	struct user user;
	int used;

	if (xdg && xdg[0] == '/') {
		used = snprintf(out, cap, "%s", xdg);
	} else {
		if (user_find(geteuid(), &user))
			return diag_set(why, -ENOENT, "user %u has no home directory", geteuid());
		used = snprintf(out, cap, "%s/.config", user.home);
	}
	if (used < 0 || (size_t)used >= cap)
		return diag_set(why, -ENAMETOOLONG, "the path of the home directory is too long");
	return 0;
}

/* In a sticky directory others can't replace what is ours, and what is theirs is refused. */
static int check_owner(const struct stat *found, const char *path, struct diag *why)
{
	const bool is_sticky = S_ISDIR(found->st_mode) && (found->st_mode & S_ISVTX);

	if (found->st_uid != 0 && found->st_uid != geteuid())
		return diag_set(why, -EPERM, "%s belongs to user %u, who could say anything there: "
				"chown it to user %u", path, found->st_uid, geteuid());
	if ((found->st_mode & (S_IWGRP | S_IWOTH)) && !is_sticky)
		return diag_set(why, -EPERM, "others may write %s: chmod go-w %s", path, path);
	return 0;
}

static int open_directory(int at, const char *name, const char *path, int flags, struct diag *why)
{
	const int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
	struct stat found;
	int err;

	if (fd < 0 && errno == ENOTDIR)
		return diag_set(why, -ENOTDIR, "%s must be a directory, and no link to one", path);
	if (fd < 0)
		return diag_set(why, -errno, "cannot open the directory %s: %s", path,
				strerror(errno));
	err = fstat(fd, &found) ? diag_set(why, -errno, "cannot look at %s", path)
				: check_owner(&found, path, why);
	if (err) {
		close(fd);
		return err;
	}
	return fd;
}

static int read_all(int fd, struct config_file *out, struct diag *why)
{
	ssize_t got;

	out->text = malloc(CONFIG_FILE_MAX_BYTES + 1);
	if (!out->text)
		return diag_set(why, -ENOMEM, "no memory for %s", out->path);
	got = whole_read(fd, out->text, CONFIG_FILE_MAX_BYTES + 1);
	if (got < 0)
		return diag_set(why, -errno, "cannot read %s: %s", out->path, strerror(errno));
	if ((size_t)got > CONFIG_FILE_MAX_BYTES)
		return diag_set(why, -EFBIG, "%s has more than %u bytes: is it the right file?",
				out->path, CONFIG_FILE_MAX_BYTES);
	out->text[got] = '\0';
	out->size = (size_t)got;
	return 0;
}

/* O_NONBLOCK: opening a fifo would wait for a writer. */
static int read_at(int directory, const char *name, struct config_file *out, struct diag *why)
{
	const int fd = openat(directory, name,
			      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat found;
	int err;

	if (fd < 0 && errno == ELOOP)
		return diag_set(why, -EPERM, "%s is a symbolic link: a file is needed there",
				out->path);
	if (fd < 0)
		return diag_set(why, -errno, "cannot open %s: %s", out->path, strerror(errno));
	if (fstat(fd, &found))
		err = diag_set(why, -errno, "cannot look at %s", out->path);
	else if (!S_ISREG(found.st_mode))
		err = diag_set(why, -EPERM, "%s is no regular file", out->path);
	else
		err = check_owner(&found, out->path, why);
	if (!err)
		err = read_all(fd, out, why);
	close(fd);
	return err;
}

/* The directory `flametop`, made if @is_for_writing. A descriptor or -errno. The user's directory
 * of configurations may be a link: only the user could have made it, and what it leads to is
 * checked. */
static int open_own_directory(bool is_for_writing, char *path, struct diag *why)
{
	char home[PATH_MAX - sizeof(OWN_DIRECTORY) - NAME_MAX];
	int err = config_file_home(home, sizeof(home), why);
	int base, fd;

	if (err)
		return err;
	snprintf(path, PATH_MAX, "%s/" OWN_DIRECTORY, home);
	if (is_for_writing && mkdir(home, 0700) && errno != EEXIST)
		return diag_set(why, -errno, "cannot make %s: %s", home, strerror(errno));
	base = open_directory(AT_FDCWD, home, home, 0, why);
	if (base < 0)
		return base == -ENOTDIR ? -ENOENT : base;	/* a home of /dev/null: no home */
	if (is_for_writing && mkdirat(base, OWN_DIRECTORY, 0700) && errno != EEXIST)
		fd = diag_set(why, -errno, "cannot make %s: %s", path, strerror(errno));
	else
		fd = open_directory(base, OWN_DIRECTORY, path, O_NOFOLLOW, why);
	close(base);
	return fd;
}

static int read_own(struct config_file *out, const char *name, struct diag *why)
{
	const int directory = open_own_directory(false, out->path, why);
	size_t used;
	int err;

	if (directory < 0)
		return directory;
	used = strlen(out->path);
	snprintf(out->path + used, sizeof(out->path) - used, "/%s", name);
	err = read_at(directory, name, out, why);
	close(directory);
	return err;
}

int config_file_read_own(struct config_file *out, const char *name, struct diag *why)
{
	int err;

	*out = (struct config_file){ .text = NULL };
	err = read_own(out, name, why);
	if (err == -ENOENT) {
		if (why)
			*why = (struct diag){ .err = 0 };
		return 0;
	}
	return err;
}

int config_file_read(struct config_file *out, const char *path, struct diag *why)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char parent[PATH_MAX] = ".";
	int directory, err;

	*out = (struct config_file){ .text = NULL };
	if (strlen(path) >= sizeof(out->path) || !name[0])
		return diag_set(why, -EINVAL, "\"%s\" is no path of a file", path);
	strcpy(out->path, path);
	if (slash)
		snprintf(parent, sizeof(parent), "%.*s", slash == path ? 1 : (int)(slash - path),
			 path);
	directory = open_directory(AT_FDCWD, parent, parent, 0, why);
	if (directory < 0)
		return directory;
	err = read_at(directory, name, out, why);
	close(directory);
	return err;
}

void config_file_finish(struct config_file *file)
{
	free(file->text);
	file->text = NULL;
}

static int write_all(int fd, const char *text)
{
	size_t left = strlen(text);

	while (left > 0) {
		const ssize_t done = write(fd, text, left);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		text += done;
		left -= (size_t)done;
	}
	return 0;
}

/* Under the directory's lock, so a file of that name is what a killed process left. */
static int write_temporary(int directory, const char *name, const char *text)
{
	int fd, err;

	unlinkat(directory, name, 0);
	fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	err = write_all(fd, text);
	if (close(fd) && !err)
		err = -errno;
	return err;
}

static int replace(int directory, const char *name, const char *text)
{
	char temporary[NAME_MAX];
	int err;

	if (flock(directory, LOCK_EX | LOCK_NB))
		return -errno;
	snprintf(temporary, sizeof(temporary), ".%s.new", name);
	err = write_temporary(directory, temporary, text);
	if (!err && renameat(directory, temporary, directory, name))
		err = -errno;
	if (err)
		unlinkat(directory, temporary, 0);
	return err;
}

int config_file_write_own(const char *name, const char *text, struct diag *why)
{
	char path[PATH_MAX];
	const int directory = open_own_directory(true, path, why);
	struct stat found;
	int err;

	if (directory < 0)
		return directory;
	if (fstat(directory, &found) || found.st_uid != geteuid())
		err = diag_set(why, -EPERM, "%s is not your own: nothing is written there", path);
	else if ((err = replace(directory, name, text)))
		diag_set(why, err, "cannot write %s/%s: %s", path, name, strerror(-err));
	close(directory);
	return err;
}
