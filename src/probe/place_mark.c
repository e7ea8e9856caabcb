/* place_mark.c - see place_mark.h. */
#include "place_mark.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/near_name.h"
#include "base/sanitize.h"
#include "base/whole_io.h"
#include "elf/mark_argument.h"
#include "place_file.h"
#include "probe_code.h"
#include "probe_verdict.h"
#include "sandbox/probe_names.h"

#define ARGUMENTS_MAX 12	/* most of a USDT probe: limit of sys/sdt.h */

struct search {
	struct probe_names names;
	const struct probe_spec *spec;
	const struct probe_mark *marks;	/* borrowed from `names`: all copies of the probe */
	uint32_t mark_count;
	struct mark_argument *copies;	/* owned; one argument of each copy */
	struct diag *why;
};

static void fill_fetch(struct probe_fetch *out, const char *name, const struct fetch_value *value)
{
	*out = (struct probe_fetch){ .kind = (enum probe_value_kind)value->kind,
				     .origin = ORIGIN_NOTE };
	snprintf(out->name, sizeof(out->name), "%s", name);
	sanitize_text(out->type, sizeof(out->type), value->type, strlen(value->type));
	sanitize_text(out->fetch, sizeof(out->fetch), value->fetch, strlen(value->fetch));
	sanitize_text(out->reason, sizeof(out->reason), value->reason, strlen(value->reason));
}

/* Reads argument @number, from 1, of all copies. */
static void read_copies(struct search *search, uint32_t number)
{
	for (uint32_t i = 0; i < search->mark_count; i++) {
		const char *note = probe_names_text(&search->names, search->marks[i].arguments);
		struct mark_argument *copy = &search->copies[i];
		bool is_there = true;

		for (uint32_t k = 0; k < number && is_there; k++)
			is_there = mark_argument_next(&note, copy);
		if (!is_there)
			snprintf(copy->reason, sizeof(copy->reason),
				 search->mark_count > 1 ? "a copy of the mark has no argument %u"
							: "the mark has no argument %u", number);
	}
}

/* Fills value @index of all sites from argument @number. */
static void fill_numbered(struct search *search, struct probe_places *place, uint32_t index,
			  uint32_t number)
{
	const struct probe_argument *argument = &search->spec->arguments[index];
	struct fetch_value value = { .fetch = "" };

	read_copies(search, number);
	for (uint32_t i = 0; i < search->mark_count; i++) {
		mark_argument_fetch(search->copies, search->mark_count, i,
				    probe_meaning_fetched_as(argument->type), &value);
		fill_fetch(&place->sites[i].values[index], argument->name, &value);
		probe_fetch_set_meaning(&place->sites[i].values[index], argument);
	}
	if (!value.fetch[0] && !argument->is_implied)
		probe_verdict_add(place, VERDICT_COSTLY, "%s can't be fetched: %s", argument->name,
				  value.reason);
}

/* Fills a value without an argument number: as typed, or with the reason why it is invalid. */
static void fill_unnumbered(struct search *search, struct probe_places *place, uint32_t index,
			    const struct fetch_value *value, enum probe_origin origin)
{
	for (uint32_t i = 0; i < search->mark_count; i++) {
		struct probe_fetch *out = &place->sites[i].values[index];

		fill_fetch(out, search->spec->arguments[index].name, value);
		out->origin = origin;
		probe_fetch_set_meaning(out, &search->spec->arguments[index]);
	}
}

static void fill_value(struct search *search, struct probe_places *place, uint32_t index)
{
	const struct probe_argument *argument = &search->spec->arguments[index];
	struct fetch_value value = { .fetch = "" };
	enum probe_origin origin = ORIGIN_NOTE;
	struct value_path path;
	struct diag why;
	uint32_t number;
	char rest;

	if (value_path_parse(&path, argument->value, &why)) {
		fetch_value_refuse(&value, "%s", why.text);
	} else if (path.base == VALUE_RAW) {
		fetch_value_put_raw(&value, argument->value,
				    probe_meaning_fetched_as(argument->type));
		origin = ORIGIN_TYPED;
	} else if (path.step_count || path.base == VALUE_RETURNED) {
		fetch_value_refuse(&value, "a mark has only its arguments: $arg1 to $arg12");
	} else if (path.base == VALUE_ARGUMENT ||
		   (sscanf(path.name, "arg%u%c", &number, &rest) == 1 && number)) {
		fill_numbered(search, place, index,
			      path.base == VALUE_ARGUMENT ? path.number : number);
		return;
	} else {
		fetch_value_refuse(&value, "arguments of marks have no names: $arg1 to $arg12");
	}
	fill_unnumbered(search, place, index, &value, origin);
}

