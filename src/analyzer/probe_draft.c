/* probe_draft.c - see probe_draft.h. The block: list | values | lines | heat | text. */
#include "probe_draft.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzer/snapshot.h"
#include "base/sanitize.h"
#include "elf/demangle.h"

#define WORD_MASK (sizeof(uint64_t) - 1)

const char *probe_draft_text(struct probe_draft *draft, const char *text, size_t bytes)
{
	const size_t room = 12 * bytes + 1;	/* the worst: "<U+NNNN>" per byte */
	const size_t at = draft->text_used;

	if (draft->text_capacity - at < room) {
		const size_t capacity = (draft->text_capacity + room) * 2;
		char *bigger = realloc(draft->text, capacity);

		if (!bigger) {
			draft->is_out_of_memory = true;
			return NULL;
		}
		draft->text = bigger;
		draft->text_capacity = capacity;
	}
	draft->text_used += sanitize_text(draft->text + at, room, text, bytes) + 1;
	draft->text[draft->text_used - 1] = '\0';
	return (const char *)(uintptr_t)at;
}

/* Returns the frame of an address in a hit; ID_SET_NONE: its DSO is unknown, or gone. */
static uint32_t frame_of(struct ingest *ingest, const struct probe_value *value)
{
	const uint32_t object = value->object;

	if (value->number >= UINT64_C(1) << 63)
		return ingest_frame(ingest, NULL, MODE_KERNEL, value->number);
	if (!object || object >= ingest->objects.count ||
	    ingest->objects.objects[object].serial != value->serial)
		return ID_SET_NONE;
	return stack_trie_frame(&ingest->trie, object, value->number);
}

/* "vfs_read", "vfs_read+0x10"; without a name "libc.so.6+0x98930". */
static bool name_symbol(struct ingest *ingest, const struct probe_value *value, char *out,
			size_t room)
{
	const uint32_t frame = frame_of(ingest, value);
	const uint32_t id = frame == ID_SET_NONE
			    ? ID_SET_NONE
			    : symbol_names_of_frame(&ingest->names, &ingest->trie, frame);
	const struct symbol *symbol;
	struct str_id name;
	uint64_t offset;

	if (id == ID_SET_NONE)
		return false;
	symbol = &ingest->names.symbols[id];
	if (symbol->state == SYMBOL_NAMED) {
		name = symbol_names_shown(&ingest->names, symbol);
		offset = ingest->trie.frames.address[frame] - symbol->address;
	} else if (value->object) {
		name = ingest->objects.objects[value->object].name;
		offset = value->number;
	} else {
		return false;
	}
	snprintf(out, room, offset ? "%s+0x%" PRIx64 : "%s", strpool_get(ingest->strings, name),
		 offset);
	return true;
}

const char *snapshot_number(bool is_signed, uint64_t number, char out[SNAPSHOT_NUMBER_BYTES])
{
	if (is_signed)
		snprintf(out, SNAPSHOT_NUMBER_BYTES, "%" PRId64, (int64_t)number);
	else
		snprintf(out, SNAPSHOT_NUMBER_BYTES, "%" PRIu64, number);
	return out;
}

/* By the event's own words. Without memory to remember them in they are looked for each time. */
static bool name_by_words(struct probe_reading *reading, uint32_t index, uint64_t number, char *out,
			  size_t room)
{
	const struct probe_column *column = &reading->columns[index];
	const struct raw_fields *fields = column->is_return ? &reading->leave.fields
							    : &reading->entry.fields;
	struct probe_name *name;
	bool is_named;

	if (column->field < 0 || (size_t)column->field >= fields->count)
		return false;
	if (!reading->names)
		reading->names = calloc(PROBE_NAMES, sizeof(*reading->names));
	name = reading->names ? &reading->names[id_map_mix(number + index) % PROBE_NAMES] : NULL;
	if (name && name->column == index + 1 && name->number == number) {
		snprintf(out, room, "%s", name->text);
		return name->is_named;
	}
	is_named = raw_fields_name(fields, &fields->list[column->field], number, out, room);
	if (name && (!is_named || strlen(out) < sizeof(name->text))) {
		*name = (struct probe_name){ .number = number, .column = index + 1,
					     .is_named = is_named };
		if (is_named)
			strcpy(name->text, out);
	}
	return is_named;
}

