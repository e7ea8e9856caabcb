/* listing_lines.c - draws a listing.
 *
 *   search · dyn.c            [source]  by line  instructions           18.42 % of all
 *    SELF%          SAMPLES  LINE
 *   45.26 ████████       43    15 ●▸│     if (match(e, key))                  loop 75 %
 *
 * Columns: the share and the place always have room; the change, the bar, other events and samples
 *          come in that order as long as the text keeps nearly half of the screen.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/sanitize.h"
#include "symbols/debuginfod.h"
#include "term/text_lines.h"
#include "listing_view.h"
#include "widgets/change.h"
#include "widgets/detail.h"
#include "widgets/empty.h"
#include "widgets/event_cells.h"
#include "widgets/format.h"
#include "widgets/pieces.h"
#include "widgets/search.h"
#include "widgets/symbol_fold.h"

#define NO_ROW	     UINT32_MAX
#define LEFT_CELLS   2		/* the mark of the cursor's row, and a blank */
#define PCT_CELLS    6
#define BAR_CELLS    8
#define COUNT_CELLS  7		/* "SAMPLES" */
#define EVENT_CELLS  7
#define MARK_CELLS   2		/* can be probed, can be opened */
#define MIN_TEXT     20		/* cells of text that no column takes away */
#define MIB	     1048576.0
#define NOTE_WIDTH   70		/* a screen of so many cells has room for notes after the text */
#define WIDE_WIDTH   100	/* one of so many for whole addresses, and all of the indentation */
#define NOTE_CELLS   36
#define NOTE_AT	     100	/* cells after the begin of the text: no further right */
#define STEP_CELLS   2		/* that inlined code is further right */
#define MAX_DEPTH    12		/* deeper code is no further right */
#define ADDRESS_WIDE 8		/* digits; longer addresses are shown as offsets if room is short */
#define GAP	     " \u00b7 "
#define WORDS_BYTES  400
#define WHY_ROWS     6		/* so many lines have room for what is missing; twice as many for
				 * two lines of it */

struct columns_at {
	int bar, ratio, samples, events, change;	/* first cells; 0: no room */
	int event_count;	/* other events that have room */
	int where, where_cells;
	int marks;		/* 0: the layer has none */
	int arrows, arrow_cells;
	int text, end;
	bool has_offsets;	/* places are offsets from the function's begin */
};

/* Words. */

static const char *const layer_names[LISTING_LAYERS] = { "source", "by line", "instructions" };

/* Returns the base name of a source file, sanitized into @out. */
static const char *file_name(const struct listing *of, uint32_t file, char *out, size_t bytes)
{
	const struct line_ranges *lines = &of->document->lines;
	const char *path, *slash;

	out[0] = '\0';
	if (file == UINT32_MAX || !of->document->has_lines)
		return out;
	path = line_ranges_text(lines, lines->files[file].path);
	slash = strrchr(path, '/');
	path = slash ? slash + 1 : path;
	sanitize_text(out, bytes, path, strlen(path));
	return out;
}

/* Returns why the layer is not the one asked for, or has no text; "": nothing to say. */
static const char *shortcoming(const struct listing_view *listing)
{
	const struct listing_document *document = listing->rows.listing->document;
	const uint32_t file = listing_sites_file(listing->rows.listing);

	if (listing->rows.why_not && listing->rows.why_not[0])
		return listing->rows.why_not;
	if (listing->rows.layer == LISTING_ASM || !document->sources || file == UINT32_MAX ||
	    document->sources[file].file)
		return "";	/* or it is not known yet */
	return document->sources[file].why.text;
}

/* The lines above the rows. */

static int draw_layers(struct ui_state *state, struct canvas *canvas, struct canvas_area area,
		       enum listing_layer shown, bool is_short)
{
	char text[24];

	for (int layer = 0; layer < LISTING_LAYERS; layer++) {
		const bool is_here = layer == (int)shown;
		int used;

		if (is_short && !is_here)
			continue;
		snprintf(text, sizeof(text), is_here ? "[%s]" : " %s ", layer_names[layer]);
		used = canvas_put_text(canvas, area, canvas_clean(text),
				       is_here ? ROLE_NAME : ROLE_DIM);
		hits_add(&state->display.hits,
			 (struct hit){ HIT_LAYER, area.x, area.y, used, 1, (size_t)layer });
		area.x += used;
		area.width -= used;
	}
	return area.x;
}

