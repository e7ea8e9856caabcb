/* dwarf_index.c - see dwarf_index.h. Everything here parses untrusted bytes.
 *
 * Problem: libdw finds the functions at an address (dwarf_getscopes) by walking the whole compile
 * unit each time: 28 ms, and 11 ms when all is in memory.
 *
 * Idea: three levels, each built when it is first needed.
 *
 *   address -> unit      .debug_aranges; for addresses not in there (clang writes none) the ranges
 *                        of all units
 *   unit -> functions    its children and those of its namespaces and classes. DW_AT_sibling skips
 *                        the bodies. For an address in none of them the whole unit is searched,
 *                        once: functions can be nested in functions
 *   function -> scopes   the inlined calls in its body
 *
 * Each level is a list of ranges; a look-up hits the innermost one at the address.
 *
 * Rejected: dwarf_getscopes, dwfl_module_addrinfo (linear, 1 to 7 ms each); keeping the index for
 * the next job: a compromised worker that lives on could forge the results of another file.
 */
#include "dwarf_index.h"

#include <assert.h>
#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/id_map.h"
#include "line_table.h"
#include "point_symbols.h"

/* Idea: ranges are sorted by start, outer ranges before their inner ones. A binary search finds the
 * last range that starts at or before the address. If the address is not in it, it is not in any
 * range that ends earlier either: so the search follows `outer`, the nearest range before it that
 * ends later.
 */

int range_list_add(struct range_list *list, uint64_t start, uint64_t end, uint32_t value)
{
	assert(start < end);
	if (list->count == list->capacity) {
		uint32_t capacity = list->capacity ? 2 * list->capacity : 64;
		struct range *bigger = realloc(list->rows, capacity * sizeof(*bigger));

		if (!bigger)
			return -ENOMEM;
		list->rows = bigger;
		list->capacity = capacity;
	}
	list->rows[list->count++] = (struct range){ start, end, value, RANGE_NONE };
	return 0;
}

static int outer_first(const void *a, const void *b)
{
	const struct range *left = a, *right = b;

	if (left->start != right->start)
		return left->start < right->start ? -1 : 1;
	if (left->end != right->end)
		return left->end > right->end ? -1 : 1;
	return left->value < right->value ? -1 : left->value > right->value;
}

void range_list_sort(struct range_list *list)
{
	if (list->count)
		qsort(list->rows, list->count, sizeof(*list->rows), outer_first);
	for (uint32_t i = 0; i < list->count; i++) {
		uint32_t outer = i ? i - 1 : RANGE_NONE;

		while (outer != RANGE_NONE && list->rows[outer].end <= list->rows[i].end)
			outer = list->rows[outer].outer;
		list->rows[i].outer = outer;
	}
}

static void lower(uint64_t *end, uint64_t to)
{
	if (end && to < *end)
		*end = to;
}

