/* columns.c - the table of columns, and which of them fit.
 *
 * Idea: the name of the code is the answer, so its column is never dropped and gets what the others
 * leave. Where there is little room the others go in the order of `keep`; where there is a lot, the
 * name is made comfortable first, then the cut columns grow to their maximum.
 */
#include "ui/columns.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "ui/format.h"

#define FILL_COMFORT_CELLS 44	/* most C names and many C++ ones, with the level in front */
#define GAP_CELLS	   1

#define HOT_PCT	 5.0	/* the limits that perf's users know */
#define WARM_PCT 0.5

static enum role heat_role(double pct)
{
	return pct >= HOT_PCT ? ROLE_HOT : pct >= WARM_PCT ? ROLE_WARM : ROLE_COOL;
}

static enum role code_role(const struct snapshot_row *row)
{
	if (row->state != SYMBOL_NAMED)
		return ROLE_UNRESOLVED;
	switch (row->mode) {
	case MODE_KERNEL:
	case MODE_HYPERVISOR:
		return ROLE_KERNEL;
	case MODE_GUEST_KERNEL:
	case MODE_GUEST_USER:
		return ROLE_GUEST;
	case MODE_USER:
		return ROLE_USER;
	case MODE_UNKNOWN:
		break;
	}
	return ROLE_UNRESOLVED;
}

static const char *level_tag(enum cpu_mode mode)
{
	static const char *const tags[] = {
		[MODE_UNKNOWN] = "[?]",	     [MODE_KERNEL] = "[k]",	  [MODE_USER] = "[.]",
		[MODE_HYPERVISOR] = "[H]",   [MODE_GUEST_KERNEL] = "[g]", [MODE_GUEST_USER] = "[u]",
	};

	return tags[mode];
}

/* Idle is not part of 100 %, so an idle row has no share. */
static void put_share(struct canvas *canvas, struct canvas_area area,
		      const struct snapshot *snapshot, const struct snapshot_row *row,
		      double weight)
{
	const double pct = snapshot_pct(snapshot, weight);
	char text[FORMAT_BYTES];

	if (row->is_idle)
		canvas_put_right(canvas, area, "idle", ROLE_DIM);
	else
		canvas_put_right(canvas, area, format_pct(text, pct), heat_role(pct));
}

static void put_self(struct canvas *canvas, struct canvas_area area,
		     const struct snapshot *snapshot, const struct snapshot_row *row)
{
	put_share(canvas, area, snapshot, row, row->self_weight);
}

static void put_total(struct canvas *canvas, struct canvas_area area,
		      const struct snapshot *snapshot, const struct snapshot_row *row)
{
	put_share(canvas, area, snapshot, row, row->total_weight);
}

/* Bars are measured by the hottest row: by 100 % most of them would be one dot. */
static double hottest_weight(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->row_count; i++)
		if (!snapshot->rows[i].is_idle)
			return snapshot->rows[i].self_weight;
	return 0;
}

static void put_bar(struct canvas *canvas, struct canvas_area area,
		    const struct snapshot *snapshot, const struct snapshot_row *row)
{
	const double hottest = hottest_weight(snapshot);
	char text[128];

	if (row->is_idle || hottest <= 0)
		return;
	format_bar(text, sizeof(text), area.width, row->self_weight / hottest, canvas->is_ascii);
	canvas_put_text(canvas, area, text, heat_role(snapshot_pct(snapshot, row->self_weight)));
}

static void put_samples(struct canvas *canvas, struct canvas_area area,
			const struct snapshot *snapshot, const struct snapshot_row *row)
{
	char text[FORMAT_BYTES];

	(void)snapshot;
	canvas_put_right(canvas, area, format_count(text, row->self_samples), ROLE_DIM);
}

static void put_number(struct canvas *canvas, struct canvas_area area, int64_t number)
{
	char text[FORMAT_BYTES] = "-";

	if (number >= 0)
		snprintf(text, sizeof(text), "%" PRId64, number);
	canvas_put_right(canvas, area, text, ROLE_TEXT);
}

