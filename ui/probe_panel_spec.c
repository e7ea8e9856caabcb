/* probe_panel_spec.c - converts between rows, the panel's choices and probe specs. */
#include <stdio.h>
#include <string.h>

#include "probe/probe_argument.h"
#include "widgets/probe_panel.h"

#define PANEL_VALUE_BYTES 64	/* an offered value, as text in a spec */

static bool is_of_file(const struct snapshot_row *row)
{
	return row->object_path[0] == '/';
}

/* Returns why the row can't be probed, or NULL. */
static const char *refusal_of(const struct snapshot_row *row)
{
	switch (row->state) {
	case SYMBOL_LOADING:	return "its names are being read: try again in a moment";
	case SYMBOL_UNKNOWN:	return "no symbol covers this address: there is no function to "
				       "probe";
	case SYMBOL_UNREADABLE: return "its file could not be read, so its functions are unknown";
	case SYMBOL_NO_MAP:	return "no map says which functions this memory holds";
	case SYMBOL_NAMED:	break;
	}
	if (!row->symbol[0])
		return "this row is no function: Enter leads to its functions, p probes one";
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

/* What has no symbol is shown as "libfoo.so!fn_1a2b30". */
static const char *function_of(const struct snapshot_row *row)
{
	const char *mark = row->is_synthetic ? strrchr(row->raw_symbol, '!') : NULL;

	return mark ? mark + 1 : row->raw_symbol;
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
	snprintf(out->function, sizeof(out->function), "%s", function_of(row));
}

unsigned int probe_panel_edges(const struct probe_spec *spec)
{
	if (spec->end_name[0])
		return 1u << PROBE_LATENCY;	/* from one tracepoint to another */
	if (spec->kind == PROBE_TRACEPOINT || spec->kind == PROBE_USDT || spec->offset ||
	    spec->line)
		return 1u << PROBE_ENTRY;	/* only a function's begin has a return */
	return PANEL_EDGES_ALL;
}

/* What is offered by the calling convention or by a mark has a number for a name. What a function
 * returns has none; what the end of two tracepoints brings are fields. */
static void put_value(const struct probe_fetch *fetch, char out[PANEL_VALUE_BYTES])
{
	const bool is_numbered = fetch->origin == ORIGIN_ABI || fetch->origin == ORIGIN_NOTE;

	if (fetch->is_return && fetch->origin != ORIGIN_FORMAT)
		snprintf(out, PANEL_VALUE_BYTES, "$retval");
	else
		snprintf(out, PANEL_VALUE_BYTES, "%s%s",
			 is_numbered && fetch->name[0] != '$' ? "$" : "", fetch->name);
}

const struct probe_argument *probe_panel_typed(const struct probe_panel *panel,
					       const struct probe_fetch *fetch)
{
	char value[PANEL_VALUE_BYTES];

	put_value(fetch, value);
	for (uint32_t i = 0; i < panel->spec.argument_count; i++)
		if (!strcmp(panel->spec.arguments[i].value, value))
			return &panel->spec.arguments[i];
	return NULL;
}

/* True if an earlier field has the same name: both ends of a pair may have it, and a spec means the
 * first. */
static bool is_hidden(const struct probe_panel *panel, const struct probe_fetch *fetch)
{
	for (const struct probe_fetch *other = panel->answer.offered; other < fetch; other++)
		if (fetch->origin == ORIGIN_FORMAT && !strcmp(other->name, fetch->name))
			return true;
	return false;
}

/* A return value is available only at a return, an argument only at a call. */
bool probe_panel_has_value(const struct probe_panel *panel, const struct probe_fetch *fetch)
{
	return fetch->fetch[0] && panel->edge != (fetch->is_return ? PROBE_ENTRY : PROBE_RETURN) &&
	       !is_hidden(panel, fetch);
}

bool probe_panel_is_extra(const struct probe_panel *panel, const struct probe_argument *argument)
{
	struct probe_spec spec = panel->spec;

	spec.edge = panel->edge;
	if (!probe_argument_fits(&spec, argument))
		return false;
	for (uint32_t i = 0; panel->has_answer && i < panel->answer.offered_count; i++)
		if (probe_panel_typed(panel, &panel->answer.offered[i]) == argument)
			return false;
	return true;
}

static bool is_wanted(const struct probe_panel *panel, const struct probe_argument *argument)
{
	for (uint32_t i = 0; panel->has_answer && i < panel->answer.offered_count; i++) {
		const struct probe_fetch *fetch = &panel->answer.offered[i];

		if (panel->is_chosen[i] && probe_panel_has_value(panel, fetch) &&
		    probe_panel_typed(panel, fetch) == argument)
			return true;
	}
	return probe_panel_is_extra(panel, argument);
}

/* What was typed stays as it is, with its name and type; what is offered beside it comes behind. */
static int take_arguments(const struct probe_panel *panel, struct probe_spec *spec,
			  struct diag *why)
{
	char value[PANEL_VALUE_BYTES];
	int err = 0;

	spec->argument_count = 0;
	for (uint32_t i = 0; i < panel->spec.argument_count; i++)
		if (is_wanted(panel, &panel->spec.arguments[i]))
			spec->arguments[spec->argument_count++] = panel->spec.arguments[i];
	for (uint32_t i = 0; panel->has_answer && i < panel->answer.offered_count && !err; i++) {
		const struct probe_fetch *fetch = &panel->answer.offered[i];

		if (!panel->is_chosen[i] || !probe_panel_has_value(panel, fetch) ||
		    probe_panel_typed(panel, fetch))
			continue;
		put_value(fetch, value);
		err = probe_argument_add(spec, value, 0, strlen(value), why);
	}
	return err;
}

/* To count takes no values: then a filter that asks for one is none. */
static const char *filter_of(const struct probe_panel *panel, bool counts_only)
{
	struct probe_condition condition;

	if (counts_only && !probe_condition_parse(&condition, panel->filter.text, NULL) &&
	    probe_condition_needs_values(&condition))
		return "";
	return panel->filter.text;
}

int probe_panel_choice(const struct probe_panel *panel, bool counts_only, struct probe_choice *out,
		       struct diag *why)
{
	struct probe_spec *spec = &out->spec;
	int err = 0, filter_err;

	*out = (struct probe_choice){ .reach = panel->reach };
	*spec = panel->spec;
	spec->edge = panel->edge;
	if (counts_only) {
		spec->edge = PROBE_ENTRY;
		spec->argument_count = spec->key_count = 0;
		spec->end_name[0] = '\0';
	} else {
		err = take_arguments(panel, spec, why);
	}
	filter_err = probe_spec_write(spec, filter_of(panel, counts_only), err ? NULL : why);
	if (spec->kind == PROBE_USER && !spec->is_wildcard && !spec->offset && !spec->line &&
	    strcmp(panel->name, spec->function))
		snprintf(out->shown, sizeof(out->shown), "%s", panel->name);
	out->pid = panel->pid;
	out->with_stacks = panel->with_stacks && !counts_only;
	out->in_bursts = panel->cap == panel->cap_count;
	out->cap_pct = panel->caps_pct[out->in_bursts ? panel->default_cap : panel->cap];
	return err ? err : filter_err;
}
