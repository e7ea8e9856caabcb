/* point_values.c - see point_values.h. */
#include "point_values.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

#include "point_location.h"

#define DEPTH_MAX     64	/* nested blocks */

struct place {
	struct point_job *job;
	const struct point_scope *scope;	/* NULL: no debug information */
	uint64_t entry, vaddr;
};

static bool is_variable(int tag)
{
	return tag == DW_TAG_formal_parameter || tag == DW_TAG_variable;
}

static bool is_block_at(Dwarf_Die *die, uint64_t vaddr)
{
	return dwarf_tag(die) == DW_TAG_lexical_block && dwarf_haspc(die, vaddr) == 1;
}

/* Finds the variable of that name in @block, or, with precedence, in a nested block that contains
 * @vaddr. */
static bool find_variable(Dwarf_Die *block, const char *name, uint64_t vaddr, Dwarf_Die *out,
			  int depth)
{
	bool is_found = false;
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(block, &child) != 0)
		return false;
	do {
		const char *known = is_variable(dwarf_tag(&child)) ? dwarf_diename(&child) : NULL;

		if (known && strcmp(known, name) == 0) {
			*out = child;
			is_found = true;
		} else if (is_block_at(&child, vaddr) &&
			   find_variable(&child, name, vaddr, out, depth + 1)) {
			return true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
	return is_found;
}

static bool find_child_param(Dwarf_Die *scope, uint32_t number, Dwarf_Die *out)
{
	if (dwarf_child(scope, out) != 0)
		return false;
	do {
		if (dwarf_tag(out) == DW_TAG_formal_parameter && --number == 0)
			return true;
	} while (dwarf_siblingof(out, out) == 0);
	return false;
}

/* Finds parameter @number, from 1. Inlined copies have them in another order than the function and
 * lack those that were optimized away: for these, yields the function's, which has no location. */
static bool find_param(Dwarf_Die *scope, uint32_t number, Dwarf_Die *out)
{
	Dwarf_Attribute attribute;
	Dwarf_Die origin, own;
	const char *name;

	if (dwarf_tag(scope) != DW_TAG_inlined_subroutine ||
	    !dwarf_attr(scope, DW_AT_abstract_origin, &attribute) ||
	    !dwarf_formref_die(&attribute, &origin))
		return find_child_param(scope, number, out);
	if (!find_child_param(&origin, number, out))
		return false;
	name = dwarf_diename(out);
	if (name && find_variable(scope, name, 0, &own, DEPTH_MAX))
		*out = own;
	return true;
}

/* Refuses a wrong name and lists the parameters' names. */
static void list_params(Dwarf_Die *scope, const char *wanted, struct fetch_value *out)
{
	char names[FETCH_REASON_BYTES] = "";
	Dwarf_Die param;
	size_t used = 0;

	for (uint32_t i = 1; used < sizeof(names) && find_param(scope, i, &param); i++) {
		const char *name = dwarf_diename(&param);

		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s",
					 i > 1 ? ", " : "", name ? name : "");
	}
	fetch_value_refuse(out, "no variable '%.24s' here; its arguments: %.48s", wanted,
			   names[0] ? names : "none");
}

static bool find_named(const struct place *place, const struct value_path *path, Dwarf_Die *out,
		       struct fetch_value *why)
{
	Dwarf_Die inner = place->scope->inner, unit = place->scope->unit;

	if (path->base == VALUE_ARGUMENT) {
		if (find_param(&inner, path->number, out))
			return true;
		fetch_value_refuse(why, "the function has no argument %u", path->number);
		return false;
	}
	if (find_variable(&inner, path->name, place->vaddr, out, 0) ||
	    find_variable(&unit, path->name, place->vaddr, out, 0))
		return true;
	list_params(&inner, path->name, why);
	return false;
}

/* Returns whether @path, as "$arg1[2]:string", means a word of the struct that the argument points
 * to: that is what it says without debug information, which one build of a program has and the next
 * one has not. An array's element that is a struct has no value. */
static bool is_word_of_struct(const struct value_path *path, const char *wanted,
			      const struct point_place *at)
{
	return path && path->base == VALUE_ARGUMENT && path->step_count && wanted[0] &&
	       path->steps[path->step_count - 1].kind == VALUE_INDEX && point_types_is_struct(at);
}

static void put_variable(const struct place *place, Dwarf_Die *variable,
			 const struct value_path *path, const char *wanted,
			 struct point_value_text *row)
{
	struct point_place at = { .name = dwarf_diename(variable) };

