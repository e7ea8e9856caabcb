/* line_ranges_build.c - see elf/file_jobs.h; the reply is drawn in sandbox/lines.h.
 * Everything here parses untrusted bytes.
 *
 * Idea: first the addresses that are wanted: ranges as given, those of the functions with a name,
 * or those of the rows of a source file. Then each range is walked: dwarf_index_find() says what is
 * at an address and up to where that is so. Borders of inlined copies and rows of the line table
 * thus become borders of ranges without being collected first.
 *
 * Which lines are marked follows perf: an address means its function's declaration if it is the
 * function's entry, else the first statement there. A line that only comes second at all of its
 * addresses is not marked: a probe on it would be shown, by its address, on another line.
 */
#include "elf/file_jobs.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/whole_io.h"
#include "dwarf_files.h"
#include "dwarf_index.h"
#include "line_rows.h"
#include "point_symbols.h"
#include "sandbox/lines.h"

#define WANTED_MAX	(1u << 20)
#define DEPTH_MAX	256	/* nested DIEs: damaged files may have cycles */
#define STATEMENTS_HERE 64	/* rows at one address; compilers write up to ten views */

struct stretch {
	uint64_t begin, end;	/* addresses */
};

struct job {
	struct line_query query;
	struct dwarf_files files;
	struct dwarf_index *index;	/* owned */
	struct stretch *wanted;		/* owned */
	uint32_t wanted_count, wanted_room;
	struct dwarf_place named;	/* where the function asked for is declared */
	bool is_named;			/* there is such a function, maybe without code */
	struct line_rows rows;
	uint64_t end_offset;	/* end of the last range: code that two segments map counts once */
	struct diag *why;
	int err;
};

static int out_of_memory(struct diag *why)
{
	return diag_set(why, -ENOMEM, "no memory for source lines");
}

static bool is_text(const char text[LINE_NAME_BYTES])
{
	return memchr(text, '\0', LINE_NAME_BYTES) != NULL;
}

static int read_query(struct job *job, const int *inputs, uint32_t input_count)
{
	struct line_query *query = &job->query;

	if (input_count < 2 ||
	    whole_pread(inputs[1], query, sizeof(*query), 0) != (ssize_t)sizeof(*query) ||
	    query->range_count > CODE_RANGES_MAX || !is_text(query->function) ||
	    !is_text(query->source) ||
	    (!query->range_count && !query->function[0] && !query->source[0]))
		return diag_set(job->why, -EINVAL, "no question about source lines");
	if (input_count < 2u + (query->has_debug != 0) + (query->has_alternate != 0))
		return diag_set(job->why, -EINVAL, "a file is missing");
	if (query->memory_bytes > DWARF_LINES_MEMORY_MAX)
		query->memory_bytes = DWARF_LINES_MEMORY_MAX;
	return 0;
}

static int open_files(struct job *job, const int *inputs)
{
	const int *next = inputs + 2;
	const int debug = job->query.has_debug ? *next++ : -1;
	const int alternate = job->query.has_alternate ? *next : -1;
	int err = job->query.is_of_kernel
		? dwarf_files_open_kernel(&job->files, inputs[0], debug, job->query.memory_bytes,
					  job->why)
		: dwarf_files_open(&job->files, inputs[0], debug, alternate, job->why);

	return err ? err : dwarf_files_check_cost(&job->files, job->query.memory_bytes, job->why);
}

static int read_files(struct job *job)
{
	int err = dwarf_files_read(&job->files, job->why);

	if (err)
		return err;
	job->index = dwarf_index_create(&job->files, job->query.memory_bytes, job->why);
	job->rows.index = job->index;
	return job->index ? 0 : out_of_memory(job->why);
}

