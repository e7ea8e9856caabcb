/* header.c - see header.h. */
#include "header.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "activity_graph.h"
#include "base/clock.h"
#include "counter_line.h"
#include "format.h"
#include "hit_weight.h"
#include "pieces.h"
#include "tabs.h"

#define WIDE_CELLS  100		/* from this width on, identity and quantities share a line */
#define ACTIVITY_LINES 16	/* lowest screen with room for the activity graph */
#define ACTIVITY_CELLS 20	/* least width of the graph; states are dropped before */
#define NAME_CELLS  10		/* "flametop" and a gap */
#define NAMED_CELLS 38		/* narrowest line with room for the name */
#define LIVE_CELLS  32		/* narrowest graph with room for the word "live" */
#define HEAT_TABLE  10		/* lines kept below the heat map: titles, 8 rows, bottom line */
#define HEAT_LEAST  2		/* fewest lines of the heat map */
#define EXACT_CELLS 120		/* narrowest screen with times to the millisecond */
#define LABEL_CELLS 60		/* a screen of so many has room for what the lines stand for */
#define GAP	    " \u00b7 "
#define MORE	    "! more"	/* the rest, or what helps, is a key away */
#define MISSING_PCT  10		/* a smaller share of missing ticks or unseen waits is in the loss
				 * view only */
#define COUNTER_RANK 3		/* from here on pieces that MORE stands for as well */

const char *header_window_name(char out[HEADER_WINDOW_BYTES], enum window_kind window,
			       double seconds, bool is_zeroed)
{
	char number[FORMAT_BYTES];

	switch (window) {
	case WINDOW_SECONDS:
	case WINDOW_INTERVAL:
		snprintf(out, HEADER_WINDOW_BYTES, "last %s", format_duration(number, seconds));
		return out;
	case WINDOW_ALL:
		return is_zeroed ? "since zero" : "since start";
	case WINDOW_DECAY:
		break;
	}
	return "decaying, half in 5 s";
}

static bool has_absence(const struct snapshot *snapshot)
{
	return snapshot->absent_events && snapshot->absent_events[0];
}

/* Adds the events that are absent; the messages view has all of them, with reasons. */
static void list_absences(const struct snapshot *snapshot, struct pieces *list)
{
	const char *at = snapshot->absent_events;
	struct snapshot_absence first, next;
	char more[32] = "";
	int count = 0;

	if (!snapshot_next_absence(&at, &first))
		return;
	while (snapshot_next_absence(&at, &next))
		count++;
	if (count)
		snprintf(more, sizeof(more), " and %d more", count);
	pieces_add(list, 1, ROLE_LOSS, "%.*s%s <not supported>", first.event_bytes, first.event,
		   more);
}

static void list_identity(const struct snapshot *snapshot, struct pieces *list)
{
	char rate[64] = "", number[64] = "";

	if (snapshot->is_wall && snapshot->freq_hz)
		snprintf(rate, sizeof(rate), " %" PRIu64 " Hz, waits from %g ms",
			 snapshot->freq_hz, (double)snapshot->fixed_period / 1e6);
	else if (snapshot->is_of_waits && snapshot->fixed_period)
		snprintf(rate, sizeof(rate), " from %g ms", (double)snapshot->fixed_period / 1e6);
	else if (snapshot->freq_hz)
		snprintf(rate, sizeof(rate), " %" PRIu64 " Hz", snapshot->freq_hz);
	else if (snapshot->fixed_period > 1)
		snprintf(rate, sizeof(rate), " every %" PRIu64, snapshot->fixed_period);
	if (snapshot->event_count > 1)
		snprintf(number, sizeof(number), " (%" PRIu32 " of %" PRIu32 ")",
			 snapshot->event_index + 1, snapshot->event_count);
	pieces_add(list, 4, ROLE_TEXT, "%s", snapshot->host);
	pieces_add(list, 1, ROLE_TEXT, "%s%s%s", snapshot->event, rate, number);
	pieces_add(list, snapshot->is_replay ? 1 : 2, snapshot->is_replay ? ROLE_STATE : ROLE_TEXT,
		   "%s", snapshot->target);
	list_absences(snapshot, list);
}

#define READING_CELLS 10	/* the bar that shows how much of a recording was read */
#define READING_BYTES 64

