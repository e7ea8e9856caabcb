/* record_unpacker.h - parent side of sandbox/packed_records.h: a worker unpacks a recording into a
 * socket while the caller reads it; the full socket blocks the worker when the caller stops.
 *
 * Thread: record_unpacker_begin() and _end() from one thread each, in this order, once per
 *         unpacker. Use the sandbox for nothing else, and for one unpacker at a time.
 */
#ifndef SANDBOX_RECORD_UNPACKER_H
#define SANDBOX_RECORD_UNPACKER_H

#include <stdint.h>

#include "base/diag.h"
#include "sandbox/sandbox.h"

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
