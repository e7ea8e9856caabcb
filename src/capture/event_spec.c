/* event_spec.c - see event_spec.h. The grammar only: names are in event_names.c, sysfs in
 * event_pmu.c, tracepoints in tracefs.c.
 *
 * Where cores have different PMUs a generic event (cycles) needs the type of its CPU's PMU in bits
 * 32-63 of the config: without it the kernel opens it on one kind of core only (x86), or finds the
 * PMU by the CPU (Arm; which refuses the bits before Linux 6.6). A raw event needs the PMU's type
 * as its own. Source: kernel/events/core.c, perf_init_event(). */
#include "event_spec.h"

#include <dirent.h>
#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/event.h"
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
			" pmu/terms/ and group:tracepoint (--list-events shows them)", name);
}

/* True if @name is "@family_x". */
static bool is_of_family(const char *name, const char *family)
{
	const size_t len = strlen(family);

	return *family && !strncmp(name, family, len) && name[len] == '_' && name[len + 1] &&
	       !strchr(name + len + 1, '_');
}

/* Parses the terms for each PMU of cores called @pmu_x that has what they name; -ENODEV: there is
 * no such PMU. */
static int parse_family(struct event_spec *spec, const char *devices, const char *pmu,
			const char *terms, struct diag *why)
{
	struct core_pmus pmus;
	int err = -ENODEV;

	core_pmus_read(&pmus, devices);
	for (size_t i = 0; i < pmus.count; i++) {
		struct perf_event_attr attr = { .size = sizeof(attr) };

		if (!is_of_family(pmus.list[i].name, pmu))
			continue;
		err = event_pmu_parse(devices, pmus.list[i].name, terms, &attr, spec->name,
				      sizeof(spec->name), why);
		if (err)
			continue;
		spec->parts[spec->part_count++] = event_code_of(&attr);
		spec->attr.type = attr.type;
		spec->attr.config = attr.config;
		spec->attr.config1 = attr.config1;
		spec->attr.config2 = attr.config2;
	}
	core_pmus_finish(&pmus);
	return spec->part_count ? 0 : err;
}

static bool is_generic(uint32_t type)
{
	return type == PERF_TYPE_HARDWARE || type == PERF_TYPE_HW_CACHE || type == PERF_TYPE_RAW;
}

/* Sets the code of an event that the PMUs of all kinds of cores have. */
static void widen_code(const struct event_spec *spec, const struct core_pmu *pmu,
		       struct event_code *out)
{
	if (out->type == PERF_TYPE_RAW)
		out->type = pmu->type;
	else if (!spec->has_plain_type)
		out->config |= (uint64_t)pmu->type << 32;
}

bool event_spec_code(const struct event_spec *spec, const struct core_pmus *pmus, int cpu,
		     struct event_code *out)
{
	const size_t of_cpu = core_pmus_of_cpu(pmus, (uint32_t)cpu);
	size_t of_type;

	*out = event_code_of(&spec->attr);
	if (of_cpu != CORE_PMU_NONE && spec->absent_from & 1u << of_cpu)
		return false;
	for (size_t i = 0; of_cpu != CORE_PMU_NONE && i < spec->part_count; i++) {
		*out = spec->parts[i];
		if (out->type == pmus->list[of_cpu].type)
			return true;
	}
	if (spec->part_count)
		return false;
	if (!spec->is_of_pmu && is_generic(out->type)) {
		if (of_cpu != CORE_PMU_NONE && pmus->count > 1)
			widen_code(spec, &pmus->list[of_cpu], out);
		return of_cpu != CORE_PMU_NONE || !pmus->count;
	}
	of_type = core_pmus_of_type(pmus, out->type);
	return of_type == CORE_PMU_NONE || of_type == of_cpu;
}

