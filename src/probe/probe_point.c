/* probe_point.c - see probe/probe_point.h. */
#include "probe/probe_point.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file_watch.h"

/* Returns the bits of an element of an array type, "u8[4]"; 0: it is no array. */
static unsigned int array_bits(const char *type)
{
	unsigned int bits;

	return strchr(type, '[') && type[0] && sscanf(type + 1, "%u[", &bits) == 1 ? bits : 0;
}

/* True for the source's types of texts: "const char *", "xmlChar *". */
static bool is_text_type(const char *type)
{
	return strstr(type, "char") || strstr(type, "Char");
}

void probe_fetch_set_meaning(struct probe_fetch *value, const struct probe_argument *argument)
{
	const unsigned int bits = array_bits(argument->type);

	if (!value->fetch[0])
		return;
	if (strcmp(argument->type, "symbol") == 0) {
		value->kind = VALUE_SYMBOL;
	} else if (bits) {
		value->meaning = bits == 8 ? MEANING_BYTES : MEANING_LIST;
		value->kind = VALUE_TEXT;
	} else if (probe_meaning_of_type(argument->type, &value->meaning)) {
		value->kind = probe_meaning_is_text(value->meaning) ? VALUE_TEXT :
			      value->meaning == MEANING_ERRNO ? VALUE_SIGNED : VALUE_NAMED;
		/* A type that is not __be16 is already in host byte order. */
		if (value->meaning == MEANING_PORT && value->type[0] &&
		    value->origin != ORIGIN_NOTE && !strstr(value->type, "be16"))
			value->meaning = MEANING_PLAIN;
	}
	if (argument->is_masked && value->kind == VALUE_TEXT && value->meaning == MEANING_PLAIN) {
		value->meaning = MEANING_STATEMENT;
	} else if (argument->is_masked) {
		value->fetch[0] = '\0';
		snprintf(value->reason, sizeof(value->reason), "norm() masks texts, and this is "
			 "none: add :string");
	}
	if (argument->type[0] && (!value->type[0] || value->origin == ORIGIN_NOTE ||
				  (value->kind == VALUE_TEXT && !is_text_type(value->type) &&
				   strstr(argument->type, "string"))))
		snprintf(value->type, sizeof(value->type), "%s", argument->type);
}

void probe_point_free(struct probe_point *points, uint32_t count)
{
	for (uint32_t i = 0; points && i < count; i++) {
		if (points[i].file >= 0)
			close(points[i].file);
		file_watch_destroy(points[i].watch);
		free(points[i].sites);
		free(points[i].offered);
		probe_point_free(points[i].end, 1);
		for (uint32_t k = 0; k < PROBE_MIDDLES_MAX; k++)
			probe_point_free(points[i].middles[k], 1);
	}
	free(points);
}

const struct probe_point *probe_point_of_edge(const struct probe_point *points, bool is_second)
{
	return is_second && points->end ? points->end : points;
}

const struct probe_point *probe_point_at(const struct probe_point *points, uint32_t index)
{
	const uint32_t middles = points->spec.middle_count;

	if (!index)
		return points;
	if (index <= middles)
		return points->middles[index - 1];
	return index == middles + 1 ? points->end : NULL;
}

bool probe_point_is_at_return(const struct probe_point *points, bool is_second)
{
	const struct probe_spec *spec = &points->spec;

	if (is_second && points->end)
		return points->end->spec.edge == PROBE_RETURN;
	return spec->edge == PROBE_RETURN ||
	       (spec->edge == PROBE_LATENCY && (is_second || spec->is_from_return));
}

bool probe_point_is_system_call(const struct probe_spec *spec)
{
	static const char enter[] = "sys_enter", leave[] = "sys_exit";

	return spec->kind == PROBE_TRACEPOINT && strstr(spec->group, "syscalls") &&
	       !strcmp(spec->group, spec->end.group) &&
	       !strncmp(spec->function, enter, strlen(enter)) &&
	       !strncmp(spec->end.function, leave, strlen(leave)) &&
	       !strcmp(spec->function + strlen(enter), spec->end.function + strlen(leave));
}
