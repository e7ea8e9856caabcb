/* state.h - the screen's state; keys and snapshots go in, frames and requests come out.
 *
 * Use:    needs no terminal, no threads: ui/screen.c feeds it, ui/frame.c draws it, tests do both.
 * Rows:   a query asks the analyzer for them; until its answer arrives the old rows stay on the
 *         screen, and keys that act on a row are deferred until the rows they were pressed for.
 * Thread: the ui's.
 */
#ifndef UI_STATE_H
#define UI_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzer/request.h"
#include "analyzer/snapshot.h"
#include "analyzer/source_change.h"
#include "time_range.h"
#include "trail.h"
#include "ui/command_line.h"
#include "ui/finder.h"
#include "ui/group_order.h"
#include "ui/keymap.h"
#include "ui/keys.h"
#include "ui/probe_control.h"
#include "ui/prompt.h"
#include "ui/theme.h"
#include "views/view_flame.h"
#include "views/view_groups.h"
#include "views/view_probe.h"
#include "views/view_probes.h"
#include "views/view_table.h"
#include "views/view_tree.h"
#include "widgets/group_panel.h"
#include "widgets/hits.h"
#include "widgets/menu.h"
#include "widgets/pager.h"
#include "widgets/probe_panel.h"
#include "widgets/time_scale.h"
#include "widgets/time_text.h"

#define STATE_MESSAGE_BYTES 240
#define STATE_OUTBOX	    10	/* number of request kinds: at most one of each is queued */
#define STATE_DEFERRED	    64
#define STATE_VISITED	    64	/* busy moments that the key J has gone to */
#define STATE_ORDERS	    8	/* probe requests queued between two turns of the event loop */

/* What an open prompt is for. The text is in state->prompt.text. */
struct prompt_use {
	const char *label;
	int id;			/* for the caller's use */
	void (*edited)(struct ui_state *state);		/* NULL: nothing to do */
	void (*accepted)(struct ui_state *state);
	void (*cancelled)(struct ui_state *state);	/* NULL: nothing to do */
	void (*refreshed)(struct ui_state *state);	/* after new rows; NULL: nothing to do */
};

/* The last request sent for a probe, kept until a snapshot shows its outcome. */
struct probe_ordered {
	uint32_t probe;		/* probe id; 0: unused entry */
	enum probe_order_kind kind;
	enum probe_state state;	/* the probe's state on the screen when the request was queued */
	uint64_t time_ns;
};

/* Outcomes so far of one PROBE_ADD request, which may add several probes. */
struct probe_tally {
	uint64_t number;	/* the request's number; 0: unused entry */
	uint32_t refused, failed, cancelled;
};

/* The baseline that windows are compared with; the screen calls it "A". */
struct comparing {
	bool has_baseline;	/* a window was marked, or the baseline is another recording */
	bool is_on;		/* queries ask for the baseline's stats of each row */
	bool is_selected;		/* the baseline was selected from history, not live */
	struct time_range marked;	/* baseline no snapshot confirmed yet; end_ns 0: none */
	bool is_marked_selected;	/* `marked` was selected from history, not live */
	bool is_rest;		/* the baseline is all of history but the range shown when marked */
};

/* What opening a row does: the parts it adds to the filter, and the event shown afterwards. */
struct cursor_way {
	struct filter_part parts[GROUP_LEVELS];
	size_t count;
	unsigned int left_out;	/* as set by group_path_parts() */
	uint32_t event;
};

/* What an open menu is for. */
struct menu_use {
	void (*chosen)(struct ui_state *state, const struct menu_item *item);
};

/* A drag over the activity graph or the heat map, while the left button is held. */
struct time_drag {
	bool is_on;
	bool is_in_heat;		/* began in the heat map, otherwise in the activity graph */
	struct time_range from;		/* of the cell where the drag began */
	struct time_range range;	/* from that cell to the one under the mouse */
};

struct ui_state {
	const struct snapshot *shown;	/* NULL: none arrived yet */
	enum view_kind shown_kind;	/* the view that the rows of `shown` belong to */

