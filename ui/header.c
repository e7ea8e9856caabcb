/* header.c - pieces of text with a rank; where they don't fit, the least important leave.
 *
 * Layout:  wide:    identity ............... quantities      narrow:  identity
 *          both:    states, losses, notice                            quantities
 *                                                                     states, losses, notice
 */
#include "ui/header.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "ui/format.h"

#define ONE_LINE_CELLS 100	/* from here on identity and quantities share a line */
#define PIECE_BYTES    192
#define PIECE_COUNT    24
#define GAP	       " \u00b7 "
#define MORE	       "+ (!)"	/* the rest is a key away */

struct piece {
	char text[PIECE_BYTES];
	enum role role;
	int rank;		/* the largest leaves first */
};

struct piece_list {
	struct piece pieces[PIECE_COUNT];
	size_t count;
};

static void add_piece(struct piece_list *list, int rank, enum role role, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static void add_piece(struct piece_list *list, int rank, enum role role, const char *format, ...)
{
	struct piece *piece;
	va_list args;

	if (list->count == PIECE_COUNT)
		return;
	piece = &list->pieces[list->count++];
	piece->role = role;
	piece->rank = rank;
	va_start(args, format);
	vsnprintf(piece->text, sizeof(piece->text), format, args);
	va_end(args);
}

static int list_width(const struct canvas *canvas, const struct piece_list *list, const char *gap)
{
	int width = 0;

	for (size_t i = 0; i < list->count; i++)
		width += canvas_text_width(canvas, list->pieces[i].text) +
			 (i ? canvas_text_width(canvas, gap) : 0);
	return width;
}

static int largest_rank(const struct piece_list *list)
{
	int rank = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->pieces[i].rank > rank)
			rank = list->pieces[i].rank;
	return rank;
}

static void drop_rank(struct piece_list *list, int rank)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++)
		if (list->pieces[i].rank != rank)
			list->pieces[kept++] = list->pieces[i];
	list->count = kept;
}

/* Drops pieces until the list fits; one is always left. Returns its width. */
static int fit_list(const struct canvas *canvas, struct piece_list *list, const char *gap,
		    int width)
{
	while (list->count > 1 && list_width(canvas, list, gap) > width)
		drop_rank(list, largest_rank(list));
	return list_width(canvas, list, gap);
}

static int put_list(struct canvas *canvas, struct canvas_area area, const struct piece_list *list,
		    const char *gap)
{
	const int end = area.x + area.width;

	for (size_t i = 0; i < list->count && area.width > 0; i++) {
		if (i)
			area.x += canvas_put_text(canvas, area, gap, ROLE_DIM);
		area.width = end - area.x;
		area.x += canvas_put_text(canvas, area, list->pieces[i].text, list->pieces[i].role);
		area.width = end - area.x;
	}
	return area.x;
}

const char *header_window_name(enum window_kind window, double seconds, bool is_zeroed)
{
	static char text[FORMAT_BYTES + 8];
	char number[FORMAT_BYTES];

	switch (window) {
	case WINDOW_SECONDS:
	case WINDOW_INTERVAL:
		snprintf(text, sizeof(text), "last %s", format_duration(number, seconds));
		return text;
	case WINDOW_ALL:
		return is_zeroed ? "since zero" : "since start";
	case WINDOW_DECAY:
		break;
	}
	return "decaying, half in 5 s";
}

static void list_identity(const struct snapshot *snapshot, struct piece_list *list)
{
	char rate[64] = "", number[64] = "";

	if (snapshot->freq_hz)
		snprintf(rate, sizeof(rate), " %" PRIu64 " Hz", snapshot->freq_hz);
	else if (snapshot->fixed_period > 1)
		snprintf(rate, sizeof(rate), " every %" PRIu64, snapshot->fixed_period);
	if (snapshot->event_count > 1)
		snprintf(number, sizeof(number), " (%" PRIu32 " of %" PRIu32 ")",
			 snapshot->event_index + 1, snapshot->event_count);
	add_piece(list, 4, ROLE_TEXT, "%s", snapshot->host);
	add_piece(list, 1, ROLE_TEXT, "%s%s%s", snapshot->event, rate, number);
	add_piece(list, snapshot->is_replay ? 1 : 2, snapshot->is_replay ? ROLE_STATE : ROLE_TEXT,
		  "%s", snapshot->target);
}

static void list_quantities(const struct ui_state *state, struct piece_list *list)
{
	const struct snapshot *snapshot = state->shown;
	char text[FORMAT_BYTES];

	add_piece(list, 1, ROLE_TEXT, "%s",
		  header_window_name(snapshot->window, snapshot->window_s, state->is_zeroed));
	if (snapshot->window == WINDOW_ALL || snapshot->window == WINDOW_DECAY)
		add_piece(list, 5, ROLE_DIM, "%s", format_duration(text, snapshot->window_s));
	add_piece(list, 2, ROLE_TEXT, "%s samples", format_count(text, snapshot->samples));
	if (snapshot->busy_pct >= 0)
		add_piece(list, 3, ROLE_TEXT, "busy %.0f %%", snapshot->busy_pct);
	if (snapshot->is_replay)
		return;
	add_piece(list, 4, ROLE_TEXT, "own %.1f %%", snapshot->own_cpu_pct);
	add_piece(list, 6, ROLE_DIM, "%s", format_bytes(text, snapshot->own_rss_bytes));
}

