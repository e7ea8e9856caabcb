/* flat_writer.h - serializes a flat table. Thread: the owner's. */
#ifndef ELF_FLAT_WRITER_H
#define ELF_FLAT_WRITER_H

#include "flat_entry.h"

/* Writes a copy of @header, with its counts filled in, then the rows. *@bytes is malloc'd for the
 * caller. Returns 0, -ENOMEM or -E2BIG: more than FLAT_BYTES_MAX. */
int flat_writer_write(const struct flat_entries *all, const struct flat_header *header,
		      void **bytes, size_t *bytes_count);

#endif
