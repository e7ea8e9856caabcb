/* record.h - THE record parser: bytes of one perf record -> struct event_record.
 *
 * Source:  perf_event_open(2) "MMAP layout", "PERF_RECORD_SAMPLE"; kernel/events/core.c
 *          perf_output_sample() for the order of the fields.
 * Use:     live rings and recordings both come through here. Pure: no state, no allocation.
 * Trust:   every length is checked against the record's size; a bad record is -EBADMSG, which the
 *          caller counts as malformed.
 * Thread:  any.
 */
#ifndef CAPTURE_RECORD_H
#define CAPTURE_RECORD_H

#include <linux/perf_event.h>
#include <stddef.h>

#include "capture/event_record.h"

/* Words where fields lie that come at fixed places: in a sample behind the header, elsewhere in the
 * trailer. Worked out once per event, not per record. */
struct record_layout {
	uint8_t words;		/* of all of these, and those of no use between them */
	uint8_t ip, task, time, addr, cpu, period;	/* RECORD_NO_WORD: not there */
};

#define RECORD_NO_WORD UINT8_MAX

/* What the parser must know of the event's attr; made by record_format_init(). */
struct record_format {
	uint64_t sample_type, read_format, branch_sample_type;
	uint64_t user_regs_mask, intr_regs_mask;
	uint64_t fixed_period;	/* attr.sample_period when attr.freq is 0, else 0 */
	bool sample_id_all;
	bool has_read_period;	/* recordings: the first value of PERF_SAMPLE_READ is what came
				 * since the sample before, and stands for the period */
	bool has_build_ids;	/* attr.build_id: MMAP2 may hold one, see take_mmap2() */
	struct record_layout front, trailer;
};

void record_format_init(struct record_format *format, const struct perf_event_attr *attr);

/* Parses the record at @bytes (8-byte aligned, header->size <= @available). Sets everything of
 * @out but `event`. A type we don't know is RECORD_OTHER and 0. Returns 0 or -EBADMSG. */
int record_parse(const struct record_format *format, const void *bytes, size_t available,
		 struct event_record *out);

/* The same, but of a sample only `kind`, pid and tid, time and what says whether they are there:
 * enough to put it in order. What follows them is not looked at, and may be damaged. */
int record_parse_front(const struct record_format *format, const void *bytes, size_t available,
		       struct event_record *out);

/* Which word of a record that was parsed is the time that it got: from its begin; below 0: from its
 * end; 0: none is. */
int16_t record_time_word(const struct record_format *format,
			 const struct perf_event_header *record);

/* The event id (PERF_SAMPLE_IDENTIFIER or PERF_SAMPLE_ID) without knowing the event yet: needs a
 * format whose id position is shared by all events of the session (perf-record guarantees it when
 * there is more than one). Returns 0, or -ENOENT when the record carries no id. */
int record_peek_id(const struct record_format *format, const void *bytes, size_t available,
		   uint64_t *id);

#endif
