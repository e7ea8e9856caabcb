/* page_table.c - the table of the page: see page_table.h.
 *
 * Which rows: if there is no room for all, those with most total, as a function that is only called
 * through has no self, and one with much self has much total. They stand in the order of the
 * snapshot, or of the changes.
 */
#include "page_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_print.h"
#include "base/sanitize.h"
#include "flame_svg.h"
#include "page_text.h"

#define MOST_ROWS   3000	/* a browser sorts as many at once */
#define MOST_BYTES  600000	/* limit for all rows */
#define ROW_BYTES   120		/* about what a row takes without its names */
#define BAR_STEPS   100		/* lengths that a bar can have */

/* A row of the table, as its cells need it. */
struct cell {
	FILE *out;
	const struct snapshot *snapshot;
	const struct snapshot_row *row;
	double most_pct;	/* the largest share of self: a whole bar */
	bool by_total;		/* changes are those of total */
};

struct column {
	struct safe_text title, help;
	bool (*is_there)(const struct snapshot *snapshot);
	void (*put)(const struct cell *cell);
	const char *class;	/* the title's; "text" is sorted as text */
	bool is_wide;		/* not on narrow screens */
};

static bool is_always(const struct snapshot *snapshot)
{
	(void)snapshot;
	return true;
}

static bool is_compared(const struct snapshot *snapshot)
{
	return snapshot->is_compared;
}

static bool is_time(const struct snapshot *snapshot)
{
	return snapshot->is_of_waits || snapshot->is_hit_time;
}

static bool is_weight(const struct snapshot *snapshot)
{
	return !is_time(snapshot) && snapshot_is_by_weight(snapshot);
}

static bool has_wait(const struct snapshot *snapshot)
{
	return snapshot->is_of_waits;
}

static bool has_command(const struct snapshot *snapshot)
{
	return snapshot->keys & KEY_COMM;
}

static bool has_dso(const struct snapshot *snapshot)
{
	return snapshot->keys & KEY_DSO;
}

/* Idle is no part of 100 %. */
static void put_pct(const struct cell *cell, double pct)
{
	if (cell->row->is_idle)
		safe_put(cell->out, "<td>idle");
	else
		safe_print(cell->out, "<td>%.2f", pct);
}

static void put_change(const struct cell *cell)
{
	static const char *const presence[] = { [ROW_IN_BOTH] = "", [ROW_NEW] = " new",
						[ROW_GONE] = " gone" };
	const double points = row_changes_points(cell->snapshot, cell->row, cell->by_total);
	const bool is_noise = row_changes_is_noise(cell->snapshot, cell->row, cell->by_total);

	if (cell->row->is_idle) {
		safe_put(cell->out, "<td>-");
		return;
	}
	safe_print(cell->out, "<td%s>%+.2f%s%s",
		   is_noise ? SAFE_TEXT("") : points > 0 ? SAFE_TEXT(" class=more")
			    : points < 0 ? SAFE_TEXT(" class=less") : SAFE_TEXT(""),
		   points, is_noise ? SAFE_TEXT("~") : SAFE_TEXT(""),
		   sanitize_checked(presence[row_changes_presence(cell->row)]));
}

static void put_self(const struct cell *cell)
{
	const double pct = snapshot_row_pct(cell->snapshot, cell->row, cell->row->now.self.weight);
	const double part = cell->most_pct > 0 ? pct / cell->most_pct : 0;
	const int bar = (int)(BAR_STEPS * (part < 1 ? part : 1) + 0.5);

	if (cell->row->is_idle)
		safe_put(cell->out, "<td class=bar>idle");
	else if (bar > 0)
		safe_print(cell->out, "<td class=\"bar b%d\">%.2f", bar, pct);
	else
		safe_print(cell->out, "<td class=bar>%.2f", pct);
}

static void put_total(const struct cell *cell)
{
	put_pct(cell, snapshot_row_pct(cell->snapshot, cell->row, cell->row->now.total.weight));
}

static void put_base_self(const struct cell *cell)
{
	put_pct(cell, row_changes_row_base_pct(cell->snapshot, cell->row,
					       cell->row->base.self.weight));
}

static void put_base_total(const struct cell *cell)
{
	put_pct(cell, row_changes_row_base_pct(cell->snapshot, cell->row,
					       cell->row->base.total.weight));
}

static void put_count(const struct cell *cell, uint64_t count)
{
	safe_print(cell->out, "<td>%" PRIu64, count);
}

static void put_samples(const struct cell *cell)
{
	put_count(cell, cell->row->now.self.samples);
}

static void put_total_samples(const struct cell *cell)
{
	put_count(cell, cell->row->now.total.samples);
}

static void put_base_samples(const struct cell *cell)
{
	put_count(cell, cell->row->base.self.samples);
}

