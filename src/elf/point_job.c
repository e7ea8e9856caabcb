/* point_job.c - see point_job.h. Everything here parses untrusted bytes.
 *
 * Names are looked up in the symbols first: all functions have one. Only debug information knows
 * inlined copies and lines. If it is missing, damaged or too large, the reply has what is known
 * without it, and the reason.
 */
#include "point_job.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/name_match.h"
#include "base/whole_io.h"
#include "cfi_program.h"
#include "elf_debug_file.h"
#include "kernel_file.h"
#include "point_code.h"
#include "point_lines.h"
#include "point_scopes.h"
#include "point_values.h"

/* Functions without a symbol, which a probe names by address: "fn_472280", as in their table rows,
 * or "0x472280".
 *
 * Problem: an unwind entry covers a function, or a part of one that the compiler has moved (.cold),
 * or a table of jumps (.plt). A return probe overwrites the word on top of the stack: if that is no
 * return address, the program crashes.
 *
 * Idea: the entry's first row says where the return address is when its code begins. A call leaves
 * CFA = sp + 8 with the return address below it, and nothing else does. The program's start
 * (_start) is never called. Whether the code looks like a function's start is checked where the
 * code is read (probe/probe_verdict.h).
 *
 * Source: perf-probe(1), absolute addresses.
 */

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

/* Returns whether the query names a function by address: "0x..." or, if @by_row, "fn_...". */
static bool point_entries_are_meant(const struct point_query *query, bool by_row)
{
	uint64_t ignored;

	return find_address(query, by_row, &ignored);
}

/* Returns whether @row is that of code which was just called: nothing is on the stack but what the
 * call puts there, the return address on x86-64. */
static bool is_after_call(const struct unwind_row *row)
{
	return ((row->kind == UNWIND_SP && row->cfa == 1) ||
		(row->kind == UNWIND_ARM_SP && row->cfa == 0)) && !row->bp && !row->bx;
}

static bool is_called(struct entry_search *search, const struct frame_entry *entry)
{
	struct cfi_rows rows = { .rows = NULL };
	bool is_so = false;

	if (!search->program.machine || search->job->dso.elf.is_32_bit ||
	    entry->vaddr == search->job->dso.elf.header.e_entry)
		return false;
	if (!cfi_program_run(&search->program, entry, &rows) && rows.count)
		is_so = is_after_call(&rows.rows[0]);
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
	struct point_site *site;

	if (err)
		return err;
	add_point(job, search->vaddr);
	if (!rows->header.site_count)
		return refuse(job, search);
	site = &rows->sites[rows->header.site_count - 1];
	site->begin = search->offset;
	site->address = search->vaddr;
	site->bytes = search->bytes;
	site->start = search->is_called ? POINT_START_CALLED : POINT_START_UNCALLED;
	return 0;
}

/* Adds the function that, by an unwind entry, begins at that address. Returns 0; -ENOENT: none
 * begins there, the reason says what is there; -EINVAL: query->offset is outside the function. */
static int point_entries_add(struct point_job *job)
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
	search.program.machine = cfi_machine_find(job->dso.elf.header.e_machine);
	frame_entries_walk(&job->dso.elf, job->debug.elf.elf ? &job->debug.elf : NULL, look_at,
			   &search);
	return search.is_found && !symbol ? add_entry(job, &search) : refuse(job, &search);
}

#define NEAR_NAME_BYTES 64	/* longer names are not suggested */

static int read_query(struct point_query *query, int fd, struct diag *why)
{
	if (whole_pread(fd, query, sizeof(*query), 0) != (ssize_t)sizeof(*query) ||
	    query->argument_count > POINT_ARGUMENTS_MAX ||
	    query->functions_max > POINT_FUNCTIONS_MAX || query->line_count > POINT_LINES_MAX)
		return diag_set(why, -EINVAL, "no question about sites");
	return 0;
}

static int open_kernel(struct point_job *job, const int *inputs, uint32_t input_count)
{
	uint64_t memory_bytes = job->query->memory_bytes;
	struct kernel_layout layout;
	int err = input_count < 3 ? diag_set(job->why, -EINVAL, "a file is missing")
				  : kernel_layout_load(&layout, inputs[2], job->why);

	job->source = &job->dso;
	if (memory_bytes > POINT_MEMORY_MAX)
		memory_bytes = POINT_MEMORY_MAX;
	if (!err)
		err = kernel_file_open(&job->dso, inputs[0], DWARF_LOCATIONS, &layout,
				       memory_bytes, &job->slide, job->why);
	return err;
}

