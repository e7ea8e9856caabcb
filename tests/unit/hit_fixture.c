/* hit_fixture.c - see hit_fixture.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <string.h>

#include <cmocka.h>

#include "hit_fixture.h"

#define COMMON_FIELDS \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

#define BYTES_FIELD "\tfield:u8 bytes[8];\toffset:16;\tsize:8;\tsigned:0;\n"

#define ENTRY_FORMAT(size_field) \
	"name: enter\nID: 7\nformat:\n" COMMON_FIELDS \
	"\tfield:u64 sp;\toffset:8;\tsize:8;\tsigned:0;\n" \
	"\tfield:" size_field ";\n" \
	"\tfield:__data_loc char[] name;\toffset:24;\tsize:4;\tsigned:1;\n" \
	BYTES_FIELD \
	"\tfield:u64 ra;\toffset:28;\tsize:8;\tsigned:0;\n\n" \
	"print fmt: \"%d\", REC->size\n"
static const char entry_format[] = ENTRY_FORMAT("s64 size;\toffset:16;\tsize:8;\tsigned:1");
static const char unsigned_format[] = ENTRY_FORMAT("u64 size;\toffset:16;\tsize:8;\tsigned:0");
static const char leave_format[] =
	"name: leave\nID: 8\nformat:\n" COMMON_FIELDS
	"\tfield:u64 sp;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:s64 size;\toffset:16;\tsize:8;\tsigned:1;\n"
	BYTES_FIELD
	"\tfield:int next;\toffset:24;\tsize:4;\tsigned:1;\n\n"
	"print fmt: \"%d\", REC->size\n";

static struct { const char *begin, *end; } keys[2];
static bool is_interval, is_pair, is_unsigned;
static uint32_t middle_count;

static void make_stream(struct probe_stream *stream, const char *format, size_t bytes,
			uint64_t id)
{
	const struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
			       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW,
		.sample_period = 1, .sample_id_all = 1,
	};
	struct diag why;

	record_format_init(&stream->format, &attr);
	assert_int_equal(raw_fields_parse(&stream->fields, format, bytes, &why), 0);
	stream->ids = malloc(sizeof(*stream->ids));
	assert_non_null(stream->ids);
	stream->ids[0] = id;
	stream->id_count = 1;
	stream->sp_field = raw_fields_find(&stream->fields, "sp");
	stream->ra_field = raw_fields_find(&stream->fields, "ra");
}

static void add_middles(struct probe_reading *reading, uint64_t first_id)
{
	for (uint32_t i = 0; i < middle_count; i++)
		make_stream(&reading->middles[i], leave_format, sizeof(leave_format) - 1,
			    first_id + 3 + i);
	for (uint8_t stage = 1; middle_count && stage <= middle_count + 1; stage++) {
		struct probe_column *column = &reading->columns[reading->column_count++];

		*column = (struct probe_column){ .type = "ns", .kind = VALUE_UNSIGNED,
						 .origin = ORIGIN_STAGE, .stage = stage };
		snprintf(column->name, sizeof(column->name), "lat%d", stage);
	}
}

static struct probe_reading *make_reading(uint64_t first_id, enum probe_edge edge,
					  const char *condition, uint32_t pid)
{
	static const struct probe_column size = { .name = "size", .type = "s64",
						  .kind = VALUE_SIGNED, .origin = ORIGIN_DWARF };
	static const struct probe_column name = { .name = "name", .type = "char *",
						  .kind = VALUE_TEXT, .origin = ORIGIN_TYPED };
	static const struct probe_column ret = { .name = "ret", .type = "int",
						 .kind = VALUE_SIGNED, .is_return = true };
	struct probe_reading *reading = calloc(1, sizeof(*reading));
	struct diag why;

	assert_non_null(reading);
	if (edge != PROBE_RETURN) {
		const char *format = is_unsigned ? unsigned_format : entry_format;

		make_stream(&reading->entry, format, strlen(format), first_id + 1);
		reading->columns[reading->column_count] = size;
		if (is_unsigned)
			reading->columns[reading->column_count].kind = VALUE_UNSIGNED;
		reading->columns[reading->column_count++].field =
			raw_fields_find(&reading->entry.fields, "size");
		reading->columns[reading->column_count] = name;
		reading->columns[reading->column_count++].field =
			raw_fields_find(&reading->entry.fields, "name");
	}
	if (edge != PROBE_ENTRY) {
		make_stream(&reading->leave, leave_format, sizeof(leave_format) - 1,
			    first_id + 2);
		reading->columns[reading->column_count] = ret;
		reading->columns[reading->column_count++].field =
			raw_fields_find(&reading->leave.fields, "size");
	}
	add_middles(reading, first_id);
	for (int i = 0; i < 2 && keys[i].begin; i++) {
		for (uint32_t k = 0; k < middle_count; k++)
			reading->middle_keys[k][i] = raw_fields_find(&reading->middles[k].fields,
								     keys[i].end);
		reading->entry_keys[i] = raw_fields_find(&reading->entry.fields, keys[i].begin);
		reading->leave_keys[i] = raw_fields_find(&reading->leave.fields, keys[i].end);
	}
	if (condition[0])
		assert_int_equal(probe_condition_parse(&reading->condition, condition, &why), 0);
	reading->pid = pid;
	return reading;
}

void hit_fixture_keys(const char *first, const char *second)
{
	keys[0].begin = keys[0].end = first;
	keys[1].begin = keys[1].end = second;
	is_pair = first != NULL;
}

void hit_fixture_pair(const char *begin, const char *end)
{
	keys[0].begin = begin;
	keys[0].end = end;
	is_pair = true;
}

void hit_fixture_middles(uint32_t count)
{
	middle_count = count;
}

void hit_fixture_unsigned(void)
{
	is_unsigned = true;
}

void hit_fixture_interval(void)
{
	is_interval = true;
}

static void make_interval(struct probe_spec *spec)
{
	spec->end.kind = spec->kind;
	snprintf(spec->group, sizeof(spec->group), "prog");
	spec->end.kind = spec->kind;
	snprintf(spec->end.group, sizeof(spec->end.group), "prog");
	snprintf(spec->function, sizeof(spec->function), "take");
	snprintf(spec->end.function, sizeof(spec->end.function), "take");
	spec->end.kind = spec->kind;
}

void hit_fixture_add(struct ingest *ingest, uint32_t probe, enum probe_kind kind,
		     enum probe_edge edge, const char *condition, uint32_t pid)
{
	struct engine_event event = {
		.kind = ENGINE_EVENT_ADDED, .probe = probe, .slot = probe,
		.status = { .state = PROBE_ATTACHING, .lease_until_ns = UINT64_MAX },
		.name = "take", .dso = "prog", .scope = "whole system",
	};

	event.spec = calloc(1, sizeof(*event.spec));
	assert_non_null(event.spec);
	snprintf(event.spec->text, sizeof(event.spec->text), "u:prog:take");
	event.spec->kind = kind;
	event.spec->edge = edge;
	for (int i = 0; i < 2 && keys[i].begin; i++) {
		struct probe_on *on = &event.spec->on[event.spec->on_count++];

		snprintf(on->begin, sizeof(on->begin), "%s", keys[i].begin);
		snprintf(on->end, sizeof(on->end), "%s", keys[i].end);
	}
	if (is_pair) {
		event.spec->end.kind = PROBE_TRACEPOINT;
		snprintf(event.spec->end.function, sizeof(event.spec->end.function), "given");
	}
	event.spec->middle_count = middle_count;
	if (is_interval) {
		make_interval(event.spec);
		edge = PROBE_ENTRY;	/* one stream */
	}
	assert_false(probe_records_event(ingest, &event));
	event = (struct engine_event){ .kind = ENGINE_EVENT_READING, .probe = probe, .slot = probe,
				    .reading = make_reading(100 * probe, edge, condition, pid) };
	assert_false(probe_records_event(ingest, &event));
	memset(keys, 0, sizeof(keys));
	is_interval = is_pair = is_unsigned = false;
	middle_count = 0;
}

