/* counter_report.c - counters as text, JSON and tables: see export/print.h.
 *
 * Text is read by people: times in milliseconds, thousands apart, a rate with a prefix. JSON and
 * CSV are read by programs: numbers as they were counted, nanoseconds, and null or an empty field
 * where nothing was counted: absent is not zero.
 */
#include "export/print.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/safe_print.h"
#include "base/sanitize.h"
#include "cells.h"

#define NS_PER_MS 1e6
#define TEXT_BYTES 1024
#define COUNT_BYTES 64
#define ROW_BYTES 96
#define EVENT_WIDTH 24

static const struct counter_cell *cell_at(const struct counter_report *report, size_t row,
					  size_t event)
{
	return &report->cells[row * report->event_count + event];
}

static bool is_clock(const struct counter_event *event)
{
	return event_is_clock(event->attr.type, event->attr.config);
}

static bool is_shown(const struct counter_report *report, size_t event)
{
	for (size_t row = 0; row < report->row_count; row++) {
		const struct counter_cell *cell = cell_at(report, row, event);

		if (!report->only_nonzero ||
		    (cell->state == COUNTER_COUNTED && cell->value > 0))
			return true;
	}
	return false;
}

/* True for a row without a counter of the event, since other CPUs count it for all. */
static bool is_elsewhere(const struct counter_report *report, size_t row, size_t event)
{
	return report->events[event].cpu_count && !report->events[event].absent.err &&
	       (report->rows_are == COUNTER_PER_CPU || report->rows_are == COUNTER_PER_SOCKET) &&
	       !cell_at(report, row, event)->enabled_ns;
}

static bool has_row_names(const struct counter_report *report)
{
	return report->rows_are != COUNTER_ONE_ROW;
}

/* Writes the name of a row into @out[ROW_BYTES], which becomes safe to print. */
static struct safe_text name_row(const struct counter_report *report, size_t row, char *out)
{
	const struct counter_row *named = &report->rows[row];
	char text[ROW_BYTES];

	switch (report->rows_are) {
	case COUNTER_PER_CPU:
		snprintf(text, sizeof(text), "CPU%d", named->number);
		break;
	case COUNTER_PER_SOCKET:
		snprintf(text, sizeof(text), named->number < 0 ? "S?" : "S%d", named->number);
		break;
	case COUNTER_PER_THREAD:
		snprintf(text, sizeof(text), "%s-%d", named->text, named->number);
		break;
	case COUNTER_PER_CGROUP:
	case COUNTER_ONE_ROW:
		snprintf(text, sizeof(text), "%s", named->text);
		break;
	}
	return sanitize(out, ROW_BYTES, text, strlen(text));
}

static int width_of_rows(const struct counter_report *report)
{
	char name[ROW_BYTES];
	size_t width = 0;

	for (size_t row = 0; has_row_names(report) && row < report->row_count; row++) {
		const size_t length = strlen(name_row(report, row, name).chars);

		if (length > width)
			width = length;
	}
	return (int)width;
}

/* Formats @value without a fraction and with commas: "2,002,615,180". */
static struct safe_text format_count(double value, char *out)
{
	char digits[COUNT_BYTES / 2];
	const int length = snprintf(digits, sizeof(digits), "%.0f", value);
	char *at = out;

	if (length >= (int)sizeof(digits))
		return SAFE_TEXT("too large");
	for (int i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0 && digits[i - 1] != '-')
			*at++ = ',';
		*at++ = digits[i];
	}
	*at = '\0';
	return sanitize_checked(out);
}

static void put_ratio(FILE *out, const struct counter_ratio *ratio)
{
	double value = ratio->value;
	char prefix = ' ';

	if (!strcmp(ratio->unit, "/sec") && value >= 1000) {
		prefix = value >= 1e9 ? 'G' : value >= 1e6 ? 'M' : 'K';
		value /= value >= 1e9 ? 1e9 : value >= 1e6 ? 1e6 : 1e3;
	}
	if (prefix != ' ')
		safe_print(out, "# %9.3f %c%s", value, prefix, sanitize_checked(ratio->unit));
	else if (ratio->unit[0] == '%')
		safe_print(out, "# %9.2f%s", value, sanitize_checked(ratio->unit));
	else
		safe_print(out, "# %9.3f %s", value, sanitize_checked(ratio->unit));
}

