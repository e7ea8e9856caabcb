/* record.h - the only parser of perf records: bytes of one record -> struct event_record.
 *
 * Source:  perf_event_open(2) "MMAP layout", "PERF_RECORD_SAMPLE"; kernel/events/core.c
 *          perf_output_sample() for the order of the fields.
 * Use:     for both live rings and recordings. Pure: no state, no allocation.
 * Trust:   every length is checked against the record's size; a bad record is -EBADMSG, which the
 *          caller counts as malformed.
 * Thread:  any.
 */
#ifndef CAPTURE_RECORD_H
#define CAPTURE_RECORD_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "capture/event_record.h"

/* Word indices of the fields at fixed places: after the header of a sample, or in the sample_id
 * trailer of other records. Computed once per event. */
struct record_layout {
	uint8_t words;		/* size of the fixed part, unused fields included */
	uint8_t ip, task, time, addr, cpu, period;	/* RECORD_NO_WORD: absent */
};

#define RECORD_NO_WORD UINT8_MAX

/* The parts of an event's attr that the parser needs; made by record_format_init(). */
struct record_format {
	uint64_t sample_type, read_format, branch_sample_type;
	uint64_t user_regs_mask, intr_regs_mask;
	uint64_t fixed_period;	/* attr.sample_period when attr.freq is 0, else 0 */
	bool sample_id_all;
	bool has_read_period;	/* recordings: the first value of PERF_SAMPLE_READ is the count
				 * since the previous sample, and is used as the period */
	bool has_build_ids;	/* attr.build_id: MMAP2 may hold a build-id, see take_mmap2() */
	struct record_layout front, trailer;
};

void record_format_init(struct record_format *format, const struct perf_event_attr *attr);

/* Parses the record at @bytes (8-byte aligned, header->size <= @available). Sets everything of
 * @out but `event`. Returns 0 or -EBADMSG; 0 and RECORD_OTHER for unknown types. */
int record_parse(const struct record_format *format, const void *bytes, size_t available,
		 struct event_record *out);

/* Parses like record_parse(), but of a sample only `kind`, pid, tid, time, has_pid and has_time, as
 * needed for sorting by time. Does not check what follows, which may be damaged. */
int record_parse_front(const struct record_format *format, const void *bytes, size_t available,
		       struct event_record *out);

/* Returns the index of the word of a parsed record that is its time: > 0 from the beginning, < 0
 * from the end; 0: it has no time. */
int16_t record_time_word(const struct record_format *format,
			 const struct perf_event_header *record);

/* Reads the event id (PERF_SAMPLE_IDENTIFIER or PERF_SAMPLE_ID) of a record of an unknown event.
 * All events of the session must have the id where @format has it (perf-record guarantees that when
 * there is more than one). Returns 0, or -ENOENT when the record carries no id. */
int record_peek_id(const struct record_format *format, const void *bytes, size_t available,
		   uint64_t *id);

#endif