/* Offers as many arguments as the first copy has. */
static void offer(struct search *search, struct probe_places *place)
{
	const char *note = probe_names_text(&search->names, search->marks[0].arguments);
	struct mark_argument ignored;
	struct fetch_value value;
	char name[16];

	while (place->offered_count < ARGUMENTS_MAX && mark_argument_next(&note, &ignored)) {
		snprintf(name, sizeof(name), "arg%u", place->offered_count + 1);
		read_copies(search, place->offered_count + 1);
		mark_argument_fetch(search->copies, search->mark_count, 0, "", &value);
		fill_fetch(&place->offered[place->offered_count++], name, &value);
	}
}

/* USDT probes are nops; where one is not, the note is wrong and the address may be anything. */
static void judge(struct probe_places *place, struct probe_site *site)
{
	const struct point point = { .offset = site->offset, .begin = site->offset };
	uint8_t byte = 0;

	if (whole_pread(place->file, &byte, 1, (off_t)site->offset) != 1 || byte != 0x90)
		probe_verdict_add(place, VERDICT_REFUSED, "the instruction of the mark is no nop: "
				  "its note is wrong");
	probe_verdict_of_code(place, site, &point, 0);
}

static int fill_place(struct search *search, struct probe_places *place)
{
	const struct probe_spec *spec = search->spec;

	if (search->mark_count > PROBE_SITES_MAX)
		return diag_set(search->why, -E2BIG, "the mark is in %u places, at most %d can be "
				"probed", search->mark_count, PROBE_SITES_MAX);
	search->copies = calloc(search->mark_count, sizeof(*search->copies));
	place->sites = calloc(search->mark_count, sizeof(*place->sites));
	place->offered = calloc(ARGUMENTS_MAX, sizeof(*place->offered));
	if (!search->copies || !place->sites || !place->offered)
		return diag_set(search->why, -ENOMEM, "no memory for the places of a probe");
	if (spec->edge != PROBE_ENTRY)
		probe_verdict_add(place, VERDICT_REFUSED, "a mark has no return: use U:%s:%s:%s",
				  spec->file, spec->group, spec->function);
	for (uint32_t i = 0; i < search->mark_count; i++) {
		struct probe_site *site = &place->sites[place->site_count++];

		site->offset = search->marks[i].offset;
		site->semaphore = search->marks[i].semaphore;
		site->value_count = spec->argument_count;
		judge(place, site);
	}
	for (uint32_t k = 0; k < spec->argument_count; k++)
		fill_value(search, place, k);
	offer(search, place);
	return 0;
}

static int not_found(const struct search *search)
{
	const struct probe_names *names = &search->names;
	struct near_name near;

	if (!names->header->mark_count)
		return diag_set(search->why, -ENOENT, "it has no USDT marks");
	near_name_start(&near, search->spec->function);
	for (uint32_t i = 0; i < names->header->mark_count; i++)
		near_name_try(&near, probe_names_text(names, names->marks[i].name));
	return diag_set(search->why, -ENOENT, near.nearest ? "no mark '%s:%s' among %u; did you "
			"mean '%s'?" : "no mark '%s:%s' among %u", search->spec->group,
			search->spec->function, names->header->mark_count, near.nearest);
}

static int find(struct search *search, const struct place_file *file, struct probe_places *place)
{
	const struct probe_spec *spec = search->spec;
	int err;

	*place = (struct probe_places){ .spec = *spec, .file = -1 };
	if (spec->is_wildcard)
		return diag_set(search->why, -EINVAL, "name one mark: wildcards are for functions");
	search->marks = probe_names_find_mark(&search->names, spec->group, spec->function,
					      &search->mark_count);
	if (!search->marks)
		return not_found(search);
	err = place_file_put(file, place, search->why);
	return err ? err : fill_place(search, place);
}

int place_mark_find(struct sandbox *sandbox, const struct probe_spec *spec, pid_t pid,
		    struct probe_places **out, uint32_t *count, struct diag *why)
{
	struct search search = { .spec = spec, .why = why };
	struct place_file file;
	int err = place_file_open(&file, spec->file, pid, why);

	if (err)
		return err;
	err = probe_names_read(sandbox, file.file.fd, -1, PROBE_NAMES_MARKS, &search.names, why);
	*out = err ? NULL : calloc(1, sizeof(**out));
	if (!err && !*out)
		err = diag_set(why, -ENOMEM, "no memory for the places of a probe");
	if (!err) {
		*count = 1;
		err = find(&search, &file, *out);
	}
	if (err) {
		diag_prefix(why, "%s", spec->file);
		probe_places_free(*out, *count);
		*out = NULL;
		*count = 0;
	}
	free(search.copies);
	probe_names_finish(&search.names);
	place_file_close(&file);
	return err;
}
