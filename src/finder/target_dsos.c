/* target_dsos.c - see target_dsos.h.
 *
 * Problem: a machine runs a thousand files with millions of functions; few are ever searched.
 *
 * Idea: files that most processes map are of most interest, so they come first and the rest is left
 * out; a file that is left out can be named in the query. Files of another root (containers) can't
 * be named in a spec without a process, so only those of the requested process are listed.
 */
#include "target_dsos.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "probe/probe_spec.h"
#include "proc/process_stat.h"
#include "sandbox/probe_names.h"
#include "symbols/dso_file.h"

#define MAPS_BYTES_MAX (64u << 20)
#define FIRST_BYTES    65536
#define NAME_BYTES     (2 * PROBE_FILE_BYTES)	/* fits "provider:name" */

static char *read_maps(pid_t pid, size_t *len)
{
	char path[32], *text = NULL;
	size_t room = 0;
	ssize_t got = 1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	*len = 0;
	while (fd >= 0 && got > 0 && room < MAPS_BYTES_MAX) {
		if (room - *len < 2) {
			char *grown = realloc(text, room ? 2 * room : FIRST_BYTES);

			if (!grown)
				break;
			room = room ? 2 * room : FIRST_BYTES;
			text = grown;
		}
		got = whole_read(fd, text + *len, room - *len - 1);
		*len += got > 0 ? (size_t)got : 0;
	}
	if (fd >= 0)
		close(fd);
	if (text)
		text[*len] = '\0';
	return text;
}

/* True: a file that a spec can name, not memory, a device or a deleted file. */
static bool is_file(const struct process_mapping *mapping)
{
	static const char deleted[] = " (deleted)";
	const size_t length = strlen(mapping->path), end = sizeof(deleted) - 1;

	return mapping->inode && mapping->path[0] == '/' && length < PROBE_FILE_BYTES &&
	       strncmp(mapping->path, "/memfd:", 7) != 0 &&
	       strncmp(mapping->path, "/dev/", 5) != 0 &&
	       (length < end || strcmp(mapping->path + length - end, deleted) != 0);
}

static bool is_same(const struct process_mapping *a, const struct process_mapping *b)
{
	return a->inode == b->inode && a->dev_major == b->dev_major &&
	       a->dev_minor == b->dev_minor && strcmp(a->path, b->path) == 0;
}

static struct target_dso *find_dso(struct target_dsos *dsos, const struct process_mapping *mapping)
{
	for (size_t i = 0; i < dsos->count; i++)
		if (is_same(&dsos->rows[i].mapping, mapping))
			return &dsos->rows[i];
	return NULL;
}

static void add_dso(struct target_dsos *dsos, pid_t pid, const struct process_mapping *mapping)
{
	struct target_dso *row;
	char *path = strdup(mapping->path);

	if (dsos->count == dsos->room) {
		const size_t room = dsos->room ? 2 * dsos->room : 64;

		row = reallocarray(dsos->rows, room, sizeof(*row));
		if (row) {
			dsos->rows = row;
			dsos->room = room;
		}
	}
	if (!path || dsos->count == dsos->room) {
		free(path);
		return;
	}
	row = &dsos->rows[dsos->count++];
	*row = (struct target_dso){ .pid = pid, .mapping = *mapping, .processes = 1 };
	row->mapping.path = path;
}

/* Counts a file once per process: the mappings of its parts are adjacent. */
static void add_process(struct target_dsos *dsos, pid_t pid)
{
	struct process_reply reply = { .pid = (uint32_t)pid };
	size_t len;
	char *text = read_maps(pid, &len);

	if (!text)
		return;
	process_reply_parse_maps(&reply, text, len);
	for (uint32_t i = 0; i < reply.row_count; i++) {
		const struct process_mapping *mapping = &reply.rows[i];
		struct target_dso *known;

		if (!is_file(mapping) || (i && is_same(mapping, mapping - 1)))
			continue;
		known = find_dso(dsos, mapping);
		if (known)
			known->processes++;
		else
			add_dso(dsos, pid, mapping);
	}
	process_reply_finish(&reply);
}

