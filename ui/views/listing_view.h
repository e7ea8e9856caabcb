/* listing_view.h - the listing of a function: its source lines, its instructions by line, its
 * instructions, each with what it costs.
 *
 * Rows:   made of the snapshot's listing by listing/listing_rows.h at every refresh; the view keeps
 *         keys and addresses. Another layer keeps the cursor at its address.
 * Thread: the ui's.
 */
#ifndef UI_LISTING_VIEW_H
#define UI_LISTING_VIEW_H

#include "listing/listing_rows.h"
#include "state.h"
#include "widgets/listing_arrows.h"

#define LISTING_STEPS 64	/* jumps followed that "back" returns from */
#define LISTING_WAYS  32	/* callees offered for one row */
#define LISTING_PROBED 32	/* probes shown in a listing */
#define LISTING_TEXT_BYTES 1024

/* A row of source that shows what is inlined there. */
struct listing_opened {
	uint64_t function;	/* see listing_view_function() */
	uint64_t key;
};

/* A jump that was followed, or the row of a level that was left. */
struct listing_step {
	size_t level;		/* how many the breadcrumbs had */
	uint64_t key, address;
};

/* A function that a row leads to. */
struct listing_way {
	struct source_request of;
	char name[BREADCRUMBS_NAME_BYTES];
	double weight;		/* seen in stacks; 0: not seen */
};

/* A row with a probe. */
struct listing_probed {
	uint32_t row;
	double hits_per_s;	/* < 0: unknown */
};

struct listing_view {
	struct view view;
	struct listing_rows rows;	/* owned; the listing in it is BORROWED from the snapshot */
	struct listing_arrows arrows;	/* owned */
	struct listing_function function;	/* that of the rows */
	double most;		/* largest weight of a row */
	uint64_t last_address;	/* largest address of an instruction */
	uint32_t last_line;	/* largest number of a line */
	enum listing_layer layer;	/* the one asked for */
	bool is_layer_chosen;	/* a key chose it; false: source lines if there is their text */
	bool has_all_arrows;
	bool of_function;	/* percentages are of the function */

	struct listing_opened *opened;	/* owned */
	size_t opened_count, opened_room;

	struct table_place place;
	uint64_t address;	/* that of the cursor's row, or a row before it; UINT64_MAX: none */
	uint64_t asked;		/* address that the listing was opened for */
	uint64_t marked;	/* key of the cursor's row when a search began */
	uint64_t hottest;	/* key of the row that J moved to last */
	size_t page;		/* rows on the screen at the last draw; 0: not drawn yet */

	size_t level;		/* how many the breadcrumbs had when the rows came */
	struct listing_step steps[LISTING_STEPS];	/* followed jumps, the last one last */
	size_t step_count;
	struct listing_step left[BREADCRUMBS_LEVELS];	/* by level: the row where it was left */

	struct listing_way ways[LISTING_WAYS];	/* those of the menu */
	size_t way_count;
	struct listing_probed probed[LISTING_PROBED];
	size_t probed_count;
};

extern const struct view_ops view_listing_ops;

static inline struct listing_view *listing_view_of(const struct ui_state *state)
{
	return (struct listing_view *)state->views[VIEW_LISTING];
}

/* Returns the cursor's row; UINT32_MAX: there is none. */
uint32_t listing_view_cursor(const struct listing_view *listing);
/* Moves the cursor to a row. */
void listing_view_go(struct listing_view *listing, uint32_t row);
/* Returns how many rows there are, and how many fit on the screen. */
struct table_extent listing_view_extent(const struct listing_view *listing);
/* Moves the cursor to a row, as the view does on its own: not by a key. */
void listing_view_set_cursor(struct listing_view *listing, size_t cursor);
/* Puts the cursor back on its row after the rows were made anew. */
void listing_view_find_cursor(struct listing_view *listing, bool is_other_layer);
/* Returns the row's weight or, compared with a baseline, the size of its change in %. */
double listing_view_weight(const struct listing_view *listing, uint32_t row);
/* Returns the hottest row, or the next one after @last; UINT32_MAX: none. */
uint32_t listing_view_find_hottest(const struct listing_view *listing, uint32_t last);
/* Remembers the cursor's row, to which "back" returns. */
void listing_view_step(struct listing_view *listing);

/* Sets how many rows fit on the screen. */
void listing_view_set_page(struct listing_view *listing, size_t page);

/* Return the row's share in %, now and in the baseline: of the function, or of everything. */
double listing_view_pct(const struct listing_view *listing, const struct ui_state *state,
			uint32_t row, uint32_t event);
double listing_view_base_pct(const struct listing_view *listing, const struct ui_state *state,
			     uint32_t row);

/* The screen, in listing_lines.c: draws everything on the lines @top..@top + @rows - 1. */
void listing_lines_draw(struct listing_view *listing, struct ui_state *state,
			struct canvas *canvas, int top, int rows);

/* listing_sites.c: where rows lead, and probes. */

/* Returns the index of the file that the function itself is in, or UINT32_MAX: unknown. */
uint32_t listing_sites_file(const struct listing *of);
/* Opens the probe panel for exactly the cursor's line or instruction. */
void listing_sites_probe(struct view *view, struct ui_state *state);
/* Formats what the row's indirect call was seen to call, "memcmp 96 %, uint32_eq 4 %"; "": it is
 * none, or nothing was seen. Returns @out. */
const char *listing_sites_seen(const struct listing_rows *rows, uint32_t row, char *out,
			       size_t bytes);
/* Finds the rows that have probes. */
void listing_sites_find_probes(struct listing_view *listing, const struct snapshot *snapshot);
/* Returns the row's probe, or NULL. */
const struct listing_probed *listing_sites_probed(const struct listing_view *listing, uint32_t row);

#endif