static void list_count(struct piece_list *list, int rank, uint64_t count, const char *what)
{
	char text[FORMAT_BYTES];

	if (count)
		add_piece(list, rank, ROLE_LOSS, "%s %s", format_count(text, count), what);
}

static void list_losses(const struct snapshot *snapshot, struct piece_list *list)
{
	char text[FORMAT_BYTES];

	list_count(list, 1, snapshot->lost_kernel, "lost");
	list_count(list, 3, snapshot->lost_malformed, "malformed");
	list_count(list, 3, snapshot->lost_late, "late");
	list_count(list, 3, snapshot->unattributed, "unattributed");
	list_count(list, 3, snapshot->filtered_unknown_uid, "of unknown user");
	list_count(list, 3, snapshot->evicted_samples, "evicted");
	list_count(list, 3, snapshot->truncated_stacks, "cut stacks");
	list_count(list, 3, snapshot->stalled_rounds, "stalled rounds");
	if (snapshot->throttled_ns)
		add_piece(list, 3, ROLE_LOSS, "throttled %s",
			  format_duration(text, (double)snapshot->throttled_ns / 1e9));
}

static void list_states(const struct ui_state *state, struct piece_list *list)
{
	const struct row_filter *filter = &state->filter;
	const struct snapshot *snapshot = state->shown;
	char text[FORMAT_BYTES];

	if (snapshot && snapshot->is_target_gone)
		add_piece(list, 1, ROLE_STATE, "target ended: its last picture");
	else if (state->is_command_ended)
		add_piece(list, 1, ROLE_STATE, "command ended");
	if (snapshot && snapshot->is_last && snapshot->end_err)
		add_piece(list, 1, ROLE_LOSS, "%s", snapshot->end_reason);
	if (state->is_paused)
		add_piece(list, 1, ROLE_STATE, "PAUSED");
	if (filter->text[0])
		add_piece(list, 2, ROLE_STATE, "filter \"%s\"", filter->text);
	if (filter->hide_kernel)
		add_piece(list, 4, ROLE_STATE, "kernel hidden");
	if (filter->hide_user)
		add_piece(list, 4, ROLE_STATE, "user hidden");
	if (filter->show_idle && snapshot)
		add_piece(list, 5, ROLE_STATE, "idle shown: %s samples",
			  format_count(text, snapshot->idle_samples));
	if (snapshot)
		list_losses(snapshot, list);
}

/* The first line of the notice in what the states left. */
static void put_notice(const struct snapshot *snapshot, struct canvas *canvas,
		       struct canvas_area area)
{
	const char *end = strchrnul(snapshot->notice, '\n');
	char text[512];

	if (snapshot->notice[0] == '\0' || area.width < 12)
		return;
	snprintf(text, sizeof(text), "%.*s%s", (int)(end - snapshot->notice), snapshot->notice,
		 *end ? " (! shows more)" : "");
	canvas_put_text(canvas, area, text, ROLE_DIM);
}

static void draw_states(const struct ui_state *state, struct canvas *canvas, int y)
{
	struct canvas_area area = { 1, y, canvas->width - 2 };
	struct piece_list list = { .count = 0 };
	size_t wanted;

	list_states(state, &list);
	wanted = list.count;
	if (fit_list(canvas, &list, GAP, area.width) && list.count < wanted) {
		/* Something lost or hidden must not be left out in silence. */
		fit_list(canvas, &list, GAP, area.width - canvas_text_width(canvas, GAP MORE));
		add_piece(&list, 0, ROLE_LOSS, MORE);
	}
	area.x = put_list(canvas, area, &list, GAP) + (list.count ? 2 : 0);
	area.width = canvas->width - 1 - area.x;
	if (state->shown)
		put_notice(state->shown, canvas, area);
}

int header_lines(int width)
{
	return width >= ONE_LINE_CELLS ? 2 : 3;
}

void header_draw(const struct ui_state *state, struct canvas *canvas)
{
	const bool is_wide = header_lines(canvas->width) == 2;
	struct canvas_area line = { 1, 0, canvas->width - 2 };
	struct piece_list identity = { .count = 0 }, quantities = { .count = 0 };
	int right = 0;

	draw_states(state, canvas, is_wide ? 1 : 2);
	if (line.width >= 60) {
		line.x += canvas_put_text(canvas, line, "flametop", ROLE_NAME) + 2;
		line.width = canvas->width - 1 - line.x;
	}
	if (!state->shown)
		return;
	list_identity(state->shown, &identity);
	list_quantities(state, &quantities);
	if (is_wide) {
		right = fit_list(canvas, &quantities, "   ", line.width * 6 / 10);
		put_list(canvas, (struct canvas_area){ canvas->width - 1 - right, 0, right },
			 &quantities, "   ");
		line.width -= right + 2;
	} else {
		fit_list(canvas, &quantities, "  ", canvas->width - 2);
		put_list(canvas, (struct canvas_area){ 1, 1, canvas->width - 2 }, &quantities,
			 "  ");
	}
	fit_list(canvas, &identity, GAP, line.width);
	put_list(canvas, line, &identity, GAP);
}
