/* written_record.h - the bytes of perf records as a recording has them. Pure.
 * Source: perf_event_open(2) "MMAP layout"; kernel/events/core.c perf_output_sample(). */
#ifndef RECORD_WRITTEN_RECORD_H
#define RECORD_WRITTEN_RECORD_H

#include "ingest/record_tee.h"
#include "ingest/waits.h"

/* Room for the largest record: header.size has 16 bits, and records are multiples of 8 bytes. */
#define WRITTEN_RECORD_BYTES 65528

/* The first event of a recording has this id, and so do records of no event. */
#define WRITTEN_FIRST_ID 1

/* A record under construction. */
struct written_record {
	uint64_t words[WRITTEN_RECORD_BYTES / sizeof(uint64_t)];
	size_t count;		/* words in use, header included */
	bool is_full;		/* something had no room */
};

/* Word of a sample that has its time, and of another record, from its end. */
#define WRITTEN_SAMPLE_TIME  4
#define WRITTEN_TRAILER_TIME (-3)

/* What a record's sample_id trailer says. */
struct written_trailer {
	uint32_t pid, tid, cpu;
	uint64_t time_ns, id;
};

/* Returns the fields that samples of an event have whose records come in @format. @keeps_raw: all
 * that they came with. */
uint64_t written_sample_type(const struct record_format *format, bool keeps_raw);

/* Makes the record of @sample, whose event has @sample_type and @id; @wait: the words of a wait.
 * Callers beyond the largest record are left out. */
void written_record_sample(struct written_record *out, const struct tee_sample *sample,
			   uint64_t sample_type, uint64_t id, struct wait_words wait);
/* Makes it with the registers and the stack that it came with. */
void written_record_raw_sample(struct written_record *out, const struct tee_sample *sample,
			     uint64_t id);
/* Makes a copy of @raw, another record of @format, with @trailer in place of its own. */
void written_record_copy(struct written_record *out, const struct perf_event_header *raw,
		       const struct record_format *format, const struct written_trailer *trailer);
void written_record_comm(struct written_record *out, const char *comm, size_t len, bool is_exec,
		       const struct written_trailer *trailer);
void written_record_lost(struct written_record *out, uint64_t count,
		       const struct written_trailer *trailer);

/* A mapping to be described. */
struct written_map {
	uint64_t start, bytes, file_offset;
	const char *path;
	struct build_id build_id;	/* count 0: device and inode instead */
	uint32_t dev_major, dev_minor;
	uint64_t inode, inode_generation;
	bool is_kernel;			/* pid of the trailer: -1 */
};
void written_record_map(struct written_record *out, const struct written_map *map,
		      const struct written_trailer *trailer);

#endif
