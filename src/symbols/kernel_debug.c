/* kernel_debug.c - see symbols/kernel_debug.h. */
#include "symbols/kernel_debug.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "symbols/dso_file.h"
#include "symbols/kallsyms.h"

#define DEBUG_ROOT "/usr/lib/debug"
#define DEPTH_MAX  12		/* directories below /lib/modules/R: 6 are usual */
#define MATCHES_MAX 8		/* files called like the module: updates/, extra/, kernel/ */

static const char *const *given_paths;
static uint32_t given_count;

void kernel_debug_set_files(const char *const *paths, uint32_t count)
{
	given_paths = paths;
	given_count = count;
}

static int read_kernel(struct kernel_layout *out, struct diag *why)
{
	static const atomic_bool never;
	struct kallsyms_bounds bounds;
	const int err = kallsyms_find_bounds(&bounds, "/proc/kallsyms", &never, why);

	if (err)
		return err;
	out->text_address = bounds.begin;
	out->build_id = kallsyms_build_id();
	if (!out->text_address)
		return diag_set(why, -EPERM, "the kernel hides its addresses: run as root, with "
				"kernel.kptr_restrict at most 1");
	return 0;
}

static bool is_module_name(const char *name)
{
	return name[0] && strlen(name) < KERNEL_MODULE_BYTES &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
		       strlen(name);
}

/* Reads the file @name of @directory, a number; 0: unreadable, or hidden. */
static uint64_t read_number(int directory, const char *name)
{
	const int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
	char text[32];
	ssize_t len;

	if (fd < 0)
		return 0;
	len = whole_read(fd, text, sizeof(text) - 1);
	close(fd);
	text[len > 0 ? len : 0] = '\0';
	return strtoull(text, NULL, 16);
}

static void read_sections(struct kernel_layout *out, const char *path)
{
	DIR *directory = opendir(path);
	const struct dirent *entry;

	while (directory && out->section_count < KERNEL_SECTIONS_MAX &&
	       (entry = readdir(directory))) {
		struct kernel_section *section = &out->sections[out->section_count];

		if (strlen(entry->d_name) >= sizeof(section->name))
			continue;
		strcpy(section->name, entry->d_name);
		section->address = read_number(dirfd(directory), entry->d_name);
		out->section_count += section->address != 0;
	}
	if (directory)
		closedir(directory);
}

static int read_module(struct kernel_layout *out, const char *module, struct diag *why)
{
	char path[256];

	if (!is_module_name(module))
		return diag_set(why, -EINVAL, "'%s' is no module's name", module);
	strcpy(out->module, module);
	for (char *at = out->module; *at; at++)
		if (*at == '-')
			*at = '_';
	snprintf(path, sizeof(path), "/sys/module/%s", out->module);
	if (access(path, F_OK))
		return diag_set(why, -ENOENT, "no module '%s' is loaded", module);
	out->build_id = kallsyms_module_build_id(out->module);
	snprintf(path, sizeof(path), "/sys/module/%s/sections", out->module);
	read_sections(out, path);
	if (!out->section_count)
		return diag_set(why, -EPERM, "where module '%s' is loaded is hidden: run as root",
				module);
	return 0;
}

int kernel_layout_read(struct kernel_layout *out, const char *module, struct diag *why)
{
	memset(out, 0, sizeof(*out));	/* gaps, too: it is passed to workers */
	return module[0] ? read_module(out, module, why) : read_kernel(out, why);
}

/* Opens the file at search->path, if it is one. */
static int open_path(struct kernel_debug_search *search, bool needs_trust)
{
	const int place = open(search->path, O_PATH | O_CLOEXEC);
	struct dso_file file;
	int err;

	if (place < 0)
		return -errno;
	err = dso_file_open_place(&file, place, NULL);
	close(place);
	if (err)
		return err;
	search->author = file.author;
	if (!needs_trust || file.is_trusted)
		return file.fd;
	close(file.fd);
	return -EPERM;
}

/* Whether @file is the file of @module, "snd_hda_intel": snd-hda-intel.ko or .ko.debug. */
static bool is_file_of(const char *file, const char *module)
{
	const size_t len = strlen(module);

	for (size_t i = 0; i < len; i++)
		if (file[i] != module[i] && !(file[i] == '-' && module[i] == '_'))
			return false;
	return strcmp(file + len, ".ko") == 0 || strcmp(file + len, ".ko.debug") == 0;
}

struct walk {
	struct kernel_debug_search *search;
	uint32_t matches;	/* found so far */
	char path[KERNEL_DEBUG_PATH_BYTES];
};

static bool walk_directory(struct walk *walk, int parent, const char *name, int depth);