/* Formats how much of the recording was read: "680 MB of 2.0 GB". Returns @out. */
static char *format_reading(char out[READING_BYTES], const struct snapshot *snapshot)
{
	char bytes[FORMAT_BYTES], total[FORMAT_BYTES];

	format_bytes(bytes, snapshot->read_bytes);
	if (snapshot->read_total_bytes)
		snprintf(out, READING_BYTES, "%s of %s", bytes,
			 format_bytes(total, snapshot->read_total_bytes));
	else
		snprintf(out, READING_BYTES, "%s unpacked", bytes);
	return out;
}

/* Adds how much of the recording was read, in bytes and in time, if that is not all of it. */
static void list_reading(const struct ui_state *state, struct pieces *list)
{
	const struct snapshot *snapshot = state->shown;
	const uint64_t total = snapshot->read_total_bytes;
	const uint64_t read = snapshot->read_bytes < total ? snapshot->read_bytes : total;
	const int cells = total ? (int)((double)READING_CELLS * (double)read / (double)total) : 0;
	char bar[3 * READING_CELLS + 2] = "", text[READING_BYTES], time[FORMAT_BYTES];

	if (!snapshot->is_reading && !snapshot->is_cut_short)
		return;
	for (int i = 0; total && i < READING_CELLS; i++)
		strcat(bar, i < cells ? "\u2588" : "\u2591");
	if (total)
		strcat(bar, " ");
	pieces_add(list, 1, ROLE_STATE, "%s%s%s", snapshot->is_reading ? "reading " : "read only ",
		   snapshot->is_reading ? bar : "", format_reading(text, snapshot));
	if (snapshot->newest_ns > snapshot->known_ns)
		pieces_add(list, 5, ROLE_STATE, "%s", format_duration(time,
			   (double)(snapshot->newest_ns - snapshot->known_ns) / 1e9));
	if (snapshot->is_reading)
		pieces_add(list, 6, ROLE_DIM, "Esc stops");
}

/* Adds the time of the window, if it was selected. */
static void list_past(const struct ui_state *state, struct pieces *list)
{
	const struct time_range time = state_shown_time(state);
	struct time_zero zero = state_time_zero(state);
	char text[TIME_TEXT_BYTES];

	zero.is_exact = state->display.width >= EXACT_CELLS;
	time_text_range(text, &time, &zero);
	pieces_add(list, 1, ROLE_STATE, "%s%s", text, state_is_time_waiting(state) ? "\u2026" : "");
	time_text_ago(text, &time, &zero, state->shown->newest_ns);
	pieces_add(list, 2, ROLE_STATE, "(%s)", text);
}

static void list_quantities(const struct ui_state *state, struct pieces *list)
{
	const struct snapshot *snapshot = state->shown;
	const double complete_pct = snapshot_complete_pct(snapshot);
	char text[FORMAT_BYTES], window[HEADER_WINDOW_BYTES];

	list_reading(state, list);
	if (state->query.time.end_ns)
		list_past(state, list);
	else if (snapshot->is_selected)
		pieces_add(list, 1, ROLE_STATE, "live\u2026");	/* on its way */
	else
		pieces_add(list, 1, ROLE_TEXT, "%s",
			   header_window_name(window, snapshot->window, snapshot->window_s,
					      state->query.is_zeroed));
	if (!snapshot->is_selected && !state->query.time.end_ns &&
	    (snapshot->window == WINDOW_ALL || snapshot->window == WINDOW_DECAY))
		pieces_add(list, 5, ROLE_DIM, "%s", format_duration(text, snapshot->window_s));
	if (snapshot->is_of_waits)
		pieces_add(list, 2, ROLE_TEXT, "%7s %s", format_wait(text, snapshot->weight),
			   snapshot->is_wall ? "on and off CPU" : "off CPU");
	else if (hit_weight_is_shown(snapshot))
		pieces_add(list, 2, ROLE_TEXT, "%7s",
			   hit_weight_of_row(text, snapshot, snapshot->weight));
	pieces_add(list, hit_weight_is_shown(snapshot) ? 5 : 2, ROLE_TEXT, "%5s samples",
		   format_count(text, snapshot->samples));
	if (snapshot->busy_pct >= 0)
		pieces_add(list, 3, ROLE_TEXT, "busy %3.0f %%", snapshot->busy_pct);
	if (snapshot->stacks == STACKS_OFF)
		pieces_add(list, 5, ROLE_TEXT, "no stacks");
	else if (complete_pct >= 0)
		pieces_add(list, 5, ROLE_TEXT, "stacks %3.0f %%", complete_pct);
	if (snapshot->is_replay)
		return;
	pieces_add(list, 4, ROLE_TEXT, "own %4.1f %%", snapshot->own_cpu_pct);
	pieces_add(list, 6, ROLE_DIM, "%7s", format_bytes(text, snapshot->own_rss_bytes));
}

