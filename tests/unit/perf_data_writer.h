/* perf_data_writer.h - writes small recordings as perf-record(1) does, for replays whose result is
 * known beforehand.
 *
 * Use:   init, events, records in file order, then perf_data_writer_save() or _bytes(), finish.
 *        Every event needs the same sample_type. Side-band records get its sample_id trailer.
 * Layout: |header|attrs|ids|records|feature table|features|; piped: |16 bytes|attrs, names and
 *        host as records|records|
 */
#ifndef TESTS_PERF_DATA_WRITER_H
#define TESTS_PERF_DATA_WRITER_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/build_id.h"
#include "record_bytes.h"

enum { WRITER_MAX_EVENTS = 4, WRITER_MAX_BUILD_IDS = 4 };

struct writer_bytes {
	unsigned char *at;	/* owned */
	size_t count, capacity;
};

struct perf_data_writer {
	struct perf_event_attr attrs[WRITER_MAX_EVENTS];
	char names[WRITER_MAX_EVENTS][64];
	size_t event_count;
	uint32_t attr_bytes;	/* that are written; sizeof(struct perf_event_attr) at first */
	bool has_names;		/* false: no event descriptions; true at first */
	struct writer_bytes records, build_ids;
	const char *system, *format;	/* a tracepoint's, kept as tracing data. NULL: none */
	uint8_t long_bytes;	/* that the tracing data names; 8 at first */
	const char *host;	/* "test-host" at first */
	uint32_t cpu_count;	/* 4 at first; two a socket, */
	bool has_topology;	/* if that is written; true at first */
	bool has_core_pmus;	/* cpu_core of CPUs 0-1, cpu_atom of 2-3; false at first */
	bool is_compressed;	/* said, not done: by zstd; false at first */
	uint64_t first_ns, last_ns;	/* times of the samples; last_ns 0 at first: not written */
	uint64_t wall_ns, wall_clock_ns;	/* both clocks; wall_ns 0 at first: not written */
	const char *kernel_release;	/* NULL at first: not written */
	const char *machine;	/* as uname -m prints it; NULL at first: not written */
};

struct writer_read {	/* one counter of PERF_SAMPLE_READ */
	uint64_t value;
	size_t event;
};

/* What an unset field means is 0 or none. */
struct writer_sample {
	size_t event;
	uint16_t misc;	/* PERF_RECORD_MISC_KERNEL, _USER, _GUEST_KERNEL, ... */
	uint64_t ip, time_ns, addr, period, weight;
	uint32_t pid, tid, cpu;
	const uint64_t *chain;
	size_t chain_count;
	const struct writer_read *reads;
	size_t read_count;
	const void *raw;
	uint32_t raw_bytes;
};

/* The sample_type of an ordinary recording: id, ip, tid, time, cpu, period. */
#define WRITER_SAMPLE_TYPE                                                                        \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |            \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

void perf_data_writer_init(struct perf_data_writer *writer);
void perf_data_writer_finish(struct perf_data_writer *writer);

/* Adds an event; returns its index. Its one id is perf_data_writer_id(index). */
size_t perf_data_writer_event(struct perf_data_writer *writer, uint32_t type, uint64_t config,
			      uint64_t sample_type, const char *name);
uint64_t perf_data_writer_id(size_t event);

/* A sample with the fields of its event's sample_type (those above, ADDR, READ, CALLCHAIN,
 * RAW, WEIGHT). */
void perf_data_writer_sample(struct perf_data_writer *writer, const struct writer_sample *sample);
/* @misc PERF_RECORD_MISC_KERNEL and pid -1: a kernel map; path "[kernel.kallsyms]_text" or a
 * module's file. */
void perf_data_writer_mmap(struct perf_data_writer *writer, uint16_t misc, uint32_t pid,
			   uint64_t time_ns, uint64_t start, uint64_t bytes, uint64_t file_offset,
			   const char *path);
void perf_data_writer_comm(struct perf_data_writer *writer, uint32_t pid, uint32_t tid,
			   uint64_t time_ns, const char *comm, bool is_exec);
void perf_data_writer_fork(struct perf_data_writer *writer, uint32_t pid, uint32_t tid,
			   uint32_t parent_pid, uint32_t parent_tid, uint64_t time_ns);
void perf_data_writer_round(struct perf_data_writer *writer);
/* Any other record, closed here. */
void perf_data_writer_record(struct perf_data_writer *writer, struct record_bytes *record);

/* @misc PERF_RECORD_MISC_KERNEL or _USER; with 1 << 15 the length of the id is written, too. */
void perf_data_writer_build_id(struct perf_data_writer *writer, uint16_t misc, const char *path,
			       const struct build_id *id);

/* The whole file. The bytes are the caller's: free(). */
struct writer_bytes perf_data_writer_bytes(const struct perf_data_writer *writer, bool is_piped);
/* Writes @bytes to the new or emptied file @path. */
void perf_data_writer_save_bytes(const void *bytes, size_t count, const char *path);
void perf_data_writer_save(const struct perf_data_writer *writer, const char *path);

#endif
