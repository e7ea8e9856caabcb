/* column_changes.c - see ui/column_changes.h.
 *
 * The change of a new row equals its share, which is in the next column: so the cell says "new",
 * and the arrows show how much. The change of a gone row is the share it had.
 */
#include "ui/column_changes.h"

#include <math.h>

#include "change.h"
#include "export/row_changes.h"
#include "format.h"

#define BAR_BYTES  64
#define SEEN_STEPS 100		/* steps per point */

static void put_points(struct canvas *canvas, struct canvas_area area,
		       const struct column_row *of, double points)
{
	char text[FORMAT_BYTES];

	if (!of->snapshot->is_compared || of->row->is_idle)
		return;
	if (change_row_is_new(of->snapshot, of->row))
		canvas_put_right(canvas, area, SAFE_TEXT("new"), change_role(points));
	else
		canvas_put_right(canvas, area, canvas_clean(change_format_points(text, points)),
				 change_role(points));
}

static double total_points(const struct snapshot *snapshot, const struct snapshot_row *row)
{
	if (row->is_idle)
		return 0;
	return row_changes_points(snapshot, row, true);
}

void column_put_change(struct canvas *canvas, struct canvas_area area,
		       const struct column_row *of)
{
	put_points(canvas, area, of, change_of_row(of->snapshot, of->row));
}

void column_put_total_change(struct canvas *canvas, struct canvas_area area,
			     const struct column_row *of)
{
	put_points(canvas, area, of, total_points(of->snapshot, of->row));
}

void column_put_change_bar(struct canvas *canvas, struct canvas_area area,
			   const struct column_row *of)
{
	const double points = change_of_row(of->snapshot, of->row);
	char text[BAR_BYTES];

	if (of->snapshot->is_compared)
		canvas_put_text(
			canvas, area,
			canvas_clean(change_format_bar(text, sizeof(text), area.width, points)),
			change_role(points));
}

static double rate_change(const struct snapshot *snapshot, const struct snapshot_row *row)
{
	return change_per_s(snapshot, row->self_samples, row->base_self_samples);
}

void column_put_rate_change(struct canvas *canvas, struct canvas_area area,
			    const struct column_row *of)
{
	const double per_s = rate_change(of->snapshot, of->row);
	char text[FORMAT_BYTES];

	if (of->snapshot->is_compared)
		canvas_put_right(canvas, area, canvas_clean(change_format_per_s(text, per_s)),
				 ROLE_DIM);
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

int column_changes_compare(enum column_id id, const struct snapshot *snapshot,
			   const struct snapshot_row *a, const struct snapshot_row *b)
{
	int result = 0;

	if (id == COL_RATE_CHANGE)
		return by_size(rate_change(snapshot, a), rate_change(snapshot, b));
	if (id != COL_TOTAL_CHANGE)
		result = by_size(seen(change_of_row(snapshot, a)),
				 seen(change_of_row(snapshot, b)));
	if (!result)
		result = by_size(seen(total_points(snapshot, a)),
				 seen(total_points(snapshot, b)));
	return result ? result : by_size(a->self_weight, b->self_weight);
}