static void put_time(const struct cell *cell)
{
	char text[PAGE_TEXT_BYTES];

	safe_print(cell->out, "<td data-n=%.0f>%s", cell->row->now.self.weight,
		   sanitize_checked(page_text_length(text, cell->row->now.self.weight)));
}

static void put_weight(const struct cell *cell)
{
	safe_print(cell->out, "<td>%.0f", cell->row->now.self.weight);
}

/* Names are cut as in the flame graph, so that they are the same. */
static void put_name(const struct cell *cell, const char *name)
{
	safe_put(cell->out, "<td>");
	flame_svg_write_name(cell->out, name);
}

static void put_wait(const struct cell *cell)
{
	put_name(cell, cell->row->wait);
}

static void put_command(const struct cell *cell)
{
	put_name(cell, cell->row->comm);
}

static void put_level(const struct cell *cell)
{
	if (cell->row->id == ROW_OF_SHORT_WAITS)
		safe_put(cell->out, "<td>");
	else
		safe_print(cell->out, "<td>[%c]", snapshot_level(cell->row->mode));
}

static void put_dso(const struct cell *cell)
{
	if (!strcmp(cell->row->dso, cell->row->dso_path)) {
		put_name(cell, cell->row->dso);
		return;
	}
	safe_put(cell->out, "<td title=\"");
	flame_svg_write_name(cell->out, cell->row->dso_path);
	safe_put(cell->out, "\">");
	flame_svg_write_name(cell->out, cell->row->dso);
}

static void put_symbol(const struct cell *cell)
{
	put_name(cell, cell->row->state == SYMBOL_LOADING ? "(loading)" : cell->row->symbol);
}

#define NUMBER "number"
#define TEXT   "text"

static const struct column columns[] = {
	{ { "Change" }, { "change of the share since A, in points; ~: chance may explain it" },
	  is_compared, put_change, NUMBER, false },
	{ { "Self %" }, { "samples in the function itself" }, is_always, put_self, "number bar",
	  false },
	{ { "A self %" }, { "the same in A" }, is_compared, put_base_self, NUMBER, false },
	{ { "Total %" }, { "samples with it on the stack" }, is_always, put_total, NUMBER, false },
	{ { "A total %" }, { "the same in A" }, is_compared, put_base_total, NUMBER, true },
	{ { "Self" }, { "number of samples in the function itself" }, is_always, put_samples,
	  NUMBER, true },
	{ { "A self" }, { "the same in A" }, is_compared, put_base_samples, NUMBER, true },
	{ { "Total" }, { "number of samples with it on the stack" }, is_always, put_total_samples,
	  NUMBER, true },
	{ { "Time" }, { "time in the function itself" }, is_time, put_time, NUMBER, false },
	{ { "Weight" }, { "weight of the hits in the function itself" }, is_weight, put_weight,
	  NUMBER, false },
	{ { "Wait" }, { "what is waited for" }, has_wait, put_wait, TEXT, true },
	{ { "Command" }, { "name of the thread" }, has_command, put_command, TEXT, true },
	{ { "DSO" }, { "file of the code" }, has_dso, put_dso, TEXT, true },
	{ { "Level" }, { "k kernel, . user, g guest kernel, u guest user, H hypervisor" },
	  is_always, put_level, TEXT, false },
	{ { "Symbol" }, { "function" }, is_always, put_symbol, TEXT, false },
};

#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void put_titles(FILE *out, const struct snapshot *snapshot)
{
	safe_put(out, "<thead><tr>");
	for (size_t i = 0; i < COLUMNS; i++)
		if (columns[i].is_there(snapshot))
			safe_print(out, "<th scope=\"col\" class=\"%s\" title=\"%s\">"
				   "<button type=\"button\">%s</button></th>",
				   sanitize_checked(columns[i].class), columns[i].help,
				   columns[i].title);
	safe_put(out, "</tr></thead>\n");
}

void page_table_write_style(FILE *out, const struct snapshot *snapshot)
{
	int child = 0;

	for (int i = 1; i <= BAR_STEPS; i++)
		safe_print(out, ".b%d{--w:%.2f}\n", i, (double)i / BAR_STEPS);
	safe_put(out, "@media (max-width: 700px) {\n");
	for (size_t i = 0; i < COLUMNS; i++) {
		child += columns[i].is_there(snapshot);
		if (columns[i].is_there(snapshot) && columns[i].is_wide)
			safe_print(out, ".rows tr > :nth-child(%d) { display: none; }\n", child);
	}
	safe_put(out, "}\n");
}

static void put_row(const struct cell *cell)
{
	const enum cpu_mode mode = cell->row->mode;

	safe_put_text(cell->out, mode == MODE_KERNEL || mode == MODE_GUEST_KERNEL
				 ? SAFE_TEXT("<tr class=k>") : SAFE_TEXT("<tr>"));
	for (size_t i = 0; i < COLUMNS; i++)
		if (columns[i].is_there(cell->snapshot))
			columns[i].put(cell);
	safe_put(cell->out, "</tr>\n");
}