static int layers_width(bool is_short, enum listing_layer shown)
{
	int width = 0;

	for (int layer = 0; layer < LISTING_LAYERS; layer++)
		if (!is_short || layer == (int)shown)
			width += (int)strlen(layer_names[layer]) + 2;
	return width;
}

/* Returns the layer to mark; LISTING_LAYERS, none, before the first rows unless a key chose one. */
static enum listing_layer layer_shown(const struct listing_view *listing)
{
	if (listing->rows.count)
		return listing->rows.layer;
	return listing->is_layer_chosen ? listing->layer : LISTING_LAYERS;
}

static void draw_head(const struct listing_view *listing, struct ui_state *state,
		      struct canvas *canvas, int y)
{
	const struct listing *of = state->shown->listing;
	const enum listing_layer shown = layer_shown(listing);
	const int right = canvas->width - 1;
	char share[64] = "", pct[FORMAT_BYTES], file[96] = "", name[SYMBOL_FOLD_BYTES];
	struct canvas_area area = { 1, y, 0 };
	const double weight = of->now[of->shown_event].weight;
	bool is_short;
	int used, layers;

	if (of->state == LISTING_READY)
		snprintf(share, sizeof(share), "%s %% of %s",
			 format_pct(pct, snapshot_pct(state->shown, weight)),
			 state->shown->is_relative ? "shown" : "all");
	used = canvas_text_width(canvas, share);
	canvas_put_right(canvas, (struct canvas_area){ right - used, y, used },
			 canvas_clean(share), ROLE_STATE);
	is_short = canvas->width - used - layers_width(false, shown) < 30;
	layers = right - used - 2 - layers_width(is_short, shown);
	draw_layers(state, canvas, (struct canvas_area){ layers, y, right - used - 1 - layers },
		    shown, is_short);
	area.width = layers - 2;
	used = canvas_put_text(canvas, area,
			       canvas_clean(symbol_fold(canvas, of->symbol, area.width, name)),
			       ROLE_NAME);
	area.x += used;
	area.width -= used;
	if (of->state == LISTING_READY)
		file_name(of, listing_sites_file(of), file, sizeof(file));
	snprintf(name, sizeof(name), GAP "%s", file[0] ? file : of->dso);
	if (area.width >= 8)
		canvas_put_text(canvas, area, canvas_clean(name), ROLE_DIM);
}

static int digits_of(uint64_t number)
{
	char text[24];

	return snprintf(text, sizeof(text), "%" PRIx64, number);
}

/* Returns the cells of the widest place: a line's number, an address, or an offset. */
static int where_width(const struct listing_view *listing, bool has_offsets)
{
	const uint64_t begin = listing->function.sections[0].begin;
	const uint64_t most = listing->last_address;
	char text[24];
	int width;

	width = snprintf(text, sizeof(text), "%" PRIu32, listing->last_line);
	if (listing->rows.layer == LISTING_SOURCE)
		return width > 4 ? width : 4;
	width = has_offsets ? digits_of(most > begin ? most - begin : 0) + 1 : digits_of(most);
	width += listing->rows.layer == LISTING_MIXED ? 2 : 0;
	return width > 7 ? width : 7;		/* "ADDRESS" */
}

static bool take(int *room, int cells, int least)
{
	if (*room - cells < least)
		return false;
	*room -= cells;
	return true;
}

