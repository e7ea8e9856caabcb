/* event_spec.c - see event_spec.h. The grammar only: names are in event_names.c, sysfs in
 * event_pmu.c, tracepoints in tracefs.c. */
#include "capture/event_spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/event_names.h"
#include "capture/event_pmu.h"
#include "capture/tracefs.h"

#define PRECISE_MAX 3

/* Levels named are kept, the others left out; none named keeps all. */
static int apply_modifiers(struct event_spec *spec, const char *modifiers, struct diag *why)
{
	bool user = false, kernel = false, hypervisor = false, guest = false, host = false;
	unsigned int precise = 0;

	for (const char *c = modifiers; *c; c++) {
		switch (*c) {
		case 'u': user = true; break;
		case 'k': kernel = true; break;
		case 'h': hypervisor = true; break;
		case 'G': guest = true; break;
		case 'H': host = true; break;
		case 'p': precise++; break;
		case 'P': spec->wants_max_precise = true; break;
		default:
			return diag_set(why, -EINVAL, "%s: unknown modifier '%c'; there are u k h p"
					" P G H", spec->name, *c);
		}
	}
	if (precise > PRECISE_MAX)
		return diag_set(why, -EINVAL, "%s: more than ppp", spec->name);
	spec->has_level_modifier = user || kernel || hypervisor;
	if (spec->has_level_modifier) {
		spec->attr.exclude_user = !user;
		spec->attr.exclude_kernel = !kernel;
		spec->attr.exclude_hv = !hypervisor;
	}
	if (guest != host) {
		spec->attr.exclude_host = guest;
		spec->attr.exclude_guest = host;
	}
	spec->attr.precise_ip = (spec->wants_max_precise ? PRECISE_MAX : precise) & PRECISE_MAX;
	return 0;
}

/* "r" and up to 16 hexadecimal digits: the raw code of this machine's CPU. */
static bool find_raw(const char *name, struct perf_event_attr *attr)
{
	size_t digits = strspn(name + 1, "0123456789abcdefABCDEF");

	if (name[0] != 'r' || digits == 0 || digits > 16 || name[1 + digits])
		return false;
	attr->type = PERF_TYPE_RAW;
	attr->config = strtoull(name + 1, NULL, 16);
	return true;
}

static int refuse_unknown(const char *name, struct diag *why)
{
	const char *nearest = event_names_nearest(name);

	if (nearest)
		return diag_set(why, -ENOENT, "no event \"%s\": did you mean %s?", name, nearest);
	return diag_set(why, -ENOENT, "no event \"%s\": names are cycles, instructions, cpu-clock,"
			" page-faults, context-switches, L1-dcache-load-misses, ...; also rNNN,"
			" pmu/terms/ and group:tracepoint (perf list shows them)", name);
}

static int parse_pmu(struct event_spec *spec, char *text, struct diag *why)
{
	char *terms = strchr(text, '/');
	char *end = strrchr(text, '/');
	int err;

	*terms++ = '\0';
	if (end < terms)
		return diag_set(why, -EINVAL, "%s: a PMU's terms stand between slashes, as in"
				" cpu/event=0x3c/", spec->name);
	*end++ = '\0';
	if (*end == ':')
		end++;
	err = event_pmu_parse(EVENT_PMU_DEVICES, text, terms, &spec->attr, spec->name,
			      sizeof(spec->name), why);
	return err ? err : apply_modifiers(spec, end, why);
}

/* name[:modifiers] or group:tracepoint[:modifiers]: what stands before the colon decides. */
static int parse_named(struct event_spec *spec, char *text, struct diag *why)
{
	char *after = strchr(text, ':');
	char *modifiers;
	uint64_t id;
	int err;

	if (after)
		*after++ = '\0';
	if (event_names_find(text, &spec->attr) || find_raw(text, &spec->attr))
		return after ? apply_modifiers(spec, after, why) : 0;
	if (!after)
		return refuse_unknown(text, why);
	modifiers = strchr(after, ':');
	if (modifiers)
		*modifiers++ = '\0';
	err = tracefs_event_id(text, after, &id, why);
	if (err)
		return err;
	spec->attr.type = PERF_TYPE_TRACEPOINT;
	spec->attr.config = id;
	return modifiers ? apply_modifiers(spec, modifiers, why) : 0;
}

int event_spec_parse(const char *text, struct event_spec *out, struct diag *why)
{
	char *copy;
	int err;

	memset(out, 0, sizeof(*out));
	out->attr.size = sizeof(out->attr);
	snprintf(out->name, sizeof(out->name), "%s", text);
	if (!*text)
		return diag_set(why, -EINVAL, "empty event name");
	copy = strdup(text);
	if (!copy)
		return diag_set(why, -ENOMEM, "no memory for an event");
	err = strchr(copy, '/') ? parse_pmu(out, copy, why) : parse_named(out, copy, why);
	free(copy);
	return err;
}

/* Length of the spec that @text begins with: to the comma outside slashes, or the end. */
static size_t measure_spec(const char *text)
{
	bool inside = false;
	size_t len = 0;

	for (; text[len] && (inside || text[len] != ','); len++)
		if (text[len] == '/')
			inside = !inside;
	return len;
}

static int append_spec(const char *text, size_t len, struct event_spec **specs, size_t *count,
		       struct diag *why)
{
	struct event_spec *grown = realloc(*specs, (*count + 1) * sizeof(*grown));
	char *one = grown ? strndup(text, len) : NULL;
	int err;

	if (grown)
		*specs = grown;
	if (!one)
		return diag_set(why, -ENOMEM, "no memory for an event");
	err = event_spec_parse(one, &grown[*count], why);
	free(one);
	if (!err)
		(*count)++;
	return err;
}

int event_spec_parse_list(const char *text, struct event_spec **specs, size_t *count,
			  struct diag *why)
{
	for (;;) {
		size_t len = measure_spec(text);
		int err = append_spec(text, len, specs, count, why);

		if (err || !text[len])
			return err;
		text += len + 1;
	}
}
