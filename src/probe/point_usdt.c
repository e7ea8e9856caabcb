/* point_usdt.c - see point_usdt.h. */
#include "point_usdt.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/name_match.h"
#include "base/sanitize.h"
#include "base/whole_io.h"
#include "elf/fetch_value.h"
#include "point_file.h"
#include "probe_verdict.h"
#include "sandbox/probe_names.h"

#define ARGUMENTS_MAX 12	/* most of a USDT probe: limit of sys/sdt.h */

#ifdef __aarch64__
static const uint8_t nop[] = { 0x1f, 0x20, 0x03, 0xd5 };
#else
static const uint8_t nop[] = { 0x90 };
#endif

struct search {
	struct probe_names names;
	const struct probe_spec *spec;
	const struct usdt_probe *usdt_probes;	/* borrowed from `names`: all copies of the probe */
	uint32_t usdt_count;
	struct usdt_argument *copies;	/* owned; one argument of each copy */
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
	for (uint32_t i = 0; i < search->usdt_count; i++) {
		const char *note =
			probe_names_text(&search->names, search->usdt_probes[i].arguments);
		struct usdt_argument *copy = &search->copies[i];
		bool is_there = true;

		for (uint32_t k = 0; k < number && is_there; k++)
			is_there = usdt_argument_next(&note, MACHINE_OWN, copy);
		if (!is_there)
			snprintf(copy->reason, sizeof(copy->reason),
				 "%s has no argument %u", search->usdt_count > 1
				 ? "a copy of the USDT probe" : "the USDT probe", number);
	}
}

/* Fills value @index of all sites from argument @number. */
static void fill_numbered(struct search *search, struct probe_point *point, uint32_t index,
			  uint32_t number)
{
	const struct probe_argument *argument = &search->spec->arguments[index];
	struct fetch_value value = { .fetch = "" };

	read_copies(search, number);
	for (uint32_t i = 0; i < search->usdt_count; i++) {
		usdt_argument_fetch(search->copies, search->usdt_count, i,
				    probe_meaning_fetched_as(argument->type), &value);
		fill_fetch(&point->sites[i].values[index], argument->name, &value);
		probe_fetch_set_meaning(&point->sites[i].values[index], argument);
	}
	if (!value.fetch[0] && !argument->is_implied)
		probe_verdict_add(point, VERDICT_COSTLY, "%s can't be fetched: %s", argument->name,
				  value.reason);
}

/* Fills a value without an argument number: as typed, or with the reason why it is invalid. */
static void fill_unnumbered(struct search *search, struct probe_point *point, uint32_t index,
			    const struct fetch_value *value, enum probe_origin origin)
{
	for (uint32_t i = 0; i < search->usdt_count; i++) {
		struct probe_fetch *out = &point->sites[i].values[index];

		fill_fetch(out, search->spec->arguments[index].name, value);
		out->origin = origin;
		probe_fetch_set_meaning(out, &search->spec->arguments[index]);
	}
}

static void fill_value(struct search *search, struct probe_point *point, uint32_t index)
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
		fetch_value_refuse(&value, "a USDT probe has only its arguments: $arg1 to $arg12");
	} else if (path.base == VALUE_ARGUMENT ||
		   (sscanf(path.name, "arg%u%c", &number, &rest) == 1 && number)) {
		fill_numbered(search, point, index,
			      path.base == VALUE_ARGUMENT ? path.number : number);
		return;
	} else {
		fetch_value_refuse(&value,
				   "arguments of USDT probes have no names: $arg1 to $arg12");
	}
	fill_unnumbered(search, point, index, &value, origin);
}

/* Offers as many arguments as the first copy has. */
static void offer(struct search *search, struct probe_point *point)
{
	const char *note = probe_names_text(&search->names, search->usdt_probes[0].arguments);
	struct usdt_argument ignored;
	struct fetch_value value;
	char name[16];

	while (point->offered_count < ARGUMENTS_MAX &&
	       usdt_argument_next(&note, MACHINE_OWN, &ignored)) {
		snprintf(name, sizeof(name), "arg%u", point->offered_count + 1);
		read_copies(search, point->offered_count + 1);
		usdt_argument_fetch(search->copies, search->usdt_count, 0, "", &value);
		fill_fetch(&point->offered[point->offered_count++], name, &value);
	}
}

/* USDT probes are nops; where one is not, the note is wrong and the address may be anything. On
 * aarch64 the kernel steps over a nop before Linux 6.13. */
