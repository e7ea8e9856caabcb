/* debug_file.c - see symbols/debug_file.h.
 *
 * Idea: every candidate is a path that we compose from a build-id in hex, a name without a slash
 * from an untrusted file, and a mapping's directory. openat2(2) walks it below one root, so links
 * and ".." can't leave that root.
 */
#include "symbols/debug_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "symbols/file_copy.h"

#define DEBUG_ROOT "/usr/lib/debug"
#define PATH_BYTES (OPENER_PATH_BYTES + 256)

struct place {
	int root;
	bool needs_trust, looks_beside;
	uint64_t resolve;
	const struct file_version *object;
	struct object_file *out;
};

static bool is_base_name(const char *link)
{
	return link[0] && strcmp(link, ".") && strcmp(link, "..") && !strchr(link, '/');
}

static bool open_candidate(const struct place *place, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool open_candidate(const struct place *place, const char *format, ...)
{
	char path[PATH_BYTES];
	va_list args;
	int used, fd, err;

	va_start(args, format);
	used = vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	if (used < 0 || (size_t)used >= sizeof(path))
		return false;
	fd = process_root_take(place->root, path,
			       RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS | place->resolve);
	if (fd < 0)
		return false;
	err = object_file_open_place(place->out, fd, NULL);
	close(fd);
	if (err)
		return false;
	if ((!place->needs_trust || place->out->is_trusted) &&
	    !file_version_is_equal(&place->out->version, place->object))
		return true;
	close(place->out->fd);
	return false;
}

static bool open_by_build_id(const struct place *place, const struct build_id *id)
{
	char hex[BUILD_ID_HEX_BYTES];

	if (id->count < 2)
		return false;
	build_id_format(id, hex);
	return open_candidate(place, DEBUG_ROOT "/.build-id/%.2s/%s.debug", hex, hex + 2);
}

/* If link and object have the same name, the first candidate is the object itself. */
static bool open_by_link(const struct place *place, const struct debug_search *search)
{
	const char *path = search->object_path, *link = search->link;
	const char *slash = strrchr(path, '/');
	int directory = slash ? (int)(slash - path) : 0;

	if (!is_base_name(link) || path[0] != '/')
		return false;
	return (place->looks_beside &&
		(open_candidate(place, "%.*s/%s", directory, path, link) ||
		 open_candidate(place, "%.*s/.debug/%s", directory, path, link))) ||
	       open_candidate(place, DEBUG_ROOT "%.*s/%s", directory, path, link);
}

static int search_place(const struct place *place, const struct debug_search *search)
{
	if (open_by_build_id(place, &search->build_id) || open_by_link(place, search))
		return 0;
	*place->out = (struct object_file){ .fd = -1 };
	return -ENOENT;
}

int debug_file_open(struct object_file *out, const struct debug_search *search)
{
	struct place place = { .needs_trust = true, .looks_beside = search->has_safe_path,
			       .object = &search->object, .out = out };
	int err;

	place.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (place.root < 0)
		return -errno;
	err = search_place(&place, search);
	close(place.root);
	return err;
}

int debug_file_open_below(struct object_file *out, const struct debug_search *search,
			  const struct process_root *root)
{
	const struct place place = { .root = root->root, .looks_beside = true,
				     .resolve = RESOLVE_NO_XDEV, .object = &search->object,
				     .out = out };

	*out = (struct object_file){ .fd = -1 };
	return file_copy_is_needed(root->root, root->process) ? -ENOENT
							       : search_place(&place, search);
}
