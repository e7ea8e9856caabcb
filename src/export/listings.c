/* listings.c - a snapshot's listing as text, JSON or a table, see export/print.h. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/safe_print.h"
#include "export/print.h"
#include "table_columns.h"

#define TEXT_BYTES 1024

static int build(struct listing_rows *rows, const struct snapshot *snapshot,
		 enum listing_layer layer)
{
	const struct listing_options options = { .layer = layer, .opens_all = true };

	return listing_rows_build(rows, snapshot->listing, &options);
}

static double pct_of_all(const struct snapshot *snapshot)
{
	return snapshot_pct(snapshot, snapshot->listing->now[0].weight);
}

/* Says of each source file whose text is missing why that is, or what is suspicious about it. */
static void put_missing(FILE *out, const struct listing *listing)
{
	const struct listing_document *document = listing->document;
	char text[TEXT_BYTES];

	for (uint32_t i = 0; document && document->sources &&
			     i < document->lines.header->file_count; i++) {
		const struct listing_source *source = &document->sources[i];
		const char *why = source->file ? source->file->warning : source->why.text;

		if (why[0])
			safe_print(out, "# %s\n", sanitize(text, sizeof(text), why, strlen(why)));
	}
}

static void put_text_head(FILE *out, const struct snapshot *snapshot,
			  const struct listing_rows *rows)
{
	const struct listing *listing = snapshot->listing;

	safe_print(out, "# %s (%s), %s: %" PRIu64 " samples, %.2f %% of all\n",
		   sanitize_checked(listing->symbol), sanitize_checked(listing->dso),
		   sanitize_checked(snapshot->event), listing->now[0].samples,
		   pct_of_all(snapshot));
	if (listing->others[0])
		safe_print(out, "# also in %s\n", sanitize_checked(listing->others));
	if (listing->document && listing->document->note[0])
		safe_print(out, "# %s\n", sanitize_checked(listing->document->note));
	put_missing(out, listing);
	if (rows->why_not[0])
		safe_print(out, "# instructions only: %s\n", sanitize_checked(rows->why_not));
	if (rows->hottest != UINT32_MAX)
		safe_print(out, "# hottest loop: %" PRIx64 " to %" PRIx64 ", %.1f %%\n",
			   rows->loops[rows->hottest].begin, rows->loops[rows->hottest].end,
			   rows->loops[rows->hottest].pct);
	safe_put(out, "#\n#  SELF%");
	for (uint32_t event = 1; event < listing->event_count; event++)
		safe_print(out, "  %12.12s", sanitize_checked(listing->events[event]));
	if (listing->is_compared)
		safe_put(out, "  CHANGE");
	safe_put(out, "  SAMPLES            WHERE\n");
}

static double base_pct(const struct listing_rows *rows, uint32_t row)
{
	const double whole = rows->listing->base[0].weight;

	return whole > 0 ? 100.0 * listing_rows_base(rows, row, 0)->weight / whole : 0;
}

static void put_where(FILE *out, const struct listing_row *row)
{
	if (row->kind == LISTING_LINE && row->line)
		safe_print(out, "%17" PRIu32, row->line);
	else if (row->kind == LISTING_INSTRUCTION)
		safe_print(out, "%17" PRIx64, row->address);
	else
		safe_print(out, "%17s", SAFE_TEXT(""));
}

static void put_text_row(FILE *out, const struct listing_rows *rows, uint32_t index)
{
	const struct listing_row *row = &rows->rows[index];
	const struct load *now = listing_rows_now(rows, index, 0);
	const int indent = (int)row->depth * 2 + (row->kind == LISTING_INSTRUCTION ? 2 : 0);
	char text[TEXT_BYTES];

	listing_rows_text(rows, index, false, text, sizeof(text));
	if (now->samples)
		safe_print(out, "  %6.2f", listing_rows_pct(rows, index, 0));
	else
		safe_put(out, "        ");
	for (uint32_t event = 1; event < rows->listing->event_count; event++)
		if (listing_rows_now(rows, index, event)->samples)
			safe_print(out, "  %12.2f", listing_rows_pct(rows, index, event));
		else
			safe_print(out, "  %12s", SAFE_TEXT(""));
	if (rows->base && (now->samples || listing_rows_base(rows, index, 0)->samples))
		safe_print(out, "  %+6.2f",
			   listing_rows_pct(rows, index, 0) - base_pct(rows, index));
	else if (rows->base)
		safe_put(out, "        ");
	if (now->samples)
		safe_print(out, "  %7" PRIu64, now->samples);
	else
		safe_put(out, "         ");
	put_where(out, row);
	safe_print(out, "  %*s%s%s\n", indent, SAFE_TEXT(""), sanitize_checked(text),
		   row->kind == LISTING_INLINED ? SAFE_TEXT(" (inlined)") : SAFE_TEXT(""));
}

