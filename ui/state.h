/* state.h - the screen's state; keys and snapshots go in, frames and requests come out.
 *
 * Use:    needs no terminal, no threads: ui/screen.c feeds it, ui/frame.c draws it, tests do both.
 * Rows:   a query asks the analyzer for them; until its reply arrives the old rows stay on the
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
#include "breadcrumbs.h"
#include "overlay.h"
#include "share/shared_format.h"
#include "widgets/time_range.h"
#include "ui/launch.h"
#include "widgets/group_order.h"
#include "ui/keymap.h"
#include "term/keys.h"
#include "ui/probe_control.h"
#include "widgets/prompt.h"
#include "ui/theme.h"
#include "widgets/activity_graph.h"
#include "view.h"
#include "widgets/hits.h"
#include "widgets/menu.h"
#include "widgets/table_rows.h"

#define STATE_MESSAGE_BYTES 240
#define STATE_OUTBOX	    10	/* number of request kinds: at most one of each is queued */
#define STATE_DEFERRED	    64
#define STATE_VISITED	    64	/* busy moments that the key J has gone to */
#define STATE_REQUESTS	    8	/* probe requests queued between two turns of the event loop */

/* What an open prompt is for. The text is in state->prompt.text. */
struct prompt_use {
	const char *label;
	int id;			/* for the caller's use */
	void (*edited)(struct ui_state *state);		/* NULL: nothing to do */
	void (*accepted)(struct ui_state *state);
	void (*cancelled)(struct ui_state *state);	/* NULL: nothing to do */
	void (*refreshed)(struct ui_state *state);	/* after new rows; NULL: nothing to do */
	/* Tab with @step 1, Shift-Tab with -1; NULL: they do nothing. */
	void (*tab)(struct ui_state *state, int step);
};

/* The last request sent for a probe, kept until a snapshot shows its outcome. */
struct probe_sent {
	uint32_t probe;		/* probe id; 0: unused entry */
	enum probe_request_kind kind;
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

/* A group of a probe's hits; copied for a menu, as rows change. */
struct menu_group {
	uint64_t id;		/* snapshot_group.id; 0: none */
	char name[BREADCRUMBS_NAME_BYTES];
};

/* What an open menu is for. */
struct menu_use {
	void (*chosen)(struct ui_state *state, const struct menu_item *item);
};

/* A drag over the activity graph or the heat map, while the left button is held. */
struct time_drag {
	bool is_on;
	bool is_in_heat;		/* began in the heat map, otherwise in the activity graph */
	struct time_range from;		/* the cell where the drag began */
	struct time_range range;	/* from that cell to the one under the mouse */
};

/* Keys that wait for rows. */
struct deferred_keys {
	int keys[STATE_DEFERRED];
	size_t count;
};

/* What is asked of the analyzer. */
struct ui_query {
	uint64_t number;		/* the last query's */
	bool wants_restore;		/* on its reply, restore the cursor from the breadcrumbs */
	struct breadcrumbs breadcrumbs;
	unsigned int keys[VIEW_COUNT];	/* enum row_key bits of the rows; -s changes the symbols */
	struct group_order groups;	/* levels of the group tree */
	bool show_idle, hide_kernel, hide_user;
	bool raw_names;			/* show symbols mangled, as in the symbol tables */
	bool is_relative;		/* percentages of what breadcrumbs and filters leave */
	enum window_kind window;
	uint64_t window_ns;
	uint64_t interval_ns;
	bool is_paused;
	bool is_zeroed;			/* "since start" counts from the zero key */
	struct time_range time;		/* range selected in the past; end_ns 0: live or paused */
	bool wants_heat;		/* heat map switched on; drawn where there is room */
	struct comparing compare;
	uint32_t sample_event;	/* index of the event shown when no probe's hits are */
	uint32_t asked_event;	/* index of the event last requested from the analyzer */
	const char *first_weight;	/* the hits' weight until the user chooses one, if their
					 * probe has it: "sum(bytes)"; NULL: 1. BORROWED */
	uint32_t weighed_probe;	/* probe whose hits weigh `hit_weight`; 0: none was chosen */
	unsigned int hit_weight;	/* enum hit_weight */
	enum view_kind call_kind;	/* the view of samples shown last: symbols, tree or flame
					 * graph */
};

/* How rows are shown, and what the last frame showed where. */
struct display {
	struct table_order orders[VIEW_COUNT];
	struct table_order compared_orders[VIEW_COUNT];	/* used while rows are compared */
	struct column_choice choice;
	const struct theme *theme;
	uint64_t history_bytes;		/* memory limit of the history; 0: unknown */
	uint64_t wall_offset_ns;	/* clock_wall_offset_ns() at start: shown times stay put */
	bool is_mouse_off;
	bool is_click_spent;		/* a menu used the press: ignore a double click after it */
	struct hits hits;
	struct time_scale activity, heat;	/* time of each drawn cell, for the mouse */
	struct time_drag drag;
	bool heat_room;			/* the last frame had room for the heat map */
	int width, height;		/* the last frame's, in cells */
};

/* What the loop knows of the recording. */
struct recording_state {
	bool can_record;
	bool is_there;			/* it goes on, or is being ended */
	bool is_ending;
	bool is_stalled;		/* its disk takes nothing */
	uint64_t bytes, lost;
};

/* Messages that the loop sends, and what else it is to do. */
struct outbox {
	struct request requests[STATE_OUTBOX];	/* for the analyzer; the loop empties it */
	size_t count;
	uint64_t sources_hash;	/* hash of the last list of source lines requested; 0: none */
	struct probe_request probe_requests[STATE_REQUESTS];	/* requests to the engine */
	size_t probe_count;
	uint64_t probe_number;	/* number of the last probe request */
	struct probe_sent sent[PROBE_SLOTS];
	uint64_t adding;	/* number of the newest PROBE_ADD until its last reply; 0: none */
	struct probe_tally tallies[STATE_REQUESTS];	/* outcomes of recent PROBE_ADD requests */
	bool wants_stacks;	/* the loop has the window written to save_path, */
	enum shared_format save_format;	/* in this format */
	char save_path[PROMPT_BYTES];
	const char *save_end;	/* the end of the last name given to the key; NULL: none was */
	bool wants_record;	/* the loop begins a recording in record_path, */
	bool wants_record_end;	/* or ends it */
	char record_path[PROMPT_BYTES];
	bool wants_clipboard;	/* the loop copies `clipboard` to the terminal's clipboard */
	char clipboard[COMMAND_LINE_BYTES];
	bool wants_quit, wants_repaint;	/* read by the loop, which clears wants_repaint */
};

struct ui_state {
	const struct snapshot *shown;	/* NULL: none arrived yet */
	enum view_kind shown_kind;	/* the view that the rows of `shown` belong to */
	struct ui_query query;
	struct display display;
	struct outbox out;
	bool is_changed;	/* a new frame must be drawn */

