/* recorded_probes.c - presents the events of a recording whose raw bytes have fields as probes:
 * probe_hits_create_recorded() of ingest/probe_state.h.
 *
 * Problem: a tracepoint or probe of a recording is one of its events, and its hits are samples of
 * that event. Its fields are values, which only probes have.
 *
 * Idea: a row with a reading like that of a live probe, but with the event's own number, under
 * which its samples are counted. So each hit is counted once, and shown both as sample and as hit.
 *
 * Recordings of flametop say more of its own probes: what was typed, and what each value is. Their
 * samples are counted as the hits that they were (probe_records.c), and not as samples. The places
 * of a probe are events of their own, which share a row.
 */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "ingest/probe_state.h"
#include "probe/probe_definition.h"

/* Prefix of fields that the kernel adds to its dynamic events: they are no arguments. */
#define DYNAMIC_PREFIX "__probe_"
#define DYNAMIC_RETURN "__probe_ret_ip"

static bool is_argument(const struct raw_field *field)
{
	return !field->is_common &&
	       strncmp(field->name, DYNAMIC_PREFIX, sizeof(DYNAMIC_PREFIX) - 1) != 0;
}

/* Returns how many arguments there are; columns are made of the first PROBE_VALUES_MAX. */
static uint32_t add_columns(struct probe_reading *reading, const struct probe_spec *spec)
{
	const struct raw_fields *fields = &reading->entry.fields;
	uint32_t arguments = 0;

	for (size_t i = 0; i < fields->count; i++) {
		const struct raw_field *field = &fields->list[i];
		struct probe_column *column;
		struct field_view view;

		if (!is_argument(field) || ++arguments > PROBE_VALUES_MAX)
			continue;
		column = &reading->columns[reading->column_count++];
		field_view_make(&view, fields, (int)i, spec->group, spec->function, NULL, NULL, 0);
		*column = (struct probe_column){
			.kind = view.kind, .meaning = view.meaning, .origin = ORIGIN_FORMAT,
			.field = (int)i,
		};
		snprintf(column->name, sizeof(column->name), "%s", field->name);
		snprintf(column->type, sizeof(column->type), "%s", field->type);
	}
	return arguments;
}

/* Returns NULL: out of memory, or the format is invalid (*@is_format false). */
static struct probe_reading *make_reading(const struct event_desc *event, bool *is_format)
{
	struct probe_reading *reading = calloc(1, sizeof(*reading));
	struct diag why = { .err = 0 };

	*is_format = true;
	if (!reading)
		return NULL;
	reading->entry.format = event->format;
	reading->entry.sp_field = reading->entry.ra_field = -1;
	if (!raw_fields_parse_foreign(&reading->entry.fields, event->raw_format,
				      strlen(event->raw_format), event->long_bytes, &why))
		return reading;
	*is_format = why.err != -EBADMSG;
	probe_reading_destroy(reading);
	return NULL;
}

static struct probe_spec *make_spec(const struct event_desc *event, const struct raw_fields *fields)
{
	const char *colon = strchr(event->name, ':');
	struct probe_spec *spec = calloc(1, sizeof(*spec));

	if (!spec)
		return NULL;
	spec->kind = PROBE_TRACEPOINT;
	spec->edge = raw_fields_find(fields, DYNAMIC_RETURN) < 0 ? PROBE_ENTRY : PROBE_RETURN;
	snprintf(spec->text, sizeof(spec->text), "t:%s", event->name);
	snprintf(spec->function, sizeof(spec->function), "%s", colon ? colon + 1 : event->name);
	if (colon)
		snprintf(spec->group, sizeof(spec->group), "%.*s", (int)(colon - event->name),
			 event->name);
	return spec;
}

static void describe_row(struct probe_row *row, const struct event_desc *event,
			 const struct raw_fields *fields, uint32_t arguments)
{
	const bool is_dynamic = raw_fields_find(fields, "__probe_ip") >= 0 ||
				row->spec->edge == PROBE_RETURN;
	char *reason = row->status.reason;

	snprintf(row->name, sizeof(row->name), "%s", row->spec->text);
	snprintf(row->dso, sizeof(row->dso), "%s", is_dynamic ? "[unknown]" : "[kernel]");
	snprintf(row->scope, sizeof(row->scope), "as recorded");
	row->with_stacks = event->format.sample_type &
			   (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER);
	row->status = (struct probe_status){ .state = PROBE_RECORDED,
					     .lease_until_ns = UINT64_MAX };
	if (event->freq_hz)
		snprintf(reason, sizeof(row->status.reason), "some of its hits were recorded: "
			 "%" PRIu64 " a second were aimed at", event->freq_hz);
	else if (event->fixed_period > 1)
		snprintf(reason, sizeof(row->status.reason),
			 "one of %" PRIu64 " hits was recorded", event->fixed_period);
	else if (arguments > PROBE_VALUES_MAX)
		snprintf(reason, sizeof(row->status.reason),
			 "the first %d of its %" PRIu32 " fields are shown", PROBE_VALUES_MAX,
			 arguments);
}

/* Returns @wanted, or the next number that is no probe's id. */
static uint32_t unused_id(const struct probe_hits *hits, uint32_t wanted)
{
	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++)
		if (hits->rows[slot].id == wanted)
			return unused_id(hits, wanted + 1);
	return wanted;
}

static const char *layout_of(const char *format)
{
	const char *layout = strstr(format, "\nformat:");

	return layout ? layout : format;
}

