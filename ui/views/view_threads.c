/* view_threads.c - see view_threads.h.
 *
 * The look is made by another thread (src/cli/threads_now.c), of whom the breadcrumbs lead to; what
 * it found before stays on the screen until then. Enter opens a page with the whole stack of a row.
 */
#include "view_threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "command_line.h"
#include "command_list.h"
#include "fold/wait_stacks.h"
#include "term/text_lines.h"
#include "view_probes.h"
#include "widgets/format.h"
#include "widgets/pager.h"
#include "widgets/pieces.h"
#include "widgets/search.h"

#define DETAIL_HEIGHT 16	/* a screen of so many lines has room for one of detail */
#define MARKER_CELLS  2
#define PLAIN_CELLS   66	/* below there are no ids and no commands */
#define STATE_CELLS   5
#define SINCE_CELLS   9
#define TID_CELLS     8
#define WIDE_CELLS    100	/* below commands are shorter, so that stacks have room */
#define COMMAND_CELLS 15
#define SHORT_CELLS   8
#define WAIT_CELLS    10
#define NOTE_LEAST    24	/* a narrower stack has no note at its end */
#define NAME_BYTES    256
#define ROW_BYTES     4096	/* texts of a row, to be drawn or searched; longer ones are cut */
#define LABEL_CELLS   10	/* "Waits for " */
#define IDS_PER_LINE  12

struct stack_page {
	struct pager pager;
};

/* Where the columns are; width 0: not on this screen. */
struct columns_at {
	struct canvas_area state, since, tid, command, wait, stack;
};

static struct threads_view *view_of_state(const struct ui_state *state)
{
	return (struct threads_view *)state->views[VIEW_THREADS];
}

/* NULL: nothing was found. */
static const struct thread_rows *rows_of(const struct threads_view *view)
{
	return view->found && !view->found->why.err ? &view->found->rows : NULL;
}

static struct table_extent extent_of(const struct threads_view *view)
{
	return (struct table_extent){ view->shown_count, view->page };
}

/* The row that is shown at @index. */
static const struct thread_row *row_at(const struct threads_view *view, size_t index)
{
	return &view->found->rows.rows[view->shown[index]];
}

/* The first thread of a row stands for it. */
static const struct thread_entry *entry_at(const struct threads_view *view, size_t index)
{
	return &view->found->rows.entries[row_at(view, index)->first];
}

static void keep_id(struct threads_view *view)
{
	if (view->place.cursor < view->shown_count)
		view->place.cursor_id = entry_at(view, view->place.cursor)->now->tid;
}

static bool find_thread(const struct threads_view *view, uint64_t tid, size_t *out)
{
	for (size_t i = 0; i < view->shown_count; i++)
		for (uint32_t j = 0; j < row_at(view, i)->count; j++)
			if (entry_at(view, i)[j].now->tid == tid) {
				*out = i;
				return true;
			}
	return false;
}

/* Whom the breadcrumbs lead to, else the only process that is sampled, else all. *@tid: the thread
 * that they lead to; 0: none. */
static struct threads_request request_of(const struct ui_state *state, uint32_t *tid)
{
	const struct filter *filter = &state->query.breadcrumbs.filter;
	struct threads_request request = { .id = state->shown ? state->shown->target_pid : 0 };

	*tid = 0;
	for (uint32_t i = 0; i < filter->count; i++) {
		const struct filter_part *part = &filter->parts[i];

		if (part->is_negated)
			continue;
		if (part->field == FILTER_COMMAND)
			snprintf(request.comm, sizeof(request.comm), "%s", part->text);
		else if ((part->field == FILTER_PID || part->field == FILTER_TID) &&
			 part->number < UINT32_MAX)
			request.id = (uint32_t)part->number;
		if (part->field == FILTER_TID)
			*tid = request.id;
	}
	if (request.id)
		request.comm[0] = '\0';
	return request;
}

static void look(struct ui_state *state)
{
	const struct threads_control *control = state->threads_control;
	struct threads_view *view = view_of_state(state);
	uint32_t tid;
	struct threads_request request = request_of(state, &tid);
	const bool is_same = view->asked.number && request.id == view->asked.id &&
			     !strcmp(request.comm, view->asked.comm);

	if (is_same && view->is_looking)
		return;
	request.number = view->asked.number + 1;
	if (!control->ask(control->owner, &request)) {
		state_say(state, "the look before is still under way");
		return;
	}
	if (!is_same) {
		view->place = (struct table_place){ .cursor_id = tid };
		view->filter[0] = '\0';
	}
	view->asked = request;
	view->is_looking = true;
	state->is_changed = true;
}

