/* packed_records.h - unpacks the records of a compressed recording (`perf record -z`), in a worker.
 *
 *   in   |COMM|MMAP2|COMPRESSED: zstd ....|COMPRESSED: zstd ....|FINISHED_ROUND|COMPRESSED ...
 *   out  |COMM|MMAP2|SAMPLE|SAMPLE|SAMPLE ......................|FINISHED_ROUND|SAMPLE ...
 *
 * All COMPRESSED records together are one zstd stream, so a record may begin in one of them and end
 * in the next. All other records are copied unchanged, with the data that follows TRACING_DATA.
 *
 * Source: linux/tools/perf/Documentation/perf.data-file-format.txt; zstd.h.
 * Bounds: memory does not grow with the recording; the output is at most PACKED_RATIO_MAX times the
 *         input.
 * Thread: any; stateless.
 */
#ifndef SANDBOX_PACKED_RECORDS_H
#define SANDBOX_PACKED_RECORDS_H

#include <stdint.h>

#include "base/diag.h"
#include "sandbox/sandbox.h"

/* Limit of output / input, applied above PACKED_FREE_BYTES of output. Records of idle CPUs are much
 * alike: 30 is usual. */
#define PACKED_RATIO_MAX  1000
#define PACKED_FREE_BYTES (UINT64_C(64) << 20)

struct packed_range {
	uint64_t begin, end;	/* offsets of the records in the file */
};

/* Writes the unpacked records of @file to @out, a pipe, socket or file. Borrows both descriptors.
 * Returns 0; -EBADMSG: damaged; -E2BIG: ratio exceeded; -ENOMEM; or -errno of a read or write. */
int packed_records_unpack(int file, const struct packed_range *range, int out, struct diag *why);

/* The parent's side: a worker unpacks a recording into a socket while the caller reads it; the full
 * socket blocks the worker when the caller stops.
 *
 * Thread: record_unpacker_begin() and _end() from one thread each, in this order, once per
 *         unpacker. Use the sandbox for nothing else, and for one unpacker at a time. */
struct record_unpacker;

struct record_unpacker_range {
	int file;		/* regular file; the caller's, must stay open until _end() */
	uint64_t begin, end;	/* offsets of the records in the file */
};

/* Starts to unpack. @number counts the unpackers of one sandbox, from 1. *@records is the caller's:
 * a socket that yields the records in order; it ends at their end or at a failure.
 * Returns 0, or -errno; then *@out is NULL. */
int record_unpacker_begin(struct record_unpacker **out, struct sandbox *sandbox, uint64_t number,
			  const struct record_unpacker_range *range, int *records,
			  struct diag *why);
/* Cancels the worker if it still runs, and frees @unpacker. Returns 0 if all records were unpacked,
 * else -errno with the reason. */
int record_unpacker_end(struct record_unpacker *unpacker, struct diag *why);

#endif