int listing_text_write(FILE *out, const struct snapshot *snapshot, enum listing_layer layer)
{
	struct listing_rows rows;
	int err;

	if (!snapshot->listing)
		return -ENOMEM;
	if (snapshot->listing->state == LISTING_REFUSED) {
		safe_print(out, "# %s\n\n", sanitize_checked(snapshot->listing->reason));
		return 0;
	}
	err = build(&rows, snapshot, layer);
	if (!err) {
		put_text_head(out, snapshot, &rows);
		for (uint32_t i = 0; i < rows.count; i++)
			put_text_row(out, &rows, i);
		safe_put(out, "\n");
	}
	listing_rows_finish(&rows);
	return err;
}

static void put_inlined(FILE *out, const struct listing *listing, const struct listing_row *row)
{
	const struct line_ranges *lines = &listing->document->lines;
	const struct line_range *range = NULL;
	char text[TEXT_BYTES];

	safe_put(out, ",\"inlined\":[");
	if (row->code && listing->document->has_lines)
		range = listing_range(listing, row->address);
	for (uint32_t i = 0; range && i + 1 < range->count; i++) {
		const char *name =
			line_ranges_text(lines, lines->frames[range->first + i].function);

		if (i)
			safe_put(out, ",");
		safe_put_json(out, sanitize(text, sizeof(text), name, strlen(name)));
	}
	safe_put(out, "]");
}

static void put_place(FILE *out, const struct listing_rows *rows, const struct listing_row *row)
{
	const struct line_ranges *lines = &rows->listing->document->lines;
	const uint64_t target = row->code ? row->code[row->code_count - 1].target : 0;
	char text[TEXT_BYTES];

	if (row->address == UINT64_MAX)
		safe_put(out, ",\"address\":null,\"offset\":null,\"length\":null");
	else
		safe_print(out, ",\"address\":%" PRIu64 ",\"offset\":%" PRId64 ",\"length\":%u",
			   row->address,
			   (int64_t)(row->address - rows->listing->function.sections[0].begin),
			   listing_row_length(row));
	if (row->code && row->code[row->code_count - 1].flags & CODE_HAS_TARGET)
		safe_print(out, ",\"target\":%" PRIu64, target);
	else
		safe_put(out, ",\"target\":null");
	safe_put(out, ",\"file\":");
	if (row->file != UINT32_MAX && rows->listing->document->has_lines) {
		const char *path = line_ranges_text(lines, lines->files[row->file].path);

		safe_put_json(out, sanitize(text, sizeof(text), path, strlen(path)));
	} else {
		safe_put(out, "null");
	}
	if (row->line)
		safe_print(out, ",\"line\":%" PRIu32, row->line);
	else
		safe_put(out, ",\"line\":null");
}

static const char *const kind_names[] = {
	[LISTING_LINE] = "line", [LISTING_INLINED] = "inlined",
	[LISTING_INSTRUCTION] = "instruction", [LISTING_SECTION] = "section",
	[LISTING_GAP] = "gap", [LISTING_NOTE] = "note",
};

/* Writes ,"NAME":{"cycles":12,...}: samples, or summed periods. */
static void put_events(FILE *out, const struct listing_rows *rows, uint32_t index,
		       struct safe_text name, bool is_period)
{
	safe_print(out, ",\"%s\":{", name);
	for (uint32_t event = 0; event < rows->listing->event_count; event++) {
		const struct load *now = listing_rows_now(rows, index, event);

		if (event)
			safe_put(out, ",");
		safe_put_json(out, sanitize_checked(rows->listing->events[event]));
		if (is_period)
			safe_print(out, ":%.0f", now->weight);
		else
			safe_print(out, ":%" PRIu64, now->samples);
	}
	safe_put(out, "}");
}

