/* line_job.h - both sides of a SANDBOX_LINES job: order of its inputs and bits of its `argument`.
 *
 * Inputs: the DSO, offsets, then the debug file if there is one, then dwz's file if there is one.
 * Thread: any.
 */
#ifndef ELF_LINE_JOB_H
#define ELF_LINE_JOB_H

#include "elf/dwarf_lines.h"
#include "sandbox/sandbox.h"

/* Bits of `argument`: the memory limit in bytes, and flags above it. */
#define LINE_JOB_HAS_DEBUG	((uint64_t)1 << 61)
#define LINE_JOB_HAS_ALTERNATE	((uint64_t)1 << 62)
#define LINE_JOB_NO_ALTERNATE	((uint64_t)1 << 63)
#define LINE_JOB_MEMORY		(LINE_JOB_HAS_DEBUG - 1)

/* Returns the request for @files, which stay the caller's; @memory_bytes: limit, below 2^61. */
static inline struct sandbox_request line_job_request(const struct dwarf_lines_inputs *files,
						      uint64_t memory_bytes)
{
	struct sandbox_request request = {
		.kind = SANDBOX_LINES, .inputs = { files->object, files->offsets },
		.input_count = 2, .argument = memory_bytes,
	};

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
					    DWARF_LINES_NOT_ASKED };

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

#endif
