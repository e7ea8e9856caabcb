/* jitdump.c - see elf/jitdump.h. Everything here parses untrusted bytes.
 *
 *   | header | record | record | ...       record = | id | total_size | timestamp | body |
 *
 * The file has the code besides its names: only the headers of records are read. An incomplete
 * record is left for the next job. A record with an impossible size ends the job, because the start
 * of the next one is unknown.
 *
 * JIT_CODE_CLOSE and debug records don't tell where code is. Code that moved keeps its name at the
 * old address, too, for earlier samples.
 *
 * An unwinding record belongs to the next JIT_CODE_LOAD: the contents of .eh_frame for that code,
 * then of .eh_frame_hdr. The section's address in the record does not matter: its first entry is
 * that of the code. If no load has followed yet, the next job starts with the unwinding record.
 *
 * A writer may keep records back: CPython flushes its dump every 2 MiB and at the end, so that a
 * live reader sees few of its names. Its perf map is flushed line by line.
 */
#include "elf/jitdump.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "cfi_program.h"
#include "elf/jit_rows.h"

#define MAGIC	      0x4a695444u	/* "JiTD" in the writer's byte order */
#define MAGIC_SWAPPED 0x4454694au
#define VERSION	      1
/* Assumed address of unwinding entries: high enough that their code, just below, is not at 0. */
#define SECTION_ADDRESS ((uint64_t)1 << 47)

enum record_id {
	JIT_CODE_LOAD = 0,
	JIT_CODE_MOVE = 1,
	JIT_CODE_UNWINDING_INFO = 4,
};

struct file_header {
	uint32_t magic, version, total_size, elf_machine, padding, pid;
	uint64_t timestamp, flags;
};

struct record_head {
	uint32_t id, total_size;
	uint64_t timestamp;
};

struct load_body {		/* the NUL-terminated name and the code follow */
	uint32_t pid, tid;
	uint64_t vma, code_addr, code_size, code_index;
};

struct move_body {
	uint32_t pid, tid;
	uint64_t vma, old_code_addr, new_code_addr, code_size, code_index;
};

struct unwinding_body {		/* unwinding_size bytes follow: .eh_frame, .eh_frame_hdr */
	uint64_t unwinding_size, header_size, mapped_size;
};

#define HEAD_BYTES (sizeof(struct record_head) + sizeof(struct load_body) + JIT_NAME_BYTES)

_Static_assert(sizeof(struct move_body) <= sizeof(struct load_body) + JIT_NAME_BYTES,
	       "the head of any record fits");

struct dump {
	int fd;
	uint64_t bytes, at;	/* at: offset up to which the file was read */
	struct jit_rows *rows;
	struct cfi_program program;	/* program.machine NULL: no rows can be made */
	struct cfi_rows unwind;		/* owned; rows for the next JIT_CODE_LOAD; count 0: none */
	uint64_t unwind_at;		/* offset of the unwinding record with these rows */
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

static int add_entry(void *context, const struct frame_entry *entry)
{
	struct dump *dump = context;

	return dump->unwind.count ? 0 : cfi_program_run(&dump->program, entry, &dump->unwind);
}

static int add_unwinding(struct dump *dump, const unsigned char *body, size_t bytes)
{
	struct unwinding_body unwinding;
	struct elf_bytes frames = { body + sizeof(unwinding), 0 };

	dump->unwind.count = 0;
	dump->program.cie_number = 0;
	if (bytes < sizeof(unwinding)) {
		jit_rows_skip(dump->rows);
		return 0;
	}
	memcpy(&unwinding, body, sizeof(unwinding));
	if (unwinding.header_size > unwinding.unwinding_size ||
	    unwinding.unwinding_size > bytes - sizeof(unwinding)) {
		jit_rows_skip(dump->rows);
		return 0;
	}
	frames.count = (size_t)(unwinding.unwinding_size - unwinding.header_size);
	return frame_entries_read(frames, SECTION_ADDRESS, add_entry, dump);
}

static int add_load(struct dump *dump, const unsigned char *body, size_t bytes)
{
	struct load_body load;
	int err;

	if (bytes < sizeof(load)) {
		jit_rows_skip(dump->rows);
		return 0;
	}
	memcpy(&load, body, sizeof(load));
	err = jit_rows_add(dump->rows, load.code_addr, load.code_size,
			   (const char *)body + sizeof(load), bytes - sizeof(load));
	if (!err && dump->unwind.count)
		err = jit_rows_add_unwind(dump->rows, dump->unwind.rows, dump->unwind.count);
	dump->unwind.count = 0;
	return err;
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
	case JIT_CODE_UNWINDING_INFO:
		dump->unwind_at = dump->at;
		return add_unwinding(dump, body, bytes);
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
	*err = add_record(dump, &head, bytes + sizeof(head), wanted - sizeof(head));
	dump->at += head.total_size;
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
	struct dump dump = { .fd = fd, .at = offset, .rows = jit_rows_create(), .why = why,
			     .program.machine = cfi_machine_find(EM_X86_64) };
	int err;

	if (!dump.rows)
		return diag_set(why, -ENOMEM, "no memory for the jitdump");
	err = jit_rows_add_answer(dump.rows, before_fd, why);
	if (!err)
		err = read_records(&dump);
	if (!err) {
		err = jit_rows_finish(dump.rows, dump.unwind.count ? dump.unwind_at : dump.at,
				      bytes, bytes_count);
		if (err)
			diag_set(why, err, "jitdump needs more memory than allowed");
	}
	jit_rows_destroy(dump.rows);
	free(dump.unwind.rows);
	return err;
}