	/* Time. */
	bool is_on_time;		/* the last moving key moved in time, not in the rows */
	struct time_range visited[STATE_VISITED];	/* by J since last live, oldest first */
	size_t visited_count;

	/* The source. */
	bool is_command_ended;
	bool is_source_changing;
	struct source_change change;	/* the last change requested */
	struct recording_state recording;
	struct launch launch;	/* the source's command line words, kept up to date */
	const struct source_control *source;	/* NULL: a recording. BORROWED, like the next */
	const struct probe_control *probe_control;	/* NULL: a recording */
	const struct finder_control *finder_control;	/* NULL: no finder */
	const struct threads_control *threads_control;	/* NULL: a recording */
	const struct keep_control *keep_control;	/* BORROWED; NULL: none */
	struct keep_status keep_status;	/* wanted_s 0: nothing is held */

	/* Views. */
	const struct view_spec *specs;	/* by kind of view */
	struct view *views[VIEW_COUNT];	/* owned; kinds with the same functions share one */
	struct view *pages[PAGE_COUNT];	/* owned */
	struct view *view;		/* the view on the screen: one of those, or of their own */

	/* Overlays, and what their texts are for. */
	const struct overlay_ops *const *overlay_ops;	/* by enum overlay_kind */
	void *overlays[OVERLAY_COUNT];	/* owned; NULL: it has only functions */
	struct prompt prompt;
	const struct prompt_use *prompt_use;
	struct menu menu;
	const struct menu_use *menu_use;
	uint32_t menu_probe;		/* id of the menu's or question's probe; may be removed */
	struct filter_part menu_parts[FILTER_PARTS];	/* copied for a row menu: rows change */
	struct cursor_way menu_way;	/* copied for a row menu: rows change */
	struct menu_group menu_group;
	char search[PROMPT_BYTES];	/* "": none */
	const struct view *searched;	/* the view that `search` was typed in */
	char search_before[PROMPT_BYTES];	/* restored when the search prompt is cancelled */
	char filter_before[PROMPT_BYTES];	/* text of the filter that is being edited */
	char message[STATE_MESSAGE_BYTES];	/* reply to the last key; "": none */

