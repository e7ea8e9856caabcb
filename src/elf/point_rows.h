/* point_rows.h - worker side: builder of the reply of a SANDBOX_POINTS job.
 *
 * Use:    point_rows_create(); add a function, its sites, and values after each site; finish.
 * Errors: rows that no longer fit are left out; point_rows_finish() then fails.
 * Thread: the owner's. Only in a worker (and in tests).
 */
#ifndef ELF_POINT_ROWS_H
#define ELF_POINT_ROWS_H

#include "dwarf_file.h"
#include "elf/fetch_value.h"
#include "point_symbols.h"
#include "sandbox/probe_points.h"

struct point_rows {
	struct point_header header;	/* the caller fills all but magic, version, counts */
	struct point_function *functions;	/* all four arrays are owned */
	struct point_site *sites;
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
/* Adds a value to the last site. */
void point_rows_add_value(struct point_rows *rows, const struct point_value_text *value);
/* Builds the reply; *@bytes is malloc'd for the caller. Returns 0, -E2BIG or -ENOMEM. */
int point_rows_finish(struct point_rows *rows, void **bytes, size_t *bytes_count,
		      struct diag *why);

/* A SANDBOX_POINTS job, as all of its steps know it. */
struct point_job {
	const struct point_query *query;
	struct dwarf_file dso, debug, alternate;
	struct dwarf_file *source;	/* DSO or debug: the one with debug information */
	Dwarf *dwarf;			/* BORROWED from source; NULL: none, or not read */
	Dwarf_CFI *frames;		/* owned: .eh_frame of the DSO; NULL: none */
	uint64_t slide;			/* is_of_kernel: running address - address in the file */
	struct point_symbols symbols;
	struct point_rows rows;
	struct diag *why;
};

/* Upper limit of the memory for debug information, whatever the query allows. */
#define POINT_MEMORY_MAX ((uint64_t)1 << 30)

/* Returns the machine whose registers and calling convention the file's code has. */
enum machine point_job_machine(const struct point_job *job);
/* Converts @vaddr to the reply's offset: a file offset, or the address in the running kernel.
 * Returns false if it is not in the file's code. */
bool point_job_offset(const struct point_job *job, uint64_t vaddr, uint64_t *offset);
/* Adds a site at @vaddr to the last function; the caller adds its values. Returns NULL if @vaddr
 * is not in the file's code, or there are too many sites. */
struct point_site *point_job_add_site(struct point_job *job, uint64_t vaddr);

#endif