static void put_value(FILE *out, const struct counter_cell *cell,
		      const struct counter_event *event)
{
	char count[COUNT_BYTES];

	if (cell->state == COUNTER_NOT_SUPPORTED)
		safe_put(out, "   <not supported>     ");
	else if (cell->state == COUNTER_NOT_COUNTED)
		safe_put(out, "     <not counted>     ");
	else if (is_clock(event))
		safe_print(out, "%18.2f msec", cell->value / NS_PER_MS);
	else if (event->unit.text[0] || event->unit.scale > 0)
		safe_print(out, "%16.2f %-6s", cell->value, sanitize_checked(event->unit.text));
	else
		safe_print(out, "%18s     ", format_count(cell->value, count));
}

static void put_line(FILE *out, const struct counter_report *report, size_t row, size_t event)
{
	const struct counter_event *named = &report->events[event];
	const struct counter_cell *cell = cell_at(report, row, event);
	struct counter_ratio ratio;

	put_value(out, cell, named);
	safe_print(out, "  %s", sanitize_checked(named->name));
	if (counter_ratio_find(report, row, event, &ratio)) {
		const int used = (int)strlen(named->name);

		safe_print(out, "%*s", used < EVENT_WIDTH ? EVENT_WIDTH - used + 2 : 2,
			   SAFE_TEXT(""));
		put_ratio(out, &ratio);
	}
	if (cell->state == COUNTER_COUNTED && cell->deviation_pct >= 0)
		safe_print(out, "  ( +- %.2f%% )", cell->deviation_pct);
	if (cell->state == COUNTER_COUNTED && cell->running_pct < 100)
		safe_print(out, "  (%.2f%%)", cell->running_pct);
	safe_put(out, "\n");
}

static void put_rows(FILE *out, const struct counter_report *report)
{
	const int width = width_of_rows(report);
	char name[ROW_BYTES];

	for (size_t event = 0; event < report->event_count; event++) {
		if (!is_shown(report, event))
			continue;
		for (size_t row = 0; row < report->row_count; row++) {
			if (is_elsewhere(report, row, event))
				continue;
			if (report->is_interval)
				safe_print(out, "%14.6f", report->time_s);
			if (has_row_names(report))
				safe_print(out, "%-*s", width, name_row(report, row, name));
			put_line(out, report, row, event);
		}
	}
}

static void put_own(FILE *out, const struct counter_report *report)
{
	bool is_first = true;

	for (size_t event = 0; report->own && event < report->event_count; event++) {
		const struct counter_cell cell = counter_cell_of(
			&report->own[event], &report->events[event], true);

		if (cell.value <= 0)
			continue;
		if (is_first)
			safe_put(out, "\nflametop itself, part of the above:\n");
		is_first = false;
		put_value(out, &cell, &report->events[event]);
		safe_print(out, "  %s\n", sanitize_checked(report->events[event].name));
	}
}

static bool has_reason(const struct counter_report *report, size_t event, const char *reason)
{
	const struct diag *absent = &report->events[event].absent;

	return absent->err && !strcmp(absent->text, reason);
}

/* Writes why events are not supported: a line for each reason, with its events. */
static void put_reasons(FILE *out, const struct counter_report *report)
{
	for (size_t first = 0; first < report->event_count; first++) {
		const char *reason = report->events[first].absent.text;
		bool is_new = report->events[first].absent.err;

		for (size_t i = 0; is_new && i < first; i++)
			is_new = !has_reason(report, i, reason);
		if (!is_new)
			continue;
		safe_print(out, "# %s", sanitize_checked(report->events[first].name));
		for (size_t i = first + 1; i < report->event_count; i++)
			if (has_reason(report, i, reason))
				safe_print(out, ", %s", sanitize_checked(report->events[i].name));
		safe_print(out, ": %s\n", sanitize_checked(reason));
	}
}

static void put_notice(FILE *out, const char *notice)
{
	char line[TEXT_BYTES];

	while (*notice) {
		const size_t length = strcspn(notice, "\n");

		safe_print(out, "# %s\n", sanitize(line, sizeof(line), notice, length));
		notice += length + (notice[length] == '\n');
	}
}

static void put_seconds(FILE *out, const struct counter_mean *seconds, struct safe_text what)
{
	const double deviation_pct = counter_mean_deviation_pct(seconds);

	safe_print(out, "%18.9f seconds %s", seconds->mean, what);
	if (deviation_pct >= 0)
		safe_print(out, "  ( +- %.2f%% )", deviation_pct);
	safe_put(out, "\n");
}

static void put_title(FILE *out, const struct counter_report *report)
{
	char target[TEXT_BYTES];

	safe_print(out, "Counted: %s", sanitize(target, sizeof(target), report->target,
						strlen(report->target)));
	if (report->elapsed.runs > 1)
		safe_print(out, " (%" PRIu64 " runs)", report->elapsed.runs);
	safe_put(out, "\n");
	put_notice(out, report->notice);
	safe_put(out, "\n");
}

