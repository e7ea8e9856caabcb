/* dry_run.c - see dry_run.h. */
#include "cli/dry_run.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/privileges.h"
#include "base/safe_print.h"
#include "probe/probe_cost.h"
#include "probe/probe_definition.h"
#include "probe/probe_places.h"
#include "sandbox/sandbox.h"

static const char *const origins[] = {
	[ORIGIN_TYPED] = "as typed", [ORIGIN_DWARF] = "debug information",
	[ORIGIN_BTF] = "kernel types", [ORIGIN_ABI] = "calling convention",
	[ORIGIN_FORMAT] = "tracepoint", [ORIGIN_NOTE] = "mark",
};

/* Names are a stranger's. */
static void print_clean(FILE *out, const char *text)
{
	char clean[4 * PROBE_DEFINITION_BYTES];

	safe_put_text(out, sanitize(clean, sizeof(clean), text, strlen(text)));
}

static void print_place(FILE *out, const struct probe_places *places,
			const struct probe_site *site)
{
	if (places->spec.kind == PROBE_TRACEPOINT) {
		print_clean(out, site->symbol);
		return;
	}
	if (places->spec.kind == PROBE_KERNEL) {
		print_clean(out, site->symbol);
		safe_print(out, "+%" PRIu64, site->offset);
		return;
	}
	print_clean(out, places->path);
	safe_print(out, ":0x%" PRIx64, site->offset);
	if (site->semaphore)
		safe_print(out, "(0x%" PRIx64 ")", site->semaphore);
}

static int print_edge(FILE *out, const struct probe_places *places, const struct probe_site *site,
		      bool is_return, struct diag *why)
{
	struct probe_definition made;
	int err = probe_definition_make(&made, places, site, is_return, why);

	if (err)
		return err;
	safe_put_text(out, is_return ? SAFE_TEXT("  return ") : SAFE_TEXT("  entry  "));
	print_place(out, places, site);
	if (made.fetch_args[0] && places->spec.kind != PROBE_TRACEPOINT) {
		safe_put(out, " ");
		print_clean(out, made.fetch_args);
	}
	safe_put(out, "\n");
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
		if (!value->fetch[0]) {
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

/* Does some site have value @index? */
static bool has_value(const struct probe_places *places, uint32_t index)
{
	for (uint32_t i = 0; i < places->site_count; i++)
		if (places->sites[i].values[index].fetch[0])
			return true;
	return false;
}

/* Refuses values that no site has: the user would wait for them in vain. */
static int check_values(const struct probe_places *places, struct diag *why)
{
	const struct probe_site *first = places->sites;

	for (uint32_t i = 0; places->site_count && i < first->value_count; i++)
		if (!has_value(places, i))
			return diag_set(why, -ENOENT, "%.200s: value %s is not there: %s",
					places->spec.text, first->values[i].name,
					first->values[i].reason);
	return 0;
}

/* @is_match: the text is a pattern, which says nothing of what was found. */
static void print_name(FILE *out, const struct probe_places *places, bool is_match)
{
	print_clean(out, places->spec.text);
	if (is_match) {
		safe_put(out, "  ");
		print_clean(out, places->spec.function);
	}
	safe_put(out, "\n");
}

static int print_one(FILE *out, const struct probe_places *places, bool is_match,
		     struct diag *why)
{
	const double cost_ns = probe_cost_of_hit(&probe_cost_expected, places, true);
	const enum probe_edge edge = places->spec.edge;
	int err = 0;

	print_name(out, places, is_match);
	for (uint32_t i = 0; i < places->site_count && !err; i++) {
		const struct probe_site *site = &places->sites[i];

		if (edge != PROBE_RETURN)
			err = print_edge(out, places, site, false, why);
		if (!err && edge != PROBE_ENTRY)
			err = print_edge(out, places, site, true, why);
		print_values(out, site);
	}
	if (places->verdict == VERDICT_OK)
		safe_print(out, "  ok: about %.1f us a hit\n", cost_ns / 1e3);
	else
		safe_print(out, "  %s: ", verdict_name(places->verdict));
	if (places->verdict != VERDICT_OK) {
		print_clean(out, places->reason);
		safe_put(out, "\n");
	}
	return err;
}

static int print_found(FILE *out, struct probe_finder_of_places *finder,
		       const struct probe_spec *spec, pid_t pid, struct diag *why)
{
	struct probe_places *places;
	uint32_t count;
	int err = probe_places_find(finder, spec, pid, &places, &count, why);

	if (err)
		return err;
	for (uint32_t i = 0; i < count && !err; i++)
		err = print_one(out, &places[i], spec->is_wildcard, why);
	for (uint32_t i = 0; i < count && !err; i++)
		err = check_values(&places[i], why);
	for (uint32_t i = 0; i < count && !err; i++)
		if (places[i].verdict == VERDICT_REFUSED || places[i].verdict == VERDICT_UNABLE)
			err = diag_set(why, -EPERM, "%s: %s", places[i].spec.text,
				       places[i].reason);
	probe_places_free(places, count);
	return err;
}

int dry_run_print(FILE *out, const struct probe_spec *specs, size_t count, pid_t pid,
		  struct diag *why)
{
	struct probe_finder_of_places *finder = NULL;
	struct sandbox *sandbox = NULL;
	int err = sandbox_start(&sandbox, why);

	if (!err)
		err = privileges_drop(PRIVILEGES_OF_MAIN, false, why);
	if (!err)
		err = probe_places_open(&finder, sandbox, why);
	for (size_t i = 0; i < count && !err; i++)
		err = print_found(out, finder, &specs[i], pid, why);
	probe_places_close(finder);
	sandbox_stop(sandbox);
	return err;
}
