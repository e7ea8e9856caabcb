/* point_file.c - see point_file.h.
 *
 * Breakpoints belong to an inode, so it matters which of the files with a name is meant: for a
 * process, the one that it has mapped (its libc may differ from ours, or be deleted since). Only
 * after that, paths and directories are searched, below the root of the process.
 */
#include "point_file.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/sanitize.h"
#include "base/whole_io.h"
#include "file_watch.h"
#include "proc/process_reader.h"
#include "symbols/dso_file.h"

#define MAPS_BYTES_MAX (16u << 20)	/* room for 100,000 mappings */
#define DIRECTORY_BYTES 256

/* Directories that ld.so searches without ld.so.conf on distributions; then those that shells
 * search. */
static const char *const directories[] = {
#ifdef __aarch64__
	"/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu",
#else
	"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
#endif
	"/lib64", "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib", "/usr/local/sbin",
	"/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin",
};

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "libc" means libc.so.6 and libc-2.31.so, too. */
static bool is_named(const char *path, const char *wanted)
{
	const char *base = base_of(path);
	size_t len = strlen(wanted);

	if (strchr(wanted, '/'))
		return strcmp(path, wanted) == 0;
	if (strncmp(base, wanted, len) != 0)
		return false;
	base += len;
	return !*base || strncmp(base, ".so", 3) == 0 ||
	       (*base == '-' && fnmatch("-[0-9]*.so*", base, 0) == 0);
}

static char *read_maps(int process, size_t *len)
{
	size_t capacity = 1u << 16;
	char *text = malloc(capacity + 1);
	int fd = openat(process, "maps", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : 1;

	for (*len = 0; text && got > 0 && *len < MAPS_BYTES_MAX;) {
		got = whole_read(fd, text + *len, capacity - *len);
		*len += got > 0 ? (size_t)got : 0;
		if (*len == capacity) {
			char *grown = realloc(text, capacity * 2 + 1);

			if (!grown)
				break;
			text = grown;
			capacity *= 2;
		}
	}
	if (fd >= 0)
		close(fd);
	if (text && got == 0) {
		text[*len] = '\0';
		return text;
	}
	free(text);
	return NULL;
}

/* Refuses a file that can only be opened as a copy: no process runs the copy. */
static int refuse_fuse(const struct point_file *file, struct diag *why)
{
	return diag_set(why, -EOPNOTSUPP, "%s: on FUSE, on an overlay of a user's, or "
			"behind a link of /proc: cannot be probed", file->path);
}

static int open_mapping(struct point_file *out, const struct process_mapping *mapping, pid_t pid,
			struct diag *why)
{
	struct open_request *request = calloc(1, sizeof(*request));
	int err;

	if (!request)
		return diag_set(why, -ENOMEM, "no memory to open a file");
	*request = (struct open_request){
		.pid = (uint32_t)pid, .start = mapping->start, .end = mapping->end,
		.dev_major = mapping->dev_major, .dev_minor = mapping->dev_minor,
		.inode = mapping->inode,
	};
	snprintf(request->path, sizeof(request->path), "%s", mapping->path);
	snprintf(out->path, sizeof(out->path), "%s", mapping->path);
	err = dso_file_find(&out->file, request, NULL, why);
	free(request);
	if (!err && out->file.is_copy)
		err = refuse_fuse(out, why);
	return err;
}

/* -ENOENT: the process maps no file of that name. */
static int open_mapped(struct point_file *out, const char *wanted, pid_t pid, struct diag *why)
{
	struct process_reply maps = { .pid = (uint32_t)pid };
	size_t len;
	char *text = out->root.process < 0 ? NULL : read_maps(out->root.process, &len);
	int err = -ENOENT;

	if (!text)
		return diag_set(why, -ESRCH, "process %d is gone, or its maps cannot be read",
				(int)pid);
	if (process_reply_parse_maps(&maps, text, len))
		return diag_set(why, -ENOMEM, "no memory to read the maps of a process");
	for (uint32_t i = 0; i < maps.row_count && err == -ENOENT; i++)
		if (maps.rows[i].path[0] == '/' && is_named(maps.rows[i].path, wanted))
			err = open_mapping(out, &maps.rows[i], pid, why);
	process_reply_finish(&maps);
	return err;
}

static int open_path(struct point_file *out, const char *path, struct diag *why)
{
	const bool is_below = out->root.root >= 0 && path[0] == '/';
	const struct process_root root = {
		.process = out->root.process, .root = is_below ? out->root.root : -1,
	};
	const int point = file_copy_walk(&root, path,
					 is_below ? RESOLVE_NO_MAGICLINKS | RESOLVE_IN_ROOT : 0, 0);
	int err;

	if (point == -EBUSY)
		return diag_set(why, point, "%s: its file system does not answer", path);
	snprintf(out->path, sizeof(out->path), "%s", path);
	if (point == -EAGAIN)
		return refuse_fuse(out, why);	/* FUSE is asked for names each time */
	if (point < 0)
		return diag_set(why, point, "%s: %s", path, strerror(-point));
	if (file_copy_is_needed(point, root.process)) {
		close(point);
		return refuse_fuse(out, why);
	}
	err = dso_file_open_place(&out->file, point, why);
	close(point);
	if (err)
		diag_prefix(why, "%s", path);
	return err;
}

/* Opens ELF files only: libc.so, for instance, is a linker script. */
static int open_dso(struct point_file *out, const char *path)
{
	char magic[SELFMAG] = "";
	int err = open_path(out, path, NULL);

	if (err)
		return err;
	if (whole_pread(out->file.fd, magic, sizeof(magic), 0) == SELFMAG &&
	    !memcmp(magic, ELFMAG, SELFMAG))
		return 0;
	close(out->file.fd);
	out->file.fd = -1;
	return -ENOENT;
}

static int open_in_directory(struct point_file *out, const char *directory, const char *name)
{
	static const char *const endings[] = { "", ".so", ".so.*" };
	char pattern[DIRECTORY_BYTES + NAME_MAX + 8];
	int err = -ENOENT;

	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]) && err; i++) {
		glob_t found;

		snprintf(pattern, sizeof(pattern), "%s/%s%s", directory, name, endings[i]);
		if (glob(pattern, 0, NULL, &found))
			continue;
		for (size_t k = 0; k < found.gl_pathc && err; k++)
			err = open_dso(out, found.gl_pathv[k]);
		globfree(&found);
	}
	return err;
}