/* Leaves in @way what chooses tasks. False: nothing does. */
static bool keep_tasks(struct cursor_way *way)
{
	size_t kept = 0;

	for (size_t i = 0; i < way->count; i++)
		if (way->parts[i].field == FILTER_COMMAND || way->parts[i].field == FILTER_PID ||
		    way->parts[i].field == FILTER_TID)
			way->parts[kept++] = way->parts[i];
	way->count = kept;
	return kept > 0;
}

/* Finds the task, or the command, of the cursor's row; in a probe's log the process of the hit.
 * False: there is none. */
static bool way_to_task(const struct ui_state *state, struct cursor_way *way)
{
	const struct snapshot_hit *hit;

	switch (state->shown_kind) {
	case VIEW_TASKS:
	case VIEW_COMMANDS:
		return state_cursor_way(state, way);
	case VIEW_GROUPS:
		return state_cursor_way(state, way) && keep_tasks(way);
	case VIEW_PROBES:
		hit = probe_view_hit(probe_view_of(state));
		if (!state_probe_here(state) || !hit)
			return false;
		*way = (struct cursor_way){ .count = 1, .event = state->query.sample_event };
		way->parts[0] = (struct filter_part){ .field = FILTER_PID, .number = hit->pid };
		snprintf(way->parts[0].text, sizeof(way->parts[0].text), "%s", hit->comm);
		return true;
	default:
		return false;
	}
}

void cmd_threads(struct ui_state *state)
{
	struct cursor_way way;

	if (!state->threads_control) {
		state_say(state, "threads are read where they run: start flametop without -i");
		return;
	}
	if (way_to_task(state, &way))
		state_go_way(state, VIEW_THREADS, &way);
	else
		state_go(state, VIEW_THREADS, NULL);
	if (state_kind(state) == VIEW_THREADS)	/* else there is no room for a level */
		look(state);
}

void cmd_look_again(struct ui_state *state)
{
	look(state);
}

/* Rows as text. */

static const char *comm_of(const struct thread_now *now, char out[NAME_BYTES])
{
	sanitize_text(out, NAME_BYTES, now->comm, strlen(now->comm));
	return out;
}

/* Writes the next word of @at, a kernel function, to @name. Returns what follows. */
static const char *next_function(const char *at, char name[NAME_BYTES])
{
	const size_t length = strcspn(at, " ");

	sanitize_text(name, NAME_BYTES, at, length);
	return at + length + (at[length] == ' ');
}

static void append(char *out, size_t room, const char *name)
{
	const size_t used = strlen(out);

	snprintf(out + used, room - used, "%s%s", used ? " \u00b7 " : "", name);
}

/* Writes the functions of the stack, the innermost first, without those of the C library in which
 * it waits; of a thread without a user stack those of the kernel, else why there are none. */
static enum role format_stack(const struct thread_entry *entry, char out[ROW_BYTES])
{
	const char *kernel = entry->now->kernel;
	uint32_t first = 0;
	char name[NAME_BYTES];

	out[0] = '\0';
	while (first < entry->frame_count && wait_name_is_wrapper(entry->frames[first]))
		first++;
	if (first == entry->frame_count)
		first = 0;
	for (uint32_t i = first; i < entry->frame_count; i++)
		append(out, ROW_BYTES, entry->frames[i]);
	if (entry->frame_count)
		return ROLE_TEXT;
	while (kernel && *kernel && entry->now->look != THREAD_SILENT) {
		kernel = next_function(kernel, name);
		append(out, ROW_BYTES, name);
	}
	if (out[0])
		return ROLE_KERNEL;
	snprintf(out, ROW_BYTES, "%s", thread_rows_reason(entry->now));
	return ROLE_DIM;
}

/* The text of a row that is searched: what it shows, and its kernel functions. */
static const char *text_of(const struct thread_entry *entry, char out[ROW_BYTES])
{
	char name[NAME_BYTES], stack[ROW_BYTES];
	const char *kernel = entry->now->kernel;

	format_stack(entry, stack);
	snprintf(out, ROW_BYTES, "%" PRIu32 " %s %s", entry->now->tid,
		 comm_of(entry->now, name), thread_rows_wait(entry->now));
	while (kernel && *kernel) {
		kernel = next_function(kernel, name);
		append(out, ROW_BYTES, name);
	}
	append(out, ROW_BYTES, stack);
	return out;
}