/* Chooses the columns that have room. */
static struct columns_at fit(const struct listing_view *listing, const struct ui_state *state,
			     int width)
{
	const struct listing_rows *rows = &listing->rows;
	const uint64_t end = listing->function.sections[0].end;
	const int least = width * 9 / 20 > MIN_TEXT ? width * 9 / 20 : MIN_TEXT;
	struct columns_at at = { .end = width - 1 };
	int room, x = LEFT_CELLS + PCT_CELLS + 1, others;

	at.has_offsets = rows->layer != LISTING_SOURCE && digits_of(end) > ADDRESS_WIDE &&
			 width < WIDE_WIDTH;
	at.where_cells = where_width(listing, at.has_offsets);
	at.marks = rows->layer == LISTING_ASM ? 0 : MARK_CELLS;
	at.arrow_cells = listing_arrows_width(&listing->arrows);
	room = width - x - 1 - at.where_cells - 1 - at.marks;
	if (at.arrow_cells > room / 3)
		at.arrow_cells = room / 3 > ARROW_CELLS ? room / 3 : 0;
	room -= at.arrow_cells + 1;
	at.change = rows->base && take(&room, PCT_CELLS + 1, least);
	at.bar = take(&room, BAR_CELLS + 1, least);
	at.ratio = state_tree_ratio(state) && take(&room, EVENT_RATIO_CELLS + 1, least);
	for (others = (int)rows->listing->event_count - 1; at.event_count < others;
	     at.event_count++)
		if (!take(&room, EVENT_CELLS + 1, least))
			break;
	at.samples = take(&room, COUNT_CELLS + 1, least);

	if (at.bar)
		at.bar = x, x += BAR_CELLS + 1;
	if (at.change)
		at.change = x, x += PCT_CELLS + 1;
	if (at.ratio)
		at.ratio = x, x += EVENT_RATIO_CELLS + 1;
	if (at.samples)
		at.samples = x, x += COUNT_CELLS + 1;
	at.events = x;
	x += at.event_count * (EVENT_CELLS + 1);
	at.where = x;
	x += at.where_cells + 1;
	if (at.marks)
		at.marks = x, x += MARK_CELLS;
	at.arrows = x;
	at.text = x + at.arrow_cells;
	return at;
}

static void put_title(struct canvas *canvas, int x, int y, int width, const char *title)
{
	canvas_put_right(canvas, (struct canvas_area){ x, y, width }, canvas_clean(title),
			 ROLE_HEADING);
}

static void draw_titles(const struct listing_view *listing, const struct ui_state *state,
			const struct columns_at *at, struct canvas *canvas, int y)
{
	const struct listing *of = listing->rows.listing;
	int x = at->events;

	put_title(canvas, LEFT_CELLS, y, PCT_CELLS, listing->of_function ? "SELF%"
		  : state->shown->is_relative ? "SHOWN%" : "ALL%");
	if (at->change)
		put_title(canvas, at->change, y, PCT_CELLS, "\u0394");
	if (at->ratio)
		put_title(canvas, at->ratio, y, EVENT_RATIO_CELLS, state_tree_ratio(state)->title);
	if (at->samples)
		put_title(canvas, at->samples, y, COUNT_CELLS, "SAMPLES");
	for (int i = 0, event = 0; i < at->event_count; i++, event++, x += EVENT_CELLS + 1) {
		event += event == (int)of->shown_event;
		put_title(canvas, x, y, EVENT_CELLS, of->events[event]);
	}
	if (listing->rows.layer == LISTING_SOURCE)
		put_title(canvas, at->where, y, at->where_cells, "LINE");
	else
		canvas_put_text(canvas, (struct canvas_area){ at->where, y, at->where_cells },
				at->has_offsets ? SAFE_TEXT("OFFSET") : SAFE_TEXT("ADDRESS"),
				ROLE_HEADING);
}

/* A row. */

static void put_cell(struct canvas *canvas, int x, int y, int width, const char *text,
		     enum role role)
{
	canvas_put_right(canvas, (struct canvas_area){ x, y, width }, canvas_clean(text), role);
}

/* The listing's columns begin with the event shown; the others follow in their order. */
static void draw_ratio(const struct listing_rows *rows, const struct ui_state *state, uint32_t row,
		       struct canvas *canvas, struct canvas_area area)
{
	const uint32_t shown = state->shown->event_index;
	struct stats by_event[EVENT_COLUMNS] = { { .self = { 0, 0 } } };
	bool has_all = true;	/* beside a probe's hits there is room for seven */

	for (uint32_t event = 0; event < state->shown->event_columns.count; event++) {
		const uint32_t column = event == shown ? 0 : event + (event < shown);

		if (column < rows->listing->event_count)
			by_event[event].self = *listing_rows_now(rows, row, column);
		else
			has_all = false;
	}
	event_cells_put_ratio(canvas, area, state_tree_ratio(state), has_all ? by_event : NULL,
			      false);
}