static bool look_at_entry(struct walk *walk, int directory, const struct dirent *entry, int depth)
{
	const size_t before = strlen(walk->path);
	bool is_found = false;

	if (entry->d_name[0] == '.' ||
	    before + strlen(entry->d_name) + 2 > sizeof(walk->path))
		return false;
	if (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN)
		is_found = walk_directory(walk, directory, entry->d_name, depth + 1);
	if (is_found || entry->d_type == DT_DIR ||
	    !is_file_of(entry->d_name, walk->search->layout->module) ||
	    walk->matches++ < walk->search->match)
		return is_found;
	snprintf(walk->search->path, sizeof(walk->search->path), "%s/%s", walk->path,
		 entry->d_name);
	return true;
}

/* Searches the directory @name of @parent, without following links: "build" leads to the kernel's
 * source. Returns whether search->path has been set. */
static bool walk_directory(struct walk *walk, int parent, const char *name, int depth)
{
	const size_t before = strlen(walk->path);
	const int fd = depth > DEPTH_MAX ? -1 : openat(parent, name, O_RDONLY | O_DIRECTORY |
						       O_NOFOLLOW | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	bool is_found = false;

	if (!directory && fd >= 0)
		close(fd);
	if (!directory)
		return false;
	snprintf(walk->path + before, sizeof(walk->path) - before, "%s%s", before ? "/" : "", name);
	while (!is_found && (entry = readdir(directory)))
		is_found = look_at_entry(walk, dirfd(directory), entry, depth);
	closedir(directory);
	walk->path[before] = '\0';
	return is_found;
}

/* Writes the path of step @step; false: there is no such step. A step of a module is a tree, which
 * is searched until it has no more files of that name. */
static bool write_path(struct kernel_debug_search *search, uint32_t step)
{
	static const char *const of_kernel[] = {
		DEBUG_ROOT "/boot/vmlinux-%s", DEBUG_ROOT "/lib/modules/%s/vmlinux",
		"/lib/modules/%s/build/vmlinux", "/lib/modules/%s/vmlinux", "/boot/vmlinux-%s",
	};
	static const char *const of_modules[] = { DEBUG_ROOT "/lib/modules/%s",
						  "/lib/modules/%s" };
	const bool is_module = search->layout->module[0] != '\0';
	const char *const *formats = is_module ? of_modules : of_kernel;
	const size_t count = is_module ? sizeof(of_modules) / sizeof(of_modules[0])
				       : sizeof(of_kernel) / sizeof(of_kernel[0]);
	struct utsname name;

	if (step >= count || uname(&name) || strchr(name.release, '/'))
		return false;
	snprintf(search->path, sizeof(search->path), formats[step], name.release);
	return true;
}

/* Finds the next file in the tree search->path. */
static bool find_in_tree(struct kernel_debug_search *search)
{
	struct walk *walk = calloc(1, sizeof(*walk));
	bool is_found;

	if (!walk)
		return false;
	walk->search = search;
	is_found = search->match < MATCHES_MAX &&
		   walk_directory(walk, AT_FDCWD, search->path, 0);
	free(walk);
	return is_found;
}

static int open_by_build_id(struct kernel_debug_search *search)
{
	char hex[BUILD_ID_HEX_BYTES];

	if (search->layout->build_id.count < 2)
		return -ENOENT;
	build_id_format(&search->layout->build_id, hex);
	snprintf(search->path, sizeof(search->path), DEBUG_ROOT "/.build-id/%.2s/%s.debug", hex,
		 hex + 2);
	return open_path(search, true);
}

static int none_left(const struct kernel_debug_search *search, struct diag *why)
{
	const char *module = search->layout->module;
	char hex[BUILD_ID_HEX_BYTES];
	struct utsname name;

	if (search->stale.err)
		return diag_set(why, -ENOENT, "%s", search->stale.text);
	if (uname(&name))
		name.release[0] = '\0';
	return diag_set(why, -ENOENT, "no debug information of %s%s, build-id %s: install that of "
			"linux %s, or name its file by --vmlinux", module[0] ? "module " : "the "
			"kernel", module, build_id_format(&search->layout->build_id, hex),
			name.release);
}

int kernel_debug_next(struct kernel_debug_search *search, struct diag *why)
{
	for (;;) {
		const uint32_t step = search->step;
		int fd;

		if (step < given_count) {
			search->step++;
			snprintf(search->path, sizeof(search->path), "%s", given_paths[step]);
			fd = open_path(search, false);
		} else if (step == given_count) {
			search->step++;
			fd = open_by_build_id(search);
		} else if (!write_path(search, step - given_count - 1)) {
			return none_left(search, why);
		} else if (search->layout->module[0] && find_in_tree(search)) {
			search->match++;
			fd = open_path(search, true);
		} else {
			search->step++;
			search->match = 0;
			fd = search->layout->module[0] ? -ENOENT : open_path(search, true);
		}
		if (fd >= 0)
			return fd;
	}
}

bool kernel_debug_refused(struct kernel_debug_search *search, int err, const struct diag *reason)
{
	if (err == -ESTALE && !search->stale.err)
		diag_set(&search->stale, err, "%s: %s", search->path, reason->text);
	return err == -ESTALE || err == -ENODATA || err == -ENOEXEC || err == -EBADMSG;
}