static void want(struct job *job, uint64_t begin, uint64_t end)
{
	if (job->err || begin >= end)
		return;
	if (job->wanted_count == job->wanted_room) {
		const uint32_t room = job->wanted_room ? 2 * job->wanted_room : 64;
		struct stretch *bigger =
			room > WANTED_MAX ? NULL : realloc(job->wanted, room * sizeof(*bigger));

		if (!bigger) {
			job->err = room > WANTED_MAX
				? diag_set(job->why, -E2BIG, "its code is in more than %u pieces",
					   WANTED_MAX)
				: out_of_memory(job->why);
			return;
		}
		job->wanted = bigger;
		job->wanted_room = room;
	}
	job->wanted[job->wanted_count++] = (struct stretch){ begin, end };
}

/* Adds the parts of the queried range that are in the file's code. */
static void want_range(struct job *job, uint64_t begin, uint64_t end)
{
	const struct elf_file *elf = &job->files.dso.elf;

	if (job->query.is_of_kernel) {
		want(job, begin - job->files.slide, end - job->files.slide);
		return;
	}
	for (size_t i = 0; i < elf->segment_count; i++) {
		const struct elf_segment *segment = &elf->segments[i];
		const uint64_t segment_end = segment->offset + segment->bytes;
		const uint64_t from = begin > segment->offset ? begin : segment->offset;
		const uint64_t to = end < segment_end ? end : segment_end;

		if (segment->is_code && from < to)
			want(job, segment->vaddr + (from - segment->offset),
			     segment->vaddr + (to - segment->offset));
	}
}

typedef void unit_visit(struct job *job, Dwarf_Die *unit);

static void visit_units(struct job *job, unit_visit *visit)
{
	Dwarf *const dwarf = job->files.source->dwarf;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;

	while (!job->err && dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL) == 0)
		if (type != DW_UT_type && type != DW_UT_split_type)
			visit(job, &unit);
}

static void want_code_of(struct job *job, Dwarf_Die *die)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while (!job->err && (at = dwarf_ranges(die, at, &base, &begin, &end)) > 0)
		if (begin)	/* else the linker has discarded it */
			want(job, begin, end);
}

static int want_copy(Dwarf_Die *copy, void *context)
{
	want_code_of(context, copy);
	return DWARF_CB_OK;
}

static bool is_same_place(const struct dwarf_place *a, const struct dwarf_place *b)
{
	return a->line == b->line && !strcmp(a->file, b->file);
}

static int look_at_function(Dwarf_Die *function, void *context)
{
	struct job *job = context;
	const uint32_t before = job->wanted_count;
	struct dwarf_place place;

	if (dwarf_hasattr(function, DW_AT_declaration) ||
	    !dwarf_is_named(function, job->query.function))
		return DWARF_CB_OK;
	job->is_named = true;
	job->err = dwarf_index_declared(job->index, function, &place);
	if (job->err)
		return DWARF_CB_ABORT;
	if (!place.file || !place.line ||
	    (job->query.source[0] && !dwarf_path_ends(place.file, job->query.source)) ||
	    (job->named.file && !is_same_place(&job->named, &place)))
		return DWARF_CB_OK;
	want_code_of(job, function);
	if (dwarf_func_inline(function))
		dwarf_func_inline_instances(function, want_copy, job);
	if (job->wanted_count > before)
		job->named = place;
	return job->err ? DWARF_CB_ABORT : DWARF_CB_OK;
}

static void look_at_functions(struct job *job, Dwarf_Die *unit)
{
	dwarf_getfuncs(unit, look_at_function, job, 0);
}

/* Adds the code of @symbol, if the debug information has a function there. */
static void want_symbol(struct job *job, const struct point_symbol *symbol)
{
	struct dwarf_frame frames[LINE_DEPTH_MAX];
	const int count = dwarf_index_find(job->index, symbol->vaddr, frames, LINE_DEPTH_MAX, NULL);
	const struct dwarf_place *place = count > 0 ? &frames[count - 1].declared : NULL;

	if (count < 0)
		job->err = count;
	if (!place || !place->file || !place->line ||
	    (job->query.source[0] && !dwarf_path_ends(place->file, job->query.source)) ||
	    (job->named.file && !is_same_place(&job->named, place)))
		return;
	job->named = *place;
	want(job, symbol->vaddr, symbol->vaddr + (symbol->bytes ? symbol->bytes : 1));
}

