/* probe_parts.c - see probe_parts.h. */
#include "probe_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/sanitize.h"
#include "ingest/snapshot_probes.h"

const char *probe_builder_text(struct probe_builder *builder, const char *text, size_t bytes)
{
	const size_t room = 12 * bytes + 1;	/* the worst: "<U+NNNN>" per byte */
	const size_t at = builder->text_used;

	if (builder->text_capacity - at < room) {
		const size_t capacity = (builder->text_capacity + room) * 2;
		char *bigger = realloc(builder->text, capacity);

		if (!bigger) {
			builder->is_out_of_memory = true;
			return NULL;
		}
		builder->text = bigger;
		builder->text_capacity = capacity;
	}
	builder->text_used += sanitize_text(builder->text + at, room, text, bytes) + 1;
	builder->text[builder->text_used - 1] = '\0';
	return (const char *)(uintptr_t)at;
}

/* Returns the frame of an address in a hit; ID_SET_NONE: its DSO is unknown, or gone. */
static uint32_t frame_of(struct ingest *ingest, const struct probe_value *value)
{
	const uint32_t dso = value->dso;

	if (value->number >= UINT64_C(1) << 63)
		return ingest_frame(ingest, NULL, MODE_KERNEL, value->number);
	if (!dso || dso >= ingest->dsos.count ||
	    ingest->dsos.dsos[dso].serial != value->serial)
		return ID_SET_NONE;
	return stack_trie_frame(&ingest->trie, dso, value->number);
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
	} else if (value->dso) {
		name = ingest->dsos.dsos[value->dso].name;
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
	return probe_meaning_name(column->meaning, reading->entry.format.machine, value->number,
				  out, room);
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

const char *probe_builder_value(struct probe_builder *builder, struct ingest *ingest,
				const struct probe_row *row, uint32_t column,
				const struct probe_value *value, bool *is_named)
{
	struct probe_reading *reading = row->generations[row->newest].reading;
	char text[PROBE_TEXT_BYTES_MAX];

	*is_named = false;
	if (value->is_text)
		return probe_builder_text(builder, value->text, value->text_bytes);
	*is_named = name_number(ingest, reading, column, value, text, sizeof(text));
	if (!*is_named)
		format_number(&reading->columns[column], value, text, sizeof(text));
	return probe_builder_text(builder, text, strlen(text));
}

/* Values: what the hits of a window carried, column by column. */

#define OTHER_OCTAVES 64	/* see VALUE_OTHER_NUMBERS */

struct top_value {
	uint32_t id;
	uint64_t count;
};

/* A column while it is summed. */
struct column_sum {
	struct snapshot_value *value;
	double sum;
	struct top_value top[PROBE_TOP_VALUES];	/* most frequent first */
};

struct sums {
	struct column_sum *columns;	/* owned; parallel to builder->values */
	uint32_t first[PROBE_SLOTS];	/* by row of the list: its first column */
	struct id_map index_of;		/* id of a probe -> its row */
};

static const char *origin_name(enum probe_origin origin)
{
	switch (origin) {
	case ORIGIN_TYPED:  return "typed";
	case ORIGIN_DWARF:  return "DWARF";
	case ORIGIN_BTF:    return "BTF";
	case ORIGIN_ABI:    return "ABI";
	case ORIGIN_FORMAT: return "format";
	case ORIGIN_STAGE:  return "stage";
	case ORIGIN_NOTE:   break;
	}
	return "note";
}

static void describe(struct probe_builder *builder, const struct probe_spec *spec,
		     const struct probe_column *column, struct snapshot_value *out)
{
	const char *origin = origin_name(column->origin);
	char name[PROBE_SPEC_BYTES];

	probe_value_name_write(spec, column->name, name, sizeof(name));
	out->name = probe_builder_text(builder, name, strlen(name));
	out->type = probe_builder_text(builder, column->type, strlen(column->type));
	out->origin = probe_builder_text(builder, origin, strlen(origin));
	out->kind = column->kind;
	out->is_return = column->is_return;
	out->is_ns = column->stage != 0;
}

static const struct probe_row *row_of(const struct ingest *ingest,
				      const struct snapshot_probe *probe)
{
	return probe->event < PROBE_EVENT_FIRST
	       ? probe_hits_of_recorded(ingest->hits, probe->event)
	       : probe_hits_of_event(ingest->hits, probe->event);
}

static uint32_t columns_of(const struct ingest *ingest, const struct snapshot_probe *probe,
			   const struct probe_builder_span *span)
{
	const struct probe_row *row = row_of(ingest, probe);
	const struct probe_reading *reading = row->generations[row->newest].reading;

	return reading && (span->wants_values || probe->id == span->detail)
	       ? reading->column_count : 0;
}

/* 0 or -ENOMEM. */
static int make_columns(struct probe_builder *builder, const struct ingest *ingest,
			const struct probe_builder_span *span, struct sums *sums)
{
	for (uint32_t i = 0; i < builder->head.count; i++) {
		builder->list[i].value_count = columns_of(ingest, &builder->list[i], span);
		sums->first[i] = builder->value_count;
		builder->value_count += builder->list[i].value_count;
		if (id_map_put(&sums->index_of, builder->list[i].id, i))
			return -ENOMEM;
	}
	builder->values = calloc(builder->value_count + 1, sizeof(*builder->values));
	sums->columns = calloc(builder->value_count + 1, sizeof(*sums->columns));
	if (!builder->values || !sums->columns)
		return -ENOMEM;
	for (uint32_t i = 0; i < builder->head.count; i++) {
		const struct probe_row *row = row_of(ingest, &builder->list[i]);
		const struct probe_reading *reading = row->generations[row->newest].reading;

		for (uint32_t c = 0; c < builder->list[i].value_count; c++) {
			struct snapshot_value *value = &builder->values[sums->first[i] + c];

			describe(builder, row->spec, &reading->columns[c], value);
			sums->columns[sums->first[i] + c].value = value;
		}
	}
	return 0;
}

static void add_top(struct column_sum *sum, uint32_t id, uint64_t count)
{
	struct snapshot_value *value = sum->value;
	uint32_t at = value->top_count;

	if (at == PROBE_TOP_VALUES) {
		if (sum->top[--at].count >= count)
			return;
	} else {
		value->top_count++;
	}
	for (; at && sum->top[at - 1].count < count; at--)
		sum->top[at] = sum->top[at - 1];
	sum->top[at] = (struct top_value){ .id = id, .count = count };
}

/* @count numbers between @min and @max, of one octave and sign. */
static void add_numbers(struct column_sum *sum, const struct value_row *row, uint64_t min,
			uint64_t max, double mean, uint64_t count)
{
	struct snapshot_value *value = sum->value;

	value->is_signed = row->is_signed;	/* a column has one type */
	if (!value->numbers || probe_number_is_less(row->is_signed, min, value->min))
		value->min = min;
	if (!value->numbers || probe_number_is_less(row->is_signed, value->max, max))
		value->max = max;
	value->numbers += count;
	sum->sum += mean * (double)count;
}

static void add_number(struct column_sum *sum, const struct value_row *row, uint64_t count)
{
	const uint64_t number = row->number;

	if (!number)
		sum->value->zeros += count;
	else
		sum->value->octaves[probe_values_octave(row->is_signed, number)] += count;
	if (row->is_signed && (int64_t)number < 0)
		sum->value->negatives += count;
	add_numbers(sum, row, number, number,
		    row->is_signed ? (double)(int64_t)number : (double)number, count);
}

static void add_others(struct column_sum *sum, const struct value_row *row, uint64_t count)
{
	if (row->number >= 2 * OTHER_OCTAVES)
		sum->value->zeros += count;
	else
		sum->value->octaves[row->number % OTHER_OCTAVES] += count;
	if (row->number / OTHER_OCTAVES == 1)
		sum->value->negatives += count;
	add_numbers(sum, row, row->min, row->max, row->sum / (double)row->uses, count);
}

static void add_value(struct column_sum *sum, const struct value_row *row, uint32_t id,
		      uint64_t count)
{
	switch ((enum value_form)row->form) {
	case VALUE_UNKNOWN:
		sum->value->unknown += count;
		return;
	case VALUE_OF_NUMBER:
		add_number(sum, row, count);
		add_top(sum, id, count);
		break;
	case VALUE_OF_TEXT:
		add_top(sum, id, count);
		break;
	case VALUE_OTHER_NUMBERS:
		add_others(sum, row, count);
		break;
	case VALUE_OTHER_TEXTS:
		break;
	case VALUE_UNPAIRED:
	case VALUE_FILTERED:
		return;
	}
	sum->value->count += count;
}

static void add_row(struct probe_builder *builder, struct sums *sums, const struct value_row *row,
		    uint32_t id, uint64_t count)
{
	const uint32_t index = id_map_get(&sums->index_of, row->probe);
	struct snapshot_probe *probe;

	if (index == ID_MAP_NONE)
		return;
	probe = &builder->list[index];
	if (row->form == VALUE_UNPAIRED)
		probe->unpaired += count;
	else if (row->form == VALUE_FILTERED)
		probe->filtered += count;
	else if (row->column < probe->value_count)
		add_value(&sums->columns[sums->first[index] + row->column], row, id, count);
}

/* The texts, and what is left. */
static void end_column(struct probe_builder *builder, struct ingest *ingest,
		       const struct probe_row *row, uint32_t column, struct column_sum *sum)
{
	const struct probe_values *values = &ingest->hits->values;
	struct snapshot_value *out = sum->value;

	out->mean = out->numbers ? sum->sum / (double)out->numbers : 0;
	out->other = out->count;
	for (uint32_t i = 0; i < out->top_count; i++) {
		const struct value_row *from = &values->rows[sum->top[i].id];
		const bool is_text = from->form == VALUE_OF_TEXT;
		bool is_named;
		const struct probe_value value = {
			.is_known = true, .is_text = is_text, .is_signed = from->is_signed,
			.number = from->number, .text = values->text + from->text,
			.text_bytes = from->text_bytes, .dso = from->dso,
			.serial = from->serial,
		};

		out->top[i].text = probe_builder_value(builder, ingest, row, column, &value,
						       &is_named);
		out->top[i] = (struct snapshot_top){
			.text = out->top[i].text, .is_named = is_named,
			.is_number = !is_text, .number = is_text ? 0 : (int64_t)from->number,
			.count = sum->top[i].count,
		};
		out->other -= sum->top[i].count;
	}
}

int probe_builder_values(struct probe_builder *builder, struct ingest *ingest,
			 const struct probe_fold *fold, const struct probe_builder_span *span)
{
	struct sums sums = { .columns = NULL };
	const int err = make_columns(builder, ingest, span, &sums);

	for (uint32_t id = 0; !err && id < fold->value_count; id++)
		if (fold->values[id])
			add_row(builder, &sums, &ingest->hits->values.rows[id], id,
				fold->values[id]);
	for (uint32_t i = 0; !err && i < builder->head.count; i++)
		for (uint32_t c = 0; c < builder->list[i].value_count; c++)
			end_column(builder, ingest, row_of(ingest, &builder->list[i]), c,
				   &sums.columns[sums.first[i] + c]);
	id_map_finish(&sums.index_of);
	free(sums.columns);
	return err;
}

/* Lines: single hits as text, in the log, and the slowest with their stacks. */

void probe_builder_append(struct probe_builder *builder, const char *text, size_t bytes)
{
	if (builder->is_out_of_memory)
		return;
	builder->text_used--;	/* its terminator */
	probe_builder_text(builder, text, bytes);
}

/* A byte as it is: sanitized texts have no newline. */
static void append_raw(struct probe_builder *builder, char byte)
{
	if (builder->is_out_of_memory)
		return;
	builder->text[builder->text_used - 1] = byte;	/* in place of the terminator */
	probe_builder_text(builder, "", 0);
}

static void append_unknown(struct probe_builder *builder, const struct probe_column *column)
{
	const char *text = column->is_copied ? SYSCALL_TEXT_ABSENT : "?";

	probe_builder_append(builder, text, strlen(text));
}

/* Appends value @index of @line, as a text. */
static void append_value(struct probe_builder *builder, struct ingest *ingest,
			 const struct probe_row *row, const struct hit_line *line, uint32_t index,
			 bool is_hex)
{
	const struct probe_reading *reading = row->generations[row->newest].reading;
	const struct hit_line_value *from = &line->values[index];
	char text[HIT_LONGEST_BYTES];
	const struct probe_value value = {
		.is_known = from->is_known, .is_text = from->is_text,
		.is_signed = from->is_signed, .number = from->is_text ? 0 : from->number,
		.text = text,
		.text_bytes = from->is_text ? hit_log_text(&row->log, from, text) : 0,
		.dso = from->is_text ? 0 : from->dso,
		.serial = from->is_text ? 0 : from->serial,
	};
	char hex[24];
	bool is_named;

	if (builder->is_out_of_memory)
		return;
	if (!value.is_known) {
		append_unknown(builder, &reading->columns[index]);
	} else if (is_hex && !value.is_text) {
		snprintf(hex, sizeof(hex), "%" PRIx64, value.number);
		probe_builder_append(builder, hex, strlen(hex));
	} else {
		builder->text_used--;
		probe_builder_value(builder, ingest, row, index, &value, &is_named);
	}
}

/* The values of @line as the spec's format says. */
static const char *put_formatted(struct probe_builder *builder, struct ingest *ingest,
				 const struct probe_row *row, const struct hit_line *line)
{
	const struct probe_reading *reading = row->generations[row->newest].reading;
	const char *begin = probe_builder_text(builder, "", 0);
	uint32_t next = 0;

	for (const char *at = row->spec->format; *at; at++) {
		const size_t plain = strcspn(at, "%");

		probe_builder_append(builder, at, plain);
		at += plain;
		if (!*at || !*++at)
			break;
		if (*at == '%')
			probe_builder_append(builder, at, 1);
		else if (reading && next < reading->column_count && next < row->log.columns)
			append_value(builder, ingest, row, line, next++, *at == 'x');
	}
	return begin;
}

/* Appends a time, with three digits and more: "12.3us". */
static void append_ns(struct probe_builder *builder, uint64_t ns)
{
	static const char *const units[] = { "ns", "us", "ms", "s" };
	double number = (double)ns;
	char text[32];
	size_t unit = 0;

	for (; number >= 999.5 && unit + 1 < sizeof(units) / sizeof(units[0]); unit++)
		number /= 1000;
	snprintf(text, sizeof(text), "%.*f%s", !unit || number >= 99.95 ? 0 : number >= 9.995 ? 1
									       : 2,
		 number, units[unit]);
	probe_builder_append(builder, text, strlen(text));
}

/* @between: what stands between two values. */
static const char *put_values(struct probe_builder *builder, struct ingest *ingest,
			      const struct probe_row *row, const struct hit_line *line,
			      char between)
{
	const struct probe_reading *reading = row->generations[row->newest].reading;
	const char *at = probe_builder_text(builder, "", 0);
	char name[PROBE_SPEC_BYTES];

	for (uint32_t i = 0; reading && i < reading->column_count && i < row->log.columns; i++) {
		probe_value_name_write(row->spec, reading->columns[i].name, name, sizeof(name));
		if (i)
			append_raw(builder, between);
		probe_builder_append(builder, name, strlen(name));
		probe_builder_append(builder, "=", 1);
		if (reading->columns[i].stage && line->values[i].is_known)
			append_ns(builder, line->values[i].number);
		else
			append_value(builder, ingest, row, line, i, false);
	}
	return at;
}

static const char *put_comm(struct probe_builder *builder, const struct ingest *ingest,
			    const struct hit_line *line)
{
	const struct thread *thread;

	if (line->comm_bytes)
		return probe_builder_text(builder, line->comm, line->comm_bytes);
	thread = task_table_find_thread(&ingest->tasks, line->tid);
	return thread && thread->has_comm
	       ? probe_builder_text(builder, thread->comm, thread->comm_len)
	       : probe_builder_text(builder, "", 0);
}

static void append_frame(struct probe_builder *builder, struct ingest *ingest, uint32_t frame,
			 bool with_dso)
{
	const uint32_t id = symbol_names_of_frame(&ingest->names, &ingest->trie, frame);
	const struct symbol *symbol = &ingest->names.symbols[id];
	const char *name;
	char address[24];

	if (id == ID_SET_NONE) {
		builder->is_out_of_memory = true;
		return;
	}
	name = strpool_get(ingest->strings, symbol_names_shown(&ingest->names, symbol));
	if (!*name) {
		snprintf(address, sizeof(address), "0x%" PRIx64,
			 ingest->trie.frames.address[frame]);
		name = address;
	}
	probe_builder_append(builder, name, strlen(name));
	name = strpool_get(ingest->strings, symbol->dso_name);
	if (with_dso && *name) {
		probe_builder_append(builder, " (", 2);
		probe_builder_append(builder, name, strlen(name));
		probe_builder_append(builder, ")", 1);
	}
	append_raw(builder, '\n');
}

static const char *put_stack(struct probe_builder *builder, struct ingest *ingest, uint32_t stack,
			     bool with_dsos)
{
	const struct stack_trie *trie = &ingest->trie;
	const char *at = probe_builder_text(builder, "", 0);

	if (stack == ID_SET_NONE)
		return at;
	append_frame(builder, ingest, trie->stacks.frame[stack], with_dsos);
	for (uint32_t node = trie->stacks.node[stack]; node != STACK_NODE_ROOT;
	     node = trie->nodes.parent[node])
		append_frame(builder, ingest, trie->nodes.frame[node], with_dsos);
	return at;
}

/* Returns @line without its texts. */
static struct snapshot_hit hit_of(const struct probe_row *row, const struct hit_line *line)
{
	return (struct snapshot_hit){
		.probe = row->id, .time_ns = line->time_ns, .number = line->number,
		.cpu = line->cpu, .pid = line->pid, .tid = line->tid,
		.parent_pid = line->parent_pid,
		.latency_ns = line->latency_ns,
	};
}

/* Lines of the log come without a stack: a thousand stacks are a megabyte of text. */
static void put_line(struct probe_builder *builder, struct ingest *ingest,
		     const struct probe_row *row, const struct hit_line *line, bool with_stack,
		     struct snapshot_hit *out)
{
	*out = hit_of(row, line);
	out->comm = put_comm(builder, ingest, line);
	out->values = row->spec->format[0] ? put_formatted(builder, ingest, row, line)
					   : put_values(builder, ingest, row, line, ' ');
	out->stack = put_stack(builder, ingest, with_stack ? line->stack : ID_SET_NONE, false);
}

static void put_hit(struct probe_builder *builder, struct ingest *ingest,
		    const struct probe_row *row, uint64_t number)
{
	const struct hit_line *line = row ? hit_log_find(&row->log, number) : NULL;
	struct snapshot_hit *out = &builder->head.hit;

	if (!line)
		return;
	*out = hit_of(row, line);
	out->comm = put_comm(builder, ingest, line);
	out->values = put_values(builder, ingest, row, line, '\n');
	out->stack = put_stack(builder, ingest, line->stack, true);
}

static int slowest_first(const void *a, const void *b)
{
	const struct snapshot_hit *left = a, *right = b;

	if (left->latency_ns != right->latency_ns)
		return left->latency_ns > right->latency_ns ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

static const struct probe_row *find_row(const struct probe_hits *hits, uint32_t id)
{
	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++)
		if (id && hits->rows[slot].id == id)
			return &hits->rows[slot];
	return NULL;
}

/* A position in the log of a probe, moving back in time. */
struct log_cursor {
	const struct probe_row *row;
	uint64_t number;	/* next line; 0: none */
};

static const struct hit_line *line_here(const struct log_cursor *at)
{
	return hit_log_recent(&at->row->log, at->number);
}

static size_t set_cursors(const struct probe_hits *hits, uint64_t end_ns,
			  struct log_cursor cursors[PROBE_SLOTS])
{
	size_t count = 0;

	for (uint32_t slot = 0; slot < PROBE_SLOTS; slot++) {
		const struct probe_row *row = &hits->rows[slot];
		struct log_cursor at = { row, row->log.last_number };

		while (row->id && line_here(&at) && line_here(&at)->time_ns > end_ns)
			at.number--;
		if (row->id)
			cursors[count++] = at;
	}
	return count;
}

/* Returns the cursor at the latest line that is not before @begin_ns; NULL: there is none. */
static struct log_cursor *latest(struct log_cursor *cursors, size_t count, uint64_t begin_ns)
{
	const struct hit_line *best = NULL;
	struct log_cursor *found = NULL;

	for (size_t i = 0; i < count; i++) {
		const struct hit_line *line = line_here(&cursors[i]);

		if (line && line->time_ns >= begin_ns && (!best || line->time_ns > best->time_ns)) {
			best = line;
			found = &cursors[i];
		}
	}
	return found;
}

static int in_time_order(const void *a, const void *b)
{
	const struct snapshot_hit *left = a, *right = b;

	if (left->time_ns != right->time_ns)
		return left->time_ns < right->time_ns ? -1 : 1;
	if (left->probe != right->probe)
		return left->probe < right->probe ? -1 : 1;
	return left->number < right->number ? -1 : left->number > right->number;
}

/* Merges the logs from their ends, as far as the snapshot has room. */
static int put_all_logs(struct probe_builder *builder, struct ingest *ingest,
			const struct probe_builder_span *span)
{
	const uint64_t begin_ns = span->is_chosen ? span->begin_ns : 0;
	struct snapshot_probes *head = &builder->head;
	struct log_cursor cursors[PROBE_SLOTS], *at;
	const size_t count = set_cursors(ingest->hits, span->end_ns, cursors);

	builder->lines = calloc(PROBE_LOG_LINES, sizeof(*builder->lines));
	if (!builder->lines)
		return -ENOMEM;
	while (head->log_count < PROBE_LOG_LINES && (at = latest(cursors, count, begin_ns))) {
		put_line(builder, ingest, at->row, line_here(at), false,
			 &builder->lines[head->log_count++]);
		at->number--;
	}
	for (size_t i = 0; i < count; i++)
		head->log_dropped += cursors[i].number;
	qsort(builder->lines, head->log_count, sizeof(*builder->lines), in_time_order);
	return 0;
}

int probe_builder_lines(struct probe_builder *builder, struct ingest *ingest,
			const struct probe_builder_span *span)
{
	const struct probe_row *row = find_row(ingest->hits, span->detail);
	const uint32_t kept = row ? hit_log_count(&row->log) : 0;
	struct snapshot_probes *head = &builder->head;

	put_hit(builder, ingest, find_row(ingest->hits, span->hit_probe), span->hit);
	if (span->detail == PROBE_ALL)
		return put_all_logs(builder, ingest, span);
	if (!row)
		return 0;
	builder->lines = calloc(kept + row->log.slowest_count + 1, sizeof(*builder->lines));
	if (!builder->lines)
		return -ENOMEM;
	for (uint32_t i = 0; i < kept; i++) {
		const struct hit_line *line = hit_log_line(&row->log, i);

		if (line->time_ns > span->end_ns ||	/* after a frozen window */
		    (span->is_chosen && line->time_ns < span->begin_ns))
			continue;
		put_line(builder, ingest, row, line, false,
			 &builder->lines[head->log_count++]);
	}
	head->log_dropped = row->log.last_number - kept;
	for (uint32_t i = 0; i < row->log.slowest_count; i++)
		put_line(builder, ingest, row, hit_log_slowest(&row->log, i), true,
			 &builder->lines[head->log_count + head->slowest_count++]);
	qsort(builder->lines + head->log_count, head->slowest_count, sizeof(*builder->lines),
	      slowest_first);
	return 0;
}

/* Hits over time, second by second, out of the slices. A slice of several seconds (rolled up) is
 * spread evenly over them. */

/* The seconds shown: first <= second <= now; `now` is not over yet. */
struct seconds {
	uint64_t first, now;
	uint32_t index_of[TIMELINE_NUMBERS];	/* row of the event's probe; UINT32_MAX: none */
	uint32_t heat_event;		/* UINT32_MAX: no heat map */
};

/* Returns the part in @second of @count hits, spread over @length seconds from @first on. */
static uint32_t part_of(uint32_t count, uint64_t first, uint64_t length, uint64_t second)
{
	return (uint32_t)(count / length + (second - first < count % length));
}

static void add_second(struct probe_builder *builder, const struct seconds *seconds,
		       const struct slice_entry *entry, uint64_t second, uint32_t count)
{
	const uint64_t age = seconds->now - second;
	struct snapshot_probe *probe = &builder->list[seconds->index_of[entry->event]];

	if (age && age <= probe->spark_count)
		probe->spark[probe->spark_count - age] += (float)count;
	if (entry->event == seconds->heat_event && entry->bucket)
		builder->heat[second - seconds->first][latency_bucket_octave(entry->bucket)] +=
			count;
}

static void add_slice(struct probe_builder *builder, const struct seconds *seconds,
		      const struct slice *slice)
{
	const uint64_t first = slice->start_ns / SLICE_NS;
	const uint64_t last = slice->end_ns > slice->start_ns ? (slice->end_ns - 1) / SLICE_NS
							      : first;

	for (const struct slice_entry *entry = slice->entries;
	     entry < slice->entries + slice->count; entry++) {
		if (seconds->index_of[entry->event] == UINT32_MAX)
			continue;
		for (uint64_t second = first; second <= last && second <= seconds->now; second++)
			if (second >= seconds->first)
				add_second(builder, seconds, entry, second,
					   part_of(entry->count, first, last - first + 1, second));
	}
}

static struct seconds seconds_of(struct probe_builder *builder,
				 const struct probe_builder_span *span)
{
	const uint64_t now = span->end_ns / SLICE_NS, known = span->known_ns / SLICE_NS;
	struct seconds seconds = { .now = now, .heat_event = UINT32_MAX };

	seconds.first = now >= PROBE_HEAT_SECONDS ? now - PROBE_HEAT_SECONDS + 1 : 0;
	if (known > seconds.first)
		seconds.first = known < now ? known : now;
	memset(seconds.index_of, 0xff, sizeof(seconds.index_of));
	for (uint32_t i = 0; i < builder->head.count; i++) {
		struct snapshot_probe *probe = &builder->list[i];
		const uint64_t complete = now - seconds.first;

		seconds.index_of[probe->event] = i;
		probe->spark_count = (uint32_t)(complete < PROBE_SPARK_POINTS ? complete
									      : PROBE_SPARK_POINTS);
		if (probe->id == builder->head.detail && probe->has_latency)
			seconds.heat_event = probe->event;
	}
	return seconds;
}

int probe_builder_times(struct probe_builder *builder, const struct ingest *ingest,
			const struct probe_builder_span *span)
{
	const struct timeline *timeline = &ingest->timeline;
	const struct seconds seconds = seconds_of(builder, span);

	if (seconds.heat_event != UINT32_MAX) {
		builder->head.heat.seconds = (uint32_t)(seconds.now - seconds.first + 1);
		builder->head.heat.end_ns = (seconds.now + 1) * SLICE_NS;
		builder->heat = calloc(builder->head.heat.seconds, sizeof(*builder->heat));
		if (!builder->heat)
			return -ENOMEM;
	}
	for (uint32_t s = timeline->count; s-- > 0;) {
		const struct slice *slice = &timeline->slices[s];

		if (slice->end_ns / SLICE_NS < seconds.first)
			break;
		if (slice->start_ns <= span->end_ns)
			add_slice(builder, &seconds, slice);
	}
	return 0;
}