/* A name as it is escaped may be longer. */
static size_t bytes_of(const char *name)
{
	const size_t length = strnlen(name, FLAME_SVG_NAME_BYTES);
	size_t bytes = length;

	for (size_t i = 0; i < length; i++)
		bytes += strchr("<>&\"'", name[i]) ? 4 : 0;
	return bytes;
}

static size_t bytes_of_row(const struct snapshot_row *row)
{
	return ROW_BYTES + bytes_of(row->symbol) + bytes_of(row->dso) + bytes_of(row->dso_path);
}

struct ranked {
	double total;
	size_t row;
};

static int by_total(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return a->row < b->row ? -1 : 1;
}

/* Chooses the rows that there is room for: @is_written[row_count] must be all false. */
static void choose_rows(bool *is_written, struct ranked *ranked, const struct snapshot *snapshot,
			bool show_idle, uint32_t parts)
{
	size_t count = 0, bytes = 0;

	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct snapshot_row *row = &snapshot->rows[i];
		const double base = snapshot->is_compared ? row->base.total.weight : 0;

		if (row->is_idle && !show_idle)
			continue;
		ranked[count++] = (struct ranked){
			row->now.total.weight > base ? row->now.total.weight : base, i };
	}
	qsort(ranked, count, sizeof(*ranked), by_total);
	for (size_t i = 0; i < count && i < MOST_ROWS / parts; i++) {
		bytes += bytes_of_row(&snapshot->rows[ranked[i].row]);
		if (bytes > MOST_BYTES / parts)
			break;
		is_written[ranked[i].row] = true;
	}
}

static void put_rest(FILE *out, const struct snapshot *snapshot, const bool *is_written,
		     bool show_idle)
{
	char rows[PAGE_TEXT_BYTES], self[PAGE_TEXT_BYTES];
	uint64_t samples = 0;
	size_t left = 0, written = 0;

	for (size_t i = 0; i < snapshot->row_count; i++) {
		if (is_written[i]) {
			written++;
		} else if (!snapshot->rows[i].is_idle || show_idle) {
			left++;
			samples += snapshot->rows[i].now.self.samples;
		}
	}
	if (left)
		safe_print(out, "<p class=\"cut\">%s functions with less in total are not on this "
			   "page; their self is %s samples.</p>\n",
			   sanitize_checked(page_text_count(rows, left)),
			   sanitize_checked(page_text_count(self, samples)));
	else if (!written)
		safe_put(out, "<p class=\"cut\">No function has samples here.</p>\n");
}

static void put_rows(FILE *out, const struct snapshot *snapshot, const bool *is_written,
		     const size_t *order, bool of_total)
{
	struct cell cell = { .out = out, .snapshot = snapshot, .by_total = of_total };

	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct snapshot_row *row = &snapshot->rows[i];
		const double pct = snapshot_row_pct(snapshot, row, row->now.self.weight);

		if (is_written[i] && !row->is_idle && pct > cell.most_pct)
			cell.most_pct = pct;
	}
	safe_put(out, "<tbody>\n");
	for (size_t i = 0; i < snapshot->row_count; i++) {
		const size_t index = order ? order[i] : i;

		cell.row = &snapshot->rows[index];
		if (is_written[index])
			put_row(&cell);
	}
	safe_put(out, "</tbody>\n");
}

int page_table_write(FILE *out, const struct snapshot *snapshot,
		     const struct export_options *print, uint32_t parts)
{
	bool *is_written = calloc(snapshot->row_count + 1, sizeof(*is_written));
	struct ranked *ranked = calloc(snapshot->row_count + 1, sizeof(*ranked));
	size_t *order = NULL;	/* without memory: as they stand */

	if (!is_written || !ranked) {
		free(is_written);
		free(ranked);
		return -ENOMEM;
	}
	choose_rows(is_written, ranked, snapshot, print->show_idle, parts);
	if (snapshot->is_compared)
		order = row_changes_order(snapshot, print->by_total);
	safe_put(out, "<section class=\"functions\" aria-label=\"Functions\">\n"
		      "<div class=\"above\"><h2>Functions</h2>"
		      "<label class=\"script\">Filter <input type=\"search\" class=\"filter\" "
		      "placeholder=\"symbol, DSO or [k]\" autocomplete=\"off\" "
		      "spellcheck=\"false\">"
		      "</label><span class=\"count script\" role=\"status\"></span></div>\n"
		      "<div class=\"rows\" tabindex=\"-1\"><table>\n");
	put_titles(out, snapshot);
	put_rows(out, snapshot, is_written, order, print->by_total);
	safe_put(out, "</table></div>\n");
	put_rest(out, snapshot, is_written, print->show_idle);
	safe_put(out, "</section>\n");
	free(order);
	free(is_written);
	free(ranked);
	return 0;
}
