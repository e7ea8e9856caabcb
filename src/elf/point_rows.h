/* point_rows.h - child side: the answer of a SANDBOX_POINTS job while it is put together.
 *
 * Use:    point_rows_create(), add a function, its points, and values after each; finish.
 * Errors: what no longer fits is left out; point_rows_finish() says so then.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_POINT_ROWS_H
#define ELF_POINT_ROWS_H

#include "elf/fetch_value.h"
#include "sandbox/probe_points.h"

struct point_rows {
	struct point_header header;	/* the caller's fields of it are filled by the caller */
	struct point_function *functions;	/* owned, as the next three */
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
/* A function named @name[@bytes]; NULL: full. Valid until the end. */
struct point_function *point_rows_add_function(struct point_rows *rows, const char *name,
					       size_t bytes);
/* A point of the last function; NULL: full, or it has POINT_SITES_MAX. */
struct point *point_rows_add_point(struct point_rows *rows);
void point_rows_add_value(struct point_rows *rows, const struct point_value_text *value);
/* *@bytes is malloc'd for the caller. 0, -E2BIG or -ENOMEM. */
int point_rows_finish(struct point_rows *rows, void **bytes, size_t *bytes_count,
		      struct diag *why);

#endif
