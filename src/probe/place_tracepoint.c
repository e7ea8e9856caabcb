/* place_tracepoint.c - see place_tracepoint.h.
 *
 * A tracepoint's arguments are the fields of its record; nothing is fetched, so only a name or a
 * type can be wrong.
 */
#include "place_tracepoint.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/name_pattern.h"
#include "base/whole_io.h"
#include "capture/event_open.h"
#include "capture/raw_fields.h"
#include "capture/tracefs.h"
#include "condition_words.h"
#include "pointed_text.h"
#include "probe/field_view.h"
#include "probe/probe_definition.h"
#include "probe_verdict.h"

#define HIT_NS	     920	/* measured, with a record in a ring */
#define PATH_BYTES   (PROBE_GROUP_BYTES + PROBE_FUNCTION_BYTES + 32)

struct pair {
	struct raw_fields begin, end;	/* `end` only for a pair */
	bool has_end;
};

/* Fills @out from field @index. @argument NULL: as the event has the field. */
static void fill_field(const struct raw_fields *fields, int index, const char *group,
		       const char *name, const struct probe_argument *argument,
		       struct probe_fetch *out)
{
	const struct raw_field *field = &fields->list[index];
	struct field_view view;
	int err = field_view_make(&view, fields, index, group, name, argument, out->reason,
				  sizeof(out->reason));

	out->kind = view.kind;
	out->meaning = view.meaning;
	out->is_pointed = pointed_text_is(field);
	snprintf(out->name, sizeof(out->name), "%s", field->name);
	snprintf(out->type, sizeof(out->type), "%s", field->type);
	if (!err)
		snprintf(out->fetch, sizeof(out->fetch), "%s", field->name);
	else if (err == -ENOTSUP)
		pointed_text_refuse(group, name, fields, index, out->reason, sizeof(out->reason));
}

static void fill_value(const struct probe_spec *spec, const struct pair *pair,
		       const struct probe_argument *argument, struct probe_fetch *out)
{
	char name[sizeof(argument->value)], names[80];
	int begin, end;

	*out = (struct probe_fetch){ .origin = ORIGIN_FORMAT };
	field_view_name(argument->value, name, sizeof(name));
	begin = raw_fields_find(&pair->begin, name);
	end = begin < 0 && pair->has_end ? raw_fields_find(&pair->end, name) : -1;
	if (begin >= 0) {
		fill_field(&pair->begin, begin, spec->group, spec->function, argument, out);
		out->is_of_both = pair->has_end && raw_fields_find(&pair->end, name) >= 0;
	} else if (end >= 0) {
		fill_field(&pair->end, end, spec->end_group, spec->end_name, argument, out);
		out->is_return = true;
	} else {
		raw_fields_list(&pair->begin, names, sizeof(names));
		snprintf(out->reason, sizeof(out->reason), "no such field: %s", names);
	}
	snprintf(out->name, sizeof(out->name), "%s", argument->name);
}

static uint32_t count_own(const struct raw_fields *fields)
{
	uint32_t count = 0;

	for (size_t i = 0; i < fields->count; i++)
		count += !fields->list[i].is_common;
	return count;
}

static void offer_fields(const struct raw_fields *fields, const char *group, const char *name,
			 bool is_return, struct probe_places *place)
{
	for (size_t i = 0; i < fields->count; i++) {
		struct probe_fetch *out = &place->offered[place->offered_count];

		if (fields->list[i].is_common)
			continue;
		*out = (struct probe_fetch){ .origin = ORIGIN_FORMAT, .is_return = is_return };
		fill_field(fields, (int)i, group, name, NULL, out);
		place->offered_count++;
	}
}

static int check_keys(const struct probe_spec *spec, const struct pair *pair, struct diag *why)
{
	char names[160];

	for (uint32_t i = 0; i < spec->key_count; i++) {
		const bool is_begin_bad = raw_fields_find(&pair->begin, spec->keys[i]) < 0;

		if (!is_begin_bad &&
		    (!pair->has_end || raw_fields_find(&pair->end, spec->keys[i]) >= 0))
			continue;
		raw_fields_list(is_begin_bad ? &pair->begin : &pair->end, names, sizeof(names));
		return diag_set(why, -EINVAL, "%s has no field '%s' to pair by; it has %s",
				is_begin_bad ? spec->function : spec->end_name, spec->keys[i],
				names);
	}
	return 0;
}

static int fill_rows(const struct pair *pair, struct probe_places *place, struct diag *why)
{
	const struct probe_spec *spec = &place->spec;
	struct probe_site *site;

	place->sites = calloc(1, sizeof(*place->sites));
	place->offered = calloc(count_own(&pair->begin) + count_own(&pair->end) + 1,
				sizeof(*place->offered));
	if (!place->sites || !place->offered)
		return diag_set(why, -ENOMEM, "no memory for the places of a probe");
	place->site_count = 1;
	site = &place->sites[0];
	snprintf(site->symbol, sizeof(site->symbol), "%.63s:%.191s", spec->group, spec->function);
	site->is_emulated = true;
	site->cost_ns = pair->has_end && !probe_spec_is_interval(spec) ? 2 * HIT_NS : HIT_NS;
	for (uint32_t i = 0; i < spec->argument_count; i++)
		fill_value(spec, pair, &spec->arguments[i], &site->values[i]);
	site->value_count = spec->argument_count;
	offer_fields(&pair->begin, spec->group, spec->function, false, place);
	if (!probe_spec_is_interval(spec))
		offer_fields(&pair->end, spec->end_group, spec->end_name, true, place);
	return 0;
}

/* True: the kernel accepts @filter for the tracepoint, or the tracepoint can't be opened, which
 * attaching will report. */
