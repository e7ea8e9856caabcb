/* name_list.h - texts one behind the other, each terminated: what a worker is given to demangle,
 * and the form of its answer.
 * Thread: any, no state. */
#ifndef ELF_NAME_LIST_H
#define ELF_NAME_LIST_H

#include <stddef.h>
#include <stdint.h>

#include "base/diag.h"

/* Are @bytes[@bytes_count] exactly @texts terminated texts, each of at most @text_max bytes without
 * its terminator? 0 or -EBADMSG with the reason. Afterwards name_list_next() may be trusted. */
int name_list_check(const void *bytes, size_t bytes_count, uint32_t texts, size_t text_max,
		    struct diag *why);

/* The text behind @text. Only for as many as name_list_check() was asked about. */
const char *name_list_next(const char *text);

#endif