static void draw_numbers(const struct listing_view *listing, const struct ui_state *state,
			 const struct columns_at *at, uint32_t row, struct canvas *canvas,
			 int y)
{
	const struct listing_rows *rows = &listing->rows;
	const uint32_t shown = rows->listing->shown_event;
	const struct load *now = listing_rows_now(rows, row, shown);
	const double pct = listing_view_pct(listing, state, row, shown);
	const enum role role = row_role_of_share(pct);
	char text[64];

	if (now->samples)
		put_cell(canvas, LEFT_CELLS, y, PCT_CELLS, format_pct(text, pct), role);
	if (now->samples && at->bar && listing->most > 0) {
		format_bar(text, sizeof(text), BAR_CELLS,
			   now->weight < listing->most ? now->weight / listing->most : 1,
			   canvas->is_ascii);
		canvas_put_text(canvas, (struct canvas_area){ at->bar, y, BAR_CELLS },
				canvas_clean(text), role);
	}
	if (now->samples && at->samples)
		put_cell(canvas, at->samples, y, COUNT_CELLS, format_count(text, now->samples),
			 ROLE_DIM);
	if (now->samples && at->ratio)
		draw_ratio(rows, state, row, canvas,
			   (struct canvas_area){ at->ratio, y, EVENT_RATIO_CELLS });
	if (at->change && (now->samples || listing_rows_base(rows, row, shown)->samples)) {
		const double points = pct - listing_view_base_pct(listing, state, row);

		put_cell(canvas, at->change, y, PCT_CELLS, change_format_points(text, points),
			 change_role(points));
	}
	for (int i = 0, event = 0; i < at->event_count; i++, event++) {
		event += event == (int)shown;
		if (listing_rows_now(rows, row, (uint32_t)event)->samples)
			put_cell(canvas, at->events + i * (EVENT_CELLS + 1), y, EVENT_CELLS,
				 format_pct(text, listing_view_pct(listing, state, row,
								   (uint32_t)event)),
				 ROLE_TEXT);
	}
}

static void draw_where(const struct listing_view *listing, const struct columns_at *at,
		       const struct listing_row *row, struct canvas *canvas, int y)
{
	const struct listing_section *first = &listing->function.sections[0];
	const struct canvas_area area = { at->where, y, at->where_cells };
	const int indent = listing->rows.layer == LISTING_MIXED ? 2 : 0;
	char text[32];

	if (row->kind == LISTING_INSTRUCTION) {
		if (!at->has_offsets)
			snprintf(text, sizeof(text), "%*s%" PRIx64, indent, "", row->address);
		else if (row->address >= first->begin)
			snprintf(text, sizeof(text), "%*s+%" PRIx64, indent, "",
				 row->address - first->begin);
		else
			snprintf(text, sizeof(text), "%*s-%" PRIx64, indent, "",
				 first->begin - row->address);
		canvas_put_text(canvas, area, canvas_clean(text), ROLE_DIM);
	} else if (row->kind == LISTING_LINE && row->line) {
		snprintf(text, sizeof(text), "%" PRIu32, row->line);
		if (listing->rows.layer == LISTING_SOURCE)
			canvas_put_right(canvas, area, canvas_clean(text), ROLE_DIM);
		else
			canvas_put_text(canvas, area, canvas_clean(text), ROLE_DIM);
	} else if (row->kind == LISTING_GAP) {
		canvas_put_right(canvas, area, SAFE_TEXT("\u22ee"), ROLE_DIM);
	}
}

static void draw_marks(const struct listing_view *listing, const struct columns_at *at,
		       uint32_t index, struct canvas *canvas, int y)
{
	const struct listing_row *row = &listing->rows.rows[index];
	const struct canvas_area probe = { at->marks, y, 1 }, open = { at->marks + 1, y, 1 };

	if (!at->marks)
		return;
	if (listing_sites_probed(listing, index))
		canvas_put_text(canvas, probe, SAFE_TEXT("\u25c6"), ROLE_STATE);
	else if (row->kind == LISTING_LINE && row->is_statement)
		canvas_put_text(canvas, probe, SAFE_TEXT("\u25cf"), ROLE_DIM);
	if (row->can_open)
		canvas_put_text(canvas, open, row->is_open ? SAFE_TEXT("\u25be")
							   : SAFE_TEXT("\u25b8"), ROLE_TEXT);
}