	/* What queries ask for. */
	struct trail trail;
	unsigned int symbol_keys;	/* enum row_key bits of the symbols view (-s) */
	struct group_order groups;	/* levels of the group tree */
	bool show_idle, hide_kernel, hide_user;
	bool raw_names;			/* show symbols mangled, as in the symbol tables */
	bool is_relative;		/* percentages of what breadcrumbs and filters leave */
	enum window_kind window;
	uint64_t window_ns;
	uint64_t interval_ns;
	uint64_t query;			/* number of the last query */
	bool wants_restore;		/* on its answer, restore the cursor from the trail */
	bool is_paused;
	struct time_range time;		/* range selected in the past; end_ns 0: live or paused */
	bool wants_heat;		/* heat map switched on; drawn where there is room */
	bool is_on_time;		/* the last moving key moved in time, not in the rows */
	struct time_range visited[STATE_VISITED];	/* by J since last live, oldest first */
	size_t visited_count;
	uint64_t hottest_row;		/* id of the row that J moved to last */
	bool is_zeroed;			/* "since start" counts from the zero key */
	bool is_command_ended;
	bool is_source_changing;
	struct source_change change;	/* the last change requested */
	struct launch launch;	/* the source's command line words, kept up to date */
	struct comparing compare;

	/* How it is shown. */
	struct table_order orders[VIEW_COUNT];
	struct table_order compared_orders[VIEW_COUNT];	/* used while rows are compared */
	struct column_choice choice;
	const struct theme *theme;
	bool is_mouse_off;
	bool is_click_spent;		/* a menu used the press: ignore a double click after it */
	uint64_t history_bytes;		/* memory limit of the history; 0: unknown */
	uint64_t wall_offset_ns;	/* clock_wall_offset_ns() at start: shown times stay put */
	const struct keymap *keymap;	/* BORROWED, like the three controls below */
	const struct source_control *source;	/* NULL: a recording */
	const struct probe_control *probe_control;	/* NULL: a recording */
	const struct finder_control *finder_control;	/* NULL: no finder */

	struct view *view;		/* the view on the screen: one of those below */
	struct table_view table;
	struct tree_view tree;
	struct flame_view flame;
	struct groups_view groups_view;
	struct probes_view probes;
	struct probe_view probe;
	struct pager help, messages, losses, log, hit, line_page;
	uint32_t hit_probe;	/* probe id of the hit on the hit page */
	uint64_t hit_number;	/* number of that hit within its probe; 0: none was opened */
	struct snapshot_hit hit_line;	/* copy of its log line; texts in the two arrays below */
	char hit_comm[PROMPT_BYTES], hit_values[PROBE_LOG_TEXT];

	struct prompt prompt;
	const struct prompt_use *prompt_use;
	struct menu menu;
	const struct menu_use *menu_use;
	struct probe_panel panel;
	struct group_panel group_panel;
	struct finder finder;
	uint32_t menu_probe;		/* id of the menu's or question's probe; may be removed */
	struct filter_part menu_parts[FILTER_PARTS];	/* copied for a row menu: rows change */
	struct cursor_way menu_way;	/* copied for a row menu: rows change */
	char search[PROMPT_BYTES];	/* "": none */
	const struct view *searched;	/* the view that `search` was typed in */
	char search_before[PROMPT_BYTES];	/* restored when the search prompt is cancelled */
	char filter_before[PROMPT_BYTES];	/* text of the filter that is being edited */
	uint64_t cursor_before;		/* id of the row under the cursor when a search began */
	char message[STATE_MESSAGE_BYTES];	/* answer to the last key; "": none */

	struct hits hits;
	struct time_scale strip, heat;	/* time of each drawn cell, for the mouse */
	struct time_drag drag;
	bool heat_room;			/* the last frame had room for the heat map */
	int screen_width;		/* of the last frame, in cells */
	int deferred[STATE_DEFERRED];	/* keys that wait for rows */
	size_t deferred_count;
	unsigned int old_keys_said;	/* a bit per entry of old_keys[] already explained */

	uint64_t wishes_hash;	/* hash of the last list of source lines requested; 0: none */
	struct request outbox[STATE_OUTBOX];	/* for the analyzer; the loop empties it */
	size_t outbox_count;
	struct probe_order orders_out[STATE_ORDERS];	/* to the engine; the loop empties it */
	size_t order_count;
	uint64_t order_number;	/* number of the last probe request */
	struct probe_ordered ordered[PROBE_SLOTS];
	uint64_t adding;	/* number of the newest PROBE_ADD until its last answer; 0: none */
	struct probe_tally tallies[STATE_ORDERS];	/* of recent PROBE_ADD requests */
	uint32_t sample_event;	/* index of the event shown when no probe's hits are */
	uint32_t asked_event;	/* index of the event last requested from the analyzer */
	bool is_changed;	/* a new frame must be drawn */
	bool wants_stacks;	/* the loop has folded stacks written to save_path */
	char save_path[PROMPT_BYTES];
	bool wants_clipboard;	/* the loop copies `clipboard` to the terminal's clipboard */
	char clipboard[COMMAND_LINE_BYTES];
	bool wants_quit, wants_repaint;	/* read by the loop, which clears wants_repaint */
};

