/* written_record.c - see written_record.h.
 *
 *   sample   | header | id | ip | pid tid | time | (addr) | cpu | period | (read) | chain | ...
 *   others   | header | body ............................| pid tid | time | cpu | id |
 *
 * The chain is the finished stack: whoever reads it needs neither registers nor copies.
 *
 *   KERNEL k0 k1 USER u0 u1 u2		k0: the sample's own address
 */
#include "written_record.h"

#include <string.h>
#include <sys/mman.h>

#define TRAILER_WORDS 4
#define BUILD_ID_FIELD_BYTES 20

static void add_word(struct written_record *out, uint64_t word)
{
	if (out->count == sizeof(out->words) / sizeof(out->words[0]))
		out->is_full = true;
	else
		out->words[out->count++] = word;
}

static void add_pair(struct written_record *out, uint32_t first, uint32_t second)
{
	uint32_t pair[2] = { first, second };
	uint64_t word;

	memcpy(&word, pair, sizeof(word));
	add_word(out, word);
}

/* Adds @bytes, filled up with zeros to whole words. */
static void add_bytes(struct written_record *out, const void *bytes, size_t count)
{
	const size_t words = (count + sizeof(uint64_t) - 1) / sizeof(uint64_t);

	if (words > sizeof(out->words) / sizeof(out->words[0]) - out->count) {
		out->is_full = true;
		return;
	}
	memset(out->words + out->count, 0, words * sizeof(uint64_t));
	if (count)
		memcpy(out->words + out->count, bytes, count);
	out->count += words;
}

/* Adds a text with its terminator. */
static void add_text(struct written_record *out, const char *text, size_t len)
{
	const size_t begin = out->count;

	add_bytes(out, text, len);
	if (len % sizeof(uint64_t) == 0)
		add_word(out, 0);
	if (out->is_full)
		out->count = begin;
}

static void begin_record(struct written_record *out)
{
	out->count = 1;
	out->is_full = false;
}

static void end_record(struct written_record *out, uint32_t type, uint16_t misc)
{
	const struct perf_event_header header = {
		.type = type, .misc = misc, .size = (uint16_t)(out->count * sizeof(uint64_t)),
	};

	memcpy(out->words, &header, sizeof(header));
}

static void add_trailer(struct written_record *out, const struct written_trailer *trailer)
{
	add_pair(out, trailer->pid, trailer->tid);
	add_word(out, trailer->time_ns);
	add_pair(out, trailer->cpu, 0);
	add_word(out, trailer->id);
}

uint64_t written_sample_type(const struct record_format *format, bool keeps_raw)
{
	const uint64_t always = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |
				PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD;
	const uint64_t kept = PERF_SAMPLE_ADDR | PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK |
			      PERF_SAMPLE_WEIGHT;
	uint64_t type = always | (format->sample_type & kept);

	if (keeps_raw)
		return format->sample_type | PERF_SAMPLE_IDENTIFIER;
	if (format->sample_type & (PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_STACK_USER))
		type |= PERF_SAMPLE_CALLCHAIN;
	if (format->branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)	/* it is in the chain */
		type &= ~(uint64_t)PERF_SAMPLE_BRANCH_STACK;
	if (format->sample_type & PERF_SAMPLE_WEIGHT_STRUCT)
		type |= PERF_SAMPLE_WEIGHT;
	return type;
}

static uint64_t marker_of(enum cpu_mode mode)
{
	switch (mode) {
	case MODE_KERNEL:	return (uint64_t)PERF_CONTEXT_KERNEL;
	case MODE_USER:		return (uint64_t)PERF_CONTEXT_USER;
	case MODE_HYPERVISOR:	return (uint64_t)PERF_CONTEXT_HV;
	case MODE_GUEST_KERNEL:	return (uint64_t)PERF_CONTEXT_GUEST_KERNEL;
	case MODE_GUEST_USER:	return (uint64_t)PERF_CONTEXT_GUEST_USER;
	case MODE_UNKNOWN:	break;
	}
	return 0;
}

static uint16_t mode_bits(enum cpu_mode mode)
{
	switch (mode) {
	case MODE_KERNEL:	return PERF_RECORD_MISC_KERNEL;
	case MODE_USER:		return PERF_RECORD_MISC_USER;
	case MODE_HYPERVISOR:	return PERF_RECORD_MISC_HYPERVISOR;
	case MODE_GUEST_KERNEL:	return PERF_RECORD_MISC_GUEST_KERNEL;
	case MODE_GUEST_USER:	return PERF_RECORD_MISC_GUEST_USER;
	case MODE_UNKNOWN:	break;
	}
	return PERF_RECORD_MISC_CPUMODE_UNKNOWN;
}

