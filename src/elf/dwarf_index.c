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

#include <dwarf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/id_map.h"
#include "range_list.h"

#define NESTING_MAX 256		/* nested DIEs; compilers were not seen to nest deeper than 40 */

struct index_scope {
	Dwarf_Die die;		/* DW_TAG_inlined_subroutine */
	uint32_t caller;	/* index of the calling scope; RANGE_NONE: the function itself */
};

struct index_function {
	Dwarf_Die die;
	bool has_scopes;
	struct index_scope *scopes;	/* owned, as is scope_ranges */
	uint32_t scope_count, scope_capacity;
	struct range_list scope_ranges;
};

struct index_unit {
	Dwarf_Die die;
	bool has_functions, has_nested;
	struct index_function *functions;	/* owned, as is function_ranges */
	uint32_t function_count, function_capacity;
	struct range_list function_ranges;
};

struct dwarf_index {
	Dwarf *dwarf;		/* BORROWED */
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

struct dwarf_index *dwarf_index_create(Dwarf *dwarf)
{
	struct dwarf_index *index = calloc(1, sizeof(*index));

	if (index)
		index->dwarf = dwarf;
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

static int find_unit(struct dwarf_index *index, uint64_t address, struct index_unit **out)
{
	int err = index->has_aranges ? 0 : read_aranges(index);
	uint32_t unit = range_list_find(&index->unit_ranges, address);

	if (!err && unit == RANGE_NONE && !index->has_all_units) {
		err = read_all_units(index);
		unit = range_list_find(&index->unit_ranges, address);
	}
	*out = unit == RANGE_NONE ? NULL : &index->units[unit];
	return err;
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
	bigger[unit->function_count++] = (struct index_function){ .die = *die };
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

static int find_function(struct index_unit *unit, uint64_t address, struct index_function **out)
{
	int err = unit->has_functions ? 0 : read_functions(unit, false);
	uint32_t function = range_list_find(&unit->function_ranges, address);

	if (!err && function == RANGE_NONE && !unit->has_nested) {
		err = read_functions(unit, true);
		function = range_list_find(&unit->function_ranges, address);
	}
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
	bigger[function->scope_count] = (struct index_scope){ *die, caller };
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

static int find_scope(struct index_function *function, uint64_t address, uint32_t *out)
{
	int err = 0;

	if (!function->has_scopes) {
		function->has_scopes = true;
		err = add_scopes(function, &function->die, RANGE_NONE, 0);
		range_list_sort(&function->scope_ranges);
	}
	*out = range_list_find(&function->scope_ranges, address);
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

/* Sets file and line of the caller's frame from the call site of the inlined call. */
static void put_call_site(struct dwarf_frame *frame, Dwarf_Die *unit, Dwarf_Die *call)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;
	Dwarf_Files *files;

	if (!dwarf_formudata(dwarf_attr(call, DW_AT_call_line, &attribute), &number))
		frame->line = (uint32_t)number;
	if (!dwarf_formudata(dwarf_attr(call, DW_AT_call_file, &attribute), &number) &&
	    !dwarf_getsrcfiles(unit, &files, NULL))
		frame->file = dwarf_filesrc(files, number, NULL, NULL);
}

static void put_line(struct dwarf_frame *frame, Dwarf_Die *unit, uint64_t address)
{
	Dwarf_Line *row = dwarf_getsrc_die(unit, address);
	int line;

	if (!row || dwarf_lineno(row, &line))
		return;
	frame->line = (uint32_t)line;
	frame->file = dwarf_linesrc(row, NULL, NULL);
}

int dwarf_index_find(struct dwarf_index *index, uint64_t address, struct dwarf_frame *frames,
		     uint32_t frames_max)
{
	struct index_function *function = NULL;
	struct index_unit *unit;
	uint32_t scope = RANGE_NONE, count = 0;
	int err = find_unit(index, address, &unit);

	if (!err && unit)
		err = find_function(unit, address, &function);
	if (!err && function)
		err = find_scope(function, address, &scope);
	if (err || !unit)
		return err;
	memset(frames, 0, frames_max * sizeof(*frames));
	put_line(&frames[0], &unit->die, address);
	while (scope != RANGE_NONE && count < frames_max) {
		struct index_scope *call = &function->scopes[scope];

		frames[count++].function = function_name(&call->die);
		if (count < frames_max)
			put_call_site(&frames[count], &unit->die, &call->die);
		scope = call->caller;
	}
	if (function && count < frames_max)
		frames[count++].function = function_name(&function->die);
	return count || !frames[0].file ? (int)count : 1;
}
