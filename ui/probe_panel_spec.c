/* probe_panel_spec.c - between rows, choices and specs: what the panel is opened for, and what it
 * orders. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ui/probe_panel.h"

static bool is_of_file(const struct snapshot_row *row)
{
	return row->object_path[0] == '/';
}

/* NULL: nothing is wrong with it. */
static const char *refusal_of(const struct snapshot_row *row)
{
	switch (row->state) {
	case SYMBOL_LOADING:	return "its names are being read: try again in a moment";
	case SYMBOL_UNKNOWN:	return "no symbol covers this address: there is no function to "
				       "probe";
	case SYMBOL_UNREADABLE: return "its file could not be read, so its functions are unknown";
	case SYMBOL_NAMED:	break;
	}
	if (!row->symbol[0])
		return "this row is no function: Enter leads to its functions, p probes one";
	if (row->is_synthetic)
		return "it has no symbol, only its address: there is nothing to probe it by";
	switch (row->mode) {
	case MODE_KERNEL:
		return NULL;
	case MODE_USER:
		return is_of_file(row) ? NULL : "code that was made at run time is in no file: "
						"there is no place for a probe";
	case MODE_GUEST_KERNEL:
	case MODE_GUEST_USER:
		return "it runs in a guest: a probe would have to be made in there";
	case MODE_HYPERVISOR:
	case MODE_UNKNOWN:
		break;
	}
	return "this is no function of a program or of the kernel";
}

char *probe_panel_row_refusal(const struct snapshot_row *row, char *out)
{
	const char *why = refusal_of(row);

	snprintf(out, PANEL_WHY_BYTES, "%s", why ? why : "");
	return out;
}

/* "[ext4]" is module ext4, "[kernel]" none. */
static void set_module(struct probe_spec *spec, const char *object)
{
	if (object[0] == '[' && strcmp(object, "[kernel]"))
		snprintf(spec->file, sizeof(spec->file), "%.*s", (int)strcspn(object + 1, "]"),
			 object + 1);
}

void probe_panel_row_spec(const struct snapshot_row *row, struct probe_spec *out)
{
	*out = (struct probe_spec){
		.kind = row->mode == MODE_KERNEL ? PROBE_KERNEL : PROBE_USER,
		.edge = row->is_inlined ? PROBE_ENTRY : PROBE_LATENCY,
	};
	if (out->kind == PROBE_KERNEL)
		set_module(out, row->object);
	else
		snprintf(out->file, sizeof(out->file), "%s", row->object_path);
	snprintf(out->function, sizeof(out->function), "%s", row->raw_symbol);
}

unsigned int probe_panel_edges(const struct probe_spec *spec)
{
	if (spec->end_name[0])
		return 1u << PROBE_LATENCY;	/* of two tracepoints */
	if (spec->kind == PROBE_TRACEPOINT || spec->kind == PROBE_USDT || spec->offset ||
	    spec->line)
		return 1u << PROBE_ENTRY;	/* only a function's begin has a return */
	return PANEL_EDGES_ALL;
}

/* Appends; what has no room is cut. */
static void append(char *out, size_t room, const char *text)
{
	const size_t used = strlen(out), length = strlen(text);
	const size_t bytes = length < room - used - 1 ? length : room - used - 1;

	memmove(out + used, text, bytes);
	out[used + bytes] = '\0';
}

static const char *prefix_of(const struct probe_spec *spec)
{
	const bool is_return = spec->edge == PROBE_RETURN;

	if (spec->edge == PROBE_LATENCY)
		return spec->kind == PROBE_TRACEPOINT ? "lat:t:" : "lat:";
	switch (spec->kind) {
	case PROBE_KERNEL:     return is_return ? "kr:" : "k:";
	case PROBE_USER:       return is_return ? "ur:" : "u:";
	case PROBE_TRACEPOINT: return "t:";
	case PROBE_USDT:       break;
	}
	return "U:";
}

static void append_place(struct probe_spec *spec)
{
	const size_t room = sizeof(spec->text);
	char number[32];

	if (spec->file[0]) {
		append(spec->text, room, spec->file);
		append(spec->text, room, ":");
	}
	if (spec->group[0]) {
		append(spec->text, room, spec->group);
		append(spec->text, room, ":");
	}
	append(spec->text, room, spec->function[0] ? spec->function : spec->source);
	if (spec->offset) {
		snprintf(number, sizeof(number), "+0x%" PRIx64, spec->offset);
		append(spec->text, room, number);
	}
	if (spec->line) {
		snprintf(number, sizeof(number), ":%" PRIu32, spec->line);
		append(spec->text, room, number);
	}
}