void hit_fixture_attach_again(struct ingest *ingest, uint32_t probe, enum probe_edge edge,
			      uint64_t time_ns)
{
	struct engine_event event = { .kind = ENGINE_EVENT_READING, .probe = probe, .slot = probe,
				   .time_ns = time_ns,
				   .reading = make_reading(100 * probe + 50, edge, "", 0) };

	assert_false(probe_records_event(ingest, &event));
}

bool hit_fixture_event(struct ingest *ingest, enum engine_event_kind kind, uint32_t probe,
		       uint64_t time_ns, enum probe_state state)
{
	struct engine_event event = {
		.kind = kind, .probe = probe, .slot = probe, .time_ns = time_ns,
		.status = { .state = state, .lease_until_ns = UINT64_MAX },
	};

	return probe_records_event(ingest, &event);
}

/* u32 size of the raw part, then its bytes, filled up to a whole word. */
static void add_raw(struct record_bytes *out, bool is_leave, const struct hit_record *record)
{
	const size_t text_bytes = record->text ? strlen(record->text) + 1 : 0;
	unsigned char bytes[160] = { 0 };
	uint32_t raw_bytes = is_leave ? 28 : 36 + (uint32_t)((text_bytes + 7) / 8 * 8);
	const uint32_t place = (uint32_t)text_bytes << 16 | 36;
	uint64_t words[20];

	assert_true(text_bytes < 100);
	memcpy(bytes, &raw_bytes, 4);
	bytes[4 + 2] = record->flags;
	memcpy(bytes + 4 + 8, &record->sp, 8);
	memcpy(bytes + 4 + 16, &record->number, 8);
	if (is_leave) {
		memcpy(bytes + 4 + 24, &record->next, 4);
	} else {
		memcpy(bytes + 4 + 24, &place, 4);
		memcpy(bytes + 4 + 28, &record->return_address, 8);
	}
	if (!is_leave && text_bytes)
		memcpy(bytes + 4 + 36, record->text, text_bytes);
	memcpy(words, bytes, sizeof(words));
	record_add(out, words, (4 + raw_bytes) / 8);
}