static int parse_pmu(const char *devices, struct event_spec *spec, char *text, struct diag *why)
{
	char *terms = strchr(text, '/');
	char *end = strrchr(text, '/');
	int err;

	*terms++ = '\0';
	spec->is_of_pmu = true;
	if (end < terms)
		return diag_set(why, -EINVAL, "%s: a PMU's terms stand between slashes, as in"
				" cpu/event=0x3c/", spec->name);
	*end++ = '\0';
	if (*end == ':')
		end++;
	err = parse_family(spec, devices, text, terms, why);
	if (err == -ENODEV)
		err = event_pmu_parse(devices, text, terms, &spec->attr, spec->name,
				      sizeof(spec->name), why);
	if (err)
		return err;
	if (!spec->part_count) {
		snprintf(spec->pmu, sizeof(spec->pmu), "%s", text);
		event_pmu_read_unit(devices, text, terms, &spec->unit);
	}
	return apply_modifiers(spec, end, why);
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
	spec->is_wall = !strcmp(text, EVENT_WALL);
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

#define BREAKPOINT "mem:"

/* Returns the text that follows the access: that of "rw:u" is ":u". Without one it is read and
 * write. */
static const char *parse_access(const char *text, uint32_t *type)
{
	static const struct {
		char letter;
		uint32_t bit;
	} letters[] = {
		{ 'r', HW_BREAKPOINT_R }, { 'w', HW_BREAKPOINT_W }, { 'x', HW_BREAKPOINT_X },
	};
	const size_t len = *text == ':' ? strspn(text + 1, "rwx") : 0;

	*type = HW_BREAKPOINT_RW;
	if (!len || (text[1 + len] && text[1 + len] != ':'))
		return text;
	*type = HW_BREAKPOINT_EMPTY;
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (memchr(text + 1, letters[i].letter, len))
			*type |= letters[i].bit;
	return text + 1 + len;
}

/* @text follows "mem:". */
static int parse_breakpoint(struct event_spec *spec, const char *text, struct diag *why)
{
	unsigned long bytes = 0;
	uint32_t access;
	char *at;

	errno = 0;
	spec->attr.type = PERF_TYPE_BREAKPOINT;
	spec->attr.bp_addr = strtoull(text, &at, 0);
	if (at == text || *text < '0' || *text > '9' || errno)
		return diag_set(why, -EINVAL, "%s: an address must follow, as in mem:0x601040:rw",
				spec->name);
	if (*at == '/')
		bytes = strtoul(at + 1, &at, 10);
	at += strlen(at) - strlen(parse_access(at, &access));
	spec->attr.bp_type = access;
	if (!bytes)
		bytes = access & HW_BREAKPOINT_X ? sizeof(long) : HW_BREAKPOINT_LEN_4;
	spec->attr.bp_len = bytes;
	if (*at && *at != ':')
		return diag_set(why, -EINVAL, "%s: after the address come /LEN and :ACCESS, as in "
				"mem:0x601040/8:w", spec->name);
	return *at ? apply_modifiers(spec, at + 1, why) : 0;
}

static bool is_breakpoint(const char *text)
{
	return !strncmp(text, BREAKPOINT, strlen(BREAKPOINT));
}

static int parse_spec(const char *devices, const char *text, struct event_spec *out,
		      struct diag *why)
{
	char *copy;
	int err;

	memset(out, 0, sizeof(*out));
	out->attr.size = sizeof(out->attr);
	snprintf(out->name, sizeof(out->name), "%s", text);
	if (!*text)
		return diag_set(why, -EINVAL, "empty event name");
	if (is_breakpoint(text))
		return parse_breakpoint(out, text + strlen(BREAKPOINT), why);
	copy = strdup(text);
	if (!copy)
		return diag_set(why, -ENOMEM, "no memory for an event");
	err = strchr(copy, '/') ? parse_pmu(devices, out, copy, why)
				: parse_named(out, copy, why);
	free(copy);
	return err;
}

int event_spec_parse(const char *text, struct event_spec *out, struct diag *why)
{
	return parse_spec(EVENT_PMU_DEVICES, text, out, why);
}

/* Returns the length of the first spec in @text[0..@len): to the comma outside slashes, or @len. */
static size_t measure_spec(const char *text, size_t len)
{
	const bool has_terms = !is_breakpoint(text);
	bool inside = false;
	size_t used = 0;

	for (; used < len && (inside || text[used] != ','); used++)
		if (text[used] == '/' && has_terms)
			inside = !inside;
	return used;
}

static int append_spec(const char *text, struct event_spec_list *list, struct diag *why)
{
	struct event_spec *grown = realloc(list->specs, (list->count + 1) * sizeof(*grown));
	int err;

	if (!grown)
		return diag_set(why, -ENOMEM, "no memory for an event");
	list->specs = grown;
	err = parse_spec(list->devices ? list->devices : EVENT_PMU_DEVICES, text,
			 &grown[list->count], why);
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
	grown->is_counted = false;
	snprintf(grown->name, sizeof(grown->name), "%s", name);
	return 0;
}

/* Notes what @text stands for: "sched:*: 24 tracepoints". */
static int count_pattern(struct event_spec_list *list, const char *text, size_t matches,
			 const char *what)
{
	char *longer;

	if (asprintf(&longer, "%s%s%s: %zu %s%s", list->patterns ? list->patterns : "",
		     list->patterns ? "\n" : "", text, matches, what, matches == 1 ? "" : "s") < 0)
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
	if (!err && count_pattern(list, whole, count, "tracepoint"))
		err = diag_set(why, -ENOMEM, "no memory for an event");
	return err;
}

#define UNCORE "uncore_"

/* True for "uncore_imc_3" and a @pmu[@length] of uncore_imc, or imc as perf takes it. */
static bool is_unit_of(const char *name, const char *pmu, size_t length)
{
	const size_t bytes = event_pmu_measure_unnumbered(name), prefix = strlen(UNCORE);

	if (bytes == length && !memcmp(name, pmu, length))
		return true;
	return !strncmp(name, UNCORE, prefix) && bytes == prefix + length &&
	       !memcmp(name + prefix, pmu, length);
}

/* PMUs of cores have CPUs, and names of their own for all of a family. */
static bool is_of_cores(const char *devices, const char *pmu)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s/cpus", devices, pmu);
	return access(path, F_OK) == 0;
}