/* Writes the name of a number to @out. False: it has no name. */
static bool name_number(struct ingest *ingest, struct probe_reading *reading, uint32_t index,
			const struct probe_value *value, char *out, size_t room)
{
	const struct probe_column *column = &reading->columns[index];

	if (column->kind == VALUE_SYMBOL)
		return name_symbol(ingest, value, out, room);
	if (column->meaning == MEANING_WORDS)
		return name_by_words(reading, index, value->number, out, room);
	return probe_meaning_name(column->meaning, value->number, out, room);
}

static void format_number(const struct probe_column *column, const struct probe_value *value,
			  char *out, size_t room)
{
	char number[SNAPSHOT_NUMBER_BYTES];

	if (column->kind == VALUE_HEX || column->kind == VALUE_SYMBOL)
		snprintf(out, room, "0x%" PRIx64, value->number);
	else
		snprintf(out, room, "%s",
			 snapshot_number(column->kind != VALUE_UNSIGNED && value->is_signed,
					 value->number, number));
}

const char *probe_draft_value(struct probe_draft *draft, struct ingest *ingest,
			      const struct probe_row *row, uint32_t column,
			      const struct probe_value *value, bool *is_named)
{
	struct probe_reading *reading = row->generations[row->newest].reading;
	char text[PROBE_TEXT_BYTES_MAX];

	*is_named = false;
	if (value->is_text)
		return probe_draft_text(draft, value->text, value->text_bytes);
	*is_named = name_number(ingest, reading, column, value, text, sizeof(text));
	if (!*is_named)
		format_number(&reading->columns[column], value, text, sizeof(text));
	return probe_draft_text(draft, text, strlen(text));
}

static const char *put_string(struct probe_draft *draft, const char *text)
{
	return probe_draft_text(draft, text, strlen(text));
}

static double lease_s(const struct probe_status *status, uint64_t now_ns)
{
	if (status->lease_until_ns == UINT64_MAX)
		return -1;
	return status->lease_until_ns > now_ns ? (double)(status->lease_until_ns - now_ns) / 1e9
					       : 0;
}

static void fill_latency(const struct probe_row *row, const uint64_t *buckets,
			 const struct probe_draft_span *span, struct snapshot_latency *out)
{
	uint64_t peak_ns;

	latency_summarize(buckets, 0, out);	/* now max_ns is the highest bucket's end */
	peak_ns = probe_peaks_between(&row->peaks, span->begin_ns, span->end_ns, out->max_ns);
	latency_summarize(buckets, peak_ns, out);
}

/* Returns the rate over the part of the window in which the probe was attached. */
static double hits_per_s(uint64_t hits, const struct probe_row *row, uint64_t begin_ns,
			 uint64_t end_ns)
{
	const uint64_t attached_ns = probe_turns_between(&row->turns, begin_ns, end_ns);

	return snapshot_per_s(hits, (double)attached_ns / 1e9);
}

/* Returns the rate over the baseline's time, without the part left out of it. */
static double base_hits_per_s(uint64_t hits, const struct probe_row *row,
			      const struct baseline *baseline)
{
	const uint64_t attached_ns =
		probe_turns_between(&row->turns, baseline->begin_ns, baseline->end_ns) -
		probe_turns_between(&row->turns, baseline->without_begin_ns,
				    baseline->without_end_ns);

	return snapshot_per_s(hits, (double)attached_ns / 1e9);
}

/* A probe that was attached later, or never, was not there; nor was an event that the other
 * recording lacks. */
static void fill_base(const struct probe_row *row, uint32_t slot,
		      const struct probe_draft_span *span, struct snapshot_probe *out)
{
	const struct baseline *baseline = span->baseline;

	out->base_hits_per_s = -1;
	if (!span->base || !row->first_ns || row->first_ns >= baseline->end_ns ||
	    !baseline_has_event(baseline, row->event))
		return;
	out->base_hits_per_s = base_hits_per_s(probe_fold_hits(span->base, slot), row, baseline);
	if (out->has_latency)
		latency_summarize(span->base->buckets[slot], baseline->peak_ns[slot],
				  &out->base_latency);
}