static void list_count(struct pieces *list, int rank, enum role role, uint64_t count,
		       const char *what)
{
	char text[FORMAT_BYTES];

	if (count)
		pieces_add(list, rank, role, "%s %s", format_count(text, count), what);
}

/* Returns the part of the threads' time of which a switch was not seen; 0 where the time is not
 * known. */
static double unseen_pct(const struct snapshot *snapshot)
{
	const double unseen = (double)snapshot->losses.counts[LOSS_WAIT_TIME].in_window;
	const double seen = (double)(snapshot->waits.blocked_ns + snapshot->waits.run_queue_ns);
	const bool is_known = seen > 0 || snapshot->waits.on_ns;

	return is_known && unseen > 0 ? 100 * unseen / (unseen + seen) : 0;
}

static void list_losses(const struct snapshot *snapshot, struct pieces *list)
{
	char text[FORMAT_BYTES];

	list_count(list, 1, ROLE_LOSS, snapshot->lost_kernel, "lost");
	list_count(list, 3, ROLE_LOSS, snapshot->lost_malformed, "malformed");
	list_count(list, 3, ROLE_LOSS, snapshot->lost_late, "late");
	list_count(list, 3, ROLE_LOSS, snapshot->unattributed, "unattributed");
	list_count(list, 3, ROLE_LOSS, snapshot->filtered_unknown_uid, "of unknown user");
	list_count(list, 3, ROLE_LOSS,
		   snapshot->losses.counts[LOSS_WAIT_THREADS].since_start +
			   snapshot->losses.counts[LOSS_WAIT_CHILDREN].since_start,
		   "not watched");
	list_count(list, 3, ROLE_LOSS, snapshot->evicted_samples, "evicted");
	list_count(list, 3, ROLE_LOSS,
		   snapshot->losses.counts[LOSS_MAPPINGS].since_start +
			   snapshot->losses.counts[LOSS_DSOS].since_start +
			   snapshot->losses.counts[LOSS_NAMES].since_start, "over budget");
	list_count(list, 4, ROLE_DIM, snapshot->losses.counts[LOSS_TASKS].since_start,
		   "forgotten tasks");
	list_count(list, 4, ROLE_DIM, snapshot->truncated_stacks, "cut stacks");
	list_count(list, 4, ROLE_DIM, snapshot->stalled_rounds, "stalled rounds");
	if (snapshot->missing_ticks_pct > MISSING_PCT)
		pieces_add(list, 3, ROLE_LOSS, "%.0f %% of ticks missing",
			   snapshot->missing_ticks_pct);
	if (unseen_pct(snapshot) > MISSING_PCT)
		pieces_add(list, 3, ROLE_LOSS, "%.0f %% of waits unseen", unseen_pct(snapshot));
	if (snapshot->throttled_ns)
		pieces_add(list, 3, ROLE_LOSS, "throttled %s",
			   format_duration(text, (double)snapshot->throttled_ns / 1e9));
}

/* A dim piece of this rank is no counter, see last_state(). */
static void list_baseline(const struct ui_state *state, struct pieces *list)
{
	char label[BASELINE_TEXT_BYTES];

	if (state_is_compared(state))
		pieces_add(list, 2, ROLE_STATE, "A: %s", baseline_label(state, label));
	else if (state->query.compare.has_baseline)
		pieces_add(list, 2, ROLE_DIM, "A marked");
}

/* Returns what 100 % stands for; NULL: all samples. */
static const char *percent_base(const struct ui_state *state)
{
	const struct view_ops *ops = state->view->ops;

	if (ops->of_parent && *ops->of_parent(state->view))
		return ops->parent ? NULL : "% of parent";	/* the view says it itself */
	return state->shown && state->shown->is_relative && !ops->cursor_probe
	       ? "% of shown" : NULL;
}