static int open_files(struct point_job *job, const int *inputs, uint32_t input_count)
{
	const struct point_query *query = job->query;
	uint32_t next = 2;
	int err;

	if (query->is_of_kernel)
		return open_kernel(job, inputs, input_count);
	if (input_count < 2u + query->has_debug + query->has_alternate)
		return diag_set(job->why, -EINVAL, "a file is missing");
	err = dwarf_file_open_with(&job->dso, inputs[0], DWARF_LOCATIONS, job->why);
	if (!err)
		err = elf_file_read_segments(&job->dso.elf, job->why);
	if (err)
		return err;
	if (query->has_debug) {
		const int fd = inputs[next++];

		/* A damaged debug file, or that of another file, is ignored. */
		if (!dwarf_file_open_with(&job->debug, fd, DWARF_LOCATIONS, NULL) &&
		    !elf_debug_file_belongs(&job->dso.elf, &job->debug.elf, fd))
			dwarf_file_close(&job->debug);
	}
	job->source = job->debug.debug_bytes ? &job->debug : &job->dso;
	if (query->has_alternate &&
	    !dwarf_file_open_with(&job->alternate, inputs[next], DWARF_LOCATIONS, NULL)) {
		const struct build_id id = elf_file_build_id(&job->alternate.elf);

		if (!build_id_is_equal(&id, &job->source->alternate))
			dwarf_file_close(&job->alternate);
	}
	return 0;
}

static bool has_section(const struct point_job *job, const char *name)
{
	return elf_file_section(&job->dso.elf, name) != NULL;
}

static void fill_header(struct point_job *job)
{
	struct point_header *header = &job->rows.header;
	struct elf_debug_link link = elf_debug_link_read(&job->dso.elf);

	header->build_id = elf_file_build_id(&job->dso.elf);
	header->machine = (uint8_t)point_job_machine(job);
	header->debug_link_crc = link.crc;
	if (link.name.bytes && link.name.bytes < sizeof(header->debug_link))
		memcpy(header->debug_link, link.name.text, link.name.bytes);
	if (has_section(job, ".gopclntab") || has_section(job, ".note.go.buildid"))
		header->flags |= POINT_IS_GO;
	if (has_section(job, ".gcc_except_table"))
		header->flags |= POINT_HAS_EXCEPTIONS;
	if (job->symbols.is_split_stack)
		header->flags |= POINT_IS_SPLIT_STACK;
	if (job->symbols.has_symtab)
		header->flags |= POINT_HAS_SYMTAB;
	if (job->dso.elf.is_32_bit)
		header->flags |= POINT_IS_32_BIT;
}

static int not_declared(const struct point_job *job)
{
	return diag_set(job->why, -ENOENT, "no function '%s' that %s declares in its debug "
			"information", job->query->function, job->query->declared_in);
}

static int not_found(struct point_job *job)
{
	const struct point_query *query = job->query;
	struct near_name near;
	char name[NEAR_NAME_BYTES], nearest[NEAR_NAME_BYTES] = "";

	near_name_start(&near, query->function);
	for (size_t i = 0; i < job->symbols.count; i++) {
		const struct flat_name *known = &job->symbols.list[i].name;

		if (known->bytes >= sizeof(name))
			continue;
		memcpy(name, known->text, known->bytes);
		name[known->bytes] = '\0';
		near_name_try(&near, name);
		if (near.nearest == name) {
			memcpy(nearest, name, sizeof(nearest));
			near.nearest = nearest;
		}
	}
	if (!job->symbols.count)
		return diag_set(job->why, -ENOENT, "it has no symbols: install its debug symbols");
	if (query->is_wildcard)
		return diag_set(job->why, -ENOENT, "no function matches '%s'", query->function);
	return diag_set(job->why, -ENOENT, nearest[0] ? "no function '%s'; did you mean '%s'?" :
			"no function '%s'", query->function, nearest);
}

static bool is_match(const struct point_job *job, const struct point_symbol *symbol, bool demangles)
{
	return point_name_matches(job->query->function, job->query->is_wildcard, demangles,
				  symbol->name.text, symbol->name.bytes);
}

static void add_at(struct point_job *job, uint64_t entry, uint64_t vaddr)
{
	struct point_scope scope;
	const bool is_known = point_scopes_at(job, vaddr, &scope);

	/* An inlined copy may begin where the function does: the name means the function. */
	if (is_known)
		point_scopes_leave_inlined(&scope);
	point_values_add_point(job, is_known ? &scope : NULL, entry, vaddr);
}

