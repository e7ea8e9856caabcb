/* columns.c - fits columns into a width.
 *
 * Idea: the row's name matters most, so its column is never dropped and gets the cells left over.
 * On a narrow screen the others are dropped in the order of `keep`; on a wide one the name gets a
 * comfortable width first, then the other columns grow to their maximum.
 */
#include "ui/columns.h"

#include "ui/column_changes.h"

#define FILL_COMFORT_CELLS 44	/* most C names and many C++ ones, with the level in front */
#define GAP_CELLS	   1
#define KEEP_ASKED	   100	/* more than `keep` of any column */

const char *columns_name(enum column_id id)
{
	switch (id) {
	case COL_BAR:	       return "bar";
	case COL_CHANGE:       return "change";
	case COL_CHANGE_BAR:   return "change-bar";
	case COL_TOTAL_CHANGE: return "total-change";
	case COL_RATE_CHANGE:  return "rate-change";
	default:	       return columns[id].title;
	}
}

static bool is_change(enum column_id id)
{
	return COLUMN_CHANGES & 1u << id;
}

bool columns_is_order(enum column_id id)
{
	return columns[id].compare || is_change(id);
}

int columns_compare(enum column_id id, const struct snapshot *snapshot,
		    const struct snapshot_row *a, const struct snapshot_row *b)
{
	if (is_change(id))
		return column_changes_compare(id, snapshot, a, b);
	return columns[id].compare(a, b);
}

/* Rows may be keyed by less than the column names (-s comm in the view of symbols). */
static enum column_id filling_column(const struct column_set *set)
{
	if (!columns[set->fill].keys || (columns[set->fill].keys & set->keys))
		return set->fill;
	return columns[COL_OBJECT].keys & set->keys ? COL_OBJECT : COL_COMMAND;
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
			       (id == filling_column(set) || !(set->hidden & 1u << id));
	return false;
}

static int keep_of(const struct column_set *set, int id)
{
	return columns[id].keep + (set->asked >> id & 1 ? KEEP_ASKED : 0);
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

/* Widths of all columns that stay; 0 for the others. */
static void choose_widths(const struct column_set *set, int width, int *widths)
{
	static const enum column_id growing[] = {
		COL_COMMAND, COL_BAR, COL_CHANGE_BAR, COL_OBJECT, COL_SOURCE, COL_UNIT,
		COL_CONTAINER, COL_CGROUP, COL_POD,
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
