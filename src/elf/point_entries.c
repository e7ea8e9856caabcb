/* point_entries.c - see point_entries.h.
 *
 * Problem: an unwind entry covers a function, or a part of one that the compiler has moved (.cold),
 * or a table of jumps (.plt). A return probe overwrites the word on top of the stack: if that is no
 * return address, the program crashes.
 *
 * Idea: the entry's first row says where the return address is when its code begins. A call leaves
 * CFA = sp + 8 with the return address below it, and nothing else does. The program's start
 * (_start) is never called. Whether the code looks like a function's start is checked where the
 * code is read (probe/probe_verdict.h).
 */
#include "point_entries.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cfi_program.h"
#include "point_scopes.h"
#include "point_values.h"

#define HEX_PREFIX "0x"

struct entry_search {
	const struct point_job *job;
	struct cfi_program program;
	uint64_t vaddr;			/* address to find */
	bool is_found, is_inside;	/* an entry begins at vaddr; an entry covers it */
	uint64_t begin, offset, bytes;	/* that entry's address, file offset, size */
	bool is_called;			/* the return address is on top of the stack at its start */
};

static const char *skip_prefix(const char *name, const char *prefix)
{
	const size_t bytes = strlen(prefix);

	return strncmp(name, prefix, bytes) ? NULL : name + bytes;
}

static bool parse_address(const char *digits, uint64_t *vaddr)
{
	char *end;

	if (!digits || !digits[0] || strspn(digits, "0123456789abcdefABCDEF") != strlen(digits))
		return false;
	errno = 0;
	*vaddr = strtoull(digits, &end, 16);
	return !*end && !errno;
}

static bool find_address(const struct point_query *query, bool by_row, uint64_t *vaddr)
{
	return !query->is_wildcard &&
	       (parse_address(skip_prefix(query->function, HEX_PREFIX), vaddr) ||
		(by_row && parse_address(skip_prefix(query->function, FLAT_UNWIND_PREFIX), vaddr)));
}

bool point_entries_are_meant(const struct point_query *query, bool by_row)
{
	uint64_t ignored;

	return find_address(query, by_row, &ignored);
}

static bool is_called(struct entry_search *search, const struct frame_entry *entry)
{
	struct cfi_rows rows = { .rows = NULL };
	bool is_so = false;

	if (!search->program.machine || search->job->object.elf.is_32_bit ||
	    entry->vaddr == search->job->object.elf.header.e_entry)
		return false;
	if (!cfi_program_run(&search->program, entry, &rows) && rows.count)
		is_so = rows.rows[0].kind == UNWIND_SP && rows.rows[0].cfa == 1 &&
			!rows.rows[0].bp && !rows.rows[0].bx;
	free(rows.rows);
	return is_so;
}

static int look_at(void *context, const struct frame_entry *entry)
{
	struct entry_search *search = context;

	if (search->vaddr - entry->vaddr >= entry->bytes)
		return 0;
	search->is_found = entry->vaddr == search->vaddr;
	search->is_inside = !search->is_found;
	search->begin = entry->vaddr;
	search->offset = entry->offset;
	search->bytes = entry->bytes;
	search->is_called = search->is_found && is_called(search, entry);
	return search->is_found;
}

static int refuse(const struct point_job *job, const struct entry_search *search)
{
	const struct point_symbol *symbol = point_symbols_at(&job->symbols, search->vaddr);

	if (symbol)
		return diag_set(job->why, -ENOENT, "%s is inside a function: write %.*s+%" PRIu64,
				job->query->function, (int)symbol->name.bytes, symbol->name.text,
				search->vaddr - symbol->vaddr);
	if (search->is_inside)
		return diag_set(job->why, -ENOENT, "%s is inside a function: write "
				FLAT_UNWIND_PREFIX "%" PRIx64 "+%" PRIu64, job->query->function,
				search->begin, search->vaddr - search->begin);
	return diag_set(job->why, -ENOENT, "no function begins at %s: neither a symbol nor an "
			"unwind entry does", job->query->function);
}

static int check_offset(const struct point_job *job, uint64_t bytes)
{
	if (!bytes || job->query->offset < bytes)
		return 0;
	return diag_set(job->why, -EINVAL, "'%s' has %" PRIu64 " bytes of code, %" PRIu64
			" is outside", job->query->function, bytes, job->query->offset);
}

static void add_point(struct point_job *job, uint64_t vaddr)
{
	const uint64_t at = vaddr + job->query->offset;
	struct point_scope scope;
	const bool is_known = point_scopes_at(job, at, &scope);

	point_rows_add_function(&job->rows, job->query->function, strlen(job->query->function));
	if (is_known)
		point_scopes_leave_inlined(&scope);
	point_values_add_point(job, is_known ? &scope : NULL, vaddr, at);
}

static int add_entry(struct point_job *job, const struct entry_search *search)
{
	const int err = check_offset(job, search->bytes);
	struct point_rows *rows = &job->rows;
	struct point *point;

	if (err)
		return err;
	add_point(job, search->vaddr);
	if (!rows->header.point_count)
		return refuse(job, search);
	point = &rows->points[rows->header.point_count - 1];
	point->begin = search->offset;
	point->bytes = search->bytes;
	point->start = search->is_called ? POINT_START_CALLED : POINT_START_UNCALLED;
	return 0;
}

int point_entries_add(struct point_job *job)
{
	struct entry_search search = { .job = job };
	const struct point_symbol *symbol;
	int err;

	find_address(job->query, true, &search.vaddr);
	symbol = point_symbols_at(&job->symbols, search.vaddr);
	if (symbol && symbol->vaddr == search.vaddr && !symbol->is_chosen_late) {
		err = check_offset(job, symbol->bytes);
		if (!err)
			add_point(job, search.vaddr);
		return err;
	}
	search.program.machine = cfi_machine_find(job->object.elf.header.e_machine);
	frame_entries_walk(&job->object.elf, job->debug.elf.elf ? &job->debug.elf : NULL, look_at,
			   &search);
	return search.is_found && !symbol ? add_entry(job, &search) : refuse(job, &search);
}
