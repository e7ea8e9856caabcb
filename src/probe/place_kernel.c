/* place_kernel.c - see place_kernel.h.
 *
 * A unique symbol is passed to the kernel by its name; one that exists several times by its
 * distance from _text, which is right wherever the kernel was loaded.
 */
#include "place_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/tracefs.h"
#include "kernel_functions.h"
#include "probe_verdict.h"

#define MAX_ACTIVE 4096	/* the kernel's maximum: sleeping functions have many concurrent calls */
#define KPROBES_OFF "/sys/kernel/debug/kprobes/enabled"
/* ns of a hit at a function's start, by a call into ftrace; extra ns of a return. */
#define ENTRY_NS  1000
#define RETURN_NS 1500

struct lookup {
	struct kernel_types *types;
	const struct probe_spec *spec;
	const struct kernel_functions *names;
	struct diag *why;
};

static bool is_off(void)
{
	FILE *file = fopen(KPROBES_OFF, "re");
	bool is_zero = file && fgetc(file) == '0';

	if (file)
		fclose(file);
	return is_zero;
}

static void judge_kernel(struct probe_places *place)
{
	int directory = tracefs_open(NULL);
	const bool has_events = directory >= 0 &&
				faccessat(directory, "kprobe_events", F_OK, AT_EACCESS) == 0;

	if (directory >= 0)
		close(directory);
	if (!has_events && access("/sys/bus/event_source/devices/kprobe/type", F_OK) != 0)
		probe_verdict_add(place, VERDICT_UNABLE, "this kernel has no kprobes "
				  "(CONFIG_KPROBE_EVENTS): use a tracepoint, or another kernel");
	else if (is_off())
		probe_verdict_add(place, VERDICT_UNABLE, "kprobes are switched off: write 1 to "
				  KPROBES_OFF);
}

static void judge_function(struct probe_places *place, const struct kernel_function *name)
{
	probe_verdict_of_name(place, name->name);
	if (kernel_functions_is_blacklisted(name->address + place->spec.offset))
		probe_verdict_add(place, VERDICT_REFUSED, "%s is on the kernel's blacklist: a "
				  "probe there would break the kernel", name->name);
	else if (kernel_functions_is_notrace(name->address))
		probe_verdict_add(place, VERDICT_REFUSED, "%s is marked notrace: the kernel takes "
				  "no probe there; use its caller", name->name);
}

static void fill_site(const struct lookup *lookup, struct probe_site *site,
		      const struct kernel_function *name, bool is_alone)
{
	const struct probe_spec *spec = lookup->spec;

	site->offset = spec->offset;
	if (is_alone || name->module[0]) {
		snprintf(site->symbol, sizeof(site->symbol), "%s%s%s", name->module,
			 name->module[0] ? ":" : "", name->name);
	} else {
		snprintf(site->symbol, sizeof(site->symbol), "_text");
		site->offset += name->address - lookup->names->text_address;
	}
	site->cost_ns = ENTRY_NS + (spec->edge == PROBE_ENTRY ? 0 : RETURN_NS);
	site->is_emulated = true;
	for (uint32_t i = 0; i < spec->argument_count; i++)
		kernel_types_fetch(lookup->types, name->module, name->name, &spec->arguments[i],
				   !spec->offset, &site->values[i]);
	site->value_count = spec->argument_count;
}

/* Makes one place for the functions first <= i < end, which share a name. */
static int fill_place(const struct lookup *lookup, uint32_t first, uint32_t end,
		      struct probe_places *place)
{
	const struct kernel_function *name = &lookup->names->list[first];

	*place = (struct probe_places){ .spec = *lookup->spec, .file = -1 };
	snprintf(place->spec.function, sizeof(place->spec.function), "%s", name->name);
	place->spec.is_wildcard = false;
	snprintf(place->path, sizeof(place->path), "%s", name->module[0] ? name->module : "kernel");
	place->sites = calloc(end - first, sizeof(*place->sites));
	place->offered = calloc(PROBE_VALUES_MAX, sizeof(*place->offered));
	if (!place->sites || !place->offered)
		return diag_set(lookup->why, -ENOMEM, "no memory for the places of a probe");
	judge_kernel(place);
	for (uint32_t i = first; i < end; i++) {
		fill_site(lookup, &place->sites[place->site_count++], &lookup->names->list[i],
			  end == first + 1);
		judge_function(place, &lookup->names->list[i]);
	}
	place->offered_count = kernel_types_offer(lookup->types, name->module, name->name,
						  place->offered, PROBE_VALUES_MAX);
	if (lookup->spec->edge != PROBE_ENTRY)
		place->max_active = MAX_ACTIVE;
	return 0;
}

static int fill_places(const struct lookup *lookup, struct probe_places *places, uint32_t *count)
{
	const struct kernel_functions *names = lookup->names;
	uint32_t end;
	int err = 0;

	for (uint32_t i = 0; i < names->count && !err; i = end) {
		for (end = i + 1; end < names->count; end++)
			if (strcmp(names->list[i].name, names->list[end].name) != 0 ||
			    strcmp(names->list[i].module, names->list[end].module) != 0)
				break;
		err = fill_place(lookup, i, end, &places[(*count)++]);
	}
	return err;
}

static int refuse_number(const struct probe_spec *spec, uint32_t matches, struct diag *why)
{
	if (spec->is_wildcard)
		return diag_set(why, -E2BIG, "%u kernel functions match '%s', at most %d can be "
				"probed at once", matches, spec->function, PROBE_MATCHES_MAX);
	return diag_set(why, -E2BIG, "%u kernel functions are called '%s': no probe can tell them "
			"apart", matches, spec->function);
}

int place_kernel_find(struct kernel_types *types, const struct probe_spec *spec,
		      struct probe_places **out, uint32_t *count, struct diag *why)
{
	struct kernel_functions names;
	const struct lookup lookup = { types, spec, &names, why };
	int err;

	if (spec->line)
		return diag_set(why, -EOPNOTSUPP, "lines of the kernel are not known: name a "
				"function, or FUNCTION+OFFSET; of a program: u:FILE:%s:%u",
				spec->source[0] ? spec->source : spec->function, spec->line);
	err = kernel_functions_find(&names, spec->function, spec->file, spec->is_wildcard,
				PROBE_MATCHES_MAX, why);
	if (err)
		return err;
	if (names.matches > names.count)
		err = refuse_number(spec, names.matches, why);
	*out = err ? NULL : calloc(names.count, sizeof(**out));
	if (!err && !*out)
		err = diag_set(why, -ENOMEM, "no memory for the places of a probe");
	if (!err)
		err = fill_places(&lookup, *out, count);
	kernel_functions_finish(&names);
	if (err) {
		probe_places_free(*out, *count);
		*out = NULL;
		*count = 0;
	}
	return err;
}