uint32_t range_list_find(const struct range_list *list, uint64_t address, uint64_t *end)
{
	uint32_t low = 0, high = list->count, row;

	while (low < high) {	/* until low is the first range that starts after @address */
		uint32_t middle = low + (high - low) / 2;

		if (list->rows[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < list->count)
		lower(end, list->rows[low].start);
	for (row = low ? low - 1 : RANGE_NONE; row != RANGE_NONE; row = list->rows[row].outer) {
		if (address < list->rows[row].end) {
			lower(end, list->rows[row].end);
			return list->rows[row].value;
		}
	}
	return RANGE_NONE;
}

void range_list_finish(struct range_list *list)
{
	free(list->rows);
	memset(list, 0, sizeof(*list));
}

#define NESTING_MAX 256		/* nested DIEs; compilers were not seen to nest deeper than 40 */

/* A function, or an inlined copy (DW_TAG_inlined_subroutine). */
struct index_scope {
	Dwarf_Die die;
	uint32_t caller;	/* index of the calling scope; RANGE_NONE: the function itself */
	bool is_read;		/* the following fields are set */
	struct dwarf_frame frame;	/* without `place` */
	struct dwarf_place call;	/* place of the inlined call */
};

struct index_function {
	struct index_scope self;
	bool has_scopes;
	struct index_scope *scopes;	/* owned, as is scope_ranges */
	uint32_t scope_count, scope_capacity;
	struct range_list scope_ranges;
};

struct index_unit {
	Dwarf_Die die;
	bool has_functions, has_nested;
	bool has_lines;
	Dwarf_Lines *lines;		/* BORROWED; NULL: none, or not read yet */
	size_t line_count;
	struct index_function *functions;	/* owned, as is function_ranges */
	uint32_t function_count, function_capacity;
	struct range_list function_ranges;
};

struct dwarf_index {
	struct dwarf_files *files;	/* BORROWED */
	Dwarf *dwarf;			/* BORROWED from them */
	uint64_t memory_bytes;		/* for line tables */
	uint64_t row_bytes;		/* memory of those decoded so far */
	struct id_map is_allowed;	/* units with counted rows: 1, or 0: too large */
	struct diag *why;		/* BORROWED */
	bool has_aranges, has_all_units;
	struct index_unit *units;	/* owned; only units whose ranges are known */
	uint32_t unit_count, unit_capacity;
	struct id_map unit_of_offset;
	struct range_list unit_ranges;
};

/* Makes room for one more row in @rows[@count]; NULL: no memory, @rows is unchanged. */
static void *grow(void *rows, uint32_t count, uint32_t *capacity, size_t row_bytes)
{
	uint32_t wanted = *capacity ? 2 * *capacity : 16;

	if (count < *capacity)
		return rows;
	rows = realloc(rows, wanted * row_bytes);
	if (rows)
		*capacity = wanted;
	return rows;
}

struct dwarf_index *dwarf_index_create(struct dwarf_files *files, uint64_t memory_bytes,
				       struct diag *why)
{
	struct dwarf_index *index = calloc(1, sizeof(*index));

	if (index) {
		index->files = files;
		index->dwarf = files->source->dwarf;
		index->memory_bytes = memory_bytes;
		index->why = why;
	}
	return index;
}

static void finish_unit(struct index_unit *unit)
{
	for (uint32_t i = 0; i < unit->function_count; i++) {
		free(unit->functions[i].scopes);
		range_list_finish(&unit->functions[i].scope_ranges);
	}
	free(unit->functions);
	range_list_finish(&unit->function_ranges);
}

void dwarf_index_destroy(struct dwarf_index *index)
{
	if (!index)
		return;
	for (uint32_t i = 0; i < index->unit_count; i++)
		finish_unit(&index->units[i]);
	free(index->units);
	id_map_finish(&index->unit_of_offset);
	id_map_finish(&index->is_allowed);
	range_list_finish(&index->unit_ranges);
	free(index);
}

/* Returns the unit whose DIE is at @offset; RANGE_NONE: none, or no memory. */
static uint32_t unit_at(struct dwarf_index *index, Dwarf_Off offset)
{
	uint32_t at = id_map_get(&index->unit_of_offset, offset);
	struct index_unit *bigger;
	Dwarf_Die die;

	if (at != ID_MAP_NONE)
		return at;
	if (!dwarf_offdie(index->dwarf, offset, &die))
		return RANGE_NONE;
	bigger = grow(index->units, index->unit_count, &index->unit_capacity, sizeof(*bigger));
	if (!bigger)
		return RANGE_NONE;
	index->units = bigger;
	if (id_map_put(&index->unit_of_offset, offset, index->unit_count))
		return RANGE_NONE;
	bigger[index->unit_count] = (struct index_unit){ .die = die };
	return index->unit_count++;
}

/* Adds a range unless it is empty or starts at address 0: the linker has discarded such code. */
static int add_range(struct range_list *list, uint64_t start, uint64_t end, uint32_t value)
{
	return start && start < end ? range_list_add(list, start, end, value) : 0;
}

/* Adds the ranges of a function or unit. Returns their number, or -ENOMEM. */
static int add_ranges(struct range_list *list, Dwarf_Die *die, uint32_t value)
{
	Dwarf_Addr base, start, end;
	ptrdiff_t at = 0;
	int count = 0;

	while ((at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
		if (add_range(list, start, end, value))
			return -ENOMEM;
		count++;
	}
	return count;
}

static int read_aranges(struct dwarf_index *index)
{
	Dwarf_Aranges *aranges;
	size_t count = 0;

	index->has_aranges = true;
	if (dwarf_getaranges(index->dwarf, &aranges, &count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		Dwarf_Arange *arange = dwarf_onearange(aranges, i);
		Dwarf_Addr start;
		Dwarf_Word bytes;
		Dwarf_Off offset;
		uint32_t unit;

		if (!arange || dwarf_getarangeinfo(arange, &start, &bytes, &offset) ||
		    bytes > UINT64_MAX - start)
			continue;
		unit = unit_at(index, offset);
		if (unit != RANGE_NONE &&
		    add_range(&index->unit_ranges, start, start + bytes, unit))
			return -ENOMEM;
	}
	range_list_sort(&index->unit_ranges);
	return 0;
}

static int read_all_units(struct dwarf_index *index)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;
	uint8_t unit_type;

	index->has_all_units = true;
	while (dwarf_get_units(index->dwarf, cu, &cu, NULL, &unit_type, &die, NULL) == 0) {
		uint32_t unit;

		if (unit_type == DW_UT_type || unit_type == DW_UT_split_type)
			continue;
		unit = unit_at(index, dwarf_dieoffset(&die));
		if (unit != RANGE_NONE && add_ranges(&index->unit_ranges, &die, unit) < 0)
			return -ENOMEM;
	}
	range_list_sort(&index->unit_ranges);
	return 0;
}

static int find_unit(struct dwarf_index *index, uint64_t address, struct index_unit **out,
		     uint64_t *end)
{
	int err = index->has_aranges ? 0 : read_aranges(index);
	uint32_t unit = range_list_find(&index->unit_ranges, address, NULL);

	if (!err && unit == RANGE_NONE && !index->has_all_units)
		err = read_all_units(index);
	unit = range_list_find(&index->unit_ranges, address, end);
	*out = unit == RANGE_NONE ? NULL : &index->units[unit];
	return err;
}

/* The lines of a unit.
 *
 * libdw keeps decoded rows until the end, and needs more while it decodes and sorts them. Measured
 * with version 0.188: 40 and 112 bytes. It decodes the whole table even if only the names of files
 * are asked for: so nothing here may ask before the rows were counted. */
#define ROW_BYTES      48
#define ROW_PEAK_BYTES 128

static struct dwarf_file *file_of_unit(struct dwarf_index *index, Dwarf_CU *unit)
{
	Dwarf *const dwarf = dwarf_cu_getdwarf(unit);

	if (dwarf == index->dwarf)
		return index->files->source;
	return dwarf == index->files->alternate.dwarf ? &index->files->alternate : NULL;
}

static bool open_table(struct dwarf_index *index, Dwarf_Die *unit, struct line_table *out)
{
	struct dwarf_file *file = file_of_unit(index, unit->cu);
	Dwarf_Attribute attribute;
	Dwarf_Word offset;

	return file && !dwarf_formudata(dwarf_attr(unit, DW_AT_stmt_list, &attribute), &offset) &&
	       line_table_open(out, file, offset);
}

static int count_rows(struct dwarf_index *index, Dwarf_Die *unit)
{
	struct line_table table;
	uint64_t rows, bytes;

	if (!open_table(index, unit, &table))
		return 0;
	rows = line_table_rows(&table);
	bytes = index->row_bytes + rows * ROW_PEAK_BYTES;
	if (bytes > index->memory_bytes)
		return diag_set(index->why, -E2BIG, "a line table of %llu rows takes its lines to "
				"%llu MiB, the limit is %llu MiB", (unsigned long long)rows,
				(unsigned long long)(bytes >> 20),
				(unsigned long long)(index->memory_bytes >> 20));
	index->row_bytes += rows * ROW_BYTES;
	return 0;
}

/* Returns 0 if libdw may decode the lines of @unit, or -E2BIG. */
static int allow_lines(struct dwarf_index *index, Dwarf_Die *unit)
{
	const uint64_t key = dwarf_dieoffset(unit) << 1 |
			     (dwarf_cu_getdwarf(unit->cu) != index->dwarf);
	const uint32_t known = id_map_get(&index->is_allowed, key);
	int err;

	if (known != ID_MAP_NONE)
		return known ? 0 : -E2BIG;
	err = count_rows(index, unit);
	return id_map_put(&index->is_allowed, key, !err) ? -ENOMEM : err;
}

int dwarf_index_lines(struct dwarf_index *index, Dwarf_Die *unit, Dwarf_Lines **rows,
		      size_t *count)
{
	int err = allow_lines(index, unit);

	*count = 0;
	if (err)
		return err;
	return dwarf_getsrclines(unit, rows, count) ? -ENODATA : 0;
}

bool dwarf_index_has_file(struct dwarf_index *index, Dwarf_Die *unit, const char *base)
{
	struct line_table table;
	struct line_table_file file;

	if (!open_table(index, unit, &table))
		return false;
	while (line_table_next_file(&table, &file)) {
		const char *slash = strrchr(file.name, '/');

		if (strcmp(slash ? slash + 1 : file.name, base) == 0)
			return true;
	}
	return false;
}

void dwarf_index_source(struct dwarf_index *index, const struct dwarf_place *place,
			const unsigned char **md5, const char **text)
{
	struct line_table table;
	struct line_table_file file;
	Dwarf_Die unit;

	*md5 = NULL;
	*text = NULL;
	if (!place->unit ||
	    !dwarf_cu_die(place->unit, &unit, NULL, NULL, NULL, NULL, NULL, NULL) ||
	    !open_table(index, &unit, &table))
		return;
	for (uint32_t i = line_table_first_file(&table); line_table_next_file(&table, &file); i++) {
		if (i == place->file_number) {
			*md5 = file.md5;
			*text = file.text;
			return;
		}
	}
}

/* Sets the file with that @number in the line table of @unit. @index: counts its rows first; NULL:
 * does not. Returns 0, -E2BIG or -ENOMEM. */
static int put_file(struct dwarf_place *out, struct dwarf_index *index, Dwarf_CU *unit,
		    Dwarf_Word number)
{
	Dwarf_Files *files;
	Dwarf_Die die;
	size_t count;
	int err;

	if (!dwarf_cu_die(unit, &die, NULL, NULL, NULL, NULL, NULL, NULL))
		return 0;
	err = index ? allow_lines(index, &die) : 0;
	if (err || dwarf_getsrcfiles(&die, &files, &count) || number >= count)
		return err;
	out->file = dwarf_filesrc(files, number, NULL, NULL);
	out->file_number = (uint32_t)number;
	out->unit = out->file ? unit : NULL;
	return 0;
}

/* @index: may be NULL, see put_file(). */
static int put_declared(struct dwarf_place *out, struct dwarf_index *index, Dwarf_Die *function)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	int line;

	*out = (struct dwarf_place){ .file = NULL };
	if (!dwarf_decl_line(function, &line))
		out->line = (uint32_t)line;
	if (dwarf_formudata(dwarf_attr_integrate(function, DW_AT_decl_file, &attribute), &number))
		return 0;
	return put_file(out, index, attribute.cu, number);
}

int dwarf_index_declared(struct dwarf_index *index, Dwarf_Die *function, struct dwarf_place *out)
{
	return put_declared(out, index, function);
}

void dwarf_declared_place(Dwarf_Die *function, struct dwarf_place *out)
{
	put_declared(out, NULL, function);
}

bool dwarf_unit_has(Dwarf_Die *unit, uint64_t address)
{
	return dwarf_haspc(unit, address) != 0 ||
	       (!dwarf_hasattr(unit, DW_AT_ranges) && !dwarf_hasattr(unit, DW_AT_high_pc));
}

bool dwarf_path_ends(const char *path, const char *tail)
{
	const size_t have = path ? strlen(path) : 0, want = strlen(tail);

	if (have < want || !want)
		return false;
	return strcmp(path + have - want, tail) == 0 &&
	       (have == want || path[have - want - 1] == '/' || tail[0] == '/');
}

bool dwarf_is_named(Dwarf_Die *function, const char *wanted)
{
	const char *name = dwarf_diename(function), *linkage;
	Dwarf_Attribute attribute;

	if (name && strcmp(name, wanted) == 0)
		return true;
	linkage = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));
	return linkage && (!strcmp(linkage, wanted) ||
			   (strchr(wanted, ':') && point_name_matches(wanted, false, true, linkage,
								      strlen(linkage))));
}

