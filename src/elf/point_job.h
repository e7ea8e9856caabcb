/* point_job.h - child side of the places for probes: a file and a question -> struct point_answer.
 * Runs only in a worker of the zygote (and in tests and fuzzers).
 *
 *   point_symbols   which functions the name means
 *   point_lines     which addresses a line means
 *   point_scopes    debug information: the function at an address, its copies, its variables
 *   point_types     types, members, and how a value is fetched
 *   point_values    the arguments of a place
 */
#ifndef ELF_POINT_JOB_H
#define ELF_POINT_JOB_H

#include "dwarf_file.h"
#include "point_rows.h"
#include "point_symbols.h"

/* Most that debug information may take in memory, whatever is asked for. */
#define POINT_MEMORY_MAX ((uint64_t)1 << 30)

struct point_job {
	const struct point_query *query;
	struct dwarf_file object, debug, alternate;
	struct dwarf_file *source;	/* object or debug: the one with debug information */
	Dwarf *dwarf;			/* BORROWED from source; NULL: not to be had, or not read */
	Dwarf_CFI *frames;		/* owned: .eh_frame of the object; NULL: none */
	struct point_symbols symbols;
	struct point_rows rows;
	struct diag *why;
};

/* @inputs[@input_count] as in sandbox/probe_points.h. *@bytes is malloc'd for the caller. 0;
 * -ENOENT no such function (with the nearest name), or no code at that line; -E2BIG too many;
 * -ENOEXEC, -EBADMSG, -EINVAL, -ENOMEM. */
int point_job_run(const int *inputs, uint32_t input_count, void **bytes, size_t *bytes_count,
		  struct diag *why);

/* The place of @vaddr in the answer: where in the file, or itself for the kernel. False: it is not
 * in the code of the file. */
bool point_job_offset(const struct point_job *job, uint64_t vaddr, uint64_t *offset);
/* A new point of the last function at @vaddr, whose values the caller adds; NULL: not in the code,
 * or too many. */
struct point *point_job_add_point(struct point_job *job, uint64_t vaddr);

#endif
