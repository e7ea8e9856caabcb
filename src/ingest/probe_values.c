/* probe_values.c - see ingest/probe_state.h.
 *
 * Rows are found by a hash of their identity; texts lie in one block, in the order of their rows,
 * so that a compaction only moves them down.
 */
#include "ingest/probe_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define OTHER_NEGATIVE 64
#define OTHER_ZERO     128

void probe_values_finish(struct probe_values *values)
{
	free(values->rows);
	free(values->text);
	id_set_finish(&values->index);
	memset(values, 0, sizeof(*values));
}

static uint64_t hash_of(const struct value_row *row)
{
	return id_set_mix(row->number ^ (uint64_t)row->serial << 40,
			  (uint64_t)row->probe << 32 | (uint64_t)row->is_signed << 16 |
			  (uint64_t)row->column << 8 | row->form);
}

static uint64_t row_hash(const void *owner, uint32_t id)
{
	return hash_of(&((const struct probe_values *)owner)->rows[id]);
}

static bool is_same(const struct probe_values *values, const struct value_row *row,
		    const struct value_row *wanted, const char *text)
{
	return row->number == wanted->number && row->probe == wanted->probe &&
	       row->column == wanted->column && row->form == wanted->form &&
	       row->dso == wanted->dso && row->serial == wanted->serial &&
	       row->is_signed == wanted->is_signed && row->text_bytes == wanted->text_bytes &&
	       (!wanted->text_bytes ||
		!memcmp(values->text + row->text, text, wanted->text_bytes));
}

/* Returns the row of @wanted or ID_SET_NONE. Call id_set_reserve() before. */
static uint32_t find(const struct probe_values *values, const struct value_row *wanted,
		     const char *text, uint64_t hash)
{
	uint32_t id;

	for (uint32_t slot = id_set_first(&values->index, hash);
	     (id = id_set_at(&values->index, &slot, hash)) != ID_SET_NONE;
	     slot = id_set_next(&values->index, slot))
		if (is_same(values, &values->rows[id], wanted, text))
			return id;
	return ID_SET_NONE;
}

static int grow_rows(struct probe_values *values)
{
	const uint32_t capacity = values->capacity ? values->capacity * 2 : 256;
	struct value_row *bigger;

	if (values->count < values->capacity)
		return 0;
	bigger = realloc(values->rows, capacity * sizeof(*bigger));
	if (!bigger)
		return -ENOMEM;
	values->rows = bigger;
	values->capacity = capacity;
	return 0;
}

static int grow_text(struct probe_values *values, uint32_t bytes)
{
	uint32_t capacity = values->text_capacity ? values->text_capacity : 4096;
	char *bigger;

	while (capacity - values->text_used < bytes)
		capacity *= 2;
	if (capacity == values->text_capacity)
		return 0;
	bigger = realloc(values->text, capacity);
	if (!bigger)
		return -ENOMEM;
	values->text = bigger;
	values->text_capacity = capacity;
	return 0;
}

/* The id of @wanted, added if there is none and @may_add; ID_SET_NONE: none, or out of memory. */
static uint32_t intern(struct probe_values *values, const struct value_row *wanted,
		       const char *text, bool may_add)
{
	const uint64_t hash = hash_of(wanted);
	struct value_row *row;
	uint32_t id;

	if (id_set_reserve(&values->index, row_hash, values))
		return ID_SET_NONE;
	id = find(values, wanted, text, hash);
	if (id != ID_SET_NONE || !may_add)
		return id;
	if (grow_rows(values) || grow_text(values, wanted->text_bytes))
		return ID_SET_NONE;
	row = &values->rows[values->count];
	*row = *wanted;
	row->text = values->text_used;
	if (wanted->text_bytes)
		memcpy(values->text + row->text, text, wanted->text_bytes);
	values->text_used += wanted->text_bytes;
	id_set_add(&values->index, hash, values->count);
	return values->count++;
}

unsigned int probe_values_octave(bool is_signed, uint64_t number)
{
	const uint64_t magnitude = is_signed && (int64_t)number < 0 ? 0 - number : number;

	return magnitude ? 63 - (unsigned int)__builtin_clzll(magnitude) : 0;
}

bool probe_number_is_less(bool is_signed, uint64_t left, uint64_t right)
{
	return is_signed ? (int64_t)left < (int64_t)right : left < right;
}