static void put_json_row(FILE *out, const struct listing_rows *rows, uint32_t index)
{
	const struct listing_row *row = &rows->rows[index];
	char text[TEXT_BYTES];

	listing_rows_text(rows, index, false, text, sizeof(text));
	safe_print(out, "%s{\"kind\":\"%s\"", index ? SAFE_TEXT(",") : SAFE_TEXT(""),
		   sanitize_checked(kind_names[row->kind]));
	put_place(out, rows, row);
	safe_put(out, ",\"text\":");
	safe_put_json(out, sanitize_checked(text));
	put_inlined(out, rows->listing, row);
	safe_print(out, ",\"depth\":%" PRIu32 ",\"self\":%" PRIu64 ",\"self_pct\":%.2f",
		   row->depth, listing_rows_now(rows, index, 0)->samples,
		   listing_rows_pct(rows, index, 0));
	if (rows->base)
		safe_print(out, ",\"base\":%" PRIu64 ",\"base_pct\":%.2f",
			   listing_rows_base(rows, index, 0)->samples, base_pct(rows, index));
	put_events(out, rows, index, SAFE_TEXT("events"), false);
	put_events(out, rows, index, SAFE_TEXT("periods"), true);
	safe_print(out, ",\"is_sum\":%s,\"is_statement\":%s,\"is_code\":%s}",
		   row->is_sum ? SAFE_TEXT("true") : SAFE_TEXT("false"),
		   row->is_statement ? SAFE_TEXT("true") : SAFE_TEXT("false"),
		   row->code && row->code->kind != CODE_DATA ? SAFE_TEXT("true")
							     : SAFE_TEXT("false"));
}

static void put_loops(FILE *out, const struct listing_rows *rows)
{
	safe_put(out, ",\"loops\":[");
	for (uint32_t i = 0; i < rows->loop_count; i++)
		safe_print(out, "%s{\"begin\":%" PRIu64 ",\"end\":%" PRIu64
			   ",\"self_pct\":%.2f,\"is_hottest\":%s}",
			   i ? SAFE_TEXT(",") : SAFE_TEXT(""), rows->loops[i].begin,
			   rows->loops[i].end, rows->loops[i].pct,
			   i == rows->hottest ? SAFE_TEXT("true") : SAFE_TEXT("false"));
	safe_put(out, "]");
}

static const char *const layer_names[LISTING_LAYERS] = { "source", "mixed", "asm" };

static void put_json_head(FILE *out, const struct snapshot *snapshot,
			  const struct listing_rows *rows)
{
	const struct listing *listing = snapshot->listing;

	safe_print(out, "{\"time_ns\":%" PRIu64 ",\"window_s\":%.3f,\"event\":", snapshot->time_ns,
		   snapshot->window_s);
	safe_put_json(out, sanitize_checked(snapshot->event));
	safe_put(out, ",\"symbol\":");
	safe_put_json(out, sanitize_checked(listing->symbol));
	safe_put(out, ",\"dso\":");
	safe_put_json(out, sanitize_checked(listing->dso_path));
	safe_print(out, ",\"samples\":%" PRIu64 ",\"self_pct\":%.2f,\"layer\":\"%s\"",
		   listing->now[0].samples, pct_of_all(snapshot),
		   sanitize_checked(layer_names[rows->layer]));
	safe_put(out, ",\"others\":");
	safe_put_json(out, sanitize_checked(listing->others));
	safe_put(out, ",\"note\":");
	safe_put_json(out, sanitize_checked(
		listing->document ? listing->document->note : listing->reason));
	safe_put(out, ",\"why_not\":");
	safe_put_json(out, sanitize_checked(rows->why_not));
}

int listing_json_write(FILE *out, const struct snapshot *snapshot, enum listing_layer layer)
{
	struct listing_rows rows;
	int err;

	if (!snapshot->listing)
		return -ENOMEM;
	err = build(&rows, snapshot, layer);
	if (!err) {
		put_json_head(out, snapshot, &rows);
		put_loops(out, &rows);
		safe_put(out, ",\"rows\":[");
		for (uint32_t i = 0; i < rows.count; i++)
			put_json_row(out, &rows, i);
		safe_put(out, "]}\n");
	}
	listing_rows_finish(&rows);
	return err;
}