void counter_text_write(FILE *out, const struct counter_report *report)
{
	if (report->is_interval) {
		if (report->is_first) {
			put_title(out, report);
			safe_put(out, "#        time             count unit  event\n");
		}
		put_rows(out, report);
		return;
	}
	if (!report->is_first)
		safe_put(out, "\nAll intervals:\n\n");
	else
		put_title(out, report);
	put_rows(out, report);
	put_own(out, report);
	safe_put(out, "\n");
	put_reasons(out, report);
	put_seconds(out, &report->elapsed, SAFE_TEXT("elapsed"));
	if (report->user.runs) {
		put_seconds(out, &report->user, SAFE_TEXT("user"));
		put_seconds(out, &report->system, SAFE_TEXT("sys"));
	}
}

/* The unit of the values that programs read. */
static struct safe_text name_unit(const struct counter_event *event)
{
	if (is_clock(event))
		return SAFE_TEXT("ns");
	return event->unit.text[0] ? sanitize_checked(event->unit.text) : SAFE_TEXT("count");
}

static struct safe_text name_state(enum counter_state state)
{
	switch (state) {
	case COUNTER_COUNTED:		return SAFE_TEXT("counted");
	case COUNTER_NOT_COUNTED:	return SAFE_TEXT("not counted");
	case COUNTER_NOT_SUPPORTED:	break;
	}
	return SAFE_TEXT("not supported");
}

/* Writes ,"cpu":0 or whatever the rows are. */
static void put_json_row(FILE *out, const struct counter_report *report, size_t row)
{
	const struct counter_row *named = &report->rows[row];
	char text[ROW_BYTES];

	switch (report->rows_are) {
	case COUNTER_ONE_ROW:
		return;
	case COUNTER_PER_CPU:
		safe_print(out, ",\"cpu\":%d", named->number);
		return;
	case COUNTER_PER_SOCKET:
		safe_print(out, ",\"socket\":%d", named->number);
		return;
	case COUNTER_PER_THREAD:
		safe_print(out, ",\"tid\":%d,\"comm\":", named->number);
		break;
	case COUNTER_PER_CGROUP:
		safe_put(out, ",\"cgroup\":");
		break;
	}
	safe_put_json(out, sanitize(text, sizeof(text), named->text, strlen(named->text)));
}

static void put_json_cell(FILE *out, const struct counter_report *report, size_t row, size_t event)
{
	const struct counter_event *named = &report->events[event];
	const struct counter_cell *cell = cell_at(report, row, event);
	const bool is_counted = cell->state == COUNTER_COUNTED;
	struct counter_ratio ratio;

	safe_put(out, "{\"event\":");
	safe_put_json(out, sanitize_checked(named->name));
	put_json_row(out, report, row);
	safe_print(out, ",\"state\":\"%s\",\"value\":", name_state(cell->state));
	if (is_counted)
		safe_print(out, "%.*f", cell->value == floor(cell->value) ? 0 : 3, cell->value);
	else
		safe_put(out, "null");
	safe_put(out, ",\"unit\":");
	safe_put_json(out, name_unit(named));
	safe_print(out, ",\"enabled_ns\":%" PRIu64 ",\"running_ns\":%" PRIu64
		   ",\"running_pct\":%.2f", cell->enabled_ns, cell->running_ns,
		   is_counted ? cell->running_pct : 0.0);
	if (is_counted && cell->deviation_pct >= 0)
		safe_print(out, ",\"deviation_pct\":%.4f", cell->deviation_pct);
	if (counter_ratio_find(report, row, event, &ratio))
		safe_print(out, ",\"ratio\":{\"value\":%.6f,\"unit\":\"%s\"}", ratio.value,
			   sanitize_checked(ratio.unit));
	if (named->absent.err) {
		safe_put(out, ",\"why\":");
		safe_put_json(out, sanitize_checked(named->absent.text));
	}
	safe_put(out, "}");
}

static void put_json_own(FILE *out, const struct counter_report *report)
{
	bool is_first = true;

	safe_put(out, ",\"own\":[");
	for (size_t event = 0; event < report->event_count; event++) {
		if (!report->own[event].value)
			continue;
		safe_print(out, "%s{\"event\":", is_first ? SAFE_TEXT("") : SAFE_TEXT(","));
		safe_put_json(out, sanitize_checked(report->events[event].name));
		safe_print(out, ",\"value\":%" PRIu64 "}", report->own[event].value);
		is_first = false;
	}
	safe_put(out, "]");
}