static void list_recording(const struct recording_state *recording, struct pieces *list)
{
	char text[FORMAT_BYTES];

	if (!recording->is_there)
		return;
	pieces_add(list, 1, ROLE_STATE, recording->is_ending ? "recording %s ends\u2026"
							     : "recording %s (O)",
		   format_bytes(text, recording->bytes));
	if (recording->is_stalled)
		pieces_add(list, 1, ROLE_LOSS, "its disk hangs");
	list_count(list, 1, ROLE_LOSS, recording->lost, "not recorded");
}

/* Adds the conditions of --keep-when that are true, and how often others were. */
static void list_conditions(const struct snapshot *snapshot, struct pieces *list)
{
	uint64_t fired = 0;

	for (uint32_t i = 0; i < snapshot->condition_count; i++) {
		const struct snapshot_condition *row = &snapshot->conditions[i];

		fired += row->state.fired;
		if (row->state.is_true)
			pieces_add(list, 2, ROLE_STATE, "%.60s", row->condition->text);
	}
	if (fired)
		pieces_add(list, 5, ROLE_DIM, "fired %" PRIu64 "\u00d7", fired);
}

/* Adds how far back --keep-last reaches; with too little memory that is less than was asked for. */
static void list_kept(const struct keep_status *status, struct pieces *list)
{
	char kept[FORMAT_BYTES], asked[FORMAT_BYTES];
	const double kept_s = status->kept_s < status->wanted_s ? status->kept_s : status->wanted_s;

	if (!(status->wanted_s > 0))
		return;
	if (status->kept_s < status->wanted_s)
		pieces_add(list, status->is_cut ? 2 : 5, status->is_cut ? ROLE_LOSS : ROLE_DIM,
			   "keeps %s of %s%s", format_duration(kept, kept_s),
			   format_duration(asked, status->wanted_s),
			   status->is_cut ? ": --keep-memory" : "");
	else
		pieces_add(list, 5, ROLE_DIM, "keeps %s", format_duration(asked, status->wanted_s));
}

/* Beside the activity graph, which shows it, nothing more is said of the past: the activity graph
 * would jump. */
static void list_states(const struct ui_state *state, bool has_activity, struct pieces *list)
{
	const struct snapshot *snapshot = state->shown;
	char text[FORMAT_BYTES], weight[HIT_WEIGHT_BYTES];

	if (snapshot && snapshot->is_target_gone)
		pieces_add(list, 1, ROLE_STATE, "target ended");
	else if (state->is_command_ended)
		pieces_add(list, 1, ROLE_STATE, "command ended");
	if (snapshot && snapshot->is_last && snapshot->end_err)
		pieces_add(list, 1, ROLE_LOSS, "%s", snapshot->end_reason);
	list_recording(&state->recording, list);
	if (snapshot)
		list_conditions(snapshot, list);
	list_kept(&state->keep_status, list);
	if (state->query.is_paused)
		pieces_add(list, 1, ROLE_STATE, "PAUSED");
	if (state->query.time.end_ns && !has_activity)
		pieces_add(list, 1, ROLE_STATE, "PAST");
	list_baseline(state, list);
	if (state->is_source_changing)
		pieces_add(list, 2, ROLE_STATE, "changing\u2026");
	if (state->query.show_idle && snapshot)
		pieces_add(list, 5, ROLE_STATE, snapshot->is_of_waits ? "idle shown: %s"
								      : "idle shown: %s samples",
			   snapshot->is_of_waits ? format_wait(text, snapshot->idle_weight)
						 : format_count(text, snapshot->idle_samples));
	else if (snapshot && snapshot->is_of_waits && snapshot->idle_samples)
		pieces_add(list, 2, ROLE_DIM, "without kernel threads: %s (i)",
			   format_wait(text, snapshot->idle_weight));
	if (hit_weight_of_snapshot(weight, snapshot)[0])
		pieces_add(list, 1, ROLE_STATE, "weight: %s (W)", weight);
	if (percent_base(state))
		pieces_add(list, 2, ROLE_STATE, "%s", percent_base(state));
	if (state->query.raw_names)
		pieces_add(list, 5, ROLE_STATE, "raw names");
	if (snapshot)
		list_losses(snapshot, list);
	if (snapshot && snapshot->is_history_cut)
		pieces_add(list, 6, ROLE_DIM, "history %s",
			   format_duration(text, (double)(snapshot->newest_ns -
							  snapshot->known_ns) / 1e9));
}