struct table_row {
	const struct listing_row *row;
	const char *text, *file;	/* sanitized */
	struct load now, base;
	double pct, base_pct;
};

static void put_cells(struct cells *cells, const struct table_columns *columns,
		      const struct snapshot *snapshot, const struct table_row *of)
{
	const struct listing *listing = snapshot->listing;
	const struct listing_row *row = of->row;
	const bool is_counted = of->now.samples || row->is_sum;

	cells_count(cells, "time_ns", NULL, snapshot->time_ns);
	cells_text(cells, "event", NULL, snapshot->event);
	cells_text(cells, "function", NULL, listing->symbol);
	cells_text(cells, "dso", NULL, listing->dso_path);
	cells_word(cells, "kind", NULL, kind_names[row->kind]);
	if (columns->is_compared)
		cells_change(cells, "change_points", "CHANGE",
			     listing->is_compared && (of->now.samples || of->base.samples),
			     of->pct - of->base_pct, 4);
	cells_real(cells, "self_pct", "SELF%", is_counted, of->pct, 4);
	cells_number(cells, "self", "SAMPLES", is_counted, (int64_t)of->now.samples);
	cells_real(cells, "self_period", NULL, is_counted, of->now.weight, 0);
	if (columns->is_compared) {
		cells_real(cells, "base_self_pct", "A SELF%", listing->is_compared, of->base_pct,
			   4);
		cells_number(cells, "base_self", "A SAMPLES", listing->is_compared,
			     (int64_t)of->base.samples);
	}
	cells_text(cells, "file", NULL, of->file);
	cells_number(cells, "line", "LINE", row->line, row->line);
	cells_address(cells, "address", "ADDRESS", row->address != UINT64_MAX, row->address);
	cells_count(cells, "depth", NULL, row->depth);
	cells_word(cells, "is_sum", NULL, row->is_sum ? "true" : "false");
	cells_text(cells, "text", "TEXT", of->text);
	cells_end(cells);
}

static void put_table_row(struct cells *cells, const struct table_columns *columns,
			  const struct snapshot *snapshot, const struct listing_rows *rows,
			  uint32_t index)
{
	const struct listing_row *row = &rows->rows[index];
	char text[TEXT_BYTES], file[TEXT_BYTES] = "";
	struct table_row of = { .row = row, .text = text, .file = file,
				.now = *listing_rows_now(rows, index, 0),
				.pct = listing_rows_pct(rows, index, 0) };

	listing_rows_text(rows, index, false, text, sizeof(text));
	if (row->file != UINT32_MAX && rows->listing->document->has_lines) {
		const struct line_ranges *lines = &rows->listing->document->lines;
		const char *path = line_ranges_text(lines, lines->files[row->file].path);

		sanitize_text(file, sizeof(file), path, strlen(path));
	}
	if (rows->base) {
		of.base = *listing_rows_base(rows, index, 0);
		of.base_pct = base_pct(rows, index);
	}
	put_cells(cells, columns, snapshot, &of);
}

static void put_table_titles(struct cells *cells, const struct table_columns *columns)
{
	static struct listing listing = { .symbol = "", .dso_path = "" };
	static const struct listing_row row = { .kind = LISTING_LINE };
	const struct snapshot snapshot = { .event = "", .listing = &listing };
	const struct table_row none = { .row = &row, .text = "", .file = "" };

	put_cells(cells, columns, &snapshot, &none);
}

int listing_table_write(struct cells *cells, const struct table_columns *columns,
			const struct snapshot *snapshot)
{
	struct listing_rows rows;
	int err;

	if (!snapshot) {
		put_table_titles(cells, columns);
		return 0;
	}
	if (!snapshot->listing)
		return -ENOMEM;
	err = build(&rows, snapshot, columns->options.layer);
	for (uint32_t i = 0; i < rows.count && !err; i++)
		put_table_row(cells, columns, snapshot, &rows, i);
	listing_rows_finish(&rows);
	return err;
}