/* Returns whether the DIE can contain functions that are not nested in another function: a
 * namespace or, as in Rust and Ada, a class. */
static bool is_namespace(int tag)
{
	return tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || tag == DW_TAG_union_type ||
	       tag == DW_TAG_enumeration_type;
}

/* Moves to the next DIE of the same level; false: none left. DW_AT_sibling must not lead back. */
static bool go_on(Dwarf_Die *die)
{
	const Dwarf_Off before = dwarf_dieoffset(die);

	return dwarf_siblingof(die, die) == 0 && dwarf_dieoffset(die) > before;
}

static int add_function(struct index_unit *unit, Dwarf_Die *die)
{
	struct index_function *bigger;
	int count = add_ranges(&unit->function_ranges, die, unit->function_count);

	if (count <= 0)
		return count;
	bigger = grow(unit->functions, unit->function_count, &unit->function_capacity,
		      sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	unit->functions = bigger;
	bigger[unit->function_count++] = (struct index_function){ .self.die = *die };
	return 0;
}

/* Adds the functions below @parent that are in no other function; with @wants_nested, those that
 * are. */
static int add_functions(struct index_unit *unit, Dwarf_Die *parent, bool wants_nested,
			 bool is_in_function, int depth)
{
	Dwarf_Die die;
	int err = 0;

	if (depth == NESTING_MAX || dwarf_child(parent, &die))
		return 0;
	do {
		const int tag = dwarf_tag(&die);
		const bool is_function = tag == DW_TAG_subprogram;

		if (is_function && wants_nested == is_in_function)
			err = add_function(unit, &die);
		if (!err && (wants_nested || is_namespace(tag)))
			err = add_functions(unit, &die, wants_nested,
					    is_in_function || is_function, depth + 1);
	} while (!err && go_on(&die));
	return err;
}

static int read_functions(struct index_unit *unit, bool wants_nested)
{
	int err = add_functions(unit, &unit->die, wants_nested, false, 0);

	range_list_sort(&unit->function_ranges);
	unit->has_functions = true;
	unit->has_nested = wants_nested;
	return err;
}

static int find_function(struct index_unit *unit, uint64_t address, struct index_function **out,
			 uint64_t *end)
{
	int err = unit->has_functions ? 0 : read_functions(unit, false);
	uint32_t function = range_list_find(&unit->function_ranges, address, NULL);

	if (!err && function == RANGE_NONE && !unit->has_nested)
		err = read_functions(unit, true);
	function = range_list_find(&unit->function_ranges, address, end);
	*out = function == RANGE_NONE ? NULL : &unit->functions[function];
	return err;
}

static int add_scope(struct index_function *function, Dwarf_Die *die, uint32_t caller)
{
	struct index_scope *bigger = grow(function->scopes, function->scope_count,
					  &function->scope_capacity, sizeof(*bigger));

	if (!bigger)
		return -ENOMEM;
	function->scopes = bigger;
	bigger[function->scope_count] = (struct index_scope){ .die = *die, .caller = caller };
	if (add_ranges(&function->scope_ranges, die, function->scope_count) < 0)
		return -ENOMEM;
	function->scope_count++;
	return 0;
}

static int add_scopes(struct index_function *function, Dwarf_Die *parent, uint32_t caller,
		      int depth)
{
	Dwarf_Die die;
	int err = 0;

	if (depth == NESTING_MAX || dwarf_child(parent, &die))
		return 0;
	do {
		const int tag = dwarf_tag(&die);

		if (tag == DW_TAG_inlined_subroutine) {
			err = add_scope(function, &die, caller);
			if (!err)
				err = add_scopes(function, &die, function->scope_count - 1,
						 depth + 1);
		} else if (tag == DW_TAG_lexical_block || tag == DW_TAG_try_block ||
			   tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt) {
			err = add_scopes(function, &die, caller, depth + 1);
		}
	} while (!err && go_on(&die));
	return err;
}

static int find_scope(struct index_function *function, uint64_t address, uint32_t *out,
		      uint64_t *end)
{
	int err = 0;

	if (!function->has_scopes) {
		function->has_scopes = true;
		err = add_scopes(function, &function->self.die, RANGE_NONE, 0);
		range_list_sort(&function->scope_ranges);
	}
	*out = range_list_find(&function->scope_ranges, address, end);
	return err;
}

/* Prefers the linkage name: it includes namespace and parameter types. */
static const char *function_name(Dwarf_Die *die)
{
	static const unsigned int attributes[] = { DW_AT_linkage_name, DW_AT_MIPS_linkage_name,
						   DW_AT_name };
	Dwarf_Attribute attribute;
	const char *name = NULL;

	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]) && !name; i++)
		if (dwarf_attr_integrate(die, attributes[i], &attribute))
			name = dwarf_formstring(&attribute);
	return name;
}