/* Looks for a function by its symbols: those of a C library have other names there. */
static void look_at_symbols(struct job *job)
{
	struct point_symbols symbols;

	job->err = point_symbols_read(&symbols, &job->files.dso.elf, &job->files.debug.elf,
				      job->why);
	for (size_t i = 0; i < symbols.count && !job->err; i++)
		if (point_name_matches(job->query.function, false, false, symbols.list[i].name.text,
				       symbols.list[i].name.bytes))
			want_symbol(job, &symbols.list[i]);
	point_symbols_finish(&symbols);
}

static bool row_address(Dwarf_Lines *rows, size_t row, Dwarf_Addr *address)
{
	return dwarf_lineaddr(dwarf_onesrcline(rows, row), address) == 0;
}

/* Adds what is between row @i and the next row with another address. */
static void want_row(struct job *job, Dwarf_Die *unit, Dwarf_Lines *rows, size_t i, size_t count)
{
	Dwarf_Addr begin, end;
	bool is_end;

	if (dwarf_lineendsequence(dwarf_onesrcline(rows, i), &is_end) || is_end ||
	    !row_address(rows, i, &begin) || !begin || !dwarf_unit_has(unit, begin))
		return;
	while (++i < count && row_address(rows, i, &end)) {
		if (end > begin) {
			want(job, begin, end);
			return;
		}
	}
}

/* Returns whether the attribute @name of @die is the number of a file that is asked for. */
static bool is_in_source(struct job *job, Dwarf_Die *unit, Dwarf_Die *die, unsigned int name)
{
	Dwarf_Attribute attribute;
	Dwarf_Files *files;
	Dwarf_Word number;
	size_t count;

	return !dwarf_formudata(dwarf_attr(die, name, &attribute), &number) &&
	       !dwarf_getsrcfiles(unit, &files, &count) && number < count &&
	       dwarf_path_ends(dwarf_filesrc(files, number, NULL, NULL), job->query.source);
}

/* Adds where functions that the source file declares begin, and copies of functions that it calls:
 * the row there may be in another file. */
static void want_entries(struct job *job, Dwarf_Die *unit, Dwarf_Die *parent, int depth)
{
	Dwarf_Die die;

	if (depth == DEPTH_MAX || dwarf_child(parent, &die))
		return;
	for (Dwarf_Off before = 0; !job->err && dwarf_dieoffset(&die) > before;) {
		const int tag = dwarf_tag(&die);
		const unsigned int name = tag == DW_TAG_inlined_subroutine ? DW_AT_call_file
				: tag == DW_TAG_subprogram ? DW_AT_decl_file : 0;

		if (name && is_in_source(job, unit, &die, name)) {
			const uint64_t entry = dwarf_entry_address(&die);

			if (entry)
				want(job, entry, entry + 1);
		}
		want_entries(job, unit, &die, depth + 1);
		before = dwarf_dieoffset(&die);
		if (dwarf_siblingof(&die, &die))
			return;
	}
}

static void look_at_rows(struct job *job, Dwarf_Die *unit)
{
	const char *source = job->query.source, *slash = strrchr(source, '/');
	Dwarf_Lines *rows;
	size_t count;
	int err;

	if (!dwarf_index_has_file(job->index, unit, slash ? slash + 1 : source))
		return;
	err = dwarf_index_lines(job->index, unit, &rows, &count);
	if (err && err != -ENODATA)
		job->err = err;
	for (size_t i = 0; i < count && !job->err; i++)
		if (dwarf_path_ends(dwarf_linesrc(dwarf_onesrcline(rows, i), NULL, NULL), source))
			want_row(job, unit, rows, i, count);
	if (!err)
		want_entries(job, unit, unit, 0);
}

static int by_begin(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return (x->begin > y->begin) - (x->begin < y->begin);
}

