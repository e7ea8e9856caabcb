/* jitdump.c - see elf/file_jobs.h. Everything here parses untrusted bytes.
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
#include "elf/file_jobs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/whole_io.h"
#include "cfi_program.h"
#include "jitdump_format.h"

#define MAGIC	      0x4a695444u	/* "JiTD" in the writer's byte order */
#define MAGIC_SWAPPED 0x4454694au
#define VERSION	      1
/* Assumed address of unwinding entries: high enough that their code, just below, is not at 0. */
#define SECTION_ADDRESS ((uint64_t)1 << 47)

#define HEAD_BYTES (sizeof(struct jitdump_head) + sizeof(struct jitdump_load) + JIT_NAME_BYTES)

_Static_assert(sizeof(struct jitdump_move) <= sizeof(struct jitdump_load) + JIT_NAME_BYTES,
	       "the head of any record fits");

struct dump {
	int fd;
	uint64_t bytes, at;	/* at: offset up to which the file was read */
	struct jit_rows *rows;
	enum machine machine;		/* the code's */
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

int jitdump_read_header(int fd, uint64_t bytes, struct jitdump_header *out, struct diag *why)
{
	if (bytes < sizeof(*out) || whole_pread(fd, out, sizeof(*out), 0) != sizeof(*out))
		return diag_set(why, -ENOEXEC, "jitdump without its header");
	if (out->magic == MAGIC_SWAPPED)
		return diag_set(why, -ENOEXEC, "jitdump of the other byte order");
	if (out->magic != MAGIC)
		return diag_set(why, -ENOEXEC, "not a jitdump");
	if (out->version != VERSION)
		return diag_set(why, -ENOEXEC, "jitdump of version %u, expected %d", out->version,
				VERSION);
	if (out->total_size < sizeof(*out) || out->total_size > bytes)
		return diag_set(why, -EBADMSG, "jitdump with a header of %u bytes",
				out->total_size);
	return 0;
}

static int add_entry(void *context, const struct frame_entry *entry)
{
	struct dump *dump = context;

	return dump->unwind.count ? 0 : cfi_program_run(&dump->program, entry, &dump->unwind);
}

static int add_unwinding(struct dump *dump, const unsigned char *body, size_t bytes)
{
	struct jitdump_unwinding unwinding;
	struct elf_bytes frames = { body + sizeof(unwinding), 0 };

	dump->unwind.count = 0;
	dump->program.cie_number = 0;
	if (!dump->program.machine)
		return 0;
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
	struct jitdump_load load;
	int err;

	if (bytes < sizeof(load)) {
		jit_rows_skip(dump->rows);
		return 0;
	}
	memcpy(&load, body, sizeof(load));
	err = jit_rows_add(dump->rows, load.code_addr, load.code_size,
			   (const char *)body + sizeof(load), bytes - sizeof(load));
	if (!err && dump->unwind.count)
		err = jit_rows_add_unwind(dump->rows, dump->machine, dump->unwind.rows,
					  dump->unwind.count);
	dump->unwind.count = 0;
	return err;
}

static int add_move(struct dump *dump, const unsigned char *body, size_t bytes)
{
	struct jitdump_move move;

	if (bytes < sizeof(move)) {
		jit_rows_skip(dump->rows);
		return 0;
	}
	memcpy(&move, body, sizeof(move));
	return jit_rows_add_moved(dump->rows, move.old_code_addr, move.new_code_addr,
				  move.code_size);
}

static int add_record(struct dump *dump, const struct jitdump_head *head,
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
	struct jitdump_head head;
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

static void use_machine(struct dump *dump, uint32_t elf_machine)
{
	dump->machine = machine_of_elf(elf_machine);
	if (elf_machine <= UINT16_MAX)
		dump->program.machine = cfi_machine_find((uint16_t)elf_machine);
}

static int read_records(struct dump *dump)
{
	struct jitdump_header header;
	struct stat status;
	int err = 0;

	if (fstat(dump->fd, &status))
		return diag_set(dump->why, -errno, "cannot read the jitdump's size");
	if ((uint64_t)status.st_size > JITDUMP_BYTES_MAX)
		return diag_set(dump->why, -E2BIG, "jitdump is larger than 4 GiB");
	dump->bytes = (uint64_t)status.st_size;
	err = jitdump_read_header(dump->fd, dump->bytes, &header, dump->at ? NULL : dump->why);
	if (err && !dump->at)
		return err;
	if (!dump->at)
		dump->at = header.total_size;
	if (!err)
		use_machine(dump, header.elf_machine);
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
	err = jit_rows_add_reply(dump.rows, before_fd, why);
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
