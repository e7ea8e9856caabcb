/* point_job.h - worker side of probe points: a file and a query -> struct point_answer.
 * Runs only in a worker of the zygote (and in tests and fuzzers).
 *
 *   point_symbols   finds the functions that a name matches
 *   point_lines     finds the addresses of a source line
 *   point_scopes    debug information: the function at an address, its inlined copies
 *   point_types     types, members, and how a value is fetched
 *   point_values    the arguments of a point
 */
#ifndef ELF_POINT_JOB_H
#define ELF_POINT_JOB_H

#include "dwarf_file.h"
#include "point_rows.h"
#include "point_symbols.h"

/* Upper limit of the memory for debug information, whatever the query allows. */
#define POINT_MEMORY_MAX ((uint64_t)1 << 30)

struct point_job {
	const struct point_query *query;
	struct dwarf_file object, debug, alternate;
	struct dwarf_file *source;	/* object or debug: the one with debug information */
	Dwarf *dwarf;			/* BORROWED from source; NULL: none, or not read */
	Dwarf_CFI *frames;		/* owned: .eh_frame of the object; NULL: none */
	struct point_symbols symbols;
	struct point_rows rows;
	struct diag *why;
};

/* Does a SANDBOX_POINTS job; @inputs[@input_count] as in sandbox/probe_points.h. *@bytes is
 * malloc'd for the caller. Returns 0; -ENOENT: no such function (the reason has the nearest name),
 * or no code at that line; -E2BIG: too many matches; -ENOEXEC, -EBADMSG, -EINVAL or -ENOMEM. */
int point_job_run(const int *inputs, uint32_t input_count, void **bytes, size_t *bytes_count,
		  struct diag *why);

/* Converts @vaddr to the reply's offset: a file offset, or @vaddr itself for the kernel. Returns
 * false if it is not in the file's code. */
bool point_job_offset(const struct point_job *job, uint64_t vaddr, uint64_t *offset);
/* Adds a point at @vaddr to the last function; the caller adds its values. Returns NULL if @vaddr
 * is not in the file's code, or there are too many points. */
struct point *point_job_add_point(struct point_job *job, uint64_t vaddr);

#endif
