/* listing_arrows.c - see listing_arrows.h.
 *
 * Problem: a function has more jumps than there is room for, and they cross.
 *
 * Idea: an arrow per row that is jumped to. The shortest gets the lane next to the text, a longer
 * one the first lane that is free over its whole length: so the arrows of an inner loop are right
 * of those of an outer loop. What finds no lane is left out.
 */
#include "listing_arrows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NO_ROW UINT32_MAX

enum line { LINE_NONE, LINE_PLAIN, LINE_TOP, LINE_BOTTOM, LINE_SIDE, LINE_ACROSS, LINE_CROSSED,
	    LINE_HEAD, LINE_COUNT };

static const char *const line_texts[LINE_COUNT] = {
	" ", "\u2502", "\u256d", "\u2570", "\u251c", "\u2500", "\u253c", "\u25ba",
};

/* A row and where its code begins: rows by address. */
struct place {
	uint64_t address;
	uint32_t row;
};

static int compare_places(const void *a, const void *b)
{
	const struct place *left = a, *right = b;

	return (left->address > right->address) - (left->address < right->address);
}

/* Returns the row whose code has @address. */
static uint32_t find_place(const struct listing_rows *rows, const struct place *places,
			   uint32_t count, uint64_t address)
{
	uint32_t low = 0, high = count;

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (places[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return NO_ROW;
	low = places[low - 1].row;
	return address - rows->rows[low].address < listing_row_length(&rows->rows[low]) ? low
										       : NO_ROW;
}

static void find_jumps(struct listing_arrows *arrows, const struct listing_rows *rows,
		       struct place *places)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < rows->count; i++)
		if (rows->rows[i].code)
			places[count++] = (struct place){ rows->rows[i].address, i };
	qsort(places, count, sizeof(*places), compare_places);
	for (uint32_t i = 0; i < rows->count; i++) {
		const uint64_t target = listing_rows_jump(rows, i);

		if (target == UINT64_MAX)
			continue;
		arrows->jumps[i] = find_place(rows, places, count, target);
		arrows->has_jumps |= arrows->jumps[i] != NO_ROW;
	}
}

static void find_loop(struct listing_arrows *arrows, const struct listing_rows *rows)
{
	const struct listing_loop *loop =
		rows->hottest < rows->loop_count ? &rows->loops[rows->hottest] : NULL;

	arrows->loop_first = arrows->loop_last = arrows->loop_target = NO_ROW;
	if (!loop || loop->first == NO_ROW)
		return;
	arrows->loop_first = loop->first;
	arrows->loop_last = loop->last;
	if (arrows->jumps[loop->last] != NO_ROW && arrows->jumps[loop->last] <= loop->last)
		arrows->loop_target = arrows->jumps[loop->last];
}

static int compare_lengths(const void *a, const void *b)
{
	const struct listing_arrow *left = a, *right = b;
	const uint32_t left_rows = left->last - left->first;
	const uint32_t right_rows = right->last - right->first;

	if (left_rows != right_rows)
		return left_rows < right_rows ? -1 : 1;
	return (left->first > right->first) - (left->first < right->first);
}

/* Gives each arrow the first lane that is free; drops those for which there is none. @used has a
 * bit per lane for each row. */
static void find_lanes(struct listing_arrows *arrows, unsigned char *used)
{
	uint32_t kept = 0;

	qsort(arrows->all, arrows->all_count, sizeof(*arrows->all), compare_lengths);
	for (uint32_t i = 0; i < arrows->all_count; i++) {
		struct listing_arrow arrow = arrows->all[i];
		unsigned int taken = 0;

		for (uint32_t row = arrow.first; row <= arrow.last && taken != 0xff; row++)
			taken |= used[row];
		if (taken == 0xff) {
			arrows->left_out++;
			continue;
		}
		while (taken & 1u << arrow.lane)
			arrow.lane++;
		for (uint32_t row = arrow.first; row <= arrow.last; row++)
			used[row] |= (unsigned char)(1u << arrow.lane);
		if (arrow.lane >= arrows->all_lanes)
			arrows->all_lanes = arrow.lane + 1;
		arrows->all[kept++] = arrow;
	}
	arrows->all_count = kept;
}

/* Returns the rows that the arrow to @target spans: target and all that jump there. @of has the
 * index of each target's arrow. */