/* Sets defaults. The caller then sets window, interval, theme, keymap, the controls and the trail's
 * filter. Query 0 is the one that the analyzer began with. */
void state_init(struct ui_state *state);
/* Makes @kind the first view. Call before the first snapshot; query 0 must be for that view. */
void state_begin_with(struct ui_state *state, enum view_kind kind);
void state_finish(struct ui_state *state);	/* the shown snapshot stays the caller's */

/* Offers the newest snapshot. Returns the one no longer needed (the one shown before, or @fresh
 * itself if it is not shown, as when paused); the caller destroys it. May be NULL. */
const struct snapshot *state_offer_snapshot(struct ui_state *state, const struct snapshot *fresh);

/* Runs the command of @key in the present view. @mouse: the event of UI_KEY_MOUSE, else NULL. */
void state_press_key(struct ui_state *state, int key, const struct mouse *mouse);

/* Updates the views after the sort order, the columns or the snapshot changed. */
void state_refresh_view(struct ui_state *state);

/* Queues a query for the rows of the trail's last level. */
void state_ask(struct ui_state *state);
/* True while the rows on the screen do not answer the last query. */
bool state_is_waiting(const struct ui_state *state);
/* Returns the kind of view that the trail's last level shows. */
enum view_kind state_kind(const struct ui_state *state);
/* Returns the columns that the view's rows can have. */
struct column_set state_columns(const struct ui_state *state);
/* Returns a bit per enum column_id that has no content now, whatever the user chose to see. */
unsigned int state_unable_columns(const struct ui_state *state);
/* Returns the sort order of the rows on the screen; compared rows have an order of their own. */
const struct table_order *state_order(const struct ui_state *state);
void state_set_order(struct ui_state *state, struct table_order order);
/* True when the rows on the screen are compared with the baseline. */
bool state_is_compared(const struct ui_state *state);
/* Drops the baseline, here and in the analyzer. The caller must queue a query afterwards. */
void state_forget_baseline(struct ui_state *state);

/* Adds a level of @kind to the trail, with @part added to the filter (NULL: the same filter). On
 * failure shows the reason as a message. */
void state_go(struct ui_state *state, enum view_kind kind, const struct filter_part *part);
/* Sets *@out to what opening the cursor's row does. False: no filter can select its samples. */
bool state_cursor_way(const struct ui_state *state, struct cursor_way *out);
/* Adds a level of @kind with the filter parts and event of @way; on failure shows the reason. */
void state_go_way(struct ui_state *state, enum view_kind kind, const struct cursor_way *way);
/* Returns the direction of the tree that a query asks for. */
enum tree_direction state_tree_direction(const struct ui_state *state);
/* True when source lines are on: the SOURCE column of symbols, inlined functions in trees. */
bool state_has_lines(const struct ui_state *state);
/* Copies the row under the cursor to *@out; its texts are BORROWED until the next snapshot. A tree
 * node becomes a row without tasks. False: no row, as in the list of probes. */
bool state_cursor_row(const struct ui_state *state, struct snapshot_row *out);

/* Shows the trail's last level in another view. */
void state_show_kind(struct ui_state *state, enum view_kind kind);
/* Returns to the table that a tree, flame graph, groups or probes replaced; false: none did. */
bool state_show_table(struct ui_state *state);
/* Leaves the trail's last level. False: it is the only one. */
bool state_go_back(struct ui_state *state);

/* Shows @view, opened from the present one; state_close_view() goes back. */
void state_open_view(struct ui_state *state, struct view *view);
void state_close_view(struct ui_state *state);
bool state_is_table(const struct ui_state *state);
bool state_is_tree(const struct ui_state *state);
bool state_is_flame(const struct ui_state *state);
bool state_is_groups(const struct ui_state *state);
/* Returns the lines of the call tree or group tree on the screen; NULL: neither is shown. */
struct tree_rows *state_tree_rows(struct ui_state *state);
/* The list of probes is shown; the page of one probe is shown. */
bool state_is_probes(const struct ui_state *state);
bool state_is_probe(const struct ui_state *state);
/* True while a page of text covers the rows. */
bool state_is_page(const struct ui_state *state);

