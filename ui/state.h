/* state.h - everything the screen knows; keys and snapshots go in, pictures and requests come out.
 *
 * Use:    pure of terminal and threads: ui/screen.c feeds it, ui/frame.c draws it, tests do both.
 * Rows:   what they are is asked of the analyzer (a query); until the answer is there the old rows
 *         stay, and keys that mean a row wait for the rows they were pressed for.
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
#define STATE_OUTBOX	    10	/* as many as there are kinds of requests */
#define STATE_DEFERRED	    64
#define STATE_VISITED	    64	/* times that J led to */
#define STATE_ORDERS	    8	/* to the probe engine, between two turns of the loop */

/* What an open prompt is for. The text is in state->prompt.text. */
struct prompt_use {
	const char *label;
	int id;			/* the caller's */
	void (*edited)(struct ui_state *state);		/* NULL: nothing to do */
	void (*accepted)(struct ui_state *state);
	void (*cancelled)(struct ui_state *state);	/* NULL: nothing to do */
	void (*refreshed)(struct ui_state *state);	/* the rows beneath; NULL: nothing to do */
};

/* The last order to a probe, as long as the rows may be older than it. */
struct probe_ordered {
	uint32_t probe;		/* its id; 0: none */
	enum probe_order_kind kind;
	enum probe_state state;	/* as it was shown then */
	uint64_t time_ns;
};

/* What became of the probes of a PROBE_ADD so far. */
struct probe_tally {
	uint64_t number;	/* of the order; 0: none */
	uint32_t refused, failed, cancelled;
};

/* What windows are compared with: "A". */
struct comparing {
	bool has_baseline;	/* one was marked, or is another recording */
	bool is_on;		/* rows are asked for with their figures in it */
	bool is_selected;		/* it was chosen from history, not live */
	struct time_range marked;	/* and no snapshot answered yet; end_ns 0: none */
	bool is_marked_selected;	/* likewise */
	bool is_rest;		/* it is all of history but the time that was chosen then */
};

/* Into a row: what it adds to the filter, and the event that is shown then. */
struct cursor_way {
	struct filter_part parts[GROUP_LEVELS];
	size_t count;
	unsigned int left_out;	/* as of group_path_parts() */
	uint32_t event;
};

/* What an open menu is for. */
struct menu_use {
	void (*chosen)(struct ui_state *state, const struct menu_item *item);
};

/* The left button went down on a cell of time, and is still held. */
struct time_drag {
	bool is_on;
	bool is_in_heat;		/* of the heat map, else of the strip */
	struct time_range from;		/* the cell's own */
	struct time_range range;	/* from there to where the mouse is now */
};

struct ui_state {
	const struct snapshot *shown;	/* NULL: none came yet */
	enum view_kind shown_kind;	/* the view its rows were asked for */

	/* What is asked for. */
	struct trail trail;
	unsigned int symbol_keys;	/* enum row_key of the view of symbols (-s) */
	struct group_order groups;	/* levels of the tree of groups */
	bool show_idle, hide_kernel, hide_user;
	bool raw_names;			/* symbols as their files have them */
	bool is_relative;		/* shares are of what path and filters leave */
	enum window_kind window;
	uint64_t window_ns;
	uint64_t interval_ns;
	uint64_t query;			/* number of the last query */
	bool wants_restore;		/* its answer puts the cursor back to the trail's place */
	bool is_paused;
	struct time_range time;		/* chosen in the past; end_ns 0: live, or paused */
	bool wants_heat;		/* the strip is enlarged; it shows where there is room */
	bool is_on_time;		/* the last key that moved something moved in time */
	struct time_range visited[STATE_VISITED];	/* since it was live, oldest first */
	size_t visited_count;
	uint64_t hottest_row;		/* id of the row that J led to last */
	bool is_zeroed;			/* "since start" began at a key */
	bool is_command_ended;
	bool is_source_changing;
	struct source_change change;	/* the last one that was asked for */
	struct launch launch;	/* the source as given, and as changed since */
	struct comparing compare;

