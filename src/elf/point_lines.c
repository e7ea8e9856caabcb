/* point_lines.c - see point_lines.h. Everything here parses untrusted bytes.
 *
 * A line can have many rows in the line table: several views of one address, parts of an unrolled
 * loop, copies in other functions. One site per function and per inlined copy, at the lowest
 * address, is what people mean by "when it comes to that line".
 *
 * A line that calls what is inlined there may have no row before the callee's, or none at all: it
 * begins where the copy does.
 *
 * Problem: libdw keeps each line table that it has read; those of a kernel take 200 MB.
 * Idea:    they are read through a second handle on the same file, which is ended every now and
 *          then. A line that counts from a function's first is looked for in the units that have
 *          the function or a copy of it.
 *
 * The line of a function's declaration means its entry, also if it has no row: perf-probe(1) takes
 * it, too.
 *
 * Lines that were found by their text (query->lines) are those of the function alone: a line of
 * another one that is inlined there was not meant, even if its text matches.
 */
#include "point_lines.h"

#include <errno.h>
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf_index.h"
#include "point_values.h"

#define CANDIDATES_MAX 1024
#define RANGES_MAX     256	/* functions and inlined copies with one name */
#define SOURCE_BYTES   1024	/* longer paths are not compared */
#define DEPTH_MAX      64	/* nested copies and blocks: damaged files may have cycles */
#define UNITS_AT_ONCE  64	/* line tables in memory: 0.1 MB each in a kernel */

struct candidate {
	uint64_t vaddr;
	int line;
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
	Dwarf *tables;		/* owned: the handle for line tables; NULL: none yet */
	uint32_t table_count;	/* units whose table was read through it */
	Dwarf_Die unit;		/* the unit looked at, and its files, BORROWED from `tables` */
	Dwarf_Files *files;
	size_t file_count;
};

static bool is_in_functions(struct lines *lines, uint64_t vaddr)
{
	if (!lines->job->query->function[0])
		return true;
	for (uint32_t i = 0; i < lines->function_count; i++)
		if (dwarf_haspc(&lines->functions[i], vaddr) == 1)
			return true;
	return false;
}

static bool is_function(struct lines *lines, Dwarf_Off scope)
{
	for (uint32_t i = 0; i < lines->function_count; i++)
		if (dwarf_dieoffset(&lines->functions[i]) == scope)
			return true;
	return false;
}

static void keep(struct lines *lines, uint64_t vaddr, int line)
{
	const struct point_query *query = lines->job->query;
	struct candidate *candidate = &lines->list[lines->count];
	Dwarf_Off scope;

	if (lines->count == CANDIDATES_MAX ||
	    !point_scopes_at_line(lines->job, vaddr, lines->source, line, &candidate->at))
		return;
	scope = dwarf_dieoffset(&candidate->at.inner);
	if (query->line_count && query->function[0] && !is_function(lines, scope))
		return;
	for (uint32_t i = 0; i < lines->count; i++) {
		if (lines->list[i].scope != scope || lines->list[i].line != line)
			continue;
		if (vaddr < lines->list[i].vaddr)
			lines->list[i].vaddr = vaddr;
		return;
	}
	candidate->vaddr = vaddr;
	candidate->line = line;
	candidate->scope = scope;
	lines->count++;
}

static bool is_wanted(const struct lines *lines, int number)
{
	const struct point_query *query = lines->job->query;

	for (uint32_t i = 0; i < query->line_count; i++)
		if (query->lines[i] == (uint32_t)number)
			return true;
	return !query->line_count && number == lines->line;
}

