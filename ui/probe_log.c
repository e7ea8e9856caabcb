/* probe_log.c - see ui/probe_log.h. */
#include "ui/probe_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "ui/format.h"
#include "ui/search.h"

#define TIME_CELLS    12		/* "14:02:11.345" */
#define COMM_CELLS    15		/* of the kernel's names */
#define LATENCY_CELLS 7

/* Bytes of @text that take no cell: printf(3) pads by bytes. */
static int hidden_bytes(const char *text)
{
	int count = 0;

	for (; *text; text++)
		count += ((unsigned char)*text & 0xc0) == 0x80;
	return count;
}

/* The time that a service's own log has: lines can be laid side by side. */
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

void probe_log_format(const struct probe_log *log, const struct snapshot_hit *hit,
		      char out[PROBE_LOG_TEXT])
{
	char at[FORMAT_BYTES], latency[FORMAT_BYTES] = "";

	if (hit->latency_ns >= 0)
		format_latency(latency, (uint64_t)hit->latency_ns);
	format_time(hit->time_ns + log->wall_offset_ns, at);
	snprintf(out, PROBE_LOG_TEXT,
		 "%*s %3" PRIu32 " %-*s %7" PRIu32 " %7" PRIu32 " %*s  %s", TIME_CELLS, at,
		 hit->cpu, COMM_CELLS + hidden_bytes(hit->comm), hit->comm, hit->pid, hit->tid,
		 LATENCY_CELLS + hidden_bytes(latency), latency, hit->values);
}

void probe_log_draw_titles(struct canvas *canvas, struct canvas_area area)
{
	char text[PROBE_LOG_TEXT];

	snprintf(text, sizeof(text), "%-*s %3s %-15s %7s %7s %*s  %s", TIME_CELLS, "TIME",
		 "CPU", "COMMAND", "PID", "TID", LATENCY_CELLS, "LATENCY", "VALUES");
	canvas_put_text(canvas, area, canvas_clean(text), ROLE_HEADING);
}

static const struct snapshot_hit *hit_at(const struct probe_log *log, size_t index)
{
	return &log->of->log[log->shown[index]];
}

/* Lines above the oldest hit: the one that says what is missing. */
static size_t first_line(const struct probe_log *log)
{
	return log->of && log->of->log_dropped;
}

static size_t last_top(const struct probe_log *log)
{
	const size_t lines = first_line(log) + log->count;

	return lines > log->page ? lines - log->page : 0;
}

/* Index of the hit that is uppermost. */
static size_t top_hit(const struct probe_log *log)
{
	return log->top > first_line(log) ? log->top - first_line(log) : 0;
}

static void set_top(struct probe_log *log, size_t top)
{
	log->top = top < last_top(log) ? top : last_top(log);
	log->is_away = log->top < last_top(log);
	if (log->count)
		log->top_number = hit_at(log, top_hit(log))->number;
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

/* The line of the hit that was at the top; when it has left, the begin of the log. */
static size_t find_top(const struct probe_log *log)
{
	size_t at = 0;

	while (at < log->count && hit_at(log, at)->number < log->top_number)
		at++;
	return at ? first_line(log) + at : 0;
}

void probe_log_refresh(struct probe_log *log, const struct snapshot_probes *of)
{
	log->of = of;
	collect(log);
	if (log->is_away && log->count)
		set_top(log, find_top(log));
	else
		set_top(log, last_top(log));
}

void probe_log_set_filter(struct probe_log *log, const char *filter)
{
	snprintf(log->filter, sizeof(log->filter), "%s", filter);
	probe_log_refresh(log, log->of);
}

void probe_log_scroll(struct probe_log *log, long lines)
{
	const size_t up = lines < 0 ? (size_t)-lines : 0;

	set_top(log, up > log->top ? 0 : log->top - up + (lines > 0 ? (size_t)lines : 0));
}

static bool matches_at(const struct probe_log *log, size_t index, const char *search)
{
	char text[PROBE_LOG_TEXT];

	probe_log_format(log, hit_at(log, index), text);
	return search_matches(search, text);
}

/* Index of the hit found before, if it is still there; else what is on top. */
static size_t find_begin(const struct probe_log *log)
{
	for (size_t i = 0; i < log->count; i++)
		if (hit_at(log, i)->number == log->found)
			return i;
	return top_hit(log);
}

bool probe_log_find(struct probe_log *log, const char *search, int step)
{
	const size_t each = step < 0 ? log->count - 1 : 1;
	size_t at, line;

	if (!log->count)
		return false;
	at = find_begin(log) + (step < 0 ? log->count - 1 : (size_t)step);
	for (size_t i = 0; i < log->count; i++, at += each) {
		if (!matches_at(log, at % log->count, search))
			continue;
		at %= log->count;
		log->found = hit_at(log, at)->number;
		line = first_line(log) + at;
		if (line < log->top || line >= log->top + log->page)
			set_top(log, line > log->page / 2 ? line - log->page / 2 : 0);
		log->is_away = true;	/* it stays in sight */
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

static void draw_hit(const struct probe_log *log, const struct snapshot_hit *hit,
		     const char *search, struct canvas *canvas, struct canvas_area area)
{
	char text[PROBE_LOG_TEXT];

	probe_log_format(log, hit, text);
	canvas_put_text(canvas, area, canvas_clean(text), ROLE_TEXT);
	if (search[0] && hit->number == log->found)
		canvas_put_text(canvas, (struct canvas_area){ 0, area.y, 1 }, SAFE_TEXT("\u25b8"),
				ROLE_MATCH);
	search_highlight(canvas, area, search);
}

void probe_log_draw(struct probe_log *log, const char *search, struct canvas *canvas, int top,
		    int lines)
{
	const size_t page = lines > 0 ? (size_t)lines : 0, first = first_line(log);

	if (page != log->page) {
		log->page = page;
		set_top(log, log->is_away ? log->top : last_top(log));
	}
	for (size_t i = 0; i < page && log->top + i < first + log->count; i++) {
		const struct canvas_area area = { 2, top + (int)i, canvas->width - 3 };
		const size_t line = log->top + i;

		if (line < first)
			draw_dropped(log->of->log_dropped, canvas, area);
		else
			draw_hit(log, hit_at(log, line - first), search, canvas, area);
	}
}