	/* How it is shown. */
	struct table_order orders[VIEW_COUNT];
	struct table_order compared_orders[VIEW_COUNT];	/* the same while rows are compared */
	struct column_choice choice;
	const struct theme *theme;
	bool is_mouse_off;
	bool is_click_spent;		/* on a menu: a second press is no double click beneath */
	uint64_t history_bytes;		/* what history may take; 0: nobody said */
	uint64_t wall_offset_ns;	/* clock_wall_offset_ns() as it began: times stand still */
	const struct keymap *keymap;	/* borrowed, as the next */
	const struct source_control *source;	/* NULL: a recording */
	const struct probe_control *probe_control;	/* as above */
	const struct finder_control *finder_control;	/* NULL: there is none */

	struct view *view;		/* the one on the screen: one of the next */
	struct table_view table;
	struct tree_view tree;
	struct flame_view flame;
	struct groups_view groups_view;
	struct probes_view probes;
	struct probe_view probe;
	struct pager help, messages, losses, log, hit, line_page;
	uint32_t hit_probe;	/* the hit that the page of one is of: its probe's id, */
	uint64_t hit_number;	/* and its number there; 0: none was opened */
	struct snapshot_hit hit_line;	/* as its line in the log had it, with these texts */
	char hit_comm[PROMPT_BYTES], hit_values[PROBE_LOG_TEXT];

	struct prompt prompt;
	const struct prompt_use *prompt_use;
	struct menu menu;
	const struct menu_use *menu_use;
	struct probe_panel panel;
	struct group_panel group_panel;
	struct finder finder;
	uint32_t menu_probe;		/* of its menu, or of a question: it may be gone */
	struct filter_part menu_parts[FILTER_PARTS];	/* of a row menu: the row may be gone */
	struct cursor_way menu_way;	/* likewise */
	char search[PROMPT_BYTES];	/* "": none */
	const struct view *searched;	/* the view it was typed in */
	char search_before[PROMPT_BYTES];
	char filter_before[PROMPT_BYTES];	/* text of the filter that is being edited */
	uint64_t cursor_before;
	char message[STATE_MESSAGE_BYTES];	/* answer to the last key; "": none */

	struct hits hits;
	struct time_scale strip, heat;	/* as drawn: what the mouse selects */
	struct time_drag drag;
	bool heat_room;			/* the screen drawn last has room for the heat map */
	int screen_width;		/* of it */
	int deferred[STATE_DEFERRED];	/* keys that wait for rows */
	size_t deferred_count;
	unsigned int old_keys_said;	/* a bit for each key whose former meaning was told */

	uint64_t wishes_hash;	/* of the source lines that were asked for last */
	struct request outbox[STATE_OUTBOX];	/* for the analyzer; the loop empties it */
	size_t outbox_count;
	struct probe_order orders_out[STATE_ORDERS];	/* for the engine; the loop empties it */
	size_t order_count;
	uint64_t order_number;	/* of the last order */
	struct probe_ordered ordered[PROBE_SLOTS];
	uint64_t adding;	/* number of the last PROBE_ADD without its last answer; 0: none */
	struct probe_tally tallies[STATE_ORDERS];	/* of the last ones */
	uint32_t sample_event;	/* of the samples: what is shown while no probe's hits are */
	uint32_t asked_event;	/* what the analyzer was asked to show last */
	bool is_changed;	/* the picture must be drawn again */
	bool wants_stacks;	/* for save_path; the loop has them written */
	char save_path[PROMPT_BYTES];
	bool wants_clipboard;	/* for the loop: the terminal copies `clipboard` */
	char clipboard[COMMAND_LINE_BYTES];
	bool wants_quit, wants_repaint;	/* for the loop; it clears wants_repaint */
};