static bool sees_our_files(pid_t pid)
{
	struct process_root root;
	bool is_ours;

	process_root_open(&root, (uint32_t)pid);
	is_ours = root.is_ours;
	process_root_close(&root);
	return is_ours;
}

static int by_processes(const void *one, const void *other)
{
	const struct target_dso *a = one, *b = other;

	if (a->processes != b->processes)
		return a->processes < b->processes ? 1 : -1;
	return strcmp(a->mapping.path, b->mapping.path);
}

static void forget_from(struct target_dsos *dsos, size_t count)
{
	while (dsos->count > count)
		free(dsos->rows[--dsos->count].mapping.path);
}

void target_dsos_list(struct target_dsos *out, pid_t pid, const atomic_bool *is_stopping)
{
	DIR *processes = opendir("/proc");
	struct dirent *entry;
	size_t own;

	*out = (struct target_dsos){ .count = 0 };
	if (pid)
		add_process(out, pid);
	own = out->count;
	/* is_stopping: set by the thread that waits for this one to end. */
	while (processes && !atomic_load(is_stopping) && (entry = readdir(processes))) {
		const pid_t other = (pid_t)strtol(entry->d_name, NULL, 10);

		if (isdigit((unsigned char)entry->d_name[0]) && other != pid &&
		    sees_our_files(other))
			add_process(out, other);
	}
	if (processes)
		closedir(processes);
	if (out->count > own)
		qsort(out->rows + own, out->count - own, sizeof(*out->rows), by_processes);
	if (out->count > TARGET_DSOS_MAX)
		forget_from(out, TARGET_DSOS_MAX);
}

void target_dsos_finish(struct target_dsos *dsos)
{
	forget_from(dsos, 0);
	free(dsos->rows);
	*dsos = (struct target_dsos){ .count = 0 };
}

static unsigned int unable_of(struct target_index *index, const struct probe_abilities *abilities)
{
	if (!abilities || abilities->list[PROBE_CAN_TRACEFS_UPROBE].is_there ||
	    abilities->list[PROBE_CAN_UPROBE_PMU].is_there)
		return 0;
	return target_index_reason(index, abilities->list[PROBE_CAN_TRACEFS_UPROBE].reason);
}

/* Adds each name once: one at several addresses is one target. */
static int add_functions(struct target_index *index, const struct probe_names *names,
			 const struct probe_abilities *abilities)
{
	const unsigned int unable = unable_of(index, abilities);
	const unsigned int resolver = target_index_reason(index, "chooses its code when the program"
							  " starts: probe the variant that runs");
	int err = 0;

	for (uint32_t i = 0; i < names->header->function_count && !err; i++) {
		const struct probe_function *function = &names->functions[i];
		const char *raw = probe_names_text(names, function->name);
		const struct target_name name = {
			.raw = raw,
			.shown = function->shown == function->name ? NULL :
				 probe_names_text(names, function->shown),
			.reason = unable ? unable : function->is_resolver ? resolver : 0,
		};

		if (i == 0 || strcmp(raw, probe_names_text(names, function[-1].name)) != 0)
			err = target_index_add(index, &name);
	}
	return err;
}

static int add_usdt_probes(struct target_index *index, const struct probe_names *names,
			   const struct probe_abilities *abilities)
{
	const unsigned int unable = unable_of(index, abilities);
	char before[NAME_BYTES] = "", text[NAME_BYTES];
	int err = 0;

	for (uint32_t i = 0; i < names->header->usdt_count && !err; i++) {
		const struct usdt_probe *usdt = &names->usdt_probes[i];
		const struct target_name name = { .raw = text, .reason = unable };

		snprintf(text, sizeof(text), "%s:%s", probe_names_text(names, usdt->provider),
			 probe_names_text(names, usdt->name));
		if (strcmp(text, before) != 0)
			err = target_index_add(index, &name);
		memcpy(before, text, sizeof(before));
	}
	return err;
}

static int make_indexes(const char *path, const struct probe_names *names,
			const struct probe_abilities *abilities, struct target_index **functions,
			struct target_index **usdt_probes, struct diag *why)
{
	int err = 0, usdt_probes_err = 0;