static void look_at_row(struct lines *lines, Dwarf_Line *row)
{
	bool is_statement = false, is_end = false;
	Dwarf_Addr vaddr;
	int number;

	if (dwarf_lineno(row, &number) || number < lines->line ||
	    (lines->job->query->line_count && !is_wanted(lines, number)) ||
	    dwarf_linebeginstatement(row, &is_statement) || !is_statement ||
	    dwarf_lineendsequence(row, &is_end) || is_end || dwarf_lineaddr(row, &vaddr) ||
	    !dwarf_path_ends(dwarf_linesrc(row, NULL, NULL), lines->source) ||
	    !is_in_functions(lines, vaddr) || !dwarf_unit_has(&lines->unit, vaddr))
		return;
	if (is_wanted(lines, number))
		keep(lines, vaddr, number);
	else if (!lines->next_line || number < lines->next_line)
		lines->next_line = number;
}

static bool begin_tables(struct lines *lines)
{
	if (lines->tables && lines->table_count < UNITS_AT_ONCE)
		return true;
	dwarf_end(lines->tables);
	lines->table_count = 0;
	lines->tables = dwarf_begin_elf(lines->job->source->elf.elf, DWARF_C_READ, NULL);
	if (lines->tables && lines->job->alternate.dwarf)
		dwarf_setalt(lines->tables, lines->job->alternate.dwarf);
	return lines->tables != NULL;
}

static bool has_functions(const struct lines *lines, Dwarf_Die *unit)
{
	const Dwarf_Off offset = dwarf_dieoffset(unit);
	Dwarf_Die function, other;

	if (!lines->job->query->function[0])
		return true;
	for (uint32_t i = 0; i < lines->function_count; i++) {
		function = lines->functions[i];
		if (dwarf_diecu(&function, &other, NULL, NULL) &&
		    dwarf_dieoffset(&other) == offset)
			return true;
	}
	return false;
}

static bool is_call_in_source(const struct lines *lines, Dwarf_Die *copy)
{
	Dwarf_Attribute attribute;
	Dwarf_Word file;

	return dwarf_attr(copy, DW_AT_call_file, &attribute) &&
	       !dwarf_formudata(&attribute, &file) && file < lines->file_count &&
	       dwarf_path_ends(dwarf_filesrc(lines->files, file, NULL, NULL), lines->source);
}

static void look_at_call(struct lines *lines, Dwarf_Die *copy)
{
	Dwarf_Attribute attribute;
	Dwarf_Word line;
	uint64_t entry;

	if (dwarf_attr(copy, DW_AT_call_line, &attribute) && !dwarf_formudata(&attribute, &line) &&
	    line <= INT32_MAX && is_wanted(lines, (int)line) && is_call_in_source(lines, copy) &&
	    point_scopes_entry(copy, &entry))
		keep(lines, entry, (int)line);
}

static void look_at_calls(struct lines *lines, Dwarf_Die *scope, int depth)
{
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(scope, &child) != 0)
		return;
	do {
		const int tag = dwarf_tag(&child);

		if (tag == DW_TAG_inlined_subroutine)
			look_at_call(lines, &child);
		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
			look_at_calls(lines, &child, depth + 1);
	} while (dwarf_siblingof(&child, &child) == 0);
}

static int look_at_function(Dwarf_Die *function, void *context)
{
	look_at_calls(context, function, 0);
	return DWARF_CB_OK;
}

/* Looks at the calls of the functions that were named, or of all of a unit with the source file. */
static void look_at_calls_of_unit(struct lines *lines, Dwarf_Die *unit)
{
	const Dwarf_Off offset = dwarf_dieoffset(unit);
	bool has_source = false;
	Dwarf_Die function, own;

	for (uint32_t i = 0; i < lines->function_count; i++) {
		function = lines->functions[i];
		if (dwarf_diecu(&function, &own, NULL, NULL) && dwarf_dieoffset(&own) == offset)
			look_at_calls(lines, &function, 0);
	}
	for (size_t i = 0; i < lines->file_count && !has_source; i++)
		has_source = dwarf_path_ends(dwarf_filesrc(lines->files, i, NULL, NULL),
					     lines->source);
	if (!lines->job->query->function[0] && has_source)
		dwarf_getfuncs(unit, look_at_function, lines, 0);
}