	if (!at.name)
		at.name = "it";
	at.has_type = point_types_of(variable, &at.type);
	if (!point_location_find(place->job, place->scope, place->vaddr, variable, &at.place,
				 &row->value)) {
		struct fetch_value typed = { .fetch = "" };

		point_types_put(&at, "", &typed);
		memcpy(row->value.type, typed.type, sizeof(row->value.type));
	} else if (!path || point_types_walk(&at, path, &row->value)) {
		point_types_put(&at, wanted, &row->value);
		if (is_word_of_struct(path, wanted, &at))
			fetch_value_refuse(&row->value, "a struct");
	}
}

static void put_returned(const struct place *place, const struct value_path *path,
			 const char *wanted, struct fetch_value *out)
{
	struct point_place at = { .has_type = false };

	if (point_location_of_return(place->job, place->scope, &at, out) &&
	    point_types_walk(&at, path, out))
		point_types_put(&at, wanted, out);
}

static void put_by_debug(const struct place *place, const struct value_path *path,
			 const char *wanted, struct point_value_text *row)
{
	Dwarf_Die variable;

	if (path->base == VALUE_RETURNED)
		put_returned(place, path, wanted, &row->value);
	else if (find_named(place, path, &variable, &row->value))
		put_variable(place, &variable, path, wanted, row);
}

/* Returns whether to fall back to the calling convention: the argument was given by number and
 * type, and debug information can't locate it, because the function has no prototype, like one in
 * assembler, or the compiler has split a union; or it is a word of a struct. */
static bool is_by_convention(const struct place *place, const struct value_path *path,
			     const struct point_argument *asked, const struct fetch_value *value)
{
	return path->base == VALUE_ARGUMENT && asked->type[0] && !value->fetch[0] &&
	       place->vaddr == place->entry && !place->scope->is_inlined;
}

static void put_by_convention(const struct place *place, const struct value_path *path,
			      const char *type, struct point_value_text *row)
{
	row->origin = POINT_ORIGIN_ABI;
	row->value.reason[0] = '\0';	/* debug information's */
	fetch_value_put_by_convention(&row->value, path, type, place->vaddr == place->entry,
				      point_job_machine(place->job));
}

static void add_argument(const struct place *place, const char *name,
			 const struct point_argument *asked)
{
	struct point_value_text row = { .name = name,
					.is_return = value_path_is_return(asked->value) };
	struct value_path path;
	struct diag why = { .err = 0 };

	if (value_path_parse(&path, asked->value, &why)) {
		fetch_value_refuse(&row.value, "%s", why.text);
	} else if (path.base == VALUE_RAW) {
		fetch_value_put_raw(&row.value, asked->value, asked->type);
	} else if (!place->scope) {
		put_by_convention(place, &path, asked->type, &row);
	} else {
		row.origin = POINT_ORIGIN_DWARF;
		put_by_debug(place, &path, asked->type, &row);
		if (is_by_convention(place, &path, asked, &row.value))
			put_by_convention(place, &path, asked->type, &row);
	}
	point_rows_add_value(&place->job->rows, &row);
}

static void offer_numbered(const struct place *place, uint32_t number, const char *name)
{
	struct point_argument argument = { .type = "" };

	snprintf(argument.value, sizeof(argument.value), "$arg%u", number);
	add_argument(place, name ? name : argument.value, &argument);
}

/* Adds the arguments in the order of the prototype, also those that an inlined copy lacks. */
static void add_params(const struct place *place, uint32_t most)
{
	Dwarf_Die inner = place->scope->inner, param;

	for (uint32_t i = 1; i <= most && find_param(&inner, i, &param); i++)
		offer_numbered(place, i, dwarf_diename(&param));
}

/* Returns whether @variable is what its name means: no block inside of its own hides it. */
static bool is_meant(const struct place *place, Dwarf_Die *scope, Dwarf_Die *variable)
{
	const char *name = dwarf_diename(variable);
	Dwarf_Die found;

	return name && find_variable(scope, name, place->vaddr, &found, 0) &&
	       dwarf_dieoffset(&found) == dwarf_dieoffset(variable);
}

static void add_variable(const struct place *place, Dwarf_Die *variable)
{
	struct point_value_text row = { .name = dwarf_diename(variable),
					.origin = POINT_ORIGIN_DWARF };

	put_variable(place, variable, NULL, "", &row);
	point_rows_add_value(&place->job->rows, &row);
}

