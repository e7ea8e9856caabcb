/* probe_panel.h - the panel that turns a function into a probe: what, where, with which values, at
 * what cost. Opens at once; what the engine finds out is filled in as it comes.
 *
 * Use:    probe_panel_open_row() of a function under the cursor, probe_panel_open_spec() of what
 *         was typed or found. While it is open it has the keyboard; what it orders goes out by
 *         state_probe_order(). The refresh goes on underneath.
 * Thread: the ui's.
 */
#ifndef UI_PROBE_PANEL_H
#define UI_PROBE_PANEL_H

#include "analyzer/snapshot.h"
#include "probe/probe_engine.h"
#include "ui/canvas.h"
#include "ui/keys.h"
#include "ui/prompt.h"

struct ui_state;

#define PANEL_ITEMS 32		/* what can have the cursor: more than choices, values, buttons */
#define PANEL_NAME_BYTES 160
#define PANEL_WHY_BYTES	 200
#define PANEL_CAPS 5		/* that are offered: four, and the command line's */
#define PANEL_HINTS 4
#define PANEL_HINT_BYTES (PANEL_NAME_BYTES + 32)

/* How a place is probed: a bit per enum probe_edge. */
#define PANEL_EDGES_ALL (1u << PROBE_ENTRY | 1u << PROBE_RETURN | 1u << PROBE_LATENCY)

enum panel_part {
	PANEL_WHAT,		/* index: enum probe_edge */
	PANEL_WHERE,		/* index: enum probe_reach */
	PANEL_STACKS,
	PANEL_VALUE,		/* index: of `offered` */
	PANEL_CAP,		/* index: of `caps_pct`; behind the last of them bursts */
	PANEL_FILTER,
	PANEL_CONFIRM,		/* probe_panel_word(), to be typed */
	PANEL_BUTTON,		/* index: enum panel_button */
};

enum panel_button { BUTTON_ATTACH, BUTTON_COUNT, BUTTON_DRY_RUN, BUTTON_CANCEL, BUTTONS };

struct panel_item {
	enum panel_part part;
	int index;
};

struct probe_panel {
	bool is_open;
	struct probe_spec spec;	/* the place; what is chosen below is added when it is ordered */
	char name[PANEL_NAME_BYTES], object[PANEL_NAME_BYTES];	/* as shown */
	pid_t pid;		/* whose row it was; 0: of several */
	unsigned int edges;	/* a bit per enum probe_edge that the place has */

	/* chosen: */
	enum probe_edge edge;
	enum probe_reach reach;
	bool with_stacks;
	bool is_chosen[PROBE_VALUES_MAX];	/* of answer.offered */
	int cap;		/* of `caps_pct`; cap_count: the default cap, but attached 1 s in
				 * 10 only */
	bool has_chosen_cap;	/* the user did: nothing needs to be asked */
	struct prompt filter, confirm;
	char filter_why[PANEL_WHY_BYTES];	/* what is wrong with what is chosen, above all
						 * with the filter; "": nothing */
	bool shows_plan;	/* the dry run's lines */

	uint64_t number;	/* of the last PROBE_EXAMINE; 0: the engine was not asked */
	struct probe_choice examined;	/* what was asked then */
	bool has_answer, is_stale;	/* stale: the last answer is of choices before */
	struct probe_answer answer;
	bool counts_only;	/* that button was pressed: neither latency, stacks nor values */
	bool is_attaching;	/* Enter was pressed before the verdict was there */
	bool has_warned;	/* of VERDICT_ASKS, or of what is over the cap: the next Enter
				 * attaches it all the same */
	bool may_ease;		/* what asks for caution becomes calls only: nothing is known yet,
				 * and neither values nor a filter were asked for */
	char caution[256];	/* why it became calls only; "": it did not */

	double caps_pct[PANEL_CAPS];	/* of one CPU, above which it is switched off, rising;
					 * INFINITY: never */
	int cap_count, default_cap;