/* True if there is a piece of that role and that rank or a larger one. */
static bool has_role(const struct pieces *list, enum role role, int rank)
{
	for (size_t i = 0; i < list->count; i++)
		if (list->list[i].role == role && list->list[i].rank >= rank)
			return true;
	return false;
}

/* Where the key `!` leads to is said where there is something to read: what helps against losses,
 * what had no room here, what fell back. It is never what has no room. */
static struct piece last_state(const struct ui_state *state, const struct pieces *list,
			       bool is_cut)
{
	struct piece piece = { .text = "" };

	if (has_role(list, ROLE_LOSS, 0))
		piece = (struct piece){ MORE, ROLE_LOSS, 0 };
	else if (is_cut)
		piece = (struct piece){ MORE, ROLE_STATE, 0 };
	else if (has_role(list, ROLE_DIM, COUNTER_RANK))
		piece = (struct piece){ MORE, ROLE_DIM, 0 };
	else if (state->shown && (state->shown->notice[0] || has_absence(state->shown)))
		piece = (struct piece){ "! note", ROLE_DIM, 0 };
	return piece;
}

/* Draws the states at the right edge of the line; returns the first column used. */
static int draw_states(struct ui_state *state, struct canvas *canvas, int y, int room,
		       bool has_activity)
{
	const int right = canvas->width - 1;
	struct pieces list = { .gap = GAP };
	struct canvas_area area = { right, y, 0 };
	struct piece last;
	bool is_cut;
	int width, tail;

	list_states(state, has_activity, &list);
	is_cut = pieces_width(canvas, &list) > room;
	last = last_state(state, &list, is_cut);
	tail = canvas_text_width(canvas, last.text);
	area.x -= tail;
	canvas_put_text(canvas, (struct canvas_area){ area.x, y, tail }, canvas_clean(last.text),
			last.role);
	if (tail)
		hits_add(&state->display.hits, (struct hit){ HIT_MESSAGES, area.x, y, tail, 1, 0 });
	if (tail)
		tail += canvas_text_width(canvas, GAP);
	width = pieces_fit(canvas, &list, room - tail);
	if (!list.count || (list.list[0].rank >= COUNTER_RANK && width > room - tail))
		return area.x;	/* half a counter says no more than that there is more */
	canvas_put_text(canvas, (struct canvas_area){ right - tail, y, tail }, SAFE_TEXT(GAP),
			ROLE_DIM);
	area.width = width < room - tail ? width : room - tail;
	area.x = right - tail - area.width;
	pieces_put(canvas, area, &list);
	if (has_role(&list, ROLE_LOSS, 0) || has_role(&list, ROLE_DIM, COUNTER_RANK))
		hits_add(&state->display.hits,
			 (struct hit){ HIT_LOSSES, area.x, area.y, area.width, 1, 0 });
	return area.x;
}

/* Returns the range between brackets: during a drag the one that would be selected. */
static struct time_range marked_time(const struct ui_state *state)
{
	return state->display.drag.is_on ? state->display.drag.range : state_shown_time(state);
}

static void add_hit(struct ui_state *state, enum hit_kind kind, const struct time_scale *scale)
{
	hits_add(&state->display.hits, (struct hit){ kind, scale->x, scale->y, scale->width,
					     scale->height, 0 });
}

/* Returns the text of the "live" button, in brackets while live, like a selected time. */
static const char *live_text(const struct ui_state *state)
{
	const bool is_live = !state->query.is_paused && !state->query.time.end_ns;

	if (state->shown->is_replay)
		return is_live ? "[all]" : " all ";
	return is_live ? "[live]" : " live ";
}

/* Leaves a cell before and after it for marks. */
static void draw_activity(struct ui_state *state, struct canvas *canvas, struct canvas_area area)
{
	const char *text = live_text(state);
	const int live = canvas_text_width(canvas, text);

	if (area.width >= LIVE_CELLS) {
		area.width -= live + 1;
		canvas_put_text(canvas, (struct canvas_area){ area.x + area.width + 1, area.y,
							      live }, canvas_clean(text), ROLE_DIM);
		hits_add(&state->display.hits,
			 (struct hit){ HIT_LIVE, area.x + area.width + 1, area.y, live, 1, 0 });
	}
	state->display.activity = activity_graph_scale(state->shown, state->query.time, area);
	activity_graph_draw(state->shown, &state->display.activity, marked_time(state), canvas);
	add_hit(state, HIT_ACTIVITY, &state->display.activity);
}

