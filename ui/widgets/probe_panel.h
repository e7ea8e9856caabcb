/* probe_panel.h - the panel that turns a function into a probe: what, where, with which values, at
 * what cost. It opens at once; the engine's replies are filled in as they arrive.
 *
 * Use:    probe_panel_open_row() for a function under the cursor, probe_panel_open_spec() for what
 *         was typed or found. While open it has the keyboard; its requests go through
 *         state_probe_request(). The refresh goes on underneath.
 * Thread: the ui's.
 */
#ifndef UI_PROBE_PANEL_H
#define UI_PROBE_PANEL_H

#include "state.h"

#define PANEL_ITEMS 32		/* focusable items: more than choices, values, buttons */
#define PANEL_NAME_BYTES 160
#define PANEL_WHY_BYTES	 200
#define PANEL_WORD_BYTES 128	/* names so long are not typed to confirm: "yes" is */
#define PANEL_CAPS 5		/* caps offered: four, and the command line's */
#define PANEL_HINTS 4
#define PANEL_HINT_BYTES (PANEL_NAME_BYTES + 32)

/* All ways to probe a place: a bit per enum probe_edge. */
#define PANEL_EDGES_ALL (1u << PROBE_ENTRY | 1u << PROBE_RETURN | 1u << PROBE_LATENCY)

enum panel_part {
	PANEL_WHAT,		/* index: enum probe_edge */
	PANEL_WHERE,		/* index: enum probe_reach */
	PANEL_STACKS,
	PANEL_VALUE,		/* index into reply.offered */
	PANEL_CAP,		/* index into caps_pct; cap_count: bursts */
	PANEL_FILTER,
	PANEL_CONFIRM,		/* input line for probe_panel_word() */
	PANEL_BUTTON,		/* index: enum panel_button */
};

enum panel_button { BUTTON_ATTACH, BUTTON_COUNT, BUTTON_DRY_RUN, BUTTON_CANCEL, BUTTONS };

struct panel_item {
	enum panel_part part;
	int index;
};

struct probe_panel {
	bool is_open;
	struct probe_spec spec;	/* the place; choices below are added by probe_panel_choice() */
	char groups[PROBE_SPEC_BYTES];	/* keys and aggregates of the spec that was opened, which
					 * stay as they are: " by comm : sum(bytes)" */
	uint32_t grouped;	/* a bit per argument of `spec` that they use */
	char name[PANEL_NAME_BYTES], dso[PANEL_NAME_BYTES];	/* as shown */
	pid_t pid;		/* process of the row; 0: several, or none in particular */
	unsigned int edges;	/* a bit per enum probe_edge that the place has */

	/* The user's choices. */
	enum probe_edge edge;
	enum probe_reach reach;
	bool with_stacks;
	bool is_chosen[PROBE_OFFERED_MAX];	/* by index into reply.offered */
	int cap;		/* index into caps_pct; cap_count: bursts, with the default cap and
				 * attached only 1 s in 10 */
	bool has_chosen_cap;	/* the user chose the cap: no question about the cost */
	struct prompt filter, confirm;
	char filter_why[PANEL_WHY_BYTES];	/* the fault in the choices, mostly in
						 * the filter; "": nothing */
	bool shows_plan;	/* the lines of the dry run are shown */

	uint64_t number;	/* the last PROBE_EXAMINE request; 0: none was sent */
	struct probe_choice examined;	/* choices in that request */
	bool has_reply, is_stale;	/* stale: `reply` is for earlier choices */
	struct probe_reply reply;
	bool counts_only;	/* BUTTON_COUNT was pressed: no latency, stacks or values */
	bool is_attaching;	/* Enter was pressed before the verdict arrived: attach then */
	bool has_warned;	/* the user was warned (VERDICT_ASKS, cost over the cap): the next
				 * Enter attaches all the same */
	bool may_ease;		/* the first verdict, if it asks for caution, may reduce the probe
				 * to calls only: the user chose no edge, values or filter */
	char caution[256];	/* why the probe was reduced to calls only; "": it was not */

	double caps_pct[PANEL_CAPS];	/* % of one CPU above which the probe is switched off,
					 * ascending; INFINITY: never */
	int cap_count, default_cap;