/* Appends the event @terms, from the slash on, of one PMU: an absence if it lacks the event. */
static int append_unit(const char *pmu, const char *terms, struct event_spec_list *list,
		       struct diag *why)
{
	char *text;
	int err;

	if (asprintf(&text, "%s%s", pmu, terms) < 0)
		return diag_set(why, -ENOMEM, "no memory for an event");
	err = append_spec(text, list, why);
	if (err == -ENOENT)
		err = append_absence(list, text, why);
	free(text);
	return err;
}

/* Appends the event of each PMU that @text's name stands for. Returns -ENOENT and leaves the reason
 * as it is, if there is no such PMU. */
static int append_units(const char *text, struct event_spec_list *list, struct diag *why)
{
	const char *devices = list->devices ? list->devices : EVENT_PMU_DEVICES;
	const size_t length = strcspn(text, "/");
	struct dirent **names = NULL;
	const int count = scandir(devices, &names, NULL, versionsort);
	size_t matches = 0;
	int err = 0;

	for (int i = 0; i < count; i++) {
		const char *name = names[i]->d_name;

		if (!err && is_unit_of(name, text, length) && !is_of_cores(devices, name)) {
			err = append_unit(name, text + length, list, why);
			matches++;
		}
		free(names[i]);
	}
	free(names);
	if (!matches)
		return -ENOENT;
	if (!err && count_pattern(list, text, matches, "PMU"))
		err = diag_set(why, -ENOMEM, "no memory for an event");
	return err;
}

/* Returns true when the event may exist on other machines. A name without colon or slash is the
 * same on every machine: if it is unknown, it is misspelled. */
static bool is_of_machine(const char *text)
{
	return strpbrk(text, ":/") && !is_breakpoint(text);
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

	if (copy)
		err = append_matches(text, copy, list, &reason);
	else
		err = append_spec(text, list, &reason);
	free(copy);
	if (err == -ENOENT && strchr(text, '/') && !is_breakpoint(text))
		err = append_units(text, list, &reason);
	if (err == -ENOENT && is_of_machine(text))
		err = append_absence(list, text, &reason);
	if (err && why)
		*why = reason;
	return err;
}

/* Modifiers of a group: the letters for each of its events, and S. */
struct group_modifiers {
	char letters[16];	/* without S */
	bool is_read_together;
};

static struct group_modifiers split_modifiers(const char *text, size_t len)
{
	struct group_modifiers modifiers = { .letters = "" };
	size_t used = 0;

	for (size_t i = 0; i < len; i++)
		if (text[i] == 'S')
			modifiers.is_read_together = true;
		else if (used + 1 < sizeof(modifiers.letters))
			modifiers.letters[used++] = text[i];
	return modifiers;
}

/* Appends the events of text[0..@len), a list without braces, with @letters at each. */
static int append_elements(const char *text, size_t len, const char *letters,
			   struct event_spec_list *list, struct diag *why)
{
	for (size_t at = 0;;) {
		const size_t part = measure_spec(text + at, len - at);
		char *one;
		int err;

		list->last = list->count;
		if (asprintf(&one, "%.*s%s%s", (int)part, text + at, *letters ? ":" : "",
			     letters) < 0)
			return diag_set(why, -ENOMEM, "no memory for an event");
		err = append_element(one, list, why);
		free(one);
		at += part + 1;
		if (err || at > len)
			return err;
	}
}