static void draw_load(struct ui_state *state, struct canvas *canvas, int y)
{
	const int end = draw_states(state, canvas, y, canvas->width - 2 - ACTIVITY_CELLS, true);

	if (state->shown)
		draw_activity(state, canvas,
			      (struct canvas_area){ 1, y, end - 1 - (end < canvas->width - 1) });
}

static bool is_wide(int width)
{
	return width >= WIDE_CELLS;
}

static int heat_lines_of(int width, int height)
{
	return time_heat_lines(height - header_lines(width, height) - HEAT_TABLE - 1);
}

int header_heat_lines(int width, int height)
{
	const int lines = height < header_heat_height(width) ? 0 : heat_lines_of(width, height);

	return lines ? lines + 1 : 0;
}

int header_heat_height(int width)
{
	return header_lines(width, ACTIVITY_LINES) + HEAT_TABLE + 1 + HEAT_LEAST;
}

/* Draws the heat map on @lines from @y on, in the same columns as the graph below it. */
static void draw_heat(struct ui_state *state, struct canvas *canvas, int y, int lines)
{
	const struct canvas_area left = { 1, y, canvas->width - 2 };
	const struct snapshot *shown = state->shown;

	state->display.heat = state->display.activity;
	state->display.heat.y = y;
	state->display.heat.height = lines;
	state->display.heat.row_ns = TIME_TICK_NS * (unsigned int)(HEAT_ROWS / lines);
	if (shown->activity_count && !shown->heat)
		state->display.heat.width = 0;
	if (state->display.heat.width <= 0) {
		if (!state_is_waiting(state))
			canvas_put_text(
				canvas, left,
				SAFE_TEXT("No heat map: a point is longer than a second here."),
				ROLE_DIM);
		return;
	}
	time_heat_draw(shown, &state->display.heat, marked_time(state),
		       canvas->width >= LABEL_CELLS, canvas);
	add_hit(state, HIT_HEAT, &state->display.heat);
}

/* Draws the heat map: the states have a line of their own, with what the characters stand for. */
static void draw_enlarged(struct ui_state *state, struct canvas *canvas, int y, int lines)
{
	const int end = draw_states(state, canvas, y, canvas->width - 2 - ACTIVITY_CELLS, true);
	struct canvas_area area = { 1, y + lines + 1, canvas->width - 2 };

	if (!state->shown)
		return;
	if (canvas->width >= LABEL_CELLS) {
		area.x += TIME_HEAT_LABEL_CELLS + 1;
		area.width -= TIME_HEAT_LABEL_CELLS + 1;
	}
	draw_activity(state, canvas, area);
	draw_heat(state, canvas, y + 1, lines);
	if (state->display.heat.width > 0)
		time_heat_draw_legend(state->shown, &state->display.heat, canvas,
				      (struct canvas_area){ 1, y, end - 2 });
}

/* Returns the width of the program name and the identity's pieces of @rank or less. */
static int identity_width(const struct ui_state *state, const struct canvas *canvas, int rank)
{
	struct pieces all = { .gap = GAP }, identity = { .gap = GAP };

	list_identity(state->shown, &all);
	for (size_t i = 0; i < all.count; i++)
		if (all.list[i].rank <= rank)
			identity.list[identity.count++] = all.list[i];
	return NAME_CELLS + pieces_width(canvas, &identity);
}

/* Half of the line if need be, but what is sampled, or which recording it is, says more than the
 * last of the quantities. */
static int quantities_room(const struct ui_state *state, const struct canvas *canvas)
{
	const int half = canvas->width / 2, third = canvas->width / 3;
	const int beside_all = canvas->width - 5 - identity_width(state, canvas, INT_MAX);
	const int beside_first = canvas->width - 5 - identity_width(state, canvas, 1);

	if (beside_all >= half)
		return beside_all;
	return beside_first >= half ? half : beside_first > third ? beside_first : third;
}

