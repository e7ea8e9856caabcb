/* point_values.c - see symbols/point_values.h. */
#include "symbols/point_values.h"

#include <stdio.h>
#include <string.h>

#include "symbols/value_path.h"

#define ABI_ARGUMENTS 6

struct place {
	struct point_job *job;
	uint64_t entry, vaddr;
};

static void put_type(struct point_value_text *value, const struct fetch_place *from,
		     const char *type)
{
	struct fetch_place place = *from;

	value->kind = fetch_kind_of(type);
	/* A text is at the place that is named, and a register can only point there. */
	if (value->kind == FETCH_TEXT && !place.is_memory)
		place = fetch_follow(&place);
	if (!fetch_write(&place, type, value->fetch))
		value->reason = "longer than the kernel takes";
}

static void put_raw(struct point_value_text *value, const struct point_argument *asked)
{
	value->origin = POINT_ORIGIN_TYPED;
	value->kind = fetch_kind_of(asked->type[0] ? asked->type : "x64");
	snprintf(value->fetch, sizeof(value->fetch), "%s%s%s", asked->value,
		 asked->type[0] ? ":" : "", asked->type);
}

/* By the calling convention, at the function's begin or at its end. */
static void put_by_convention(const struct place *place, const struct value_path *path,
			      const char *type, struct point_value_text *value)
{
	struct fetch_place from;

	value->origin = POINT_ORIGIN_ABI;
	if (path->base == VALUE_VARIABLE)
		value->reason = "no debug information: install its debug symbols, or use $arg1";
	else if (path->step_count)
		value->reason = "no debug information: members are unknown";
	else if (place->job->object.elf.is_32_bit && path->base == VALUE_ARGUMENT)
		value->reason = "a 32-bit program: name a fetch argument, as +4($stack)";
	else if (path->base == VALUE_ARGUMENT && place->vaddr != place->entry)
		value->reason = "arguments are in their registers only where the function begins";
	if (value->reason)
		return;
	from = path->base == VALUE_RETURNED ? fetch_register("$retval")
					    : fetch_argument(path->number - 1);
	put_type(value, &from, type[0] ? type : "x64");
}

static void add_argument(const struct place *place, const struct point_argument *asked)
{
	struct point_value_text value = { .name = asked->value, .type = asked->type,
					  .is_return = value_path_is_return(asked->value) };
	struct value_path path;
	struct diag why = { .err = 0 };

	if (value_path_parse(&path, asked->value, &why))
		value.reason = why.text;
	else if (path.base == VALUE_RAW)
		put_raw(&value, asked);
	else
		put_by_convention(place, &path, asked->type, &value);
	point_rows_add_value(&place->job->rows, &value);
}

static void offer_by_convention(const struct place *place, struct point_function *function)
{
	static const struct point_argument retval = { .value = "$retval" };

	function->first_offered = place->job->rows.header.value_count;
	if (place->vaddr != place->entry)
		return;
	for (unsigned int i = 1; i <= ABI_ARGUMENTS && !place->job->object.elf.is_32_bit; i++) {
		struct point_argument argument = { .type = "" };

		snprintf(argument.value, sizeof(argument.value), "$arg%u", i);
		add_argument(place, &argument);
	}
	add_argument(place, &retval);
	function->offered_count = place->job->rows.header.value_count - function->first_offered;
}

void point_values_add_point(struct point_job *job, uint64_t entry, uint64_t vaddr)
{
	const struct place place = { job, entry, vaddr };
	struct point_function *function;
	struct point *point = point_job_add_point(job, vaddr);

	if (!point)
		return;
	function = &job->rows.functions[job->rows.header.function_count - 1];
	for (uint32_t i = 0; i < job->query->argument_count; i++)
		add_argument(&place, &job->query->arguments[i]);
	point->value_count = job->query->argument_count;
	if (function->point_count == 1)
		offer_by_convention(&place, function);
}
