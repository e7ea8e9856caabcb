/* fuzz_record.c - whatever the bytes and the format of the event, all that the parser hands out
 * lies inside of the record. */
#include <stdlib.h>
#include <string.h>

#include "capture/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static unsigned char touched;

static void touch(const void *start, size_t count)
{
	const volatile unsigned char *byte = start;

	for (size_t i = 0; start && i < count; i++)
		touched ^= byte[i];
}

static void touch_sample(const struct record_sample *sample)
{
	touch(sample->chain, sample->chain_count * sizeof(*sample->chain));
	touch(sample->raw, sample->raw_bytes);
	touch(sample->user_regs, sample->user_regs_count * sizeof(*sample->user_regs));
	touch(sample->user_stack, sample->user_stack_bytes);
}

static void touch_record(const struct event_record *record)
{
	if (record->kind == RECORD_SAMPLE)
		touch_sample(&record->sample);
	else if (record->kind == RECORD_MMAP)
		touch(record->mmap.path.bytes, record->mmap.path.len);
	else if (record->kind == RECORD_COMM)
		touch(record->comm.comm.bytes, record->comm.comm.len);
	else if (record->kind == RECORD_KSYMBOL)
		touch(record->ksymbol.name.bytes, record->ksymbol.name.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct perf_event_attr attr = { 0 };
	struct record_format format;
	struct event_record record, front;
	struct perf_event_header header;
	void *copy;

	if (count < sizeof(uint64_t[5]) + sizeof(header))
		return 0;
	memcpy(&attr.sample_type, bytes, 8);
	memcpy(&attr.read_format, bytes + 8, 8);
	memcpy(&attr.branch_sample_type, bytes + 16, 8);
	memcpy(&attr.sample_regs_user, bytes + 24, 8);
	memcpy(&attr.sample_regs_intr, bytes + 32, 8);
	attr.sample_id_all = bytes[0] & 1;
	record_format_init(&format, &attr);
	bytes += 40;
	count -= 40;
	memcpy(&header, bytes, sizeof(header));
	header.size = (uint16_t)(count < UINT16_MAX ? count : UINT16_MAX);
	copy = malloc(header.size);	/* aligned, and its end is guarded */
	memcpy(copy, bytes, header.size);
	memcpy(copy, &header, sizeof(header));
	if (!record_parse(&format, copy, header.size, &record)) {
		touch_record(&record);
		if (record_parse_front(&format, copy, header.size, &front) ||
		    front.kind != record.kind || front.time_ns != record.time_ns)
			abort();	/* both say the same */
	} else {
		record_parse_front(&format, copy, header.size, &front);
	}
	free(copy);
	return 0;
}
