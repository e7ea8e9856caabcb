/* listing_view.c - the cursor and the numbers of a listing's rows, see listing_view.h.
 *
 * Problem: a refresh brings new counts, a later document has lines and text, and a key chooses
 * another layer: each makes other rows, and the cursor must not move.
 *
 * Idea: a row has a key, which stays the same as long as the layer does, and most rows have an
 * address, which stays the same in all layers. The cursor follows the key, or else the address.
 */
#include "listing_view.h"

#include <math.h>
#include <string.h>

#include "analyzer/snapshot.h"

#define NO_ROW UINT32_MAX

struct table_extent listing_view_extent(const struct listing_view *listing)
{
	return (struct table_extent){ listing->rows.count, listing->page };
}

uint32_t listing_view_cursor(const struct listing_view *listing)
{
	return listing->place.cursor < listing->rows.count ? (uint32_t)listing->place.cursor
							    : NO_ROW;
}

/* Remembers the row's key, and the address of its code or of the code before it. */
static void note_cursor(struct listing_view *listing)
{
	const uint32_t cursor = listing_view_cursor(listing);

	if (cursor == NO_ROW)
		return;
	listing->place.cursor_id = listing->rows.rows[cursor].key;
	listing->address = UINT64_MAX;
	for (uint32_t i = cursor + 1; i-- > 0 && listing->address == UINT64_MAX;)
		listing->address = listing->rows.rows[i].address;
}

void listing_view_set_cursor(struct listing_view *listing, size_t cursor)
{
	table_place_set(&listing->place, listing_view_extent(listing), cursor);
	note_cursor(listing);
}

void listing_view_go(struct listing_view *listing, uint32_t row)
{
	listing->place.is_moved = true;
	listing_view_set_cursor(listing, row);
}

double listing_view_weight(const struct listing_view *listing, uint32_t row)
{
	const struct listing_rows *rows = &listing->rows;
	const uint32_t event = rows->listing->shown_event;
	const struct load *now = listing_rows_now(rows, row, event);
	const double base = rows->listing->base[event].weight;

	if (!rows->base)
		return now->weight;
	return fabs(listing_rows_pct(rows, row, event) -
		    (base > 0 ? 100 * listing_rows_base(rows, row, event)->weight / base : 0));
}

/* Returns the hottest row, or the one that changed most; the next after @last unless that is
 * NO_ROW. NO_ROW: none has samples. */
uint32_t listing_view_find_hottest(const struct listing_view *listing, uint32_t last)
{
	const double least = last == NO_ROW ? INFINITY : listing_view_weight(listing, last);
	uint32_t found = NO_ROW;

	for (uint32_t i = 0; i < listing->rows.count; i++) {
		const double weight = listing_view_weight(listing, i);

		if (!listing->rows.rows[i].is_sum || !(weight > 0) || weight > least ||
		    (!(weight < least) && i <= last && last != NO_ROW))
			continue;
		if (found == NO_ROW || weight > listing_view_weight(listing, found))
			found = i;
	}
	return found;
}

/* Returns where the cursor is at first: at the address that the listing was opened for, if that is
 * not just the function; else on the hottest row. */
static uint32_t first_row(const struct listing_view *listing)
{
	const uint64_t begin = listing->function.sections[0].begin;
	const uint32_t row = listing->asked != begin
				     ? listing_rows_of_address(&listing->rows, listing->asked)
				     : NO_ROW;

	return row != NO_ROW ? row : listing_view_find_hottest(listing, NO_ROW);
}

/* Puts the cursor back on its row: by its key; in another layer, or where that is gone, by its
 * address. At first it is on first_row(), in the middle of the screen. */
void listing_view_find_cursor(struct listing_view *listing, bool is_other_layer)
{
	const struct table_extent extent = listing_view_extent(listing);
	uint32_t row = NO_ROW;

	if (!listing->rows.count)
		return;
	if (listing->place.cursor_id && !is_other_layer)
		row = listing_rows_of_key(&listing->rows, listing->place.cursor_id);
	if (row == NO_ROW && listing->place.cursor_id && listing->address != UINT64_MAX &&
	    (listing->place.is_moved || !is_other_layer))
		row = listing_rows_of_address(&listing->rows, listing->address);
	if (row != NO_ROW) {
		table_place_carry(&listing->place, extent, row);
	} else if (listing->place.is_moved) {
		table_place_set(&listing->place, extent, listing->place.cursor);
	} else {
		row = first_row(listing);
		table_place_set(&listing->place, extent, row == NO_ROW ? 0 : row);
		listing->place.top = listing->place.cursor > extent.page / 2
					     ? listing->place.cursor - extent.page / 2 : 0;
		table_place_fit(&listing->place, extent);
	}
	note_cursor(listing);
}

void listing_view_set_page(struct listing_view *listing, size_t page)
{
	if (page == listing->page)
		return;
	listing->page = page;
	if (!listing->place.is_moved)
		listing->place.cursor_id = 0;	/* the hottest row is in the middle again */
	listing_view_find_cursor(listing, false);
}

void listing_view_step(struct listing_view *listing)
{
	if (listing->step_count == LISTING_STEPS)
		memmove(&listing->steps[0], &listing->steps[1],
			--listing->step_count * sizeof(listing->steps[0]));
	listing->steps[listing->step_count++] = (struct listing_step){
		listing->level, listing->place.cursor_id, listing->address,
	};
}

double listing_view_pct(const struct listing_view *listing, const struct ui_state *state,
			uint32_t row, uint32_t event)
{
	const struct listing *of = listing->rows.listing;
	const double weight = listing_rows_now(&listing->rows, row, event)->weight;

	if (listing->of_function)
		return listing_rows_pct(&listing->rows, row, event);
	if (event == of->shown_event)
		return snapshot_pct(state->shown, weight);
	return of->all_weight[event] > 0 ? 100 * weight / of->all_weight[event] : 0;
}

double listing_view_base_pct(const struct listing_view *listing, const struct ui_state *state,
			     uint32_t row)
{
	const struct listing *of = listing->rows.listing;
	const double weight =
		listing_rows_base(&listing->rows, row, of->shown_event)->weight;
	const double whole = of->base[of->shown_event].weight;

	if (!listing->of_function)
		return row_changes_base_pct(state->shown, weight);
	return whole > 0 ? 100 * weight / whole : 0;
}
