/* column_cells.c - the cells of each column and its sort order. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "change.h"
#include "fold/wait_stacks.h"
#include "event_cells.h"
#include "format.h"
#include "hit_weight.h"
#include "probe_columns.h"
#include "symbol_fold.h"
#include "term/canvas.h"
#include "ui/views.h"

#define BAR_BYTES 64
#define PLACE_BYTES 1100	/* the longest name of a function, and an offset */
#define GAP_CELLS 1		/* between a symbol's level, its name and a note */

static enum role code_role(const struct snapshot_row *row)
{
	if (change_row_is_gone(row))
		return ROLE_DIM;
	if (row->state != SYMBOL_NAMED || row->is_synthetic)
		return ROLE_UNRESOLVED;
	return row_role_of_code(row->mode, false);
}

static const char *level_tag(enum cpu_mode mode)
{
	static const char *const tags[] = {
		[MODE_UNKNOWN] = "[?]",	     [MODE_KERNEL] = "[k]",	  [MODE_USER] = "[.]",
		[MODE_HYPERVISOR] = "[H]",   [MODE_GUEST_KERNEL] = "[g]", [MODE_GUEST_USER] = "[u]",
	};

	return tags[mode];
}

/* Idle is not part of 100 %, so an idle row has no share. */
static void put_share(struct canvas *canvas, struct canvas_area area,
		      const struct column_row *of, double weight)
{
	const double pct = snapshot_row_pct(of->snapshot, of->row, weight);
	char text[FORMAT_BYTES];

	if (of->row->is_idle)
		canvas_put_right(canvas, area, SAFE_TEXT("idle"), ROLE_DIM);
	else if (change_row_is_gone(of->row))
		canvas_put_right(canvas, area, SAFE_TEXT("gone"), ROLE_DIM);
	else
		canvas_put_right(canvas, area, canvas_clean(format_pct(text, pct)),
				 row_role_of_share(pct));
}

static void put_self(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	put_share(canvas, area, of, of->row->now.self.weight);
}

static void put_total(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	if (change_row_is_gone(of->row)) {	/* SELF% says so */
		canvas_put_right(canvas, area, SAFE_TEXT("-"), ROLE_DIM);
		return;
	}
	put_share(canvas, area, of, of->row->now.total.weight);
}

/* Bars are measured by the hottest row: by 100 % most of them would be one dot. Rows of several
 * events are measured by 100 %. */
static double hottest_weight(const struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->row_count; i++)
		if (!snapshot->rows[i].is_idle)
			return snapshot->rows[i].now.self.weight;
	return 0;
}

static void put_bar(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	const double hottest = of->snapshot->keys & KEY_EVENT ? of->row->whole
							      : hottest_weight(of->snapshot);
	char text[128];

	if (of->row->is_idle || hottest <= 0)
		return;
	format_bar(text, sizeof(text), area.width, of->row->now.self.weight / hottest,
		   canvas->is_ascii);
	canvas_put_text(canvas, area, canvas_clean(text),
			row_role_of_share(snapshot_row_pct(of->snapshot, of->row,
							   of->row->now.self.weight)));
}

static void put_samples(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	char text[FORMAT_BYTES];

	canvas_put_right(canvas, area, canvas_clean(format_count(text, of->row->now.self.samples)),
			 ROLE_DIM);
}

static void put_period(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	char text[FORMAT_BYTES];

	canvas_put_right(canvas, area,
			 canvas_clean(format_count(text, (uint64_t)of->row->now.self.weight)),
			 ROLE_DIM);
}

static void put_time(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	char text[FORMAT_BYTES];

	hit_weight_of_row(text, of->snapshot, of->row->now.self.weight);
	canvas_put_right(canvas, area, canvas_clean(text),
			 of->row->now.self.samples ? ROLE_TEXT : ROLE_DIM);
}

/* Cuts from a list of names @rest, which nearly all waits have besides, unless it is all. */
static void put_list(struct canvas *canvas, struct canvas_area area, const char *list,
		     const char *rest)
{
	const size_t length = strlen(list), rest_length = strlen(rest);
	char text[128];

	snprintf(text, sizeof(text), "%s", list[0] ? list : "-");
	if (length > rest_length + 2 && length < sizeof(text)) {
		if (!strcmp(text + length - rest_length, rest))
			text[length - rest_length - 2] = '\0';
		else if (!strncmp(text, rest, rest_length) && text[rest_length] == ',')
			memmove(text, text + rest_length + 2, length - rest_length - 1);
	}
	canvas_put_text(canvas, area, canvas_clean(text), list[0] ? ROLE_TEXT : ROLE_DIM);
}

