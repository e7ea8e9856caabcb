/* event_spec.c - see event_spec.h. The grammar only: names are in event_names.c, sysfs in
 * event_pmu.c, tracepoints in tracefs.c. */
#include "event_spec.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/event_names.h"
#include "capture/event_pmu.h"
#include "capture/tracefs.h"

#define PRECISE_MAX 3

/* Applies the modifiers. The levels given are counted and the others excluded; without any all. */
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

/* Parses "r" and up to 16 hexadecimal digits: a raw event code of the CPU. */
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

/* Parses name[:modifiers] or group:tracepoint[:modifiers]: it is the former if the text before the
 * colon is the name of an event. */
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

/* Returns the length of the first spec in @text: to the comma outside slashes, or the end. */
static size_t measure_spec(const char *text)
{
	bool inside = false;
	size_t len = 0;

	for (; text[len] && (inside || text[len] != ','); len++)
		if (text[len] == '/')
			inside = !inside;
	return len;
}

static int append_spec(const char *text, struct event_spec_list *list, struct diag *why)
{
	struct event_spec *grown = realloc(list->specs, (list->count + 1) * sizeof(*grown));
	int err;

	if (!grown)
		return diag_set(why, -ENOMEM, "no memory for an event");
	list->specs = grown;
	err = event_spec_parse(text, &grown[list->count], why);
	if (!err)
		list->count++;
	return err;
}

static int append_absence(struct event_spec_list *list, const char *name,
			  const struct diag *reason)
{
	struct event_absence *grown = realloc(list->absent,
					      (list->absent_count + 1) * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	list->absent = grown;
	grown += list->absent_count++;
	grown->why = *reason;
	snprintf(grown->name, sizeof(grown->name), "%s", name);
	return 0;
}

static int count_pattern(struct event_spec_list *list, const char *text, size_t matches)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s: %zu tracepoint%s", list->patterns ? list->patterns : "",
		     list->patterns ? "\n" : "", text, matches, matches == 1 ? "" : "s") < 0)
		return -ENOMEM;
	free(list->patterns);
	list->patterns = longer;
	return 0;
}

/* Appends the tracepoints that match @text, whose group or event is a pattern; splits @text. */
static int append_matches(const char *whole, char *text, struct event_spec_list *list,
			  struct diag *why)
{
	char *event = strchr(text, ':') + 1, *modifiers = strchr(event, ':'), *one, **names;
	size_t count;
	int err;

	event[-1] = '\0';
	if (modifiers)
		*modifiers++ = '\0';
	err = tracefs_find_events(text, event, &names, &count, why);
	for (size_t i = 0; i < count; i++) {
		if (!err && asprintf(&one, "%s%s%s", names[i], modifiers ? ":" : "",
				     modifiers ? modifiers : "") < 0)
			err = diag_set(why, -ENOMEM, "no memory for an event");
		else if (!err) {
			err = append_spec(one, list, why);
			free(one);
		}
		free(names[i]);
	}
	free(names);
	if (!err && count_pattern(list, whole, count))
		err = diag_set(why, -ENOMEM, "no memory for an event");
	return err;
}

/* Returns true when the event may exist on other machines. A name without colon or slash is the
 * same on every machine: if it is unknown, it is misspelled. */
static bool is_of_machine(const char *text)
{
	return strpbrk(text, ":/");
}

static bool is_pattern(const char *text)
{
	return strpbrk(text, "*?[") && strchr(text, ':') && !strchr(text, '/');
}

static int append_element(const char *text, struct event_spec_list *list, struct diag *why)
{
	struct diag reason = { .err = 0 };
	char *copy = is_pattern(text) ? strdup(text) : NULL;
	int err;

	list->last = list->count;
	if (copy)
		err = append_matches(text, copy, list, &reason);
	else
		err = append_spec(text, list, &reason);
	free(copy);
	if (err == -ENOENT && is_of_machine(text))
		err = append_absence(list, text, &reason);
	if (err && why)
		*why = reason;
	return err;
}

int event_spec_parse_list(const char *text, struct event_spec_list *list, struct diag *why)
{
	for (;;) {
		const size_t len = measure_spec(text);
		char *one = strndup(text, len);
		int err = one ? append_element(one, list, why)
			      : diag_set(why, -ENOMEM, "no memory for an event");

		free(one);
		if (err || !text[len])
			return err;
		text += len + 1;
	}
}

int event_spec_list_drop(struct event_spec_list *list, size_t index, const struct diag *reason)
{
	if (append_absence(list, list->specs[index].name, reason))
		return -ENOMEM;
	list->count--;
	memmove(&list->specs[index], &list->specs[index + 1],
		(list->count - index) * sizeof(*list->specs));
	return 0;
}

void event_spec_list_finish(struct event_spec_list *list)
{
	free(list->specs);
	free(list->absent);
	free(list->patterns);
	*list = (struct event_spec_list){ .count = 0 };
}
