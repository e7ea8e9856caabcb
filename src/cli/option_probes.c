/* option_probes.c - values of --probe and related options; see option_values.h. */
#include "option_values.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/options.h"
#include "probe/probe_spec.h"

#define CAP_PCT_MIN 0.01
#define CAP_PCT_MAX 1e6		/* ten thousand CPUs */
#define LEASE_S_MIN 1.0
#define LEASE_S_MAX 1e9

/* Joins @spec with the other end of its place, or appends it. */
static int keep(struct options *out, const struct probe_spec *spec, struct diag *why)
{
	struct probe_spec *bigger;

	for (size_t i = 0; i < out->probe_count; i++) {
		if (!strcmp(out->probes[i].text, spec->text))
			return diag_set(why, -EINVAL, "it is given twice");
		if (probe_spec_pair(&out->probes[i], spec))
			return 0;
	}
	bigger = realloc(out->probes, (out->probe_count + 1) * sizeof(*bigger));
	if (!bigger)
		return diag_set(why, -ENOMEM, "no memory for a probe");
	bigger[out->probe_count++] = *spec;
	out->probes = bigger;
	return 0;
}

int option_set_probe(struct options *out, const char *as, const char *text, struct diag *why)
{
	struct probe_spec spec;
	int err = probe_spec_parse(&spec, text, why);

	if (!err)
		err = keep(out, &spec, why);
	if (err)
		diag_prefix(why, "%s %.200s", as, text);
	return err;
}

int option_set_pattern(struct options *out, const char *as, const char *text, struct diag *why)
{
	(void)as;
	(void)why;
	out->target_pattern = text;
	return 0;
}

const char *const option_probe_caps[] = { "1", "5", "20", "off", NULL };

int option_set_probe_cap(struct options *out, const char *as, const char *text, struct diag *why)
{
	char *end;
	double pct = strtod(text, &end);

	if (!strcmp(text, "off")) {
		out->probe_cap_pct = INFINITY;
		return 0;
	}
	end += end != text && !strcmp(end, "%");
	if (*end || end == text || !isfinite(pct) || pct < CAP_PCT_MIN || pct > CAP_PCT_MAX)
		return diag_set(why, -EINVAL, "%s %s: %% of one CPU, at least %g, or off are "
				"needed", as, text, CAP_PCT_MIN);
	out->probe_cap_pct = pct;
	return 0;
}

/* Seconds in the unit that @text is; 0: it is none. */
static double unit_seconds(const char *text)
{
	static const struct {
		const char *unit;
		double seconds;
	} units[] = { { "", 1 }, { "s", 1 }, { "m", 60 }, { "min", 60 }, { "h", 3600 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (!strcmp(text, units[i].unit))
			return units[i].seconds;
	return 0;
}

const char *const option_leases[] = { "60", "10m", "1h", "off", NULL };

int option_set_lease(struct options *out, const char *as, const char *text, struct diag *why)
{
	char *end;
	double seconds = strtod(text, &end);

	if (!strcmp(text, "off")) {
		out->lease_ns = UINT64_MAX;
		return 0;
	}
	seconds *= end == text ? 0 : unit_seconds(end);
	if (!isfinite(seconds) || seconds < LEASE_S_MIN || seconds > LEASE_S_MAX)
		return diag_set(why, -EINVAL, "%s %s: a time as 90s, 10m, 2h, or off is needed", as,
				text);
	out->lease_ns = (uint64_t)(seconds * (double)CLOCK_NS_PER_S);
	return 0;
}