/* Sorts the wanted addresses and joins those that touch. */
static void join_wanted(struct job *job)
{
	uint32_t count = 0;

	if (job->wanted_count)
		qsort(job->wanted, job->wanted_count, sizeof(*job->wanted), by_begin);
	for (uint32_t i = 0; i < job->wanted_count; i++) {
		const struct stretch next = job->wanted[i];
		struct stretch *last = count ? &job->wanted[count - 1] : NULL;

		if (!last || next.begin > last->end)
			job->wanted[count++] = next;
		else if (next.end > last->end)
			last->end = next.end;
	}
	job->wanted_count = count;
}

static int collect(struct job *job)
{
	const struct line_query *query = &job->query;

	for (uint32_t i = 0; i < query->range_count; i++)
		want_range(job, query->ranges[i].begin, query->ranges[i].end);
	if (!query->range_count)
		visit_units(job, query->function[0] ? look_at_functions : look_at_rows);
	if (!query->range_count && query->function[0] && !job->is_named && !job->err)
		look_at_symbols(job);
	if (job->err == -ENOMEM)
		out_of_memory(job->why);
	if (job->err)
		return job->err;
	if (!query->range_count && !job->wanted_count && job->is_named && !query->source[0])
		return diag_set(job->why, -ENOENT, "no code of function '%s' is left: it was "
				"inlined, or is not used", query->function);
	if (!query->range_count && !job->wanted_count)
		return query->function[0]
			? diag_set(job->why, -ENOENT, "no function '%s' in its debug information",
				   query->function)
			: diag_set(job->why, -ENOENT, "no code of '%s' in its debug information",
				   query->source);
	join_wanted(job);
	return 0;
}

/* What is known of one address while it is walked. */
struct here {
	uint64_t address, offset;
	struct dwarf_frame frames[LINE_DEPTH_MAX];
	uint32_t count;
	struct dwarf_row statements[STATEMENTS_HERE];
	uint32_t statement_count, column;
	uint32_t meant_file, meant_line;	/* meaning of the address; line 0: none */
};

static void set_meaning(struct job *job, struct here *here)
{
	const struct dwarf_frame *function = &here->frames[here->count - 1];
	const struct dwarf_place *meant = NULL;

	if (function->entry == here->address && function->declared.file)
		meant = &function->declared;
	else if (here->statement_count)
		meant = &here->statements[0].place;
	here->meant_file = meant ? line_rows_file(&job->rows, meant) : UINT32_MAX;
	here->meant_line = meant ? meant->line : 0;
}

static void add_statement(struct job *job, const struct here *here, const struct dwarf_place *place,
			  uint32_t frame, uint32_t flags)
{
	const uint32_t file = line_rows_file(&job->rows, place);

	if (!place->line)
		return;
	if (!here->meant_line || (here->meant_line == place->line && here->meant_file == file))
		flags |= LINE_IS_MARKED;
	line_rows_add_statement(&job->rows, here->offset, file, place->line, frame, flags);
}

/* Returns which frame a row is in: compilers leave rows of the caller in the ranges of inlined
 * copies, most often that of the call. A line is in the function that is declared last before
 * it. */
static uint32_t frame_of(struct job *job, const struct here *here, const struct dwarf_place *place)
{
	const struct line_range_frame *frames = line_rows_last_frames(&job->rows);
	const uint32_t file = line_rows_file(&job->rows, place);
	uint32_t frame = 0, declared = 0;

	for (uint32_t i = 0; i < here->count; i++) {
		if (frames[i].declared_file != file || frames[i].declared_line > place->line ||
		    frames[i].declared_line <= declared)
			continue;
		declared = frames[i].declared_line;
		frame = i;
	}
	return frame;
}

static bool has_row(struct job *job, const struct here *here, const struct dwarf_place *place)
{
	const uint32_t file = line_rows_file(&job->rows, place);

	for (uint32_t i = 0; i < here->statement_count; i++)
		if (here->statements[i].place.line == place->line &&
		    line_rows_file(&job->rows, &here->statements[i].place) == file)
			return true;
	return false;
}

