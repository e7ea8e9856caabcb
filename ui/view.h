/* view.h - the interface of a view: a few functions over the ui's state.
 *
 * Use:    a view embeds struct view as its first member. It draws from the state passed in; it
 *         keeps ids and scroll positions, never rows across snapshots. Nothing but these functions
 *         and ui/view_list.c knows which views there are.
 * Thread: the ui's.
 */
#ifndef UI_VIEW_H
#define UI_VIEW_H

#include "term/canvas.h"
#include "ui/keymap.h"
#include "term/keys.h"
#include "ui/views.h"
#include "widgets/hits.h"
#include "widgets/table_rows.h"

struct command_line;
struct cursor_way;
struct help_page;
struct query;
struct request;
struct tree_rows;
struct view;

/* A function that is NULL does nothing or returns NULL or false, if nothing else is said. */
struct view_ops {
	enum view_place place;	/* where its commands work */
	const char *title;	/* a page's title, instead of the line of views; NULL: no page */
	const char *open, *menu;	/* commands of a double click and of the right button */
	const char *found;	/* counted by a search: "rows" */
	bool is_calls;		/* its lines are calls: such views show the same samples */

	size_t bytes;		/* size of the view; 0: it is a member of another view */
	void (*init)(struct view *view);	/* sets what is not zero at first */
	void (*finish)(struct view *view);	/* frees what it owns */
	/* Returns the view of the last level of the breadcrumbs, which @view owns; NULL: @view. */
	struct view *(*of_level)(struct view *view, const struct ui_state *state);
	/* Called after the snapshot, filter or order changed. The old snapshot may be gone. */
	void (*refresh)(struct view *view, const struct ui_state *state);
	/* Draws on the lines @top..@top + @rows - 1, which are blank; records clickable parts. */
	void (*draw)(struct view *view, struct ui_state *state, struct canvas *canvas, int top,
		     int rows);

	/* Sets the parts of the query that are its own. */
	void (*query)(const struct view *view, const struct ui_state *state, struct query *out);
	void (*add_sources)(const struct view *view, struct request *out);	/* source lines */
	/* Adds the options that print its rows without a screen. */
	void (*add_options)(const struct ui_state *state, struct command_line *line);

	/* Moves the cursor; a page of text scrolls. */
	void (*move)(struct view *view, enum view_move move);
	/* Scrolls by the wheel; NULL: moves. */
	void (*scroll)(struct view *view, int lines);
	/* Moves to what the mouse is on; false: there is nothing. */
	bool (*select)(struct view *view, const struct hit *hit, const struct mouse *mouse);
	/* Returns where the cursor is, kept while other views are shown. NULL: that is not kept. */
	struct table_place *(*place_of)(struct view *view);
	/* Restores @place: the same row on the same line, if it still exists. */
	void (*restore)(struct view *view, const struct table_place *place);
	void (*hottest)(struct view *view, struct ui_state *state);	/* see cmd_hottest() */
	/* Undoes a zoom; false: there is none. */
	bool (*zoom_out)(struct view *view);
	bool (*is_zoomed)(const struct view *view);

	/* What the cursor is on; the texts are BORROWED until the next snapshot. */
	bool (*cursor_row)(const struct view *view, const struct ui_state *state,
			   struct snapshot_row *out);
	/* Returns the node of *@tree that it is on; NULL: none. BORROWED, both, like the texts. */
	const struct tree_node *(*cursor_node)(const struct view *view,
					       const struct ui_state *state,
					       const struct call_tree **tree);
	const struct snapshot_probe *(*cursor_probe)(const struct view *view,
						     const struct ui_state *state);
	/* Returns what opening it does, see state_cursor_way(). NULL: it adds one part. */
	bool (*cursor_way)(const struct view *view, const struct ui_state *state,
			   struct cursor_way *out);
	const char *(*cursor_title)(const struct view *view);	/* NULL: made from the row */

	/* Search. */
	void (*mark)(struct view *view);	/* remembers the cursor */
	void (*unmark)(struct view *view);	/* returns to it */
	/* Moves to a match of @text: from the mark on (@step 0), the next (1), the one before (-1).
	 * False: there is none. */
	bool (*find)(struct view *view, const struct ui_state *state, const char *text, int step);
	/* Counts the matches, of *@of in all. NULL: they are not counted. */
	size_t (*count)(const struct view *view, const struct ui_state *state, const char *text,
			size_t *of);
	/* True if there is no better match after new rows. NULL: new rows are not searched. */
	bool (*is_at_match)(const struct view *view, const struct ui_state *state,
			    const char *text);

	/* Returns the lines of a call tree or group tree. */
	struct tree_rows *(*tree_rows)(struct view *view);
	/* Opens and closes the cursor's line, and all lines. NULL: those of tree_rows. */
	void (*open_line)(struct view *view, struct ui_state *state);
	void (*close_line)(struct view *view, struct ui_state *state);
	void (*open_lines)(struct view *view, struct ui_state *state, bool is_open);
	/* Opens the probe panel for the cursor's row. NULL: for its function. */
	void (*probe)(struct view *view, struct ui_state *state);
	/* Returns the choice of "% of the parent". */
	bool *(*of_parent)(struct view *view);
	const char *parent;	/* name of that parent; NULL: it is the line above */
	/* Adds to the help what the view shows: its columns. */
	void (*add_help)(const struct ui_state *state, struct help_page *page);
	/* Of a page of text longer than the screen: "page @page of @pages". */
	bool (*position)(const struct view *view, int *page, int *pages);
};

struct view {
	const struct view_ops *ops;
	struct view *opener;	/* view that "back" returns to; NULL: this is no page of text */
};

#endif