static void put_wait(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	put_list(canvas, area, of->row->wait, wait_kind_name(WAIT_KIND_RUN_QUEUE));
}

static void put_wait_state(struct canvas *canvas, struct canvas_area area,
			   const struct column_row *of)
{
	put_list(canvas, area, of->row->wait_state, wait_state_name(WAIT_RUNNABLE));
}

static void put_waker(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	canvas_put_text(canvas, area, canvas_clean(of->row->waker[0] ? of->row->waker : "-"),
			of->row->waker[0] ? ROLE_TEXT : ROLE_DIM);
}

static void put_event(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	canvas_put_text(canvas, area, canvas_clean(of->row->event), ROLE_TEXT);
}

static void put_number(struct canvas *canvas, struct canvas_area area, int64_t number)
{
	char text[FORMAT_BYTES] = "-";

	if (number >= 0)
		snprintf(text, sizeof(text), "%" PRId64, number);
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_TEXT);
}

/* Shows the TID for a thread listed under its process, to tell the threads apart. */
static void put_pid(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	put_number(canvas, area, snapshot_row_is_thread(of->row) ? of->row->tid : of->row->pid);
}

static void put_tid(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	put_number(canvas, area, of->row->tid);
}

static void put_cpu(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	put_number(canvas, area, of->row->cpu);
}

static void put_rate(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	const double rate = snapshot_per_s(of->row->now.self.samples, of->snapshot->window_s);
	char text[FORMAT_BYTES] = "-";

	if (rate >= 0)
		format_count(text, (uint64_t)(rate + 0.5));
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_DIM);
}

static void put_cpu_pct(struct canvas *canvas, struct canvas_area area,
			const struct column_row *of)
{
	char text[FORMAT_BYTES] = "-";

	if (of->row->cpu_pct >= 0)
		snprintf(text, sizeof(text), "%.*f", of->row->cpu_pct < 9999.95, of->row->cpu_pct);
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_TEXT);
}

static void put_state(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	const char text[] = { of->row->task_state ? of->row->task_state : '-', '\0' };

	canvas_put_text(canvas, area, canvas_clean(text),
			of->row->task_state == 'R' ? ROLE_TEXT : ROLE_DIM);
}

static void put_threads(struct canvas *canvas, struct canvas_area area,
			const struct column_row *of)
{
	if (!snapshot_row_is_thread(of->row))
		put_number(canvas, area, of->row->threads ? (int64_t)of->row->threads : -1);
}

static void put_busy(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	char text[FORMAT_BYTES] = "-";

	if (of->row->busy_pct >= 0)
		snprintf(text, sizeof(text), "%.0f", of->row->busy_pct);
	canvas_put_right(canvas, area, canvas_clean(text), ROLE_TEXT);
}

/* A process without one is shown as ps(1) does, a thread by its name: COMMAND may have no room. */
static void put_command_line(struct canvas *canvas, struct canvas_area area,
			     const struct column_row *of)
{
	const char *text = of->row->command_line;
	char name[128];		/* 15 bytes, sanitized */

	if (of->row->ended_processes) {
		snprintf(name, sizeof(name), "%" PRIu32 " processes, ended",
			 of->row->ended_processes);
		text = name;
	} else if (of->row->id == ROW_OF_SHORT_WAITS) {
		text = of->row->comm;
	} else if (!text[0] && of->row->comm[0]) {
		snprintf(name, sizeof(name), snapshot_row_is_thread(of->row) ? "\u00b7 %s" : "[%s]",
			 of->row->comm);
		text = name;
	}
	canvas_put_text(canvas, area, canvas_clean(text[0] ? text : "-"), ROLE_DIM);
}

static void put_tasks(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	char text[FORMAT_BYTES];

	if (of->row->id == ROW_OF_SHORT_WAITS)
		return;
	if (of->row->tasks)
		snprintf(text, sizeof(text), "%" PRIu32 " tasks", of->row->tasks);
	else	/* large windows: not counted, see struct snapshot_row */
		snprintf(text, sizeof(text), "several");
	canvas_put_text(canvas, area, canvas_clean(text), ROLE_DIM);
}

