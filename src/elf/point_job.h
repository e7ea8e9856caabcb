/* point_job.h - worker side of probe points: a file and a query -> struct point_reply.
 * Runs only in a worker of the zygote (and in tests and fuzzers).
 *
 *   point_symbols   finds the functions that a name matches
 *   point_lines     finds the addresses of a source line
 *   point_scopes    debug information: the function at an address, its inlined copies
 *   point_types     types, members, and how a value is fetched
 *   point_values    the arguments of a site
 *   point_code      the instruction at a site
 */
#ifndef ELF_POINT_JOB_H
#define ELF_POINT_JOB_H

#include "point_rows.h"

/* Does a SANDBOX_POINTS job; @inputs[@input_count] as in sandbox/probe_points.h. *@bytes is
 * malloc'd for the caller. Returns 0; -ENOENT: no such function (the reason has the nearest name),
 * or no code at that line; -E2BIG: too many matches; -ENOEXEC, -EBADMSG, -EINVAL or -ENOMEM. */
int point_job_run(const int *inputs, uint32_t input_count, void **bytes, size_t *bytes_count,
		  struct diag *why);

#endif
