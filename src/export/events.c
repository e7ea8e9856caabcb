/* events.c - see export/print.h. Times are as perf-script(1) prints them, in seconds with six
 * digits; in JSON they are whole nanoseconds. */
#include "export/print.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/safe_print.h"
#include "event_values.h"

#define SECOND_NS UINT64_C(1000000000)

const char *const event_field_names[EVENT_FIELD_COUNT + 1] = {
	"time", "cpu", "comm", "pid", "tid", "event", "period", "latency", "symbol", "dso",
	"values", "stack", "branches", "ppid", NULL,
};

/* The last field of a line is not padded. Negative: to the left, as in printf(3). */
static const int cells[EVENT_FIELD_COUNT] = { 16, 3, -16, 7, 7, -24, 10, 9, -24, -20, -40, 0, 0,
						7 };
static const char *const titles[EVENT_FIELD_COUNT] = {
	"TIME", "CPU", "COMMAND", "PID", "TID", "EVENT", "PERIOD", "LATENCY", "SYMBOL", "DSO",
	"VALUES", "STACK", "BRANCHES", "PPID",
};

void event_fields_set_default(struct event_fields *out)
{
	*out = (struct event_fields){
		.list = { EVENT_TIME, EVENT_CPU, EVENT_COMM, EVENT_PID, EVENT_TID, EVENT_NAME,
			  EVENT_LATENCY, EVENT_SYMBOL, EVENT_VALUES },
		.count = 9,
	};
}

static int field_of(const char *text, size_t length)
{
	for (int i = 0; i < EVENT_FIELD_COUNT; i++)
		if (strlen(event_field_names[i]) == length &&
		    !strncmp(event_field_names[i], text, length))
			return i;
	return -1;
}

static void remove_field(struct event_fields *fields, enum event_field field)
{
	uint32_t kept = 0;

	for (uint32_t i = 0; i < fields->count; i++)
		if (fields->list[i] != field)
			fields->list[kept++] = fields->list[i];
	fields->count = kept;
}

int event_fields_parse(struct event_fields *out, const char *as, const char *text,
		       struct diag *why)
{
	struct event_fields result = { .count = 0 };

	if (text[0] == '+' || text[0] == '-')
		result = *out;
	while (*text) {
		const char sign = *text == '+' || *text == '-' ? *text++ : '+';
		const size_t length = strcspn(text, ",+-");
		const int field = field_of(text, length);

		if (field < 0)
			return diag_set(why, -EINVAL, "%s: \"%.*s\" is no field; there are time, "
					"cpu, comm, pid, tid, event, period, latency, symbol, "
					"dso, values, stack, branches, ppid", as, (int)length,
					text);
		remove_field(&result, (enum event_field)field);
		if (sign == '+')
			result.list[result.count++] = (enum event_field)field;
		text += length;
		text += *text == ',';
	}
	if (!result.count)
		return diag_set(why, -EINVAL, "%s: no field is left", as);
	*out = result;
	return 0;
}

bool event_fields_has(const struct event_fields *fields, enum event_field field)
{
	for (uint32_t i = 0; i < fields->count; i++)
		if (fields->list[i] == field)
			return true;
	return false;
}

/* Between fields; padding of the field before. */
static void put_cell(FILE *out, enum event_field field, bool is_last, struct safe_text text)
{
	const int width = cells[field];

	if (width > 0)
		safe_print(out, "%*s", width, text);
	else if (is_last)
		safe_put_text(out, text);
	else
		safe_print(out, "%-*s", -width, text);
	safe_put_text(out, is_last ? SAFE_TEXT("\n") : SAFE_TEXT(" "));
}

void events_write_titles(FILE *out, const struct event_fields *fields)
{
	for (uint32_t i = 0; i < fields->count; i++)
		put_cell(out, fields->list[i], i + 1 == fields->count,
			 sanitize_checked(titles[fields->list[i]]));
}