	struct panel_item focus;
	struct {		/* at the last draw, for clicks */
		struct panel_item item;
		int x, y, width;
	} places[PANEL_ITEMS];
	size_t place_count;
	int top;		/* first of its lines that is shown, on a small screen */
};

/* The sentence why @row can't be probed, "" when it can. Into @out[PANEL_WHY_BYTES]; returns it. */
char *probe_panel_row_refusal(const struct snapshot_row *row, char *out);

/* Opens it for a function that probe_panel_row_refusal() lets through. @pid: the process that is
 * meant, 0: all. */
void probe_panel_open_row(struct ui_state *state, const struct snapshot_row *row, pid_t pid);
/* Opens it for a parsed spec; its arguments and condition are chosen already. @pid: as in struct
 * probe_choice, 0: no process in particular. */
void probe_panel_open_spec(struct ui_state *state, const struct probe_spec *spec, pid_t pid);
/* What its function is called, where the spec has another name for it: demangled. */
void probe_panel_call(struct probe_panel *panel, const char *name);
/* Closes it; what was being found out is cancelled. */
void probe_panel_close(struct ui_state *state);

void probe_panel_press(struct ui_state *state, int key);
void probe_panel_click(struct ui_state *state, const struct mouse *mouse);
/* Pasted text is meant for it. */
bool probe_panel_takes_text(const struct probe_panel *panel);
/* An answer to its number; others are not its business. */
void probe_panel_answered(struct ui_state *state, const struct probe_answer *answer);

/* What it would order now, into *@out. @counts_only: without latency, stacks and values, and
 * without a filter that asks for them. 0; -EINVAL: a sentence says what is wrong, above all with
 * the filter (columns count in it), which is left out then. */
int probe_panel_choice(const struct probe_panel *panel, bool counts_only, struct probe_choice *out,
		       struct diag *why);
/* The spec of a row that probe_panel_row_refusal() lets through. */
void probe_panel_row_spec(const struct snapshot_row *row, struct probe_spec *out);
/* How the place of @spec can be probed: a bit per enum probe_edge. */
unsigned int probe_panel_edges(const struct probe_spec *spec);
/* Can @fetch, one of answer.offered, be had with what is chosen? */
bool probe_panel_has_value(const struct probe_panel *panel, const struct probe_fetch *fetch);
/* The argument of panel->spec that @fetch is, BORROWED; NULL: it was not typed. */
const struct probe_argument *probe_panel_typed(const struct probe_panel *panel,
					       const struct probe_fetch *fetch);
/* Is @argument of panel->spec brought along, though it is not among what the place offers? */
bool probe_panel_is_extra(const struct probe_panel *panel, const struct probe_argument *argument);

/* What is to be typed to insist: its name, or "yes" where that can't be typed. BORROWED. */
const char *probe_panel_word(const struct probe_panel *panel);
/* It must be typed, and was not yet. */
bool probe_panel_wants_word(const struct probe_panel *panel);

/* False: it can't be attached, so there is no cap to choose. */
bool probe_panel_has_caps(const struct probe_panel *panel);
/* Does it cost more than the chosen cap allows, as far as that is known? */
bool probe_panel_is_over_cap(const struct probe_panel *panel);
/* What the keys do now, Enter first, into @out; returns how many there are. */
int probe_panel_hints(const struct probe_panel *panel, char out[PANEL_HINTS][PANEL_HINT_BYTES]);

/* What can have the cursor, in the order of Tab, into @out[PANEL_ITEMS]; returns how many. */
size_t probe_panel_items(const struct probe_panel *panel, struct panel_item *out);
bool probe_panel_is_focus(const struct probe_panel *panel, enum panel_part part, int index);

/* Draws the box within the lines @top..@bottom (exclusive). */
void probe_panel_draw(struct probe_panel *panel, struct canvas *canvas, int top, int bottom);

#endif
