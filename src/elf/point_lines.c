/* point_lines.c - see point_lines.h. Everything here parses untrusted bytes.
 *
 * A line can have many rows in the line table: several views of one address, parts of an unrolled
 * loop, copies in other functions. One point per function and per inlined copy, at the lowest
 * address, is what people mean by "when it comes to that line".
 */
#include "point_lines.h"

#include <errno.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "point_values.h"

#define CANDIDATES_MAX 1024
#define RANGES_MAX     256	/* functions and inlined copies with one name */

struct candidate {
	uint64_t vaddr;
	Dwarf_Off scope;	/* DIE offset of the innermost inlined copy or function */
	struct point_scope at;
};

struct lines {
	struct point_job *job;
	const char *source;	/* "": not known yet, set by the first of `functions` */
	int line;
	int next_line;		/* first line after `line` that has code; 0: none */
	Dwarf_Die functions[RANGES_MAX];	/* for FUNC:LINE: those with that name */
	uint32_t function_count;
	struct candidate *list;
	uint32_t count;
};

static bool is_source(const char *path, const char *wanted)
{
	size_t have = path ? strlen(path) : 0, want = strlen(wanted);

	if (have < want || !want)
		return false;
	return strcmp(path + have - want, wanted) == 0 &&
	       (have == want || path[have - want - 1] == '/' || wanted[0] == '/');
}

static bool is_in_functions(struct lines *lines, uint64_t vaddr)
{
	if (!lines->job->query->function[0])
		return true;
	for (uint32_t i = 0; i < lines->function_count; i++)
		if (dwarf_haspc(&lines->functions[i], vaddr) == 1)
			return true;
	return false;
}

static void keep(struct lines *lines, uint64_t vaddr)
{
	struct candidate *candidate = &lines->list[lines->count];
	Dwarf_Off scope;

	if (lines->count == CANDIDATES_MAX || !point_scopes_at(lines->job, vaddr, &candidate->at))
		return;
	scope = dwarf_dieoffset(&candidate->at.inner);
	for (uint32_t i = 0; i < lines->count; i++) {
		if (lines->list[i].scope != scope)
			continue;
		if (vaddr < lines->list[i].vaddr)
			lines->list[i].vaddr = vaddr;
		return;
	}
	candidate->vaddr = vaddr;
	candidate->scope = scope;
	lines->count++;
}

static void look_at_row(struct lines *lines, Dwarf_Line *row)
{
	bool is_statement = false, is_end = false;
	Dwarf_Addr vaddr;
	int number;

	if (dwarf_lineno(row, &number) || number < lines->line ||
	    dwarf_linebeginstatement(row, &is_statement) || !is_statement ||
	    dwarf_lineendsequence(row, &is_end) || is_end || dwarf_lineaddr(row, &vaddr) ||
	    !is_source(dwarf_linesrc(row, NULL, NULL), lines->source) ||
	    !is_in_functions(lines, vaddr))
		return;
	if (number == lines->line)
		keep(lines, vaddr);
	else if (!lines->next_line || number < lines->next_line)
		lines->next_line = number;
}

static bool look_at_unit(struct point_job *job, Dwarf_Die *unit, void *context)
{
	struct lines *lines = context;
	Dwarf_Lines *rows;
	size_t count;

	(void)job;
	if (dwarf_getsrclines(unit, &rows, &count))
		return true;
	for (size_t i = 0; i < count; i++)
		look_at_row(lines, dwarf_onesrcline(rows, i));
	return true;
}

/* Replaces dwarf_decl_file(), for which file number 0 means "none": clang's files begin with 0. */
static const char *source_of(Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Files *files;
	Dwarf_Die unit;
	size_t count;

	if (!dwarf_attr_integrate(function, DW_AT_decl_file, &attribute) ||
	    dwarf_formudata(&attribute, &number) ||
	    !dwarf_cu_die(attribute.cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    dwarf_getsrcfiles(&unit, &files, &count) || number >= count)
		return NULL;
	return dwarf_filesrc(files, number, NULL, NULL);
}

static void take_function(struct point_job *job, const struct point_scope *scope, void *context)
{
	struct lines *lines = context;
	Dwarf_Die inner = scope->inner, origin = inner;
	Dwarf_Attribute attribute;
	const char *source;
	int line;

	(void)job;
	if (lines->function_count == RANGES_MAX)
		return;
	if (dwarf_attr(&inner, DW_AT_abstract_origin, &attribute))
		dwarf_formref_die(&attribute, &origin);
	source = source_of(&origin);
	if (!source || dwarf_decl_line(&origin, &line))
		return;
	/* If functions in different files have the name, the first one's file is meant. */
	if (!lines->source[0]) {
		lines->source = source;
		lines->line += line;
	}
	if (strcmp(lines->source, source) == 0)
		lines->functions[lines->function_count++] = inner;
}

static int by_vaddr(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return (x->vaddr > y->vaddr) - (x->vaddr < y->vaddr);
}

static int not_found(const struct lines *lines)
{
	const struct point_query *query = lines->job->query;

	if (query->function[0] && !lines->function_count)
		return diag_set(lines->job->why, -ENOENT, "no function '%s' in its debug "
				"information", query->function);
	if (lines->next_line)
		return diag_set(lines->job->why, -ENOENT, "line %u of %s has no code; the next "
				"that has is %d", query->line, query->function[0] ? query->function
				: query->source, lines->next_line - (query->function[0]
				? lines->line - (int)query->line : 0));
	return diag_set(lines->job->why, -ENOENT, "no code at line %u of %s", query->line,
			query->function[0] ? query->function : query->source);
}

static void add_points(struct lines *lines)
{
	const struct point_query *query = lines->job->query;
	Dwarf_Die function = lines->list[0].at.function;
	const char *name = query->function[0] ? query->function : dwarf_diename(&function);

	if (!name)
		name = query->source;
	point_rows_add_function(&lines->job->rows, name, strlen(name));
	for (uint32_t i = 0; i < lines->count; i++)
		point_values_add_point(lines->job, &lines->list[i].at, lines->list[i].at.entry,
				       lines->list[i].vaddr);
}

int point_lines_find(struct point_job *job)
{
	const struct point_query *query = job->query;
	struct lines *lines;
	int err = 0;

	if (!job->dwarf)
		return diag_set(job->why, -ENODATA, "no debug information, so lines are unknown: "
				"install its debug symbols, or name a function");
	lines = calloc(1, sizeof(*lines));
	if (lines)
		lines->list = calloc(CANDIDATES_MAX + 1, sizeof(*lines->list));
	if (!lines || !lines->list) {
		free(lines);
		return diag_set(job->why, -ENOMEM, "no memory for source lines");
	}
	lines->job = job;
	lines->source = query->source;
	lines->line = (int)query->line;
	if (query->function[0])
		point_scopes_named(job, take_function, lines);
	if (!query->function[0] || lines->function_count)
		point_scopes_units(job, look_at_unit, lines);
	if (lines->count) {
		qsort(lines->list, lines->count, sizeof(*lines->list), by_vaddr);
		add_points(lines);
	} else {
		err = not_found(lines);
	}
	free(lines->list);
	free(lines);
	return err;
}