/* Which rows are shown. */

static bool is_of_kernel(const struct thread_now *now)
{
	return now->look == THREAD_KERNEL_ONLY && now->state != 'Z';
}

/* Kernel threads alone are shown in any case: they were asked for. */
static bool has_user_threads(const struct thread_rows *rows)
{
	for (uint32_t i = 0; i < rows->row_count; i++)
		if (!is_of_kernel(rows->entries[rows->rows[i].first].now))
			return true;
	return false;
}

/* Collects the rows to be shown. The cursor stays on its thread. */
static void select_rows(struct threads_view *view)
{
	const struct thread_rows *rows = rows_of(view);
	const bool hides_kernel = rows && !view->shows_kernel && has_user_threads(rows);
	uint32_t *shown = rows ? malloc((rows->row_count + 1) * sizeof(*shown)) : NULL;
	char text[ROW_BYTES];
	size_t at;

	free(view->shown);
	view->shown = shown;
	view->shown_count = view->kernel_threads = 0;
	for (uint32_t i = 0; shown && i < rows->row_count; i++) {
		const struct thread_entry *entry = &rows->entries[rows->rows[i].first];

		if (hides_kernel && is_of_kernel(entry->now))
			view->kernel_threads += rows->rows[i].count;
		else if (!view->filter[0] || search_matches(view->filter, text_of(entry, text)))
			shown[view->shown_count++] = i;
	}
	if (!view->shown_count)
		return;
	table_place_carry(&view->place, extent_of(view),
			  find_thread(view, view->place.cursor_id, &at) ? at : view->place.cursor);
	keep_id(view);
}

void cmd_kernel_threads(struct ui_state *state)
{
	struct threads_view *view = view_of_state(state);

	view->shows_kernel = !view->shows_kernel;
	select_rows(view);
}

static void filter_typed(struct ui_state *state)
{
	struct threads_view *view = view_of_state(state);

	snprintf(view->filter, sizeof(view->filter), "%s", state->prompt.text);
	select_rows(view);
}

static void filter_cancelled(struct ui_state *state)
{
	struct threads_view *view = view_of_state(state);

	snprintf(view->filter, sizeof(view->filter), "%s", state->filter_before);
	select_rows(view);
}

void cmd_filter_threads(struct ui_state *state)
{
	static const struct prompt_use use = {
		.label = "threads with:", .edited = filter_typed, .accepted = filter_typed,
		.cancelled = filter_cancelled,
	};

	snprintf(state->filter_before, sizeof(state->filter_before), "%s",
		 view_of_state(state)->filter);
	state_open_prompt(state, &use, view_of_state(state)->filter);
}

void view_threads_found(struct ui_state *state)
{
	struct threads_view *view = view_of_state(state);
	struct threads_found *found = state->threads_control->take(state->threads_control->owner);

	if (!found || found->number != view->asked.number) {
		threads_found_destroy(found);
		return;
	}
	threads_found_destroy(view->found);
	view->found = found;
	view->is_looking = false;
	select_rows(view);
	state->is_changed = true;
}

/* The thread that has the lock which @entry, one of a circle, waits for. */
static uint32_t owner_of(const struct thread_rows *rows, const struct thread_entry *entry)
{
	const struct thread_circle *circle = &rows->circles[entry->circle - 1];
	const struct thread_entry *waiting = &rows->waiting[circle->first];
	uint32_t at = 0;

	while (at + 1 < circle->count && waiting[at].now->tid != entry->now->tid)
		at++;
	return waiting[(at + 1) % circle->count].now->tid;
}

/* Writes what the end of a row says: how many are alike, whom it waits for. "": nothing. */
static void format_note(const struct thread_rows *rows, const struct thread_row *row,
			char out[FORMAT_BYTES])
{
	out[0] = '\0';
	if (row->circle && row->count == 1)
		snprintf(out, FORMAT_BYTES, "waits for %" PRIu32,
			 owner_of(rows, &rows->entries[row->first]));
	else if (row->circle)
		snprintf(out, FORMAT_BYTES, "%" PRIu32 " in a circle", row->count);
	else if (row->count > 1)
		snprintf(out, FORMAT_BYTES, "%" PRIu32 " alike", row->count);
}

