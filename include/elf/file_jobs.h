/* file_jobs.h - both sides of the jobs that read a file for source lines or for the names of code
 * that was made at run time, and the worker that does jobs of every kind.
 */
#ifndef ELF_FILE_JOBS_H
#define ELF_FILE_JOBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"
#include "sandbox/flat_table.h"
#include "sandbox/sandbox.h"
#include "sandbox/unwind_table.h"

/* Worker side of source lines: a file and offsets -> struct line_chains. Runs only
 * in a worker of the zygote (and in tests and fuzzers). */

/* Input descriptors of a job: regular files or memfds. */
struct dwarf_lines_inputs {
	int dso;
	int offsets;		/* uint64_t file offsets in the DSO, at most LINE_ADDRESSES_MAX */
	int debug;		/* its debug file, or DWARF_LINES_NO_FILE; ignored if it belongs
				 * to another DSO */
	/* The shared dwz file that the debug information refers to; ignored if its build-id is not
	 * the one. DWARF_LINES_NOT_ASKED: if one is referred to, the reply is only its name.
	 * DWARF_LINES_NO_FILE: it could not be found, do without it. */
	int alternate;
	/* `dso` is the debug file of the kernel or of a module, `debug` a sealed struct
	 * kernel_layout, and the offsets are addresses of the running code. */
	bool is_of_kernel;
};

#define DWARF_LINES_NO_FILE   (-1)
#define DWARF_LINES_NOT_ASKED (-2)

/* Finds the line chains of all offsets. Debug information that would take more than @memory_bytes
 * or DWARF_LINES_MEMORY_MAX is not read. *@bytes is malloc'd for the caller, for
 * line_chains_check(). Returns 0; -ENODATA: no debug information; -E2BIG: over the limit (@why
 * names both sizes); -ENOEXEC; -EBADMSG; -EINVAL: too many offsets; or -ENOMEM; -ESTALE: of the
 * kernel, but another build. */
int dwarf_lines_find(const struct dwarf_lines_inputs *inputs, uint64_t memory_bytes, void **bytes,
		     size_t *bytes_count, struct diag *why);

#define DWARF_LINES_MEMORY_MAX ((uint64_t)1 << 30)

/* Does a SANDBOX_LINE_RANGES job, see sandbox/lines.h. *@bytes is malloc'd for the caller,
 * for line_ranges_check(). Returns 0; -ENODATA: no debug information; -E2BIG: over the memory limit
 * (at most DWARF_LINES_MEMORY_MAX), or too many lines; -ENOENT: no such function, or no code of
 * such a source file; -ENOEXEC; -EBADMSG; -EINVAL: bad inputs; or -ENOMEM. */
int line_ranges_build(const int *inputs, uint32_t input_count, void **bytes, size_t *bytes_count,
		      struct diag *why);

/* Both sides of a SANDBOX_LINES job: order of its inputs and bits of its `argument`.
 *
 * Inputs: the DSO, offsets, then the debug file if there is one, then dwz's file if there is one;
 *         of the kernel: its debug file, addresses, and its layout instead of the second file.
 * Thread: any.
 */

/* Bits of `argument`: the memory limit in bytes, and flags above it. */
#define LINE_JOB_OF_KERNEL	((uint64_t)1 << 60)
#define LINE_JOB_HAS_DEBUG	((uint64_t)1 << 61)
#define LINE_JOB_HAS_ALTERNATE	((uint64_t)1 << 62)
#define LINE_JOB_NO_ALTERNATE	((uint64_t)1 << 63)
#define LINE_JOB_MEMORY		(LINE_JOB_OF_KERNEL - 1)

/* Returns the request for @files, which stay the caller's; @memory_bytes: limit, below 2^60. */
static inline struct sandbox_request line_job_request(const struct dwarf_lines_inputs *files,
						      uint64_t memory_bytes)
{
	struct sandbox_request request = {
		.kind = SANDBOX_LINES, .inputs = { files->dso, files->offsets },
		.input_count = 2, .argument = memory_bytes,
	};

	if (files->is_of_kernel)
		request.argument |= LINE_JOB_OF_KERNEL;
	if (files->debug >= 0) {
		request.inputs[request.input_count++] = files->debug;
		request.argument |= LINE_JOB_HAS_DEBUG;
	}
	if (files->alternate >= 0) {
		request.inputs[request.input_count++] = files->alternate;
		request.argument |= LINE_JOB_HAS_ALTERNATE;
	} else if (files->alternate == DWARF_LINES_NO_FILE) {
		request.argument |= LINE_JOB_NO_ALTERNATE;
	}
	return request;
}

/* Worker side: returns which descriptor of @inputs is which file. */
static inline struct dwarf_lines_inputs line_job_inputs(uint64_t argument, const int *inputs)
{
	const int *next = inputs + 2;
	struct dwarf_lines_inputs files = { inputs[0], inputs[1], DWARF_LINES_NO_FILE,
					    DWARF_LINES_NOT_ASKED,
					    (argument & LINE_JOB_OF_KERNEL) != 0 };

	if (argument & LINE_JOB_HAS_DEBUG)
		files.debug = *next++;
	if (argument & LINE_JOB_HAS_ALTERNATE)
		files.alternate = *next;
	else if (argument & LINE_JOB_NO_ALTERNATE)
		files.alternate = DWARF_LINES_NO_FILE;
	return files;
}

