/* point_pair.c - see point_pair.h.
 *
 * Idea: each point is found as a probe of its own, by the resolver of its kind: with its own file,
 * sites, values, verdict. The two then differ from any other probe only in who brings a value: the
 * first point, or if that has none of that name, the second.
 *
 * Joins: a tracepoint is joined by a field of its record. A function or a USDT probe has no fields:
 * there a name is that of a value of the probe (req=$arg1 ... on req) or the value itself ($arg1,
 * or a variable), which is recorded for that alone.
 *
 * Stages: a point between the first and the last brings nothing but what joins it. No point brings
 * the time of a stage: the spec of one point is without these, and what was found for it is moved
 * apart afterwards, so that all points' values have the indices of the whole spec's arguments.
 */
#include "point_pair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/tracefs.h"
#include "point_tracepoint.h"
#include "probe_verdict.h"

bool point_pair_is(const struct probe_spec *spec)
{
	return spec->edge == PROBE_LATENCY && spec->end.function[0];
}

/* Returns the index of the value of @point that is called @name, or is that; argument_count: there
 * is none. */
static uint32_t find_value(const struct probe_spec *point, const char *name)
{
	uint32_t i = 0;

	while (i < point->argument_count && strcmp(point->arguments[i].name, name) != 0)
		i++;
	for (uint32_t k = 0; i == point->argument_count && k < point->argument_count; k++)
		if (!strcmp(point->arguments[k].value, name))
			return k;
	return i;
}

/* Returns the name of the field at @index: 0 for the first point. */
static const char *name_at(const struct probe_spec *spec, const struct probe_on *on, uint32_t index)
{
	if (!index)
		return on->begin;
	return index <= spec->middle_count ? on->middles[index - 1] : on->end;
}

/* Adds the values that join @point, which has no fields. */
static int add_joins(const struct probe_spec *spec, uint32_t index, struct probe_spec *point,
		     struct diag *why)
{
	for (uint32_t i = 0; i < spec->on_count; i++) {
		const char *name = name_at(spec, &spec->on[i], index);
		struct probe_argument added = { .is_implied = true };

		if (find_value(point, name) < point->argument_count)
			continue;
		if (point->argument_count == PROBE_ARGUMENTS_MAX)
			return diag_set(why, -E2BIG, "more than %d values, with those that join "
					"the two points", PROBE_ARGUMENTS_MAX);
		snprintf(added.name, sizeof(added.name), "on%u", i + 1);
		snprintf(added.value, sizeof(added.value), "%s", name);
		point->arguments[point->argument_count++] = added;
	}
	return 0;
}

static void drop_stages(struct probe_spec *out)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < out->argument_count; i++)
		if (!out->arguments[i].stage)
			out->arguments[kept++] = out->arguments[i];
	out->argument_count = kept;
}

/* True: no point but the first and the last has values of the user. */
static bool is_middle(const struct probe_spec *spec, uint32_t index)
{
	return index && index <= spec->middle_count;
}

int point_pair_spec(const struct probe_spec *spec, uint32_t index, struct probe_spec *out,
		    struct diag *why)
{
	const struct probe_end *end = is_middle(spec, index) ? &spec->middles[index - 1]
							     : &spec->end;

	*out = *spec;
	out->edge = index ? end->edge : spec->is_from_return ? PROBE_RETURN : PROBE_ENTRY;
	out->end = (struct probe_end){ .function = "" };
	out->middle_count = 0;
	out->is_from_return = false;
	out->on_count = 0;
	out->condition.count = 0;
	drop_stages(out);
	if (index) {
		out->kind = end->kind;
		memcpy(out->file, end->file, sizeof(out->file));
		memcpy(out->group, end->group, sizeof(out->group));
		memcpy(out->function, end->function, sizeof(out->function));
		out->is_wildcard = false;
		out->offset = out->line = 0;
		out->declared_in[0] = out->source[0] = out->pattern[0] = '\0';
		out->build_id = (struct build_id){ .count = 0 };
	}
	out->name[0] = '\0';
	if (is_middle(spec, index))
		out->argument_count = out->key_count = out->aggregate_count = 0;
	/* A value that one point lacks may be the other's. */
	for (uint32_t i = 0; out->kind == PROBE_USDT && i < out->argument_count; i++)
		out->arguments[i].is_implied = true;
	return out->kind == PROBE_TRACEPOINT ? 0 : add_joins(spec, index, out, why);
}

