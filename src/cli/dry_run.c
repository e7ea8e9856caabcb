/* dry_run.c - see cli/session.h. */
#include "cli/session.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/privileges.h"
#include "base/safe_print.h"
#include "elf/file_jobs.h"
#include "probe/probe_definition.h"
#include "probe/probe_point.h"
#include "sandbox/sandbox.h"

static const char *const origins[] = {
	[ORIGIN_TYPED] = "as typed", [ORIGIN_DWARF] = "debug information",
	[ORIGIN_BTF] = "kernel types", [ORIGIN_ABI] = "calling convention",
	[ORIGIN_FORMAT] = "tracepoint", [ORIGIN_NOTE] = "USDT probe",
	[ORIGIN_STAGE] = "time of a stage",
};

/* Prints foreign text, such as names. */
static void print_clean(FILE *out, const char *text)
{
	char clean[4 * PROBE_DEFINITION_BYTES];

	safe_put_text(out, sanitize(clean, sizeof(clean), text, strlen(text)));
}

static void print_site(FILE *out, const struct probe_point *point, const struct probe_site *site)
{
	if (point->spec.kind == PROBE_TRACEPOINT) {
		print_clean(out, site->symbol);
		return;
	}
	if (point->spec.kind == PROBE_KERNEL) {
		print_clean(out, site->symbol);
		safe_print(out, "+%" PRIu64, site->offset);
		return;
	}
	print_clean(out, point->path);
	safe_print(out, ":0x%" PRIx64, site->offset);
	if (site->semaphore)
		safe_print(out, "(0x%" PRIx64 ")", site->semaphore);
}

static void print_made(FILE *out, const struct probe_point *place, const struct probe_site *site,
		       const struct probe_definition *made)
{
	print_site(out, place, site);
	if (made->fetch_args[0] && place->spec.kind != PROBE_TRACEPOINT) {
		safe_put(out, " ");
		print_clean(out, made->fetch_args);
	}
	safe_put(out, "\n");
}

static int print_edge(FILE *out, const struct probe_point *point, const struct probe_site *site,
		      bool is_return, struct diag *why)
{
	const struct probe_point *place = probe_point_of_edge(point, is_return);
	struct probe_definition made;
	int err = probe_definition_make(&made, point, site, is_return, why);

	if (err)
		return err;
	if (point->spec.end.function[0])
		safe_put_text(out, is_return ? SAFE_TEXT("  end    ") : SAFE_TEXT("  begin  "));
	else
		safe_put_text(out, is_return ? SAFE_TEXT("  return ") : SAFE_TEXT("  entry  "));
	print_made(out, place, site, &made);
	return 0;
}

/* Prints a site of @middle, a point between the first and the last. */
static int print_middle(FILE *out, const struct probe_point *middle, const struct probe_site *site,
			struct diag *why)
{
	struct probe_definition made;
	int err = probe_definition_make(&made, middle, site, middle->spec.edge == PROBE_RETURN,
					why);

	if (err)
		return err;
	safe_put(out, "  then   ");
	print_made(out, middle, site, &made);
	return 0;
}

static void print_values(FILE *out, const struct probe_site *site)
{
	for (uint32_t i = 0; i < site->value_count; i++) {
		const struct probe_fetch *value = &site->values[i];

		safe_put(out, "  value  ");
		print_clean(out, value->name);
		if (value->type[0]) {
			safe_put(out, ": ");
			print_clean(out, value->type);
		}
		safe_print(out, " (%s)", sanitize_checked(origins[value->origin]));
		if (!value->fetch[0] && value->origin != ORIGIN_STAGE) {
			safe_put(out, " not there: ");
			print_clean(out, value->reason);
		}
		safe_put(out, "\n");
	}
}

static struct safe_text verdict_name(enum probe_verdict verdict)
{
	switch (verdict) {
	case VERDICT_OK:     return SAFE_TEXT("ok");
	case VERDICT_COSTLY: return SAFE_TEXT("costly");
	case VERDICT_ASKS:   return SAFE_TEXT("asks");
	case VERDICT_UNABLE: return SAFE_TEXT("unable");
	default:	     return SAFE_TEXT("refused");
	}
}

/* Returns true when some site has the value @index. */
static bool has_value(const struct probe_point *point, uint32_t index)
{
	for (uint32_t i = 0; i < point->site_count; i++)
		if (point->sites[i].values[index].fetch[0])
			return true;
	return false;
}

/* Refuses values that no site has: the user would wait for them in vain. */
static int check_values(const struct probe_point *point, struct diag *why)
{
	const struct probe_site *first = point->sites;

	for (uint32_t i = 0; point->site_count && i < first->value_count; i++)
		if (first->values[i].origin != ORIGIN_STAGE && !has_value(point, i))
			return diag_set(why, -ENOENT, "%.200s: value %s is not there: %s",
					point->spec.text, first->values[i].name,
					first->values[i].reason);
	return 0;
}

/* @is_match: the text is a pattern, so the function that it matched is printed, too. */
static void print_name(FILE *out, const struct probe_point *point, bool is_match)
{
	print_clean(out, point->spec.text);
	if (is_match) {
		safe_put(out, "  ");
		print_clean(out, point->spec.function);
	}
	safe_put(out, "\n");
}

/* Returns whether its sites are of one build of the kernel or of a file. */
static bool has_build(const struct probe_spec *spec)
{
	return spec->kind == PROBE_KERNEL || spec->kind == PROBE_USER;
}