static void format_latency(char *out, size_t room, int64_t ns)
{
	static const struct { int64_t ns; const char *unit; } units[] = {
		{ 1000000000, "s" }, { 1000000, "ms" }, { 1000, "us" },
	};

	snprintf(out, room, "%" PRId64 "ns", ns);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (ns < units[i].ns)
			continue;
		snprintf(out, room, "%.3f%s", (double)ns / (double)units[i].ns, units[i].unit);
		return;
	}
}

#define LINE_BYTES 4096		/* values that have no room in a formatted line are left out */

/* Appends @text to @line[LINE_BYTES] at @at; returns where it ends. */
static size_t append(char *line, size_t at, const char *text, size_t bytes)
{
	if (bytes > LINE_BYTES - 1 - at)
		return at;
	memcpy(line + at, text, bytes);
	return at + bytes;
}

/* Writes the fields of @event to @line[LINE_BYTES] as its format says. */
static void format_fields(const struct snapshot_event *event, char *line)
{
	size_t used = 0;
	uint32_t next = 0;

	for (const char *at = event->format; *at; at++) {
		const struct snapshot_field *field = &event->fields[next];
		const size_t plain = strcspn(at, "%");
		const char *text = "?";
		char hex[24];

		used = append(line, used, at, plain);
		at += plain;
		if (!*at || !*++at)
			break;
		if (*at == '%') {
			used = append(line, used, at, 1);
			continue;
		}
		if (next < event->field_count) {
			text = field->is_known || *field->text ? field->text : "?";
			next++;
			if (*at == 'x' && field->is_known && field->is_number) {
				snprintf(hex, sizeof(hex), "%llx",
					 strtoull(text, NULL, 10));	/* negative ones, too */
				text = hex;
			}
		}
		used = append(line, used, text, strlen(text));
	}
	line[used] = '\0';
}

int event_values_put(FILE *out, const struct snapshot_event *event)
{
	char line[LINE_BYTES];
	int length = 0;

	if (event->format && event->format[0]) {
		format_fields(event, line);
		safe_put_text(out, sanitize_checked(line));
		return (int)strlen(line);
	}
	for (uint32_t i = 0; i < event->field_count; i++) {
		const struct snapshot_field *field = &event->fields[i];
		const char *text = field->is_known || *field->text ? field->text : "?";
		char time[32];

		if (field->is_ns && field->is_number) {
			format_latency(time, sizeof(time), strtoll(text, NULL, 10));
			text = time;
		}
		safe_print(out, "%s%s=%s", i ? SAFE_TEXT(" ") : SAFE_TEXT(""),
			   sanitize_checked(field->name), sanitize_checked(text));
		length += (int)(strlen(field->name) + strlen(text)) + 1 + (i > 0);
	}
	return length;
}

static void put_values(FILE *out, const struct snapshot_event *event, bool is_last)
{
	int length = event_values_put(out, event);

	if (!length) {
		safe_put(out, "-");
		length = 1;
	}
	if (!is_last && event->format && event->format[0])
		safe_put(out, " ");
	else if (!is_last)
		safe_print(out, "%*s", length < -cells[EVENT_VALUES]
			   ? -cells[EVENT_VALUES] - length + 1 : 1, SAFE_TEXT(""));
	else
		safe_put(out, "\n");
}

static void put_stack(FILE *out, const struct snapshot_event *event, bool is_last)
{
	for (uint32_t i = 0; i < event->frame_count; i++)
		safe_print(out, "%s%s", i ? SAFE_TEXT(";") : SAFE_TEXT(""),
			   sanitize_checked(event->frames[i]));
	if (!event->frame_count)
		safe_put(out, "-");
	safe_put_text(out, is_last ? SAFE_TEXT("\n") : SAFE_TEXT(" "));
}