/* Finds the values by which @point is joined, while its spec is that of this point alone. */
static void find_joins(struct probe_point *point, const struct probe_spec *spec, uint32_t index)
{
	for (uint32_t i = 0; i < spec->on_count && point->spec.kind != PROBE_TRACEPOINT; i++)
		point->on_values[i] = find_value(&point->spec, name_at(spec, &spec->on[i], index));
}

/* Inserts the time of a stage at @index of the values of a site, which have room: the resolver
 * found at most as many as the whole spec has, without its stages, and those that join. */
static void insert_value(struct probe_site *site, uint32_t index,
			 const struct probe_argument *argument)
{
	struct probe_fetch *value = &site->values[index];

	memmove(value + 1, value, (site->value_count - index) * sizeof(*value));
	site->value_count++;
	*value = (struct probe_fetch){ .type = "ns", .kind = VALUE_UNSIGNED,
				       .origin = ORIGIN_STAGE };
	memcpy(value->name, argument->name, sizeof(value->name));
}

/* Gives the values of the first or the last point, whose spec is that of this point alone, the
 * indices that they have in @spec. 0; -E2BIG: they are too many. */
static int insert_stages(struct probe_point *point, const struct probe_spec *spec,
			 struct diag *why)
{
	struct probe_spec *own = &point->spec;

	for (uint32_t i = 0; i < spec->argument_count; i++) {
		if (!spec->arguments[i].stage)
			continue;
		if (own->argument_count == PROBE_ARGUMENTS_MAX)
			return diag_set(why, -E2BIG, "more than %d values, with the times of the "
					"stages and those that join the points",
					PROBE_ARGUMENTS_MAX);
		memmove(&own->arguments[i + 1], &own->arguments[i],
			(own->argument_count++ - i) * sizeof(own->arguments[0]));
		own->arguments[i] = spec->arguments[i];
		for (uint32_t s = 0; s < point->site_count; s++)
			insert_value(&point->sites[s], i, &spec->arguments[i]);
	}
	return 0;
}

int point_pair_begin(struct probe_point *point, const struct probe_spec *spec, struct diag *why)
{
	char function[PROBE_FUNCTION_BYTES];
	const int err = insert_stages(point, spec, why);

	if (err)
		return err;
	find_joins(point, spec, 0);
	memcpy(function, point->spec.function, sizeof(function));
	point->spec = *spec;
	memcpy(point->spec.function, function, sizeof(function));
	point->spec.is_wildcard = false;
	if (spec->is_wildcard)
		snprintf(point->spec.end.function, sizeof(point->spec.end.function), "sys_exit%s",
			 function + strlen("sys_enter"));
	return 0;
}

/* Drops the values that the point has, but not at its edge; what is left is of the first or the
 * second point. */
static void keep_values_of_edge(struct probe_point *point, bool is_at_return, bool is_second)
{
	for (uint32_t s = 0; s < point->site_count; s++) {
		struct probe_site *site = &point->sites[s];

		for (uint32_t i = 0; i < site->value_count; i++) {
			struct probe_fetch *value = &site->values[i];
			const bool is_there = value->is_return == is_at_return;

			value->is_return = is_second;
			if (!value->fetch[0] || is_there)
				continue;
			value->fetch[0] = '\0';
			snprintf(value->reason, sizeof(value->reason), "%s", is_at_return
				 ? "at the return there is only $retval"
				 : "$retval is known at the return of a function");
		}
	}
}

static bool has_value(const struct probe_point *point, uint32_t index)
{
	for (uint32_t i = 0; i < point->site_count; i++)
		if (index < point->sites[i].value_count && point->sites[i].values[index].fetch[0])
			return true;
	return false;
}

static bool is_join(const struct probe_point *point, const struct probe_spec *spec, uint32_t index)
{
	bool is_one = false;

	for (uint32_t i = 0; i < spec->on_count && point->spec.kind != PROBE_TRACEPOINT; i++)
		is_one |= point->on_values[i] == index;
	return is_one;
}

/* Drops the second point's value @index, which the first one brings, unless it joins them. */
static void drop_value(struct probe_point *end, const struct probe_spec *spec, uint32_t index)
{
	for (uint32_t i = 0; i < end->site_count; i++) {
		struct probe_fetch *value = &end->sites[i].values[index];

		value->is_copied = false;
		if (!is_join(end, spec, index))
			value->fetch[0] = '\0';
	}
}

/* Makes value @index that of the second point; neither may have it: the reason is of both then. */
static void take_value(struct probe_point *point, uint32_t index)
{
	const struct probe_fetch *other = &point->end->sites[0].values[index];
	const bool is_there = has_value(point->end, index);

	for (uint32_t i = 0; i < point->site_count; i++) {
		struct probe_fetch *value = &point->sites[i].values[index];
		const size_t used = strlen(value->reason);

		if (is_there) {
			*value = *other;
			value->is_copied = false;
		} else {
			snprintf(value->reason + used, sizeof(value->reason) - used,
				 "; at the second point: %s", other->reason);
		}
	}
}