/* Returns whether @spec alone, on another machine, means site @index of @point: its function's name
 * may be that of others, too. */
static bool is_alone(struct probe_resolver *resolver, const struct probe_spec *spec, pid_t pid,
		     const struct probe_site *site)
{
	struct probe_point *points;
	uint32_t count;
	bool is_same;

	if (probe_resolver_find(resolver, spec, pid, &points, &count, NULL))
		return false;
	is_same = count == 1 && points->site_count == 1 &&
		  points->sites[0].offset == site->offset;
	probe_point_free(points, count);
	return is_same;
}

/* Prints the spec that needs no debug information, for each site: an offset is of one function. */
static void print_spec(FILE *out, struct probe_resolver *resolver, const struct probe_point *point,
		       uint32_t index, pid_t pid)
{
	struct probe_spec *spec = calloc(1, sizeof(*spec));
	struct diag why = { .err = 0 };
	int err = spec ? 0 : diag_set(&why, -ENOMEM, "no memory for a probe");

	for (int by_address = 0; by_address < 2 && !err; by_address++) {
		err = probe_point_write_spec(point, index, by_address, spec, &why);
		if (!err && is_alone(resolver, spec, pid, &point->sites[index]))
			break;
		if (!err && by_address)
			err = diag_set(&why, -ENOENT, "other functions have its name");
	}
	safe_put_text(out, err ? SAFE_TEXT("  no spec without debug information: ")
			       : SAFE_TEXT("  spec   "));
	print_clean(out, err ? why.text : spec->text);
	safe_put(out, "\n");
	free(spec);
}

static int print_one(FILE *out, struct probe_resolver *resolver, const struct probe_point *point,
		     bool is_match, pid_t pid, struct diag *why)
{
	const double cost_ns = probe_cost_of_hit(&probe_cost_expected, point, true) +
			       probe_cost_of_end(&probe_cost_expected, point);
	const enum probe_edge edge = point->spec.edge;
	const bool is_pair = point->spec.end.function[0];
	int err = 0;

	print_name(out, point, is_match);
	for (uint32_t i = 0; i < point->site_count && !err; i++) {
		const struct probe_site *site = &point->sites[i];

		if (edge != PROBE_RETURN)
			err = print_edge(out, point, site, false, why);
		if (!err && edge != PROBE_ENTRY && !is_pair)
			err = print_edge(out, point, site, true, why);
		print_values(out, site);
		if (!err && has_build(&point->spec) && !is_pair)
			print_spec(out, resolver, point, i, pid);
	}
	for (uint32_t k = 0; k < point->spec.middle_count && !err; k++)
		for (uint32_t i = 0; i < point->middles[k]->site_count && !err; i++)
			err = print_middle(out, point->middles[k], &point->middles[k]->sites[i],
					   why);
	for (uint32_t i = 0; point->end && i < point->end->site_count && !err; i++)
		err = print_edge(out, point, &point->end->sites[i], true, why);
	if (point->verdict == VERDICT_OK)
		safe_print(out, "  ok: about %.1f us a hit\n", cost_ns / 1e3);
	else
		safe_print(out, "  %s: ", verdict_name(point->verdict));
	if (point->verdict != VERDICT_OK) {
		print_clean(out, point->reason);
		safe_put(out, "\n");
	}
	return err;
}

static int print_found(FILE *out, struct probe_resolver *resolver,
		       const struct probe_spec *spec, pid_t pid, struct diag *why)
{
	struct probe_point *points;
	uint32_t count;
	int err = probe_resolver_find(resolver, spec, pid, &points, &count, why);

	if (err)
		return err;
	for (uint32_t i = 0; i < count && !err; i++)
		err = print_one(out, resolver, &points[i], spec->is_wildcard, pid, why);
	for (uint32_t i = 0; i < count && !err; i++)
		err = check_values(&points[i], why);
	for (uint32_t i = 0; i < count && !err; i++)
		if (points[i].verdict == VERDICT_REFUSED || points[i].verdict == VERDICT_UNABLE)
			err = diag_set(why, -EPERM, "%s: %s", points[i].spec.text,
				       points[i].reason);
	probe_point_free(points, count);
	return err;
}

/* Prints lines that the user typed, and what they mean. */
static void print_translations(FILE *out, const char *lines)
{
	while (lines && *lines) {
		const size_t bytes = strcspn(lines, "\n");
		char line[4 * PROBE_DEFINITION_BYTES];

		snprintf(line, sizeof(line), "%.*s", (int)bytes, lines);
		print_clean(out, line);
		safe_put(out, "\n");
		lines += bytes + (lines[bytes] == '\n');
	}
}

int dry_run_print(FILE *out, const char *translations, const struct probe_spec *specs,
		  size_t count, pid_t pid, struct diag *why)
{
	struct probe_resolver *resolver = NULL;
	struct sandbox *sandbox = NULL;
	int err = sandbox_start(&sandbox, worker_run, why);

	print_translations(out, translations);
	if (!err)
		err = privileges_drop(PRIVILEGES_OF_MAIN, false, why);
	if (!err)
		err = probe_resolver_create(&resolver, sandbox, why);
	for (size_t i = 0; i < count && !err; i++)
		err = print_found(out, resolver, &specs[i], pid, why);
	probe_resolver_destroy(resolver);
	sandbox_stop(sandbox);
	return err;
}
