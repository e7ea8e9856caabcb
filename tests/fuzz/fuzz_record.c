/* Any bytes as a record, under any format: nothing outside of them is read, and what the parser
 * hands out lies inside of them. Build and run: make fuzz. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "capture/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size);

static void check_inside(const void *part, uint64_t part_bytes, const void *bytes, size_t size)
{
	const uintptr_t begin = (uintptr_t)bytes, at = (uintptr_t)part;

	if (part && (at < begin || at > begin + size || part_bytes > begin + size - at))
		abort();
}

static void check_sample(const struct record_sample *sample, const void *bytes, size_t size)
{
	if (sample->chain_count > size / 8)
		abort();
	check_inside(sample->chain, sample->chain_count * 8, bytes, size);
	check_inside(sample->raw, sample->raw_bytes, bytes, size);
	check_inside(sample->user_regs, (uint64_t)sample->user_regs_count * 8, bytes, size);
	check_inside(sample->user_stack, sample->user_stack_bytes, bytes, size);
}

/* The first bytes are the format, the rest is the record. */
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct record_format format;
	struct perf_event_header header;
	struct event_record out;
	uint64_t id;
	void *record;

	if (size < sizeof(format) + sizeof(header))
		return 0;
	memcpy(&format, input, sizeof(format) - sizeof(uint64_t));
	format.sample_id_all = input[sizeof(format) - sizeof(uint64_t)] & 1;
	input += sizeof(format);
	size -= sizeof(format);
	record = malloc(size);
	if (!record)
		return 0;
	memcpy(record, input, size);
	memcpy(&header, record, sizeof(header));
	record_peek_id(&format, record, size, &id);
	if (record_parse(&format, record, size, &out)) {
		free(record);
		return 0;
	}
	if (out.kind == RECORD_SAMPLE)
		check_sample(&out.sample, record, header.size);
	if (out.kind == RECORD_MMAP)
		check_inside(out.mmap.path.bytes, out.mmap.path.len, record, header.size);
	if (out.kind == RECORD_COMM)
		check_inside(out.comm.comm.bytes, out.comm.comm.len, record, header.size);
	if (out.kind == RECORD_KSYMBOL)
		check_inside(out.ksymbol.name.bytes, out.ksymbol.name.len, record, header.size);
	free(record);
	return 0;
}
