/* record_trim.c - see record_trim.h.
 *
 *   header, fields | size | copy: needed, filled, unfilled | filled size | more fields
 *                    ^ lowered           ^ cut ............^ ^ lowered
 *
 * A size of 0 would mean that no filled size follows, so an empty copy keeps one word. A copy that
 * was cut below its filled size keeps one word more than its new filled size.
 */
#include "capture/record_trim.h"

#include <stdint.h>
#include <string.h>

#define WORD_BYTES sizeof(uint64_t)

bool record_trim_left_out(const struct record_sample *sample)
{
	return sample->user_stack_bytes &&
	       sample->user_stack_reserved - sample->user_stack_bytes >= WORD_BYTES;
}

static uint64_t whole_words(uint64_t bytes)
{
	return (bytes + WORD_BYTES - 1) / WORD_BYTES * WORD_BYTES;
}

/* Returns true when cutting below the filled size would save nothing, the extra word included. */
static bool is_all_needed(uint64_t filled_bytes, uint64_t needed_bytes)
{
	return needed_bytes >= filled_bytes ||
	       whole_words(needed_bytes) + WORD_BYTES >= filled_bytes;
}

void record_trim_init(struct record_trim *trim, const struct perf_event_header *record,
		      const struct event_record *parsed, size_t needed_bytes)
{
	const struct record_sample *sample;
	uint64_t kept;

	*trim = (struct record_trim){ .record = record, .head_bytes = record->size,
				      .bytes = record->size };
	if (!parsed || parsed->kind != RECORD_SAMPLE || !parsed->sample.user_stack)
		return;
	sample = &parsed->sample;
	trim->filled_bytes = needed_bytes;
	kept = whole_words(needed_bytes) + WORD_BYTES;
	if (is_all_needed(sample->user_stack_bytes, needed_bytes)) {
		trim->filled_bytes = sample->user_stack_bytes;
		kept = trim->filled_bytes ? whole_words(trim->filled_bytes) : WORD_BYTES;
	}
	trim->head_bytes = (size_t)((const unsigned char *)sample->user_stack -
				    (const unsigned char *)record) + kept;
	trim->size_offset = trim->head_bytes - kept - WORD_BYTES;
	trim->cut_bytes = sample->user_stack_reserved - kept;
	trim->bytes -= trim->cut_bytes;
}

void record_trim_write(const struct record_trim *trim, void *to)
{
	const unsigned char *from = (const unsigned char *)trim->record;
	struct perf_event_header header = *trim->record;
	unsigned char *out = to;
	uint64_t copy_bytes;

	memcpy(out, from, trim->head_bytes);
	memcpy(out + trim->head_bytes, from + trim->head_bytes + trim->cut_bytes,
	       trim->bytes - trim->head_bytes);
	if (!trim->cut_bytes)
		return;
	header.size = (uint16_t)trim->bytes;
	memcpy(out, &header, sizeof(header));
	copy_bytes = trim->head_bytes - trim->size_offset - WORD_BYTES;
	memcpy(out + trim->size_offset, &copy_bytes, sizeof(copy_bytes));
	memcpy(out + trim->head_bytes, &trim->filled_bytes, sizeof(trim->filled_bytes));
}