/* Searches the directories that the files *.conf of /etc/ld.so.conf.d list. */
static int open_by_configuration(struct point_file *out, const char *name)
{
	char line[DIRECTORY_BYTES];
	glob_t files;
	int err = -ENOENT;

	if (glob("/etc/ld.so.conf.d/*.conf", 0, NULL, &files))
		return err;
	for (size_t i = 0; i < files.gl_pathc && err; i++) {
		FILE *file = fopen(files.gl_pathv[i], "re");

		while (file && err && fgets(line, sizeof(line), file)) {
			line[strcspn(line, " \t\r\n#")] = '\0';
			if (line[0] == '/')
				err = open_in_directory(out, line, name);
		}
		if (file)
			fclose(file);
	}
	globfree(&files);
	return err;
}

static int open_by_name(struct point_file *out, const char *name, struct diag *why)
{
	int err = -ENOENT;

	if (strlen(name) > NAME_MAX || strpbrk(name, "*?["))
		return diag_set(why, -EINVAL, "'%s' is no file name", name);
	for (size_t i = 0; i < sizeof(directories) / sizeof(directories[0]) && err; i++)
		err = open_in_directory(out, directories[i], name);
	if (err)
		err = open_by_configuration(out, name);
	return err ? diag_set(why, -ENOENT, "no file '%s' where programs and libraries are: write "
			      "its whole path", name) : 0;
}

int point_file_open(struct point_file *out, const char *wanted, pid_t pid, struct diag *why)
{
	int err = -ENOENT;

	*out = (struct point_file){ .file = { .fd = -1 } };
	process_root_open(&out->root, (uint32_t)pid);
	if (!wanted[0])
		err = diag_set(why, -EINVAL, "no file is named: write u:FILE:FUNCTION");
	else if (pid)
		err = open_mapped(out, wanted, pid, why);
	if (err == -ENOENT && strchr(wanted, '/'))
		err = open_path(out, wanted, why);
	else if (err == -ENOENT)
		err = open_by_name(out, wanted, why);
	if (err)
		point_file_close(out);
	return err;
}

void point_file_close(struct point_file *file)
{
	if (file->file.fd >= 0)
		close(file->file.fd);
	file->file.fd = -1;
	process_root_close(&file->root);
}

/* False: the process has another root, which can't be opened, so its path means nothing here. */
static bool has_way(const struct point_file *file)
{
	return file->root.is_ours || file->root.root >= 0;
}

int point_file_put(const struct point_file *file, struct probe_point *points, struct diag *why)
{
	struct dso_file own = file->file;
	int err = 0;

	sanitize_text(points->path, sizeof(points->path), file->path, strlen(file->path));
	points->version = file->file.version;
	own.fd = points->file = fcntl(file->file.fd, F_DUPFD_CLOEXEC, 0);
	if (points->file < 0)
		err = -errno;
	else if (has_way(file))
		err = file_watch_create(&points->watch, &own,
					file->root.is_ours ? -1 : file->root.root, file->path);
	if (err)
		return diag_set(why, err, err == -ENOMEM ? "no memory for the sites of a probe"
				: "too many open files for a probe");
	return 0;
}