/* Adds the variables of @block, and of the blocks in it that contain the site; at most @most. */
static void add_block(const struct place *place, Dwarf_Die *scope, Dwarf_Die *block,
		      uint32_t most, int depth)
{
	struct point_rows *rows = &place->job->rows;
	const uint32_t end = rows->header.value_count + most;
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(block, &child) != 0)
		return;
	do {
		if (dwarf_tag(&child) == DW_TAG_variable && is_meant(place, scope, &child))
			add_variable(place, &child);
		else if (is_block_at(&child, place->vaddr))
			add_block(place, scope, &child, end - rows->header.value_count, depth + 1);
	} while (rows->header.value_count < end && dwarf_siblingof(&child, &child) == 0);
}

/* Adds the arguments and then the other variables in scope. Returns the number added. */
static uint32_t add_variables(const struct place *place, uint32_t most)
{
	struct point_rows *rows = &place->job->rows;
	const uint32_t first = rows->header.value_count;
	Dwarf_Die inner = place->scope->inner;

	add_params(place, most);
	if (rows->header.value_count - first < most)
		add_block(place, &inner, &inner, most - (rows->header.value_count - first), 0);
	return rows->header.value_count - first;
}

/* Adds the variables that the compilation unit itself defines, which its functions share. */
static uint32_t add_externs(const struct place *place, uint32_t most)
{
	Dwarf_Die unit = place->scope->unit, child;
	uint32_t count = 0;

	if (dwarf_child(&unit, &child) != 0)
		return 0;
	do {
		if (dwarf_tag(&child) != DW_TAG_variable || !dwarf_diename(&child) ||
		    (!dwarf_hasattr_integrate(&child, DW_AT_location) &&
		     !dwarf_hasattr_integrate(&child, DW_AT_const_value)))
			continue;
		add_variable(place, &child);
		count++;
	} while (count < most && dwarf_siblingof(&child, &child) == 0);
	return count;
}

static void offer(const struct place *place)
{
	static const struct point_argument retval = { .value = "$retval" };
	const struct point_query *query = place->job->query;
	Dwarf_Die inner, type;

	if (!place->scope) {
		const uint32_t registers = fetch_argument_registers(point_job_machine(place->job));

		for (uint32_t i = 1; i <= registers && place->vaddr == place->entry; i++)
			offer_numbered(place, i, NULL);
		if (place->vaddr == place->entry)
			add_argument(place, retval.value, &retval);
		return;
	}
	inner = place->scope->inner;
	if (place->vaddr != place->entry || query->line || query->line_count) {
		add_variables(place, POINT_OFFERED_MAX);
		return;
	}
	add_params(place, POINT_OFFERED_MAX - 1);
	if (!place->scope->is_inlined && point_types_of(&inner, &type))
		add_argument(place, retval.value, &retval);
}

static bool is_there(const struct point_job *job, uint64_t vaddr)
{
	const struct point_rows *rows = &job->rows;
	const struct point_function *function = &rows->functions[rows->header.function_count - 1];
	uint64_t offset;

	if (!point_job_offset(job, vaddr, &offset))
		return true;
	for (uint32_t i = 0; i < function->site_count; i++)
		if (rows->sites[function->first_site + i].offset == offset)
			return true;
	return false;
}

void point_values_add_point(struct point_job *job, const struct point_scope *scope, uint64_t entry,
			    uint64_t vaddr)
{
	const struct place place = { job, scope, scope ? scope->entry : entry, vaddr };
	struct point_rows *rows = &job->rows;
	struct point_function *function;
	struct point_site *site;

	if (!rows->header.function_count || is_there(job, vaddr))
		return;
	site = point_job_add_site(job, vaddr);
	if (!site)
		return;
	site->is_inlined = scope && scope->is_inlined;
	if (job->query->request != POINT_REQUEST_SITES) {
		if (scope)
			site->value_count = add_variables(&place, POINT_VARIABLES_MAX / 2);
		if (scope && job->query->request == POINT_REQUEST_EXTERNS)
			site->value_count += add_externs(&place, POINT_VARIABLES_MAX / 2);
		return;
	}
	for (uint32_t i = 0; i < job->query->argument_count; i++)
		add_argument(&place, job->query->arguments[i].value, &job->query->arguments[i]);
	site->value_count = job->query->argument_count;
	function = &rows->functions[rows->header.function_count - 1];
	if (function->site_count != 1)
		return;
	function->first_offered = rows->header.value_count;
	offer(&place);
	function->offered_count = rows->header.value_count - function->first_offered;
}