/* Returns the mark of a process whose threads can be folded in or out. */
static const char *fold_mark(const struct column_row *of)
{
	if (!(of->snapshot->keys & KEY_GROUP))
		return "";
	if (of->row->group_id)
		return "  \u00b7 ";
	if (of->row->tasks < 2)
		return "  ";
	return of->is_unfolded ? "\u25be " : "\u25b8 ";
}

/* The number stays where the column is too narrow for all. */
static void put_ended(struct canvas *canvas, struct canvas_area area,
		      const struct snapshot_row *row)
{
	char number[32];
	int name_width, used;

	snprintf(number, sizeof(number), " \u00d7%" PRIu32, row->ended_processes);
	name_width = area.width - canvas_text_width(canvas, number);
	if (name_width < 1)
		name_width = 1;
	used = canvas_put_text(canvas, (struct canvas_area){ area.x, area.y, name_width },
			       canvas_clean(row->comm), ROLE_TEXT);
	area.x += used;
	area.width -= used;
	used = canvas_put_text(canvas, area, canvas_clean(number), ROLE_TEXT);
	area.x += used;
	area.width -= used;
	if (area.width >= canvas_text_width(canvas, ", ended"))
		canvas_put_text(canvas, area, canvas_clean(", ended"), ROLE_DIM);
}

static void put_command(struct canvas *canvas, struct canvas_area area,
			const struct column_row *of)
{
	const int used = canvas_put_text(canvas, area, canvas_clean(fold_mark(of)), ROLE_DIM);

	if (of->row->id == ROW_OF_SHORT_WAITS && of->snapshot->keys & KEY_PID)
		return;		/* it has no command line: its name is there */
	area.x += used;
	area.width -= used;
	if (of->row->ended_processes)
		put_ended(canvas, area, of->row);
	else if (of->row->comm[0] || of->row->tasks == 1)
		canvas_put_text(canvas, area, canvas_clean(of->row->comm[0] ? of->row->comm : "-"),
				ROLE_TEXT);
	else
		put_tasks(canvas, area, of);
}

static void put_dso(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	canvas_put_text(canvas, area, canvas_clean(of->row->dso[0] ? of->row->dso : "-"),
			ROLE_DIM);
}

/* Returns @symbol, or "schedule+0x1c" in @out. */
static const char *format_place(char out[PLACE_BYTES], const char *symbol, uint64_t offset)
{
	if (!offset)
		return symbol;
	snprintf(out, PLACE_BYTES, "%s+0x%" PRIx64, symbol, offset);
	return out;
}

static void put_from(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	const struct snapshot_row *row = of->row;
	char place[PLACE_BYTES];
	int used;

	if (!row->from_dso_path[0])
		return;
	used = canvas_put_text(canvas, area, canvas_clean(level_tag(row->from_mode)),
			       ROLE_TEXT) + GAP_CELLS;
	area.x += used;
	area.width -= used;
	canvas_put_text(canvas, area,
			canvas_clean(format_place(place, row->from_symbol, row->from_offset)),
			ROLE_TEXT);
}

static int by_from(const struct snapshot_row *a, const struct snapshot_row *b)
{
	const int result = strcasecmp(a->from_symbol, b->from_symbol);

	return result ? result : (a->from_address > b->from_address) -
				 (a->from_address < b->from_address);
}

static void put_mispredicted(struct canvas *canvas, struct canvas_area area,
			     const struct column_row *of)
{
	const double pct = snapshot_row_mispredicted_pct(of->row);
	char text[FORMAT_BYTES];

	if (pct < 0)
		canvas_put_right(canvas, area, SAFE_TEXT("-"), ROLE_DIM);
	else
		canvas_put_right(canvas, area, canvas_clean(format_pct(text, pct)), ROLE_TEXT);
}

/* The branches that were mispredicted most often come first, not those that were so always. */
static int by_mispredicted(const struct snapshot_row *a, const struct snapshot_row *b)
{
	if (a->mispredicted != b->mispredicted)
		return a->mispredicted > b->mispredicted ? -1 : 1;
	return (a->now.self.weight < b->now.self.weight) -
	       (a->now.self.weight > b->now.self.weight);
}