/* True: both are places of one probe, whose records have one layout. */
static bool are_of_one_probe(const struct event_desc *a, const struct event_desc *b)
{
	return b->probe && !strcmp(a->probe, b->probe) &&
	       a->format.sample_type == b->format.sample_type &&
	       a->format.read_format == b->format.read_format && !a->raw_format == !b->raw_format &&
	       (!a->raw_format || !strcmp(layout_of(a->raw_format), layout_of(b->raw_format)));
}

/* 0, -EBADMSG or -ENOMEM. */
static int read_reading(struct probe_row *row, const struct event_desc *event)
{
	struct probe_reading *reading = calloc(1, sizeof(*reading));
	struct diag why = { .err = 0 };
	int err = reading ? 0 : -ENOMEM;

	if (!err && event->raw_format)
		err = raw_fields_parse_foreign(&reading->entry.fields, event->raw_format,
					       strlen(event->raw_format), event->long_bytes, &why);
	if (!err)
		err = probe_description_read(event->probe, row, reading);
	if (err) {
		probe_reading_destroy(reading);
		free(row->spec);
		*row = (struct probe_row){ .id = 0 };
		return err;
	}
	reading->entry.format = event->format;
	reading->entry.sp_field = reading->entry.ra_field = -1;
	row->generations[0].reading = reading;
	return 0;
}

/* Adds the row of a probe of flametop, or finds that of another place of it. As add_recorded();
 * *@is_new: the slot is in use. */
static int add_own(struct probe_hits *hits, uint32_t slot, const struct event_desc *const *events,
		   uint16_t number, bool *is_new)
{
	struct probe_row *row = &hits->rows[slot];
	int err;

	*is_new = false;
	for (uint16_t i = 0; i < number; i++)
		if (hits->recorded[i] && are_of_one_probe(events[number], events[i])) {
			hits->recorded[number] = hits->recorded[i];
			return 0;
		}
	if (slot == PROBE_SLOTS)
		return -E2BIG;
	err = read_reading(row, events[number]);
	if (err)
		return err;
	*is_new = true;
	row->id = unused_id(hits, probe_description_id(events[number]->probe));
	row->event = (uint16_t)(PROBE_EVENT_FIRST + slot);
	row->generations[0].number = ++hits->last_generation;
	row->generations[0].ignore_ns = UINT64_MAX;
	row->status = (struct probe_status){ .state = PROBE_RECORDED,
					     .lease_until_ns = UINT64_MAX };
	row->first_ns = 1;
	probe_turns_begin(&row->turns, row->first_ns);
	for (uint32_t i = 0; i < row->spec->key_count; i++)
		hits->has_uid_keys |= row->spec->keys[i].kind == PROBE_KEY_UID;
	hits->recorded[number] = (uint8_t)(slot + 1);
	return 0;
}

/* 0, -EBADMSG (its format is invalid) or -ENOMEM. */
static int add_recorded(struct probe_hits *hits, uint32_t slot, const struct event_desc *event,
			uint16_t number)
{
	struct probe_row *row = &hits->rows[slot];
	bool is_format;
	struct probe_reading *reading = make_reading(event, &is_format);

	if (!reading)
		return is_format ? -ENOMEM : -EBADMSG;
	row->spec = make_spec(event, &reading->entry.fields);
	if (!row->spec) {
		probe_reading_destroy(reading);
		return -ENOMEM;
	}
	row->id = unused_id(hits, slot + 1);
	row->event = number;
	row->generations[0] = (struct probe_generation){
		.reading = reading, .number = ++hits->last_generation, .ignore_ns = UINT64_MAX,
	};
	describe_row(row, event, &reading->entry.fields, add_columns(reading, row->spec));
	/* The event was recorded all the time, so the rate refers to the whole window. */
	row->first_ns = 1;
	probe_turns_begin(&row->turns, row->first_ns);
	hits->recorded[number] = (uint8_t)(slot + 1);
	return 0;
}

static int add_all(struct probe_hits *hits, const struct event_desc *const *events, uint32_t count,
		   uint32_t *slots)
{
	bool is_new = true;
	int err = 0;

	*slots = 0;
	for (uint32_t i = 0; i < count && err != -ENOMEM; i++) {
		if (events[i]->probe) {
			err = add_own(hits, *slots, events, (uint16_t)i, &is_new);
			*slots += is_new;
			if (err && err != -ENOMEM)
				log_warn("the hits of %s are not shown: %s", events[i]->name,
					 err == -E2BIG ? "there are too many probes"
						       : "the recording's description of it is "
							 "damaged");
			continue;
		}
		if (!events[i]->raw_format || events[i]->is_unasked)
			continue;
		if (*slots == PROBE_SLOTS) {
			log_warn("the values of %s are not shown: the first %d events with "
				 "fields have them", events[i]->name, PROBE_SLOTS);
			continue;
		}
		err = add_recorded(hits, *slots, events[i], (uint16_t)i);
		*slots += !err;
		if (err == -EBADMSG)
			log_warn("the values of %s are not shown: the recording's description of "
				 "it names no field", events[i]->name);
	}
	return err == -ENOMEM ? err : 0;
}

int probe_hits_create_recorded(struct probe_hits **out, const struct event_desc *const *events,
			       uint32_t count)
{
	struct probe_hits *hits = probe_hits_create();
	uint32_t slots = 0;
	int err = hits ? add_all(hits, events, count, &slots) : -ENOMEM;

	*out = NULL;
	if (err || !slots)
		probe_hits_destroy(hits);
	else
		*out = hits;
	return err;
}

struct probe_row *probe_hits_of_recorded(struct probe_hits *hits, uint32_t event)
{
	if (!hits || event >= TIMELINE_MAX_EVENTS || !hits->recorded[event])
		return NULL;
	return &hits->rows[hits->recorded[event] - 1];
}
