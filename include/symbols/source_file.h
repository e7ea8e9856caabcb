/* source_file.h - finds and reads the source files that debug information names.
 *
 * Problem: a stranger's debug information may name /etc/shadow, a FIFO, a device, a file of 2 GB or
 *          one on a file system that never replies, and flametop may run as root.
 * Idea:    a worker becomes the target (its user, groups and root directory), opens the file and
 *          copies its text into sealed memory: main opens no such file, and nothing is shown that
 *          the target itself could not read.
 * Who:     | the file is looked for             | it is opened as                               |
 *          | below a directory of --source-path | the directory's owner                         |
 *          | in the process's root directory    | the process, if it still maps the DSO or root |
 *          |                                    | is the DSO's author; else nobody              |
 *          | in our own root directory          | the DSO's author; nobody, if there is none    |
 *          As root the worker has no capabilities and, but for --source-path, reads only files that
 *          every user may read by their mode. "nobody" is a user that owns nothing. Where flametop
 *          does not run as root, it opens all files as itself.
 * Thread:  source_file_read() blocks, up to some seconds per place where it looks: call it from a
 *          service thread or from batch, with the sandbox that this thread owns.
 */
#ifndef SYMBOLS_SOURCE_FILE_H
#define SYMBOLS_SOURCE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "base/diag.h"
#include "sandbox/sandbox.h"
#include "sandbox/file_text.h"
#include "symbols/dso_file.h"

#define SOURCE_BYTES_MAX FILE_TEXT_BYTES_MAX
#define SOURCE_LINES_MAX (1u << 20)
#define SOURCE_PATHS_MAX 32

/* --source-path FROM=TO: a recorded path that begins with the components of FROM is looked for
 * below TO, the longest FROM first. TO alone: below TO the longest tail of the path that exists. */
struct source_paths {
	uint32_t count;
	struct source_path {
		const char *from;	/* BORROWED, not terminated */
		size_t from_bytes;	/* 0: TO alone */
		const char *to;		/* BORROWED; may be relative to the working directory */
	} paths[SOURCE_PATHS_MAX];
};

/* Appends the value of --source-path, which is borrowed. Returns 0; -ENOENT, -ENOTDIR, ...: TO is
 * no directory; or -EINVAL. Thread: main. */
int source_paths_add(struct source_paths *paths, const char *text, struct diag *why);
/* Sets the paths for all readers that have none of their own, BORROWED. Thread: main, before all
 * others. */
void source_paths_set(const struct source_paths *paths);

/* A file that debug information names. */
struct source_wanted {
	const char *path;	/* raw, as recorded, the compilation's directory joined; may be
				 * relative and may have ".." */
	/* The DSO with that debug information, as it is mapped in a process; NULL, or with pid 0:
	 * there is no process (recording, kernel, a file on the command line). */
	const struct open_request *dso;
	struct file_author author;	/* the DSO's: struct line_files, struct dso_file */
	bool is_kernel;		/* the kernel or a module: also look where its sources mostly are */
	bool has_md5;		/* DWARF 5 */
	uint8_t md5[16];
	uint64_t built_ns;	/* the DSO's mtime, CLOCK_REALTIME; 0: unknown */
	struct build_id build_id;	/* the DSO's, for debuginfod; count 0: unknown */
};

#define SOURCE_READER_REFUSED 8

/* What one thread reads source files with. Zero it, then set the first members. */
struct source_reader {
	struct sandbox *sandbox;		/* BORROWED; no job of it may be under way */
	const struct source_paths *paths;	/* BORROWED; NULL: those of source_paths_set() */
	/* Private: processes and directories whose file systems did not reply, and until when
	 * they are not asked. */
	struct {
		uint64_t key, until_ns;
	} refused[SOURCE_READER_REFUSED];
};

/* One allocation, immutable. Text and path are foreign bytes: sanitize them where they are
 * shown. */
struct source_file {
	const char *text;	/* without NUL bytes; one is after its end */
	size_t bytes;
	const uint32_t *lines;	/* offsets where lines begin */
	uint32_t line_count;
	uint64_t mtime_ns;	/* 0: not from a file */
	const char *path;	/* where it was found */
	const char *warning;	/* why it may be another version; "": nothing suggests that */
};

/* Reads the file of @place. Returns 0 with *@out, the caller's: source_file_destroy(); or -errno
 * with a reason that begins with the file's name: -ENOENT; -EACCES; -EINVAL: not a regular file, or
 * not text; -EFBIG; -EBUSY: its file system does not reply, try again later; or an error of
 * sandbox_run(). Then *@out is NULL. */
int source_file_read(struct source_reader *reader, struct source_file **out,
		     const struct source_wanted *place, struct diag *why);
/* Makes a file of @text[@bytes], such as debug information embeds; @path: its name. Returns 0;
 * -EINVAL: not text; -EFBIG; or -ENOMEM. Thread: any, does not block. */
int source_file_create(struct source_file **out, const char *text, size_t bytes, const char *path,
		       struct diag *why);
void source_file_destroy(struct source_file *file);	/* NULL is fine */

/* Returns line @line, counted from 1, without its end, and its length in @bytes: BORROWED, raw, not
 * terminated. NULL: the file has no such line. */
const char *source_file_line(const struct source_file *file, uint32_t line, size_t *bytes);

#endif
