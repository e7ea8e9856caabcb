/* recorded_event.c - see recorded_event.h.
 *
 * Readers want each tracepoint's format file, and refuse a recording without. Those of probes are
 * made by recorded_format.c; their group in tracefs is a name of this process.
 */
#include "recorded_event.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "byte_store.h"
#include "recorded_format.h"
#include "written_record.h"

/* Name of perf record --off-cpu for its event, whose periods are ns, too. */
#define WAITS_OF_PERF "offcpu-time"
#define PROBE_SYSTEM  "probe"
#define TYPE_BYTES 2

static const char fields_of_all[] =
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n";

/* What both kinds of events have in common. */
static void fill_attr(struct perf_event_attr *attr, const struct record_format *format,
		      bool keeps_raw)
{
	*attr = (struct perf_event_attr){
		.size = sizeof(*attr), .sample_type = written_sample_type(format, keeps_raw),
		.read_format = PERF_FORMAT_ID, .branch_sample_type = format->branch_sample_type,
		.disabled = 1, .inherit = 1, .sample_id_all = 1, .mmap = 1, .mmap2 = 1, .comm = 1,
		.comm_exec = 1, .task = 1, .ksymbol = 1, .bpf_event = 1, .build_id = 1,
		.use_clockid = 1, .clockid = CLOCK_MONOTONIC,
	};
	if (!(attr->sample_type & PERF_SAMPLE_BRANCH_STACK))
		attr->branch_sample_type = 0;
	if (!keeps_raw)
		return;
	attr->read_format = format->read_format;
	attr->sample_regs_user = format->user_regs_mask;
	attr->sample_regs_intr = format->intr_regs_mask;
	attr->exclude_callchain_user = !!(attr->sample_type & PERF_SAMPLE_STACK_USER);
}

static void set_levels(struct perf_event_attr *attr, unsigned int excluded)
{
	attr->exclude_user = excluded & 1;
	attr->exclude_kernel = !!(excluded & EVENT_EXCLUDES_KERNEL);
	attr->exclude_hv = !!(excluded & 4);
	attr->exclude_host = !!(excluded & 8);
	attr->exclude_guest = !!(excluded & 16);
}

/* Makes the format file of an event of which only the common fields are known. */
static char *bare_format(const char *name, uint64_t number)
{
	char *text = NULL;

	return asprintf(&text, "name: %s\nID: %" PRIu64 "\nformat:\n%s\nprint fmt: \"\"\n", name,
			number, fields_of_all) < 0 ? NULL : text;
}

/* Splits "group:name", without modifiers, in place. */
static int split_name(struct recorded_event *out)
{
	char *colon = strchr(out->name, ':');
	const size_t len = colon ? (size_t)(colon - out->name) : 0;

	out->group = strndup(out->name, len);
	return out->group ? 0 : -ENOMEM;
}

static int set_format(struct recorded_event *out, const struct event_desc *event,
		      const struct record_encoder_config *config)
{
	const char *name;
	char own[128];

	if (split_name(out))
		return -ENOMEM;
	if (event->raw_format)
		out->format = strdup(event->raw_format);
	else if (config->read_format)
		out->format = config->read_format(config->owner, out->name);
	if (out->format)
		return 0;
	name = out->name + strlen(out->group) + !!out->group[0];
	snprintf(own, sizeof(own), "%.*s", (int)strcspn(name, ":"), name);
	out->format = bare_format(own, event->config);
	return out->format ? 0 : -ENOMEM;
}

static int settle(struct recorded_event *out, int err)
{
	if (!err && !out->group)
		out->group = strdup("");
	if (!err && !out->format)
		out->format = strdup("");
	if (!err && !out->description)
		out->description = strdup("");
	if (err || !out->name || !out->group || !out->format || !out->description) {
		recorded_event_finish(out);
		return -ENOMEM;
	}
	out->event.name = out->name;
	out->event.format = out->format;
	out->event.group = out->group;
	out->event.probe = out->description;
	return 0;
}

