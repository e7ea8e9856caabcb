/* tracefs.c - see tracefs.h. */
#include "capture/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <linux/mount.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/whole_io.h"

#define FORMAT_BYTES 65536

/* Uses syscall(2): glibc has wrappers only since 2.36. */
static int mount_detached(void)
{
	int context = (int)syscall(SYS_fsopen, "tracefs", FSOPEN_CLOEXEC);
	int dir = -1, err;

	if (context < 0)
		return -errno;
	if (syscall(SYS_fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
		dir = (int)syscall(SYS_fsmount, context, FSMOUNT_CLOEXEC,
				   MOUNT_ATTR_NOEXEC | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	err = -errno;
	close(context);
	return dir >= 0 ? dir : err;
}

int tracefs_open(struct diag *why)
{
	static const char *const places[] = { "/sys/kernel/tracing", "/sys/kernel/debug/tracing" };
	int dir, err = 0;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		dir = open(places[i], O_DIRECTORY | O_RDONLY | O_CLOEXEC);
		if (dir >= 0 && faccessat(dir, "events", X_OK, AT_EACCESS) == 0)
			return dir;
		if (errno == EACCES)
			err = -EACCES;
		if (dir >= 0)
			close(dir);
	}
	if (!err) {
		dir = mount_detached();
		if (dir >= 0)
			return dir;
		err = dir;
	}
	if (err == -EACCES || err == -EPERM)
		return diag_set(why, err, "tracepoints and probes need tracefs, which only root may"
				" read here: run with sudo");
	return diag_set(why, err, "the kernel has no tracing file system (%s): tracepoints need"
			" CONFIG_FTRACE", strerror(-err));
}

int tracefs_read_id(int dir, const char *group, const char *event, uint64_t *id)
{
	char path[PATH_MAX], text[32] = "";
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "events/%s/%s/id", group, event);
	fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	got = whole_read(fd, text, sizeof(text) - 1);
	close(fd);
	if (got <= 0)
		return -EIO;
	*id = strtoull(text, NULL, 10);
	return 0;
}

int tracefs_event_id(const char *group, const char *event, uint64_t *id, struct diag *why)
{
	char path[PATH_MAX];
	int dir, err;

	if (!*group || !*event || strchr(group, '/') || strchr(event, '/') || *group == '.' ||
	    *event == '.')
		return diag_set(why, -EINVAL, "\"%s:%s\" is not a tracepoint: write it as"
				" sched:sched_switch", group, event);
	dir = tracefs_open(why);
	if (dir < 0)
		return dir;
	err = tracefs_read_id(dir, group, event, id);
	if (err == -ENOENT) {
		snprintf(path, sizeof(path), "events/%s", group);
		if (faccessat(dir, path, F_OK, AT_EACCESS) == 0)
			diag_set(why, err, "no tracepoint \"%s\" in the group %s: --list-events "
				 "'%s:*' shows what there is", event, group, group);
		else
			diag_set(why, err, "no tracepoint group \"%s\": --list-events tracepoint "
				 "shows what there is", group);
	} else if (err) {
		diag_set(why, err, "cannot read the number of tracepoint %s:%s: %s", group, event,
			 strerror(-err));
	}
	close(dir);
	return err;
}

struct event_names {
	char **list;
	size_t count;
};

static int add_name(struct event_names *names, const char *group, const char *event)
{
	char **grown = realloc(names->list, (names->count + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	names->list = grown;
	if (asprintf(&grown[names->count], "%s:%s", group, event) < 0)
		return -ENOMEM;
	names->count++;
	return 0;
}

/* Opens the directory of the groups, or of the events of @group, below @dir. NULL: see errno. */
static DIR *open_events(int dir, const char *group)
{
	char path[PATH_MAX];
	DIR *entries;
	int fd;

	snprintf(path, sizeof(path), "events/%s", group);
	fd = openat(dir, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	entries = fd < 0 ? NULL : fdopendir(fd);
	if (fd >= 0 && !entries)
		close(fd);
	return entries;
}

/* Returns the next directory whose name matches @pattern; NULL: there are no more. */
static const char *next_match(DIR *entries, const char *pattern)
{
	const struct dirent *entry;

	while ((entry = readdir(entries)))
		if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
		    fnmatch(pattern, entry->d_name, 0) == 0)
			return entry->d_name;
	return NULL;
}

static int add_matches(int dir, const char *group, const char *pattern, struct event_names *names)
{
	DIR *entries = open_events(dir, group);
	const char *event;
	int err = 0;

	if (!entries)
		return -errno;
	while (!err && (event = next_match(entries, pattern)))
		err = add_name(names, group, event);
	closedir(entries);
	return err;
}

static int add_all_matches(int dir, const char *group, const char *event,
			   struct event_names *names)
{
	DIR *entries = open_events(dir, "");
	const char *found;
	int err = 0;

	if (!entries)
		return -errno;
	while (!err && (found = next_match(entries, group)))
		err = add_matches(dir, found, event, names);
	closedir(entries);
	return err;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int tracefs_find_events(const char *group, const char *event, char ***names, size_t *count,
			struct diag *why)
{
	struct event_names found = { .count = 0 };
	const int dir = tracefs_open(why);
	int err;

	*names = NULL;
	*count = 0;
	if (dir < 0)
		return dir;
	err = add_all_matches(dir, group, event, &found);
	close(dir);
	if (!err && !found.count)
		return diag_set(why, -ENOENT, "no tracepoint matches \"%s:%s\": --list-targets "
				"'%s:*' shows what there is", group, event, group);
	if (!err) {
		qsort(found.list, found.count, sizeof(*found.list), by_name);
		*names = found.list;
		*count = found.count;
		return 0;
	}
	while (found.count)
		free(found.list[--found.count]);
	free(found.list);
	return diag_set(why, err, "cannot read the list of tracepoints: %s", strerror(-err));
}

static int not_there(const char *group, const char *event, struct diag *why)
{
	uint64_t ignored;
	int err = tracefs_event_id(group, event, &ignored, why);

	return err ? err : diag_set(why, -EIO, "the format of %s:%s can't be read", group, event);
}

int tracefs_read_format(int dir, const char *group, const char *event, char **out,
			struct diag *why)
{
	char path[PATH_MAX], *text = malloc(FORMAT_BYTES + 1);
	ssize_t got = 0, used = 0;
	int fd = -1;

	*out = NULL;
	if (!text)
		return diag_set(why, -ENOMEM, "no memory for the format of a tracepoint");
	snprintf(path, sizeof(path), "events/%s/%s/format", group, event);
	if (!strchr(group, '/') && !strchr(event, '/'))
		fd = openat(dir, path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && used < FORMAT_BYTES &&
	       (got = whole_read(fd, text + used, (size_t)(FORMAT_BYTES - used))) > 0)
		used += got;
	if (fd >= 0)
		close(fd);
	if (!used) {
		free(text);
		return not_there(group, event, why);
	}
	text[used] = '\0';
	*out = text;
	return 0;
}

char *tracefs_copy_format(const char *name)
{
	char group[NAME_MAX], event[NAME_MAX], *text = NULL;
	struct diag why;
	int dir;

	if (sscanf(name, "%254[^:]:%254[^:]", group, event) != 2)
		return NULL;
	dir = tracefs_open(NULL);
	if (dir < 0)
		return NULL;
	tracefs_read_format(dir, group, event, &text, &why);
	close(dir);
	return text;
}

int tracefs_read_fields(int dir, const char *group, const char *event, struct raw_fields *out,
			struct diag *why)
{
	char *text;
	int err = tracefs_read_format(dir, group, event, &text, why);

	if (!err)
		err = raw_fields_parse(out, text, strlen(text), why);
	free(text);
	return err;
}

void tracefs_list_fields(const char *name, char *out, size_t room)
{
	struct raw_fields fields = { .count = 0 };
	char group[NAME_MAX], event[NAME_MAX];
	int dir;

	snprintf(out, room, "unknown");
	if (sscanf(name, "%254[^:]:%254[^:]", group, event) != 2)
		return;
	dir = tracefs_open(NULL);
	if (dir < 0)
		return;
	if (!tracefs_read_fields(dir, group, event, &fields, NULL))
		raw_fields_list(&fields, out, room);
	raw_fields_finish(&fields);
	close(dir);
}