/* Appends "{a,b}" or "{a,b}:u" at *@at, and moves it to what follows. */
static int append_group(const char **at, struct event_spec_list *list, struct diag *why)
{
	const char *begin = *at + 1, *end = strchr(begin, '}');
	const size_t first = list->count;
	struct group_modifiers modifiers;
	size_t len;
	int err;

	if (!end || memchr(begin, '{', (size_t)(end - begin)))
		return diag_set(why, -EINVAL, "%s: a group is written {EVENT,EVENT,...}", *at);
	len = strcspn(end + 1, ",");
	if (len && end[1] != ':')
		return diag_set(why, -EINVAL, "%s: after a group come its modifiers, as in "
				"{cycles,instructions}:u, or a comma", *at);
	modifiers = split_modifiers(end + 2, len ? len - 1 : 0);
	err = append_elements(begin, (size_t)(end - begin), modifiers.letters, list, why);
	list->group_count++;
	for (size_t i = first; i < list->count; i++) {
		list->specs[i].group = list->group_count;
		list->specs[i].is_read_together = modifiers.is_read_together;
	}
	list->last = first;
	*at = end + 1 + len;
	return err;
}

/* Returns the length of the list at @text that ends before a group or at the end. */
static size_t measure_plain(const char *text)
{
	const char *brace = strchr(text, '{');

	if (!brace)
		return strlen(text);
	return brace > text && brace[-1] == ',' ? (size_t)(brace - 1 - text)
						: (size_t)(brace - text);
}

int event_spec_parse_list(const char *text, struct event_spec_list *list, struct diag *why)
{
	const char *at = text;
	int err;

	do {
		if (*at == '{') {
			err = append_group(&at, list, why);
		} else {
			const size_t len = measure_plain(at);

			err = append_elements(at, len, "", list, why);
			at += len;
		}
		if (err || !*at)
			return err;
	} while (*at++ == ',');
	return diag_set(why, -EINVAL, "%s: events and groups are separated by commas", text);
}

size_t event_spec_leader(const struct event_spec_list *list, size_t index)
{
	const uint32_t group = list->specs[index].group;

	while (group && index && list->specs[index - 1].group == group)
		index--;
	return index;
}

bool event_spec_is_read(const struct event_spec_list *list, size_t index)
{
	return list->specs[index].is_read_together && event_spec_leader(list, index) != index;
}

int event_spec_list_add_part(struct event_spec_list *list, struct diag *why)
{
	size_t walls = 0, others = 0;
	int err;

	for (size_t i = 0; i < list->count; i++) {
		walls += list->specs[i].is_wall;
		others += event_is_off_cpu(&list->specs[i].attr);
	}
	if (!walls)
		return 0;
	if (walls > 1 || others)
		return diag_set(why, -EINVAL, "wall is the time on and off a CPU: leave out %s",
				others ? EVENT_OFF_CPU : "the second one");
	err = append_spec(EVENT_OFF_CPU, list, why);
	if (!err)
		list->specs[list->count - 1].is_part = true;
	return err;
}

static void remove_spec(struct event_spec_list *list, size_t index)
{
	list->count--;
	memmove(&list->specs[index], &list->specs[index + 1],
		(list->count - index) * sizeof(*list->specs));
}

int event_spec_list_drop(struct event_spec_list *list, size_t index, const struct diag *reason)
{
	if (list->specs[index].is_part)
		for (index = 0; !list->specs[index].is_wall;)
			index++;
	if (append_absence(list, list->specs[index].name, reason))
		return -ENOMEM;
	if (list->specs[index].is_wall && list->specs[list->count - 1].is_part)
		list->count--;
	remove_spec(list, index);
	return 0;
}

int event_spec_list_drop_counted(struct event_spec_list *list, size_t index)
{
	const struct diag none = { .err = 0 };
	const char *devices = list->devices ? list->devices : EVENT_PMU_DEVICES;
	struct event_spec named;
	struct diag why;

	if (parse_spec(devices, list->specs[index].name, &named, &why) ||
	    named.attr.type != list->specs[index].attr.type ||
	    named.attr.config != list->specs[index].attr.config)
		return -EINVAL;
	if (event_spec_list_drop(list, index, &none))
		return -ENOMEM;
	list->absent[list->absent_count - 1].is_counted = true;
	return 0;
}

void event_spec_list_finish(struct event_spec_list *list)
{
	free(list->specs);
	free(list->absent);
	free(list->patterns);
	*list = (struct event_spec_list){ .count = 0 };
}

int event_check_text(const char *text, struct diag *why)
{
	struct event_spec_list list = { .count = 0 };
	int err = event_spec_parse_list(text, &list, why);

	if (!err && !list.count && list.absent_count) {
		err = list.absent[0].why.err;
		diag_set(why, err, "%s", list.absent[0].why.text);
	}
	event_spec_list_finish(&list);
	return err;
}
