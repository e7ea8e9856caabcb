/* probe_values.h - what hits carried, interned: (probe, column, value) -> id, so that a value is
 * counted in the slices like a stack (EVENT_OF_VALUES, timeline/timeline.h).
 *
 * Bounds: PROBE_VALUES_KNOWN_MAX ids and PROBE_VALUES_TEXT_MAX bytes of text. Beyond them numbers
 *         are told by their octave alone and texts not at all, until a compaction makes room.
 * Thread: the analyzer's.
 */
#ifndef INGEST_PROBE_VALUES_H
#define INGEST_PROBE_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/id_set.h"
#include "ingest/snapshot_probes.h"
#include "probe/probe_condition.h"

#define PROBE_VALUES_KNOWN_MAX 65536
#define PROBE_VALUES_TEXT_MAX  (4u << 20)
#define PROBE_TEXT_BYTES_MAX   256	/* of one value; the rest is cut off */

enum value_form {
	VALUE_OF_NUMBER,
	VALUE_OF_TEXT,
	VALUE_UNKNOWN,		/* could not be read there */
	VALUE_OTHER_NUMBERS,	/* `number`: octave, + 64 of negative ones, 128 for zero */
	VALUE_OTHER_TEXTS,
	VALUE_UNPAIRED,		/* no value: hits without their other half, */
	VALUE_FILTERED,		/* and those that the condition refused */
};

struct value_row {
	uint64_t number;	/* of texts: their hash */
	uint32_t probe;		/* its id */
	uint8_t column;
	uint8_t form;		/* enum value_form */
	bool is_signed;
	uint32_t text, text_bytes;	/* in probe_values.text: raw bytes */
	uint32_t object, serial;	/* as in struct probe_value */
	/* VALUE_OTHER_NUMBERS: what came since the row was made. */
	uint64_t min, max;	/* int64_t, if is_signed */
	double sum;
	uint64_t uses;
};

struct probe_values {
	struct value_row *rows;	/* owned */
	uint32_t count, capacity;
	struct id_set index;
	char *text;		/* owned */
	uint32_t text_used, text_capacity;
	bool is_full;		/* a value had no room, since the last compaction */
};

void probe_values_finish(struct probe_values *values);	/* of a zeroed one, too */

/* Each returns an id, or ID_SET_NONE: out of memory. */
uint32_t probe_values_number(struct probe_values *values, uint32_t probe, uint8_t column,
			     bool is_signed, uint64_t number);
/* An address in an object of a process. */
uint32_t probe_values_place(struct probe_values *values, uint32_t probe, uint8_t column,
			    const struct probe_value *value);
uint32_t probe_values_text(struct probe_values *values, uint32_t probe, uint8_t column,
			   const char *text, size_t bytes);
/* VALUE_UNKNOWN, _UNPAIRED, _FILTERED. */
uint32_t probe_values_mark(struct probe_values *values, uint32_t probe, uint8_t column,
			   enum value_form form);

/* Forgets the rows with !used[id] (count elements). @renumbered[old] = new or ID_SET_NONE. */
void probe_values_compact(struct probe_values *values, const unsigned char *used,
			  uint32_t *renumbered);

bool probe_number_is_less(bool is_signed, uint64_t left, uint64_t right);

/* As in struct snapshot_value: of the magnitude, not 0. */
unsigned int probe_values_octave(bool is_signed, uint64_t number);

#endif