static void put_symbol(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	const enum role role = code_role(of->row);
	const char *level = of->row->id == ROW_OF_SHORT_WAITS ? "   " : level_tag(of->row->mode);
	int used = canvas_put_text(canvas, area, canvas_clean(level), role) + GAP_CELLS;
	char address[FORMAT_BYTES];
	char folded[SYMBOL_FOLD_BYTES], place[PLACE_BYTES];
	const char *name = format_place(place, of->row->symbol, of->row->offset);
	const char *note = of->row->is_synthetic ? "no symbol" : "";

	if (of->row->state == SYMBOL_LOADING) {
		name = of->row->dso;	/* its column may have no room */
		note = "loading";
	} else if (of->row->state != SYMBOL_NAMED && of->row->state != SYMBOL_NO_MAP) {
		note = of->row->state == SYMBOL_UNREADABLE ? of->row->reason : "no symbol";
		if (name[0] == '\0') {
			snprintf(address, sizeof(address), "0x%" PRIx64, of->row->address);
			name = address;
		}
	}

	area.x += used;
	area.width -= used;
	if (of->row->state == SYMBOL_NAMED)
		name = symbol_fold(canvas, name, area.width, folded);
	used = canvas_put_text(canvas, area, canvas_clean(name), role);
	area.x += used + GAP_CELLS;
	area.width -= used + GAP_CELLS;
	if (note[0] && area.width > 3) {	/* at least "(x)" */
		area.width -= 1;
		canvas_put_text(canvas, area, SAFE_TEXT("("), ROLE_DIM);
		area.x += 1;
		area.width -= 1;
		used = canvas_put_text(canvas, area, canvas_clean(note), ROLE_DIM);
		area.x += used;
		area.width = 1;
		canvas_put_text(canvas, area, SAFE_TEXT(")"), ROLE_DIM);
	}
}

static void put_source(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	const struct snapshot_row *row = of->row;
	const char *text = row->source[0] ? row->source : row->source_reason;

	canvas_put_text(canvas, area, canvas_clean(text[0] ? text : "-"), ROLE_DIM);
}

static bool is_probe_of(const struct snapshot_probe *probe, const struct snapshot_row *row)
{
	const char *name = probe_plain_name(probe);

	return !strcmp(probe->dso, row->dso) &&
	       (!strcmp(name, row->raw_symbol) || !strcmp(name, row->symbol));
}

/* The live numbers of a probe on the row's function stand beside its samples. */
static void put_probe(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	const struct snapshot_probes *probes = &of->snapshot->probes;
	char text[2 * FORMAT_BYTES + 8], rate[FORMAT_BYTES] = "-", latency[FORMAT_BYTES] = "";

	for (uint32_t i = 0; of->row->symbol[0] && i < probes->count; i++) {
		const struct snapshot_probe *probe = &probes->list[i];

		if (!is_probe_of(probe, of->row) || probe_state_is_dead(probe->state))
			continue;
		if (probe->has_latency && probe->latency.count)
			format_latency(latency, probe->latency.p99_ns);
		if (probe->hits_per_s >= 0)
			format_count(rate, (uint64_t)(probe->hits_per_s + 0.5));
		snprintf(text, sizeof(text), "%s/s %6s", rate, latency);
		canvas_put_right(canvas, area, canvas_clean(text), probe_state_role(probe->state));
		return;
	}
}

/* A process in no unit is not the same as one that nobody knows the unit of. */
static void put_place(struct canvas *canvas, struct canvas_area area,
		      const struct snapshot_row *row, const char *name)
{
	canvas_put_text(canvas, area,
			canvas_clean(name[0]	      ? name
				     : row->cgroup[0] ? "none"
						      : "-"),
			ROLE_DIM);
}

static void put_unit(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	put_place(canvas, area, of->row, of->row->unit);
}

static void put_container(struct canvas *canvas, struct canvas_area area,
			  const struct column_row *of)
{
	put_place(canvas, area, of->row, of->row->container);
}

static void put_pod(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	put_place(canvas, area, of->row, of->row->pod);
}

/* Cuts a path at its beginning, since its end says more. */
static void put_cgroup(struct canvas *canvas, struct canvas_area area, const struct column_row *of)
{
	const char *name = of->row->cgroup, *slash;
	const char *mark = canvas->is_ascii ? "~" : "\u2026";
	const int used = canvas_text_width(canvas, name) > area.width
			 ? canvas_put_text(canvas, area, canvas_clean(mark), ROLE_DIM) : 0;

	area.x += used;
	area.width -= used;
	while (canvas_text_width(canvas, name) > area.width &&
	       (slash = strchr(name + 1, '/')) != NULL)
		name = slash;
	put_place(canvas, area, of->row, name);
}

