/* listing_sites.c - where a listing's rows lead: jumps, calls, and what stacks have shown of them;
 * and the probes on its lines and instructions. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command_list.h"
#include "base/sanitize.h"
#include "probe/probe_spec.h"
#include "listing_view.h"
#include "widgets/probe_panel.h"

#define NO_ROW UINT32_MAX

/* Ways. */

static void add_way(struct listing_view *listing, const struct source_request *of,
		    const char *name, double weight)
{
	struct listing_way *way = listing->ways;
	struct listing_way *end = way + listing->way_count;

	while (way < end && (way->of.dso != of->dso || way->of.address != of->address))
		way++;
	if (way == listing->ways + LISTING_WAYS)
		return;
	if (way == end) {
		*way = (struct listing_way){ .of = *of };
		snprintf(way->name, sizeof(way->name), "%s", name);
		listing->way_count++;
	}
	way->weight += weight;
}

static void add_seen(struct listing_view *listing, const struct code_row *code)
{
	const struct listing *of = listing->rows.listing;

	for (uint32_t i = 0; i < of->callee_count; i++)
		if (of->callees[i].return_address == code->address + code->length)
			add_way(listing, &(struct source_request){ of->callees[i].address,
								   of->callees[i].dso_id },
				of->callees[i].name, of->callees[i].weight);
}

/* A call through the procedure linkage table leads to code that only stacks show. */
static bool is_linkage(const struct listing_target *target)
{
	return strstr(target->name, "@plt");
}

/* Adds where the call, or the jump out of the function, leads. */
static void add_ways(struct listing_view *listing, const struct code_row *code)
{
	const struct listing *of = listing->rows.listing;
	const struct listing_target *target =
		code->flags & CODE_HAS_TARGET ? listing_find_target(of, code->target) : NULL;

	if (target && !is_linkage(target))
		add_way(listing, &(struct source_request){ code->target, of->function.dso },
			target->name, 0);
	else if (code->kind == CODE_CALL || code->kind == CODE_INDIRECT_CALL)
		add_seen(listing, code);
}

static bool is_of_line(const struct listing_rows *rows, const struct listing_row *row,
		       uint64_t address)
{
	const struct line_ranges *lines = &rows->listing->document->lines;
	const struct line_range *range = listing_range(rows->listing, address);
	const struct line_range_frame *frame;

	if (!range || range->count <= row->depth)
		return false;
	frame = &lines->frames[range->first + range->count - 1 - row->depth];
	return frame->file == row->file && frame->line == row->line;
}

/* Adds where the calls of a source line lead. */
static void add_ways_of_line(struct listing_view *listing, const struct listing_row *row)
{
	const struct listing_document *document = listing->rows.listing->document;

	if (!document->has_code || !document->has_lines || row->kind != LISTING_LINE || !row->line)
		return;
	for (uint32_t i = 0; i < document->code.header->row_count; i++) {
		const struct code_row *code = &document->code.rows[i];

		if ((code->kind == CODE_CALL || code->kind == CODE_INDIRECT_CALL) &&
		    is_of_line(&listing->rows, row, code->address))
			add_ways(listing, code);
	}
}

static void follow_way(struct ui_state *state, const struct listing_way *way)
{
	struct listing_view *listing = listing_view_of(state);
	const struct listing_function *function = &listing->function;
	uint32_t row = NO_ROW;

	if (way->of.dso == function->dso &&
	    listing_function_section(function, way->of.address) != UINT32_MAX)
		row = listing_rows_of_address(&listing->rows, way->of.address);
	if (row == NO_ROW) {
		const struct listing_way copy = *way;

		state_open_listing(state, &copy.of, "", copy.name);
		return;
	}
	listing_view_step(listing);	/* it calls itself */
	listing_view_go(listing, row);
}

static void way_chosen(struct ui_state *state, const struct menu_item *item)
{
	follow_way(state, &listing_view_of(state)->ways[item->id]);
}

static void offer_ways(struct ui_state *state)
{
	static const struct menu_use use = { way_chosen };
	const struct listing_view *listing = listing_view_of(state);
	char note[MENU_NOTE_BYTES];
	double whole = 0;

	for (size_t i = 0; i < listing->way_count; i++)
		whole += listing->ways[i].weight;
	state_open_menu(state, &use, "go to", false);
	for (size_t i = 0; i < listing->way_count; i++) {
		note[0] = '\0';
		if (listing->ways[i].weight > 0)
			snprintf(note, sizeof(note), "%.0f %% of its calls seen",
				 100 * listing->ways[i].weight / whole);
		menu_add(&state->menu, (int)i, MENU_PLAIN, listing->ways[i].name, note);
	}
}

static const struct code_row *last_code(const struct listing_row *row)
{
	return row->code ? &row->code[row->code_count - 1] : NULL;
}

