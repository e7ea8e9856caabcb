/* probe_lines.c - see probe/probe_point.h, probe_lines_read(). */
#include "probe/probe_point.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kernel_sites.h"
#include "point_file.h"
#include "point_user.h"
#include "probe_verdict.h"
#include "symbols/kernel_debug.h"

_Static_assert(PROBE_FUNCTION_BYTES <= LINE_NAME_BYTES, "a question holds a spec");

static void fill_query(struct line_query *query, const struct probe_spec *spec)
{
	*query = (struct line_query){ .memory_bytes = UINT64_MAX };
	snprintf(query->function, sizeof(query->function), "%s", spec->function);
	snprintf(query->source, sizeof(query->source), "%s",
		 spec->function[0] ? spec->declared_in : spec->source);
	query->is_of_kernel = spec->kind == PROBE_KERNEL;
}

static int check_spec(const struct probe_spec *spec, struct diag *why)
{
	if (spec->kind != PROBE_KERNEL && spec->kind != PROBE_USER)
		return diag_set(why, -EINVAL, "%s: only functions and source files have lines",
				spec->text);
	if (spec->is_wildcard)
		return diag_set(why, -EINVAL, "%s: lines are those of one function: no wildcard",
				spec->text);
	return 0;
}

/* Tries the files that may be the debug information, until one is of the right build. */
static int read_from(struct probe_lines *out, struct sandbox *sandbox,
		     const struct kernel_layout *layout, int layout_file, struct line_query *query,
		     struct diag *why)
{
	struct kernel_debug_search search = { .layout = layout };
	int err;

	do {
		struct line_files files = { .debug = layout_file, .alternate = -1 };

		files.dso = kernel_debug_next(&search, why);
		if (files.dso < 0)
			return files.dso;
		err = line_files_read(&out->read, sandbox, &files, query, 0, why);
		close(files.dso);
	} while (err && kernel_debug_refused(&search, err, why));
	out->author = search.author;
	snprintf(out->path, sizeof(out->path), "%s", search.path);
	return err;
}

static int read_kernel(struct probe_lines *out, struct sandbox *sandbox,
		       const struct probe_spec *spec, struct diag *why)
{
	struct kernel_layout *layout = malloc(sizeof(*layout));
	char module[PROBE_FILE_BYTES];
	struct line_query query;
	int err, file;

	if (!layout)
		return diag_set(why, -ENOMEM, "no memory to ask for source lines");
	fill_query(&query, spec);
	kernel_sites_module(spec, module);
	err = kernel_layout_read(layout, module, why);
	if (!err)
		err = probe_verdict_check_build(&spec->build_id, &layout->build_id,
						module[0] ? module : "the kernel", why);
	if (!err) {
		out->build_id = layout->build_id;
		file = sandbox_seal("flametop-layout", layout, sizeof(*layout));
		if (file >= 0) {
			err = read_from(out, sandbox, layout, file, &query, why);
			close(file);
		} else {
			err = diag_set(why, -ENOMEM, "no memory to ask for source lines");
		}
	}
	free(layout);
	return err;
}

static void put_process(struct probe_lines *out, const struct point_file *file, pid_t pid)
{
	out->dso.pid = (uint32_t)pid;
	out->dso.dev_major = major(file->file.version.device);
	out->dso.dev_minor = minor(file->file.version.device);
	out->dso.inode = file->file.version.inode;
	snprintf(out->dso.path, sizeof(out->dso.path), "%s", file->path);
}

static int read_user(struct probe_lines *out, struct sandbox *sandbox,
		     const struct probe_spec *spec, const struct point_file *file, struct diag *why)
{
	struct line_files files = { .dso = file->file.fd, .alternate = -1, .is_certain = true };
	struct line_query query;
	int err = point_user_open_debug(sandbox, file, &out->build_id, &files.debug, why);

	if (!err)
		err = probe_verdict_check_build(&spec->build_id, &out->build_id, file->path, why);
	if (!err) {
		fill_query(&query, spec);
		err = line_files_read(&out->read, sandbox, &files, &query, 0, why);
		if (err == -ENODATA && files.debug < 0 &&
		    !line_files_fetch_debug(&files, &out->build_id, why))
			err = line_files_read(&out->read, sandbox, &files, &query, 0, why);
	}
	files.dso = -1;	/* stays open */
	line_files_close(&files);
	snprintf(out->path, sizeof(out->path), "%s", file->path);
	out->built_ns = file->file.version.mtime_ns;
	out->author = file->file.author;
	return err;
}

int probe_lines_read(struct probe_lines *out, struct sandbox *sandbox,
		     const struct probe_spec *spec, pid_t pid, struct diag *why)
{
	struct point_file *file;
	int err = check_spec(spec, why);

	memset(out, 0, sizeof(*out));
	if (err || spec->kind == PROBE_KERNEL)
		return err ? err : read_kernel(out, sandbox, spec, why);
	file = malloc(sizeof(*file));
	if (!file)
		return diag_set(why, -ENOMEM, "no memory to open a file");
	err = point_file_open(file, spec->file, pid, why);
	if (!err) {
		put_process(out, file, pid);
		err = read_user(out, sandbox, spec, file, why);
		if (err)
			diag_prefix(why, "%s", spec->file);
		point_file_close(file);
	}
	free(file);
	return err;
}

void probe_lines_finish(struct probe_lines *lines)
{
	lines_read_finish(&lines->read);
}