static int by_weight(double a, double b)	/* largest first */
{
	return (a < b) - (a > b);
}

static int by_self(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_weight(a->now.self.weight, b->now.self.weight);
}

static int by_total(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_weight(a->now.total.weight, b->now.total.weight);
}

static int by_samples(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return (a->now.self.samples < b->now.self.samples) -
	       (a->now.self.samples > b->now.self.samples);
}

static int by_period(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return (a->now.self.weight < b->now.self.weight) -
	       (a->now.self.weight > b->now.self.weight);
}

static int by_event(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return strcasecmp(a->event, b->event);
}

static int by_number(int64_t a, int64_t b)	/* smallest first */
{
	return (a > b) - (a < b);
}

static int by_pid(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return a->pid == b->pid ? by_number(a->tid, b->tid) : by_number(a->pid, b->pid);
}

static int by_tid(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_number(a->tid, b->tid);
}

static int by_cpu(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_number(a->cpu, b->cpu);
}

static int by_command(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return strcasecmp(a->comm, b->comm);
}

static int by_threads(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_number(b->threads, a->threads);
}

static int by_cpu_pct(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_weight(a->cpu_pct, b->cpu_pct);
}

static int by_busy(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_weight(a->busy_pct, b->busy_pct);
}

static int by_state(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_number(a->task_state, b->task_state);
}

static int by_command_line(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return strcasecmp(a->command_line, b->command_line);
}

static int by_place(const char *a, const char *b)	/* empty names come last */
{
	return a[0] && b[0] ? strcasecmp(a, b) : by_number(!a[0], !b[0]);
}

static int by_cgroup(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_place(a->cgroup, b->cgroup);
}

static int by_unit(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_place(a->unit, b->unit);
}

static int by_container(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_place(a->container, b->container);
}

static int by_pod(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_place(a->pod, b->pod);
}

static int by_wait(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_place(a->wait, b->wait);
}

static int by_wait_state(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_place(a->wait_state, b->wait_state);
}

static int by_waker(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return by_place(a->waker, b->waker);
}

static int by_dso(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return strcasecmp(a->dso, b->dso);
}

static int by_symbol(const struct snapshot_row *a, const struct snapshot_row *b)
{
	return strcasecmp(a->symbol, b->symbol);
}

/* Columns of changes.
 *
 * The change of a new row equals its share, which is in the next column: so the cell says "new",
 * and the arrows show how much. The change of a gone row is the share it had.
 */

static void put_points(struct canvas *canvas, struct canvas_area area,
		       const struct column_row *of, bool of_total)
{
	const enum role role = change_role_of_row(of->snapshot, of->row, of_total);
	char text[FORMAT_BYTES];

	if (!of->snapshot->is_compared || of->row->is_idle)
		return;
	if (change_row_is_new(of->snapshot, of->row))
		canvas_put_right(canvas, area, SAFE_TEXT("new"), role);
	else
		canvas_put_right(canvas, area,
				 canvas_clean(change_format_points(text, row_changes_points(
							of->snapshot, of->row, of_total))),
				 role);
}

static void put_change(struct canvas *canvas, struct canvas_area area,
		       const struct column_row *of)
{
	put_points(canvas, area, of, false);
}

static void put_total_change(struct canvas *canvas, struct canvas_area area,
			     const struct column_row *of)
{
	put_points(canvas, area, of, true);
}

static void put_change_bar(struct canvas *canvas, struct canvas_area area,
			   const struct column_row *of)
{
	const double points = change_of_row(of->snapshot, of->row);
	char text[BAR_BYTES];

	if (of->snapshot->is_compared)
		canvas_put_text(
			canvas, area,
			canvas_clean(change_format_bar(text, sizeof(text), area.width, points)),
			change_role_of_row(of->snapshot, of->row, false));
}

static void put_rate_change(struct canvas *canvas, struct canvas_area area,
			    const struct column_row *of)
{
	const double per_s = change_per_s_of_row(of->snapshot, of->row);
	char text[FORMAT_BYTES];

	if (of->snapshot->is_compared)
		canvas_put_right(canvas, area, canvas_clean(change_format_per_s(text, per_s)),
				 ROLE_DIM);
}

#define RATIO_HELP "a ratio of two events, while two to eight are sampled: misses per 1,000 " \
		   "instructions, misses in % of all, faults per second of CPU time"