/* The function of "lat:libx.so:_Z1fi" as it was written, once a sample of it was named. */
static const char *put_meaning(struct probe_draft *draft, const struct ingest *ingest,
			       const char *probe, const struct probe_draft_span *span)
{
	const struct symbol_names *names = &ingest->names;
	const char *colon = strrchr(probe, ':');
	const char *function = colon ? colon + 1 : probe;
	struct str_id id = { 0 };

	if (!span->raw_names && demangle_is_mangled(function))
		id = strpool_find(ingest->strings, function, strlen(function));
	for (uint32_t i = 0; id.v && i < names->count; i++) {
		const struct symbol *symbol = &names->symbols[i];

		if (symbol->name.v != id.v)
			continue;
		id = symbol_names_shown(names, symbol);
		return put_string(draft, id.v == symbol->name.v
					 ? "" : strpool_get(ingest->strings, id));
	}
	return put_string(draft, "");
}

static void fill_row(struct probe_draft *draft, const struct ingest *ingest, uint32_t slot,
		     const struct probe_fold *fold, const struct probe_draft_span *span,
		     struct snapshot_probe *out)
{
	const struct probe_hits *hits = ingest->hits;
	const struct probe_row *row = &hits->rows[slot];
	const struct probe_status *status = &row->status;

	*out = (struct snapshot_probe){
		.id = row->id, .event = row->event,
		.spec = put_string(draft, row->spec->text), .name = put_string(draft, row->name),
		.meaning = put_meaning(draft, ingest, row->name, span),
		.object = put_string(draft, row->object),
		.scope = put_string(draft, row->scope),
		.kind = row->spec->kind, .edge = row->spec->edge,
		.with_stacks = row->with_stacks, .is_in_bursts = status->is_in_bursts,
		.state = status->state, .reason = put_string(draft, status->reason),
		.hits = probe_fold_hits(fold, slot), .hits_since = status->hits,
		.lost_since = status->lost, .missed_since = status->missed,
		.in_flight = hits->pairs.in_flight[slot],
		.lease_s = lease_s(status, span->now_ns), .cost_pct = status->cost_pct,
		.own_ns = status->own_ns,
		.has_latency = row->spec->edge == PROBE_LATENCY,
	};
	out->hits_per_s = hits_per_s(out->hits, row, span->begin_ns, span->end_ns);
	if (out->has_latency)
		fill_latency(row, fold->buckets[slot], span, &out->latency);
	fill_base(row, slot, span, out);
}

/* Slots of the probes in the order of their ids, which rise. */
static uint32_t sort_slots(const struct probe_hits *hits, uint32_t *slots)
{
	uint32_t count = 0, at;

	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++) {
		if (!hits->rows[slot].id)
			continue;
		for (at = count++; at && hits->rows[slots[at - 1]].id > hits->rows[slot].id; at--)
			slots[at] = slots[at - 1];
		slots[at] = slot;
	}
	return count;
}

int probe_draft_fill(struct probe_draft *draft, struct ingest *ingest,
		     const struct probe_fold *fold, const struct probe_draft_span *span)
{
	uint32_t slots[PROBE_SLOTS];

	*draft = (struct probe_draft){ .head.count = sort_slots(ingest->hits, slots) };
	if (span->detail == PROBE_ALL)
		draft->head.detail = PROBE_ALL;
	put_string(draft, "");
	draft->head.hit = (struct snapshot_hit){ .latency_ns = -1 };
	draft->list = calloc(draft->head.count + 1, sizeof(*draft->list));
	if (!draft->list)
		return -ENOMEM;
	for (uint32_t i = 0; i < draft->head.count; i++) {
		fill_row(draft, ingest, slots[i], fold, span, &draft->list[i]);
		if (draft->list[i].id == span->detail)
			draft->head.detail = span->detail;
	}
	if (probe_draft_values(draft, ingest, fold, span) ||
	    probe_draft_times(draft, ingest, span) || probe_draft_lines(draft, ingest, span))
		return -ENOMEM;
	return draft->is_out_of_memory ? -ENOMEM : 0;
}

