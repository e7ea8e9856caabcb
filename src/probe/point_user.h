/* point_user.h - resolves functions and lines of a program or library to points, in a worker.
 * Thread: the probe engine's; BLOCKS. */
#ifndef PROBE_POINT_USER_H
#define PROBE_POINT_USER_H

#include "probe/probe_point.h"
#include "point_file.h"
#include "sandbox/probe_points.h"
#include "symbols/source_file.h"

#define POINT_USER_FUNCTIONS_MAX 16	/* one takes 90 ms to remove */

/* probe_resolver_find() for PROBE_USER, or with POINT_REQUEST_VARIABLES and POINT_REQUEST_EXTERNS
 * probe_resolver_list_variables(); on failure, too, the caller frees *@out. Workers of
 * @reader->sandbox parse the file, and @reader reads the source that a pattern is compared with. */
int point_user_find(struct source_reader *reader, const struct probe_spec *spec, pid_t pid,
		    enum point_request request, struct probe_point **out, uint32_t *count,
		    struct diag *why);

/* Finds out the build-id of @file (count 0: it has none) and opens its debug file: *@debug is the
 * caller's, -1 if there is none. 0 or -errno as sandbox_run(), with a sentence. */
int point_user_open_debug(struct sandbox *sandbox, const struct point_file *file,
			  struct build_id *build_id, int *debug, struct diag *why);

/* Fills the question that a worker gets about @spec, for programs and the kernel alike. */
void point_query_fill(struct point_query *query, const struct probe_spec *spec);

/* Adds the lines of @file that match the pattern of @spec to @query. 0; -ENOENT: none does; -E2BIG.
 * */
int point_query_match_lines(struct point_query *query, const struct source_file *file,
			    const struct probe_spec *spec, struct diag *why);

/* Copies @row, a value in a checked reply; its texts, which are untrusted, are cleaned. */
void point_value_copy(const struct point_reply *reply, const struct point_value *row,
		      struct probe_fetch *out);

#endif
