/* detail.c - see detail.h. A single line has the name and what fits after it. Of three lines the
 * last has everything else, the middle one the name, the first the beginning of a long name: so
 * they lie together at the bottom, and each content keeps its line. */
#include "detail.h"

#include <stdio.h>
#include <string.h>

#include "change.h"
#include "fold/query.h"
#include "format.h"
#include "search.h"
#include "term/utf8.h"

#define ONE_LINE_HEIGHT	   20	/* lower screens have no detail: each row counts */
#define THREE_LINES_HEIGHT 30
#define MARK		   "\u25b8 "	/* as at the row */
#define GAP		   " \u00b7 "
#define MORE_CELLS	   12	/* less is not worth a cut path */
#define MORE_TEXTS	   5
#define INLINED_BYTES	   (2 * FORMAT_BYTES + 32)
#define CHANGE_BYTES	   (2 * CHANGE_TEXT_BYTES + 16)
#define SHORT_CELLS	   100	/* a narrower screen has room for the share alone */
#define LINE_BYTES	   4096

/* The text about a row. */
struct detail {
	const char *text;		/* never cut before the others are */
	const char *more[MORE_TEXTS];	/* "": nothing */
};

int detail_lines(const struct ui_state *state, int height)
{
	const bool has_detail = state_is_compared(state) ||
				state->specs[state->shown_kind].has_detail;

	if (!has_detail || height < ONE_LINE_HEIGHT)
		return 0;
	return height < THREE_LINES_HEIGHT ? 1 : 3;
}

static const char *state_text(const struct snapshot_row *row)
{
	switch (row->state) {
	case SYMBOL_LOADING:	return "its names are being read";
	case SYMBOL_UNKNOWN:	return "no symbol covers this address";
	case SYMBOL_UNREADABLE: return row->reason;
	case SYMBOL_NO_MAP:	return "run-time code that no /tmp/perf-PID.map or jitdump "
				       "names: start its program so that it writes one";
	case SYMBOL_NAMED:	break;
	}
	return row->is_synthetic ? "no symbol: named by its address" : "";
}

static const char *source_text(const struct snapshot_row *row)
{
	return row->source[0] ? row->source : row->source_reason;
}

/* Source: hrtimers, which cpu-clock and task-clock are, fire no earlier than interrupts are on. */
bool detail_is_of_clock(const struct snapshot *snapshot)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock", "wall" };

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++) {
		const size_t length = strlen(clocks[i]);

		if (!strncmp(snapshot->event, clocks[i], length) &&
		    (!snapshot->event[length] || snapshot->event[length] == ':'))
			return true;
	}
	return false;
}

/* Kernel functions that turn interrupts on, or whose callers in the same frame do. The compiler may
 * add a suffix (".isra.0"). */
static bool lets_interrupts_in(const char *symbol)
{
	static const char *const functions[] = {
		"finish_task_switch", "_raw_spin_unlock_irq", "_raw_spin_unlock_irqrestore",
		"_raw_read_unlock_irq", "_raw_read_unlock_irqrestore", "_raw_write_unlock_irq",
		"_raw_write_unlock_irqrestore", "handle_softirqs", "__do_softirq",
		"exit_to_user_mode_loop", "irqentry_exit_to_user_mode",
		"native_irq_enable", "pv_native_irq_enable", "pvm_irq_enable",
		"xen_irq_enable_direct",
	};
	const size_t length = strcspn(symbol, ".");

	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]); i++)
		if (strlen(functions[i]) == length && !memcmp(symbol, functions[i], length))
			return true;
	return false;
}

static const char *clock_text(const struct snapshot *snapshot, const struct snapshot_row *row)
{
	if (row->mode != MODE_KERNEL || !detail_is_of_clock(snapshot) ||
	    !lets_interrupts_in(row->symbol))
		return "";
	return "time with interrupts off is counted here, too: the clock cannot tick in it";
}

/* Formats a node's self and what the table's self of that function has besides; "": nothing. */
static const char *inlined_text(const struct snapshot *snapshot, const struct snapshot_row *row,
				char out[INLINED_BYTES])
{
	char self[FORMAT_BYTES], inlined[FORMAT_BYTES];

	out[0] = '\0';
	if (row->inlined_weight > 0)
		snprintf(out, INLINED_BYTES, "self %s + %s inlined",
			 format_pct(self, snapshot_pct(snapshot, row->now.self.weight)),
			 format_pct(inlined, snapshot_pct(snapshot, row->inlined_weight)));
	return out;
}

static struct detail describe(const struct snapshot *snapshot, const struct snapshot_row *row,
			      char inlined[INLINED_BYTES])
{
	if (row->command_line[0])
		return (struct detail){ row->command_line, { "", "", "", "", "" } };
	if (row->symbol[0])
		return (struct detail){ row->symbol, { inlined_text(snapshot, row, inlined),
						       clock_text(snapshot, row), source_text(row),
						       state_text(row), row->dso_path } };
	if (row->dso_path[0])
		return (struct detail){ row->dso_path, { state_text(row), row->reason,
							    row->build_id, "", "" } };
	return (struct detail){ row->comm, { "", "", "", "", "" } };
}

/* Describes a group: its name in full, help on its key, and the path of its DSO. */
static struct detail describe_group(const struct group_tree *groups,
				    const struct group_node *node)
{
	const bool has_path = strcmp(node->dso_path, node->text) != 0;
	const enum group_key key = groups->keys[node->depth];

	return (struct detail){
		node->text, { group_key_is_by(key) ? group_tree_key_name(groups, node->depth)
						   : group_key_helps[key],
			      has_path ? node->dso_path : "", "", "", "" },
	};
}

