/* worker.c - see sandbox/worker.h.
 *
 * Problem: parsers have bugs, and flametop runs them on untrusted files as root.
 *
 * Idea: before the first byte is read, the process keeps only the input and reply descriptors and
 * confines itself (confine.c). A file that compromises the parser can only send one wrong answer
 * about itself, which main checks.
 *
 * Invariant: if any step of confinement fails, nothing is parsed.
 */
#include "sandbox/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler.h"
#include "elf/demangle.h"
#include "elf/dwarf_lines.h"
#include "elf/jit_map.h"
#include "elf/jitdump.h"
#include "elf/line_job.h"
#include "elf/rare_frames.h"
#include "elf/vdso_image.h"
#include "elf_cfi.h"
#include "point_job.h"
#include "sandbox/flat_table.h"
#include "sandbox/packed_records.h"
#include "sandbox/probe_names.h"
#include "sandbox/sandbox.h"

#define FIRST_INPUT 3		/* descriptors from 3 on: the inputs, then the reply socket */

static const int inputs[SANDBOX_INPUTS_MAX] = { FIRST_INPUT, FIRST_INPUT + 1, FIRST_INPUT + 2,
						FIRST_INPUT + 3 };

static int run_symbols(const struct sandbox_job *job, void **bytes, size_t *count,
		       struct diag *why)
{
	const int debug_fd = job->input_count > 1 ? inputs[1] : -1;

	return compiler_compile(inputs[0], debug_fd, bytes, count, why);
}

static int run_unwind(const struct sandbox_job *job, void **bytes, size_t *count, struct diag *why)
{
	return elf_cfi_compile(inputs[0], job->input_count > 1 ? inputs[1] : -1, bytes, count, why);
}

static int run_lines(const struct sandbox_job *job, void **bytes, size_t *count, struct diag *why)
{
	const struct dwarf_lines_inputs files = line_job_inputs(job->argument, inputs);

	return dwarf_lines_find(&files, line_job_memory_bytes(job->argument), bytes, count, why);
}

static int run_jit_map(const struct sandbox_job *job, void **bytes, size_t *count,
		       struct diag *why)
{
	return jit_map_compile(inputs[0], job->input_count > 1 ? inputs[1] : -1, job->argument,
			       bytes, count, why);
}

static int run_jitdump(const struct sandbox_job *job, void **bytes, size_t *count,
		       struct diag *why)
{
	return jitdump_compile(inputs[0], job->input_count > 1 ? inputs[1] : -1, job->argument,
			       bytes, count, why);
}

static int run_names(const struct sandbox_job *job, void **bytes, size_t *count, struct diag *why)
{
	(void)job;
	return demangle_list(inputs[0], bytes, count, why);
}

static int run_memory(const struct sandbox_job *job, void **bytes, size_t *count,
		      struct diag *why)
{
	return vdso_image_read(inputs[0], job->argument, bytes, count, why);
}

static int run_rare_frames(const struct sandbox_job *job, void **bytes, size_t *count,
			   struct diag *why)
{
	return rare_frames_unwind(inputs, job->input_count, bytes, count, why);
}

static int run_points(const struct sandbox_job *job, void **bytes, size_t *count,
		      struct diag *why)
{
	return point_job_run(inputs, job->input_count, bytes, count, why);
}

static int run_probe_names(const struct sandbox_job *job, void **bytes, size_t *count,
			   struct diag *why)
{
	const int debug_fd = job->input_count > 1 ? inputs[1] : -1;

	return probe_names_compile(inputs[0], debug_fd, job->argument, bytes, count, why);
}

static int run_records(const struct sandbox_job *job, void **bytes, size_t *count,
		       struct diag *why)
{
	struct packed_range range;
	int err;

	if (job->input_count != 2 || read(inputs[1], &range, sizeof(range)) != sizeof(range))
		return diag_set(why, -EINVAL, "no range of records");
	err = packed_records_unpack(inputs[0], &range, inputs[1], why);
	if (err)
		return err;
	*count = sizeof(range);
	*bytes = calloc(1, *count);	/* an answer must not be empty */
	return *bytes ? 0 : -ENOMEM;
}