static bool is_taken(const struct probe_spec *spec, const char *filter)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
					.disabled = 1 };
	uint64_t id;
	bool is_taken;
	int fd;

	if (tracefs_event_id(spec->group, spec->function, &id, NULL))
		return true;
	attr.config = id;
	fd = event_open(&attr, -1, 0);
	if (fd < 0)
		return true;
	is_taken = !ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) || errno != EINVAL;
	close(fd);
	return is_taken;
}

/* Checks the comparisons that only the kernel can make. */
static void judge_filter(struct probe_places *place, const struct pair *pair)
{
	char filter[PROBE_FILTER_BYTES], way[PROBE_REASON_BYTES];
	struct probe_condition *condition = &place->spec.condition, rest;
	bool is_whole;
	int field = -1;

	if (!probe_condition_has_pointed(condition) || place->verdict == VERDICT_UNABLE)
		return;
	is_whole = probe_definition_filter(place, &place->sites[0], &pair->begin, filter,
					   sizeof(filter), &rest);
	if (probe_condition_has_pointed(&rest))
		probe_verdict_add(place, VERDICT_UNABLE, "a text behind a pointer is compared by "
				  "the kernel: join it by \"and\" with what the kernel can't "
				  "compare");
	if (probe_condition_has_pointed(&rest) || (is_whole && is_taken(&place->spec, filter)))
		return;
	for (uint32_t i = 0; i < condition->count && field < 0; i++)
		if (condition->nodes[i].is_pointed)
			field = raw_fields_find(&pair->begin, condition->nodes[i].name);
	pointed_text_refuse(place->spec.group, place->spec.function, &pair->begin,
			    field < 0 ? 0 : field, way, sizeof(way));
	probe_verdict_add(place, VERDICT_UNABLE, "this kernel compares no text behind a pointer "
			  "(Linux 5.18 and later do): %s", way);
}

/* Replaces the end that a wildcard implied by that of one system call. */
static void set_end(struct probe_spec *spec)
{
	if (spec->is_wildcard && spec->end_name[0])
		snprintf(spec->end_name, sizeof(spec->end_name), "sys_exit%s",
			 spec->function + strlen("sys_enter"));
}

static int fill_place(int directory, const struct probe_spec *wanted, const char *name,
		      struct probe_places *place, struct diag *why)
{
	struct pair pair = { .has_end = wanted->end_name[0] != '\0' };
	const struct probe_spec *spec = &place->spec;
	int err;

	*place = (struct probe_places){ .spec = *wanted, .file = -1 };
	snprintf(place->spec.function, sizeof(place->spec.function), "%s", name);
	set_end(&place->spec);
	place->spec.is_wildcard = false;
	snprintf(place->path, sizeof(place->path), "%s", spec->group);
	err = tracefs_read_fields(directory, spec->group, name, &pair.begin, why);
	if (!err && pair.has_end)
		err = tracefs_read_fields(directory, spec->end_group, spec->end_name, &pair.end,
					  why);
	if (!err)
		err = check_keys(spec, &pair, why);
	if (!err)
		err = fill_rows(&pair, place, why);
	if (!err) {
		condition_words_resolve(place, &pair.begin, pair.has_end ? &pair.end : NULL);
		judge_filter(place, &pair);
	}
	raw_fields_finish(&pair.begin);
	raw_fields_finish(&pair.end);
	return err;
}

static int open_group(int directory, const char *group, DIR **out, struct diag *why)
{
	char path[PATH_BYTES];
	int fd;

	snprintf(path, sizeof(path), "events/%s", group);
	fd = strchr(group, '/') ? -1 : openat(directory, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	*out = fd < 0 ? NULL : fdopendir(fd);
	if (*out)
		return 0;
	if (fd >= 0)
		close(fd);
	return diag_set(why, -ENOENT, "no tracepoint group '%s'", group);
}

static int fill_matches(int directory, const struct probe_spec *spec, struct probe_places *places,
			uint32_t *count, struct diag *why)
{
	struct dirent *entry;
	uint32_t matches = 0;
	DIR *group;
	int err = open_group(directory, spec->group, &group, why);

	if (err)
		return err;
	while (!err && (entry = readdir(group))) {
		if (entry->d_type != DT_DIR || entry->d_name[0] == '.' ||
		    !name_pattern_matches(spec->function, entry->d_name))
			continue;
		if (++matches <= PROBE_MATCHES_MAX)
			err = fill_place(directory, spec, entry->d_name, &places[(*count)++], why);
	}
	closedir(group);
	if (err)
		return err;
	if (!matches)
		return diag_set(why, -ENOENT, "no tracepoint of %s matches '%s'", spec->group,
				spec->function);
	return matches <= PROBE_MATCHES_MAX ? 0 : diag_set(why, -E2BIG, "%u tracepoints match "
							   "'%s', at most %d can be probed at once",
							   matches, spec->function,
							   PROBE_MATCHES_MAX);
}

int place_tracepoint_find(const struct probe_spec *spec, struct probe_places **out,
			  uint32_t *count, struct diag *why)
{
	int directory = tracefs_open(why), err;

	if (directory < 0)
		return directory;
	*out = calloc(spec->is_wildcard ? PROBE_MATCHES_MAX : 1, sizeof(**out));
	if (!*out)
		err = diag_set(why, -ENOMEM, "no memory for the places of a probe");
	else if (spec->is_wildcard)
		err = fill_matches(directory, spec, *out, count, why);
	else
		err = fill_place(directory, spec, spec->function, &(*out)[(*count)++], why);
	close(directory);
	if (err) {
		probe_places_free(*out, *count);
		*out = NULL;
		*count = 0;
	}
	return err;
}