/* Returns how many bytes of @text fit into @width cells. */
static size_t bytes_that_fit(const struct canvas *canvas, const char *text, int width)
{
	size_t used = 0, bytes;
	uint32_t code;

	while ((bytes = utf8_decode(text + used, &code)) > 0 && used + bytes < LINE_BYTES) {
		char letter[8];

		snprintf(letter, sizeof(letter), "%.*s", (int)bytes, text + used);
		width -= canvas_text_width(canvas, letter);
		if (width < 0)
			break;
		used += bytes;
	}
	return used;
}

/* Returns how many bytes fit on a line, up to a comma if there is one near the end. */
static size_t bytes_of_line(const struct canvas *canvas, const char *text, int width)
{
	const size_t most = bytes_that_fit(canvas, text, width);

	for (size_t bytes = most; bytes > most / 2 && text[most]; bytes--)
		if (text[bytes - 1] == ' ' && text[bytes - 2] == ',')
			return bytes;
	return most;
}

static void put_mark(struct canvas *canvas, int y)
{
	canvas_put_text(canvas, (struct canvas_area){ 1, y, canvas->width - 2 }, SAFE_TEXT(MARK),
			ROLE_DIM);
}

/* Draws the end of the text on the second of two lines, and what does not fit on the first. */
static void put_text(struct canvas *canvas, struct canvas_area area, const char *text)
{
	const size_t bytes = bytes_of_line(canvas, text, area.width);
	char line[LINE_BYTES];

	put_mark(canvas, area.y + !text[bytes]);
	if (text[bytes]) {
		snprintf(line, sizeof(line), "%.*s", (int)bytes, text);
		canvas_put_text(canvas, area, canvas_clean(line), ROLE_TEXT);
		text += bytes;
	}
	area.y++;
	canvas_put_text(canvas, area, canvas_clean(text), ROLE_TEXT);
}

static void put_more(struct canvas *canvas, struct canvas_area area, const struct detail *detail,
		     const char *gap)
{
	for (size_t i = 0; i < MORE_TEXTS; i++) {
		int used;

		if (!detail->more[i][0] || area.width < MORE_CELLS)
			continue;
		used = canvas_put_text(canvas, area, canvas_clean(gap), ROLE_DIM);
		area.x += used;
		area.width -= used;
		used = canvas_put_text(canvas, area, canvas_clean(detail->more[i]), ROLE_DIM);
		area.x += used;
		area.width -= used;
		gap = GAP;
	}
}

/* Describes the change of the self share; of the total in trees and for rows without self. */
static const char *describe_change(const struct ui_state *state, const struct snapshot_row *row,
				   const struct detail_of *of, bool is_short,
				   char out[CHANGE_BYTES])
{
	const bool is_total = of->is_total ||
			      (!row->now.self.samples && !row->base.self.samples);
	const uint64_t count = is_total ? row->now.total.samples : row->now.self.samples;
	const uint64_t base = is_total ? row->base.total.samples : row->base.self.samples;
	const struct group_node *group = of->group;
	char share[CHANGE_TEXT_BYTES] = "idle", rate[CHANGE_TEXT_BYTES];

	out[0] = '\0';
	if (group ? !group->has_base : !state_is_compared(state))
		return out;
	if (group)
		change_describe_group(share, group,
				      is_total ? row->now.total.weight : row->now.self.weight,
				      is_total ? row->base.total.weight : row->base.self.weight);
	else if (!row->is_idle)
		change_describe_share(share, state->shown, row, is_total);
	change_describe_rate(rate, state->shown, count, base);
	snprintf(out, CHANGE_BYTES, is_short ? "%s%s" : "%s%s, %s", is_total ? "total " : "",
		 share, rate);
	return out;
}

/* Draws the change at the right edge; returns the cells that it takes from the row. */
static int put_change(struct canvas *canvas, struct canvas_area area, const char *change)
{
	const int used = change[0] ? canvas_text_width(canvas, change) : 0;

	if (used)
		canvas_put_right(canvas, area, canvas_clean(change), ROLE_TEXT);
	return used ? used + canvas_text_width(canvas, GAP) : 0;
}

void detail_draw(const struct ui_state *state, struct canvas *canvas, int y, int lines,
		 const struct detail_of *of)
{
	static const struct detail_of row_alone;
	struct snapshot_row row;
	struct canvas_area area = { 1, y, canvas->width - 2 };
	char change[CHANGE_BYTES], inlined[INLINED_BYTES];
	struct detail detail;
	int used;

	if (!lines || !state_cursor_row(state, &row))
		return;
	if (!of)
		of = &row_alone;
	detail = of->group ? describe_group(of->groups, of->group)
			   : describe(state->shown, &row, inlined);
	describe_change(state, &row, of, canvas->width < SHORT_CELLS, change);
	used = canvas_text_width(canvas, MARK);
	area.x += used;
	area.width -= used;
	if (lines == 1) {
		put_mark(canvas, y);
		area.width -= put_change(canvas, area, change);
		used = canvas_put_text(canvas, area, canvas_clean(detail.text), ROLE_TEXT);
		area.x += used;
		area.width -= used;
		put_more(canvas, area, &detail, GAP);
	} else {
		put_text(canvas, area, detail.text);
		area.y += 2;
		area.width -= put_change(canvas, area, change);
		put_more(canvas, area, &detail, "");
	}
	for (int line = 0; line < lines; line++)
		search_highlight(canvas, (struct canvas_area){ 0, y + line, canvas->width },
				 state->search);
}
