/* debug_file.c - see symbols/dso_file.h.
 *
 * Idea: every candidate is a path that we compose from a build-id in hex, a name without a slash
 * from an untrusted file, and a mapping's directory. openat2(2) walks it below one root, so links
 * and ".." can't leave that root.
 */
#include "symbols/dso_file.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "symbols/debuginfod.h"

#define DEBUG_ROOT "/usr/lib/debug"
#define PATH_BYTES (OPENER_PATH_BYTES + 256)

struct place {
	int root;
	bool needs_trust, looks_beside;
	uint64_t resolve;
	const struct file_version *dso;
	struct dso_file *out;
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
	err = dso_file_open_place(place->out, fd, NULL);
	close(fd);
	if (err)
		return false;
	if ((!place->needs_trust || place->out->is_trusted) &&
	    !file_version_is_equal(&place->out->version, place->dso))
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

/* If link and DSO have the same name, the first candidate is the DSO itself. */
static bool open_by_link(const struct place *place, const struct debug_search *search)
{
	const char *path = search->dso_path, *link = search->link;
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
	*place->out = (struct dso_file){ .fd = -1 };
	return -ENOENT;
}

int debug_file_open(struct dso_file *out, const struct debug_search *search)
{
	struct place place = { .needs_trust = true, .looks_beside = search->has_safe_path,
			       .dso = &search->dso, .out = out };
	int err;

	place.root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (place.root < 0)
		return -errno;
	err = search_place(&place, search);
	close(place.root);
	return err;
}

int debug_file_open_below(struct dso_file *out, const struct debug_search *search,
			  const struct process_root *root)
{
	const struct place place = { .root = root->root, .looks_beside = true,
				     .resolve = RESOLVE_NO_XDEV, .dso = &search->dso,
				     .out = out };

	*out = (struct dso_file){ .fd = -1 };
	return file_copy_is_needed(root->root, root->process) ? -ENOENT
							       : search_place(&place, search);
}

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

static int open_alternate(const struct build_id *id)
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
	struct dso_file dso, debug;
	struct debug_search search = { .build_id = request->build_id, .link = debug_link,
				       .dso_path = request->path };
	struct process_root root;

	*files = LINE_FILES_NONE;
	if (dso_file_find(&dso, request, sandbox, why))
		return why->err;
	why->err = 0;
	process_root_open(&root, request->pid);
	search.has_safe_path = root.is_ours && dso.is_trusted;
	process_root_close(&root);
	search.dso = dso.version;
	if (debug_file_open(&debug, &search))	/* none is no error */
		debug.fd = debuginfod_find_debug_file(&request->build_id);
	*files = (struct line_files){ .dso = dso.fd, .debug = debug.fd, .alternate = -1,
				      .is_certain = dso.is_certain, .author = dso.author,
				      .mtime_ns = dso.version.mtime_ns };
	return 0;
}

int line_files_fetch_debug(struct line_files *files, const struct build_id *id, struct diag *why)
{
	const int fd = debuginfod_get_debug_file(id, why);

	if (fd < 0)
		return fd;
	if (files->debug >= 0)
		close(files->debug);
	files->debug = fd;
	return 0;
}

void line_files_open_alternate(struct line_files *files, const struct build_id *id,
			       const char *name)
{
	files->alternate = open_alternate(id);
	if (files->alternate < 0 && name[0])
		files->alternate = open_below(DEBUG_DIRECTORY "/.dwz", name);
}

void line_files_close(struct line_files *files)
{
	if (files->dso >= 0)
		close(files->dso);
	if (files->debug >= 0)
		close(files->debug);
	if (files->alternate >= 0)
		close(files->alternate);
	*files = LINE_FILES_NONE;
}

static int run_job(struct lines_read *out, struct sandbox *sandbox, const struct line_files *files,
		   const struct line_query *query, uint64_t number, struct diag *why)
{
	struct sandbox_request job = {
		.kind = SANDBOX_LINE_RANGES, .inputs = { files->dso }, .input_count = 2,
		.number = number,
	};
	int err;

	job.inputs[1] = sandbox_seal("flametop-lines", query, sizeof(*query));
	if (job.inputs[1] < 0)
		return diag_set(why, -ENOMEM, "no memory to ask for source lines");
	if (query->has_debug)
		job.inputs[job.input_count++] = files->debug;
	if (query->has_alternate)
		job.inputs[job.input_count++] = files->alternate;
	err = sandbox_run(sandbox, &job, &out->bytes, why);
	close(job.inputs[1]);
	if (err)
		return err;
	err = line_ranges_check(&out->lines, out->bytes.bytes, out->bytes.count, why);
	if (err)
		lines_read_finish(out);
	return err;
}

/* Runs the job, and again with dwz's file if that is what the reply asks for. */
static int run_jobs(struct lines_read *out, struct sandbox *sandbox, struct line_files *files,
		    struct line_query *query, uint64_t number, struct diag *why)
{
	const struct line_ranges_header *header;
	int err = run_job(out, sandbox, files, query, number, why);

	if (err || query->has_alternate || !out->lines.header->alternate.count)
		return err;
	header = out->lines.header;
	line_files_open_alternate(files, &header->alternate, header->alternate_name);
	lines_read_finish(out);
	query->has_alternate = files->alternate >= 0;
	query->no_alternate = files->alternate < 0;
	return run_job(out, sandbox, files, query, number, why);
}

int line_files_read(struct lines_read *out, struct sandbox *sandbox, struct line_files *files,
		    struct line_query *query, uint64_t number, struct diag *why)
{
	int err;

	memset(out, 0, sizeof(*out));
	query->has_debug = files->debug >= 0;
	query->has_alternate = files->alternate >= 0;
	query->no_alternate = 0;
	err = run_jobs(out, sandbox, files, query, number, why);
	if (!err && !query->range_count && query->function[0] &&
	    out->lines.header->named_file == UINT32_MAX) {
		lines_read_finish(out);
		err = diag_set(why, -EBADMSG, "source lines of a function in no source file");
	}
	return err;
}

void lines_read_finish(struct lines_read *read)
{
	sandbox_bytes_finish(&read->bytes);
	memset(read, 0, sizeof(*read));
}