/* All zero but the views and what has a default; the caller then sets window, interval, theme,
 * keymap, source, and in the trail the filter. Query 0 is the one that the analyzer began with. */
void state_init(struct ui_state *state);
/* Makes @kind the first view, before the first snapshot: query 0 must be for it. */
void state_begin_with(struct ui_state *state, enum view_kind kind);
void state_finish(struct ui_state *state);	/* the shown snapshot stays the caller's */

/* Offers the newest snapshot. Returns the one that is not needed any more (the one shown before, or
 * @fresh itself while paused), the caller's to destroy; may be NULL. */
const struct snapshot *state_offer_snapshot(struct ui_state *state, const struct snapshot *fresh);

/* Does what @key means here; of UI_KEY_MOUSE what @mouse says (else NULL). */
void state_press_key(struct ui_state *state, int key, const struct mouse *mouse);

/* The order or the columns changed: same snapshot, another picture. */
void state_refresh_view(struct ui_state *state);

/* Asks for the rows of the trail's last level. */
void state_ask(struct ui_state *state);
/* The rows on the screen are not yet those that were asked for. */
bool state_is_waiting(const struct ui_state *state);
/* The view of the table that is asked for. */
enum view_kind state_kind(const struct ui_state *state);
/* The columns that the view's rows can have. */
struct column_set state_columns(const struct ui_state *state);
/* A bit for each of those that there is nothing to say in, whatever the user wants to see. */
unsigned int state_unable_columns(const struct ui_state *state);
/* What the rows on the screen are sorted by: while they are compared an order of its own. */
const struct table_order *state_order(const struct ui_state *state);
void state_set_order(struct ui_state *state, struct table_order order);
/* The rows on the screen are compared with the baseline. */
bool state_is_compared(const struct ui_state *state);
/* Forgets the baseline: it was of what is not sampled any more. The analyzer is told; a query must
 * follow. */
void state_forget_baseline(struct ui_state *state);

/* Goes on to @kind, through @part (NULL: the same filter); says so when that can't be. */
void state_go(struct ui_state *state, enum view_kind kind, const struct filter_part *part);
/* What opening the row under the cursor does, *@out. False: nothing tells its samples from the
 * others. */
bool state_cursor_way(const struct ui_state *state, struct cursor_way *out);
/* Goes on to @kind that way; says so when that can't be. */
void state_go_way(struct ui_state *state, enum view_kind kind, const struct cursor_way *way);
/* Of the tree that is asked for. */
enum tree_direction state_tree_direction(const struct ui_state *state);
/* Source lines are on: the column in the table of symbols, inlined functions in trees. */
bool state_has_lines(const struct ui_state *state);
/* What is under the cursor, BORROWED until the next snapshot: a node of the tree is a row without
 * tasks, a probe is none. False: nothing. */
bool state_cursor_row(const struct ui_state *state, struct snapshot_row *out);

/* The same level in another view. */
void state_show_kind(struct ui_state *state, enum view_kind kind);
/* Back to the table that a tree, a picture, groups or probes took the place of. False: of none. */
bool state_show_table(struct ui_state *state);
/* Leaves the level. False: nowhere to go back to. */
bool state_go_back(struct ui_state *state);

/* Shows @view, opened from the present one; state_close_view() goes back. */
void state_open_view(struct ui_state *state, struct view *view);
void state_close_view(struct ui_state *state);
bool state_is_table(const struct ui_state *state);
bool state_is_tree(const struct ui_state *state);
bool state_is_flame(const struct ui_state *state);
bool state_is_groups(const struct ui_state *state);
/* The lines of the tree that is shown, of calls or of groups; NULL: no tree is. */
struct tree_rows *state_tree_rows(struct ui_state *state);
/* The list of probes; the figures of one. */
bool state_is_probes(const struct ui_state *state);
bool state_is_probe(const struct ui_state *state);
/* A page of text lies over the rows. */
bool state_is_page(const struct ui_state *state);