	struct panel_item focus;
	struct {		/* at the last draw, for clicks */
		struct panel_item item;
		int x, y, width;
	} places[PANEL_ITEMS];
	size_t place_count;
	int top;		/* first line shown, on a small screen */
};

extern const struct overlay_ops probe_panel_ops;

static inline struct probe_panel *probe_panel_of(const struct ui_state *state)
{
	return state->overlays[OVERLAY_PROBE_PANEL];
}

/* Writes why @row can't be probed, "" if it can, to @out[PANEL_WHY_BYTES]; returns @out. */
char *probe_panel_row_refusal(const struct snapshot_row *row, char *out);

/* Opens the panel for a row that probe_panel_row_refusal() accepts. @pid: the process to probe, 0:
 * all. */
void probe_panel_open_row(struct ui_state *state, const struct snapshot_row *row, pid_t pid);
/* Opens the panel for a parsed spec, with its arguments and condition chosen. @pid: as in struct
 * probe_choice; 0: no process in particular. */
void probe_panel_open_spec(struct ui_state *state, const struct probe_spec *spec, pid_t pid);
/* Sets the function's name to show, if it differs from the one in the spec: the demangled one. */
void probe_panel_call(struct probe_panel *panel, const char *name);
/* Closes the panel and cancels an examination under way. */
void probe_panel_close(struct ui_state *state);

/* The functions of probe_panel_ops, which is in probe_panel_draw.c. */
void probe_panel_press(struct ui_state *state, int key);
bool probe_panel_click(struct ui_state *state, const struct mouse *mouse);
/* True if pasted text goes into a line of the panel. */
bool probe_panel_takes_text(const struct probe_panel *panel);
/* Handles a reply to PROBE_EXAMINE; replies to other numbers are ignored. */
void probe_panel_replied(struct ui_state *state, const struct probe_reply *reply);

/* Sets *@out to the choice the panel would attach now. @counts_only: without latency, stacks,
 * values, and without a filter that needs them. Returns 0, or -EINVAL with @why set (mostly about
 * the filter, in whose columns it counts); *@out then lacks the filter. */
int probe_panel_choice(const struct probe_panel *panel, bool counts_only, struct probe_choice *out,
		       struct diag *why);
/* Makes the spec of a row that probe_panel_row_refusal() accepts. */
void probe_panel_row_spec(const struct snapshot_row *row, struct probe_spec *out);
/* Returns how the place of @spec can be probed: a bit per enum probe_edge. */
unsigned int probe_panel_edges(const struct probe_spec *spec);
/* True if @fetch is what a function returns. */
bool probe_panel_is_returned(const struct probe_fetch *fetch);
/* True if @fetch, one of reply.offered, is available with the present choices. */
bool probe_panel_has_value(const struct probe_panel *panel, const struct probe_fetch *fetch);
/* Returns the argument of panel->spec that means @fetch, BORROWED; NULL: it was not typed. */
const struct probe_argument *probe_panel_typed(const struct probe_panel *panel,
					       const struct probe_fetch *fetch);
/* True if @argument of panel->spec is fetched though it is not among the values offered. */
bool probe_panel_is_extra(const struct probe_panel *panel, const struct probe_argument *argument);

/* Returns the word to type as confirmation: the name, or "yes" if that can't be typed. BORROWED. */
const char *probe_panel_word(const struct probe_panel *panel);
/* True if that word must be typed and was not yet. */
bool probe_panel_wants_word(const struct probe_panel *panel);

/* True if caps are offered: false once it is known that the probe can't be attached. */
bool probe_panel_has_caps(const struct probe_panel *panel);
/* True if the probe is known to cost more than the chosen cap allows. */
bool probe_panel_is_over_cap(const struct probe_panel *panel);
/* Writes hints about what the keys do now to @out, Enter first; returns how many there are. */
int probe_panel_hints(const struct probe_panel *panel, char out[PANEL_HINTS][PANEL_HINT_BYTES]);

/* True if the item of @part and @index has the focus. */
bool probe_panel_is_focus(const struct probe_panel *panel, enum panel_part part, int index);

#endif
