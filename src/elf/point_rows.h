/* point_rows.h - worker side: builder of the reply of a SANDBOX_POINTS job.
 *
 * Use:    point_rows_create(); add a function, its points, and values after each point; finish.
 * Errors: rows that no longer fit are left out; point_rows_finish() then fails.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_POINT_ROWS_H
#define ELF_POINT_ROWS_H

#include "elf/fetch_value.h"
#include "sandbox/probe_points.h"

struct point_rows {
	struct point_header header;	/* the caller fills all but magic, version, counts */
	struct point_function *functions;	/* all four arrays are owned */
	struct point *points;
	struct point_value *values;
	char *strings;
	bool is_full;
};

struct point_value_text {
	const char *name;		/* BORROWED */
	struct fetch_value value;
	enum point_origin origin;
	bool is_return;
};

int point_rows_create(struct point_rows *out);	/* 0 or -ENOMEM */
void point_rows_destroy(struct point_rows *rows);
uint32_t point_rows_text(struct point_rows *rows, const char *text);	/* NULL: "" */
/* Adds a function named @name[@bytes]; NULL: full. Valid until point_rows_destroy(). */
struct point_function *point_rows_add_function(struct point_rows *rows, const char *name,
					       size_t bytes);
/* Adds a point to the last function; NULL: it already has POINT_SITES_MAX. */
struct point *point_rows_add_point(struct point_rows *rows);
void point_rows_add_value(struct point_rows *rows, const struct point_value_text *value);
/* Builds the reply; *@bytes is malloc'd for the caller. Returns 0, -E2BIG or -ENOMEM. */
int point_rows_finish(struct point_rows *rows, void **bytes, size_t *bytes_count,
		      struct diag *why);

#endif