void state_open_prompt(struct ui_state *state, const struct prompt_use *use, const char *text);
/* Opens an empty menu. Add its lines with menu_add(&state->menu, ...) afterwards. */
void state_open_menu(struct ui_state *state, const struct menu_use *use, const char *title,
		     bool is_bottom);

/* Queues a request to the analyzer; a queued one of the same kind is obsolete and replaced. */
void state_request(struct ui_state *state, enum request_kind kind, uint32_t value,
		   uint64_t value_ns);
/* Makes the views show the history of @range from now on; end_ns 0: go live. */
void state_show_time(struct ui_state *state, struct time_range range);
/* True while the snapshot on the screen is not of the time that was selected. */
bool state_is_time_waiting(const struct ui_state *state);
/* Returns the time that the rows cover, if known; where history is coarse it differs slightly from
 * the range selected. end_ns 0: live. */
struct time_range state_shown_time(const struct ui_state *state);
/* Return how far history reaches, and how to print its times. A snapshot must have arrived. */
struct time_bounds state_time_bounds(const struct ui_state *state);
struct time_zero state_time_zero(const struct ui_state *state);
/* Requests another event, rate or target from state->source, which must not be NULL. */
void state_change_source(struct ui_state *state, enum source_change_kind kind, const char *text);
/* Applies the reply to that request. @err: 0, or -errno with @why. */
void state_source_changed(struct ui_state *state, int err, const struct diag *why);

/* Returns the pid of the only sampled process as of the snapshot on the screen (it may change
 * later). 0: no process, or several. */
pid_t state_target_pid(const struct ui_state *state);
/* Returns why probes are impossible here, "" if they are possible. */
const char *state_probe_refusal(const struct ui_state *state);
/* Queues a copy of @order with its time and (except for PROBE_CANCEL) number filled in. Returns the
 * number; 0, with a message shown: probes are impossible here, or too many requests are queued. */
uint64_t state_probe_order(struct ui_state *state, const struct probe_order *order);
/* Returns the last ON, OFF, BURSTS, LIFT or REMOVE request for @probe whose outcome no snapshot has
 * shown yet (none arrives while paused), or NULL. BORROWED until the next request or snapshot. */
const struct probe_ordered *state_probe_ordered(const struct ui_state *state,
						const struct snapshot_probe *probe);
/* Forgets the requests whose outcome is in @fresh. */
void state_probes_shown(struct ui_state *state, const struct snapshot *fresh);
/* Handles a reply of the probe engine. */
void state_probe_answered(struct ui_state *state, const struct probe_answer *answer);
/* Returns the probe at the cursor (list of probes, or log of all probes), or the one whose page is
 * shown, or NULL. BORROWED until the next snapshot. */
const struct snapshot_probe *state_probe(const struct ui_state *state);
/* Opens the page of @probe; NULL: the log of all probes. */
void state_open_probe(struct ui_state *state, const struct snapshot_probe *probe);
/* Opens a page of text about @hit. Copies what it needs. */
void state_open_hit(struct ui_state *state, const struct snapshot_hit *hit);
/* Returns the id of the probe whose page, or hits as samples, the trail's last level is for;
 * PROBE_ALL: the log of all probes; 0: none. */
uint32_t state_probe_here(const struct ui_state *state);
/* Leaves all levels of state_probe_here(), back to the level where the probe was opened. */
void state_leave_probe(struct ui_state *state);
/* Calls state_leave_probe() if the snapshot on the screen, which must answer the last query, has no
 * such probe any more: its levels would show samples instead. */
void state_leave_removed(struct ui_state *state);
/* True when the trail's last level shows a probe's hits as samples. */
bool state_probe_hits(const struct ui_state *state);
/* Shows a message about a probe that went over its cap, failed or got a new reason between @old
 * (NULL: none) and @fresh. */
void state_tell_trouble(struct ui_state *state, const struct snapshot *old,
		       const struct snapshot *fresh);

/* Sets the message at the bottom of the screen, which the next key clears. */
void state_say(struct ui_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