	/* Keys. */
	const struct keymap *keymap;	/* BORROWED */
	struct deferred_keys deferred;
	const struct command *chosen;	/* to be run next: a line of the palette; NULL: none */
	char argument[MENU_TYPED_BYTES];	/* typed after its name; "": nothing */
	unsigned int old_keys_said;	/* a bit per entry of old_keys[] already explained */
};

/* Sets defaults and creates the views of @specs, the @pages and the @overlays. The caller then sets
 * window, interval, theme, keymap, the controls and the filter of the breadcrumbs. Query 0 is the
 * one that the analyzer began with. Returns 0 or -ENOMEM; state_finish() is due in both cases. */
int state_init(struct ui_state *state, const struct view_spec *specs,
	       const struct view_ops *const *pages, const struct overlay_ops *const *overlays);
/* Begins with the samples inside @calls of the first probe of a latency, on a level that Esc
 * leaves; INSIDE_NONE: with all. Query 0 must ask for the same. */
void state_begin_inside(struct ui_state *state, enum inside_calls calls);
/* Makes @kind the first view. Call before the first snapshot; query 0 must be for that view. */
void state_begin_with(struct ui_state *state, enum view_kind kind);
void state_finish(struct ui_state *state);	/* the shown snapshot stays the caller's */

/* Offers the newest snapshot. Returns the one no longer needed (the one shown before, or @fresh
 * itself if it is not shown, as when paused); the caller destroys it. May be NULL. */
const struct snapshot *state_offer_snapshot(struct ui_state *state, const struct snapshot *fresh);

/* Updates the views after the sort order, the columns or the snapshot changed. */
void state_refresh_view(struct ui_state *state);

/* Queues a query for the rows of the last level of the breadcrumbs. */
void state_ask(struct ui_state *state);
/* True while the rows on the screen are not those of the last query. */
bool state_is_waiting(const struct ui_state *state);
/* Returns the kind of view that the last level of the breadcrumbs shows. */
enum view_kind state_kind(const struct ui_state *state);
/* True if that view shows samples; false: it shows probes. */
bool state_shows_samples(const struct ui_state *state);
/* Returns the place of keys pressed now: of the view queried, which may not be shown yet. */
enum view_place state_place(const struct ui_state *state);
/* Returns the columns that the view's rows can have. */
struct column_set state_columns(const struct ui_state *state);
/* Returns the keys of the rows of the last level of the breadcrumbs, by event if EVENT is shown. */
unsigned int state_row_keys(const struct ui_state *state);
/* Returns COLUMN_BIT() of each that has no content now, whatever the user chose to see. */
uint64_t state_unable_columns(const struct ui_state *state);
/* Returns the ratio that trees show after TOTAL%: the first that the user has chosen. NULL: none.
 * BORROWED from the snapshot on the screen. */
const struct event_ratio *state_tree_ratio(const struct ui_state *state);
/* Returns the sort order of the rows on the screen; compared rows have an order of their own, and
 * rows of several events are sorted by SAMPLES instead of by weights. */
const struct table_order *state_order(const struct ui_state *state);
void state_set_order(struct ui_state *state, struct table_order order);
/* True when the rows on the screen are compared with the baseline. */
bool state_is_compared(const struct ui_state *state);
/* Drops the baseline, here and in the analyzer. The caller must queue a query afterwards. */
void state_forget_baseline(struct ui_state *state);

/* Adds a level of @kind to the breadcrumbs, with @part added to the filter (NULL: the same filter).
 * On failure shows the reason as a message. */
void state_go(struct ui_state *state, enum view_kind kind, const struct filter_part *part);
/* Returns the event of @row's samples: where rows are of one event it is the one shown. */
uint32_t state_row_event(const struct ui_state *state, const struct snapshot_row *row);
/* Sets *@out to what opening the cursor's row does. False: no filter can select its samples. */
bool state_cursor_way(const struct ui_state *state, struct cursor_way *out);
/* Adds a level of @kind with the filter parts and event of @way; on failure shows the reason. */
void state_go_way(struct ui_state *state, enum view_kind kind, const struct cursor_way *way);
/* Opens the listing of a function: see breadcrumbs_push_listing(). */
void state_open_listing(struct ui_state *state, const struct source_request *of, const char *listed,
			const char *name);
/* Returns the direction of the tree that a query asks for. */
enum tree_direction state_tree_direction(const struct ui_state *state);
/* True when source lines are on: the SOURCE column of symbols, inlined functions in trees. */
bool state_has_lines(const struct ui_state *state);
/* Copies the row under the cursor to *@out; its texts are BORROWED until the next snapshot. A tree
 * node becomes a row without tasks. False: no row, as in the list of probes. */
bool state_cursor_row(const struct ui_state *state, struct snapshot_row *out);

/* Shows the last level of the breadcrumbs in another view. */
void state_show_kind(struct ui_state *state, enum view_kind kind);
/* Returns to the table that a tree, flame graph, groups or probes replaced; false: none did. */
bool state_show_table(struct ui_state *state);
/* Leaves the last level of the breadcrumbs. False: it is the only one. */
bool state_go_back(struct ui_state *state);

/* Shows @view, opened from the present one; state_close_view() goes back. */
void state_open_view(struct ui_state *state, struct view *view);
void state_close_view(struct ui_state *state);
/* Returns the lines of the call tree or group tree on the screen; NULL: neither is shown. */
struct tree_rows *state_tree_rows(struct ui_state *state);
/* True while a page of text covers the rows. */
bool state_is_page(const struct ui_state *state);

void state_open_prompt(struct ui_state *state, const struct prompt_use *use, const char *text);
/* Opens an empty menu. Add its lines with menu_add(&state->menu, ...) afterwards. */
void state_open_menu(struct ui_state *state, const struct menu_use *use, const char *title,
		     bool is_bottom);

/* Queues a request to the analyzer; a queued one of the same kind is obsolete and replaced. */
void state_request(struct ui_state *state, enum request_kind kind, uint32_t value,
		   uint64_t value_ns);
/* Requests what is to be written to save_path; the reply has that number as its stacks_wanted. */
uint32_t state_stacks_wanted(const struct ui_state *state);
void state_request_stacks(struct ui_state *state);
/* Requests the source lines that the view wants, unless it did already. Call after drawing. */
void state_request_sources(struct ui_state *state);
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
/* Queues a copy of @request with its time and (except for PROBE_CANCEL) number filled in. Returns
 * the number; 0, with a message shown: probes are impossible here, or too many are queued. */
uint64_t state_probe_request(struct ui_state *state, const struct probe_request *request);
/* Returns the last ON, OFF, BURSTS, LIFT or REMOVE request for @probe whose outcome no snapshot has
 * shown yet (none arrives while paused), or NULL. BORROWED until the next request or snapshot. */
const struct probe_sent *state_probe_sent(const struct ui_state *state,
					  const struct snapshot_probe *probe);
/* Handles a reply of the probe engine, but for what an overlay does with it. */
void state_probe_replied(struct ui_state *state, const struct probe_reply *reply);
/* Returns the probe at the cursor (list of probes, or log of all probes), or the one whose page is
 * shown, or NULL. BORROWED until the next snapshot. */
const struct snapshot_probe *state_probe(const struct ui_state *state);
/* Opens the page of @probe; NULL: the log of all probes. */
void state_open_probe(struct ui_state *state, const struct snapshot_probe *probe);
/* Shows the hits of one group of the probe whose page is shown, in a view of @kind. */
void state_open_group(struct ui_state *state, enum view_kind kind, const struct menu_group *group);
/* Shows what is inside @calls of @probe, which has latencies, in call_kind; where no event is
 * sampled beside probes, shows a message instead. */
void state_open_inside(struct ui_state *state, enum inside_calls calls,
		       const struct snapshot_probe *probe);
/* Returns the probe inside whose calls the samples of the last level of the breadcrumbs are. NULL:
 * they are all samples, or the probe is not attached yet. BORROWED until the next snapshot. */
const struct snapshot_probe *state_inside_probe(const struct ui_state *state);
/* Returns the probe whose page, or hits as samples, the last level of the breadcrumbs shows, also
 * where nothing but its hits is sampled; NULL: none. BORROWED until the next snapshot. */
const struct snapshot_probe *state_weighed_probe(const struct ui_state *state);
/* Returns what hits of state_weighed_probe() weigh (enum hit_weight). */
unsigned int state_hit_weight(const struct ui_state *state);
/* Chooses that weight, and queues a query. */
void state_set_hit_weight(struct ui_state *state, unsigned int weight);
/* Returns the id of the probe whose page, or hits as samples, the last level of the breadcrumbs is
 * for; PROBE_ALL: the log of all probes; 0: none. */
uint32_t state_probe_here(const struct ui_state *state);
/* Leaves all levels of state_probe_here(), back to the level where the probe was opened. */
void state_leave_probe(struct ui_state *state);
/* True when the last level of the breadcrumbs shows a probe's hits as samples. */
bool state_probe_hits(const struct ui_state *state);

/* Sets the message at the bottom of the screen, which the next key clears. */
void state_say(struct ui_state *state, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
