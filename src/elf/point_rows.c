/* point_rows.c - see point_rows.h. */
#include "point_rows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define POINTS_MAX   (POINT_FUNCTIONS_MAX * POINT_SITES_MAX)
#define VALUES_MAX   (POINT_FUNCTIONS_MAX * POINT_OFFERED_MAX + 8192)
#define STRINGS_MAX  (2u << 20)
#define TEXT_MAX     1024

_Static_assert(sizeof(struct point_header) + sizeof(uint32_t) +
	       POINT_FUNCTIONS_MAX * sizeof(struct point_function) +
	       POINTS_MAX * sizeof(struct point) + VALUES_MAX * sizeof(struct point_value) +
	       STRINGS_MAX <= POINT_ANSWER_BYTES, "what is made here passes the check");

int point_rows_create(struct point_rows *out)
{
	*out = (struct point_rows){
		.functions = calloc(POINT_FUNCTIONS_MAX, sizeof(*out->functions)),
		.points = calloc(POINTS_MAX, sizeof(*out->points)),
		.values = calloc(VALUES_MAX, sizeof(*out->values)),
		.strings = calloc(STRINGS_MAX, 1),
		.header = { .magic = POINT_ANSWER_MAGIC, .version = POINT_ANSWER_VERSION,
			    .string_bytes = 1 },
	};
	return out->functions && out->points && out->values && out->strings ? 0 : -ENOMEM;
}

void point_rows_destroy(struct point_rows *rows)
{
	free(rows->functions);
	free(rows->points);
	free(rows->values);
	free(rows->strings);
}

static uint32_t put_text(struct point_rows *rows, const char *text, size_t bytes)
{
	const uint32_t at = rows->header.string_bytes;

	if (!bytes)
		return 0;
	if (bytes >= STRINGS_MAX - at) {
		rows->is_full = true;
		return 0;
	}
	memcpy(rows->strings + at, text, bytes);
	rows->header.string_bytes += (uint32_t)bytes + 1;
	return at;
}

uint32_t point_rows_text(struct point_rows *rows, const char *text)
{
	return put_text(rows, text, text ? strnlen(text, TEXT_MAX) : 0);
}

struct point_function *point_rows_add_function(struct point_rows *rows, const char *name,
					       size_t bytes)
{
	struct point_function *function;

	if (rows->header.function_count == POINT_FUNCTIONS_MAX) {
		rows->is_full = true;
		return NULL;
	}
	function = &rows->functions[rows->header.function_count++];
	function->name = put_text(rows, name, bytes > TEXT_MAX ? TEXT_MAX : bytes);
	function->first_point = rows->header.point_count;
	return function;
}

struct point *point_rows_add_point(struct point_rows *rows)
{
	struct point_function *function = &rows->functions[rows->header.function_count - 1];

	if (function->point_count == POINT_SITES_MAX) {
		rows->is_full = true;
		return NULL;
	}
	function->point_count++;
	rows->points[rows->header.point_count].first_value = rows->header.value_count;
	return &rows->points[rows->header.point_count++];
}

void point_rows_add_value(struct point_rows *rows, const struct point_value_text *value)
{
	struct point_value *row = &rows->values[rows->header.value_count];

	if (rows->header.value_count == VALUES_MAX) {
		rows->is_full = true;
		return;
	}
	rows->header.value_count++;
	*row = (struct point_value){
		.name = point_rows_text(rows, value->name),
		.type = point_rows_text(rows, value->value.type),
		.fetch = point_rows_text(rows, value->value.fetch),
		.reason = point_rows_text(rows, value->value.reason),
		.kind = (uint8_t)value->value.kind, .origin = (uint8_t)value->origin,
		.is_return = value->is_return,
	};
}

static char *append(char *at, const void *bytes, size_t count)
{
	if (count)
		memcpy(at, bytes, count);
	return at + count;
}

int point_rows_finish(struct point_rows *rows, void **bytes, size_t *bytes_count,
		      struct diag *why)
{
	const struct point_header *header = &rows->header;
	const size_t functions = header->function_count * sizeof(*rows->functions);
	const size_t gap = header->function_count % 2 ? sizeof(uint32_t) : 0;
	const size_t points = header->point_count * sizeof(*rows->points);
	const size_t values = header->value_count * sizeof(*rows->values);
	char *at;

	if (rows->is_full)
		return diag_set(why, -E2BIG, "more than %d places match: name one",
				POINT_SITES_MAX);
	*bytes_count = sizeof(*header) + functions + gap + points + values + header->string_bytes;
	*bytes = at = calloc(1, *bytes_count);
	if (!at)
		return diag_set(why, -ENOMEM, "no memory for the places of a probe");
	at = append(at, header, sizeof(*header));
	at = append(at, rows->functions, functions) + gap;
	at = append(at, rows->points, points);
	at = append(at, rows->values, values);
	append(at, rows->strings, header->string_bytes);
	return 0;
}
