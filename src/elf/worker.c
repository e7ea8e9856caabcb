/* worker.c - see elf/file_jobs.h. */
#include "elf/file_jobs.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "elf/demangle.h"
#include "elf/process_memory.h"
#include "elf/slow_frames.h"
#include "code_job.h"
#include "elf_cfi.h"
#include "jitdump_code.h"
#include "point_job.h"
#include "sandbox/packed_records.h"
#include "sandbox/probe_names.h"
#include "sandbox/file_text.h"
#include "sandbox/trace_texts.h"
#include "symtab_builder.h"

static int second_input(const struct sandbox_request *job)
{
	return job->input_count > 1 ? job->inputs[1] : -1;
}

static int run_symbols(const struct sandbox_request *job, void **bytes, size_t *count,
		       struct diag *why)
{
	return symtab_builder_build(job->inputs[0], second_input(job), bytes, count, why);
}

static int run_unwind(const struct sandbox_request *job, void **bytes, size_t *count,
		      struct diag *why)
{
	return elf_cfi_compile(job->inputs[0], second_input(job), bytes, count, why);
}

static int run_lines(const struct sandbox_request *job, void **bytes, size_t *count,
		     struct diag *why)
{
	const struct dwarf_lines_inputs files = line_job_inputs(job->argument, job->inputs);

	return dwarf_lines_find(&files, line_job_memory_bytes(job->argument), bytes, count, why);
}

static int run_line_ranges(const struct sandbox_request *job, void **bytes, size_t *count,
			   struct diag *why)
{
	return line_ranges_build(job->inputs, job->input_count, bytes, count, why);
}

static int run_jit_map(const struct sandbox_request *job, void **bytes, size_t *count,
		       struct diag *why)
{
	return jit_map_compile(job->inputs[0], second_input(job), job->argument, bytes, count,
			       why);
}

static int run_jitdump(const struct sandbox_request *job, void **bytes, size_t *count,
		       struct diag *why)
{
	return jitdump_compile(job->inputs[0], second_input(job), job->argument, bytes, count,
			       why);
}

static int run_names(const struct sandbox_request *job, void **bytes, size_t *count,
		     struct diag *why)
{
	return demangle_list(job->inputs[0], bytes, count, why);
}

static int run_memory(const struct sandbox_request *job, void **bytes, size_t *count,
		      struct diag *why)
{
	return process_memory_copy(job->inputs[0], job->argument, bytes, count, why);
}

static int run_slow_frames(const struct sandbox_request *job, void **bytes, size_t *count,
			   struct diag *why)
{
	return slow_frames_unwind(job->inputs, job->input_count, bytes, count, why);
}

static int run_points(const struct sandbox_request *job, void **bytes, size_t *count,
		      struct diag *why)
{
	return point_job_run(job->inputs, job->input_count, bytes, count, why);
}

static int run_probe_names(const struct sandbox_request *job, void **bytes, size_t *count,
			   struct diag *why)
{
	return probe_names_compile(job->inputs[0], second_input(job), job->argument, bytes, count,
				   why);
}

static int run_records(const struct sandbox_request *job, void **bytes, size_t *count,
		       struct diag *why)
{
	struct packed_range range;
	int err;

	if (job->input_count != 2 || read(job->inputs[1], &range, sizeof(range)) != sizeof(range))
		return diag_set(why, -EINVAL, "no range of records");
	err = packed_records_unpack(job->inputs[0], &range, job->inputs[1], why);
	if (err)
		return err;
	*count = sizeof(range);
	*bytes = calloc(1, *count);	/* a reply must not be empty */
	return *bytes ? 0 : -ENOMEM;
}

static int run_segments(const struct sandbox_request *job, void **bytes, size_t *count,
			struct diag *why)
{
	return elf_segments_list(job->inputs[0], second_input(job), bytes, count, why);
}

static int run_jit_code(const struct sandbox_request *job, void **bytes, size_t *count,
			struct diag *why)
{
	return jitdump_code_read(job->inputs[0], second_input(job), bytes, count, why);
}

static int run_code(const struct sandbox_request *job, void **bytes, size_t *count,
		    struct diag *why)
{
	return code_job_run(job->inputs, job->input_count, bytes, count, why);
}

static int run_source(const struct sandbox_request *job, void **bytes, size_t *count,
		      struct diag *why)
{
	if (job->input_count != 2)
		return diag_set(why, -EINVAL, "no directory for a source file");
	return file_text_read(job->inputs[0], job->inputs[1], bytes, count, why);
}

static int run_traces(const struct sandbox_request *job, void **bytes, size_t *count,
		      struct diag *why)
{
	return trace_texts_print(job->inputs[0], bytes, count, why);
}

/* The function that does a job of each kind. */
static sandbox_worker *const jobs[SANDBOX_JOB_KINDS] = {
	[SANDBOX_SYMBOLS] = run_symbols,
	[SANDBOX_UNWIND] = run_unwind,
	[SANDBOX_LINES] = run_lines,
	[SANDBOX_LINE_RANGES] = run_line_ranges,
	[SANDBOX_JIT_MAP] = run_jit_map,
	[SANDBOX_JITDUMP] = run_jitdump,
	[SANDBOX_NAMES] = run_names,
	[SANDBOX_MEMORY] = run_memory,
	[SANDBOX_SLOW_FRAMES] = run_slow_frames,
	[SANDBOX_POINTS] = run_points,
	[SANDBOX_PROBE_NAMES] = run_probe_names,
	[SANDBOX_RECORDS] = run_records,
	[SANDBOX_SEGMENTS] = run_segments,
	[SANDBOX_JIT_CODE] = run_jit_code,
	[SANDBOX_CODE] = run_code,
	[SANDBOX_SOURCE] = run_source,
	[SANDBOX_TRACES] = run_traces,
};

int worker_run(const struct sandbox_request *job, void **bytes, size_t *count, struct diag *why)
{
	return jobs[job->kind](job, bytes, count, why);
}
