/* point_values.c - see symbols/point_values.h. */
#include "symbols/point_values.h"

#include <stdio.h>
#include <string.h>

#define ABI_ARGUMENTS 6

struct place {
	struct point_job *job;
	uint64_t entry, vaddr;
};

static void add_argument(const struct place *place, const struct point_argument *asked)
{
	struct point_value_text row = { .name = asked->value,
					.is_return = value_path_is_return(asked->value) };
	struct value_path path;
	struct diag why = { .err = 0 };

	if (value_path_parse(&path, asked->value, &why)) {
		fetch_value_refuse(&row.value, "%s", why.text);
	} else if (path.base == VALUE_RAW) {
		fetch_value_put_raw(&row.value, asked->value, asked->type);
	} else {
		row.origin = POINT_ORIGIN_ABI;
		fetch_value_put_by_convention(&row.value, &path, asked->type,
					      place->vaddr == place->entry,
					      place->job->object.elf.is_32_bit);
	}
	point_rows_add_value(&place->job->rows, &row);
}

static void offer_by_convention(const struct place *place)
{
	struct point_argument argument = { .type = "" };

	for (unsigned int i = 1; i <= ABI_ARGUMENTS && !place->job->object.elf.is_32_bit; i++) {
		snprintf(argument.value, sizeof(argument.value), "$arg%u", i);
		add_argument(place, &argument);
	}
	add_argument(place, &(struct point_argument){ .value = "$retval" });
}

void point_values_add_point(struct point_job *job, uint64_t entry, uint64_t vaddr)
{
	const struct place place = { job, entry, vaddr };
	struct point *point = point_job_add_point(job, vaddr);
	struct point_function *function;

	if (!point)
		return;
	for (uint32_t i = 0; i < job->query->argument_count; i++)
		add_argument(&place, &job->query->arguments[i]);
	point->value_count = job->query->argument_count;
	function = &job->rows.functions[job->rows.header.function_count - 1];
	if (function->point_count != 1)
		return;
	function->first_offered = job->rows.header.value_count;
	if (vaddr == entry)
		offer_by_convention(&place);
	function->offered_count = job->rows.header.value_count - function->first_offered;
}
