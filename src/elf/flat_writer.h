/* flat_writer.h - the bytes of a table. Thread: the owner's. */
#ifndef ELF_FLAT_WRITER_H
#define ELF_FLAT_WRITER_H

#include "flat_entry.h"

/* Writes the rows after @header, of which the counts are filled in here. *@bytes is malloc'd for
 * the caller. 0, -ENOMEM or -E2BIG: more than FLAT_BYTES_MAX. */
int flat_writer_write(const struct flat_entries *all, const struct flat_header *header,
		      void **bytes, size_t *bytes_count);

#endif