static void put_json_notice(FILE *out, const char *notice)
{
	char line[TEXT_BYTES];

	safe_put(out, ",\"notice\":[");
	while (*notice) {
		const size_t length = strcspn(notice, "\n");

		safe_put_json(out, sanitize(line, sizeof(line), notice, length));
		notice += length + (notice[length] == '\n');
		if (*notice)
			safe_put(out, ",");
	}
	safe_put(out, "]");
}

void counter_json_write(FILE *out, const struct counter_report *report)
{
	char target[TEXT_BYTES];
	bool is_first = true;

	safe_print(out, "{\"kind\":\"%s\",\"target\":", report->is_interval ? SAFE_TEXT("interval")
									   : SAFE_TEXT("total"));
	safe_put_json(out, sanitize(target, sizeof(target), report->target,
				    strlen(report->target)));
	if (report->is_interval)
		safe_print(out, ",\"time_s\":%.9f", report->time_s);
	safe_print(out, ",\"elapsed_s\":%.9f", report->elapsed_s);
	if (!report->is_interval && report->user.runs)
		safe_print(out, ",\"user_s\":%.9f,\"sys_s\":%.9f,\"runs\":%" PRIu64,
			   report->user.mean, report->system.mean, report->user.runs);
	if (!report->is_interval && report->elapsed.runs > 1)
		safe_print(out, ",\"elapsed_deviation_pct\":%.4f",
			   counter_mean_deviation_pct(&report->elapsed));
	put_json_notice(out, report->notice);
	safe_put(out, ",\"events\":[");
	for (size_t event = 0; event < report->event_count; event++) {
		if (!is_shown(report, event))
			continue;
		for (size_t row = 0; row < report->row_count; row++) {
			if (is_elsewhere(report, row, event))
				continue;
			if (!is_first)
				safe_put(out, ",");
			is_first = false;
			put_json_cell(out, report, row, event);
		}
	}
	safe_put(out, "]");
	if (report->own)
		put_json_own(out, report);
	safe_put(out, "}\n");
}

static void put_table_line(struct cells *cells, const struct counter_report *report, size_t row,
			   size_t event)
{
	const struct counter_event *named = &report->events[event];
	const struct counter_cell *cell = cell_at(report, row, event);
	const bool is_counted = cell->state == COUNTER_COUNTED;
	struct counter_ratio ratio = { .unit = "" };
	const bool has_ratio = counter_ratio_find(report, row, event, &ratio);
	char name[ROW_BYTES] = "";

	if (has_row_names(report))
		name_row(report, row, name);
	cells_word(cells, "kind", NULL, report->is_interval ? "interval" : "total");
	cells_real(cells, "time_s", report->is_interval ? "TIME" : NULL, true,
		   report->is_interval ? report->time_s : report->elapsed_s, 9);
	cells_text(cells, "row", has_row_names(report) ? "ROW" : NULL, name);
	cells_text(cells, "event", "EVENT", named->name);
	cells_word(cells, "state", NULL, name_state(cell->state).chars);
	cells_real(cells, "value", "COUNT", is_counted, cell->value,
		   cell->value == floor(cell->value) ? 0 : 3);
	cells_text(cells, "unit", "UNIT", name_unit(named).chars);
	cells_count(cells, "enabled_ns", NULL, cell->enabled_ns);
	cells_count(cells, "running_ns", NULL, cell->running_ns);
	cells_real(cells, "deviation_pct", "+-%", is_counted && cell->deviation_pct >= 0,
		   cell->deviation_pct, 4);
	cells_real(cells, "ratio", "RATIO", has_ratio, ratio.value, 6);
	cells_word(cells, "ratio_unit", "", has_ratio ? ratio.unit : "");
	cells_number(cells, "own", NULL, report->own && row == 0,
		     report->own ? (int64_t)report->own[event].value : 0);
	cells_end(cells);
}

void counter_table_write(FILE *out, const struct counter_report *report, enum table_style style)
{
	struct cells cells = { .out = out, .style = style, .line = CELLS_TITLES };

	if (!report->event_count || !report->row_count)
		return;
	if (style == TABLE_MARKDOWN && !report->is_first)
		safe_put(out, "\n");
	if (report->is_first || style == TABLE_MARKDOWN)
		put_table_line(&cells, report, 0, 0);
	cells.line = CELLS_RULES;
	if (style == TABLE_MARKDOWN)
		put_table_line(&cells, report, 0, 0);
	cells.line = CELLS_VALUES;
	for (size_t event = 0; event < report->event_count; event++)
		for (size_t row = 0; is_shown(report, event) && row < report->row_count; row++)
			if (!is_elsewhere(report, row, event))
				put_table_line(&cells, report, row, event);
}