/* Implementation of each kind of job: *@bytes is malloc'd and is sent to main. */
static int (*const jobs[SANDBOX_JOB_KINDS])(const struct sandbox_job *job, void **bytes,
					    size_t *count, struct diag *why) = {
	[SANDBOX_SYMBOLS] = run_symbols,
	[SANDBOX_UNWIND] = run_unwind,
	[SANDBOX_LINES] = run_lines,
	[SANDBOX_JIT_MAP] = run_jit_map,
	[SANDBOX_JITDUMP] = run_jitdump,
	[SANDBOX_NAMES] = run_names,
	[SANDBOX_MEMORY] = run_memory,
	[SANDBOX_RARE_FRAMES] = run_rare_frames,
	[SANDBOX_POINTS] = run_points,
	[SANDBOX_PROBE_NAMES] = run_probe_names,
	[SANDBOX_RECORDS] = run_records,
};

static _Noreturn void answer(int reply, int err, const char *reason, int memfd)
{
	struct sandbox_answer message = { .err = err };

	snprintf(message.reason, sizeof(message.reason), "%s", reason);
	_exit(sandbox_protocol_send(reply, &message, sizeof(message), &memfd, memfd >= 0) ? 1 : 0);
}

/* Moves the descriptors to their final numbers, via high numbers, because one may occupy the number
 * of another. */
static bool keep_only(const int fds[SANDBOX_JOB_FDS], int input_count)
{
	int high[SANDBOX_JOB_FDS];

	for (int i = 0; i < SANDBOX_JOB_FDS; i++) {
		high[i] = fcntl(fds[i], F_DUPFD, 16);
		if (high[i] < 0)
			return false;
	}
	high[input_count] = high[SANDBOX_JOB_FDS - 1];
	for (int i = 0; i <= input_count; i++)
		if (dup2(high[i], FIRST_INPUT + i) < 0)
			return false;
	return close_range((unsigned int)(FIRST_INPUT + input_count + 1), ~0u, 0) == 0;
}

static int write_all(int fd, const char *bytes, size_t count)
{
	while (count) {
		ssize_t written = write(fd, bytes, count);

		if (written < 0 && errno != EINTR)
			return -errno;
		if (written > 0) {
			bytes += written;
			count -= (size_t)written;
		}
	}
	return 0;
}

static int make_sealed(const void *bytes, size_t count)
{
	int fd = memfd_create("flametop-table", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	int err;

	if (fd < 0)
		return -errno;
	err = write_all(fd, bytes, count);
	if (!err && fcntl(fd, F_ADD_SEALS,
			  F_SEAL_WRITE | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL))
		err = -errno;
	return err ? err : fd;
}

_Noreturn void worker_run(const struct confinement *confinement, const struct sandbox_job *job,
			  const int fds[SANDBOX_JOB_FDS], pid_t zygote_pid)
{
	const int reply = FIRST_INPUT + (int)job->input_count;
	struct diag why = { .err = 0 };
	size_t count;
	void *bytes;
	int err;

	if (job->input_count > SANDBOX_INPUTS_MAX || job->kind >= SANDBOX_JOB_KINDS ||
	    !keep_only(fds, (int)job->input_count))
		_exit(1);
	err = confine_worker(confinement, sandbox_limits(job->kind), zygote_pid, &why);
	if (err) {
		diag_prefix(&why, "the symbol compiler cannot give up its privileges here");
		answer(reply, err, why.text, -1);
	}
	err = jobs[job->kind](job, &bytes, &count, &why);
	if (err)
		answer(reply, err, why.text, -1);
	err = make_sealed(bytes, count);
	if (err < 0)
		answer(reply, err, "the symbol table cannot be stored", -1);
	answer(reply, 0, "", err);
}