static bool look_at_unit(struct point_job *job, Dwarf_Die *unit, void *context)
{
	struct lines *lines = context;
	Dwarf_Lines *rows;
	Dwarf_Die same;
	size_t count;

	(void)job;
	if (!has_functions(lines, unit))
		return true;
	if (!begin_tables(lines) ||
	    !dwarf_offdie(lines->tables, dwarf_dieoffset(unit), &same))
		return false;
	lines->table_count++;
	lines->unit = *unit;
	if (dwarf_getsrclines(&same, &rows, &count))
		return true;
	for (size_t i = 0; i < count; i++)
		look_at_row(lines, dwarf_onesrcline(rows, i));
	if (!dwarf_getsrcfiles(&same, &lines->files, &lines->file_count))
		look_at_calls_of_unit(lines, unit);
	return true;
}

/* Keeps the entry of a function that is declared at such a line. */
static int look_at_declaration(Dwarf_Die *function, void *context)
{
	struct lines *lines = context;
	struct dwarf_place place;
	uint64_t entry;

	dwarf_declared_place(function, &place);
	if (!is_wanted(lines, (int)place.line) || !dwarf_path_ends(place.file, lines->source))
		return DWARF_CB_OK;
	entry = dwarf_entry_address(function);
	if (entry && is_in_functions(lines, entry))
		keep(lines, entry, (int)place.line);
	return DWARF_CB_OK;
}

static bool look_at_declarations(struct point_job *job, Dwarf_Die *unit, void *context)
{
	(void)job;
	if (has_functions(context, unit))
		dwarf_getfuncs(unit, look_at_declaration, context, 0);
	return true;
}

