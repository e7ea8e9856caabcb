/* probe_resolver.c - see probe/probe_point.h; each kind of probe point has a file of its own. */
#include "probe/probe_point.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_sites.h"
#include "kernel_types.h"
#include "point_kernel.h"
#include "point_pair.h"
#include "point_tracepoint.h"
#include "point_usdt.h"
#include "point_user.h"
#include "probe_verdict.h"
#include "sandbox/flat_table.h"
#include "symbols/kallsyms.h"

struct probe_resolver {
	struct source_reader reader;	/* its sandbox is borrowed */
	struct kernel_types *types;	/* owned */
};

int probe_resolver_create(struct probe_resolver **out, struct sandbox *sandbox, struct diag *why)
{
	struct probe_resolver *resolver = calloc(1, sizeof(*resolver));

	*out = NULL;
	if (resolver) {
		resolver->reader.sandbox = sandbox;
		resolver->types = kernel_types_create();
	}
	if (!resolver || !resolver->types) {
		probe_resolver_destroy(resolver);
		return diag_set(why, -ENOMEM, "no memory for the sites of probes");
	}
	*out = resolver;
	return 0;
}

void probe_resolver_destroy(struct probe_resolver *resolver)
{
	if (!resolver)
		return;
	kernel_types_destroy(resolver->types);
	free(resolver);
}

/* Returns why argument @index can be fetched at none of the sites; NULL: one of them can. */
static const char *refusal_of(const struct probe_point *point, uint32_t index)
{
	const char *reason = NULL;

	for (uint32_t i = 0; i < point->site_count; i++) {
		if (index >= point->sites[i].value_count ||
		    point->sites[i].values[index].fetch[0])
			return NULL;
		reason = point->sites[i].values[index].reason;
	}
	return reason;
}

static bool is_asked_for(const struct probe_condition *condition, const char *name)
{
	for (uint32_t i = 0; i < condition->count; i++) {
		const struct probe_node *node = &condition->nodes[i];

		if ((node->operand == OPERAND_VALUE || node->operand == OPERAND_RETURN) &&
		    !strcmp(node->name, name))
			return true;
	}
	return false;
}

/* Refuses keys and aggregates whose values can't be fetched: all hits would be one group. */
static void judge_groups(struct probe_point *point)
{
	for (uint32_t i = 0; i < point->spec.argument_count; i++) {
		const char *reason = probe_spec_groups_use(&point->spec, i) &&
				     !point->spec.arguments[i].stage ? refusal_of(point, i) : NULL;

		if (reason)
			probe_verdict_add(point, VERDICT_UNABLE, "a key or an aggregate asks for "
					  "%s: %s", point->spec.arguments[i].name, reason);
	}
}

/* Refuses values that can't be fetched if they are compared (which never holds then), were typed
 * with a type, or belong to a tracepoint. USDT probes report their own with the point. */
static void judge_values(struct probe_point *point)
{
	for (uint32_t i = 0; i < point->spec.argument_count; i++) {
		const struct probe_argument *argument = &point->spec.arguments[i];
		const bool is_compared = is_asked_for(&point->spec.condition, argument->name);
		const bool is_typed = (argument->type[0] && point->spec.kind != PROBE_USDT) ||
				      argument->is_masked || point->end ||
				      point->spec.kind == PROBE_TRACEPOINT;
		const char *reason = !argument->stage && (is_compared || is_typed)
					     ? refusal_of(point, i) : NULL;

		if (reason)
			probe_verdict_add(point, VERDICT_UNABLE,
					  is_compared ? "the filter asks for %s: %s" : "%s: %s",
					  argument->name, reason);
	}
	judge_groups(point);
}