/* Decides for each value of the spec which point brings it. */
static void join_values(struct probe_point *point)
{
	const struct probe_spec *spec = &point->spec;

	keep_values_of_edge(point, spec->is_from_return, false);
	if (!point->end)
		return;
	keep_values_of_edge(point->end, point->end->spec.edge == PROBE_RETURN, true);
	for (uint32_t i = 0; i < spec->argument_count; i++) {
		if (spec->arguments[i].stage)
			continue;
		if (has_value(point, i))
			drop_value(point->end, spec, i);
		else
			take_value(point, i);
	}
}

static bool is_offered(const struct probe_fetch *value, bool is_at_return)
{
	return value->is_return == is_at_return;
}

/* Offers the values of both points. */
static int join_offered(struct probe_point *point, struct diag *why)
{
	const struct probe_point *end = point->end;
	const uint32_t most = point->offered_count + (end ? end->offered_count : 0);
	struct probe_fetch *offered = calloc(most + 1, sizeof(*offered));
	uint32_t count = 0;

	if (!offered)
		return diag_set(why, -ENOMEM, "no memory for the sites of a probe");
	for (uint32_t i = 0; i < point->offered_count; i++)
		if (is_offered(&point->offered[i], point->spec.is_from_return)) {
			offered[count] = point->offered[i];
			offered[count++].is_return = false;
		}
	for (uint32_t i = 0; end && i < end->offered_count; i++)
		if (is_offered(&end->offered[i], end->spec.edge == PROBE_RETURN)) {
			offered[count] = end->offered[i];
			offered[count++].is_return = true;
		}
	free(point->offered);
	point->offered = offered;
	point->offered_count = count;
	return 0;
}

/* What a point is joined by. */
struct join {
	const struct probe_point *point;
	const struct raw_fields *fields;	/* TRACEPOINT: of its record */
	const char *function, *name;
	uint32_t index;				/* in spec.on */
	bool is_text;				/* text, or an array */
};

/* Checks that every hit has it. */
static int check_value(struct join *join, struct diag *why)
{
	const struct probe_point *point = join->point;
	const uint32_t index = point->on_values[join->index];

	for (uint32_t i = 0; i < point->site_count; i++) {
		const struct probe_fetch *value = &point->sites[i].values[index];

		if (!value->fetch[0])
			return diag_set(why, -EINVAL, "%s has no value '%s' to join by: %s",
					join->function, join->name, value->reason);
		join->is_text = value->kind == VALUE_TEXT;
	}
	return 0;
}

static int check_join(struct join *join, struct diag *why)
{
	char names[160];
	int field;

	if (join->point->spec.kind != PROBE_TRACEPOINT)
		return check_value(join, why);
	field = raw_fields_find(join->fields, join->name);
	if (field >= 0) {
		join->is_text = join->fields->list[field].is_text ||
				join->fields->list[field].is_array;
		return 0;
	}
	raw_fields_list(join->fields, names, sizeof(names));
	return diag_set(why, -EINVAL, "%s has no field '%s' to join by; it has %s", join->function,
			join->name, names);
}

/* Checks what joins the first point and @index, which has @end. */
static int check_joins(const struct probe_point *point, const struct raw_fields *begin,
		       uint32_t index, const struct raw_fields *end, struct diag *why)
{
	const struct probe_spec *spec = &point->spec;
	const struct probe_point *later = probe_point_at(point, index);

	for (uint32_t i = 0; i < spec->on_count; i++) {
		struct join first = { point, begin, spec->function, spec->on[i].begin, i, false };
		struct join second = { later, end, later ? later->spec.function : "",
				       name_at(spec, &spec->on[i], index), i, false };
		int err = check_join(&first, why);

		if (!err && later)
			err = check_join(&second, why);
		if (err)
			return err;
		if (later && first.is_text != second.is_text)
			return diag_set(why, -EINVAL, "%s of %s is a %s, %s of %s is a %s: the two "
					"are never equal", first.name, first.function,
					first.is_text ? "text" : "number", second.name,
					second.function, second.is_text ? "text" : "number");
	}
	return 0;
}

/* Notes the field of the second tracepoint that in each pair is equal to @value. */
static void find_equal(const struct probe_spec *spec, const struct raw_fields *end,
		       struct probe_fetch *value)
{
	const char *equal = probe_point_is_system_call(spec) ? value->fetch : "";