static void collect_arrows(struct listing_arrows *arrows, uint32_t *of)
{
	memset(of, 0xff, arrows->count * sizeof(*of));
	for (uint32_t row = 0; row < arrows->count; row++) {
		const uint32_t target = arrows->jumps[row];
		struct listing_arrow *arrow;

		if (target == NO_ROW)
			continue;
		if (of[target] == NO_ROW) {
			of[target] = arrows->all_count;
			arrows->all[arrows->all_count++] =
				(struct listing_arrow){ target, target, target, NO_ROW, 0 };
		}
		arrow = &arrows->all[of[target]];
		arrow->first = row < arrow->first ? row : arrow->first;
		arrow->last = row > arrow->last ? row : arrow->last;
	}
}

int listing_arrows_build(struct listing_arrows *arrows, const struct listing_rows *rows)
{
	struct place *places = calloc(rows->count + 1, sizeof(*places));
	uint32_t *of = calloc(rows->count + 1, sizeof(*of));
	unsigned char *used = calloc(rows->count + 1, 1);

	listing_arrows_finish(arrows);
	arrows->jumps = malloc((rows->count + 1) * sizeof(*arrows->jumps));
	arrows->all = calloc(rows->count + 1, sizeof(*arrows->all));
	if (places && of && used && arrows->jumps && arrows->all) {
		arrows->count = rows->count;
		memset(arrows->jumps, 0xff, (rows->count + 1) * sizeof(*arrows->jumps));
		find_jumps(arrows, rows, places);
		find_loop(arrows, rows);
		collect_arrows(arrows, of);
		find_lanes(arrows, used);
	}
	free(places);
	free(of);
	free(used);
	return arrows->count == rows->count ? 0 : -ENOMEM;
}

void listing_arrows_finish(struct listing_arrows *arrows)
{
	free(arrows->jumps);
	free(arrows->all);
	*arrows = (struct listing_arrows){
		.loop_first = NO_ROW, .loop_last = NO_ROW, .loop_target = NO_ROW,
	};
}

