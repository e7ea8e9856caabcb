/* jitdump.c - see symbols/jitdump.h. Everything here reads bytes that a stranger chose.
 *
 *   | header | record | record | ...       record = | id | total_size | timestamp | body |
 *
 * The file holds the code besides its names: records are stepped over, and only their heads are
 * read. A record that is not whole yet is left for the next look. One whose size can't be right
 * ends the look, since nothing says where the next one begins.
 *
 * JIT_CODE_CLOSE, debug and unwinding records say nothing of where code is, and code that moved
 * keeps its name where it was, for the samples from before.
 */
#include "symbols/jitdump.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "symbols/jit_rows.h"

#define MAGIC	      0x4a695444u	/* "JiTD" as the writer's byte order has it */
#define MAGIC_SWAPPED 0x4454694au
#define VERSION	      1

enum record_id {
	JIT_CODE_LOAD = 0,
	JIT_CODE_MOVE = 1,
};

struct file_header {
	uint32_t magic, version, total_size, elf_machine, padding, pid;
	uint64_t timestamp, flags;
};

struct record_head {
	uint32_t id, total_size;
	uint64_t timestamp;
};

struct load_body {		/* then the name, terminated, then the code */
	uint32_t pid, tid;
	uint64_t vma, code_addr, code_size, code_index;
};

struct move_body {
	uint32_t pid, tid;
	uint64_t vma, old_code_addr, new_code_addr, code_size, code_index;
};

#define HEAD_BYTES (sizeof(struct record_head) + sizeof(struct load_body) + JIT_NAME_BYTES)

_Static_assert(sizeof(struct move_body) <= sizeof(struct load_body) + JIT_NAME_BYTES,
	       "the head of any record fits");

struct dump {
	int fd;
	uint64_t bytes, at;	/* at: what was read */
	struct jit_rows *rows;
	struct diag *why;
};

/* Reads exactly @count bytes at @at. */
static bool read_at(const struct dump *dump, void *out, size_t count, uint64_t at)
{
	return whole_pread(dump->fd, out, count, (off_t)at) == (ssize_t)count;
}

static int read_header(struct dump *dump)
{
	struct file_header header;

	if (dump->bytes < sizeof(header) || !read_at(dump, &header, sizeof(header), 0))
		return diag_set(dump->why, -ENOEXEC, "jitdump without its header");
	if (header.magic == MAGIC_SWAPPED)
		return diag_set(dump->why, -ENOEXEC, "jitdump of the other byte order");
	if (header.magic != MAGIC)
		return diag_set(dump->why, -ENOEXEC, "not a jitdump");
	if (header.version != VERSION)
		return diag_set(dump->why, -ENOEXEC, "jitdump of version %u, expected %d",
				header.version, VERSION);
	if (header.total_size < sizeof(header) || header.total_size > dump->bytes)
		return diag_set(dump->why, -EBADMSG, "jitdump with a header of %u bytes",
				header.total_size);
	dump->at = header.total_size;
	return 0;
}

static int add_load(struct dump *dump, const unsigned char *body, size_t bytes)
{
	struct load_body load;

	if (bytes < sizeof(load)) {
		jit_rows_skip(dump->rows);
		return 0;
	}
	memcpy(&load, body, sizeof(load));
	return jit_rows_add(dump->rows, load.code_addr, load.code_size,
			    (const char *)body + sizeof(load), bytes - sizeof(load));
}

static int add_move(struct dump *dump, const unsigned char *body, size_t bytes)
{
	struct move_body move;

	if (bytes < sizeof(move)) {
		jit_rows_skip(dump->rows);
		return 0;
	}
	memcpy(&move, body, sizeof(move));
	return jit_rows_add_moved(dump->rows, move.old_code_addr, move.new_code_addr,
				  move.code_size);
}

static int add_record(struct dump *dump, const struct record_head *head,
		      const unsigned char *body, size_t bytes)
{
	switch (head->id) {
	case JIT_CODE_LOAD:
		return add_load(dump, body, bytes);
	case JIT_CODE_MOVE:
		return add_move(dump, body, bytes);
	default:
		return 0;
	}
}

/* The record at dump->at. False: there is none yet. */
static bool take_record(struct dump *dump, int *err)
{
	unsigned char bytes[HEAD_BYTES];
	struct record_head head;
	size_t wanted;

	*err = 0;
	if (dump->at > dump->bytes || dump->bytes - dump->at < sizeof(head) ||
	    !read_at(dump, &head, sizeof(head), dump->at) ||
	    head.total_size > dump->bytes - dump->at)
		return false;
	if (head.total_size < sizeof(head)) {
		jit_rows_skip(dump->rows);
		return false;
	}
	wanted = head.total_size < sizeof(bytes) ? head.total_size : sizeof(bytes);
	if (!read_at(dump, bytes, wanted, dump->at))
		return false;
	dump->at += head.total_size;
	*err = add_record(dump, &head, bytes + sizeof(head), wanted - sizeof(head));
	return !*err;
}

static int read_records(struct dump *dump)
{
	struct stat status;
	int err = 0;

	if (fstat(dump->fd, &status))
		return diag_set(dump->why, -errno, "cannot read the jitdump's size");
	if ((uint64_t)status.st_size > JITDUMP_BYTES_MAX)
		return diag_set(dump->why, -E2BIG, "jitdump is larger than 4 GiB");
	dump->bytes = (uint64_t)status.st_size;
	if (!dump->at)
		err = read_header(dump);
	if (err)
		return err;
	while (take_record(dump, &err))
		continue;
	return err ? diag_set(dump->why, err, "jitdump needs more memory than allowed") : 0;
}

int jitdump_compile(int fd, int before_fd, uint64_t offset, void **bytes, size_t *bytes_count,
		    struct diag *why)
{
	struct dump dump = { .fd = fd, .at = offset, .rows = jit_rows_create(), .why = why };
	int err;

	if (!dump.rows)
		return diag_set(why, -ENOMEM, "no memory for the jitdump");
	err = jit_rows_add_answer(dump.rows, before_fd, why);
	if (!err)
		err = read_records(&dump);
	if (!err) {
		err = jit_rows_finish(dump.rows, dump.at, bytes, bytes_count);
		if (err)
			diag_set(why, err, "jitdump needs more memory than allowed");
	}
	jit_rows_destroy(dump.rows);
	return err;
}
