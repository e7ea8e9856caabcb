/* file_text.h - both sides of a SANDBOX_SOURCE job: a worker becomes another user, opens the first
 * of some paths that is a text file, and returns its text.
 *
 *   query:  | file_text_query | groups[group_count] | paths, each with a NUL |
 *   reply:  | file_text_reply | text, no NUL |
 *
 * Inputs: the query, a sealed memfd; the directory that the paths are below, O_PATH: no path leads
 *         out of it.
 * Trust:  main fills the query in, but the paths are a stranger's text: the worker opens nothing
 *         that its user can't open, and nothing but regular files with text.
 * Thread: any.
 */
#ifndef SANDBOX_FILE_TEXT_H
#define SANDBOX_FILE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

#define FILE_TEXT_MAGIC     0x31545854504d4c46ull	/* "FLMPTXT1" */
#define FILE_TEXT_BYTES_MAX ((size_t)16 << 20)
#define FILE_TEXT_GROUPS_MAX     1024
#define FILE_TEXT_QUERY_BYTES_MAX (1u << 20)

enum file_text_identity {
	FILE_TEXT_AS_NOBODY,	/* as the unused user of the other workers */
	FILE_TEXT_AS_USER,		/* as the query's user and groups, without capabilities */
};

/* Zero it before filling it. Without root a worker stays the user it is. */
struct file_text_query {
	uint32_t identity;	/* enum file_text_identity */
	uint32_t uid, gid;
	uint32_t group_count;	/* supplementary groups, at most FILE_TEXT_GROUPS_MAX */
	uint32_t path_count;
	uint8_t needs_public;	/* only files that every user may read, by their mode */
	uint8_t has_md5;	/* go on looking for a file with this checksum */
	uint8_t padding[2];
	uint8_t md5[16];
};

struct file_text_reply {
	uint64_t magic;
	uint64_t mtime_ns;	/* CLOCK_REALTIME */
	uint32_t path;		/* index of the path that was read */
	uint32_t text_bytes;
	uint8_t has_md5;	/* `md5` was computed: the query has one, too */
	uint8_t padding[7];
	uint8_t md5[16];	/* the file's */
};

struct file_text {
	const struct file_text_reply *reply;	/* BORROWED from the checked bytes */
	const char *text;
};

/* Checks a worker's reply to a query of @path_count paths. Returns 0 with *@out pointing into
 * @bytes[@count], or -EBADMSG. */
int file_text_check(struct file_text *out, const void *bytes, size_t count,
		      uint32_t path_count, struct diag *why);

/* Worker side. Returns 0 with the reply, malloc'd for the caller; -ENOENT: no path exists; -EACCES;
 * -EINVAL: not a regular file, or not text; -EFBIG; or another -errno of the first path that
 * exists. */
int file_text_read(int query, int directory, void **bytes, size_t *count, struct diag *why);

#endif