static bool overlap(const struct listing_arrow *a, const struct listing_arrow *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* Inserts the arrow before longer ones, and gives all of them lanes. */
static void add_chosen(struct listing_arrows *arrows, struct listing_arrow arrow)
{
	arrows->chosen[arrows->chosen_count++] = arrow;
	qsort(arrows->chosen, arrows->chosen_count, sizeof(arrows->chosen[0]), compare_lengths);
	for (uint32_t i = 0; i < arrows->chosen_count; i++) {
		arrows->chosen[i].lane = 0;
		for (uint32_t j = 0; j < i; j++)
			if (overlap(&arrows->chosen[i], &arrows->chosen[j]) &&
			    arrows->chosen[j].lane >= arrows->chosen[i].lane)
				arrows->chosen[i].lane = arrows->chosen[j].lane + 1;
	}
}

static bool is_in_loop(const struct listing_arrows *arrows, uint32_t row)
{
	return arrows->loop_first != NO_ROW && row >= arrows->loop_first &&
	       row <= arrows->loop_last;
}

/* True if the arrow of the hottest loop shows the jump of @row. */
static bool is_jump_of_loop(const struct listing_arrows *arrows, uint32_t row)
{
	return arrows->loop_target != NO_ROW && arrows->jumps[row] == arrows->loop_target &&
	       is_in_loop(arrows, row);
}

static void choose_jump(struct listing_arrows *arrows, uint32_t cursor)
{
	const uint32_t target = arrows->jumps[cursor];
	const struct listing_arrow arrow = {
		.first = cursor < target ? cursor : target,
		.last = cursor < target ? target : cursor, .target = target, .only = cursor,
	};

	if (target != NO_ROW && !is_jump_of_loop(arrows, cursor))
		add_chosen(arrows, arrow);
}

static void choose_sources(struct listing_arrows *arrows, uint32_t cursor)
{
	struct listing_arrow arrow = { cursor, cursor, cursor, NO_ROW, 0 };
	bool has_others = false;

	for (uint32_t row = 0; row < arrows->count; row++) {
		if (arrows->jumps[row] != cursor)
			continue;
		has_others |= !is_jump_of_loop(arrows, row);
		arrow.first = row < arrow.first ? row : arrow.first;
		arrow.last = row > arrow.last ? row : arrow.last;
	}
	if (has_others)
		add_chosen(arrows, arrow);
}

void listing_arrows_choose(struct listing_arrows *arrows, uint32_t cursor, bool is_all)
{
	arrows->chosen_count = 0;
	arrows->cursor = cursor;
	arrows->is_all = is_all && arrows->has_jumps;
	if (arrows->is_all)
		return;
	if (arrows->loop_first != NO_ROW)
		add_chosen(arrows, (struct listing_arrow){ arrows->loop_first, arrows->loop_last,
							   arrows->loop_target, NO_ROW, 0 });
	if (cursor >= arrows->count)
		return;
	choose_jump(arrows, cursor);
	choose_sources(arrows, cursor);
}

int listing_arrows_width(const struct listing_arrows *arrows)
{
	if (arrows->is_all)
		return arrows->all_lanes + ARROW_CELLS;
	if (arrows->has_jumps)
		return ARROWS_CHOSEN + ARROW_CELLS;
	return arrows->loop_first != NO_ROW ? ARROW_CELLS : 0;
}

/* What the cells of a row have, from the left: the lanes, then the head. */
struct line_cells {
	enum line lines[LISTING_LANES + 1];
	enum role roles[LISTING_LANES + 1];
	int lanes;
};

static enum role role_of(const struct listing_arrows *arrows, const struct listing_arrow *arrow)
{
	if (arrow->target == arrows->cursor || arrow->only == arrows->cursor ||
	    (arrows->cursor < arrows->count && arrow->target != NO_ROW &&
	     arrows->jumps[arrows->cursor] == arrow->target))
		return ROLE_STATE;
	if (arrow->first <= arrows->loop_first && arrow->last >= arrows->loop_last &&
	    arrow->target == arrows->loop_target && arrows->loop_first != NO_ROW)
		return ROLE_HOT;
	return ROLE_DIM;
}

static bool is_source(const struct listing_arrows *arrows, const struct listing_arrow *arrow,
		      uint32_t row)
{
	if (arrow->only != NO_ROW)
		return row == arrow->only;
	return arrow->target != NO_ROW && arrows->jumps[row] == arrow->target;
}

static enum line corner(const struct listing_arrow *arrow, uint32_t row)
{
	if (arrow->first == arrow->last)
		return LINE_ACROSS;
	return row == arrow->first ? LINE_TOP : row == arrow->last ? LINE_BOTTOM : LINE_SIDE;
}

static void put_upright(const struct listing_arrows *arrows, const struct listing_arrow *arrow,
			uint32_t row, struct line_cells *cells)
{
	const int at = cells->lanes - 1 - arrow->lane;
	const bool is_end = row == arrow->first || row == arrow->last;

	if (row < arrow->first || row > arrow->last || at < 0)
		return;
	cells->roles[at] = role_of(arrows, arrow);
	if (arrow->target == NO_ROW)
		cells->lines[at] = is_end ? corner(arrow, row) : LINE_PLAIN;
	else if (row == arrow->target || is_source(arrows, arrow, row))
		cells->lines[at] = corner(arrow, row);
	else
		cells->lines[at] = LINE_PLAIN;
}

/* Leads from the lane to the text. */
static void put_across(const struct listing_arrows *arrows, const struct listing_arrow *arrow,
		       uint32_t row, struct line_cells *cells)
{
	const int begin = cells->lanes - 1 - arrow->lane;
	const enum role role = role_of(arrows, arrow);

	if (row < arrow->first || row > arrow->last || arrow->target == NO_ROW ||
	    (row != arrow->target && !is_source(arrows, arrow, row)))
		return;
	for (int at = begin < 0 ? 0 : begin + 1; at < cells->lanes; at++) {
		if (cells->lines[at] == LINE_NONE)
			cells->roles[at] = role;
		cells->lines[at] = cells->lines[at] == LINE_NONE ? LINE_ACROSS
				   : cells->lines[at] == LINE_PLAIN ? LINE_CROSSED
								     : cells->lines[at];
	}
	if (row == arrow->target || cells->lines[cells->lanes] == LINE_NONE) {
		cells->lines[cells->lanes] = row == arrow->target ? LINE_HEAD : LINE_ACROSS;
		cells->roles[cells->lanes] = role;
	}
}

void listing_arrows_draw(const struct listing_arrows *arrows, uint32_t row, struct canvas *canvas,
			 struct canvas_area area)
{
	const struct listing_arrow *list = arrows->is_all ? arrows->all : arrows->chosen;
	const uint32_t count = arrows->is_all ? arrows->all_count : arrows->chosen_count;
	const bool has_heads = arrows->has_jumps;
	struct line_cells cells = { .lanes = area.width - ARROW_CELLS + !has_heads };

	if (cells.lanes <= 0)
		return;
	if (cells.lanes > LISTING_LANES)
		cells.lanes = LISTING_LANES;
	for (uint32_t i = 0; i < count; i++)
		put_upright(arrows, &list[i], row, &cells);
	for (uint32_t i = 0; i < count; i++)
		put_across(arrows, &list[i], row, &cells);
	for (int at = 0; at < cells.lanes + has_heads; at++)
		canvas_put_text(canvas, (struct canvas_area){ area.x + at, area.y, 1 },
				canvas_clean(line_texts[cells.lines[at]]), cells.roles[at]);
}