/* Adds a word of the chain; a marker only if it changes the mode, @now. */
static void add_chain_word(struct written_record *out, uint64_t word, uint64_t *now)
{
	const bool is_marker = word >= (uint64_t)PERF_CONTEXT_MAX;

	if (is_marker && word == *now)
		return;
	if (is_marker)
		*now = word;
	add_word(out, word);
}

/* @after: words that follow the chain in the record. */
static void add_chain(struct written_record *out, const struct tee_sample *sample,
		      size_t after)
{
	const size_t room = sizeof(out->words) / sizeof(out->words[0]) - after - 2;
	const size_t at = out->count;
	uint64_t now = marker_of(sample->leaf_mode);

	add_word(out, 0);
	if (now)
		add_word(out, now);
	add_word(out, sample->leaf_ip);
	if (sample->count && sample->walked && marker_of(sample->mode))
		add_chain_word(out, marker_of(sample->mode), &now);
	for (uint32_t i = 0; i < sample->count && out->count < room; i++) {
		if (i == sample->walked)
			add_chain_word(out, (uint64_t)PERF_CONTEXT_USER, &now);
		add_chain_word(out, sample->words[i], &now);
	}
	out->words[at] = out->count - at - 1;
}

static size_t raw_words(const struct record_sample *sample)
{
	return (sizeof(uint32_t) + sample->raw_bytes + sizeof(uint64_t) - 1) / sizeof(uint64_t);
}

/* The kernel's own padding is part of raw_bytes. */
static void add_raw(struct written_record *out, const struct record_sample *sample)
{
	const size_t words = raw_words(sample);
	unsigned char *at = (unsigned char *)(out->words + out->count);
	const uint32_t size = (uint32_t)(words * sizeof(uint64_t) - sizeof(size));

	if (words > sizeof(out->words) / sizeof(out->words[0]) - out->count) {
		out->is_full = true;
		return;
	}
	memset(at, 0, words * sizeof(uint64_t));
	memcpy(at, &size, sizeof(size));
	if (sample->raw_bytes)
		memcpy(at + sizeof(size), sample->raw, sample->raw_bytes);
	out->count += words;
}

static void add_branches(struct written_record *out, const struct tee_sample *sample)
{
	const struct record_sample *from = &sample->record->sample;
	const uint64_t count = from->branches ? from->branch_count : 0;

	add_word(out, count);
	if (sample->format->branch_sample_type & PERF_SAMPLE_BRANCH_HW_INDEX)
		add_word(out, UINT64_MAX);	/* unknown */
	add_bytes(out, from->branches, count * sizeof(*from->branches));
}

static size_t words_after_chain(const struct tee_sample *sample, uint64_t sample_type)
{
	const struct record_sample *from = &sample->record->sample;
	size_t words = 0;

	if (sample_type & PERF_SAMPLE_RAW)
		words += raw_words(from);
	if (sample_type & PERF_SAMPLE_BRANCH_STACK)
		words += 2 + from->branch_count * sizeof(*from->branches) / sizeof(uint64_t);
	return words + !!(sample_type & PERF_SAMPLE_WEIGHT) +
	       !!(sample_type & PERF_SAMPLE_DATA_SRC) + !!(sample_type & PERF_SAMPLE_TRANSACTION);
}

void written_record_sample(struct written_record *out, const struct tee_sample *sample,
			   uint64_t sample_type, uint64_t id, struct wait_words wait)
{
	const struct event_record *record = sample->record;

	begin_record(out);
	add_word(out, id);
	add_word(out, sample->leaf_ip);
	add_pair(out, record->pid, record->tid);
	add_word(out, sample->time_ns);
	if (sample_type & PERF_SAMPLE_ADDR)
		add_word(out, record->sample.addr);
	add_pair(out, record->has_cpu ? record->cpu : UINT32_MAX, 0);
	add_word(out, sample->weight);
	if (sample_type & PERF_SAMPLE_CALLCHAIN)
		add_chain(out, sample, words_after_chain(sample, sample_type));
	if (sample_type & PERF_SAMPLE_RAW)
		add_raw(out, &record->sample);
	if (sample_type & PERF_SAMPLE_BRANCH_STACK)
		add_branches(out, sample);
	/* A call's weight is its latency: ns from its entry to its end. */
	if (sample_type & PERF_SAMPLE_WEIGHT)
		add_word(out, sample->is_hit ? sample->time_ns - record->time_ns
					     : record->sample.weight);
	if (sample_type & PERF_SAMPLE_DATA_SRC)
		add_word(out, wait.first);
	if (sample_type & PERF_SAMPLE_TRANSACTION)
		add_word(out, wait.second);
	end_record(out, PERF_RECORD_SAMPLE, mode_bits(sample->leaf_mode));
}