static void put_pid(struct canvas *canvas, struct canvas_area area,
		    const struct snapshot *snapshot, const struct snapshot_row *row)
{
	(void)snapshot;
	put_number(canvas, area, row->pid);
}

static void put_tid(struct canvas *canvas, struct canvas_area area,
		    const struct snapshot *snapshot, const struct snapshot_row *row)
{
	(void)snapshot;
	put_number(canvas, area, row->tid);
}

static void put_cpu(struct canvas *canvas, struct canvas_area area,
		    const struct snapshot *snapshot, const struct snapshot_row *row)
{
	(void)snapshot;
	put_number(canvas, area, row->cpu);
}

static void put_command(struct canvas *canvas, struct canvas_area area,
			const struct snapshot *snapshot, const struct snapshot_row *row)
{
	char text[FORMAT_BYTES];

	(void)snapshot;
	if (row->comm[0] || row->tasks == 1) {
		canvas_put_text(canvas, area, row->comm, ROLE_TEXT);
		return;
	}
	if (row->tasks)
		snprintf(text, sizeof(text), "%" PRIu32 " tasks", row->tasks);
	else	/* large windows: not counted, see struct snapshot_row */
		snprintf(text, sizeof(text), "several");
	canvas_put_text(canvas, area, text, ROLE_DIM);
}

static void put_object(struct canvas *canvas, struct canvas_area area,
		       const struct snapshot *snapshot, const struct snapshot_row *row)
{
	(void)snapshot;
	canvas_put_text(canvas, area, row->object, ROLE_DIM);
}

static void put_symbol(struct canvas *canvas, struct canvas_area area,
		       const struct snapshot *snapshot, const struct snapshot_row *row)
{
	const enum role role = code_role(row);
	int used = canvas_put_text(canvas, area, level_tag(row->mode), role) + GAP_CELLS;
	char address[FORMAT_BYTES];
	const char *name = row->symbol;
	const char *note = "";

	(void)snapshot;
	if (row->state == SYMBOL_LOADING) {
		name = row->object;	/* its column may have no room */
		note = "loading";
	} else if (row->state != SYMBOL_NAMED) {
		note = row->state == SYMBOL_UNREADABLE ? row->reason : "no symbol";
		if (name[0] == '\0') {
			snprintf(address, sizeof(address), "0x%" PRIx64, row->address);
			name = address;
		}
	}

	area.x += used;
	area.width -= used;
	used = canvas_put_text(canvas, area, name, role);
	area.x += used + GAP_CELLS;
	area.width -= used + GAP_CELLS;
	if (note[0] && area.width > 3) {	/* at least "(x)" */
		area.width -= 1;
		canvas_put_text(canvas, area, "(", ROLE_DIM);
		area.x += 1;
		area.width -= 1;
		used = canvas_put_text(canvas, area, note, ROLE_DIM);
		area.x += used;
		area.width = 1;
		canvas_put_text(canvas, area, ")", ROLE_DIM);
	}
}

static int by_weight(double a, double b)	/* largest first */
{
	return (a < b) - (a > b);
}

static int by_self(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_weight(a->self_weight, b->self_weight);
}

static int by_total(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_weight(a->total_weight, b->total_weight);
}

static int by_samples(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return (a->self_samples < b->self_samples) - (a->self_samples > b->self_samples);
}

static int by_number(int64_t a, int64_t b)	/* smallest first */
{
	return (a > b) - (a < b);
}

static int by_pid(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_number(a->pid, b->pid);
}

static int by_tid(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_number(a->tid, b->tid);
}

static int by_cpu(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_number(a->cpu, b->cpu);
}

static int by_command(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return strcasecmp(a->comm, b->comm);
}

static int by_object(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return strcasecmp(a->object, b->object);
}

static int by_symbol(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return strcasecmp(a->symbol, b->symbol);
}