static void format_since(uint64_t ns, char out[FORMAT_BYTES])
{
	if (ns)
		format_duration(out, (double)ns / (double)CLOCK_NS_PER_S);
	else
		snprintf(out, FORMAT_BYTES, "-");
}

static void format_wall(uint64_t wall_ns, char out[FORMAT_BYTES])
{
	const time_t seconds = (time_t)(wall_ns / CLOCK_NS_PER_S);
	struct tm local;
	size_t length = 0;

	if (localtime_r(&seconds, &local))
		length = strftime(out, FORMAT_BYTES, "%H:%M:%S", &local);
	snprintf(out + length, FORMAT_BYTES - length, ".%03u",
		 (unsigned int)(wall_ns % CLOCK_NS_PER_S / CLOCK_NS_PER_MS));
}

/* Drawing. */

static struct canvas_area at_line(struct canvas_area area, int y)
{
	area.y = y;
	return area;
}

static struct columns_at place_columns(const struct canvas *canvas)
{
	const bool is_plain = canvas->width < PLAIN_CELLS;
	const int end = canvas->width - 1;
	struct columns_at at = { .state = { MARKER_CELLS, 0, is_plain ? 1 : STATE_CELLS } };
	int x = MARKER_CELLS + at.state.width + 1;

	at.since = (struct canvas_area){ x, 0, SINCE_CELLS };
	x += SINCE_CELLS + 1;
	if (!is_plain) {
		at.tid = (struct canvas_area){ x, 0, TID_CELLS };
		x += TID_CELLS + 2;
		at.command = (struct canvas_area){
			x, 0, canvas->width < WIDE_CELLS ? SHORT_CELLS : COMMAND_CELLS
		};
		x += at.command.width + 1;
	}
	at.wait = (struct canvas_area){ x, 0, WAIT_CELLS };
	x += WAIT_CELLS + 1;
	at.stack = (struct canvas_area){ x, 0, end > x ? end - x : 0 };
	return at;
}

static void draw_titles(const struct columns_at *at, struct canvas *canvas, int y)
{
	canvas_put_text(canvas, at_line(at->state, y),
			at->tid.width ? SAFE_TEXT("STATE") : SAFE_TEXT("S"), ROLE_HEADING);
	canvas_put_right(canvas, at_line(at->since, y), SAFE_TEXT("SINCE"), ROLE_HEADING);
	canvas_put_right(canvas, at_line(at->tid, y), SAFE_TEXT("TID"), ROLE_HEADING);
	canvas_put_text(canvas, at_line(at->command, y), SAFE_TEXT("COMMAND"), ROLE_HEADING);
	canvas_put_text(canvas, at_line(at->wait, y), SAFE_TEXT("WAIT"), ROLE_HEADING);
	canvas_put_text(canvas, at_line(at->stack, y), SAFE_TEXT("STACK"), ROLE_HEADING);
}

static void draw_row(const struct thread_rows *rows, const struct columns_at *at,
		     const struct thread_row *row, struct canvas *canvas, int y)
{
	const struct thread_entry *entry = &rows->entries[row->first];
	const enum role role = row->circle ? ROLE_HOT : ROLE_TEXT;
	const char *wait = thread_rows_wait(entry->now);
	char text[ROW_BYTES], name[NAME_BYTES], cell[FORMAT_BYTES];
	struct canvas_area stack = at_line(at->stack, y);
	enum role of_stack;

	if (row->circle)
		canvas_put_text(canvas, (struct canvas_area){ 0, y, 1 }, SAFE_TEXT("!"), ROLE_HOT);
	snprintf(cell, sizeof(cell), "%c", entry->now->state);
	canvas_put_text(canvas, at_line(at->state, y), canvas_clean(cell), role);
	format_since(row->longest_ns, cell);
	canvas_put_right(canvas, at_line(at->since, y), canvas_clean(cell), ROLE_TEXT);
	snprintf(cell, sizeof(cell), "%" PRIu32, entry->now->tid);
	canvas_put_right(canvas, at_line(at->tid, y), canvas_clean(cell), ROLE_TEXT);
	canvas_put_text(canvas, at_line(at->command, y), canvas_clean(comm_of(entry->now, name)),
			role);
	canvas_put_text(canvas, at_line(at->wait, y), canvas_clean(*wait ? wait : "-"), ROLE_TEXT);
	format_note(rows, row, cell);
	if (cell[0] && stack.width >= NOTE_LEAST)
		stack.width -= canvas_put_right(canvas, stack, canvas_clean(cell),
						row->circle ? ROLE_HOT : ROLE_DIM) + 2;
	of_stack = format_stack(entry, text);
	canvas_put_text(canvas, stack, canvas_clean(text), of_stack);
}