/* True for a row whose previous instruction lets interrupts in, if the shown event is a clock: its
 * ticks wait until then. */
static bool has_late_ticks(const struct listing_view *listing, const struct ui_state *state,
			   uint32_t index)
{
	const struct listing_rows *rows = &listing->rows;
	const struct listing_row *row = &rows->rows[index], *before;

	if (!rows->listing->is_of_kernel || !row->code || !detail_is_of_clock(state->shown))
		return false;
	while (index-- > 0 && !rows->rows[index].code)
		;
	if (index == NO_ROW)
		return false;
	before = &rows->rows[index];
	return before->code[before->code_count - 1].flags & CODE_ENABLES_INTERRUPTS;
}

/* Returns the row that has the name of the hottest loop: the first of it that is on the screen. */
static uint32_t row_of_loop(const struct listing_view *listing)
{
	const struct listing_arrows *arrows = &listing->arrows;
	const uint32_t top = (uint32_t)listing->place.top;

	if (arrows->loop_first == NO_ROW || arrows->loop_last < top)
		return NO_ROW;
	return arrows->loop_first > top ? arrows->loop_first : top;
}

static const char *code_note(const struct listing_row *row)
{
	switch (row->code ? (enum code_kind)row->code->kind : CODE_PLAIN) {
	case CODE_PADDING:	return "padding";
	case CODE_DATA:		return "data";
	default:		return row->code_count > 1 ? "fused" : "";
	}
}

/* Writes what is said after the row's text; returns its role. */
static enum role make_note(const struct listing_view *listing, const struct ui_state *state,
			   uint32_t index, bool is_wide, char *out, size_t bytes)
{
	const struct listing_rows *rows = &listing->rows;
	const struct listing_probed *probed = listing_sites_probed(listing, index);
	char text[WORDS_BYTES];

	if (probed && probed->hits_per_s >= 0)
		snprintf(out, bytes, "probe %s/s",
			 format_count(text, (uint64_t)(probed->hits_per_s + 0.5)));
	else if (probed)
		snprintf(out, bytes, "probe");
	else if (row_of_loop(listing) == index)
		snprintf(out, bytes, "loop %.1f %%", rows->loops[rows->hottest].pct);
	else if (has_late_ticks(listing, state, index))
		snprintf(out, bytes, "interrupts on again");
	else if (listing_sites_seen(rows, index, text, sizeof(text))[0])
		snprintf(out, bytes, "seen: %s", text);
	else
		snprintf(out, bytes, "%s", is_wide ? code_note(&rows->rows[index]) : "");
	return probed || row_of_loop(listing) == index ? ROLE_STATE : ROLE_DIM;
}

/* Draws the note at the right edge; returns the cells that it takes from the text. */
static int draw_note(const struct listing_view *listing, const struct ui_state *state,
		     uint32_t index, const struct columns_at *at, struct canvas *canvas, int y)
{
	char note[WORDS_BYTES];
	enum role role;
	int width, end = at->end;

	if (canvas->width < NOTE_WIDTH)
		return 0;
	role = make_note(listing, state, index, canvas->width >= WIDE_WIDTH, note, sizeof(note));
	width = canvas_text_width(canvas, note);
	if (width > NOTE_CELLS)
		width = NOTE_CELLS;
	if (!width || width > (at->end - at->text) / 2)
		return 0;
	if (end > at->text + NOTE_AT)
		end = at->text + NOTE_AT;
	canvas_put_right(canvas, (struct canvas_area){ end - width, y, width },
			 canvas_clean(note), role);
	return at->end - end + width + 2;
}

static enum role text_role(const struct listing_view *listing, const struct listing_row *row)
{
	if (row->kind == LISTING_INSTRUCTION) {
		if (row->code && (row->code->kind == CODE_PADDING || row->code->kind == CODE_DATA))
			return ROLE_DIM;
		return ROLE_TEXT;
	}
	if (row->kind == LISTING_INLINED)
		return ROLE_USER;
	if (row->kind == LISTING_LINE && listing->rows.layer == LISTING_SOURCE &&
	    row->address != UINT64_MAX)
		return ROLE_TEXT;
	return row->kind == LISTING_LINE && listing->rows.layer == LISTING_MIXED ? ROLE_NAME
										  : ROLE_DIM;
}