static void append_end(struct probe_spec *spec)
{
	const size_t room = sizeof(spec->text);

	if (!spec->end_name[0])
		return;
	append(spec->text, room, "->");
	append(spec->text, room, spec->end_group);
	append(spec->text, room, ":");
	append(spec->text, room, spec->end_name);
	for (uint32_t i = 0; i < spec->key_count; i++) {
		append(spec->text, room, i ? "," : " by ");
		append(spec->text, room, spec->keys[i]);
	}
}

static void append_arguments(struct probe_spec *spec)
{
	const size_t room = sizeof(spec->text);

	for (uint32_t i = 0; i < spec->argument_count; i++) {
		const struct probe_argument *argument = &spec->arguments[i];

		append(spec->text, room, " ");
		if (strcmp(argument->name, argument->value)) {
			append(spec->text, room, argument->name);
			append(spec->text, room, "=");
		}
		append(spec->text, room, argument->value);
		if (argument->type[0]) {
			append(spec->text, room, ":");
			append(spec->text, room, argument->type);
		}
	}
}

/* What is offered by the calling convention or by a mark has a number for a name. */
static void name_value(const struct probe_fetch *fetch, struct probe_argument *out)
{
	const bool is_numbered = fetch->origin == ORIGIN_ABI || fetch->origin == ORIGIN_NOTE;

	*out = (struct probe_argument){ .type = "" };
	snprintf(out->name, sizeof(out->name), "%s", fetch->is_return ? "ret" : fetch->name);
	if (fetch->is_return)
		snprintf(out->value, sizeof(out->value), "$retval");
	else
		snprintf(out->value, sizeof(out->value), "%s%s",
			 is_numbered && fetch->name[0] != '$' ? "$" : "", fetch->name);
}

static bool has_argument(const struct probe_spec *spec, const char *value)
{
	for (uint32_t i = 0; i < spec->argument_count; i++)
		if (!strcmp(spec->arguments[i].value, value))
			return true;
	return false;
}

bool probe_panel_is_typed(const struct probe_panel *panel, const struct probe_fetch *fetch)
{
	struct probe_argument argument;

	name_value(fetch, &argument);
	return has_argument(&panel->spec, argument.value);
}

/* A return value only where there is a return, an argument only where there is a call. */
bool probe_panel_has_value(const struct probe_panel *panel, const struct probe_fetch *fetch)
{
	return fetch->fetch[0] && panel->edge != (fetch->is_return ? PROBE_ENTRY : PROBE_RETURN);
}

/* Typed ones that the place does not offer (a->b.c) stay as they are. */
static void take_arguments(const struct probe_panel *panel, struct probe_spec *spec)
{
	struct probe_argument argument;

	for (uint32_t i = 0; panel->has_answer && i < panel->answer.offered_count; i++) {
		const struct probe_fetch *fetch = &panel->answer.offered[i];
		uint32_t kept = 0;

		name_value(fetch, &argument);
		for (uint32_t k = 0; k < spec->argument_count; k++)
			if (strcmp(spec->arguments[k].value, argument.value))
				spec->arguments[kept++] = spec->arguments[k];
		spec->argument_count = kept;
		if (panel->is_chosen[i] && probe_panel_has_value(panel, fetch) &&
		    kept < PROBE_ARGUMENTS_MAX)
			spec->arguments[spec->argument_count++] = argument;
	}
}

void probe_panel_choice(const struct probe_panel *panel, bool counts_only,
			struct probe_choice *out)
{
	struct probe_spec *spec = &out->spec;
	struct diag why;

	*out = (struct probe_choice){ .cap_pct = 0 };
	*spec = panel->spec;
	spec->edge = panel->edge;
	take_arguments(panel, spec);
	if (counts_only) {
		spec->edge = PROBE_ENTRY;
		spec->argument_count = spec->key_count = 0;
		spec->end_name[0] = '\0';
	}
	spec->condition.count = 0;
	if (panel->filter.text[0] &&
	    probe_condition_parse(&spec->condition, panel->filter.text, &why))
		spec->condition.count = 0;
	snprintf(spec->text, sizeof(spec->text), "%s", prefix_of(spec));
	append_place(spec);
	append_end(spec);
	append_arguments(spec);
	if (spec->condition.count) {
		append(spec->text, sizeof(spec->text), " if ");
		append(spec->text, sizeof(spec->text), panel->filter.text);
	}
	if (spec->kind == PROBE_USER && !spec->is_wildcard && !spec->offset && !spec->line &&
	    strcmp(panel->name, spec->function))
		snprintf(out->shown, sizeof(out->shown), "%s", panel->name);
	out->reach = panel->reach;
	out->pid = panel->pid;
	out->with_stacks = panel->with_stacks && !counts_only;
}