/* Reads the build-ids of the kernel and its modules, and checks them. */
static int check_kernel_builds(const struct probe_spec *spec, struct probe_point *points,
			       uint32_t count, struct diag *why)
{
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++) {
		const bool is_module = strcmp(points[i].path, "kernel") != 0;

		points[i].build_id = is_module ? kallsyms_module_build_id(points[i].path)
					       : kallsyms_build_id();
		err = probe_verdict_check_build(&spec->build_id, &points[i].build_id,
					     is_module ? points[i].path : "the kernel", why);
	}
	return err;
}

static int find_kernel(struct probe_resolver *resolver, const struct probe_spec *spec,
		       struct probe_point **out, uint32_t *count, struct diag *why)
{
	const struct build_id own = spec->file[0] ? kallsyms_module_build_id(spec->file)
						  : kallsyms_build_id();
	int err = point_kernel_find(resolver->types, &resolver->reader, spec, out, count, why);
	int stale;

	if (!err)
		return check_kernel_builds(spec, *out, *count, why);
	/* A function that only another build has is not the reason. */
	stale = own.count ? probe_verdict_check_build(&spec->build_id, &own, spec->file[0]
						      ? spec->file : "the kernel", why) : 0;
	return stale ? stale : err;
}

static int find(struct probe_resolver *resolver, const struct probe_spec *spec, pid_t pid,
		struct probe_point **out, uint32_t *count, struct diag *why)
{
	switch (spec->kind) {
	case PROBE_KERNEL:
		return find_kernel(resolver, spec, out, count, why);
	case PROBE_USER:
		return point_user_find(&resolver->reader, spec, pid, POINT_REQUEST_SITES, out,
				       count, why);
	case PROBE_TRACEPOINT:
		return point_tracepoint_find(spec, out, count, why);
	case PROBE_USDT:
		return point_usdt_find(resolver->reader.sandbox, spec, pid, out, count, why);
	}
	return diag_set(why, -EINVAL, "no such kind of probe");
}

/* Finds the probe points of a spec that is no pair. */
static int find_call(struct probe_resolver *resolver, const struct probe_spec *spec, pid_t pid,
		     struct probe_point **out, uint32_t *count, struct diag *why)
{
	int err = find(resolver, spec, pid, out, count, why);

	for (uint32_t i = 0; !err && i < *count; i++)
		if (spec->kind != PROBE_TRACEPOINT)	/* tracepoints: done with their fields */
			condition_words_resolve(&(*out)[i], NULL, NULL);
	return err;
}

/* Finds the point @index of the latency that @point begins. @one_end: room for its spec. */
static int find_later_point(struct probe_resolver *resolver, struct probe_point *point,
			    uint32_t index, pid_t pid, struct probe_spec *one_end,
			    struct diag *why)
{
	struct probe_point **out = index <= point->spec.middle_count ? &point->middles[index - 1]
								     : &point->end;
	uint32_t count = 0;
	int err = point_pair_spec(&point->spec, index, one_end, why);

	if (!err)
		err = find(resolver, one_end, pid, out, &count, why);
	if (!err && count != 1)
		err = diag_set(why, -E2BIG, "a latency has one end, not %u", count);
	if (err) {
		probe_point_free(*out, count);
		*out = NULL;
	}
	return err;
}

/* Finds the points that follow @point. */
static int find_later_points(struct probe_resolver *resolver, struct probe_point *point, pid_t pid,
			     struct probe_spec *one_end, struct diag *why)
{
	int err = 0;

	for (uint32_t i = 1; i < point->spec.middle_count + 2 && !err; i++)
		err = find_later_point(resolver, point, i, pid, one_end, why);
	return err;
}

/* Finds the points of a latency between two or more. */
static int find_pairs(struct probe_resolver *resolver, const struct probe_spec *spec, pid_t pid,
		      struct probe_point **out, uint32_t *count, struct diag *why)
{
	struct probe_spec *one_end = malloc(sizeof(*one_end));
	int err;