static void draw_section(const struct columns_at *at, const char *text, struct canvas *canvas,
			 int y)
{
	struct canvas_area area = { at->where, y, at->end - at->where };
	int used;

	for (int x = area.x; x < at->end; x++)
		canvas_put_text(canvas, (struct canvas_area){ x, y, 1 }, SAFE_TEXT("\u2500"),
				ROLE_DIM);
	area.x += 4;
	area.width -= 6;
	canvas_put_text(canvas, area, SAFE_TEXT(" "), ROLE_DIM);
	area.x++;
	used = canvas_put_text(canvas, area, canvas_clean(text), ROLE_DIM);
	area.x += used;
	canvas_put_text(canvas, area, SAFE_TEXT(" "), ROLE_DIM);
}

/* Writes the row's text without indentation; returns how many cells that has: none above
 * instructions, half of it on a narrow screen. */
static int write_text(const struct listing_view *listing, const struct ui_state *state,
		      uint32_t index, int width, char out[LISTING_TEXT_BYTES])
{
	const struct listing_row *row = &listing->rows.rows[index];
	size_t blanks;

	listing_rows_text(&listing->rows, index, state->query.raw_names, out, LISTING_TEXT_BYTES);
	if (row->kind != LISTING_LINE)
		return 0;
	blanks = strspn(out, " ");
	memmove(out, out + blanks, strlen(out + blanks) + 1);
	if (listing->rows.layer != LISTING_SOURCE)
		return 0;
	return (int)(width < WIDE_WIDTH ? blanks / 2 : blanks);
}

/* Returns the cells before the row's text, which it writes to @out. Inlined code is indented from
 * the line that it is inlined on. */
static int indent_text(const struct listing_view *listing, const struct ui_state *state,
		       uint32_t index, int width, char out[LISTING_TEXT_BYTES])
{
	const struct listing_row *rows = listing->rows.rows, *row = &rows[index];
	const int depth = row->depth < MAX_DEPTH ? (int)row->depth : MAX_DEPTH;
	uint32_t line = index;
	int indent = 0;

	while (rows[line].depth && rows[line].parent != NO_ROW)
		line = rows[line].parent;
	if (line != index && listing->rows.layer == LISTING_SOURCE)
		indent = write_text(listing, state, line, width, out);
	if (line == index)
		indent = write_text(listing, state, index, width, out);
	else
		write_text(listing, state, index, width, out);
	return indent + STEP_CELLS * depth;
}

static void draw_text(const struct listing_view *listing, const struct ui_state *state,
		      uint32_t index, const struct columns_at *at, struct canvas *canvas, int y)
{
	const struct listing_row *row = &listing->rows.rows[index];
	char text[LISTING_TEXT_BYTES];
	const int indent = indent_text(listing, state, index, canvas->width, text);
	struct canvas_area area = { at->text + indent, y, at->end - at->text - indent };
	int used;

	if (row->kind == LISTING_SECTION) {
		draw_section(at, text, canvas, y);
		return;
	}
	if (row->kind == LISTING_GAP)
		snprintf(text, sizeof(text), "%" PRIu32 " lines without code", row->code_count);
	area.width -= draw_note(listing, state, index, at, canvas, y);
	if (area.width <= 0)
		return;
	used = canvas_put_text(canvas, area, canvas_clean(text), text_role(listing, row));
	area.x += used;
	area.width -= used;
	if (row->kind == LISTING_INLINED && area.width > 0)
		canvas_put_text(canvas, area, SAFE_TEXT(" (inlined)"), ROLE_DIM);
}

static void draw_row(const struct listing_view *listing, const struct ui_state *state,
		     uint32_t index, const struct columns_at *at, struct canvas *canvas, int y)
{
	const struct listing_row *row = &listing->rows.rows[index];
	const struct canvas_area bar = { at->bar, y, BAR_CELLS };

	draw_numbers(listing, state, at, index, canvas, y);
	draw_where(listing, at, row, canvas, y);
	draw_marks(listing, at, index, canvas, y);
	draw_text(listing, state, index, at, canvas, y);
	if (at->arrow_cells && row->kind != LISTING_SECTION)
		listing_arrows_draw(&listing->arrows, index, canvas,
				    (struct canvas_area){ at->arrows, y, at->arrow_cells });
	if (index == listing->place.cursor) {
		canvas_select_line(canvas, y);
		if (at->bar)
			canvas_set_role(canvas, bar, ROLE_SELECTED_BAR);
	}
	search_highlight(canvas, (struct canvas_area){ 0, y, canvas->width }, state->search);
}