	for (uint32_t i = 0; i < spec->on_count; i++)
		if (!strcmp(spec->on[i].begin, value->fetch))
			equal = spec->on[i].end;
	if (raw_fields_find(end, equal) >= 0)
		snprintf(value->end_field, sizeof(value->end_field), "%s", equal);
}

static void find_equals(struct probe_point *point, const struct raw_fields *end)
{
	for (uint32_t i = 0; i < point->spec.argument_count; i++) {
		struct probe_fetch *value = &point->sites[0].values[i];

		if (value->fetch[0] && !value->is_return)
			find_equal(&point->spec, end, value);
	}
}

/* Takes the worst verdict, and says which point it is of. */
static void join_verdicts(struct probe_point *point)
{
	struct probe_spec *first = malloc(sizeof(*first));
	char name[PROBE_FUNCTION_BYTES], reason[sizeof(point->reason)];
	const struct probe_point *later;

	if (!first)
		return;		/* the attempt to attach will fail, too */
	if (point->reason[0] && !point_pair_spec(&point->spec, 0, first, NULL)) {
		probe_spec_name(first, name, sizeof(name));
		memcpy(reason, point->reason, sizeof(reason));
		snprintf(point->reason, sizeof(point->reason), "%.80s: %.170s", name, reason);
	}
	for (uint32_t i = 1; (later = probe_point_at(point, i)) != NULL; i++) {
		probe_spec_name(&later->spec, name, sizeof(name));
		probe_verdict_add(point, later->verdict, "%.80s: %.170s", name, later->reason);
	}
	free(first);
}

static int read_fields(const struct probe_point *point, struct raw_fields *out, struct diag *why)
{
	int directory, err;

	*out = (struct raw_fields){ .list = NULL };
	if (!point || point->spec.kind != PROBE_TRACEPOINT)
		return 0;
	directory = tracefs_open(why);
	if (directory < 0)
		return directory;
	err = tracefs_read_fields(directory, point->spec.group, point->spec.function, out, why);
	close(directory);
	return err;
}

/* Does what needs the fields of the first and the last tracepoint. */
static int join_fields(struct probe_point *point, const struct raw_fields *begin,
		       const struct raw_fields *end, struct diag *why)
{
	int err = check_joins(point, begin, point->spec.middle_count + 1, end, why);

	if (err)
		return err;
	if (point->end && begin->count && end->count)
		find_equals(point, end);
	condition_words_resolve(point, begin->count ? begin : NULL, end->count ? end : NULL);
	if (begin->count)
		point_tracepoint_judge_filter(point, begin);
	return 0;
}

/* Keeps what joins a point between the first and the last, at its own edge. */
static void keep_joins(struct probe_point *middle, const struct probe_spec *spec, uint32_t index)
{
	const bool is_return = middle->spec.edge == PROBE_RETURN;

	find_joins(middle, spec, index);
	for (uint32_t s = 0; s < middle->site_count; s++)
		for (uint32_t i = 0; i < middle->sites[s].value_count; i++) {
			struct probe_fetch *value = &middle->sites[s].values[i];

			value->is_copied = false;
			if (value->is_return != is_return || !is_join(middle, spec, i))
				value->fetch[0] = '\0';
		}
}

/* Joins the points between the first, which has @begin, and the last. */
static int join_middles(struct probe_point *point, const struct raw_fields *begin,
			struct diag *why)
{
	int err = 0;

	for (uint32_t i = 0; i < point->spec.middle_count && !err; i++) {
		struct raw_fields fields;

		keep_joins(point->middles[i], &point->spec, i + 1);
		err = read_fields(point->middles[i], &fields, why);
		if (!err)
			err = check_joins(point, begin, i + 1, &fields, why);
		raw_fields_finish(&fields);
	}
	return err;
}

int point_pair_join(struct probe_point *point, struct diag *why)
{
	const struct probe_spec *spec = &point->spec;
	struct raw_fields begin, end;
	int err = point->end ? insert_stages(point->end, spec, why) : 0;

	if (err)
		return err;
	if (point->end)
		find_joins(point->end, spec, spec->middle_count + 1);
	join_values(point);
	err = join_offered(point, why);
	if (err)
		return err;
	if (point->end)
		join_verdicts(point);
	err = read_fields(point, &begin, why);
	if (!err)
		err = join_middles(point, &begin, why);
	if (!err) {
		err = read_fields(point->end, &end, why);
		if (!err)
			err = join_fields(point, &begin, &end, why);
		raw_fields_finish(&end);
	}
	raw_fields_finish(&begin);
	return err;
}