/* What was found, in a line: deadlocks first. */
static void draw_summary(const struct threads_view *view, const struct thread_rows *rows,
			 struct canvas *canvas, int y)
{
	const struct thread_listing *listing = &view->found->listing;
	struct pieces line = { .gap = " \u00b7 " };
	char time[FORMAT_BYTES];

	format_wall(listing->time_ns, time);
	if (rows->circle_count)
		pieces_add(&line, 1, ROLE_HOT, "%" PRIu32 " deadlock%s", rows->circle_count,
			   rows->circle_count > 1 ? "s" : "");
	pieces_add(&line, 2, ROLE_TEXT, "%" PRIu32 " thread%s of %" PRIu32 " process%s",
		   rows->entry_count, rows->entry_count == 1 ? "" : "s", rows->process_count,
		   rows->process_count == 1 ? "" : "es");
	pieces_add(&line, 3, ROLE_TEXT, "at %s", time);
	if (view->filter[0])
		pieces_add(&line, 1, ROLE_STATE, "with \u201c%s\u201d", view->filter);
	if (view->kernel_threads)
		pieces_add(&line, 3, ROLE_DIM, "%" PRIu32 " kernel threads left out (i shows them)",
			   view->kernel_threads);
	if (view->is_looking)
		pieces_add(&line, 1, ROLE_STATE, "looking again\u2026");
	if (listing->incomplete)
		pieces_add(&line, 4, ROLE_DIM, "%" PRIu64 " stacks end early", listing->incomplete);
	if (listing->dropped)
		pieces_add(&line, 2, ROLE_LOSS, "%" PRIu64 " stacks left out: no memory",
			   listing->dropped);
	pieces_add(&line, 5, ROLE_DIM, "nothing was stopped");
	pieces_fit(canvas, &line, canvas->width - MARKER_CELLS - 1);
	pieces_put(canvas, (struct canvas_area){ MARKER_CELLS, y, canvas->width - MARKER_CELLS },
		   &line);
}

/* The innermost kernel functions of the cursor's row, and since when it waits. */
static void draw_detail(const struct threads_view *view, const struct ui_state *state,
			struct canvas *canvas, int y)
{
	const struct thread_now *now = entry_at(view, view->place.cursor)->now;
	struct pieces line = { .gap = " \u00b7 " };
	const char *kernel = now->kernel;
	char time[FORMAT_BYTES], name[NAME_BYTES];

	pieces_add(&line, 1, ROLE_TEXT, "%" PRIu32 " of process %" PRIu32, now->tid, now->pid);
	if (now->since_ns) {
		format_wall(now->since_ns + state->display.wall_offset_ns, time);
		if (now->is_since_exact)
			pieces_add(&line, 2, ROLE_TEXT, "since %s", time);
		else	/* without the milliseconds */
			pieces_add(&line, 2, ROLE_TEXT, "since about %.8s", time);
	}
	if (now->futex)
		pieces_add(&line, 2, ROLE_TEXT, "lock 0x%" PRIx64, now->futex);
	for (int i = 0; i < 4 && kernel && *kernel; i++) {
		kernel = next_function(kernel, name);
		pieces_add(&line, 3 + i, ROLE_KERNEL, "%s", name);
	}
	if (!now->kernel && *thread_rows_reason(now))
		pieces_add(&line, 3, ROLE_DIM, "%s", thread_rows_reason(now));
	pieces_fit(canvas, &line, canvas->width - 4);
	canvas_put_text(canvas, (struct canvas_area){ 1, y, 1 }, SAFE_TEXT("\u25b8"), ROLE_DIM);
	pieces_put(canvas, (struct canvas_area){ 3, y, canvas->width - 4 }, &line);
}

/* Says why there are no rows. */
static void draw_trouble(const struct threads_view *view, struct canvas *canvas, int y, int end)
{
	if (view->is_looking || !view->found) {
		text_lines_draw(canvas, y, end, "reading where the threads are\u2026", ROLE_TEXT);
		return;
	}
	y = text_lines_draw(canvas, y, end, view->found->why.err ? view->found->why.text
			    : "no thread has the text of the filter", ROLE_TEXT);
	text_lines_draw(canvas, y, end, "@ looks again; Backspace goes back.", ROLE_DIM);
}

