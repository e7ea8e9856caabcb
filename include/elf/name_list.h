/* name_list.h - a sequence of NUL-terminated texts: the names that a worker is to demangle, and its
 * reply.
 * Thread: any; stateless. */
#ifndef ELF_NAME_LIST_H
#define ELF_NAME_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Checks that @bytes[@bytes_count] is exactly @texts NUL-terminated texts of at most @text_max
 * bytes each, NUL excluded. Returns 0, or -EBADMSG with the reason. Do this before
 * name_list_next(). */
int name_list_check(const void *bytes, size_t bytes_count, uint32_t texts, size_t text_max,
		    struct diag *why);

/* Returns the text after @text. Call it only within the number of texts that was checked. */
const char *name_list_next(const char *text);

#endif