static void add_scope(struct point_job *job, const struct point_scope *scope, void *context)
{
	bool *has_function = context;
	const char *name = job->query->function;

	if (!*has_function)
		point_rows_add_function(&job->rows, name, strlen(name));
	*has_function = true;
	point_values_add_point(job, scope, scope->entry, scope->entry + job->query->offset);
}

/* Adds one function for all symbols with the name, or one per address that a wildcard matches.
 * Returns the number of matches, or -errno. */
static int add_symbols(struct point_job *job, bool demangles)
{
	const struct point_query *query = job->query;
	uint64_t before = UINT64_MAX;
	uint32_t matches = 0, late = 0;

	for (size_t i = 0; i < job->symbols.count; i++) {
		const struct point_symbol *symbol = &job->symbols.list[i];

		if (symbol->vaddr == before || !is_match(job, symbol, demangles))
			continue;
		if (symbol->is_chosen_late) {
			late++;
			continue;
		}
		before = symbol->vaddr;
		matches++;
		if (query->is_wildcard && matches > query->functions_max)
			continue;
		if (query->is_wildcard)
			point_rows_add_function(&job->rows, symbol->name.text, symbol->name.bytes);
		else if (matches == 1)
			point_rows_add_function(&job->rows, query->function,
						strlen(query->function));
		if (symbol->bytes && query->offset >= symbol->bytes)
			return diag_set(job->why, -EINVAL, "'%s' has %llu bytes of code, %llu is "
					"outside", query->function,
					(unsigned long long)symbol->bytes,
					(unsigned long long)query->offset);
		add_at(job, symbol->vaddr, symbol->vaddr + query->offset);
	}
	if (matches > query->functions_max && query->is_wildcard)
		return diag_set(job->why, -E2BIG, "%u functions match '%s', at most %u can be "
				"probed at once: each takes 90 ms to remove", matches,
				query->function, query->functions_max);
	if (!matches && late)
		return diag_set(job->why, -ENOENT, "'%s' is one of several variants, chosen for "
				"the CPU when the program starts: probe the variant (__%s_...)",
				query->function, query->function);
	return (int)matches;
}

/* Searches the symbols, then the debug information for inlined copies, then the unwind entries. */
static int find_functions(struct point_job *job)
{
	bool has_function;
	int found;

	if (point_entries_are_meant(job->query, false))
		return point_entries_add(job);
	if (job->query->declared_in[0] && !job->dwarf)
		return diag_set(job->why, -ENODATA, "no debug information, so source files are "
				"unknown: install its debug symbols");
	found = job->query->declared_in[0] ? 0 : add_symbols(job, false);
	if (!found && !job->query->declared_in[0])
		found = add_symbols(job, true);
	if (found < 0)
		return found;
	has_function = found > 0;
	if (!job->query->is_wildcard)
		point_scopes_named(job, add_scope, &has_function);
	if (!has_function && job->query->declared_in[0])
		return not_declared(job);
	if (!has_function && point_entries_are_meant(job->query, true))
		return point_entries_add(job);
	return has_function ? 0 : not_found(job);
}

static int find(struct point_job *job)
{
	if (point_scopes_open(job))
		return 0;	/* the reply asks for dwz's file */
	if (job->query->request == POINT_REQUEST_SOURCE)
		return point_lines_source(job);
	return job->query->line || job->query->line_count ? point_lines_find(job)
							  : find_functions(job);
}

static void close_files(struct point_job *job)
{
	point_scopes_close(job);
	point_rows_destroy(&job->rows);
	point_symbols_finish(&job->symbols);
	dwarf_file_close(&job->dso);
	dwarf_file_close(&job->debug);
	dwarf_file_close(&job->alternate);
}

int point_job_run(const int *inputs, uint32_t input_count, void **bytes, size_t *bytes_count,
		  struct diag *why)
{
	struct point_query query;
	struct point_job job = { .query = &query, .why = why };
	int err = input_count < 2 ? -EINVAL : read_query(&query, inputs[1], why);

	*bytes = NULL;
	if (!err)
		err = open_files(&job, inputs, input_count);
	if (!err && query.request != POINT_REQUEST_LINKS)
		err = point_symbols_read(&job.symbols, &job.dso.elf, &job.debug.elf, why);
	if (!err && point_rows_create(&job.rows))
		err = diag_set(why, -ENOMEM, "no memory for the sites of a probe");
	if (!err) {
		fill_header(&job);
		err = query.request == POINT_REQUEST_LINKS ? 0 : find(&job);
	}
	if (!err && !query.is_of_kernel)
		point_code_describe(&job);
	if (!err)
		err = point_rows_finish(&job.rows, bytes, bytes_count, why);
	close_files(&job);
	return err;
}