static void draw_threads(struct view *of, struct ui_state *state, struct canvas *canvas, int top,
			 int lines)
{
	struct threads_view *view = (struct threads_view *)of;
	const struct thread_rows *rows = rows_of(view);
	const int detail = canvas->height >= DETAIL_HEIGHT;
	const struct columns_at at = place_columns(canvas);

	view->page = lines - detail > 2 ? (size_t)(lines - detail - 2) : 1;
	if (!rows || !view->shown_count) {
		if (rows)
			draw_summary(view, rows, canvas, top);
		draw_trouble(view, canvas, top + 1, top + lines);
		return;
	}
	table_place_fit(&view->place, extent_of(view));
	draw_summary(view, rows, canvas, top);
	draw_titles(&at, canvas, top + 1);
	for (size_t i = view->place.top;
	     i < view->shown_count && i < view->place.top + view->page; i++) {
		const int y = top + 2 + (int)(i - view->place.top);

		draw_row(rows, &at, row_at(view, i), canvas, y);
		if (i == view->place.cursor)
			canvas_select_line(canvas, y);
		search_highlight(canvas, (struct canvas_area){ 0, y, canvas->width },
				 state->search);
	}
	hits_add(&state->display.hits, (struct hit){ HIT_ROWS, 0, top + 2, canvas->width,
						     (int)view->page, view->place.top });
	if (detail)
		draw_detail(view, state, canvas, top + lines - 1);
}

static void add_options(const struct ui_state *state, struct command_line *line)
{
	(void)state;
	command_line_note(line, "flametop --threads-now prints threads; this line samples.");
}

/* Moving and finding. */

static void move_threads(struct view *of, enum view_move move)
{
	struct threads_view *view = (struct threads_view *)of;

	table_place_move(&view->place, extent_of(view), move);
	keep_id(view);
}

static void scroll_threads(struct view *of, int lines)
{
	struct threads_view *view = (struct threads_view *)of;

	table_place_scroll(&view->place, extent_of(view), lines);
	keep_id(view);
}

static void select_row(struct threads_view *view, size_t index)
{
	table_place_set(&view->place, extent_of(view), index);
	keep_id(view);
}

static bool select_hit(struct view *of, const struct hit *hit, const struct mouse *mouse)
{
	struct threads_view *view = (struct threads_view *)of;

	(void)mouse;
	if (hit->number >= extent_of(view).rows)
		return false;
	select_row(view, hit->number);
	return true;
}

static bool find_text(struct view *of, const struct ui_state *state, const char *text, int step)
{
	struct threads_view *view = (struct threads_view *)of;
	const struct thread_rows *rows = rows_of(view);
	const size_t count = rows && text[0] ? view->shown_count : 0;
	const size_t each = step < 0 ? count - 1 : 1;
	size_t at = view->place.cursor + (step < 0 ? count - 1 : (size_t)step);
	char row[ROW_BYTES];

	(void)state;
	for (size_t i = 0; i < count; i++, at += each) {
		if (!search_matches(text, text_of(entry_at(view, at % count), row)))
			continue;
		select_row(view, at % count);
		return true;
	}
	return false;
}

static void finish_threads(struct view *view)
{
	threads_found_destroy(((struct threads_view *)view)->found);
	free(((struct threads_view *)view)->shown);
}

/* The page of one row. */

static void add_fact(struct pager *pager, const char *label, const char *text)
{
	pager_add(pager, ROLE_TEXT, LABEL_CELLS, "%-*s%s", LABEL_CELLS, label, text);
}

static const char *state_text(char state)
{
	switch (state) {
	case 'R': return "R (runs, or waits for a CPU)";
	case 'S': return "S (sleeps)";
	case 'D': return "D (waits for a device)";
	case 'T': return "T (is stopped)";
	case 't': return "t (is stopped by a debugger)";
	case 'Z': return "Z (has ended)";
	case 'I': return "I (an idle kernel thread)";
	default:  return "?";
	}
}

static void add_since(struct pager *pager, const struct thread_row *row)
{
	char text[3 * FORMAT_BYTES], longest[FORMAT_BYTES], shortest[FORMAT_BYTES];

	format_since(row->longest_ns, longest);
	format_since(row->shortest_ns, shortest);
	if (row->count == 1 || !row->longest_ns)
		snprintf(text, sizeof(text), "%s", row->longest_ns ? longest : "unknown");
	else
		snprintf(text, sizeof(text), "%s the longest, %s the shortest", longest, shortest);
	add_fact(pager, "Since", text);
}