/* The detail of the cursor's row. */

static void describe_place(const struct listing_view *listing, const struct listing_row *row,
			   struct pieces *list)
{
	const struct listing *of = listing->rows.listing;
	const uint32_t section = row->address == UINT64_MAX
				 ? UINT32_MAX
				 : listing_function_section(&of->function, row->address);
	char file[96];

	file_name(of, row->file, file, sizeof(file));
	if (row->kind == LISTING_INSTRUCTION && !section)
		pieces_add(list, 2, ROLE_TEXT, "+0x%" PRIx64,
			   row->address - of->function.sections[0].begin);
	if (row->line && file[0] && listing->rows.layer != LISTING_SOURCE)
		pieces_add(list, 2, ROLE_TEXT, "%s:%" PRIu32, file, row->line);
	else if (row->line && file[0] && row->depth)
		pieces_add(list, 2, ROLE_TEXT, "%s:%" PRIu32, file, row->line);
}

/* Adds what the row under the cursor is, and how it is to be read. */
static void describe_row(const struct listing_view *listing, const struct ui_state *state,
			 uint32_t index, struct pieces *list)
{
	const struct listing_row *row = &listing->rows.rows[index];
	char text[WORDS_BYTES];

	describe_place(listing, row, list);
	if (has_late_ticks(listing, state, index))
		pieces_add(list, 1, ROLE_STATE, "interrupts are on again: time without them is "
			   "counted here, too");
	if (listing_sites_seen(&listing->rows, index, text, sizeof(text))[0])
		pieces_add(list, 3, ROLE_TEXT, "seen: %.150s", text);
	if (listing->arrows.jumps[index] != NO_ROW)
		pieces_add(list, 3, ROLE_TEXT, "jumps to %" PRIx64,
			   listing->rows.rows[listing->arrows.jumps[index]].address);
}

/* Adds what its lines wait for. */
static void describe_reading(struct pieces *list)
{
	struct debuginfod_status status;
	char file[sizeof(status.file)];

	if (!debuginfod_status(&status)) {
		pieces_add(list, 2, ROLE_STATE, "reading its lines\u2026");
		return;
	}
	sanitize_text(file, sizeof(file), status.file, strlen(status.file));
	if (status.of)
		pieces_add(list, 1, ROLE_STATE, "debuginfod: %.1f of %.1f MiB of %.40s \u00b7 Esc "
			   "stops", (double)status.bytes / MIB, (double)status.of / MIB, file);
	else
		pieces_add(list, 1, ROLE_STATE, "debuginfod: %.1f MiB of %.40s \u00b7 Esc stops",
			   (double)status.bytes / MIB, file);
}

/* Adds what holds for all rows. */
static void describe_listing(const struct listing_view *listing, struct pieces *list)
{
	const struct listing *of = listing->rows.listing;

	/* Code that is made at run time may be overwritten: then that comes first. */
	if (of->document->note[0])
		pieces_add(list, of->is_run_time ? 1 : 4,
			   of->document->has_changed ? ROLE_STATE : ROLE_DIM, "%s",
			   of->document->note);
	if (!of->is_precise)
		pieces_add(list, 3, ROLE_DIM, "cost stands at or after its cause (not precise)");
	if (!of->document->is_final)
		describe_reading(list);
	if (listing->rows.layer != LISTING_ASM)
		pieces_add(list, 5, ROLE_DIM, "\u25cf can be probed  \u25b8 inlined code opens");
}

static void draw_pieces(struct canvas *canvas, int y, struct pieces *list)
{
	const struct canvas_area area = { 1, y, canvas->width - 2 };

	pieces_fit(canvas, list, area.width);
	pieces_put(canvas, area, list);
}

static void draw_detail(const struct listing_view *listing, const struct ui_state *state,
			struct canvas *canvas, int y, int lines)
{
	const uint32_t cursor = listing_view_cursor(listing);
	struct pieces row = { .gap = GAP }, all = { .gap = GAP };
	char text[LISTING_TEXT_BYTES];