void state_open_prompt(struct ui_state *state, const struct prompt_use *use, const char *text);
/* Add its lines with menu_add(&state->menu, ...) afterwards. */
void state_open_menu(struct ui_state *state, const struct menu_use *use, const char *title,
		     bool is_bottom);

/* Queues a request. The newest of a kind replaces the older, so nothing is lost that still
 * matters. */
void state_request(struct ui_state *state, enum request_kind kind, uint32_t value,
		   uint64_t value_ns);
/* Shows what was counted in @range from now on, end_ns 0: live. */
void state_show_time(struct ui_state *state, struct time_range range);
/* The window that was chosen in the past is not shown yet. */
bool state_is_time_waiting(const struct ui_state *state);
/* What the rows are of, as far as it is known: where history is coarse that is not quite what was
 * chosen. end_ns 0: live. */
struct time_range state_shown_time(const struct ui_state *state);
/* How far history reaches by the last snapshot, which must be there; how its times are told. */
struct time_bounds state_time_bounds(const struct ui_state *state);
struct time_zero state_time_zero(const struct ui_state *state);
/* Asks the source, which must be there, for another event, rate or target. */
void state_change_source(struct ui_state *state, enum source_change_kind kind, const char *text);
/* Its answer: 0 or -errno with @why. */
void state_source_changed(struct ui_state *state, int err, const struct diag *why);

/* The one process that is sampled, as the rows on the screen say: it may be another later. 0: none,
 * or several. */
pid_t state_target_pid(const struct ui_state *state);
/* Why there can be no probes at all, "" when there can. */
const char *state_probe_refusal(const struct ui_state *state);
/* Queues @order; its number (but of PROBE_CANCEL) and time are filled in. Returns the number; 0,
 * and it is said: there are no probes here, or too many orders wait. */
uint64_t state_probe_order(struct ui_state *state, const struct probe_order *order);
/* What @probe was ordered last, of ON, OFF, BURSTS, LIFT and REMOVE, while no snapshot shows what
 * came of it: paused there is none. NULL: nothing. BORROWED until the next order or snapshot. */
const struct probe_ordered *state_probe_ordered(const struct ui_state *state,
						const struct snapshot_probe *probe);
/* Forgets those orders whose outcome is in @fresh. */
void state_probes_shown(struct ui_state *state, const struct snapshot *fresh);
/* An answer of the engine. */
void state_probe_answered(struct ui_state *state, const struct probe_answer *answer);
/* The probe at the cursor of the list or of the log of all, or the one whose figures are shown;
 * NULL: none. BORROWED until the next snapshot. */
const struct snapshot_probe *state_probe(const struct ui_state *state);
/* Goes on to the figures of @probe; NULL: to the log of all. */
void state_open_probe(struct ui_state *state, const struct snapshot_probe *probe);
/* A page of text about @hit, over its log. */
void state_open_hit(struct ui_state *state, const struct snapshot_hit *hit);
/* Id of the probe whose figures, or hits as samples, are asked for; PROBE_ALL: the log of
 * all is; 0: none. */
uint32_t state_probe_here(const struct ui_state *state);
/* Goes back out of all levels of that probe, to where it was opened. */
void state_leave_probe(struct ui_state *state);
/* The same when the snapshot on the screen, the answer to what was asked last, has no such probe
 * any more: what would be shown in its place are samples. */
void state_leave_removed(struct ui_state *state);
/* Its hits are asked for, in the place of samples. */
bool state_probe_hits(const struct ui_state *state);
/* Tells at the bottom of the screen which probe went over its cap, or has a file that became
 * another, from @old (NULL: none) to @fresh. */
void state_tell_trouble(struct ui_state *state, const struct snapshot *old,
		       const struct snapshot *fresh);

/* The answer to a key, shown at the bottom until the next one. */
void state_say(struct ui_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
