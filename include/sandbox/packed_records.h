/* packed_records.h - unpacks the records of a compressed recording (`perf record -z`), in a worker.
 *
 *   in   |COMM|MMAP2|COMPRESSED: zstd ....|COMPRESSED: zstd ....|FINISHED_ROUND|COMPRESSED ...
 *   out  |COMM|MMAP2|SAMPLE|SAMPLE|SAMPLE ......................|FINISHED_ROUND|SAMPLE ...
 *
 * All compressed records together are one stream of zstd, so a record may begin in one of them and
 * end in the next. Others go through as they are; what follows TRACING_DATA, too.
 *
 * Source: linux/tools/perf/Documentation/perf.data-file-format.txt; zstd.h.
 * Bounds: memory does not grow with the recording; what comes out is PACKED_RATIO_MAX times what
 *         went in at most.
 * Thread: any; no state.
 */
#ifndef SANDBOX_PACKED_RECORDS_H
#define SANDBOX_PACKED_RECORDS_H

#include <stdint.h>

#include "base/diag.h"

/* Records of idle CPUs are much alike: 30 is usual. Below PACKED_FREE_BYTES nothing is counted. */
#define PACKED_RATIO_MAX  1000
#define PACKED_FREE_BYTES (UINT64_C(64) << 20)

struct packed_range {
	uint64_t begin, end;	/* offsets of the records in the file */
};

/* Writes the unpacked records of @file to @out, a pipe, socket or file. 0; -EBADMSG damaged, -E2BIG
 * over the ratio, -ENOMEM, or the errno of a read or write. Borrows both descriptors. */
int packed_records_unpack(int file, const struct packed_range *range, int out, struct diag *why);

#endif
