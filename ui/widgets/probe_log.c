/* probe_log.c - see probe_log.h. */
#include "probe_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "format.h"
#include "probe_columns.h"
#include "search.h"

#define TIME_CELLS    12		/* "14:02:11.345" */
#define COMM_CELLS    15		/* longest comm: TASK_COMM_LEN - 1 */
#define LATENCY_CELLS 7
#define NAME_CELLS    24		/* most cells for the name of a probe */
#define NARROW_CELLS  14		/* most cells for it in a narrow log */
#define NAME_BYTES    (4 * NAME_CELLS + 1)

/* Returns the bytes of @text that take no cell: printf(3) pads by bytes. */
static int hidden_bytes(const char *text)
{
	int count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) == 0x80;
	return count;
}

/* Formats the time as logs of services have it, so that lines can be compared. */
static void format_time(uint64_t wall_ns, char out[FORMAT_BYTES])
{
	const time_t wall = (time_t)(wall_ns / CLOCK_NS_PER_S);
	struct tm local;
	size_t length = 0;

	if (localtime_r(&wall, &local))
		length = strftime(out, FORMAT_BYTES, "%H:%M:%S", &local);
	snprintf(out + length, FORMAT_BYTES - length, ".%03u",
		 (unsigned int)(wall_ns % CLOCK_NS_PER_S / CLOCK_NS_PER_MS));
}

/* The columns of a line, each as text. */
struct log_words {
	const char *time, *cpu, *comm, *pid, *tid, *latency, *name, *values;
};

static void format_words(const struct probe_log *log, const struct log_words *words,
			 char out[PROBE_LOG_TEXT])
{
	const int comm_cells = COMM_CELLS + hidden_bytes(words->comm);
	const int latency_cells = LATENCY_CELLS + hidden_bytes(words->latency);
	const int name_cells = log->name_cells + hidden_bytes(words->name);

	if (!log->name_cells)
		snprintf(out, PROBE_LOG_TEXT, "%-*s %3s %-*s %7s %7s %*s  %s", TIME_CELLS,
			 words->time, words->cpu, comm_cells, words->comm, words->pid, words->tid,
			 latency_cells, words->latency, words->values);
	else if (log->is_narrow)
		snprintf(out, PROBE_LOG_TEXT, "%-*s %-*s %7s %*s  %-*s  %s", TIME_CELLS,
			 words->time, comm_cells, words->comm, words->pid, latency_cells,
			 words->latency, name_cells, words->name, words->values);
	else
		snprintf(out, PROBE_LOG_TEXT, "%-*s %3s %-*s %7s %7s %*s  %-*s  %s", TIME_CELLS,
			 words->time, words->cpu, comm_cells, words->comm, words->pid, words->tid,
			 latency_cells, words->latency, name_cells, words->name, words->values);
}

static int text_cells(const char *text)
{
	return (int)strlen(text) - hidden_bytes(text);
}

/* Formats the name of the probe, cut to the cells of its column. */
static void format_name(const struct probe_log *log, uint32_t id, char out[NAME_BYTES])
{
	const struct snapshot_probe *probe =
		log->name_cells ? snapshot_probes_find(log->of, id) : NULL;
	const char *name = probe ? probe_plain_name(probe) : "";
	size_t bytes = strlen(name);

	if (text_cells(name) <= log->name_cells) {
		snprintf(out, NAME_BYTES, "%s", name);
		return;
	}
	while (text_cells(name) - text_cells(name + bytes) >= log->name_cells ||
	       ((unsigned char)name[bytes] & 0xc0) == 0x80)
		bytes--;
	snprintf(out, NAME_BYTES, "%.*s\u2026", (int)bytes, name);
}

/* Returns the cells of the longest name of a probe, at most @limit. */
static int cells_of_names(const struct snapshot_probes *of, int limit)
{
	int most = 5;		/* "PROBE" */

	for (uint32_t i = 0; i < of->count; i++)
		if (text_cells(probe_plain_name(&of->list[i])) > most)
			most = text_cells(probe_plain_name(&of->list[i]));
	return most < limit ? most : limit;
}