/* Says why the row leads nowhere. */
static void say_no_way(struct ui_state *state, const struct listing_row *row)
{
	const struct code_row *code = last_code(row);

	if (!code)
		state_say(state, row->kind == LISTING_LINE ? "no call on this line"
							    : "this row leads nowhere");
	else if (code->kind == CODE_CALL || code->kind == CODE_INDIRECT_CALL)
		state_say(state, "no stack of the window shows what it calls");
	else if (code->flags & CODE_HAS_TARGET)
		state_say(state, "no function is known at %" PRIx64, code->target);
	else if (code->kind == CODE_INDIRECT_JUMP)
		state_say(state, "an indirect jump: nothing says where it leads");
	else
		state_say(state, "no jump and no call");
}

static bool is_indirect(const struct listing_row *row)
{
	const struct code_row *code = last_code(row);

	return code && code->kind == CODE_INDIRECT_CALL;
}

void cmd_follow(struct ui_state *state)
{
	struct listing_view *listing = listing_view_of(state);
	const uint32_t cursor = listing_view_cursor(listing);
	const struct listing_row *row;

	if (cursor == NO_ROW)
		return;
	row = &listing->rows.rows[cursor];
	if (listing->arrows.jumps[cursor] != NO_ROW) {
		listing_view_step(listing);
		listing_view_go(listing, listing->arrows.jumps[cursor]);
		return;
	}
	listing->way_count = 0;
	if (row->code)
		add_ways(listing, last_code(row));
	else
		add_ways_of_line(listing, row);
	if (listing->way_count == 1 && !is_indirect(row))
		follow_way(state, &listing->ways[0]);
	else if (listing->way_count)
		offer_ways(state);
	else if (row->can_open)
		(row->is_open ? listing->view.ops->close_line
			      : listing->view.ops->open_line)(&listing->view, state);
	else
		say_no_way(state, row);
}

const char *listing_sites_seen(const struct listing_rows *rows, uint32_t index, char *out,
			       size_t bytes)
{
	const struct listing *of = rows->listing;
	const struct code_row *code = last_code(&rows->rows[index]);
	double whole = 0;
	size_t used = 0;

	out[0] = '\0';
	if (!code || code->kind != CODE_INDIRECT_CALL)
		return out;
	for (uint32_t i = 0; i < of->callee_count; i++)
		if (of->callees[i].return_address == code->address + code->length)
			whole += of->callees[i].weight;
	for (uint32_t i = 0; i < of->callee_count && whole > 0 && used < bytes; i++)
		if (of->callees[i].return_address == code->address + code->length)
			used += (size_t)snprintf(out + used, bytes - used, "%s%s %.0f %%",
						 used ? ", " : "", of->callees[i].name,
						 100 * of->callees[i].weight / whole);
	return out;
}

/* Probes. */

/* Returns the frame of the function itself, where its code begins, or NULL. */
static const struct line_range_frame *own_frame(const struct listing *of)
{
	const struct line_range *range =
		of->document && of->document->has_lines
			? listing_range(of, of->function.sections[0].begin) : NULL;

	return range && range->count
		       ? &of->document->lines.frames[range->first + range->count - 1] : NULL;
}