void probe_draft_finish(struct probe_draft *draft)
{
	free(draft->list);
	free(draft->values);
	free(draft->lines);
	free(draft->heat);
	free(draft->text);
	memset(draft, 0, sizeof(*draft));
}

/* Where the parts begin in the block. */
struct layout {
	size_t values, lines, heat, text, end;
};

static struct layout layout_of(const struct probe_draft *draft)
{
	const size_t line_count = draft->head.log_count + draft->head.slowest_count;
	struct layout layout;

	layout.values = draft->head.count * sizeof(*draft->list);
	layout.lines = layout.values + draft->value_count * sizeof(*draft->values);
	layout.heat = layout.lines + line_count * sizeof(*draft->lines);
	layout.text = layout.heat + draft->head.heat.seconds * sizeof(*draft->heat);
	layout.end = (layout.text + draft->text_used + WORD_MASK) & ~WORD_MASK;
	return layout;
}

size_t probe_draft_bytes(const struct probe_draft *draft)
{
	return draft->head.count ? layout_of(draft).end : 0;
}

static const char *at_offset(const char *base, const char *offset)
{
	return base + (uintptr_t)offset;
}

static void join_list(const struct probe_draft *draft, struct snapshot_probe *list,
		      const struct snapshot_value *values, const char *text)
{
	for (uint32_t i = 0; i < draft->head.count; i++) {
		const struct snapshot_probe *from = &draft->list[i];

		list[i] = *from;
		list[i].spec = at_offset(text, from->spec);
		list[i].name = at_offset(text, from->name);
		list[i].meaning = at_offset(text, from->meaning);
		list[i].object = at_offset(text, from->object);
		list[i].scope = at_offset(text, from->scope);
		list[i].reason = at_offset(text, from->reason);
		list[i].values = values;
		values += from->value_count;
	}
}

static void join_values(const struct probe_draft *draft, struct snapshot_value *values,
			const char *text)
{
	for (uint32_t i = 0; i < draft->value_count; i++) {
		const struct snapshot_value *from = &draft->values[i];

		values[i] = *from;
		values[i].name = at_offset(text, from->name);
		values[i].type = at_offset(text, from->type);
		values[i].origin = at_offset(text, from->origin);
		for (uint32_t top = 0; top < from->top_count; top++)
			values[i].top[top].text = at_offset(text, from->top[top].text);
	}
}

static void join_hit(struct snapshot_hit *hit, const char *text)
{
	hit->comm = at_offset(text, hit->comm);
	hit->values = at_offset(text, hit->values);
	hit->stack = at_offset(text, hit->stack);
}

static void join_lines(const struct probe_draft *draft, struct snapshot_hit *lines,
		       const char *text)
{
	for (uint32_t i = 0; i < draft->head.log_count + draft->head.slowest_count; i++) {
		lines[i] = draft->lines[i];
		join_hit(&lines[i], text);
	}
}

void probe_draft_join(const struct probe_draft *draft, void *at, struct snapshot_probes *out)
{
	const struct layout layout = layout_of(draft);
	char *base = at, *text = base + layout.text;
	struct snapshot_probe *list = at;
	struct snapshot_value *values = (struct snapshot_value *)(void *)(base + layout.values);
	struct snapshot_hit *lines = (struct snapshot_hit *)(void *)(base + layout.lines);

	*out = draft->head;
	if (!draft->head.count)
		return;
	memcpy(text, draft->text, draft->text_used);
	join_list(draft, list, values, text);
	join_values(draft, values, text);
	join_lines(draft, lines, text);
	join_hit(&out->hit, text);
	out->list = list;
	out->log = lines;
	out->slowest = lines + draft->head.log_count;
	if (!draft->head.heat.seconds)
		return;
	out->heat.counts = (uint32_t(*)[LATENCY_OCTAVES])(void *)(base + layout.heat);
	memcpy(out->heat.counts, draft->heat, draft->head.heat.seconds * sizeof(*draft->heat));
}
