/* record_unpacker.h - parent side of sandbox/packed_records.h: a worker unpacks a recording while
 * it is read, through a socket that holds it back when nobody reads.
 *
 * Thread: record_unpacker_begin() and _end() from one thread each, in this order; each unpacker is
 *         begun once. The sandbox belongs to the unpackers alone, one after the other.
 */
#ifndef SANDBOX_RECORD_UNPACKER_H
#define SANDBOX_RECORD_UNPACKER_H

#include <stdint.h>

#include "base/diag.h"
#include "sandbox/sandbox.h"

struct record_unpacker;

struct record_unpacker_range {
	int file;		/* regular; stays the caller's, open until _end() */
	uint64_t begin, end;	/* offsets of the records in the file */
};

/* Begins to unpack. @number counts the unpackers of one sandbox, from 1. *@records is the
 * caller's: a socket that yields the records, in order, until their end or failure.
 * Returns 0 or -errno; then *@out is NULL. */
int record_unpacker_begin(struct record_unpacker **out, struct sandbox *sandbox, uint64_t number,
			  const struct record_unpacker_range *range, int *records,
			  struct diag *why);
/* Ends the worker, if it has not ended, and frees @unpacker. 0: all records were unpacked; else why
 * not. */
int record_unpacker_end(struct record_unpacker *unpacker, struct diag *why);

#endif