static void take_function(struct point_job *job, const struct point_scope *scope, void *context)
{
	struct lines *lines = context;
	Dwarf_Die inner = scope->inner, origin = inner;
	Dwarf_Attribute attribute;
	struct dwarf_place place;

	(void)job;
	if (lines->function_count == RANGES_MAX)
		return;
	if (dwarf_attr(&inner, DW_AT_abstract_origin, &attribute))
		dwarf_formref_die(&attribute, &origin);
	dwarf_declared_place(&origin, &place);
	if (!place.file || !place.line)
		return;
	/* If functions in different files have the name, the first one's file is meant. */
	if (!lines->source[0]) {
		lines->source = place.file;
		lines->line += (int)place.line;
	}
	if (strcmp(lines->source, place.file) == 0)
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

	if (query->function[0] && !lines->function_count && query->declared_in[0])
		return diag_set(lines->job->why, -ENOENT, "no function '%s' that %s declares in "
				"its debug information", query->function, query->declared_in);

	if (query->function[0] && !lines->function_count)
		return diag_set(lines->job->why, -ENOENT, "no function '%s' in its debug "
				"information", query->function);
	if (query->line_count)
		return diag_set(lines->job->why, -ENOENT, "no code at %s that match in %s",
				query->line_count > 1 ? "the lines" : "the line",
				query->function[0] ? query->function : query->source);
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

static int refuse_without_debug(struct point_job *job)
{
	return diag_set(job->why, -ENODATA, "no debug information, so lines are unknown: install "
			"its debug symbols, or name a function");
}

/* Takes the functions that have the name as a symbol only: a C library's printf is __printf in its
 * debug information. */
static void take_symbols(struct point_job *job, struct lines *lines)
{
	struct point_scope scope;

	for (size_t i = 0; i < job->symbols.count; i++) {
		const struct point_symbol *symbol = &job->symbols.list[i];

		if (!point_name_matches(job->query->function, false, false, symbol->name.text,
					symbol->name.bytes) ||
		    !point_scopes_at(job, symbol->vaddr, &scope))
			continue;
		point_scopes_leave_inlined(&scope);
		take_function(job, &scope, lines);
	}
}

static bool start(struct lines *lines, struct point_job *job)
{
	const struct point_query *query = job->query;

	*lines = (struct lines){ .job = job, .source = query->source, .line = (int)query->line };
	lines->list = calloc(CANDIDATES_MAX + 1, sizeof(*lines->list));
	if (!lines->list)
		return false;
	if (query->function[0])
		point_scopes_named(job, take_function, lines);
	if (query->function[0] && !query->declared_in[0] && !lines->function_count)
		take_symbols(job, lines);
	if (query->line_count)
		lines->line = 0;
	return true;
}

int point_lines_find(struct point_job *job)
{
	const struct point_query *query = job->query;
	struct lines *lines;
	int err = 0;

	if (!job->dwarf)
		return refuse_without_debug(job);
	lines = calloc(1, sizeof(*lines));
	if (!lines || !start(lines, job)) {
		free(lines);
		return diag_set(job->why, -ENOMEM, "no memory for source lines");
	}
	if (!query->function[0] || lines->function_count)
		point_scopes_units(job, look_at_unit, lines);
	if (!lines->count && lines->source[0])
		point_scopes_units(job, look_at_declarations, lines);
	if (lines->count) {
		qsort(lines->list, lines->count, sizeof(*lines->list), by_vaddr);
		add_points(lines);
	} else {
		err = not_found(lines);
	}
	dwarf_end(lines->tables);
	free(lines->list);
	free(lines);
	return err;
}

struct source_search {
	struct lines lines;
	char path[SOURCE_BYTES];	/* "": none found yet */
	char other[SOURCE_BYTES];	/* another path with the same end; "": there is none */
	uint32_t line;		/* first of the function; 0: unknown */
};

static void take_source(struct source_search *search, const char *path)
{
	const bool is_other = search->path[0] && path && strcmp(search->path, path) != 0;

	if (path && strlen(path) < SOURCE_BYTES && (is_other || !search->path[0]))
		strcpy(is_other ? search->other : search->path, path);
}

static void take_source_of(struct point_job *job, const struct point_scope *scope, void *context)
{
	struct source_search *search = context;
	Dwarf_Die inner = scope->inner, origin = inner;
	Dwarf_Attribute attribute;
	struct dwarf_place place;

	(void)job;
	if (search->path[0])
		return;		/* as for a line: the first one's file is meant */
	if (dwarf_attr(&inner, DW_AT_abstract_origin, &attribute))
		dwarf_formref_die(&attribute, &origin);
	dwarf_declared_place(&origin, &place);
	take_source(search, place.file);
	search->line = place.line;
}

static bool take_sources_of_unit(struct point_job *job, Dwarf_Die *unit, void *context)
{
	struct source_search *search = context;
	Dwarf_Files *files;
	Dwarf_Die same;
	size_t count;

	if (!begin_tables(&search->lines) ||
	    !dwarf_offdie(search->lines.tables, dwarf_dieoffset(unit), &same))
		return false;
	search->lines.table_count++;
	for (size_t i = 0; !dwarf_getsrcfiles(&same, &files, &count) && i < count; i++) {
		const char *path = dwarf_filesrc(files, i, NULL, NULL);

		if (dwarf_path_ends(path, job->query->source))
			take_source(search, path);
	}
	return true;
}

int point_lines_source(struct point_job *job)
{
	const struct point_query *query = job->query;
	const char *name = query->function[0] ? query->function : query->source;
	struct source_search search = { .lines.job = job };
	struct point_function *function;

	if (!job->dwarf)
		return refuse_without_debug(job);
	if (query->function[0])
		point_scopes_named(job, take_source_of, &search);
	else
		point_scopes_units(job, take_sources_of_unit, &search);
	dwarf_end(search.lines.tables);
	if (!search.path[0])
		return diag_set(job->why, -ENOENT, query->function[0]
				? "no function '%s' in its debug information"
				: "no source file '%s' in its debug information", name);
	if (search.other[0])
		return diag_set(job->why, -E2BIG, "'%s' is more than one source file: %s and %s; "
				"write more of the path", name, search.path, search.other);
	function = point_rows_add_function(&job->rows, name, strlen(name));
	if (!function)
		return diag_set(job->why, -ENOMEM, "no memory for a source file");
	function->file = point_rows_text(&job->rows, search.path);
	function->line = search.line;
	return 0;
}