	if (!one_end)
		return diag_set(why, -ENOMEM, "no memory for the sites of a probe");
	err = point_pair_spec(spec, 0, one_end, why);
	if (!err)
		err = find(resolver, one_end, pid, out, count, why);
	for (uint32_t i = 0; !err && i < *count; i++) {
		struct probe_point *point = &(*out)[i];

		err = point_pair_begin(point, spec, why);
		if (!err && !probe_spec_is_interval(&point->spec))
			err = find_later_points(resolver, point, pid, one_end, why);
		if (!err)
			err = point_pair_join(point, why);
	}
	free(one_end);
	return err;
}

static void drop_points(struct probe_point **out, uint32_t *count)
{
	probe_point_free(*out, *count);
	*out = NULL;
	*count = 0;
}

int probe_resolver_find(struct probe_resolver *resolver, const struct probe_spec *spec, pid_t pid,
			struct probe_point **out, uint32_t *count, struct diag *why)
{
	int err;

	*out = NULL;
	*count = 0;
	err = point_pair_is(spec) ? find_pairs(resolver, spec, pid, out, count, why)
				  : find_call(resolver, spec, pid, out, count, why);
	if (err)
		drop_points(out, count);
	for (uint32_t i = 0; !err && i < *count; i++)
		judge_values(&(*out)[i]);
	return err;
}

static int list_kernel_variables(struct probe_resolver *resolver, const struct probe_spec *spec,
				 enum point_request request, struct probe_point **out,
				 uint32_t *count, struct diag *why)
{
	struct point_query *query = calloc(1, sizeof(*query));
	int err;

	if (!query)
		return diag_set(why, -ENOMEM, "no memory for the variables of a probe");
	point_query_fill(query, spec);
	query->functions_max = 1;
	query->request = (uint8_t)request;
	err = kernel_variables_find(resolver->types, &resolver->reader, spec, query, out,
				    count, why);
	free(query);
	if (!err)
		err = check_kernel_builds(spec, *out, *count, why);
	return err;
}

int probe_resolver_list_variables(struct probe_resolver *resolver, const struct probe_spec *spec,
				  pid_t pid, bool with_externs, struct probe_point **out,
				  uint32_t *count, struct diag *why)
{
	const enum point_request request = with_externs ? POINT_REQUEST_EXTERNS
							: POINT_REQUEST_VARIABLES;
	int err;

	*out = NULL;
	*count = 0;
	if (spec->is_wildcard || (spec->kind != PROBE_USER && spec->kind != PROBE_KERNEL))
		return diag_set(why, -EINVAL, "variables are of one function or line: name it as "
				"in u:FILE:FUNC, u:FILE:SOURCE.c:LINE or k:FUNC:LINE");
	err = spec->kind == PROBE_KERNEL
		      ? list_kernel_variables(resolver, spec, request, out, count, why)
		      : point_user_find(&resolver->reader, spec, pid, request, out, count, why);
	if (err)
		drop_points(out, count);
	return err;
}

/* The spec of a site that was found, for machines without debug information.
 *
 * Idea: what debug information was needed for is written out: lines as a function and an offset,
 * names of variables as fetch arguments. Both are right for one build alone, so its build-id is a
 * part of the spec.
 */

static int refuse(const struct probe_point *point, struct diag *why)
{
	return diag_set(why, -EINVAL, "%.200s: what it is without debug information is longer than "
			"a spec may be", point->spec.text);
}

/* Replaces @argument by the fetch argument @value. Returns false if that is too long. */
static bool put_value(const struct probe_fetch *value, struct probe_argument *argument)
{
	const char *type = strrchr(value->fetch, ':');
	const size_t bytes = type ? (size_t)(type - value->fetch) : strlen(value->fetch);
	enum probe_meaning ignored;

	/* A type with a meaning is fetched as it was, unless the meaning was dropped. */
	if (value->meaning == MEANING_PLAIN || !probe_meaning_of_type(argument->type, &ignored)) {
		if (type && strlen(type + 1) >= sizeof(argument->type))
			return false;
		snprintf(argument->type, sizeof(argument->type), "%s", type ? type + 1 : "");
	}
	if (bytes >= sizeof(argument->value))
		return false;
	snprintf(argument->value, sizeof(argument->value), "%.*s", (int)bytes, value->fetch);
	argument->is_implied = false;
	return true;
}