/* As perf-script(1) prints the field brstack: FROM/TO/mispredicted/transaction/abort/cycles. */
static void put_branch(FILE *out, const struct perf_branch_entry *branch)
{
	const char *prediction = branch->mispred ? "M" : branch->predicted ? "P" : "-";

	safe_print(out, "0x%" PRIx64 "/0x%" PRIx64 "/%s/%s/%s/%u", (uint64_t)branch->from,
		   (uint64_t)branch->to, sanitize_checked(prediction),
		   branch->in_tx ? SAFE_TEXT("X") : SAFE_TEXT("-"),
		   branch->abort ? SAFE_TEXT("A") : SAFE_TEXT("-"), (unsigned)branch->cycles);
}

static void put_branches(FILE *out, const struct snapshot_event *event, bool is_last)
{
	for (uint32_t i = 0; i < event->branch_count; i++) {
		if (i)
			safe_put(out, " ");
		put_branch(out, &event->branches[i]);
	}
	if (!event->branch_count)
		safe_put(out, "-");
	safe_put_text(out, is_last ? SAFE_TEXT("\n") : SAFE_TEXT(" "));
}

/* Formats a field that fits into a short text; "-": it has no value. */
static const char *format_field(const struct snapshot_event *event, enum event_field field,
				char *out, size_t room)
{
	snprintf(out, room, "-");
	switch (field) {
	case EVENT_TIME:
		snprintf(out, room, "%" PRIu64 ".%06" PRIu64, event->time_ns / SECOND_NS,
			 event->time_ns % SECOND_NS / 1000);
		break;
	case EVENT_CPU:
		if (event->cpu != UINT32_MAX)
			snprintf(out, room, "%" PRIu32, event->cpu);
		break;
	case EVENT_PID:
		snprintf(out, room, "%" PRId32, (int32_t)event->pid);
		break;
	case EVENT_TID:
		snprintf(out, room, "%" PRId32, (int32_t)event->tid);
		break;
	case EVENT_PPID:
		if (event->parent_pid)
			snprintf(out, room, "%" PRIu32, event->parent_pid);
		break;
	case EVENT_PERIOD:
		if (event->has_period)
			snprintf(out, room, "%" PRIu64, event->period);
		break;
	case EVENT_LATENCY:
		if (event->latency_ns >= 0)
			format_latency(out, room, event->latency_ns);
		break;
	case EVENT_COMM:   return event->comm[0] ? event->comm : out;
	case EVENT_NAME:   return event->event[0] ? event->event : out;
	case EVENT_SYMBOL: return event->symbol[0] ? event->symbol : out;
	case EVENT_DSO:	   return event->dso[0] ? event->dso : out;
	case EVENT_VALUES:
	case EVENT_STACK:
	case EVENT_BRANCHES:
	case EVENT_FIELD_COUNT:
		break;
	}
	return out;
}

static void put_event(FILE *out, const struct snapshot_event *event,
		      const struct event_fields *fields)
{
	char text[64];

	for (uint32_t i = 0; i < fields->count; i++) {
		const enum event_field field = fields->list[i];
		const bool is_last = i + 1 == fields->count;

		if (field == EVENT_VALUES)
			put_values(out, event, is_last);
		else if (field == EVENT_STACK)
			put_stack(out, event, is_last);
		else if (field == EVENT_BRANCHES)
			put_branches(out, event, is_last);
		else
			put_cell(out, field, is_last,
				 sanitize_checked(format_field(event, field, text, sizeof(text))));
	}
}

void events_write(FILE *out, const struct snapshot_events *events,
		  const struct event_fields *fields)
{
	for (uint32_t i = 0; i < events->count; i++)
		put_event(out, &events->list[i], fields);
}

static void put_json_text(FILE *out, const char *text)
{
	if (text[0])
		safe_put_json(out, sanitize_checked(text));
	else
		safe_put(out, "null");
}

static void put_json_number(FILE *out, bool is_known, int64_t number)
{
	if (is_known)
		safe_print(out, "%" PRId64, number);
	else
		safe_put(out, "null");
}