void written_record_raw_sample(struct written_record *out, const struct tee_sample *sample,
			     uint64_t id)
{
	const struct perf_event_header *header = sample->raw;
	const bool has_id = sample->format->sample_type & PERF_SAMPLE_IDENTIFIER;
	const size_t skipped = sizeof(*header) + (has_id ? sizeof(uint64_t) : 0);

	begin_record(out);
	add_word(out, id);
	if (header->size > skipped)
		add_bytes(out, (const unsigned char *)sample->raw + skipped,
			  header->size - skipped);
	end_record(out, PERF_RECORD_SAMPLE, header->misc);
}

void written_record_copy(struct written_record *out, const struct perf_event_header *raw,
		       const struct record_format *format, const struct written_trailer *trailer)
{
	const size_t trailer_bytes =
		format->sample_id_all ? format->trailer.words * sizeof(uint64_t) : 0;
	const size_t least = sizeof(*raw) + trailer_bytes;
	const size_t written = record_written_bytes(format, raw);

	begin_record(out);
	if (written > least)
		add_bytes(out, raw + 1, written - least);
	if (raw->type == PERF_RECORD_LOST && out->count > 1)
		out->words[1] = trailer->id;
	if ((raw->type == PERF_RECORD_THROTTLE || raw->type == PERF_RECORD_UNTHROTTLE) &&
	    out->count > 2)
		out->words[2] = trailer->id;
	add_trailer(out, trailer);
	end_record(out, raw->type, raw->misc);
}

void written_record_comm(struct written_record *out, const char *comm, size_t len, bool is_exec,
		       const struct written_trailer *trailer)
{
	begin_record(out);
	add_pair(out, trailer->pid, trailer->tid);
	add_text(out, comm, len);
	add_trailer(out, trailer);
	end_record(out, PERF_RECORD_COMM, is_exec ? PERF_RECORD_MISC_COMM_EXEC : 0);
}

void written_record_lost(struct written_record *out, uint64_t count,
		       const struct written_trailer *trailer)
{
	begin_record(out);
	add_word(out, trailer->id);
	add_word(out, count);
	add_trailer(out, trailer);
	end_record(out, PERF_RECORD_LOST, 0);
}

/* MMAP2's 24 bytes that identify the file: its build-id, or device and inode. */
static void add_identity(struct written_record *out, const struct written_map *map)
{
	unsigned char bytes[4 + BUILD_ID_FIELD_BYTES] = { map->build_id.count };

	if (!map->build_id.count) {
		add_pair(out, map->dev_major, map->dev_minor);
		add_word(out, map->inode);
		add_word(out, map->inode_generation);
		return;
	}
	memcpy(bytes + 4, map->build_id.bytes, map->build_id.count);
	add_bytes(out, bytes, sizeof(bytes));
}

void written_record_map(struct written_record *out, const struct written_map *map,
		      const struct written_trailer *trailer)
{
	uint16_t misc = map->is_kernel ? PERF_RECORD_MISC_KERNEL : PERF_RECORD_MISC_USER;

	begin_record(out);
	add_pair(out, trailer->pid, trailer->tid);
	add_word(out, map->start);
	add_word(out, map->bytes);
	add_word(out, map->file_offset);
	if (!map->is_kernel) {
		add_identity(out, map);
		add_pair(out, PROT_READ | PROT_EXEC, MAP_PRIVATE);
		misc |= map->build_id.count ? PERF_RECORD_MISC_MMAP_BUILD_ID : 0;
	}
	add_text(out, map->path, strlen(map->path));
	add_trailer(out, trailer);
	end_record(out, map->is_kernel ? PERF_RECORD_MMAP : PERF_RECORD_MMAP2, misc);
}