void probe_log_format(const struct probe_log *log, const struct snapshot_hit *hit,
		      char out[PROBE_LOG_TEXT])
{
	char at[FORMAT_BYTES], latency[FORMAT_BYTES] = "", name[NAME_BYTES];
	char cpu[12], pid[12], tid[12];

	if (hit->latency_ns >= 0)
		format_latency(latency, (uint64_t)hit->latency_ns);
	format_time(hit->time_ns + log->wall_offset_ns, at);
	format_name(log, hit->probe, name);
	snprintf(cpu, sizeof(cpu), "%" PRIu32, hit->cpu);
	snprintf(pid, sizeof(pid), "%" PRIu32, hit->pid);
	snprintf(tid, sizeof(tid), "%" PRIu32, hit->tid);
	format_words(log, &(struct log_words){ at, cpu, hit->comm, pid, tid, latency, name,
					       hit->values }, out);
}

void probe_log_draw_titles(const struct probe_log *log, struct canvas *canvas,
			   struct canvas_area area)
{
	static const struct log_words titles = { "TIME", "CPU", "COMMAND", "PID", "TID", "LATENCY",
						 "PROBE", "VALUES" };
	char text[PROBE_LOG_TEXT];

	format_words(log, &titles, text);
	canvas_put_text(canvas, area, canvas_clean(text), ROLE_HEADING);
}

static const struct snapshot_hit *hit_at(const struct probe_log *log, size_t index)
{
	return &log->of->log[log->shown[index]];
}

/* Returns the lines above the oldest hit: 1 if older hits were dropped, to say so. */
static size_t first_line(const struct probe_log *log)
{
	return log->of && log->of->log_dropped;
}

static size_t last_top(const struct probe_log *log)
{
	const size_t lines = first_line(log) + log->count;

	return lines > log->page ? lines - log->page : 0;
}

static struct probe_log_place place_of(const struct probe_log *log, size_t index)
{
	const struct snapshot_hit *hit = hit_at(log, index);

	return (struct probe_log_place){ hit->time_ns, hit->number, hit->probe };
}

static bool is_before(struct probe_log_place a, struct probe_log_place b)
{
	if (a.time_ns != b.time_ns)
		return a.time_ns < b.time_ns;
	return a.probe != b.probe ? a.probe < b.probe : a.number < b.number;
}

/* Returns the index of the first hit that is not before @place. */
static size_t find_place(const struct probe_log *log, struct probe_log_place place)
{
	size_t at = 0;

	while (at < log->count && is_before(place_of(log, at), place))
		at++;
	return at;
}

/* Sets the cursor, and the first line so that it is visible; above the oldest hit is the line about
 * missing ones. */
static void set_places(struct probe_log *log, size_t top, size_t cursor)
{
	const size_t first = first_line(log);
	size_t line;

	log->cursor = !log->count ? 0 : cursor < log->count ? cursor : log->count - 1;
	line = log->cursor ? first + log->cursor : 0;
	if (log->page && line >= top + log->page)
		top = line - log->page + 1;
	if (top > line)
		top = line;
	log->top = top < last_top(log) ? top : last_top(log);
	if (!log->count)
		return;
	log->at_cursor = place_of(log, log->cursor);
	log->at_top = place_of(log, log->top > first ? log->top - first : 0);
}

static void follow(struct probe_log *log)
{
	log->is_away = false;
	set_places(log, last_top(log), log->count ? log->count - 1 : 0);
}

static bool passes(const struct probe_log *log, const struct snapshot_hit *hit)
{
	char text[PROBE_LOG_TEXT];

	if (!log->filter[0])
		return true;
	probe_log_format(log, hit, text);
	return search_matches(log->filter, text);
}

static void collect(struct probe_log *log)
{
	const uint32_t all = log->of ? log->of->log_count : 0;

	log->count = 0;
	for (uint32_t i = 0; i < all && log->count < PROBE_LOG_LINES; i++)
		if (passes(log, &log->of->log[i]))
			log->shown[log->count++] = (uint16_t)i;
}