static void judge(struct probe_point *point, struct probe_site *site)
{
	struct point_site found = { .offset = site->offset, .begin = site->offset,
				    .code = POINT_CODE_KNOWN | POINT_CODE_BORDER };
	const struct probe_code code = { .site = &found, .machine = MACHINE_OWN,
					 .instruction = "nop", .first = "" };
	uint8_t bytes[sizeof(nop)];

	if (whole_pread(point->file, bytes, sizeof(nop), (off_t)site->offset) != sizeof(nop) ||
	    memcmp(bytes, nop, sizeof(nop)))
		probe_verdict_add(point, VERDICT_REFUSED, "the instruction of the USDT probe is no "
				  "nop: its note is wrong");
	else if (MACHINE_OWN != MACHINE_AARCH64)
		found.code |= POINT_CODE_EMULATED;
	probe_verdict_of_code(point, site, &code);
}

static int fill_point(struct search *search, struct probe_point *point)
{
	const struct probe_spec *spec = search->spec;

	if (search->usdt_count > PROBE_SITES_MAX)
		return diag_set(search->why, -E2BIG,
				"the USDT probe is at %u sites, at most %d can be probed",
				search->usdt_count, PROBE_SITES_MAX);
	search->copies = calloc(search->usdt_count, sizeof(*search->copies));
	point->sites = calloc(search->usdt_count, sizeof(*point->sites));
	point->offered = calloc(ARGUMENTS_MAX, sizeof(*point->offered));
	if (!search->copies || !point->sites || !point->offered)
		return diag_set(search->why, -ENOMEM, "no memory for the sites of a probe");
	if (spec->edge != PROBE_ENTRY)
		probe_verdict_add(point, VERDICT_REFUSED,
				  "a USDT probe has no return: use U:%s:%s:%s",
				  spec->file, spec->group, spec->function);
	for (uint32_t i = 0; i < search->usdt_count; i++) {
		struct probe_site *site = &point->sites[point->site_count++];

		site->offset = search->usdt_probes[i].offset;
		site->semaphore = search->usdt_probes[i].semaphore;
		site->value_count = spec->argument_count;
		judge(point, site);
	}
	for (uint32_t k = 0; k < spec->argument_count; k++)
		fill_value(search, point, k);
	offer(search, point);
	return 0;
}

static int not_found(const struct search *search)
{
	const struct probe_names *names = &search->names;
	struct near_name near;

	if (!names->header->usdt_count)
		return diag_set(search->why, -ENOENT, "it has no USDT probes");
	near_name_start(&near, search->spec->function);
	for (uint32_t i = 0; i < names->header->usdt_count; i++)
		near_name_try(&near, probe_names_text(names, names->usdt_probes[i].name));
	return diag_set(search->why, -ENOENT, near.nearest ? "no USDT probe '%s:%s' among %u; did "
			"you mean '%s'?" : "no USDT probe '%s:%s' among %u", search->spec->group,
			search->spec->function, names->header->usdt_count, near.nearest);
}

static int find(struct search *search, const struct point_file *file, struct probe_point *point)
{
	const struct probe_spec *spec = search->spec;
	int err;

	*point = (struct probe_point){ .spec = *spec, .file = -1 };
	if (spec->is_wildcard)
		return diag_set(search->why, -EINVAL,
				"name one USDT probe: wildcards are for functions");
	search->usdt_probes = probe_names_find_usdt(&search->names, spec->group, spec->function,
						    &search->usdt_count);
	if (!search->usdt_probes)
		return not_found(search);
	err = point_file_put(file, point, search->why);
	return err ? err : fill_point(search, point);
}

int point_usdt_find(struct sandbox *sandbox, const struct probe_spec *spec, pid_t pid,
		    struct probe_point **out, uint32_t *count, struct diag *why)
{
	struct search search = { .spec = spec, .why = why };
	struct point_file file;
	int err = point_file_open(&file, spec->file, pid, why);

	if (err)
		return err;
	err = probe_names_read(sandbox, file.file.fd, -1, PROBE_NAMES_USDT, &search.names, why);
	*out = err ? NULL : calloc(1, sizeof(**out));
	if (!err && !*out)
		err = diag_set(why, -ENOMEM, "no memory for the sites of a probe");
	if (!err) {
		*count = 1;
		err = find(&search, &file, *out);
	}
	if (err) {
		diag_prefix(why, "%s", spec->file);
		probe_point_free(*out, *count);
		*out = NULL;
		*count = 0;
	}
	free(search.copies);
	probe_names_finish(&search.names);
	point_file_close(&file);
	return err;
}