static uint32_t other_number(struct probe_values *values, const struct value_row *wanted)
{
	const bool is_negative = wanted->is_signed && (int64_t)wanted->number < 0;
	const uint64_t number = wanted->number;
	struct value_row other = *wanted, *row;
	uint32_t id;

	values->is_full = true;
	other.form = VALUE_OTHER_NUMBERS;
	other.dso = other.serial = 0;
	other.number = !wanted->number
		       ? OTHER_ZERO : probe_values_octave(wanted->is_signed, wanted->number) +
				      (is_negative ? OTHER_NEGATIVE : 0);
	id = intern(values, &other, NULL, true);
	if (id == ID_SET_NONE)
		return id;
	row = &values->rows[id];
	if (!row->uses || probe_number_is_less(row->is_signed, number, row->min))
		row->min = number;
	if (!row->uses || probe_number_is_less(row->is_signed, row->max, number))
		row->max = number;
	row->sum += wanted->is_signed ? (double)(int64_t)number : (double)number;
	row->uses++;
	return id;
}

uint32_t probe_values_number(struct probe_values *values, uint32_t probe, uint8_t column,
			     bool is_signed, uint64_t number)
{
	const struct value_row wanted = {
		.probe = probe, .column = column, .form = VALUE_OF_NUMBER,
		.is_signed = is_signed, .number = number,
	};
	const bool has_room = values->count < PROBE_VALUES_KNOWN_MAX;
	const uint32_t id = intern(values, &wanted, NULL, has_room);

	return id == ID_SET_NONE && !has_room ? other_number(values, &wanted) : id;
}

uint32_t probe_values_place(struct probe_values *values, uint32_t probe, uint8_t column,
			    const struct probe_value *value)
{
	const struct value_row wanted = {
		.probe = probe, .column = column, .form = VALUE_OF_NUMBER,
		.number = value->number, .dso = value->dso, .serial = value->serial,
	};
	const bool has_room = values->count < PROBE_VALUES_KNOWN_MAX;
	const uint32_t id = intern(values, &wanted, NULL, has_room);

	return id == ID_SET_NONE && !has_room ? other_number(values, &wanted) : id;
}

/* FNV-1a, mixed. */
static uint64_t hash_of_text(const char *text, size_t bytes)
{
	uint64_t hash = 0xcbf29ce484222325;

	for (size_t i = 0; i < bytes; i++)
		hash = (hash ^ (unsigned char)text[i]) * 0x100000001b3;
	return id_map_mix(hash);
}

uint32_t probe_values_text(struct probe_values *values, uint32_t probe, uint8_t column,
			   const char *text, size_t bytes)
{
	struct value_row wanted = {
		.probe = probe, .column = column, .form = VALUE_OF_TEXT,
		.text_bytes = (uint32_t)(bytes < PROBE_TEXT_BYTES_MAX ? bytes
								      : PROBE_TEXT_BYTES_MAX),
	};
	const bool has_room = values->count < PROBE_VALUES_KNOWN_MAX &&
			      values->text_used + wanted.text_bytes <= PROBE_VALUES_TEXT_MAX;
	uint32_t id;

	wanted.number = hash_of_text(text, wanted.text_bytes);
	id = intern(values, &wanted, text, has_room);
	if (id != ID_SET_NONE || has_room)
		return id;
	values->is_full = true;
	return probe_values_mark(values, probe, column, VALUE_OTHER_TEXTS);
}

uint32_t probe_values_mark(struct probe_values *values, uint32_t probe, uint8_t column,
			   enum value_form form)
{
	const struct value_row wanted = {
		.probe = probe, .column = column, .form = (uint8_t)form,
	};

	return intern(values, &wanted, NULL, true);
}

void probe_values_compact(struct probe_values *values, const unsigned char *used,
			  uint32_t *renumbered)
{
	uint32_t kept = 0, text_used = 0;

	for (uint32_t id = 0; id < values->count; id++) {
		struct value_row row = values->rows[id];

		renumbered[id] = used[id] ? kept : ID_SET_NONE;
		if (!used[id])
			continue;
		if (row.text_bytes)
			memmove(values->text + text_used, values->text + row.text, row.text_bytes);
		row.text = text_used;
		text_used += row.text_bytes;
		values->rows[kept++] = row;
	}
	values->count = kept;
	values->text_used = text_used;
	values->is_full = false;
	if (values->index.slot_count)	/* fewer rows: can't fail */
		id_set_rebuild(&values->index, kept, row_hash, values);
}