	if (!lines || cursor == NO_ROW)
		return;
	describe_row(listing, state, cursor, &row);
	if (lines == 1) {
		describe_listing(listing, &row);
		draw_pieces(canvas, y, &row);
		return;
	}
	describe_listing(listing, &all);
	listing_rows_text(&listing->rows, cursor, state->query.raw_names, text, sizeof(text));
	canvas_put_text(canvas, (struct canvas_area){ 1, y, canvas->width - 2 },
			canvas_clean(text + strspn(text, " ")), ROLE_TEXT);
	draw_pieces(canvas, y + 1, &row);
	draw_pieces(canvas, y + 2, &all);
}

/* States without rows. */

static void draw_state(const struct ui_state *state, struct canvas *canvas, int y, int end)
{
	const struct listing *of = state->shown ? state->shown->listing : NULL;
	const struct breadcrumbs *breadcrumbs = &state->query.breadcrumbs;
	char text[WORDS_BYTES];

	if (!of && (state_is_waiting(state) ||
		    breadcrumbs->levels[breadcrumbs->count - 1].function[0])) {
		empty_draw(state, canvas, y, end);
		return;
	}
	if (!of) {
		y = text_lines_draw(canvas, y, end, "No function is listed.", ROLE_TEXT);
		text_lines_draw(canvas, y, end, "a on a row of symbols, a tree or a flame graph "
				"lists its code.", ROLE_DIM);
	} else if (of->state == LISTING_LOADING) {
		snprintf(text, sizeof(text), "%.200s: %s", of->symbol,
			 of->reason[0] ? of->reason : "reading its code\u2026");
		text_lines_draw(canvas, y, end, text, ROLE_TEXT);
	} else if (of->state == LISTING_REFUSED) {
		snprintf(text, sizeof(text), "There is no listing: %.300s.", of->reason);
		y = text_lines_draw(canvas, y, end, text, ROLE_TEXT);
		text_lines_draw(canvas, y, end, "Esc goes back, 6 shows who calls it.", ROLE_DIM);
	} else {
		text_lines_draw(canvas, y, end, "There is no memory for its rows.", ROLE_TEXT);
	}
}

/* Draws what is missing, if something is and there is room; returns the line below. */
static int draw_shortcoming(const struct listing_view *listing, struct canvas *canvas, int y,
			    int rows)
{
	const struct canvas_area area = { 1, y, canvas->width - 2 };
	const char *why = shortcoming(listing);
	char text[WORDS_BYTES];

	if (!why[0] || rows < WHY_ROWS)
		return y;
	snprintf(text, sizeof(text), "%s: %s",
		 listing->rows.layer == LISTING_ASM ? "instructions only" : "no text", why);
	return text_lines_put(canvas, area, y + (rows < 2 * WHY_ROWS ? 1 : 2), text, ROLE_STATE);
}

void listing_lines_draw(struct listing_view *listing, struct ui_state *state,
			struct canvas *canvas, int top, int rows)
{
	const int detail = detail_lines(state, canvas->height);
	const int end = top + rows - detail;
	struct columns_at at;
	int y = top;

	if (state->shown && state->shown->listing && state->shown->listing->symbol[0])
		draw_head(listing, state, canvas, y++);
	if (!listing->rows.count) {
		draw_state(state, canvas, y + 1, end);
		return;
	}
	y = draw_shortcoming(listing, canvas, y, rows);
	listing_view_set_page(listing, end - y > 1 ? (size_t)(end - y - 1) : 0);
	listing_arrows_choose(&listing->arrows, listing_view_cursor(listing),
			      listing->has_all_arrows);
	at = fit(listing, state, canvas->width);
	draw_titles(listing, state, &at, canvas, y++);
	for (size_t i = 0; i < listing->page && listing->place.top + i < listing->rows.count; i++)
		draw_row(listing, state, (uint32_t)(listing->place.top + i), &at, canvas,
			 y + (int)i);
	hits_add(&state->display.hits, (struct hit){ HIT_ROWS, 0, y, canvas->width,
						     (int)listing->page, listing->place.top });
	draw_detail(listing, state, canvas, end, detail);
}