static void add_ids(struct pager *pager, const struct thread_entry *entries, uint32_t count)
{
	char line[IDS_PER_LINE * 12], id[FORMAT_BYTES];

	for (uint32_t i = 0; i < count;) {
		const char *label = i ? "" : count > 1 ? "TIDs" : "TID";

		line[0] = '\0';
		for (int in_line = 0; i < count && in_line < IDS_PER_LINE; in_line++, i++) {
			snprintf(id, sizeof(id), "%s%" PRIu32, in_line ? " " : "",
				 entries[i].now->tid);
			strncat(line, id, sizeof(line) - strlen(line) - 1);
		}
		add_fact(pager, label, line);
	}
}

static void add_circle(struct pager *pager, const struct thread_rows *rows,
		       const struct thread_circle *circle)
{
	char name[NAME_BYTES];

	pager_add(pager, ROLE_TEXT, 0, " ");
	pager_add(pager, ROLE_HOT, 0, "DEADLOCK: THEY WAIT FOR EACH OTHER");
	for (uint32_t i = 0; i < circle->count; i++) {
		const struct thread_entry *entry = &rows->waiting[circle->first + i];
		const char *function = thread_rows_waits_in(entry);

		pager_add(pager, ROLE_TEXT, 4, "  %" PRIu32 " %s waits in %s for the lock at 0x%"
			  PRIx64 ", which %" PRIu32 " has", entry->now->tid,
			  comm_of(entry->now, name), *function ? function : "?",
			  entry->now->futex, owner_of(rows, entry));
	}
}

static void add_stack(struct pager *pager, const struct thread_entry *entry)
{
	const char *kernel = entry->now->kernel, *reason = thread_rows_reason(entry->now);
	char name[NAME_BYTES];

	pager_add(pager, ROLE_TEXT, 0, " ");
	pager_add(pager, ROLE_HEADING, 0, "ITS STACK");
	while (kernel && *kernel) {
		kernel = next_function(kernel, name);
		pager_add(pager, ROLE_KERNEL, 4, "  %s [k]", name);
	}
	for (uint32_t i = 0; i < entry->frame_count; i++)
		pager_add(pager, ROLE_TEXT, 4, "  %s", entry->frames[i]);
	if (*reason)
		pager_add(pager, ROLE_DIM, 4, "  %s", reason);
}

void cmd_open_stack(struct ui_state *state)
{
	const struct threads_view *view = view_of_state(state);
	const struct thread_rows *rows = rows_of(view);
	struct pager *pager = &((struct stack_page *)state->pages[PAGE_STACK])->pager;
	const struct thread_entry *entry;
	const struct thread_row *row;
	char text[NAME_BYTES];

	if (!rows || view->place.cursor >= view->shown_count) {
		state_say(state, "there is no thread here");
		return;
	}
	row = row_at(view, view->place.cursor);
	entry = &rows->entries[row->first];
	pager_clear(pager);
	pager->top = 0;
	add_fact(pager, "Command", comm_of(entry->now, text));
	snprintf(text, sizeof(text), "%" PRIu32 "%s", entry->now->pid,
		 entry[row->count - 1].now->pid != entry->now->pid ? " and others" : "");
	add_fact(pager, "PID", text);
	add_ids(pager, entry, row->count);
	add_fact(pager, "State", state_text(entry->now->state));
	add_since(pager, row);
	add_fact(pager, "Waits for", *thread_rows_wait(entry->now) ? thread_rows_wait(entry->now)
								   : "unknown");
	if (row->circle)
		add_circle(pager, rows, &rows->circles[row->circle - 1]);
	add_stack(pager, entry);
	state_open_view(state, &pager->view);
}

const struct view_ops view_threads_ops = {
	.place = IN_THREADS,
	.open = "open-stack",
	.menu = "open-stack",
	.bytes = sizeof(struct threads_view),
	.finish = finish_threads,
	.draw = draw_threads,
	.add_options = add_options,
	.move = move_threads,
	.scroll = scroll_threads,
	.select = select_hit,
	.find = find_text,
};

const struct view_ops view_stack_ops = {
	PAGER_OPS(struct stack_page),
	.title = "Stack",
	.draw = pager_draw,
};
