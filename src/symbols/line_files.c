/* line_files.c - see symbols/line_files.h. */
#include "symbols/line_files.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbols/debug_file.h"
#include "symbols/object_file.h"

#define DEBUG_DIRECTORY "/usr/lib/debug"

/* Opens the regular file at @path, which contains an untrusted name, in a fixed directory. -1:
 * none. Only root writes there, so a file may be opened before its type is checked. */
static int open_below(const char *directory, const char *path)
{
	struct open_how how = { .flags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS };
	int top = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC), fd;
	struct stat status;

	if (top < 0)
		return -1;
	fd = (int)syscall(SYS_openat2, top, path, &how, sizeof(how));
	close(top);
	if (fd >= 0 && (fstat(fd, &status) || !S_ISREG(status.st_mode))) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static int open_by_build_id(const struct build_id *id)
{
	char hex[BUILD_ID_HEX_BYTES], path[sizeof(hex) + 32];

	if (id->count < 2)
		return -1;
	build_id_format(id, hex);
	snprintf(path, sizeof(path), ".build-id/%.2s/%s.debug", hex, hex + 2);
	return open_below(DEBUG_DIRECTORY, path);
}

int line_files_open(struct line_files *files, const struct open_request *request,
		    const char *debug_link, struct sandbox *sandbox, struct diag *why)
{
	struct object_file object, debug;
	struct debug_search search = { .build_id = request->build_id, .link = debug_link,
				       .object_path = request->path };
	struct process_root root;

	*files = (struct line_files){ -1, -1, -1, false };
	if (object_file_find(&object, request, sandbox, why))
		return why->err;
	why->err = 0;
	process_root_open(&root, request->pid);
	search.has_safe_path = root.is_ours && object.is_trusted;
	process_root_close(&root);
	search.object = object.version;
	debug_file_open(&debug, &search);	/* none is no error */
	*files = (struct line_files){ object.fd, debug.fd, -1, object.is_certain };
	return 0;
}

void line_files_open_alternate(struct line_files *files, const struct build_id *id,
			       const char *name)
{
	files->alternate = open_by_build_id(id);
	if (files->alternate < 0 && name[0])
		files->alternate = open_below(DEBUG_DIRECTORY "/.dwz", name);
}

void line_files_close(struct line_files *files)
{
	if (files->object >= 0)
		close(files->object);
	if (files->debug >= 0)
		close(files->debug);
	if (files->alternate >= 0)
		close(files->alternate);
	*files = (struct line_files){ -1, -1, -1, false };
}