static inline uint64_t line_job_memory_bytes(uint64_t argument)
{
	return argument & LINE_JOB_MEMORY;
}

/* The names of one process's JIT-compiled code, as a flat table of absolute addresses,
 * and its unwind rows as far as they are known.
 *
 * Rule:   a JIT compiler logs the code it generates, and reuses the addresses of old code. The last
 *         entry ("word") on an address wins; the rest of an older one keeps the older name.
 *
 *           1st word  |------- a -------|		rows:  a | b | a
 *           2nd word       |-- b --|
 *
 * Use:    a parser (jit_map, jitdump) first adds the previous reply with
 *         jit_rows_add_reply(), then new entries in file order, so a growing file is read once.
 * Thread: the owner's. struct jit_rows is used only in a worker (and in tests and fuzzers).
 */

#define JIT_NAME_BYTES 4096	/* longer names are cut */

/* Start of a worker's reply; an unwind table and a flat table follow. */
struct jit_reply {
	uint64_t read_bytes;	/* file offset where the next job continues */
	uint64_t skipped;	/* unusable lines or records, those of previous jobs included */
	uint64_t unwind_base;	/* address that the unwind table's starts are relative to */
	uint64_t unwind_bytes;	/* size of the unwind table, a multiple of 8 */
};

/* A checked reply; everything is BORROWED from its bytes. */
struct jit_tables {
	const struct jit_reply *reply;
	struct flat_table names;
	struct unwind_table unwind;
};

struct jit_rows;

struct jit_rows *jit_rows_create(void);		/* NULL: out of memory */
void jit_rows_destroy(struct jit_rows *rows);	/* NULL is fine */

/* Adds @size bytes of code at @start. @name need not be NUL-terminated. Code that has no size or no
 * name, wraps, or has 4 GiB is skipped and counted. Returns 0, -ENOMEM, or -E2BIG: too many. */
int jit_rows_add(struct jit_rows *rows, uint64_t start, uint64_t size, const char *name,
		 size_t name_len);
/* Sets the unwind rows of the code added last, which is @machine's; they are sorted, their starts
 * relative to the code's start. Ignored if no code was added, the last was skipped, or rows for
 * another machine were added before. Returns 0, -ENOMEM or -E2BIG. */
int jit_rows_add_unwind(struct jit_rows *rows, enum machine machine,
			const struct unwind_row *unwind, uint32_t count);
/* Adds the code that was last added at @from at @to, too; skips and counts it if there is none. */
int jit_rows_add_moved(struct jit_rows *rows, uint64_t from, uint64_t to, uint64_t size);
void jit_rows_skip(struct jit_rows *rows);

/* Adds the contents of the reply behind @fd (a whole file; -1: none). Returns 0, -EBADMSG, -ENOMEM
 * or -E2BIG. */
int jit_rows_add_reply(struct jit_rows *rows, int fd, struct diag *why);

/* Builds the reply, for jit_reply_check(); *@bytes is malloc'd for the caller. Returns 0, -ENOMEM
 * or -E2BIG. Afterwards @rows can only be destroyed. */
int jit_rows_finish(struct jit_rows *rows, uint64_t read_bytes, void **bytes, size_t *bytes_count);

/* Checks everything once, see flat_table_check() and unwind_table_check(). */
int jit_reply_check(struct jit_tables *tables, const void *bytes, size_t bytes_count,
		    struct diag *why);

/* Worker side: /tmp/perf-PID.map -> names of JIT-compiled code.
 * Source: Linux, tools/perf/Documentation/jit-interface.txt: lines of "START SIZE name", hex. */

#define JIT_MAP_BYTES_MAX (64u << 20)	/* a million functions; node writes 0.1 MB at its start */

/* Reads the complete lines of the file behind @fd from @offset on, and adds them to the previous
 * reply behind @before_fd (-1: none). *@bytes is malloc'd for the caller: see jit_rows_finish().
 * Runs only in a worker. Returns 0, -E2BIG, -EBADMSG, -ENOMEM or another -errno. */
int jit_map_compile(int fd, int before_fd, uint64_t offset, void **bytes, size_t *bytes_count,
		    struct diag *why);

/* Worker side: the records of jit-PID.dump -> names of JIT-compiled code.
 * Source: Linux, tools/perf/Documentation/jitdump-specification.txt, version 1. */

#define JITDUMP_BYTES_MAX ((uint64_t)4 << 30)	/* includes the code itself, which is not read */

/* Reads the complete records of the file behind @fd from @offset on (0: the header first), and
 * adds them to the previous reply behind @before_fd (-1: none). *@bytes is malloc'd for the caller:
 * see jit_rows_finish(). Runs only in a worker. Returns 0; -ENOEXEC: no jitdump that can be read
 * here; -E2BIG, -EBADMSG, -ENOMEM or another -errno. */
int jitdump_compile(int fd, int before_fd, uint64_t offset, void **bytes, size_t *bytes_count,
		    struct diag *why);

/* Worker side: does @job, of any kind. For sandbox_start_all(). */
int worker_run(const struct sandbox_request *job, void **bytes, size_t *count, struct diag *why);

#endif
