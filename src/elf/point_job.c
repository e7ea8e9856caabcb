/* point_job.c - see point_job.h. Everything here parses untrusted bytes.
 *
 * Names are looked up in the symbols first: all functions have one. Only debug information knows
 * inlined copies and lines. If it is missing, damaged or too large, the reply has what is known
 * without it, and the reason.
 */
#include "point_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/near_name.h"
#include "base/whole_io.h"
#include "elf_debug_file.h"
#include "point_entries.h"
#include "point_lines.h"
#include "point_values.h"

#define NEAR_NAME_BYTES 64	/* longer names are not suggested */

static int read_query(struct point_query *query, int fd, struct diag *why)
{
	if (whole_pread(fd, query, sizeof(*query), 0) != (ssize_t)sizeof(*query) ||
	    query->argument_count > POINT_ARGUMENTS_MAX ||
	    query->functions_max > POINT_FUNCTIONS_MAX)
		return diag_set(why, -EINVAL, "no question about places");
	return 0;
}

static int open_files(struct point_job *job, const int *inputs, uint32_t input_count)
{
	const struct point_query *query = job->query;
	uint32_t next = 2;
	int err;

	if (input_count < 2u + query->has_debug + query->has_alternate)
		return diag_set(job->why, -EINVAL, "a file is missing");
	err = dwarf_file_open_with(&job->object, inputs[0], DWARF_LOCATIONS, job->why);
	if (!err)
		err = elf_file_read_segments(&job->object.elf, job->why);
	if (err)
		return err;
	if (query->has_debug) {
		const int fd = inputs[next++];

		/* A damaged debug file, or that of another file, is ignored. */
		if (!dwarf_file_open_with(&job->debug, fd, DWARF_LOCATIONS, NULL) &&
		    !elf_debug_file_belongs(&job->object.elf, &job->debug.elf, fd))
			dwarf_file_close(&job->debug);
	}
	job->source = job->debug.debug_bytes ? &job->debug : &job->object;
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
	return elf_file_section(&job->object.elf, name) != NULL;
}

static void fill_header(struct point_job *job)
{
	struct point_header *header = &job->rows.header;
	struct elf_debug_link link = elf_debug_link_read(&job->object.elf);

	header->build_id = elf_file_build_id(&job->object.elf);
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
	if (job->object.elf.is_32_bit)
		header->flags |= POINT_IS_32_BIT;
}

bool point_job_offset(const struct point_job *job, uint64_t vaddr, uint64_t *offset)
{
	uint64_t left;

	if (job->query->is_of_kernel) {
		*offset = vaddr;
		return true;
	}
	return elf_file_find_code(&job->object.elf, vaddr, offset, &left);
}

struct point *point_job_add_point(struct point_job *job, uint64_t vaddr)
{
	const struct point_symbol *symbol = point_symbols_at(&job->symbols, vaddr);
	char name[POINT_NAME_BYTES] = "";
	struct point *point;
	uint64_t offset;

	if (!point_job_offset(job, vaddr, &offset))
		return NULL;
	point = point_rows_add_point(&job->rows);
	if (!point)
		return NULL;
	point->offset = point->begin = offset;
	if (!symbol)
		return point;
	point->begin = offset - (vaddr - symbol->vaddr);
	point->bytes = symbol->bytes;
	if (symbol->name.bytes < sizeof(name))
		memcpy(name, symbol->name.text, symbol->name.bytes);
	point->symbol = point_rows_text(&job->rows, name);
	return point;
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
	found = add_symbols(job, false);
	if (!found)
		found = add_symbols(job, true);
	if (found < 0)
		return found;
	has_function = found > 0;
	if (!job->query->is_wildcard)
		point_scopes_named(job, add_scope, &has_function);
	if (!has_function && point_entries_are_meant(job->query, true))
		return point_entries_add(job);
	return has_function ? 0 : not_found(job);
}

static int find(struct point_job *job)
{
	if (point_scopes_open(job))
		return 0;	/* the reply asks for dwz's file */
	return job->query->line ? point_lines_find(job) : find_functions(job);
}

static void close_files(struct point_job *job)
{
	point_scopes_close(job);
	point_rows_destroy(&job->rows);
	point_symbols_finish(&job->symbols);
	dwarf_file_close(&job->object);
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
	if (!err && !query.wants_links)
		err = point_symbols_read(&job.symbols, &job.object.elf, &job.debug.elf, why);
	if (!err && point_rows_create(&job.rows))
		err = diag_set(why, -ENOMEM, "no memory for the places of a probe");
	if (!err) {
		fill_header(&job);
		err = query.wants_links ? 0 : find(&job);
	}
	if (!err)
		err = point_rows_finish(&job.rows, bytes, bytes_count, why);
	close_files(&job);
	return err;
}