static void put_call(struct dwarf_place *out, struct dwarf_index *index, Dwarf_Die *copy)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	*out = (struct dwarf_place){ .file = NULL };
	if (!dwarf_formudata(dwarf_attr(copy, DW_AT_call_line, &attribute), &number))
		out->line = (uint32_t)number;
	if (!dwarf_formudata(dwarf_attr(copy, DW_AT_call_file, &attribute), &number))
		put_file(out, index, copy->cu, number);
}

uint64_t dwarf_entry_address(Dwarf_Die *die)
{
	Dwarf_Addr entry, base, start, end;

	if (dwarf_entrypc(die, &entry) == 0)
		return entry;
	return dwarf_ranges(die, 0, &base, &start, &end) > 0 ? start : 0;
}

static const struct index_scope *read_scope(struct dwarf_index *index, struct index_scope *scope)
{
	Dwarf_Die *die = &scope->die;

	if (scope->is_read)
		return scope;
	scope->is_read = true;
	scope->frame.function = function_name(die);
	scope->frame.entry = dwarf_entry_address(die);
	put_declared(&scope->frame.declared, index, die);
	put_call(&scope->call, index, die);
	return scope;
}

static void put_scope(struct dwarf_frame *out, const struct index_scope *scope)
{
	const struct dwarf_place place = out->place;

	*out = scope->frame;
	out->place = place;
}