static void draw_identity(const struct ui_state *state, struct canvas *canvas, int y, int width)
{
	struct canvas_area line = { 1, y, width };
	struct pieces identity = { .gap = GAP };

	if (line.width >= NAMED_CELLS) {
		canvas_put_text(canvas, line, SAFE_TEXT("flametop"), ROLE_NAME);
		line.x += NAME_CELLS;
		line.width -= NAME_CELLS;
	}
	if (!state->shown)
		return;
	list_identity(state->shown, &identity);
	pieces_fit(canvas, &identity, line.width);
	pieces_put(canvas, line, &identity);
}

/* Returns how many cells are left for what stands before it: on a line for both, half of it at
 * most is taken from the identity. */
static int draw_quantities(const struct ui_state *state, struct canvas *canvas, int y, bool is_wide)
{
	struct pieces list = { .gap = is_wide ? "   " : "  " };
	int room = canvas->width - 2, width, x = 1;

	if (!state->shown)
		return room;
	list_quantities(state, &list);
	if (is_wide)
		room = quantities_room(state, canvas);
	width = pieces_fit(canvas, &list, room);
	if (is_wide)
		x = canvas->width - 1 - width;
	pieces_put(canvas, (struct canvas_area){ x, y, width }, &list);
	return x - 3;
}

int header_lines(int width, int height)
{
	return 2 + !is_wide(width) + (height >= ACTIVITY_LINES || is_wide(width));
}

void header_draw(struct ui_state *state, struct canvas *canvas)
{
	const int heat =
		state->query.wants_heat ? header_heat_lines(canvas->width, canvas->height) : 0;
	const int counters = counter_line_height(state, canvas->height);
	const int last = header_lines(canvas->width, canvas->height) + heat + counters - 1;
	int y = 0;

	if (is_wide(canvas->width)) {
		draw_identity(state, canvas, 0, draw_quantities(state, canvas, 0, true));
	} else {
		draw_identity(state, canvas, 0, canvas->width - 2);
		draw_quantities(state, canvas, ++y, false);
	}
	if (counters)
		counter_line_draw(state, canvas, last - 1);
	if (y + 1 < last - counters) {
		if (heat)
			draw_enlarged(state, canvas, y + 1, heat - 1);
		else
			draw_load(state, canvas, y + 1);
		tabs_draw(state, canvas, last, canvas->width - 2);
	} else {
		const int end = draw_states(state, canvas, last, canvas->width * 11 / 20, false);

		tabs_draw(state, canvas, last, end - 1 - (end < canvas->width - 1));
	}
}

/* A window that is live ends anywhere: milliseconds would only be in the way. */
static struct time_range without_ms(struct time_range time)
{
	const uint64_t length_ns = time.end_ns - time.begin_ns;
	const uint64_t seconds = (length_ns + CLOCK_NS_PER_S / 2) / CLOCK_NS_PER_S;

	if (length_ns >= CLOCK_NS_PER_S)
		time.end_ns = time.begin_ns + seconds * CLOCK_NS_PER_S;
	return time;
}

static char *name_time(const struct ui_state *state, struct time_range time, bool is_selected,
		       char out[BASELINE_TEXT_BYTES])
{
	const struct time_zero zero = state_time_zero(state);
	char text[TIME_TEXT_BYTES];

	if (!is_selected)
		time = without_ms(time);
	snprintf(out, BASELINE_TEXT_BYTES, "%s", time_text_range(text, &time, &zero));
	return out;
}

char *baseline_label_marked(const struct ui_state *state, char out[BASELINE_TEXT_BYTES])
{
	if (state->query.compare.is_rest)
		snprintf(out, BASELINE_TEXT_BYTES, "the rest of history");
	if (state->query.compare.is_rest)
		return out;
	return name_time(state, state->query.compare.marked,
			 state->query.compare.is_marked_selected, out);
}

char *baseline_label(const struct ui_state *state, char out[BASELINE_TEXT_BYTES])
{
	const struct snapshot_baseline *baseline = &state->shown->baseline;
	const struct time_range time = { baseline->begin_ns, baseline->end_ns };

	if (!state->shown->has_baseline || state->query.compare.is_rest)
		return baseline_label_marked(state, out);
	if (!baseline->label || !baseline->label[0])
		return name_time(state, time, state->query.compare.is_selected, out);
	snprintf(out, BASELINE_TEXT_BYTES, "%s", baseline->label);
	return out;
}