#define EVENT_HELP "self samples of the 1st to 4th event, in % of its samples, while two to " \
		   "eight are sampled"

const struct column columns[COL_COUNT] = {
	[COL_SELF] = { "SELF%", 6, 6, ALIGN_RIGHT, 90, 0, put_self, by_self,
		       "samples in the row itself: % of the window, or of what is shown" },
	[COL_BAR] = { "", 8, 12, ALIGN_LEFT, 30, 0, put_bar, NULL,
		      "SELF% against the hottest row" },
	[COL_TOTAL] = { "TOTAL%", 7, 7, ALIGN_RIGHT, 80, 0, put_total, by_total,
			"samples with it anywhere on the stack: % as for SELF%" },
	[COL_SAMPLES] = { "SAMPLES", 8, 8, ALIGN_RIGHT, 20, 0, put_samples, by_samples,
			  "how many samples SELF% stands on" },
	[COL_PERIOD] = { "PERIOD", 8, 8, ALIGN_RIGHT, 19, 0, put_period, by_period,
			 "summed periods of these samples, in the event's unit" },
	[COL_EVENT] = { "EVENT", 20, 36, ALIGN_LEFT, 87, KEY_EVENT, put_event, by_event,
			"shown: a row for each event, its shares in % of the event's samples" },
	[COL_PID] = { "PID", 7, 7, ALIGN_RIGHT, 85, KEY_PID | KEY_COMM, put_pid, by_pid,
		      "process; a folded-out thread: its thread id" },
	[COL_TID] = { "TID", 7, 7, ALIGN_RIGHT, 84, KEY_TID, put_tid, by_tid, "thread" },
	[COL_CPU] = { "CPU", 4, 4, ALIGN_RIGHT, 86, KEY_CPU, put_cpu, by_cpu,
		      "the number of the CPU" },
	[COL_COMMAND] = { "COMMAND", 13, 20, ALIGN_LEFT, 40, 0, put_command, by_command,
			  "the command, or how many tasks share the row" },
	[COL_DSO] = { "DSO", 14, 30, ALIGN_LEFT, 50, KEY_DSO, put_dso, by_dso,
			 "program, library or [kernel]" },
	[COL_SYMBOL] = { "SYMBOL", COLUMNS_FILL_CELLS, 0, ALIGN_LEFT, 99, KEY_SYMBOL | KEY_ADDRESS,
			 put_symbol, by_symbol,
			 "function after its level, 0x... when it has no name" },
	[COL_RATE] = { "SMPL/S", 7, 7, ALIGN_RIGHT, 60, 0, put_rate, by_samples,
		       "samples a second" },
	[COL_CPU_PCT] = { "CPU%", 6, 6, ALIGN_RIGHT, 70, KEY_PID, put_cpu_pct, by_cpu_pct,
			  "time on a CPU since the last reading of /proc, 100 is one CPU" },
	[COL_STATE] = { "S", 2, 2, ALIGN_LEFT, 35, KEY_PID, put_state, by_state,
			"state: R runs, S sleeps, D waits for a device, T stopped, Z zombie, "
			"X has ended" },
	[COL_THREADS] = { "THR", 5, 5, ALIGN_RIGHT, 34, KEY_PID, put_threads, by_threads,
			  "threads of the process" },
	[COL_BUSY] = { "BUSY%", 6, 6, ALIGN_RIGHT, 70, KEY_CPU, put_busy, by_busy,
		       "how busy the CPU was, from /proc/stat" },
	[COL_COMMAND_LINE] = { "COMMAND LINE", COLUMNS_FILL_CELLS, 0, ALIGN_LEFT, 98, KEY_PID,
			       put_command_line, by_command_line, "how it was started" },
	[COL_CGROUP] = { "CGROUP", 20, 60, ALIGN_LEFT, 31, KEY_PID, put_cgroup, by_cgroup,
			 "control group; ? when it is not known" },
	[COL_UNIT] = { "UNIT", 20, 36, ALIGN_LEFT, 33, KEY_PID, put_unit, by_unit,
		       "systemd's unit, - in none" },
	[COL_CONTAINER] = { "CONTAINER", 12, 24, ALIGN_LEFT, 32, KEY_PID, put_container,
			    by_container, "container: begin of its id, or its name" },
	[COL_POD] = { "POD", 12, 36, ALIGN_LEFT, 28, KEY_PID, put_pod, by_pod,
		      "Kubernetes' uid of the pod" },
	[COL_FROM] = { "FROM", 24, 44, ALIGN_LEFT, 97, KEY_FROM, put_from, by_from,
		       "where the branch comes from; SYMBOL is where it leads" },
	[COL_MISPREDICTED] = { "MISPRED%", 9, 9, ALIGN_RIGHT, 96, KEY_FROM, put_mispredicted,
			       by_mispredicted, "mispredicted branches in % of those for which the "
			       "CPU says it; sorted by their number" },
	[COL_TIME] = { "TIME", 8, 8, ALIGN_RIGHT, 83, 0, put_time, by_period,
		       "of waits: how long the row itself waited; of hits: what they weigh" },
	[COL_WAIT] = { "WAIT", 10, 14, ALIGN_LEFT, 82, 0, put_wait, by_wait,
		       "of waits: what for; run queue only where nothing else is" },
	[COL_WAIT_STATE] = { "STATE", 8, 14, ALIGN_LEFT, 81, 0, put_wait_state, by_wait_state,
			     "of waits: sleeping, disk, stopped; runnable only where it is all" },
	[COL_WAKER] = { "WAKER", 12, 15, ALIGN_LEFT, 81, 0, put_waker, by_waker,
			"of waits: who ended them, if one did: a command, or interrupt" },
	/* Known for the rows on the screen only, so it orders none. */
	[COL_SOURCE] = { "SOURCE", 18, 40, ALIGN_LEFT, 55, KEY_SYMBOL | KEY_ADDRESS, put_source,
			 NULL, "source file and line, where debug information tells" },
	/* Its rows are few: it orders none. */
	[COL_PROBE] = { "PROBE", 14, 14, ALIGN_RIGHT, 56, KEY_SYMBOL, put_probe, NULL,
			"of the probe on the function: calls a second, and the latency that 99 % "
			"of them do not exceed" },
	/* What these say depends on the events: event_cells.h. */
	[COL_IPC] = { "IPC", 6, 6, ALIGN_RIGHT, 78, 0, event_cells_put, NULL,
		      "instructions per cycle, while both are sampled" },
	[COL_RATIO_1] = { "", 9, 9, ALIGN_RIGHT, 77, 0, event_cells_put, NULL, RATIO_HELP },
	[COL_RATIO_2] = { "", 9, 9, ALIGN_RIGHT, 76, 0, event_cells_put, NULL, RATIO_HELP },
	[COL_RATIO_3] = { "", 9, 9, ALIGN_RIGHT, 75, 0, event_cells_put, NULL, RATIO_HELP },
	[COL_RATIO_4] = { "", 9, 9, ALIGN_RIGHT, 74, 0, event_cells_put, NULL, RATIO_HELP },
	[COL_RATIO_5] = { "", 9, 9, ALIGN_RIGHT, 73, 0, event_cells_put, NULL, RATIO_HELP },
	[COL_EVENT_1] = { "", 9, 9, ALIGN_RIGHT, 72, 0, event_cells_put, NULL, EVENT_HELP },
	[COL_EVENT_2] = { "", 9, 9, ALIGN_RIGHT, 71, 0, event_cells_put, NULL, EVENT_HELP },
	[COL_EVENT_3] = { "", 9, 9, ALIGN_RIGHT, 69, 0, event_cells_put, NULL, EVENT_HELP },
	[COL_EVENT_4] = { "", 9, 9, ALIGN_RIGHT, 68, 0, event_cells_put, NULL, EVENT_HELP },
	/* The next ones order by columns_compare(): what changed most comes first. */
	[COL_CHANGE] = { "\u0394%", 6, 6, ALIGN_RIGHT, 95, 0, put_change, NULL,
			 "compared: SELF% against the baseline, in points; new: was not there" },
	[COL_CHANGE_BAR] = { "", 6, 10, ALIGN_LEFT, 82, 0, put_change_bar, NULL,
			     "an arrow for each 2 points, up: more than before" },
	[COL_TOTAL_CHANGE] = { "\u0394TOTAL", 7, 7, ALIGN_RIGHT, 79, 0, put_total_change,
			       NULL, "compared: TOTAL% against the baseline, in points" },
	[COL_RATE_CHANGE] = { "\u0394/S", 6, 6, ALIGN_RIGHT, 58, 0, put_rate_change, NULL,
			      "compared: samples a second more or less than in the baseline" },
};