	*functions = target_index_create(TARGET_USER_FUNCTION, path, path);
	if (names->header->usdt_count)
		*usdt_probes = target_index_create(TARGET_USDT, path, "USDT probe");
	if (!*functions || (names->header->usdt_count && !*usdt_probes))
		err = -ENOMEM;
	if (!err)
		err = add_functions(*functions, names, abilities);
	if ((!err || err == -E2BIG) && *usdt_probes)
		usdt_probes_err = add_usdt_probes(*usdt_probes, names, abilities);
	if (!err || usdt_probes_err == -ENOMEM)
		err = usdt_probes_err;
	if (!err)
		return 0;
	if (err == -E2BIG)
		return diag_set(why, err, "has more than %u MiB of names: some are not listed, but "
				"can be typed", TARGET_INDEX_BYTES_MAX >> 20);
	target_index_destroy(*functions);
	target_index_destroy(*usdt_probes);
	*functions = *usdt_probes = NULL;
	return diag_set(why, err, "no memory for the names of %s", path);
}

/* Tries again without demangling if a name has crashed the worker. */
static int read_names(struct sandbox *sandbox, int fd, int debug_fd, struct probe_names *names,
		      struct diag *why)
{
	const uint64_t parts = PROBE_NAMES_FUNCTIONS | PROBE_NAMES_USDT;
	int err = probe_names_read(sandbox, fd, debug_fd, parts | PROBE_NAMES_DEMANGLED, names,
				   why);

	if (err == -EPIPE || err == -ETIMEDOUT || err == -E2BIG)
		err = probe_names_read(sandbox, fd, debug_fd, parts, names, why);
	return err;
}

/* Opens the file as everywhere else: an open file is the mapped one, or has its build-id. */
static int open_dso(const struct target_dso *dso, struct sandbox *sandbox,
		    struct line_files *files, struct build_id *wanted, struct diag *why)
{
	const struct process_mapping *mapping = &dso->mapping;
	struct open_request request = {
		.pid = (uint32_t)dso->pid, .start = mapping->start, .end = mapping->end,
		.dev_major = mapping->dev_major, .dev_minor = mapping->dev_minor,
		.inode = mapping->inode,
	};
	struct process_root root;

	snprintf(request.path, sizeof(request.path), "%s", mapping->path);
	process_root_open(&root, request.pid);
	request.build_id = dso_file_mapped_build_id(&request, &root);
	process_root_close(&root);
	*wanted = request.build_id;
	return line_files_open(files, &request, "", sandbox, why);
}

int target_dsos_load(const struct target_dso *dso, struct sandbox *sandbox,
		     const struct probe_abilities *abilities, struct target_index **functions,
		     struct target_index **usdt_probes, struct diag *why)
{
	struct probe_names names;
	struct build_id wanted;
	struct line_files files;
	int err = open_dso(dso, sandbox, &files, &wanted, why);

	*functions = *usdt_probes = NULL;
	if (err)
		return err;
	err = read_names(sandbox, files.dso, files.debug, &names, why);
	if (!err && !files.is_certain && !build_id_is_equal(&names.header->build_id, &wanted))
		err = diag_set(why, -ESTALE, "replaced: its path now holds another file");
	else if (!err)
		err = make_indexes(dso->mapping.path, &names, abilities, functions, usdt_probes,
				   why);
	probe_names_finish(&names);
	line_files_close(&files);
	return err;
}

int target_dsos_load_path(const char *path, struct sandbox *sandbox,
			  const struct probe_abilities *abilities, struct target_index **functions,
			  struct target_index **usdt_probes, struct diag *why)
{
	int place = process_root_take(AT_FDCWD, path, 0), err;
	struct dso_file file;
	struct probe_names names;

	*functions = *usdt_probes = NULL;
	if (place < 0)
		return diag_set(why, place, "%s", strerror(-place));
	err = dso_file_open_place(&file, place, why);
	close(place);
	if (err)
		return err;
	err = read_names(sandbox, file.fd, -1, &names, why);
	if (!err)
		err = make_indexes(path, &names, abilities, functions, usdt_probes, why);
	probe_names_finish(&names);
	close(file.fd);
	return err;
}