static void put_json_values(FILE *out, const struct snapshot_event *event)
{
	safe_put(out, "{");
	for (uint32_t i = 0; i < event->field_count; i++) {
		const struct snapshot_field *field = &event->fields[i];

		if (i)
			safe_put(out, ",");
		safe_put_json(out, sanitize_checked(field->name));
		safe_put(out, ":");
		if (!field->is_known)
			safe_put(out, "null");
		else if (field->is_number)
			safe_put_text(out, sanitize_checked(field->text));
		else
			safe_put_json(out, sanitize_checked(field->text));
	}
	safe_put(out, "}");
}

static void put_json_stack(FILE *out, const struct snapshot_event *event)
{
	safe_put(out, "[");
	for (uint32_t i = 0; i < event->frame_count; i++) {
		if (i)
			safe_put(out, ",");
		safe_put_json(out, sanitize_checked(event->frames[i]));
	}
	safe_put(out, "]");
}

static void put_json_branches(FILE *out, const struct snapshot_event *event)
{
	safe_put(out, "[");
	for (uint32_t i = 0; i < event->branch_count; i++) {
		const struct perf_branch_entry *branch = &event->branches[i];
		const char *mispredicted = branch->mispred ? "true" : branch->predicted ? "false"
										       : "null";

		safe_print(out, "%s{\"from\":\"0x%" PRIx64 "\",\"to\":\"0x%" PRIx64 "\","
			   "\"mispredicted\":%s,\"transaction\":%s,\"abort\":%s,\"cycles\":%u}",
			   i ? SAFE_TEXT(",") : SAFE_TEXT(""), (uint64_t)branch->from,
			   (uint64_t)branch->to, sanitize_checked(mispredicted),
			   branch->in_tx ? SAFE_TEXT("true") : SAFE_TEXT("false"),
			   branch->abort ? SAFE_TEXT("true") : SAFE_TEXT("false"),
			   (unsigned)branch->cycles);
	}
	safe_put(out, "]");
}

static void put_json_field(FILE *out, const struct snapshot_event *event, enum event_field field)
{
	const char *name = field == EVENT_TIME	    ? "time_ns"
			   : field == EVENT_LATENCY ? "latency_ns" : event_field_names[field];

	safe_print(out, "\"%s\":", sanitize_checked(name));
	switch (field) {
	case EVENT_TIME:
		safe_print(out, "%" PRIu64, event->time_ns);
		break;
	case EVENT_CPU:
		put_json_number(out, event->cpu != UINT32_MAX, event->cpu);
		break;
	case EVENT_PID:	    put_json_number(out, true, (int32_t)event->pid); break;
	case EVENT_TID:	    put_json_number(out, true, (int32_t)event->tid); break;
	case EVENT_PPID:
		put_json_number(out, event->parent_pid, event->parent_pid);
		break;
	case EVENT_PERIOD:
		put_json_number(out, event->has_period, (int64_t)event->period);
		break;
	case EVENT_LATENCY:
		put_json_number(out, event->latency_ns >= 0, event->latency_ns);
		break;
	case EVENT_COMM:    put_json_text(out, event->comm); break;
	case EVENT_NAME:    put_json_text(out, event->event); break;
	case EVENT_SYMBOL:  put_json_text(out, event->symbol); break;
	case EVENT_DSO:	    put_json_text(out, event->dso); break;
	case EVENT_VALUES:  put_json_values(out, event); break;
	case EVENT_STACK:   put_json_stack(out, event); break;
	case EVENT_BRANCHES: put_json_branches(out, event); break;
	case EVENT_FIELD_COUNT: break;
	}
}

void events_write_json(FILE *out, const struct snapshot_events *events,
		       const struct event_fields *fields)
{
	for (uint32_t i = 0; i < events->count; i++) {
		safe_put(out, "{");
		for (uint32_t f = 0; f < fields->count; f++) {
			if (f)
				safe_put(out, ",");
			put_json_field(out, &events->list[i], fields->list[f]);
		}
		safe_put(out, "}\n");
	}
}