void hit_fixture_write(struct record_bytes *out, uint64_t id, bool is_leave,
		       const struct hit_record *record)
{
	const uint64_t fields[] = {
		id, HIT_IP, PAIR(record->pid, record->tid), record->time_ns, PAIR(0, 0),
	};

	record_begin(out, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER);
	record_add(out, fields, COUNT_OF(fields));
	add_raw(out, is_leave, record);
	record_close(out);
}

static bool push(struct ingest *ingest, uint64_t id, bool is_leave,
		 const struct hit_record *record)
{
	struct record_bytes bytes;

	hit_fixture_write(&bytes, id, is_leave, record);
	return probe_records_push(ingest, bytes.words, bytes.count * 8, 0);
}

bool hit_fixture_enter(struct ingest *ingest, uint32_t probe, const struct hit_record *record)
{
	return push(ingest, 100 * (uint64_t)probe + 1, false, record);
}

bool hit_fixture_leave(struct ingest *ingest, uint32_t probe, const struct hit_record *record)
{
	return push(ingest, 100 * (uint64_t)probe + 2, true, record);
}

bool hit_fixture_pass(struct ingest *ingest, uint32_t probe, uint32_t middle,
		      const struct hit_record *record)
{
	return push(ingest, 100 * (uint64_t)probe + 2 + middle, true, record);
}

void hit_fixture_lost(struct ingest *ingest, uint32_t probe, uint64_t time_ns)
{
	const uint64_t id = 100 * (uint64_t)probe + 1;
	const uint64_t words[] = { id, 5, PAIR(1, 1), time_ns, PAIR(0, 0), id };
	struct record_bytes record;

	record_begin(&record, PERF_RECORD_LOST, 0);
	record_add(&record, words, COUNT_OF(words));
	record_close(&record);
	assert_true(probe_records_push(ingest, record.words, record.count * 8, 0));
}

void hit_fixture_round(struct ingest *ingest, uint64_t limit_ns)
{
	const struct queue_round_end mark = { .limit_ns = limit_ns };

	ingest_hit_round_end(ingest, &mark);
}
