/* probe_draft_values.c - what the hits of a window carried, column by column. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe_draft.h"

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
	struct column_sum *columns;	/* owned; parallel to draft->values */
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
	case ORIGIN_NOTE:   break;
	}
	return "note";
}

static void describe(struct probe_draft *draft, const struct probe_column *column,
		     struct snapshot_value *out)
{
	const char *origin = origin_name(column->origin);

	out->name = probe_draft_text(draft, column->name, strlen(column->name));
	out->type = probe_draft_text(draft, column->type, strlen(column->type));
	out->origin = probe_draft_text(draft, origin, strlen(origin));
	out->kind = column->kind;
	out->is_return = column->is_return;
}

static const struct probe_row *row_of(const struct ingest *ingest,
				      const struct snapshot_probe *probe)
{
	return probe->event < PROBE_EVENT_FIRST
	       ? probe_hits_of_recorded(ingest->hits, probe->event)
	       : probe_hits_of_event(ingest->hits, probe->event);
}

static uint32_t columns_of(const struct ingest *ingest, const struct snapshot_probe *probe,
			   const struct probe_draft_span *span)
{
	const struct probe_row *row = row_of(ingest, probe);
	const struct probe_reading *reading = row->generations[row->newest].reading;

	return reading && (span->wants_values || probe->id == span->detail)
	       ? reading->column_count : 0;
}

/* 0 or -ENOMEM. */
static int make_columns(struct probe_draft *draft, const struct ingest *ingest,
			const struct probe_draft_span *span, struct sums *sums)
{
	for (uint32_t i = 0; i < draft->head.count; i++) {
		draft->list[i].value_count = columns_of(ingest, &draft->list[i], span);
		sums->first[i] = draft->value_count;
		draft->value_count += draft->list[i].value_count;
		if (id_map_put(&sums->index_of, draft->list[i].id, i))
			return -ENOMEM;
	}
	draft->values = calloc(draft->value_count + 1, sizeof(*draft->values));
	sums->columns = calloc(draft->value_count + 1, sizeof(*sums->columns));
	if (!draft->values || !sums->columns)
		return -ENOMEM;
	for (uint32_t i = 0; i < draft->head.count; i++) {
		const struct probe_row *row = row_of(ingest, &draft->list[i]);
		const struct probe_reading *reading = row->generations[row->newest].reading;

		for (uint32_t c = 0; c < draft->list[i].value_count; c++) {
			struct snapshot_value *value = &draft->values[sums->first[i] + c];

			describe(draft, &reading->columns[c], value);
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

static void add_row(struct probe_draft *draft, struct sums *sums, const struct value_row *row,
		    uint32_t id, uint64_t count)
{
	const uint32_t index = id_map_get(&sums->index_of, row->probe);
	struct snapshot_probe *probe;

	if (index == ID_MAP_NONE)
		return;
	probe = &draft->list[index];
	if (row->form == VALUE_UNPAIRED)
		probe->unpaired += count;
	else if (row->form == VALUE_FILTERED)
		probe->filtered += count;
	else if (row->column < probe->value_count)
		add_value(&sums->columns[sums->first[index] + row->column], row, id, count);
}

/* The texts, and what is left. */
static void end_column(struct probe_draft *draft, struct ingest *ingest,
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
			.text_bytes = from->text_bytes, .object = from->object,
			.serial = from->serial,
		};

		out->top[i].text = probe_draft_value(draft, ingest, row, column, &value,
						     &is_named);
		out->top[i] = (struct snapshot_top){
			.text = out->top[i].text, .is_named = is_named,
			.is_number = !is_text, .number = is_text ? 0 : (int64_t)from->number,
			.count = sum->top[i].count,
		};
		out->other -= sum->top[i].count;
	}
}

int probe_draft_values(struct probe_draft *draft, struct ingest *ingest,
		       const struct probe_fold *fold, const struct probe_draft_span *span)
{
	struct sums sums = { .columns = NULL };
	const int err = make_columns(draft, ingest, span, &sums);

	for (uint32_t id = 0; !err && id < fold->value_count; id++)
		if (fold->values[id])
			add_row(draft, &sums, &ingest->hits->values.rows[id], id,
				fold->values[id]);
	for (uint32_t i = 0; !err && i < draft->head.count; i++)
		for (uint32_t c = 0; c < draft->list[i].value_count; c++)
			end_column(draft, ingest, row_of(ingest, &draft->list[i]), c,
				   &sums.columns[sums.first[i] + c]);
	id_map_finish(&sums.index_of);
	free(sums.columns);
	return err;
}