static int read_lines(struct dwarf_index *index, struct index_unit *unit)
{
	int err = 0;

	if (!unit->has_lines)
		err = dwarf_index_lines(index, &unit->die, &unit->lines, &unit->line_count);
	if (err == -ENODATA)
		err = 0;
	unit->has_lines = !err;
	return err;
}

static bool row_address(const struct index_unit *unit, size_t row, Dwarf_Addr *address)
{
	return dwarf_lineaddr(dwarf_onesrcline(unit->lines, row), address) == 0;
}

/* Returns the number of rows that begin at or before @address. Rows are sorted by their address; of
 * those at one address the last one counts. */
static size_t rows_before(const struct index_unit *unit, uint64_t address)
{
	size_t low = 0, high = unit->line_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		Dwarf_Addr here;

		if (row_address(unit, middle, &here) && here <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool put_row(struct dwarf_place *out, Dwarf_Line *row)
{
	Dwarf_Files *files;
	size_t number;
	bool is_end;
	Dwarf_CU *unit = out->unit;
	int line;

	*out = (struct dwarf_place){ .file = NULL };
	if (!row || dwarf_lineendsequence(row, &is_end) || is_end || dwarf_lineno(row, &line))
		return false;
	out->line = (uint32_t)line;
	out->file = dwarf_linesrc(row, NULL, NULL);
	if (out->file && !dwarf_line_file(row, &files, &number)) {
		out->file_number = (uint32_t)number;
		out->unit = unit;
	}
	return true;
}

static void find_row(struct index_unit *unit, uint64_t address, struct dwarf_place *out,
		     uint64_t *end)
{
	const size_t after = rows_before(unit, address);
	Dwarf_Addr next;

	if (after < unit->line_count && row_address(unit, after, &next))
		lower(end, next);
	if (!after)
		return;
	out->unit = unit->die.cu;
	put_row(out, dwarf_onesrcline(unit->lines, after - 1));
}

int dwarf_index_find(struct dwarf_index *index, uint64_t address, struct dwarf_frame *frames,
		     uint32_t frames_max, uint64_t *end)
{
	struct index_function *function = NULL;
	struct index_unit *unit;
	uint32_t scope = RANGE_NONE, count = 0;
	int err;

	if (end)
		*end = UINT64_MAX;
	err = find_unit(index, address, &unit, end);
	if (!err && unit)
		err = read_lines(index, unit);
	if (!err && unit)
		err = find_function(unit, address, &function, end);
	if (!err && function)
		err = find_scope(function, address, &scope, end);
	if (err || !unit)
		return err;
	memset(frames, 0, frames_max * sizeof(*frames));
	find_row(unit, address, &frames[0].place, end);
	while (scope != RANGE_NONE && count < frames_max) {
		const struct index_scope *call = read_scope(index, &function->scopes[scope]);

		put_scope(&frames[count++], call);
		if (count < frames_max)
			frames[count].place = call->call;
		scope = call->caller;
	}
	if (function && count < frames_max)
		put_scope(&frames[count++], read_scope(index, &function->self));
	return count || !frames[0].place.file ? (int)count : 1;
}

uint32_t dwarf_index_statements(struct dwarf_index *index, uint64_t address,
				struct dwarf_row *rows, uint32_t rows_max, uint32_t *column)
{
	struct index_unit *unit;
	size_t first, after;
	uint32_t count = 0;
	Dwarf_Addr here;
	int number;

	*column = 0;
	if (find_unit(index, address, &unit, NULL) || !unit || !unit->line_count)
		return 0;
	first = after = rows_before(unit, address);
	if (after && !dwarf_linecol(dwarf_onesrcline(unit->lines, after - 1), &number))
		*column = (uint32_t)number;
	while (first && row_address(unit, first - 1, &here) && here == address)
		first--;
	for (; first < after && count < rows_max; first++) {
		Dwarf_Line *row = dwarf_onesrcline(unit->lines, first);
		bool is_statement = false;

		rows[count].place.unit = unit->die.cu;
		if (dwarf_linebeginstatement(row, &is_statement) || !is_statement ||
		    !put_row(&rows[count].place, row))
			continue;
		rows[count].column = dwarf_linecol(row, &number) ? 0 : (uint32_t)number;
		count++;
	}
	return count;
}
