/* probe_values.h - interns the values of hits: (probe, column, value) -> id, so that a value is
 * counted in the slices like a stack (EVENT_OF_VALUES, timeline/timeline.h).
 *
 * Bounds: PROBE_VALUES_KNOWN_MAX ids and PROBE_VALUES_TEXT_MAX bytes of text. Beyond them numbers
 *         share an id per octave and sign, and texts one id, until a compaction makes room.
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
#define PROBE_TEXT_BYTES_MAX   256	/* longer texts are cut off */

enum value_form {
	VALUE_OF_NUMBER,
	VALUE_OF_TEXT,
	VALUE_UNKNOWN,		/* the value could not be read */
	VALUE_OTHER_NUMBERS,	/* `number`: octave, + 64 if negative; 128 for zero */
	VALUE_OTHER_TEXTS,
	VALUE_UNPAIRED,		/* no value: counts hits without a partner */
	VALUE_FILTERED,		/* no value: counts hits for which the condition was false */
};

struct value_row {
	uint64_t number;	/* VALUE_OF_TEXT: hash of the text */
	uint32_t probe;		/* the probe's id */
	uint8_t column;
	uint8_t form;		/* enum value_form */
	bool is_signed;
	uint32_t text, text_bytes;	/* in probe_values.text: raw bytes */
	uint32_t object, serial;	/* see struct probe_value */
	/* VALUE_OTHER_NUMBERS: statistics of all numbers counted in this row. */
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
	bool is_full;		/* a value had no room since the last compaction */
};

void probe_values_finish(struct probe_values *values);	/* a zeroed struct is fine */

/* The four functions below return an id, or ID_SET_NONE: out of memory. */
uint32_t probe_values_number(struct probe_values *values, uint32_t probe, uint8_t column,
			     bool is_signed, uint64_t number);
/* Interns an address in an object of a process. */
uint32_t probe_values_place(struct probe_values *values, uint32_t probe, uint8_t column,
			    const struct probe_value *value);
uint32_t probe_values_text(struct probe_values *values, uint32_t probe, uint8_t column,
			   const char *text, size_t bytes);
/* Interns a row without a value: VALUE_UNKNOWN, _UNPAIRED, _FILTERED. */
uint32_t probe_values_mark(struct probe_values *values, uint32_t probe, uint8_t column,
			   enum value_form form);

/* Forgets the rows with !used[id] (count elements). @renumbered[old] = new or ID_SET_NONE. */
void probe_values_compact(struct probe_values *values, const unsigned char *used,
			  uint32_t *renumbered);

bool probe_number_is_less(bool is_signed, uint64_t left, uint64_t right);

/* Octave of the magnitude of @number, which is not 0; index of snapshot_value.octaves. */
unsigned int probe_values_octave(bool is_signed, uint64_t number);

#endif
