/* columns.c - see ui/views.h: fits columns into a width; the order by changes.
 *
 * Idea: the row's name matters most, so its column is never dropped and gets the cells left over.
 * On a narrow screen the others are dropped in the order of `keep`; on a wide one the name gets a
 * comfortable width first, then the other columns grow to their maximum.
 */
#include "ui/views.h"

#include <math.h>
#include <stdio.h>

#include "change.h"
#include "event_cells.h"
#include "hit_weight.h"

#define FILL_COMFORT_CELLS 44	/* most C names and many C++ ones, with the level in front */
#define GAP_CELLS	   1
#define KEEP_ASKED	   100	/* more than `keep` of any column */
#define SEEN_STEPS	   100	/* steps per point of a change */

const char *columns_name(enum column_id id)
{
	switch (id) {
	case COL_BAR:	       return "bar";
	case COL_CHANGE:       return "change";
	case COL_CHANGE_BAR:   return "change-bar";
	case COL_TOTAL_CHANGE: return "total-change";
	case COL_RATE_CHANGE:  return "rate-change";
	case COL_RATIO_1:      return "ratio-1";
	case COL_RATIO_2:      return "ratio-2";
	case COL_RATIO_3:      return "ratio-3";
	case COL_RATIO_4:      return "ratio-4";
	case COL_RATIO_5:      return "ratio-5";
	case COL_EVENT_1:      return "event-1";
	case COL_EVENT_2:      return "event-2";
	case COL_EVENT_3:      return "event-3";
	case COL_EVENT_4:      return "event-4";
	default:	       return columns[id].title;
	}
}

const char *columns_title(enum column_id id, const struct snapshot *snapshot)
{
	const struct event_ratio *ratio = event_cells_ratio(id, snapshot);
	const struct event_column *event = event_cells_event(id, snapshot);

	if (id == COL_TIME)
		return hit_weight_title(snapshot);
	return ratio ? ratio->title : event ? event->title : columns[id].title;
}

const char *columns_help(enum column_id id, const struct snapshot *snapshot, char *out)
{
	const struct event_ratio *ratio = event_cells_ratio(id, snapshot);
	const struct event_column *event = event_cells_event(id, snapshot);

	if (ratio)
		return ratio->help;
	if (!event)
		return columns[id].help;
	snprintf(out, COLUMN_HELP_BYTES, "self samples of %s, in %% of its samples", event->name);
	return out;
}

static int by_size(double a, double b)
{
	return (fabs(a) < fabs(b)) - (fabs(a) > fabs(b));
}

/* Rounds a change as it is displayed: invisible differences must not order rows. */
static double seen(double points)
{
	return round(points * SEEN_STEPS);
}

/* Compares rows by the size of their change, the largest first. @id: one of COLUMN_CHANGES. */
static int compare_changes(enum column_id id, const struct snapshot *snapshot,
			   const struct snapshot_row *a, const struct snapshot_row *b)
{
	int result = 0;

	if (id == COL_RATE_CHANGE)
		return by_size(change_per_s_of_row(snapshot, a), change_per_s_of_row(snapshot, b));
	if (id != COL_TOTAL_CHANGE)
		result = by_size(seen(change_of_row(snapshot, a)),
				 seen(change_of_row(snapshot, b)));
	if (!result)
		result = by_size(seen(change_of_row_total(snapshot, a)),
				 seen(change_of_row_total(snapshot, b)));
	return result ? result : by_size(a->now.self.weight, b->now.self.weight);
}

static bool is_change(enum column_id id)
{
	return COLUMN_CHANGES & COLUMN_BIT(id);
}

bool columns_is_order(enum column_id id)
{
	return columns[id].compare || is_change(id) || COLUMNS_OF_EVENTS & COLUMN_BIT(id);
}

int columns_compare(enum column_id id, const struct snapshot *snapshot,
		    const struct snapshot_row *a, const struct snapshot_row *b)
{
	if (is_change(id))
		return compare_changes(id, snapshot, a, b);
	if (COLUMNS_OF_EVENTS & COLUMN_BIT(id))
		return event_cells_compare(id, snapshot, a, b);
	return columns[id].compare(a, b);
}

/* Rows may be keyed by less than the column names (-s comm in the view of symbols). */
static enum column_id filling_column(const struct column_set *set)
{
	if (!columns[set->fill].keys || (columns[set->fill].keys & set->keys))
		return set->fill;
	return columns[COL_DSO].keys & set->keys ? COL_DSO : COL_COMMAND;
}

static bool is_of_keys(const struct column_set *set, enum column_id id)
{
	return !columns[id].keys || (columns[id].keys & set->keys);
}

bool columns_is_shown(const struct column_set *set, enum column_id id)
{
	for (const enum column_id *at = set->ids; *at != COL_COUNT; at++)
		if (*at == id)
			return is_of_keys(set, id) &&
			       (id == filling_column(set) || !(set->hidden & COLUMN_BIT(id)));
	return false;
}

static int keep_of(const struct column_set *set, int id)
{
	return columns[id].keep + (set->asked & COLUMN_BIT(id) ? KEEP_ASKED : 0);
}

static int least_kept(const struct column_set *set, const int *widths, enum column_id fill)
{
	int least = -1;

	for (int id = 0; id < COL_COUNT; id++)
		if (widths[id] && id != (int)fill &&
		    (least < 0 || keep_of(set, id) < keep_of(set, least)))
			least = id;
	return least;
}

/* Computes the widths of all columns that stay; 0 for the others. */
static void choose_widths(const struct column_set *set, int width, int *widths)
{
	static const enum column_id growing[] = {
		COL_COMMAND, COL_BAR, COL_CHANGE_BAR, COL_DSO, COL_SOURCE, COL_UNIT,
		COL_CONTAINER, COL_CGROUP, COL_POD, COL_EVENT,
	};
	const enum column_id fill = filling_column(set);
	int fill_width = width;
	int id;

	for (id = 0; id < COL_COUNT; id++) {
		widths[id] = 0;
		if (id == (int)fill || !columns_is_shown(set, (enum column_id)id))
			continue;
		widths[id] = columns[id].min_width;
		fill_width -= widths[id] + GAP_CELLS;
	}
	while (fill_width < COLUMNS_FILL_CELLS && (id = least_kept(set, widths, fill)) >= 0) {
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
}

void columns_fit(struct column_layout *out, int x, int width, const struct column_set *set)
{
	int widths[COL_COUNT];

	choose_widths(set, width, widths);
	out->count = 0;
	for (const enum column_id *id = set->ids; *id != COL_COUNT; id++) {
		if (!widths[*id])
			continue;
		out->places[out->count].id = *id;
		out->places[out->count].x = x;
		out->places[out->count++].width = widths[*id];
		x += widths[*id] + GAP_CELLS;
	}
}

bool columns_has(const struct column_layout *layout, enum column_id id)
{
	for (size_t i = 0; i < layout->count; i++)
		if (layout->places[i].id == id)
			return true;
	return false;
}
