/* event_cells.c - see event_cells.h. */
#include "event_cells.h"

#include <stdio.h>

#include "format.h"
#include "symbol_fold.h"
#include "term/canvas.h"

#define MOST 1000000000000000000u	/* fits 64 bits; a damaged recording may have more */

const struct event_ratio *event_cells_ratio(enum column_id id, const struct snapshot *snapshot)
{
	const struct event_columns *of = snapshot ? &snapshot->event_columns : NULL;
	const bool has_ipc = of && of->ratio_count && of->ratios[0].is_ipc;
	size_t index;

	if (!of || id < COL_IPC || id > COL_RATIO_5 || (id == COL_IPC && !has_ipc))
		return NULL;
	index = id == COL_IPC ? 0 : (size_t)(id - COL_RATIO_1) + has_ipc;
	return index < of->ratio_count ? &of->ratios[index] : NULL;
}

const struct event_column *event_cells_event(enum column_id id,
						   const struct snapshot *snapshot)
{
	const uint32_t index = (uint32_t)(id - COL_EVENT_1);

	if (!snapshot || id < COL_EVENT_1 || id > COL_EVENT_4 ||
	    index >= snapshot->event_columns.count || index == snapshot->event_index)
		return NULL;
	return &snapshot->event_columns.events[index];
}

static bool is_of_events(enum column_id id)
{
	return COLUMNS_OF_EVENTS & COLUMN_BIT(id);
}

uint64_t columns_of_absent_events(const struct snapshot *snapshot)
{
	uint64_t absent = 0;

	if (snapshot && snapshot->keys & KEY_EVENT)	/* a row is of one */
		return COLUMNS_OF_EVENTS;
	for (enum column_id id = COL_IPC; is_of_events(id); id++)
		if (!event_cells_ratio(id, snapshot) && !event_cells_event(id, snapshot))
			absent |= COLUMN_BIT(id);
	return absent;
}

/* Four digits at most: "0", "0.82", "31.4", "912", "12.3k". */
static void format_ratio(char *out, double value)
{
	if (value == 0)
		snprintf(out, FORMAT_BYTES, "0");
	else if (value < 9.995)
		snprintf(out, FORMAT_BYTES, "%.2f", value);
	else if (value < 99.95)
		snprintf(out, FORMAT_BYTES, "%.1f", value);
	else
		format_count(out, value < MOST ? (uint64_t)(value + 0.5) : MOST);
}

void event_cells_put_ratio(struct canvas *canvas, struct canvas_area area,
			   const struct event_ratio *ratio, const struct stats *by_event,
			   bool is_total)
{
	char number[FORMAT_BYTES] = "-", text[FORMAT_BYTES + 2];
	bool is_rough;
	const double value = event_ratio_of(ratio, by_event, is_total, &is_rough);

	if (value >= 0)
		format_ratio(number, value);
	snprintf(text, sizeof(text), "%s%s", number, is_rough ? "~" : " ");
	canvas_put_right(canvas, area, canvas_clean(text),
			 value <= 0 || is_rough ? ROLE_DIM : ROLE_TEXT);
}

/* Idle samples are in no share. */
static double share_of(const struct event_column *event, const struct snapshot *snapshot,
		       const struct snapshot_row *row)
{
	const double weight =
		row->by_event && !row->is_idle
		? row->by_event[event - snapshot->event_columns.events].self.weight : 0;

	return event->weight > 0 ? 100 * weight / event->weight : 0;
}

void event_cells_put(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	const struct event_ratio *ratio = event_cells_ratio(of->id, of->snapshot);
	const struct event_column *event = event_cells_event(of->id, of->snapshot);
	char text[FORMAT_BYTES] = "-";
	double pct;

	if (ratio)
		event_cells_put_ratio(canvas, area, ratio, of->row->by_event, false);
	if (!event)
		return;
	pct = share_of(event, of->snapshot, of->row);
	if (of->row->by_event)
		format_pct(text, pct);
	canvas_put_right(canvas, area, canvas_clean(text), row_role_of_share(pct));
}

int event_cells_compare(enum column_id id, const struct snapshot *snapshot,
			const struct snapshot_row *a, const struct snapshot_row *b)
{
	const struct event_ratio *ratio = event_cells_ratio(id, snapshot);
	const struct event_column *event = event_cells_event(id, snapshot);
	double left = 0, right = 0;
	bool is_rough;

	if (ratio) {
		left = event_ratio_of(ratio, a->by_event, false, &is_rough);
		right = event_ratio_of(ratio, b->by_event, false, &is_rough);
	} else if (event) {
		left = share_of(event, snapshot, a);
		right = share_of(event, snapshot, b);
	}
	if (left == right) {
		left = a->now.self.weight;
		right = b->now.self.weight;
	}
	return (left < right) - (left > right);
}