uint32_t listing_sites_file(const struct listing *of)
{
	const struct line_range_frame *frame = own_frame(of);

	return frame ? frame->file : UINT32_MAX;
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static const char *file_of(const struct listing *of, uint32_t file)
{
	const struct line_ranges *lines = &of->document->lines;

	return base_name(line_ranges_text(lines, lines->files[file].path));
}

/* Sets the place of @spec, which is that of the function, to a source line: counted from the
 * function if it is the function's own. */
static const char *set_line(const struct listing *of, const struct listing_row *row,
			    struct probe_spec *spec)
{
	const struct line_range_frame *frame = own_frame(of);

	if (!row->is_statement || row->file == UINT32_MAX)
		return "no statement begins on this line: those with \u25cf can be probed";
	if (!row->depth && frame && frame->declared_line && frame->declared_file == row->file &&
	    row->line >= frame->declared_line) {
		spec->line = row->line - frame->declared_line;
		return NULL;
	}
	spec->function[0] = '\0';
	snprintf(spec->source, sizeof(spec->source), "%s", file_of(of, row->file));
	spec->line = row->line;
	return NULL;
}

static const char *set_instruction(const struct listing *of, const struct listing_row *row,
				   struct probe_spec *spec)
{
	if (listing_function_section(&of->function, row->address))
		return "the compiler moved this part away: its lines can be probed, in the source "
		       "layer";
	spec->offset = row->address - of->function.sections[0].begin;
	return NULL;
}

/* Makes the spec of a row from that of its function. Returns why there is none, or NULL. */
static const char *set_place(const struct listing *of, const struct listing_row *row,
			     struct probe_spec *spec)
{
	switch (row->kind) {
	case LISTING_LINE:
		return set_line(of, row, spec);
	case LISTING_INLINED:
		snprintf(spec->function, sizeof(spec->function), "%.*s", (int)row->text_bytes,
			 row->text);
		spec->edge = PROBE_ENTRY;	/* it has no return */
		return NULL;
	case LISTING_INSTRUCTION:
		return row->code && row->code->kind == CODE_DATA
			       ? "these bytes are no instruction" : set_instruction(of, row, spec);
	case LISTING_SECTION:
	case LISTING_GAP:
	case LISTING_NOTE:
		break;
	}
	return "this row is no code: there is nothing to probe";
}

static void open_panel(struct ui_state *state, struct probe_spec *spec)
{
	const struct listing *of = state->shown->listing;
	char name[PANEL_NAME_BYTES];

	spec->edge = spec->offset || spec->line ? PROBE_ENTRY : spec->edge;
	probe_panel_open_spec(state, spec, state_target_pid(state));
	if (spec->offset)
		snprintf(name, sizeof(name), "%.120s+0x%" PRIx64, of->symbol, spec->offset);
	else if (spec->line && !spec->source[0])
		snprintf(name, sizeof(name), "%.120s:%" PRIu32, of->symbol, spec->line);
	else
		return;
	probe_panel_call(probe_panel_of(state), name);
}

void listing_sites_probe(struct view *view, struct ui_state *state)
{
	const struct listing_view *listing = (const struct listing_view *)view;
	const uint32_t cursor = listing_view_cursor(listing);
	struct snapshot_row row;
	struct probe_spec spec;
	const char *why;

	if (cursor == NO_ROW || !state_cursor_row(state, &row))
		return;
	probe_panel_row_spec(&row, &spec);
	why = set_place(listing->rows.listing, &listing->rows.rows[cursor], &spec);
	if (why)
		state_say(state, "%s", why);
	else
		open_panel(state, &spec);
}

/* True if the spec is for a place in the listing's file. */
static bool is_of_file(const struct listing *of, const struct probe_spec *spec)
{
	if (of->is_of_kernel)
		return spec->kind == PROBE_KERNEL;
	return spec->kind == PROBE_USER && !strcmp(base_name(spec->file), base_name(of->dso_path));
}

static uint32_t row_of_line(const struct listing_rows *rows, uint32_t file, uint32_t line)
{
	for (uint32_t i = 0; i < rows->count; i++)
		if (rows->rows[i].kind == LISTING_LINE && rows->rows[i].is_statement &&
		    rows->rows[i].file == file && rows->rows[i].line == line)
			return i;
	return NO_ROW;
}

/* Returns the row of the spec's place; NO_ROW: it is not in the listing. */
static uint32_t row_of_spec(const struct listing_rows *rows, const struct probe_spec *spec)
{
	const struct listing *of = rows->listing;
	const struct line_range_frame *frame = own_frame(of);

	if (!is_of_file(of, spec))
		return NO_ROW;
	if (spec->source[0] && spec->line && of->document->has_lines) {
		for (uint32_t i = 0; i < of->document->lines.header->file_count; i++)
			if (!strcmp(file_of(of, i), base_name(spec->source)))
				return row_of_line(rows, i, spec->line);
		return NO_ROW;
	}
	if (strcmp(spec->function, of->raw_symbol) && strcmp(spec->function, of->symbol))
		return NO_ROW;
	if (spec->line)
		return frame ? row_of_line(rows, frame->declared_file,
					   frame->declared_line + spec->line) : NO_ROW;
	return listing_rows_of_address(rows, of->function.sections[0].begin + spec->offset);
}

void listing_sites_find_probes(struct listing_view *listing, const struct snapshot *snapshot)
{
	struct probe_spec spec;
	struct diag why;

	listing->probed_count = 0;
	for (uint32_t i = 0; i < snapshot->probes.count && listing->rows.count; i++) {
		const struct snapshot_probe *probe = &snapshot->probes.list[i];
		struct listing_probed *probed = &listing->probed[listing->probed_count];

		if (listing->probed_count == LISTING_PROBED ||
		    probe_spec_parse(&spec, probe->spec, &why))
			continue;
		probed->row = row_of_spec(&listing->rows, &spec);
		probed->hits_per_s = probe->state == PROBE_ATTACHED ? probe->hits_per_s : -1;
		listing->probed_count += probed->row != NO_ROW;
	}
}

const struct listing_probed *listing_sites_probed(const struct listing_view *listing, uint32_t row)
{
	for (size_t i = 0; i < listing->probed_count; i++)
		if (listing->probed[i].row == row)
			return &listing->probed[i];
	return NULL;
}