const struct column columns[COL_COUNT] = {
	[COL_SELF] = { "SELF%", 6, 6, ALIGN_RIGHT, 90, 0, put_self, by_self,
		       "samples in the function itself, % of the window without idle" },
	[COL_BAR] = { "", 8, 12, ALIGN_LEFT, 30, 0, put_bar, NULL,
		      "SELF% against the hottest row" },
	[COL_TOTAL] = { "TOTAL%", 7, 7, ALIGN_RIGHT, 80, 0, put_total, by_total,
			"samples with it anywhere on the stack, % of the window" },
	[COL_SAMPLES] = { "SAMPLES", 8, 8, ALIGN_RIGHT, 20, 0, put_samples, by_samples,
			  "how many samples SELF% stands on" },
	[COL_PID] = { "PID", 7, 7, ALIGN_RIGHT, 85, KEY_PID, put_pid, by_pid, "process" },
	[COL_TID] = { "TID", 7, 7, ALIGN_RIGHT, 84, KEY_TID, put_tid, by_tid, "thread" },
	[COL_CPU] = { "CPU", 4, 4, ALIGN_RIGHT, 83, KEY_CPU, put_cpu, by_cpu, "CPU" },
	[COL_COMMAND] = { "COMMAND", 13, 16, ALIGN_LEFT, 40, 0, put_command, by_command,
			  "the command, or how many tasks share the row" },
	[COL_OBJECT] = { "OBJECT", 14, 30, ALIGN_LEFT, 50, KEY_OBJECT, put_object, by_object,
			 "program, library or [kernel]" },
	[COL_SYMBOL] = { "SYMBOL", COLUMNS_FILL_CELLS, 0, ALIGN_LEFT, 99, KEY_SYMBOL | KEY_ADDRESS,
			 put_symbol, by_symbol,
			 "function behind its level, 0x... when it has no name" },
};

static enum column_id filling_column(unsigned int keys)
{
	if (keys & columns[COL_SYMBOL].keys)
		return COL_SYMBOL;
	return keys & columns[COL_OBJECT].keys ? COL_OBJECT : COL_COMMAND;
}

static int least_kept(const int *widths, enum column_id fill)
{
	int least = -1;

	for (int id = 0; id < COL_COUNT; id++)
		if (widths[id] && id != (int)fill &&
		    (least < 0 || columns[id].keep < columns[least].keep))
			least = id;
	return least;
}

void columns_fit(struct column_layout *out, int x, int width, unsigned int keys)
{
	static const enum column_id growing[] = { COL_COMMAND, COL_BAR, COL_OBJECT };
	const enum column_id fill = filling_column(keys);
	int widths[COL_COUNT] = { 0 };
	int fill_width = width;
	int id;

	for (id = 0; id < COL_COUNT; id++) {
		if (id == (int)fill || (columns[id].keys && !(keys & columns[id].keys)))
			continue;
		widths[id] = columns[id].min_width;
		fill_width -= widths[id] + GAP_CELLS;
	}
	while (fill_width < COLUMNS_FILL_CELLS && (id = least_kept(widths, fill)) >= 0) {
		fill_width += widths[id] + GAP_CELLS;
		widths[id] = 0;
	}
	for (size_t i = 0; i < sizeof(growing) / sizeof(growing[0]); i++) {
		id = (int)growing[i];
		while (widths[id] && widths[id] < columns[id].max_width &&
		       fill_width > FILL_COMFORT_CELLS) {
			widths[id]++;
			fill_width--;
		}
	}
	widths[fill] = fill_width;

	out->count = 0;
	for (id = 0; id < COL_COUNT; id++) {
		if (!widths[id])
			continue;
		out->places[out->count].id = (enum column_id)id;
		out->places[out->count].x = x;
		out->places[out->count++].width = widths[id];
		x += widths[id] + GAP_CELLS;
	}
}

bool columns_has(const struct column_layout *layout, enum column_id id)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->places[i].id == id)
			return true;
	return false;
}