void probe_log_refresh(struct probe_log *log, const struct snapshot_probes *of)
{
	size_t top;

	log->of = of;
	log->name_cells = 0;
	if (of && of->detail == PROBE_ALL)
		log->name_cells = cells_of_names(of, log->is_narrow ? NARROW_CELLS : NAME_CELLS);
	collect(log);
	if (!log->is_away || !log->count) {
		follow(log);
		return;
	}
	top = find_place(log, log->at_top);
	set_places(log, top ? first_line(log) + top : 0, find_place(log, log->at_cursor));
}

void probe_log_set_filter(struct probe_log *log, const char *filter)
{
	snprintf(log->filter, sizeof(log->filter), "%s", filter);
	probe_log_refresh(log, log->of);
}

static void move_to(struct probe_log *log, size_t cursor)
{
	if (cursor + 1 >= log->count) {
		follow(log);
		return;
	}
	log->is_away = true;
	set_places(log, log->top, cursor);
}

void probe_log_scroll(struct probe_log *log, long lines)
{
	const size_t up = lines < 0 ? (size_t)-lines : 0;

	move_to(log, up > log->cursor ? 0 : log->cursor - up + (lines > 0 ? (size_t)lines : 0));
}

void probe_log_select(struct probe_log *log, size_t line)
{
	move_to(log, line > first_line(log) ? line - first_line(log) : 0);
}

void probe_log_stay(struct probe_log *log)
{
	log->is_away = true;
}

const struct snapshot_hit *probe_log_cursor(const struct probe_log *log)
{
	return log->count ? hit_at(log, log->cursor) : NULL;
}

static bool matches_at(const struct probe_log *log, size_t index, const char *search)
{
	char text[PROBE_LOG_TEXT];

	probe_log_format(log, hit_at(log, index), text);
	return search_matches(search, text);
}

bool probe_log_find(struct probe_log *log, const char *search, int step)
{
	const size_t each = step < 0 ? log->count - 1 : 1;
	size_t at;

	if (!log->count)
		return false;
	at = log->cursor + (step < 0 ? log->count - 1 : (size_t)step);
	for (size_t i = 0; i < log->count; i++, at += each) {
		if (!matches_at(log, at % log->count, search))
			continue;
		set_places(log, log->top, at % log->count);
		probe_log_stay(log);	/* it stays in sight */
		return true;
	}
	return false;
}

static void draw_dropped(uint64_t count, struct canvas *canvas, struct canvas_area area)
{
	char text[64], number[FORMAT_BYTES];

	snprintf(text, sizeof(text), "%s older hits were dropped", format_count(number, count));
	canvas_put_text(canvas, area, canvas_clean(text), ROLE_DIM);
}

static void draw_hit(const struct probe_log *log, size_t index, const char *search,
		     struct canvas *canvas, struct canvas_area area)
{
	char text[PROBE_LOG_TEXT];

	probe_log_format(log, hit_at(log, index), text);
	canvas_put_text(canvas, area, canvas_clean(text), ROLE_TEXT);
	if (index == log->cursor)
		canvas_select_line(canvas, area.y);
	search_highlight(canvas, area, search);
}

void probe_log_draw(struct probe_log *log, const char *search, struct canvas *canvas, int top,
		    int lines)
{
	const size_t page = lines > 0 ? (size_t)lines : 0, first = first_line(log);

	if (page != log->page) {
		log->page = page;
		set_places(log, log->is_away ? log->top : last_top(log), log->cursor);
	}
	for (size_t i = 0; i < page && log->top + i < first + log->count; i++) {
		const struct canvas_area area = { 2, top + (int)i, canvas->width - 3 };
		const size_t line = log->top + i;

		if (line < first)
			draw_dropped(log->of->log_dropped, canvas, area);
		else
			draw_hit(log, line - first, search, canvas, area);
	}
}