static void add_statements(struct job *job, struct here *here)
{
	set_meaning(job, here);
	for (uint32_t i = here->count; i-- > 0;)
		if (here->frames[i].entry == here->address && here->frames[i].declared.file)
			add_statement(job, here, &here->frames[i].declared, i, LINE_IS_DECLARATION);
	for (uint32_t i = 0; i < here->statement_count; i++)
		add_statement(job, here, &here->statements[i].place,
			      frame_of(job, here, &here->statements[i].place), 0);
	for (uint32_t i = 0; i + 1 < here->count; i++)
		if (here->frames[i].entry == here->address && here->frames[i + 1].place.file &&
		    !has_row(job, here, &here->frames[i + 1].place))
			add_statement(job, here, &here->frames[i + 1].place, i + 1, LINE_IS_CALL);
}

static int look_at(struct job *job, struct here *here, uint64_t end, uint64_t *stop)
{
	uint64_t left;
	int count = dwarf_index_find(job->index, here->address, here->frames, LINE_DEPTH_MAX, stop);

	if (count == -ENOMEM)
		return out_of_memory(job->why);
	if (count < 0)
		return count;
	if (*stop > end)
		*stop = end;
	if (!count || !dwarf_files_offset(&job->files, here->address, &here->offset, &left) ||
	    here->offset < job->end_offset)
		return 0;
	if (*stop - here->address > left)
		*stop = here->address + left;
	job->end_offset = here->offset + (*stop - here->address);
	here->count = (uint32_t)count;
	here->statement_count = dwarf_index_statements(job->index, here->address, here->statements,
						       STATEMENTS_HERE, &here->column);
	line_rows_add_range(&job->rows, here->offset, job->end_offset, here->frames,
			    here->count, here->column, here->statement_count > 0);
	if (!job->rows.err)
		add_statements(job, here);
	return 0;
}

static int walk(struct job *job)
{
	struct here *here = malloc(sizeof(*here));
	int err = here ? 0 : out_of_memory(job->why);

	for (uint32_t i = 0; i < job->wanted_count && !err; i++) {
		uint64_t at = job->wanted[i].begin, stop;

		for (; at < job->wanted[i].end && !err && !job->rows.err; at = stop) {
			here->address = at;
			err = look_at(job, here, job->wanted[i].end, &stop);
		}
	}
	free(here);
	return err;
}

static int find(struct job *job)
{
	int err = read_files(job);

	if (!err)
		err = collect(job);
	if (!err)
		err = walk(job);
	return err;
}

static int finish(struct job *job, void **bytes, size_t *bytes_count)
{
	struct line_ranges_header *header = &job->rows.header;

	header->build_id = elf_file_build_id(&job->files.dso.elf);
	header->named_file = line_rows_file(&job->rows, &job->named);
	header->named_line = job->named.line;
	if (dwarf_files_lack_alternate(&job->files)) {
		header->alternate = job->files.source->alternate;
		dwarf_files_alternate_name(&job->files, header->alternate_name);
	}
	return line_rows_finish(&job->rows, bytes, bytes_count, job->why);
}

int line_ranges_build(const int *inputs, uint32_t input_count, void **bytes, size_t *bytes_count,
		      struct diag *why)
{
	struct job *job = calloc(1, sizeof(*job));
	int err;

	*bytes = NULL;
	if (!job)
		return out_of_memory(why);
	job->why = why;
	err = read_query(job, inputs, input_count);
	if (!err)
		err = open_files(job, inputs);
	/* Until it is known whether that can be had, the reply is only the name of dwz's file. */
	if (!err && (!dwarf_files_lack_alternate(&job->files) || job->query.no_alternate ||
		     job->query.has_alternate))
		err = find(job);
	if (!err)
		err = finish(job, bytes, bytes_count);
	line_rows_destroy(&job->rows);
	dwarf_index_destroy(job->index);
	dwarf_files_close(&job->files);
	free(job->wanted);
	free(job);
	return err;
}