int recorded_event_of_source(struct recorded_event *out, const struct event_desc *event,
			     uint64_t id, const struct record_encoder_config *config)
{
	const bool is_waits = event->counts_waits && !event->is_wall;
	struct perf_event_attr *attr = &out->event.attr;
	int err = 0;

	*out = (struct recorded_event){ .event.id = id };
	out->keeps_raw = config->keeps_raw_stacks && !event->counts_waits &&
			 event->format.sample_type & PERF_SAMPLE_STACK_USER &&
			 !(event->format.sample_type & PERF_SAMPLE_READ);
	fill_attr(attr, &event->format, out->keeps_raw);
	attr->type = event->type;
	attr->config = event->config;
	attr->freq = event->freq_hz != 0;
	attr->sample_freq = event->freq_hz ? event->freq_hz : event->fixed_period;
	if (out->keeps_raw)
		attr->sample_stack_user = event->copy_bytes;
	out->event.members = event->read_count;
	set_levels(attr, event->excluded);
	if (is_waits)
		attr->sample_type &= ~(uint64_t)PERF_SAMPLE_RAW;
	if (event->counts_waits) {
		attr->sample_type |= PERF_SAMPLE_DATA_SRC | PERF_SAMPLE_TRANSACTION;
		out->description = strdup(is_waits ? WAITS_DESCRIPTION : WALL_DESCRIPTION);
	}
	out->name = strdup(is_waits ? WAITS_OF_PERF : event->name);
	if (out->name && event->type == PERF_TYPE_TRACEPOINT)
		err = set_format(out, event, config);
	return settle(out, err);
}

/* The raw bytes begin with the number of their event in tracefs. */
static bool find_number(const struct record_sample *sample, uint64_t *number)
{
	uint16_t type;

	if (!sample->raw || sample->raw_bytes < TYPE_BYTES)
		return false;
	memcpy(&type, sample->raw, sizeof(type));
	*number = type;
	return true;
}

bool recorded_event_is_of_hit(const struct recorded_event *entry, struct probe_hits *hits,
			   const struct tee_sample *sample)
{
	const struct probe_row *row = probe_hits_of_event(hits, sample->event);
	uint64_t number;

	return row && row->id == entry->probe &&
	       (entry->event.attr.type != PERF_TYPE_TRACEPOINT ||
		(find_number(&sample->record->sample, &number) &&
		 number == entry->event.attr.config));
}

/* @number: of its event in tracefs; 0: it has no raw bytes. */
static int make_probe(struct recorded_event *out, const struct probe_row *row,
		      const struct record_format *format, uint64_t number, uint64_t id)
{
	const struct probe_reading *reading = row ? row->generations[row->newest].reading : NULL;
	const bool is_tracepoint = row && row->spec && row->spec->kind == PROBE_TRACEPOINT;
	struct perf_event_attr *attr = &out->event.attr;
	uint8_t added[PROBE_VALUES_MAX];
	char name[80];

	*out = (struct recorded_event){ .event.id = id, .probe = row ? row->id : 0 };
	fill_attr(attr, format, false);
	attr->sample_period = 1;
	if (row && row->spec && row->spec->edge == PROBE_LATENCY)
		attr->sample_type |= PERF_SAMPLE_WEIGHT;
	if (!row || !row->spec)
		recorded_format_name(name, sizeof(name), "removed");
	else
		recorded_format_name(name, sizeof(name), is_tracepoint ? row->spec->function
					       : row->spec->name[0] ? row->spec->name : row->name);
	if (row && row->spec)
		out->description = recorded_format_describe(row);
	if (!reading || !number) {
		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_BPF_OUTPUT;
		out->name = strdup(name);
		return settle(out, 0);
	}
	attr->type = PERF_TYPE_TRACEPOINT;
	attr->config = number;
	out->group = strdup(is_tracepoint ? row->spec->group : PROBE_SYSTEM);
	out->format = recorded_format_make(row, name, number);
	out->has_added = probe_reading_added(reading, added) > 0;
	if (!out->group || !out->format ||
	    asprintf(&out->name, "%s:%s", out->group, name) < 0)
		return settle(out, -ENOMEM);
	return settle(out, 0);
}

int recorded_event_of_probe(struct recorded_event *out, struct probe_hits *hits,
			    const struct tee_sample *sample, uint64_t id)
{
	uint64_t number;

	if (!find_number(&sample->record->sample, &number))
		number = 0;
	return make_probe(out, probe_hits_of_event(hits, sample->event), sample->format, number,
			  id);
}

int recorded_event_without_hits(struct recorded_event *out, const struct probe_row *row,
				uint64_t number, uint64_t id)
{
	const struct probe_reading *reading = row->generations[row->newest].reading;

	return make_probe(out, row, &probe_reading_stream(reading)->format, number, id);
}

bool recorded_event_is_same(const struct recorded_event *a, const struct recorded_event *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->format, b->format) &&
	       !strcmp(a->description, b->description) &&
	       !memcmp(&a->event.attr, &b->event.attr, sizeof(a->event.attr));
}

void recorded_event_finish(struct recorded_event *entry)
{
	free(entry->name);
	free(entry->format);
	free(entry->group);
	free(entry->description);
	entry->name = entry->format = entry->group = entry->description = NULL;
}