/* False: a key or an aggregate uses a value that this site does not have. */
static bool has_grouped(const struct probe_site *site, const struct probe_spec *spec)
{
	for (uint32_t i = 0; i < spec->argument_count; i++)
		if (probe_spec_groups_use(spec, i) &&
		    (i >= site->value_count || !site->values[i].fetch[0]))
			return false;
	return true;
}

/* Leaves out the values that this site does not have either. */
static bool put_values(const struct probe_site *site, struct probe_spec *out)
{
	for (uint32_t i = out->argument_count; i-- > 0;) {
		const bool is_there = i < site->value_count && site->values[i].fetch[0];

		if (is_there ? !put_value(&site->values[i], &out->arguments[i])
			     : !probe_spec_drop_argument(out, i))
			return false;
	}
	return true;
}

/* Writes the function around @site. Returns false if none is known, or its name is too long. */
static bool put_function(const struct probe_point *point, const struct probe_site *site,
			 bool by_address, struct probe_spec *out)
{
	const char *symbol = site->symbol, *colon = strchr(symbol, ':');
	const bool is_kernel = point->spec.kind == PROBE_KERNEL;
	int bytes;

	if (is_kernel && colon) {
		bytes = snprintf(out->file, sizeof(out->file), "%.*s", (int)(colon - symbol),
				 symbol);
		if (bytes >= (int)sizeof(out->file))
			return false;
		symbol = colon + 1;
	}
	if (!is_kernel && (by_address || !symbol[0]))
		bytes = snprintf(out->function, sizeof(out->function),
				 FLAT_UNWIND_PREFIX "%" PRIx64, site->address);
	else
		bytes = snprintf(out->function, sizeof(out->function), "%s", symbol);
	out->offset = is_kernel ? site->offset : site->offset - site->begin;
	if (out->edge != PROBE_ENTRY)
		out->offset = 0;	/* the site may be after an ENDBR64 */
	return out->function[0] && bytes < (int)sizeof(out->function);
}

/* One name is of one probe: that of a second site gets a number. */
static bool put_name(uint32_t index, struct probe_spec *out)
{
	char name[PROBE_NAME_BYTES];

	if (!out->name[0] || !index)
		return true;
	memcpy(name, out->name, sizeof(name));
	return snprintf(out->name, sizeof(out->name), "%s_%" PRIu32, name, index + 1) <
	       (int)sizeof(out->name);
}

int probe_point_write_spec(const struct probe_point *point, uint32_t index, bool by_address,
			   struct probe_spec *out, struct diag *why)
{
	const struct probe_site *site = &point->sites[index];
	char condition[PROBE_SPEC_BYTES];

	*out = point->spec;
	out->line = 0;
	out->is_wildcard = false;
	memset(out->source, 0, sizeof(out->source));
	memset(out->pattern, 0, sizeof(out->pattern));
	memset(out->declared_in, 0, sizeof(out->declared_in));
	out->build_id = point->build_id;
	if (point->spec.kind == PROBE_USER)
		snprintf(out->file, sizeof(out->file), "%s", point->path);
	if (!put_function(point, site, by_address, out))
		return diag_set(why, -ENOENT, "%.200s: no function is known around it",
				point->spec.text);
	if (!has_grouped(site, out))
		return diag_set(why, -ENOENT, "%.200s: a value that it groups by or aggregates is "
				"not there", point->spec.text);
	if (!probe_condition_write(&out->condition, condition, sizeof(condition)) ||
	    !put_name(index, out) || !put_values(site, out))
		return refuse(point, why);
	return probe_spec_write(out, condition, why);
}
